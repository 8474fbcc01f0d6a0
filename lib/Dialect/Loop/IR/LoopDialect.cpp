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

TypedAttr coil::loop::getNeutralElement(ReduceKind kind, Type type) {
  Builder b(type.getContext());
  if (auto f = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &sem = f.getFloatSemantics();
    switch (kind) {
    case ReduceKind::Prod:
      return b.getFloatAttr(type, 1.0);
    case ReduceKind::Max:
      return b.getFloatAttr(type, APFloat::getInf(sem, /*Negative=*/true));
    case ReduceKind::Min:
      return b.getFloatAttr(type, APFloat::getInf(sem));
    default:
      return b.getFloatAttr(type, 0.0);
    }
  }
  unsigned bits = type.getIntOrFloatBitWidth();
  switch (kind) {
  case ReduceKind::Prod:
    return b.getIntegerAttr(type, APInt(bits, 1));
  case ReduceKind::Max:
    return b.getIntegerAttr(type, APInt::getSignedMinValue(bits));
  case ReduceKind::Min:
    return b.getIntegerAttr(type, APInt::getSignedMaxValue(bits));
  case ReduceKind::UMin:
  case ReduceKind::And:
    return b.getIntegerAttr(type, APInt::getAllOnes(bits));
  default:
    return b.getIntegerAttr(type, APInt::getZero(bits));
  }
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
