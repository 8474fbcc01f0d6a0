//===----------------------------------------------------------------------===//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// From a .pt2 file to a verified module.
//
//===----------------------------------------------------------------------===//

#include "coil/Import/Import.h"
#include "InlineWeights.h"
#include "ModuleBuilder.h"
#include "coil/Dialect/Graph/IR/Graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

using namespace llvm;
using namespace mlir;
using namespace coil;
using namespace coil::import;

void coil::import::registerImportDialects(DialectRegistry &registry) {
  registry.insert<func::FuncDialect, graph::GraphDialect, sym::SymDialect>();
}

Expected<OwningOpRef<ModuleOp>>
coil::import::buildModule(const ExportedProgram &program,
                          const WeightStore *weights, MLIRContext *context,
                          const Limits &limits, bool allowUncheckedGuards) {
  context
      ->loadDialect<func::FuncDialect, graph::GraphDialect, sym::SymDialect>();
  Expected<OwningOpRef<ModuleOp>> module =
      ModuleBuilder(program, weights, context, limits, allowUncheckedGuards)
          .run();
  if (!module)
    return module.takeError();
  // What the verifiers say becomes the error.
  std::string message;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    if (message.empty()) {
      raw_string_ostream os(message);
      if (auto name = dyn_cast<NameLoc>(diagnostic.getLocation()))
        os << "node " << quoted(name.getName()) << ": ";
      os << diagnostic;
    }
    return success();
  });
  if (failed(mlir::verify(**module))) {
    llvm::replace(message, '\n', ' ');
    return makeError("the program is not valid: " + message);
  }
  return module;
}

Expected<OwningOpRef<ModuleOp>>
coil::import::importProgramText(StringRef text, MLIRContext *context,
                                const Limits &limits) {
  ExportedProgram program;
  if (Error error = parseExportedProgram(text, limits, program))
    return std::move(error);
  return buildModule(program, /*weights=*/nullptr, context, limits);
}

/// Numbers that the program's author wrote as tensors (`torch.tensor(0.5)`) are
/// constants of the program, not weights: what operators do depends on them.
static Error inlineNumbers(ModuleOp module, const ExportedProgram &program,
                           const WeightStore &weights) {
  llvm::StringSet<> numbers;
  for (const InputSpec &spec : program.inputs) {
    if (spec.kind != InputSpec::Kind::TensorConstant)
      continue;
    const Weight *weight = weights.lookup(spec.fqn);
    if (weight && weight->sizes.empty())
      numbers.insert(spec.fqn);
  }
  return numbers.empty() ? Error::success()
                         : inlineWeights(module, weights, &numbers);
}

Expected<ImportedProgram>
coil::import::importExportedProgram(StringRef path, MLIRContext *context,
                                    const ImportOptions &options) {
  Expected<Package> package = Package::open(path, options.limits);
  if (!package)
    return package.takeError();
  Expected<StringRef> model = package->resolveModel(options.model);
  if (!model)
    return model.takeError();
  Expected<StringRef> text = package->getProgramText(*model);
  if (!text)
    return text.takeError();
  ExportedProgram program;
  if (Error error = parseExportedProgram(*text, options.limits, program))
    return makeError("models/" + *model +
                     ".json: " + toString(std::move(error)));

  ImportedProgram result;
  if (options.loadWeights) {
    Expected<std::unique_ptr<WeightStore>> weights =
        package->loadWeights(*model, options.limits, options.checkWeightCRC);
    if (!weights)
      return weights.takeError();
    result.weights = std::move(*weights);
  }
  Expected<OwningOpRef<ModuleOp>> module =
      buildModule(program, result.weights.get(), context, options.limits,
                  options.allowUncheckedGuards);
  if (!module)
    return module.takeError();
  result.module = std::move(*module);
  if (result.weights)
    if (Error error = inlineNumbers(*result.module, program, *result.weights))
      return std::move(error);
  return result;
}
