//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a call is in a tree of graphs, and what is alive there.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_CUDA_GRAPHPATH_H
#define COIL_LIB_RUNTIME_CUDA_GRAPHPATH_H

#include "GraphTree.h"

#include <vector>

namespace coil::rt::cuda {

/// The path of a call on the device that works; null where it has none.
GraphPath *getPath(RunState &state);

/// Begins to use the tree of the run's device, if no other call does. Returns
/// `COIL_OK`, or what the driver said.
int32_t beginPath(RunState &state);

/// Whether an address is in some memory.
bool holds(const LiveMemory &memory, CUdeviceptr address);

/// The memory of a path that an address is in, or null.
const LiveMemory *findLive(const GraphPath &path, CUdeviceptr address);

/// Takes the memory that an address is in off those that are alive.
void eraseLive(std::vector<LiveMemory> &live, CUdeviceptr address);

} // namespace coil::rt::cuda

#endif // COIL_LIB_RUNTIME_CUDA_GRAPHPATH_H
