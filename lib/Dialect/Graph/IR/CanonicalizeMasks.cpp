//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Masks that are the same everywhere: comparisons of positions that every
// position fulfils, or none, and what follows from them. Models build the mask
// of attention of positions, one that hides nothing, too.
//
//===----------------------------------------------------------------------===//

#include "Canonicalize.h"
#include "coil/Dialect/Graph/IR/TensorBuilder.h"

#include "mlir/Interfaces/Utils/InferIntRangeCommon.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;

/// How many operators are looked through for the range of a tensor.
static constexpr unsigned kMaxDepth = 8;

/// The range of the numbers of 64 bits from `start` on in steps of `step`,
/// `size` of them.
static ConstantIntRanges getRangeOfSteps(const APInt &start, const APInt &step,
                                         std::optional<int64_t> size) {
  unsigned width = start.getBitWidth();
  bool grows = step.isNonNegative();
  APInt last =
      grows ? APInt::getSignedMaxValue(width) : APInt::getSignedMinValue(width);
  // Of a size that is known only to the run, 64 bits hold all positions.
  if (size) {
    bool overflows = false, sumOverflows = false;
    APInt count(width, static_cast<uint64_t>(std::max<int64_t>(*size - 1, 0)));
    last = step.smul_ov(count, overflows);
    last = start.sadd_ov(last, sumOverflows);
    if (overflows || sumOverflows)
      return ConstantIntRanges::maxRange(width);
  }
  return grows ? ConstantIntRanges::fromSigned(start, last)
               : ConstantIntRanges::fromSigned(last, start);
}

/// What all elements of `value`, a tensor of signed integers, lie between.
static ConstantIntRanges getRange(Value value, unsigned depth = 0) {
  unsigned width = graph::getElementType(value).getIntOrFloatBitWidth();
  Operation *op = value.getDefiningOp();
  if (!op || depth == kMaxDepth)
    return ConstantIntRanges::maxRange(width);
  if (auto full = dyn_cast<FullOp>(op))
    return ConstantIntRanges::constant(
        cast<IntegerAttr>(full.getValue()).getValue());
  // Numbers of other types may wrap around.
  if (auto iota = dyn_cast<IotaOp>(op); iota && width == 64)
    return getRangeOfSteps(
        cast<IntegerAttr>(iota.getStart()).getValue(),
        cast<IntegerAttr>(iota.getStep()).getValue(),
        getSizes(value)[static_cast<size_t>(iota.getDim())].getConstant());
  if (isa<ReshapeOp, PermuteOp, BroadcastOp, SliceOp>(op))
    return getRange(op->getOperand(0), depth + 1);
  if (isa<AddOp, SubOp>(op) &&
      graph::getElementType(op->getOperand(0)) ==
          graph::getElementType(value) &&
      graph::getElementType(op->getOperand(1)) ==
          graph::getElementType(value)) {
    ConstantIntRanges operands[] = {getRange(op->getOperand(0), depth + 1),
                                    getRange(op->getOperand(1), depth + 1)};
    return isa<AddOp>(op) ? intrange::inferAdd(operands)
                          : intrange::inferSub(operands);
  }
  return ConstantIntRanges::maxRange(width);
}

static intrange::CmpPredicate getPredicate(ComparePredicate predicate) {
  switch (predicate) {
  case ComparePredicate::Eq:
    return intrange::CmpPredicate::eq;
  case ComparePredicate::Ne:
    return intrange::CmpPredicate::ne;
  case ComparePredicate::Lt:
    return intrange::CmpPredicate::slt;
  case ComparePredicate::Le:
    return intrange::CmpPredicate::sle;
  case ComparePredicate::Gt:
    return intrange::CmpPredicate::sgt;
  case ComparePredicate::Ge:
    return intrange::CmpPredicate::sge;
  }
  llvm_unreachable("all predicates are there");
}

/// The one truth value of a mask, if it is a `graph.full`.
static std::optional<bool> getTruth(Value mask) {
  auto full = mask.getDefiningOp<FullOp>();
  if (!full || !graph::getElementType(mask).isInteger(1))
    return std::nullopt;
  return !cast<IntegerAttr>(full.getValue()).getValue().isZero();
}

/// Replaces a mask by one truth value.
static void replaceByTruth(PatternRewriter &rewriter, Operation *op,
                           bool truth) {
  rewriter.replaceOpWithNewOp<FullOp>(op, op->getResult(0).getType(),
                                      rewriter.getBoolAttr(truth));
}

namespace {

/// compare(positions, number) -> full, where ranges decide it.
struct CompareOfRanges : OpRewritePattern<CompareOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(CompareOp op,
                                PatternRewriter &rewriter) const override {
    Type type = graph::getElementType(op.getLhs());
    if (type != graph::getElementType(op.getRhs()) || !type.isInteger() ||
        type.isUnsignedInteger() || type.isInteger(1))
      return rewriter.notifyMatchFailure(op, "operands are no signed integers");
    std::optional<bool> truth =
        intrange::evaluatePred(getPredicate(op.getPredicate()),
                               getRange(op.getLhs()), getRange(op.getRhs()));
    if (!truth)
      return rewriter.notifyMatchFailure(op, "ranges do not decide it");
    replaceByTruth(rewriter, op, *truth);
    return success();
  }
};

/// select(full, a, b) -> a or b, repeated.
struct SelectOfFull : OpRewritePattern<SelectOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SelectOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<bool> truth = getTruth(op.getCondition());
    if (!truth)
      return rewriter.notifyMatchFailure(op, "condition is not uniform");
    Value chosen = *truth ? op.getTrueValue() : op.getFalseValue();
    if (graph::getElementType(chosen) != op.getType().getElementType())
      return rewriter.notifyMatchFailure(op, "the value is of another type");
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), chosen);
    return success();
  }
};

/// and(full true, x) -> x, and(full false, x) -> full false, and the same for
/// or.
template <typename OpTy>
struct LogicOfFull : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    for (auto [mask, other] :
         {std::pair(op.getLhs(), op.getRhs()), {op.getRhs(), op.getLhs()}}) {
      std::optional<bool> truth = getTruth(mask);
      if (!truth || !graph::getElementType(other).isInteger(1))
        continue;
      if (*truth == std::is_same_v<OpTy, BitwiseAndOp>)
        rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), other);
      else
        replaceByTruth(rewriter, op, *truth);
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no operand is uniform");
  }
};

/// not(full) -> full
struct NotOfFull : OpRewritePattern<BitwiseNotOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BitwiseNotOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<bool> truth = getTruth(op.getInput());
    if (!truth)
      return rewriter.notifyMatchFailure(op, "operand is not uniform");
    replaceByTruth(rewriter, op, !*truth);
    return success();
  }
};

} // namespace

void graph::addMaskPatterns(RewritePatternSet &patterns) {
  patterns.add<CompareOfRanges, SelectOfFull, LogicOfFull<BitwiseAndOp>,
               LogicOfFull<BitwiseOrOp>, NotOfFull>(patterns.getContext());
}
