//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums and multiplications with their rounding errors, so that their error
// does not grow with the number of terms.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_CONVERSION_UTILS_COMPENSATED_H
#define COIL_CONVERSION_UTILS_COMPENSATED_H

#include "coil/Dialect/Loop/IR/Loop.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace coil {

/// A number, and what rounding took from it: a scalar each, or a vector lane by
/// lane.
struct Compensated {
  mlir::Value value;
  /// Null for zero.
  mlir::Value rest;
};

/// Sum of two numbers. The error of the addition is computed exactly (Knuth's
/// TwoSum), whichever of the two is larger.
Compensated addExactly(mlir::ImplicitLocOpBuilder &b, Compensated x,
                       Compensated y);

/// Product of two numbers. The error of the multiplication is computed exactly,
/// with a fused multiplication and addition.
Compensated multiplyExactly(mlir::ImplicitLocOpBuilder &b, Compensated x,
                            Compensated y);

/// The same as one number. Where the number is infinite it has no rest.
mlir::Value finishExactly(mlir::ImplicitLocOpBuilder &b, Compensated x);

/// Whether `op` is a product of floats whose result has the digits that its
/// multiplications lose. Their relative errors add up wherever they are made,
/// so that shorter chains are no better than long ones.
bool isProductOfMany(loop::ReduceOp op);

} // namespace coil

#endif // COIL_CONVERSION_UTILS_COMPENSATED_H
