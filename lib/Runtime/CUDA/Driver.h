//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of the CUDA driver that the runtime uses, loaded at first need.
// The types and prototypes below are the driver's binary interface, so no CUDA
// header is needed; whatever COIL_CUDA_DRIVER names must define every function
// of COIL_CUDA_DRIVER_FUNCTIONS under exactly that name.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_CUDA_DRIVER_H
#define COIL_LIB_RUNTIME_CUDA_DRIVER_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace coil::rt::cuda {

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = uint64_t;
using CUcontext = struct CUctx_st *;
using CUmodule = struct CUmod_st *;
using CUfunction = struct CUfunc_st *;
using CUstream = struct CUstream_st *;
using CUevent = struct CUevent_st *;
using CUgraph = struct CUgraph_st *;
using CUgraphNode = struct CUgraphNode_st *;
using CUgraphExec = struct CUgraphExec_st *;

/// Results that the runtime tells apart.
enum : CUresult {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_DEINITIALIZED = 4,
  CUDA_ERROR_STUB_LIBRARY = 34,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_INVALID_DEVICE = 101,
  CUDA_ERROR_INVALID_IMAGE = 200,
  CUDA_ERROR_INVALID_CONTEXT = 201,
  CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
  CUDA_ERROR_ECC_UNCORRECTABLE = 214,
  CUDA_ERROR_INVALID_PTX = 218,
  CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
  CUDA_ERROR_NOT_READY = 600,
  CUDA_ERROR_ILLEGAL_ADDRESS = 700,
  CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
  CUDA_ERROR_LAUNCH_TIMEOUT = 702,
  CUDA_ERROR_ASSERT = 710,
  CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
  CUDA_ERROR_ILLEGAL_INSTRUCTION = 715,
  CUDA_ERROR_MISALIGNED_ADDRESS = 716,
  CUDA_ERROR_INVALID_ADDRESS_SPACE = 717,
  CUDA_ERROR_INVALID_PC = 718,
  CUDA_ERROR_LAUNCH_FAILED = 719,
  CUDA_ERROR_SYSTEM_DRIVER_MISMATCH = 803,
  CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED = 900,
  CUDA_ERROR_STREAM_CAPTURE_INVALIDATED = 901,
  CUDA_ERROR_UNKNOWN = 999
};

/// CUdevice_attribute
enum : int {
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y = 6,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z = 7,
  CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13,
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = 36,
  CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = 37,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97
};

/// CUtensorMapDataType
enum : int {
  CU_TENSOR_MAP_DATA_TYPE_UINT8 = 0,
  CU_TENSOR_MAP_DATA_TYPE_UINT16 = 1,
  CU_TENSOR_MAP_DATA_TYPE_UINT32 = 2,
  CU_TENSOR_MAP_DATA_TYPE_INT32 = 3,
  CU_TENSOR_MAP_DATA_TYPE_UINT64 = 4,
  CU_TENSOR_MAP_DATA_TYPE_INT64 = 5,
  CU_TENSOR_MAP_DATA_TYPE_FLOAT16 = 6,
  CU_TENSOR_MAP_DATA_TYPE_FLOAT32 = 7,
  CU_TENSOR_MAP_DATA_TYPE_FLOAT64 = 8,
  CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 = 9
};

/// CUfunction_attribute
enum : int {
  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
  CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
  CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8
};

/// CUpointer_attribute
enum : int {
  CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
  CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9
};

/// CUjit_option
enum : int {
  CU_JIT_INFO_LOG_BUFFER = 3,
  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES = 4,
  CU_JIT_ERROR_LOG_BUFFER = 5,
  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6
};

enum : unsigned {
  CU_STREAM_NON_BLOCKING = 1,
  CU_EVENT_DEFAULT = 0,
  CU_EVENT_DISABLE_TIMING = 2,
  /// The host memory is usable from every context.
  CU_MEMHOSTALLOC_PORTABLE = 1,
  /// Kernels may access the host memory, at the same address.
  CU_MEMHOSTALLOC_DEVICEMAP = 2
};

/// CUstreamCaptureMode
enum : int { CU_STREAM_CAPTURE_MODE_RELAXED = 2 };
enum : int { CU_GRAPH_NODE_TYPE_KERNEL = 0 };

