//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Patterns that turn `math` functions into libmvec and libm calls.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_CONVERSION_LOOPTOCPU_MATHTOVECTORLIBRARY_H
#define COIL_LIB_CONVERSION_LOOPTOCPU_MATHTOVECTORLIBRARY_H

namespace mlir {
class RewritePatternSet;
}

namespace coil {

/// What is cheaper or more exact in other `math` functions. Runs before the
/// calls are made.
void populateMathSimplificationPatterns(mlir::RewritePatternSet &patterns);

/// Remainders of vectors of f32 become arithmetic in f64 and a loop.
void populateVectorRemainderPatterns(mlir::RewritePatternSet &patterns);

/// `vectorBits` is the width of the widest vector registers of the target.
void populateMathToVectorLibraryPatterns(mlir::RewritePatternSet &patterns,
                                         unsigned vectorBits);

} // namespace coil

#endif // COIL_LIB_CONVERSION_LOOPTOCPU_MATHTOVECTORLIBRARY_H
