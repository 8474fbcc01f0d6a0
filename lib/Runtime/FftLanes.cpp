//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Discrete Fourier transforms of several lines at a time.
//
//===----------------------------------------------------------------------===//

#include "FftLanes.h"
#include "FftPlan.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

using namespace coil::rt;

#if defined(__x86_64__)
#define COIL_MULTIVERSION                                                      \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define COIL_MULTIVERSION
#endif
// What versions are made of must be inside of them.
#define COIL_INLINE __attribute__((always_inline)) static inline

namespace {

template <typename T>
using Vector = typename FftLanes<T>::Vector;

/// Elements of a line that are copied at a time, so that lines of the cache
/// are read whole.
constexpr int64_t kTile = 16;

} // namespace

template <typename T>
COIL_INLINE FftLanes<T> operator+(const FftLanes<T> &a, const FftLanes<T> &b) {
  return {a.re + b.re, a.im + b.im};
}
template <typename T>
COIL_INLINE FftLanes<T> operator-(const FftLanes<T> &a, const FftLanes<T> &b) {
  return {a.re - b.re, a.im - b.im};
}
template <typename T>
COIL_INLINE FftLanes<T> operator*(const FftLanes<T> &a, std::complex<T> b) {
  return {a.re * b.real() - a.im * b.imag(), a.re * b.imag() + a.im * b.real()};
}
template <typename T>
COIL_INLINE FftLanes<T> operator*(const FftLanes<T> &a, T b) {
  return {a.re * b, a.im * b};
}
template <typename T>
COIL_INLINE FftLanes<T> conjugate(const FftLanes<T> &a) {
  return {a.re, -a.im};
}
/// x times -i.
template <typename T>
COIL_INLINE FftLanes<T> timesMinusI(const FftLanes<T> &x) {
  return {x.im, -x.re};
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/// Block `k` of a stage, see FftPlan.cpp; the first one has no factors.
template <bool IsFirst, typename T>
COIL_INLINE void runBlock(const FftStages<T> &plan, int64_t radix, int64_t k,
                          int64_t count, int64_t stride, const FftLanes<T> *in,
                          FftLanes<T> *out) {
  using Lanes = FftLanes<T>;
  int64_t distance = stride * count;
  const std::complex<T> *roots = plan.roots;
  auto turn =
      [&](const Lanes &x, std::complex<T> w)
          __attribute__((always_inline)) { return IsFirst ? x : x * w; };
  std::complex<T> w1 = roots[k * stride];
  switch (radix) {
  case 2:
    for (int64_t q = 0; q < stride; ++q) {
      Lanes a = in[q], b = in[q + distance];
      out[q] = a + b;
      out[q + stride] = turn(a - b, w1);
    }
    return;
  case 3: {
    std::complex<T> w2 = roots[2 * k * stride];
    const T half = T(0.5), root = T(0.86602540378443864676);
    for (int64_t q = 0; q < stride; ++q) {
      Lanes a = in[q], b = in[q + distance], c = in[q + 2 * distance];
      Lanes sum = b + c, difference = timesMinusI((b - c) * root);
      Lanes middle = a - sum * half;
      out[q] = a + sum;
      out[q + stride] = turn(middle + difference, w1);
      out[q + 2 * stride] = turn(middle - difference, w2);
    }
    return;
  }
  case 4: {
    std::complex<T> w2 = roots[2 * k * stride], w3 = roots[3 * k * stride];
    for (int64_t q = 0; q < stride; ++q) {
      Lanes a = in[q], b = in[q + distance], c = in[q + 2 * distance],
            d = in[q + 3 * distance];
      Lanes s0 = a + c, s1 = a - c, s2 = b + d, s3 = timesMinusI(b - d);
      out[q] = s0 + s2;
      out[q + stride] = turn(s1 + s3, w1);
      out[q + 2 * stride] = turn(s0 - s2, w2);
      out[q + 3 * stride] = turn(s1 - s3, w3);
    }
    return;
  }
  default: {
    Lanes inputs[kLargestFftRadix];
    int64_t step = plan.length / radix; // Of the root of order `radix`.
    for (int64_t q = 0; q < stride; ++q) {
      for (int64_t j = 0; j < radix; ++j)
        inputs[j] = in[q + j * distance];
      for (int64_t r = 0; r < radix; ++r) {
        Lanes sum = inputs[0];
        for (int64_t j = 1; j < radix; ++j)
          sum = sum + inputs[j] * roots[j * r % radix * step];
        out[q + r * stride] = turn(sum, roots[k * r * stride]);
      }
    }
  }
  }
}

template <typename T>
COIL_INLINE void runStages(const FftStages<T> &plan, FftLanes<T> *data,
                           FftLanes<T> *scratch) {
  FftLanes<T> *from = data, *to = scratch;
  int64_t rest = plan.length, stride = 1;
  for (size_t i = 0; i < plan.numRadices; ++i) {
    int64_t radix = plan.radices[i], count = rest / radix;
    runBlock<true>(plan, radix, 0, count, stride, from, to);
    for (int64_t k = 1; k < count; ++k)
      runBlock<false>(plan, radix, k, count, stride, from + stride * k,
                      to + stride * radix * k);
    std::swap(from, to);
    rest = count;
    stride *= radix;
  }
  if (from != data)
    std::copy(from, from + plan.length, data);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Whether element k of the lines lies in a row, `distance` apart.
template <typename T>
COIL_INLINE bool areNeighbours(const FftLines<T> &lines, int64_t distance) {
  for (int64_t i = 1; i < kFftLanes<T>; ++i)
    if (lines.offsets[i] != lines.offsets[0] + i * distance)
      return false;
  return lines.count == kFftLanes<T>;
}

COIL_INLINE void splitPairs(Vector<float> a, Vector<float> b,
                            FftLanes<float> &to) {
  to.re = __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20,
                                  22, 24, 26, 28, 30);
  to.im = __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21,
                                  23, 25, 27, 29, 31);
}
COIL_INLINE void splitPairs(Vector<double> a, Vector<double> b,
                            FftLanes<double> &to) {
  to.re = __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14);
  to.im = __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
}
COIL_INLINE void joinPairs(Vector<float> re, Vector<float> im, Vector<float> &a,
                           Vector<float> &b) {
  a = __builtin_shufflevector(re, im, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21,
                              6, 22, 7, 23);
  b = __builtin_shufflevector(re, im, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13,
                              29, 14, 30, 15, 31);
}
COIL_INLINE void joinPairs(Vector<double> re, Vector<double> im,
                           Vector<double> &a, Vector<double> &b) {
  a = __builtin_shufflevector(re, im, 0, 8, 1, 9, 2, 10, 3, 11);
  b = __builtin_shufflevector(re, im, 4, 12, 5, 13, 6, 14, 7, 15);
}

