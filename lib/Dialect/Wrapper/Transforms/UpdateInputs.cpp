//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes the final values of inputs in their own memory.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Wrapper/Transforms/Passes.h"

#include "coil/Dialect/Graph/IR/Uninitialized.h"
#include "coil/Dialect/Loop/IR/Loop.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "coil/Dialect/Wrapper/Analysis/Lifetimes.h"
#include "coil/Dialect/Wrapper/IR/Updated.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"

namespace coil::wrapper {
#define GEN_PASS_DEF_WRAPPERUPDATEINPUTSPASS
#include "coil/Dialect/Wrapper/Transforms/Passes.h.inc"
} // namespace coil::wrapper

#define DEBUG_TYPE "wrapper-update-inputs"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

namespace {

struct WrapperUpdateInputs
    : coil::wrapper::impl::WrapperUpdateInputsPassBase<WrapperUpdateInputs> {
  using WrapperUpdateInputsPassBase::WrapperUpdateInputsPassBase;
  void runOnOperation() override;

private:
  void update(FuncOp fn, OpOperand &returned, SymbolTableCollection &tables);
  StringRef findReasonAgainst(FuncOp fn, BlockArgument input,
                              OpOperand &returned,
                              SymbolTableCollection &tables);
};

/// The steps of the function's body that use storage.
struct Uses {
  Operation *first = nullptr, *last = nullptr;
  bool isOnStream = false;
};

} // namespace

/// Checks before all steps do not count: they read no element.
static Uses findUses(Block &body, Value storage) {
  Uses uses;
  auto add = [&](Operation *op) {
    Operation *here = body.findAncestorOpInBlock(*op);
    if (!here || isa<AssertLayoutOp, InputSymbolOp, ViewLikeOpInterface>(here))
      return;
    if (!uses.first || here->isBeforeInBlock(uses.first))
      uses.first = here;
    if (!uses.last || uses.last->isBeforeInBlock(here))
      uses.last = here;
  };
  forEachUse(storage, [&](OpOperand &use) {
    Operation *user = use.getOwner();
    add(user);
    uses.isOnStream |= user->getParentOfType<StreamOp>() != nullptr;
    // A collective uses its buffers until something has waited for it.
    if (auto started = dyn_cast<CollectiveOp>(user))
      llvm::for_each(started.getToken().getUsers(), add);
  });
  return uses;
}

/// Whether elements fill their memory without gaps, each in a location of its
/// own, in whatever order of the dimensions.
static bool isDense(BufferType type) {
  SmallVector<std::pair<ExprAttr, ExprAttr>> dims;
  for (auto [size, stride] :
       llvm::zip_equal(type.getSizes().getDims(), type.getStrides().getDims()))
    if (!size.isConstant(1))
      dims.emplace_back(size, stride);
  ExprAttr expected = sym::constant(type.getContext(), 1);
  while (!dims.empty()) {
    auto *inner = llvm::find_if(
        dims, [&](const auto &dim) { return dim.second == expected; });
    if (inner == dims.end())
      return false;
    expected = sym::mul(expected, inner->first);
    dims.erase(inner);
  }
  return true;
}

/// Whether a buffer of one type may lie where one of the other type does.
static bool haveSameLayout(BufferType a, BufferType b) {
  if (a == b)
    return isDense(a);
  return a.isContiguous() && b.isContiguous() &&
         a.getElementType() == b.getElementType() &&
         a.getDevice() == b.getDevice() &&
         a.getStorageBytes() == b.getStorageBytes();
}

/// Whether a step may write a result over an input that it reads.
static bool mayWorkInPlace(Operation *op, Value input, Value result,
                           SymbolTableCollection &tables) {
  auto inPlace = dyn_cast<InPlaceOpInterface>(op);
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!inPlace || !effects || isa<CollectiveOp>(op))
    return false;
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  OpOperand *written = nullptr;
  SmallVector<OpOperand *> reads;
  for (const MemoryEffects::EffectInstance &effect : instances) {
    auto *operand = effect.getEffectValue<OpOperand *>();
    if (!operand)
      continue;
    Value storage = getStorage(operand->get());
    if (isa<MemoryEffects::Read>(effect.getEffect())) {
      if (storage == input)
        reads.push_back(operand);
      else if (storage == result)
        return false;
    } else if (storage == input) {
      return false;
    } else if (storage == result) {
      if (written || !isAtStorage(operand->get()))
        return false;
      written = operand;
    }
  }
  return written && llvm::all_of(reads, [&](OpOperand *read) {
           return isAtStorage(read->get()) &&
                  inPlace.mayShareStorage(*read, *written, tables);
         });
}

