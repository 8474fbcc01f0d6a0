//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contractions through matmul primitives, one for each shape and layout, in a
// bounded cache. Operands whose layout the library has no fast kernel for are
// copied first.
//
//===----------------------------------------------------------------------===//

#include "Contraction.h"
#include "StridedCopy.h"
#include "Threads.h"

#include <algorithm>

using namespace coil::rt;

namespace {

constexpr int maxRank = COIL_MAX_BATCH_RANK + 2;

/// An operand with its batch dimensions in front.
struct Operand {
  int rank;
  int64_t elementBytes;
  int64_t sizes[maxRank];
  int64_t strides[maxRank];
  const void *data;

  int64_t bytes() const {
    int64_t count = elementBytes;
    for (int d = 0; d < rank; ++d)
      count *= sizes[d];
    return count;
  }

  /// Whether the strides are those of some order of the dimensions without
  /// gaps between matrices, with one of the last two innermost.
  bool isPlain() const {
    int64_t row = strides[rank - 2], column = strides[rank - 1];
    int64_t rows = sizes[rank - 2], columns = sizes[rank - 1];
    bool normal = column == 1 && row == std::max<int64_t>(columns, 1);
    bool transposed = row == 1 && column == std::max<int64_t>(rows, 1);
    if (!normal && !transposed)
      return false;
    int64_t expected = rows * columns;
    for (int d = rank - 3; d >= 0; --d) {
      if (strides[d] != expected)
        return false;
      expected *= sizes[d];
    }
    return true;
  }

  void makeContiguous() { contiguousStrides(rank, sizes, strides); }
};

} // namespace

static Operand makeOperand(const coil_contraction &d, int32_t dtype,
                           const void *data, int64_t rows, int64_t columns,
                           const int64_t *batchStrides, const int64_t *strides,
                           bool mayBroadcast) {
  Operand operand;
  operand.rank = d.batch_rank + 2;
  operand.elementBytes = coil_dtype_size(dtype);
  operand.data = data;
  for (int32_t i = 0; i < d.batch_rank; ++i) {
    operand.sizes[i] =
        mayBroadcast && batchStrides[i] == 0 ? 1 : d.batch_sizes[i];
    operand.strides[i] = batchStrides[i];
  }
  operand.sizes[d.batch_rank] = rows;
  operand.sizes[d.batch_rank + 1] = columns;
  operand.strides[d.batch_rank] = strides[0];
  operand.strides[d.batch_rank + 1] = strides[1];
  return operand;
}

/// Replaces an operand by a contiguous copy when its layout is not plain.
static int32_t makePlain(Scratch &scratch, Operand &operand) {
  if (operand.isPlain())
    return COIL_OK;
  void *copy = scratch.allocate(operand.bytes());
  if (!copy)
    return COIL_OUT_OF_MEMORY;
  Operand target = operand;
  target.makeContiguous();
  target.data = copy;
  copyStrided(operand.elementBytes, operand.rank, operand.sizes, operand.data,
              operand.strides, copy, target.strides);
  operand = target;
  return COIL_OK;
}

static std::shared_ptr<const Primitive>
getMatmul(const OneDNN &dnnl, const coil_contraction &d, const Operand &a,
          const Operand &b, const Operand *bias, const Operand &c,
          int32_t &status) {
  static Cache<Primitive> cache(128);
  std::string key;
  const OneDNN *library = &dnnl;
  // Primitives are laid out for a number of threads.
  int32_t threads = coil_get_num_threads();
  appendKey(key, library, threads, d.a_dtype, d.bias_dtype, d.c_dtype,
            d.post_op);
  for (const Operand *operand : {&a, &b, bias, &c}) {
    int rank = operand ? operand->rank : 0;
    appendKey(key, rank);
    for (int i = 0; i < rank; ++i)
      appendKey(key, operand->sizes[i], operand->strides[i]);
  }
  status = COIL_OK;
  return cache.get(key, [&]() -> std::shared_ptr<const Primitive> {
    ThreadCountScope threadScope;
    dnnl_memory_desc_t am, bm, biasm, cm;
    auto describe = [&](dnnl_memory_desc_t &md, const Operand &operand,
                        int32_t dtype) {
      status = checkOneDNN(dnnl.dnnl_memory_desc_init_by_strides(
                               &md, operand.rank, operand.sizes,
                               dnnlType(dtype), operand.strides),
                           "contraction");
      return status == COIL_OK;
    };
    if (!describe(am, a, d.a_dtype) || !describe(bm, b, d.b_dtype) ||
        !describe(cm, c, d.c_dtype) ||
        (bias && !describe(biasm, *bias, d.bias_dtype)))
      return nullptr;
    dnnl_matmul_desc_t op;
    status = checkOneDNN(
        dnnl.dnnl_matmul_desc_init(&op, &am, &bm, bias ? &biasm : nullptr, &cm),
        "contraction");
    if (status)
      return nullptr;
    auto primitive = std::make_shared<Primitive>(dnnl);
    status = primitive->create(&op, d.post_op, "contraction");
    return status ? nullptr : primitive;
  });
}

