//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contractions. f32 goes through dnnl_sgemm, which needs no preparation per
// shape, so that a model called with a new sequence length at each step pays
// nothing for it. Other types go through matmul primitives in a bounded cache.
//
//===----------------------------------------------------------------------===//

#include "Contraction.h"
#include "Epilogue.h"
#include "StridedCopy.h"
#include "Threads.h"

#include <algorithm>
#include <cinttypes>

using namespace coil::rt;

namespace {

/// The f32 contraction with C in row-major order, batches in a list.
struct Gemm {
  const OneDNN &dnnl;
  coil_contraction d;
  Matrix a, b;
  float *c;
  int64_t cLeading;
  const float *bias;

  bool hasEpilogue() const { return bias || d.post_op != COIL_POST_NONE; }
};

} // namespace

bool coil::rt::viewMatrix(Matrix &matrix, const void *data, int64_t rows,
                          int64_t columns, const int64_t *strides) {
  int64_t rowStride = rows == 1 ? std::max(columns, strides[0]) : strides[0];
  int64_t columnStride = columns == 1 ? 1 : strides[1];
  matrix.data = static_cast<const float *>(data);
  matrix.rowStride = rowStride;
  if (columnStride == 1 && rowStride >= columns) {
    matrix.transposed = false;
    matrix.leading = rowStride;
    return true;
  }
  columnStride = columns == 1 ? std::max(rows, strides[1]) : strides[1];
  rowStride = rows == 1 ? 1 : strides[0];
  if (rowStride == 1 && columnStride >= rows) {
    matrix.rowStride = 1;
    matrix.transposed = true;
    matrix.leading = columnStride;
    return true;
  }
  return false;
}

static int64_t elementCount(int32_t rank, const int64_t *sizes) {
  int64_t count = 1;
  for (int32_t i = 0; i < rank; ++i)
    count *= sizes[i];
  return count;
}

void coil::rt::batchOffsets(const coil_contraction &d, int64_t batch,
                            int64_t &a, int64_t &b, int64_t &c) {
  a = b = c = 0;
  for (int32_t i = d.batch_rank - 1; i >= 0; --i) {
    int64_t index = batch % d.batch_sizes[i];
    batch /= d.batch_sizes[i];
    a += index * d.a_batch_strides[i];
    b += index * d.b_batch_strides[i];
    c += index * d.c_batch_strides[i];
  }
}

const void *coil::rt::packOperand(Scratch &scratch, const coil_contraction &d,
                                  const void *data, int64_t elementBytes,
                                  int64_t rows, int64_t columns,
                                  int64_t *strides, int64_t *batchStrides) {
  int64_t sizes[COIL_MAX_BATCH_RANK + 2], from[COIL_MAX_BATCH_RANK + 2],
      to[COIL_MAX_BATCH_RANK + 2];
  int rank = d.batch_rank + 2;
  for (int32_t i = 0; i < d.batch_rank; ++i) {
    sizes[i] = batchStrides[i] == 0 ? 1 : d.batch_sizes[i];
    from[i] = batchStrides[i];
  }
  sizes[rank - 2] = rows;
  sizes[rank - 1] = columns;
  from[rank - 2] = strides[0];
  from[rank - 1] = strides[1];
  contiguousStrides(rank, sizes, to);
  void *packed = scratch.allocate(elementCount(rank, sizes) * elementBytes);
  if (!packed)
    return nullptr;
  copyStrided(elementBytes, rank, sizes, data, from, packed, to);
  for (int32_t i = 0; i < d.batch_rank; ++i)
    batchStrides[i] = batchStrides[i] == 0 ? 0 : to[i];
  strides[0] = to[rank - 2];
  strides[1] = to[rank - 1];
  return packed;
}

void coil::rt::foldBatches(coil_contraction &d) {
  int32_t kept = 0;
  for (int32_t i = 0; i < d.batch_rank; ++i) {
    if (d.batch_sizes[i] == 1)
      continue;
    d.batch_sizes[kept] = d.batch_sizes[i];
    d.a_batch_strides[kept] = d.a_batch_strides[i];
    d.b_batch_strides[kept] = d.b_batch_strides[i];
    d.c_batch_strides[kept] = d.c_batch_strides[i];
    ++kept;
  }
  d.batch_rank = kept;
  while (d.batch_rank > 0 && d.bias_axis == COIL_BIAS_ALONG_N) {
    int32_t i = d.batch_rank - 1;
    if (d.b_batch_strides[i] != 0)
      return;
    if (d.m == 1) {
      d.a_strides[0] = d.a_batch_strides[i];
      d.c_strides[0] = d.c_batch_strides[i];
    } else if (d.a_batch_strides[i] != d.m * d.a_strides[0] ||
               d.c_batch_strides[i] != d.m * d.c_strides[0]) {
      return;
    }
    d.m *= d.batch_sizes[i];
    --d.batch_rank;
  }
}

