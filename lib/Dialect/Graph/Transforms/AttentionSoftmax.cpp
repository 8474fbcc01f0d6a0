//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The softmax of an attention: what makes probabilities of scores.
//
//===----------------------------------------------------------------------===//

#include "AttentionMatcher.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using Pred = ComparePredicate;

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

/// Whether an operand of an operator whose result has a layout is the reduction
/// of `reduced`, which has the scores' layout, in its place.
bool AttentionMatcher::isRowOf(OpOperand &operand, const AxisLayout &at,
                               ReduceKind kind, Value reduced) {
  std::optional<AxisLayout> row = match.axes.toOperand(at, operand);
  Value v = operand.get();
  while (row) {
    Operation *op = v.getDefiningOp();
    if (!op)
      return false;
    if (isView(op) || isFloatConvert(op)) {
      row = match.axes.toOperand(*row, op->getOpOperand(0));
      v = op->getOperand(0);
      continue;
    }
    SmallVector<int64_t> over;
    bool keepdims = false;
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      if (reduce.getKind() != kind)
        return false;
      llvm::append_range(over, reduce.getDims());
      keepdims = reduce.getKeepdims();
    } else if (auto reduce = dyn_cast<ArgReduceOp>(op)) {
      if (kind != ReduceKind::Max || reduce.getKind() != kind ||
          v != reduce.getValues())
        return false;
      over.push_back(reduce.getDim());
      keepdims = reduce.getKeepdims();
    } else {
      return false;
    }
    if (skipConverts(op->getOperand(0)) != reduced ||
        (!dims.empty() && over != dims))
      return false;
    AxisLayout expected;
    for (auto [d, dim] : llvm::enumerate(layout)) {
      bool isReduced = llvm::is_contained(over, static_cast<int64_t>(d));
      if (!isReduced)
        expected.push_back(dim);
      else if (keepdims)
        expected.emplace_back();
    }
    if (match.axes.expand(*row) != match.axes.expand(expected))
      return false;
    dims = over;
    return true;
  }
  return false;
}

bool AttentionMatcher::isReciprocalOfSum(OpOperand &operand) {
  std::optional<AxisLayout> at = match.axes.toOperand(layout, operand);
  Value v = operand.get();
  while (at) {
    Operation *op = v.getDefiningOp();
    if (!op)
      return false;
    if (isa<ReciprocalOp>(op))
      return isRowOf(op->getOpOperand(0), *at, ReduceKind::Sum,
                     exponential->getResult(0));
    if (isa<DivOp>(op))
      return getUniform(op->getOperand(0)) == 1 &&
             isRowOf(op->getOpOperand(1), *at, ReduceKind::Sum,
                     exponential->getResult(0));
    if (!isView(op) && !isFloatConvert(op))
      return false;
    at = match.axes.toOperand(*at, op->getOpOperand(0));
    v = op->getOperand(0);
  }
  return false;
}

bool AttentionMatcher::matchSoftmax() {
  auto shift = skipConverts(exponential->getOperand(0)).getDefiningOp<SubOp>();
  constexpr const char *noShift =
      "its exponentials are not of differences from the largest score of a row";
  if (!shift)
    return fail(noShift);
  scores = skipConverts(shift->getOperand(0));
  if (getSizes(scores) != getSizes(shift.getResult()))
    return fail("its scores are broadcast");
  layout = match.axes.addDims(getSizes(scores));
  if (!isRowOf(shift->getOpOperand(1), layout, ReduceKind::Max, scores))
    return fail(noShift);
  if (!findProbabilities(shift.getResult()))
    return false;
  acceptEmptyRows();
  return true;
}

