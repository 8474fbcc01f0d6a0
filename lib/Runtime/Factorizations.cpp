//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Factorizations of matrices and what solves systems with them, as host
// functions. Tensors are stacks of matrices; the last argument of all is
// whether elements are complex.
//
//   coil::linalg_lu(a, check) -> lu, pivots, info
//   coil::linalg_permutation(pivots, rows) -> order        (not complex)
//   coil::linalg_lu_solve(lu, pivots, b, transposition) -> x
//   coil::linalg_cholesky(a, upper, check) -> factor, info
//   coil::linalg_cholesky_solve(factor, b, upper) -> x
//   coil::linalg_cholesky_inverse(factor, identity, upper) -> inverse
//   coil::linalg_ldl(a, hermitian) -> factor, pivots, info
//   coil::linalg_ldl_solve(factor, pivots, b, hermitian) -> x
//   coil::linalg_solve_triangular(a, b, upper, unit) -> x
//   coil::linalg_geqrf(a) -> factor, tau
//   coil::linalg_householder(factor, tau) -> q
//   coil::linalg_ormqr(factor, tau, c, left, adjoint) -> product
//
// `check` makes a factorization fail that eager mode calls an error. Row i of
// what was factorized is row `order[i]` of the matrix.
//
//===----------------------------------------------------------------------===//

#include "Linalg.h"

using namespace coil::rt;

/// Runs `body` for each of `count` matrices. `result` is the first positive one
/// of what LAPACK says, or zero.
template <typename Body>
static int32_t forEachResult(int64_t count, int64_t size, blasint &result,
                             Body &&body) {
  std::vector<blasint> results(static_cast<size_t>(count));
  int32_t status = forEachMatrix(count, size, [&](int64_t i) -> int32_t {
    results[size_t(i)] = body(i);
    return COIL_OK;
  });
  auto found = std::find_if(results.begin(), results.end(),
                            [](blasint each) { return each > 0; });
  result = found == results.end() ? 0 : *found;
  return status;
}

template <typename T>
static int32_t lu(coil_call *call) {
  const Lapack<T> *lapack = Lapack<T>::get();
  Stack<T> a, factor;
  Stack<blasint> pivots, info;
  if (!lapack)
    return COIL_UNAVAILABLE;
  if (!readStack(call, coil_call_tensor(call, 0), 2, a) ||
      !makeResult(call, 0, a.batch, {a.rows, a.columns}, factor) ||
      !makeResult(call, 1, a.batch, {std::min(a.rows, a.columns)}, pivots) ||
      !makeResult(call, 2, a.batch, {}, info))
    return failed(call);
  bool check = getFlag(call, 1);
  blasint m = blasint(a.rows), n = blasint(a.columns), ld = atLeastOne(m);
  blasint first;
  int32_t status = forEachResult(
      a.count(), std::max(a.rows, a.columns), first, [&](int64_t i) {
        auto matrix = makeBuffer<T>(int64_t(ld) * n);
        auto order = makeBuffer<blasint>(pivots.rows);
        a.load(i, matrix.data(), ld);
        blasint result = 0;
        if (m > 0 && n > 0)
          lapack->getrf(&m, &n, matrix.data(), &ld, order.data(), &result);
        factor.store(i, matrix.data(), ld);
        pivots.store(i, order.data(), pivots.rows);
        info.store(i, &result, 1);
        return result;
      });
  if (status)
    return status;
  return check && first ? coil_call_fail(call, "the input matrix is singular")
                        : COIL_OK;
}

