//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of ../Factorizations.cpp on GPUs, by cuSOLVER and cuBLAS.
//
//===----------------------------------------------------------------------===//

#include "DeviceLinalg.h"

using namespace coil::rt;
using namespace coil::rt::cuda;

/// coil::linalg_lu, and coil::linalg_lu_unpivoted(a, check) -> lu, info.
template <typename T, bool isPivoted>
static int32_t factorize(coil_call *call) {
  constexpr int type = cudaTypeOf<T>();
  Stack<T> a, factor;
  Stack<blasint> pivots, info;
  LinalgCall c(call);
  if (int32_t status = c.prepare())
    return status;
  if (!readStack(call, coil_call_tensor(call, 0), 2, a) ||
      !makeResult(call, 0, a.batch, {a.rows, a.columns}, factor) ||
      (isPivoted &&
       !makeResult(call, 1, a.batch, {std::min(a.rows, a.columns)}, pivots)) ||
      !makeResult(call, isPivoted ? 2 : 1, a.batch, {}, info))
    return failed(call);
  int64_t count = a.count(), m = a.rows, n = a.columns, k = std::min(m, n);
  Matrices<T> matrix;
  Matrices<blasint> order, results;
  if (int32_t status = c.load(a, matrix))
    return status;
  if (int32_t status = c.allocate(count, k, 1, order))
    return status;
  if (int32_t status = c.allocateInfo(count, results))
    return status;
  if (k > 0 && count > 0) {
    if (m == n && c.isStack(count, n)) {
      void **pointers = nullptr;
      if (int32_t status = c.getPointers(matrix, pointers))
        return status;
      if (int32_t status = checkCuBlas(
              COIL_BLAS_FOR(T, *c.blas, getrfBatched)(
                  c.blasHandle, int(n), pointers, int(n),
                  isPivoted ? order.data : nullptr, results.data, int(count)),
              "LU factorization"))
        return status;
    } else {
      int64_t *wide = nullptr;
      if (int32_t status = c.allocate(count * k, wide))
        return status;
      if (int32_t status = c.forEach(
              "LU factorization", count,
              [&](size_t *device, size_t *host) {
                return c.solver->cusolverDnXgetrf_bufferSize(
                    c.handle, c.params, m, n, type, matrix.data, matrix.ld(),
                    type, device, host);
              },
              [&](void *work, size_t device, void *hostWork, size_t host,
                  int64_t i) {
                return c.solver->cusolverDnXgetrf(
                    c.handle, c.params, m, n, type, matrix.at(i), matrix.ld(),
                    isPivoted ? wide + i * k : nullptr, type, work, device,
                    hostWork, host, results.at(i));
              }))
        return status;
      if (isPivoted)
        if (int32_t status = c.narrow(wide, count * k, order.data))
          return status;
    }
  }
  if (int32_t status = c.store(matrix, factor))
    return status;
  if (isPivoted)
    if (int32_t status = c.store(order, pivots))
      return status;
  if (int32_t status = c.store(results, info))
    return status;
  if (getFlag(call, 1)) {
    std::vector<blasint> known;
    if (int32_t status = c.download(results.data, count, known))
      return status;
    for (blasint result : known)
      if (result > 0)
        return coil_call_fail(call, "the input matrix is singular");
  }
  return COIL_OK;
}

template <typename T>
static int32_t lu(coil_call *call) {
  return factorize<T, true>(call);
}
template <typename T>
static int32_t luUnpivoted(coil_call *call) {
  return factorize<T, false>(call);
}

static int32_t permutation(coil_call *call, void *) {
  return guarded([&]() -> int32_t {
    Stack<blasint> pivots;
    Stack<int64_t> order;
    LinalgCall c(call);
    const int64_t *rows = coil_call_int(call, 1);
    const coil_tensor *tensor = coil_call_tensor(call, 0);
    if (!rows || *rows < 0 || !tensor || tensor->dtype != COIL_I32 ||
        !readStack(call, tensor, 1, pivots) ||
        !makeResult(call, 0, pivots.batch, {*rows}, order))
      return failed(call);
    Matrices<blasint> given;
    Matrices<int64_t> computed;
    if (int32_t status = c.load(pivots, given))
      return status;
    if (int32_t status = c.allocate(given.count, *rows, 1, computed))
      return status;
    if (int32_t status = computeOrder(c.state, given.data, given.count,
                                      given.rows, *rows, computed.data))
      return status;
    return c.store(computed, order);
  });
}

