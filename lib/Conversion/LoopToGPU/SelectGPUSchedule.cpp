//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `loop-select-gpu-schedule`.
//
//===----------------------------------------------------------------------===//

#include "GPUScheduleSelector.h"

#include "SelectMma.h"
#include "StagedColumns.h"
#include "coil/Conversion/LoopToGPU/LoopToGPU.h"
#include "coil/Conversion/Utils/CodeTarget.h"
#include "coil/Dialect/Loop/Analysis/InPlace.h"
#include "coil/Dialect/Loop/Analysis/OnlineSum.h"
#include "coil/Dialect/Loop/Analysis/VectorCost.h"
#include "coil/Dialect/Loop/IR/RowOps.h"
#include "coil/Dialect/Loop/Transforms/ScheduleStrategy.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

namespace coil {
#define GEN_PASS_DEF_LOOPSELECTGPUSCHEDULEPASS
#include "coil/Conversion/Passes.h.inc"
} // namespace coil

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

/// Shared memory of a block that leaves room for others.
static constexpr double kSharedBytes = 32 * 1024;
/// Points of two dimensions that are worth a tile of their own.
static constexpr double kMinTranspose = 1024;
/// A strided access costs about this many contiguous ones.
static constexpr double kStridedPenalty = 4;
/// Vectors of a row that are worth to cut it at aligned addresses: what is cut
/// off takes instructions of its own (schedule_regret.py on an H100: rows of 32
/// to 320 vectors 1.3 to 3.3 times as fast uncut, from 690 on none).
static constexpr int64_t kMinShifted = 512;

/// Functions that a vector computes from which on a thread has one of them
/// (coil-tune on an H200: two tanh and an exponential of 4 elements 1.28 times
/// as fast).
static constexpr int64_t kLongChain = 12;
/// Loads of one operand that a thread has under way: more are a stencil's, of
/// elements that are in the L1 cache. Its points in each thread, in vectors and
/// where these are of one element (1,670 schedules of random_kernels.py, seeds
/// 20261209 and 20261211, on an H200: seven loads at 8 points a thread 1.23
/// times as fast as at 2, five of rows of 1021 bf16 at 2 points 1.3 times as
/// fast as at one, of which a block ends before the next one can begin).
static constexpr int64_t kLoadsTogether = 8, kStencilPoints = 8,
                         kUnalignedPoints = 2;
/// Vectors of a thread along `p` where it has none along `r`, at most.
static constexpr int64_t kMaxItems = 4;
/// Threads of a multiprocessor that are worth more than vectors where points
/// are few: two warps for each of its schedulers (an H200: tanh and a quotient
/// of 24,573 elements of f16 in 1.5 us, in vectors of 8 in 2.25).
static constexpr int64_t kThreadsOfFewPoints = 256;
/// Instructions of a loop that reads a row or column, at most: half of what a
/// cache of 128 KB holds, of 16 bytes each (an H200: four sums of f64 functions
/// of 16 elements at a time 5.4 ms for 0.6 GB).
static constexpr int64_t kMaxStepInstructions = 4096;
/// What is taken for the length of a row or column that may have any: its bytes
/// are a number of 64 bits, too.
static constexpr int64_t kMostR = int64_t(1) << 40;
/// What a count of places may be beyond their number.
static constexpr int64_t kPlaceRoom = 1024;

bool loop::needsOrder(KernelOp kernel) {
  return llvm::any_of(kernel.getBlock()->getOps<ScatterOp>(),
                      [](ScatterOp scatter) {
                        return !scatter.getKind() ||
                               isa<FloatType>(scatter.getValue().getType());
                      });
}

