//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attention that is spelled as products and a softmax, found by what it
// computes.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DIALECT_GRAPH_TRANSFORMS_ATTENTIONMATCH_H
#define COIL_LIB_DIALECT_GRAPH_TRANSFORMS_ATTENTIONMATCH_H

#include "Axes.h"

#include <string>

namespace coil::graph {

/// A tensor and where its dimensions are among those of the computation.
struct PlacedValue {
  mlir::Value value;
  AxisLayout layout;
};

/// What happens to scores between the first product and the softmax.
struct MaskStep {
  enum Kind {
    /// `scores + factor * operand`
    Add,
    /// `select(operand, scores, fill)`, or the other way if not `keepsTrue`.
    Hide,
  };
  Kind kind = Add;
  PlacedValue operand;
  double factor = 1;
  bool keepsTrue = true;
  double fill = 0;
  /// The type in which the program computes it.
  mlir::Type type;
};

/// What a product with a tensor does to the rows of query or key.
struct RowFactor {
  PlacedValue operand;
  bool divides = false;
};

/// One attention of a program. Rows of scores are axes of the query, columns
/// are axes of the key, and batches are all others that scores have.
struct AttentionMatch {
  explicit AttentionMatch(mlir::MLIRContext *context) : axes(context) {}

  Axes axes;
  /// Its value is replaced.
  PlacedValue result;
  PlacedValue query, key, value;
  llvm::SmallVector<unsigned> batch, rows, columns, width, valueWidth;
  double scale = 1;
  std::optional<double> softcap;
  /// From the product outwards.
  llvm::SmallVector<MaskStep> masks;
  llvm::SmallVector<RowFactor> queryFactors, keyFactors;
  /// Whether a row of minus infinities gives NaN, as softmax does.
  bool nanRows = true;
  bool tf32 = false;
  mlir::Type type;
};

/// Why an exponential is not one of attention. `isNear` where it stands between
/// two products, so that somebody may want to know.
struct AttentionMiss {
  std::string why;
  bool isNear = false;
};

/// The attention whose softmax has the exponential `op` (`graph.exp` or
/// `graph.exp2`), or nothing and the reason.
std::optional<AttentionMatch> matchAttention(mlir::Operation *op,
                                             AttentionMiss &miss);

} // namespace coil::graph

#endif // COIL_LIB_DIALECT_GRAPH_TRANSFORMS_ATTENTIONMATCH_H