/// The layout of CUDA_KERNEL_NODE_PARAMS_v2.
struct CUkernelNodeParams {
  CUfunction func;
  unsigned gridDimX, gridDimY, gridDimZ;
  unsigned blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  void **kernelParams;
  void **extra;
  void *kern;
  CUcontext ctx;
};

/// CUlaunchAttributeID
enum : int { CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION = 6 };

/// The layout of CUlaunchAttribute.
struct CUlaunchAttribute {
  int id;
  int padding;
  union {
    char bytes[64];
    int programmaticStreamSerializationAllowed;
  } value;
};

/// The layout of CUlaunchConfig.
struct CUlaunchConfig {
  unsigned gridDimX, gridDimY, gridDimZ;
  unsigned blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  CUstream stream;
  CUlaunchAttribute *attributes;
  unsigned numAttributes;
};

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// X(member, exported name, parameters). Each function returns a CUresult.
#define COIL_CUDA_DRIVER_FUNCTIONS(X)                                          \
  X(init, cuInit, (unsigned flags))                                            \
  X(driverGetVersion, cuDriverGetVersion, (int *version))                      \
  X(getErrorName, cuGetErrorName, (CUresult error, const char **text))         \
  X(getErrorString, cuGetErrorString, (CUresult error, const char **text))     \
  X(deviceGet, cuDeviceGet, (CUdevice * device, int ordinal))                  \
  X(deviceGetCount, cuDeviceGetCount, (int *count))                            \
  X(deviceGetName, cuDeviceGetName, (char *name, int size, CUdevice device))   \
  X(deviceGetAttribute, cuDeviceGetAttribute,                                  \
    (int *value, int attribute, CUdevice device))                              \
  X(primaryCtxRetain, cuDevicePrimaryCtxRetain,                                \
    (CUcontext * context, CUdevice device))                                    \
  X(primaryCtxRelease, cuDevicePrimaryCtxRelease_v2, (CUdevice device))        \
  X(ctxPush, cuCtxPushCurrent_v2, (CUcontext context))                         \
  X(ctxPop, cuCtxPopCurrent_v2, (CUcontext * context))                         \
  X(ctxGetCurrent, cuCtxGetCurrent, (CUcontext * context))                     \
  X(ctxSetCurrent, cuCtxSetCurrent, (CUcontext context))                       \
  X(memGetInfo, cuMemGetInfo_v2, (size_t *free, size_t *total))                \
  X(memAlloc, cuMemAlloc_v2, (CUdeviceptr * pointer, size_t bytes))            \
  X(memFree, cuMemFree_v2, (CUdeviceptr pointer))                              \
  X(memHostAlloc, cuMemHostAlloc,                                              \
    (void **pointer, size_t bytes, unsigned flags))                            \
  X(memFreeHost, cuMemFreeHost, (void *pointer))                               \
  X(memcpyHtoD, cuMemcpyHtoD_v2,                                               \
    (CUdeviceptr to, const void *from, size_t bytes))                          \
  X(memcpyDtoH, cuMemcpyDtoH_v2, (void *to, CUdeviceptr from, size_t bytes))   \
  X(memcpyHtoDAsync, cuMemcpyHtoDAsync_v2,                                     \
    (CUdeviceptr to, const void *from, size_t bytes, CUstream stream))         \
  X(memcpyDtoHAsync, cuMemcpyDtoHAsync_v2,                                     \
    (void *to, CUdeviceptr from, size_t bytes, CUstream stream))               \
  X(memcpyDtoDAsync, cuMemcpyDtoDAsync_v2,                                     \
    (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))         \
  X(memsetD8Async, cuMemsetD8Async,                                            \
    (CUdeviceptr to, unsigned char value, size_t bytes, CUstream stream))      \
  X(pointerGetAttribute, cuPointerGetAttribute,                                \
    (void *data, int attribute, CUdeviceptr pointer))                          \
  X(ctxSynchronize, cuCtxSynchronize, ())                                      \
  X(streamCreate, cuStreamCreate, (CUstream * stream, unsigned flags))         \
  X(streamDestroy, cuStreamDestroy_v2, (CUstream stream))                      \
  X(streamSynchronize, cuStreamSynchronize, (CUstream stream))                 \
  X(streamWaitEvent, cuStreamWaitEvent,                                        \
    (CUstream stream, CUevent event, unsigned flags))                          \
  X(streamBeginCapture, cuStreamBeginCapture_v2, (CUstream stream, int mode))  \
  X(streamEndCapture, cuStreamEndCapture, (CUstream stream, CUgraph * graph))  \
  X(streamIsCapturing, cuStreamIsCapturing, (CUstream stream, int *status))    \
  X(streamGetCaptureInfo, cuStreamGetCaptureInfo_v2,                           \
    (CUstream stream, int *status, uint64_t *id, CUgraph *graph,               \
     const CUgraphNode **dependencies, size_t *count))                         \
  X(eventCreate, cuEventCreate, (CUevent * event, unsigned flags))             \
  X(eventRecord, cuEventRecord, (CUevent event, CUstream stream))              \
  X(eventQuery, cuEventQuery, (CUevent event))                                 \
  X(eventSynchronize, cuEventSynchronize, (CUevent event))                     \
  X(eventElapsedTime, cuEventElapsedTime,                                      \
    (float *milliseconds, CUevent begin, CUevent end))                         \
  X(eventDestroy, cuEventDestroy_v2, (CUevent event))                          \
  X(moduleLoadDataEx, cuModuleLoadDataEx,                                      \
    (CUmodule * module, const void *image, unsigned numOptions, int *options,  \
     void **values))                                                           \
  X(moduleUnload, cuModuleUnload, (CUmodule module))                           \
  X(moduleGetFunction, cuModuleGetFunction,                                    \
    (CUfunction * function, CUmodule module, const char *name))                \
  X(funcGetAttribute, cuFuncGetAttribute,                                      \
    (int *value, int attribute, CUfunction function))                          \
  X(funcSetAttribute, cuFuncSetAttribute,                                      \
    (CUfunction function, int attribute, int value))                           \
  X(launchKernel, cuLaunchKernel,                                              \
    (CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ,      \
     unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,  \
     CUstream stream, void **params, void **extra))                            \
  X(launchKernelEx, cuLaunchKernelEx,                                          \
    (const CUlaunchConfig *config, CUfunction function, void **params,         \
     void **extra))                                                            \
  X(graphInstantiate, cuGraphInstantiateWithFlags,                             \
    (CUgraphExec * exec, CUgraph graph, unsigned long long flags))             \
  X(graphExecKernelNodeSetParams, cuGraphExecKernelNodeSetParams_v2,           \
    (CUgraphExec exec, CUgraphNode node, const CUkernelNodeParams *params))    \
  X(graphLaunch, cuGraphLaunch, (CUgraphExec exec, CUstream stream))           \
  X(graphExecDestroy, cuGraphExecDestroy, (CUgraphExec exec))                  \
  X(graphDestroy, cuGraphDestroy, (CUgraph graph))

