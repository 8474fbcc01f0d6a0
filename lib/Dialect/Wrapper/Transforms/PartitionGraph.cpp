//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds runs of ops that a device can keep as graphs.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Wrapper/Transforms/Passes.h"

#include "Planner.h"
#include "coil/Dialect/Wrapper/Analysis/Dependences.h"
#include "coil/Dialect/Wrapper/IR/TensorMap.h"
#include "coil/Dialect/Wrapper/IR/Transfer.h"
#include "coil/Dialect/Wrapper/IR/Updated.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"

#include <set>

namespace coil::wrapper {
#define GEN_PASS_DEF_WRAPPERPARTITIONGRAPHPASS
#include "coil/Dialect/Wrapper/Transforms/Passes.h.inc"
} // namespace coil::wrapper

#define DEBUG_TYPE "wrapper-partition-graph"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

namespace {

/// What an op means for a graph.
struct Colour {
  enum {
    Captured, ///< A step of a graph of `device`.
    Memory,   ///< Goes with the steps around it.
    Scalar,   ///< Of the host, but has no reason to be between two steps.
    Refused   ///< Needs the host, for `reason`.
  } kind = Refused;
  DeviceAttr device;
  std::string reason;
};

/// Ops of a block that a graph can hold together.
struct Run {
  SmallVector<Operation *> ops;
  DeviceAttr device;
  /// Launches, library calls, copies and collectives.
  unsigned steps = 0;
};

struct WrapperPartitionGraph
    : coil::wrapper::impl::WrapperPartitionGraphPassBase<
          WrapperPartitionGraph> {
  using WrapperPartitionGraphPassBase::WrapperPartitionGraphPassBase;
  void runOnOperation() override;

private:
  void run(FuncOp fn, SymbolTableCollection &tables);
  Colour getColour(Operation *op);
  void explain(FuncOp fn);
  bool needsHost(FuncOp fn);
  unsigned countRuns(Block &block);
  bool reorder(Block &block);
  SmallVector<Run> findRuns(Block &block);
  void leaveOutApart(Block &block);
  void formPartitions(Block &block);
  void form(ArrayRef<Operation *> run, DeviceAttr device);

  /// Symbols that are read from elements, or come from what is.
  llvm::DenseSet<StringAttr> late;
  /// Collectives and waits whose counterpart is in no or another run.
  llvm::DenseSet<Operation *> apart;
  unsigned numPartitions = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Colours
//===----------------------------------------------------------------------===//

/// Whether storage is known to a block as its own, so that it can end in it.
static bool isOwnedIn(Value storage, Block *block) {
  return isOwned(storage) && storage.getParentBlock() == block;
}

/// Whether the function of a block writes storage that is the caller's.
static bool isUpdatedIn(Value storage, Block *block) {
  auto arg = dyn_cast<BlockArgument>(storage);
  auto fn = dyn_cast<FuncOp>(block->getParentOp());
  return arg && fn && arg.getOwner() == block &&
         isUpdated(fn, arg.getArgNumber());
}

/// The block that an op is part of; streams have none of their own.
static Block *getOwnBlock(Operation *op) {
  auto stream = dyn_cast<StreamOp>(op->getParentOp());
  return stream ? stream->getBlock() : op->getBlock();
}

/// Whether an event is on one side of a run of ops, and its wait on the other.
static bool cutsEvent(ArrayRef<Operation *> run) {
  llvm::DenseSet<Operation *> members;
  for (Operation *op : run)
    op->walk([&](Operation *each) { members.insert(each); });
  for (Operation *op : members) {
    if (isa<RecordEventOp>(op) &&
        !llvm::all_of(op->getUsers(),
                      [&](Operation *user) { return members.contains(user); }))
      return true;
    if (auto wait = dyn_cast<WaitEventOp>(op);
        wait && !members.contains(wait.getEvent()))
      return true;
  }
  return false;
}

Colour WrapperPartitionGraph::getColour(Operation *op) {
  Colour colour;
  auto refuse = [&](const Twine &reason) {
    colour.kind = Colour::Refused;
    colour.reason = reason.str();
    return colour;
  };
  if (isa<SymExprOp, wrapper::AssertOp, CompareOp, InputSymbolOp,
          ParamSymbolsOp>(op) ||
      (isa<AssertLayoutOp>(op) &&
       op->getOperand(0).getDefiningOp() == nullptr)) {
    colour.kind = Colour::Scalar;
    return colour;
  }
  auto isScalar = [](Type type) { return type.isIntOrFloat(); };
  if (op->getNumResults() != 0 && op->getNumRegions() == 0 &&
      isMemoryEffectFree(op) && llvm::all_of(op->getOperandTypes(), isScalar) &&
      llvm::all_of(op->getResultTypes(), isScalar)) {
    colour.kind = Colour::Scalar;
    return colour;
  }
  if (isa<ItemOp>(op))
    return refuse("the host reads an element");
  if (isa<IfOp>(op))
    return refuse("the host decides which branch runs");
  if (isa<WhileOp>(op))
    return refuse("the host decides how often a loop runs");
  if (isa<InvokeOp, PartitionCallOp>(op))
    return refuse("it calls a function of the host");
  bool isCollective = isa<CollectiveOp, WaitOp>(op);
  if (isCollective && !collectives)
    return refuse("a graph of one rank knows nothing of the others");
  if (apart.contains(op))
    return refuse(isa<WaitOp>(op) ? "what it waits for is not started in it"
                                  : "what waits for it is not in it");
  if (isa<CommAllocOp, CommFreeOp>(op))
    return refuse("its memory is a process group's");
  if (isa<HostCallOpInterface>(op) && !isCollective)
    return refuse("it calls a function that was not compiled with the program");
  // A recording would keep the address of memory that the host may move or page
  // out.
  if (isa<TransferOp>(op))
    return refuse("it copies from one device to another");
  if (isa<PartitionOp, DeviceScopeOp>(op))
    return refuse("it was partitioned before");
  if (isa<DebugValueOp, DebugMarkOp, CheckLifetimeOp>(op))
    return refuse("it debugs the program on the host");
  if (isa<BindSymbolOp, AssertLayoutOp>(op))
    return refuse("it looks at the result of a call");
  if (isa<StreamOp, RecordEventOp, WaitEventOp>(op)) {
    // An event between two graphs would be one of the host.
    colour.device = isa<StreamOp>(op) ? cast<StreamOp>(op).getDevice()
                    : isa<RecordEventOp>(op)
                        ? cast<RecordEventOp>(op).getDevice()
                        : cast<WaitEventOp>(op).getEvent().getDevice();
    if (colour.device.getKind() != device)
      return refuse("it runs on the device '" + colour.device.getKind() +
                    "', which keeps no graphs");
    for (Region &region : op->getRegions())
      for (Operation &inner : region.front().without_terminator())
        if (Colour each = getColour(&inner); each.kind == Colour::Refused)
          return refuse(each.reason);
    colour.kind = isa<StreamOp>(op) ? Colour::Captured : Colour::Memory;
    return colour;
  }
  bool isStep = isa<ComputeOpInterface, CopyOp, FillOp>(op);
  bool isMemory =
      isa<AllocOp, ConstantOp, FreeOp, ReuseOp, ReinterpretOp, TMADescriptorOp>(
          op);
  if (isa<PoolOp, PoolAllocOp, PoolReleaseOp, PoolFreeOp>(op))
    return refuse("it is part of a memory pool of the whole function");
  if (!isStep && !isMemory)
    return refuse("it is no op of a graph");

  for (Value v : llvm::concat<Value>(SmallVector<Value>(op->getOperands()),
                                     SmallVector<Value>(op->getResults()))) {
    if ((isCollective && isa<TokenType>(v.getType())) ||
        isa<TMADescriptorType>(v.getType()))
      continue;
    if (!isStorage(v))
      return refuse("it uses a value of the host");
    DeviceAttr each = wrapper::getDevice(v.getType());
    if (each.getKind() != device)
      return refuse("it runs on the device '" + each.getKind() +
                    "', which keeps no graphs");
    if (colour.device && colour.device != each)
      return refuse("it works on two devices");
    colour.device = each;
    if (getCarving(v))
      return refuse("it uses a memory pool of the whole function");
  }
  // What a branch or a loop writes and ends has to be its own.
  SmallVector<MemoryEffects::EffectInstance> instances;
  if (auto effects = dyn_cast<MemoryEffectOpInterface>(op))
    effects.getEffects(instances);
  for (const auto &effect : instances)
    if (Value v = effect.getValue();
        v && v.getDefiningOp() != op &&
        !isa<MemoryEffects::Read>(effect.getEffect()) &&
        (getCommAlloc(v) || (!isOwnedIn(getStorage(v), getOwnBlock(op)) &&
                             !isUpdatedIn(getStorage(v), getOwnBlock(op)))))
      return refuse(getCommAlloc(v)
                        ? "it writes memory of a process group"
                        : "it writes or ends a buffer from outside of its "
                          "block");
  if (!lateSizes)
    for (StringAttr name : getMentionedSymbols(op))
      if (late.contains(name))
        return refuse("its sizes depend on the element '" + name.getValue() +
                      "'");
  colour.kind = isStep ? Colour::Captured : Colour::Memory;
  return colour;
}

/// Says why ops cannot be part of a graph.
void WrapperPartitionGraph::explain(FuncOp fn) {
  fn.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == fn || op->hasTrait<OpTrait::IsTerminator>() ||
        isa_and_present<PartitionOp, StreamOp>(op->getParentOp()))
      return;
    Colour colour = getColour(op);
    if (colour.kind == Colour::Refused)
      remark::missed(
          op->getLoc(),
          remark::RemarkOpts::name("NotCaptured").category(DEBUG_TYPE))
          << remark::add("not in a graph: {0} ({1})", colour.reason,
                         op->getName().getStringRef());
  });
}

