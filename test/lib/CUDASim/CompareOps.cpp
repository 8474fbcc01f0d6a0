//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// setp, set, selp and slct.
//
//===----------------------------------------------------------------------===//

#include "FloatFormat.h"

using namespace coil::cudasim;

namespace {

enum class Cmp : uint8_t {
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  Equ,
  Neu,
  Ltu,
  Leu,
  Gtu,
  Geu,
  Num,
  Nan,
  Count
};

template <class T>
uint32_t compare(Cmp c, const T *a, const T *b) {
  switch (c) {
  case Cmp::Eq:
    return lanesWhere([=](unsigned i) { return a[i] == b[i]; });
  case Cmp::Ne: // Ordered: not for NaN.
    return lanesWhere([=](unsigned i) { return a[i] < b[i] || a[i] > b[i]; });
  case Cmp::Lt:
    return lanesWhere([=](unsigned i) { return a[i] < b[i]; });
  case Cmp::Le:
    return lanesWhere([=](unsigned i) { return a[i] <= b[i]; });
  case Cmp::Gt:
    return lanesWhere([=](unsigned i) { return a[i] > b[i]; });
  case Cmp::Ge:
    return lanesWhere([=](unsigned i) { return a[i] >= b[i]; });
  case Cmp::Equ:
    return lanesWhere(
        [=](unsigned i) { return !(a[i] < b[i]) && !(a[i] > b[i]); });
  case Cmp::Neu:
    return lanesWhere([=](unsigned i) { return !(a[i] == b[i]); });
  case Cmp::Ltu:
    return lanesWhere([=](unsigned i) { return !(a[i] >= b[i]); });
  case Cmp::Leu:
    return lanesWhere([=](unsigned i) { return !(a[i] > b[i]); });
  case Cmp::Gtu:
    return lanesWhere([=](unsigned i) { return !(a[i] <= b[i]); });
  case Cmp::Geu:
    return lanesWhere([=](unsigned i) { return !(a[i] < b[i]); });
  case Cmp::Num:
    return lanesWhere([=](unsigned i) { return a[i] == a[i] && b[i] == b[i]; });
  case Cmp::Nan:
    return lanesWhere([=](unsigned i) { return a[i] != a[i] || b[i] != b[i]; });
  case Cmp::Count:
    break;
  }
  return 0;
}

/// Inst::mode: the Cmp in the low 4 bits, 16 to flush subnormals.
template <class T>
uint32_t compareRegs(const Warp &w, const Inst &inst) {
  return compare(static_cast<Cmp>(inst.mode & 15), w.reg<const T>(inst.a),
                 w.reg<const T>(inst.b));
}

uint32_t compareFlushed(const Warp &w, const Inst &inst) {
  float a[Lanes], b[Lanes];
  for (unsigned i = 0; i < Lanes; ++i) {
    a[i] = flush(w.reg<const float>(inst.a)[i]);
    b[i] = flush(w.reg<const float>(inst.b)[i]);
  }
  return compare<float>(static_cast<Cmp>(inst.mode & 15), a, b);
}

template <bool BF16>
uint32_t compareHalf(const Warp &w, const Inst &inst, bool packed,
                     unsigned shift) {
  float a[Lanes], b[Lanes];
  auto get = [&](uint32_t reg, unsigned i) {
    uint16_t v =
        packed ? static_cast<uint16_t>(w.reg<const uint32_t>(reg)[i] >> shift)
               : w.reg<const uint16_t>(reg)[i];
    float f = BF16 ? decodeBF16(v) : decodeF16(v);
    // In f16 what .ftz flushes is below 2^-14.
    if ((inst.mode & 16) && std::fabs(f) < (BF16 ? 0x1p-126f : 0x1p-14f))
      f = 0;
    return f;
  };
  for (unsigned i = 0; i < Lanes; ++i) {
    a[i] = get(inst.a, i);
    b[i] = get(inst.b, i);
  }
  return compare<float>(static_cast<Cmp>(inst.mode & 15), a, b);
}

uint32_t result(const Warp &w, const Inst &inst, Ty type, bool high = false) {
  switch (type) {
  case Ty::U16:
  case Ty::B16:
    return compareRegs<uint16_t>(w, inst);
  case Ty::S16:
    return compareRegs<int16_t>(w, inst);
  case Ty::U32:
  case Ty::B32:
    return compareRegs<uint32_t>(w, inst);
  case Ty::S32:
    return compareRegs<int32_t>(w, inst);
  case Ty::U64:
  case Ty::B64:
    return compareRegs<uint64_t>(w, inst);
  case Ty::S64:
    return compareRegs<int64_t>(w, inst);
  case Ty::F32:
    return inst.mode & 16 ? compareFlushed(w, inst)
                          : compareRegs<float>(w, inst);
  case Ty::F64:
    return compareRegs<double>(w, inst);
  case Ty::F16:
    return compareHalf<false>(w, inst, false, 0);
  case Ty::BF16:
    return compareHalf<true>(w, inst, false, 0);
  case Ty::F16x2:
    return compareHalf<false>(w, inst, true, high ? 16 : 0);
  default:
    return compareHalf<true>(w, inst, true, high ? 16 : 0);
  }
}

/// Inst::imm: the type, and from bit 8 on: 1 and, 2 or, 3 xor with predicate c,
/// 4 the negation of c.
uint32_t combine(const Warp &w, const Inst &inst, uint32_t bits) {
  if (inst.c == None)
    return bits;
  uint32_t c = w.pred(inst.c);
  if (inst.imm >> 8 & 4)
    c = ~c;
  switch (inst.imm >> 8 & 3) {
  case 1:
    return bits & c;
  case 2:
    return bits | c;
  default:
    return bits ^ c;
  }
}

template <Ty T>
void setp(Warp &w, const Inst &inst, uint32_t mask) {
  uint32_t bits = result(w, inst, T);
  uint32_t other = inst.e == None ? 0
                   : T == Ty::F16x2 || T == Ty::BF16x2
                       ? result(w, inst, T, true)
                       : ~bits;
  setPred(w, inst.d, mask, combine(w, inst, bits));
  if (inst.e != None)
    setPred(w, inst.e, mask, combine(w, inst, other));
}

Handler setpOf(Ty type) {
  switch (type) {
  case Ty::U16:
  case Ty::B16:
    return setp<Ty::U16>;
  case Ty::S16:
    return setp<Ty::S16>;
  case Ty::U32:
  case Ty::B32:
    return setp<Ty::U32>;
  case Ty::S32:
    return setp<Ty::S32>;
  case Ty::U64:
  case Ty::B64:
    return setp<Ty::U64>;
  case Ty::S64:
    return setp<Ty::S64>;
  case Ty::F32:
    return setp<Ty::F32>;
  case Ty::F64:
    return setp<Ty::F64>;
  case Ty::F16:
    return setp<Ty::F16>;
  case Ty::BF16:
    return setp<Ty::BF16>;
  case Ty::F16x2:
    return setp<Ty::F16x2>;
  case Ty::BF16x2:
    return setp<Ty::BF16x2>;
  default:
    return nullptr;
  }
}

/// d = all ones or 1.0 where the comparison holds.
void set(Warp &w, const Inst &inst, uint32_t mask) {
  Ty type = static_cast<Ty>(inst.imm & 255), to = static_cast<Ty>(inst.target);
  uint32_t bits = combine(w, inst, result(w, inst, type));
  uint32_t high = 0;
  bool packed = type == Ty::F16x2 || type == Ty::BF16x2;
  if (packed)
    high = combine(w, inst, result(w, inst, type, true));
  uint32_t one = to == Ty::F32    ? 0x3F800000
                 : to == Ty::F16  ? 0x3C00
                 : to == Ty::BF16 ? 0x3F80
                                  : UINT32_MAX;
  if (packed) {
    uint32_t half = to == Ty::F16x2    ? 0x3C00
                    : to == Ty::BF16x2 ? 0x3F80
                                       : 0xFFFF;
    mapLanes<uint32_t>(w, inst.d, mask, [=](unsigned i) {
      return (bits >> i & 1 ? half : 0) | (high >> i & 1 ? half << 16 : 0);
    });
  } else if (widthOf(to) == 4) {
    mapLanes<uint32_t>(w, inst.d, mask,
                       [=](unsigned i) { return bits >> i & 1 ? one : 0; });
  } else {
    mapLanes<uint16_t>(w, inst.d, mask, [=](unsigned i) {
      return static_cast<uint16_t>(bits >> i & 1 ? one : 0);
    });
  }
}

bool takeCompare(Lowering &l, bool &isFloatCompare) {
  struct Name {
    const char *name;
    Cmp cmp;
  };
  // lo, ls, hi and hs are the unsigned forms of lt, le, gt and ge.
  static const Name names[] = {
      {"eq", Cmp::Eq},   {"ne", Cmp::Ne},   {"lt", Cmp::Lt},
      {"le", Cmp::Le},   {"gt", Cmp::Gt},   {"ge", Cmp::Ge},
      {"lo", Cmp::Lt},   {"ls", Cmp::Le},   {"hi", Cmp::Gt},
      {"hs", Cmp::Ge},   {"equ", Cmp::Equ}, {"neu", Cmp::Neu},
      {"ltu", Cmp::Ltu}, {"leu", Cmp::Leu}, {"gtu", Cmp::Gtu},
      {"geu", Cmp::Geu}, {"num", Cmp::Num}, {"nan", Cmp::Nan}};
  isFloatCompare = false;
  for (const Name &n : names) {
    if (l.take(n.name)) {
      l.inst.mode = static_cast<uint8_t>(n.cmp);
      isFloatCompare = n.cmp >= Cmp::Equ;
      return true;
    }
  }
  return false;
}

bool lowerCompare(Lowering &l) {
  Inst &inst = l.inst;
  bool isSet = l.root() == "set", floats;
  if (!takeCompare(l, floats))
    return false;
  std::string_view op = l.takeOneOf({"and", "or", "xor"});
  if (l.take("ftz"))
    inst.mode |= 16;
  Ty to = isSet ? l.takeType() : Ty::Pred;
  Ty type = l.takeType();
  if (!l.operands(op.empty() ? 3 : 4) || (floats && isInt(type)))
    return false;
  inst.a = l.src(1, type);
  inst.b = l.src(2, type);
  inst.imm = static_cast<int64_t>(type);
  if (!op.empty()) {
    inst.c = l.predSrc(l.op(3));
    inst.imm |= (op == "and" ? 1 : op == "or" ? 2 : 3) << 8;
    if (l.op(3).negated)
      inst.imm |= 4 << 8;
  }
  if (isSet) {
    inst.d = l.dst(0, to);
    inst.target = static_cast<uint32_t>(to);
    inst.fn = set;
    return widthOf(to) <= 4;
  }
  inst.d = l.predDst(l.op(0).name);
  if (!l.op(0).second.empty())
    inst.e = l.predDst(l.op(0).second);
  inst.fn = setpOf(type);
  return inst.fn != nullptr;
}

template <class T>
void selp(Warp &w, const Inst &inst, uint32_t mask) {
  const T *a = w.reg<const T>(inst.a), *b = w.reg<const T>(inst.b);
  uint32_t p = w.pred(inst.c) ^ static_cast<uint32_t>(inst.imm);
  mapLanes<T>(w, inst.d, mask,
              [=](unsigned i) { return p >> i & 1 ? a[i] : b[i]; });
}

bool lowerSelp(Lowering &l) {
  Ty type = l.takeType();
  if (!l.operands(4))
    return false;
  l.inst.a = l.src(1, type);
  l.inst.b = l.src(2, type);
  l.inst.c = l.predSrc(l.op(3));
  l.inst.imm = l.op(3).negated ? UINT32_MAX : 0;
  l.inst.d = l.dst(0, type);
  switch (widthOf(type)) {
  case 2:
    l.inst.fn = selp<uint16_t>;
    return true;
  case 4:
    l.inst.fn = selp<uint32_t>;
    return true;
  case 8:
    l.inst.fn = selp<uint64_t>;
    return true;
  default:
    return false;
  }
}

/// d = c >= 0 ? a : b
template <class T, class C, bool Ftz>
void slct(Warp &w, const Inst &inst, uint32_t mask) {
  const T *a = w.reg<const T>(inst.a), *b = w.reg<const T>(inst.b);
  const C *c = w.reg<const C>(inst.c);
  mapLanes<T>(w, inst.d, mask, [=](unsigned i) {
    bool first;
    if constexpr (Ftz)
      first = flush(c[i]) >= 0;
    else
      first = c[i] >= 0;
    return first ? a[i] : b[i];
  });
}

bool lowerSlct(Lowering &l) {
  bool ftz = l.take("ftz");
  Ty type = l.takeType(), on = l.takeType();
  if (!l.operands(4) || (on != Ty::S32 && on != Ty::F32))
    return false;
  l.inst.a = l.src(1, type);
  l.inst.b = l.src(2, type);
  l.inst.c = l.src(3, on);
  l.inst.d = l.dst(0, type);
  bool f = on == Ty::F32;
  switch (widthOf(type)) {
  case 2:
    l.inst.fn = !f    ? slct<uint16_t, int32_t, false>
                : ftz ? slct<uint16_t, float, true>
                      : slct<uint16_t, float, false>;
    return true;
  case 4:
    l.inst.fn = !f    ? slct<uint32_t, int32_t, false>
                : ftz ? slct<uint32_t, float, true>
                      : slct<uint32_t, float, false>;
    return true;
  case 8:
    l.inst.fn = !f    ? slct<uint64_t, int32_t, false>
                : ftz ? slct<uint64_t, float, true>
                      : slct<uint64_t, float, false>;
    return true;
  default:
    return false;
  }
}

} // namespace

void coil::cudasim::registerCompareOps(Registry &r) {
  r["setp"] = r["set"] = lowerCompare;
  r["selp"] = lowerSelp;
  r["slct"] = lowerSlct;
}
