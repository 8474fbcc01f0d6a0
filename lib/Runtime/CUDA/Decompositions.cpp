//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of ../Decompositions.cpp on GPUs, by cuSOLVER. It has no least
// squares by singular values; PyTorch has none on GPUs, either.
//
//===----------------------------------------------------------------------===//

#include "DeviceLinalg.h"

using namespace coil::rt;
using namespace coil::rt::cuda;

/// Fails if one of the iterations did not converge.
static int32_t checkConvergence(LinalgCall &c, const int *info, int64_t count) {
  std::vector<int32_t> known;
  if (int32_t status = c.download(info, count, known))
    return status;
  for (int32_t result : known)
    if (result > 0)
      return failToConverge(c.call);
  return COIL_OK;
}

template <typename T>
static int32_t eigh(coil_call *call) {
  using R = Real<T>;
  constexpr int type = cudaTypeOf<T>(), valueType = cudaTypeOf<R>();
  Stack<T> a, vectors;
  Stack<R> values;
  LinalgCall c(call);
  if (int32_t status = c.prepare())
    return status;
  bool upper = getFlag(call, 1), wanted = getFlag(call, 2);
  if (!readStack(call, coil_call_tensor(call, 0), 2, a) ||
      !makeResult(call, 0, a.batch, {a.rows}, values) ||
      !makeResult(call, 1, a.batch, {wanted ? a.rows : 0, wanted ? a.rows : 0},
                  vectors))
    return failed(call);
  if (a.rows != a.columns)
    return coil_call_fail(call, "the matrix is not square");
  int64_t n = a.rows, count = a.count();
  if (n == 0 || count == 0)
    return COIL_OK;
  int job = wanted ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
  int uplo = upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
  Matrices<T> matrix;
  Matrices<R> results;
  int *info = nullptr;
  if (int32_t status = c.load(a, matrix))
    return status;
  if (int32_t status = c.allocate(count, n, 1, results))
    return status;
  if (int32_t status = c.allocate(count, info))
    return status;
  constexpr char what[] = "eigenvalues of a symmetric matrix";
  bool isStack = c.isStack(count, n);
  if (int32_t status = c.forEach(
          what, isStack ? 1 : count,
          [&](size_t *device, size_t *host) {
            if (isStack)
              return c.solver->cusolverDnXsyevBatched_bufferSize(
                  c.handle, c.params, job, uplo, n, type, matrix.data, n,
                  valueType, results.data, type, device, host, count);
            return c.solver->cusolverDnXsyevd_bufferSize(
                c.handle, c.params, job, uplo, n, type, matrix.data, n,
                valueType, results.data, type, device, host);
          },
          [&](void *work, size_t device, void *hostWork, size_t host,
              int64_t i) {
            if (isStack)
              return c.solver->cusolverDnXsyevBatched(
                  c.handle, c.params, job, uplo, n, type, matrix.data, n,
                  valueType, results.data, type, work, device, hostWork, host,
                  info, count);
            return c.solver->cusolverDnXsyevd(c.handle, c.params, job, uplo, n,
                                              type, matrix.at(i), n, valueType,
                                              results.at(i), type, work, device,
                                              hostWork, host, info + i);
          }))
    return status;
  if (int32_t status = c.store(results, values))
    return status;
  if (wanted)
    if (int32_t status = c.store(matrix, vectors))
      return status;
  return checkConvergence(c, info, count);
}

template <typename T>
static int32_t eig(coil_call *call) {
  using R = Real<T>;
  using C = std::complex<R>;
  // The eigenvalues of a real matrix are complex, and so are its vectors; in
  // complex arithmetic the library gives them as such.
  constexpr int type = cudaTypeOf<C>();
  Stack<T> a;
  Stack<C> values, vectors;
  LinalgCall c(call);
  if (int32_t status = c.prepare())
    return status;
  bool wanted = getFlag(call, 1);
  if (!readStack(call, coil_call_tensor(call, 0), 2, a) ||
      !makeResult(call, 0, a.batch, {a.rows}, values) ||
      !makeResult(call, 1, a.batch, {wanted ? a.rows : 0, wanted ? a.rows : 0},
                  vectors))
    return failed(call);
  if (a.rows != a.columns)
    return coil_call_fail(call, "the matrix is not square");
  int64_t n = a.rows, count = a.count();
  if (n == 0 || count == 0)
    return COIL_OK;
  Matrices<T> given;
  Matrices<C> matrix, right, results;
  int *info = nullptr;
  if (int32_t status = c.load(a, given))
    return status;
  if constexpr (isComplexElement<T>) {
    matrix.data = given.data;
    matrix.count = count;
    matrix.rows = matrix.columns = n;
  } else {
    int64_t elements = count * n * n;
    if (int32_t status = c.allocate(count, n, n, matrix))
      return status;
    if (int32_t status = c.clear(matrix.data, elements * int64_t(sizeof(C))))
      return status;
    if (int32_t status = copyElements(c.state, matrix.data, {2}, given.data,
                                      {1}, {elements}, sizeof(R)))
      return status;
  }
  if (int32_t status = c.allocate(count, wanted ? n : 0, n, right))
    return status;
  if (int32_t status = c.allocate(count, n, 1, results))
    return status;
  if (int32_t status = c.allocate(count, info))
    return status;
  int job = wanted ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
  if (int32_t status = c.forEach(
          "eigenvalues of a matrix", count,
          [&](size_t *device, size_t *host) {
            return c.solver->cusolverDnXgeev_bufferSize(
                c.handle, c.params, CUSOLVER_EIG_MODE_NOVECTOR, job, n, type,
                matrix.data, n, type, results.data, type, nullptr, n, type,
                right.data, n, type, device, host);
          },
          [&](void *work, size_t device, void *hostWork, size_t host,
              int64_t i) {
            return c.solver->cusolverDnXgeev(
                c.handle, c.params, CUSOLVER_EIG_MODE_NOVECTOR, job, n, type,
                matrix.at(i), n, type, results.at(i), type, nullptr, n, type,
                right.at(i), n, type, work, device, hostWork, host, info + i);
          }))
    return status;
  if (int32_t status = c.store(results, values))
    return status;
  if (wanted)
    if (int32_t status = c.store(right, vectors))
      return status;
  return checkConvergence(c, info, count);
}

