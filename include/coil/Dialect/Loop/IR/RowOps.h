//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums of rows, for those files that make, change or emit them.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_LOOP_IR_ROWOPS_H
#define COIL_DIALECT_LOOP_IR_ROWOPS_H

#include "coil/Dialect/Loop/IR/Loop.h"
#include "coil/Dialect/Sym/IR/Expr.h"

#define GET_OP_CLASSES
#include "coil/Dialect/Loop/IR/LoopRowOps.h.inc"

#endif // COIL_DIALECT_LOOP_IR_ROWOPS_H