template <typename T>
static int32_t luSolve(coil_call *call) {
  constexpr int type = cudaTypeOf<T>();
  LinearSystem<T> s;
  LinalgCall c(call);
  if (int32_t status = c.prepare())
    return status;
  const char *transposition = coil_call_string(call, 3);
  if (!transposition)
    return failed(call);
  if (int32_t status = s.read(call, /*hasPivots=*/true))
    return status;
  int trans = *transposition == 'N'   ? CUBLAS_OP_N
              : *transposition == 'T' ? CUBLAS_OP_T
                                      : int(CUBLAS_OP_C);
  int64_t n = s.b.rows, columns = s.b.columns;
  Matrices<T> matrix, sides;
  Matrices<blasint> order;
  if (int32_t status = c.load(s.factor, s.batch, matrix))
    return status;
  if (int32_t status = c.load(s.pivots, s.batch, order))
    return status;
  if (int32_t status = c.load(s.b, s.batch, sides))
    return status;
  if (n > 0 && columns > 0 && sides.count > 0) {
    if (c.isStack(sides.count, n)) {
      void **factors = nullptr, **right = nullptr;
      if (int32_t status = c.getPointers(matrix, factors))
        return status;
      if (int32_t status = c.getPointers(sides, right))
        return status;
      int info = 0; // On the host: which argument is wrong.
      if (int32_t status = checkCuBlas(
              COIL_BLAS_FOR(T, *c.blas, getrsBatched)(
                  c.blasHandle, trans, int(n), int(columns), factors, int(n),
                  order.data, right, int(n), &info, int(sides.count)),
              "solution of an LU factorization"))
        return status;
    } else {
      int64_t *wide = nullptr;
      int *info = nullptr;
      if (int32_t status = c.allocate(sides.count * n, wide))
        return status;
      if (int32_t status = c.allocate(1, info))
        return status;
      if (int32_t status = c.widen(order.data, sides.count * n, wide))
        return status;
      for (int64_t i = 0; i < sides.count; ++i)
        if (int32_t status = checkCuSolver(
                c.solver->cusolverDnXgetrs(
                    c.handle, c.params, trans, n, columns, type, matrix.at(i),
                    n, wide + i * n, type, sides.at(i), n, info),
                "solution of an LU factorization"))
          return status;
    }
  }
  return c.store(sides, s.x);
}

template <typename T>
static int32_t cholesky(coil_call *call) {
  constexpr int type = cudaTypeOf<T>();
  Stack<T> a, factor;
  Stack<blasint> info;
  LinalgCall c(call);
  if (int32_t status = c.prepare())
    return status;
  if (!readStack(call, coil_call_tensor(call, 0), 2, a) ||
      !makeResult(call, 0, a.batch, {a.rows, a.columns}, factor) ||
      !makeResult(call, 1, a.batch, {}, info))
    return failed(call);
  if (a.rows != a.columns)
    return coil_call_fail(call, "the matrix is not square");
  bool upper = getFlag(call, 1);
  int uplo = upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
  int64_t n = a.rows, count = a.count();
  Matrices<T> matrix;
  Matrices<blasint> results;
  if (int32_t status = c.load(a, matrix))
    return status;
  if (int32_t status = c.allocateInfo(count, results))
    return status;
  if (n > 0 && count > 0) {
    if (c.isStack(count, n)) {
      void **pointers = nullptr;
      if (int32_t status = c.getPointers(matrix, pointers))
        return status;
      if (int32_t status = checkCuSolver(
              COIL_SOLVER_FOR(T, *c.solver, potrfBatched,
                              potrfBatched)(c.handle, uplo, int(n), pointers,
                                            int(n), results.data, int(count)),
              "Cholesky factorization"))
        return status;
    } else if (int32_t status = c.forEach(
                   "Cholesky factorization", count,
                   [&](size_t *device, size_t *host) {
                     return c.solver->cusolverDnXpotrf_bufferSize(
                         c.handle, c.params, uplo, n, type, matrix.data, n,
                         type, device, host);
                   },
                   [&](void *work, size_t device, void *hostWork, size_t host,
                       int64_t i) {
                     return c.solver->cusolverDnXpotrf(
                         c.handle, c.params, uplo, n, type, matrix.at(i), n,
                         type, work, device, hostWork, host, results.at(i));
                   })) {
      return status;
    }
  }
  // The other triangle is not the library's.
  if (int32_t status = c.keepTriangle(matrix, upper))
    return status;
  if (int32_t status = c.store(matrix, factor))
    return status;
  if (int32_t status = c.store(results, info))
    return status;
  if (getFlag(call, 2)) {
    std::vector<blasint> known;
    if (int32_t status = c.download(results.data, count, known))
      return status;
    for (blasint result : known)
      if (result > 0)
        return failNotPositive(call, result);
  }
  return COIL_OK;
}