bool WrapperPartitionGraph::needsHost(FuncOp fn) {
  return fn
      .walk([&](Operation *op) {
        if (op == fn || op->hasTrait<OpTrait::IsTerminator>())
          return WalkResult::advance();
        return getColour(op).kind == Colour::Refused ? WalkResult::interrupt()
                                                     : WalkResult::advance();
      })
      .wasInterrupted();
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// How often the program goes over to a graph, or from one to another.
unsigned WrapperPartitionGraph::countRuns(Block &block) {
  unsigned runs = 0;
  DeviceAttr current;
  for (Operation &op : block.without_terminator()) {
    Colour colour = getColour(&op);
    if (colour.kind == Colour::Refused)
      current = {};
    else if (colour.kind == Colour::Captured && colour.device != current) {
      current = colour.device;
      ++runs;
    }
  }
  return runs;
}

/// Draws steps of one colour as long as there is one that is ready, those of
/// the host first. Returns whether the order has changed.
bool WrapperPartitionGraph::reorder(Block &block) {
  Dependences dependences(block);
  ArrayRef<Dependences::Step> steps = dependences.getSteps();
  // The colour of each step; null for the host.
  SmallVector<DeviceAttr> colours;
  SmallVector<size_t> waiting;
  llvm::MapVector<DeviceAttr, std::set<unsigned>> ready;
  ready[DeviceAttr()];
  for (auto [i, step] : llvm::enumerate(steps)) {
    Colour colour = getColour(step.op);
    colours.push_back(colour.kind == Colour::Captured ? colour.device
                                                      : DeviceAttr());
    waiting.push_back(step.before.size());
    ready[colours.back()];
  }
  for (unsigned i = 0; i < steps.size(); ++i)
    if (waiting[i] == 0)
      ready[colours[i]].insert(i);
  SmallVector<unsigned> schedule;
  while (schedule.size() != steps.size()) {
    for (auto &[colour, queue] : ready)
      while (!queue.empty()) {
        unsigned next = *queue.begin();
        queue.erase(queue.begin());
        schedule.push_back(next);
        for (unsigned i : steps[next].behind)
          if (--waiting[i] == 0)
            ready[colours[i]].insert(i);
      }
  }
  SmallVector<Operation *> order = dependences.getOrder(schedule);
  bool changed =
      !llvm::equal(order, llvm::make_pointer_range(block.without_terminator()));
  for (Operation *op : order)
    op->moveBefore(block.getTerminator());
  return changed;
}

//===----------------------------------------------------------------------===//
// Partitions
//===----------------------------------------------------------------------===//

void WrapperPartitionGraph::form(ArrayRef<Operation *> run, DeviceAttr device) {
  Operation *first = run.front(), *last = run.back();
  Block *block = first->getBlock();
  auto isIn = [&](Operation *op) {
    Operation *here = op ? block->findAncestorOpInBlock(*op) : nullptr;
    return here && !here->isBeforeInBlock(first) &&
           !last->isBeforeInBlock(here);
  };
  // What computes with numbers needs none of the buffers in between.
  SmallVector<Operation *> inside;
  for (Operation *op : run) {
    if (getColour(op).kind == Colour::Scalar)
      op->moveBefore(first);
    else
      inside.push_back(op);
  }
  first = inside.front();
  // Allocations that nothing needed before come along.
  SmallVector<Operation *> early;
  for (Operation &op : *block) {
    if (&op == first)
      break;
    // Views in front of the region show storage that is made in it.
    if (isa<ReinterpretOp>(op) &&
        llvm::is_contained(early,
                           getStorage(op.getResult(0)).getDefiningOp())) {
      early.push_back(&op);
      continue;
    }
    auto alloc = dyn_cast<AllocOp>(op);
    if (!alloc || getColour(alloc).kind != Colour::Memory ||
        cast<BufferType>(alloc.getType()).getDevice() != device)
      continue;
    bool isBefore = false, isInside = false;
    forEachUse(alloc, [&](OpOperand &use) {
      Operation *user = use.getOwner();
      if (isIn(user))
        isInside = true;
      else if (Operation *here = block->findAncestorOpInBlock(*user))
        isBefore |=
            here->isBeforeInBlock(first) && !isa<ViewLikeOpInterface>(user);
    });
    if (isInside && !isBefore)
      early.push_back(&op);
  }
  inside.insert(inside.begin(), early.begin(), early.end());
  // Memory that no step uses stays outside, behind the region.
  auto isUsedInside = [&](Operation *alloc) {
    bool isUsed = false;
    forEachUse(alloc->getResult(0), [&](OpOperand &use) {
      isUsed |= !isa<ViewLikeOpInterface>(use.getOwner()) &&
                llvm::is_contained(
                    inside, block->findAncestorOpInBlock(*use.getOwner()));
    });
    return isUsed;
  };
  llvm::SetVector<Operation *> unused;
  for (Operation *op : inside) {
    if (isa<AllocOp>(op)
            ? !isUsedInside(op)
            : isa<ReinterpretOp>(op) &&
                  unused.contains(getStorage(op->getResult(0)).getDefiningOp()))
      unused.insert(op);
  }
  Operation *behind = last;
  for (Operation *op : unused) {
    op->moveAfter(behind);
    behind = op;
  }
  llvm::erase_if(inside, [&](Operation *op) { return unused.contains(op); });

  llvm::DenseSet<Operation *> members(inside.begin(), inside.end());
  // Storage that lives on; views of it are made again behind the region.
  llvm::SetVector<Value> yielded;
  SmallVector<ReinterpretOp> views;
  for (Operation *op : inside)
    for (Value v : op->getResults())
      for (Operation *user : v.getUsers()) {
        Operation *here = block->findAncestorOpInBlock(*user);
        if (here && members.contains(here))
          continue;
        if (isa<ConstantOp>(op))
          continue;
        if (auto view = dyn_cast<ReinterpretOp>(op))
          views.push_back(view);
        yielded.insert(getStorage(v));
      }
  // Storage from outside is no result, whatever shows it, and neither is a
  // literal, which is made again.
  yielded.remove_if([&](Value v) {
    return !v.getDefiningOp() || !members.contains(v.getDefiningOp()) ||
           isa<ConstantOp>(v.getDefiningOp());
  });
  SmallVector<Operation *> constants;
  for (Operation *op : inside)
    if (isa<ConstantOp>(op) && llvm::any_of(op->getUsers(), [&](Operation *u) {
          return !members.contains(block->findAncestorOpInBlock(*u));
        }))
      constants.push_back(op);

  OpBuilder b(last->getContext());
  b.setInsertionPointAfter(last);
  SmallVector<Type> types;
  for (Value v : yielded)
    types.push_back(v.getType());
  auto op = PartitionOp::create(b, first->getLoc(), types, device);
  Block &body = op.getBody().emplaceBlock();
  for (Operation *member : inside)
    member->moveBefore(&body, body.end());
  b.setInsertionPointToEnd(&body);
  YieldOp::create(b, last->getLoc(), yielded.getArrayRef());
  auto isOutside = [&](OpOperand &use) {
    return !op->isProperAncestor(use.getOwner());
  };
  for (auto [i, v] : llvm::enumerate(llvm::to_vector(yielded)))
    v.replaceUsesWithIf(op.getResult(static_cast<unsigned>(i)), isOutside);
  b.setInsertionPointAfter(op);
  llvm::DenseMap<Operation *, Value> copies;
  auto copy = [&](Operation *constant) {
    Value &made = copies[constant];
    if (!made)
      made = b.clone(*constant)->getResult(0);
    return made;
  };
  std::function<Value(Value)> remake = [&](Value v) -> Value {
    if (auto constant = v.getDefiningOp<ConstantOp>();
        constant && op->isProperAncestor(constant))
      return copy(constant);
    auto view = v.getDefiningOp<ReinterpretOp>();
    if (!view || !op->isProperAncestor(view)) {
      auto *it = llvm::find(yielded, v);
      return it == yielded.end()
                 ? v
                 : op.getResult(static_cast<unsigned>(it - yielded.begin()));
    }
    Value source = remake(view.getSource());
    return ReinterpretOp::create(b, view.getLoc(), view.getType(), source,
                                 view.getOffset());
  };
  for (ReinterpretOp view : views)
    if (llvm::any_of(view->getUses(), isOutside))
      view.getResult().replaceUsesWithIf(remake(view.getResult()), isOutside);
  for (Operation *constant : constants)
    constant->getResult(0).replaceUsesWithIf(copy(constant), isOutside);
  for (Operation &member : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isa<ConstantOp, ReinterpretOp>(member) && member.use_empty())
      member.erase();
  ++numPartitions;
}

SmallVector<Run> WrapperPartitionGraph::findRuns(Block &block) {
  SmallVector<Run> runs;
  Run current;
  SmallVector<Operation *> pending;
  auto end = [&] {
    if (current.steps != 0) {
      // A stream that was left comes back in the region.
      size_t taken = 0;
      for (auto [i, op] : llvm::enumerate(pending))
        if (auto wait = dyn_cast<WaitEventOp>(op);
            wait && (llvm::is_contained(current.ops, wait.getEvent()) ||
                     llvm::is_contained(pending, wait.getEvent())))
          taken = i + 1;
      // What ends with the last step ends there, too.
      while (taken < pending.size() && isa<FreeOp>(pending[taken]))
        ++taken;
      llvm::append_range(current.ops, ArrayRef(pending).take_front(taken));
      runs.push_back(std::move(current));
    }
    current = {};
    pending.clear();
  };
  for (Operation &op : block.without_terminator()) {
    Colour colour = getColour(&op);
    // A wait has no work of its own.
    bool isStep = colour.kind == Colour::Captured && !isa<WaitOp>(op);
    if (colour.kind == Colour::Refused ||
        (colour.kind == Colour::Captured && current.device &&
         (current.device != colour.device ||
          (isStep && maxOps != 0 && current.steps == maxOps))))
      end();
    if (colour.kind == Colour::Refused)
      continue;
    if (colour.kind == Colour::Captured) {
      // What came before the first step stays outside, but for its maps.
      if (!current.device)
        llvm::erase_if(pending, [&](Operation *each) {
          return !isa<TMADescriptorOp>(each) ||
                 !llvm::is_contained(each->getUsers(), &op);
        });
      current.device = colour.device;
      llvm::append_range(current.ops, pending);
      pending.clear();
      current.ops.push_back(&op);
      current.steps += isStep;
      continue;
    }
    if (colour.kind == Colour::Memory && current.device &&
        colour.device != current.device)
      continue;
    pending.push_back(&op);
  }
  end();
  return runs;
}

/// A graph that starts something has to wait for it, too: what is apart stays
/// with the host, which may cut other runs.
void WrapperPartitionGraph::leaveOutApart(Block &block) {
  if (!collectives)
    return;
  for (bool hasChanged = true; hasChanged;) {
    hasChanged = false;
    llvm::DenseMap<Operation *, unsigned> numbers;
    SmallVector<CollectiveOp> started;
    for (auto [number, run] : llvm::enumerate(findRuns(block)))
      for (Operation *op : run.ops) {
        numbers[op] = static_cast<unsigned>(number) + 1;
        op->walk([&](CollectiveOp each) { started.push_back(each); });
      }
    auto getNumber = [&](Operation *op) {
      Operation *here = block.findAncestorOpInBlock(*op);
      return here ? numbers.lookup(here) : 0;
    };
    auto leaveOut = [&](Operation *op) {
      if (!apart.insert(op).second)
        return;
      hasChanged = true;
      remark::missed(
          op->getLoc(),
          remark::RemarkOpts::name("NotCaptured").category(DEBUG_TYPE))
          << remark::add("not in a graph: {0} ({1})", getColour(op).reason,
                         op->getName().getStringRef());
    };
    for (CollectiveOp op : started)
      if (llvm::any_of(op->getUsers(), [&](Operation *wait) {
            return getNumber(wait) != getNumber(op);
          })) {
        leaveOut(op);
        for (Operation *wait : op->getUsers())
          leaveOut(wait);
      }
    // What an earlier round has left out may be waited for in a run.
    for (Run &run : findRuns(block))
      for (Operation *op : run.ops)
        op->walk([&](WaitOp wait) {
          if (getNumber(wait.getCollective()) == 0)
            leaveOut(wait);
        });
  }
}

/// Gives each launch tensor maps of its own, in front of it, so that a graph
/// has those that its launches take. A run makes each map once.
static void separateMaps(FuncOp fn) {
  fn.walk([](LaunchUserOp launch) {
    OpBuilder b(launch);
    for (OpOperand &map : launch.getMapsMutable())
      map.set(b.clone(*map.get().getDefiningOp())->getResult(0));
  });
  fn.walk([](TMADescriptorOp map) {
    if (map->use_empty())
      map.erase();
  });
}

void WrapperPartitionGraph::formPartitions(Block &block) {
  for (Operation &op : block)
    if (!isa<PartitionOp, KernelOp, StreamOp>(op))
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          formPartitions(inner);
  leaveOutApart(block);
  for (Run &run : findRuns(block)) {
    if (run.steps < minOps)
      remark::missed(run.ops.front()->getLoc(),
                     remark::RemarkOpts::name("TooSmall").category(DEBUG_TYPE))
          << remark::add(
                 "not in a graph: a sequence of {0} steps, fewer than {1}",
                 run.steps, minOps.getValue());
    else if (cutsEvent(run.ops))
      remark::missed(
          run.ops.front()->getLoc(),
          remark::RemarkOpts::name("NotCaptured").category(DEBUG_TYPE))
          << remark::add("not in a graph: a stream outside of it runs "
                         "concurrently with it");
    else
      form(run.ops, run.device);
  }
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

static void saveOrder(Region &region, SmallVectorImpl<Operation *> &ops) {
  for (Block &block : region)
    for (Operation &op : block) {
      ops.push_back(&op);
      for (Region &inner : op.getRegions())
        saveOrder(inner, ops);
    }
}

static void restoreOrder(ArrayRef<Operation *> ops) {
  for (Operation *op : ops)
    if (!op->hasTrait<OpTrait::IsTerminator>())
      op->moveBefore(op->getBlock()->getTerminator());
}

void WrapperPartitionGraph::run(FuncOp fn, SymbolTableCollection &tables) {
  late.clear();
  apart.clear();
  fn.walk([&](Operation *op) {
    bool isLate = isa<ItemOp, BindSymbolOp, IfOp, WhileOp>(op);
    if (isa<SymExprOp>(op))
      for (StringAttr name : getMentionedSymbols(op))
        isLate |= late.contains(name);
    if (isLate)
      for (StringRef name : getBoundSymbols(op))
        late.insert(StringAttr::get(op->getContext(), name));
  });
  bool hasSteps = fn.walk([&](Operation *op) {
                      return op != fn && getColour(op).kind == Colour::Captured
                                 ? WalkResult::interrupt()
                                 : WalkResult::advance();
                    }).wasInterrupted();
  if (!needsHost(fn)) {
    if (hasSteps && !whole) {
      remark::analysis(fn.getLoc(),
                       remark::RemarkOpts::name("Whole").category(DEBUG_TYPE))
          << remark::add("the whole call can be captured as one graph");
      return;
    }
  }
  explain(fn);
  if (!hasSteps)
    return;
  // Frees and pools fix the order.
  bool isPlanned = fn->hasAttr(kMemoryAttrName);
  fn.walk(
      [&](Operation *op) { isPlanned |= isa<FreeOp, ReuseOp, PoolOp>(op); });
  if (!isPlanned && peakPercent != 0) {
    SmallVector<Operation *> program;
    saveOrder(fn.getBody(), program);
    int64_t before = Planner(fn, tables).getLowerBound();
    unsigned runsBefore = 0, runsAfter = 0;
    SmallVector<Block *> blocks;
    fn.walk([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks)
      runsBefore += countRuns(*block);
    bool changed = false;
    for (Block *block : blocks)
      changed |= reorder(*block);
    for (Block *block : blocks)
      runsAfter += countRuns(*block);
    int64_t after = Planner(fn, tables).getLowerBound();
    bool taken =
        changed && runsAfter < runsBefore &&
        after <= before / 100 * peakPercent + before % 100 * peakPercent / 100;
    if (!taken)
      restoreOrder(program);
    remark::analysis(fn.getLoc(),
                     remark::RemarkOpts::name("Order").category(DEBUG_TYPE))
        << remark::add("{0} order", taken ? "another" : "the program's")
        << remark::metric("RunsBefore", runsBefore)
        << remark::metric("RunsAfter", runsAfter)
        << remark::metric("PeakBefore", before)
        << remark::metric("PeakAfter", after);
  }
  numPartitions = 0;
  separateMaps(fn);
  formPartitions(fn.getBody().front());
  remark::analysis(fn.getLoc(),
                   remark::RemarkOpts::name("Partitions").category(DEBUG_TYPE))
      << remark::metric("Partitions", numPartitions);
}

void WrapperPartitionGraph::runOnOperation() {
  SymbolTableCollection tables;
  for (FuncOp fn : getOperation().getOps<FuncOp>())
    // The function of a partition is one already.
    if (!fn.isExternal() && !getParamSymbols(fn) &&
        llvm::none_of(*SymbolTable::getSymbolUses(fn, getOperation()),
                      [](SymbolTable::SymbolUse use) {
                        return isa<PartitionCallOp>(use.getUser());
                      }))
      run(fn, tables);
}
