//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One weight of a set: what is checked of it, and where its elements are.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_EXECUTIONENGINE_WEIGHTVALUE_H
#define COIL_LIB_EXECUTIONENGINE_WEIGHTVALUE_H

#include "coil/ExecutionEngine/ModelContainer.h"

namespace coil {

/// What the program knows of a weight.
struct WeightSpec {
  std::string name;
  int32_t dtype;
  llvm::SmallVector<int64_t, 4> sizes;
  /// Row by row.
  llvm::SmallVector<int64_t, 4> strides;
  /// Whether the program writes to it: sets have memory of their own for it.
  bool isUpdated = false;
};

/// A weight of one set.
struct WeightValue {
  void *data = nullptr;
  std::shared_ptr<const void> owner;
};

/// The bytes of a tensor's elements.
uint64_t getBytes(const coil_tensor &tensor);

/// The bytes behind the first element that a tensor reaches; nothing when it
/// also reaches before it.
std::optional<uint64_t> getReach(const coil_tensor &tensor);

/// Whether a weight is the one that the program knows; an InputError names it.
llvm::Error checkWeight(const WeightSpec &spec, const NamedWeight &given);

/// The elements of a weight that was checked, row by row: where they are, or a
/// copy. `inPlace` makes a copy of what has an owner an InputError.
llvm::Expected<WeightValue> takeWeight(const WeightSpec &spec,
                                       const NamedWeight &given, bool inPlace);

} // namespace coil

#endif // COIL_LIB_EXECUTIONENGINE_WEIGHTVALUE_H