template <typename T>
COIL_INLINE void split(const T *pairs, T sign, FftLanes<T> &to) {
  Vector<T> a, b;
  std::memcpy(&a, pairs, sizeof(a));
  std::memcpy(&b, pairs + kFftLanes<T>, sizeof(b));
  splitPairs(a, b, to);
  to.im *= sign;
}

template <typename T>
COIL_INLINE void join(const FftLanes<T> &from, T real, T imaginary, T *pairs) {
  Vector<T> a, b;
  joinPairs(from.re * real, from.im * imaginary, a, b);
  std::memcpy(pairs, &a, sizeof(a));
  std::memcpy(pairs + kFftLanes<T>, &b, sizeof(b));
}

/// Eight pairs of f32.
typedef uint64_t Pairs __attribute__((vector_size(64)));

/// Transposes eight rows of as many pairs.
COIL_INLINE void transpose(Pairs (&rows)[8]) {
  Pairs halves[8], quarters[8];
  for (int i = 0; i < 8; i += 2) {
    Pairs a = rows[i], b = rows[i + 1];
    halves[i] = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14);
    halves[i + 1] = __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int i : {0, 1, 4, 5}) {
    Pairs a = halves[i], b = halves[i + 2];
    quarters[i] = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
    quarters[i + 2] = __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
  }
  for (int i = 0; i < 4; ++i) {
    Pairs a = quarters[i], b = quarters[i + 4];
    rows[i] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11);
    rows[i + 4] = __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

/// Copies eight pairs of each line, which are in a row there, to a tile.
COIL_INLINE void loadTile(const FftLines<float> &lines, int64_t first,
                          float (*tile)[2 * kFftLanes<float>]) {
  for (int64_t i = 0; i < kFftLanes<float>; i += 8) {
    Pairs rows[8];
    for (int64_t j = 0; j < 8; ++j)
      std::memcpy(&rows[j], lines.data + lines.offsets[i + j] + 2 * first,
                  sizeof(rows[j]));
    transpose(rows);
    for (int64_t k = 0; k < 8; ++k)
      std::memcpy(&tile[k][2 * i], &rows[k], sizeof(rows[k]));
  }
}
COIL_INLINE void storeTile(const FftLines<float> &lines, int64_t first,
                           const float (*tile)[2 * kFftLanes<float>]) {
  for (int64_t i = 0; i < lines.count; i += 8) {
    Pairs rows[8];
    for (int64_t k = 0; k < 8; ++k)
      std::memcpy(&rows[k], &tile[k][2 * i], sizeof(rows[k]));
    transpose(rows);
    for (int64_t j = 0; j < std::min<int64_t>(8, lines.count - i); ++j)
      std::memcpy(lines.data + lines.offsets[i + j] + 2 * first, &rows[j],
                  sizeof(rows[j]));
  }
}

