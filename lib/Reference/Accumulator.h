//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What reductions, scans and scatters of a loop kernel combine values with.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_REFERENCE_ACCUMULATOR_H
#define COIL_LIB_REFERENCE_ACCUMULATOR_H

#include "ScalarFunctions.h"
#include "coil/Dialect/Loop/IR/Loop.h"
#include "coil/Reference/Tensor.h"

#include <algorithm>
#include <cmath>

namespace coil::reference {

/// Accumulates a reduction. Float sums and products are kept in double and
/// rounded once.
class Accumulator {
public:
  Accumulator(loop::ReduceKind kind, DType dtype)
      : kind(kind), dtype(dtype), isFloat(reference::isFloat(dtype)) {}

  void start() {
    count = 0;
    position = INT64_MAX;
    switch (kind) {
    case loop::ReduceKind::Sum:
    case loop::ReduceKind::Or:
    case loop::ReduceKind::Xor:
    case loop::ReduceKind::UMax:
      set(0, 0);
      break;
    case loop::ReduceKind::Prod:
      set(1, 1);
      break;
    case loop::ReduceKind::Max:
      set(-HUGE_VAL, least());
      break;
    case loop::ReduceKind::Min:
      set(HUGE_VAL, wrapTo(dtype, ~least()));
      break;
    case loop::ReduceKind::And:
    case loop::ReduceKind::UMin:
      set(0, wrapTo(dtype, -1));
      break;
    }
  }

  void add(Scalar x) {
    if (isFloat)
      value.f = combineFloat(value.f, x.f);
    else
      value.i = combineInt(value.i, x.i);
  }

  /// Keeps the extremum and its smallest position.
  void add(Scalar x, int64_t at) {
    if (count++ == 0) {
      value = x;
      position = at;
      return;
    }
    bool same = isFloat
                    ? x.f == value.f || (std::isnan(x.f) && std::isnan(value.f))
                    : x.i == value.i;
    if (same) {
      position = std::min(position, at);
      return;
    }
    Scalar old = value;
    add(x);
    bool changed = isFloat ? !(value.f == old.f ||
                               (std::isnan(value.f) && std::isnan(old.f)))
                           : value.i != old.i;
    if (changed)
      position = at;
  }

  /// `x` and `y` combined.
  Scalar combine(Scalar x, Scalar y) {
    value = x;
    add(y);
    return finish();
  }

  Scalar finish() const {
    return isFloat ? makeFloat(roundTo(dtype, value.f))
                   : makeInt(wrapTo(dtype, value.i));
  }
  bool empty() const { return count == 0; }
  int64_t getPosition() const { return position; }

private:
  void set(double f, int64_t i) { value = isFloat ? makeFloat(f) : makeInt(i); }
  /// The least signed value: of i1 it is the one whose bit is set.
  int64_t least() const {
    unsigned width = getBitWidth(dtype);
    return width == 1 ? 1 : wrapTo(dtype, int64_t(uint64_t(1) << (width - 1)));
  }
  double combineFloat(double a, double b) const {
    switch (kind) {
    case loop::ReduceKind::Sum:
      return a + b;
    case loop::ReduceKind::Prod:
      return a * b;
    case loop::ReduceKind::Max:
      return std::isnan(a) || a > b ? a : b;
    default:
      return std::isnan(a) || a < b ? a : b;
    }
  }
  int64_t combineInt(int64_t a, int64_t b) const {
    // Canonical values order as their bits do when seen as unsigned, and as
    // signed numbers but for i1.
    bool isBool = dtype == DType::Bool;
    uint64_t ua = a, ub = b;
    switch (kind) {
    case loop::ReduceKind::Sum:
      return static_cast<int64_t>(ua + ub);
    case loop::ReduceKind::Prod:
      return static_cast<int64_t>(ua * ub);
    case loop::ReduceKind::Max:
      return isBool ? std::min(a, b) : std::max(a, b);
    case loop::ReduceKind::Min:
      return isBool ? std::max(a, b) : std::min(a, b);
    case loop::ReduceKind::UMax:
      return ua > ub ? a : b;
    case loop::ReduceKind::UMin:
      return ua < ub ? a : b;
    case loop::ReduceKind::Or:
      return a | b;
    case loop::ReduceKind::And:
      return a & b;
    case loop::ReduceKind::Xor:
      return a ^ b;
    }
    llvm_unreachable("unknown kind");
  }

  loop::ReduceKind kind;
  DType dtype;
  bool isFloat;
  Scalar value = makeInt(0);
  int64_t position = 0, count = 0;
};

/// Mean, sum of squared deviations and number of values, in double.
class MomentsAccumulator {
public:
  void start() { mean = m2 = count = 0; }

  /// Merges `number` values with a mean and a sum of squared deviations.
  void add(double theirMean, double theirM2, double number) {
    if (number == 0)
      return;
    double all = count + number, shift = theirMean - mean;
    m2 += theirM2 + shift * shift * (count * number / all);
    mean += shift * (number / all);
    count = all;
  }
  /// NaN unless all values were finite.
  double getMean() const { return std::isfinite(m2) ? mean : std::nan(""); }
  double getM2() const { return std::isfinite(m2) ? m2 : std::nan(""); }
  double getCount() const { return count; }

private:
  double mean = 0, m2 = 0, count = 0;
};

/// The running value of a scan, kept in double and rounded at every point.
class Scanner {
public:
  explicit Scanner(loop::ScanOp scan)
      : dtype(*reference::getDType(scan.getType())),
        isLog(scan.getKind() == loop::ScanKind::LogAddExp),
        accumulator(getReduction(scan.getKind()), dtype) {}
  explicit Scanner(loop::ArgScanOp scan)
      : dtype(*reference::getDType(scan.getValue().getType())),
        accumulator(scan.getKind(), dtype) {}

  void start() {
    accumulator.start();
    count = 0;
    running = makeFloat(-HUGE_VAL);
  }
  Scalar step(Scalar x) {
    if (isLog) {
      running = makeFloat(logAddExp(running.f, x.f));
      return makeFloat(roundTo(dtype, running.f));
    }
    accumulator.add(x);
    return accumulator.finish();
  }
  /// The extremum so far; `at` becomes the latest position of it.
  Scalar step(Scalar x, int64_t &at) {
    bool isFirst = count++ == 0;
    bool isNan = isFloat(dtype) && std::isnan(x.f);
    Scalar better = isFirst || isNan ? x : accumulator.combine(running, x);
    bool same = isFloat(dtype) ? better.f == x.f : better.i == x.i;
    if (isNan || same)
      position = at;
    running = better;
    at = position;
    return running;
  }

private:
  static loop::ReduceKind getReduction(loop::ScanKind kind) {
    switch (kind) {
    case loop::ScanKind::Sum:
      return loop::ReduceKind::Sum;
    case loop::ScanKind::Prod:
      return loop::ReduceKind::Prod;
    case loop::ScanKind::Max:
    case loop::ScanKind::LogAddExp:
      return loop::ReduceKind::Max;
    case loop::ScanKind::Min:
      return loop::ReduceKind::Min;
    case loop::ScanKind::UMax:
      return loop::ReduceKind::UMax;
    case loop::ScanKind::UMin:
      return loop::ReduceKind::UMin;
    }
    llvm_unreachable("unknown kind");
  }

  DType dtype;
  bool isLog = false;
  Accumulator accumulator;
  Scalar running = makeInt(0);
  int64_t position = 0, count = 0;
};

} // namespace coil::reference

#endif // COIL_LIB_REFERENCE_ACCUMULATOR_H
