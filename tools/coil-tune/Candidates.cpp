//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The neighbours of schedules.
//
//===----------------------------------------------------------------------===//

#include "Candidates.h"

#include "coil/Dialect/Loop/Analysis/Hints.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace coil;
using loop::GPUScheduleAttr;
using loop::GPUStrategy;
using loop::MmaAttr;
using loop::ScheduleAttr;
using loop::ScheduleAttrInterface;

namespace {

/// The parameters of `#loop.schedule`, to be changed.
struct CPUParameters {
  StringAttr library;
  int64_t vectorDim, vectorWidth, unroll, block, grain, rows;
  DenseI64ArrayAttr keep, stream;
  int64_t transposeDim, transposeBlock;

  explicit CPUParameters(ScheduleAttr s)
      : library(s.getLibrary()), vectorDim(s.getVectorDim()),
        vectorWidth(s.getVectorWidth()), unroll(s.getUnroll()),
        block(s.getBlock()), grain(s.getGrain()), rows(s.getRows()),
        keep(s.getKeep()), stream(s.getStream()),
        transposeDim(s.getTransposeDim()),
        transposeBlock(s.getTransposeBlock()) {}

  ScheduleAttrInterface get(MLIRContext *context) const {
    return ScheduleAttr::getChecked(
        [&] { return emitError(UnknownLoc::get(context)); }, context, library,
        vectorDim, vectorWidth, unroll, block, grain, rows, keep, stream,
        transposeDim, transposeBlock);
  }
};

/// The parameters of `#loop.mma`.
struct MmaParameters {
  loop::MmaInstruction instruction;
  int64_t m, n, k, warpsM, warpsN, warpsK, stages;
  bool async;
  int64_t group;

  explicit MmaParameters(MmaAttr a)
      : instruction(a.getInstruction()), m(a.getM()), n(a.getN()), k(a.getK()),
        warpsM(a.getWarpsM()), warpsN(a.getWarpsN()), warpsK(a.getWarpsK()),
        stages(a.getStages()), async(a.getAsync()), group(a.getGroup()) {}

  MmaAttr get(MLIRContext *context) const {
    return MmaAttr::getChecked(
        [&] { return emitError(UnknownLoc::get(context)); }, context,
        instruction, m, n, k, warpsM, warpsN, warpsK, stages, async, group);
  }
};

/// The parameters of `#loop.gpu_schedule`.
struct GPUParameters {
  GPUStrategy strategy;
  int64_t vectorDim, vectorWidth, transposeDim, threadsP, threadsR, itemsP,
      itemsR;
  bool persistent;
  int64_t minBlocks, indexBits, owners;
  bool splitR;
  int64_t alignTo;
  bool prefetch, descending;
  int64_t stages, blocks;
  MmaAttr mma;
  mlir::DenseI64ArrayAttr boxDims, box;
  int64_t cluster;

  explicit GPUParameters(GPUScheduleAttr s)
      : strategy(s.getStrategy()), vectorDim(s.getVectorDim()),
        vectorWidth(s.getVectorWidth()), transposeDim(s.getTransposeDim()),
        threadsP(s.getThreadsP()), threadsR(s.getThreadsR()),
        itemsP(s.getItemsP()), itemsR(s.getItemsR()),
        persistent(s.getPersistent()), minBlocks(s.getMinBlocks()),
        indexBits(s.getIndexBits()), owners(s.getOwners()),
        splitR(s.getSplitR()), alignTo(s.getAlignTo()),
        prefetch(s.getPrefetch()),
        // What ran before is decided after the schedule.
        descending(false), stages(s.getStages()), blocks(s.getBlocks()),
        mma(s.getMma()), boxDims(s.getBoxDims()), box(s.getBox()),
        cluster(s.getCluster()) {}

  ScheduleAttrInterface get(MLIRContext *context) const {
    return GPUScheduleAttr::getChecked(
        [&] { return emitError(UnknownLoc::get(context)); }, context, strategy,
        vectorDim, vectorWidth, transposeDim, threadsP, threadsR, itemsP,
        itemsR, persistent, minBlocks, indexBits, owners, splitR, alignTo,
        prefetch, descending, stages, blocks, mma, boxDims, box, cluster);
  }
};

/// Collects candidates by the parameters that were changed.
class Enumeration {
public:
  Enumeration(loop::KernelOp kernel, ScheduleAttrInterface schedule)
      : context(kernel.getContext()), original(schedule),
        copy(kernel->getParentOp()->clone()) {
    copy->walk([&](loop::KernelOp inner) { body = inner; });
    for (unsigned d = 0; d < body.getNumDims(); ++d)
      rank = d + 1;
    SmallVector<unsigned> dims = body.getReducedDims();
    reduces = !dims.empty();
    loop::Hints hints(kernel);
    for (unsigned d : dims)
      reducedPoints *= static_cast<int64_t>(hints(kernel.getExtent(d)));
  }
  ~Enumeration() { copy->erase(); }

