//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels: loading and launching.
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"
#include "Graph.h"
#include "RunState.h"

#include <cinttypes>
#include <cstring>
#include <map>

using namespace coil::rt;
using namespace coil::rt::cuda;

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

namespace {

/// Images that are loaded, shared by the kernels of one image.
struct Modules {
  struct Entry {
    CUmodule module = nullptr;
    int users = 0;
  };
  std::mutex mutex;
  std::map<std::pair<int, const void *>, Entry> loaded;
};

} // namespace

static Modules &modules() {
  static Modules *instance = new Modules;
  return *instance;
}

static std::atomic<void *> &stateOf(coil_cuda_kernel &kernel) {
  static_assert(sizeof(std::atomic<void *>) == sizeof(void *));
  return reinterpret_cast<std::atomic<void *> &>(kernel.state);
}

/// The first line of the compiler's log that says something.
static std::string firstLine(const char *log) {
  while (*log == '\n' || *log == ' ')
    ++log;
  const char *end = strchr(log, '\n');
  return end ? std::string(log, end) : std::string(log);
}

static int32_t loadModule(Device &device, const coil_cuda_kernel &kernel,
                          const void *code, CUmodule &module) {
  char log[4096] = "";
  int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, toPointer(sizeof(log))};
  CUresult result =
      device.driver.moduleLoadDataEx(&module, code, 2, options, values);
  if (!result)
    return COIL_OK;
  log[sizeof(log) - 1] = 0;
  std::string text = firstLine(log);
  return device.check(
      result, "cannot load %s onto CUDA device %d (sm_%d%d)%s%s",
      describeKernel(kernel).c_str(), device.index, device.major, device.minor,
      text.empty() ? "" : ": ", text.c_str());
}

/// Finds the function. The modules are locked, but not while the driver
/// compiles an image, so that kernels load in parallel.
static int32_t loadFunction(Device &device, const coil_cuda_kernel &kernel,
                            const void *code, LoadedKernel &loaded,
                            std::unique_lock<std::mutex> &lock) {
  if (kernel.dynamic_shared > device.maxSharedBytes)
    return fail(COIL_UNSUPPORTED,
                "%s needs %d bytes of shared memory, but CUDA device %d gives "
                "a block at most %d",
                describeKernel(kernel).c_str(), kernel.dynamic_shared,
                device.index, device.maxSharedBytes);
  ContextGuard guard(device);
  std::pair<int, const void *> key = {device.index, kernel.image};
  if (!modules().loaded.count(key)) {
    CUmodule module = nullptr;
    lock.unlock();
    int32_t status = loadModule(device, kernel, code, module);
    lock.lock();
    if (status)
      return status;
    if (loaded.functions[device.index].load() || modules().loaded.count(key))
      device.driver.moduleUnload(module); // Another thread was faster.
    else
      modules().loaded[key].module = module;
    if (loaded.functions[device.index].load())
      return COIL_OK;
  }
  Modules::Entry &entry = modules().loaded[key];
  ++entry.users;
  const Driver &driver = device.driver;
  CUfunction function = nullptr;
  int32_t status = device.check(
      driver.moduleGetFunction(&function, entry.module, kernel.name),
      "no function for %s", describeKernel(kernel).c_str());
  // More than 48 KiB has to be asked for, together with what is static.
  if (!status && kernel.dynamic_shared > 0)
    status = device.check(
        driver.funcSetAttribute(function,
                                CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                kernel.dynamic_shared),
        "cannot give %s its %d bytes of shared memory",
        describeKernel(kernel).c_str(), kernel.dynamic_shared);
  if (status) {
    if (--entry.users == 0) {
      driver.moduleUnload(entry.module);
      modules().loaded.erase(key);
    }
    return status;
  }
  loaded.functions[device.index].store(function, std::memory_order_release);
  return COIL_OK;
}

/// Loads a kernel from its image, or from other code for the device.
static int32_t loadKernelFrom(Device &device, coil_cuda_kernel &kernel,
                              const void *code, CUfunction &function) {
  std::atomic<void *> &state = stateOf(kernel);
  auto *loaded =
      static_cast<LoadedKernel *>(state.load(std::memory_order_acquire));
  if (loaded) {
    function = loaded->functions[device.index].load(std::memory_order_acquire);
    if (function)
      return COIL_OK;
  }
  std::unique_lock<std::mutex> lock(modules().mutex);
  loaded = static_cast<LoadedKernel *>(state.load());
  if (!loaded) {
    if (kernel.struct_size != sizeof(coil_cuda_kernel))
      return fail(COIL_INVALID_ARGUMENT,
                  "a kernel was compiled for another version of the runtime");
    loaded = new LoadedKernel;
    state.store(loaded, std::memory_order_release);
  }
  function = loaded->functions[device.index].load();
  if (!function) {
    if (int32_t status = loadFunction(device, kernel, code, *loaded, lock))
      return status;
    function = loaded->functions[device.index].load();
  }
  return COIL_OK;
}