/// The order of rows that exchanging each with its pivot, one after the other,
/// leads to.
static int32_t permutation(coil_call *call, void *) {
  return guarded([&]() -> int32_t {
    Stack<blasint> pivots;
    Stack<int64_t> order;
    const int64_t *rows = coil_call_int(call, 1);
    const coil_tensor *tensor = coil_call_tensor(call, 0);
    if (!rows || *rows < 0 || !tensor || tensor->dtype != COIL_I32 ||
        !readStack(call, tensor, 1, pivots) ||
        !makeResult(call, 0, pivots.batch, {*rows}, order))
      return failed(call);
    auto row = makeBuffer<int64_t>(*rows);
    for (int64_t i = 0; i < pivots.count(); ++i) {
      for (int64_t k = 0; k < *rows; ++k)
        row[size_t(k)] = k;
      const blasint *pivot = pivots.at(i);
      for (int64_t k = 0; k < pivots.rows; ++k) {
        int64_t other = pivot[k * pivots.rowStride] - 1;
        if (k >= *rows || other < 0 || other >= *rows)
          return coil_call_fail(call, "a pivot is outside of the matrix");
        std::swap(row[size_t(k)], row[size_t(other)]);
      }
      order.store(i, row.data(), *rows);
    }
    return COIL_OK;
  });
}

template <typename T>
static int32_t luSolve(coil_call *call) {
  const Lapack<T> *lapack = Lapack<T>::get();
  LinearSystem<T> s;
  if (!lapack)
    return COIL_UNAVAILABLE;
  const char *transposition = coil_call_string(call, 3);
  if (!transposition)
    return failed(call);
  if (int32_t status = s.read(call, /*hasPivots=*/true))
    return status;
  blasint n = blasint(s.b.rows), columns = blasint(s.b.columns),
          ld = atLeastOne(n);
  return forEachMatrix(s.x.count(), s.b.rows, [&](int64_t i) -> int32_t {
    auto matrix = makeBuffer<T>(int64_t(ld) * n);
    auto sides = makeBuffer<T>(int64_t(ld) * columns);
    auto order = makeBuffer<blasint>(n);
    int64_t number = broadcastNumber(s.factor, s.batch, i);
    s.factor.load(number, matrix.data(), ld);
    s.pivots.load(number, order.data(), n);
    for (blasint &pivot : order)
      if (n > 0 && (pivot < 1 || pivot > n))
        return coil_call_fail(call, "a pivot is outside of the matrix");
    s.b.load(broadcastNumber(s.b, s.batch, i), sides.data(), ld);
    blasint result = 0;
    if (n > 0 && columns > 0)
      lapack->getrs(transposition, &n, &columns, matrix.data(), &ld,
                    order.data(), sides.data(), &ld, &result, 1);
    s.x.store(i, sides.data(), ld);
    return COIL_OK;
  });
}

template <typename T>
static int32_t cholesky(coil_call *call) {
  const Lapack<T> *lapack = Lapack<T>::get();
  Stack<T> a, factor;
  Stack<blasint> info;
  if (!lapack)
    return COIL_UNAVAILABLE;
  if (!readStack(call, coil_call_tensor(call, 0), 2, a) ||
      !makeResult(call, 0, a.batch, {a.rows, a.columns}, factor) ||
      !makeResult(call, 1, a.batch, {}, info))
    return failed(call);
  if (a.rows != a.columns)
    return coil_call_fail(call, "the matrix is not square");
  bool upper = getFlag(call, 1), check = getFlag(call, 2);
  blasint n = blasint(a.rows), ld = atLeastOne(n);
  blasint first;
  int32_t status = forEachResult(a.count(), n, first, [&](int64_t i) {
    auto matrix = makeBuffer<T>(int64_t(ld) * n);
    a.load(i, matrix.data(), ld);
    blasint result = 0;
    if (n > 0)
      lapack->potrf(upper ? "U" : "L", &n, matrix.data(), &ld, &result, 1);
    // The other triangle is not LAPACK's.
    for (blasint column = 0; column < n; ++column)
      for (blasint row = 0; row < n; ++row)
        if (upper ? row > column : row < column)
          matrix[size_t(row + int64_t(column) * ld)] = T(0);
    factor.store(i, matrix.data(), ld);
    info.store(i, &result, 1);
    return result;
  });
  if (status)
    return status;
  return check && first ? failNotPositive(call, first) : COIL_OK;
}