/// What the result is the final value of.
static BlockArgument findInput(FuncOp fn, unsigned result) {
  auto find = [&](StringRef kind, StringRef attribute) -> BlockArgument {
    auto target = fn.getResultAttrOfType<StringAttr>(result, kind);
    for (BlockArgument arg : fn.getArguments())
      if (target &&
          fn.getArgAttr(arg.getArgNumber(), attribute) == Attribute(target))
        return arg;
    return {};
  };
  if (BlockArgument input = find("coil.user_input_mutation", "coil.name"))
    return input;
  if (BlockArgument buffer = find("coil.buffer_mutation", "graph.weight"))
    return buffer;
  return find("coil.parameter_mutation", "graph.weight");
}

/// Why a result cannot be computed in the input's memory; empty if it can.
StringRef
WrapperUpdateInputs::findReasonAgainst(FuncOp fn, BlockArgument input,
                                       OpOperand &returned,
                                       SymbolTableCollection &tables) {
  Block &body = fn.getBody().front();
  Value result = returned.get();
  auto alloc = getStorage(result).getDefiningOp<AllocOp>();
  if (!alloc || alloc->getBlock() != &body || !isAtStorage(result) ||
      alloc->hasAttr(kUninitializedAttrName)) // (C1)
    return "the result is no allocation of its own";
  bool isTaken = false;
  auto checkUse = [&](OpOperand &use) {
    if (&use != &returned)
      isTaken |= llvm::is_contained(getTakenOperands(use.getOwner()), &use);
  };
  forEachUse(alloc.getResult(), checkUse);
  forEachUse(input, checkUse);
  if (isTaken) // (C1)
    return "something else takes the storage over";
  unsigned number = input.getArgNumber();
  if (!haveSameLayout(cast<BufferType>(alloc.getType()),
                      cast<BufferType>(input.getType())) ||
      result.getType() != input.getType()) // (C2)
    return "the result has another layout";
  if (fn.getArgAttr(number, loop::kAlignmentAttrName)) // (C3)
    return "its address is a multiple of fewer bytes than a result's";
  if (!weights && fn.getArgAttr(number, "graph.weight")) // (C7)
    return "it is a weight";
  Uses made = findUses(body, alloc.getResult()), read = findUses(body, input);
  if (made.isOnStream || read.isOnStream || isa<CollectiveOp>(made.first))
    return "it is used on a stream of its own or by a collective"; // (C5)
  if (!read.last || read.last->isBeforeInBlock(made.first))
    return "";
  if (read.last != made.first) // (C4)
    return "it is read after the step that first writes the result";
  if (!mayWorkInPlace(made.first, input, alloc, tables)) // (C4)
    return "the step that first writes the result may read other elements";
  return "";
}

void WrapperUpdateInputs::update(FuncOp fn, OpOperand &returned,
                                 SymbolTableCollection &tables) {
  BlockArgument input = findInput(fn, returned.getOperandNumber());
  if (!input)
    return;
  Attribute name = fn.getArgAttr(input.getArgNumber(), "graph.weight");
  if (!name)
    name = fn.getArgAttr(input.getArgNumber(), "coil.name");
  StringRef text = cast<StringAttr>(name).getValue();
  StringRef reason = findReasonAgainst(fn, input, returned, tables);
  Location loc = returned.get().getLoc();
  if (!reason.empty()) {
    remark::missed(
        loc, remark::RemarkOpts::name("InputNotUpdated").category(DEBUG_TYPE))
        << remark::add("input '{0}' is not updated in its memory: {1}", text,
                       reason);
    return;
  }
  auto alloc = getStorage(returned.get()).getDefiningOp<AllocOp>();
  Operation *first = findUses(fn.getBody().front(), alloc.getResult()).first;
  remark::passed(loc,
                 remark::RemarkOpts::name("InputUpdated").category(DEBUG_TYPE))
      << remark::add("input '{0}' is updated in its memory", text);
  // The caller's buffer is what it was passed as.
  returned.set(input);
  Value target = input;
  if (target.getType() != alloc.getType()) {
    OpBuilder b(alloc);
    target = ReinterpretOp::create(b, alloc.getLoc(), alloc.getType(), target,
                                   sym::constant(b.getContext(), 0));
  }
  alloc.replaceAllUsesWith(target);
  alloc.erase();
  // Nothing is left to copy.
  if (auto copy = dyn_cast<CopyOp>(first);
      copy && getStorage(copy.getSource()) == getStorage(copy.getTarget()))
    copy.erase();
  fn.setArgAttr(input.getArgNumber(), kUpdatedAttrName,
                UnitAttr::get(fn.getContext()));
}

void WrapperUpdateInputs::runOnOperation() {
  SymbolTableCollection tables;
  for (FuncOp fn : getOperation().getOps<FuncOp>()) {
    if (!fn.isPublic() || fn.isExternal())
      continue;
    if (fn->hasAttr(kMemoryAttrName)) { // (C6)
      emitError(fn.getLoc())
          << "memory of function '" << fn.getName() << "' is planned already";
      return signalPassFailure();
    }
    auto ret = cast<ReturnOp>(fn.getBody().front().getTerminator());
    for (OpOperand &returned : ret->getOpOperands())
      update(fn, returned, tables);
  }
}