  void add(StringRef parameter, ScheduleAttrInterface schedule) {
    if (!schedule || schedule == original)
      return;
    body.setScheduleAttr(schedule);
    if (succeeded(verify(copy)))
      groups[parameter].insert(schedule);
  }

  void enumerate(ScheduleAttr schedule);
  void enumerate(GPUScheduleAttr schedule);
  void enumerateThreads(GPUParameters p);
  void enumerateMma(GPUParameters p);

  /// One of each parameter, then the next of each.
  SmallVector<ScheduleAttrInterface> take() {
    llvm::SetVector<ScheduleAttrInterface> result;
    for (size_t i = 0, more = 1; more; ++i) {
      more = 0;
      for (auto &[name, group] : groups) {
        if (i < group.size())
          result.insert(group[i]);
        more += i + 1 < group.size();
      }
    }
    return result.takeVector();
  }

private:
  template <typename Parameters, typename Change>
  void change(StringRef name, Parameters p, Change change) {
    change(p);
    add(name, p.get(context));
  }

  MLIRContext *context;
  ScheduleAttrInterface original;
  Operation *copy;
  loop::KernelOp body;
  int64_t rank = 0, reducedPoints = 1;
  bool reduces = false;
  llvm::MapVector<StringRef, llvm::SetVector<ScheduleAttrInterface>> groups;
};

} // namespace

/// A size by a factor.
static int64_t scale(int64_t value, std::pair<int64_t, int64_t> factor) {
  return std::max<int64_t>(1, value * factor.first / factor.second);
}

void Enumeration::enumerate(ScheduleAttr schedule) {
  using P = CPUParameters;
  const P base(schedule);
  for (std::pair<int64_t, int64_t> f :
       {std::pair<int64_t, int64_t>{1, 2}, {2, 1}, {1, 4}, {4, 1}}) {
    change("width", base,
           [&](P &p) { p.vectorWidth = scale(p.vectorWidth, f); });
    change("unroll", base, [&](P &p) { p.unroll = scale(p.unroll, f); });
    change("block", base, [&](P &p) { p.block = scale(p.block, f); });
    change("grain", base, [&](P &p) {
      p.grain = scale(p.grain, {f.first * f.first, f.second * f.second});
    });
    if (base.transposeDim >= 0)
      change("side", base,
             [&](P &p) { p.transposeBlock = scale(p.transposeBlock, f); });
  }
  if (reduces)
    for (int64_t rows : {0, 4, 8, 2})
      change("rows", base, [&](P &p) {
        p.rows = rows;
        p.transposeDim = -1;
        p.transposeBlock = 1;
      });
  for (int64_t d = 0; d < rank; ++d) {
    change("dim", base, [&](P &p) {
      p.vectorDim = d;
      p.transposeDim = -1;
      p.transposeBlock = 1;
      p.rows = 0;
      p.vectorWidth = std::max<int64_t>(p.vectorWidth, 16);
      // It is the results of a dimension by number that are streamed or kept.
      p.stream = p.keep = nullptr;
    });
    change("transpose", base, [&](P &p) {
      p.transposeDim = d;
      p.transposeBlock = std::max<int64_t>(p.transposeBlock, 64);
      p.block = std::min<int64_t>(p.block, 64);
      p.unroll = 1;
      p.rows = 0;
    });
  }
  if (base.transposeDim >= 0)
    change("transpose", base, [&](P &p) {
      p.transposeDim = -1;
      p.transposeBlock = 1;
    });
  if (base.stream)
    change("stream", base, [&](P &p) { p.stream = nullptr; });
}

void Enumeration::enumerateThreads(GPUParameters base) {
  using P = GPUParameters;
  bool hasR = base.threadsR > 1 || base.itemsR > 1 || base.persistent;
  /// A tile that a block keeps covers all reduced points.
  auto cover = [&](P &p) {
    if (p.persistent)
      p.itemsR = std::max<int64_t>(
          1, llvm::divideCeil(base.itemsR * base.threadsR * base.vectorWidth,
                              p.threadsR * p.vectorWidth));
  };
  for (std::pair<int64_t, int64_t> f :
       {std::pair<int64_t, int64_t>{1, 2}, {2, 1}, {1, 4}, {4, 1}}) {
    change("threads_p", base, [&](P &p) { p.threadsP = scale(p.threadsP, f); });
    change("items_p", base, [&](P &p) { p.itemsP = scale(p.itemsP, f); });
    change("width", base, [&](P &p) {
      p.vectorWidth = scale(p.vectorWidth, f);
      p.alignTo = -1;
      cover(p);
    });
    // As many points of a block, by more or fewer threads.
    change("balance", base, [&](P &p) {
      p.threadsP = scale(p.threadsP, f);
      p.itemsP = scale(p.itemsP, {f.second, f.first});
    });
    if (!hasR)
      continue;
    change("threads_r", base, [&](P &p) {
      p.threadsR = scale(p.threadsR, f);
      cover(p);
    });
    // As many threads, more or fewer for a row.
    change("shape", base, [&](P &p) {
      p.threadsR = scale(p.threadsR, f);
      p.threadsP = scale(p.threadsP, {f.second, f.first});
      cover(p);
    });
    if (!base.persistent)
      change("items_r", base, [&](P &p) { p.itemsR = scale(p.itemsR, f); });
  }
}

