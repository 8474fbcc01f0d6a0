//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// coil-fuzz: makes random programs, runs each in the reference interpreter,
// again after pass pipelines and as machine code, and compares the results. Or
// compiles them for any target, and sees that no compiler crashes.
//
//===----------------------------------------------------------------------===//

#include "../common/Tool.h"

#include "RandomProgram.h"
#include "RandomSchedule.h"
#include "coil/Dialect/Graph/IR/Graph.h"
#include "coil/ExecutionEngine/Engine.h"
#include "coil/InitAllDialects.h"
#include "coil/InitAllPasses.h"
#include "coil/Pipelines/Pipelines.h"
#include "coil/Reference/Interpreter.h"
#include "coil/Runtime/Library.h"
#include "coil/Support/Libraries.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <cmath>
#include <cstring>

#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace coil;
using reference::DType;
using reference::Tensor;
namespace cl = llvm::cl;

static cl::OptionCategory category("coil-fuzz options");
static cl::opt<uint64_t> firstSeed("seed", cl::cat(category), cl::init(1),
                                   cl::desc("Number of the first program"));
static cl::opt<unsigned> count("count", cl::cat(category), cl::init(100),
                               cl::desc("Programs to run"));
static cl::opt<unsigned> maxOps("max-ops", cl::cat(category), cl::init(12),
                                cl::desc("Operators of a program at most"));
static cl::opt<int64_t> maxElements("max-elements", cl::cat(category),
                                    cl::init(600),
                                    cl::desc("Elements of a tensor at most"));
static cl::list<std::string>
    dtypes("dtypes", cl::cat(category), cl::CommaSeparated,
           cl::desc("Element types to use, such as f32,ui8 (default: all)"));
static cl::opt<bool> symbols("symbols", cl::cat(category), cl::init(true),
                             cl::desc("Whether sizes may be symbolic"));
static cl::opt<bool>
    ordered("ordered", cl::cat(category), cl::init(true),
            cl::desc("Whether to draw scans and writes at positions"));
static cl::list<std::string>
    pipelines("pipeline", cl::cat(category),
              cl::desc("Pass pipeline to run on the program before it is "
                       "interpreted again; may be repeated"));
static cl::list<std::string>
    runs("run", cl::cat(category), cl::ValueOptional,
         cl::desc("Compile the program and run it, with these options of the "
                  "pipelines, such as 'library=none vector-bits=256' or "
                  "'target=cuda:sm_90a'; may be repeated"));
static cl::list<std::string> compiles(
    "compile", cl::cat(category), cl::ValueOptional,
    cl::desc(
        "Compile the program with these options of the pipelines, down to "
        "machine code, or to PTX for a GPU, and run nothing; may be "
        "repeated. Each program is compiled in a process of its own, whose "
        "end by a signal, by a status of its own or for want of time is a "
        "failure"));
static cl::opt<unsigned> timeLimit("time-limit", cl::cat(category),
                                   cl::init(120),
                                   cl::desc("Seconds for one of --compile"));
static cl::opt<int32_t> graphs(
    "graphs", cl::cat(category), cl::init(0),
    cl::desc("Calls and partitions that --run keeps as CUDA graphs: then "
             "the fourth call is compared"));
static cl::opt<unsigned> schedules(
    "schedules", cl::cat(category), cl::init(0),
    cl::desc("Variants of each --run whose kernels have schedules drawn at "
             "random. One that a pass refuses is no failure"));
static cl::opt<unsigned> optLevel("O", cl::cat(category), cl::Prefix,
                                  cl::init(2),
                                  cl::desc("Optimisation level of --run"));
static cl::opt<unsigned> maxFailures("max-failures", cl::cat(category),
                                     cl::init(10),
                                     cl::desc("Stop after this many failures"));
static cl::opt<bool>
    sabotage("sabotage", cl::cat(category),
             cl::desc("Exchange one operator before the pipelines run, and "
                      "count how often the comparison notices"));
static cl::opt<bool> print("print", cl::cat(category),
                           cl::desc("Print every program"));

