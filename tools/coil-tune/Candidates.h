//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Other schedules of a kernel, to be measured.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_TOOLS_COIL_TUNE_CANDIDATES_H
#define COIL_TOOLS_COIL_TUNE_CANDIDATES_H

#include "coil/Dialect/Loop/IR/Loop.h"

namespace coil {

/// Neighbours of `schedule` that the verifiers accept for `kernel`: one of its
/// parameters has another value. Those of different parameters alternate. The
/// same for every call.
llvm::SmallVector<loop::ScheduleAttrInterface>
getCandidates(loop::KernelOp kernel, loop::ScheduleAttrInterface schedule);

} // namespace coil

#endif // COIL_TOOLS_COIL_TUNE_CANDIDATES_H
