//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reference semantics of sorting and selecting.
//
//===----------------------------------------------------------------------===//

#include "GraphModels.h"
#include "SortElements.h"
#include "coil/Dialect/Graph/IR/Segment.h"
#include "coil/Dialect/Sym/IR/Expr.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

using namespace mlir;
using namespace coil;
using namespace coil::reference;

/// The order of elements: NaN is the largest, whatever its sign.
static bool isLess(DType dtype, Scalar x, Scalar y) {
  if (isFloat(dtype)) {
    if (std::isnan(x.f) || std::isnan(y.f))
      return !std::isnan(x.f);
    return x.f < y.f;
  }
  return dtype == DType::U64 ? uint64_t(x.i) < uint64_t(y.i) : x.i < y.i;
}

LogicalResult reference::sortElements(Operation *op, Frame &frame,
                                      const Tensor &input, int64_t dim,
                                      bool descending, int64_t count,
                                      SmallVectorImpl<Tensor> &results) {
  SmallVector<int64_t> sizes(input.getSizes());
  int64_t size = std::exchange(sizes[dim], count), inner = 1;
  FailureOr<Tensor> values = frame.allocate(op, input.getDType(), sizes);
  FailureOr<Tensor> indices = frame.allocate(op, DType::I64, sizes);
  if (failed(values) || failed(indices))
    return failure();
  if (count > size)
    return op->emitError() << "takes " << count << " of " << size
                           << " elements";
  for (int64_t s : input.getSizes().drop_front(dim + 1))
    inner *= s;
  int64_t lines = size == 0 ? 0 : input.getNumElements() / size;
  // About what sorting compares.
  if (failed(frame.spend(op, lines * size *
                                 (1 + int64_t(std::log2(double(size) + 1))))))
    return failure();
  std::vector<int64_t> order(size);
  for (int64_t line = 0; line < lines; ++line) {
    int64_t start = line / inner * size * inner + line % inner,
            to = line / inner * count * inner + line % inner;
    auto at = [&](int64_t i) { return input.get(start + i * inner); };
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      bool less = isLess(input.getDType(), at(a), at(b)),
           greater = isLess(input.getDType(), at(b), at(a));
      return less == greater ? a < b : descending ? greater : less;
    });
    for (int64_t i = 0; i < count; ++i) {
      values->set(to + i * inner, at(order[i]));
      indices->set(to + i * inner, makeInt(order[i]));
    }
  }
  results.push_back(*values);
  results.push_back(*indices);
  return success();
}

LogicalResult reference::sortElements(Operation *op, Frame &frame,
                                      const Tensor &input, int64_t dim,
                                      bool descending,
                                      SmallVectorImpl<Tensor> &results) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  FailureOr<int64_t> count = frame.evaluate(op, sym::getSizes(type)[dim]);
  return failed(count)
             ? failure()
             : sortElements(op, frame, input, dim, descending, *count, results);
}

namespace {

struct SortModel
    : ReferenceOpInterface::ExternalModel<SortModel, graph::SortOp> {
  LogicalResult evaluate(Operation *op, Frame &frame, ArrayRef<Tensor> operands,
                         SmallVectorImpl<Tensor> &results) const {
    auto sort = cast<graph::SortOp>(op);
    return sortElements(op, frame, operands[0],
                        static_cast<int64_t>(sort.getDim()),
                        sort.getDescending(), results);
  }
};

struct TopKModel
    : ReferenceOpInterface::ExternalModel<TopKModel, graph::TopKOp> {
  LogicalResult evaluate(Operation *op, Frame &frame, ArrayRef<Tensor> operands,
                         SmallVectorImpl<Tensor> &results) const {
    auto topk = cast<graph::TopKOp>(op);
    return sortElements(op, frame, operands[0],
                        static_cast<int64_t>(topk.getDim()), topk.getLargest(),
                        results);
  }
};

/// Sums in `f32` or `f64`, in the order of the places.
struct SegmentReduceModel
    : ReferenceOpInterface::ExternalModel<SegmentReduceModel,
                                          graph::SegmentReduceOp> {
  LogicalResult evaluate(Operation *op, Frame &frame, ArrayRef<Tensor> operands,
                         SmallVectorImpl<Tensor> &results) const {
    const Tensor &input = operands[0], &lo = operands[1], &hi = operands[2];
    auto reduce = cast<graph::SegmentReduceOp>(op);
    const Tensor *positions = reduce.getPositions() ? &operands[3] : nullptr;
    const Tensor *init = reduce.getInit() ? &operands.back() : nullptr;
    FailureOr<Tensor> result = frame.allocate(op, op->getResult(0).getType());
    if (failed(result))
      return failure();
    int64_t rows = input.getSizes()[0], width = 1;
    for (int64_t size : input.getSizes().drop_front())
      width *= size;
    int64_t places = positions ? positions->getNumElements() : rows;
    bool narrow = getByteSize(result->getDType()) < 8;
    for (int64_t v = 0; v < lo.getNumElements(); ++v) {
      int64_t begin = std::max<int64_t>(lo.get(v).i, 0);
      int64_t end = rows == 0 ? 0 : std::min(hi.get(v).i, places);
      if (failed(frame.spend(op, std::max<int64_t>(1, end - begin) * width)))
        return failure();
      for (int64_t column = 0; column < width; ++column) {
        double sum = init ? init->get(v * width + column).f : 0;
        for (int64_t k = begin; k < end; ++k) {
          int64_t row = positions ? positions->get(k).i : k;
          row = std::clamp<int64_t>(row, 0, rows - 1);
          sum += input.get(row * width + column).f;
          if (narrow)
            sum = static_cast<float>(sum);
        }
        result->set(v * width + column, makeFloat(sum));
      }
    }
    results.push_back(*result);
    return success();
  }
};

} // namespace

void reference::registerGraphSortModels(MLIRContext *context) {
  graph::SortOp::attachInterface<SortModel>(*context);
  graph::TopKOp::attachInterface<TopKModel>(*context);
  graph::SegmentReduceOp::attachInterface<SegmentReduceModel>(*context);
}