void Selector::collectAccesses() {
  DimDependence dependence(kernel);
  for (Operation &op : *kernel.getBlock()) {
    llvm::SmallBitVector over;
    Type scalar;
    scans |= isa<ScanOp, ArgScanOp>(op);
    reduces |= isReduction(&op);
    if (auto load = dyn_cast<LoadOp>(op)) {
      over = dependence[load.getResult()];
      scalar = load.getType();
    } else if (auto store = dyn_cast<StoreOp>(op)) {
      over = dependence.of(store.getIndices().getDims());
      scalar = store.getValue().getType();
    } else if (auto scatter = dyn_cast<ScatterOp>(op)) {
      over.resize(kernel.getNumDims(), true);
      scalar = scatter.getValue().getType();
      scatters = true;
    } else if (auto sum = dyn_cast<SegmentSumOp>(op)) {
      over = dependence.of(sum.getIndices().getDims());
      scalar =
          cast<RankedTensorType>(sum.getSource().getType()).getElementType();
      sumsRows = true;
    } else {
      continue;
    }
    Access a;
    a.op = &op;
    a.bytes = std::max(1u, scalar.getIntOrFloatBitWidth() / 8);
    a.elements = 1;
    // All ranges together are about as long as there are places.
    if (auto sum = dyn_cast<SegmentSumOp>(op))
      a.elements = hints(sum.getNumPlaces());
    for (unsigned d : over.set_bits())
      a.elements *= hints(kernel.getExtent(d));
    // Points of one dimension for several share elements.
    if (auto load = dyn_cast<LoadOp>(op); load && load.getArgs().empty())
      a.elements =
          std::min(a.elements, hints(sym::getNumElements(cast<RankedTensorType>(
                                   load.getSource().getType()))));
    mostElements = std::max(mostElements, a.elements);
    accesses.push_back(a);
  }
  // What only few points access decides nothing.
  for (const Access &a : accesses)
    if (isLarge(a))
      widest = std::max(widest, a.bytes);
}

/// What lanes apart from each other cost more than neighbours: those a few
/// elements apart share what memory gives at a time.
static double getStridedPenalty(const LaneAddress &address) {
  if (!address.step || !address.step.isConstant())
    return kStridedPenalty;
  return std::min(kStridedPenalty,
                  std::abs(static_cast<double>(address.step.getValue())) / 2);
}

int64_t Selector::selectDim() const {
  int64_t result = -1;
  double best = 0;
  for (unsigned d = 0; d < kernel.getNumDims(); ++d) {
    // Neighbours along a column would be threads of different rows.
    if (kernel.getExtent(d).isConstant(1) || (ordered && reduced[d]) ||
        (accumulates && !reduced[d]))
      continue;
    VectorForm form(kernel, layout, d, 2);
    double score = 0;
    for (const Access &a : accesses) {
      double weight = a.elements * static_cast<double>(a.bytes);
      if (form.isStrided(a.op))
        score -= getStridedPenalty(form.getAddress(a.op)) * weight;
      else if (form.isContiguous(a.op))
        score += weight;
    }
    // Neighbours along a very short dimension are too few for a warp.
    if (hints(kernel.getExtent(d)) < 8)
      score *= score > 0 ? 0.5 : 2;
    // Between equals the inner one.
    if (result < 0 || score >= best) {
      best = score;
      result = d;
    }
  }
  return result;
}

bool Selector::isStaged(const Access &a) const {
  return transposeDim >= 0 &&
         VectorForm(kernel, layout, dim, 2).isStrided(a.op) &&
         VectorForm(kernel, layout, transposeDim, 2).isContiguous(a.op);
}

int64_t Selector::selectTransposeDim() const {
  if (reduced.any() || scatters || sumsRows || dim < 0)
    return -1;
  VectorForm along(kernel, layout, dim, 2);
  double most = 0;
  int64_t result = -1;
  for (unsigned d = 0; d < kernel.getNumDims(); ++d) {
    double tile = hints(kernel.getExtent(d)) *
                  hints(kernel.getExtent(static_cast<unsigned>(dim)));
    if (static_cast<int64_t>(d) == dim || tile < kMinTranspose)
      continue;
    VectorForm across(kernel, layout, d, 2);
    double weight = 0, tileBytes = 0;
    for (const Access &a : accesses) {
      if (!along.isStrided(a.op) || !across.isContiguous(a.op))
        continue;
      tileBytes += static_cast<double>(a.bytes);
      if (isLarge(a))
        weight += a.elements * static_cast<double>(a.bytes);
    }
    if (weight > most && tileBytes * kMinTranspose <= kSharedBytes) {
      most = weight;
      result = d;
    }
  }
  return result;
}

