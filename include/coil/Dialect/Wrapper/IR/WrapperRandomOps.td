//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops of the `wrapper` dialect on the run's generator of random numbers.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_WRAPPER_IR_WRAPPERRANDOMOPS_TD
#define COIL_DIALECT_WRAPPER_IR_WRAPPERRANDOMOPS_TD

include "coil/Dialect/Sym/IR/SymAttributes.td"
include "coil/Dialect/Wrapper/IR/WrapperRunOps.td"

def Wrapper_RngStateOp : Wrapper_RuntimeCallOp<"rng_state"> {
  let summary = "the state of the run's generator";
  let description = [{
    A new buffer with the seed and the offset of the run's generator
    (`coil_run_set_generator`; without one, of the process's). Kernels draw from
    it at fixed distances (`graph.random_bits`), so reading it is no draw.
    `wrapper.rng_advance` moves the generator. The runtime's function
    `coil::rng_state` does it.

    (C1) The result is a contiguous buffer of two `i64`.

    Example:
    ```mlir
    %s = wrapper.rng_state : !wrapper.buffer<[2], i64, #wrapper.device<"cpu">>
    ```
  }];
  let results = (outs Wrapper_Buffer:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Wrapper_RngSeedOp : Wrapper_RuntimeCallOp<"rng_seed"> {
  let summary = "seed the run's generator";
  let description = [{
    Gives the run's generator a seed, and the offset zero, as
    `torch.cuda.manual_seed` does. The runtime's function `coil::rng_seed` does
    it.

    (C1) The seed mentions symbols only.

    Example:
    ```mlir
    wrapper.rng_seed <42>
    ```
  }];
  let arguments = (ins Sym_ExprAttr:$seed);
  let assemblyFormat = "$seed attr-dict";
}

def Wrapper_RngAdvanceOp : Wrapper_RuntimeCallOp<"rng_advance"> {
  let summary = "move the run's generator after what was drawn";
  let description = [{
    Moves the offset of the run's generator: by `by`, or to the offset of a
    state that a program has moved itself, where how much is drawn depends on
    branches and loops. The runtime's function `coil::rng_advance` does it. On a
    GPU, `to` waits for what is queued.

    (C1) There is either `by` or `to`.
    (C2) `by` mentions symbols only.
    (C3) `to` is a contiguous buffer of two `i64`.

    Example:
    ```mlir
    wrapper.rng_advance by <s0 * 4>
    wrapper.rng_advance to %s : !wrapper.buffer<[2], i64, #wrapper.device<"cpu">>
    ```
  }];
  let arguments = (ins OptionalAttr<Sym_ExprAttr>:$by,
                       Optional<Wrapper_Buffer>:$to);
  let assemblyFormat = "(`by` $by^)? (`to` $to^ `:` type($to))? attr-dict";
}

#endif // COIL_DIALECT_WRAPPER_IR_WRAPPERRANDOMOPS_TD
