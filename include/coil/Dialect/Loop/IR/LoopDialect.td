//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The `loop` dialect: definition and attributes.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_LOOP_IR_LOOPDIALECT_TD
#define COIL_DIALECT_LOOP_IR_LOOPDIALECT_TD

include "coil/Dialect/Loop/IR/LoopEnums.td"
include "coil/Dialect/Sym/IR/SymAttributes.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def Loop_Dialect : Dialect {
  let name = "loop";
  let cppNamespace = "::coil::loop";
  let summary = "loop kernels: iteration spaces with flat scalar bodies";
  let description = [{
    A kernel is an iteration space and one flat body of scalar SSA, run once for
    each point. Arithmetic is upstream's `arith` and `math`, so folding and CSE
    come for free; only what talks about the space is ours: loads and stores at
    index expressions, reductions, positions. A value varies over the dimensions
    that its loads mention, and a reduction takes some away; a value that does
    not vary over a dimension is computed once for it. Fusion is therefore
    splicing bodies and merging equal loads.

    Decided above: which operators there are, their types, their rounding.
    Decided here: which operators share a kernel (fusion), how indices simplify,
    and, as the attribute `#loop.schedule`, how the space is cut into threads,
    blocks and vectors. Not known here: addresses, lifetimes, streams. Kernels
    have value semantics until `outline-kernels` turns the function into a host
    program over buffers.

    Scalars in a body are signless integers and floats. Unsigned element types
    are loaded as signless ones; the operations chosen know the signedness.
  }];
  let dependentDialects = ["::coil::sym::SymDialect"];
  let useDefaultAttributePrinterParser = 1;
}

class Loop_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Loop_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Loop_ScheduleAttr : Loop_Attr<"Schedule", "schedule"> {
  let summary = "how a kernel's space is cut into threads, blocks and vectors";
  let description = [{
    Chosen by `loop-select-schedule`, applied by the conversion to the target;
    tests pin it and tuners rewrite it.

    * `library`: hand the kernel to a library instead (`"onednn"`); nothing else
      is read then.
    * `vector_dim`: the dimension whose points share a vector, -1 for none.
    * `vector_width`: elements of one vector.
    * `unroll`: vectors in flight in the innermost loop (independent
      accumulators in a reduction).
    * `block`: points of a vectorised parallel dimension that one task handles.
    * `grain`: tasks that a thread takes at a time.
    * `rows`: how a reduction along other dimensions than the vector's walks
      memory. 0: every step of vectors walks it for itself, accumulators in
      registers. Else a task walks whole rows of its block, so many at a time,
      accumulators in memory.
    * `keep`: for each result the number of the op of the body whose value the
      result's elements hold from the phase that first computes it until they
      are stored, -1 for none; later phases read the value instead of computing
      it again. Empty: no result holds any.

    Example:
    ```mlir
    #loop.schedule<vector_dim = 1, vector_width = 16, unroll = 2, block = 4096, grain = 1>
    ```
    A softmax whose result holds the exponentials, op 3 of its body:
    ```mlir
    #loop.schedule<vector_dim = 1, vector_width = 16, unroll = 2, grain = 64, keep = [3]>
    ```
  }];
  let parameters = (ins
    OptionalParameter<"::mlir::StringAttr">:$library,
    DefaultValuedParameter<"int64_t", "-1">:$vector_dim,
    DefaultValuedParameter<"int64_t", "1">:$vector_width,
    DefaultValuedParameter<"int64_t", "1">:$unroll,
    DefaultValuedParameter<"int64_t", "1">:$block,
    DefaultValuedParameter<"int64_t", "1">:$grain,
    DefaultValuedParameter<"int64_t", "0">:$rows,
    OptionalParameter<"::mlir::DenseI64ArrayAttr">:$keep);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Loop_ConvAttr : Loop_Attr<"Conv", "conv"> {
  let summary = "the kernel is this convolution";
  let description = [{
    Says that the kernel computes a convolution of its first operand with its
    second (`graph.conv`), so that a scheduler can choose a library without
    recognising padded loads. The body stays the meaning; passes that change
    what the kernel computes drop the attribute.

    Example:
    ```mlir
    #loop.conv<stride = [1, 1], padding = [1, 1], dilation = [1, 1], groups = 1>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$stride, ArrayRefParameter<"int64_t">:$padding,
    ArrayRefParameter<"int64_t">:$dilation, "int64_t":$groups);
  let assemblyFormat = [{
    `<` `stride` `=` `[` $stride `]` `,` `padding` `=` `[` $padding `]` `,`
    `dilation` `=` `[` $dilation `]` `,` `groups` `=` $groups `>`
  }];
}

#endif // COIL_DIALECT_LOOP_IR_LOOPDIALECT_TD
