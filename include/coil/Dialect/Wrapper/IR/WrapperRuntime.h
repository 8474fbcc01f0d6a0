//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops of the `wrapper` dialect on what a run has around the program: the
// caller's memory, profilers, hooks, generators, objects.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_WRAPPER_IR_WRAPPERRUNTIME_H
#define COIL_DIALECT_WRAPPER_IR_WRAPPERRUNTIME_H

#include "coil/Dialect/Wrapper/IR/Wrapper.h"

namespace coil::wrapper {

/// The run's generator of random numbers.
struct GeneratorResource
    : mlir::SideEffects::Resource::Base<GeneratorResource> {
  llvm::StringRef getName() final { return "<random generator>"; }
};

} // namespace coil::wrapper

#define GET_OP_CLASSES
#include "coil/Dialect/Wrapper/IR/WrapperRuntimeOps.h.inc"

namespace coil::wrapper {

/// The argument of the function that a buffer is, whose memory the caller
/// keeps; null for others. Resizing is looked through, views are not.
mlir::BlockArgument getCallersArgument(mlir::Value v);

} // namespace coil::wrapper

#endif // COIL_DIALECT_WRAPPER_IR_WRAPPERRUNTIME_H
