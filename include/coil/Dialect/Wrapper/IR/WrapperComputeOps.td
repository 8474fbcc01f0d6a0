//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops of the `wrapper` dialect that compute: kernels, launches, library calls.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_WRAPPER_IR_WRAPPERCOMPUTEOPS_TD
#define COIL_DIALECT_WRAPPER_IR_WRAPPERCOMPUTEOPS_TD

include "coil/Dialect/Wrapper/IR/WrapperEnums.td"
include "coil/Dialect/Wrapper/IR/WrapperInterfaces.td"
include "coil/Dialect/Wrapper/IR/WrapperTypes.td"
include "coil/Dialect/Wrapper/IR/WrapperUserAttributes.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

def Wrapper_KernelOp : Wrapper_Op<"kernel", [
    Symbol, SymbolTable, IsolatedFromAbove, SingleBlock, NoTerminator]> {
  let summary = "kernel that host programs launch";
  let description = [{
    Holds one kernel, in one of three forms. As a value function its block takes
    the inputs as tensors, holds one `loop.kernel` of exactly these inputs and
    yields its results. A conversion for a device then replaces the body by the
    device's function, under the kernel's name.

    The third form, with `parameters`, is a kernel that a user supplies, for
    `wrapper.launch_user`. Its code is the text `ptx`, a `gpu.module` in the body,
    or, where the CPU of the host runs the device's kernels, a function in the
    body, which is called for each block of the grid with what is passed, and
    then with the block's number along x, y and z, each an `i64`. `entry` is the
    function's name, that of the kernel if absent. On a GPU a block has `threads`
    along x, y and z, and `shared` bytes of dynamic shared memory.
    `reference` names a function in the body that says what the kernel computes:
    from the tensors that it reads and updates, then the numbers that are passed
    as tensors of rank zero, to those that it writes and updates; each list is
    in the order of the parameters.

    `input_strides` and `output_strides` hold a `#sym.shape` for each input and
    output. `symbols` names the symbols whose values a launch passes, in their
    order. `device` is where the kernel runs, `#wrapper.device<"cpu">` if absent;
    the conversion for a device takes the kernels of its own. `in_place` lists
    pairs of an input and an output that may be the same storage. `alignment`
    gives, for each input, the bytes that its address is known to be a multiple
    of, up to 16; absent, all buffers begin at multiples of 16. It matters to
    devices whose wide accesses must be aligned: an input may be a view that
    begins in the middle of a buffer. `total` is the number of points of the flattened outer space
    and `grain` how many of them one task should take at least; the conversion
    for the CPU sets both. The conversion for a GPU sets `geometry`. With
    `batch`, one launch does the work of that many: the kernel has the inputs of
    all of them, one launch's after another's, then their outputs, and finds
    them in a table.

    (C1) As a value function the body is one `loop.kernel` of the block's
         arguments in order, and a `wrapper.yield` of its results.
    (C2) Otherwise the body has no arguments and holds symbols only.
    (C3) There are strides for each input and each output, one for each
         dimension.
    (C4) The body, the strides, `total` and `geometry` mention only the listed
         symbols.
    (C5) `in_place` is a list of pairs of an existing input and output.
    (C6) `alignment` has a power of two from 1 to 16 for each input.
    (C7) A kernel with `batch` has a `geometry` of as many blocks along the
         second dimension, and a multiple of it of inputs and of outputs.
    (C8) A user's kernel has symbols only in its body, names no parameter twice,
         and has no strides, symbols or pairs.
    (C9) A user's kernel has exactly one of a text `ptx`, a `gpu.module` and a
         function `entry`.
    (C10) `threads` has three entries of one to 1024 threads together, and
         `shared` is not negative.
    (C11) The `reference` is a function in the body.
    (C12) Strides and sizes that are constants span at most 2^56 bytes, which is
         all that a program can address with five levels of page tables: offsets
         and sums of a few of them then fit into 64 bits.

    Example:
    ```mlir
    wrapper.kernel @relu_0(%x: tensor<4xf32>) attributes {
        input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>],
        symbols = [], in_place = array<i64: 0, 0>} {
      %0 = loop.kernel "relu" [4] (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
        %z = arith.constant 0.0 : f32
        %v = loop.load %a[d0] : tensor<4xf32> -> f32
        %m = arith.maximumf %v, %z : f32
        loop.store %m, 0 [d0] : f32
      }
      wrapper.yield %0 : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypedArrayAttrBase<Sym_ShapeAttr, "list of strides">:$input_strides,
                       TypedArrayAttrBase<Sym_ShapeAttr, "list of strides">:$output_strides,
                       StrArrayAttr:$symbols,
                       OptionalAttr<DenseI64ArrayAttr>:$in_place,
                       OptionalAttr<DenseI64ArrayAttr>:$alignment,
                       OptionalAttr<Wrapper_DeviceAttr>:$device,
                       OptionalAttr<Sym_ExprAttr>:$total,
                       OptionalAttr<I64Attr>:$grain,
                       OptionalAttr<Wrapper_GeometryAttr>:$geometry,
                       OptionalAttr<I64Attr>:$batch,
                       OptionalAttr<TypedArrayAttrBase<Wrapper_ParamAttr, "list of parameters">>:$parameters,
                       OptionalAttr<StrAttr>:$entry,
                       OptionalAttr<StrAttr>:$ptx,
                       OptionalAttr<DenseI64ArrayAttr>:$threads,
                       OptionalAttr<I64Attr>:$shared,
                       OptionalAttr<FlatSymbolRefAttr>:$reference);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Block *getBlock() { return &getBody().front(); }
    /// The kernel of the value form, or null.
    loop::KernelOp getLoopKernel();
    unsigned getNumInputs() {
      return static_cast<unsigned>(getInputStrides().size());
    }
    unsigned getNumOutputs() {
      return static_cast<unsigned>(getOutputStrides().size());
    }
    /// Whether `in_place` lists the pair.
    bool isInPlace(unsigned input, unsigned output);
    /// Whether a user supplied it.
    bool isUserKernel() { return getParametersAttr() != nullptr; }
    /// The name of its function.
    ::llvm::StringRef getEntryName() {
      return getEntry().value_or(getSymName());
    }
    ::mlir::LogicalResult verifyUserKernel();
  }];
}

def Wrapper_LaunchOp : Wrapper_Op<"launch", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<Wrapper_ComputeOpInterface, ["getComputeName"]>,
    DeclareOpInterfaceMethods<Wrapper_InPlaceOpInterface>]> {
  let summary = "run a kernel";
  let description = [{
    Runs a kernel over all its points: reads the inputs, writes all elements of
    the outputs. `symbols` are the values of the kernel's symbols.

    (C1) The callee is a `wrapper.kernel`.
    (C2) There are as many inputs, outputs and symbols as the kernel has.
    (C3) Buffers have the element types, sizes and strides that the kernel has
         for them, with its symbols replaced by those of the launch.

    Example:
    ```mlir
    wrapper.launch @relu_0[] ins(%x : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>) outs(%0 : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Sym_ShapeAttr:$symbols,
                       Arg<Variadic<Wrapper_Buffer>, "", [MemRead]>:$inputs,
                       Arg<Variadic<Wrapper_Buffer>, "", [MemWrite]>:$outputs);
  let assemblyFormat = [{
    $callee `` custom<ExprList>($symbols)
    (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    (`outs` `(` $outputs^ `:` type($outputs) `)`)? attr-dict
  }];
}

//===----------------------------------------------------------------------===//
// Library calls
//===----------------------------------------------------------------------===//

def Wrapper_ContractionOp : Wrapper_Op<"contraction", [
    Wrapper_ComputeOpInterface]> {
  let summary = "matrix multiplication by a library";
  let description = [{
    `c[b..., m, n] = post(sum over k of a[b..., m, k] * b[b..., k, n] + bias)`.

    `dims` are the batch sizes, then m, n and k. Every operand has a stride, in
    elements, for each of them (zero where it does not vary) and an optional
    offset of its first element: of the buffers' types only the extent matters.
    Products are summed in `f32`. Under `tf32` the library may round `a`
    and `b` to TF32; libraries of CPUs do not.

    (C1) There are three to seven dimensions, and strides for each.
    (C2) `a` does not vary over n, `b` not over m, `c` not over k.
    (C3) The bias has strides if it is there, and varies over m or n only.
    (C4) `a` and `b` have the same element type, `f32`, `f16` or `bf16`; `c` and
         the bias have that or `f32`.
    (C5) All expressions mention symbols only.
    (C6) `tf32` goes with factors of `f32`.
    (C7) The elements that it touches are between the first and the last of
         their buffer, as far as sizes, strides and offset are constants.

    Example:
    ```mlir
    wrapper.contraction "onednn"[s0, 32, 128]
        a(%x[128, 0, 1] : !wrapper.buffer<[s0, 128], f32, #wrapper.device<"cpu">>)
        b(%w[0, 128, 1] : !wrapper.buffer<[32, 128], f32, #wrapper.device<"cpu">>)
        bias(%v[0, 1, 0] : !wrapper.buffer<[32], f32, #wrapper.device<"cpu">>)
        c(%y[32, 1, 0] : !wrapper.buffer<[s0, 32], f32, #wrapper.device<"cpu">>) post relu
    ```
  }];
  let arguments = (ins StrAttr:$library, Sym_ShapeAttr:$dims,
                       Arg<Wrapper_Buffer, "", [MemRead]>:$a,
                       Sym_ShapeAttr:$a_strides, OptionalAttr<Sym_ExprAttr>:$a_offset,
                       Arg<Wrapper_Buffer, "", [MemRead]>:$b,
                       Sym_ShapeAttr:$b_strides, OptionalAttr<Sym_ExprAttr>:$b_offset,
                       Arg<Optional<Wrapper_Buffer>, "", [MemRead]>:$bias,
                       OptionalAttr<Sym_ShapeAttr>:$bias_strides, OptionalAttr<Sym_ExprAttr>:$bias_offset,
                       Arg<Wrapper_Buffer, "", [MemWrite]>:$c,
                       Sym_ShapeAttr:$c_strides, OptionalAttr<Sym_ExprAttr>:$c_offset,
                       Wrapper_PostOp:$post, UnitAttr:$tf32);
  let assemblyFormat = [{
    $library `` custom<ExprList>($dims)
    `a` `(` $a `` custom<ExprList>($a_strides) (`at` $a_offset^)? `:` type($a) `)`
    `b` `(` $b `` custom<ExprList>($b_strides) (`at` $b_offset^)? `:` type($b) `)`
    (`bias` `(` $bias^ `` custom<ExprList>($bias_strides) (`at` $bias_offset^)? `:` type($bias) `)`)?
    `c` `(` $c `` custom<ExprList>($c_strides) (`at` $c_offset^)? `:` type($c) `)`
    `post` $post (`tf32` $tf32^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Wrapper_ConvolutionOp : Wrapper_Op<"convolution", [
    Wrapper_ComputeOpInterface]> {
  let summary = "convolution by a library";
  let description = [{
    Convolution of `x`, `[n, c, spatial...]`, with `w`, `[o, c / groups,
    spatial...]`, to `y`, `[n, o, spatial...]`, with an optional bias for each
    output channel. Layouts are those of the buffers. Under `tf32` the library
    may round `x` and `w` to TF32; libraries of CPUs do not.

    (C1) `x`, `w` and `y` have the same rank, three to five.
    (C2) There is a positive stride, a positive dilation and a padding that is
         not negative for each spatial dimension, and `groups` is positive.
    (C3) The bias has rank one.
    (C4) `x` and `w` have the same element type, `f32`, `f16` or `bf16`; `y` and
         the bias have that or `f32`.
    (C5) `tf32` goes with factors of `f32`.

    Example:
    ```mlir
    wrapper.convolution "onednn" ins(%x, %w : !wrapper.buffer<[s0, 3, 8, 8], f32, #wrapper.device<"cpu">>, !wrapper.buffer<[16, 3, 3, 3], f32, #wrapper.device<"cpu">>)
        outs(%y : !wrapper.buffer<[s0, 16, 8, 8], f32, #wrapper.device<"cpu">>)
        stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 post relu
    ```
  }];
  let arguments = (ins StrAttr:$library,
                       Arg<Wrapper_Buffer, "", [MemRead]>:$x,
                       Arg<Wrapper_Buffer, "", [MemRead]>:$w,
                       Arg<Optional<Wrapper_Buffer>, "", [MemRead]>:$bias,
                       Arg<Wrapper_Buffer, "", [MemWrite]>:$y,
                       DenseI64ArrayAttr:$stride, DenseI64ArrayAttr:$padding,
                       DenseI64ArrayAttr:$dilation, I64Attr:$groups,
                       Wrapper_PostOp:$post, UnitAttr:$tf32);
  let assemblyFormat = [{
    $library `ins` `(` $x `,` $w `:` type($x) `,` type($w) `)`
    (`bias` `(` $bias^ `:` type($bias) `)`)?
    `outs` `(` $y `:` type($y) `)`
    `stride` $stride `padding` $padding `dilation` $dilation `groups` $groups
    `post` $post (`tf32` $tf32^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Wrapper_AttentionOp : Wrapper_Op<"attention", [
    Wrapper_ComputeOpInterface]> {
  let summary = "scaled dot-product attention by a library";
  let description = [{
    `softmax(scale * q k^T + mask) v` for q `[b, h, l, e]`, k `[b, g, s, e]`, v
    `[b, g, s, f]` and o `[b, h, l, f]`, where `h / g` neighbouring heads of q
    share one of k and v. `causal` lets row i see the columns 0..i. Layouts are
    those of the buffers; a mask, `[b, h, l, s]`, may have strides of zero.

    (C1) All have rank four and one element type, `f16` or `bf16`.
    (C2) Sizes agree as above.

    Example:
    ```mlir
    wrapper.attention "cudnn" ins(%q, %k, %v : !wrapper.buffer<[2, 8, 64, 64], bf16, #wrapper.device<"cuda">>, !wrapper.buffer<[2, 2, 64, 64], bf16, #wrapper.device<"cuda">>, !wrapper.buffer<[2, 2, 64, 64], bf16, #wrapper.device<"cuda">>)
        outs(%o : !wrapper.buffer<[2, 8, 64, 64], bf16, #wrapper.device<"cuda">>) causal scale 1.250000e-01
    ```
  }];
  let arguments = (ins StrAttr:$library,
                       Arg<Wrapper_Buffer, "", [MemRead]>:$q,
                       Arg<Wrapper_Buffer, "", [MemRead]>:$k,
                       Arg<Wrapper_Buffer, "", [MemRead]>:$v,
                       Arg<Optional<Wrapper_Buffer>, "", [MemRead]>:$mask,
                       Arg<Wrapper_Buffer, "", [MemWrite]>:$o,
                       UnitAttr:$causal, F64Attr:$scale);
  let assemblyFormat = [{
    $library `ins` `(` $q `,` $k `,` $v `:` type($q) `,` type($k) `,` type($v) `)`
    (`mask` `(` $mask^ `:` type($mask) `)`)?
    `outs` `(` $o `:` type($o) `)` (`causal` $causal^)? `scale` $scale attr-dict
  }];
  let hasVerifier = 1;
}

def Wrapper_SortOp : Wrapper_Op<"sort", [
    AttrSizedOperandSegments, Wrapper_ComputeOpInterface]> {
  let summary = "elements in order along a dimension, by a library";
  let description = [{
    The elements of `x` along `dim` in ascending or descending order, as far as
    `values` and `indices` can hold them, which receive the elements and
    their positions. One of the two may be absent. NaN counts as larger than
    every number, 0.0 and -0.0 are equal, and equal elements keep their order.
    If `unordered` is set, only the last element of the results has to be at its
    position, and the others may come in any order.

    (C1) `dim` is inside the rank, and there is a result.
    (C2) All buffers are contiguous.
    (C3) The results have the sizes of `x` but along `dim`, where they agree.
    (C4) The values have the element type of `x`, which is not a float of 8
         bits; the positions are `i64`.

    Example:
    ```mlir
    wrapper.sort "runtime" %x dim 1 descending values(%v : !wrapper.buffer<[s0, 3], f32, #wrapper.device<"cpu">>)
        indices(%i : !wrapper.buffer<[s0, 3], i64, #wrapper.device<"cpu">>) : !wrapper.buffer<[s0, 8], f32, #wrapper.device<"cpu">>
    ```
  }];
  let arguments = (ins StrAttr:$library,
                       Arg<Wrapper_Buffer, "", [MemRead]>:$x, I64Attr:$dim,
                       UnitAttr:$descending, UnitAttr:$unordered,
                       Arg<Optional<Wrapper_Buffer>, "", [MemWrite]>:$values,
                       Arg<Optional<Wrapper_Buffer>, "", [MemWrite]>:$indices);
  let assemblyFormat = [{
    $library $x `dim` $dim (`descending` $descending^)?
    (`unordered` $unordered^)?
    (`values` `(` $values^ `:` type($values) `)`)?
    (`indices` `(` $indices^ `:` type($indices) `)`)? attr-dict `:` type($x)
  }];
  let hasVerifier = 1;
}

#endif // COIL_DIALECT_WRAPPER_IR_WRAPPERCOMPUTEOPS_TD
