//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Partitions of host programs, before and after they are functions, and guards
// of devices.
//
//===----------------------------------------------------------------------===//

#include "VerifyUtils.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "coil/Dialect/Wrapper/IR/TensorMap.h"
#include "coil/Dialect/Wrapper/IR/Updated.h"
#include "coil/Dialect/Wrapper/IR/WrapperRuntime.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

using Effects =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

//===----------------------------------------------------------------------===//
// Regions in place
//===----------------------------------------------------------------------===//

/// In and out again.
void wrapper::getInPlaceSuccessors(Operation *op, RegionBranchPoint point,
                                   SmallVectorImpl<RegionSuccessor> &regions) {
  if (point.isParent())
    regions.push_back(RegionSuccessor(&op->getRegion(0)));
  else
    regions.push_back(RegionSuccessor(op, op->getResults()));
}

void wrapper::addResultEffects(Operation *op, Effects &effects) {
  for (OpResult result : op->getResults())
    if (isa<BufferType>(result.getType()))
      effects.emplace_back(MemoryEffects::Allocate::get(), result);
}

LogicalResult wrapper::verifyInPlace(Operation *op) { // (C1)
  Block &body = op->getRegion(0).front();
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (body.getNumArguments() != 0 || !yield || yield.getSymbols())
    return op->emitOpError("expected a region without arguments that ends in "
                           "'wrapper.yield' without symbols");
  if (yield.getValues().getTypes() != op->getResultTypes())
    return yield.emitOpError("operand types differ from the results' types")
               .attachNote(op->getLoc())
           << "the results are here";
  return success();
}

void PartitionOp::getSuccessorRegions(
    RegionBranchPoint point, SmallVectorImpl<RegionSuccessor> &regions) {
  getInPlaceSuccessors(*this, point, regions);
}
/// The ops check the types themselves.
bool PartitionOp::areTypesCompatible(Type, Type) { return true; }
void PartitionOp::getEffects(Effects &effects) {
  addResultEffects(*this, effects);
}

void DeviceScopeOp::getSuccessorRegions(
    RegionBranchPoint point, SmallVectorImpl<RegionSuccessor> &regions) {
  getInPlaceSuccessors(*this, point, regions);
}
bool DeviceScopeOp::areTypesCompatible(Type, Type) { return true; }
void DeviceScopeOp::getEffects(Effects &effects) {
  addResultEffects(*this, effects);
}

LogicalResult PartitionOp::verifyRegions() {
  if (failed(verifyInPlace(*this))) // (C1)
    return failure();
  for (Operation &op : getBody().front().without_terminator()) {
    bool isMemory =
        isa<AllocOp, ConstantOp, FreeOp, ReuseOp, ReinterpretOp, CopyOp, FillOp,
            PoolOp, PoolAllocOp, PoolReleaseOp, PoolFreeOp, CheckLifetimeOp,
            DebugMarkOp, DebugValueOp, CommentOp, StreamOp, RecordEventOp,
            WaitEventOp, TMADescriptorOp>(op);
    if (!isMemory && !isa<ComputeOpInterface>(op)) // (C2)
      return op.emitOpError("is not part of a graph").attachNote(getLoc())
             << "the partition is here";
    for (Type type :
         llvm::concat<const Type>(llvm::to_vector(op.getOperandTypes()),
                                  llvm::to_vector(op.getResultTypes())))
      if (!isa<TokenType, TMADescriptorType>(type) &&
          wrapper::getDevice(type) != getDevice()) // (C2)
        return op.emitOpError()
               << "works on " << type << " in a partition of " << getDevice();
  }
  return success();
}

