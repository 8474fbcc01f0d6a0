//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A CUDA driver for tests of the runtime: memory is the host's, work runs when
// its stream is synchronised (or its graph launched and the stream
// synchronised), and kernels are the C++ functions below, by name. Errors are
// injected through fake_cuda(). With FAKE_CUDA_ANY_KERNEL=1 kernels of all
// other names exist, too, and do nothing: what is left of a call is the host's
// time.
//
//===----------------------------------------------------------------------===//

#include "FakeCuda.h"

#include "../../../lib/Runtime/CUDA/Driver.h"

#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

using namespace coil::rt::cuda;

/// A kernel with copies of its arguments' values.
struct Work {
  CUfunc_st *function = nullptr;
  unsigned blocks = 0;
  std::vector<uint64_t> arguments;
  std::function<void()> copy;
};

struct coil::rt::cuda::CUfunc_st {
  const char *name;
  int count;
  int32_t (*run)(const uint64_t *arguments, unsigned blocks);
  /// Of the arguments, how many are in a table that is the first parameter.
  int table = 0;
};
struct coil::rt::cuda::CUctx_st {
  int device;
};
struct coil::rt::cuda::CUmod_st {
  std::string text;
};
struct coil::rt::cuda::CUgraphNode_st {
  Work work;
};
struct coil::rt::cuda::CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
};
struct coil::rt::cuda::CUgraphExec_st {
  std::vector<CUgraphNode_st *> order;
  std::map<CUgraphNode_st *, Work> work;
};
struct coil::rt::cuda::CUstream_st {
  std::vector<Work> pending;
  CUgraph_st *capture = nullptr;
  CUgraphNode_st *last = nullptr;
};
struct coil::rt::cuda::CUevent_st {
  CUstream_st *stream = nullptr;
};

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

template <typename T>
static T *pointer(uint64_t address) {
  return reinterpret_cast<T *>(uintptr_t(address));
}

/// y[i] = x[i] + 1 for i < n, 32 elements to a block.
static int32_t addOne(const uint64_t *a, unsigned blocks) {
  int64_t n = int64_t(a[2]);
  for (int64_t i = 0; i < int64_t(blocks) * 32 && i < n; ++i)
    pointer<float>(a[1])[i] = pointer<float>(a[0])[i] + 1;
  return CUDA_SUCCESS;
}
/// The same for two pairs of x and y: the inputs, then the outputs.
static int32_t addOneTwice(const uint64_t *a, unsigned blocks) {
  for (int k = 0; k < 2; ++k) {
    const uint64_t own[] = {a[k], a[2 + k], a[4]};
    addOne(own, blocks / 2);
  }
  return CUDA_SUCCESS;
}
/// Finds an index out of range, always.
static int32_t check(const uint64_t *a, unsigned) {
  *pointer<int32_t>(a[1]) = 1;
  return CUDA_SUCCESS;
}
static int32_t crash(const uint64_t *, unsigned) {
  return CUDA_ERROR_ILLEGAL_ADDRESS;
}

static CUfunc_st functions[] = {{"add_one", 3, addOne},
                                {"add_one_x2", 5, addOneTwice, 4},
                                {"check", 2, check},
                                {"crash", 1, crash}};
static CUfunc_st anyFunction = {"any", 0, nullptr};

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

static FakeCuda state = {};
static CUctx_st contexts[2] = {{0}, {1}};
static thread_local std::vector<CUcontext> stack;
static CUstream_st legacy;
static std::map<CUdeviceptr, size_t> memory;

static CUstream_st *resolve(CUstream stream) {
  return stream ? stream : &legacy;
}

static CUresult fail(CUresult error) {
  state.broken = error;
  return error;
}

/// Whether this call of what makes graphs is the one that fails.
static bool failsNow() { return ++state.graphCalls == state.failGraphCall; }

static CUresult runWork(const Work &work) {
  if (work.copy) {
    work.copy();
    return CUDA_SUCCESS;
  }
  ++state.executed;
  if (work.function == &anyFunction)
    return CUDA_SUCCESS;
  return work.function->run(work.arguments.data(), work.blocks);
}

/// The values of a kernel's arguments.
static std::vector<uint64_t> readArguments(const CUfunc_st &function,
                                           void **params) {
  std::vector<uint64_t> result;
  int own = function.count - function.table;
  if (function.table) {
    auto *table = static_cast<const uint64_t *>(*params++);
    result.assign(table, table + function.table);
  }
  for (int i = 0; i < own; ++i)
    result.push_back(*static_cast<uint64_t *>(params[i]));
  return result;
}

