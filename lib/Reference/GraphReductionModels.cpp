//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reference semantics of `graph`'s reductions, contractions, convolution,
// pooling and attention. Floats of all widths accumulate in double and round
// once, so that a compiled program may differ by its own rounding only.
//
//===----------------------------------------------------------------------===//

#include "Accumulator.h"
#include "GraphModels.h"
#include "ScalarFunctions.h"
#include "coil/Dialect/Graph/IR/Graph.h"
#include "coil/Dialect/Graph/IR/TypeInference.h"

#include <cmath>

using namespace mlir;
using namespace coil;
using namespace coil::reference;

/// True when `y` is nearer to the extremum than `x`; nothing beats a NaN.
static bool isBefore(DType dtype, Scalar x, Scalar y, bool isMax) {
  if (isFloat(dtype)) {
    if (std::isnan(x.f) || std::isnan(y.f))
      return !std::isnan(x.f);
    return isMax ? x.f < y.f : x.f > y.f;
  }
  if (dtype == DType::U64)
    return isMax ? uint64_t(x.i) < uint64_t(y.i)
                 : uint64_t(x.i) > uint64_t(y.i);
  return isMax ? x.i < y.i : x.i > y.i;
}

Scalar reference::combine(graph::ReduceKind kind, DType dtype, Scalar x,
                          Scalar y) {
  using graph::ReduceKind;
  switch (kind) {
  case ReduceKind::Sum:
    return isFloat(dtype)
               ? makeFloat(x.f + y.f)
               : makeInt(static_cast<int64_t>(uint64_t(x.i) + uint64_t(y.i)));
  case ReduceKind::Prod:
    return isFloat(dtype)
               ? makeFloat(x.f * y.f)
               : makeInt(static_cast<int64_t>(uint64_t(x.i) * uint64_t(y.i)));
  case ReduceKind::Max:
    return isBefore(dtype, x, y, /*isMax=*/true) ? y : x;
  case ReduceKind::Min:
    return isBefore(dtype, x, y, /*isMax=*/false) ? y : x;
  case ReduceKind::Any:
    return makeInt(x.i | y.i);
  case ReduceKind::All:
    return makeInt(x.i & y.i);
  case ReduceKind::Xor:
    return makeInt(x.i ^ y.i);
  }
  llvm_unreachable("unknown kind");
}

#define MODEL(name, OpTy)                                                      \
  struct name : ReferenceOpInterface::ExternalModel<name, OpTy> {              \
    LogicalResult evaluate(Operation *op, Frame &frame,                        \
                           ArrayRef<Tensor> operands,                          \
                           SmallVectorImpl<Tensor> &results) const {           \
      return run(cast<OpTy>(op), frame, operands, results);                    \
    }                                                                          \
    static LogicalResult run(OpTy op, Frame &frame, ArrayRef<Tensor> operands, \
                             SmallVectorImpl<Tensor> &results);                \
  };                                                                           \
  LogicalResult name::run(OpTy op, Frame &frame, ArrayRef<Tensor> operands,    \
                          SmallVectorImpl<Tensor> &results)

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// What an empty reduction gives.
static Scalar getNeutral(graph::ReduceKind kind, DType dtype) {
  using graph::ReduceKind;
  switch (kind) {
  case ReduceKind::Sum:
  case ReduceKind::Xor:
  case ReduceKind::Any:
    return isFloat(dtype) ? makeFloat(0) : makeInt(0);
  case ReduceKind::Prod:
  case ReduceKind::All:
    return isFloat(dtype) ? makeFloat(1) : makeInt(1);
  case ReduceKind::Max:
  case ReduceKind::Min:
    break;
  }
  bool isMax = kind == ReduceKind::Max;
  if (isFloat(dtype))
    return makeFloat(isMax ? -HUGE_VAL : HUGE_VAL);
  bool noSign = isUnsigned(dtype) || dtype == DType::Bool;
  uint64_t top = uint64_t(1) << (getBitWidth(dtype) - 1);
  uint64_t least = noSign ? 0 : top;
  return makeInt(wrapTo(dtype, static_cast<int64_t>(isMax ? least : ~least)));
}

