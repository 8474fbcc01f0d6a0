//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How much memory a function needs, as far as its operators tell, before
// anything is fused: for rewrites that need memory of their own and must not
// raise the peak.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DIALECT_GRAPH_TRANSFORMS_LIVEBYTES_H
#define COIL_LIB_DIALECT_GRAPH_TRANSFORMS_LIVEBYTES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace coil::graph {

/// The bytes of a tensor; nothing where its size is no constant.
std::optional<int64_t> getBytes(mlir::Value v);

/// Whether the results of an op are in memory whatever reads them, because no
/// kernel can compute them on the way.
bool isStored(mlir::Operation *op);

/// Bounds of the memory that a function has at a time. Arguments and constants
/// do not count: they are the caller's.
class LiveBytes {
public:
  /// `libraries`, names separated by commas, compute what they can.
  /// `releaseInputs`: arguments end behind their last use.
  LiveBytes(mlir::func::FuncOp func, llvm::StringRef libraries,
            bool releaseInputs)
      : func(func), libraries(libraries), releaseInputs(releaseInputs) {}

  /// No fewer bytes than there are while `op` runs: `read`, its results, and
  /// what is computed before it and read behind it. Nothing where that is
  /// unknown: sizes are no constants, there are several devices, or `op` is in
  /// a region.
  ///
  /// Fusion moves computations. What is read behind `op` may be computed there,
  /// so what it is computed from counts, too, and so it does of `read`. What
  /// needs nothing but values from in front of `op` may be computed there, and
  /// what is computed from the results by the kernel that makes these.
  std::optional<int64_t> getMost(mlir::Operation *op, mlir::ValueRange read);

  /// Whether a value that kernels compute is there for `op` alone: nothing that
  /// needs much memory can run between its computation, as early as fusion may
  /// place that, and `op`.
  static bool isMadeBeside(mlir::Value v, mlir::Operation *op);

  /// No more bytes than there are at the function's peak, which is not
  /// at `op`, whatever the order.
  ///
  /// It is that of a contraction, a convolution, an attention, or the end. What
  /// is surely in memory counts: what these read and give and what is returned,
  /// if they need it and something that needs them reads it. What
  /// is computed elementwise from a value that nothing else reads may take its
  /// place, as an epilogue does: the narrowest of them counts. What may be
  /// part of something larger, and what depends on weights alone, does not
  /// count.
  int64_t getLeastPeak(mlir::Operation *op);

private:
  bool isLibraryCall(mlir::Operation *op) const;

  mlir::func::FuncOp func;
  llvm::StringRef libraries;
  bool releaseInputs;
};

} // namespace coil::graph

#endif // COIL_LIB_DIALECT_GRAPH_TRANSFORMS_LIVEBYTES_H
