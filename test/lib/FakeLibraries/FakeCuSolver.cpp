//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library that looks like cuSOLVER and cuBLAS to the runtime: LAPACK on the
// simulated device's memory. It checks that it is given the memory it asks for,
// and computes in the order of its stream. COIL_FAKE_CUSOLVER_TRACE prints the
// calls; COIL_FAKE_CUSOLVER_FAIL=<function> makes one fail.
//
//===----------------------------------------------------------------------===//

#include "FakeDevice.h"

#include "../../../lib/Runtime/CUDA/BlasLt.h"
#include "../../../lib/Runtime/CUDA/CuSolver.h"
#include "../../../lib/Runtime/Lapack.h"

#include <algorithm>
#include <cstdio>
#include <string>

using namespace coil::fake;
using namespace coil::rt;
using namespace coil::rt::cuda;

namespace coil::rt::cuda {
struct cusolverDnContext {
  void *stream = nullptr;
};
struct cublasContext {
  void *stream = nullptr;
};
struct cusolverDnParams {};
} // namespace coil::rt::cuda

namespace {

constexpr int INVALID_VALUE = 3, EXECUTION_FAILED = 6;
constexpr size_t deviceBytes = 96, hostBytes = 16;
constexpr int workElements = 24;

template <typename T>
struct Library {
  Lapack<T> functions;
  bool isComplete = true;

  Library() {
    void *handle = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!handle)
      handle = dlopen("liblapack.so.3", RTLD_NOW | RTLD_LOCAL);
    char letter = std::is_same_v<T, float>                 ? 's'
                  : std::is_same_v<T, double>              ? 'd'
                  : std::is_same_v<T, std::complex<float>> ? 'c'
                                                           : 'z';
    auto find = [&](const char *real, const char *complex, auto &function) {
      std::string name =
          letter + std::string(isComplexElement<T> ? complex : real) + "_";
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
          handle ? dlsym(handle, name.c_str()) : nullptr);
      isComplete &= function != nullptr;
    };
#define COIL_FIND(name, real, complex, ...) find(real, complex, functions.name);
    COIL_LAPACK_FUNCTIONS(COIL_FIND)
    COIL_LAPACK_SPLIT_FUNCTIONS(COIL_FIND)
#undef COIL_FIND
  }
};

template <typename T>
const Lapack<T> &lapack() {
  static auto *library = new Library<T>;
  return library->functions;
}

template <typename T>
T *memory(const void *address, int64_t count, bool writes) {
  return static_cast<T *>(SimDevice::get().access(
      reinterpret_cast<uint64_t>(address),
      uint64_t(std::max<int64_t>(count, 1)) * sizeof(T), writes));
}

/// Calls `body` with an element of a type.
template <typename Body>
int dispatch(int type, Body &&body) {
  switch (type) {
  case CUDA_R_32F:
    return body(float());
  case CUDA_R_64F:
    return body(double());
  case CUDA_C_32F:
    return body(std::complex<float>());
  case CUDA_C_64F:
    return body(std::complex<double>());
  default:
    return INVALID_VALUE;
  }
}

/// Puts work on a stream, after the checks that all functions share.
template <typename Body>
int enqueue(const char *name, void *stream, bool isValid, Body body) {
  const char *wrong = getenv("COIL_FAKE_CUSOLVER_FAIL");
  if (getenv("COIL_FAKE_CUSOLVER_TRACE"))
    fprintf(stderr, "cusolver: %s\n", name);
  if (wrong && std::string(wrong) == name)
    return EXECUTION_FAILED;
  if (!isValid || !SimDevice::get())
    return INVALID_VALUE;
  return SimDevice::get().enqueue(stream, body) ? 0 : EXECUTION_FAILED;
}

bool hasWork(void *device, size_t size, void *host, size_t hostSize) {
  return size == deviceBytes && hostSize == hostBytes && host &&
         memory<char>(device, deviceBytes, true);
}

