//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes that give sizes names, and their registration.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_SYM_TRANSFORMS_PASSES_H
#define COIL_DIALECT_SYM_TRANSFORMS_PASSES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"

namespace coil::sym {

#define GEN_PASS_DECL
#include "coil/Dialect/Sym/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "coil/Dialect/Sym/Transforms/Passes.h.inc"

} // namespace coil::sym

#endif // COIL_DIALECT_SYM_TRANSFORMS_PASSES_H
