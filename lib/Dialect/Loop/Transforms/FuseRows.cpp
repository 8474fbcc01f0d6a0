//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `loop-fuse-rows`.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Loop/Transforms/Passes.h"

#include "Fuser.h"
#include "FusionCost.h"
#include "TargetCounts.h"
#include "coil/Dialect/Loop/Analysis/Contraction.h"
#include "coil/Dialect/Loop/Analysis/OnlineSum.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

#define DEBUG_TYPE "loop-fuse"

namespace coil::loop {
#define GEN_PASS_DEF_LOOPFUSEROWSPASS
#include "coil/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace coil::loop

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

namespace {

/// Elements of the least row where nothing else says what a row is: a partial
/// result for each of fewer would be more than a thirtieth of what is read.
constexpr double kMinRow = 64;
/// Rows for each result that keeps a device busy: a block or a warp takes one.
constexpr double kRowsForEach = 4;

/// A kernel that reduces by rows.
struct RowCut {
  /// Reduces each row.
  KernelOp partial;
  /// Reduces the rows, and does what follows.
  KernelOp rest;
};

struct LoopFuseRowsPass
    : coil::loop::impl::LoopFuseRowsPassBase<LoopFuseRowsPass> {
  using LoopFuseRowsPassBase::LoopFuseRowsPassBase;

  void runOnOperation() override {
    fuseThreadBlocks(getOperation(), maxOps, library,
                     [&](Fuser &fuser, const ReductionCounts &found) {
                       counts = found;
                       for (KernelOp kernel :
                            llvm::to_vector(fuser.block.getOps<KernelOp>()))
                         fuse(fuser, kernel);
                       // Others that reduce the same have become one.
                       fuser.takesElements = true;
                       for (KernelOp kernel :
                            llvm::to_vector(fuser.block.getOps<KernelOp>()))
                         fuseElements(fuser, kernel);
                     });
  }

  /// (C1)
  static bool canCut(Fuser &fuser, KernelOp kernel) {
    if (!fuser.isLongReduction(kernel) || !kernel.getColumnDims().empty() ||
        kernel.getScheduleAttr() || kernel.getConvAttr() ||
        fuser.isLibraryKernel(kernel) || matchContraction(kernel) ||
        matchConvolution(kernel))
      return false;
    for (Operation &op : *kernel.getBlock()) {
      if (!isReduction(&op))
        continue;
      auto reduce = dyn_cast<ReduceOp>(op);
      if (!reduce || reduce.getTf32() || matchOnlineSum(reduce))
        return false;
    }
    return findChunkObstacle(kernel).empty() && getStoresOfRows(kernel).empty();
  }

  /// The dimensions of `kernel` that are a row of `producer`: those that it
  /// reduces, or so many of the last ones that partial results are few. Nothing
  /// where the rows are too few to keep a device busy, or the kernel does not
  /// reduce them. (C2)
  std::optional<llvm::SmallBitVector> getRow(Fuser &fuser, KernelOp producer,
                                             KernelOp kernel) const {
    llvm::SmallBitVector reduced(kernel.getNumDims()), row(kernel.getNumDims());
    for (unsigned d : kernel.getReducedDims())
      reduced.set(d);
    SmallVector<unsigned> own = producer.getReducedDims();
    for (auto [v, argument] :
         llvm::zip_equal(kernel.getInputs(), kernel.getBody().getArguments())) {
      if (v.getDefiningOp() != producer)
        continue;
      StoreOp store = producer.getStore(cast<OpResult>(v).getResultNumber());
      for (Operation *user : argument.getUsers()) {
        auto load = dyn_cast<LoadOp>(user);
        if (!store || !load || load.getMask() || !load.getArgs().empty())
          return std::nullopt;
        // From the last dimension on.
        llvm::SmallBitVector found(kernel.getNumDims());
        unsigned matched = 0;
        for (auto [s, at] : llvm::reverse(llvm::zip_equal(
                 store.getIndices().getDims(), load.getIndices().getDims()))) {
          if (!s.isDim() || !at.isDim())
            continue;
          auto place = static_cast<unsigned>(at.getValue());
          if (own.empty()) {
            if (fuser.points(kernel, found) < kMinRow && reduced[place])
              found.set(place);
          } else if (llvm::is_contained(own,
                                        static_cast<unsigned>(s.getValue()))) {
            found.set(place);
            ++matched;
          }
        }
        if (matched != own.size())
          return std::nullopt;
        if (row.none())
          row = found;
        else if (row != found)
          return std::nullopt;
      }
    }
    if (row.none() || row.test(reduced) || row == reduced)
      return std::nullopt;
    double rows = fuser.points(kernel, ~row);
    if (own.empty() && fuser.points(kernel, row) < kMinRow)
      return std::nullopt;
    if (rows < kRowsForEach * static_cast<double>(counts.enoughResults))
      return std::nullopt;
    return row;
  }

  /// Both parts of `kernel`, in front of it.
  static RowCut cut(KernelOp kernel, const llvm::SmallBitVector &row) {
    MLIRContext *ctx = kernel.getContext();
    Location loc = kernel.getLoc();
    OpBuilder b(kernel);
    DimDependence dependence(kernel);
    llvm::SmallBitVector reduced(kernel.getNumDims());
    for (unsigned d : kernel.getReducedDims())
      reduced.set(d);

    SmallVector<int64_t> rowDims, outer;
    // What is not of a row: of the results, then what is reduced after it.
    SmallVector<ExprAttr> sizes, index, restExtents, restIndex,
        restDims(kernel.getNumDims(), sym::constant(ctx, 0));
    for (bool isReduced : {false, true})
      for (unsigned d = 0; d < kernel.getNumDims(); ++d) {
        if (reduced[d] != isReduced)
          continue;
        if (row[d]) {
          rowDims.push_back(d);
          continue;
        }
        if (isReduced)
          outer.push_back(static_cast<int64_t>(restExtents.size()));
        else
          restDims[d] =
              sym::dim(ctx, static_cast<unsigned>(restExtents.size()));
        restIndex.push_back(
            sym::dim(ctx, static_cast<unsigned>(restExtents.size())));
        restExtents.push_back(kernel.getExtent(d));
        sizes.push_back(kernel.getExtent(d));
        index.push_back(sym::dim(ctx, d));
      }

    DenseSet<Operation *> after;
    SmallVector<Type> types;
    for (Operation &op : *kernel.getBlock()) {
      if (isReduction(&op))
        types.push_back(sym::getTensorType(sizes, op.getResult(0).getType()));
      if (isReduction(&op) || isa<StoreOp>(op) ||
          llvm::any_of(op.getOperands(), [&](Value v) {
            return v.getDefiningOp() && after.contains(v.getDefiningOp());
          }))
        after.insert(&op);
    }
    auto partial =
        KernelOp::create(b, loc, (kernel.getName() + "_rows").str(),
                         kernel.getDims().getDims(), kernel.getInputs(), types);
    SmallVector<Value> inputs(partial.getResults());
    llvm::append_range(inputs, kernel.getInputs());
    auto rest = KernelOp::create(b, loc, kernel.getName(), restExtents, inputs,
                                 kernel->getResultTypes());

    IRMapping first, second;
    first.map(kernel.getBody().getArguments(),
              partial.getBody().getArguments());
    second.map(kernel.getBody().getArguments(),
               rest.getBody().getArguments().drop_front(types.size()));
    OpBuilder in(ctx), behind(ctx);
    in.setInsertionPointToStart(partial.getBlock());
    behind.setInsertionPointToStart(rest.getBlock());
    unsigned next = 0;
    for (Operation &op : *kernel.getBlock()) {
      if (auto reduce = dyn_cast<ReduceOp>(op)) {
        Value sum = ReduceOp::create(in, op.getLoc(), reduce.getKind(),
                                     first.lookup(reduce.getValue()), rowDims,
                                     /*tf32=*/false);
        StoreOp::create(in, op.getLoc(), sum, next,
                        sym::ShapeAttr::get(ctx, index));
        Value part = LoadOp::create(
            behind, op.getLoc(), rest.getBody().getArgument(next++), restIndex);
        second.map(reduce.getResult(),
                   ReduceOp::create(behind, op.getLoc(), reduce.getKind(), part,
                                    outer, /*tf32=*/false)
                       .getResult());
        continue;
      }
      if (!after.contains(&op))
        in.clone(op, first);
      if (op.getNumResults() > 0 &&
          dependence[op.getResult(0)].anyCommon(reduced))
        continue;
      Operation *clone = behind.clone(op, second);
      if (auto load = dyn_cast<LoadOp>(clone))
        load.setIndicesAttr(sym::substituteDims(load.getIndices(), restDims));
      else if (auto store = dyn_cast<StoreOp>(clone))
        store.setIndicesAttr(sym::substituteDims(store.getIndices(), restDims));
      else if (auto at = dyn_cast<IndexOp>(clone))
        at.setExprAttr(sym::substituteDims(at.getExpr(), restDims));
    }
    for (KernelOp made : {partial, rest})
      dropUnusedOps(made);
    return {partial, rest};
  }

  /// Bytes that need not move when `producer` reduces what `kernel` reads of
  /// it, and those of both kernels.
  static std::pair<double, double> countSaved(Fuser &fuser, KernelOp producer,
                                              KernelOp kernel) {
    double saved = 0, total = 0;
    for (KernelOp each : {producer, kernel})
      for (ValueRange values :
           {ValueRange(each.getInputs()), ValueRange(each.getResults())})
        for (Value v : values)
          total += getBytes(v, fuser.hints);
    for (Value v : kernel.getInputs()) {
      if (v.getDefiningOp() != producer)
        continue;
      bool isOnly = llvm::all_of(
          v.getUsers(), [&](Operation *user) { return user == kernel; });
      saved += (isOnly ? 2 : 1) * getBytes(v, fuser.hints);
    }
    return {saved, total};
  }

  static KernelOp merge(Fuser &fuser, KernelOp producer, KernelOp kernel,
                        const MergePlan &plan) {
    Operation *last = fuser.lastOperand(producer, kernel);
    KernelOp merged = mergeProducer(producer, kernel, plan);
    if (last)
      merged->moveAfter(last);
    else
      merged->moveBefore(&merged->getBlock()->front());
    return merged;
  }

  /// Has a long reduction, which runs in chunks, compute its elements for
  /// others, too.
  void fuseElements(Fuser &fuser, KernelOp kernel) {
    if (!fuser.isLongReduction(kernel) || !findChunkObstacle(kernel).empty() ||
        !getStoresOfRows(kernel).empty())
      return;
    for (Value v : kernel.getInputs()) {
      auto producer = v.getDefiningOp<KernelOp>();
      if (!producer || producer->getBlock() != kernel->getBlock() ||
          reduces(producer) || producer.isSequential())
        continue;
      if (auto [saved, total] = countSaved(fuser, producer, kernel);
          saved < kMinSavedPart * total)
        continue;
      std::optional<MergePlan> plan = fuser.plan(producer, kernel);
      if (!plan || !plan->keepResults)
        continue;
      remark::passed(kernel.getLoc(), remark::RemarkOpts::name("Fused")
                                          .category(DEBUG_TYPE)
                                          .function(getOperation().getName()))
          << remark::add("fused: '{0}' into the chunks of '{1}'",
                         producer.getName(), kernel.getName());
      dropUnusedResults(merge(fuser, producer, kernel, *plan));
      return;
    }
  }

  void fuse(Fuser &fuser, KernelOp kernel) {
    if (!canCut(fuser, kernel))
      return;
    llvm::SetVector<Operation *> producers;
    for (Value v : kernel.getInputs())
      if (auto producer = v.getDefiningOp<KernelOp>())
        if (producer->getBlock() == kernel->getBlock())
          producers.insert(producer);
    for (Operation *op : producers) {
      auto producer = cast<KernelOp>(op);
      std::optional<llvm::SmallBitVector> row = getRow(fuser, producer, kernel);
      if (!row || fuser.isLongReduction(producer))
        continue;
      auto [saved, total] = countSaved(fuser, producer, kernel);
      RowCut parts = cut(kernel, *row);
      for (Value v : parts.partial.getResults())
        saved -= 2 * getBytes(v, fuser.hints);
      std::optional<MergePlan> plan;
      if (saved >= kMinSavedPart * total)
        plan = fuser.plan(producer, parts.partial);
      else
        fuser.refuse("it would save " + Twine(static_cast<int64_t>(saved)) +
                     " of " + Twine(static_cast<int64_t>(total)) + " bytes");
      if (!plan) {
        remark::missed(kernel.getLoc(), remark::RemarkOpts::name("NotFused")
                                            .category(DEBUG_TYPE)
                                            .function(getOperation().getName()))
            << remark::add("not fused: rows of '{0}' into '{1}': {2}",
                           kernel.getName(), producer.getName(), fuser.why);
        parts.rest.erase();
        parts.partial.erase();
        continue;
      }
      remark::passed(kernel.getLoc(), remark::RemarkOpts::name("Fused")
                                          .category(DEBUG_TYPE)
                                          .function(getOperation().getName()))
          << remark::add("fused: rows of '{0}' into '{1}'", kernel.getName(),
                         producer.getName());
      KernelOp merged = merge(fuser, producer, parts.partial, *plan);
      kernel->replaceAllUsesWith(parts.rest);
      kernel.erase();
      dropUnusedResults(merged);
      return;
    }
  }

private:
  ReductionCounts counts;
};

} // namespace
