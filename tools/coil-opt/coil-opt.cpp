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
#include "coil/Support/Error.h"
#include "coil/Support/OutputFile.h"
#include "coil/Support/Registration.h"
#include "coil/Support/SourceText.h"
#include "coil/Support/ThreadPool.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Threading.h"
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
  auto [input, output] = mlir::registerAndParseCLIOptions(
      argc, argv, "Coil pass driver\n", registry);
  if (listStages) {
    coil::printStages(llvm::outs());
    return EXIT_SUCCESS;
  }
  if (llvm::Error error = coil::checkRegistrations())
    return fail(std::move(error));
  if (llvm::Error error = coil::checkNotInput(output, llvm::StringRef(input)))
    return fail(std::move(error));
  if (hasTextProblem(input))
    return EXIT_FAILURE;
  mlir::LogicalResult result =
      mlir::MlirOptMain(argc, argv, input, output, registry);
  // Devices are registered when the dialect is loaded.
  if (llvm::Error error = coil::checkRegistrations())
    return fail(std::move(error));
  return mlir::asMainReturnCode(result);
}
