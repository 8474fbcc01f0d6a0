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
#include "coil/Conversion/Utils/CodeTarget.h"
#include "coil/Dialect/Loop/Analysis/Phases.h"
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

/// (C4)
static LogicalResult checkKeep(loop::KernelOp body,
                               loop::ScheduleAttr schedule) {
  if (!schedule.getKeep() || schedule.getKeep().empty())
    return success();
  ArrayRef<int64_t> keep = schedule.getKeep().asArrayRef();
  if (keep.size() != body.getNumResults())
    return body.emitOpError("has a schedule that keeps values in ")
           << keep.size() << " results of " << body.getNumResults();
  loop::Phases phases(body);
  auto &ops = body.getBlock()->getOperations();
  for (auto [output, number] : llvm::enumerate(keep)) {
    if (number < 0)
      continue;
    std::string why = "the body has no such op";
    if (number < static_cast<int64_t>(ops.size()) &&
        loop::getKeepPhase(phases, body, static_cast<unsigned>(output),
                           &*std::next(ops.begin(), number), why))
      continue;
    return body.emitOpError("has a schedule that keeps op ")
           << number << " in result " << output << ": " << why;
  }
  return success();
}

/// Accumulators of rows stay in the first cache.
static constexpr int64_t kMaxRowBytes = 65536;

/// (C5)
static LogicalResult checkRows(loop::KernelOp body,
                               loop::ScheduleAttr schedule) {
  if (schedule.getRows() == 0)
    return success();
  auto no = [&](const Twine &why) {
    return body.emitOpError("has a schedule that reduces by rows: ") << why;
  };
  int64_t step = schedule.getVectorWidth() * schedule.getUnroll();
  std::string why;
  if (schedule.getVectorDim() < 0 || schedule.getVectorWidth() == 1 ||
      llvm::is_contained(body.getReducedDims(),
                         static_cast<unsigned>(schedule.getVectorDim())))
    return no("there is no parallel vector dimension");
  if (schedule.getBlock() % step != 0)
    return no("the block is no multiple of a step of vectors");
  if (!canReduceRows(loop::Phases(body), body,
                     static_cast<unsigned>(schedule.getVectorDim()), why))
    return no(why);
  if (schedule.getBlock() > kMaxRowBytes / getAccumulatorBytes(body))
    return no("the accumulators of a block take more than 64 KiB");
  return success();
}

/// (C8)
static LogicalResult checkTranspose(loop::KernelOp body,
                                    loop::ScheduleAttr schedule) {
  int64_t dim = schedule.getTransposeDim();
  if (dim < 0)
    return success();
  auto no = [&](const Twine &why) {
    return body.emitOpError("has a schedule that transposes along dimension ")
           << dim << ": " << why;
  };
  if (dim >= static_cast<int64_t>(body.getNumDims()))
    return no("there is no such dimension");
  if (dim == schedule.getVectorDim() || schedule.getVectorDim() < 0)
    return no("it takes another one as vector dimension");
  if (!body.getReducedDims().empty() || body.isSequential())
    return no("the kernel reduces, scans or scatters");
  return success();
}

/// (C7)
static LogicalResult checkStream(loop::KernelOp body,
                                 loop::ScheduleAttr schedule) {
  if (!schedule.getStream())
    return success();
  ArrayRef<int64_t> keep;
  if (schedule.getKeep())
    keep = schedule.getKeep().asArrayRef();
  int64_t scratchBytes = 0;
  for (int64_t output : schedule.getStream().asArrayRef()) {
    auto no = [&](const char *why) {
      return body.emitOpError("has a schedule that streams result ")
             << output << ": " << why;
    };
    if (output < 0 || output >= static_cast<int64_t>(body.getNumResults()))
      return no("there is no such result");
    if (!body.getStore(static_cast<unsigned>(output)))
      return no("no 'loop.store' writes it");
    if (output >= static_cast<int64_t>(keep.size()) ||
        keep[static_cast<size_t>(output)] < 0)
      continue;
    // The task keeps the value itself.
    if (schedule.getVectorDim() < 0 || schedule.getVectorWidth() == 1 ||
        !llvm::is_contained(body.getReducedDims(),
                            static_cast<unsigned>(schedule.getVectorDim())))
      return no("it keeps a value, which takes a reduced vector dimension");
    loop::StoreOp store = body.getStore(static_cast<unsigned>(output));
    std::optional<int64_t> bytes =
        loop::getScratchBytes(body, store.getValue().getType());
    if (!bytes || *bytes > loop::kMaxScratchBytes - scratchBytes)
      return no(
          "it keeps a value, for which a task may need more than 128 KiB");
    scratchBytes += *bytes;
  }
  return success();
}

/// (C6)
static LogicalResult checkOrder(loop::KernelOp body,
                                loop::ScheduleAttr schedule) {
  std::string why;
  if (schedule.getVectorDim() < 0 || schedule.getVectorWidth() == 1 ||
      loop::canVectorizeInOrder(
          body, static_cast<unsigned>(schedule.getVectorDim()), why))
    return success();
  return body.emitOpError("has a schedule that vectorises dimension ")
         << schedule.getVectorDim() << ", " << why;
}

namespace {
struct ConvertLoopToCPUPass
    : coil::impl::ConvertLoopToCPUPassBase<ConvertLoopToCPUPass> {
  using ConvertLoopToCPUPassBase::ConvertLoopToCPUPassBase;

  void runOnOperation() override {
    wrapper::KernelOp kernel = getOperation();
    if (!hasKernelForm(kernel, target::KernelForm::Vectors) ||
        kernel.isUserKernel())
      return; // Another device's conversion takes it, or a user wrote it.
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
      if (failed(checkKeep(body, schedule)) ||
          failed(checkRows(body, schedule)) ||
          failed(checkOrder(body, schedule)) ||
          failed(checkStream(body, schedule)) ||
          failed(checkTranspose(body, schedule)))
        return signalPassFailure();
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
    loop::KernelEmitter emitter(body, layout, approximate);
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
