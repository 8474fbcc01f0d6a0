//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compilation of kernels and host program in parallel, linking, and runs.
//
//===----------------------------------------------------------------------===//

#include "coil/ExecutionEngine/Engine.h"

#include "DeviceKernels.h"
#include "HostCompiler.h"
#include "ObjectCache.h"
#include "coil/Runtime/HostABI.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Threading.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <cstring>
#include <queue>

using namespace coil;
using namespace mlir;
using llvm::Error;
using llvm::Expected;

char InputError::ID;
char RunError::ID;
void InputError::log(llvm::raw_ostream &os) const { os << text; }
void RunError::log(llvm::raw_ostream &os) const { os << text; }

static Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

//===----------------------------------------------------------------------===//
// Engine state
//===----------------------------------------------------------------------===//

struct Engine::Impl {
  ~Impl() { coil_cuda_program_destroy(program); }

  /// Before what refers to them.
  std::unique_ptr<DeviceKernels> deviceKernels;
  coil_cuda_program *program = nullptr;
  bool isDeviceProgram = false;
  Signature signature;
  EngineStats stats;
  std::unique_ptr<llvm::orc::LLJIT> jit;
  coil_entry_point entry = nullptr;
  llvm::StringMap<void *> functions;
  llvm::DenseMap<const void *, std::string> kernelNames;
};

Engine::Engine(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Engine::~Engine() = default;

const Signature &Engine::getSignature() const { return impl->signature; }
const EngineStats &Engine::getStats() const { return impl->stats; }

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

static void dump(const EngineOptions &options, llvm::StringRef name,
                 const llvm::Module &module, llvm::StringRef object) {
  if (options.dumpDirectory.empty() ||
      llvm::sys::fs::create_directories(options.dumpDirectory))
    return;
  llvm::SmallString<128> path(options.dumpDirectory);
  llvm::sys::path::append(path, name);
  std::error_code code;
  llvm::raw_fd_ostream text((path + ".ll").str(), code);
  if (!code)
    module.print(text, nullptr);
  llvm::raw_fd_ostream binary((path + ".o").str(), code);
  if (!code)
    binary << object;
}

/// Makes the object of a unit; sets `error` on failure.
static void compile(Unit &unit, llvm::StringRef name, const HostTarget &target,
                    const ObjectCache &cache, const EngineOptions &options) {
  double start = now();
  llvm::LLVMContext context;
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
  unit.object = std::move(*object);
  dump(options, name, *module, unit.object->getBuffer());
  if (cache.isEnabled())
    cache.store(key, unit.object->getBuffer());
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

Expected<std::vector<std::unique_ptr<llvm::MemoryBuffer>>>
coil::compileKernelObjects(ModuleOp module, const EngineOptions &options) {
  MLIRContext *context = module.getContext();
  registerBuiltinDialectTranslation(*context);
  registerLLVMDialectTranslation(*context);
  Expected<HostTarget> target =
      HostTarget::detect(options.cpu, options.features);
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
    compile(units[i], "kernels" + std::to_string(i), *target, cache, options);
  });
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> objects;
  for (Unit &unit : units) {
    if (!unit.error.empty())
      return makeError(unit.error);
    objects.push_back(std::move(unit.object));
  }
  return std::move(objects);
}

//===----------------------------------------------------------------------===//
// Linking
//===----------------------------------------------------------------------===//

