//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which results of a kernel may be written over which operands.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_LOOP_ANALYSIS_INPLACE_H
#define COIL_DIALECT_LOOP_ANALYSIS_INPLACE_H

#include "coil/Dialect/Loop/IR/Loop.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <utility>

namespace coil::loop {

/// Returns the pairs of an operand and a result that may be the same storage:
/// every point of a pointwise kernel reads the operand only at the address at
/// which it writes the result, and before it does. The lists of strides are
/// those of the operands and of the results. The target of a scatter that
/// nothing else reads is such an operand, too.
llvm::SmallVector<std::pair<unsigned, unsigned>>
getInPlacePairs(KernelOp kernel, llvm::ArrayRef<sym::ShapeAttr> inputStrides,
                llvm::ArrayRef<sym::ShapeAttr> outputStrides);

/// The operand that nothing but `scatter` refers to and that its result
/// therefore may start in, if its target is one.
std::optional<unsigned> getInPlaceTarget(ScatterOp scatter);

/// Whether what the kernel stores is open (kUninitializedAttrName), and only
/// returned or written to.
bool isUninitialized(KernelOp kernel);

} // namespace coil::loop

#endif // COIL_DIALECT_LOOP_ANALYSIS_INPLACE_H
