//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COIL_TOOLS_COMMON_COMPLETION_H
#define COIL_TOOLS_COMMON_COMPLETION_H

#include "llvm/ADT/StringRef.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace coil {

/// Prints the script that completes the flags of this process's tool in a
/// shell: bash, zsh or fish. False for any other.
bool printCompletion(llvm::raw_ostream &os, llvm::StringRef shell,
                     llvm::StringRef tool);

} // namespace coil

#endif // COIL_TOOLS_COMMON_COMPLETION_H
