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

#include "ErrorLines.h"
#include "coil/Dialect/Loop/IR/Loop.h"
#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "coil/Dialect/Wrapper/Transforms/Passes.h"
#include "coil/Import/Import.h"
#include "coil/InitAllDialects.h"
#include "coil/Package/Package.h"
#include "coil/Reference/HostInterpreter.h"
#include "coil/Reference/Interpreter.h"
#include "coil/Reference/Tensor.h"
#include "coil/Support/HostTensor.h"
#include "coil/Support/TensorText.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>

using namespace coil;
using namespace mlir;
using llvm::Error;
using llvm::Expected;

static Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

namespace {

/// Counts the loop kernels that there are before anything merges them.
class KernelCounter : public PassInstrumentation {
public:
  explicit KernelCounter(std::atomic<int64_t> &count) : count(count) {}
  void runAfterPass(Pass *pass, Operation *op) override {
    if (pass->getArgument() == "convert-graph-to-loop")
      op->walk([&](loop::KernelOp) { ++count; });
  }

private:
  std::atomic<int64_t> &count;
};

} // namespace

//===----------------------------------------------------------------------===//
// Program state
//===----------------------------------------------------------------------===//

namespace {

/// The weights in the memory of a GPU.
struct DeviceWeights {
  DeviceTensors copies;
  /// What was computed of weights, and its memory.
  std::optional<RunResult> prepared;
  /// Both, in the order of the inputs.
  std::vector<coil_tensor> tensors;
};

} // namespace

struct CompiledProgram::Impl {
  JITStats stats;
  std::unique_ptr<Engine> engine;
  std::unique_ptr<import::WeightStore> weightStore;
  /// For each input of the engine: the weight, or nothing for an input of the
  /// caller and for the state of the random generator. Of a weight that is
  /// prepared on a GPU only the sizes and strides matter.
  std::vector<std::optional<coil_tensor>> weights;
  /// Which input is the state of the random generator.
  std::optional<size_t> randomInput;
  std::mutex randomMutex;
  RandomState random;
  std::mutex weightsMutex;
  llvm::StringMap<coil_tensor> weightsByName;
  /// Where the program and its weights come from, if that is a package.
  ProgramPackage package;
  /// Of weights that do not lie in memory row by row.
  std::deque<HostTensor> copies;
  std::vector<TensorSpec> inputs;

  /// \name What is computed of weights alone, once
  /// @{
  std::unique_ptr<Engine> prepareEngine;
  std::vector<coil_tensor> prepareInputs;
  /// For each input of the engine that is such: the number of the result.
  std::vector<std::optional<size_t>> prepared;
  /// On the CPU.
  std::optional<RunResult> preparedOnHost;
  /// Sizes and strides of inputs that are prepared on a GPU.
  std::vector<std::unique_ptr<int64_t[]>> shapes;
  /// @}

  /// The weights on each GPU that a run needed them on.
  std::mutex deviceWeightsMutex;
  std::map<int32_t, DeviceWeights> deviceWeights;

  /// The function to run; the rest only with `keepReference`, in this order of
  /// destruction.
  std::string function;
  std::unique_ptr<MLIRContext> context;
  OwningOpRef<ModuleOp> reference;

  ~Impl() { reference = {}; }

  Error bindWeights();
  /// The weight of a name in host memory.
  Expected<coil_tensor> getWeight(llvm::StringRef name);
  /// The number in the name of a prepared weight.
  std::optional<size_t> getPrepared(llvm::StringRef name) const;
  /// A tensor like an input of the engine, without elements.
  Expected<coil_tensor> getPlaceholder(const TensorSpec &spec);
  /// The weights in the memory of a GPU, brought there at the first call.
  Expected<llvm::ArrayRef<coil_tensor>> getDeviceWeights(int32_t device);
  Expected<DeviceWeights> makeDeviceWeights(int32_t device);
};

CompiledProgram::CompiledProgram(std::unique_ptr<Impl> impl)
    : impl(std::move(impl)) {}
CompiledProgram::~CompiledProgram() = default;

const Engine &CompiledProgram::getEngine() const { return *impl->engine; }
const JITStats &CompiledProgram::getStats() const { return impl->stats; }
llvm::ArrayRef<TensorSpec> CompiledProgram::getInputs() const {
  return impl->inputs;
}
llvm::ArrayRef<TensorSpec> CompiledProgram::getOutputs() const {
  return impl->engine->getSignature().getOutputs();
}

