//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compilation of kernels that are launched one by one.
//
//===----------------------------------------------------------------------===//

#include "coil/Driver/CompiledKernels.h"
#include "coil/Dialect/Wrapper/IR/Combination.h"

#include "ErrorLines.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "coil/Driver/Driver.h"
#include "coil/InitAllDialects.h"
#include "coil/Plugins/Plugins.h"
#include "coil/Support/Error.h"
#include "coil/Support/SourceText.h"
#include "coil/Support/ThreadPool.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/DynamicLibrary.h"

using namespace coil;
using namespace mlir;
using llvm::Expected;
using sym::ExprAttr;

/// Functions of devices that launch kernels: on the host's threads, and by a
/// grid, the latter also for user-defined kernels.
using LaunchPoints = int32_t (*)(coil_run *, coil_cpu_kernel, void **,
                                 const int64_t *, int64_t, int64_t);
using LaunchGrid = int32_t (*)(coil_run *, void *, void *const *,
                               const int64_t *, int64_t, int64_t, int64_t);
using LaunchUser = int32_t (*)(coil_run *, void *, void *const *, int64_t,
                               int64_t, int64_t);

struct CompiledKernels::Kernel::Impl {
  std::string name;
  unsigned inputs = 0, outputs = 0;
  SmallVector<std::string> symbols;
  bool isUser = false;
  /// Whether the device launches by a grid.
  bool isByGrid = false;
  /// The number of points and what a thread takes at least, or the grid; over
  /// the symbols; uniqued attributes of a context that nobody changes.
  ExprAttr total;
  int64_t grain = 1;
  SmallVector<ExprAttr> grid;
  /// The function, or the object that describes the kernel.
  void *code = nullptr;
  /// The device's function.
  void *launch = nullptr;
};

struct CompiledKernels::Impl {
  /// Before the context, which uses them.
  std::unique_ptr<ThreadPool> threads;
  std::unique_ptr<MLIRContext> context;
  std::unique_ptr<Engine> engine;
  llvm::StringMap<std::unique_ptr<Kernel>> kernels;
};

CompiledKernels::CompiledKernels(std::unique_ptr<Impl> impl)
    : impl(std::move(impl)) {}
CompiledKernels::~CompiledKernels() = default;
CompiledKernels::Kernel::Kernel(std::unique_ptr<Impl> impl)
    : impl(std::move(impl)) {}
CompiledKernels::Kernel::~Kernel() = default;

const Engine &CompiledKernels::getEngine() const { return *impl->engine; }

const CompiledKernels::Kernel *
CompiledKernels::lookup(llvm::StringRef name) const {
  auto found = impl->kernels.find(name);
  return found == impl->kernels.end() ? nullptr : found->second.get();
}

llvm::StringRef CompiledKernels::Kernel::getName() const { return impl->name; }
unsigned CompiledKernels::Kernel::getNumInputs() const { return impl->inputs; }
unsigned CompiledKernels::Kernel::getNumOutputs() const {
  return impl->outputs;
}
unsigned CompiledKernels::Kernel::getNumSymbols() const {
  return static_cast<unsigned>(impl->symbols.size());
}

int32_t CompiledKernels::Kernel::launch(coil_run *run, void **buffers,
                                        const int64_t *symbols) const {
  if (impl->isUser)
    return coil_rt_fail(run, COIL_INVALID_ARGUMENT,
                        "the kernel is a user's, which has other arguments");
  bool overflows = false;
  auto value = [&](ExprAttr e) {
    std::optional<int64_t> result =
        sym::evaluate(e, [&](ExprAttr leaf) -> std::optional<int64_t> {
          for (auto [i, name] : llvm::enumerate(impl->symbols))
            if (name == leaf.getName())
              return symbols[i];
          return std::nullopt;
        });
    overflows |= !result;
    return result.value_or(0);
  };
  int64_t sizes[3] = {};
  if (impl->isByGrid)
    for (auto [size, e] : llvm::zip(sizes, impl->grid))
      size = value(e);
  else
    sizes[0] = value(impl->total);
  if (overflows)
    return coil_rt_fail(run, COIL_INVALID_ARGUMENT,
                        "the size of the kernel's space overflows");
  if (impl->isByGrid)
    return reinterpret_cast<LaunchGrid>(impl->launch)(
        run, impl->code, buffers, symbols, sizes[0], sizes[1], sizes[2]);
  return reinterpret_cast<LaunchPoints>(impl->launch)(
      run, reinterpret_cast<coil_cpu_kernel>(impl->code), buffers, symbols,
      sizes[0], impl->grain);
}

