//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversion of the `graph` dialect to loop kernels and views.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_CONVERSION_GRAPHTOLOOP_GRAPHVERIFYSTAGE_H
#define COIL_CONVERSION_GRAPHTOLOOP_GRAPHVERIFYSTAGE_H

#include "mlir/Pass/Pass.h"

namespace coil {

#define GEN_PASS_DECL_GRAPHVERIFYSTAGEPASS
#include "coil/Conversion/GraphStagePasses.h.inc"

} // namespace coil

#endif // COIL_CONVERSION_GRAPHTOLOOP_GRAPHVERIFYSTAGE_H
