//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that show what a program does while it runs.
//
//===----------------------------------------------------------------------===//

#include "VerifyUtils.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

/// A name that is part of a line.
LogicalResult wrapper::verifyLine(Operation *op, StringRef what,
                                  StringRef name) {
  if (!name.empty() && !name.contains('\n'))
    return success();
  return op->emitOpError() << what << " has a name that is empty or has a line "
                           << "feed";
}

std::string CheckLifetimeOp::getNameList() {
  return llvm::join(getNames().getAsValueRange<StringAttr>(), "\n");
}

LogicalResult CheckLifetimeOp::verify() {
  if (failed(verifyLine(*this, "step", getStep()))) // (C2)
    return failure();
  if (getNames().size() != getStorage().size()) // (C1)
    return emitOpError() << "has " << getNames().size() << " names for "
                         << getStorage().size() << " operands";
  for (StringRef name : getNames().getAsValueRange<StringAttr>())
    if (failed(verifyLine(*this, "operand", name))) // (C1)
      return failure();
  for (Value v : getStorage())
    if (isa<BufferType>(v.getType()) && getCarving(v)) // (C3)
      return emitOpError("checks a buffer that was carved from a pool");
  return success();
}

std::string DebugMarkOp::getLabel() {
  return (stringifyDebugMoment(getMoment()) + " " + getStep()).str();
}

LogicalResult DebugMarkOp::verify() {
  return verifyLine(*this, "step", getStep()); // (C1)
}

std::string DebugValueOp::getLabel() {
  return (stringifyDebugMoment(getMoment()) + " " + getStep() + " - " +
          getName())
      .str();
}

LogicalResult DebugValueOp::verify() {
  if (failed(verifyLine(*this, "step", getStep()))) // (C1)
    return failure();
  return verifyLine(*this, "value", getName());
}
