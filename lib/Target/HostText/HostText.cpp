//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Translations of host programs to text.
//
//===----------------------------------------------------------------------===//

#include "coil/Target/HostText.h"

#include "coil/InitAllDialects.h"
#include "coil/Support/Registration.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-translate/Translation.h"

using namespace mlir;

/// The languages that Coil writes itself.
static constexpr llvm::StringLiteral kOwnLanguages[] = {"mlir", "python", "fx",
                                                        "cpp"};

/// Never destroyed: plugins register at any time.
static coil::NamedRegistry<coil::RegisteredEmitter> &getRegistry() {
  static auto *registry =
      new coil::NamedRegistry<coil::RegisteredEmitter>("emitter");
  return *registry;
}

void coil::registerHostEmitter(StringRef name, StringRef description,
                               HostEmitterFunction emit) {
  const void *caller = __builtin_return_address(0);
  if (llvm::is_contained(kOwnLanguages, name))
    return reportRegistrationError("emitter '" + name +
                                   "' is registered twice: by 'Coil' and by '" +
                                   getRegistrationOrigin(caller) + "'");
  getRegistry().add(name, {name.str(), description.str(), std::move(emit)},
                    caller);
}

std::vector<coil::RegisteredEmitter> coil::getRegisteredEmitters() {
  std::vector<RegisteredEmitter> emitters;
  for (auto &entry : getRegistry().getEntries())
    emitters.push_back(std::move(entry.value));
  return emitters;
}

std::vector<std::string> coil::getEmitterNames() {
  std::vector<std::string> names;
  for (StringRef name : kOwnLanguages)
    names.push_back(name.str());
  for (const RegisteredEmitter &emitter : getRegisteredEmitters())
    names.push_back(emitter.name);
  return names;
}

void coil::registerHostTextTranslations() {
  // Never destroyed: the registry refers to the descriptions.
  auto &emitters = *new std::vector<RegisteredEmitter>(getRegisteredEmitters());
  for (const RegisteredEmitter &emitter : emitters)
    TranslateFromMLIRRegistration(
        "wrapper-to-" + emitter.name, emitter.description,
        [emit = emitter.emit](ModuleOp module, llvm::raw_ostream &os) {
          return emit(module, os, "");
        },
        [](DialectRegistry &registry) { registerAllDialects(registry); });
  TranslateFromMLIRRegistration python(
      "wrapper-to-python", "write host programs as a Python module",
      [](ModuleOp module, llvm::raw_ostream &os) {
        return emitPython(module, os);
      },
      [](DialectRegistry &registry) { registerAllDialects(registry); });
  TranslateFromMLIRRegistration fx(
      "wrapper-to-fx",
      "write host programs as Python that builds torch.fx graphs",
      [](ModuleOp module, llvm::raw_ostream &os) { return emitFX(module, os); },
      [](DialectRegistry &registry) { registerAllDialects(registry); });
  TranslateFromMLIRRegistration cpp(
      "wrapper-to-cpp",
      "write host programs with lowered kernels as C++, files after one "
      "another as split-file takes them",
      [](ModuleOp module, llvm::raw_ostream &os) -> LogicalResult {
        std::vector<EmittedFile> files;
        if (failed(emitCpp(module, files)))
          return failure();
        for (const EmittedFile &file : files)
          os << "//--- " << file.name << '\n' << file.text;
        return success();
      },
      [](DialectRegistry &registry) {
        registerAllDialects(registry);
        registry.insert<LLVM::LLVMDialect>();
      });
}
