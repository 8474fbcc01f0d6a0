//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vectors of elements that lie in memory in pieces: along the vector dimension
// the place of an element is linear but where a remainder starts again, a
// quotient grows or a minimum takes over. Nearly all vectors lie within a
// piece, which two of its lanes tell, the first and the last.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;
using sym::ExprKind;

namespace {
/// The steps that an expression may take along `dim` within a piece, and what
/// has to be the same at both ends of a vector that lies in one.
struct Pieces {
  explicit Pieces(ExprAttr dim) : dim(dim) {}

  /// Nothing where the expression is not of this form.
  std::optional<SmallVector<int64_t>> getSteps(ExprAttr e);

  ExprAttr dim;
  /// Quotients.
  llvm::SmallSetVector<ExprAttr, 4> quotients;
  /// Operands of minima and maxima, of which the first is the smaller one or
  /// not.
  llvm::SmallSetVector<std::pair<ExprAttr, ExprAttr>, 4> choices;
};
} // namespace

/// A minimum or maximum of two has two, each further one twice as many; real
/// addresses have at most two, one in the other.
static constexpr size_t kMostSteps = 4;

std::optional<SmallVector<int64_t>> Pieces::getSteps(ExprAttr e) {
  if (!sym::mentions(e, dim))
    return SmallVector<int64_t>{0};
  if (e == dim)
    return SmallVector<int64_t>{1};
  ArrayRef<ExprAttr> operands = e.getOperands();
  SmallVector<int64_t> steps;
  switch (e.getKind()) {
  case ExprKind::Add:
    steps = {0};
    for (ExprAttr operand : operands) {
      auto some = getSteps(operand);
      if (!some || some->size() * steps.size() > kMostSteps)
        return std::nullopt;
      SmallVector<int64_t> sums;
      for (int64_t a : steps)
        for (int64_t b : *some)
          sums.push_back(a + b);
      steps = std::move(sums);
    }
    return steps;
  case ExprKind::Mul: {
    steps = {1};
    bool isConstant = true, hasSteps = false;
    int64_t factor = 1;
    for (ExprAttr operand : operands) {
      if (!sym::mentions(operand, dim)) {
        if (std::optional<int64_t> value = operand.getConstant())
          factor *= *value;
        else
          isConstant = false;
        continue;
      }
      auto some = getSteps(operand);
      if (!some || hasSteps)
        return std::nullopt;
      hasSteps = true;
      steps = *some;
    }
    for (int64_t &step : steps) {
      if (step != 0 && !isConstant)
        return std::nullopt;
      step *= factor;
    }
    return steps;
  }
  case ExprKind::FloorDiv:
  case ExprKind::Mod: {
    auto some = getSteps(operands[0]);
    if (!some || sym::mentions(operands[1], dim))
      return std::nullopt;
    quotients.insert(sym::floorDiv(operands[0], operands[1]));
    return e.getKind() == ExprKind::Mod ? *some : SmallVector<int64_t>{0};
  }
  case ExprKind::Min:
  case ExprKind::Max: {
    if (operands.size() != 2)
      return std::nullopt;
    for (ExprAttr operand : operands) {
      auto some = getSteps(operand);
      if (!some)
        return std::nullopt;
      steps.append(*some);
    }
    choices.insert({operands[0], operands[1]});
    return steps.size() > kMostSteps ? std::nullopt : std::optional(steps);
  }
  default:
    return std::nullopt;
  }
}

FailureOr<bool> KernelEmitter::emitPieces(LoadOp load, ExprAttr address) {
  ExprAttr dim = sym::dim(b.getContext(), static_cast<unsigned>(vectorDim));
  Pieces pieces(dim);
  auto steps = pieces.getSteps(address);
  if (!steps || !llvm::is_contained(*steps, 1) ||
      (pieces.quotients.empty() && pieces.choices.empty()))
    return false;
  int64_t distance = width * copies - 1;
  auto atLast = [&](ExprAttr e) {
    return scalarExpr(sym::substitute(e, [&](ExprAttr leaf) {
      return leaf == dim ? sym::add(dim, distance) : ExprAttr();
    }));
  };
  // Within a piece the place is linear, so that what the ends are apart tells
  // the step.
  Value isRow = arith::CmpIOp::create(
      b, arith::CmpIPredicate::eq,
      arith::SubIOp::create(b, atLast(address), scalarExpr(address)),
      constantIndex(distance));
  auto require = [&](Value condition) {
    isRow = arith::AndIOp::create(b, isRow, condition);
  };
  for (ExprAttr quotient : pieces.quotients)
    require(arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                  scalarExpr(quotient), atLast(quotient)));
  for (auto [x, y] : pieces.choices) {
    Value first = arith::CmpIOp::create(b, arith::CmpIPredicate::sle,
                                        scalarExpr(x), scalarExpr(y));
    Value last = arith::CmpIOp::create(b, arith::CmpIPredicate::sle, atLast(x),
                                       atLast(y));
    require(arith::CmpIOp::create(b, arith::CmpIPredicate::eq, first, last));
  }
  if (failed(emitBranch(isRow, load.getResult(), [&](bool holds) {
        return emitLoad(load, holds ? Placement::Row : Placement::Gather);
      })))
    return failure();
  return true;
}
