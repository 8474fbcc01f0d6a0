//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles a model in memory, runs it on given or made-up inputs, and compares
// the results with files or with the reference interpreter.
//
//===----------------------------------------------------------------------===//

#include "../common/OptionFlags.h"
#include "../common/Tool.h"
#include "Inputs.h"
#include "Roofline.h"

#include "coil/Driver/CompiledProgram.h"
#include "coil/Driver/Driver.h"
#include "coil/Package/Package.h"
#include "coil/Reference/Tensor.h"
#include "coil/Runtime/CUDA.h"
#include "coil/Runtime/Functions.h"
#include "coil/Support/Clock.h"
#include "coil/Support/Error.h"
#include "coil/Support/Libraries.h"
#include "coil/Support/Npy.h"
#include "coil/Support/OutputFile.h"
#include "coil/Support/TensorText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/WithColor.h"

#include <cmath>
#include <csignal>

#include <unistd.h>

using namespace coil;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
namespace cl = llvm::cl;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

static cl::OptionCategory runCategory("coil-run: program and data");
static cl::OptionCategory compareCategory("coil-run: comparison");
static cl::OptionCategory
    measureCategory("coil-run: measurement and inspection");
static cl::OptionCategory compileCategory("coil-run: compilation");

static cl::opt<std::string>
    inputFile(cl::Positional, cl::Required,
              cl::desc("<model.pt2 | program.mlir | p.coilpkg>"),
              cl::cat(runCategory));
static cl::list<std::string>
    functionFiles("functions", cl::value_desc("libfoo.so"),
                  cl::desc("Shared library of host functions that the program "
                           "calls, such as custom operators; may be repeated"),
                  cl::cat(runCategory));
static cl::opt<bool>
    checkWeights("check-weights", cl::init(true),
                 cl::desc("Compare the bytes of the weights with their CRC-32 "
                          "(default: true)"),
                 cl::cat(runCategory));
static cl::list<std::string>
    inputTexts("input", cl::value_desc("value"),
               cl::desc("Input, once for each in order (see below)"),
               cl::cat(runCategory));
static cl::list<std::string>
    outputTexts("output", cl::value_desc("where"),
                cl::desc("Where an output goes, once for each in order: "
                         "@file.npy, - (print), empty (drop). Default: print, "
                         "unless something is compared or timed"),
                cl::cat(runCategory));
static cl::opt<bool>
    randomInputs("random-inputs",
                 cl::desc("Make up the inputs that are not given: floats in "
                          "[-1, 1), integers in [0, 8)"),
                 cl::cat(runCategory));
static cl::opt<uint64_t> seed("seed", cl::init(0), cl::value_desc("n"),
                              cl::desc("Seed of made-up inputs (default 0)"),
                              cl::cat(runCategory));
static cl::opt<uint64_t> randomSeed(
    "random-seed", cl::init(0), cl::value_desc("n"),
    cl::desc("Seed of random numbers that the program draws (default "
             "0); every run draws the same"),
    cl::cat(runCategory));
static cl::opt<uint64_t>
    randomOffset("random-offset", cl::init(0), cl::value_desc("n"),
                 cl::desc("Where they begin, a multiple of 4 (default 0)"),
                 cl::cat(runCategory));
static cl::list<std::string>
    symbolTexts("symbol", cl::value_desc("name=value"),
                cl::desc("Size for made-up inputs, such as s0=17 (default: the "
                         "program's example value)"),
                cl::cat(runCategory));
static cl::opt<int64_t>
    maxPrinted("max-elements", cl::init(1024), cl::value_desc("n"),
               cl::desc("Elements of an output to print (default 1024)"),
               cl::cat(runCategory));

static cl::list<std::string>
    expectedTexts("expected-output", cl::value_desc("value"),
                  cl::desc("What an output must be, once for each in order, "
                           "in the form of an input; empty compares nothing"),
                  cl::cat(compareCategory));
