//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C functions of libtorch that Coil's Python package uses for the memory of
// GPUs, on the driver that COIL_CUDA_DRIVER names. Blocks are cached by pool
// and stream, as in PyTorch: a freed one serves the next request of its size on
// its stream at once. Pools of threads are those of CUDA graphs. What is freed
// twice, or not there, is counted as an error.
//
//===----------------------------------------------------------------------===//

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

/// Pool (0 is that of all), stream, bytes.
using Place = std::tuple<int, void *, uint64_t>;

struct Storage {
  void *address;
  int64_t references;
};

struct Tensor {
  Storage *storage;
  int32_t dtype;
  std::vector<int64_t> sizes, strides;
};

struct Guard {
  int32_t device;
  void *stream;
};

struct State {
  std::mutex mutex;
  std::map<void *, Place> live;
  std::multimap<Place, void *> cache;
  std::map<const char *, int64_t, bool (*)(const char *, const char *)> counts{
      [](const char *a, const char *b) { return strcmp(a, b) < 0; }};
  int64_t limit = INT64_MAX, inUse = 0, cached = 0;
};

State &state() {
  static State *instance = new State;
  return *instance;
}

thread_local int32_t currentDevice = 0;
thread_local void *currentStream = nullptr;
thread_local int currentPool = 0;

template <typename... Args>
int callDriver(const char *name, Args... args) {
  static void *driver = dlopen(getenv("COIL_CUDA_DRIVER"), RTLD_NOW);
  auto *function = reinterpret_cast<int (*)(Args...)>(dlsym(driver, name));
  return function ? function(args...) : -1;
}

/// In the context of the current device, as a library does that has one.
int allocateFromDriver(void **address, uint64_t bytes) {
  void *context = nullptr;
  int device = currentDevice;
  callDriver("cuDevicePrimaryCtxRetain", &context, device);
  callDriver("cuCtxPushCurrent_v2", context);
  int mode = 2, result = 0;
  callDriver("cuThreadExchangeStreamCaptureMode", &mode);
  result = callDriver("cuMemAlloc_v2", reinterpret_cast<uintptr_t *>(address),
                      size_t(bytes));
  callDriver("cuThreadExchangeStreamCaptureMode", &mode);
  callDriver("cuCtxPopCurrent_v2", &context);
  return result;
}

int32_t allocate(uint64_t bytes, void **address) {
  State &s = state();
  std::lock_guard<std::mutex> lock(s.mutex);
  ++s.counts["allocations"];
  Place place = {currentPool, currentStream, bytes};
  auto found = s.cache.find(place);
  if (found != s.cache.end()) {
    *address = found->second;
    s.cache.erase(found);
    s.cached -= int64_t(bytes);
  } else {
    if (s.inUse + s.cached + int64_t(bytes) > s.limit) {
      // What is cached goes back first, but for the pools of graphs.
      ++s.counts["retries"];
      for (auto it = s.cache.begin(); it != s.cache.end();) {
        if (std::get<0>(it->first) != 0) {
          ++it;
          continue;
        }
        callDriver("cuMemFree_v2", reinterpret_cast<uintptr_t>(it->second));
        s.cached -= int64_t(std::get<2>(it->first));
        it = s.cache.erase(it);
      }
    }
    if (s.inUse + s.cached + int64_t(bytes) > s.limit ||
        allocateFromDriver(address, bytes)) {
      ++s.counts["failures"];
      return 1;
    }
  }
  s.live[*address] = place;
  s.inUse += int64_t(bytes);
  int64_t &peak = s.counts["peak"];
  peak = s.inUse > peak ? s.inUse : peak;
  return 0;
}

int32_t release(void *address) {
  State &s = state();
  std::lock_guard<std::mutex> lock(s.mutex);
  auto found = s.live.find(address);
  if (found == s.live.end()) {
    ++s.counts["errors"];
    fprintf(stderr, "fake torch: %p is freed, but not allocated\n", address);
    return 1;
  }
  auto bytes = int64_t(std::get<2>(found->second));
  s.cache.insert({found->second, address});
  s.live.erase(found);
  s.inUse -= bytes;
  s.cached += bytes;
  return 0;
}

} // namespace

//===----------------------------------------------------------------------===//
// What Coil uses
//===----------------------------------------------------------------------===//

EXPORT int32_t aoti_torch_cuda_caching_allocator_raw_alloc(uint64_t bytes,
                                                           void **address) {
  ++state().counts["raw"];
  return allocate(bytes, address);
}

EXPORT int32_t aoti_torch_cuda_caching_allocator_raw_delete(void *address) {
  return release(address);
}

EXPORT int32_t aoti_torch_get_current_cuda_stream(int32_t, void **stream) {
  *stream = currentStream;
  return 0;
}

EXPORT int32_t aoti_torch_get_current_device_index(int32_t *device) {
  *device = currentDevice;
  return 0;
}

EXPORT int32_t aoti_torch_create_cuda_stream_guard(void *stream, int32_t device,
                                                   void **guard) {
  *guard = new Guard{currentDevice, currentStream};
  currentDevice = device;
  currentStream = stream;
  return 0;
}

