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

#include "Targets.h"
#include "coil/Conversion/Passes.h"
#include "coil/Dialect/Graph/Transforms/Passes.h"
#include "coil/Dialect/Loop/Transforms/Passes.h"
#include "coil/Dialect/Sym/Transforms/Passes.h"
#include "coil/Dialect/Target/IR/TargetKind.h"
#include "coil/Dialect/Target/Transforms/Passes.h"
#include "coil/Dialect/Wrapper/Transforms/Passes.h"
#include "coil/Dialect/Wrapper/Transforms/SpecializeSizes.h"
#include "coil/Pipelines/Extensions.h"
#include "coil/Support/Error.h"
#include "coil/Support/Libraries.h"
#include "mlir/Conversion/TosaToArith/TosaToArith.h"
#include "mlir/Conversion/TosaToLinalg/TosaToLinalg.h"
#include "mlir/Conversion/TosaToTensor/TosaToTensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Tosa/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

#include <limits>

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

/// What a target has that adds pairs of 16-bit floats in memory.
static constexpr llvm::StringLiteral kPackedAtomics = "vector_atomics";

/// Side of the tiles of contractions with few results.
static constexpr int64_t kDeviceTile = 64;

/// The target that a module is compiled for comes first: passes ask it for what
/// they have to know of chips.
static void attachTarget(OpPassManager &pm,
                         const CompilePipelineOptions &options) {
  target::TargetAttachPassOptions attach;
  attach.target = options.target;
  pm.addPass(target::createTargetAttachPass(attach));
}

std::string coil::getTuningOptions(const CompilePipelineOptions &options) {
  std::string text = "fast-math=" + options.fastMath;
  if (getTargetKind(options).form == target::KernelForm::Vectors)
    text += " vector-bits=" + std::to_string(options.vectorBits);
  return text;
}

void coil::buildTosaPipeline(OpPassManager &pm) {
  OpPassManager &functions = pm.nest<func::FuncOp>();
  // Transposed convolutions become convolutions; literals are folded.
  functions.addPass(tosa::createTosaOptionalDecompositionsPass());
  functions.addPass(createCanonicalizerPass());
  functions.addPass(sym::createSymNameDynamicSizesPass());
  functions.addPass(createConvertTosaToGraphPass());
  // Quantized arithmetic is defined bit by bit, and nobody but upstream should
  // have to spell it.
  functions.addPass(tosa::createTosaToLinalgNamed());
  functions.addPass(tosa::createTosaToLinalg());
  functions.addPass(createTosaToArithPass({/*includeApplyRescale=*/true,
                                           /*use32Bit=*/false}));
  functions.addPass(createTosaToTensorPass());
  functions.addPass(createCanonicalizerPass());
}

/// What is strict says so before and behind what rewrites it.
static void markStrict(OpPassManager &pm,
                       const CompilePipelineOptions &options) {
  loop::LoopMarkStrictPassOptions strict;
  strict.places = options.strict;
  pm.addNestedPass<func::FuncOp>(loop::createLoopMarkStrictPass(strict));
}

