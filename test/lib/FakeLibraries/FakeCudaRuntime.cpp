//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What libcoil-cub.so asks of the CUDA runtime, on top of the driver that
// COIL_CUDA_DRIVER names. Linked in its place, it lets the simulator execute
// the library's own kernels and CUB's, with all its checks.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Runtime/CUDA/Driver.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <string>
#include <vector>

using namespace coil::rt::cuda;

// The types and functions below are the runtime's binary interface; a
// cudaError_t of the driver's number means the same as far as it matters here.
namespace {

struct Dim3 {
  unsigned x, y, z;
};

/// A fat binary: the PTX in it, and the module once it is loaded.
struct FatBinary {
  std::string ptx;
  CUmodule module = nullptr;
};

struct Kernel {
  FatBinary *binary;
  std::string name;
  CUfunction function = nullptr;
};

struct Configuration {
  Dim3 grid, block;
  size_t shared;
  void *stream;
};

/// The fields that are asked for, where cudaFuncAttributes has them.
struct FunctionAttributes {
  size_t shared, constants, local;
  int maxThreads, registers, ptxVersion, binaryVersion;
};

struct State {
  std::mutex mutex;
  std::map<const void *, Kernel> kernels;
  void *driver = nullptr;

  template <typename FnT>
  FnT find(const char *name, FnT *) {
    if (!driver)
      if (const char *file = getenv("COIL_CUDA_DRIVER"))
        driver = dlopen(file, RTLD_LAZY | RTLD_NOLOAD);
    return reinterpret_cast<FnT>(driver ? dlsym(driver, name) : nullptr);
  }
};

constexpr int kNoDevice = 100, kInvalidFunction = 98;
/// What the library is compiled for here.
constexpr int kPTXVersion = 80;

} // namespace

/// Calls a function of the driver.
#define DRIVER(member, name, ...)                                              \
  [&]() -> int {                                                               \
    decltype(Driver::member) *type = nullptr;                                  \
    auto function = state().find(name, type);                                  \
    return function ? function(__VA_ARGS__) : kNoDevice;                       \
  }()

static State &state() {
  static State *instance = new State;
  return *instance;
}

static thread_local std::vector<Configuration> configurations;
static thread_local int lastError = 0;

static int report(int error) {
  if (error)
    lastError = error;
  return error;
}

#define EXPORT extern "C" __attribute__((visibility("hidden")))

EXPORT void **__cudaRegisterFatBinary(void *wrapper) {
  struct Wrapper {
    int magic, version;
    const char *data;
    void *file;
  };
  const char *data = static_cast<const Wrapper *>(wrapper)->data;
  uint64_t bytes = 0;
  memcpy(&bytes, data + 8, 8);
  auto *binary = new FatBinary;
  // Not compressed: the text ends with a zero.
  static const char start[] = "\n.version ";
  const char *found =
      static_cast<const char *>(memmem(data, bytes, start, sizeof(start) - 1));
  if (found)
    binary->ptx = found + 1;
  return reinterpret_cast<void **>(binary);
}

EXPORT void __cudaRegisterFatBinaryEnd(void **) {}
EXPORT void __cudaUnregisterFatBinary(void **) {}
EXPORT void __cudaRegisterVar(void **, char *, char *, const char *, int,
                              size_t, int, int) {}

EXPORT void __cudaRegisterFunction(void **handle, const char *host, char *,
                                   const char *name, int, void *, void *,
                                   void *, void *, int *) {
  state().kernels[host] = {reinterpret_cast<FatBinary *>(handle), name};
}

EXPORT unsigned __cudaPushCallConfiguration(Dim3 grid, Dim3 block,
                                            size_t shared, void *stream) {
  configurations.push_back({grid, block, shared, stream});
  return 0;
}

EXPORT int __cudaPopCallConfiguration(Dim3 *grid, Dim3 *block, size_t *shared,
                                      void *stream) {
  Configuration top = configurations.back();
  configurations.pop_back();
  *grid = top.grid;
  *block = top.block;
  *shared = top.shared;
  memcpy(stream, &top.stream, sizeof(void *));
  return 0;
}

