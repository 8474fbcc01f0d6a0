//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Schedules of reductions: rows, columns and windows.
//
//===----------------------------------------------------------------------===//

#include "GPUScheduleSelector.h"

#include "mlir/IR/Matchers.h"

#include <limits>

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

/// Vectors of a row that one lane loads, at most (an H200: rows of 1021
/// elements, of one each, by 128 threads 1.4 times as fast as by 32).
static constexpr int64_t kMaxVectors = 16;
/// The same where a kernel has few tensors and hardly a function (coil-tune on
/// an H200: the logsumexp of rows of 547 elements 2.5 times as fast by 32
/// threads as by 128, a softmax of 1021 1.15 times).
static constexpr int64_t kMaxLightVectors = 32;
/// Lanes of a row from which on each of them has as many elements as it has
/// room for; what fewer have at most; and how many times the sectors of a row
/// its pieces may take (533 schedules of random_kernels.py, seeds 20261209 and
/// 20261211, on an H200: a normalisation of rows of 31 bf16 elements by 8 lanes
/// 2.06 times as fast as by 32, of 49 and 196 by 8 1.2 times as by 16; sums of
/// 49 f32 elements, of which nothing is written, by 16 1.05 times as by 8).
static constexpr int64_t kFewLanes = 8, kFewElements = 6;
static constexpr double kMaxPieces = 2.7;
/// Ops of a body times elements of a short row that a thread has, at most:
/// ptxas takes 96 to 255 registers for more (57 programs of
/// random_kernels.py --programs=chains, seeds 20261301 and 20261310, on an
/// H200: with half or a quarter of the elements nine kernels above it 1.06 to
/// 2.3 times as fast, seven below it 0.65 to 0.95 times), but no fewer elements
/// than some (four instead of eight: 0.73 times).
static constexpr int64_t kMaxThreadOps = 1200, kFewThreadElements = 8;
/// What a block moves at least: an H200 begins one every 1.2 ns, in which it
/// moves 5 KB (rows of 28 bf16 elements by 16 threads in blocks of 3.6 KB 48
/// us, of 7.2 KB 38).
static constexpr int64_t kMinBlockBytes = 6 * 1024;
/// Rows of which a thread loads all at once, also where there are few columns.
static constexpr int64_t kFewRows = 8;
/// What part of the processors blocks of columns use, for their number to be
/// good enough (an H200: 155 blocks on 132 processors, of which the most busy
/// have two, 38 us, 621 narrower ones 25).
static constexpr double kUsedPart = 0.8;
/// Operands of columns that are many, and rows of each that a thread keeps (of
/// four, in vectors of two and blocks of
/// 256 threads 1.57 times as fast as of four and 1024).
static constexpr int64_t kManyLoads = 3, kKeptRows = 8;
/// Elements of the longest row that 1024 threads keep in registers of their own
/// (an H200: a log-softmax of 46556 1.5 times as fast as read twice), and of
/// one of which nothing is stored (sums of 4093 elements 1.3 times as fast as
/// in a loop; a logsumexp of 8191 1.2 times as fast in one, of 16384 1.5
/// times).
static constexpr int64_t kLongestRow = 48 * 1024, kReducedRow = 4096;
/// Elements of a row that each block of a cluster has, where that many blocks
/// are enough: 512 threads keep them (an H200: of about 28 schedules of each of
/// two programs of the class `tail`, this was the fastest).
static constexpr int64_t kClusterPart = 16 * 1024;
/// Elements of such a row in each thread that leave registers for others.
static constexpr int64_t kFewKept = 24;
/// How many times as many threads as are busy there may be for more of them to
/// have something to wait for (an H200: 1.1 times as many are 1.25 times as
/// fast, 1.8 times as many 0.9 times).
static constexpr double kFullBlocks = 1.25;
/// Threads of a row whose sums and maxima are found together.
static constexpr int64_t kOnlineThreads = 128;