void Enumeration::enumerateMma(GPUParameters base) {
  const MmaParameters tile(base.mma);
  auto with = [&](StringRef name, auto changeTile) {
    MmaParameters t = tile;
    changeTile(t);
    MmaAttr mma = t.get(context);
    if (!mma)
      return;
    change(name, base, [&](GPUParameters &p) {
      p.mma = mma;
      p.threadsP = mma.getNumWarps() * (base.threadsP / base.mma.getNumWarps());
    });
  };
  using T = MmaParameters;
  for (std::pair<int64_t, int64_t> f :
       {std::pair<int64_t, int64_t>{1, 2}, {2, 1}}) {
    with("m", [&](T &t) { t.m = scale(t.m, f); });
    with("n", [&](T &t) { t.n = scale(t.n, f); });
    with("k", [&](T &t) { t.k = scale(t.k, f); });
    with("m, warps", [&](T &t) {
      t.m = scale(t.m, f);
      t.warpsM = scale(t.warpsM, f);
    });
    with("n, warps", [&](T &t) {
      t.n = scale(t.n, f);
      t.warpsN = scale(t.warpsN, f);
    });
    with("warps_m", [&](T &t) { t.warpsM = scale(t.warpsM, f); });
    with("warps_n", [&](T &t) { t.warpsN = scale(t.warpsN, f); });
    with("warps_k", [&](T &t) { t.warpsK = scale(t.warpsK, f); });
    with("group", [&](T &t) {
      t.group = scale(t.group, {f.first * f.first, f.second * f.second});
    });
  }
  for (int64_t more : {1, -1, 2})
    with("stages",
         [&](T &t) { t.stages = std::max<int64_t>(2, t.stages + more); });
  with("async", [&](T &t) { t.async = !t.async; });
}

void Enumeration::enumerate(GPUScheduleAttr schedule) {
  using P = GPUParameters;
  const P base(schedule);
  for (int64_t blocks : {2, 4, 1, 8, 0})
    change("min_blocks", base, [&](P &p) { p.minBlocks = blocks; });
  if (base.strategy == GPUStrategy::Mma)
    return enumerateMma(base);
  enumerateThreads(base);
  if (base.strategy == GPUStrategy::Scan)
    return;
  bool isTile = base.strategy == GPUStrategy::Tile;
  if (isTile && reduces) {
    change("prefetch", base, [&](P &p) { p.prefetch = !p.prefetch; });
    change("persistent", base, [&](P &p) {
      p.persistent = !p.persistent;
      p.prefetch = false;
      p.itemsR = p.persistent ? llvm::divideCeil(reducedPoints,
                                                 p.threadsR * p.vectorWidth)
                              : 1;
    });
  }
  for (int64_t d = 0; d < rank; ++d) {
    change("dim", base, [&](P &p) {
      p.vectorDim = d;
      p.alignTo = -1;
    });
    if (reduces || base.owners > 0 || base.vectorDim < 0)
      continue;
    // A tile of two dimensions, as many threads as before.
    change("strategy", base, [&](P &p) {
      p.strategy = GPUStrategy::Transpose;
      p.transposeDim = d;
      p.alignTo = -1;
      p.prefetch = false;
      if (isTile) {
        p.threadsR = 32;
        p.threadsP = std::max<int64_t>(1, base.threadsP / 32);
        p.itemsP = p.itemsR = 1;
      }
    });
  }
  if (!isTile)
    change("strategy", base, [&](P &p) {
      p.strategy = GPUStrategy::Tile;
      p.transposeDim = -1;
      p.threadsP = base.threadsP * base.threadsR;
      p.threadsR = p.itemsR = 1;
    });
}

SmallVector<ScheduleAttrInterface>
coil::getCandidates(loop::KernelOp kernel, ScheduleAttrInterface schedule) {
  // What the verifiers refuse is no candidate.
  ScopedDiagnosticHandler silent(kernel.getContext(),
                                 [](Diagnostic &) { return success(); });
  Enumeration enumeration(kernel, schedule);
  if (auto cpu = dyn_cast<ScheduleAttr>(schedule))
    enumeration.enumerate(cpu);
  else if (auto gpu = dyn_cast<GPUScheduleAttr>(schedule))
    enumeration.enumerate(gpu);
  return enumeration.take();
}
