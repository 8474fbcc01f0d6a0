//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loading of cuSOLVER and cuBLAS.
//
//===----------------------------------------------------------------------===//

#include "CuSolver.h"

#include "../Error.h"
#include "BlasLt.h"
#include "VendorLibrary.h"

using namespace coil::rt;
using namespace coil::rt::cuda;

static VendorLibrary &solver() {
  static VendorLibrary *instance =
      new VendorLibrary("cusolver", "COIL_CUSOLVER_LIBRARY",
                        {"libcusolver.so.12", "libcusolver.so.11"},
                        {
#define COIL_NAME(name, ...) #name,
                            COIL_CUSOLVER_FUNCTIONS(COIL_NAME)
#undef COIL_NAME
                        });
  return *instance;
}

static VendorLibrary &blas() {
  static VendorLibrary *instance = new VendorLibrary(
      "cublas", "COIL_CUBLAS_LIBRARY", {"libcublas.so.13", "libcublas.so.12"},
      {
#define COIL_NAME(name, ...) #name,
          COIL_CUBLAS_FUNCTIONS(COIL_NAME)
#undef COIL_NAME
      });
  return *instance;
}

// The structures are nothing but the functions in the order of their names.
const CuSolver *CuSolver::get() {
  return reinterpret_cast<const CuSolver *>(solver().get());
}
bool CuSolver::isPresent() { return solver().isPresent(); }
void CuSolver::setFile(const char *file) { solver().setFile(file); }

const CuBlas *CuBlas::get() {
  return reinterpret_cast<const CuBlas *>(blas().get());
}
bool CuBlas::isPresent() { return blas().isPresent(); }
void CuBlas::setFile(const char *file) { blas().setFile(file); }

static int32_t describe(const char *library, int status, const char *what,
                        bool isMemory, bool isUnsupported) {
  if (isMemory)
    return fail(COIL_OUT_OF_MEMORY, "out of memory in library '%s' (%s)",
                library, what);
  if (isUnsupported)
    return fail(COIL_UNSUPPORTED, "library '%s' has no %s on this device",
                library, what);
  return fail(COIL_INTERNAL, "library '%s' failed with status %d (%s)", library,
              status, what);
}

int32_t coil::rt::cuda::checkCuSolver(cusolverStatus_t status,
                                      const char *what) {
  if (status == CUSOLVER_STATUS_SUCCESS)
    return COIL_OK;
  return describe("cusolver", status, what,
                  status == CUSOLVER_STATUS_ALLOC_FAILED,
                  status == CUSOLVER_STATUS_NOT_SUPPORTED);
}

int32_t coil::rt::cuda::checkCuBlas(int status, const char *what) {
  if (status == CUBLAS_STATUS_SUCCESS)
    return COIL_OK;
  return describe("cublas", status, what, status == CUBLAS_STATUS_ALLOC_FAILED,
                  status == CUBLAS_STATUS_NOT_SUPPORTED);
}
