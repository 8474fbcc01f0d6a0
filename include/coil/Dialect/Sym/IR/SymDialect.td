//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The `sym` dialect: integer expressions over named symbols, shared by shapes,
// index maps, grids, sizes and guards.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_SYM_IR_SYMDIALECT_TD
#define COIL_DIALECT_SYM_IR_SYMDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Sym_Dialect : Dialect {
  let name = "sym";
  let cppNamespace = "::coil::sym";
  let summary = "integer expressions over named symbols";
  let description = [{
    Shapes, index maps, grids, buffer sizes and guards all need the same
    arithmetic: integers, named sizes such as `s0`, sums, products, floor
    divisions and remainders. This dialect holds that arithmetic once, as
    uniqued attributes, so that two equal expressions are the same pointer and
    an expression can be part of a type.

    Decided here: how an expression is normalised, bounded, solved and
    evaluated. Not known here: what a symbol measures. `graph`, `loop` and
    `wrapper` give symbols their meaning through the `sym.symbols` attribute of
    a function. Nothing leaves the dialect but `sym.assert`, which the wrapper
    lowering turns into a run-time check.
  }];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    /// What was derived from the ranges `symbols` (may be null) and the extents
    /// of dimensions `dims`. Safe to call from any thread.
    std::shared_ptr<Proofs> getProofs(::mlir::DictionaryAttr symbols,
                                      ShapeAttr dims);

  private:
    std::shared_ptr<ProofTable> proofTable;
  public:
  }];
}

#endif // COIL_DIALECT_SYM_IR_SYMDIALECT_TD