template <typename T>
COIL_INLINE void load(const FftLines<T> &lines, int64_t n, T sign,
                      FftLanes<T> *to) {
  constexpr int64_t lanes = kFftLanes<T>;
  const T *data = lines.data;
  int64_t step = lines.step, part = lines.part;
  alignas(64) T tile[kTile][2 * lanes];
  if (part == 1 && areNeighbours(lines, 2)) {
    for (int64_t k = 0; k < n; ++k) {
      std::memcpy(tile[0], data + lines.offsets[0] + k * step, sizeof(tile[0]));
      split(tile[0], sign, to[k]);
    }
    return;
  }
  if (part == 1) {
    for (int64_t first = 0; first < n; first += kTile) {
      int64_t size = std::min(kTile, n - first), done = 0;
      if constexpr (std::is_same_v<T, float>)
        for (; step == 2 && done + 8 <= size; done += 8)
          loadTile(lines, first + done, tile + done);
      for (int64_t i = 0; i < lanes && done < size; ++i) {
        const T *line = data + lines.offsets[i] + first * step;
        for (int64_t k = done; k < size; ++k)
          std::memcpy(&tile[k][2 * i], line + k * step, 2 * sizeof(T));
      }
      for (int64_t k = 0; k < size; ++k)
        split(tile[k], sign, to[first + k]);
    }
    return;
  }
  if (areNeighbours(lines, 1)) {
    for (int64_t k = 0; k < n; ++k) {
      const T *at = data + lines.offsets[0] + k * step;
      std::memcpy(&to[k].re, at, sizeof(to[k].re));
      to[k].im = Vector<T>{};
      if (part) {
        std::memcpy(&to[k].im, at + part, sizeof(to[k].im));
        to[k].im *= sign;
      }
    }
    return;
  }
  for (int64_t first = 0; first < n; first += kTile)
    for (int64_t i = 0; i < lanes; ++i)
      for (int64_t k = first; k < std::min(n, first + kTile); ++k) {
        const T *at = data + lines.offsets[i] + k * step;
        to[k].re[i] = *at;
        to[k].im[i] = part ? at[part] * sign : T(0);
      }
}

template <typename T>
COIL_INLINE void store(const FftLines<T> &lines, int64_t n, T real, T imaginary,
                       const FftLanes<T> *from) {
  constexpr int64_t lanes = kFftLanes<T>;
  T *data = lines.data;
  int64_t step = lines.step, part = lines.part;
  alignas(64) T tile[kTile][2 * lanes];
  if (part == 1 && areNeighbours(lines, 2)) {
    for (int64_t k = 0; k < n; ++k) {
      join(from[k], real, imaginary, tile[0]);
      std::memcpy(data + lines.offsets[0] + k * step, tile[0], sizeof(tile[0]));
    }
    return;
  }
  if (part == 1) {
    for (int64_t first = 0; first < n; first += kTile) {
      int64_t size = std::min(kTile, n - first), done = 0;
      for (int64_t k = 0; k < size; ++k)
        join(from[first + k], real, imaginary, tile[k]);
      if constexpr (std::is_same_v<T, float>)
        for (; step == 2 && done + 8 <= size; done += 8)
          storeTile(lines, first + done, tile + done);
      for (int64_t i = 0; i < lines.count && done < size; ++i) {
        T *line = data + lines.offsets[i] + first * step;
        for (int64_t k = done; k < size; ++k)
          std::memcpy(line + k * step, &tile[k][2 * i], 2 * sizeof(T));
      }
    }
    return;
  }
  if (areNeighbours(lines, 1)) {
    for (int64_t k = 0; k < n; ++k) {
      T *at = data + lines.offsets[0] + k * step;
      Vector<T> re = from[k].re * real, im = from[k].im * imaginary;
      std::memcpy(at, &re, sizeof(re));
      if (part)
        std::memcpy(at + part, &im, sizeof(im));
    }
    return;
  }
  for (int64_t first = 0; first < n; first += kTile)
    for (int64_t i = 0; i < lines.count; ++i)
      for (int64_t k = first; k < std::min(n, first + kTile); ++k) {
        T *at = data + lines.offsets[i] + k * step;
        *at = from[k].re[i] * real;
        if (part)
          at[part] = from[k].im[i] * imaginary;
      }
}

