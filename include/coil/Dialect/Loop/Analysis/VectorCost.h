//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What operations of a kernel cost on a core, in instructions of a vector, and
// what a launch costs on a GPU.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_LOOP_ANALYSIS_VECTORCOST_H
#define COIL_DIALECT_LOOP_ANALYSIS_VECTORCOST_H

#include "mlir/IR/Operation.h"

namespace coil::loop {

/// Seconds of a launch in a chain of small kernels on an H200
/// (benchmarks/results/gpu-design.md).
inline constexpr double kLaunchSeconds = 1.2e-6;

/// Ops that cost much more than an addition.
bool isHeavy(mlir::Operation &op);

/// Instructions of a vector, where those of an addition are one: the time of 16
/// elements of `f32` on a Zen 4 with AVX-512 (benchmarks/results/random-cpu.md,
/// "Functions on CPUs"). Constants, positions and stores count nothing.
int64_t getVectorInstructions(mlir::Operation &op);

/// Instructions of a thread on a GPU, where those of an addition are one: after
/// what kernels of single functions have in PTX for each element of `bf16`
/// (benchmarks/results/random.md, "Functions on GPUs"). A special function unit
/// counts as eight: a multiprocessor has 16 of these and 128 lanes. Constants,
/// positions and stores count nothing.
int64_t getThreadInstructions(mlir::Operation &op);

} // namespace coil::loop

#endif // COIL_DIALECT_LOOP_ANALYSIS_VECTORCOST_H
