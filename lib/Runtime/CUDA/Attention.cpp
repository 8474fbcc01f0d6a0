//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attention by cuDNN: one graph of both products and all between them, for
// which the library has a kernel that never stores the scores.
//
//===----------------------------------------------------------------------===//

#include "CuDnn.h"
#include "Graph.h"
#include "Pack.h"

#include "coil/Runtime/Library.h"

#include <cstring>
#include <limits>

using namespace coil::rt;
using namespace coil::rt::cuda;

namespace {

class Attention {
public:
  Attention(RunState &state, const coil_attention &desc)
      : state(state), d(desc) {}
  ~Attention() {
    for (DeviceBlock *block : scratch)
      state.free(block);
  }

  int32_t run(const CuDnn &lib, const void *q, const void *k, const void *v,
              const void *mask, void *o);

private:
  /// An operand with its sizes b, h, rows, columns.
  struct Operand {
    const void *data;
    int64_t sizes[4];
    int64_t strides[4];
  };

  int32_t prepare(Operand &operand);
  int32_t copyValues(const void *v, void *o);
  void build(DnnGraph &graph, const DnnTensor *tensors, bool mask) const;

  RunState &state;
  const coil_attention &d;
  std::vector<DeviceBlock *> scratch;
};

} // namespace

/// Copies an operand whose rows are not dense or not aligned.
int32_t Attention::prepare(Operand &operand) {
  constexpr int64_t elements = 8; // of 16 bits, in the 16 bytes of an access
  bool fits = operand.strides[3] == 1 && toDevice(operand.data) % 16 == 0;
  for (int i = 0; i < 3; ++i)
    fits &= operand.sizes[i] == 1 ||
            (operand.strides[i] > 0 && operand.strides[i] % elements == 0);
  if (fits)
    return COIL_OK;
  PackShape shape;
  int64_t count = 1, dense[4];
  for (int i = 4; i-- > 0;) {
    dense[i] = count;
    count *= operand.sizes[i];
  }
  for (int i = 0; i < 4; ++i)
    shape.add(operand.sizes[i], operand.strides[i]);
  int64_t element = coil_dtype_size(d.dtype);
  DeviceBlock *block = nullptr;
  if (int32_t status = state.allocate(count * element, block))
    return status;
  scratch.push_back(block);
  if (int32_t status =
          pack(state, toPointer(block->address), operand.data, element, shape))
    return status;
  operand.data = toPointer(block->address);
  memcpy(operand.strides, dense, sizeof(dense));
  return COIL_OK;
}

/// One query that sees one key has that key's value.
int32_t Attention::copyValues(const void *v, void *o) {
  int64_t group = d.heads / d.kv_heads, element = coil_dtype_size(d.dtype);
  if (d.o_strides[3] != 1 || (d.heads > 1 && d.o_strides[1] != d.value_width) ||
      (d.batch > 1 && d.o_strides[0] != d.heads * d.value_width))
    return fail(COIL_UNSUPPORTED, "library 'cudnn' needs a dense result");
  PackShape shape;
  shape.add(d.batch, d.v_strides[0]);
  shape.add(d.kv_heads, d.v_strides[1]);
  shape.add(group, 0);
  shape.add(d.value_width, d.v_strides[3]);
  return pack(state, o, v, element, shape);
}

