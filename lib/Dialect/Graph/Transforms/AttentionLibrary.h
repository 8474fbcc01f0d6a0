//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which attention a library computes as a whole.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DIALECT_GRAPH_TRANSFORMS_ATTENTIONLIBRARY_H
#define COIL_LIB_DIALECT_GRAPH_TRANSFORMS_ATTENTIONLIBRARY_H

#include "coil/Dialect/Graph/IR/Graph.h"
#include "coil/Dialect/Graph/IR/TypeInference.h"

#include <optional>

namespace coil::graph {

/// A finite score of at most this number absorbs what is added to it: a score
/// that a model can reach is far below its last digit. The lowest finite
/// numbers of `f32` and `bf16`, which models use, are below, also where they
/// are divided by the root of a width; that of `f16` is one that scores can
/// reach.
constexpr double kHidden = -1e36;

/// What the choice of a library depends on.
struct AttentionShape {
  mlir::Type type;
  Sizes query, key, value;
  /// Null without a mask.
  mlir::Type maskType;
  Sizes mask;
  /// Of a bool mask.
  std::optional<double> fill;
  bool hasSoftcap = false;

  static AttentionShape of(AttentionOp op);
};

/// Empty where cuDNN has a kernel that computes this without storing the
/// scores; else why not, as the end of a sentence.
std::string explainNotCudnn(const AttentionShape &shape);

} // namespace coil::graph

#endif // COIL_LIB_DIALECT_GRAPH_TRANSFORMS_ATTENTIONLIBRARY_H
