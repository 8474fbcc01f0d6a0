//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C API of the IR: contexts, modules, inferred types and diagnostics.
//
//===----------------------------------------------------------------------===//

#include "coil-c/IR.h"

#include "Result.h"
#include "coil/Driver/Driver.h"
#include "coil/Import/Import.h"
#include "coil/InitAllDialects.h"
#include "coil/InitAllPasses.h"
#include "coil/Plugins/Plugins.h"
#include "coil/Support/Registration.h"
#include "coil/Support/SourceText.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/Threading.h"

#include <deque>
#include <mutex>
#include <optional>
#include <string>

using namespace mlir;
using namespace coil;
using coil::capi::fail;
using coil::capi::finish;

//===----------------------------------------------------------------------===//
// Contexts and modules
//===----------------------------------------------------------------------===//

int32_t coil_ir_context_create(MlirContext *context, char **error) {
  static std::once_flag once;
  std::call_once(once, [] { registerAllPasses(); });
  *context = {nullptr};
  if (llvm::Error failure = loadPlugins())
    return finish(std::move(failure), COIL_API_LOAD, error);
  DialectRegistry registry;
  registerAllDialects(registry);
  import::registerImportDialects(registry);
  if (llvm::Error failure = checkRegistrations())
    return finish(std::move(failure), COIL_API_LOAD, error);
  *context = wrap(new MLIRContext(registry));
  return finish(llvm::Error::success(), COIL_API_OK, error);
}

int32_t coil_ir_module_parse(MlirContext context, const char *text,
                             size_t length, const char *name,
                             MlirModule *module, char **error) {
  *module = {nullptr};
  llvm::SourceMgr sources;
  llvm::StringRef buffer(text, length);
  if (std::optional<TextProblem> problem = findTextProblem(buffer)) {
    llvm::StringRef before = buffer.take_front(problem->offset);
    size_t line = before.count('\n') + 1;
    size_t column = problem->offset - (before.rfind('\n') + 1) + 1;
    emitError(FileLineColLoc::get(unwrap(context), name, unsigned(line),
                                  unsigned(column)))
        << problem->what;
    return fail(COIL_API_LOAD, "the text is not a valid module", error);
  }
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(buffer, name),
                             llvm::SMLoc());
  OwningOpRef<ModuleOp> parsed =
      parseSourceFile<ModuleOp>(sources, unwrap(context));
  if (!parsed)
    return fail(COIL_API_LOAD, "the text is not a valid module", error);
  *module = wrap(parsed.release());
  return finish(llvm::Error::success(), COIL_API_OK, error);
}

int32_t coil_ir_module_load(MlirContext context, const char *path,
                            MlirModule *module, char **error) {
  *module = {nullptr};
  llvm::SourceMgr sources;
  llvm::Expected<Program> program =
      loadProgram(path, /*weightsPath=*/"", sources, *unwrap(context));
  if (!program)
    return finish(program.takeError(), COIL_API_LOAD, error);
  *module = wrap(program->module.release());
  return finish(llvm::Error::success(), COIL_API_OK, error);
}

const char *coil_ir_module_stage(MlirModule module) {
  // Literals end with a zero.
  return stringifyStage(detectStage(unwrap(module))).data();
}

int32_t coil_ir_knows_operation(MlirContext context, MlirStringRef name,
                                int32_t may_load) {
  MLIRContext *ctx = unwrap(context);
  llvm::StringRef text = unwrap(name);
  if (may_load)
    ctx->getOrLoadDialect(text.split('.').first);
  return RegisteredOperationName::lookup(text, ctx).has_value();
}

//===----------------------------------------------------------------------===//
// Inferred types
//===----------------------------------------------------------------------===//

/// Operations have fewer results than this, unless they are variadic; those
/// cannot be verified without their types.
static constexpr unsigned kMaxResults = 8;

/// Whether the message of a verifier is about something else than results, or
/// what is in regions. Verifiers are generated from ODS, which fixes these
/// words and the order: numbers of regions, results and operands, then
/// attributes, operands, results, and then the rest.
static bool isAboutInputs(llvm::StringRef message) {
  return !message.contains("result") && !message.contains("region #");
}

/// Whether it is about the number of results.
static bool isAboutCount(llvm::StringRef message) {
  return message.contains("result") && !message.contains("result #") &&
         (message.contains("requires zero") ||
          message.contains("requires one") || message.contains("expected "));
}

