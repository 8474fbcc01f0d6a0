//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What it costs to compute a kernel once more, and other properties of kernels
// that fusion goes by.
//
//===----------------------------------------------------------------------===//

#include "FusionCost.h"

#include "TargetCounts.h"
#include "coil/Dialect/Loop/Analysis/Contraction.h"
#include "coil/Dialect/Loop/Analysis/VectorCost.h"
#include "coil/Dialect/Loop/IR/RowOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;

namespace {

/// A producer this small is recomputed rather than kept for several readers.
constexpr unsigned kCheapOps = 10, kCheapLoads = 2;
/// A producer this small is recomputed any number of times.
constexpr unsigned kTrivialOps = 2;
/// Operations that an elementary function counts as: a multiprocessor has 16
/// units for these and 128 lanes (CUDA C++ Programming Guide, throughput of
/// native arithmetic instructions, capabilities 8.6 to 12.0).
constexpr int64_t kHeavyOps = 8;
/// Bytes read again for those saved. As many are worth it: less is in memory at
/// a time, and others may read the same. Rows and scalars beside them are
/// little.
constexpr double kMaxShare = 1.01, kMaxKeptShare = 0.9;

} // namespace

/// Bytes of an element of a tensor.
static unsigned getElementBytes(Type type) {
  return std::max(1u,
                  cast<RankedTensorType>(type).getElementTypeBitWidth() / 8);
}

bool loop::runsThreads(KernelOp kernel) {
  target::TargetAttrInterface target = target::getProgramTarget(kernel);
  return target && target.getFact("multiprocessors");
}

/// Operations that an op counts as where it computes something.
static int64_t getWeight(Operation &op, bool runsVectors) {
  if (runsVectors)
    return getVectorInstructions(op);
  if (isa<StoreOp, IndexOp, arith::ConstantOp>(op))
    return 0;
  return loop::isHeavy(op) ? kHeavyOps : 1;
}

/// Whether an op has a value at a point alone that is not dear: no reduction or
/// scan, sum of rows, indirect read, random number or special function.
static bool isPointwise(Operation &op) {
  auto load = dyn_cast<LoadOp>(op);
  return !isReduction(&op) &&
         !isa<OverDimsOpInterface, SpecialOp, SegmentSumOp, PhiloxOp>(op) &&
         !(load && !load.getArgs().empty());
}

double loop::getBytes(Value tensor, const Hints &hints) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return hints(sym::getNumElements(type)) * getElementBytes(type);
}

bool loop::reduces(KernelOp kernel) { return !kernel.getReducedDims().empty(); }

bool loop::scatters(KernelOp kernel) {
  auto ops = kernel.getBlock()->getOps<ScatterOp>();
  return ops.begin() != ops.end();
}

bool loop::sumsRows(KernelOp kernel) {
  auto ops = kernel.getBlock()->getOps<SegmentSumOp>();
  return ops.begin() != ops.end();
}

unsigned loop::getReductionDepth(KernelOp kernel) {
  DenseMap<Value, unsigned> depth;
  unsigned deepest = 0;
  for (Operation &op : *kernel.getBlock()) {
    unsigned d = 0;
    for (Value v : op.getOperands())
      d = std::max(d, depth.lookup(v));
    d += isReduction(&op);
    deepest = std::max(deepest, d);
    for (Value v : op.getResults())
      depth[v] = d;
  }
  return deepest;
}

bool loop::isCheap(KernelOp kernel) {
  unsigned ops = 0, loads = 0;
  for (Operation &op : *kernel.getBlock()) {
    if (isHeavy(op) || isReduction(&op))
      return false;
    loads += isa<LoadOp>(op);
    ops += !isa<LoadOp, StoreOp, IndexOp, arith::ConstantOp>(op);
  }
  return ops <= kCheapOps && loads <= kCheapLoads;
}

bool loop::isTrivial(KernelOp kernel) {
  unsigned ops = 0, loads = 0;
  for (Operation &op : *kernel.getBlock()) {
    if (isHeavy(op) || isReduction(&op) || isa<math::SqrtOp, arith::DivFOp>(op))
      return false;
    if (auto load = dyn_cast<LoadOp>(op)) {
      ++loads;
      if (!load.getArgs().empty() || load.getMask())
        return false;
    }
    ops += !isa<LoadOp, StoreOp, arith::ConstantOp>(op);
  }
  return ops <= kTrivialOps && loads <= 1;
}

bool loop::isKept(OpResult result, StringRef library) {
  return !llvm::all_of(result.getUsers(), [&](Operation *user) {
    auto reader = dyn_cast<KernelOp>(user);
    return reader && reader->getBlock() == result.getOwner()->getBlock() &&
           !isLibraryKernel(reader, library);
  });
}

/// The store of another result than `result` that has `v` at every point at
/// which there is one, and is in memory for others; null if there is none.
static StoreOp findStored(KernelOp kernel, unsigned result, Value v,
                          const DimDependence &dependence) {
  for (Operation *user : v.getUsers()) {
    auto store = dyn_cast<StoreOp>(user);
    if (!store || store.getOutput() == result)
      continue;
    llvm::SmallBitVector at(kernel.getNumDims());
    bool isPlain = true;
    for (sym::ExprAttr index : store.getIndices().getDims()) {
      isPlain &= index.isDim() || index.isConstant(0);
      if (index.isDim())
        at.set(static_cast<unsigned>(index.getValue()));
    }
    llvm::SmallBitVector varies = dependence[v];
    if (isPlain && !varies.test(at) &&
        isKept(cast<OpResult>(
                   kernel.getResult(static_cast<unsigned>(store.getOutput()))),
               /*library=*/""))
      return store;
  }
  return nullptr;
}