//===----------------------------------------------------------------------===//
// Noise
//===----------------------------------------------------------------------===//

namespace {

/// Changes floats by a few units in the last place where another correct
/// implementation may: in the results of functions and of sums in another
/// order, and in what is summed. How far the program's results move then says
/// how far apart correct results can be.
class Noise {
public:
  explicit Noise(uint64_t seed) : state(seed) {}

  void operator()(Operation *op, bool isBefore,
                  llvm::MutableArrayRef<Tensor> tensors) {
    static const llvm::StringSet<> functions = {
        "graph.exp",   "graph.exp2",  "graph.expm1",   "graph.log",
        "graph.log2",  "graph.log10", "graph.log1p",   "graph.sin",
        "graph.cos",   "graph.tan",   "graph.asin",    "graph.acos",
        "graph.atan",  "graph.sinh",  "graph.cosh",    "graph.tanh",
        "graph.asinh", "graph.acosh", "graph.atanh",   "graph.erf",
        "graph.erfc",  "graph.rsqrt", "graph.sigmoid", "graph.pow",
        "graph.atan2", "graph.hypot", "graph.special"};
    static const llvm::StringSet<> sums = {
        "graph.reduce", "graph.welford", "graph.scan",     "graph.matmul",
        "graph.conv",   "graph.pool",    "graph.attention"};
    StringRef name = op->getName().getStringRef();
    bool isSum = sums.contains(name);
    if (!isSum && (isBefore || !functions.contains(name)))
      return;
    // Attention rounds its probabilities to the element type.
    bool all = !isBefore || name == "graph.attention";
    for (Tensor &tensor : tensors)
      if (reference::isFloat(tensor.getDType()))
        tensor = perturb(tensor, isBefore ? 1 : 3, all);
  }

private:
  uint64_t next() {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return state >> 33;
  }

  /// In 16 bits, one unit is many of the type that is computed in: only
  /// `sixteen` changes them.
  Tensor perturb(const Tensor &tensor, int units, bool sixteen) {
    Tensor result(tensor.getDType(), tensor.getSizes());
    DType dtype = tensor.getDType();
    bool is16 = dtype == DType::F16 || dtype == DType::BF16;
    for (int64_t i = 0; i < tensor.getNumElements(); ++i) {
      double value = tensor.get(i).f;
      // Never none: a value that is not moved says nothing of the error.
      bool up = next() % 2;
      int amount = is16 ? sixteen : 1 + static_cast<int>(next() % units);
      if (!up)
        amount = -amount;
      double step = dtype == DType::F64    ? 0x1p-52
                    : dtype == DType::F32  ? 0x1p-23
                    : dtype == DType::BF16 ? 0x1p-7
                                           : 0x1p-10;
      if (std::isfinite(value))
        value += value * step * amount;
      result.set(i, reference::makeFloat(value));
    }
    return result;
  }

  uint64_t state;
};

} // namespace