EXPORT int32_t aoti_torch_delete_cuda_stream_guard(void *guard) {
  auto *before = static_cast<Guard *>(guard);
  currentDevice = before->device;
  currentStream = before->stream;
  delete before;
  return 0;
}

EXPORT int32_t aoti_torch_empty_strided(int64_t rank, const int64_t *sizes,
                                        const int64_t *strides, int32_t dtype,
                                        int32_t, int32_t, void **tensor) {
  ++state().counts["tensors"];
  uint64_t bytes = 1;
  for (int64_t d = 0; d < rank; ++d)
    bytes *= uint64_t(sizes[d]);
  auto *storage = new Storage{nullptr, 1};
  if (allocate(bytes, &storage->address)) {
    delete storage;
    return 1;
  }
  *tensor = new Tensor{
      storage, dtype, {sizes, sizes + rank}, {strides, strides + rank}};
  return 0;
}

EXPORT int32_t aoti_torch__alloc_from_pool(void *pool, int64_t, int32_t dtype,
                                           int64_t rank, const int64_t *sizes,
                                           const int64_t *strides,
                                           void **tensor) {
  Storage *storage = static_cast<Tensor *>(pool)->storage;
  ++storage->references;
  *tensor = new Tensor{
      storage, dtype, {sizes, sizes + rank}, {strides, strides + rank}};
  return 0;
}

EXPORT int32_t aoti_torch_get_data_ptr(void *tensor, void **data) {
  *data = static_cast<Tensor *>(tensor)->storage->address;
  return 0;
}

EXPORT int32_t aoti_torch_delete_tensor_object(void *handle) {
  auto *tensor = static_cast<Tensor *>(handle);
  Storage *storage = tensor->storage;
  delete tensor;
  if (--storage->references)
    return 0;
  int32_t result = release(storage->address);
  delete storage;
  return result;
}

/// The numbers of PyTorch's element types.
#define DTYPE(name, number)                                                    \
  EXPORT int32_t aoti_torch_dtype_##name() { return number; }
DTYPE(uint8, 0)
DTYPE(int8, 1)
DTYPE(int16, 2)
DTYPE(int32, 3)
DTYPE(int64, 4)
DTYPE(float16, 5)
DTYPE(float32, 6)
DTYPE(float64, 7)
DTYPE(bool, 11)
DTYPE(bfloat16, 15)
DTYPE(float8_e5m2, 23)
DTYPE(float8_e4m3fn, 24)
DTYPE(uint16, 27)
DTYPE(uint32, 28)
DTYPE(uint64, 29)
EXPORT int32_t aoti_torch_device_type_cuda() { return 1; }

//===----------------------------------------------------------------------===//
// What tests use
//===----------------------------------------------------------------------===//

EXPORT int64_t fake_torch_count(const char *name) {
  State &s = state();
  std::lock_guard<std::mutex> lock(s.mutex);
  if (!strcmp(name, "in use"))
    return s.inUse;
  if (!strcmp(name, "live"))
    return int64_t(s.live.size());
  auto found = s.counts.find(name);
  return found == s.counts.end() ? 0 : found->second;
}

/// Counts anew; the peak begins at what is in use.
EXPORT void fake_torch_reset() {
  State &s = state();
  std::lock_guard<std::mutex> lock(s.mutex);
  s.counts.clear();
  s.counts["peak"] = s.inUse;
}

EXPORT void fake_torch_set_limit(int64_t bytes) {
  std::lock_guard<std::mutex> lock(state().mutex);
  state().limit = bytes < 0 ? INT64_MAX : bytes;
}

/// Bytes that are in use of one pool.
EXPORT int64_t fake_torch_pool(int pool) {
  State &s = state();
  std::lock_guard<std::mutex> lock(s.mutex);
  int64_t bytes = 0;
  for (auto &[address, place] : s.live)
    bytes += std::get<0>(place) == pool ? int64_t(std::get<2>(place)) : 0;
  return bytes;
}

/// Lets the thread allocate from a pool; 0 is that of all.
EXPORT void fake_torch_use_pool(int pool) { currentPool = pool; }

EXPORT void fake_torch_use_stream(int32_t device, void *stream) {
  currentDevice = device;
  currentStream = stream;
}

/// The stream that memory was allocated on; -1 for other memory.
EXPORT int64_t fake_torch_stream(void *address) {
  State &s = state();
  std::lock_guard<std::mutex> lock(s.mutex);
  auto found = s.live.find(address);
  return found == s.live.end()
             ? -1
             : int64_t(reinterpret_cast<intptr_t>(std::get<1>(found->second)));
}

/// The element type, sizes and strides of a tensor, and where its memory is.
EXPORT int32_t fake_torch_describe(void *handle, int64_t *sizes,
                                   int64_t *strides, void **data) {
  auto *tensor = static_cast<Tensor *>(handle);
  for (size_t d = 0; d < tensor->sizes.size(); ++d) {
    sizes[d] = tensor->sizes[d];
    strides[d] = tensor->strides[d];
  }
  *data = tensor->storage->address;
  return tensor->dtype;
}
