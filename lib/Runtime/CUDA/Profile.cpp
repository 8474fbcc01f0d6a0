//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times of single steps, how launches follow one another, and ranges for
// NVIDIA's tools.
//
//===----------------------------------------------------------------------===//

#include "RunState.h"

#include <cstdlib>
#include <dlfcn.h>

using namespace coil::rt;
using namespace coil::rt::cuda;

static bool isSet(const char *variable) {
  const char *value = getenv(variable);
  return value && *value && *value != '0';
}

//===----------------------------------------------------------------------===//
// Blocking
//===----------------------------------------------------------------------===//

static std::atomic<bool> &blocking() {
  static std::atomic<bool> value(isSet("COIL_CUDA_BLOCKING"));
  return value;
}

bool coil::rt::cuda::isBlocking() {
  return blocking().load(std::memory_order_relaxed);
}

//===----------------------------------------------------------------------===//
// Overlap
//===----------------------------------------------------------------------===//

static std::atomic<bool> &overlap() {
  static std::atomic<bool> value([] {
    const char *text = getenv("COIL_CUDA_OVERLAP");
    return !text || *text != '0';
  }());
  return value;
}

bool coil::rt::cuda::mayOverlap() {
  return overlap().load(std::memory_order_relaxed);
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

namespace {
struct Ranges {
  std::atomic<bool> enabled{false};
  std::mutex mutex;
  int (*push)(const char *) = nullptr;
  int (*pop)() = nullptr;

  Ranges() {
    if (isSet("COIL_NVTX"))
      enabled = load();
  }
  bool load() {
    std::lock_guard<std::mutex> lock(mutex);
    if (push)
      return true;
    void *library = dlopen("libnvToolsExt.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
      return false;
    pop = reinterpret_cast<int (*)()>(dlsym(library, "nvtxRangePop"));
    push = reinterpret_cast<int (*)(const char *)>(
        dlsym(library, "nvtxRangePushA"));
    return push && pop;
  }
};
} // namespace

static Ranges &ranges() {
  static Ranges *instance = new Ranges;
  return *instance;
}

bool coil::rt::cuda::hasRanges() {
  return ranges().enabled.load(std::memory_order_relaxed);
}

void coil::rt::cuda::pushRange(const char *name) { ranges().push(name); }

void coil::rt::cuda::popRange() { ranges().pop(); }

void coil::rt::pushCudaRange(const char *name) {
  if (cuda::hasRanges())
    cuda::pushRange(name);
}

void coil::rt::popCudaRange() {
  if (cuda::hasRanges())
    cuda::popRange();
}

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

StepTimer::StepTimer(RunState &state, const coil_cuda_kernel *kernel,
                     const char *name)
    : state(state), range(name) {
  if (!state.timing || state.recording)
    return;
  begin(kernel, name, state.run->nextCost);
  // Whoever traces reads it at the step's end.
  if (!state.run->trace)
    state.run->nextCost = kUnknownCost;
}

StepTimer::StepTimer(RunState &state, const char *name, coil_cost cost)
    : state(state), range(name) {
  if (state.timing && !state.recording)
    begin(nullptr, name, cost);
}

void StepTimer::begin(const coil_cuda_kernel *kernel, const char *name,
                      coil_cost cost) {
  const Driver &driver = state.device.driver;
  TimedStep step = {kernel, name, cost, nullptr, nullptr};
  if (driver.eventCreate(&step.begin, CU_EVENT_DEFAULT))
    return;
  if (driver.eventCreate(&step.end, CU_EVENT_DEFAULT)) {
    driver.eventDestroy(step.begin);
    return;
  }
  driver.eventRecord(step.begin, state.stream);
  index = state.steps.size();
  state.steps.push_back(step);
}

StepTimer::~StepTimer() {
  if (index != SIZE_MAX)
    state.device.driver.eventRecord(state.steps[index].end, state.stream);
}

/// Waits for one device, and tells the times of its steps.
static int32_t reportSteps(RunState &state,
                           void (*fn)(void *user, const coil_cuda_step *step),
                           void *user) {
  if (int32_t status = state.synchronize())
    return status;
  Device &device = state.device;
  ContextGuard guard(device);
  for (const TimedStep &timed : state.steps) {
    float milliseconds = 0;
    if (int32_t status =
            device.check(device.driver.eventElapsedTime(&milliseconds,
                                                        timed.begin, timed.end),
                         "cannot read the time of '%s'", timed.name))
      return status;
    coil_cuda_step step = {timed.kernel, timed.name,
                           double(milliseconds) * 1000, timed.cost};
    fn(user, &step);
  }
  return COIL_OK;
}

extern "C" {

void coil_cuda_set_blocking(int32_t enable) { blocking() = enable != 0; }

void coil_cuda_set_overlap(int32_t enable) { overlap() = enable != 0; }

int32_t coil_cuda_set_nvtx(int32_t enable) {
  Ranges &state = ranges();
  if (enable && !state.load())
    return fail(COIL_UNAVAILABLE, "libnvToolsExt.so.1 cannot be loaded");
  state.enabled = enable != 0;
  return COIL_OK;
}

int32_t coil_run_set_timing(coil_run *run, int32_t enable) {
  RunState *state = getState(run);
  if (!state)
    return COIL_INVALID_ARGUMENT;
  state->timing = enable != 0;
  return COIL_OK;
}

int32_t coil_run_get_timing(coil_run *run,
                            void (*fn)(void *user, const coil_cuda_step *step),
                            void *user) {
  return guarded([&]() -> int32_t {
    RunState *state = getState(run);
    if (!state)
      return COIL_INVALID_ARGUMENT;
    int32_t status = COIL_OK;
    forEachState(*state, [&](RunState &each) {
      if (!status && (&each == each.main || each.pool))
        status = reportSteps(each, fn, user);
    });
    return status;
  });
}

} // extern "C"
