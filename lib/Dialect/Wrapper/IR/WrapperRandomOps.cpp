//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops on the run's generator of random numbers.
//
//===----------------------------------------------------------------------===//

#include "VerifyUtils.h"
#include "coil/Dialect/Wrapper/IR/WrapperRuntime.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

using Effects =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

static LogicalResult verifyState(Operation *op, Type type) {
  auto buffer = cast<BufferType>(type);
  if (buffer.isContiguous() && buffer.getRank() == 1 &&
      buffer.getSizes()[0].isConstant(2) &&
      buffer.getElementType().isSignlessInteger(64))
    return success();
  return op->emitOpError() << "has a state of type " << type
                           << ", expected a contiguous buffer of two 'i64'";
}

//===----------------------------------------------------------------------===//
// RngStateOp
//===----------------------------------------------------------------------===//

std::string RngStateOp::getFunctionName() { return "coil::rng_state"; }
ArrayAttr RngStateOp::getCallArguments() {
  return ArrayAttr::get(getContext(), {});
}
OperandRange RngStateOp::getCallOperands() {
  return getOperation()->getOperands();
}
bool RngStateOp::mayWrite(OpOperand &) { return false; }

void RngStateOp::getEffects(Effects &effects) {
  addCallEffects(*this, effects);
  effects.emplace_back(MemoryEffects::Read::get(), GeneratorResource::get());
}

LogicalResult RngStateOp::verify() {
  return verifyState(*this, getType()); // (C1)
}

//===----------------------------------------------------------------------===//
// RngSeedOp
//===----------------------------------------------------------------------===//

std::string RngSeedOp::getFunctionName() { return "coil::rng_seed"; }
ArrayAttr RngSeedOp::getCallArguments() {
  return ArrayAttr::get(getContext(), {getSeed()});
}
OperandRange RngSeedOp::getCallOperands() {
  return getOperation()->getOperands();
}
bool RngSeedOp::mayWrite(OpOperand &) { return false; }

void RngSeedOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), GeneratorResource::get());
}

LogicalResult RngSeedOp::verify() {
  return verifyOnlySymbols(*this, getSeed()); // (C1)
}

//===----------------------------------------------------------------------===//
// RngAdvanceOp
//===----------------------------------------------------------------------===//

std::string RngAdvanceOp::getFunctionName() {
  return getTo() ? "coil::rng_advance_to" : "coil::rng_advance";
}
ArrayAttr RngAdvanceOp::getCallArguments() {
  Builder b(getContext());
  return b.getArrayAttr(
      {getTo() ? Attribute(b.getUnitAttr()) : Attribute(getByAttr())});
}
OperandRange RngAdvanceOp::getCallOperands() {
  return getOperation()->getOperands();
}
bool RngAdvanceOp::mayWrite(OpOperand &) { return false; }

void RngAdvanceOp::getEffects(Effects &effects) {
  addCallEffects(*this, effects);
  effects.emplace_back(MemoryEffects::Write::get(), GeneratorResource::get());
}

LogicalResult RngAdvanceOp::verify() {
  if (getBy().has_value() == static_cast<bool>(getTo())) // (C1)
    return emitOpError("expected either 'by' or 'to'");
  if (getTo())
    return verifyState(*this, getTo().getType()); // (C3)
  return verifyOnlySymbols(*this, *getBy());      // (C2)
}
