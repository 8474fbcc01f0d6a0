//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a run has around the program: inputs that are handed over, hooks, the
// generator of random numbers, ranges.
//
//===----------------------------------------------------------------------===//

#include "coil/Runtime/RunContext.h"

#include "Call.h"

#include "coil/Runtime/CUDA.h"

#include <cinttypes>
#include <cstdio>
#include <mutex>

using namespace coil::rt;

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

extern "C" {

int32_t coil_run_set_input_release(coil_run *run, int32_t input,
                                   void (*release)(void *user), void *user) {
  return guarded([&]() -> int32_t {
    if (input < 0 || !release)
      return fail(COIL_INVALID_ARGUMENT,
                  "donating input %d needs a function that releases it", input);
    if (!run->handed.try_emplace(input, coil_run::Handed{release, user}).second)
      return fail(COIL_INVALID_ARGUMENT, "input %d is donated twice", input);
    return COIL_OK;
  });
}

int32_t coil_rt_drop_input(coil_run *run, int32_t input) {
  auto found = run->handed.find(input);
  if (found == run->handed.end())
    return COIL_OK;
  coil_run::Handed handed = found->second;
  run->handed.erase(found);
  handed.release(handed.user);
  return COIL_OK;
}

void coil_run_release_inputs(coil_run *run) {
  while (!run->handed.empty())
    (void)coil_rt_drop_input(run, run->handed.begin()->first);
}

extern "C" {

int32_t coil_run_set_input_storage(coil_run *run,
                                   const coil_input_storage *storage) {
  run->storage = {};
  if (!storage)
    return COIL_OK;
  if (storage->struct_size < sizeof(coil_input_storage) || !storage->resize ||
      !storage->set)
    return fail(COIL_INVALID_ARGUMENT,
                "storage of inputs needs its size and two functions");
  run->storage = *storage;
  return COIL_OK;
}

int32_t coil_rt_resize_input(coil_run *run, int32_t input, const char *name,
                             int64_t bytes, void **data) {
  if (!run->storage.resize)
    return fail(COIL_UNSUPPORTED,
                "the storage of input '%s' cannot be resized: it is the "
                "caller's, who has not said how (coil_run_set_input_storage)",
                name);
  return run->storage.resize(run->storage.user, input, bytes, data);
}

int32_t coil_rt_set_input(coil_run *run, int32_t input, const char *name,
                          int32_t source) {
  if (!run->storage.set)
    return fail(COIL_UNSUPPORTED,
                "input '%s' cannot be given other storage: it is the "
                "caller's, who has not said how (coil_run_set_input_storage)",
                name);
  return run->storage.set(run->storage.user, input, source);
}

} // extern "C"

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

int32_t coil_rt_begin_range(coil_run *run, const char *name) {
  return guarded([&]() -> int32_t {
    run->ranges.emplace_back(name, run->trace ? nowNs() : 0);
    pushCudaRange(name);
    return COIL_OK;
  });
}

int32_t coil_rt_end_range(coil_run *run) {
  if (run->ranges.empty())
    return fail(COIL_INTERNAL, "a range ends that has not begun");
  auto [name, begin] = std::move(run->ranges.back());
  run->ranges.pop_back();
  popCudaRange();
  if (run->trace) {
    coil_trace_event event = {
        COIL_TRACE_RANGE,      COIL_OK, name.c_str(), nullptr,     0,
        run->stats.live_bytes, begin,   nowNs(),      kUnknownCost};
    run->trace(run->traceUser, &event);
  }
  return COIL_OK;
}

} // extern "C"

void coil::rt::endContext(coil_run *run) {
  run->trace = nullptr;
  while (!run->ranges.empty())
    (void)coil_rt_end_range(run);
  coil_run_release_inputs(run);
}

//===----------------------------------------------------------------------===//
// Generators
//===----------------------------------------------------------------------===//

namespace {
/// The generator of the process.
struct ProcessGenerator {
  std::mutex mutex;
  uint64_t seed = 0, offset = 0;
};
} // namespace

static ProcessGenerator &getProcessGenerator() {
  static ProcessGenerator *generator = new ProcessGenerator;
  return *generator;
}

