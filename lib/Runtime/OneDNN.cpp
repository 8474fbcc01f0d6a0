//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loading of oneDNN and the life of its primitives.
//
//===----------------------------------------------------------------------===//

#include "OneDNN.h"
#include "CUDA/BlasLt.h"
#include "CUDA/CuDnn.h"
#include "CUDA/CuFft.h"
#include "CUDA/CuSolver.h"
#include "CUDA/Sort.h"
#include "Lapack.h"
#include "Threads.h"

#include "coil/Runtime/Library.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

using namespace coil::rt;

namespace {

/// What is known about the library: not tried yet, loaded, or the reason why
/// not.
struct Loader {
  std::mutex mutex;
  std::atomic<const OneDNN *> loaded{nullptr};
  bool tried = false;
  std::string reason;
  std::string file;
};

} // namespace

static Loader &loader() {
  static Loader *instance = new Loader;
  return *instance;
}

static std::string fileToLoad(const Loader &state) {
  if (!state.file.empty())
    return state.file;
  const char *variable = getenv("COIL_ONEDNN_LIBRARY");
  return variable && *variable ? variable : "libdnnl.so.2";
}

/// Whether the library computes with bf16 on this processor, in the matrix
/// multiplication that any processor with an instruction for it has. Where it
/// would emulate one, f32 is faster.
static bool hasKernelsForBF16(const OneDNN &library) {
  switch (library.dnnl_get_effective_cpu_isa()) {
  case dnnl_cpu_isa_avx512_core_bf16:
  case dnnl_cpu_isa_avx512_core_amx:
    break;
  default:
    return false;
  }
  const dnnl_dims_t sizes = {16, 16};
  dnnl_memory_desc_t matrix;
  dnnl_matmul_desc_t matmul;
  dnnl_primitive_desc_t desc = nullptr;
  if (library.dnnl_memory_desc_init_by_tag(&matrix, 2, sizes, dnnl_bf16,
                                           dnnl_ab) != dnnl_success ||
      library.dnnl_matmul_desc_init(&matmul, &matrix, &matrix, nullptr,
                                    &matrix) != dnnl_success ||
      library.dnnl_primitive_desc_create(
          &desc, &matmul, nullptr, library.engine, nullptr) != dnnl_success)
    return false;
  library.dnnl_primitive_desc_destroy(desc);
  return true;
}

/// Loads the library into a new object or sets the reason why not.
static const OneDNN *load(Loader &state) {
  std::string file = fileToLoad(state);
  // oneDNN loads libgomp; ours must be the first, with its settings.
  (void)coil_get_num_threads();
  void *handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *message = dlerror();
    state.reason = message ? message : file + ": cannot be loaded";
    return nullptr;
  }
  auto library = std::make_unique<OneDNN>();
