//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C API of passes: pass managers with hooks, passes of other languages, and
// extensions of the pipelines.
//
//===----------------------------------------------------------------------===//

#include "coil-c/IR.h"

#include "Result.h"
#include "coil/Driver/Driver.h"
#include "coil/InitAllDialects.h"
#include "coil/InitAllPasses.h"
#include "coil/Pipelines/Extensions.h"
#include "coil/Pipelines/PassNames.h"
#include "coil/Pipelines/Pipelines.h"
#include "coil/Support/Error.h"
#include "coil/Support/Registration.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Pass.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/Action.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringExtras.h"

#include <atomic>
#include <deque>
#include <mutex>
#include <optional>

using namespace mlir;
using namespace coil;
using coil::capi::fail;
using coil::capi::finish;

/// Textual pipelines name passes of the registry.
static void registerPassesOnce() {
  static std::once_flag once;
  std::call_once(once, [] { registerAllPasses(); });
}

//===----------------------------------------------------------------------===//
// Pass managers
//===----------------------------------------------------------------------===//

namespace {
/// Adaptors between levels are no passes to users.
class HookInstrumentation : public PassInstrumentation {
public:
  explicit HookInstrumentation(coil_ir_pass_manager &manager)
      : manager(manager) {}
  void runBeforePass(Pass *pass, Operation *op) override;
  void runAfterPass(Pass *pass, Operation *op) override {
    finishPass(pass, op, /*failed=*/false);
  }
  void runAfterPassFailed(Pass *pass, Operation *op) override {
    finishPass(pass, op, /*failed=*/true);
  }

private:
  void finishPass(Pass *pass, Operation *op, bool failed);
  coil_ir_pass_manager &manager;
};
} // namespace

struct coil_ir_pass_manager {
  coil_ir_pass_manager(MLIRContext *context, llvm::StringRef opName)
      : passes(context, opName) {}
  PassManager passes;
  std::optional<coil_ir_pass_hooks> hooks;
  /// The thread that runs the passes, and whether those that remain are
  /// skipped.
  uint64_t runner = 0;
  std::atomic<bool> skips = false;
};

static llvm::StringRef getPassName(Pass *pass) {
  return pass->getArgument().empty() ? pass->getName() : pass->getArgument();
}

void HookInstrumentation::runBeforePass(Pass *pass, Operation *op) {
  if (pass->getArgument().empty() || manager.skips || !manager.hooks->before)
    return;
  if (manager.hooks->before(getPassName(pass).str().c_str(), wrap(op),
                            llvm::get_threadid() == manager.runner,
                            manager.hooks->user) != 0)
    manager.skips = true;
}

void HookInstrumentation::finishPass(Pass *pass, Operation *op, bool failed) {
  if (pass->getArgument().empty() || manager.skips || !manager.hooks->after)
    return;
  manager.hooks->after(getPassName(pass).str().c_str(), wrap(op), failed,
                       manager.hooks->user);
}

coil_ir_pass_manager *
coil_ir_pass_manager_create(MlirContext context, const char *op_name,
                            const coil_ir_pass_hooks *hooks) {
  auto *manager = new coil_ir_pass_manager(unwrap(context), op_name);
  if (hooks) {
    manager->hooks = *hooks;
    manager->passes.addInstrumentation(
        std::make_unique<HookInstrumentation>(*manager));
  }
  return manager;
}

void coil_ir_pass_manager_destroy(coil_ir_pass_manager *manager) {
  delete manager;
}

MlirPassManager coil_ir_pass_manager_get(coil_ir_pass_manager *manager) {
  return wrap(&manager->passes);
}

char *coil_ir_pass_manager_print(coil_ir_pass_manager *manager) {
  std::string text;
  llvm::raw_string_ostream os(text);
  manager->passes.printAsTextualPipeline(os);
  return strdup(text.c_str());
}

int32_t coil_ir_pass_manager_add(coil_ir_pass_manager *manager,
                                 const char *pipeline, char **error) {
  registerPassesOnce();
  return finish(parsePipeline(pipeline, manager->passes), COIL_API_USAGE,
                error);
}

int32_t coil_ir_pass_manager_add_stages(coil_ir_pass_manager *manager,
                                        MlirModule module, const char *to,
                                        const char *options, char **error) {
  registerPassesOnce();
  std::optional<Stage> last = symbolizeStage(to);
  if (!last) {
    llvm::SmallVector<llvm::StringRef> names(
        llvm::iterator_range(getStageNames().begin(), getStageNames().end()));
    return fail(COIL_API_USAGE,
                "there is no stage '" + llvm::StringRef(to) + "'" +
                    suggestName(to, names) + " (" + llvm::join(names, ", ") +
                    ")",
                error);
  }
  Stage from = detectStage(unwrap(module));
  if (*last < from)
    return fail(COIL_API_USAGE,
                "the module is at the stage '" + stringifyStage(from) +
                    "', which is after '" + stringifyStage(*last) + "'",
                error);
  CompilePipelineOptions parsed;
  if (llvm::Error wrong = checkStageOptions(options, from, *last))
    return finish(std::move(wrong), COIL_API_USAGE, error);
  if (llvm::Error wrong = checkInsertedPasses(options, from, *last))
    return finish(std::move(wrong), COIL_API_USAGE, error);
  if (llvm::Error wrong = parseOptions(parsed, options))
    return finish(std::move(wrong), COIL_API_USAGE, error);
  if (llvm::Error wrong = resolveOptions(parsed))
    return finish(std::move(wrong), COIL_API_USAGE, error);
  if (from == Stage::Input && *last > Stage::Input)
    buildPreparation(manager->passes, unwrap(module));
  for (int i = static_cast<int>(from) + 1; i <= static_cast<int>(*last); ++i)
    buildStagePipeline(manager->passes, static_cast<Stage>(i), parsed);
  return finish(llvm::Error::success(), COIL_API_OK, error);
}

