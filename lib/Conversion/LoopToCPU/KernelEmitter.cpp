//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Structure of a CPU kernel: tasks, blocks, points, phases.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "coil/Dialect/Loop/IR/RowOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

KernelEmitter::KernelEmitter(KernelOp kernel, const CPUKernelLayout &layout,
                             bool approximate)
    : kernel(kernel), layout(layout), dependence(kernel),
      context(sym::Context::forOp(kernel)), b(kernel.getLoc(), kernel),
      phases(kernel) {
  if (approximate)
    precision.emplace(kernel);
}

static bool isScan(Operation *op) { return isa<ScanOp, ArgScanOp>(op); }

/// Notes that result `output` keeps the value of op `number`.
void KernelEmitter::keep(unsigned output, int64_t number) {
  Operation *op = &*std::next(kernel.getBlock()->begin(), number);
  std::string why;
  std::optional<unsigned> phase = getKeepPhase(phases, kernel, output, op, why);
  assert(phase && "schedule was not checked");
  kept.insert({op, {kernel.getStore(output), *phase}});
}

void KernelEmitter::analyze() {
  context.setDimExtents(kernel.getDims().getDims());
  reducedSet.resize(kernel.getNumDims());
  for (unsigned d : kernel.getReducedDims())
    reducedSet.set(d);
  for (unsigned d = 0, n = kernel.getNumDims(); d < n; ++d)
    (reducedSet[d] ? reducedDims : parallelDims).push_back(d);

  if (auto schedule =
          dyn_cast_or_null<ScheduleAttr>(kernel.getScheduleAttr())) {
    vectorDim = schedule.getVectorDim();
    width = vectorDim < 0 ? 1 : schedule.getVectorWidth();
    unroll = vectorDim < 0 ? 1 : schedule.getUnroll();
    block = schedule.getBlock();
    rows = schedule.getRows();
    transposeDim = schedule.getTransposeDim();
    transposeBlock = schedule.getTransposeBlock();
    if (schedule.getKeep())
      for (auto [output, number] :
           llvm::enumerate(schedule.getKeep().asArrayRef()))
        if (number >= 0)
          keep(static_cast<unsigned>(output), number);
    if (schedule.getStream())
      for (int64_t output : schedule.getStream().asArrayRef())
        streamed.insert(static_cast<unsigned>(output));
  }
  for (unsigned phase = 0; phase < phases.size(); ++phase)
    for (Operation *op : getSlice(phase))
      if (isa<LoadOp>(op))
        reads[op].push_back(phase);
  if (width == 1) {
    vectorDim = transposeDim = -1;
    unroll = 1;
  }
  vectorIsReduced = vectorDim >= 0 && reducedSet[vectorDim];
  findOnceATask();
  findArms();
  // The vector dimension is the innermost of its kind.
  auto innermost = [&](SmallVectorImpl<unsigned> &dims) {
    auto *it = llvm::find(dims, static_cast<unsigned>(vectorDim));
    if (it != dims.end())
      std::rotate(it, it + 1, dims.end());
  };
  if (vectorDim >= 0)
    innermost(vectorIsReduced ? reducedDims : parallelDims);

  MLIRContext *ctx = kernel.getContext();
  total = sym::constant(ctx, 1);
  for (unsigned d : parallelDims) {
    ExprAttr extent = kernel.getExtent(d);
    if (static_cast<int64_t>(d) == vectorDim)
      extent = sym::ceilDiv(extent, sym::constant(ctx, block));
    else if (static_cast<int64_t>(d) == transposeDim)
      extent = sym::ceilDiv(extent, sym::constant(ctx, transposeBlock));
    total = sym::mul(total, extent);
  }
}

