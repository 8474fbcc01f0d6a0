//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies between the host and a GPU, and from one GPU to another. Memory that a
// driver copies without waiting has to be pinned, and what programs have is
// not. So elements go through pinned stages: a copy to the device is over for
// the host when they are in there, one from the device overlaps the copy out of
// one stage with that into the next.
//
//===----------------------------------------------------------------------===//

#include "../Transfer.h"

#include "../StridedCopy.h"
#include "Graph.h"
#include "Pack.h"
#include "RunState.h"

#include <cinttypes>
#include <cstring>
#include <deque>
#include <mutex>

using namespace coil::rt;
using namespace coil::rt::cuda;

/// Bytes of a stage, and how many a device has at most: 32 MiB are pinned.
static constexpr int64_t kStageBytes = 4 << 20;
static constexpr size_t kMaxStages = 8;

namespace {

struct Stage {
  char *memory = nullptr;
  CUevent event = nullptr;
  bool isPending = false;
};

/// The stages of one device.
class Stages {
public:
  /// One that nothing reads or writes any more; null with the error recorded.
  Stage *take(Device &device) {
    std::unique_lock<std::mutex> lock(mutex);
    Stage *stage = nullptr;
    for (auto it = idle.begin(); it != idle.end() && !stage; ++it)
      if (!(*it)->isPending || !device.driver.eventQuery((*it)->event)) {
        stage = *it;
        idle.erase(it);
      }
    // Those that others hold come back: somebody waits for each.
    if (!stage && (count < kMaxStages || idle.empty())) {
      ++count;
      lock.unlock();
      stage = make(device);
      if (!stage) {
        lock.lock();
        --count;
      }
      return stage;
    }
    if (!stage) {
      stage = idle.front();
      idle.pop_front();
    }
    lock.unlock();
    if (stage->isPending &&
        device.check(device.driver.eventSynchronize(stage->event),
                     "cannot wait for a copy on CUDA device %d",
                     device.index)) {
      give(stage);
      return nullptr;
    }
    stage->isPending = false;
    return stage;
  }

  void give(Stage *stage) {
    std::lock_guard<std::mutex> lock(mutex);
    idle.push_back(stage);
  }

private:
  static Stage *make(Device &device) {
    auto stage = std::make_unique<Stage>();
    void *memory = nullptr;
    if (device.check(device.driver.memHostAlloc(&memory, kStageBytes,
                                                CU_MEMHOSTALLOC_PORTABLE),
                     "cannot pin memory for copies to CUDA device %d",
                     device.index))
      return nullptr;
    stage->memory = static_cast<char *>(memory);
    if (device.check(
            device.driver.eventCreate(&stage->event, CU_EVENT_DISABLE_TIMING),
            "cannot make an event on CUDA device %d", device.index)) {
      device.driver.memFreeHost(memory);
      return nullptr;
    }
    return stage.release();
  }

  std::mutex mutex;
  std::deque<Stage *> idle; ///< Longest first.
  size_t count = 0;
};

/// A stage that goes back with the scope.
class Taken {
public:
  Taken(Stages &stages, Device &device)
      : stages(stages), stage(stages.take(device)) {}
  Taken(const Taken &) = delete;
  Taken &operator=(const Taken &) = delete;
  Taken(Taken &&other) : stages(other.stages), stage(other.stage) {
    other.stage = nullptr;
  }
  ~Taken() {
    if (stage)
      stages.give(stage);
  }
  explicit operator bool() const { return stage; }
  Stage *operator->() const { return stage; }

private:
  Stages &stages;
  Stage *stage;
};

} // namespace

/// Lives as long as the process, as devices do.
static Stages &getStages(const Device &device) {
  static auto *all = new Stages[maxDevices];
  return all[device.index];
}

/// Whether the driver knows host memory, so that it copies without waiting.
static bool isPinned(const Device &device, const void *memory) {
  unsigned type = 0;
  return device.driver.pointerGetAttribute(&type,
                                           CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                           toDevice(memory)) == CUDA_SUCCESS &&
         type == 1; // CU_MEMORYTYPE_HOST
}

/// Says that the stream works with a stage up to here.
static int32_t markPending(RunState &state, Taken &stage) {
  Device &device = state.device;
  stage->isPending = true;
  int32_t status =
      device.check(device.driver.eventRecord(stage->event, state.stream),
                   "cannot record an event on CUDA device %d", device.index);
  if (status) {
    // Nobody knows when the stage is free.
    (void)device.driver.streamSynchronize(state.stream);
    stage->isPending = false;
  }
  return status;
}

