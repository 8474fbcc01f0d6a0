//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random elementwise operators.
//
//===----------------------------------------------------------------------===//

#include "Generator.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using namespace coil::testing;
using reference::DType;
using reference::Tensor;

bool Generator::emitFloatUnary() {
  struct Function {
    Value (*build)(TensorBuilder &, Value);
    /// The domain, and the interval of results inside it; NaN for the values
    /// at the ends.
    double lo, hi, resultLo, resultHi;
    double (*f)(double);
  };
#define FN(Op) [](TensorBuilder &t, Value x) { return t.unary<Op>(x); }
  static const Function functions[] = {
      {FN(CeilOp), -1e4, 1e4, NAN, NAN, std::ceil},
      {FN(FloorOp), -1e4, 1e4, NAN, NAN, std::floor},
      {FN(TruncOp), -1e4, 1e4, NAN, NAN, std::trunc},
      {FN(RoundOp), -1e4, 1e4, NAN, NAN, std::nearbyint},
      {FN(SqrtOp), 0, 1e4, NAN, NAN, std::sqrt},
      {FN(ExpOp), -20, 4, NAN, NAN, std::exp},
      {FN(Exp2Op), -10, 5, NAN, NAN, std::exp2},
      {FN(Expm1Op), -20, 4, NAN, NAN, std::expm1},
      {FN(LogOp), 0.125, 1e4, NAN, NAN, std::log},
      {FN(Log2Op), 0.125, 1e4, NAN, NAN, std::log2},
      {FN(Log10Op), 0.125, 1e4, NAN, NAN, std::log10},
      {FN(Log1pOp), -0.875, 1e4, NAN, NAN, std::log1p},
      {FN(SinOp), -30, 30, -1, 1, nullptr},
      {FN(CosOp), -30, 30, -1, 1, nullptr},
      {FN(TanOp), -1.25, 1.25, NAN, NAN, std::tan},
      {FN(AsinOp), -0.96875, 0.96875, NAN, NAN, std::asin},
      {FN(AcosOp), -0.96875, 0.96875, 0, 3.2, nullptr},
      {FN(AtanOp), -1e4, 1e4, NAN, NAN, std::atan},
      {FN(SinhOp), -4, 4, NAN, NAN, std::sinh},
      {FN(CoshOp), -4, 4, 1, 28, nullptr},
      {FN(TanhOp), -1e4, 1e4, NAN, NAN, std::tanh},
      {FN(AsinhOp), -1e4, 1e4, NAN, NAN, std::asinh},
      {FN(AcoshOp), 1.0625, 1e4, NAN, NAN, std::acosh},
      {FN(AtanhOp), -0.9375, 0.9375, NAN, NAN, std::atanh},
      {FN(ErfOp), -1e4, 1e4, NAN, NAN, std::erf},
      {FN(ErfcOp), -1e4, 4, 0, 2, nullptr},
      {FN(RsqrtOp), 0.125, 1e4, 0, 3, nullptr},
      {FN(ReciprocalOp), 0.125, 1e4, 0, 8, nullptr},
      {FN(SigmoidOp), -80, 80, 0, 1, nullptr},
  };
#undef FN
  const Item *found = findFloat();
  if (!found)
    return false;
  const Function &f = functions[below(std::size(functions))];
  Item x = clamp(*found, f.lo, f.hi);
  bool monotone = std::isnan(f.resultLo);
  return add(f.build(t, x.value), monotone ? f.f(x.lo) - 0.01 : f.resultLo,
             monotone ? f.f(x.hi) + 0.01 : f.resultHi);
}

bool Generator::emitUnary() {
  const Item *x = findAny();
  if (!x)
    return false;
  double size = std::max(std::fabs(x->lo), std::fabs(x->hi));
  switch (below(7)) {
  case 0:
    return !x->isBool() && add(t.unary<AbsOp>(x->value), 0, size);
  case 1:
    return !x->isBool() && add(t.unary<NegOp>(x->value), -x->hi, -x->lo);
  case 2:
    return !x->isBool() && add(t.unary<SignOp>(x->value), -1, 1);
  case 3:
    return !x->isBool() && add(t.unary<ReluOp>(x->value), std::max(0.0, x->lo),
                               std::max(0.0, x->hi));
  case 4:
    return !x->isFloat() &&
           add(t.unary<BitwiseNotOp>(x->value), -HUGE_VAL, HUGE_VAL);
  case 5:
    return x->isFloat() &&
           add(chance(50) ? t.unary<IsNanOp>(x->value, /*predicate=*/true)
                          : t.unary<IsInfOp>(x->value, /*predicate=*/true),
               0, 1);
  default:
    // The sign of a NaN is unspecified.
    return !x->isBool() && !(special && x->isFloat()) &&
           add(t.unary<SignBitOp>(x->value, /*predicate=*/true), 0, 1);
  }
}

