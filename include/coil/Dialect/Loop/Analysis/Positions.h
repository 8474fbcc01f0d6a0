//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is known of the positions that an arg-reduction compares.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_LOOP_ANALYSIS_POSITIONS_H
#define COIL_DIALECT_LOOP_ANALYSIS_POSITIONS_H

#include "coil/Dialect/Loop/IR/Loop.h"
#include "coil/Dialect/Sym/IR/Expr.h"

#include <optional>

namespace coil::loop {

/// Returns the position of the first point of a reduction over `reducedDims`,
/// as an expression over the other dimensions, when positions grow from each
/// point to the next; else nothing. `context` knows the extents of all
/// dimensions.
std::optional<sym::ExprAttr>
getFirstPosition(ArgReduceOp reduce, llvm::ArrayRef<unsigned> reducedDims,
                 const sym::Context &context);

/// Returns whether all values of `position` are less than the greatest 32-bit
/// integer, which stands for none.
bool isNarrowPosition(sym::ExprAttr position, const sym::Context &context);

} // namespace coil::loop

#endif // COIL_DIALECT_LOOP_ANALYSIS_POSITIONS_H
