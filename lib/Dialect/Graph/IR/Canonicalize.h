//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The families of canonicalisation patterns.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DIALECT_GRAPH_IR_CANONICALIZE_H
#define COIL_LIB_DIALECT_GRAPH_IR_CANONICALIZE_H

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace coil::graph {

/// Masks whose elements are all equal.
void addMaskPatterns(mlir::RewritePatternSet &patterns);

} // namespace coil::graph

#endif // COIL_LIB_DIALECT_GRAPH_IR_CANONICALIZE_H
