//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Driver functions: initialisation, devices, contexts, errors and memory.
//
//===----------------------------------------------------------------------===//

#include "DriverState.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iterator>

using namespace coil::cudasim;

State &State::get() {
  // Never destroyed: programs call the driver from their own destructors.
  static State &state = [&]() -> State & {
    State &made = *new State;
    for (int i = 0; i < maxDevices; ++i)
      made.contexts[i].device = made.legacy[i].device = i;
    return made;
  }();
  return state;
}

namespace {
/// The contexts of a thread. Has no destructor: programs destroy what they have
/// when the process ends, behind the destructors of what is a thread's.
struct ContextStack {
  CUcontext contexts[256];
  size_t size;

  bool empty() const { return size == 0; }
  CUcontext back() const { return contexts[size - 1]; }
  bool push_back(CUcontext context) {
    if (size == std::size(contexts))
      return false;
    contexts[size++] = context;
    return true;
  }
  void pop_back() { --size; }
};
} // namespace

static thread_local ContextStack contextStack;

Entry::Entry(const char *name, Needs needs)
    : state(State::get()), guard(state.lock) {
  std::string plain = name;
  for (const char *suffix : {"_v2", "_v3", "_ptsz"}) {
    size_t n = strlen(suffix);
    if (plain.size() > n && plain.compare(plain.size() - n, n, suffix) == 0)
      plain.resize(plain.size() - n);
  }
  const auto &failures = options().failures;
  if (auto it = failures.find(plain); it != failures.end()) {
    uint64_t call = ++state.calls[plain];
    const Options::Failure &f = it->second;
    if (call == f.call || (f.andLater && call > f.call)) {
      result = f.result ? f.result
               : plain.find("Alloc") != std::string::npos
                   ? CUDA_ERROR_OUT_OF_MEMORY
                   : CUDA_ERROR_UNKNOWN;
      return;
    }
  }
  if (needs != Nothing && !state.initialized)
    result = CUDA_ERROR_NOT_INITIALIZED;
  else if (needs == Context &&
           (contextStack.empty() || !state.isContext(contextStack.back())))
    result = CUDA_ERROR_INVALID_CONTEXT;
  else if (needs == Context)
    result = state.sticky;
}

CUresult coil::cudasim::misuse(const char *function, const std::string &message,
                               CUresult result) {
  if (options().verbose)
    fprintf(stderr, "coil-cuda-sim: %s: %s\n", function, message.c_str());
  return result;
}

int State::device() {
  return contextStack.empty() || !contextStack.back()
             ? 0
             : contextStack.back()->device;
}

bool State::isContext(CUcontext context) const {
  for (const CUctx_st &c : contexts)
    if (&c == context)
      return c.retained != 0;
  return false;
}

bool State::hasContext() const {
  for (const CUctx_st &c : contexts)
    if (c.retained)
      return true;
  return false;
}

template <class T>
static void eraseOf(std::set<T *> &all, int device) {
  for (auto it = all.begin(); it != all.end();) {
    if ((*it)->device != device) {
      ++it;
      continue;
    }
    delete *it;
    it = all.erase(it);
  }
}

void State::reset(int device) {
  eraseOf(modules, device);
  eraseOf(streams, device);
  eraseOf(events, device);
  legacy[device] = CUstream_st();
  legacy[device].device = device;
  sticky = CUDA_SUCCESS;
  // Graphs and memory belong to whoever is left.
  for (const CUctx_st &c : contexts)
    if (c.device != device && c.retained)
      return;
  for (CUgraph_st *g : graphs)
    delete g;
  for (CUgraphExec_st *e : execs)
    delete e;
  graphs.clear();
  execs.clear();
  memory.reset();
}

/// The report of the last fault; empty if there was none.
extern "C" const char *coil_cuda_sim_report() {
  return State::get().report.c_str();
}

