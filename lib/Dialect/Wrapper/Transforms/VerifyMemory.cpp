//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks that the memory plan of host programs is right.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Wrapper/Transforms/Passes.h"

#include "VerifyDevices.h"
#include "VerifyStreams.h"
#include "coil/Dialect/Graph/IR/Uninitialized.h"
#include "coil/Dialect/Wrapper/Analysis/Lifetimes.h"
#include "coil/Dialect/Wrapper/Analysis/PoolLayout.h"
#include "coil/Dialect/Wrapper/IR/Updated.h"
#include "coil/Dialect/Wrapper/IR/WrapperRuntime.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"

namespace coil::wrapper {
#define GEN_PASS_DEF_WRAPPERVERIFYMEMORYPASS
#include "coil/Dialect/Wrapper/Transforms/Passes.h.inc"
} // namespace coil::wrapper

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

namespace {

/// What is known about the storage behind a value at the current op.
struct Storage {
  enum { Owned, Foreign, Freed, HandedOver } state = Owned;
  bool written = false;
  bool returned = false;
  /// The op that freed it or handed it over.
  Operation *ended = nullptr;

  bool isDead() const { return state == Freed || state == HandedOver; }
};

/// One pass forward computes the state before every op. Regions begin with the
/// state of their op; where they join, what they leave has to agree.
class Verifier {
public:
  Verifier(FuncOp fn, SymbolTableCollection &tables)
      : fn(fn), tables(tables), facts(sym::Context::forOp(fn)) {}

  LogicalResult run();

private:
  using Changes = llvm::MapVector<Value, Storage>;

  LogicalResult visit(Block &block);
  LogicalResult visit(Operation &op);
  LogicalResult visitTerminator(Operation &op);
  bool isWritten(Value v);
  bool isDestination(Value v);
  bool isUpdated(Value v);
  LogicalResult visitIf(IfOp op);
  LogicalResult visitWhile(WhileOp op);
  LogicalResult checkAlive(Operation &op);
  LogicalResult checkSharing(Operation &op, ArrayRef<OpOperand *> reads,
                             ArrayRef<OpOperand *> writes);
  LogicalResult checkEnded(Block &block);
  LogicalResult checkCarving(PoolAllocOp op);
  LogicalResult checkPassedOn(Operation &op, Value v, StringRef verb);
  /// What of a pool is in use at an op.
  SmallVector<Value> getCarved(Operation &op, Value pool);
  LogicalResult end(Operation &op, OpOperand &operand, StringRef verb);
  LogicalResult endToken(Operation &op, Value token);
  LogicalResult checkStarted(Operation &op, ArrayRef<OpOperand *> reads,
                             ArrayRef<OpOperand *> writes,
                             ArrayRef<OpOperand *> taken);

  const Storage &get(Value v) { return storage[getStorage(v)]; }
  /// The state of `v`'s storage, to be changed.
  Storage &change(Value v) {
    v = getStorage(v);
    trail.push_back({v, storage[v]});
    return storage[v];
  }
  void define(Value v, bool written);
  /// Takes back what happened since the trail had this length, and returns what
  /// it had made of storage.
  Changes rollBack(size_t length);

  FuncOp fn;
  SymbolTableCollection &tables;
  sym::Context facts;
  llvm::MapVector<Value, Storage> storage;
  /// By pool, what was carved from it and may be alive.
  llvm::DenseMap<Value, SmallVector<Value>> carved;
  /// Collectives, as far as they may not have ended.
  SmallVector<CollectiveOp> started;
  /// What states were before each change.
  SmallVector<std::pair<Value, Storage>> trail;
};

struct WrapperVerifyMemory
    : coil::wrapper::impl::WrapperVerifyMemoryPassBase<WrapperVerifyMemory> {
  void runOnOperation() override {
    SymbolTableCollection tables;
    for (FuncOp fn : getOperation().getOps<FuncOp>())
      if (!fn.isExternal() &&
          (failed(Verifier(fn, tables).run()) || failed(verifyStreams(fn)) ||
           failed(verifyDevices(fn, tables))))
        signalPassFailure();
  }
};

} // namespace

static bool isBuffer(Value v) { return isa<BufferType>(v.getType()); }

