//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `convert-cpu-kernel-to-llvm`: from vector, scf, arith and math to
// the LLVM dialect.
//
//===----------------------------------------------------------------------===//

#include "coil/Conversion/LoopToCPU/LoopToCPU.h"

#include "MathToVectorLibrary.h"
#include "SmallFloats.h"
#include "coil/Conversion/Utils/Contract.h"
#include "coil/Conversion/Utils/Float8.h"
#include "coil/Conversion/Utils/StructuredControlFlow.h"
#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace coil {
#define GEN_PASS_DEF_CONVERTCPUKERNELTOLLVMPASS
#include "coil/Conversion/Passes.h.inc"
} // namespace coil

using namespace mlir;
using namespace coil;

namespace {
struct ConvertCPUKernelToLLVMPass
    : coil::impl::ConvertCPUKernelToLLVMPassBase<ConvertCPUKernelToLLVMPass> {
  using ConvertCPUKernelToLLVMPassBase::ConvertCPUKernelToLLVMPassBase;

  void runOnOperation() override {
    // Code for a GPU is another lowering's.
    if (wrapper::KernelOp kernel = getOperation();
        !kernel.getBody().empty() &&
        !kernel.getBody().front().getOps<gpu::GPUModuleOp>().empty())
      return;
    MLIRContext *ctx = &getContext();
    {
      RewritePatternSet patterns(ctx);
      coil::populateMathSimplificationPatterns(patterns);
      coil::populateVectorRemainderPatterns(patterns);
      walkAndApplyPatterns(getOperation(), std::move(patterns));
    }
    {
      RewritePatternSet patterns(ctx);
      coil::populateMathToVectorLibraryPatterns(
          patterns, static_cast<unsigned>(vectorBits));
      walkAndApplyPatterns(getOperation(), std::move(patterns));
    }
    {
      RewritePatternSet patterns(ctx);
      coil::populateExpandFloat8Patterns(patterns);
      walkAndApplyPatterns(getOperation(), std::move(patterns));
    }
    if (failed(legalizeSmallFloats(getOperation())))
      return signalPassFailure();
    if (failed(convertToBranches(getOperation())))
      return signalPassFailure();
    LLVMTypeConverter converter(ctx);
    RewritePatternSet patterns(ctx);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    populateMathToLLVMConversionPatterns(converter, patterns);
    vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
    populateVectorToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    LLVMConversionTarget target(*ctx);
    target.addIllegalDialect<arith::ArithDialect, cf::ControlFlowDialect,
                             math::MathDialect, vector::VectorDialect>();
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      return signalPassFailure();
    for (auto fn : getOperation().getOps<LLVM::LLVMFuncOp>())
      if (failed(verifyStage(fn, target, "native",
                             "kernels for CPUs have no lowering of it to the "
                             "LLVM dialect")))
        return signalPassFailure();
  }
};
} // namespace
