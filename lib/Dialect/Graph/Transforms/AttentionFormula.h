//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attention as its definition has it: scores that are in memory, as far as
// nothing fuses them.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DIALECT_GRAPH_TRANSFORMS_ATTENTIONFORMULA_H
#define COIL_LIB_DIALECT_GRAPH_TRANSFORMS_ATTENTIONFORMULA_H

#include "RandomDraws.h"

namespace coil::graph {

/// What attention computes its scores from. The mask is bools or is added, and
/// may be null.
struct AttentionInputs {
  mlir::Value query, key, mask;
  bool isCausal;
  double scale;
};

/// The scores, in `f32` for 16-bit floats; what the mask hides is minus
/// infinity. Products are rounded to the type of `query`.
mlir::Value makeScores(TensorBuilder &b, const AttentionInputs &inputs);
/// A mask whose sizes are those of the scores, or one. Sizes that are equal
/// need not have equal expressions. Null with the call failed where it does not
/// broadcast to them.
mlir::Value fitMask(AtenCall &c, mlir::Value mask, SizesRef scores);
/// The logarithms of the sums of the exponentials of each row, without the last
/// dimension; of a row of which nothing is left, minus infinity.
mlir::Value makeLogSumExp(TensorBuilder &b, mlir::Value scores);

/// Factors of the probabilities under dropout, in `type`: zero, or the inverse
/// of how many are kept. Drawn as the framework's memory-efficient attention
/// does, whose element of batch, head, query and key in row-major order has a
/// word of its own of one stream.
mlir::Value makeDropoutFactors(TensorBuilder &b, const GroupDraw &draw,
                               SizesRef sizes, double dropout, mlir::Type type);

} // namespace coil::graph

#endif // COIL_LIB_DIALECT_GRAPH_TRANSFORMS_ATTENTIONFORMULA_H
