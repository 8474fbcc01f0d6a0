//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cuBLASLt, loaded at first need, by its binary interface: the few types,
// functions and numbers below are all that is used of it.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_CUDA_BLASLT_H
#define COIL_LIB_RUNTIME_CUDA_BLASLT_H

#include "Driver.h"

namespace coil::rt::cuda {

using cublasStatus_t = int;
using cublasLtHandle_t = struct cublasLtContext *;
using cublasLtMatmulDesc_t = struct cublasLtMatmulDescOpaque *;
using cublasLtMatrixLayout_t = struct cublasLtMatrixLayoutOpaque *;
using cublasLtMatmulPreference_t = struct cublasLtMatmulPreferenceOpaque *;

struct cublasLtMatmulAlgo_t {
  uint64_t data[8];
};
struct cublasLtMatmulHeuristicResult_t {
  cublasLtMatmulAlgo_t algo;
  size_t workspaceSize;
  cublasStatus_t state;
  float wavesCount;
  int reserved[4];
};

enum : int {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_NOT_SUPPORTED = 15
};
/// cudaDataType
enum : int { CUDA_R_32F = 0, CUDA_R_64F = 1, CUDA_R_16F = 2, CUDA_R_16BF = 14 };
/// cublasComputeType_t: plain f32 and f64, and f32 whose factors are rounded to
/// TF32.
enum : int {
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77
};
enum : int { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1 };
/// cublasLtMatmulDescAttributes_t
enum : int {
  CUBLASLT_MATMUL_DESC_TRANSA = 3,
  CUBLASLT_MATMUL_DESC_TRANSB = 4,
  CUBLASLT_MATMUL_DESC_EPILOGUE = 7,
  CUBLASLT_MATMUL_DESC_BIAS_POINTER = 8
};
/// cublasLtMatrixLayoutAttribute_t
enum : int {
  CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT = 5,
  CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET = 6
};
/// cublasLtMatmulPreferenceAttributes_t
enum : int {
  CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES = 1,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES = 5,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES = 6,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES = 7,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES = 8
};
/// cublasLtEpilogue_t; its GELU is the approximation by tanh.
enum : int {
  CUBLASLT_EPILOGUE_DEFAULT = 1,
  CUBLASLT_EPILOGUE_RELU = 2,
  CUBLASLT_EPILOGUE_BIAS = 4,
  CUBLASLT_EPILOGUE_GELU = 32
};

/// X(exported name, parameters). Each function returns a cublasStatus_t.
#define COIL_CUBLASLT_FUNCTIONS(X)                                             \
  X(cublasLtCreate, (cublasLtHandle_t * handle))                               \
  X(cublasLtMatmulDescCreate,                                                  \
    (cublasLtMatmulDesc_t * desc, int compute, int scale))                     \
  X(cublasLtMatmulDescDestroy, (cublasLtMatmulDesc_t desc))                    \
  X(cublasLtMatmulDescSetAttribute, (cublasLtMatmulDesc_t desc, int attribute, \
                                     const void *value, size_t bytes))         \
  X(cublasLtMatrixLayoutCreate, (cublasLtMatrixLayout_t * layout, int type,    \
                                 uint64_t rows, uint64_t cols, int64_t ld))    \
  X(cublasLtMatrixLayoutDestroy, (cublasLtMatrixLayout_t layout))              \
  X(cublasLtMatrixLayoutSetAttribute,                                          \
    (cublasLtMatrixLayout_t layout, int attribute, const void *value,          \
     size_t bytes))                                                            \
  X(cublasLtMatmulPreferenceCreate, (cublasLtMatmulPreference_t * preference)) \
  X(cublasLtMatmulPreferenceDestroy, (cublasLtMatmulPreference_t preference))  \
  X(cublasLtMatmulPreferenceSetAttribute,                                      \
    (cublasLtMatmulPreference_t preference, int attribute, const void *value,  \
     size_t bytes))                                                            \
  X(cublasLtMatmulAlgoGetHeuristic,                                            \
    (cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,                       \
     cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,                       \
     cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,                       \
     cublasLtMatmulPreference_t preference, int requested,                     \
     cublasLtMatmulHeuristicResult_t *results, int *returned))                 \
  X(cublasLtMatmul,                                                            \
    (cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void *alpha,    \
     const void *a, cublasLtMatrixLayout_t aLayout, const void *b,             \
     cublasLtMatrixLayout_t bLayout, const void *beta, const void *c,          \
     cublasLtMatrixLayout_t cLayout, void *d, cublasLtMatrixLayout_t dLayout,  \
     const cublasLtMatmulAlgo_t *algo, void *workspace, size_t workspaceBytes, \
     CUstream stream))

/// The library's functions.
struct BlasLt {
#define COIL_MEMBER(name, params) cublasStatus_t(*name) params = nullptr;
  COIL_CUBLASLT_FUNCTIONS(COIL_MEMBER)
#undef COIL_MEMBER

  /// Loads the library at the first call: what coil_library_set_file or the
  /// environment variable COIL_CUBLASLT_LIBRARY names, else that of CUDA 13 or
  /// 12. Null, with the error recorded, when that fails.
  static const BlasLt *get();
  /// Whether get() will find the library, without loading it if its file is
  /// where the system's loader looks first.
  static bool isPresent();
  static void setFile(const char *file);
};

/// Records what a status of the library means.
int32_t checkBlasLt(cublasStatus_t status, const char *what);

} // namespace coil::rt::cuda

#endif // COIL_LIB_RUNTIME_CUDA_BLASLT_H
