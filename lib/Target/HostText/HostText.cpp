//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Translations of host programs to text.
//
//===----------------------------------------------------------------------===//

#include "coil/Target/HostText.h"

#include "coil/InitAllDialects.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-translate/Translation.h"

using namespace mlir;

void coil::registerHostTextTranslations() {
  TranslateFromMLIRRegistration python(
      "wrapper-to-python", "write host programs as a Python module",
      [](ModuleOp module, llvm::raw_ostream &os) {
        return emitPython(module, os);
      },
      [](DialectRegistry &registry) { registerAllDialects(registry); });
  TranslateFromMLIRRegistration fx(
      "wrapper-to-fx",
      "write host programs as Python that builds torch.fx graphs",
      [](ModuleOp module, llvm::raw_ostream &os) { return emitFX(module, os); },
      [](DialectRegistry &registry) { registerAllDialects(registry); });
  TranslateFromMLIRRegistration cpp(
      "wrapper-to-cpp",
      "write host programs with lowered kernels as C++, files behind one "
      "another as split-file takes them",
      [](ModuleOp module, llvm::raw_ostream &os) -> LogicalResult {
        std::vector<EmittedFile> files;
        if (failed(emitCpp(module, files)))
          return failure();
        for (const EmittedFile &file : files)
          os << "//--- " << file.name << '\n' << file.text;
        return success();
      },
      [](DialectRegistry &registry) {
        registerAllDialects(registry);
        registry.insert<LLVM::LLVMDialect>();
      });
}