void coil::rt::transposeProblem(coil_contraction &d, const void *&a,
                                const void *&b) {
  std::swap(a, b);
  std::swap(d.m, d.n);
  std::swap(d.a_batch_strides, d.b_batch_strides);
  int64_t as[2] = {d.b_strides[1], d.b_strides[0]};
  int64_t bs[2] = {d.a_strides[1], d.a_strides[0]};
  std::copy(as, as + 2, d.a_strides);
  std::copy(bs, bs + 2, d.b_strides);
  std::swap(d.c_strides[0], d.c_strides[1]);
  d.bias_axis =
      d.bias_axis == COIL_BIAS_ALONG_N ? COIL_BIAS_ALONG_M : COIL_BIAS_ALONG_N;
}

//===----------------------------------------------------------------------===//
// f32
//===----------------------------------------------------------------------===//

/// Bias and post-op on rows [begin, end) of one matrix.
static void epilogueRows(const Gemm &g, float *c, int64_t begin, int64_t end) {
  const float *rowBias = nullptr, *columnBias = nullptr;
  if (g.bias && g.d.bias_axis == COIL_BIAS_ALONG_M)
    rowBias = g.bias + begin * g.d.bias_stride;
  else
    columnBias = g.bias;
  applyEpilogue(c + begin * g.cLeading, end - begin, g.d.n, g.cLeading, rowBias,
                g.d.bias_stride, columnBias, g.d.post_op);
}

/// Rows [begin, end) of one matrix product, without epilogue.
static int32_t multiplyRows(const Gemm &g, const float *a, const float *b,
                            float *c, int64_t begin, int64_t end) {
  float *rows = c + begin * g.cLeading;
  if (g.d.k == 0) {
    for (int64_t i = begin; i < end; ++i, rows += g.cLeading)
      std::fill(rows, rows + g.d.n, 0.f);
    return COIL_OK;
  }
  return checkOneDNN(g.dnnl.dnnl_sgemm(g.a.transposed ? 'T' : 'N',
                                       g.b.transposed ? 'T' : 'N', end - begin,
                                       g.d.n, g.d.k, 1.f,
                                       a + begin * g.a.rowStride, g.a.leading,
                                       b, g.b.leading, 0.f, rows, g.cLeading),
                     "contraction");
}

/// One matrix product with all threads.
static int32_t multiplyParallel(const Gemm &g, const float *a, const float *b,
                                float *c) {
  // With an epilogue and a B that stays in cache, threads take blocks of rows
  // and finish each while it is hot. Else the library splits the work itself.
  constexpr int64_t blockRows = 192, maxPanelBytes = int64_t(1) << 20;
  bool small = g.d.m * g.d.n * g.d.k < (int64_t(1) << 17);
  if (g.hasEpilogue() && !small && g.d.m >= 2 * blockRows &&
      g.d.k * g.d.n * int64_t(sizeof(float)) <= maxPanelBytes)
    return parallelFor(g.d.m, blockRows, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; row += blockRows) {
        int64_t last = std::min(row + blockRows, end);
        if (int32_t status = multiplyRows(g, a, b, c, row, last))
          return status;
        epilogueRows(g, c, row, last);
      }
      return int32_t(COIL_OK);
    });
  if (int32_t status = multiplyRows(g, a, b, c, 0, g.d.m))
    return status;
  if (!g.hasEpilogue())
    return COIL_OK;
  int64_t grain = std::max<int64_t>(1, 8192 / g.d.n);
  return parallelFor(g.d.m, grain, [&](int64_t begin, int64_t end) {
    epilogueRows(g, c, begin, end);
  });
}

