//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contractions, convolutions and reductions as structured operations.
//
//===----------------------------------------------------------------------===//

#include "LinalgBuilder.h"

#include "coil/Conversion/Utils/Combine.h"
#include "coil/Dialect/Graph/IR/TensorBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace coil;
using namespace coil::bridge;

/// A sum of products in the type of the accumulator.
static Value multiplyAdd(OpBuilder &builder, Location loc, ValueRange args) {
  Value x = args[0], y = args[1], sum = args[2];
  if (isa<FloatType>(sum.getType())) {
    for (Value *v : {&x, &y})
      if (v->getType() != sum.getType())
        *v = arith::ExtFOp::create(builder, loc, sum.getType(), *v);
    return arith::AddFOp::create(builder, loc, sum,
                                 arith::MulFOp::create(builder, loc, x, y));
  }
  return arith::AddIOp::create(builder, loc, sum,
                               arith::MulIOp::create(builder, loc, x, y));
}

/// Adds `bias` along dimension `dim` of `v`.
static Value addBias(LinalgBuilder &b, Value v, Value bias, unsigned dim) {
  if (!bias)
    return v;
  unsigned rank =
      static_cast<unsigned>(cast<RankedTensorType>(v.getType()).getRank());
  AffineMap maps[] = {
      b.b.getMultiDimIdentityMap(rank),
      AffineMap::get(rank, 0, b.b.getAffineDimExpr(dim), b.b.getContext()),
      b.b.getMultiDimIdentityMap(rank)};
  Value init = tensor::EmptyOp::create(
      b.b, tensor::getMixedSizes(b.b, b.b.getLoc(), v),
      cast<RankedTensorType>(v.getType()).getElementType());
  return b.generic(
      {v, bias}, maps, init, SmallVector<bool>(rank, false),
      [](OpBuilder &builder, Location loc, ValueRange args) {
        Value y = args[1];
        if (y.getType() != args[0].getType())
          y = arith::ExtFOp::create(builder, loc, args[0].getType(), y);
        return isa<FloatType>(y.getType())
                   ? arith::AddFOp::create(builder, loc, args[0], y).getResult()
                   : arith::AddIOp::create(builder, loc, args[0], y)
                         .getResult();
      });
}

static Value lowerMatmul(graph::MatmulOp op, ValueRange operands,
                         LinalgBuilder &b) {
  Sizes lhs = graph::getSizes(op.getLhs()), rhs = graph::getSizes(op.getRhs()),
        out = graph::getSizes(op.getResult());
  unsigned rank = static_cast<unsigned>(out.size());
  Type element = LinalgBuilder::plain(op.getType()).getElementType();
  Value init = b.filled(out, cast<TypedAttr>(b.b.getZeroAttr(
                                 graph::getAccumulationType(element))));
  bool broadcasts = false;
  for (unsigned d = 0; d + 2 < rank; ++d)
    broadcasts |= lhs[d] != out[d] || rhs[d] != out[d];
  Value result;
  if (rank == 2) {
    result = linalg::MatmulOp::create(b.b, operands.take_front(2), init)
                 .getResult(0);
  } else if (rank == 3 && !broadcasts) {
    result = linalg::BatchMatmulOp::create(b.b, operands.take_front(2), init)
                 .getResult(0);
  } else {
    auto map = [&](const Sizes &sizes, unsigned row, unsigned column) {
      SmallVector<AffineExpr> index;
      for (unsigned d = 0; d + 2 < rank; ++d)
        index.push_back(sizes[d].isConstant(1) ? b.b.getAffineConstantExpr(0)
                                               : b.b.getAffineDimExpr(d));
      index.push_back(b.b.getAffineDimExpr(row));
      index.push_back(b.b.getAffineDimExpr(column));
      return AffineMap::get(rank + 1, 0, index, b.b.getContext());
    };
    AffineMap maps[] = {map(lhs, rank - 2, rank), map(rhs, rank, rank - 1),
                        map(out, rank - 2, rank - 1)};
    // A batch of one is a loop, too.
    SmallVector<AffineExpr> all;
    for (unsigned d = 0; d < rank; ++d)
      all.push_back(b.b.getAffineDimExpr(d));
    maps[2] = AffineMap::get(rank + 1, 0, all, b.b.getContext());
    SmallVector<bool> reduced(rank + 1, false);
    reduced.back() = true;
    result =
        b.generic(operands.take_front(2), maps, init, reduced, multiplyAdd);
  }
  result = addBias(b, result, op.getBias() ? operands[2] : Value(), rank - 1);
  return b.convert(result, out, element);
}

