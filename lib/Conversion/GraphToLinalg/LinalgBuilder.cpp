//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds `linalg` and `tensor` operations with sizes of `graph` types.
//
//===----------------------------------------------------------------------===//

#include "LinalgBuilder.h"

#include "coil/Conversion/Utils/ExprLowering.h"
#include "coil/Dialect/Loop/IR/Loop.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace coil;
using namespace coil::bridge;
using sym::ExprAttr;

RankedTensorType LinalgBuilder::plain(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return RankedTensorType::get(tensor.getShape(),
                               loop::getScalarType(tensor.getElementType()));
}

OpFoldResult LinalgBuilder::size(ExprAttr expr) {
  if (std::optional<int64_t> constant = expr.getConstant())
    return b.getIndexAttr(*constant);
  Value v = lowerExpr(b, b.getLoc(), expr, [&](ExprAttr leaf) -> Value {
    Value index = leaf.isSymbol() ? symbols.lookup(leaf.getName()) : Value();
    return index ? arith::IndexCastOp::create(b, b.getI64Type(), index)
                       .getResult()
                 : Value();
  });
  return arith::IndexCastOp::create(b, b.getIndexType(), v).getResult();
}

SmallVector<OpFoldResult> LinalgBuilder::sizes(ArrayRef<ExprAttr> exprs) {
  return llvm::map_to_vector(exprs, [&](ExprAttr e) { return size(e); });
}

Value LinalgBuilder::empty(ArrayRef<ExprAttr> exprs, Type element) {
  return tensor::EmptyOp::create(b, sizes(exprs), loop::getScalarType(element));
}

Value LinalgBuilder::filled(ArrayRef<ExprAttr> exprs, TypedAttr value) {
  Type type = loop::getScalarType(value.getType());
  if (auto integer = dyn_cast<IntegerAttr>(value))
    value = b.getIntegerAttr(type, integer.getValue());
  Value scalar = arith::ConstantOp::create(b, value);
  return linalg::FillOp::create(b, ValueRange{scalar},
                                ValueRange{empty(exprs, type)})
      .getResult(0);
}

Value LinalgBuilder::generic(ValueRange inputs, ArrayRef<AffineMap> maps,
                             Value init, ArrayRef<bool> reduced, BodyFn body) {
  SmallVector<utils::IteratorType> iterators;
  for (bool isReduced : reduced)
    iterators.push_back(isReduced ? utils::IteratorType::reduction
                                  : utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, TypeRange{init.getType()}, inputs, ValueRange{init}, maps,
             iterators,
             [&](OpBuilder &builder, Location loc, ValueRange args) {
               linalg::YieldOp::create(builder, loc, body(builder, loc, args));
             })
      .getResult(0);
}

Value LinalgBuilder::elementwise(ValueRange inputs, ArrayRef<Sizes> inputSizes,
                                 Value init, BodyFn body) {
  unsigned rank =
      static_cast<unsigned>(cast<RankedTensorType>(init.getType()).getRank());
  SmallVector<AffineMap> maps;
  for (const Sizes &sizes : inputSizes) {
    SmallVector<AffineExpr> index;
    unsigned first = rank - static_cast<unsigned>(sizes.size());
    for (auto [d, size] : llvm::enumerate(sizes))
      index.push_back(
          size.isConstant(1)
              ? b.getAffineConstantExpr(0)
              : b.getAffineDimExpr(first + static_cast<unsigned>(d)));
    maps.push_back(AffineMap::get(rank, 0, index, b.getContext()));
  }
  maps.push_back(b.getMultiDimIdentityMap(rank));
  return generic(inputs, maps, init, SmallVector<bool>(rank, false), body);
}

Value LinalgBuilder::convert(Value v, ArrayRef<ExprAttr> exprs, Type element) {
  Type from = cast<RankedTensorType>(v.getType()).getElementType();
  if (from == element)
    return v;
  return elementwise(
      v, Sizes(exprs), empty(exprs, element),
      [&](OpBuilder &builder, Location loc, ValueRange args) -> Value {
        if (from.getIntOrFloatBitWidth() < element.getIntOrFloatBitWidth())
          return arith::ExtFOp::create(builder, loc, element, args[0]);
        return arith::TruncFOp::create(builder, loc, element, args[0]);
      });
}

Value LinalgBuilder::reshape(Value v, ArrayRef<ExprAttr> from,
                             ArrayRef<ExprAttr> to) {
  if (from == to)
    return v;
  auto group = [](size_t rank) {
    SmallVector<ReassociationIndices> groups;
    if (rank != 0)
      groups.emplace_back(
          llvm::to_vector(llvm::seq<int64_t>(0, static_cast<int64_t>(rank))));
    return groups;
  };
  // By way of all elements in a row; of one element, there are no dimensions.
  bool isOne = from.empty() || to.empty();
  if (from.size() > (isOne ? 0 : 1))
    v = tensor::CollapseShapeOp::create(
        b, v, isOne ? SmallVector<ReassociationIndices>() : group(from.size()));
  if (to.size() <= (isOne ? 0 : 1))
    return tensor::CastOp::create(
        b,
        RankedTensorType::get(
            llvm::map_to_vector(to,
                                [](ExprAttr e) {
                                  return e.getConstant().value_or(
                                      ShapedType::kDynamic);
                                }),
            cast<RankedTensorType>(v.getType()).getElementType()),
        v);
  SmallVector<int64_t> shape;
  for (ExprAttr e : to)
    shape.push_back(e.getConstant().value_or(ShapedType::kDynamic));
  auto element = cast<RankedTensorType>(v.getType()).getElementType();
  // A row is dynamic where its parts are.
  bool isDynamic = ShapedType::isDynamicShape(shape);
  if (auto row = cast<RankedTensorType>(v.getType());
      !isOne && row.isDynamicDim(0) != isDynamic)
    v = tensor::CastOp::create(
        b,
        RankedTensorType::get(isDynamic ? ShapedType::kDynamic
                                        : ShapedType::getNumElements(shape),
                              element),
        v);
  return tensor::ExpandShapeOp::create(
      b, RankedTensorType::get(shape, element), v,
      isOne ? SmallVector<ReassociationIndices>() : group(to.size()),
      sizes(to));
}