/// Large operands and results of which a thread has room for in 32 registers.
static constexpr int64_t kFewTensors = 4;
/// Bytes that a thread loads at a time, in half of the registers that 256
/// threads in each of four blocks have.
static constexpr int64_t kMaxLoadedBytes = 256;
/// Functions of a point that are many, and lanes of a vector that computes them
/// (an H200: a logsumexp of columns of f16, of four functions, in vectors of 4
/// 1.65 times as fast as of 8).
static constexpr int64_t kManyFunctions = 3, kLongVector = 4;
/// Elements of a window that a thread keeps in registers, and how far windows
/// may be apart.
static constexpr int64_t kMaxWindow = 64, kMaxWindowStep = 4;
/// Most rows of one thread, where they are so short that loads of one would
/// leave memory idle (an H100: rows of four bytes 5 times as fast).
static constexpr int64_t kManyRows = 8;

unsigned Selector::countReductions() const {
  return static_cast<unsigned>(llvm::count_if(
      *kernel.getBlock(), [](Operation &op) { return isReduction(&op); }));
}

bool Selector::hasManyBlocks(double threads, int64_t block) const {
  // From as many on as can be there at a time, were they of short rows.
  return threads >=
         static_cast<double>(facts.threads / kRowBlock * block * processors);
}

bool Selector::rereads() const {
  DimDependence dependence(kernel);
  llvm::DenseMap<Value, bool> afterReduction;
  for (Operation &op : *kernel.getBlock()) {
    bool after = isReduction(&op);
    for (Value v : op.getOperands())
      after |= afterReduction.lookup(v);
    bool varies = isa<ScatterOp>(op);
    if (auto store = dyn_cast<StoreOp>(op))
      varies = dependence.of(store.getIndices().getDims()).anyCommon(reduced);
    else if (!varies)
      varies = op.getNumResults() > 0 &&
               dependence[op.getResult(0)].anyCommon(reduced);
    bool depends = llvm::any_of(
        op.getOperands(), [&](Value v) { return afterReduction.lookup(v); });
    if ((varies || isReduction(&op)) && depends)
      return true;
    for (Value v : op.getResults())
      afterReduction[v] = after;
  }
  return false;
}

int64_t Selector::getStoredBytes() const {
  VectorForm form(kernel, layout, static_cast<unsigned>(dim), 2);
  int64_t bytes = 0;
  for (const Access &a : accesses) {
    if (!isLarge(a))
      continue;
    LaneAddress address = form.getAddress(a.op);
    // Quotients of positions are computed once for each thread of a row.
    for (unsigned d = 0; d < kernel.getNumDims(); ++d)
      if (!reduced[d] &&
          !sym::splitLinear(address.full, sym::dim(kernel.getContext(), d)))
        return 0;
    if (isa<StoreOp>(a.op) && address.step && address.step.isConstant(1))
      bytes = bytes ? std::min(bytes, a.bytes) : a.bytes;
  }
  return bytes;
}