static cl::opt<double>
    relativeTolerance("rtol", cl::value_desc("x"),
                      cl::desc("Allowed difference relative to the expected "
                               "value (default: by element type)"),
                      cl::cat(compareCategory));
static cl::opt<double>
    absoluteTolerance("atol", cl::value_desc("x"),
                      cl::desc("Allowed difference (default: by element type)"),
                      cl::cat(compareCategory));

static cl::opt<unsigned> iterations("iterations", cl::init(1),
                                    cl::value_desc("n"),
                                    cl::desc("Runs to do (default 1)"),
                                    cl::cat(measureCategory));
static cl::opt<unsigned>
    timeLimit("time-limit", cl::init(0), cl::value_desc("seconds"),
              cl::desc("End with status 4 if a run takes longer (default: no "
                       "limit)"),
              cl::cat(runCategory));
static cl::opt<bool>
    printTime("time",
              cl::desc("Print compile time by stage, run time, and memory"),
              cl::cat(measureCategory));
static cl::opt<bool> printTrace("trace",
                                cl::desc("Print each step of the first run"),
                                cl::cat(measureCategory));
static cl::opt<std::string>
    dumpDirectory("dump-llvm", cl::value_desc("directory"),
                  cl::desc("Write the optimised LLVM IR and the objects, and "
                           "the PTX and machine code of GPU kernels"),
                  cl::cat(measureCategory));

static cl::opt<std::string>
    ptxDirectory("dump-ptx", cl::value_desc("directory"),
                 cl::desc("Write the PTX of each GPU kernel"),
                 cl::cat(measureCategory));
static cl::opt<std::string>
    sassDirectory("dump-sass", cl::value_desc("directory"),
                  cl::desc("Write the machine code of each GPU kernel as text; "
                           "needs the CUDA toolkit's assembler and nvdisasm"),
                  cl::cat(measureCategory));

static cl::opt<bool>
    perKernel("per-kernel",
              cl::desc("Print time, bytes, operations and the part of the "
                       "machine's roofline for each step, the fastest of "
                       "--iterations more runs"),
              cl::cat(measureCategory));
static cl::opt<double> peakBandwidth(
    "peak-bandwidth", cl::value_desc("GB/s"),
    cl::desc("The memory's rate for --per-kernel (default: a GPU's own; on the "
             "CPU that of a copy, measured)"),
    cl::cat(measureCategory));
static cl::opt<double>
    peakFlops("peak-flops", cl::value_desc("GFLOP/s"),
              cl::desc("The rate of operations on floats for --per-kernel "
                       "(default: a GPU's own for f32, unknown on the CPU)"),
              cl::cat(measureCategory));
static cl::opt<double> peakMatrixFlops(
    "peak-matrix-flops", cl::value_desc("GFLOP/s"),
    cl::desc("The same for 16-bit matrix multiplication (default: a GPU's own, "
             "else --peak-flops)"),
    cl::cat(measureCategory));

static OptionFlags
flags(OptionTools::Run, [](const OptionSpec &spec) -> cl::OptionCategory & {
  if (spec.name == "reference")
    return compareCategory;
  if (spec.scope == OptionScope::Program && spec.group == OptionGroup::Code)
    return runCategory;
  return spec.group == OptionGroup::Debug ? measureCategory : compileCategory;
});

static constexpr llvm::StringLiteral overview =
    R"(Compile a model in memory and run it.

Inputs are written as
  @x.npy                   a NumPy file (@- is the standard input)
  5, -1.5                  a scalar of the input's element type
  2x3xi32=1 2 3 4 5 6      elements in row-major order; [ ] and , separate too
  4xf32=0.5                one element for all
  2x3xf16=@x.bin           the raw bytes of a file

Examples:
  coil-run model.pt2 --input=@images.npy --output=@logits.npy
  coil-run model.pt2 --input=@images.npy --expected-output=@logits.npy --atol=1e-4
  coil-run model.pt2 --random-inputs --reference=interp
  coil-run model.pt2 --random-inputs --symbol=s0=64 --iterations=100 --time
  coil-run model.pt2 --random-inputs --target=cuda --time --per-kernel
  coil-run model.pt2 --random-inputs --per-kernel --iterations=20
  coil-run model.coilpkg --input=@images.npy --output=@logits.npy

