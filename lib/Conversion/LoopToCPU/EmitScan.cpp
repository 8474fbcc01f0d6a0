//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scans of a CPU kernel: a loop over the scanned dimensions carries the running
// combination, in one copy for each vector along a parallel dimension.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "coil/Conversion/Utils/Combine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;

/// The reduction whose partial results a scan gives. `logaddexp` starts where
/// a maximum does.
static ReduceKind reductionOf(ScanKind kind) {
  switch (kind) {
  case ScanKind::Sum:
    return ReduceKind::Sum;
  case ScanKind::Prod:
    return ReduceKind::Prod;
  case ScanKind::Max:
  case ScanKind::LogAddExp:
    return ReduceKind::Max;
  case ScanKind::Min:
    return ReduceKind::Min;
  case ScanKind::UMax:
    return ReduceKind::UMax;
  case ScanKind::UMin:
    return ReduceKind::UMin;
  }
  llvm_unreachable("all kinds are handled");
}

/// A long running sum or product in `f32` would lose digits at every step; the
/// framework keeps it in `f64`, too.
static bool isWidened(ScanOp scan) {
  return scan.getType().isF32() &&
         (scan.getKind() == ScanKind::Sum || scan.getKind() == ScanKind::Prod ||
          scan.getKind() == ScanKind::LogAddExp);
}

static Type withElement(Type type, Type element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return VectorType::get(vector.getShape(), element);
  return element;
}

SmallVector<Value> KernelEmitter::startScan(Operation *op) {
  if (auto scan = dyn_cast<ScanOp>(op)) {
    Type type = isWidened(scan) ? b.getF64Type() : scan.getType();
    return {arith::ConstantOp::create(
        b, getNeutralElement(reductionOf(scan.getKind()), type))};
  }
  auto scan = cast<ArgScanOp>(op);
  return {arith::ConstantOp::create(
              b, getNeutralElement(scan.getKind(), scan.getValue().getType())),
          constantIndex(0)};
}

Value KernelEmitter::logAddExp(Value x, Value y) {
  // The larger plus log1p(exp(smaller - larger)). Equal infinities would give
  // NaN, and are their own result; so is a NaN, by the maximum.
  Value larger = arith::MaximumFOp::create(b, x, y);
  Value smaller = arith::MinimumFOp::create(b, x, y);
  Value difference = arith::SubFOp::create(b, smaller, larger);
  Value sum = arith::AddFOp::create(
      b, larger, math::Log1pOp::create(b, math::ExpOp::create(b, difference)));
  Value same =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, smaller, larger);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(x.getType()));
  Value defined =
      arith::CmpFOp::create(b, arith::CmpFPredicate::ORD, difference, zero);
  Value one = arith::ConstantOp::create(b, b.getOneAttr(defined.getType()));
  Value undefined = arith::XOrIOp::create(b, defined, one);
  Value infinite = arith::AndIOp::create(b, same, undefined);
  return arith::SelectOp::create(b, infinite, larger, sum);
}

void KernelEmitter::stepScan(Operation *op, MutableArrayRef<Value> carried) {
  b.setLoc(op->getLoc());
  bool vectors = variesOverVector(op->getResult(0));
  Copies out, where;
  for (unsigned copy = 0, n = vectors ? copies : 1; copy < n; ++copy) {
    Value v = lookup(op->getOperand(0), copy);
    if (vectors)
      v = broadcast(v);
    if (auto scan = dyn_cast<ScanOp>(op)) {
      Value &running = carried[copy];
      bool widened = isWidened(scan);
      Type type = v.getType();
      if (widened)
        v = arith::ExtFOp::create(b, withElement(type, b.getF64Type()), v);
      running = scan.getKind() == ScanKind::LogAddExp
                    ? logAddExp(running, v)
                    : combine(b, reductionOf(scan.getKind()), running, v);
      out.push_back(widened ? arith::TruncFOp::create(b, type, running)
                            : running);
      continue;
    }
    auto scan = cast<ArgScanOp>(op);
    Value position = lookup(scan.getPosition(), copy);
    if (vectors)
      position = broadcast(position);
    Value &running = carried[2 * copy], &at = carried[2 * copy + 1];
    // The later of equals, and the latest NaN.
    Value take;
    ReduceKind kind = scan.getKind();
    if (isa<FloatType>(getElementTypeOrSelf(v.getType()))) {
      take = arith::CmpFOp::create(b,
                                   kind == ReduceKind::Max
                                       ? arith::CmpFPredicate::OGE
                                       : arith::CmpFPredicate::OLE,
                                   v, running);
      Value isNan = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, v, v);
      take = arith::OrIOp::create(b, take, isNan);
    } else {
      arith::CmpIPredicate predicate =
          kind == ReduceKind::Max    ? arith::CmpIPredicate::sge
          : kind == ReduceKind::Min  ? arith::CmpIPredicate::sle
          : kind == ReduceKind::UMax ? arith::CmpIPredicate::uge
                                     : arith::CmpIPredicate::ule;
      take = arith::CmpIOp::create(b, predicate, v, running);
    }
    running = arith::SelectOp::create(b, take, v, running);
    at = arith::SelectOp::create(b, take, position, at);
    out.push_back(running);
    where.push_back(at);
  }
  values[op->getResult(0)] = out;
  if (isa<ArgScanOp>(op))
    values[op->getResult(1)] = where;
}
