//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// coil-bisect: finds the pass, the application of a pattern or the step of the
// program that first makes a result wrong, or the compiler fail or crash.
//
//===----------------------------------------------------------------------===//

#include "../coil-run/Inputs.h"
#include "../common/OptionFlags.h"
#include "../common/Tool.h"
#include "PassSteps.h"
#include "Search.h"

#include "coil/Driver/Driver.h"
#include "coil/InitAllDialects.h"
#include "coil/InitAllPasses.h"
#include "coil/Pipelines/PassNames.h"
#include "coil/Support/Error.h"
#include "coil/Support/OutputFile.h"
#include "coil/Support/TensorText.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

#ifdef COIL_INCLUDE_TESTS
namespace coil::test {
void registerTestPasses(); // test/lib
} // namespace coil::test
#endif

using namespace mlir;
using namespace coil;
namespace cl = llvm::cl;

static cl::OptionCategory category("coil-bisect options");
static cl::opt<std::string> input(cl::Positional, cl::Required,
                                  cl::desc("<model.pt2 or module.mlir>"),
                                  cl::cat(category));
static cl::opt<std::string> pipeline(
    "pipeline", cl::value_desc("passes"),
    cl::desc("Passes to search, as coil-opt --pass-pipeline takes them "
             "(default: those of the compiler up to the stage 'wrapper', then "
             "the code of each step)"),
    cl::cat(category));
static cl::list<std::string>
    inputs("input", cl::value_desc("value"), cl::cat(category),
           cl::desc("Input, once for each in order, as for coil-run; others "
                    "are made up"));
static cl::opt<uint64_t> seed("seed", cl::init(0), cl::value_desc("n"),
                              cl::desc("Seed of made-up inputs (default 0)"),
                              cl::cat(category));
static cl::list<std::string>
    symbols("symbol", cl::value_desc("name=value"), cl::cat(category),
            cl::desc("Size for made-up inputs, such as s0=17"));
static cl::opt<double> relativeTolerance(
    "rtol", cl::value_desc("x"), cl::cat(category),
    cl::desc("Allowed difference relative to the expected value (default: "
             "by element type)"));
static cl::opt<double> absoluteTolerance(
    "atol", cl::value_desc("x"), cl::cat(category),
    cl::desc("Allowed difference (default: by element type)"));
static cl::opt<unsigned>
    timeLimit("time-limit", cl::init(120), cl::value_desc("seconds"),
              cl::cat(category),
              cl::desc("What takes longer counts as a failure (default: 120)"));
static cl::opt<std::string> save(
    "save", cl::value_desc("directory"), cl::cat(category),
    cl::desc("Write the module before the pass that was found, and after it "
             "where it ends"));
static cl::opt<bool> listSteps("list", cl::cat(category),
                               cl::desc("Print the passes, and run none"));

static OptionFlags flags(OptionTools::Compile,
                         [](const OptionSpec &) -> cl::OptionCategory & {
                           return category;
                         });

static constexpr llvm::StringLiteral overview =
    R"(Find what makes a program wrong.

Passes run on the program one by one. After each number of them the program is
computed by the reference interpreter, and compared with what it computed before
all passes; binary search finds the first pass behind which the result is wrong,
or that fails or crashes. Where rewrite patterns did it, the application of the
pattern that did is found in the same way. If all passes are right, the program
is compiled and run, and its first step whose result differs is found.

  coil-bisect model.pt2
  coil-bisect model.pt2 --input=@images.npy --library=none
  coil-bisect module.mlir --pipeline='builtin.module(func.func(loop-fuse))'
  coil-bisect model.pt2 --save=bug && coil-reduce bug/before.mlir ...

Exit status: 0 everything is right, 1 something was found, 2 bad command line, 3
the program cannot be loaded, or the interpreter cannot compute it.
)";

static int report(int status, const llvm::Twine &message) {
  llvm::WithColor::error(llvm::errs(), "coil-bisect") << message << '\n';
  return status;
}