Exit status: 0 success, 1 an output differs, 2 bad command line or inputs, or an
output that cannot be written, 3 the model cannot be loaded or compiled, 4 the
program failed.
)";

namespace {
enum ExitStatus {
  ExitSuccess = 0,
  ExitMismatch = 1,
  ExitUsage = 2,
  ExitLoad = 3,
  ExitRuntime = 4
};
} // namespace

static int report(ExitStatus status, const llvm::Twine &message) {
  llvm::WithColor::error(llvm::errs(), "coil-run") << message << "\n";
  return status;
}

//===----------------------------------------------------------------------===//
// Limit of time
//===----------------------------------------------------------------------===//

/// A loop of the program may never end, and nothing in it can be asked to stop:
/// the process ends. No output file has been begun by then.
static void endByTimeLimit(int) {
  static const char message[] =
      "coil-run: error: the run takes longer than --time-limit allows\n";
  (void)!write(STDERR_FILENO, message, sizeof(message) - 1);
  _exit(ExitRuntime);
}

namespace {

/// Limits the time of what happens in its scope.
class ScopedTimeLimit {
public:
  ScopedTimeLimit() {
    if (timeLimit == 0)
      return;
    (void)signal(SIGALRM, endByTimeLimit);
    alarm(timeLimit);
  }
  ~ScopedTimeLimit() {
    if (timeLimit != 0)
      alarm(0);
  }
  ScopedTimeLimit(const ScopedTimeLimit &) = delete;
  ScopedTimeLimit &operator=(const ScopedTimeLimit &) = delete;
};

} // namespace

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

static reference::Tensor toReference(const coil_tensor &tensor) {
  size_t rank = size_t(tensor.rank);
  return reference::Tensor::fromStrided(
      static_cast<reference::DType>(tensor.dtype), {tensor.sizes, rank},
      {tensor.strides, rank}, tensor.data);
}

/// Compares one output; prints and returns false when it differs.
static bool checkOutput(size_t index, const coil_tensor &actual,
                        const reference::Tensor &expected, StringRef origin) {
  reference::Tolerance tolerance = reference::getDefaultTolerance(
      static_cast<reference::DType>(actual.dtype));
  if (relativeTolerance.getNumOccurrences())
    tolerance.relative = relativeTolerance;
  if (absoluteTolerance.getNumOccurrences())
    tolerance.absolute = absoluteTolerance;
  std::optional<std::string> difference =
      reference::compare(toReference(actual), expected, tolerance);
  if (!difference)
    return true;
  report(ExitMismatch, "output " + llvm::Twine(index) + " differs from " +
                           origin + ": " + *difference);
  return false;
}

/// Compares outputs with the files and values of --expected-output.
static Expected<bool> checkExpected(llvm::ArrayRef<coil_tensor> outputs) {
  bool same = true;
  for (auto [i, text] : llvm::enumerate(expectedTexts)) {
    if (text.empty())
      continue;
    Expected<HostTensor> expected = parseTensor(text, outputs[i].dtype);
    if (!expected)
      return makeError("expected output " + llvm::Twine(i) + ": " +
                       toString(expected.takeError()));
    same &= checkOutput(i, outputs[i], toReference(expected->getView()),
                        "'" + text + "'");
  }
  return same;
}

/// Compares outputs with those of the reference interpreter.
static Expected<bool> checkReference(const CompiledProgram &program,
                                     llvm::ArrayRef<coil_tensor> inputs,
                                     llvm::ArrayRef<coil_tensor> outputs) {
  Expected<std::vector<reference::Tensor>> results =
      program.interpret(inputs, {randomSeed, randomOffset});
  if (!results)
    return results.takeError();
  bool same = true;
  for (auto [i, output] : llvm::enumerate(outputs))
    same &= checkOutput(i, output, (*results)[i], "the reference interpreter");
  return same;
}

