//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes what a compilation makes into a directory.
//
//===----------------------------------------------------------------------===//

#include "coil/Report/DebugDirectory.h"

#include "DebugPage.h"
#include "TorchTrace.h"

#include "coil/Dialect/Wrapper/Analysis/Provenance.h"
#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "coil/ExecutionEngine/DeviceCompiler.h"
#include "coil/Support/OutputFile.h"
#include "coil/Target/HostText.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <mutex>

using namespace mlir;
using namespace coil;
using llvm::Error;

struct DebugDirectory::Impl {
  Impl(StringRef path, MLIRContext *context) : path(path), context(context) {}

  Error write(StringRef name, StringRef text, StringRef what = "");
  Error writeJSON(StringRef name, llvm::json::Value value, StringRef what) {
    return write(name, llvm::formatv("{0:2}\n", value).str(), what);
  }
  Error writeKernels(ModuleOp module);
  Error writePTX(ModuleOp module);
  Error writeProgram(ModuleOp module);
  Error writeRemarks();
  Error writeTrace(llvm::json::Value kernels);
  std::string getFileName(StringRef kernel);
  LogicalResult handle(Diagnostic &diagnostic);

  std::string path;
  MLIRContext *context;
  DebugRecord record;
  /// Diagnostics come from many threads.
  std::mutex mutex;
  /// Functions before and behind fusion.
  std::string beforeFusion, afterFusion;
  /// The program in Python; empty where it cannot be written.
  std::string python;
  llvm::StringMap<std::string> fileNames;
  llvm::StringSet<> usedNames;
  /// Where diagnostics go instead of to the caller, while something is tried.
  std::vector<std::string> *attempt = nullptr;
  bool ownsRemarks = false;
  /// Last: nothing comes when the rest is gone.
  std::optional<ScopedDiagnosticHandler> handler;
};

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

/// Takes "[Missed] NotFused | Category:loop-fuse | Function=main |
/// Remark=\"..\"" apart; what is not like this is the text.
static RemarkRecord parseRemark(StringRef text) {
  RemarkRecord remark;
  remark.text = text.str();
  StringRef rest = text;
  if (!rest.consume_front("["))
    return remark;
  remark.kind = rest.split(']').first.str();
  rest = rest.split(']').second;
  auto find = [&](StringRef key) {
    size_t at = rest.find(key);
    return at == StringRef::npos ? StringRef() : rest.substr(at + key.size());
  };
  remark.category = find("Category:").split(" | ").first.str();
  StringRef message = find("Remark=\"");
  if (message.empty())
    // Numbers without words.
    message = rest.rsplit(" | ").second;
  else if (message.ends_with("\""))
    message = message.drop_back();
  remark.text = message.str();
  return remark;
}

LogicalResult DebugDirectory::Impl::handle(Diagnostic &diagnostic) {
  std::string place = wrapper::findPlace(diagnostic.getLocation());
  std::lock_guard<std::mutex> lock(mutex);
  switch (diagnostic.getSeverity()) {
  case DiagnosticSeverity::Remark: {
    RemarkRecord remark = parseRemark(diagnostic.str());
    remark.place = std::move(place);
    record.remarks.push_back(std::move(remark));
    // Somebody else asked for remarks, or nobody.
    return success(ownsRemarks);
  }
  case DiagnosticSeverity::Error: {
    std::vector<std::string> &list = attempt ? *attempt : record.errors;
    list.push_back((place.empty() ? "" : place + ": ") + diagnostic.str());
    return success(attempt != nullptr);
  }
  case DiagnosticSeverity::Note:
  case DiagnosticSeverity::Warning:
    return success(attempt != nullptr);
  }
  return failure();
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

Error DebugDirectory::Impl::write(StringRef name, StringRef text,
                                  StringRef what) {
  SmallString<128> file(path);
  llvm::sys::path::append(file, name);
  if (Error error = writeFile(file, text))
    return error;
  if (!what.empty())
    record.files.emplace_back(name.str(), what.str());
  return Error::success();
}

/// A name in the directory `kernels`, without an ending: letters, digits and
/// underscores, another one for each kernel.
std::string DebugDirectory::Impl::getFileName(StringRef kernel) {
  std::string &name = fileNames[kernel];
  if (!name.empty())
    return name;
  std::string clean;
  // Names of files are bounded.
  for (char c : kernel.take_front(120))
    clean += llvm::isAlnum(c) ? c : '_';
  name = clean;
  for (unsigned i = 1; name.empty() || !usedNames.insert(name).second; ++i)
    name = clean + "-" + std::to_string(i);
  return name;
}

static std::string print(Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  op->print(os, OpPrintingFlags().enableDebugInfo());
  os << '\n';
  return text;
}

Error DebugDirectory::Impl::writeKernels(ModuleOp module) {
  for (auto kernel : module.getOps<wrapper::KernelOp>()) {
    std::string file = "kernels/" + getFileName(kernel.getName()) + ".mlir";
    if (Error error = write(file, print(kernel)))
      return error;
    record.kernelFiles[kernel.getName()].push_back(std::move(file));
  }
  return Error::success();
}

Error DebugDirectory::Impl::writePTX(ModuleOp module) {
  SmallVector<gpu::GPUModuleOp> modules;
  std::vector<std::string> kernels;
  for (auto kernel : module.getOps<wrapper::KernelOp>())
    for (auto gpu : kernel.getBody().getOps<gpu::GPUModuleOp>()) {
      modules.push_back(gpu);
      // The lowering of the host program has taken its name.
      StringRef name = kernel.getName();
      name.consume_back(".module");
      kernels.push_back(name.str());
    }
  if (modules.empty())
    return Error::success();
  DeviceOptions options;
  options.lineInfo = true;
  auto images = compileDeviceKernels(modules, options);
  if (!images)
    return images.takeError();
  for (auto [image, kernel] : llvm::zip_equal(*images, kernels)) {
    std::string file = "kernels/" + getFileName(kernel) + ".ptx";
    if (Error error = write(file, image.ptx))
      return error;
    record.kernelFiles[kernel].push_back(std::move(file));
  }
  return Error::success();
}

/// What an emitter cannot say is no error here: the page has the reason.
Error DebugDirectory::Impl::writeProgram(ModuleOp module) {
  std::vector<std::string> reasons;
  std::string text;
  llvm::raw_string_ostream os(text);
  PythonOptions options;
  options.source = record.model;
  attempt = &reasons;
  LogicalResult result = emitPython(module, os, options);
  attempt = nullptr;
  if (succeeded(result)) {
    python = std::move(text);
    return write("program.py", python,
                 "the host program on torch tensors; runs and times itself");
  }
  return write("program.txt",
               "The program cannot be written in Python:\n" +
                   llvm::join(reasons, "\n") + "\n",
               "why there is no program.py");
}

Error DebugDirectory::Impl::writeRemarks() {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const RemarkRecord &remark : record.remarks)
    os << (remark.place.empty() ? "-" : remark.place) << ": [" << remark.kind
       << "] " << remark.category << ": " << remark.text << '\n';
  return write("remarks.txt", text, "decisions of the passes");
}

