//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integer arithmetic.
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"
#include "Lower.h"

#include <algorithm>
#include <limits>

using namespace coil::cudasim;

namespace {

template <class T>
using U = std::make_unsigned_t<T>;

struct Add {
  template <class T>
  static T apply(T a, T b) {
    return T(U<T>(a) + U<T>(b));
  }
};
struct Sub {
  template <class T>
  static T apply(T a, T b) {
    return T(U<T>(a) - U<T>(b));
  }
};
struct MulLo {
  template <class T>
  static T apply(T a, T b) {
    return T(uint64_t(a) * uint64_t(b));
  }
};
struct MulHi {
  template <class T>
  static T apply(T a, T b) {
    if constexpr (sizeof(T) == 8) {
      if constexpr (std::is_signed_v<T>)
        return T((__int128(a) * b) >> 64);
      else
        return T((static_cast<unsigned __int128>(a) * b) >> 64);
    } else {
      using W = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
      return T((W(a) * W(b)) >> (8 * sizeof(T)));
    }
  }
};
struct MadLo {
  template <class T>
  static T apply(T a, T b, T c) {
    return T(uint64_t(a) * uint64_t(b) + uint64_t(c));
  }
};
struct MadHi {
  template <class T>
  static T apply(T a, T b, T c) {
    return T(U<T>(MulHi::apply(a, b)) + U<T>(c));
  }
};
/// Saturating forms exist for s32.
struct AddSat {
  template <class T>
  static T apply(T a, T b) {
    T r;
    return __builtin_add_overflow(a, b, &r)
               ? (a < 0 ? std::numeric_limits<T>::min()
                        : std::numeric_limits<T>::max())
               : r;
  }
};
struct SubSat {
  template <class T>
  static T apply(T a, T b) {
    T r;
    return __builtin_sub_overflow(a, b, &r)
               ? (a < 0 ? std::numeric_limits<T>::min()
                        : std::numeric_limits<T>::max())
               : r;
  }
};
struct MadHiSat {
  template <class T>
  static T apply(T a, T b, T c) {
    return AddSat::apply(MulHi::apply(a, b), c);
  }
};
/// What the hardware gives for a division by zero: all ones.
struct Div {
  template <class T>
  static T apply(T a, T b) {
    if (b == 0)
      return T(-1);
    if constexpr (std::is_signed_v<T>)
      if (b == -1)
        return T(0 - U<T>(a));
    return T(a / b);
  }
};
struct Rem {
  template <class T>
  static T apply(T a, T b) {
    if (b == 0)
      return a;
    if constexpr (std::is_signed_v<T>)
      if (b == -1)
        return 0;
    return T(a % b);
  }
};
struct Min {
  template <class T>
  static T apply(T a, T b) {
    return a < b ? a : b;
  }
};
struct Max {
  template <class T>
  static T apply(T a, T b) {
    return a > b ? a : b;
  }
};
struct Neg {
  template <class T>
  static T apply(T a) {
    return T(0 - U<T>(a));
  }
};
struct Abs {
  template <class T>
  static T apply(T a) {
    return T(a < 0 ? 0 - U<T>(a) : a);
  }
};
struct Sad {
  template <class T>
  static T apply(T a, T b, T c) {
    return T(U<T>(c) + (a < b ? U<T>(b) - U<T>(a) : U<T>(a) - U<T>(b)));
  }
};

/// Division by a lane that is masked off must not trap.
template <class T, class Op>
void binaryActive(Warp &w, const Inst &inst, uint32_t mask) {
  const T *a = w.reg<const T>(inst.a), *b = w.reg<const T>(inst.b);
  mapActive<T>(w, inst.d, mask,
               [=](unsigned i) { return Op::apply(a[i], b[i]); });
}

template <class N, class W>
void mulWide(Warp &w, const Inst &inst, uint32_t mask) {
  const N *a = w.reg<const N>(inst.a), *b = w.reg<const N>(inst.b);
  mapLanes<W>(w, inst.d, mask, [=](unsigned i) { return W(a[i]) * W(b[i]); });
}
template <class N, class W>
void madWide(Warp &w, const Inst &inst, uint32_t mask) {
  const N *a = w.reg<const N>(inst.a), *b = w.reg<const N>(inst.b);
  const W *c = w.reg<const W>(inst.c);
  mapLanes<W>(w, inst.d, mask, [=](unsigned i) {
    return W(U<W>(W(a[i]) * W(b[i])) + U<W>(c[i]));
  });
}

/// 24-bit products.
template <class T, bool High, bool Mad>
void mul24(Warp &w, const Inst &inst, uint32_t mask) {
  const T *a = w.reg<const T>(inst.a), *b = w.reg<const T>(inst.b),
          *c = Mad ? w.reg<const T>(inst.c) : a;
  using L = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
  mapLanes<T>(w, inst.d, mask, [=](unsigned i) {
    L x = L(T(U<T>(a[i]) << 8) >> 8), y = L(T(U<T>(b[i]) << 8) >> 8);
    T r = T((x * y) >> (High ? 16 : 0));
    return Mad ? T(U<T>(r) + U<T>(c[i])) : r;
  });
}

/// add.cc, addc, sub.cc, subc: the carry is register `e`.
template <class T, bool Subtract>
void carryAdd(Warp &w, const Inst &inst, uint32_t mask) {
  const T *a = w.reg<const T>(inst.a), *b = w.reg<const T>(inst.b);
  uint32_t in = inst.mode & 1 ? w.pred(inst.e) : 0, out = 0;
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned i = __builtin_ctz(rest);
    T carry = in >> i & 1, r, s;
    bool o1, o2;
    if (Subtract) {
      o1 = __builtin_sub_overflow(a[i], b[i], &r);
      o2 = __builtin_sub_overflow(r, carry, &s);
    } else {
      o1 = __builtin_add_overflow(a[i], b[i], &r);
      o2 = __builtin_add_overflow(r, carry, &s);
    }
    w.reg<T>(inst.d)[i] = s;
    out |= uint32_t(o1 || o2) << i;
  }
  if (inst.mode & 2)
    setPred(w, inst.e, mask, out);
}

