//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes over the `graph` dialect.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_GRAPH_TRANSFORMS_PASSES_H
#define COIL_DIALECT_GRAPH_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::func {
class FuncOp;
} // namespace mlir::func

namespace coil::graph {

#define GEN_PASS_DECL
#include "coil/Dialect/Graph/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "coil/Dialect/Graph/Transforms/Passes.h.inc"

} // namespace coil::graph

#endif // COIL_DIALECT_GRAPH_TRANSFORMS_PASSES_H