int32_t coil::rt::contractByPrimitive(coil_run *run, const OneDNN &dnnl,
                                      const coil_contraction &d, const void *a,
                                      const void *b, const void *bias,
                                      void *c) {
  Scratch scratch(run);
  Operand ao = makeOperand(d, d.a_dtype, a, d.m, d.k, d.a_batch_strides,
                           d.a_strides, /*mayBroadcast=*/true);
  Operand bo = makeOperand(d, d.b_dtype, b, d.k, d.n, d.b_batch_strides,
                           d.b_strides, /*mayBroadcast=*/true);
  Operand co = makeOperand(d, d.c_dtype, c, d.m, d.n, d.c_batch_strides,
                           d.c_strides, /*mayBroadcast=*/false);
  // The library wants each batch dimension in A or in B.
  for (int32_t i = 0; i < d.batch_rank; ++i)
    if (bo.sizes[i] == 1)
      ao.sizes[i] = d.batch_sizes[i];
  // A product over nothing is a product with zeros.
  if (d.k == 0) {
    ao.sizes[d.batch_rank + 1] = bo.sizes[d.batch_rank] = 1;
    for (Operand *operand : {&ao, &bo}) {
      operand->makeContiguous();
      void *zeros = scratch.allocate(operand->bytes());
      if (!zeros)
        return COIL_OUT_OF_MEMORY;
      memset(zeros, 0, size_t(operand->bytes()));
      operand->data = zeros;
    }
  }
  if (int32_t status = makePlain(scratch, ao))
    return status;
  if (int32_t status = makePlain(scratch, bo))
    return status;
  Operand target = co;
  if (!co.isPlain() || co.strides[co.rank - 1] != 1) {
    target.makeContiguous();
    target.data = scratch.allocate(target.bytes());
    if (!target.data)
      return COIL_OUT_OF_MEMORY;
  }
  Operand biasOperand = {};
  if (bias) {
    bool alongM = d.bias_axis == COIL_BIAS_ALONG_M;
    int64_t none[COIL_MAX_BATCH_RANK] = {};
    int64_t strides[2] = {alongM ? d.bias_stride : 0,
                          alongM ? 0 : d.bias_stride};
    biasOperand = makeOperand(d, d.bias_dtype, bias, alongM ? d.m : 1,
                              alongM ? 1 : d.n, none, strides,
                              /*mayBroadcast=*/true);
    if (int32_t status = makePlain(scratch, biasOperand))
      return status;
  }
  int32_t status;
  std::shared_ptr<const Primitive> matmul =
      getMatmul(dnnl, d, ao, bo, bias ? &biasOperand : nullptr, target, status);
  if (!matmul)
    return status;
  Primitive::Argument arguments[4] = {{DNNL_ARG_SRC, ao.data},
                                      {DNNL_ARG_WEIGHTS, bo.data},
                                      {DNNL_ARG_DST, target.data},
                                      {DNNL_ARG_BIAS, biasOperand.data}};
  if (int32_t status = matmul->execute(run, arguments, bias ? 4 : 3))
    return status;
  if (target.data != c)
    copyStrided(co.elementBytes, co.rank, co.sizes, target.data, target.strides,
                c, co.strides);
  return COIL_OK;
}
