//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversion of host programs to LLVM functions over the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_CONVERSION_WRAPPERTOLLVM_WRAPPERTOLLVM_H
#define COIL_CONVERSION_WRAPPERTOLLVM_WRAPPERTOLLVM_H

#include "mlir/Pass/Pass.h"

namespace coil {

#define GEN_PASS_DECL_CONVERTWRAPPERTOLLVMPASS
#include "coil/Conversion/Passes.h.inc"

} // namespace coil

#endif // COIL_CONVERSION_WRAPPERTOLLVM_WRAPPERTOLLVM_H