int64_t Selector::selectWindowDim() const {
  int64_t result = -1;
  std::pair<int64_t, double> most;
  for (unsigned d = 0; d < kernel.getNumDims(); ++d) {
    if (reduced[d])
      continue;
    // What lies next to each other first, be it of several dimensions.
    std::pair<int64_t, double> run(countRun(d), hints(kernel.getExtent(d)));
    if (run < most)
      continue;
    VectorForm form(kernel, layout, d, 2);
    bool good = llvm::all_of(accesses, [&](const Access &a) {
      if (!isLarge(a))
        return true;
      LaneAddress address = form.getAddress(a.op);
      auto load = dyn_cast<LoadOp>(a.op);
      return address.step && address.step.isConstant() &&
             address.step.getValue() >= 0 &&
             address.step.getValue() <= kMaxWindowStep &&
             (!load || load.getArgs().empty());
    });
    if (good) {
      most = run;
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
    if (isLarge(a))
      step = std::max(step, form.getAddress(a.op).step.getValue());
  width = std::max<int64_t>(1, kAccessBytes / widest /
                                   powerAtLeast(static_cast<double>(step)));
  auto extent = kernel.getExtent(static_cast<unsigned>(dim));
  auto cuts = [&](int64_t w) {
    return !isDivisible(extent, w) &&
           hints(extent) < static_cast<double>(kMinCut * w);
  };
  while (width > 1 && (cuts(width) || window * width > kMaxWindow))
    width /= 2;
  persistent = true;
  itemsR = window;
  return true;
}

bool Selector::isOnlyReduced() const {
  if (!isReduced(dim))
    return false;
  for (unsigned d : reduced.set_bits())
    if (static_cast<int64_t>(d) != dim && !kernel.getExtent(d).isConstant(1))
      return false;
  return true;
}

void Selector::selectRow() {
  // Moments of values that a thread has are sums of distances from the mean.
  bool hasMoments = !kernel.getBlock()->getOps<WelfordOp>().empty();
  bool again = rereads() || (hasMoments && width == 1);
  int64_t most =
      mostR > kBlockRow ? std::numeric_limits<int64_t>::max() : mostR * width;
  // A warp, or a part of one, for each row, but for rows of which a lane would
  // load more than a few vectors of one element.
  bool isLight = countFunctions() <= 1 && countLarge() <= 2;
  if (most <= kWarpRow &&
      mostR <= (isLight ? kMaxLightVectors : kMaxVectors) * warp) {
    auto isMany = [&](double threads) {
      return hasManyBlocks(pointsP * threads, kRowBlock);
    };
    auto kept = [&](int64_t threads) {
      return static_cast<int64_t>(llvm::divideCeil(mostR, threads)) * width;
    };
    // Pieces of rows that are far apart take parts of sectors, which count as
    // whole ones.
    int64_t bytes = getStoredBytes() * width, row = mostR * bytes;
    auto hasPieces = [&](int64_t threads) {
      // Where nothing is written, rows longer than a line whose elements are
      // not narrow are read two sectors at a time.
      if (bytes == 0)
        return widest >= kWordBytes && mostR * width * widest > kLineBytes &&
               threads * width * widest < 2 * kSectorBytes;
      auto sectors = [](int64_t n) {
        return static_cast<double>(n) / kSectorBytes + 1;
      };
      return sectors(threads * bytes) *
                 static_cast<double>(llvm::divideCeil(mostR, threads)) >
             kMaxPieces * sectors(row);
    };
    int64_t loads = std::max<int64_t>(1, countLargeLoads());
    auto hasRoom = [&](int64_t threads) {
      int64_t elements = kept(threads);
      return threads < kFewLanes
                 ? elements <= kFewElements
                 : elements <= kMaxKept && elements * loads <= 2 * kMaxKept;
    };
    threadsR = std::min(warp, powerAtLeast(static_cast<double>(mostR)));
    while (threadsR > 1 && isMany(static_cast<double>(threadsR) / 2) &&
           hasRoom(threadsR / 2) && !hasPieces(threadsR / 2))
      threadsR /= 2;
    // Long bodies: all elements of a thread are computed at a time, whose
    // registers leave room for few threads. Not where more of these would have
    // nothing.
    auto ops = static_cast<int64_t>(kernel.getBlock()->getOperations().size());
    if (ops > kFewOps)
      while (kept(threadsR) > std::max(width, kFewThreadElements) &&
             kept(threadsR) * ops > kMaxThreadOps &&
             2 * threadsR <= kStreamThreads &&
             8 * countSlots(2 * threadsR) <= 9 * countSlots(threadsR))
        threadsR *= 2;
    itemsR = llvm::divideCeil(mostR, threadsR);
    persistent = true;
    threadsP = std::max<int64_t>(
        1, (isMany(static_cast<double>(threadsR)) ? kRowBlock : kFewRowBlock) /
               threadsR);
    // Rows of a few bytes: a thread has several in flight, and there are fewer
    // blocks, whose start takes as long as a few instructions of each thread.
    while (
        itemsP < kManyRows &&
        itemsP * itemsR * width * widest * loads <
            (threadsR == 1 ? 2 : 1) * kAccessBytes &&
        isMany(static_cast<double>(threadsR) / static_cast<double>(2 * itemsP)))
      itemsP *= 2;
    // A block that moves little is over before the next one can begin.
    int64_t moved = 0;
    for (const Access &a : accesses)
      if (isLarge(a))
        moved += a.bytes * mostR * width;
    while (
        threadsP * itemsP * moved < kMinBlockBytes && itemsP < kManyRows &&
        isMany(static_cast<double>(threadsR) / static_cast<double>(2 * itemsP)))
      (threadsP * threadsR < kStreamThreads ? threadsP : itemsP) *= 2;
    return;
  }
  // Rows of which processors would have none: several blocks for each.
  int64_t blocks = 1;
  while (blocks < kMaxCluster &&
         pointsP * static_cast<double>(2 * blocks) <=
             static_cast<double>(processors) &&
         pointsR * static_cast<double>(width) >=
             static_cast<double>(2 * blocks * kLeastPart))
    blocks *= 2;
  if (blocks > 1 && selectCluster(blocks, kBlockRow))
    return;
  if (keepsRow(again)) {
    selectKeptRow();
    if (fitRegisters())
      return;
    persistent = false;
  }
  // Longer ones than a block keeps.
  if (!again || !storesRow() || !selectCluster(2, kClusterPart))
    selectLongRow(again);
}

bool Selector::selectCluster(int64_t least, int64_t part) {
  if (!facts.has(kClusters) || scatters || mostR > kMaxCluster * kLongestRow)
    return false;
  int64_t row = mostR;
  // What threads keep in shared memory, where they have no registers for it.
  int64_t bytes = 0;
  DimDependence dependence(kernel);
  for (const Access &a : accesses)
    if (auto load = dyn_cast<LoadOp>(a.op);
        load && dependence[load.getResult()].anyCommon(reduced))
      bytes += a.bytes;
  int64_t keptPart =
      width > 1 ? getKeptPart(facts.blockSharedBytes, bytes) : kBlockRow;
  for (cluster = least; cluster <= kMaxCluster; cluster *= 2) {
    mostR = llvm::divideCeil(row, cluster);
    bool isEnough = mostR * width <= part || cluster == kMaxCluster;
    bool fits = isEnough && mostR * width <= keptPart;
    if (fits) {
      selectKeptRow();
      fits = persistent = fitRegisters();
    }
    mostR = row;
    if (fits)
      return true;
  }
  cluster = 1;
  return false;
}

bool Selector::storesRow() const {
  DimDependence dependence(kernel);
  return llvm::any_of(accesses, [&](const Access &a) {
    auto store = dyn_cast<StoreOp>(a.op);
    return isa<ScatterOp>(a.op) ||
           (store &&
            dependence.of(store.getIndices().getDims()).anyCommon(reduced));
  });
}

bool Selector::keepsRow(bool again) const {
  int64_t most =
      mostR > kLongestRow ? std::numeric_limits<int64_t>::max() : mostR * width;
  if (storesRow()) {
    // One tensor that is read and one that is written: a thread alone with its
    // registers keeps more than is worth to be read again.
    bool isOne = countLarge() == 2 && widest == 4 && width > 1 && alignTo < 0;
    return again && most <= (isOne ? kLongestRow : kBlockRow);
  }
  // Nothing is written for each element: a maximum that is found on the way
  // costs less than the threads that keep a long row.
  if (again && !hasOnlineSums())
    return most <= kBlockRow;
  bool hasMoments = !kernel.getBlock()->getOps<WelfordOp>().empty();
  return again ? most <= kReducedRow
               : most <= kReducedRow && !hasMoments && isOnlyReduced();
}

void Selector::selectKeptRow() {
  int64_t most = mostR * width;
  bool stores = storesRow();
  persistent = true;
  if (most > kBlockRow) {
    threadsR = facts.blockThreads;
    itemsR = llvm::divideCeil(mostR, threadsR);
    minBlocks = 1;
    return;
  }
  // A block of 1024 threads is alone on its processor, and waits alone. Half of
  // the threads keep short elements in shared memory, so that there is room for
  // two blocks, one of which loads while the other computes.
  if (widest <= 2 && width > 1 && most > kBlockRow / 2 &&
      facts.blockSharedBytes >= kMaxKeptBytes) {
    threadsR = busyThreads / 2;
    itemsR = llvm::divideCeil(mostR, threadsR);
    minBlocks = 2;
    return;
  }
  // Threads that only combine what they load have room for more of it, and
  // meet the sooner the fewer they are.
  threadsR = kRowBlock;
  while (threadsR < facts.blockThreads &&
         threadsR * (stores && threadsR < kStreamThreads ? kMaxKept / 2
                                                         : kMaxKept) <
             most)
    threadsR *= 2;
  // Vectors are few elements where these are wide: more threads have as much
  // under way, unless some of them would have nothing.
  bool isWide = stores && widest == 4 && threadsR == kStreamThreads &&
                llvm::divideCeil(mostR, 2 * threadsR) * 2 ==
                    llvm::divideCeil(mostR, threadsR);
  if (isWide)
    threadsR *= 2;
  itemsR = llvm::divideCeil(mostR, threadsR);
  // Where threads keep little, more of them wait for memory.
  int64_t threads = busyThreads, kept = itemsR * width;
  if (kernel.getBlock()->getOperations().size() <= kFewOps) {
    // 32 registers a thread do not hold parts of more tensors than a few.
    if (isWide && kept <= kMaxKept / 4)
      threads += countLarge() <= kFewTensors ? threads : threads / 2;
    else if (!isWide && kept <= (stores ? kMaxKept / 2 : kFewKept))
      threads += threads / 2;
  }
  minBlocks = std::min(threads, facts.threads) / threadsR;
}

void Selector::selectLongRow(bool again) {
  bool hasMoments = !kernel.getBlock()->getOps<WelfordOp>().empty();
  bool isOnline = hasOnlineSums();
  // In flight: a few vectors for each thread.
  itemsR = std::max<int64_t>(1, std::min<int64_t>(8, 16 / width));
  // What is read again may be in the cache still if there are few rows at a
  // time, which long blocks are.
  bool isLongBlock = again && storesRow();
  threadsR =
      std::clamp<int64_t>(powerAtLeast(pointsR / static_cast<double>(itemsR)),
                          warp, (isLongBlock ? 2 : 1) * kStreamThreads);
  if (isLongBlock && countLarge() <= 2)
    itemsR = std::max<int64_t>(itemsR, 4);
  while (itemsR > 1 && static_cast<double>(threadsR * itemsR) > pointsR)
    itemsR /= 2;
  // Few threads wait for one another less often, which is what each step of
  // such a sum does.
  if (isOnline && !isLongBlock && threadsR > kOnlineThreads)
    threadsR = kOnlineThreads;
  // As many rows as processors: a block has what is in flight on one of them.
  while (2 * threadsR <= facts.blockThreads &&
         pointsP * static_cast<double>(2 * threadsR) <=
             (isOnline ? kFullBlocks : 1) *
                 static_cast<double>(processors * busyThreads) &&
         pointsR >= static_cast<double>(8 * threadsR * itemsR))
    threadsR *= 2;
  // Eight positions or moments in each vector: what a block combines at the end
  // takes as long as to load, and is less for fewer threads.
  if (width >= 8 && threadsR > 128 && isOnlyReduced() &&
      (hasMoments || !kernel.getBlock()->getOps<ArgReduceOp>().empty())) {
    threadsR = 128;
    itemsR = hasMoments ? 4 : itemsR;
  }
  // Two vectors of 16 bits to a step are so little code that assemblers unroll
  // it four times, which takes longer than four vectors and is no faster.
  bool isLong = pointsR >= static_cast<double>(16 * threadsR * itemsR);
  if (width >= 8 && itemsR == 2 && isLong && countLarge() == 1 &&
      countReductions() == 1 && !kernel.getBlock()->getOps<ReduceOp>().empty())
    itemsR = 4;
  threadsP = std::max<int64_t>(1, 128 / threadsR);
  // Two blocks or more, so that one loads while another reduces. Indirect
  // addresses take more registers than that leaves.
  if (!gathers())
    minBlocks = busyThreads / (threadsP * threadsR);
}

int64_t Selector::getPartialBytes() const {
  int64_t bytes = 0;
  for (Operation &op : *kernel.getBlock()) {
    if (!isReduction(&op))
      continue;
    // How many values count is one more where it differs between threads.
    auto moments = dyn_cast<WelfordOp>(op);
    if (moments && !matchPattern(moments.getCount(), m_Constant()))
      bytes += static_cast<int64_t>(llvm::divideCeil(
          moments.getCount().getType().getIntOrFloatBitWidth(), 8));
    for (Type type : op.getResultTypes()) {
      auto reduce = dyn_cast<ReduceOp>(op);
      // Threads tell each other what a product has lost, too, and squares of
      // f64.
      bool isPair = reduce ? reduce.getKind() == ReduceKind::Prod
                           : moments && type.isF64();
      int64_t parts = isPair ? 2 : 1;
      bytes += parts * static_cast<int64_t>(
                           llvm::divideCeil(type.getIntOrFloatBitWidth(), 8));
    }
  }
  return bytes;
}

int64_t Selector::countRun(unsigned first) const {
  // Of the operands that are largest, the one with the most.
  int64_t most = 1;
  for (const Access &a : accesses) {
    if (!isLarge(a))
      continue;
    double next = 1;
    int64_t run = 1;
    SmallVector<unsigned> dims{first};
    for (unsigned d = kernel.getNumDims(); d-- > 0;)
      if (!reduced[d] && d != first)
        dims.push_back(d);
    for (unsigned d : dims) {
      if (kernel.getExtent(d).isConstant(1))
        continue;
      LaneAddress address = VectorForm(kernel, layout, d, 2).getAddress(a.op);
      if (!address.step || hints(address.step) != next)
        break;
      double extent = hints(kernel.getExtent(d));
      run *= static_cast<int64_t>(std::max(1.0, extent));
      next *= extent;
    }
    most = std::max(most, run);
  }
  return most;
}

int64_t Selector::getColumnRun() const {
  if (dim < 0)
    return 1;
  return powerAtLeast(static_cast<double>(
      llvm::divideCeil(countRun(static_cast<unsigned>(dim)), width)));
}

void Selector::halveWidth() {
  width /= 2;
  (isReduced(dim) ? pointsR : pointsP) *= 2;
  if (isReduced(dim))
    mostR *= 2;
}

void Selector::narrowLongChains() {
  while (width > kLongVector && countFunctions() >= kManyFunctions)
    halveWidth();
}

void Selector::narrowColumns() {
  narrowLongChains();
  // Few elements to a result: one thread loads all of them at a time, in
  // narrower vectors where wide ones take too many registers.
  if (mostR > kMaxKept)
    return;
  int64_t bytes = mostR * countLarge() * widest, narrow = width;
  while (narrow > 1 &&
         (bytes * narrow > kMaxLoadedBytes || mostR * narrow > kMaxKept))
    narrow /= 2;
  if (bytes <= kMaxLoadedBytes &&
      hasManyBlocks(pointsP * static_cast<double>(width / narrow),
                    kStreamThreads))
    while (width > narrow)
      halveWidth();
}

void Selector::selectColumn() {
  narrowColumns();
  bool again = rereads();
  // Sums of each lane go through shared memory, those of a warp together where
  // it has several rows.
  auto fits = [&](int64_t threads) {
    int64_t owners = threads / std::max<int64_t>(1, warp / threadsP);
    return owners * width * getPartialBytes() <= facts.staticSharedBytes;
  };
  threadsP = std::min({warp, powerAtLeast(pointsP), getColumnRun()});
  // Where most processors would have nothing: pieces of half a sector, the rest
  // of whose lines the neighbouring blocks read.
  while (threadsP > 1 && threadsP * width * widest > kSectorBytes / 2 &&
         2 * pointsP < static_cast<double>(threadsP * processors))
    threadsP /= 2;
  // All wait for processors that have one block more than others: narrower ones
  // of whole sectors, where these are spread better.
  auto getUsedPart = [&](int64_t threads) {
    double blocks = std::ceil(pointsP / static_cast<double>(threads));
    auto most = static_cast<double>(processors);
    return blocks / (most * std::ceil(blocks / most));
  };
  while (threadsP * width * widest > kLineBytes &&
         getUsedPart(threadsP) < kUsedPart &&
         getUsedPart(threadsP / 2) > getUsedPart(threadsP))
    threadsP /= 2;
  threadsR = kStreamThreads / threadsP;
  double blocks = pointsP / static_cast<double>(threadsP);
  while (threadsR * threadsP < facts.blockThreads &&
         fits(2 * threadsR * threadsP) &&
         (blocks < static_cast<double>(2 * processors) ||
          blocks * static_cast<double>(2 * threadsR * threadsP) <=
              kFullBlocks * static_cast<double>(processors * busyThreads)) &&
         pointsR > static_cast<double>(threadsR * 8))
    threadsR *= 2;
  while (threadsR > 1 && (static_cast<double>(threadsR) > pointsR ||
                          !fits(threadsR * threadsP)))
    threadsR /= 2;
  // Rows too short for more threads leave room for more columns.
  while (threadsR * threadsP < 128 &&
         pointsP > static_cast<double>(threadsP * processors))
    threadsP *= 2;
  // Few elements to a result: no threads share one.
  bool isShort = mostR <= kMaxKept && mostR * width <= kMaxKept &&
                 mostR * width * countLarge() * widest <= kMaxLoadedBytes;
  bool hasMany = (mostR <= kManyElements / width || isShort) &&
                 hasManyBlocks(pointsP, kStreamThreads);
  bool isFew = mostR <= kFewRows && isShort &&
               pointsP >= static_cast<double>(warp * processors);
  if (hasMany || isFew) {
    threadsP = kStreamThreads;
    while (threadsP > kFewRowBlock &&
           pointsP < static_cast<double>(threadsP * processors))
      threadsP /= 2;
    threadsR = 1;
  }
  // Threads whose items are as many as there are points, or hardly more: the
  // fewest of them whose registers hold what they load.
  auto holds = [&](int64_t threads) {
    int64_t elements = llvm::divideCeil(mostR, threads) * width;
    return elements <= kMaxKept &&
           elements * countLarge() * widest <= kMaxLoadedBytes;
  };
  for (int64_t fewer = threadsR / 2;
       mostR <= kBlockRow && fewer > 0 && holds(fewer); fewer /= 2)
    if (4 * countSlots(fewer) <= 3 * countSlots(threadsR) &&
        hasManyBlocks(pointsP * static_cast<double>(fewer), kStreamThreads))
      threadsR = fewer;
  if (threadsR * threadsP < kStreamThreads / 2)
    threadsP = kStreamThreads / threadsR;
  int64_t kept = llvm::divideCeil(mostR, threadsR);
  if (keepsColumns && mostR <= kBlockRow && kept * width <= kMaxKept) {
    persistent = true;
    itemsR = kept;
    // What is loaded and what long functions need at a time take the registers
    // of all threads (an H200: four operands and functions of 7 rows in vectors
    // of two 1.24 times as fast as of four).
    int64_t loads = countLargeLoads();
    while (width > 1 && countFunctions() >= kManyFunctions &&
           kept * width * loads * widest > kMaxLoadedBytes)
      halveWidth();
    double points = pointsP * static_cast<double>(threadsR);
    while (
        2 * itemsP * itemsR * width <= kManyElements &&
        hasManyBlocks(points / static_cast<double>(2 * itemsP), kStreamThreads))
      itemsP *= 2;
    return;
  }
  // Of several operands a thread keeps a few rows in narrow vectors: blocks of
  // 1024 threads have no registers for more.
  if (int64_t loads = countLargeLoads();
      keepsColumns && again && loads >= kManyLoads) {
    int64_t rows = powerAtLeast(
                static_cast<double>(llvm::divideCeil(mostR, kKeptRows))),
            narrow = width;
    while (narrow > 1 && kKeptRows * narrow * loads > 2 * kMaxKept)
      narrow /= 2;
    int64_t columns =
        std::max<int64_t>(1, 2 * kSectorBytes / (narrow * widest));
    if (rows <= facts.blockThreads / 2 / columns && fits(rows * columns)) {
      while (width > narrow)
        halveWidth();
      threadsP = std::min(columns, powerAtLeast(pointsP));
      threadsR = rows;
      itemsR = llvm::divideCeil(mostR, rows);
      persistent = true;
      return;
    }
  }
  // Fewer columns, down to sectors of them, leave more threads for each.
  for (int64_t columns = threadsP;
       keepsColumns && again && mostR <= kBlockRow &&
       fits(facts.blockThreads) && columns > 0 &&
       (columns == threadsP || columns * width * widest >= kSectorBytes);
       columns /= 2) {
    int64_t more = facts.blockThreads / columns;
    kept = llvm::divideCeil(mostR, more);
    if (more > threadsR && kept * width <= kMaxKept &&
        keepsInRegisters(facts.blockThreads, kept)) {
      persistent = true;
      threadsP = columns;
      threadsR = more;
      itemsR = kept;
      minBlocks = 1;
      return;
    }
  }
  // 1024 threads on each processor have enough under way with two vectors of
  // 32 bits each.
  bool isFull = threadsP * threadsR == facts.blockThreads &&
                4 * pointsP >= static_cast<double>(3 * threadsP * processors);
  itemsR = isFull && widest == 4 ? 2 : 4;
  while (itemsR > 1 && static_cast<double>(threadsR * itemsR) > pointsR)
    itemsR /= 2;
  // A sum of one tensor takes few registers, and the compiler may take more
  // than leave room for four blocks.
  if (threadsP * threadsR == kStreamThreads && countLarge() == 1 &&
      !gathers() && countReductions() == 1)
    minBlocks = busyThreads / kStreamThreads;
}
