//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// coil-tune: measures other schedules of a program's kernels, and records those
// that are faster. See docs/concepts/Tuning.md.
//
//===----------------------------------------------------------------------===//

#include "../common/OptionFlags.h"
#include "../common/Tool.h"
#include "Search.h"

#include "coil/Dialect/Target/IR/Target.h"
#include "coil/Dialect/Target/IR/TargetKind.h"
#include "coil/Dialect/Wrapper/Transforms/TuningRecords.h"
#include "coil/Driver/Driver.h"
#include "coil/InitAllDialects.h"
#include "coil/Package/Package.h"
#include "coil/Runtime/CUDA.h"
#include "coil/Support/Clock.h"
#include "coil/Support/OutputFile.h"
#include "coil/Support/ThreadPool.h"
#include "coil/Version.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

#include <cmath>

using namespace mlir;
using namespace coil;
using llvm::Error;
using llvm::Expected;
using wrapper::TuningRecord;
namespace cl = llvm::cl;

static cl::OptionCategory category("coil-tune options");
static cl::opt<std::string> input(cl::Positional, cl::Required,
                                  cl::desc("<model.pt2 or module.mlir>"),
                                  cl::cat(category));
static cl::opt<std::string>
    recordFile("records", cl::Required, cl::value_desc("file"),
               cl::desc("File that records are added to, and whose kernels are "
                        "not measured again"),
               cl::cat(category));
static cl::opt<unsigned>
    budget("budget-seconds", cl::init(0), cl::value_desc("seconds"),
           cl::desc("Begin no kernel after so long (default: no limit)"),
           cl::cat(category));
static cl::opt<unsigned>
    candidates("candidates", cl::init(24), cl::value_desc("n"),
               cl::desc("Schedules of each kernel that are tried (default 24)"),
               cl::cat(category));
static cl::opt<double> kernelSeconds(
    "kernel-seconds", cl::init(0.5), cl::value_desc("seconds"),
    cl::desc("What timing the candidates of a kernel may take, three rounds at "
             "least (default 0.5)"),
    cl::cat(category));
static cl::opt<unsigned> timeLimit(
    "time-limit", cl::init(60), cl::value_desc("seconds"),
    cl::desc("End a worker when one candidate takes longer (default 60)"),
    cl::cat(category));
static cl::opt<std::string>
    inject("inject", cl::Hidden, cl::value_desc("what:n"),
           cl::desc("For tests: what candidate n does: crash, hang, memory or "
                    "wrong"),
           cl::cat(category));

static OptionFlags flags(OptionTools::Run,
                         [](const OptionSpec &) -> cl::OptionCategory & {
                           return category;
                         });

static constexpr llvm::StringLiteral overview =
    R"(Measure other schedules of a program's kernels on this machine, and record
those that are faster.

Each kernel is compiled and run by processes of their own, on made-up inputs; a
schedule that crashes, hangs or gives other results is reported and never
recorded. Kernels that the file has records of are not measured again.

Examples:
  coil-tune model.pt2 --records=tuned.records
  coil-tune model.pt2 --target=cuda --records=tuned.records --budget-seconds=60
  coil-compile model.pt2 --target=cuda --tuning-records=tuned.records -o m.coilpkg

Exit status: 0 success, 2 bad command line or records that cannot be written, 3
the model or the records cannot be loaded, or there is no device to measure on.
)";

static int report(int status, const llvm::Twine &message) {
  llvm::WithColor::error(llvm::errs(), "coil-tune") << message << "\n";
  return status;
}

namespace {

/// A kernel of the program, once for all that have its hash.
struct Task {
  wrapper::KernelOp kernel;
  std::string hash, space;
  unsigned launches = 0;
};

/// What all kernels together took.
struct Summary {
  unsigned measured = 0, known = 0, late = 0, failed = 0, faster = 0;
  unsigned refused = 0, wrong = 0, crashed = 0, hung = 0;
  double before = 0, after = 0, logarithms = 0;
};

} // namespace

/// Fails unless there is the device that `target` measures on.
static Error checkDevice(StringRef target) {
  if (!target.starts_with("cuda"))
    return Error::success();
  coil_cuda_device_info info = {};
  if (coil_cuda_get_device_info(int32_t(flags.getNumber("device")), &info) !=
      COIL_OK)
    return llvm::createStringError("there is no device to measure on: " +
                                   llvm::Twine(coil_last_error()));
  return Error::success();
}