int32_t coil::rt::cuda::loadKernel(Device &device, coil_cuda_kernel &kernel,
                                   CUfunction &function) {
  return loadKernelFrom(device, kernel, kernel.image, function);
}

//===----------------------------------------------------------------------===//
// Launch
//===----------------------------------------------------------------------===//

/// The most arguments that are prepared without asking for memory.
static constexpr int inlineArguments = 64;

/// The word that this launch writes when a check fails; null with the error
/// recorded.
static volatile int32_t *takeWord(RunState &state,
                                  const coil_cuda_kernel &kernel) {
  ErrorWords *&words = state.recording ? state.recording->words : state.words;
  // Page-locked memory of one device is there for all.
  Device &device = state.recording ? state.main->device : state.device;
  if (!words && !(words = device.takeErrorWords()))
    return nullptr;
  words->isKept |= state.isRecordedElsewhere();
  if (words->kernels.size() == ErrorWords::capacity && words->isKept) {
    fail(COIL_UNSUPPORTED,
         "more than %d checked launches are part of graphs that the caller "
         "records",
         ErrorWords::capacity);
    return nullptr;
  }
  if (words->kernels.size() == ErrorWords::capacity) {
    // All words are in use: what was launched so far has to end first.
    if (state.recording) {
      state.recording->refuse();
      return words->words;
    }
    if (state.synchronize())
      return nullptr;
  }
  words->kernels.push_back(&kernel);
  return words->words + words->kernels.size() - 1;
}

/// Zeroed memory for what the blocks of a launch tell each other. It is freed
/// as soon as the launch is queued: memory is reused in the order of the
/// stream.
static int32_t takeScratch(RunState &state, const coil_cuda_kernel &kernel,
                           const int64_t *grid, DeviceBlock *&block) {
  int64_t blocks = grid[0] * grid[1] * grid[2];
  if (blocks > INT64_MAX / kernel.block_scratch)
    return fail(COIL_UNSUPPORTED, "%s needs too much scratch memory",
                describeKernel(kernel).c_str());
  int64_t bytes = blocks * kernel.block_scratch;
  ContextGuard guard(state.device, state.inContext);
  if (int32_t status = state.allocate(bytes, block))
    return status;
  CUresult result = state.device.driver.memsetD8Async(
      block->address, 0, size_t(bytes), state.stream);
  if (!result)
    return COIL_OK;
  state.free(block);
  return state.device.check(result, "cannot clear the scratch memory of %s",
                            describeKernel(kernel).c_str());
}

/// Whether what the caller of a recording of its own recorded last is one
/// kernel.
static bool isRecordedBehindKernel(RunState &state) {
  const Driver &driver = state.device.driver;
  if (!driver.graphNodeGetType || driver.version < overlapInGraphsVersion)
    return false;
  ContextGuard guard(state.device, state.inContext);
  CUgraphNode last = getLastNode(state);
  int type = -1;
  return last && !driver.graphNodeGetType(last, &type) &&
         type == CU_GRAPH_NODE_TYPE_KERNEL;
}

/// Whether a kernel is launched while what is before it still runs. In a graph
/// only another kernel can be: elsewhere the driver sees to that.
static bool overlapsLast(RunState &state, const coil_cuda_kernel &kernel) {
  if (!(kernel.flags & COIL_CUDA_KERNEL_OVERLAPS) || !mayOverlap() ||
      state.timing || isBlocking())
    return false;
  if (state.recording)
    return state.device.driver.version >= overlapInGraphsVersion &&
           state.recording->endsWithLaunch(state);
  return !state.isRecordedElsewhere() || isRecordedBehindKernel(state);
}

