//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles a program for the toy device and runs it on two made-up inputs. The
// functions of the device's run time are below; the linker of compiled programs
// finds them among the symbols of this process.
//
//===----------------------------------------------------------------------===//

#include "Toy.h"

#include "coil/Driver/Driver.h"
#include "coil/ExecutionEngine/Engine.h"
#include "coil/InitAllDialects.h"
#include "coil/Runtime/HostABI.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/SourceMgr.h"

#include <cstdio>
#include <cstdlib>

static int allocations = 0, live = 0, launches = 0;

extern "C" {

int32_t toy_alloc(coil_run *, int64_t bytes, void **out) {
  *out = aligned_alloc(64, (static_cast<size_t>(bytes) + 64) / 64 * 64);
  ++allocations;
  ++live;
  return *out ? COIL_OK : COIL_OUT_OF_MEMORY;
}

int32_t toy_free(coil_run *, void *pointer) {
  free(pointer);
  --live;
  return COIL_OK;
}

int32_t toy_launch(coil_run *, coil_cpu_kernel kernel, void **buffers,
                   const int64_t *symbols, int64_t total, int64_t) {
  ++launches;
  return kernel(buffers, symbols, 0, total) == COIL_KERNEL_OK
             ? COIL_OK
             : COIL_ASSERTION_FAILED;
}

} // extern "C"

/// Prints an error and returns the exit status.
static int report(llvm::Error error) {
  llvm::errs() << "error: " << toString(std::move(error)) << '\n';
  return 1;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    llvm::errs() << "usage: toy-run <program.mlir>\n";
    return 2;
  }
  mlir::DialectRegistry registry;
  coil::registerAllDialects(registry);
  toy::registerToy(registry);
  mlir::MLIRContext context(registry);
  llvm::SourceMgr sources;
  llvm::Expected<coil::Program> program =
      coil::loadProgram(argv[1], "", sources, context);
  if (!program)
    return report(program.takeError());

  coil::CompileOptions options;
  options.to = coil::Stage::Wrapper;
  options.pipelineOptions = "fuse=false library=none plan=none";
  auto times = coil::compileProgram(*program->module, options);
  if (!times)
    return report(times.takeError());
  mlir::PassManager pm(&context);
  pm.addPass(toy::createToyPlacePass());
  if (mlir::failed(pm.run(*program->module)))
    return 1;
  options.from = coil::Stage::Wrapper;
  options.to = coil::Stage::Native;
  times = coil::compileProgram(*program->module, options);
  if (!times)
    return report(times.takeError());
  coil::EngineOptions engineOptions;
  engineOptions.entryPoint = "coil_main";
  auto engine = coil::Engine::create(*program->module, engineOptions);
  if (!engine)
    return report(engine.takeError());

  float a[] = {0, 1, 2, 3}, b[] = {1, 1, 2, 2};
  const int64_t sizes[] = {4}, strides[] = {1};
  coil_tensor inputs[] = {{a, sizes, strides, 1, COIL_F32, COIL_CPU, 0},
                          {b, sizes, strides, 1, COIL_F32, COIL_CPU, 0}};
  auto result = (*engine)->run(inputs);
  if (!result)
    return report(result.takeError());
  auto *y = static_cast<float *>(result->getOutputs()[0].data);
  printf("result %g\n", *y);
  printf("toy device: %d launches, %d allocations, %d not freed\n", launches,
         allocations, live);
  return 0;
}
