//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic of f32 and f64 in the rounding modes other than to nearest. This
// file is compiled with -frounding-math.
//
//===----------------------------------------------------------------------===//

#include "FloatFormat.h"
#include "FloatOps.h"

#include <cfenv>

using namespace coil::cudasim;

namespace {

/// Keeps the compiler from moving arithmetic over a change of the mode.
template <class T>
T opaque(T value) {
  volatile T v = value;
  return v;
}

template <class T, FloatOp Op>
T compute(T a, T b, T c) {
  switch (Op) {
  case FloatOp::Add:
    return a + b;
  case FloatOp::Sub:
    return a - b;
  case FloatOp::Mul:
    return a * b;
  case FloatOp::Div:
    return a / b;
  case FloatOp::Fma:
    return std::fma(a, b, c);
  case FloatOp::Sqrt:
    return std::sqrt(a);
  case FloatOp::Rcp:
    return T(1) / a;
  }
  return a;
}

template <class T, FloatOp Op>
void rounded(Warp &w, const Inst &inst, uint32_t mask) {
  Round round = static_cast<Round>(inst.mode & 7);
  bool ftz = inst.mode & 8, sat = inst.mode & 16;
  int old = fegetround();
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned i = __builtin_ctz(rest);
    T a = w.reg<const T>(inst.a)[i];
    T b = inst.b == None ? T(0) : w.reg<const T>(inst.b)[i];
    T c = inst.c == None ? T(0) : w.reg<const T>(inst.c)[i];
    if (ftz) {
      a = flush(a);
      b = flush(b);
      c = flush(c);
    }
    fesetround(round == Round::Zero   ? FE_TOWARDZERO
               : round == Round::Down ? FE_DOWNWARD
                                      : FE_UPWARD);
    T r = opaque(compute<T, Op>(opaque(a), opaque(b), opaque(c)));
    fesetround(old);
    if (ftz)
      r = flush(r);
    w.reg<T>(inst.d)[i] = sat ? saturate(r) : canonical(r);
  }
}

template <FloatOp Op>
Handler of(bool isF64) {
  return isF64 ? rounded<double, Op> : rounded<float, Op>;
}

} // namespace

Handler coil::cudasim::roundedHandler(FloatOp op, bool isF64) {
  switch (op) {
  case FloatOp::Add:
    return of<FloatOp::Add>(isF64);
  case FloatOp::Sub:
    return of<FloatOp::Sub>(isF64);
  case FloatOp::Mul:
    return of<FloatOp::Mul>(isF64);
  case FloatOp::Div:
    return of<FloatOp::Div>(isF64);
  case FloatOp::Fma:
    return of<FloatOp::Fma>(isF64);
  case FloatOp::Sqrt:
    return of<FloatOp::Sqrt>(isF64);
  case FloatOp::Rcp:
    return of<FloatOp::Rcp>(isF64);
  }
  return nullptr;
}
