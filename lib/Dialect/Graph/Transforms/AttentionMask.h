//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the mask of an attention says, where that follows from positions alone.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DIALECT_GRAPH_TRANSFORMS_ATTENTIONMASK_H
#define COIL_LIB_DIALECT_GRAPH_TRANSFORMS_ATTENTIONMASK_H

#include "coil/Dialect/Graph/IR/Graph.h"

namespace coil::graph {

enum class MaskKind {
  /// Depends on data, or hides something else than the future.
  General,
  /// Hides nothing.
  Everything,
  /// A query sees the keys up to its own position, as `causal` says.
  Causal,
};

/// Exported models compute their masks: comparisons of counted positions,
/// joined by `and`, broadcast, and turned into zeros and minus infinities.
/// Follows these operators from the mask of `op` with the position of a score
/// as a symbolic expression.
MaskKind classifyMask(AttentionOp op);

} // namespace coil::graph

#endif // COIL_LIB_DIALECT_GRAPH_TRANSFORMS_ATTENTIONMASK_H
