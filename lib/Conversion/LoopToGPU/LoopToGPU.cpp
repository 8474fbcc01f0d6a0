//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `convert-loop-to-gpu`.
//
//===----------------------------------------------------------------------===//

#include "coil/Conversion/LoopToGPU/LoopToGPU.h"

#include "GPUKernelEmitter.h"
#include "coil/Conversion/Utils/CodeTarget.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/SmallSet.h"

namespace coil {
#define GEN_PASS_DEF_CONVERTLOOPTOGPUPASS
#include "coil/Conversion/Passes.h.inc"
} // namespace coil

using namespace mlir;
using namespace coil;

loop::GPUKernelLayout loop::getGPUKernelLayout(wrapper::KernelOp kernel) {
  GPUKernelLayout layout;
  for (ArrayAttr strides :
       {kernel.getInputStrides(), kernel.getOutputStrides()})
    for (auto s : strides.getAsRange<sym::ShapeAttr>())
      layout.strides.emplace_back(s.getDims());
  for (auto s : kernel.getSymbols().getAsRange<StringAttr>())
    layout.symbols.push_back(s);
  layout.alignment.assign(layout.strides.size(), 16);
  if (std::optional<ArrayRef<int64_t>> alignment = kernel.getAlignment())
    llvm::copy(*alignment, layout.alignment.begin());
  layout.mayAlias.assign(layout.strides.size(), false);
  ArrayRef<int64_t> pairs = kernel.getInPlace().value_or(ArrayRef<int64_t>());
  // Planning lets an output lie over operands of which each has a pair with it,
  // and over no other one (C6 of `wrapper-verify-memory`).
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
    layout.mayAlias[static_cast<size_t>(pairs[i])] = true;
    layout.mayAlias[kernel.getNumInputs() + static_cast<size_t>(pairs[i + 1])] =
        true;
  }
  return layout;
}

namespace {
struct ConvertLoopToGPUPass
    : coil::impl::ConvertLoopToGPUPassBase<ConvertLoopToGPUPass> {
  using ConvertLoopToGPUPassBase::ConvertLoopToGPUPassBase;

  void runOnOperation() override {
    wrapper::KernelOp kernel = getOperation();
    if (!hasKernelForm(kernel, target::KernelForm::Threads))
      return; // Another device's conversion takes it.
    if (kernel.isUserKernel())
      return;
    loop::KernelOp body = kernel.getLoopKernel();
    if (!body) { // (C1)
      kernel.emitOpError("has no loop kernel to convert for the GPU");
      return signalPassFailure();
    }
    auto schedule = dyn_cast_or_null<loop::GPUScheduleAttr>(
        static_cast<Attribute>(body.getScheduleAttr()));
    if (!schedule) { // (C2)
      body.emitOpError("has no schedule for a GPU");
      return signalPassFailure();
    }
    SmallVector<int64_t> dims{schedule.getVectorDim(),
                              schedule.getTransposeDim()};
    bool isBox = schedule.getStrategy() == loop::GPUStrategy::Box;
    if (isBox)
      llvm::append_range(dims, schedule.getBoxDims().asArrayRef());
    for (int64_t d : dims) {
      if (d >= static_cast<int64_t>(body.getNumDims())) { // (C3)
        body.emitOpError("has a schedule for dimension ")
            << d << " of " << body.getNumDims();
        return signalPassFailure();
      }
    }
    bool isTranspose = schedule.getStrategy() == loop::GPUStrategy::Transpose;
    bool scatters = !body.getBlock()->getOps<loop::ScatterOp>().empty();
    if ((isTranspose || isBox) &&
        (scatters || !body.getReducedDims().empty())) { // (C8)
      body.emitOpError("has reduced dimensions, which the strategy '")
          << loop::stringifyGPUStrategy(schedule.getStrategy())
          << "' does not take";
      return signalPassFailure();
    }
    SmallVector<unsigned> reduced =
        loop::getGPUReducedDims(body, schedule.getOwners() > 0);
    if (schedule.getOwners() > 0 &&
        (!scatters ||
         llvm::is_contained(reduced,
                            static_cast<unsigned>(schedule.getVectorDim())))) {
      body.emitOpError("has a schedule with owners of elements, which only "
                       "scatters over other dimensions than that of vectors "
                       "have"); // (C9)
      return signalPassFailure();
    }
    if (!isTranspose && schedule.getThreadsR() * schedule.getItemsR() != 1 &&
        reduced.empty()) { // (C6)
      body.emitOpError("reduces nothing but has a schedule with ")
          << schedule.getThreadsR() << " threads and " << schedule.getItemsR()
          << " items that reduce";
      return signalPassFailure();
    }
    bool scans = false, reduces = false;
    for (Operation &op : *body.getBlock()) {
      if (auto moments = dyn_cast<loop::WelfordOp>(op);
          moments &&
          moments.getMean().getType() != moments.getTotalMean().getType()) {
        op.emitOpError("gives ") // (C13)
            << moments.getTotalMean().getType() << " for samples of "
            << moments.getMean().getType()
            << ", but a GPU sums moments in the samples' type";
        return signalPassFailure();
      }
      scans |= isa<loop::ScanOp, loop::ArgScanOp>(op);
      reduces |= loop::isReduction(&op);
    }
    bool isScan = schedule.getStrategy() == loop::GPUStrategy::Scan;
    if (isScan != scans || (schedule.getSplitR() && reduces)) { // (C7)
      body.emitOpError("needs the strategy 'scan' just where it scans, without "
                       "'split_r' where it reduces as well");
      return signalPassFailure();
    }
    loop::GPUKernelLayout layout = loop::getGPUKernelLayout(kernel);
    Block *block = kernel.getBlock();
    OpBuilder builder = OpBuilder::atBlockBegin(block);
    FailureOr<loop::GPUFacts> facts = loop::GPUFacts::get(kernel);
    if (failed(facts) ||
        failed(loop::verifyGPUSchedule(body, schedule, *facts)))
      return signalPassFailure();
    loop::GPUKernelEmitter emitter(body, schedule, layout, approximate, *facts);
    Operation *module = emitter.emit(builder, kernel.getSymName());
    if (!module)
      return signalPassFailure();
    // The value form is done with: terminator first, then the kernel.
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block)))
      if (&op != module)
        op.erase();
    block->eraseArguments(0, block->getNumArguments());
    kernel.setGeometryAttr(emitter.getGeometry());
  }
};
} // namespace