std::optional<ResultSlice>
loop::getPointwiseSlice(KernelOp kernel, unsigned result, bool readsStored) {
  StoreOp store = kernel.getStore(result);
  if (!store)
    return std::nullopt;
  DimDependence dependence(kernel);
  DenseSet<Operation *> needed{store};
  ResultSlice slice;
  for (Operation &op : llvm::reverse(*kernel.getBlock())) {
    if (!needed.contains(&op))
      continue;
    if (readsStored && op.getNumResults() == 1 &&
        !isa<LoadOp, arith::ConstantOp>(op))
      if (StoreOp stored =
              findStored(kernel, result, op.getResult(0), dependence)) {
        slice.stored.push_back(stored);
        continue;
      }
    if (!isPointwise(op))
      return std::nullopt;
    slice.ops.push_back(&op);
    for (Value v : op.getOperands())
      if (Operation *def = v.getDefiningOp())
        needed.insert(def);
  }
  std::reverse(slice.ops.begin(), slice.ops.end());
  return slice;
}

CopyCost loop::getCopyCost(KernelOp producer, const ResultSlice &slice,
                           KernelOp consumer, const Hints &hints) {
  CopyCost cost;
  DenseSet<Value> seen(consumer.getInputs().begin(),
                       consumer.getInputs().end());
  auto read = [&](Value v) {
    if (seen.insert(v).second)
      cost.read += getBytes(v, hints);
  };
  bool runsVectors = !runsThreads(producer);
  for (Operation *op : slice.ops) {
    if (auto load = dyn_cast<LoadOp>(op))
      read(producer.getInputs()[cast<BlockArgument>(load.getSource())
                                    .getArgNumber()]);
    else
      cost.operations += getWeight(*op, runsVectors);
  }
  for (StoreOp store : slice.stored)
    read(producer.getResult(static_cast<unsigned>(store.getOutput())));
  return cost;
}

bool loop::isCheaperThanKept(KernelOp producer, unsigned number,
                             const CopyCost &cost, bool isKept,
                             const Hints &hints) {
  Value result = producer.getResult(number);
  llvm::SmallPtrSet<Operation *, 4> readers(result.user_begin(),
                                            result.user_end());
  auto n = static_cast<double>(readers.size());
  double bytes = getBytes(result, hints);
  double elementBytes = getElementBytes(result.getType());
  // Of an element: its own, or what is not moved. On GPUs fusion was measured
  // with the first alone.
  double saved = elementBytes;
  if (!isKept && !runsThreads(producer) && bytes > 0)
    saved = std::max(saved, ((n + 1) / n - cost.read / bytes) * elementBytes);
  auto opsPerByte =
      static_cast<double>(getOpsPerByte(target::getProgramTarget(producer)));
  if (static_cast<double>(cost.operations) > opsPerByte * saved)
    return false;
  // Where it stays, what is read again has to be less than what is read now.
  double most = kMaxKeptShare / kMaxShare;
  if (!isKept) {
    // Written once and read by each; the operands are read by each, in place of
    // once where nothing else needs the producer.
    bool isAlone = producer.getNumResults() == 1 && !reduces(producer);
    double times = isAlone ? n - 1 : n;
    most = times > 0 ? (n + 1) / times : cost.read;
  }
  return cost.read <= kMaxShare * most * bytes;
}

/// Of a pointwise kernel, for each point; nothing for another one.
static std::optional<int64_t> countOperations(KernelOp kernel) {
  int64_t operations = 0;
  bool runsVectors = !runsThreads(kernel);
  for (Operation &op : *kernel.getBlock()) {
    if (!isPointwise(op))
      return std::nullopt;
    operations += getWeight(op, runsVectors);
  }
  return operations;
}

bool loop::isCheaperForReaders(KernelOp producer, const Hints &hints) {
  std::optional<int64_t> operations = countOperations(producer);
  if (!operations)
    return false;
  double points = 1;
  for (sym::ExprAttr extent : producer.getDims().getDims())
    points *= hints(extent);
  double read = 0;
  for (Value input : producer.getInputs())
    read += getBytes(input, hints);
  Value result = producer.getResult(0);
  auto readers = static_cast<double>(llvm::range_size(result.getUses()));
  auto opsPerByte =
      static_cast<double>(getOpsPerByte(target::getProgramTarget(producer)));
  // Written once and read by each; or the operands are, and each computes.
  return (readers - 1) * read +
             readers * points * static_cast<double>(*operations) / opsPerByte <=
         (readers + 1) * getBytes(result, hints);
}

bool loop::isFasterThanMemory(KernelOp producer, double repeats) {
  std::optional<int64_t> operations = countOperations(producer);
  if (!operations)
    return false;
  int64_t bytes = 0;
  for (Type type : producer->getResultTypes())
    bytes += getElementBytes(type);
  int64_t opsPerByte = getOpsPerByte(target::getProgramTarget(producer));
  return static_cast<double>(*operations) * repeats <=
         static_cast<double>(2 * opsPerByte * bytes);
}
