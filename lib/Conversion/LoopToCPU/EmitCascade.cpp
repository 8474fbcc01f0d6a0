//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Long sums of floats. A plain chain of n additions loses up to n units in the
// last place. So a chain has a bounded number of additions; its result is added
// to a compensated total (the sum and what rounding took from it), whose error
// does not depend on how many chains there are. Moments of `f64` are measured
// from one pivot for the length of a chain.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "coil/Conversion/Utils/Combine.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

#include <utility>

using namespace mlir;
using namespace coil;
using namespace coil::loop;

/// Additions of one chain. Its error is at most this many units in the last
/// place of the chain's result; for random values it is the square root of
/// that, for equal ones, which round the same way each time, about an eighth.
/// 16 is what PyTorch's sums use, see benchmarks/results/accuracy.md.
static constexpr int64_t kMaxChain = 16;
/// Without vectors there are no lanes that share the elements of a short sum,
/// as PyTorch's sums have: half an ulp for equal values.
static constexpr int64_t kMaxScalarChain = 4;

bool KernelEmitter::isFloatSum(Operation *op) {
  auto reduce = dyn_cast<ReduceOp>(op);
  return reduce && reduce.getKind() == ReduceKind::Sum &&
         isa<FloatType>(reduce.getType());
}

int64_t KernelEmitter::getMaxChain() const {
  return width * unroll == 1 ? kMaxScalarChain : kMaxChain;
}

int64_t KernelEmitter::getChain(unsigned depth) {
  if (depth == reducedDims.size())
    return 1;
  unsigned d = reducedDims[depth];
  int64_t trips = context.bounds(kernel.getExtent(d)).hi;
  if (rows == 0 && static_cast<int64_t>(d) == vectorDim && trips != INT64_MAX)
    trips = llvm::divideCeil(trips, width * unroll);
  int64_t inner = getChain(depth + 1), chain;
  if (llvm::MulOverflow(std::max<int64_t>(trips, 1), inner, chain) ||
      chain > getMaxChain())
    // The loop itself bounds it.
    return 1;
  return chain;
}

std::optional<int64_t> KernelEmitter::getChainSteps(unsigned depth) {
  unsigned d = reducedDims[depth];
  int64_t trips = context.bounds(kernel.getExtent(d)).hi;
  if (static_cast<int64_t>(d) == vectorDim && trips != INT64_MAX)
    trips = trips / (width * unroll);
  int64_t steps = std::max<int64_t>(1, getMaxChain() / getChain(depth + 1));
  if (trips <= steps)
    return std::nullopt;
  return steps;
}

/// The sum of the copies of an accumulator, pairwise.
static Value sumCopies(ImplicitLocOpBuilder &b, ArrayRef<Value> accumulators) {
  SmallVector<Value> list(accumulators);
  while (list.size() > 1) {
    SmallVector<Value> next;
    for (size_t i = 0; i + 1 < list.size(); i += 2)
      next.push_back(arith::AddFOp::create(b, list[i], list[i + 1]));
    if (list.size() % 2)
      next.push_back(list.back());
    list = std::move(next);
  }
  return list.front();
}

static Value zeroLike(ImplicitLocOpBuilder &b, Value v) {
  return arith::ConstantOp::create(b, b.getZeroAttr(v.getType()));
}

