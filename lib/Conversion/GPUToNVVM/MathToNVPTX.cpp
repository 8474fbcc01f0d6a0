//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions without an instruction become calls of the device library, one for
// each lane; divisions get the instruction of the mode.
//
//===----------------------------------------------------------------------===//

#include "MathToNVPTX.h"

#include "coil/Dialect/Loop/Analysis/Precision.h"
#include "coil/Dialect/Loop/IR/Loop.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/FloatingPointMode.h"

using namespace mlir;
using namespace coil;

namespace {

/// Computes one lane from the operands of one lane.
using LaneFunction =
    llvm::function_ref<Value(OpBuilder &, Location, ArrayRef<Value>)>;

/// Modes in which the library has a version of its own; the others take the
/// exact one.
enum Versions : unsigned {
  ExactOnly = 0,
  HasDefault = 1,
  HasFast = 2,
  HasNarrow = 4
};

} // namespace

/// Applies a function to every lane of an op's operands. A type narrower than
/// `f32` is computed in `f32` when `widen` says so.
static Value mapLanes(PatternRewriter &b, Operation *op, bool widen,
                      LaneFunction function) {
  Location loc = op->getLoc();
  Type type = op->getResult(0).getType();
  auto lane = [&](ArrayRef<Value> operands) -> Value {
    Type element = operands.front().getType();
    bool narrow = widen && isa<FloatType>(element) &&
                  element.getIntOrFloatBitWidth() < 32;
    SmallVector<Value> wide(operands);
    if (narrow)
      for (Value &v : wide)
        if (isa<FloatType>(v.getType()))
          v = arith::ExtFOp::create(b, loc, b.getF32Type(), v);
    Value result = function(b, loc, wide);
    if (narrow)
      result = arith::TruncFOp::create(b, loc, element, result);
    return result;
  };
  auto vectorType = dyn_cast<VectorType>(type);
  if (!vectorType)
    return lane(llvm::to_vector(op->getOperands()));
  SmallVector<Value> lanes;
  SmallVector<int64_t> position(vectorType.getRank(), 0);
  for (int64_t i = 0, e = vectorType.getNumElements(); i < e; ++i) {
    int64_t rest = i;
    for (int64_t d = vectorType.getRank() - 1; d >= 0; --d) {
      position[d] = rest % vectorType.getDimSize(d);
      rest /= vectorType.getDimSize(d);
    }
    SmallVector<Value> operands;
    for (Value v : op->getOperands())
      operands.push_back(vector::ExtractOp::create(b, loc, v, position));
    lanes.push_back(lane(operands));
  }
  return vector::FromElementsOp::create(b, loc, vectorType, lanes);
}

Value coil::getSplat(Value v) {
  auto splat = v.getDefiningOp<vector::BroadcastOp>();
  return splat && !isa<VectorType>(splat.getSource().getType())
             ? splat.getSource()
             : Value();
}

Value coil::isAnyLane(OpBuilder &b, Location loc, Value v,
                      llvm::function_ref<Value(OpBuilder &, Value)> test) {
  auto type = dyn_cast<VectorType>(v.getType());
  if (!type)
    return test(b, v);
  if (Value splat = getSplat(v))
    return test(b, splat);
  Value any;
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    Value one = test(b, vector::ExtractOp::create(b, loc, v, i));
    any = any ? arith::OrIOp::create(b, loc, any, one) : one;
  }
  return any;
}

Value coil::emitRarely(OpBuilder &b, Location loc, Value isRare, Value usual,
                       llvm::function_ref<Value(OpBuilder &)> emitRare) {
  // Both ways at once would take as long as the rare one always does.
  Value never = arith::ConstantOp::create(b, loc, b.getBoolAttr(false));
  isRare = LLVM::ExpectOp::create(b, loc, isRare, never);
  auto choice = scf::IfOp::create(b, loc, usual.getType(), isRare,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(b, loc, emitRare(b));
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, loc, usual);
  return choice.getResult(0);
}

