//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What MathText.h is written in, for single numbers: the operations of
// MathBuilder (lib/ExecutionEngine/MathBuilder.h), computed at once.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DEVICE_SCALARMATH_H
#define COIL_LIB_DEVICE_SCALARMATH_H

#include "Device.h"

namespace coil::device {

template <typename T>
struct WordOf;
template <>
struct WordOf<float> {
  using Type = uint32_t;
};
template <>
struct WordOf<double> {
  using Type = uint64_t;
};

#define COIL_SCALAR __attribute__((always_inline))

template <typename T>
class ScalarMath {
public:
  using Word = typename WordOf<T>::Type;
  struct Cond {
    ScalarMath *m;
    bool v;
    friend COIL_SCALAR Cond operator&(Cond x, Cond y) {
      return {x.m, x.v && y.v};
    }
  };
  struct Num {
    ScalarMath *m;
    T v;
#define COIL_SCALAR_OPERATOR(op)                                               \
  friend COIL_SCALAR Num operator op(Num x, Num y) {                           \
    return {x.m, x.v op y.v};                                                  \
  }                                                                            \
  friend COIL_SCALAR Num operator op(Num x, double y) {                        \
    return {x.m, x.v op static_cast<T>(y)};                                    \
  }                                                                            \
  friend COIL_SCALAR Num operator op(double x, Num y) {                        \
    return {y.m, static_cast<T>(x) op y.v};                                    \
  }
    COIL_SCALAR_OPERATOR(+)
    COIL_SCALAR_OPERATOR(-)
    COIL_SCALAR_OPERATOR(*)
    COIL_SCALAR_OPERATOR(/)
#undef COIL_SCALAR_OPERATOR
    friend COIL_SCALAR Num operator-(Num x) { return {x.m, -x.v}; }
#define COIL_SCALAR_COMPARISON(op)                                             \
  friend COIL_SCALAR Cond operator op(Num x, Num y) {                          \
    return {x.m, x.v op y.v};                                                  \
  }                                                                            \
  friend COIL_SCALAR Cond operator op(Num x, double y) {                       \
    return {x.m, x.v op static_cast<T>(y)};                                    \
  }
    COIL_SCALAR_COMPARISON(<)
    COIL_SCALAR_COMPARISON(<=)
    COIL_SCALAR_COMPARISON(>)
    COIL_SCALAR_COMPARISON(>=)
    COIL_SCALAR_COMPARISON(==)
#undef COIL_SCALAR_COMPARISON
  };
  struct Bits {
    ScalarMath *m;
    Word v;
  };
  struct Pair {
    Num hi, lo;
  };

  static constexpr bool isDouble = sizeof(T) == 8;
  COIL_SCALAR Num num(T v) { return {this, v}; }
  COIL_SCALAR Num num(float single, double wide) {
    if constexpr (isDouble)
      return {this, wide};
    else
      return {this, single};
  }
  COIL_SCALAR Bits integer(int64_t v) { return {this, static_cast<Word>(v)}; }
  COIL_SCALAR Num fma(Num x, Num y, Num z) {
    return {this, device::fma(x.v, y.v, z.v)};
  }
  COIL_SCALAR Num abs(Num x) { return {this, fabs(x.v)}; }
  COIL_SCALAR Num sqrt(Num x) { return {this, device::sqrt(x.v)}; }
  COIL_SCALAR Num copySign(Num magnitude, Num sign) {
    return {this, copysign(magnitude.v, sign.v)};
  }
  COIL_SCALAR Num select(Cond c, Num x, Num y) { return c.v ? x : y; }
  COIL_SCALAR Num select(Cond c, Num x, double y) {
    return {this, c.v ? x.v : static_cast<T>(y)};
  }
  COIL_SCALAR Num atMost(Num x, double limit) {
    return {this, x.v > static_cast<T>(limit) ? static_cast<T>(limit) : x.v};
  }
  COIL_SCALAR Num atLeast(Num x, double limit) {
    return {this, x.v < static_cast<T>(limit) ? static_cast<T>(limit) : x.v};
  }
  /// `compute()` where the condition holds.
  template <typename Compute>
  COIL_SCALAR Num whereAny(Cond c, Num otherwise, Compute compute) {
    return c.v ? compute() : otherwise;
  }
  COIL_SCALAR Bits bits(Num x) { return {this, device::bits(x.v)}; }
  COIL_SCALAR Num fromBits(Bits x) { return {this, device::fromBits(x.v)}; }
  COIL_SCALAR Bits add(Bits x, Bits y) { return {this, x.v + y.v}; }
  COIL_SCALAR Bits sub(Bits x, Bits y) { return {this, x.v - y.v}; }
  COIL_SCALAR Bits shl(Bits x, unsigned n) { return {this, x.v << n}; }
  COIL_SCALAR Bits lshr(Bits x, unsigned n) { return {this, x.v >> n}; }
  COIL_SCALAR Bits mask(Bits x, Bits y) { return {this, x.v & y.v}; }
  COIL_SCALAR Bits flip(Bits x, Bits y) { return {this, x.v ^ y.v}; }
  COIL_SCALAR Cond isNonZero(Bits x) { return {this, x.v != 0}; }
  COIL_SCALAR Cond isNegative(Num x) {
    return {this, device::bits(x.v) >> (getWidth() - 1) != 0};
  }
  static constexpr unsigned getMantissaBits() { return isDouble ? 52 : 23; }
  static constexpr unsigned getWidth() { return isDouble ? 64 : 32; }
  static constexpr int64_t getBias() { return isDouble ? 1023 : 127; }
  static constexpr double getMagic() { return isDouble ? 0x1.8p52 : 0x1.8p23; }
};

#undef COIL_SCALAR

/// Functions of float, in arithmetic of float.
namespace single {
using M = ScalarMath<float>;
#define COIL_MATH_TEXT COIL_INLINE
#include "MathText.h"
} // namespace single

/// Those of double, and functions of float that are computed in it.
namespace narrow {
using M = ScalarMath<double>;
#include "MathText.h"

#include "NarrowText.h"
#undef COIL_MATH_TEXT
} // namespace narrow

} // namespace coil::device

#endif // COIL_LIB_DEVICE_SCALARMATH_H
