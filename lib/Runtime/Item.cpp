//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements that the host program reads.
//
//===----------------------------------------------------------------------===//

#include "Error.h"
#include "coil/Runtime/HostABI.h"

#include <cmath>
#include <cstring>

using namespace coil::rt;

/// The number that a small float format's bits stand for. `hasInfinity` says
/// whether the greatest exponent is for infinities and NaNs, as in IEEE 754, or
/// for numbers but the one pattern of all ones.
static double decode(uint32_t bits, int exponentBits, int mantissaBits,
                     bool hasInfinity) {
  uint32_t mantissaMask = (1u << mantissaBits) - 1;
  uint32_t exponentMask = (1u << exponentBits) - 1;
  uint32_t mantissa = bits & mantissaMask;
  uint32_t exponent = bits >> mantissaBits & exponentMask;
  double sign = bits >> (exponentBits + mantissaBits) & 1 ? -1 : 1;
  int bias = int(exponentMask >> 1);
  if (exponent == exponentMask) {
    if (hasInfinity)
      return mantissa ? NAN : sign * INFINITY;
    if (mantissa == mantissaMask)
      return NAN;
  }
  if (exponent == 0)
    return sign * std::ldexp(double(mantissa), 1 - bias - mantissaBits);
  return sign * std::ldexp(double(mantissa | (mantissaMask + 1)),
                           int(exponent) - bias - mantissaBits);
}

template <typename T>
static T read(const void *data) {
  T value;
  std::memcpy(&value, data, sizeof(T));
  return value;
}

static int32_t setInteger(void *out, int64_t value) {
  std::memcpy(out, &value, sizeof(value));
  return COIL_OK;
}

static int32_t setFloat(void *out, double value) {
  std::memcpy(out, &value, sizeof(value));
  return COIL_OK;
}

extern "C" int32_t coil_rt_item(coil_run *, const void *data, int32_t dtype,
                                void *out) {
  switch (dtype) {
  case COIL_BOOL:
    return setInteger(out, read<uint8_t>(data) != 0);
  case COIL_I8:
    return setInteger(out, read<int8_t>(data));
  case COIL_U8:
    return setInteger(out, read<uint8_t>(data));
  case COIL_I16:
    return setInteger(out, read<int16_t>(data));
  case COIL_U16:
    return setInteger(out, read<uint16_t>(data));
  case COIL_I32:
    return setInteger(out, read<int32_t>(data));
  case COIL_U32:
    return setInteger(out, read<uint32_t>(data));
  case COIL_I64:
  case COIL_U64:
    return setInteger(out, read<int64_t>(data));
  case COIL_F16:
    return setFloat(out, decode(read<uint16_t>(data), 5, 10, true));
  case COIL_BF16:
    return setFloat(out, decode(read<uint16_t>(data), 8, 7, true));
  case COIL_F32:
    return setFloat(out, read<float>(data));
  case COIL_F64:
    return setFloat(out, read<double>(data));
  case COIL_F8E4M3FN:
    return setFloat(out, decode(read<uint8_t>(data), 4, 3, false));
  case COIL_F8E5M2:
    return setFloat(out, decode(read<uint8_t>(data), 5, 2, true));
  default:
    return fail(COIL_INVALID_ARGUMENT, "cannot read an element of type %d",
                dtype);
  }
}
