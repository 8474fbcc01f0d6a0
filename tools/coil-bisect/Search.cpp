//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Search.h"

#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "coil/Driver/CompiledProgram.h"
#include "coil/Driver/Driver.h"
#include "coil/Pipelines/Extensions.h"
#include "coil/Pipelines/PassNames.h"
#include "coil/Reference/HostInterpreter.h"
#include "coil/Reference/Interpreter.h"
#include "coil/Support/Npy.h"
#include "coil/Support/OutputFile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Action.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cstdlib>
#include <map>
#include <sys/mman.h>

using namespace mlir;
using namespace coil;
using reference::Tensor;

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

static FailureOr<SmallVector<Tensor>> interpret(ModuleOp module, StringRef name,
                                                ArrayRef<Tensor> arguments) {
  Operation *function = module.lookupSymbol(name);
  if (auto host = dyn_cast_or_null<wrapper::FuncOp>(function))
    return reference::HostInterpreter().run(
        host, llvm::map_to_vector(arguments, [](const Tensor &tensor) {
          return reference::HostArgument{tensor, {}};
        }));
  if (auto graph = dyn_cast_or_null<func::FuncOp>(function))
    return reference::Interpreter().run(graph, arguments);
  return module.emitError() << "there is no function '" << name
                            << "' that the interpreter computes";
}

static std::optional<std::string> compareTensor(const Tensor &actual,
                                                const Tensor &expected,
                                                const SearchOptions &options) {
  reference::Tolerance tolerance =
      reference::getDefaultTolerance(expected.getDType());
  tolerance.relative = options.relative.value_or(tolerance.relative);
  tolerance.absolute = options.absolute.value_or(tolerance.absolute);
  return reference::compare(actual, expected, tolerance);
}

/// Says in what results differ.
static Outcome compareAll(ArrayRef<Tensor> actual, ArrayRef<Tensor> expected,
                          const SearchOptions &options, llvm::raw_ostream &os) {
  if (actual.size() != expected.size()) {
    os << actual.size() << " outputs in place of " << expected.size() << '\n';
    return Outcome::Wrong;
  }
  for (auto [i, a, e] : llvm::enumerate(actual, expected))
    if (std::optional<std::string> difference = compareTensor(a, e, options)) {
      os << "output " << i << ": " << *difference << '\n';
      return Outcome::Wrong;
    }
  return Outcome::Right;
}

//===----------------------------------------------------------------------===//
// Attempts
//===----------------------------------------------------------------------===//

