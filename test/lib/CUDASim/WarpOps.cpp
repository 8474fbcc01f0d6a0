//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions that exchange values between the lanes of a warp.
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"
#include "Lower.h"

#include <algorithm>

using namespace coil::cudasim;

namespace {

enum ShflMode : uint8_t { Up, Down, Bfly, Idx };

void shfl(Warp &w, const Inst &inst, uint32_t mask) {
  const uint32_t *a = w.reg<const uint32_t>(inst.a),
                 *b = w.reg<const uint32_t>(inst.b),
                 *c = w.reg<const uint32_t>(inst.c);
  uint32_t r[Lanes];
  uint32_t inRange = 0;
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned i = __builtin_ctz(rest);
    uint32_t segment = c[i] >> 8 & 31, clamp = c[i] & 31, by = b[i] & 31;
    uint32_t most = (i & segment) | (clamp & ~segment);
    int from;
    bool ok;
    switch (inst.mode) {
    case Up:
      from = static_cast<int>(i) - static_cast<int>(by);
      ok = from >= static_cast<int>(most);
      break;
    case Down:
      from = static_cast<int>(i + by);
      ok = from <= static_cast<int>(most);
      break;
    case Bfly:
      from = static_cast<int>(i ^ by);
      ok = from <= static_cast<int>(most);
      break;
    default:
      from = static_cast<int>((i & segment) | (by & ~segment));
      ok = from <= static_cast<int>(most);
    }
    if (!ok)
      from = static_cast<int>(i);
    if (!(mask >> from & 1))
      return fault(w, inst, i, LaunchFailed,
                   "a shuffle reads lane " + std::to_string(from) +
                       ", which does not take part in it");
    r[i] = a[from];
    inRange |= uint32_t(ok) << i;
  }
  mapActive<uint32_t>(w, inst.d, mask, [&](unsigned i) { return r[i]; });
  if (inst.target != None)
    setPred(w, inst.v[0], mask, inRange);
}

/// Lowers the member mask, operand `o`.
void memberMask(Lowering &l, const ptx::Operand &o) {
  l.inst.kind = Kind::Converge;
  l.inst.e = l.src(o, Ty::B32);
}

bool lowerShfl(Lowering &l) {
  if (!l.take("sync"))
    return l.fail("only the .sync form is supported");
  std::string_view mode = l.takeOneOf({"up", "down", "bfly", "idx"});
  if (l.takeType() != Ty::B32 || mode.empty() || !l.operands(5))
    return false;
  l.inst.mode = mode == "up"     ? Up
                : mode == "down" ? Down
                : mode == "bfly" ? Bfly
                                 : Idx;
  l.inst.a = l.src(1, Ty::B32);
  l.inst.b = l.src(2, Ty::B32);
  l.inst.c = l.src(3, Ty::B32);
  memberMask(l, l.op(4));
  l.inst.d = l.dst(0, Ty::B32);
  if (!l.op(0).second.empty()) {
    l.setList({l.predDst(l.op(0).second)});
    l.inst.target = 1;
  }
  l.inst.fn = shfl;
  return true;
}

enum VoteMode : uint8_t { All, Any, Uni, Ballot };

void vote(Warp &w, const Inst &inst, uint32_t mask) {
  uint32_t p = (w.pred(inst.a) ^ static_cast<uint32_t>(inst.imm)) & mask;
  bool result = inst.mode == All   ? p == mask
                : inst.mode == Any ? p != 0
                                   : p == mask || p == 0;
  if (inst.mode == Ballot)
    mapActive<uint32_t>(w, inst.d, mask, [=](unsigned) { return p; });
  else
    setPred(w, inst.d, mask, result ? UINT32_MAX : 0);
}

bool lowerVote(Lowering &l) {
  if (!l.take("sync"))
    return l.fail("only the .sync form is supported");
  std::string_view mode = l.takeOneOf({"all", "any", "uni", "ballot"});
  Ty type = l.takeType();
  if (mode.empty() || !l.operands(3))
    return false;
  l.inst.mode = mode == "all"   ? All
                : mode == "any" ? Any
                : mode == "uni" ? Uni
                                : Ballot;
  l.inst.a = l.predSrc(l.op(1));
  l.inst.imm = l.op(1).negated ? UINT32_MAX : 0;
  memberMask(l, l.op(2));
  l.inst.d = mode == "ballot" ? l.dst(0, Ty::B32) : l.predDst(l.op(0).name);
  l.inst.fn = vote;
  return (type == Ty::B32) == (mode == "ballot");
}