Error DebugDirectory::Impl::writeTrace(llvm::json::Value kernels) {
  TorchTrace trace;
  if (!python.empty())
    trace.addCode("program.py", python);
  trace.addProvenance(record.provenance);
  trace.addArtifact("coil_provenance", record.provenance.toJSON());
  trace.addArtifact("coil_kernels", std::move(kernels));
  trace.addArtifact("coil_memory", toJSON(record.memory));
  if (!record.errors.empty())
    trace.addArtifact("coil_errors", "string", llvm::join(record.errors, "\n"));
  return write("torch-trace.log", trace.getText(),
               "PyTorch's structured trace, for tlparse");
}

//===----------------------------------------------------------------------===//
// Fusion
//===----------------------------------------------------------------------===//

namespace {
/// Keeps the functions around `loop-fuse`.
class FusionRecorder : public PassInstrumentation {
public:
  FusionRecorder(std::mutex &mutex, std::string &before, std::string &after)
      : mutex(mutex), before(before), after(after) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    add(pass, op, before);
  }
  void runAfterPass(Pass *pass, Operation *op) override {
    add(pass, op, after);
  }

private:
  void add(Pass *pass, Operation *op, std::string &text) {
    if (pass->getArgument() != "loop-fuse")
      return;
    // Functions come in any order, and from other threads, which may change
    // their own functions but not this one.
    std::string printed;
    llvm::raw_string_ostream os(printed);
    op->print(os, OpPrintingFlags().enableDebugInfo().useLocalScope());
    std::lock_guard<std::mutex> lock(mutex);
    text += printed + "\n";
  }

  std::mutex &mutex;
  std::string &before, &after;
};
} // namespace

void DebugDirectory::configure(PassManager &pm) {
  pm.addInstrumentation(std::make_unique<FusionRecorder>(
      impl->mutex, impl->beforeFusion, impl->afterFusion));
}

//===----------------------------------------------------------------------===//
// The directory
//===----------------------------------------------------------------------===//

DebugDirectory::DebugDirectory(std::unique_ptr<Impl> impl)
    : impl(std::move(impl)) {}

DebugDirectory::~DebugDirectory() {
  if (impl->ownsRemarks)
    impl->context->setRemarkEngine(nullptr);
}

