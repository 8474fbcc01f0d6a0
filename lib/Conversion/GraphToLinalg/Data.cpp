//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators that move and make elements, as `tensor` and `linalg` have them.
//
//===----------------------------------------------------------------------===//

#include "LinalgBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace coil;
using namespace coil::bridge;

/// What an operand is where it is read by a map.
static Value readBy(LinalgBuilder &b, Value x, ArrayRef<AffineExpr> index,
                    const Sizes &out) {
  unsigned rank = static_cast<unsigned>(out.size());
  AffineMap maps[] = {AffineMap::get(rank, 0, index, b.b.getContext()),
                      b.b.getMultiDimIdentityMap(rank)};
  Value init =
      b.empty(out, cast<RankedTensorType>(x.getType()).getElementType());
  return b.generic(
      x, maps, init, SmallVector<bool>(rank, false),
      [](OpBuilder &, Location, ValueRange args) { return args[0]; });
}

static Value lowerBroadcast(graph::BroadcastOp op, Value x, LinalgBuilder &b) {
  Sizes from = graph::getSizes(op.getInput()),
        to = graph::getSizes(op.getResult());
  SmallVector<AffineExpr> index;
  unsigned first = static_cast<unsigned>(to.size() - from.size());
  for (auto [d, size] : llvm::enumerate(from))
    index.push_back(size.isConstant(1) ? b.b.getAffineConstantExpr(0)
                                       : b.b.getAffineDimExpr(
                                             first + static_cast<unsigned>(d)));
  return readBy(b, x, index, to);
}

static Value lowerPermute(graph::PermuteOp op, Value x, LinalgBuilder &b) {
  Value init = b.empty(graph::getSizes(op.getResult()),
                       cast<RankedTensorType>(x.getType()).getElementType());
  return linalg::TransposeOp::create(b.b, x, init, op.getPermutation())
      ->getResult(0);
}

/// Steps backward have no form as a slice of `tensor`.
static Value lowerSlice(graph::SliceOp op, Value x, LinalgBuilder &b) {
  if (llvm::any_of(op.getSteps(), [](int64_t step) { return step < 1; }))
    return {};
  // Upstream knows no slice that begins at the end.
  if (graph::hasNoElements(op.getResult()))
    return b.empty(graph::getSizes(op.getResult()),
                   cast<RankedTensorType>(x.getType()).getElementType());
  SmallVector<OpFoldResult> steps;
  for (int64_t step : op.getSteps())
    steps.push_back(b.b.getIndexAttr(step));
  return tensor::ExtractSliceOp::create(
      b.b, LinalgBuilder::plain(op.getType()), x,
      b.sizes(op.getStarts().getDims()),
      b.sizes(graph::getSizes(op.getResult())), steps);
}

static Value lowerPad(graph::PadOp op, Value x, LinalgBuilder &b) {
  auto isCrop = [](int64_t n) { return n < 0; };
  if (llvm::any_of(op.getLow(), isCrop) || llvm::any_of(op.getHigh(), isCrop))
    return {};
  auto amounts = [&](ArrayRef<int64_t> list) {
    return llvm::map_to_vector(
        list, [&](int64_t n) -> OpFoldResult { return b.b.getIndexAttr(n); });
  };
  TypedAttr value = cast<TypedAttr>(op.getValue());
  Type type = loop::getScalarType(value.getType());
  if (auto integer = dyn_cast<IntegerAttr>(value))
    value = b.b.getIntegerAttr(type, integer.getValue());
  Value scalar = arith::ConstantOp::create(b.b, value);
  return tensor::PadOp::create(b.b, LinalgBuilder::plain(op.getType()), x,
                               amounts(op.getLow()), amounts(op.getHigh()),
                               scalar);
}

