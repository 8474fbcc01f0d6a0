//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which build of Coil this process runs.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_SUPPORT_BUILDID_H
#define COIL_SUPPORT_BUILDID_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace coil {

/// Identifies the libraries that the functions at `addresses` are in, and the
/// one of this function: their build ids as linkers write them (the note
/// NT_GNU_BUILD_ID, a hash of the contents), in hexadecimal with '+' between.
/// Fails for a library without one.
llvm::Expected<std::string>
getBuildId(llvm::ArrayRef<const void *> addresses = {});

} // namespace coil

#endif // COIL_SUPPORT_BUILDID_H
