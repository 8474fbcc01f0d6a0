//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Eigenvalues, singular values and least squares, as host functions. Tensors
// are stacks of matrices; the last argument of all is whether elements are
// complex.
//
//   coil::linalg_eigh(a, upper, vectors) -> values, vectors
//   coil::linalg_eig(a, vectors) -> values, vectors        (always complex)
//   coil::linalg_svd(a, full, vectors) -> u, s, vh
//   coil::linalg_lstsq(a, b, rcond) -> x, rank, s
//
// Without `vectors` results that are vectors are empty. What does not converge
// is an error.
//
//===----------------------------------------------------------------------===//

#include "Linalg.h"

#include <cmath>

using namespace coil::rt;

/// Whether all elements are numbers; LAPACK may not return for others.
template <typename T>
static bool isFinite(const std::vector<T> &elements) {
  for (const T &element : elements)
    if (!std::isfinite(std::real(element)) ||
        !std::isfinite(std::imag(element)))
      return false;
  return true;
}

template <typename T>
static int32_t eigh(coil_call *call) {
  using R = Real<T>;
  const Lapack<T> *lapack = Lapack<T>::get();
  Stack<T> a, vectors;
  Stack<R> values;
  if (!lapack)
    return COIL_UNAVAILABLE;
  bool upper = getFlag(call, 1), wanted = getFlag(call, 2);
  if (!readStack(call, coil_call_tensor(call, 0), 2, a) ||
      !makeResult(call, 0, a.batch, {a.rows}, values) ||
      !makeResult(call, 1, a.batch, {wanted ? a.rows : 0, wanted ? a.rows : 0},
                  vectors))
    return failed(call);
  if (a.rows != a.columns)
    return coil_call_fail(call, "the matrix is not square");
  blasint n = blasint(a.rows), ld = atLeastOne(n);
  return forEachMatrix(a.count(), n, [&](int64_t i) -> int32_t {
    if (n == 0)
      return COIL_OK;
    auto matrix = makeBuffer<T>(int64_t(ld) * n);
    auto results = makeBuffer<R>(n);
    a.load(i, matrix.data(), ld);
    const char *job = wanted ? "V" : "N", *triangle = upper ? "U" : "L";
    auto run = [&](T *work, blasint lwork, R *rwork, blasint lrwork,
                   blasint *iwork, blasint liwork) {
      blasint result = 0;
      if constexpr (isComplexElement<T>)
        lapack->eigh(job, triangle, &n, matrix.data(), &ld, results.data(),
                     work, &lwork, rwork, &lrwork, iwork, &liwork, &result, 1,
                     1);
      else
        lapack->eigh(job, triangle, &n, matrix.data(), &ld, results.data(),
                     work, &lwork, iwork, &liwork, &result, 1, 1);
      return result;
    };
    T size(0);
    R realSize(0);
    blasint intSize = 0;
    run(&size, -1, &realSize, -1, &intSize, -1);
    blasint lwork = getWorkSize(size), lrwork = getWorkSize(realSize);
    auto work = makeBuffer<T>(lwork);
    auto rwork = makeBuffer<R>(lrwork);
    auto iwork = makeBuffer<blasint>(intSize);
    if (run(work.data(), lwork, rwork.data(), lrwork, iwork.data(),
            std::max<blasint>(intSize, 1)) > 0)
      return failToConverge(call);
    values.store(i, results.data(), n);
    if (wanted)
      vectors.store(i, matrix.data(), ld);
    return COIL_OK;
  });
}