static CUresult drain(CUstream_st *stream) {
  std::vector<Work> pending;
  pending.swap(stream->pending);
  for (const Work &work : pending)
    if (CUresult error = runWork(work))
      return fail(error);
  return state.broken;
}

static CUresult add(CUstream handle, Work work) {
  if (state.broken)
    return state.broken;
  if (stack.empty())
    return CUDA_ERROR_INVALID_CONTEXT;
  CUstream_st *stream = resolve(handle);
  if (!stream->capture) {
    stream->pending.push_back(std::move(work));
    return CUDA_SUCCESS;
  }
  auto node = std::make_unique<CUgraphNode_st>();
  node->work = std::move(work);
  stream->last = node.get();
  stream->capture->nodes.push_back(std::move(node));
  return CUDA_SUCCESS;
}

static CUresult addCopy(CUstream stream, CUdeviceptr to, CUdeviceptr from,
                        size_t bytes) {
  Work work;
  work.copy = [=] {
    memcpy(pointer<void>(to), pointer<const void>(from), bytes);
  };
  ++state.copies;
  return add(stream, std::move(work));
}

static CUdeviceptr address(const void *p) {
  return CUdeviceptr(reinterpret_cast<uintptr_t>(p));
}

//===----------------------------------------------------------------------===//
// The driver
//===----------------------------------------------------------------------===//

#define EXPORT extern "C" __attribute__((visibility("default"))) CUresult

extern "C" __attribute__((visibility("default"))) FakeCuda *fake_cuda() {
  return &state;
}

