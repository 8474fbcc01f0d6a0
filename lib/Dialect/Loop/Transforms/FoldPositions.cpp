//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `loop-fold-positions`.
//
//===----------------------------------------------------------------------===//

#include "FoldPositions.h"
#include "coil/Dialect/Loop/Transforms/Passes.h"

#include "coil/Dialect/Loop/IR/Loop.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

namespace coil::loop {
#define GEN_PASS_DEF_LOOPFOLDPOSITIONSPASS
#include "coil/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace coil::loop

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

/// Arithmetic on numbers of 64 bits within these is that on integers.
static constexpr int64_t kMostPosition = int64_t(1) << 62;

namespace {

class PositionFolder {
public:
  PositionFolder(KernelOp kernel)
      : kernel(kernel), context(sym::Context::forOp(kernel)) {
    context.setDimExtents(kernel.getDims().getDims());
  }

  void run() {
    for (Operation &op :
         llvm::make_early_inc_range(kernel.getBlock()->getOperations())) {
      if (auto load = dyn_cast<LoadOp>(op)) {
        foldLoad(load);
        continue;
      }
      if (op.getNumResults() != 1)
        continue;
      if (std::optional<bool> known = evaluateCondition(&op))
        conditions[op.getResult(0)] = *known;
      else if (ExprAttr expr = evaluate(&op))
        note(&op, expr);
    }
    // What was computed for indices only.
    for (Operation &op : llvm::make_early_inc_range(
             llvm::reverse(kernel.getBlock()->getOperations())))
      if (isa<arith::ArithDialect>(op.getDialect()) && op.use_empty())
        op.erase();
  }

private:
  ExprAttr get(Value v) const { return positions.lookup(v); }
  std::optional<bool> getCondition(Value v) const {
    auto found = conditions.find(v);
    return found == conditions.end() ? std::nullopt
                                     : std::optional(found->second);
  }

  /// Notes that `op` results in `expr`, and puts that in its place.
  void note(Operation *op, ExprAttr expr) {
    expr = context.simplify(expr);
    sym::Bounds bounds = context.bounds(expr);
    if (bounds.lo < -kMostPosition || bounds.hi > kMostPosition)
      return;
    positions[op->getResult(0)] = expr;
    if (isa<IndexOp, arith::ConstantOp>(op))
      return;
    OpBuilder b(op);
    Value index = IndexOp::create(b, op->getLoc(), b.getI64Type(), expr);
    positions[index] = expr;
    op->getResult(0).replaceAllUsesWith(index);
  }

  /// The remainder of a division whose sign is that of the divisor, as
  /// `select(r != 0 and r < 0, r + c, r)` of the one that the processor has.
  ExprAttr evaluateFloorMod(arith::SelectOp select) {
    auto rest = select.getFalseValue().getDefiningOp<arith::RemSIOp>();
    auto moved = select.getTrueValue().getDefiningOp<arith::AddIOp>();
    auto both = select.getCondition().getDefiningOp<arith::AndIOp>();
    ExprAttr x = rest ? get(rest.getLhs()) : ExprAttr();
    ExprAttr c = rest ? get(rest.getRhs()) : ExprAttr();
    if (!x || !c || !c.getConstant() || *c.getConstant() <= 0 || !moved ||
        !both || moved.getLhs() != rest.getResult() || get(moved.getRhs()) != c)
      return {};
    auto compares = [&](Value v, arith::CmpIPredicate predicate) {
      auto compare = v.getDefiningOp<arith::CmpIOp>();
      ExprAttr zero = compare ? get(compare.getRhs()) : ExprAttr();
      return compare && compare.getPredicate() == predicate &&
             compare.getLhs() == rest.getResult() && zero && zero.isConstant(0);
    };
    // The sign of the divisor is known.
    Value negative = both.getRhs();
    if (auto differs = negative.getDefiningOp<arith::XOrIOp>())
      if (getCondition(differs.getRhs()) == false)
        negative = differs.getLhs();
    if (!compares(both.getLhs(), arith::CmpIPredicate::ne) ||
        !compares(negative, arith::CmpIPredicate::slt))
      return {};
    return sym::mod(x, c);
  }

