//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Discrete Fourier transforms of several lines at a time, one in each lane of
// vectors: whatever their length, no step needs anything but arithmetic on
// whole vectors.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_FFTLANES_H
#define COIL_LIB_RUNTIME_FFTLANES_H

#include <complex>
#include <cstddef>
#include <cstdint>

namespace coil::rt {

/// Lines that are transformed at a time: a vector of 64 bytes of T.
template <typename T>
inline constexpr int64_t kFftLanes = 64 / int64_t(sizeof(T));

/// A complex number of each line.
template <typename T>
struct FftLanes {
  typedef T Vector __attribute__((vector_size(64)));
  Vector re, im;
};

/// Where lines are: element k of line i is at `data + offsets[i] + k * step`,
/// its imaginary part `part` further; 0: there is none.
template <typename T>
struct FftLines {
  T *data;
  int64_t offsets[kFftLanes<T>];
  int64_t count; ///< Of the lines that there are.
  int64_t step, part;
};

/// What stages of a transform need to know: see FftPlan.
template <typename T>
struct FftStages {
  const int64_t *radices;
  size_t numRadices;
  const std::complex<T> *roots;
  int64_t length;
};

#define COIL_FFT_LANES(T)                                                      \
  /* Reads `n` elements of lines; the imaginary part is multiplied by `sign`.  \
   */                                                                          \
  void loadLanes(const FftLines<T> &lines, int64_t n, T sign,                  \
                 FftLanes<T> *to);                                             \
  /* Writes them, with factors of the parts. */                                \
  void storeLanes(const FftLines<T> &lines, int64_t n, T real, T imaginary,    \
                  const FftLanes<T> *from);                                    \
  /* Transforms `data` in place. */                                            \
  void runLanes(const FftStages<T> &stages, FftLanes<T> *data,                 \
                FftLanes<T> *scratch);                                         \
  /* to[k] = from[k] * factors[k], the conjugate of that if asked for. */      \
  void multiplyLanes(int64_t n, const FftLanes<T> *from,                       \
                     const std::complex<T> *factors, bool conjugate,           \
                     FftLanes<T> *to);                                         \
  /* data[k] *= factors[k] * more[k] */                                        \
  void twiddleLanes(int64_t n, const FftLanes<T> *factors,                     \
                    const std::complex<T> *more, FftLanes<T> *data);           \
  /* The first m + 1 results of a transform of 2m real numbers of the          \
     transform of length m of its pairs; `roots` are those of order 2m. */     \
  void splitRealLanes(int64_t m, const FftLanes<T> *from,                      \
                      const std::complex<T> *roots, FftLanes<T> *to);          \
  /* The other way: the conjugate of what the inverse transform of length m    \
     needs. */                                                                 \
  void joinRealLanes(int64_t m, const FftLanes<T> *from,                       \
                     const std::complex<T> *roots, FftLanes<T> *to);
COIL_FFT_LANES(float)
COIL_FFT_LANES(double)
#undef COIL_FFT_LANES

} // namespace coil::rt

#endif // COIL_LIB_RUNTIME_FFTLANES_H