llvm::Expected<std::unique_ptr<DebugDirectory>>
DebugDirectory::create(StringRef path, StringRef model, ModuleOp module,
                       const CompilePipelineOptions &options) {
  MLIRContext *context = module.getContext();
  auto impl = std::make_unique<Impl>(path, context);
  SmallString<128> kernels(path);
  llvm::sys::path::append(kernels, "kernels");
  if (std::error_code error = llvm::sys::fs::create_directories(kernels))
    return llvm::createStringError("cannot create '" + kernels +
                                   "': " + error.message());
  // What an earlier compilation may have left and this one may not write.
  for (StringRef name : {"before-fusion.mlir", "after-fusion.mlir",
                         "program.py", "program.txt", "errors.txt"}) {
    SmallString<128> file(path);
    llvm::sys::path::append(file, name);
    llvm::sys::fs::remove(file);
  }
  impl->record.model = llvm::sys::path::filename(model).str();
  if (impl->record.model.empty() || impl->record.model == "-")
    impl->record.model = "module";
  impl->record.options = {
      {"target", options.target},
      {"library", options.library},
      {"plan", options.plan},
      {"fuse", options.fuse ? "true" : "false"},
      {"fast-math", options.fastMath},
      {"float32-matmul-precision", options.matmulPrecision},
      {"float32-conv-precision", options.convPrecision},
      {"raise-attention", options.raiseAttention},
      {"deterministic", options.deterministic ? "true" : "false"}};
  if (!context->getRemarkEngine()) {
    if (failed(remark::enableOptimizationRemarks(
            *context, nullptr,
            std::make_unique<remark::RemarkEmittingPolicyAll>(),
            remark::RemarkCategories{".*", ".*", ".*", ".*", ".*"},
            /*printAsEmitRemarks=*/true)))
      return llvm::createStringError("remarks cannot be turned on");
    impl->ownsRemarks = true;
  }
  impl->handler.emplace(context, [raw = impl.get()](Diagnostic &diagnostic) {
    return raw->handle(diagnostic);
  });
  return std::unique_ptr<DebugDirectory>(new DebugDirectory(std::move(impl)));
}

void coil::warnAboutReport(Error error) {
  if (error)
    llvm::errs() << "warning: a report is incomplete: "
                 << toString(std::move(error)) << '\n';
}

Error DebugDirectory::addStage(Stage stage, ModuleOp module, double seconds) {
  DebugRecord &record = impl->record;
  StageRecord entry;
  entry.stage = stage;
  entry.file = (llvm::Twine(static_cast<int>(stage)) + "-" +
                stringifyStage(stage) + ".mlir")
                   .str();
  entry.seconds = seconds;
  module.walk([&](Operation *) { ++entry.ops; });
  if (Error error = impl->write(entry.file, print(module)))
    return error;
  record.stages.push_back(std::move(entry));
  record.provenance.addStage(stage, module);
  if (stage == Stage::Wrapper) {
    record.memory = collectMemory(module);
    if (Error error = impl->writeKernels(module))
      return error;
    return impl->writeProgram(module);
  }
  if (stage == Stage::Native)
    return impl->writePTX(module);
  return Error::success();
}

/// {"version": 1, "measured": null, "calls": [...]}; `addMeasurements` fills in
/// the times.
static llvm::json::Value getKernels(const DebugRecord &record) {
  llvm::json::Array calls;
  for (const ProvenanceCall &call : record.provenance.getCalls()) {
    llvm::json::Object each{{"handle", call.handle},
                            {"function", call.function},
                            {"op", call.op},
                            {"median_seconds", nullptr},
                            {"roofline", nullptr}};
    if (!call.kernel.empty())
      each["kernel"] = call.kernel;
    if (call.bytes >= 0) {
      each["bytes"] = call.bytes;
      each["flops"] = call.flops;
    }
    calls.push_back(std::move(each));
  }
  return llvm::json::Object{
      {"version", 1}, {"measured", nullptr}, {"calls", std::move(calls)}};
}

Error DebugDirectory::finish() {
  DebugRecord &record = impl->record;
  auto writeFusion = [&](StringRef name, const std::string &text,
                         StringRef what) -> Error {
    return text.empty() ? Error::success() : impl->write(name, text, what);
  };
  llvm::json::Array stages;
  for (const StageRecord &stage : record.stages)
    stages.push_back(llvm::json::Object{{"stage", stringifyStage(stage.stage)},
                                        {"seconds", stage.seconds}});
  std::string errors = llvm::join(record.errors, "\n");
  if (Error error = writeFusion("before-fusion.mlir", impl->beforeFusion,
                                "loop kernels before any is merged"))
    return error;
  if (Error error = writeFusion("after-fusion.mlir", impl->afterFusion,
                                "loop kernels after fusion"))
    return error;
  if (Error error =
          impl->writeJSON("provenance.json", record.provenance.toJSON(),
                          "from source lines to operators, kernels and calls"))
    return error;
  if (Error error = impl->writeJSON(
          "kernels.json", getKernels(record),
          "steps with bytes, operations and, once measured, times"))
    return error;
  if (Error error = impl->writeJSON("memory.json", toJSON(record.memory),
                                    "the memory plan"))
    return error;
  if (Error error = impl->writeJSON(
          "timing.json",
          llvm::json::Object{{"version", 1}, {"stages", std::move(stages)}},
          "seconds by stage"))
    return error;
  if (Error error = impl->writeRemarks())
    return error;
  if (Error error = impl->writeTrace(getKernels(record)))
    return error;
  if (!errors.empty())
    if (Error error = impl->write("errors.txt", errors + "\n", "diagnostics"))
      return error;
  std::string page;
  llvm::raw_string_ostream os(page);
  printDebugPage(record, os);
  return impl->write("index.html", page);
}
