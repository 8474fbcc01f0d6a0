//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One conversion from everything that a kernel may hold to the LLVM and NVVM
// dialects, and a check that the back end can select what came out.
//
//===----------------------------------------------------------------------===//

#include "Float8ToNVPTX.h"
#include "MathToNVPTX.h"
#include "coil/Conversion/Utils/Contract.h"
#include "coil/Conversion/Utils/Float8.h"
#include "coil/Conversion/Utils/StructuredControlFlow.h"
#include "coil/Dialect/Loop/Analysis/Precision.h"
#include "coil/Dialect/Loop/IR/Loop.h"
#include "coil/Dialect/Target/IR/TargetKind.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/LoweringOptions.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "llvm/ADT/StringSwitch.h"

namespace coil {
#define GEN_PASS_DEF_CONVERTGPUKERNELTONVVMPASS
#include "coil/Conversion/Passes.h.inc"
} // namespace coil

using namespace mlir;
using namespace coil;

/// Whether a value is what another lane of the warp has: a shuffle's, or words
/// or lanes of it put together.
static bool isFromLane(Value v, unsigned depth = 0) {
  Operation *op = v.getDefiningOp();
  if (!op || depth > 6)
    return false;
  if (isa<NVVM::ShflOp>(op))
    return true;
  return isa<arith::BitcastOp, arith::OrIOp, arith::ShLIOp, arith::ExtUIOp,
             arith::TruncIOp, vector::FromElementsOp, vector::InsertOp>(op) &&
         llvm::any_of(op->getOperands(), [&](Value operand) {
           return isFromLane(operand, depth + 1);
         });
}

/// Whether what rounding takes from a product is computed, too: the sum that
/// the product goes into may not give it back.
static bool isCompensated(arith::MulFOp product) {
  return llvm::any_of(product->getUsers(), [&](Operation *user) {
    return isa<arith::NegFOp>(user) &&
           llvm::any_of(user->getUsers(), [&](Operation *last) {
             return isa<math::FmaOp>(last) &&
                    last->getOperand(0) == product.getLhs() &&
                    last->getOperand(1) == product.getRhs();
           });
  });
}

/// Whether a product only exists as a 16-bit float: multiplied in that type, it
/// would go into a sum without being rounded to it.
static bool isNarrowed(arith::MulFOp product) {
  return !product->use_empty() &&
         llvm::all_of(product->getUsers(), [](Operation *user) {
           return isa<arith::TruncFOp>(user);
         });
}

std::optional<FastMath> coil::symbolizeFastMath(StringRef name) {
  return llvm::StringSwitch<std::optional<FastMath>>(name)
      .Case("off", FastMath::Off)
      .Case("default", FastMath::Default)
      .Case("fast", FastMath::Fast)
      .Default(std::nullopt);
}

std::string coil::getNVPTXFeatures(StringRef chip) {
  // The oldest PTX that has the instructions we use and knows the chip: older
  // drivers take it, too.
  unsigned number = 0;
  StringRef digits = chip;
  if (!digits.consume_front("sm_") || digits.consumeInteger(10, number) ||
      !(digits.empty() || digits == "a" || digits == "f"))
    return "";
  if (digits == "f")
    return number >= 100 ? "+ptx90" : "";
  switch (number) {
  case 70:
  case 72:
  case 75:
  case 80:
  case 86:
  case 87:
  case 89:
  case 90:
    return "+ptx81";
  case 100:
  case 101:
    return "+ptx86";
  case 120:
    return "+ptx87";
  case 103:
  case 121:
    return "+ptx88";
  case 88:
  case 110:
    return "+ptx90";
  }
  return "";
}

/// Whether the back end has no code for an operation and would abort.
static bool isUnselectable(Operation *op) {
  auto isHalf = [](Type type) {
    Type element = getElementTypeOrSelf(type);
    return element.isF16() || element.isBF16();
  };
  if (isa<LLVM::ExpOp, LLVM::Exp2Op, LLVM::Exp10Op, LLVM::LogOp, LLVM::Log10Op,
          LLVM::Log2Op, LLVM::SinOp, LLVM::CosOp, LLVM::PowOp, LLVM::PowIOp,
          LLVM::TanOp, LLVM::ASinOp, LLVM::ACosOp, LLVM::ATanOp, LLVM::ATan2Op,
          LLVM::SinhOp, LLVM::CoshOp, LLVM::LlrintOp, LLVM::LlroundOp,
          LLVM::LrintOp, LLVM::LroundOp>(op))
    return true;
  // The one that has an instruction, which is approximate.
  if (auto tanh = dyn_cast<LLVM::TanhOp>(op))
    return !bitEnumContainsAny(tanh.getFastmathFlags(),
                               LLVM::FastmathFlags::afn) ||
           tanh.getType().isF64();
  // fmod by a rounded quotient is not fmod.
  if (isa<LLVM::FRemOp>(op))
    return true;
  return isa<LLVM::SqrtOp, LLVM::RoundOp>(op) &&
         isHalf(op->getResult(0).getType());
}

