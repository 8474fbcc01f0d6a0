//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Discrete Fourier transforms of one length.
//
//===----------------------------------------------------------------------===//

#include "FftPlan.h"
#include "Call.h"
#include "Threads.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <list>
#include <mutex>

using namespace coil::rt;

std::complex<double> coil::rt::getFftRoot(int64_t k, int64_t n) {
  k %= n;
  // The octant and the rest, in units of an eighth of 1 / n.
  int64_t eighths = 8 * k, octant = eighths / n, rest = eighths % n;
  if (octant % 2)
    rest = n - rest;
  double angle = M_PI / 4 * double(rest) / double(n);
  double c = std::cos(angle), s = std::sin(angle);
  // Odd octants are mirrored at the next axis or diagonal.
  if (((octant + 1) / 2) % 2)
    std::swap(c, s);
  if (octant >= 2 && octant < 6)
    c = -c;
  if (octant >= 4)
    s = -s;
  return {c, -s};
}

/// Takes the lengths of stages out of `length`, and returns what is left.
static int64_t takeRadices(int64_t length, std::vector<int64_t> &radices) {
  for (int64_t radix : {4, 2, 3, 5})
    for (; length % radix == 0; length /= radix)
      radices.push_back(radix);
  for (int64_t radix = 7; radix <= kLargestFftRadix && length > 1; radix += 2)
    for (; length % radix == 0; length /= radix)
      radices.push_back(radix);
  return length;
}

template <typename T>
FftPlan<T>::FftPlan(int64_t length) : length(length), scratchSize(length) {
  int64_t rest = takeRadices(length, radices);
  if (rest == 1) {
    for (int64_t k = 0; k < length; ++k)
      roots.emplace_back(getFftRoot(k, length));
    return;
  }
  // jk = (j^2 + k^2 - (j - k)^2) / 2: the transform is a convolution with the
  // chirp exp(pi i k^2 / n). k^2 is taken modulo 2n, which is exact.
  radices.clear();
  for (int64_t k = 0; k < length; ++k) {
    auto square =
        static_cast<int64_t>(static_cast<__int128>(k) * k % (2 * length));
    chirp.emplace_back(getFftRoot(square, 2 * length));
  }
  int64_t size = 1;
  while (size < 2 * length - 1)
    size *= 2;
  convolution = std::make_unique<FftPlan>(size);
  kernel.assign(static_cast<size_t>(size), Complex());
  for (int64_t k = 0; k < length; ++k)
    kernel[static_cast<size_t>(k)] =
        kernel[static_cast<size_t>((size - k) % size)] =
            std::conj(chirp[static_cast<size_t>(k)]);
  std::vector<Complex> scratch(
      static_cast<size_t>(convolution->getScratchSize()));
  convolution->run(kernel.data(), scratch.data(), /*inverse=*/false);
  // The inverse transform's factor.
  for (Complex &value : kernel)
    value /= static_cast<T>(size);
  scratchSize = size + convolution->getScratchSize();
}

/// x times -i.
template <typename T>
static inline std::complex<T> timesMinusI(std::complex<T> x) {
  return {x.imag(), -x.real()};
}

/// One stage: `count` blocks of transforms of length `radix`, whose elements
/// are `stride * count` apart; the inner loop runs over `stride` neighbours.
/// `twiddle(k * r)` is what result r of block k is multiplied with.
template <typename T, typename Twiddle>
static void runStage(int64_t radix, int64_t count, int64_t stride,
                     const std::complex<T> *from, std::complex<T> *to,
                     const std::complex<T> *roots, int64_t length,
                     Twiddle &&twiddle) {
  using Complex = std::complex<T>;
  int64_t distance = stride * count;
  for (int64_t k = 0; k < count; ++k) {
    const Complex *in = from + stride * k;
    Complex *out = to + stride * radix * k;
    switch (radix) {
    case 2: {
      Complex w1 = twiddle(k);
      for (int64_t q = 0; q < stride; ++q) {
        Complex a = in[q], b = in[q + distance];
        out[q] = a + b;
        out[q + stride] = multiply(a - b, w1);
      }
      break;
    }
    case 3: {
      Complex w1 = twiddle(k), w2 = twiddle(2 * k);
      const T half = T(0.5), root = T(0.86602540378443864676);
      for (int64_t q = 0; q < stride; ++q) {
        Complex a = in[q], b = in[q + distance], c = in[q + 2 * distance];
        Complex sum = b + c, difference = timesMinusI((b - c) * root);
        Complex middle = a - sum * half;
        out[q] = a + sum;
        out[q + stride] = multiply(middle + difference, w1);
        out[q + 2 * stride] = multiply(middle - difference, w2);
      }
      break;
    }
    case 4: {
      Complex w1 = twiddle(k), w2 = twiddle(2 * k), w3 = twiddle(3 * k);
      for (int64_t q = 0; q < stride; ++q) {
        Complex a = in[q], b = in[q + distance], c = in[q + 2 * distance],
                d = in[q + 3 * distance];
        Complex s0 = a + c, s1 = a - c, s2 = b + d, s3 = timesMinusI(b - d);
        out[q] = s0 + s2;
        out[q + stride] = multiply(s1 + s3, w1);
        out[q + 2 * stride] = multiply(s0 - s2, w2);
        out[q + 3 * stride] = multiply(s1 - s3, w3);
      }
      break;
    }
    default: {
      Complex inputs[kLargestFftRadix];
      int64_t step = length / radix; // Of the root of order `radix`.
      for (int64_t q = 0; q < stride; ++q) {
        for (int64_t j = 0; j < radix; ++j)
          inputs[j] = in[q + j * distance];
        for (int64_t r = 0; r < radix; ++r) {
          Complex sum = inputs[0];
          for (int64_t j = 1; j < radix; ++j)
            sum += multiply(inputs[j], roots[(j * r % radix) * step]);
          out[q + r * stride] = multiply(sum, twiddle(k * r));
        }
      }
    }
    }
  }
}

