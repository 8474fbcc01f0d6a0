//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// coil-opt: runs pass pipelines over modules.
//
//===----------------------------------------------------------------------===//

#include "../common/Tool.h"

#include "coil/InitAllDialects.h"
#include "coil/InitAllPasses.h"
#include "coil/Pipelines/Extensions.h"
#include "coil/Pipelines/Options.h"
#include "coil/Pipelines/PassNames.h"
#include "coil/Report/IRDiff.h"
#include "coil/Report/RoundTrip.h"
#include "coil/Support/Error.h"
#include "coil/Support/OutputFile.h"
#include "coil/Support/Registration.h"
#include "coil/Support/SourceText.h"
#include "coil/Support/ThreadPool.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

#ifdef COIL_INCLUDE_TESTS
namespace coil::test {
void registerTestPasses(); // test/lib
} // namespace coil::test
#endif

/// Says what of the file the parser would not survive. What the standard input
/// gives can be read only once, and is left to the parser.
static bool hasTextProblem(llvm::StringRef path) {
  if (path == "-")
    return false;
  std::unique_ptr<llvm::MemoryBuffer> file = mlir::openInputFile(path);
  if (!file)
    return false; // MlirOptMain says why.
  llvm::StringRef text = file->getBuffer();
  std::optional<coil::TextProblem> problem = coil::findTextProblem(text);
  if (!problem)
    return false;
  llvm::StringRef before = text.take_front(problem->offset);
  llvm::errs() << path << ':' << before.count('\n') + 1 << ':'
               << before.size() - (before.rfind('\n') + 1) + 1
               << ": error: " << problem->what << '\n';
  return true;
}

static llvm::cl::OptionCategory category("coil-opt options");

static llvm::cl::opt<bool>
    listStages("list-stages",
               llvm::cl::desc("Print the stages of the compiler and the "
                              "extension points at which passes can be added"),
               llvm::cl::cat(category));

enum class OptionsForm { None, Markdown, JSON };
static llvm::cl::opt<OptionsForm> listOptions(
    "list-options", llvm::cl::ValueOptional, llvm::cl::init(OptionsForm::None),
    llvm::cl::desc("Print the options of a compilation, which pipelines, "
                   "coil-compile, coil-run, C and Python take"),
    llvm::cl::values(
        clEnumValN(OptionsForm::Markdown, "markdown",
                   "as the tables of docs/reference/Options.md (default)"),
        clEnumValN(OptionsForm::Markdown, "", ""),
        clEnumValN(OptionsForm::JSON, "json", "for programs")),
    llvm::cl::cat(category));

static llvm::cl::opt<bool> printIRDiff(
    "print-ir-diff",
    llvm::cl::desc("Print the lines that each pass has changed, on standard "
                   "error; passes run one after the other"),
    llvm::cl::cat(category));

static llvm::cl::opt<bool> verifyRoundTripEach(
    "verify-roundtrip-each",
    llvm::cl::desc("Write and read the operation again after each pass, as "
                   "text and as bytecode, and fail after the first pass that "
                   "leaves what is another one then"),
    llvm::cl::cat(category));

/// Fails for passes and options of passes that there are not. MLIR's driver
/// does so, too, but without the nearest name.
static llvm::Error checkPassFlags(llvm::ArrayRef<char *> arguments) {
  for (llvm::StringRef argument : arguments) {
    if (!argument.consume_front("--") && !argument.consume_front("-"))
      continue;
    auto [name, value] = argument.split('=');
    mlir::OpPassManager pm;
    std::string text;
    if (name == "pass-pipeline") {
      // Its own operation is the root of a pipeline.
      text = value.split('(').second.str();
      if (!llvm::StringRef(text).ends_with(")"))
        continue; // MLIR's driver says what is missing.
      text.pop_back();
    } else if (mlir::PassInfo::lookup(name) && !value.empty()) {
      text = (name + "{" + value + "}").str();
    } else {
      continue;
    }
    if (llvm::Error error = coil::parsePipeline(text, pm))
      return coil::makeError("--" + name + ": " + toString(std::move(error)));
  }
  return llvm::Error::success();
}

