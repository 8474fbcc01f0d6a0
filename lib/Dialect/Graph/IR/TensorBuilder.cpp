//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds `graph` ops with inferred result types.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Graph/IR/TensorBuilder.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

TypedAttr graph::convertScalar(Attribute value, Type elementType) {
  Builder builder(elementType.getContext());
  auto number = dyn_cast_or_null<TypedAttr>(value);
  if (!number || !isa<IntegerAttr, FloatAttr>(value))
    return nullptr;
  auto floatType = dyn_cast<FloatType>(elementType);
  if (auto from = dyn_cast<FloatAttr>(value)) {
    APFloat f = from.getValue();
    if (floatType) {
      bool lossy;
      f.convert(floatType.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                &lossy);
      return FloatAttr::get(floatType, f);
    }
    if (elementType.isInteger(1))
      return builder.getBoolAttr(!f.isZero());
    APSInt i(64, /*isUnsigned=*/elementType.isUnsignedInteger());
    bool exact;
    f.convertToInteger(i, APFloat::rmTowardZero, &exact);
    return builder.getIntegerAttr(elementType,
                                  i.trunc(elementType.getIntOrFloatBitWidth()));
  }
  auto integer = cast<IntegerAttr>(value);
  Type from = integer.getType();
  bool isUnsigned = from.isUnsignedInteger() || from.isInteger(1);
  APInt i = integer.getValue();
  if (floatType) {
    APFloat f(floatType.getFloatSemantics());
    f.convertFromAPInt(i, !isUnsigned, APFloat::rmNearestTiesToEven);
    return FloatAttr::get(floatType, f);
  }
  if (elementType.isInteger(1))
    return builder.getBoolAttr(!i.isZero());
  unsigned width = elementType.getIntOrFloatBitWidth();
  return builder.getIntegerAttr(elementType, isUnsigned ? i.zextOrTrunc(width)
                                                        : i.sextOrTrunc(width));
}

