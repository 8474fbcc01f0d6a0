//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expansion of conversions from and to floats of 8 bits.
//
//===----------------------------------------------------------------------===//

#include "coil/Conversion/Utils/Float8.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>

using namespace mlir;

namespace {

/// What tells the two formats apart.
struct Format {
  int64_t mantissa, bias;
  /// The bits of the least `f32` that is out of range, and what it becomes. Its
  /// NaN is the pattern of all ones.
  int64_t limit, overflow;
};

constexpr int64_t kNan = 0x7f, kSign = 0x80;

} // namespace

static std::optional<Format> getFormat(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (isa<Float8E4M3FNType>(element))
    return Format{3, 7, 0x43f00000 /* 480 */, kNan};
  if (isa<Float8E5M2Type>(element))
    return Format{2, 15, 0x47800000 /* 65536 */, 0x7c};
  return std::nullopt;
}

namespace {

/// Builds on scalars or vectors of the shape of a value.
class Bits {
public:
  Bits(PatternRewriter &rewriter, Operation *op, Type shape)
      : b(op->getLoc(), rewriter), shape(shape) {}

  Type of(Type element) const {
    auto vector = dyn_cast<VectorType>(shape);
    return vector ? Type(vector.clone(element)) : element;
  }
  Value integer(int64_t value) {
    return constant(b.getI32IntegerAttr(
        static_cast<int32_t>(static_cast<uint32_t>(value))));
  }
  Value real(float value) { return constant(b.getF32FloatAttr(value)); }
  Value toFloat(Value v) {
    return arith::BitcastOp::create(b, of(b.getF32Type()), v);
  }
  Value toInt(Value v) {
    return arith::BitcastOp::create(b, of(b.getI32Type()), v);
  }
  Value select(arith::CmpIPredicate p, Value x, int64_t y, Value a, Value c) {
    Value holds = arith::CmpIOp::create(b, p, x, integer(y));
    return arith::SelectOp::create(b, holds, a, c);
  }

  ImplicitLocOpBuilder b;

private:
  Value constant(TypedAttr value) {
    auto vector = dyn_cast<VectorType>(shape);
    if (vector)
      value = cast<TypedAttr>(DenseElementsAttr::get(
          vector.clone(value.getType()), Attribute(value)));
    return arith::ConstantOp::create(b, value);
  }

  Type shape;
};

} // namespace

/// `v`, of 8 bits, as `f32`.
static Value decode(Bits &k, Value v, const Format &format) {
  ImplicitLocOpBuilder &b = k.b;
  Value byte = arith::BitcastOp::create(b, k.of(b.getI8Type()), v);
  Value bits = arith::ExtUIOp::create(b, k.of(b.getI32Type()), byte);
  Value sign = arith::ShLIOp::create(
      b, arith::AndIOp::create(b, bits, k.integer(kSign)), k.integer(24));
  Value magnitude = arith::AndIOp::create(b, bits, k.integer(kNan));
  // A normal number moves to the place of its fields; a subnormal one is a
  // multiple of the least.
  Value normal = arith::AddIOp::create(
      b, arith::ShLIOp::create(b, magnitude, k.integer(23 - format.mantissa)),
      k.integer((127 - format.bias) << 23));
  Value least = k.real(
      std::ldexp(1.0f, static_cast<int>(1 - format.bias - format.mantissa)));
  Value multiple = arith::MulFOp::create(
      b, arith::UIToFPOp::create(b, k.of(b.getF32Type()), magnitude), least);
  Value result =
      k.select(arith::CmpIPredicate::ult, magnitude,
               int64_t(1) << format.mantissa, k.toInt(multiple), normal);
  if (format.overflow != kNan)
    result = k.select(arith::CmpIPredicate::eq, magnitude, format.overflow,
                      k.integer(0x7f800000), result);
  int64_t lastNumber = format.overflow == kNan ? kNan - 1 : format.overflow;
  result = k.select(arith::CmpIPredicate::ugt, magnitude, lastNumber,
                    k.integer(0x7fc00000), result);
  return k.toFloat(arith::OrIOp::create(b, result, sign));
}