template <typename T>
static int32_t choleskySolve(coil_call *call) {
  const Lapack<T> *lapack = Lapack<T>::get();
  LinearSystem<T> s;
  if (!lapack)
    return COIL_UNAVAILABLE;
  if (int32_t status = s.read(call, /*hasPivots=*/false))
    return status;
  bool upper = getFlag(call, 2);
  blasint n = blasint(s.b.rows), columns = blasint(s.b.columns),
          ld = atLeastOne(n);
  return forEachMatrix(s.x.count(), n, [&](int64_t i) -> int32_t {
    auto matrix = makeBuffer<T>(int64_t(ld) * n);
    auto sides = makeBuffer<T>(int64_t(ld) * columns);
    s.factor.load(broadcastNumber(s.factor, s.batch, i), matrix.data(), ld);
    s.b.load(broadcastNumber(s.b, s.batch, i), sides.data(), ld);
    blasint result = 0;
    if (n > 0 && columns > 0)
      lapack->potrs(upper ? "U" : "L", &n, &columns, matrix.data(), &ld,
                    sides.data(), &ld, &result, 1);
    s.x.store(i, sides.data(), ld);
    return COIL_OK;
  });
}

/// Completes a Hermitian matrix one of whose triangles is there, in tiles that
/// caches hold.
template <typename T>
static void mirrorTriangle(T *matrix, int64_t n, int64_t ld, bool isUpper) {
  constexpr int64_t tile = 32;
  for (int64_t left = 0; left < n; left += tile)
    for (int64_t top = 0; top <= left; top += tile)
      for (int64_t column = left; column < std::min(left + tile, n); ++column)
        for (int64_t row = top; row < std::min(top + tile, column); ++row) {
          T &above = matrix[row + column * ld],
            &below = matrix[column + row * ld];
          T &from = isUpper ? above : below, &to = isUpper ? below : above;
          if constexpr (isComplexElement<T>)
            to = std::conj(from);
          else
            to = from;
        }
}

/// The identity is for libraries that can only solve systems.
template <typename T>
static int32_t choleskyInverse(coil_call *call) {
  const Lapack<T> *lapack = Lapack<T>::get();
  LinearSystem<T> s;
  if (!lapack)
    return COIL_UNAVAILABLE;
  if (int32_t status = s.read(call, /*hasPivots=*/false))
    return status;
  bool upper = getFlag(call, 2);
  // The inverse is Hermitian: rows may be columns of both.
  if (s.factor.columnStride == 1) {
    std::swap(s.factor.rowStride, s.factor.columnStride);
    std::swap(s.x.rowStride, s.x.columnStride);
    upper = !upper;
  }
  if (!isComplexElement<T> && s.x.columnStride == 1)
    std::swap(s.x.rowStride, s.x.columnStride);
  blasint n = blasint(s.b.rows), ld = atLeastOne(n);
  blasint first;
  int32_t status = forEachResult(s.x.count(), n, first, [&](int64_t i) {
    auto matrix = makeBuffer<T>(int64_t(ld) * n);
    s.factor.load(broadcastNumber(s.factor, s.batch, i), matrix.data(), ld);
    blasint result = 0;
    if (n > 0)
      lapack->potri(upper ? "U" : "L", &n, matrix.data(), &ld, &result, 1);
    mirrorTriangle(matrix.data(), n, ld, upper);
    s.x.store(i, matrix.data(), ld);
    return result;
  });
  if (status || !first)
    return status;
  return coil_call_fail(call,
                        ("the diagonal element " + std::to_string(first) +
                         " of the factor is zero: the matrix has no inverse")
                            .c_str());
}