static int32_t multiplyBatches(const Gemm &g) {
  int64_t batches = elementCount(g.d.batch_rank, g.d.batch_sizes);
  auto one = [&](int64_t batch, bool parallel) -> int32_t {
    int64_t a, b, c;
    batchOffsets(g.d, batch, a, b, c);
    if (parallel)
      return multiplyParallel(g, g.a.data + a, g.b.data + b, g.c + c);
    if (int32_t status =
            multiplyRows(g, g.a.data + a, g.b.data + b, g.c + c, 0, g.d.m))
      return status;
    if (g.hasEpilogue())
      epilogueRows(g, g.c + c, 0, g.d.m);
    return COIL_OK;
  };
  // Threads take whole matrices when that keeps them busy: always for small
  // matrices, else when the last round is at least 4/5 full.
  int64_t threads = coil_get_num_threads();
  double flops = 2.0 * double(g.d.m) * double(g.d.n) * double(g.d.k);
  int64_t rounds = (batches + threads - 1) / threads;
  bool balanced = batches * 5 >= rounds * threads * 4;
  if (batches > 1 && (flops < 1e6 || balanced)) {
    int64_t grain = std::max<int64_t>(1, int64_t(4e4 / (flops + 1e3)));
    return parallelFor(batches, grain, [&](int64_t begin, int64_t end) {
      for (int64_t batch = begin; batch < end; ++batch)
        if (int32_t status = one(batch, /*parallel=*/false))
          return status;
      return int32_t(COIL_OK);
    });
  }
  for (int64_t batch = 0; batch < batches; ++batch)
    if (int32_t status = one(batch, /*parallel=*/true))
      return status;
  return COIL_OK;
}

static int32_t contractF32(coil_run *run, const OneDNN &dnnl,
                           coil_contraction d, const void *a, const void *b,
                           const float *bias, float *c) {
  Scratch scratch(run);
  ThreadCountScope threadScope;
  foldBatches(d);

  // C in row-major order: as it is, by exchanging A and B, or by a copy.
  auto isRowMajor = [](int64_t rows, int64_t columns, const int64_t *strides) {
    return (columns == 1 || strides[1] == 1) &&
           (rows == 1 || strides[0] >= columns);
  };
  const coil_contraction original = d;
  float *target = c;
  if (!isRowMajor(d.m, d.n, d.c_strides)) {
    int64_t swapped[2] = {d.c_strides[1], d.c_strides[0]};
    if (isRowMajor(d.n, d.m, swapped)) {
      transposeProblem(d, a, b);
    } else {
      int64_t sizes[COIL_MAX_BATCH_RANK + 2], strides[COIL_MAX_BATCH_RANK + 2];
      std::copy(d.batch_sizes, d.batch_sizes + d.batch_rank, sizes);
      sizes[d.batch_rank] = d.m;
      sizes[d.batch_rank + 1] = d.n;
      contiguousStrides(d.batch_rank + 2, sizes, strides);
      std::copy(strides, strides + d.batch_rank, d.c_batch_strides);
      d.c_strides[0] = d.n;
      d.c_strides[1] = 1;
      target = static_cast<float *>(scratch.allocate(
          elementCount(d.batch_rank + 2, sizes) * int64_t(sizeof(float))));
      if (!target)
        return COIL_OUT_OF_MEMORY;
    }
  }

  Gemm g{dnnl, d, {}, {}, target, 0, bias};
  if (!viewMatrix(g.a, a, d.m, d.k, g.d.a_strides)) {
    a = packOperand(scratch, d, a, sizeof(float), d.m, d.k, g.d.a_strides,
                    g.d.a_batch_strides);
    if (!a)
      return COIL_OUT_OF_MEMORY;
    viewMatrix(g.a, a, d.m, d.k, g.d.a_strides);
  }
  if (!viewMatrix(g.b, b, d.k, d.n, g.d.b_strides)) {
    b = packOperand(scratch, d, b, sizeof(float), d.k, d.n, g.d.b_strides,
                    g.d.b_batch_strides);
    if (!b)
      return COIL_OUT_OF_MEMORY;
    viewMatrix(g.b, b, d.k, d.n, g.d.b_strides);
  }
  g.cLeading = d.m == 1 ? std::max(d.n, d.c_strides[0]) : d.c_strides[0];
  if (bias && d.bias_axis == COIL_BIAS_ALONG_N && d.bias_stride != 1 &&
      d.n > 1) {
    auto *packed =
        static_cast<float *>(scratch.allocate(d.n * int64_t(sizeof(float))));
    if (!packed)
      return COIL_OUT_OF_MEMORY;
    for (int64_t j = 0; j < d.n; ++j)
      packed[j] = bias[j * d.bias_stride];
    g.bias = packed;
  }

  if (int32_t status = multiplyBatches(g))
    return status;
  if (target != c) {
    int64_t sizes[COIL_MAX_BATCH_RANK + 2], from[COIL_MAX_BATCH_RANK + 2],
        to[COIL_MAX_BATCH_RANK + 2];
    int rank = d.batch_rank + 2;
    std::copy(d.batch_sizes, d.batch_sizes + d.batch_rank, sizes);
    sizes[rank - 2] = d.m;
    sizes[rank - 1] = d.n;
    contiguousStrides(rank, sizes, from);
    std::copy(original.c_batch_strides, original.c_batch_strides + d.batch_rank,
              to);
    to[rank - 2] = original.c_strides[0];
    to[rank - 1] = original.c_strides[1];
    copyStrided(sizeof(float), rank, sizes, target, from, c, to);
  }
  return COIL_OK;
}

