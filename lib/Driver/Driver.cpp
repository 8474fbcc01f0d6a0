//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reading programs and taking them through the stages.
//
//===----------------------------------------------------------------------===//

#include "coil/Driver/Driver.h"

#include "Logs.h"
#include "PipelineCache.h"
#include "coil/Dialect/Graph/IR/Graph.h"
#include "coil/Dialect/Loop/IR/Loop.h"
#include "coil/Dialect/Wrapper/IR/UserKernel.h"
#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "coil/Import/Import.h"
#include "coil/InitAllPasses.h"
#include "coil/Pipelines/Extensions.h"
#include "coil/Report/DebugDirectory.h"
#include "coil/Support/Error.h"
#include "coil/Support/OutputFile.h"
#include "coil/Support/Registration.h"
#include "coil/Support/SourceText.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

#include <chrono>
#include <mutex>

using namespace mlir;
using namespace coil;
using llvm::Error;
using llvm::Expected;

Expected<OwningOpRef<ModuleOp>> coil::loadModule(StringRef path,
                                                 llvm::SourceMgr &sources,
                                                 MLIRContext &context) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(path, &message);
  if (!file)
    return makeError(message);
  std::optional<TextProblem> problem = findTextProblem(file->getBuffer());
  const char *begin = file->getBufferStart();
  unsigned id = sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  if (problem) {
    auto [line, column] = sources.getLineAndColumn(
        llvm::SMLoc::getFromPointer(begin + problem->offset), id);
    return makeError(path + ":" + llvm::Twine(line) + ":" +
                     llvm::Twine(column) + ": " + problem->what);
  }
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return makeError("'" + path + "' is not a valid module");
  return std::move(module);
}

Expected<Program> coil::loadProgram(StringRef path, StringRef weightsPath,
                                    llvm::SourceMgr &sources,
                                    MLIRContext &context, bool checkWeights) {
  Program program;
  if (path.ends_with(".pt2")) {
    import::ImportOptions options;
    options.checkWeightCRC = checkWeights;
    Expected<import::ImportedProgram> imported =
        import::importExportedProgram(path, &context, options);
    if (!imported)
      return makeError("'" + path + "': " + toString(imported.takeError()));
    program.module = std::move(imported->module);
    program.weights = std::move(imported->weights);
    return std::move(program);
  }
  Expected<OwningOpRef<ModuleOp>> module = loadModule(path, sources, context);
  if (!module)
    return module.takeError();
  program.module = std::move(*module);
  if (failed(wrapper::loadKernels(*program.module,
                                  llvm::sys::path::parent_path(path))))
    return makeError("'" + path + "': a kernel cannot be loaded");
  if (weightsPath.empty())
    return std::move(program);
  Expected<import::Package> package = import::Package::open(weightsPath);
  if (!package)
    return package.takeError();
  auto weights = package->loadWeights("", import::Limits(), checkWeights);
  if (!weights)
    return weights.takeError();
  program.weights = std::move(*weights);
  return std::move(program);
}

Expected<Program> coil::loadProgramText(StringRef text, MLIRContext &context) {
  Expected<OwningOpRef<ModuleOp>> module =
      import::importProgramText(text, &context);
  if (!module)
    return module.takeError();
  Program program;
  program.module = std::move(*module);
  return std::move(program);
}

Stage coil::detectStage(ModuleOp module) {
  Stage stage = Stage::Input;
  bool graph = false;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<graph::AtenOp>(op)) {
      stage = Stage::Input;
      return WalkResult::interrupt();
    }
    // What user-defined kernels mean may be in terms of earlier stages.
    if (auto kernel = dyn_cast<wrapper::KernelOp>(op);
        kernel && kernel.isUserKernel())
      return WalkResult::skip();
    if (isa_and_present<graph::GraphDialect>(op->getDialect())) {
      stage = Stage::Graph;
      graph = true;
    } else if (!graph && isa<wrapper::FuncOp>(op)) {
      stage = Stage::Wrapper;
    } else if (!graph && stage == Stage::Input && isa<loop::KernelOp>(op) &&
               !op->getParentOfType<wrapper::KernelOp>()) {
      stage = Stage::Loop;
    } else if (stage == Stage::Input && isa<LLVM::LLVMFuncOp>(op) &&
               op->getParentOp() == module) {
      stage = Stage::Native;
    }
    return WalkResult::advance();
  });
  return stage;
}

static Error dump(ModuleOp module, StringRef directory, Stage stage) {
  if (std::error_code error = llvm::sys::fs::create_directories(directory))
    return makeError("cannot create '" + directory + "': " + error.message());
  SmallString<128> path(directory);
  llvm::sys::path::append(path, llvm::Twine(static_cast<int>(stage)) + "-" +
                                    stringifyStage(stage) + ".mlir");
  Expected<std::unique_ptr<OutputFile>> file = OutputFile::open(path);
  if (!file)
    return file.takeError();
  module.print((*file)->os(), OpPrintingFlags().enableDebugInfo());
  (*file)->os() << '\n';
  return (*file)->commit();
}

Error coil::checkStageOptions(StringRef pipelineOptions, Stage from, Stage to) {
  Expected<GivenOptions> given = GivenOptions::parse(pipelineOptions);
  if (!given)
    return given.takeError();
  if (Error error = given->checkTogether())
    return error;
  return given->checkStages(from, to);
}

/// Textual pipelines name passes of the registry, which programs in memory have
/// no other use for.
static void registerInsertedPasses(const CompilePipelineOptions &pipeline) {
  static std::once_flag once;
  if (!pipeline.insertPasses.empty())
    std::call_once(once, [] { registerAllPasses(); });
}