int32_t CompiledKernels::Kernel::launchUser(coil_run *run,
                                            void *const *arguments,
                                            const int64_t *grid) const {
  if (!impl->isUser)
    return coil_rt_fail(run, COIL_INVALID_ARGUMENT,
                        "the kernel is not a user's");
  if (impl->isByGrid)
    return reinterpret_cast<LaunchUser>(impl->launch)(
        run, impl->code, arguments, grid[0], grid[1], grid[2]);
  return reinterpret_cast<LaunchPoints>(impl->launch)(
      run, reinterpret_cast<coil_cpu_kernel>(impl->code),
      const_cast<void **>(arguments), grid, grid[0] * grid[1] * grid[2], 1);
}

/// The function of a kernel's device that launches it, or an error at the
/// kernel.
static FailureOr<void *> findLaunchFunction(wrapper::KernelOp kernel,
                                            llvm::StringRef options) {
  auto device = kernel.getDeviceAttr();
  llvm::StringRef kind = device ? device.getKind() : "cpu";
  auto *dialect =
      kernel.getContext()->getLoadedDialect<wrapper::WrapperDialect>();
  const wrapper::DeviceInfo *info = dialect->lookupDevice(kind);
  if (!info)
    return kernel.emitOpError() << "device '" << kind << "' is not registered";
  if (!llvm::StringRef(options).contains(info->kernelOptions))
    return kernel.emitOpError()
           << "is for device '" << kind << "', which takes the options '"
           << info->kernelOptions << "'";
  const std::string &name = kernel.isUserKernel() && info->launchByGeometry
                                ? info->launchUserFunction
                                : info->launchFunction;
  if (name.empty())
    return kernel.emitOpError()
           << "device '" << kind << "' cannot run "
           << (kernel.isUserKernel() ? "user-defined kernels" : "kernels");
  size_t count = 0;
  const coil_symbol *symbols = coil_runtime_symbols(&count);
  for (size_t i = 0; i < count; ++i)
    if (symbols[i].name == name)
      return symbols[i].address;
  // A device of someone else's brings its runtime into the process.
  if (void *address = llvm::sys::DynamicLibrary::SearchForAddressOfSymbol(name))
    return address;
  return kernel.emitOpError() << "there is no function '" << name << "'";
}