/// Device memory as the host sees it, for libraries whose kernels are host
/// code; null unless all of it is allocated.
extern "C" void *coil_cuda_sim_access(uint64_t address, uint64_t bytes,
                                      int write) {
  State &state = State::get();
  Allocation *a =
      state.memory ? state.memory->findRange(address, bytes) : nullptr;
  if (!a)
    return nullptr;
  if (write && a->written)
    memset(a->written + (address - a->base), 1, bytes);
  return a->host + (address - a->base);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

namespace {
struct ErrorText {
  CUresult code;
  const char *name, *text;
};
const ErrorText errorTexts[] = {
    {0, "CUDA_SUCCESS", "no error"},
    {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {4, "CUDA_ERROR_DEINITIALIZED", "driver shutting down"},
    {34, "CUDA_ERROR_STUB_LIBRARY", "CUDA driver is a stub library"},
    {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {200, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {209, "CUDA_ERROR_NO_BINARY_FOR_GPU",
     "no kernel image is available for execution on the device"},
    {214, "CUDA_ERROR_ECC_UNCORRECTABLE",
     "uncorrectable ECC error encountered"},
    {218, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
     "the provided PTX was compiled with an unsupported toolchain."},
    {400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {600, "CUDA_ERROR_NOT_READY", "device not ready"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS",
     "an illegal memory access was encountered"},
    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
     "too many resources requested for launch"},
    {702, "CUDA_ERROR_LAUNCH_TIMEOUT",
     "the launch timed out and was terminated"},
    {710, "CUDA_ERROR_ASSERT", "device-side assert triggered"},
    {712, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",
     "part or all of the requested memory range is already mapped"},
    {713, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED",
     "pointer does not correspond to a registered memory region"},
    {714, "CUDA_ERROR_HARDWARE_STACK_ERROR", "hardware stack error"},
    {715, "CUDA_ERROR_ILLEGAL_INSTRUCTION",
     "an illegal instruction was encountered"},
    {716, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    {717, "CUDA_ERROR_INVALID_ADDRESS_SPACE",
     "operation not supported on global/shared address space"},
    {718, "CUDA_ERROR_INVALID_PC", "invalid program counter"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE",
     "too many blocks in cooperative launch"},
    {801, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
     "system has unsupported display driver / cuda driver combination"},
    {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
     "operation not permitted when stream is capturing"},
    {901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
     "operation failed due to a previous error during capture"},
    {903, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED",
     "capture was not initiated in this stream"},
    {904, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED",
     "capturing stream has unjoined work"},
    {999, "CUDA_ERROR_UNKNOWN", "unknown error"}};
} // namespace

extern "C" CUresult cuGetErrorName(CUresult error, const char **text) {
  for (const ErrorText &e : errorTexts)
    if (e.code == error) {
      *text = e.name;
      return CUDA_SUCCESS;
    }
  *text = nullptr;
  return CUDA_ERROR_INVALID_VALUE;
}

extern "C" CUresult cuGetErrorString(CUresult error, const char **text) {
  for (const ErrorText &e : errorTexts)
    if (e.code == error) {
      *text = e.text;
      return CUDA_SUCCESS;
    }
  *text = nullptr;
  return CUDA_ERROR_INVALID_VALUE;
}

//===----------------------------------------------------------------------===//
// Devices: H200s, one unless COIL_CUDA_SIM_DEVICES says otherwise
//===----------------------------------------------------------------------===//

extern "C" CUresult cuInit(unsigned flags) {
  COIL_ENTER(Nothing);
  if (flags)
    return CUDA_ERROR_INVALID_VALUE;
  state.initialized = true;
  return CUDA_SUCCESS;
}

extern "C" CUresult cuDriverGetVersion(int *version) {
  COIL_ENTER(Nothing);
  *version = 13000;
  return CUDA_SUCCESS;
}

extern "C" CUresult cuDeviceGetCount(int *count) {
  COIL_ENTER(Initialized);
  *count = options().devices;
  return CUDA_SUCCESS;
}

extern "C" CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  COIL_ENTER(Initialized);
  if (ordinal < 0 || ordinal >= options().devices)
    return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

extern "C" CUresult cuDeviceGetName(char *name, int size, CUdevice device) {
  COIL_ENTER(Initialized);
  if (device < 0 || device >= options().devices)
    return CUDA_ERROR_INVALID_DEVICE;
  snprintf(name, static_cast<size_t>(size), "Coil simulated H200");
  return CUDA_SUCCESS;
}

extern "C" CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
  COIL_ENTER(Initialized);
  if (device < 0 || device >= options().devices)
    return CUDA_ERROR_INVALID_DEVICE;
  *bytes = options().memory;
  return CUDA_SUCCESS;
}

extern "C" CUresult cuDeviceGetAttribute(int *value, int attribute,
                                         CUdevice device) {
  COIL_ENTER(Initialized);
  if (device < 0 || device >= options().devices)
    return CUDA_ERROR_INVALID_DEVICE;
  static const std::map<int, int> values = {
      {1, 1024},        // MAX_THREADS_PER_BLOCK
      {2, 1024},        // MAX_BLOCK_DIM_X
      {3, 1024},        // MAX_BLOCK_DIM_Y
      {4, 64},          // MAX_BLOCK_DIM_Z
      {5, 2147483647},  // MAX_GRID_DIM_X
      {6, 65535},       // MAX_GRID_DIM_Y
      {7, 65535},       // MAX_GRID_DIM_Z
      {8, 49152},       // MAX_SHARED_MEMORY_PER_BLOCK
      {9, 65536},       // TOTAL_CONSTANT_MEMORY
      {10, 32},         // WARP_SIZE
      {11, 2147483647}, // MAX_PITCH
      {12, 65536},      // MAX_REGISTERS_PER_BLOCK
      {13, 1980000},    // CLOCK_RATE
      {14, 512},        // TEXTURE_ALIGNMENT
      {15, 1},          // GPU_OVERLAP
      {16, 132},        // MULTIPROCESSOR_COUNT
      {17, 0},          // KERNEL_EXEC_TIMEOUT
      {18, 0},          // INTEGRATED
      {19, 1},          // CAN_MAP_HOST_MEMORY
      {20, 0},          // COMPUTE_MODE
      {31, 1},          // CONCURRENT_KERNELS
      {32, 1},          // ECC_ENABLED
      {33, 0},          // PCI_BUS_ID
      {36, 3201000},    // MEMORY_CLOCK_RATE
      {37, 6144},       // GLOBAL_MEMORY_BUS_WIDTH
      {38, 62914560},   // L2_CACHE_SIZE
      {39, 2048},       // MAX_THREADS_PER_MULTIPROCESSOR
      {40, 3},          // ASYNC_ENGINE_COUNT
      {41, 1},          // UNIFIED_ADDRESSING
      {75, 9},          // COMPUTE_CAPABILITY_MAJOR
      {76, 0},          // COMPUTE_CAPABILITY_MINOR
      {78, 1},          // STREAM_PRIORITIES_SUPPORTED
      {81, 233472},     // MAX_SHARED_MEMORY_PER_MULTIPROCESSOR
      {82, 65536},      // MAX_REGISTERS_PER_MULTIPROCESSOR
      {83, 0},          // MANAGED_MEMORY
      {95, 1},          // COOPERATIVE_LAUNCH
      {97, 232448},     // MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
      {106, 32},        // MAX_BLOCKS_PER_MULTIPROCESSOR
      {111, 1024},      // RESERVED_SHARED_MEMORY_PER_BLOCK
      {115, 1},         // MEMORY_POOLS_SUPPORTED
      {120, 1},         // CLUSTER_LAUNCH
  };
  auto it = values.find(attribute);
  if (it == values.end())
    return CUDA_ERROR_INVALID_VALUE;
  *value = it->second;
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

extern "C" CUresult cuDevicePrimaryCtxRetain(CUcontext *context,
                                             CUdevice device) {
  COIL_ENTER(Initialized);
  if (device < 0 || device >= options().devices)
    return CUDA_ERROR_INVALID_DEVICE;
  if (!state.memory)
    state.memory = std::make_unique<DeviceMemory>(options().memory);
  ++state.contexts[device].retained;
  *context = &state.contexts[device];
  return CUDA_SUCCESS;
}

extern "C" CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  COIL_ENTER(Initialized);
  if (device < 0 || device >= options().devices)
    return CUDA_ERROR_INVALID_DEVICE;
  if (!state.contexts[device].retained)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (--state.contexts[device].retained == 0)
    state.reset(device);
  return CUDA_SUCCESS;
}

extern "C" CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
  COIL_ENTER(Initialized);
  if (device < 0 || device >= options().devices)
    return CUDA_ERROR_INVALID_DEVICE;
  state.reset(device);
  if (state.hasContext() && !state.memory)
    state.memory = std::make_unique<DeviceMemory>(options().memory);
  return CUDA_SUCCESS;
}

extern "C" CUresult cuCtxPushCurrent_v2(CUcontext context) {
  COIL_ENTER(Initialized);
  if (!state.isContext(context))
    return CUDA_ERROR_INVALID_CONTEXT;
  return contextStack.push_back(context) ? CUDA_SUCCESS
                                         : CUDA_ERROR_OUT_OF_MEMORY;
}

extern "C" CUresult cuCtxPopCurrent_v2(CUcontext *context) {
  COIL_ENTER(Initialized);
  if (contextStack.empty())
    return CUDA_ERROR_INVALID_CONTEXT;
  if (context)
    *context = contextStack.back();
  contextStack.pop_back();
  return CUDA_SUCCESS;
}

extern "C" CUresult cuCtxGetCurrent(CUcontext *context) {
  COIL_ENTER(Initialized);
  *context = contextStack.empty() ? nullptr : contextStack.back();
  return CUDA_SUCCESS;
}

extern "C" CUresult cuCtxSetCurrent(CUcontext context) {
  COIL_ENTER(Initialized);
  if (context && !state.isContext(context))
    return CUDA_ERROR_INVALID_CONTEXT;
  if (!contextStack.empty())
    contextStack.pop_back();
  // There is room: another one has just left, or there was none.
  if (context)
    (void)contextStack.push_back(context);
  return CUDA_SUCCESS;
}

extern "C" CUresult cuCtxGetDevice(CUdevice *device) {
  COIL_ENTER(Context);
  *device = State::device();
  return CUDA_SUCCESS;
}

extern "C" CUresult cuCtxSynchronize() {
  COIL_ENTER(Context);
  if (CUresult r = forbiddenInCapture(state, /*waits=*/true))
    return r;
  entry.waitUntil([&] {
    auto isIdle = [](const CUstream_st &s) {
      return s.device != State::device() || s.queue.empty();
    };
    return std::all_of(state.streams.begin(), state.streams.end(),
                       [&](CUstream_st *s) { return isIdle(*s); }) &&
           std::all_of(std::begin(state.legacy), std::end(state.legacy),
                       isIdle);
  });
  return state.sticky;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

extern "C" CUresult cuMemGetInfo_v2(size_t *free, size_t *total) {
  COIL_ENTER(Context);
  *total = state.memory->capacity();
  *free = state.memory->capacity() - state.memory->used();
  return CUDA_SUCCESS;
}

extern "C" CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t bytes) {
  COIL_ENTER(Context);
  if (CUresult r = forbiddenInCapture(state))
    return r;
  if (!bytes || !pointer)
    return CUDA_ERROR_INVALID_VALUE;
  Allocation *a = state.memory->allocate(bytes);
  if (!a)
    return CUDA_ERROR_OUT_OF_MEMORY;
  a->device = State::device();
  *pointer = a->base;
  return CUDA_SUCCESS;
}

extern "C" CUresult cuMemFree_v2(CUdeviceptr pointer) {
  COIL_ENTER(Context);
  if (!pointer)
    return CUDA_SUCCESS;
  if (CUresult r = forbiddenInCapture(state))
    return r;
  if (!state.memory->release(pointer, false))
    return misuse(__func__,
                  "not the beginning of an allocation: " +
                      state.memory->describe(pointer),
                  CUDA_ERROR_INVALID_VALUE);
  return CUDA_SUCCESS;
}

extern "C" CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned) {
  COIL_ENTER(Context);
  if (CUresult r = forbiddenInCapture(state))
    return r;
  Allocation *a = bytes ? state.memory->allocateHost(bytes) : nullptr;
  if (!a)
    return bytes ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_VALUE;
  *pointer = a->host;
  return CUDA_SUCCESS;
}

extern "C" CUresult cuMemFreeHost(void *pointer) {
  COIL_ENTER(Context);
  return state.memory->release(reinterpret_cast<uint64_t>(pointer), true)
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_VALUE;
}

extern "C" CUresult cuMemHostRegister_v2(void *pointer, size_t bytes,
                                         unsigned) {
  COIL_ENTER(Context);
  if (state.memory->findRange(reinterpret_cast<uint64_t>(pointer), 1))
    return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  state.memory->registerHost(pointer, bytes);
  return CUDA_SUCCESS;
}

extern "C" CUresult cuMemHostUnregister(void *pointer) {
  COIL_ENTER(Context);
  return state.memory->release(reinterpret_cast<uint64_t>(pointer), true)
             ? CUDA_SUCCESS
             : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
}

extern "C" CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *device,
                                                 void *pointer, unsigned) {
  COIL_ENTER(Context);
  if (!state.memory->findRange(reinterpret_cast<uint64_t>(pointer), 1))
    return CUDA_ERROR_INVALID_VALUE;
  *device = reinterpret_cast<uint64_t>(pointer);
  return CUDA_SUCCESS;
}

extern "C" CUresult cuPointerGetAttribute(void *data, int attribute,
                                          CUdeviceptr pointer) {
  COIL_ENTER(Initialized);
  Allocation *a = state.memory ? state.memory->findRange(pointer, 1) : nullptr;
  if (!a)
    return CUDA_ERROR_INVALID_VALUE;
  switch (attribute) {
  case 1: // CONTEXT
    *static_cast<CUcontext *>(data) = &state.contexts[a->device];
    return CUDA_SUCCESS;
  case 2: // MEMORY_TYPE: host or device
    *static_cast<unsigned *>(data) = a->isHost ? 1 : 2;
    return CUDA_SUCCESS;
  case 3: // DEVICE_POINTER
    *static_cast<CUdeviceptr *>(data) = pointer;
    return CUDA_SUCCESS;
  case 4: // HOST_POINTER
    if (!a->isHost)
      return CUDA_ERROR_INVALID_VALUE;
    *static_cast<uint64_t *>(data) = pointer;
    return CUDA_SUCCESS;
  case 8: // IS_MANAGED
    *static_cast<unsigned *>(data) = 0;
    return CUDA_SUCCESS;
  case 9: // DEVICE_ORDINAL
    *static_cast<int *>(data) = a->device;
    return CUDA_SUCCESS;
  case 11: // RANGE_START_ADDR
    *static_cast<CUdeviceptr *>(data) = a->base;
    return CUDA_SUCCESS;
  case 12: // RANGE_SIZE
    *static_cast<size_t *>(data) = a->size;
    return CUDA_SUCCESS;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

static Operation copyOperation(uint64_t to, uint64_t from, size_t bytes,
                               bool toHost, bool fromHost) {
  Operation o;
  o.type = Operation::Copy;
  o.to = to;
  o.from = from;
  o.bytes = bytes;
  o.toHost = toHost;
  o.fromHost = fromHost;
  return o;
}
static uint64_t asAddress(const void *p) {
  return reinterpret_cast<uint64_t>(p);
}

/// A copy that the host waits for.
static CUresult copyNow(State &state, const Operation &operation) {
  if (CUresult r = forbiddenInCapture(state))
    return r;
  return perform(state, operation);
}

extern "C" CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from,
                                    size_t bytes) {
  COIL_ENTER(Context);
  return copyNow(state, copyOperation(to, asAddress(from), bytes, false, true));
}
extern "C" CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) {
  COIL_ENTER(Context);
  return copyNow(state, copyOperation(asAddress(to), from, bytes, true, false));
}
extern "C" CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from,
                                    size_t bytes) {
  COIL_ENTER(Context);
  return copyNow(state, copyOperation(to, from, bytes, false, false));
}
extern "C" CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from,
                                         size_t bytes, CUstream stream) {
  COIL_ENTER(Context);
  return submit(state, stream,
                copyOperation(to, asAddress(from), bytes, false, true));
}
extern "C" CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from,
                                         size_t bytes, CUstream stream) {
  COIL_ENTER(Context);
  return submit(state, stream,
                copyOperation(asAddress(to), from, bytes, true, false));
}
extern "C" CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from,
                                         size_t bytes, CUstream stream) {
  COIL_ENTER(Context);
  return submit(state, stream, copyOperation(to, from, bytes, false, false));
}

