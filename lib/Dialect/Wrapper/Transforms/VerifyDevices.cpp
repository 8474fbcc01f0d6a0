//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether steps find their buffers where they run: a kernel knows its device, a
// library works where its first buffer is. Ops that know one device by
// themselves (copies, calls) have verifiers that see this.
//
//===----------------------------------------------------------------------===//

#include "VerifyDevices.h"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

/// The first buffer that an op is given on another device.
static OpOperand *findElsewhere(Operation *op, DeviceAttr place) {
  for (OpOperand &operand : op->getOpOperands())
    if (auto type = dyn_cast<BufferType>(operand.get().getType());
        type && type.getDevice() != place)
      return &operand;
  return nullptr;
}

static LogicalResult verifyLaunch(Operation *op, FlatSymbolRefAttr callee,
                                  SymbolTableCollection &tables) {
  auto kernel = tables.lookupNearestSymbolFrom<KernelOp>(op, callee);
  DeviceAttr place = kernel.getDeviceAttr();
  if (!place)
    place = DeviceAttr::get(op->getContext(), "cpu", 0);
  OpOperand *elsewhere = findElsewhere(op, place);
  if (!elsewhere)
    return success();
  InFlightDiagnostic diag = op->emitOpError() // (C20)
                            << "runs the kernel '" << kernel.getName()
                            << "' of " << place << " on operand "
                            << elsewhere->getOperandNumber() << ", which is on "
                            << wrapper::getDevice(elsewhere->get().getType());
  diag.attachNote(kernel.getLoc()) << "kernel defined here";
  return diag;
}

/// A library has no device of its own.
static LogicalResult verifyLibraryCall(Operation *op) {
  DeviceAttr place = wrapper::getDevice(op->getOperand(0).getType());
  OpOperand *elsewhere = findElsewhere(op, place);
  if (!elsewhere)
    return success();
  return op->emitOpError() // (C21)
         << "computes on operand 0, which is on " << place
         << ", and on operand " << elsewhere->getOperandNumber()
         << ", which is on " << wrapper::getDevice(elsewhere->get().getType());
}

LogicalResult coil::wrapper::verifyDevices(FuncOp fn,
                                           SymbolTableCollection &tables) {
  WalkResult result = fn.walk([&](Operation *op) -> WalkResult {
    if (auto launch = dyn_cast<LaunchOp>(op))
      return verifyLaunch(op, launch.getCalleeAttr(), tables);
    if (auto launch = dyn_cast<LaunchUserOp>(op))
      return verifyLaunch(op, launch.getCalleeAttr(), tables);
    if (isa<ContractionOp, ConvolutionOp, AttentionOp, SortOp>(op))
      return verifyLibraryCall(op);
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