void coil::buildGraphPipeline(OpPassManager &pm,
                              const CompilePipelineOptions &options) {
  const target::TargetKind &kind = getTargetKind(options);
  bool runsThreads = kind.form == target::KernelForm::Threads;
  attachTarget(pm, options);
  addExtensions(pm, ExtensionPoint::BeforeLegalization, options);
  // Programs of other tensor dialects: sizes get names, what libraries have
  // becomes an operator, all else a kernel.
  pm.addNestedPass<func::FuncOp>(sym::createSymNameDynamicSizesPass());
  pm.addNestedPass<func::FuncOp>(createRaiseLinalgToGraphPass());
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopPass());
  markStrict(pm, options);
  // Framework operators become ours; compound ones are taken apart, but for
  // what a library has as a whole.
  // Operators of complex numbers become framework operators of real ones.
  pm.addNestedPass<func::FuncOp>(graph::createGraphExpandComplexPass());
  pm.addNestedPass<func::FuncOp>(graph::createGraphLegalizeAtenPass());
  addExtensions(pm, ExtensionPoint::AfterLegalization, options);
  graph::GraphDecomposePassOptions decompose;
  decompose.library = resolveLibrary(options);
  // Elsewhere attention is decomposed to what is written. Uses are counted, so
  // duplicates have to go first.
  bool raises = options.raiseAttention == "always" ||
                (options.raiseAttention == "auto" &&
                 hasLibrary(decompose.library, "cudnn"));
  if (raises) {
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createCSEPass());
    graph::GraphRaiseAttentionPassOptions attention;
    attention.library = decompose.library;
    attention.always = options.raiseAttention == "always";
    pm.addNestedPass<func::FuncOp>(
        graph::createGraphRaiseAttentionPass(attention));
  }
  // What is decomposed hands it on: convolutions that become products keep
  // what they were allowed.
  graph::GraphSetPrecisionPassOptions precision;
  precision.matmul = options.matmulPrecision;
  precision.conv = options.convPrecision;
  pm.addNestedPass<func::FuncOp>(graph::createGraphSetPrecisionPass(precision));
  // Else the runtime sorts.
  if (hasLibrary(decompose.library, kind.sortLibrary))
    decompose.sort = kind.sortLibrary;
  else if (runsThreads)
    decompose.sort = "";
  // oneDNN is faster than the copy that this costs.
  decompose.tiles = runsThreads;
  pm.addNestedPass<func::FuncOp>(graph::createGraphDecomposePass(decompose));
  pm.addNestedPass<func::FuncOp>(graph::createGraphJoinSlicesPass());
  // Decomposition leaves identities and duplicates behind.
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  if (!kind.sortLibrary.empty() && decompose.sort == kind.sortLibrary) {
    graph::GraphScatterToSegmentSumPassOptions group;
    group.sort = decompose.sort;
    group.library = decompose.library;
    group.releaseInputs = options.releaseInputs;
    // Without an order of their own, sums that have to be the same on every run
    // are made one after the other.
    group.maxExtraBytes = options.deterministic
                              ? std::numeric_limits<int64_t>::max()
                              : options.scatterBytes;
    pm.addNestedPass<func::FuncOp>(
        graph::createGraphScatterToSegmentSumPass(group));
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createCSEPass());
  }
  if (runsThreads && options.fastMath != "off" && !options.deterministic &&
      hasFeature(options, kPackedAtomics))
    pm.addNestedPass<func::FuncOp>(graph::createGraphNarrowScatterPass());
  if (runsThreads && !options.deterministic)
    pm.addNestedPass<func::FuncOp>(graph::createGraphPrivatizeScatterPass());
  if (hasLibrary(decompose.library, "cudnn")) {
    pm.addNestedPass<func::FuncOp>(graph::createGraphChannelsLastPass());
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createCSEPass());
  }
  if (hasLibrary(decompose.library, "cublaslt")) {
    graph::GraphAlignMatmulsPassOptions align;
    align.library = decompose.library;
    pm.addNestedPass<func::FuncOp>(graph::createGraphAlignMatmulsPass(align));
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createCSEPass());
  }
  // What libraries of plugins compute is theirs before anything is fused.
  if (std::string plugins = resolvePluginLibraries(options); !plugins.empty()) {
    ConvertGraphToLibraryPassOptions calls;
    calls.library = plugins;
    pm.addNestedPass<func::FuncOp>(createConvertGraphToLibraryPass(calls));
  }
  addExtensions(pm, ExtensionPoint::AfterDecomposition, options);
  markStrict(pm, options);
  // The contract of the stage: no framework operator is left, and nothing that
  // later stages do not take.
  pm.addNestedPass<func::FuncOp>(graph::createGraphVerifyContractPass());
  pm.addNestedPass<func::FuncOp>(createGraphVerifyStagePass());
}

