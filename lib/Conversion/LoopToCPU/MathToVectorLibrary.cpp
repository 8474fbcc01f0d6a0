//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `math` functions without an instruction become calls: of vectors to glibc's
// libmvec (at most 4 ulp), of scalars to libm.
//
//===----------------------------------------------------------------------===//

#include "MathToVectorLibrary.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace {

/// Calls the library for one `math` op.
template <typename Op>
struct CallPattern : OpRewritePattern<Op> {
  CallPattern(MLIRContext *ctx, StringRef name, unsigned vectorBits)
      : OpRewritePattern<Op>(ctx), name(name), vectorBits(vectorBits) {}

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    Type element = mlir::getElementTypeOrSelf(type);
    if (!element.isF32() && !element.isF64())
      return rewriter.notifyMatchFailure(op, "expected f32 or f64");
    if (!op->template getParentOfType<LLVM::LLVMFuncOp>())
      return rewriter.notifyMatchFailure(op, "expected to be in an llvm.func");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto vectorType = dyn_cast<VectorType>(type);
    std::string scalarName = (name + (element.isF32() ? "f" : "")).str();
    if (!vectorType) {
      rewriter.replaceOp(op, call(b, op, scalarName, type, op->getOperands()));
      return success();
    }
    // A vector longer than a register is computed piece by piece.
    int64_t lanes = vectorType.getNumElements();
    int64_t chunk =
        std::min<int64_t>(lanes, vectorBits / element.getIntOrFloatBitWidth());
    char isa = 0;
    switch (chunk * element.getIntOrFloatBitWidth()) {
    case 128:
      isa = 'b'; // SSE4.2
      break;
    case 256:
      isa = 'd'; // AVX2
      break;
    case 512:
      isa = 'e'; // AVX-512
      break;
    }
    if (!isa || lanes % chunk) {
      unroll(b, op, scalarName, vectorType, rewriter);
      return success();
    }
    if (isNarrow(op))
      scalarName += "_narrow";
    std::string vectorName =
        ("_ZGV" + Twine(isa) + "N" + Twine(chunk) +
         (op->getNumOperands() == 2 ? "vv_" : "v_") + scalarName)
            .str();
    auto chunkType = VectorType::get(chunk, element);
    if (lanes == chunk) {
      rewriter.replaceOp(op,
                         call(b, op, vectorName, chunkType, op->getOperands()));
      return success();
    }
    Value result = ub(b, vectorType);
    for (int64_t i = 0; i < lanes; i += chunk) {
      SmallVector<Value> pieces;
      for (Value v : op->getOperands())
        pieces.push_back(vector::ExtractStridedSliceOp::create(
            b, v, ArrayRef<int64_t>{i}, ArrayRef<int64_t>{chunk},
            ArrayRef<int64_t>{1}));
      result = vector::InsertStridedSliceOp::create(
          b, call(b, op, vectorName, chunkType, pieces), result,
          ArrayRef<int64_t>{i}, ArrayRef<int64_t>{1});
    }
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  /// Whether the exponential need only be as exact as a number of 16 bits.
  static bool isNarrow(Op op) {
    if constexpr (std::is_same_v<Op, math::ExpOp>)
      return getElementTypeOrSelf(op.getType()).isF32() &&
             arith::bitEnumContainsAny(op.getFastmath(),
                                       arith::FastMathFlags::afn);
    return false;
  }

  static Value ub(ImplicitLocOpBuilder &b, VectorType type) {
    return LLVM::ZeroOp::create(b, type);
  }