/// Strides of a result from which `dims` are reduced, seen from the input.
static SmallVector<int64_t> getReducedStrides(ArrayRef<int64_t> sizes,
                                              ArrayRef<int64_t> dims) {
  SmallVector<int64_t> strides(sizes.size(), 0);
  int64_t stride = 1;
  for (size_t d = sizes.size(); d-- > 0;)
    if (!llvm::is_contained(dims, d)) {
      strides[d] = stride;
      stride *= sizes[d];
    }
  return strides;
}

namespace {

MODEL(ReduceModel, graph::ReduceOp) {
  FailureOr<Tensor> result = frame.allocate(op, op.getType());
  if (failed(result) || failed(frame.spend(op, operands[0].getNumElements())))
    return failure();
  const Tensor &input = operands[0];
  DType dtype = result->getDType();
  std::vector<Scalar> values(result->getNumElements(),
                             getNeutral(op.getKind(), dtype));
  forEachElement(input.getSizes(),
                 getReducedStrides(input.getSizes(), op.getDims()), 0,
                 [&](int64_t position, int64_t offset) {
                   values[offset] = combine(op.getKind(), dtype, values[offset],
                                            input.get(position));
                 });
  for (auto [i, value] : llvm::enumerate(values))
    result->set(i, value);
  results.push_back(*result);
  return success();
}

MODEL(MomentsModel, graph::WelfordOp) {
  FailureOr<Tensor> mean = frame.allocate(op, op.getMean().getType());
  FailureOr<Tensor> m2 = frame.allocate(op, op.getM2().getType());
  if (failed(mean) || failed(m2) ||
      failed(frame.spend(op, operands[0].getNumElements())))
    return failure();
  const Tensor &input = operands[0];
  std::vector<MomentsAccumulator> values(mean->getNumElements());
  forEachElement(input.getSizes(),
                 getReducedStrides(input.getSizes(), op.getDims()), 0,
                 [&](int64_t position, int64_t offset) {
                   values[offset].add(input.get(position).f, 0, 1);
                 });
  DType dtype = mean->getDType();
  for (auto [i, value] : llvm::enumerate(values)) {
    bool empty = value.getCount() == 0;
    mean->set(
        i, makeFloat(empty ? std::nan("") : roundTo(dtype, value.getMean())));
    m2->set(i, makeFloat(roundTo(dtype, value.getM2())));
  }
  results.push_back(*mean);
  results.push_back(*m2);
  return success();
}

MODEL(ArgReduceModel, graph::ArgReduceOp) {
  FailureOr<Tensor> values = frame.allocate(op, op.getValues().getType());
  FailureOr<Tensor> positions = frame.allocate(op, op.getPositions().getType());
  if (failed(values) || failed(positions) ||
      failed(frame.spend(op, operands[0].getNumElements())))
    return failure();
  const Tensor &input = operands[0];
  bool isMax = op.getKind() == graph::ReduceKind::Max;
  int64_t dim = op.getDim(), size = input.getSizes()[dim];
  if (size == 0 && values->getNumElements())
    return op.emitError("looks for a minimum or maximum among no values");
  int64_t inner = 1;
  for (int64_t s : input.getSizes().drop_front(dim + 1))
    inner *= s;
  for (int64_t i = 0; i < values->getNumElements(); ++i) {
    int64_t start = i / inner * size * inner + i % inner, best = 0;
    for (int64_t k = 1; k < size; ++k)
      if (isBefore(input.getDType(), input.get(start + best * inner),
                   input.get(start + k * inner), isMax))
        best = k;
    values->set(i, input.get(start + best * inner));
    positions->set(i, makeInt(best));
  }
  results.push_back(*values);
  results.push_back(*positions);
  return success();
}

} // namespace

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

