//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `loop-select-schedule`.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Loop/Transforms/Passes.h"

#include "coil/Dialect/Loop/Analysis/Contraction.h"
#include "coil/Dialect/Loop/Analysis/Hints.h"
#include "coil/Dialect/Loop/Analysis/Phases.h"
#include "coil/Dialect/Loop/IR/RowOps.h"
#include "coil/Dialect/Loop/Transforms/ScheduleStrategy.h"
#include "coil/Dialect/Target/IR/TargetKind.h"
#include "coil/Support/Libraries.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <limits>

#define DEBUG_TYPE "loop-select-schedule"

namespace coil::loop {
#define GEN_PASS_DEF_LOOPSELECTSCHEDULEPASS
#include "coil/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace coil::loop

using namespace mlir;
using namespace coil;
using namespace coil::loop;

namespace {

/// Points of a vectorised parallel dimension in one task.
constexpr int64_t kBlock = 4096;
/// Operations that are worth waking a thread for.
constexpr double kWorkPerGrain = 32768;
/// Cost of a function that code is generated for, in additions.
constexpr int64_t kFunctionCost = 16;
/// Cost of a value, in additions, from which on it is kept.
constexpr int64_t kKeepCost = 8;
/// Rows that a reduction takes at a time, and from how many rows and points on
/// it goes by rows.
constexpr int64_t kRows = 4;
/// The same for moments, whose accumulators are twice as long.
constexpr int64_t kMomentRows = 8;
constexpr double kMinRows = 32, kMinRowPoints = 1 << 20;
/// The least points of a block that is cut for the sake of parallelism (rows of
/// half of it and more go by rows), and how many tasks are worth that.
constexpr int64_t kMinRowBlock = 1024;
constexpr double kRowTasks = 64;
/// Points of either dimension in a task that transposes: whole cache lines of
/// operands of a byte for each element, and few enough of f64 for the second
/// cache.
constexpr int64_t kTransposeBlock = 64;
/// The time of a vector when this many go through the body together, and of one
/// under a mask, in those of a single vector: of the kernels among 74 of random
/// fusions on one core of a Zen 4 (benchmarks/results/random-cpu.md, "Unrolling
/// on CPUs").
constexpr std::pair<int64_t, double> kVectorTimes[] = {
    {1, 1.0}, {2, 0.9}, {4, 0.8}};
constexpr double kMaskedVectorTime = 1.65;
/// A row of this many of the widest vectors is short. The vectors of which it
/// has a whole number have at least so many lanes, and there are at most so
/// many of them: rows of 4 to 112 elements in a gathered sum, a sum at
/// positions and a product, on one core of a Zen 4 (benchmarks/results/cpu.md,
/// "Short rows").
constexpr int64_t kShortRow = 4, kLeastWidth = 4, kMostShortVectors = 7;

/// Whether what `op` computes or stores differs along dimension `d`.
bool variesOver(Operation *op, const DimDependence &dependence, unsigned d) {
  if (auto store = dyn_cast<StoreOp>(op))
    return dependence.of(store.getIndices().getDims()).test(d);
  return op->getNumResults() == 0 ||
         llvm::any_of(op->getResults(),
                      [&](Value v) { return dependence[v].test(d); }) ||
         llvm::any_of(op->getOperands(),
                      [&](Value v) { return dependence[v].test(d); });
}

/// Whether what `op` computes or stores differs along a reduced dimension.
bool isInner(Operation *op, const DimDependence &dependence,
             ArrayRef<unsigned> reduced) {
  return llvm::any_of(
      reduced, [&](unsigned d) { return variesOver(op, dependence, d); });
}

struct LoopSelectSchedulePass
    : coil::loop::impl::LoopSelectSchedulePassBase<LoopSelectSchedulePass> {
  using LoopSelectSchedulePassBase::LoopSelectSchedulePassBase;

  void runOnOperation() override {
    if (StringRef unknown; !areLibraries(library, unknown)) {
      getOperation()->emitError()
          << "unknown library '" << unknown
          << "', expected 'onednn', 'cublaslt', 'cudnn', 'cub' or 'none'";
      return signalPassFailure();
    }
    if (!onlyLibrary && failed(readTarget()))
      return signalPassFailure();
    SmallVector<KernelOp> kernels;
    getOperation()->walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    for (KernelOp kernel : kernels) {
      if (kernel.getSchedule())
        continue;
      if (StringRef name = findLibrary(kernel, library); !name.empty()) {
        kernel.setScheduleAttr(ScheduleAttr::get(
            &getContext(), StringAttr::get(&getContext(), name), -1, 1, 1, 1, 1,
            0, nullptr, nullptr, -1, 1));
        continue;
      }
      if (onlyLibrary)
        continue;
      if (ScheduleAttrInterface schedule =
              askScheduleStrategies(kernel, device, getArgument()))
        kernel.setScheduleAttr(schedule);
      else
        kernel.setScheduleAttr(select(kernel, vectorBits, Hints(kernel)));
    }
  }

  /// Caches of a core.
  LogicalResult readTarget() {
    target::TargetAttrInterface target = getTarget();
    device = target.getKind();
    FailureOr<int64_t> first = target.requireFact(getOperation(), "l1_bytes");
    FailureOr<int64_t> second = target.requireFact(getOperation(), "l2_bytes");
    if (failed(first) || failed(second))
      return failure();
    rowBytes = *first / 2;
    keepBytes = static_cast<double>(*second);
    return success();
  }

  /// That of the program where its kernels are tasks of cores, else that of the
  /// host.
  target::TargetAttrInterface getTarget() {
    if (auto program = target::getProgramTarget(getOperation()))
      if (const target::TargetKind *kind =
              target::lookupTargetKind(program.getKind());
          kind && kind->form == target::KernelForm::Vectors)
        return program;
    return target::getTarget(getOperation(), target::getDefaultTargetKind());
  }

  /// What computing `op` at one point costs, in additions.
  static int64_t getCost(Operation *op) {
    if (isa<SpecialOp>(op))
      return 60;
    if (isa<math::ExpOp, math::Exp2Op, math::ExpM1Op, math::LogOp, math::Log2Op,
            math::Log10Op, math::Log1pOp, math::TanhOp, math::ErfOp>(op))
      return kFunctionCost;
    if (isa<math::SqrtOp, math::RsqrtOp, arith::DivFOp>(op))
      return 6;
    if (isa<math::AbsFOp, math::AbsIOp, math::CopySignOp, math::FloorOp,
            math::CeilOp, math::TruncOp, math::RoundOp, math::RoundEvenOp,
            math::FmaOp>(op))
      return 1;
    if (isa<math::MathDialect>(op->getDialect()) ||
        isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
            arith::RemFOp>(op))
      return 30;
    // A few rows.
    if (isa<SegmentSumOp>(op))
      return 8;
    return isa<LoadOp>(op) ? 2 : isa<arith::ConstantOp>(op) ? 0 : 1;
  }

  /// The results that vectors are stored to and that no cache holds. Null when
  /// there are none.
  DenseI64ArrayAttr selectStream(KernelOp kernel, const Hints &hints,
                                 const DimDependence &dependence,
                                 int64_t vectorDim) {
    SmallVector<int64_t> stream;
    for (unsigned output = 0; output < kernel.getNumResults(); ++output) {
      StoreOp store = kernel.getStore(output);
      if (!store || vectorDim < 0)
        continue;
      ArrayRef<sym::ExprAttr> indices = store.getIndices().getDims();
      // Dimensions that the result lacks are walked within one task.
      llvm::SmallBitVector varies = dependence.of(indices);
      if (!varies[static_cast<unsigned>(vectorDim)])
        continue;
      double bytes = store.getValue().getType().getIntOrFloatBitWidth() / 8.0;
      for (unsigned d = 0; d < kernel.getNumDims(); ++d)
        if (varies[d])
          bytes *= hints(kernel.getExtent(d));
      if (bytes >= static_cast<double>(streamBytes))
        stream.push_back(output);
    }
    return stream.empty() ? nullptr
                          : DenseI64ArrayAttr::get(&getContext(), stream);
  }

  /// For each result the op whose value it is to keep, see `#loop.schedule`.
  /// Null when none is worth it.
  DenseI64ArrayAttr selectKeep(KernelOp kernel, const Hints &hints,
                               int64_t block, DenseI64ArrayAttr stream,
                               bool vectorIsReduced) {
    Phases phases(kernel);
    if (phases.size() == 1)
      return nullptr;
    double points = static_cast<double>(block);
    for (unsigned d : kernel.getReducedDims())
      points *= hints(kernel.getExtent(d));
    SmallVector<int64_t> keep(kernel.getNumResults(), -1);
    DenseSet<Operation *> kept;
    int64_t scratchBytes = 0;
    for (unsigned output = 0; output < kernel.getNumResults(); ++output) {
      StoreOp store = kernel.getStore(output);
      if (!store)
        continue;
      std::optional<int64_t> scratch;
      if (stream && llvm::is_contained(stream.asArrayRef(), output)) {
        scratch = getScratchBytes(kernel, store.getValue().getType());
        if (!vectorIsReduced || !scratch ||
            *scratch > kMaxScratchBytes - scratchBytes)
          continue;
      }
      unsigned last = phases[store];
      int64_t best = kKeepCost, number = 0;
      Operation *bestOp = nullptr;
      for (Operation &op : *kernel.getBlock()) {
        int64_t current = number++;
        std::string why;
        if (kept.contains(&op) || getCost(&op) == 0)
          continue;
        std::optional<unsigned> first =
            getKeepPhase(phases, kernel, output, &op, why);
        if (!first)
          continue;
        double bytes =
            points * op.getResult(0).getType().getIntOrFloatBitWidth() / 8;
        if (bytes > keepBytes)
          continue;
        DenseSet<Operation *> with = kept;
        with.insert(&op);
        int64_t saved = 0;
        for (unsigned phase = *first + 1; phase <= last; ++phase) {
          for (Operation *computed : phases.getSlice(phase, kept))
            saved += getCost(computed);
          for (Operation *computed : phases.getSlice(phase, with))
            saved -= computed == &op ? 0 : getCost(computed);
        }
        if (saved > best) {
          best = saved;
          keep[output] = current;
          bestOp = &op;
        }
      }
      if (!bestOp)
        continue;
      kept.insert(bestOp);
      scratchBytes += scratch.value_or(0);
    }
    return kept.empty() ? nullptr : DenseI64ArrayAttr::get(&getContext(), keep);
  }

  /// Whether a reduction walks much data whose rows are results side by side.
  bool walksLongRows(KernelOp kernel, const Hints &hints, unsigned vectorDim) {
    std::string why;
    if (!canReduceRows(Phases(kernel), kernel, vectorDim, why))
      return false;
    double points = 1, reduced = 1;
    SmallVector<unsigned> dims = kernel.getReducedDims();
    for (unsigned d = 0; d < kernel.getNumDims(); ++d) {
      double extent = hints(kernel.getExtent(d));
      points *= extent;
      if (llvm::is_contained(dims, d))
        reduced *= extent;
    }
    return reduced >= kMinRows && points >= kMinRowPoints;
  }

  /// Whether vectors along `vectorDim` are gathered from elements far apart.
  static bool gathers(KernelOp kernel, const DimDependence &dependence,
                      const sym::Context &context, unsigned vectorDim) {
    return llvm::any_of(kernel.getBlock()->getOps<LoadOp>(), [&](LoadOp load) {
      if (!dependence[load.getResult()][vectorDim])
        return false;
      std::optional<sym::ExprAttr> step =
          getStep(kernel, context, load, vectorDim);
      return !isNeighbour(step) && !(step && step->isConstant(0)) &&
             !getSmallStep(
                 step,
                 llvm::divideCeil(load.getType().getIntOrFloatBitWidth(), 8u));
    });
  }

  /// The dimension along which most operands that vectors along `vectorDim`
  /// would gather lie in rows, -1 for none.
  static int64_t selectTransposeDim(KernelOp kernel,
                                    const DimDependence &dependence,
                                    const sym::Context &context,
                                    unsigned vectorDim, const Hints &hints,
                                    int64_t width) {
    auto isShort = [&](unsigned d) {
      return hints(kernel.getExtent(d)) < static_cast<double>(width);
    };
    if (width == 1 || isShort(vectorDim))
      return -1;
    SmallVector<unsigned> operands(kernel.getNumDims());
    for (LoadOp load : kernel.getBlock()->getOps<LoadOp>()) {
      if (!dependence[load.getResult()][vectorDim])
        continue;
      std::optional<sym::ExprAttr> step =
          getStep(kernel, context, load, vectorDim);
      if (isNeighbour(step))
        continue;
      if (std::optional<unsigned> d =
              findRows(kernel, context, load, vectorDim);
          d && !isShort(*d))
        ++operands[*d];
    }
    const auto *most = llvm::max_element(operands);
    return most == operands.end() || *most == 0 ? -1 : most - operands.begin();
  }

  /// How many vectors go through the body together. A body is a chain of ops,
  /// each of which waits for the one before: with a few vectors there is always
  /// one that need not wait. What is left at the end of a row goes vector by
  /// vector under a mask.
  static int64_t selectUnroll(KernelOp kernel, const DimDependence &dependence,
                              const sym::Context &context, unsigned vectorDim,
                              int64_t width, const Hints &hints) {
    // Address vectors of gathers fill the registers.
    if (gathers(kernel, dependence, context, vectorDim))
      return 1;
    double extent = hints(kernel.getExtent(vectorDim));
    int64_t best = 1;
    double bestTime = std::numeric_limits<double>::infinity();
    for (auto [unroll, time] : kVectorTimes) {
      double step = static_cast<double>(width * unroll);
      double whole = std::floor(extent / step);
      double rest = std::ceil((extent - whole * step) / double(width));
      double total = whole * double(unroll) * time + rest * kMaskedVectorTime;
      if (total < bestTime) {
        bestTime = total;
        best = unroll;
      }
    }
    return best;
  }

  /// The width of the widest vectors that a short row is a whole number of. All
  /// of them go through the body together: rows that end under a mask take
  /// several times as long where there is little else in them.
  static std::optional<int64_t>
  selectShortWidth(KernelOp kernel, const DimDependence &dependence,
                   const sym::Context &context, unsigned vectorDim,
                   int64_t width) {
    std::optional<int64_t> extent = kernel.getExtent(vectorDim).getConstant();
    if (!extent || *extent == 0 || *extent > kShortRow * width ||
        gathers(kernel, dependence, context, vectorDim))
      return std::nullopt;
    for (int64_t narrow = width; narrow >= kLeastWidth; narrow /= 2)
      if (*extent % narrow == 0 && *extent / narrow <= kMostShortVectors)
        return narrow;
    return std::nullopt;
  }

  ScheduleAttr select(KernelOp kernel, int64_t bits, const Hints &hints) {
    DimDependence dependence(kernel);
    sym::Context context = sym::Context::forOp(kernel);
    context.setDimExtents(kernel.getDims().getDims());
    SmallVector<unsigned> reduced = kernel.getReducedDims();

    int64_t vectorDim = selectVectorDim(kernel, dependence, context);

    // Lanes: what the widest type that is computed with leaves room for.
    // Positions in 64 bits and wide results of moments do not count.
    int64_t widest = 32, ops = 0;
    for (Operation &op : *kernel.getBlock()) {
      // What is the same for all lanes is computed outside of the loop.
      if (vectorDim < 0 ||
          variesOver(&op, dependence, static_cast<unsigned>(vectorDim)))
        ++ops;
      // What is computed once for a row may take two vectors.
      bool isWide = (reduced.empty() || isInner(&op, dependence, reduced)) &&
                    llvm::any_of(op.getResultTypes(),
                                 [](Type type) { return type.isF64(); });
      if (auto moments = dyn_cast<WelfordOp>(op))
        isWide = moments.getMean().getType().isF64();
      if (isWide)
        widest = 64;
      if (auto store = dyn_cast<StoreOp>(op))
        if (!isa_and_present<ArgReduceOp, WelfordOp>(
                store.getValue().getDefiningOp()))
          widest = std::max<int64_t>(
              widest, store.getValue().getType().getIntOrFloatBitWidth());
    }
    int64_t width = vectorDim < 0 ? 1 : std::max<int64_t>(bits / widest, 1);

    bool vectorIsReduced =
        vectorDim >= 0 &&
        llvm::is_contained(reduced, static_cast<unsigned>(vectorDim));
    std::optional<int64_t> shortWidth =
        vectorDim < 0 || vectorIsReduced
            ? std::nullopt
            : selectShortWidth(kernel, dependence, context,
                               static_cast<unsigned>(vectorDim), width);
    width = shortWidth.value_or(width);
    int64_t unroll = 1;
    if (shortWidth)
      unroll =
          kernel.getExtent(static_cast<unsigned>(vectorDim)).getValue() / width;
    else if (vectorDim >= 0)
      unroll = selectUnroll(kernel, dependence, context,
                            static_cast<unsigned>(vectorDim), width, hints);
    auto moments = kernel.getBlock()->getOps<WelfordOp>();
    bool hasMoments = !moments.empty();
    // Moments of many values of 16 bits at a time take fewer instructions.
    if (vectorIsReduced && llvm::any_of(moments, hasNarrowSamples) &&
        hints(kernel.getExtent(static_cast<unsigned>(vectorDim))) >=
            static_cast<double>(width * kMomentGroup))
      unroll = kMomentGroup;
    bool walksRows =
        vectorDim >= 0 && !vectorIsReduced && width > 1 &&
        walksLongRows(kernel, hints, static_cast<unsigned>(vectorDim));
    double columns =
        vectorDim < 0
            ? 1
            : hints(kernel.getExtent(static_cast<unsigned>(vectorDim)));
    // The accumulators of a short row fit registers, as a whole if possible.
    if (walksRows && columns < kMinRowBlock / 2 && ops <= 6)
      while (unroll < 16 && columns >= static_cast<double>(2 * width * unroll))
        unroll *= 2;
    // The rows of one vector fill the registers.
    if (walksRows && columns >= kMinRowBlock / 2 && hasMoments)
      unroll = 1;
    int64_t step = width * unroll;
    int64_t block = 1;
    if (vectorDim >= 0 && !vectorIsReduced)
      block = reduced.empty() ? std::max(step, kBlock / step * step) : step;
    int64_t rows = 0;
    int64_t widestBlock =
        rowBytes / std::max<int64_t>(1, getAccumulatorBytes(kernel));
    if (walksRows && columns >= kMinRowBlock / 2 && widestBlock >= step) {
      rows = hasMoments ? kMomentRows : kRows;
      // The widest block that leaves tasks for many threads.
      block = widestBlock / step * step;
      double results = 1;
      for (unsigned d = 0; d < kernel.getNumDims(); ++d)
        if (!llvm::is_contained(reduced, d))
          results *= hints(kernel.getExtent(d));
      auto tooWide = [&] {
        double half = static_cast<double>(block / 2);
        return columns <= half ||
               (block > kMinRowBlock && results < kRowTasks * 2 * half);
      };
      while (block / 2 % step == 0 && tooWide())
        block /= 2;
    }

    int64_t transposeDim =
        vectorDim < 0 ? -1
                      : selectTransposeDim(kernel, dependence, context,
                                           static_cast<unsigned>(vectorDim),
                                           hints, width);
    if (transposeDim >= 0) {
      unroll = 1;
      block = std::max(kTransposeBlock, width);
    }

    double work = static_cast<double>(std::max<int64_t>(ops, 1));
    for (unsigned d = 0; d < kernel.getNumDims(); ++d) {
      double extent = hints(kernel.getExtent(d));
      if (llvm::is_contained(reduced, d))
        work *= extent;
      else if (static_cast<int64_t>(d) == vectorDim)
        work *= std::min(extent, static_cast<double>(block));
      else if (static_cast<int64_t>(d) == transposeDim)
        work *= std::min(extent, static_cast<double>(kTransposeBlock));
    }
    // A vector does `width` operations at a time. A dimension may be empty.
    work = std::max(work, 1.0) / static_cast<double>(width);
    int64_t grain =
        std::max<int64_t>(1, static_cast<int64_t>(kWorkPerGrain / work));
    grain = static_cast<int64_t>(llvm::bit_floor(static_cast<uint64_t>(grain)));
    DenseI64ArrayAttr stream =
        selectStream(kernel, hints, dependence, width > 1 ? vectorDim : -1);
    return ScheduleAttr::get(
        &getContext(), StringAttr(), vectorDim, width, unroll, block, grain,
        rows,
        selectKeep(kernel, hints, block, stream, vectorIsReduced && width > 1),
        stream, transposeDim, transposeDim < 0 ? 1 : kTransposeBlock);
  }

private:
  /// The kind of device that kernels run on, bytes of accumulators of a block,
  /// half of the first cache, and of kept values that the second one holds
  /// beside the operands.
  StringRef device;
  int64_t rowBytes = 0;
  double keepBytes = 0;
};

} // namespace
