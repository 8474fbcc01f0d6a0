//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a lowered program to machine code, in parallel.
//
//===----------------------------------------------------------------------===//

#include "ProgramCompiler.h"
#include "DeviceKernels.h"
#include "ErrorCollector.h"
#include "HostCompiler.h"
#include "KernelObject.h"
#include "LLVMTypes.h"
#include "ObjectCache.h"
#include "coil/ExecutionEngine/Engine.h"
#include "coil/Support/Clock.h"
#include "coil/Support/Error.h"
#include "coil/Support/FatalErrors.h"
#include "coil/Support/OutputFile.h"
#include "coil/Support/ThreadPool.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Threading.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "Dumps.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <queue>
#include <thread>

using namespace coil;
using namespace mlir;
using llvm::Error;
using llvm::Expected;

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

/// More would keep large LLVM modules in memory, for nothing.
static constexpr size_t kMaxPartsPerUnit = 32;

namespace {

/// Symbol tables that become one object, and what came of them.
struct Unit {
  llvm::SmallVector<Operation *> parts;
  bool isHost = false;
  std::unique_ptr<llvm::MemoryBuffer> object;
  /// Functions that the object defines.
  std::vector<std::string> functions;
  EngineStats stats;
  std::string error;
};

} // namespace

/// Whether `op` is compiled apart from the entry points: a kernel, or a part of
/// the host program.
static bool isApart(Operation *op) {
  return op->hasTrait<OpTrait::SymbolTable>() &&
         op->hasTrait<OpTrait::IsIsolatedFromAbove>();
}

/// Translates one symbol table. The translation also wants to translate the op
/// that holds the symbols, so they move into a module while it runs.
static std::unique_ptr<llvm::Module> translatePart(Operation *part,
                                                   llvm::LLVMContext &context,
                                                   llvm::StringRef name) {
  if (failed(verifyLLVMTypes(part)))
    return nullptr;
  OwningOpRef<ModuleOp> shell = ModuleOp::create(part->getLoc());
  auto &inside = part->getRegion(0).front().getOperations();
  auto &outside = shell->getBody()->getOperations();
  outside.splice(outside.end(), inside);
  std::unique_ptr<llvm::Module> module = translateModuleToLLVMIR(
      *shell, context, name, /*disableVerification=*/true);
  inside.splice(inside.end(), outside);
  return module;
}

/// Translates the parts of a unit into one LLVM module.
static std::unique_ptr<llvm::Module>
translate(Unit &unit, llvm::LLVMContext &context, llvm::StringRef name) {
  std::unique_ptr<llvm::Module> result;
  // One linker for all: each new one walks all that was linked before.
  std::optional<llvm::Linker> linker;
  for (Operation *part : unit.parts) {
    std::unique_ptr<llvm::Module> module = translatePart(part, context, name);
    if (!module) {
      unit.error = "translation to LLVM IR failed";
      return nullptr;
    }
    if (!result) {
      result = std::move(module);
      linker.emplace(*result);
    } else if (linker->linkInModule(std::move(module))) {
      unit.error = "two kernels define the same function";
      return nullptr;
    }
  }
  return result;
}

static Error dump(const EngineOptions &options, llvm::StringRef name,
                  const llvm::Module &module, llvm::StringRef object) {
  if (options.dumpDirectory.empty())
    return Error::success();
  if (std::error_code error =
          llvm::sys::fs::create_directories(options.dumpDirectory))
    return makeError("cannot create '" + options.dumpDirectory +
                     "': " + error.message());
  llvm::SmallString<128> path(options.dumpDirectory);
  llvm::sys::path::append(path, name);
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os, nullptr);
  if (Error error = writeFile((path + ".ll").str(), text))
    return error;
  return writeFile((path + ".o").str(), object);
}

