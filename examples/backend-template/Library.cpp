//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function of a library that computes an operator: `--library=accelmath`.
//
//===----------------------------------------------------------------------===//

#include "Accel.h"

#include "coil/Conversion/GraphToLibrary/LibraryFunctions.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

/// The error function of f32 tensors, which takes its operand alone.
static std::optional<SmallVector<Attribute>> matchErf(Operation *op) {
  auto erf = dyn_cast<coil::graph::ErfOp>(op);
  if (!erf || !getElementTypeOrSelf(op->getResult(0).getType()).isF32())
    return std::nullopt;
  return SmallVector<Attribute>{UnitAttr::get(op->getContext())};
}

void accel::registerLibrary() {
  coil::LibraryFunction function;
  function.name = "accelmath::erf";
  function.variable = "ACCELMATH_LIBRARY";
  function.files = {"libaccelmath.so"};
  function.symbol = "accelmath_erf";
  function.match = matchErf;
  coil::registerLibraryFunction(function);
}
