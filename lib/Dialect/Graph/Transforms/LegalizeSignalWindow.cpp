//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalisation of the windows of signal processing: formulas over positions.
// A periodic window is the symmetric one of one element more, without its last.
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

namespace {

/// What a formula starts from: positions, and the number of the last one.
struct Samples {
  AtenCall &c;
  Num position, last;
};

} // namespace

static constexpr double kPi = 3.14159265358979323846;

/// The sum of `terms[k] * cos(2 pi k i / last)`.
static Num cosines(const Samples &w, ArrayRef<double> terms) {
  Num result = w.position.number(terms[0]);
  for (size_t k = 1; k < terms.size(); ++k)
    result = result +
             (w.position * (2 * kPi * k) / w.last).unary<CosOp>() * terms[k];
  return result;
}

static Num hann(const Samples &w) { return cosines(w, {0.5, -0.5}); }

static Num hamming(const Samples &w) {
  return cosines(w, {w.c.floatOr("alpha", 0.54), -w.c.floatOr("beta", 0.46)});
}

static Num blackman(const Samples &w) { return cosines(w, {0.42, -0.5, 0.08}); }

static Num bartlett(const Samples &w) {
  Num slope = w.position * 2 / w.last;
  return min(slope, 2 - slope);
}

static Num kaiser(const Samples &w) {
  TensorBuilder &b = w.c.b;
  double beta = w.c.floatOr("beta", 12);
  Num x = w.position * 2 / w.last - 1;
  Num root = sqrt(max(1 - x * x, 0)) * beta;
  Num numerator(b, b.special(loop::SpecialFunction::I0, root));
  Num denominator(
      b, b.special(loop::SpecialFunction::I0, Value(w.position.number(beta))));
  return numerator / denominator;
}

static AtenHandler window(Num (*formula)(const Samples &)) {
  return [=](AtenCall &c) -> LogicalResult {
    TensorBuilder &b = c.b;
    Type type = getAccumulationType(c.resultElementType());
    if (!isa<FloatType>(type) || c.resultType().getRank() != 1)
      return c.fail("its result is not a vector of floats");
    ExprAttr count = c.resultSizes()[0];
    // One element is a one, in either kind of window.
    if (count.isConstant(1) || count.isConstant(0))
      return c.replace(filled(b, 1, type, c.resultSizes()));
    bool isPeriodic = c.boolOr("periodic", true);
    Positions p(b);
    Num last = p.size(isPeriodic ? count : sym::add(count, -1)).to(type);
    Num values = formula({c, p.iota(count).to(type), last});
    // A symbolic size may be one.
    if (!c.getContext().isLess(b.size(1), count))
      values = select(p.size(count) == 1, 1, values);
    return c.replace(values);
  };
}

void graph::populateSignalWindowLegalizations(AtenLegalizations &t) {
  t.add("hann_window hann_window.periodic", window(hann));
  t.add("hamming_window hamming_window.periodic hamming_window.periodic_alpha "
        "hamming_window.periodic_alpha_beta",
        window(hamming));
  t.add("blackman_window blackman_window.periodic", window(blackman));
  t.add("bartlett_window bartlett_window.periodic", window(bartlett));
  t.add("kaiser_window kaiser_window.periodic kaiser_window.beta",
        window(kaiser));
}