  static Value call(ImplicitLocOpBuilder &b, Operation *op, StringRef callee,
                    Type result, ValueRange args) {
    auto func = op->getParentOfType<LLVM::LLVMFuncOp>();
    SmallVector<Type> types(args.getTypes().begin(), args.getTypes().end());
    Operation *scope = func->getParentOp();
    if (!SymbolTable::lookupSymbolIn(scope, callee)) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(func);
      auto declaration = LLVM::LLVMFuncOp::create(
          b, callee, LLVM::LLVMFunctionType::get(result, types));
      declaration.setMemoryEffectsAttr(LLVM::MemoryEffectsAttr::get(
          b.getContext(),
          {LLVM::ModRefInfo::NoModRef, LLVM::ModRefInfo::NoModRef,
           LLVM::ModRefInfo::NoModRef, LLVM::ModRefInfo::NoModRef,
           LLVM::ModRefInfo::NoModRef, LLVM::ModRefInfo::NoModRef}));
      declaration.setNoUnwind(true);
      declaration.setWillReturn(true);
    }
    return LLVM::CallOp::create(b, result, callee, args).getResult();
  }

  static void unroll(ImplicitLocOpBuilder &b, Operation *op, StringRef callee,
                     VectorType type, PatternRewriter &rewriter) {
    Value result = ub(b, type);
    for (int64_t i = 0, n = type.getNumElements(); i < n; ++i) {
      SmallVector<Value> scalars;
      for (Value v : op->getOperands())
        scalars.push_back(
            vector::ExtractOp::create(b, v, ArrayRef<int64_t>{i}));
      result = vector::InsertOp::create(
          b, call(b, op, callee, type.getElementType(), scalars), result,
          ArrayRef<int64_t>{i});
    }
    rewriter.replaceOp(op, result);
  }

  StringRef name;
  unsigned vectorBits;
};

/// 1 + tanh(x) as 2 / (1 + exp(-2 x)), where only that is used. It is cheaper,
/// and has not lost its digits where tanh is near -1: GELU by tanh would be
/// zero below -5.
struct OnePlusTanh : OpRewritePattern<math::TanhOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::TanhOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType(), element = getElementTypeOrSelf(type);
    if ((!element.isF32() && !element.isF64()) || op->use_empty() ||
        !llvm::all_of(op->getUsers(), [&](Operation *user) {
          auto add = dyn_cast<arith::AddFOp>(user);
          return add && (matchPattern(add.getLhs(), m_OneFloat()) ||
                         matchPattern(add.getRhs(), m_OneFloat()));
        }))
      return rewriter.notifyMatchFailure(op, "not only 1 + tanh is used");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto splat = [&](double value) -> Value {
      TypedAttr attr = b.getFloatAttr(element, value);
      if (auto vectorType = dyn_cast<VectorType>(type))
        attr = DenseElementsAttr::get(vectorType, Attribute(attr));
      return arith::ConstantOp::create(b, attr);
    };
    Value twice = arith::MulFOp::create(b, op.getOperand(), splat(-2));
    Value sum = arith::AddFOp::create(
        b, math::ExpOp::create(b, twice).getResult(), splat(1));
    Value inverse = arith::DivFOp::create(b, splat(1), sum);
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

void coil::populateMathSimplificationPatterns(RewritePatternSet &patterns) {
  patterns.add<OnePlusTanh>(patterns.getContext());
}

void coil::populateMathToVectorLibraryPatterns(RewritePatternSet &patterns,
                                               unsigned vectorBits) {
  MLIRContext *ctx = patterns.getContext();
#define CALL(OP, NAME)                                                         \
  patterns.add<CallPattern<math::OP>>(ctx, NAME, vectorBits)
  CALL(ExpOp, "exp");
  CALL(Exp2Op, "exp2");
  CALL(ExpM1Op, "expm1");
  CALL(LogOp, "log");
  CALL(Log2Op, "log2");
  CALL(Log10Op, "log10");
  CALL(Log1pOp, "log1p");
  CALL(SinOp, "sin");
  CALL(CosOp, "cos");
  CALL(TanOp, "tan");
  CALL(AsinOp, "asin");
  CALL(AcosOp, "acos");
  CALL(AtanOp, "atan");
  CALL(SinhOp, "sinh");
  CALL(CoshOp, "cosh");
  CALL(TanhOp, "tanh");
  CALL(AsinhOp, "asinh");
  CALL(AcoshOp, "acosh");
  CALL(AtanhOp, "atanh");
  CALL(ErfOp, "erf");
  CALL(ErfcOp, "erfc");
  CALL(CbrtOp, "cbrt");
  CALL(PowFOp, "pow");
  CALL(Atan2Op, "atan2");
#undef CALL
}