FailureOr<SmallVector<Value>> KernelEmitter::emitCascade(
    Value end, int64_t step, int64_t steps, ArrayRef<Value> accumulators,
    ArrayRef<Operation *> slice,
    llvm::function_ref<FailureOr<SmallVector<Value>>(Value, Value,
                                                     ArrayRef<Value>)>
        emitLoop) {
  // The accumulators of each sum: one chain, or one for each copy of a result.
  SmallVector<std::pair<unsigned, unsigned>> sums;
  // The first accumulator of each copy of moments, and how many it has.
  SmallVector<std::pair<unsigned, unsigned>> moments;
  unsigned number = 0;
  for (Operation *op : slice) {
    if (!isComputed(op) || (!isReduction(op) && !isa<ScanOp, ArgScanOp>(op)))
      continue;
    unsigned count = numAccumulators(op);
    if (isFloatSum(op)) {
      if (vectorIsReduced)
        sums.push_back({number, count});
      else
        for (unsigned i = 0; i < count; ++i)
          sums.push_back({number + i, 1});
    }
    if (isExact(op))
      for (unsigned i = 0, per = accumulatorsPerCopy(op); i < count; i += per)
        moments.push_back({number + i, per});
    number += count;
  }
  Value start = constantIndex(0);
  SmallVector<Value> begun;
  if (!moments.empty()) {
    // Pivots are near the mean before a chain goes by one of them.
    Value begin = start;
    start = arith::MinSIOp::create(b, constantIndex(step * steps), end);
    bool wasInChain = std::exchange(inChain, false);
    FailureOr<SmallVector<Value>> results =
        emitLoop(begin, start, accumulators);
    inChain = wasInChain;
    if (failed(results))
      return failure();
    begun = std::move(*results);
    accumulators = begun;
  }
  // What is carried from chain to chain: the other accumulators, and totals in
  // place of those of sums, of which the others start from zero.
  SmallVector<Value> carried(accumulators);
  for (auto [first, count] : sums) {
    carried[first] = sumCopies(b, accumulators.slice(first, count));
    Value zero = zeroLike(b, carried[first]);
    for (unsigned i = 1; i < count; ++i)
      carried[first + i] = zero;
  }
  for (auto [first, count] : sums)
    carried.push_back(zeroLike(b, carried[first]));

  auto loop =
      scf::ForOp::create(b, start, end, constantIndex(step * steps), carried);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> chains(
        loop.getRegionIterArgs().take_front(accumulators.size()));
    for (auto [first, count] : sums)
      chains[first] = zeroLike(b, chains[first]);
    for (auto [first, per] : moments)
      startChain(MutableArrayRef<Value>(chains).slice(first, per));
    Value begin = loop.getInductionVar();
    Value stop = arith::MinSIOp::create(
        b, arith::AddIOp::create(b, begin, constantIndex(step * steps)), end);
    bool wasInChain = std::exchange(inChain, true);
    FailureOr<SmallVector<Value>> results = emitLoop(begin, stop, chains);
    inChain = wasInChain;
    if (failed(results))
      return failure();
    SmallVector<Value> next(*results), corrections;
    for (auto [first, per] : moments)
      finishChain(
          MutableArrayRef<Value>(next).slice(first, per),
          SmallVector<Value>(loop.getRegionIterArgs().slice(first, per)));
    for (auto [i, sum] : llvm::enumerate(sums)) {
      auto [first, count] = sum;
      Compensated total = addExactly(
          b,
          {loop.getRegionIterArgs()[first],
           loop.getRegionIterArgs()[accumulators.size() + i]},
          {sumCopies(b, ArrayRef<Value>(*results).slice(first, count)),
           Value()});
      next[first] = total.value;
      Value zero = zeroLike(b, total.value);
      for (unsigned k = 1; k < count; ++k)
        next[first + k] = zero;
      corrections.push_back(total.rest);
    }
    llvm::append_range(next, corrections);
    scf::YieldOp::create(b, next);
  }
  SmallVector<Value> results(loop.getResults().take_front(accumulators.size()));
  for (auto [i, sum] : llvm::enumerate(sums)) {
    auto [first, count] = sum;
    results[first] = finishExactly(
        b, {loop.getResult(first),
            loop.getResult(static_cast<unsigned>(accumulators.size() + i))});
    Value zero = zeroLike(b, results[first]);
    for (unsigned k = 1; k < count; ++k)
      results[first + k] = zero;
  }
  return results;
}

//===----------------------------------------------------------------------===//
// By rows
//===----------------------------------------------------------------------===//