/// Slices inserted one after the other, which all lowerings have.
static Value lowerCat(graph::CatOp op, ValueRange operands, LinalgBuilder &b) {
  Sizes out = graph::getSizes(op.getResult());
  auto dim = static_cast<size_t>(op.getDim());
  Value v = b.empty(out, LinalgBuilder::plain(op.getType()).getElementType());
  sym::ExprAttr start = sym::constant(op.getContext(), 0);
  SmallVector<OpFoldResult> steps(out.size(), b.b.getIndexAttr(1));
  for (auto [operand, x] : llvm::zip_equal(op.getInputs(), operands)) {
    Sizes sizes = graph::getSizes(operand);
    SmallVector<OpFoldResult> offsets(out.size(), b.b.getIndexAttr(0));
    offsets[dim] = b.size(start);
    v = tensor::InsertSliceOp::create(b.b, x, v, offsets, b.sizes(sizes),
                                      steps);
    start = sym::add(start, sizes[dim]);
  }
  return v;
}

/// The literal without signs.
static Value lowerConstant(graph::ConstantOp op, LinalgBuilder &b) {
  auto value = dyn_cast<DenseElementsAttr>(op.getValue());
  RankedTensorType type = LinalgBuilder::plain(op.getType());
  if (!value)
    return type == op.getType()
               ? arith::ConstantOp::create(b.b, cast<TypedAttr>(op.getValue()))
                     .getResult()
               : Value();
  return arith::ConstantOp::create(b.b, value.bitcast(type.getElementType()));
}

static Value lowerIota(graph::IotaOp op, LinalgBuilder &b) {
  auto start = dyn_cast<IntegerAttr>(op.getStart());
  RankedTensorType type = LinalgBuilder::plain(op.getType());
  auto integer = dyn_cast<IntegerType>(type.getElementType());
  if (!start || !integer)
    return {};
  int64_t first = start.getInt(),
          step = cast<IntegerAttr>(op.getStep()).getInt();
  Sizes out = graph::getSizes(op.getResult());
  unsigned rank = static_cast<unsigned>(out.size());
  return b.generic(
      {}, b.b.getMultiDimIdentityMap(rank), b.empty(out, integer),
      SmallVector<bool>(rank, false),
      [&](OpBuilder &builder, Location loc, ValueRange) -> Value {
        Type i64 = builder.getI64Type();
        auto constant = [&](int64_t n) {
          return arith::ConstantOp::create(builder, loc,
                                           builder.getI64IntegerAttr(n));
        };
        Value v = linalg::IndexOp::create(builder, loc, op.getDim());
        v = arith::IndexCastOp::create(builder, loc, i64, v);
        v = arith::MulIOp::create(builder, loc, v, constant(step));
        v = arith::AddIOp::create(builder, loc, v, constant(first));
        return integer.getWidth() == 64
                   ? v
                   : arith::TruncIOp::create(builder, loc, integer, v)
                         .getResult();
      });
}

Value bridge::lowerData(Operation *op, ValueRange operands, LinalgBuilder &b) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](graph::BroadcastOp op) {
        return lowerBroadcast(op, operands[0], b);
      })
      .Case(
          [&](graph::PermuteOp op) { return lowerPermute(op, operands[0], b); })
      .Case([&](graph::ReshapeOp op) {
        return b.reshape(operands[0], graph::getSizes(op.getInput()),
                         graph::getSizes(op.getResult()));
      })
      .Case([&](graph::SliceOp op) { return lowerSlice(op, operands[0], b); })
      .Case([&](graph::PadOp op) { return lowerPad(op, operands[0], b); })
      .Case([&](graph::CatOp op) { return lowerCat(op, operands, b); })
      .Case([&](graph::ConstantOp op) { return lowerConstant(op, b); })
      .Case([&](graph::FullOp op) {
        return b.filled(graph::getSizes(op.getResult()),
                        cast<TypedAttr>(op.getValue()));
      })
      .Case([&](graph::IotaOp op) { return lowerIota(op, b); })
      .Default([](Operation *) { return Value(); });
}
