//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Floats of 16 bits, in a form that needs no compiler support library.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_CONVERSION_LOOPTOCPU_SMALLFLOATS_H
#define COIL_LIB_CONVERSION_LOOPTOCPU_SMALLFLOATS_H

#include "mlir/Support/LLVM.h"

namespace mlir {
class Operation;
} // namespace mlir

namespace coil {

/// An attribute of an `arith.truncf` whose operand is a value of the narrower
/// type: nothing is rounded.
inline constexpr llvm::StringLiteral kExactRounding = "coil.exact";

/// Computes in f32 what `root` computes in bf16, expands conversions from and
/// to bf16 to integer arithmetic, and makes what is left, which only moves, an
/// i16.
mlir::LogicalResult legalizeSmallFloats(mlir::Operation *root);

} // namespace coil

#endif // COIL_LIB_CONVERSION_LOOPTOCPU_SMALLFLOATS_H
