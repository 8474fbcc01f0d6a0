//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `wrapper-drop-in-place`.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Wrapper/Transforms/Passes.h"

#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

namespace coil::wrapper {
#define GEN_PASS_DEF_WRAPPERDROPINPLACEPASS
#include "coil/Dialect/Wrapper/Transforms/Passes.h.inc"
} // namespace coil::wrapper

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

namespace {
struct WrapperDropInPlace
    : coil::wrapper::impl::WrapperDropInPlacePassBase<WrapperDropInPlace> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTableCollection tables;
    SymbolUserMap users(tables, module);
    for (KernelOp kernel : module.getOps<KernelOp>())
      if (kernel.getInPlace())
        drop(kernel, users.getUsers(kernel));
  }

private:
  static void drop(KernelOp kernel, ArrayRef<Operation *> users) {
    // Whatever else may launch it: nobody knows on what. (C1)
    if (!llvm::all_of(users, llvm::IsaPred<LaunchOp>))
      return;
    ArrayRef<int64_t> pairs = *kernel.getInPlace();
    SmallVector<int64_t> used;
    for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
      auto input = static_cast<size_t>(pairs[i]),
           output = static_cast<size_t>(pairs[i + 1]);
      if (llvm::any_of(users, [&](Operation *user) {
            auto launch = cast<LaunchOp>(user);
            return getStorage(launch.getInputs()[input]) ==
                   getStorage(launch.getOutputs()[output]);
          }))
        used.append({pairs[i], pairs[i + 1]});
    }
    if (used.empty())
      kernel.removeInPlaceAttr();
    else
      kernel.setInPlace(used);
  }
};
} // namespace
