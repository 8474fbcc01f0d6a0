//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Translation, optimisation and emission of kernels, each in a context of its
// own so that they compile in parallel.
//
//===----------------------------------------------------------------------===//

#include "coil/ExecutionEngine/DeviceCompiler.h"

#include "DeviceAssembler.h"
#include "DeviceMath.h"
#include "DeviceOptimizer.h"
#include "Dumps.h"
#include "ErrorCollector.h"
#include "LLVMTypes.h"
#include "MachinePool.h"
#include "ObjectCache.h"
#include "coil/Support/Clock.h"
#include "coil/Support/Error.h"
#include "coil/Support/FatalErrors.h"
#include "coil/Support/OutputFile.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Threading.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

using namespace coil;
using namespace mlir;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Target
//===----------------------------------------------------------------------===//

static const llvm::Triple triple("nvptx64-nvidia-cuda");

namespace {
/// What code is made for.
struct DeviceTarget {
  std::string chip;
  std::string features;
};
} // namespace

/// The only back end that is needed, once.
static Expected<const llvm::Target *> lookupBackEnd() {
  static std::once_flag initialized;
  std::call_once(initialized, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  std::string message;
  const llvm::Target *found =
      llvm::TargetRegistry::lookupTarget(triple, message);
  if (!found)
    return makeError(message);
  return found;
}

/// The target of a module: the first one of its own, or the one that was asked
/// for, with the features that the module names for it.
static Expected<DeviceTarget> getTarget(gpu::GPUModuleOp module,
                                        const DeviceOptions &options) {
  DeviceTarget target;
  target.chip = options.chip;
  if (ArrayAttr targets = module.getTargetsAttr())
    for (auto attr : targets.getAsRange<NVVM::NVVMTargetAttr>())
      if (target.chip.empty() || target.chip == attr.getChip()) {
        target.chip = attr.getChip().str();
        target.features = attr.getFeatures().str();
        break;
      }
  if (target.chip.empty())
    return makeError("has no NVIDIA target");
  Expected<const llvm::Target *> backEnd = lookupBackEnd();
  if (!backEnd)
    return backEnd.takeError();
  std::unique_ptr<llvm::MCSubtargetInfo> info(
      (*backEnd)->createMCSubtargetInfo(triple, "", ""));
  if (!info || !info->isCPUStringValid(target.chip))
    return makeError("is for the unknown chip '" + target.chip + "'");
  return target;
}

//===----------------------------------------------------------------------===//
// Translation
//===----------------------------------------------------------------------===//

static LLVM::DIFileAttr getFile(FileLineColLoc place) {
  SmallString<128> directory(place.getFilename().getValue());
  llvm::sys::path::remove_filename(directory);
  return LLVM::DIFileAttr::get(
      place.getContext(),
      llvm::sys::path::filename(place.getFilename().getValue()), directory);
}

/// Gives every function a subprogram and every operation one place in the
/// model, without which the translation drops locations. An operation of
/// several places keeps the first.
static void addDebugScopes(gpu::GPUModuleOp module) {
  MLIRContext *context = module.getContext();
  auto file = LLVM::DIFileAttr::get(context, module.getName(), "");
  auto makeId = [&] { return DistinctAttr::create(UnitAttr::get(context)); };
  auto unit = LLVM::DICompileUnitAttr::get(
      makeId(), llvm::dwarf::DW_LANG_C, file, StringAttr::get(context, "coil"),
      /*isOptimized=*/true, LLVM::DIEmissionKind::DebugDirectivesOnly);
  auto type = LLVM::DISubroutineTypeAttr::get(context, {});
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    if (function.isExternal())
      continue;
    auto place = function.getLoc()->findInstanceOf<FileLineColLoc>();
    LLVM::DIFileAttr scopeFile = place ? getFile(place) : file;
    unsigned line = place ? place.getLine() : 1;
    StringAttr name = function.getNameAttr();
    auto program = LLVM::DISubprogramAttr::get(
        context, makeId(), unit, scopeFile, name, name, scopeFile, line, line,
        LLVM::DISubprogramFlags::Definition |
            LLVM::DISubprogramFlags::Optimized,
        type, /*retainedNodes=*/{}, /*annotations=*/{});
    function->setLoc(FusedLoc::get(context, {function.getLoc()}, program));
    auto addScope = [&](Location from) -> Location {
      auto place = from->findInstanceOf<FileLineColLoc>();
      if (!place)
        return UnknownLoc::get(context);
      Attribute scope = program;
      if (LLVM::DIFileAttr opFile = getFile(place); opFile != scopeFile)
        scope = LLVM::DILexicalBlockFileAttr::get(context, program, opFile,
                                                  /*discriminator=*/0);
      return FusedLoc::get(context, {place}, scope);
    };
    // A kernel has few places and many operations.
    DenseMap<Location, LocationAttr> scoped;
    function.getBody().walk([&](Operation *op) {
      LocationAttr &location = scoped[op->getLoc()];
      if (!location)
        location = addScope(op->getLoc());
      op->setLoc(location);
    });
  }
}