/// `x`, an `f32`, rounded to the type `type` of 8 bits.
static Value encode(Bits &k, Value x, Type type, const Format &format) {
  ImplicitLocOpBuilder &b = k.b;
  Value bits = k.toInt(x);
  Value magnitude = arith::AndIOp::create(b, bits, k.integer(0x7fffffff));
  // To the nearest multiple of the last place, ties to even: add just under a
  // half, and one more when the last place is odd. A carry moves on to the
  // exponent by itself.
  int64_t drop = 23 - format.mantissa;
  Value odd = arith::AndIOp::create(
      b, arith::ShRUIOp::create(b, magnitude, k.integer(drop)), k.integer(1));
  Value rounded = arith::AddIOp::create(
      b,
      arith::AddIOp::create(b, magnitude,
                            k.integer(((format.bias - 127) * (1 << 23)) +
                                      (int64_t(1) << (drop - 1)) - 1)),
      odd);
  Value normal = arith::ShRUIOp::create(b, rounded, k.integer(drop));
  // Added to a number whose last place is the least subnormal, a small number
  // is rounded to a multiple of that.
  int64_t anchor = (151 - format.bias - format.mantissa) << 23;
  Value anchored = arith::AddFOp::create(b, k.toFloat(magnitude),
                                         k.toFloat(k.integer(anchor)));
  Value subnormal =
      arith::SubIOp::create(b, k.toInt(anchored), k.integer(anchor));
  Value result = k.select(arith::CmpIPredicate::ult, magnitude,
                          (128 - format.bias) << 23, subnormal, normal);
  result = k.select(arith::CmpIPredicate::uge, magnitude, format.limit,
                    k.integer(format.overflow), result);
  if (format.overflow != kNan)
    result = k.select(arith::CmpIPredicate::ugt, magnitude, 0x7f800000,
                      k.integer(kNan), result);
  Value sign = arith::AndIOp::create(
      b, arith::ShRUIOp::create(b, bits, k.integer(24)), k.integer(kSign));
  result = arith::TruncIOp::create(b, k.of(b.getI8Type()),
                                   arith::OrIOp::create(b, result, sign));
  return arith::BitcastOp::create(b, type, result);
}

namespace {

/// A conversion from 8 bits to a float or an integer.
template <typename OpTy>
struct ExpandFrom : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    std::optional<Format> format = getFormat(op.getIn().getType());
    if (!format)
      return rewriter.notifyMatchFailure(op, "not from a float of 8 bits");
    Bits k(rewriter, op, op.getType());
    Value wide = decode(k, op.getIn(), *format);
    Type element = getElementTypeOrSelf(op.getType());
    if (element.isF32())
      rewriter.replaceOp(op, wide);
    else if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32)
      rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), wide);
    else
      rewriter.replaceOpWithNewOp<OpTy>(op, op.getType(), wide);
    return success();
  }
};

/// A conversion to 8 bits from a float or an integer.
template <typename OpTy>
struct ExpandTo : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    std::optional<Format> format = getFormat(op.getType());
    if (!format)
      return rewriter.notifyMatchFailure(op, "not to a float of 8 bits");
    Bits k(rewriter, op, op.getType());
    Value x = op.getIn();
    Type element = getElementTypeOrSelf(x.getType());
    Type f32 = k.of(k.b.getF32Type());
    if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32)
      x = arith::ExtFOp::create(k.b, f32, x);
    else if (!element.isF32())
      x = OpTy::create(k.b, f32, x);
    rewriter.replaceOp(op, encode(k, x, op.getType(), *format));
    return success();
  }
};

struct ExpandConstant : OpRewritePattern<arith::ConstantOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ConstantOp op,
                                PatternRewriter &rewriter) const override {
    if (!getFormat(op.getType()))
      return rewriter.notifyMatchFailure(op, "no float of 8 bits");
    Type i8 = rewriter.getI8Type();
    TypedAttr bits;
    if (auto value = dyn_cast<FloatAttr>(op.getValue()))
      bits = rewriter.getIntegerAttr(i8, value.getValue().bitcastToAPInt());
    else if (auto elements = dyn_cast<DenseElementsAttr>(op.getValue()))
      bits = cast<TypedAttr>(Attribute(elements.bitcast(i8)));
    if (!bits)
      return rewriter.notifyMatchFailure(op, "no dense literal");
    Value integer = arith::ConstantOp::create(rewriter, op.getLoc(), bits);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), integer);
    return success();
  }
};

} // namespace

void coil::populateExpandFloat8Patterns(RewritePatternSet &patterns) {
  patterns.add<ExpandConstant, ExpandFrom<arith::ExtFOp>,
               ExpandFrom<arith::FPToSIOp>, ExpandFrom<arith::FPToUIOp>,
               ExpandTo<arith::SIToFPOp>, ExpandTo<arith::TruncFOp>,
               ExpandTo<arith::UIToFPOp>>(patterns.getContext());
}
