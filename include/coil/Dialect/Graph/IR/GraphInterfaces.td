//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interfaces of `graph` operators.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_GRAPH_IR_GRAPHINTERFACES_TD
#define COIL_DIALECT_GRAPH_IR_GRAPHINTERFACES_TD

include "mlir/IR/OpBase.td"

def Graph_ElementwiseOpInterface : OpInterface<"ElementwiseOpInterface"> {
  let cppNamespace = "::coil::graph";
  let description = [{
    An operator that computes every element of its single result from the
    elements of its operands at the same (broadcast) position. Conversions need
    nothing else about it, so a new elementwise operator is one TableGen entry.
  }];
  let methods = [
    InterfaceMethod<[{
      Builds the scalar computation with `arith`, `math` and `loop.special`
      ops. `args` are scalars of the operands' element types as the loop level
      has them: signless integers, and `f32` in place of `f16` and `bf16`. The
      result is such a scalar, too.
    }], "::mlir::Value", "buildScalar",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::mlir::ValueRange":$args)>
  ];
}

#endif // COIL_DIALECT_GRAPH_IR_GRAPHINTERFACES_TD