template <typename T>
static int32_t ldl(coil_call *call) {
  const Lapack<T> *lapack = Lapack<T>::get();
  Stack<T> a, factor;
  Stack<blasint> pivots, info;
  if (!lapack)
    return COIL_UNAVAILABLE;
  if (!readStack(call, coil_call_tensor(call, 0), 2, a) ||
      !makeResult(call, 0, a.batch, {a.rows, a.columns}, factor) ||
      !makeResult(call, 1, a.batch, {a.rows}, pivots) ||
      !makeResult(call, 2, a.batch, {}, info))
    return failed(call);
  if (a.rows != a.columns)
    return coil_call_fail(call, "the matrix is not square");
  auto *function = getFlag(call, 1) ? lapack->hetrf : lapack->sytrf;
  blasint n = blasint(a.rows), ld = atLeastOne(n);
  return forEachMatrix(a.count(), n, [&](int64_t i) -> int32_t {
    auto matrix = makeBuffer<T>(int64_t(ld) * n);
    auto order = makeBuffer<blasint>(n);
    a.load(i, matrix.data(), ld);
    blasint result = 0, query = -1;
    T size(0);
    if (n > 0) {
      function("L", &n, matrix.data(), &ld, order.data(), &size, &query,
               &result, 1);
      blasint count = getWorkSize(size);
      auto work = makeBuffer<T>(count);
      function("L", &n, matrix.data(), &ld, order.data(), work.data(), &count,
               &result, 1);
    }
    for (blasint column = 0; column < n; ++column)
      for (blasint row = 0; row < column; ++row)
        matrix[size_t(row + int64_t(column) * ld)] = T(0);
    factor.store(i, matrix.data(), ld);
    pivots.store(i, order.data(), n);
    info.store(i, &result, 1);
    return COIL_OK;
  });
}

template <typename T>
static int32_t ldlSolve(coil_call *call) {
  const Lapack<T> *lapack = Lapack<T>::get();
  LinearSystem<T> s;
  if (!lapack)
    return COIL_UNAVAILABLE;
  if (int32_t status = s.read(call, /*hasPivots=*/true))
    return status;
  auto *function = getFlag(call, 3) ? lapack->hetrs : lapack->sytrs;
  blasint n = blasint(s.b.rows), columns = blasint(s.b.columns),
          ld = atLeastOne(n);
  return forEachMatrix(s.x.count(), n, [&](int64_t i) -> int32_t {
    auto matrix = makeBuffer<T>(int64_t(ld) * n);
    auto sides = makeBuffer<T>(int64_t(ld) * columns);
    auto order = makeBuffer<blasint>(n);
    int64_t number = broadcastNumber(s.factor, s.batch, i);
    s.factor.load(number, matrix.data(), ld);
    s.pivots.load(number, order.data(), n);
    for (blasint &pivot : order)
      if (n > 0 && (pivot == 0 || pivot > n || pivot < -n))
        return coil_call_fail(call, "a pivot is outside of the matrix");
    s.b.load(broadcastNumber(s.b, s.batch, i), sides.data(), ld);
    blasint result = 0;
    if (n > 0 && columns > 0)
      function("L", &n, &columns, matrix.data(), &ld, order.data(),
               sides.data(), &ld, &result, 1);
    s.x.store(i, sides.data(), ld);
    return COIL_OK;
  });
}