/// The passes that lead to the stage `wrapper`.
static llvm::Expected<std::vector<std::string>> makeSteps(ModuleOp module,
                                                          StringRef options) {
  std::string text;
  llvm::raw_string_ostream os(text);
  std::vector<std::string> steps;
  if (!pipeline.empty()) {
    StringRef given = pipeline;
    given.consume_front("builtin.module(") && given.consume_back(")");
    OpPassManager pm(ModuleOp::getOperationName());
    if (llvm::Error error = parsePipeline(given, pm))
      return std::move(error);
    return splitPasses(pipeline);
  }
  CompilePipelineOptions parsed;
  if (llvm::Error error = parseOptions(parsed, options))
    return std::move(error);
  if (llvm::Error error = resolveOptions(parsed))
    return std::move(error);
  OpPassManager pm(ModuleOp::getOperationName());
  Stage stage = detectStage(module);
  if (stage == Stage::Graph)
    stage = Stage::Input; // Compound operators may be left.
  if (stage == Stage::Input)
    buildPreparation(pm, module);
  for (Stage next : {Stage::Graph, Stage::Loop, Stage::Wrapper})
    if (next > stage)
      buildStagePipeline(pm, next, parsed);
  pm.printAsTextualPipeline(os);
  return splitPasses(text);
}

/// Arguments of the program: weights from their file, others as given.
static llvm::Expected<SmallVector<reference::Tensor>>
makeArguments(const Program &program, FunctionOpInterface function) {
  auto type = cast<FunctionType>(function.getFunctionType());
  llvm::Expected<Signature> signature =
      Signature::create(type.getInputs(), type.getResults(),
                        function->getAttrOfType<DictionaryAttr>("sym.symbols"));
  if (!signature)
    return signature.takeError();
  InputOptions options;
  options.texts.assign(inputs.begin(), inputs.end());
  options.symbols.assign(symbols.begin(), symbols.end());
  options.random = true;
  options.seed = seed;
  SmallVector<TensorSpec, 0> specs;
  SmallVector<const import::Weight *> weights;
  for (auto [i, spec] : llvm::enumerate(signature->getInputs())) {
    auto name = function.getArgAttrOfType<StringAttr>(i, "graph.weight");
    weights.push_back(name && program.weights ? program.weights->lookup(name)
                                              : nullptr);
    if (!weights.back())
      specs.push_back(spec);
  }
  llvm::Expected<Inputs> made = Inputs::create(*signature, specs, options);
  if (!made)
    return made.takeError();
  // They live as long as the tool.
  static Inputs kept;
  kept = std::move(*made);
  SmallVector<reference::Tensor> arguments;
  size_t next = 0;
  for (const import::Weight *weight : weights) {
    if (weight) {
      std::optional<int32_t> dtype = parseDType(import::getName(weight->dtype));
      if (!dtype)
        return makeError("weight '" + weight->name + "' has no tensor");
      arguments.push_back(reference::Tensor::fromStrided(
          static_cast<reference::DType>(*dtype), weight->sizes, weight->strides,
          weight->data()));
      continue;
    }
    const coil_tensor &view = kept.getViews()[next++];
    auto rank = static_cast<size_t>(view.rank);
    arguments.push_back(reference::Tensor::fromStrided(
        static_cast<reference::DType>(view.dtype), {view.sizes, rank},
        {view.strides, rank}, view.data));
  }
  return arguments;
}

static void printIndented(StringRef text) {
  for (StringRef rest = text.trim(); !rest.empty();) {
    auto [line, more] = rest.split('\n');
    llvm::outs() << "    " << line << '\n';
    rest = more;
  }
}