int32_t coil_ir_pass_manager_run(coil_ir_pass_manager *manager,
                                 MlirOperation op, char **error) {
  MLIRContext *context = unwrap(op)->getContext();
  manager->runner = llvm::get_threadid();
  manager->skips = false;
  // Hooks stop a run through the handler of actions, unless a user of MLIR's
  // debugging has one: then only Python's own passes stop.
  bool handles = manager->hooks && !context->hasActionHandler();
  if (handles)
    context->registerActionHandler(
        [manager](llvm::function_ref<void()> run, const tracing::Action &) {
          if (!manager->skips)
            run();
        });
  LogicalResult result = manager->passes.run(unwrap(op));
  if (handles)
    context->registerActionHandler(nullptr);
  if (failed(result))
    return fail(COIL_API_LOAD, "the pass manager failed", error);
  return finish(llvm::Error::success(), COIL_API_OK, error);
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

namespace {

/// A pass that was registered: as long as the process, since compilations keep
/// pass managers.
struct RegisteredPass {
  std::string name, description;
  std::optional<std::string> opName;
  coil_ir_pass_fn run;
  void *user;
  TypeID id;
};

class CallbackPass : public Pass {
public:
  explicit CallbackPass(const RegisteredPass &registered)
      : Pass(registered.id, registered.opName ? std::optional<llvm::StringRef>(
                                                    *registered.opName)
                                              : std::nullopt),
        registered(registered) {}

protected:
  llvm::StringRef getName() const override { return registered.name; }
  llvm::StringRef getArgument() const override { return registered.name; }
  llvm::StringRef getDescription() const override {
    return registered.description;
  }
  /// The callback may create any operation, and passes cannot load dialects.
  void getDependentDialects(DialectRegistry &registry) const override {
    registerAllDialects(registry);
  }
  bool canScheduleOn(RegisteredOperationName name) const override {
    return !registered.opName || name.getStringRef() == *registered.opName;
  }
  void runOnOperation() override {
    if (registered.run(wrap(getOperation()), registered.user) != 0)
      signalPassFailure();
  }
  std::unique_ptr<Pass> clonePass() const override {
    return std::make_unique<CallbackPass>(registered);
  }

private:
  const RegisteredPass &registered;
};

} // namespace

static bool isPassName(llvm::StringRef name) {
  return !name.empty() && llvm::all_of(name, [](char c) {
    return llvm::isAlnum(c) || c == '-' || c == '_' || c == '.';
  });
}

int32_t coil_ir_pass_register(const char *name, const char *description,
                              const char *op_name, coil_ir_pass_fn run,
                              void *user, char **error) {
  registerPassesOnce();
  if (!name || !isPassName(name) || !run)
    return fail(COIL_API_USAGE,
                "a pass needs a function and a name of letters, digits and "
                "dashes",
                error);
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  if (PassInfo::lookup(name) || PassPipelineInfo::lookup(name))
    return fail(COIL_API_USAGE,
                "there is a pass '" + llvm::StringRef(name) + "' already",
                error);
  static auto *allocator = new TypeIDAllocator;
  static auto *all = new std::deque<RegisteredPass>;
  RegisteredPass &registered = all->emplace_back();
  registered.name = name;
  registered.description = description ? description : "";
  if (op_name)
    registered.opName = op_name;
  registered.run = run;
  registered.user = user;
  registered.id = allocator->allocate();
  registerPass(
      [&registered] { return std::make_unique<CallbackPass>(registered); });
  noteRegistration();
  return finish(llvm::Error::success(), COIL_API_OK, error);
}

int32_t coil_ir_pipeline_extension_register(const char *point, const char *name,
                                            const char *pipeline,
                                            char **error) {
  registerPassesOnce();
  llvm::Expected<ExtensionPoint> parsed = parseExtensionPoint(point);
  if (!parsed)
    return finish(parsed.takeError(), COIL_API_USAGE, error);
  OpPassManager tried("builtin.module");
  if (llvm::Error wrong = parsePipeline(pipeline, tried))
    return finish(std::move(wrong), COIL_API_USAGE, error);
  if (hasPipelineExtension(*parsed, name))
    return fail(COIL_API_USAGE,
                "there is an extension '" + llvm::StringRef(name) + "' at '" +
                    llvm::StringRef(point) + "' already",
                error);
  registerPipelineExtension(
      *parsed, name,
      [text = std::string(pipeline)](OpPassManager &pm,
                                     const CompilePipelineOptions &) {
        // It parsed when it was registered, and passes are never removed.
        llvm::cantFail(parsePipeline(text, pm));
      });
  return finish(llvm::Error::success(), COIL_API_OK, error);
}
