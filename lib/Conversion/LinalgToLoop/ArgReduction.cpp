//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Extrema with their positions, as one structured operation of two results.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace coil;
using namespace coil::bridge;
using sym::ExprAttr;

namespace {
/// A body that keeps the better of the element and what it had, and where.
struct ArgCombiner {
  loop::ReduceKind kind;
  /// Numbers of the results that have the extremum and its position.
  unsigned value, position;
  /// What is compared.
  Value element;
  /// Where the element is better than `x`, as the body says it.
  Operation *compare;
  /// Whether the first NaN is the extremum; elsewhere NaN counts as absent.
  bool keepsNaN;
};
} // namespace

/// The kind of a strict comparison of the new element with the old one.
static std::optional<loop::ReduceKind> getKind(Operation *op, Value &element,
                                               Value &carried) {
  element = op->getOperand(0);
  carried = op->getOperand(1);
  if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
    switch (compare.getPredicate()) {
    case arith::CmpFPredicate::OGT:
    case arith::CmpFPredicate::UGT:
      return loop::ReduceKind::Max;
    case arith::CmpFPredicate::OLT:
    case arith::CmpFPredicate::ULT:
      return loop::ReduceKind::Min;
    default:
      return std::nullopt;
    }
  }
  switch (cast<arith::CmpIOp>(op).getPredicate()) {
  case arith::CmpIPredicate::sgt:
    return loop::ReduceKind::Max;
  case arith::CmpIPredicate::slt:
    return loop::ReduceKind::Min;
  case arith::CmpIPredicate::ugt:
    return loop::ReduceKind::UMax;
  case arith::CmpIPredicate::ult:
    return loop::ReduceKind::UMin;
  default:
    return std::nullopt;
  }
}

static bool isExtremum(Operation *op, loop::ReduceKind kind) {
  switch (kind) {
  case loop::ReduceKind::Max:
    return isa<arith::MaximumFOp, arith::MaxNumFOp, arith::MaxSIOp>(op);
  case loop::ReduceKind::Min:
    return isa<arith::MinimumFOp, arith::MinNumFOp, arith::MinSIOp>(op);
  case loop::ReduceKind::UMax:
    return isa<arith::MaxUIOp>(op);
  case loop::ReduceKind::UMin:
    return isa<arith::MinUIOp>(op);
  default:
    return false;
  }
}

static std::optional<ArgCombiner> match(linalg::GenericOp op, int64_t loop) {
  Operation *yield = op.getBlock()->getTerminator();
  for (unsigned position : {0u, 1u}) {
    unsigned value = 1 - position;
    auto at = yield->getOperand(position).getDefiningOp<arith::SelectOp>();
    if (!at || at.getFalseValue() != op.getRegionOutputArgs()[position])
      continue;
    // The position is that of the loop, as an integer.
    Value where = at.getTrueValue();
    if (auto cast = where.getDefiningOp<arith::IndexCastOp>())
      where = cast.getIn();
    auto index = where.getDefiningOp<linalg::IndexOp>();
    if (!index || static_cast<int64_t>(index.getDim()) != loop)
      continue;
    BlockArgument carried = op.getRegionOutputArgs()[value];
    // Unordered comparisons go with a check that there was no NaN before.
    Value condition = at.getCondition();
    bool keepsNaN = false;
    if (auto both = condition.getDefiningOp<arith::AndIOp>()) {
      auto ordered = both.getRhs().getDefiningOp<arith::CmpFOp>();
      if (!ordered || ordered.getPredicate() != arith::CmpFPredicate::ORD ||
          ordered.getLhs() != carried || ordered.getRhs() != carried)
        return std::nullopt;
      condition = both.getLhs();
      keepsNaN = true;
    }
    Operation *compare = condition.getDefiningOp();
    if (!isa_and_present<arith::CmpFOp, arith::CmpIOp>(compare))
      return std::nullopt;
    Value element, old;
    std::optional<loop::ReduceKind> kind = getKind(compare, element, old);
    auto asFloat = dyn_cast<arith::CmpFOp>(compare);
    bool isUnordered =
        asFloat && (asFloat.getPredicate() == arith::CmpFPredicate::UGT ||
                    asFloat.getPredicate() == arith::CmpFPredicate::ULT);
    if (!kind || old != carried || isUnordered != keepsNaN)
      return std::nullopt;
    // The value is chosen by the same condition, or is the extremum of both.
    Operation *best = yield->getOperand(value).getDefiningOp();
    if (auto select = dyn_cast_if_present<arith::SelectOp>(best)) {
      if (select.getCondition() != at.getCondition() ||
          select.getTrueValue() != element || select.getFalseValue() != carried)
        return std::nullopt;
    } else {
      if (!best || !isExtremum(best, *kind) ||
          !llvm::is_contained(best->getOperands(), element) ||
          !llvm::is_contained(best->getOperands(), carried))
        return std::nullopt;
      keepsNaN |= isa<arith::MaximumFOp, arith::MinimumFOp>(best);
    }
    return ArgCombiner{*kind, value, position, element, compare, keepsNaN};
  }
  return std::nullopt;
}