template <typename T>
static int32_t solveTriangular(coil_call *call) {
  const Lapack<T> *lapack = Lapack<T>::get();
  LinearSystem<T> s;
  if (!lapack)
    return COIL_UNAVAILABLE;
  if (int32_t status = s.read(call, /*hasPivots=*/false))
    return status;
  bool upper = getFlag(call, 2), unit = getFlag(call, 3);
  blasint n = blasint(s.b.rows), columns = blasint(s.b.columns),
          ld = atLeastOne(n);
  // Rows of x are columns of its transpose, which the transpose of the system
  // gives in place, with the matrix where it is.
  bool isByRows = s.factor.columnStride == 1;
  int64_t step = isByRows ? s.factor.rowStride : s.factor.columnStride;
  if ((isByRows || s.factor.rowStride == 1) && step >= ld &&
      step <= INT32_MAX && s.x.columnStride == 1)
    return forEachMatrix(s.x.count(), n, [&](int64_t i) -> int32_t {
      const T *from = s.b.at(broadcastNumber(s.b, s.batch, i));
      T *to = s.x.at(i), one(1);
      auto matrixStep = blasint(step), resultStep = atLeastOne(columns);
      copyMatrix(columns, n, from, s.b.columnStride, s.b.rowStride, to,
                 int64_t(1), s.x.rowStride);
      if (n > 0 && columns > 0)
        lapack->trsm("R", upper != isByRows ? "U" : "L", isByRows ? "N" : "T",
                     unit ? "U" : "N", &columns, &n, &one,
                     s.factor.at(broadcastNumber(s.factor, s.batch, i)),
                     &matrixStep, to, &resultStep, 1, 1, 1, 1);
      return COIL_OK;
    });
  return forEachMatrix(s.x.count(), n, [&](int64_t i) -> int32_t {
    auto matrix = makeBuffer<T>(int64_t(ld) * n);
    auto sides = makeBuffer<T>(int64_t(ld) * columns);
    s.factor.load(broadcastNumber(s.factor, s.batch, i), matrix.data(), ld);
    s.b.load(broadcastNumber(s.b, s.batch, i), sides.data(), ld);
    T one(1);
    if (n > 0 && columns > 0)
      lapack->trsm("L", upper ? "U" : "L", "N", unit ? "U" : "N", &n, &columns,
                   &one, matrix.data(), &ld, sides.data(), &ld, 1, 1, 1, 1);
    s.x.store(i, sides.data(), ld);
    return COIL_OK;
  });
}

template <typename T>
static int32_t geqrf(coil_call *call) {
  const Lapack<T> *lapack = Lapack<T>::get();
  Stack<T> a, factor, tau;
  if (!lapack)
    return COIL_UNAVAILABLE;
  if (!readStack(call, coil_call_tensor(call, 0), 2, a) ||
      !makeResult(call, 0, a.batch, {a.rows, a.columns}, factor) ||
      !makeResult(call, 1, a.batch, {std::min(a.rows, a.columns)}, tau))
    return failed(call);
  blasint m = blasint(a.rows), n = blasint(a.columns), ld = atLeastOne(m);
  return forEachMatrix(
      a.count(), std::max(a.rows, a.columns), [&](int64_t i) -> int32_t {
        auto matrix = makeBuffer<T>(int64_t(ld) * n);
        auto factors = makeBuffer<T>(tau.rows);
        a.load(i, matrix.data(), ld);
        blasint result = 0, query = -1;
        T size(0);
        if (m > 0 && n > 0) {
          lapack->geqrf(&m, &n, matrix.data(), &ld, factors.data(), &size,
                        &query, &result);
          blasint count = getWorkSize(size);
          auto work = makeBuffer<T>(count);
          lapack->geqrf(&m, &n, matrix.data(), &ld, factors.data(), work.data(),
                        &count, &result);
        }
        factor.store(i, matrix.data(), ld);
        tau.store(i, factors.data(), tau.rows);
        return COIL_OK;
      });
}

template <typename T>
static int32_t householder(coil_call *call) {
  const Lapack<T> *lapack = Lapack<T>::get();
  Stack<T> factor, tau, q;
  if (!lapack)
    return COIL_UNAVAILABLE;
  if (!readStack(call, coil_call_tensor(call, 0), 2, factor) ||
      !readStack(call, coil_call_tensor(call, 1), 1, tau) ||
      !makeResult(call, 0, factor.batch, {factor.rows, factor.columns}, q))
    return failed(call);
  if (tau.batch != factor.batch || tau.rows > factor.columns ||
      factor.columns > factor.rows)
    return coil_call_fail(call, "the sizes of the matrices do not agree");
  blasint m = blasint(factor.rows), n = blasint(factor.columns),
          k = blasint(tau.rows), ld = atLeastOne(m);
  return forEachMatrix(factor.count(), factor.rows, [&](int64_t i) -> int32_t {
    auto matrix = makeBuffer<T>(int64_t(ld) * n);
    auto factors = makeBuffer<T>(tau.rows);
    factor.load(i, matrix.data(), ld);
    tau.load(i, factors.data(), tau.rows);
    blasint result = 0, query = -1;
    T size(0);
    if (m > 0 && n > 0) {
      lapack->orgqr(&m, &n, &k, matrix.data(), &ld, factors.data(), &size,
                    &query, &result);
      blasint count = getWorkSize(size);
      auto work = makeBuffer<T>(count);
      lapack->orgqr(&m, &n, &k, matrix.data(), &ld, factors.data(), work.data(),
                    &count, &result);
    }
    q.store(i, matrix.data(), ld);
    return COIL_OK;
  });
}

