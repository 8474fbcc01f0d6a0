//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversion of TOSA to operators of `graph`.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_CONVERSION_TOSATOGRAPH_TOSATOGRAPH_H
#define COIL_CONVERSION_TOSATOGRAPH_TOSATOGRAPH_H

#include "mlir/Pass/Pass.h"

namespace coil {

#define GEN_PASS_DECL_CONVERTTOSATOGRAPHPASS
#include "coil/Conversion/BridgePasses.h.inc"

} // namespace coil

#endif // COIL_CONVERSION_TOSATOGRAPH_TOSATOGRAPH_H
