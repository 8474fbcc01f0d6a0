//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs on several GPUs. A run has a state for each device, one of which
// works; what a program does on another device stands between two calls that
// select it and take that back. Streams of different devices are ordered by
// events: where the run comes to a device for the first time, around each copy
// between two devices, and at the end.
//
//===----------------------------------------------------------------------===//

#include "../Transfer.h"
#include "Graph.h"
#include "RunState.h"
#include "coil/Runtime/CUDA.h"

using namespace coil::rt;
using namespace coil::rt::cuda;

int32_t coil::rt::cuda::orderPeers(RunState &first, RunState &later) {
  const Driver &driver = first.device.driver;
  CUevent event = nullptr;
  {
    // The null stream is that of the current context.
    ContextGuard guard(first.device);
    if (int32_t status = takeEvent(first, event))
      return status;
    first.freeEvents.push_back(event);
    if (int32_t status = first.device.check(
            driver.eventRecord(event, first.stream),
            "cannot record an event on CUDA device %d", first.device.index))
      return status;
  }
  ContextGuard guard(later.device);
  return later.device.check(driver.streamWaitEvent(later.stream, event, 0),
                            "cannot order CUDA device %d after device %d",
                            later.device.index, first.device.index);
}

int32_t coil::rt::cuda::joinPeers(RunState &state) {
  int32_t first = COIL_OK;
  for (const std::unique_ptr<RunState> &peer : state.main->peers) {
    int32_t status = peer->pool ? orderPeers(*peer, *state.main) : COIL_OK;
    if (!status)
      continue;
    ContextGuard guard(peer->device);
    (void)peer->device.driver.streamSynchronize(peer->stream);
    first = first ? first : status;
  }
  return first;
}

/// Finds the stream that a run works on on another device than its own: the
/// caller's; where the caller brought one for the run's own device only, the
/// one that everybody knows; else one of the run.
static int32_t findStream(const RunState &main, RunState &peer) {
  if (Recording *recording = main.recording) {
    // Its own stream becomes part of the recording where it waits for it.
    if (!peer.device.takeStream(peer.stream))
      return fail(COIL_INTERNAL, "cannot create a stream on CUDA device %d",
                  peer.device.index);
    peer.ownsStream = true;
    peer.pool = peer.device.allocator.createPool(peer.source);
    recording->peerPools->push_back({&peer.device, peer.pool});
    peer.recording = recording;
    return COIL_OK;
  }
  for (auto [index, stream] : main.peerStreams)
    if (index == peer.device.index) {
      peer.stream = stream;
      peer.pool = peer.getPool(stream);
      return COIL_OK;
    }
  if (!main.ownsStream) {
    peer.pool = peer.getPool(nullptr);
    return COIL_OK;
  }
  return peer.prepare();
}

RunState *coil::rt::cuda::getPeer(coil_run *run, int32_t index) {
  RunState *state = getState(run);
  if (!state)
    return nullptr;
  RunState &main = *state->main;
  int number = main.base + index;
  if (number == main.device.index)
    return &main;
  if (main.recording && !main.recording->peerPools) {
    main.recording->refuse();
    fail(COIL_UNSUPPORTED,
         "a graph of CUDA device %d cannot hold work of "
         "another device",
         main.device.index);
    return nullptr;
  }
  RunState *peer = nullptr;
  for (const std::unique_ptr<RunState> &each : main.peers)
    if (each->device.index == number)
      peer = each.get();
  if (!peer) {
    Device *device = Device::get(number);
    if (!device || main.prepare())
      return nullptr;
    auto made = std::make_unique<RunState>(run, *device);
    made->main = &main;
    made->source = main.source;
    made->uses = main.uses;
    made->readers = main.readers;
    main.peers.reserve(main.peers.size() + 1);
    if (device->checkUsable() || findStream(main, *made))
      return nullptr;
    peer = made.get();
    main.peers.push_back(std::move(made));
    // What the caller's stream was given comes first.
    if (orderPeers(main, *peer))
      return nullptr;
  }
  peer->program = main.program;
  peer->timing = main.timing;
  return peer;
}

int32_t coil::rt::selectCudaDevice(coil_run *run, int32_t index) {
  RunState *peer = getPeer(run, index);
  if (!peer)
    return run->cuda ? COIL_INVALID_ARGUMENT : COIL_UNAVAILABLE;
  run->cuda = peer;
  return COIL_OK;
}

extern "C" int32_t coil_run_set_device_stream(coil_run *run, int32_t device,
                                              void *stream) {
  return guarded([&]() -> int32_t {
    RunState *state = getState(run);
    if (!state)
      return COIL_INVALID_ARGUMENT;
    RunState &main = *state->main;
    if (device == main.device.index)
      return coil_run_set_stream(run, stream);
    for (const std::unique_ptr<RunState> &peer : main.peers)
      if (peer->device.index == device)
        return fail(COIL_INVALID_ARGUMENT,
                    "the run already works on another stream of CUDA device %d",
                    device);
    main.peerStreams.push_back({device, static_cast<CUstream>(stream)});
    return COIL_OK;
  });
}