static reference::Tensor toReference(const coil_tensor &tensor) {
  size_t rank = size_t(tensor.rank);
  return reference::Tensor::fromStrided(
      static_cast<reference::DType>(tensor.dtype), {tensor.sizes, rank},
      {tensor.strides, rank}, tensor.data);
}

Expected<coil_tensor> CompiledProgram::Impl::getWeight(llvm::StringRef name) {
  std::lock_guard<std::mutex> lock(weightsMutex);
  auto known = weightsByName.find(name);
  if (known != weightsByName.end())
    return known->second;
  const import::Weight *weight =
      weightStore ? weightStore->lookup(name) : nullptr;
  if (!weight)
    return makeError("the program needs the weight '" + name +
                     "', which no file was given for");
  std::optional<int32_t> dtype = parseDType(import::getName(weight->dtype));
  if (!dtype)
    return makeError("weight '" + name + "' has the unsupported element type " +
                     import::getName(weight->dtype));
  coil_tensor view = {const_cast<char *>(weight->data()),
                      weight->sizes.data(),
                      weight->strides.data(),
                      int32_t(weight->sizes.size()),
                      *dtype,
                      COIL_CPU,
                      0};
  if (!weight->isContiguous()) {
    std::optional<HostTensor> copy = HostTensor::create(*dtype, weight->sizes);
    if (!copy)
      return makeError("out of memory for weight '" + name + "'");
    memcpy(copy->getData(), toReference(view).getData(),
           size_t(copy->getNumBytes()));
    copies.push_back(std::move(*copy));
    view = copies.back().getView();
  }
  weightsByName[name] = view;
  return view;
}

std::optional<size_t>
CompiledProgram::Impl::getPrepared(llvm::StringRef name) const {
  size_t number;
  if (!name.consume_front(wrapper::getPrepareName(function) + ":") ||
      name.getAsInteger(10, number))
    return std::nullopt;
  return number;
}

Expected<coil_tensor>
CompiledProgram::Impl::getPlaceholder(const TensorSpec &spec) {
  SymbolValues unknown(engine->getSignature().getSymbols().size());
  size_t rank = spec.sizes.size();
  auto shape = std::make_unique<int64_t[]>(2 * rank);
  int64_t step = 1;
  for (size_t d = rank; d-- > 0;) {
    std::optional<int64_t> size = spec.sizes[d].evaluate(unknown);
    std::optional<int64_t> stride =
        spec.strides.empty() ? step : spec.strides[d].evaluate(unknown);
    if (!size || !stride)
      return makeError("the prepared weight '" + spec.weight +
                       "' has a size or stride that is not constant");
    shape[d] = *size;
    shape[rank + d] = *stride;
    step *= std::max<int64_t>(*size, 1);
  }
  shapes.push_back(std::move(shape));
  int64_t *sizes = shapes.back().get();
  return coil_tensor{nullptr,  sizes, sizes + rank, int32_t(rank), spec.dtype,
                     COIL_CPU, 0};
}

Error CompiledProgram::Impl::bindWeights() {
  llvm::ArrayRef<TensorSpec> specs = engine->getSignature().getInputs();
  prepared.resize(specs.size());
  if (prepareEngine) {
    for (const TensorSpec &spec : prepareEngine->getSignature().getInputs()) {
      Expected<coil_tensor> weight = getWeight(spec.weight);
      if (!weight)
        return weight.takeError();
      prepareInputs.push_back(*weight);
    }
    if (!engine->isDeviceProgram()) {
      double start = now();
      Expected<RunResult> result = prepareEngine->run(prepareInputs);
      if (!result)
        return result.takeError();
      preparedOnHost = std::move(*result);
      stats.prepareSeconds = now() - start;
    }
  }
  size_t numPrepared =
      prepareEngine ? prepareEngine->getSignature().getOutputs().size() : 0;
  for (auto [i, spec] : llvm::enumerate(specs)) {
    if (spec.weight.empty()) {
      if (spec.isPassed())
        inputs.push_back(spec);
      else
        randomInput = weights.size();
      weights.push_back(std::nullopt);
      continue;
    }
    std::optional<size_t> number = getPrepared(spec.weight);
    if (number && *number < numPrepared) {
      prepared[i] = number;
      if (preparedOnHost) {
        weights.push_back(preparedOnHost->getOutputs()[*number]);
        continue;
      }
      Expected<coil_tensor> placeholder = getPlaceholder(spec);
      if (!placeholder)
        return placeholder.takeError();
      weights.push_back(*placeholder);
      continue;
    }
    Expected<coil_tensor> weight = getWeight(spec.weight);
    if (!weight)
      return weight.takeError();
    weights.push_back(*weight);
  }
  stats.preparedWeights = int64_t(numPrepared);
  // Runs need not look at weights again that are what the program expects.
  llvm::SmallVector<unsigned> constants;
  for (auto [i, weight] : llvm::enumerate(weights)) {
    if (!weight || !engine->getSignature().isFixed(i))
      continue;
    if (Error error = engine->getSignature().checkFixed(i, *weight))
      return error;
    if (engine->isDeviceProgram() || specs[i].strides.empty())
      constants.push_back(unsigned(i));
  }
  engine->setConstantInputs(constants);
  return Error::success();
}

