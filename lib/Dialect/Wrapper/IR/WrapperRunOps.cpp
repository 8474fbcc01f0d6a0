//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops on what a run has around the program: the caller's references, profilers,
// hooks.
//
//===----------------------------------------------------------------------===//

#include "VerifyUtils.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "coil/Dialect/Wrapper/IR/WrapperRuntime.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

using Effects =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

//===----------------------------------------------------------------------===//
// DropOp
//===----------------------------------------------------------------------===//

BlockArgument wrapper::getCallersArgument(Value v) {
  v = followDefinitions(v, [](Value v) -> Value {
    auto resize = v.getDefiningOp<ResizeStorageOp>();
    return resize ? resize.getSource() : Value();
  });
  auto arg = dyn_cast<BlockArgument>(v);
  auto fn = arg ? dyn_cast<FuncOp>(arg.getOwner()->getParentOp()) : FuncOp();
  if (!fn || fn.isPrivate() || fn.isDestination(arg.getArgNumber()))
    return {};
  return arg;
}

/// The reference ends here, as storage does with `wrapper.free`.
void DropOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Free::get(), &getSourceMutable());
}

LogicalResult DropOp::verify() {
  if (isa<ObjectType>(getSource().getType()) ||
      getCallersArgument(getSource())) // (C1)
    return success();
  return emitOpError("releases what is neither an object nor an argument of "
                     "a public function");
}

//===----------------------------------------------------------------------===//
// CommentOp and ProfileRangeOp
//===----------------------------------------------------------------------===//

LogicalResult CommentOp::verify() {
  return verifyLine(*this, "comment", getText()); // (C1)
}

void ProfileRangeOp::getSuccessorRegions(
    RegionBranchPoint point, SmallVectorImpl<RegionSuccessor> &regions) {
  getInPlaceSuccessors(*this, point, regions);
}
/// The op checks the types itself.
bool ProfileRangeOp::areTypesCompatible(Type, Type) { return true; }
void ProfileRangeOp::getEffects(Effects &effects) {
  addResultEffects(*this, effects);
}

LogicalResult ProfileRangeOp::verify() {
  return verifyLine(*this, "range", getName()); // (C2)
}

LogicalResult ProfileRangeOp::verifyRegions() {
  return verifyInPlace(*this); // (C1)
}

//===----------------------------------------------------------------------===//
// AssertAlignedOp
//===----------------------------------------------------------------------===//

std::string AssertAlignedOp::getFunctionName() {
  return "coil::assert_aligned";
}

ArrayAttr AssertAlignedOp::getCallArguments() {
  Builder b(getContext());
  return b.getArrayAttr({b.getUnitAttr(),
                         sym::constant(getContext(), getAlignment()),
                         getNameAttr()});
}

OperandRange AssertAlignedOp::getCallOperands() {
  return getOperation()->getOperands();
}

bool AssertAlignedOp::mayWrite(OpOperand &) { return false; }

/// It reads no element, and may stop the program.
void AssertAlignedOp::getEffects(Effects &effects) { addHostEffect(effects); }

LogicalResult AssertAlignedOp::verify() {
  if (getAlignment() < 1 ||
      !llvm::isPowerOf2_64(static_cast<uint64_t>(getAlignment()))) // (C1)
    return emitOpError() << "has the alignment " << getAlignment()
                         << ", which is no power of two";
  return verifyLine(*this, "buffer", getName()); // (C2)
}

//===----------------------------------------------------------------------===//
// HookOp
//===----------------------------------------------------------------------===//

std::string HookOp::getFunctionName() { return "coil::hook"; }

ArrayAttr HookOp::getCallArguments() {
  Builder b(getContext());
  return b.getArrayAttr({b.getUnitAttr(), getStepAttr(), getNameAttr()});
}

OperandRange HookOp::getCallOperands() { return getOperation()->getOperands(); }

bool HookOp::mayWrite(OpOperand &) { return false; }

void HookOp::getEffects(Effects &effects) {
  addCallEffects(*this, effects);
  addHostEffect(effects);
}

LogicalResult HookOp::verify() {
  if (failed(verifyLine(*this, "step", getStep()))) // (C1)
    return failure();
  return verifyLine(*this, "value", getName());
}

//===----------------------------------------------------------------------===//
// DebugNumberOp
//===----------------------------------------------------------------------===//

std::string DebugNumberOp::getLabel() {
  return (stringifyDebugMoment(getMoment()) + " " + getStep() + " - " +
          getName())
      .str();
}

std::string DebugNumberOp::getFunctionName() { return "coil::debug_number"; }

ArrayAttr DebugNumberOp::getCallArguments() {
  Builder b(getContext());
  Attribute number = b.getUnitAttr();
  if (getNumberAttr())
    number = getNumberAttr();
  return b.getArrayAttr({b.getStringAttr(getLabel()), number});
}

OperandRange DebugNumberOp::getCallOperands() {
  return getOperation()->getOperands();
}

bool DebugNumberOp::mayWrite(OpOperand &) { return false; }

void DebugNumberOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), DebugResource::get());
}

LogicalResult DebugNumberOp::verify() {
  if (getNumber().has_value() == static_cast<bool>(getValue())) // (C1)
    return emitOpError("expected either an expression or a value");
  if (getNumber() && failed(verifyOnlySymbols(*this, *getNumber()))) // (C2)
    return failure();
  if (failed(verifyLine(*this, "step", getStep()))) // (C3)
    return failure();
  return verifyLine(*this, "number", getName());
}