//===----------------------------------------------------------------------===//
// Interface
//===----------------------------------------------------------------------===//

static int32_t verify(const coil_contraction *desc, bool hasBias) {
  if (desc->struct_size != sizeof(coil_contraction))
    return fail(COIL_INVALID_ARGUMENT,
                "contraction: expected a descriptor of %zu bytes but got %u",
                sizeof(coil_contraction), desc->struct_size);
  const coil_contraction &d = *desc;
  if (d.batch_rank < 0 || d.batch_rank > COIL_MAX_BATCH_RANK)
    return fail(COIL_INVALID_ARGUMENT,
                "contraction: expected at most %d batch dimensions but got %d",
                COIL_MAX_BATCH_RANK, d.batch_rank);
  bool negative = d.m < 0 || d.n < 0 || d.k < 0;
  for (int32_t i = 0; i < d.batch_rank; ++i)
    negative |= d.batch_sizes[i] < 0;
  if (negative)
    return fail(COIL_INVALID_ARGUMENT, "contraction: negative size");
  if (d.post_op < COIL_POST_NONE || d.post_op > COIL_POST_GELU_TANH)
    return fail(COIL_INVALID_ARGUMENT, "contraction: unknown post-op %d",
                d.post_op);
  if (hasBias && d.bias_axis != COIL_BIAS_ALONG_N &&
      d.bias_axis != COIL_BIAS_ALONG_M)
    return fail(COIL_INVALID_ARGUMENT, "contraction: unknown bias axis %d",
                d.bias_axis);
  return COIL_OK;
}

static const char *dtypeName(int32_t dtype) {
  const char *name = coil_dtype_name(dtype);
  return name ? name : "?";
}

static int32_t contract(coil_run *run, const coil_contraction *desc,
                        const void *a, const void *b, const void *bias,
                        void *c) {
  if (int32_t status = verify(desc, bias != nullptr))
    return status;
  const OneDNN *dnnl = OneDNN::get();
  if (!dnnl)
    return COIL_UNAVAILABLE;
  coil_contraction d = *desc;
  if (!bias) {
    d.bias_axis = COIL_BIAS_ALONG_N;
    d.bias_dtype = d.c_dtype;
  }
  bool isF32 = d.a_dtype == COIL_F32 && d.b_dtype == COIL_F32 &&
               d.bias_dtype == COIL_F32 && d.c_dtype == COIL_F32;
  bool isSmall = (d.a_dtype == COIL_BF16 || d.a_dtype == COIL_F16) &&
                 d.b_dtype == d.a_dtype &&
                 (d.bias_dtype == d.a_dtype || d.bias_dtype == COIL_F32) &&
                 (d.c_dtype == d.a_dtype || d.c_dtype == COIL_F32);
  if (!isF32 && !isSmall)
    return fail(COIL_UNSUPPORTED,
                "library 'onednn' has no contraction of %s by %s to %s",
                dtypeName(d.a_dtype), dtypeName(d.b_dtype),
                dtypeName(d.c_dtype));
  if (d.m == 0 || d.n == 0 || elementCount(d.batch_rank, d.batch_sizes) == 0)
    return COIL_OK;
  if (isF32)
    return contractF32(run, *dnnl, d, a, b, static_cast<const float *>(bias),
                       static_cast<float *>(c));
  if (d.a_dtype == COIL_F16 || !dnnl->hasBF16)
    return contractWidened(run, *dnnl, d, a, b, bias, c);
  return contractByPrimitive(run, *dnnl, d, a, b, bias, c);
}

extern "C" int32_t coil_rt_contraction(coil_run *run,
                                       const coil_contraction *desc,
                                       const void *a, const void *b,
                                       const void *bias, void *c) {
  TraceStep step(run, COIL_TRACE_LIBRARY, "contraction");
  ++run->stats.library_calls;
  int32_t status = guarded([&] { return contract(run, desc, a, b, bias, c); });
  return step.finish(nameFailure(status, "contraction", desc->where), c, 0);
}
