//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions of a GPU kernel: over the items and lanes of a thread, by shuffles
// over the threads of a warp, through shared memory over warps. Every warp
// takes the last step itself, so that one barrier is enough and all threads
// have the result.
//
//===----------------------------------------------------------------------===//

#include "GPUKernelEmitter.h"

#include "coil/Dialect/Loop/Analysis/OnlineSum.h"
#include "coil/Dialect/Loop/Analysis/Positions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

#include <limits>

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

/// Sums of a thread that are under way at a time. An addition waits four cycles
/// for the one before (Z. Jia et al., Dissecting the NVIDIA Volta GPU
/// architecture via microbenchmarking, 2018); more sums than that twice take
/// registers for nothing.
static constexpr int64_t kChains = 8;

bool GPUKernelEmitter::isConstant(Value v) {
  return v.getDefiningOp<arith::ConstantOp>() != nullptr;
}

unsigned GPUKernelEmitter::getNumResultItems(Operation *op) const {
  return isOver(op->getResult(0), parallelSet)
             ? static_cast<unsigned>(pItems.size())
             : 1;
}

bool GPUKernelEmitter::hasVectorAccumulator(Operation *op) const {
  // A sample takes all lanes at once.
  if (vectorIsReduced && takesAllItems(op))
    return false;
  return hasVectorOperands(op);
}

bool GPUKernelEmitter::hasVectorOperands(Operation *op) const {
  return width > 1 && (vectorIsReduced || form.isVector(op->getResult(0)));
}

GPUKernelEmitter::Values GPUKernelEmitter::neutral(Operation *op,
                                                   bool asVectors) {
  Values result;
  if (ReduceOp max = onlineMax.lookup(op))
    result.push_back(arith::ConstantOp::create(b, getNeutralOperand(max, 0)));
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    result.push_back(arith::ConstantOp::create(b, getNeutralOperand(op, i)));
  if (isa<ArgReduceOp>(op) && getPositionType(op).isInteger(32))
    result[1] = constantI32(std::numeric_limits<int32_t>::max());
  if (asVectors)
    for (Value &v : result)
      v = broadcast(v);
  return result;
}

unsigned GPUKernelEmitter::getNumCopies(Operation *op, unsigned items) const {
  if (takesAllItems(op))
    return 1;
  int64_t lanes = hasVectorAccumulator(op) ? width : 1;
  return static_cast<unsigned>(std::clamp<int64_t>(
      static_cast<int64_t>(llvm::divideCeil(kChains, lanes)), 1, items));
}

GPUKernelEmitter::Values GPUKernelEmitter::getStart(Operation *op,
                                                    unsigned items) {
  b.setLoc(op->getLoc());
  Values start = neutral(op), result;
  // Pivot, sum, squares and number, and what is lost; all begin with zero.
  if (isa<WelfordOp>(op))
    start.push_back(start.front());
  if (compensated.contains(op))
    start.push_back(zero(start.front().getType()));
  for (unsigned i = 0, n = getNumResultItems(op) * getNumCopies(op, items);
       i < n; ++i)
    llvm::append_range(result, start);
  return result;
}

GPUKernelEmitter::Values
GPUKernelEmitter::getStarts(ArrayRef<Operation *> reductions, unsigned items) {
  Values starts;
  for (Operation *op : reductions)
    llvm::append_range(starts, getStart(op, items));
  return starts;
}

