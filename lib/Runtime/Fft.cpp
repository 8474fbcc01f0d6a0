//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Discrete Fourier transforms over several dimensions, as host functions:
//
//   coil::fft_c2c(self, dims, inverse, scale) -> result
//   coil::fft_r2c(self, dims, onesided, scale) -> result
//   coil::fft_c2r(self, dims, size, scale) -> result
//
// Tensors are of f32 or f64; complex ones have their parts as the last
// dimension, which `dims` does not count. `fft_r2c` transforms the last of
// `dims` first and gives its first half only if `onesided`; `fft_c2r` is the
// inverse of that, and `size` that of the last of `dims` in its result.
//
//===----------------------------------------------------------------------===//

#include "Fft.h"
#include "Call.h"
#include "FftPlan.h"
#include "Threads.h"

#include "coil/Runtime/Functions.h"

#include <algorithm>
#include <cmath>

using namespace coil::rt;

namespace {

/// A complex or real tensor as a function sees it: sizes and strides, in
/// numbers of T, without the dimension of parts.
template <typename T>
struct View {
  T *data;
  std::vector<int64_t> sizes, strides;
  int64_t part = 0; ///< From the real to the imaginary part; 0: real.

  static View of(const coil_tensor &tensor, bool isComplex) {
    View view;
    view.data = static_cast<T *>(tensor.data);
    int32_t rank = tensor.rank - (isComplex ? 1 : 0);
    view.sizes.assign(tensor.sizes, tensor.sizes + rank);
    view.strides.assign(tensor.strides, tensor.strides + rank);
    if (isComplex)
      view.part = tensor.strides[rank];
    return view;
  }

  int64_t count() const {
    int64_t result = 1;
    for (int64_t size : sizes)
      result *= size;
    return result;
  }

