//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Round trips of modules between passes.
//
//===----------------------------------------------------------------------===//

#include "coil/Report/RoundTrip.h"

#include "coil/Report/IRDiff.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Operation.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace coil;

namespace {

/// Text as users read and write it, with locations. An operation with others
/// beside it may not be parsed with their aliases.
std::string printText(Operation *op, bool isNested) {
  std::string text;
  llvm::raw_string_ostream os(text);
  OpPrintingFlags flags;
  flags.enableDebugInfo();
  if (isNested)
    flags.useLocalScope();
  op->print(os, flags);
  return text;
}

/// A module, since there are verifiers upstream that want one around them.
OwningOpRef<ModuleOp> makeHolder(MLIRContext *context) {
  return ModuleOp::create(UnknownLoc::get(context));
}

/// What an operation is compared by: the generic form, which has each attribute
/// and type. Locations are in the text alone: neither terminators that it
/// leaves out nor arguments of blocks in a syntax of its own have one there.
std::string describe(Operation *op) {
  OwningOpRef<ModuleOp> holder = makeHolder(op->getContext());
  Operation *copy = op->clone();
  holder->push_back(copy);
  // What upstream's dialects leave out of their text: a default that the parser
  // writes out, and what is computed of an operation and kept with it.
  copy->walk([](Operation *each) {
    if (auto unnamed =
            each->getAttrOfType<LLVM::UnnamedAddrAttr>("unnamed_addr"))
      if (unnamed.getValue() == LLVM::UnnamedAddr::None)
        each->removeAttr("unnamed_addr");
    each->removeDiscardableAttr("linalg.memoized_indexing_maps");
  });
  std::string text;
  llvm::raw_string_ostream os(text);
  copy->print(
      os,
      OpPrintingFlags().printGenericOpForm().useLocalScope().enableDebugInfo(
          false));
  return text + '\n' + printText(copy, /*isNested=*/true);
}

class RoundTripVerifier : public PassInstrumentation {
public:
  explicit RoundTripVerifier(std::atomic<bool> &hasFailed)
      : hasFailed(hasFailed) {}

  void runAfterPass(Pass *pass, Operation *op) override {
    // Adaptors run the passes of a nested pipeline, which are checked
    // themselves.
    if (pass->getArgument().empty() || hasFailed)
      return;
    std::string expected = describe(op);
    check(pass, op, expected, "text", printText(op, op->getParentOp()),
          [](StringRef text, Block &block, const ParserConfig &config) {
            return parseSourceString(text, &block, config);
          });
    if (hasFailed)
      return;
    std::string bytecode;
    llvm::raw_string_ostream os(bytecode);
    if (failed(writeBytecodeToFile(op, os)))
      return fail(pass, op, "bytecode", "cannot be written", "");
    check(pass, op, expected, "bytecode", bytecode,
          [](StringRef data, Block &block, const ParserConfig &config) {
            return readBytecodeFile(llvm::MemoryBufferRef(data, "bytecode"),
                                    &block, config);
          });
  }

private:
  using Reader =
      function_ref<LogicalResult(StringRef, Block &, const ParserConfig &)>;

  void fail(Pass *pass, Operation *op, StringRef form, StringRef what,
            StringRef details) {
    hasFailed = true;
    InFlightDiagnostic error = emitError(op->getLoc(), "after the pass '")
                               << pass->getArgument() << "' the " << form
                               << " of this operation " << what;
    if (!details.empty())
      error.attachNote() << details;
  }

  /// Reads what was written, in a context that has nothing of the other's:
  /// names of resources would be taken.
  void check(Pass *pass, Operation *op, StringRef expected, StringRef form,
             StringRef written, Reader read) {
    MLIRContext context(op->getContext()->getDialectRegistry(),
                        MLIRContext::Threading::DISABLED);
    context.allowUnregisteredDialects(
        op->getContext()->allowsUnregisteredDialects());
    std::string messages;
    llvm::raw_string_ostream os(messages);
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      os << diagnostic.getLocation() << ": " << diagnostic << '\n';
      return success();
    });
    // The operation has been verified where it is. Symbols that it names may
    // be outside of it.
    ParserConfig config(&context, /*verifyAfterParse=*/false);
    OwningOpRef<ModuleOp> holder = makeHolder(&context);
    Block &block = *holder->getBody();
    if (failed(read(written, block, config)))
      return fail(pass, op, form, "cannot be read", messages);
    if (!llvm::hasSingleElement(block))
      return fail(pass, op, form, "is not one operation", messages);
    std::string found = describe(&block.front());
    if (found == expected)
      return;
    std::string edits;
    llvm::raw_string_ostream diff(edits);
    if (!printLineDiff(expected, found, /*context=*/0, diff))
      diff << "numbers of values differ";
    fail(pass, op, form, "is another one when it is read", edits);
  }

  std::atomic<bool> &hasFailed;
};

} // namespace

std::unique_ptr<PassInstrumentation>
coil::createRoundTripVerifier(std::atomic<bool> &hasFailed) {
  return std::make_unique<RoundTripVerifier>(hasFailed);
}
