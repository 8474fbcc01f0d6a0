//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device that the core does not know: registered here, with its own memory
// and launches, it runs a small program.
//
//===----------------------------------------------------------------------===//

#include "coil/Conversion/Passes.h"
#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "coil/Dialect/Wrapper/Transforms/Passes.h"
#include "coil/ExecutionEngine/Engine.h"
#include "coil/InitAllDialects.h"
#include "coil/Runtime/HostABI.h"
#include "coil/Target/HostText.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

using namespace coil;
using namespace mlir;

//===----------------------------------------------------------------------===//
// The device at run time
//===----------------------------------------------------------------------===//

constexpr int32_t kToyType = 7;

static std::set<void *> toyMemory;
static int toyLaunches = 0;

extern "C" {
COIL_RT_API int32_t toy_alloc(coil_run *, int64_t bytes, void **out) {
  *out = std::malloc(size_t(bytes) + 1);
  toyMemory.insert(*out);
  return COIL_OK;
}

COIL_RT_API int32_t toy_free(coil_run *, void *pointer) {
  if (toyMemory.erase(pointer) == 0)
    return COIL_INVALID_ARGUMENT;
  std::free(pointer);
  return COIL_OK;
}

COIL_RT_API int32_t toy_launch(coil_run *, coil_cpu_kernel kernel,
                               void **buffers, const int64_t *symbols,
                               int64_t total, int64_t) {
  ++toyLaunches;
  return kernel(buffers, symbols, 0, total);
}
}

//===----------------------------------------------------------------------===//
// The device in the compiler
//===----------------------------------------------------------------------===//

static void registerToyDevice(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, wrapper::WrapperDialect *dialect) {
    wrapper::DeviceInfo toy;
    toy.kind = "toy";
    toy.runtimeType = kToyType;
    toy.allocFunction = "toy_alloc";
    toy.freeFunction = "toy_free";
    toy.launchFunction = "toy_launch";
    toy.torchDevice = "privateuseone";
    dialect->registerDevice(std::move(toy));
    // It can do nothing, and the host does not see its memory.
    wrapper::DeviceInfo bare;
    bare.kind = "bare";
    bare.hostAccessible = false;
    dialect->registerDevice(bare);
    bare.kind = "keeps";
    bare.allocFunction = "toy_alloc";
    dialect->registerDevice(std::move(bare));
  });
}

namespace {
/// The toy has the host's instructions: its kernels pass for the CPU's while
/// these are lowered.
struct PassForCPU : PassWrapper<PassForCPU, OperationPass<wrapper::KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PassForCPU)
  explicit PassForCPU(bool cpu) : cpu(cpu) {}
  void runOnOperation() override {
    if (cpu)
      getOperation().removeDeviceAttr();
    else
      getOperation().setDeviceAttr(
          wrapper::DeviceAttr::get(&getContext(), "toy", 0));
  }
  bool cpu;
};

