//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Targets of pipelines: from the text of an option to the kind and the chips of
// a device.
//
//===----------------------------------------------------------------------===//

#include "Targets.h"

#include "coil/Conversion/GraphToLibrary/LibraryFunctions.h"
#include "coil/Conversion/Passes.h"
#include "coil/Pipelines/Extensions.h"
#include "coil/Runtime/CUDA.h"
#include "coil/Runtime/Library.h"
#include "coil/Support/CPUTarget.h"
#include "coil/Support/Error.h"
#include "coil/Support/Libraries.h"
#include "coil/Support/Registration.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <mutex>

using namespace mlir;
using namespace coil;
using llvm::Error;
using llvm::Expected;

//===----------------------------------------------------------------------===//
// Kinds
//===----------------------------------------------------------------------===//

static Error unsupported(const llvm::Twine &message) {
  return llvm::createStringError(std::make_error_code(std::errc::not_supported),
                                 message);
}

/// The chip of the first device, and what it has other numbers of than the
/// chip's usual product.
static Expected<std::string> detectNVIDIA() {
  coil_cuda_device_info info;
  if (coil_cuda_get_device_info(0, &info) != COIL_OK)
    return unsupported(coil_last_error());
  std::string name =
      "sm_" + std::to_string(info.major) + std::to_string(info.minor);
  // Instructions that only this chip has.
  if (info.major >= 9)
    name += 'a';
  Expected<target::ChipFacts> usual = target::describeNVIDIAChips(name);
  if (!usual)
    return unsupported(llvm::Twine("CUDA device 0 (") + info.name +
                       "): " + toString(usual.takeError()));
  std::pair<StringRef, int64_t> numbers[] = {
      {"multiprocessors", info.multiprocessors},
      {"shared_bytes", info.shared_bytes}};
  for (auto [fact, value] : numbers)
    if (value > 0 && usual->getFact(fact) != value)
      name += ("@" + fact + "=" + llvm::Twine(value)).str();
  return name;
}

static void buildNVIDIACode(OpPassManager &kernels,
                            const target::CodeOptions &options) {
  ConvertGPUKernelToNVVMPassOptions lower;
  lower.chip = options.chips;
  lower.fastMath = options.fastMath;
  kernels.addNestedPass<gpu::GPUModuleOp>(
      createConvertGPUKernelToNVVMPass(lower));
}

static void buildAMDCode(OpPassManager &kernels,
                         const target::CodeOptions &options) {
  ConvertGPUKernelToROCDLPassOptions lower;
  if (!options.chips.empty())
    lower.chip = options.chips;
  kernels.addNestedPass<gpu::GPUModuleOp>(
      createConvertGPUKernelToROCDLPass(lower));
}

