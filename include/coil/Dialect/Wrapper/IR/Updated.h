//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arguments that a function updates in the caller's memory.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_WRAPPER_IR_UPDATED_H
#define COIL_DIALECT_WRAPPER_IR_UPDATED_H

#include "coil/Dialect/Wrapper/IR/Wrapper.h"

namespace coil::wrapper {

/// Marks an argument of a function that the function reads and writes, and the
/// caller keeps (`wrapper-update-inputs`). A public function returns it.
inline constexpr llvm::StringLiteral kUpdatedAttrName = "wrapper.updated";

/// Whether a function writes argument `i`, which the caller keeps.
inline bool isUpdated(FuncOp fn, unsigned i) {
  return static_cast<bool>(fn.getArgAttr(i, kUpdatedAttrName));
}

/// Whether the function that a call runs writes operand `i`, which the caller
/// keeps: an element of `arg_attrs` says so.
inline bool isUpdated(PartitionCallOp call, unsigned i) {
  mlir::ArrayAttr attributes = call.getArgAttrsAttr();
  return attributes && i < attributes.size() &&
         llvm::cast<mlir::DictionaryAttr>(attributes[i])
             .contains(kUpdatedAttrName);
}

} // namespace coil::wrapper

#endif // COIL_DIALECT_WRAPPER_IR_UPDATED_H