template <typename T>
static int32_t ormqr(coil_call *call) {
  const Lapack<T> *lapack = Lapack<T>::get();
  Stack<T> factor, tau, c, product;
  if (!lapack)
    return COIL_UNAVAILABLE;
  if (!readStack(call, coil_call_tensor(call, 0), 2, factor) ||
      !readStack(call, coil_call_tensor(call, 1), 1, tau) ||
      !readStack(call, coil_call_tensor(call, 2), 2, c) ||
      !makeResult(call, 0, c.batch, {c.rows, c.columns}, product))
    return failed(call);
  bool left = getFlag(call, 3), adjoint = getFlag(call, 4);
  if (tau.batch != factor.batch || c.batch != factor.batch ||
      tau.rows > factor.columns || (left ? c.rows : c.columns) != factor.rows ||
      tau.rows > factor.rows)
    return coil_call_fail(call, "the sizes of the matrices do not agree");
  blasint m = blasint(c.rows), n = blasint(c.columns), k = blasint(tau.rows),
          ld = atLeastOne(factor.rows), ldc = atLeastOne(m);
  const char *side = left ? "L" : "R";
  const char *trans = !adjoint ? "N" : isComplexElement<T> ? "C" : "T";
  return forEachMatrix(c.count(), factor.rows, [&](int64_t i) -> int32_t {
    auto matrix = makeBuffer<T>(int64_t(ld) * factor.columns);
    auto factors = makeBuffer<T>(tau.rows);
    auto other = makeBuffer<T>(int64_t(ldc) * n);
    factor.load(i, matrix.data(), ld);
    tau.load(i, factors.data(), tau.rows);
    c.load(i, other.data(), ldc);
    blasint result = 0, query = -1;
    T size(0);
    if (m > 0 && n > 0 && k > 0) {
      lapack->ormqr(side, trans, &m, &n, &k, matrix.data(), &ld, factors.data(),
                    other.data(), &ldc, &size, &query, &result, 1, 1);
      blasint count = getWorkSize(size);
      auto work = makeBuffer<T>(count);
      lapack->ormqr(side, trans, &m, &n, &k, matrix.data(), &ld, factors.data(),
                    other.data(), &ldc, work.data(), &count, &result, 1, 1);
    }
    product.store(i, other.data(), ldc);
    return COIL_OK;
  });
}

void coil::rt::registerFactorizations() {
  registerAll(
      {COIL_LINALG_FUNCTION("coil::linalg_lu", lu),
       COIL_LINALG_FUNCTION("coil::linalg_lu_solve", luSolve),
       COIL_LINALG_FUNCTION("coil::linalg_cholesky", cholesky),
       COIL_LINALG_FUNCTION("coil::linalg_cholesky_solve", choleskySolve),
       COIL_LINALG_FUNCTION("coil::linalg_cholesky_inverse", choleskyInverse),
       COIL_LINALG_FUNCTION("coil::linalg_ldl", ldl),
       COIL_LINALG_FUNCTION("coil::linalg_ldl_solve", ldlSolve),
       COIL_LINALG_FUNCTION("coil::linalg_solve_triangular", solveTriangular),
       COIL_LINALG_FUNCTION("coil::linalg_geqrf", geqrf),
       COIL_LINALG_FUNCTION("coil::linalg_householder", householder),
       COIL_LINALG_FUNCTION("coil::linalg_ormqr", ormqr),
       NamedFunction{"coil::linalg_permutation", permutation}});
}
