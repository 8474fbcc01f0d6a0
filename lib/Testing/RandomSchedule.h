//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Schedules drawn at random. A schedule changes the speed of a kernel, never
// its results: whatever the verifiers and the lowering accept has to compute
// the same.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_TESTING_RANDOMSCHEDULE_H
#define COIL_LIB_TESTING_RANDOMSCHEDULE_H

#include "mlir/IR/BuiltinOps.h"

namespace coil::testing {

/// Gives the kernels of a host program other schedules, for a CPU or a GPU, of
/// which every attribute by itself is legal. Whether a schedule goes with its
/// kernel is for the lowering to say. Equal seeds give equal schedules. Returns
/// how many kernels have another schedule.
unsigned drawSchedules(mlir::ModuleOp program, uint64_t seed);

} // namespace coil::testing

#endif // COIL_LIB_TESTING_RANDOMSCHEDULE_H
