//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalisation of matrix products.
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

/// Makes sizes that are equal at run time recognisably equal.
static void unifySize(TensorBuilder &b, Value lhs, int64_t i, Value &rhs,
                      int64_t j) {
  Sizes sizes = getSizes(rhs);
  ExprAttr wanted = getSizes(lhs)[i];
  if (sizes[j] == wanted || provablyDiffer(sizes[j], wanted))
    return;
  sizes[j] = wanted;
  rhs = b.castSizes(rhs, sizes);
}

/// `torch.matmul`: vectors get a dimension, a matrix on the right multiplies
/// all rows of the left at once, other batch dimensions broadcast. A bias has
/// the size of the right's columns. A wide result of 16-bit floats is `f32`.
static FailureOr<Value> product(TensorBuilder &b, Value lhs, Value rhs,
                                Value bias = {}, bool isWide = false) {
  int64_t lhsRank = getRank(lhs), rhsRank = getRank(rhs);
  if (lhsRank == 0 || rhsRank == 0)
    return failure();
  bool dropRow = lhsRank == 1, dropColumn = rhsRank == 1;
  if (dropRow)
    lhs = b.unsqueeze(lhs, 0);
  if (dropColumn)
    rhs = b.unsqueeze(rhs, 1);
  lhsRank = getRank(lhs);
  rhsRank = getRank(rhs);
  unifySize(b, lhs, lhsRank - 1, rhs, rhsRank - 2);

  Sizes sizes = getSizes(lhs);
  bool flatten = rhsRank == 2 && lhsRank > 2;
  Value result;
  if (flatten) {
    ExprAttr rows = sym::product(b.getContext(), SizesRef(sizes).drop_back());
    lhs = b.reshape(lhs, {rows, sizes.back()});
  } else {
    while (getRank(lhs) < rhsRank)
      lhs = b.unsqueeze(lhs, 0);
    while (getRank(rhs) < lhsRank)
      rhs = b.unsqueeze(rhs, 0);
    for (int64_t i = 0, e = getRank(lhs) - 2; i < e; ++i)
      if (!getSizes(lhs)[i].isConstant(1) && !getSizes(rhs)[i].isConstant(1))
        unifySize(b, lhs, i, rhs, i);
  }
  FailureOr<Sizes> inferred = inferMatmul(getSizes(lhs), getSizes(rhs));
  if (failed(inferred))
    return failure();
  result = multiplyMatrices(b, lhs, rhs, bias);
  if (isWide)
    result.setType(cast<RankedTensorType>(result.getType())
                       .clone(getAccumulationType(getElementType(lhs))));
  if (flatten) {
    sizes.back() = getSizes(rhs)[1];
    result = b.reshape(result, sizes);
  }
  if (dropRow || dropColumn) {
    Sizes dropped = getSizes(result);
    if (dropColumn)
      dropped.pop_back();
    if (dropRow)
      dropped.erase(dropped.end() - (dropColumn ? 1 : 2));
    result = b.reshape(result, dropped);
  }
  return result;
}

static AtenHandler matmul(StringRef lhsName, StringRef rhsName) {
  return [=](AtenCall &c) -> LogicalResult {
    Type type = c.resultElementType();
    Value lhs = c.operand(lhsName, type), rhs = c.operand(rhsName, type);
    if (!lhs || !rhs)
      return c.fail("an operand is missing");
    FailureOr<Value> result = product(c.b, lhs, rhs);
    return succeeded(result) ? c.replace(*result)
                             : c.fail("its operands do not fit");
  };
}

/// Whether `bias` has one element for each column of the matrix `rhs`.
static bool isRow(Value bias, Value rhs) {
  return getRank(bias) == 1 && getRank(rhs) >= 2 &&
         getSizes(bias)[0] == getSizes(rhs).back();
}

/// beta * self + alpha * update, where self does not matter with beta zero.
static LogicalResult addScaled(AtenCall &c, Num update) {
  Type type = update.type();
  Value self = c.operand("self", type);
  if (!self)
    return c.fail("an operand is missing");
  if (type.isInteger(1)) {
    if (c.intOr("alpha", 1) == 0)
      update = update.number(0);
    return c.replace(c.intOr("beta", 1) == 0 ? update
                                             : Num(c.b, self) | update);
  }
  if (c.floatOr("alpha", 1) != 1)
    update = update * Num(c.b, c.operand("alpha", type));
  double beta = c.floatOr("beta", 1);
  if (beta == 0)
    return c.replace(c.broadcastTo(update, c.resultSizes()));
  Num x(c.b, self);
  return c.replace(update +
                   (beta == 1 ? x : x * Num(c.b, c.operand("beta", type))));
}

