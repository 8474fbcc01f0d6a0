//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel seen as the product of two matrices: which dimensions are rows,
// columns and summed, what the factors are and how their tiles are loaded. It
// serves the choice of schedules and the emitter, which must agree.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_CONVERSION_LOOPTOGPU_CONTRACTIONFORM_H
#define COIL_LIB_CONVERSION_LOOPTOGPU_CONTRACTIONFORM_H

#include "VectorForm.h"

#include <optional>
#include <string>

namespace coil::loop {

/// Bytes that are next to each other in every layout of shared memory, and the
/// widest access.
inline constexpr int64_t kChunkBytes = 16;

/// One factor of a contraction.
struct FactorForm {
  /// What is multiplied, before it is widened to the type of the sum.
  mlir::Value value;
  /// Its type in shared memory.
  mlir::Type element;
  /// The load that decides how tiles are loaded; null if nothing is loaded.
  LoadOp load;
  /// Dimensions that the other factor does not vary over; the innermost is
  /// last.
  llvm::SmallVector<unsigned> dims;
  /// The dimension that threads take `width` consecutive points of, or -1.
  int64_t vectorDim = -1, width = 1;
  /// Whether the summed points are next to each other in shared memory, and not
  /// those of `dims`.
  bool alongK = true;
  /// Whether asynchronous copies bring the tile.
  bool async = false;

  int64_t getBytes() const { return element.getIntOrFloatBitWidth() / 8; }
  /// Elements of a chunk of 16 bytes.
  int64_t getChunk() const { return kChunkBytes / getBytes(); }
};

/// `sum over k of a[batch, m, k] * b[batch, k, n]` and what follows it.
struct ContractionForm {
  ReduceOp reduce;
  /// Dimensions with more than one point; the innermost is last.
  llvm::SmallVector<unsigned> batch, k;
  FactorForm a, b;
  /// How threads take the results: vectors along the innermost of `b.dims`.
  int64_t vectorDim = -1, width = 1;
  /// Whether both factors have 16 bits and the sum is `f32`.
  bool isHalf = false;

  /// `allowAsync`: the chip has asynchronous copies. `widen`: factors have the
  /// type of the sum in shared memory, for the instruction `fma`. `why`, if
  /// given, receives the reason of a refusal.
  static std::optional<ContractionForm> match(KernelOp kernel,
                                              const GPUKernelLayout &layout,
                                              bool allowAsync, bool widen,
                                              std::string *why = nullptr);
};

/// Points of the space of some dimensions.
sym::ExprAttr getNumPoints(KernelOp kernel, llvm::ArrayRef<unsigned> dims);

} // namespace coil::loop

#endif // COIL_LIB_CONVERSION_LOOPTOGPU_CONTRACTIONFORM_H