/// Calls `fn` for the first element of each line along `dim`, with the number
/// of elements of a line and their distance.
template <typename FnT>
static void forEachLine(const Tensor &input, int64_t dim, FnT fn) {
  int64_t size = input.getSizes()[dim], inner = 1;
  for (int64_t s : input.getSizes().drop_front(dim + 1))
    inner *= s;
  if (size == 0)
    return;
  for (int64_t i = 0, n = input.getNumElements() / size; i < n; ++i)
    fn(i / inner * size * inner + i % inner, size, inner);
}

namespace {

MODEL(ScanModel, graph::ScanOp) {
  FailureOr<Tensor> result = frame.allocate(op, op.getType());
  if (failed(result) || failed(frame.spend(op, operands[0].getNumElements())))
    return failure();
  const Tensor &input = operands[0];
  DType dtype = input.getDType();
  auto step = [&](Scalar x, Scalar y) {
    switch (op.getKind()) {
    case graph::ScanKind::Sum:
      return combine(graph::ReduceKind::Sum, dtype, x, y);
    case graph::ScanKind::Prod:
      return combine(graph::ReduceKind::Prod, dtype, x, y);
    case graph::ScanKind::Max:
      return combine(graph::ReduceKind::Max, dtype, x, y);
    case graph::ScanKind::Min:
      return combine(graph::ReduceKind::Min, dtype, x, y);
    case graph::ScanKind::LogAddExp:
      return makeFloat(logAddExp(x.f, y.f));
    }
    llvm_unreachable("unknown kind");
  };
  forEachLine(input, op.getDim(),
              [&](int64_t start, int64_t size, int64_t stride) {
                Scalar running = input.get(start);
                for (int64_t k = 0; k < size; ++k) {
                  if (k > 0)
                    running = step(running, input.get(start + k * stride));
                  result->set(start + k * stride, running);
                }
              });
  results.push_back(*result);
  return success();
}

MODEL(ArgScanModel, graph::ArgScanOp) {
  FailureOr<Tensor> values = frame.allocate(op, op.getValues().getType());
  FailureOr<Tensor> positions = frame.allocate(op, op.getPositions().getType());
  if (failed(values) || failed(positions) ||
      failed(frame.spend(op, operands[0].getNumElements())))
    return failure();
  const Tensor &input = operands[0];
  DType dtype = input.getDType();
  bool isMax = op.getKind() == graph::ReduceKind::Max;
  forEachLine(
      input, op.getDim(), [&](int64_t start, int64_t size, int64_t stride) {
        int64_t best = 0;
        for (int64_t k = 0; k < size; ++k) {
          Scalar x = input.get(start + best * stride),
                 y = input.get(start + k * stride);
          // A later element wins unless it is worse; a NaN always does.
          if (isFloat(dtype) && std::isnan(y.f))
            best = k;
          else if (!(isFloat(dtype) && std::isnan(x.f)) &&
                   !isBefore(dtype, y, x, isMax))
            best = k;
          values->set(start + k * stride, input.get(start + best * stride));
          positions->set(start + k * stride, makeInt(best));
        }
      });
  results.push_back(*values);
  results.push_back(*positions);
  return success();
}

} // namespace

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

/// All elements as doubles.
static std::vector<double> getDoubles(const Tensor &tensor) {
  std::vector<double> values(tensor.getNumElements());
  for (int64_t i = 0; i < tensor.getNumElements(); ++i)
    values[i] = tensor.get(i).f;
  return values;
}

/// All elements as the bits of 64-bit integers.
static std::vector<uint64_t> getInts(const Tensor &tensor) {
  std::vector<uint64_t> values(tensor.getNumElements());
  for (int64_t i = 0; i < tensor.getNumElements(); ++i)
    values[i] = static_cast<uint64_t>(tensor.get(i).i);
  return values;
}