/// Exchanges a random operator of the program for another that gives other
/// results; false when it has none to exchange.
static bool exchangeOperator(ModuleOp module, uint64_t seed) {
  static const std::pair<StringRef, StringRef> exchanges[] = {
      {"graph.add", "graph.sub"},
      {"graph.sub", "graph.add"},
      {"graph.mul", "graph.add"},
      {"graph.maximum", "graph.minimum"},
      {"graph.minimum", "graph.maximum"},
      {"graph.exp", "graph.expm1"},
      {"graph.floor", "graph.ceil"},
      {"graph.sin", "graph.cos"},
      {"graph.fmod", "graph.remainder"},
      {"graph.trunc_div", "graph.floor_div"},
      {"graph.bitwise_and", "graph.bitwise_or"}};
  SmallVector<std::pair<Operation *, StringRef>> candidates;
  module.walk([&](Operation *op) {
    for (auto [from, to] : exchanges)
      if (op->getName().getStringRef() == from)
        candidates.push_back({op, to});
    if (isa<graph::ReduceOp, graph::CompareOp, graph::SelectOp,
            graph::PermuteOp>(op))
      candidates.push_back({op, ""});
  });
  if (candidates.empty())
    return false;
  auto [op, name] =
      candidates[seed * 0x9e3779b97f4a7c15ull % candidates.size()];
  if (!name.empty()) {
    OpBuilder builder(op);
    Operation *other =
        builder.create(op->getLoc(), StringAttr::get(op->getContext(), name),
                       op->getOperands(), op->getResultTypes());
    op->replaceAllUsesWith(other);
    op->erase();
  } else if (auto reduce = dyn_cast<graph::ReduceOp>(op)) {
    bool isBool = reduce.getKind() == graph::ReduceKind::Any ||
                  reduce.getKind() == graph::ReduceKind::All;
    bool isMax = reduce.getKind() == graph::ReduceKind::Max;
    reduce.setKind(reduce.getKind() == graph::ReduceKind::Any
                       ? graph::ReduceKind::All
                   : isBool ? graph::ReduceKind::Any
                   : isMax  ? graph::ReduceKind::Min
                            : graph::ReduceKind::Max);
  } else if (auto compare = dyn_cast<graph::CompareOp>(op)) {
    compare.setPredicate(static_cast<graph::ComparePredicate>(
        static_cast<uint32_t>(compare.getPredicate()) ^ 1));
  } else if (auto select = dyn_cast<graph::SelectOp>(op)) {
    Value x = select.getTrueValue();
    select.getTrueValueMutable().assign(select.getFalseValue());
    select.getFalseValueMutable().assign(x);
  } else {
    return false;
  }
  return true;
}

namespace {

/// What the results of a program are, and how far each element may be off.
struct Expected {
  SmallVector<Tensor> results;
  /// Infinite where the program amplifies noise to anything.
  std::vector<std::vector<double>> allowed;
};

} // namespace

//===----------------------------------------------------------------------===//
// Running and comparing
//===----------------------------------------------------------------------===//

namespace {

class Fuzzer {
public:
  explicit Fuzzer(MLIRContext &context) : context(context) {}

  LogicalResult parsePipelines() {
    for (const std::string &text : pipelines) {
      FailureOr<OpPassManager> parsed = parsePassPipeline(text);
      if (failed(parsed))
        return failure();
      if (parsed->getOpAnchorName() != ModuleOp::getOperationName()) {
        llvm::WithColor::error() << "'" << text << "' is not a pipeline on "
                                 << "'builtin.module'\n";
        return failure();
      }
      auto manager = std::make_unique<PassManager>(&context);
      static_cast<OpPassManager &>(*manager) = std::move(*parsed);
      managers.push_back(std::move(manager));
    }
    return success(succeeded(addCompilers(runs, compilers)) &&
                   succeeded(addCompilers(compiles, onlyCompilers)));
  }

  /// Runs one program; returns whether everything agreed.
  bool runProgram(uint64_t seed, const testing::ProgramOptions &options);

  void printSummary() {
    llvm::outs() << programs << " programs, " << failures << " failures, "
                 << elements << " result elements, of them " << loose
                 << " too sensitive to compare and " << poisoned
                 << " not finite\n";
    if (schedules)
      llvm::outs() << scheduled << " schedules ran, " << refused
                   << " refused\n";
    if (sabotage)
      llvm::outs() << "noticed " << failures << " of " << sabotaged
                   << " exchanged operators\n";
  }
  unsigned failures = 0;

private:
  /// The pipelines to the host program, whose kernels have schedules, and from
  /// there to machine code.
  struct Compiler {
    std::unique_ptr<PassManager> toWrapper, toNative;

    LogicalResult run(ModuleOp module) {
      return failure(failed(toWrapper->run(module)) ||
                     failed(toNative->run(module)));
    }
  };

