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
#include "coil/Dialect/Loop/Analysis/Clusters.h"
#include "coil/Dialect/Loop/Analysis/Contraction.h"
#include "coil/Dialect/Loop/Analysis/OnlineSum.h"
#include "coil/Dialect/Loop/Analysis/Phases.h"
#include "coil/Dialect/Loop/Analysis/VectorCost.h"
#include "coil/Dialect/Loop/IR/RowOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/SetVector.h"

#include <cmath>

using namespace mlir;
using namespace coil;
using namespace coil::loop;

namespace {

/// A producer this small is recomputed rather than kept for several readers.
constexpr unsigned kCheapOps = 10, kCheapLoads = 2;
/// A producer this small is recomputed any number of times.
constexpr unsigned kTrivialOps = 2;
/// Readers of a result that are looked at: of more, all are like these.
constexpr size_t kMaxReaders = 8;
/// Bytes read again for those saved. As many are worth it: less is in memory at
/// a time, and others may read the same. Rows and scalars beside them are
/// little.
constexpr double kMaxShare = 1.01, kMaxKeptShare = 0.9;
/// What a block alone computes of what its multiprocessor could (an H200: rows
/// of 21,346 to 54,936 elements and 15 to 78 operations for each, 0.3 to 0.8 of
/// it), and the launches that chunks add to each reduction.
constexpr double kBlockRate = 0.4, kChunkLaunches = 2;
/// How many times its part of the memory's bandwidth a block alone draws (an
/// H200: 49 blocks of 399,168 f32 and their results, 156 MB, take 72 us, 2.0
/// TB/s, 1.3 of their part).
constexpr double kBlockBandwidth = 1.3;

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

int64_t loop::getWeight(Operation &op, bool runsVectors) {
  return runsVectors ? getVectorInstructions(op) : getThreadInstructions(op);
}

KernelWork loop::getWork(KernelOp kernel, const Hints &hints) {
  KernelWork work;
  for (ValueRange values :
       {ValueRange(kernel.getInputs()), ValueRange(kernel.getResults())})
    for (Value v : values)
      work.bytes += getBytes(v, hints);
  DimDependence dependence(kernel);
  bool runsVectors = !runsThreads(kernel);
  SmallVector<double> extents;
  for (sym::ExprAttr extent : kernel.getDims().getDims())
    extents.push_back(hints(extent));
  for (Operation &op : *kernel.getBlock()) {
    int64_t weight = getWeight(op, runsVectors);
    if (weight == 0)
      continue;
    // A reduction combines as many values as its operand has.
    Value value = isReduction(&op)         ? op.getOperand(0)
                  : op.getNumResults() > 0 ? Value(op.getResult(0))
                                           : Value();
    double points = 1;
    if (value)
      for (unsigned d : dependence[value].set_bits())
        points *= extents[d];
    work.operations += static_cast<double>(weight) * points;
  }
  return work;
}

double loop::getTimeInBytes(const KernelWork &work,
                            target::TargetAttrInterface target) {
  return std::max(work.bytes, work.operations /
                                  static_cast<double>(getOpsPerByte(target))) +
         getLaunchBytes(target);
}

/// Kernels that are looked at behind one.
static constexpr size_t kMaxFollowing = 16;

/// How many of the kernels `first` and `second`, which may be none, and those
/// behind them reduce rows of the same length: each would run in chunks, too.
static double countReductions(KernelOp first, KernelOp second,
                              const Hints &hints) {
  llvm::SetVector<Operation *> found;
  found.insert(first);
  if (second)
    found.insert(second);
  double elements = getReductionSize(first, hints).elements, count = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    auto kernel = cast<KernelOp>(found[i]);
    if (reduces(kernel) && getReductionSize(kernel, hints).elements == elements)
      for (Operation &op : *kernel.getBlock())
        count += isReduction(&op);
    for (Operation *user : kernel->getUsers())
      if (isa<KernelOp>(user) && found.size() < kMaxFollowing)
        found.insert(user);
  }
  return std::max(count, 1.0);
}