/// The same for functions without which the rest still works: null where the
/// driver lacks them.
#define COIL_CUDA_OPTIONAL_FUNCTIONS(X)                                        \
  X(threadExchangeStreamCaptureMode, cuThreadExchangeStreamCaptureMode,        \
    (int *mode))                                                               \
  X(graphNodeGetType, cuGraphNodeGetType, (CUgraphNode node, int *type))       \
  X(tensorMapEncodeTiled, cuTensorMapEncodeTiled,                              \
    (void *map, int type, uint32_t rank, void *address, const uint64_t *sizes, \
     const uint64_t *strides, const uint32_t *box,                             \
     const uint32_t *elementStrides, int interleave, int swizzle,              \
     int promotion, int fill))

/// The driver's functions.
struct Driver {
#define COIL_MEMBER(member, name, params) CUresult(*member) params = nullptr;
  COIL_CUDA_DRIVER_FUNCTIONS(COIL_MEMBER)
  COIL_CUDA_OPTIONAL_FUNCTIONS(COIL_MEMBER)
#undef COIL_MEMBER

  /// Version as the driver counts: 13000 for 13.0.
  int version = 0;

  /// Loads and initialises the driver at the first call; null, with the error
  /// recorded, when that fails.
  static const Driver *get();
  /// The driver if something loaded it, else null.
  static const Driver *getIfLoaded();

  /// "an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS)".
  std::string describe(CUresult result) const;
};

/// The oldest driver that is taken: what all functions above exist in.
constexpr int minimumDriverVersion = 12000;
/// The oldest driver whose graphs can have launches that overlap.
constexpr int overlapInGraphsVersion = 12030;

} // namespace coil::rt::cuda

#endif // COIL_LIB_RUNTIME_CUDA_DRIVER_H