int giveSizes(size_t *device, size_t *host) {
  *device = deviceBytes;
  *host = hostBytes;
  return 0;
}

const char *triangle(int uplo) {
  return uplo == CUBLAS_FILL_MODE_UPPER ? "U" : "L";
}
const char *operation(int trans) {
  return trans == CUBLAS_OP_N ? "N" : trans == CUBLAS_OP_T ? "T" : "C";
}

/// Runs a function of LAPACK that is asked for the size of its memory first.
template <typename T, typename Run>
blasint runWithWork(Run &&run) {
  T size(0);
  run(&size, -1);
  auto count = blasint(std::real(size) * 1.01f) + 1;
  std::vector<T> work(static_cast<size_t>(count));
  return run(work.data(), count);
}

//===----------------------------------------------------------------------===//
// What is computed
//===----------------------------------------------------------------------===//

/// Without pivots elimination takes rows as they come.
template <typename T>
void eliminate(int64_t m, int64_t n, T *a, int64_t lda, blasint *info) {
  *info = 0;
  for (int64_t k = 0; k < std::min(m, n); ++k) {
    if (a[k + k * lda] == T(0)) {
      *info = *info ? *info : blasint(k + 1);
      continue;
    }
    for (int64_t i = k + 1; i < m; ++i) {
      a[i + k * lda] /= a[k + k * lda];
      for (int64_t j = k + 1; j < n; ++j)
        a[i + j * lda] -= a[i + k * lda] * a[k + j * lda];
    }
  }
}

template <typename T>
void getrf(int64_t m, int64_t n, void *a, int64_t lda, blasint *pivots,
           void *info) {
  if (!pivots)
    return eliminate(m, n, memory<T>(a, lda * n, true), lda,
                     memory<blasint>(info, 1, true));
  blasint rows = blasint(m), columns = blasint(n), ld = blasint(lda);
  lapack<T>().getrf(&rows, &columns, memory<T>(a, lda * n, true), &ld, pivots,
                    memory<blasint>(info, 1, true));
}

template <typename T>
void getrs(int trans, int64_t n, int64_t nrhs, const void *a, int64_t lda,
           const blasint *pivots, void *b, int64_t ldb) {
  blasint size = blasint(n), sides = blasint(nrhs), ld = blasint(lda),
          ldOther = blasint(ldb), info = 0;
  lapack<T>().getrs(operation(trans), &size, &sides,
                    memory<T>(a, lda * n, false), &ld, pivots,
                    memory<T>(b, ldb * nrhs, true), &ldOther, &info, 1);
}

template <typename T>
void geqrf(int64_t m, int64_t n, void *a, int64_t lda, void *tau) {
  blasint rows = blasint(m), columns = blasint(n), ld = blasint(lda);
  runWithWork<T>([&](T *space, blasint count) {
    blasint result = 0;
    lapack<T>().geqrf(&rows, &columns, memory<T>(a, lda * n, true), &ld,
                      memory<T>(tau, std::min(m, n), true), space, &count,
                      &result);
    return result;
  });
}

template <typename T>
void potrf(int uplo, int64_t n, void *a, int64_t lda, void *info) {
  blasint size = blasint(n), ld = blasint(lda);
  lapack<T>().potrf(triangle(uplo), &size, memory<T>(a, lda * n, true), &ld,
                    memory<blasint>(info, 1, true), 1);
}

