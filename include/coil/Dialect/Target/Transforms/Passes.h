//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes over what modules say of their target, and their registration.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_TARGET_TRANSFORMS_PASSES_H
#define COIL_DIALECT_TARGET_TRANSFORMS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace coil::target {

#define GEN_PASS_DECL
#include "coil/Dialect/Target/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "coil/Dialect/Target/Transforms/Passes.h.inc"

} // namespace coil::target

#endif // COIL_DIALECT_TARGET_TRANSFORMS_PASSES_H
