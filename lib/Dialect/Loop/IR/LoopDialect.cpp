//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The `loop` dialect: registration, attributes and enums.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Loop/IR/Loop.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace coil::loop;

#include "coil/Dialect/Loop/IR/LoopDialect.cpp.inc"
#include "coil/Dialect/Loop/IR/LoopEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "coil/Dialect/Loop/IR/LoopAttributes.cpp.inc"

void LoopDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "coil/Dialect/Loop/IR/LoopAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "coil/Dialect/Loop/IR/LoopOps.cpp.inc"
      >();
}

Type coil::loop::getScalarType(Type type) {
  if (auto i = dyn_cast<IntegerType>(type); i && !i.isSignless())
    return IntegerType::get(type.getContext(), i.getWidth());
  return type;
}

unsigned coil::loop::getNumArgs(SpecialFunction function) {
  switch (function) {
  case SpecialFunction::NextAfter:
  case SpecialFunction::IGamma:
  case SpecialFunction::IGammaC:
  case SpecialFunction::Zeta:
    return 2;
  default:
    return 1;
  }
}