  ExprAttr evaluate(Operation *op) {
    if (!op->getResult(0).getType().isInteger(64))
      return {};
    MLIRContext *ctx = op->getContext();
    if (auto index = dyn_cast<IndexOp>(op))
      return index.getExpr();
    if (APInt value; matchPattern(op->getResult(0), m_ConstantInt(&value)))
      return sym::constant(ctx, value.getSExtValue());
    if (auto select = dyn_cast<arith::SelectOp>(op)) {
      if (std::optional<bool> known = getCondition(select.getCondition()))
        return get(*known ? select.getTrueValue() : select.getFalseValue());
      return evaluateFloorMod(select);
    }
    if (op->getNumOperands() != 2)
      return {};
    ExprAttr x = get(op->getOperand(0)), y = get(op->getOperand(1));
    if (!x || !y)
      return {};
    if (isa<arith::AddIOp>(op))
      return sym::add(x, y);
    if (isa<arith::SubIOp>(op))
      return sym::sub(x, y);
    if (isa<arith::MulIOp>(op))
      return sym::mul(x, y);
    if (isa<arith::MinSIOp>(op))
      return sym::min(x, y);
    if (isa<arith::MaxSIOp>(op))
      return sym::max(x, y);
    std::optional<int64_t> divisor = y.getConstant();
    if (!divisor || *divisor <= 0)
      return {};
    if (isa<arith::FloorDivSIOp>(op) ||
        (isa<arith::DivSIOp>(op) && context.isNonNegative(x)))
      return sym::floorDiv(x, y);
    if (isa<arith::RemSIOp>(op) && context.isNonNegative(x))
      return sym::mod(x, y);
    return {};
  }

  std::optional<bool> evaluateCondition(Operation *op) {
    if (!op->getResult(0).getType().isInteger(1))
      return std::nullopt;
    if (APInt value; matchPattern(op->getResult(0), m_ConstantInt(&value)))
      return value.isOne();
    if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
      ExprAttr x = get(compare.getLhs()), y = get(compare.getRhs());
      return x && y ? compareExprs(compare.getPredicate(), x, y) : std::nullopt;
    }
    if (op->getNumOperands() != 2)
      return std::nullopt;
    std::optional<bool> x = getCondition(op->getOperand(0)),
                        y = getCondition(op->getOperand(1));
    if (isa<arith::AndIOp>(op) && (x == false || y == false))
      return false;
    if (isa<arith::OrIOp>(op) && (x == true || y == true))
      return true;
    if (!x || !y)
      return std::nullopt;
    if (isa<arith::AndIOp>(op))
      return *x && *y;
    if (isa<arith::OrIOp>(op))
      return *x || *y;
    if (isa<arith::XOrIOp>(op))
      return *x != *y;
    return std::nullopt;
  }

  std::optional<bool> compareExprs(arith::CmpIPredicate predicate, ExprAttr x,
                                   ExprAttr y) {
    auto less = [&](ExprAttr a, ExprAttr b) -> std::optional<bool> {
      if (context.isLess(a, b))
        return true;
      return context.isLessOrEqual(b, a) ? std::optional(false) : std::nullopt;
    };
    auto inverse = [](std::optional<bool> known) {
      return known ? std::optional(!*known) : std::nullopt;
    };
    switch (predicate) {
    case arith::CmpIPredicate::slt:
      return less(x, y);
    case arith::CmpIPredicate::sge:
      return inverse(less(x, y));
    case arith::CmpIPredicate::sgt:
      return less(y, x);
    case arith::CmpIPredicate::sle:
      return inverse(less(y, x));
    case arith::CmpIPredicate::eq:
    case arith::CmpIPredicate::ne: {
      bool isEqual = predicate == arith::CmpIPredicate::eq;
      if (x == y)
        return isEqual;
      if (context.isLess(x, y) || context.isLess(y, x))
        return !isEqual;
      return std::nullopt;
    }
    default:
      return std::nullopt;
    }
  }

  /// The part of each dimension in which `mask` can hold: where it begins, and
  /// its extent.
  void narrow(Value mask, MutableArrayRef<ExprAttr> begins,
              MutableArrayRef<ExprAttr> extents) {
    Operation *op = mask.getDefiningOp();
    if (auto both = dyn_cast_or_null<arith::AndIOp>(op)) {
      narrow(both.getLhs(), begins, extents);
      narrow(both.getRhs(), begins, extents);
      return;
    }
    auto compare = dyn_cast_or_null<arith::CmpIOp>(op);
    ExprAttr x = compare ? get(compare.getLhs()) : ExprAttr();
    ExprAttr y = compare ? get(compare.getRhs()) : ExprAttr();
    if (!x || !y || !x.isDim() || !y.getConstant())
      return;
    auto d = static_cast<size_t>(x.getValue());
    std::optional<int64_t> extent = extents[d].getConstant(),
                           begin = begins[d].getConstant();
    if (!extent || !begin)
      return;
    int64_t lo = *begin, hi = *begin + *extent, limit = *y.getConstant();
    if (compare.getPredicate() == arith::CmpIPredicate::sge)
      lo = std::max(lo, limit);
    else if (compare.getPredicate() == arith::CmpIPredicate::slt)
      hi = std::min(hi, limit);
    if (lo >= hi)
      return;
    begins[d] = sym::constant(x.getContext(), lo);
    extents[d] = sym::constant(x.getContext(), hi - lo);
  }

