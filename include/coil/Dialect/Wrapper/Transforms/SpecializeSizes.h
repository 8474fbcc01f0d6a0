//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `wrapper-specialize-sizes` with a scheduler that is not registered.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_WRAPPER_TRANSFORMS_SPECIALIZESIZES_H
#define COIL_DIALECT_WRAPPER_TRANSFORMS_SPECIALIZESIZES_H

#include "coil/Dialect/Wrapper/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"

#include <functional>
#include <memory>

namespace coil::wrapper {

/// As the option `scheduler` of the pass, which is only its text then: adds the
/// passes that select a schedule for a kernel.
using BuildScheduler = std::function<void(mlir::OpPassManager &)>;

std::unique_ptr<mlir::Pass> createWrapperSpecializeSizesPass(
    const WrapperSpecializeSizesPassOptions &options, BuildScheduler build);

} // namespace coil::wrapper

#endif // COIL_DIALECT_WRAPPER_TRANSFORMS_SPECIALIZESIZES_H
