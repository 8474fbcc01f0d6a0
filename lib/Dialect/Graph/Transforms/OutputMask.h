//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Backward operators that give the gradients that `output_mask` names.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DIALECT_GRAPH_TRANSFORMS_OUTPUTMASK_H
#define COIL_LIB_DIALECT_GRAPH_TRANSFORMS_OUTPUTMASK_H

#include "coil/Dialect/Graph/Transforms/LegalizeAten.h"

namespace coil::graph {

/// Replaces a call by those of `count` gradients that its mask names and that
/// are used; `make` computes one. An operator has either all results or those
/// of its mask, and some have the first one in any case. An operator without a
/// mask gives all.
mlir::LogicalResult
replaceMasked(AtenCall &c, unsigned count,
              llvm::function_ref<mlir::Value(unsigned number)> make);

} // namespace coil::graph

#endif // COIL_LIB_DIALECT_GRAPH_TRANSFORMS_OUTPUTMASK_H
