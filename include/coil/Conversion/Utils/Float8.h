//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Floats of 8 bits on machines without them: conversions by integer
// arithmetic.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_CONVERSION_UTILS_FLOAT8_H
#define COIL_CONVERSION_UTILS_FLOAT8_H

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace coil {

/// Replaces conversions from and to `f8E4M3FN` and `f8E5M2` and constants of
/// them, scalars and vectors, by operations on their bits. A conversion to them
/// goes through `f32`, rounds to nearest even, and keeps NaN; what is beyond
/// the range becomes NaN in `f8E4M3FN` and an infinity in `f8E5M2`.
void populateExpandFloat8Patterns(mlir::RewritePatternSet &patterns);

} // namespace coil

#endif // COIL_CONVERSION_UTILS_FLOAT8_H