/// Tensors are q, k transposed, v, o and perhaps the mask.
void Attention::build(DnnGraph &graph, const DnnTensor *tensors,
                      bool mask) const {
  using T = DnnGraph::Tensor;
  auto scores = [&](int type) {
    return graph.add(DnnTensor::dense(type, DnnTensor::Virtual,
                                      {d.batch, d.heads, d.queries, d.keys}));
  };
  auto row = [&] {
    return graph.add(DnnTensor::dense(CUDNN_DATA_FLOAT, DnnTensor::Virtual,
                                      {d.batch, d.heads, d.queries, 1}));
  };
  auto number = [&] {
    return graph.add(
        DnnTensor::dense(CUDNN_DATA_FLOAT, DnnTensor::ByValue, {1, 1, 1, 1}));
  };
  constexpr int f32 = CUDNN_DATA_FLOAT;
  // The numbers of these six are those that run() binds.
  T q = graph.add(tensors[0]), k = graph.add(tensors[1]),
    v = graph.add(tensors[2]), o = graph.add(tensors[3]), scale = number(),
    minusInfinity = number();
  T bias = mask ? graph.add(tensors[4]) : nullptr;

  T s = scores(f32);
  graph.addMatmul(q, k, s);
  T scaled = scores(f32);
  graph.addPointwise(CUDNN_POINTWISE_MUL, f32, s, scale, nullptr, scaled);
  s = scaled;
  if (mask) {
    T sum = scores(f32);
    graph.addPointwise(CUDNN_POINTWISE_ADD, f32, s, bias, nullptr, sum);
    s = sum;
  }
  if (d.causal) {
    T rows = scores(CUDNN_DATA_INT32), columns = scores(CUDNN_DATA_INT32),
      seen = scores(CUDNN_DATA_BOOLEAN), kept = scores(f32);
    graph.addPointwise(CUDNN_POINTWISE_GEN_INDEX, f32, s, nullptr, nullptr,
                       rows, 2);
    graph.addPointwise(CUDNN_POINTWISE_GEN_INDEX, f32, s, nullptr, nullptr,
                       columns, 3);
    graph.addPointwise(CUDNN_POINTWISE_CMP_GE, CUDNN_DATA_BOOLEAN, rows,
                       columns, nullptr, seen);
    graph.addPointwise(CUDNN_POINTWISE_BINARY_SELECT, f32, s, minusInfinity,
                       seen, kept);
    s = kept;
  }
  T largest = row(), difference = scores(f32), e = scores(f32), sum = row(),
    logarithm = row(), statistics = row(), weights = scores(tensors[0].type);
  graph.addReduction(CUDNN_REDUCE_TENSOR_MAX, s, largest);
  graph.addPointwise(CUDNN_POINTWISE_SUB, f32, s, largest, nullptr, difference);
  graph.addPointwise(CUDNN_POINTWISE_EXP, f32, difference, nullptr, nullptr, e);
  graph.addReduction(CUDNN_REDUCE_TENSOR_ADD, e, sum);
  // Nobody reads the statistics, but engines look for them.
  graph.addPointwise(CUDNN_POINTWISE_LOG, f32, sum, nullptr, nullptr,
                     logarithm);
  graph.addPointwise(CUDNN_POINTWISE_ADD, f32, largest, logarithm, nullptr,
                     statistics);
  graph.addPointwise(CUDNN_POINTWISE_DIV, f32, e, sum, nullptr, weights);
  graph.addMatmul(weights, v, o);
}