/// mad.cc and madc, low and high halves.
template <class T, bool High>
void carryMad(Warp &w, const Inst &inst, uint32_t mask) {
  const T *a = w.reg<const T>(inst.a), *b = w.reg<const T>(inst.b),
          *c = w.reg<const T>(inst.c);
  uint32_t in = inst.mode & 1 ? w.pred(inst.e) : 0, out = 0;
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned i = __builtin_ctz(rest);
    T carry = in >> i & 1, r, s;
    T product = High ? MulHi::apply(a[i], b[i]) : MulLo::apply(a[i], b[i]);
    bool o1 = __builtin_add_overflow(product, c[i], &r);
    bool o2 = __builtin_add_overflow(r, carry, &s);
    w.reg<T>(inst.d)[i] = s;
    out |= uint32_t(o1 || o2) << i;
  }
  if (inst.mode & 2)
    setPred(w, inst.e, mask, out);
}

/// Two halves at once.
template <class T, class Op>
void packed(Warp &w, const Inst &inst, uint32_t mask) {
  const uint32_t *a = w.reg<const uint32_t>(inst.a),
                 *b = w.reg<const uint32_t>(inst.b);
  mapLanes<uint32_t>(w, inst.d, mask, [=](unsigned i) {
    uint16_t lo = uint16_t(Op::apply(T(a[i]), T(b[i])));
    uint16_t hi = uint16_t(Op::apply(T(a[i] >> 16), T(b[i] >> 16)));
    return lo | uint32_t(hi) << 16;
  });
}

template <class A, class B>
void dot4(Warp &w, const Inst &inst, uint32_t mask) {
  const uint32_t *a = w.reg<const uint32_t>(inst.a),
                 *b = w.reg<const uint32_t>(inst.b),
                 *c = w.reg<const uint32_t>(inst.c);
  mapLanes<uint32_t>(w, inst.d, mask, [=](unsigned i) {
    uint32_t sum = c[i];
    for (unsigned j = 0; j < 32; j += 8)
      sum += uint32_t(int32_t(A(a[i] >> j)) * int32_t(B(b[i] >> j)));
    return sum;
  });
}

#define COIL_INT_HANDLERS(NAME, SHAPE, OP)                                     \
  Handler NAME(Ty t) {                                                         \
    switch (t) {                                                               \
    case Ty::U16:                                                              \
    case Ty::B16:                                                              \
      return SHAPE<uint16_t, OP>;                                              \
    case Ty::S16:                                                              \
      return SHAPE<int16_t, OP>;                                               \
    case Ty::U32:                                                              \
    case Ty::B32:                                                              \
      return SHAPE<uint32_t, OP>;                                              \
    case Ty::S32:                                                              \
      return SHAPE<int32_t, OP>;                                               \
    case Ty::U64:                                                              \
    case Ty::B64:                                                              \
      return SHAPE<uint64_t, OP>;                                              \
    case Ty::S64:                                                              \
      return SHAPE<int64_t, OP>;                                               \
    default:                                                                   \
      return nullptr;                                                          \
    }                                                                          \
  }

