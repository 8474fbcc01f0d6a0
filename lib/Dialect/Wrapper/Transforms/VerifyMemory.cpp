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

#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"

namespace coil::wrapper {
#define GEN_PASS_DEF_WRAPPERVERIFYMEMORYPASS
#include "coil/Dialect/Wrapper/Transforms/Passes.h.inc"
} // namespace coil::wrapper

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

namespace {

/// What is known about the storage behind a value at the current op.
struct Storage {
  enum { Owned, Foreign, Freed, HandedOver } state = Owned;
  bool written = false;
  bool returned = false;
  /// The op that freed it or handed it over.
  Operation *ended = nullptr;
};

/// A function is one block, so one pass forward computes the state before
/// every op.
class Verifier {
public:
  Verifier(FuncOp fn, SymbolTableCollection &tables) : fn(fn), tables(tables) {}

  LogicalResult run();

private:
  LogicalResult visit(Operation &op);
  LogicalResult checkAlive(Operation &op);
  LogicalResult checkSharing(Operation &op, ArrayRef<OpOperand *> reads,
                             ArrayRef<OpOperand *> writes);
  LogicalResult end(Operation &op, OpOperand &operand);
  Storage &get(Value v) { return storage[getStorage(v)]; }

  FuncOp fn;
  SymbolTableCollection &tables;
  llvm::MapVector<Value, Storage> storage;
};

struct WrapperVerifyMemory
    : coil::wrapper::impl::WrapperVerifyMemoryPassBase<WrapperVerifyMemory> {
  void runOnOperation() override {
    SymbolTableCollection tables;
    for (FuncOp fn : getOperation().getOps<FuncOp>())
      if (failed(Verifier(fn, tables).run()))
        signalPassFailure();
  }
};

} // namespace

static bool isBuffer(Value v) { return isa<BufferType>(v.getType()); }

LogicalResult Verifier::checkAlive(Operation &op) {
  for (Value v : op.getOperands()) {
    if (!isBuffer(v))
      continue;
    Storage &s = get(v);
    if (s.state != Storage::Freed && s.state != Storage::HandedOver)
      continue;
    bool freed = s.state == Storage::Freed;
    InFlightDiagnostic diag = op.emitOpError();
    if (isa<FreeOp>(op) && freed) // (C2)
      diag << "frees a buffer twice";
    else // (C1)
      diag << "uses a buffer after "
           << (freed ? "it was freed" : "its storage was handed over");
    diag.attachNote(s.ended->getLoc())
        << (freed ? "freed here" : "handed over here");
    return diag;
  }
  return success();
}

/// Ends the life of a buffer.
LogicalResult Verifier::end(Operation &op, OpOperand &operand) {
  bool handedOver = isa<ReuseOp>(op);
  StringRef verb = handedOver ? "hands over" : "frees";
  if (getStorage(operand.get()) != operand.get()) // (C3)
    return op.emitOpError() << verb
                            << " a view; only the buffer that it shows owns "
                               "the storage";
  Storage &s = get(operand.get());
  if (s.state == Storage::Foreign) // (C3)
    return op.emitOpError()
           << verb << " storage that the function does not own";
  s.state = handedOver ? Storage::HandedOver : Storage::Freed;
  s.ended = &op;
  return success();
}

LogicalResult Verifier::checkSharing(Operation &op, ArrayRef<OpOperand *> reads,
                                     ArrayRef<OpOperand *> writes) {
  auto isPlainView = [](Value v) {
    while (auto view = v.getDefiningOp<ReinterpretOp>()) {
      if (!view.getOffset().isConstant(0))
        return false;
      v = view.getSource();
    }
    return !v.getDefiningOp<ViewLikeOpInterface>();
  };
  auto inPlace = dyn_cast<InPlaceOpInterface>(op);
  llvm::SmallDenseMap<Value, OpOperand *> written;
  for (OpOperand *w : writes)
    if (!written.try_emplace(getStorage(w->get()), w).second) // (C6)
      return op.emitOpError("writes the same storage through two operands");
  for (OpOperand *r : reads) {
    auto it = written.find(getStorage(r->get()));
    if (it == written.end())
      continue;
    OpOperand *w = it->second;
    if (!inPlace || !isPlainView(r->get()) || !isPlainView(w->get()) ||
        !inPlace.mayShareStorage(*r, *w, tables)) // (C6)
      return op.emitOpError()
             << "operand " << w->getOperandNumber()
             << " is written over operand " << r->getOperandNumber()
             << ", which the op may still have to read";
  }
  return success();
}

LogicalResult Verifier::visit(Operation &op) {
  if (failed(checkAlive(op)))
    return failure();
  if (op.hasTrait<OpTrait::IsTerminator>()) {
    for (Value v : op.getOperands()) {
      Storage &s = get(v);
      if (s.state == Storage::Foreign) // (C5)
        return op.emitOpError("returns storage that the function does not own");
      if (!s.written) // (C7)
        return op.emitOpError("returns a buffer that nothing has written");
      s.returned = true;
    }
    return success();
  }
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
      else if (isa<MemoryEffects::Free>(effect.getEffect()) &&
               failed(end(op, *operand)))
        return failure();
    }
  }
  for (OpOperand *r : reads)
    if (!get(r->get()).written) // (C7)
      return op.emitOpError() << "operand " << r->getOperandNumber()
                              << " is a buffer that nothing has written";
  for (OpOperand *w : writes)
    if (get(w->get()).state == Storage::Foreign) // (C5)
      return op.emitOpError() << "writes to operand " << w->getOperandNumber()
                              << ", whose storage the function does not own";
  if (failed(checkSharing(op, reads, writes)))
    return failure();
  for (OpOperand *w : writes)
    get(w->get()).written = true;

  for (Value v : op.getResults()) {
    if (!isBuffer(v))
      continue;
    Storage s;
    if (auto reuse = dyn_cast<ReuseOp>(op)) {
      s.written = get(reuse.getSource()).written;
    } else if (!hasEffect<MemoryEffects::Allocate>(&op, v)) {
      s.state = Storage::Foreign;
      s.written = true;
    }
    storage[v] = s;
  }
  return success();
}

LogicalResult Verifier::run() {
  for (BlockArgument arg : fn.getArguments()) {
    Storage s;
    s.state = Storage::Foreign;
    s.written = true;
    storage[arg] = s;
  }
  for (Operation &op : fn.getBody().front())
    if (failed(visit(op)))
      return failure();
  LogicalResult result = success();
  for (auto &[value, s] : storage)
    if (s.state == Storage::Owned && !s.returned) // (C4)
      result = value.getDefiningOp()->emitOpError()
               << "allocates a buffer that is neither freed, handed over nor "
                  "returned";
  return result;
}