  LogicalResult addCompilers(ArrayRef<std::string> list,
                             std::vector<Compiler> &compilers) {
    for (const std::string &text : list) {
      CompilePipelineOptions options;
      if (llvm::Error error = parseOptions(options, text)) {
        llvm::WithColor::error() << toString(std::move(error)) << "\n";
        return failure();
      }
      Compiler compiler{std::make_unique<PassManager>(&context),
                        std::make_unique<PassManager>(&context)};
      for (Stage stage : {Stage::Graph, Stage::Loop, Stage::Wrapper})
        buildStagePipeline(*compiler.toWrapper, stage, options);
      buildStagePipeline(*compiler.toNative, Stage::Native, options);
      compilers.push_back(std::move(compiler));
    }
    return success();
  }
  /// Compiles a copy of the program in another process, and runs nothing.
  std::optional<std::string> compileOnly(ModuleOp module, Compiler &compiler);
  FailureOr<SmallVector<Tensor>> interpret(ModuleOp module,
                                           ArrayRef<Tensor> inputs,
                                           std::optional<uint64_t> noise);
  bool expect(ModuleOp module, ArrayRef<Tensor> inputs, Expected &expected);
  std::optional<std::string> compare(ArrayRef<Tensor> actual,
                                     const Expected &expected);
  /// Runs what is compiled.
  std::optional<std::string> runCompiled(ModuleOp module,
                                         ArrayRef<Tensor> inputs,
                                         const Expected &expected);
  /// Compiles and runs `wrapper` with each of the schedules that are drawn.
  std::optional<std::string> runSchedules(ModuleOp wrapper, uint64_t seed,
                                          Compiler &compiler,
                                          ArrayRef<Tensor> inputs,
                                          const Expected &expected);
  bool report(uint64_t seed, ModuleOp module, const llvm::Twine &what,
              ModuleOp transformed = nullptr);

  MLIRContext &context;
  std::vector<std::unique_ptr<PassManager>> managers;
  std::vector<Compiler> compilers, onlyCompilers;
  std::string diagnostics;
  unsigned programs = 0, sabotaged = 0, scheduled = 0, refused = 0;
  int64_t elements = 0, loose = 0, poisoned = 0;
};

} // namespace

FailureOr<SmallVector<Tensor>>
Fuzzer::interpret(ModuleOp module, ArrayRef<Tensor> inputs,
                  std::optional<uint64_t> noise) {
  auto function = module.lookupSymbol<func::FuncOp>("main");
  reference::InterpreterOptions options;
  options.maxSteps = int64_t(1) << 32;
  options.maxBytes = int64_t(1) << 32;
  if (noise)
    options.observer = Noise(*noise);
  return reference::Interpreter(options).run(function, inputs);
}

bool Fuzzer::expect(ModuleOp module, ArrayRef<Tensor> inputs,
                    Expected &expected) {
  auto results = interpret(module, inputs, std::nullopt);
  if (failed(results))
    return false;
  expected.results = *results;
  for (const Tensor &result : *results) {
    reference::Tolerance base =
        reference::getDefaultTolerance(result.getDType());
    std::vector<double> allowed(result.getNumElements());
    for (int64_t i = 0; i < result.getNumElements(); ++i)
      if (reference::isFloat(result.getDType()))
        allowed[i] = base.absolute + base.relative * std::fabs(result.get(i).f);
    expected.allowed.push_back(std::move(allowed));
  }
  for (uint64_t noise = 1; noise <= 3; ++noise) {
    auto moved = interpret(module, inputs, noise);
    // Noise may push an argument out of a domain; then nothing is known.
    if (failed(moved))
      continue;
    for (auto [result, other, allowed] :
         llvm::zip(*results, *moved, expected.allowed)) {
      bool isFloat = reference::isFloat(result.getDType());
      for (int64_t i = 0; i < result.getNumElements(); ++i) {
        double a = result.get(i).f, b = other.get(i).f;
        if (!isFloat) {
          if (result.get(i).i != other.get(i).i)
            allowed[i] = HUGE_VAL;
        } else if (std::isfinite(a) && std::isfinite(b)) {
          allowed[i] += 8 * std::fabs(a - b);
        } else if (!(a == b || (std::isnan(a) && std::isnan(b)))) {
          allowed[i] = HUGE_VAL;
        }
      }
    }
  }
  for (auto [result, allowed] : llvm::zip(*results, expected.allowed))
    for (int64_t i = 0; i < result.getNumElements(); ++i) {
      ++elements;
      bool isFloat = reference::isFloat(result.getDType());
      poisoned += isFloat && !std::isfinite(result.get(i).f);
      loose += allowed[i] > (isFloat ? 0.1 + std::fabs(result.get(i).f) : 0);
    }
  return true;
}

