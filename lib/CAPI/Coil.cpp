//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C API over CompiledProgram, CompiledKernels and the importer's weights.
//
//===----------------------------------------------------------------------===//

#include "coil-c/Coil.h"

#include "Result.h"
#include "coil/Driver/CompiledKernels.h"
#include "coil/Driver/CompiledProgram.h"
#include "coil/Driver/ProgramCache.h"
#include "coil/Driver/WeightFile.h"
#include "coil/Import/Package.h"
#include "coil/Pipelines/Options.h"
#include "coil/Plugins/Plugins.h"
#include "coil/Support/HostTensor.h"
#include "coil/Support/TensorText.h"
#include "coil/Target/SignatureJSON.h"
#include "llvm/Support/FormatVariadic.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>

using namespace coil;
using coil::capi::fail;

struct coil_program {
  std::unique_ptr<CompiledProgram> program;
  std::string signature;
  std::string stats;
  /// What runs have around them.
  coil_hook_fn hook = nullptr;
  void *hookUser = nullptr;
  std::optional<coil_generator> generator;
  std::map<std::string, coil_object *> objects;

  ~coil_program() {
    for (auto &[name, object] : objects)
      coil_object_release(object);
  }
};

struct coil_result {
  RunResult run;
};

/// A kernel is what the compiler calls one; the other type is for the header.
static const coil_kernel *toC(const CompiledKernels::Kernel *kernel) {
  return reinterpret_cast<const coil_kernel *>(kernel);
}
static const CompiledKernels::Kernel *fromC(const coil_kernel *kernel) {
  return reinterpret_cast<const CompiledKernels::Kernel *>(kernel);
}

struct coil_kernels {
  std::unique_ptr<CompiledKernels> kernels;
};

