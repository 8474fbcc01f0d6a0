//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// coil-compile: takes a program from one stage of the compiler to another.
//
//===----------------------------------------------------------------------===//

#include "../common/OptionFlags.h"
#include "../common/Tool.h"

#include "coil/Dialect/Loop/IR/Loop.h"
#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "coil/Driver/CompiledProgram.h"
#include "coil/Driver/Driver.h"
#include "coil/ExecutionEngine/Engine.h"
#include "coil/InitAllDialects.h"
#include "coil/InitAllPasses.h"
#include "coil/Package/Package.h"
#include "coil/Pipelines/Extensions.h"
#include "coil/Report/DebugDirectory.h"
#include "coil/Report/MemoryReport.h"
#include "coil/Report/Provenance.h"
#include "coil/Report/RoundTrip.h"
#include "coil/Support/OutputFile.h"
#include "coil/Support/Registration.h"
#include "coil/Support/ThreadPool.h"
#include "coil/Target/HostText.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace coil;
namespace cl = llvm::cl;

static cl::OptionCategory category("coil-compile options");

static cl::opt<std::string> input(cl::Positional, cl::init("-"),
                                  cl::desc("<model.pt2 or module.mlir>"),
                                  cl::cat(category));
static cl::opt<std::string> output("o", cl::init("-"), cl::value_desc("file"),
                                   cl::desc("Where to write the module"),
                                   cl::cat(category));
static cl::opt<std::string>
    emit("emit", cl::init("mlir"), cl::value_desc("language"),
         cl::desc("What to write: mlir (default), the module after the last "
                  "stage; python, a program for torch tensors; fx, a program "
                  "that builds a torch.fx graph; cpp, sources "
                  "next to -o and their kernels as an archive; or the language "
                  "of a plugin's emitter"),
         cl::cat(category));
static cl::opt<bool>
    torchCalls("torch-calls",
               cl::desc("With --emit=python or fx: call operators of torch.ops "
                        "there, not registered functions"),
               cl::cat(category));
static cl::opt<bool> benchmarkMain(
    "benchmark-main",
    cl::desc("With --emit=cpp: also write <name>_benchmark.cpp, whose main "
             "function times the program, and on request profiles its kernels "
             "and records its memory"),
    cl::cat(category));
static cl::opt<std::string>
    dumpStages("dump-stages", cl::value_desc("directory"),
               cl::desc("Write the module after each stage; every file can be "
                        "edited and resumed from"),
               cl::cat(category));
static cl::opt<std::string> memoryReport(
    "memory-report", cl::value_desc("file"),
    cl::desc("Write what is allocated and for how long: a page (.html), a "
             "picture of the function 'main' (.svg) or data (.json)"),
    cl::cat(category));
static cl::opt<bool> machineCode(
    "machine-code",
    cl::desc("Put machine code for its chip into a package in place of PTX "
             "(nvJitLink or ptxas): nothing is compiled where it is loaded"),
    cl::cat(category));

static cl::opt<bool> verifyEach("verify-each",
                                cl::desc("Verify after every pass, not only at "
                                         "the stages' ends"),
                                cl::cat(category));
static cl::opt<bool> verifyRoundTripEach(
    "verify-roundtrip-each",
    cl::desc("Verify after every pass, write and read the operation again as "
             "text and as bytecode, and fail after the first pass that leaves "
             "what is another one then"),
    cl::cat(category));
static cl::opt<bool> dumpPipeline(
    "dump-pass-pipeline",
    cl::desc(
        "Print the passes of each stage, those that were added among them, "
        "as coil-opt --pass-pipeline takes them"),
    cl::cat(category));
static cl::opt<bool> timing("timing", cl::desc("Print the time of each stage"),
                            cl::cat(category));
static cl::opt<bool> explain(
    "explain",
    cl::desc("List the kernels: what was fused, over which space, how "
             "it is scheduled; every fusion that was refused, why; and what "
             "cannot be part of a graph of a GPU, why"),
    cl::cat(category));
static cl::opt<bool> emitBytecode("emit-bytecode",
                                  cl::desc("Write bytecode, not text"),
                                  cl::cat(category));
static cl::opt<bool> printLocations("print-locations",
                                    cl::desc("Print source locations"),
                                    cl::cat(category));

static OptionFlags flags(OptionTools::Compile,
                         [](const OptionSpec &) -> cl::OptionCategory & {
                           return category;
                         });

/// The passes whose remarks explain the result.
static constexpr char kExplained[] =
    "graph-raise-attention|loop-.*|convert-"
    "loop-to-wrapper|"
    "wrapper-apply-tuning-records|wrapper-partition-graph|"
    "wrapper-hoist-device-guards|wrapper-combine-gpu-launches|"
    "wrapper-specialize-sizes";