void KernelEmitter::allocateRowTotals() {
  // How many rows there are.
  int64_t count = 1;
  for (unsigned d : reducedDims)
    if (llvm::MulOverflow(
            count, std::max<int64_t>(1, context.bounds(kernel.getExtent(d)).hi),
            count))
      count = INT64_MAX;
  if (count <= kMaxChain)
    return;
  Type ptr = LLVM::LLVMPointerType::get(b.getContext());
  unsigned number = 0;
  for (Operation *op : rowReductions) {
    if (isFloatSum(op)) {
      Type scalar = op->getResult(0).getType();
      auto allocate = [&]() -> Value {
        return LLVM::AllocaOp::create(b, ptr, scalar, constantIndex(block),
                                      /*alignment=*/64);
      };
      Value sum = allocate(), correction = allocate();
      rowTotals.insert({number, {scalar, sum, correction}});
    }
    number += accumulatorsPerCopy(op);
  }
  if (!rowTotals.empty())
    rowCounter = LLVM::AllocaOp::create(b, ptr, b.getI64Type(),
                                        constantIndex(1), /*alignment=*/8);
}

void KernelEmitter::startRowTotals(Value begin) {
  for (auto &[number, total] : rowTotals) {
    Value zero = broadcast(
        arith::ConstantOp::create(b, b.getFloatAttr(total.scalar, 0)));
    for (unsigned copy = 0; copy < copies; ++copy)
      for (Value memory : {total.sum, total.correction})
        LLVM::StoreOp::create(b, zero,
                              rowPointer(memory, total.scalar, begin, copy),
                              elementBytes(total.scalar));
  }
}

LogicalResult KernelEmitter::emitRowTotals(int64_t count, Value begin,
                                           Value end) {
  if (rowTotals.empty())
    return success();
  Value rowsSince = arith::AddIOp::create(
      b, LLVM::LoadOp::create(b, b.getI64Type(), rowCounter),
      constantIndex(count));
  LLVM::StoreOp::create(b, rowsSince, rowCounter);
  Value isLong = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, rowsSince,
                                       constantIndex(kMaxChain));
  auto branch = scf::IfOp::create(b, isLong, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  LLVM::StoreOp::create(b, constantIndex(0), rowCounter);
  return emitColumns(begin, end, [&]() -> LogicalResult {
    for (auto &entry : rowTotals)
      for (unsigned copy = 0; copy < copies; ++copy) {
        const RowTotal &total = entry.second;
        auto vector = VectorType::get(width, total.scalar);
        unsigned alignment = elementBytes(total.scalar);
        auto at = [&](Value memory) {
          return rowPointer(memory, total.scalar, begin, copy);
        };
        Value chain = at(rowAccumulators[entry.first]);
        Value sum = at(total.sum), correction = at(total.correction);
        auto load = [&](Value pointer) -> Value {
          return LLVM::LoadOp::create(b, vector, pointer, alignment);
        };
        Compensated next = addExactly(b, {load(sum), load(correction)},
                                      {load(chain), Value()});
        LLVM::StoreOp::create(b, next.value, sum, alignment);
        LLVM::StoreOp::create(b, next.rest, correction, alignment);
        LLVM::StoreOp::create(b, zeroLike(b, next.value), chain, alignment);
      }
    return success();
  });
}

void KernelEmitter::addRowTotals(unsigned number, Value begin,
                                 MutableArrayRef<Value> accumulators) {
  auto *found = rowTotals.find(number);
  if (found == rowTotals.end())
    return;
  RowTotal &total = found->second;
  for (unsigned copy = 0; copy < accumulators.size(); ++copy) {
    auto load = [&](Value memory) -> Value {
      return LLVM::LoadOp::create(b, VectorType::get(width, total.scalar),
                                  rowPointer(memory, total.scalar, begin, copy),
                                  elementBytes(total.scalar));
    };
    Value &chain = accumulators[copy];
    chain = finishExactly(
        b, addExactly(b, {load(total.sum), load(total.correction)},
                      {chain, Value()}));
  }
}
