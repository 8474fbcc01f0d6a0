//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of LAPACK that programs need, by element type. The library is
// loaded at the first call: OpenBLAS, whose OpenMP build shares its threads
// with kernels, or another one with LAPACK's interface in Fortran.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_LAPACK_H
#define COIL_LIB_RUNTIME_LAPACK_H

#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace coil::rt {

/// LAPACK's integers.
using blasint = int32_t;

/// The real type of an element type.
template <typename T>
struct RealOf {
  using type = T;
};
template <typename T>
struct RealOf<std::complex<T>> {
  using type = T;
};
template <typename T>
using Real = typename RealOf<T>::type;
template <typename T>
inline constexpr bool isComplexElement = !std::is_same_v<T, Real<T>>;

// clang-format off
/// X(member, name for real types, name for complex types, parameters). Names
/// are without the letter of the type in front and the underscore behind.
/// Lengths of characters are behind all other parameters.
#define COIL_LAPACK_FUNCTIONS(X)                                               \
  X(getrf, "getrf", "getrf", (const blasint *m, const blasint *n, T *a,        \
    const blasint *lda, blasint *pivots, blasint *info))                       \
  X(getrs, "getrs", "getrs", (const char *trans, const blasint *n,             \
    const blasint *nrhs, const T *a, const blasint *lda,                       \
    const blasint *pivots, T *b, const blasint *ldb, blasint *info, size_t))   \
  X(potrf, "potrf", "potrf", (const char *uplo, const blasint *n, T *a,        \
    const blasint *lda, blasint *info, size_t))                                \
  X(potrs, "potrs", "potrs", (const char *uplo, const blasint *n,              \
    const blasint *nrhs, const T *a, const blasint *lda, T *b,                 \
    const blasint *ldb, blasint *info, size_t))                                \
  X(potri, "potri", "potri", (const char *uplo, const blasint *n, T *a,        \
    const blasint *lda, blasint *info, size_t))                                \
  X(geqrf, "geqrf", "geqrf", (const blasint *m, const blasint *n, T *a,        \
    const blasint *lda, T *tau, T *work, const blasint *lwork,                 \
    blasint *info))                                                            \
  X(orgqr, "orgqr", "ungqr", (const blasint *m, const blasint *n,              \
    const blasint *k, T *a, const blasint *lda, const T *tau, T *work,         \
    const blasint *lwork, blasint *info))                                      \
  X(ormqr, "ormqr", "unmqr", (const char *side, const char *trans,             \
    const blasint *m, const blasint *n, const blasint *k, const T *a,          \
    const blasint *lda, const T *tau, T *c, const blasint *ldc, T *work,       \
    const blasint *lwork, blasint *info, size_t, size_t))                      \
  X(sytrf, "sytrf", "sytrf", (const char *uplo, const blasint *n, T *a,        \
    const blasint *lda, blasint *pivots, T *work, const blasint *lwork,        \
    blasint *info, size_t))                                                    \
  X(sytrs, "sytrs", "sytrs", (const char *uplo, const blasint *n,              \
    const blasint *nrhs, const T *a, const blasint *lda,                       \
    const blasint *pivots, T *b, const blasint *ldb, blasint *info, size_t))   \
  X(hetrf, "sytrf", "hetrf", (const char *uplo, const blasint *n, T *a,        \
    const blasint *lda, blasint *pivots, T *work, const blasint *lwork,        \
    blasint *info, size_t))                                                    \
  X(hetrs, "sytrs", "hetrs", (const char *uplo, const blasint *n,              \
    const blasint *nrhs, const T *a, const blasint *lda,                       \
    const blasint *pivots, T *b, const blasint *ldb, blasint *info, size_t))   \
  X(trsm, "trsm", "trsm", (const char *side, const char *uplo,                 \
    const char *trans, const char *diag, const blasint *m, const blasint *n,   \
    const T *alpha, const T *a, const blasint *lda, T *b, const blasint *ldb,  \
    size_t, size_t, size_t, size_t))

