//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How functions of the C API return errors.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_CAPI_RESULT_H
#define COIL_LIB_CAPI_RESULT_H

#include "coil-c/Program.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

#include <cstring>

namespace coil::capi {

/// Hands a message over and returns `code`.
inline int32_t fail(coil_result_code code, const llvm::Twine &message,
                    char **error) {
  if (error)
    *error = strdup(message.str().c_str());
  return code;
}

/// The same for an error, if there is one; else COIL_API_OK.
inline int32_t finish(llvm::Error failure, coil_result_code code,
                      char **error) {
  if (failure)
    return fail(code, llvm::toString(std::move(failure)), error);
  if (error)
    *error = nullptr;
  return COIL_API_OK;
}

} // namespace coil::capi

#endif // COIL_LIB_CAPI_RESULT_H
