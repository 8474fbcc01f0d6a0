//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops on objects of classes that programs do not know.
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

LogicalResult BoundObjectOp::verify() {
  return verifyLine(*this, "object", getName()); // (C1)
}

std::string ObjectCallOp::getFunctionName() {
  auto type = cast<ObjectType>(getInputs().front().getType());
  return (type.getClassName() + "." + getMethod()).str();
}
std::string ObjectCallOp::getComputeName() { return getFunctionName(); }
ArrayAttr ObjectCallOp::getCallArguments() { return getArguments(); }
OperandRange ObjectCallOp::getCallOperands() { return getInputs(); }
ArrayAttr ObjectCallOp::getArgumentNames() { return getNamesAttr(); }

bool ObjectCallOp::mayWrite(OpOperand &operand) {
  return getMutates() &&
         llvm::is_contained(*getMutates(),
                            static_cast<int64_t>(operand.getOperandNumber()));
}

void ObjectCallOp::getEffects(Effects &effects) {
  addCallEffects(*this, effects);
  addHostEffect(effects);
}

LogicalResult ObjectCallOp::verify() {
  auto isObject = [](Value v) { return isa<ObjectType>(v.getType()); };
  if (getInputs().empty() || llvm::count_if(getInputs(), isObject) != 1 ||
      !isObject(getInputs().front()) || getArguments().empty() ||
      !isa<UnitAttr>(getArguments()[0])) // (C1)
    return emitOpError(
        "expected an object as the first argument, and no other");
  StringRef method = getMethod();
  if (method.empty() || !llvm::all_of(method, [](char c) {
        return llvm::isAlnum(c) || c == '_';
      })) // (C2)
    return emitOpError() << "expected the name of a method but got '" << method
                         << "'";
  return failure(
      failed(verifyCallArguments(*this, getArguments(), getNamesAttr(),
                                 getInputs().size())) ||        // (C3)
      failed(verifyOneDevice(*this)) ||                         // (C4)
      failed(verifyMutates(*this, getMutates(), getInputs()))); // (C5)
}