static int launch(const void *host, Dim3 grid, Dim3 block, void **args,
                  size_t shared, void *stream, bool isCooperative = false) {
  std::lock_guard<std::mutex> lock(state().mutex);
  auto it = state().kernels.find(host);
  if (it == state().kernels.end())
    return kInvalidFunction;
  Kernel &kernel = it->second;
  FatBinary &binary = *kernel.binary;
  if (!binary.module) {
    char log[2048] = "";
    int options[] = {CU_JIT_ERROR_LOG_BUFFER,
                     CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, reinterpret_cast<void *>(sizeof(log))};
    if (int error =
            DRIVER(moduleLoadDataEx, "cuModuleLoadDataEx", &binary.module,
                   binary.ptx.c_str(), 2, options, values)) {
      fprintf(stderr, "cannot load the library's kernels: %s\n", log);
      return error;
    }
  }
  if (!kernel.function)
    if (int error =
            DRIVER(moduleGetFunction, "cuModuleGetFunction", &kernel.function,
                   binary.module, kernel.name.c_str()))
      return error;
  if (isCooperative) {
    // Of the driver's interface our own code needs no more than this.
    using LaunchFn = int (*)(CUfunction, unsigned, unsigned, unsigned, unsigned,
                             unsigned, unsigned, unsigned, CUstream, void **);
    LaunchFn *type = nullptr;
    auto launchTogether = state().find("cuLaunchCooperativeKernel", type);
    return launchTogether
               ? launchTogether(kernel.function, grid.x, grid.y, grid.z,
                                block.x, block.y, block.z, unsigned(shared),
                                static_cast<CUstream>(stream), args)
               : kNoDevice;
  }
  return DRIVER(launchKernel, "cuLaunchKernel", kernel.function, grid.x, grid.y,
                grid.z, block.x, block.y, block.z, unsigned(shared),
                static_cast<CUstream>(stream), args, nullptr);
}

// CUDA 12
EXPORT int cudaLaunchKernel(const void *host, Dim3 grid, Dim3 block,
                            void **args, size_t shared, void *stream) {
  return report(launch(host, grid, block, args, shared, stream));
}

// CUDA 13
EXPORT int __cudaGetKernel(const void **kernel, const void *host) {
  *kernel = host;
  return 0;
}
EXPORT int __cudaLaunchKernel(const void *kernel, Dim3 grid, Dim3 block,
                              void **args, size_t shared, void *stream) {
  return report(launch(kernel, grid, block, args, shared, stream));
}

EXPORT int cudaLaunchCooperativeKernel(const void *host, Dim3 grid, Dim3 block,
                                       void **args, size_t shared,
                                       void *stream) {
  return report(launch(host, grid, block, args, shared, stream, true));
}

EXPORT int cudaMemsetAsync(void *to, int value, size_t bytes, void *stream) {
  return report(DRIVER(
      memsetD8Async, "cuMemsetD8Async", CUdeviceptr(uintptr_t(to)),
      static_cast<unsigned char>(value), bytes, static_cast<CUstream>(stream)));
}

EXPORT int cudaDeviceGetAttribute(int *value, int attribute, int device) {
  return report(DRIVER(deviceGetAttribute, "cuDeviceGetAttribute", value,
                       attribute, device));
}

EXPORT int cudaFuncGetAttributes(FunctionAttributes *attributes, const void *) {
  *attributes = {0, 0, 0, 1024, 32, kPTXVersion, kPTXVersion};
  return 0;
}

EXPORT int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks,
                                                                  const void *,
                                                                  int, size_t,
                                                                  unsigned) {
  *blocks = 2;
  return 0;
}

EXPORT int cudaGetDevice(int *device) {
  *device = 0;
  return 0;
}
EXPORT int cudaSetDevice(int) { return 0; }
EXPORT int cudaGetDeviceCount(int *count) {
  *count = 1;
  return 0;
}
EXPORT int cudaPeekAtLastError() { return lastError; }
EXPORT int cudaGetLastError() {
  int error = lastError;
  lastError = 0;
  return error;
}
EXPORT const char *cudaGetErrorString(int error) {
  static thread_local char text[32];
  snprintf(text, sizeof(text), "error %d of the driver", error);
  return text;
}
