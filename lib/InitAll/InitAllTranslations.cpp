//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registration of all translations.
//
//===----------------------------------------------------------------------===//

#include "coil/InitAllTranslations.h"

#include "coil/Target/AMDGCN.h"
#include "coil/Target/HostText.h"
#include "coil/Target/PTX.h"
#include "coil/Target/SignatureJSON.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllTranslations.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/ROCDL/ROCDLToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace mlir;

/// As mlir::registerToLLVMIRTranslation, for the dialects that Coil lowers to.
/// Upstream's takes OpenACC, OpenMP, SPIR-V and others along, which are several
/// megabytes of the wheel.
static void registerToLLVMIR() {
  TranslateFromMLIRRegistration registration(
      "mlir-to-llvmir", "Translate MLIR to LLVM IR",
      [](Operation *op, llvm::raw_ostream &os) {
        llvm::LLVMContext context;
        std::unique_ptr<llvm::Module> module =
            translateModuleToLLVMIR(op, context);
        if (!module)
          return failure();
        module->print(os, nullptr);
        return success();
      },
      [](DialectRegistry &registry) {
        registry.insert<DLTIDialect, func::FuncDialect>();
        registerBuiltinDialectTranslation(registry);
        registerGPUDialectTranslation(registry);
        registerLLVMDialectTranslation(registry);
        registerNVVMDialectTranslation(registry);
        registerROCDLDialectTranslation(registry);
      });
}

void coil::registerAllTranslations() {
  registerAMDGCNTranslations();
  registerHostTextTranslations();
  registerPTXTranslations();
  registerSignatureTranslation();
  registerToLLVMIR();
  mlir::registerFromLLVMIRTranslation();
}
