//===----------------------------------------------------------------------===//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Imports a .pt2 file and writes the module that it describes.
//
//===----------------------------------------------------------------------===//

#include "../common/Tool.h"

#include "coil/Import/AtenSchema.h"
#include "coil/Import/Import.h"
#include "coil/Support/OutputFile.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/SourceMgr.h"
#include <map>

using namespace llvm;
namespace import = coil::import;

static cl::OptionCategory mainCategory("coil-import options");
static cl::OptionCategory
    limitCategory("coil-import: limits",
                  "A file that goes over one of them is refused.");

static cl::opt<std::string> inputFile(cl::Positional, cl::Required,
                                      cl::desc("<model.pt2>"),
                                      cl::cat(mainCategory));
static cl::opt<std::string>
    outputFile("o",
               cl::desc("Where to write the module, '-' for standard "
                        "output (default)"),
               cl::value_desc("file"), cl::init("-"), cl::cat(mainCategory));
static cl::opt<std::string>
    model("model",
          cl::desc("Name of the program, for a file that holds several"),
          cl::value_desc("name"), cl::cat(mainCategory));
static cl::opt<bool>
    listOps("list-ops",
            cl::desc("List the operators with their counts, and whether Coil "
                     "has a schema for them, instead of importing"),
            cl::cat(mainCategory));
static cl::opt<bool> listWeights(
    "list-weights",
    cl::desc("List the weights with element types and sizes instead of "
             "importing"),
    cl::cat(mainCategory));
static cl::opt<bool>
    noWeights("no-weights",
              cl::desc("Do not look for the weights or check them"),
              cl::cat(mainCategory));
static cl::opt<bool>
    checkWeights("check-weights",
                 cl::desc("Compare the bytes of the weights with their CRC-32"),
                 cl::cat(mainCategory));
static cl::opt<bool> allowUncheckedGuards(
    "allow-unchecked-guards",
    cl::desc("Import programs of which export assumed something of the inputs "
             "that cannot be checked, with a warning"),
    cl::cat(mainCategory));
enum class WeightsMode { External, Inline };
static cl::opt<WeightsMode> weightsMode(
    "weights", cl::desc("Where the weights are"),
    cl::values(clEnumValN(WeightsMode::External, "external",
                          "in the .pt2 file, named by arguments (default)"),
               clEnumValN(WeightsMode::Inline, "inline",
                          "in the module, which then needs no other file")),
    cl::init(WeightsMode::External), cl::cat(mainCategory));
static cl::opt<bool>
    printLocations("print-locations",
                   cl::desc("Print node names and source lines"),
                   cl::cat(mainCategory));
static cl::opt<bool> emitBytecode("emit-bytecode",
                                  cl::desc("Write bytecode instead of text"),
                                  cl::cat(mainCategory));

static import::Limits limits;
static cl::opt<uint64_t, true>
    maxFileSize("max-file-size", cl::value_desc("n"),
                cl::location(limits.maxFileSize),
                cl::desc("Bytes of the file; 0, the default, means unbounded"),
                cl::init(limits.maxFileSize), cl::cat(limitCategory));
static cl::opt<uint64_t, true>
    maxEntries("max-entries", cl::value_desc("n"),
               cl::location(limits.maxEntries),
               cl::desc("Records in the archive (default 65536)"),
               cl::init(limits.maxEntries), cl::cat(limitCategory));
static cl::opt<uint64_t, true>
    maxNameLength("max-name-length", cl::value_desc("n"),
                  cl::location(limits.maxNameLength),
                  cl::desc("Bytes of a record's name (default 1024)"),
                  cl::init(limits.maxNameLength), cl::cat(limitCategory));
static cl::opt<uint64_t, true> maxJSONDepth(
    "max-json-depth", cl::value_desc("n"), cl::location(limits.maxJSONDepth),
    cl::desc("Nesting of arrays and objects in JSON (default 256)"),
    cl::init(limits.maxJSONDepth), cl::cat(limitCategory));
static cl::opt<uint64_t, true>
    maxJSONBytes("max-json-bytes", cl::value_desc("n"),
                 cl::location(limits.maxJSONBytes),
                 cl::desc("Bytes of a JSON record (default 256 MiB)"),
                 cl::init(limits.maxJSONBytes), cl::cat(limitCategory));
static cl::opt<uint64_t, true>
    maxNodes("max-nodes", cl::value_desc("n"), cl::location(limits.maxNodes),
             cl::desc("Nodes of the graph (default 1000000)"),
             cl::init(limits.maxNodes), cl::cat(limitCategory));
static cl::opt<uint64_t, true>
    maxRank("max-rank", cl::value_desc("n"), cl::location(limits.maxRank),
            cl::desc("Rank of a tensor (default 64)"), cl::init(limits.maxRank),
            cl::cat(limitCategory));
static cl::opt<uint64_t, true>
    maxElements("max-elements", cl::value_desc("n"),
                cl::location(limits.maxElements),
                cl::desc("Elements of a tensor (default 2^47)"),
                cl::init(limits.maxElements), cl::cat(limitCategory));
