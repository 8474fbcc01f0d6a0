//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Control flow of the `graph` dialect: branches, loops, and numbers that only
// data knows.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_GRAPH_IR_GRAPHCONTROLOPS_TD
#define COIL_DIALECT_GRAPH_IR_GRAPHCONTROLOPS_TD

include "coil/Dialect/Graph/IR/GraphBase.td"
include "coil/Dialect/Loop/IR/LoopInterfaces.td"

def Graph_IfOp : Graph_Op<"if", [
    SingleBlock, RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<Loop_SymbolBinderOpInterface>]> {
  let summary = "the values of one of two regions";
  let description = [{
    Runs the first region if the predicate is true, else the second, and gives
    what that one yields. The regions use values from outside as they are.

    Only one region runs, so a branch may be expensive, or wrong for other values:
    `graph.select` computes both sides and is no substitute.

    The symbols of `defines` are bound after the op, to the values that the
    region which ran gives in `symbols` of its `graph.yield`. Results mention
    them where sizes differ by branch.

    It is still there at the stage `loop`: the regions are converted in place,
    and `convert-loop-to-wrapper` makes a `wrapper.if` of it.

    (C1) The predicate has one element.
    (C2) Each region ends in `graph.yield`, with as many symbols as the op
         defines, and has no arguments.
    (C3) Each region yields the results' types, in which the defined symbols
         stand for the yielded expressions.

    Example:
    ```mlir
    %0 = graph.if %p : tensor<i1> -> (tensor<4xf32>) {
      %1 = graph.sin %x : (tensor<4xf32>) -> tensor<4xf32>
      graph.yield %1 : tensor<4xf32>
    } else {
      graph.yield %x : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Graph_BoolTensor:$predicate,
                       OptionalAttr<StrArrayAttr>:$defines);
  let results = (outs Variadic<Graph_CarriedTensor>:$results);
  let regions = (region SizedRegion<1>:$thenRegion, SizedRegion<1>:$elseRegion);
  let assemblyFormat = [{
    $predicate `:` type($predicate) (`defines` $defines^)?
    (`->` `(` type($results)^ `)`)? attr-dict-with-keyword
    $thenRegion `else` $elseRegion
  }];
  let hasRegionVerifier = 1;
}

def Graph_WhileOp : Graph_Op<"while", [
    SingleBlock, RecursiveMemoryEffects]> {
  let summary = "the values of the last of many iterations";
  let description = [{
    Carries values from one iteration to the next: the first region gets them
    and says whether to go on, the second computes the next ones. The results
    are the values for which the condition does not hold; these are the operands
    if that is so at once. Both regions use values from outside as they are, so
    only what changes has to be carried.

    Carried values keep their types, sizes included: storage can be taken over
    from one iteration to the next.

    Like `graph.if`, it is still there at the stage `loop`.

    (C1) Results and the arguments of both regions have the operands' types.
    (C2) The first region ends in `graph.condition`, the second in
         `graph.yield` of these types, without symbols.

    Example:
    ```mlir
    %0:2 = graph.while %i, %x : tensor<i64>, tensor<4xf32> {
    ^bb0(%j: tensor<i64>, %y: tensor<4xf32>):
      %p = graph.compare lt, %j, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
      graph.condition %p : tensor<i1>
    } do {
    ^bb0(%j: tensor<i64>, %y: tensor<4xf32>):
      %k = graph.add %j, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %z = graph.sin %y : (tensor<4xf32>) -> tensor<4xf32>
      graph.yield %k, %z : tensor<i64>, tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Graph_CarriedTensor>:$inits);
  let results = (outs Variadic<Graph_CarriedTensor>:$results);
  let regions = (region SizedRegion<1>:$condition, SizedRegion<1>:$body);
  let assemblyFormat = [{
    ($inits^ `:` type($inits))? custom<SameTypes>(ref(type($inits)), type($results))
    attr-dict-with-keyword $condition `do` $body
  }];
  let hasRegionVerifier = 1;
}

def Graph_YieldOp : Graph_Op<"yield", [
    Pure, Terminator, ParentOneOf<["IfOp", "WhileOp"]>]> {
  let summary = "what a region gives";
  let description = [{
    Ends a region of `graph.if`, or the body of `graph.while`: the values that
    the op's results, or the next iteration, receive, and in `symbols` the values
    of the symbols that the op binds.

    (C1) The expressions mention symbols only.

    Example:
    ```mlir
    graph.yield %0 : tensor<?xf32, #sym.shape<[s0]>> symbols [s0]
    ```
  }];
  let arguments = (ins Variadic<Graph_CarriedTensor>:$values,
                       OptionalAttr<Sym_ShapeAttr>:$symbols);
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$values),
      "build($_builder, $_state, values, ::coil::sym::ShapeAttr());">];
  let assemblyFormat = [{
    ($values^ `:` type($values))? (`symbols` custom<ExprList>($symbols)^)?
    attr-dict
  }];
  let hasVerifier = 1;
}

def Graph_ConditionOp : Graph_Op<"condition", [
    Pure, Terminator, HasParent<"WhileOp">]> {
  let summary = "go on with a loop or leave it";
  let description = [{
    Ends the first region of a `graph.while`. The carried values go to the body
    if the predicate is true, else to the results.

    (C1) The predicate has one element.

    Example:
    ```mlir
    graph.condition %p : tensor<i1>
    ```
  }];
  let arguments = (ins Graph_BoolTensor:$predicate);
  let assemblyFormat = "$predicate attr-dict `:` type($predicate)";
  let hasVerifier = 1;
}

def Graph_ItemOp : Graph_Op<"item", [
    DeclareOpInterfaceMethods<Loop_SymbolBinderOpInterface>]> {
  let summary = "bind a symbol to the one element of a tensor";
  let description = [{
    The value of the tensor becomes a symbol, which types and expressions after
    the op can mention: a size that only data knows. The run fails when it is
    outside the symbol's range. A symbol without a range is a size, at least
    zero.

    Like `graph.if`, it is still there at the stage `loop`, and becomes a
    `wrapper.item`.

    (C1) The tensor has one element.

    Example:
    ```mlir
    graph.item "u0" = %n : tensor<i64>
    ```
  }];
  let arguments = (ins StrAttr:$symbol,
                       Graph_TensorOf<[Graph_IntOrBool]>:$source);
  let assemblyFormat = "$symbol `=` $source attr-dict `:` type($source)";
  let hasVerifier = 1;
}

#endif // COIL_DIALECT_GRAPH_IR_GRAPHCONTROLOPS_TD