Operation *KernelEmitter::emit(OpBuilder &builder, StringRef name) {
  analyze();
  MLIRContext *ctx = kernel.getContext();
  b.setInsertionPoint(builder.getInsertionBlock(), builder.getInsertionPoint());
  auto ptr = LLVM::LLVMPointerType::get(ctx);
  auto i64 = b.getI64Type(), i32 = b.getI32Type();
  auto func = LLVM::LLVMFuncOp::create(
      b, name, LLVM::LLVMFunctionType::get(i32, {ptr, ptr, i64, i64}));
  Block *entry = func.addEntryBlock(b);
  b.setInsertionPointToStart(entry);

  unsigned numBuffers = static_cast<unsigned>(layout.strides.size());
  for (unsigned i = 0; i < numBuffers; ++i) {
    Value slot = LLVM::GEPOp::create(b, ptr, ptr, entry->getArgument(0),
                                     ArrayRef<LLVM::GEPArg>{i});
    buffers.push_back(LLVM::LoadOp::create(b, ptr, slot));
  }
  for (auto [i, symbol] : llvm::enumerate(layout.symbols)) {
    Value slot =
        LLVM::GEPOp::create(b, ptr, i64, entry->getArgument(1),
                            ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
    symbolValues[symbol.strref()] = LLVM::LoadOp::create(b, i64, slot);
  }
  dimValues.resize(kernel.getNumDims());
  auto canFail = [](auto access) {
    return access.getBounds() == BoundsPolicy::Check ||
           access.getBounds() == BoundsPolicy::WrapCheck;
  };
  bool checks = llvm::any_of(kernel.getBlock()->getOps<LoadOp>(), canFail) ||
                llvm::any_of(kernel.getBlock()->getOps<ScatterOp>(), canFail);
  if (checks) {
    Value one = arith::ConstantIntOp::create(b, i32, 1);
    errorFlag = LLVM::AllocaOp::create(b, ptr, i32, one);
    LLVM::StoreOp::create(b, arith::ConstantIntOp::create(b, i32, 0),
                          errorFlag);
  }

  if (rows > 0)
    allocateRows();
  allocateScratch();
  if (transposeDim >= 0)
    allocateTiles();

  auto loop = scf::ForOp::create(b, entry->getArgument(2),
                                 entry->getArgument(3), constantIndex(1));
  b.setInsertionPointToStart(loop.getBody());
  if (failed(emitTask(loop.getInductionVar()))) {
    func.erase();
    return nullptr;
  }
  b.setInsertionPointToEnd(entry);
  // Stores past the caches come in no order with those that say that this is
  // done.
  if (!streamed.empty())
    LLVM::FenceOp::create(b, LLVM::AtomicOrdering::seq_cst);
  Value status = errorFlag
                     ? LLVM::LoadOp::create(b, i32, errorFlag).getResult()
                     : arith::ConstantIntOp::create(b, i32, 0).getResult();
  LLVM::ReturnOp::create(b, status);
  return func;
}

void KernelEmitter::findOnceATask() {
  if (vectorDim < 0 || vectorIsReduced)
    return;
  for (Operation &op : *kernel.getBlock()) {
    if (isReduction(&op) || isa<StoreOp, ScatterOp>(op) || phases[&op] != 0)
      continue;
    Value v = op.getResult(0);
    if (!variesOverVector(v) && !dependence[v].anyCommon(reducedSet) &&
        (transposeDim < 0 || !dependence[v].test(transposeDim)))
      onceATask.insert(&op);
  }
}

LogicalResult KernelEmitter::emitTask(Value task) {
  // Cut the task number into the positions of the parallel dimensions.
  Value blockNumber;
  MLIRContext *ctx = kernel.getContext();
  for (unsigned d : llvm::reverse(parallelDims)) {
    bool isVectorDim = static_cast<int64_t>(d) == vectorDim;
    bool isTransposed = static_cast<int64_t>(d) == transposeDim;
    ExprAttr extent = kernel.getExtent(d);
    if (isVectorDim || isTransposed)
      extent = sym::ceilDiv(
          extent, sym::constant(ctx, isVectorDim ? block : transposeBlock));
    Value position;
    if (extent.isConstant(1)) {
      position = constantIndex(0);
    } else if (d == parallelDims.front()) {
      position = task;
    } else {
      // Task numbers are not negative, so unsigned division is exact.
      Value n = scalarExpr(extent);
      position = arith::RemUIOp::create(b, task, n);
      task = arith::DivUIOp::create(b, task, n);
    }
    if (isVectorDim)
      blockNumber = position;
    else if (isTransposed)
      transposeBegin =
          arith::MulIOp::create(b, position, constantIndex(transposeBlock));
    else
      dimValues[d] = position;
  }
  if (!blockNumber)
    return emitPoint();
  for (Operation &op : *kernel.getBlock())
    if (onceATask.contains(&op) && failed(emitOp(&op)))
      return failure();
  Value begin = arith::MulIOp::create(b, blockNumber, constantIndex(block));
  Value extent = scalarExpr(kernel.getExtent(static_cast<unsigned>(vectorDim)));
  Value end = arith::AddIOp::create(b, begin, constantIndex(block));
  end = arith::MinSIOp::create(b, end, extent);
  if (rows > 0)
    return emitRows(begin, end);
  if (transposeDim >= 0)
    return emitTransposed(begin, end);
  return emitColumns(begin, end, [&] { return emitPoint(); });
}

FailureOr<SmallVector<Value>> KernelEmitter::emitLoopOver(
    unsigned dim, Value begin, Value end, int64_t step,
    ArrayRef<Value> accumulators,
    llvm::function_ref<FailureOr<SmallVector<Value>>(ArrayRef<Value>)> body) {
  auto loop =
      scf::ForOp::create(b, begin, end, constantIndex(step), accumulators);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  dimValues[dim] = loop.getInductionVar();
  SmallVector<Value> carried(loop.getRegionIterArgs().begin(),
                             loop.getRegionIterArgs().end());
  FailureOr<SmallVector<Value>> results = body(carried);
  if (failed(results))
    return failure();
  // A loop without carried values has its terminator already.
  if (!accumulators.empty())
    scf::YieldOp::create(b, *results);
  return SmallVector<Value>(loop.getResults().begin(), loop.getResults().end());
}

/// Emits the code for the lanes `begin + i * width` of the masked remainder.
static Value remainderMask(ImplicitLocOpBuilder &b, Value lanes, Value position,
                           Value end, VectorType indexVector) {
  Value rest = arith::SubIOp::create(b, end, position);
  Value restVector = vector::BroadcastOp::create(b, indexVector, rest);
  return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, lanes, restVector);
}

