//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Positions that need no check.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_GRAPH_IR_INRANGE_H
#define COIL_DIALECT_GRAPH_IR_INRANGE_H

#include "llvm/ADT/StringRef.h"

namespace coil {

/// On a `graph.index_put`: whatever the operands hold, all positions are inside
/// of the tensor and none is negative, as numbers of elements are that a prefix
/// sum counts. An op without the attribute is always correct, so passes may
/// drop it.
inline constexpr llvm::StringLiteral kInRangeAttrName = "coil.in_range";

} // namespace coil

#endif // COIL_DIALECT_GRAPH_IR_INRANGE_H
