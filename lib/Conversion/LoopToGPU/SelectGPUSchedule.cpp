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

#include "SelectMma.h"
#include "coil/Conversion/LoopToGPU/LoopToGPU.h"
#include "coil/Dialect/Loop/Analysis/Hints.h"
#include "coil/Dialect/Loop/Analysis/InPlace.h"
#include "coil/Dialect/Loop/Analysis/OnlineSum.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

namespace coil {
#define GEN_PASS_DEF_LOOPSELECTGPUSCHEDULEPASS
#include "coil/Conversion/Passes.h.inc"
} // namespace coil

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

namespace {

constexpr int64_t kWarp = 32;
/// Bytes of the widest access of one thread.
constexpr int64_t kAccessBytes = 16;
/// Bytes of a line of memory.
constexpr int64_t kLineBytes = 128;
/// Threads of a block that streams.
constexpr int64_t kStreamThreads = 256;
/// Threads of a multiprocessor that have loads in flight, at 64 registers.
constexpr int64_t kBusyThreads = 1024;
/// Elements of a row that one warp reduces, and one block keeps in registers.
constexpr int64_t kWarpRow = 1024, kBlockRow = 32768;
/// Elements of a row that one thread keeps in registers.
constexpr int64_t kMaxKept = 32;
/// From here on, a block can have more than 64 KiB of shared memory.
constexpr int64_t kManyShared = 80;
/// Ops of a kernel whose other values take few registers.
constexpr unsigned kFewOps = 32;
/// Bytes of each operand that one thread of a scan keeps in registers.
constexpr int64_t kKeptBytes = 128;
/// Shared memory of a block that leaves room for others.
constexpr double kSharedBytes = 32 * 1024;
/// Points of two dimensions that are worth a tile of their own.
constexpr double kMinTranspose = 1024;
/// Elements of a window that a thread keeps in registers, and how far windows
/// may be apart.
constexpr int64_t kMaxWindow = 64, kMaxWindowStep = 4;
/// A strided access costs about this many contiguous ones.
constexpr double kStridedPenalty = 4;
/// Vectors of a row that are worth to cut it at aligned addresses.
constexpr int64_t kMinShifted = 16;

} // namespace

static int64_t powerAtLeast(double x) {
  return static_cast<int64_t>(
      llvm::PowerOf2Ceil(static_cast<uint64_t>(std::max(x, 1.0))));
}

/// Whether the order of the points changes what a scatter of the kernel gives:
/// sums and products of floats are rounded, and of plain writes the last wins.
static bool needsOrder(KernelOp kernel) {
  return llvm::any_of(kernel.getBlock()->getOps<ScatterOp>(),
                      [](ScatterOp scatter) {
                        return !scatter.getKind() ||
                               isa<FloatType>(scatter.getValue().getType());
                      });
}

namespace {

/// One load, store or scatter.
struct Access {
  Operation *op;
  /// How many points have one of their own.
  double elements;
  int64_t bytes;
};

class Selector {
public:
  Selector(KernelOp kernel, const GPUKernelLayout &layout, int64_t processors,
           int64_t capability, bool wgmma, bool deterministic)
      : kernel(kernel), layout(layout), processors(processors),
        capability(capability), wgmma(wgmma), hints(kernel),
        ordered(deterministic && needsOrder(kernel)) {}

  GPUScheduleAttr select();

private:
  void collectAccesses();
  bool isReduced(int64_t d) const { return d >= 0 && reduced[size_t(d)]; }
  int64_t selectDim() const;
  int64_t selectWidth(int64_t dim) const;
  /// Widens the vectors of rows that begin between aligned addresses: cuts them
  /// where most accesses are aligned, whatever the row.
  void selectAlignment();
  int64_t selectIndexBits() const;
  /// The dimension along which accesses are contiguous that are not along
  /// `dim`, where they are enough for tiles of both; else -1.
  int64_t selectTransposeDim() const;
  bool isStaged(const Access &a) const;
  void selectTranspose();
  /// Whether the kernel reduces over small windows; then chooses `dim`, `width`
  /// and the rest.
  bool selectWindow();
  /// The parallel dimension whose neighbours have windows next to each other.
  int64_t selectWindowDim() const;
  bool gathers() const;
  bool hasOnlineSums() const;
  void selectThreads();
  void selectPointwise();
  void selectOwners();
  void selectScan();
  void selectRow();
  void selectColumn();
  /// Whether several phases read the same values along `r`.
  bool rereads() const;