Value coil::mapIntrinsic(OpBuilder &b, Location loc, StringRef name, Value v,
                         Type element) {
  auto call = [&](Value lane) -> Value {
    return LLVM::CallIntrinsicOp::create(b, loc, element, b.getStringAttr(name),
                                         ValueRange(lane))
        .getResult(0);
  };
  auto type = dyn_cast<VectorType>(v.getType());
  if (!type)
    return call(v);
  auto resultType = VectorType::get(type.getShape(), element);
  if (Value splat = getSplat(v))
    return vector::BroadcastOp::create(b, loc, resultType, call(splat));
  SmallVector<Value> lanes;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    lanes.push_back(call(vector::ExtractOp::create(b, loc, v, i)));
  return vector::FromElementsOp::create(b, loc, resultType, lanes);
}

/// Calls a function of the device library, declared in the kernel's module.
static Value callLibrary(OpBuilder &b, Location loc, StringRef name,
                         Type result, ArrayRef<Value> operands) {
  Operation *module =
      SymbolTable::getNearestSymbolTable(b.getInsertionBlock()->getParentOp());
  if (!SymbolTable::lookupSymbolIn(module, name)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&module->getRegion(0).front());
    auto types = llvm::map_to_vector(
        operands, [](Value v) -> Type { return v.getType(); });
    auto function =
        LLVM::LLVMFuncOp::create(b, UnknownLoc::get(b.getContext()), name,
                                 LLVM::LLVMFunctionType::get(result, types));
    function.setMemoryEffectsAttr(LLVM::MemoryEffectsAttr::get(
        b.getContext(),
        SmallVector<LLVM::ModRefInfo>(6, LLVM::ModRefInfo::NoModRef)));
    function.setNoUnwind(true);
    function.setWillReturn(true);
  }
  return LLVM::CallOp::create(b, loc, result,
                              FlatSymbolRefAttr::get(b.getContext(), name),
                              operands)
      .getResult();
}

/// Name of a library function for a type.
static std::string getLibraryName(const llvm::Twine &name, Type type) {
  std::string suffix;
  if (auto integer = dyn_cast<IntegerType>(type))
    suffix = "i" + std::to_string(integer.getWidth());
  else
    suffix = "f" + std::to_string(type.getIntOrFloatBitWidth());
  return ("coil_" + name + "_" + suffix).str();
}

static bool isLibraryType(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (auto vectorType = dyn_cast<VectorType>(type))
    if (vectorType.isScalable())
      return false;
  return element.isF16() || element.isBF16() || element.isF32() ||
         element.isF64();
}

/// Calls a function of the library for every lane, in the version that the mode
/// allows.
template <typename Op>
static Value callVersion(PatternRewriter &rewriter, Op op, StringRef name,
                         unsigned versions, FastMath mode) {
  bool isNarrow = false;
  if (arith::bitEnumContainsAny(op.getFastmath(), arith::FastMathFlags::afn)) {
    isNarrow = mode != FastMath::Fast && (versions & HasNarrow);
    mode = FastMath::Fast;
  }
  return mapLanes(
      rewriter, op, /*widen=*/true,
      [&](OpBuilder &b, Location loc, ArrayRef<Value> operands) {
        Type type = operands.front().getType();
        StringRef version;
        if (type.isF32() && isNarrow)
          version = "_narrow";
        else if (type.isF32() && mode == FastMath::Fast && (versions & HasFast))
          version = "_fast";
        else if (type.isF32() && mode != FastMath::Off &&
                 (versions & HasDefault))
          version = "_default";
        return callLibrary(b, loc, getLibraryName(name + version, type), type,
                           operands);
      });
}

