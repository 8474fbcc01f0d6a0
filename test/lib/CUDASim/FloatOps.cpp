//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic of f32 and f64, correctly rounded.
//
//===----------------------------------------------------------------------===//

#include "FloatOps.h"
#include "FloatFormat.h"

using namespace coil::cudasim;

Round coil::cudasim::takeRounding(Lowering &l, bool &found) {
  std::string_view r = l.takeOneOf({"rn", "rz", "rm", "rp", "rna"});
  found = !r.empty();
  return r == "rz"    ? Round::Zero
         : r == "rm"  ? Round::Down
         : r == "rp"  ? Round::Up
         : r == "rna" ? Round::NearestAway
                      : Round::Nearest;
}

namespace {

// An operation, with subnormals flushed or not, and saturated to [0, 1] or not.
template <class T, class Op, bool Ftz, bool Sat>
void arith1(Warp &w, const Inst &inst, uint32_t mask) {
  const T *a = w.reg<const T>(inst.a);
  mapLanes<T>(w, inst.d, mask, [=](unsigned i) {
    T r = Op::apply(Ftz ? flush(a[i]) : a[i]);
    r = Ftz ? flush(r) : r;
    return Sat ? saturate(r) : canonical(r);
  });
}
template <class T, class Op, bool Ftz, bool Sat>
void arith2(Warp &w, const Inst &inst, uint32_t mask) {
  const T *a = w.reg<const T>(inst.a), *b = w.reg<const T>(inst.b);
  mapLanes<T>(w, inst.d, mask, [=](unsigned i) {
    T r = Op::apply(Ftz ? flush(a[i]) : a[i], Ftz ? flush(b[i]) : b[i]);
    r = Ftz ? flush(r) : r;
    return Sat ? saturate(r) : canonical(r);
  });
}
template <class T, class Op, bool Ftz, bool Sat>
void arith3(Warp &w, const Inst &inst, uint32_t mask) {
  const T *a = w.reg<const T>(inst.a), *b = w.reg<const T>(inst.b),
          *c = w.reg<const T>(inst.c);
  mapLanes<T>(w, inst.d, mask, [=](unsigned i) {
    T r = Op::apply(Ftz ? flush(a[i]) : a[i], Ftz ? flush(b[i]) : b[i],
                    Ftz ? flush(c[i]) : c[i]);
    r = Ftz ? flush(r) : r;
    return Sat ? saturate(r) : canonical(r);
  });
}

struct Add {
  template <class T>
  static T apply(T a, T b) {
    return a + b;
  }
};
struct Sub {
  template <class T>
  static T apply(T a, T b) {
    return a - b;
  }
};
struct Mul {
  template <class T>
  static T apply(T a, T b) {
    return a * b;
  }
};
struct Div {
  template <class T>
  static T apply(T a, T b) {
    return a / b;
  }
};
struct Fma {
  static float apply(float a, float b, float c) {
    return __builtin_fmaf(a, b, c);
  }
  static double apply(double a, double b, double c) {
    return __builtin_fma(a, b, c);
  }
};
struct Sqrt {
  static float apply(float a) { return __builtin_sqrtf(a); }
  static double apply(double a) { return __builtin_sqrt(a); }
};
struct Rcp {
  template <class T>
  static T apply(T a) {
    return T(1) / a;
  }
};

/// The number if the other operand is NaN; -0 is less than +0.
template <bool IsMin, bool Propagate, bool XorSign>
struct MinMax {
  template <class T>
  static T apply(T a, T b) {
    bool negative = std::signbit(a) != std::signbit(b);
    if (XorSign) {
      a = std::fabs(a);
      b = std::fabs(b);
    }
    bool first = IsMin ? a < b : a > b;
    bool tie = a == b && (IsMin ? std::signbit(a) : !std::signbit(a));
    T r = first || tie ? a : b;
    r = b != b ? (Propagate ? b : a) : r;
    r = a != a ? (Propagate ? a : b) : r;
    if (XorSign)
      r = negative ? -r : r;
    return r;
  }
};

template <class Op>
Handler pick1(Ty t, bool ftz, bool sat) {
  if (t == Ty::F64)
    return arith1<double, Op, false, false>;
  return ftz ? (sat ? arith1<float, Op, true, true>
                    : arith1<float, Op, true, false>)
             : (sat ? arith1<float, Op, false, true>
                    : arith1<float, Op, false, false>);
}
template <class Op>
Handler pick2(Ty t, bool ftz, bool sat) {
  if (t == Ty::F64)
    return arith2<double, Op, false, false>;
  return ftz ? (sat ? arith2<float, Op, true, true>
                    : arith2<float, Op, true, false>)
             : (sat ? arith2<float, Op, false, true>
                    : arith2<float, Op, false, false>);
}
template <class Op>
Handler pick3(Ty t, bool ftz, bool sat) {
  if (t == Ty::F64)
    return arith3<double, Op, false, false>;
  return ftz ? (sat ? arith3<float, Op, true, true>
                    : arith3<float, Op, true, false>)
             : (sat ? arith3<float, Op, false, true>
                    : arith3<float, Op, false, false>);
}

bool finish(Lowering &l, Handler fn, Ty type, unsigned sources) {
  if (!fn || (type != Ty::F32 && type != Ty::F64) || !l.operands(sources + 1))
    return false;
  l.inst.fn = fn;
  l.inst.a = l.src(1, type);
  if (sources > 1)
    l.inst.b = l.src(2, type);
  if (sources > 2)
    l.inst.c = l.src(3, type);
  l.inst.d = l.dst(0, type);
  return true;
}

bool lowerArith(Lowering &l) {
  std::string_view name = l.root();
  bool rounds;
  Round round = takeRounding(l, rounds);
  bool ftz = l.take("ftz"), sat = l.take("sat");
  Ty type = l.takeType();
  bool three = name == "fma" || name == "mad";
  bool one = name == "sqrt" || name == "rcp";
  unsigned sources = three ? 3 : one ? 1 : 2;
  if (round == Round::NearestAway ||
      ((three || one || name == "div") && !rounds))
    return false;
  if (round != Round::Nearest) {
    FloatOp op = name == "add"    ? FloatOp::Add
                 : name == "sub"  ? FloatOp::Sub
                 : name == "mul"  ? FloatOp::Mul
                 : name == "div"  ? FloatOp::Div
                 : name == "sqrt" ? FloatOp::Sqrt
                 : name == "rcp"  ? FloatOp::Rcp
                                  : FloatOp::Fma;
    l.inst.mode = static_cast<uint8_t>(round) | (ftz ? 8 : 0) | (sat ? 16 : 0);
    return finish(l, roundedHandler(op, type == Ty::F64), type, sources);
  }
  Handler fn = name == "add"    ? pick2<Add>(type, ftz, sat)
               : name == "sub"  ? pick2<Sub>(type, ftz, sat)
               : name == "mul"  ? pick2<Mul>(type, ftz, sat)
               : name == "div"  ? pick2<Div>(type, ftz, sat)
               : name == "sqrt" ? pick1<Sqrt>(type, ftz, sat)
               : name == "rcp"  ? pick1<Rcp>(type, ftz, sat)
                                : pick3<Fma>(type, ftz, sat);
  return finish(l, fn, type, sources);
}

/// div, sqrt and rcp are approximate unless they name a rounding.
bool lowerMaybeApprox(Lowering &l) {
  for (std::string_view part : l.s->parts)
    if (part == "approx" || part == "full")
      return lowerApprox(l);
  return lowerArith(l);
}

bool lowerMinMax(Lowering &l) {
  bool isMin = l.root() == "min";
  bool ftz = l.take("ftz"), nan = l.take("NaN");
  bool xorsign = l.take("xorsign");
  if (xorsign && !l.take("abs"))
    return false;
  Ty type = l.takeType();
  Handler fn =
      isMin
          ? (nan ? (xorsign
                        ? pick2<MinMax<true, true, true>>(type, ftz, false)
                        : pick2<MinMax<true, true, false>>(type, ftz, false))
                 : (xorsign
                        ? pick2<MinMax<true, false, true>>(type, ftz, false)
                        : pick2<MinMax<true, false, false>>(type, ftz, false)))
          : (nan ? (xorsign
                        ? pick2<MinMax<false, true, true>>(type, ftz, false)
                        : pick2<MinMax<false, true, false>>(type, ftz, false))
                 : (xorsign
                        ? pick2<MinMax<false, false, true>>(type, ftz, false)
                        : pick2<MinMax<false, false, false>>(type, ftz,
                                                             false)));
  return finish(l, fn, type, 2);
}

// neg, abs and copysign work on the bits, also of NaN.
struct NegBits {
  static float apply(float a) {
    return bitCast<float>(bitCast<uint32_t>(a) ^ 0x80000000u);
  }
  static double apply(double a) {
    return bitCast<double>(bitCast<uint64_t>(a) ^ 1ull << 63);
  }
};
struct AbsBits {
  static float apply(float a) { return std::fabs(a); }
  static double apply(double a) { return std::fabs(a); }
};
struct CopySign {
  template <class T>
  static T apply(T a, T b) {
    return std::copysign(b, a);
  }
};
template <class Op>
struct Flushed {
  static float apply(float a) { return flush(Op::apply(flush(a))); }
};

bool lowerSign(Lowering &l) {
  std::string_view name = l.root();
  bool ftz = l.take("ftz");
  Ty type = l.takeType();
  bool wide = type == Ty::F64;
  if (name == "copysign")
    return finish(l, wide ? binary<double, CopySign> : binary<float, CopySign>,
                  type, 2);
  if (name == "neg")
    return finish(l,
                  wide  ? unary<double, NegBits>
                  : ftz ? unary<float, Flushed<NegBits>>
                        : unary<float, NegBits>,
                  type, 1);
  return finish(l,
                wide  ? unary<double, AbsBits>
                : ftz ? unary<float, Flushed<AbsBits>>
                      : unary<float, AbsBits>,
                type, 1);
}

template <class T>
void testProperty(Warp &w, const Inst &inst, uint32_t mask) {
  const T *a = w.reg<const T>(inst.a);
  uint32_t bits = lanesWhere([=](unsigned i) -> bool {
    int c = std::fpclassify(a[i]);
    switch (inst.mode) {
    case 0:
      return c != FP_INFINITE && c != FP_NAN;
    case 1:
      return c == FP_INFINITE;
    case 2:
      return c != FP_NAN;
    case 3:
      return c == FP_NAN;
    case 4:
      return c == FP_NORMAL || c == FP_ZERO;
    default:
      return c == FP_SUBNORMAL;
    }
  });
  setPred(w, inst.d, mask, bits);
}

bool lowerTestp(Lowering &l) {
  static const char *const names[] = {"finite",     "infinite", "number",
                                      "notanumber", "normal",   "subnormal"};
  bool found = false;
  for (uint8_t i = 0; i < 6; ++i)
    if (l.take(names[i])) {
      l.inst.mode = i;
      found = true;
    }
  Ty type = l.takeType();
  if (!found || !l.operands(2))
    return false;
  l.inst.fn = type == Ty::F64 ? testProperty<double> : testProperty<float>;
  l.inst.a = l.src(1, type);
  l.inst.d = l.predDst(l.op(0).name);
  return type == Ty::F64 || type == Ty::F32;
}

} // namespace

void coil::cudasim::registerFloatOps(Registry &r) {
  for (const char *name : {"add.f", "sub.f", "mul.f", "fma.f", "mad.f"})
    r[name] = lowerArith;
  for (const char *name : {"div.f", "sqrt", "rcp"})
    r[name] = lowerMaybeApprox;
  r["min.f"] = r["max.f"] = lowerMinMax;
  r["neg.f"] = r["abs.f"] = r["copysign"] = lowerSign;
  r["testp"] = lowerTestp;
}