  mutable KernelOp kernel;
  const GPUKernelLayout &layout;
  int64_t processors, capability;
  bool wgmma;
  Hints hints;
  /// Whether a scatter goes through its points in order.
  bool ordered;
  bool scatters = false, scans = false, reduces = false;
  llvm::SmallBitVector reduced;
  SmallVector<Access> accesses;
  double mostElements = 0;
  int64_t widest = 1;

  int64_t dim = -1, width = 1, transposeDim = -1, alignTo = -1;
  int64_t threadsP = 1, threadsR = 1, itemsP = 1, itemsR = 1, minBlocks = 0;
  int64_t owners = 0;
  bool splitR = false;
  bool persistent = false;
  /// Vectors of each direction: expected, and the most there can be.
  double pointsP = 1, pointsR = 1;
  int64_t mostR = 1;
};

} // namespace

void Selector::collectAccesses() {
  Variance variance(kernel);
  for (Operation &op : *kernel.getBlock()) {
    llvm::SmallBitVector over;
    Type scalar;
    scans |= isa<ScanOp, ArgScanOp>(op);
    reduces |= isReduction(&op);
    if (auto load = dyn_cast<LoadOp>(op)) {
      over = variance[load.getResult()];
      scalar = load.getType();
    } else if (auto store = dyn_cast<StoreOp>(op)) {
      over = variance.of(store.getIndices().getDims());
      scalar = store.getValue().getType();
    } else if (auto scatter = dyn_cast<ScatterOp>(op)) {
      over.resize(kernel.getNumDims(), true);
      scalar = scatter.getValue().getType();
      scatters = true;
    } else {
      continue;
    }
    Access a;
    a.op = &op;
    a.bytes = std::max(1u, scalar.getIntOrFloatBitWidth() / 8);
    a.elements = 1;
    for (unsigned d : over.set_bits())
      a.elements *= hints(kernel.getExtent(d));
    mostElements = std::max(mostElements, a.elements);
    accesses.push_back(a);
  }
  // What only few points access decides nothing.
  for (const Access &a : accesses)
    if (a.elements * 2 >= mostElements)
      widest = std::max(widest, a.bytes);
}

