//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// coil-translate: translates between MLIR and other representations.
//
//===----------------------------------------------------------------------===//

#include "../common/Tool.h"

#include "coil/InitAllTranslations.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"

int main(int argc, char **argv) {
  coil::Tool tool(argc, argv, "coil-translate", 1, 1);
  coil::registerAllTranslations();
  tool.checkFlags(argc, argv);
  return failed(mlir::mlirTranslateMain(argc, argv, "Coil translation driver"));
}
