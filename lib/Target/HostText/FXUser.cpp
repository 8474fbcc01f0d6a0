//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches of user-defined kernels as nodes: buffers and numbers are operands
// of the node, everything else is bound to the kernel before.
//
//===----------------------------------------------------------------------===//

#include "FXEmitter.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

LogicalResult FXEmitter::emit(LaunchUserOp op) {
  auto kernel = table.lookup<KernelOp>(op.getCallee());
  auto grid = table.lookup<GridOp>(op.getGrid());
  if (failed(checkPlace(op, kernel)))
    return failure();
  SmallVector<std::string> places, buffers;
  SmallVector<ExprAttr> numbers(op.resolveGrid(grid).getDims());
  for (const LaunchUserOp::Passed &each : op.getPassed(kernel)) {
    if (each.map) {
      // A node cannot hold a map, so the launch makes it of the buffer.
      auto how = describeMap(each.map.getDefiningOp<TMADescriptorOp>());
      if (failed(how))
        return failure();
      places.push_back("host.TensorMapOf(" + *how + ")");
      buffers.push_back(name(each.operand));
    } else if (each.isNull()) {
      places.push_back("None");
    } else if (each.operand) {
      places.push_back(each.parameter.isBuffer() ? "\"buffer\"" : "\"scalar\"");
      buffers.push_back(name(each.operand));
    } else if (auto number = dyn_cast<FloatAttr>(each.argument)) {
      places.push_back(printFloatLiteral(number.getValueAsDouble()));
    } else {
      places.push_back("\"number\"");
      numbers.push_back(cast<ExprAttr>(each.argument));
    }
  }
  // Sizes become nodes in front of this one.
  std::string operands = tuple(numbers);
  out.line(graph + ".launch(host.bind_arguments(" + global(op.getCallee()) +
           ", " + tuple(places) + "), " + tuple(buffers) + ", " + operands +
           ")");
  return success();
}

/// Launches make what they pass.
LogicalResult FXEmitter::emit(TMADescriptorOp) { return success(); }