static bool isFree(Operation &op) { return endsStorage(&op); }
static bool isToken(Value v) { return isa<TokenType>(v.getType()); }

void Verifier::define(Value v, bool written) {
  Storage s;
  s.state = isOwned(v) ? Storage::Owned : Storage::Foreign;
  s.written = written;
  storage[v] = s;
}

Verifier::Changes Verifier::rollBack(size_t length) {
  Changes changes;
  for (const auto &[value, before] : ArrayRef(trail).drop_front(length))
    changes[value] = storage[value];
  while (trail.size() > length) {
    auto [value, before] = trail.pop_back_val();
    storage[value] = before;
  }
  return changes;
}

//===----------------------------------------------------------------------===//
// Single ops
//===----------------------------------------------------------------------===//

/// The op that let go of an object on every way to `op`, if there is one.
static DropOp findDrop(Value object, Operation &op) {
  for (Operation *user : object.getUsers()) {
    auto drop = dyn_cast<DropOp>(user);
    Operation *here = drop && drop != &op
                          ? drop->getBlock()->findAncestorOpInBlock(op)
                          : nullptr;
    if (here && drop->isBeforeInBlock(here))
      return drop;
  }
  return {};
}

LogicalResult Verifier::checkAlive(Operation &op) {
  for (Value v : op.getOperands()) {
    DropOp drop = isa<ObjectType>(v.getType()) ? findDrop(v, op) : DropOp();
    if (!drop)
      continue;
    InFlightDiagnostic diag =
        op.emitOpError()
        << (isa<DropOp>(op) ? "drops an object twice"                 // (C2)
                            : "uses an object after it was dropped"); // (C1)
    diag.attachNote(drop.getLoc()) << "dropped here";
    return diag;
  }
  for (Value v : op.getOperands()) {
    if (!isStorage(v))
      continue;
    const Storage &s = get(v);
    if (!s.isDead())
      continue;
    bool freed = s.state == Storage::Freed;
    StringRef what = isBuffer(v) ? "buffer" : "pool";
    InFlightDiagnostic diag = op.emitOpError();
    bool dropped = isa<DropOp>(s.ended);
    if (isFree(op) && freed) // (C2)
      diag << (dropped ? "drops" : "frees") << " a " << what << " twice";
    else // (C1)
      diag << "uses a " << what << " after "
           << (dropped ? "it was dropped"
               : freed ? "it was freed"
                       : "its storage was given away");
    diag.attachNote(s.ended->getLoc()) << (dropped ? "dropped here"
                                           : freed ? "freed here"
                                                   : "given away here");
    return diag;
  }
  return success();
}

/// Whether a value is defined in a region of `op`.
static bool isInside(Value v, Operation *op) {
  return op->isAncestor(v.getParentBlock()->getParentOp());
}

/// Ends the life of a buffer.
LogicalResult Verifier::end(Operation &op, OpOperand &operand, StringRef verb) {
  Value owner = getStorage(operand.get());
  bool canView = !isFree(op) && !isa<ReuseOp>(op);
  if (owner != operand.get() &&
      !(canView && isAtStorage(operand.get()))) // (C3)
    return op.emitOpError()
           << verb << " a view"
           << (canView ? " that does not begin where its storage does"
                       : "; only the buffer that it shows owns the storage");
  const Storage &before = get(owner);
  // What is dropped is the caller's, and so may be what is resized or
  // exchanged.
  if (before.state == Storage::Foreign &&
      !isa<DropOp, ResizeStorageOp, SetStorageOp>(op)) // (C3)
    return op.emitOpError()
           << verb << " storage that the function does not own";
  if (before.isDead() && before.ended == &op) // (C6)
    return op.emitOpError() << verb << " the same storage twice";
  if (!isFree(op) && !isa<ReuseOp>(op) &&
      failed(checkPassedOn(op, owner, verb)))
    return failure();
  for (Operation *p = op.getParentOp(); !isInside(owner, p);
       p = p->getParentOp())
    if (isa<WhileOp>(p)) { // (C9)
      InFlightDiagnostic diag = op.emitOpError()
                                << verb
                                << " storage from outside of the loop, which "
                                   "the next iteration would miss";
      diag.attachNote(p->getLoc()) << "loop is here";
      return diag;
    }
  Storage &s = change(owner);
  s.state = isFree(op) ? Storage::Freed : Storage::HandedOver;
  s.ended = &op;
  return success();
}

