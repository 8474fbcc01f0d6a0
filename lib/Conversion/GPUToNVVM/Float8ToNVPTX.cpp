//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The instructions convert pairs and saturate; the framework does not. What is
// out of range is therefore made NaN before the instruction where the format
// has no infinity, and turned from the largest number into it where it has.
//
//===----------------------------------------------------------------------===//

#include "Float8ToNVPTX.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"

#include <limits>

using namespace mlir;
using namespace coil;

namespace {

struct Format {
  StringRef name;
  /// The largest number that is not rounded out of range, or the least that is
  /// where there is an infinity: ties go to even.
  float limit;
  bool hasInfinity;
};

} // namespace

static std::optional<Format> getFormat(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (isa<Float8E4M3FNType>(element))
    return Format{"e4m3x2", 464.0f, false};
  if (isa<Float8E5M2Type>(element))
    return Format{"e5m2x2", 61440.0f, true};
  return std::nullopt;
}

static int64_t getNumLanes(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getNumElements() : 1;
}

static Value getLane(ImplicitLocOpBuilder &b, Value v, int64_t lane) {
  if (!isa<VectorType>(v.getType()))
    return v;
  return vector::ExtractOp::create(b, v, ArrayRef<int64_t>{lane});
}

static Value callIntrinsic(ImplicitLocOpBuilder &b, Type type,
                           const Twine &name, ValueRange args) {
  return LLVM::CallIntrinsicOp::create(b, type, b.getStringAttr(name), args)
      .getResult(0);
}

/// Two numbers of `f32` as 16 bits, the first in the low half.
static Value encodePair(ImplicitLocOpBuilder &b, const Format &format,
                        Value low, Value high) {
  Value limit = arith::ConstantOp::create(b, b.getF32FloatAttr(format.limit));
  auto isInside = [&](Value v, arith::CmpFPredicate predicate) {
    return arith::CmpFOp::create(b, predicate, math::AbsFOp::create(b, v),
                                 limit);
  };
  if (!format.hasInfinity) {
    Value nan = arith::ConstantOp::create(
        b, b.getF32FloatAttr(std::numeric_limits<float>::quiet_NaN()));
    for (Value *v : {&low, &high})
      *v = arith::SelectOp::create(b, isInside(*v, arith::CmpFPredicate::OLE),
                                   *v, nan);
  }
  Value bits = callIntrinsic(
      b, b.getI16Type(), "llvm.nvvm.ff.to." + format.name + ".rn", {high, low});
  if (!format.hasInfinity)
    return bits;
  // The infinity follows the largest number, whatever the sign.
  for (auto [v, one] : {std::pair(low, 1), std::pair(high, 0x100)}) {
    Value zero = arith::ConstantIntOp::create(b, b.getI16Type(), 0);
    Value more = arith::ConstantIntOp::create(b, b.getI16Type(), one);
    bits = arith::AddIOp::create(
        b, bits,
        arith::SelectOp::create(b, isInside(v, arith::CmpFPredicate::OGE), more,
                                zero));
  }
  return bits;
}

/// Lanes of `v`, which is of 8 bits, as `f16`.
static SmallVector<Value> decode(ImplicitLocOpBuilder &b, const Format &format,
                                 Value v) {
  int64_t lanes = getNumLanes(v.getType());
  Type byte = b.getI8Type();
  if (auto vector = dyn_cast<VectorType>(v.getType()))
    byte = vector.clone(byte);
  Value bytes = arith::BitcastOp::create(b, byte, v);
  SmallVector<Value> words;
  if (lanes > 1 && lanes % 2 == 0) {
    Value all = vector::BitCastOp::create(
        b, VectorType::get(lanes / 2, b.getI16Type()), bytes);
    for (int64_t i = 0; i < lanes / 2; ++i)
      words.push_back(getLane(b, all, i));
  } else {
    for (int64_t i = 0; i < lanes; ++i)
      words.push_back(
          arith::ExtUIOp::create(b, b.getI16Type(), getLane(b, bytes, i)));
  }
  SmallVector<Value> result;
  for (Value word : words) {
    Value pair =
        callIntrinsic(b, VectorType::get(2, b.getF16Type()),
                      "llvm.nvvm." + format.name + ".to.f16x2.rn", {word});
    result.push_back(getLane(b, pair, 0));
    if (static_cast<int64_t>(words.size()) < lanes)
      result.push_back(getLane(b, pair, 1));
  }
  return result;
}

