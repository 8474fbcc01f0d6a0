//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the files of floating-point instructions share.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_TEST_LIB_CUDASIM_FLOATOPS_H
#define COIL_TEST_LIB_CUDASIM_FLOATOPS_H

#include "Lower.h"

namespace coil::cudasim {

enum class FloatOp : uint8_t { Add, Sub, Mul, Div, Fma, Sqrt, Rcp };

/// Operations that round towards zero, down or up. Inst::mode is the Round,
/// plus 8 to flush subnormals and 16 to saturate.
Handler roundedHandler(FloatOp op, bool isF64);

/// div, sqrt and rcp with .approx or .full.
bool lowerApprox(Lowering &l);

} // namespace coil::cudasim

#endif // COIL_TEST_LIB_CUDASIM_FLOATOPS_H