Type graph::getAccumulationType(Type elementType) {
  if (isa<FloatType>(elementType) && elementType.getIntOrFloatBitWidth() < 32)
    return Float32Type::get(elementType.getContext());
  return elementType;
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

Value TensorBuilder::scalar(double value, Type elementType) {
  return scalar(convertScalar(builder.getF64FloatAttr(value), elementType));
}

Value TensorBuilder::scalar(TypedAttr value) { return full(value, {}); }

Value TensorBuilder::full(TypedAttr value, SizesRef sizes) {
  return FullOp::create(builder, loc,
                        sym::getTensorType(sizes, value.getType()), value);
}

Value TensorBuilder::expr(ExprAttr expr, Type elementType) {
  if (std::optional<int64_t> constant = expr.getConstant())
    return scalar(
        convertScalar(builder.getI64IntegerAttr(*constant), elementType));
  bool direct = elementType.isInteger(64) || isa<FloatType>(elementType);
  Value result = ExprOp::create(
      builder, loc,
      RankedTensorType::get({}, direct ? elementType : builder.getI64Type()),
      expr);
  return convert(result, elementType);
}

Value TensorBuilder::iota(int64_t start, int64_t step, ExprAttr size) {
  return IotaOp::create(
      builder, loc, sym::getTensorType(size, builder.getI64Type()),
      builder.getI64IntegerAttr(start), builder.getI64IntegerAttr(step),
      builder.getI64IntegerAttr(0));
}

ExprAttr TensorBuilder::size(int64_t value) {
  return sym::constant(getContext(), value);
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

Sizes TensorBuilder::unifySizes(MutableArrayRef<Value> operands) {
  SmallVector<Sizes> shapes;
  for (Value operand : operands)
    shapes.push_back(getSizes(operand));
  FailureOr<Sizes> sizes = broadcastSizes(shapes);
  if (failed(sizes)) // The op's verifier reports it.
    return shapes.front();
  for (auto [operand, shape] : llvm::zip(operands, shapes)) {
    SizesRef tail = SizesRef(*sizes).take_back(shape.size());
    Sizes wanted = shape;
    for (auto [have, want] : llvm::zip(wanted, tail))
      if (!have.isConstant(1))
        have = want;
    operand = castSizes(operand, wanted);
  }
  return *sizes;
}

Value TensorBuilder::compare(ComparePredicate predicate, Value x, Value y) {
  Value operands[] = {x, y};
  Sizes sizes = unifySizes(operands);
  return CompareOp::create(builder, loc,
                           sym::getTensorType(sizes, builder.getI1Type()),
                           predicate, operands[0], operands[1]);
}

Value TensorBuilder::select(Value condition, Value x, Value y) {
  Value operands[] = {condition, x, y};
  Sizes sizes = unifySizes(operands);
  return SelectOp::create(builder, loc,
                          sym::getTensorType(sizes, graph::getElementType(x)),
                          operands[0], operands[1], operands[2]);
}

Value TensorBuilder::convert(Value x, Type elementType) {
  if (graph::getElementType(x) == elementType)
    return x;
  if (auto full = x.getDefiningOp<FullOp>())
    if (TypedAttr value = convertScalar(full.getValue(), elementType))
      return this->full(value, getSizes(x));
  return ConvertOp::create(builder, loc,
                           sym::getTensorType(getSizes(x), elementType), x);
}

Value TensorBuilder::special(loop::SpecialFunction function, ValueRange args) {
  SmallVector<Value> operands(args);
  Sizes sizes = unifySizes(operands);
  return SpecialOp::create(
      builder, loc,
      sym::getTensorType(sizes, graph::getElementType(args.front())), function,
      operands);
}

//===----------------------------------------------------------------------===//
// Views and copies
//===----------------------------------------------------------------------===//

Value TensorBuilder::reshape(Value x, SizesRef sizes) {
  RankedTensorType type = sym::getTensorType(sizes, graph::getElementType(x));
  if (x.getType() == type)
    return x;
  return ReshapeOp::create(builder, loc, type, x);
}

Value TensorBuilder::castSizes(Value x, SizesRef sizes) {
  Sizes from = getSizes(x);
  if (SizesRef(from) == sizes)
    return x;
  for (auto [a, b] : llvm::zip(from, sizes))
    if (a != b)
      sym::AssertOp::create(builder, loc, a, sym::Predicate::Eq, b,
                            builder.getStringAttr("sizes are equal"));
  return reshape(x, sizes);
}

Value TensorBuilder::permute(Value x, ArrayRef<int64_t> permutation) {
  bool identity = true;
  for (auto [i, p] : llvm::enumerate(permutation))
    identity &= static_cast<int64_t>(i) == p;
  return identity ? x : PermuteOp::create(builder, loc, x, permutation);
}

Value TensorBuilder::transpose(Value x, int64_t a, int64_t b) {
  auto permutation = llvm::to_vector(
      llvm::seq<int64_t>(0, cast<RankedTensorType>(x.getType()).getRank()));
  if (a != b)
    std::swap(permutation[a], permutation[b]);
  return permute(x, permutation);
}

Value TensorBuilder::broadcast(Value x, SizesRef sizes) {
  RankedTensorType type = sym::getTensorType(sizes, graph::getElementType(x));
  if (x.getType() == type)
    return x;
  return BroadcastOp::create(builder, loc, type, x);
}

Value TensorBuilder::slice(Value x, int64_t dim, ExprAttr start, ExprAttr count,
                           int64_t step) {
  Sizes sizes = getSizes(x);
  if (start.isConstant(0) && count == sizes[dim] && step == 1)
    return x;
  Sizes starts(sizes.size(), size(0));
  SmallVector<int64_t> steps(sizes.size(), 1);
  starts[dim] = start;
  steps[dim] = step;
  sizes[dim] = count;
  return SliceOp::create(builder, loc,
                         sym::getTensorType(sizes, graph::getElementType(x)), x,
                         sym::ShapeAttr::get(getContext(), starts), steps);
}

Value TensorBuilder::at(Value x, int64_t dim, ExprAttr position) {
  Value one = slice(x, dim, position, size(1));
  Sizes sizes = getSizes(one);
  sizes.erase(sizes.begin() + dim);
  return reshape(one, sizes);
}

Value TensorBuilder::unsqueeze(Value x, int64_t dim) {
  Sizes sizes = getSizes(x);
  sizes.insert(sizes.begin() + dim, size(1));
  return reshape(x, sizes);
}

Value TensorBuilder::cat(ValueRange inputs, int64_t dim) {
  if (inputs.size() == 1)
    return inputs.front();
  SmallVector<Sizes> sizes;
  for (Value input : inputs)
    sizes.push_back(getSizes(input));
  FailureOr<Sizes> result = inferCat(sizes, dim);
  return CatOp::create(
      builder, loc,
      sym::getTensorType(succeeded(result) ? *result : sizes.front(),
                         graph::getElementType(inputs.front())),
      inputs, dim);
}

Value TensorBuilder::pad(Value x, ArrayRef<int64_t> low, ArrayRef<int64_t> high,
                         TypedAttr value) {
  FailureOr<Sizes> sizes = inferPad(getSizes(x), low, high);
  return PadOp::create(
      builder, loc,
      sym::getTensorType(succeeded(sizes) ? *sizes : getSizes(x),
                         graph::getElementType(x)),
      x, low, high, value);
}

Value TensorBuilder::index(Value x, ValueRange indices,
                           ArrayRef<int64_t> dims) {
  SmallVector<Sizes> shapes;
  for (Value index : indices)
    shapes.push_back(getSizes(index));
  FailureOr<Sizes> sizes = inferIndex(getSizes(x), shapes, dims);
  return IndexOp::create(
      builder, loc,
      sym::getTensorType(succeeded(sizes) ? *sizes : getSizes(x),
                         graph::getElementType(x)),
      x, indices, dims);
}

//===----------------------------------------------------------------------===//
// Reductions and contractions
//===----------------------------------------------------------------------===//

Value TensorBuilder::reduce(ReduceKind kind, Value x, ArrayRef<int64_t> dims,
                            bool keepdims, bool tf32) {
  if (dims.empty())
    return x;
  auto op = ReduceOp::create(builder, loc, kind, x, dims, keepdims);
  op.setTf32(tf32);
  return op;
}

ExprAttr TensorBuilder::count(Value x, ArrayRef<int64_t> dims) {
  Sizes sizes = getSizes(x);
  ExprAttr count = size(1);
  for (int64_t d : dims)
    count = sym::mul(count, sizes[d]);
  return count;
}

Value TensorBuilder::mean(Value x, ArrayRef<int64_t> dims, bool keepdims) {
  return div(reduce(ReduceKind::Sum, x, dims, keepdims),
             expr(count(x, dims), graph::getElementType(x)));
}

std::pair<Value, Value> TensorBuilder::moments(Value x, ArrayRef<int64_t> dims,
                                               bool keepdims) {
  auto op = WelfordOp::create(builder, loc, x, dims, keepdims);
  return {op.getMean(), op.getM2()};
}

Value TensorBuilder::matmul(Value lhs, Value rhs, Value bias, bool tf32) {
  auto op = MatmulOp::create(builder, loc, lhs, rhs, bias);
  op.setTf32(tf32);
  return op;
}

Value TensorBuilder::softmax(Value x, int64_t dim) {
  Value shifted = sub(x, reduce(ReduceKind::Max, x, dim, /*keepdims=*/true));
  Value e = unary<ExpOp>(shifted);
  return div(e, reduce(ReduceKind::Sum, e, dim, /*keepdims=*/true));
}
