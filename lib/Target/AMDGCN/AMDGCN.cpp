//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The translation of lowered kernels to AMD's instructions, as text, by
// upstream's serialization of `#rocdl.target`.
//
//===----------------------------------------------------------------------===//

#include "coil/Target/AMDGCN.h"

#include "coil/InitAllDialects.h"
#include "mlir/Dialect/GPU/IR/CompilationInterfaces.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Target/LLVM/ROCDL/Target.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/ROCDL/ROCDLToLLVMIRTranslation.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace coil;

static LogicalResult translate(Operation *op, llvm::raw_ostream &os) {
  WalkResult result = op->walk([&](gpu::GPUModuleOp module) {
    ArrayAttr targets = module.getTargetsAttr();
    // Others do not have the interface here.
    auto amd = targets && !targets.empty()
                   ? dyn_cast<ROCDL::ROCDLTargetAttr>(targets[0])
                   : ROCDL::ROCDLTargetAttr();
    if (!amd) {
      module.emitError("has no AMD target");
      return WalkResult::interrupt();
    }
    gpu::TargetOptions options(/*toolkitPath=*/{}, /*librariesToLink=*/{},
                               /*cmdOptions=*/{}, /*elfSection=*/{},
                               gpu::CompilationTarget::Assembly);
    std::optional<SmallVector<char, 0>> object =
        cast<gpu::TargetAttrInterface>(amd).serializeToObject(module, options);
    if (!object)
      return WalkResult::interrupt();
    // A string, which ends with a zero.
    os << StringRef(object->data(), object->size()).rtrim('\0');
    return WalkResult::skip();
  });
  return success(!result.wasInterrupted());
}

void coil::registerAMDGCNTranslations() {
  TranslateFromMLIRRegistration registration(
      "kernels-to-amdgcn", "compile lowered AMD GPU kernels to instructions",
      translate, [](DialectRegistry &registry) {
        registerAllDialects(registry);
        registerBuiltinDialectTranslation(registry);
        registerGPUDialectTranslation(registry);
        registerLLVMDialectTranslation(registry);
        registerROCDLDialectTranslation(registry);
        ROCDL::registerROCDLTargetInterfaceExternalModels(registry);
      });
}
