//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random numbers of distributions.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_GRAPH_IR_RANDOM_H
#define COIL_DIALECT_GRAPH_IR_RANDOM_H

#include "coil/Dialect/Graph/IR/Graph.h"

#include "coil/Dialect/Graph/IR/GraphRandomEnums.h.inc"

#define GET_OP_CLASSES
#include "coil/Dialect/Graph/IR/GraphRandomOps.h.inc"

#endif // COIL_DIALECT_GRAPH_IR_RANDOM_H
