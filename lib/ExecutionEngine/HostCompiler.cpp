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
#include "CopySigns.h"
#include "MaskedStores.h"
#include "ModulePasses.h"

#include "InlineMath.h"
#include "coil/Support/Error.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

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

void coil::initializeHostTarget() {
  static std::once_flag initialized;
  std::call_once(initialized, [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    InitializeNativeTargetAsmParser();
  });
}

Expected<std::unique_ptr<HostCompiler>>
HostCompiler::create(const CPUTarget &target, unsigned optLevel) {
  initializeHostTarget();
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
  addInlineMath(module, /*hasAVX512=*/target.vectorBits == 512,
                /*onlyMissing=*/optLevel == 0);
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
  // Schedules have vectorised loops already, and LLVM 22 does not end for the
  // 64 squarings of an integer power: its loop vectoriser writes them out as
  // one product.
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = false;
  tuning.LoopInterleaving = false;
  auto build = [&](PassBuilder &builder) {
    if (optLevel >= 3)
      return builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3);
    ModulePassManager passes;
    cantFail(builder.parsePassPipeline(passes, leanPipeline));
    return passes;
  };
  runPasses(module, *machine, build, tuning);
}

/// Fails for an object that calls the support library of a compiler, of which
/// nothing is known where the object is linked. Its names begin with two
/// underscores, unlike those of the runtime, of libm and, but for this prefix,
/// of libmvec.
Error HostCompiler::checkSymbols(const MemoryBuffer &object) const {
  Expected<std::unique_ptr<object::ObjectFile>> file =
      object::ObjectFile::createObjectFile(object.getMemBufferRef());
  if (!file)
    return file.takeError();
  for (const object::SymbolRef &symbol : (*file)->symbols()) {
    Expected<uint32_t> flags = symbol.getFlags();
    if (!flags)
      return flags.takeError();
    if (!(*flags & object::SymbolRef::SF_Undefined))
      continue;
    Expected<StringRef> name = symbol.getName();
    if (!name)
      return name.takeError();
    if (name->starts_with("__"))
      return makeError("code for the processor '" + target.cpu +
                       "' needs the function '" + *name +
                       "' of a compiler's support library, which programs are "
                       "not linked with");
  }
  return Error::success();
}

Expected<std::unique_ptr<MemoryBuffer>>
HostCompiler::emitObject(Module &module) const {
  storeSingleLanes(module);
  expandCopySigns(module);
  SmallVector<char, 0> bytes;
  raw_svector_ostream os(bytes);
  legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, os, nullptr,
                                   CodeGenFileType::ObjectFile))
    return makeError("no object emission for '" + target.triple + "'");
  passes.run(module);
  auto object = std::make_unique<SmallVectorMemoryBuffer>(
      std::move(bytes), module.getModuleIdentifier(),
      /*RequiresNullTerminator=*/false);
  if (Error error = checkSymbols(*object))
    return std::move(error);
  return object;
}