/// Verifies operands and attributes by means of an operation whose results have
/// the type `none`: whatever its verifier says of results is beside the point.
static LogicalResult verifyInputs(const OperationState &state,
                                  unsigned numRegions) {
  Type none = NoneType::get(state.getContext());
  for (unsigned numResults = 0; numResults < kMaxResults; ++numResults) {
    OperationState probed(state.location, state.name, state.operands,
                          SmallVector<Type>(numResults, none),
                          state.attributes.getAttrs());
    for (unsigned i = 0; i < numRegions; ++i)
      probed.addRegion();
    Operation *op = Operation::create(probed);
    std::optional<std::string> message;
    {
      ScopedDiagnosticHandler handler(state.getContext(), [&](Diagnostic &d) {
        if (!message)
          message = d.str();
      });
      (void)state.name.verifyInvariants(op);
    }
    op->destroy();
    if (message && isAboutCount(*message))
      continue;
    if (message && isAboutInputs(*message))
      return emitError(state.location) << *message;
    return success();
  }
  return emitError(state.location)
         << "'" << state.name << "' has too many results to infer their types";
}

MlirOperation coil_ir_operation_create_inferred(
    MlirStringRef name, MlirLocation location, intptr_t num_operands,
    const MlirValue *operands, intptr_t num_attributes,
    const MlirNamedAttribute *attributes, intptr_t num_regions) {
  OperationState probed(unwrap(location), unwrap(name));
  for (intptr_t i = 0; i < num_operands; ++i)
    probed.operands.push_back(unwrap(operands[i]));
  for (intptr_t i = 0; i < num_attributes; ++i)
    probed.addAttribute(unwrap(attributes[i].name),
                        unwrap(attributes[i].attribute));
  if (!probed.name.hasInterface<InferTypeOpInterface>()) {
    emitError(probed.location)
        << "'" << probed.name << "' does not infer the types of its results";
    return {nullptr};
  }
  if (failed(verifyInputs(probed, unsigned(num_regions))))
    return {nullptr};
  MlirOperationState state = mlirOperationStateGet(name, location);
  mlirOperationStateAddOperands(&state, num_operands, operands);
  mlirOperationStateAddAttributes(&state, num_attributes, attributes);
  SmallVector<MlirRegion> regions;
  for (intptr_t i = 0; i < num_regions; ++i)
    regions.push_back(mlirRegionCreate());
  mlirOperationStateAddOwnedRegions(&state, num_regions, regions.data());
  mlirOperationStateEnableResultTypeInference(&state);
  return mlirOperationCreate(&state);
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

/// What `print` writes, in memory of malloc.
static char *toText(llvm::function_ref<void(llvm::raw_ostream &)> print) {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os);
  return strdup(text.c_str());
}

char *coil_ir_print_operation(MlirOperation op, MlirOpPrintingFlags flags) {
  return toText(
      [&](llvm::raw_ostream &os) { unwrap(op)->print(os, *unwrap(flags)); });
}

char *coil_ir_print_type(MlirType type) {
  return toText([&](llvm::raw_ostream &os) { unwrap(type).print(os); });
}

char *coil_ir_print_attribute(MlirAttribute attribute) {
  return toText([&](llvm::raw_ostream &os) { unwrap(attribute).print(os); });
}

char *coil_ir_print_value(MlirValue value) {
  return toText([&](llvm::raw_ostream &os) {
    unwrap(value).printAsOperand(os, OpPrintingFlags());
  });
}

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

struct coil_ir_diagnostics {
  explicit coil_ir_diagnostics(MLIRContext *context)
      : context(context), thread(llvm::get_threadid()) {
    id = context->getDiagEngine().registerHandler([this](Diagnostic &d) {
      if (llvm::get_threadid() != thread)
        return failure();
      add(d, /*isNote=*/false);
      for (Diagnostic &note : d.getNotes())
        add(note, /*isNote=*/true);
      return success();
    });
  }
  ~coil_ir_diagnostics() { context->getDiagEngine().eraseHandler(id); }

  void add(Diagnostic &d, bool isNote) {
    // Of MlirDiagnosticSeverity: error, warning, note, remark.
    int32_t severity = d.getSeverity() == DiagnosticSeverity::Error     ? 0
                       : d.getSeverity() == DiagnosticSeverity::Warning ? 1
                       : d.getSeverity() == DiagnosticSeverity::Note    ? 2
                                                                        : 3;
    all.push_back({severity, isNote, d.str(), d.getLocation()});
  }

  struct Kept {
    int32_t severity;
    bool isNote;
    std::string message;
    Location location;
  };

  MLIRContext *context;
  uint64_t thread;
  DiagnosticEngine::HandlerID id;
  std::deque<Kept> all;
};

coil_ir_diagnostics *coil_ir_diagnostics_begin(MlirContext context) {
  return new coil_ir_diagnostics(unwrap(context));
}

size_t coil_ir_diagnostics_count(const coil_ir_diagnostics *all) {
  return all->all.size();
}

void coil_ir_diagnostics_get(const coil_ir_diagnostics *all, size_t index,
                             coil_ir_diagnostic *diagnostic) {
  const auto &kept = all->all[index];
  diagnostic->severity = kept.severity;
  diagnostic->is_note = kept.isNote;
  diagnostic->message = kept.message.c_str();
  diagnostic->location = wrap(kept.location);
}

void coil_ir_diagnostics_end(coil_ir_diagnostics *all) { delete all; }
