//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a call does while it is recorded.
//
//===----------------------------------------------------------------------===//

#include "Graph.h"

#include <cstring>

using namespace coil::rt;
using namespace coil::rt::cuda;

int64_t coil::rt::cuda::getExtent(const coil_tensor &tensor) {
  int64_t last = 0;
  for (int32_t d = 0; d < tensor.rank; ++d) {
    if (tensor.sizes[d] == 0)
      return 0;
    if (tensor.strides[d] > 0)
      last += (tensor.sizes[d] - 1) * tensor.strides[d];
  }
  return (last + 1) * coil_dtype_size(tensor.dtype);
}

Recording::Recording(MemoryPool *pool, MemoryPool *outputPool,
                     const std::set<int64_t> &expected,
                     const coil_tensor *tensors, int32_t numInputs)
    : pool(pool), outputPool(outputPool), expected(expected) {
  for (int32_t i = 0; i < numInputs; ++i) {
    CUdeviceptr address = toDevice(tensors[i].data);
    int64_t bytes = getExtent(tensors[i]);
    if (!bytes)
      continue;
    // Nobody could tell which of two inputs a pointer means.
    auto after = inputs.lower_bound(address);
    if (after != inputs.end() && after->first < address + CUdeviceptr(bytes))
      refused = true;
    if (after != inputs.begin()) {
      auto before = std::prev(after);
      if (before->first + CUdeviceptr(before->second.bytes) > address)
        refused = true;
    }
    inputs[address] = {bytes, {Target::Input, i, 0}};
  }
}

void Recording::addAllocation(DeviceBlock &block) {
  block.ordinal = nextAllocation++;
  allocations[block.address] = {block.size,
                                {Target::Allocation, block.ordinal, 0}};
}

void Recording::removeAllocation(DeviceBlock &block) {
  allocations.erase(block.address);
}

bool Recording::endForeign(CUdeviceptr address) {
  auto found = foreign.find(address);
  if (found == foreign.end() || found->second)
    return false;
  return found->second = true;
}

Target Recording::findIn(const std::map<CUdeviceptr, Extent> &extents,
                         CUdeviceptr address) const {
  auto after = extents.upper_bound(address);
  if (after == extents.begin())
    return {};
  auto found = std::prev(after);
  int64_t offset = int64_t(address - found->first);
  if (offset >= found->second.bytes)
    return {};
  Target target = found->second.target;
  target.offset = offset;
  return target;
}

Target Recording::find(CUdeviceptr address) const {
  Target target = findIn(allocations, address);
  return target.kind == Target::Elsewhere ? findIn(inputs, address) : target;
}

void Recording::pin(CUdeviceptr address) {
  Target target = find(address);
  if (target.kind == Target::Input)
    pinnedInputs.insert(target.number);
  else if (target.kind == Target::Allocation)
    pinnedAllocations.insert(target.number);
}

CUgraphNode coil::rt::cuda::getLastNode(RunState &state) {
  int status = 0;
  const CUgraphNode *last = nullptr;
  size_t count = 0;
  CUresult result = state.device.driver.streamGetCaptureInfo(
      state.stream, &status, nullptr, nullptr, &last, &count);
  return result || count != 1 ? nullptr : *last;
}

bool Recording::endsWithLaunch(RunState &state) const {
  // A wait for another stream makes that one's last launch the last node here.
  return !launches.empty() && lastStream == state.stream &&
         launches.back().node == getLastNode(state);
}

