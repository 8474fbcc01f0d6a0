//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sets of weights, and runs with them.
//
//===----------------------------------------------------------------------===//

#include "coil/ExecutionEngine/ModelContainer.h"

#include "WeightValue.h"
#include "coil/ExecutionEngine/SwitchedPointer.h"
#include "coil/Runtime/CUDA.h"
#include "coil/Support/Clock.h"
#include "coil/Support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringMap.h"

#include <atomic>
#include <map>
#include <mutex>

using namespace coil;
using llvm::Error;
using llvm::Expected;

static Error makeInputError(const llvm::Twine &message) {
  return llvm::make_error<InputError>(message.str());
}

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

namespace {

/// Where an input of the program comes from.
struct Binding {
  enum Kind { Passed, Random, Weight, Prepared } kind;
  /// Of the weight, or of the result of the engine that prepares.
  unsigned number = 0;
};

/// The weights in the memory of a GPU.
struct DeviceWeights {
  DeviceTensors copies;
  /// What was computed of weights, and its memory.
  std::optional<RunResult> prepared;
  /// Both, in the order of the inputs.
  std::vector<coil_tensor> tensors;
};

/// A set of weights. Once it is in use nothing changes but `devices`.
struct WeightSet {
  explicit WeightSet(std::shared_ptr<std::atomic<int64_t>> count)
      : count(std::move(count)) {
    ++*this->count;
  }
  ~WeightSet() {
    // The caller's streams may be behind.
    for (auto &[device, weights] : devices)
      weights.copies.waitForReaders();
    --*count;
  }

  std::shared_ptr<std::atomic<int64_t>> count;
  uint64_t number = 0;
  std::vector<WeightValue> values;
  bool isPrepared = false;
  std::optional<RunResult> preparedOnHost;
  /// Each input of the program, as far as it is known: those that are passed
  /// are empty, and on a GPU what is prepared has no elements.
  std::vector<coil_tensor> arguments;
  /// Where weights are in host memory, sorted and apart.
  std::vector<std::pair<const char *, const char *>> ranges;
  /// On each GPU that a run needed them on.
  std::mutex devicesMutex;
  std::map<int32_t, DeviceWeights> devices;

  bool contains(const void *data) const {
    auto *address = static_cast<const char *>(data);
    auto after = llvm::upper_bound(
        ranges, address,
        [](const char *a, const auto &range) { return a < range.first; });
    return after != ranges.begin() && address < std::prev(after)->second;
  }
};

using Arguments = llvm::SmallVector<coil_tensor, 16>;

} // namespace

struct ModelContainer::Impl {
  std::unique_ptr<Engine> engine, prepareEngine;
  std::vector<WeightSpec> weights;
  llvm::StringMap<size_t> numbers;
  std::vector<Binding> bindings;
  /// The numbers of the weights that the engine that prepares takes.
  std::vector<size_t> prepareInputs;
  std::vector<TensorSpec> inputs;
  std::vector<unsigned> passed;
  std::optional<size_t> randomInput;
  bool hasWeights = false;
  size_t numPrepared = 0;
  /// Sizes, then strides, of each prepared input on a GPU.
  std::vector<std::unique_ptr<int64_t[]>> shapes;
  /// What arguments of all sets begin with: sizes, strides and types.
  std::vector<coil_tensor> blank;
  std::string prepareName;

  std::mutex randomMutex;
  RandomState random;

  /// Held by whatever changes weights, not by runs.
  std::mutex mutex;
  double prepareSeconds = 0;
  uint64_t lastNumber = 0;
  std::shared_ptr<std::atomic<int64_t>> numSets =
      std::make_shared<std::atomic<int64_t>>(0);
  std::optional<DoubleBuffer<WeightSet>> sets;
  /// The GPU that the last run was on.
  mutable std::atomic<int32_t> lastDevice{0};