int64_t Selector::selectWidth(int64_t d) const {
  if (d < 0)
    return 1;
  unsigned others = 0;
  for (unsigned i = 0; i < kernel.getNumDims(); ++i)
    others += static_cast<int64_t>(i) != d && reduced[i] == isReduced(d) &&
              !kernel.getExtent(i).isConstant(1);
  double extent = hints(kernel.getExtent(static_cast<unsigned>(d)));
  int64_t longest = 1;
  for (int64_t w = std::max<int64_t>(1, kAccessBytes / widest); w > 1; w /= 2) {
    VectorForm form(kernel, layout, d, w);
    // One vector of all may be cut off, or of each row of many.
    bool isCut = !form.isExact() && others > 0;
    if ((isCut &&
         (isReduced(d) || extent < static_cast<double>(kMinCut * w))) ||
        extent < static_cast<double>(w))
      continue;
    double aligned = 0, rest = 0;
    for (const Access &a : accesses) {
      if (!isLarge(a) || isStaged(a))
        continue;
      LaneAddress address = form.getAddress(a.op);
      if (address.isUniform())
        continue;
      bool good = address.isContiguous() &&
                  (address.alignment == w || canShift(a, address, d, w));
      (good ? aligned : rest) += a.elements * static_cast<double>(a.bytes);
    }
    if (aligned == 0 || (isCut ? rest > 0 : aligned < rest))
      continue;
    // Longer than the rows that it goes across, a vector would compute the
    // address of each lane.
    bool isTooLong = llvm::any_of(accesses, [&](const Access &a) {
      LaneAddress address = form.getAddress(a.op);
      auto load = dyn_cast<LoadOp>(a.op);
      return load && load.getArgs().empty() && !address.step && !address.pieces;
    });
    if (!isTooLong)
      return w;
    longest = std::max(longest, w);
  }
  return longest;
}

bool Selector::canShift(const Access &a, const LaneAddress &address, int64_t d,
                        int64_t w) const {
  // Rows that are reduced have cut vectors of their own.
  auto load = dyn_cast<LoadOp>(a.op);
  return load && !isReduced(d) && !load.getMask() && load.getArgs().empty() &&
         isShifted(w, a.bytes, address.alignment);
}

void Selector::selectAlignment() {
  int64_t most = kAccessBytes / widest;
  if (!isReduced(dim) || width >= most || scatters || kernel.isSequential() ||
      hints(kernel.getExtent(static_cast<unsigned>(dim))) <
          static_cast<double>(kMinShifted * most) ||
      !isOnlyReduced())
    return;
  for (const Access &reference : accesses) {
    if (!isLarge(reference))
      continue;
    int64_t buffer;
    if (auto load = dyn_cast<LoadOp>(reference.op))
      buffer = cast<BlockArgument>(load.getSource()).getArgNumber();
    else
      buffer = static_cast<int64_t>(kernel.getInputs().size()) +
               static_cast<int64_t>(cast<StoreOp>(reference.op).getOutput());
    VectorForm form(kernel, layout, dim, most, buffer);
    if (!form.getShift())
      continue;
    double aligned = 0, rest = 0;
    for (const Access &a : accesses) {
      if (!isLarge(a))
        continue;
      LaneAddress address = form.getAddress(a.op);
      if (address.isUniform())
        continue;
      bool good = address.isContiguous() && address.alignment == most;
      (good ? aligned : rest) += a.elements * static_cast<double>(a.bytes);
    }
    if (aligned <= rest)
      continue;
    width = most;
    alignTo = buffer;
    return;
  }
}