SmallVector<Value> Verifier::getCarved(Operation &op, Value pool) {
  auto isInUse = [&](Value v) {
    // What a region made ended in it.
    return v.getParentRegion()->isAncestor(op.getParentRegion()) &&
           !get(v).isDead();
  };
  SmallVector<Value> &list = carved[pool];
  // What is dead here stays dead, but in a region, which may be one of several.
  if (op.getParentOp() == fn)
    llvm::erase_if(list, [&](Value v) { return !isInUse(v); });
  return llvm::to_vector(llvm::make_filter_range(list, isInUse));
}

LogicalResult Verifier::checkCarving(PoolAllocOp op) {
  ExprAttr begin = op.getOffset();
  ExprAttr bytes = cast<BufferType>(op.getType()).getStorageBytes();
  ExprAttr end = sym::add(begin, bytes);
  int64_t alignment =
      getAlignment(cast<PoolType>(op.getPool().getType()).getDevice());
  if (!isMultipleOf(begin, alignment)) // (C11)
    return op.emitOpError()
           << "offset '" << begin.str() << "' is not a multiple of "
           << alignment << ", the alignment of the device";
  ExprAttr zero = sym::constant(op.getContext(), 0);
  if (!isAtMost(zero, begin, facts)) // (C11)
    return op.emitOpError() << "offset '" << begin.str() << "' may be negative";
  auto pool = op.getPool().getDefiningOp<PoolOp>();
  if (!endsBefore(begin, bytes, pool.getBytes(), alignment, facts)) // (C11)
    return op.emitOpError()
           << "carves bytes up to '" << end.str() << "', which may be beyond '"
           << pool.getBytes().str() << "', the end of the pool";
  for (Value other : getCarved(*op, op.getPool())) {
    ExprAttr otherBegin = getCarving(other).getOffset();
    ExprAttr otherBytes = cast<BufferType>(other.getType()).getStorageBytes();
    if (endsBefore(begin, bytes, otherBegin, alignment, facts) ||
        endsBefore(otherBegin, otherBytes, begin, alignment, facts))
      continue;
    ExprAttr otherEnd = sym::add(otherBegin, otherBytes);
    InFlightDiagnostic diag = op.emitOpError() // (C10)
                              << "carves the bytes ['" << begin.str() << "', '"
                              << end.str()
                              << "') of a pool, but another buffer that is "
                                 "alive may have some of them";
    diag.attachNote(other.getLoc()) << "it has the bytes ['" << otherBegin.str()
                                    << "', '" << otherEnd.str() << "')";
    return diag;
  }
  return success();
}

/// What is part of a pool ends in the block that carves it.
LogicalResult Verifier::checkPassedOn(Operation &op, Value v, StringRef verb) {
  if (!staysInBlock(v))
    return success();
  return op.emitOpError() << verb // (C13)
                          << (getCarving(v)
                                  ? " a buffer that was carved from a pool"
                                  : " a communication buffer");
}

//===----------------------------------------------------------------------===//
// Work that has been started
//===----------------------------------------------------------------------===//

/// Uses a token up.
LogicalResult Verifier::endToken(Operation &op, Value token) {
  const Storage &before = storage[token];
  if (before.isDead()) { // (C16)
    InFlightDiagnostic diag = op.emitOpError("waits a second time");
    diag.attachNote(before.ended->getLoc()) << "it is waited for here";
    return diag;
  }
  for (Operation *p = op.getParentOp(); !isInside(token, p);
       p = p->getParentOp())
    if (isa<WhileOp>(p)) { // (C16)
      InFlightDiagnostic diag =
          op.emitOpError("waits in a loop for what was started outside of it");
      diag.attachNote(token.getLoc()) << "it is started here";
      return diag;
    }
  Storage &s = change(token);
  s.state = Storage::Freed;
  s.ended = &op;
  return success();
}