/// Functions whose parameters differ between real and complex types: the
/// complex ones have memory of real numbers, too.
/// X(member, name for real types, name for complex types, parameters of real
/// ones, parameters of complex ones).
#define COIL_LAPACK_SPLIT_FUNCTIONS(X)                                         \
  X(eigh, "syevd", "heevd",                                                    \
    (const char *jobz, const char *uplo, const blasint *n, T *a,               \
     const blasint *lda, R *w, T *work, const blasint *lwork,                  \
     blasint *iwork, const blasint *liwork, blasint *info, size_t, size_t),    \
    (const char *jobz, const char *uplo, const blasint *n, T *a,               \
     const blasint *lda, R *w, T *work, const blasint *lwork, R *rwork,        \
     const blasint *lrwork, blasint *iwork, const blasint *liwork,             \
     blasint *info, size_t, size_t))                                           \
  X(geev, "geev", "geev",                                                      \
    (const char *jobvl, const char *jobvr, const blasint *n, T *a,             \
     const blasint *lda, R *wr, R *wi, T *vl, const blasint *ldvl, T *vr,      \
     const blasint *ldvr, T *work, const blasint *lwork, blasint *info,        \
     size_t, size_t),                                                          \
    (const char *jobvl, const char *jobvr, const blasint *n, T *a,             \
     const blasint *lda, T *w, T *vl, const blasint *ldvl, T *vr,              \
     const blasint *ldvr, T *work, const blasint *lwork, R *rwork,             \
     blasint *info, size_t, size_t))                                           \
  X(gesdd, "gesdd", "gesdd",                                                   \
    (const char *jobz, const blasint *m, const blasint *n, T *a,               \
     const blasint *lda, R *s, T *u, const blasint *ldu, T *vt,                \
     const blasint *ldvt, T *work, const blasint *lwork, blasint *iwork,       \
     blasint *info, size_t),                                                   \
    (const char *jobz, const blasint *m, const blasint *n, T *a,               \
     const blasint *lda, R *s, T *u, const blasint *ldu, T *vt,                \
     const blasint *ldvt, T *work, const blasint *lwork, R *rwork,             \
     blasint *iwork, blasint *info, size_t))                                   \
  X(gelsd, "gelsd", "gelsd",                                                   \
    (const blasint *m, const blasint *n, const blasint *nrhs, T *a,            \
     const blasint *lda, T *b, const blasint *ldb, R *s, const R *rcond,       \
     blasint *rank, T *work, const blasint *lwork, blasint *iwork,             \
     blasint *info),                                                           \
    (const blasint *m, const blasint *n, const blasint *nrhs, T *a,            \
     const blasint *lda, T *b, const blasint *ldb, R *s, const R *rcond,       \
     blasint *rank, T *work, const blasint *lwork, R *rwork, blasint *iwork,   \
     blasint *info))
// clang-format on

/// The functions for one element type.
template <typename T, bool = isComplexElement<T>>
struct Lapack {
  using R = Real<T>;
#define COIL_MEMBER(name, real, complex, params) void(*name) params = nullptr;
  COIL_LAPACK_FUNCTIONS(COIL_MEMBER)
#undef COIL_MEMBER
#define COIL_MEMBER(name, real, complex, params, complexParams)                \
  void(*name) params = nullptr;
  COIL_LAPACK_SPLIT_FUNCTIONS(COIL_MEMBER)
#undef COIL_MEMBER

  /// Loads the library at the first call: what coil_library_set_file or the
  /// environment variable COIL_LAPACK_LIBRARY names, else the first of
  /// libopenblas.so.0 and liblapack.so.3. Null, with the error recorded, when
  /// that fails.
  static const Lapack *get();
};

template <typename T>
struct Lapack<T, true> {
  using R = Real<T>;
#define COIL_MEMBER(name, real, complex, params) void(*name) params = nullptr;
  COIL_LAPACK_FUNCTIONS(COIL_MEMBER)
#undef COIL_MEMBER
#define COIL_MEMBER(name, real, complex, params, complexParams)                \
  void(*name) complexParams = nullptr;
  COIL_LAPACK_SPLIT_FUNCTIONS(COIL_MEMBER)
#undef COIL_MEMBER

  static const Lapack *get();
};

/// Whether the library can be loaded.
bool isLapackPresent();
/// Chooses the file from the next call on; null restores the default.
void setLapackFile(const char *file);

} // namespace coil::rt

#endif // COIL_LIB_RUNTIME_LAPACK_H
