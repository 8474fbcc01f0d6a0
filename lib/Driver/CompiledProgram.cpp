//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compilation of files and runs with weights.
//
//===----------------------------------------------------------------------===//

#include "coil/Driver/CompiledProgram.h"

#include "CompileKey.h"
#include "CompileSession.h"
#include "ErrorLines.h"
#include "coil/Dialect/Loop/IR/Loop.h"
#include "coil/Dialect/Wrapper/Analysis/Provenance.h"
#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "coil/Dialect/Wrapper/Transforms/Passes.h"
#include "coil/Driver/ProgramCache.h"
#include "coil/Driver/WeightFile.h"
#include "coil/Import/Import.h"
#include "coil/Package/Package.h"
#include "coil/Package/ProgramLoader.h"
#include "coil/Plugins/Plugins.h"
#include "coil/Reference/HostInterpreter.h"
#include "coil/Reference/Interpreter.h"
#include "coil/Reference/Tensor.h"
#include "coil/Report/DebugDirectory.h"
#include "coil/Support/Clock.h"
#include "coil/Support/Error.h"
#include "coil/Support/HostTensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <optional>

using namespace coil;
using namespace mlir;
using llvm::Error;
using llvm::Expected;

//===----------------------------------------------------------------------===//
// Program state
//===----------------------------------------------------------------------===//

struct CompiledProgram::Impl {
  JITStats stats;
  std::shared_ptr<import::WeightStore> weightStore;
  std::unique_ptr<ModelContainer> container;

  /// The function to run; the rest only with `keepReference`, in this order of
  /// destruction.
  std::string function;
  std::unique_ptr<CompileSession> session;
  OwningOpRef<ModuleOp> reference;

  ~Impl() { reference = {}; }

  const Engine &getEngine() const { return container->getEngine(); }
  Error makeContainer(std::unique_ptr<Engine> engine,
                      std::unique_ptr<Engine> prepareEngine,
                      ModelContainer::WeightSource source);
  /// Takes a program of a package over.
  void take(LoadedProgram loaded, llvm::StringRef name);
  /// A weight of the model, as its file has it.
  Expected<NamedWeight> getModelWeight(llvm::StringRef name) const;
  /// The same, or what it was updated to.
  Expected<NamedWeight> getWeight(llvm::StringRef name) const;
};

CompiledProgram::CompiledProgram(std::unique_ptr<Impl> impl)
    : impl(std::move(impl)) {}
CompiledProgram::~CompiledProgram() = default;

const Engine &CompiledProgram::getEngine() const { return impl->getEngine(); }
const JITStats &CompiledProgram::getStats() const { return impl->stats; }
ModelContainer &CompiledProgram::getContainer() { return *impl->container; }
const ModelContainer &CompiledProgram::getContainer() const {
  return *impl->container;
}
llvm::ArrayRef<TensorSpec> CompiledProgram::getInputs() const {
  return impl->container->getInputs();
}
llvm::ArrayRef<TensorSpec> CompiledProgram::getOutputs() const {
  return impl->getEngine().getSignature().getOutputs();
}

static reference::Tensor toReference(const coil_tensor &tensor) {
  size_t rank = size_t(tensor.rank);
  return reference::Tensor::fromStrided(
      static_cast<reference::DType>(tensor.dtype), {tensor.sizes, rank},
      {tensor.strides, rank}, tensor.data);
}

Expected<NamedWeight>
CompiledProgram::Impl::getModelWeight(llvm::StringRef name) const {
  const import::Weight *weight =
      weightStore ? weightStore->lookup(name) : nullptr;
  if (!weight)
    return makeError("the program needs the weight '" + name +
                     "', which no file was given for");
  return toNamedWeight(*weight, weightStore);
}

Expected<NamedWeight>
CompiledProgram::Impl::getWeight(llvm::StringRef name) const {
  if (std::optional<size_t> number = container->findWeight(name))
    return container->getWeight(*number);
  return getModelWeight(name);
}