bool Generator::emitArithmetic() {
  const Item *found = findNumber();
  if (!found)
    return false;
  Item x = *found;
  Item y = *partner(x, x.dtype);
  switch (below(10)) {
  case 0:
  case 1:
    if (x.isFloat() && std::max(x.hi + y.hi, -x.lo - y.lo) > limit(x.dtype))
      return false;
    return add(t.add(x.value, y.value), x.lo + y.lo, x.hi + y.hi);
  case 2:
    if (x.isFloat() && std::max(x.hi - y.lo, y.hi - x.lo) > limit(x.dtype))
      return false;
    return add(t.sub(x.value, y.value), x.lo - y.hi, x.hi - y.lo);
  case 3:
  case 4: {
    double a = x.lo * y.lo, b = x.lo * y.hi, c = x.hi * y.lo, d = x.hi * y.hi;
    double lo = std::min({a, b, c, d}), hi = std::max({a, b, c, d});
    if (x.isFloat() && std::max(hi, -lo) > limit(x.dtype))
      return false;
    return add(t.mul(x.value, y.value), lo, hi);
  }
  case 5:
    return add(t.binary<MaximumOp>(x.value, y.value), std::max(x.lo, y.lo),
               std::max(x.hi, y.hi));
  case 6:
    return add(t.binary<MinimumOp>(x.value, y.value), std::min(x.lo, y.lo),
               std::min(x.hi, y.hi));
  default:
    break;
  }
  // Division: floats away from zero; integers may divide by it.
  double lo = -HUGE_VAL, hi = HUGE_VAL;
  if (x.isFloat()) {
    y = clamp(y, 0.5, 64);
    if (chance(40)) {
      add(t.unary<NegOp>(y.value), -64, -0.5);
      y = items.back();
    }
    hi = 2 * std::max(std::fabs(x.lo), std::fabs(x.hi)) + 1;
    lo = -hi;
    if (hi > limit(x.dtype))
      return false;
  }
  switch (below(x.isFloat() ? 5 : 4)) {
  case 0:
    return add(t.binary<TruncDivOp>(x.value, y.value), lo, hi);
  case 1:
    return add(t.binary<FloorDivOp>(x.value, y.value), lo, hi);
  case 2:
    return add(t.binary<FmodOp>(x.value, y.value), x.isFloat() ? -64 : lo,
               x.isFloat() ? 64 : hi);
  case 3:
    return add(t.binary<RemainderOp>(x.value, y.value), x.isFloat() ? -64 : lo,
               x.isFloat() ? 64 : hi);
  default:
    return add(t.div(x.value, y.value), lo, hi);
  }
}

bool Generator::emitFloatBinary() {
  const Item *found = findNumber();
  if (!found)
    return false;
  Item x = *found;
  if (!x.isFloat()) {
    if (reference::getBitWidth(x.dtype) > 32)
      return false; // Long bodies.
    Item y = *partner(x, x.dtype);
    return add(t.binary<PowOp>(x.value, y.value), -HUGE_VAL, HUGE_VAL);
  }
  Item y = *partner(x, x.dtype);
  double size = std::max(
      {std::fabs(x.lo), std::fabs(x.hi), std::fabs(y.lo), std::fabs(y.hi)});
  switch (below(6)) {
  case 0:
    return add(t.binary<FmaxOp>(x.value, y.value), std::min(x.lo, y.lo),
               std::max(x.hi, y.hi));
  case 1:
    return add(t.binary<FminOp>(x.value, y.value), std::min(x.lo, y.lo),
               std::max(x.hi, y.hi));
  case 2:
    return add(t.binary<Atan2Op>(x.value, y.value), -3.2, 3.2);
  case 3:
    return !special && add(t.binary<CopysignOp>(x.value, y.value), -size, size);
  case 4:
    if (1.5 * size > limit(x.dtype))
      return false;
    return add(t.binary<HypotOp>(x.value, y.value), 0, 1.5 * size);
  default:
    x = clamp(x, 0.25, 4);
    y = clamp(y, -3, 3);
    return add(t.binary<PowOp>(x.value, y.value), 0, 64);
  }
}

bool Generator::emitBitwise() {
  const Item *found = find([](const Item &i) { return !i.isFloat(); });
  if (!found)
    return false;
  Item x = *found, y = *partner(x, x.dtype);
  Value v;
  switch (below(x.isBool() ? 3 : 5)) {
  case 0:
    v = t.binary<BitwiseAndOp>(x.value, y.value);
    break;
  case 1:
    v = t.binary<BitwiseOrOp>(x.value, y.value);
    break;
  case 2:
    v = t.binary<BitwiseXorOp>(x.value, y.value);
    break;
  case 3:
    v = t.binary<ShiftLeftOp>(x.value, y.value);
    break;
  default:
    v = t.binary<ShiftRightOp>(x.value, y.value);
    break;
  }
  return add(v, -HUGE_VAL, HUGE_VAL);
}

