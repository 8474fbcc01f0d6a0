//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The `graph` dialect: registration and constants.
//
//===----------------------------------------------------------------------===//

#include "ElementwiseTypes.h"
#include "coil/Dialect/Graph/IR/Device.h"
#include "coil/Dialect/Graph/IR/Random.h"
#include "coil/Dialect/Graph/IR/Segment.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;

#include "coil/Dialect/Graph/IR/GraphDialect.cpp.inc"
#include "coil/Dialect/Graph/IR/GraphEnums.cpp.inc"
#include "coil/Dialect/Graph/IR/GraphInterfaces.cpp.inc"

void GraphDialect::initialize() {
  registerGraphDialectOperations(this);
  addOperations<ToDeviceOp, RandomOp, SegmentReduceOp>();
  attachTypeInference(getContext());
}

Operation *GraphDialect::materializeConstant(OpBuilder &builder,
                                             Attribute value, Type type,
                                             Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, elements);
}
