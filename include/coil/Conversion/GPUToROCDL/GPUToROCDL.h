//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The conversion of GPU kernels to the LLVM and ROCDL dialects.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_CONVERSION_GPUTOROCDL_GPUTOROCDL_H
#define COIL_CONVERSION_GPUTOROCDL_GPUTOROCDL_H

#include "mlir/Pass/Pass.h"

namespace coil {

#define GEN_PASS_DECL_CONVERTGPUKERNELTOROCDLPASS
#include "coil/Conversion/Passes.h.inc"

} // namespace coil

#endif // COIL_CONVERSION_GPUTOROCDL_GPUTOROCDL_H
