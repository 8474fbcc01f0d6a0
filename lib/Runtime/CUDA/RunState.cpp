//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs on a GPU: memory, copies, synchronisation.
//
//===----------------------------------------------------------------------===//

#include "RunState.h"

#include "../Collectives.h"
#include "Graph.h"
#include "GraphTree.h"
#include "Readers.h"
#include "coil/Runtime/HostABI.h"

#include <cinttypes>
#include <cstdlib>
#include <utility>

using namespace coil::rt;
using namespace coil::rt::cuda;

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

RunState *coil::rt::cuda::getState(coil_run *run) {
  if (run->cuda)
    return run->cuda;
  fail(COIL_INVALID_ARGUMENT, "the run is not bound to a CUDA device");
  return nullptr;
}

int32_t RunState::acquireStream() {
  if (!ownsStream && !stream) {
    if (!device.takeStream(stream))
      return COIL_INTERNAL;
    ownsStream = true;
  }
  pool = getPool(stream);
  return COIL_OK;
}

bool RunState::asksIfCaptured() {
  if (hasAsked && askedStream == stream)
    return isCaptured;
  ContextGuard guard(device, inContext); // The null stream is that of it.
  int status = 0;
  bool captured =
      device.driver.streamIsCapturing(stream, &status) == CUDA_SUCCESS &&
      status == 1; // CU_STREAM_CAPTURE_STATUS_ACTIVE
  hasAsked = inContext;
  askedStream = stream;
  isCaptured = captured;
  return captured;
}

CallScope::CallScope(RunState &state) : state(state), guard(state.device) {
  // These are functions of the caller's, whenever they are called.
  const coil_run &run = *state.run;
  state.inContext = guard.isCurrent() && !run.trace && !run.hook &&
                    !run.storage.resize && run.handed.empty();
  // What the caller records may forbid the thread calls that have to do with
  // other streams, such as those that load kernels.
  const Driver &driver = state.device.driver;
  int relaxed = CU_STREAM_CAPTURE_MODE_RELAXED;
  if (state.pool && driver.threadExchangeStreamCaptureMode &&
      state.isRecordedElsewhere() &&
      !driver.threadExchangeStreamCaptureMode(&relaxed))
    captureMode = relaxed;
}

CallScope::~CallScope() {
  if (captureMode != -1)
    state.device.driver.threadExchangeStreamCaptureMode(&captureMode);
  state.forgetContext();
}

void coil::rt::forgetCudaContext(coil_run *run) {
  if (run->cuda)
    run->cuda->main->forgetContext();
}

int32_t RunState::allocate(int64_t bytes, DeviceBlock *&block) {
  bool isPredicted = uses && !recording;
  int32_t use =
      isPredicted ? uses->predict(nextAllocation) : COIL_MEMORY_TEMPORARY;
  return allocateFor(use, isPredicted, bytes, block);
}

int32_t RunState::allocateResult(int64_t bytes, DeviceBlock *&block) {
  return allocateFor(COIL_MEMORY_RESULT, false, bytes, block);
}

int32_t RunState::allocateFor(int32_t use, bool isPredicted, int64_t bytes,
                              DeviceBlock *&block) {
  // Graphs know no order between what a side stream frees and others allocate.
  if (recording && isOnSide) {
    recording->refuse();
    return fail(COIL_UNSUPPORTED,
                "memory of a side stream cannot be part of a graph");
  }
  if (isRecordedElsewhere())
    pool->keep = true;
  // Another device than the recording's has a pool of its own in any case.
  bool isKept = readers && source;
  block =
      device.allocator.allocate(recording && main == this ? recording->getPool()
                                : isKept                  ? getKeptPool()
                                                          : pool,
                                stream, bytes, isKept ? COIL_MEMORY_KEPT : use);
  if (!block)
    return bytes < 0 ? COIL_INVALID_ARGUMENT : COIL_OUT_OF_MEMORY;
  if (recording)
    recording->addAllocation(*block);
  else
    block->ordinal = nextAllocation++;
  block->isPredicted = isPredicted;
  adopt(block);
  run->stats.allocated_bytes += bytes;
  ++run->stats.allocations;
  return COIL_OK;
}

