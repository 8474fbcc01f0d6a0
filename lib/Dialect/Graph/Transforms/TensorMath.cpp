//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Formulas over tensors, as legalisations write them.
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;

SmallVector<int64_t> graph::allDims(Value v) {
  return llvm::to_vector(llvm::seq<int64_t>(0, getRank(v)));
}

graph::LastPair::LastPair(int64_t rank, int64_t first, int64_t second)
    : inverse(rank) {
  for (int64_t d = 0; d < rank; ++d)
    if (d != first && d != second)
      permutation.push_back(d);
  permutation.append({first, second});
  for (auto [i, d] : llvm::enumerate(permutation))
    inverse[d] = static_cast<int64_t>(i);
}

SmallVector<int64_t> graph::lastDims(int64_t rank, int64_t count) {
  return llvm::to_vector(llvm::seq<int64_t>(rank - count, rank));
}

Value graph::flatten(TensorBuilder &b, Value v) {
  return b.reshape(v, sym::getNumElements(cast<RankedTensorType>(v.getType())));
}

std::optional<Sizes> graph::readSpatialExprs(AtenCall &c, StringRef name,
                                             size_t count, int64_t otherwise) {
  Sizes list;
  if (c.has(name)) {
    auto read = c.getExprs(name);
    if (!read)
      return std::nullopt;
    list = *read;
  }
  if (list.empty())
    list.push_back(c.b.size(otherwise));
  if (list.size() == 1)
    list.assign(count, list.front());
  if (list.size() != count)
    return std::nullopt;
  return list;
}

std::optional<SmallVector<int64_t>> graph::readSpatial(AtenCall &c,
                                                       StringRef name,
                                                       size_t count,
                                                       int64_t otherwise) {
  auto list = readSpatialExprs(c, name, count, otherwise);
  return list ? getConstants(*list) : std::nullopt;
}

Value graph::lowest(TensorBuilder &b, Type type) {
  OpBuilder &builder = b.getBuilder();
  if (auto real = dyn_cast<FloatType>(type))
    return b.scalar(builder.getFloatAttr(
        real, APFloat::getInf(real.getFloatSemantics(), /*Negative=*/true)));
  unsigned width = type.getIntOrFloatBitWidth();
  bool isUnsigned = width == 1 || type.isUnsignedInteger();
  return b.scalar(builder.getIntegerAttr(
      type,
      isUnsigned ? APInt::getZero(width) : APInt::getSignedMinValue(width)));
}

static ReduceKindAttr getKindAttr(TensorBuilder &b,
                                  std::optional<ReduceKind> kind) {
  return kind ? ReduceKindAttr::get(b.getContext(), *kind) : ReduceKindAttr();
}

Value graph::multiply(TensorBuilder &b, Value x, Value y) {
  return getElementType(x).isInteger(1) ? b.binary<BitwiseAndOp>(x, y)
                                        : b.mul(x, y);
}

Value graph::multiplyMatrices(TensorBuilder &b, Value x, Value y, Value bias) {
  if (!getElementType(x).isInteger(1))
    return b.matmul(x, y, bias);
  // How many pairs are true.
  Type count = b.getBuilder().getI32Type();
  Value any = toBool(b, b.matmul(b.convert(x, count), b.convert(y, count)));
  return bias ? b.binary<BitwiseOrOp>(any, bias) : any;
}

Value graph::putAt(TensorBuilder &b, std::optional<ReduceKind> kind, Value x,
                   ValueRange indices, Value values, ArrayRef<int64_t> dims) {
  return IndexPutOp::create(b.getBuilder(), b.getLoc(), x.getType(),
                            getKindAttr(b, kind), x, indices, values,
                            b.getBuilder().getDenseI64ArrayAttr(dims));
}

Value graph::scatterAlong(TensorBuilder &b, std::optional<ReduceKind> kind,
                          Value x, Value index, Value source, int64_t dim) {
  return ScatterOp::create(b.getBuilder(), b.getLoc(), x.getType(),
                           getKindAttr(b, kind), x, index, source,
                           b.getBuilder().getI64IntegerAttr(dim));
}

Value graph::gatherAlong(TensorBuilder &b, Value x, Value index, int64_t dim) {
  index = toIndex(b, index);
  return GatherOp::create(
      b.getBuilder(), b.getLoc(),
      sym::getTensorType(getSizes(index), getElementType(x)), x, index, dim);
}

Value graph::filled(TensorBuilder &b, double number, Type elementType,
                    SizesRef sizes) {
  return b.full(
      convertScalar(b.getBuilder().getF64FloatAttr(number), elementType),
      sizes);
}

std::pair<Value, Value> graph::argReduceLast(TensorBuilder &b, ReduceKind kind,
                                             Value x) {
  auto op = ArgReduceOp::create(b.getBuilder(), b.getLoc(), kind, x,
                                getRank(x) - 1, /*keepdims=*/false);
  return {op.getValues(), op.getPositions()};
}
