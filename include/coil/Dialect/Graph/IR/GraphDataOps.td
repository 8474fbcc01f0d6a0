//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators that move elements: views, concatenation, padding, indexing; and
// those that create tensors.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_GRAPH_IR_GRAPHDATAOPS_TD
#define COIL_DIALECT_GRAPH_IR_GRAPHDATAOPS_TD

include "coil/Dialect/Graph/IR/GraphBase.td"
include "coil/Dialect/Loop/IR/LoopInterfaces.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

def Graph_ReshapeOp : Graph_Op<"reshape", [Pure, SameOperandsAndResultElementType]> {
  let summary = "same elements in row-major order, other sizes";
  let description = [{
    Reads the elements in row-major order into the result's shape. Squeeze,
    unsqueeze, flatten and view are reshapes.

    (C1) Operand and result have the same number of elements.
    (C2) Operand and result have one element type.

    Example:
    ```mlir
    %0 = graph.reshape %x : (tensor<4x6xf32>) -> tensor<2x12xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Graph_PermuteOp : Graph_Op<"permute", [Pure, SameOperandsAndResultElementType]> {
  let summary = "reordering of dimensions";
  let description = [{
    Dimension i of the result is dimension `permutation[i]` of the operand.

    (C1) `permutation` is a permutation of the dimensions.
    (C2) The result has the permuted sizes.
    (C3) Operand and result have one element type.

    Example:
    ```mlir
    %0 = graph.permute %x [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, DenseI64ArrayAttr:$permutation);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $input $permutation attr-dict `:` functional-type(operands, results)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$input,
                                 "::llvm::ArrayRef<int64_t>":$permutation)>];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Graph_BroadcastOp : Graph_Op<"broadcast", [Pure, SameOperandsAndResultElementType]> {
  let summary = "repetition along dimensions of size one";
  let description = [{
    Repeats the operand along new leading dimensions and dimensions of size
    one, as in NumPy.

    (C1) The operand's shape broadcasts to the result's shape.
    (C2) Operand and result have one element type.

    Example:
    ```mlir
    %0 = graph.broadcast %x : (tensor<1x6xf32>) -> tensor<2x4x6xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Graph_SliceOp : Graph_Op<"slice", [Pure, SameOperandsAndResultElementType]> {
  let summary = "every step-th element from a start on";
  let description = [{
    Along each dimension, element i of the result is element
    `starts[d] + i * steps[d]` of the operand. A negative step walks backward
    (flip).

    (C1) `starts` and `steps` have one entry for each dimension; no step is
         zero.
    (C2) Every element read exists, as far as constants tell.
    (C3) Operand and result have one element type.

    Example:
    ```mlir
    %0 = graph.slice %x starts <[0, 2]> steps [1, 2] : (tensor<4x6xf32>) -> tensor<4x2xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, Sym_ShapeAttr:$starts,
                       DenseI64ArrayAttr:$steps);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $input `starts` $starts `steps` $steps attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

def Graph_CatOp : Graph_Op<"cat", [Pure, SameOperandsAndResultElementType]> {
  let summary = "concatenation along a dimension";
  let description = [{
    Puts the operands one after the other along `dim`.

    (C1) There is an operand; all have the rank of the result; `dim` is inside.
    (C2) The sizes along `dim` add up to that of the result; all others are
         equal.
    (C3) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.cat %a, %b dim 0 : (tensor<2x4xf32>, tensor<3x4xf32>) -> tensor<5x4xf32>
    ```
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$inputs, I64Attr:$dim);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $inputs `dim` $dim attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Graph_PadOp : Graph_Op<"pad", [Pure]> {
  let summary = "padding with a constant";
  let description = [{
    Adds `low[d]` elements before and `high[d]` after each dimension; negative
    amounts crop.

    (C1) `low` and `high` have one entry for each dimension.
    (C2) The result sizes are the padded ones.
    (C3) Operand, result and `value` have one element type.

    Example:
    ```mlir
    %0 = graph.pad %x low [0, 1] high [0, 2] value 0.000000e+00 : f32 : (tensor<4x6xf32>) -> tensor<4x9xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, DenseI64ArrayAttr:$low,
                       DenseI64ArrayAttr:$high, TypedAttrInterface:$value);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $input `low` $low `high` $high `value` $value attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Graph_GatherOp : Graph_Op<"gather", [Pure]> {
  let summary = "elements at positions along one dimension";
  let description = [{
    Element `[..., i, ...]` of the result is element `[..., index[..., i, ...],
    ...]` of the operand, where the index stands at `dim`. A negative index
    counts from the end; an index out of range is a run-time error.

    (C1) Operand and index have the same rank, and `dim` is inside.
    (C2) The result has the sizes of the index, the element type of the operand.
    (C3) Except along `dim` the index is no larger than the operand, as far as
         constants tell.

    Example:
    ```mlir
    %0 = graph.gather %x, %i dim 1 : (tensor<4x6xf32>, tensor<4x2xi64>) -> tensor<4x2xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_IndexTensor:$index,
                       I64Attr:$dim);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    operands `dim` $dim attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Graph_IndexOp : Graph_Op<"index", [Pure]> {
  let summary = "sub-tensors at positions of several dimensions";
  let description = [{
    Indexes the dimensions `dims` with index tensors, which broadcast to one
    shape. That shape replaces the indexed dimensions when these are
    adjacent, else it comes first. With one index this is row selection
    (embedding, index_select). A negative index counts from the end; an index
    out of range is a run-time error.

    (C1) There is one index for each entry of `dims`; `dims` is sorted,
         distinct and inside the rank.
    (C2) The indices broadcast to one shape.
    (C3) The result has the described shape and the operand's element type.

    Example:
    ```mlir
    %0 = graph.index %x[%i] dims [0] : (tensor<128x16xf32>, tensor<2x3xi64>) -> tensor<2x3x16xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, Variadic<Graph_IndexTensor>:$indices,
                       DenseI64ArrayAttr:$dims);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $input `[` $indices `]` `dims` $dims attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Graph_ScatterOp : Graph_Op<"scatter", [Pure]> {
  let summary = "elements written at positions along one dimension";
  let description = [{
    The result is the first operand, in which element `[..., index[..., i, ...],
    ...]` becomes element `[..., i, ...]` of `source`, where the index stands at
    `dim`; with a kind, its combination with what is there. Positions that occur
    several times are combined in order; without a kind the last one wins. A
    negative index counts from the end; an index out of range is a run-time
    error.

    (C1) Operand, index and source have the same rank, and `dim` is inside.
    (C2) The result has the type of the operand, the source its element type.
    (C3) The index is no larger than the source, nor, except along `dim`, than
         the operand, as far as constants tell.
    (C4) `any` and `all` take bools, `xor` integers or bools, `sum` and `prod`
         numbers, `max` and `min` any element.

    Example:
    ```mlir
    %0 = graph.scatter sum %x, %i, %v dim 1 : (tensor<4x6xf32>, tensor<4x2xi64>, tensor<4x2xf32>) -> tensor<4x6xf32>
    ```
  }];
  let arguments = (ins OptionalAttr<Graph_ReduceKind>:$kind,
                       Graph_Tensor:$input, Graph_IndexTensor:$index,
                       Graph_Tensor:$source, I64Attr:$dim);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    ($kind^)? operands `dim` $dim attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Graph_IndexPutOp : Graph_Op<"index_put", [Pure]> {
  let summary = "sub-tensors written at positions of several dimensions";
  let description = [{
    The result is the first operand, in which the elements that `graph.index`
    would read with these indices become those of `values`; with a kind, their
    combination with what is there. Positions that occur several times are
    combined in order; without a kind the last one wins. A negative index counts
    from the end; an index out of range is a run-time error.

    (C1) There is one index for each entry of `dims`; `dims` is sorted,
         distinct and inside the rank.
    (C2) The indices broadcast to one shape.
    (C3) `values` has the shape that `graph.index` gives, and the operand's
         element type; the result has the operand's type.
    (C4) `any` and `all` take bools, `xor` integers or bools, `sum` and `prod`
         numbers, `max` and `min` any element.

    Example:
    ```mlir
    %0 = graph.index_put sum %x[%i], %v dims [0] : (tensor<128x16xf32>, tensor<3xi64>, tensor<3x16xf32>) -> tensor<128x16xf32>
    ```
  }];
  let arguments = (ins OptionalAttr<Graph_ReduceKind>:$kind,
                       Graph_Tensor:$input,
                       Variadic<Graph_IndexTensor>:$indices,
                       Graph_Tensor:$values, DenseI64ArrayAttr:$dims);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    ($kind^)? $input `[` $indices `]` `,` $values `dims` $dims attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

def Graph_ConstantOp : Graph_Op<"constant", [
    Pure, ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let summary = "tensor literal";
  let description = [{
    A tensor with static sizes and known elements.

    (C1) The value has the type of the result.

    Example:
    ```mlir
    %0 = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let builders = [OpBuilder<(ins "::mlir::ElementsAttr":$value), [{
    build($_builder, $_state, value.getType(), value);
  }]>];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Graph_FullOp : Graph_Op<"full", [Pure]> {
  let summary = "tensor of one value";
  let description = [{
    Every element is `value`. Sizes may be symbolic.

    (C1) `value` has the element type of the result.

    Example:
    ```mlir
    %0 = graph.full 0.000000e+00 : f32 -> tensor<4x6xf32>
    ```
  }];
  let arguments = (ins TypedAttrInterface:$value);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$value attr-dict `->` type($result)";
  let hasVerifier = 1;
}

def Graph_IotaOp : Graph_Op<"iota", [Pure]> {
  let summary = "arithmetic progression along a dimension";
  let description = [{
    Element `[..., i, ...]` is `start + i * step`, where i is the position along
    `dim`. Floats are computed in `f64` and rounded, to 16 bits through `f32`.

    (C1) `dim` is inside the rank.
    (C2) `start` and `step` both are integers or both floats of 64 bits, fitting
         the element type; bools are not progressions.

    Example:
    ```mlir
    %0 = graph.iota 0 : i64 step 1 : i64 dim 0 -> tensor<8xi64>
    ```
  }];
  let arguments = (ins TypedAttrInterface:$start, TypedAttrInterface:$step,
                       I64Attr:$dim);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = [{
    $start `step` $step `dim` $dim attr-dict `->` type($result)
  }];
  let hasVerifier = 1;
}

def Graph_ExprOp : Graph_Op<"expr", [Pure]> {
  let summary = "symbolic expression as a tensor of rank zero";
  let description = [{
    The value of an expression over symbols, for use in tensor arithmetic.

    (C1) The expression mentions symbols only.
    (C2) The result has rank zero and element type `i64` or a float.

    Example:
    ```mlir
    %0 = graph.expr <s0 * 2> -> tensor<i64>
    ```
  }];
  let arguments = (ins Sym_ExprAttr:$expr);
  let results = (outs Graph_TensorOf<[I64, F16, BF16, F32, F64]>:$result);
  let assemblyFormat = "$expr attr-dict `->` type($result)";
  let hasVerifier = 1;
}

def Graph_RandomBitsOp : Graph_Op<"random_bits", [Pure]> {
  let summary = "random words of a counter-based generator";
  let description = [{
    Philox 4x32-10 words, as the framework's CUDA kernels draw them, so that a
    seed gives the same numbers. `state` is the seed and the offset at which the
    call begins, in words of one stream. The op begins `skip` groups of four
    words later.

    A CUDA kernel of T = 256 min(`blocks`, ceil(n / 256)) threads draws for n
    elements; each thread has a stream of its own and takes `vector` neighbours
    at once, for which it draws whole groups of four words unless they are one.
    Element e, in row-major order, is of thread t = (e div `vector`) mod T, which
    has drawn k = (e div `vector`) div T times before. It gets word
    w = k u + e mod `vector` of the thread's stream, where u is 1 for a `vector`
    of 1 and else max(`vector`, 4): number w mod 4 of
    Philox(key = seed, counter = offset div 4 + `skip` + w div 4, stream = t).
    With a `vector` of n, element e gets word e of stream 0.

    (C1) `skip` and `vector` mention symbols only.
    (C2) A constant `vector` and `blocks` are positive.
    (C3) `skip` is not a negative constant.

    Example:
    ```mlir
    %0 = graph.random_bits %state skip <0> vector <4> blocks 1056 : tensor<2xi64> -> tensor<64x32xui32>
    ```
  }];
  let arguments = (ins 1DTensorOf<[I64]>:$state, Sym_ExprAttr:$skip,
                       Sym_ExprAttr:$vector, I64Attr:$blocks);
  let results = (outs Graph_TensorOf<[UI32]>:$result);
  let assemblyFormat = [{
    $state `skip` $skip `vector` $vector `blocks` $blocks attr-dict `:`
    type($state) `->` type($result)
  }];
  let extraClassDeclaration = [{
    /// Number of threads for `n` elements; positive even for none.
    static ::coil::sym::ExprAttr getNumThreads(::coil::sym::ExprAttr n,
                                               int64_t blocks);
    /// Groups of four words that drawing `n` elements takes of each stream.
    static ::coil::sym::ExprAttr getNumGroups(::coil::sym::ExprAttr n,
                                              int64_t blocks);
    /// Words that a thread draws at a time.
    static ::coil::sym::ExprAttr getNumWords(::coil::sym::ExprAttr vector);
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Framework operators
//===----------------------------------------------------------------------===//

def Graph_AtenOp : Graph_Op<"aten", [
    DeclareOpInterfaceMethods<Loop_SymbolBinderOpInterface>]> {
  let summary = "operator as the framework spells it";
  let description = [{
    A call of an operator overload, imported without interpretation. Tensors
    are operands; `operandNames` gives the schema argument of each (a name
    repeats for the elements of a tensor list; an element of a list with
    optional elements, `Tensor?[]`, carries its position: `indices.1`). All
    other arguments are in
    `arguments` under their schema names, defaults filled in: integers and bools
    as such, floats as `f64`, integer lists as `array<i64: ...>`, symbolic ones
    as `#sym.expr` and `#sym.shape`, dtypes as types, strings as strings; an
    absent optional argument is left out. `graph-legalize-aten` rewrites the
    ones that Coil knows; any other stays and is an error at the next boundary.

    The symbols of `defines` are sizes that only the operator's data decides
    (`nonzero`): results mention them, and so may what is after the op. What the
    op becomes binds them. `numbers` lists the operands, tensors of rank zero,
    that stand for Python numbers, floats that data gives: they do not take part
    in type promotion as tensors do.

    (C1) `operandNames` has one entry for each operand.
    (C2) No name is both in `operandNames` and in `arguments`.
    (C3) The name is `namespace.operator.overload`.
    (C4) Each symbol of `defines` is part of the size of a result.
    (C5) Each name of `numbers` is that of operands of rank zero.

    Example:
    ```mlir
    %0 = graph.aten "aten.add.Tensor"(%a, %b) ["self", "other"] {alpha = 1 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = graph.aten "aten.nonzero.default"(%a) ["self"] {} defines ["u0"] : (tensor<4xf32>) -> tensor<?x1xi64, #sym.shape<[u0, 1]>>
    ```
  }];
  let arguments = (ins StrAttr:$name, Variadic<AnyRankedTensor>:$inputs,
                       StrArrayAttr:$operandNames, DictionaryAttr:$arguments,
                       OptionalAttr<StrArrayAttr>:$defines,
                       OptionalAttr<StrArrayAttr>:$numbers);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let assemblyFormat = [{
    $name `(` $inputs `)` $operandNames $arguments (`defines` $defines^)?
    (`numbers` $numbers^)? attr-dict `:` functional-type($inputs, $outputs)
  }];
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$outputs,
                                 "::mlir::StringAttr":$name,
                                 "::mlir::ValueRange":$inputs,
                                 "::mlir::ArrayAttr":$operandNames,
                                 "::mlir::DictionaryAttr":$arguments), [{
    build($_builder, $_state, outputs, name, inputs, operandNames, arguments,
          ::mlir::ArrayAttr(), ::mlir::ArrayAttr());
  }]>];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The operands of the schema argument `name`.
    ::llvm::SmallVector<::mlir::Value> getTensors(::llvm::StringRef name);
    /// The only operand of the schema argument `name`, or null.
    ::mlir::Value getTensor(::llvm::StringRef name);
    /// The attribute of the schema argument `name`, or null.
    ::mlir::Attribute getArgument(::llvm::StringRef name);
    /// Whether the operands of the schema argument `name` stand for numbers.
    bool isNumber(::llvm::StringRef name);
  }];
}

#endif // COIL_DIALECT_GRAPH_IR_GRAPHDATAOPS_TD
