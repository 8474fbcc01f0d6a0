//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions of a CPU kernel.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

#include <limits>

using namespace mlir;
using namespace coil;
using namespace coil::loop;

static ReduceKind kindOf(Operation *op) {
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reduce.getKind();
  return cast<ArgReduceOp>(op).getKind();
}

unsigned KernelEmitter::accumulatorsPerCopy(Operation *op) const {
  return isa<ArgReduceOp, ArgScanOp>(op) ? 2 : 1;
}

unsigned KernelEmitter::accumulatorCopies(Operation *op) const {
  if (vectorIsReduced)
    return static_cast<unsigned>(unroll);
  return variesOverVector(op->getResult(0)) ? copies : 1;
}

SmallVector<Value> KernelEmitter::neutral(Operation *op) {
  SmallVector<Value> result{arith::ConstantOp::create(
      b, getNeutralElement(kindOf(op), op->getResult(0).getType()))};
  if (isa<ArgReduceOp>(op))
    result.push_back(constantIndex(std::numeric_limits<int64_t>::max()));
  return result;
}

Value KernelEmitter::combine(ReduceKind kind, Value x, Value y) {
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(x.getType()));
  switch (kind) {
  case ReduceKind::Sum:
    return isFloat ? arith::AddFOp::create(b, x, y).getResult()
                   : arith::AddIOp::create(b, x, y).getResult();
  case ReduceKind::Prod:
    return isFloat ? arith::MulFOp::create(b, x, y).getResult()
                   : arith::MulIOp::create(b, x, y).getResult();
  case ReduceKind::Max:
    return isFloat ? arith::MaximumFOp::create(b, x, y).getResult()
                   : arith::MaxSIOp::create(b, x, y).getResult();
  case ReduceKind::Min:
    return isFloat ? arith::MinimumFOp::create(b, x, y).getResult()
                   : arith::MinSIOp::create(b, x, y).getResult();
  case ReduceKind::UMax:
    return arith::MaxUIOp::create(b, x, y);
  case ReduceKind::UMin:
    return arith::MinUIOp::create(b, x, y);
  case ReduceKind::Or:
    return arith::OrIOp::create(b, x, y);
  case ReduceKind::And:
    return arith::AndIOp::create(b, x, y);
  case ReduceKind::Xor:
    return arith::XOrIOp::create(b, x, y);
  }
  llvm_unreachable("all kinds are handled");
}

std::pair<Value, Value> KernelEmitter::combineArg(ReduceKind kind, Value a,
                                                  Value ai, Value c, Value ci) {
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(a.getType()));
  bool isMax = kind == ReduceKind::Max || kind == ReduceKind::UMax;
  bool isUnsigned = kind == ReduceKind::UMax || kind == ReduceKind::UMin;
  // `c` wins when it is better, or as good and earlier.
  Value better, equal;
  if (isFloat) {
    better = arith::CmpFOp::create(
        b, isMax ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT, c, a);
    equal = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, c, a);
    Value nanA = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, a, a);
    Value nanC = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, c, c);
    // A NaN beats a number and ties with a NaN.
    Value both = arith::AndIOp::create(b, nanA, nanC);
    Value onlyC =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, nanC, nanA);
    better = arith::OrIOp::create(b, better, onlyC);
    equal = arith::OrIOp::create(b, equal, both);
  } else {
    better = arith::CmpIOp::create(
        b,
        isUnsigned
            ? (isMax ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::ult)
            : (isMax ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::slt),
        c, a);
    equal = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, c, a);
  }
  Value earlier = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, ci, ai);
  Value tie = arith::AndIOp::create(b, equal, earlier);
  Value take = arith::OrIOp::create(b, better, tie);
  return {arith::SelectOp::create(b, take, c, a),
          arith::SelectOp::create(b, take, ci, ai)};
}