static int32_t toGPU(RunState &state, CUdeviceptr to, const char *from,
                     int64_t bytes) {
  Device &device = state.device;
  while (bytes > 0) {
    int64_t part = std::min(bytes, kStageBytes);
    Taken stage(getStages(device), device);
    if (!stage)
      return COIL_OUT_OF_MEMORY;
    memcpy(stage->memory, from, size_t(part));
    if (int32_t status =
            device.check(device.driver.memcpyHtoDAsync(
                             to, stage->memory, size_t(part), state.stream),
                         "cannot copy %" PRId64 " bytes to CUDA device %d",
                         part, device.index))
      return status;
    if (int32_t status = markPending(state, stage))
      return status;
    to += CUdeviceptr(part);
    from += part;
    bytes -= part;
  }
  return COIL_OK;
}

static int32_t toHost(RunState &state, char *to, CUdeviceptr from,
                      int64_t bytes) {
  Device &device = state.device;
  struct Part {
    Taken stage;
    char *to;
    int64_t bytes;
  };
  std::deque<Part> parts;
  auto finish = [&]() -> int32_t {
    Part &part = parts.front();
    // A broken context shows at the first call that touches it.
    if (int32_t status = device.check(
            device.driver.eventSynchronize(part.stage->event),
            "cannot copy %" PRId64 " bytes from CUDA device %d: "
            "%s",
            part.bytes, device.index, state.describeRecent().c_str()))
      return status;
    part.stage->isPending = false;
    memcpy(part.to, part.stage->memory, size_t(part.bytes));
    parts.pop_front();
    return COIL_OK;
  };
  while (bytes > 0) {
    int64_t part = std::min(bytes, kStageBytes);
    Taken stage(getStages(device), device);
    if (!stage)
      return COIL_OUT_OF_MEMORY;
    if (int32_t status = device.check(
            device.driver.memcpyDtoHAsync(stage->memory, from, size_t(part),
                                          state.stream),
            "cannot copy %" PRId64 " bytes from CUDA device %d: %s", part,
            device.index, state.describeRecent().c_str()))
      return status;
    if (int32_t status = markPending(state, stage))
      return status;
    parts.push_back({std::move(stage), to, part});
    if (parts.size() == 2)
      if (int32_t status = finish())
        return status;
    to += part;
    from += CUdeviceptr(part);
    bytes -= part;
  }
  while (!parts.empty())
    if (int32_t status = finish())
      return status;
  // Says of kernels before what they found, like every wait.
  return state.synchronize();
}

/// The bytes from the first to behind the last element of a tensor, and where
/// its own begin in them.
static std::pair<int64_t, int64_t> getSpan(const coil_tensor &tensor) {
  int64_t first = 0, last = 0, size = coil_dtype_size(tensor.dtype);
  for (int32_t d = 0; d < tensor.rank; ++d) {
    int64_t distance = (tensor.sizes[d] - 1) * tensor.strides[d];
    (distance < 0 ? first : last) += distance;
  }
  return {(last - first + 1) * size, -first * size};
}

int32_t coil::rt::transferCuda(coil_run *run, const coil_tensor *to,
                               const coil_tensor *from, int32_t nonBlocking) {
  const coil_tensor &onDevice = to->device_type == COIL_CUDA ? *to : *from;
  RunState *state = getPeer(run, onDevice.device_index);
  if (!state)
    return COIL_INVALID_ARGUMENT;
  if (int32_t status = state->prepare())
    return status;
  if (state->recording) {
    state->recording->refuse();
    return fail(COIL_UNSUPPORTED,
                "a copy between devices cannot be part of a graph");
  }
  Device &device = state->device;
  ContextGuard guard(device);
  int64_t bytes = countBytes(*to), element = coil_dtype_size(to->dtype);
  StepTimer timer(*state, "transfer", {2 * bytes, 0, 0});
  auto *source = static_cast<const char *>(from->data);
  if (to->device_type == COIL_CUDA) {
    CUdeviceptr target = toDevice(to->data);
    if (!isContiguous(*from)) {
      std::vector<char> dense(static_cast<size_t>(bytes));
      copyStrided(element, from->rank, from->sizes, source, from->strides,
                  dense.data(), to->strides);
      return toGPU(*state, target, dense.data(), bytes);
    }
    if (nonBlocking && isPinned(device, source))
      return device.check(device.driver.memcpyHtoDAsync(
                              target, source, size_t(bytes), state->stream),
                          "cannot copy %" PRId64 " bytes to CUDA device %d",
                          bytes, device.index);
    return toGPU(*state, target, source, bytes);
  }
  if (isContiguous(*from))
    return toHost(*state, static_cast<char *>(to->data), toDevice(source),
                  bytes);
  auto [length, begin] = getSpan(*from);
  std::vector<char> span(static_cast<size_t>(length));
  if (int32_t status =
          toHost(*state, span.data(), toDevice(source - begin), length))
    return status;
  copyStrided(element, from->rank, from->sizes, span.data() + begin,
              from->strides, to->data, to->strides);
  return COIL_OK;
}