int64_t Selector::selectDim() const {
  int64_t result = -1;
  double best = 0;
  for (unsigned d = 0; d < kernel.getNumDims(); ++d) {
    if (kernel.getExtent(d).isConstant(1) || (ordered && reduced[d]))
      continue;
    VectorForm form(kernel, layout, d, 2);
    double score = 0;
    for (const Access &a : accesses) {
      double weight = a.elements * static_cast<double>(a.bytes);
      if (form.isStrided(a.op))
        score -= kStridedPenalty * weight;
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
  if (reduced.any() || scatters || dim < 0)
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
      if (a.elements * 2 >= mostElements)
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
  for (int64_t w = std::max<int64_t>(1, kAccessBytes / widest); w > 1; w /= 2) {
    VectorForm form(kernel, layout, d, w);
    // Only one vector of all may be cut off.
    if ((!form.isExact() && others > 0) || extent < static_cast<double>(w))
      continue;
    double aligned = 0, rest = 0;
    for (const Access &a : accesses) {
      if (a.elements * 2 < mostElements || isStaged(a))
        continue;
      LaneAddress address = form.getAddress(a.op);
      if (address.isUniform())
        continue;
      bool good = address.isContiguous() && address.alignment == w;
      (good ? aligned : rest) += a.elements * static_cast<double>(a.bytes);
    }
    if (aligned > 0 && aligned >= rest)
      return w;
  }
  return 1;
}

void Selector::selectAlignment() {
  int64_t most = kAccessBytes / widest;
  if (!isReduced(dim) || width >= most || scatters || kernel.isSequential() ||
      hints(kernel.getExtent(static_cast<unsigned>(dim))) <
          static_cast<double>(kMinShifted * most))
    return;
  for (unsigned d : reduced.set_bits())
    if (static_cast<int64_t>(d) != dim && !kernel.getExtent(d).isConstant(1))
      return;
  for (const Access &reference : accesses) {
    if (reference.elements * 2 < mostElements)
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
      if (a.elements * 2 < mostElements)
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

bool Selector::rereads() const {
  Variance variance(kernel);
  llvm::DenseMap<Value, bool> afterReduction;
  for (Operation &op : *kernel.getBlock()) {
    bool after = isReduction(&op);
    for (Value v : op.getOperands())
      after |= afterReduction.lookup(v);
    bool varies = isa<ScatterOp>(op);
    if (auto store = dyn_cast<StoreOp>(op))
      varies = variance.of(store.getIndices().getDims()).anyCommon(reduced);
    else if (!varies)
      varies = op.getNumResults() > 0 &&
               variance[op.getResult(0)].anyCommon(reduced);
    bool depends = llvm::any_of(
        op.getOperands(), [&](Value v) { return afterReduction.lookup(v); });
    if ((varies || isReduction(&op)) && depends)
      return true;
    for (Value v : op.getResults())
      afterReduction[v] = after;
  }
  return false;
}

bool Selector::gathers() const {
  return llvm::any_of(accesses, [](const Access &a) {
    auto load = dyn_cast<LoadOp>(a.op);
    return load && !load.getArgs().empty();
  });
}

bool Selector::hasOnlineSums() const {
  return llvm::any_of(kernel.getBlock()->getOps<ReduceOp>(),
                      [](ReduceOp reduce) { return getOnlineMax(reduce); });
}

void Selector::selectThreads() {
  threadsP = kStreamThreads;
  // Few points: spread them over the processors.
  while (threadsP > 64 && pointsP < static_cast<double>(threadsP * processors))
    threadsP /= 2;
}

void Selector::selectPointwise() {
  selectThreads();
  if (reduced.any())
    return;
  // A thread should move 16 bytes; with narrow vectors it takes several.
  double spare = pointsP / static_cast<double>(threadsP * processors * 2);
  while (itemsP < 4 && itemsP * width * widest < kAccessBytes &&
         static_cast<double>(itemsP) * 2 <= spare)
    itemsP *= 2;
  // Two chains at a time: one's loads while the other computes.
  if (itemsP == 1 && threadsP == kStreamThreads && spare >= 2 && !scatters) {
    threadsP /= 2;
    itemsP = 2;
  }
}

void Selector::selectOwners() {
  selectThreads();
  // As many threads as run at a time, but no more than there are points.
  double threads = static_cast<double>(processors * 1024);
  owners = 1;
  while (static_cast<double>(owners) * 2 * pointsP <= threads &&
         static_cast<double>(owners) < pointsR)
    owners *= 2;
}

void Selector::selectScan() {
  // What a thread keeps of a tile: vectors in flight, and their registers.
  int64_t kept = std::max<int64_t>(1, kKeptBytes / (width * widest));
  int64_t most =
      mostR > kBlockRow ? std::numeric_limits<int64_t>::max() : mostR * width;
  persistent = true;
  bool isPlain = accesses.size() == 2 && widest == 4 &&
                 llvm::none_of(*kernel.getBlock(), [](Operation &op) {
                   auto scan = dyn_cast<ScanOp>(op);
                   return isa<ArgScanOp>(op) ||
                          (scan && scan.getKind() == ScanKind::LogAddExp);
                 });
  if (isReduced(dim) || (dim < 0 && !reduced.none())) {
    if (most <= kWarpRow && mostR <= kWarp * kept) {
      threadsR = std::min(kWarp, powerAtLeast(static_cast<double>(mostR)));
      itemsR = llvm::divideCeil(mostR, threadsR);
      // No rows that there are not: what does not vary over rows is read by
      // all, and a result may overwrite it.
      threadsP = std::min(128 / threadsR, powerAtLeast(pointsP));
      return;
    }
    bool isLong = most > kBlockRow || mostR > 1024 * kept;
    // Too few rows for all processors: several blocks for each.
    bool isLonely = pointsP < static_cast<double>(processors) &&
                    pointsR > static_cast<double>(kStreamThreads * kept);
    if (!isLong && (!isLonely || reduces)) {
      threadsR = std::clamp(
          powerAtLeast(static_cast<double>(mostR) / static_cast<double>(kept)),
          2 * kWarp, int64_t(1024));
      itemsR = llvm::divideCeil(mostR, threadsR);
      return;
    }
    threadsR = kStreamThreads;
    itemsR = kept;
    splitR = !reduces;
    persistent = splitR;
    // A block that waits for others needs company; a plain sum leaves room.
    if (splitR && isPlain)
      minBlocks = 4;
    // Every tile waits for those before it: fewer and longer ones, where these
    // still are enough for all processors.
    double tiles = pointsP * pointsR / static_cast<double>(threadsR * itemsR);
    if (splitR && isPlain && tiles >= static_cast<double>(16 * processors)) {
      threadsR *= 2;
      itemsR *= 2;
      minBlocks = 1;
    }
    return;
  }
  // Columns: a thread walks along a part of one vector of them.
  threadsP = std::min(kWarp, powerAtLeast(pointsP));
  bool isEnough =
      pointsP >= static_cast<double>(processors * kStreamThreads * 4);
  if (isEnough || mostR <= 8) {
    threadsP = std::min<int64_t>(128, powerAtLeast(pointsP));
    itemsR = std::min(kept, mostR);
    persistent = mostR <= kept;
    return;
  }
  // Where a narrower part is enough for all processors, a block walks down it
  // alone, and waits for no other.
  constexpr int64_t narrow = kWarp / 2;
  bool isAlone = 2 * pointsP >= static_cast<double>(3 * narrow * processors);
  if (isAlone)
    threadsP = std::min(threadsP, narrow);
  threadsR = kStreamThreads / threadsP;
  while (threadsR > 1 && threadsR / 2 * kept >= mostR)
    threadsR /= 2;
  itemsR = std::min<int64_t>(kept, llvm::divideCeil(mostR, threadsR));
  bool isLong = mostR > threadsR * itemsR;
  splitR = isLong && !isAlone && !reduces;
  persistent = splitR || !isLong;
  if (splitR && isPlain)
    minBlocks = 4;
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
  int64_t threads = std::max(kStreamThreads, tileV * tileT / kMaxKept);
  threadsP = std::min(tileV / width, threads);
  itemsP = tileV / width / threadsP;
  threadsR = std::min(tileT, threads / threadsP);
  itemsR = tileT / threadsR;
}

int64_t Selector::selectWindowDim() const {
  int64_t result = -1;
  double most = 1;
  for (unsigned d = 0; d < kernel.getNumDims(); ++d) {
    double extent = hints(kernel.getExtent(d));
    if (reduced[d] || extent < most)
      continue;
    VectorForm form(kernel, layout, d, 2);
    bool good = llvm::all_of(accesses, [&](const Access &a) {
      if (a.elements * 2 < mostElements)
        return true;
      LaneAddress address = form.getAddress(a.op);
      auto load = dyn_cast<LoadOp>(a.op);
      return address.step && address.step.isConstant() &&
             address.step.getValue() >= 0 &&
             address.step.getValue() <= kMaxWindowStep &&
             (!load || load.getArgs().empty());
    });
    if (good) {
      most = extent;
      result = d;
    }
  }
  return result;
}

bool Selector::selectWindow() {
  int64_t window = 1;
  for (unsigned d : reduced.set_bits()) {
    ExprAttr extent = kernel.getExtent(d);
    if (!extent.isConstant() || extent.getValue() > kMaxWindow)
      return false;
    window *= extent.getValue();
  }
  if (window < 2 || window > kMaxWindow)
    return false;
  // A window slides: one index has both parallel and reduced positions.
  auto slides = [&](const Access &a) {
    auto load = dyn_cast<LoadOp>(a.op);
    return load && llvm::any_of(load.getIndices().getDims(), [&](ExprAttr e) {
             bool in[2] = {false, false};
             for (unsigned d = 0; d < kernel.getNumDims(); ++d)
               if (sym::mentions(e, sym::dim(kernel.getContext(), d)))
                 in[reduced[d]] = true;
             return in[0] && in[1];
           });
  };
  if (llvm::none_of(accesses, slides))
    return false;
  int64_t windowDim = selectWindowDim();
  if (windowDim < 0)
    return false;
  dim = windowDim;
  // Lanes apart from each other take more room: one access for all of them.
  int64_t step = 1;
  VectorForm form(kernel, layout, dim, 2);
  for (const Access &a : accesses)
    if (a.elements * 2 >= mostElements)
      step = std::max(step, form.getAddress(a.op).step.getValue());
  width = std::max<int64_t>(1, kAccessBytes / widest /
                                   powerAtLeast(static_cast<double>(step)));
  auto extent = kernel.getExtent(static_cast<unsigned>(dim));
  while (width > 1 &&
         (!isDivisible(extent, width) || window * width > kMaxWindow))
    width /= 2;
  persistent = true;
  itemsR = window;
  return true;
}

void Selector::selectRow() {
  bool again = rereads();
  int64_t most =
      mostR > kBlockRow ? std::numeric_limits<int64_t>::max() : mostR * width;
  if (most <= kWarpRow) {
    // A warp, or a part of one, for each row.
    threadsR = std::min(kWarp, powerAtLeast(static_cast<double>(mostR)));
    itemsR = llvm::divideCeil(mostR, threadsR);
    persistent = true;
    threadsP = 64 / threadsR;
    return;
  }
  bool isOnline = hasOnlineSums();
  // A block of 1024 threads is alone on its processor, and waits alone. Half of
  // the threads keep short elements in shared memory, so that there is room for
  // two blocks, one of which loads while the other computes.
  if (again && widest <= 2 && width > 1 && most > kBlockRow / 2 &&
      most <= kBlockRow && capability >= kManyShared) {
    threadsR = kBusyThreads / 2;
    itemsR = llvm::divideCeil(mostR, threadsR);
    persistent = true;
    minBlocks = 2;
    return;
  }
  if (again && most <= kBlockRow) {
    threadsR = 128;
    while (threadsR < 1024 &&
           threadsR * (threadsR < 256 ? kMaxKept / 2 : kMaxKept) < most)
      threadsR *= 2;
    itemsR = llvm::divideCeil(mostR, threadsR);
    persistent = true;
    // Where threads keep little, more of them wait for memory.
    int64_t threads = kBusyThreads;
    if (itemsR * width <= kMaxKept / 2 &&
        kernel.getBlock()->getOperations().size() <= kFewOps)
      threads += threads / 2;
    minBlocks = threads / threadsR;
    return;
  }
  // In flight: a few vectors for each thread.
  itemsR = std::max<int64_t>(1, std::min<int64_t>(8, 16 / width));
  threadsR = std::clamp<int64_t>(
      powerAtLeast(pointsR / static_cast<double>(itemsR)), kWarp, 512);
  while (itemsR > 1 && static_cast<double>(threadsR * itemsR) > pointsR)
    itemsR /= 2;
  // Few threads wait for one another less often, which is what each step of
  // such a sum does.
  if (isOnline && threadsR > 128) {
    threadsR = 128;
    itemsR = 4;
  }
  threadsP = std::max<int64_t>(1, 128 / threadsR);
  // Two blocks or more, so that one loads while another reduces. Indirect
  // addresses take more registers than that leaves.
  if (!gathers())
    minBlocks = kBusyThreads / (threadsP * threadsR);
}

void Selector::selectColumn() {
  bool again = rereads();
  threadsP = std::min(kWarp, powerAtLeast(pointsP));
  // Where most processors would have nothing: pieces of whole lines of memory.
  while (threadsP * width * widest > kLineBytes &&
         2 * pointsP < static_cast<double>(threadsP * processors))
    threadsP /= 2;
  threadsR = kStreamThreads / threadsP;
  double blocks = pointsP / static_cast<double>(threadsP);
  while (threadsR * threadsP < 1024 &&
         blocks < static_cast<double>(2 * processors) &&
         pointsR > static_cast<double>(threadsR * 8))
    threadsR *= 2;
  while (threadsR > 1 && static_cast<double>(threadsR) > pointsR)
    threadsR /= 2;
  // Rows too short for more threads leave room for more columns.
  while (threadsR * threadsP < 128 &&
         pointsP > static_cast<double>(threadsP * processors))
    threadsP *= 2;
  int64_t kept = llvm::divideCeil(mostR, threadsR);
  if (mostR <= kBlockRow && kept * width <= kMaxKept) {
    persistent = true;
    itemsR = kept;
    return;
  }
  if (again && mostR <= kBlockRow && threadsP * threadsR < 1024) {
    int64_t more = 1024 / threadsP;
    kept = llvm::divideCeil(mostR, more);
    if (kept * width <= kMaxKept) {
      persistent = true;
      threadsR = more;
      itemsR = kept;
      minBlocks = 1;
      return;
    }
  }
  itemsR = 4;
  while (itemsR > 1 && static_cast<double>(threadsR * itemsR) > pointsR)
    itemsR /= 2;
}

GPUScheduleAttr Selector::select() {
  reduced.resize(kernel.getNumDims());
  for (unsigned d : getGPUReducedDims(kernel, ordered))
    reduced.set(d);
  collectAccesses();
  if (std::optional<MmaChoice> choice =
          selectMma(kernel, layout, processors, capability, wgmma)) {
    dim = choice->vectorDim;
    width = choice->width;
    return GPUScheduleAttr::get(
        kernel.getContext(), GPUStrategy::Mma, dim, width, /*transposeDim=*/-1,
        choice->mma.getNumWarps() * kWarp, /*threadsR=*/1, choice->items,
        /*itemsR=*/1, /*persistent=*/false, choice->minBlocks,
        selectIndexBits(), /*owners=*/0, /*splitR=*/false, /*alignTo=*/-1,
        choice->mma);
  }
  bool isWindow = reduced.any() && !scatters && !scans && selectWindow();
  if (!isWindow) {
    dim = selectDim();
    transposeDim = selectTransposeDim();
    width = selectWidth(dim);
    selectAlignment();
  }
  VectorForm form(kernel, layout, dim, width, alignTo);
  ExprAttr totalR = sym::constant(kernel.getContext(), 1);
  for (unsigned d = 0; d < kernel.getNumDims(); ++d) {
    ExprAttr extent = form.getContext().getDimExtents()[d];
    (reduced[d] ? pointsR : pointsP) *= hints(extent);
    if (reduced[d])
      totalR = sym::mul(totalR, extent);
  }
  mostR = std::max<int64_t>(1, form.getContext().bounds(totalR).hi);
  if (transposeDim >= 0)
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
  auto strategy = transposeDim >= 0 ? GPUStrategy::Transpose
                  : scans           ? GPUStrategy::Scan
                                    : GPUStrategy::Tile;
  return GPUScheduleAttr::get(kernel.getContext(), strategy, dim, width,
                              transposeDim, threadsP, threadsR, itemsP, itemsR,
                              persistent, minBlocks, selectIndexBits(), owners,
                              splitR, alignTo, /*mma=*/{});
}

namespace {

struct LoopSelectGPUSchedulePass
    : coil::impl::LoopSelectGPUSchedulePassBase<LoopSelectGPUSchedulePass> {
  using LoopSelectGPUSchedulePassBase::LoopSelectGPUSchedulePassBase;

  void runOnOperation() override {
    wrapper::KernelOp kernel = getOperation();
    if (!kernel.getDevice() || kernel.getDevice()->getKind() != "cuda")
      return; // Another device's pass takes it.
    if (kernel.isUserKernel())
      return;
    loop::KernelOp body = kernel.getLoopKernel();
    if (!body || body.getScheduleAttr())
      return;
    GPUKernelLayout layout = getGPUKernelLayout(kernel);
    GPUScheduleAttr schedule = Selector(body, layout, multiprocessors,
                                        capability, wgmma, deterministic)
                                   .select();
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