/// Nothing may come between a collective and its buffers.
LogicalResult Verifier::checkStarted(Operation &op, ArrayRef<OpOperand *> reads,
                                     ArrayRef<OpOperand *> writes,
                                     ArrayRef<OpOperand *> taken) {
  // What has ended here stays so, but in a region, which may be one of several.
  if (op.getParentOp() == fn)
    llvm::erase_if(started, [&](CollectiveOp each) {
      return storage[each.getToken()].isDead();
    });
  auto wait = dyn_cast<WaitOp>(op);
  for (CollectiveOp each : started) {
    // Those of regions ended in them.
    bool isVisible =
        each.getToken().getParentRegion()->isAncestor(op.getParentRegion());
    if (!isVisible || storage[each.getToken()].isDead() ||
        (wait && wait.getToken() == each.getToken()))
      continue;
    Value source = getStorage(each.getSource()),
          target = getStorage(each.getTarget());
    auto refuse = [&](OpOperand *operand,
                      StringRef verb) -> LogicalResult { // (C15)
      InFlightDiagnostic diag = op.emitOpError()
                                << verb << " operand "
                                << operand->getOperandNumber() << ", which the "
                                << each.describe() << " still uses";
      diag.attachNote(each.getLoc())
          << "it is started here, and nothing has waited for it";
      return diag;
    };
    for (OpOperand *r : reads)
      if (getStorage(r->get()) == target)
        return refuse(r, "reads");
    for (OpOperand *w : writes)
      if (Value v = getStorage(w->get()); v == target || v == source)
        return refuse(w, "writes");
    for (OpOperand *t : taken)
      if (Value v = getStorage(t->get()); v == target || v == source)
        return refuse(t, isFree(op) ? "frees" : "gives away");
  }
  return success();
}

LogicalResult Verifier::checkSharing(Operation &op, ArrayRef<OpOperand *> reads,
                                     ArrayRef<OpOperand *> writes) {
  auto inPlace = dyn_cast<InPlaceOpInterface>(op);
  llvm::SmallDenseMap<Value, OpOperand *> written;
  for (OpOperand *w : writes)
    if (!written.try_emplace(getStorage(w->get()), w).second) // (C6)
      return op.emitOpError("writes the same storage through two operands");
  for (OpOperand *r : reads) {
    auto it = written.find(getStorage(r->get()));
    // What one operand stands for is the op's to read before it writes.
    if (it == written.end() || it->second == r)
      continue;
    OpOperand *w = it->second;
    if (r == w || isa<WaitOp>(op)) // An operand that the op changes by design.
      continue;
    bool isSame = r->get() == w->get() ||
                  (isAtStorage(r->get()) && isAtStorage(w->get()));
    if (!inPlace || !isSame || !inPlace.mayShareStorage(*r, *w, tables)) // (C6)
      return op.emitOpError()
             << "operand " << w->getOperandNumber()
             << " is written over operand " << r->getOperandNumber()
             << ", which the op may still have to read";
  }
  return success();
}

/// Whether something has written a buffer on every path. One without elements
/// has nothing to write.
bool Verifier::isWritten(Value v) {
  auto type = dyn_cast<BufferType>(v.getType());
  return get(v).written ||
         (type && llvm::any_of(type.getSizes().getDims(), [](sym::ExprAttr e) {
            return e.isConstant(0);
          }));
}

/// Whether a buffer shows memory that the caller wants a result in.
bool Verifier::isDestination(Value v) {
  auto arg = dyn_cast<BlockArgument>(getStorage(v));
  return arg && arg.getOwner() == &fn.getBody().front() &&
         fn.isDestination(arg.getArgNumber());
}

/// Whether a buffer shows an input that the function updates.
bool Verifier::isUpdated(Value v) {
  auto arg = dyn_cast<BlockArgument>(getStorage(v));
  return arg && arg.getOwner() == &fn.getBody().front() &&
         wrapper::isUpdated(fn, arg.getArgNumber());
}

