//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Mathematics without instructions as calls of the device library.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_CONVERSION_GPUTONVVM_MATHTONVPTX_H
#define COIL_LIB_CONVERSION_GPUTONVVM_MATHTONVPTX_H

#include "coil/Conversion/GPUToNVVM/GPUToNVVM.h"
#include "mlir/IR/PatternMatch.h"

namespace coil {

/// Adds patterns that take `math` ops, `loop.special` and floating-point
/// divisions and remainders, of scalars and vectors, to instructions and to
/// calls of functions of the device library (lib/Device),
/// which are declared where they are needed. What is not taken has an exact
/// instruction.
void populateMathToNVPTXPatterns(mlir::RewritePatternSet &patterns,
                                 FastMath mode);

/// Lowers sines and cosines of f32 in the default mode: the lanes of a vector
/// are computed without a branch, and once more by the exact functions where
/// one of them is so large that it needs these. That test is left out where the
/// operand cannot be large.
void lowerAngles(mlir::Operation *root, FastMath mode);

/// Lowers quotients and square roots of f32 in the default mode, where operands
/// are known to be of a size that needs no branch, or a divisor is that of many
/// lanes.
void lowerQuotients(mlir::Operation *root, FastMath mode);

/// What a vector has in all lanes, as far as it is a broadcast; else null.
mlir::Value getSplat(mlir::Value v);

/// Whether a test holds for `v`, or for one of its lanes.
mlir::Value
isAnyLane(mlir::OpBuilder &b, mlir::Location loc, mlir::Value v,
          llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Value)> test);

/// `usual`, and what `emitRare` computes where `isRare`: one branch for all
/// lanes.
mlir::Value
emitRarely(mlir::OpBuilder &b, mlir::Location loc, mlir::Value isRare,
           mlir::Value usual,
           llvm::function_ref<mlir::Value(mlir::OpBuilder &)> emitRare);

/// An instruction with one operand for `v` or every lane of it, once where all
/// lanes have the same.
mlir::Value mapIntrinsic(mlir::OpBuilder &b, mlir::Location loc,
                         llvm::StringRef name, mlir::Value v,
                         mlir::Type element);

/// The inverse of an f32, or of every lane, by the instruction: 1 ulp. What is
/// below 2^-126 counts as zero, and so does the result.
mlir::Value emitApproximateInverse(mlir::OpBuilder &b, mlir::Location loc,
                                   mlir::Value v);

/// Lowers conversions of f32 to integers: the instruction gives the nearest
/// integer of its type for numbers outside, and zero for what is no number.
void lowerConversions(mlir::Operation *root);

/// The value of 16 bits that `v` is the extension of: an extended one, its size
/// or negation, one that all lanes have, or a constant without other digits.
/// Constants have the type `narrow`. Null for others.
mlir::Value getNarrow(mlir::OpBuilder &b, mlir::Value v, mlir::Type narrow);

/// Lowers roundings of f32 to bf16: sums and products of bf16 are instructions,
/// with the same bits, since a float has twice the digits and two; others are
/// the instruction for two of them. That for one is computed by the unit of the
/// transcendental functions, at an eighth of the rate.
void lowerRoundings(mlir::Operation *root);

} // namespace coil

#endif // COIL_LIB_CONVERSION_GPUTONVVM_MATHTONVPTX_H
