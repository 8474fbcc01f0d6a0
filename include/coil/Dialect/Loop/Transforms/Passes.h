//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes over loop kernels and their registration.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_LOOP_TRANSFORMS_PASSES_H
#define COIL_DIALECT_LOOP_TRANSFORMS_PASSES_H

#include "coil/Dialect/Target/IR/Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace coil::loop {

#define GEN_PASS_DECL
#include "coil/Dialect/Loop/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "coil/Dialect/Loop/Transforms/Passes.h.inc"

} // namespace coil::loop

#endif // COIL_DIALECT_LOOP_TRANSFORMS_PASSES_H