template <typename T>
void eigh(int job, int uplo, int64_t n, void *a, int64_t lda, void *values,
          void *info) {
  using R = Real<T>;
  blasint size = blasint(n), ld = blasint(lda);
  std::vector<R> rwork(static_cast<size_t>(1 + 5 * n + 2 * n * n));
  std::vector<blasint> iwork(static_cast<size_t>(3 + 5 * n));
  auto lrwork = blasint(rwork.size()), liwork = blasint(iwork.size());
  std::vector<T> work(static_cast<size_t>(1 + 6 * n + 2 * n * n));
  auto lwork = blasint(work.size());
  auto *result = memory<blasint>(info, 1, true);
  const char *vectors = job ? "V" : "N";
  T *matrix = memory<T>(a, lda * n, true);
  R *w = memory<R>(values, n, true);
  if constexpr (isComplexElement<T>)
    lapack<T>().eigh(vectors, triangle(uplo), &size, matrix, &ld, w,
                     work.data(), &lwork, rwork.data(), &lrwork, iwork.data(),
                     &liwork, result, 1, 1);
  else
    lapack<T>().eigh(vectors, triangle(uplo), &size, matrix, &ld, w,
                     work.data(), &lwork, iwork.data(), &liwork, result, 1, 1);
}

template <typename T>
void geev(int job, int64_t n, void *a, void *values, void *right, void *info) {
  if constexpr (isComplexElement<T>) {
    blasint size = blasint(n), one = 1;
    std::vector<Real<T>> rwork(static_cast<size_t>(2 * n));
    *memory<blasint>(info, 1,
                     true) = runWithWork<T>([&](T *work, blasint lwork) {
      blasint result = 0;
      T none(0);
      lapack<T>().geev("N", job ? "V" : "N", &size, memory<T>(a, n * n, true),
                       &size, memory<T>(values, n, true), &none, &one,
                       job ? memory<T>(right, n * n, true) : &none,
                       job ? &size : &one, work, &lwork, rwork.data(), &result,
                       1, 1);
      return result;
    });
  }
}

template <typename T>
void gesvd(char job, int64_t m, int64_t n, void *a, void *values, void *u,
           void *v, void *info) {
  using R = Real<T>;
  blasint rows = blasint(m), columns = blasint(n);
  char text[] = {job, 0};
  std::vector<R> rwork(static_cast<size_t>(
      std::max(5 * n * n + 5 * n, 2 * m * n + 2 * n * n + n)));
  std::vector<blasint> iwork(static_cast<size_t>(8 * n));
  T none(0);
  bool wanted = job != 'N';
  int64_t left = job == 'A' ? m : n;
  *memory<blasint>(info, 1, true) = runWithWork<T>([&](T *work, blasint lwork) {
    blasint result = 0;
    T *matrix = memory<T>(a, m * n, true);
    R *s = memory<R>(values, n, true);
    T *leftVectors = wanted ? memory<T>(u, m * left, true) : &none;
    T *rightVectors = wanted ? memory<T>(v, n * n, true) : &none;
    if constexpr (isComplexElement<T>)
      lapack<T>().gesdd(text, &rows, &columns, matrix, &rows, s, leftVectors,
                        &rows, rightVectors, &columns, work, &lwork,
                        rwork.data(), iwork.data(), &result, 1);
    else
      lapack<T>().gesdd(text, &rows, &columns, matrix, &rows, s, leftVectors,
                        &rows, rightVectors, &columns, work, &lwork,
                        iwork.data(), &result, 1);
    return result;
  });
}

/// The address that a list on the device has at a place.
void *at(void **list, int64_t index) {
  return *memory<void *>(list + index, 1, false);
}

} // namespace

#define COIL_FAKE_API extern "C" __attribute__((visibility("default")))

//===----------------------------------------------------------------------===//
// cuSOLVER, all types
//===----------------------------------------------------------------------===//

COIL_FAKE_API int cusolverDnCreate(cusolverDnHandle_t *handle) {
  if (!Library<float>().isComplete || !SimDevice::get())
    return INVALID_VALUE;
  *handle = new cusolverDnContext;
  return 0;
}
COIL_FAKE_API int cusolverDnSetStream(cusolverDnHandle_t handle,
                                      CUstream stream) {
  handle->stream = stream;
  return 0;
}
COIL_FAKE_API int cusolverDnCreateParams(cusolverDnParams_t *params) {
  *params = new cusolverDnParams;
  return 0;
}

