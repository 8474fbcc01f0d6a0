//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The special functions: the text that the host compiles, too, over lgamma and
// the elementary functions of the device.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DEVICE_SPECIAL_H
#define COIL_LIB_DEVICE_SPECIAL_H

#include "Gamma.h"

namespace coil::device {

COIL_INLINE bool isinf(double x) { return fabs(x) == infinity<double>; }

COIL_INLINE double nextafter(double x, double y) {
  if (isnan(x) || isnan(y))
    return notANumber<double>;
  if (x == y)
    return y;
  if (x == 0)
    return copysign(fromBits(static_cast<uint64_t>(1)), y);
  return fromBits((y > x) == (x > 0) ? bits(x) + 1 : bits(x) - 1);
}
COIL_INLINE float nextafter(float x, float y) {
  if (isnan(x) || isnan(y))
    return notANumber<float>;
  if (x == y)
    return y;
  if (x == 0)
    return copysign(fromBits(static_cast<uint32_t>(1)), y);
  return fromBits((y > x) == (x > 0) ? bits(x) + 1 : bits(x) - 1);
}

} // namespace coil::device

#define COIL_SPECIAL_NAMESPACE coil::device
#define COIL_SPECIAL_FUNCTION COIL_DEVICE_INTERNAL
#include "SpecialFunctions.h"

#include "BesselFunctions.h"
#include "OrthogonalPolynomials.h"

#endif // COIL_LIB_DEVICE_SPECIAL_H