/// c[m, n] += a[m, k] b[k, n] for one batch.
template <typename T>
static void multiply(const T *a, const T *b, T *c, int64_t m, int64_t n,
                     int64_t k) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t l = 0; l < k; ++l) {
      T factor = a[i * k + l];
      for (int64_t j = 0; j < n; ++j)
        c[i * n + j] += factor * b[l * n + j];
    }
}

template <typename T>
static std::vector<T>
multiplyBatches(const std::vector<T> &a, const std::vector<T> &b,
                ArrayRef<int64_t> batch, ArrayRef<int64_t> aStrides,
                ArrayRef<int64_t> bStrides, int64_t m, int64_t n, int64_t k) {
  int64_t count = 1;
  for (int64_t size : batch)
    count *= size;
  std::vector<T> c(count * m * n);
  std::vector<int64_t> aOffsets(count);
  forEachElement(batch, aStrides, 0, [&](int64_t position, int64_t offset) {
    aOffsets[position] = offset;
  });
  forEachElement(batch, bStrides, 0, [&](int64_t position, int64_t offset) {
    multiply(a.data() + aOffsets[position] * m * k, b.data() + offset * k * n,
             c.data() + position * m * n, m, n, k);
  });
  return c;
}

namespace {

MODEL(MatmulModel, graph::MatmulOp) {
  FailureOr<Tensor> result = frame.allocate(op, op.getType());
  if (failed(result))
    return failure();
  const Tensor &a = operands[0], &b = operands[1];
  int64_t rank = result->getRank();
  int64_t m = a.getSizes()[rank - 2], k = a.getSizes()[rank - 1];
  int64_t n = b.getSizes()[rank - 1];
  if (b.getSizes()[rank - 2] != k)
    return op.emitError() << "contracts " << k << " elements with "
                          << b.getSizes()[rank - 2];
  if (failed(frame.spend(op, result->getNumElements() * k)))
    return failure();
  ArrayRef<int64_t> batch = result->getSizes().drop_back(2);
  auto getBatchStrides = [&](const Tensor &tensor) {
    SmallVector<int64_t> sizes(tensor.getSizes().drop_back(2));
    Tensor shape(DType::Bool, sizes);
    return getBroadcastStrides(op, shape, batch);
  };
  FailureOr<SmallVector<int64_t>> aStrides = getBatchStrides(a);
  FailureOr<SmallVector<int64_t>> bStrides = getBatchStrides(b);
  if (failed(aStrides) || failed(bStrides))
    return failure();
  if (isFloat(result->getDType())) {
    std::vector<double> c = multiplyBatches(getDoubles(a), getDoubles(b), batch,
                                            *aStrides, *bStrides, m, n, k);
    for (int64_t i = 0; i < result->getNumElements(); ++i)
      result->set(
          i, makeFloat(op.getBias() ? c[i] + operands[2].get(i % n).f : c[i]));
  } else {
    std::vector<uint64_t> c = multiplyBatches(getInts(a), getInts(b), batch,
                                              *aStrides, *bStrides, m, n, k);
    for (int64_t i = 0; i < result->getNumElements(); ++i) {
      uint64_t v = c[i];
      if (op.getBias())
        v += static_cast<uint64_t>(operands[2].get(i % n).i);
      result->set(i, makeInt(static_cast<int64_t>(v)));
    }
  }
  results.push_back(*result);
  return success();
}

} // namespace

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// Calls `fn(kernelPosition, inputPosition)` for every element of a window
/// over `spatial` sizes that lies inside the input. `output` is the window's
/// place.
template <typename FnT>
static void forEachInWindow(ArrayRef<int64_t> spatial, ArrayRef<int64_t> output,
                            ArrayRef<int64_t> kernel, ArrayRef<int64_t> stride,
                            ArrayRef<int64_t> padding,
                            ArrayRef<int64_t> dilation, FnT fn) {
  int64_t count = 1;
  for (int64_t size : kernel)
    count *= size;
  for (int64_t position = 0; position < count; ++position) {
    int64_t rest = position, input = 0, inputStride = 1;
    bool inside = true;
    for (size_t d = spatial.size(); d-- > 0;) {
      int64_t at =
          output[d] * stride[d] - padding[d] + rest % kernel[d] * dilation[d];
      rest /= kernel[d];
      inside &= at >= 0 && at < spatial[d];
      input += at * inputStride;
      inputStride *= spatial[d];
    }
    if (inside)
      fn(position, input);
  }
}

