//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Driver functions: modules, functions and launches.
//
//===----------------------------------------------------------------------===//

#include "DriverState.h"

#include <cstdio>
#include <cstring>

using namespace coil::cudasim;

static constexpr uint32_t MaxShared = 232448, DefaultShared = 49152;

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

/// Allocates the variables of a module and writes their initial values.
static CUresult makeVariables(State &state, CUmod_st &m, std::string &error) {
  std::vector<const ptx::Variable *> variables;
  for (const ptx::Variable &v : m.ptx->variables) {
    if (v.space != ptx::Space::Global && v.space != ptx::Space::Const)
      continue;
    if (v.isExtern) {
      error = "line " + std::to_string(v.line) + ": nothing defines '" +
              std::string(v.name) + "'";
      return CUDA_ERROR_INVALID_PTX;
    }
    Allocation *a = state.memory->allocate(std::max<uint64_t>(v.size, 1));
    if (!a)
      return CUDA_ERROR_OUT_OF_MEMORY;
    a->name = v.name;
    a->device = m.device;
    a->constant = v.space == ptx::Space::Const;
    memset(a->host, 0, a->size);
    if (a->written)
      memset(a->written, 1, a->size);
    if (!v.init.empty())
      memcpy(a->host, v.init.data(), v.init.size());
    m.variables[std::string(v.name)] = a;
    m.layout.addresses[v.name] = a->base;
    variables.push_back(&v);
  }
  for (const ptx::Variable *v : variables)
    for (const ptx::Variable::Relocation &r : v->relocations) {
      auto it = m.layout.addresses.find(r.symbol);
      if (it == m.layout.addresses.end()) {
        error = "line " + std::to_string(v->line) + ": the address of '" +
                std::string(r.symbol) + "' is no constant";
        return CUDA_ERROR_INVALID_PTX;
      }
      uint64_t value =
          (it->second + static_cast<uint64_t>(r.addend)) >> (8 * r.shift);
      memcpy(m.variables[std::string(v->name)]->host + r.offset, &value,
             r.width);
    }
  return CUDA_SUCCESS;
}

static CUresult loadModule(State &state, CUmod_st &m, const char *text,
                           std::string &error) {
  m.ptx = ptx::parse(text, error);
  if (!m.ptx)
    return CUDA_ERROR_INVALID_PTX;
  if (m.ptx->version > 90) {
    error = "PTX version " + std::to_string(m.ptx->version / 10) + "." +
            std::to_string(m.ptx->version % 10) + " is too new";
    return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
  }
  std::string_view target = m.ptx->target;
  if (target.substr(0, 3) == "sm_" && target.size() >= 5) {
    int chip = atoi(std::string(target.substr(3)).c_str());
    if (chip > 90 || (chip < 90 && target.back() == 'a')) {
      error = "the device cannot run code for '" + std::string(target) + "'";
      return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
  }
  if (CUresult r = makeVariables(state, m, error))
    return r;
  for (const auto &f : m.ptx->functions) {
    if (!f->isEntry || f->isDeclaration)
      continue;
    auto function = std::make_unique<Function>();
    function->self = function.get();
    function->device = m.device;
    function->code = lower(*m.ptx, *f, m.layout, error);
    if (!function->code) {
      error = "kernel '" + std::string(f->name) + "': " + error;
      return CUDA_ERROR_INVALID_PTX;
    }
    if (function->code->sharedSize > DefaultShared) {
      error = "kernel '" + std::string(f->name) + "' has " +
              std::to_string(function->code->sharedSize) +
              " bytes of static shared memory";
      return CUDA_ERROR_INVALID_PTX;
    }
    function->maxDynamicShared = DefaultShared - function->code->sharedSize;
    m.functions[std::string(f->name)] = std::move(function);
  }
  return CUDA_SUCCESS;
}

static void unloadModule(State &state, CUmod_st *m) {
  for (auto &[name, a] : m->variables)
    state.memory->release(a->base, false);
  delete m;
}

extern "C" CUresult cuModuleLoadDataEx(CUmodule *module, const void *image,
                                       unsigned numOptions, int *options,
                                       void **values) {
  COIL_ENTER(Context);
  if (CUresult r = forbiddenInCapture(state))
    return r;
  const unsigned char *bytes = static_cast<const unsigned char *>(image);
  if (!bytes || !module)
    return CUDA_ERROR_INVALID_VALUE;
  char *log = nullptr;
  size_t logSize = 0;
  void **logUsed = nullptr;
  for (unsigned i = 0; i < numOptions; ++i) {
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
      log = static_cast<char *>(values[i]);
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) {
      logSize = static_cast<unsigned>(reinterpret_cast<uintptr_t>(values[i]));
      logUsed = &values[i];
    }
    if (options[i] == CU_JIT_INFO_LOG_BUFFER && values[i])
      *static_cast<char *>(values[i]) = 0;
  }
  std::string error;
  CUresult result;
  auto m = std::make_unique<CUmod_st>();
  m->device = State::device();
  if (bytes[0] == 0x7F || bytes[0] == 0x50 || bytes[0] >= 0x80) {
    error = "machine code cannot be simulated, only PTX";
    result = CUDA_ERROR_NO_BINARY_FOR_GPU;
  } else {
    result = loadModule(state, *m, static_cast<const char *>(image), error);
  }
  if (result != CUDA_SUCCESS) {
    if (log && logSize) {
      snprintf(log, logSize, "coil-cuda-sim: %s", error.c_str());
      if (logUsed)
        *logUsed = reinterpret_cast<void *>(static_cast<uintptr_t>(
            std::min(logSize, error.size() + sizeof("coil-cuda-sim: "))));
    }
    state.report = error;
    unloadModule(state, m.release());
    return misuse(__func__, error, result);
  }
  *module = m.release();
  state.modules.insert(*module);
  return CUDA_SUCCESS;
}

