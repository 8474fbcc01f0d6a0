//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `loop-fuse`: in which order kernels are merged.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Loop/Transforms/Passes.h"

#include "FoldPositions.h"
#include "Fuser.h"
#include "FusionCost.h"
#include "TargetCounts.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

#define DEBUG_TYPE "loop-fuse"

namespace coil::loop {
#define GEN_PASS_DEF_LOOPFUSEPASS
#include "coil/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace coil::loop

using namespace mlir;
using namespace coil;
using namespace coil::loop;

namespace {

struct LoopFusePass : coil::loop::impl::LoopFusePassBase<LoopFusePass> {
  using LoopFusePassBase::LoopFusePassBase;

  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    ReductionCounts counts =
        getReductionCounts(target::getProgramTarget(getOperation()));
    enough = enoughResults > 0 ? int64_t(enoughResults) : counts.enoughResults;
    piece = rowPiece >= 0 ? int64_t(rowPiece) : counts.fusedRowPiece;
    for (Block *block : getFusionBlocks(getOperation())) {
      fuseVertically(*block);
      if (horizontal)
        fuseHorizontally(*block);
      fuseEpilogues(*block);
    }
  }

  void fuseVertically(Block &body) {
    Fuser fuser(getOperation(), body, maxOps,
                useLibrary ? StringRef(library) : StringRef(), enough, piece);
    SmallVector<Operation *> worklist;
    for (Operation &op : body)
      if (isa<KernelOp>(op))
        worklist.push_back(&op);
    DenseSet<Operation *> gone, deferred, visited;
    for (size_t next = 0; next < worklist.size(); ++next) {
      Operation *op = worklist[next];
      // A kernel that was merged into an earlier one is not visited again.
      if (gone.contains(op))
        continue;
      KernelOp consumer = cast<KernelOp>(op);
      // What its readers compute again, such as the f32 of a bf16, is no part
      // of what they compute it from: with that it would be expensive, and
      // kept. Nor should what chunks of a reduction take store anything before.
      if ((fuser.isComputedByReaders(consumer) ||
           fuser.isTakenByChunks(consumer)) &&
          deferred.insert(op).second) {
        worklist.push_back(op);
        continue;
      }
      visited.insert(op);
      DenseSet<Operation *> refused;
      for (bool changed = true; changed;) {
        changed = false;
        for (Value v : consumer.getInputs()) {
          auto producer = v.getDefiningOp<KernelOp>();
          if (!producer || refused.contains(producer))
            continue;
          std::optional<MergePlan> plan = fuser.plan(producer, consumer);
          if (!plan) {
            if (auto copy = fuser.planCopy(v, consumer)) {
              producer = copy->first;
              plan = std::move(copy->second);
            } else {
              producer = v.getDefiningOp<KernelOp>();
            }
          }
          if (!plan) {
            refused.insert(producer);
            remark::missed(consumer.getLoc(),
                           remark::RemarkOpts::name("NotFused")
                               .category(DEBUG_TYPE)
                               .function(getOperation().getName()))
                << remark::add("not fused: '{0}' into '{1}': {2}",
                               producer.getName(), consumer.getName(),
                               fuser.why);
            continue;
          }
          std::string names = describe(producer, consumer);
          Location loc = consumer.getLoc();
          bool keeps = plan->keepResults;
          bool onlyReader = Fuser::isOnlyReader(consumer, producer);
          Operation *producerOp = producer, *consumerOp = consumer;
          Operation *last = fuser.lastOperand(producer, consumer);
          consumer = mergeProducer(producer, consumer, *plan);
          if (plan->sharesValues)
            shareValues(consumer);
          // Indices that the producer computed of positions are read at plain
          // places, at which others can be computed.
          if (llvm::any_of(consumer.getBlock()->getOps<LoadOp>(),
                           [](LoadOp load) { return !load.getArgs().empty(); }))
            foldPositions(consumer);
          hoist(consumer, last);
          gone.insert(consumerOp);
          visited.erase(consumerOp);
          visited.insert(consumer);
          if (onlyReader || keeps)
            gone.insert(producerOp);
          else
            visitAgain(producerOp, visited, gone, worklist);
          refused.clear(); // Other readers may be gone now.
          reportFused(loc, names);
          changed = true;
          break;
        }
      }
      dropUnusedResults(consumer);
    }
    // What only copies read now, nobody reads.
    for (KernelOp kernel : llvm::to_vector(body.getOps<KernelOp>()))
      dropUnusedResults(kernel);
  }