class ToyDeviceTest : public testing::Test {
protected:
  ToyDeviceTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    registerToyDevice(registry);
    context.appendDialectRegistry(registry);
    module = parseSourceString<ModuleOp>(R"mlir(
      !x = tensor<?xf32, #sym.shape<[s0]>>
      func.func @main(%x: !x {coil.name = "x"}) -> !x attributes {sym.symbols = {s0 = #sym.range<1, 64>}} {
        %0 = loop.kernel "double" [s0] (%a = %x) : (!x) -> !x {
          %v = loop.load %a[d0] : !x -> f32
          %d = arith.addf %v, %v : f32
          loop.store %d, 0 [d0] : f32
        }
        %1 = loop.kernel "reverse" [s0] (%a = %0) : (!x) -> !x {
          %v = loop.load %a[s0 - 1 - d0] : !x -> f32
          loop.store %v, 0 [d0] : f32
        }
        return %1 : !x
      })mlir",
                                         &context);
  }

  static void plan(PassManager &pm, llvm::StringRef mode = "reuse") {
    ConvertLoopToWrapperPassOptions outline;
    outline.device = "toy";
    pm.addPass(createConvertLoopToWrapperPass(outline));
    wrapper::WrapperPlanMemoryPassOptions memory;
    memory.mode = mode.str();
    pm.addPass(wrapper::createWrapperPlanMemoryPass(memory));
    pm.addPass(wrapper::createWrapperVerifyMemoryPass());
  }

  static void lowerKernels(PassManager &pm) {
    OpPassManager &kernels = pm.nest<wrapper::KernelOp>();
    kernels.addPass(std::make_unique<PassForCPU>(true));
    kernels.addPass(createConvertLoopToCPUPass());
    kernels.addPass(createConvertCPUKernelToLLVMPass());
    kernels.addPass(std::make_unique<PassForCPU>(false));
  }

  LogicalResult lower(llvm::StringRef mode = "reuse") {
    PassManager pm(&context);
    plan(pm, mode);
    lowerKernels(pm);
    pm.addPass(createConvertWrapperToLLVMPass());
    return pm.run(*module);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(ToyDeviceTest, RunsAProgram) {
  ASSERT_TRUE(module);
  ASSERT_TRUE(succeeded(lower()));
  llvm::Expected<std::unique_ptr<Engine>> engine = Engine::create(*module);
  ASSERT_TRUE(bool(engine)) << toString(engine.takeError());
  std::vector<float> x = {1, 2, 3};
  int64_t size = 3, one = 1;
  coil_tensor input = {x.data(), &size, &one, 1, COIL_F32, kToyType, 0};
  llvm::Expected<RunResult> result = (*engine)->run({input});
  ASSERT_TRUE(bool(result)) << toString(result.takeError());
  auto *y = static_cast<float *>(result->getOutputs()[0].data);
  EXPECT_EQ(std::vector<float>(y, y + 3), (std::vector<float>{6, 4, 2}));
  EXPECT_EQ(result->getOutputs()[0].device_type, kToyType);
  EXPECT_EQ(toyLaunches, 2);
  // Only the result is left, and it is the toy's.
  EXPECT_EQ(toyMemory, std::set<void *>{y});

  input.device_type = COIL_CPU;
  result = (*engine)->run({input});
  ASSERT_FALSE(bool(result));
  EXPECT_EQ(toString(result.takeError()),
            "input 0 ('x'): expected a tensor on a device of type 7 but got 0");
}

TEST_F(ToyDeviceTest, TextEmittersUseItsWords) {
  ASSERT_TRUE(module);
  PassManager pm(&context);
  plan(pm);
  ASSERT_TRUE(succeeded(pm.run(*module)));
  std::string python;
  llvm::raw_string_ostream os(python);
  ASSERT_TRUE(succeeded(emitPython(*module, os)));
  EXPECT_NE(python.find("empty_strided((s0,), (1,), dtype=torch.float32, "
                        "device=\"privateuseone:0\")"),
            std::string::npos)
      << python;

  PassManager kernels(&context);
  lowerKernels(kernels);
  ASSERT_TRUE(succeeded(kernels.run(*module)));
  std::vector<EmittedFile> files;
  ASSERT_TRUE(succeeded(emitCpp(*module, files)));
  ASSERT_EQ(files.size(), 2u);
  for (const char *text :
       {"extern \"C\" int32_t toy_alloc(coil_run *, int64_t, void **);",
        "extern \"C\" int32_t toy_free(coil_run *, void *);",
        "coil::Buffer<toy_free> buf0;", "allocate(toy_alloc, run, s0 * 4)",
        "toy_launch(run, double_0, ", "outputs[0].device_type = 7;"})
    EXPECT_NE(files[1].text.find(text), std::string::npos)
        << text << " is not in\n"
        << files[1].text;
}

// F29: a thousand runs leave nothing behind, pools included.
TEST_F(ToyDeviceTest, RunsWithPools) {
  module = parseSourceString<ModuleOp>(R"mlir(
    !x = tensor<?xf32, #sym.shape<[s0]>>
    func.func @main(%x: !x {coil.name = "x"}) -> !x attributes {sym.symbols = {s0 = #sym.range<1, 64>}} {
      %0 = loop.kernel "reverse" [s0] (%a = %x) : (!x) -> !x {
        %v = loop.load %a[s0 - 1 - d0] : !x -> f32
        loop.store %v, 0 [d0] : f32
      }
      %1 = loop.kernel "twice" [s0] (%a = %0) : (!x) -> !x {
        %v = loop.load %a[s0 - 1 - d0] : !x -> f32
        %d = arith.addf %v, %v : f32
        loop.store %d, 0 [d0] : f32
      }
      %2 = loop.kernel "both" [s0] (%a = %0, %b = %1) : (!x, !x) -> !x {
        %v = loop.load %a[s0 - 1 - d0] : !x -> f32
        %w = loop.load %b[s0 - 1 - d0] : !x -> f32
        %d = arith.subf %w, %v : f32
        loop.store %d, 0 [d0] : f32
      }
      %3 = loop.kernel "reverse" [s0] (%a = %2) : (!x) -> !x {
        %v = loop.load %a[s0 - 1 - d0] : !x -> f32
        loop.store %v, 0 [d0] : f32
      }
      return %3 : !x
    })mlir",
                                       &context);
  ASSERT_TRUE(module);
  int pools = 0;
  ASSERT_TRUE(succeeded(lower("pool")));
  llvm::Expected<std::unique_ptr<Engine>> engine = Engine::create(*module);
  ASSERT_TRUE(bool(engine)) << toString(engine.takeError());
  module->walk([&](LLVM::LLVMFuncOp fn) {
    if (auto memory =
            fn->getAttrOfType<DictionaryAttr>(wrapper::kMemoryAttrName))
      pools += static_cast<int>(memory.getAs<IntegerAttr>("pools").getInt());
  });
  EXPECT_EQ(pools, 1);
  std::vector<float> x = {1, 2, 3};
  int64_t size = 3, one = 1;
  coil_tensor input = {x.data(), &size, &one, 1, COIL_F32, kToyType, 0};
  toyMemory.clear();
  for (int run = 0; run < 1000; ++run) {
    llvm::Expected<RunResult> result = (*engine)->run({input});
    ASSERT_TRUE(bool(result)) << toString(result.takeError());
    auto *y = static_cast<float *>(result->getOutputs()[0].data);
    ASSERT_EQ(std::vector<float>(y, y + 3), (std::vector<float>{-1, 2, 5}));
    // Only the result is left.
    ASSERT_EQ(toyMemory, std::set<void *>{y});
    toy_free(nullptr, y);
  }
  EXPECT_TRUE(toyMemory.empty());
}

/// The error that the conversion of a host program with one op gives.
static std::string convertError(MLIRContext &context, llvm::StringRef body) {
  std::string ir = R"mlir(
    !b = !wrapper.buffer<[4], f32, #wrapper.device<"bare">>
    !k = !wrapper.buffer<[4], f32, #wrapper.device<"keeps">>
    wrapper.func @main(%x: !b, %y: !b) {
      )mlir" + body.str() +
                   R"mlir(
      wrapper.return
    })mlir";
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (message.empty())
      message = diagnostic.str();
    return success();
  });
  auto module = parseSourceString<ModuleOp>(ir, &context);
  if (!module)
    return "does not parse: " + message;
  PassManager pm(&context);
  pm.addPass(createConvertWrapperToLLVMPass());
  if (succeeded(pm.run(*module)))
    return "no error";
  return message;
}

