//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect `accel`: an elementwise operator is its scalar body.
//
//===----------------------------------------------------------------------===//

#include "Accel.h"

#include "coil/Dialect/Graph/IR/ScalarBuilder.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

#include "AccelDialect.cpp.inc"

#define GET_OP_CLASSES
#include "AccelOps.cpp.inc"

void accel::AccelDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "AccelOps.cpp.inc"
      >();
}

Value accel::SiluOp::buildScalar(OpBuilder &builder, Location loc,
                                 ValueRange args) {
  coil::graph::ScalarBuilder s(builder, loc, getOperation()->getOperandTypes());
  Value x = args[0];
  return s.div(x, s.add(s.one(), s.unary<math::ExpOp>(s.neg(x))));
}