EXPORT cuInit(unsigned) { return CUDA_SUCCESS; }
EXPORT cuDriverGetVersion(int *version) {
  const char *text = getenv("FAKE_CUDA_VERSION");
  *version = text ? atoi(text) : 13000;
  return CUDA_SUCCESS;
}
EXPORT cuGetErrorName(CUresult, const char **text) {
  *text = "FAKE_ERROR";
  return CUDA_SUCCESS;
}
EXPORT cuGetErrorString(CUresult error, const char **text) {
  *text = error == CUDA_ERROR_ILLEGAL_ADDRESS ? "an illegal memory access"
          : error == CUDA_ERROR_INVALID_IMAGE ? "not an image"
                                              : "an error";
  return CUDA_SUCCESS;
}
EXPORT cuDeviceGet(CUdevice *device, int ordinal) {
  *device = ordinal;
  return CUDA_SUCCESS;
}
EXPORT cuDeviceGetCount(int *count) {
  const char *text = getenv("FAKE_CUDA_DEVICES");
  *count = text ? atoi(text) : 2;
  return CUDA_SUCCESS;
}
EXPORT cuDeviceGetName(char *name, int size, CUdevice) {
  strncpy(name, "Fake GPU", size_t(size));
  return CUDA_SUCCESS;
}
EXPORT cuDeviceGetAttribute(int *value, int attribute, CUdevice) {
  *value = attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR   ? 9
           : attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR ? 0
           : attribute == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT ? 132
                                                                   : 227 * 1024;
  return CUDA_SUCCESS;
}
EXPORT cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  *context = &contexts[device];
  return CUDA_SUCCESS;
}
EXPORT cuDevicePrimaryCtxRelease_v2(CUdevice) { return CUDA_SUCCESS; }
EXPORT cuCtxPushCurrent_v2(CUcontext context) {
  ++state.contextCalls;
  stack.push_back(context);
  return CUDA_SUCCESS;
}
EXPORT cuCtxPopCurrent_v2(CUcontext *context) {
  ++state.contextCalls;
  *context = stack.back();
  stack.pop_back();
  return CUDA_SUCCESS;
}
EXPORT cuCtxGetCurrent(CUcontext *context) {
  ++state.contextCalls;
  *context = stack.empty() ? nullptr : stack.back();
  return CUDA_SUCCESS;
}
EXPORT cuCtxSetCurrent(CUcontext context) {
  ++state.contextCalls;
  stack.assign(1, context);
  return CUDA_SUCCESS;
}
EXPORT cuMemGetInfo_v2(size_t *available, size_t *total) {
  *total = state.memoryLimit;
  *available = state.memoryLimit - state.memoryUsed;
  return CUDA_SUCCESS;
}
EXPORT cuMemAlloc_v2(CUdeviceptr *result, size_t bytes) {
  if (stack.empty())
    return CUDA_ERROR_INVALID_CONTEXT;
  if (state.memoryLimit && state.memoryUsed + bytes > state.memoryLimit)
    return CUDA_ERROR_OUT_OF_MEMORY;
  *result = address(aligned_alloc(512, (bytes + 511) / 512 * 512));
  memory[*result] = bytes;
  state.memoryUsed += bytes;
  ++state.driverAllocations;
  return CUDA_SUCCESS;
}
EXPORT cuMemFree_v2(CUdeviceptr p) {
  auto found = memory.find(p);
  if (found == memory.end())
    return CUDA_ERROR_INVALID_VALUE;
  state.memoryUsed -= found->second;
  free(pointer<void>(p));
  memory.erase(found);
  return CUDA_SUCCESS;
}
EXPORT cuMemHostAlloc(void **p, size_t bytes, unsigned) {
  *p = calloc(1, bytes);
  return CUDA_SUCCESS;
}
EXPORT cuMemFreeHost(void *p) {
  free(p);
  return CUDA_SUCCESS;
}
EXPORT cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) {
  memcpy(pointer<void>(to), from, bytes);
  return CUDA_SUCCESS;
}
EXPORT cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) {
  memcpy(to, pointer<void>(from), bytes);
  return CUDA_SUCCESS;
}
EXPORT cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes,
                            CUstream stream) {
  return addCopy(stream, to, address(from), bytes);
}
EXPORT cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes,
                            CUstream stream) {
  return addCopy(stream, address(to), from, bytes);
}
EXPORT cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                            CUstream stream) {
  return addCopy(stream, to, from, bytes);
}
EXPORT cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t bytes,
                       CUstream stream) {
  Work work;
  work.copy = [=] { memset(pointer<void>(to), value, bytes); };
  return add(stream, std::move(work));
}
EXPORT cuPointerGetAttribute(void *, int, CUdeviceptr) {
  return CUDA_ERROR_INVALID_VALUE;
}
EXPORT cuStreamCreate(CUstream *stream, unsigned) {
  *stream = new CUstream_st;
  return CUDA_SUCCESS;
}
EXPORT cuStreamDestroy_v2(CUstream stream) {
  delete stream;
  return CUDA_SUCCESS;
}
EXPORT cuStreamSynchronize(CUstream stream) {
  ++state.synchronisations;
  return drain(resolve(stream));
}
EXPORT cuCtxSynchronize() {
  ++state.synchronisations;
  return CUDA_SUCCESS;
}
EXPORT cuStreamWaitEvent(CUstream, CUevent event, unsigned) {
  ++state.waits;
  return event->stream ? drain(event->stream) : CUDA_SUCCESS;
}
EXPORT cuStreamBeginCapture_v2(CUstream stream, int) {
  if (failsNow())
    return CUDA_ERROR_INVALID_VALUE;
  resolve(stream)->capture = new CUgraph_st;
  return CUDA_SUCCESS;
}
EXPORT cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  if (failsNow()) {
    delete resolve(stream)->capture;
    resolve(stream)->capture = nullptr;
    *graph = nullptr;
    return CUDA_ERROR_INVALID_VALUE;
  }
  *graph = resolve(stream)->capture;
  resolve(stream)->capture = nullptr;
  return CUDA_SUCCESS;
}
EXPORT cuStreamIsCapturing(CUstream stream, int *status) {
  ++state.captureCalls;
  *status = resolve(stream)->capture != nullptr;
  return CUDA_SUCCESS;
}
EXPORT cuStreamGetCaptureInfo_v2(CUstream stream, int *status, uint64_t *,
                                 CUgraph *, const CUgraphNode **nodes,
                                 size_t *count) {
  CUstream_st *s = resolve(stream);
  *status = s->capture != nullptr;
  *nodes = &s->last;
  *count = s->last ? 1 : 0;
  return CUDA_SUCCESS;
}
EXPORT cuGraphNodeGetType(CUgraphNode node, int *type) {
  constexpr int other = 5; // CU_GRAPH_NODE_TYPE_EMPTY
  *type = node->work.function ? CU_GRAPH_NODE_TYPE_KERNEL : other;
  return CUDA_SUCCESS;
}
EXPORT cuEventCreate(CUevent *event, unsigned) {
  if (failsNow())
    return CUDA_ERROR_INVALID_VALUE;
  *event = new CUevent_st;
  return CUDA_SUCCESS;
}
EXPORT cuEventRecord(CUevent event, CUstream stream) {
  if (failsNow())
    return CUDA_ERROR_INVALID_VALUE;
  event->stream = resolve(stream);
  return CUDA_SUCCESS;
}
EXPORT cuEventQuery(CUevent event) {
  return event->stream && !event->stream->pending.empty() ? CUDA_ERROR_NOT_READY
                                                          : CUDA_SUCCESS;
}
EXPORT cuEventSynchronize(CUevent event) {
  return event->stream ? drain(event->stream) : CUDA_SUCCESS;
}
EXPORT cuEventElapsedTime(float *milliseconds, CUevent, CUevent) {
  *milliseconds = 0.5f;
  return CUDA_SUCCESS;
}
EXPORT cuEventDestroy_v2(CUevent event) {
  delete event;
  return CUDA_SUCCESS;
}
EXPORT cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned, int *,
                          void **values) {
  if (stack.empty())
    return CUDA_ERROR_INVALID_CONTEXT;
  auto *text = static_cast<const char *>(image);
  if (strcmp(text, "bad") == 0) {
    strcpy(static_cast<char *>(values[0]), "line 1: syntax error\nmore");
    return CUDA_ERROR_INVALID_IMAGE;
  }
  *module = new CUmod_st{text};
  ++state.modules;
  return CUDA_SUCCESS;
}
EXPORT cuModuleUnload(CUmodule module) {
  delete module;
  --state.modules;
  return CUDA_SUCCESS;
}
EXPORT cuModuleGetFunction(CUfunction *result, CUmodule, const char *name) {
  for (CUfunc_st &function : functions)
    if (strcmp(function.name, name) == 0) {
      *result = &function;
      return CUDA_SUCCESS;
    }
  if (!getenv("FAKE_CUDA_ANY_KERNEL"))
    return CUDA_ERROR_INVALID_VALUE;
  *result = &anyFunction;
  return CUDA_SUCCESS;
}
EXPORT cuFuncGetAttribute(int *value, int attribute, CUfunction) {
  *value = attribute;
  return CUDA_SUCCESS;
}
EXPORT cuFuncSetAttribute(CUfunction, int, int) { return CUDA_SUCCESS; }
EXPORT cuLaunchKernel(CUfunction function, unsigned x, unsigned y, unsigned z,
                      unsigned, unsigned, unsigned, unsigned, CUstream stream,
                      void **params, void **) {
  Work work;
  work.function = function;
  work.blocks = x * y * z;
  work.arguments = readArguments(*function, params);
  ++state.launches;
  state.launchedOn = stack.empty() ? -1 : stack.back()->device;
  if (function == &anyFunction && !resolve(stream)->capture)
    return state.broken;
  return add(stream, std::move(work));
}
EXPORT cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
                        void **params, void **extra) {
  for (unsigned i = 0; i < config->numAttributes; ++i) {
    const CUlaunchAttribute &attribute = config->attributes[i];
    if (attribute.id != CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
      return CUDA_ERROR_INVALID_VALUE;
    state.overlapping += attribute.value.programmaticStreamSerializationAllowed;
  }
  return cuLaunchKernel(function, config->gridDimX, config->gridDimY,
                        config->gridDimZ, config->blockDimX, config->blockDimY,
                        config->blockDimZ, config->sharedMemBytes,
                        config->stream, params, extra);
}
EXPORT cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph,
                                   unsigned long long) {
  if (failsNow())
    return CUDA_ERROR_INVALID_VALUE;
  *exec = new CUgraphExec_st;
  for (auto &node : graph->nodes) {
    (*exec)->order.push_back(node.get());
    (*exec)->work[node.get()] = node->work;
  }
  ++state.instances;
  return CUDA_SUCCESS;
}
EXPORT cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node,
                                         const CUkernelNodeParams *params) {
  if (failsNow())
    return CUDA_ERROR_INVALID_VALUE;
  Work &work = exec->work[node];
  work.arguments = readArguments(*work.function, params->kernelParams);
  ++state.patches;
  return CUDA_SUCCESS;
}
EXPORT cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  if (failsNow())
    return CUDA_ERROR_INVALID_VALUE;
  ++state.graphLaunches;
  for (CUgraphNode_st *node : exec->order)
    if (CUresult error = add(stream, exec->work[node]))
      return error;
  return CUDA_SUCCESS;
}
EXPORT cuGraphExecDestroy(CUgraphExec exec) {
  delete exec;
  --state.instances;
  return CUDA_SUCCESS;
}
EXPORT cuGraphDestroy(CUgraph graph) {
  delete graph;
  return CUDA_SUCCESS;
}
