//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All ops of the `graph` dialect.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_GRAPH_IR_GRAPHOPS_TD
#define COIL_DIALECT_GRAPH_IR_GRAPHOPS_TD

include "coil/Dialect/Graph/IR/GraphCallOps.td"
include "coil/Dialect/Graph/IR/GraphControlOps.td"
include "coil/Dialect/Graph/IR/GraphPointwiseOps.td"
include "coil/Dialect/Graph/IR/GraphReductionOps.td"
include "coil/Dialect/Graph/IR/GraphSortOps.td"
include "coil/Dialect/Graph/IR/GraphDataOps.td"

#endif // COIL_DIALECT_GRAPH_IR_GRAPHOPS_TD