namespace {

/// A `math` function that the library has.
template <typename Op>
struct LibraryCall : OpRewritePattern<Op> {
  LibraryCall(MLIRContext *context, StringRef name, unsigned versions,
              FastMath mode)
      : OpRewritePattern<Op>(context), name(name), versions(versions),
        mode(mode) {}

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!isLibraryType(op->getResult(0).getType()))
      return rewriter.notifyMatchFailure(op, "not a float that has code");
    rewriter.replaceOp(op, callVersion(rewriter, op, name, versions, mode));
    return success();
  }

  StringRef name;
  unsigned versions;
  FastMath mode;
};

/// Both results of a sincos.
struct SincosToCalls : OpRewritePattern<math::SincosOp> {
  SincosToCalls(MLIRContext *context, FastMath mode)
      : OpRewritePattern(context), mode(mode) {}

  LogicalResult matchAndRewrite(math::SincosOp op,
                                PatternRewriter &rewriter) const override {
    if (!isLibraryType(op.getOperand().getType()))
      return rewriter.notifyMatchFailure(op, "not a float that has code");
    Value sin = callVersion(rewriter, op, "sin", HasFast, mode);
    Value cos = callVersion(rewriter, op, "cos", HasFast, mode);
    rewriter.replaceOp(op, {sin, cos});
    return success();
  }

  FastMath mode;
};

/// The comparisons of a clamp keep NaN.
struct ExpandClamp : OpRewritePattern<math::ClampFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::ClampFOp op,
                                PatternRewriter &rewriter) const override {
    Value low = arith::MaximumFOp::create(rewriter, op.getLoc(), op.getValue(),
                                          op.getMin());
    rewriter.replaceOpWithNewOp<arith::MinimumFOp>(op, low, op.getMax());
    return success();
  }
};

/// Classes of floats, a mask in the coding of LLVM's `is.fpclass`.
template <typename Op, unsigned mask>
struct ClassifyFloat : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!isLibraryType(op.getOperand().getType()))
      return rewriter.notifyMatchFailure(op, "not a float that has code");
    rewriter.replaceOpWithNewOp<LLVM::IsFPClass>(op, op.getType(),
                                                 op.getOperand(), mask);
    return success();
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Sines and cosines
//===----------------------------------------------------------------------===//

/// From here on angles are reduced by a long product, behind a branch: the
/// device library's `_inside` and `_narrow` versions are for smaller ones.
static constexpr float kLargeAngle = 0x1p16f;

/// Whether `v` is below `kLargeAngle` in size, infinite, or no number.
static bool isSmallAngle(Value v) {
  Operation *op = v.getDefiningOp();
  if (!op)
    return false;
  if (isa<math::SinOp, math::CosOp, math::TanhOp, math::ErfOp>(op))
    return true;
  if (isa<arith::ExtFOp>(op) &&
      getElementTypeOrSelf(op->getOperand(0).getType()).isF16())
    return true; // 65504 at most.
  // e^-|x|
  if (isa<math::ExpOp, math::Exp2Op>(op))
    if (Operation *neg = op->getOperand(0).getDefiningOp();
        isa_and_present<arith::NegFOp>(neg) &&
        neg->getOperand(0).getDefiningOp<math::AbsFOp>())
      return true;
  return isa<arith::ExtFOp, arith::TruncFOp, arith::NegFOp, math::AbsFOp>(op) &&
         isSmallAngle(op->getOperand(0));
}

/// Whether an angle is `kLargeAngle` or more in size, or no number.
static Value isLargeAngle(OpBuilder &b, Value angle) {
  Location loc = angle.getLoc();
  Value limit = arith::ConstantOp::create(
      b, loc, FloatAttr::get(b.getF32Type(), kLargeAngle));
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UGE,
                               math::AbsFOp::create(b, loc, angle), limit);
}

static bool hasFlag(Operation *op, arith::FastMathFlags flag) {
  arith::FastMathFlagsAttr flags =
      cast<arith::ArithFastMathInterface>(op).getFastMathFlagsAttr();
  return flags && arith::bitEnumContainsAny(flags.getValue(), flag);
}

