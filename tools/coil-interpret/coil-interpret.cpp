//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// coil-interpret: runs functions of a module in the reference interpreter and
// prints their results.
//
//===----------------------------------------------------------------------===//

#include "../common/Tool.h"

#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "coil/Driver/Driver.h"
#include "coil/InitAllDialects.h"
#include "coil/Reference/HostInterpreter.h"
#include "coil/Reference/Interpreter.h"
#include "coil/Reference/Tensor.h"
#include "coil/Runtime/Functions.h"
#include "coil/Support/Npy.h"
#include "coil/Support/TensorText.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace coil;
namespace cl = llvm::cl;

static cl::OptionCategory category("coil-interpret options");
static cl::opt<std::string> inputFile(cl::Positional, cl::init("-"),
                                      cl::desc("<file.mlir>"),
                                      cl::cat(category));
static cl::opt<std::string>
    functionName("function", cl::cat(category), cl::value_desc("name"),
                 cl::desc("Function to run (default: every function that takes "
                          "no arguments)"));
static cl::list<std::string>
    inputs("input", cl::cat(category), cl::value_desc("value"),
           cl::desc("Argument, in order: @file.npy, a value as for coil-run, "
                    "or a literal such as "
                    "'dense<[1.0, 2.0]> : tensor<2xf32>'"));
static cl::list<std::string>
    outputs("output", cl::cat(category), cl::value_desc("@file.npy"),
            cl::desc("Where a result goes, in order (default: printed)"));
static cl::list<std::string>
    functionFiles("functions", cl::cat(category), cl::value_desc("libfoo.so"),
                  cl::desc("Shared library of host functions that the program "
                           "calls; may be repeated"));
static cl::opt<int64_t> maxSteps("max-steps", cl::cat(category),
                                 cl::init(int64_t(1) << 40),
                                 cl::desc("Scalar operations to run at most"));
static cl::opt<int64_t> maxBytes("max-bytes", cl::cat(category),
                                 cl::init(int64_t(1) << 34),
                                 cl::desc("Bytes of tensors alive at most"));
static cl::opt<bool> peakBytes(
    "peak-bytes", cl::cat(category),
    cl::desc("Print the most bytes that a host program had allocated at "
             "once, to the standard error"));

/// Reads an argument.
static std::optional<reference::Tensor> readInput(llvm::StringRef text,
                                                  MLIRContext *context) {
  if (text.consume_front("@")) {
    llvm::Expected<HostTensor> array = readNpy(text);
    if (!array) {
      llvm::WithColor::error() << llvm::toString(array.takeError()) << "\n";
      return std::nullopt;
    }
    return reference::Tensor::fromStrided(
        static_cast<reference::DType>(array->getDType()), array->getSizes(),
        array->getStrides(), array->getData());
  }
  if (text.contains('=')) { // As for coil-run.
    llvm::Expected<HostTensor> tensor =
        parseTensor(text, /*scalarType=*/COIL_F32);
    if (!tensor) {
      llvm::WithColor::error() << llvm::toString(tensor.takeError()) << "\n";
      return std::nullopt;
    }
    const coil_tensor &view = tensor->getView();
    size_t rank = static_cast<size_t>(view.rank);
    return reference::Tensor::fromStrided(
        static_cast<reference::DType>(view.dtype), {view.sizes, rank},
        {view.strides, rank}, view.data);
  }
  auto literal = dyn_cast_or_null<ElementsAttr>(parseAttribute(text, context));
  std::optional<reference::Tensor> tensor;
  if (literal)
    tensor = reference::Tensor::fromAttribute(literal);
  if (!tensor)
    llvm::WithColor::error() << "'" << text << "' is not a tensor literal\n";
  return tensor;
}