/// Fills square matrices with the identity.
template <typename T>
static int32_t storeIdentity(LinalgCall &c, const Stack<T> &to) {
  Matrices<T> matrix;
  int64_t count = to.count(), n = to.rows;
  if (int32_t status = c.allocate(count, n, n, matrix))
    return status;
  std::vector<T> identity(size_t(count * n * n), T(0));
  for (int64_t i = 0; i < count * n; ++i)
    identity[size_t(i * n + i % n)] = T(1);
  if (int32_t status = c.upload(matrix.data, identity.data(),
                                int64_t(identity.size() * sizeof(T))))
    return status;
  return c.store(matrix, to);
}

template <typename T>
static int32_t svd(coil_call *call) {
  using R = Real<T>;
  constexpr int type = cudaTypeOf<T>(), valueType = cudaTypeOf<R>();
  Stack<T> a, u, vh;
  Stack<R> s;
  LinalgCall c(call);
  if (int32_t status = c.prepare())
    return status;
  bool full = getFlag(call, 1), wanted = getFlag(call, 2);
  if (!readStack(call, coil_call_tensor(call, 0), 2, a))
    return failed(call);
  int64_t least = std::min(a.rows, a.columns);
  int64_t left = full ? a.rows : least, right = full ? a.columns : least;
  if (!makeResult(call, 0, a.batch, {wanted ? a.rows : 0, wanted ? left : 0},
                  u) ||
      !makeResult(call, 1, a.batch, {least}, s) ||
      !makeResult(call, 2, a.batch,
                  {wanted ? right : 0, wanted ? a.columns : 0}, vh))
    return failed(call);
  int64_t count = a.count();
  if (count == 0)
    return COIL_OK;
  if (least == 0) {
    // Of an empty matrix any orthonormal vectors will do.
    if (wanted && a.rows > 0 && left > 0)
      return storeIdentity(c, u);
    return wanted && a.columns > 0 && right > 0 ? storeIdentity(c, vh)
                                                : int32_t(COIL_OK);
  }
  // The library needs as many rows as columns, or more. The transpose of
  // u s vh is the transpose of vh, s and the transpose of u.
  bool isWide = a.rows < a.columns;
  if (isWide) {
    a = transposed(a);
    std::swap(u, vh);
    u = transposed(u);
    vh = transposed(vh);
  }
  int64_t m = a.rows, n = a.columns;
  signed char job = !wanted ? 'N' : full ? 'A' : 'S';
  Matrices<T> matrix, leftVectors, rightVectors;
  Matrices<R> values;
  int *info = nullptr;
  if (int32_t status = c.load(a, matrix))
    return status;
  if (int32_t status =
          c.allocate(count, wanted ? m : 0, full ? m : n, leftVectors))
    return status;
  if (int32_t status = c.allocate(count, wanted ? n : 0, n, rightVectors))
    return status;
  if (int32_t status = c.allocate(count, n, 1, values))
    return status;
  if (int32_t status = c.allocate(count, info))
    return status;
  if (int32_t status = c.forEach(
          "singular values", count,
          [&](size_t *device, size_t *host) {
            return c.solver->cusolverDnXgesvd_bufferSize(
                c.handle, c.params, job, job, m, n, type, matrix.data, m,
                valueType, values.data, type, leftVectors.data, m, type,
                rightVectors.data, n, type, device, host);
          },
          [&](void *work, size_t device, void *hostWork, size_t host,
              int64_t i) {
            return c.solver->cusolverDnXgesvd(
                c.handle, c.params, job, job, m, n, type, matrix.at(i), m,
                valueType, values.at(i), type, leftVectors.at(i), m, type,
                rightVectors.at(i), n, type, work, device, hostWork, host,
                info + i);
          }))
    return status;
  if (int32_t status = c.store(values, s))
    return status;
  if (wanted) {
    if (int32_t status = c.store(leftVectors, u))
      return status;
    if (int32_t status = c.store(rightVectors, vh))
      return status;
  }
  return checkConvergence(c, info, count);
}

void coil::rt::cuda::registerDecompositions() {
  registerAll({COIL_LINALG_FUNCTION("coil::linalg_eigh", eigh),
               COIL_LINALG_FUNCTION("coil::linalg_eig", eig),
               COIL_LINALG_FUNCTION("coil::linalg_svd", svd)},
              COIL_CUDA);
}

void coil::rt::cuda::registerLinalg() {
  registerFactorizations();
  registerDecompositions();
}
