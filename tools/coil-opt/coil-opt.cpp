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

#include "coil/InitAllDialects.h"
#include "coil/InitAllPasses.h"
#include "coil/Support/Nesting.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#ifdef COIL_INCLUDE_TESTS
namespace coil::test {
void registerTestPasses(); // test/lib
} // namespace coil::test
#endif

/// Says where the file is nested too deep for the parser. What the standard
/// input gives can be read only once, and is left to the parser.
static bool isTooDeep(llvm::StringRef path) {
  if (path == "-")
    return false;
  std::unique_ptr<llvm::MemoryBuffer> file = mlir::openInputFile(path);
  if (!file)
    return false; // MlirOptMain says why.
  llvm::StringRef text = file->getBuffer();
  std::optional<size_t> deep = coil::findDeepNesting(text);
  if (!deep)
    return false;
  llvm::StringRef before = text.take_front(*deep);
  llvm::errs() << path << ':' << before.count('\n') + 1 << ':'
               << before.size() - (before.rfind('\n') + 1) + 1
               << ": error: nested deeper than the limit of "
               << coil::kMaxTextNesting << '\n';
  return true;
}

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  coil::registerAllDialects(registry);
  coil::registerAllPasses();
#ifdef COIL_INCLUDE_TESTS
  coil::test::registerTestPasses();
#endif
  auto [input, output] = mlir::registerAndParseCLIOptions(
      argc, argv, "Coil pass driver\n", registry);
  if (isTooDeep(input))
    return EXIT_FAILURE;
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, input, output, registry));
}
