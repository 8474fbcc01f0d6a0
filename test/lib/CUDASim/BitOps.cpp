//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Logic, shifts and other operations on bits.
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"
#include "Lower.h"

using namespace coil::cudasim;

namespace {

struct And {
  template <class T>
  static T apply(T a, T b) {
    return a & b;
  }
};
struct Or {
  template <class T>
  static T apply(T a, T b) {
    return a | b;
  }
};
struct Xor {
  template <class T>
  static T apply(T a, T b) {
    return a ^ b;
  }
};
struct Not {
  template <class T>
  static T apply(T a) {
    return static_cast<T>(~a);
  }
};
struct CNot {
  template <class T>
  static T apply(T a) {
    return a == 0;
  }
};
struct Brev {
  template <class T>
  static T apply(T a) {
    T r = 0;
    for (unsigned i = 0; i < 8 * sizeof(T); ++i)
      r |= (a >> i & 1) << (8 * sizeof(T) - 1 - i);
    return r;
  }
};

/// Shift counts are 32 bits wide and saturate at the width.
struct Shl {
  template <class T>
  static T apply(T a, uint32_t n) {
    return n >= 8 * sizeof(T) ? 0 : static_cast<T>(a << n);
  }
};
struct Shr {
  template <class T>
  static T apply(T a, uint32_t n) {
    if (n >= 8 * sizeof(T))
      n = 8 * sizeof(T) - 1, a = std::is_signed_v<T> ? a : 0;
    return static_cast<T>(a >> n);
  }
};

template <class T, class Op>
void shift(Warp &w, const Inst &inst, uint32_t mask) {
  const T *a = w.reg<const T>(inst.a);
  const uint32_t *b = w.reg<const uint32_t>(inst.b);
  mapLanes<T>(w, inst.d, mask,
              [=](unsigned i) { return Op::apply(a[i], b[i]); });
}

/// mode: 0 and, 1 or, 2 xor, 3 not.
void logicPred(Warp &w, const Inst &inst, uint32_t mask) {
  uint32_t a = w.pred(inst.a), b = inst.b == None ? 0 : w.pred(inst.b);
  setPred(w, inst.d, mask,
          inst.mode == 0   ? a & b
          : inst.mode == 1 ? a | b
          : inst.mode == 2 ? a ^ b
                           : ~a);
}

template <class Op>
Handler bitsOf(Ty type) {
  switch (widthOf(type)) {
  case 2:
    return binary<uint16_t, Op>;
  case 4:
    return binary<uint32_t, Op>;
  case 8:
    return binary<uint64_t, Op>;
  default:
    return nullptr;
  }
}

bool lowerLogic(Lowering &l) {
  std::string_view name = l.root();
  Ty type = l.takeType();
  bool isNot = name == "not";
  if (!l.operands(isNot ? 2 : 3))
    return false;
  if (type == Ty::Pred) {
    l.inst.fn = logicPred;
    l.inst.mode = name == "and" ? 0 : name == "or" ? 1 : name == "xor" ? 2 : 3;
    l.inst.a = l.predSrc(l.op(1));
    if (!isNot)
      l.inst.b = l.predSrc(l.op(2));
    l.inst.d = l.predDst(l.op(0).name);
    return true;
  }
  l.inst.a = l.src(1, type);
  if (!isNot)
    l.inst.b = l.src(2, type);
  l.inst.d = l.dst(0, type);
  unsigned width = widthOf(type);
  if (isNot)
    l.inst.fn = width == 2   ? unary<uint16_t, Not>
                : width == 4 ? unary<uint32_t, Not>
                             : unary<uint64_t, Not>;
  else
    l.inst.fn = name == "and"  ? bitsOf<And>(type)
                : name == "or" ? bitsOf<Or>(type)
                               : bitsOf<Xor>(type);
  return l.inst.fn != nullptr;
}

bool lowerCNot(Lowering &l) {
  Ty type = l.takeType();
  if (!l.operands(2))
    return false;
  unsigned width = widthOf(type);
  l.inst.a = l.src(1, type);
  l.inst.d = l.dst(0, type);
  l.inst.fn = width == 2   ? unary<uint16_t, CNot>
              : width == 4 ? unary<uint32_t, CNot>
                           : unary<uint64_t, CNot>;
  return true;
}

bool lowerShift(Lowering &l) {
  bool left = l.root() == "shl";
  Ty type = l.takeType();
  if (!l.operands(3))
    return false;
  l.inst.a = l.src(1, type);
  l.inst.b = l.src(2, Ty::U32);
  l.inst.d = l.dst(0, type);
  switch (widthOf(type)) {
  case 2:
    l.inst.fn = left             ? shift<uint16_t, Shl>
                : isSigned(type) ? shift<int16_t, Shr>
                                 : shift<uint16_t, Shr>;
    return true;
  case 4:
    l.inst.fn = left             ? shift<uint32_t, Shl>
                : isSigned(type) ? shift<int32_t, Shr>
                                 : shift<uint32_t, Shr>;
    return true;
  case 8:
    l.inst.fn = left             ? shift<uint64_t, Shl>
                : isSigned(type) ? shift<int64_t, Shr>
                                 : shift<uint64_t, Shr>;
    return true;
  default:
    return false;
  }
}

template <bool Left, bool Wrap>
void funnel(Warp &w, const Inst &inst, uint32_t mask) {
  const uint32_t *a = w.reg<const uint32_t>(inst.a),
                 *b = w.reg<const uint32_t>(inst.b),
                 *c = w.reg<const uint32_t>(inst.c);
  mapLanes<uint32_t>(w, inst.d, mask, [=](unsigned i) {
    uint64_t both = uint64_t(b[i]) << 32 | a[i];
    uint32_t n = Wrap ? c[i] & 31 : (c[i] > 32 ? 32 : c[i]);
    return static_cast<uint32_t>(Left ? (both << n) >> 32 : both >> n);
  });
}

bool lowerFunnel(Lowering &l) {
  bool left = l.takeOneOf({"l", "r"}) == "l";
  bool wrap = l.takeOneOf({"wrap", "clamp"}) == "wrap";
  if (l.takeType() != Ty::B32 || !l.operands(4))
    return false;
  l.inst.fn = left ? (wrap ? funnel<true, true> : funnel<true, false>)
                   : (wrap ? funnel<false, true> : funnel<false, false>);
  l.inst.a = l.src(1, Ty::B32);
  l.inst.b = l.src(2, Ty::B32);
  l.inst.c = l.src(3, Ty::B32);
  l.inst.d = l.dst(0, Ty::B32);
  return true;
}

/// The field of `len` bits at `pos`; beyond the top, a signed one is filled
/// with the sign of the topmost bit that there is.
template <class T>
T extractField(T a, uint32_t pos, uint32_t len) {
  constexpr uint32_t bits = 8 * sizeof(T);
  using U = std::make_unsigned_t<T>;
  pos &= 0xFF;
  len &= 0xFF;
  if (len == 0)
    return 0;
  uint32_t top = pos + len - 1 < bits - 1 ? pos + len - 1 : bits - 1;
  U fill = std::is_signed_v<T> && (U(a) >> top & 1) ? ~U(0) : U(0);
  U field = pos >= bits ? fill : U(U(a) >> pos);
  if (pos < bits && pos > 0 && fill)
    field |= ~U(0) << (bits - pos);
  if (len >= bits)
    return T(field);
  U ones = (U(1) << len) - 1;
  return T((field & ones) | (fill & ~ones));
}

template <class T>
void bfe(Warp &w, const Inst &inst, uint32_t mask) {
  const T *a = w.reg<const T>(inst.a);
  const uint32_t *b = w.reg<const uint32_t>(inst.b),
                 *c = w.reg<const uint32_t>(inst.c);
  mapLanes<T>(w, inst.d, mask,
              [=](unsigned i) { return extractField(a[i], b[i], c[i]); });
}

bool lowerBfe(Lowering &l) {
  Ty type = l.takeType();
  if (!l.operands(4))
    return false;
  l.inst.fn = type == Ty::U32   ? bfe<uint32_t>
              : type == Ty::S32 ? bfe<int32_t>
              : type == Ty::U64 ? bfe<uint64_t>
              : type == Ty::S64 ? bfe<int64_t>
                                : nullptr;
  l.inst.a = l.src(1, type);
  l.inst.b = l.src(2, Ty::U32);
  l.inst.c = l.src(3, Ty::U32);
  l.inst.d = l.dst(0, type);
  return l.inst.fn != nullptr;
}

template <class T>
void bfi(Warp &w, const Inst &inst, uint32_t mask) {
  constexpr uint32_t bits = 8 * sizeof(T);
  const T *a = w.reg<const T>(inst.a), *b = w.reg<const T>(inst.b);
  const uint32_t *c = w.reg<const uint32_t>(inst.c),
                 *e = w.reg<const uint32_t>(inst.e);
  mapLanes<T>(w, inst.d, mask, [=](unsigned i) {
    uint32_t pos = c[i] & 0xFF, len = e[i] & 0xFF;
    T ones = len >= bits ? ~T(0) : T((T(1) << len) - 1);
    T field = pos >= bits ? 0 : T(ones << pos);
    T value = pos >= bits ? 0 : T(a[i] << pos);
    return T((b[i] & ~field) | (value & field));
  });
}

bool lowerBfi(Lowering &l) {
  Ty type = l.takeType();
  if (!l.operands(5))
    return false;
  l.inst.fn = widthOf(type) == 4 ? bfi<uint32_t> : bfi<uint64_t>;
  l.inst.a = l.src(1, type);
  l.inst.b = l.src(2, type);
  l.inst.c = l.src(3, Ty::U32);
  l.inst.e = l.src(4, Ty::U32);
  l.inst.d = l.dst(0, type);
  return widthOf(type) >= 4;
}

void bmsk(Warp &w, const Inst &inst, uint32_t mask) {
  const uint32_t *a = w.reg<const uint32_t>(inst.a),
                 *b = w.reg<const uint32_t>(inst.b);
  bool wrap = inst.mode;
  mapLanes<uint32_t>(w, inst.d, mask, [=](unsigned i) {
    uint64_t pos = wrap ? a[i] & 31 : a[i], len = wrap ? b[i] & 31 : b[i];
    pos = pos > 32 ? 32 : pos;
    len = len > 32 ? 32 : len;
    return static_cast<uint32_t>(((1ull << len) - 1) << pos);
  });
}

bool lowerBmsk(Lowering &l) {
  l.inst.mode = l.takeOneOf({"clamp", "wrap"}) == "wrap";
  if (l.takeType() != Ty::B32 || !l.operands(3))
    return false;
  l.inst.fn = bmsk;
  l.inst.a = l.src(1, Ty::B32);
  l.inst.b = l.src(2, Ty::B32);
  l.inst.d = l.dst(0, Ty::B32);
  return true;
}

void szext(Warp &w, const Inst &inst, uint32_t mask) {
  const uint32_t *a = w.reg<const uint32_t>(inst.a),
                 *b = w.reg<const uint32_t>(inst.b);
  bool wrap = inst.mode & 1, sign = inst.mode & 2;
  mapLanes<uint32_t>(w, inst.d, mask, [=](unsigned i) {
    uint32_t n = wrap ? b[i] & 31 : (b[i] > 32 ? 32 : b[i]);
    if (n == 0)
      return 0u;
    if (n == 32)
      return a[i];
    uint32_t shifted = a[i] << (32 - n);
    return sign ? uint32_t(int32_t(shifted) >> (32 - n)) : shifted >> (32 - n);
  });
}

bool lowerSzext(Lowering &l) {
  l.inst.mode = l.takeOneOf({"clamp", "wrap"}) == "wrap";
  Ty type = l.takeType();
  if (widthOf(type) != 4 || !l.operands(3))
    return false;
  if (isSigned(type))
    l.inst.mode |= 2;
  l.inst.fn = szext;
  l.inst.a = l.src(1, type);
  l.inst.b = l.src(2, Ty::U32);
  l.inst.d = l.dst(0, type);
  return true;
}

template <class T, unsigned Which>
void count(Warp &w, const Inst &inst, uint32_t mask) {
  constexpr uint32_t bits = 8 * sizeof(T);
  const T *a = w.reg<const T>(inst.a);
  bool shiftAmount = inst.mode;
  mapLanes<uint32_t>(w, inst.d, mask, [=](unsigned i) -> uint32_t {
    using U = std::make_unsigned_t<T>;
    U v = U(a[i]);
    if (Which == 0)
      return __builtin_popcountll(v);
    if (Which == 2 && std::is_signed_v<T> && a[i] < 0)
      v = ~v;
    uint32_t zeros = v ? __builtin_clzll(v) - (64 - bits) : bits;
    if (Which == 1)
      return zeros;
    if (v == 0)
      return UINT32_MAX;
    return shiftAmount ? zeros : bits - 1 - zeros;
  });
}

bool lowerCount(Lowering &l) {
  std::string_view name = l.root();
  if (name == "bfind")
    l.inst.mode = l.take("shiftamt");
  Ty type = l.takeType();
  if (!l.operands(2) || widthOf(type) < 4)
    return false;
  bool wide = widthOf(type) == 8, sign = isSigned(type);
  if (name == "popc")
    l.inst.fn = wide ? count<uint64_t, 0> : count<uint32_t, 0>;
  else if (name == "clz")
    l.inst.fn = wide ? count<uint64_t, 1> : count<uint32_t, 1>;
  else
    l.inst.fn = wide ? (sign ? count<int64_t, 2> : count<uint64_t, 2>)
                     : (sign ? count<int32_t, 2> : count<uint32_t, 2>);
  l.inst.a = l.src(1, type);
  l.inst.d = l.dst(0, Ty::U32);
  return true;
}

bool lowerBrev(Lowering &l) {
  Ty type = l.takeType();
  if (!l.operands(2) || widthOf(type) < 4)
    return false;
  l.inst.fn =
      widthOf(type) == 8 ? unary<uint64_t, Brev> : unary<uint32_t, Brev>;
  l.inst.a = l.src(1, type);
  l.inst.d = l.dst(0, type);
  return true;
}

/// The n-th set bit from a base.
void fns(Warp &w, const Inst &inst, uint32_t mask) {
  const uint32_t *a = w.reg<const uint32_t>(inst.a),
                 *b = w.reg<const uint32_t>(inst.b);
  const int32_t *c = w.reg<const int32_t>(inst.c);
  mapActive<uint32_t>(w, inst.d, mask, [=](unsigned i) -> uint32_t {
    int32_t n = c[i];
    if (n == 0)
      return b[i] < 32 && (a[i] >> b[i] & 1) ? b[i] : UINT32_MAX;
    int step = n < 0 ? -1 : 1;
    for (int64_t at = b[i]; at >= 0 && at < 32; at += step)
      if ((a[i] >> at & 1) && (n -= step) == 0)
        return static_cast<uint32_t>(at);
    return UINT32_MAX;
  });
}

bool lowerFns(Lowering &l) {
  if (l.takeType() != Ty::B32 || !l.operands(4))
    return false;
  l.inst.fn = fns;
  l.inst.a = l.src(1, Ty::B32);
  l.inst.b = l.src(2, Ty::B32);
  l.inst.c = l.src(3, Ty::B32);
  l.inst.d = l.dst(0, Ty::B32);
  return true;
}

enum PrmtMode : uint8_t { Plain, F4E, B4E, RC8, ECL, ECR, RC16 };

uint32_t permute(uint64_t bytes, uint32_t selector, PrmtMode mode) {
  uint32_t s = selector & 3, r = 0;
  for (uint32_t j = 0; j < 4; ++j) {
    uint32_t from = 0;
    bool sign = false;
    switch (mode) {
    case Plain:
      from = selector >> (4 * j) & 7;
      sign = selector >> (4 * j) & 8;
      break;
    case F4E:
      from = s + j;
      break;
    case B4E:
      from = (s + 8 - j) & 7;
      break;
    case RC8:
      from = s;
      break;
    case ECL:
      from = j < s ? s : j;
      break;
    case ECR:
      from = j < s ? j : s;
      break;
    case RC16:
      from = (s & 1) * 2 + (j & 1);
      break;
    }
    uint32_t byte = bytes >> (8 * from) & 0xFF;
    if (sign)
      byte = byte & 0x80 ? 0xFF : 0;
    r |= byte << (8 * j);
  }
  return r;
}

void prmt(Warp &w, const Inst &inst, uint32_t mask) {
  const uint32_t *a = w.reg<const uint32_t>(inst.a),
                 *b = w.reg<const uint32_t>(inst.b),
                 *c = w.reg<const uint32_t>(inst.c);
  PrmtMode mode = static_cast<PrmtMode>(inst.mode);
  mapActive<uint32_t>(w, inst.d, mask, [=](unsigned i) {
    return permute(uint64_t(b[i]) << 32 | a[i], c[i], mode);
  });
}

bool lowerPrmt(Lowering &l) {
  if (l.takeType() != Ty::B32 || !l.operands(4))
    return false;
  std::string_view mode =
      l.takeOneOf({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  l.inst.mode = mode == "f4e"    ? F4E
                : mode == "b4e"  ? B4E
                : mode == "rc8"  ? RC8
                : mode == "ecl"  ? ECL
                : mode == "ecr"  ? ECR
                : mode == "rc16" ? RC16
                                 : Plain;
  l.inst.fn = prmt;
  l.inst.a = l.src(1, Ty::B32);
  l.inst.b = l.src(2, Ty::B32);
  l.inst.c = l.src(3, Ty::B32);
  l.inst.d = l.dst(0, Ty::B32);
  return true;
}

void lop3(Warp &w, const Inst &inst, uint32_t mask) {
  const uint32_t *a = w.reg<const uint32_t>(inst.a),
                 *b = w.reg<const uint32_t>(inst.b),
                 *c = w.reg<const uint32_t>(inst.c);
  uint32_t table = static_cast<uint32_t>(inst.imm);
  mapLanes<uint32_t>(w, inst.d, mask, [=](unsigned i) {
    uint32_t r = 0;
    for (unsigned k = 0; k < 8; ++k) {
      uint32_t term = (k & 4 ? a[i] : ~a[i]) & (k & 2 ? b[i] : ~b[i]) &
                      (k & 1 ? c[i] : ~c[i]);
      r |= table >> k & 1 ? term : 0;
    }
    return r;
  });
}

bool lowerLop3(Lowering &l) {
  if (l.takeType() != Ty::B32 || !l.operands(5) ||
      l.op(4).kind != ptx::Operand::Kind::Int)
    return false;
  l.inst.fn = lop3;
  l.inst.imm = l.op(4).value & 0xFF;
  l.inst.a = l.src(1, Ty::B32);
  l.inst.b = l.src(2, Ty::B32);
  l.inst.c = l.src(3, Ty::B32);
  l.inst.d = l.dst(0, Ty::B32);
  return true;
}

} // namespace

void coil::cudasim::registerBitOps(Registry &r) {
  r["and"] = r["or"] = r["xor"] = r["not"] = lowerLogic;
  r["cnot"] = lowerCNot;
  r["shl"] = r["shr"] = lowerShift;
  r["shf"] = lowerFunnel;
  r["bfe"] = lowerBfe;
  r["bfi"] = lowerBfi;
  r["bmsk"] = lowerBmsk;
  r["szext"] = lowerSzext;
  r["popc"] = r["clz"] = r["bfind"] = lowerCount;
  r["brev"] = lowerBrev;
  r["fns"] = lowerFns;
  r["prmt"] = lowerPrmt;
  r["lop3"] = lowerLop3;
}