COIL_FAKE_API int cusolverDnXgetrf_bufferSize(cusolverDnHandle_t,
                                              cusolverDnParams_t, int64_t,
                                              int64_t, int, const void *,
                                              int64_t, int, size_t *device,
                                              size_t *host) {
  return giveSizes(device, host);
}
COIL_FAKE_API int cusolverDnXgetrf(cusolverDnHandle_t handle,
                                   cusolverDnParams_t, int64_t m, int64_t n,
                                   int type, void *a, int64_t lda,
                                   int64_t *pivots, int, void *work,
                                   size_t size, void *host, size_t hostSize,
                                   int *info) {
  return dispatch(type, [&](auto element) {
    using T = decltype(element);
    return enqueue("getrf", handle->stream,
                   hasWork(work, size, host, hostSize) && lda >= m, [=] {
                     std::vector<blasint> order(size_t(std::min(m, n)));
                     getrf<T>(m, n, a, lda, pivots ? order.data() : nullptr,
                              info);
                     if (!pivots)
                       return;
                     auto *to = memory<int64_t>(pivots, std::min(m, n), true);
                     std::copy(order.begin(), order.end(), to);
                   });
  });
}
COIL_FAKE_API int cusolverDnXgetrs(cusolverDnHandle_t handle,
                                   cusolverDnParams_t, int trans, int64_t n,
                                   int64_t nrhs, int type, const void *a,
                                   int64_t lda, const int64_t *pivots,
                                   int bType, void *b, int64_t ldb, int *) {
  return dispatch(type, [&](auto element) {
    using T = decltype(element);
    return enqueue("getrs", handle->stream, type == bType && lda >= n, [=] {
      const auto *from = memory<int64_t>(pivots, n, false);
      std::vector<blasint> order(from, from + n);
      getrs<T>(trans, n, nrhs, a, lda, order.data(), b, ldb);
    });
  });
}

COIL_FAKE_API int cusolverDnXpotrf_bufferSize(cusolverDnHandle_t,
                                              cusolverDnParams_t, int, int64_t,
                                              int, const void *, int64_t, int,
                                              size_t *device, size_t *host) {
  return giveSizes(device, host);
}
COIL_FAKE_API int cusolverDnXpotrf(cusolverDnHandle_t handle,
                                   cusolverDnParams_t, int uplo, int64_t n,
                                   int type, void *a, int64_t lda, int,
                                   void *work, size_t size, void *host,
                                   size_t hostSize, int *info) {
  return dispatch(type, [&](auto element) {
    using T = decltype(element);
    return enqueue("potrf", handle->stream,
                   hasWork(work, size, host, hostSize) && lda >= n,
                   [=] { potrf<T>(uplo, n, a, lda, info); });
  });
}
COIL_FAKE_API int cusolverDnXpotrs(cusolverDnHandle_t handle,
                                   cusolverDnParams_t, int uplo, int64_t n,
                                   int64_t nrhs, int type, const void *a,
                                   int64_t lda, int bType, void *b, int64_t ldb,
                                   int *) {
  return dispatch(type, [&](auto element) {
    using T = decltype(element);
    return enqueue("potrs", handle->stream, type == bType && lda >= n, [=] {
      blasint order = blasint(n), sides = blasint(nrhs), ld = blasint(lda),
              ldOther = blasint(ldb), info = 0;
      lapack<T>().potrs(triangle(uplo), &order, &sides,
                        memory<T>(a, lda * n, false), &ld,
                        memory<T>(b, ldb * nrhs, true), &ldOther, &info, 1);
    });
  });
}

