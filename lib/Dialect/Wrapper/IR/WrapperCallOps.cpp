//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls of functions that Coil did not compile.
//
//===----------------------------------------------------------------------===//

#include "VerifyUtils.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

using Effects =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

//===----------------------------------------------------------------------===//
// Shared
//===----------------------------------------------------------------------===//

bool wrapper::hasRunLayout(Value v) {
  Operation *op = v.getDefiningOp();
  return op && op->hasTrait<GivesLayouts>();
}

/// All buffers of an op.
static SmallVector<BufferType> getBuffers(Operation *op) {
  SmallVector<BufferType> buffers;
  for (TypeRange types :
       {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (auto buffer = dyn_cast<BufferType>(type))
        buffers.push_back(buffer);
  return buffers;
}

DeviceAttr wrapper::getCallDevice(Operation *op) {
  SmallVector<BufferType> buffers = getBuffers(op);
  return buffers.empty() ? DeviceAttr::get(op->getContext(), "cpu", 0)
                         : buffers.front().getDevice();
}

LogicalResult wrapper::verifyOneDevice(Operation *op) {
  DeviceAttr device = getCallDevice(op);
  for (BufferType buffer : getBuffers(op))
    if (buffer.getDevice() != device)
      return op->emitOpError()
             << "has buffers on " << device << " and on " << buffer.getDevice();
  return success();
}

bool wrapper::isFunctionName(StringRef callee) {
  auto [space, name] = callee.split("::");
  auto isPlain = [](StringRef text) {
    return !text.empty() && llvm::all_of(text, [](char c) {
      return llvm::isAlnum(c) || c == '_' || c == '.';
    });
  };
  return isPlain(space) && isPlain(name);
}

static LogicalResult verifyCallee(Operation *op, StringRef callee) {
  if (isFunctionName(callee))
    return success();
  return op->emitOpError() << "expected a name of the form 'namespace::name' "
                              "but got '"
                           << callee << "'";
}

LogicalResult wrapper::verifyMutates(Operation *op,
                                     std::optional<ArrayRef<int64_t>> mutates,
                                     ValueRange operands) {
  int64_t last = -1;
  for (int64_t i : mutates.value_or(ArrayRef<int64_t>())) {
    if (i <= last || i >= static_cast<int64_t>(operands.size()) ||
        !isa<BufferType>(operands[static_cast<size_t>(i)].getType()))
      return op->emitOpError()
             << "'mutates' is not a list of buffers among the operands in "
                "ascending order";
    last = i;
  }
  return success();
}

/// Reads and writes of a call, and what it allocates.
void wrapper::addCallEffects(HostCallOpInterface call, Effects &effects) {
  OperandRange outputs = call.getCallOutputs();
  unsigned firstOutput = outputs.empty() ? 0 : outputs.getBeginOperandIndex();
  for (OpOperand &operand : call->getOpOperands()) {
    if (!isa<BufferType>(operand.get().getType()))
      continue;
    unsigned i = operand.getOperandNumber();
    bool isOutput = i >= firstOutput && i < firstOutput + outputs.size();
    if (!isOutput)
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
    if (isOutput || call.mayWrite(operand))
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
  }
  for (OpResult result : call.getCallResults())
    effects.emplace_back(MemoryEffects::Allocate::get(), result);
}

/// What only the function knows of.
void wrapper::addHostEffect(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), HostResource::get());
}

static bool contains(std::optional<ArrayRef<int64_t>> list, unsigned i) {
  return list && llvm::is_contained(*list, static_cast<int64_t>(i));
}

//===----------------------------------------------------------------------===//
// ExternCallOp
//===----------------------------------------------------------------------===//

std::string ExternCallOp::getComputeName() { return getCallee().str(); }
std::string ExternCallOp::getFunctionName() { return getCallee().str(); }
ArrayAttr ExternCallOp::getCallArguments() { return getArguments(); }
OperandRange ExternCallOp::getCallOperands() { return getInputs(); }
ArrayAttr ExternCallOp::getArgumentNames() { return getNamesAttr(); }

