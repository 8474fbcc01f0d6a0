//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes on host programs.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_WRAPPER_TRANSFORMS_PASSES_H
#define COIL_DIALECT_WRAPPER_TRANSFORMS_PASSES_H

#include "coil/Dialect/Target/IR/Target.h"
#include "mlir/Pass/Pass.h"

#include <string>

namespace coil::wrapper {

#define GEN_PASS_DECL
#include "coil/Dialect/Wrapper/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "coil/Dialect/Wrapper/Transforms/Passes.h.inc"

/// Name of the function attribute that reports the memory plan.
inline constexpr llvm::StringLiteral kMemoryAttrName = "wrapper.memory";

/// Name of the function that computes what `function` needs once, of weights
/// alone (`wrapper-hoist-weights`). Its result number i is the weight of this
/// name with ":i" after it.
std::string getPrepareName(llvm::StringRef function);

} // namespace coil::wrapper

#endif // COIL_DIALECT_WRAPPER_TRANSFORMS_PASSES_H