/// Translates a module; null with a diagnostic on failure.
static std::unique_ptr<llvm::Module>
translate(gpu::GPUModuleOp module, llvm::LLVMContext &context, bool lineInfo) {
  if (failed(verifyLLVMTypes(module)))
    return nullptr;
  if (!lineInfo)
    return translateModuleToLLVMIR(module, context, module.getName());
  // Scopes are attached to a copy: the program is the caller's.
  OwningOpRef<gpu::GPUModuleOp> copy(module.clone());
  addDebugScopes(*copy);
  return translateModuleToLLVMIR(*copy, context, module.getName());
}

/// An instruction that the back end would abort on, or null.
static const llvm::Instruction *findUnselectable(const llvm::Module &module) {
  using namespace llvm;
  for (const Function &function : module)
    for (const BasicBlock &block : function)
      for (const Instruction &instruction : block) {
        auto *call = dyn_cast<IntrinsicInst>(&instruction);
        if (!call)
          continue;
        switch (call->getIntrinsicID()) {
        case Intrinsic::acos:
        case Intrinsic::asin:
        case Intrinsic::atan:
        case Intrinsic::atan2:
        case Intrinsic::cosh:
        case Intrinsic::exp:
        case Intrinsic::exp10:
        case Intrinsic::log:
        case Intrinsic::log10:
        case Intrinsic::pow:
        case Intrinsic::powi:
        case Intrinsic::sinh:
        case Intrinsic::tan:
          return call;
        case Intrinsic::cos:
        case Intrinsic::exp2:
        case Intrinsic::log2:
        case Intrinsic::sin:
        case Intrinsic::tanh:
          if (!call->hasApproxFunc() || call->getType()->isDoubleTy())
            return call;
          break;
        default:
          break;
        }
      }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Code generation
//===----------------------------------------------------------------------===//

static Expected<LentMachine> takeMachine(const DeviceTarget &target) {
  Expected<const llvm::Target *> backEnd = lookupBackEnd();
  if (!backEnd)
    return backEnd.takeError();
  LentMachine machine = LentMachine::take(
      triple.str() + '\n' + target.chip + '\n' + target.features, [&] {
        llvm::TargetOptions options;
        // Contraction where flags allow it and nowhere else.
        options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
        return std::unique_ptr<llvm::TargetMachine>(
            (*backEnd)->createTargetMachine(
                triple, target.chip, target.features, options, std::nullopt,
                std::nullopt, llvm::CodeGenOptLevel::Aggressive));
      });
  if (!machine)
    return makeError("no code generator for '" + target.chip + "'");
  return machine;
}

static Error dump(StringRef directory, StringRef name, StringRef extension,
                  StringRef content) {
  if (directory.empty() || content.empty())
    return Error::success();
  if (std::error_code error = llvm::sys::fs::create_directories(directory))
    return makeError("cannot create '" + directory + "': " + error.message());
  SmallString<128> path(directory);
  llvm::sys::path::append(path, name + extension);
  return writeFile(path, content);
}

//===----------------------------------------------------------------------===//
// Cache
//===----------------------------------------------------------------------===//

/// An image as one string: name and content of everything that was made.
static std::string packImage(const DeviceImage &image) {
  std::string result;
  llvm::raw_string_ostream os(result);
  os << image.ptx.size() << ' ' << image.cubin.size() << ' '
     << image.log.size();
  for (const DeviceFunction &f : image.functions)
    os << ' ' << f.registers << ' ' << f.barriers << ' ' << f.sharedBytes << ' '
       << f.stackBytes << ' ' << f.spillStoreBytes << ' ' << f.spillLoadBytes
       << ' ' << f.constantBytes;
  os << '\n' << image.ptx << image.cubin << image.log;
  return result;
}

/// The opposite; false if the content does not fit the image's functions.
static bool unpackImage(StringRef content, DeviceImage &image) {
  auto [line, rest] = content.split('\n');
  SmallVector<StringRef> words;
  line.split(words, ' ');
  SmallVector<size_t> numbers;
  for (StringRef word : words)
    if (word.getAsInteger(10, numbers.emplace_back()))
      return false;
  if (numbers.size() != 3 + 7 * image.functions.size() ||
      numbers[0] + numbers[1] + numbers[2] != rest.size())
    return false;
  image.ptx = rest.take_front(numbers[0]).str();
  image.cubin = rest.substr(numbers[0], numbers[1]).str();
  image.log = rest.take_back(numbers[2]).str();
  const size_t *next = numbers.data() + 3;
  for (DeviceFunction &f : image.functions)
    for (unsigned *field :
         {&f.registers, &f.barriers, &f.sharedBytes, &f.stackBytes,
          &f.spillStoreBytes, &f.spillLoadBytes, &f.constantBytes})
      *field = static_cast<unsigned>(*next++);
  return true;
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

Error coil::assembleDeviceImage(DeviceImage &image,
                                const DeviceOptions &options) {
  Expected<ChosenAssembler> assembler = chooseAssembler(image.ptx, options);
  if (!assembler)
    return assembler.takeError();
  double start = now();
  if (Error error = assemble(image, *assembler, options.lineInfo))
    return error;
  readResources(image);
  image.times.assemble = now() - start;
  return Error::success();
}

/// Writes the machine code of an image as text.
static Error dumpMachineCode(const DeviceImage &image,
                             const DeviceOptions &options) {
  // What a driver would make of the PTX is its own; this is what the toolkit
  // makes of it.
  DeviceImage assembled = image;
  if (assembled.cubin.empty())
    if (Error error = assembleDeviceImage(assembled, options))
      return error;
  Expected<std::string> text = disassembleCubin(assembled.cubin);
  if (!text)
    return text.takeError();
  return dump(options.sassDirectory, image.name, ".sass", *text);
}

/// Compiles one module.
static Error compile(gpu::GPUModuleOp op, DeviceImage &image,
                     const ObjectCache &cache, const DeviceOptions &options) {
  if (!op.getOps<gpu::GPUFuncOp>().empty())
    return makeError("was not lowered");
  Expected<DeviceTarget> target = getTarget(op, options);
  if (!target)
    return target.takeError();
  image.chip = target->chip;
  // Each step into LLVM's data structures begins with a context of its own.
  double start = now();
  llvm::LLVMContext context;
  // Only who reads the IR has use for names.
  context.setDiscardValueNames(options.dumpDirectory.empty());
  std::string errors;
  context.setDiagnosticHandler(std::make_unique<ErrorCollector>(errors));
  std::unique_ptr<llvm::Module> module =
      translate(op, context, options.lineInfo);
  if (!module)
    return makeError("cannot be translated to LLVM IR");
  Expected<LentMachine> machine = takeMachine(*target);
  if (!machine)
    return machine.takeError();
  module->setTargetTriple(triple);
  module->setDataLayout((*machine)->createDataLayout());
  for (const llvm::Function &function : *module)
    if (function.getCallingConv() == llvm::CallingConv::PTX_Kernel)
      image.functions.push_back({function.getName().str()});
  if (image.functions.empty())
    return makeError("has no entry point");
  image.times.translate = now() - start;

  std::string key;
  if (cache.isEnabled()) {
    SmallString<0> bytes;
    llvm::raw_svector_ostream os(bytes);
    os << LLVM_VERSION_STRING << '\0' << target->chip << '\0'
       << target->features << '\0' << static_cast<int>(options.format)
       << options.lineInfo << '\0';
    if (options.format == DeviceFormat::Cubin) {
      // Which assembler it will be may depend on the PTX; this says what there
      // is to choose from.
      Expected<ChosenAssembler> plain = chooseAssembler("", options),
                                special =
                                    chooseAssembler("setmaxnreg", options);
      if (!plain || !special)
        return llvm::joinErrors(plain.takeError(), special.takeError());
      os << plain->version << '\0' << special->version << '\0';
    }
    os << getDevicePipeline() << '\0' << getDeviceMathBitcode();
    WriteBitcodeToFile(*module, os);
    key = ObjectCache::getKey(bytes);
    if (std::unique_ptr<llvm::MemoryBuffer> found = cache.load(key))
      image.cached = unpackImage(found->getBuffer(), image);
  }
  if (!image.cached) {
    start = now();
    if (Error error = linkDeviceMath(*module))
      return errors.empty()
                 ? std::move(error)
                 : makeError(toString(std::move(error)) + ": " + errors);
    optimizeForDevice(*module, **machine);
    image.times.optimize = now() - start;
    if (const llvm::Instruction *unselectable = findUnselectable(*module))
      return makeError("calls '" +
                       llvm::cast<llvm::CallBase>(unselectable)
                           ->getCalledFunction()
                           ->getName() +
                       "', which has no GPU code");
    if (!options.dumpDirectory.empty()) {
      std::string text;
      llvm::raw_string_ostream(text) << *module;
      warnOfDump(dump(options.dumpDirectory, image.name, ".ll", text));
    }
    start = now();
    SmallVector<char, 0> ptx;
    llvm::raw_svector_ostream os(ptx);
    llvm::legacy::PassManager passes;
    if ((*machine)->addPassesToEmitFile(passes, os, nullptr,
                                        llvm::CodeGenFileType::AssemblyFile))
      return makeError("cannot be emitted as PTX");
    passes.run(*module);
    if (!errors.empty())
      return makeError(errors);
    image.ptx.assign(ptx.data(), ptx.size());
    image.times.emit = now() - start;
    warnOfDump(dump(options.dumpDirectory, image.name, ".ptx", image.ptx));
    if (options.format == DeviceFormat::Cubin)
      if (Error error = assembleDeviceImage(image, options))
        return error;
    if (cache.isEnabled())
      cache.store(key, packImage(image));
  } else {
    warnOfDump(dump(options.dumpDirectory, image.name, ".ptx", image.ptx));
  }
  warnOfDump(dump(options.dumpDirectory, image.name, ".cubin", image.cubin));
  warnOfDump(dump(options.ptxDirectory, image.name, ".ptx", image.ptx));
  if (!options.sassDirectory.empty())
    warnOfDump(dumpMachineCode(image, options));
  return Error::success();
}

void coil::registerDeviceTranslations(MLIRContext &context) {
  registerBuiltinDialectTranslation(context);
  registerGPUDialectTranslation(context);
  registerLLVMDialectTranslation(context);
  registerNVVMDialectTranslation(context);
}

Expected<std::vector<DeviceImage>>
coil::compileDeviceKernels(ArrayRef<gpu::GPUModuleOp> modules,
                           const DeviceOptions &options) {
  std::vector<DeviceImage> images(modules.size());
  if (modules.empty())
    return images;
  MLIRContext *context = modules.front()->getContext();
  registerDeviceTranslations(*context);
  std::vector<std::string> errors(modules.size());
  ObjectCache cache(options.cache);
  auto compileOne = [&](size_t i) {
    gpu::GPUModuleOp module = modules[i];
    images[i].name = module.getName().str();
    std::string reason;
    bool isWhole = runRecoverable(
        [&] {
          if (Error error = compile(module, images[i], cache, options))
            errors[i] = toString(std::move(error));
        },
        reason);
    // What LLVM calls a fatal error is one of the kernel.
    if (!isWhole)
      errors[i] = "LLVM cannot compile it: " + reason;
  };
  unsigned threads = options.threads
                         ? options.threads
                         : llvm::hardware_concurrency().compute_thread_count();
  if (!context->isMultithreadingEnabled())
    threads = 1;
  if (threads == 1 || modules.size() == 1)
    for (size_t i = 0; i < modules.size(); ++i)
      compileOne(i);
  else
    mlir::parallelFor(context, 0, modules.size(), compileOne);
  for (auto [image, error] : llvm::zip_equal(images, errors))
    if (!error.empty())
      return makeError("kernel '" + image.name + "': " + error);
  return images;
}
