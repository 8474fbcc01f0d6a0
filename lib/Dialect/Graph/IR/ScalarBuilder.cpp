//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scalar arithmetic with the framework's semantics.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Graph/IR/ScalarBuilder.h"

#include "coil/Dialect/Graph/IR/TypeInference.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

Type graph::getComputeType(Type elementType) {
  if (isa<FloatType>(elementType) && elementType.getIntOrFloatBitWidth() < 32)
    return Float32Type::get(elementType.getContext());
  return loop::getScalarType(elementType);
}

Value graph::buildElementwiseScalar(ElementwiseOpInterface op,
                                    OpBuilder &builder, Location loc,
                                    ValueRange args) {
  SmallVector<Value> extended;
  for (Value arg : args) {
    Type type = getComputeType(arg.getType());
    if (type != arg.getType())
      arg = arith::ExtFOp::create(builder, loc, type, arg);
    extended.push_back(arg);
  }
  Value result = op.buildScalar(builder, loc, extended);
  Type type =
      loop::getScalarType(getElementTypeOrSelf(op->getResult(0).getType()));
  if (result.getType() != type)
    result = builder.createOrFold<arith::TruncFOp>(loc, type, result);
  return result;
}

SmallVector<sym::ExprAttr>
graph::getBroadcastIndex(ArrayRef<sym::ExprAttr> sizes,
                         ArrayRef<sym::ExprAttr> position) {
  SmallVector<sym::ExprAttr> index;
  position = position.take_back(sizes.size());
  for (auto [size, p] : llvm::zip_equal(sizes, position))
    index.push_back(size.isConstant(1) ? sym::constant(p.getContext(), 0) : p);
  return index;
}

loop::KernelOp graph::buildElementwiseKernel(ElementwiseOpInterface op,
                                             OpBuilder &builder) {
  Location loc = op.getLoc();
  Value result = op->getResult(0);
  auto sizesOf = [](Value v) {
    return sym::getSizes(cast<RankedTensorType>(v.getType()));
  };
  SmallVector<sym::ExprAttr> sizes = sizesOf(result), position;
  for (unsigned i = 0, e = unsigned(sizes.size()); i < e; ++i)
    position.push_back(sym::dim(builder.getContext(), i));
  SmallVector<Value> inputs, loads, args;
  for (Value v : op->getOperands())
    if (!llvm::is_contained(inputs, v))
      inputs.push_back(v);
  auto kernel =
      loop::KernelOp::create(builder, loc, op->getName().stripDialect(), sizes,
                             inputs, result.getType());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(kernel.getBlock());
  for (auto [v, argument] :
       llvm::zip_equal(inputs, kernel.getBody().getArguments()))
    loads.push_back(loop::LoadOp::create(
        builder, loc, argument, getBroadcastIndex(sizesOf(v), position)));
  for (Value v : op->getOperands())
    args.push_back(loads[llvm::find(inputs, v) - inputs.begin()]);
  loop::StoreOp::create(builder, loc,
                        buildElementwiseScalar(op, builder, loc, args), 0,
                        sym::ShapeAttr::get(builder.getContext(), position));
  return kernel;
}

ScalarBuilder::ScalarBuilder(OpBuilder &builder, Location loc,
                             TypeRange operandTypes)
    : builder(builder), loc(loc),
      elementType(getElementTypeOrSelf(operandTypes.front())) {}

Value ScalarBuilder::constantOf(Type scalarType, double value) {
  if (auto floatType = dyn_cast<FloatType>(scalarType))
    return arith::ConstantOp::create(builder, loc,
                                     builder.getFloatAttr(floatType, value));
  return arith::ConstantOp::create(
      builder, loc,
      builder.getIntegerAttr(
          scalarType, APInt(scalarType.getIntOrFloatBitWidth(),
                            static_cast<int64_t>(value), /*isSigned=*/true,
                            /*implicitTrunc=*/true)));
}