//===----------------------------------------------------------------------===//
// Output
//===----------------------------------------------------------------------===//

static Error writeOutputs(llvm::ArrayRef<coil_tensor> outputs,
                          llvm::ArrayRef<TensorSpec> specs) {
  bool quiet =
      !expectedTexts.empty() || printTime || flags.get("reference") != "none";
  for (auto [i, output] : llvm::enumerate(outputs)) {
    StringRef where = i < outputTexts.size() ? StringRef(outputTexts[i])
                      : quiet                ? ""
                                             : "-";
    if (where.empty())
      continue;
    if (where == "-") {
      printTensor(llvm::outs(), output, maxPrinted);
      llvm::outs() << "\n";
    } else if (where.consume_front("@")) {
      if (Error error = writeNpy(where, output, specs[i].isComplex))
        return error;
    }
  }
  return Error::success();
}

static void printStep(void *user, const coil_trace_event *event) {
  const Engine &engine = *static_cast<const Engine *>(user);
  llvm::raw_ostream &os = llvm::errs();
  double us = double(event->end_ns - event->begin_ns) * 1e-3;
  switch (event->kind) {
  case COIL_TRACE_ALLOC:
    os << "alloc   " << event->amount << " bytes";
    break;
  case COIL_TRACE_FREE:
    os << "free    " << event->amount << " bytes";
    break;
  case COIL_TRACE_LAUNCH:
    os << "launch  " << engine.getKernelName(event->address) << " over "
       << event->amount;
    break;
  case COIL_TRACE_LIBRARY:
    os << "library " << event->name;
    break;
  case COIL_TRACE_RANGE:
    os << "range   " << event->name;
    break;
  }
  os << llvm::format("  %.2f us, live %lld bytes\n", us,
                     static_cast<long long>(event->live_bytes));
}

static void printGraphs(const GraphReport &report) {
  llvm::raw_ostream &os = llvm::outs();
  const coil_cuda_graph_stats &calls = report.calls;
  const coil_cuda_partition_stats &parts = report.partitions;
  os << "graphs\n  calls: " << calls.recorded << " recorded, " << calls.replayed
     << " replayed, " << calls.plain + calls.refused
     << " plain\n  partitions: " << parts.warmups << " warm-ups, "
     << parts.recorded << " recorded, " << parts.replayed << " replayed ("
     << parts.patched << " at other addresses), " << parts.plain << " plain; "
     << parts.nodes << " kept, " << parts.dropped << " dropped, " << parts.bytes
     << " bytes\n";
  for (const GraphReport::Failure &each : report.failures)
    os << "  " << each.partition << " ran plainly " << each.count
       << " times: " << each.reason << '\n';
}

static void printTimes(const CompiledProgram &program,
                       std::vector<double> seconds, const coil_run_stats &run) {
  llvm::raw_ostream &os = llvm::outs();
  auto line = [&](const char *name, double s) {
    os << llvm::format("  %-16s %10.3f ms\n", name, s * 1e3);
  };
  const JITStats &stats = program.getStats();
  const EngineStats &engine = program.getEngine().getStats();
  os << "compile\n";
  line("import", stats.importSeconds);
  for (const StageTime &time : stats.stages)
    line(stringifyStage(time.stage).data(), time.seconds);
  line("provenance", stats.provenanceSeconds);
  if (engine.deviceKernels) {
    line("GPU code", engine.deviceSeconds);
    line("GPU load", engine.loadSeconds);
  }
  line(engine.deviceKernels ? "code, in parallel" : "code", engine.hostSeconds);
  line("link", engine.linkSeconds);
  line("total", stats.totalSeconds);
  if (stats.preparedWeights && !program.getEngine().isDeviceProgram())
    line("weights", stats.prepareSeconds);
  if (stats.preparedWeights)
    os << "  buffers made once, of weights alone: " << stats.preparedWeights
       << '\n';
  os << "  kernels before fusion: " << stats.kernelsBefore
     << ", steps after: " << stats.launches << " launches and "
     << stats.libraryCalls << " library calls\n"
     << "  " << engine.kernels << " different kernels in " << engine.objects
     << " objects (" << engine.cachedObjects << " from the cache), "
     << engine.objectBytes << " bytes\n";
  llvm::sort(seconds);
  os << "run\n";
  line("fastest", seconds.front());
  line("median", seconds[seconds.size() / 2]);
  os << "  " << run.launches << " launches, " << run.library_calls
     << " library calls, " << run.allocations << " allocations, peak "
     << run.peak_bytes << " bytes\n";
  if (run.input_copies)
    os << "  " << run.input_copies << " inputs copied, " << run.input_copy_bytes
       << " bytes: their strides are not those that the program was compiled "
          "for\n";
  if (flags.getNumber("cuda-graphs") != 0 &&
      program.getEngine().isDeviceProgram())
    printGraphs(program.getEngine().getGraphReport());
}

