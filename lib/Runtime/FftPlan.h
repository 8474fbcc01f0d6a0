//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Discrete Fourier transforms of one length. Lengths without large prime
// factors go through Stockham's self-sorting algorithm with radices 4, 2, 3, 5
// and small primes; others through Bluestein's convolution, which takes a time
// of n log n for every length.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_FFTPLAN_H
#define COIL_LIB_RUNTIME_FFTPLAN_H

#include "FftLanes.h"

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

namespace coil::rt {

/// A prime factor beyond this goes through a convolution: a stage takes its
/// square.
inline constexpr int64_t kLargestFftRadix = 31;

/// exp(-2 pi i k / n), each from an angle of at most an eighth of the circle.
std::complex<double> getFftRoot(int64_t k, int64_t n);

/// The product without the C library's treatment of infinities.
template <typename T>
inline std::complex<T> multiply(std::complex<T> x, std::complex<T> y) {
  return {x.real() * y.real() - x.imag() * y.imag(),
          x.real() * y.imag() + x.imag() * y.real()};
}

/// A plan for transforms of complex numbers of type T. Transforms with a plan
/// do not change it, so that threads share it.
template <typename T>
class FftPlan {
public:
  using Complex = std::complex<T>;

  /// `length` is positive.
  explicit FftPlan(int64_t length);

  /// How many elements of scratch memory a transform needs.
  int64_t getScratchSize() const { return scratchSize; }

  /// Transforms `data` in place: the sum over k of data[k] times the power
  /// -jk (jk if `inverse`) of the root of unity.
  void run(Complex *data, Complex *scratch, bool inverse) const;

  /// The same for several lines; not for the inverse.
  void run(FftLanes<T> *data, FftLanes<T> *scratch) const;

private:
  void runForward(Complex *data, Complex *scratch) const;
  void runStages(Complex *data, Complex *scratch) const;
  void runBluestein(Complex *data, Complex *scratch) const;

  int64_t length, scratchSize;
  std::vector<int64_t> radices;
  /// The powers exp(-2 pi i k / length).
  std::vector<Complex> roots;
  /// Bluestein: the plan of the convolution's length, the chirp, and the
  /// transform of its inverse.
  std::unique_ptr<FftPlan> convolution;
  std::vector<Complex> chirp, kernel;
};

extern template class FftPlan<float>;
extern template class FftPlan<double>;

/// A plan for one long line, as a matrix of `rows` times `columns`: columns are
/// transformed, then rows. Element `j1 * columns + j2` becomes
/// `k1 + rows * k2`.
template <typename T>
class FftMatrixPlan {
public:
  using Complex = std::complex<T>;

  /// Whether the length is a product of two that stages can transform.
  static bool fits(int64_t length);

  explicit FftMatrixPlan(int64_t length);

  /// Transforms `data` in place, on all threads. `scratch` is as long. The
  /// status is that of a parallel loop.
  int32_t run(Complex *data, Complex *scratch) const;

private:
  int64_t length, rows, columns;
  std::shared_ptr<const FftPlan<T>> alongRows, alongColumns;
  /// Of the root of order `length`: the powers `k1 * lane`; and those of all
  /// others by their upper and lower digits.
  std::vector<FftLanes<T>> ofLanes;
  std::vector<Complex> upper, lower;
};

extern template class FftMatrixPlan<float>;
extern template class FftMatrixPlan<double>;

/// The plan of a length, made at its first use and then shared by the process.
/// The last ones used are kept.
template <typename T>
std::shared_ptr<const FftPlan<T>> getFftPlan(int64_t length);
extern template std::shared_ptr<const FftPlan<float>> getFftPlan(int64_t);
extern template std::shared_ptr<const FftPlan<double>> getFftPlan(int64_t);
template <typename T>
std::shared_ptr<const FftMatrixPlan<T>> getFftMatrixPlan(int64_t length);
extern template std::shared_ptr<const FftMatrixPlan<float>>
getFftMatrixPlan(int64_t);
extern template std::shared_ptr<const FftMatrixPlan<double>>
getFftMatrixPlan(int64_t);

} // namespace coil::rt

#endif // COIL_LIB_RUNTIME_FFTPLAN_H
