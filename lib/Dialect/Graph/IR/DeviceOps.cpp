//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Devices of tensors.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Graph/IR/Device.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;

#define GET_OP_CLASSES
#include "coil/Dialect/Graph/IR/GraphDeviceOps.cpp.inc"

LogicalResult ToDeviceOp::verify() {
  if (static_cast<int64_t>(getIndex()) < 0) // (C1)
    return emitOpError() << "expected a device that is not before the "
                            "first, but got "
                         << static_cast<int64_t>(getIndex());
  return success();
}