int32_t Attention::run(const CuDnn &lib, const void *q, const void *k,
                       const void *v, const void *mask, void *o) {
  constexpr const char *what = "attention";
  int type = getDnnType(d.dtype);
  if (type != CUDNN_DATA_HALF && type != CUDNN_DATA_BFLOAT16)
    return fail(COIL_UNSUPPORTED, "library 'cudnn' has no attention of %s",
                coil_dtype_name(d.dtype));
  if (d.kv_heads < 1 || d.heads % d.kv_heads != 0)
    return fail(COIL_INVALID_ARGUMENT,
                "attention with %d heads of queries and %d of keys",
                int(d.heads), int(d.kv_heads));
  if (d.batch == 0 || d.heads == 0 || d.queries == 0 || d.value_width == 0)
    return COIL_OK;
  if (d.keys == 0) {
    PackShape shape;
    for (auto [size, stride] : {std::pair(d.batch, d.o_strides[0]),
                                std::pair(d.heads, d.o_strides[1]),
                                std::pair(d.queries, d.o_strides[2]),
                                std::pair(d.value_width, d.o_strides[3])})
      shape.add(size, stride);
    return clear(state, o, coil_dtype_size(d.dtype), shape);
  }
  // The library has no kernel for this.
  if (d.queries == 1 && d.keys == 1)
    return copyValues(v, o);

  auto make = [](const void *data, std::initializer_list<int64_t> sizes,
                 const int64_t *strides) {
    Operand operand{data, {}, {}};
    std::copy(sizes.begin(), sizes.end(), operand.sizes);
    std::copy(strides, strides + 4, operand.strides);
    return operand;
  };
  Operand operands[] = {
      make(q, {d.batch, d.heads, d.queries, d.width}, d.q_strides),
      make(k, {d.batch, d.kv_heads, d.keys, d.width}, d.k_strides),
      make(v, {d.batch, d.kv_heads, d.keys, d.value_width}, d.v_strides)};
  for (Operand &operand : operands)
    if (int32_t status = prepare(operand))
      return status;
  std::vector<DnnTensor> tensors;
  for (const Operand &operand : operands)
    tensors.push_back(DnnTensor::real(type, operand.data,
                                      {operand.sizes, operand.sizes + 4},
                                      {operand.strides, operand.strides + 4}));
  // The library multiplies, so it wants the keys side by side.
  std::swap(tensors[1].sizes[2], tensors[1].sizes[3]);
  std::swap(tensors[1].strides[2], tensors[1].strides[3]);
  tensors.push_back(
      DnnTensor::real(type, o, {d.batch, d.heads, d.queries, d.value_width},
                      {d.o_strides, d.o_strides + 4}));
  // A mask that does not vary over the batch or the heads has one of them.
  Operand bias = make(mask,
                      {d.mask_strides[0] ? d.batch : 1,
                       d.mask_strides[1] ? d.heads : 1, d.queries, d.keys},
                      d.mask_strides);
  if (mask) {
    if (bias.strides[3] != 1 || (d.queries > 1 && bias.strides[2] == 0))
      if (int32_t status = prepare(bias))
        return status;
    for (int i = 0; i < 4; ++i)
      if (bias.sizes[i] == 1)
        bias.strides[i] = i == 3 ? 1 : bias.sizes[i + 1] * bias.strides[i + 1];
    tensors.push_back(DnnTensor::real(type, bias.data,
                                      {bias.sizes, bias.sizes + 4},
                                      {bias.strides, bias.strides + 4}));
  }
  // Strides of single elements say nothing, but the library looks at them.
  for (DnnTensor &t : tensors)
    for (size_t i = 4; i-- > 0;)
      if (t.sizes[i] == 1 && t.strides[i] <= 0)
        t.strides[i] = i == 3 ? 1 : t.sizes[i + 1] * t.strides[i + 1];

  std::vector<int64_t> key{'a', d.causal, mask != nullptr, d.queries, d.keys};
  for (const DnnTensor &tensor : tensors)
    tensor.describe(key);
  const float scale = float(d.scale),
              minusInfinity = -std::numeric_limits<float>::infinity();
  std::vector<DnnBinding> bindings{{1, operands[0].data},
                                   {2, operands[1].data},
                                   {3, operands[2].data},
                                   {4, o},
                                   {5, &scale}};
  if (d.causal)
    bindings.push_back({6, &minusInfinity});
  if (mask)
    bindings.push_back({7, bias.data});
  return runDnn(
      state, lib, what, std::move(key), DnnPrecision::Narrow,
      [&](DnnGraph &graph) { build(graph, tensors.data(), mask != nullptr); },
      bindings);
}

extern "C" int32_t coil_rt_attention_cuda(coil_run *run,
                                          const coil_attention *desc,
                                          const void *q, const void *k,
                                          const void *v, const void *mask,
                                          void *o) {
  return guarded([&]() -> int32_t {
    TraceStep step(run, COIL_TRACE_LIBRARY, "attention");
    ++run->stats.library_calls;
    RunState *state = getState(run);
    if (!state)
      return COIL_INVALID_ARGUMENT;
    if (desc->struct_size != sizeof(coil_attention))
      return fail(COIL_INVALID_ARGUMENT,
                  "an attention was compiled for another version of the "
                  "runtime");
    int32_t status = state->prepare();
    const CuDnn *lib = status ? nullptr : CuDnn::get();
    if (!lib)
      return step.finish(nameFailure(status ? status : COIL_UNAVAILABLE,
                                     "attention", desc->where),
                         o, 0);
    // The library's kernels keep addresses where nobody can patch them.
    if (state->recording)
      for (const void *pointer : {q, k, v, mask, (const void *)o})
        state->recording->pin(toDevice(pointer));
    ContextGuard guard(state->device);
    StepTimer timer(*state, nullptr, "attention");
    status = Attention(*state, *desc).run(*lib, q, k, v, mask, o);
    return step.finish(nameFailure(status, "attention", desc->where), o, 0);
  });
}
