//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Base classes of elementwise operators. Operands broadcast as in NumPy;
// element types are equal and conversions explicit. Types after the colon are
// those of operands and result; one type stands for all operands, whose result
// is inferred: `graph.add %a, %b : tensor<4xf32>`.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_GRAPH_IR_GRAPHELEMENTWISEBASE_TD
#define COIL_DIALECT_GRAPH_IR_GRAPHELEMENTWISEBASE_TD

include "coil/Dialect/Graph/IR/GraphBase.td"
include "coil/Dialect/Graph/IR/GraphInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

// In C++ the interface is attached to the operators (ElementwiseTypes.cpp), so
// that the verifier, which does more, does not infer types as well. Generators
// of other languages, which only see this file, are told of it.
#ifdef COIL_BINDINGS
defvar Graph_InfersResult = [InferTypeOpInterface];
#else
defvar Graph_InfersResult = []<Trait>;
#endif

/// Base of all elementwise operators. `scalar` is a C++ expression over the
/// scalars `x`, `y`, `z` and the helper `s` (ScalarBuilder.h); `s.type()` is
/// the graph-level element type of the first operand.
class Graph_ElementwiseOp<string mnemonic, string scalar, list<Trait> traits = []>
    : Graph_Op<mnemonic, [
        Pure, DeclareOpInterfaceMethods<Graph_ElementwiseOpInterface>] # traits> {
  let assemblyFormat = [{
    operands attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  code definition = [{
    ::mlir::LogicalResult $cppClass::verify() {
      return ::coil::graph::verifyElementwise(*this);
    }
    ::mlir::Value $cppClass::buildScalar(::mlir::OpBuilder &builder,
                                         ::mlir::Location loc,
                                         ::mlir::ValueRange args) {
      ::coil::graph::ScalarBuilder s(builder, loc, (*this)->getOperandTypes());
      [[maybe_unused]] ::mlir::Value x = args[0];
      [[maybe_unused]] ::mlir::Value y = args.size() > 1 ? args[1] : ::mlir::Value();
      [[maybe_unused]] ::mlir::Value z = args.size() > 2 ? args[2] : ::mlir::Value();
      return }] # scalar # [{;
    }
  }];
  let extraClassDefinition = definition;
}

class Graph_UnaryOp<string mnemonic, Type operandType, string scalar,
                    list<Trait> traits = []>
    : Graph_ElementwiseOp<mnemonic, scalar,
                          [SameOperandsAndResultElementType]
                          # Graph_InfersResult # traits> {
  let arguments = (ins operandType:$input);
  let results = (outs operandType:$result);
  let assemblyFormat = [{
    $input attr-dict `:` custom<UnaryTypes>(type($input), type($result))
  }];
}

class Graph_UnaryPredicateOp<string mnemonic, Type operandType, string scalar>
    : Graph_ElementwiseOp<mnemonic, scalar, Graph_InfersResult> {
  let arguments = (ins operandType:$input);
  let results = (outs Graph_BoolTensor:$result);
  let assemblyFormat = [{
    $input attr-dict `:` custom<PredicateTypes>(type($input), type($result))
  }];
}

class Graph_BinaryOp<string mnemonic, Type operandType, string scalar,
                     list<Trait> traits = []>
    : Graph_ElementwiseOp<mnemonic, scalar,
                          [SameOperandsAndResultElementType]
                          # Graph_InfersResult # traits> {
  let arguments = (ins operandType:$lhs, operandType:$rhs);
  let results = (outs operandType:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:`
    custom<BinaryTypes>(type($lhs), type($rhs), type($result))
  }];
}

#endif // COIL_DIALECT_GRAPH_IR_GRAPHELEMENTWISEBASE_TD
