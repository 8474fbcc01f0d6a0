//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops over the lanes of a warp that the host compiler turns into vector
// instructions, and the shapes of plain handlers.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_TEST_LIB_CUDASIM_LANES_H
#define COIL_TEST_LIB_CUDASIM_LANES_H

#include "Sim.h"

#include <cstring>

// Registers of a warp are the same or disjoint, so lanes never overlap.
#ifdef __clang__
#define COIL_LANES _Pragma("clang loop vectorize(assume_safety)")
#else
#define COIL_LANES _Pragma("GCC ivdep")
#endif

namespace coil::cudasim {

/// d[lane] = f(lane) for the lanes of `mask`. f must be harmless on the others.
template <class D, class F>
inline void mapLanes(Warp &w, uint32_t to, uint32_t mask, F f) {
  D *d = w.reg<D>(to);
  if (mask == UINT32_MAX) {
    COIL_LANES
    for (unsigned i = 0; i < Lanes; ++i)
      d[i] = f(i);
    return;
  }
  D t[Lanes];
  COIL_LANES
  for (unsigned i = 0; i < Lanes; ++i)
    t[i] = f(i);
  COIL_LANES
  for (unsigned i = 0; i < Lanes; ++i)
    d[i] = (mask >> i) & 1 ? t[i] : d[i];
}

/// As mapLanes, calling f on the lanes of `mask` only.
template <class D, class F>
inline void mapActive(Warp &w, uint32_t to, uint32_t mask, F f) {
  D *d = w.reg<D>(to);
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned i = __builtin_ctz(rest);
    d[i] = f(i);
  }
}

/// The bits of a predicate for which f(lane) holds.
template <class F>
inline uint32_t lanesWhere(F f) {
  uint8_t flags[Lanes];
  COIL_LANES
  for (unsigned i = 0; i < Lanes; ++i)
    flags[i] = f(i);
  uint32_t bits = 0;
  COIL_LANES
  for (unsigned i = 0; i < Lanes; ++i)
    bits |= uint32_t(flags[i]) << i;
  return bits;
}

inline void setPred(Warp &w, uint32_t to, uint32_t mask, uint32_t bits) {
  uint32_t &p = w.pred(to);
  p = (p & ~mask) | (bits & mask);
}

template <class T, class Op>
void unary(Warp &w, const Inst &inst, uint32_t mask) {
  const T *a = w.reg<const T>(inst.a);
  mapLanes<T>(w, inst.d, mask, [=](unsigned i) { return Op::apply(a[i]); });
}
template <class T, class Op>
void binary(Warp &w, const Inst &inst, uint32_t mask) {
  const T *a = w.reg<const T>(inst.a), *b = w.reg<const T>(inst.b);
  mapLanes<T>(w, inst.d, mask,
              [=](unsigned i) { return Op::apply(a[i], b[i]); });
}
template <class T, class Op>
void ternary(Warp &w, const Inst &inst, uint32_t mask) {
  const T *a = w.reg<const T>(inst.a), *b = w.reg<const T>(inst.b),
          *c = w.reg<const T>(inst.c);
  mapLanes<T>(w, inst.d, mask,
              [=](unsigned i) { return Op::apply(a[i], b[i], c[i]); });
}

template <class To, class From>
inline To bitCast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof(To));
  return to;
}

} // namespace coil::cudasim

#endif // COIL_TEST_LIB_CUDASIM_LANES_H