COIL_FAKE_API int cusolverDnXgeqrf_bufferSize(cusolverDnHandle_t,
                                              cusolverDnParams_t, int64_t,
                                              int64_t, int, const void *,
                                              int64_t, int, const void *, int,
                                              size_t *device, size_t *host) {
  return giveSizes(device, host);
}
COIL_FAKE_API int cusolverDnXgeqrf(cusolverDnHandle_t handle,
                                   cusolverDnParams_t, int64_t m, int64_t n,
                                   int type, void *a, int64_t lda, int,
                                   void *tau, int, void *work, size_t size,
                                   void *host, size_t hostSize, int *) {
  return dispatch(type, [&](auto element) {
    using T = decltype(element);
    return enqueue("geqrf", handle->stream,
                   hasWork(work, size, host, hostSize) && lda >= m,
                   [=] { geqrf<T>(m, n, a, lda, tau); });
  });
}

COIL_FAKE_API int cusolverDnXsytrs_bufferSize(cusolverDnHandle_t, int, int64_t,
                                              int64_t, int, const void *,
                                              int64_t, const int64_t *, int,
                                              void *, int64_t, size_t *device,
                                              size_t *host) {
  return giveSizes(device, host);
}
COIL_FAKE_API int cusolverDnXsytrs(cusolverDnHandle_t handle, int uplo,
                                   int64_t n, int64_t nrhs, int type,
                                   const void *a, int64_t lda,
                                   const int64_t *pivots, int, void *b,
                                   int64_t ldb, void *work, size_t size,
                                   void *host, size_t hostSize, int *) {
  return dispatch(type, [&](auto element) {
    using T = decltype(element);
    return enqueue(
        "sytrs", handle->stream, hasWork(work, size, host, hostSize), [=] {
          const auto *from = memory<int64_t>(pivots, n, false);
          std::vector<blasint> order(from, from + n);
          blasint count = blasint(n), sides = blasint(nrhs), ld = blasint(lda),
                  ldOther = blasint(ldb), info = 0;
          lapack<T>().sytrs(triangle(uplo), &count, &sides,
                            memory<T>(a, lda * n, false), &ld, order.data(),
                            memory<T>(b, ldb * nrhs, true), &ldOther, &info, 1);
        });
  });
}

COIL_FAKE_API int cusolverDnXsyevd_bufferSize(cusolverDnHandle_t,
                                              cusolverDnParams_t, int, int,
                                              int64_t, int, const void *,
                                              int64_t, int, const void *, int,
                                              size_t *device, size_t *host) {
  return giveSizes(device, host);
}
COIL_FAKE_API int cusolverDnXsyevd(cusolverDnHandle_t handle,
                                   cusolverDnParams_t, int job, int uplo,
                                   int64_t n, int type, void *a, int64_t lda,
                                   int, void *values, int, void *work,
                                   size_t size, void *host, size_t hostSize,
                                   int *info) {
  return dispatch(type, [&](auto element) {
    using T = decltype(element);
    return enqueue("syevd", handle->stream, hasWork(work, size, host, hostSize),
                   [=] { eigh<T>(job, uplo, n, a, lda, values, info); });
  });
}
COIL_FAKE_API int
cusolverDnXsyevBatched_bufferSize(cusolverDnHandle_t, cusolverDnParams_t, int,
                                  int, int64_t, int, const void *, int64_t, int,
                                  const void *, int, size_t *device,
                                  size_t *host, int64_t) {
  return giveSizes(device, host);
}
COIL_FAKE_API int
cusolverDnXsyevBatched(cusolverDnHandle_t handle, cusolverDnParams_t, int job,
                       int uplo, int64_t n, int type, void *a, int64_t lda, int,
                       void *values, int, void *work, size_t size, void *host,
                       size_t hostSize, int *info, int64_t batch) {
  return dispatch(type, [&](auto element) {
    using T = decltype(element);
    return enqueue("syevBatched", handle->stream,
                   hasWork(work, size, host, hostSize), [=] {
                     for (int64_t i = 0; i < batch; ++i)
                       eigh<T>(job, uplo, n, static_cast<T *>(a) + i * lda * n,
                               lda, static_cast<Real<T> *>(values) + i * n,
                               info + i);
                   });
  });
}

