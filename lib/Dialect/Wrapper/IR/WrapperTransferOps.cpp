//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Transfers between devices.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Wrapper/IR/Transfer.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"

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
  auto isHost = [](BufferType type) {
    return type.getDevice().getKind() == "cpu";
  };
  if (!isHost(source) && !isHost(target) && !source.isContiguous()) // (C4)
    return emitOpError() << "expected a contiguous source between "
                         << source.getDevice() << " and " << target.getDevice();
  if (getNonBlocking() && isHost(target)) // (C5)
    return emitOpError("nothing tells when the host may read its target");
  return success();
}

LogicalResult wrapper::checkOneOfEachKind(FuncOp fn) {
  llvm::StringMap<std::pair<DeviceAttr, Location>> seen;
  auto check = [&](Value v) -> LogicalResult {
    if (!isa<BufferType, PoolType>(v.getType()))
      return success();
    DeviceAttr device = wrapper::getDevice(v.getType());
    auto [it, isNew] = seen.try_emplace(device.getKind(), device, v.getLoc());
    if (isNew || it->second.first == device)
      return success();
    InFlightDiagnostic diag =
        emitError(v.getLoc())
        << "'" << fn.getName() << "' works on " << device << " and "
        << it->second.first
        << ", but a run is bound to one device of a kind; programs in Python "
           "and FX graphs are not";
    diag.attachNote(it->second.second) << "the other one is here";
    return diag;
  };
  for (Value v : fn.getArguments())
    if (failed(check(v)))
      return failure();
  WalkResult result = fn.walk([&](Operation *op) {
    for (Value v : op->getResults())
      if (failed(check(v)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