LogicalResult
KernelEmitter::emitColumns(Value begin, Value end,
                           llvm::function_ref<LogicalResult()> body) {
  auto runBody = [&](ArrayRef<Value>) -> FailureOr<SmallVector<Value>> {
    if (failed(body()))
      return failure();
    return SmallVector<Value>();
  };
  auto dim = static_cast<unsigned>(vectorDim);
  std::optional<int64_t> extent = kernel.getExtent(dim).getConstant();
  int64_t step = width * unroll;
  bool fits =
      extent && *extent % step == 0 && (*extent <= block || block % step == 0);
  bool onlyRemainder = extent && *extent < step;
  Value middle = begin;
  if (!onlyRemainder) {
    middle = end;
    if (!fits) {
      Value length = arith::SubIOp::create(b, end, begin);
      Value rest = arith::RemUIOp::create(b, length, constantIndex(step));
      middle = arith::SubIOp::create(b, end, rest);
    }
    copies = static_cast<unsigned>(unroll);
    masks.clear();
    if (failed(emitLoopOver(dim, begin, middle, step, {}, runBody)))
      return failure();
    if (fits)
      return success();
  }
  copies = 1;
  auto indexVector = VectorType::get(width, b.getI64Type());
  auto masked = [&](ArrayRef<Value> args) -> FailureOr<SmallVector<Value>> {
    masks = {remainderMask(b, laneNumbers(), dimValues[vectorDim], end,
                           indexVector)};
    return runBody(args);
  };
  return emitLoopOver(dim, middle, end, width, {}, masked);
}

LogicalResult KernelEmitter::emitPoint() {
  if (vectorIsReduced || vectorDim < 0) {
    copies = 1;
    masks.clear();
  }
  for (unsigned phase = 0; phase < phases.size(); ++phase)
    if (failed(emitPhase(phase)))
      return failure();
  return success();
}

SmallVector<Operation *> KernelEmitter::getSlice(unsigned phase) const {
  DenseSet<Operation *> readBack;
  for (auto &[op, where] : kept)
    if (where.phase < phase)
      readBack.insert(op);
  return phases.getSlice(phase, readBack);
}

LogicalResult KernelEmitter::emitPhase(unsigned phase) {
  currentPhase = phase;
  // Values of the point, once.
  for (Operation &op : *kernel.getBlock()) {
    if (phases[&op] != phase || isReduction(&op))
      continue;
    if (!phases.isInner(&op) && !onceATask.contains(&op) &&
        failed(emitStep(&op)))
      return failure();
  }
  SmallVector<Operation *> slice = getSlice(phase);
  if (slice.empty())
    return success();

  SmallVector<Value> start;
  for (Operation *op : slice) {
    bool reduces = isReduction(op);
    if (!reduces && !(isScan(op) && isComputed(op)))
      continue;
    bool vectors = vectorIsReduced || variesOverVector(op->getResult(0));
    for (unsigned copy = 0, n = accumulatorCopies(op); copy < n; ++copy)
      for (Value v : reduces ? startAccumulators(op) : startScan(op))
        start.push_back(vectors ? broadcast(v) : v);
    if (tracksNaN(op))
      start.push_back(broadcast(
          arith::ConstantOp::create(b, b.getBoolAttr(false)).getResult()));
  }
  FailureOr<SmallVector<Value>> end = emitReducedLoop(0, start, slice);
  if (failed(end))
    return failure();
  ArrayRef<Value> rest = *end;
  for (Operation *op : slice) {
    bool reduces = isReduction(op);
    if (!reduces && !(isScan(op) && isComputed(op)))
      continue;
    unsigned n = numAccumulators(op);
    if (reduces)
      finishReduction(op, rest.take_front(n));
    rest = rest.drop_front(n);
  }
  return success();
}

bool KernelEmitter::isComputed(Operation *op) const {
  const auto *where = kept.find(op);
  return where == kept.end() || where->second.phase >= currentPhase;
}