//===----------------------------------------------------------------------===//
// Steps around a transform
//===----------------------------------------------------------------------===//

template <typename T>
COIL_INLINE void multiplyAll(int64_t n, const FftLanes<T> *from,
                             const std::complex<T> *factors, bool conjugated,
                             FftLanes<T> *to) {
  for (int64_t k = 0; k < n; ++k) {
    FftLanes<T> product = from[k] * factors[k];
    to[k] = conjugated ? conjugate(product) : product;
  }
}

template <typename T>
COIL_INLINE void twiddleAll(int64_t n, const FftLanes<T> *factors,
                            const std::complex<T> *more, FftLanes<T> *data) {
  for (int64_t k = 0; k < n; ++k) {
    FftLanes<T> x = data[k], w = factors[k] * more[k];
    data[k] = {x.re * w.re - x.im * w.im, x.re * w.im + x.im * w.re};
  }
}

template <typename T>
COIL_INLINE void splitReal(int64_t m, const FftLanes<T> *from,
                           const std::complex<T> *roots, FftLanes<T> *to) {
  for (int64_t k = 0; k <= m; ++k) {
    FftLanes<T> value = from[k == m ? 0 : k];
    FftLanes<T> mirrored = conjugate(from[k == 0 ? 0 : m - k]);
    FftLanes<T> even = (value + mirrored) * T(0.5);
    FftLanes<T> odd = (value - mirrored) * T(0.5);
    // odd / i times the root
    to[k] = even + timesMinusI(odd) * roots[k];
  }
}

template <typename T>
COIL_INLINE void joinReal(int64_t m, const FftLanes<T> *from,
                          const std::complex<T> *roots, FftLanes<T> *to) {
  for (int64_t k = 0; k < m; ++k) {
    FftLanes<T> value = from[k], mirrored = conjugate(from[m - k]);
    FftLanes<T> even = value + mirrored;
    FftLanes<T> odd = (value - mirrored) * std::conj(roots[k]);
    // even + i * odd
    to[k] = conjugate(even - timesMinusI(odd));
  }
}

//===----------------------------------------------------------------------===//
// Versions for processors
//===----------------------------------------------------------------------===//

#define COIL_FFT_LANES(T)                                                      \
  COIL_MULTIVERSION void coil::rt::loadLanes(                                  \
      const FftLines<T> &lines, int64_t n, T sign, FftLanes<T> *to) {          \
    load(lines, n, sign, to);                                                  \
  }                                                                            \
  COIL_MULTIVERSION void coil::rt::storeLanes(const FftLines<T> &lines,        \
                                              int64_t n, T real, T imaginary,  \
                                              const FftLanes<T> *from) {       \
    store(lines, n, real, imaginary, from);                                    \
  }                                                                            \
  COIL_MULTIVERSION void coil::rt::runLanes(                                   \
      const FftStages<T> &stages, FftLanes<T> *data, FftLanes<T> *scratch) {   \
    runStages(stages, data, scratch);                                          \
  }                                                                            \
  COIL_MULTIVERSION void coil::rt::multiplyLanes(                              \
      int64_t n, const FftLanes<T> *from, const std::complex<T> *factors,      \
      bool conjugate, FftLanes<T> *to) {                                       \
    multiplyAll(n, from, factors, conjugate, to);                              \
  }                                                                            \
  COIL_MULTIVERSION void coil::rt::twiddleLanes(                               \
      int64_t n, const FftLanes<T> *factors, const std::complex<T> *more,      \
      FftLanes<T> *data) {                                                     \
    twiddleAll(n, factors, more, data);                                        \
  }                                                                            \
  COIL_MULTIVERSION void coil::rt::splitRealLanes(                             \
      int64_t m, const FftLanes<T> *from, const std::complex<T> *roots,        \
      FftLanes<T> *to) {                                                       \
    splitReal(m, from, roots, to);                                             \
  }                                                                            \
  COIL_MULTIVERSION void coil::rt::joinRealLanes(                              \
      int64_t m, const FftLanes<T> *from, const std::complex<T> *roots,        \
      FftLanes<T> *to) {                                                       \
    joinReal(m, from, roots, to);                                              \
  }
COIL_FFT_LANES(float)
COIL_FFT_LANES(double)
