//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library that looks like cuBLASLt to the runtime: it checks descriptors and
// multiplies on the simulated device's memory. COIL_FAKE_CUBLASLT_TRACE prints
// what is multiplied; COIL_FAKE_CUBLASLT_FAIL=heuristic finds no algorithm,
// =execute fails to execute.
//
//===----------------------------------------------------------------------===//

#include "FakeDevice.h"

#include "../../../lib/Runtime/CUDA/BlasLt.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

using namespace coil::fake;
using namespace coil::rt::cuda;

namespace coil::rt::cuda {

struct cublasLtContext {};

struct cublasLtMatmulDescOpaque {
  int compute = 0, scale = 0;
  int32_t transA = CUBLAS_OP_N, transB = CUBLAS_OP_N;
  int32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  const void *bias = nullptr;
};

struct cublasLtMatrixLayoutOpaque {
  int type = 0;
  int64_t rows = 0, cols = 0, ld = 0, stride = 0;
  int32_t batch = 1;
};

struct cublasLtMatmulPreferenceOpaque {
  uint64_t workspace = 0;
};

} // namespace coil::rt::cuda

namespace {

constexpr int CUBLAS_STATUS_INVALID_VALUE = 7,
              CUBLAS_STATUS_EXECUTION_FAILED = 13;

/// What an algorithm that the heuristic gives looks like.
constexpr uint64_t algorithm = 0x636f696c;
constexpr size_t workspaceBytes = 256;

bool isSet(const char *variable, const char *value) {
  const char *text = getenv(variable);
  return text && !strcmp(text, value);
}

bool getType(int number, Type &type) {
  switch (number) {
  case CUDA_R_32F:
    type = Type::F32;
    return true;
  case CUDA_R_64F:
    type = Type::F64;
    return true;
  case CUDA_R_16F:
    type = Type::F16;
    return true;
  case CUDA_R_16BF:
    type = Type::BF16;
    return true;
  default:
    return false;
  }
}

/// A matrix for each index of the batch, columns first.
struct Matrix {
  Type type = Type::F32;
  cublasLtMatrixLayoutOpaque layout;
  const void *data = nullptr;
  char *host = nullptr;

  Matrix(const cublasLtMatrixLayoutOpaque &layout, const void *data)
      : layout(layout), data(data) {
    getType(layout.type, type);
  }
  void access(bool write) {
    const SimDevice &device = SimDevice::get();
    int64_t elements = (layout.batch - 1) * layout.stride +
                       (layout.cols - 1) * layout.ld + layout.rows;
    host = static_cast<char *>(
        device.access(uint64_t(reinterpret_cast<uintptr_t>(data)),
                      uint64_t(elements * getBytes(type)), write));
    if (!host) {
      fprintf(stderr, "fake cublaslt: a matrix is not in memory\n");
      abort();
    }
  }
  char *at(int64_t batch, int64_t row, int64_t col) const {
    return host +
           (batch * layout.stride + col * layout.ld + row) * getBytes(type);
  }
};

struct Product {
  cublasLtMatmulDescOpaque desc;
  Matrix a, b, c;