SmallVector<Sample> GPUKernelEmitter::getSamples(WelfordOp op, unsigned ip) {
  bool vectors = hasVectorAccumulator(op);
  Values outside = neutral(op);
  SmallVector<Sample> samples;
  auto addSample = [&](unsigned ir, int64_t lane, Value inside) {
    auto operand = [&](unsigned i) {
      Value v = lookup(op->getOperand(i), ip, ir);
      if (vectors)
        v = broadcast(v);
      else if (isa<VectorType>(v.getType()))
        v = extract(v, lane);
      if (inside)
        v = arith::SelectOp::create(b, inside, v, outside[i]);
      return v;
    };
    Sample sample{operand(0), Value(), Value()};
    if (!op.isFlat())
      sample.m2 = operand(1);
    if (!op.isOfOne() || inside) {
      sample.count = operand(2);
      // One each, under a mask that holds.
      if (!inside && matchPattern(sample.count, m_OneFloat()))
        sample.count = Value();
    }
    samples.push_back(sample);
  };
  for (auto [ir, item] : llvm::enumerate(rItems)) {
    if (!vectorIsReduced || width == 1) {
      addSample(static_cast<unsigned>(ir), 0, item.active);
      continue;
    }
    for (int64_t lane = 0; lane < width; ++lane)
      addSample(static_cast<unsigned>(ir), lane,
                item.lanes ? extract(item.lanes, lane) : item.active);
  }
  return samples;
}

Value GPUKernelEmitter::getNumReduced(Type like) {
  ExprAttr points = sym::constant(kernel.getContext(), 1);
  for (unsigned d : reducedDims)
    points = sym::mul(points, kernel.getExtent(d));
  if (points.isConstant())
    return constantFloat(like, static_cast<double>(points.getValue()));
  Value count = arith::SIToFPOp::create(
      b, getElementTypeOrSelf(like),
      symbolExpr(sym::max(points, sym::constant(kernel.getContext(), 1))));
  return isa<VectorType>(like) ? broadcast(count) : count;
}

GPUKernelEmitter::Values
GPUKernelEmitter::getOperands(Operation *op, unsigned ip, unsigned ir) {
  const Item &item = rItems[ir];
  bool vectors = hasVectorOperands(op);
  Values outside;
  if (item.active || item.lanes)
    outside = neutral(op, vectors);
  Values result;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    Value v = lookup(operand, ip, ir);
    if (i == 1 && getPositionType(op).isInteger(32)) {
      Type narrow = b.getI32Type();
      if (auto type = dyn_cast<VectorType>(v.getType()))
        narrow = VectorType::get(type.getShape(), narrow);
      v = arith::TruncIOp::create(b, narrow, v);
    }
    if (vectors)
      v = broadcast(v);
    Value inside = item.lanes && vectors ? item.lanes : item.active;
    if (inside)
      v = arith::SelectOp::create(b, inside, v, outside[i]);
    result.push_back(v);
  }
  return result;
}

GPUKernelEmitter::Values GPUKernelEmitter::combineAll(Operation *op,
                                                      ArrayRef<Value> x,
                                                      ArrayRef<Value> y) {
  if (x.size() == 1)
    return {combine(b, getReduceKind(op), x[0], y[0])};
  if (onlineMax.contains(op))
    return mergeOnline(op, x, y);
  if (isa<WelfordOp>(op))
    return mergeMoments(x, y);
  if (compensated.contains(op))
    return combineCompensated(op, x, y);
  auto [best, where] = combineArg(b, getReduceKind(op), x[0], x[1], y[0], y[1]);
  return {best, where};
}

std::optional<ExprAttr>
GPUKernelEmitter::getFirstPosition(Operation *op) const {
  auto reduce = dyn_cast<ArgReduceOp>(op);
  if (!reduce)
    return std::nullopt;
  return loop::getFirstPosition(reduce, reducedDims, form.getContext());
}

Type GPUKernelEmitter::getPositionType(Operation *op) {
  auto index = op->getOperand(1).getDefiningOp<IndexOp>();
  if (index && indexBits == 32 &&
      isNarrowPosition(form.atPoint(index.getExpr()), form.getContext()))
    return b.getI32Type();
  return b.getI64Type();
}

GPUKernelEmitter::Values GPUKernelEmitter::accumulate(Operation *op,
                                                      ArrayRef<Value> old,
                                                      ArrayRef<Value> next) {
  if (!getFirstPosition(op))
    return combineAll(op, old, next);
  auto [best, where] =
      combineLaterArg(b, getReduceKind(op), old[0], old[1], next[0], next[1]);
  return {best, where};
}