void coil::lowerAngles(Operation *root, FastMath mode) {
  if (mode != FastMath::Default)
    return;
  // All are looked at before any of them becomes calls.
  SmallVector<std::pair<Operation *, bool>> angles;
  root->walk([&](Operation *op) {
    if (!isa<math::SinOp, math::CosOp>(op) ||
        !getElementTypeOrSelf(op->getResult(0).getType()).isF32() ||
        hasFlag(op, arith::FastMathFlags::afn))
      return;
    auto vector = dyn_cast<VectorType>(op->getResult(0).getType());
    if (!vector || (vector.getRank() == 1 && !vector.isScalable()))
      angles.push_back({op, isSmallAngle(op->getOperand(0))});
  });
  PatternRewriter b(root->getContext());
  for (auto [op, isSmall] : angles) {
    b.setInsertionPoint(op);
    auto callAll = [&, op = op](StringRef version) {
      StringRef name = isa<math::SinOp>(op) ? "sin" : "cos";
      return mapLanes(b, op, /*widen=*/false,
                      [&](OpBuilder &b, Location loc, ArrayRef<Value> x) {
                        Type f32 = b.getF32Type();
                        return callLibrary(b, loc,
                                           getLibraryName(name + version, f32),
                                           f32, x);
                      });
    };
    bool isNarrow = hasFlag(op, arith::FastMathFlags::arcp);
    Value result = callAll(isNarrow ? "_narrow" : "_inside");
    if (!isSmall) {
      Location loc = op->getLoc();
      Value isLarge = isAnyLane(b, loc, op->getOperand(0), isLargeAngle);
      result = emitRarely(b, loc, isLarge, result,
                          [&](OpBuilder &) { return callAll(""); });
    }
    b.replaceOp(op, result);
  }
}

/// An integer as the one of 64 bits that the library takes.
static Value toInt64(OpBuilder &b, Location loc, Value v) {
  Type type = v.getType();
  if (type.isInteger(64))
    return v;
  if (type.isIndex())
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), v);
  return arith::ExtSIOp::create(b, loc, b.getI64Type(), v);
}

static bool isLibraryInteger(Type type) {
  Type element = getElementTypeOrSelf(type);
  auto integer = dyn_cast<IntegerType>(element);
  return element.isIndex() || (integer && integer.getWidth() <= 64);
}

namespace {

/// A power with an integer exponent, which keeps its parity.
struct FPowIToCall : OpRewritePattern<math::FPowIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::FPowIOp op,
                                PatternRewriter &rewriter) const override {
    if (!isLibraryType(op.getType()) ||
        !isLibraryInteger(op.getRhs().getType()))
      return rewriter.notifyMatchFailure(op, "not types that have code");
    Value result = mapLanes(
        rewriter, op, /*widen=*/true,
        [](OpBuilder &b, Location loc, ArrayRef<Value> operands) {
          Type type = operands[0].getType();
          return callLibrary(b, loc, getLibraryName("powi", type), type,
                             {operands[0], toInt64(b, loc, operands[1])});
        });
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct IPowIToCall : OpRewritePattern<math::IPowIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::IPowIOp op,
                                PatternRewriter &rewriter) const override {
    if (!isLibraryInteger(op.getType()))
      return rewriter.notifyMatchFailure(op, "not an integer that has code");
    Value result = mapLanes(
        rewriter, op, /*widen=*/false,
        [](OpBuilder &b, Location loc, ArrayRef<Value> operands) -> Value {
          Type type = operands[0].getType(), wide = b.getI64Type();
          Value power = callLibrary(
              b, loc, "coil_ipow_i64", wide,
              {toInt64(b, loc, operands[0]), toInt64(b, loc, operands[1])});
          if (type.isIndex())
            return arith::IndexCastOp::create(b, loc, type, power);
          if (type == wide)
            return power;
          return arith::TruncIOp::create(b, loc, type, power);
        });
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// The remainder of the C library: LLVM's expansion rounds the quotient.
struct RemFToCall : OpRewritePattern<arith::RemFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::RemFOp op,
                                PatternRewriter &rewriter) const override {
    if (!isLibraryType(op.getType()))
      return rewriter.notifyMatchFailure(op, "not a float that has code");
    Value result =
        mapLanes(rewriter, op, /*widen=*/true,
                 [](OpBuilder &b, Location loc, ArrayRef<Value> operands) {
                   Type type = operands[0].getType();
                   return callLibrary(b, loc, getLibraryName("fmod", type),
                                      type, operands);
                 });
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// `loop.special` by its function's name.
struct SpecialToCall : OpRewritePattern<loop::SpecialOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(loop::SpecialOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    rewriter.replaceOp(
        op, callLibrary(rewriter, op.getLoc(),
                        getLibraryName(
                            stringifySpecialFunction(op.getFunction()), type),
                        type, llvm::to_vector(op.getArgs())));
    return success();
  }
};