/// The kernels that can be measured, those that are launched most often first;
/// says why others cannot.
static SmallVector<Task> collectTasks(ModuleOp module) {
  llvm::StringMap<unsigned> launches;
  module.walk(
      [&](wrapper::LaunchOp launch) { ++launches[launch.getCallee()]; });
  llvm::MapVector<StringRef, Task> tasks;
  SmallVector<std::unique_ptr<std::string>> names;
  for (auto kernel : module.getOps<wrapper::KernelOp>()) {
    std::string why;
    if (failed(wrapper::canTune(kernel, why))) {
      llvm::outs() << "kernel '" << kernel.getSymName()
                   << "' is not measured: " << why << '\n';
      continue;
    }
    names.push_back(
        std::make_unique<std::string>(wrapper::getTuningHash(kernel)));
    Task &task = tasks[*names.back()];
    if (!task.kernel)
      task = {kernel, *names.back(), getSpaceHash(kernel, candidates)};
    task.launches += launches.lookup(kernel.getSymName());
  }
  SmallVector<Task> result;
  for (auto &[hash, task] : tasks)
    result.push_back(task);
  llvm::stable_sort(result, [](const Task &a, const Task &b) {
    return a.launches > b.launches;
  });
  return result;
}

static std::string print(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream os(text);
  attribute.print(os);
  return text;
}

static TuningRecord makeRecord(const Task &task, const SearchResult &found,
                               StringRef target) {
  wrapper::KernelOp kernel = task.kernel;
  TuningRecord record;
  record.version = COIL_VERSION_STRING;
  record.target = target.str();
  record.kernel = task.hash;
  record.space = task.space;
  record.name = kernel.getLoopKernel().getName().str();
  record.schedule = print(found.best);
  record.defaultSchedule = print(kernel.getLoopKernel().getScheduleAttr());
  record.nanoseconds = found.seconds * 1e9;
  record.defaultNanoseconds = found.defaultSeconds * 1e9;
  return record;
}

static void printResult(const Task &task, const SearchResult &found) {
  wrapper::KernelOp kernel = task.kernel;
  llvm::raw_ostream &os = llvm::outs();
  os << "kernel '" << kernel.getSymName() << "' (" << task.launches
     << " launches): "
     << llvm::format("%.2f us -> %.2f us, %.2f times as fast",
                     found.defaultSeconds * 1e6, found.seconds * 1e6,
                     found.defaultSeconds / found.seconds)
     << "; " << found.measured << " measured, " << found.refused << " refused, "
     << found.wrong << " wrong, " << found.crashed << " crashed, " << found.hung
     << " hung\n";
  if (found.best != kernel.getLoopKernel().getScheduleAttr())
    os << "  " << kernel.getLoopKernel().getScheduleAttr() << "\n  -> "
       << found.best << '\n';
  for (const std::string &problem : found.problems)
    llvm::WithColor::warning(llvm::errs(), "coil-tune") << problem << '\n';
  os.flush();
}

static void printSummary(const Summary &sum, double seconds) {
  llvm::raw_ostream &os = llvm::outs();
  os << sum.measured << " kernels measured, " << sum.faster
     << " of them are faster now; " << sum.known << " were in the records, "
     << sum.late << " had no time left, " << sum.failed << " failed\n"
     << "candidates: " << sum.refused << " refused, " << sum.wrong << " wrong, "
     << sum.crashed << " crashed, " << sum.hung << " hung\n";
  if (sum.measured)
    os << llvm::format("all launches: %.2f us -> %.2f us; kernels: %.3f times "
                       "as fast in the geometric mean\n",
                       sum.before * 1e6, sum.after * 1e6,
                       std::exp(sum.logarithms / sum.measured));
  os << llvm::format("%.1f s\n", seconds);
}

/// Loads the program; text that a .pt2 file has of one, as graphs of
/// torch.compile are, is in a file .json.
static Expected<Program> load(llvm::SourceMgr &sources, MLIRContext &context) {
  if (!StringRef(input).ends_with(".json"))
    return loadProgram(input, /*weightsPath=*/"", sources, context);
  auto text = llvm::MemoryBuffer::getFile(input);
  if (!text)
    return llvm::createStringError("cannot read '" + input +
                                   "': " + text.getError().message());
  return loadProgramText((*text)->getBuffer(), context);
}