/// Writes the results to the files of `--output`.
static bool writeOutputs(llvm::ArrayRef<reference::Tensor> results) {
  if (results.size() != outputs.size()) {
    llvm::WithColor::error() << "expected " << results.size()
                             << " outputs but got " << outputs.size() << "\n";
    return false;
  }
  for (auto [result, text] : llvm::zip(results, outputs)) {
    llvm::StringRef path = text;
    if (!path.consume_front("@")) {
      llvm::WithColor::error()
          << "expected '@file.npy' but got '" << text << "'\n";
      return false;
    }
    llvm::SmallVector<int64_t> strides =
        reference::getContiguousStrides(result.getSizes());
    coil_tensor tensor = {result.getData(),
                          result.getSizes().data(),
                          strides.data(),
                          static_cast<int32_t>(result.getRank()),
                          static_cast<int32_t>(result.getDType()),
                          /*device_type=*/0,
                          /*device_index=*/0};
    if (llvm::Error error = writeNpy(path, tensor)) {
      llvm::WithColor::error() << llvm::toString(std::move(error)) << "\n";
      return false;
    }
  }
  return true;
}

int main(int argc, char **argv) {
  Tool tool(argc, argv, "coil-interpret", 3, 2);
  cl::HideUnrelatedOptions(category);
  tool.checkFlags(argc, argv);
  if (!cl::ParseCommandLineOptions(argc, argv, "Coil reference interpreter\n",
                                   &llvm::errs()))
    return 2;

  for (const std::string &file : functionFiles)
    if (coil_load_functions(file.c_str()) != COIL_OK) {
      llvm::WithColor::error() << coil_last_error() << "\n";
      return 3;
    }
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  llvm::Expected<OwningOpRef<ModuleOp>> loaded =
      loadModule(inputFile, sources, context);
  if (!loaded) {
    llvm::errs() << "coil-interpret: error: "
                 << llvm::toString(loaded.takeError()) << '\n';
    return 3;
  }
  OwningOpRef<ModuleOp> module = std::move(*loaded);

  std::vector<reference::Tensor> arguments;
  for (const std::string &text : inputs) {
    std::optional<reference::Tensor> tensor = readInput(text, &context);
    if (!tensor)
      return 2;
    arguments.push_back(*tensor);
  }
  SmallVector<FunctionOpInterface> functions;
  for (auto function : module->getOps<FunctionOpInterface>())
    if (isa<func::FuncOp, wrapper::FuncOp>(function) &&
        (functionName.empty()
             ? !function.isExternal() && function.getNumArguments() == 0
             : function.getName() == functionName))
      functions.push_back(function);
  if (functions.empty()) {
    llvm::WithColor::error()
        << (functionName.empty() ? "no function without arguments"
                                 : "no function '" + functionName + "'")
        << "\n";
    return 2;
  }

  int status = 0;
  for (FunctionOpInterface function : functions) {
    reference::InterpreterOptions options;
    options.maxSteps = maxSteps;
    options.maxBytes = maxBytes;
    FailureOr<SmallVector<reference::Tensor>> results = failure();
    if (auto host = dyn_cast<wrapper::FuncOp>(function.getOperation())) {
      reference::HostInterpreter interpreter(options);
      results = interpreter.run(
          host, llvm::map_to_vector(arguments, [](const auto &tensor) {
            return reference::HostArgument{tensor, {}};
          }));
      if (peakBytes)
        llvm::errs() << "peak " << interpreter.getPeakStorageBytes()
                     << " bytes\n";
    } else
      results = reference::Interpreter(options).run(
          cast<func::FuncOp>(function.getOperation()), arguments);
    if (failed(results)) {
      status = 4;
      continue;
    }
    if (!outputs.empty()) {
      if (!writeOutputs(*results))
        status = 2;
      continue;
    }
    llvm::outs() << "@" << function.getName() << "\n";
    for (const reference::Tensor &result : *results) {
      llvm::outs() << "  ";
      result.print(llvm::outs());
      llvm::outs() << "\n";
    }
  }
  return status;
}
