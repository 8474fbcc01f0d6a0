//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers symbolic expressions to `arith` on 64-bit integers.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_CONVERSION_UTILS_EXPRLOWERING_H
#define COIL_CONVERSION_UTILS_EXPRLOWERING_H

#include "coil/Dialect/Sym/IR/Sym.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir {
class Location;
class OpBuilder;
class Value;
} // namespace mlir

namespace coil {
namespace sym {
class Context;
} // namespace sym

/// Creates the value of `expr`. `leaf` gives the value of each dimension,
/// indirect index and symbol: an `i64` or a `vector<Wxi64>`; scalars are
/// broadcast where they meet vectors, so that what does not vary stays scalar.
/// The result is a scalar when all leaves are. Returns null when `leaf` does.
///
/// Division and remainder round toward minus infinity, for positive divisors;
/// a divisor that is zero at run time counts as one, so that nothing traps.
/// `facts`, if given, saves these corrections where they cannot matter.
///
/// With `bits` of 32 all leaves and results have 32 bits, and the caller knows
/// that no part of the expression leaves their range.
mlir::Value lowerExpr(mlir::OpBuilder &builder, mlir::Location loc,
                      sym::ExprAttr expr,
                      llvm::function_ref<mlir::Value(sym::ExprAttr)> leaf,
                      const sym::Context *facts = nullptr, unsigned bits = 64);

} // namespace coil

#endif // COIL_CONVERSION_UTILS_EXPRLOWERING_H
