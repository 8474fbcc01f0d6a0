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
#include "coil/Support/OutputFile.h"
#include "coil/Support/SourceText.h"
#include "coil/Support/ThreadPool.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
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
  auto [input, output] = mlir::registerAndParseCLIOptions(
      argc, argv, "Coil pass driver\n", registry);
  if (llvm::Error error = coil::checkNotInput(output, llvm::StringRef(input))) {
    llvm::errs() << "coil-opt: error: " << toString(std::move(error)) << '\n';
    return EXIT_FAILURE;
  }
  if (hasTextProblem(input))
    return EXIT_FAILURE;
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, input, output, registry));
}