  /// Whether `index` is a position of a dimension of `size` wherever `mask`, if
  /// there is one, holds.
  bool isInRange(ExprAttr index, ExprAttr size, Value mask) {
    auto holds = [&](const sym::Context &facts, ExprAttr e) {
      return facts.isNonNegative(e) && facts.isLess(e, size);
    };
    if (holds(context, index))
      return true;
    if (!mask)
      return false;
    MLIRContext *ctx = index.getContext();
    SmallVector<ExprAttr> begins(kernel.getNumDims(), sym::constant(ctx, 0)),
        extents(kernel.getDims().getDims()), dims;
    narrow(mask, begins, extents);
    for (auto [d, begin] : llvm::enumerate(begins))
      dims.push_back(sym::add(sym::dim(ctx, static_cast<unsigned>(d)), begin));
    sym::Context facts = sym::Context::forOp(kernel);
    facts.setDimExtents(extents);
    return holds(facts, facts.simplify(sym::substituteDims(index, dims)));
  }

  /// Indices that are positions become part of the address (C1).
  void foldLoad(LoadOp load) {
    if (Value mask = load.getMask(); mask && getCondition(mask) == true) {
      load.getMaskMutable().clear();
      load.getOtherMutable().clear();
    }
    if (load.getArgs().empty())
      return;
    MLIRContext *ctx = load.getContext();
    BoundsPolicy policy = load.getBounds();
    SmallVector<ExprAttr> sizes =
        sym::getSizes(cast<RankedTensorType>(load.getSource().getType()));
    SmallVector<ExprAttr> direct(load.getArgs().size());
    for (auto [i, arg] : llvm::enumerate(load.getArgs()))
      direct[i] = get(arg);
    if (policy != BoundsPolicy::Trusted)
      for (auto [index, size] :
           llvm::zip_equal(load.getIndices().getDims(), sizes)) {
        if (index.getKind() != sym::ExprKind::Arg)
          continue;
        ExprAttr &e = direct[static_cast<size_t>(index.getValue())];
        if (!e || isInRange(e, size, load.getMask()))
          continue;
        if (policy == BoundsPolicy::Clamp)
          e = sym::max(sym::min(e, sym::add(size, -1)), sym::constant(ctx, 0));
        else
          e = {};
      }
    if (llvm::none_of(direct, [](ExprAttr e) { return bool(e); }))
      return;
    SmallVector<Value> args;
    SmallVector<ExprAttr> replacement;
    for (auto [arg, e] : llvm::zip_equal(load.getArgs(), direct)) {
      replacement.push_back(
          e ? e : sym::arg(ctx, static_cast<unsigned>(args.size())));
      if (!e)
        args.push_back(arg);
    }
    SmallVector<ExprAttr> indices;
    for (ExprAttr index : load.getIndices().getDims())
      indices.push_back(
          context.simplify(sym::substitute(index, [&](ExprAttr leaf) {
            return leaf.getKind() == sym::ExprKind::Arg
                       ? replacement[static_cast<size_t>(leaf.getValue())]
                       : ExprAttr();
          })));
    load.setIndicesAttr(sym::ShapeAttr::get(ctx, indices));
    load.getArgsMutable().assign(args);
    if (args.empty())
      load.setBounds(BoundsPolicy::Trusted);
  }

  KernelOp kernel;
  sym::Context context;
  /// Integers that are expressions over dimensions and symbols.
  DenseMap<Value, ExprAttr> positions;
  /// Conditions that hold, or do not, at every point.
  DenseMap<Value, bool> conditions;
};

} // namespace

void loop::foldPositions(KernelOp kernel) { PositionFolder(kernel).run(); }

namespace {
struct LoopFoldPositionsPass
    : coil::loop::impl::LoopFoldPositionsPassBase<LoopFoldPositionsPass> {
  void runOnOperation() override { getOperation()->walk(foldPositions); }
};

} // namespace