  /// Asks once more about the only reader that a producer is left with: it may
  /// have been refused since there were others, which compute it again now.
  static void visitAgain(Operation *producer,
                         const DenseSet<Operation *> &visited,
                         DenseSet<Operation *> &gone,
                         SmallVectorImpl<Operation *> &worklist) {
    auto users = llvm::to_vector(producer->getUsers());
    if (users.empty() || !llvm::all_equal(users) ||
        !visited.contains(users.front()))
      return;
    // Not the one that had this address before.
    gone.erase(users.front());
    worklist.push_back(users.front());
  }

  /// Gives long reductions what follows for each of their results.
  void fuseEpilogues(Block &body) {
    Fuser fuser(getOperation(), body, maxOps,
                useLibrary ? StringRef(library) : StringRef(), enough, piece);
    fuser.takesEpilogues = true;
    for (Operation &op : llvm::make_early_inc_range(body)) {
      auto consumer = dyn_cast<KernelOp>(op);
      if (!consumer || reduces(consumer))
        continue;
      for (Value v : consumer.getInputs()) {
        auto producer = v.getDefiningOp<KernelOp>();
        if (!producer || !fuser.isLongReduction(producer))
          continue;
        std::optional<MergePlan> plan = fuser.plan(producer, consumer);
        if (!plan)
          continue;
        reportFused(consumer.getLoc(), describe(producer, consumer));
        Operation *last = fuser.lastOperand(producer, consumer);
        hoist(dropUnusedResults(mergeProducer(producer, consumer, *plan)),
              last);
        break;
      }
    }
  }

  void fuseHorizontally(Block &body) {
    Fuser fuser(getOperation(), body, maxOps,
                useLibrary ? StringRef(library) : StringRef(), enough, piece);
    for (BlockArgument arg : body.getArguments())
      fuseReaders(fuser, arg);
    if (!isa<func::FuncOp>(body.getParentOp())) {
      llvm::SetVector<Value> outer;
      for (Operation &op : body)
        for (Value v : op.getOperands())
          if (v.getParentBlock() != &body)
            outer.insert(v);
      for (Value v : outer)
        fuseReaders(fuser, v);
    }
    // Merging readers neither erases nor moves the op whose results they read.
    for (Operation *op = &body.front(); op; op = op->getNextNode())
      for (Value v : op->getResults())
        fuseReaders(fuser, v);
  }

  static std::string describe(KernelOp producer, KernelOp consumer) {
    return ("'" + producer.getName() + "' into '" + consumer.getName() + "'")
        .str();
  }

  void reportFused(Location loc, StringRef names) {
    remark::passed(loc, remark::RemarkOpts::name("Fused")
                            .category(DEBUG_TYPE)
                            .function(getOperation().getName()))
        << remark::add("fused: {0}", names);
  }

  /// Moves a merged kernel behind its last operand, so that the block stays in
  /// topological order. What only sorts read stays in front of these: early, it
  /// would be in memory beside whatever comes in between.
  void hoist(KernelOp merged, Operation *last) {
    if (!merged->use_empty() &&
        llvm::all_of(merged->getUsers(), [&](Operation *user) {
          return isa<SortOp>(user) && user->getBlock() == merged->getBlock() &&
                 merged->isBeforeInBlock(user);
        }))
      return;
    if (last)
      merged->moveAfter(last);
    else
      merged->moveBefore(&merged->getBlock()->front());
  }

  /// Merges kernels that read `v`.
  void fuseReaders(Fuser &fuser, Value v) {
    SmallVector<KernelOp> readers = fuser.getReaders(v);
    for (size_t i = 0; i < readers.size(); ++i) {
      for (size_t j = i + 1; j < readers.size();) {
        KernelOp first = readers[i], second = readers[j];
        std::string names =
            ("'" + first.getName() + "' with '" + second.getName() + "'").str();
        if (!fuser.canMergeSiblings(first, second)) {
          remark::missed(second.getLoc(),
                         remark::RemarkOpts::name("NotFused")
                             .category(DEBUG_TYPE)
                             .function(getOperation().getName()))
              << remark::add("not fused: {0}: {1}", names, fuser.why);
          ++j;
          continue;
        }
        reportFused(second.getLoc(), names);
        Operation *last = fuser.lastOperand(first, second);
        readers[i] = mergeSiblings(first, second);
        hoist(readers[i], last);
        readers.erase(readers.begin() + static_cast<ptrdiff_t>(j));
      }
    }
  }

private:
  /// What the options leave to the target.
  int64_t enough = 0, piece = 0;
};

} // namespace
