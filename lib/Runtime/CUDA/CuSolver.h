//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cuSOLVER and cuBLAS, loaded at first need, by their binary interfaces: the
// few types, functions and numbers below are all that is used of them, for
// dense linear algebra. Matrices lie column by column.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_CUDA_CUSOLVER_H
#define COIL_LIB_RUNTIME_CUDA_CUSOLVER_H

#include "Driver.h"

namespace coil::rt::cuda {

using cusolverStatus_t = int;
using cusolverDnHandle_t = struct cusolverDnContext *;
using cusolverDnParams_t = struct cusolverDnParams *;
using cublasHandle_t = struct cublasContext *;

/// cusolverStatus_t
enum : int {
  CUSOLVER_STATUS_SUCCESS = 0,
  CUSOLVER_STATUS_ALLOC_FAILED = 2,
  CUSOLVER_STATUS_NOT_SUPPORTED = 9
};
/// cudaDataType of complex numbers; BlasLt.h has the others.
enum : int { CUDA_C_32F = 4, CUDA_C_64F = 5 };
/// cublasFillMode_t
enum : int { CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1 };
/// cublasSideMode_t
enum : int { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 };
/// cublasDiagType_t
enum : int { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 };
/// cublasOperation_t, besides those of BlasLt.h.
enum : int { CUBLAS_OP_C = 2 };
/// cusolverEigMode_t
enum : int { CUSOLVER_EIG_MODE_NOVECTOR = 0, CUSOLVER_EIG_MODE_VECTOR = 1 };

// clang-format off
/// X(exported name, parameters), for the element type that a parameter names.
/// Each function returns a cusolverStatus_t. Those of CUDA 12.6 are the newest.
#define COIL_CUSOLVER_FUNCTIONS(X)                                             \
  X(cusolverDnCreate, (cusolverDnHandle_t * handle))                           \
  X(cusolverDnSetStream, (cusolverDnHandle_t handle, CUstream stream))         \
  X(cusolverDnCreateParams, (cusolverDnParams_t * params))                     \
  X(cusolverDnXgetrf_bufferSize,                                               \
    (cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m,          \
     int64_t n, int type, const void *a, int64_t lda, int compute,             \
     size_t *deviceBytes, size_t *hostBytes))                                  \
  X(cusolverDnXgetrf,                                                          \
    (cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m,          \
     int64_t n, int type, void *a, int64_t lda, int64_t *pivots, int compute,  \
     void *deviceWork, size_t deviceBytes, void *hostWork, size_t hostBytes,   \
     int *info))                                                               \
  X(cusolverDnXgetrs,                                                          \
    (cusolverDnHandle_t handle, cusolverDnParams_t params, int trans,          \
     int64_t n, int64_t nrhs, int aType, const void *a, int64_t lda,           \
     const int64_t *pivots, int bType, void *b, int64_t ldb, int *info))       \
  X(cusolverDnXpotrf_bufferSize,                                               \
    (cusolverDnHandle_t handle, cusolverDnParams_t params, int uplo,           \
     int64_t n, int type, const void *a, int64_t lda, int compute,             \
     size_t *deviceBytes, size_t *hostBytes))                                  \
  X(cusolverDnXpotrf,                                                          \
    (cusolverDnHandle_t handle, cusolverDnParams_t params, int uplo,           \
     int64_t n, int type, void *a, int64_t lda, int compute, void *deviceWork, \
     size_t deviceBytes, void *hostWork, size_t hostBytes, int *info))         \
  X(cusolverDnXpotrs,                                                          \
    (cusolverDnHandle_t handle, cusolverDnParams_t params, int uplo,           \
     int64_t n, int64_t nrhs, int aType, const void *a, int64_t lda,           \
     int bType, void *b, int64_t ldb, int *info))                              \
  X(cusolverDnXgeqrf_bufferSize,                                               \
    (cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m,          \
     int64_t n, int type, const void *a, int64_t lda, int tauType,             \
     const void *tau, int compute, size_t *deviceBytes, size_t *hostBytes))    \
  X(cusolverDnXgeqrf,                                                          \
    (cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m,          \
     int64_t n, int type, void *a, int64_t lda, int tauType, void *tau,        \
     int compute, void *deviceWork, size_t deviceBytes, void *hostWork,        \
     size_t hostBytes, int *info))                                             \
  X(cusolverDnXsytrs_bufferSize,                                               \
    (cusolverDnHandle_t handle, int uplo, int64_t n, int64_t nrhs, int aType,  \
     const void *a, int64_t lda, const int64_t *pivots, int bType, void *b,    \
     int64_t ldb, size_t *deviceBytes, size_t *hostBytes))                     \
  X(cusolverDnXsytrs,                                                          \
    (cusolverDnHandle_t handle, int uplo, int64_t n, int64_t nrhs, int aType,  \
     const void *a, int64_t lda, const int64_t *pivots, int bType, void *b,    \
     int64_t ldb, void *deviceWork, size_t deviceBytes, void *hostWork,        \
     size_t hostBytes, int *info))                                             \
  X(cusolverDnXsyevBatched_bufferSize,                                         \
    (cusolverDnHandle_t handle, cusolverDnParams_t params, int job, int uplo,  \
     int64_t n, int type, const void *a, int64_t lda, int valueType,           \
     const void *values, int compute, size_t *deviceBytes, size_t *hostBytes,  \
     int64_t batch))                                                           \
  X(cusolverDnXsyevBatched,                                                    \
    (cusolverDnHandle_t handle, cusolverDnParams_t params, int job, int uplo,  \
     int64_t n, int type, void *a, int64_t lda, int valueType, void *values,   \
     int compute, void *deviceWork, size_t deviceBytes, void *hostWork,        \
     size_t hostBytes, int *info, int64_t batch))                              \
  X(cusolverDnXsyevd_bufferSize,                                               \
    (cusolverDnHandle_t handle, cusolverDnParams_t params, int job, int uplo,  \
     int64_t n, int type, const void *a, int64_t lda, int valueType,           \
     const void *values, int compute, size_t *deviceBytes,                     \
     size_t *hostBytes))                                                       \
  X(cusolverDnXsyevd,                                                          \
    (cusolverDnHandle_t handle, cusolverDnParams_t params, int job, int uplo,  \
     int64_t n, int type, void *a, int64_t lda, int valueType, void *values,   \
     int compute, void *deviceWork, size_t deviceBytes, void *hostWork,        \
     size_t hostBytes, int *info))                                             \
  X(cusolverDnXgeev_bufferSize,                                                \
    (cusolverDnHandle_t handle, cusolverDnParams_t params, int jobLeft,        \
     int jobRight, int64_t n, int type, const void *a, int64_t lda,            \
     int valueType, const void *values, int leftType, const void *left,        \
     int64_t ldl, int rightType, const void *right, int64_t ldr, int compute,  \
     size_t *deviceBytes, size_t *hostBytes))                                  \
  X(cusolverDnXgeev,                                                           \
    (cusolverDnHandle_t handle, cusolverDnParams_t params, int jobLeft,        \
     int jobRight, int64_t n, int type, void *a, int64_t lda, int valueType,   \
     void *values, int leftType, void *left, int64_t ldl, int rightType,       \
     void *right, int64_t ldr, int compute, void *deviceWork,                  \
     size_t deviceBytes, void *hostWork, size_t hostBytes, int *info))         \
  X(cusolverDnXgesvd_bufferSize,                                               \
    (cusolverDnHandle_t handle, cusolverDnParams_t params, signed char jobU,   \
     signed char jobV, int64_t m, int64_t n, int type, const void *a,          \
     int64_t lda, int valueType, const void *values, int uType, const void *u, \
     int64_t ldu, int vType, const void *v, int64_t ldv, int compute,          \
     size_t *deviceBytes, size_t *hostBytes))                                  \
  X(cusolverDnXgesvd,                                                          \
    (cusolverDnHandle_t handle, cusolverDnParams_t params, signed char jobU,   \
     signed char jobV, int64_t m, int64_t n, int type, void *a, int64_t lda,   \
     int valueType, void *values, int uType, void *u, int64_t ldu, int vType,  \
     void *v, int64_t ldv, int compute, void *deviceWork, size_t deviceBytes,  \
     void *hostWork, size_t hostBytes, int *info))                             \
  COIL_EACH_TYPE(X, potrfBatched, potrfBatched,                                \
    (cusolverDnHandle_t handle, int uplo, int n, void **a, int lda, int *info, \
     int batch))                                                               \
  COIL_EACH_TYPE(X, sytrf_bufferSize, sytrf_bufferSize,                        \
    (cusolverDnHandle_t handle, int n, void *a, int lda, int *work))           \
  COIL_EACH_TYPE(X, sytrf, sytrf,                                              \
    (cusolverDnHandle_t handle, int uplo, int n, void *a, int lda,             \
     int *pivots, void *work, int lwork, int *info))                           \
  COIL_EACH_TYPE(X, orgqr_bufferSize, ungqr_bufferSize,                        \
    (cusolverDnHandle_t handle, int m, int n, int k, const void *a, int lda,   \
     const void *tau, int *work))                                              \
  COIL_EACH_TYPE(X, orgqr, ungqr,                                              \
    (cusolverDnHandle_t handle, int m, int n, int k, void *a, int lda,         \
     const void *tau, void *work, int lwork, int *info))                       \
  COIL_EACH_TYPE(X, ormqr_bufferSize, unmqr_bufferSize,                        \
    (cusolverDnHandle_t handle, int side, int trans, int m, int n, int k,      \
     const void *a, int lda, const void *tau, const void *c, int ldc,          \
     int *work))                                                               \
  COIL_EACH_TYPE(X, ormqr, unmqr,                                              \
    (cusolverDnHandle_t handle, int side, int trans, int m, int n, int k,      \
     const void *a, int lda, const void *tau, void *c, int ldc, void *work,    \
     int lwork, int *info))
/// The functions for real types, then those for complex ones.
#define COIL_EACH_TYPE(X, real, complex, ...)                                  \
  X(cusolverDnS##real, __VA_ARGS__)                                            \
  X(cusolverDnD##real, __VA_ARGS__)                                            \
  X(cusolverDnC##complex, __VA_ARGS__)                                         \
  X(cusolverDnZ##complex, __VA_ARGS__)

/// X(exported name, parameters). Each function returns a cublasStatus_t.
#define COIL_CUBLAS_FUNCTIONS(X)                                               \
  X(cublasCreate_v2, (cublasHandle_t * handle))                                \
  X(cublasSetStream_v2, (cublasHandle_t handle, CUstream stream))              \
  COIL_EACH_BLAS_TYPE(X, getrfBatched,                                         \
    (cublasHandle_t handle, int n, void **a, int lda, int *pivots, int *info,  \
     int batch))                                                               \
  COIL_EACH_BLAS_TYPE(X, getrsBatched,                                         \
    (cublasHandle_t handle, int trans, int n, int nrhs, void **a, int lda,     \
     const int *pivots, void **b, int ldb, int *info, int batch))              \
  COIL_EACH_BLAS_TYPE(X, geqrfBatched,                                         \
    (cublasHandle_t handle, int m, int n, void **a, int lda, void **tau,       \
     int *info, int batch))                                                    \
  COIL_EACH_BLAS_TYPE(X, trsmBatched,                                          \
    (cublasHandle_t handle, int side, int uplo, int trans, int diag, int m,    \
     int n, const void *alpha, void **a, int lda, void **b, int ldb,           \
     int batch))
#define COIL_EACH_BLAS_TYPE(X, name, ...)                                      \
  X(cublasS##name, __VA_ARGS__)                                                \
  X(cublasD##name, __VA_ARGS__)                                                \
  X(cublasC##name, __VA_ARGS__)                                                \
  X(cublasZ##name, __VA_ARGS__)
// clang-format on

/// The libraries' functions.
struct CuSolver {
#define COIL_MEMBER(name, ...) cusolverStatus_t(*name) __VA_ARGS__ = nullptr;
  COIL_CUSOLVER_FUNCTIONS(COIL_MEMBER)
#undef COIL_MEMBER

  /// Loads the library at the first call: what coil_library_set_file or the
  /// environment variable COIL_CUSOLVER_LIBRARY names, else that of CUDA 13 or
  /// 12. Null, with the error recorded, when that fails.
  static const CuSolver *get();
  static bool isPresent();
  static void setFile(const char *file);
};

/// The same for cuBLAS and COIL_CUBLAS_LIBRARY.
struct CuBlas {
#define COIL_MEMBER(name, ...) int(*name) __VA_ARGS__ = nullptr;
  COIL_CUBLAS_FUNCTIONS(COIL_MEMBER)
#undef COIL_MEMBER

  static const CuBlas *get();
  static bool isPresent();
  static void setFile(const char *file);
};

/// Records what a status of a library means.
int32_t checkCuSolver(cusolverStatus_t status, const char *what);
int32_t checkCuBlas(int status, const char *what);

} // namespace coil::rt::cuda

#endif // COIL_LIB_RUNTIME_CUDA_CUSOLVER_H
