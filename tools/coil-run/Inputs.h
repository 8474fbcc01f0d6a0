//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tensors that a run takes: what the user gave or asked to make up.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_TOOLS_COIL_RUN_INPUTS_H
#define COIL_TOOLS_COIL_RUN_INPUTS_H

#include "coil/ExecutionEngine/Signature.h"
#include "coil/Support/HostTensor.h"

#include <memory>
#include <vector>

namespace coil {

/// Where inputs come from.
struct InputOptions {
  /// What `--input` said, in order.
  std::vector<std::string> texts;
  /// Makes up the inputs that are not given.
  bool random = false;
  uint64_t seed = 0;
  /// Values of symbols for made-up inputs ("s0=17").
  std::vector<std::string> symbols;
};

/// The inputs of a program, in their order.
class Inputs {
public:
  /// Collects values for `specs`, whose symbols are those of `signature`.
  static llvm::Expected<Inputs> create(const Signature &signature,
                                       llvm::ArrayRef<TensorSpec> specs,
                                       const InputOptions &options);

  llvm::ArrayRef<coil_tensor> getViews() const { return views; }

private:
  void add(HostTensor tensor);

  /// Not a vector of tensors: views point into them.
  std::vector<std::unique_ptr<HostTensor>> tensors;
  std::vector<coil_tensor> views;
};

} // namespace coil

#endif // COIL_TOOLS_COIL_RUN_INPUTS_H
