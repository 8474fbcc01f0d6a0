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

#include "ErrorLines.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "coil/Driver/Driver.h"
#include "coil/InitAllDialects.h"
#include "coil/Support/Nesting.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/DynamicLibrary.h"

using namespace coil;
using namespace mlir;
using llvm::Error;
using llvm::Expected;
using sym::ExprAttr;

/// A function of a device that launches kernels on the host's threads.
using LaunchFunction = int32_t (*)(coil_run *, coil_cpu_kernel, void **,
                                   const int64_t *, int64_t, int64_t);

struct CompiledKernels::Kernel::Impl {
  std::string name;
  unsigned inputs = 0, outputs = 0;
  SmallVector<std::string> symbols;
  /// Over the symbols; uniqued attributes of a context that nobody changes.
  ExprAttr total;
  int64_t grain = 1;
  coil_cpu_kernel function = nullptr;
  LaunchFunction launch = nullptr;
};

struct CompiledKernels::Impl {
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
  std::optional<int64_t> total =
      sym::evaluate(impl->total, [&](ExprAttr leaf) -> std::optional<int64_t> {
        for (auto [i, name] : llvm::enumerate(impl->symbols))
          if (name == leaf.getName())
            return symbols[i];
        return std::nullopt;
      });
  if (!total)
    return coil_rt_fail(run, COIL_INVALID_ARGUMENT,
                        "the size of the kernel's space overflows");
  return impl->launch(run, impl->function, buffers, symbols, *total,
                      impl->grain);
}

static Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// The launch function of a kernel's device, or an error at the kernel.
static FailureOr<LaunchFunction> findLaunchFunction(wrapper::KernelOp kernel) {
  auto device = kernel.getDeviceAttr();
  llvm::StringRef kind = device ? device.getKind() : "cpu";
  auto *dialect =
      kernel.getContext()->getLoadedDialect<wrapper::WrapperDialect>();
  const wrapper::DeviceInfo *info = dialect->lookupDevice(kind);
  if (!info)
    return kernel.emitOpError() << "device '" << kind << "' is not registered";
  if (info->launchFunction.empty() || info->launchByGeometry)
    return kernel.emitOpError()
           << "kernels of device '" << kind
           << "' can be launched by a compiled host program only";
  size_t count = 0;
  const coil_symbol *symbols = coil_runtime_symbols(&count);
  for (size_t i = 0; i < count; ++i)
    if (symbols[i].name == info->launchFunction)
      return reinterpret_cast<LaunchFunction>(symbols[i].address);
  // A device of someone else's brings its runtime into the process.
  if (void *address = llvm::sys::DynamicLibrary::SearchForAddressOfSymbol(
          info->launchFunction))
    return reinterpret_cast<LaunchFunction>(address);
  return kernel.emitOpError()
         << "there is no function '" << info->launchFunction << "'";
}

Expected<std::unique_ptr<CompiledKernels>>
CompiledKernels::compile(llvm::StringRef text, const KernelOptions &options) {
  auto impl = std::make_unique<Impl>();
  DialectRegistry registry;
  registerAllDialects(registry);
  impl->context = std::make_unique<MLIRContext>(
      registry, options.engine.threads == 1 ? MLIRContext::Threading::DISABLED
                                            : MLIRContext::Threading::ENABLED);
  MLIRContext *context = impl->context.get();
  context->printOpOnDiagnostic(false);
  ErrorLines errors(context);
  if (std::optional<size_t> deep = findDeepNesting(text))
    return makeError("kernels are nested deeper than the limit of " +
                     llvm::Twine(kMaxTextNesting));
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(text, context, "kernels");
  if (!module)
    return errors.take(makeError("the kernels are not valid"));

  for (Operation &op : *module->getBody()) {
    auto kernel = dyn_cast<wrapper::KernelOp>(op);
    if (!kernel || !kernel.getLoopKernel()) {
      op.emitError("expected nothing but kernels as value functions");
      return errors.take(makeError("the kernels are not valid"));
    }
    auto made = std::make_unique<Kernel::Impl>();
    made->name = kernel.getName().str();
    made->inputs = kernel.getNumInputs();
    made->outputs = kernel.getNumOutputs();
    for (auto name : kernel.getSymbols().getAsRange<StringAttr>())
      made->symbols.push_back(name.str());
    FailureOr<LaunchFunction> launch = findLaunchFunction(kernel);
    if (failed(launch))
      return errors.take(makeError("the kernels cannot be launched"));
    made->launch = *launch;
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
    made.total = kernel.getTotalAttr();
    made.grain = static_cast<int64_t>(kernel.getGrain().value_or(1));
    made.function =
        reinterpret_cast<coil_cpu_kernel>(impl->engine->lookup(name));
    if (!made.total || !made.function)
      return makeError("kernel '" + name + "' was not compiled");
  }
  return std::unique_ptr<CompiledKernels>(new CompiledKernels(std::move(impl)));
}