Expected<DeviceWeights>
CompiledProgram::Impl::makeDeviceWeights(int32_t device) {
  DeviceWeights result;
  // First what needs other memory while it is made.
  if (prepareEngine) {
    llvm::SmallVector<unsigned> numbers =
        llvm::to_vector(llvm::seq<unsigned>(0, unsigned(prepareInputs.size())));
    SymbolValues unknown(prepareEngine->getSignature().getSymbols().size());
    Expected<DeviceTensors> sources =
        prepareEngine->upload(numbers, prepareInputs, unknown, device);
    if (!sources)
      return sources.takeError();
    RunOptions options;
    options.device = device;
    Expected<RunResult> run =
        prepareEngine->run(sources->getTensors(), options);
    if (!run)
      return run.takeError();
    result.prepared = std::move(*run);
  }
  llvm::SmallVector<unsigned> numbers;
  llvm::SmallVector<coil_tensor> tensors;
  for (auto [i, weight] : llvm::enumerate(weights))
    if (weight && !prepared[i]) {
      numbers.push_back(unsigned(i));
      tensors.push_back(*weight);
    }
  SymbolValues unknown(engine->getSignature().getSymbols().size());
  Expected<DeviceTensors> copies =
      engine->upload(numbers, tensors, unknown, device);
  if (!copies)
    return copies.takeError();
  result.copies = std::move(*copies);
  size_t next = 0;
  for (auto [i, weight] : llvm::enumerate(weights))
    if (weight)
      result.tensors.push_back(prepared[i]
                                   ? result.prepared->getOutputs()[*prepared[i]]
                                   : result.copies.getTensors()[next++]);
  return result;
}

Expected<llvm::ArrayRef<coil_tensor>>
CompiledProgram::Impl::getDeviceWeights(int32_t device) {
  std::lock_guard<std::mutex> lock(deviceWeightsMutex);
  auto found = deviceWeights.find(device);
  if (found == deviceWeights.end()) {
    Expected<DeviceWeights> made = makeDeviceWeights(device);
    if (!made)
      return made.takeError();
    found = deviceWeights.emplace(device, std::move(*made)).first;
  }
  return llvm::ArrayRef(found->second.tensors);
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

/// Takes a module through the stages from `from` to `to`.
static Error lower(ModuleOp module, Stage from, Stage to,
                   llvm::StringRef pipelineOptions, JITStats &stats) {
  if (from >= to)
    return Error::success();
  CompileOptions options;
  options.from = from;
  options.to = to;
  options.pipelineOptions = pipelineOptions.str();
  std::atomic<int64_t> kernels{0};
  options.configure = [&](PassManager &pm) {
    pm.addInstrumentation(std::make_unique<KernelCounter>(kernels));
  };
  Expected<std::vector<StageTime>> times = compileProgram(module, options);
  if (!times)
    return times.takeError();
  llvm::append_range(stats.stages, *times);
  stats.kernelsBefore += kernels;
  return Error::success();
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
    for (auto kernel :
         llvm::make_early_inc_range(each.getOps<wrapper::KernelOp>()))
      if (!launched.contains(kernel.getSymName()))
        kernel.erase();
  }
  return taken;
}