static cl::opt<uint64_t, true>
    maxExprDepth("max-expr-depth", cl::value_desc("n"),
                 cl::location(limits.maxExprDepth),
                 cl::desc("Nesting of a symbolic expression (default 128)"),
                 cl::init(limits.maxExprDepth), cl::cat(limitCategory));

static constexpr int exitUsage = 2;
static constexpr int exitLoad = 3;

static constexpr StringLiteral overview =
    R"(Import a PyTorch program that torch.export.save wrote (a .pt2 file).

The result is a module with a function @main of graph.aten operators. Weights
stay in the .pt2 file, where coil-run --weights=model.pt2 finds them; arguments
with the attribute graph.weight name them. With --weights=inline they become
constants of the module.
Nothing in the file is executed, and pickles are never opened.

  coil-import model.pt2 -o model.mlir
  coil-import model.pt2 --weights=inline -o model.mlir
  coil-import model.pt2 --list-ops

Exit status: 0 success, 2 wrong usage, 3 the file cannot be imported.
)";

static int printOps(const import::ExportedProgram &program, raw_ostream &os) {
  std::map<StringRef, unsigned> counts;
  for (const import::Node &node : program.nodes)
    ++counts[node.target];
  for (auto [target, count] : counts) {
    StringRef name = target;
    name.consume_front("torch.ops.");
    StringRef aten = name;
    bool known = aten.consume_front("aten.") && import::findAtenSchema(aten);
    std::string shown = import::quoted(name);
    os << format("%6u  ", count) << StringRef(shown).drop_front().drop_back()
       << (known ? "" : "  (no schema)") << '\n';
  }
  return 0;
}

static int printWeights(const import::WeightStore &weights, raw_ostream &os) {
  for (const import::Weight &weight : weights.getWeights()) {
    std::string shown = import::quoted(weight.name);
    os << StringRef(shown).drop_front().drop_back() << "  "
       << import::getName(weight.dtype) << " [";
    ListSeparator comma;
    for (int64_t size : weight.sizes)
      os << comma << size;
    os << "]" << (weight.isContiguous() ? "" : " strided") << '\n';
  }
  return 0;
}

static Error list(raw_ostream &os) {
  Expected<import::Package> package = import::Package::open(inputFile, limits);
  if (!package)
    return package.takeError();
  if (listWeights) {
    Expected<std::unique_ptr<import::WeightStore>> weights =
        package->loadWeights(model, limits, checkWeights);
    if (!weights)
      return weights.takeError();
    printWeights(**weights, os);
    return Error::success();
  }
  Expected<StringRef> text = package->getProgramText(model);
  if (!text)
    return text.takeError();
  import::ExportedProgram program;
  if (Error error = import::parseExportedProgram(*text, limits, program))
    return error;
  printOps(program, os);
  return Error::success();
}

static Error convert(raw_ostream &os) {
  import::ImportOptions options;
  options.limits = limits;
  options.model = model;
  options.loadWeights = !noWeights;
  options.checkWeightCRC = checkWeights;
  options.allowUncheckedGuards = allowUncheckedGuards;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  // What is not checked is a warning.
  SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler handler(sources, &context);
  Expected<import::ImportedProgram> program =
      import::importExportedProgram(inputFile, &context, options);
  if (!program)
    return program.takeError();
  if (weightsMode == WeightsMode::Inline)
    if (Error error =
            import::inlineWeights(*program->module, *program->weights))
      return error;
  if (emitBytecode) {
    if (failed(mlir::writeBytecodeToFile(*program->module, os)))
      return import::makeError("cannot write bytecode");
    return Error::success();
  }
  mlir::OpPrintingFlags flags;
  if (printLocations)
    flags.enableDebugInfo(/*enable=*/true, /*prettyForm=*/false);
  program->module->print(os, flags);
  os << '\n';
  return Error::success();
}

int main(int argc, char **argv) {
  coil::Tool tool(argc, argv, "coil-import", exitLoad, exitUsage);
  cl::HideUnrelatedOptions({&mainCategory, &limitCategory});
  tool.checkFlags(argc, argv);
  if (!cl::ParseCommandLineOptions(argc, argv, overview, &errs()))
    return exitUsage;

  auto fail = [](const Twine &file, const Twine &message, int status) {
    errs() << file << ": error: " << message << '\n';
    return status;
  };
  if (noWeights && weightsMode == WeightsMode::Inline)
    return fail("coil-import",
                "--no-weights and --weights=inline exclude each "
                "other",
                exitUsage);
  if (Error error = coil::checkNotInput(outputFile, StringRef(inputFile)))
    return fail("coil-import", toString(std::move(error)), exitUsage);
  Expected<std::unique_ptr<coil::OutputFile>> output =
      coil::OutputFile::open(outputFile);
  if (!output)
    return fail("coil-import", toString(output.takeError()), exitUsage);
  raw_ostream &os = (*output)->os();
  if (Error error = listOps || listWeights ? list(os) : convert(os))
    return fail(inputFile, toString(std::move(error)), exitLoad);
  if (Error error = (*output)->commit())
    return fail("coil-import", toString(std::move(error)), exitUsage);
  return 0;
}
