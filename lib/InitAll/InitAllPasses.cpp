//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registration of all passes and pipelines.
//
//===----------------------------------------------------------------------===//

#include "coil/InitAllPasses.h"

#include "coil/Conversion/Passes.h"
#include "coil/Dialect/Graph/Transforms/Passes.h"
#include "coil/Dialect/Loop/Transforms/Passes.h"
#include "coil/Dialect/Sym/Transforms/Passes.h"
#include "coil/Dialect/Target/Transforms/Passes.h"
#include "coil/Dialect/Wrapper/Transforms/Passes.h"
#include "coil/Pipelines/Pipelines.h"
#include "mlir/Transforms/Passes.h"

void coil::registerAllPasses() {
  graph::registerGraphPasses();
  mlir::registerTransformsPasses(); // canonicalize, cse, symbol-dce, ...
  registerCoilConversionPasses();
  registerCoilBridgePasses();
  registerCoilGraphStagePasses();
  sym::registerCoilSymPasses();
  loop::registerCoilLoopPasses();
  target::registerCoilTargetPasses();
  wrapper::registerCoilWrapperPasses();
  registerPipelines();
}
