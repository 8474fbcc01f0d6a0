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
#include "mlir/IR/TypeUtilities.h"

#include <tuple>

using namespace mlir;
using namespace coil;
using namespace coil::loop;

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
        b, getNeutralElement(getReduction(scan.getKind()), type))};
  }
  auto scan = cast<ArgScanOp>(op);
  return {arith::ConstantOp::create(
              b, getNeutralElement(scan.getKind(), scan.getValue().getType())),
          constantIndex(0)};
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
      running = combineScan(b, scan.getKind(), running, v);
      out.push_back(widened ? arith::TruncFOp::create(b, type, running)
                            : running);
      continue;
    }
    auto scan = cast<ArgScanOp>(op);
    Value position = lookup(scan.getPosition(), copy);
    if (vectors)
      position = broadcast(position);
    Value &running = carried[2 * copy], &at = carried[2 * copy + 1];
    std::tie(running, at) =
        combineArgScan(b, scan.getKind(), running, at, v, position);
    out.push_back(running);
    where.push_back(at);
  }
  values[op->getResult(0)] = out;
  if (isa<ArgScanOp>(op))
    values[op->getResult(1)] = where;
}
