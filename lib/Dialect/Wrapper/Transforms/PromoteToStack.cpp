//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts small storage of constant size on the stack of the host program.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Wrapper/Transforms/Passes.h"

#include "coil/Dialect/Sym/IR/Expr.h"
#include "coil/Dialect/Wrapper/Analysis/Lifetimes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/MathExtras.h"

namespace coil::wrapper {
#define GEN_PASS_DEF_WRAPPERPROMOTETOSTACKPASS
#include "coil/Dialect/Wrapper/Transforms/Passes.h.inc"
} // namespace coil::wrapper

#define DEBUG_TYPE "wrapper-promote-to-stack"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

namespace {

/// A pool, or a single allocation with the op that frees it.
struct Candidate {
  Operation *op;
  FreeOp end;
  int64_t bytes;
};

struct WrapperPromoteToStack
    : coil::wrapper::impl::WrapperPromoteToStackPassBase<
          WrapperPromoteToStack> {
  using WrapperPromoteToStackPassBase::WrapperPromoteToStackPassBase;
  void runOnOperation() override;

private:
  void place(FuncOp fn);
};

} // namespace

/// The op that frees what `storage`, or what took it over, is at; null if it is
/// not freed in its own block.
static FreeOp findEnd(Value storage) {
  Block *block = storage.getParentBlock();
  while (true) {
    Operation *taker = nullptr;
    unsigned count = 0;
    forEachUse(storage, [&](OpOperand &use) {
      if (!llvm::is_contained(getTakenOperands(use.getOwner()), &use))
        return;
      taker = use.getOwner();
      ++count;
    });
    if (count != 1 || taker->getBlock() != block)
      return {};
    if (auto free = dyn_cast<FreeOp>(taker))
      return free;
    auto reuse = dyn_cast<ReuseOp>(taker);
    if (!reuse)
      return {};
    storage = reuse.getResult();
  }
}

/// Makes a pool of one buffer on the stack.
static void convert(const Candidate &candidate) {
  auto alloc = cast<AllocOp>(candidate.op);
  auto type = cast<BufferType>(alloc.getType());
  OpBuilder b(alloc);
  Location loc = alloc.getLoc();
  auto pool =
      PoolOp::create(b, loc, PoolType::get(b.getContext(), type.getDevice()),
                     type.getStorageBytes(), /*on_stack=*/true);
  auto buffer =
      PoolAllocOp::create(b, loc, type, pool, sym::constant(b.getContext(), 0));
  buffer->setDiscardableAttrs(alloc->getDiscardableAttrDictionary());
  alloc.replaceAllUsesWith(buffer.getResult());
  alloc.erase();
  FreeOp end = candidate.end;
  b.setInsertionPoint(end);
  PoolReleaseOp::create(b, end.getLoc(), end.getSource());
  PoolFreeOp::create(b, end.getLoc(), pool);
  end.erase();
}

void WrapperPromoteToStack::place(FuncOp fn) {
  auto *dialect = fn.getContext()->getLoadedDialect<WrapperDialect>();
  SmallVector<Candidate> candidates;
  auto stays = [&](Operation *op, StringRef reason) {
    remark::missed(op->getLoc(),
                   remark::RemarkOpts::name("NotOnStack").category(DEBUG_TYPE))
        << remark::add("stays with the allocator: {0}", reason);
  };
  fn.walk([&](Operation *op) {
    auto pool = dyn_cast<PoolOp>(op);
    auto alloc = dyn_cast<AllocOp>(op);
    if (!alloc && (!pool || pool.getOnStack()))
      return;
    const DeviceInfo *device = dialect->lookupDevice(
        wrapper::getDevice(op->getResult(0).getType()).getKind());
    if (!device || !device->usesHostStack)
      return stays(op, "its device cannot use the host's stack");
    sym::ExprAttr size =
        pool ? pool.getBytes()
             : cast<BufferType>(alloc.getType()).getStorageBytes();
    std::optional<int64_t> bytes = size.getConstant();
    if (!bytes)
      return stays(op, "its size is not constant");
    FreeOp end = alloc ? findEnd(alloc) : FreeOp();
    if (alloc && !end)
      return stays(op, "its storage outlives its block");
    candidates.push_back(
        {op, end,
         getCountedBytes(static_cast<double>(*bytes),
                         wrapper::getDevice(op->getResult(0).getType()))});
  });
  llvm::stable_sort(candidates, [](const Candidate &a, const Candidate &b) {
    return a.bytes < b.bytes;
  });
  int64_t left = limit, placed = 0, pools = 0;
  for (const Candidate &candidate : candidates) {
    if (candidate.bytes > left) {
      stays(candidate.op, "the limit of the stack is reached");
      continue;
    }
    left -= candidate.bytes;
    ++placed;
    remark::passed(candidate.op->getLoc(),
                   remark::RemarkOpts::name("OnStack").category(DEBUG_TYPE))
        << remark::metric("Bytes", candidate.bytes);
    if (auto pool = dyn_cast<PoolOp>(candidate.op)) {
      pool.setOnStack(true);
    } else {
      convert(candidate);
      ++pools;
    }
  }
  // The report counts calls of allocators.
  auto memory = fn->getAttrOfType<DictionaryAttr>(kMemoryAttrName);
  NamedAttrList list(memory);
  auto add = [&](StringRef key, int64_t by) {
    if (auto old = memory.getAs<IntegerAttr>(key))
      list.set(key, IntegerAttr::get(old.getType(), old.getInt() + by));
  };
  add("allocations", -placed);
  add("pools", pools);
  fn->setAttr(kMemoryAttrName, list.getDictionary(fn.getContext()));
}

void WrapperPromoteToStack::runOnOperation() {
  if (limit < 0) {
    getOperation().emitError() << "the limit of the stack is negative";
    return signalPassFailure();
  }
  for (FuncOp fn : getOperation().getOps<FuncOp>()) {
    bool isChecked = fn.walk([](CheckLifetimeOp) {
                         return WalkResult::interrupt();
                       }).wasInterrupted();
    if (!fn.isExternal() && fn->hasAttr(kMemoryAttrName) && !isChecked)
      place(fn);
  }
}
