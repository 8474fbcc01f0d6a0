//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums that a device can compute while it still looks for the maximum that they
// depend on.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_LOOP_ANALYSIS_ONLINESUM_H
#define COIL_DIALECT_LOOP_ANALYSIS_ONLINESUM_H

#include "coil/Dialect/Loop/IR/Loop.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <optional>

namespace coil::loop {

/// What the exponents of an online softmax have in place of an infinite
/// maximum.
enum class InfiniteMax { Itself, ZeroForMinus, Zero };

/// The sum of `exp(x - base)`, whose base is the maximum of `x` over the same
/// dimensions, or zero where that is infinite.
struct OnlineSum {
  ReduceOp max;
  mlir::Value base;
  mlir::arith::SubFOp difference;
  mlir::math::ExpOp exp;
  InfiniteMax infinite;
};

/// Recognises the sum of an online softmax. While elements come, the sum so far
/// times `exp(old maximum - new maximum)` is the sum for the new maximum: one
/// loop over the elements gives both, where the sum alone would wait for the
/// maximum; and sums of parts can be added. The result is rounded differently,
/// not more coarsely.
std::optional<OnlineSum> matchOnlineSum(ReduceOp sum);

/// The maximum of such a sum; null if `sum` is none.
ReduceOp getOnlineMax(ReduceOp sum);

/// Why the reductions of a kernel cannot be those of chunks that another kernel
/// combines; nothing if they can: each needs no other reduction, unless it is
/// such a sum of which nothing else needs a part, and nothing that varies
/// over reduced dimensions needs one.
llvm::StringRef findChunkObstacle(KernelOp kernel);

/// The stores whose places vary over dimensions that the kernel reduces.
llvm::SmallVector<StoreOp> getStoresOfRows(KernelOp kernel);

} // namespace coil::loop

#endif // COIL_DIALECT_LOOP_ANALYSIS_ONLINESUM_H
