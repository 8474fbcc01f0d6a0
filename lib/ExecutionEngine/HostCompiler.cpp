//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Optimisation and emission for the host.
//
//===----------------------------------------------------------------------===//

#include "HostCompiler.h"
#include "ModulePasses.h"

#include "InlineMath.h"
#include "coil/Support/Error.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"

#include <mutex>
#include <optional>

using namespace coil;
using namespace llvm;

/// Kernels arrive vectorised and unrolled by the loop schedule, and host
/// programs are calls; what remains is the cleanup that lowering relies on.
/// The full pipelines take several times longer for nothing measurable.
static constexpr StringLiteral leanPipeline =
    "always-inline,globaldce,function(sroa,early-cse<memssa>,simplifycfg,"
    "instcombine<no-verify-fixpoint"
    ">,loop-mssa(loop-rotate<header-duplication>,licm<allowspeculation>),"
    "early-cse<memssa>,instcombine<no-verify-fixpoint>,loop-mssa(licm<"
    "allowspeculation>),simplifycfg)";

/// Asks LLVM, which takes about half a millisecond.
static Expected<HostTarget> lookUpTarget(StringRef cpu, StringRef features) {
  HostTarget target;
  target.triple = sys::getProcessTriple();
  target.cpu = cpu.empty() ? sys::getHostCPUName().str() : cpu.str();
  // A processor given by name brings its own features.
  StringMap<bool> detected;
  if (cpu.empty() && features.empty()) {
    detected = sys::getHostCPUFeatures();
    SmallVector<std::pair<StringRef, bool>> sorted;
    for (const auto &entry : detected)
      sorted.push_back({entry.getKey(), entry.getValue()});
    sort(sorted);
    for (auto [name, enabled] : sorted) {
      target.features += target.features.empty() ? "" : ",";
      target.features += enabled ? '+' : '-';
      target.features += name;
    }
  } else {
    target.features = features.str();
  }
  std::string message;
  const Target *found =
      TargetRegistry::lookupTarget(Triple(target.triple), message);
  if (!found)
    return makeError(message);
  std::unique_ptr<MCSubtargetInfo> info(
      found->createMCSubtargetInfo(Triple(target.triple), "", ""));
  if (!info || !info->isCPUStringValid(target.cpu))
    return makeError("unknown processor '" + target.cpu + "'");
  info.reset(found->createMCSubtargetInfo(Triple(target.triple), target.cpu,
                                          target.features));
  target.hasFMA = info->checkFeatures("+fma");
  if (info->checkFeatures("+avx512f"))
    target.vectorBits = 512;
  else if (info->checkFeatures("+avx"))
    target.vectorBits = 256;
  return target;
}

Expected<HostTarget> HostTarget::detect(StringRef cpu, StringRef features) {
  static std::once_flag initialized;
  std::call_once(initialized, [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    InitializeNativeTargetAsmParser();
  });
  if (!cpu.empty() || !features.empty())
    return lookUpTarget(cpu, features);
  // The processor of this process stays what it is.
  static std::mutex mutex;
  static std::optional<HostTarget> native;
  std::lock_guard<std::mutex> lock(mutex);
  if (!native) {
    Expected<HostTarget> found = lookUpTarget("", "");
    if (!found)
      return found.takeError();
    native = std::move(*found);
  }
  return *native;
}

Expected<std::unique_ptr<HostCompiler>>
HostCompiler::create(const HostTarget &target, unsigned optLevel) {
  std::string message;
  Triple triple(target.triple);
  const Target *found = TargetRegistry::lookupTarget(triple, message);
  if (!found)
    return makeError(message);
  std::unique_ptr<HostCompiler> compiler(new HostCompiler);
  compiler->target = target;
  compiler->optLevel = optLevel;
  compiler->machine = LentMachine::take(
      target.triple + '\n' + target.cpu + '\n' + target.features + '\n' +
          (optLevel == 0 ? '0' : '1'),
      [&] {
        return std::unique_ptr<TargetMachine>(found->createTargetMachine(
            triple, target.cpu, target.features, TargetOptions(), Reloc::PIC_,
            CodeModel::Small,
            optLevel == 0 ? CodeGenOptLevel::None : CodeGenOptLevel::Default,
            /*JIT=*/true));
      });
  if (!compiler->machine)
    return makeError("no code generator for '" + target.triple + "'");
  return compiler;
}

void HostCompiler::prepare(Module &module) const {
  module.setTargetTriple(Triple(target.triple));
  module.setDataLayout(getDataLayout());
  if (optLevel > 0 && target.hasFMA)
    addInlineMath(module, /*hasAVX512=*/target.vectorBits == 512);
  std::string bits = std::to_string(target.vectorBits);
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", target.cpu);
    function.addFnAttr("target-features", target.features);
    // Without these LLVM keeps to 256 bits on processors with AVX-512.
    function.addFnAttr("prefer-vector-width", bits);
    function.addFnAttr("min-legal-vector-width", bits);
    function.addFnAttr(Attribute::NoUnwind);
  }
}

void HostCompiler::optimize(Module &module) const {
  if (optLevel == 0)
    return;
  runPasses(module, *machine, [&](PassBuilder &builder) {
    if (optLevel >= 3)
      return builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3);
    ModulePassManager passes;
    cantFail(builder.parsePassPipeline(passes, leanPipeline));
    return passes;
  });
}

Expected<std::unique_ptr<MemoryBuffer>>
HostCompiler::emitObject(Module &module) const {
  SmallVector<char, 0> bytes;
  raw_svector_ostream os(bytes);
  legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, os, nullptr,
                                   CodeGenFileType::ObjectFile))
    return makeError("no object emission for '" + target.triple + "'");
  passes.run(module);
  return std::make_unique<SmallVectorMemoryBuffer>(
      std::move(bytes), module.getModuleIdentifier(),
      /*RequiresNullTerminator=*/false);
}