static int64_t getProduct(ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes)
    product *= size;
  return product;
}

/// Calls `fn(point)` for all points of a shape in row-major order.
template <typename FnT>
static void forEachPoint(ArrayRef<int64_t> sizes, FnT fn) {
  int64_t count = getProduct(sizes);
  SmallVector<int64_t> point(sizes.size());
  for (int64_t i = 0; i < count; ++i) {
    fn(i, point);
    for (size_t d = sizes.size(); d-- > 0;) {
      if (++point[d] < sizes[d])
        break;
      point[d] = 0;
    }
  }
}

/// Sizes with the channels in front of space.
static SmallVector<int64_t> getSizesFirst(const Tensor &tensor,
                                          bool channelsLast) {
  return channelsLast ? graph::toChannelsFirst<int64_t>(tensor.getSizes())
                      : SmallVector<int64_t>(tensor.getSizes());
}

/// Position of an element whose index has the channels in front of space, in a
/// tensor with these sizes.
static int64_t getPosition(ArrayRef<int64_t> sizes, ArrayRef<int64_t> index,
                           bool channelsLast) {
  int64_t position = index[0];
  if (!channelsLast)
    position = position * sizes[1] + index[1];
  for (size_t d = 2; d < sizes.size(); ++d)
    position = position * sizes[d] + index[d];
  if (channelsLast)
    position = position * sizes[1] + index[1];
  return position;
}

/// The elements in the order that has the channels in front of space.
static std::vector<double> getDoublesFirst(const Tensor &tensor,
                                           bool channelsLast) {
  std::vector<double> values(tensor.getNumElements());
  SmallVector<int64_t> sizes = getSizesFirst(tensor, channelsLast);
  forEachPoint(sizes, [&](int64_t i, ArrayRef<int64_t> point) {
    values[i] = tensor.get(getPosition(sizes, point, channelsLast)).f;
  });
  return values;
}

