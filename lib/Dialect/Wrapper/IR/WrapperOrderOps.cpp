//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Work that has been started: collectives and their memory, streams, events.
//
//===----------------------------------------------------------------------===//

#include "VerifyUtils.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "coil/Dialect/Wrapper/IR/TensorMap.h"
#include "coil/Dialect/Wrapper/IR/WrapperRuntime.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

using Effects =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

namespace {

/// What ranks have started, in an order on which they all agree.
struct GroupResource : SideEffects::Resource::Base<GroupResource> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(GroupResource)
  StringRef getName() final { return "<process groups>"; }
};

/// What streams have been given.
struct StreamResource : SideEffects::Resource::Base<StreamResource> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StreamResource)
  StringRef getName() final { return "<streams>"; }
};

} // namespace

static BufferType typeOf(Value v) { return cast<BufferType>(v.getType()); }

CommAllocOp wrapper::getCommAlloc(Value buffer) {
  return getStorage(buffer).getDefiningOp<CommAllocOp>();
}

bool wrapper::staysInBlock(Value buffer) {
  return isa<BufferType>(buffer.getType()) &&
         (getCarving(buffer) || getCommAlloc(buffer));
}

bool wrapper::endsStorage(Operation *op) {
  return isa<FreeOp, PoolReleaseOp, PoolFreeOp, CommFreeOp, DropOp>(op);
}

static LogicalResult verifyGroup(Operation *op, StringRef group) {
  if (!group.empty() && !group.contains('\n'))
    return success();
  return op->emitOpError("expected a group with a name without line feeds");
}

/// The two buffers of a collective, which it reads and writes.
template <typename OpT>
static void addBufferEffects(OpT op, Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &op.getSourceMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &op.getTargetMutable());
}

//===----------------------------------------------------------------------===//
// CollectiveOp
//===----------------------------------------------------------------------===//

std::string CollectiveOp::describe() {
  std::string text = stringifyCollectiveKind(getKind()).str();
  if (getReduce())
    text += " " + stringifyCollectiveReduce(*getReduce()).str();
  return text + " of group '" + getGroup().str() + "'";
}

std::string CollectiveOp::getComputeName() {
  return ("coil." + stringifyCollectiveKind(getKind())).str();
}
std::string CollectiveOp::getFunctionName() {
  return ("coil::" + stringifyCollectiveKind(getKind())).str();
}
OperandRange CollectiveOp::getCallOperands() { return getODSOperands(0); }
OperandRange CollectiveOp::getCallOutputs() { return getODSOperands(1); }
ResultRange CollectiveOp::getCallResults() {
  return getOperation()->getResults().take_front(0);
}

/// The arguments of the runtime's function of the same name
/// (lib/Runtime/Collectives.cpp).
ArrayAttr CollectiveOp::getCallArguments() {
  Builder b(getContext());
  SmallVector<Attribute> list = {b.getUnitAttr(), getGroupAttr()};
  if (getReduce())
    list.push_back(b.getStringAttr(stringifyCollectiveReduce(*getReduce())));
  if (getRoot())
    list.push_back(
        sym::constant(getContext(), static_cast<int64_t>(*getRoot())));
  if (getKind() == CollectiveKind::AllToAll)
    for (std::optional<sym::ShapeAttr> splits :
         {getSourceSplits(), getTargetSplits()}) {
      SmallVector<Attribute> numbers;
      if (splits)
        llvm::append_range(numbers, splits->getDims());
      list.push_back(splits ? b.getArrayAttr(numbers)
                            : getNoneArgument(getContext()));
    }
  return b.getArrayAttr(list);
}

bool CollectiveOp::mayWrite(OpOperand &operand) {
  return operand.getOperandNumber() == 1;
}

void CollectiveOp::getEffects(Effects &effects) {
  addBufferEffects(*this, effects);
  effects.emplace_back(MemoryEffects::Write::get(), GroupResource::get());
}

bool CollectiveOp::mayShareStorage(OpOperand &read, OpOperand &written,
                                   SymbolTableCollection &) {
  // Of others, elements move.
  return read.getOperandNumber() == 0 && written.getOperandNumber() == 1 &&
         (getKind() == CollectiveKind::AllReduce ||
          getKind() == CollectiveKind::Broadcast);
}