extern "C" CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}

extern "C" CUresult cuModuleUnload(CUmodule module) {
  COIL_ENTER(Context);
  if (!state.modules.erase(module))
    return CUDA_ERROR_INVALID_HANDLE;
  unloadModule(state, module);
  return CUDA_SUCCESS;
}

extern "C" CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                                        const char *name) {
  COIL_ENTER(Context);
  if (!state.modules.count(module))
    return CUDA_ERROR_INVALID_HANDLE;
  auto it = module->functions.find(name);
  if (it == module->functions.end())
    return CUDA_ERROR_NOT_FOUND;
  *function = it->second.get();
  return CUDA_SUCCESS;
}

extern "C" CUresult cuModuleGetGlobal_v2(CUdeviceptr *pointer, size_t *bytes,
                                         CUmodule module, const char *name) {
  COIL_ENTER(Context);
  if (!state.modules.count(module))
    return CUDA_ERROR_INVALID_HANDLE;
  auto it = module->variables.find(name);
  if (it == module->variables.end())
    return CUDA_ERROR_NOT_FOUND;
  if (pointer)
    *pointer = it->second->base;
  if (bytes)
    *bytes = it->second->size;
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static Function *findFunction(const State &state, CUfunction function) {
  for (const CUmod_st *m : state.modules)
    for (const auto &[name, f] : m->functions)
      if (f.get() == function)
        return f.get();
  return nullptr;
}

extern "C" CUresult cuFuncGetAttribute(int *value, int attribute,
                                       CUfunction function) {
  COIL_ENTER(Context);
  const Function *f = findFunction(state, function);
  if (!f)
    return CUDA_ERROR_INVALID_HANDLE;
  const Code &code = *f->code;
  switch (attribute) {
  case 0: // MAX_THREADS_PER_BLOCK
    *value = static_cast<int>(code.maxThreads);
    return CUDA_SUCCESS;
  case 1: // SHARED_SIZE_BYTES
    *value = static_cast<int>(code.sharedSize);
    return CUDA_SUCCESS;
  case 2: // CONST_SIZE_BYTES
    *value = 0;
    return CUDA_SUCCESS;
  case 3: // LOCAL_SIZE_BYTES
    *value = static_cast<int>(code.localSize);
    return CUDA_SUCCESS;
  case 4: // NUM_REGS
    *value = static_cast<int>(code.registers);
    return CUDA_SUCCESS;
  case 5: // PTX_VERSION
  case 6: // BINARY_VERSION
    *value = 90;
    return CUDA_SUCCESS;
  case 8: // MAX_DYNAMIC_SHARED_SIZE_BYTES
    *value = static_cast<int>(f->maxDynamicShared);
    return CUDA_SUCCESS;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

extern "C" CUresult cuFuncSetAttribute(CUfunction function, int attribute,
                                       int value) {
  COIL_ENTER(Context);
  Function *f = findFunction(state, function);
  if (!f)
    return CUDA_ERROR_INVALID_HANDLE;
  if (attribute == 9) // PREFERRED_SHARED_MEMORY_CARVEOUT
    return CUDA_SUCCESS;
  if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES ||
      value < 0 ||
      static_cast<uint32_t>(value) + f->code->sharedSize > MaxShared)
    return CUDA_ERROR_INVALID_VALUE;
  f->maxDynamicShared = static_cast<uint32_t>(value);
  return CUDA_SUCCESS;
}

/// How many blocks of a kernel a multiprocessor holds.
static unsigned countResident(const Code &code, unsigned threads,
                              size_t shared) {
  size_t bytes = code.sharedSize + shared + 1024;
  unsigned byThreads = 2048u / threads;
  unsigned byRegisters = 65536u / (std::max(16u, code.registers) * threads);
  return static_cast<unsigned>(std::min<size_t>(
      std::min(32u, std::min(byThreads, byRegisters)), 233472 / bytes));
}

extern "C" CUresult
cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function,
                                            int threads, size_t shared) {
  COIL_ENTER(Context);
  const Function *f = findFunction(state, function);
  if (!f || threads <= 0)
    return CUDA_ERROR_INVALID_VALUE;
  *blocks = static_cast<int>(
      countResident(*f->code, static_cast<unsigned>(threads), shared));
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

CUresult coil::cudasim::makeLaunch(State &state, CUfunction function,
                                   const unsigned (&grid)[3],
                                   const unsigned (&block)[3], unsigned shared,
                                   void **params, void **extra, Operation &o) {
  constexpr const char *name = "launch";
  Function *f = findFunction(state, function);
  if (!f)
    return CUDA_ERROR_INVALID_HANDLE;
  const Code &code = *f->code;
  auto invalid = [&](const std::string &message) {
    return misuse(name, "kernel '" + code.name + "': " + message,
                  CUDA_ERROR_INVALID_VALUE);
  };
  static const uint64_t maxGrid[3] = {2147483647, 65535, 65535};
  static const uint64_t maxBlock[3] = {1024, 1024, 64};
  for (unsigned i = 0; i < 3; ++i) {
    if (!grid[i] || grid[i] > maxGrid[i])
      return invalid("the grid has " + std::to_string(grid[i]) +
                     " blocks along one dimension");
    if (!block[i] || block[i] > maxBlock[i])
      return invalid("a block has " + std::to_string(block[i]) +
                     " threads along one dimension");
    if (code.reqntid[0] && block[i] != code.reqntid[i])
      return invalid("the block differs from '.reqntid'");
    o.grid[i] = grid[i];
    o.block[i] = block[i];
  }
  uint64_t threads = uint64_t(block[0]) * block[1] * block[2];
  if (threads > code.maxThreads)
    return invalid("a block has " + std::to_string(threads) +
                   " threads, the kernel takes " +
                   std::to_string(code.maxThreads));
  if (shared > f->maxDynamicShared)
    return invalid(std::to_string(shared) +
                   " bytes of dynamic shared memory, but at most " +
                   std::to_string(f->maxDynamicShared) + " are allowed");
  if (grid[0] % code.cluster)
    return invalid("the grid is no multiple of the cluster");
  o.type = Operation::Kernel;
  o.function = f;
  o.shared = shared;
  o.params.assign(code.paramSize, 0);
  if (extra) {
    // 1: pointer to all arguments, 2: pointer to their size, 0: end.
    const void *buffer = nullptr;
    size_t size = 0;
    for (void **e = extra; *e; e += 2) {
      if (reinterpret_cast<uintptr_t>(e[0]) == 1)
        buffer = e[1];
      else if (reinterpret_cast<uintptr_t>(e[0]) == 2)
        size = *static_cast<size_t *>(e[1]);
      else
        return invalid("unknown launch parameter");
    }
    if (!buffer || size != code.paramSize)
      return invalid("the arguments have " + std::to_string(size) +
                     " bytes, the kernel takes " +
                     std::to_string(code.paramSize));
    memcpy(o.params.data(), buffer, size);
    return CUDA_SUCCESS;
  }
  if (!params && !code.params.empty())
    return invalid("the launch has no arguments");
  for (size_t i = 0; i < code.params.size(); ++i) {
    if (!params[i])
      return invalid("argument " + std::to_string(i) + " is null");
    memcpy(o.params.data() + code.params[i].offset, params[i],
           code.params[i].size);
  }
  return CUDA_SUCCESS;
}

CUresult coil::cudasim::launch(State &state, const Operation &o) {
  if (state.sticky != CUDA_SUCCESS)
    return state.sticky;
  Launch l;
  l.code = o.function->code.get();
  l.memory = state.memory.get();
  l.device = o.function->device;
  l.options = &options();
  for (unsigned i = 0; i < 3; ++i) {
    l.grid[i] = o.grid[i];
    l.block[i] = o.block[i];
  }
  l.dynamicShared = o.shared;
  l.isCooperative = o.isCooperative;
  l.params = o.params;
  // Ten bits of the number are in the shadow memory; 0 is never.
  l.number = static_cast<uint32_t>(state.launches++ % 1023 + 1);
  if (l.number == 1 && state.launches > 1)
    state.memory->clearShadows();
  auto begin = std::chrono::steady_clock::now();
  execute(l);
  if (options().trace) {
    double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
            .count();
    fprintf(stderr,
            "coil-cuda-sim: launch of '%s', grid (%u, %u, %u), block (%u, %u, "
            "%u): %.3f ms, %llu instructions, %.1f million/s\n",
            l.code->name.c_str(), l.grid[0], l.grid[1], l.grid[2], l.block[0],
            l.block[1], l.block[2], seconds * 1e3,
            static_cast<unsigned long long>(l.steps.load()),
            static_cast<double>(l.steps.load()) / seconds * 1e-6);
  }
  if (l.result == Success)
    return CUDA_SUCCESS;
  state.report = l.report;
  if (options().verbose)
    fprintf(stderr, "coil-cuda-sim: %s\n", l.report.c_str());
  // The context is unusable from now on, as on hardware.
  state.sticky = l.result;
  return options().launchBlocking ? state.sticky : CUDA_SUCCESS;
}

/// CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE
static constexpr auto kTooManyToCooperate = static_cast<CUresult>(720);

static CUresult launchOn(State &state, const char *name, CUstream stream,
                         Operation o) {
  if (const CUstream_st *s = state.stream(stream);
      s && s->device != o.function->device)
    return misuse(name,
                  "a kernel of device " + std::to_string(o.function->device) +
                      " on a stream of device " + std::to_string(s->device),
                  CUDA_ERROR_INVALID_HANDLE);
  return submit(state, stream, std::move(o));
}

extern "C" CUresult cuLaunchKernel(CUfunction function, unsigned gridX,
                                   unsigned gridY, unsigned gridZ,
                                   unsigned blockX, unsigned blockY,
                                   unsigned blockZ, unsigned sharedBytes,
                                   CUstream stream, void **params,
                                   void **extra) {
  COIL_ENTER(Context);
  Operation o;
  if (CUresult r =
          makeLaunch(state, function, {gridX, gridY, gridZ},
                     {blockX, blockY, blockZ}, sharedBytes, params, extra, o))
    return r;
  return launchOn(state, __func__, stream, std::move(o));
}

extern "C" CUresult cuLaunchCooperativeKernel(CUfunction function,
                                              unsigned gridX, unsigned gridY,
                                              unsigned gridZ, unsigned blockX,
                                              unsigned blockY, unsigned blockZ,
                                              unsigned sharedBytes,
                                              CUstream stream, void **params) {
  COIL_ENTER(Context);
  Operation o;
  if (CUresult r = makeLaunch(state, function, {gridX, gridY, gridZ},
                              {blockX, blockY, blockZ}, sharedBytes, params,
                              /*extra=*/nullptr, o))
    return r;
  const Code &code = *o.function->code;
  if (code.cluster > 1)
    return misuse(__func__, "the simulator has no cooperative clusters",
                  CUDA_ERROR_INVALID_VALUE);
  int processors = 0;
  cuDeviceGetAttribute(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
                       o.function->device);
  uint64_t blocks = uint64_t(gridX) * gridY * gridZ;
  uint64_t room = uint64_t(processors) *
                  countResident(code, blockX * blockY * blockZ, sharedBytes);
  if (blocks > room)
    return misuse(__func__,
                  std::to_string(blocks) + " blocks of kernel '" + code.name +
                      "', of which " + std::to_string(room) + " run at once",
                  kTooManyToCooperate);
  o.isCooperative = true;
  return launchOn(state, __func__, stream, std::move(o));
}

// Kernels run one after the other: what a launch may overlap is no difference.
extern "C" CUresult cuLaunchKernelEx(const CUlaunchConfig *c,
                                     CUfunction function, void **params,
                                     void **extra) {
  return cuLaunchKernel(function, c->gridDimX, c->gridDimY, c->gridDimZ,
                        c->blockDimX, c->blockDimY, c->blockDimZ,
                        c->sharedMemBytes, c->stream, params, extra);
}
