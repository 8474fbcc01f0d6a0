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

#include <deque>
#include <vector>

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

namespace {

/// Programs count GPUs from that of their run, functions by the driver's
/// numbers: a call of a run on another GPU than the first has copies of what
/// the program passes, as long as it takes.
class DriverNumbers {
public:
  DriverNumbers(coil_call &call, int32_t first)
      : call(call), arguments(call.arguments), outputs(call.outputs),
        first(first) {
    if (first == 0)
      return;
    call.arguments = copy(call.arguments, call.numArguments);
    for (int32_t i = 0; i < call.numOutputs; ++i)
      places.push_back(number(call.outputs[i]));
    call.outputs = places.data();
  }
  ~DriverNumbers() {
    call.arguments = arguments;
    call.outputs = outputs;
  }
  DriverNumbers(const DriverNumbers &) = delete;
  DriverNumbers &operator=(const DriverNumbers &) = delete;

private:
  coil_tensor number(coil_tensor tensor) const {
    if (tensor.device_type == COIL_CUDA)
      tensor.device_index += first;
    return tensor;
  }
  const coil_argument *copy(const coil_argument *list, int64_t count) {
    std::vector<coil_argument> &copies = lists.emplace_back(list, list + count);
    for (coil_argument &each : copies) {
      if (each.kind == COIL_ARGUMENT_TENSOR) {
        tensors.push_back(number(*each.value.tensor));
        each.value.tensor = &tensors.back();
      } else if (each.kind == COIL_ARGUMENT_LIST) {
        each.value.elements = copy(each.value.elements, each.count);
      }
    }
    return copies.data();
  }

  coil_call &call;
  const coil_argument *arguments;
  const coil_tensor *outputs;
  int32_t first;
  std::vector<coil_tensor> places;
  // What is in them stays where it is.
  std::deque<coil_tensor> tensors;
  std::deque<std::vector<coil_argument>> lists;
};

} // namespace

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
    call.recorded = &recording->collectives;
  }
  ContextGuard guard(state->device);
  int32_t status = COIL_OK;
  {
    DriverNumbers numbers(call, state->main->base);
    StepTimer timer(*state, nullptr, call.site->name);
    status = body(call);
  }
  if (state->recording && !status)
    pin(*state->recording, call.results, call.numResults);
  return status;
}