void RunState::adopt(DeviceBlock *block) {
  block->run = run;
  block->runPrev = nullptr;
  block->runNext = blocks;
  if (blocks)
    blocks->runPrev = block;
  blocks = block;
  coil_run_stats &stats = run->stats;
  stats.live_bytes += block->requested;
  ++stats.live_allocations;
  if (stats.live_bytes > stats.peak_bytes)
    stats.peak_bytes = stats.live_bytes;
}

/// Takes a block out of the run's list.
static void unlink(RunState &state, DeviceBlock *block) {
  if (block->runPrev)
    block->runPrev->runNext = block->runNext;
  else
    state.blocks = block->runNext;
  if (block->runNext)
    block->runNext->runPrev = block->runPrev;
  block->runPrev = block->runNext = nullptr;
  block->run = nullptr;
  state.run->stats.live_bytes -= block->requested;
  --state.run->stats.live_allocations;
}

void RunState::free(DeviceBlock *block) {
  if (recording)
    recording->removeAllocation(*block);
  if (block->isPredicted && uses)
    uses->learn(block->ordinal, /*isResult=*/false);
  unlink(*this, block);
  device.allocator.release(block);
}

int32_t RunState::copy(CUdeviceptr to, CUdeviceptr from, int64_t bytes) {
  if (recording) {
    recording->pin(to);
    recording->pin(from);
  }
  StepTimer timer(*this, "copy", {2 * bytes, 0, 0});
  return device.check(
      device.driver.memcpyDtoDAsync(to, from, size_t(bytes), stream),
      "cannot copy %" PRId64 " bytes on CUDA device %d", bytes, device.index);
}

std::string RunState::describeRecent() const {
  std::string text;
  uint64_t first = launched > numRecent ? launched - numRecent : 0;
  for (uint64_t i = first; i < launched; ++i) {
    const coil_cuda_kernel *kernel = recent[i % numRecent];
    bool seen = false;
    for (uint64_t j = first; j < i; ++j)
      seen |= recent[j % numRecent] == kernel;
    if (!seen)
      text += (text.empty() ? "" : ", ") + describeKernel(*kernel);
  }
  if (launched == 0)
    return "failure on the device";
  if (launched == 1 || (launched <= numRecent && text.find(", ") == text.npos))
    return "failure in " + text;
  return "failure in one of the last " + std::to_string(launched) +
         " launches, which end with " + text +
         " (COIL_CUDA_BLOCKING=1 tells which)";
}

/// Reports what kernels wrote to the error words.
int32_t RunState::readErrors() {
  for (ErrorWords *source : {words, replayedWords}) {
    if (!source)
      continue;
    int32_t status = 0;
    const coil_cuda_kernel *kernel = source->takeError(status);
    if (source == words && !words->isKept)
      words->kernels.clear();
    if (kernel)
      return failCheck(*kernel, status);
  }
  return device.takeDeferredError();
}

int32_t RunState::synchronize() {
  if (int32_t status = prepare())
    return status;
  ContextGuard guard(device);
  CUresult result = device.driver.streamSynchronize(stream);
  if (result)
    return device.check(result, "%s", describeRecent().c_str());
  launched = 0;
  return readErrors();
}

/// Ends what a run has on one device.
static void destroyState(RunState *state) {
  Device &device = state->device;
  // Most have nothing that is the driver's.
  if (!state->sideStreams.empty() || !state->freeEvents.empty() ||
      !state->usedEvents.empty() || !state->steps.empty()) {
    ContextGuard guard(device);
    endStreams(*state);
    for (TimedStep &step : state->steps) {
      device.driver.eventDestroy(step.begin);
      device.driver.eventDestroy(step.end);
    }
  }
  if (state->readers && state->blocks)
    state->readers->wait();
  if (state->uses)
    for (DeviceBlock *block = state->blocks; block; block = block->runNext)
      if (block->isPredicted)
        state->uses->learn(block->ordinal, /*isResult=*/false);
  // The run has no use for its counters any more.
  device.allocator.releaseAll(std::exchange(state->blocks, nullptr));
  if (state->words)
    device.returnErrorWords(state->words, state->stream);
  if (state->ownsStream)
    device.returnStream(state->stream);
}

