//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The `wrapper` dialect: the host program. Dialect definition and base classes.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_WRAPPER_IR_WRAPPERDIALECT_TD
#define COIL_DIALECT_WRAPPER_IR_WRAPPERDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def Wrapper_Dialect : Dialect {
  let name = "wrapper";
  let cppNamespace = "::coil::wrapper";
  let summary = "the host program: allocate, launch, call libraries, free";
  let description = [{
    What remains of a program once its kernels are chosen: a straight list of
    steps over buffers. A buffer's type says its sizes, strides, element type
    and device, so memory planning reads types alone; sizes are expressions
    over named symbols, which `wrapper.input_symbol` binds to what the caller
    passes.

    Decided above: what is computed by which kernel or library, and the layout
    of every buffer. Decided here: when storage is allocated, reused and
    freed. Not known here: how a kernel computes; `wrapper.kernel` holds its
    body as a value function until a conversion for its device replaces it.
    There is no op that holds text of a target language, so every emitter can
    express every program or say which op it cannot.

    All buffers of a function are accessed by its ops in order. An op states
    what it does to buffers through memory effects on its operands, and views
    through `ViewLikeOpInterface`; planning and its verifier know nothing else
    about ops, so a new op needs no change in them.
  }];
  let dependentDialects = ["::coil::sym::SymDialect"];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    /// Makes a device known; a second registration under a name is an error
    /// (checkRegistrations). Out-of-tree devices call this from an extension.
    void registerDevice(DeviceInfo info);
    /// Returns what was registered under a name, or null.
    const DeviceInfo *lookupDevice(::llvm::StringRef kind) const;

  private:
    ::llvm::StringMap<DeviceInfo> devices;

  public:
  }];
}

class Wrapper_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Wrapper_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

class Wrapper_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<Wrapper_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

class Wrapper_Op<string mnemonic, list<Trait> traits = []>
    : Op<Wrapper_Dialect, mnemonic, traits>;

#endif // COIL_DIALECT_WRAPPER_IR_WRAPPERDIALECT_TD