/// Constraints on splits.
static LogicalResult verifySplits(CollectiveOp op) { // (C5)
  std::optional<sym::ShapeAttr> source = op.getSourceSplits(),
                                target = op.getTargetSplits();
  if (!source && !target)
    return success();
  if (!source || !target || source->size() != target->size() ||
      source->size() == 0)
    return op.emitOpError("expected as many splits of the source as of the "
                          "target, at least one");
  for (sym::ShapeAttr list : {*source, *target})
    for (ExprAttr e : list.getDims()) {
      if (failed(verifyOnlySymbols(op, e)))
        return failure();
      if (e.isConstant() && e.getValue() < 0)
        return op.emitOpError() << "has a split of " << e.getValue() << " rows";
    }
  return success();
}

LogicalResult CollectiveOp::verify() {
  if (failed(verifyGroup(*this, getGroup()))) // (C1)
    return failure();
  CollectiveKind kind = getKind();
  bool combines = kind == CollectiveKind::AllReduce ||
                  kind == CollectiveKind::ReduceScatter;
  bool isBroadcast = kind == CollectiveKind::Broadcast;
  StringRef name = stringifyCollectiveKind(kind);
  if (combines != getReduce().has_value()) // (C2)
    return emitOpError() << "'" << name << "' "
                         << (combines ? "has to say" : "does not say")
                         << " how elements are combined";
  if (isBroadcast != getRoot().has_value() || // (C2)
      (isBroadcast && static_cast<int64_t>(*getRoot()) < 0))
    return emitOpError() << "'" << name << "' "
                         << (isBroadcast ? "needs a root that is not negative"
                                         : "has no root");
  if (kind != CollectiveKind::AllToAll &&
      (getSourceSplits() || getTargetSplits())) // (C2)
    return emitOpError() << "'" << name << "' has no splits";
  BufferType source = typeOf(getSource()), target = typeOf(getTarget());
  if (!source.isContiguous() || !target.isContiguous() ||
      source.getDevice() != target.getDevice() ||
      source.getElementType() != target.getElementType()) // (C3)
    return emitOpError("expected contiguous buffers of one element type on one "
                       "device");
  ArrayRef<ExprAttr> from = source.getSizes().getDims(),
                     to = target.getSizes().getDims();
  bool isSame = kind == CollectiveKind::AllReduce || isBroadcast;
  bool fits = isSame ? from == to
                     : from.size() == to.size() && !from.empty() &&
                           from.drop_front() == to.drop_front();
  if (!fits) // (C4)
    return emitOpError() << "'" << name << "' takes sizes that are equal"
                         << (isSame ? "" : " but for the first") << ", and has "
                         << source << " and " << target;
  if (failed(verifySplits(*this)))
    return failure();
  if (combines && source.getElementType().isInteger(1)) // (C6)
    return emitOpError("cannot combine bools");
  if (getReduce() == CollectiveReduce::Avg &&
      !isa<FloatType>(source.getElementType())) // (C6)
    return emitOpError() << "takes no average of elements of type "
                         << source.getElementType();
  return success();
}

//===----------------------------------------------------------------------===//
// WaitOp
//===----------------------------------------------------------------------===//

std::string WaitOp::getComputeName() { return "coil.wait"; }
std::string WaitOp::getFunctionName() { return "coil::wait"; }
OperandRange WaitOp::getCallOperands() { return getODSOperands(0); }
OperandRange WaitOp::getCallOutputs() { return getODSOperands(1); }
bool WaitOp::mayWrite(OpOperand &operand) {
  return operand.getOperandNumber() == 1;
}
ArrayAttr WaitOp::getCallArguments() {
  Builder b(getContext());
  return b.getArrayAttr({b.getUnitAttr()});
}

void WaitOp::getEffects(Effects &effects) { addBufferEffects(*this, effects); }

LogicalResult WaitOp::verify() { // (C1)
  CollectiveOp started = getCollective();
  if (started && started.getSource() == getSource() &&
      started.getTarget() == getTarget())
    return success();
  InFlightDiagnostic diag = emitOpError(
      "expected the token of a 'wrapper.collective', and its buffers");
  if (started)
    diag.attachNote(started.getLoc()) << "the collective is here";
  return diag;
}

//===----------------------------------------------------------------------===//
// Communication buffers
//===----------------------------------------------------------------------===//

void CommAllocOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Allocate::get(),
                       cast<OpResult>(getResult()));
  effects.emplace_back(MemoryEffects::Write::get(), GroupResource::get());
}

LogicalResult CommAllocOp::verify() {
  if (failed(verifyGroup(*this, getGroup()))) // (C1)
    return failure();
  BufferType type = typeOf(getResult());
  if (!type.getStorageBytes().isConstant()) // (C2)
    return emitOpError() << "allocates '" << type.getStorageBytes().str()
                         << "' bytes, which is not a constant";
  if (!type.isContiguous()) // (C3)
    return emitOpError("expected a contiguous buffer");
  return success();
}

void CommFreeOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Free::get(), &getSourceMutable());
  effects.emplace_back(MemoryEffects::Write::get(), GroupResource::get());
}

LogicalResult CommFreeOp::verify() {
  if (getAllocation()) // (C1)
    return success();
  return emitOpError("operand is not the result of 'wrapper.comm_alloc'");
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

static LogicalResult verifyStream(Operation *op, int64_t number) {
  if (number >= 1 && number <= 31)
    return success();
  return op->emitOpError() << "expected a stream from 1 to 31 but got "
                           << number;
}

void StreamOp::getSuccessorRegions(RegionBranchPoint point,
                                   SmallVectorImpl<RegionSuccessor> &regions) {
  if (point.isParent())
    regions.push_back(RegionSuccessor(&getBody()));
  else
    regions.push_back(
        RegionSuccessor(getOperation(), getOperation()->getResults()));
}

bool StreamOp::areTypesCompatible(Type, Type) { return true; }

void StreamOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), StreamResource::get());
}

LogicalResult StreamOp::verifyRegions() {
  auto yield = dyn_cast<YieldOp>(getBody().front().getTerminator());
  if (getBody().front().getNumArguments() != 0 || !yield ||
      yield->getNumOperands() != 0 || yield.getSymbols()) // (C1)
    return emitOpError("expected a region without arguments that yields "
                       "nothing");
  if (failed(verifyStream(*this, static_cast<int64_t>(getNumber())))) // (C2)
    return failure();
  for (Operation &op : getBody().front().without_terminator()) {
    bool isKnown = isa<ComputeOpInterface, CopyOp, FillOp, ReinterpretOp,
                       ConstantOp, RecordEventOp, WaitEventOp, CheckLifetimeOp,
                       DebugMarkOp, DebugValueOp, TMADescriptorOp>(op) &&
                   op.getNumRegions() == 0 && !isa<ExternCallOp>(op);
    if (!isKnown) // (C3)
      return op.emitOpError("is not started on a stream").attachNote(getLoc())
             << "the stream is here";
    auto isOther = [&](Type type) {
      auto buffer = dyn_cast<BufferType>(type);
      return buffer && buffer.getDevice() != getDevice();
    };
    auto event = dyn_cast<RecordEventOp>(op);
    if (llvm::any_of(op.getOperandTypes(), isOther) ||
        llvm::any_of(op.getResultTypes(), isOther) ||
        (event && event.getDevice() != getDevice())) // (C3)
      return op.emitOpError()
             << "works on another device than the stream, " << getDevice();
  }
  return success();
}

void RecordEventOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), StreamResource::get());
}

LogicalResult RecordEventOp::verify() {
  if (!getStream())
    return success();
  if (isa<StreamOp>((*this)->getParentOp())) // (C1)
    return emitOpError("names a stream inside of another one");
  return verifyStream(*this, static_cast<int64_t>(*getStream())); // (C1)
}

void WaitEventOp::getEffects(Effects &effects) {
  for (OpOperand &operand : getUsesMutable())
    effects.emplace_back(MemoryEffects::Read::get(), &operand);
  effects.emplace_back(MemoryEffects::Write::get(), StreamResource::get());
}

LogicalResult WaitEventOp::verify() {
  RecordEventOp event = getEvent();
  if (!event) // (C1)
    return emitOpError("expected the token of a 'wrapper.record_event'");
  for (Value v : getUses())
    if (typeOf(v).getDevice() != event.getDevice()) // (C2)
      return emitOpError() << "names a buffer on " << typeOf(v).getDevice()
                           << " for an event of " << event.getDevice();
  return success();
}
