//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of f32.
//
//===----------------------------------------------------------------------===//

#include "Device.h"

using namespace coil::device;

COIL_DEVICE float coil_exp_fast_f32(float x) {
  return ex2Approx(x * 0x1.715476p+0f);
}