namespace {
/// Where the steps of a run on the CPU go.
struct HostSteps {
  const Engine &engine;
  StepTable &table;
};
} // namespace

static void addHostStep(void *user, const coil_trace_event *event) {
  HostSteps &steps = *static_cast<HostSteps *>(user);
  if (event->kind != COIL_TRACE_LAUNCH && event->kind != COIL_TRACE_LIBRARY)
    return;
  steps.table.add(event->kind == COIL_TRACE_LIBRARY
                      ? StringRef(event->name)
                      : steps.engine.getKernelName(event->address),
                  double(event->end_ns - event->begin_ns) * 1e-3, event->cost);
}

static void addDeviceStep(void *user, const coil_cuda_step *step) {
  static_cast<StepTable *>(user)->add(step->name, step->microseconds,
                                      step->cost);
}

/// The machine's rates, and those of the options in their place.
static MachineRates getRates(bool isDevice) {
  MachineRates rates;
  if (isDevice)
    rates = getDeviceRates(int32_t(flags.getNumber("device")));
  else if (!peakBandwidth.getNumOccurrences())
    rates = measureHost();
  auto override = [](const cl::opt<double> &option, MachineRates::Rate &rate) {
    if (option.getNumOccurrences())
      rate = {option * 1e9, ("--" + option.ArgStr).str()};
  };
  override(peakBandwidth, rates.bytes);
  override(peakFlops, rates.flops);
  override(peakMatrixFlops, rates.matrixFlops);
  return rates;
}

//===----------------------------------------------------------------------===//
// Main
//===----------------------------------------------------------------------===//