static CUresult launchFunction(RunState &state, const coil_cuda_kernel &kernel,
                               CUfunction function, const int64_t *grid,
                               void **params) {
  const Driver &driver = state.device.driver;
  if (!overlapsLast(state, kernel))
    return driver.launchKernel(
        function, unsigned(grid[0]), unsigned(grid[1]), unsigned(grid[2]),
        unsigned(kernel.block[0]), unsigned(kernel.block[1]),
        unsigned(kernel.block[2]), unsigned(kernel.dynamic_shared),
        state.stream, params, nullptr);
  CUlaunchAttribute attribute = {};
  attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  attribute.value.programmaticStreamSerializationAllowed = 1;
  CUlaunchConfig config = {unsigned(grid[0]),
                           unsigned(grid[1]),
                           unsigned(grid[2]),
                           unsigned(kernel.block[0]),
                           unsigned(kernel.block[1]),
                           unsigned(kernel.block[2]),
                           unsigned(kernel.dynamic_shared),
                           state.stream,
                           &attribute,
                           1};
  return driver.launchKernelEx(&config, function, params, nullptr);
}

static int32_t launchWith(RunState &state, coil_cuda_kernel &kernel,
                          void *const *buffers, const int64_t *symbols,
                          const int64_t *grid, DeviceBlock *scratch) {
  Device &device = state.device;
  ContextGuard guard(device, state.inContext);
  CUfunction function = nullptr;
  if (int32_t status = loadKernel(device, kernel, function))
    return status;

  int count = kernel.num_buffers + kernel.num_symbols + 2;
  void *inlined[inlineArguments];
  std::vector<void *> allocated;
  void **params = inlined;
  if (count > inlineArguments) {
    allocated.resize(size_t(count));
    params = allocated.data();
  }
  void **next = params;
  if (kernel.flags & COIL_CUDA_KERNEL_TABLE)
    *next++ = const_cast<void **>(buffers);
  else
    for (int i = 0; i < kernel.num_buffers; ++i)
      *next++ = const_cast<void **>(buffers + i);
  for (int i = 0; i < kernel.num_symbols; ++i)
    *next++ = const_cast<int64_t *>(symbols + i);
  if (scratch)
    *next++ = &scratch->address;
  volatile int32_t *word = nullptr;
  if (kernel.flags & COIL_CUDA_KERNEL_CHECKS) {
    word = takeWord(state, kernel);
    if (!word)
      return COIL_INTERNAL;
    *next++ = &word;
  }
  {
    StepTimer timer(state, &kernel, kernel.name);
    if (CUresult result = launchFunction(state, kernel, function, grid, params))
      return device.check(result, "cannot launch %s",
                          describeKernel(kernel).c_str());
  }
  state.recent[state.launched++ % RunState::numRecent] = &kernel;
  if (state.recording)
    return state.recording->addLaunch(state, kernel, function, grid, params,
                                      size_t(next - params));
  if (isBlocking())
    return state.synchronize();
  return COIL_OK;
}

static int32_t launch(RunState &state, coil_cuda_kernel &kernel,
                      void *const *buffers, const int64_t *symbols,
                      const int64_t *grid) {
  if (kernel.block_scratch == 0)
    return launchWith(state, kernel, buffers, symbols, grid, nullptr);
  DeviceBlock *scratch = nullptr;
  if (int32_t status = takeScratch(state, kernel, grid, scratch))
    return status;
  int32_t status = launchWith(state, kernel, buffers, symbols, grid, scratch);
  state.free(scratch);
  return status;
}

/// What the hardware takes; the same for all chips.
static constexpr int64_t maxGrid[3] = {INT32_MAX, 65535, 65535};

/// Launches a kernel with `run`, unless there are no blocks.
template <typename Function>
static int32_t launchGrid(coil_run *run, coil_cuda_kernel *kernel,
                          const int64_t *grid, Function launch) {
  return guarded([&]() -> int32_t {
    TraceStep step(run, COIL_TRACE_LAUNCH, nullptr);
    RunState *state = getState(run);
    if (!state)
      return COIL_INVALID_ARGUMENT;
    ++run->stats.launches;
    bool empty = false;
    for (int d = 0; d < 3; ++d) {
      empty |= grid[d] == 0;
      if (grid[d] < 0 || grid[d] > maxGrid[d])
        return step.finish(fail(COIL_UNSUPPORTED,
                                "cannot launch %s: a grid of %" PRId64
                                " x %" PRId64 " x %" PRId64 " blocks",
                                describeKernel(*kernel).c_str(), grid[0],
                                grid[1], grid[2]),
                           kernel, grid[0]);
    }
    int32_t status = COIL_OK;
    if (!empty) {
      status = state->prepare();
      if (!status)
        status = launch(*state);
    }
    return step.finish(status, kernel, grid[0] * grid[1] * grid[2]);
  });
}