bool loop::leavesIdle(KernelOp kernel, KernelOp other, const Hints &hints) {
  target::TargetAttrInterface target = target::getProgramTarget(kernel);
  ReductionCounts counts = getReductionCounts(target);
  double pieces = getReductionSize(kernel, hints).results;
  if (!counts.hasBlocks || !reduces(kernel) || kernel.isSequential())
    return false;
  if (pieces > 1 && sharesRows(kernel))
    pieces = std::ceil(pieces / static_cast<double>(counts.rowPiece));
  pieces = std::max(1.0, pieces * getSharingBlocks(kernel, other, hints));
  auto processors =
      static_cast<double>(target.getFact("multiprocessors").value_or(1));
  KernelWork work = getWork(kernel, hints);
  double launches = 1;
  if (other) {
    KernelWork more = getWork(other, hints);
    work.operations += more.operations;
    work.bytes += more.bytes;
    launches = countReductions(kernel, other, hints);
  }
  // All wait for the multiprocessors that have one block more than others,
  // unless memory takes as long.
  double operations =
      work.operations / static_cast<double>(getOpsPerByte(target));
  double blocks = std::ceil(pieces / processors);
  double time = operations * blocks * processors / pieces;
  if (blocks == 1)
    time = std::max(time / kBlockRate,
                    work.bytes * processors / (pieces * kBlockBandwidth));
  return time - std::max(operations, work.bytes) >
         launches * kChunkLaunches * getLaunchBytes(target);
}

/// How many times as many or as few chunks as are wanted may be cut for all of
/// them to have one length: half as many keep a device as busy but for its
/// latency, a quarter half as busy, and many small ones cost what combines
/// them.
static constexpr double kMaxUneven = 4;

/// Elements of a chunk that stores them, and how many times as many chunks
/// there may be for that. Blocks that write rows which are far apart leave
/// sectors half written (long/20261511/1 of random_kernels.py on an H200: 512
/// blocks of 6496 rows of 244 bytes that write three tensors take 1.9 ms for 2
/// GB).
static constexpr double kStoredRow = 4096, kStoredColumn = 256, kMostShort = 8;

double loop::getPieceCost(KernelOp kernel, const Hints &hints, unsigned dim,
                          double chunks, int64_t vectorDim) {
  if (static_cast<int64_t>(dim) != vectorDim)
    return 1;
  double sector = 1;
  for (Value v : kernel.getInputs())
    sector = std::max(sector, kMemorySector / getElementBytes(v.getType()));
  return 1 + sector * chunks / hints(kernel.getExtent(dim));
}

std::optional<EvenCut> loop::findEvenCut(KernelOp kernel, const Hints &hints,
                                         double parts, double shortest,
                                         int64_t vectorDim, bool stores) {
  SmallVector<unsigned> reduced = kernel.getReducedDims();
  bool isRow = vectorDim >= 0 &&
               llvm::is_contained(reduced, static_cast<unsigned>(vectorDim));
  double elements = getReductionSize(kernel, hints).elements, wanted = parts;
  if (stores)
    wanted = std::clamp(elements / (isRow ? kStoredRow : kStoredColumn), parts,
                        kMostShort * parts);
  int64_t widest = 1, access = getAccessBytes(
                          getReductionCounts(target::getProgramTarget(kernel)));
  for (Value v : kernel.getInputs())
    widest = std::max<int64_t>(widest, access / getElementBytes(v.getType()));
  std::optional<EvenCut> best;
  for (unsigned d : reduced) {
    std::optional<int64_t> extent = kernel.getExtent(d).getConstant();
    if (!extent)
      continue;
    auto length = static_cast<double>(*extent);
    auto most = static_cast<int64_t>(
        std::min({wanted * kMaxUneven, length, elements / shortest}));
    int64_t step = 1;
    while (static_cast<int64_t>(d) == vectorDim && step < widest &&
           *extent % (2 * step) == 0)
      step *= 2;
    for (int64_t n = 2; n <= most; ++n) {
      auto count = static_cast<double>(n);
      if (*extent % n != 0 || *extent / n % step != 0 ||
          count * kMaxUneven < parts)
        continue;
      double cost = std::max(count / wanted, wanted / count) *
                    getPieceCost(kernel, hints, d, count, vectorDim);
      if (!best || cost < best->cost)
        best = EvenCut{d, n, cost};
    }
  }
  return best;
}

