//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pattern families of the conversion.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_CONVERSION_GRAPHTOLOOP_POPULATEPATTERNS_H
#define COIL_LIB_CONVERSION_GRAPHTOLOOP_POPULATEPATTERNS_H

#include "coil/Conversion/GraphToLoop/KernelBuilder.h"
#include "coil/Dialect/Graph/IR/Graph.h"

namespace coil {

void populatePointwiseToLoopPatterns(mlir::RewritePatternSet &patterns);
void populateReductionToLoopPatterns(mlir::RewritePatternSet &patterns);
void populateWindowToLoopPatterns(mlir::RewritePatternSet &patterns);
void populateViewToLoopPatterns(mlir::RewritePatternSet &patterns);
void populateDataToLoopPatterns(mlir::RewritePatternSet &patterns);
void populateRandomToLoopPatterns(mlir::RewritePatternSet &patterns);
void populateAttentionToLoopPatterns(mlir::RewritePatternSet &patterns);
void populateSortToLoopPatterns(mlir::RewritePatternSet &patterns);
void populateSegmentToLoopPatterns(mlir::RewritePatternSet &patterns);

/// All of them, and those that plugins have registered.
void populateGraphToLoopPatterns(mlir::RewritePatternSet &patterns);

/// The loop-level kind of a reduction of (graph-level) elements `type`.
loop::ReduceKind getLoopKind(graph::ReduceKind kind, mlir::Type type);

} // namespace coil

#endif // COIL_LIB_CONVERSION_GRAPHTOLOOP_POPULATEPATTERNS_H