void coil::completeTargetKinds() {
  static std::once_flag once;
  std::call_once(once, [] {
    target::extendTargetKind("cuda", [](target::TargetKind &kind) {
      kind.detect = detectNVIDIA;
      kind.buildCodePipeline = buildNVIDIACode;
    });
    target::extendTargetKind("rocm", [](target::TargetKind &kind) {
      kind.buildCodePipeline = buildAMDCode;
    });
  });
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

const target::TargetKind &
coil::getTargetKind(const CompilePipelineOptions &options) {
  completeTargetKinds();
  const target::TargetKind *kind = target::lookupKindOf(options.target);
  // Options are checked before pipelines are built.
  assert(kind && "the target was not resolved");
  return *kind;
}

std::string coil::getTargetChips(const CompilePipelineOptions &options) {
  return StringRef(options.target).split('@').first.split(':').second.str();
}

bool coil::hasFeature(const CompilePipelineOptions &options,
                      StringRef feature) {
  Expected<target::ChipFacts> facts =
      getTargetKind(options).describe(getTargetChips(options));
  if (facts)
    return facts->hasFeature(feature);
  consumeError(facts.takeError());
  return false;
}

std::string coil::resolveLibrary(const CompilePipelineOptions &options) {
  if (options.library == "none")
    return "none";
  bool isAuto = options.library == "auto";
  std::vector<std::string> plugins = getPluginLibraries();
  SmallVector<StringRef> names;
  if (isAuto)
    for (const std::string &library : getTargetKind(options).libraries) {
      if (coil_rt_library_available(library.c_str()))
        names.push_back(library);
    }
  else
    for (StringRef library : splitLibraries(options.library))
      if (!llvm::is_contained(plugins, library))
        names.push_back(library);
  return names.empty() ? "none" : llvm::join(names, ",");
}

std::string
coil::resolvePluginLibraries(const CompilePipelineOptions &options) {
  bool isAuto = options.library == "auto";
  std::vector<std::string> plugins =
      getPluginLibraries(isAuto ? getTargetKind(options).name : "");
  SmallVector<StringRef> names;
  for (StringRef library : plugins) {
    if (!isAuto && !hasLibrary(options.library, library))
      continue;
    // With "auto" a library that is not installed is no error.
    if (Error error = isAuto ? loadPluginLibrary(library) : Error::success()) {
      consumeError(std::move(error));
      continue;
    }
    names.push_back(library);
  }
  return llvm::join(names, ",");
}

/// Whether a target is the processor of the host, of which code is generated by
/// name.
static bool isHost(StringRef target) {
  return target::lookupKindOf(target) ==
         target::lookupTargetKind(target::getDefaultTargetKind());
}

std::string coil::getCPU(const CompilePipelineOptions &options) {
  std::string name = isHost(options.target) ? getTargetChips(options) : "";
  return name == "native" ? "" : name;
}

std::string coil::getCPU(StringRef pipelineOptions) {
  CompilePipelineOptions options;
  if (Error error = parseOptions(options, pipelineOptions)) {
    consumeError(std::move(error));
    return "";
  }
  return getCPU(options);
}

//===----------------------------------------------------------------------===//
// Resolution
//===----------------------------------------------------------------------===//

static Expected<std::string> resolveTarget(StringRef text, bool detect) {
  completeTargetKinds();
  Expected<target::TargetText> target = target::parseTarget(text);
  if (!target)
    return target.takeError();
  const target::TargetKind &kind = *target->kind;
  if (kind.form == target::KernelForm::Threads && !kind.buildCodePipeline)
    return unsupported("the target '" + llvm::Twine(kind.name) +
                       "' has no pipeline that makes code of kernels");
  if (!detect || !target->chips.empty() || !kind.detect)
    return target->str();
  Expected<std::string> found = kind.detect();
  if (!found)
    return found.takeError();
  if (found->empty())
    return target->str();
  // What was asked for comes behind what was found, and so counts.
  std::string detected = kind.name + ":" + *found;
  for (const auto &[fact, value] : target->facts)
    detected += "@" + fact + "=" + std::to_string(value);
  return detected;
}

Expected<std::string> coil::resolveTarget(StringRef target) {
  return ::resolveTarget(target, /*detect=*/true);
}

/// Pipelines cannot fail while they are built, so what would make them is found
/// here.
static Error checkOptions(const CompilePipelineOptions &options) {
  if (Error error = checkRegistrations())
    return error;
  return checkInsertedPasses(options,
                             {PipelinePart::Graph, PipelinePart::Loop,
                              PipelinePart::Wrapper, PipelinePart::Kernel,
                              PipelinePart::Host},
                             "the compiler");
}

Error coil::resolveOptions(CompilePipelineOptions &options, bool detect) {
  if (Error error = checkOptions(options))
    return error;
  Expected<std::string> target = ::resolveTarget(options.target, detect);
  if (!target)
    return target.takeError();
  options.target = *target;
  if (getTargetKind(options).form == target::KernelForm::Threads)
    return Error::success();
  Expected<CPUTarget> processor = resolveCPU(getCPU(options));
  if (!processor)
    return processor.takeError();
  int64_t bits = options.vectorBits, widest = processor->vectorBits;
  if (Expected<target::TargetText> text = target::parseTarget(options.target))
    if (Expected<target::ChipFacts> facts = target::describeTarget(*text))
      widest = facts->getFact("vector_bits").value_or(widest);
    else
      return facts.takeError();
  else
    return text.takeError();
  if (bits == 0)
    options.vectorBits = widest;
  else if (bits > widest)
    return makeError("'vector-bits' is " + llvm::Twine(bits) +
                     ", but the processor '" + processor->cpu +
                     "' has vectors of " + llvm::Twine(widest));
  return Error::success();
}

Error coil::resolveOptions(CompilePipelineOptions &options) {
  return resolveOptions(options, /*detect=*/true);
}
