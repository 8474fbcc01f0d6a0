//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Library calls of host programs in the interpreter: sums in double, rounded
// once.
//
//===----------------------------------------------------------------------===//

#include "HostActivation.h"
#include "SortElements.h"
#include "coil/Dialect/Sym/IR/Expr.h"

#include <cmath>

using namespace mlir;
using namespace coil;
using namespace coil::reference;
using namespace coil::wrapper;
using sym::ExprAttr;

static double apply(PostOp post, double x) {
  switch (post) {
  case PostOp::None:
    return x;
  case PostOp::Relu:
    return std::isnan(x) ? x : std::max(x, 0.0);
  case PostOp::GeluErf:
    return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
  case PostOp::GeluTanh:
    return 0.5 * x *
           (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
  }
  llvm_unreachable("unknown function");
}

namespace {

/// Memory that a library accesses by strides of its own, with bounds.
struct Operand {
  DType dtype = DType::F32;
  const HostMemory *memory = nullptr;
  int64_t offset = 0; ///< In bytes.
  SmallVector<int64_t> strides;

  char *at(ArrayRef<int64_t> index, bool &outside) const {
    int64_t element = 0, bytes = getByteSize(dtype);
    for (auto [i, stride] : llvm::zip(index, strides))
      element += i * stride;
    int64_t begin = offset + element * bytes;
    if (begin < 0 || begin + bytes > memory->length) {
      outside = true;
      return nullptr;
    }
    return memory->bytes.getData() + memory->begin + begin;
  }
  double get(ArrayRef<int64_t> index, bool &outside) const {
    char *data = at(index, outside);
    return data ? Tensor::load(dtype, data, 0).f : 0;
  }
  void set(ArrayRef<int64_t> index, double value, bool &outside) const {
    if (char *data = at(index, outside))
      Tensor::store(dtype, data, 0, makeFloat(value));
  }
};

} // namespace

/// Counts through all indices below `sizes`.
template <typename FnT>
static void forEachIndex(ArrayRef<int64_t> sizes, FnT fn) {
  if (llvm::any_of(sizes, [](int64_t size) { return size <= 0; }))
    return;
  SmallVector<int64_t> index(sizes.size());
  while (true) {
    fn(ArrayRef<int64_t>(index));
    size_t d = sizes.size();
    while (d > 0 && ++index[d - 1] == sizes[d - 1])
      index[--d] = 0;
    if (d == 0)
      return;
  }
}

static LogicalResult finish(Operation *op, bool outside) {
  if (outside)
    return op->emitError("touches bytes outside of an operand's storage");
  return success();
}

LogicalResult HostActivation::run(ContractionOp op) {
  auto dims = evaluate(op, op.getDims().getDims());
  if (failed(dims))
    return failure();
  size_t rank = dims->size();
  auto prepare = [&](Value v, sym::ShapeAttr strides, ExprAttr offset,
                     Operand &operand) -> LogicalResult {
    auto type = cast<BufferType>(v.getType());
    auto numbers = evaluate(op, strides.getDims());
    const HostValue &value = values[v];
    if (failed(numbers) || failed(checkAlive(op, value)))
      return failure();
    operand = {*reference::getDType(type.getElementType()), value.memory.get(),
               value.offset, std::move(*numbers)};
    if (!offset)
      return success();
    FailureOr<int64_t> first = frame.evaluate(op, offset);
    if (failed(first))
      return failure();
    operand.offset += *first * getByteSize(operand.dtype);
    return success();
  };
  Operand a, b, c, bias;
  if (failed(prepare(op.getA(), op.getAStrides(), op.getAOffsetAttr(), a)) ||
      failed(prepare(op.getB(), op.getBStrides(), op.getBOffsetAttr(), b)) ||
      failed(prepare(op.getC(), op.getCStrides(), op.getCOffsetAttr(), c)) ||
      (op.getBias() && failed(prepare(op.getBias(), *op.getBiasStrides(),
                                      op.getBiasOffsetAttr(), bias))))
    return failure();
  int64_t steps = 1;
  for (int64_t size : *dims)
    steps *= std::max<int64_t>(size, 1);
  if (failed(frame.spend(op, steps)))
    return failure();
  bool outside = false;
  int64_t depth = dims->back();
  forEachIndex(ArrayRef(*dims).drop_back(), [&](ArrayRef<int64_t> outer) {
    SmallVector<int64_t> index(outer);
    index.push_back(0);
    double sum = op.getBias() ? bias.get(index, outside) : 0;
    for (int64_t k = 0; k < depth; ++k) {
      index[rank - 1] = k;
      sum += a.get(index, outside) * b.get(index, outside);
    }
    index[rank - 1] = 0;
    c.set(index, apply(op.getPost(), sum), outside);
  });
  return finish(op, outside);
}

LogicalResult HostActivation::run(ConvolutionOp op) {
  FailureOr<Tensor> x = read(op, op.getX()), w = read(op, op.getW());
  FailureOr<HostView> y = view(op, op.getY());
  if (failed(x) || failed(w) || failed(y))
    return failure();
  std::optional<Tensor> bias;
  if (op.getBias()) {
    FailureOr<Tensor> read = this->read(op, op.getBias());
    if (failed(read))
      return failure();
    bias = *read;
  }
  Tensor result(y->dtype, y->shape.sizes);
  ArrayRef<int64_t> xs = x->getSizes(), ws = w->getSizes(),
                    ys = result.getSizes();
  int64_t perGroup = ws[1], outputs = ws[0],
          groups = static_cast<int64_t>(op.getGroups());
  if (failed(frame.spend(
          op, result.getNumElements() *
                  (w->getNumElements() / std::max<int64_t>(outputs, 1)))))
    return failure();
  size_t spatial = ys.size() - 2;
  SmallVector<int64_t> window(ws.drop_front(1));
  auto position = [](ArrayRef<int64_t> sizes, ArrayRef<int64_t> index) {
    int64_t p = 0;
    for (auto [size, i] : llvm::zip(sizes, index))
      p = p * size + i;
    return p;
  };
  forEachIndex(ys, [&](ArrayRef<int64_t> out) {
    int64_t channel = out[1];
    int64_t group = channel / std::max<int64_t>(outputs / groups, 1);
    double sum = bias ? bias->get(channel).f : 0;
    forEachIndex(window, [&](ArrayRef<int64_t> at) {
      SmallVector<int64_t> in = {out[0], group * perGroup + at[0]};
      SmallVector<int64_t> weight = {channel, at[0]};
      for (size_t d = 0; d < spatial; ++d) {
        int64_t i = out[d + 2] * op.getStride()[d] +
                    at[d + 1] * op.getDilation()[d] - op.getPadding()[d];
        if (i < 0 || i >= xs[d + 2])
          return;
        in.push_back(i);
        weight.push_back(at[d + 1]);
      }
      sum += x->get(position(xs, in)).f * w->get(position(ws, weight)).f;
    });
    result.set(position(ys, out), makeFloat(apply(op.getPost(), sum)));
  });
  return write(op, op.getY(), result);
}

LogicalResult HostActivation::run(AttentionOp op) {
  FailureOr<Tensor> q = read(op, op.getQ()), k = read(op, op.getK()),
                    v = read(op, op.getV());
  FailureOr<HostView> o = view(op, op.getO());
  if (failed(q) || failed(k) || failed(v) || failed(o))
    return failure();
  std::optional<Tensor> mask;
  if (op.getMask()) {
    FailureOr<Tensor> read = this->read(op, op.getMask());
    if (failed(read))
      return failure();
    mask = *read;
  }
  Tensor result(o->dtype, o->shape.sizes);
  ArrayRef<int64_t> qs = q->getSizes(), ks = k->getSizes();
  int64_t heads = qs[1], rows = qs[2], depth = qs[3], columns = ks[2],
          width = v->getSizes()[3];
  if (heads && (ks[1] == 0 || heads % ks[1] != 0))
    return op.emitError() << heads << " heads share " << ks[1];
  if (failed(frame.spend(op, qs[0] * heads * rows * columns * (depth + width))))
    return failure();
  double scale = op.getScale().convertToDouble();
  std::vector<double> scores(static_cast<size_t>(columns));
  for (int64_t i = 0; i < qs[0] * heads * rows; ++i) {
    int64_t row = i % rows, head = i / rows % heads, batch = i / rows / heads;
    int64_t shared = batch * ks[1] + head / (heads / ks[1]);
    double greatest = -HUGE_VAL, total = 0;
    for (int64_t j = 0; j < columns; ++j) {
      double score = 0;
      for (int64_t e = 0; e < depth; ++e)
        score += q->get(i * depth + e).f *
                 k->get((shared * columns + j) * depth + e).f;
      score *= scale;
      if (mask)
        score += mask->get(i * columns + j).f;
      if (op.getCausal() && j > row)
        score = -HUGE_VAL;
      scores[static_cast<size_t>(j)] = score;
      greatest = std::isnan(score) ? score : std::max(greatest, score);
    }
    std::vector<double> sums(static_cast<size_t>(width));
    for (int64_t j = 0; j < columns; ++j) {
      double weight = std::exp(scores[static_cast<size_t>(j)] - greatest);
      total += weight;
      for (int64_t f = 0; f < width; ++f)
        sums[static_cast<size_t>(f)] +=
            weight * v->get((shared * columns + j) * width + f).f;
    }
    for (int64_t f = 0; f < width; ++f)
      result.set(i * width + f,
                 makeFloat(sums[static_cast<size_t>(f)] / total));
  }
  return write(op, op.getO(), result);
}

LogicalResult HostActivation::run(SortOp op) {
  FailureOr<Tensor> x = read(op, op.getX());
  Value any = op.getValues() ? op.getValues() : op.getIndices();
  FailureOr<HostShape> shape = getShape(op, cast<BufferType>(any.getType()));
  if (failed(x) || failed(shape))
    return failure();
  auto dim = static_cast<int64_t>(op.getDim());
  SmallVector<Tensor> results;
  if (failed(sortElements(op, frame, *x, dim, op.getDescending(),
                          shape->sizes[static_cast<size_t>(dim)], results)))
    return failure();
  return failure(
      (op.getValues() && failed(write(op, op.getValues(), results[0]))) ||
      (op.getIndices() && failed(write(op, op.getIndices(), results[1]))));
}