#define COIL_LOAD(name)                                                        \
  library->name = reinterpret_cast<decltype(&::name)>(dlsym(handle, #name));   \
  if (!library->name) {                                                        \
    state.reason = file + ": no function '" #name "'";                         \
    return nullptr;                                                            \
  }
  COIL_ONEDNN_FUNCTIONS(COIL_LOAD)
#undef COIL_LOAD
  const dnnl_version_t *version = library->dnnl_version();
  if (version->major != DNNL_VERSION_MAJOR) {
    state.reason = file + ": found version " + std::to_string(version->major) +
                   "." + std::to_string(version->minor) + " but need version " +
                   std::to_string(DNNL_VERSION_MAJOR);
    return nullptr;
  }
  if (library->dnnl_engine_create(&library->engine, dnnl_cpu, 0) !=
      dnnl_success) {
    state.reason = file + ": cannot create a CPU engine";
    return nullptr;
  }
  library->hasBF16 = hasKernelsForBF16(*library);
  return library.release();
}

const OneDNN *OneDNN::get() {
  Loader &state = loader();
  if (const OneDNN *library = state.loaded.load(std::memory_order_acquire))
    return library;
  std::lock_guard<std::mutex> lock(state.mutex);
  if (!state.tried) {
    state.tried = true;
    state.loaded.store(load(state), std::memory_order_release);
  }
  const OneDNN *library = state.loaded.load();
  if (!library)
    fail(COIL_UNAVAILABLE, "library 'onednn' is not available: %s",
         state.reason.c_str());
  return library;
}

int32_t coil::rt::checkOneDNN(dnnl_status_t status, const char *what) {
  switch (status) {
  case dnnl_success:
    return COIL_OK;
  case dnnl_out_of_memory:
    return fail(COIL_OUT_OF_MEMORY, "out of memory in library 'onednn' (%s)",
                what);
  case dnnl_unimplemented:
    return fail(COIL_UNSUPPORTED,
                "library 'onednn' has no kernel for this %s on this processor",
                what);
  case dnnl_invalid_arguments:
    return fail(COIL_INVALID_ARGUMENT,
                "library 'onednn' rejects the arguments of this %s", what);
  default:
    return fail(COIL_INTERNAL, "library 'onednn' failed with status %d (%s)",
                int(status), what);
  }
}

dnnl_stream_t coil::rt::threadStream(const OneDNN &dnnl) {
  struct Holder {
    const OneDNN *owner = nullptr;
    dnnl_stream_t stream = nullptr;
    ~Holder() {
      if (stream)
        owner->dnnl_stream_destroy(stream);
    }
  };
  static thread_local Holder holder;
  if (holder.owner != &dnnl) {
    dnnl_stream_t stream = nullptr;
    if (checkOneDNN(dnnl.dnnl_stream_create(&stream, dnnl.engine,
                                            dnnl_stream_default_flags),
                    "stream"))
      return nullptr;
    if (holder.stream)
      holder.owner->dnnl_stream_destroy(holder.stream);
    holder.owner = &dnnl;
    holder.stream = stream;
  }
  return holder.stream;
}

dnnl_data_type_t coil::rt::dnnlType(int32_t dtype) {
  switch (dtype) {
  case COIL_F32:
    return dnnl_f32;
  case COIL_BF16:
    return dnnl_bf16;
  default:
    return dnnl_data_type_undef;
  }
}

//===----------------------------------------------------------------------===//
// Primitive
//===----------------------------------------------------------------------===//

Primitive::~Primitive() {
  if (primitive)
    dnnl.dnnl_primitive_destroy(primitive);
  if (desc)
    dnnl.dnnl_primitive_desc_destroy(desc);
}

static dnnl_status_t appendPostOp(const OneDNN &dnnl, dnnl_post_ops_t ops,
                                  int32_t postOp) {
  switch (postOp) {
  case COIL_POST_RELU:
    return dnnl.dnnl_post_ops_append_eltwise(ops, 1.f, dnnl_eltwise_relu, 0.f,
                                             0.f);
  case COIL_POST_GELU_ERF:
    return dnnl.dnnl_post_ops_append_eltwise(ops, 1.f, dnnl_eltwise_gelu_erf,
                                             0.f, 0.f);
  case COIL_POST_GELU_TANH:
    return dnnl.dnnl_post_ops_append_eltwise(ops, 1.f, dnnl_eltwise_gelu_tanh,
                                             0.f, 0.f);
  default:
    return dnnl_success;
  }
}

int32_t Primitive::create(const void *opDesc, int32_t postOp,
                          const char *what) {
  dnnl_primitive_attr_t attributes = nullptr;
  dnnl_post_ops_t ops = nullptr;
  dnnl_status_t status = dnnl.dnnl_primitive_attr_create(&attributes);
  if (status == dnnl_success)
    status = dnnl.dnnl_primitive_attr_set_scratchpad_mode(
        attributes, dnnl_scratchpad_mode_user);
  if (status == dnnl_success && postOp != COIL_POST_NONE) {
    status = dnnl.dnnl_post_ops_create(&ops);
    if (status == dnnl_success)
      status = appendPostOp(dnnl, ops, postOp);
    if (status == dnnl_success)
      status = dnnl.dnnl_primitive_attr_set_post_ops(attributes, ops);
  }
  if (status == dnnl_success)
    status = dnnl.dnnl_primitive_desc_create(&desc, opDesc, attributes,
                                             dnnl.engine, nullptr);
  if (ops)
    dnnl.dnnl_post_ops_destroy(ops);
  if (attributes)
    dnnl.dnnl_primitive_attr_destroy(attributes);
  if (int32_t result = checkOneDNN(status, what))
    return result;
  return finish(what);
}

int32_t Primitive::createReorder(const dnnl_memory_desc_t &from,
                                 const dnnl_memory_desc_t &to) {
  dnnl_primitive_attr_t attributes = nullptr;
  dnnl_status_t status = dnnl.dnnl_primitive_attr_create(&attributes);
  if (status == dnnl_success)
    status = dnnl.dnnl_primitive_attr_set_scratchpad_mode(
        attributes, dnnl_scratchpad_mode_user);
  if (status == dnnl_success)
    status = dnnl.dnnl_reorder_primitive_desc_create(
        &desc, &from, dnnl.engine, &to, dnnl.engine, attributes);
  if (attributes)
    dnnl.dnnl_primitive_attr_destroy(attributes);
  if (int32_t result = checkOneDNN(status, "reorder"))
    return result;
  return finish("reorder");
}

int32_t Primitive::finish(const char *what) {
  if (int32_t result =
          checkOneDNN(dnnl.dnnl_primitive_create(&primitive, desc), what))
    return result;
  const dnnl_memory_desc_t *scratch =
      dnnl.dnnl_primitive_desc_query_md(desc, dnnl_query_scratchpad_md, 0);
  scratchBytes = scratch ? int64_t(dnnl.dnnl_memory_desc_get_size(scratch)) : 0;
  return COIL_OK;
}

dnnl_memory_desc_t Primitive::layout(int argument) const {
  return *dnnl.dnnl_primitive_desc_query_md(desc, dnnl_query_exec_arg_md,
                                            argument);
}

int32_t Primitive::execute(coil_run *run, const Argument *arguments,
                           int count) const {
  dnnl_stream_t stream = threadStream(dnnl);
  if (!stream)
    return COIL_INTERNAL;
  Scratch scratch(run);
  constexpr int maxArguments = 6;
  dnnl_exec_arg_t list[maxArguments];
  int used = 0;
  dnnl_status_t status = dnnl_success;
  auto add = [&](int index, const void *data) {
    dnnl_memory_desc_t md = layout(index);
    dnnl_memory_t memory = nullptr;
    status = dnnl.dnnl_memory_create(&memory, &md, dnnl.engine,
                                     const_cast<void *>(data));
    if (status == dnnl_success)
      list[used++] = {index, memory};
  };
  for (int i = 0; i < count && status == dnnl_success; ++i)
    add(arguments[i].index, arguments[i].data);
  int32_t result = COIL_OK;
  if (scratchBytes && status == dnnl_success) {
    if (void *data = scratch.allocate(scratchBytes))
      add(DNNL_ARG_SCRATCHPAD, data);
    else
      result = COIL_OUT_OF_MEMORY;
  }
  if (result == COIL_OK && status == dnnl_success) {
    ThreadCountScope threads;
    status = dnnl.dnnl_primitive_execute(primitive, stream, used, list);
    if (status == dnnl_success)
      status = dnnl.dnnl_stream_wait(stream);
  }
  for (int i = 0; i < used; ++i)
    dnnl.dnnl_memory_destroy(list[i].memory);
  return result == COIL_OK ? checkOneDNN(status, "primitive") : result;
}

//===----------------------------------------------------------------------===//
// Interface
//===----------------------------------------------------------------------===//

static bool isOneDNN(const char *library) {
  return library && !strcmp(library, "onednn");
}

/// What the vendor of a device provides.
namespace {
struct DeviceLibrary {
  const char *name;
  bool (*isPresent)();
  void (*setFile)(const char *file);
};
} // namespace

static const DeviceLibrary *getDeviceLibrary(const char *name) {
  static const DeviceLibrary libraries[] = {
      {"cublaslt", cuda::BlasLt::isPresent, cuda::BlasLt::setFile},
      {"cudnn", cuda::CuDnn::isPresent, cuda::CuDnn::setFile},
      {"cub", cuda::Cub::isPresent, cuda::Cub::setFile},
      {"cufft", cuda::CuFft::isPresent, cuda::CuFft::setFile},
      {"cusolver", cuda::CuSolver::isPresent, cuda::CuSolver::setFile},
      {"cublas", cuda::CuBlas::isPresent, cuda::CuBlas::setFile}};
  for (const DeviceLibrary &library : libraries)
    if (name && !strcmp(name, library.name))
      return &library;
  return nullptr;
}

extern "C" {

int32_t coil_rt_library_available(const char *library) {
  bool available = false;
  guarded([&]() -> int32_t {
    if (const DeviceLibrary *known = getDeviceLibrary(library))
      available = known->isPresent();
    else if (library && !strcmp(library, "lapack"))
      available = isLapackPresent();
    else
      available = isOneDNN(library) && OneDNN::get();
    return COIL_OK;
  });
  return available;
}

int32_t coil_library_set_file(const char *library, const char *file) {
  return guarded([&]() -> int32_t {
    if (const DeviceLibrary *known = getDeviceLibrary(library)) {
      known->setFile(file);
      return COIL_OK;
    }
    if (library && !strcmp(library, "lapack")) {
      setLapackFile(file);
      return COIL_OK;
    }
    if (!isOneDNN(library))
      return fail(COIL_INVALID_ARGUMENT, "unknown library '%s'",
                  library ? library : "");
    Loader &state = loader();
    std::lock_guard<std::mutex> lock(state.mutex);
    state.file = file ? file : "";
    state.tried = false;
    state.loaded = nullptr;
    return COIL_OK;
  });
}

} // extern "C"