template <typename T>
void FftPlan<T>::runStages(Complex *data, Complex *scratch) const {
  Complex *from = data, *to = scratch;
  int64_t rest = length, stride = 1;
  for (int64_t radix : radices) {
    int64_t count = rest / radix;
    // The root of order `rest` is the power `stride` of that of the length.
    auto twiddle = [&](int64_t k) { return roots[size_t(k * stride)]; };
    runStage(radix, count, stride, from, to, roots.data(), length, twiddle);
    std::swap(from, to);
    rest = count;
    stride *= radix;
  }
  if (from != data)
    std::copy(from, from + length, data);
}

template <typename T>
void FftPlan<T>::runBluestein(Complex *data, Complex *scratch) const {
  auto size = static_cast<int64_t>(kernel.size());
  Complex *padded = scratch, *inner = scratch + size;
  for (int64_t k = 0; k < length; ++k)
    padded[k] = multiply(data[k], chirp[size_t(k)]);
  std::fill(padded + length, padded + size, Complex());
  convolution->run(padded, inner, /*inverse=*/false);
  for (int64_t k = 0; k < size; ++k)
    padded[k] = multiply(padded[k], kernel[size_t(k)]);
  convolution->run(padded, inner, /*inverse=*/true);
  for (int64_t k = 0; k < length; ++k)
    data[k] = multiply(padded[k], chirp[size_t(k)]);
}

template <typename T>
void FftPlan<T>::runForward(Complex *data, Complex *scratch) const {
  if (convolution)
    runBluestein(data, scratch);
  else
    runStages(data, scratch);
}

template <typename T>
void FftPlan<T>::run(Complex *data, Complex *scratch, bool inverse) const {
  if (!inverse)
    return runForward(data, scratch);
  for (int64_t k = 0; k < length; ++k)
    data[k] = std::conj(data[k]);
  runForward(data, scratch);
  for (int64_t k = 0; k < length; ++k)
    data[k] = std::conj(data[k]);
}

template <typename T>
void FftPlan<T>::run(FftLanes<T> *data, FftLanes<T> *scratch) const {
  if (!convolution) {
    FftStages<T> stages = {radices.data(), radices.size(), roots.data(),
                           length};
    return runLanes(stages, data, scratch);
  }
  auto size = static_cast<int64_t>(kernel.size());
  FftLanes<T> *padded = scratch, *inner = scratch + size;
  multiplyLanes(length, data, chirp.data(), /*conjugate=*/false, padded);
  std::fill(padded + length, padded + size, FftLanes<T>());
  convolution->run(padded, inner);
  multiplyLanes(size, padded, kernel.data(), /*conjugate=*/true, padded);
  convolution->run(padded, inner);
  // The inverse transform ends with a conjugate.
  for (int64_t k = 0; k < length; ++k)
    padded[k].im = -padded[k].im;
  multiplyLanes(length, padded, chirp.data(), /*conjugate=*/false, data);
}

//===----------------------------------------------------------------------===//
// Long lines
//===----------------------------------------------------------------------===//

/// The number of rows of the matrix that a line becomes: near the square root.
static int64_t chooseRows(int64_t length) {
  std::vector<int64_t> radices;
  if (takeRadices(length, radices) != 1)
    return 1;
  int64_t rows = 1;
  for (int64_t radix : radices)
    if (rows * radix <= length / (rows * radix))
      rows *= radix;
  return rows;
}

template <typename T>
bool FftMatrixPlan<T>::fits(int64_t length) {
  // Both sides have vectors of lines.
  return length / kFftLanes<T> >= kFftLanes<T> &&
         chooseRows(length) >= kFftLanes<T>;
}

template <typename T>
FftMatrixPlan<T>::FftMatrixPlan(int64_t length)
    : length(length), rows(chooseRows(length)), columns(length / rows),
      alongRows(getFftPlan<T>(columns)), alongColumns(getFftPlan<T>(rows)) {
  ofLanes.resize(static_cast<size_t>(rows));
  for (int64_t k = 0; k < rows; ++k)
    for (int64_t lane = 0; lane < kFftLanes<T>; ++lane) {
      std::complex<double> root = getFftRoot(k * lane, length);
      ofLanes[size_t(k)].re[lane] = static_cast<T>(root.real());
      ofLanes[size_t(k)].im[lane] = static_cast<T>(root.imag());
    }
  for (int64_t k = 0; k < columns; ++k)
    lower.emplace_back(getFftRoot(k, length));
  for (int64_t k = 0; k < rows; ++k)
    upper.emplace_back(getFftRoot(k * columns, length));
}