int64_t Selector::selectIndexBits() const {
  VectorForm form(kernel, layout, dim, width, alignTo);
  const sym::Context &context = form.getContext();
  MLIRContext *ctx = kernel.getContext();
  // Room for the last block, which may reach over the end.
  ExprAttr room = sym::constant(ctx, int64_t(1) << 24);
  ExprAttr totals[2] = {room, room};
  ExprAttr product[2] = {sym::constant(ctx, 1), sym::constant(ctx, 1)};
  for (unsigned d = 0; d < kernel.getNumDims(); ++d) {
    ExprAttr &p = product[reduced[d]];
    p = sym::mul(p, context.getDimExtents()[d]);
    if (!fits32(context, kernel.getExtent(d)))
      return 64;
  }
  for (unsigned i = 0; i < 2; ++i)
    if (!fits32(context, sym::add(product[i], totals[i])))
      return 64;
  for (AccumulateOp op : kernel.getBlock()->getOps<AccumulateOp>())
    if (!fits32(context, form.getAddress(op).full))
      return 64;
  for (const Access &a : accesses) {
    LaneAddress address = form.getAddress(a.op);
    // An indirect index was checked: it is inside of the buffer.
    ExprAttr direct =
        sym::substitute(address.full, [&](ExprAttr leaf) -> ExprAttr {
          return leaf.getKind() == sym::ExprKind::Arg ? sym::constant(ctx, 0)
                                                      : ExprAttr();
        });
    if (!fits32(context, direct))
      return 64;
    size_t number = 0;
    Value tensor;
    if (auto load = dyn_cast<LoadOp>(a.op); load && !load.getArgs().empty()) {
      tensor = load.getSource();
      number = cast<BlockArgument>(tensor).getArgNumber();
    } else if (auto sum = dyn_cast<SegmentSumOp>(a.op)) {
      tensor = sum.getSource();
      number = cast<BlockArgument>(tensor).getArgNumber();
      // Places are counted in the same bits, and so is where positions are.
      ExprAttr places = sum.getNumPlaces(), end = places;
      if (sum.getPositions())
        end = sym::mul(places,
                       layout.strides[cast<BlockArgument>(sum.getPositions())
                                          .getArgNumber()][0]);
      if (!fits32(context, sym::add(places, kPlaceRoom)) ||
          !fits32(context, end))
        return 64;
    } else if (auto scatter = dyn_cast<ScatterOp>(a.op)) {
      tensor = scatter.getTarget();
      number =
          kernel.getInputs().size() + static_cast<size_t>(scatter.getOutput());
    } else {
      continue;
    }
    ExprAttr last = sym::constant(ctx, 0);
    for (auto [size, stride] : llvm::zip_equal(
             sym::getSizes(cast<RankedTensorType>(tensor.getType())),
             layout.strides[number]))
      last = sym::add(last, sym::mul(size, stride));
    if (!fits32(context, last))
      return 64;
  }
  return 32;
}

bool Selector::gathers() const {
  DimDependence dependence(kernel);
  return llvm::any_of(accesses, [&](const Access &a) {
    auto load = dyn_cast<LoadOp>(a.op);
    return load && !load.getArgs().empty() &&
           dependence[load.getResult()].anyCommon(reduced);
  });
}

bool Selector::hasOnlineSums() const {
  return llvm::any_of(kernel.getBlock()->getOps<ReduceOp>(),
                      [](ReduceOp reduce) { return getOnlineMax(reduce); });
}

void Selector::narrowFewPoints() {
  double points = 1;
  for (ExprAttr extent : kernel.getDims().getDims())
    points *= hints(extent);
  // Columns with functions of each element: a thread has several of them.
  int64_t threads = kThreadsOfFewPoints;
  if (reduced.any())
    threads *= 1 + countFunctions();
  while (width > 1 &&
         points < static_cast<double>(width * processors * threads))
    width /= 2;
}

void Selector::selectThreads() {
  threadsP = kStreamThreads;
  // Few points: spread them over the processors.
  while (threadsP > 64 && pointsP < static_cast<double>(threadsP * processors))
    threadsP /= 2;
}

int64_t Selector::countLoadsOfOne() const {
  llvm::DenseMap<Value, int64_t> counts;
  int64_t most = 1;
  for (const Access &a : accesses)
    if (auto load = dyn_cast<LoadOp>(a.op); load && isLarge(a))
      most = std::max(most, ++counts[load.getSource()]);
  return most;
}

void Selector::shortenSteps() {
  DimDependence dependence(kernel);
  int64_t instructions = 0;
  for (Operation &op : *kernel.getBlock())
    if (op.getNumResults() > 0 &&
        dependence[op.getResult(0)].anyCommon(reduced))
      instructions += getThreadInstructions(op);
  while (itemsR > 1 && itemsR * width * instructions > kMaxStepInstructions)
    itemsR /= 2;
}

int64_t Selector::countFunctions() const {
  DimDependence dependence(kernel);
  return llvm::count_if(*kernel.getBlock(), [&](Operation &op) {
    bool isFunction =
        isa<SpecialOp>(op) ||
        (op.getName().getDialectNamespace() == "math" &&
         !isa<math::AbsFOp, math::AbsIOp, math::CopySignOp, math::FmaOp,
              math::FloorOp, math::CeilOp, math::RoundEvenOp, math::RoundOp,
              math::TruncOp, math::RsqrtOp, math::SqrtOp, math::IsInfOp,
              math::IsNaNOp, math::IsFiniteOp>(op));
    return isFunction &&
           (reduced.none() || dependence[op.getResult(0)].anyCommon(reduced));
  });
}