/// The elements of a tensor in as few dimensions as they have.
static int32_t getShape(const coil_tensor &tensor, PackShape &shape) {
  for (int32_t d = 0; d < tensor.rank; ++d) {
    int64_t size = tensor.sizes[d], stride = tensor.strides[d];
    if (size == 1)
      continue;
    if (shape.rank > 0 && shape.strides[shape.rank - 1] == size * stride) {
      shape.sizes[shape.rank - 1] *= size;
      shape.strides[shape.rank - 1] = stride;
      continue;
    }
    if (shape.rank == PackShape::maxRank)
      return fail(COIL_UNSUPPORTED,
                  "a copy between GPUs takes elements at strides along at most "
                  "%d dimensions",
                  PackShape::maxRank);
    shape.add(size, stride);
  }
  return COIL_OK;
}

int32_t coil::rt::copyStridedCuda(coil_run *run, const coil_tensor *from,
                                  void *to, const int64_t *strides) {
  RunState *state = getPeer(run, from->device_index);
  if (!state)
    return COIL_INVALID_ARGUMENT;
  if (int32_t status = state->prepare())
    return status;
  PackShape shape;
  int64_t targetStrides[PackShape::maxRank];
  for (int32_t d = 0; d < from->rank; ++d) {
    int64_t size = from->sizes[d], stride = from->strides[d];
    if (size == 1)
      continue;
    int last = shape.rank - 1;
    if (last >= 0 && shape.strides[last] == size * stride &&
        targetStrides[last] == size * strides[d]) {
      shape.sizes[last] *= size;
      shape.strides[last] = stride;
      targetStrides[last] = strides[d];
      continue;
    }
    if (shape.rank == PackShape::maxRank)
      return fail(COIL_UNSUPPORTED,
                  "an input on a GPU can be copied to the expected strides "
                  "along at most %d dimensions",
                  PackShape::maxRank);
    targetStrides[shape.rank] = strides[d];
    shape.add(size, stride);
  }
  ContextGuard guard(state->device);
  return copyStrided(*state, to, targetStrides, from->data,
                     coil_dtype_size(from->dtype), shape);
}

int32_t coil::rt::transferPeers(coil_run *run, const coil_tensor *to,
                                const coil_tensor *from) {
  RunState *source = getPeer(run, from->device_index);
  RunState *target = source ? getPeer(run, to->device_index) : nullptr;
  if (!target)
    return COIL_INVALID_ARGUMENT;
  for (RunState *state : {source, target})
    if (int32_t status = state->prepare())
      return status;
  int64_t bytes = countBytes(*to);
  CUdeviceptr data = toDevice(from->data);
  // What is not row by row becomes so where it is.
  DeviceBlock *packed = nullptr;
  if (!isContiguous(*from)) {
    PackShape shape;
    if (int32_t status = getShape(*from, shape))
      return status;
    ContextGuard guard(source->device);
    if (int32_t status = source->allocate(bytes, packed))
      return status;
    data = packed->address;
    if (int32_t status = pack(*source, toPointer(data), from->data,
                              coil_dtype_size(from->dtype), shape)) {
      source->free(packed);
      return status;
    }
  }
  // The stream of the source copies: what is freed there is free behind it.
  int32_t status = orderPeers(*target, *source);
  if (!status) {
    Device &device = source->device;
    ContextGuard guard(device);
    StepTimer timer(*source, "transfer", {2 * bytes, 0, 0});
    // Not cuMemcpyPeerAsync, which cannot be recorded: addresses say which
    // devices they belong to.
    status = device.check(
        device.driver.memcpyDtoDAsync(toDevice(to->data), data, size_t(bytes),
                                      source->stream),
        "cannot copy %" PRId64 " bytes from CUDA device %d to device %d: %s",
        bytes, device.index, target->device.index,
        source->describeRecent().c_str());
  }
  if (!status)
    status = orderPeers(*source, *target);
  if (packed)
    source->free(packed);
  return status;
}