void coil::buildLoopPipeline(OpPassManager &pm,
                             const CompilePipelineOptions &options) {
  bool runsThreads = getTargetKind(options).form == target::KernelForm::Threads;
  std::string library = resolveLibrary(options);
  attachTarget(pm, options);
  markStrict(pm, options);
  pm.addNestedPass<func::FuncOp>(createConvertGraphToLoopPass());
  markStrict(pm, options);
  // Views become index expressions before anything compares kernels.
  pm.addNestedPass<func::FuncOp>(loop::createLoopFoldViewsPass());
  addExtensions(pm, ExtensionPoint::BeforeFusion, options);
  if (options.fuse) {
    loop::LoopFusePassOptions fuse;
    fuse.useLibrary = library != "none";
    fuse.library = library;
    pm.addNestedPass<func::FuncOp>(loop::createLoopFusePass(fuse));
    if (runsThreads) {
      loop::LoopFuseRowsPassOptions rows;
      rows.library = library;
      pm.addNestedPass<func::FuncOp>(loop::createLoopFuseRowsPass(rows));
      loop::LoopRecomputePassOptions recompute;
      recompute.library = library;
      pm.addNestedPass<func::FuncOp>(loop::createLoopRecomputePass(recompute));
    }
  }
  addExtensions(pm, ExtensionPoint::AfterFusion, options);
  pm.addNestedPass<func::FuncOp>(loop::createLoopFoldPositionsPass());
  // It is clear which kernels there are, and dimensions are still those of the
  // tensors.
  loop::LoopAssignLayoutsPassOptions layouts;
  layouts.library = library;
  layouts.launchBytes = options.launchBytes;
  pm.addNestedPass<func::FuncOp>(loop::createLoopAssignLayoutsPass(layouts));
  // Merged bodies load the same elements twice; dimensions can only be joined
  // once it is clear which kernels there are.
  pm.addNestedPass<func::FuncOp>(loop::createLoopSimplifyIndexPass());
  pm.addPass(createCSEPass());
  if (options.fuse && runsThreads) {
    loop::LoopFuseColumnsPassOptions columns;
    columns.library = library;
    pm.addNestedPass<func::FuncOp>(loop::createLoopFuseColumnsPass(columns));
    pm.addPass(createCSEPass());
  }
  if (options.fuse) {
    loop::LoopExplainFusionPassOptions explain;
    explain.library = library;
    pm.addNestedPass<func::FuncOp>(loop::createLoopExplainFusionPass(explain));
  }
  // Fused kernels have moved to what they read, in front of checks of sizes.
  pm.addNestedPass<func::FuncOp>(loop::createLoopHoistAssertionsPass());
  loop::LoopSplitReductionPassOptions split;
  if (runsThreads) {
    split.tileSide = kDeviceTile;
    split.interleave = true;
    split.library = library;
  } else {
    // GPUs sum in f32, as the framework does there; f64 is slow on most.
    split.welfordInF64 = true;
    pm.addNestedPass<func::FuncOp>(
        loop::createLoopExtendProductPrecisionPass());
  }
  pm.addNestedPass<func::FuncOp>(loop::createLoopSplitReductionPass(split));
  pm.addNestedPass<func::FuncOp>(loop::createLoopSimplifyIndexPass());
  pm.addNestedPass<func::FuncOp>(loop::createLoopFoldRoundingsPass());
  if (options.intermediateRounding == "fused")
    pm.addNestedPass<func::FuncOp>(loop::createLoopRelaxRoundingsPass());
  if (!runsThreads)
    pm.addNestedPass<func::FuncOp>(
        loop::createLoopExtendVariancePrecisionPass());
  addExtensions(pm, ExtensionPoint::BeforeScheduling, options);
  loop::LoopSelectSchedulePassOptions schedule;
  schedule.vectorBits = options.vectorBits;
  schedule.streamBytes = options.streamBytes;
  schedule.library = library;
  // Kernels of blocks of threads are scheduled when their buffers are known.
  schedule.onlyLibrary = runsThreads;
  pm.addNestedPass<func::FuncOp>(loop::createLoopSelectSchedulePass(schedule));
  addExtensions(pm, ExtensionPoint::AfterScheduling, options);
}

