//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `loop-fuse-columns`.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Loop/Transforms/Passes.h"

#include "ColumnCut.h"
#include "Fuser.h"
#include "FusionCost.h"
#include "coil/Dialect/Loop/Analysis/Columns.h"
#include "coil/Dialect/Loop/Analysis/Phases.h"
#include "mlir/IR/Remarks.h"

#include <algorithm>
#include <cmath>

#define DEBUG_TYPE "loop-fuse"

namespace coil::loop {
#define GEN_PASS_DEF_LOOPFUSECOLUMNSPASS
#include "coil/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace coil::loop

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

namespace {

/// Operands and results of a kernel, as of `loop-fuse`.
constexpr size_t kMaxBuffers = 64;
/// Dimensions of which every order is tried.
constexpr unsigned kMaxDims = 5;

/// A kernel over rows, what the dimensions of the other kernel are in it, and
/// how many rows a chunk has.
struct Choice {
  KernelOp rows;
  SmallVector<unsigned> dims;
  int64_t chunk;
  double saved;
};

struct LoopFuseColumnsPass
    : coil::loop::impl::LoopFuseColumnsPassBase<LoopFuseColumnsPass> {
  using LoopFuseColumnsPassBase::LoopFuseColumnsPassBase;

  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    gone.clear();
    target::TargetAttrInterface target =
        target::getProgramTarget(getOperation());
    std::pair<StringRef, int64_t *> facts[] = {
        {"multiprocessors", &processors},
        {"registers", &limits.registers},
        {"block_threads", &limits.blockThreads},
        {"multiprocessor_threads", &limits.threads},
        {"warp_size", &limits.warp}};
    for (auto [name, value] : facts) {
      std::optional<int64_t> fact =
          target ? target.getFact(name) : std::nullopt;
      // A processor with caches finds in them what the other kernel read.
      if (!fact)
        return;
      *value = *fact;
    }
    for (Block *block : getFusionBlocks(getOperation())) {
      rests.clear();
      for (KernelOp kernel : llvm::to_vector(block->getOps<KernelOp>()))
        if (!gone.contains(kernel))
          fuse(*block, kernel);
      mergeRests(*block);
    }
  }

  /// Kernels that add up chunks of the same kernel are one.
  void mergeRests(Block &block) {
    Fuser fuser(getOperation(), block, maxOps, library, /*enoughResults=*/0,
                /*rowPiece=*/0);
    for (size_t i = 0; i < rests.size(); ++i)
      for (size_t j = i + 1; j < rests.size();) {
        KernelOp first = rests[i], second = rests[j];
        if (second->isBeforeInBlock(first))
          std::swap(first, second);
        if (getChunks(first) != getChunks(second) ||
            !fuser.canMergeSiblings(first, second, /*minShared=*/0)) {
          ++j;
          continue;
        }
        Operation *last = fuser.lastOperand(first, second);
        KernelOp merged = mergeSiblings(first, second);
        merged->moveAfter(last);
        rests[i] = merged;
        rests.erase(rests.begin() + static_cast<ptrdiff_t>(j));
      }
  }

  /// The kernel that computes the chunks which `rest` adds up.
  static Operation *getChunks(KernelOp rest) {
    return rest.getInputs().front().getDefiningOp();
  }

  /// Looks for a kernel over rows that `columns` can be part of.
  void fuse(Block &block, KernelOp columns) {
    Fuser fuser(getOperation(), block, maxOps, library, /*enoughResults=*/0,
                /*rowPiece=*/0);
    if (columns.getReducedDims().empty() || !canCutColumns(columns, fuser.why))
      return;
    std::optional<Choice> best;
    for (KernelOp rows : getPartners(fuser, columns)) {
      std::optional<Choice> choice = plan(fuser, rows, columns);
      if (!choice) {
        remark::missed(columns.getLoc(),
                       remark::RemarkOpts::name("NotFused")
                           .category(DEBUG_TYPE)
                           .function(getOperation().getName()))
            << remark::add(
                   "not fused: columns of '{0}' with rows of '{1}': {2}",
                   columns.getName(), rows.getName(), fuser.why);
        continue;
      }
      if (!best || choice->saved > best->saved)
        best = std::move(choice);
    }
    if (best)
      merge(fuser, *best, columns);
  }

  /// Kernels that read what `columns` reads, or compute it, in their order.
  static SmallVector<KernelOp> getPartners(Fuser &fuser, KernelOp columns) {
    llvm::SmallPtrSet<Operation *, 8> found;
    for (Value v : columns.getInputs()) {
      if (auto kernel = v.getDefiningOp<KernelOp>())
        found.insert(kernel);
      for (Operation *user : v.getUsers())
        if (isa<KernelOp>(user) && user != columns)
          found.insert(user);
    }
    SmallVector<KernelOp> partners;
    for (Operation *op : found)
      if (op->getBlock() == &fuser.block)
        partners.push_back(cast<KernelOp>(op));
    llvm::sort(partners,
               [](KernelOp a, KernelOp b) { return a->isBeforeInBlock(b); });
    return partners;
  }

