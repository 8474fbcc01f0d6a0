//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits partitions and guards of devices. A partition that is a function is
// called as any other, or given to its device, which may replay it: then it
// gets the address of the function, and what it has to know of the operands.
//
//===----------------------------------------------------------------------===//

#include "HostLowering.h"

#include "coil/Dialect/Wrapper/IR/Updated.h"
#include "coil/Runtime/HostABI.h"

#include <cstddef>

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

LogicalResult HostLowering::lowerInPlace(Operation *op) {
  Region &region = op->getRegion(0);
  if (failed(lowerBody(region)))
    return failure();
  auto yield = cast<YieldOp>(region.front().getTerminator());
  for (auto [result, v] : llvm::zip(op->getResults(), yield.getValues()))
    setBuffer(result, buffer(v));
  return success();
}

LogicalResult HostLowering::lower(PartitionOp op) { return lowerInPlace(op); }

LogicalResult HostLowering::lower(DeviceScopeOp op) {
  const DeviceInfo *device = getDevice(op, op.getDevice());
  if (!device)
    return failure();
  if (!device->enterFunction.empty()) {
    call(device->enterFunction, now.run);
    // All ways out of the function pass its end.
    now.leave = device->leaveFunction;
  }
  return lowerInPlace(op);
}

LogicalResult HostLowering::lower(ParamSymbolsOp op) {
  // The tensor behind those of the arguments shows them.
  Value list =
      load(now.inputs,
           static_cast<unsigned>(fn.getNumArguments() * sizeof(coil_tensor) +
                                 offsetof(coil_tensor, data)),
           ptrType);
  for (auto [i, name] :
       llvm::enumerate(op.getSymbols().getAsRange<StringAttr>()))
    setSymbol(name.getValue(),
              load(list, static_cast<unsigned>(i) * 8, i64Type));
  return success();
}

LogicalResult HostLowering::lower(PartitionCallOp op) {
  return lowerCall(op, op.getSymbolExprs());
}

std::string HostLowering::getEntryName(CallOpInterface op) {
  auto callee = cast<SymbolRefAttr>(op.getCallableForCallee());
  return ("coil_" + callee.getLeafReference().getValue()).str();
}

const DeviceInfo *HostLowering::getPartitionDevice(PartitionCallOp op) {
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  return types.empty()
             ? nullptr
             : getDevice(op, cast<BufferType>(types.front()).getDevice());
}

void HostLowering::callPartition(PartitionCallOp op, const DeviceInfo &device,
                                 Value inputs, Value outputs) {
  std::string name = getEntryName(op);
  if (!now.table->lookup<LLVM::LLVMFuncOp>(name))
    declareFunction(name, {ptrType, ptrType, ptrType});
  Value entry = LLVM::AddressOfOp::create(b, ptrType, name);
  // A letter for each operand and result: what becomes of its storage.
  std::string given, results;
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    given += op.isConsumed(i) ? 'c' : isUpdated(op, i) ? 'u' : 'k';
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    results += op.staysInPlace(i) ? 's' : 'g';
  call(device.partitionFunction,
       {now.run, string(op.getCallee()), entry, inputs, string(given),
        i32(static_cast<int32_t>(op.getSymbolExprs().size())), outputs,
        string(results)});
}