namespace {

MODEL(ConvModel, graph::ConvOp) {
  FailureOr<Tensor> result = frame.allocate(op, op.getType());
  if (failed(result))
    return failure();
  const Tensor &input = operands[0], &weight = operands[1];
  bool last = op.getChannelsLast();
  SmallVector<int64_t> inputSizes = getSizesFirst(input, last),
                       weightSizes = getSizesFirst(weight, last),
                       resultSizes = getSizesFirst(*result, last);
  ArrayRef<int64_t> spatial = ArrayRef(inputSizes).drop_front(2);
  ArrayRef<int64_t> kernel = ArrayRef(weightSizes).drop_front(2);
  int64_t inChannels = inputSizes[1];
  int64_t groupChannels = weightSizes[1];
  int64_t outChannels = weightSizes[0];
  int64_t window = getProduct(kernel), plane = getProduct(spatial);
  int64_t outPerGroup = outChannels / op.getGroups();
  assert(groupChannels * static_cast<int64_t>(op.getGroups()) == inChannels &&
         "the verifier compares the expressions");
  if (failed(
          frame.spend(op, result->getNumElements() * groupChannels * window)))
    return failure();
  std::vector<double> x = getDoublesFirst(input, last),
                      w = getDoublesFirst(weight, last);
  forEachPoint(resultSizes, [&](int64_t, ArrayRef<int64_t> point) {
    int64_t channel = point[1], group = channel / outPerGroup;
    double sum = 0;
    for (int64_t c = 0; c < groupChannels; ++c) {
      const double *image =
          x.data() +
          (point[0] * inChannels + group * groupChannels + c) * plane;
      const double *filter = w.data() + (channel * groupChannels + c) * window;
      forEachInWindow(
          spatial, point.drop_front(2), kernel, op.getStride(), op.getPadding(),
          op.getDilation(),
          [&](int64_t k, int64_t at) { sum += image[at] * filter[k]; });
    }
    if (op.getBias())
      sum += operands[2].get(channel).f;
    result->set(getPosition(resultSizes, point, last), makeFloat(sum));
  });
  results.push_back(*result);
  return success();
}

MODEL(PoolModel, graph::PoolOp) {
  FailureOr<Tensor> result = frame.allocate(op, op.getType());
  if (failed(result))
    return failure();
  const Tensor &input = operands[0];
  DType dtype = input.getDType();
  bool last = op.getChannelsLast();
  SmallVector<int64_t> inputSizes = getSizesFirst(input, last),
                       resultSizes = getSizesFirst(*result, last);
  ArrayRef<int64_t> spatial = ArrayRef(inputSizes).drop_front(2);
  int64_t plane = getProduct(spatial), channels = inputSizes[1];
  if (failed(frame.spend(op, result->getNumElements() *
                                 getProduct(op.getKernel()))))
    return failure();
  bool isMax = op.getKind() == graph::PoolKind::Max;
  auto kind = isMax ? graph::ReduceKind::Max : graph::ReduceKind::Sum;
  // Of the padding, as many elements count as there are; a window in ceiling
  // mode may reach beyond.
  SmallVector<int64_t> padded(spatial);
  for (auto [d, size] : llvm::enumerate(padded))
    size += 2 * op.getPadding()[d];
  SmallVector<int64_t> noPadding(spatial.size(), 0);
  LogicalResult status = success();
  forEachPoint(resultSizes, [&](int64_t, ArrayRef<int64_t> point) {
    // The first element of the plane, and how far apart its elements are.
    int64_t start = last ? point[0] * plane * channels + point[1]
                         : (point[0] * channels + point[1]) * plane;
    int64_t step = last ? channels : 1, count = 0;
    ArrayRef<int64_t> place = point.drop_front(2);
    Scalar value = getNeutral(kind, dtype);
    forEachInWindow(
        spatial, place, op.getKernel(), op.getStride(), op.getPadding(),
        op.getDilation(), [&](int64_t, int64_t at) {
          value = combine(kind, dtype, value, input.get(start + at * step));
          ++count;
        });
    if (!isMax) {
      if (op.getCountPadding()) {
        count = 0;
        forEachInWindow(padded, place, op.getKernel(), op.getStride(),
                        noPadding, op.getDilation(),
                        [&](int64_t, int64_t) { ++count; });
      }
      int64_t divisor =
          op.getDivisorAttr() ? op.getDivisorAttr().getInt() : count;
      if (isFloat(dtype)) {
        value.f /= static_cast<double>(divisor);
      } else if (divisor == 0) {
        // Windows between elements see the padding alone.
        status = op.emitError("averages integers in a window without any");
      } else if (isUnsigned(dtype)) {
        value.i =
            static_cast<int64_t>(static_cast<uint64_t>(wrapTo(dtype, value.i)) /
                                 static_cast<uint64_t>(divisor));
      } else {
        value.i = wrapTo(dtype, value.i) / divisor;
      }
    }
    result->set(getPosition(resultSizes, point, last), value);
  });
  results.push_back(*result);
  return status;
}

} // namespace

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

