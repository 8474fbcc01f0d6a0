//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits what reaches the run around the program: inputs that are let go,
// ranges, objects.
//
//===----------------------------------------------------------------------===//

#include "HostLowering.h"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

LogicalResult HostLowering::lower(DropOp op) {
  if (isa<ObjectType>(op.getSource().getType())) {
    call("coil_rt_drop_object", {now.run, buffer(op.getSource())});
    return success();
  }
  BlockArgument arg = getCallersArgument(op.getSource()); // (C1)
  call("coil_rt_drop_input",
       {now.run, i32(static_cast<int32_t>(arg.getArgNumber()))});
  return success();
}

/// A range that a failure leaves open ends with the run.
LogicalResult HostLowering::lower(ProfileRangeOp op) {
  call("coil_rt_begin_range", {now.run, string(op.getName())});
  if (failed(lowerInPlace(op)))
    return failure();
  b.setLoc(op.getLoc());
  call("coil_rt_end_range", now.run);
  return success();
}

LogicalResult HostLowering::lower(BoundObjectOp op) {
  auto type = cast<ObjectType>(op.getType());
  Value slot = scratch(0, 1);
  call("coil_rt_bound_object",
       {now.run, string(op.getName()), string(type.getClassName()), slot});
  setBuffer(op, LLVM::LoadOp::create(b, ptrType, slot));
  return success();
}

LogicalResult HostLowering::lower(ResizeStorageOp op) {
  BlockArgument arg = getCallersArgument(op.getSource());
  if (!arg)
    return op.emitOpError("works on storage of the function: "
                          "'wrapper-expand-resizes' allocates it anew");
  Value slot = scratch(0, 1);
  call("coil_rt_resize_input",
       {now.run, i32(static_cast<int32_t>(arg.getArgNumber())),
        string(inputName(arg)),
        value(cast<BufferType>(op.getType()).getStorageBytes()), slot});
  setBuffer(op, LLVM::LoadOp::create(b, ptrType, slot));
  return success();
}

LogicalResult HostLowering::lower(SetStorageOp op) {
  auto number = [](Value v) { // (C1)
    return static_cast<int32_t>(cast<BlockArgument>(v).getArgNumber());
  };
  call("coil_rt_set_input",
       {now.run, i32(number(op.getTarget())), string(inputName(op.getTarget())),
        i32(number(op.getSource()))});
  return success();
}