void coil::rt::destroyCudaRun(coil_run *run) {
  RunState *main = run->cuda->main;
  run->cuda = main;
  // What failed here shows again at whoever uses the device next.
  (void)joinPeers(*main);
  for (const std::unique_ptr<RunState> &peer : main->peers)
    destroyState(peer.get());
  destroyState(main);
  run->cuda = nullptr;
  delete main;
}

int32_t coil::rt::getCudaDevice(coil_run *run) {
  return run->cuda->device.index;
}

/// The block at an address on one of a run's devices, and the state there.
static DeviceBlock *findDeviceBlock(RunState &state, const void *pointer,
                                    RunState *&owner) {
  DeviceBlock *found = nullptr;
  forEachState(state, [&](RunState &each) {
    if (found)
      return;
    owner = &each;
    found = each.device.allocator.find(toDevice(pointer));
  });
  return found;
}

int32_t coil::rt::takeCudaMemory(coil_run *run, void *pointer) {
  RunState *owner = nullptr;
  DeviceBlock *block = findDeviceBlock(*run->cuda, pointer, owner);
  if (!block)
    return COIL_UNAVAILABLE;
  if (block->run != run)
    return fail(COIL_INVALID_ARGUMENT,
                "pointer %p is not an allocation of this run", pointer);
  if (block->isPredicted && owner->uses)
    owner->uses->learn(block->ordinal, /*isResult=*/true);
  unlink(*owner, block);
  return COIL_OK;
}

int32_t coil::rt::freeCudaMemory(void *pointer) {
  for (int index = 0; index < maxDevices && Driver::getIfLoaded(); ++index) {
    Device *device = Device::getIfUsed(index);
    DeviceBlock *block =
        device ? device->allocator.find(toDevice(pointer)) : nullptr;
    if (!block)
      continue;
    if (block->run)
      return fail(COIL_INVALID_ARGUMENT, "pointer %p is not a taken allocation",
                  pointer);
    device->allocator.release(block);
    return COIL_OK;
  }
  return COIL_UNAVAILABLE;
}

bool coil::rt::ownsCudaMemory(coil_run *run, void *pointer) {
  if (!run->cuda)
    return false;
  RunState *owner = nullptr;
  DeviceBlock *block = findDeviceBlock(*run->cuda, pointer, owner);
  return block && block->run == run;
}

//===----------------------------------------------------------------------===//
// C functions
//===----------------------------------------------------------------------===//