void KernelEmitter::accumulate(Operation *op,
                               MutableArrayRef<Value> accumulators) {
  b.setLoc(op->getLoc());
  bool vectors = vectorIsReduced || variesOverVector(op->getResult(0));
  // The remainder of a vectorised reduction has one copy only.
  unsigned n = vectors ? copies : 1;
  SmallVector<Value> start = neutral(op);
  for (unsigned copy = 0; copy < n; ++copy) {
    Value v = lookup(op->getOperand(0), copy);
    if (vectors)
      v = broadcast(v);
    Value mask = vectorIsReduced ? tailMask(copy) : Value();
    if (mask)
      v = arith::SelectOp::create(b, mask, v, broadcast(start[0]));
    if (isa<ReduceOp>(op)) {
      accumulators[copy] = combine(kindOf(op), accumulators[copy], v);
      continue;
    }
    Value position = lookup(op->getOperand(1), copy);
    if (vectors)
      position = broadcast(position);
    if (mask)
      position =
          arith::SelectOp::create(b, mask, position, broadcast(start[1]));
    std::tie(accumulators[2 * copy], accumulators[2 * copy + 1]) =
        combineArg(kindOf(op), accumulators[2 * copy],
                   accumulators[2 * copy + 1], v, position);
  }
}

static vector::CombiningKind combiningKind(ReduceKind kind, bool isFloat) {
  switch (kind) {
  case ReduceKind::Sum:
    return vector::CombiningKind::ADD;
  case ReduceKind::Prod:
    return vector::CombiningKind::MUL;
  case ReduceKind::Max:
    return isFloat ? vector::CombiningKind::MAXIMUMF
                   : vector::CombiningKind::MAXSI;
  case ReduceKind::Min:
    return isFloat ? vector::CombiningKind::MINIMUMF
                   : vector::CombiningKind::MINSI;
  case ReduceKind::UMax:
    return vector::CombiningKind::MAXUI;
  case ReduceKind::UMin:
    return vector::CombiningKind::MINUI;
  case ReduceKind::Or:
    return vector::CombiningKind::OR;
  case ReduceKind::And:
    return vector::CombiningKind::AND;
  case ReduceKind::Xor:
    return vector::CombiningKind::XOR;
  }
  llvm_unreachable("all kinds are handled");
}

void KernelEmitter::finishReduction(Operation *op,
                                    ArrayRef<Value> accumulators) {
  b.setLoc(op->getLoc());
  ReduceKind kind = kindOf(op);
  if (!vectorIsReduced) {
    // One accumulator for each copy: they are the results.
    unsigned per = accumulatorsPerCopy(op);
    for (unsigned r = 0; r < per; ++r) {
      Copies out;
      for (size_t i = r; i < accumulators.size(); i += per)
        out.push_back(accumulators[i]);
      values[op->getResult(r)] = out;
    }
    return;
  }
  if (isa<ReduceOp>(op)) {
    // Pairwise, so that the tree stays shallow.
    SmallVector<Value> acc(accumulators.begin(), accumulators.end());
    while (acc.size() > 1) {
      SmallVector<Value> next;
      for (size_t i = 0; i + 1 < acc.size(); i += 2)
        next.push_back(combine(kind, acc[i], acc[i + 1]));
      if (acc.size() % 2)
        next.push_back(acc.back());
      acc = std::move(next);
    }
    bool isFloat = isa<FloatType>(op->getResult(0).getType());
    // The order of a horizontal sum is ours to choose.
    auto flags =
        isFloat && (kind == ReduceKind::Sum || kind == ReduceKind::Prod)
            ? arith::FastMathFlags::reassoc
            : arith::FastMathFlags::none;
    values[op->getResult(0)] = {vector::ReductionOp::create(
        b, combiningKind(kind, isFloat), acc.front(), flags)};
    return;
  }
  Value v = accumulators[0], position = accumulators[1];
  for (size_t i = 2; i < accumulators.size(); i += 2)
    std::tie(v, position) =
        combineArg(kind, v, position, accumulators[i], accumulators[i + 1]);
  Value best, where;
  for (int64_t lane = 0; lane < width; ++lane) {
    Value x = vector::ExtractOp::create(b, v, ArrayRef<int64_t>{lane});
    Value i = vector::ExtractOp::create(b, position, ArrayRef<int64_t>{lane});
    if (lane == 0)
      std::tie(best, where) = std::make_pair(x, i);
    else
      std::tie(best, where) = combineArg(kind, best, where, x, i);
  }
  values[op->getResult(0)] = {best};
  values[op->getResult(1)] = {where};
}