/// Solves with triangles, in place; there are elements.
template <typename T>
static int32_t solveTriangles(LinalgCall &c, const Matrices<T> &matrix,
                              const Matrices<T> &sides, int uplo, int trans,
                              int diag) {
  void **matrices = nullptr, **right = nullptr;
  if (int32_t status = c.getPointers(matrix, matrices))
    return status;
  if (int32_t status = c.getPointers(sides, right))
    return status;
  T one(1);
  int n = int(sides.rows), columns = int(sides.columns);
  return checkCuBlas(COIL_BLAS_FOR(T, *c.blas, trsmBatched)(
                         c.blasHandle, CUBLAS_SIDE_LEFT, uplo, trans, diag, n,
                         columns, &one, matrices, n, right, n,
                         int(sides.count)),
                     "solution of a triangular system");
}

template <typename T>
static int32_t choleskySolve(coil_call *call) {
  constexpr int type = cudaTypeOf<T>();
  LinearSystem<T> s;
  LinalgCall c(call);
  if (int32_t status = c.prepare())
    return status;
  if (int32_t status = s.read(call, /*hasPivots=*/false))
    return status;
  int uplo = getFlag(call, 2) ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
  int64_t n = s.b.rows, columns = s.b.columns;
  Matrices<T> matrix, sides;
  int *info = nullptr;
  if (int32_t status = c.load(s.factor, s.batch, matrix))
    return status;
  if (int32_t status = c.load(s.b, s.batch, sides))
    return status;
  if (int32_t status = c.allocate(1, info))
    return status;
  bool isEmpty = n == 0 || columns == 0 || sides.count == 0;
  bool isStack = !isEmpty && c.isStack(sides.count, n);
  if (isStack) {
    // With the lower factor L: L y = b, then the adjoint of L times x is y.
    bool isUpper = uplo == CUBLAS_FILL_MODE_UPPER;
    int adjoint = isComplexElement<T> ? int(CUBLAS_OP_C) : int(CUBLAS_OP_T);
    for (int trans : {isUpper ? adjoint : int(CUBLAS_OP_N),
                      isUpper ? int(CUBLAS_OP_N) : adjoint})
      if (int32_t status = solveTriangles(c, matrix, sides, uplo, trans,
                                          CUBLAS_DIAG_NON_UNIT))
        return status;
  }
  for (int64_t i = 0; !isEmpty && !isStack && i < sides.count; ++i)
    if (int32_t status =
            checkCuSolver(c.solver->cusolverDnXpotrs(
                              c.handle, c.params, uplo, n, columns, type,
                              matrix.at(i), n, type, sides.at(i), n, info),
                          "solution of a Cholesky factorization"))
      return status;
  return c.store(sides, s.x);
}

/// What cuSOLVER lacks.
template <typename T>
static int32_t refuseHermitian(coil_call *call, bool isHermitian) {
  if (!isComplexElement<T> || !isHermitian)
    return COIL_OK;
  return coil_call_fail(call, "library 'cusolver' factorizes symmetric "
                              "matrices, but no complex Hermitian ones");
}

