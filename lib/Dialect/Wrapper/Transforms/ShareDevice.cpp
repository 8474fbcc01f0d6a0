//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Selects the device of all partitions of a function once.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Wrapper/Transforms/Passes.h"

#include "coil/Dialect/Wrapper/Analysis/Lifetimes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"

namespace coil::wrapper {
#define GEN_PASS_DEF_WRAPPERSHAREDEVICEPASS
#include "coil/Dialect/Wrapper/Transforms/Passes.h.inc"
} // namespace coil::wrapper

#define DEBUG_TYPE "wrapper-share-device"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

namespace {

struct WrapperShareDevice
    : coil::wrapper::impl::WrapperShareDevicePassBase<WrapperShareDevice> {
  void runOnOperation() override;
  void run(FuncOp fn);
};

} // namespace

/// The devices that an op works on and that have to be selected.
static void addDevices(Operation *op, llvm::SetVector<DeviceAttr> &devices) {
  auto *dialect = op->getContext()->getLoadedDialect<WrapperDialect>();
  op->walk([&](Operation *inner) {
    if (isa<InputSymbolOp, AssertLayoutOp, ReturnOp, YieldOp>(inner))
      return;
    for (Value v : llvm::concat<Value>(SmallVector<Value>(inner->getOperands()),
                                       SmallVector<Value>(inner->getResults())))
      if (isStorage(v)) {
        DeviceAttr device = wrapper::getDevice(v.getType());
        const DeviceInfo *info = dialect->lookupDevice(device.getKind());
        if (info && !info->enterFunction.empty())
          devices.insert(device);
      }
  });
}

void WrapperShareDevice::run(FuncOp fn) {
  Block &block = fn.getBody().front();
  unsigned calls = 0;
  bool isScoped = false;
  fn.walk([&](Operation *op) {
    calls += isa<PartitionCallOp>(op);
    isScoped |= isa<DeviceScopeOp>(op);
  });
  llvm::SetVector<DeviceAttr> devices;
  SmallVector<Operation *> users;
  for (Operation &op : block.without_terminator()) {
    llvm::SetVector<DeviceAttr> here;
    addDevices(&op, here);
    if (!here.empty())
      users.push_back(&op);
    devices.insert_range(here);
  }
  if (calls == 0 || isScoped || devices.empty())
    return;
  auto refuse = [&](StringRef reason) {
    remark::missed(fn.getLoc(),
                   remark::RemarkOpts::name("NotShared").category(DEBUG_TYPE))
        << remark::add("the device is selected by each step: {0}", reason);
  };
  if (devices.size() > 1)
    return refuse("there are several");
  if (users.size() == 1 && isa<PartitionCallOp>(users.front()))
    return refuse("there is one partition and nothing else");

  Operation *end = block.getTerminator();
  SmallVector<Operation *> inside;
  for (Operation *op = users.front(); op != end; op = op->getNextNode())
    inside.push_back(op);
  llvm::SetVector<Value> yielded;
  for (Operation *op : inside)
    for (Value v : op->getResults())
      if (llvm::is_contained(v.getUsers(), end))
        yielded.insert(v);
  // The region owns what it makes: a view of it is made again behind.
  SmallVector<ReinterpretOp> views;
  for (Value v : yielded.takeVector()) {
    for (; v.getDefiningOp<ReinterpretOp>();
         v = v.getDefiningOp<ReinterpretOp>().getSource())
      views.push_back(v.getDefiningOp<ReinterpretOp>());
    if (v.getDefiningOp() && llvm::is_contained(inside, v.getDefiningOp()))
      yielded.insert(v);
  }

  OpBuilder b(end);
  SmallVector<Type> types;
  for (Value v : yielded)
    types.push_back(v.getType());
  auto scope = DeviceScopeOp::create(b, fn.getLoc(), types, devices.front());
  Block &body = scope.getBody().emplaceBlock();
  for (Operation *op : inside)
    op->moveBefore(&body, body.end());
  b.setInsertionPointToEnd(&body);
  YieldOp::create(b, end->getLoc(), yielded.getArrayRef());
  b.setInsertionPoint(end);
  std::function<Value(Value)> remake = [&](Value v) -> Value {
    auto *it = llvm::find(yielded, v);
    if (it != yielded.end())
      return scope.getResult(static_cast<unsigned>(it - yielded.begin()));
    auto view = v.getDefiningOp<ReinterpretOp>();
    if (!view || !scope->isProperAncestor(view))
      return v;
    Value source = remake(view.getSource());
    return ReinterpretOp::create(b, view.getLoc(), view.getType(), source,
                                 view.getOffset());
  };
  for (OpOperand &operand : end->getOpOperands())
    operand.set(remake(operand.get()));
  remark::passed(fn.getLoc(),
                 remark::RemarkOpts::name("Shared").category(DEBUG_TYPE))
      << remark::add("one guard of the device for {0} partitions", calls);
}

void WrapperShareDevice::runOnOperation() {
  for (FuncOp fn : getOperation().getOps<FuncOp>())
    if (!fn.isExternal())
      run(fn);
}