namespace {

/// linalg.generic of a value and a position → loop.arg_reduce
struct ArgReduction : OpRewritePattern<linalg::GenericOp> {
  ArgReduction(MLIRContext *context, Failures &failures)
      : OpRewritePattern(context, /*benefit=*/2), failures(failures) {}

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override;

  Failures &failures;
};

} // namespace

LogicalResult ArgReduction::matchAndRewrite(linalg::GenericOp op,
                                            PatternRewriter &rewriter) const {
  auto structured = cast<linalg::LinalgOp>(op.getOperation());
  SmallVector<unsigned> reduced;
  structured.getReductionDims(reduced);
  if (op.getNumDpsInits() != 2 || reduced.size() != 1)
    return failure();
  AffineMap out = structured.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (out != structured.getMatchingIndexingMap(op.getDpsInitOperand(1)) ||
      !out.isProjectedPermutation() ||
      out.getNumResults() + 1 != structured.getNumLoops() ||
      out.isFunctionOfDim(reduced.front()))
    return failure();
  std::optional<ArgCombiner> how =
      match(op, static_cast<int64_t>(reduced.front()));
  if (!how || failed(checkOperands(structured, failures)))
    return failure();
  FailureOr<Space> space = getSpace(structured, rewriter, failures);
  if (failed(space))
    return failure();

  bool isMax =
      how->kind == loop::ReduceKind::Max || how->kind == loop::ReduceKind::UMax;
  KernelWriter k(rewriter, op, isMax ? "argmax" : "argmin", space->extents,
                 op->getResultTypes(), failures);
  for (OpOperand *operand : structured.getDpsInputOperands()) {
    BlockArgument arg = structured.getMatchingBlockArgument(operand);
    if (arg.use_empty())
      continue;
    Value v = isa<RankedTensorType>(operand->get().getType())
                  ? k.load(operand->get(),
                           space->indices[operand->getOperandNumber()])
                  : k.get(operand->get());
    if (!v)
      return failure();
    k.map(arg, v);
  }
  Value v = k.getWide(how->element);
  if (!v)
    return failure();
  auto &b = k.b;
  if (isa<FloatType>(v.getType()) && !how->keepsNaN) {
    Value isNaN = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, v, v);
    Value least = k.constant(loop::getNeutralElement(how->kind, v.getType()));
    v = arith::SelectOp::create(b, isNaN, least, v);
  }
  Value index = k.index(sym::dim(getContext(), reduced.front()));
  auto best = loop::ArgReduceOp::create(
      b, TypeRange{v.getType(), b.getI64Type()}, how->kind, v, index,
      ArrayRef<int64_t>{static_cast<int64_t>(reduced.front())});
  // What was there at first stays where nothing is better.
  auto initOf = [&](unsigned i) {
    OpOperand *init = op.getDpsInitOperand(static_cast<int64_t>(i));
    TypedAttr splat = getSplat(init->get());
    return splat
               ? k.constant(splat)
               : k.load(init->get(), space->indices[init->getOperandNumber()]);
  };
  Value firstValue = extend(b, b.getLoc(), initOf(how->value)),
        firstAt = initOf(how->position), isBetter;
  if (auto compare = dyn_cast<arith::CmpFOp>(how->compare)) {
    arith::CmpFPredicate predicate = compare.getPredicate();
    if (how->keepsNaN)
      predicate = isMax ? arith::CmpFPredicate::UGT : arith::CmpFPredicate::ULT;
    isBetter =
        arith::CmpFOp::create(b, predicate, best.getMinMax(), firstValue);
    if (how->keepsNaN)
      isBetter = arith::AndIOp::create(
          b, isBetter,
          arith::CmpFOp::create(b, arith::CmpFPredicate::ORD, firstValue,
                                firstValue));
  } else {
    isBetter = arith::CmpIOp::create(
        b, cast<arith::CmpIOp>(how->compare).getPredicate(), best.getMinMax(),
        firstValue);
  }
  Value at = best.getMinMaxIndex();
  if (firstAt.getType() != at.getType())
    at = arith::TruncIOp::create(b, firstAt.getType(), at);
  Value extremum =
      arith::SelectOp::create(b, isBetter, best.getMinMax(), firstValue);
  at = arith::SelectOp::create(b, isBetter, at, firstAt);
  auto indicesOf = [&](unsigned i) -> ArrayRef<ExprAttr> {
    return space->indices[op.getDpsInitOperand(static_cast<int64_t>(i))
                              ->getOperandNumber()];
  };
  Type type = cast<RankedTensorType>(op->getResult(how->value).getType())
                  .getElementType();
  k.store(round(b, b.getLoc(), extremum, type), how->value,
          indicesOf(how->value));
  k.store(at, how->position, indicesOf(how->position));
  rewriter.replaceOp(op, k.kernel);
  return success();
}

void bridge::populateArgReductionToLoopPatterns(RewritePatternSet &patterns,
                                                Failures &failures) {
  patterns.add<ArgReduction>(patterns.getContext(), failures);
}