template <typename T>
static int32_t ldl(coil_call *call) {
  Stack<T> a, factor;
  Stack<blasint> pivots, info;
  LinalgCall c(call);
  if (int32_t status = c.prepare())
    return status;
  if (!readStack(call, coil_call_tensor(call, 0), 2, a) ||
      !makeResult(call, 0, a.batch, {a.rows, a.columns}, factor) ||
      !makeResult(call, 1, a.batch, {a.rows}, pivots) ||
      !makeResult(call, 2, a.batch, {}, info))
    return failed(call);
  if (a.rows != a.columns)
    return coil_call_fail(call, "the matrix is not square");
  if (int32_t status = refuseHermitian<T>(call, getFlag(call, 1)))
    return status;
  int n = int(a.rows);
  int64_t count = a.count();
  Matrices<T> matrix;
  Matrices<blasint> order, results;
  if (int32_t status = c.load(a, matrix))
    return status;
  if (int32_t status = c.allocate(count, n, 1, order))
    return status;
  if (int32_t status = c.allocateInfo(count, results))
    return status;
  if (n > 0 && count > 0) {
    int size = 0;
    T *work = nullptr;
    if (int32_t status = checkCuSolver(
            COIL_SOLVER_FOR(T, *c.solver, sytrf_bufferSize, sytrf_bufferSize)(
                c.handle, n, matrix.data, n, &size),
            "LDL factorization"))
      return status;
    if (int32_t status = c.allocate(size, work))
      return status;
    for (int64_t i = 0; i < count; ++i)
      if (int32_t status = checkCuSolver(
              COIL_SOLVER_FOR(T, *c.solver, sytrf, sytrf)(
                  c.handle, CUBLAS_FILL_MODE_LOWER, n, matrix.at(i), n,
                  order.at(i), work, size, results.at(i)),
              "LDL factorization"))
        return status;
  }
  if (int32_t status = c.keepTriangle(matrix, /*isUpper=*/false))
    return status;
  if (int32_t status = c.store(matrix, factor))
    return status;
  if (int32_t status = c.store(order, pivots))
    return status;
  return c.store(results, info);
}

template <typename T>
static int32_t ldlSolve(coil_call *call) {
  constexpr int type = cudaTypeOf<T>();
  LinearSystem<T> s;
  LinalgCall c(call);
  if (int32_t status = c.prepare())
    return status;
  if (int32_t status = s.read(call, /*hasPivots=*/true))
    return status;
  if (int32_t status = refuseHermitian<T>(call, getFlag(call, 3)))
    return status;
  int64_t n = s.b.rows, columns = s.b.columns;
  Matrices<T> matrix, sides;
  Matrices<blasint> order;
  int64_t *wide = nullptr;
  int *info = nullptr;
  if (int32_t status = c.load(s.factor, s.batch, matrix))
    return status;
  if (int32_t status = c.load(s.pivots, s.batch, order))
    return status;
  if (int32_t status = c.load(s.b, s.batch, sides))
    return status;
  if (int32_t status = c.allocate(sides.count * n, wide))
    return status;
  if (int32_t status = c.allocate(1, info))
    return status;
  if (int32_t status = c.widen(order.data, sides.count * n, wide))
    return status;
  if (n > 0 && columns > 0 && sides.count > 0)
    if (int32_t status = c.forEach(
            "solution of an LDL factorization", sides.count,
            [&](size_t *device, size_t *host) {
              return c.solver->cusolverDnXsytrs_bufferSize(
                  c.handle, CUBLAS_FILL_MODE_LOWER, n, columns, type,
                  matrix.data, n, wide, type, sides.data, n, device, host);
            },
            [&](void *work, size_t device, void *hostWork, size_t host,
                int64_t i) {
              return c.solver->cusolverDnXsytrs(
                  c.handle, CUBLAS_FILL_MODE_LOWER, n, columns, type,
                  matrix.at(i), n, wide + i * n, type, sides.at(i), n, work,
                  device, hostWork, host, info);
            }))
      return status;
  return c.store(sides, s.x);
}

