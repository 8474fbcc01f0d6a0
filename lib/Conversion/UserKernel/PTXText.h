//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the head of a PTX text says: enough to compare it with the parameters
// that a program passes, before any driver sees it.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_CONVERSION_USERKERNEL_PTXTEXT_H
#define COIL_LIB_CONVERSION_USERKERNEL_PTXTEXT_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace coil {

struct PTXEntry {
  std::string name;
  /// Bytes of each parameter, and what its place is aligned to.
  llvm::SmallVector<unsigned> parameters, alignments;
};

struct PTXText {
  /// "sm_90a".
  std::string chip;
  llvm::SmallVector<PTXEntry> entries;
};

/// Reads version, chip and entries of a text. Does not look into functions.
llvm::Expected<PTXText> parsePTX(llvm::StringRef text);

/// Whether PTX for one chip runs on another, both as "sm_90a".
bool runsOn(llvm::StringRef made, llvm::StringRef chip);

} // namespace coil

#endif // COIL_LIB_CONVERSION_USERKERNEL_PTXTEXT_H