void Selector::selectPointwise() {
  selectThreads();
  if (reduced.any()) {
    // A window of cheap values: several in flight, as below.
    int64_t kept = itemsR * width;
    double spare = pointsP / static_cast<double>(threadsP * processors * 2);
    while (countFunctions() == 0 && itemsP < 4 &&
           itemsP * width * widest < kAccessBytes &&
           2 * itemsP * kept <= kManyElements &&
           static_cast<double>(itemsP) * 2 <= spare)
      itemsP *= 2;
    return;
  }
  if (sumsRows) {
    // As many threads as there can be, since each waits for its range, then for
    // a place, then for its row. Few have registers for as many rows under way
    // as they like.
    if (pointsP <= static_cast<double>(facts.threads * processors / 2))
      return;
    minBlocks = facts.threads / threadsP;
    // Two begin together where threads wait for a list of rows, too. Where sums
    // are wider than what is loaded, fewer threads have registers for that.
    bool hasList = llvm::any_of(
        kernel.getBlock()->getOps<SegmentSumOp>(),
        [](SegmentSumOp op) { return op.getPositions() != nullptr; });
    if (hasList &&
        pointsP >= static_cast<double>(4 * facts.threads * processors)) {
      itemsP = 2;
      if (width > 4)
        minBlocks = facts.threads * 3 / 4 / threadsP;
    }
    return;
  }
  double spare = pointsP / static_cast<double>(threadsP * processors * 2);
  auto takesTwice = [&]() {
    return itemsP < kMaxItems && static_cast<double>(itemsP) * 2 <= spare;
  };
  // A stencil: neighbours share what they load, and each thread has as many
  // points under way as there are registers for.
  if (2 * countLoadsOfOne() > kLoadsTogether) {
    while (takesTwice() &&
           itemsP * width < (width == 1 ? kUnalignedPoints : kStencilPoints))
      itemsP *= 2;
    return;
  }
  // A thread should move 16 bytes; with narrow vectors it takes several.
  while (takesTwice() && itemsP * width * widest < kAccessBytes &&
         2 * itemsP * countLoadsOfOne() <= kLoadsTogether)
    itemsP *= 2;
  // What is put together from two aligned vectors or from single elements has
  // these registers already.
  if (hasUnaligned())
    return;
  // Two chains at a time: one's loads while the other computes. Where chains
  // are long, more threads do that better than one with the registers of two.
  if (itemsP == 1 && threadsP == kStreamThreads && spare >= 2 && !scatters) {
    threadsP /= 2;
    if (countFunctions() * width < kLongChain)
      itemsP = 2;
  }
}

bool Selector::hasUnaligned() const {
  VectorForm form(kernel, layout, dim, width);
  return llvm::any_of(accesses, [&](const Access &a) {
    return isa<LoadOp>(a.op) && isLarge(a) &&
           form.getAddress(a.op).alignment < width;
  });
}

void Selector::selectOwners() {
  selectThreads();
  // As many threads as run at a time, but no more than there are points.
  double threads = static_cast<double>(processors * busyThreads);
  owners = 1;
  while (static_cast<double>(owners) * 2 * pointsP <= threads &&
         static_cast<double>(owners) < pointsR)
    owners *= 2;
}