/// What is made of the exponentials: their quotient by their sum, before or
/// after the second product, or the exponentials of logarithms of it.
bool AttentionMatcher::findProbabilities(Value shifted) {
  Value e = exponential->getResult(0);
  SmallVector<OpOperand *> uses;
  collectUses(e, uses);
  OpOperand *other = nullptr;
  bool isSummed = false;
  for (OpOperand *use : uses) {
    if (isSum(use->getOwner())) {
      isSummed = true;
      continue;
    }
    if (other)
      return fail("its exponentials have several users");
    other = use;
  }
  if (!isSummed)
    return fail("its exponentials are not divided by their sum along the same "
                "dimension");
  if (!other)
    return findExponentialsOfLogarithms(shifted);
  Operation *user = other->getOwner();
  unsigned number = other->getOperandNumber();
  bool isScaled =
      (isa<DivOp>(user) && number == 0 &&
       isRowOf(user->getOpOperand(1), layout, ReduceKind::Sum, e)) ||
      (isa<MulOp>(user) && isReciprocalOfSum(user->getOpOperand(1 - number)));
  isDividedLater = !isScaled;
  probabilities = isScaled ? user->getResult(0) : e;
  return true;
}

bool AttentionMatcher::isSum(Operation *op) {
  auto reduce = dyn_cast<ReduceOp>(op);
  return reduce && reduce.getKind() == ReduceKind::Sum &&
         reduce.getDims() == ArrayRef<int64_t>(dims);
}

/// exp(shifted - log(sum)), which is exp(log_softmax(scores)).
bool AttentionMatcher::findExponentialsOfLogarithms(Value shifted) {
  SmallVector<OpOperand *> uses;
  collectUses(shifted, uses);
  for (OpOperand *use : uses) {
    Operation *difference = use->getOwner();
    if (!isa<SubOp>(difference) || use->getOperandNumber() != 0 ||
        !isa<ExpOp>(exponential))
      continue;
    std::optional<AxisLayout> at =
        match.axes.toOperand(layout, difference->getOpOperand(1));
    Operation *log = difference->getOperand(1).getDefiningOp();
    while (at && log && (isView(log) || isFloatConvert(log))) {
      at = match.axes.toOperand(*at, log->getOpOperand(0));
      log = log->getOperand(0).getDefiningOp();
    }
    SmallVector<OpOperand *> again;
    collectUses(difference->getResult(0), again);
    if (at && isa_and_present<LogOp>(log) && again.size() == 1 &&
        isa<ExpOp>(again[0]->getOwner()) &&
        isRowOf(log->getOpOperand(0), *at, ReduceKind::Sum,
                exponential->getResult(0))) {
      probabilities = again[0]->getOwner()->getResult(0);
      return true;
    }
  }
  return fail("its exponentials are not divided by their sum");
}

/// select(all(scores == -inf), 0, probabilities): rows that see nothing give
/// zeros.
void AttentionMatcher::acceptEmptyRows() {
  SmallVector<OpOperand *> uses;
  collectUses(probabilities, uses);
  auto select =
      uses.size() == 1 ? dyn_cast<SelectOp>(uses[0]->getOwner()) : SelectOp();
  if (!select || uses[0]->getOperandNumber() != 2 ||
      getUniform(select.getTrueValue()) != 0.0)
    return;
  std::optional<AxisLayout> at =
      match.axes.toOperand(layout, select.getConditionMutable());
  Operation *op = select.getCondition().getDefiningOp();
  while (at && op && isView(op)) {
    at = match.axes.toOperand(*at, op->getOpOperand(0));
    op = op->getOperand(0).getDefiningOp();
  }
  auto all = dyn_cast_or_null<ReduceOp>(op);
  auto compare = all ? all.getInput().getDefiningOp<CompareOp>() : CompareOp();
  if (!at || !compare || all.getKind() != ReduceKind::All ||
      all.getDims() != ArrayRef<int64_t>(dims) ||
      compare.getPredicate() != Pred::Eq ||
      skipConverts(compare->getOperand(0)) != scores ||
      getUniform(compare->getOperand(1)) !=
          -std::numeric_limits<double>::infinity())
    return;
  probabilities = select.getResult();
  match.nanRows = false;
}
