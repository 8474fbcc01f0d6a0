//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops whose number of iterations the host knows.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_CONVERSION_LOOPTOWRAPPER_LOOPCOUNT_H
#define COIL_LIB_CONVERSION_LOOPTOWRAPPER_LOOPCOUNT_H

#include "coil/Dialect/Graph/IR/Graph.h"
#include "coil/Dialect/Sym/IR/Expr.h"

namespace coil::wrapper {

/// How often the body of a loop runs: one that carries a number from a constant
/// in constant steps, while it is less than an expression of symbols. Null
/// for other loops. Zero or less is never.
sym::ExprAttr countIterations(graph::WhileOp op);

} // namespace coil::wrapper

#endif // COIL_LIB_CONVERSION_LOOPTOWRAPPER_LOOPCOUNT_H
