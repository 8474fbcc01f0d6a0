//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C API of compiled programs, over ModelContainer.
//
//===----------------------------------------------------------------------===//

#include "coil-c/Program.h"

#include "ProgramHandle.h"
#include "Result.h"
#include "coil/Driver/WeightFile.h"
#include "coil/Package/ProgramLoader.h"
#include "coil/Runtime/DeviceMemory.h"
#include "coil/Support/HostTensor.h"
#include "coil/Target/SignatureJSON.h"
#include "llvm/Support/FormatVariadic.h"

#include <cstdlib>

using namespace coil;
using coil::capi::fail;
using coil::capi::readOptions;

coil_program::coil_program(std::shared_ptr<ModelContainer> container,
                           std::string stats)
    : container(std::move(container)), stats(std::move(stats)) {
  const Signature &of = this->container->getEngine().getSignature();
  signature = llvm::formatv("{0:2}", toJSON(this->container->getInputs(),
                                            of.getOutputs(), of.getSymbols()));
}

coil_program::~coil_program() {
  for (auto &[name, object] : objects)
    coil_object_release(object);
}

struct coil_result {
  RunResult run;
};

/// Hands an error over: one in the arguments is the caller's, one of a run is
/// a run's, and others are what `code` says.
static int32_t failWith(llvm::Error failure, coil_result_code code,
                        char **error) {
  if (failure.isA<InputError>())
    code = COIL_API_USAGE;
  else if (failure.isA<RunError>())
    code = COIL_API_RUN;
  return fail(code, llvm::toString(std::move(failure)), error);
}

/// Memory of the caller's that weights are in.
namespace {
struct Lease {
  explicit Lease(const coil_update_options &options)
      : release(options.release), user(options.user) {}
  Lease(const Lease &) = delete;
  Lease &operator=(const Lease &) = delete;
  ~Lease() {
    if (taken && release)
      release(user);
  }
  void (*release)(void *);
  void *user;
  /// Whether the update succeeded.
  bool taken = false;
};
} // namespace

/// What loading did, under the names that compiled programs have for it.
static llvm::json::Value statsToJSON(const LoadedProgram &program) {
  const EngineStats &engine = program.container->getEngine().getStats();
  return llvm::json::Object{
      {"seconds", llvm::json::Object{{"import", program.readSeconds},
                                     {"device load", engine.loadSeconds},
                                     {"link", engine.linkSeconds},
                                     {"total", program.totalSeconds}}},
      {"kernels_before_fusion", program.kernelsBefore},
      {"launches", program.launches},
      {"library_calls", program.libraryCalls},
      {"prepared_weights", int64_t(program.container->getNumPrepared())},
      {"provenance",
       provenanceToJSON(program.container->getEngine().getImage()->provenance)},
      {"kernels", int64_t(engine.kernels)},
      {"objects", int64_t(engine.objects)},
      {"object_bytes", engine.objectBytes},
      {"device_kernels", int64_t(engine.deviceKernels)},
      {"image_bytes", engine.imageBytes}};
}