void coil::buildWrapperPipeline(OpPassManager &pm,
                                const CompilePipelineOptions &options) {
  const target::TargetKind &kind = getTargetKind(options);
  bool runsThreads = kind.form == target::KernelForm::Threads;
  attachTarget(pm, options);
  ConvertLoopToWrapperPassOptions outline;
  outline.device = kind.name;
  pm.addPass(createConvertLoopToWrapperPass(outline));
  addExtensions(pm, ExtensionPoint::AfterOutlining, options);
  // Who passes a state has to know how far it moves.
  wrapper::WrapperUseGeneratorPassOptions generator;
  generator.always = options.random == "generator";
  pm.addPass(wrapper::createWrapperUseGeneratorPass(generator));
  if (!options.userKernels.empty()) {
    wrapper::WrapperMapOperatorsPassOptions operators;
    operators.fileName = options.userKernels;
    pm.addPass(wrapper::createWrapperMapOperatorsPass(operators));
  }
  if (!options.hostFallbacks.empty()) {
    wrapper::WrapperMoveHostCallsPassOptions calls;
    calls.functions = options.hostFallbacks;
    pm.addPass(wrapper::createWrapperMoveHostCallsPass(calls));
  }
  if (options.hoistWeights)
    pm.addPass(wrapper::createWrapperHoistWeightsPass());
  addExtensions(pm, ExtensionPoint::BeforeDeviceScheduling, options);
  if (!runsThreads) {
    // What outlining copies, and what a library turned out not to compute.
    loop::LoopSelectSchedulePassOptions schedule;
    schedule.vectorBits = options.vectorBits;
    schedule.streamBytes = options.streamBytes;
    schedule.library = "none";
    pm.addNestedPass<wrapper::KernelOp>(
        loop::createLoopSelectSchedulePass(schedule));
  } else {
    pm.addNestedPass<wrapper::KernelOp>(createLoopFlattenPointwisePass());
    LoopSelectGPUSchedulePassOptions schedule;
    schedule.deterministic = options.deterministic;
    pm.addNestedPass<wrapper::KernelOp>(
        createLoopSelectGPUSchedulePass(schedule));
  }
  if (!options.tuningRecords.empty()) {
    wrapper::WrapperApplyTuningRecordsPassOptions records;
    records.fileName = options.tuningRecords;
    records.codeOptions = getTuningOptions(options);
    pm.addPass(wrapper::createWrapperApplyTuningRecordsPass(records));
  }
  addExtensions(pm, ExtensionPoint::AfterDeviceScheduling, options);
  pm.addNestedPass<wrapper::FuncOp>(
      wrapper::createWrapperExpandWorkspacesPass());
  pm.addNestedPass<wrapper::FuncOp>(wrapper::createWrapperExpandResizesPass());
  if (options.arrayEntry) {
    wrapper::WrapperPassDestinationsPassOptions destinations;
    destinations.suffix = "_arrays";
    destinations.arrayEntry = true;
    pm.addPass(wrapper::createWrapperPassDestinationsPass(destinations));
  }
  // Each result still has an allocation of its own.
  if (options.updateInputs)
    pm.addPass(wrapper::createWrapperUpdateInputsPass());
  // Partitions may end at collectives, so these move before.
  pm.addPass(wrapper::createWrapperSinkWaitsPass());
  // Before planning, which then plans each graph by itself. Checks and shown
  // values leave nothing that could be kept.
  bool makePartitions = kind.replaysGraphs && options.partitions != "off" &&
                        !options.trackLifetimes && options.debugValues == "off";
  if (makePartitions) {
    // What one partition computes, another cannot repeat.
    if (options.memoryBudget != 0) {
      wrapper::WrapperRecomputeForMemoryPassOptions recompute;
      recompute.budget = options.memoryBudget;
      pm.addPass(wrapper::createWrapperRecomputeForMemoryPass(recompute));
    }
    wrapper::WrapperPartitionGraphPassOptions partition;
    partition.maxOps = options.partitionSteps;
    partition.collectives = options.graphCollectives;
    if (options.partitions == "always") {
      partition.whole = true;
      partition.minOps = 1;
    }
    pm.addPass(wrapper::createWrapperPartitionGraphPass(partition));
    pm.addPass(wrapper::createWrapperOutlinePartitionsPass());
  }
  addExtensions(pm, ExtensionPoint::BeforeMemoryPlanning, options);
  // Kernels still say which inputs they may overwrite.
  if (options.memoryBudget != 0) {
    wrapper::WrapperFitMemoryPassOptions memory;
    memory.mode = options.plan;
    memory.budget = options.memoryBudget;
    pm.addPass(wrapper::createWrapperFitMemoryPass(memory));
  } else {
    wrapper::WrapperPlanMemoryPassOptions memory;
    memory.mode = options.plan;
    pm.addPass(wrapper::createWrapperPlanMemoryPass(memory));
  }
  addExtensions(pm, ExtensionPoint::AfterMemoryPlanning, options);
  // Checks of lives count allocations.
  if (options.stackLimit != 0 && !options.trackLifetimes) {
    wrapper::WrapperPromoteToStackPassOptions stack;
    stack.limit = options.stackLimit;
    pm.addPass(wrapper::createWrapperPromoteToStackPass(stack));
  }
  // A plan that breaks the program must not get further.
  pm.addPass(wrapper::createWrapperVerifyMemoryPass());
  pm.addPass(wrapper::createWrapperDropInPlacePass());
  if (options.sizeVariants) {
    // Text and passes say the same.
    wrapper::WrapperSpecializeSizesPassOptions variants;
    wrapper::BuildScheduler scheduler;
    if (runsThreads) {
      variants.scheduler =
          std::string("loop-select-gpu-schedule{") +
          (options.deterministic ? "deterministic=true}" : "}");
      LoopSelectGPUSchedulePassOptions schedule;
      schedule.deterministic = options.deterministic;
      scheduler = [schedule](OpPassManager &pm) {
        pm.addPass(createLoopSelectGPUSchedulePass(schedule));
      };
    } else {
      variants.scheduler =
          "loop-select-schedule{library=none vector-bits=" +
          std::to_string(options.vectorBits) +
          " stream-bytes=" + std::to_string(options.streamBytes) + "}";
      loop::LoopSelectSchedulePassOptions schedule;
      schedule.vectorBits = options.vectorBits;
      schedule.streamBytes = options.streamBytes;
      schedule.library = "none";
      scheduler = [schedule](OpPassManager &pm) {
        pm.addPass(loop::createLoopSelectSchedulePass(schedule));
      };
    }
    pm.addPass(wrapper::createWrapperSpecializeSizesPass(variants, scheduler));
    pm.addPass(wrapper::createWrapperVerifyMemoryPass());
  }
  // The order of launches is final.
  if (runsThreads)
    pm.addPass(createWrapperOrderGPUBlocksPass());
  if (options.trackLifetimes)
    pm.addPass(wrapper::createWrapperTrackLifetimesPass());
  if (options.debugValues != "off") {
    wrapper::WrapperInsertDebugValuesPassOptions debug;
    debug.values = options.debugValues;
    debug.filter = options.debugFilter;
    debug.ends = options.debugEnds;
    pm.addPass(wrapper::createWrapperInsertDebugValuesPass(debug));
  }
  if (options.assertAlignment != 0) {
    wrapper::WrapperAssertAlignmentPassOptions check;
    check.alignment = options.assertAlignment;
    pm.addPass(wrapper::createWrapperAssertAlignmentPass(check));
  }
  // Around all steps, those that planning has added, too.
  if (makePartitions)
    pm.addPass(wrapper::createWrapperHoistDeviceGuardsPass());
  // Behind all uses.
  if (options.releaseInputs) {
    pm.addPass(wrapper::createWrapperReleaseInputsPass());
    pm.addPass(wrapper::createWrapperVerifyMemoryPass());
  }
  // Around all of the program.
  if (options.profileMarks != "off") {
    wrapper::WrapperInsertProfileMarksPassOptions marks;
    marks.calls = options.profileMarks == "calls";
    pm.addPass(wrapper::createWrapperInsertProfileMarksPass(marks));
  }
  // Kernels still have bodies to count in.
  if (options.costs)
    pm.addPass(wrapper::createWrapperAnnotateCostsPass());
}