std::optional<std::string> Fuzzer::compare(ArrayRef<Tensor> actual,
                                           const Expected &expected) {
  if (actual.size() != expected.results.size())
    return std::string("gives another number of results");
  for (auto [k, a] : llvm::enumerate(actual)) {
    const Tensor &e = expected.results[k];
    // Elements within what noise does count as equal.
    Tensor near = a.getSizes() == e.getSizes() && a.getDType() == e.getDType()
                      ? Tensor(a.getDType(), a.getSizes())
                      : a;
    if (near.getData() != a.getData())
      for (int64_t i = 0; i < a.getNumElements(); ++i) {
        double allowed = expected.allowed[k][i];
        bool isFloat = reference::isFloat(a.getDType());
        bool isClose =
            allowed == HUGE_VAL ||
            (isFloat && std::fabs(a.get(i).f - e.get(i).f) <= allowed);
        near.set(i, isClose ? e.get(i) : a.get(i));
      }
    if (auto message = reference::compare(near, e, {}))
      return "result " + std::to_string(k) + ": " + *message;
  }
  return std::nullopt;
}

std::optional<std::string> Fuzzer::runCompiled(ModuleOp module,
                                               ArrayRef<Tensor> inputs,
                                               const Expected &expected) {
  EngineOptions options;
  options.threads = 1;
  options.optLevel = optLevel;
  options.graphs = graphs;
  auto engine = Engine::create(module, options);
  if (!engine)
    return "linking fails: " + llvm::toString(engine.takeError());
  // Exact copies of the inputs, to see whether the program writes to them.
  std::vector<Tensor> copies;
  std::vector<SmallVector<int64_t>> strides;
  std::vector<coil_tensor> views;
  strides.reserve(inputs.size());
  for (const Tensor &input : inputs) {
    strides.push_back(reference::getContiguousStrides(input.getSizes()));
    copies.push_back(Tensor::fromStrided(input.getDType(), input.getSizes(),
                                         strides.back(), input.getData()));
  }
  for (auto [i, input] : llvm::enumerate(inputs))
    views.push_back({copies[i].getData(), input.getSizes().data(),
                     strides[i].data(), static_cast<int32_t>(input.getRank()),
                     static_cast<int32_t>(input.getDType()), COIL_CPU, 0});
  RunOptions runOptions;
  runOptions.hostOutputs = true;
  llvm::Expected<RunResult> result = (*engine)->run(views, runOptions);
  for (int again = 0; graphs != 0 && again < 3 && result; ++again)
    result = (*engine)->run(views, runOptions);
  if (!result)
    return "the run fails: " + llvm::toString(result.takeError());
  if (graphs != 0) {
    GraphReport graphReport = (*engine)->getGraphReport();
    if (!graphReport.failures.empty())
      return "a partition is not kept: " + graphReport.failures.front().reason;
  }
  SmallVector<Tensor> actual;
  for (const coil_tensor &output : result->getOutputs())
    actual.push_back(Tensor::fromStrided(
        static_cast<DType>(output.dtype), ArrayRef(output.sizes, output.rank),
        ArrayRef(output.strides, output.rank), output.data));
  for (auto [i, input] : llvm::enumerate(inputs))
    if (std::memcmp(input.getData(), copies[i].getData(),
                    input.getNumElements() *
                        reference::getByteSize(input.getDType())))
      return "writes to input " + std::to_string(i);
  // Memory is looked at when it is freed.
  std::optional<RunResult>(std::move(*result)).reset();
  if (coil_debug_overruns())
    return std::string("writes past the end of a buffer");
  return compare(actual, expected);
}

