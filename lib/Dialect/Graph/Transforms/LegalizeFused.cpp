//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalisation of operators that name a composition of others: what PyTorch's
// own modules call to save a pass over memory, and old names of conversions.
// Fusion finds what these save again, so each is the formula that it stands
// for.
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

static Num relu(Num x) { return x.unary<ReluOp>(); }

/// _add_relu: relu(self + alpha * other).
static LogicalResult legalizeAddRelu(AtenCall &c) {
  Type type = getAccumulationType(c.resultElementType());
  Value self = c.operand("self", type), other = c.operand("other", type);
  if (!self || !other)
    return c.fail("an operand is missing");
  Num x(c.b, self), y(c.b, other);
  return c.replace(relu(x + y * c.floatOr("alpha", 1)));
}

/// _masked_softmax: of what the mask leaves. Masks of two dimensions are those
/// of pairs of positions (0) or of the keys of each sample (1).
static LogicalResult legalizeMaskedSoftmax(AtenCall &c) {
  TensorBuilder &b = c.b;
  Type type = getAccumulationType(c.resultElementType());
  Value self = c.operand("self", type), mask = c.tensor("mask");
  if (!self || !mask || getRank(self) == 0 ||
      !getElementType(mask).isInteger(1))
    return c.fail("it has no operand or no mask of bools");
  int64_t rank = getRank(self);
  std::optional<int64_t> dim = c.has("dim") ? c.getDim("dim", rank) : rank - 1;
  int64_t kind = c.intOr("mask_type", 2);
  if (!dim || kind < 0 || kind > 2)
    return c.fail("its dimension or the kind of its mask is not known");
  if (kind == 1 && getRank(mask) == 2)
    while (getRank(mask) < rank)
      mask = b.unsqueeze(mask, 1);
  Value hidden = b.select(
      mask, b.scalar(-std::numeric_limits<double>::infinity(), type), self);
  Num result(b, b.softmax(b.castSizes(hidden, getSizes(self)), *dim));
  return c.replace(result);
}

/// _transform_bias_rescale_qkv: query, key and value of each head from one
/// projection with a bias; the query is divided by the root of the width.
static LogicalResult legalizeTransformQkv(AtenCall &c) {
  TensorBuilder &b = c.b;
  Type type = getAccumulationType(c.resultElementType());
  Value qkv = c.operand("qkv", type), bias = c.operand("qkv_bias", type);
  auto heads = c.getInt("num_heads");
  if (!qkv || !bias || !heads || *heads < 1 || getRank(qkv) != 3 ||
      getRank(bias) != 1)
    return c.fail("its operands have other ranks, or its heads no number");
  Sizes sizes = getSizes(qkv);
  auto all = sizes[2].getConstant();
  if (!all || *all % (3 * *heads) != 0)
    return c.fail("its width is not constant, or not three times that of the "
                  "heads");
  int64_t width = *all / (3 * *heads);
  Value parts =
      b.permute(b.reshape(b.add(qkv, bias), {sizes[0], sizes[1], b.size(3),
                                             b.size(*heads), b.size(width)}),
                {2, 0, 3, 1, 4});
  SmallVector<Value> results;
  for (int64_t i = 0; i < 3; ++i)
    results.push_back(b.at(parts, 0, b.size(i)));
  results[0] = Num(b, results[0]) * (1 / std::sqrt(static_cast<double>(width)));
  return c.replace(results);
}

static LogicalResult legalizeCast(AtenCall &c) {
  Value x = c.operand("self", c.resultElementType());
  return x ? c.replace(x) : c.fail("its operand is missing");
}

/// _dim_arange: the positions along a dimension.
static LogicalResult legalizeDimArange(AtenCall &c) {
  Value like = c.tensor("like");
  auto dim = like ? c.getDim("dim", getRank(like)) : std::nullopt;
  if (!dim || getRank(like) == 0)
    return c.fail("its dimension is not constant");
  return c.replace(Positions(c.b).iota(getSizes(like)[*dim]));
}

//===----------------------------------------------------------------------===//
// Rows of different lengths
//===----------------------------------------------------------------------===//