extern "C" {

int32_t coil_run_set_cuda_device(coil_run *run, int32_t index) {
  return guarded([&]() -> int32_t {
    if (run->cuda)
      return fail(COIL_INVALID_ARGUMENT,
                  "the run is already bound to CUDA device %d",
                  run->cuda->main->device.index);
    Device *device = Device::get(index);
    if (!device)
      return Driver::getIfLoaded() ? COIL_INVALID_ARGUMENT : COIL_UNAVAILABLE;
    run->cuda = new RunState(run, *device);
    return device->checkUsable();
  });
}

int32_t coil_run_set_stream(coil_run *run, void *stream) {
  return guarded([&]() -> int32_t {
    RunState *state = getState(run);
    if (!state)
      return COIL_INVALID_ARGUMENT;
    if (state->pool)
      return fail(COIL_INVALID_ARGUMENT,
                  "the run already works on another stream");
    state->stream = static_cast<CUstream>(stream);
    state->pool = state->getPool(state->stream);
    return COIL_OK;
  });
}

int32_t coil_run_take_cuda(coil_run *run, void *pointer) {
  return guarded([&]() -> int32_t {
    return run->cuda ? takeCudaMemory(run, pointer) : COIL_UNAVAILABLE;
  });
}

int32_t coil_run_synchronize(coil_run *run) {
  return guarded([&]() -> int32_t {
    int32_t status = COIL_OK;
    if (run->cuda)
      forEachState(*run->cuda, [&](RunState &state) {
        if (!status && (&state == state.main || state.pool))
          status = state.synchronize();
      });
    return status;
  });
}

int32_t coil_rt_alloc_cuda(coil_run *run, int64_t bytes, void **out) {
  return guarded([&]() -> int32_t {
    TraceStep step(run, COIL_TRACE_ALLOC, nullptr);
    *out = nullptr;
    RunState *state = getState(run);
    if (!state)
      return COIL_INVALID_ARGUMENT;
    if (int32_t status = state->prepare())
      return status;
    DeviceBlock *block = nullptr;
    int32_t status = state->allocate(bytes, block);
    if (block)
      *out = toPointer(block->address);
    return step.finish(status, *out, bytes);
  });
}

int32_t coil_rt_free_cuda(coil_run *run, void *pointer) {
  return guarded([&]() -> int32_t {
    if (!pointer)
      return COIL_OK;
    TraceStep step(run, COIL_TRACE_FREE, nullptr);
    RunState *state = getState(run);
    if (!state)
      return COIL_INVALID_ARGUMENT;
    // Storage of a partition's caller, or what an earlier one has in place.
    if (state->recording && state->recording->endForeign(toDevice(pointer)))
      return step.finish(COIL_OK, pointer, 0);
    if (state->main->path && endInPath(*state, toDevice(pointer)))
      return step.finish(COIL_OK, pointer, 0);
    RunState *owner = nullptr;
    DeviceBlock *block = findDeviceBlock(*state, pointer, owner);
    if (!block || block->run != run)
      return step.finish(fail(COIL_INVALID_ARGUMENT,
                              "pointer %p is not an allocation of this run",
                              pointer),
                         pointer, 0);
    int64_t bytes = block->requested;
    int32_t status =
        state->recording
            ? state->recording->collectives.checkNotInUse(pointer, bytes)
            : checkNotInUse(run, pointer, bytes);
    if (status)
      return step.finish(status, pointer, 0);
    owner->free(block);
    return step.finish(COIL_OK, pointer, bytes);
  });
}

int32_t coil_rt_copy_cuda(coil_run *run, void *to, const void *from,
                          int64_t bytes) {
  return prepared(run, [&](RunState *state) -> int32_t {
    if (bytes <= 0)
      return COIL_OK;
    ContextGuard guard(state->device);
    return state->copy(toDevice(to), toDevice(from), bytes);
  });
}

int32_t coil_rt_fill_cuda(coil_run *run, void *to, int32_t byte,
                          int64_t bytes) {
  return prepared(run, [&](RunState *state) -> int32_t {
    if (bytes <= 0)
      return COIL_OK;
    ContextGuard guard(state->device);
    if (state->recording)
      state->recording->pin(toDevice(to));
    StepTimer timer(*state, "fill", {bytes, 0, 0});
    return state->device.check(
        state->device.driver.memsetD8Async(toDevice(to),
                                           static_cast<unsigned char>(byte),
                                           size_t(bytes), state->stream),
        "cannot fill %" PRId64 " bytes on CUDA device %d", bytes,
        state->device.index);
  });
}

int32_t coil_rt_upload_cuda(coil_run *run, void *to, const void *from,
                            int64_t bytes) {
  return prepared(run, [&](RunState *state) -> int32_t {
    if (bytes <= 0)
      return COIL_OK;
    Device &device = state->device;
    ContextGuard guard(device);
    return device.check(device.driver.memcpyHtoDAsync(
                            toDevice(to), from, size_t(bytes), state->stream),
                        "cannot copy %" PRId64 " bytes to CUDA device %d",
                        bytes, device.index);
  });
}

int32_t coil_rt_download_cuda(coil_run *run, void *to, const void *from,
                              int64_t bytes) {
  return prepared(run, [&](RunState *state) -> int32_t {
    if (bytes <= 0)
      return COIL_OK;
    // A replay would write where nobody looks any more.
    if (state->recording) {
      state->recording->refuse();
      return fail(COIL_UNSUPPORTED,
                  "what the host reads half-way cannot be part of a graph");
    }
    Device &device = state->device;
    ContextGuard guard(device);
    CUresult result = device.driver.memcpyDtoHAsync(
        to, toDevice(from), size_t(bytes), state->stream);
    // A broken context shows at the first call that touches it.
    return device.check(result,
                        "cannot copy %" PRId64 " bytes from CUDA device %d: %s",
                        bytes, device.index, state->describeRecent().c_str());
  });
}

int32_t coil_rt_item_cuda(coil_run *run, const void *data, int32_t dtype,
                          void *out) {
  int64_t bytes = coil_dtype_size(dtype);
  uint64_t element = 0;
  if (bytes < 1 || bytes > int64_t(sizeof(element)))
    return fail(COIL_INVALID_ARGUMENT, "cannot read an element of type %d",
                dtype);
  if (int32_t status = coil_rt_download_cuda(run, &element, data, bytes))
    return status;
  if (int32_t status = coil_run_synchronize(run))
    return status;
  return coil_rt_item(run, &element, dtype, out);
}

int32_t coil_rt_debug_value_cuda(coil_run *run, int32_t action,
                                 const char *label, const void *data,
                                 int32_t dtype, int32_t rank,
                                 const int64_t *sizes, const int64_t *strides) {
  return guarded([&]() -> int32_t {
    int64_t last = 0;
    for (int32_t d = 0; d < rank && last >= 0; ++d) {
      if (strides[d] < 0)
        return fail(COIL_INVALID_ARGUMENT,
                    "cannot show '%s', which has a negative stride", label);
      last = sizes[d] == 0 ? -1 : last + (sizes[d] - 1) * strides[d];
    }
    std::vector<char> copy(
        size_t(std::max<int64_t>(last + 1, 0) * coil_dtype_size(dtype)));
    if (!copy.empty()) {
      if (int32_t status = coil_rt_download_cuda(run, copy.data(), data,
                                                 int64_t(copy.size())))
        return status;
      if (int32_t status = coil_run_synchronize(run))
        return status;
    }
    return coil_rt_debug_value(run, action, label, copy.data(), dtype, rank,
                               sizes, strides);
  });
}

int32_t coil_rt_input_cuda(coil_run *run, const coil_tensor *input,
                           const char *name, int64_t alignment, void **out) {
  return guarded([&]() -> int32_t {
    *out = input->data;
    RunState *state = getState(run);
    if (!state)
      return COIL_INVALID_ARGUMENT;
    if (input->device_index != state->device.index)
      return fail(COIL_INVALID_ARGUMENT,
                  "input '%s' is on CUDA device %d, but the program runs on "
                  "device %d",
                  name, input->device_index, state->device.index);
    if (toDevice(input->data) % static_cast<uint64_t>(alignment) == 0)
      return COIL_OK;
    int64_t last = 0;
    for (int32_t d = 0; d < input->rank; ++d) {
      if (input->sizes[d] == 0)
        return COIL_OK;
      if (input->strides[d] < 0)
        return fail(COIL_INVALID_ARGUMENT,
                    "input '%s' has a negative stride and memory that is not "
                    "aligned to %lld bytes",
                    name, static_cast<long long>(alignment));
      last += (input->sizes[d] - 1) * input->strides[d];
    }
    int64_t bytes = (last + 1) * coil_dtype_size(input->dtype);
    if (int32_t status = coil_rt_alloc_cuda(run, bytes, out))
      return status;
    return coil_rt_copy_cuda(run, *out, input->data, bytes);
  });
}

int32_t coil_rt_enter_device_cuda(coil_run *run) {
  return guarded([&]() -> int32_t {
    RunState *state = getState(run);
    if (!state)
      return COIL_INVALID_ARGUMENT;
    CUcontext current = nullptr;
    Device &device = state->device;
    device.driver.ctxGetCurrent(&current);
    if (state->pushedContext || current == device.context)
      return COIL_OK;
    if (int32_t status =
            device.check(device.driver.ctxPush(device.context),
                         "cannot make CUDA device %d current", device.index))
      return status;
    state->pushedContext = true;
    forgetCudaContext(run);
    return COIL_OK;
  });
}

int32_t coil_rt_leave_device_cuda(coil_run *run) {
  // Keeps the error that made the program stop.
  if (run->cuda)
    forEachState(*run->cuda, [](RunState &state) {
      CUcontext ignored = nullptr;
      if (std::exchange(state.pushedContext, false))
        state.device.driver.ctxPop(&ignored);
    });
  return COIL_OK;
}

int32_t coil_rt_constant_cuda(coil_run *run, const void *data, int64_t bytes,
                              void **out) {
  return prepared(run, [&](RunState *state) -> int32_t {
    if (state->program)
      return getConstant(*state, data, bytes, *out);
    if (int32_t status = coil_rt_alloc_cuda(run, bytes, out))
      return status;
    return coil_rt_upload_cuda(run, *out, data, bytes);
  });
}

} // extern "C"