Expected<std::unique_ptr<CompiledKernels>>
CompiledKernels::compile(llvm::StringRef text, const KernelOptions &options) {
  if (llvm::Error error = loadPlugins())
    return std::move(error);
  if (llvm::Error error = checkInsertedPasses(options.pipelineOptions,
                                              Stage::Wrapper, Stage::Native))
    return std::move(error);
  auto impl = std::make_unique<Impl>();
  DialectRegistry registry;
  registerAllDialects(registry);
  impl->context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  MLIRContext *context = impl->context.get();
  if (options.engine.threads != 1) {
    impl->threads = std::make_unique<ThreadPool>();
    context->setThreadPool(*impl->threads);
  }
  context->printOpOnDiagnostic(false);
  ErrorLines errors(context);
  if (std::optional<TextProblem> problem = findTextProblem(text))
    return makeError("kernels at byte " + llvm::Twine(problem->offset) + ": " +
                     problem->what);
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(text, context, "kernels");
  if (!module)
    return errors.take(makeError("the kernels are not valid"));

  SymbolTable symbols(*module);
  for (Operation &op : *module->getBody()) {
    // Has the device of its parts, and their buffers.
    auto combination = dyn_cast<wrapper::CombinationOp>(op);
    if (combination) {
      auto made = std::make_unique<Kernel::Impl>();
      made->name = combination.getSymName().str();
      wrapper::KernelOp kernel;
      for (auto part : combination.getParts().getAsRange<FlatSymbolRefAttr>()) {
        kernel = symbols.lookup<wrapper::KernelOp>(part.getValue());
        made->inputs += kernel.getNumInputs();
        made->outputs += kernel.getNumOutputs();
      }
      FailureOr<void *> launch =
          findLaunchFunction(kernel, options.pipelineOptions);
      if (failed(launch))
        return errors.take(makeError("the kernels cannot be launched"));
      made->launch = *launch;
      impl->kernels[made->name].reset(new Kernel(std::move(made)));
      continue;
    }
    auto kernel = dyn_cast<wrapper::KernelOp>(op);
    if (!kernel || (!kernel.getLoopKernel() && !kernel.isUserKernel())) {
      op.emitError("expected nothing but kernels as value functions, or of "
                   "users");
      return errors.take(makeError("the kernels are not valid"));
    }
    auto made = std::make_unique<Kernel::Impl>();
    made->name = kernel.getName().str();
    made->inputs = kernel.getNumInputs();
    made->outputs = kernel.getNumOutputs();
    for (auto name : kernel.getSymbols().getAsRange<StringAttr>())
      made->symbols.push_back(name.str());
    FailureOr<void *> launch =
        findLaunchFunction(kernel, options.pipelineOptions);
    if (failed(launch))
      return errors.take(makeError("the kernels cannot be launched"));
    made->launch = *launch;
    made->isUser = kernel.isUserKernel();
    impl->kernels[made->name].reset(new Kernel(std::move(made)));
  }

  CompileOptions compile;
  compile.from = Stage::Wrapper;
  compile.to = Stage::Native;
  compile.pipelineOptions = options.pipelineOptions;
  Expected<std::vector<StageTime>> times = compileProgram(*module, compile);
  if (!times)
    return errors.take(times.takeError());
  EngineOptions engineOptions = options.engine;
  engineOptions.entryPoint.clear();
  engineOptions.cpu = getCPU(options.pipelineOptions);
  Expected<std::unique_ptr<Engine>> engine =
      Engine::create(*module, Signature(), engineOptions);
  if (!engine)
    return errors.take(engine.takeError());
  impl->engine = std::move(*engine);

  for (auto kernel : module->getOps<wrapper::KernelOp>()) {
    // The conversion of host programs gives the name to the function.
    llvm::StringRef name = kernel.getName();
    name.consume_back(".module");
    Kernel::Impl &made = *impl->kernels.at(name)->impl;
    made.symbols.clear();
    for (auto symbol : kernel.getSymbols().getAsRange<StringAttr>())
      made.symbols.push_back(symbol.str());
    made.total = kernel.getTotalAttr();
    made.grain = static_cast<int64_t>(kernel.getGrain().value_or(1));
    if (wrapper::GeometryAttr geometry = kernel.getGeometryAttr()) {
      made.isByGrid = true;
      llvm::append_range(made.grid, geometry.getGrid().getDims());
    }
    made.code = impl->engine->lookup(name);
    if ((!made.total && !made.isByGrid) || !made.code)
      return makeError("kernel '" + name + "' was not compiled");
  }
  // A combination that the device does not allow.
  llvm::SmallVector<std::string> missing;
  for (const auto &each : impl->kernels)
    if (!each.getValue()->impl->code)
      missing.push_back(each.first().str());
  for (const std::string &name : missing)
    impl->kernels.erase(name);
  return std::unique_ptr<CompiledKernels>(new CompiledKernels(std::move(impl)));
}