  void run() {
    a.access(false);
    b.access(false);
    c.access(true);
    bool hasBias = desc.epilogue & CUBLASLT_EPILOGUE_BIAS;
    const char *bias = nullptr;
    if (hasBias) {
      cublasLtMatrixLayoutOpaque layout = c.layout;
      layout.cols = layout.batch = 1;
      Matrix vector(layout, desc.bias);
      vector.access(false);
      bias = vector.host;
    }
    int64_t depth = desc.transA ? a.layout.rows : a.layout.cols;
    auto read = [&](Type type, const char *from) {
      double value = load(type, from);
      return desc.compute == CUBLAS_COMPUTE_32F_FAST_TF32 ? toTF32(value)
                                                          : value;
    };
    for (int64_t i = 0; i < c.layout.batch; ++i)
      for (int64_t col = 0; col < c.layout.cols; ++col)
        for (int64_t row = 0; row < c.layout.rows; ++row) {
          double sum = 0;
          for (int64_t k = 0; k < depth; ++k)
            sum +=
                read(a.type, desc.transA ? a.at(i, k, row) : a.at(i, row, k)) *
                read(b.type, desc.transB ? b.at(i, col, k) : b.at(i, k, col));
          if (hasBias)
            sum += load(c.type, bias + row * getBytes(c.type));
          if (desc.epilogue & CUBLASLT_EPILOGUE_RELU)
            sum = sum != sum ? sum : std::max(sum, 0.0);
          if (desc.epilogue & CUBLASLT_EPILOGUE_GELU)
            sum = 0.5 * sum *
                  (1 + std::tanh(0.7978845608028654 *
                                 (sum + 0.044715 * sum * sum * sum)));
          store(c.type, c.at(i, row, col), sum);
        }
  }
};

/// Whether the operands of a product fit together.
bool fits(const cublasLtMatmulDescOpaque &desc,
          const cublasLtMatrixLayoutOpaque &a,
          const cublasLtMatrixLayoutOpaque &b,
          const cublasLtMatrixLayoutOpaque &c) {
  Type type;
  for (const auto *m : {&a, &b, &c})
    if (!getType(m->type, type) || m->rows < 1 || m->cols < 1 ||
        m->ld < m->rows || m->batch != c.batch)
      return false;
  bool wide = c.type == CUDA_R_64F;
  return (desc.transA ? a.cols : a.rows) == c.rows &&
         (desc.transB ? b.rows : b.cols) == c.cols &&
         (desc.transA ? a.rows : a.cols) == (desc.transB ? b.cols : b.rows) &&
         a.type == b.type &&
         (desc.compute == (wide ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F) ||
          (desc.compute == CUBLAS_COMPUTE_32F_FAST_TF32 &&
           a.type == CUDA_R_32F)) &&
         desc.scale == (wide ? CUDA_R_64F : CUDA_R_32F);
}

template <typename T>
int set(T &to, const void *value, size_t bytes) {
  if (bytes != sizeof(T))
    return CUBLAS_STATUS_INVALID_VALUE;
  memcpy(&to, value, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

} // namespace

#define EXPORT __attribute__((visibility("default"))) int

extern "C" {

EXPORT cublasLtCreate(cublasLtHandle_t *handle) {
  if (!SimDevice::get())
    return CUBLAS_STATUS_NOT_INITIALIZED;
  *handle = new cublasLtContext;
  return CUBLAS_STATUS_SUCCESS;
}

EXPORT cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *desc, int compute,
                                int scale) {
  *desc = new cublasLtMatmulDescOpaque;
  (*desc)->compute = compute;
  (*desc)->scale = scale;
  return CUBLAS_STATUS_SUCCESS;
}

EXPORT cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc) {
  delete desc;
  return CUBLAS_STATUS_SUCCESS;
}

EXPORT cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc, int attribute,
                                      const void *value, size_t bytes) {
  switch (attribute) {
  case CUBLASLT_MATMUL_DESC_TRANSA:
    return set(desc->transA, value, bytes);
  case CUBLASLT_MATMUL_DESC_TRANSB:
    return set(desc->transB, value, bytes);
  case CUBLASLT_MATMUL_DESC_EPILOGUE:
    return set(desc->epilogue, value, bytes);
  case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
    return set(desc->bias, value, bytes);
  default:
    return CUBLAS_STATUS_INVALID_VALUE;
  }
}

EXPORT cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *layout, int type,
                                  uint64_t rows, uint64_t cols, int64_t ld) {
  *layout = new cublasLtMatrixLayoutOpaque;
  (*layout)->type = type;
  (*layout)->rows = int64_t(rows);
  (*layout)->cols = int64_t(cols);
  (*layout)->ld = ld;
  return CUBLAS_STATUS_SUCCESS;
}

EXPORT cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  delete layout;
  return CUBLAS_STATUS_SUCCESS;
}