bool loop::storesInChunks(KernelOp kernel, const Hints &hints) {
  double results = getReductionSize(kernel, hints).results;
  WantedChunks wanted = getWantedChunks(
      getReductionCounts(target::getProgramTarget(kernel)), results,
      results >= kMinResultsInRows && sharesRows(kernel));
  sym::Context context = sym::Context::forOp(kernel);
  context.setDimExtents(kernel.getDims().getDims());
  return findEvenCut(kernel, hints, static_cast<double>(wanted.parts),
                     wanted.shortest,
                     selectVectorDim(kernel, DimDependence(kernel), context),
                     /*stores=*/true)
      .has_value();
}

bool loop::isPointwise(Operation &op) {
  auto load = dyn_cast<LoadOp>(op);
  return !isReduction(&op) &&
         !isa<OverDimsOpInterface, SpecialOp, SegmentSumOp, PhiloxOp>(op) &&
         !(load && !load.getArgs().empty());
}

double loop::getBytes(Value tensor, const Hints &hints) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return hints(sym::getNumElements(type)) * getElementBytes(type);
}

ReductionSize loop::getReductionSize(KernelOp kernel, const Hints &hints) {
  SmallVector<unsigned> reduced = kernel.getReducedDims();
  ReductionSize size;
  for (unsigned d = 0; d < kernel.getNumDims(); ++d)
    (llvm::is_contained(reduced, d) ? size.elements : size.results) *=
        hints(kernel.getExtent(d));
  return size;
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

/// For each value of a kernel, the longest chain of reductions that it needs.
static DenseMap<Value, unsigned> getReductionDepths(KernelOp kernel) {
  DenseMap<Value, unsigned> depth;
  for (Operation &op : *kernel.getBlock()) {
    unsigned d = 0;
    for (Value v : op.getOperands())
      d = std::max(d, depth.lookup(v));
    d += isReduction(&op);
    for (Value v : op.getResults())
      depth[v] = d;
  }
  return depth;
}

double loop::getSharingBlocks(KernelOp kernel, KernelOp other,
                              const Hints &hints) {
  ReductionCounts counts = getReductionCounts(target::getProgramTarget(kernel));
  SmallVector<unsigned> reduced = kernel.getReducedDims();
  if (counts.sharingBlocks == 1 || reduced.empty() || kernel.isSequential() ||
      !kernel.getColumnDims().empty())
    return 1;
  // Rows of which processors would have none, and those that are needed again
  // and that no block keeps alone.
  ReductionSize size = getReductionSize(kernel, hints);
  bool areFew = 2 * size.results <= static_cast<double>(counts.processors) &&
                size.elements >= static_cast<double>(2 * kLeastPart);
  auto isNeededAgain = [&] {
    DenseMap<Value, unsigned> depths = getReductionDepths(kernel);
    return llvm::any_of(getStoresOfRows(kernel), [&](StoreOp store) {
      return depths.lookup(store.getValue()) > 0;
    });
  };
  if (!areFew && (size.elements <= static_cast<double>(kBlockRow) ||
                  (!other && !isNeededAgain())))
    return 1;
  DimDependence dependence(kernel);
  // What blocks keep of a row has room whatever its length turns out to be.
  sym::Context context = sym::Context::forOp(kernel);
  context.setDimExtents(kernel.getDims().getDims());
  sym::ExprAttr elements = sym::constant(kernel.getContext(), 1);
  for (unsigned d : reduced)
    elements = sym::mul(elements, kernel.getExtent(d));
  int64_t vectorDim = selectVectorDim(kernel, dependence, context);
  if (vectorDim < 0 ||
      !llvm::is_contained(reduced, static_cast<unsigned>(vectorDim)))
    return 1;
  int64_t bytes = 0;
  for (auto load : kernel.getBlock()->getOps<LoadOp>())
    if (dependence[load.getResult()][static_cast<size_t>(vectorDim)])
      bytes += getElementBytes(load.getSource().getType());
  // Runs of odd lengths, one after the other, are loaded element by element,
  // and shared memory takes vectors.
  bool hasVectors =
      reduced.size() == 1 ||
      context
          .simplify(sym::mod(kernel.getExtent(static_cast<unsigned>(vectorDim)),
                             sym::constant(kernel.getContext(), 2)))
          .isConstant(0);
  int64_t part =
      hasVectors ? getKeptPart(counts.sharedBytes, bytes) : kBlockRow;
  if (context.bounds(elements).hi > counts.sharingBlocks * part)
    return 1;
  return static_cast<double>(counts.sharingBlocks);
}

unsigned loop::getReductionDepth(KernelOp kernel) {
  unsigned deepest = 0;
  for (auto [value, depth] : getReductionDepths(kernel))
    deepest = std::max(deepest, depth);
  return deepest;
}

unsigned loop::getReductionDepth(KernelOp kernel, unsigned result) {
  StoreOp store = kernel.getStore(result);
  return store ? getReductionDepths(kernel).lookup(store.getValue())
               : getReductionDepth(kernel);
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

bool loop::storesEach(StoreOp store, const DimDependence &dependence) {
  llvm::SmallBitVector varies = dependence[store.getValue()];
  for (sym::ExprAttr index : store.getIndices().getDims()) {
    if (index.isDim())
      varies.reset(static_cast<unsigned>(index.getValue()));
    else if (!index.isConstant(0))
      return false;
  }
  return varies.none();
}

/// The store of another result than `result` that has `v` at every point at
/// which there is one, and is in memory for others or for `consumer`; null if
/// there is none.
static StoreOp findStored(KernelOp kernel, unsigned result, Value v,
                          KernelOp consumer, const DimDependence &dependence) {
  for (Operation *user : v.getUsers()) {
    auto store = dyn_cast<StoreOp>(user);
    if (!store || store.getOutput() == result)
      continue;
    auto stored = cast<OpResult>(
        kernel.getResult(static_cast<unsigned>(store.getOutput())));
    if (storesEach(store, dependence) &&
        (isKept(stored, /*library=*/"") ||
         (consumer && llvm::is_contained(consumer.getInputs(), stored))))
      return store;
  }
  return nullptr;
}

namespace {
/// What reductions give for each row of a kernel.
struct RowValues {
  explicit RowValues(KernelOp kernel)
      : kernel(kernel), dependence(kernel), outer(kernel.getNumDims(), true) {
    for (unsigned d : kernel.getReducedDims())
      outer.reset(d);
    for (unsigned d = 0; d < kernel.getNumDims(); ++d)
      if (kernel.getExtent(d).isConstant(1))
        outer.reset(d);
    for (Operation &op : *kernel.getBlock())
      if (isReduction(&op) || llvm::any_of(op.getOperands(), [&](Value v) {
            return v.getDefiningOp() && after.contains(v.getDefiningOp());
          }))
        after.insert(&op);
  }

  /// Whether `v` needs a reduction, and has one value for each row.
  bool contains(Value v) const {
    if (!after.contains(v.getDefiningOp()) ||
        !isa<IntegerType, FloatType>(v.getType()))
      return false;
    llvm::SmallBitVector varies = dependence[v];
    for (unsigned d : kernel.getReducedDims())
      if (varies[d])
        return false;
    // Elsewhere it would be stored more than once.
    return !outer.test(varies);
  }

  /// The store of another result that has `v` for each row.
  StoreOp findStore(Value v, unsigned result) const {
    for (Operation *user : v.getUsers()) {
      auto store = dyn_cast<StoreOp>(user);
      if (store && store.getOutput() != result &&
          llvm::all_of(store.getIndices().getDims(), [](sym::ExprAttr index) {
            return index.isDim() || index.isConstant(0);
          }))
        return store;
    }
    return nullptr;
  }

  mutable KernelOp kernel;
  DimDependence dependence;
  /// The dimensions of which there are several rows.
  llvm::SmallBitVector outer;
  /// Ops that need a reduction.
  DenseSet<Operation *> after;
};
} // namespace

std::optional<ResultSlice>
loop::getPointwiseSlice(KernelOp kernel, unsigned result, bool readsStored,
                        KernelOp consumer, bool storesRows) {
  StoreOp store = kernel.getStore(result);
  if (!store)
    return std::nullopt;
  DimDependence dependence(kernel);
  std::optional<RowValues> rows;
  if (storesRows) {
    rows.emplace(kernel);
    // It is in memory for each row as it is.
    if (rows->contains(store.getValue()))
      return std::nullopt;
  }
  DenseSet<Operation *> needed{store};
  DenseSet<Value> read;
  ResultSlice slice;
  for (Operation &op : llvm::reverse(*kernel.getBlock())) {
    if (!needed.contains(&op))
      continue;
    if (rows && !isa<StoreOp>(op) && rows->after.contains(&op)) {
      SmallVector<Value> values;
      for (Value v : op.getResults())
        if (read.contains(v))
          values.push_back(v);
      if (llvm::all_of(values, [&](Value v) { return rows->contains(v); })) {
        for (Value v : values) {
          if (StoreOp stored = rows->findStore(v, result))
            slice.stored.push_back(stored);
          else
            slice.rows.push_back(v);
        }
        continue;
      }
    }
    if (readsStored && op.getNumResults() == 1 &&
        !isa<LoadOp, arith::ConstantOp>(op))
      if (StoreOp stored = findStored(kernel, result, op.getResult(0), consumer,
                                      dependence)) {
        slice.stored.push_back(stored);
        continue;
      }
    if (!isPointwise(op))
      return std::nullopt;
    slice.ops.push_back(&op);
    for (Value v : op.getOperands()) {
      read.insert(v);
      if (Operation *def = v.getDefiningOp())
        needed.insert(def);
    }
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
  double rows = 1;
  for (unsigned d = 0; d < producer.getNumDims(); ++d)
    if (!llvm::is_contained(producer.getReducedDims(), d))
      rows *= hints(producer.getExtent(d));
  for (Value v : slice.rows)
    cost.read += rows * std::max(1u, v.getType().getIntOrFloatBitWidth() / 8);
  return cost;
}

/// The points at which a kernel would compute a result that it reads: one for
/// each place that it reads at, and each point that the place varies over.
static double countReads(KernelOp reader, Value result, const Hints &hints) {
  DimDependence dependence(reader);
  double reads = 0;
  for (auto load : reader.getBlock()->getOps<LoadOp>()) {
    auto argument = dyn_cast<BlockArgument>(load.getSource());
    if (!argument || reader.getInputs()[argument.getArgNumber()] != result)
      continue;
    double points = 1;
    for (unsigned d : dependence[load.getResult()].set_bits())
      points *= hints(reader.getExtent(d));
    reads += points;
  }
  return reads;
}

/// Whether the kernels of a program of threads take less time where the readers
/// of a result compute it by `slice` than where it is in memory: all of them,
/// or `consumer` alone where it `isKept` for others.
static bool isFasterByReaders(KernelOp producer, unsigned number,
                              const ResultSlice &slice, KernelOp consumer,
                              bool isKept, const Hints &hints) {
  target::TargetAttrInterface target = target::getProgramTarget(producer);
  Value result = producer.getResult(number);
  double bytes = getBytes(result, hints);
  double before = 0, after = 0;
  llvm::SmallSetVector<Operation *, kMaxReaders> readers;
  if (isKept) {
    readers.insert(consumer);
  } else {
    readers.insert_range(result.getUsers());
    KernelWork work = getWork(producer, hints);
    before += getTimeInBytes(work, target);
    // What makes other results, too, only does not store this one.
    if (producer.getNumResults() > 1 || reduces(producer)) {
      work.bytes -= bytes;
      after += getTimeInBytes(work, target);
    }
  }
  size_t seen = std::min(readers.size(), kMaxReaders);
  double times =
      static_cast<double>(readers.size()) / static_cast<double>(seen);
  for (Operation *op : readers.getArrayRef().take_front(seen)) {
    auto reader = cast<KernelOp>(op);
    KernelWork work = getWork(reader, hints);
    before += times * getTimeInBytes(work, target);
    CopyCost cost = getCopyCost(producer, slice, reader, hints);
    work.bytes += cost.read - bytes;
    work.operations += static_cast<double>(cost.operations) *
                       countReads(reader, result, hints);
    after += times * getTimeInBytes(work, target);
  }
  return after <= before;
}

bool loop::isCheaperThanKept(KernelOp producer, unsigned number,
                             const ResultSlice &slice, KernelOp consumer,
                             const CopyCost &cost, bool isKept,
                             const Hints &hints) {
  if (runsThreads(producer))
    return isFasterByReaders(producer, number, slice, consumer, isKept, hints);
  Value result = producer.getResult(number);
  llvm::SmallPtrSet<Operation *, 4> readers(result.user_begin(),
                                            result.user_end());
  auto n = static_cast<double>(readers.size());
  double bytes = getBytes(result, hints);
  double elementBytes = getElementBytes(result.getType());
  // Of an element: its own, or what is not moved.
  double saved = elementBytes;
  if (!isKept && bytes > 0)
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
  if (runsThreads(producer)) {
    std::optional<ResultSlice> slice =
        getPointwiseSlice(producer, 0, /*readsStored=*/false, KernelOp());
    return slice && isFasterByReaders(producer, 0, *slice, /*consumer=*/nullptr,
                                      /*isKept=*/false, hints);
  }
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

bool loop::isFasterThanMemory(KernelOp producer, KernelOp consumer,
                              double repeats, const Hints &hints) {
  std::optional<int64_t> operations = countOperations(producer);
  if (!operations)
    return false;
  target::TargetAttrInterface target = target::getProgramTarget(producer);
  if (runsThreads(producer)) {
    KernelWork first = getWork(producer, hints),
               second = getWork(consumer, hints);
    double before = getTimeInBytes(second, target);
    if (llvm::all_of(producer->getUsers(),
                     [&](Operation *user) { return user == consumer; }))
      before += getTimeInBytes(first, target);
    second.operations += repeats * first.operations;
    for (Value result : producer.getResults())
      if (llvm::is_contained(consumer.getInputs(), result))
        second.bytes -= getBytes(result, hints);
    for (Value input : producer.getInputs())
      if (!llvm::is_contained(consumer.getInputs(), input))
        second.bytes += getBytes(input, hints);
    return getTimeInBytes(second, target) <= before;
  }
  int64_t bytes = 0;
  for (Type type : producer->getResultTypes())
    bytes += getElementBytes(type);
  int64_t opsPerByte = getOpsPerByte(target);
  return static_cast<double>(*operations) * repeats <=
         static_cast<double>(2 * opsPerByte * bytes);
}
