//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stages and pipelines.
//
//===----------------------------------------------------------------------===//

#include "coil/Pipelines/Pipelines.h"

#include "coil/Conversion/Passes.h"
#include "coil/Dialect/Graph/Transforms/Passes.h"
#include "coil/Dialect/Loop/Transforms/Passes.h"
#include "coil/Dialect/Wrapper/Transforms/Passes.h"
#include "coil/Runtime/Library.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace coil;

static constexpr llvm::StringLiteral kStageNames[] = {"input", "graph", "loop",
                                                      "wrapper", "native"};

ArrayRef<llvm::StringLiteral> coil::getStageNames() { return kStageNames; }

StringRef coil::stringifyStage(Stage stage) {
  return kStageNames[static_cast<size_t>(stage)];
}

std::optional<Stage> coil::symbolizeStage(StringRef name) {
  for (auto [i, candidate] : llvm::enumerate(kStageNames))
    if (name == candidate)
      return static_cast<Stage>(i);
  return std::nullopt;
}

StringRef coil::describeStage(Stage stage) {
  switch (stage) {
  case Stage::Input:
    return "framework operators as imported";
  case Stage::Graph:
    return "tensor operators, legalised, decomposed and simplified";
  case Stage::Loop:
    return "fused and scheduled loop kernels";
  case Stage::Wrapper:
    return "host program and outlined kernels, memory planned and verified";
  case Stage::Native:
    return "LLVM dialect of the host program and of each kernel";
  }
  llvm_unreachable("all stages are handled");
}

/// `auto` is the library that this process can load.
static std::string resolveLibrary(StringRef library) {
  if (library != "auto")
    return library.str();
  return coil_rt_library_available("onednn") ? "onednn" : "none";
}

void coil::buildGraphPipeline(OpPassManager &pm,
                              const CompilePipelineOptions &) {
  // Framework operators become ours; compound ones are taken apart.
  pm.addNestedPass<func::FuncOp>(graph::createGraphLegalizeAtenPass());
  pm.addNestedPass<func::FuncOp>(graph::createGraphDecomposePass());
  // Decomposition leaves identities and duplicates behind.
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  // The contract of the stage: no framework operator is left.
  pm.addNestedPass<func::FuncOp>(graph::createGraphVerifyContractPass());
}

void coil::buildLoopPipeline(OpPassManager &pm,
                             const CompilePipelineOptions &options) {
  std::string library = resolveLibrary(options.library);
  pm.addNestedPass<func::FuncOp>(createConvertGraphToLoopPass());
  // Views become index expressions before anything compares kernels.
  pm.addNestedPass<func::FuncOp>(loop::createLoopFoldViewsPass());
  if (options.fuse) {
    loop::LoopFusePassOptions fuse;
    fuse.useLibrary = library != "none";
    pm.addNestedPass<func::FuncOp>(loop::createLoopFusePass(fuse));
  }
  // Merged bodies load the same elements twice; dimensions can only be joined
  // once it is clear which kernels there are.
  pm.addNestedPass<func::FuncOp>(loop::createLoopSimplifyIndexPass());
  pm.addPass(createCSEPass());
  pm.addNestedPass<func::FuncOp>(loop::createLoopSplitReductionPass());
  pm.addNestedPass<func::FuncOp>(loop::createLoopSimplifyIndexPass());
  loop::LoopSelectSchedulePassOptions schedule;
  schedule.vectorBits = options.vectorBits;
  schedule.library = library;
  pm.addNestedPass<func::FuncOp>(loop::createLoopSelectSchedulePass(schedule));
}

void coil::buildWrapperPipeline(OpPassManager &pm,
                                const CompilePipelineOptions &options) {
  pm.addPass(createOutlineKernelsPass());
  // Kernels still say which inputs they may overwrite.
  wrapper::WrapperPlanMemoryPassOptions memory;
  memory.mode = options.plan;
  pm.addPass(wrapper::createWrapperPlanMemoryPass(memory));
  // A plan that breaks the program must not get further.
  pm.addPass(wrapper::createWrapperVerifyMemoryPass());
}

void coil::buildNativePipeline(OpPassManager &pm,
                               const CompilePipelineOptions &options) {
  // Kernels are independent of each other: this part runs in parallel.
  OpPassManager &kernels = pm.nest<wrapper::KernelOp>();
  kernels.addPass(createConvertLoopToCPUPass());
  // Emission repeats constants and addresses.
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  LowerCPUKernelPassOptions lower;
  lower.vectorBits = options.vectorBits;
  kernels.addPass(createLowerCPUKernelPass(lower));
  // The host program needs the sizes of the kernels' outer spaces.
  ConvertWrapperToLLVMPassOptions host;
  host.maxSteps = options.hostSteps;
  pm.addPass(createConvertWrapperToLLVMPass(host));
}

void coil::buildStagePipeline(OpPassManager &pm, Stage stage,
                              const CompilePipelineOptions &options) {
  switch (stage) {
  case Stage::Input:
    return;
  case Stage::Graph:
    return buildGraphPipeline(pm, options);
  case Stage::Loop:
    return buildLoopPipeline(pm, options);
  case Stage::Wrapper:
    return buildWrapperPipeline(pm, options);
  case Stage::Native:
    return buildNativePipeline(pm, options);
  }
}

void coil::registerPipelines() {
  PassPipelineRegistration<CompilePipelineOptions>(
      "coil-graph-pipeline", "From imported operators to the graph stage",
      buildGraphPipeline);
  PassPipelineRegistration<CompilePipelineOptions>(
      "coil-loop-pipeline", "From the graph stage to scheduled loop kernels",
      buildLoopPipeline);
  PassPipelineRegistration<CompilePipelineOptions>(
      "coil-wrapper-pipeline", "From loop kernels to a planned host program",
      buildWrapperPipeline);
  PassPipelineRegistration<CompilePipelineOptions>(
      "coil-native-pipeline", "From the host program to the LLVM dialect",
      buildNativePipeline);
  PassPipelineRegistration<CompilePipelineOptions>(
      "coil-cpu-pipeline", "From imported operators to the LLVM dialect",
      [](OpPassManager &pm, const CompilePipelineOptions &options) {
        for (Stage stage :
             {Stage::Graph, Stage::Loop, Stage::Wrapper, Stage::Native})
          buildStagePipeline(pm, stage, options);
      });
}
