//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the verifiers of several files of the dialect share.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DIALECT_WRAPPER_IR_VERIFYUTILS_H
#define COIL_LIB_DIALECT_WRAPPER_IR_VERIFYUTILS_H

#include "coil/Dialect/Wrapper/IR/Wrapper.h"

namespace coil::wrapper {

mlir::LogicalResult verifyOnlySymbols(mlir::Operation *op, sym::ExprAttr e);

/// A predicate is an `i1`, or a buffer with one.
mlir::LogicalResult verifyPredicate(mlir::Operation *op, mlir::Value predicate);

/// Whether all sizes are 1.
bool hasOneElement(BufferType type);

/// A buffer type with other expressions for some symbols; any other type as it
/// is.
mlir::Type substituteSymbols(mlir::Type type,
                             const llvm::StringMap<sym::ExprAttr> &values);

/// Fails unless `consumes` lists exactly the operands whose arguments the
/// callee consumes.
mlir::LogicalResult
verifyConsumes(mlir::Operation *call, FuncOp callee,
               std::optional<llvm::ArrayRef<int64_t>> consumes);

} // namespace coil::wrapper

#endif // COIL_LIB_DIALECT_WRAPPER_IR_VERIFYUTILS_H