  /// Whether operand `i` of `columns` is something that `rows` reads or
  /// computes at the same points, where dimension d of the one is `places[d]`
  /// of the other.
  static bool isShared(KernelOp rows, KernelOp columns, unsigned i,
                       ArrayRef<ExprAttr> places) {
    Value v = columns.getInputs()[i];
    DenseSet<Attribute> indices;
    if (v.getDefiningOp() == rows) {
      if (StoreOp store = rows.getStore(cast<OpResult>(v).getResultNumber()))
        indices.insert(store.getIndices());
    } else {
      for (auto [input, argument] :
           llvm::zip_equal(rows.getInputs(), rows.getBody().getArguments()))
        if (input == v)
          for (Operation *user : argument.getUsers())
            if (auto load = dyn_cast<LoadOp>(user))
              indices.insert(load.getIndices());
    }
    return llvm::any_of(
        columns.getBody().getArgument(i).getUsers(), [&](Operation *user) {
          auto load = dyn_cast<LoadOp>(user);
          return load && indices.contains(
                             sym::substituteDims(load.getIndices(), places));
        });
  }

  static SmallVector<ExprAttr> getPositions(KernelOp rows,
                                            ArrayRef<unsigned> dims) {
    return llvm::map_to_vector(
        dims, [&](unsigned d) { return sym::dim(rows.getContext(), d); });
  }

  /// The dimension of `rows` that each dimension of `columns` is, so that they
  /// share something: the first such order.
  static std::optional<SmallVector<unsigned>> mapDims(KernelOp rows,
                                                      KernelOp columns) {
    unsigned n = rows.getNumDims();
    if (columns.getNumDims() != n || n > kMaxDims)
      return std::nullopt;
    auto isValid = [&](ArrayRef<unsigned> dims) {
      for (auto [d, r] : llvm::enumerate(dims))
        if (rows.getExtent(r) != columns.getExtent(static_cast<unsigned>(d)))
          return false;
      SmallVector<unsigned> rest;
      for (unsigned d = 0; d < n; ++d)
        if (!llvm::is_contained(columns.getReducedDims(), d))
          rest.push_back(dims[d]);
      llvm::sort(rest);
      SmallVector<unsigned> reduced = rows.getReducedDims(),
                            accumulated = rows.getColumnDims();
      return (reduced.empty() || reduced == rest) &&
             (accumulated.empty() || accumulated == rest);
    };
    auto dims = llvm::to_vector(llvm::seq(n));
    do {
      SmallVector<ExprAttr> places = getPositions(rows, dims);
      if (isValid(dims) &&
          llvm::any_of(
              llvm::seq(static_cast<unsigned>(columns.getInputs().size())),
              [&](unsigned i) { return isShared(rows, columns, i, places); }))
        return dims;
    } while (std::next_permutation(dims.begin(), dims.end()));
    return std::nullopt;
  }

