//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PyTorch's structured trace, which tlparse reads.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_REPORT_TORCHTRACE_H
#define COIL_LIB_REPORT_TORCHTRACE_H

#include "coil/Report/Provenance.h"
#include "llvm/Support/JSON.h"

#include <string>

namespace coil {

/// The text of a trace with one compilation. Dates are the same in all traces,
/// so that two of one program are the same bytes.
class TorchTrace {
public:
  /// Code that runs the program.
  void addCode(llvm::StringRef file, llvm::StringRef text);
  /// Something with a name; `encoding` is "json" or "string".
  void addArtifact(llvm::StringRef name, llvm::StringRef encoding,
                   llvm::StringRef text);
  void addArtifact(llvm::StringRef name, llvm::json::Value value);
  /// Under Inductor's names: which nodes of the model each step computes, and
  /// the lines of the source that each comes from.
  void addProvenance(const Provenance &provenance);

  const std::string &getText() const { return trace; }

private:
  void add(llvm::json::Object entry, llvm::StringRef payload);

  std::string trace;
};

} // namespace coil

#endif // COIL_LIB_REPORT_TORCHTRACE_H