template <typename T>
static int32_t solveTriangular(coil_call *call) {
  LinearSystem<T> s;
  LinalgCall c(call);
  if (int32_t status = c.prepare())
    return status;
  if (int32_t status = s.read(call, /*hasPivots=*/false))
    return status;
  int uplo = getFlag(call, 2) ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
  int diag = getFlag(call, 3) ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
  Matrices<T> matrix, sides;
  if (int32_t status = c.load(s.factor, s.batch, matrix))
    return status;
  if (int32_t status = c.load(s.b, s.batch, sides))
    return status;
  if (sides.rows > 0 && sides.columns > 0 && sides.count > 0) {
    if (int32_t status =
            solveTriangles(c, matrix, sides, uplo, CUBLAS_OP_N, diag))
      return status;
  }
  return c.store(sides, s.x);
}

template <typename T>
static int32_t geqrf(coil_call *call) {
  constexpr int type = cudaTypeOf<T>();
  Stack<T> a, factor, tau;
  LinalgCall c(call);
  if (int32_t status = c.prepare())
    return status;
  if (!readStack(call, coil_call_tensor(call, 0), 2, a) ||
      !makeResult(call, 0, a.batch, {a.rows, a.columns}, factor) ||
      !makeResult(call, 1, a.batch, {std::min(a.rows, a.columns)}, tau))
    return failed(call);
  int64_t m = a.rows, n = a.columns;
  Matrices<T> matrix, factors;
  int *info = nullptr;
  if (int32_t status = c.load(a, matrix))
    return status;
  if (int32_t status = c.allocate(matrix.count, std::min(m, n), 1, factors))
    return status;
  if (int32_t status = c.allocate(1, info))
    return status;
  bool isEmpty = m == 0 || n == 0 || matrix.count == 0;
  bool isStack = !isEmpty && c.isStack(matrix.count, std::max(m, n));
  if (isStack) {
    void **matrices = nullptr, **reflections = nullptr;
    if (int32_t status = c.getPointers(matrix, matrices))
      return status;
    if (int32_t status = c.getPointers(factors, reflections))
      return status;
    int wrong = 0; // On the host: which argument is.
    if (int32_t status =
            checkCuBlas(COIL_BLAS_FOR(T, *c.blas, geqrfBatched)(
                            c.blasHandle, int(m), int(n), matrices, int(m),
                            reflections, &wrong, int(matrix.count)),
                        "QR factorization"))
      return status;
  }
  if (!isEmpty && !isStack)
    if (int32_t status = c.forEach(
            "QR factorization", matrix.count,
            [&](size_t *device, size_t *host) {
              return c.solver->cusolverDnXgeqrf_bufferSize(
                  c.handle, c.params, m, n, type, matrix.data, m, type,
                  factors.data, type, device, host);
            },
            [&](void *work, size_t device, void *hostWork, size_t host,
                int64_t i) {
              return c.solver->cusolverDnXgeqrf(
                  c.handle, c.params, m, n, type, matrix.at(i), m, type,
                  factors.at(i), type, work, device, hostWork, host, info);
            }))
      return status;
  if (int32_t status = c.store(matrix, factor))
    return status;
  return c.store(factors, tau);
}

template <typename T>
static int32_t householder(coil_call *call) {
  Stack<T> factor, tau, q;
  LinalgCall c(call);
  if (int32_t status = c.prepare())
    return status;
  if (!readStack(call, coil_call_tensor(call, 0), 2, factor) ||
      !readStack(call, coil_call_tensor(call, 1), 1, tau) ||
      !makeResult(call, 0, factor.batch, {factor.rows, factor.columns}, q))
    return failed(call);
  if (tau.batch != factor.batch || tau.rows > factor.columns ||
      factor.columns > factor.rows)
    return coil_call_fail(call, "the sizes of the matrices do not agree");
  int m = int(factor.rows), n = int(factor.columns), k = int(tau.rows);
  Matrices<T> matrix, factors;
  int *info = nullptr;
  if (int32_t status = c.load(factor, matrix))
    return status;
  if (int32_t status = c.load(tau, factors))
    return status;
  if (int32_t status = c.allocate(1, info))
    return status;
  if (m > 0 && n > 0 && matrix.count > 0) {
    constexpr char what[] = "product of Householder reflections";
    int size = 0;
    T *work = nullptr;
    if (int32_t status = checkCuSolver(
            COIL_SOLVER_FOR(T, *c.solver, orgqr_bufferSize, ungqr_bufferSize)(
                c.handle, m, n, k, matrix.data, m, factors.data, &size),
            what))
      return status;
    if (int32_t status = c.allocate(size, work))
      return status;
    for (int64_t i = 0; i < matrix.count; ++i)
      if (int32_t status =
              checkCuSolver(COIL_SOLVER_FOR(T, *c.solver, orgqr, ungqr)(
                                c.handle, m, n, k, matrix.at(i), m,
                                factors.at(i), work, size, info),
                            what))
        return status;
  }
  return c.store(matrix, q);
}

