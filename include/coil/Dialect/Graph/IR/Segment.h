//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums over ranges of rows, for those files that make or lower them.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_GRAPH_IR_SEGMENT_H
#define COIL_DIALECT_GRAPH_IR_SEGMENT_H

#include "coil/Dialect/Graph/IR/Graph.h"

#define GET_OP_CLASSES
#include "coil/Dialect/Graph/IR/GraphSegmentOps.h.inc"

#endif // COIL_DIALECT_GRAPH_IR_SEGMENT_H
