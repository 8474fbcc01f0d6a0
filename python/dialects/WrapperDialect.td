//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All operations of the dialect, for the module of Python.
//
//===----------------------------------------------------------------------===//

include "coil/Dialect/Wrapper/IR/WrapperOps.td"
include "coil/Dialect/Wrapper/IR/WrapperRuntimeOps.td"
include "coil/Dialect/Wrapper/IR/WrapperTransferOps.td"
include "coil/Dialect/Wrapper/IR/WrapperTensorMapOps.td"
