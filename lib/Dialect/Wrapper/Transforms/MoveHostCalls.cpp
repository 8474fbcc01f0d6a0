//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lets functions of the host work on copies of a device's buffers.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Wrapper/Transforms/Passes.h"

#include "coil/Dialect/Sym/IR/Expr.h"
#include "coil/Dialect/Wrapper/Analysis/Provenance.h"
#include "coil/Dialect/Wrapper/IR/Transfer.h"
#include "coil/Runtime/Functions.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"

namespace coil::wrapper {
#define GEN_PASS_DEF_WRAPPERMOVEHOSTCALLSPASS
#include "coil/Dialect/Wrapper/Transforms/Passes.h.inc"
} // namespace coil::wrapper

#define DEBUG_TYPE "wrapper-move-host-calls"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

namespace {

struct WrapperMoveHostCalls
    : coil::wrapper::impl::WrapperMoveHostCallsPassBase<WrapperMoveHostCalls> {
  using WrapperMoveHostCallsPassBase::WrapperMoveHostCallsPassBase;
  void runOnOperation() override;

private:
  bool isChosen(HostCallOpInterface call);
  LogicalResult move(HostCallOpInterface call);
};

} // namespace

bool WrapperMoveHostCalls::isChosen(HostCallOpInterface call) {
  DeviceAttr device = call.getCallDevice();
  auto *dialect = call.getContext()->getLoadedDialect<WrapperDialect>();
  const DeviceInfo *info = dialect->lookupDevice(device.getKind());
  if (!info || info->hostAccessible)
    return false;
  if (functions == "all")
    return coil_find_function(call.getFunctionName().c_str(), info->runtimeType,
                              nullptr) != COIL_OK;
  return llvm::is_contained(llvm::split(functions.getValue(), '+'),
                            call.getFunctionName());
}

/// The type of a copy on the host, row by row.
static BufferType getHostType(BufferType type) {
  return BufferType::get(type.getTensorType(), {},
                         DeviceAttr::get(type.getContext(), "cpu", 0));
}

LogicalResult WrapperMoveHostCalls::move(HostCallOpInterface call) {
  Location loc = call.getLoc();
  OpBuilder b(call), behind(call.getContext());
  behind.setInsertionPointAfter(call);
  OperandRange outputs = call.getCallOutputs();
  auto isOutput = [&](OpOperand &operand) {
    return !outputs.empty() &&
           operand.getOperandNumber() >= outputs.getBeginOperandIndex() &&
           operand.getOperandNumber() <
               outputs.getBeginOperandIndex() + outputs.size();
  };
  SmallVector<Value> given(call->getOperands());
  // (C1)
  for (OpOperand &operand : call->getOpOperands()) {
    auto type = dyn_cast<BufferType>(operand.get().getType());
    if (!type || !(isOutput(operand) || call.mayWrite(operand)))
      continue;
    if (!type.isContiguous())
      return call->emitOpError()
             << "operand " << operand.getOperandNumber()
             << " is written and not contiguous, so '" << call.getFunctionName()
             << "' cannot run on the host";
    for (auto [i, other] : llvm::enumerate(given))
      if (i != operand.getOperandNumber() && isa<BufferType>(other.getType()) &&
          getStorage(other) == getStorage(operand.get()))
        return call->emitOpError()
               << "operand " << operand.getOperandNumber()
               << " is written and shares storage with operand " << i
               << ", so '" << call.getFunctionName()
               << "' cannot run on the host";
  }
  ExprAttr zero = sym::constant(call.getContext(), 0), there = zero,
           back = zero;
  llvm::DenseMap<Value, Value> copies;
  for (OpOperand &operand : call->getOpOperands()) {
    Value value = operand.get();
    auto type = dyn_cast<BufferType>(value.getType());
    if (!type)
      continue;
    Value &copy = copies[value];
    if (!copy) {
      copy = AllocOp::create(b, loc, getHostType(type));
      if (!isOutput(operand)) {
        TransferOp::create(b, loc, value, copy);
        there = sym::add(there, getHostType(type).getStorageBytes());
      }
    }
    operand.set(copy);
    if (isOutput(operand) || call.mayWrite(operand)) {
      TransferOp::create(behind, loc, copy, value);
      back = sym::add(back, type.getStorageBytes());
    }
  }
  for (OpResult result : call->getResults()) {
    auto type = cast<BufferType>(result.getType());
    result.setType(getHostType(type));
    // The symbols of its sizes are bound behind the call.
    Operation *last = call;
    for (OpResult other : call->getResults())
      for (Operation *user : other.getUsers())
        if (isa<BindSymbolOp, AssertLayoutOp>(user) &&
            user->getBlock() == call->getBlock() && last->isBeforeInBlock(user))
          last = user;
    behind.setInsertionPointAfter(last);
    Value moved = AllocOp::create(
        behind, loc,
        BufferType::get(type.getTensorType(), {}, type.getDevice()));
    auto transfer = TransferOp::create(behind, loc, result, moved);
    result.replaceUsesWithIf(moved, [&](OpOperand &use) {
      return !isa<BindSymbolOp, AssertLayoutOp>(use.getOwner()) &&
             use.getOwner() != transfer;
    });
    back = sym::add(back, getHostType(type).getStorageBytes());
  }
  std::string origin = findOrigin(loc);
  emitWarning(loc) << "the function '" << call.getFunctionName() << "'"
                   << (origin.empty() ? "" : " (" + origin + ")")
                   << " runs on the host: each call copies '" << there.str()
                   << "' bytes to it and '" << back.str()
                   << "' back, and waits for the device";
  remark::analysis(
      loc, remark::RemarkOpts::name("HostFallback").category(DEBUG_TYPE))
      << remark::add("'{0}' runs on the host: {1} bytes to it, {2} back",
                     call.getFunctionName(), there.str(), back.str());
  return success();
}

void WrapperMoveHostCalls::runOnOperation() {
  if (functions.empty())
    return;
  SmallVector<HostCallOpInterface> calls;
  getOperation()->walk([&](HostCallOpInterface call) {
    if (isChosen(call))
      calls.push_back(call);
  });
  for (HostCallOpInterface call : calls) {
    if (call->getParentOfType<FuncOp>()->hasAttr(kMemoryAttrName)) { // (C2)
      call->emitOpError("is part of a function whose memory is planned");
      return signalPassFailure();
    }
    if (failed(move(call)))
      return signalPassFailure();
  }
}
