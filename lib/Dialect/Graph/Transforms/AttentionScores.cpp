//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What happens to the scores of an attention before their softmax: scales, soft
// caps and masks.
//
//===----------------------------------------------------------------------===//

#include "AttentionLibrary.h"
#include "AttentionMatcher.h"

#include <cmath>

using namespace mlir;
using namespace coil;
using namespace coil::graph;

bool graph::isFloatConvert(Operation *op) {
  return isa<ConvertOp>(op) &&
         isa<FloatType>(graph::getElementType(op->getOperand(0))) &&
         isa<FloatType>(graph::getElementType(op->getResult(0)));
}

Value graph::skipConverts(Value v) {
  while (Operation *op = v.getDefiningOp()) {
    if (!isFloatConvert(op))
      break;
    v = op->getOperand(0);
  }
  return v;
}

void graph::collectUses(Value v, SmallVectorImpl<OpOperand *> &uses) {
  for (OpOperand &use : v.getUses()) {
    if (isFloatConvert(use.getOwner()))
      collectUses(use.getOwner()->getResult(0), uses);
    else
      uses.push_back(&use);
  }
}

std::optional<double> graph::getUniform(Value v) {
  auto type = dyn_cast<FloatType>(graph::getElementType(v));
  Operation *op = v.getDefiningOp();
  if (!type || !op)
    return std::nullopt;
  std::optional<double> value;
  if (isView(op) || isa<SliceOp>(op) || isFloatConvert(op)) {
    value = getUniform(op->getOperand(0));
  } else if (auto full = dyn_cast<FullOp>(op)) {
    if (auto number = dyn_cast<FloatAttr>(full.getValue()))
      value = number.getValue().convertToDouble();
  } else if (isa<SqrtOp, RsqrtOp, ReciprocalOp, NegOp>(op)) {
    value = getUniform(op->getOperand(0));
    if (value)
      value = isa<SqrtOp>(op)         ? std::sqrt(*value)
              : isa<RsqrtOp>(op)      ? 1 / std::sqrt(*value)
              : isa<ReciprocalOp>(op) ? 1 / *value
                                      : -*value;
  }
  if (!value)
    return std::nullopt;
  APFloat rounded(*value);
  bool losesInfo;
  rounded.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
  return rounded.convertToDouble();
}

std::optional<double> graph::getFactor(Operation *op, unsigned constant) {
  std::optional<double> number = getUniform(op->getOperand(constant));
  if (!number)
    return std::nullopt;
  double factor = isa<DivOp>(op) ? 1 / *number : *number;
  if (!std::isfinite(factor) || factor == 0)
    return std::nullopt;
  return factor;
}

//===----------------------------------------------------------------------===//
// Scales and masks
//===----------------------------------------------------------------------===//

/// Scores as they are so far, masked or not, times a number.
void AttentionMatcher::multiply(double factor) {
  (match.softcap ? *match.softcap : match.scale) *= factor;
  for (MaskStep &mask : match.masks)
    (mask.kind == MaskStep::Add ? mask.factor : mask.fill) *= factor;
}

bool AttentionMatcher::readSteps(ArrayRef<Step> steps) {
  for (const Step &step : llvm::reverse(steps)) {
    Operation *op = step.op;
    if (isa<TanhOp>(op)) {
      if (match.softcap || !match.masks.empty())
        return fail("its scores are capped after they are masked");
      match.softcap = 1;
      continue;
    }
    bool isRead = true;
    if (isa<NegOp>(op)) {
      multiply(-1);
    } else if (isa<SelectOp>(op)) {
      isRead = readSelect(step);
    } else {
      OpOperand &other = op->getOpOperand(1 - step.scores);
      isRead = isa<MulOp, DivOp>(op) ? readFactor(step, other)
                                     : readMask(step, other);
    }
    if (!isRead)
      return false;
  }
  // exp2(x) is exp(x log 2).
  if (isa<Exp2Op>(exponential)) {
    constexpr double log2 = 0.693147180559945309;
    multiply(log2);
  }
  if (match.softcap) {
    // c tanh(x a) is the cap c of x a c.
    if (*match.softcap < 0) {
      match.softcap = -*match.softcap;
      match.scale = -match.scale;
    }
    match.scale *= *match.softcap;
  }
  // A finite number that is added to scores that are hidden already makes
  // another number of them: where all of a row is hidden, that counts.
  bool isHidden = false;
  for (MaskStep &mask : match.masks) {
    hideByAddition(mask, /*allowsFinite=*/!isHidden);
    isHidden |= mask.kind == MaskStep::Hide;
  }
  return true;
}

