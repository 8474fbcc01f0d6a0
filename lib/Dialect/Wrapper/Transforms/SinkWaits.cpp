//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lets collectives run beside other work: starts early, waits late.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Wrapper/Transforms/Passes.h"

#include "Planner.h"
#include "coil/Dialect/Wrapper/Analysis/Dependences.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"

namespace coil::wrapper {
#define GEN_PASS_DEF_WRAPPERSINKWAITSPASS
#include "coil/Dialect/Wrapper/Transforms/Passes.h.inc"
} // namespace coil::wrapper

#define DEBUG_TYPE "wrapper-sink-waits"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

namespace {

/// An op and where it goes: in front of another one, with what it needs.
struct Move {
  Operation *op;
  Operation *before;
  /// Allocations and views that go along, in order.
  SmallVector<Operation *> helpers;
};

struct WrapperSinkWaits
    : coil::wrapper::impl::WrapperSinkWaitsPassBase<WrapperSinkWaits> {
  using WrapperSinkWaitsPassBase::WrapperSinkWaitsPassBase;
  void runOnOperation() override {
    if (peakPercent < 0) {
      getOperation().emitError() << "'peak-percent' is negative"; // (C1)
      return signalPassFailure();
    }
    SymbolTableCollection tables;
    for (FuncOp fn : getOperation().getOps<FuncOp>())
      if (!fn.isExternal() && !fn->hasAttr(kMemoryAttrName))
        run(fn, tables);
  }

private:
  void run(FuncOp fn, SymbolTableCollection &tables);
};

} // namespace

/// Whether an op computes something that a collective can run beside.
static bool isWork(Operation &op) {
  if (isa<CollectiveOp, WaitOp>(op))
    return false;
  return isa<ComputeOpInterface, CopyOp, FillOp, InvokeOp, PartitionCallOp>(
             op) ||
         op.getNumRegions() != 0;
}

/// Allocations and views at or behind `place` that an op needs, in order.
static void collectHelpers(Operation *op, Operation *place,
                           llvm::SetVector<Operation *> &helpers) {
  for (Value v : op->getOperands()) {
    Operation *def = v.getDefiningOp();
    if (!def || def->getBlock() != op->getBlock() || !isHelper(def) ||
        def->isBeforeInBlock(place))
      continue;
    collectHelpers(def, place, helpers);
    helpers.insert(def);
  }
}

/// Where a wait or a start can go; nothing if it is there.
static std::optional<Move> findMove(Operation *op) {
  Block &block = *op->getBlock();
  Dependences dependences(block);
  ArrayRef<Dependences::Step> steps = dependences.getSteps();
  const auto *step =
      llvm::find_if(steps, [&](const auto &each) { return each.op == op; });
  Move move{op, nullptr, {}};
  if (isa<WaitOp>(op)) {
    Operation *first = block.getTerminator();
    for (unsigned behind : step->behind)
      if (steps[behind].op->isBeforeInBlock(first))
        first = steps[behind].op;
    // Nothing is won behind what is no work.
    while (first->getPrevNode() != op && !isWork(*first->getPrevNode()))
      first = first->getPrevNode();
    if (first->getPrevNode() == op)
      return std::nullopt;
    move.before = first;
    return move;
  }
  Operation *last = nullptr;
  for (unsigned before : step->before)
    if (!last || last->isBeforeInBlock(steps[before].op))
      last = steps[before].op;
  for (Operation *other = op->getPrevNode(); other && other != last;
       other = other->getPrevNode())
    if (isa<WaitOp>(other))
      last = other;
  move.before = last ? last->getNextNode() : &block.front();
  // Where only what it needs is in between, it is early already.
  Operation *between = move.before;
  while (between != op && !isWork(*between))
    between = between->getNextNode();
  if (between == op)
    return std::nullopt;
  llvm::SetVector<Operation *> helpers;
  collectHelpers(op, move.before, helpers);
  move.helpers = helpers.takeVector();
  return move;
}

/// The order of all ops of a block, to go back to.
static SmallVector<Operation *> getOrder(Block &block) {
  return llvm::to_vector(llvm::make_pointer_range(block.without_terminator()));
}

static void setOrder(Block &block, ArrayRef<Operation *> order) {
  for (Operation *op : order)
    op->moveBefore(block.getTerminator());
}

static void apply(const Move &move) {
  // Where the place itself is a helper, it comes along.
  Operation *place = move.before;
  while (llvm::is_contained(move.helpers, place) || place == move.op)
    place = place->getNextNode();
  for (Operation *helper : move.helpers)
    helper->moveBefore(place);
  move.op->moveBefore(place);
}

void WrapperSinkWaits::run(FuncOp fn, SymbolTableCollection &tables) {
  llvm::SetVector<Block *> blocks;
  fn.walk([&](CollectiveOp op) { blocks.insert(op->getBlock()); });
  fn.walk([&](WaitOp op) { blocks.insert(op->getBlock()); });
  if (blocks.empty())
    return;
  int64_t peak = Planner(fn, tables).getLowerBound();
  auto isAllowed = [&] {
    return static_cast<double>(Planner(fn, tables).getLowerBound()) <=
           static_cast<double>(peak) * static_cast<double>(peakPercent) / 100;
  };
  for (Block *block : blocks) {
    // Places in streams are the program's own.
    if (isa<StreamOp>(block->getParentOp()))
      continue;
    // Starts go up in their order, waits down from the last.
    SmallVector<Operation *> ops;
    for (Operation &op : *block)
      if (isa<CollectiveOp>(op))
        ops.push_back(&op);
    for (Operation &op : llvm::reverse(*block))
      if (isa<WaitOp>(op))
        ops.push_back(&op);
    SmallVector<Operation *> before = getOrder(*block);
    bool hasMoved = false;
    for (Operation *op : ops)
      if (std::optional<Move> move = findMove(op)) {
        apply(*move);
        hasMoved = true;
      }
    if (!hasMoved || isAllowed())
      continue;
    // One after another, then.
    setOrder(*block, before);
    for (Operation *op : ops) {
      SmallVector<Operation *> last = getOrder(*block);
      std::optional<Move> move = findMove(op);
      if (!move)
        continue;
      apply(*move);
      if (isAllowed())
        continue;
      setOrder(*block, last);
      remark::missed(op->getLoc(),
                     remark::RemarkOpts::name("NotMoved").category(DEBUG_TYPE))
          << remark::add("not moved: the peak would be above {0} percent of "
                         "{1} bytes",
                         peakPercent.getValue(), peak);
    }
  }
  fn.walk([&](CollectiveOp op) {
    int64_t steps = 0;
    bool isOpen = true;
    for (Operation *next = op->getNextNode(); next && isOpen;
         next = next->getNextNode()) {
      isOpen = !llvm::is_contained(op.getToken().getUsers(), next);
      steps += isOpen && isWork(*next);
    }
    remark::passed(op.getLoc(),
                   remark::RemarkOpts::name("Beside").category(DEBUG_TYPE))
        << remark::add("{0} steps run concurrently with the {1}", steps,
                       op.describe())
        << remark::metric("Steps", steps);
  });
}
