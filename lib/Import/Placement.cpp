//===----------------------------------------------------------------------===//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Programs whose tensors are on several GPUs. The exported program says of each
// tensor where it is; here operands get to where the results of their op are.
// Devices are counted from the lowest one: who runs the program says which that
// is. What is on the host is computed on a GPU, on that of its operands.
//
//===----------------------------------------------------------------------===//

#include "ModuleBuilder.h"
#include "coil/Dialect/Graph/IR/Device.h"

using namespace llvm;
using namespace mlir;
using namespace coil;
using namespace coil::import;

/// The number of the GPU that a tensor is on, if it is on one.
static std::optional<int64_t> getNumber(const TensorMeta &meta) {
  if (meta.device.type == "cpu" || meta.device.type == "meta")
    return std::nullopt;
  return meta.device.index.value_or(0);
}

void ModuleBuilder::findDevices() {
  for (const auto &entry : program.tensors)
    if (std::optional<int64_t> number = getNumber(entry.second))
      firstDevice = std::min(firstDevice.value_or(*number), *number);
  for (const auto &entry : program.tensors)
    if (std::optional<int64_t> number = getNumber(entry.second))
      isOnSeveral |= *number != *firstDevice;
}

std::optional<int64_t> ModuleBuilder::getPlace(const TensorMeta &meta) {
  std::optional<int64_t> number = getNumber(meta);
  return number ? std::optional(*number - firstDevice.value_or(0))
                : std::nullopt;
}

void ModuleBuilder::notePlace(StringRef name, Value value) {
  if (!isOnSeveral || !value)
    return;
  auto it = graph->tensors.find(name);
  if (it == graph->tensors.end())
    return;
  if (std::optional<int64_t> place = getPlace(it->second))
    places[value] = *place;
}

void ModuleBuilder::placeOperands(func::FuncOp func) {
  if (!isOnSeveral)
    return;
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == func || isa<func::ReturnOp>(op))
      return;
    auto getOperandPlace = [&](unsigned i) -> std::optional<int64_t> {
      Operation *parent = op->getParentOp();
      if (isa<graph::YieldOp>(op) && i < parent->getNumResults())
        return places.lookup(parent->getResult(i));
      // What a loop carries is where its results are.
      if (isa<graph::WhileOp>(op))
        return places.lookup(op->getResult(i));
      if (isa<graph::IfOp, graph::ConditionOp, graph::ItemOp>(op))
        return std::nullopt;
      for (Value v : op->getResults())
        if (auto it = places.find(v); it != places.end())
          return it->second;
      for (Value v : op->getOperands())
        if (auto it = places.find(v); it != places.end())
          return it->second;
      return std::nullopt;
    };
    for (OpOperand &operand : op->getOpOperands()) {
      std::optional<int64_t> place =
          getOperandPlace(operand.getOperandNumber());
      if (!place || places.lookup(operand.get()) == *place)
        continue;
      builder.setInsertionPoint(op);
      auto move = graph::ToDeviceOp::create(
          builder, op->getLoc(), operand.get().getType(), operand.get(),
          builder.getI64IntegerAttr(*place));
      places[move.getResult()] = *place;
      operand.set(move.getResult());
    }
    // The host's tensors are where they are computed.
    std::optional<int64_t> here =
        op->getNumOperands() ? getOperandPlace(0) : std::nullopt;
    for (Value v : op->getResults())
      if (here)
        places.try_emplace(v, *here);
    for (Region &region : op->getRegions())
      for (BlockArgument arg : region.getArguments())
        if (arg.getArgNumber() < op->getNumResults())
          places[arg] = places.lookup(op->getResult(arg.getArgNumber()));
  });
}
