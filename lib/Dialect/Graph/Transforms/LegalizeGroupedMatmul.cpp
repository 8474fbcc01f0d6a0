//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products of groups of rows with a matrix each, as mixtures of experts have
// them: rows are sorted by group, and data says where each group ends.
//
// A row is multiplied with the matrix of its group, which is selected element
// by element in the sum. So no product is computed that is not asked for, no
// copy of matrices is made, and the host reads nothing, which slices of sizes
// that data decides would need for each group. The price is that these sums are
// no contractions, and use no matrix instructions.
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"

#include <limits>

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

/// The group of each of `count` positions: how many groups end at it or before.
static Num groupsOf(TensorBuilder &b, Value ends, ExprAttr count) {
  Positions p(b);
  Num position = p.iota(count).unsqueeze(1);
  Num end = Num(b, b.unsqueeze(ends, 0)).to(p.type());
  return (end <= position).to(p.type()).reduce(ReduceKind::Sum, {1});
}

/// Rows (or columns) behind the last group are zero.
static Num zeroBehind(Num x, Num group, ExprAttr groups) {
  Positions p(*x.b);
  Num isIn = group < p.size(groups);
  return select(isIn, x, x.number(0));
}

/// Groups of the rows of x [s, k], each times its matrix of y [g, k, n]. Narrow
/// floats are multiplied and summed in `f32`.
static Value multiplyRows(TensorBuilder &b, Value x, Value y, Value ends) {
  ExprAttr groups = getSizes(y)[0];
  Type wide = getAccumulationType(getElementType(x));
  Num group = groupsOf(b, ends, getSizes(x)[0]);
  Value chosen = b.index(y, {Positions(b).clamp(group, groups)}, {0});
  Num product = Num(b, b.unsqueeze(x, 2)).to(wide) * Num(b, chosen).to(wide);
  return zeroBehind(product.reduce(ReduceKind::Sum, {1}), group.unsqueeze(1),
                    groups);
}

/// Groups of the columns of y [k, n], each times its matrix of x [g, m, k].
static Value multiplyColumns(TensorBuilder &b, Value x, Value y, Value ends) {
  Value rows =
      multiplyRows(b, b.transpose(y, 0, 1), b.transpose(x, 1, 2), ends);
  return b.transpose(rows, 0, 1);
}

static Num isFinite(Num x) {
  return abs(x) < std::numeric_limits<double>::infinity();
}

/// A product of x [m, k] and y [k, n] for each group of what is summed: one
/// product, of which the left operand is zero outside of the group. An element
/// that is not finite would make the sums of all groups NaN, so it is zero
/// there, too, and only the sums of its own group become NaN.
static Value multiplyParts(TensorBuilder &b, Value left, Value right,
                           Value ends) {
  Positions p(b);
  Num x(b, left), y(b, right);
  Num group = groupsOf(b, ends, getSizes(right)[0]).unsqueeze(0);
  Num isIn = group == p.iota(getSizes(ends)[0]).unsqueeze(1);
  Num ofX = isFinite(x), ofY = isFinite(y);
  Num part = select(isIn.unsqueeze(1), select(ofX, x, 0).unsqueeze(0), 0);
  Sizes sizes = getSizes(right);
  sizes.insert(sizes.begin(), getSizes(ends)[0]);
  Num finite = select(ofY, y, 0).unsqueeze(0);
  Num sums(b, b.matmul(part, b.broadcast(finite, sizes)));
  Num rows = isIn.unsqueeze(1) & (!ofX).unsqueeze(0);
  Num columns = isIn.unsqueeze(2) & (!ofY).unsqueeze(0);
  Num isOpen = rows.reduce(ReduceKind::Any, {2}).unsqueeze(2) |
               columns.reduce(ReduceKind::Any, {1}).unsqueeze(1);
  return select(isOpen, std::numeric_limits<double>::quiet_NaN(), sums);
}

/// The type that products are computed in: narrow floats are multiplied as they
/// are, and summed in `f32`, where the result is no wider.
static Type getFactorType(AtenCall &c, StringRef operand) {
  Type type = c.resultElementType();
  Value given = c.tensor(operand);
  return given && getElementType(given) == type ? type
                                                : getAccumulationType(type);
}

static LogicalResult multiply(AtenCall &c, Value x, Value y, Value ends) {
  if (!x || !y)
    return c.fail("an operand is missing");
  int64_t left = getRank(x), right = getRank(y);
  if (left == 3 && right == 3)
    return c.replace(c.b.matmul(x, y));
  if (!ends || getRank(ends) != 1)
    return c.fail("where its groups end is not a vector");
  if (left == 2 && right == 3)
    return c.replace(multiplyRows(c.b, x, y, ends));
  if (left == 3 && right == 2)
    return c.replace(multiplyColumns(c.b, x, y, ends));
  if (left == 2 && right == 2)
    return c.replace(multiplyParts(c.b, x, y, ends));
  return c.fail("its operands are neither matrices nor batches of matrices");
}

static LogicalResult legalizeGroupedMm(AtenCall &c) {
  if (c.tensor("bias"))
    return c.fail("it has a bias");
  Type type = getFactorType(c, "self");
  return multiply(c, c.operand("self", type), c.operand("mat2", type),
                  c.tensor("offs"));
}

/// What the library transformers calls where PyTorch's own operator is not for
/// the element type or the device.
static LogicalResult legalizeTransformersGroupedMm(AtenCall &c) {
  Type type = getFactorType(c, "input");
  return multiply(c, c.operand("input", type), c.operand("weight", type),
                  c.tensor("offs"));
}

/// Its gradients: products of rows with the other side of their matrices, and
/// a product of rows with rows for each matrix.
static LogicalResult legalizeTransformersBackward(AtenCall &c) {
  TensorBuilder &b = c.b;
  Type type = getFactorType(c, "input");
  Value x = c.operand("input", type), y = c.operand("weight", type),
        grad = c.operand("grad_output", type), ends = c.tensor("offs");
  if (!x || !y || !grad || !ends || getRank(x) != 2 || getRank(y) != 3 ||
      getRank(grad) != 2 || getRank(ends) != 1)
    return c.fail("its operands are no matrices with groups of rows");
  return c.replace({multiplyRows(b, grad, b.transpose(y, 1, 2), ends),
                    multiplyParts(b, b.transpose(x, 0, 1), grad, ends)});
}

void graph::populateGroupedMatmulLegalizations(AtenLegalizations &t) {
  t.add("_grouped_mm", legalizeGroupedMm);
  t.add("transformers::grouped_mm_fallback", legalizeTransformersGroupedMm);
  t.add("transformers::grouped_mm_fallback_backward",
        legalizeTransformersBackward);
}
