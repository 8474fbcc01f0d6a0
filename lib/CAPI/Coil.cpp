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

#include "ProgramHandle.h"
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
using coil::capi::readOptions;

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
                             {"provenance", stats.provenanceSeconds},
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
      {"provenance",
       provenanceToJSON(program.getEngine().getImage()->provenance)},
      {"kernels", static_cast<int64_t>(engine.kernels)},
      {"objects", static_cast<int64_t>(engine.objects)},
      {"cached_objects", static_cast<int64_t>(engine.cachedObjects)},
      {"object_bytes", engine.objectBytes},
      {"device_kernels", static_cast<int64_t>(engine.deviceKernels)},
      {"cached_images", static_cast<int64_t>(engine.cachedImages)},
      {"image_bytes", engine.imageBytes}};
}

extern "C" {

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
  std::string stats = llvm::formatv("{0:2}", statsToJSON(**compiled));
  std::shared_ptr<CompiledProgram> owner = std::move(*compiled);
  *program = new coil_program(
      std::shared_ptr<ModelContainer>(owner, &owner->getContainer()),
      std::move(stats));
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