EXPORT cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                        int attribute, const void *value,
                                        size_t bytes) {
  switch (attribute) {
  case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT:
    return set(layout->batch, value, bytes);
  case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET:
    return set(layout->stride, value, bytes);
  default:
    return CUBLAS_STATUS_INVALID_VALUE;
  }
}

EXPORT cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *preference) {
  *preference = new cublasLtMatmulPreferenceOpaque;
  return CUBLAS_STATUS_SUCCESS;
}

EXPORT cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  delete preference;
  return CUBLAS_STATUS_SUCCESS;
}

EXPORT
cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                     int attribute, const void *value,
                                     size_t bytes) {
  uint32_t alignment = 0;
  if (attribute == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES)
    return set(preference->workspace, value, bytes);
  if (int status = set(alignment, value, bytes))
    return status;
  return alignment && (alignment & (alignment - 1)) == 0
             ? int(CUBLAS_STATUS_SUCCESS)
             : CUBLAS_STATUS_INVALID_VALUE;
}

EXPORT cublasLtMatmulAlgoGetHeuristic(
    cublasLtHandle_t, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a,
    cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c,
    cublasLtMatrixLayout_t d, cublasLtMatmulPreference_t preference,
    int requested, cublasLtMatmulHeuristicResult_t *results, int *returned) {
  if (!fits(*desc, *a, *b, *c) || c->type != d->type ||
      preference->workspace < workspaceBytes)
    return CUBLAS_STATUS_INVALID_VALUE;
  *returned = 0;
  if (requested < 1 || isSet("COIL_FAKE_CUBLASLT_FAIL", "heuristic"))
    return CUBLAS_STATUS_SUCCESS;
  results[0] = {};
  results[0].algo.data[0] = algorithm;
  results[0].workspaceSize = workspaceBytes;
  *returned = 1;
  return CUBLAS_STATUS_SUCCESS;
}

EXPORT cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t desc,
                      const void *alpha, const void *a,
                      cublasLtMatrixLayout_t aLayout, const void *b,
                      cublasLtMatrixLayout_t bLayout, const void *beta,
                      const void *c, cublasLtMatrixLayout_t cLayout, void *d,
                      cublasLtMatrixLayout_t dLayout,
                      const cublasLtMatmulAlgo_t *algo, void *workspace,
                      size_t bytes, CUstream stream) {
  bool wide = desc->scale == CUDA_R_64F;
  double one = load(wide ? Type::F64 : Type::F32, alpha),
         zero = load(wide ? Type::F64 : Type::F32, beta);
  if (!fits(*desc, *aLayout, *bLayout, *dLayout) || c != d ||
      cLayout != dLayout || one != 1 || zero != 0 ||
      algo->data[0] != algorithm || !workspace || bytes < workspaceBytes ||
      ((desc->epilogue & CUBLASLT_EPILOGUE_BIAS) && !desc->bias))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (isSet("COIL_FAKE_CUBLASLT_FAIL", "execute"))
    return CUBLAS_STATUS_EXECUTION_FAILED;
  if (getenv("COIL_FAKE_CUBLASLT_TRACE"))
    fprintf(
        stderr, "fake cublaslt: %d of %lld x %lld x %lld, epilogue %d%s\n",
        dLayout->batch, static_cast<long long>(dLayout->rows),
        static_cast<long long>(dLayout->cols),
        static_cast<long long>(desc->transA ? aLayout->rows : aLayout->cols),
        desc->epilogue,
        desc->compute == CUBLAS_COMPUTE_32F_FAST_TF32 ? ", tf32" : "");
  auto product = std::make_shared<Product>(
      Product{*desc, {*aLayout, a}, {*bLayout, b}, {*dLayout, d}});
  return SimDevice::get().enqueue(stream, [product] { product->run(); })
             ? int(CUBLAS_STATUS_SUCCESS)
             : CUBLAS_STATUS_EXECUTION_FAILED;
}

} // extern "C"
