//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements of all types, one at a time.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_SCALAR_H
#define COIL_LIB_RUNTIME_SCALAR_H

#include "coil/Runtime/HostABI.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace coil::rt {

/// An element of any type: an integer, or a float, which a double holds.
union Scalar {
  int64_t i;
  double f;
};

inline bool isFloat(int32_t dtype) { return dtype >= COIL_F16; }

inline Scalar load(const void *at, int32_t dtype) {
  Scalar value;
  (void)coil_rt_item(nullptr, at, dtype, &value);
  return value;
}

/// The bits of a small float: rounded to nearest, ties to even.
inline uint32_t encode(double value, int exponentBits, int mantissaBits,
                       bool hasInfinity) {
  uint32_t sign = std::signbit(value) ? 1u << (exponentBits + mantissaBits) : 0;
  uint32_t infinity = ((1u << exponentBits) - 1) << mantissaBits;
  uint32_t nan = hasInfinity ? infinity | 1u << (mantissaBits - 1)
                             : infinity | ((1u << mantissaBits) - 1);
  if (std::isnan(value))
    return sign | nan;
  double magnitude = std::fabs(value);
  if (magnitude == 0) // It has no exponent.
    return sign;
  int bias = (1 << (exponentBits - 1)) - 1, exponent = 0;
  std::frexp(magnitude, &exponent);
  // The unit of the last place, not below that of the least normal number.
  exponent = std::max(exponent - 1, 1 - bias);
  if (std::isinf(value))
    exponent = 1 << exponentBits;
  uint32_t bits = infinity + (1u << mantissaBits);
  if (exponent <= bias + 1) {
    double units =
        std::nearbyint(std::ldexp(magnitude, mantissaBits - exponent));
    // A carry into the exponent is what it should be.
    bits =
        uint32_t(exponent + bias - 1) * (1u << mantissaBits) + uint32_t(units);
  }
  if (hasInfinity)
    return sign | std::min(bits, infinity);
  return sign | (bits >= nan ? nan : bits);
}

inline void store(void *at, int32_t dtype, Scalar value) {
  auto put = [&](auto typed) { std::memcpy(at, &typed, sizeof(typed)); };
  switch (dtype) {
  case COIL_BOOL:
    return put(uint8_t(value.i != 0));
  case COIL_I8:
  case COIL_U8:
    return put(uint8_t(value.i));
  case COIL_I16:
  case COIL_U16:
    return put(uint16_t(value.i));
  case COIL_I32:
  case COIL_U32:
    return put(uint32_t(value.i));
  case COIL_I64:
  case COIL_U64:
    return put(value.i);
  case COIL_F16:
    return put(uint16_t(encode(value.f, 5, 10, true)));
  case COIL_BF16:
    return put(uint16_t(encode(value.f, 8, 7, true)));
  case COIL_F32:
    return put(float(value.f));
  case COIL_F64:
    return put(value.f);
  case COIL_F8E4M3FN:
    return put(uint8_t(encode(value.f, 4, 3, false)));
  case COIL_F8E5M2:
    return put(uint8_t(encode(value.f, 5, 2, true)));
  }
}

} // namespace coil::rt

#endif // COIL_LIB_RUNTIME_SCALAR_H
