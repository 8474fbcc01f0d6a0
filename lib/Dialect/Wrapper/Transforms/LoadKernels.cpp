//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `wrapper-load-kernels`: reads the files that user-defined kernels
// name.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Wrapper/IR/UserKernel.h"
#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "coil/Dialect/Wrapper/Transforms/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

namespace coil::wrapper {
#define GEN_PASS_DEF_WRAPPERLOADKERNELSPASS
#include "coil/Dialect/Wrapper/Transforms/Passes.h.inc"
} // namespace coil::wrapper

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

LogicalResult wrapper::loadKernels(ModuleOp module, StringRef folder) {
  for (KernelOp kernel : module.getOps<KernelOp>()) {
    auto name = kernel->getAttrOfType<StringAttr>(kPtxFileAttrName);
    if (!name)
      continue;
    SmallString<128> path(name.getValue());
    if (!llvm::sys::path::is_absolute(path)) {
      path = folder;
      llvm::sys::path::append(path, name.getValue());
    }
    std::string message;
    std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(path, &message);
    if (!file) // (C1)
      return kernel.emitOpError() << message;
    kernel.setPtx(file->getBuffer());
    kernel->removeAttr(kPtxFileAttrName);
  }
  return success();
}

namespace {
struct WrapperLoadKernels
    : coil::wrapper::impl::WrapperLoadKernelsPassBase<WrapperLoadKernels> {
  using WrapperLoadKernelsPassBase::WrapperLoadKernelsPassBase;

  void runOnOperation() override {
    if (failed(loadKernels(getOperation(), folder)))
      signalPassFailure();
  }
};
} // namespace