bool GPUKernelEmitter::isPositionOnly(const Partial &partial) {
  auto arg = dyn_cast<ArgReduceOp>(partial.op);
  return arg && !partial.isSum && arg.getMinMax().use_empty();
}

GPUKernelEmitter::Values
GPUKernelEmitter::combinePositions(const Partial &partial,
                                   ArrayRef<Values> list) {
  // Some six instructions for each value. To compare two values and their
  // positions takes 13.
  auto tree = [&](ReduceKind kind, SmallVector<Value> level) {
    return combinePairs(std::move(level), [&](Value x, Value y) {
      return combine(b, kind, x, y);
    });
  };
  SmallVector<Value> all, candidates;
  for (const Values &one : list)
    all.push_back(one[0]);
  Value best = tree(getReduceKind(partial.op), std::move(all));
  for (const Values &one : list)
    candidates.push_back(getCandidates(b, one[0], one[1], best));
  return {best, tree(ReduceKind::Min, std::move(candidates))};
}

GPUKernelEmitter::Values
GPUKernelEmitter::combineTree(const Partial &partial,
                              SmallVector<Values> list) {
  if (list.size() > 1 && isPositionOnly(partial))
    return combinePositions(partial, list);
  return combinePairs(std::move(list), [&](const Values &x, const Values &y) {
    return combineParts(partial, x, y);
  });
}

//===----------------------------------------------------------------------===//
// Over threads
//===----------------------------------------------------------------------===//

GPUKernelEmitter::Values GPUKernelEmitter::combineParts(const Partial &partial,
                                                        ArrayRef<Value> x,
                                                        ArrayRef<Value> y) {
  if (!partial.isSum)
    return combineAll(partial.op, x, y);
  Values result;
  size_t begin = 0, end = x.size();
  if (partial.hasRest) {
    Compensated first =
        addExactly(b, {x.front(), x.back()}, {y.front(), y.back()});
    result = {first.value, first.rest};
    begin = 1;
    --end;
  }
  for (size_t i = begin; i < end; ++i)
    result.insert(result.begin() + i, arith::AddFOp::create(b, x[i], y[i]));
  return result;
}

void GPUKernelEmitter::reduceLanes(Partial &partial) {
  for (Values &parts : partial.items) {
    if (!vectorIsReduced || !isa<VectorType>(parts[0].getType()))
      continue;
    SmallVector<Values> lanes;
    for (int64_t lane = 0; lane < width; ++lane) {
      Values one;
      for (Value v : parts)
        one.push_back(extract(v, lane));
      lanes.push_back(std::move(one));
    }
    parts = combineTree(partial, std::move(lanes));
  }
}

Value GPUKernelEmitter::permuteWord(Value v, Value lane, Shuffle kind) {
  Value own =
      arith::AndIOp::create(b, emitThreadId(), constantI32(facts.warpSize - 1));
  // Rows next to each other in a warp are segments of it.
  int64_t segment = reducedIsFast ? lanesR : facts.warpSize;
  Value first = arith::AndIOp::create(b, own, constantI32(-segment));
  Value from;
  switch (kind) {
  case Shuffle::Butterfly:
    from = arith::XOrIOp::create(b, own, lane);
    break;
  case Shuffle::Index:
    from = arith::OrIOp::create(
        b, first, arith::AndIOp::create(b, lane, constantI32(segment - 1)));
    break;
  case Shuffle::Up: {
    from = arith::SubIOp::create(b, own, lane);
    Value isBefore =
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, from, first);
    from = arith::SelectOp::create(b, isBefore, own, from);
    break;
  }
  }
  // Lanes count in bytes.
  Value address = arith::ShLIOp::create(b, from, constantI32(2));
  Value word = arith::BitcastOp::create(b, b.getI32Type(), v);
  Value moved = ROCDL::DsBpermuteOp::create(b, b.getI32Type(), address, word);
  return arith::BitcastOp::create(b, v.getType(), moved);
}

