//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes host programs check while they run that storage lives as planned.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Wrapper/Transforms/Passes.h"

#include "coil/Dialect/Wrapper/Analysis/Lifetimes.h"
#include "coil/Dialect/Wrapper/Analysis/Provenance.h"
#include "coil/Dialect/Wrapper/IR/Transfer.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace coil::wrapper {
#define GEN_PASS_DEF_WRAPPERTRACKLIFETIMESPASS
#include "coil/Dialect/Wrapper/Transforms/Passes.h.inc"
} // namespace coil::wrapper

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

namespace {

class Tracker {
public:
  Tracker(FuncOp fn, const CallHandles &handles)
      : fn(fn), handles(handles), lifetimes(fn) {}
  void run();

private:
  /// A check in front of an op: what is alive there, and whether that is all.
  struct Check {
    Operation *before;
    std::string step;
    SmallVector<Value> alive;
    bool isExact = true;
  };

  void visit(Block &block);
  void addCheck(Operation *before, StringRef step);

  FuncOp fn;
  const CallHandles &handles;
  Lifetimes lifetimes;
  /// Names of what is allocated, as in the report of the plan.
  llvm::MapVector<Value, std::string> names;
  std::vector<Check> checks;
};

struct WrapperTrackLifetimes
    : coil::wrapper::impl::WrapperTrackLifetimesPassBase<
          WrapperTrackLifetimes> {
  void runOnOperation() override {
    CallHandles handles(getOperation());
    for (FuncOp fn : getOperation().getOps<FuncOp>())
      if (!fn.isExternal() && fn->hasAttr(kMemoryAttrName))
        Tracker(fn, handles).run();
  }
};

} // namespace

void Tracker::addCheck(Operation *before, StringRef step) {
  Check check{before, step.str(), {}};
  size_t here = lifetimes.getFirstStep(before);
  for (auto &[storage, name] : names) {
    const Lifetime &life = lifetimes.get().find(storage)->second;
    // What the op in front of which the check stands takes over is there still.
    bool isTakenHere = life.lastUse == before && life.isTaken;
    if (life.begin >= here || (life.end <= here && !isTakenHere))
      continue;
    // A region may have ended a life that another leaves alone; and what has no
    // sizes yet cannot be named.
    bool mayHaveEnded = life.isTaken && life.lastUse != before &&
                        life.lastUse->isAncestor(before);
    bool hasNoSizes = llvm::any_of(storage.getUsers(), [&](Operation *user) {
      return isa<BindSymbolOp>(user) && lifetimes.getFirstStep(user) >= here;
    });
    // In a partition everything is on its device.
    auto partition = before->getParentOfType<PartitionOp>();
    bool isElsewhere = partition && wrapper::getDevice(storage.getType()) !=
                                        partition.getDevice();
    if (mayHaveEnded || hasNoSizes || isElsewhere) {
      check.isExact = false;
      continue;
    }
    check.alive.push_back(storage);
  }
  checks.push_back(std::move(check));
}

void Tracker::visit(Block &block) {
  std::string step; // That was not checked yet.
  for (Operation &op : block) {
    // Behind ends of lives, and where the sizes of results have their symbols.
    if (!step.empty() &&
        !isa<FreeOp, PoolReleaseOp, PoolFreeOp, BindSymbolOp, AssertLayoutOp>(
            op)) {
      addCheck(&op, step);
      step.clear();
    }
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        visit(inner);
    if (auto compute = dyn_cast<ComputeOpInterface>(op))
      step = handles.get(compute);
    else if (op.getNumRegions() != 0 ||
             isa<InvokeOp, PartitionCallOp, CopyOp, FillOp, TransferOp>(op))
      step = op.getName().getStringRef().str();
  }
}

void Tracker::run() {
  unsigned numBuffers = 0, numPools = 0;
  for (auto &[storage, life] : lifetimes.get()) {
    bool isPool = isa<PoolType>(storage.getType());
    std::string name = isPool ? "pool" + std::to_string(numPools++)
                              : "b" + std::to_string(numBuffers++);
    // What is carved is part of its pool; the stack is nothing that an
    // allocator knows.
    auto pool = storage.getDefiningOp<PoolOp>();
    if (pool ? !pool.getOnStack() : !getCarving(storage))
      names[storage] = std::move(name);
  }
  visit(fn.getBody().front());
  OpBuilder b(fn.getContext());
  auto insert = [&](CheckMode mode, StringRef step, ArrayRef<Value> alive) {
    SmallVector<Attribute> attrs;
    for (Value v : alive)
      attrs.push_back(b.getStringAttr(names.find(v)->second));
    CheckLifetimeOp::create(b, b.getInsertionPoint()->getLoc(), mode, step,
                            b.getArrayAttr(attrs), alive);
  };
  for (const Check &check : checks) {
    b.setInsertionPoint(check.before);
    insert(check.isExact ? CheckMode::Exact : CheckMode::Alive, check.step,
           check.alive);
  }
  b.setInsertionPointToStart(&fn.getBody().front());
  if (ParamSymbolsOp params = getParamSymbols(fn)) // Has to be the first.
    b.setInsertionPointAfter(params);
  insert(CheckMode::Begin, "begin", {});
}