COIL_FAKE_API int cusolverDnXgeev_bufferSize(
    cusolverDnHandle_t, cusolverDnParams_t, int, int, int64_t, int,
    const void *, int64_t, int, const void *, int, const void *, int64_t, int,
    const void *, int64_t, int, size_t *device, size_t *host) {
  return giveSizes(device, host);
}
COIL_FAKE_API int cusolverDnXgeev(cusolverDnHandle_t handle, cusolverDnParams_t,
                                  int leftJob, int job, int64_t n, int type,
                                  void *a, int64_t lda, int, void *values, int,
                                  void *, int64_t, int, void *right, int64_t,
                                  int, void *work, size_t size, void *host,
                                  size_t hostSize, int *info) {
  return dispatch(type, [&](auto element) {
    using T = decltype(element);
    return enqueue("geev", handle->stream,
                   hasWork(work, size, host, hostSize) && !leftJob &&
                       lda == n && isComplexElement<T>,
                   [=] { geev<T>(job, n, a, values, right, info); });
  });
}

COIL_FAKE_API int cusolverDnXgesvd_bufferSize(
    cusolverDnHandle_t, cusolverDnParams_t, signed char, signed char, int64_t,
    int64_t, int, const void *, int64_t, int, const void *, int, const void *,
    int64_t, int, const void *, int64_t, int, size_t *device, size_t *host) {
  return giveSizes(device, host);
}
COIL_FAKE_API int cusolverDnXgesvd(
    cusolverDnHandle_t handle, cusolverDnParams_t, signed char jobU,
    signed char jobV, int64_t m, int64_t n, int type, void *a, int64_t lda, int,
    void *values, int, void *u, int64_t ldu, int, void *v, int64_t ldv, int,
    void *work, size_t size, void *host, size_t hostSize, int *info) {
  return dispatch(type, [&](auto element) {
    using T = decltype(element);
    // Not for more columns than rows.
    return enqueue("gesvd", handle->stream,
                   hasWork(work, size, host, hostSize) && jobU == jobV &&
                       m >= n && lda == m && ldu == m && ldv == n,
                   [=] { gesvd<T>(char(jobU), m, n, a, values, u, v, info); });
  });
}

//===----------------------------------------------------------------------===//
// Functions of one type
//===----------------------------------------------------------------------===//