bool Generator::emitCompare() {
  const Item *found = findAny();
  if (!found)
    return false;
  Item x = *found, y = *partner(x, x.dtype);
  return add(
      t.compare(static_cast<ComparePredicate>(below(6)), x.value, y.value), 0,
      1);
}

bool Generator::emitSelect() {
  const Item *found = findAny();
  if (!found)
    return false;
  Item x = *found, y = *partner(x, x.dtype), p = *partner(x, DType::Bool);
  // The condition has to broadcast with both.
  SmallVector<Sizes> shapes = {x.sizes, y.sizes, p.sizes};
  FailureOr<Sizes> joined = broadcastSizes(shapes);
  if (failed(joined))
    return false;
  for (const Sizes &sizes : shapes)
    for (auto [size, result] :
         llvm::zip(sizes, SizesRef(*joined).take_back(sizes.size())))
      if (size != result && !size.isConstant(1))
        return false;
  if (*Tensor::countElements(*evaluate(*joined)) > options.maxElements)
    return false;
  return add(t.select(p.value, x.value, y.value), std::min(x.lo, y.lo),
             std::max(x.hi, y.hi));
}

bool Generator::emitConvert() {
  const Item *found = findAny();
  DType to = randomDType();
  if (!found || found->dtype == to)
    return false;
  Item x = *found;
  if (x.isFloat() && !reference::isFloat(to) && to != DType::Bool) {
    // Out of range the result is unspecified.
    double lo, hi;
    leastAndGreatest(to, lo, hi);
    x = clamp(x, std::max(lo, -100.0), std::min(hi, 100.0));
    if (special) // A NaN passes the clamp.
      return false;
  }
  if (reference::isFloat(to) &&
      std::max(std::fabs(x.lo), std::fabs(x.hi)) > limit(to)) {
    if (x.isFloat())
      x = clamp(x, -limit(to), limit(to));
    else if (reference::getBitWidth(x.dtype) == 8)
      return false;
    else
      x = clamp(x, reference::isUnsigned(x.dtype) ? 0 : -500, 500);
  }
  double lo = x.lo, hi = x.hi;
  if (to == DType::Bool)
    lo = 0, hi = 1;
  return add(t.convert(x.value, type(to)), std::floor(lo), std::ceil(hi));
}

bool Generator::emitBitcast() {
  const Item *x = findAny();
  if (!x || x->isBool())
    return false;
  // Only to integers: as floats, any bits would be NaNs and huge numbers.
  DType to = randomDType();
  if (reference::isFloat(to) || to == x->dtype || special ||
      reference::getBitWidth(to) != reference::getBitWidth(x->dtype))
    return false;
  return add(BitcastOp::create(builder, loc,
                               sym::getTensorType(x->sizes, type(to)),
                               x->value),
             -HUGE_VAL, HUGE_VAL);
}

bool Generator::emitSpecial() {
  using loop::SpecialFunction;
  struct Function {
    SpecialFunction function;
    double lo, hi, resultLo, resultHi;
  };
  static const Function functions[] = {
      {SpecialFunction::LGamma, 0.25, 20, -1, 45},
      {SpecialFunction::Digamma, 0.25, 20, -5, 4},
      {SpecialFunction::ErfInv, -0.9375, 0.9375, -2, 2},
      {SpecialFunction::NextAfter, -100, 100, -101, 101},
      {SpecialFunction::I0, -4, 4, 1, 12},
      {SpecialFunction::I0e, -10, 10, 0, 1},
      {SpecialFunction::I1, -4, 4, -10, 10},
      {SpecialFunction::I1e, -10, 10, -1, 1},
      {SpecialFunction::NdtrI, 0.0625, 0.9375, -2, 2},
      {SpecialFunction::LogNdtr, -5, 5, -20, 0},
      {SpecialFunction::IGamma, 0.25, 10, 0, 1},
      {SpecialFunction::IGammaC, 0.25, 10, 0, 1},
      {SpecialFunction::Zeta, 1.5, 10, 0, 60},
      {SpecialFunction::Erfcx, -1.5, 10, 0, 20},
      {SpecialFunction::Trigamma, 0.25, 20, 0, 18},
      {SpecialFunction::BesselJ0, -20, 20, -1, 1},
      {SpecialFunction::BesselY1, 0.25, 20, -3, 1},
      {SpecialFunction::K0, 0.25, 20, 0, 2},
      {SpecialFunction::K1e, 0.25, 20, 0, 5},
      {SpecialFunction::AiryAi, -8, 8, -1, 1},
      {SpecialFunction::ChebyshevU, 0, 3, 0, 210},
  };
  const Item *found = findFloat();
  if (!found)
    return false;
  const Function &f = functions[below(std::size(functions))];
  Item x = clamp(*found, f.lo, f.hi);
  SmallVector<Value> args = {x.value};
  if (loop::getNumArgs(f.function) == 2)
    args.push_back(clamp(*partner(x, x.dtype), f.lo, f.hi).value);
  return add(t.special(f.function, args), f.resultLo, f.resultHi);
}
