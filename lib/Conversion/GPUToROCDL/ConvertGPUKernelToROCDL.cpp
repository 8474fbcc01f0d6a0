//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `convert-gpu-kernel-to-rocdl`: upstream's conversions to the LLVM
// and ROCDL dialects, and a check that the back end can select what came out.
//
//===----------------------------------------------------------------------===//

#include "coil/Conversion/GPUToROCDL/GPUToROCDL.h"

#include "coil/Conversion/Utils/Contract.h"
#include "coil/Conversion/Utils/Float8.h"
#include "coil/Conversion/Utils/StructuredControlFlow.h"
#include "coil/Dialect/Loop/IR/Loop.h"
#include "coil/Dialect/Target/IR/TargetKind.h"
#include "mlir/Conversion/AMDGPUToROCDL/AMDGPUToROCDL.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToROCDL/GPUToROCDLPass.h"
#include "mlir/Conversion/GPUToROCDL/Runtimes.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/LoweringOptions.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/AMDGPU/Utils/Chipset.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace coil {
#define GEN_PASS_DEF_CONVERTGPUKERNELTOROCDLPASS
#include "coil/Conversion/Passes.h.inc"
} // namespace coil

using namespace mlir;
using namespace coil;

/// Whether the back end has code for an operation of `math`, without a device
/// library, that is as exact as its callers expect.
static bool hasMathCode(Operation *op) {
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  if (isa<math::ExpOp, math::Exp2Op, math::LogOp, math::Log2Op, math::Log10Op>(
          op))
    return element.isF32();
  if (isa<math::SqrtOp, math::RsqrtOp>(op))
    return element.isF32() || element.isF64();
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
             math::CountLeadingZerosOp, math::CountTrailingZerosOp,
             math::CtPopOp, math::FloorOp, math::FmaOp, math::IsFiniteOp,
             math::IsInfOp, math::IsNaNOp, math::RoundEvenOp, math::RoundOp,
             math::TruncOp>(op);
}

namespace {
/// The blocks of a launch, which upstream asks ROCm's device library for: they
/// are among the arguments that every kernel has behind its own, as
/// `hidden_block_count_x` and so on (LLVM's User Guide for AMDGPU Backend, code
/// object V5 kernel argument metadata).
struct LowerGridDim : ConvertOpToLLVMPattern<gpu::GridDimOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(gpu::GridDimOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto pointer = LLVM::LLVMPointerType::get(
        op.getContext(), /*addressSpace=*/kConstantAddressSpace);
    Value hidden =
        LLVM::CallIntrinsicOp::create(
            rewriter, loc, pointer,
            rewriter.getStringAttr("llvm.amdgcn.implicitarg.ptr"), ValueRange())
            .getResult(0);
    auto place = static_cast<int32_t>(op.getDimension());
    Value address =
        LLVM::GEPOp::create(rewriter, loc, pointer, rewriter.getI32Type(),
                            hidden, ArrayRef<LLVM::GEPArg>{place});
    Value count = LLVM::LoadOp::create(rewriter, loc, rewriter.getI32Type(),
                                       address, /*alignment=*/4);
    rewriter.replaceOpWithNewOp<LLVM::ZExtOp>(
        op, getTypeConverter()->convertType(op.getType()), count);
    return success();
  }

private:
  static constexpr unsigned kConstantAddressSpace = 4;
};

struct ConvertGPUKernelToROCDLPass
    : coil::impl::ConvertGPUKernelToROCDLPassBase<ConvertGPUKernelToROCDLPass> {
  using ConvertGPUKernelToROCDLPassBase::ConvertGPUKernelToROCDLPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    llvm::Expected<target::ChipFacts> known =
        target::describeAMDChips(StringRef(chip));
    if (!known) // (C1)
      return emitError(UnknownLoc::get(context), toString(known.takeError()));
    return success();
  }

  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    bool ok = true;
    module.walk([&](Operation *op) {
      if (!isa<math::MathDialect, loop::LoopDialect>(op->getDialect()) ||
          (isa<math::MathDialect>(op->getDialect()) && hasMathCode(op)))
        return;
      op->emitOpError("has no code for AMD GPUs on type ") // (C2)
          << op->getResult(0).getType();
      ok = false;
    });
    if (!ok)
      return signalPassFailure();
    module.setTargetsAttr(ArrayAttr::get(
        &getContext(),
        ROCDL::ROCDLTargetAttr::get(&getContext(), /*optLevel=*/3,
                                    "amdgcn-amd-amdhsa", StringRef(chip))));
    RewritePatternSet patterns(&getContext());
    populateExpandFloat8Patterns(patterns);
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    walkAndApplyPatterns(module, std::move(patterns));
    if (failed(convertToBranches(module)) || failed(convert(module)))
      signalPassFailure();
  }

private:
  /// Upstream's patterns for the ops of `gpu`, without those that call ROCm's
  /// device library.
  static void populateGPUPatterns(const LLVMTypeConverter &converter,
                                  RewritePatternSet &patterns,
                                  amdgpu::Chipset chipset) {
    RewritePatternSet all(patterns.getContext());
    populateGpuToROCDLConversionPatterns(converter, all, gpu::amd::Runtime::HIP,
                                         chipset);
    for (std::unique_ptr<RewritePattern> &pattern : all.getNativePatterns()) {
      std::optional<OperationName> root = pattern->getRootKind();
      if (root &&
          root->getDialectNamespace() == gpu::GPUDialect::getDialectNamespace())
        patterns.add(std::move(pattern));
    }
  }

  LogicalResult convert(gpu::GPUModuleOp module) {
    MLIRContext *context = &getContext();
    FailureOr<amdgpu::Chipset> chipset =
        amdgpu::Chipset::parse(StringRef(chip));
    if (failed(chipset))
      return module.emitError("is for the unknown chip '")
             << StringRef(chip) << "'";
    LowerToLLVMOptions options(context, DataLayout(module));
    options.useBarePtrCallConv = true;
    LLVMTypeConverter converter(context, options);
    RewritePatternSet patterns(context);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    populateGPUPatterns(converter, patterns, *chipset);
    patterns.add<LowerGridDim>(converter, /*benefit=*/2);
    populateMathToLLVMConversionPatterns(converter, patterns);
    ub::populateUBToLLVMConversionPatterns(converter, patterns);
    vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
    populateVectorToLLVMConversionPatterns(converter, patterns);
    LLVMConversionTarget target(*context);
    target.addLegalDialect<ROCDL::ROCDLDialect>();
    target.addIllegalDialect<arith::ArithDialect, cf::ControlFlowDialect,
                             gpu::GPUDialect, loop::LoopDialect,
                             math::MathDialect, ub::UBDialect,
                             vector::VectorDialect>();
    target.addLegalOp<gpu::GPUModuleOp>();
    if (failed(applyPartialConversion(module, target, std::move(patterns))))
      return failure();
    return verifyStage(module, target, "native",
                       "kernels for AMD GPUs have no lowering of it to the "
                       "LLVM dialect");
  }
};
} // namespace
