//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A schedule strategy: decides for kernels that it knows, and leaves the
// others.
//
//===----------------------------------------------------------------------===//

#include "Accel.h"

#include "coil/Dialect/Loop/Transforms/ScheduleStrategy.h"

using namespace mlir;
namespace loop = coil::loop;

/// Kernels of one dimension that are no reductions: vectors of 8 elements along
/// it, in blocks that the device's 2 KiB of memory for a task hold.
static loop::ScheduleAttrInterface schedulePointwise(loop::KernelOp kernel,
                                                     llvm::StringRef device) {
  if ((device != "cpu" && device != "accel") ||
      kernel.getDims().getDims().size() != 1 ||
      !kernel.getReducedDims().empty())
    return {};
  return loop::ScheduleAttr::get(kernel.getContext(), /*library=*/nullptr,
                                 /*vectorDim=*/0, /*vectorWidth=*/8,
                                 /*unroll=*/1, /*block=*/512, /*grain=*/1,
                                 /*rows=*/0, /*keep=*/nullptr,
                                 /*stream=*/nullptr, /*transposeDim=*/-1,
                                 /*transposeBlock=*/1);
}

void accel::registerSchedules() {
  loop::registerScheduleStrategy("accel-pointwise", schedulePointwise);
}
