//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversion of operators of `graph` to `linalg` and `tensor`.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_CONVERSION_GRAPHTOLINALG_GRAPHTOLINALG_H
#define COIL_CONVERSION_GRAPHTOLINALG_GRAPHTOLINALG_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"

namespace coil {

#define GEN_PASS_DECL_CONVERTGRAPHTOLINALGPASS
#include "coil/Conversion/BridgePasses.h.inc"

} // namespace coil

#endif // COIL_CONVERSION_GRAPHTOLINALG_GRAPHTOLINALG_H