Error CompiledProgram::Impl::makeContainer(
    std::unique_ptr<Engine> engine, std::unique_ptr<Engine> prepareEngine,
    ModelContainer::WeightSource source) {
  Expected<std::unique_ptr<ModelContainer>> made =
      ModelContainer::create(std::move(engine), std::move(prepareEngine),
                             wrapper::getPrepareName(function), source);
  if (!made)
    return made.takeError();
  container = std::move(*made);
  stats.preparedWeights = int64_t(container->getNumPrepared());
  stats.prepareSeconds = container->getPrepareSeconds();
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

/// Whether passes have several functions or kernels to run on at a time. For
/// one, the copies of all passes that each thread gets cost more than the
/// passes.
static bool isWorthThreads(ModuleOp module) {
  size_t functions = 0, kernels = 0, outlined = 0;
  module.walk([&](Operation *op) {
    functions += isa<func::FuncOp>(op);
    kernels += isa<loop::KernelOp>(op);
    outlined += isa<wrapper::KernelOp>(op);
  });
  return std::max({functions, kernels, outlined}) > 1;
}

/// Takes a module through the stages from `from` to `to`.
static Error lower(ModuleOp module, Stage from, Stage to,
                   llvm::StringRef pipelineOptions, CompileSession &session,
                   bool threads, JITStats &stats,
                   DebugDirectory *debug = nullptr) {
  if (from >= to)
    return Error::success();
  session.setParallel(threads && isWorthThreads(module));
  CompileOptions options;
  options.from = from;
  options.to = to;
  options.pipelineOptions = pipelineOptions.str();
  options.debug = debug;
  if (debug)
    options.configure = [&](PassManager &pm) { session.configure(pm); };
  else
    options.pipelines = &session.getPipelines();
  Expected<std::vector<StageTime>> times = compileProgram(module, options);
  if (!times)
    return times.takeError();
  llvm::append_range(stats.stages, *times);
  return Error::success();
}

/// What each step of a host program computes (`ProgramImage::provenance`).
static std::string describeSteps(ModuleOp module) {
  std::string text;
  wrapper::CallHandles handles(module);
  module.walk([&](wrapper::ComputeOpInterface step) {
    text += handles.get(step);
    for (const wrapper::Source &source : wrapper::getSources(step.getLoc())) {
      std::string name = source.str();
      std::replace_if(
          name.begin(), name.end(),
          [](char c) { return c == '\t' || c == '\n'; }, ' ');
      text += "\t" + name;
    }
    text += '\n';
  });
  return llvm::json::isUTF8(text) ? text : llvm::json::fixUTF8(text);
}

/// Takes the function `name` and the kernels that only it launches out of a
/// module; returns a module with these alone, null if there is no such
/// function.
static OwningOpRef<ModuleOp> takeFunction(ModuleOp module,
                                          const std::string &name) {
  auto find = [](ModuleOp in, const std::string &name) {
    Operation *op = in.lookupSymbol(name);
    return op ? op : in.lookupSymbol("coil_" + name);
  };
  Operation *function = find(module, name);
  if (!function)
    return {};
  OwningOpRef<ModuleOp> taken = module.clone();
  Operation *kept = find(*taken, name);
  for (Operation &op : llvm::make_early_inc_range(*taken->getBody()))
    if (&op != kept && isa<FunctionOpInterface>(op) &&
        !isa<wrapper::KernelOp>(op) && op.getNumRegions() != 0 &&
        !op.getRegion(0).empty())
      op.erase();
  function->erase();
  for (ModuleOp each : {module, *taken}) {
    if (each.getOps<wrapper::FuncOp>().empty())
      continue; // Calls are code by now.
    llvm::StringSet<> launched;
    each->walk([&](wrapper::LaunchOp op) { launched.insert(op.getCallee()); });
    each->walk(
        [&](wrapper::LaunchUserOp op) { launched.insert(op.getCallee()); });
    for (auto kernel :
         llvm::make_early_inc_range(each.getOps<wrapper::KernelOp>()))
      if (!launched.contains(kernel.getSymName()))
        kernel.erase();
  }
  return taken;
}

/// What `load` needs of the options.
static LoadOptions getLoadOptions(const JITOptions &options) {
  return {options.function, options.checkWeights, options.engine};
}

void CompiledProgram::Impl::take(LoadedProgram loaded, llvm::StringRef name) {
  function = name.str();
  container = std::move(loaded.container);
  stats.kernelsBefore = loaded.kernelsBefore;
  stats.launches = loaded.launches;
  stats.libraryCalls = loaded.libraryCalls;
  stats.preparedWeights = int64_t(container->getNumPrepared());
  stats.prepareSeconds = container->getPrepareSeconds();
}

Expected<std::unique_ptr<CompiledProgram>>
CompiledProgram::load(llvm::StringRef path, const JITOptions &options) {
  Expected<LoadedProgram> loaded = loadProgram(path, getLoadOptions(options));
  if (!loaded)
    return loaded.takeError();
  auto impl = std::make_unique<Impl>();
  impl->stats.importSeconds = loaded->readSeconds;
  impl->stats.totalSeconds = loaded->totalSeconds;
  impl->take(std::move(*loaded), options.function);
  return std::unique_ptr<CompiledProgram>(new CompiledProgram(std::move(impl)));
}

Error CompiledProgram::save(llvm::StringRef path) const {
  Expected<ProgramPackage> package = makePackage();
  if (!package)
    return package.takeError();
  return writePackage(*package, path);
}

Expected<ProgramPackage> CompiledProgram::makePackage(bool withWeights) const {
  ProgramPackage package;
  package.function = impl->function;
  ProgramVariant &variant = package.variants.emplace_back();
  variant.kernelsBefore = impl->stats.kernelsBefore;
  variant.launches = impl->stats.launches;
  variant.libraryCalls = impl->stats.libraryCalls;
  variant.main = impl->getEngine().getImage();
  const ModelContainer &container = *impl->container;
  if (container.getPrepareEngine())
    variant.prepare = container.getPrepareEngine()->getImage();
  if (!withWeights)
    return package;
  // In the order of the inputs, so that equal programs are equal files.
  std::vector<NamedWeight> kept;
  for (size_t i = 0, n = container.getNumWeights(); i < n; ++i) {
    Expected<NamedWeight> value = container.getWeight(i);
    if (!value)
      return value.takeError();
    const coil_tensor &tensor = kept.emplace_back(std::move(*value)).tensor;
    PackageWeight &weight = package.weights.emplace_back();
    weight.name = kept.back().name;
    weight.dtype = tensor.dtype;
    weight.sizes.assign(tensor.sizes, tensor.sizes + tensor.rank);
    std::optional<int64_t> bytes = getTensorBytes(weight.dtype, weight.sizes);
    if (!bytes)
      return makeError("weight '" + weight.name + "' is too large");
    weight.data = {static_cast<const char *>(tensor.data), size_t(*bytes)};
  }
  return package;
}

Expected<std::unique_ptr<CompiledProgram>>
CompiledProgram::compile(llvm::StringRef path, const JITOptions &options) {
  if (Error error = loadPlugins())
    return std::move(error);
  if (isPackagePath(path))
    return load(path, options);
  llvm::SourceMgr sources;
  bool isExported = path.ends_with(".pt2");
  auto compile = [&] {
    return compileRead(
        [&](MLIRContext &context) {
          return loadProgram(path, options.weights, sources, context,
                             options.checkWeights);
        },
        path, isExported, /*nameNodes=*/false, options);
  };
  if (!isExported)
    return compile();
  return compileCached(
      [&](CacheKey &key) { return addExportedProgram(key, path); },
      [&]() -> Expected<std::unique_ptr<import::WeightStore>> {
        Expected<import::Package> package = import::Package::open(path);
        if (!package)
          return package.takeError();
        return package->loadWeights("", import::Limits(), options.checkWeights);
      },
      compile, options);
}

Expected<std::unique_ptr<CompiledProgram>>
CompiledProgram::compileText(llvm::StringRef text, const JITOptions &options) {
  auto compile = [&] {
    return compileRead(
        [&](MLIRContext &context) { return loadProgramText(text, context); },
        "program", /*isExported=*/true, /*nameNodes=*/true, options);
  };
  return compileCached(
      [&](CacheKey &key) -> Error {
        key.add("text").add(text);
        return Error::success();
      },
      []() -> Expected<std::unique_ptr<import::WeightStore>> {
        return std::unique_ptr<import::WeightStore>();
      },
      compile, options);
}

Expected<std::unique_ptr<CompiledProgram>> CompiledProgram::compileCached(
    llvm::function_ref<Error(CacheKey &)> addSource,
    llvm::function_ref<Expected<std::unique_ptr<import::WeightStore>>()>
        openWeights,
    llvm::function_ref<Expected<std::unique_ptr<CompiledProgram>>()> compile,
    const JITOptions &options) {
  double start = now();
  std::string warning;
  // One warning is enough for a process.
  auto warn = [&](Error error) {
    static std::atomic<bool> hasWarned{false};
    std::string text = toString(std::move(error));
    if (!hasWarned.exchange(true))
      warning = std::move(text);
  };
  CacheKey key;
  std::optional<ProgramCache> cache;
  if (options.cache && addOptions(key, options)) {
    Expected<std::optional<ProgramCache>> opened = ProgramCache::open();
    if (!opened)
      warn(opened.takeError());
    else
      cache = std::move(*opened);
  }
  // What cannot be read is an error of compilation.
  if (cache)
    if (Error error = addSource(key)) {
      llvm::consumeError(std::move(error));
      cache.reset();
    }
  std::string name = cache ? key.finish() : std::string();
  if (cache) {
    if (std::optional<std::string> reason = cache->loadRefusal(name))
      return makeError(*reason);
    if (std::optional<ProgramPackage> package = cache->load(name)) {
      auto impl = std::make_unique<Impl>();
      impl->stats.cache = CacheUse::Hit;
      Expected<std::unique_ptr<import::WeightStore>> weights = openWeights();
      if (!weights)
        return weights.takeError();
      impl->weightStore = std::move(*weights);
      impl->stats.importSeconds = now() - start;
      Expected<LoadedProgram> program = loadVariant(
          *package, getLoadOptions(options),
          [&](llvm::StringRef weight) { return impl->getModelWeight(weight); });
      if (program) {
        impl->take(std::move(*program), options.function);
        impl->stats.totalSeconds = now() - start;
        ProgramCache::countHit();
        return std::unique_ptr<CompiledProgram>(
            new CompiledProgram(std::move(impl)));
      }
      // Code for another processor or GPU, of which a package is wanted, or
      // what compilation will say, or replace.
      llvm::consumeError(program.takeError());
    }
    ProgramCache::countMiss();
  }
  Expected<std::unique_ptr<CompiledProgram>> program = compile();
  if (!program) {
    Error error = program.takeError();
    if (!cache || !error.isA<llvm::StringError>())
      return std::move(error);
    std::string reason = toString(std::move(error));
    // What the compiler says of nodes and symbols depends on nothing but the
    // program; other errors may be the machine's.
    llvm::StringRef text = reason;
    if (text.starts_with("node '") || text.starts_with("symbol '"))
      llvm::consumeError(cache->storeRefusal(name, reason));
    return makeError(reason);
  }
  JITStats &stats = (*program)->impl->stats;
  if (cache) {
    stats.cache = CacheUse::Miss;
    Expected<ProgramPackage> package =
        (*program)->makePackage(/*withWeights=*/false);
    Error error = package ? cache->store(name, *package) : package.takeError();
    if (error)
      warn(std::move(error));
  }
  stats.cacheWarning = std::move(warning);
  return program;
}

Expected<std::unique_ptr<CompiledProgram>> CompiledProgram::compileRead(
    llvm::function_ref<Expected<Program>(MLIRContext &)> read,
    llvm::StringRef name, bool isExported, bool nameNodes,
    const JITOptions &options) {
  double start = now();
  std::unique_ptr<CompileSession> session = CompileSession::take();
  MLIRContext &context = session->getContext();
  bool threads = options.engine.threads != 1;
  std::optional<ErrorLines> errorLines(std::in_place, &context, nameNodes);
  ErrorLines &errors = *errorLines;

  auto impl = std::make_unique<Impl>();
  JITStats &stats = impl->stats;
  Expected<Program> loaded = read(context);
  if (!loaded)
    return errors.take(loaded.takeError());
  OwningOpRef<ModuleOp> module = std::move(loaded->module);
  impl->weightStore = std::move(loaded->weights);
  stats.importSeconds = now() - start;

  if (!module->lookupSymbol(options.function) &&
      !module->lookupSymbol("coil_" + options.function))
    return makeError("there is no function '" + options.function + "'");

  // Graph operators may still be compound: they start from the beginning.
  Stage stage = detectStage(*module);
  if (stage == Stage::Graph)
    stage = Stage::Input;
  impl->function = options.function;
  std::string pipelineOptions = options.pipelineOptions;
  if (Error error = checkStageOptions(pipelineOptions, stage, Stage::Native))
    return std::move(error);
  if (Error error = checkInsertedPasses(pipelineOptions, stage, Stage::Native))
    return std::move(error);
  if (!llvm::StringRef(pipelineOptions).contains("hoist-weights="))
    pipelineOptions += " hoist-weights=true";
  auto debug = openDebugDirectory(options.debugDirectory, name, *module, stage,
                                  pipelineOptions);
  if (!debug)
    return errors.take(debug.takeError());
  OwningOpRef<ModuleOp> prepare;
  std::string provenance;
  for (Stage next :
       {Stage::Graph, Stage::Loop, Stage::Wrapper, Stage::Native}) {
    if (Error error = lower(*module, stage, next, pipelineOptions, *session,
                            threads, stats, debug->get()))
      return errors.take(finishDebugDirectory(debug->get(), std::move(error)));
    if (prepare)
      if (Error error = lower(*prepare, stage, next, pipelineOptions, *session,
                              threads, stats))
        return errors.take(std::move(error));
    stage = std::max(stage, next);
    if (next == Stage::Graph && options.keepReference)
      impl->reference = module->clone();
    if (next == Stage::Wrapper) {
      double begin = now();
      provenance = describeSteps(*module);
      stats.provenanceSeconds = now() - begin;
      prepare =
          takeFunction(*module, wrapper::getPrepareName(options.function));
      module->walk([&](Operation *op) {
        bool isLaunch = isa<wrapper::LaunchOp, wrapper::LaunchUserOp>(op);
        stats.launches += isLaunch;
        stats.libraryCalls += !isLaunch && isa<wrapper::ComputeOpInterface>(op);
      });
    }
  }

  if (Error error = finishDebugDirectory(debug->get(), Error::success()))
    return errors.take(std::move(error));
  debug->reset();
  stats.kernelsBefore = session->getNumKernels();

  // Code is made by several threads of one program's IR.
  session->setParallel(threads);
  EngineOptions engineOptions = options.engine;
  engineOptions.entryPoint = "coil_" + options.function;
  engineOptions.provenance = std::move(provenance);
  engineOptions.cpu = getCPU(options.pipelineOptions);
  Expected<std::unique_ptr<Engine>> engine =
      Engine::create(*module, engineOptions);
  if (!engine)
    return errors.take(engine.takeError());
  std::unique_ptr<Engine> prepareEngine;
  if (prepare) {
    engineOptions.entryPoint =
        "coil_" + wrapper::getPrepareName(options.function);
    engineOptions.graphs = 0;
    engineOptions.provenance.clear();
    Expected<std::unique_ptr<Engine>> made =
        Engine::create(*prepare, engineOptions);
    if (!made)
      return errors.take(made.takeError());
    prepareEngine = std::move(*made);
  }
  if (Error error = impl->makeContainer(
          std::move(*engine), std::move(prepareEngine),
          [&](llvm::StringRef name) { return impl->getModelWeight(name); }))
    return std::move(error);
  stats.totalSeconds = now() - start;
  size_t numOps = 0;
  for (ModuleOp each : {*module, prepare.get()})
    if (each)
      each.walk([&](Operation *) { ++numOps; });
  module = {};
  prepare = {};
  errorLines.reset();
  // A session is left by what cannot have put anything into it but IR.
  if (options.keepReference)
    impl->session = std::move(session);
  else if (isExported && options.debugDirectory.empty())
    CompileSession::leave(std::move(session), numOps);
  return std::unique_ptr<CompiledProgram>(new CompiledProgram(std::move(impl)));
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

RandomState CompiledProgram::getRandomState() const {
  return impl->container->getRandomState();
}

void CompiledProgram::setRandomState(RandomState state) {
  impl->container->setRandomState(state);
}

Expected<RunResult> CompiledProgram::run(llvm::ArrayRef<coil_tensor> inputs,
                                         const RunOptions &options) const {
  return impl->container->run(inputs, options);
}

Expected<DeviceTensors>
CompiledProgram::upload(llvm::ArrayRef<coil_tensor> inputs,
                        int32_t device) const {
  return impl->container->upload(inputs, device);
}

Expected<std::vector<reference::Tensor>>
CompiledProgram::interpret(llvm::ArrayRef<coil_tensor> inputs,
                           RandomState state) const {
  const ModelContainer &container = *impl->container;
  if (Error error = container.checkCount(inputs.size()))
    return std::move(error);
  Operation *found =
      impl->reference ? impl->reference->lookupSymbol(impl->function) : nullptr;
  auto function = dyn_cast_or_null<func::FuncOp>(found);
  auto host = dyn_cast_or_null<wrapper::FuncOp>(found);
  if (!function && !host)
    return makeError("there is no function '" + impl->function +
                     "' to interpret");
  ErrorLines errors(&impl->session->getContext());
  auto collect = [&](FailureOr<llvm::SmallVector<reference::Tensor>> results)
      -> Expected<std::vector<reference::Tensor>> {
    if (failed(results))
      return errors.take(makeError("the reference interpreter failed"));
    return std::vector<reference::Tensor>(results->begin(), results->end());
  };
  // Weights that a file of a late stage says how to prepare.
  std::vector<reference::Tensor> prepared;
  if (auto prepare = impl->reference->lookupSymbol<wrapper::FuncOp>(
          wrapper::getPrepareName(impl->function))) {
    llvm::SmallVector<reference::HostArgument> arguments;
    for (const TensorSpec &spec :
         container.getPrepareEngine()->getSignature().getInputs()) {
      Expected<NamedWeight> weight = impl->getWeight(spec.weight);
      if (!weight)
        return weight.takeError();
      arguments.emplace_back().tensor = toReference(weight->tensor);
    }
    Expected<std::vector<reference::Tensor>> results =
        collect(reference::HostInterpreter().run(prepare, arguments));
    if (!results)
      return results.takeError();
    prepared = std::move(*results);
  }
  // The function may take other weights than the compiled program.
  RandomTensor random(state);
  std::vector<coil_tensor> all;
  llvm::SmallVector<reference::Tensor> tensors;
  auto parameters = cast<FunctionOpInterface>(found);
  size_t next = 0;
  for (unsigned i = 0, n = parameters.getNumArguments(); i < n; ++i) {
    auto name = parameters.getArgAttrOfType<StringAttr>(i, "graph.weight");
    std::optional<size_t> number =
        name ? container.getPrepared(name) : std::nullopt;
    if (number && *number < prepared.size()) {
      tensors.push_back(prepared[*number]);
      all.push_back(container.getPlaceholders()[i]);
      continue;
    }
    if (name) {
      Expected<NamedWeight> weight = impl->getWeight(name);
      if (!weight)
        return weight.takeError();
      all.push_back(weight->tensor);
    } else {
      all.push_back(parameters.getArgAttr(i, "graph.random_state")
                        ? random.getView()
                        : inputs[next++]);
    }
    tensors.push_back(toReference(all.back()));
  }
  if (function) {
    auto results = collect(reference::Interpreter().run(function, tensors));
    // The state of the random generator behind the run is nobody's output.
    for (unsigned i = results ? function.getNumResults() : 0; i-- > 0;)
      if (function.getResultAttr(i, "graph.random_state"))
        results->erase(results->begin() + i);
    return results;
  }
  // Inputs lie in memory as the engine passes them.
  const Signature &signature = impl->getEngine().getSignature();
  Expected<SymbolValues> symbols = signature.bind(all);
  if (!symbols)
    return llvm::make_error<InputError>(toString(symbols.takeError()));
  llvm::SmallVector<reference::HostArgument> arguments;
  for (auto [input, tensor, spec] :
       llvm::zip(all, tensors, signature.getInputs())) {
    reference::HostArgument &argument = arguments.emplace_back();
    argument.tensor = tensor;
    for (auto [d, stride] : llvm::enumerate(spec.strides))
      argument.strides.push_back(
          stride.evaluate(*symbols).value_or(input.strides[d]));
  }
  return collect(reference::HostInterpreter().run(host, arguments));
}