/// Runs the program and does what the options ask for with the results.
static int execute(const CompiledProgram &program) {
  const Engine &engine = program.getEngine();
  size_t numOutputs = program.getOutputs().size();
  auto isTooLong = [&](const cl::list<std::string> &texts) {
    if (texts.size() <= numOutputs)
      return false;
    report(ExitUsage, "the program has " + llvm::Twine(numOutputs) +
                          (numOutputs == 1 ? " output" : " outputs") +
                          " but --" + texts.ArgStr + " is given " +
                          llvm::Twine(texts.size()) + " times");
    return true;
  };
  if (isTooLong(outputTexts) || isTooLong(expectedTexts))
    return ExitUsage;
  for (const std::string &text : outputTexts)
    if (!text.empty() && text != "-" && text[0] != '@')
      return report(ExitUsage, "expected @file.npy, - or nothing for an output "
                               "but got '" +
                                   text + "'");
  std::vector<StringRef> files = {inputFile.getValue(), flags.get("weights")};
  for (StringRef text : inputTexts)
    if (size_t at = text.find('@'); at != StringRef::npos)
      files.push_back(text.drop_front(at + 1));
  for (StringRef text : outputTexts)
    if (text.consume_front("@"))
      if (Error error = checkNotInput(text, files))
        return report(ExitUsage, toString(std::move(error)));
  InputOptions inputOptions;
  inputOptions.texts.assign(inputTexts.begin(), inputTexts.end());
  inputOptions.random = randomInputs;
  inputOptions.seed = seed;
  inputOptions.symbols.assign(symbolTexts.begin(), symbolTexts.end());
  Expected<Inputs> inputs =
      Inputs::create(engine.getSignature(), program.getInputs(), inputOptions);
  if (!inputs)
    return report(ExitUsage, toString(inputs.takeError()));

  auto fail = [](Error error) {
    ExitStatus status = error.isA<InputError>() ? ExitUsage : ExitRuntime;
    return report(status, toString(std::move(error)));
  };
  // Copies to the GPU and back are not the program's.
  llvm::ArrayRef<coil_tensor> views = inputs->getViews();
  std::optional<DeviceTensors> onDevice;
  if (engine.isDeviceProgram()) {
    Expected<DeviceTensors> copies =
        program.upload(views, int32_t(flags.getNumber("device")));
    if (!copies)
      return fail(copies.takeError());
    onDevice = std::move(*copies);
  }
  llvm::ArrayRef<coil_tensor> arguments =
      onDevice ? onDevice->getTensors() : views;
  std::vector<double> seconds;
  std::optional<RunResult> result;
  unsigned runs = std::max(1u, iterations.getValue());
  auto runOnce = [&](RunOptions options) -> Error {
    options.device = int32_t(flags.getNumber("device"));
    options.random = RandomState{randomSeed, randomOffset};
    result.reset();
    ScopedTimeLimit limit;
    double start = now();
    Expected<RunResult> run = program.run(arguments, options);
    seconds.push_back(now() - start);
    if (!run)
      return run.takeError();
    result = std::move(*run);
    return Error::success();
  };
  // Outputs are compared in host memory. Copies to there are not measured: they
  // are part of one more run then, or else of the last.
  bool isMeasured = printTime || perKernel;
  for (unsigned i = 0; i < runs; ++i) {
    RunOptions options;
    options.hostOutputs = onDevice && !isMeasured && i + 1 == runs;
    if (printTrace && i == 0) {
      options.trace = printStep;
      options.traceUser = const_cast<Engine *>(&engine);
    }
    if (Error error = runOnce(options))
      return fail(std::move(error));
  }
  std::vector<double> measured = seconds;
  if (perKernel) {
    StepTable table;
    HostSteps hostSteps = {engine, table};
    for (unsigned i = 0; i < runs; ++i) {
      RunOptions options;
      options.timing = engine.isDeviceProgram();
      if (!engine.isDeviceProgram()) {
        options.trace = addHostStep;
        options.traceUser = &hostSteps;
      }
      table.beginRun();
      if (Error error = runOnce(options))
        return fail(std::move(error));
      if (engine.isDeviceProgram() &&
          coil_run_get_timing(result->getRun(), addDeviceStep, &table) !=
              COIL_OK)
        return report(ExitRuntime, coil_last_error());
    }
    StringRef where = engine.isDeviceProgram() ? "GPU" : "CPU";
    MachineRates rates = getRates(engine.isDeviceProgram());
    table.print(llvm::outs(), where, runs, rates);
    if (StringRef debugDirectory = flags.get("debug-dir");
        !debugDirectory.empty())
      if (Error error = addMeasurements(debugDirectory, table.getTimes(rates),
                                        where, runs))
        return report(ExitUsage, toString(std::move(error)));
  }
  coil_run_stats runStats = result->getStats();
  if (onDevice && isMeasured) {
    RunOptions options;
    options.hostOutputs = true;
    if (Error error = runOnce(options))
      return fail(std::move(error));
  }

  llvm::ArrayRef<coil_tensor> outputs = result->getOutputs();
  if (Error error = writeOutputs(outputs, program.getOutputs()))
    return report(ExitUsage, toString(std::move(error)));
  if (printTime)
    printTimes(program, measured, runStats);
  Expected<bool> expected = checkExpected(outputs);
  if (!expected)
    return report(ExitUsage, toString(expected.takeError()));
  bool same = *expected;
  if (flags.get("reference") == "interp") {
    Expected<bool> reference = checkReference(program, views, outputs);
    if (!reference)
      return report(ExitRuntime, toString(reference.takeError()));
    same &= *reference;
  }
  return same ? ExitSuccess : ExitMismatch;
}