Value ScalarBuilder::constant(double value) {
  return constantOf(getComputeType(elementType), value);
}

Value ScalarBuilder::intConstant(const APInt &value) {
  return arith::ConstantOp::create(
      builder, loc,
      builder.getIntegerAttr(builder.getIntegerType(value.getBitWidth()),
                             value));
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value ScalarBuilder::add(Value x, Value y) {
  return isFloat() ? binary<arith::AddFOp>(x, y) : binary<arith::AddIOp>(x, y);
}

Value ScalarBuilder::sub(Value x, Value y) {
  return isFloat() ? binary<arith::SubFOp>(x, y) : binary<arith::SubIOp>(x, y);
}

Value ScalarBuilder::mul(Value x, Value y) {
  return isFloat() ? binary<arith::MulFOp>(x, y) : binary<arith::MulIOp>(x, y);
}

Value ScalarBuilder::div(Value x, Value y) {
  return isFloat() ? binary<arith::DivFOp>(x, y) : truncDiv(x, y);
}

Value ScalarBuilder::neg(Value x) {
  return isFloat() ? unary<arith::NegFOp>(x) : binary<arith::SubIOp>(zero(), x);
}

Value ScalarBuilder::abs(Value x) {
  if (isFloat())
    return unary<math::AbsFOp>(x);
  // The least integer wraps to itself.
  return isUnsigned() ? x : binary<arith::MaxSIOp>(x, neg(x));
}

Value ScalarBuilder::sign(Value x) {
  Value positive =
      select(compare(ComparePredicate::Gt, x, zero()), one(), zero());
  if (isUnsigned())
    return positive;
  // A NaN compares false twice and gives zero.
  return select(compare(ComparePredicate::Lt, x, zero()), constant(-1),
                positive);
}

ScalarBuilder::DivRem ScalarBuilder::divRem(Value x, Value y) {
  Value isZero = compare(ComparePredicate::Eq, y, zero());
  // Divide by one instead of a divisor that would trap.
  Value divisor = select(isZero, one(), y);
  Value quotient, remainder;
  if (isUnsigned()) {
    quotient = binary<arith::DivUIOp>(x, divisor);
    remainder = binary<arith::RemUIOp>(x, divisor);
  } else {
    Value isMinusOne = compare(ComparePredicate::Eq, y, constant(-1));
    divisor = select(isMinusOne, one(), divisor);
    quotient = binary<arith::DivSIOp>(x, divisor);
    remainder = binary<arith::RemSIOp>(x, divisor);
    quotient = select(isMinusOne, neg(x), quotient);
  }
  return {select(isZero, zero(), quotient), remainder, isZero};
}

Value ScalarBuilder::needsFloor(Value remainder, Value divisor) {
  Value inexact = compare(ComparePredicate::Ne, remainder, zero());
  Value signsDiffer =
      binary<arith::XOrIOp>(compare(ComparePredicate::Lt, remainder, zero()),
                            compare(ComparePredicate::Lt, divisor, zero()));
  return binary<arith::AndIOp>(inexact, signsDiffer);
}

Value ScalarBuilder::truncDiv(Value x, Value y) {
  if (isFloat())
    return unary<math::TruncOp>(binary<arith::DivFOp>(x, y));
  return divRem(x, y).quotient;
}

Value ScalarBuilder::floorDiv(Value x, Value y) {
  if (!isFloat()) {
    DivRem r = divRem(x, y);
    if (isUnsigned())
      return r.quotient;
    // The remainder is zero where the divisor was replaced.
    return select(needsFloor(r.remainder, y), sub(r.quotient, one()),
                  r.quotient);
  }
  // As Python does: from the exact remainder, since floor(x / y) is one too
  // large where x / y rounds up to an integer.
  Value quotient = div(x, y);
  Value rem = binary<arith::RemFOp>(x, y);
  Value exact = div(sub(x, rem), y);
  exact = select(needsFloor(rem, y), sub(exact, one()), exact);
  Value floor = unary<math::FloorOp>(exact);
  floor =
      select(compare(ComparePredicate::Gt, sub(exact, floor), constant(0.5)),
             add(floor, one()), floor);
  floor = select(compare(ComparePredicate::Ne, exact, zero()), floor,
                 binary<math::CopySignOp>(zero(), quotient));
  return select(compare(ComparePredicate::Eq, y, zero()), quotient, floor);
}

Value ScalarBuilder::fmod(Value x, Value y) {
  return isFloat() ? binary<arith::RemFOp>(x, y) : divRem(x, y).remainder;
}

Value ScalarBuilder::remainder(Value x, Value y) {
  Value rem = fmod(x, y);
  if (isUnsigned())
    return rem;
  return select(needsFloor(rem, y), add(rem, y), rem);
}

Value ScalarBuilder::pow(Value x, Value y) {
  if (isFloat())
    return binary<math::PowFOp>(x, y);
  // Square and multiply over all bits of the exponent, which is exact modulo
  // 2^width and needs no loop in the body.
  unsigned bits = isUnsigned() ? width() : width() - 1;
  Value result = one(), base = x;
  for (unsigned i = 0; i < bits; ++i) {
    Value bit = intConstant(APInt::getOneBitSet(width(), i));
    Value isSet =
        compare(ComparePredicate::Ne, binary<arith::AndIOp>(y, bit), zero());
    result = select(isSet, mul(result, base), result);
    if (i + 1 != bits)
      base = mul(base, base);
  }
  if (isUnsigned())
    return result;
  // A negative exponent: the reciprocal rounds to zero but for 1 and -1.
  Value isOdd =
      compare(ComparePredicate::Ne, binary<arith::AndIOp>(y, one()), zero());
  Value ofMinusOne = select(isOdd, constant(-1), one());
  Value inverse = select(compare(ComparePredicate::Eq, x, one()), one(),
                         select(compare(ComparePredicate::Eq, x, constant(-1)),
                                ofMinusOne, zero()));
  return select(compare(ComparePredicate::Lt, y, zero()), inverse, result);
}

Value ScalarBuilder::maximum(Value x, Value y) {
  if (isFloat())
    return binary<arith::MaximumFOp>(x, y);
  return isUnsigned() ? binary<arith::MaxUIOp>(x, y)
                      : binary<arith::MaxSIOp>(x, y);
}

Value ScalarBuilder::minimum(Value x, Value y) {
  if (isFloat())
    return binary<arith::MinimumFOp>(x, y);
  return isUnsigned() ? binary<arith::MinUIOp>(x, y)
                      : binary<arith::MinSIOp>(x, y);
}

Value ScalarBuilder::atan2(Value x, Value y) {
  // The folder of math.atan2 calls the angle of (0, 0) NaN; it is that of a
  // point beside it.
  Value isZero = compare(ComparePredicate::Eq, add(abs(x), abs(y)), zero());
  Value beside = binary<math::CopySignOp>(one(), y);
  return binary<math::Atan2Op>(x, select(isZero, beside, y));
}

Value ScalarBuilder::hypot(Value x, Value y) {
  Value infinity =
      binary<arith::OrIOp>(isInf(x), isInf(y)); // Even if the other is NaN.
  auto finish = [&](Value length) {
    return select(infinity, constant(std::numeric_limits<double>::infinity()),
                  length);
  };
  // What is computed in f32: squares of f16 are numbers.
  if (elementType.isF16())
    return finish(unary<math::SqrtOp>(add(mul(x, x), mul(y, y))));
  Value a = unary<math::AbsFOp>(x), b = unary<math::AbsFOp>(y);
  Value large = maximum(a, b), small = minimum(a, b);
  auto fma = [&](Value a, Value b, Value c) -> Value {
    return math::FmaOp::create(builder, loc, a, b, c);
  };
  if (!elementType.isF64()) {
    // Divided by half of the power of two below the larger one, squares neither
    // overflow nor vanish. The exponent of the divisor is that of `large`, of
    // which there is an inverse; a subnormal number has the least one.
    constexpr int32_t step = 1 << 23, most = 252 * step;
    Type i32 = builder.getI32Type(), type = large.getType();
    auto number = [&](int32_t value) -> Value {
      return arith::ConstantOp::create(builder, loc,
                                       builder.getI32IntegerAttr(value));
    };
    auto asFloat = [&](Value bits) -> Value {
      return arith::BitcastOp::create(builder, loc, type, bits);
    };
    Value exponent = binary<arith::MinUIOp>(
        binary<arith::AndIOp>(
            arith::BitcastOp::create(builder, loc, i32, large).getResult(),
            number(255 * step)),
        number(most));
    Value inverse =
        asFloat(binary<arith::SubIOp>(number(most + step), exponent));
    Value p = mul(large, inverse), q = mul(small, inverse);
    // The square that is rounded is the smaller one: at most 1.03 ulp. A limit
    // that only zeros are below, and whose root is zero as a result, saves
    // targets what their root does with numbers that small.
    Value sum = maximum(fma(p, p, mul(q, q)), constant(0x1p-100));
    return finish(mul(unary<math::SqrtOp>(sum),
                      asFloat(binary<arith::AddIOp>(exponent, number(step)))));
  }
  // By a power of two, squares neither overflow nor vanish: those of 2^600 and
  // more, and below 2^-500, would.
  Value isLarge = compare(ComparePredicate::Gt, large, constant(0x1p500));
  Value isSmall = compare(ComparePredicate::Lt, large, constant(0x1p-400));
  Value down = select(isLarge, constant(0x1p-600),
                      select(isSmall, constant(0x1p600), one()));
  Value up = select(isLarge, constant(0x1p600),
                    select(isSmall, constant(0x1p-600), one()));
  Value p = mul(large, down), q = mul(small, down);
  Value pp = mul(p, p), qq = mul(q, q);
  Value root = unary<math::SqrtOp>(add(pp, qq));
  // One step of Newton's method from what is left of root^2 - p^2 - q^2. As
  // fused operations only, so that no contraction counts an error twice.
  Value rest = fma(root, root, neg(pp));
  rest = fma(neg(q), q, rest);
  rest = sub(rest, fma(p, p, neg(pp)));
  Value correction = div(rest, add(root, root));
  // Zero has no step, and an infinity has none that counts.
  correction =
      select(compare(ComparePredicate::Gt, root, zero()), correction, zero());
  Value length = mul(sub(root, correction), up);
  return finish(
      select(compare(ComparePredicate::Eq, large, zero()), large, length));
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

Value ScalarBuilder::bitwiseNot(Value x) {
  return binary<arith::XOrIOp>(x, intConstant(APInt::getAllOnes(width())));
}

Value ScalarBuilder::shiftLeft(Value x, Value y) {
  Value inRange = arith::CmpIOp::create(builder, loc, CmpIPredicate::ult, y,
                                        constant(width()));
  Value amount = select(inRange, y, zero());
  return select(inRange, binary<arith::ShLIOp>(x, amount), zero());
}

Value ScalarBuilder::shiftRight(Value x, Value y) {
  Value inRange = arith::CmpIOp::create(builder, loc, CmpIPredicate::ult, y,
                                        constant(width()));
  if (isUnsigned()) {
    Value amount = select(inRange, y, zero());
    return select(inRange, binary<arith::ShRUIOp>(x, amount), zero());
  }
  return binary<arith::ShRSIOp>(x, select(inRange, y, constant(width() - 1)));
}

Value ScalarBuilder::isNan(Value x) {
  return arith::CmpFOp::create(builder, loc, CmpFPredicate::UNO, x, x);
}

Value ScalarBuilder::isInf(Value x) {
  return arith::CmpFOp::create(
      builder, loc, CmpFPredicate::OEQ, unary<math::AbsFOp>(x),
      constantOf(x.getType(), std::numeric_limits<double>::infinity()));
}

Value ScalarBuilder::signBit(Value x) {
  if (isUnsigned())
    return intConstant(APInt(1, 0));
  if (isFloat())
    x = arith::BitcastOp::create(
        builder, loc,
        builder.getIntegerType(x.getType().getIntOrFloatBitWidth()), x);
  return arith::CmpIOp::create(builder, loc, CmpIPredicate::slt, x,
                               constantOf(x.getType(), 0));
}

//===----------------------------------------------------------------------===//
// Comparison, selection, conversion
//===----------------------------------------------------------------------===//

Value ScalarBuilder::compare(ComparePredicate predicate, Value x, Value y) {
  static constexpr CmpFPredicate floats[] = {
      CmpFPredicate::OEQ, CmpFPredicate::UNE, CmpFPredicate::OLT,
      CmpFPredicate::OLE, CmpFPredicate::OGT, CmpFPredicate::OGE};
  static constexpr CmpIPredicate signedInts[] = {
      CmpIPredicate::eq,  CmpIPredicate::ne,  CmpIPredicate::slt,
      CmpIPredicate::sle, CmpIPredicate::sgt, CmpIPredicate::sge};
  static constexpr CmpIPredicate unsignedInts[] = {
      CmpIPredicate::eq,  CmpIPredicate::ne,  CmpIPredicate::ult,
      CmpIPredicate::ule, CmpIPredicate::ugt, CmpIPredicate::uge};
  unsigned i = static_cast<unsigned>(predicate);
  if (isFloat())
    return arith::CmpFOp::create(builder, loc, floats[i], x, y);
  return arith::CmpIOp::create(
      builder, loc, isUnsigned() ? unsignedInts[i] : signedInts[i], x, y);
}

Value ScalarBuilder::select(Value condition, Value x, Value y) {
  return arith::SelectOp::create(builder, loc, condition, x, y);
}

Value ScalarBuilder::floatToInt(Value x, IntegerType to) {
  // The hardware's conversion is defined inside the range of a register only.
  // Narrow types take the low bits of a wider integer, as the framework's
  // compiled casts do.
  unsigned width = to.isUnsigned() && to.getWidth() == 32
                       ? 64
                       : std::max(to.getWidth(), 32u);
  IntegerType wide = builder.getIntegerType(width);
  Type floatType = x.getType();
  double limit = std::ldexp(1.0, width - 1);
  auto inRange = [&](Value v) -> Value {
    Value ge = arith::CmpFOp::create(builder, loc, CmpFPredicate::OGE, v,
                                     constantOf(floatType, -limit));
    Value lt = arith::CmpFOp::create(builder, loc, CmpFPredicate::OLT, v,
                                     constantOf(floatType, limit));
    return binary<arith::AndIOp>(ge, lt);
  };
  auto convertSigned = [&](Value v, Value ok) -> Value {
    Value safe = select(ok, v, constantOf(floatType, 0));
    Value converted = arith::FPToSIOp::create(builder, loc, wide, safe);
    return select(ok, converted, intConstant(APInt::getSignedMinValue(width)));
  };
  Value ok = inRange(x);
  Value result = convertSigned(x, ok);
  if (to.isUnsigned() && to.getWidth() == 64) {
    // The upper half of the range: convert x - 2^63 and set the top bit.
    Value shifted =
        arith::SubFOp::create(builder, loc, x, constantOf(floatType, limit));
    Value upper =
        binary<arith::XOrIOp>(convertSigned(shifted, inRange(shifted)),
                              intConstant(APInt::getSignedMinValue(64)));
    Value isUpper = arith::CmpFOp::create(builder, loc, CmpFPredicate::OGE, x,
                                          constantOf(floatType, limit));
    result = select(isUpper, upper, result);
  }
  if (to.getWidth() < width)
    result = arith::TruncIOp::create(
        builder, loc, builder.getIntegerType(to.getWidth()), result);
  return result;
}

Value ScalarBuilder::convert(Value x, Type to) {
  Type toType = getComputeType(to);
  if (to == elementType)
    return x;
  if (to.isInteger(1))
    return compare(ComparePredicate::Ne, x, zero());
  if (isFloat()) {
    if (auto intType = dyn_cast<IntegerType>(to))
      return floatToInt(x, intType);
    unsigned from = x.getType().getIntOrFloatBitWidth();
    unsigned target = toType.getIntOrFloatBitWidth();
    if (from < target)
      return arith::ExtFOp::create(builder, loc, toType, x);
    if (from > target)
      return arith::TruncFOp::create(builder, loc, toType, x);
    // Between 16-bit types: the caller rounds.
    return x;
  }
  if (isa<FloatType>(to)) {
    if (isUnsigned())
      return arith::UIToFPOp::create(builder, loc, toType, x);
    return arith::SIToFPOp::create(builder, loc, toType, x);
  }
  unsigned target = to.getIntOrFloatBitWidth();
  if (width() == target)
    return x;
  if (width() > target)
    return arith::TruncIOp::create(builder, loc, toType, x);
  if (isUnsigned())
    return arith::ExtUIOp::create(builder, loc, toType, x);
  return arith::ExtSIOp::create(builder, loc, toType, x);
}

Value ScalarBuilder::bitcast(Value x, Type to) {
  // An extended 16-bit float folds back to the stored bits.
  Type from = loop::getScalarType(elementType);
  if (x.getType() != from)
    x = builder.createOrFold<arith::TruncFOp>(loc, from, x);
  Type stored = loop::getScalarType(to);
  if (stored != from)
    x = arith::BitcastOp::create(builder, loc, stored, x);
  Type computed = getComputeType(to);
  if (computed != stored)
    x = arith::ExtFOp::create(builder, loc, computed, x);
  return x;
}

/// The neighbour of a float on the way to another. The bits order as the
/// magnitudes do, so it is one step away.
Value ScalarBuilder::nextAfter(Value x, Value y) {
  Type type = elementType;
  bool isExtended = x.getType() != type;
  IntegerType ints = builder.getIntegerType(type.getIntOrFloatBitWidth());
  Value narrow =
      isExtended ? builder.createOrFold<arith::TruncFOp>(loc, type, x) : x;
  Value bits = arith::BitcastOp::create(builder, loc, ints, narrow);
  // Away from zero when the order of x and y is that of 0 and x.
  Value away = arith::CmpIOp::create(builder, loc, CmpIPredicate::eq,
                                     compare(ComparePredicate::Lt, x, y),
                                     compare(ComparePredicate::Gt, x, zero()));
  Value step = select(away, constantOf(ints, 1), constantOf(ints, -1));
  bits = binary<arith::AddIOp>(bits, step);
  // From zero to the least subnormal of the sign of y.
  Value least = select(
      compare(ComparePredicate::Lt, y, zero()),
      arith::ConstantOp::create(
          builder, loc,
          builder.getIntegerAttr(ints, llvm::minIntN(ints.getWidth()) + 1)),
      constantOf(ints, 1));
  bits = select(compare(ComparePredicate::Eq, x, zero()), least, bits);
  Value stepped = arith::BitcastOp::create(builder, loc, type, bits);
  if (isExtended)
    stepped = arith::ExtFOp::create(builder, loc, x.getType(), stepped);
  Value unordered =
      arith::CmpFOp::create(builder, loc, CmpFPredicate::UNO, x, y);
  Value result = select(compare(ComparePredicate::Eq, x, y), y, stepped);
  return select(unordered, binary<arith::AddFOp>(x, y), result);
}

Value ScalarBuilder::special(loop::SpecialFunction function, ValueRange args) {
  if (function == loop::SpecialFunction::NextAfter)
    return nextAfter(args[0], args[1]);
  return loop::SpecialOp::create(builder, loc, args.front().getType(), function,
                                 args);
}
