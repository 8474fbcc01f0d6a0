//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops of the `wrapper` dialect that are declared apart from the others, for
// those few files that execute or emit them.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_WRAPPER_IR_WRAPPERRUNTIMEOPS_TD
#define COIL_DIALECT_WRAPPER_IR_WRAPPERRUNTIMEOPS_TD

include "coil/Dialect/Wrapper/IR/WrapperObjectOps.td"
include "coil/Dialect/Wrapper/IR/WrapperRandomOps.td"
include "coil/Dialect/Wrapper/IR/WrapperRunOps.td"
include "coil/Dialect/Wrapper/IR/WrapperStorageOps.td"

#endif // COIL_DIALECT_WRAPPER_IR_WRAPPERRUNTIMEOPS_TD
