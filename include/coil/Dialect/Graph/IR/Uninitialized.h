//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensors that nobody has written to (`empty`).
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_GRAPH_IR_UNINITIALIZED_H
#define COIL_DIALECT_GRAPH_IR_UNINITIALIZED_H

#include "llvm/ADT/StringRef.h"

namespace coil {

/// On a `graph.full` of zeros and the `loop.kernel` it becomes: what the tensor
/// holds is open. Where it is only a result of the program, or what others
/// write to, it is allocated and not written. An op without the attribute is
/// always correct, so passes may drop it.
inline constexpr llvm::StringLiteral kUninitializedAttrName =
    "coil.uninitialized";

} // namespace coil

#endif // COIL_DIALECT_GRAPH_IR_UNINITIALIZED_H