/// Makes the object of a unit; sets `error` on failure.
static void compileOrFail(Unit &unit, llvm::StringRef name,
                          const CPUTarget &target, const ObjectCache &cache,
                          const EngineOptions &options) {
  double start = now();
  llvm::LLVMContext context;
  std::string errors;
  context.setDiagnosticHandler(std::make_unique<ErrorCollector>(errors));
  std::unique_ptr<llvm::Module> module = translate(unit, context, name);
  if (!module)
    return;
  Expected<std::unique_ptr<HostCompiler>> compiler =
      HostCompiler::create(target, options.optLevel);
  if (!compiler) {
    unit.error = toString(compiler.takeError());
    return;
  }
  (*compiler)->prepare(*module);
  for (const llvm::Function &function : *module)
    if (!function.isDeclaration() && !function.hasLocalLinkage())
      unit.functions.push_back(function.getName().str());
  unit.stats.translateSeconds = now() - start;

  std::string key;
  if (cache.isEnabled()) {
    key = ObjectCache::getKey(*module, target, options.optLevel);
    unit.object = cache.load(key);
    if (unit.object) {
      unit.stats.cachedObjects = 1;
      return;
    }
  }
  start = now();
  (*compiler)->optimize(*module);
  unit.stats.optimizeSeconds = now() - start;
  start = now();
  Expected<std::unique_ptr<llvm::MemoryBuffer>> object =
      (*compiler)->emitObject(*module);
  unit.stats.emitSeconds = now() - start;
  if (!object) {
    unit.error = toString(object.takeError());
    return;
  }
  if (!errors.empty()) {
    unit.error = errors;
    return;
  }
  unit.object = std::move(*object);
  warnOfDump(dump(options, name, *module, unit.object->getBuffer()));
  if (cache.isEnabled())
    cache.store(key, unit.object->getBuffer());
}

/// The same, where an error that LLVM calls fatal is one of the unit.
static void compileUnit(Unit &unit, llvm::StringRef name,
                        const CPUTarget &target, const ObjectCache &cache,
                        const EngineOptions &options) {
  std::string reason;
  if (runRecoverable([&] { compileOrFail(unit, name, target, cache, options); },
                     reason))
    return;
  unit.error = "LLVM cannot compile it: " + reason;
  unit.object.reset();
}

/// Spreads symbol tables over units of equal work, largest first: one for each
/// thread, and more when a unit would get too many.
static void addUnits(std::vector<Unit> &units,
                     llvm::ArrayRef<Operation *> parts, unsigned threads,
                     bool isHost) {
  if (parts.empty())
    return;
  llvm::SmallVector<size_t> sizes;
  for (Operation *part : parts) {
    size_t size = 0;
    part->walk([&](Operation *) { ++size; });
    sizes.push_back(size);
  }
  // Ties keep the order of the program, so that objects do not vary.
  auto order = llvm::to_vector(llvm::seq<size_t>(0, parts.size()));
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::pair(sizes[b], a) < std::pair(sizes[a], b);
  });
  size_t count =
      std::max<size_t>(std::min<size_t>(threads, parts.size()),
                       llvm::divideCeil(parts.size(), kMaxPartsPerUnit));
  size_t first = units.size();
  units.resize(first + count);
  // The unit with the least work so far, the first of several.
  using Load = std::pair<size_t, size_t>;
  std::priority_queue<Load, std::vector<Load>, std::greater<Load>> least;
  for (size_t i = first; i < units.size(); ++i) {
    units[i].isHost = isHost;
    least.push({0, i});
  }
  for (size_t i : order) {
    auto [work, unit] = least.top();
    least.pop();
    units[unit].parts.push_back(parts[i]);
    least.push({work + sizes[i], unit});
  }
}

/// All units of a program; `host` holds the entry points.
static std::vector<Unit> makeUnits(ModuleOp module, ModuleOp host,
                                   unsigned threads) {
  llvm::SmallVector<Operation *> kernels, hostParts;
  for (Operation &op : *module.getBody())
    if (isApart(&op) && !isDeviceKernel(&op))
      (op.hasAttr(kHostPartAttrName) ? hostParts : kernels).push_back(&op);
  std::vector<Unit> units;
  addUnits(units, kernels, threads, /*isHost=*/false);
  addUnits(units, hostParts, threads, /*isHost=*/true);
  Unit &entry = units.emplace_back();
  entry.parts.push_back(host);
  entry.isHost = true;
  return units;
}

/// Readies a context for the translation of parts; returns what they are for.
static Expected<CPUTarget> prepare(MLIRContext *context,
                                   const EngineOptions &options) {
  // Before any thread starts: LLVM's list of targets has no lock, and kernels
  // for GPUs are compiled by one of their own.
  initializeHostTarget();
  registerBuiltinDialectTranslation(*context);
  registerLLVMDialectTranslation(*context);
  return resolveCPU(options.cpu);
}