/// beta * self + alpha * (lhs @ rhs)
static AtenHandler addMatmul(StringRef lhsName, StringRef rhsName) {
  return [=](AtenCall &c) -> LogicalResult {
    Type type = c.resultElementType();
    Value lhs = c.operand(lhsName, type), rhs = c.operand(rhsName, type);
    if (Value bias = c.operand("self", type);
        lhs && rhs && bias && c.floatOr("alpha", 1) == 1 &&
        c.floatOr("beta", 1) == 1 && isRow(bias, rhs)) {
      FailureOr<Value> result = product(c.b, lhs, rhs, bias);
      return succeeded(result) ? c.replace(*result)
                               : c.fail("its operands do not fit");
    }
    if (!lhs || !rhs)
      return c.fail("an operand is missing");
    FailureOr<Value> result =
        product(c.b, lhs, rhs, /*bias=*/{}, /*isWide=*/true);
    if (failed(result))
      return c.fail("its operands do not fit");
    return addScaled(c, Num(c.b, *result));
  };
}

static LogicalResult legalizeLinear(AtenCall &c) {
  Type type = c.resultElementType();
  Value input = c.operand("input", type), weight = c.operand("weight", type);
  if (!input || !weight)
    return c.fail("an operand is missing");
  if (getRank(weight) == 2)
    weight = c.b.transpose(weight, 0, 1);
  // A bias of rows goes with the product, and is rounded with it. Any other is
  // added to the matrix, before the batch dimensions come back.
  Sizes sizes = getSizes(input);
  bool flatten = sizes.size() > 2 && getRank(weight) == 2;
  if (flatten)
    input = c.b.reshape(
        input, {sym::product(weight.getContext(), SizesRef(sizes).drop_back()),
                sizes.back()});
  Value bias = c.operand("bias", type);
  bool joins = bias && getRank(input) >= 2 && isRow(bias, weight);
  FailureOr<Value> result = product(c.b, input, weight, joins ? bias : Value(),
                                    /*isWide=*/bias && !joins);
  if (failed(result))
    return c.fail("its operands do not fit");
  if (bias && !joins) {
    Num product(c.b, *result), shift(c.b, bias);
    result = Value(type.isInteger(1) ? product | shift
                                     : product + shift.to(product.type()));
  }
  if (flatten) {
    sizes.back() = getSizes(weight).back();
    result = c.b.reshape(*result, sizes);
  }
  return c.replace(*result);
}

static LogicalResult legalizeOuter(AtenCall &c) {
  Type type = c.resultElementType();
  Value x = c.operand("self", type), y = c.operand("vec2", type);
  if (!x || !y || getRank(x) != 1)
    return c.fail("its operands are not vectors");
  x = c.b.unsqueeze(x, 1);
  return c.replace(multiply(c.b, x, y));
}

/// addr: with the outer product of two vectors.
static LogicalResult legalizeAddr(AtenCall &c) {
  Type type = getAccumulationType(c.resultElementType());
  Value x = c.operand("vec1", type), y = c.operand("vec2", type);
  if (!x || !y || getRank(x) != 1 || getRank(y) != 1)
    return c.fail("its operands are not vectors");
  Num column(c.b, c.b.unsqueeze(x, 1)), row(c.b, y);
  return addScaled(c, {c.b, multiply(c.b, column, row)});
}

/// addbmm: with the sum of the products of a batch, which is one product.
static LogicalResult legalizeAddBmm(AtenCall &c) {
  TensorBuilder &b = c.b;
  Type type = c.resultElementType();
  Value x = c.operand("batch1", type), y = c.operand("batch2", type);
  if (!x || !y || getRank(x) != 3 || getRank(y) != 3)
    return c.fail("its operands are not batches of matrices");
  unifySize(b, x, 0, y, 0);
  unifySize(b, x, 2, y, 1);
  Sizes from = getSizes(x), to = getSizes(y);
  if (provablyDiffer(from[0], to[0]) || provablyDiffer(from[2], to[1]))
    return c.fail("its operands do not fit");
  ExprAttr summed = sym::mul(from[0], from[2]);
  FailureOr<Value> result =
      product(b, b.reshape(b.permute(x, {1, 0, 2}), {from[1], summed}),
              b.reshape(y, {summed, to[2]}), /*bias=*/{}, /*isWide=*/true);
  if (failed(result))
    return c.fail("its operands do not fit");
  return addScaled(c, Num(b, *result));
}

void graph::populateContractionLegalizations(AtenLegalizations &t) {
  t.add("mm bmm", matmul("self", "mat2"));
  t.add("matmul linalg_matmul", matmul("self", "other"));
  t.add("dot", matmul("self", "tensor"));
  t.add("vdot", matmul("self", "other"));
  t.add("mv", matmul("self", "vec"));
  t.add("addmm", addMatmul("mat1", "mat2"));
  t.add("baddbmm", addMatmul("batch1", "batch2"));
  t.add("addmv", addMatmul("mat", "vec"));
  t.add("addr", legalizeAddr);
  t.add("addbmm", legalizeAddBmm);
  t.add("linear", legalizeLinear);
  t.add("outer ger", legalizeOuter);
}