static constexpr StringLiteral examples =
    R"(
Examples:
  coil-compile model.pt2 --to=loop
  coil-compile model.pt2 --dump-stages=stages --to=wrapper -o /dev/null
  coil-compile stages/2-loop.mlir --to=native
  coil-compile model.pt2 --to=loop --explain -o /dev/null
  coil-compile model.pt2 --debug-dir=debug -o /dev/null
  coil-compile model.pt2 --to=loop --insert-passes='after-fusion:func.func(cse)'
  coil-compile model.pt2 --memory-report=memory.html -o /dev/null
  coil-compile model.pt2 --emit=python -o model.py
  coil-compile model.pt2 --emit=fx -o model_fx.py
  coil-compile model.pt2 --emit=cpp -o model.cpp
  coil-compile model.pt2 -o model.coilpkg

A package holds machine code for this processor, or the target's GPUs, and the
weights; coil-run and the libraries run it, coil-package looks inside.

Exit status: 0 success, 2 bad command line or an output that cannot be written,
3 the program cannot be loaded or compiled. coil-run compiles and runs.
)";

/// What `--help` says first.
static std::string getOverview() {
  std::string text =
      "Compile a model to one of the stages of the compiler.\n\n";
  llvm::raw_string_ostream os(text);
  printStages(os);
  return text + examples.str();
}

static int report(int status, const llvm::Twine &message) {
  llvm::WithColor::error(llvm::errs(), "coil-compile") << message << "\n";
  return status;
}

/// Prints the kernels of a module at the stage `loop` or `wrapper`.
static void printKernels(ModuleOp module, llvm::raw_ostream &os) {
  unsigned count = 0, library = 0;
  module.walk([&](loop::KernelOp kernel) {
    ++count;
    loop::ScheduleAttrInterface schedule = kernel.getScheduleAttr();
    library += schedule && schedule.getLibrary();
    os << "kernel '" << kernel.getName() << "' " << describeKernel(kernel);
    os << '\n';
  });
  os << count << " kernels, " << library << " of them by a library\n";
}

/// Writes a planned host program as C++: the header and the sources beside
/// `output`, and the kernels as an archive of objects.
static int writeCpp(ModuleOp module, StringRef pipelineOptions) {
  CppOptions cpp;
  cpp.source = input;
  cpp.benchmarkMain = benchmarkMain;
  std::string stem = llvm::sys::path::stem(output).str();
  cpp.name.clear();
  for (char c : stem)
    cpp.name += llvm::isAlnum(c) ? c : '_';
  if (cpp.name.empty() || llvm::isDigit(cpp.name.front()))
    cpp.name.insert(0, "program_");
  // Objects of several programs can be linked.
  prefixKernels(module, cpp.name + "_");
  CompilePipelineOptions pipeline;
  if (llvm::Error error = parseOptions(pipeline, pipelineOptions))
    return report(3, toString(std::move(error)));
  // Machine code is for a chip.
  if (llvm::Error error = resolveOptions(pipeline))
    return report(3, toString(std::move(error)));
  PassManager pm(module.getContext());
  buildKernelPipeline(pm, pipeline);
  std::vector<EmittedFile> files;
  if (failed(pm.run(module)) || failed(emitCpp(module, files, cpp)))
    return report(3, "the program cannot be written as cpp");
  EngineOptions engine;
  engine.cpu = getCPU(pipeline);
  engine.threads = llvm::hardware_concurrency().compute_thread_count();
  auto objects = compileKernelObjects(module, engine);
  if (!objects)
    return report(3, toString(objects.takeError()));
  SmallString<128> folder(output);
  llvm::sys::path::remove_filename(folder);
  auto beside = [&](const Twine &name) {
    SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    return path;
  };
  // All of them appear, or none.
  std::vector<std::unique_ptr<OutputFile>> written;
  auto write = [&](StringRef path, StringRef bytes) -> llvm::Error {
    if (llvm::Error error = checkNotInput(path, StringRef(input)))
      return error;
    llvm::Expected<std::unique_ptr<OutputFile>> file = OutputFile::open(path);
    if (!file)
      return file.takeError();
    (*file)->os() << bytes;
    written.push_back(std::move(*file));
    return llvm::Error::success();
  };
  auto finish = [&]() -> llvm::Error {
    for (const std::unique_ptr<OutputFile> &file : written)
      if (llvm::Error error = file->flush())
        return error;
    for (const std::unique_ptr<OutputFile> &file : written)
      if (llvm::Error error = file->commit())
        return error;
    return llvm::Error::success();
  };
  for (const EmittedFile &file : files)
    // The first source has the name that was asked for.
    if (llvm::Error error =
            write(file.name == cpp.name + ".cpp" ? SmallString<128>(output)
                                                 : beside(file.name),
                  file.text))
      return report(2, toString(std::move(error)));
  std::vector<std::string> names;
  std::vector<llvm::NewArchiveMember> members;
  for (size_t i = 0; i < objects->size(); ++i)
    names.push_back(cpp.name + "_kernels" + std::to_string(i) + ".o");
  for (auto [object, name] : llvm::zip(*objects, names))
    members.emplace_back(llvm::MemoryBufferRef(object->getBuffer(), name));
  if (!members.empty()) {
    auto archive = llvm::writeArchiveToBuffer(
        members, llvm::SymtabWritingMode::NormalSymtab,
        llvm::object::Archive::K_GNU, /*Deterministic=*/true, /*Thin=*/false);
    if (!archive)
      return report(3, toString(archive.takeError()));
    if (llvm::Error error =
            write(beside(cpp.name + "_kernels.a"), (*archive)->getBuffer()))
      return report(2, toString(std::move(error)));
  }
  if (llvm::Error error = finish())
    return report(2, toString(std::move(error)));
  return 0;
}

