//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls that are bound to their memory: one CUDA graph that reads its inputs
// where they are and writes its outputs where they were, however often it is
// launched. Nothing is looked at between launches. What the call does on other
// GPUs is part of the graph: their streams fork from the one that is recorded
// and join it by the events that order them anyway.
//
//===----------------------------------------------------------------------===//

#include "BoundCall.h"

using namespace coil::rt;
using namespace coil::rt::cuda;

/// How often a call is recorded: what a first attempt finds missing (constants,
/// handles of libraries) is there for the next.
static constexpr int maxAttempts = 3;

BoundCall::~BoundCall() {
  ContextGuard guard(device);
  if (ran)
    device.driver.eventSynchronize(done);
  if (exec)
    device.driver.graphExecDestroy(exec);
  if (graph)
    device.driver.graphDestroy(graph);
  if (done)
    device.driver.eventDestroy(done);
  groups.endRecordings();
  words.reset();
  dropRun();
}

void BoundCall::dropRun() {
  coil_run_destroy(run);
  run = nullptr;
  if (pool)
    device.allocator.destroyPool(pool);
  pool = nullptr;
  for (auto [peer, peerPool] : peerPools)
    peer->allocator.destroyPool(peerPool);
  peerPools.clear();
}

int32_t BoundCall::record(coil_cuda_program &program, coil_entry_point function,
                          const coil_tensor *inputs, int32_t numInputs,
                          coil_tensor *outputs) {
  std::string reason;
  for (int attempt = 0; attempt < maxAttempts; ++attempt) {
    dropRun();
    if (int32_t status = coil_run_create(&run))
      return status;
    run->cuda = new RunState(run, device);
    RunState &state = *run->cuda;
    state.source = source;
    pool = device.allocator.createPool(source);
    state.program = &program;
    if (!device.takeStream(state.stream))
      return fail(COIL_INTERNAL, "cannot create a stream on CUDA device %d",
                  device.index);
    state.ownsStream = true;
    state.pool = pool;
    // All memory of the call stays, outputs included, and no pointer is ever
    // changed: it does not matter which leads where.
    const std::set<int64_t> none;
    Recording recording(pool, pool, none, nullptr, 0);
    recording.holdsProgram = false;
    recording.peerPools = &peerPools;
    int32_t status = COIL_OK;
    bool captured =
        capture(state, recording, function, inputs, outputs, graph, status);
    if (recording.words)
      words = std::make_shared<WordsOwner>(device, recording.words);
    if (captured) {
      launches = std::move(recording.launches);
      kept = std::move(recording.kept);
      groups = recording.collectives.takeGroups();
      return COIL_OK;
    }
    reason = status ? coil_last_error() : "";
    words.reset();
    if (graph)
      device.driver.graphDestroy(graph);
    graph = nullptr;
    // The program's own failure, such as a size that it does not take.
    if (status == COIL_ASSERTION_FAILED || status == COIL_INVALID_ARGUMENT ||
        status == COIL_OUT_OF_MEMORY)
      return status;
  }
  return fail(
      COIL_UNSUPPORTED,
      "the call cannot be bound to its memory: it is not one CUDA graph "
      "(it reads elements on the host, or calls a function that cannot "
      "be recorded)%s%s",
      reason.empty() ? "" : ": ", reason.c_str());
}

int32_t BoundCall::bind(RunState &state, coil_cuda_program &program,
                        coil_entry_point function, const coil_tensor *inputs,
                        int32_t numInputs, coil_tensor *outputs,
                        int32_t numOutputs) {
  std::vector<coil_tensor> recorded(outputs, outputs + numOutputs);
  source = state.source;
  if (int32_t status =
          record(program, function, inputs, numInputs, recorded.data()))
    return status;
  if (int32_t status =
          device.check(device.driver.graphInstantiate(&exec, graph, 0),
                       "cannot make a graph of %zu kernels on CUDA device %d",
                       launches.size(), device.index))
    return status;
  if (int32_t status = device.check(
          device.driver.eventCreate(&done, CU_EVENT_DISABLE_TIMING),
          "cannot create an event on CUDA device %d", device.index))
    return status;
  for (int32_t i = 0; i < numOutputs; ++i) {
    const coil_tensor &t = recorded[size_t(i)];
    if (int32_t status =
            coil_rt_set_output(state.run, outputs + i, t.data, t.dtype, t.rank,
                               t.sizes, t.strides))
      return status;
    outputs[i].device_type = t.device_type;
    outputs[i].device_index = t.device_index;
  }
  return COIL_OK;
}

int32_t BoundCall::launch(RunState &state) {
  ContextGuard guard(device);
  Range range("coil bound call");
  if (const char *name = groups.findReplaced())
    return fail(COIL_UNAVAILABLE,
                "the call was bound with another process group '%s' than is "
                "registered for cuda now, if there is one: bind it again",
                name);
  if (int32_t status = groups.beginReplay())
    return status;
  if (int32_t status =
          device.check(device.driver.graphLaunch(exec, state.stream),
                       "cannot launch a graph of %zu kernels on CUDA device %d",
                       launches.size(), device.index))
    return status;
  if (int32_t status = device.check(
          device.driver.eventRecord(done, state.stream),
          "cannot record an event on CUDA device %d", device.index))
    return status;
  ran = true;
  noteReplay(state, launches, words, run->stats);
  return groups.endReplay(state.stream);
}

extern "C" {

int32_t coil_cuda_program_bind(coil_cuda_program *program, coil_run *run,
                               coil_entry_point function,
                               const coil_tensor *inputs, int32_t num_inputs,
                               coil_tensor *outputs, int32_t num_outputs) {
  return prepared(run, [&](RunState *state) -> int32_t {
    ContextGuard guard(state->device);
    auto bound = std::make_shared<BoundCall>(state->device);
    if (int32_t status = bound->bind(*state, *program, function, inputs,
                                     num_inputs, outputs, num_outputs))
      return status;
    state->bound = std::move(bound);
    return COIL_OK;
  });
}

int32_t coil_run_launch_bound(coil_run *run) {
  return guarded([&]() -> int32_t {
    RunState *state = getState(run);
    if (!state)
      return COIL_INVALID_ARGUMENT;
    if (!state->bound)
      return fail(COIL_INVALID_ARGUMENT, "the run is not bound to its memory");
    return state->bound->launch(*state);
  });
}

} // extern "C"