/// Makes the code of kernels on the level of threads or of vectors, and joins
/// launches by it.
static void buildKernelCode(OpPassManager &pm,
                            const CompilePipelineOptions &options) {
  const target::TargetKind &kind = getTargetKind(options);
  bool runsThreads = kind.form == target::KernelForm::Threads;
  attachTarget(pm, options);
  addExtensions(pm, ExtensionPoint::BeforeDeviceCode, options);
  // Kernels are independent of each other: this part runs in parallel.
  OpPassManager &kernels = pm.nest<wrapper::KernelOp>();
  WrapperLowerUserKernelPassOptions user;
  if (runsThreads)
    user.chip = getTargetChips(options);
  kernels.addPass(createWrapperLowerUserKernelPass(user));
  if (runsThreads) {
    ConvertLoopToGPUPassOptions convert;
    convert.approximate = options.fastMath != "off";
    kernels.addPass(createConvertLoopToGPUPass(convert));
  } else {
    ConvertLoopToCPUPassOptions convert;
    convert.approximate = options.fastMath != "off";
    kernels.addPass(createConvertLoopToCPUPass(convert));
  }
  // Emission repeats constants and addresses. For a GPU, it leaves no block or
  // value that only a look at whole regions would remove.
  GreedyRewriteConfig config;
  if (runsThreads)
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  kernels.addPass(createCanonicalizerPass(config));
  kernels.addPass(createCSEPass());
  if (runsThreads) {
    pm.addPass(createWrapperBatchGPULaunchesPass());
    if (options.combineLaunches)
      pm.addPass(createWrapperCombineGPULaunchesPass());
    pm.addPass(wrapper::createWrapperVerifyMemoryPass());
  }
}

