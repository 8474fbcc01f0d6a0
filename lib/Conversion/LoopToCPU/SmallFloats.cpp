//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Floats of 16 bits, in a form that needs no compiler support library.
//
// LLVM lowers arithmetic on bf16, and conversions to it from anything, to calls
// of that library unless the processor has AVX512-BF16, and libraries before
// libgcc 13 lack these functions. So no value is a bf16 in LLVM IR: arithmetic
// is done in f32, conversions are integer arithmetic, and what only moves is an
// i16. f16 has instructions for conversions from and to f32 on every processor
// that is supported (F16C), but none from f64 without AVX512-FP16; the
// framework goes through f32 as well.
//
//===----------------------------------------------------------------------===//

#include "SmallFloats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

/// An attribute of an `arith.truncf` to bf16: a NaN among its operand stays one
/// when it is rounded as a number.
static constexpr StringLiteral kKeepsNaN = "coil.keeps_nan";

static bool isBF16(Type type) {
  return mlir::getElementTypeOrSelf(type).isBF16();
}

/// Whether an f32 has zeros in the lower half of its word where it is NaN,
/// if that holds for the operands in `known`. Arithmetic gives the NaN of an
/// operand, made quiet, or the processor's own, which has a single bit set.
/// Calls and conversions from other types have NaN of any kind.
static bool hasShortNaN(Operation *op, const DenseSet<Value> &known) {
  auto isKnown = [&](Value v) {
    return !isa<FloatType>(getElementTypeOrSelf(v.getType())) ||
           known.contains(v);
  };
  if (auto extend = dyn_cast<arith::ExtFOp>(op))
    return isBF16(extend.getIn().getType());
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    Attribute value = constant.getValue();
    if (auto splat = dyn_cast<SplatElementsAttr>(value))
      value = splat.getSplatValue<Attribute>();
    auto number = dyn_cast<FloatAttr>(value);
    return number && !number.getValue().isNaN();
  }
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return llvm::all_of(branch->getRegions(), [&](Region &region) {
      return !region.empty() &&
             llvm::all_of(region.front().getTerminator()->getOperands(),
                          isKnown);
    });
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
             arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp,
             arith::MaxNumFOp, arith::MinNumFOp, arith::SelectOp,
             arith::SIToFPOp, arith::UIToFPOp, math::AbsFOp, math::FmaOp,
             math::SqrtOp, vector::BroadcastOp, vector::ExtractOp,
             vector::InsertOp, vector::ShuffleOp, vector::ExtractStridedSliceOp,
             vector::InsertStridedSliceOp>(op) &&
         llvm::all_of(op->getOperands(), isKnown);
}

/// Marks the roundings to bf16 that need not look for NaN: all that adding half
/// a unit can do to one is to carry into its sign, from ones in the lower half.
static void markRoundingsOfShortNaN(Operation *root) {
  DenseSet<Value> known;
  root->walk([&](Operation *op) {
    if (auto truncate = dyn_cast<arith::TruncFOp>(op);
        truncate && isBF16(truncate.getType()) &&
        known.contains(truncate.getIn()))
      truncate->setAttr(kKeepsNaN, UnitAttr::get(root->getContext()));
    // What carries values around loops is not followed.
    if (llvm::any_of(
            op->getResultTypes(),
            [](Type type) { return getElementTypeOrSelf(type).isF32(); }) &&
        hasShortNaN(op, known))
      known.insert_range(op->getResults());
  });
}

/// Whether `op` computes with bf16, other than by conversion.
static bool computesBF16(Operation *op) {
  if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) &&
      !isa<vector::ReductionOp>(op))
    return false;
  if (isa<arith::ExtFOp, arith::TruncFOp, arith::BitcastOp, arith::SelectOp,
          arith::ConstantOp>(op))
    return false;
  return llvm::any_of(op->getOperandTypes(), isBF16) ||
         llvm::any_of(op->getResultTypes(), isBF16);
}

namespace {

/// arith.truncf f64 to f16  →  arith.truncf f64 to f32, arith.truncf f32 to f16
struct NarrowThroughF32 : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Type from = op.getIn().getType(), to = op.getType();
    if (!getElementTypeOrSelf(from).isF64() ||
        getElementTypeOrSelf(to).getIntOrFloatBitWidth() != 16)
      return rewriter.notifyMatchFailure(op, "not from f64 to 16 bits");
    Type middle = rewriter.getF32Type();
    if (auto vector = dyn_cast<VectorType>(from))
      middle = vector.clone(middle);
    Value v =
        arith::TruncFOp::create(rewriter, op.getLoc(), middle, op.getIn());
    // The new op is visited by what comes after.
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, to, v);
    return success();
  }
};

