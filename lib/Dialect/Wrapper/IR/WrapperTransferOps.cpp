//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Transfers between devices, and which device each step is for.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Wrapper/IR/Transfer.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

#define GET_OP_CLASSES
#include "coil/Dialect/Wrapper/IR/WrapperTransferOps.cpp.inc"

int32_t wrapper::getTransferType(const DeviceInfo &device) {
  return device.hostAccessible ? 0 /* COIL_CPU */ : device.runtimeType;
}

LogicalResult TransferOp::verify() {
  auto source = cast<BufferType>(getSource().getType()),
       target = cast<BufferType>(getTarget().getType());
  if (source.getSizes() != target.getSizes() ||
      source.getElementType() != target.getElementType()) // (C1)
    return emitOpError() << "moves elements of " << source << " to " << target;
  if (source.getDevice() == target.getDevice()) // (C2)
    return emitOpError() << "stays on " << source.getDevice()
                         << "; that is 'wrapper.copy'";
  if (!target.isContiguous()) // (C3)
    return emitOpError() << "expected a contiguous target but got " << target;
  if (getNonBlocking() && target.getDevice().getKind() == "cpu") // (C4)
    return emitOpError("nothing tells when the host may read its target");
  return success();
}

LogicalResult wrapper::checkHandedOver(OpOperand &result) {
  if (isAtStorage(result.get()) || isa<BlockArgument>(getStorage(result.get())))
    return success();
  return result.getOwner()->emitOpError()
         << "result " << result.getOperandNumber()
         << " may begin in the middle of its storage, which a function cannot "
            "return; copy it";
}

//===----------------------------------------------------------------------===//
// Selection of devices
//===----------------------------------------------------------------------===//

/// Calls a function with the device of each buffer of a function.
static WalkResult forEachDevice(FuncOp fn,
                                function_ref<WalkResult(Value, DeviceAttr)> f) {
  auto visit = [&](Value v) {
    return isa<BufferType, PoolType>(v.getType())
               ? f(v, wrapper::getDevice(v.getType()))
               : WalkResult::advance();
  };
  for (Value v : fn.getArguments())
    if (visit(v).wasInterrupted())
      return WalkResult::interrupt();
  return fn.walk([&](Operation *op) {
    for (Value v : op->getResults())
      if (visit(v).wasInterrupted())
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
}

/// The one device, other than the first of its kind, that all buffers of a
/// private function on that kind are on.
static DeviceAttr getHome(FuncOp fn) {
  DeviceAttr home;
  if (fn.isPublic() || fn.isExternal())
    return home;
  llvm::StringSet<> others;
  WalkResult result = forEachDevice(fn, [&](Value, DeviceAttr device) {
    if (device.getIndex() == 0) {
      others.insert(device.getKind());
    } else if (home && home != device) {
      return WalkResult::interrupt();
    } else {
      home = device;
    }
    return WalkResult::advance();
  });
  if (result.wasInterrupted() || (home && others.contains(home.getKind())))
    return {};
  return home;
}

DeviceSelection::DeviceSelection(FuncOp fn) : fn(fn), home(getHome(fn)) {
  isSeveral = forEachDevice(fn, [](Value, DeviceAttr device) {
                return device.getIndex() == 0 ? WalkResult::advance()
                                              : WalkResult::interrupt();
              }).wasInterrupted();
}

/// Whether an op works with several devices as it is, or with none.
static bool isAnywhere(Operation *op) {
  return op->getNumRegions() != 0 || op->hasTrait<OpTrait::IsTerminator>() ||
         isa<TransferOp, InputSymbolOp, AssertLayoutOp, ReinterpretOp, ReuseOp,
             PoolAllocOp, PoolReleaseOp, CheckLifetimeOp>(op);
}

LogicalResult DeviceSelection::verify() {
  if (!isSeveral)
    return success();
  auto *dialect = fn.getContext()->getLoadedDialect<WrapperDialect>();
  llvm::StringMap<std::pair<DeviceAttr, Location>> seen;
  WalkResult result = forEachDevice(fn, [&](Value v, DeviceAttr device) {
    const DeviceInfo *info = dialect->lookupDevice(device.getKind());
    auto [it, isNew] = seen.try_emplace(device.getKind(), device, v.getLoc());
    if (isNew || it->second.first == device ||
        (info && info->runtimeType == 1 /* COIL_CUDA */))
      return WalkResult::advance();
    InFlightDiagnostic diag =
        emitError(v.getLoc())
        << "'" << fn.getName() << "' works on " << device << " and "
        << it->second.first
        << ", but a run is bound to one device of that kind; programs in "
           "Python and FX graphs are not";
    diag.attachNote(it->second.second) << "the other one is here";
    return WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    return failure();
  result = fn.walk([&](Operation *op) {
    if (isAnywhere(op) || isa<CallOpInterface, HostCallOpInterface>(op))
      return WalkResult::advance();
    llvm::StringMap<DeviceAttr> here;
    for (Value v : llvm::concat<Value>(SmallVector<Value>(op->getOperands()),
                                       SmallVector<Value>(op->getResults()))) {
      if (!isa<BufferType, PoolType>(v.getType()))
        continue;
      DeviceAttr device = wrapper::getDevice(v.getType());
      auto [it, isNew] = here.try_emplace(device.getKind(), device);
      if (isNew || it->second == device)
        continue;
      op->emitOpError() << "works on " << it->second << " and " << device
                        << " at once, but kernels and libraries reach the "
                           "memory of one device; 'wrapper.transfer' moves "
                           "elements";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

DeviceAttr DeviceSelection::get(Type type) const {
  return isa<BufferType, PoolType>(type) ? get(wrapper::getDevice(type))
                                         : DeviceAttr();
}

DeviceAttr DeviceSelection::get(Operation *op) const {
  if (!isSeveral || isAnywhere(op))
    return {};
  if (auto event = dyn_cast<RecordEventOp>(op))
    return get(event.getDevice());
  if (auto wait = dyn_cast<WaitEventOp>(op))
    return get(wait.getEvent().getDevice());
  if (auto call = dyn_cast<HostCallOpInterface>(op))
    return get(call.getCallDevice());
  if (auto call = dyn_cast<CallOpInterface>(op)) {
    auto callee = dyn_cast_or_null<FuncOp>(call.resolveCallable());
    DeviceAttr there = callee ? getHome(callee) : DeviceAttr();
    return there ? get(there) : DeviceAttr();
  }
  for (Value v : llvm::concat<Value>(SmallVector<Value>(op->getOperands()),
                                     SmallVector<Value>(op->getResults())))
    if (DeviceAttr device = get(v.getType()))
      return device;
  return {};
}