Value GPUKernelEmitter::shuffleWord(Value v, Value lane, Shuffle kind) {
  if (facts.has(kLanePermutes))
    return permuteWord(v, lane, kind);
  NVVM::ShflKind shfl = kind == Shuffle::Up      ? NVVM::ShflKind::up
                        : kind == Shuffle::Index ? NVVM::ShflKind::idx
                                                 : NVVM::ShflKind::bfly;
  // Rows next to each other in a warp are segments of it.
  int64_t clamp = kind == Shuffle::Up ? 0 : 31;
  if (kind != Shuffle::Butterfly && reducedIsFast)
    clamp |= (32 - lanesR) << 8;
  // Lanes that a small block does not have must not be waited for.
  int64_t lanes = std::min<int64_t>(threadsP * threadsR, 32);
  int64_t members = lanes == 32 ? -1 : (int64_t(1) << lanes) - 1;
  return NVVM::ShflOp::create(
      b, v.getType(), constantI32(members), v, lane, constantI32(clamp),
      NVVM::ShflKindAttr::get(b.getContext(), shfl), UnitAttr());
}

Value GPUKernelEmitter::shuffle(Value v, Value lane, Shuffle kind) {
  Type type = v.getType();
  if (isa<VectorType>(type)) {
    SmallVector<Value> lanes;
    for (int64_t i = 0; i < width; ++i)
      lanes.push_back(shuffle(extract(v, i), lane, kind));
    return fromLanes(lanes);
  }
  if (type.isF32() || type.isInteger(32))
    return shuffleWord(v, lane, kind);
  // Through words: two of them, or a part of one.
  unsigned bits = type.getIntOrFloatBitWidth();
  Type integer = b.getIntegerType(bits), word = b.getI32Type();
  if (isa<FloatType>(type))
    v = arith::BitcastOp::create(b, integer, v);
  if (bits < 32) {
    v = shuffleWord(arith::ExtUIOp::create(b, word, v), lane, kind);
    v = arith::TruncIOp::create(b, integer, v);
  } else {
    Value half = arith::ConstantIntOp::create(b, integer, 32);
    Value high = arith::ShRUIOp::create(b, v, half);
    Value lowWord =
        shuffleWord(arith::TruncIOp::create(b, word, v), lane, kind);
    Value highWord =
        shuffleWord(arith::TruncIOp::create(b, word, high), lane, kind);
    high = arith::ShLIOp::create(
        b, arith::ExtUIOp::create(b, integer, highWord), half);
    v = arith::OrIOp::create(b, high,
                             arith::ExtUIOp::create(b, integer, lowWord));
  }
  if (isa<FloatType>(type))
    v = arith::BitcastOp::create(b, type, v);
  return v;
}

void GPUKernelEmitter::reduceWarp(Partial &partial) {
  int64_t step = reducedIsFast ? 1 : threadsP;
  for (Values &parts : partial.items) {
    if (lanesR > 1 && isPositionOnly(partial)) {
      auto all = [&](ReduceKind kind, Value v) {
        for (int64_t n = lanesR / 2; n > 0; n /= 2)
          v = combine(b, kind, v,
                      shuffle(v, constantI32(n * step), Shuffle::Butterfly));
        return v;
      };
      Value best = all(getReduceKind(partial.op), parts[0]);
      parts = {best, all(ReduceKind::Min,
                         getCandidates(b, parts[0], parts[1], best))};
      continue;
    }
    for (int64_t n = lanesR / 2; n > 0; n /= 2) {
      Values others;
      for (Value v : parts)
        others.push_back(
            !partial.isSum && isConstant(v)
                ? v
                : shuffle(v, constantI32(n * step), Shuffle::Butterfly));
      parts = combineParts(partial, parts, others);
    }
  }
}