/// The offsets of the one dimension of rows of different lengths, as positions.
static FailureOr<Num> readOffsets(AtenCall &c) {
  SmallVector<Value> lists = c.tensors("offsets");
  if (lists.size() != 1 || getRank(lists[0]) != 1)
    return c.fail("more than one dimension of its rows has lengths");
  Positions p(c.b);
  return Num(c.b, c.b.convert(lists[0], p.type()));
}

/// `v`, one for each row or element of rows, beside dimensions that follow.
static Num beside(Num v, int64_t rank) {
  while (getRank(v) < rank)
    v = v.unsqueeze(getRank(v));
  return v;
}

/// _jagged_to_padded_dense_forward: rows `[offsets[i], offsets[i + 1])` of the
/// values, one for each `i`, filled up to a length.
static LogicalResult legalizeJaggedToPadded(AtenCall &c) {
  TensorBuilder &b = c.b;
  Value values = c.tensor("values");
  auto offsets = readOffsets(c);
  if (failed(offsets))
    return failure();
  Sizes result = c.resultSizes();
  if (!values || getRank(values) < 1 ||
      static_cast<int64_t>(result.size()) != getRank(values) + 1)
    return c.fail("its values have another rank than its result");
  ExprAttr rows = result[0], count = getSizes(values)[0];
  if (count.isConstant(0))
    return c.replace(filled(b, c.floatOr("padding_value", 0),
                            c.resultElementType(), result));
  Positions p(b);
  Num begin(b, b.slice(*offsets, 0, b.size(0), rows)),
      end(b, b.slice(*offsets, 0, b.size(1), rows));
  Num at = begin.unsqueeze(1) + p.iota(result[1]);
  Num isInside = at < end.unsqueeze(1);
  Num taken(b, b.index(values, Value(p.clamp(at, count)), 0));
  Num filling = taken.number(c.floatOr("padding_value", 0));
  return c.replace(select(beside(isInside, getRank(taken)), taken, filling));
}

/// _padded_dense_to_jagged_forward: the first elements of each row, one row
/// after the other.
static LogicalResult legalizePaddedToJagged(AtenCall &c) {
  TensorBuilder &b = c.b;
  Value dense = c.tensor("dense");
  auto offsets = readOffsets(c);
  if (failed(offsets))
    return failure();
  Sizes result = c.resultSizes();
  if (!dense || getRank(dense) < 2 ||
      static_cast<int64_t>(result.size()) != getRank(dense) - 1)
    return c.fail("its operand has another rank than its result");
  ExprAttr rows = getSizes(dense)[0], width = getSizes(dense)[1];
  if (rows.isConstant(0) || width.isConstant(0))
    return c.replace(filled(b, 0, c.resultElementType(), result));
  Positions p(b);
  Num element = p.iota(result[0]);
  // The row of an element is the last that does not begin after it.
  Num begin(b, b.slice(*offsets, 0, b.size(0), rows));
  Num row = p.clamp(bisect(c, rows,
                           [&](Num position) -> Num {
                             Value at = b.broadcast(position, result[0]);
                             return Num(b, b.index(begin, at, 0)) <= element;
                           }) -
                        1,
                    rows);
  row = {b, b.broadcast(row, result[0])};
  Num column = element - Num(b, b.index(begin, Value(row), 0));
  Num isInside = column < p.size(width);
  Value indices[] = {row, p.clamp(column, width)};
  Num taken(b, b.index(dense, indices, {0, 1}));
  return c.replace(select(beside(isInside, getRank(taken)), taken, 0));
}

void graph::populateFusedLegalizations(AtenLegalizations &t) {
  t.add("_add_relu.Tensor _add_relu.Scalar", legalizeAddRelu);
  t.add("_masked_softmax", legalizeMaskedSoftmax);
  t.add("_transform_bias_rescale_qkv", legalizeTransformQkv);
  t.add("_cast_Byte _cast_Char _cast_Short _cast_Int _cast_Long _cast_Half "
        "_cast_Float _cast_Double",
        legalizeCast);
  t.add("_dim_arange", legalizeDimArange);
  t.add("_jagged_to_padded_dense_forward", legalizeJaggedToPadded);
  t.add("_padded_dense_to_jagged_forward", legalizePaddedToJagged);
}