template <class T, bool All>
void match(Warp &w, const Inst &inst, uint32_t mask) {
  const T *a = w.reg<const T>(inst.a);
  uint32_t r[Lanes] = {};
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned i = __builtin_ctz(rest);
    for (uint32_t other = mask; other; other &= other - 1) {
      unsigned j = __builtin_ctz(other);
      r[i] |= uint32_t(a[i] == a[j]) << j;
    }
  }
  bool same = r[__builtin_ctz(mask)] == mask;
  mapActive<uint32_t>(w, inst.d, mask, [&](unsigned i) {
    return All ? (same ? mask : 0) : r[i];
  });
  if (inst.target != None)
    setPred(w, inst.v[0], mask, same ? UINT32_MAX : 0);
}

bool lowerMatch(Lowering &l) {
  bool all = l.takeOneOf({"any", "all"}) == "all";
  if (!l.take("sync"))
    return false;
  Ty type = l.takeType();
  if (!l.operands(3) || widthOf(type) < 4)
    return false;
  l.inst.a = l.src(1, type);
  memberMask(l, l.op(2));
  l.inst.d = l.dst(0, Ty::B32);
  if (!l.op(0).second.empty()) {
    l.setList({l.predDst(l.op(0).second)});
    l.inst.target = 1;
  }
  bool wide = widthOf(type) == 8;
  l.inst.fn = all ? (wide ? match<uint64_t, true> : match<uint32_t, true>)
                  : (wide ? match<uint64_t, false> : match<uint32_t, false>);
  return true;
}

enum ReduxMode : uint8_t { RAdd, RMin, RMax, RAnd, ROr, RXor };

template <class T>
void redux(Warp &w, const Inst &inst, uint32_t mask) {
  const T *a = w.reg<const T>(inst.a);
  T r = a[__builtin_ctz(mask)];
  for (uint32_t rest = mask & (mask - 1); rest; rest &= rest - 1) {
    T v = a[__builtin_ctz(rest)];
    switch (inst.mode) {
    case RAdd:
      r = T(uint32_t(r) + uint32_t(v));
      break;
    case RMin:
      r = std::min(r, v);
      break;
    case RMax:
      r = std::max(r, v);
      break;
    case RAnd:
      r &= v;
      break;
    case ROr:
      r |= v;
      break;
    default:
      r ^= v;
    }
  }
  mapActive<T>(w, inst.d, mask, [=](unsigned) { return r; });
}

bool lowerRedux(Lowering &l) {
  static const char *const names[] = {"add", "min", "max", "and", "or", "xor"};
  if (!l.take("sync"))
    return false;
  bool found = false;
  for (uint8_t i = 0; i < 6; ++i)
    if (l.take(names[i])) {
      l.inst.mode = i;
      found = true;
    }
  Ty type = l.takeType();
  if (!found || !l.operands(3) || widthOf(type) != 4 || isFloat(type))
    return false;
  l.inst.a = l.src(1, type);
  memberMask(l, l.op(2));
  l.inst.d = l.dst(0, type);
  l.inst.fn = isSigned(type) ? redux<int32_t> : redux<uint32_t>;
  return true;
}

/// The leader is the lowest lane.
void elect(Warp &w, const Inst &inst, uint32_t mask) {
  uint32_t leader = __builtin_ctz(mask);
  mapActive<uint32_t>(w, inst.d, mask, [=](unsigned) { return leader; });
  setPred(w, inst.v[0], mask, 1u << leader);
}

bool lowerElect(Lowering &l) {
  if (!l.take("sync") || !l.operands(2) || l.op(0).second.empty())
    return false;
  memberMask(l, l.op(1));
  l.inst.d = l.dst(0, Ty::B32);
  l.setList({l.predDst(l.op(0).second)});
  l.inst.fn = elect;
  return true;
}

void activeMask(Warp &w, const Inst &inst, uint32_t mask) {
  mapActive<uint32_t>(w, inst.d, mask, [=](unsigned) { return mask; });
}

bool lowerActiveMask(Lowering &l) {
  if (l.takeType() != Ty::B32 || !l.operands(1))
    return false;
  l.inst.d = l.dst(0, Ty::B32);
  l.inst.fn = activeMask;
  return true;
}

} // namespace

void coil::cudasim::registerWarpOps(Registry &r) {
  r["shfl"] = lowerShfl;
  r["vote"] = lowerVote;
  r["match"] = lowerMatch;
  r["redux"] = lowerRedux;
  r["elect"] = lowerElect;
  r["activemask"] = lowerActiveMask;
}
