//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contractions of bf16 and f16 by the library's f32 kernel: A is extended to
// f32 as a whole, B a panel of columns at a time, which stays in the cache of
// the thread that multiplies with it, so that B is read from memory once, in 16
// bits. The results of a panel get bias and post-op and are rounded before the
// next.
//
//===----------------------------------------------------------------------===//

#include "Contraction.h"
#include "Epilogue.h"
#include "ExtendFloat.h"
#include "StridedCopy.h"
#include "Threads.h"

#include <algorithm>
#include <vector>

using namespace coil::rt;

/// Elements of a panel of B and of a block of results: each is a quarter of a
/// common L2 cache (1 MiB and more on processors of the last ten years, of
/// which the rest is for A).
static constexpr int64_t kPanel = 65536;
/// Least columns of a panel, which keep the library's kernel busy.
static constexpr int64_t kMinColumns = 32;

namespace {
struct Task {
  const OneDNN &dnnl;
  coil_contraction d;
  Matrix a;
  const uint16_t *b;
  /// The bias in f32, densely; null for none.
  const float *bias;
  char *c;
};
} // namespace

/// Extends columns [begin, end) of B: row-major, or column-major where that is
/// how they lie in memory.
static Matrix widenPanel(const coil_contraction &d, const uint16_t *b,
                         int64_t begin, int64_t end, float *panel) {
  int64_t columns = end - begin, row = d.b_strides[0], column = d.b_strides[1];
  b += begin * column;
  if (row == 1 && column != 1) {
    for (int64_t j = 0; j < columns; ++j)
      extendRow(d.b_dtype, d.k, b + j * column, panel + j * d.k);
    return {panel, /*transposed=*/true, std::max<int64_t>(d.k, 1), 1};
  }
  for (int64_t i = 0; i < d.k; ++i)
    if (column == 1)
      extendRow(d.b_dtype, columns, b + i * row, panel + i * columns);
    else
      for (int64_t j = 0; j < columns; ++j)
        extendRow(d.b_dtype, 1, b + i * row + j * column,
                  panel + i * columns + j);
  return {panel, /*transposed=*/false, columns, columns};
}

/// Stores a block of results, rounded where they are not f32.
static void storeBlock(const coil_contraction &d, const float *block,
                       int64_t rows, int64_t columns, char *c) {
  int64_t row = d.c_strides[0], column = d.c_strides[1];
  for (int64_t i = 0; i < rows; ++i) {
    const float *from = block + i * columns;
    if (d.c_dtype == COIL_F32) {
      auto *to = reinterpret_cast<float *>(c) + i * row;
      for (int64_t j = 0; j < columns; ++j)
        to[j * column] = from[j];
      continue;
    }
    auto *to = reinterpret_cast<uint16_t *>(c) + i * row;
    if (column == 1)
      roundRow(d.c_dtype, columns, from, to);
    else
      for (int64_t j = 0; j < columns; ++j)
        roundRow(d.c_dtype, 1, from + j, to + j * column);
  }
}

/// Columns [begin, end) of one matrix of results.
static int32_t multiplyPanel(const Task &t, int64_t batch, int64_t begin,
                             int64_t end, std::vector<float> &panel,
                             std::vector<float> &block) {
  const coil_contraction &d = t.d;
  int64_t a, b, c, columns = end - begin;
  batchOffsets(d, batch, a, b, c);
  panel.resize(size_t(std::max<int64_t>(1, d.k * columns)));
  Matrix matrix = widenPanel(d, t.b + b, begin, end, panel.data());
  int64_t blockRows = std::clamp<int64_t>(kPanel / columns, 1, d.m);
  block.resize(size_t(blockRows * columns));
  int64_t bytes = coil_dtype_size(d.c_dtype);
  bool alongM = d.bias_axis == COIL_BIAS_ALONG_M;
  for (int64_t row = 0; row < d.m; row += blockRows) {
    int64_t rows = std::min(blockRows, d.m - row);
    if (d.k == 0)
      std::fill(block.begin(), block.end(), 0.f);
    else if (int32_t status = checkOneDNN(
                 t.dnnl.dnnl_sgemm(t.a.transposed ? 'T' : 'N',
                                   matrix.transposed ? 'T' : 'N', rows, columns,
                                   d.k, 1.f, t.a.data + a + row * t.a.rowStride,
                                   t.a.leading, matrix.data, matrix.leading,
                                   0.f, block.data(), columns),
                 "contraction"))
      return status;
    if (t.bias || d.post_op != COIL_POST_NONE)
      applyEpilogue(block.data(), rows, columns, columns,
                    t.bias && alongM ? t.bias + row : nullptr, 1,
                    t.bias && !alongM ? t.bias + begin : nullptr, d.post_op);
    storeBlock(d, block.data(), rows, columns,
               t.c +
                   (c + row * d.c_strides[0] + begin * d.c_strides[1]) * bytes);
  }
  return COIL_OK;
}