TEST_F(ToyDeviceTest, WhatADeviceCannotDoIsAnError) {
  EXPECT_EQ(convertError(context, "%0 = wrapper.alloc : !b"),
            "'wrapper.alloc' op device 'bare' cannot allocate");
  EXPECT_EQ(convertError(context, "%0 = wrapper.alloc : !k\n"
                                  "wrapper.free %0 : !k"),
            "'wrapper.free' op device 'keeps' cannot free");
  EXPECT_EQ(convertError(context, "%0 = wrapper.pool <64> : "
                                  "!wrapper.pool<#wrapper.device<\"bare\">>"),
            "'wrapper.pool' op device 'bare' cannot allocate");
  EXPECT_EQ(convertError(context, "%0 = wrapper.pool <64> : "
                                  "!wrapper.pool<#wrapper.device<\"keeps\">>\n"
                                  "wrapper.pool_free %0 : "
                                  "!wrapper.pool<#wrapper.device<\"keeps\">>"),
            "'wrapper.pool_free' op device 'keeps' cannot free");
  EXPECT_EQ(convertError(context, "wrapper.copy %x to %y : !b"),
            "'wrapper.copy' op the host cannot access device 'bare'");
  EXPECT_EQ(convertError(context,
                         "%0 = wrapper.reinterpret %x at <0> : !b to "
                         "!wrapper.buffer<[], f32, #wrapper.device<\"bare\">>\n"
                         "%1 = wrapper.item %0 : !wrapper.buffer<[], f32, "
                         "#wrapper.device<\"bare\">> -> f64"),
            "'wrapper.item' op the host cannot read elements of device 'bare'");
  EXPECT_EQ(convertError(context, "%0 = wrapper.constant dense<1.0> : "
                                  "tensor<4xf32> to !b"),
            "'wrapper.constant' op has elements that cannot be put into the "
            "program");
}

TEST_F(ToyDeviceTest, EmittersNameWhatADeviceCannotDo) {
  auto program = parseSourceString<ModuleOp>(R"mlir(
    wrapper.kernel @k() attributes {device = #wrapper.device<"keeps">,
        input_strides = [], output_strides = [], symbols = [],
        total = #sym.expr<1>, grain = 1 : i64} {
      llvm.func @k()
    }
    wrapper.func @main() {
      wrapper.launch @k[]
      wrapper.return
    })mlir",
                                             &context);
  ASSERT_TRUE(program);
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  std::vector<EmittedFile> files;
  EXPECT_TRUE(failed(emitCpp(*program, files)));
  EXPECT_EQ(message, "'wrapper.launch' op device 'keeps' cannot run kernels");
  EXPECT_TRUE(files.empty());
}
} // namespace