bool ExternCallOp::mayWrite(OpOperand &operand) {
  return contains(getMutates(), operand.getOperandNumber());
}

void ExternCallOp::getEffects(Effects &effects) {
  addCallEffects(*this, effects);
  addHostEffect(effects);
}

LogicalResult ExternCallOp::verify() {
  return failure(
      failed(verifyCallee(*this, getCallee())) || // (C1)
      failed(verifyCallArguments(*this, getArguments(), getNamesAttr(),
                                 getInputs().size())) || // (C2)
      failed(verifyOneDevice(*this)) ||                  // (C3)
      failed(verifyMutates(*this, getMutates(),
                           getInputs()))); // (C4)
}

//===----------------------------------------------------------------------===//
// ExternCallOutOp
//===----------------------------------------------------------------------===//

std::string ExternCallOutOp::getComputeName() { return getCallee().str(); }
std::string ExternCallOutOp::getFunctionName() { return getCallee().str(); }
ArrayAttr ExternCallOutOp::getCallArguments() { return getArguments(); }
OperandRange ExternCallOutOp::getCallOperands() { return getInputs(); }
OperandRange ExternCallOutOp::getCallOutputs() { return getOutputs(); }
ArrayAttr ExternCallOutOp::getArgumentNames() { return getNamesAttr(); }

bool ExternCallOutOp::mayWrite(OpOperand &operand) {
  unsigned i = operand.getOperandNumber();
  return i >= getInputs().size() || contains(getMutates(), i);
}

void ExternCallOutOp::getEffects(Effects &effects) {
  addCallEffects(*this, effects);
  addHostEffect(effects);
}

bool ExternCallOutOp::mayShareStorage(OpOperand &read, OpOperand &written,
                                      SymbolTableCollection &) {
  auto numOperands = static_cast<unsigned>(getInputs().size());
  unsigned i = read.getOperandNumber(), o = written.getOperandNumber();
  if (i >= numOperands || o < numOperands)
    return false;
  ArrayRef<int64_t> pairs = getInPlace().value_or(ArrayRef<int64_t>());
  for (size_t p = 0; p + 1 < pairs.size(); p += 2)
    if (pairs[p] == i && pairs[p + 1] == o - numOperands)
      return true;
  return false;
}

LogicalResult ExternCallOutOp::verify() {
  if (failed(verifyCallee(*this, getCallee())) || // (C1)
      failed(verifyCallArguments(*this, getArguments(), getNamesAttr(),
                                 getInputs().size())) ||       // (C2)
      failed(verifyOneDevice(*this)) ||                        // (C3)
      failed(verifyMutates(*this, getMutates(), getInputs()))) // (C4)
    return failure();
  ArrayRef<int64_t> pairs = getInPlace().value_or(ArrayRef<int64_t>());
  auto isBelow = [](int64_t i, size_t count) {
    return i >= 0 && i < static_cast<int64_t>(count);
  };
  bool valid = pairs.size() % 2 == 0;
  for (size_t p = 0; valid && p < pairs.size(); p += 2)
    valid = isBelow(pairs[p], getInputs().size()) &&
            isBelow(pairs[p + 1], getOutputs().size());
  if (!valid) // (C5)
    return emitOpError("'in_place' is not a list of pairs of an existing "
                       "operand and output");
  return success();
}

//===----------------------------------------------------------------------===//
// ScatterFallbackOp
//===----------------------------------------------------------------------===//

std::string ScatterFallbackOp::getComputeName() { return "coil.scatter"; }
std::string ScatterFallbackOp::getFunctionName() { return "coil::scatter"; }
OperandRange ScatterFallbackOp::getCallOperands() { return getOperands(); }

bool ScatterFallbackOp::mayWrite(OpOperand &operand) {
  return operand.getOperandNumber() == 0;
}

