//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What every tool does first: nothing that LLVM or the system reports ends it
// without one line and a documented status.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_TOOLS_COMMON_TOOL_H
#define COIL_TOOLS_COMMON_TOOL_H

#include "llvm/Support/InitLLVM.h"

namespace coil {

/// The name that the tool's messages begin with.
const char *getToolName();

/// The frame of a tool's `main`.
///
/// Errors that LLVM calls fatal, exhausted memory among them, are one line and
/// `failureStatus`; temporary files are removed. So is output that cannot be
/// written to standard output, whichever way the tool ends. A limit of the size
/// of files is an error of the write, not a signal.
class Tool {
public:
  /// `name` outlives the process.
  Tool(int &argc, char **&argv, const char *name, int failureStatus,
       int outputStatus);

  /// Ends the tool for what LLVM's parser would take, or not name: an unknown
  /// flag that begins as flags of one letter in a row do (-h prints the help
  /// and succeeds), a flag that is given twice with different values, and an
  /// argument beyond those that there are places for. Called when all flags are
  /// registered.
  void checkFlags(int argc, char **argv) const;

private:
  llvm::InitLLVM init;
};

} // namespace coil

#endif // COIL_TOOLS_COMMON_TOOL_H