template <typename T>
static int32_t ormqr(coil_call *call) {
  Stack<T> factor, tau, other, product;
  LinalgCall c(call);
  if (int32_t status = c.prepare())
    return status;
  if (!readStack(call, coil_call_tensor(call, 0), 2, factor) ||
      !readStack(call, coil_call_tensor(call, 1), 1, tau) ||
      !readStack(call, coil_call_tensor(call, 2), 2, other) ||
      !makeResult(call, 0, other.batch, {other.rows, other.columns}, product))
    return failed(call);
  bool left = getFlag(call, 3), adjoint = getFlag(call, 4);
  if (tau.batch != factor.batch || other.batch != factor.batch ||
      tau.rows > factor.columns ||
      (left ? other.rows : other.columns) != factor.rows ||
      tau.rows > factor.rows)
    return coil_call_fail(call, "the sizes of the matrices do not agree");
  int m = int(other.rows), n = int(other.columns), k = int(tau.rows);
  int side = left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT;
  int trans = !adjoint              ? CUBLAS_OP_N
              : isComplexElement<T> ? int(CUBLAS_OP_C)
                                    : int(CUBLAS_OP_T);
  Matrices<T> matrix, factors, result;
  int *info = nullptr;
  if (int32_t status = c.load(factor, matrix))
    return status;
  if (int32_t status = c.load(tau, factors))
    return status;
  if (int32_t status = c.load(other, result))
    return status;
  if (int32_t status = c.allocate(1, info))
    return status;
  if (m > 0 && n > 0 && k > 0 && result.count > 0) {
    constexpr char what[] = "product with Householder reflections";
    int size = 0, lda = int(matrix.ld());
    T *work = nullptr;
    if (int32_t status = checkCuSolver(
            COIL_SOLVER_FOR(T, *c.solver, ormqr_bufferSize, unmqr_bufferSize)(
                c.handle, side, trans, m, n, k, matrix.data, lda, factors.data,
                result.data, m, &size),
            what))
      return status;
    if (int32_t status = c.allocate(size, work))
      return status;
    for (int64_t i = 0; i < result.count; ++i)
      if (int32_t status = checkCuSolver(
              COIL_SOLVER_FOR(T, *c.solver, ormqr, unmqr)(
                  c.handle, side, trans, m, n, k, matrix.at(i), lda,
                  factors.at(i), result.at(i), m, work, size, info),
              what))
        return status;
  }
  return c.store(result, product);
}

void coil::rt::cuda::registerFactorizations() {
  registerAll(
      {COIL_LINALG_FUNCTION("coil::linalg_lu", lu),
       COIL_LINALG_FUNCTION("coil::linalg_lu_unpivoted", luUnpivoted),
       COIL_LINALG_FUNCTION("coil::linalg_lu_solve", luSolve),
       COIL_LINALG_FUNCTION("coil::linalg_cholesky", cholesky),
       COIL_LINALG_FUNCTION("coil::linalg_cholesky_solve", choleskySolve),
       COIL_LINALG_FUNCTION("coil::linalg_cholesky_inverse", choleskySolve),
       COIL_LINALG_FUNCTION("coil::linalg_ldl", ldl),
       COIL_LINALG_FUNCTION("coil::linalg_ldl_solve", ldlSolve),
       COIL_LINALG_FUNCTION("coil::linalg_solve_triangular", solveTriangular),
       COIL_LINALG_FUNCTION("coil::linalg_geqrf", geqrf),
       COIL_LINALG_FUNCTION("coil::linalg_householder", householder),
       COIL_LINALG_FUNCTION("coil::linalg_ormqr", ormqr),
       NamedFunction{"coil::linalg_permutation", permutation}},
      COIL_CUDA);
}