extern "C" {

void coil_get_random_state(uint64_t *seed, uint64_t *offset) {
  ProcessGenerator &generator = getProcessGenerator();
  std::lock_guard<std::mutex> lock(generator.mutex);
  *seed = generator.seed;
  *offset = generator.offset;
}

int32_t coil_set_random_state(uint64_t seed, uint64_t offset) {
  if (offset % 4 != 0)
    return fail(COIL_INVALID_ARGUMENT,
                "the offset %" PRIu64 " is not a multiple of 4", offset);
  ProcessGenerator &generator = getProcessGenerator();
  std::lock_guard<std::mutex> lock(generator.mutex);
  generator.seed = seed;
  generator.offset = offset;
  return COIL_OK;
}

int32_t coil_run_set_generator(coil_run *run, const coil_generator *generator) {
  if (!generator) {
    run->generator = {};
    return COIL_OK;
  }
  if (generator->struct_size < sizeof(coil_generator) || !generator->get ||
      !generator->set)
    return fail(COIL_INVALID_ARGUMENT,
                "a generator needs its size and two functions");
  run->generator = *generator;
  return COIL_OK;
}

} // extern "C"

static int32_t getState(coil_run *run, uint64_t &seed, uint64_t &offset) {
  if (run->generator.get)
    return run->generator.get(run->generator.user, &seed, &offset);
  coil_get_random_state(&seed, &offset);
  return COIL_OK;
}

static int32_t setState(coil_run *run, uint64_t seed, uint64_t offset) {
  if (offset % 4 != 0)
    return fail(COIL_INVALID_ARGUMENT,
                "the offset %" PRIu64 " is not a multiple of 4", offset);
  return run->generator.set
             ? run->generator.set(run->generator.user, seed, offset)
             : coil_set_random_state(seed, offset);
}

static int32_t rngState(coil_call *call, void *) {
  coil_run *run = coil_call_get_run(call);
  uint64_t seed = 0, offset = 0;
  if (int32_t status = getState(run, seed, offset))
    return status;
  int64_t size = 2;
  const coil_tensor *state = nullptr;
  if (int32_t status = coil_call_result(call, 0, COIL_I64, 1, &size, &state))
    return status;
  std::array<int64_t, 2> numbers = {int64_t(seed), int64_t(offset)};
  if (coil_call_device_type(call) == COIL_CPU) {
    auto *to = static_cast<int64_t *>(state->data);
    to[0] = numbers[0];
    to[1] = numbers[1];
    return COIL_OK;
  }
  // What is copied has to stay; a run reads few states at a time.
  run->states.push_back(numbers);
  return coil_rt_upload_cuda(run, state->data, run->states.back().data(),
                             int64_t(sizeof(numbers)));
}

static int32_t rngSeed(coil_call *call, void *) {
  const int64_t *seed = coil_call_int(call, 0);
  return seed ? setState(coil_call_get_run(call), uint64_t(*seed), 0)
              : int32_t(COIL_INVALID_ARGUMENT);
}

static int32_t rngAdvance(coil_call *call, void *) {
  const int64_t *by = coil_call_int(call, 0);
  if (!by)
    return COIL_INVALID_ARGUMENT;
  if (*by < 0)
    return coil_call_fail(call, "a generator does not move back");
  coil_run *run = coil_call_get_run(call);
  uint64_t seed = 0, offset = 0;
  if (int32_t status = getState(run, seed, offset))
    return status;
  return setState(run, seed, offset + uint64_t(*by));
}

/// Takes over the offset of a state that the program has moved.
static int32_t rngAdvanceTo(coil_call *call, void *) {
  const coil_tensor *state = coil_call_tensor(call, 0);
  if (!state)
    return COIL_INVALID_ARGUMENT;
  coil_run *run = coil_call_get_run(call);
  int64_t numbers[2] = {0, 0};
  if (coil_call_device_type(call) == COIL_CPU) {
    numbers[1] = static_cast<const int64_t *>(state->data)[1];
  } else {
    int32_t status =
        coil_rt_download_cuda(run, numbers, state->data, sizeof(numbers));
    if (!status)
      status = coil_run_synchronize(run);
    if (status)
      return status;
  }
  uint64_t seed = 0, offset = 0;
  if (int32_t status = getState(run, seed, offset))
    return status;
  return setState(run, seed, uint64_t(numbers[1]));
}