std::optional<std::string> Fuzzer::runSchedules(ModuleOp wrapper, uint64_t seed,
                                                Compiler &compiler,
                                                ArrayRef<Tensor> inputs,
                                                const Expected &expected) {
  for (unsigned variant = 0; variant < schedules; ++variant) {
    llvm::PrettyStackTraceFormat trace("schedules of variant %u", variant);
    OwningOpRef<ModuleOp> other = wrapper.clone();
    if (testing::drawSchedules(*other, seed * schedules + variant) == 0)
      return std::nullopt;
    std::string text;
    llvm::raw_string_ostream(text) << *other;
    if (print) {
      llvm::outs() << "// schedules of variant " << variant << "\n" << text;
      llvm::outs().flush();
    }
    diagnostics.clear();
    if (failed(compiler.toNative->run(*other))) {
      // Of the schedule, or of what a pass made with it?
      bool isRefusal = !diagnostics.empty();
      for (StringRef line : llvm::split(StringRef(diagnostics).trim(), '\n'))
        isRefusal &= line.contains("'loop.kernel' op ");
      if (!isRefusal)
        return "a pass fails with the schedules of\n" + text;
      ++refused;
      if (print)
        llvm::outs() << "// refused: " << diagnostics;
      continue;
    }
    ++scheduled;
    if (auto problem = runCompiled(*other, inputs, expected))
      return *problem + "\n// with the schedules of\n" + text;
  }
  return std::nullopt;
}

std::optional<std::string> Fuzzer::compileOnly(ModuleOp module,
                                               Compiler &compiler) {
  llvm::outs().flush();
  pid_t child = fork();
  if (child < 0)
    return std::string("no process can be started: ") + std::strerror(errno);
  if (child == 0) {
    // Nothing of this process is left but its status: a handler could hang.
    alarm(timeLimit);
    auto fail = [&](const llvm::Twine &what) {
      llvm::errs() << diagnostics << what << "\n";
      llvm::errs().flush();
      _exit(1);
    };
    if (failed(compiler.run(module)))
      fail("the pipeline fails");
    EngineOptions options;
    options.threads = 1;
    options.optLevel = optLevel;
    if (llvm::Expected<ProgramImage> image = Engine::compile(module, options);
        !image)
      fail(llvm::toString(image.takeError()));
    _exit(0);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return std::string("the process is lost: ") + std::strerror(errno);
  if (WIFSIGNALED(status))
    return WTERMSIG(status) == SIGALRM
               ? "takes more than " + std::to_string(timeLimit) + " s"
               : "ends by signal " + std::to_string(WTERMSIG(status));
  if (int code = WEXITSTATUS(status))
    return "ends with status " + std::to_string(code);
  return std::nullopt;
}

bool Fuzzer::report(uint64_t seed, ModuleOp module, const llvm::Twine &what,
                    ModuleOp transformed) {
  ++failures;
  if (sabotage)
    return false;
  llvm::outs() << "FAILED: seed " << seed << ": " << what << "\n"
               << diagnostics << module << "\n";
  if (transformed)
    llvm::outs() << "// after the pipeline:\n" << transformed << "\n";
  llvm::outs().flush();
  return false;
}

bool Fuzzer::runProgram(uint64_t seed, const testing::ProgramOptions &options) {
  llvm::PrettyStackTraceFormat trace("program of seed %llu",
                                     static_cast<unsigned long long>(seed));
  ++programs;
  diagnostics.clear();
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      diagnostics += "error: " + diagnostic.str() + "\n";
  });
  testing::RandomProgram program =
      testing::generateProgram(&context, seed, options);
  ModuleOp module = *program.module;
  if (print)
    llvm::outs() << "// seed " << seed << "\n" << module << "\n";
  if (failed(verify(module)))
    return report(seed, module, "the program does not verify");
  bool ok = true;
  for (auto [i, compiler] : llvm::enumerate(onlyCompilers)) {
    OwningOpRef<ModuleOp> clone = module.clone();
    diagnostics.clear();
    if (auto problem = compileOnly(*clone, compiler))
      ok = report(seed, module, "compile '" + compiles[i] + "': " + *problem);
  }
  if (!onlyCompilers.empty() && managers.empty() && compilers.empty())
    return ok;
  Expected expected;
  if (!expect(module, program.inputs, expected))
    return report(seed, module, "the interpreter fails");
  for (auto [i, manager] : llvm::enumerate(managers)) {
    OwningOpRef<ModuleOp> clone = module.clone();
    diagnostics.clear();
    if (sabotage) {
      if (!exchangeOperator(*clone, seed))
        continue;
      ++sabotaged;
    }
    if (failed(manager->run(*clone))) {
      ok = report(seed, module, "'" + pipelines[i] + "' fails");
      continue;
    }
    auto actual = interpret(*clone, program.inputs, std::nullopt);
    if (failed(actual)) {
      ok = report(seed, module,
                  "the interpreter fails after '" + pipelines[i] + "'", *clone);
      continue;
    }
    if (auto difference = compare(*actual, expected))
      ok = report(seed, module, "'" + pipelines[i] + "': " + *difference,
                  *clone);
  }
  for (auto [i, compiler] : llvm::enumerate(compilers)) {
    OwningOpRef<ModuleOp> clone = module.clone();
    diagnostics.clear();
    if (sabotage) {
      if (!exchangeOperator(*clone, seed))
        continue;
      ++sabotaged;
    }
    std::optional<std::string> difference;
    if (failed(compiler.toWrapper->run(*clone))) {
      difference = "compilation fails";
    } else {
      OwningOpRef<ModuleOp> wrapper = schedules ? clone->clone() : ModuleOp();
      if (failed(compiler.toNative->run(*clone)))
        difference = "compilation fails";
      else
        difference = runCompiled(*clone, program.inputs, expected);
      if (wrapper && !difference)
        difference =
            runSchedules(*wrapper, seed, compiler, program.inputs, expected);
    }
    if (difference)
      ok = report(seed, module, "run '" + runs[i] + "': " + *difference);
  }
  return ok;
}

