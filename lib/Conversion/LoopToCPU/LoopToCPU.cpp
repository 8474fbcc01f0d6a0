//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `convert-loop-to-cpu`.
//
//===----------------------------------------------------------------------===//

#include "coil/Conversion/LoopToCPU/LoopToCPU.h"

#include "KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace coil {
#define GEN_PASS_DEF_CONVERTLOOPTOCPUPASS
#include "coil/Conversion/Passes.h.inc"
} // namespace coil

using namespace mlir;
using namespace coil;

namespace {
struct ConvertLoopToCPUPass
    : coil::impl::ConvertLoopToCPUPassBase<ConvertLoopToCPUPass> {
  void runOnOperation() override {
    wrapper::KernelOp kernel = getOperation();
    if (kernel.getDevice() && kernel.getDevice()->getKind() != "cpu")
      return; // Another device's conversion takes it.
    loop::KernelOp body = kernel.getLoopKernel();
    if (!body) { // (C1)
      kernel.emitOpError("has no loop kernel to convert for the CPU");
      return signalPassFailure();
    }
    int64_t grain = 1;
    if (Attribute attr = body.getScheduleAttr()) {
      auto schedule = dyn_cast<loop::ScheduleAttr>(attr);
      if (!schedule) { // (C3)
        body.emitOpError("has a schedule for another device than the CPU");
        return signalPassFailure();
      }
      if (schedule.getLibrary()) {
        kernel.emitOpError("is scheduled for the library '" +
                           schedule.getLibrary().getValue() +
                           "' and cannot be converted to a loop");
        return signalPassFailure();
      }
      grain = schedule.getGrain();
    }
    CPUKernelLayout layout;
    for (ArrayAttr strides :
         {kernel.getInputStrides(), kernel.getOutputStrides()})
      for (auto s : strides.getAsRange<sym::ShapeAttr>())
        layout.strides.emplace_back(s.getDims());
    for (auto s : kernel.getSymbols().getAsRange<StringAttr>())
      layout.symbols.push_back(s);

    Block *block = kernel.getBlock();
    OpBuilder builder = OpBuilder::atBlockBegin(block);
    loop::KernelEmitter emitter(body, layout);
    Operation *function = emitter.emit(builder, kernel.getSymName());
    if (!function)
      return signalPassFailure();
    // The value form is done with: terminator first, then the kernel.
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block))) {
      if (isa<LLVM::LLVMFuncOp>(op))
        continue;
      op.erase();
    }
    block->eraseArguments(0, block->getNumArguments());
    kernel.setTotalAttr(emitter.getTotal());
    kernel.setGrain(grain);
  }
};
} // namespace