  std::optional<Choice> plan(Fuser &fuser, KernelOp rows, KernelOp columns) {
    auto no = [&](const Twine &why) {
      fuser.refuse(why);
      return std::nullopt;
    };
    if (fuser.isLibraryKernel(rows) || matchContraction(rows) ||
        matchConvolution(rows) || rows.getScheduleAttr() || rows.getConvAttr())
      return no("it is a contraction or a convolution");
    if (rows.isSequential() || sumsRows(rows))
      return no("it scans, scatters or sums rows");
    std::optional<SmallVector<unsigned>> dims = mapDims(rows, columns);
    if (!dims)
      return no("they do not run over the same rows and columns");
    if (rows.getBlock()->getOperations().size() +
            columns.getBlock()->getOperations().size() >
        static_cast<size_t>(fuser.maxOps))
      return no("the kernel would have more than " + Twine(fuser.maxOps) +
                " ops");
    if (rows.getInputs().size() + rows.getNumResults() +
            columns.getInputs().size() + columns.getNumResults() >
        kMaxBuffers)
      return no("the kernel would have too many buffers");

    bool isFirst = rows->isBeforeInBlock(columns);
    if (isFirst ? fuser.hasPathThroughThird(rows, columns)
                : fuser.reaches(columns, rows))
      return no("one depends on the other");
    KernelOp first = isFirst ? rows : columns,
             second = isFirst ? columns : rows;
    if (!fuser.readersComeLater(first, second))
      return no("a reader of the first comes before an operand of the second");
    if (!readsOwnPoints(rows, columns, *dims))
      return no("it reads a result of the rows at other points");

    // The dimensions of a row, and the last of them, along which vectors go.
    SmallVector<unsigned> reduced = columns.getReducedDims(), row;
    for (unsigned d = 0; d < columns.getNumDims(); ++d)
      if (!llvm::is_contained(reduced, d))
        row.push_back((*dims)[d]);
    llvm::sort(row);
    SmallVector<unsigned> columnRow;
    for (unsigned d = 0; d < columns.getNumDims(); ++d)
      if (!llvm::is_contained(reduced, d))
        columnRow.push_back(d);
    unsigned vectorDim = row.back();
    auto *inColumns = llvm::find(*dims, vectorDim);
    if (!isContiguous(rows, row, vectorDim) ||
        !isContiguous(columns, columnRow,
                      static_cast<unsigned>(inColumns - dims->begin())))
      return no("elements of a row do not lie beside one another");

    sym::Context context = sym::Context::forOp(rows);
    ExprAttr length = sym::constant(&getContext(), 1), count = length;
    for (unsigned d = 0; d < rows.getNumDims(); ++d) {
      ExprAttr &product = llvm::is_contained(row, d) ? length : count;
      product = sym::mul(product, rows.getExtent(d));
    }
    sym::Bounds bounds = context.bounds(length);
    if (bounds.hi > limits.registers)
      return no("a row is longer than a block has registers for");
    int64_t words = countColumnWords(rows, row) + countOwnWords(rows, columns);
    std::optional<ColumnTile> tile =
        getColumnTile(std::max<int64_t>(1, bounds.hi), words, limits);
    if (!tile)
      return no("a row of " + length.str() +
                " elements is longer than a block "
                "has registers for");
    int64_t chunk = rowsOfChunk;
    for (AccumulateOp op : rows.getBlock()->getOps<AccumulateOp>())
      chunk = static_cast<int64_t>(op.getRows());
    double numRows = fuser.hints(count);
    if (chunk == 0)
      chunk = static_cast<int64_t>(llvm::alignTo(
          static_cast<uint64_t>(std::max(
              1.0, std::ceil(numRows /
                             static_cast<double>(processors * tile->blocks)))),
          static_cast<uint64_t>(tile->rows)));

    double chunks = std::ceil(numRows / static_cast<double>(chunk));
    // Either kernel alone has more blocks.
    if (!always && 2 * chunks < static_cast<double>(processors))
      return no(Twine(static_cast<int64_t>(chunks)) +
                " chunks of rows would leave most processors idle");
    double saved = 0, total = 0, added = 0;
    for (ReduceOp op : columns.getBlock()->getOps<ReduceOp>())
      added += 2 * chunks * fuser.hints(length) *
               std::max(1u, op.getType().getIntOrFloatBitWidth() / 8);
    for (KernelOp kernel : {rows, columns})
      for (ValueRange values :
           {ValueRange(kernel.getInputs()), ValueRange(kernel.getResults())})
        for (Value v : values)
          total += getBytes(v, fuser.hints);
    SmallVector<ExprAttr> places = getPositions(rows, *dims);
    for (auto [i, v] : llvm::enumerate(columns.getInputs())) {
      if (!isShared(rows, columns, static_cast<unsigned>(i), places))
        continue;
      double bytes = getBytes(v, fuser.hints);
      if (v.getDefiningOp() == rows)
        saved += llvm::all_of(v.getUsers(),
                              [&](Operation *user) { return user == columns; })
                     ? 2 * bytes
                     : bytes;
      else
        saved += bytes;
    }
    if (!always && saved - added < kMinSavedPart * total)
      return no("it would save " + Twine(static_cast<int64_t>(saved)) +
                " bytes and add " + Twine(static_cast<int64_t>(added)) +
                " of " + Twine(static_cast<int64_t>(total)));
    return Choice{rows, *dims, chunk, saved - added};
  }

  /// Words of a column that `columns` adds to those of `rows`.
  static int64_t countOwnWords(KernelOp rows, KernelOp columns) {
    DimDependence dependence(columns);
    llvm::SmallBitVector reduced(columns.getNumDims());
    for (unsigned d : columns.getReducedDims())
      reduced.set(d);
    int64_t bits = 0;
    for (Operation &op : *columns.getBlock()) {
      if (auto reduce = dyn_cast<ReduceOp>(op))
        bits += std::max(32u, reduce.getType().getIntOrFloatBitWidth());
      auto load = dyn_cast<LoadOp>(op);
      if (!load || !dependence[load.getResult()].anyCommon(reduced))
        continue;
      Value v = columns.getInputs()[cast<BlockArgument>(load.getSource())
                                        .getArgNumber()];
      if (v.getDefiningOp() != rows && !llvm::is_contained(rows.getInputs(), v))
        bits += std::max(32u, load.getType().getIntOrFloatBitWidth());
    }
    return static_cast<int64_t>(llvm::divideCeil(bits, 32));
  }

