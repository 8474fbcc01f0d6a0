//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes kernels that users supply launchable.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_CONVERSION_USERKERNEL_USERKERNEL_H
#define COIL_CONVERSION_USERKERNEL_USERKERNEL_H

#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "mlir/Pass/Pass.h"

namespace coil {

#define GEN_PASS_DECL_WRAPPERLOWERUSERKERNELPASS
#include "coil/Conversion/Passes.h.inc"

} // namespace coil

#endif // COIL_CONVERSION_USERKERNEL_USERKERNEL_H
