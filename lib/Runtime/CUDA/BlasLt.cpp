//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loading of cuBLASLt.
//
//===----------------------------------------------------------------------===//

#include "BlasLt.h"

#include "../Error.h"
#include "VendorLibrary.h"

using namespace coil::rt;
using namespace coil::rt::cuda;

static VendorLibrary &library() {
  static VendorLibrary *instance =
      new VendorLibrary("cublaslt", "COIL_CUBLASLT_LIBRARY",
                        {"libcublasLt.so.13", "libcublasLt.so.12"},
                        {
#define COIL_NAME(name, params) #name,
                            COIL_CUBLASLT_FUNCTIONS(COIL_NAME)
#undef COIL_NAME
                        });
  return *instance;
}

const BlasLt *BlasLt::get() {
  // The structure is nothing but the functions in the order of their names.
  return reinterpret_cast<const BlasLt *>(library().get());
}

bool BlasLt::isPresent() { return library().isPresent(); }

void BlasLt::setFile(const char *file) { library().setFile(file); }

int32_t coil::rt::cuda::checkBlasLt(cublasStatus_t status, const char *what) {
  switch (status) {
  case CUBLAS_STATUS_SUCCESS:
    return COIL_OK;
  case CUBLAS_STATUS_ALLOC_FAILED:
    return fail(COIL_OUT_OF_MEMORY, "out of memory in library 'cublaslt' (%s)",
                what);
  case CUBLAS_STATUS_NOT_SUPPORTED:
    return fail(COIL_UNSUPPORTED,
                "library 'cublaslt' has no kernel for this %s on this device",
                what);
  default:
    return fail(COIL_INTERNAL, "library 'cublaslt' failed with status %d (%s)",
                status, what);
  }
}