int32_t Recording::addLaunch(RunState &state, const coil_cuda_kernel &kernel,
                             CUfunction function, const int64_t *grid,
                             void *const *params, size_t count) {
  CUgraphNode last = getLastNode(state);
  if (!last) {
    refuse();
    return COIL_OK;
  }
  RecordedLaunch &launch = launches.emplace_back();
  launch.node = last;
  lastStream = state.stream;
  launch.kernel = &kernel;
  launch.params.func = function;
  launch.params.gridDimX = unsigned(grid[0]);
  launch.params.gridDimY = unsigned(grid[1]);
  launch.params.gridDimZ = unsigned(grid[2]);
  launch.params.blockDimX = unsigned(kernel.block[0]);
  launch.params.blockDimY = unsigned(kernel.block[1]);
  launch.params.blockDimZ = unsigned(kernel.block[2]);
  launch.params.sharedMemBytes = unsigned(kernel.dynamic_shared);
  auto add = [&](const void *value, size_t bytes, size_t numPointers) {
    size_t first = launch.arguments.size();
    launch.places.push_back(first);
    launch.arguments.resize(first + (bytes + 7) / 8);
    memcpy(&launch.arguments[first], value, bytes);
    for (size_t i = first; i < first + numPointers; ++i)
      if (Target target = find(launch.arguments[i]);
          target.kind != Target::Elsewhere)
        launch.pointers.push_back({i, target});
  };
  auto buffers = size_t(kernel.num_buffers);
  for (size_t i = 0; i < count; ++i) {
    char letter = kernel.parameters ? kernel.parameters[i] : 0;
    if (i == 0 && kernel.flags & COIL_CUDA_KERNEL_TABLE)
      add(params[i], buffers * 8, buffers);
    else if (letter == 'm') // Nobody can tell it another address.
      add(params[i], sizeof(EncodedTensorMap), 0);
    else if (letter == '4')
      add(params[i], 4, 0);
    else
      add(params[i], 8, letter == 'a' || (!letter && i < buffers));
  }
  return COIL_OK;
}

int32_t coil::rt::cuda::patchLaunches(
    Device &device, std::vector<RecordedLaunch> &launches, Variant &variant,
    const std::vector<CUdeviceptr> &addresses,
    const std::function<size_t(const Target &)> &getSlot) {
  std::vector<void *> params;
  for (RecordedLaunch &launch : launches) {
    bool changed = false;
    for (auto [argument, target] : launch.pointers) {
      size_t slot = getSlot(target);
      if (slot == SIZE_MAX)
        continue;
      launch.arguments[argument] = addresses[slot] + CUdeviceptr(target.offset);
      changed |= variant.addresses.empty() ||
                 variant.addresses[slot] != addresses[slot];
    }
    if (!changed)
      continue;
    params.clear();
    for (size_t place : launch.places)
      params.push_back(&launch.arguments[place]);
    launch.params.kernelParams = params.data();
    if (int32_t status =
            device.check(device.driver.graphExecKernelNodeSetParams(
                             variant.exec, launch.node, &launch.params),
                         "cannot change the arguments of %s in a graph",
                         describeKernel(*launch.kernel).c_str()))
      return status;
  }
  variant.addresses = addresses;
  return COIL_OK;
}

bool coil::rt::cuda::capture(RunState &state, Recording &recording,
                             coil_entry_point entry, const coil_tensor *inputs,
                             coil_tensor *outputs, CUgraph &graph,
                             int32_t &status) {
  Device &device = state.device;
  if (device.driver.streamBeginCapture(state.stream,
                                       CU_STREAM_CAPTURE_MODE_RELAXED))
    return false;
  state.recording = &recording;
  status = entry(state.run, inputs, outputs);
  // What went to streams of other devices comes back before the end. After a
  // failure nothing does, and the reason is to be seen.
  if (!status)
    status = joinPeers(state);
  forEachState(state, [](RunState &each) { each.recording = nullptr; });
  CUresult result = device.driver.streamEndCapture(state.stream, &graph);
  return !result && graph && status == COIL_OK && !recording.isRefused();
}

void coil::rt::cuda::noteReplay(RunState &state,
                                const std::vector<RecordedLaunch> &launches,
                                const std::shared_ptr<WordsOwner> &words,
                                const coil_run_stats &recorded) {
  state.run->stats.launches += recorded.launches;
  state.run->stats.library_calls += recorded.library_calls;
  if (words) {
    state.replayedWords = words->words;
    state.keepAlive = words;
  }
  size_t first = launches.size() > RunState::numRecent
                     ? launches.size() - RunState::numRecent
                     : 0;
  state.launched += first;
  for (size_t i = first; i < launches.size(); ++i)
    state.recent[state.launched++ % RunState::numRecent] = launches[i].kernel;
}