static Value lowerConv(graph::ConvOp op, ValueRange operands,
                       LinalgBuilder &b) {
  Sizes input = graph::getSizes(op.getInput()),
        weight = graph::getSizes(op.getWeight()),
        out = graph::getSizes(op.getResult());
  unsigned rank = static_cast<unsigned>(out.size()), spatial = rank - 2;
  bool last = op.getChannelsLast();
  unsigned channelAt = last ? rank - 1 : 1, spaceAt = last ? 1 : 2;
  Type element = LinalgBuilder::plain(op.getType()).getElementType();
  Value x = operands[0];
  if (llvm::any_of(op.getPadding(), [](int64_t p) { return p != 0; })) {
    SmallVector<OpFoldResult> pads(rank, b.b.getIndexAttr(0));
    for (unsigned i = 0; i < spatial; ++i)
      pads[spaceAt + i] = b.b.getIndexAttr(op.getPadding()[i]);
    Value zero = arith::ConstantOp::create(
        b.b, cast<TypedAttr>(b.b.getZeroAttr(element)));
    x = tensor::PadOp::create(b.b, Type(), x, pads, pads, zero);
  }
  auto dim = [&](unsigned d) { return b.b.getAffineDimExpr(d); };
  // Loops: those of the result, then the channels of a group and the window.
  AffineExpr channel = dim(rank);
  int64_t groups = static_cast<int64_t>(op.getGroups());
  std::optional<int64_t> outs = weight[0].getConstant(),
                         ins = weight[channelAt].getConstant();
  if (groups != 1) {
    if (!outs || !ins)
      return {};
    channel = dim(channelAt).floorDiv(*outs / groups) * *ins + channel;
  }
  SmallVector<AffineExpr> at{dim(0)}, weightAt{dim(channelAt)}, all;
  for (unsigned i = 0; i < spatial; ++i) {
    at.push_back(dim(spaceAt + i) * op.getStride()[i] +
                 dim(rank + 1 + i) * op.getDilation()[i]);
    weightAt.push_back(dim(rank + 1 + i));
  }
  at.insert(at.begin() + channelAt, channel);
  weightAt.insert(weightAt.begin() + channelAt, dim(rank));
  for (unsigned d = 0; d < rank; ++d)
    all.push_back(dim(d));
  unsigned loops = rank + 1 + spatial;
  MLIRContext *ctx = b.b.getContext();
  AffineMap maps[] = {AffineMap::get(loops, 0, at, ctx),
                      AffineMap::get(loops, 0, weightAt, ctx),
                      AffineMap::get(loops, 0, all, ctx)};
  SmallVector<bool> reduced(loops, true);
  std::fill(reduced.begin(), reduced.begin() + rank, false);
  Value init = b.filled(out, cast<TypedAttr>(b.b.getZeroAttr(
                                 graph::getAccumulationType(element))));
  Value y = b.generic({x, operands[1]}, maps, init, reduced, multiplyAdd);
  y = addBias(b, y, op.getBias() ? operands[2] : Value(), channelAt);
  return b.convert(y, out, element);
}

static loop::ReduceKind getKind(graph::ReduceKind kind, Type element) {
  bool isBool = element.isInteger(1), isUnsigned = element.isUnsignedInteger();
  switch (kind) {
  case graph::ReduceKind::Sum:
    return loop::ReduceKind::Sum;
  case graph::ReduceKind::Prod:
    return loop::ReduceKind::Prod;
  case graph::ReduceKind::Max:
    return isBool       ? loop::ReduceKind::Or
           : isUnsigned ? loop::ReduceKind::UMax
                        : loop::ReduceKind::Max;
  case graph::ReduceKind::Min:
    return isBool       ? loop::ReduceKind::And
           : isUnsigned ? loop::ReduceKind::UMin
                        : loop::ReduceKind::Min;
  case graph::ReduceKind::Any:
    return loop::ReduceKind::Or;
  case graph::ReduceKind::All:
    return loop::ReduceKind::And;
  case graph::ReduceKind::Xor:
    return loop::ReduceKind::Xor;
  }
  llvm_unreachable("all kinds are handled");
}

static Value lowerReduce(graph::ReduceOp op, ValueRange operands,
                         LinalgBuilder &b) {
  Sizes from = graph::getSizes(op.getInput()), kept;
  unsigned rank = static_cast<unsigned>(from.size());
  Type source = op.getInput().getType().getElementType();
  Type element = LinalgBuilder::plain(op.getType()).getElementType();
  if (loop::getScalarType(source) != element)
    return {};
  SmallVector<bool> reduced(rank, false);
  for (int64_t d : op.getDims())
    reduced[static_cast<size_t>(d)] = true;
  SmallVector<AffineExpr> index;
  for (unsigned d = 0; d < rank; ++d)
    if (!reduced[d]) {
      index.push_back(b.b.getAffineDimExpr(d));
      kept.push_back(from[d]);
    }
  loop::ReduceKind kind = getKind(op.getKind(), source);
  Type compute = graph::getAccumulationType(element);
  Value init = b.filled(kept, loop::getNeutralElement(kind, compute));
  AffineMap maps[] = {b.b.getMultiDimIdentityMap(rank),
                      AffineMap::get(rank, 0, index, b.b.getContext())};
  Value v = b.generic(operands[0], maps, init, reduced,
                      [&](OpBuilder &builder, Location loc, ValueRange args) {
                        Value x = args[0];
                        if (x.getType() != compute)
                          x = arith::ExtFOp::create(builder, loc, compute, x);
                        ImplicitLocOpBuilder at(loc, builder);
                        return combine(at, kind, args[1], x);
                      });
  v = b.convert(v, kept, element);
  return b.reshape(v, kept, graph::getSizes(op.getResult()));
}

Value bridge::lowerContraction(Operation *op, ValueRange operands,
                               LinalgBuilder &b) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](graph::MatmulOp op) { return lowerMatmul(op, operands, b); })
      .Case([&](graph::ConvOp op) { return lowerConv(op, operands, b); })
      .Case([&](graph::ReduceOp op) { return lowerReduce(op, operands, b); })
      .Default([](Operation *) { return Value(); });
}