namespace {

/// A number that children of the process change, too.
class SharedCount {
public:
  SharedCount()
      : value(static_cast<uint64_t *>(
            mmap(nullptr, sizeof(uint64_t), PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {}
  SharedCount(const SharedCount &) = delete;
  SharedCount &operator=(const SharedCount &) = delete;
  bool isValid() const { return value != MAP_FAILED; }
  uint64_t &get() { return *value; }

private:
  uint64_t *value;
};

} // namespace

/// Applications of patterns that the last attempt has tried.
static SharedCount &getTried() {
  static SharedCount tried;
  return tried;
}

/// Lets the context apply `limit` patterns, counts them, and says which the
/// last one is. The action is upstream's, which all pattern drivers execute.
static void limitPatterns(MLIRContext *context, uint64_t limit,
                          llvm::raw_ostream &os) {
  context->registerActionHandler([limit, &os](function_ref<void()> execute,
                                              const tracing::Action &action) {
    if (action.getTag() != "apply-pattern")
      return execute();
    uint64_t number = getTried().get()++;
    if (number >= limit)
      return;
    if (number + 1 == limit) {
      action.print(os);
      for (IRUnit unit : action.getContextIRUnits())
        if (auto *op = dyn_cast_if_present<Operation *>(unit))
          os << "\non '" << op->getName() << "' at " << op->getLoc();
      os << '\n';
    }
    execute();
  });
}

/// Runs a pass on a module.
static LogicalResult runStep(ModuleOp module, StringRef step,
                             llvm::raw_ostream &os) {
  PassManager pm(module.getContext(), ModuleOp::getOperationName());
  if (llvm::Error error = parsePipeline(step, pm)) {
    os << toString(std::move(error)) << '\n';
    return failure();
  }
  return pm.run(module);
}

Outcome Search::run(size_t count, std::optional<uint64_t> limit,
                    llvm::raw_ostream &os) const {
  OwningOpRef<ModuleOp> copy = ModuleOp(module).clone();
  for (size_t i = 0; i < count; ++i) {
    if (limit && i + 1 == count)
      limitPatterns(copy->getContext(), *limit, os);
    if (failed(runStep(*copy, steps[i], os)))
      return Outcome::Failed;
  }
  copy->getContext()->registerActionHandler(nullptr);
  FailureOr<SmallVector<Tensor>> results =
      interpret(*copy, options.function, arguments);
  if (failed(results))
    return Outcome::Failed;
  return compareAll(*results, expected, options, os);
}

TrialResult Search::attempt(size_t count, std::optional<uint64_t> limit) const {
  getTried().get() = 0;
  return runTrial(options.seconds,
                  [&](llvm::raw_ostream &os) { return run(count, limit, os); });
}

//===----------------------------------------------------------------------===//
// Searches
//===----------------------------------------------------------------------===//

std::string Search::prepare() {
  if (!getTried().isValid())
    return "out of memory";
  FailureOr<SmallVector<Tensor>> results =
      interpret(module, options.function, arguments);
  if (failed(results))
    return "the interpreter cannot compute the program";
  expected.assign(results->begin(), results->end());
  return "";
}

std::optional<Search::Found> Search::findPass() const {
  size_t right = 0, wrong = steps.size();
  if (wrong == 0)
    return std::nullopt;
  TrialResult result = attempt(wrong);
  if (result.outcome == Outcome::Right)
    return std::nullopt;
  while (wrong - right > 1) {
    size_t middle = right + (wrong - right) / 2;
    TrialResult tried = attempt(middle);
    if (tried.outcome == Outcome::Right) {
      right = middle;
    } else {
      wrong = middle;
      result = std::move(tried);
    }
  }
  return Found{wrong - 1, std::move(result)};
}

std::optional<Search::Application>
Search::findPattern(const Found &found) const {
  size_t count = found.step + 1;
  // With no pattern at all the pass has to be right, or it is not for them.
  if (attempt(count, UINT64_MAX).outcome == Outcome::Right)
    return std::nullopt;
  uint64_t all = getTried().get();
  if (all == 0 || attempt(count, 0).outcome != Outcome::Right)
    return std::nullopt;
  uint64_t right = 0, wrong = all;
  TrialResult result = attempt(count, wrong);
  while (wrong - right > 1) {
    uint64_t middle = right + (wrong - right) / 2;
    TrialResult tried = attempt(count, middle);
    if (tried.outcome == Outcome::Right) {
      right = middle;
    } else {
      wrong = middle;
      result = std::move(tried);
    }
  }
  std::string description = result.message;
  return Application{wrong - 1, all, std::move(description), std::move(result)};
}

std::string Search::print(size_t count) const {
  SmallString<128> path;
  if (llvm::sys::fs::createTemporaryFile("coil-bisect", "mlir", path))
    return "";
  runTrial(options.seconds, [&](llvm::raw_ostream &os) {
    OwningOpRef<ModuleOp> copy = ModuleOp(module).clone();
    for (size_t i = 0; i < count; ++i)
      if (failed(runStep(*copy, steps[i], os)))
        return Outcome::Failed;
    std::string text;
    llvm::raw_string_ostream stream(text);
    copy->print(stream, OpPrintingFlags().enableDebugInfo());
    llvm::consumeError(writeFile(path, text + "\n"));
    return Outcome::Right;
  });
  std::string text;
  if (auto file = llvm::MemoryBuffer::getFile(path))
    text = (*file)->getBuffer().str();
  llvm::sys::fs::remove(path);
  return text;
}

//===----------------------------------------------------------------------===//
// Steps of the compiled program
//===----------------------------------------------------------------------===//

/// The values that a run has saved, by step.
static std::map<std::string, std::string> listValues(StringRef directory) {
  std::map<std::string, std::string> files;
  std::error_code error;
  for (llvm::sys::fs::recursive_directory_iterator it(directory, error), end;
       it != end && !error; it.increment(error))
    if (StringRef(it->path()).ends_with(".npy"))
      files[llvm::sys::path::stem(it->path()).str()] = it->path();
  return files;
}

/// The first step whose saved value differs, or behind which there is none.
static std::string findFirstDifference(StringRef interpreted,
                                       StringRef compiled,
                                       const SearchOptions &options) {
  auto toTensor = [](const HostTensor &tensor) {
    return Tensor::fromStrided(static_cast<reference::DType>(tensor.getDType()),
                               tensor.getSizes(), tensor.getStrides(),
                               tensor.getData());
  };
  std::map<std::string, std::string> others = listValues(compiled);
  std::string last = "none";
  for (const auto &[name, file] : listValues(interpreted)) {
    auto found = others.find(name);
    if (found == others.end())
      return "the last step that has ended is " + last;
    last = name;
    llvm::Expected<HostTensor> expected = readNpy(file),
                               actual = readNpy(found->second);
    if (!expected || !actual) {
      llvm::consumeError(expected.takeError());
      llvm::consumeError(actual.takeError());
      continue;
    }
    if (std::optional<std::string> difference =
            compareTensor(toTensor(*actual), toTensor(*expected), options))
      return "the first value that differs is " + name + ": " + *difference;
  }
  return "";
}

/// The options of a text that the stage `native` reads.
static std::string keepNativeOptions(StringRef text) {
  std::string kept;
  llvm::Expected<GivenOptions> given = GivenOptions::parse(text);
  if (!given) {
    llvm::consumeError(given.takeError());
    return kept;
  }
  GivenOptions native;
  for (const OptionSpec &spec : getOptionSpecs())
    if (spec.scope == OptionScope::Pipeline &&
        spec.lastStage == Stage::Native && given->isGiven(spec.name) &&
        spec.constraint.kind != OptionKind::Passes)
      native.set(spec.name, given->get(spec.name));
  // Passes that are added behind the stage `wrapper`.
  std::vector<std::string> added;
  for (StringRef entry : llvm::split(given->get("insert-passes"), ';'))
    for (const ExtensionPointInfo &info : getExtensionPoints())
      if (info.name == entry.split(':').first.trim() &&
          getStage(info.part) == Stage::Native)
        added.push_back(entry.str());
  if (!added.empty())
    native.set("insert-passes", llvm::join(added, ";"));
  return native.str();
}

std::optional<TrialResult> Search::findStep(StringRef pipelineOptions) const {
  SmallString<128> folder;
  if (std::error_code error =
          llvm::sys::fs::createUniqueDirectory("coil-bisect", folder))
    return TrialResult{Outcome::Failed,
                       "cannot make a directory: " + error.message()};
  auto at = [&](StringRef name) {
    SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    return path.str().str();
  };
  std::string program = at("program.mlir"), interpreted = at("interpreted"),
              compiled = at("compiled");
  // Every step of this one saves its values. All arguments are passed.
  TrialResult planned =
      runTrial(options.seconds, [&](llvm::raw_ostream &os) -> Outcome {
        OwningOpRef<ModuleOp> copy = ModuleOp(module).clone();
        if (auto function = dyn_cast_or_null<FunctionOpInterface>(
                copy->lookupSymbol(options.function)))
          for (unsigned i = 0; i < function.getNumArguments(); ++i)
            for (StringRef name : {"graph.weight", "graph.random_state"})
              function.removeArgAttr(i, name);
        for (const std::string &step : steps)
          if (failed(runStep(*copy, step, os)))
            return Outcome::Failed;
        if (failed(
                runStep(*copy, "wrapper-insert-debug-values{values=save}", os)))
          return Outcome::Failed;
        std::string text;
        llvm::raw_string_ostream stream(text);
        copy->print(stream, OpPrintingFlags().enableDebugInfo());
        if (llvm::Error error = writeFile(program, text)) {
          os << toString(std::move(error)) << '\n';
          return Outcome::Failed;
        }
        setenv("COIL_DEBUG_VALUES_DIR", interpreted.c_str(), /*replace=*/1);
        FailureOr<SmallVector<Tensor>> results =
            interpret(*copy, options.function, arguments);
        return failed(results) ? Outcome::Failed : Outcome::Right;
      });
  TrialResult result = std::move(planned);
  if (result.outcome == Outcome::Right)
    result = runTrial(options.seconds, [&](llvm::raw_ostream &os) -> Outcome {
      setenv("COIL_DEBUG_VALUES_DIR", compiled.c_str(), /*replace=*/1);
      JITOptions jit;
      jit.function = options.function;
      jit.pipelineOptions = keepNativeOptions(pipelineOptions);
      auto made = CompiledProgram::compile(program, jit);
      if (!made) {
        os << toString(made.takeError()) << '\n';
        return Outcome::Failed;
      }
      std::vector<coil_tensor> views;
      std::vector<SmallVector<int64_t>> strides;
      strides.reserve(arguments.size());
      SmallVector<Tensor> inputs(arguments);
      for (Tensor &tensor : inputs) {
        strides.push_back(reference::getContiguousStrides(tensor.getSizes()));
        views.push_back({tensor.getData(), tensor.getSizes().data(),
                         strides.back().data(),
                         static_cast<int32_t>(tensor.getRank()),
                         static_cast<int32_t>(tensor.getDType()),
                         /*device_type=*/0, /*device_index=*/0});
      }
      llvm::Expected<RunResult> ran = (*made)->run(views);
      if (!ran) {
        os << toString(ran.takeError()) << '\n';
        return Outcome::Failed;
      }
      SmallVector<Tensor> results;
      for (const coil_tensor &view : ran->getOutputs()) {
        auto rank = static_cast<size_t>(view.rank);
        results.push_back(Tensor::fromStrided(
            static_cast<reference::DType>(view.dtype), {view.sizes, rank},
            {view.strides, rank}, view.data));
      }
      return compareAll(results, expected, options, os);
    });
  std::optional<TrialResult> found;
  if (result.outcome != Outcome::Right) {
    std::string where = findFirstDifference(interpreted, compiled, options);
    result.message += (where.empty() ? "" : "\n") + where;
    found = std::move(result);
  }
  llvm::sys::fs::remove_directories(folder);
  return found;
}
