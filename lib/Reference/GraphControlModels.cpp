//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reference semantics of branches and loops of `graph`, and of numbers that
// data gives. They are the same at the stage `loop`.
//
//===----------------------------------------------------------------------===//

#include "GraphModels.h"
#include "coil/Dialect/Sym/IR/Expr.h"

using namespace mlir;
using namespace coil;
using namespace coil::reference;

namespace {

/// A terminator hands its operands on.
template <typename OpT>
struct TerminatorModel
    : ReferenceOpInterface::ExternalModel<TerminatorModel<OpT>, OpT> {
  LogicalResult evaluate(Operation *, Frame &, ArrayRef<Tensor> operands,
                         SmallVectorImpl<Tensor> &results) const {
    results.append(operands.begin(), operands.end());
    return success();
  }
};

struct IfModel : ReferenceOpInterface::ExternalModel<IfModel, graph::IfOp> {
  LogicalResult evaluate(Operation *op, Frame &frame, ArrayRef<Tensor> operands,
                         SmallVectorImpl<Tensor> &results) const {
    auto branch = cast<graph::IfOp>(op);
    Region &region =
        operands[0].get(0).i ? branch.getThenRegion() : branch.getElseRegion();
    if (failed(frame.runRegion(region, {}, results)))
      return failure();
    auto yield = cast<graph::YieldOp>(region.front().getTerminator());
    if (!yield.getSymbols())
      return success();
    SmallVector<int64_t> values;
    for (sym::ExprAttr e : yield.getSymbols()->getDims()) {
      FailureOr<int64_t> value = frame.evaluate(yield, e);
      if (failed(value))
        return failure();
      values.push_back(*value);
    }
    for (auto [name, value] : llvm::zip(branch.getBoundSymbols(), values))
      if (failed(frame.bindSymbol(op, name, value)))
        return failure();
    return success();
  }
};

struct WhileModel
    : ReferenceOpInterface::ExternalModel<WhileModel, graph::WhileOp> {
  LogicalResult evaluate(Operation *op, Frame &frame, ArrayRef<Tensor> operands,
                         SmallVectorImpl<Tensor> &results) const {
    auto loop = cast<graph::WhileOp>(op);
    SmallVector<Tensor> carried(operands);
    while (true) {
      SmallVector<Tensor> predicate, next;
      if (failed(frame.spend(op, 1)) ||
          failed(frame.runRegion(loop.getCondition(), carried, predicate)))
        return failure();
      if (!predicate.front().get(0).i)
        break;
      if (failed(frame.runRegion(loop.getBody(), carried, next)))
        return failure();
      carried = std::move(next);
    }
    results.append(carried.begin(), carried.end());
    return success();
  }
};

struct ItemModel
    : ReferenceOpInterface::ExternalModel<ItemModel, graph::ItemOp> {
  LogicalResult evaluate(Operation *op, Frame &frame, ArrayRef<Tensor> operands,
                         SmallVectorImpl<Tensor> &) const {
    return frame.bindSymbol(op, cast<graph::ItemOp>(op).getSymbol(),
                            operands[0].get(0).i);
  }
};

} // namespace

void reference::registerGraphControlModels(MLIRContext *context) {
  graph::IfOp::attachInterface<IfModel>(*context);
  graph::WhileOp::attachInterface<WhileModel>(*context);
  graph::ItemOp::attachInterface<ItemModel>(*context);
  graph::YieldOp::attachInterface<TerminatorModel<graph::YieldOp>>(*context);
  graph::ConditionOp::attachInterface<TerminatorModel<graph::ConditionOp>>(
      *context);
}