namespace {

bool hasElements(void *work, int count) {
  return count == workElements && memory<char>(work, 1, true);
}

template <typename T>
int potrfBatched(cusolverDnHandle_t handle, int uplo, int n, void **a, int lda,
                 int *info, int batch) {
  return enqueue("potrfBatched", handle->stream, lda >= n, [=] {
    for (int i = 0; i < batch; ++i)
      potrf<T>(uplo, n, at(a, i), lda, info + i);
  });
}

template <typename T>
int sytrf(cusolverDnHandle_t handle, int uplo, int n, void *a, int lda,
          int *pivots, void *work, int lwork, int *info) {
  return enqueue("sytrf", handle->stream, hasElements(work, lwork), [=] {
    blasint size = n, ld = lda;
    runWithWork<T>([&](T *space, blasint count) {
      blasint *result = memory<blasint>(info, 1, true);
      lapack<T>().sytrf(
          triangle(uplo), &size, memory<T>(a, int64_t(lda) * n, true), &ld,
          memory<blasint>(pivots, n, true), space, &count, result, 1);
      return *result;
    });
  });
}

template <typename T>
int orgqr(cusolverDnHandle_t handle, int m, int n, int k, void *a, int lda,
          const void *tau, void *work, int lwork, int *) {
  return enqueue("orgqr", handle->stream,
                 hasElements(work, lwork) && m >= n && n >= k, [=] {
                   blasint rows = m, columns = n, count = k, ld = lda;
                   runWithWork<T>([&](T *space, blasint size) {
                     blasint result = 0;
                     lapack<T>().orgqr(&rows, &columns, &count,
                                       memory<T>(a, int64_t(lda) * n, true),
                                       &ld, memory<T>(tau, k, false), space,
                                       &size, &result);
                     return result;
                   });
                 });
}

template <typename T>
int ormqr(cusolverDnHandle_t handle, int side, int trans, int m, int n, int k,
          const void *a, int lda, const void *tau, void *c, int ldc, void *work,
          int lwork, int *) {
  return enqueue(
      "ormqr", handle->stream, hasElements(work, lwork) && ldc >= m, [=] {
        blasint rows = m, columns = n, count = k, ld = lda, ldOther = ldc;
        runWithWork<T>([&](T *space, blasint size) {
          blasint result = 0;
          lapack<T>().ormqr(
              side == CUBLAS_SIDE_LEFT ? "L" : "R", operation(trans), &rows,
              &columns, &count, memory<T>(a, int64_t(lda) * k, false), &ld,
              memory<T>(tau, k, false), memory<T>(c, int64_t(ldc) * n, true),
              &ldOther, space, &size, &result, 1, 1);
          return result;
        });
      });
}

template <typename T>
int getrfBatched(cublasHandle_t handle, int n, void **a, int lda, int *pivots,
                 int *info, int batch) {
  return enqueue("getrfBatched", handle->stream, lda >= n, [=] {
    for (int i = 0; i < batch; ++i)
      getrf<T>(n, n, at(a, i), lda,
               pivots ? memory<blasint>(pivots + int64_t(i) * n, n, true)
                      : nullptr,
               info + i);
  });
}

template <typename T>
int getrsBatched(cublasHandle_t handle, int trans, int n, int nrhs, void **a,
                 int lda, const int *pivots, void **b, int ldb, int *info,
                 int batch) {
  *info = 0;
  return enqueue("getrsBatched", handle->stream, lda >= n, [=] {
    for (int i = 0; i < batch; ++i)
      getrs<T>(trans, n, nrhs, at(a, i), lda,
               memory<blasint>(pivots + int64_t(i) * n, n, false), at(b, i),
               ldb);
  });
}

template <typename T>
int geqrfBatched(cublasHandle_t handle, int m, int n, void **a, int lda,
                 void **tau, int *info, int batch) {
  *info = 0;
  return enqueue("geqrfBatched", handle->stream, lda >= m, [=] {
    for (int i = 0; i < batch; ++i)
      geqrf<T>(m, n, at(a, i), lda, at(tau, i));
  });
}

template <typename T>
int trsmBatched(cublasHandle_t handle, int side, int uplo, int trans, int diag,
                int m, int n, const void *alpha, void **a, int lda, void **b,
                int ldb, int batch) {
  T factor = *static_cast<const T *>(alpha);
  return enqueue(
      "trsmBatched", handle->stream, side == CUBLAS_SIDE_LEFT && lda >= m, [=] {
        for (int i = 0; i < batch; ++i) {
          blasint rows = m, columns = n, ld = lda, ldOther = ldb;
          lapack<T>().trsm("L", triangle(uplo), operation(trans),
                           diag == CUBLAS_DIAG_UNIT ? "U" : "N", &rows,
                           &columns, &factor,
                           memory<T>(at(a, i), int64_t(lda) * m, false), &ld,
                           memory<T>(at(b, i), int64_t(ldb) * n, true),
                           &ldOther, 1, 1, 1, 1);
        }
      });
}

} // namespace

