//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversion of functions of loop kernels to host programs.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_CONVERSION_LOOPTOWRAPPER_LOOPTOWRAPPER_H
#define COIL_CONVERSION_LOOPTOWRAPPER_LOOPTOWRAPPER_H

#include "mlir/Pass/Pass.h"

namespace coil {

#define GEN_PASS_DECL_CONVERTLOOPTOWRAPPERPASS
#include "coil/Conversion/Passes.h.inc"

} // namespace coil

#endif // COIL_CONVERSION_LOOPTOWRAPPER_LOOPTOWRAPPER_H
