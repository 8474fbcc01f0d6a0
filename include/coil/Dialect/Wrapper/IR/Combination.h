//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that are launched together.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_WRAPPER_IR_COMBINATION_H
#define COIL_DIALECT_WRAPPER_IR_COMBINATION_H

#include "coil/Dialect/Wrapper/IR/Wrapper.h"

#define GET_OP_CLASSES
#include "coil/Dialect/Wrapper/IR/WrapperCombinationOps.h.inc"

namespace coil::wrapper {

/// The attribute of launches that are parts of one launch of a
/// `wrapper.combination`: its name.
inline constexpr llvm::StringLiteral kCombinationAttrName =
    "wrapper.combination";
/// The launches that are one of a combination, of which \p first is the first;
/// none, if it is no such one.
llvm::SmallVector<LaunchOp> getCombinedLaunches(LaunchOp first);

} // namespace coil::wrapper

#endif // COIL_DIALECT_WRAPPER_IR_COMBINATION_H