template <typename T>
static int32_t eig(coil_call *call) {
  using R = Real<T>;
  using C = std::complex<R>;
  const Lapack<T> *lapack = Lapack<T>::get();
  Stack<T> a;
  Stack<C> values, vectors;
  if (!lapack)
    return COIL_UNAVAILABLE;
  bool wanted = getFlag(call, 1);
  if (!readStack(call, coil_call_tensor(call, 0), 2, a) ||
      !makeResult(call, 0, a.batch, {a.rows}, values) ||
      !makeResult(call, 1, a.batch, {wanted ? a.rows : 0, wanted ? a.rows : 0},
                  vectors))
    return failed(call);
  if (a.rows != a.columns)
    return coil_call_fail(call, "the matrix is not square");
  blasint n = blasint(a.rows), ld = atLeastOne(n);
  return forEachMatrix(a.count(), n, [&](int64_t i) -> int32_t {
    if (n == 0)
      return COIL_OK;
    auto matrix = makeBuffer<T>(int64_t(ld) * n);
    a.load(i, matrix.data(), ld);
    if (!isFinite(matrix))
      return coil_call_fail(call, "the matrix has infinities or NaN");
    auto right = makeBuffer<T>(wanted ? int64_t(ld) * n : 1);
    auto results = makeBuffer<C>(n);
    auto realParts = makeBuffer<R>(n), imaginaryParts = makeBuffer<R>(n);
    auto rwork = makeBuffer<R>(2 * int64_t(n));
    const char *job = wanted ? "V" : "N";
    blasint ldv = wanted ? ld : 1, one = 1;
    T *left = nullptr;
    auto run = [&](T *work, blasint lwork) {
      blasint result = 0;
      if constexpr (isComplexElement<T>)
        lapack->geev("N", job, &n, matrix.data(), &ld, results.data(), left,
                     &one, right.data(), &ldv, work, &lwork, rwork.data(),
                     &result, 1, 1);
      else
        lapack->geev("N", job, &n, matrix.data(), &ld, realParts.data(),
                     imaginaryParts.data(), left, &one, right.data(), &ldv,
                     work, &lwork, &result, 1, 1);
      return result;
    };
    T size(0);
    run(&size, -1);
    blasint lwork = getWorkSize(size);
    auto work = makeBuffer<T>(lwork);
    if (run(work.data(), lwork) > 0)
      return failToConverge(call);
    if constexpr (!isComplexElement<T>)
      for (blasint k = 0; k < n; ++k)
        results[size_t(k)] = C(realParts[size_t(k)], imaginaryParts[size_t(k)]);
    values.store(i, results.data(), n);
    if (!wanted)
      return COIL_OK;
    if constexpr (isComplexElement<T>) {
      vectors.store(i, right.data(), ld);
    } else {
      // Of a pair of conjugates there are the real and the imaginary part.
      auto complex = makeBuffer<C>(int64_t(ld) * n);
      for (blasint k = 0; k < n; ++k) {
        bool isPair = imaginaryParts[size_t(k)] != R(0) && k + 1 < n;
        for (blasint row = 0; row < n; ++row) {
          size_t at = size_t(row + int64_t(k) * ld);
          R re = right[at], im = isPair ? right[at + size_t(ld)] : R(0);
          complex[at] = C(re, im);
          if (isPair)
            complex[at + size_t(ld)] = C(re, -im);
        }
        k += isPair;
      }
      vectors.store(i, complex.data(), ld);
    }
    return COIL_OK;
  });
}

template <typename T>
static int32_t svd(coil_call *call) {
  using R = Real<T>;
  const Lapack<T> *lapack = Lapack<T>::get();
  Stack<T> a, u, vh;
  Stack<R> s;
  if (!lapack)
    return COIL_UNAVAILABLE;
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
  blasint m = blasint(a.rows), n = blasint(a.columns), ld = atLeastOne(m);
  return forEachMatrix(
      a.count(), std::max(a.rows, a.columns), [&](int64_t i) -> int32_t {
        blasint ldu = wanted ? ld : 1;
        blasint ldvt = wanted ? atLeastOne(right) : 1;
        auto leftVectors = makeBuffer<T>(wanted ? int64_t(ldu) * left : 1);
        auto rightVectors = makeBuffer<T>(wanted ? int64_t(ldvt) * n : 1);
        auto values = makeBuffer<R>(least);
        if (least > 0) {
          auto matrix = makeBuffer<T>(int64_t(ld) * n);
          a.load(i, matrix.data(), ld);
          if (!isFinite(matrix))
            return coil_call_fail(call, "the matrix has infinities or NaN");
          const char *job = !wanted ? "N" : full ? "A" : "S";
          int64_t most = std::max(a.rows, a.columns);
          // Of complex matrices: what LAPACK 3.7 and later asks for.
          auto rwork = makeBuffer<R>(
              isComplexElement<T>
                  ? std::max(5 * least * least + 5 * least,
                             2 * most * least + 2 * least * least + least)
                  : 1);
          auto iwork = makeBuffer<blasint>(8 * least);
          auto run = [&](T *work, blasint lwork) {
            blasint result = 0;
            if constexpr (isComplexElement<T>)
              lapack->gesdd(job, &m, &n, matrix.data(), &ld, values.data(),
                            leftVectors.data(), &ldu, rightVectors.data(),
                            &ldvt, work, &lwork, rwork.data(), iwork.data(),
                            &result, 1);
            else
              lapack->gesdd(job, &m, &n, matrix.data(), &ld, values.data(),
                            leftVectors.data(), &ldu, rightVectors.data(),
                            &ldvt, work, &lwork, iwork.data(), &result, 1);
            return result;
          };
          T size(0);
          run(&size, -1);
          blasint lwork = getWorkSize(size);
          auto work = makeBuffer<T>(lwork);
          if (run(work.data(), lwork) > 0)
            return failToConverge(call);
        } else if (wanted) {
          // Of an empty matrix any orthonormal vectors will do.
          for (int64_t k = 0; k < left; ++k)
            leftVectors[size_t(k + k * ldu)] = T(1);
          for (int64_t k = 0; k < right; ++k)
            rightVectors[size_t(k + k * ldvt)] = T(1);
        }
        s.store(i, values.data(), least);
        if (wanted) {
          u.store(i, leftVectors.data(), ldu);
          vh.store(i, rightVectors.data(), ldvt);
        }
        return COIL_OK;
      });
}

