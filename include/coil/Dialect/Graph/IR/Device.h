//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where tensors are, in programs on several devices of one kind.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_GRAPH_IR_DEVICE_H
#define COIL_DIALECT_GRAPH_IR_DEVICE_H

#include "coil/Dialect/Graph/IR/Graph.h"

#define GET_OP_CLASSES
#include "coil/Dialect/Graph/IR/GraphDeviceOps.h.inc"

namespace coil::graph {

/// Of an argument or result of a function: how many positions it is after the
/// first device of the program (an integer; none is the first).
inline constexpr llvm::StringLiteral kDeviceIndexAttrName = "coil.device_index";

} // namespace coil::graph

#endif // COIL_DIALECT_GRAPH_IR_DEVICE_H
