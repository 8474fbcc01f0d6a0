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
}