int32_t coil::rt::contractWidened(coil_run *run, const OneDNN &dnnl,
                                  coil_contraction d, const void *a,
                                  const void *b, const void *bias, void *c) {
  Scratch scratch(run);
  foldBatches(d);
  // Results side by side in memory are columns.
  if (d.n > 1 && d.c_strides[1] != 1 && d.m > 1 && d.c_strides[0] == 1)
    transposeProblem(d, a, b);
  // A in the order in which it lies, or row-major where the f32 kernel does not
  // take that.
  int64_t sizes[COIL_MAX_BATCH_RANK + 2], from[COIL_MAX_BATCH_RANK + 2],
      to[COIL_MAX_BATCH_RANK + 2], count = 1;
  int rank = d.batch_rank + 2;
  for (int32_t i = 0; i < d.batch_rank; ++i) {
    sizes[i] = d.a_batch_strides[i] == 0 ? 1 : d.batch_sizes[i];
    from[i] = d.a_batch_strides[i];
  }
  sizes[rank - 2] = d.m;
  sizes[rank - 1] = d.k;
  std::copy(d.a_strides, d.a_strides + 2, from + d.batch_rank);
  Matrix view;
  if (viewMatrix(view, nullptr, d.m, d.k, d.a_strides))
    denseStridesLike(rank, sizes, from, to);
  else
    contiguousStrides(rank, sizes, to);
  for (int i = 0; i < rank; ++i)
    count *= sizes[i];
  auto *wide = static_cast<float *>(
      scratch.allocate(std::max<int64_t>(1, count) * int64_t(sizeof(float))));
  if (!wide)
    return COIL_OUT_OF_MEMORY;
  extendToF32(d.a_dtype, rank, sizes, a, from, wide, to);
  for (int32_t i = 0; i < d.batch_rank; ++i)
    d.a_batch_strides[i] = d.a_batch_strides[i] == 0 ? 0 : to[i];
  std::copy(to + d.batch_rank, to + rank, d.a_strides);

  Task task{dnnl,    d,
            {},      static_cast<const uint16_t *>(b),
            nullptr, static_cast<char *>(c)};
  viewMatrix(task.a, wide, d.m, d.k, d.a_strides);
  if (bias) {
    int64_t length = d.bias_axis == COIL_BIAS_ALONG_M ? d.m : d.n;
    auto *values =
        static_cast<float *>(scratch.allocate(length * int64_t(sizeof(float))));
    if (!values)
      return COIL_OUT_OF_MEMORY;
    int64_t one = 1;
    if (d.bias_dtype == COIL_F32)
      for (int64_t i = 0; i < length; ++i)
        values[i] = static_cast<const float *>(bias)[i * d.bias_stride];
    else
      extendToF32(d.bias_dtype, 1, &length, bias, &d.bias_stride, values, &one);
    task.bias = values;
  }
  // Panels that fit the cache and are work for all threads.
  int64_t batches = 1, threads = coil_get_num_threads();
  for (int32_t i = 0; i < d.batch_rank; ++i)
    batches *= d.batch_sizes[i];
  int64_t share = (d.n * batches + 2 * threads - 1) / (2 * threads);
  int64_t columns = std::min(kPanel / std::max<int64_t>(d.k, 1), share);
  columns = std::min(d.n, (std::max(columns, kMinColumns) + 15) / 16 * 16);
  int64_t panels = (d.n + columns - 1) / columns;
  ThreadCountScope threadScope;
  return parallelFor(batches * panels, 1, [&](int64_t first, int64_t last) {
    std::vector<float> panel, block;
    for (int64_t i = first; i < last; ++i) {
      int64_t begin = i % panels * columns;
      if (int32_t status =
              multiplyPanel(task, i / panels, begin,
                            std::min(begin + columns, d.n), panel, block))
        return status;
    }
    return int32_t(COIL_OK);
  });
}