  /// (C3)
  static bool readsOwnPoints(KernelOp rows, KernelOp columns,
                             ArrayRef<unsigned> dims) {
    SmallVector<ExprAttr> places = getPositions(rows, dims);
    DimDependence dependence(columns);
    llvm::SmallBitVector reduced(columns.getNumDims());
    for (unsigned d : columns.getReducedDims())
      reduced.set(d);
    for (auto [i, v] : llvm::enumerate(columns.getInputs())) {
      if (v.getDefiningOp() != rows)
        continue;
      StoreOp store = rows.getStore(cast<OpResult>(v).getResultNumber());
      for (Operation *user :
           columns.getBody().getArgument(static_cast<unsigned>(i)).getUsers()) {
        auto load = dyn_cast<LoadOp>(user);
        if (!load || !load.getArgs().empty() || load.getMask())
          return false;
        // Accumulations are complete behind the kernel; what needs no row is
        // read there.
        if (!store ||
            sym::substituteDims(load.getIndices(), places) !=
                store.getIndices() ||
            !dependence[load.getResult()].anyCommon(reduced))
          return false;
      }
    }
    return true;
  }

  /// (C4)
  static bool isContiguous(KernelOp kernel, ArrayRef<unsigned> row,
                           unsigned vectorDim) {
    DimDependence dependence(kernel);
    sym::Context context = sym::Context::forOp(kernel);
    context.setDimExtents(kernel.getDims().getDims());
    llvm::SmallBitVector inRow(kernel.getNumDims());
    for (unsigned d : row)
      inRow.set(d);
    llvm::SmallBitVector outside = ~inRow;
    auto isLarge = [&](const llvm::SmallBitVector &over) {
      return over.anyCommon(inRow) && over.anyCommon(outside);
    };
    for (Operation &op : *kernel.getBlock()) {
      if (auto load = dyn_cast<LoadOp>(op)) {
        if (isLarge(dependence[load.getResult()]) &&
            (!load.getArgs().empty() ||
             !isNeighbour(getStep(kernel, context, load, vectorDim))))
          return false;
      } else if (auto store = dyn_cast<StoreOp>(op)) {
        ArrayRef<ExprAttr> indices = store.getIndices().getDims();
        if (isLarge(dependence.of(indices)) &&
            indices.back() != sym::dim(kernel.getContext(), vectorDim))
          return false;
      }
    }
    return true;
  }

  void merge(Fuser &fuser, Choice &choice, KernelOp columns) {
    KernelOp rows = choice.rows;
    std::string names = ("columns of '" + columns.getName() +
                         "' with rows of '" + rows.getName() + "'")
                            .str();
    Location loc = columns.getLoc();
    bool isFirst = rows->isBeforeInBlock(columns);
    Operation *last =
        fuser.lastOperand(isFirst ? rows : columns, isFirst ? columns : rows);
    gone.insert(rows);
    gone.insert(columns);
    llvm::erase(rests, rows);
    ColumnCut cut = cutColumns(columns, rows, choice.dims, choice.chunk);
    KernelOp merged;
    if (Fuser::isReader(cut.partial, rows)) {
      MergePlan plan;
      plan.extents.assign(rows.getDims().getDims().begin(),
                          rows.getDims().getDims().end());
      for (unsigned d = 0; d < rows.getNumDims(); ++d)
        plan.producerDims.push_back(sym::dim(&getContext(), d));
      plan.keepResults = true;
      merged = mergeProducer(rows, cut.partial, plan);
    } else if (isFirst) {
      merged = mergeSiblings(rows, cut.partial);
    } else {
      merged = mergeSiblings(cut.partial, rows);
    }
    if (last)
      merged->moveAfter(last);
    else
      merged->moveBefore(&merged->getBlock()->front());
    cut.rest->moveAfter(merged);
    rests.push_back(cut.rest);
    dropUnusedResults(merged);
    remark::passed(loc, remark::RemarkOpts::name("Fused")
                            .category(DEBUG_TYPE)
                            .function(getOperation().getName()))
        << remark::add("fused: {0}, in chunks of {1} rows", names,
                       choice.chunk);
  }

private:
  int64_t processors = 0;
  ProcessorLimits limits{};
  /// Kernels that add up chunks.
  SmallVector<KernelOp> rests;
  /// Kernels that were merged.
  DenseSet<Operation *> gone;
};

} // namespace
