//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes that give sizes names.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_SYM_TRANSFORMS_PASSES_TD
#define COIL_DIALECT_SYM_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def SymNameDynamicSizesPass
    : Pass<"sym-name-dynamic-sizes", "::mlir::func::FuncOp"> {
  let summary = "give dynamic dimensions expressions over symbols";
  let description = [{
    Programs of other compilers say `?` for a size that is known at run time
    only. Coil wants an expression, since two sizes that are the same expression are the
    same number: kernels are merged, memory is planned and divisions by sizes
    disappear on that ground. This pass gives each dynamic dimension of an
    argument a symbol and computes the sizes of all other tensors from them:
    by `ReifyRankedShapedTypeOpInterface` where the operation has it, through
    index arithmetic (`tensor.dim`, `arith`, `affine`).

    Sizes that an operation requires to be equal become one symbol, and a size
    that has to be a constant makes the type static; the host program compares
    all sizes with the arguments of a call before anything runs. Where neither
    side is a symbol by itself, the conversion that needs the fact states it
    as `sym.assert`.

    A function without a dynamic dimension that lacks an expression stays as it
    is.

    Constraints:
    (C1) The body is one block.
    (C2) The size of each tensor can be computed from the sizes of arguments;
         sizes that come from elements of tensors are refused.
    (C3) Sizes that have to be equal are not different constants.

    Before:
    ```mlir
    func.func @main(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>) -> tensor<?x4xf32> {
      %0 = arith.addf %x, %y : tensor<?x4xf32>
      return %0 : tensor<?x4xf32>
    }
    ```
    After:
    ```mlir
    func.func @main(%x: tensor<?x4xf32, #sym.shape<[s0, 4]>>, %y: tensor<?x4xf32, #sym.shape<[s0, 4]>>) -> tensor<?x4xf32, #sym.shape<[s0, 4]>> attributes {sym.symbols = {s0 = #sym.range<0, *>}} {
      %0 = arith.addf %x, %y : tensor<?x4xf32, #sym.shape<[s0, 4]>>
      return %0 : tensor<?x4xf32, #sym.shape<[s0, 4]>>
    }
    ```
  }];
  let options = [
    Option<"least", "min", "int64_t", /*default=*/"0",
           "least value of the symbols that are made">,
    Option<"hint", "hint", "int64_t", /*default=*/"0",
           "example value of the symbols that are made, for decisions that "
           "depend on sizes; 0 for none">];
  let dependentDialects = ["::coil::sym::SymDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // COIL_DIALECT_SYM_TRANSFORMS_PASSES_TD