  /// Takes a value as it is given.
  Expected<WeightValue> take(const WeightSpec &spec, const NamedWeight &given,
                             bool inPlace) const;
  Error bind(WeightSource source, WeightSet &first);
  Error addWeight(const TensorSpec &input, WeightSource source,
                  WeightSet &first);
  std::optional<size_t> getPrepared(llvm::StringRef name) const;
  Expected<coil_tensor> getPlaceholder(const TensorSpec &spec);
  coil_tensor getTensor(const WeightSet &set, size_t weight) const;
  Error prepareOnHost(WeightSet &set);
  Error prepareInactive();
  Expected<DeviceWeights> makeDeviceWeights(const WeightSet &set,
                                            int32_t device) const;
  Expected<llvm::ArrayRef<coil_tensor>> getDeviceWeights(WeightSet &set,
                                                         int32_t device) const;
  Arguments makeArguments(const WeightSet &set,
                          llvm::ArrayRef<coil_tensor> inputs,
                          const coil_tensor &random) const;
  Expected<RandomState> takeRandomState(const WeightSet &set,
                                        llvm::ArrayRef<coil_tensor> inputs,
                                        const coil_generator *generator);
  Error checkCount(size_t actual) const;
};

ModelContainer::ModelContainer(std::unique_ptr<Impl> impl)
    : impl(std::move(impl)) {}
ModelContainer::~ModelContainer() = default;