/// Measures the kernels that have no records, and adds theirs to the file.
static int tune(ModuleOp module, StringRef target, SearchOptions options,
                ArrayRef<TuningRecord> records, double begin) {
  Summary sum;
  SmallVector<Task> tasks = collectTasks(module);
  for (size_t i = 0; i < tasks.size(); ++i) {
    const Task &task = tasks[i];
    wrapper::KernelOp kernel = task.kernel;
    bool isKnown = llvm::any_of(records, [&](const TuningRecord &record) {
      return record.version == COIL_VERSION_STRING && record.target == target &&
             record.kernel == task.hash && record.space == task.space;
    });
    sum.known += isKnown;
    if (isKnown)
      continue;
    if (budget && now() - begin > budget) {
      ++sum.late;
      continue;
    }
    llvm::errs() << llvm::format("[%zu/%zu] %.0f s ", i + 1, tasks.size(),
                                 now() - begin)
                 << kernel.getSymName() << '\n';
    Expected<SearchResult> found = search(kernel, options);
    if (!found) {
      ++sum.failed;
      llvm::WithColor::warning(llvm::errs(), "coil-tune")
          << "kernel '" << kernel.getSymName() << "' at "
          << kernel.getLoopKernel().getLoc()
          << " is not tuned: " << toString(found.takeError()) << '\n';
      continue;
    }
    printResult(task, *found);
    ++sum.measured;
    sum.faster += found->seconds < found->defaultSeconds;
    sum.refused += found->refused;
    sum.wrong += found->wrong;
    sum.crashed += found->crashed;
    sum.hung += found->hung;
    sum.before += task.launches * found->defaultSeconds;
    sum.after += task.launches * found->seconds;
    sum.logarithms += std::log(found->defaultSeconds / found->seconds);
    if (Error error = wrapper::appendTuningRecords(
            recordFile, makeRecord(task, *found, target)))
      return report(2, toString(std::move(error)));
  }
  printSummary(sum, now() - begin);
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 3 && StringRef(argv[1]) == "--worker")
    return runWorker(argv[2]);
  double begin = now();
  Tool tool(argc, argv, "coil-tune", 3, 2);
  cl::HideUnrelatedOptions(category);
  tool.checkFlags(argc, argv);
  if (!cl::ParseCommandLineOptions(argc, argv, overview, &llvm::errs()))
    return 2;
  if (Error error = flags.loadPluginFiles())
    return report(2, toString(std::move(error)));
  if (isPackagePath(input))
    return report(2, "a package is compiled already: tune the model, and "
                     "compile it with --tuning-records");
  if (flags.isGiven("tuning-records"))
    return report(2, "--tuning-records is for what compiles; the file of "
                     "coil-tune is --records");
  SearchOptions options;
  if (!inject.empty()) {
    auto [what, number] = StringRef(inject).split(':');
    if (!llvm::is_contained({"crash", "hang", "memory", "wrong"}, what) ||
        number.getAsInteger(10, options.injected))
      return report(2, "--inject is no '<what>:<candidate>'");
    options.inject = what.str();
  }
  if (Error error = checkNotInput(recordFile, {StringRef(input)}))
    return report(2, toString(std::move(error)));
  Expected<GivenOptions> given = flags.getPipelineOptions();
  if (!given)
    return report(2, toString(given.takeError()));
  if (Expected<target::TargetText> target =
          target::parseTarget(flags.get("target"));
      !target)
    return report(2, toString(target.takeError()));
  if (Error error = checkDevice(flags.get("target")))
    return report(3, toString(std::move(error)));
  Expected<std::vector<TuningRecord>> records =
      wrapper::readTuningRecords(recordFile, /*mayBeMissing=*/true);
  if (!records)
    return report(3, toString(records.takeError()));

  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  ThreadPool threads;
  context.setThreadPool(threads);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  Expected<Program> program = load(sources, context);
  if (!program)
    return report(3, toString(program.takeError()));
  ModuleOp module = *program->module;
  CompileOptions compile;
  compile.from = detectStage(module);
  compile.to = Stage::Wrapper;
  compile.pipelineOptions = given->str();
  if (compile.from > Stage::Loop)
    return report(2, "the input is at the stage '" +
                         stringifyStage(compile.from) +
                         "', whose schedules may have been changed");
  if (Expected<std::vector<StageTime>> times = compileProgram(module, compile);
      !times)
    return report(3, toString(times.takeError()));
  CompilePipelineOptions pipeline;
  if (Error error = parseOptions(pipeline, compile.pipelineOptions))
    return report(2, toString(std::move(error)));
  if (Error error = resolveOptions(pipeline))
    return report(3, toString(std::move(error)));
  Expected<std::string> target =
      wrapper::getTuningTarget(module, getTuningOptions(pipeline));
  if (!target)
    return report(3, toString(target.takeError()));

  options.program = llvm::sys::fs::getMainExecutable(
      argv[0], reinterpret_cast<void *>(&main));
  options.pipelineOptions = compile.pipelineOptions;
  options.candidates = candidates;
  options.timeLimit = timeLimit;
  options.seconds = kernelSeconds;
  options.onDevice = StringRef(pipeline.target).starts_with("cuda");
  options.device = flags.getNumber("device");
  options.threads = flags.getNumber("num-threads");
  // Twice the cache of the second level: nothing of it is left.
  if (options.onDevice)
    options.flushBytes =
        2 * target::getProgramTarget(module).getFact("l2_bytes").value_or(0);
  return tune(module, *target, options, *records, begin);
}
