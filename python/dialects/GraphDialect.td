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

include "coil/Dialect/Graph/IR/GraphOps.td"
include "coil/Dialect/Graph/IR/GraphDeviceOps.td"
include "coil/Dialect/Graph/IR/GraphRandomOps.td"
include "coil/Dialect/Graph/IR/GraphSegmentOps.td"