  /// Where line number `line` along dimension `dim` begins.
  int64_t lineOffset(int64_t line, size_t dim) const {
    int64_t offset = 0;
    for (size_t d = sizes.size(); d-- > 0;) {
      if (d == dim)
        continue;
      offset += line % sizes[d] * strides[d];
      line /= sizes[d];
    }
    return offset;
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

namespace {

/// Vectors of lines pay from so many lines on.
constexpr int64_t kMinLines = 3;
/// Bytes of a buffer for vectors of lines that is not too large.
constexpr int64_t kMaxBuffer = int64_t(64) << 20;

/// How lines of a length are transformed: many next to each other in vectors;
/// few long ones as matrices, each on all threads; others one by one.
template <typename T>
struct Transform {
  std::shared_ptr<const FftPlan<T>> plan;
  std::shared_ptr<const FftMatrixPlan<T>> matrix;
  bool inLanes = false;
  int64_t lines, length;

  Transform(int64_t lines, int64_t length) : lines(lines), length(length) {
    if (lines < kFftLanes<T> && FftMatrixPlan<T>::fits(length)) {
      matrix = getFftMatrixPlan<T>(length);
      return;
    }
    plan = getFftPlan<T>(length);
    inLanes = lines >= kMinLines && (2 * length + plan->getScratchSize()) *
                                            int64_t(sizeof(FftLanes<T>)) <=
                                        kMaxBuffer;
  }

  /// Calls `body(first, buffer, scratch)` for groups of lines; both are as long
  /// as the transform needs, and one element more.
  template <typename Body>
  int32_t forGroups(Body &&body) const {
    constexpr int64_t lanes = kFftLanes<T>;
    int64_t size = std::max(length, plan->getScratchSize()) + 1;
    int64_t grain = std::max<int64_t>(1, 4096 / (lanes * length));
    return parallelFor(
        (lines + lanes - 1) / lanes, grain,
        [&](int64_t begin, int64_t end) -> int32_t {
          return guarded([&]() -> int32_t {
            std::vector<FftLanes<T>> buffer(static_cast<size_t>(2 * size));
            for (int64_t group = begin; group < end; ++group)
              body(group * lanes, buffer.data(), buffer.data() + size);
            return COIL_OK;
          });
        });
  }

  /// Calls `body(line, buffer, run)` for each line, where `run(inverse)`
  /// transforms the buffer.
  template <typename Body>
  int32_t forLines(Body &&body) const {
    using Complex = std::complex<T>;
    if (matrix)
      return guarded([&]() -> int32_t {
        std::vector<Complex> buffer(static_cast<size_t>(2 * length));
        int32_t status = COIL_OK;
        auto conjugate = [&] {
          for (int64_t k = 0; k < length; ++k)
            buffer[size_t(k)] = std::conj(buffer[size_t(k)]);
        };
        for (int64_t line = 0; line < lines && !status; ++line)
          body(line, buffer.data(), [&](bool inverse) {
            if (inverse)
              conjugate();
            status = matrix->run(buffer.data(), buffer.data() + length);
            if (inverse)
              conjugate();
          });
        return status;
      });
    int64_t grain = std::max<int64_t>(1, 4096 / length);
    return parallelFor(
        lines, grain, [&](int64_t begin, int64_t end) -> int32_t {
          return guarded([&]() -> int32_t {
            std::vector<Complex> buffer(
                static_cast<size_t>(length + plan->getScratchSize()));
            for (int64_t line = begin; line < end; ++line)
              body(line, buffer.data(), [&](bool inverse) {
                plan->run(buffer.data(), buffer.data() + length, inverse);
              });
            return COIL_OK;
          });
        });
  }
};

} // namespace

/// The group of lines along `dim` that begins with line `first`, whose elements
/// are `step` apart. Lanes without a line repeat the last one.
template <typename T>
static FftLines<T> getGroup(const View<T> &view, size_t dim, int64_t lines,
                            int64_t first, int64_t step, int64_t part) {
  FftLines<T> group;
  group.data = view.data;
  group.count = std::min(kFftLanes<T>, lines - first);
  group.step = step;
  group.part = part;
  for (int64_t i = 0; i < kFftLanes<T>; ++i)
    group.offsets[i] = i < group.count ? view.lineOffset(first + i, dim)
                                       : group.offsets[i - 1];
  return group;
}

/// Transforms complex lines along `dim` of `from` into `to`, which may be the
/// same.
template <typename T>
static int32_t transformLines(const View<T> &from, const View<T> &to,
                              size_t dim, bool inverse, T scale) {
  int64_t n = to.sizes[dim];
  if (to.count() == 0)
    return COIL_OK;
  Transform<T> transform(to.count() / n, n);
  int64_t fromStride = from.strides[dim], toStride = to.strides[dim];
  if (transform.inLanes)
    return transform.forGroups([&](int64_t first, FftLanes<T> *buffer,
                                   FftLanes<T> *scratch) {
      // The inverse is the conjugate of the transform of the conjugate.
      T sign = inverse ? -1 : 1;
      loadLanes(
          getGroup(from, dim, transform.lines, first, fromStride, from.part), n,
          sign, buffer);
      transform.plan->run(buffer, scratch);
      storeLanes(getGroup(to, dim, transform.lines, first, toStride, to.part),
                 n, scale, sign * scale, buffer);
    });
  return transform.forLines(
      [&](int64_t line, std::complex<T> *buffer, auto &&run) {
        const T *in = from.data + from.lineOffset(line, dim);
        for (int64_t k = 0; k < n; ++k)
          buffer[k] = {in[k * fromStride],
                       from.part ? in[k * fromStride + from.part] : T(0)};
        run(inverse);
        T *out = to.data + to.lineOffset(line, dim);
        for (int64_t k = 0; k < n; ++k) {
          out[k * toStride] = buffer[k].real() * scale;
          out[k * toStride + to.part] = buffer[k].imag() * scale;
        }
      });
}

/// exp(-2 pi i k / n) for k up to n / 2.
template <typename T>
static std::vector<std::complex<T>> getHalfRoots(int64_t n) {
  std::vector<std::complex<T>> roots;
  for (int64_t k = 0; k <= n / 2; ++k)
    roots.emplace_back(getFftRoot(k, n));
  return roots;
}

/// Transforms real lines of `from` along `dim`; `to` has all results, or the
/// first half and one more. Lines of even length are transforms of half that
/// length: even and odd elements are real and imaginary parts.
template <typename T>
static int32_t transformRealLines(const View<T> &from, const View<T> &to,
                                  size_t dim, T scale) {
  int64_t n = from.sizes[dim], given = to.sizes[dim];
  if (to.count() == 0)
    return COIL_OK;
  bool isHalf = n % 2 == 0;
  int64_t m = isHalf ? n / 2 : n, half = n / 2 + 1;
  Transform<T> transform(from.count() / n, m);
  std::vector<std::complex<T>> roots;
  if (isHalf)
    roots = getHalfRoots<T>(n);
  int64_t fromStride = from.strides[dim], toStride = to.strides[dim];
  if (transform.inLanes)
    return transform.forGroups([&](int64_t first, FftLanes<T> *buffer,
                                   FftLanes<T> *scratch) {
      int64_t lines = transform.lines;
      loadLanes(getGroup(from, dim, lines, first,
                         isHalf ? 2 * fromStride : fromStride,
                         isHalf ? fromStride : 0),
                m, T(1), buffer);
      transform.plan->run(buffer, scratch);
      if (isHalf) {
        splitRealLanes(m, buffer, roots.data(), scratch);
        std::swap(buffer, scratch);
      }
      FftLines<T> results = getGroup(to, dim, lines, first, toStride, to.part);
      storeLanes(results, half, scale, scale, buffer);
      if (given <= half)
        return;
      // Element n - k is the conjugate of element k.
      results.data += (n - 1) * toStride;
      results.step = -toStride;
      storeLanes(results, n - half, scale, -scale, buffer + 1);
    });
  return transform.forLines(
      [&](int64_t line, std::complex<T> *buffer, auto &&run) {
        const T *in = from.data + from.lineOffset(line, dim);
        for (int64_t k = 0; k < m; ++k)
          buffer[k] = isHalf ? std::complex<T>(in[2 * k * fromStride],
                                               in[(2 * k + 1) * fromStride])
                             : std::complex<T>(in[k * fromStride], 0);
        run(/*inverse=*/false);
        T *out = to.data + to.lineOffset(line, dim);
        for (int64_t k = 0; k < half; ++k) {
          std::complex<T> value = buffer[k == m ? 0 : k];
          if (isHalf) {
            std::complex<T> mirrored = std::conj(buffer[k == 0 ? 0 : m - k]);
            std::complex<T> even = (value + mirrored) * T(0.5);
            std::complex<T> odd = (value - mirrored) * T(0.5);
            // odd / i times the root
            value = even + multiply(std::complex<T>(odd.imag(), -odd.real()),
                                    roots[size_t(k)]);
          }
          value *= scale;
          out[k * toStride] = value.real();
          out[k * toStride + to.part] = value.imag();
          if (k > 0 && n - k < given) {
            out[(n - k) * toStride] = value.real();
            out[(n - k) * toStride + to.part] = -value.imag();
          }
        }
      });
}

/// The inverse: lines of n real numbers of the first n / 2 + 1 coefficients.
/// The imaginary parts of those that belong to real numbers are ignored.
template <typename T>
static int32_t transformToRealLines(const View<T> &from, const View<T> &to,
                                    size_t dim, T scale) {
  int64_t n = to.sizes[dim];
  if (to.count() == 0)
    return COIL_OK;
  bool isHalf = n % 2 == 0;
  int64_t m = isHalf ? n / 2 : n, half = n / 2 + 1;
  Transform<T> transform(to.count() / n, m);
  std::vector<std::complex<T>> roots;
  if (isHalf)
    roots = getHalfRoots<T>(n);
  int64_t fromStride = from.strides[dim], toStride = to.strides[dim];
  if (transform.inLanes)
    return transform.forGroups(
        [&](int64_t first, FftLanes<T> *buffer, FftLanes<T> *scratch) {
          int64_t lines = transform.lines;
          loadLanes(getGroup(from, dim, lines, first, fromStride, from.part),
                    half, T(1), scratch);
          scratch[0].im = {};
          if (isHalf) {
            scratch[m].im = {};
            joinRealLanes(m, scratch, roots.data(), buffer);
          } else {
            // The result is real, so its own conjugate.
            for (int64_t k = 0; k < half; ++k) {
              if (k > 0)
                buffer[n - k] = scratch[k];
              buffer[k] = {scratch[k].re, -scratch[k].im};
            }
          }
          transform.plan->run(buffer, scratch);
          storeLanes(getGroup(to, dim, lines, first,
                              isHalf ? 2 * toStride : toStride,
                              isHalf ? toStride : 0),
                     m, scale, -scale, buffer);
        });
  return transform.forLines(
      [&](int64_t line, std::complex<T> *buffer, auto &&run) {
        const T *in = from.data + from.lineOffset(line, dim);
        auto at = [&](int64_t k) -> std::complex<T> {
          bool isReal = k == 0 || 2 * k == n;
          return {in[k * fromStride],
                  isReal ? T(0) : in[k * fromStride + from.part]};
        };
        T *out = to.data + to.lineOffset(line, dim);
        if (!isHalf) {
          for (int64_t k = 0; k < half; ++k) {
            buffer[k] = at(k);
            if (k > 0)
              buffer[n - k] = std::conj(buffer[k]);
          }
          run(/*inverse=*/true);
          for (int64_t k = 0; k < n; ++k)
            out[k * toStride] = buffer[k].real() * scale;
          return;
        }
        for (int64_t k = 0; k < m; ++k) {
          std::complex<T> value = at(k), mirrored = std::conj(at(m - k));
          std::complex<T> even = value + mirrored;
          std::complex<T> odd =
              multiply(value - mirrored, std::conj(roots[size_t(k)]));
          buffer[k] = even + std::complex<T>(-odd.imag(), odd.real());
        }
        run(/*inverse=*/true);
        for (int64_t k = 0; k < m; ++k) {
          out[2 * k * toStride] = buffer[k].real() * scale;
          out[(2 * k + 1) * toStride] = buffer[k].imag() * scale;
        }
      });
}

//===----------------------------------------------------------------------===//
// The functions
//===----------------------------------------------------------------------===//

int32_t coil::rt::readFftArguments(coil_call *call, bool isComplex,
                                   FftArguments &out) {
  out.self = coil_call_tensor(call, 0);
  const double *scale = coil_call_float(call, 3);
  int64_t count = coil_call_ints(call, 1, nullptr, 0);
  if (!out.self || !scale || count < 1)
    return coil_call_fail(call, "a tensor, dimensions and a scale are needed");
  out.scale = *scale;
  out.dims.resize(static_cast<size_t>(count));
  coil_call_ints(call, 1, out.dims.data(), count);
  if (out.self->dtype != COIL_F32 && out.self->dtype != COIL_F64)
    return coil_call_fail(call, "elements are neither f32 nor f64");
  int32_t rank = out.self->rank - (isComplex ? 1 : 0);
  if (rank < 0 || (isComplex && out.self->sizes[rank] != 2))
    return coil_call_fail(call, "the last dimension is not the parts of "
                                "complex numbers");
  for (int64_t dim : out.dims)
    if (dim < 0 || dim >= rank)
      return coil_call_fail(call, "a dimension does not exist");
  return COIL_OK;
}

template <typename T>
static int32_t runC2C(const FftArguments &arguments, const coil_tensor &result,
                      bool inverse) {
  View<T> from = View<T>::of(*arguments.self, /*isComplex=*/true);
  View<T> to = View<T>::of(result, /*isComplex=*/true);
  auto scale = static_cast<T>(arguments.scale);
  for (int64_t dim : arguments.dims) {
    if (int32_t status =
            transformLines(from, to, static_cast<size_t>(dim), inverse, scale))
      return status;
    from = to;
    scale = 1;
  }
  return COIL_OK;
}

static int32_t c2c(coil_call *call, void *) {
  FftArguments arguments;
  if (int32_t status = readFftArguments(call, /*isComplex=*/true, arguments))
    return status;
  const int64_t *inverse = coil_call_bool(call, 2);
  const coil_tensor *self = arguments.self, *result;
  if (!inverse)
    return coil_call_fail(call, "the direction is missing");
  if (int32_t status = coil_call_result(call, 0, self->dtype, self->rank,
                                        self->sizes, &result))
    return status;
  return self->dtype == COIL_F32 ? runC2C<float>(arguments, *result, *inverse)
                                 : runC2C<double>(arguments, *result, *inverse);
}

template <typename T>
static int32_t runR2C(const FftArguments &arguments,
                      const coil_tensor &result) {
  View<T> from = View<T>::of(*arguments.self, /*isComplex=*/false);
  View<T> to = View<T>::of(result, /*isComplex=*/true);
  auto last = static_cast<size_t>(arguments.dims.back());
  int32_t status =
      transformRealLines(from, to, last, static_cast<T>(arguments.scale));
  for (size_t i = 0; i + 1 < arguments.dims.size() && !status; ++i)
    status = transformLines(to, to, static_cast<size_t>(arguments.dims[i]),
                            /*inverse=*/false, T(1));
  return status;
}

static int32_t r2c(coil_call *call, void *) {
  FftArguments arguments;
  if (int32_t status = readFftArguments(call, /*isComplex=*/false, arguments))
    return status;
  const int64_t *onesided = coil_call_bool(call, 2);
  if (!onesided)
    return coil_call_fail(call, "whether half is wanted is missing");
  const coil_tensor *self = arguments.self, *result;
  std::vector<int64_t> sizes(self->sizes, self->sizes + self->rank);
  int64_t &last = sizes[static_cast<size_t>(arguments.dims.back())];
  if (last < 1)
    return coil_call_fail(call, "a dimension to transform is empty");
  if (*onesided)
    last = last / 2 + 1;
  sizes.push_back(2);
  if (int32_t status = coil_call_result(call, 0, self->dtype,
                                        static_cast<int32_t>(sizes.size()),
                                        sizes.data(), &result))
    return status;
  return self->dtype == COIL_F32 ? runR2C<float>(arguments, *result)
                                 : runR2C<double>(arguments, *result);
}

template <typename T>
static int32_t runC2R(coil_call *call, const FftArguments &arguments,
                      const coil_tensor &result) {
  View<T> from = View<T>::of(*arguments.self, /*isComplex=*/true);
  View<T> to = View<T>::of(result, /*isComplex=*/false);
  if (arguments.dims.size() > 1) {
    // The other dimensions first, in memory of the call.
    View<T> work = from;
    int64_t step = 2;
    for (size_t d = work.sizes.size(); d-- > 0;) {
      work.strides[d] = step;
      step *= work.sizes[d];
    }
    work.part = 1;
    void *memory;
    if (int32_t status = coil_call_scratch(
            call, std::max<int64_t>(step, 1) * int64_t(sizeof(T)), &memory))
      return status;
    work.data = static_cast<T *>(memory);
    for (size_t i = 0; i + 1 < arguments.dims.size(); ++i) {
      if (int32_t status =
              transformLines(from, work, static_cast<size_t>(arguments.dims[i]),
                             /*inverse=*/true, T(1)))
        return status;
      from = work;
    }
  }
  return transformToRealLines(from, to,
                              static_cast<size_t>(arguments.dims.back()),
                              static_cast<T>(arguments.scale));
}

static int32_t c2r(coil_call *call, void *) {
  FftArguments arguments;
  if (int32_t status = readFftArguments(call, /*isComplex=*/true, arguments))
    return status;
  const int64_t *size = coil_call_int(call, 2);
  const coil_tensor *self = arguments.self, *result;
  std::vector<int64_t> sizes(self->sizes, self->sizes + self->rank - 1);
  int64_t &last = sizes[static_cast<size_t>(arguments.dims.back())];
  if (!size || *size < 1 || last < *size / 2 + 1)
    return coil_call_fail(call, "there are fewer coefficients than the size of "
                                "the result needs");
  last = *size;
  if (int32_t status = coil_call_result(call, 0, self->dtype,
                                        static_cast<int32_t>(sizes.size()),
                                        sizes.data(), &result))
    return status;
  return self->dtype == COIL_F32 ? runC2R<float>(call, arguments, *result)
                                 : runC2R<double>(call, arguments, *result);
}

void coil::rt::registerFft() {
  for (const auto &[name, function] :
       {std::pair<const char *, coil_function_pointer>("coil::fft_c2c", c2c),
        std::pair<const char *, coil_function_pointer>("coil::fft_r2c", r2c),
        std::pair<const char *, coil_function_pointer>("coil::fft_c2r", c2r)}) {
    coil_function each = {
        sizeof(coil_function), 0, name, COIL_CPU, 0, function, nullptr};
    (void)coil_register_function(&each);
  }
}