Expected<std::unique_ptr<CompiledProgram>>
CompiledProgram::load(llvm::StringRef path, const JITOptions &options) {
  double start = now();
  Expected<ProgramPackage> package = readPackage(
      path, options.checkWeights ? PackageCheck::Fast : PackageCheck::None);
  if (!package)
    return package.takeError();
  if (package->function != options.function)
    return makeError("there is no function '" + options.function +
                     "', the package has '" + package->function + "'");
  auto impl = std::make_unique<Impl>();
  impl->function = options.function;
  impl->package = std::move(*package);
  JITStats &stats = impl->stats;
  stats.kernelsBefore = impl->package.kernelsBefore;
  stats.launches = impl->package.launches;
  stats.libraryCalls = impl->package.libraryCalls;
  stats.importSeconds = now() - start;
  EngineOptions engineOptions = options.engine;
  for (auto [image, engine] :
       {std::pair(impl->package.main, &impl->engine),
        std::pair(impl->package.prepare, &impl->prepareEngine)}) {
    if (!image)
      continue;
    Expected<std::unique_ptr<Engine>> loaded =
        Engine::load(image, engineOptions);
    if (!loaded)
      return makeError("'" + path + "': " + toString(loaded.takeError()));
    *engine = std::move(*loaded);
    engineOptions.graphs = 0;
  }
  for (const PackageWeight &weight : impl->package.weights) {
    size_t rank = weight.sizes.size();
    auto strides = std::make_unique<int64_t[]>(rank);
    int64_t step = 1;
    for (size_t d = rank; d-- > 0;) {
      strides[d] = step;
      step *= std::max<int64_t>(weight.sizes[d], 1);
    }
    impl->weightsByName[weight.name] = {const_cast<char *>(weight.data.data()),
                                        weight.sizes.data(),
                                        strides.get(),
                                        int32_t(rank),
                                        weight.dtype,
                                        COIL_CPU,
                                        0};
    impl->shapes.push_back(std::move(strides));
  }
  if (Error error = impl->bindWeights())
    return std::move(error);
  stats.totalSeconds = now() - start;
  return std::unique_ptr<CompiledProgram>(new CompiledProgram(std::move(impl)));
}

Error CompiledProgram::save(llvm::StringRef path) const {
  ProgramPackage package;
  package.function = impl->function;
  package.kernelsBefore = impl->stats.kernelsBefore;
  package.launches = impl->stats.launches;
  package.libraryCalls = impl->stats.libraryCalls;
  package.main = impl->engine->getImage();
  if (impl->prepareEngine)
    package.prepare = impl->prepareEngine->getImage();
  // In the order of the inputs, so that equal programs are equal files.
  llvm::StringSet<> known;
  for (const Engine *engine : {impl->engine.get(), impl->prepareEngine.get()}) {
    if (!engine)
      continue;
    for (const TensorSpec &spec : engine->getSignature().getInputs()) {
      if (spec.weight.empty() || !known.insert(spec.weight).second)
        continue;
      std::optional<size_t> number = impl->getPrepared(spec.weight);
      if (number && *number < size_t(impl->stats.preparedWeights))
        continue;
      Expected<coil_tensor> tensor = impl->getWeight(spec.weight);
      if (!tensor)
        return tensor.takeError();
      PackageWeight &weight = package.weights.emplace_back();
      weight.name = spec.weight;
      weight.dtype = tensor->dtype;
      weight.sizes.assign(tensor->sizes, tensor->sizes + tensor->rank);
      std::optional<int64_t> bytes = getTensorBytes(weight.dtype, weight.sizes);
      if (!bytes)
        return makeError("weight '" + spec.weight + "' is too large");
      weight.data = {static_cast<const char *>(tensor->data), size_t(*bytes)};
    }
  }
  return writePackage(package, path);
}

