//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Patterns with which coil-reduce simplifies Coil's operations.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_REDUCER_PATTERNS_H
#define COIL_REDUCER_PATTERNS_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace coil {

/// Attaches reduction patterns to the graph and loop dialects.
void registerReductionPatterns(mlir::DialectRegistry &registry);

} // namespace coil

#endif // COIL_REDUCER_PATTERNS_H
