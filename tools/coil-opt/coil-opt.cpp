//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// coil-opt: runs pass pipelines over modules.
//
//===----------------------------------------------------------------------===//

#include "coil/InitAllDialects.h"
#include "coil/InitAllPasses.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

#ifdef COIL_INCLUDE_TESTS
namespace coil::test {
void registerTestPasses(); // test/lib
}
#endif

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  coil::registerAllDialects(registry);
  coil::registerAllPasses();
#ifdef COIL_INCLUDE_TESTS
  coil::test::registerTestPasses();
#endif
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Coil pass driver\n", registry));
}