const Engine &ModelContainer::getEngine() const { return *impl->engine; }
const Engine *ModelContainer::getPrepareEngine() const {
  return impl->prepareEngine.get();
}
std::optional<size_t> ModelContainer::getPrepared(llvm::StringRef name) const {
  return impl->getPrepared(name);
}
Error ModelContainer::checkCount(size_t numInputs) const {
  return impl->checkCount(numInputs);
}
llvm::ArrayRef<coil_tensor> ModelContainer::getPlaceholders() const {
  return impl->blank;
}
size_t ModelContainer::getNumPrepared() const { return impl->numPrepared; }
double ModelContainer::getPrepareSeconds() const {
  return impl->prepareSeconds;
}
llvm::ArrayRef<TensorSpec> ModelContainer::getInputs() const {
  return impl->inputs;
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

coil_tensor ModelContainer::Impl::getTensor(const WeightSet &set,
                                            size_t weight) const {
  const WeightSpec &spec = weights[weight];
  return {set.values[weight].data,
          spec.sizes.data(),
          spec.strides.data(),
          int32_t(spec.sizes.size()),
          spec.dtype,
          COIL_CPU,
          0};
}

Expected<WeightValue> ModelContainer::Impl::take(const WeightSpec &spec,
                                                 const NamedWeight &given,
                                                 bool inPlace) const {
  Expected<WeightValue> value = takeWeight(spec, given, inPlace);
  if (value && spec.isUpdated && engine->isDeviceProgram())
    value->state = std::make_shared<DeviceState>();
  return value;
}

Error ModelContainer::Impl::addWeight(const TensorSpec &input,
                                      WeightSource source, WeightSet &first) {
  llvm::StringRef name = input.weight;
  if (!numbers.try_emplace(name, weights.size()).second)
    return Error::success();
  Expected<NamedWeight> given = source(name);
  if (!given)
    return given.takeError();
  const coil_tensor &tensor = given->tensor;
  WeightSpec &spec = weights.emplace_back();
  spec.name = name.str();
  spec.isUpdated = input.isUpdated;
  spec.dtype = tensor.dtype;
  spec.sizes.assign(tensor.sizes, tensor.sizes + tensor.rank);
  spec.strides.resize(spec.sizes.size());
  int64_t step = 1;
  for (size_t d = spec.sizes.size(); d-- > 0;) {
    spec.strides[d] = step;
    step *= std::max<int64_t>(spec.sizes[d], 1);
  }
  Expected<WeightValue> value = take(spec, *given, /*inPlace=*/false);
  if (!value)
    return value.takeError();
  first.values.push_back(std::move(*value));
  return Error::success();
}

std::optional<size_t>
ModelContainer::Impl::getPrepared(llvm::StringRef name) const {
  size_t number;
  if (!name.consume_front(prepareName) || !name.consume_front(":") ||
      name.getAsInteger(10, number))
    return std::nullopt;
  return number;
}

/// A tensor like an input of the program, without elements.
Expected<coil_tensor>
ModelContainer::Impl::getPlaceholder(const TensorSpec &spec) {
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

Error ModelContainer::Impl::bind(WeightSource source, WeightSet &first) {
  llvm::ArrayRef<TensorSpec> specs = engine->getSignature().getInputs();
  if (prepareEngine)
    numPrepared = prepareEngine->getSignature().getOutputs().size();
  for (auto [i, spec] : llvm::enumerate(specs)) {
    if (spec.weight.empty()) {
      if (spec.isPassed()) {
        bindings.push_back({Binding::Passed});
        inputs.push_back(spec);
        passed.push_back(unsigned(i));
      } else {
        bindings.push_back({Binding::Random});
        randomInput = i;
      }
      continue;
    }
    hasWeights = true;
    if (std::optional<size_t> number = getPrepared(spec.weight);
        number && *number < numPrepared) {
      bindings.push_back({Binding::Prepared, unsigned(*number)});
      continue;
    }
    if (Error error = addWeight(spec, source, first))
      return error;
    bindings.push_back(
        {Binding::Weight, unsigned(numbers.lookup(spec.weight))});
  }
  if (prepareEngine)
    for (const TensorSpec &spec : prepareEngine->getSignature().getInputs()) {
      if (Error error = addWeight(spec, source, first))
        return error;
      prepareInputs.push_back(numbers.lookup(spec.weight));
    }
  // Addresses of sizes stay from now on.
  for (auto [binding, spec] : llvm::zip(bindings, specs)) {
    coil_tensor &tensor = blank.emplace_back();
    if (binding.kind == Binding::Weight) {
      tensor = getTensor(first, binding.number);
      tensor.data = nullptr;
    }
    if (binding.kind != Binding::Prepared)
      continue;
    Expected<coil_tensor> placeholder = getPlaceholder(spec);
    if (!placeholder)
      return placeholder.takeError();
    tensor = *placeholder;
  }
  return Error::success();
}

Expected<std::unique_ptr<ModelContainer>>
ModelContainer::create(std::unique_ptr<Engine> engine,
                       std::unique_ptr<Engine> prepareEngine,
                       llvm::StringRef prepareName, WeightSource source) {
  auto impl = std::make_unique<Impl>();
  impl->engine = std::move(engine);
  impl->prepareEngine = std::move(prepareEngine);
  auto first = std::make_shared<WeightSet>(impl->numSets);
  impl->prepareName = prepareName.str();
  if (Error error = impl->bind(source, *first))
    return std::move(error);
  if (Error error = impl->prepareOnHost(*first))
    return std::move(error);
  first->isPrepared = true;
  // Runs need not look at weights again that are what the program expects.
  const Engine &program = *impl->engine;
  llvm::SmallVector<unsigned> constants;
  for (auto [i, binding] : llvm::enumerate(impl->bindings)) {
    if (binding.kind != Binding::Weight && binding.kind != Binding::Prepared)
      continue;
    if (!program.getSignature().isFixed(i))
      continue;
    // Graphs are found by the address of a constant, which other sets share
    // where it is state.
    if (binding.kind == Binding::Weight && first->values[binding.number].state)
      continue;
    if (Error error = program.getSignature().checkFixed(i, first->arguments[i]))
      return std::move(error);
    if (program.isDeviceProgram() ||
        program.getSignature().getInputs()[i].strides.empty())
      constants.push_back(unsigned(i));
  }
  impl->engine->setConstantInputs(constants);
  impl->sets.emplace(std::move(first));
  return std::unique_ptr<ModelContainer>(new ModelContainer(std::move(impl)));
}

//===----------------------------------------------------------------------===//
// Updates
//===----------------------------------------------------------------------===//

Error ModelContainer::update(llvm::ArrayRef<NamedWeight> given,
                             const UpdateOptions &options) {
  std::lock_guard<std::mutex> lock(impl->mutex);
  // Look at everything before anything is copied.
  std::vector<const NamedWeight *> sources(impl->weights.size());
  for (const NamedWeight &weight : given) {
    auto found = impl->numbers.find(weight.name);
    if (found == impl->numbers.end()) {
      if (options.ignoreUnknown)
        continue;
      return makeInputError("there is no weight '" + weight.name + "'");
    }
    if (sources[found->second])
      return makeInputError("weight '" + weight.name + "' is given twice");
    if (Error error = checkWeight(impl->weights[found->second], weight))
      return error;
    sources[found->second] = &weight;
  }
  if (options.complete)
    for (auto [source, spec] : llvm::zip(sources, impl->weights))
      if (!source)
        return makeInputError("weight '" + spec.name + "' is missing");

  const WeightSet &base = *impl->sets->getBase();
  bool isNew = impl->sets->getState() != DoubleBuffer<WeightSet>::State::Staged;
  auto set = std::make_shared<WeightSet>(impl->numSets);
  set->number = isNew ? impl->lastNumber + 1 : impl->lastNumber;
  set->values = base.values;
  for (auto [i, source] : llvm::enumerate(sources)) {
    if (!source)
      continue;
    Expected<WeightValue> value =
        impl->take(impl->weights[i], *source, options.inPlace);
    if (!value)
      return value.takeError();
    set->values[i] = std::move(*value);
  }
  impl->lastNumber = set->number;
  impl->sets->stage(std::move(set));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Preparation
//===----------------------------------------------------------------------===//

/// Computes what runs need of a set on the CPU.
Error ModelContainer::Impl::prepareOnHost(WeightSet &set) {
  if (!set.arguments.empty())
    return Error::success();
  if (prepareEngine && !engine->isDeviceProgram()) {
    llvm::SmallVector<coil_tensor> tensors;
    for (size_t weight : prepareInputs)
      tensors.push_back(getTensor(set, weight));
    double start = now();
    Expected<RunResult> result = prepareEngine->run(tensors);
    if (!result)
      return result.takeError();
    set.preparedOnHost = std::move(*result);
    prepareSeconds = now() - start;
  }
  std::vector<coil_tensor> arguments = blank;
  for (auto [i, binding] : llvm::enumerate(bindings)) {
    coil_tensor &tensor = arguments[i];
    if (binding.kind == Binding::Weight)
      tensor = getTensor(set, binding.number);
    else if (binding.kind == Binding::Prepared && set.preparedOnHost)
      tensor = set.preparedOnHost->getOutputs()[binding.number];
    else
      continue;
    auto *data = static_cast<const char *>(tensor.data);
    if (data && getBytes(tensor))
      set.ranges.push_back({data, data + getReach(tensor).value_or(0)});
  }
  llvm::sort(set.ranges);
  // Tied weights are one range.
  size_t last = 0;
  for (size_t i = 1; i < set.ranges.size(); ++i) {
    if (set.ranges[i].first < set.ranges[last].second)
      set.ranges[last].second =
          std::max(set.ranges[last].second, set.ranges[i].second);
    else
      set.ranges[++last] = set.ranges[i];
  }
  if (!set.ranges.empty())
    set.ranges.resize(last + 1);
  set.arguments = std::move(arguments);
  return Error::success();
}

Expected<DeviceWeights>
ModelContainer::Impl::makeDeviceWeights(const WeightSet &set,
                                        int32_t device) const {
  DeviceWeights result;
  // First what needs other memory while it is made.
  if (prepareEngine) {
    llvm::SmallVector<unsigned> numbers =
        llvm::to_vector(llvm::seq<unsigned>(0, unsigned(prepareInputs.size())));
    llvm::SmallVector<coil_tensor> tensors;
    for (size_t weight : prepareInputs)
      tensors.push_back(getTensor(set, weight));
    SymbolValues unknown(prepareEngine->getSignature().getSymbols().size());
    Expected<DeviceTensors> sources =
        prepareEngine->upload(numbers, tensors, unknown, device);
    if (!sources)
      return sources.takeError();
    RunOptions options;
    options.device = device;
    options.keepFor = engine->getDeviceProgram();
    Expected<RunResult> run =
        prepareEngine->run(sources->getTensors(), options);
    if (!run)
      return run.takeError();
    result.prepared = std::move(*run);
  }
  llvm::SmallVector<unsigned> numbers;
  llvm::SmallVector<coil_tensor> tensors;
  auto getState = [&](const Binding &binding) {
    return binding.kind == Binding::Weight
               ? set.values[binding.number].state.get()
               : nullptr;
  };
  for (auto [i, binding] : llvm::enumerate(bindings))
    if (binding.kind == Binding::Weight && !getState(binding)) {
      numbers.push_back(unsigned(i));
      tensors.push_back(set.arguments[i]);
    }
  SymbolValues unknown(engine->getSignature().getSymbols().size());
  Expected<DeviceTensors> copies =
      engine->upload(numbers, tensors, unknown, device);
  if (!copies)
    return copies.takeError();
  result.copies = std::move(*copies);
  size_t next = 0;
  for (auto [i, binding] : llvm::enumerate(bindings))
    if (DeviceState *state = getState(binding)) {
      Expected<coil_tensor> tensor =
          state->get(*engine, unsigned(i), set.arguments[i], device);
      if (!tensor)
        return tensor.takeError();
      result.tensors.push_back(*tensor);
    } else if (binding.kind == Binding::Weight)
      result.tensors.push_back(result.copies.getTensors()[next++]);
    else if (binding.kind == Binding::Prepared)
      result.tensors.push_back(result.prepared->getOutputs()[binding.number]);
  return result;
}

Expected<llvm::ArrayRef<coil_tensor>>
ModelContainer::Impl::getDeviceWeights(WeightSet &set, int32_t device) const {
  std::lock_guard<std::mutex> lock(set.devicesMutex);
  auto found = set.devices.find(device);
  if (found == set.devices.end()) {
    Expected<DeviceWeights> made = makeDeviceWeights(set, device);
    if (!made)
      return made.takeError();
    found = set.devices.emplace(device, std::move(*made)).first;
  }
  return llvm::ArrayRef(found->second.tensors);
}

Error ModelContainer::Impl::prepareInactive() {
  const std::shared_ptr<WeightSet> &set = sets->getInactive();
  if (Error error = prepareOnHost(*set))
    return error;
  llvm::SmallVector<int32_t> devices;
  {
    WeightSet &active = *sets->getActive();
    std::lock_guard<std::mutex> lock(active.devicesMutex);
    for (auto &[device, weights] : active.devices)
      devices.push_back(device);
  }
  for (int32_t device : devices)
    if (auto weights = getDeviceWeights(*set, device); !weights)
      return weights.takeError();
  set->isPrepared = true;
  return Error::success();
}

Error ModelContainer::prepare() {
  std::lock_guard<std::mutex> lock(impl->mutex);
  if (!impl->sets->getInactive())
    return makeInputError("there are no weights to prepare");
  return impl->prepareInactive();
}

Error ModelContainer::swap() {
  std::lock_guard<std::mutex> lock(impl->mutex);
  if (!impl->sets->getInactive())
    return makeInputError("there are no weights to swap to");
  if (Error error = impl->prepareInactive())
    return error;
  if (!impl->sets->swap())
    return makeInputError(
        "runs with weights of too many earlier updates go on");
  return Error::success();
}

void ModelContainer::drop() {
  std::lock_guard<std::mutex> lock(impl->mutex);
  impl->sets->drop();
}

InactiveWeights ModelContainer::getInactive() const {
  std::lock_guard<std::mutex> lock(impl->mutex);
  switch (impl->sets->getState()) {
  case DoubleBuffer<WeightSet>::State::Empty:
    return InactiveWeights::None;
  case DoubleBuffer<WeightSet>::State::Previous:
    return InactiveWeights::Previous;
  case DoubleBuffer<WeightSet>::State::Staged:
    return impl->sets->getInactive()->isPrepared ? InactiveWeights::Prepared
                                                 : InactiveWeights::Updated;
  }
  llvm_unreachable("unknown state");
}

uint64_t ModelContainer::getActiveNumber() const {
  std::lock_guard<std::mutex> lock(impl->mutex);
  return impl->sets->getActive()->number;
}

int64_t ModelContainer::getNumSets() const { return impl->numSets->load(); }

size_t ModelContainer::getNumWeights() const { return impl->weights.size(); }
const std::string &ModelContainer::getWeightName(size_t number) const {
  return impl->weights[number].name;
}

Expected<NamedWeight> ModelContainer::getWeight(size_t number) const {
  std::lock_guard<std::mutex> lock(impl->mutex);
  const std::shared_ptr<WeightSet> &set = impl->sets->getActive();
  const WeightValue &value = set->values[number];
  if (value.state)
    if (Error error = value.state->download(impl->lastDevice, value.data))
      return std::move(error);
  return NamedWeight{impl->weights[number].name, impl->getTensor(*set, number),
                     set, std::nullopt};
}

std::optional<size_t> ModelContainer::findWeight(llvm::StringRef name) const {
  auto found = impl->numbers.find(name);
  if (found == impl->numbers.end())
    return std::nullopt;
  return found->second;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

RandomState ModelContainer::getRandomState() const {
  std::lock_guard<std::mutex> lock(impl->randomMutex);
  return impl->random;
}

void ModelContainer::setRandomState(RandomState state) {
  std::lock_guard<std::mutex> lock(impl->randomMutex);
  impl->random = state;
}

Error ModelContainer::Impl::checkCount(size_t actual) const {
  size_t expected = inputs.size();
  if (expected == actual)
    return Error::success();
  return llvm::make_error<InputError>("expected " + std::to_string(expected) +
                                      (expected == 1 ? " input" : " inputs") +
                                      " but got " + std::to_string(actual));
}

Arguments
ModelContainer::Impl::makeArguments(const WeightSet &set,
                                    llvm::ArrayRef<coil_tensor> inputs,
                                    const coil_tensor &random) const {
  Arguments all(llvm::ArrayRef<coil_tensor>(set.arguments));
  for (auto [place, input] : llvm::zip_equal(passed, inputs))
    all[place] = input;
  if (randomInput)
    all[*randomInput] = random;
  return all;
}

Expected<RandomState>
ModelContainer::Impl::takeRandomState(const WeightSet &set,
                                      llvm::ArrayRef<coil_tensor> inputs,
                                      const coil_generator *generator) {
  RandomTensor unknown{{}};
  const Signature &signature = engine->getSignature();
  Expected<SymbolValues> symbols =
      signature.bind(makeArguments(set, inputs, unknown.getView()));
  if (!symbols)
    return llvm::make_error<InputError>(toString(symbols.takeError()));
  const TensorSpec &spec = signature.getInputs()[*randomInput];
  std::optional<int64_t> step = spec.randomStep->evaluate(*symbols);
  if (!step)
    return llvm::make_error<InputError>(
        "cannot tell how many random numbers the program draws: '" +
        spec.randomStep->text + "'");
  std::lock_guard<std::mutex> lock(randomMutex);
  RandomState state = random;
  if (!generator) {
    random.offset += uint64_t(*step);
    return state;
  }
  int32_t status = generator->get(generator->user, &state.seed, &state.offset);
  if (status == COIL_OK)
    status = generator->set(generator->user, state.seed,
                            state.offset + uint64_t(*step));
  if (status != COIL_OK)
    return llvm::make_error<RunError>(status, coil_last_error());
  return state;
}

/// The GPU that the first input that is on one says that the program is on;
/// `numbers` are those of the inputs in the signature.
static std::optional<int32_t> getDevice(llvm::ArrayRef<coil_tensor> inputs,
                                        llvm::ArrayRef<unsigned> numbers,
                                        const Signature &signature) {
  for (auto [input, number] : llvm::zip(inputs, numbers)) {
    const TensorSpec &spec = signature.getInputs()[number];
    if (input.device_type == COIL_CUDA && spec.deviceType == COIL_CUDA)
      return input.device_index - spec.deviceIndex;
  }
  return std::nullopt;
}

Expected<RunResult> ModelContainer::run(llvm::ArrayRef<coil_tensor> inputs,
                                        const RunOptions &options) const {
  if (Error error = impl->checkCount(inputs.size()))
    return std::move(error);
  if (options.bind && impl->randomInput)
    return llvm::make_error<InputError>(
        "the program draws random numbers, which would be the same at every "
        "launch of a bound call");
  // Keeps the set until the run ends.
  auto set = impl->sets->acquire();
  RandomState state;
  if (options.random) {
    state = *options.random;
  } else if (impl->randomInput) {
    Expected<RandomState> taken =
        impl->takeRandomState(*set, inputs, options.generator);
    if (!taken)
      return taken.takeError();
    state = *taken;
  }
  RandomTensor random(state);
  Arguments all = impl->makeArguments(*set, inputs, random.getView());
  RunOptions runOptions = options;
  // Of programs that draw while they run: what a run is given, or the state of
  // the program.
  struct OwnGenerator {
    RandomState *state;
    std::mutex *mutex;
  } own = {options.random ? &state : &impl->random, &impl->randomMutex};
  coil_generator generator = {
      sizeof(coil_generator), 0,
      [](void *user, uint64_t *seed, uint64_t *offset) -> int32_t {
        auto *of = static_cast<OwnGenerator *>(user);
        std::lock_guard<std::mutex> lock(*of->mutex);
        *seed = of->state->seed;
        *offset = of->state->offset;
        return COIL_OK;
      },
      [](void *user, uint64_t seed, uint64_t offset) -> int32_t {
        auto *of = static_cast<OwnGenerator *>(user);
        std::lock_guard<std::mutex> lock(*of->mutex);
        *of->state = {seed, offset};
        return COIL_OK;
      },
      &own};
  if (!runOptions.generator || options.random)
    runOptions.generator = &generator;
  llvm::ArrayRef<unsigned> numbers = impl->passed;
  runOptions.numbers = numbers;
  // A program without inputs has nothing to hand over.
  if (!impl->engine->isDeviceProgram()) {
    Expected<RunResult> result = impl->engine->run(all, runOptions);
    if (!result)
      return result;
    result->weightsNumber = set->number;
    // An output may be a weight.
    if (llvm::any_of(result->getOutputs(), [&](const coil_tensor &output) {
          return set->contains(output.data);
        }))
      result->weights = set.getShared();
    return result;
  }
  RunOptions &deviceOptions = runOptions;
  if (std::optional<int32_t> found =
          getDevice(inputs, numbers, impl->engine->getSignature()))
    deviceOptions.device = *found;
  if (impl->hasWeights) {
    Expected<llvm::ArrayRef<coil_tensor>> weights =
        impl->getDeviceWeights(*set, deviceOptions.device);
    if (!weights)
      return weights.takeError();
    impl->lastDevice = deviceOptions.device;
    size_t next = 0;
    for (auto [argument, binding] : llvm::zip(all, impl->bindings))
      if (binding.kind == Binding::Weight || binding.kind == Binding::Prepared)
        argument = (*weights)[next++];
  }
  Expected<RunResult> result = impl->engine->run(all, deviceOptions);
  if (!result)
    return result;
  result->weightsNumber = set->number;
  if (impl->hasWeights)
    result->weights = set.getShared();
  return result;
}

Expected<DeviceTensors>
ModelContainer::upload(llvm::ArrayRef<coil_tensor> inputs,
                       int32_t device) const {
  if (Error error = impl->checkCount(inputs.size()))
    return std::move(error);
  auto set = impl->sets->acquire();
  const Signature &signature = impl->engine->getSignature();
  RandomTensor random{{}};
  Expected<SymbolValues> symbols =
      signature.bind(impl->makeArguments(*set, inputs, random.getView()));
  if (!symbols)
    return llvm::make_error<InputError>(toString(symbols.takeError()));
  return impl->engine->upload(impl->passed, inputs, *symbols, device);
}