/// Writes the modules around the pass that was found.
static int saveModules(const Search &search, const Search::Found &found) {
  if (std::error_code error = llvm::sys::fs::create_directories(save))
    return report(2, "cannot create '" + save + "': " + error.message());
  for (auto [name, count] : {std::pair("before.mlir", found.step),
                             std::pair("after.mlir", found.step + 1)}) {
    std::string text = search.print(count);
    // A pass that crashes leaves nothing.
    if (text.empty())
      continue;
    SmallString<128> path(save);
    llvm::sys::path::append(path, name);
    if (llvm::Error error = writeFile(path, text))
      return report(2, toString(std::move(error)));
    llvm::outs() << "  wrote " << path << '\n';
  }
  return 1;
}

int main(int argc, char **argv) {
  Tool tool(argc, argv, "coil-bisect", 3, 2);
  cl::HideUnrelatedOptions(category);
  tool.checkFlags(argc, argv);
  if (!cl::ParseCommandLineOptions(argc, argv, overview, &llvm::errs()))
    return 2;
  registerAllPasses();
#ifdef COIL_INCLUDE_TESTS
  test::registerTestPasses();
#endif
  if (llvm::Error error = flags.loadPluginFiles())
    return report(2, toString(std::move(error)));
  for (StringRef name : {"to", "from", "debug-dir"})
    if (flags.isGiven(name))
      return report(2, "--" + name +
                           " has no effect: the search goes from "
                           "what the input holds to its results");
  if (timeLimit == 0)
    return report(2, "--time-limit must be 1 or more");
  llvm::Expected<GivenOptions> given = flags.getPipelineOptions();
  if (!given)
    return report(2, toString(given.takeError()));

  DialectRegistry registry;
  registerAllDialects(registry);
  // Children of the process have no threads.
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  llvm::Expected<Program> program =
      loadProgram(input, flags.get("weights"), sources, context);
  if (!program)
    return report(3, toString(program.takeError()));
  auto function = dyn_cast_or_null<FunctionOpInterface>(
      program->module->lookupSymbol(flags.get("function")));
  if (!function)
    return report(3, "there is no function '" + flags.get("function") + "'");
  llvm::Expected<std::vector<std::string>> steps =
      makeSteps(*program->module, given->str());
  if (!steps)
    return report(2, toString(steps.takeError()));
  if (listSteps) {
    for (auto [i, step] : llvm::enumerate(*steps))
      llvm::outs() << i + 1 << ' ' << step << '\n';
    return 0;
  }
  llvm::Expected<SmallVector<reference::Tensor>> arguments =
      makeArguments(*program, function);
  if (!arguments)
    return report(2, toString(arguments.takeError()));

  SearchOptions options;
  options.function = flags.get("function").str();
  options.seconds = timeLimit;
  if (relativeTolerance.getNumOccurrences())
    options.relative = relativeTolerance;
  if (absoluteTolerance.getNumOccurrences())
    options.absolute = absoluteTolerance;
  Search search(*program->module, *steps, *arguments, options);
  if (std::string why = search.prepare(); !why.empty())
    return report(3, why);
  llvm::outs() << steps->size() << " passes\n";
  if (std::optional<Search::Found> found = search.findPass()) {
    llvm::outs() << "pass " << found->step + 1 << ' '
                 << describeOutcome(found->result.outcome) << ": "
                 << (*steps)[found->step] << '\n';
    printIndented(found->result.message);
    if (std::optional<Search::Application> pattern =
            search.findPattern(*found)) {
      llvm::outs() << "application " << pattern->number + 1 << " of "
                   << pattern->count << " of its patterns "
                   << describeOutcome(pattern->result.outcome) << '\n';
      printIndented(pattern->description);
    }
    return save.empty() ? 1 : saveModules(search, *found);
  }
  llvm::outs() << "all passes give the right result\n";
  if (!pipeline.empty())
    return 0;
  std::optional<TrialResult> step = search.findStep(given->str());
  if (!step) {
    llvm::outs() << "so does the compiled program\n";
    return 0;
  }
  llvm::outs() << "the compiled program " << describeOutcome(step->outcome)
               << '\n';
  printIndented(step->message);
  return 1;
}
