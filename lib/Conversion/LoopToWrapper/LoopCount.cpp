//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts iterations. Kernels are fused by now, so what a tensor of one element
// holds is looked for in the kernel that stores it.
//
//===----------------------------------------------------------------------===//

#include "LoopCount.h"

#include "coil/Dialect/Loop/IR/Loop.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

/// The scalar that is stored in a tensor of rank zero; null if no kernel stores
/// it.
static Value getScalar(Value tensor) {
  auto kernel = tensor.getDefiningOp<loop::KernelOp>();
  if (!kernel || cast<RankedTensorType>(tensor.getType()).getRank() != 0)
    return Value();
  loop::StoreOp store =
      kernel.getStore(cast<OpResult>(tensor).getResultNumber());
  return store ? store.getValue() : Value();
}

/// The tensor of rank zero that a scalar is loaded from; null if it is
/// something else.
static Value getSource(Value scalar) {
  auto load = scalar.getDefiningOp<loop::LoadOp>();
  auto argument =
      load ? dyn_cast<BlockArgument>(load.getSource()) : BlockArgument();
  if (!argument || load.getMask() ||
      cast<RankedTensorType>(argument.getType()).getRank() != 0)
    return Value();
  auto kernel = cast<loop::KernelOp>(argument.getOwner()->getParentOp());
  return kernel.getInputs()[argument.getArgNumber()];
}

static std::optional<int64_t> getNumber(Value scalar) {
  APInt number;
  if (!scalar || !matchPattern(scalar, m_ConstantInt(&number)) ||
      number.getSignificantBits() > 32)
    return std::nullopt;
  return number.getSExtValue();
}

/// An expression of symbols that a scalar is; null if it is none.
static ExprAttr getBound(Value scalar) {
  if (std::optional<int64_t> number = getNumber(scalar))
    return sym::constant(scalar.getContext(), *number);
  auto index = scalar.getDefiningOp<loop::IndexOp>();
  if (!index)
    return ExprAttr();
  bool onlySymbols = true;
  sym::walkLeaves(index.getExpr(),
                  [&](ExprAttr leaf) { onlySymbols &= leaf.isSymbol(); });
  return onlySymbols ? index.getExpr() : ExprAttr();
}

ExprAttr coil::wrapper::countIterations(graph::WhileOp op) {
  Block &condition = op.getCondition().front(), &body = op.getBody().front();
  // Symbols of other ops in the condition are not known in front of it.
  if (!llvm::all_of(condition.without_terminator(), [](Operation &inner) {
        return isa<loop::KernelOp>(inner);
      }))
    return ExprAttr();
  auto last = cast<graph::ConditionOp>(condition.getTerminator());
  Value predicate = getScalar(last.getPredicate());
  auto compare =
      predicate ? predicate.getDefiningOp<arith::CmpIOp>() : arith::CmpIOp();
  if (!compare)
    return ExprAttr();
  // counter < bound, whichever way it is written
  Value left = compare.getLhs(), right = compare.getRhs();
  arith::CmpIPredicate relation = compare.getPredicate();
  if (relation == arith::CmpIPredicate::sgt ||
      relation == arith::CmpIPredicate::sge)
    std::swap(left, right);
  bool isInclusive = relation == arith::CmpIPredicate::sle ||
                     relation == arith::CmpIPredicate::sge;
  if (!isInclusive && relation != arith::CmpIPredicate::slt &&
      relation != arith::CmpIPredicate::sgt)
    return ExprAttr();
  auto counter = dyn_cast_or_null<BlockArgument>(getSource(left));
  ExprAttr bound = getBound(right);
  if (!counter || counter.getOwner() != &condition || !bound)
    return ExprAttr();

  unsigned position = counter.getArgNumber();
  std::optional<int64_t> start = getNumber(getScalar(op.getInits()[position]));
  Value next = getScalar(body.getTerminator()->getOperand(position));
  auto sum = next ? next.getDefiningOp<arith::AddIOp>() : arith::AddIOp();
  if (!start || !sum)
    return ExprAttr();
  std::optional<int64_t> step = getNumber(sum.getRhs());
  Value summand = sum.getLhs();
  if (!step) {
    step = getNumber(sum.getLhs());
    summand = sum.getRhs();
  }
  if (!step || *step <= 0 || getSource(summand) != body.getArgument(position))
    return ExprAttr();
  ExprAttr distance = sym::add(bound, (isInclusive ? 1 : 0) - *start);
  return sym::ceilDiv(distance, sym::constant(op.getContext(), *step));
}
