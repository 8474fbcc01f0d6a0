//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Distributions of random numbers.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_GRAPH_IR_GRAPHRANDOMENUMS_TD
#define COIL_DIALECT_GRAPH_IR_GRAPHRANDOMENUMS_TD

include "mlir/IR/EnumAttr.td"

def Graph_Distribution : I32EnumAttr<"Distribution", "distribution", [
    I32EnumAttrCase<"Bits", 0, "bits">,
    I32EnumAttrCase<"Uniform", 1, "uniform">,
    I32EnumAttrCase<"Normal", 2, "normal">,
    I32EnumAttrCase<"Log", 3, "log">,
    I32EnumAttrCase<"Exponential", 4, "exponential">,
    I32EnumAttrCase<"Cauchy", 5, "cauchy">]> {
  let cppNamespace = "::coil::graph";
}

#endif // COIL_DIALECT_GRAPH_IR_GRAPHRANDOMENUMS_TD
