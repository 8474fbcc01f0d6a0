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

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

namespace coil::rt {

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

/// The plan of a length, made at its first use and then shared by the process.
/// The last ones used are kept.
template <typename T>
std::shared_ptr<const FftPlan<T>> getFftPlan(int64_t length);
extern template std::shared_ptr<const FftPlan<float>> getFftPlan(int64_t);
extern template std::shared_ptr<const FftPlan<double>> getFftPlan(int64_t);

} // namespace coil::rt

#endif // COIL_LIB_RUNTIME_FFTPLAN_H
