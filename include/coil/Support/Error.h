//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Errors that are a text.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_SUPPORT_ERROR_H
#define COIL_SUPPORT_ERROR_H

#include "llvm/Support/Error.h"

namespace coil {

inline llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

} // namespace coil

#endif // COIL_SUPPORT_ERROR_H