LogicalResult DeviceScopeOp::verifyRegions() {
  Operation *parent = (*this)->getParentOp();
  while (isa<ProfileRangeOp>(parent)) // It runs in place.
    parent = parent->getParentOp();
  if (!isa<FuncOp>(parent)) // (C2)
    return emitOpError("expected to be in the block of a function");
  return verifyInPlace(*this); // (C1)
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

CallInterfaceCallable PartitionCallOp::getCallableForCallee() {
  return getCalleeAttr();
}

void PartitionCallOp::setCalleeFromCallable(CallInterfaceCallable callee) {
  setCalleeAttr(cast<FlatSymbolRefAttr>(cast<SymbolRefAttr>(callee)));
}

Operation::operand_range PartitionCallOp::getArgOperands() {
  return getOperands();
}

MutableOperandRange PartitionCallOp::getArgOperandsMutable() {
  return getOperandsMutable();
}

bool PartitionCallOp::isConsumed(unsigned i) {
  return getConsumes() &&
         llvm::is_contained(*getConsumes(), static_cast<int64_t>(i));
}

bool PartitionCallOp::staysInPlace(unsigned i) {
  SmallVector<Value> values = {getResult(i)};
  while (!values.empty())
    for (Operation *user : values.pop_back_val().getUsers()) {
      if (isa<ViewLikeOpInterface>(user))
        llvm::append_range(values, user->getResults());
      else if (!isa<PartitionCallOp, ComputeOpInterface, CopyOp, ItemOp, IfOp,
                    FreeOp, DebugValueOp>(user))
        return false;
    }
  return true;
}

ArrayRef<ExprAttr> PartitionCallOp::getSymbolExprs() {
  return getSymbols() ? getSymbols()->getDims() : ArrayRef<ExprAttr>();
}

void PartitionCallOp::getEffects(Effects &effects) {
  for (OpOperand &operand : (*this)->getOpOperands()) {
    effects.emplace_back(MemoryEffects::Read::get(), &operand);
    if (isUpdated(*this, operand.getOperandNumber()))
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
    if (isConsumed(operand.getOperandNumber()))
      effects.emplace_back(MemoryEffects::Free::get(), &operand);
  }
  for (OpResult result : getOperation()->getResults())
    effects.emplace_back(MemoryEffects::Allocate::get(), result);
  // Partitions hold debugging, too.
  effects.emplace_back(MemoryEffects::Write::get(), DebugResource::get());
}

LogicalResult PartitionCallOp::verify() {
  for (ExprAttr e : getSymbolExprs())
    if (failed(verifyOnlySymbols(*this, e))) // (C2)
      return failure();
  return success();
}

LogicalResult PartitionCallOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto callee = tables.lookupNearestSymbolFrom<FuncOp>(*this, getCalleeAttr());
  auto note = [&](InFlightDiagnostic diag) -> LogicalResult {
    if (callee)
      diag.attachNote(callee.getLoc()) << "function defined here";
    return diag;
  };
  if (!callee || !callee.isPrivate() || callee.isExternal()) // (C1)
    return note(emitOpError() << "'" << getCallee()
                              << "' is not a private function with a body");
  ParamSymbolsOp params = getParamSymbols(callee);
  ArrayRef<ExprAttr> given = getSymbolExprs();
  size_t expected = params ? params.getSymbols().size() : 0;
  if (given.size() != expected) // (C2)
    return note(emitOpError()
                << "passes " << given.size()
                << " symbols but the function binds " << expected);
  llvm::StringMap<ExprAttr> values;
  if (params)
    for (auto [name, e] :
         llvm::zip(params.getSymbols().getAsRange<StringAttr>(), given))
      values[name.getValue()] = e;
  auto check = [&](TypeRange types, TypeRange wanted,
                   StringRef what) -> LogicalResult {
    if (types.size() != wanted.size()) // (C3)
      return note(emitOpError() << "has " << types.size() << ' ' << what
                                << "s but the function has " << wanted.size());
    for (auto [i, type] : llvm::enumerate(types)) {
      Type there = substituteSymbols(wanted[i], values);
      if (type != there) // (C3)
        return note(emitOpError() << what << ' ' << i << " has type " << type
                                  << ", but the function has " << there);
    }
    return success();
  };
  if (failed(check(getOperands().getTypes(), callee.getArgumentTypes(),
                   "operand")) ||
      failed(check(getResultTypes(), callee.getResultTypes(), "result")))
    return failure();
  for (unsigned i = 0; i < getOperands().size(); ++i)
    if (isUpdated(*this, i) != isUpdated(callee, i)) // (C5)
      return note(emitOpError()
                  << (isUpdated(*this, i) ? "updates" : "keeps") << " operand "
                  << i << ", which the function "
                  << (isUpdated(*this, i) ? "does not update" : "updates"));
  return verifyConsumes(*this, callee, getConsumes()); // (C4)
}

ParamSymbolsOp wrapper::getParamSymbols(FuncOp fn) {
  if (fn.isExternal() || fn.getBody().front().empty())
    return {};
  return dyn_cast<ParamSymbolsOp>(fn.getBody().front().front());
}

LogicalResult ParamSymbolsOp::verify() {
  auto fn = dyn_cast<FuncOp>((*this)->getParentOp());
  if (fn && fn.isPrivate() && &fn.getBody().front().front() == getOperation())
    return success();
  return emitOpError("expected to be the first op of a private function");
}