int main(int argc, char **argv) {
  Tool tool(argc, argv, "coil-run", ExitLoad, ExitUsage);
  cl::HideUnrelatedOptions(
      {&runCategory, &compareCategory, &measureCategory, &compileCategory});
  tool.checkFlags(argc, argv);
  // LLVM's parser exits with 1 on a bad command line; ours is 2.
  if (!cl::ParseCommandLineOptions(argc, argv, overview, &llvm::errs()))
    return ExitUsage;
  if (coil_set_num_threads(int32_t(flags.getNumber("num-threads"))) != COIL_OK)
    return report(ExitUsage, coil_last_error());
  if (Error error = flags.loadPluginFiles())
    return report(ExitUsage, toString(std::move(error)));
  for (const std::string &file : functionFiles)
    if (coil_load_functions(file.c_str()) != COIL_OK)
      return report(ExitLoad, coil_last_error());

  for (const auto *directory : {&ptxDirectory, &sassDirectory})
    if (!directory->empty() && !flags.get("target").starts_with("cuda"))
      return report(ExitUsage, "--" + directory->ArgStr +
                                   " is for GPUs; --dump-llvm writes what "
                                   "becomes of kernels on the CPU");
  for (const auto *rate : {&peakBandwidth, &peakFlops, &peakMatrixFlops}) {
    if (!rate->getNumOccurrences())
      continue;
    if (!perKernel)
      return report(ExitUsage,
                    "--" + rate->ArgStr + " is for the table of --per-kernel");
    if (!(*rate > 0) || !std::isfinite(*rate))
      return report(ExitUsage,
                    "--" + rate->ArgStr + " must be a positive number");
  }
  if (isPackagePath(inputFile)) {
    if (Error error = flags.checkCompiled())
      return report(ExitUsage, toString(std::move(error)));
    for (const cl::Option *option : {static_cast<cl::Option *>(&perKernel),
                                     static_cast<cl::Option *>(&dumpDirectory),
                                     static_cast<cl::Option *>(&ptxDirectory),
                                     static_cast<cl::Option *>(&sassDirectory)})
      if (option->getNumOccurrences())
        return report(ExitUsage, "--" + option->ArgStr +
                                     " has no meaning for a package, which is "
                                     "compiled already");
  }

  JITOptions options;
  options.checkWeights = checkWeights;
  options.function = flags.get("function").str();
  options.weights = flags.get("weights").str();
  Expected<GivenOptions> given =
      flags.getPipelineOptions(isPackagePath(inputFile));
  if (!given)
    return report(ExitUsage, toString(given.takeError()));
  if (perKernel)
    given->set("costs", "true");
  options.pipelineOptions = given->str();
  options.keepReference = flags.get("reference") == "interp";
  options.engine.threads = unsigned(flags.getNumber("num-threads"));
  options.engine.device = int32_t(flags.getNumber("device"));
  options.engine.graphs = int32_t(flags.getNumber("cuda-graphs"));
  options.engine.optLevel = unsigned(flags.getNumber("opt-level"));
  options.engine.objectCache = flags.get("object-cache").str();
  options.engine.dumpDirectory = dumpDirectory;
  options.debugDirectory = flags.get("debug-dir").str();
  options.engine.ptxDirectory = ptxDirectory;
  options.engine.sassDirectory = sassDirectory;
  Expected<std::unique_ptr<CompiledProgram>> program =
      CompiledProgram::compile(inputFile, options);
  if (!program)
    return report(ExitLoad, toString(program.takeError()));
  return execute(**program);
}