static Operation setOperation(uint64_t to, uint32_t value, unsigned width,
                              size_t count) {
  Operation o;
  o.type = Operation::Set;
  o.to = to;
  o.value = value;
  o.width = width;
  o.bytes = count * width;
  return o;
}

extern "C" CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value,
                                    size_t count, CUstream stream) {
  COIL_ENTER(Context);
  return submit(state, stream, setOperation(to, value, 1, count));
}
extern "C" CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value,
                                     size_t count, CUstream stream) {
  COIL_ENTER(Context);
  return submit(state, stream, setOperation(to, value, 2, count));
}
extern "C" CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value,
                                     size_t count, CUstream stream) {
  COIL_ENTER(Context);
  return submit(state, stream, setOperation(to, value, 4, count));
}
extern "C" CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value,
                                  size_t count) {
  COIL_ENTER(Context);
  return copyNow(state, setOperation(to, value, 1, count));
}
extern "C" CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned value,
                                   size_t count) {
  COIL_ENTER(Context);
  return copyNow(state, setOperation(to, value, 4, count));
}

/// The host bytes of a range of the device. Null if it is not accessible.
static uint8_t *hostBytes(State &state, const char *what, uint64_t address,
                          size_t bytes, Allocation *&a) {
  a = state.memory->findRange(address, bytes);
  if (a)
    return a->host + (address - a->base);
  misuse("copy or set",
         std::string(what) + " of " + std::to_string(bytes) +
             " bytes is outside every allocation: " +
             state.memory->describe(address),
         CUDA_ERROR_INVALID_VALUE);
  return nullptr;
}