/// Writes the memory plans of the module, which is at the stage `wrapper`.
static int writeMemoryReport(ModuleOp module, StringRef model) {
  StringRef function = flags.get("function");
  std::vector<MemoryUse> uses = collectMemory(module);
  std::string text;
  llvm::raw_string_ostream os(text);
  StringRef kind = llvm::sys::path::extension(memoryReport);
  if (kind == ".json") {
    os << llvm::formatv("{0:2}\n", toJSON(uses));
  } else if (kind == ".svg") {
    auto use = llvm::find_if(
        uses, [&](const MemoryUse &each) { return each.function == function; });
    if (use == uses.end())
      return report(3, "there is no planned function '" + function +
                           "' to make a picture of");
    printMemorySVG(*use, os);
  } else {
    printMemoryPage(uses, model, os);
  }
  warnAboutReport(writeFile(memoryReport, text));
  return 0;
}

/// The targets of a package: `cpu:x86-64-v3+x86-64-v4` is two of one kind.
static std::vector<std::string> splitTargets(StringRef text) {
  std::vector<std::string> targets;
  for (StringRef each : llvm::split(text, ',')) {
    auto [kind, names] = each.split(':');
    if (kind != "cpu" || names.empty()) {
      targets.push_back(each.str());
      continue;
    }
    for (StringRef name : llvm::split(names, '+'))
      targets.push_back((kind + ":" + name).str());
  }
  return targets;
}

/// Compiles to machine code and writes a package. Each of its targets is
/// compiled by itself.
static int writeProgram(GivenOptions given) {
  for (StringRef name : {"to", "from"})
    if (flags.isGiven(name))
      return report(2, "'--" + name + "' has no meaning for a package");
  for (const cl::Option *option :
       {static_cast<cl::Option *>(&dumpStages),
        static_cast<cl::Option *>(&memoryReport),
        static_cast<cl::Option *>(&explain), static_cast<cl::Option *>(&emit),
        static_cast<cl::Option *>(&emitBytecode),
        static_cast<cl::Option *>(&dumpPipeline),
        static_cast<cl::Option *>(&printLocations),
        static_cast<cl::Option *>(&verifyEach),
        static_cast<cl::Option *>(&verifyRoundTripEach)})
    if (option->getNumOccurrences())
      return report(2,
                    "'--" + option->ArgStr + "' has no meaning for a package");
  double seconds = 0;
  std::vector<std::unique_ptr<CompiledProgram>> programs;
  std::optional<ProgramPackage> package;
  for (const std::string &each : splitTargets(flags.get("target"))) {
    JITOptions options;
    options.function = flags.get("function").str();
    options.weights = flags.get("weights").str();
    given.set("target", each);
    options.pipelineOptions = given.str();
    options.debugDirectory = flags.get("debug-dir").str();
    // The GPU of the package need not be here.
    options.engine.loadKernels = false;
    options.engine.assembleKernels = machineCode;
    // Nor its host functions, which loading it asks for.
    options.engine.requireFunctions = false;
    options.cache = true;
    auto program = CompiledProgram::compile(input, options);
    if (!program)
      return report(3, toString(program.takeError()));
    StringRef warning = (*program)->getStats().cacheWarning;
    if (!warning.empty())
      llvm::WithColor::warning(llvm::errs(), "coil-compile") << warning << '\n';
    seconds += (*program)->getStats().totalSeconds;
    llvm::Expected<ProgramPackage> made = (*program)->makePackage();
    if (!made)
      return report(3, toString(made.takeError()));
    programs.push_back(std::move(*program)); // What packages refer to.
    if (!package)
      package = std::move(*made);
    else if (llvm::Error error = mergePackage(*package, *made))
      return report(3, "target '" + each + "': " + toString(std::move(error)));
  }
  if (llvm::Error error = writePackage(*package, output))
    return report(2, toString(std::move(error)));
  if (timing)
    llvm::errs() << llvm::format("%-8s %8.2f ms\n", "all", seconds * 1e3);
  return 0;
}

