//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recognition of what libraries and tensor cores do in `linalg` programs.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_CONVERSION_LINALGTOGRAPH_LINALGTOGRAPH_H
#define COIL_CONVERSION_LINALGTOGRAPH_LINALGTOGRAPH_H

#include "mlir/Pass/Pass.h"

namespace coil {

#define GEN_PASS_DECL_RAISELINALGTOGRAPHPASS
#include "coil/Conversion/BridgePasses.h.inc"

} // namespace coil

#endif // COIL_CONVERSION_LINALGTOGRAPH_LINALGTOGRAPH_H
