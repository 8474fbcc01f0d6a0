//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops of the `wrapper` dialect for kernels that users supply: grids and
// launches.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_WRAPPER_IR_WRAPPERUSEROPS_TD
#define COIL_DIALECT_WRAPPER_IR_WRAPPERUSEROPS_TD

include "coil/Dialect/Wrapper/IR/WrapperInterfaces.td"
include "coil/Dialect/Wrapper/IR/WrapperUserAttributes.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Wrapper_GridOp : Wrapper_Op<"grid", [Symbol]> {
  let summary = "how many blocks a user's kernel is launched with";
  let description = [{
    The grid of each configuration of a kernel, over `symbols`, whose values a
    launch gives. A launch takes the case whose keywords all have the values of
    its configuration; of several, the one with most keywords, and of those the
    first.

    Keywords that are no arguments of a kernel (warps, stages, and what only one
    vendor's compiler knows: `num_warps`, `num_stages`, `num_ctas`, `maxnreg`,
    `waves_per_eu`, `matrix_instr_nonkdim`, `kpack`) say nothing about grids:
    canonicalisation takes them out of the cases where that changes no grid, and
    removes cases that are there twice.

    (C1) There is a case.
    (C2) Cases with the same keywords and values have the same sizes.
    (C3) The sizes mention only the listed symbols.

    Example:
    ```mlir
    wrapper.grid @add_grid["n"] cases [
      #wrapper.grid_case<{BLOCK = 128 : i64}, <[(n + 127) floordiv 128, 1, 1]>>,
      #wrapper.grid_case<{BLOCK = 256 : i64}, <[(n + 255) floordiv 256, 1, 1]>>]
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$symbols,
                       TypedArrayAttrBase<Wrapper_GridCaseAttr, "cases of a grid">:$cases);
  let assemblyFormat = "$sym_name `` $symbols `cases` $cases attr-dict";
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
  let extraClassDeclaration = [{
    /// The sizes for a configuration, over `symbols`; null if no case fits.
    sym::ShapeAttr resolve(::mlir::DictionaryAttr config);
  }];
}

def Wrapper_LaunchUserOp : Wrapper_Op<"launch_user", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<Wrapper_ComputeOpInterface, ["getComputeName"]>]> {
  let summary = "run a user's kernel";
  let description = [{
    Runs a kernel that has `parameters`, with a grid for a configuration.
    `arguments` has an entry for each parameter, in their order:

    * for one of the kinds `read`, `write` and `update`, `unit`, which stands for
      the next buffer of `ins`, `outs` or `updates`, or `#wrapper.null`, an
      address of zero;
    * for `value`, an expression `#sym.expr<...>` where it is an integer, a
      number where it is a float, or `unit`: the next of `scalars`;
    * for `one`, the expression `#sym.expr<1>`;
    * for `constexpr`, any attribute.

    The kernel writes all elements of `outs`, and no others but of `updates`,
    which it may read, too. Of what the parameters of kind `one` and `constexpr`
    stand for, the kernel was made: they are not passed.

    A parameter of the type `!wrapper.tma_descriptor` takes a buffer like the
    others, and the next of `maps`, which is what is passed. So lives, effects and
    addresses are those of the buffers, and a descriptor has none.

    (C1) The callee is a kernel with parameters, and there is one argument for
         each.
    (C2) Arguments are what their parameters take.
    (C3) There are as many buffers and scalars as arguments that stand for them;
         buffers have the element types of their parameters.
    (C4) Keywords of the configuration that are names of parameters of kind
         `constexpr` have the value of their argument.
    (C5) The grid is a `wrapper.grid` with as many symbols as the launch gives
         it, and has a case for the configuration.
    (C6) All expressions mention symbols only.
    (C7) There are as many maps as arguments that take one, each made by a
         `wrapper.tma_descriptor` of the buffer that its argument stands for.

    Example:
    ```mlir
    wrapper.launch_user @add grid @add_grid[s0] config {BLOCK = 128 : i64, num_warps = 4 : i64}
        arguments [unit, #wrapper.null, unit, #sym.expr<s0>, 128 : i64]
        ins(%x : !wrapper.buffer<[s0], f32, #wrapper.device<"cuda">>)
        outs(%y : !wrapper.buffer<[s0], f32, #wrapper.device<"cuda">>)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, FlatSymbolRefAttr:$grid,
                       Sym_ShapeAttr:$grid_symbols, DictionaryAttr:$config,
                       ArrayAttr:$arguments,
                       Arg<Variadic<Wrapper_Buffer>, "", [MemRead]>:$inputs,
                       Arg<Variadic<Wrapper_Buffer>, "", [MemWrite]>:$outputs,
                       Arg<Variadic<Wrapper_Buffer>, "", [MemRead, MemWrite]>:$updates,
                       Variadic<AnyTypeOf<[I1, F64]>>:$scalars,
                       Variadic<Wrapper_TMADescriptor>:$maps);
  let assemblyFormat = [{
    $callee `grid` $grid `` custom<ExprList>($grid_symbols) `config` $config
    `arguments` $arguments
    (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    (`outs` `(` $outputs^ `:` type($outputs) `)`)?
    (`updates` `(` $updates^ `:` type($updates) `)`)?
    (`scalars` `(` $scalars^ `:` type($scalars) `)`)?
    (`maps` `(` $maps^ `)`)? attr-dict
  }];
  let extraClassDeclaration = [{
    /// The sizes of the grid in terms of the function's symbols.
    sym::ShapeAttr resolveGrid(GridOp grid);
    /// What is passed, in the order of the parameters: each parameter with the
    /// operand that its argument stands for, or the argument itself.
    struct Passed {
      ParamAttr parameter;
      ::mlir::Value operand;
      ::mlir::Attribute argument;
      /// The tensor map that is passed for a buffer, or null.
      ::mlir::Value map;
      /// Whether an address of zero is passed.
      bool isNull() const;
    };
    ::llvm::SmallVector<Passed> getPassed(KernelOp kernel);
  }];
}

#endif // COIL_DIALECT_WRAPPER_IR_WRAPPERUSEROPS_TD