void Selector::selectTranspose() {
  double extentV = hints(kernel.getExtent(static_cast<unsigned>(dim)));
  double extentT = hints(kernel.getExtent(static_cast<unsigned>(transposeDim)));
  // Rows of 128 bytes where values are not wide, so that a warp uses whole
  // lines; of 256 where they are halves.
  int64_t side = widest <= 2 ? 128 : widest <= 4 ? 64 : 32;
  double staged = 0;
  for (const Access &a : accesses)
    if (isStaged(a))
      staged += static_cast<double>(a.bytes);
  double points = pointsP * static_cast<double>(width);
  while (side > 32 &&
         (static_cast<double>(side * side) * staged > kSharedBytes ||
          points / static_cast<double>(side * side) <
              static_cast<double>(2 * processors)))
    side /= 2;
  int64_t area = side * side;
  // A short dimension leaves room for more of the other one.
  int64_t tileT = std::min(powerAtLeast(extentT), side);
  int64_t tileV =
      std::max(width, std::min(powerAtLeast(extentV), area / tileT));
  tileT = std::min(powerAtLeast(extentT), area / tileV);
  // A mere copy has nothing else to load while it waits: smaller tiles, of
  // which more are under way.
  if (widest <= 2 && accesses.size() == 2 && tileT == side && side >= 128)
    tileT /= 2;
  // Two vectors for each thread.
  int64_t least = widest == 4 && tileV * tileT >= 64 * 64 ? 2 * kStreamThreads
                                                          : kStreamThreads;
  int64_t threads = std::max(least, area / kMaxKept);
  threadsP = std::min(tileV / width, threads);
  itemsP = tileV / width / threadsP;
  threadsR = std::min(tileT, threads / threadsP);
  itemsR = tileT / threadsR;
}

bool Selector::stagesColumns() const {
  // Rows have room whatever number there turns out to be.
  int64_t rows = 1;
  for (unsigned d : reduced.set_bits())
    rows *= std::min<int64_t>(kStagedBytes, VectorForm(kernel, layout, dim, 1)
                                                .getContext()
                                                .bounds(kernel.getExtent(d))
                                                .hi);
  int64_t bytes = 0;
  for (LoadOp load : findColumnLoads(kernel, layout, dim, reduced))
    if (llvm::any_of(accesses, [&](const Access &a) {
          return a.op == load && isLarge(a);
        }))
      bytes =
          std::max<int64_t>(bytes, load.getType().getIntOrFloatBitWidth() / 8);
  return bytes > 0 &&
         getStagedBytes(rows, kStagedColumns, bytes) <= kStagedBytes;
}

void Selector::selectCounts(bool isWindow) {
  if (accumulates)
    selectChunk();
  else if (transposeDim >= 0)
    selectTranspose();
  else if (ordered)
    selectOwners();
  else if (scans)
    selectScan();
  else if (isWindow || reduced.none())
    selectPointwise();
  else if (isReduced(dim))
    selectRow();
  else
    selectColumn();
}

GPUScheduleAttr Selector::select() {
  reduced.resize(kernel.getNumDims());
  for (unsigned d : getGPUReducedDims(kernel, ordered))
    reduced.set(d);
  accumulates = !kernel.getColumnDims().empty();
  collectAccesses();
  if (std::optional<MmaChoice> choice = selectMma(kernel, layout, facts)) {
    dim = choice->vectorDim;
    width = choice->width;
    return GPUScheduleAttr::get(
        kernel.getContext(), GPUStrategy::Mma, dim, width, /*transposeDim=*/-1,
        choice->mma.getNumWarps() * warp, /*threadsR=*/1, choice->items,
        /*itemsR=*/1, /*persistent=*/false, choice->minBlocks,
        selectIndexBits(), /*owners=*/0, /*splitR=*/false, /*alignTo=*/-1,
        /*prefetch=*/false, /*descending=*/false, /*stages=*/0, /*blocks=*/0,
        choice->mma, /*boxDims=*/{}, /*box=*/{}, /*cluster=*/1);
  }
  bool isWindow =
      reduced.any() && !scatters && !scans && !accumulates && selectWindow();
  if (!isWindow) {
    dim = selectDim();
    transposeDim = selectTransposeDim();
    width = selectWidth(dim);
    bool areColumns = reduces && !scans && dim >= 0 && !isReduced(dim);
    if ((reduced.none() || areColumns) && transposeDim < 0 && !sumsRows &&
        !scatters && kernel.getBlock()->getOps<PhiloxOp>().empty())
      narrowFewPoints();
    if (!accumulates)
      selectAlignment();
    if (areColumns && stagesColumns())
      width = 1;
  }
  VectorForm form(kernel, layout, dim, width, alignTo);
  ExprAttr totalR = sym::constant(kernel.getContext(), 1);
  for (unsigned d = 0; d < kernel.getNumDims(); ++d) {
    ExprAttr extent = form.getContext().getDimExtents()[d];
    (reduced[d] ? pointsR : pointsP) *= hints(extent);
    if (reduced[d])
      totalR = sym::mul(totalR, extent);
  }
  mostR = std::clamp<int64_t>(form.getContext().bounds(totalR).hi, 1, kMostR);
  bool isBox = reduced.none() && !scatters && !sumsRows && !scans &&
               !accumulates && selectBox();
  if (!isBox)
    selectCounts(isWindow);
  if (!isBox && !isWindow && reduces && !persistent)
    shortenSteps();
  bool hasColumns =
      reduced.any() && !isReduced(dim) && !scans && !accumulates && !ordered;
  bool fits = isBox || isWindow || transposeDim >= 0 || (!reduces && !scans) ||
              fitRegisters();
  auto selectAgain = [&] {
    persistent = false;
    itemsP = 1;
    minBlocks = 0;
    selectColumn();
  };
  // Narrower vectors of columns leave threads registers to keep them.
  int64_t wide = width;
  bool isKept = hasColumns && mostR <= kBlockRow && rereads();
  while (hasColumns && width > 1 && (!fits || (isKept && !persistent))) {
    halveWidth();
    selectAgain();
    fits = fitRegisters();
  }
  // Columns of which threads cannot keep what they load are loaded again.
  if (hasColumns && (!fits || !persistent) && wide > width) {
    pointsP = pointsP * static_cast<double>(width) / static_cast<double>(wide);
    width = wide;
    fits = false;
  }
  if (hasColumns && !fits) {
    keepsColumns = false;
    selectAgain();
    fitRegisters();
  }
  if (scans && persistent && minBlocks == 0 && stages == 0)
    requireBlocks();
  auto strategy = box                 ? GPUStrategy::Box
                  : transposeDim >= 0 ? GPUStrategy::Transpose
                  : scans             ? GPUStrategy::Scan
                                      : GPUStrategy::Tile;
  return GPUScheduleAttr::get(kernel.getContext(), strategy, dim, width,
                              transposeDim, threadsP, threadsR, itemsP, itemsR,
                              persistent, minBlocks, selectIndexBits(), owners,
                              splitR, alignTo, prefetch,
                              /*descending=*/false, stages, blocks,
                              /*mma=*/{}, boxDims, box, cluster);
}