/// What MLIR's driver does with the command line, with instrumentations.
static mlir::LogicalResult
runWithInstrumentations(llvm::StringRef input, llvm::StringRef output,
                        mlir::DialectRegistry &registry) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> file =
      mlir::openInputFile(input, &message);
  std::unique_ptr<llvm::ToolOutputFile> result =
      file ? mlir::openOutputFile(output, &message) : nullptr;
  if (!result) {
    llvm::errs() << "coil-opt: error: " << message << '\n';
    return mlir::failure();
  }
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  std::atomic<bool> hasFailed = false;
  auto instrumented = config;
  instrumented.setPassPipelineSetupFn([&](mlir::PassManager &pm) {
    if (printIRDiff) {
      pm.getContext()->disableMultithreading();
      pm.addInstrumentation(coil::createIRDiffPrinter(llvm::errs()));
    }
    if (verifyRoundTripEach)
      pm.addInstrumentation(coil::createRoundTripVerifier(hasFailed));
    return config.setupPassPipeline(pm);
  });
  if (failed(mlir::MlirOptMain(result->os(), std::move(file), registry,
                               instrumented)) ||
      hasFailed)
    return mlir::failure();
  result->keep();
  return mlir::success();
}

/// Fails for plugins that MLIR's driver is going to leave out with a message.
static llvm::Error checkPluginFlags(llvm::ArrayRef<char *> arguments) {
  for (llvm::StringRef argument : arguments) {
    argument.consume_front("-");
    argument.consume_front("-");
    for (auto [flag, symbol] :
         {std::pair("load-pass-plugin=", "mlirGetPassPluginInfo"),
          std::pair("load-dialect-plugin=", "mlirGetDialectPluginInfo")}) {
      llvm::StringRef file = argument;
      if (!file.consume_front(flag))
        continue;
      std::string why;
      llvm::sys::DynamicLibrary library =
          llvm::sys::DynamicLibrary::getPermanentLibrary(file.str().c_str(),
                                                         &why);
      if (!library.isValid())
        return coil::makeError("cannot load plugin '" + file + "': " + why);
      if (!library.getAddressOfSymbol(symbol))
        return coil::makeError("cannot load plugin '" + file +
                               "': it has no entry point '" + symbol + "'");
    }
  }
  return llvm::Error::success();
}

static int fail(llvm::Error error) {
  llvm::errs() << "coil-opt: error: " << toString(std::move(error)) << '\n';
  return EXIT_FAILURE;
}

int main(int argc, char **argv) {
  coil::Tool tool(argc, argv, "coil-opt", EXIT_FAILURE, EXIT_FAILURE);
  mlir::DialectRegistry registry;
  coil::registerAllDialects(registry);
  coil::registerAllPasses();
#ifdef COIL_INCLUDE_TESTS
  coil::test::registerTestPasses();
#endif
  // MLIR's driver makes its own threads, and ends where it cannot.
  std::vector<char *> arguments(argv, argv + argc);
  char noThreads[] = "--mlir-disable-threading";
  unsigned processors = llvm::hardware_concurrency().compute_thread_count();
  if (!coil::canStartThreads(processors))
    arguments.push_back(noThreads);
  argc = int(arguments.size());
  arguments.push_back(nullptr);
  argv = arguments.data();
  if (llvm::Error error =
          checkPluginFlags(llvm::ArrayRef(arguments).drop_back()))
    return fail(std::move(error));
  if (llvm::Error error = checkPassFlags(llvm::ArrayRef(arguments).drop_back()))
    return fail(std::move(error));
  std::string overview =
      mlir::registerCLIOptions("Coil pass driver\n", registry);
  tool.checkFlags(argc, argv);
  auto [input, output] = mlir::parseCLIOptions(argc, argv, overview);
  if (listStages) {
    coil::printStages(llvm::outs());
    return EXIT_SUCCESS;
  }
  if (listOptions != OptionsForm::None) {
    if (listOptions == OptionsForm::JSON)
      coil::printOptionsJSON(llvm::outs());
    else
      coil::printOptionsMarkdown(llvm::outs());
    return EXIT_SUCCESS;
  }
  if (mlir::MlirOptMainConfig::createFromCLOptions().shouldListPasses()) {
    coil::printPasses(llvm::outs());
    return EXIT_SUCCESS;
  }
  if (llvm::Error error = coil::checkRegistrations())
    return fail(std::move(error));
  if (llvm::Error error = coil::checkNotInput(output, llvm::StringRef(input)))
    return fail(std::move(error));
  if (hasTextProblem(input))
    return EXIT_FAILURE;
  mlir::LogicalResult result =
      printIRDiff || verifyRoundTripEach
          ? runWithInstrumentations(input, output, registry)
          : mlir::MlirOptMain(argc, argv, input, output, registry);
  // Devices are registered when the dialect is loaded.
  if (llvm::Error error = coil::checkRegistrations())
    return fail(std::move(error));
  return mlir::asMainReturnCode(result);
}