int main(int argc, char **argv) {
  Tool tool(argc, argv, "coil-compile", 3, 2);
  cl::HideUnrelatedOptions(category);
  std::string overview = getOverview();
  tool.checkFlags(argc, argv);
  if (!cl::ParseCommandLineOptions(argc, argv, overview, &llvm::errs()))
    return 2;
  if (llvm::Error error = flags.loadPluginFiles())
    return report(2, toString(std::move(error)));

  CompileOptions options;
  std::vector<std::string> languages = getEmitterNames();
  if (!llvm::is_contained(languages, emit.getValue()))
    return report(
        2, "unknown language '" + emit + "', expected " +
               llvm::join(llvm::drop_end(languages), ", ") + " or " +
               languages.back() +
               suggestName(emit, SmallVector<StringRef>(languages.begin(),
                                                        languages.end())));
  if (torchCalls && emit != "python" && emit != "fx")
    return report(2, "--torch-calls is for --emit=python and --emit=fx");
  if (emit == "cpp" && !StringRef(output).ends_with(".cpp"))
    return report(2, "--emit=cpp writes several files, expected -o <name>.cpp");
  if (benchmarkMain && emit != "cpp")
    return report(2, "--benchmark-main goes with --emit=cpp");
  if (flags.get("array-entry") == "true" && emit != "cpp")
    return report(2, "--array-entry goes with --emit=cpp");
  if (emit != "mlir") {
    // Emitters take the planned host program.
    if (flags.isGiven("to") || emitBytecode)
      return report(2, "--emit=" + emit +
                           " goes with neither --to nor --emit-bytecode");
    flags.imply("to", "wrapper");
  }
  if (!memoryReport.empty()) {
    flags.imply("to", "wrapper");
    if (flags.get("to") != "wrapper")
      return report(2, "--memory-report is about the stage 'wrapper', not '" +
                           flags.get("to") + "'");
    if (!is_contained({".html", ".svg", ".json"},
                      llvm::sys::path::extension(memoryReport)))
      return report(2, "expected a file .html, .svg or .json in "
                       "--memory-report, not '" +
                           memoryReport + "'");
  }
  for (StringRef name : {"function", "weights"})
    if (flags.isGiven(name) && !isPackagePath(output) &&
        !(name == "function" && StringRef(memoryReport).ends_with(".svg")))
      return report(
          2, "--" + name + " is for packages (-o <name>.coilpkg)" +
                 (name == "function" ? " and --memory-report=x.svg" : ""));
  options.to = *symbolizeStage(flags.get("to"));
  options.verifyEach = verifyEach || verifyRoundTripEach;
  options.dumpDirectory = dumpStages;
  if (dumpPipeline)
    options.printPipelines = &llvm::errs();
  // Callers of Python hand over a list.
  if (emit == "python")
    flags.imply("release-inputs", "true");
  if (flags.get("array-entry") == "true")
    flags.imply("stack-limit", "64K");
  llvm::Expected<GivenOptions> given = flags.getPipelineOptions();
  if (!given)
    return report(2, toString(given.takeError()));
  options.pipelineOptions = given->str();

  for (StringRef file : {StringRef(output), StringRef(memoryReport)})
    if (llvm::Error error = checkNotInput(
            file, {input, flags.get("weights"), flags.get("user-kernels")}))
      return report(2, toString(std::move(error)));
  if (isPackagePath(output))
    return writeProgram(*given);
  if (splitTargets(flags.get("target")).size() > 1)
    return report(2, "only a package (-o <name>.coilpkg) can be for several "
                     "targets");
  if (machineCode)
    return report(2, "--machine-code is for packages (-o <name>.coilpkg)");

  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  ThreadPool threads;
  context.setThreadPool(threads);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  if (explain)
    if (failed(remark::enableOptimizationRemarks(
            context, nullptr,
            std::make_unique<remark::RemarkEmittingPolicyAll>(),
            remark::RemarkCategories{kExplained, kExplained, kExplained,
                                     kExplained, kExplained},
            /*printAsEmitRemarks=*/true)))
      return report(3, "remarks cannot be turned on");

  llvm::Expected<Program> program =
      loadProgram(input, /*weightsPath=*/"", sources, context);
  if (!program)
    return report(3, toString(program.takeError()));
  ModuleOp module = *program->module;
  options.from = detectStage(module);
  if (flags.isGiven("from"))
    options.from = *symbolizeStage(flags.get("from"));
  if (options.from > options.to)
    return report(2, "the input is at the stage '" +
                         stringifyStage(options.from) + "', after '" +
                         flags.get("to") + "'");
  // Sources in C++ come with the code of kernels.
  if (llvm::Error error = flags.checkStages(
          options.from, emit == "cpp" ? Stage::Native : options.to))
    return report(2, toString(std::move(error)));
  if (flags.isGiven("combine-launches") && options.to == Stage::Wrapper &&
      emit != "python" && emit != "fx" && emit != "cpp")
    return report(2, "the option 'combine-launches' has no effect: launches "
                     "are combined on the way to the stage 'native', and by "
                     "--emit=python, fx and cpp");
  if (llvm::Error error =
          checkInsertedPasses(options.pipelineOptions, options.from, options.to,
                              /*compilesKernels=*/emit == "cpp"))
    return report(2, toString(std::move(error)));
  auto debug = openDebugDirectory(flags.get("debug-dir"), input, module,
                                  options.from, options.pipelineOptions);
  if (!debug)
    return report(3, toString(debug.takeError()));
  options.debug = debug->get();
  std::atomic<bool> roundTripFailed = false;
  if (verifyRoundTripEach)
    options.configure = [&](PassManager &pm) {
      pm.addInstrumentation(createRoundTripVerifier(roundTripFailed));
    };
  llvm::Expected<std::vector<StageTime>> times =
      compileProgram(module, options);
  if (llvm::Error error = finishDebugDirectory(debug->get(), times.takeError()))
    return report(3, toString(std::move(error)));
  debug->reset();
  if (roundTripFailed)
    return report(3, "the program is another one when it is read again");
  if (!memoryReport.empty())
    if (int status = writeMemoryReport(module, input))
      return status;

  if (explain)
    printKernels(module, llvm::errs());
  if (timing) {
    double sum = 0;
    for (const StageTime &t : *times) {
      sum += t.seconds;
      llvm::errs() << llvm::format("%-8s %8.2f ms\n",
                                   stringifyStage(t.stage).str().c_str(),
                                   t.seconds * 1e3);
    }
    llvm::errs() << llvm::format("%-8s %8.2f ms\n", "all", sum * 1e3);
  }
  if (emit == "cpp")
    return writeCpp(module, options.pipelineOptions);
  std::string text;
  if (emit == "python" || emit == "fx") {
    PythonOptions python;
    python.source = input;
    python.torchCalls = torchCalls;
    llvm::raw_string_ostream os(text);
    CompilePipelineOptions pipeline;
    if (llvm::Error error = parseOptions(pipeline, options.pipelineOptions))
      return report(3, toString(std::move(error)));
    if (llvm::Error error = resolveOptions(pipeline))
      return report(3, toString(std::move(error)));
    if (failed(findCombinations(module, pipeline)))
      return report(3, "the program cannot be written as " + emit);
    if (failed(emit == "fx" ? emitFX(module, os, python)
                            : emitPython(module, os, python)))
      return report(3, "the program cannot be written as " + emit);
  }
  for (const RegisteredEmitter &emitter : getRegisteredEmitters()) {
    if (emitter.name != emit)
      continue;
    llvm::raw_string_ostream os(text);
    if (failed(emitter.emit(module, os, input)))
      return report(3, "the program cannot be written as " + emit);
  }
  llvm::Expected<std::unique_ptr<OutputFile>> file = OutputFile::open(output);
  if (!file)
    return report(2, toString(file.takeError()));
  if (emit != "mlir") {
    (*file)->os() << text;
  } else if (emitBytecode) {
    if (failed(writeBytecodeToFile(module, (*file)->os())))
      return report(3, "the module cannot be written as bytecode");
  } else {
    OpPrintingFlags printing;
    if (printLocations)
      printing.enableDebugInfo();
    module.print((*file)->os(), printing);
    (*file)->os() << '\n';
  }
  if (llvm::Error error = (*file)->commit())
    return report(2, toString(std::move(error)));
  return 0;
}