Expected<std::unique_ptr<CompiledProgram>>
CompiledProgram::compile(llvm::StringRef path, const JITOptions &options) {
  if (isPackagePath(path))
    return load(path, options);
  double start = now();
  DialectRegistry registry;
  registerAllDialects(registry);
  import::registerImportDialects(registry);
  auto context = std::make_unique<MLIRContext>(
      registry, options.engine.threads == 1 ? MLIRContext::Threading::DISABLED
                                            : MLIRContext::Threading::ENABLED);
  context->printOpOnDiagnostic(false);
  ErrorLines errors(context.get());

  auto impl = std::make_unique<Impl>();
  JITStats &stats = impl->stats;
  llvm::SourceMgr sources;
  Expected<Program> loaded = loadProgram(path, options.weights, sources,
                                         *context, options.checkWeights);
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
  if (!llvm::StringRef(pipelineOptions).contains("hoist-weights="))
    pipelineOptions += " hoist-weights=true";
  OwningOpRef<ModuleOp> prepare;
  for (Stage next : {Stage::Graph, Stage::Wrapper, Stage::Native}) {
    if (Error error = lower(*module, stage, next, pipelineOptions, stats))
      return errors.take(std::move(error));
    if (prepare)
      if (Error error = lower(*prepare, stage, next, pipelineOptions, stats))
        return errors.take(std::move(error));
    stage = std::max(stage, next);
    if (next == Stage::Graph && options.keepReference)
      impl->reference = module->clone();
    if (next == Stage::Wrapper) {
      prepare =
          takeFunction(*module, wrapper::getPrepareName(options.function));
      module->walk([&](Operation *op) {
        stats.launches += isa<wrapper::LaunchOp>(op);
        stats.libraryCalls +=
            isa<wrapper::ContractionOp, wrapper::ConvolutionOp,
                wrapper::AttentionOp, wrapper::SortOp>(op);
      });
    }
  }

  EngineOptions engineOptions = options.engine;
  engineOptions.entryPoint = "coil_" + options.function;
  Expected<std::unique_ptr<Engine>> engine =
      Engine::create(*module, engineOptions);
  if (!engine)
    return errors.take(engine.takeError());
  impl->engine = std::move(*engine);
  if (prepare) {
    engineOptions.entryPoint =
        "coil_" + wrapper::getPrepareName(options.function);
    engineOptions.graphs = 0;
    engine = Engine::create(*prepare, engineOptions);
    if (!engine)
      return errors.take(engine.takeError());
    impl->prepareEngine = std::move(*engine);
  }
  if (Error error = impl->bindWeights())
    return std::move(error);
  stats.totalSeconds = now() - start;
  module = {};
  prepare = {};
  if (options.keepReference)
    impl->context = std::move(context);
  return std::unique_ptr<CompiledProgram>(new CompiledProgram(std::move(impl)));
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

RandomState CompiledProgram::getRandomState() const {
  std::lock_guard<std::mutex> lock(impl->randomMutex);
  return impl->random;
}

void CompiledProgram::setRandomState(RandomState state) {
  std::lock_guard<std::mutex> lock(impl->randomMutex);
  impl->random = state;
}

namespace {

/// A state of the random generator as a tensor.
struct RandomInput {
  explicit RandomInput(RandomState state)
      : words{int64_t(state.seed), int64_t(state.offset)} {}
  coil_tensor getView() {
    static const int64_t size = 2, stride = 1;
    return {words, &size, &stride, 1, COIL_I64, COIL_CPU, 0};
  }
  int64_t words[2];
};

} // namespace

std::vector<coil_tensor>
CompiledProgram::addHidden(llvm::ArrayRef<coil_tensor> inputs,
                           const coil_tensor &random) const {
  std::vector<coil_tensor> all;
  all.reserve(impl->weights.size());
  size_t next = 0;
  for (size_t i = 0; i < impl->weights.size(); ++i)
    all.push_back(impl->weights[i]         ? *impl->weights[i]
                  : impl->randomInput == i ? random
                                           : inputs[next++]);
  return all;
}

Expected<RandomState>
CompiledProgram::takeRandomState(llvm::ArrayRef<coil_tensor> inputs) const {
  RandomInput unknown{{}};
  const Signature &signature = impl->engine->getSignature();
  Expected<SymbolValues> symbols =
      signature.bind(addHidden(inputs, unknown.getView()));
  if (!symbols)
    return llvm::make_error<InputError>(toString(symbols.takeError()));
  const TensorSpec &spec = signature.getInputs()[*impl->randomInput];
  std::optional<int64_t> step = spec.randomStep->evaluate(*symbols);
  if (!step)
    return llvm::make_error<InputError>(
        "cannot tell how many random numbers the program draws: '" +
        spec.randomStep->text + "'");
  std::lock_guard<std::mutex> lock(impl->randomMutex);
  RandomState state = impl->random;
  impl->random.offset += uint64_t(*step);
  return state;
}

/// The GPU that the first input that is on one is on.
static std::optional<int32_t> getDevice(llvm::ArrayRef<coil_tensor> inputs) {
  for (const coil_tensor &input : inputs)
    if (input.device_type == COIL_CUDA)
      return input.device_index;
  return std::nullopt;
}

static Error checkCount(size_t expected, size_t actual) {
  if (expected == actual)
    return Error::success();
  return llvm::make_error<InputError>("expected " + std::to_string(expected) +
                                      (expected == 1 ? " input" : " inputs") +
                                      " but got " + std::to_string(actual));
}

Expected<RunResult> CompiledProgram::run(llvm::ArrayRef<coil_tensor> inputs,
                                         const RunOptions &options) const {
  if (Error error = checkCount(impl->inputs.size(), inputs.size()))
    return std::move(error);
  RandomState state;
  if (options.random) {
    state = *options.random;
  } else if (impl->randomInput) {
    Expected<RandomState> taken = takeRandomState(inputs);
    if (!taken)
      return taken.takeError();
    state = *taken;
  }
  RandomInput random(state);
  std::vector<coil_tensor> all = addHidden(inputs, random.getView());
  if (!impl->engine->isDeviceProgram())
    return impl->engine->run(all, options);
  std::optional<int32_t> found = getDevice(inputs);
  RunOptions deviceOptions = options;
  if (found)
    deviceOptions.device = *found;
  if (llvm::any_of(impl->weights, [](auto &weight) { return !!weight; })) {
    Expected<llvm::ArrayRef<coil_tensor>> weights =
        impl->getDeviceWeights(deviceOptions.device);
    if (!weights)
      return weights.takeError();
    size_t next = 0;
    for (size_t i = 0; i < all.size(); ++i)
      if (impl->weights[i])
        all[i] = (*weights)[next++];
  }
  return impl->engine->run(all, deviceOptions);
}

Expected<DeviceTensors>
CompiledProgram::upload(llvm::ArrayRef<coil_tensor> inputs,
                        int32_t device) const {
  if (Error error = checkCount(impl->inputs.size(), inputs.size()))
    return std::move(error);
  const Signature &signature = impl->engine->getSignature();
  RandomInput random{{}};
  Expected<SymbolValues> symbols =
      signature.bind(addHidden(inputs, random.getView()));
  if (!symbols)
    return llvm::make_error<InputError>(toString(symbols.takeError()));
  llvm::SmallVector<unsigned> numbers;
  for (auto [i, weight] : llvm::enumerate(impl->weights))
    if (!weight && impl->randomInput != i)
      numbers.push_back(unsigned(i));
  return impl->engine->upload(numbers, inputs, *symbols, device);
}

Expected<std::vector<reference::Tensor>>
CompiledProgram::interpret(llvm::ArrayRef<coil_tensor> inputs,
                           RandomState state) const {
  if (Error error = checkCount(impl->inputs.size(), inputs.size()))
    return std::move(error);
  Operation *found =
      impl->reference ? impl->reference->lookupSymbol(impl->function) : nullptr;
  auto function = dyn_cast_or_null<func::FuncOp>(found);
  auto host = dyn_cast_or_null<wrapper::FuncOp>(found);
  if (!function && !host)
    return makeError("there is no function '" + impl->function +
                     "' to interpret");
  ErrorLines errors(impl->context.get());
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
    for (const coil_tensor &weight : impl->prepareInputs)
      arguments.emplace_back().tensor = toReference(weight);
    Expected<std::vector<reference::Tensor>> results =
        collect(reference::HostInterpreter().run(prepare, arguments));
    if (!results)
      return results.takeError();
    prepared = std::move(*results);
  }
  // The function may take other weights than the compiled program.
  RandomInput random(state);
  std::vector<coil_tensor> all;
  llvm::SmallVector<reference::Tensor> tensors;
  auto parameters = cast<FunctionOpInterface>(found);
  size_t next = 0;
  for (unsigned i = 0, n = parameters.getNumArguments(); i < n; ++i) {
    auto name = parameters.getArgAttrOfType<StringAttr>(i, "graph.weight");
    std::optional<size_t> number =
        name ? impl->getPrepared(name) : std::nullopt;
    if (number && *number < prepared.size()) {
      tensors.push_back(prepared[*number]);
      all.push_back(*impl->weights[i]);
      continue;
    }
    if (name) {
      Expected<coil_tensor> weight = impl->getWeight(name);
      if (!weight)
        return weight.takeError();
      all.push_back(*weight);
    } else {
      all.push_back(parameters.getArgAttr(i, "graph.random_state")
                        ? random.getView()
                        : inputs[next++]);
    }
    tensors.push_back(toReference(all.back()));
  }
  if (function)
    return collect(reference::Interpreter().run(function, tensors));
  // Inputs lie in memory as the engine passes them.
  const Signature &signature = impl->engine->getSignature();
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
