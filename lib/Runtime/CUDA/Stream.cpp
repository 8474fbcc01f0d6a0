//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Side streams of a run, and events that order them.
//
// The memory of a program is that of its main stream: it is allocated and freed
// in that order, and events of the program let a side stream use it in between.
// What a library needs for itself while it works on a side stream is memory of
// that stream.
//
//===----------------------------------------------------------------------===//

#include "../Collectives.h"
#include "Graph.h"
#include "RunState.h"
#include "coil/Runtime/CUDA.h"

#include <algorithm>
#include <cinttypes>

using namespace coil::rt;
using namespace coil::rt::cuda;

/// How many streams a program can have beside the caller's.
static constexpr int64_t maxSideStreams = 31;

int32_t coil::rt::cuda::takeEvent(RunState &state, CUevent &event) {
  if (!state.freeEvents.empty()) {
    event = state.freeEvents.back();
    state.freeEvents.pop_back();
    return COIL_OK;
  }
  state.freeEvents.reserve(state.freeEvents.size() + 1);
  return state.device.check(
      state.device.driver.eventCreate(&event, CU_EVENT_DISABLE_TIMING),
      "cannot create an event on CUDA device %d", state.device.index);
}

/// Lets `later` wait for what `first` was given.
static int32_t order(RunState &state, CUstream first, CUstream later) {
  CUevent event = nullptr;
  if (int32_t status = takeEvent(state, event))
    return status;
  const Driver &driver = state.device.driver;
  CUresult result = driver.eventRecord(event, first);
  if (!result)
    result = driver.streamWaitEvent(later, event, 0);
  state.freeEvents.push_back(event);
  return state.device.check(result, "cannot order streams on CUDA device %d",
                            state.device.index);
}

/// Makes the main stream the current one.
static void leave(RunState &state) {
  if (!state.isOnSide)
    return;
  state.isOnSide = false;
  state.stream = state.mainStream;
  state.pool = state.mainPool;
}

void coil::rt::cuda::endStreams(RunState &state) {
  leave(state);
  // A program that failed may not have come to its events.
  for (CUstream side : state.sideStreams)
    if (side) {
      if (order(state, side, state.stream))
        state.device.driver.streamSynchronize(side);
      state.device.returnStream(side);
    }
  state.sideStreams.clear();
  for (CUevent event : state.freeEvents)
    state.device.driver.eventDestroy(event);
  for (CUevent event : state.usedEvents)
    state.device.driver.eventDestroy(event);
  state.freeEvents.clear();
  state.usedEvents.clear();
}

int32_t coil::rt::copyOnCudaStream(void *to, const void *from, int64_t bytes,
                                   void *stream) {
  const Driver *driver = Driver::get();
  if (!driver)
    return COIL_UNAVAILABLE;
  if (bytes <= 0)
    return COIL_OK;
  if (CUresult result =
          driver->memcpyDtoDAsync(toDevice(to), toDevice(from), size_t(bytes),
                                  static_cast<CUstream>(stream)))
    return fail(COIL_INTERNAL, "cannot copy %" PRId64 " bytes: %s", bytes,
                driver->describe(result).c_str());
  return COIL_OK;
}

/// The state of a run that can work, in whose context `body` runs.
template <typename Body>
static int32_t withState(coil_run *run, Body &&body) {
  return prepared(run, [&](RunState *state) -> int32_t {
    ContextGuard guard(state->device);
    return body(*state);
  });
}

extern "C" {

int32_t coil_rt_enter_stream_cuda(coil_run *run, int32_t number) {
  return withState(run, [&](RunState &state) -> int32_t {
    if (number < 1 || number > maxSideStreams || state.isOnSide)
      return fail(COIL_INVALID_ARGUMENT, "cannot go over to stream %d", number);
    if (state.sideStreams.size() <= size_t(number))
      state.sideStreams.resize(size_t(number) + 1);
    CUstream &side = state.sideStreams[size_t(number)];
    if (!side && !state.device.takeStream(side))
      return COIL_INTERNAL;
    // What is captured on one stream is a graph that others join by an event.
    if (state.recording || state.isRecordedElsewhere())
      if (int32_t status = order(state, state.stream, side))
        return status;
    state.isOnSide = true;
    state.mainStream = state.stream;
    state.mainPool = state.pool;
    state.stream = side;
    state.pool = state.getPool(side);
    return COIL_OK;
  });
}

int32_t coil_rt_leave_stream_cuda(coil_run *run) {
  if (RunState *state = run->cuda)
    leave(*state);
  return COIL_OK;
}

int32_t coil_rt_record_event_cuda(coil_run *run, void **out) {
  *out = nullptr;
  return withState(run, [&](RunState &state) -> int32_t {
    CUevent event = nullptr;
    state.usedEvents.reserve(state.usedEvents.size() + 1);
    if (int32_t status = takeEvent(state, event))
      return status;
    state.usedEvents.push_back(event);
    *out = event;
    return state.device.check(
        state.device.driver.eventRecord(event, state.stream),
        "cannot record an event on CUDA device %d", state.device.index);
  });
}

int32_t coil_rt_wait_event_cuda(coil_run *run, void *pointer) {
  return withState(run, [&](RunState &state) -> int32_t {
    auto *event = static_cast<CUevent>(pointer);
    auto found =
        std::find(state.usedEvents.begin(), state.usedEvents.end(), event);
    if (found == state.usedEvents.end())
      return fail(COIL_INVALID_ARGUMENT, "the event was waited for before");
    // The stream keeps what the event stands for now, so it can be used again.
    state.freeEvents.reserve(state.freeEvents.size() + 1);
    state.usedEvents.erase(found);
    state.freeEvents.push_back(event);
    return state.device.check(
        state.device.driver.streamWaitEvent(state.stream, event, 0),
        "cannot wait for an event on CUDA device %d", state.device.index);
  });
}

} // extern "C"
