//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bias and elementwise functions on blocks of results. The loops are plain so
// that the compiler vectorises them, once for each level of the processor.
//
//===----------------------------------------------------------------------===//

#include "Epilogue.h"

#include "coil/Runtime/Library.h"

#include <cstring>

using namespace coil::rt;

#if defined(__x86_64__)
#define COIL_MULTIVERSION                                                      \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define COIL_MULTIVERSION
#endif

/// exp for arguments <= 0, to 2 ulp; 0 below -87.
static inline float expNegative(float x) {
  x = x > -87.f ? x : -87.f; // NaN becomes -87: the callers multiply by it.
  // Round to the nearest multiple of ln 2 by the addition of 1.5 * 2^23.
  float n = (x * 1.44269504f + 12582912.f) - 12582912.f;
  float r = (x - n * 0.693145752f) - n * 1.42860677e-6f;
  float p = 1.f / 5040;
  p = p * r + 1.f / 720;
  p = p * r + 1.f / 120;
  p = p * r + 1.f / 24;
  p = p * r + 1.f / 6;
  p = p * r + 0.5f;
  p = p * r + 1.f;
  p = p * r + 1.f;
  uint32_t bits = uint32_t(int32_t(n) + 127) << 23;
  float scale;
  memcpy(&scale, &bits, sizeof(scale));
  return p * scale;
}

/// x * Phi(x), with erfc z = t * p(t) * exp(-z * z) for t = 1 / (1 + z / 2) and
/// p interpolated at the Chebyshev points (absolute error 3.2e-8).
static inline float geluErf(float x) {
  float z = (x < 0 ? -x : x) * 0.707106781f;
  float t = 1.f / (1.f + 0.5f * z);
  float p = -0.052357126f;
  p = p * t + 0.254023612f;
  p = p * t - 0.429261565f;
  p = p * t + 0.218841746f;
  p = p * t + 0.00862266216f;
  p = p * t + 0.19038935f;
  p = p * t + 0.245503083f;
  p = p * t + 0.282143742f;
  p = p * t + 0.282094479f;
  float half = 0.5f * p * t * expNegative(-z * z);
  // NaN and infinities pass through the comparison to the product.
  return x * (x < 0 ? half : 1.f - half);
}

static inline float geluTanh(float x) {
  float u = 0.797884561f * (x + 0.044715f * x * x * x);
  // 0.5 * (1 + tanh u) = 1 / (1 + exp(-2u)), by the exponential of -2|u|.
  float e = expNegative(u < 0 ? 2.f * u : -2.f * u);
  return x * ((u < 0 ? e : 1.f) / (1.f + e));
}

/// Keeps NaN, as PyTorch does.
static inline float relu(float x) { return x < 0 ? 0.f : x; }

COIL_MULTIVERSION
static void biasRow(float *__restrict c, int64_t n, float rowBias,
                    const float *__restrict bias) {
  if (bias)
    for (int64_t j = 0; j < n; ++j)
      c[j] += rowBias + bias[j];
  else
    for (int64_t j = 0; j < n; ++j)
      c[j] += rowBias;
}

COIL_MULTIVERSION
static void reluRow(float *__restrict c, int64_t n) {
  for (int64_t j = 0; j < n; ++j)
    c[j] = relu(c[j]);
}

COIL_MULTIVERSION
static void geluErfRow(float *__restrict c, int64_t n) {
  for (int64_t j = 0; j < n; ++j)
    c[j] = geluErf(c[j]);
}

COIL_MULTIVERSION
static void geluTanhRow(float *__restrict c, int64_t n) {
  for (int64_t j = 0; j < n; ++j)
    c[j] = geluTanh(c[j]);
}

void coil::rt::applyEpilogue(float *c, int64_t m, int64_t n, int64_t rowStride,
                             const float *rowBias, int64_t rowBiasStride,
                             const float *columnBias, int32_t postOp) {
  for (int64_t i = 0; i < m; ++i, c += rowStride) {
    if (rowBias || columnBias)
      biasRow(c, n, rowBias ? rowBias[i * rowBiasStride] : 0.f, columnBias);
    if (postOp == COIL_POST_RELU)
      reluRow(c, n);
    else if (postOp == COIL_POST_GELU_ERF)
      geluErfRow(c, n);
    else if (postOp == COIL_POST_GELU_TANH)
      geluTanhRow(c, n);
  }
}