/// Executes a Copy or Set.
static CUresult transfer(State &state, const Operation &o) {
  if (!o.bytes)
    return CUDA_SUCCESS;
  Allocation *to = nullptr, *from = nullptr;
  uint8_t *target = o.toHost
                        ? reinterpret_cast<uint8_t *>(o.to)
                        : hostBytes(state, "the target", o.to, o.bytes, to);
  if (!target)
    return CUDA_ERROR_INVALID_VALUE;
  if (o.type == Operation::Set) {
    if (o.to % o.width)
      return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < o.bytes; i += o.width)
      memcpy(target + i, &o.value, o.width);
    if (to->written)
      memset(to->written + (o.to - to->base), 1, o.bytes);
    return CUDA_SUCCESS;
  }
  const uint8_t *source =
      o.fromHost ? reinterpret_cast<const uint8_t *>(o.from)
                 : hostBytes(state, "the source", o.from, o.bytes, from);
  if (!source)
    return CUDA_ERROR_INVALID_VALUE;
  const uint8_t *flags =
      from && from->written ? from->written + (o.from - from->base) : nullptr;
  if (flags && o.toHost && options().uninitializedCopy)
    if (const void *hole = memchr(flags, 0, o.bytes)) {
      size_t at =
          static_cast<size_t>(static_cast<const uint8_t *>(hole) - flags);
      state.report = "copy to the host of memory that nobody wrote: " +
                     state.memory->describe(o.from + at);
      state.sticky =
          misuse("cuMemcpyDtoH", state.report, CUDA_ERROR_LAUNCH_FAILED);
      return state.sticky;
    }
  memmove(target, source, o.bytes);
  if (to && to->written) {
    uint8_t *marks = to->written + (o.to - to->base);
    if (flags)
      memmove(marks, flags, o.bytes);
    else
      memset(marks, 1, o.bytes);
  }
  return CUDA_SUCCESS;
}

CUresult coil::cudasim::perform(State &state, const Operation &o) {
  switch (o.type) {
  case Operation::Kernel:
    return launch(state, o);
  case Operation::Copy:
  case Operation::Set:
    return transfer(state, o);
  case Operation::Host:
    o.callback(o.data);
    return CUDA_SUCCESS;
  case Operation::Empty:
    return CUDA_SUCCESS;
  }
  return CUDA_SUCCESS;
}