ArrayAttr ScatterFallbackOp::getCallArguments() {
  Builder b(getContext());
  Attribute unit = b.getUnitAttr(), source = unit;
  if (Attribute value = getValueAttr()) {
    auto integer = dyn_cast<IntegerAttr>(value);
    source = integer && !isa<BoolAttr>(value)
                 ? sym::constant(getContext(), integer.getInt())
                 : value;
  }
  return b.getArrayAttr(
      {unit, sym::constant(getContext(), static_cast<int64_t>(getDim())), unit,
       source, b.getStringAttr(stringifyScatterReduce(getReduce())),
       b.getBoolAttr(!getExcludeSelf())});
}

void ScatterFallbackOp::getEffects(Effects &effects) {
  addCallEffects(*this, effects);
}

LogicalResult ScatterFallbackOp::verify() {
  auto type = [](Value v) { return cast<BufferType>(v.getType()); };
  if (static_cast<bool>(getSource()) == static_cast<bool>(getValueAttr()))
    return emitOpError("expected either a source or a value"); // (C1)
  unsigned rank = type(getTarget()).getRank();
  if (type(getIndex()).getRank() != rank ||
      (getSource() && type(getSource()).getRank() != rank) ||
      getDim() >= std::max(rank, 1u)) // (C2)
    return emitOpError() << "expected operands of one rank, and a dimension "
                            "inside it";
  Type element = type(getTarget()).getElementType(),
       index = type(getIndex()).getElementType();
  if ((getSource() && type(getSource()).getElementType() != element) ||
      (!index.isSignlessInteger(32) && !index.isSignlessInteger(64))) // (C3)
    return emitOpError("expected a source of the target's element type and an "
                       "index of 'i32' or 'i64'");
  return verifyOneDevice(*this); // (C4)
}

//===----------------------------------------------------------------------===//
// IndexPutFallbackOp
//===----------------------------------------------------------------------===//

std::string IndexPutFallbackOp::getComputeName() { return "coil.index_put"; }
std::string IndexPutFallbackOp::getFunctionName() { return "coil::index_put"; }
OperandRange IndexPutFallbackOp::getCallOperands() { return getOperands(); }

bool IndexPutFallbackOp::mayWrite(OpOperand &operand) {
  return operand.getOperandNumber() == 0;
}

ArrayAttr IndexPutFallbackOp::getCallArguments() {
  Builder b(getContext());
  Attribute unit = b.getUnitAttr();
  return b.getArrayAttr(
      {unit, getPositions(), unit, b.getBoolAttr(getAccumulate())});
}

void IndexPutFallbackOp::getEffects(Effects &effects) {
  addCallEffects(*this, effects);
}

LogicalResult IndexPutFallbackOp::verify() {
  size_t numPlaces = 0;
  for (Attribute place : getPositions()) {
    numPlaces += isa<UnitAttr>(place);
    if (!isa<UnitAttr>(place) && !isNoneArgument(place)) // (C1)
      return emitOpError() << "expected buffers and 'none' as indices";
  }
  if (numPlaces != getIndices().size()) // (C1)
    return emitOpError() << "has " << getIndices().size() << " indices but "
                         << numPlaces << " placeholders for them";
  auto type = [](Value v) { return cast<BufferType>(v.getType()); };
  if (getPositions().size() > type(getTarget()).getRank()) // (C2)
    return emitOpError() << "has " << getPositions().size()
                         << " indices for a target of rank "
                         << type(getTarget()).getRank();
  bool fits =
      type(getValues()).getElementType() == type(getTarget()).getElementType();
  for (Value index : getIndices()) {
    Type element = type(index).getElementType();
    fits &= element.isSignlessInteger(32) || element.isSignlessInteger(64) ||
            element.isInteger(1) || element.isUnsignedInteger(8);
  }
  if (!fits) // (C3)
    return emitOpError("expected values of the target's element type and "
                       "indices of 'i32', 'i64', 'i1' or 'ui8'");
  return verifyOneDevice(*this); // (C4)
}