LogicalResult Verifier::visitTerminator(Operation &op) {
  bool isReturn = isa<ReturnOp>(op);
  if (isReturn)
    for (BlockArgument arg : fn.getArguments())
      if (isDestination(arg) && !get(arg).written) // (C14)
        return op.emitOpError()
               << "returns, but nothing has written argument "
               << arg.getArgNumber() << ", which is a destination";
  SmallVector<OpOperand *> given = getTakenOperands(&op);
  if (failed(checkStarted(op, {}, {}, given)))
    return failure();
  StringRef verb = isReturn           ? "returns"
                   : isa<YieldOp>(op) ? "yields"
                                      : "passes on";
  for (OpOperand *operand : given) {
    // What a caller gets back is its own.
    if (isReturn && isUpdated(operand->get()))
      continue;
    if (get(operand->get()).state == Storage::Foreign) // (C5)
      return op.emitOpError()
             << verb << " storage that the function does not own";
    if (!isWritten(operand->get())) // (C7)
      return op.emitOpError() << verb << " a buffer that nothing has written";
    if (isReturn) {
      if (failed(checkPassedOn(op, operand->get(), verb)))
        return failure();
      change(operand->get()).returned = true;
    } else if (failed(end(op, *operand, verb)))
      return failure();
  }
  return success();
}

