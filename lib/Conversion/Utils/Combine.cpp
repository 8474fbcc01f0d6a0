//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One step of a reduction.
//
//===----------------------------------------------------------------------===//

#include "coil/Conversion/Utils/Combine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;

Value coil::combine(ImplicitLocOpBuilder &b, ReduceKind kind, Value x,
                    Value y) {
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(x.getType()));
  switch (kind) {
  case ReduceKind::Sum:
    return isFloat ? arith::AddFOp::create(b, x, y).getResult()
                   : arith::AddIOp::create(b, x, y).getResult();
  case ReduceKind::Prod:
    return isFloat ? arith::MulFOp::create(b, x, y).getResult()
                   : arith::MulIOp::create(b, x, y).getResult();
  case ReduceKind::Max:
    return isFloat ? arith::MaximumFOp::create(b, x, y).getResult()
                   : arith::MaxSIOp::create(b, x, y).getResult();
  case ReduceKind::Min:
    return isFloat ? arith::MinimumFOp::create(b, x, y).getResult()
                   : arith::MinSIOp::create(b, x, y).getResult();
  case ReduceKind::UMax:
    return arith::MaxUIOp::create(b, x, y);
  case ReduceKind::UMin:
    return arith::MinUIOp::create(b, x, y);
  case ReduceKind::Or:
    return arith::OrIOp::create(b, x, y);
  case ReduceKind::And:
    return arith::AndIOp::create(b, x, y);
  case ReduceKind::Xor:
    return arith::XOrIOp::create(b, x, y);
  }
  llvm_unreachable("all kinds are handled");
}

std::pair<Value, Value> coil::combineArg(ImplicitLocOpBuilder &b,
                                         ReduceKind kind, Value a, Value ai,
                                         Value c, Value ci) {
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(a.getType()));
  bool isMax = kind == ReduceKind::Max || kind == ReduceKind::UMax;
  bool isUnsigned = kind == ReduceKind::UMax || kind == ReduceKind::UMin;
  // `c` wins when it is better, or as good and earlier.
  Value better, equal;
  if (isFloat) {
    better = arith::CmpFOp::create(
        b, isMax ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT, c, a);
    equal = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, c, a);
    Value nanA = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, a, a);
    Value nanC = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, c, c);
    // A NaN beats a number and ties with a NaN.
    Value both = arith::AndIOp::create(b, nanA, nanC);
    Value onlyC =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, nanC, nanA);
    better = arith::OrIOp::create(b, better, onlyC);
    equal = arith::OrIOp::create(b, equal, both);
  } else {
    better = arith::CmpIOp::create(
        b,
        isUnsigned
            ? (isMax ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::ult)
            : (isMax ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::slt),
        c, a);
    equal = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, c, a);
  }
  Value earlier = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, ci, ai);
  Value tie = arith::AndIOp::create(b, equal, earlier);
  Value take = arith::OrIOp::create(b, better, tie);
  return {arith::SelectOp::create(b, take, c, a),
          arith::SelectOp::create(b, take, ci, ai)};
}