/// Creates a linker whose programs see the runtime, the C library and the
/// vector mathematics library.
static Expected<std::unique_ptr<llvm::orc::LLJIT>>
createLinker(const HostTarget &target, const llvm::DataLayout &layout) {
  using namespace llvm::orc;
  JITTargetMachineBuilder machine{llvm::Triple(target.triple)};
  Expected<std::unique_ptr<LLJIT>> created =
      LLJITBuilder()
          .setJITTargetMachineBuilder(std::move(machine))
          .setDataLayout(layout)
          .setPlatformSetUp(setUpInactivePlatform)
          .setObjectLinkingLayerCreator(
              [](ExecutionSession &session)
                  -> Expected<std::unique_ptr<ObjectLayer>> {
                return std::make_unique<ObjectLinkingLayer>(session);
              })
          .create();
  if (!created)
    return created.takeError();
  LLJIT &jit = **created;
  JITDylib &library = jit.getMainJITDylib();
  size_t count = 0;
  const coil_symbol *symbols = coil_runtime_symbols(&count);
  SymbolMap runtime;
  for (size_t i = 0; i < count; ++i)
    runtime[jit.mangleAndIntern(symbols[i].name)] = {
        ExecutorAddr::fromPtr(symbols[i].address),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  if (Error error = library.define(absoluteSymbols(std::move(runtime))))
    return std::move(error);
  char prefix = layout.getGlobalPrefix();
  auto process = DynamicLibrarySearchGenerator::GetForCurrentProcess(prefix);
  if (!process)
    return process.takeError();
  library.addGenerator(std::move(*process));
  for (const char *name : {"libm.so.6", "libmvec.so.1"}) {
    auto generator = DynamicLibrarySearchGenerator::Load(name, prefix);
    if (generator)
      library.addGenerator(std::move(*generator));
    else // A program that needs it fails to link, by the symbol's name.
      llvm::consumeError(generator.takeError());
  }
  return created;
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

Expected<std::unique_ptr<Engine>> Engine::create(ModuleOp module,
                                                 Signature signature,
                                                 const EngineOptions &options) {
  double start = now();
  MLIRContext *context = module.getContext();
  registerBuiltinDialectTranslation(*context);
  registerLLVMDialectTranslation(*context);
  Expected<HostTarget> target =
      HostTarget::detect(options.cpu, options.features);
  if (!target)
    return target.takeError();

  // The entry points without the rest, which is not for translation there.
  OwningOpRef<ModuleOp> host = ModuleOp::create(module.getLoc());
  for (Operation &op : *module.getBody())
    if (!isApart(&op))
      host->getBody()->push_back(op.clone());

  bool readsElements = false;
  auto note = [&](Operation &op) {
    auto name = op.getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
    readsElements |= name && name.getValue() == "coil_rt_item_cuda";
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
  auto impl = std::make_unique<Impl>();
  DeviceOptions deviceOptions;
  deviceOptions.threads = threads;
  deviceOptions.cache = options.objectCache;
  deviceOptions.dumpDirectory = options.dumpDirectory;
  deviceOptions.ptxDirectory = options.ptxDirectory;
  deviceOptions.sassDirectory = options.sassDirectory;
  deviceOptions.lineInfo = options.deviceLineInfo;
  Expected<std::unique_ptr<DeviceKernels>> deviceKernels =
      DeviceKernels::create(module, deviceOptions);
  if (!deviceKernels)
    return deviceKernels.takeError();
  impl->deviceKernels = std::move(*deviceKernels);
  double deviceSeconds = now() - start, loadSeconds = 0;
  if (impl->deviceKernels && options.loadKernels) {
    double loadStart = now();
    if (Error error = impl->deviceKernels->load(options.device))
      return std::move(error);
    loadSeconds = now() - loadStart;
  }
  std::vector<Unit> units = makeUnits(module, *host, threads);
  ObjectCache cache(options.objectCache);
  auto compileUnit = [&](size_t i) {
    std::string name =
        i + 1 == units.size()
            ? std::string("host")
            : (units[i].isHost ? "part" : "kernels") + std::to_string(i);
    compile(units[i], name, *target, cache, options);
  };
  if (threads == 1)
    for (size_t i = 0; i < units.size(); ++i)
      compileUnit(i);
  else
    mlir::parallelFor(context, 0, units.size(), compileUnit);

  impl->signature = std::move(signature);
  EngineStats &stats = impl->stats;
  for (const Unit &unit : units) {
    if (!unit.error.empty())
      return makeError(unit.error);
    stats.translateSeconds += unit.stats.translateSeconds;
    stats.optimizeSeconds += unit.stats.optimizeSeconds;
    stats.emitSeconds += unit.stats.emitSeconds;
    stats.cachedObjects += unit.stats.cachedObjects;
    stats.objectBytes += int64_t(unit.object->getBufferSize());
    ++stats.objects;
  }

  double linkStart = now();
  Expected<std::unique_ptr<HostCompiler>> compiler =
      HostCompiler::create(*target, options.optLevel);
  if (!compiler)
    return compiler.takeError();
  Expected<std::unique_ptr<llvm::orc::LLJIT>> jit =
      createLinker(*target, (*compiler)->getDataLayout());
  if (!jit)
    return jit.takeError();
  impl->jit = std::move(*jit);
  if (impl->deviceKernels) {
    llvm::orc::SymbolMap objects;
    for (DeviceKernels::Kernel &kernel : impl->deviceKernels->getKernels()) {
      objects[impl->jit->mangleAndIntern(kernel.symbol)] = {
          llvm::orc::ExecutorAddr::fromPtr(&kernel.object),
          llvm::JITSymbolFlags::Exported};
      impl->kernelNames[&kernel.object] = kernel.symbol;
      ++stats.deviceKernels;
    }
    stats.kernels += stats.deviceKernels;
    stats.imageBytes = impl->deviceKernels->imageBytes;
    stats.cachedImages = impl->deviceKernels->cached;
    stats.deviceSeconds = deviceSeconds;
    stats.loadSeconds = loadSeconds;
    if (Error error = impl->jit->getMainJITDylib().define(
            llvm::orc::absoluteSymbols(std::move(objects))))
      return std::move(error);
  }
  impl->isDeviceProgram =
      impl->deviceKernels ||
      llvm::any_of(impl->signature.getInputs(), [](const TensorSpec &spec) {
        return spec.deviceType == COIL_CUDA;
      });
  if (impl->isDeviceProgram) {
    if (int32_t status = coil_cuda_program_create(&impl->program))
      return llvm::make_error<RunError>(status, coil_last_error());
    // What a program does can depend on elements, which a graph never reads.
    coil_cuda_program_set_graph_limit(impl->program,
                                      readsElements ? 0 : options.graphs);
  }
  // The linker reports causes to the session and a summary to the caller.
  std::string causes;
  impl->jit->getExecutionSession().setErrorReporter([&causes](Error error) {
    causes += (causes.empty() ? "" : "; ") + toString(std::move(error));
  });
  llvm::orc::SymbolLookupSet wanted;
  for (Unit &unit : units) {
    for (const std::string &function : unit.functions)
      wanted.add(impl->jit->mangleAndIntern(function));
    if (Error error = impl->jit->addObjectFile(std::move(unit.object)))
      return std::move(error);
  }
  Expected<llvm::orc::SymbolMap> found =
      impl->jit->getExecutionSession().lookup(
          llvm::orc::makeJITDylibSearchOrder(&impl->jit->getMainJITDylib()),
          std::move(wanted));
  impl->jit->getExecutionSession().setErrorReporter(llvm::consumeError);
  if (!found) {
    std::string summary = toString(found.takeError());
    return makeError("cannot link the program: " +
                     (causes.empty() ? summary : causes));
  }
  for (size_t i = 0; i < units.size(); ++i)
    for (const std::string &function : units[i].functions) {
      void *address = (*found)[impl->jit->mangleAndIntern(function)]
                          .getAddress()
                          .toPtr<void *>();
      impl->functions[function] = address;
      if (units[i].isHost)
        continue;
      impl->kernelNames[address] = function;
      ++stats.kernels;
    }
  impl->entry = reinterpret_cast<coil_entry_point>(
      impl->functions.lookup(options.entryPoint));
  if (!impl->entry && !options.entryPoint.empty())
    return makeError("the program has no function '" + options.entryPoint +
                     "'");
  stats.linkSeconds = now() - linkStart;
  stats.totalSeconds = now() - start;
  return std::unique_ptr<Engine>(new Engine(std::move(impl)));
}

Expected<std::unique_ptr<Engine>> Engine::create(ModuleOp module,
                                                 const EngineOptions &options) {
  Operation *entry = module.lookupSymbol(options.entryPoint);
  if (!entry)
    return makeError("the program has no function '" + options.entryPoint +
                     "'");
  Expected<Signature> signature = Signature::read(entry);
  if (!signature)
    return signature.takeError();
  return create(module, std::move(*signature), options);
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

void RunDeleter::operator()(coil_run *run) const { coil_run_destroy(run); }

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

/// Copies elements between layouts; strides count bytes.
static void copyElements(const char *from, char *to, const coil_tensor &tensor,
                         llvm::ArrayRef<int64_t> strides, int64_t bytes,
                         int32_t dim = 0) {
  if (dim == tensor.rank) {
    std::memcpy(to, from, size_t(bytes));
    return;
  }
  for (int64_t i = 0; i < tensor.sizes[dim]; ++i)
    copyElements(from + i * tensor.strides[dim] * bytes,
                 to + i * strides[size_t(dim)] * bytes, tensor, strides, bytes,
                 dim + 1);
}

/// Gives an input the layout `strides`, in memory of the run.
static int32_t relayout(coil_run *run, coil_tensor &tensor,
                        llvm::ArrayRef<int64_t> strides) {
  int64_t bytes = coil_dtype_size(tensor.dtype), last = 0;
  for (int32_t d = 0; d < tensor.rank; ++d) {
    if (strides[size_t(d)] < 0)
      return coil_rt_fail(run, COIL_INVALID_ARGUMENT,
                          "the program expects an input of negative strides");
    last += (tensor.sizes[d] - 1) * strides[size_t(d)];
  }
  void *memory = nullptr;
  int32_t status = coil_rt_alloc(run, (last + 1) * bytes, &memory);
  if (status != COIL_OK)
    return status;
  copyElements(static_cast<const char *>(tensor.data),
               static_cast<char *>(memory), tensor, strides, bytes);
  tensor.data = memory;
  tensor.strides = strides.data();
  return COIL_OK;
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

/// Moves a host tensor to the run's device, as it lies in memory.
static int32_t moveToDevice(coil_run *run, coil_tensor &tensor,
                            int32_t device) {
  auto [bytes, start] = getSpan(tensor);
  void *memory = nullptr;
  int32_t status = coil_rt_alloc_cuda(run, bytes, &memory);
  if (status == COIL_OK && bytes > 0)
    status = coil_rt_upload_cuda(
        run, memory, static_cast<const char *>(tensor.data) - start, bytes);
  tensor.data = static_cast<char *>(memory) + start;
  tensor.device_type = COIL_CUDA;
  tensor.device_index = device;
  return status;
}

/// Moves a tensor from the run's device to host memory of the run.
static int32_t moveToHost(coil_run *run, coil_tensor &tensor) {
  auto [bytes, start] = getSpan(tensor);
  void *memory = nullptr;
  int32_t status = coil_rt_alloc(run, bytes, &memory);
  if (status == COIL_OK && bytes > 0)
    status = coil_rt_download_cuda(
        run, memory, static_cast<const char *>(tensor.data) - start, bytes);
  tensor.data = static_cast<char *>(memory) + start;
  tensor.device_type = COIL_CPU;
  tensor.device_index = 0;
  return status;
}

int32_t Engine::runOnDevice(const Impl &impl, coil_run *run,
                            llvm::MutableArrayRef<coil_tensor> inputs,
                            llvm::MutableArrayRef<coil_tensor> outputs,
                            const RunOptions &options) {
  int32_t device = options.device;
  for (const coil_tensor &input : inputs)
    if (input.device_type == COIL_CUDA) {
      device = input.device_index;
      break;
    }
  int32_t status = coil_run_set_cuda_device(run, device);
  if (status == COIL_OK && options.stream)
    status = coil_run_set_stream(run, *options.stream);
  if (status == COIL_OK && options.timing)
    status = coil_run_set_timing(run, 1);
  for (auto [input, spec] : llvm::zip(inputs, impl.signature.getInputs()))
    if (status == COIL_OK && input.device_type == COIL_CPU &&
        spec.deviceType == COIL_CUDA)
      status = moveToDevice(run, input, device);
  if (status == COIL_OK)
    status = coil_cuda_program_call(impl.program, run, impl.entry,
                                    inputs.data(), int32_t(inputs.size()),
                                    outputs.data(), int32_t(outputs.size()));
  bool moved = false;
  for (coil_tensor &output : outputs)
    if (status == COIL_OK && options.hostOutputs &&
        output.device_type == COIL_CUDA) {
      status = moveToHost(run, output);
      moved = true;
    }
  if (status == COIL_OK && (moved || options.wait || !options.stream))
    status = coil_run_synchronize(run);
  return status;
}

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
  for (auto [number, tensor] : llvm::zip_equal(numbers, tensors)) {
    coil_tensor &copy = result.tensors.emplace_back(tensor);
    size_t rank = size_t(tensor.rank);
    result.sizes.emplace_back(tensor.sizes, tensor.sizes + rank);
    auto &strides =
        result.strides.emplace_back(tensor.strides, tensor.strides + rank);
    if (status != COIL_OK || tensor.device_type != COIL_CPU)
      continue;
    const TensorSpec &spec = impl->signature.getInputs()[number];
    auto expected = getStrides(spec, tensor, symbols);
    if (expected && !hasStrides(tensor, *expected)) {
      strides = std::move(*expected);
      status = relayout(copies.get(), copy, strides);
    }
    if (status == COIL_OK && spec.deviceType == COIL_CUDA)
      status = moveToDevice(run, copy, device);
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

Expected<RunResult> Engine::run(llvm::ArrayRef<coil_tensor> inputs,
                                const RunOptions &options) const {
  if (!impl->entry)
    return makeError("the engine was made for kernels alone");
  Expected<SymbolValues> symbols = impl->signature.bind(inputs);
  if (!symbols)
    return llvm::make_error<InputError>(toString(symbols.takeError()));

  RunResult result;
  llvm::ArrayRef<TensorSpec> specs = impl->signature.getOutputs();
  size_t dims = 0;
  for (const TensorSpec &spec : specs)
    dims += 2 * spec.sizes.size();
  result.shapes.reset(new int64_t[dims + 1]);
  int64_t *shape = result.shapes.get();
  for (const TensorSpec &spec : specs) {
    size_t rank = spec.sizes.size();
    result.outputs.push_back(
        {nullptr, shape, shape + rank, int32_t(rank), spec.dtype, COIL_CPU, 0});
    shape += 2 * rank;
  }
  coil_run *run = nullptr;
  int32_t status = coil_run_create(&run);
  result.run.reset(run);
  if (status == COIL_OK) {
    coil_run_set_trace(run, options.trace, options.traceUser);
    // Inputs of other layouts than the program expects are copied.
    llvm::SmallVector<coil_tensor> arguments(inputs);
    llvm::SmallVector<llvm::SmallVector<int64_t>> layouts(inputs.size());
    for (auto [i, spec] : llvm::enumerate(impl->signature.getInputs())) {
      if (status != COIL_OK || inputs[i].device_type != COIL_CPU)
        continue; // The program checks those on devices.
      auto strides = getStrides(spec, inputs[i], *symbols);
      if (!strides || hasStrides(inputs[i], *strides))
        continue;
      layouts[i] = std::move(*strides);
      status = relayout(run, arguments[i], layouts[i]);
    }
    if (status == COIL_OK && impl->isDeviceProgram)
      status = runOnDevice(*impl, run, arguments, result.outputs, options);
    else if (status == COIL_OK)
      status = impl->entry(run, arguments.data(), result.outputs.data());
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
