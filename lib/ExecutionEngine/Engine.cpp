//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linking of machine code, and runs.
//
//===----------------------------------------------------------------------===//

#include "coil/ExecutionEngine/Engine.h"

#include "EngineImpl.h"
#include "coil/Runtime/Functions.h"
#include "coil/Runtime/Transfer.h"
#include "coil/Support/CPUTarget.h"
#include "coil/Support/Clock.h"
#include "coil/Support/Error.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

#include <cstring>
#include <tuple>

using namespace coil;
using llvm::Error;
using llvm::Expected;

char InputError::ID;
char RunError::ID;
void InputError::log(llvm::raw_ostream &os) const { os << text; }
void RunError::log(llvm::raw_ostream &os) const { os << text; }

//===----------------------------------------------------------------------===//
// Engine state
//===----------------------------------------------------------------------===//

Engine::Engine(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Engine::~Engine() = default;

const Signature &Engine::getSignature() const { return impl->image->signature; }
const std::shared_ptr<const ProgramImage> &Engine::getImage() const {
  return impl->image;
}
const EngineStats &Engine::getStats() const { return impl->stats; }

GraphReport Engine::getGraphReport() const {
  GraphReport report;
  if (!impl->program)
    return report;
  coil_cuda_program_get_graph_stats(impl->program, &report.calls);
  coil_cuda_program_get_partition_stats(impl->program, &report.partitions);
  coil_cuda_program_get_partition_failures(
      impl->program,
      [](void *user, const char *partition, const char *reason, int64_t count) {
        static_cast<GraphReport *>(user)->failures.push_back(
            {partition, reason, count});
      },
      &report);
  return report;
}

bool Engine::isDeviceProgram() const { return impl->isDeviceProgram; }

llvm::StringRef Engine::getKernelName(const void *address) const {
  auto found = impl->kernelNames.find(address);
  if (found == impl->kernelNames.end())
    return "";
  return found->second;
}

void *Engine::lookup(llvm::StringRef name) const {
  return impl->functions.lookup(name);
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

Error Engine::checkProcessor(const ProgramImage &image) {
  Expected<CPUTarget> native = resolveCPU();
  if (!native)
    return native.takeError();
  if (image.triple != native->triple)
    return makeError("the program was compiled for '" + image.triple +
                     "', this is '" + native->triple + "'");
  return checkCPU(image.cpu, image.features, *native);
}

Error Engine::checkDevice(const ProgramImage &image, int32_t device) {
  coil_cuda_device_info info;
  if (image.kernels.empty() ||
      coil_cuda_get_device_info(device, &info) != COIL_OK)
    return Error::success();
  for (const DeviceObject &kernel : image.kernels)
    if (!canRun(kernel, info.major, info.minor))
      return makeError(llvm::Twine("the program was compiled for a GPU ") +
                       kernel.chip + ", CUDA device " + llvm::Twine(device) +
                       " (" + info.name + ") is a chip sm_" +
                       llvm::Twine(info.major) + llvm::Twine(info.minor));
  return Error::success();
}

Error Engine::Impl::checkFunctions(const ProgramImage &image) {
  std::vector<coil_call_site> sites;
  for (const RequiredFunction &function : image.functions)
    sites.push_back({sizeof(coil_call_site), function.deviceType,
                     function.name.c_str(), function.location.c_str(), nullptr,
                     nullptr});
  if (coil_require_functions(sites.data(), sites.size()) != COIL_OK)
    return makeError(coil_last_error());
  return Error::success();
}

Error Engine::Impl::loadKernels(const ProgramImage &image,
                                const EngineOptions &options, double &seconds) {
  deviceKernels = std::make_unique<DeviceKernels>(image.kernels);
  if (!options.loadKernels)
    return Error::success();
  double start = now();
  if (Error error = checkDevice(image, options.device))
    return error;
  if (Error error = deviceKernels->load(options.device, options.objectCache,
                                        options.deviceLineInfo))
    return error;
  seconds = now() - start;
  return Error::success();
}

Expected<std::unique_ptr<Engine>>
Engine::load(std::shared_ptr<const ProgramImage> image,
             const EngineOptions &options) {
  double start = now();
  if (Error error = checkProcessor(*image))
    return std::move(error);
  if (options.requireFunctions)
    if (Error error = Impl::checkFunctions(*image))
      return std::move(error);
  auto impl = std::make_unique<Impl>();
  impl->stats = image->stats;
  if (!image->kernels.empty())
    if (Error error =
            impl->loadKernels(*image, options, impl->stats.loadSeconds))
      return std::move(error);
  impl->image = std::move(image);
  if (Error error = impl->link(options))
    return std::move(error);
  impl->stats.totalSeconds += now() - start;
  return std::unique_ptr<Engine>(new Engine(std::move(impl)));
}

Error Engine::Impl::link(const EngineOptions &options) {
  double start = now();
  if (deviceKernels)
    for (DeviceKernels::Kernel &kernel : deviceKernels->getKernels()) {
      linker.define(kernel.symbol, &kernel.object);
      kernelNames[&kernel.object] = kernel.symbol;
      functions[kernel.symbol] = &kernel.object;
    }
  isDeviceProgram =
      deviceKernels || image->usesDevice ||
      llvm::any_of(image->signature.getInputs(), [](const TensorSpec &spec) {
        return spec.deviceType == COIL_CUDA;
      });
  if (isDeviceProgram) {
    if (int32_t status = coil_cuda_program_create(&program))
      return llvm::make_error<RunError>(status, coil_last_error());
    coil_cuda_program_set_graph_limit(program, options.graphs);
    // What a program does can depend on elements, which a graph never reads;
    // its partitions do not.
    coil_cuda_program_set_whole_calls(program, !image->readsElements);
  }
  std::vector<llvm::MemoryBufferRef> objects;
  for (const HostObject &object : image->objects)
    objects.push_back(object.code->getMemBufferRef());
  if (Error error = linker.link(objects))
    return error;
  auto find = [&](llvm::StringRef name) -> Expected<void *> {
    if (void *address = linker.lookup(name))
      return address;
    return makeError("cannot link the program: Symbols not found: [ " + name +
                     " ]");
  };
  for (const HostObject &object : image->objects)
    for (const std::string &function : object.functions) {
      Expected<void *> address = find(function);
      if (!address)
        return address.takeError();
      functions[function] = *address;
      if (!object.isHost)
        kernelNames[*address] = function;
    }
  // Code reads inputs and writes outputs by its own signature.
  if (!image->entryPoint.empty()) {
    Expected<void *> text = find(kSignatureSymbol);
    if (!text)
      return text.takeError();
    if (image->signature.str() != static_cast<const char *>(*text))
      return makeError("the program's signature is not that of its code");
  }
  entry =
      reinterpret_cast<coil_entry_point>(functions.lookup(image->entryPoint));
  if (!entry && !image->entryPoint.empty())
    return makeError("the program has no function '" + image->entryPoint + "'");
  stats.linkSeconds = now() - start;
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

void RunDeleter::operator()(coil_run *run) const { coil_run_destroy(run); }

Error RunResult::launch(bool wait) const {
  int32_t status = coil_run_launch_bound(run.get());
  if (status == COIL_OK && wait)
    status = coil_run_synchronize(run.get());
  if (status != COIL_OK)
    return llvm::make_error<RunError>(status, coil_last_error());
  return Error::success();
}

coil_run_stats RunResult::getStats() const {
  coil_run_stats stats = {};
  coil_run_get_stats(run.get(), &stats);
  return stats;
}

/// The strides that the program expects of an input, or nothing when they are
/// for the input to say.
static std::optional<llvm::SmallVector<int64_t>>
getStrides(const TensorSpec &spec, const coil_tensor &tensor,
           llvm::ArrayRef<std::optional<int64_t>> symbols) {
  llvm::SmallVector<int64_t> strides(size_t(tensor.rank));
  int64_t stride = 1;
  for (size_t d = strides.size(); d-- > 0;) {
    if (spec.strides.empty()) {
      strides[d] = stride;
      stride *= tensor.sizes[d];
    } else if (std::optional<int64_t> value =
                   spec.strides[d].evaluate(symbols)) {
      strides[d] = *value;
    } else {
      return std::nullopt;
    }
  }
  return strides;
}

static bool hasStrides(const coil_tensor &tensor,
                       llvm::ArrayRef<int64_t> strides) {
  bool same = true;
  for (int32_t d = 0; d < tensor.rank; ++d) {
    if (tensor.sizes[d] == 0)
      return true;
    same &= tensor.sizes[d] == 1 || tensor.strides[d] == strides[size_t(d)];
  }
  return same;
}

/// Gives an input the layout `strides`, in memory of the run.
static int32_t relayout(coil_run *run, coil_tensor &tensor,
                        const TensorSpec &spec,
                        llvm::ArrayRef<int64_t> strides) {
  int32_t status =
      coil_rt_match_layout(run, &tensor, spec.name.c_str(), tensor.sizes,
                           strides.data(), &tensor.data);
  tensor.strides = strides.data();
  return status;
}

/// The bytes from the first element in memory to the last one's end, and where
/// the element of position zero is among them.
static std::pair<int64_t, int64_t> getSpan(const coil_tensor &tensor) {
  int64_t first = 0, last = 0;
  for (int32_t d = 0; d < tensor.rank; ++d) {
    if (tensor.sizes[d] == 0)
      return {0, 0};
    int64_t distance = (tensor.sizes[d] - 1) * tensor.strides[d];
    (distance < 0 ? first : last) += distance;
  }
  int64_t size = coil_dtype_size(tensor.dtype);
  return {(last - first + 1) * size, -first * size};
}

/// Copies an input to memory of the run, with the layout `strides`.
static int32_t copyInput(coil_run *run, coil_tensor &tensor,
                         const TensorSpec &spec,
                         llvm::ArrayRef<int64_t> strides) {
  if (!hasStrides(tensor, strides))
    return relayout(run, tensor, spec, strides);
  auto [bytes, start] = getSpan(tensor);
  const char *first = static_cast<const char *>(tensor.data) - start;
  bool isHost = tensor.device_type == COIL_CPU;
  void *memory = nullptr;
  int32_t status = isHost ? coil_rt_alloc(run, bytes, &memory)
                          : coil_rt_alloc_cuda(run, bytes, &memory);
  if (status == COIL_OK && bytes > 0) {
    if (isHost)
      std::memcpy(memory, first, size_t(bytes));
    else
      status = coil_rt_copy_cuda(run, memory, first, bytes);
  }
  tensor.data = static_cast<char *>(memory) + start;
  return status;
}

/// Finds the inputs to copy so that none that the program writes shares memory
/// with another one. Of a weight and an input that is passed it is the input:
/// what a program writes to a weight has to stay there.
static llvm::BitVector findOverlaps(llvm::ArrayRef<coil_tensor> inputs,
                                    llvm::ArrayRef<TensorSpec> specs) {
  struct Range {
    uintptr_t begin, end;
    unsigned number;
  };
  llvm::SmallVector<Range, 32> ranges;
  for (auto [i, input] : llvm::enumerate(inputs)) {
    auto [bytes, start] = getSpan(input);
    auto begin = reinterpret_cast<uintptr_t>(input.data) - uintptr_t(start);
    if (bytes > 0)
      ranges.push_back({begin, begin + uintptr_t(bytes), unsigned(i)});
  }
  llvm::sort(ranges, [](const Range &a, const Range &b) {
    return std::tie(a.begin, a.number) < std::tie(b.begin, b.number);
  });
  llvm::BitVector found(unsigned(inputs.size()));
  // Of all ranges so far the one that ends last. A range before it that
  // overlaps what comes overlaps it, too, and was found with it.
  const Range *last = nullptr;
  for (const Range &range : ranges) {
    if (last && range.begin < last->end) {
      const TensorSpec &a = specs[last->number], &b = specs[range.number];
      if (a.isUpdated || b.isUpdated) {
        bool hasWeight = !a.weight.empty() || !b.weight.empty();
        if (hasWeight ? a.weight.empty() : a.isUpdated)
          found.set(last->number);
        if (hasWeight ? b.weight.empty() : b.isUpdated)
          found.set(range.number);
      }
    }
    if (!last || range.end > last->end)
      last = &range;
  }
  return found;
}

/// Calls a function while a run works on the device `index` places behind its
/// own.
template <typename Body>
static int32_t onDevice(coil_run *run, int32_t index, Body body) {
  if (index == 0)
    return body();
  int32_t status = coil_rt_select_device(run, COIL_CUDA, index);
  if (status == COIL_OK)
    status = body();
  int32_t back = coil_rt_select_device(run, COIL_CUDA, 0);
  return status != COIL_OK ? status : back;
}

/// Moves a host tensor to the device `index` places behind the run's, which has
/// the number `device`, as it lies in memory.
static int32_t moveToDevice(coil_run *run, coil_tensor &tensor, int32_t device,
                            int32_t index) {
  auto [bytes, start] = getSpan(tensor);
  void *memory = nullptr;
  int32_t status = onDevice(run, index, [&, bytes = bytes, start = start] {
    int32_t status = coil_rt_alloc_cuda(run, bytes, &memory);
    if (status == COIL_OK && bytes > 0)
      status = coil_rt_upload_cuda(
          run, memory, static_cast<const char *>(tensor.data) - start, bytes);
    return status;
  });
  tensor.data = static_cast<char *>(memory) + start;
  tensor.device_type = COIL_CUDA;
  tensor.device_index = device + index;
  return status;
}

/// Moves a tensor from a device of the run, which is bound to `device`, to host
/// memory of the run.
static int32_t moveToHost(coil_run *run, coil_tensor &tensor, int32_t device) {
  auto [bytes, start] = getSpan(tensor);
  void *memory = nullptr;
  int32_t status = coil_rt_alloc(run, bytes, &memory);
  if (status == COIL_OK && bytes > 0)
    status = onDevice(
        run, tensor.device_index - device, [&, bytes = bytes, start = start] {
          return coil_rt_download_cuda(
              run, memory, static_cast<const char *>(tensor.data) - start,
              bytes);
        });
  tensor.data = static_cast<char *>(memory) + start;
  tensor.device_type = COIL_CPU;
  tensor.device_index = 0;
  return status;
}

/// Runs a program for a GPU. `movable` is empty if all inputs are there with
/// the strides that the program expects, else it is `inputs`, of which those
/// that are in host memory go to the GPU, and others get the strides `layouts`.
int32_t Engine::runOnDevice(const Impl &impl, coil_run *run,
                            llvm::ArrayRef<coil_tensor> inputs,
                            llvm::MutableArrayRef<coil_tensor> movable,
                            llvm::ArrayRef<InputLayout> layouts,
                            llvm::MutableArrayRef<coil_tensor> outputs,
                            const RunOptions &options) {
  int32_t device = options.device;
  for (auto [input, spec] :
       llvm::zip(inputs, impl.image->signature.getInputs()))
    if (input.device_type == COIL_CUDA && spec.deviceType == COIL_CUDA) {
      device = input.device_index - spec.deviceIndex;
      break;
    }
  int32_t status = coil_run_set_cuda_device(run, device);
  if (status == COIL_OK && options.stream)
    status = coil_run_set_stream(run, *options.stream);
  if (status == COIL_OK && options.timing)
    status = coil_run_set_timing(run, 1);
  if (status == COIL_OK && options.keepFor)
    status = coil_run_keep_memory(run, options.keepFor);
  for (size_t i = 0; i < movable.size(); ++i) {
    const TensorSpec &spec = impl.image->signature.getInputs()[i];
    coil_tensor &input = movable[i];
    if (status == COIL_OK && layouts[i])
      status = copyInput(run, input, spec, *layouts[i]);
    if (status == COIL_OK && input.device_type == COIL_CPU &&
        spec.deviceType == COIL_CUDA)
      status = moveToDevice(run, input, device, spec.deviceIndex);
  }
  if (status == COIL_OK && options.bind)
    return coil_cuda_program_bind(impl.program, run, impl.entry, inputs.data(),
                                  int32_t(inputs.size()), outputs.data(),
                                  int32_t(outputs.size()));
  if (status == COIL_OK)
    status = coil_cuda_program_call(impl.program, run, impl.entry,
                                    inputs.data(), int32_t(inputs.size()),
                                    outputs.data(), int32_t(outputs.size()));
  bool moved = false;
  for (coil_tensor &output : outputs)
    if (status == COIL_OK && options.hostOutputs &&
        output.device_type == COIL_CUDA) {
      status = moveToHost(run, output, device);
      moved = true;
    }
  if (status == COIL_OK && (moved || options.wait || !options.stream))
    status = coil_run_synchronize(run);
  return status;
}

void DeviceTensors::waitForReaders() const {
  if (run)
    coil_run_wait_for_readers(run.get());
}

coil_cuda_program *Engine::getDeviceProgram() const { return impl->program; }

Expected<DeviceTensors> Engine::upload(
    llvm::ArrayRef<unsigned> numbers, llvm::ArrayRef<coil_tensor> tensors,
    llvm::ArrayRef<std::optional<int64_t>> symbols, int32_t device) const {
  DeviceTensors result;
  coil_run *run = nullptr;
  int32_t status = coil_run_create(&run);
  result.run.reset(run);
  std::unique_ptr<coil_run, RunDeleter> copies;
  if (status == COIL_OK) {
    coil_run *host = nullptr;
    status = coil_run_create(&host);
    copies.reset(host);
  }
  if (status == COIL_OK)
    status = coil_run_set_cuda_device(run, device);
  if (status == COIL_OK && impl->program)
    status = coil_run_keep_memory(run, impl->program);
  for (auto [number, tensor] : llvm::zip_equal(numbers, tensors)) {
    coil_tensor &copy = result.tensors.emplace_back(tensor);
    size_t rank = size_t(tensor.rank);
    result.sizes.emplace_back(tensor.sizes, tensor.sizes + rank);
    auto &strides =
        result.strides.emplace_back(tensor.strides, tensor.strides + rank);
    if (status != COIL_OK || tensor.device_type != COIL_CPU)
      continue;
    const TensorSpec &spec = impl->image->signature.getInputs()[number];
    auto expected = getStrides(spec, tensor, symbols);
    if (expected && !hasStrides(tensor, *expected)) {
      strides = std::move(*expected);
      status = relayout(copies.get(), copy, spec, strides);
    }
    if (status == COIL_OK && spec.deviceType == COIL_CUDA)
      status = moveToDevice(run, copy, device, spec.deviceIndex);
  }
  // Short vectors hold their elements inside, which moved with them.
  for (size_t i = 0; i < result.tensors.size(); ++i) {
    result.tensors[i].sizes = result.sizes[i].data();
    result.tensors[i].strides = result.strides[i].data();
  }
  if (status == COIL_OK)
    status = coil_run_synchronize(run);
  if (status != COIL_OK)
    return llvm::make_error<RunError>(status, coil_last_error());
  return std::move(result);
}

void Engine::setConstantInputs(llvm::ArrayRef<unsigned> numbers) {
  impl->constantInputs.clear();
  impl->constantInputs.resize(
      unsigned(impl->image->signature.getInputs().size()));
  for (unsigned number : numbers)
    impl->constantInputs.set(number);
  if (impl->program) {
    std::vector<int32_t> list(numbers.begin(), numbers.end());
    coil_cuda_program_set_constant_inputs(impl->program, list.data(),
                                          int32_t(list.size()));
  }
}

Error Engine::findLayouts(llvm::ArrayRef<coil_tensor> inputs,
                          const SymbolValues &symbols,
                          const RunOptions &options,
                          std::vector<InputLayout> &layouts) const {
  bool isNeeded = false, hasUpdates = false;
  llvm::ArrayRef<TensorSpec> specs = impl->image->signature.getInputs();
  std::vector<InputLayout> wanted(inputs.size());
  for (auto [i, input] : llvm::enumerate(inputs)) {
    const TensorSpec &spec = specs[i];
    hasUpdates |= spec.isUpdated;
    isNeeded |= input.device_type == COIL_CPU && spec.deviceType == COIL_CUDA;
    if (i < impl->constantInputs.size() && impl->constantInputs[unsigned(i)])
      continue;
    auto strides = getStrides(spec, input, symbols);
    if (!strides || hasStrides(input, *strides))
      continue;
    if (options.bind)
      return llvm::make_error<InputError>(
          "a bound call reads its inputs where they are, but input '" +
          spec.name + "' has other strides than the program was compiled for");
    wanted[i] = std::move(*strides);
    isNeeded = true;
  }
  if (hasUpdates)
    for (unsigned i : findOverlaps(inputs, specs).set_bits()) {
      if (options.bind)
        return llvm::make_error<InputError>(
            "a bound call updates its inputs where they are, but input '" +
            specs[i].name + "' shares memory with another one");
      if (wanted[i])
        continue;
      auto strides = getStrides(specs[i], inputs[i], symbols);
      if (!strides)
        return llvm::make_error<InputError>(
            "input '" + specs[i].name +
            "' shares memory with another one, and its layout is not known");
      wanted[i] = std::move(*strides);
      isNeeded = true;
    }
  if (isNeeded)
    layouts = std::move(wanted);
  return Error::success();
}

Expected<RunResult> Engine::run(llvm::ArrayRef<coil_tensor> inputs,
                                const RunOptions &options) const {
  if (!impl->entry)
    return makeError("the engine was made for kernels alone");
  if (!impl->unrunnable.empty())
    return makeError(impl->unrunnable);
  if (options.bind && !impl->isDeviceProgram)
    return llvm::make_error<InputError>(
        "only calls of programs for a GPU can be bound to their memory");
  if (options.bind)
    for (auto [input, spec] :
         llvm::zip(inputs, impl->image->signature.getInputs()))
      if (input.device_type == COIL_CPU && spec.deviceType == COIL_CUDA)
        return llvm::make_error<InputError>(
            "a bound call reads its inputs where they are, but input '" +
            spec.name + "' is in host memory");
  Expected<SymbolValues> symbols =
      impl->image->signature.bind(inputs, impl->constantInputs);
  if (!symbols)
    return llvm::make_error<InputError>(toString(symbols.takeError()));

  RunResult result;
  llvm::ArrayRef<TensorSpec> specs = impl->image->signature.getOutputs();
  static_assert(sizeof(coil_tensor) % sizeof(int64_t) == 0 &&
                alignof(coil_tensor) <= alignof(int64_t));
  size_t words = specs.size() * (sizeof(coil_tensor) / sizeof(int64_t));
  size_t dims = 0;
  for (const TensorSpec &spec : specs)
    dims += 2 * spec.sizes.size();
  result.memory.reset(new int64_t[words + dims]);
  result.outputs = {reinterpret_cast<coil_tensor *>(result.memory.get()),
                    specs.size()};
  int64_t *shape = result.memory.get() + words;
  for (auto [spec, output] : llvm::zip_equal(specs, result.outputs)) {
    size_t rank = spec.sizes.size();
    new (&output) coil_tensor{
        nullptr, shape, shape + rank, int32_t(rank), spec.dtype, COIL_CPU, 0};
    shape += 2 * rank;
  }
  coil_run *run = nullptr;
  int32_t status = coil_run_create(&run);
  result.run.reset(run);
  if (status == COIL_OK) {
    coil_run_set_trace(run, options.trace, options.traceUser);
    if (options.generator)
      status = coil_run_set_generator(run, options.generator);
    if (status == COIL_OK && options.prepare) {
      llvm::SmallVector<unsigned> all =
          llvm::to_vector(llvm::seq<unsigned>(0, unsigned(inputs.size())));
      status = options.prepare(run, options.numbers.empty()
                                        ? llvm::ArrayRef<unsigned>(all)
                                        : options.numbers);
    }
    // Inputs of other layouts than the program expects are copied. Programs do
    // that themselves, but calls that are kept as graphs do not look at inputs,
    // and code that others have written may not.
    llvm::SmallVector<coil_tensor> copies;
    std::vector<InputLayout> layouts;
    if (status == COIL_OK)
      if (Error error = findLayouts(inputs, *symbols, options, layouts))
        return std::move(error);
    if (!layouts.empty())
      copies.assign(inputs.begin(), inputs.end());
    llvm::ArrayRef<coil_tensor> arguments = copies.empty() ? inputs : copies;
    for (size_t i = 0; i < copies.size() && !impl->isDeviceProgram; ++i)
      if (status == COIL_OK && layouts[i])
        status = copyInput(run, copies[i],
                           impl->image->signature.getInputs()[i], *layouts[i]);
    if (status == COIL_OK && impl->isDeviceProgram)
      status = runOnDevice(*impl, run, arguments, copies, layouts,
                           result.outputs, options);
    else if (status == COIL_OK)
      status = impl->entry(run, arguments.data(), result.outputs.data());
    // What the caller has handed over, and hooks of its own, end here.
    std::string message;
    if (status != COIL_OK)
      message = coil_last_error();
    coil_run_release_inputs(run);
    coil_run_set_hook(run, nullptr, nullptr);
    coil_run_set_generator(run, nullptr);
    if (status != COIL_OK)
      coil_rt_fail(run, status, message.c_str());
  }
  if (status != COIL_OK) {
    std::string message = coil_last_error();
    if (run)
      if (const void *kernel = coil_run_failed_kernel(run))
        message += " (in kernel '" + getKernelName(kernel).str() + "')";
    return llvm::make_error<RunError>(status, std::move(message));
  }
  coil_run_set_trace(run, nullptr, nullptr);
  return std::move(result);
}