//===----------------------------------------------------------------------===//
// Hooks and checks
//===----------------------------------------------------------------------===//

extern "C" void coil_run_set_hook(coil_run *run, coil_hook_fn fn, void *user) {
  run->hook = fn;
  run->hookUser = user;
}

/// What a plan of memory leaves to libraries; nothing is known of it if
/// negative.
static int32_t limitWorkspace(coil_call *call, void *) {
  const int64_t *bytes = coil_call_int(call, 0);
  if (!bytes)
    return COIL_INVALID_ARGUMENT;
  coil_call_get_run(call)->workspaceLimit = *bytes;
  return COIL_OK;
}

static int32_t hook(coil_call *call, void *) {
  coil_run *run = coil_call_get_run(call);
  if (!run->hook)
    return COIL_OK;
  coil_hook_value value = {sizeof(coil_hook_value),   0,
                           coil_call_string(call, 1), coil_call_string(call, 2),
                           call->site->where,         coil_call_tensor(call, 0),
                           coil_call_stream(call)};
  return run->hook(run->hookUser, &value);
}

static int32_t assertAligned(coil_call *call, void *) {
  const coil_tensor *tensor = coil_call_tensor(call, 0);
  const int64_t *alignment = coil_call_int(call, 1);
  const char *name = coil_call_string(call, 2);
  if (!tensor || !alignment || !name)
    return COIL_INVALID_ARGUMENT;
  if (reinterpret_cast<uintptr_t>(tensor->data) % uintptr_t(*alignment) == 0)
    return COIL_OK;
  return coil_call_fail(call, ("buffer '" + std::string(name) +
                               "' does not begin at a multiple of " +
                               std::to_string(*alignment) + " bytes")
                                  .c_str());
}

/// Prints a number under a label, as coil_rt_debug_value prints tensors.
static int32_t debugNumber(coil_call *call, void *) {
  const char *label = coil_call_string(call, 0);
  const coil_argument *value = coil_call_argument(call, 1);
  if (!label || !value)
    return COIL_INVALID_ARGUMENT;
  std::string text = std::string("coil: ") + label + ": ";
  char number[64] = "";
  if (value->kind == COIL_ARGUMENT_INT)
    text += std::to_string(value->value.integer);
  else if (value->kind == COIL_ARGUMENT_BOOL)
    text += value->value.integer ? "true" : "false";
  else if (value->kind == COIL_ARGUMENT_FLOAT)
    std::snprintf(number, sizeof(number), "%.6g", value->value.number);
  else
    return coil_call_fail(call, "expected a number");
  text += number;
  text += '\n';
  std::fwrite(text.data(), 1, text.size(), stderr);
  return COIL_OK;
}

void coil::rt::registerContextFunctions() {
  struct Function {
    const char *name;
    coil_function_pointer call;
    /// What works on the generator is of the host, but for what has a buffer.
    bool isForDevices;
    uint32_t flags;
  };
  for (const Function &each : {
           Function{"coil::rng_state", rngState, true, 0},
           Function{"coil::rng_seed", rngSeed, false, 0},
           Function{"coil::rng_advance", rngAdvance, false, 0},
           Function{"coil::rng_advance_to", rngAdvanceTo, true, 0},
           Function{"coil::limit_workspace", limitWorkspace, false, 0},
           Function{"coil::hook", hook, true, 0},
           Function{"coil::debug_number", debugNumber, false, 0},
           Function{"coil::assert_aligned", assertAligned, true, 0},
       })
    for (int32_t device : {COIL_CPU, COIL_CUDA}) {
      if (device == COIL_CUDA && !each.isForDevices)
        continue;
      coil_function function = {sizeof(coil_function),
                                each.flags,
                                each.name,
                                device,
                                0,
                                each.call,
                                nullptr};
      (void)coil_register_function(&function);
    }
}
