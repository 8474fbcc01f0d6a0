//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inputs that a program updates in their own memory.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_WRAPPER_IR_UPDATED_H
#define COIL_DIALECT_WRAPPER_IR_UPDATED_H

#include "llvm/ADT/StringRef.h"

namespace coil::wrapper {

/// Marks an argument of a public function that the function writes to, and
/// returns as the result that says what it holds in the end.
inline constexpr llvm::StringLiteral kUpdatedAttrName = "wrapper.updated";

} // namespace coil::wrapper

#endif // COIL_DIALECT_WRAPPER_IR_UPDATED_H
