//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions in the bodies of structured operations.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_CONVERSION_LINALGTOLOOP_COMBINER_H
#define COIL_CONVERSION_LINALGTOLOOP_COMBINER_H

#include "coil/Dialect/Loop/IR/Loop.h"
#include "mlir/IR/Value.h"

namespace coil::bridge {

/// How a body combines its value of an output with the one before.
struct Combiner {
  loop::ReduceKind kind;
  /// What is combined; with `factor` the multiplication of both.
  mlir::Value value, factor;
  /// Sums what it subtracts.
  bool negated = false;
  /// NaN counts as absent.
  bool ignoresNaN = false;
};

/// Matches `yielded` as a combination of `carried`, the value before, with one
/// of the kinds of `loop.reduce`. Nothing where it is another computation.
/// (`mlir::matchReduction` knows neither differences nor fused multiplications,
/// and no sums that are rounded at each step.)
std::optional<Combiner> matchCombiner(mlir::Value yielded,
                                      mlir::BlockArgument carried);

/// Whether an initial value of `init` changes no result of the combiner.
bool isNeutral(const Combiner &combiner, mlir::TypedAttr init);

/// The constant that all elements of a tensor are, where a literal, a fill or a
/// kernel without operands says so; null elsewhere.
mlir::TypedAttr getSplat(mlir::Value tensor);

} // namespace coil::bridge

#endif // COIL_CONVERSION_LINALGTOLOOP_COMBINER_H