struct coil_weights {
  std::shared_ptr<const import::WeightStore> store;
  /// What coil_weights_get gave: complex weights have sizes of their own.
  mutable std::map<std::string, NamedWeight> given;
  mutable std::mutex mutex;
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

/// Copies options of a caller that may be older than this library: fields that
/// it does not know keep their defaults. Fails for a newer one.
template <typename T>
static bool readOptions(const T *from, T &to) {
  if (from->struct_size < sizeof(size_t) || from->struct_size > sizeof(T))
    return false;
  std::memcpy(&to, from, from->struct_size);
  return true;
}

/// Checks the numbers of options by their declaration.
static llvm::Error checkProgramOptions(const coil_compile_options &options) {
  std::pair<llvm::StringRef, int64_t> numbers[] = {
      {"num-threads", options.threads},
      {"opt-level", options.opt_level},
      {"cuda-graphs", options.cuda_graphs},
      {"device", options.device}};
  for (auto [name, value] : numbers)
    if (llvm::Error error = checkOption(name, std::to_string(value)))
      return error;
  return llvm::Error::success();
}

static std::string toText(const char *text) { return text ? text : ""; }

static llvm::StringRef stringifyCacheUse(CacheUse use) {
  switch (use) {
  case CacheUse::Off:
    return "off";
  case CacheUse::Miss:
    return "miss";
  case CacheUse::Hit:
    return "hit";
  }
  llvm_unreachable("not a use of the cache");
}

static llvm::json::Value statsToJSON(const CompiledProgram &program) {
  const JITStats &stats = program.getStats();
  const EngineStats &engine = program.getEngine().getStats();
  llvm::json::Object seconds{{"import", stats.importSeconds},
                             {"code", engine.hostSeconds},
                             {"device code", engine.deviceSeconds},
                             {"device load", engine.loadSeconds},
                             {"link", engine.linkSeconds},
                             {"total", stats.totalSeconds}};
  for (const StageTime &time : stats.stages)
    seconds[stringifyStage(time.stage)] = time.seconds;
  return llvm::json::Object{
      {"seconds", std::move(seconds)},
      {"cache", stringifyCacheUse(stats.cache)},
      {"cache_warning", stats.cacheWarning},
      {"kernels_before_fusion", stats.kernelsBefore},
      {"launches", stats.launches},
      {"library_calls", stats.libraryCalls},
      {"prepared_weights", stats.preparedWeights},
      {"kernels", static_cast<int64_t>(engine.kernels)},
      {"objects", static_cast<int64_t>(engine.objects)},
      {"cached_objects", static_cast<int64_t>(engine.cachedObjects)},
      {"object_bytes", engine.objectBytes},
      {"device_kernels", static_cast<int64_t>(engine.deviceKernels)},
      {"cached_images", static_cast<int64_t>(engine.cachedImages)},
      {"image_bytes", engine.imageBytes}};
}

extern "C" {

uint32_t coil_api_version(void) { return COIL_API_VERSION; }

const char *coil_version(void) { return COIL_VERSION; }

void coil_string_free(char *text) { free(text); }

const char *coil_cache_stats_json(void) {
  CacheCounts counts = ProgramCache::getCounts();
  static thread_local std::string text;
  text = llvm::formatv("{0}", llvm::json::Value(llvm::json::Object{
                                  {"hits", counts.hits},
                                  {"misses", counts.misses},
                                  {"refusals", counts.refusals},
                                  {"stores", counts.stores},
                                  {"damaged", counts.damaged},
                                  {"evicted", counts.evicted}}));
  return text.c_str();
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

void coil_compile_options_init(coil_compile_options *options) {
  *options = {};
  options->struct_size = sizeof(coil_compile_options);
}

int32_t coil_plugin_load(const char *path, char **error) {
  if (error)
    *error = nullptr;
  if (!path)
    return fail(COIL_API_USAGE, "expected the path of a plugin", error);
  if (llvm::Error failure = loadPlugin(path))
    return fail(COIL_API_LOAD, llvm::toString(std::move(failure)), error);
  return COIL_API_OK;
}

} // extern "C"

/// Compiles what `compile` makes of the options.
static int32_t compileWith(
    const coil_compile_options *given, coil_program **program, char **error,
    llvm::function_ref<
        llvm::Expected<std::unique_ptr<CompiledProgram>>(const JITOptions &)>
        compile) {
  if (error)
    *error = nullptr;
  if (program)
    *program = nullptr;
  JITOptions jit;
  jit.cache = true;
  if (given) {
    coil_compile_options known, *options = &known;
    coil_compile_options_init(options);
    if (!readOptions(given, known))
      return fail(COIL_API_USAGE,
                  "the options were not made by coil_compile_options_init",
                  error);
    if (llvm::Error wrong = checkProgramOptions(*options))
      return fail(COIL_API_USAGE, llvm::toString(std::move(wrong)), error);
    if (options->function)
      jit.function = options->function;
    jit.weights = toText(options->weights);
    jit.pipelineOptions = toText(options->pipeline_options);
    jit.engine.objectCache = toText(options->object_cache);
    jit.engine.threads = options->threads;
    if (options->opt_level != 0)
      jit.engine.optLevel = options->opt_level;
    jit.engine.graphs = static_cast<int32_t>(options->cuda_graphs);
    jit.engine.device = options->device;
    jit.debugDirectory = toText(options->debug_directory);
    jit.cache = options->no_cache == 0;
  }
  llvm::Expected<std::unique_ptr<CompiledProgram>> compiled = compile(jit);
  if (!compiled)
    return fail(COIL_API_LOAD, llvm::toString(compiled.takeError()), error);
  const Signature &signature = (*compiled)->getEngine().getSignature();
  std::string text = llvm::formatv("{0:2}", toJSON((*compiled)->getInputs(),
                                                   (*compiled)->getOutputs(),
                                                   signature.getSymbols()));
  std::string stats = llvm::formatv("{0:2}", statsToJSON(**compiled));
  auto *made = new coil_program;
  made->program = std::move(*compiled);
  made->signature = std::move(text);
  made->stats = std::move(stats);
  *program = made;
  return COIL_API_OK;
}

extern "C" {

int32_t coil_program_compile(const char *path,
                             const coil_compile_options *options,
                             coil_program **program, char **error) {
  if (error)
    *error = nullptr;
  if (!path || !program)
    return fail(COIL_API_USAGE, "expected a path and a place for the program",
                error);
  return compileWith(options, program, error, [&](const JITOptions &jit) {
    return CompiledProgram::compile(path, jit);
  });
}

int32_t coil_program_compile_text(const char *text, size_t length,
                                  const coil_compile_options *options,
                                  coil_program **program, char **error) {
  if (error)
    *error = nullptr;
  if (!text || !program)
    return fail(COIL_API_USAGE, "expected a text and a place for the program",
                error);
  return compileWith(options, program, error, [&](const JITOptions &jit) {
    JITOptions own = jit;
    own.function = "main";
    return CompiledProgram::compileText({text, length}, own);
  });
}

void coil_program_destroy(coil_program *program) { delete program; }

size_t coil_program_num_inputs(const coil_program *program) {
  return program->program->getInputs().size();
}

size_t coil_program_num_outputs(const coil_program *program) {
  return program->program->getOutputs().size();
}

const char *coil_program_signature_json(const coil_program *program) {
  return program->signature.c_str();
}

const char *coil_program_stats_json(const coil_program *program) {
  return program->stats.c_str();
}

const char *coil_program_graph_stats_json(coil_program *program) {
  GraphReport report = program->program->getEngine().getGraphReport();
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
      program->program->run({inputs, numInputs}, runOptions);
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
  RandomState state = program->program->getRandomState();
  *seed = state.seed;
  *offset = state.offset;
}

void coil_program_set_random_state(const coil_program *program, uint64_t seed,
                                   uint64_t offset) {
  program->program->setRandomState({seed, offset});
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
  if (llvm::Error failure =
          program->program->getContainer().update(named, options))
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
  if (llvm::Error failure =
          updateWeights(program->program->getContainer(), path))
    return failWith(std::move(failure), COIL_API_LOAD, error);
  return COIL_API_OK;
}

int32_t coil_program_prepare_weights(coil_program *program, char **error) {
  if (error)
    *error = nullptr;
  if (llvm::Error failure = program->program->getContainer().prepare())
    return failWith(std::move(failure), COIL_API_RUN, error);
  return COIL_API_OK;
}

int32_t coil_program_swap_weights(coil_program *program, char **error) {
  if (error)
    *error = nullptr;
  if (llvm::Error failure = program->program->getContainer().swap())
    return failWith(std::move(failure), COIL_API_RUN, error);
  return COIL_API_OK;
}

void coil_program_drop_weights(coil_program *program) {
  program->program->getContainer().drop();
}

size_t coil_program_num_weights(const coil_program *program) {
  return program->program->getContainer().getNumWeights();
}

int32_t coil_program_get_weight(const coil_program *program, size_t index,
                                coil_weight *weight, char **error) {
  if (error)
    *error = nullptr;
  const ModelContainer &container = program->program->getContainer();
  if (index >= container.getNumWeights())
    return fail(COIL_API_USAGE,
                "the program has " + llvm::Twine(container.getNumWeights()) +
                    " weights",
                error);
  weight->name = container.getWeightName(index).data();
  weight->tensor = container.getWeight(index).tensor;
  weight->num_bytes = static_cast<uint64_t>(
      getTensorBytes(weight->tensor.dtype,
                     {weight->tensor.sizes, size_t(weight->tensor.rank)})
          .value_or(0));
  return COIL_API_OK;
}

void coil_program_get_weights_info(const coil_program *program,
                                   coil_weights_info *info) {
  const ModelContainer &container = program->program->getContainer();
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

//===----------------------------------------------------------------------===//
// Kernels and weights
//===----------------------------------------------------------------------===//

int32_t coil_kernels_compile(const char *text, size_t length,
                             const coil_compile_options *given,
                             coil_kernels **kernels, char **error) {
  if (error)
    *error = nullptr;
  if (!text || !kernels)
    return fail(COIL_API_USAGE, "expected a text and a place for the kernels",
                error);
  *kernels = nullptr;
  KernelOptions options;
  if (given) {
    coil_compile_options known;
    coil_compile_options_init(&known);
    if (!readOptions(given, known))
      return fail(COIL_API_USAGE,
                  "the options were not made by coil_compile_options_init",
                  error);
    if (llvm::Error wrong = checkProgramOptions(known))
      return fail(COIL_API_USAGE, llvm::toString(std::move(wrong)), error);
    options.pipelineOptions = toText(known.pipeline_options);
    options.engine.objectCache = toText(known.object_cache);
    options.engine.threads = known.threads;
    if (known.opt_level != 0)
      options.engine.optLevel = known.opt_level;
    options.engine.device = known.device;
  }
  llvm::Expected<std::unique_ptr<CompiledKernels>> compiled =
      CompiledKernels::compile({text, length}, options);
  if (!compiled)
    return fail(COIL_API_LOAD, llvm::toString(compiled.takeError()), error);
  *kernels = new coil_kernels{std::move(*compiled)};
  return COIL_API_OK;
}

void coil_kernels_destroy(coil_kernels *kernels) { delete kernels; }

const coil_kernel *coil_kernels_lookup(const coil_kernels *kernels,
                                       const char *name) {
  return toC(kernels->kernels->lookup(name));
}

size_t coil_kernel_num_buffers(const coil_kernel *kernel) {
  return fromC(kernel)->getNumInputs() + fromC(kernel)->getNumOutputs();
}

size_t coil_kernel_num_symbols(const coil_kernel *kernel) {
  return fromC(kernel)->getNumSymbols();
}

/// Says what a launch said.
static int32_t finishLaunch(const coil_kernel *kernel, int32_t status,
                            char **error) {
  if (error)
    *error = nullptr;
  if (status == COIL_OK)
    return COIL_API_OK;
  return fail(COIL_API_RUN,
              llvm::Twine(coil_last_error()) + " (in kernel '" +
                  fromC(kernel)->getName() + "')",
              error);
}

int32_t coil_kernel_launch(const coil_kernel *kernel, coil_run *run,
                           void **buffers, const int64_t *symbols,
                           char **error) {
  return finishLaunch(kernel, fromC(kernel)->launch(run, buffers, symbols),
                      error);
}

int32_t coil_kernel_launch_user(const coil_kernel *kernel, coil_run *run,
                                void *const *arguments, const int64_t *grid,
                                char **error) {
  return finishLaunch(kernel, fromC(kernel)->launchUser(run, arguments, grid),
                      error);
}

int32_t coil_weights_open(const char *path, coil_weights **weights,
                          char **error) {
  if (error)
    *error = nullptr;
  if (!path || !weights)
    return fail(COIL_API_USAGE, "expected a path and a place for the weights",
                error);
  *weights = nullptr;
  llvm::Expected<import::Package> package = import::Package::open(path);
  if (!package)
    return fail(COIL_API_LOAD,
                "'" + llvm::Twine(path) +
                    "': " + llvm::toString(package.takeError()),
                error);
  auto store = package->loadWeights("", import::Limits(), /*checkCRC=*/true);
  if (!store)
    return fail(COIL_API_LOAD, llvm::toString(store.takeError()), error);
  *weights = new coil_weights;
  (*weights)->store = std::move(*store);
  return COIL_API_OK;
}

void coil_weights_close(coil_weights *weights) { delete weights; }

int32_t coil_weights_get(const coil_weights *weights, const char *name,
                         coil_tensor *tensor, char **error) {
  if (error)
    *error = nullptr;
  const import::Weight *weight = weights->store->lookup(name);
  if (!weight)
    return fail(COIL_API_USAGE,
                "there is no weight '" + llvm::Twine(name) + "'", error);
  std::lock_guard<std::mutex> lock(weights->mutex);
  auto it = weights->given.find(name);
  if (it == weights->given.end()) {
    llvm::Expected<NamedWeight> named = toNamedWeight(*weight, weights->store);
    if (!named)
      return fail(COIL_API_LOAD, llvm::toString(named.takeError()), error);
    it = weights->given.try_emplace(name, std::move(*named)).first;
  }
  *tensor = it->second.tensor;
  return COIL_API_OK;
}

} // extern "C"
