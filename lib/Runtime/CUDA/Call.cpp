//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls of host functions on GPUs: their stream, and graphs.
//
//===----------------------------------------------------------------------===//

#include "../Call.h"
#include "Graph.h"
#include "RunState.h"

using namespace coil::rt;
using namespace coil::rt::cuda;

/// The function keeps addresses where nobody can patch them.
static void pin(Recording &recording, const coil_argument &argument) {
  if (argument.kind == COIL_ARGUMENT_TENSOR && argument.value.tensor->data)
    recording.pin(toDevice(argument.value.tensor->data));
  if (argument.kind == COIL_ARGUMENT_LIST)
    for (int64_t i = 0; i < argument.count; ++i)
      pin(recording, argument.value.elements[i]);
}

static void pin(Recording &recording, const coil_tensor *tensors,
                int32_t count) {
  for (int32_t i = 0; i < count; ++i)
    if (tensors[i].data)
      recording.pin(toDevice(tensors[i].data));
}

int32_t coil::rt::refuseInGraph(coil_run *run, const char *name) {
  if (!run->cuda || !run->cuda->recording)
    return COIL_OK;
  run->cuda->recording->refuse();
  return fail(COIL_UNSUPPORTED, "the function '%s' cannot be part of a graph",
              name);
}

int32_t coil::rt::callOnCuda(coil_call &call,
                             int32_t (*body)(coil_call &call)) {
  RunState *state = getState(call.run);
  if (!state)
    return COIL_INVALID_ARGUMENT;
  if (int32_t status = state->prepare())
    return status;
  call.stream = state->stream;
  call.deviceIndex = state->device.index;
  if (Recording *recording = state->recording) {
    if (!(call.function->flags & COIL_FUNCTION_CAPTURABLE)) {
      recording->refuse();
      return fail(COIL_UNSUPPORTED,
                  "the function '%s' cannot be part of a graph",
                  call.site->name);
    }
    for (int32_t i = 0; i < call.numArguments; ++i)
      pin(*recording, call.arguments[i]);
    pin(*recording, call.outputs, call.numOutputs);
  }
  ContextGuard guard(state->device);
  int32_t status = COIL_OK;
  {
    StepTimer timer(*state, nullptr, call.site->name);
    status = body(call);
  }
  if (state->recording && !status)
    pin(*state->recording, call.results, call.numResults);
  return status;
}
