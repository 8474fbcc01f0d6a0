//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The `target` dialect: what is known of the devices that programs are
// compiled for.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_TARGET_IR_TARGETATTRIBUTES_TD
#define COIL_DIALECT_TARGET_IR_TARGETATTRIBUTES_TD

include "coil/Dialect/Target/IR/TargetInterfaces.td"
include "mlir/IR/DialectBase.td"

def Target_Dialect : Dialect {
  let name = "target";
  let cppNamespace = "::coil::target";
  let summary = "what is known of the devices that programs are compiled for";
  let description = [{
    Schedules depend on chips: how many SMs there are to keep busy,
    how much shared memory a block may have, which instructions exist. Passes
    that knew these numbers would know one chip. So a module says in its
    `dlti.target_system_spec`, which is upstream's attribute for that, what it is
    compiled for, and passes ask there (`coil::target::getTarget`).

    Decided here: what is known of a chip, and from where. Not known here: what
    a pass makes of it.
  }];
  let dependentDialects = ["::mlir::DLTIDialect"];
  let useDefaultAttributePrinterParser = 1;
}

def Target_DeviceAttr : AttrDef<Target_Dialect, "Device", [
    DeclareAttrInterfaceMethods<Target_TargetAttrInterface,
                                ["getKind", "getChips"]>]> {
  let mnemonic = "device";
  let summary = "a device that programs are compiled for";
  let description = [{
    A kind of device that is registered (`coil::target::registerTargetKind`),
    chips of it, and all that is known of these. The text is that of the option
    `target`: a kind, or a kind and its chips, joined by '+', for all of which
    code has to be right: of what limits a schedule the least holds then, and of
    what only ranks schedules that of the largest chip. A kind without chips is
    all chips that there is code for, or for `cpu` the processor of the process.

    The facts come from the kind's table, and only those that differ are
    printed: a device that is there may have fewer SMs than the
    chip's usual GPU model. They are entries of upstream's specification, so that
    queries of DLTI find them by their names; an entry `features` is a list of
    strings.

    Constraints:
    (C1) The kind is registered.
    (C2) The kind knows the chips.
    (C3) The kind states facts of these names, as positive numbers of 64 bits.

    Example:
    ```mlir
    #target.device<"cuda:sm_90a">
    #target.device<"cuda:sm_80+sm_90a">
    #target.device<"cuda:sm_86", multiprocessors = 82>
    module attributes {dlti.target_system_spec = #dlti.target_system_spec<
      "cuda" = #target.device<"cuda:sm_90a">>} {}
    ```
  }];
  let parameters = (ins
    StringRefParameter<"kind, and after a colon chips">:$name,
    ArrayRefParameter<"::mlir::DataLayoutEntryInterface">:$entries);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Upstream's query: a fact or the list of features by its name.
    ::mlir::FailureOr<::mlir::Attribute>
    query(::mlir::DataLayoutEntryKey key) const;
  }];
}

#endif // COIL_DIALECT_TARGET_IR_TARGETATTRIBUTES_TD
