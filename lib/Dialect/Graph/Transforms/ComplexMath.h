//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of complex numbers, spelled with tensors of their real and
// imaginary parts.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DIALECT_GRAPH_TRANSFORMS_COMPLEXMATH_H
#define COIL_LIB_DIALECT_GRAPH_TRANSFORMS_COMPLEXMATH_H

#include "coil/Dialect/Graph/IR/TensorBuilder.h"

#include <limits>

namespace coil::graph {

/// The real and the imaginary part of a tensor of complex numbers.
struct ComplexParts {
  mlir::Value re, im;
};

/// Builds functions of complex numbers. Formulas avoid overflow on the way and
/// cancellation, as far as those of the C library do; branch cuts and the signs
/// of zeros on them are the C library's.
class ComplexMath {
public:
  explicit ComplexMath(TensorBuilder &b) : b(b) {}

  ComplexParts number(double re, double im, mlir::Type type) {
    return {b.scalar(re, type), b.scalar(im, type)};
  }

  ComplexParts add(ComplexParts x, ComplexParts y) {
    return {b.add(x.re, y.re), b.add(x.im, y.im)};
  }
  ComplexParts sub(ComplexParts x, ComplexParts y) {
    return {b.sub(x.re, y.re), b.sub(x.im, y.im)};
  }
  ComplexParts mul(ComplexParts x, ComplexParts y);
  ComplexParts div(ComplexParts x, ComplexParts y);
  ComplexParts neg(ComplexParts x) {
    return {b.unary<NegOp>(x.re), b.unary<NegOp>(x.im)};
  }
  ComplexParts conj(ComplexParts x) { return {x.re, b.unary<NegOp>(x.im)}; }
  ComplexParts scale(ComplexParts x, mlir::Value factor) {
    return {b.mul(x.re, factor), b.mul(x.im, factor)};
  }
  ComplexParts select(mlir::Value condition, ComplexParts x, ComplexParts y) {
    return {b.select(condition, x.re, y.re), b.select(condition, x.im, y.im)};
  }
  /// i x and -i x.
  ComplexParts timesI(ComplexParts x) { return {b.unary<NegOp>(x.im), x.re}; }
  ComplexParts timesMinusI(ComplexParts x) {
    return {x.im, b.unary<NegOp>(x.re)};
  }

  mlir::Value abs(ComplexParts x) { return b.binary<HypotOp>(x.re, x.im); }
  mlir::Value angle(ComplexParts x) { return b.binary<Atan2Op>(x.im, x.re); }
  ComplexParts polar(mlir::Value abs, mlir::Value angle) {
    return {b.mul(abs, b.unary<CosOp>(angle)),
            b.mul(abs, b.unary<SinOp>(angle))};
  }
  /// x / |x|, and 0 for 0.
  ComplexParts sgn(ComplexParts x);
  ComplexParts reciprocal(ComplexParts x);

  ComplexParts exp(ComplexParts x);
  ComplexParts expm1(ComplexParts x);
  ComplexParts log(ComplexParts x);
  ComplexParts log1p(ComplexParts x);
  /// log(e^x + e^y)
  ComplexParts logAddExp(ComplexParts x, ComplexParts y);
  ComplexParts sqrt(ComplexParts x);
  ComplexParts pow(ComplexParts x, ComplexParts y);
  ComplexParts powInteger(ComplexParts x, unsigned n);

  ComplexParts sin(ComplexParts x);
  ComplexParts cos(ComplexParts x);
  ComplexParts tan(ComplexParts x) { return timesMinusI(tanh(timesI(x))); }
  ComplexParts sinh(ComplexParts x) { return timesMinusI(sin(timesI(x))); }
  ComplexParts cosh(ComplexParts x) { return cos(timesI(x)); }
  ComplexParts tanh(ComplexParts x);
  ComplexParts asin(ComplexParts x);
  ComplexParts acos(ComplexParts x);
  ComplexParts atan(ComplexParts x) { return timesMinusI(atanh(timesI(x))); }
  ComplexParts asinh(ComplexParts x) { return timesMinusI(asin(timesI(x))); }
  ComplexParts acosh(ComplexParts x);
  ComplexParts atanh(ComplexParts x);

  /// \name Results that are bools
  /// @{
  mlir::Value equal(ComplexParts x, ComplexParts y);
  mlir::Value notEqual(ComplexParts x, ComplexParts y);
  /// Whether it is not zero; NaN is not.
  mlir::Value toBool(ComplexParts x);
  mlir::Value isNan(ComplexParts x);
  mlir::Value isInf(ComplexParts x);
  mlir::Value isFinite(ComplexParts x);
  /// @}

  TensorBuilder &b;

private:
  /// The product that C has, in which infinities outlast NaN.
  ComplexParts mulInfinite(ComplexParts x, ComplexParts y);
  /// Whether a part is more than the largest number, or its square root where
  /// `ofSquares`, divided by eight.
  mlir::Value isHuge(ComplexParts x, bool ofSquares);
  /// log |x| from its parts; near the unit circle it has no digits.
  mlir::Value logOfAbs(ComplexParts x);
  /// log |2 x|, with a sign: what inverse functions are of huge numbers.
  mlir::Value logOfDouble(ComplexParts x, mlir::Value sign);
  /// `there` where a part of `x` is huge or infinite.
  ComplexParts atHuge(ComplexParts x, ComplexParts there,
                      ComplexParts elsewhere);
  /// `there` where a part of `x` is infinite.
  ComplexParts atInfinity(ComplexParts x, ComplexParts there,
                          ComplexParts elsewhere);
  mlir::Value constant(double value, mlir::Value like) {
    return b.scalar(value, getElementType(like));
  }
  /// log |x|
  mlir::Value logAbs(ComplexParts x);
};

} // namespace coil::graph

#endif // COIL_LIB_DIALECT_GRAPH_TRANSFORMS_COMPLEXMATH_H
