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

#include "coil/Conversion/Utils/Combine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

#include <limits>

using namespace mlir;
using namespace coil;
using namespace coil::loop;

unsigned KernelEmitter::accumulatorsPerCopy(Operation *op) const {
  return op->getNumResults();
}

unsigned KernelEmitter::accumulatorCopies(Operation *op) const {
  // A sample takes all copies at once.
  if (vectorIsReduced)
    return isa<MomentsOp>(op) ? 1 : static_cast<unsigned>(unroll);
  return variesOverVector(op->getResult(0)) ? copies : 1;
}

SmallVector<Value> KernelEmitter::neutral(Operation *op) {
  SmallVector<Value> result;
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    result.push_back(arith::ConstantOp::create(b, getNeutralOperand(op, i)));
  return result;
}

Sample KernelEmitter::getSample(MomentsOp op, unsigned copy) {
  bool vectors = vectorIsReduced || variesOverVector(op.getTotalMean());
  Value mask = vectorIsReduced ? tailMask(copy) : Value();
  auto operand = [&](unsigned i) {
    Value v = lookup(op->getOperand(i), copy);
    if (vectors)
      v = broadcast(v);
    if (mask)
      v = arith::SelectOp::create(b, mask, v, broadcast(neutral(op)[i]));
    return v;
  };
  Sample sample{operand(0), Value(), Value()};
  if (!op.isFlat())
    sample.m2 = operand(1);
  if (!op.isOfOne() || mask)
    sample.count = operand(2);
  return sample;
}

void KernelEmitter::addSample(MutableArrayRef<Value> accumulators,
                              const Sample &sample) {
  llvm::copy(mergeSamples(
                 b, {accumulators[0], accumulators[1], accumulators[2]}, sample)
                 .getValues(),
             accumulators.begin());
}

void KernelEmitter::accumulate(Operation *op,
                               MutableArrayRef<Value> accumulators) {
  b.setLoc(op->getLoc());
  bool vectors = vectorIsReduced || variesOverVector(op->getResult(0));
  // The remainder of a vectorised reduction has one copy only.
  unsigned n = vectors ? copies : 1;
  if (auto moments = dyn_cast<MomentsOp>(op)) {
    SmallVector<Sample> samples;
    for (unsigned copy = 0; copy < n; ++copy)
      samples.push_back(getSample(moments, copy));
    if (vectorIsReduced)
      return addSample(accumulators, mergeSamples(b, samples));
    for (unsigned copy = 0; copy < n; ++copy)
      addSample(accumulators.slice(3 * copy, 3), samples[copy]);
    return;
  }
  SmallVector<Value> start = neutral(op);
  for (unsigned copy = 0; copy < n; ++copy) {
    Value v = lookup(op->getOperand(0), copy);
    if (vectors)
      v = broadcast(v);
    Value mask = vectorIsReduced ? tailMask(copy) : Value();
    if (mask)
      v = arith::SelectOp::create(b, mask, v, broadcast(start[0]));
    if (isa<ReduceOp>(op)) {
      accumulators[copy] = combine(b, getReduceKind(op), accumulators[copy], v);
      continue;
    }
    Value position = lookup(op->getOperand(1), copy);
    if (vectors)
      position = broadcast(position);
    if (mask)
      position =
          arith::SelectOp::create(b, mask, position, broadcast(start[1]));
    std::tie(accumulators[2 * copy], accumulators[2 * copy + 1]) =
        combineArg(b, getReduceKind(op), accumulators[2 * copy],
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
  if (isa<MomentsOp>(op)) {
    Copies out[3];
    for (size_t i = 0; i < accumulators.size(); i += 3) {
      Sample sample{accumulators[i], accumulators[i + 1], accumulators[i + 2]};
      if (vectorIsReduced)
        sample = mergeLanes(b, sample);
      for (auto [list, v] :
           llvm::zip_equal(out, finishSample(b, sample).getValues()))
        list.push_back(v);
    }
    for (auto [result, list] : llvm::zip_equal(op->getResults(), out))
      values[result] = list;
    return;
  }
  ReduceKind kind = getReduceKind(op);
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
        next.push_back(combine(b, kind, acc[i], acc[i + 1]));
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
        combineArg(b, kind, v, position, accumulators[i], accumulators[i + 1]);
  Value best, where;
  for (int64_t lane = 0; lane < width; ++lane) {
    Value x = vector::ExtractOp::create(b, v, ArrayRef<int64_t>{lane});
    Value i = vector::ExtractOp::create(b, position, ArrayRef<int64_t>{lane});
    if (lane == 0)
      std::tie(best, where) = std::make_pair(x, i);
    else
      std::tie(best, where) = combineArg(b, kind, best, where, x, i);
  }
  values[op->getResult(0)] = {best};
  values[op->getResult(1)] = {where};
}