/// arith.truncf f32 to bf16, rounding to nearest and even, as integers. The
/// pattern of upstream chooses NaN among 16 bits, for which a vector's
/// comparison has to be packed, too; here the words are packed once. A NaN
/// stays a quiet one, though not with the same sign.
///
/// Where `kKeepsNaN` says that a NaN is rounded to one, nothing looks for it.
///
/// A rounded value that is extended again, as between two operators of a fused
/// kernel, stays in its word: nothing is packed.
struct RoundToBF16 : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Type from = op.getIn().getType();
    if (!getElementTypeOrSelf(from).isF32() || !isBF16(op.getType()))
      return rewriter.notifyMatchFailure(op, "not from f32 to bf16");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto withElement = [&](Type element) -> Type {
      auto vector = dyn_cast<VectorType>(from);
      return vector ? vector.clone(element) : element;
    };
    Type words = withElement(b.getI32Type()), halves = b.getI16Type();
    auto constant = [&](int32_t value) -> Value {
      TypedAttr attr = b.getI32IntegerAttr(value);
      if (auto vector = dyn_cast<VectorType>(words))
        attr = DenseElementsAttr::get(vector, attr);
      return arith::ConstantOp::create(b, attr);
    };
    Value bits = arith::BitcastOp::create(b, words, op.getIn());
    bool isExact = op->hasAttr(coil::kExactRounding);
    bool staysInWord = llvm::any_of(op->getUsers(), [&](Operation *user) {
      auto extend = dyn_cast<arith::ExtFOp>(user);
      return extend && extend.getType() == from;
    });
    Value rounded = bits;
    if (!isExact)
      rounded = round(b, op.getIn(), bits, staysInWord, constant,
                      op->hasAttr(kKeepsNaN));
    for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
      auto extend = dyn_cast<arith::ExtFOp>(user);
      if (!extend || extend.getType() != from)
        continue;
      Value kept = op.getIn();
      if (!isExact)
        kept = arith::BitcastOp::create(
            b, from,
            arith::AndIOp::create(b, rounded, constant(int32_t(0xffff0000))));
      // The op itself is erased where the walk gets to it.
      rewriter.replaceAllUsesWith(extend.getResult(), kept);
    }
    Value high = arith::TruncIOp::create(
        b, withElement(halves),
        arith::ShRUIOp::create(b, rounded, constant(16)));
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), high);
    return success();
  }

private:
  /// Words whose upper halves are the rounded values.
  static Value round(ImplicitLocOpBuilder &b, Value value, Value bits,
                     bool staysInWord,
                     llvm::function_ref<Value(int32_t)> constant,
                     bool keepsNaN) {
    // Half a unit, and a little less where the last bit is even.
    Value last = arith::AndIOp::create(
        b, arith::ShRUIOp::create(b, bits, constant(16)), constant(1));
    Value rounded = arith::AddIOp::create(
        b, arith::AddIOp::create(b, bits, constant(0x7fff)), last);
    if (keepsNaN)
      return rounded;
    Value isNaN =
        arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, value, value);
    if (staysInWord)
      return arith::SelectOp::create(b, isNaN, constant(0x7fc00000), rounded);
    // A selection would sink into 16 bits.
    Value quiet = arith::AndIOp::create(
        b, arith::ExtSIOp::create(b, bits.getType(), isNaN),
        constant(0x7fc00000));
    return arith::OrIOp::create(b, rounded, quiet);
  }
};

} // namespace

/// What is left of bf16 in `root` only moves: every type and constant becomes
/// that of an i16. All at once, so that nothing stands between the two types,
/// whichever dialects the ops are of.
static void moveAsInteger(Operation *root) {
  MLIRContext *ctx = root->getContext();
  Type integer = IntegerType::get(ctx, 16);
  AttrTypeReplacer replacer;
  replacer.addReplacement([=](BFloat16Type) { return integer; });
  replacer.addReplacement([=](FloatAttr value) -> std::optional<Attribute> {
    if (!value.getType().isBF16())
      return std::nullopt;
    return IntegerAttr::get(integer, value.getValue().bitcastToAPInt());
  });
  replacer.addReplacement(
      [=](DenseElementsAttr value) -> std::optional<Attribute> {
        if (!value.getElementType().isBF16())
          return std::nullopt;
        return value.bitcast(integer);
      });
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if (op != root)
      ops.push_back(op);
  });
  for (Operation *op : ops)
    replacer.replaceElementsIn(op, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                               /*replaceTypes=*/true);
  for (Operation *op : ops) {
    auto cast = dyn_cast<arith::BitcastOp>(op);
    if (cast && cast.getType() == cast.getIn().getType()) {
      cast.replaceAllUsesWith(cast.getIn());
      cast.erase();
    }
  }
}

LogicalResult coil::legalizeSmallFloats(Operation *root) {
  MLIRContext *ctx = root->getContext();
  bool computes = false;
  root->walk([&](Operation *op) { computes |= computesBF16(op); });
  if (computes) {
    Type bf16 = BFloat16Type::get(ctx), f32 = Float32Type::get(ctx);
    SetVector<Type> small;
    small.insert(bf16);
    TypeConverter functions;
    math::populateExtendToSupportedTypesTypeConverter(functions, small, f32);
    ConversionTarget target(*ctx);
    math::populateExtendToSupportedTypesConversionTarget(target, functions);
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    RewritePatternSet patterns(ctx);
    math::populateExtendToSupportedTypesPatterns(patterns, functions);
    if (failed(applyPartialConversion(root, target, std::move(patterns))))
      return failure();

    TypeConverter arithmetic;
    arith::populateEmulateUnsupportedFloatsConversions(arithmetic, bf16, f32);
    ConversionTarget emulation(*ctx);
    emulation.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    arith::populateEmulateUnsupportedFloatsLegality(emulation, arithmetic);
    RewritePatternSet emulate(ctx);
    arith::populateEmulateUnsupportedFloatsPatterns(emulate, arithmetic);
    if (failed(applyPartialConversion(root, emulation, std::move(emulate))))
      return failure();
  }
  {
    RewritePatternSet patterns(ctx);
    patterns.add<NarrowThroughF32>(ctx);
    walkAndApplyPatterns(root, std::move(patterns));
  }
  markRoundingsOfShortNaN(root);
  RewritePatternSet patterns(ctx);
  arith::populateExpandBFloat16Patterns(patterns);
  patterns.add<RoundToBF16>(ctx, /*benefit=*/2);
  walkAndApplyPatterns(root, std::move(patterns));
  moveAsInteger(root);
  return success();
}