FailureOr<SmallVector<Value>>
KernelEmitter::emitReducedLoop(unsigned depth, ArrayRef<Value> accumulators,
                               ArrayRef<Operation *> slice) {
  if (depth == reducedDims.size()) {
    SmallVector<Value> acc(accumulators.begin(), accumulators.end());
    MutableArrayRef<Value> rest = acc;
    for (Operation *op : slice) {
      if (!isComputed(op)) {
        if (failed(emitKeptLoad(kept.find(op)->second.store, op->getResult(0))))
          return failure();
        continue;
      }
      if (!isReduction(op) && !isScan(op)) {
        if (failed(emitStep(op)))
          return failure();
        continue;
      }
      unsigned n = numAccumulators(op);
      if (isScan(op))
        stepScan(op, rest.take_front(n));
      else
        accumulate(op, rest.take_front(n));
      rest = rest.drop_front(n);
    }
    for (auto &[op, where] : kept)
      if (where.phase == currentPhase &&
          failed(emitKeptStore(where.store, op->getResult(0))))
        return failure();
    emitPrefetches();
    return acc;
  }
  unsigned d = reducedDims[depth];
  Value extent = scalarExpr(kernel.getExtent(d));
  auto runBody = [&](ArrayRef<Value> args) {
    return emitReducedLoop(depth + 1, args, slice);
  };
  // A loop from zero, in chains where sums get long.
  bool isLong = llvm::any_of(slice, [&](Operation *op) {
    return (isFloatSum(op) || isExact(op)) && isComputed(op);
  });
  std::optional<int64_t> chain = isLong ? getChainSteps(depth) : std::nullopt;
  auto emitLoop = [&](Value end, int64_t step,
                      ArrayRef<Value> args) -> FailureOr<SmallVector<Value>> {
    auto emitPart = [&](Value from, Value to, ArrayRef<Value> inner) {
      return emitLoopOver(d, from, to, step, inner, runBody);
    };
    if (chain)
      return emitCascade(end, step, *chain, args, slice, emitPart);
    return emitPart(constantIndex(0), end, args);
  };
  if (static_cast<int64_t>(d) != vectorDim)
    return emitLoop(extent, 1, accumulators);

  std::optional<int64_t> constant = kernel.getExtent(d).getConstant();
  int64_t step = width * unroll;
  SmallVector<Value> carried(accumulators.begin(), accumulators.end());
  Value middle = constantIndex(0);
  if (!constant || *constant >= step) {
    middle = extent;
    if (constant)
      middle = constantIndex(*constant - *constant % step);
    else
      middle = arith::SubIOp::create(
          b, extent, arith::RemUIOp::create(b, extent, constantIndex(step)));
    copies = static_cast<unsigned>(unroll);
    masks.clear();
    FailureOr<SmallVector<Value>> results = emitLoop(middle, step, carried);
    copies = 1;
    if (failed(results))
      return failure();
    carried = std::move(*results);
    if (constant && *constant % step == 0)
      return carried;
  }
  copies = 1;
  auto indexVector = VectorType::get(width, b.getI64Type());
  FailureOr<SmallVector<Value>> results =
      emitLoopOver(d, middle, extent, width, carried,
                   [&](ArrayRef<Value> args) -> FailureOr<SmallVector<Value>> {
                     masks = {remainderMask(b, laneNumbers(), dimValues[d],
                                            extent, indexVector)};
                     return runBody(args);
                   });
  masks.clear();
  return results;
}

LogicalResult KernelEmitter::emitOp(Operation *op) {
  b.setLoc(op->getLoc());
  if (auto load = dyn_cast<LoadOp>(op))
    return load.getMask() && isOfPositions(load.getMask())
               ? emitMaskedLoad(load)
               : emitLoad(load);
  if (auto store = dyn_cast<StoreOp>(op))
    return emitStore(store, store.getValue());
  if (auto scatter = dyn_cast<ScatterOp>(op))
    return emitScatter(scatter);
  if (auto sum = dyn_cast<SegmentSumOp>(op))
    return emitGatherSum(sum);
  if (auto special = dyn_cast<SpecialOp>(op))
    return emitSpecial(special);
  if (auto philox = dyn_cast<PhiloxOp>(op)) {
    emitRandom(philox);
    return success();
  }
  if (auto index = dyn_cast<IndexOp>(op)) {
    Copies &out = values[index];
    out.clear();
    ExprAttr expr = context.simplify(index.getExpr());
    if (!variesOverVector(index)) {
      out.push_back(scalarExpr(expr));
      return success();
    }
    for (unsigned copy = 0; copy < copies; ++copy)
      out.push_back(vectorExpr(expr, copy));
    return success();
  }
  if (isa<arith::ArithDialect, math::MathDialect>(op->getDialect()))
    return emitArith(op);
  return op->emitOpError("has no CPU lowering");
}