extern "C" {

int32_t coil_rt_launch_cuda(coil_run *run, coil_cuda_kernel *kernel,
                            void *const *buffers, const int64_t *symbols,
                            int64_t grid_x, int64_t grid_y, int64_t grid_z) {
  const int64_t grid[3] = {grid_x, grid_y, grid_z};
  return launchGrid(run, kernel, grid, [&](RunState &state) {
    return launch(state, *kernel, buffers, symbols, grid);
  });
}

int32_t coil_rt_launch_user_cuda(coil_run *run, coil_cuda_kernel *kernel,
                                 void *const *arguments, int64_t grid_x,
                                 int64_t grid_y, int64_t grid_z) {
  const int64_t grid[3] = {grid_x, grid_y, grid_z};
  return launchGrid(run, kernel, grid, [&](RunState &state) -> int32_t {
    Device &device = state.device;
    ContextGuard guard(device);
    CUfunction function = nullptr;
    if (int32_t status = loadKernel(device, *kernel, function))
      return status;
    if (state.recording && !kernel->parameters) {
      state.recording->refuse();
      return fail(COIL_UNSUPPORTED,
                  "%s does not say what it takes, so no graph can hold it",
                  describeKernel(*kernel).c_str());
    }
    {
      StepTimer timer(state, kernel, kernel->name);
      if (CUresult result = device.driver.launchKernel(
              function, unsigned(grid_x), unsigned(grid_y), unsigned(grid_z),
              unsigned(kernel->block[0]), unsigned(kernel->block[1]),
              unsigned(kernel->block[2]), unsigned(kernel->dynamic_shared),
              state.stream, const_cast<void **>(arguments), nullptr))
        return device.check(result, "cannot launch %s",
                            describeKernel(*kernel).c_str());
    }
    state.recent[state.launched++ % RunState::numRecent] = kernel;
    if (state.recording)
      return state.recording->addLaunch(state, *kernel, function, grid,
                                        arguments, strlen(kernel->parameters));
    return isBlocking() ? state.synchronize() : static_cast<int32_t>(COIL_OK);
  });
}

int32_t coil_cuda_kernel_load(coil_cuda_kernel *kernel, int32_t index) {
  return guarded([&]() -> int32_t {
    Device *device = Device::get(index);
    if (!device)
      return COIL_UNAVAILABLE;
    CUfunction function = nullptr;
    return loadKernel(*device, *kernel, function);
  });
}

int32_t coil_cuda_kernel_load_code(coil_cuda_kernel *kernel, int32_t index,
                                   const void *code) {
  return guarded([&]() -> int32_t {
    Device *device = Device::get(index);
    if (!device)
      return COIL_UNAVAILABLE;
    CUfunction function = nullptr;
    return loadKernelFrom(*device, *kernel, code, function);
  });
}

void coil_cuda_kernel_unload(coil_cuda_kernel *kernel) {
  std::lock_guard<std::mutex> lock(modules().mutex);
  auto *loaded =
      static_cast<LoadedKernel *>(stateOf(*kernel).exchange(nullptr));
  if (!loaded)
    return;
  for (int index = 0; index < maxDevices; ++index) {
    if (!loaded->functions[index].load())
      continue;
    Device &device = *Device::getIfUsed(index);
    ContextGuard guard(device);
    // Error words name kernels.
    device.settle();
    Modules::Entry &entry = modules().loaded[{index, kernel->image}];
    if (--entry.users > 0)
      continue;
    device.driver.moduleUnload(entry.module);
    modules().loaded.erase({index, kernel->image});
  }
  delete loaded;
}

int32_t coil_cuda_kernel_get_info(coil_cuda_kernel *kernel, int32_t index,
                                  coil_cuda_kernel_info *info) {
  return guarded([&]() -> int32_t {
    *info = {};
    Device *device = Device::get(index);
    if (!device)
      return COIL_UNAVAILABLE;
    CUfunction function = nullptr;
    if (int32_t status = loadKernel(*device, *kernel, function))
      return status;
    struct {
      int attribute;
      int32_t *value;
    } attributes[] = {
        {CU_FUNC_ATTRIBUTE_NUM_REGS, &info->registers},
        {CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, &info->local_bytes},
        {CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, &info->static_shared_bytes},
        {CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &info->max_threads}};
    for (auto [attribute, value] : attributes)
      if (int32_t status = device->check(
              device->driver.funcGetAttribute(value, attribute, function),
              "cannot read the properties of %s",
              describeKernel(*kernel).c_str()))
        return status;
    return COIL_OK;
  });
}

} // extern "C"