Expected<std::vector<std::unique_ptr<llvm::MemoryBuffer>>>
coil::compileKernelObjects(ModuleOp module, const EngineOptions &options) {
  MLIRContext *context = module.getContext();
  Expected<CPUTarget> target = prepare(context, options);
  if (!target)
    return target.takeError();
  llvm::SmallVector<Operation *> kernels;
  for (Operation &op : *module.getBody())
    if (isApart(&op) && !isDeviceKernel(&op))
      kernels.push_back(&op);
  std::vector<Unit> units;
  addUnits(units, kernels, std::max(1u, options.threads), /*isHost=*/false);
  ObjectCache cache(options.objectCache);
  mlir::parallelFor(context, 0, units.size(), [&](size_t i) {
    compileUnit(units[i], "kernels" + std::to_string(i), *target, cache,
                options);
  });
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> objects;
  for (Unit &unit : units) {
    if (!unit.error.empty())
      return makeError(unit.error);
    objects.push_back(std::move(unit.object));
  }

  EngineStats stats;
  DeviceOptions deviceOptions;
  deviceOptions.threads = options.threads;
  deviceOptions.cache = options.objectCache;
  deviceOptions.lineInfo = options.deviceLineInfo;
  Expected<std::vector<DeviceObject>> images =
      compileKernels(module, deviceOptions, stats);
  if (!images)
    return images.takeError();
  if (images->empty())
    return std::move(objects);
  llvm::LLVMContext data;
  std::unique_ptr<llvm::Module> kernelData = makeKernelData(*images, data);
  Expected<std::unique_ptr<HostCompiler>> compiler =
      HostCompiler::create(*target, options.optLevel);
  if (!compiler)
    return compiler.takeError();
  (*compiler)->prepare(*kernelData);
  Expected<std::unique_ptr<llvm::MemoryBuffer>> object =
      (*compiler)->emitObject(*kernelData);
  if (!object)
    return object.takeError();
  objects.push_back(std::move(*object));
  return std::move(objects);
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

Error coil::compileImage(ProgramImage &image, ModuleOp module,
                         Signature signature, const EngineOptions &options,
                         llvm::function_ref<Error()> useKernels) {
  double start = now();
  MLIRContext *context = module.getContext();
  Expected<CPUTarget> target = prepare(context, options);
  if (!target)
    return target.takeError();

  // The entry points without the rest, which is not for translation there.
  OwningOpRef<ModuleOp> host = ModuleOp::create(module.getLoc());
  for (Operation &op : *module.getBody())
    if (!isApart(&op))
      host->getBody()->push_back(op.clone());
  if (!options.entryPoint.empty()) {
    std::string text = signature.str() + '\0';
    OpBuilder b = OpBuilder::atBlockEnd(host->getBody());
    LLVM::GlobalOp::create(
        b, host->getLoc(),
        LLVM::LLVMArrayType::get(b.getI8Type(), unsigned(text.size())),
        /*isConstant=*/true, LLVM::Linkage::External, kSignatureSymbol,
        b.getStringAttr(text));
  }

  std::vector<RequiredFunction> functions;
  for (Operation &op : *module.getBody())
    if (auto list = op.getAttrOfType<ArrayAttr>(kHostFunctionsAttrName))
      for (auto each : list.getAsRange<ArrayAttr>()) {
        RequiredFunction function;
        function.name = cast<StringAttr>(each[0]).str();
        function.deviceType =
            static_cast<int32_t>(cast<IntegerAttr>(each[1]).getInt());
        function.location = cast<StringAttr>(each[2]).str();
        bool isKnown = llvm::any_of(functions, [&](const auto &known) {
          return known.name == function.name &&
                 known.deviceType == function.deviceType;
        });
        if (!isKnown)
          functions.push_back(std::move(function));
      }
  bool readsElements = false, usesDevice = false;
  auto note = [&](Operation &op) {
    auto name = op.getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
    usesDevice |= name && name.getValue().starts_with("coil_rt_") &&
                  name.getValue().ends_with("_cuda");
    readsElements |=
        name && is_contained({"coil_rt_item_cuda", "coil_rt_debug_value_cuda",
                              "coil_rt_check_lifetime",
                              // Memory of the host in a program for a device.
                              "coil_rt_item", "coil_rt_transfer"},
                             name.getValue());
  };
  for (Operation &op : *module.getBody()) {
    note(op);
    if (op.hasAttr(kHostPartAttrName))
      llvm::for_each(op.getRegion(0).front(), note);
  }

  unsigned threads = options.threads
                         ? options.threads
                         : llvm::hardware_concurrency().compute_thread_count();
  if (!context->isMultithreadingEnabled())
    threads = 1;
  image.entryPoint = options.entryPoint;
  image.triple = target->triple;
  image.cpu = target->cpu;
  image.features = target->features;
  image.readsElements = readsElements;
  image.usesDevice = usesDevice;
  image.provenance = options.provenance;
  image.functions = std::move(functions);
  EngineStats &stats = image.stats;
  DeviceOptions deviceOptions;
  deviceOptions.threads = threads;
  deviceOptions.cache = options.objectCache;
  deviceOptions.dumpDirectory = options.dumpDirectory;
  deviceOptions.ptxDirectory = options.ptxDirectory;
  deviceOptions.sassDirectory = options.sassDirectory;
  if (options.assembleKernels)
    deviceOptions.format = DeviceFormat::Cubin;
  deviceOptions.lineInfo = options.deviceLineInfo;
  auto compileForDevice = [&]() -> Error {
    Expected<std::vector<DeviceObject>> kernels =
        compileKernels(module, deviceOptions, stats);
    if (!kernels)
      return kernels.takeError();
    image.kernels = std::move(*kernels);
    stats.deviceSeconds = now() - start;
    return useKernels && !image.kernels.empty() ? useKernels()
                                                : Error::success();
  };
  // What GPUs run takes longer, most of it in the driver: it is made, and
  // perhaps loaded, beside the host's code.
  std::optional<Error> deviceError;
  std::optional<ThreadPool> device;
  if (threads > 1 && llvm::any_of(*module.getBody(), [](Operation &op) {
        return isDeviceKernel(&op);
      })) {
    // Both add to the context's registry, which nobody may read meanwhile.
    registerDeviceTranslations(*context);
    device.emplace(2);
    device->async([&] { deviceError.emplace(compileForDevice()); });
  } else {
    deviceError.emplace(compileForDevice());
    if (*deviceError)
      return std::move(*deviceError);
  }
  double hostStart = now();
  std::vector<Unit> units = makeUnits(module, *host, threads);
  ObjectCache cache(options.objectCache);
  auto compileNumber = [&](size_t i) {
    std::string name =
        i + 1 == units.size()
            ? std::string("host")
            : (units[i].isHost ? "part" : "kernels") + std::to_string(i);
    compileUnit(units[i], name, *target, cache, options);
  };
  if (threads == 1)
    for (size_t i = 0; i < units.size(); ++i)
      compileNumber(i);
  else
    mlir::parallelFor(context, 0, units.size(), compileNumber);
  stats.hostSeconds = now() - hostStart;
  if (device)
    device->wait();
  if (*deviceError)
    return std::move(*deviceError);

  image.signature = std::move(signature);
  for (Unit &unit : units) {
    if (!unit.error.empty())
      return makeError(unit.error);
    stats.translateSeconds += unit.stats.translateSeconds;
    stats.optimizeSeconds += unit.stats.optimizeSeconds;
    stats.emitSeconds += unit.stats.emitSeconds;
    stats.cachedObjects += unit.stats.cachedObjects;
    stats.objectBytes += int64_t(unit.object->getBufferSize());
    ++stats.objects;
    if (!unit.isHost)
      stats.kernels += unsigned(unit.functions.size());
    image.objects.push_back(
        {unit.isHost, std::move(unit.functions), std::move(unit.object)});
  }
  stats.totalSeconds = now() - start;
  return Error::success();
}

Expected<ProgramImage> Engine::compile(ModuleOp module, Signature signature,
                                       const EngineOptions &options) {
  ProgramImage image;
  if (Error error = compileImage(image, module, std::move(signature), options))
    return std::move(error);
  return image;
}

Expected<Signature> coil::readSignature(ModuleOp module,
                                        const EngineOptions &options) {
  Operation *entry = module.lookupSymbol(options.entryPoint);
  if (!entry)
    return makeError("the program has no function '" + options.entryPoint +
                     "'");
  return Signature::read(entry);
}

Expected<ProgramImage> Engine::compile(ModuleOp module,
                                       const EngineOptions &options) {
  Expected<Signature> signature = readSignature(module, options);
  if (!signature)
    return signature.takeError();
  return compile(module, std::move(*signature), options);
}
