//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes over what modules say of their target.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_TARGET_TRANSFORMS_PASSES_TD
#define COIL_DIALECT_TARGET_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def TargetAttachPass : Pass<"target-attach", "::mlir::ModuleOp"> {
  let summary = "attach the compilation target to the module";
  let description = [{
    Puts the target of the option into the module's
    `dlti.target_system_spec`, before those of other kinds of devices, since
    the first one is the target of the program. Passes take facts of chips from
    there.

    A module that has a target of the kind keeps it, with facts that someone
    changed: a module that was compiled to some stage and edited goes on from
    there.

    Constraints:
    (C1) The kind, its chips and the facts are known.
    (C2) A target of the kind that the module has is for the same chips: kernels
         that were scheduled for one chip may be illegal on another.

    Before:
    ```mlir
    module {
      func.func @main(...)
    ```
    After:
    ```mlir
    module attributes {dlti.target_system_spec = #dlti.target_system_spec<
        "cuda" = #target.device<"cuda:sm_90a">>} {
      func.func @main(...)
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"\"",
           "a kind of device, after a colon its chips, and after each '@' a "
           "fact in place of the chip's: cuda:sm_86@multiprocessors=82; empty "
           "is the CPU of the host">];
  let dependentDialects = ["::mlir::DLTIDialect",
                           "::coil::target::TargetDialect"];
}

#endif // COIL_DIALECT_TARGET_TRANSFORMS_PASSES_TD
