//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keys of compiled programs.
//
//===----------------------------------------------------------------------===//

#include "CompileKey.h"

#include "coil/Import/Archive.h"
#include "coil/Pipelines/Options.h"
#include "coil/Pipelines/Pipelines.h"
#include "coil/Plugins/Plugins.h"
#include "coil/Runtime/Functions.h"
#include "coil/Support/BuildId.h"
#include "coil/Support/CPUTarget.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace coil;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

/// Another number for another meaning of keys.
static constexpr StringRef kFormat = "coil programs 1";

/// The build of Coil, its runtime, MLIR and LLVM; empty where it is unknown.
static const std::string &getOwnBuildId() {
  static const std::string id = [] {
    bool (*ofLLVM)(llvm::SmallVectorImpl<char> &) =
        llvm::sys::path::home_directory;
    llvm::LogicalResult (*ofMLIR)(mlir::Operation *, bool) = mlir::verify;
    Expected<std::string> found =
        getBuildId({reinterpret_cast<const void *>(ofLLVM),
                    reinterpret_cast<const void *>(ofMLIR),
                    reinterpret_cast<const void *>(&coil_visit_functions)});
    if (found)
      return *found;
    llvm::consumeError(found.takeError());
    return std::string();
  }();
  return id;
}

/// Adds the host functions that are registered: passes ask for them.
static void addFunctions(CacheKey &key) {
  std::vector<std::string> functions;
  coil_visit_functions(
      [](const coil_function *function, void *user) {
        static_cast<std::vector<std::string> *>(user)->push_back(
            std::string(function->name) + ' ' +
            std::to_string(function->device_type) + ' ' +
            std::to_string(function->flags));
      },
      &functions);
  llvm::sort(functions);
  key.add(functions.size());
  for (const std::string &function : functions)
    key.add(function);
}

/// Adds plugins by their contents. Fails for one that cannot be read.
static bool addPlugins(CacheKey &key) {
  std::vector<LoadedPlugin> plugins = getLoadedPlugins();
  key.add(plugins.size());
  for (const LoadedPlugin &plugin : plugins) {
    auto file = llvm::MemoryBuffer::getFile(plugin.file);
    if (!file)
      return false;
    key.add((*file)->getBuffer());
  }
  return true;
}

bool coil::addOptions(CacheKey &key, const JITOptions &options) {
  const EngineOptions &engine = options.engine;
  if (!options.debugDirectory.empty() || options.keepReference ||
      !engine.dumpDirectory.empty() || !engine.ptxDirectory.empty() ||
      !engine.sassDirectory.empty() || getOwnBuildId().empty())
    return false;
  Expected<GivenOptions> given = GivenOptions::parse(options.pipelineOptions);
  if (!given) {
    llvm::consumeError(given.takeError());
    return false;
  }
  // Passes may do anything, and read or write files as well.
  for (StringRef name : {"insert-passes", "user-kernels"})
    if (given->isGiven(name))
      return false;
  Expected<std::string> target = resolveTarget(given->get("target"));
  if (!target) {
    llvm::consumeError(target.takeError());
    return false;
  }
  Expected<CPUTarget> cpu = resolveCPU(getCPU(options.pipelineOptions));
  if (!cpu) {
    llvm::consumeError(cpu.takeError());
    return false;
  }
  key.add(kFormat).add(getOwnBuildId());
  // Its name says nothing of what is in it.
  if (StringRef records = given->get("tuning-records"); !records.empty()) {
    auto file = llvm::MemoryBuffer::getFile(records);
    if (!file)
      return false;
    key.add((*file)->getBuffer());
  }
  key.add(options.function);
  // A value that is the default is no other option, whoever says it.
  for (const OptionSpec &spec : getOptionSpecs())
    if (spec.scope == OptionScope::Pipeline && spec.name != "target")
      key.add(spec.name).add(given->get(spec.name));
  key.add(*target);
  key.add(cpu->triple).add(cpu->cpu).add(cpu->features);
  key.add(uint64_t(cpu->vectorBits));
  key.add(uint64_t(engine.optLevel));
  key.add(uint64_t(engine.deviceLineInfo))
      .add(uint64_t(engine.assembleKernels));
  addFunctions(key);
  return addPlugins(key);
}

Error coil::addExportedProgram(CacheKey &key, StringRef path) {
  Expected<std::shared_ptr<const import::Archive>> archive =
      import::Archive::open(path);
  if (!archive)
    return archive.takeError();
  key.add("exported");
  for (const import::ArchiveRecord &record : (*archive)->getRecords()) {
    // The root folder has the name that the file once had.
    StringRef name = record.name.split('/').second;
    // A hash of the weights, and the arguments of the export.
    if (name == ".data/serialization_id" ||
        name.starts_with("data/sample_inputs/"))
      continue;
    key.add(name).add(record.data.size());
    // Numbers that are tensors become constants of code (`inlineNumbers`), and
    // are no larger than this; they are among the constants.
    constexpr size_t kLargestNumber = 16;
    bool isConstant = name.starts_with("data/constants/");
    bool isData = (isConstant || name.starts_with("data/weights/")) &&
                  !name.ends_with(".json");
    if (!isData || (isConstant && record.data.size() <= kLargestNumber))
      key.add(record.data);
  }
  return Error::success();
}
