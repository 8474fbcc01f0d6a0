//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes what inputs hold in the end where they lie.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Wrapper/Transforms/Passes.h"

#include "coil/Dialect/Graph/IR/Uninitialized.h"
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

/// What importers state on a result that says what an input holds in the end.
static constexpr llvm::StringLiteral kMutation = "coil.user_input_mutation";
static constexpr llvm::StringLiteral kName = "coil.name";

namespace {

struct WrapperUpdateInputs
    : coil::wrapper::impl::WrapperUpdateInputsPassBase<WrapperUpdateInputs> {
  void runOnOperation() override;
};

/// The ops of the function's body that first and last use storage.
struct Uses {
  Operation *first = nullptr, *last = nullptr;
};

} // namespace

static Uses findUses(Block &body, Value storage) {
  Uses uses;
  forEachUse(storage, [&](OpOperand &use) {
    Operation *here = body.findAncestorOpInBlock(*use.getOwner());
    // Checks in front of all steps read nothing.
    if (!here || isa<AssertLayoutOp, InputSymbolOp>(here))
      return;
    if (!uses.first || here->isBeforeInBlock(uses.first))
      uses.first = here;
    if (!uses.last || uses.last->isBeforeInBlock(here))
      uses.last = here;
  });
  return uses;
}

static BlockArgument findInput(FuncOp fn, StringRef name) {
  for (BlockArgument arg : fn.getArguments())
    if (auto own = fn.getArgAttrOfType<StringAttr>(arg.getArgNumber(), kName);
        own && own.getValue() == name)
      return arg;
  return {};
}

/// Whether a kernel may write an output to the storage of an input, and reads
/// the input as nothing else.
static bool mayWriteInPlace(LaunchOp launch, Value input, Value output) {
  auto kernel = SymbolTable::lookupNearestSymbolFrom<KernelOp>(
      launch, launch.getCalleeAttr());
  if (!kernel || !kernel.getInPlace())
    return false;
  std::optional<size_t> target;
  for (auto [i, value] : llvm::enumerate(launch.getOutputs()))
    if (getStorage(value) == output) {
      if (target || !isAtStorage(value))
        return false;
      target = i;
    }
  if (!target)
    return false;
  for (auto [i, value] : llvm::enumerate(launch.getInputs())) {
    if (getStorage(value) == output)
      return false;
    if (getStorage(value) != input)
      continue;
    ArrayRef<int64_t> pairs = *kernel.getInPlace();
    bool isPair = false;
    for (size_t at = 0; at + 1 < pairs.size(); at += 2)
      isPair |= pairs[at] == static_cast<int64_t>(i) &&
                pairs[at + 1] == static_cast<int64_t>(*target);
    if (!isPair || !isAtStorage(value))
      return false;
  }
  return true;
}

/// Why a result cannot be made in the input's memory; empty if it can.
static StringRef findReasonAgainst(Block &body, BlockArgument input,
                                   OpOperand &returned) {
  auto alloc = getStorage(returned.get()).getDefiningOp<AllocOp>();
  if (!alloc || alloc->getBlock() != &body || !isAtStorage(returned.get()) ||
      alloc->hasAttr(kUninitializedAttrName))
    return "it is no memory of its own";
  auto type = cast<BufferType>(alloc.getType());
  if (type != input.getType() || returned.get().getType() != type ||
      !type.isContiguous())
    return "its layout is another one";
  // Nobody else may take the storage over.
  for (OpOperand *taken : getTakenOperands(returned.getOwner()))
    if (taken != &returned && getStorage(taken->get()) == alloc.getResult())
      return "it is a result twice";
  bool isTaken = false;
  forEachUse(alloc.getResult(), [&](OpOperand &use) {
    if (&use != &returned)
      isTaken |= llvm::is_contained(getTakenOperands(use.getOwner()), &use);
  });
  if (isTaken)
    return "its storage is taken over";
  Uses made = findUses(body, alloc.getResult()), read = findUses(body, input);
  if (!read.last || read.last->isBeforeInBlock(made.first))
    return "";
  if (read.last != made.first)
    return "the input is read after the result is begun";
  if (auto copy = dyn_cast<CopyOp>(made.first))
    return copy.getSource() == input && copy.getTarget() == alloc.getResult()
               ? ""
               : "one step reads the input and makes the result";
  auto launch = dyn_cast<LaunchOp>(made.first);
  if (launch && mayWriteInPlace(launch, input, alloc.getResult()))
    return "";
  return "one step reads the input and makes the result";
}

void WrapperUpdateInputs::runOnOperation() {
  FuncOp fn = getOperation();
  if (!fn.isPublic() || fn.isExternal())
    return;
  Block &body = fn.getBody().front();
  auto ret = cast<ReturnOp>(body.getTerminator());
  for (OpOperand &returned : ret->getOpOperands()) {
    unsigned number = returned.getOperandNumber();
    auto name = fn.getResultAttrOfType<StringAttr>(number, kMutation);
    BlockArgument input = name ? findInput(fn, name.getValue()) : nullptr;
    if (!input)
      continue;
    StringRef reason = findReasonAgainst(body, input, returned);
    if (!reason.empty()) {
      remark::missed(
          returned.get().getLoc(),
          remark::RemarkOpts::name("InputNotUpdated").category(DEBUG_TYPE))
          << remark::add("input '{0}' is not updated in its memory: {1}",
                         name.getValue(), reason);
      continue;
    }
    auto alloc = getStorage(returned.get()).getDefiningOp<AllocOp>();
    Operation *first = findUses(body, alloc.getResult()).first;
    alloc.replaceAllUsesWith(static_cast<Value>(input));
    alloc.erase();
    if (auto copy = dyn_cast<CopyOp>(first);
        copy && copy.getSource() == copy.getTarget())
      copy.erase();
    fn.setArgAttr(input.getArgNumber(), kUpdatedAttrName,
                  UnitAttr::get(fn.getContext()));
  }
}