/// A call of the CPU runtime's function, by the device's name.
struct RedirectSpecial : OpRewritePattern<LLVM::CallOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LLVM::CallOp op,
                                PatternRewriter &rewriter) const override {
    StringRef name = op.getCallee().value_or("");
    if (!name.consume_front("coil_special_") || op->getNumResults() != 1)
      return failure();
    Type type = op.getResult().getType();
    if (type.isF32())
      name.consume_back("f");
    rewriter.replaceOp(op, callLibrary(rewriter, op.getLoc(),
                                       getLibraryName(name, type), type,
                                       llvm::to_vector(op.getArgOperands())));
    return success();
  }
};

/// 1 + tanh(x) as 2 / (1 + exp(-2x)), which is cheaper, and has not lost its
/// digits where tanh is near -1.
struct OnePlusTanh : OpRewritePattern<math::TanhOp> {
  OnePlusTanh(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(math::TanhOp op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32() || op->use_empty() ||
        !llvm::all_of(op->getUsers(), [&](Operation *user) {
          auto add = dyn_cast<arith::AddFOp>(user);
          return add && (matchPattern(add.getLhs(), m_OneFloat()) ||
                         matchPattern(add.getRhs(), m_OneFloat()));
        }))
      return rewriter.notifyMatchFailure(op, "not only 1 + tanh is used");
    Location loc = op.getLoc();
    auto splat = [&](double value) -> Value {
      TypedAttr attr = rewriter.getFloatAttr(rewriter.getF32Type(), value);
      if (auto vectorType = dyn_cast<VectorType>(op.getType()))
        attr = DenseElementsAttr::get(vectorType, Attribute(attr));
      return arith::ConstantOp::create(rewriter, loc, attr);
    };
    auto contract = arith::FastMathFlags::contract;
    Value twice = arith::MulFOp::create(rewriter, loc, op.getOperand(),
                                        splat(-2), contract);
    auto exponential =
        math::ExpOp::create(rewriter, loc, twice, op.getFastmath());
    Value e = callVersion(rewriter, exponential, "exp", HasDefault | HasFast,
                          FastMath::Default);
    rewriter.eraseOp(exponential);
    Value sum = arith::AddFOp::create(rewriter, loc, e, splat(1), contract);
    // Above 2^126 it is zero, next to one.
    Value inverse = emitApproximateInverse(rewriter, loc, sum);
    // Twice the inverse. The additions stay: the walk may be about to come to
    // one of them.
    for (Operation *user : llvm::to_vector(op->getUsers()))
      rewriter.modifyOpInPlace(user,
                               [&] { user->setOperands({inverse, inverse}); });
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

namespace {

/// Divisions in `f32` that need not be exact. In the default mode these are the
/// ones with flags, which `convert-loop-to-gpu` sets where the divisor has an
/// error of its own: `arcp` for a product with the inverse, which is computed
/// once, `contract` for the division that is within 2 ulp. In the fast mode
/// they are all.
struct FastDivision : OpRewritePattern<arith::DivFOp> {
  FastDivision(MLIRContext *context, FastMath mode)
      : OpRewritePattern(context), mode(mode) {}

  LogicalResult matchAndRewrite(arith::DivFOp op,
                                PatternRewriter &rewriter) const override {
    auto has = [&](arith::FastMathFlags flags) {
      return arith::bitEnumContainsAny(op.getFastmath(), flags);
    };
    bool isFast = mode == FastMath::Fast;
    if (has(arith::FastMathFlags::afn) ||
        !getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "stays as it is");
    if (!isFast &&
        !has(arith::FastMathFlags::arcp | arith::FastMathFlags::contract))
      return rewriter.notifyMatchFailure(op, "is rounded once");
    if (!isFast && loop::reachesStep(op.getResult()))
      return rewriter.notifyMatchFailure(op, "reaches a step");
    llvm::APFloat divisor(0.0f), dividend(0.0f);
    if (isFast && matchPattern(op.getRhs(), m_ConstantFloat(&divisor))) {
      llvm::APFloat inverse(1.0f);
      inverse.divide(divisor, llvm::APFloat::rmNearestTiesToEven);
      if (!inverse.isFinite() || inverse.isDenormal() || inverse.isZero())
        return rewriter.notifyMatchFailure(op, "the inverse is not normal");
      TypedAttr value = rewriter.getFloatAttr(rewriter.getF32Type(), inverse);
      if (auto vectorType = dyn_cast<VectorType>(op.getType()))
        value = DenseElementsAttr::get(vectorType, Attribute(value));
      rewriter.replaceOpWithNewOp<arith::MulFOp>(
          op, op.getLhs(),
          arith::ConstantOp::create(rewriter, op.getLoc(), value),
          op.getFastmath() | arith::FastMathFlags::contract);
      return success();
    }
    if (!isFast && has(arith::FastMathFlags::arcp)) {
      // The inverse is the same for many divisions, and computed once.
      TypedAttr one = rewriter.getFloatAttr(rewriter.getF32Type(), 1.0);
      if (auto vectorType = dyn_cast<VectorType>(op.getType()))
        one = DenseElementsAttr::get(vectorType, Attribute(one));
      Value inverse = arith::DivFOp::create(
          rewriter, op.getLoc(),
          arith::ConstantOp::create(rewriter, op.getLoc(), one), op.getRhs(),
          arith::FastMathFlags::afn);
      rewriter.replaceOpWithNewOp<arith::MulFOp>(
          op, op.getLhs(), inverse, arith::FastMathFlags::contract);
      return success();
    }
    bool inverts = matchPattern(op.getLhs(), m_ConstantFloat(&dividend)) &&
                   dividend.isExactlyValue(1.0);
    if (inverts || isFast) {
      rewriter.modifyOpInPlace(op, [&] {
        op.setFastmath(op.getFastmath() | arith::FastMathFlags::afn);
      });
      return success();
    }
    Value result =
        mapLanes(rewriter, op, /*widen=*/false,
                 [](OpBuilder &b, Location loc, ArrayRef<Value> operands) {
                   return LLVM::CallIntrinsicOp::create(
                              b, loc, b.getF32Type(),
                              b.getStringAttr("llvm.nvvm.div.full"), operands)
                       .getResult(0);
                 });
    rewriter.replaceOp(op, result);
    return success();
  }

  FastMath mode;
};

/// Square roots in `f32` by the instruction within 1 ulp, by which the root of
/// a square may miss an integer: those with the flag `afn`, in the fast mode
/// all.
struct FastSqrt : OpRewritePattern<math::SqrtOp> {
  FastSqrt(MLIRContext *context, FastMath mode)
      : OpRewritePattern(context), mode(mode) {}

  LogicalResult matchAndRewrite(math::SqrtOp op,
                                PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getType());
    bool isFast = mode == FastMath::Fast ||
                  (element.isF32() && hasFlag(op, arith::FastMathFlags::afn));
    if (!isFast || !isLibraryType(op.getType()) || element.isF64())
      return rewriter.notifyMatchFailure(op, "stays as it is");
    Value result = mapLanes(
        rewriter, op, /*widen=*/true,
        [](OpBuilder &b, Location loc, ArrayRef<Value> operands) {
          return LLVM::CallIntrinsicOp::create(
                     b, loc, b.getF32Type(),
                     b.getStringAttr("llvm.nvvm.sqrt.approx.f"), operands)
              .getResult(0);
        });
    rewriter.replaceOp(op, result);
    return success();
  }

  FastMath mode;
};

} // namespace

Value coil::getNarrow(OpBuilder &b, Value v, Type narrow) {
  Type type = narrow;
  if (auto vectorType = dyn_cast<VectorType>(v.getType()))
    type = VectorType::get(vectorType.getShape(), narrow);
  if (auto extend = v.getDefiningOp<arith::ExtFOp>())
    return extend.getIn().getType() == type ? extend.getIn() : Value();
  if (auto splat = v.getDefiningOp<vector::BroadcastOp>()) {
    if (isa<VectorType>(splat.getSource().getType()))
      return {};
    Value scalar = getNarrow(b, splat.getSource(), narrow);
    return scalar ? vector::BroadcastOp::create(b, v.getLoc(), type, scalar)
                        .getResult()
                  : Value();
  }
  if (Operation *op = v.getDefiningOp();
      isa_and_present<arith::NegFOp, math::AbsFOp>(op)) {
    Value inner = getNarrow(b, op->getOperand(0), narrow);
    if (!inner)
      return {};
    return isa<math::AbsFOp>(op)
               ? math::AbsFOp::create(b, v.getLoc(), inner).getResult()
               : arith::NegFOp::create(b, v.getLoc(), inner).getResult();
  }
  llvm::APFloat value(0.0f);
  // ptxas (12.8, 13.0) loses the sign of an infinity that it knows to be an
  // operand of a maximum or a minimum of pairs.
  if (!matchPattern(v, m_ConstantFloat(&value)) || !value.isFinite())
    return {};
  bool loses = false;
  value.convert(cast<FloatType>(narrow).getFloatSemantics(),
                llvm::APFloat::rmNearestTiesToEven, &loses);
  if (loses)
    return {};
  TypedAttr attr = b.getFloatAttr(narrow, value);
  if (auto vectorType = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vectorType, Attribute(attr));
  return arith::ConstantOp::create(b, v.getLoc(), attr);
}

namespace {

/// Maxima and minima of extended values are the extended maximum or minimum,
/// which is one instruction for two of them, and mostly rounded again: `relu`,
/// `clamp`.
template <typename Op>
struct NarrowExtremum : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not of f32");
    Type narrow;
    for (Value v : op->getOperands()) {
      if (auto splat = v.template getDefiningOp<vector::BroadcastOp>())
        v = splat.getSource();
      if (auto extend = v.template getDefiningOp<arith::ExtFOp>())
        narrow = getElementTypeOrSelf(extend.getIn().getType());
    }
    if (!narrow || !(narrow.isF16() || narrow.isBF16()))
      return rewriter.notifyMatchFailure(op, "not of extended values");
    Value lhs = getNarrow(rewriter, op.getLhs(), narrow);
    Value rhs = lhs ? getNarrow(rewriter, op.getRhs(), narrow) : Value();
    if (!rhs)
      return rewriter.notifyMatchFailure(op, "not of extended values");
    Value result = Op::create(rewriter, op.getLoc(), lhs, rhs);
    rewriter.replaceOpWithNewOp<arith::ExtFOp>(op, op.getType(), result);
    return success();
  }
};

