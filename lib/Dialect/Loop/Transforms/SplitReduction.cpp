//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `loop-split-reduction`.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Loop/Transforms/Passes.h"

#include "FusionCost.h"
#include "KernelMerge.h"
#include "TargetCounts.h"
#include "coil/Dialect/Loop/Analysis/Contraction.h"
#include "coil/Dialect/Loop/Analysis/Hints.h"
#include "coil/Dialect/Loop/Analysis/OnlineSum.h"
#include "coil/Dialect/Loop/Analysis/Phases.h"
#include "coil/Dialect/Loop/Analysis/VectorCost.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

#define DEBUG_TYPE "loop-split-reduction"

namespace coil::loop {
#define GEN_PASS_DEF_LOOPSPLITREDUCTIONPASS
#include "coil/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace coil::loop

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

namespace {

/// How many times as many or as few chunks of one length may be as are wanted,
/// where nothing is stored for their sake: a quarter of a device without work
/// costs more than masks do.
constexpr double kEvenEnough = 1.25;
/// Summed points of the least chunk of a contraction in tiles.
constexpr double kMinTileSum = 512;
/// What the length of a chunk along vectors is a multiple of: the widest
/// vector, 64 bytes of bytes. Shorter chunks would differ too much.
constexpr uint64_t kChunkAlignment = 64;
constexpr int64_t kMinAlignedChunk = 1024;
/// Summed points that a tile takes at a time.
constexpr int64_t kTileStep = 32;

/// Where to cut a reduction.
struct Cut {
  unsigned dim;
  int64_t chunks;
  /// Results lie beside one another in rows of operands, so partial ones do.
  bool byRows;
  /// Whether chunks store what the kernel stores of the elements it reduces.
  bool storesRows = false;
};

struct LoopSplitReductionPass
    : coil::loop::impl::LoopSplitReductionPassBase<LoopSplitReductionPass> {
  using LoopSplitReductionPassBase::LoopSplitReductionPassBase;

  void runOnOperation() override {
    counts = getReductionCounts(target::getProgramTarget(getOperation()));
    if (enoughResults > 0)
      counts.enoughResults = enoughResults;
    if (chunks > 0)
      counts.chunks = chunks;
    if (rowPiece > 0)
      counts.rowPiece = rowPiece;
    if (minElements > 0)
      counts.longReduction = counts.longestReduction = minElements;
    SmallVector<KernelOp> kernels;
    getOperation()->walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    for (KernelOp kernel : kernels) {
      if (tileSide > 0 ? isLibraryKernel(kernel, library)
                       : matchContraction(kernel) || matchConvolution(kernel))
        continue;
      if (std::optional<Cut> cut = candidate(kernel))
        split(kernel, *cut);
    }
  }

  /// What to cut, or nothing when the kernel is not long.
  std::optional<Cut> candidate(KernelOp kernel) {
    SmallVector<unsigned> reduced = kernel.getReducedDims();
    // (C3)
    if (reduced.empty() || kernel.isSequential() ||
        !kernel.getColumnDims().empty())
      return std::nullopt;
    Hints hints(getOperation());
    const auto [results, elements] = getReductionSize(kernel, hints);
    auto enough = static_cast<double>(counts.enoughResults);
    bool byRows = results >= kMinResultsInRows &&
                  (sharesRows(kernel) ||
                   (counts.hasBlocks && hasResultsInRows(kernel, hints)));
    auto [pieces, parts, shortest] =
        getWantedChunks(counts, results, byRows, /*isFixed=*/chunks > 0);
    double longest = byRows ? getLongestOfRows(results) : getLongest(results);
    std::optional<double> tiles = countTiles(kernel, hints);
    if (tiles) {
      pieces = *tiles;
      longest = 2 * kMinTileSum;
    }
    if (!tiles && minElements <= 0) {
      // The blocks of a cluster share a row.
      double blocks = getSharingBlocks(kernel, /*other=*/{}, hints);
      pieces *= blocks;
      longest *= blocks;
    }
    bool isLong = pieces < enough && elements >= longest;
    if (!isLong &&
        (tiles || minElements > 0 || !leavesIdle(kernel, /*other=*/{}, hints)))
      return std::nullopt;
    auto missed = [&](StringRef why) {
      remark::missed(kernel.getLoc(), remark::RemarkOpts::name("NotSplit")
                                          .category(DEBUG_TYPE)
                                          .function(getOperation().getName()))
          << remark::add("not split: '{0}': {1}", kernel.getName(), why);
      return std::nullopt;
    };
    if (StringRef why = findChunkObstacle(kernel); !why.empty()) // (C1)
      return missed(why);
    bool storesRows = !getStoresOfRows(kernel).empty();
    if (storesRows && tiles)
      return missed("a contraction in tiles stores what it sums");
    int64_t vectorDim = getVectorDim(kernel);
    // One task that takes results beside each other keeps them in vectors, and
    // stores nothing on its way.
    bool stores = storesRows && (counts.hasBlocks || !byRows);
    if (!tiles) {
      std::optional<EvenCut> even =
          findEvenCut(kernel, hints, static_cast<double>(parts), shortest,
                      vectorDim, stores);
      if (even && (stores || even->cost <= kEvenEnough)) // (C2)
        return Cut{even->dim, even->chunks, byRows, stores};
    }
    if (tiles) {
      // Chunks of the same length, so that products stay what is summed. (C2)
      auto most = static_cast<int64_t>(
          std::min(std::floor(enough / pieces), elements / kMinTileSum));
      for (unsigned r : reduced)
        for (int64_t n = most; n > 1; --n)
          if (std::optional<int64_t> extent = kernel.getExtent(r).getConstant())
            if (*extent % (n * kTileStep) == 0)
              return Cut{r, n, /*byRows=*/true};
      return missed("no summed dimension has chunks of one length");
    }
    // (C2)
    std::optional<EvenCut> best;
    for (unsigned r : reduced) {
      double cost =
          getPieceCost(kernel, hints, r, static_cast<double>(parts), vectorDim);
      if (hints(kernel.getExtent(r)) >= shortest * static_cast<double>(parts) &&
          (!best || cost < best->cost))
        best = EvenCut{r, parts, cost};
    }
    if (best)
      return Cut{best->dim, parts, byRows};
    // Else the longest one, in as many chunks as it has room for.
    unsigned dim = *std::max_element(
        reduced.begin(), reduced.end(), [&](unsigned a, unsigned b) {
          return hints(kernel.getExtent(a)) < hints(kernel.getExtent(b));
        });
    auto most = static_cast<int64_t>(hints(kernel.getExtent(dim)) / shortest);
    if (most < 2)
      return missed("no reduced dimension is long enough");
    return Cut{dim, getEvenChunks(kernel.getExtent(dim), most), byRows};
  }

  /// Elements of each result from which on chunks are worth a second kernel.
  /// The more results, the less of a device waits for one of them.
  double getLongest(double results) const {
    auto one = static_cast<double>(counts.longReduction),
         most = static_cast<double>(counts.longestReduction);
    return std::min(most, one * std::max(1.0, results / 4));
  }
  /// The same for results in rows of which a task or block takes a piece.
  double getLongestOfRows(double results) const {
    auto one = static_cast<double>(counts.longReduction),
         most = static_cast<double>(counts.longestReduction);
    double piece = 4 * one / static_cast<double>(counts.rowPiece);
    return std::min(4 * most / results, std::max(4 * one / results, piece));
  }

  /// Whether the elements next to each other in the largest operands are those
  /// of results beside each other.
  static bool hasResultsInRows(KernelOp kernel, const Hints &hints) {
    SmallVector<unsigned> reduced = kernel.getReducedDims();
    double most = 0;
    bool inRows = false;
    for (auto load : kernel.getBlock()->getOps<LoadOp>()) {
      double elements = hints(sym::getNumElements(
          cast<RankedTensorType>(load.getSource().getType())));
      if (elements < most || load.getIndices().getDims().empty())
        continue;
      ExprAttr last = load.getIndices().getDims().back();
      bool isOne = llvm::none_of(reduced, [&](unsigned d) {
        return sym::mentions(last, sym::dim(kernel.getContext(), d));
      });
      inRows = isOne && (inRows || elements > most);
      most = elements;
    }
    return inRows;
  }

  /// As many chunks as `most`, or some fewer where these are of one length:
  /// nothing is outside then.
  static int64_t getEvenChunks(ExprAttr extent, int64_t most) {
    for (int64_t n = most; extent.isConstant() && n > most / 2 && n > 1; --n)
      if (extent.getValue() % n == 0)
        return n;
    return most;
  }

  /// The tiles of results of a contraction that is computed in tiles; nothing
  /// for other kernels.
  std::optional<double> countTiles(KernelOp kernel, const Hints &hints) {
    if (tileSide == 0)
      return std::nullopt;
    ReduceOp reduce;
    for (Operation &op : *kernel.getBlock()) {
      if (isReduction(&op) && (reduce || !isa<ReduceOp>(op)))
        return std::nullopt;
      if (auto found = dyn_cast<ReduceOp>(op))
        reduce = found;
    }
    Operation *product = reduce ? reduce.getValue().getDefiningOp() : nullptr;
    if (!reduce || reduce.getKind() != ReduceKind::Sum ||
        !isa_and_present<arith::MulFOp, arith::MulIOp>(product))
      return std::nullopt;
    DimDependence dependence(kernel);
    SmallVector<unsigned> reduced = kernel.getReducedDims();
    double sides[2] = {1, 1}, tiles = 1;
    for (unsigned d = 0; d < kernel.getNumDims(); ++d) {
      if (llvm::is_contained(reduced, d))
        continue;
      bool in[2];
      for (unsigned i = 0; i < 2; ++i)
        in[i] = dependence[product->getOperand(i)][d];
      (in[0] == in[1] ? tiles : sides[in[1]]) *= hints(kernel.getExtent(d));
    }
    // One row or column is no tile.
    if (std::min(sides[0], sides[1]) < 2)
      return std::nullopt;
    for (double side : sides)
      tiles *= std::ceil(side / static_cast<double>(tileSide));
    return tiles;
  }

  /// The dimension along which elements next to each other lie; or none, -1.
  static int64_t getVectorDim(KernelOp kernel) {
    sym::Context context = sym::Context::forOp(kernel);
    context.setDimExtents(kernel.getDims().getDims());
    return selectVectorDim(kernel, DimDependence(kernel), context);
  }
  static bool isVectorDim(KernelOp kernel, unsigned dim) {
    return getVectorDim(kernel) == static_cast<int64_t>(dim);
  }

  /// Has a kernel of its own store what `kernel` stores of the elements that it
  /// reduces. What is left reads what it reduces where that is stored, unless
  /// to compute it again takes fewer bytes and no function. Returns what is
  /// left.
  KernelOp storeApart(KernelOp kernel, const Hints &hints) {
    OpBuilder b(kernel);
    auto apart = cast<KernelOp>(b.clone(*kernel));
    double read = 0;
    for (Value v : kernel.getInputs())
      read += getBytes(v, hints);
    bool hasFunctions = llvm::any_of(*kernel.getBlock(),
                                     [](Operation &op) { return isHeavy(op); });
    SmallVector<StoreOp> stores = getStoresOfRows(kernel);
    for (StoreOp store : stores) {
      auto number = static_cast<unsigned>(store.getOutput());
      Value tensor = apart.getResult(number), stored = store.getValue();
      kernel.getResult(number).replaceAllUsesWith(tensor);
      bool isReduced = llvm::any_of(stored.getUsers(), [&](Operation *user) {
        return isReduction(user) ||
               (isa<arith::ExtFOp>(user) &&
                llvm::any_of(user->getUsers(), isReduction));
      });
      if (!isReduced || !stored.getDefiningOp() ||
          isa<LoadOp>(stored.getDefiningOp()) ||
          (!hasFunctions && getBytes(tensor, hints) > read))
        continue;
      kernel.getInputsMutable().append(tensor);
      Value argument =
          kernel.getBody().addArgument(tensor.getType(), kernel.getLoc());
      b.setInsertionPointAfter(stored.getDefiningOp());
      Value again = LoadOp::create(b, store.getLoc(), argument,
                                   store.getIndices().getDims());
      stored.replaceAllUsesExcept(again, store);
    }
    dropUnusedResults(apart);
    KernelOp rest = dropUnusedResults(kernel);
    dropUnusedOps(rest);
    return rest;
  }

  /// Has moments of `f64` measured from the first value of each row, which all
  /// chunks share: means of chunks are then near zero, where rounding takes
  /// less from what they are apart. An outlier that is the first is so far from
  /// the others that the result has no use for what rounding takes.
  void measureFromFirst(KernelOp kernel) {
    sym::Context context = sym::Context::forOp(kernel);
    DimDependence dependence(kernel);
    llvm::SmallBitVector reduced(kernel.getNumDims());
    SmallVector<ExprAttr> dims;
    for (unsigned d = 0; d < kernel.getNumDims(); ++d)
      dims.push_back(sym::dim(&getContext(), d));
    for (unsigned d : kernel.getReducedDims()) {
      // There is a first one.
      if (context.bounds(kernel.getExtent(d)).lo < 1)
        return;
      reduced.set(d);
      dims[d] = sym::constant(&getContext(), 0);
    }
    for (WelfordOp op :
         llvm::to_vector(kernel.getBlock()->getOps<WelfordOp>())) {
      if (!op.getMean().getType().isF64() || !op.isOfOne() || !op.isFlat() ||
          !dependence[op.getMean()].anyCommon(reduced))
        continue;
      DenseSet<Operation *> needed;
      SmallVector<Operation *> stack{op.getMean().getDefiningOp()};
      while (!stack.empty())
        if (Operation *def = stack.pop_back_val();
            def && dependence[def->getResult(0)].anyCommon(reduced) &&
            needed.insert(def).second)
          for (Value v : def->getOperands())
            stack.push_back(v.getDefiningOp());
      if (llvm::any_of(needed, [](Operation *def) {
            return !isa<LoadOp, IndexOp>(def) &&
                   !isa<arith::ArithDialect, math::MathDialect>(
                       def->getDialect());
          }))
        continue;
      OpBuilder b(op);
      IRMapping mapping;
      for (Operation &def : *kernel.getBlock()) {
        if (!needed.contains(&def))
          continue;
        Operation *clone = b.clone(def, mapping);
        if (auto index = dyn_cast<IndexOp>(clone))
          index.setExprAttr(sym::substituteDims(index.getExpr(), dims));
        else if (auto load = dyn_cast<LoadOp>(clone))
          load.setIndicesAttr(sym::substituteDims(load.getIndices(), dims));
      }
      Value first = mapping.lookup(op.getMean());
      op.getMeanMutable().assign(
          arith::SubFOp::create(b, op.getLoc(), op.getMean(), first));
      b.setInsertionPointAfter(op);
      auto mean =
          arith::AddFOp::create(b, op.getLoc(), op.getTotalMean(), first);
      op.getTotalMean().replaceAllUsesExcept(mean, mean);
    }
  }

  void split(KernelOp kernel, Cut where) {
    // Chunks that end beyond the last element would store what is none.
    if (!where.storesRows && !getStoresOfRows(kernel).empty())
      kernel = storeApart(kernel, Hints(getOperation()));
    // By rows, every step would read the first one again.
    if (welfordInF64 && !where.byRows)
      measureFromFirst(kernel);
    unsigned cut = where.dim;
    int64_t chunks = where.chunks;
    MLIRContext *ctx = &getContext();
    OpBuilder b(kernel);
    ExprAttr extent = kernel.getExtent(cut);
    ExprAttr length = sym::ceilDiv(extent, sym::constant(ctx, chunks));
    bool exact = extent.isConstant() && extent.getValue() % chunks == 0;
    // Chunks that are walked in vectors begin where these do.
    if (!exact && extent.isConstant() && isVectorDim(kernel, cut) &&
        length.getValue() >= kMinAlignedChunk)
      length = sym::constant(
          ctx, static_cast<int64_t>(llvm::alignTo(
                   static_cast<uint64_t>(length.getValue()), kChunkAlignment)));
    SmallVector<unsigned> reduced = kernel.getReducedDims();
    DimDependence dependence(kernel);

    // First kernel: the space with a dimension of chunks at the end, and the
    // cut dimension as long as one chunk.
    SmallVector<ExprAttr> extents(kernel.getDims().getDims());
    extents[cut] = length;
    // Where threads take results beside each other these stay neighbours.
    bool isFirst = where.byRows && counts.hasBlocks;
    unsigned chunkDim = isFirst ? 0 : static_cast<unsigned>(extents.size());
    extents.insert(extents.begin() + chunkDim, sym::constant(ctx, chunks));
    SmallVector<ExprAttr> dims;
    for (unsigned d = 0; d < kernel.getNumDims(); ++d)
      dims.push_back(sym::dim(ctx, d + isFirst));
    if (interleave && !where.byRows && !isVectorDim(kernel, cut))
      dims[cut] =
          sym::add(sym::mul(dims[cut], chunks), sym::dim(ctx, chunkDim));
    else
      dims[cut] =
          sym::add(sym::mul(sym::dim(ctx, chunkDim), length), dims[cut]);

    SmallVector<ExprAttr> partialSizes, partialIndex;
    auto addChunks = [&] {
      partialSizes.push_back(sym::constant(ctx, chunks));
      partialIndex.push_back(sym::dim(ctx, chunkDim));
    };
    if (where.byRows)
      addChunks();
    for (unsigned d = 0; d < kernel.getNumDims(); ++d) {
      if (llvm::is_contained(reduced, d))
        continue;
      partialSizes.push_back(kernel.getExtent(d));
      partialIndex.push_back(dims[d]);
    }
    if (!where.byRows)
      addChunks();
    SmallVector<Operation *> reductions;
    SmallVector<Type> partialTypes;
    for (Operation &op : *kernel.getBlock()) {
      if (!isReduction(&op))
        continue;
      reductions.push_back(&op);
      for (Type type : getPartialTypes(&op))
        partialTypes.push_back(sym::getTensorType(partialSizes, type));
    }
    auto numPartials = static_cast<unsigned>(partialTypes.size());
    SmallVector<StoreOp> stores = getStoresOfRows(kernel);
    for (StoreOp store : stores)
      partialTypes.push_back(kernel.getResult(store.getOutput()).getType());
    auto partial = KernelOp::create(b, kernel.getLoc(),
                                    (kernel.getName() + "_chunks").str(),
                                    extents, kernel.getInputs(), partialTypes);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(partial.getBlock());
      IRMapping mapping;
      mapping.map(kernel.getBody().getArguments(),
                  partial.getBody().getArguments());
      Value inside;
      if (!exact) {
        Value at =
            IndexOp::create(b, kernel.getLoc(), b.getI64Type(), dims[cut]);
        Value end = IndexOp::create(b, kernel.getLoc(), b.getI64Type(), extent);
        inside = arith::CmpIOp::create(b, kernel.getLoc(),
                                       arith::CmpIPredicate::slt, at, end);
      }
      int64_t output = 0;
      DenseSet<Value> done;
      for (Operation &op : *kernel.getBlock()) {
        if (std::optional<OnlineSum> online = matchOnline(&op)) {
          auto sum = cloneOnlineSum(b, cast<ReduceOp>(op), *online,
                                    mapping.lookup(online->max.getResult())
                                        .getDefiningOp<ReduceOp>());
          storePartials(b, sum, output, partialIndex);
          done.insert(op.getResult(0));
          continue;
        }
        if (auto found = llvm::find(stores, &op); found != stores.end()) {
          auto store = cast<StoreOp>(b.clone(op, mapping));
          store.setOutput(numPartials +
                          static_cast<uint64_t>(found - stores.begin()));
          store.setIndicesAttr(sym::substituteDims(store.getIndices(), dims));
          continue;
        }
        // Only what the reductions need; the rest belongs to the second.
        if (isa<StoreOp>(op) || llvm::any_of(op.getOperands(), [&](Value v) {
              return done.contains(v);
            })) {
          for (Value v : op.getResults())
            done.insert(v);
          continue;
        }
        Location loc = op.getLoc();
        if (isReduction(&op)) {
          Operation *clone = b.clone(op, mapping);
          for (auto [v, type] :
               llvm::zip_equal(clone->getResults(), getPartialTypes(&op)))
            v.setType(type);
          if (isFirst) {
            SmallVector<int64_t> moved;
            for (int64_t d : cast<OverDimsOpInterface>(clone).getDims())
              moved.push_back(d + 1);
            cast<OverDimsOpInterface>(clone).setDims(moved);
          }
          if (inside)
            takeNeutralOutside(b, clone, inside);
          storePartials(b, clone, output, partialIndex);
          mapping.map(op.getResults(), clone->getResults());
          for (Value v : op.getResults())
            done.insert(v);
          continue;
        }
        Operation *clone = b.clone(op, mapping);
        if (auto index = dyn_cast<IndexOp>(clone)) {
          index.setExprAttr(sym::substituteDims(index.getExpr(), dims));
        } else if (auto load = dyn_cast<LoadOp>(clone)) {
          bool cutLoad =
              llvm::any_of(load.getIndices().getDims(), [&](ExprAttr e) {
                return sym::mentions(e, sym::dim(ctx, cut));
              });
          load.setIndicesAttr(sym::substituteDims(load.getIndices(), dims));
          if (inside && (cutLoad || !load.getArgs().empty())) {
            OpBuilder::InsertionGuard inner(b);
            b.setInsertionPoint(load);
            if (load.getMask()) {
              load.getMaskMutable().assign(
                  arith::AndIOp::create(b, loc, load.getMask(), inside));
            } else {
              load.getMaskMutable().assign(inside);
              load.getOtherMutable().assign(arith::ConstantOp::create(
                  b, loc, b.getZeroAttr(load.getType())));
            }
          }
        }
      }
    }

    if (!stores.empty()) {
      for (auto [i, store] : llvm::enumerate(stores))
        kernel.getResult(static_cast<unsigned>(store.getOutput()))
            .replaceAllUsesWith(
                partial.getResult(numPartials + static_cast<unsigned>(i)));
      kernel = dropUnusedResults(kernel);
      b.setInsertionPoint(kernel);
    }

    // Second kernel: reduces the chunks and does the rest.
    SmallVector<ExprAttr> restExtents, restDims(kernel.getNumDims());
    for (unsigned d = 0; d < kernel.getNumDims(); ++d) {
      if (llvm::is_contained(reduced, d)) {
        restDims[d] = sym::constant(ctx, 0);
        continue;
      }
      restDims[d] = sym::dim(ctx, static_cast<unsigned>(restExtents.size()));
      restExtents.push_back(kernel.getExtent(d));
    }
    unsigned restChunk = static_cast<unsigned>(restExtents.size());
    restExtents.push_back(sym::constant(ctx, chunks));
    SmallVector<ExprAttr> chunkIndex;
    if (where.byRows)
      chunkIndex.push_back(sym::dim(ctx, restChunk));
    for (unsigned d = 0; d < restChunk; ++d)
      chunkIndex.push_back(sym::dim(ctx, d));
    if (!where.byRows)
      chunkIndex.push_back(sym::dim(ctx, restChunk));
    SmallVector<Value> inputs(partial.getResults().take_front(numPartials));
    llvm::append_range(inputs, kernel.getInputs());
    auto rest = KernelOp::create(b, kernel.getLoc(), kernel.getName(),
                                 restExtents, inputs, kernel->getResultTypes());
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(rest.getBlock());
      IRMapping mapping;
      mapping.map(kernel.getBody().getArguments(),
                  rest.getBody().getArguments().drop_front(numPartials));
      llvm::SmallBitVector reducedSet(kernel.getNumDims());
      for (unsigned r : reduced)
        reducedSet.set(r);
      unsigned next = 0;
      // What each chunk has found, by the result of all.
      DenseMap<Value, Value> found;
      for (Operation &op : *kernel.getBlock()) {
        if (isReduction(&op)) {
          IRMapping inner;
          for (unsigned i = 0; i < op.getNumResults(); ++i)
            inner.map(op.getOperand(i),
                      LoadOp::create(b, op.getLoc(),
                                     rest.getBody().getArgument(next++),
                                     chunkIndex)
                          .getResult());
          if (std::optional<OnlineSum> online = matchOnline(&op))
            scaleOnlineSum(b, inner, *online,
                           found.lookup(online->max.getResult()),
                           mapping.lookup(online->base));
          else if (op.getNumResults() == 1)
            found[op.getResult(0)] = inner.lookup(op.getOperand(0));
          Operation *clone = b.clone(op, inner);
          for (auto [v, type] :
               llvm::zip_equal(clone->getResults(), getPartialTypes(&op)))
            v.setType(type);
          cast<OverDimsOpInterface>(clone).setDims(
              static_cast<int64_t>(restChunk));
          // Sums of parts have no factors.
          if (auto reduce = dyn_cast<ReduceOp>(clone))
            reduce.setTf32(false);
          for (auto [old, v] :
               llvm::zip_equal(op.getResults(), clone->getResults()))
            mapping.map(old, v.getType() == old.getType()
                                 ? Value(v)
                                 : arith::TruncFOp::create(b, op.getLoc(),
                                                           old.getType(), v));
          continue;
        }
        if (op.getNumResults() > 0 &&
            dependence[op.getResult(0)].anyCommon(reducedSet))
          continue;
        Operation *clone = b.clone(op, mapping);
        auto rewrite = [&](sym::ShapeAttr exprs) {
          return sym::substituteDims(exprs, restDims);
        };
        if (auto load = dyn_cast<LoadOp>(clone))
          load.setIndicesAttr(rewrite(load.getIndices()));
        else if (auto store = dyn_cast<StoreOp>(clone))
          store.setIndicesAttr(rewrite(store.getIndices()));
        else if (auto index = dyn_cast<IndexOp>(clone))
          index.setExprAttr(sym::substituteDims(index.getExpr(), restDims));
      }
    }
    dropUnusedInputs(partial);
    dropUnusedInputs(rest);
    remark::passed(kernel.getLoc(), remark::RemarkOpts::name("Split")
                                        .category(DEBUG_TYPE)
                                        .function(getOperation().getName()))
        << remark::add("split: '{0}' into {1} chunks", kernel.getName(),
                       chunks);
    kernel->replaceAllUsesWith(rest);
    kernel.erase();
  }