static Value fromLanes(ImplicitLocOpBuilder &b, Type shape,
                       ArrayRef<Value> lanes) {
  auto vector = dyn_cast<VectorType>(shape);
  if (!vector)
    return lanes[0];
  return vector::FromElementsOp::create(b, vector.clone(lanes[0].getType()),
                                        lanes);
}

namespace {

/// A conversion from 8 bits to a float or an integer.
template <typename OpTy>
struct ConvertFrom : OpRewritePattern<OpTy> {
  explicit ConvertFrom(MLIRContext *context)
      : OpRewritePattern<OpTy>(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    std::optional<Format> format = getFormat(op.getIn().getType());
    if (!format)
      return rewriter.notifyMatchFailure(op, "not from a float of 8 bits");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type element = getElementTypeOrSelf(op.getType());
    SmallVector<Value> lanes = decode(b, *format, op.getIn());
    for (Value &v : lanes) {
      if (element.isF16())
        continue;
      if (element.isBF16())
        v = arith::TruncFOp::create(
            b, element, arith::ExtFOp::create(b, b.getF32Type(), v));
      else
        v = OpTy::create(b, element, v);
    }
    rewriter.replaceOp(op, fromLanes(b, op.getType(), lanes));
    return success();
  }
};

/// A conversion to 8 bits from a float or an integer.
template <typename OpTy>
struct ConvertTo : OpRewritePattern<OpTy> {
  explicit ConvertTo(MLIRContext *context)
      : OpRewritePattern<OpTy>(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    std::optional<Format> format = getFormat(op.getType());
    if (!format)
      return rewriter.notifyMatchFailure(op, "not to a float of 8 bits");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type element = getElementTypeOrSelf(op.getIn().getType());
    int64_t count = getNumLanes(op.getType());
    SmallVector<Value> lanes;
    for (int64_t i = 0; i < count; ++i) {
      Value v = getLane(b, op.getIn(), i);
      if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32)
        v = arith::ExtFOp::create(b, b.getF32Type(), v);
      else if (!element.isF32())
        v = OpTy::create(b, b.getF32Type(), v);
      lanes.push_back(v);
    }
    SmallVector<Value> words;
    for (int64_t i = 0; i < count; i += 2)
      words.push_back(encodePair(b, *format, lanes[i],
                                 i + 1 < count ? lanes[i + 1] : lanes[i]));
    Value bytes;
    if (count > 1 && count % 2 == 0) {
      bytes = vector::BitCastOp::create(
          b, VectorType::get(count, b.getI8Type()),
          fromLanes(b, VectorType::get(count / 2, b.getI16Type()), words));
    } else {
      SmallVector<Value> each;
      for (int64_t i = 0; i < count; ++i) {
        Value word = words[i / 2];
        if (i % 2)
          word = arith::ShRUIOp::create(
              b, word, arith::ConstantIntOp::create(b, b.getI16Type(), 8));
        each.push_back(arith::TruncIOp::create(b, b.getI8Type(), word));
      }
      bytes = fromLanes(b, op.getType(), each);
    }
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), bytes);
    return success();
  }
};

} // namespace

void coil::populateFloat8ToNVPTXPatterns(RewritePatternSet &patterns) {
  patterns.add<ConvertFrom<arith::ExtFOp>, ConvertFrom<arith::FPToSIOp>,
               ConvertFrom<arith::FPToUIOp>, ConvertTo<arith::SIToFPOp>,
               ConvertTo<arith::TruncFOp>, ConvertTo<arith::UIToFPOp>>(
      patterns.getContext());
}