namespace {

MODEL(AttentionModel, graph::AttentionOp) {
  FailureOr<Tensor> result = frame.allocate(op, op.getType());
  if (failed(result))
    return failure();
  const Tensor &query = operands[0], &key = operands[1], &value = operands[2];
  int64_t rank = query.getRank();
  int64_t rows = query.getSizes()[rank - 2], depth = query.getSizes()[rank - 1];
  int64_t columns = key.getSizes()[rank - 2];
  int64_t width = value.getSizes()[rank - 1];
  ArrayRef<int64_t> batch = query.getSizes().drop_back(2);
  int64_t batches = getProduct(batch);
  double scale = op.getScale().convertToDouble();
  auto numberOr = [](std::optional<APFloat> number, double missing) {
    return number ? number->convertToDouble() : missing;
  };
  double fill = numberOr(op.getFill(), -HUGE_VAL);
  double softcap = numberOr(op.getSoftcap(), 0);
  if (failed(frame.spend(op, batches * rows * columns * (depth + width))))
    return failure();

  // The mask at every score.
  const Tensor *mask = operands.size() > 3 ? &operands[3] : nullptr;
  std::vector<int64_t> maskOffsets;
  if (mask) {
    SmallVector<int64_t> shape(batch);
    shape.push_back(rows);
    shape.push_back(columns);
    FailureOr<SmallVector<int64_t>> strides =
        getBroadcastStrides(op, *mask, shape);
    if (failed(strides))
      return failure();
    maskOffsets.resize(batches * rows * columns);
    forEachElement(shape, *strides, 0, [&](int64_t position, int64_t offset) {
      maskOffsets[position] = offset;
    });
  }

  std::vector<double> q = getDoubles(query), k = getDoubles(key),
                      v = getDoubles(value), scores(columns), sums(width);
  for (int64_t b = 0; b < batches; ++b)
    for (int64_t i = 0; i < rows; ++i) {
      double greatest = -HUGE_VAL;
      for (int64_t j = 0; j < columns; ++j) {
        double score = 0;
        for (int64_t e = 0; e < depth; ++e)
          score +=
              q[(b * rows + i) * depth + e] * k[(b * columns + j) * depth + e];
        score *= scale;
        if (op.getSoftcap())
          score = softcap * std::tanh(score / softcap);
        if (op.getCausal() && j > i)
          score = -HUGE_VAL;
        if (mask) {
          Scalar m = mask->get(maskOffsets[(b * rows + i) * columns + j]);
          if (mask->getDType() != DType::Bool)
            score += m.f;
          else if (!m.i)
            score = fill;
        }
        scores[j] = score;
        if (std::isnan(score) || score > greatest)
          greatest = std::isnan(greatest) ? greatest : score;
      }
      double total = 0;
      llvm::fill(sums, 0.0);
      bool seesNothing = greatest == -HUGE_VAL;
      for (int64_t j = 0; j < columns; ++j) {
        double weight = seesNothing ? 0 : std::exp(scores[j] - greatest);
        total += weight;
        for (int64_t f = 0; f < width; ++f)
          sums[f] += weight * v[(b * columns + j) * width + f];
      }
      for (int64_t f = 0; f < width; ++f)
        result->set((b * rows + i) * width + f,
                    makeFloat(!seesNothing      ? sums[f] / total
                              : op.getNanRows() ? std::nan("")
                                                : sums[f]));
    }
  results.push_back(*result);
  return success();
}

} // namespace

#undef MODEL

void reference::registerGraphReductionModels(MLIRContext *context) {
  graph::ReduceOp::attachInterface<ReduceModel>(*context);
  graph::ArgReduceOp::attachInterface<ArgReduceModel>(*context);
  graph::WelfordOp::attachInterface<MomentsModel>(*context);
  graph::ScanOp::attachInterface<ScanModel>(*context);
  graph::ArgScanOp::attachInterface<ArgScanModel>(*context);
  graph::MatmulOp::attachInterface<MatmulModel>(*context);
  graph::ConvOp::attachInterface<ConvModel>(*context);
  graph::PoolOp::attachInterface<PoolModel>(*context);
  graph::AttentionOp::attachInterface<AttentionModel>(*context);
}
