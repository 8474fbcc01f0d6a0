//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls of functions that Coil did not compile, in the `graph` dialect.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_GRAPH_IR_GRAPHCALLOPS_TD
#define COIL_DIALECT_GRAPH_IR_GRAPHCALLOPS_TD

include "coil/Dialect/Graph/IR/GraphBase.td"
include "coil/Dialect/Loop/IR/LoopInterfaces.td"

def Graph_CustomCallOp : Graph_Op<"custom_call", [
    DeclareOpInterfaceMethods<Loop_SymbolBinderOpInterface>]> {
  let summary = "call of a host function";
  let description = [{
    Calls a function that Coil does not compile, by the name under which it is
    registered where the program runs. Arguments are written as in
    `wrapper.extern_call`: tensors are operands, everything else stands for
    itself. The results are those of the function, then, for each operand that
    `mutates` lists, the tensor that the function makes of it. A function that
    gives a list or a tuple has a result for each tensor.

    The symbols of `defines` are sizes that only the function knows; results
    mention them, and so may what is after the op.

    Nothing is known of the function, so calls are neither removed nor moved past
    one another. Like `graph.if`, the op is still there at the stage `loop`, and
    becomes a `wrapper.extern_call_out`, or with `defines` a
    `wrapper.extern_call`.

    (C1) There is a `unit` among the arguments for each operand, and a name for
         each argument if there are names. Integers mention symbols only.
    (C2) `mutates` lists operands in ascending order, and the last results have
         their types.
    (C3) Each symbol of `defines` is the size of a result along some dimension,
         or that size divided by a constant.

    Example:
    ```mlir
    %y = graph.custom_call "mylib::scale"(%x, 2.0, none) names ["x", "factor", "bias"] : (tensor<4xf32>) -> tensor<4xf32>
    %n = graph.custom_call "mylib::nonzero"(%x) defines ["u0"] : (tensor<4xf32>) -> tensor<?x1xi64, #sym.shape<[u0, 1]>>
    ```
  }];
  let arguments = (ins StrAttr:$callee, ArrayAttr:$arguments,
                       Variadic<Graph_Tensor>:$operands,
                       OptionalAttr<StrArrayAttr>:$names,
                       OptionalAttr<DenseI64ArrayAttr>:$mutates,
                       OptionalAttr<StrArrayAttr>:$defines);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let assemblyFormat = [{
    $callee `` custom<CallArguments>($arguments, $operands) (`names` $names^)?
    (`mutates` $mutates^)? (`defines` $defines^)? attr-dict `:`
    functional-type($operands, $results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// How many results are what the function gives, not what it makes of
    /// operands.
    unsigned getNumGiven() {
      return getNumResults() -
             static_cast<unsigned>(getMutates().value_or(
                 ::llvm::ArrayRef<int64_t>()).size());
    }
    /// Where a symbol of `defines` is found: a result, a dimension, and what its
    /// size is divided by.
    struct SymbolSource {
      unsigned result;
      unsigned dim;
      int64_t divisor;
    };
    std::optional<SymbolSource> findSymbol(::llvm::StringRef name);
  }];
}

#endif // COIL_DIALECT_GRAPH_IR_GRAPHCALLOPS_TD