Value GPUKernelEmitter::sharedPointer(int64_t offset, Type element,
                                      Value index) {
  Type ptr = LLVM::LLVMPointerType::get(b.getContext(), 3);
  if (!sharedBase) {
    OpBuilder::InsertionGuard guard(b);
    Block *entry = cast<BlockArgument>(buffers.front()).getOwner();
    b.setInsertionPointToStart(entry);
    // Named once its size is known.
    sharedBase = LLVM::AddressOfOp::create(b, ptr, "");
  }
  auto flags = LLVM::GEPNoWrapFlags::inbounds | LLVM::GEPNoWrapFlags::nuw;
  Value base = LLVM::GEPOp::create(
      b, ptr, b.getI8Type(), sharedBase,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)}, flags);
  return LLVM::GEPOp::create(b, ptr, element, base,
                             ArrayRef<LLVM::GEPArg>{index}, flags);
}

Value GPUKernelEmitter::finishPosition(Operation *op, Value position,
                                       unsigned ip) {
  Type wide = b.getI64Type();
  if (auto type = dyn_cast<VectorType>(position.getType()))
    wide = VectorType::get(type.getShape(), wide);
  Value result = position;
  if (position.getType() != wide)
    result = arith::ExtSIOp::create(b, wide, position);
  std::optional<ExprAttr> first = getFirstPosition(op);
  if (!first)
    return result;
  // No value was better than the neutral one: all are equal to it.
  Value worst = extract(neutral(op)[1], 0);
  if (isa<VectorType>(position.getType()))
    worst = broadcast(worst);
  Value none =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, position, worst);
  auto at = [&](int64_t lane) {
    return scalarExpr(form.atPoint(*first), ip, 0, 64, {}, lane);
  };
  Value start;
  if (!isa<VectorType>(wide)) {
    start = at(0);
  } else {
    SmallVector<Value> lanes;
    for (int64_t lane = 0; lane < width; ++lane)
      lanes.push_back(at(lane));
    start = fromLanes(lanes);
  }
  return arith::SelectOp::create(b, none, start, result);
}

void GPUKernelEmitter::barrier() { gpu::BarrierOp::create(b); }

void GPUKernelEmitter::reduceThreads(MutableArrayRef<Partial> partials) {
  for (Partial &partial : partials) {
    b.setLoc(partial.op->getLoc());
    reduceLanes(partial);
    reduceWarp(partial);
  }
  if (groupsR > 1 && !partials.empty())
    reduceGroups(partials);
  if (cluster > 1 && !partials.empty())
    reduceCluster(partials);
}

void GPUKernelEmitter::defineResults(Operation *op,
                                     MutableArrayRef<Values> items) {
  b.setLoc(op->getLoc());
  if (isa<WelfordOp>(op))
    for (Values &item : items)
      item = finishSample(b, {item[0], item[1], item[2]}).getValues();
  for (Values &item : items)
    item = finishCompensated(op, item);
  if (ReduceOp max = onlineMax.lookup(op)) {
    Copies highest = makeCopies(max), sums = makeCopies(op->getResult(0));
    bool keepsInfinite =
        matchOnlineSum(cast<ReduceOp>(op))->infinite == InfiniteMax::Itself;
    for (const Values &item : items) {
      highest.values.push_back(item[0]);
      sums.values.push_back(keepsInfinite ? finishOnline(item[0], item[1])
                                          : item[1]);
    }
    values[max.getResult()] = std::move(highest);
    values[op->getResult(0)] = std::move(sums);
    return;
  }
  for (unsigned part = 0; part < op->getNumResults(); ++part) {
    Copies copies = makeCopies(op->getResult(part));
    for (auto [ip, item] : llvm::enumerate(items))
      copies.values.push_back(
          part == 1 && isa<ArgReduceOp>(op)
              ? finishPosition(op, item[1], static_cast<unsigned>(ip))
              : item[part]);
    values[op->getResult(part)] = std::move(copies);
  }
}
