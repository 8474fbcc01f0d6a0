//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reference semantics of `loop` beside its kernels: views, attention, sorting.
//
//===----------------------------------------------------------------------===//

#include "IndexProgram.h"
#include "KernelModel.h"
#include "SortElements.h"
#include "coil/Dialect/Loop/IR/Loop.h"
#include "coil/Reference/Models.h"

#include <cmath>

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using namespace coil::reference;

namespace {

struct ViewModel : ReferenceOpInterface::ExternalModel<ViewModel, ViewOp> {
  LogicalResult evaluate(Operation *op, Frame &frame, ArrayRef<Tensor> operands,
                         SmallVectorImpl<Tensor> &results) const {
    auto view = cast<ViewOp>(op);
    FailureOr<Tensor> result = frame.allocate(op, view.getType());
    if (failed(result))
      return failure();
    SmallVector<IndexProgram, 4> indices;
    for (sym::ExprAttr expr : view.getIndices().getDims()) {
      FailureOr<IndexProgram> program = IndexProgram::compile(op, frame, expr);
      if (failed(program))
        return failure();
      indices.push_back(std::move(*program));
    }
    ArrayRef<int64_t> sizes = result->getSizes();
    ArrayRef<int64_t> inputSizes = operands[0].getSizes();
    if (failed(frame.spend(op, result->getNumElements())))
      return failure();
    SmallVector<int64_t> point(sizes.size());
    for (int64_t i = 0; i < result->getNumElements(); ++i) {
      int64_t position = 0;
      bool undefined = false;
      for (auto [d, program] : llvm::enumerate(indices)) {
        int64_t index = program.evaluate(point.data(), nullptr, undefined);
        if (undefined || index < 0 || index >= inputSizes[d])
          return op->emitError()
                 << "index " << index << " is out of range for dimension " << d
                 << " of size " << inputSizes[d];
        position = position * inputSizes[d] + index;
      }
      result->set(i, operands[0].get(position));
      for (size_t d = sizes.size(); d-- > 0;) {
        if (++point[d] < sizes[d])
          break;
        point[d] = 0;
      }
    }
    results.push_back(*result);
    return success();
  }
};

/// `loop.attention`, whose sums are in double and rounded once.
struct AttentionModel
    : ReferenceOpInterface::ExternalModel<AttentionModel, AttentionOp> {
  LogicalResult evaluate(Operation *op, Frame &frame, ArrayRef<Tensor> operands,
                         SmallVectorImpl<Tensor> &results) const {
    auto attention = cast<AttentionOp>(op);
    FailureOr<Tensor> result = frame.allocate(op, attention.getType());
    if (failed(result))
      return failure();
    const Tensor &q = operands[0], &k = operands[1], &v = operands[2];
    ArrayRef<int64_t> qs = q.getSizes(), ks = k.getSizes();
    int64_t heads = qs[1], rows = qs[2], depth = qs[3], columns = ks[2],
            width = v.getSizes()[3];
    if (heads && (ks[1] == 0 || heads % ks[1] != 0))
      return op->emitError() << heads << " heads share " << ks[1];
    double scale = attention.getScale().convertToDouble();
    if (failed(
            frame.spend(op, qs[0] * heads * rows * columns * (depth + width))))
      return failure();
    std::vector<double> scores(columns), sums(width);
    for (int64_t i = 0; i < qs[0] * heads * rows; ++i) {
      int64_t row = i % rows, head = i / rows % heads, b = i / rows / heads;
      int64_t shared = b * ks[1] + head / (heads / ks[1]);
      double greatest = -HUGE_VAL, total = 0;
      for (int64_t j = 0; j < columns; ++j) {
        double score = 0;
        for (int64_t e = 0; e < depth; ++e)
          score += q.get(i * depth + e).f *
                   k.get((shared * columns + j) * depth + e).f;
        score *= scale;
        if (operands.size() > 3)
          score += operands[3].get(i * columns + j).f;
        scores[j] = attention.getCausal() && j > row ? -HUGE_VAL : score;
        greatest = std::isnan(score) ? score : std::max(greatest, scores[j]);
      }
      llvm::fill(sums, 0.0);
      for (int64_t j = 0; j < columns; ++j) {
        double weight = std::exp(scores[j] - greatest);
        total += weight;
        for (int64_t f = 0; f < width; ++f)
          sums[f] += weight * v.get((shared * columns + j) * width + f).f;
      }
      for (int64_t f = 0; f < width; ++f)
        result->set(((b * rows + row) * heads + head) * width + f,
                    makeFloat(sums[f] / total));
    }
    results.push_back(*result);
    return success();
  }
};

/// `loop.sort`.
struct SortModel : ReferenceOpInterface::ExternalModel<SortModel, SortOp> {
  LogicalResult evaluate(Operation *op, Frame &frame, ArrayRef<Tensor> operands,
                         SmallVectorImpl<Tensor> &results) const {
    auto sort = cast<SortOp>(op);
    return sortElements(op, frame, operands[0],
                        static_cast<int64_t>(sort.getDim()),
                        sort.getDescending(), results);
  }
};

} // namespace

void reference::registerLoopModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, LoopDialect *) {
    registerKernelModel(context);
    ViewOp::attachInterface<ViewModel>(*context);
    AttentionOp::attachInterface<AttentionModel>(*context);
    SortOp::attachInterface<SortModel>(*context);
  });
}
