//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sorting and selecting on GPUs, by CUB behind a library of ours.
//
//===----------------------------------------------------------------------===//

#include "Sort.h"

#include "../Sort.h"
#include "Graph.h"
#include "VendorLibrary.h"

#include <cinttypes>
#include <dlfcn.h>

using namespace coil::rt;
using namespace coil::rt::cuda;

static constexpr char fileName[] = "libcoil-cub.so";

/// The library's file in the folder of this one.
static const std::string &getFileBesideUs() {
  static const std::string *file = [] {
    Dl_info info;
    std::string folder;
    if (dladdr(reinterpret_cast<void *>(&coil_rt_sort_cuda), &info) &&
        info.dli_fname)
      folder = info.dli_fname;
    size_t slash = folder.rfind('/');
    return new std::string(
        slash == folder.npos ? "" : folder.substr(0, slash + 1) + fileName);
  }();
  return *file;
}

static VendorLibrary &library() {
  static VendorLibrary *instance = [] {
    std::vector<const char *> files;
    if (!getFileBesideUs().empty())
      files.push_back(getFileBesideUs().c_str());
    files.push_back(fileName);
    return new VendorLibrary("cub", "COIL_CUB_LIBRARY", std::move(files),
                             {
#define COIL_NAME(name, result, params) #name,
                                 COIL_CUB_FUNCTIONS(COIL_NAME)
#undef COIL_NAME
                             });
  }();
  return *instance;
}

const Cub *Cub::get() {
  // The structure is nothing but the functions in the order of their names.
  auto *cub = reinterpret_cast<const Cub *>(library().get());
  if (cub && cub->coil_cub_version() != COIL_CUB_VERSION) {
    fail(COIL_UNAVAILABLE,
         "library 'cub' is not available: it has version %d of the interface, "
         "not %d",
         cub->coil_cub_version(), COIL_CUB_VERSION);
    return nullptr;
  }
  return cub;
}

bool Cub::isPresent() { return library().isPresent(); }

void Cub::setFile(const char *file) { library().setFile(file); }

/// What a cudaError_t is to us.
static int32_t check(const Cub &cub, int32_t error) {
  constexpr int32_t memoryAllocation = 2;
  if (error == 0)
    return COIL_OK;
  return fail(error == memoryAllocation ? COIL_OUT_OF_MEMORY : COIL_INTERNAL,
              "library 'cub' failed: %s", cub.coil_cub_describe(error));
}

static int32_t sort(RunState &state, const coil_sort &d, const void *x,
                    void *values, int64_t *indices) {
  if (int32_t status = verifySort(&d, int64_t(1) << 31))
    return status;
  int64_t elements = 0;
  if (__builtin_mul_overflow(d.outer, d.inner, &elements) ||
      __builtin_mul_overflow(elements, d.size, &elements) ||
      elements > INT32_MAX)
    return fail(COIL_UNSUPPORTED,
                "library 'cub' cannot sort %" PRId64 " x %" PRId64 " x %" PRId64
                " elements",
                d.outer, d.size, d.inner);
  if (elements == 0 || d.count == 0)
    return COIL_OK;
  if (int32_t status = state.prepare())
    return status;
  const Cub *cub = Cub::get();
  if (!cub)
    return COIL_UNAVAILABLE;
  // The library's kernels keep addresses where nobody can patch them.
  if (state.recording)
    for (const void *pointer : {x, static_cast<const void *>(values),
                                static_cast<const void *>(indices)})
      if (pointer)
        state.recording->pin(toDevice(pointer));
  ContextGuard guard(state.device);
  int64_t bytes = 0;
  if (int32_t status = check(*cub, cub->coil_cub_sort_workspace(&d, &bytes)))
    return status;
  if (int32_t status = checkWorkspace(state.run, bytes))
    return status;
  DeviceBlock *workspace = nullptr;
  if (bytes)
    if (int32_t status = state.allocate(bytes, workspace))
      return status;
  StepTimer timer(state, nullptr, "sort");
  int32_t status =
      check(*cub, cub->coil_cub_sort(&d, x, values, indices,
                                     workspace ? toPointer(workspace->address)
                                               : nullptr,
                                     bytes, state.stream));
  if (workspace)
    state.free(workspace);
  return status;
}

extern "C" int32_t coil_rt_sort_cuda(coil_run *run, const coil_sort *desc,
                                     const void *x, void *values,
                                     int64_t *indices) {
  return guarded([&]() -> int32_t {
    TraceStep step(run, COIL_TRACE_LIBRARY, "sort");
    ++run->stats.library_calls;
    RunState *state = getState(run);
    if (!state)
      return COIL_INVALID_ARGUMENT;
    int32_t status = sort(*state, *desc, x, values, indices);
    return step.finish(nameFailure(status, "sort", desc->where),
                       values ? values : indices, 0);
  });
}
