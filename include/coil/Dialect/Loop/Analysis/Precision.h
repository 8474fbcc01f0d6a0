//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a kernel's arithmetic may be less exact than its type.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_LOOP_ANALYSIS_PRECISION_H
#define COIL_DIALECT_LOOP_ANALYSIS_PRECISION_H

#include "coil/Dialect/Loop/IR/Loop.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/DenseMap.h"

namespace coil::loop {

/// The attribute of an operator, or of an op in a kernel, that is computed and
/// rounded as the framework's kernel for it does, whatever else is allowed.
inline constexpr llvm::StringLiteral kStrictAttrName = "coil.strict";

/// Whether a step function or a comparison sees `v`, of which an error in the
/// last bit makes a whole one: a quotient that is an integer must not come out
/// below it. After a rounding to `bf16` or `f16` it is the integer again.
bool reachesStep(mlir::Value v);

/// Finds the ops of a kernel of which nobody can see the last bits: those of
/// `f32` whose result only reaches roundings to `bf16` or `f16`, by ways that
/// do not magnify its relative error; divisions by sums of exponentials, as
/// in softmax and sigmoid, whose own error is larger than that of a division;
/// and inverse square roots, for which GPUs, and PyTorch on them, have an
/// instruction.
class Precision {
public:
  explicit Precision(KernelOp kernel);

  /// The flags to add to `op`: `afn` for a function of which a fast version
  /// does, `arcp` for a division that may be a multiplication by an inverse
  /// that many lanes and items share, and `contract` for one that may be within
  /// 2 ulp. All other divisions are rounded once. `arcp` of a sine or a cosine
  /// says that a version between the exact and the fast one does, `afn` of a
  /// division that it is of one by a square root, and may be `math.rsqrt`.
  mlir::arith::FastMathFlags getFlags(mlir::Operation *op) const {
    return flags.lookup(op);
  }

  /// Adds flags to an op that has any.
  static void addFlags(mlir::Operation *op, mlir::arith::FastMathFlags flags);

private:
  /// Whether `v` is an exponential, or a sum or multiplication with one.
  bool isFromExponential(mlir::Value v, unsigned depth = 0);
  bool isNonNegative(mlir::Value v);
  /// Whether all that `v` reaches is rounded. `isAbsolute`: the error of `v` is
  /// about that of a float near one, so that sums do not magnify it.
  bool isRounded(mlir::Value v, bool isAbsolute, unsigned depth = 0);

  llvm::DenseMap<mlir::Operation *, mlir::arith::FastMathFlags> flags;
};

} // namespace coil::loop

#endif // COIL_DIALECT_LOOP_ANALYSIS_PRECISION_H