template <typename T>
static int32_t lstsq(coil_call *call) {
  using R = Real<T>;
  const Lapack<T> *lapack = Lapack<T>::get();
  Stack<T> a, b, x;
  Stack<int64_t> rank;
  Stack<R> s;
  if (!lapack)
    return COIL_UNAVAILABLE;
  const double *rcond = coil_call_float(call, 2);
  if (!rcond || !readStack(call, coil_call_tensor(call, 0), 2, a) ||
      !readStack(call, coil_call_tensor(call, 1), 2, b))
    return failed(call);
  int64_t least = std::min(a.rows, a.columns);
  // All that LAPACK gives: behind the solution are residuals.
  int64_t most = std::max(a.rows, a.columns);
  if (!makeResult(call, 0, a.batch, {most, b.columns}, x) ||
      !makeResult(call, 1, a.batch, {}, rank) ||
      !makeResult(call, 2, a.batch, {least}, s))
    return failed(call);
  if (b.rows != a.rows || b.batch != a.batch)
    return coil_call_fail(call, "the sizes of the matrices do not agree");
  blasint m = blasint(a.rows), n = blasint(a.columns),
          columns = blasint(b.columns), ld = atLeastOne(m),
          ldb = atLeastOne(most);
  return forEachMatrix(a.count(), most, [&](int64_t i) -> int32_t {
    auto matrix = makeBuffer<T>(int64_t(ld) * n);
    auto sides = makeBuffer<T>(int64_t(ldb) * columns);
    auto values = makeBuffer<R>(least);
    a.load(i, matrix.data(), ld);
    b.load(i, sides.data(), ldb);
    if (!isFinite(matrix))
      return coil_call_fail(call, "the matrix has infinities or NaN");
    blasint found = 0;
    if (least > 0) {
      R limit = static_cast<R>(*rcond);
      // The query answers for all three kinds of memory.
      R realSize(0);
      blasint intSize = 0;
      auto run = [&](T *work, blasint lwork, R *rwork, blasint *iwork) {
        blasint result = 0;
        if constexpr (isComplexElement<T>)
          lapack->gelsd(&m, &n, &columns, matrix.data(), &ld, sides.data(),
                        &ldb, values.data(), &limit, &found, work, &lwork,
                        rwork, iwork, &result);
        else
          lapack->gelsd(&m, &n, &columns, matrix.data(), &ld, sides.data(),
                        &ldb, values.data(), &limit, &found, work, &lwork,
                        iwork, &result);
        return result;
      };
      T size(0);
      run(&size, -1, &realSize, &intSize);
      blasint lwork = getWorkSize(size);
      auto work = makeBuffer<T>(lwork);
      auto rwork = makeBuffer<R>(getWorkSize(realSize));
      auto iwork = makeBuffer<blasint>(intSize);
      if (run(work.data(), lwork, rwork.data(), iwork.data()) > 0)
        return failToConverge(call);
    } else {
      std::fill(sides.begin(), sides.end(), T(0));
    }
    auto foundRank = static_cast<int64_t>(found);
    x.store(i, sides.data(), ldb);
    rank.store(i, &foundRank, 1);
    s.store(i, values.data(), least);
    return COIL_OK;
  });
}

void coil::rt::registerDecompositions() {
  registerAll({COIL_LINALG_FUNCTION("coil::linalg_eigh", eigh),
               COIL_LINALG_FUNCTION("coil::linalg_eig", eig),
               COIL_LINALG_FUNCTION("coil::linalg_svd", svd),
               COIL_LINALG_FUNCTION("coil::linalg_lstsq", lstsq)});
}

void coil::rt::registerLinalg() {
  registerFactorizations();
  registerDecompositions();
}
