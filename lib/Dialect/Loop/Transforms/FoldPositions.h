//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DIALECT_LOOP_TRANSFORMS_FOLDPOSITIONS_H
#define COIL_LIB_DIALECT_LOOP_TRANSFORMS_FOLDPOSITIONS_H

#include "coil/Dialect/Loop/IR/Loop.h"

namespace coil::loop {

/// Makes integers of a kernel that are expressions of positions part of the
/// indices that they are used as (`loop-fold-positions`).
void foldPositions(KernelOp kernel);

} // namespace coil::loop

#endif // COIL_LIB_DIALECT_LOOP_TRANSFORMS_FOLDPOSITIONS_H