/// Ops with an instruction for `f32` and `f64` only.
template <typename Op>
struct Widen : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getType());
    if (!element.isF16() && !element.isBF16())
      return rewriter.notifyMatchFailure(op, "has an instruction");
    Value result =
        mapLanes(rewriter, op, /*widen=*/true,
                 [&](OpBuilder &b, Location loc, ArrayRef<Value> operands) {
                   return Op::create(b, loc, operands.front().getType(),
                                     operands, op->getAttrs())
                       ->getResult(0);
                 });
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void coil::populateMathToNVPTXPatterns(RewritePatternSet &patterns,
                                       FastMath mode) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ExpandClamp, FPowIToCall, IPowIToCall, RemFToCall, SpecialToCall,
               RedirectSpecial>(context);
  patterns.add<NarrowExtremum<arith::MaximumFOp>,
               NarrowExtremum<arith::MinimumFOp>>(context);
  patterns.add<SincosToCalls>(context, mode);
  patterns.add<ClassifyFloat<math::IsFiniteOp, llvm::fcFinite>,
               ClassifyFloat<math::IsInfOp, llvm::fcInf>,
               ClassifyFloat<math::IsNaNOp, llvm::fcNan>,
               ClassifyFloat<math::IsNormalOp, llvm::fcNormal>>(context);
  patterns.add<Widen<math::CeilOp>, Widen<math::CopySignOp>,
               Widen<math::FloorOp>, Widen<math::RoundEvenOp>,
               Widen<math::RoundOp>, Widen<math::SqrtOp>, Widen<math::TruncOp>>(
      context);
  if (mode != FastMath::Off) {
    patterns.add<FastDivision, FastSqrt>(context, mode);
    if (mode == FastMath::Default)
      patterns.add<OnePlusTanh>(context);
  }
  // Ops without a version of their own are as fast as approximations would
  // be, or would lose digits that a caller sees.