LogicalResult Verifier::visit(Operation &op) {
  if (failed(checkAlive(op)))
    return failure();
  if (op.hasTrait<OpTrait::IsTerminator>())
    return visitTerminator(op);
  if (isa<ViewLikeOpInterface>(op))
    return success();

  SmallVector<OpOperand *> reads, writes;
  if (auto effects = dyn_cast<MemoryEffectOpInterface>(op)) {
    SmallVector<MemoryEffects::EffectInstance> instances;
    effects.getEffects(instances);
    for (auto &effect : instances) {
      auto *operand = effect.getEffectValue<OpOperand *>();
      if (!operand || !isBuffer(operand->get()))
        continue;
      if (isa<MemoryEffects::Read>(effect.getEffect()))
        reads.push_back(operand);
      else if (isa<MemoryEffects::Write>(effect.getEffect()))
        writes.push_back(operand);
    }
  }
  SmallVector<OpOperand *> taken = getTakenOperands(&op);
  if (isa<WhileOp>(op)) // What a loop carries is used in its regions.
    llvm::append_range(reads, taken);
  // A partition may write what it takes over before it reads it.
  auto mayBeUnwritten = [&](OpOperand *r) {
    auto call = dyn_cast<PartitionCallOp>(op);
    return call && call.isConsumed(r->getOperandNumber());
  };
  for (OpOperand *r : reads)
    if (!isWritten(r->get()) && !mayBeUnwritten(r)) // (C7)
      return op.emitOpError() << "operand " << r->getOperandNumber()
                              << " is a buffer that nothing has written";
  for (OpOperand *w : writes)
    if (get(w->get()).state == Storage::Foreign && // (C5)
        !isDestination(w->get()) && !isUpdated(w->get()))
      return op.emitOpError() << "writes to operand " << w->getOperandNumber()
                              << ", whose storage the function does not own";
  if (failed(checkSharing(op, reads, writes)) ||
      failed(checkStarted(op, reads, writes, taken)))
    return failure();
  for (Value v : op.getOperands())
    if (isToken(v) && failed(endToken(op, v)))
      return failure();
  if (auto carve = dyn_cast<PoolAllocOp>(op);
      carve && failed(checkCarving(carve)))
    return failure();
  if (auto free = dyn_cast<PoolFreeOp>(op))
    for (Value v : getCarved(op, free.getPool())) { // (C12)
      InFlightDiagnostic diag = op.emitOpError(
          "frees a pool while a buffer that was carved from it is alive");
      diag.attachNote(v.getLoc()) << "the buffer is made here";
      return diag;
    }
  for (OpOperand *operand : taken) {
    for (OpOperand *r : reads)
      if (r != operand && !llvm::is_contained(taken, r) &&
          getStorage(r->get()) == getStorage(operand->get())) // (C6)
        return op.emitOpError()
               << "gives away operand " << operand->getOperandNumber()
               << ", whose storage operand " << r->getOperandNumber()
               << " shows, too";
    if (failed(end(op, *operand,
                   isa<DropOp>(op) ? "drops"
                   : isFree(op)    ? "frees"
                                   : "gives away")))
      return failure();
  }
  for (OpOperand *w : writes)
    change(w->get()).written = true;

  if (auto branch = dyn_cast<IfOp>(op)) {
    if (failed(visitIf(branch)))
      return failure();
  } else if (auto loop = dyn_cast<WhileOp>(op)) {
    if (failed(visitWhile(loop)))
      return failure();
  } else if (isa<PartitionOp, DeviceScopeOp, ProfileRangeOp, StreamOp>(op)) {
    // It runs once, in place.
    if (failed(visit(op.getRegion(0).front())))
      return failure();
  }
  for (Value v : op.getResults()) {
    if (isToken(v))
      storage[v] = Storage();
    if (!isStorage(v))
      continue;
    auto reuse = dyn_cast<ReuseOp>(op);
    define(v, op.hasAttr(kUninitializedAttrName) ||
                  (reuse ? get(reuse.getSource()).written
                         : !isa<AllocOp, PoolAllocOp, CommAllocOp>(op)));
    if (isBuffer(v))
      if (PoolAllocOp origin = getCarving(v))
        carved[origin.getPool()].push_back(v);
  }
  if (auto collective = dyn_cast<CollectiveOp>(op))
    started.push_back(collective);
  return success();
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

LogicalResult Verifier::visitIf(IfOp op) {
  size_t length = trail.size();
  if (failed(visit(op.getThenRegion().front())))
    return failure();
  Changes first = rollBack(length);
  if (failed(visit(op.getElseRegion().front())))
    return failure();
  Changes second = rollBack(length);
  auto join = [&](Value v, const Storage &a,
                  const Storage &b) -> LogicalResult {
    if (a.isDead() != b.isDead()) { // (C8)
      InFlightDiagnostic diag = op.emitOpError(
          isToken(v) ? "waits in one region only"
                     : "ends the life of a buffer in one region only");
      diag.attachNote((a.isDead() ? a : b).ended->getLoc()) << "it ends here";
      return diag;
    }
    bool written = a.written && b.written;
    Storage &s = change(v);
    s = a;
    s.written = written;
    return success();
  };
  for (auto &[value, state] : first) {
    if (isInside(value, op))
      continue;
    auto *it = second.find(value);
    if (failed(join(value, state,
                    it == second.end() ? storage[value] : it->second)))
      return failure();
  }
  for (auto &[value, state] : second)
    if (!isInside(value, op) && !first.contains(value) &&
        failed(join(value, storage[value], state)))
      return failure();
  return success();
}

LogicalResult Verifier::visitWhile(WhileOp op) {
  for (Region *region : {&op.getCondition(), &op.getBody()}) {
    size_t length = trail.size();
    for (BlockArgument arg : region->getArguments())
      if (isBuffer(arg))
        define(arg, /*written=*/true);
    if (failed(visit(region->front())))
      return failure();
    // The body may never run.
    if (region == &op.getBody())
      rollBack(length);
  }
  return success();
}

/// Everything that a block defines ends in it.
LogicalResult Verifier::checkEnded(Block &block) {
  LogicalResult result = success();
  auto isLost = [&](Value v) {
    auto *it = storage.find(v);
    return (isStorage(v) || isToken(v)) && it != storage.end() &&
           it->second.state == Storage::Owned && !it->second.returned;
  };
  for (BlockArgument arg : block.getArguments())
    if (isLost(arg)) // (C4)
      result = block.getParentOp()->emitOpError()
               << "takes a buffer as argument " << arg.getArgNumber()
               << " that is neither freed, given away nor returned";
  for (Operation &op : block)
    for (Value v : op.getResults())
      if (isLost(v)) // (C4)
        result =
            op.emitOpError()
            << (isToken(v) // (C17)
                    ? "starts what no path of its block waits for"
                    : isBuffer(v)
                          ? "allocates a buffer that is neither freed, given "
                            "away nor returned"
                          : "allocates a pool that is not freed");
  return result;
}

LogicalResult Verifier::visit(Block &block) {
  for (Operation &op : block)
    if (failed(visit(op)))
      return failure();
  return checkEnded(block);
}

LogicalResult Verifier::run() {
  for (BlockArgument arg : fn.getArguments())
    define(arg, /*written=*/!isDestination(arg));
  return visit(fn.getBody().front());
}
