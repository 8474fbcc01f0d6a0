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

namespace coil::loop {

/// Returns the maximum `m` over `x` when `sum` is that of `exp(x - m)` over the
/// same dimensions; else null. While elements come, the sum so far times
/// `exp(old maximum - new maximum)` is the sum for the new maximum: one loop
/// over the elements gives both, where the sum alone would wait for the
/// maximum. The result is rounded differently, not more coarsely.
ReduceOp getOnlineMax(ReduceOp sum);

} // namespace coil::loop

#endif // COIL_DIALECT_LOOP_ANALYSIS_ONLINESUM_H
