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
#include "mlir/InitAllTranslations.h"

void coil::registerAllTranslations() {
  registerAMDGCNTranslations();
  registerHostTextTranslations();
  registerPTXTranslations();
  registerSignatureTranslation();
  mlir::registerToLLVMIRTranslation();
  mlir::registerFromLLVMIRTranslation();
}