COIL_INT_HANDLERS(addOf, binary, Add)
COIL_INT_HANDLERS(subOf, binary, Sub)
COIL_INT_HANDLERS(mulLoOf, binary, MulLo)
COIL_INT_HANDLERS(mulHiOf, binary, MulHi)
COIL_INT_HANDLERS(madLoOf, ternary, MadLo)
COIL_INT_HANDLERS(madHiOf, ternary, MadHi)
COIL_INT_HANDLERS(divOf, binaryActive, Div)
COIL_INT_HANDLERS(remOf, binaryActive, Rem)
COIL_INT_HANDLERS(minOf, binary, Min)
COIL_INT_HANDLERS(maxOf, binary, Max)
COIL_INT_HANDLERS(negOf, unary, Neg)
COIL_INT_HANDLERS(absOf, unary, Abs)
COIL_INT_HANDLERS(sadOf, ternary, Sad)
#undef COIL_INT_HANDLERS

/// d = op(sources...) of one type.
bool finish(Lowering &l, Handler fn, Ty type, unsigned sources) {
  if (!fn || !l.operands(sources + 1))
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

bool lowerCarry(Lowering &l, bool subtract, bool in) {
  bool out = l.take("cc");
  Ty type = l.takeType();
  l.inst.mode = (in ? 1 : 0) | (out ? 2 : 0);
  l.inst.e = l.carry(in, out);
  bool wide = widthOf(type) == 8;
  if (widthOf(type) < 4)
    return false;
  return finish(
      l,
      subtract ? (wide ? carryAdd<uint64_t, true> : carryAdd<uint32_t, true>)
               : (wide ? carryAdd<uint64_t, false> : carryAdd<uint32_t, false>),
      type, 2);
}

bool hasCarry(Lowering &l) {
  for (std::string_view part : l.s->parts)
    if (part == "cc")
      return true;
  return false;
}

bool lowerAddSub(Lowering &l) {
  bool subtract = l.root() == "sub";
  if (hasCarry(l))
    return lowerCarry(l, subtract, false);
  bool sat = l.take("sat");
  Ty type = l.takeType();
  if (type == Ty::U16x2 || type == Ty::S16x2)
    return !sat &&
           finish(l, subtract ? packed<uint16_t, Sub> : packed<uint16_t, Add>,
                  type, 2);
  if (sat)
    return type == Ty::S32 &&
           finish(l,
                  subtract ? binary<int32_t, SubSat> : binary<int32_t, AddSat>,
                  type, 2);
  return finish(l, subtract ? subOf(type) : addOf(type), type, 2);
}
bool lowerAddc(Lowering &l) { return lowerCarry(l, false, true); }
bool lowerSubc(Lowering &l) { return lowerCarry(l, true, true); }

bool lowerMul(Lowering &l) {
  std::string_view half = l.takeOneOf({"wide", "lo", "hi"});
  if (half.empty())
    return false;
  Ty type = l.takeType();
  if (half != "wide")
    return finish(l, half == "hi" ? mulHiOf(type) : mulLoOf(type), type, 2);
  Ty wide;
  switch (type) {
  case Ty::U16:
    l.inst.fn = mulWide<uint16_t, uint32_t>;
    wide = Ty::U32;
    break;
  case Ty::S16:
    l.inst.fn = mulWide<int16_t, int32_t>;
    wide = Ty::S32;
    break;
  case Ty::U32:
    l.inst.fn = mulWide<uint32_t, uint64_t>;
    wide = Ty::U64;
    break;
  case Ty::S32:
    l.inst.fn = mulWide<int32_t, int64_t>;
    wide = Ty::S64;
    break;
  default:
    return false;
  }
  if (!l.operands(3))
    return false;
  l.inst.a = l.src(1, type);
  l.inst.b = l.src(2, type);
  l.inst.d = l.dst(0, wide);
  return true;
}

bool lowerMadCarry(Lowering &l, bool in) {
  std::string_view half = l.takeOneOf({"lo", "hi"});
  bool out = l.take("cc");
  Ty type = l.takeType();
  l.inst.mode = (in ? 1 : 0) | (out ? 2 : 0);
  l.inst.e = l.carry(in, out);
  bool high = half == "hi";
  Handler fn = nullptr;
  switch (type) {
  case Ty::U32:
  case Ty::B32:
    fn = high ? carryMad<uint32_t, true> : carryMad<uint32_t, false>;
    break;
  case Ty::U64:
  case Ty::B64:
    fn = high ? carryMad<uint64_t, true> : carryMad<uint64_t, false>;
    break;
  default: // The low half of signed numbers is the same; the high one is not.
    if (!high)
      fn = widthOf(type) == 8 ? carryMad<uint64_t, false>
                              : carryMad<uint32_t, false>;
  }
  return finish(l, fn, type, 3);
}

bool lowerMad(Lowering &l) {
  if (hasCarry(l))
    return lowerMadCarry(l, false);
  std::string_view half = l.takeOneOf({"wide", "lo", "hi"});
  if (half.empty())
    return false;
  bool sat = l.take("sat");
  Ty type = l.takeType();
  if (sat)
    return half == "hi" && type == Ty::S32 &&
           finish(l, ternary<int32_t, MadHiSat>, type, 3);
  if (half != "wide")
    return finish(l, half == "hi" ? madHiOf(type) : madLoOf(type), type, 3);
  Ty wide;
  switch (type) {
  case Ty::U16:
    l.inst.fn = madWide<uint16_t, uint32_t>;
    wide = Ty::U32;
    break;
  case Ty::S16:
    l.inst.fn = madWide<int16_t, int32_t>;
    wide = Ty::S32;
    break;
  case Ty::U32:
    l.inst.fn = madWide<uint32_t, uint64_t>;
    wide = Ty::U64;
    break;
  case Ty::S32:
    l.inst.fn = madWide<int32_t, int64_t>;
    wide = Ty::S64;
    break;
  default:
    return false;
  }
  if (!l.operands(4))
    return false;
  l.inst.a = l.src(1, type);
  l.inst.b = l.src(2, type);
  l.inst.c = l.src(3, wide);
  l.inst.d = l.dst(0, wide);
  return true;
}
bool lowerMadc(Lowering &l) { return lowerMadCarry(l, true); }

bool lowerMul24(Lowering &l) {
  bool high = l.takeOneOf({"lo", "hi"}) == "hi";
  Ty type = l.takeType();
  bool mad = l.root() == "mad24";
  Handler fn = nullptr;
  if (type == Ty::S32)
    fn = mad ? (high ? mul24<int32_t, true, true> : mul24<int32_t, false, true>)
             : (high ? mul24<int32_t, true, false>
                     : mul24<int32_t, false, false>);
  if (type == Ty::U32)
    fn = mad ? (high ? mul24<uint32_t, true, true>
                     : mul24<uint32_t, false, true>)
             : (high ? mul24<uint32_t, true, false>
                     : mul24<uint32_t, false, false>);
  return finish(l, fn, type, mad ? 3 : 2);
}

/// Min or Max, clamped at zero.
template <class Op>
struct Clamped {
  template <class T>
  static T apply(T a, T b) {
    return std::max(Op::apply(a, b), T(0));
  }
};

bool lowerMinMax(Lowering &l) {
  bool isMin = l.root() == "min";
  bool relu = l.take("relu");
  Ty type = l.takeType();
  if (relu && type == Ty::S32)
    return finish(l,
                  isMin ? binary<int32_t, Clamped<Min>>
                        : binary<int32_t, Clamped<Max>>,
                  type, 2);
  if (relu)
    return type == Ty::S16x2 && finish(l,
                                       isMin ? packed<int16_t, Clamped<Min>>
                                             : packed<int16_t, Clamped<Max>>,
                                       type, 2);
  if (type == Ty::U16x2)
    return finish(l, isMin ? packed<uint16_t, Min> : packed<uint16_t, Max>,
                  type, 2);
  if (type == Ty::S16x2)
    return finish(l, isMin ? packed<int16_t, Min> : packed<int16_t, Max>, type,
                  2);
  return finish(l, isMin ? minOf(type) : maxOf(type), type, 2);
}

bool lowerDot4(Lowering &l) {
  Ty a = l.takeType(), b = l.takeType();
  if (!l.operands(4))
    return false;
  bool sa = isSigned(a), sb = isSigned(b);
  l.inst.fn = sa ? (sb ? dot4<int8_t, int8_t> : dot4<int8_t, uint8_t>)
                 : (sb ? dot4<uint8_t, int8_t> : dot4<uint8_t, uint8_t>);
  l.inst.a = l.src(1, Ty::U32);
  l.inst.b = l.src(2, Ty::U32);
  l.inst.c = l.src(3, Ty::U32);
  l.inst.d = l.dst(0, Ty::U32);
  return true;
}

template <Handler (*Of)(Ty), unsigned Sources>
bool simple(Lowering &l) {
  Ty type = l.takeType();
  return finish(l, Of(type), type, Sources);
}

} // namespace

void coil::cudasim::registerIntegerOps(Registry &r) {
  r["add.i"] = r["sub.i"] = lowerAddSub;
  r["addc"] = lowerAddc;
  r["subc"] = lowerSubc;
  r["mul.i"] = lowerMul;
  r["mad.i"] = lowerMad;
  r["madc"] = lowerMadc;
  r["mul24"] = r["mad24"] = lowerMul24;
  r["div.i"] = simple<divOf, 2>;
  r["rem"] = simple<remOf, 2>;
  r["min.i"] = r["max.i"] = lowerMinMax;
  r["neg.i"] = simple<negOf, 1>;
  r["abs.i"] = simple<absOf, 1>;
  r["sad"] = simple<sadOf, 3>;
  r["dp4a"] = lowerDot4;
}
