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

#include "GraphPath.h"

#include <algorithm>
#include <utility>

using namespace coil::rt;
using namespace coil::rt::cuda;

PathScope::PathScope(RunState &state) : state(state) { state.path = &path; }

/// Lets others use the tree of a path.
static void endPath(RunState &state, GraphPath &path) {
  GraphTree &tree = *path.tree;
  Device &device = tree.device;
  ContextGuard guard(device);
  // Who uses the tree on another stream waits for this.
  if (!tree.done &&
      device.driver.eventCreate(&tree.done, CU_EVENT_DISABLE_TIMING))
    tree.done = nullptr;
  if (tree.done && !device.driver.eventRecord(tree.done, state.stream)) {
    tree.ran = true;
    tree.stream = state.stream;
  } else {
    device.driver.streamSynchronize(state.stream);
    tree.ran = false;
  }
  path.forest->giveBack(tree);
}

PathScope::~PathScope() {
  forEachState(state, [](RunState &each) {
    if (GraphPath *path = std::exchange(each.path, nullptr); path && path->tree)
      endPath(each, *path);
  });
}

GraphPath *coil::rt::cuda::getPath(RunState &state) {
  GraphPath *first = state.main->path;
  if (first && !state.path) {
    first->others.push_back(std::make_unique<GraphPath>());
    state.path = first->others.back().get();
  }
  return state.path;
}

bool coil::rt::cuda::holds(const LiveMemory &memory, CUdeviceptr address) {
  return memory.address <= address &&
         address <
             memory.address + CUdeviceptr(std::max<int64_t>(memory.bytes, 1));
}

const LiveMemory *coil::rt::cuda::findLive(const GraphPath &path,
                                           CUdeviceptr address) {
  for (const LiveMemory &memory : path.live)
    if (holds(memory, address))
      return &memory;
  return nullptr;
}

void coil::rt::cuda::eraseLive(std::vector<LiveMemory> &live,
                               CUdeviceptr address) {
  live.erase(std::remove_if(live.begin(), live.end(),
                            [&](const LiveMemory &memory) {
                              return holds(memory, address);
                            }),
             live.end());
}

bool coil::rt::cuda::endInPath(RunState &state, CUdeviceptr address) {
  bool ended = false;
  forEachState(state, [&](RunState &each) {
    if (ended || !each.path || !findLive(*each.path, address))
      return;
    eraseLive(each.path->live, address);
    ended = true;
  });
  return ended;
}

int32_t coil::rt::cuda::beginPath(RunState &state) {
  GraphPath &path = *state.path;
  if (path.tree || path.isPlain)
    return COIL_OK;
  path.forest = &getForest(*state.program);
  path.tree = path.forest->getLimit()
                  ? path.forest->take(state.device, state.source)
                  : nullptr;
  if (!path.tree) {
    path.isPlain = true;
    return COIL_OK;
  }
  GraphTree &tree = *path.tree;
  ContextGuard guard(state.device);
  if (tree.ran && tree.stream != state.stream)
    if (int32_t status = state.device.check(
            state.device.driver.streamWaitEvent(state.stream, tree.done, 0),
            "cannot order streams on CUDA device %d", state.device.index)) {
      path.forest->giveBack(tree);
      path.tree = nullptr;
      path.isPlain = true;
      return status;
    }
  return COIL_OK;
}
