//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scans of a CPU kernel: a loop over the scanned dimensions carries the running
// combination. Along a parallel dimension, that of each vector is one of its
// own. Along the scanned dimension, the lanes of a vector are combined among
// themselves, in as many steps as their number has bits, and what is carried,
// the same in all lanes, is combined with them: from one vector to the next
// there is one operation to wait for.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "coil/Conversion/Utils/Combine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

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

/// A vector whose lane `i` is lane `i - distance` of `v`, and that of `start`
/// where there is none.
static Value shiftLanes(ImplicitLocOpBuilder &b, Value v, Value start,
                        int64_t distance) {
  SmallVector<int64_t> lanes;
  int64_t width = cast<VectorType>(v.getType()).getNumElements();
  for (int64_t i = 0; i < width; ++i)
    lanes.push_back(i < distance ? i : width + i - distance);
  return vector::ShuffleOp::create(b, start, v, lanes);
}

/// The last lane of `v` in all lanes.
static Value broadcastLast(ImplicitLocOpBuilder &b, Value v) {
  int64_t width = cast<VectorType>(v.getType()).getNumElements();
  return vector::ShuffleOp::create(b, v, v,
                                   SmallVector<int64_t>(width, width - 1));
}

void KernelEmitter::stepScan(Operation *op, MutableArrayRef<Value> carried) {
  b.setLoc(op->getLoc());
  bool vectors = variesOverVector(op->getResult(0));
  auto scan = dyn_cast<ScanOp>(op);
  auto argScan = dyn_cast<ArgScanOp>(op);
  bool widened = scan && isWidened(scan);
  // What is carried, in parts: the value, and for positions these.
  using Parts = SmallVector<Value, 2>;
  auto combineParts = [&](const Parts &x, const Parts &y) -> Parts {
    if (scan)
      return {combineScan(b, scan.getKind(), x[0], y[0])};
    auto [value, position] =
        combineArgScan(b, argScan.getKind(), x[0], x[1], y[0], y[1]);
    return {value, position};
  };
  unsigned per = argScan ? 2 : 1;
  Parts start;
  if (vectorIsReduced)
    for (Value v : startScan(op))
      start.push_back(broadcast(v));
  Copies out, where;
  for (unsigned copy = 0, n = vectors ? copies : 1; copy < n; ++copy) {
    Parts current;
    for (unsigned i = 0; i < per; ++i) {
      Value v = lookup(op->getOperand(i), copy);
      if (vectors)
        v = broadcast(v);
      if (widened)
        v = arith::ExtFOp::create(b, withElement(v.getType(), b.getF64Type()),
                                  v);
      // Lanes beyond the row leave what is carried on as it is.
      if (Value mask = vectorIsReduced ? tailMask(copy) : Value())
        v = arith::SelectOp::create(b, mask, v, start[i]);
      current.push_back(v);
    }
    MutableArrayRef<Value> running =
        carried.slice(vectorIsReduced ? 0 : per * copy, per);
    Parts before(running.begin(), running.end()), results;
    if (vectorIsReduced) {
      for (int64_t distance = 1; distance < width; distance *= 2) {
        Parts earlier;
        for (auto [v, first] : llvm::zip_equal(current, start))
          earlier.push_back(shiftLanes(b, v, first, distance));
        current = combineParts(earlier, current);
      }
      results = combineParts(before, current);
      Parts last;
      for (Value v : current)
        last.push_back(broadcastLast(b, v));
      llvm::copy(combineParts(before, last), running.begin());
    } else {
      results = combineParts(before, current);
      llvm::copy(results, running.begin());
    }
    if (widened)
      results[0] = arith::TruncFOp::create(
          b, withElement(results[0].getType(), scan.getType()), results[0]);
    out.push_back(results[0]);
    if (argScan)
      where.push_back(results[1]);
  }
  values[op->getResult(0)] = out;
  if (argScan)
    values[op->getResult(1)] = where;
}