#define COIL_FOR_TYPE(letter, T, org, orm)                                     \
  COIL_FAKE_API int cusolverDn##letter##potrfBatched(                          \
      cusolverDnHandle_t handle, int uplo, int n, void **a, int lda,           \
      int *info, int batch) {                                                  \
    return potrfBatched<T>(handle, uplo, n, a, lda, info, batch);              \
  }                                                                            \
  COIL_FAKE_API int cusolverDn##letter##sytrf_bufferSize(                      \
      cusolverDnHandle_t, int, void *, int, int *work) {                       \
    *work = workElements;                                                      \
    return 0;                                                                  \
  }                                                                            \
  COIL_FAKE_API int cusolverDn##letter##sytrf(                                 \
      cusolverDnHandle_t handle, int uplo, int n, void *a, int lda,            \
      int *pivots, void *work, int lwork, int *info) {                         \
    return sytrf<T>(handle, uplo, n, a, lda, pivots, work, lwork, info);       \
  }                                                                            \
  COIL_FAKE_API int cusolverDn##letter##org##_bufferSize(                      \
      cusolverDnHandle_t, int, int, int, const void *, int, const void *,      \
      int *work) {                                                             \
    *work = workElements;                                                      \
    return 0;                                                                  \
  }                                                                            \
  COIL_FAKE_API int cusolverDn##letter##org(                                   \
      cusolverDnHandle_t handle, int m, int n, int k, void *a, int lda,        \
      const void *tau, void *work, int lwork, int *info) {                     \
    return orgqr<T>(handle, m, n, k, a, lda, tau, work, lwork, info);          \
  }                                                                            \
  COIL_FAKE_API int cusolverDn##letter##orm##_bufferSize(                      \
      cusolverDnHandle_t, int, int, int, int, int, const void *, int,          \
      const void *, const void *, int, int *work) {                            \
    *work = workElements;                                                      \
    return 0;                                                                  \
  }                                                                            \
  COIL_FAKE_API int cusolverDn##letter##orm(                                   \
      cusolverDnHandle_t handle, int side, int trans, int m, int n, int k,     \
      const void *a, int lda, const void *tau, void *c, int ldc, void *work,   \
      int lwork, int *info) {                                                  \
    return ormqr<T>(handle, side, trans, m, n, k, a, lda, tau, c, ldc, work,   \
                    lwork, info);                                              \
  }                                                                            \
  COIL_FAKE_API int cublas##letter##getrfBatched(                              \
      cublasHandle_t handle, int n, void **a, int lda, int *pivots, int *info, \
      int batch) {                                                             \
    return getrfBatched<T>(handle, n, a, lda, pivots, info, batch);            \
  }                                                                            \
  COIL_FAKE_API int cublas##letter##getrsBatched(                              \
      cublasHandle_t handle, int trans, int n, int nrhs, void **a, int lda,    \
      const int *pivots, void **b, int ldb, int *info, int batch) {            \
    return getrsBatched<T>(handle, trans, n, nrhs, a, lda, pivots, b, ldb,     \
                           info, batch);                                       \
  }                                                                            \
  COIL_FAKE_API int cublas##letter##geqrfBatched(                              \
      cublasHandle_t handle, int m, int n, void **a, int lda, void **tau,      \
      int *info, int batch) {                                                  \
    return geqrfBatched<T>(handle, m, n, a, lda, tau, info, batch);            \
  }                                                                            \
  COIL_FAKE_API int cublas##letter##trsmBatched(                               \
      cublasHandle_t handle, int side, int uplo, int trans, int diag, int m,   \
      int n, const void *alpha, void **a, int lda, void **b, int ldb,          \
      int batch) {                                                             \
    return trsmBatched<T>(handle, side, uplo, trans, diag, m, n, alpha, a,     \
                          lda, b, ldb, batch);                                 \
  }
COIL_FOR_TYPE(S, float, orgqr, ormqr)
COIL_FOR_TYPE(D, double, orgqr, ormqr)
COIL_FOR_TYPE(C, std::complex<float>, ungqr, unmqr)
COIL_FOR_TYPE(Z, std::complex<double>, ungqr, unmqr)

COIL_FAKE_API int cublasCreate_v2(cublasHandle_t *handle) {
  *handle = new cublasContext;
  return 0;
}
COIL_FAKE_API int cublasSetStream_v2(cublasHandle_t handle, CUstream stream) {
  handle->stream = stream;
  return 0;
}