extern "C" {

uint32_t coil_api_version(void) { return COIL_API_VERSION; }

const char *coil_version(void) { return COIL_VERSION; }

void coil_string_free(char *text) { free(text); }

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

void coil_load_options_init(coil_load_options *options) {
  *options = {};
  options->struct_size = sizeof(coil_load_options);
}

int32_t coil_program_load(const char *path, const coil_load_options *given,
                          coil_program **program, char **error) {
  if (error)
    *error = nullptr;
  if (!path || !program)
    return fail(COIL_API_USAGE, "expected a path and a place for the program",
                error);
  *program = nullptr;
  coil_load_options known;
  coil_load_options_init(&known);
  if (given && !readOptions(given, known))
    return fail(COIL_API_USAGE,
                "the options were not made by coil_load_options_init", error);
  LoadOptions options;
  if (known.function)
    options.function = known.function;
  options.checkHashes = known.skip_hashes == 0;
  options.engine.graphs = static_cast<int32_t>(known.cuda_graphs);
  options.engine.device = known.device;
  llvm::Expected<LoadedProgram> loaded = loadProgram(path, options);
  if (!loaded)
    return fail(COIL_API_LOAD, llvm::toString(loaded.takeError()), error);
  std::string stats = llvm::formatv("{0:2}", statsToJSON(*loaded));
  *program = new coil_program(std::move(loaded->container), std::move(stats));
  return COIL_API_OK;
}

void coil_program_destroy(coil_program *program) { delete program; }

size_t coil_program_num_inputs(const coil_program *program) {
  return program->container->getInputs().size();
}

size_t coil_program_num_outputs(const coil_program *program) {
  return program->container->getEngine().getSignature().getOutputs().size();
}

const char *coil_program_signature_json(const coil_program *program) {
  return program->signature.c_str();
}

const char *coil_program_stats_json(const coil_program *program) {
  return program->stats.c_str();
}

const char *coil_program_graph_stats_json(coil_program *program) {
  GraphReport report = program->container->getEngine().getGraphReport();
  const coil_cuda_graph_stats &calls = report.calls;
  const coil_cuda_partition_stats &parts = report.partitions;
  llvm::json::Array failures;
  for (const GraphReport::Failure &each : report.failures)
    failures.push_back(llvm::json::Object{{"partition", each.partition},
                                          {"reason", each.reason},
                                          {"count", each.count}});
  llvm::json::Value json = llvm::json::Object{
      {"calls", llvm::json::Object{{"plain", calls.plain},
                                   {"recorded", calls.recorded},
                                   {"replayed", calls.replayed},
                                   {"patched", calls.patched},
                                   {"refused", calls.refused},
                                   {"evicted", calls.evicted}}},
      {"partitions", llvm::json::Object{{"warmups", parts.warmups},
                                        {"recorded", parts.recorded},
                                        {"replayed", parts.replayed},
                                        {"patched", parts.patched},
                                        {"plain", parts.plain},
                                        {"nodes", parts.nodes},
                                        {"dropped", parts.dropped},
                                        {"bytes", parts.bytes},
                                        {"failures", std::move(failures)}}}};
  static thread_local std::string text;
  text = llvm::formatv("{0:2}", json);
  return text.c_str();
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

int32_t coil_program_run(const coil_program *program, const coil_tensor *inputs,
                         size_t num_inputs, coil_result **result,
                         char **error) {
  return coil_program_run_with(program, inputs, num_inputs, nullptr, result,
                               error);
}

void coil_run_options_init(coil_run_options *options) {
  *options = {};
  options->struct_size = sizeof(coil_run_options);
}

/// Runs a call, or binds it to its memory.
static int32_t start(const coil_program *program, const coil_tensor *inputs,
                     size_t numInputs, const coil_run_options *options,
                     bool bind, coil_result **result, char **error) {
  if (error)
    *error = nullptr;
  if (!program || !result || (!inputs && numInputs != 0))
    return fail(COIL_API_USAGE,
                "expected a program, inputs and a place for the result", error);
  *result = nullptr;
  coil_run_options known;
  coil_run_options_init(&known);
  if (options && !readOptions(options, known))
    return fail(COIL_API_USAGE,
                "the options were not made by coil_run_options_init", error);
  RunOptions runOptions;
  runOptions.device = known.device;
  if (known.use_stream)
    runOptions.stream = known.stream;
  runOptions.wait = known.wait != 0;
  runOptions.bind = bind;
  // Who has a stream works on a GPU, whatever else says nothing.
  bool onDevice = numInputs == 0 && known.use_stream;
  for (size_t i = 0; i < numInputs; ++i)
    onDevice |= inputs[i].device_type == COIL_CUDA;
  runOptions.hostOutputs =
      known.outputs == COIL_OUTPUTS_ON_HOST ||
      (known.outputs == COIL_OUTPUTS_LIKE_INPUTS && !onDevice);
  if (bind && known.release_input)
    return fail(COIL_API_USAGE, "a bound call keeps its inputs", error);
  // What the caller's function is told of each input that it hands over.
  struct Handed {
    const coil_run_options *options;
    size_t input;
  };
  llvm::SmallVector<Handed> handed;
  if (program->generator)
    runOptions.generator = &*program->generator;
  if (program->hook || !program->objects.empty() || known.release_input)
    runOptions.prepare = [&](coil_run *run,
                             llvm::ArrayRef<unsigned> numbers) -> int32_t {
      coil_run_set_hook(run, program->hook, program->hookUser);
      for (auto &[name, object] : program->objects)
        if (int32_t status = coil_run_bind_object(run, name.c_str(), object))
          return status;
      if (!known.release_input)
        return COIL_OK;
      for (size_t i = 0; i < numInputs; ++i)
        handed.push_back({&known, i});
      for (Handed &each : handed)
        if (int32_t status = coil_run_set_input_release(
                run, static_cast<int32_t>(numbers[each.input]),
                [](void *user) {
                  auto *given = static_cast<Handed *>(user);
                  given->options->release_input(given->options->release_user,
                                                given->input);
                },
                &each))
          return status;
      return COIL_OK;
    };
  llvm::Expected<RunResult> run =
      program->container->run({inputs, numInputs}, runOptions);
  // A run that did not begin has released nothing.
  if (known.release_input && handed.empty())
    for (size_t i = 0; i < numInputs; ++i)
      known.release_input(known.release_user, i);
  if (!run)
    return failWith(run.takeError(), COIL_API_RUN, error);
  *result = new coil_result{std::move(*run)};
  return COIL_API_OK;
}

int32_t coil_program_run_with(const coil_program *program,
                              const coil_tensor *inputs, size_t num_inputs,
                              const coil_run_options *options,
                              coil_result **result, char **error) {
  return start(program, inputs, num_inputs, options, /*bind=*/false, result,
               error);
}

int32_t coil_program_bind(const coil_program *program,
                          const coil_tensor *inputs, size_t num_inputs,
                          const coil_run_options *options, coil_result **result,
                          char **error) {
  return start(program, inputs, num_inputs, options, /*bind=*/true, result,
               error);
}

int32_t coil_result_launch(coil_result *result, int32_t wait, char **error) {
  if (error)
    *error = nullptr;
  if (!result)
    return fail(COIL_API_USAGE, "expected a result", error);
  if (llvm::Error failure = result->run.launch(wait != 0))
    return failWith(std::move(failure), COIL_API_RUN, error);
  return COIL_API_OK;
}

int32_t coil_program_set_generator(coil_program *program,
                                   const coil_generator *generator) {
  if (!program ||
      (generator && (generator->struct_size < sizeof(coil_generator) ||
                     !generator->get || !generator->set)))
    return COIL_API_USAGE;
  program->generator.reset();
  if (generator)
    program->generator = *generator;
  return COIL_API_OK;
}

void coil_program_set_hook(coil_program *program, coil_hook_fn fn, void *user) {
  program->hook = fn;
  program->hookUser = user;
}

int32_t coil_program_bind_object(coil_program *program, const char *name,
                                 coil_object *object) {
  if (!program || !name)
    return COIL_API_USAGE;
  coil_object_retain(object);
  coil_object *&bound = program->objects[name];
  coil_object_release(bound);
  bound = object;
  if (!object)
    program->objects.erase(name);
  return COIL_API_OK;
}

void coil_program_get_random_state(const coil_program *program, uint64_t *seed,
                                   uint64_t *offset) {
  RandomState state = program->container->getRandomState();
  *seed = state.seed;
  *offset = state.offset;
}

void coil_program_set_random_state(const coil_program *program, uint64_t seed,
                                   uint64_t offset) {
  program->container->setRandomState({seed, offset});
}

size_t coil_result_num_outputs(const coil_result *result) {
  return result->run.getOutputs().size();
}

const coil_tensor *coil_result_output(const coil_result *result, size_t index) {
  llvm::ArrayRef<coil_tensor> outputs = result->run.getOutputs();
  return index < outputs.size() ? &outputs[index] : nullptr;
}

int32_t coil_result_take_output(coil_result *result, size_t index) {
  if (!result || index >= result->run.getOutputs().size())
    return COIL_API_USAGE;
  const coil_tensor &output = result->run.getOutputs()[index];
  // The runtime looks at what lies before an allocation, which is in its page.
  constexpr uintptr_t page = 4096;
  if (output.device_type == COIL_CUDA)
    return coil_run_take_cuda(result->run.getRun(), output.data) == COIL_OK
               ? COIL_API_OK
               : COIL_API_USAGE;
  if (output.device_type != COIL_CPU ||
      reinterpret_cast<uintptr_t>(output.data) % page == 0)
    return COIL_API_USAGE;
  return coil_run_take(result->run.getRun(), output.data) == COIL_OK
             ? COIL_API_OK
             : COIL_API_USAGE;
}

void coil_result_get_stats(const coil_result *result, coil_run_stats *stats) {
  *stats = result->run.getStats();
}

void coil_result_destroy(coil_result *result) { delete result; }

//===----------------------------------------------------------------------===//
// Weights of a program
//===----------------------------------------------------------------------===//

void coil_update_options_init(coil_update_options *options) {
  *options = {};
  options->struct_size = sizeof(coil_update_options);
}

int32_t coil_program_update_weights(coil_program *program,
                                    const coil_weight *weights,
                                    size_t num_weights,
                                    const coil_update_options *given,
                                    char **error) {
  if (error)
    *error = nullptr;
  if (!program || (!weights && num_weights != 0))
    return fail(COIL_API_USAGE, "expected a program and weights", error);
  coil_update_options known;
  coil_update_options_init(&known);
  if (given && !readOptions(given, known))
    return fail(COIL_API_USAGE,
                "the options were not made by coil_update_options_init", error);
  auto lease = std::make_shared<Lease>(known);
  std::vector<NamedWeight> named;
  for (const coil_weight &weight : llvm::ArrayRef(weights, num_weights)) {
    if (!weight.name)
      return fail(COIL_API_USAGE, "a weight has no name", error);
    NamedWeight &added = named.emplace_back();
    added.name = weight.name;
    added.tensor = weight.tensor;
    if (known.in_place)
      added.owner = lease;
    if (weight.num_bytes)
      added.bytes = weight.num_bytes;
  }
  UpdateOptions options;
  options.complete = known.complete != 0;
  options.inPlace = known.in_place != 0;
  if (llvm::Error failure = program->container->update(named, options))
    return failWith(std::move(failure), COIL_API_RUN, error);
  lease->taken = known.in_place != 0;
  return COIL_API_OK;
}

int32_t coil_program_update_weights_from_file(coil_program *program,
                                              const char *path, char **error) {
  if (error)
    *error = nullptr;
  if (!program || !path)
    return fail(COIL_API_USAGE, "expected a program and a path", error);
  if (llvm::Error failure = updateWeights(*program->container, path))
    return failWith(std::move(failure), COIL_API_LOAD, error);
  return COIL_API_OK;
}

int32_t coil_program_prepare_weights(coil_program *program, char **error) {
  if (error)
    *error = nullptr;
  if (llvm::Error failure = program->container->prepare())
    return failWith(std::move(failure), COIL_API_RUN, error);
  return COIL_API_OK;
}

int32_t coil_program_swap_weights(coil_program *program, char **error) {
  if (error)
    *error = nullptr;
  if (llvm::Error failure = program->container->swap())
    return failWith(std::move(failure), COIL_API_RUN, error);
  return COIL_API_OK;
}

void coil_program_drop_weights(coil_program *program) {
  program->container->drop();
}

size_t coil_program_num_weights(const coil_program *program) {
  return program->container->getNumWeights();
}

int32_t coil_program_get_weight(const coil_program *program, size_t index,
                                coil_weight *weight, char **error) {
  if (error)
    *error = nullptr;
  const ModelContainer &container = *program->container;
  if (index >= container.getNumWeights())
    return fail(COIL_API_USAGE,
                "the program has " + llvm::Twine(container.getNumWeights()) +
                    " weights",
                error);
  weight->name = container.getWeightName(index).data();
  llvm::Expected<NamedWeight> value = container.getWeight(index);
  if (!value)
    return failWith(value.takeError(), COIL_API_RUN, error);
  weight->tensor = value->tensor;
  weight->num_bytes = static_cast<uint64_t>(
      getTensorBytes(weight->tensor.dtype,
                     {weight->tensor.sizes, size_t(weight->tensor.rank)})
          .value_or(0));
  return COIL_API_OK;
}

void coil_program_get_weights_info(const coil_program *program,
                                   coil_weights_info *info) {
  const ModelContainer &container = *program->container;
  *info = {};
  info->active = container.getActiveNumber();
  info->num_sets = container.getNumSets();
  switch (container.getInactive()) {
  case InactiveWeights::None:
    info->inactive = COIL_WEIGHTS_NONE;
    break;
  case InactiveWeights::Previous:
    info->inactive = COIL_WEIGHTS_PREVIOUS;
    break;
  case InactiveWeights::Updated:
    info->inactive = COIL_WEIGHTS_UPDATED;
    break;
  case InactiveWeights::Prepared:
    info->inactive = COIL_WEIGHTS_PREPARED;
    break;
  }
}

uint64_t coil_result_weights(const coil_result *result) {
  return result->run.getWeightsNumber();
}

} // extern "C"