/// The barrier of a block. Upstream's pattern makes `nvvm.barrier`, whose
/// parser takes the location after it for its optional attribute: text with
/// locations could not be read again.
struct LowerBarrier : OpRewritePattern<gpu::BarrierOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(gpu::BarrierOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::Barrier0Op>(op);
    return success();
  }
};

/// Upstream's patterns for the ops of `gpu`, without those that call libdevice.
static void populateGPUPatterns(const LLVMTypeConverter &converter,
                                RewritePatternSet &patterns) {
  RewritePatternSet all(patterns.getContext());
  populateGpuToNVVMConversionPatterns(converter, all);
  for (std::unique_ptr<RewritePattern> &pattern : all.getNativePatterns()) {
    std::optional<OperationName> root = pattern->getRootKind();
    if (root &&
        root->getDialectNamespace() == gpu::GPUDialect::getDialectNamespace())
      patterns.add(std::move(pattern));
  }
  patterns.add<LowerBarrier>(patterns.getContext(), /*benefit=*/2);
}

/// Whether an op converts from or to its type or moves values of it.
static bool isConversion(Operation *op) {
  return isa<arith::BitcastOp, arith::ConstantOp, arith::ExtFOp,
             arith::FPToSIOp, arith::FPToUIOp, arith::SelectOp, arith::SIToFPOp,
             arith::TruncFOp, arith::UIToFPOp>(op);
}

/// Whether there is code for an operation on a type.
static bool hasCode(Operation *op, Type type) {
  if (auto vectorType = dyn_cast<VectorType>(type))
    if (vectorType.isScalable())
      return false;
  Type element = getElementTypeOrSelf(type);
  if (isa<Float8E4M3FNType, Float8E5M2Type>(element))
    return isConversion(op);
  if (isa<FloatType>(element))
    return element.isF16() || element.isBF16() || element.isF32() ||
           element.isF64();
  return true;
}

/// Reports ops on types that there is no code for, while they still are the
/// ops of the program.
static LogicalResult checkTypes(gpu::GPUModuleOp module) {
  bool ok = true;
  module.walk([&](Operation *op) {
    if (!isa<arith::ArithDialect, math::MathDialect, loop::LoopDialect>(
            op->getDialect()))
      return;
    auto report = [&](Type type) {
      op->emitOpError("has no GPU code for type ") << type;
      ok = false;
    };
    SmallVector<Type> types(op->getOperandTypes());
    llvm::append_range(types, op->getResultTypes());
    auto *bad =
        llvm::find_if_not(types, [&](Type type) { return hasCode(op, type); });
    if (bad != types.end())
      return report(*bad);
    // Integers have any width, except in powers.
    if (isa<math::IPowIOp, math::FPowIOp>(op))
      for (Type type : types)
        if (auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(type)))
          if (integer.getWidth() > 64)
            return report(type);
  });
  return success(ok);
}

namespace {
struct ConvertGPUKernelToNVVMPass
    : coil::impl::ConvertGPUKernelToNVVMPassBase<ConvertGPUKernelToNVVMPass> {
  using ConvertGPUKernelToNVVMPassBase::ConvertGPUKernelToNVVMPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    mode = symbolizeFastMath(fastMath);
    if (!mode) // (C1)
      return emitError(UnknownLoc::get(context), "unknown fast-math mode '")
             << fastMath << "', expected 'off', 'default' or 'fast'";
    for (StringRef name : llvm::split(StringRef(chip), '+'))
      if (!name.empty() && getNVPTXFeatures(name).empty()) // (C1)
        return emitError(UnknownLoc::get(context), "unknown chip '")
               << name << "'";
    return success();
  }

  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    attachTargets(module);
    if (failed(checkTypes(module))) // (C2)
      return signalPassFailure();
    prepare(module);
    if (failed(convertToBranches(module)) || failed(convert(module)))
      return signalPassFailure();
    bool ok = true;
    module.walk([&](Operation *op) {
      if (isUnselectable(op)) { // (C2)
        op->emitOpError("has no GPU code for type ")
            << op->getResult(0).getType();
        ok = false;
      }
    });
    if (!ok)
      signalPassFailure();
  }

