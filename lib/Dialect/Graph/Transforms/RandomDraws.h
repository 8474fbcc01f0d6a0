//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the legalisations of operators that draw random numbers share. Each draw
// moves the generator's state as the framework's CUDA kernel would.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DIALECT_GRAPH_TRANSFORMS_RANDOMDRAWS_H
#define COIL_LIB_DIALECT_GRAPH_TRANSFORMS_RANDOMDRAWS_H

#include "coil/Dialect/Graph/IR/Random.h"
#include "coil/Dialect/Graph/Transforms/LegalizeAten.h"

namespace coil::graph {

/// Blocks of 256 threads that run at once on the GPU whose numbers are drawn:
/// 8 on each of 132 multiprocessors.
inline constexpr int64_t kRandomBlocks = 1056;

/// As many blocks as there are elements to draw.
inline constexpr int64_t kManyBlocks = int64_t(1) << 40;

/// Whether the operator can draw where it is; fails it in the condition of a
/// loop, which could not hand on what it drew.
mlir::LogicalResult checkDraws(AtenCall &c);

/// Words in groups for `vector` neighbours. Takes `groups` of each stream, or
/// as many as the words need.
mlir::Value drawBits(AtenCall &c, SizesRef sizes, sym::ExprAttr vector,
                     int64_t blocks = kRandomBlocks, sym::ExprAttr groups = {});

/// `f32` in (0, 1] made of such words.
mlir::Value drawUniform(AtenCall &c, SizesRef sizes, sym::ExprAttr vector,
                        int64_t blocks = kRandomBlocks,
                        sym::ExprAttr groups = {});

/// Numbers of a distribution.
mlir::Value draw(AtenCall &c, Distribution distribution, SizesRef sizes,
                 mlir::Type elementType);

/// What an operator takes of each stream: groups of four words, from `skip` on.
struct GroupDraw {
  mlir::Value state;
  sym::ExprAttr skip;
};
GroupDraw takeGroups(AtenCall &c, sym::ExprAttr groups);

/// The first group of such a draw, from another state: four words for each
/// element, in one dimension more. Each element has a stream of its own.
mlir::Value drawGroups(TensorBuilder &b, const GroupDraw &draw,
                       mlir::Value state, SizesRef sizes);

/// Takes `count` words of stream 0 from the state.
GroupDraw takeWords(AtenCall &c, sym::ExprAttr count);

/// `f32` in (0, 1] of the words of stream 0: element number `i`, in row-major
/// order, is made of word number `i`.
mlir::Value drawUniformOfStream(TensorBuilder &b, const GroupDraw &draw,
                                SizesRef sizes);

/// Numbers in (0, 1], in the type that the framework computes elements of
/// `type` with.
mlir::Value drawUniformFor(AtenCall &c, SizesRef sizes, mlir::Type type);

/// `f64` for itself, else `f32`.
mlir::Type getDrawnType(mlir::Type elementType);

/// 16 to 64 bits wide.
bool isDrawnFloat(mlir::Type type);

/// uniform, normal and the other distributions, permutations and samples
void populateDistributionLegalizations(AtenLegalizations &table);

/// poisson, binomial and others that are drawn by rejection
void populateRejectionLegalizations(AtenLegalizations &table);

} // namespace coil::graph

#endif // COIL_LIB_DIALECT_GRAPH_TRANSFORMS_RANDOMDRAWS_H
