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

#include "InPlaceRegion.h"
#include "coil/Dialect/Wrapper/Analysis/Lifetimes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"

namespace coil::wrapper {
#define GEN_PASS_DEF_WRAPPERHOISTDEVICEGUARDSPASS
#include "coil/Dialect/Wrapper/Transforms/Passes.h.inc"
} // namespace coil::wrapper

#define DEBUG_TYPE "wrapper-hoist-device-guards"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

namespace {

struct WrapperHoistDeviceGuards
    : coil::wrapper::impl::WrapperHoistDeviceGuardsPassBase<
          WrapperHoistDeviceGuards> {
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

void WrapperHoistDeviceGuards::run(FuncOp fn) {
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

  wrapInPlace(users.front(), block.getTerminator()->getPrevNode(),
              [&](OpBuilder &b, TypeRange types) -> Operation * {
                return DeviceScopeOp::create(b, fn.getLoc(), types,
                                             devices.front());
              });
  remark::passed(fn.getLoc(),
                 remark::RemarkOpts::name("Shared").category(DEBUG_TYPE))
      << remark::add("one guard of the device for {0} partitions", calls);
}

void WrapperHoistDeviceGuards::runOnOperation() {
  for (FuncOp fn : getOperation().getOps<FuncOp>())
    if (!fn.isExternal())
      run(fn);
}