/// Whether there is a library that sorts for a run with these options: that of
/// GPUs may be missing.
static bool canSort(StringRef run) {
  if (!run.contains("target=cuda"))
    return true;
  auto [front, libraries] = run.split("library=");
  if (front.size() == run.size())
    return coil_rt_library_available("cub");
  return hasLibrary(libraries.split(' ').first, "cub");
}

int main(int argc, char **argv) {
  Tool tool(argc, argv, "coil-fuzz", 1, 1);
  cl::HideUnrelatedOptions(category);
  tool.checkFlags(argc, argv);
  cl::ParseCommandLineOptions(argc, argv, "Coil random program tester\n");

  if (timeLimit == 0) {
    llvm::WithColor::error() << "--time-limit is not positive\n";
    return 2;
  }
  testing::ProgramOptions options;
  options.maxOps = std::max(1u, unsigned(maxOps));
  options.maxElements = std::max<int64_t>(1, maxElements);
  options.symbols = symbols;
  options.ordered = ordered;
  options.sorts =
      llvm::all_of(runs, canSort) && llvm::all_of(compiles, canSort);
  for (const std::string &name : dtypes) {
    std::optional<DType> dtype;
    for (int i = 0; i <= static_cast<int>(DType::F64); ++i)
      if (reference::getName(static_cast<DType>(i)) == name)
        dtype = static_cast<DType>(i);
    if (!dtype) {
      llvm::WithColor::error() << "no element type '" << name << "'\n";
      return 2;
    }
    options.dtypes.push_back(*dtype);
  }

  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllPasses();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  Fuzzer fuzzer(context);
  if (failed(fuzzer.parsePipelines()))
    return 2;

  // What a program does not write is NaN, and what it writes behind its buffers
  // is noticed.
  coil_debug_set_poison(1);
  auto start = std::chrono::steady_clock::now();
  for (uint64_t i = 0; i < count && (sabotage || fuzzer.failures < maxFailures);
       ++i)
    fuzzer.runProgram(firstSeed + i, options);
  std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - start;
  fuzzer.printSummary();
  llvm::errs() << llvm::format("%.1f s\n", elapsed.count());
  return fuzzer.failures && !sabotage ? 1 : 0;
}