/// `count` lines of `data` from the first one, `distance` numbers apart; lanes
/// without a line repeat the last one.
template <typename T>
static FftLines<T> getLines(std::complex<T> *data, int64_t first, int64_t end,
                            int64_t distance, int64_t step) {
  FftLines<T> lines;
  lines.data = reinterpret_cast<T *>(data);
  lines.count = std::min(kFftLanes<T>, end - first);
  lines.step = 2 * step;
  lines.part = 1;
  for (int64_t i = 0; i < kFftLanes<T>; ++i)
    lines.offsets[i] = 2 * distance * (first + std::min(i, lines.count - 1));
  return lines;
}

template <typename T>
int32_t FftMatrixPlan<T>::run(Complex *data, Complex *scratch) const {
  constexpr int64_t lanes = kFftLanes<T>;
  auto forGroups = [&](int64_t count, int64_t size, int64_t scratchSize,
                       auto &&body) {
    return parallelFor(
        (count + lanes - 1) / lanes, 1,
        [&](int64_t begin, int64_t end) -> int32_t {
          return guarded([&]() -> int32_t {
            std::vector<FftLanes<T>> buffer(size_t(size + scratchSize));
            for (int64_t group = begin; group < end; ++group)
              body(group * lanes, buffer.data(), buffer.data() + size);
            return COIL_OK;
          });
        });
  };
  int32_t status = forGroups(
      columns, rows, alongColumns->getScratchSize(),
      [&](int64_t first, FftLanes<T> *buffer, FftLanes<T> *work) {
        loadLanes(getLines(data, first, columns, 1, columns), rows, T(1),
                  buffer);
        alongColumns->run(buffer, work);
        std::vector<Complex> ofColumn;
        for (int64_t k = 0; k < rows; ++k)
          ofColumn.push_back(multiply(upper[size_t(k * first / columns)],
                                      lower[size_t(k * first % columns)]));
        twiddleLanes(rows, ofLanes.data(), ofColumn.data(), buffer);
        storeLanes(getLines(scratch, first, columns, 1, columns), rows, T(1),
                   T(1), buffer);
      });
  if (status)
    return status;
  return forGroups(rows, columns, alongRows->getScratchSize(),
                   [&](int64_t first, FftLanes<T> *buffer, FftLanes<T> *work) {
                     loadLanes(getLines(scratch, first, rows, columns, 1),
                               columns, T(1), buffer);
                     alongRows->run(buffer, work);
                     storeLanes(getLines(data, first, rows, 1, rows), columns,
                                T(1), T(1), buffer);
                   });
}

//===----------------------------------------------------------------------===//
// Plans that are kept
//===----------------------------------------------------------------------===//

namespace {

/// The plans that were used last.
template <typename Plan>
struct PlanCache {
  static constexpr size_t kCapacity = 32;

  std::mutex mutex;
  std::list<std::pair<int64_t, std::shared_ptr<const Plan>>> plans;
};

} // namespace

template <typename Plan>
static std::shared_ptr<const Plan> getPlan(int64_t length) {
  static auto *cache = new PlanCache<Plan>;
  {
    std::lock_guard<std::mutex> lock(cache->mutex);
    auto &plans = cache->plans;
    auto found =
        std::find_if(plans.begin(), plans.end(),
                     [&](const auto &entry) { return entry.first == length; });
    if (found != plans.end()) {
      plans.splice(plans.begin(), plans, found);
      return plans.front().second;
    }
  }
  auto plan = std::make_shared<const Plan>(length);
  std::lock_guard<std::mutex> lock(cache->mutex);
  cache->plans.emplace_front(length, plan);
  if (cache->plans.size() > PlanCache<Plan>::kCapacity)
    cache->plans.pop_back();
  return plan;
}

template <typename T>
std::shared_ptr<const FftPlan<T>> coil::rt::getFftPlan(int64_t length) {
  return getPlan<FftPlan<T>>(length);
}

template <typename T>
std::shared_ptr<const FftMatrixPlan<T>>
coil::rt::getFftMatrixPlan(int64_t length) {
  return getPlan<FftMatrixPlan<T>>(length);
}

template class coil::rt::FftPlan<float>;
template class coil::rt::FftPlan<double>;
template std::shared_ptr<const FftPlan<float>> coil::rt::getFftPlan(int64_t);
template std::shared_ptr<const FftPlan<double>> coil::rt::getFftPlan(int64_t);
template class coil::rt::FftMatrixPlan<float>;
template class coil::rt::FftMatrixPlan<double>;
template std::shared_ptr<const FftMatrixPlan<float>>
coil::rt::getFftMatrixPlan(int64_t);
template std::shared_ptr<const FftMatrixPlan<double>>
coil::rt::getFftMatrixPlan(int64_t);