namespace {

struct LoopSelectGPUSchedulePass
    : coil::impl::LoopSelectGPUSchedulePassBase<LoopSelectGPUSchedulePass> {
  using LoopSelectGPUSchedulePassBase::LoopSelectGPUSchedulePassBase;

  void runOnOperation() override {
    wrapper::KernelOp kernel = getOperation();
    if (!hasKernelForm(kernel, target::KernelForm::Threads))
      return; // Another device's pass takes it.
    if (kernel.isUserKernel())
      return;
    loop::KernelOp body = kernel.getLoopKernel();
    if (!body || body.getScheduleAttr())
      return;
    if (loop::ScheduleAttrInterface schedule = loop::askScheduleStrategies(
            body, getCodeTargetKind(kernel)->name, getArgument())) {
      body.setScheduleAttr(schedule);
      return;
    }
    GPUKernelLayout layout = getGPUKernelLayout(kernel);
    FailureOr<GPUFacts> facts = GPUFacts::get(kernel);
    if (failed(facts))
      return signalPassFailure();
    GPUScheduleAttr schedule =
        Selector(body, layout, *facts, deterministic).select();
    body.setScheduleAttr(schedule);
    if (schedule.getOwners() > 1)
      keepInputs(kernel, body);
  }

private:
  /// Several threads read each point where a scatter has owners, one writes: no
  /// result may lie over an operand but that of a scatter, whose elements have
  /// one thread each.
  static void keepInputs(wrapper::KernelOp kernel, loop::KernelOp body) {
    auto pairs = kernel.getInPlace();
    if (!pairs)
      return;
    llvm::SmallDenseSet<int64_t> targets;
    for (auto scatter : body.getBlock()->getOps<loop::ScatterOp>())
      if (std::optional<unsigned> target = loop::getInPlaceTarget(scatter))
        targets.insert(*target);
    SmallVector<int64_t> kept;
    for (size_t i = 0; i + 1 < pairs->size(); i += 2)
      if (targets.contains((*pairs)[i]))
        kept.append({(*pairs)[i], (*pairs)[i + 1]});
    if (kept.empty())
      kernel.removeInPlaceAttr();
    else
      kernel.setInPlace(kept);
  }
};

} // namespace