Error coil::checkInsertedPasses(StringRef pipelineOptions, Stage from, Stage to,
                                bool compilesKernels) {
  CompilePipelineOptions pipeline;
  if (Error error = parseOptions(pipeline, pipelineOptions))
    return error;
  registerInsertedPasses(pipeline);
  SmallVector<PipelinePart> parts;
  for (PipelinePart part :
       {PipelinePart::Graph, PipelinePart::Loop, PipelinePart::Wrapper,
        PipelinePart::Kernel, PipelinePart::Host})
    if ((getStage(part) > from && getStage(part) <= to) ||
        (compilesKernels && part == PipelinePart::Kernel))
      parts.push_back(part);
  return checkInsertedPasses(pipeline, parts,
                             "compilation from the stage '" +
                                 stringifyStage(from) + "' to the stage '" +
                                 stringifyStage(to) + "'");
}

bool coil::buildPreparation(OpPassManager &pm, ModuleOp module) {
  bool calls = false, tosa = false;
  auto *dialect = module.getContext()->getLoadedDialect("tosa");
  module->walk([&](Operation *op) {
    calls |= isa<func::CallOp>(op);
    tosa |= dialect && op->getDialect() == dialect;
  });
  if (calls) {
    pm.addPass(createInlinerPass());
    pm.addPass(createSymbolDCEPass());
  }
  if (tosa)
    buildTosaPipeline(pm);
  return calls || tosa;
}

static Error prepare(ModuleOp module, const CompileOptions &options) {
  PassManager pm(module.getContext(), ModuleOp::getOperationName());
  if (!buildPreparation(pm, module))
    return Error::success();
  pm.enableVerifier(options.verifyEach);
  if (options.configure)
    options.configure(pm);
  if (options.debug)
    options.debug->configure(pm);
  if (options.printPipelines) {
    *options.printPipelines << "// Before the stage 'graph':\n";
    pm.printAsTextualPipeline(*options.printPipelines);
    *options.printPipelines << '\n';
  }
  if (failed(pm.run(module)))
    return makeError("compilation failed before the stage 'graph'");
  return Error::success();
}

Expected<std::vector<StageTime>>
coil::compileProgram(ModuleOp module, const CompileOptions &options) {
  CompilePipelineOptions pipeline;
  if (Error error = parseOptions(pipeline, options.pipelineOptions))
    return std::move(error);
  registerInsertedPasses(pipeline);
  if (Error error = resolveOptions(pipeline))
    return std::move(error);
  if (options.debug)
    pipeline.costs = true;
  // A report that cannot be written ends the report.
  std::string dumpDirectory = options.dumpDirectory;
  DebugDirectory *debug = options.debug;
  auto dumpStage = [&](Stage stage) {
    if (dumpDirectory.empty())
      return;
    if (Error error = dump(module, dumpDirectory, stage)) {
      warnAboutReport(std::move(error));
      dumpDirectory.clear();
    }
  };
  dumpStage(options.from);
  if (options.from == Stage::Input && options.to > Stage::Input)
    if (Error error = prepare(module, options))
      return std::move(error);
  std::vector<StageTime> times;
  for (int i = static_cast<int>(options.from) + 1,
           last = static_cast<int>(options.to);
       i <= last; ++i) {
    Stage stage = static_cast<Stage>(i);
    auto begin = std::chrono::steady_clock::now();
    std::optional<PassManager> own;
    if (!options.pipelines) {
      own.emplace(module.getContext(), ModuleOp::getOperationName());
      own->enableVerifier(options.verifyEach);
      if (options.configure)
        options.configure(*own);
      if (options.debug)
        options.debug->configure(*own);
      buildStagePipeline(*own, stage, pipeline);
    }
    PassManager &pm =
        own ? *own
            : options.pipelines->get(stage, pipeline, options.pipelineOptions);
    // Every boundary is a verified contract, whatever happens between passes.
    llvm::raw_ostream *pipelines = options.printPipelines;
    if (!pipelines && Logs::get().pipelines)
      pipelines = &llvm::errs();
    if (pipelines) {
      *pipelines << "// Stage '" << stringifyStage(stage) << "':\n";
      pm.printAsTextualPipeline(*pipelines);
      *pipelines << '\n';
    }
    if (failed(pm.run(module)) ||
        (!options.verifyEach && failed(verify(module))))
      return makeError("compilation failed on the way to the stage '" +
                       stringifyStage(stage) + "'");
    // Dialects that a pass loads may register devices.
    if (Error error = checkRegistrations())
      return std::move(error);
    times.push_back({stage, std::chrono::duration<double>(
                                std::chrono::steady_clock::now() - begin)
                                .count()});
    dumpStage(stage);
    Logs::get().stageDone(stage, module, times.back().seconds);
    if (debug)
      if (Error error = debug->addStage(stage, module, times.back().seconds)) {
        warnAboutReport(std::move(error));
        debug = nullptr;
      }
  }
  return times;
}

Expected<std::unique_ptr<DebugDirectory>>
coil::openDebugDirectory(StringRef path, StringRef model, ModuleOp module,
                         Stage stage, StringRef pipelineOptions) {
  std::string given = path.str();
  if (given.empty())
    given = nextDebugDirectory(model);
  if (given.empty())
    return nullptr;
  CompilePipelineOptions pipeline;
  if (Error error = parseOptions(pipeline, pipelineOptions))
    return std::move(error);
  Expected<std::unique_ptr<DebugDirectory>> debug =
      DebugDirectory::create(given, model, module, pipeline);
  Error error = debug ? (*debug)->addStage(stage, module, /*seconds=*/0)
                      : debug.takeError();
  if (!error)
    return debug;
  warnAboutReport(std::move(error));
  return nullptr;
}

Error coil::finishDebugDirectory(DebugDirectory *debug, Error error) {
  if (debug)
    warnAboutReport(debug->finish());
  return error;
}