private:
  void attachTargets(gpu::GPUModuleOp module) {
    SmallVector<Attribute> targets;
    for (StringRef name : llvm::split(StringRef(chip), '+'))
      if (!name.empty())
        targets.push_back(NVVM::NVVMTargetAttr::get(
            &getContext(), /*optLevel=*/3, "nvptx64-nvidia-cuda", name,
            getNVPTXFeatures(name)));
    if (!targets.empty())
      module.setTargetsAttr(ArrayAttr::get(&getContext(), targets));
  }

  /// Whether all chips have a feature of those that the table of targets knows.
  bool hasFeature(StringRef feature) const {
    llvm::Expected<target::ChipFacts> facts =
        target::describeNVIDIAChips(StringRef(chip));
    if (facts)
      return facts->hasFeature(feature);
    // A chip that there is code for, but no table: code that all have.
    consumeError(facts.takeError());
    return false;
  }

  /// Rewrites inside the source dialects.
  void prepare(gpu::GPUModuleOp module) {
    if (*mode != FastMath::Off) {
      auto contract = arith::FastMathFlags::contract;
      module.walk([&](arith::ArithFastMathInterface op) {
        if (!isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(op))
          return;
        // Lanes that exchange what they have get the same sum only when none of
        // them adds a product that the other one has rounded.
        if (isa<arith::AddFOp>(op) &&
            llvm::any_of(op->getOperands(),
                         [](Value v) { return isFromLane(v); }))
          return;
        // x - x is zero, and not what a product's rounding left.
        if (op->getNumOperands() == 2 &&
            op->getOperand(0) == op->getOperand(1) && !isa<arith::MulFOp>(op))
          return;
        if (auto product = dyn_cast<arith::MulFOp>(*op);
            product && (isCompensated(product) || isNarrowed(product)))
          return;
        if (op->hasAttr(loop::kStrictAttrName))
          return;
        arith::FastMathFlags flags = op.getFastMathFlagsAttr().getValue();
        op->setAttr(
            op.getFastMathAttrName(),
            arith::FastMathFlagsAttr::get(&getContext(), flags | contract));
      });
    }
    lowerAngles(module, *mode);
    lowerQuotients(module, *mode);
    lowerConversions(module);
    RewritePatternSet patterns(&getContext());
    populateMathToNVPTXPatterns(patterns, *mode);
    populateExpandFloat8Patterns(patterns);
    if (hasFeature(kFloat8Conversions))
      populateFloat8ToNVPTXPatterns(patterns);
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    walkAndApplyPatterns(module, std::move(patterns));
    lowerRoundings(module);
  }

  LogicalResult convert(gpu::GPUModuleOp module) {
    MLIRContext *context = &getContext();
    LowerToLLVMOptions options(context, DataLayout(module));
    if (indexBits)
      options.overrideIndexBitwidth(indexBits);
    options.useBarePtrCallConv = true;
    LLVMTypeConverter converter(context, options);
    configureGpuToNVVMTypeConverter(converter);
    RewritePatternSet patterns(context);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
    populateGPUPatterns(converter, patterns);
    populateMathToLLVMConversionPatterns(converter, patterns);
    populateNVVMToLLVMConversionPatterns(patterns);
    ub::populateUBToLLVMConversionPatterns(converter, patterns);
    vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
    populateVectorToLLVMConversionPatterns(converter, patterns);
    LLVMConversionTarget target(*context);
    target.addIllegalDialect<arith::ArithDialect, cf::ControlFlowDialect,
                             gpu::GPUDialect, loop::LoopDialect,
                             math::MathDialect, memref::MemRefDialect,
                             ub::UBDialect, vector::VectorDialect>();
    target.addLegalOp<gpu::GPUModuleOp>();
    // Those ops of the dialect that are inline PTX in the end.
    target.addDynamicallyLegalDialect<NVVM::NVVMDialect>([](Operation *op) {
      auto inlined = dyn_cast<NVVM::BasicPtxBuilderInterface>(op);
      return !inlined || inlined.hasIntrinsic();
    });
    // Upstream's conversion of functions forgets what is passed by value. No
    // kernel of ours writes to it; NVVM allows to say so only of its own
    // kernels.
    llvm::StringMap<SmallVector<NamedAttrList>> arguments;
    for (auto func : module.getOps<gpu::GPUFuncOp>())
      for (unsigned i = 0; i < func.getNumArguments(); ++i) {
        NamedAttrList &kept = arguments[func.getName()].emplace_back();
        StringRef byVal = LLVM::LLVMDialect::getByValAttrName();
        if (Attribute attr = func.getArgAttr(i, byVal)) {
          kept.append(byVal, attr);
          kept.append(NVVM::NVVMDialect::getGridConstantAttrName(),
                      UnitAttr::get(context));
        }
      }
    // The kernel is in its canonical form already.
    ConversionConfig config;
    config.foldingMode = DialectConversionFoldingMode::Never;
    if (failed(applyPartialConversion(module, target, std::move(patterns),
                                      config)) ||
        failed(verifyStage(module, target, "native",
                           "kernels for GPUs have no lowering of it to the "
                           "LLVM dialect")))
      return failure();
    for (auto func : module.getOps<LLVM::LLVMFuncOp>()) {
      auto found = arguments.find(func.getName());
      if (found == arguments.end() ||
          found->second.size() != func.getNumArguments())
        continue;
      for (auto [i, attrs] : llvm::enumerate(found->second))
        for (NamedAttribute attr : attrs)
          func.setArgAttr(static_cast<unsigned>(i), attr.getName(),
                          attr.getValue());
    }
    return success();
  }

  std::optional<FastMath> mode;
};
} // namespace