  static std::optional<OnlineSum> matchOnline(Operation *op) {
    auto sum = dyn_cast<ReduceOp>(op);
    return sum ? matchOnlineSum(sum) : std::nullopt;
  }

  /// The sum of a chunk below its own maximum. A chunk that has nothing but
  /// minus infinity, or nothing at all, has a sum of zero.
  static ReduceOp cloneOnlineSum(OpBuilder &b, ReduceOp sum, OnlineSum online,
                                 ReduceOp max) {
    Location loc = sum.getLoc();
    Value highest = max.getResult(), tested = highest;
    auto type = cast<FloatType>(highest.getType());
    bool isZero = online.infinite == InfiniteMax::Zero;
    if (isZero)
      tested = math::AbsFOp::create(b, loc, highest);
    Value infinity = arith::ConstantOp::create(
        b, loc,
        b.getFloatAttr(type, APFloat::getInf(type.getFloatSemantics(),
                                             /*Negative=*/!isZero)));
    Value isInfinite = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ,
                                             tested, infinity);
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    Value base = arith::SelectOp::create(b, loc, isInfinite, zero, highest);
    IRMapping mapping;
    mapping.map(online.difference.getLhs(), max.getOperand());
    mapping.map(online.difference.getRhs(), base);
    b.clone(*online.difference, mapping);
    b.clone(*online.exp, mapping);
    auto clone = cast<ReduceOp>(b.clone(*sum, mapping));
    clone.setDims(max.getDims());
    return clone;
  }

  /// Makes the sum of a chunk, `inner` has it, that below the maximum of all.
  static void scaleOnlineSum(OpBuilder &b, IRMapping &inner, OnlineSum online,
                             Value highest, Value base) {
    Location loc = online.exp.getLoc();
    IRMapping mapping;
    mapping.map(online.difference.getLhs(), highest);
    mapping.map(online.difference.getRhs(), base);
    b.clone(*online.difference, mapping);
    Value scale = b.clone(*online.exp, mapping)->getResult(0);
    Value part = online.exp.getResult();
    inner.map(part, arith::MulFOp::create(b, loc, inner.lookup(part), scale));
  }

  /// Whether partial results of a reduction are in a wider type than its own.
  bool isWide(Operation *reduction) const {
    return welfordInF64 && isa<WelfordOp>(reduction) &&
           reduction->getResult(0).getType().isF32();
  }

  SmallVector<Type> getPartialTypes(Operation *reduction) const {
    if (isWide(reduction))
      return SmallVector<Type>(reduction->getNumResults(),
                               Float64Type::get(reduction->getContext()));
    return llvm::to_vector(reduction->getResultTypes());
  }

  /// Makes points outside take no part in a reduction. An arg-reduction needs
  /// no position for that: the neutral value comes last.
  static void takeNeutralOutside(OpBuilder &b, Operation *reduction,
                                 Value inside) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(reduction);
    Location loc = reduction->getLoc();
    for (OpOperand &operand : reduction->getOpOperands()) {
      if (isa<ArgReduceOp>(reduction) && operand.getOperandNumber() > 0)
        continue;
      Value none = arith::ConstantOp::create(
          b, loc, getNeutralOperand(reduction, operand.getOperandNumber()));
      if (!matchPattern(operand.get(), m_AnyZeroFloat()) ||
          !matchPattern(none, m_AnyZeroFloat()))
        operand.set(
            arith::SelectOp::create(b, loc, inside, operand.get(), none));
    }
  }

  /// Stores the results of a reduction of the first kernel.
  static void storePartials(OpBuilder &b, Operation *reduction, int64_t &output,
                            ArrayRef<ExprAttr> index) {
    for (Value v : reduction->getResults())
      StoreOp::create(b, reduction->getLoc(), v,
                      static_cast<uint64_t>(output++),
                      sym::ShapeAttr::get(b.getContext(), index));
  }

  /// By the target, where no option says otherwise.
  ReductionCounts counts;
};

} // namespace
