//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What passes ask the target of a program.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_TARGET_IR_TARGETINTERFACES_TD
#define COIL_DIALECT_TARGET_IR_TARGETINTERFACES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/Interfaces/DataLayoutInterfaces.td"

def Target_TargetAttrInterface
    : AttrInterface<"TargetAttrInterface", [TargetDeviceSpecInterface]> {
  let cppNamespace = "::coil::target";
  let description = [{
    A device that programs are compiled for, as passes see it: facts, which are
    numbers, and features, which it has or has not. It is an entry of the
    module's `dlti.target_system_spec`, so it implements upstream's interface of
    such entries, too: facts are entries of the specification, and queries of
    DLTI find them.

    A pass never asks which device it is. It queries a fact or a feature,
    and says what it needed when the target does not state it.

    Example implementer: `#target.device<"cuda:sm_90a">`, of whose facts
    `multiprocessors` is 132, and which has the feature `wgmma`.
  }];
  let methods = [
    InterfaceMethod<[{
      The kind of device, as `#wrapper.device` and the entry's key name it:
      "cuda".
    }], "::llvm::StringRef", "getKind">,
    InterfaceMethod<[{
      The chips that code has to run on, joined by '+', by the names that the
      kind has for them; empty stands for what the kind takes then.
    }], "::llvm::StringRef", "getChips">,
    InterfaceMethod<[{
      A number that is known of the target, or nothing.
    }], "::std::optional<int64_t>", "getFact",
      (ins "::llvm::StringRef":$name), /*methodBody=*/"",
      /*defaultImplementation=*/[{
        return ::coil::target::detail::findFact($_attr.getEntries(), name);
      }]>,
    InterfaceMethod<[{
      Whether all chips have something that code can use: "bulk_copies".
    }], "bool", "hasFeature",
      (ins "::llvm::StringRef":$name), /*methodBody=*/"",
      /*defaultImplementation=*/[{
        return ::coil::target::detail::findFeature($_attr.getEntries(), name);
      }]>
  ];
  let extraClassDeclaration = [{
    /// A number that a pass cannot do without. Where the target does not state
    /// it, an error at `op` says so, with what it does state.
    ::llvm::FailureOr<int64_t> requireFact(::mlir::Operation *op,
                                           ::llvm::StringRef name);
    /// What follows "target " in a message: its text, and its features.
    ::std::string describeFeatures();
  }];
}

#endif // COIL_DIALECT_TARGET_IR_TARGETINTERFACES_TD