#define FUNCTION(op, name, versions)                                           \
  patterns.add<LibraryCall<math::op>>(context, #name, versions, mode);
  FUNCTION(AcosOp, acos, ExactOnly)
  FUNCTION(AcoshOp, acosh, ExactOnly)
  FUNCTION(AsinOp, asin, ExactOnly)
  FUNCTION(AsinhOp, asinh, ExactOnly)
  FUNCTION(AtanOp, atan, ExactOnly)
  FUNCTION(Atan2Op, atan2, ExactOnly)
  FUNCTION(AtanhOp, atanh, ExactOnly)
  FUNCTION(CbrtOp, cbrt, ExactOnly)
  FUNCTION(CosOp, cos, HasFast)
  FUNCTION(CoshOp, cosh, ExactOnly)
  FUNCTION(ErfOp, erf, HasDefault | HasFast)
  FUNCTION(ErfcOp, erfc, ExactOnly)
  FUNCTION(ExpOp, exp, HasDefault | HasFast)
  FUNCTION(Exp2Op, exp2, HasDefault)
  FUNCTION(ExpM1Op, expm1, HasDefault)
  FUNCTION(LogOp, log, HasDefault | HasFast)
  FUNCTION(Log10Op, log10, HasFast)
  FUNCTION(Log1pOp, log1p, HasDefault)
  FUNCTION(Log2Op, log2, HasFast)
  FUNCTION(PowFOp, pow, HasDefault | HasFast)
  FUNCTION(RsqrtOp, rsqrt, HasDefault)
  FUNCTION(SinOp, sin, HasFast)
  FUNCTION(SinhOp, sinh, ExactOnly)
  FUNCTION(TanOp, tan, ExactOnly)
  FUNCTION(TanhOp, tanh, HasDefault | HasFast | HasNarrow)
#undef FUNCTION
}