LogicalResult coil::findCombinations(ModuleOp module,
                                     const CompilePipelineOptions &options) {
  if (!options.combineLaunches ||
      getTargetKind(options).form != target::KernelForm::Threads)
    return success();
  numberLaunches(module);
  OwningOpRef<ModuleOp> copy = module.clone();
  PassManager pm(module.getContext());
  buildKernelCode(pm, options);
  if (failed(pm.run(*copy)))
    return failure();
  markCombinations(module, *copy);
  // What has moved is in memory for longer.
  PassManager check(module.getContext());
  check.addPass(wrapper::createWrapperVerifyMemoryPass());
  return check.run(module);
}

void coil::buildKernelPipeline(OpPassManager &pm,
                               const CompilePipelineOptions &options) {
  buildKernelCode(pm, options);
  const target::TargetKind &kind = getTargetKind(options);
  if (kind.form == target::KernelForm::Threads) {
    target::CodeOptions code;
    code.chips = getTargetChips(options);
    code.fastMath = options.fastMath;
    kind.buildCodePipeline(pm.nest<wrapper::KernelOp>(), code);
  } else {
    ConvertCPUKernelToLLVMPassOptions lower;
    lower.vectorBits = options.vectorBits;
    pm.addNestedPass<wrapper::KernelOp>(
        createConvertCPUKernelToLLVMPass(lower));
  }
  addExtensions(pm, ExtensionPoint::AfterDeviceCode, options);
}

void coil::buildNativePipeline(OpPassManager &pm,
                               const CompilePipelineOptions &options) {
  buildKernelPipeline(pm, options);
  // The host program needs the sizes of the kernels' outer spaces.
  ConvertWrapperToLLVMPassOptions host;
  host.maxSteps = options.hostSteps;
  pm.addPass(createConvertWrapperToLLVMPass(host));
  addExtensions(pm, ExtensionPoint::AfterHostCode, options);
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

/// Registers a pipeline whose options are resolved before it is built. `parts`
/// are what it consists of.
static void registerPipeline(
    StringRef name, StringRef description, ArrayRef<PipelinePart> parts,
    std::function<void(OpPassManager &, const CompilePipelineOptions &)>
        build) {
  registerPassPipeline(
      name, description,
      [build, name = name.str(), parts = SmallVector<PipelinePart>(parts)](
          OpPassManager &pm, StringRef text,
          function_ref<LogicalResult(const Twine &)> errorHandler) {
        CompilePipelineOptions options;
        if (llvm::Error error = parseOptions(options, text))
          return errorHandler(toString(std::move(error)));
        if (llvm::Error error = checkInsertedPasses(
                options, parts, "the pipeline '" + Twine(name) + "'"))
          return errorHandler(toString(std::move(error)));
        // Without a chip, code is for all that there is code for; no device is
        // asked.
        if (llvm::Error error = resolveOptions(options, /*detect=*/false))
          return errorHandler(toString(std::move(error)));
        build(pm, options);
        return success();
      },
      [](function_ref<void(const detail::PassOptions &)> handler) {
        handler(CompilePipelineOptions());
      });
}

void coil::registerPipelines() {
  completeTargetKinds();
  PassPipelineRegistration<>(
      "coil-tosa-pipeline",
      "From operations of TOSA to graph operators and to linalg",
      [](OpPassManager &pm) { buildTosaPipeline(pm); });
  registerPipeline("coil-graph-pipeline",
                   "From imported operators to the graph stage",
                   {PipelinePart::Graph}, buildGraphPipeline);
  registerPipeline("coil-loop-pipeline",
                   "From the graph stage to scheduled loop kernels",
                   {PipelinePart::Loop}, buildLoopPipeline);
  registerPipeline("coil-wrapper-pipeline",
                   "From loop kernels to a planned host program",
                   {PipelinePart::Wrapper}, buildWrapperPipeline);
  registerPipeline("coil-kernel-pipeline",
                   "From kernels as value functions to the LLVM dialect",
                   {PipelinePart::Kernel}, buildKernelPipeline);
  registerPipeline(
      "coil-native-pipeline", "From the host program to the LLVM dialect",
      {PipelinePart::Kernel, PipelinePart::Host}, buildNativePipeline);
  registerPipeline(
      "coil-cpu-pipeline", "From imported operators to the LLVM dialect",
      {PipelinePart::Graph, PipelinePart::Loop, PipelinePart::Wrapper,
       PipelinePart::Kernel, PipelinePart::Host},
      [](OpPassManager &pm, const CompilePipelineOptions &options) {
        for (Stage stage :
             {Stage::Graph, Stage::Loop, Stage::Wrapper, Stage::Native})
          buildStagePipeline(pm, stage, options);
      });
}
