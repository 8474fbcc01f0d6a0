//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits streams, events and memory of process groups. Collectives are calls of
// host functions.
//
//===----------------------------------------------------------------------===//

#include "HostLowering.h"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

LogicalResult HostLowering::lower(CommAllocOp op) {
  auto type = cast<BufferType>(op.getType());
  const DeviceInfo *device = getDevice(op, type.getDevice());
  if (!device)
    return failure();
  if (device->commAllocFunction.empty())
    return lowerAllocation(op, type.getStorageBytes());
  Value slot = scratch(0, 1);
  call(device->commAllocFunction,
       {now.run, string(op.getGroup()), i32(static_cast<int32_t>(op.getKind())),
        value(type.getStorageBytes()), slot});
  setBuffer(op, LLVM::LoadOp::create(b, ptrType, slot));
  return success();
}

LogicalResult HostLowering::lower(CommFreeOp op) {
  auto type = cast<BufferType>(op.getSource().getType());
  const DeviceInfo *device = getDevice(op, type.getDevice());
  if (!device)
    return failure();
  if (device->commFreeFunction.empty())
    return lowerDeallocation(op, op.getSource());
  call(device->commFreeFunction, {now.run, buffer(op.getSource())});
  return success();
}

LogicalResult HostLowering::lower(StreamOp op) {
  const DeviceInfo *device = getDevice(op, op.getDevice());
  if (!device)
    return failure();
  if (device->enterStreamFunction.empty())
    return lowerInPlace(op);
  // A program that fails inside is at its end: whoever ends the run takes it
  // back.
  DeviceAttr other = selection.get(op.getDevice());
  select(other);
  call(device->enterStreamFunction,
       {now.run, i32(static_cast<int32_t>(op.getNumber()))});
  select(other, /*isBegin=*/false);
  if (failed(lowerInPlace(op)))
    return failure();
  select(other);
  call(device->leaveStreamFunction, now.run);
  select(other, /*isBegin=*/false);
  return success();
}

LogicalResult HostLowering::lower(RecordEventOp op) {
  const DeviceInfo *device = getDevice(op, op.getDevice());
  if (!device)
    return failure();
  if (device->recordEventFunction.empty()) {
    setBuffer(op.getToken(), null());
    return success();
  }
  Value slot = scratch(0, 1);
  bool isOther = op.getStream() && !device->enterStreamFunction.empty();
  if (isOther)
    call(device->enterStreamFunction,
         {now.run, i32(static_cast<int32_t>(*op.getStream()))});
  call(device->recordEventFunction, {now.run, slot});
  if (isOther)
    call(device->leaveStreamFunction, now.run);
  setBuffer(op.getToken(), LLVM::LoadOp::create(b, ptrType, slot));
  return success();
}

LogicalResult HostLowering::lower(WaitEventOp op) {
  const DeviceInfo *device = getDevice(op, op.getEvent().getDevice());
  if (!device)
    return failure();
  if (!device->waitEventFunction.empty())
    call(device->waitEventFunction, {now.run, buffer(op.getToken())});
  return success();
}
