//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// coil-reduce: makes a module smaller while a script finds it interesting.
//
//===----------------------------------------------------------------------===//

#include "../common/Tool.h"

#include "coil/InitAllDialects.h"
#include "coil/InitAllPasses.h"
#include "coil/Reducer/Passes.h"
#include "coil/Reducer/Patterns.h"
#include "coil/Support/ThreadPool.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"

int main(int argc, char **argv) {
  coil::Tool tool(argc, argv, "coil-reduce", 1, 1);
  mlir::DialectRegistry registry;
  coil::registerAllDialects(registry);
  coil::registerReductionPatterns(registry);
  coil::registerAllPasses();
  coil::registerCoilReducerPasses();
  tool.checkFlags(argc, argv);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  coil::ThreadPool threads;
  context.setThreadPool(threads);
  return mlir::failed(mlir::mlirReduceMain(argc, argv, context));
}