bool AttentionMatcher::readFactor(const Step &step, OpOperand &other) {
  if (std::optional<double> factor =
          getFactor(step.op, other.getOperandNumber())) {
    multiply(*factor);
    return true;
  }
  if (getUniform(other.get()))
    return fail("its scores are multiplied by zero or a number that is not "
                "finite");
  // A number for each row scales the query, one for each column the key.
  std::optional<AxisLayout> at = match.axes.toOperand(step.layout, other);
  if (!at)
    return fail("a factor of its scores has a layout that is not understood");
  if (match.softcap || !match.masks.empty())
    return fail("its scores are multiplied by a tensor after they are masked");
  if (secondType.isF16())
    return fail("its scores are multiplied by a tensor of f16, which the rows "
                "of a query may not have the range for");
  AxisSet axes = setOf(*at);
  auto has = [&](ArrayRef<unsigned> dim) {
    return llvm::any_of(match.axes.expand(dim),
                        [&](unsigned axis) { return axes.contains(axis); });
  };
  RowFactor factor{{other.get(), *at}, isa<DivOp>(step.op)};
  if (!has(match.columns))
    match.queryFactors.push_back(factor);
  else if (!has(match.rows))
    match.keyFactors.push_back(factor);
  else
    return fail(
        "its scores are multiplied by a tensor that varies over queries "
        "and keys");
  return true;
}

bool AttentionMatcher::readMask(const Step &step, OpOperand &other) {
  // A mask that hides nothing.
  if (getUniform(other.get()) == 0.0)
    return true;
  std::optional<AxisLayout> at = match.axes.toOperand(step.layout, other);
  if (!at)
    return fail("what is added to its scores has a layout that is not "
                "understood");
  MaskStep mask;
  mask.operand = {other.get(), *at};
  mask.factor = isa<SubOp>(step.op) ? -1 : 1;
  mask.type = graph::getElementType(other.get());
  match.masks.push_back(mask);
  return true;
}

bool AttentionMatcher::readSelect(const Step &step) {
  auto select = cast<SelectOp>(step.op);
  Value other =
      step.scores == 1 ? select.getFalseValue() : select.getTrueValue();
  std::optional<AxisLayout> at =
      match.axes.toOperand(step.layout, select.getConditionMutable());
  std::optional<double> fill = getUniform(other);
  if (!at || !fill || std::isnan(*fill))
    return fail("its scores are replaced by a tensor");
  MaskStep mask;
  mask.kind = MaskStep::Hide;
  mask.operand = {select.getCondition(), *at};
  mask.keepsTrue = step.scores == 1;
  mask.fill = *fill;
  mask.type = graph::getElementType(select.getResult());
  match.masks.push_back(mask);
  return true;
}

/// Adding zero or a number that absorbs any score is hiding.
void AttentionMatcher::hideByAddition(MaskStep &mask, bool allowsFinite) {
  if (mask.kind != MaskStep::Add || mask.factor <= 0)
    return;
  PlacedValue at = mask.operand;
  Operation *op = at.value.getDefiningOp();
  while (op && (isView(op) || isFloatConvert(op))) {
    std::optional<AxisLayout> operand =
        match.axes.toOperand(at.layout, op->getOpOperand(0));
    if (!operand)
      return;
    at = {op->getOperand(0), *operand};
    op = at.value.getDefiningOp();
  }
  auto select = dyn_cast_or_null<SelectOp>(op);
  if (!select)
    return;
  std::optional<double> onTrue = getUniform(select.getTrueValue()),
                        onFalse = getUniform(select.getFalseValue());
  std::optional<AxisLayout> condition =
      match.axes.toOperand(at.layout, select.getConditionMutable());
  if (!onTrue || !onFalse || !condition)
    return;
  bool keepsTrue = *onTrue == 0;
  double fill = (keepsTrue ? *onFalse : *onTrue) * mask.factor;
  if ((keepsTrue ? *onTrue : *onFalse) != 0 || !(fill <= kHidden) ||
      (!allowsFinite && std::isfinite(fill)))
    return;
  mask.kind = MaskStep::Hide;
  mask.operand = {select.getCondition(), *condition};
  mask.keepsTrue = keepsTrue;
  mask.fill = fill;
}
