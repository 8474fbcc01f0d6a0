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

/// Groups of the rows of x [s, k], each times its matrix of y [g, k, n].
static Value multiplyRows(TensorBuilder &b, Value x, Value y, Value ends) {
  ExprAttr groups = getSizes(y)[0];
  Num group = groupsOf(b, ends, getSizes(x)[0]);
  Value chosen = b.index(y, {Positions(b).clamp(group, groups)}, {0});
  Num product = Num(b, b.unsqueeze(x, 2)) * Num(b, chosen);
  return zeroBehind(product.reduce(ReduceKind::Sum, {1}), group.unsqueeze(1),
                    groups);
}

/// Groups of the columns of y [k, n], each times its matrix of x [g, m, k].
static Value multiplyColumns(TensorBuilder &b, Value x, Value y, Value ends) {
  Value rows =
      multiplyRows(b, b.transpose(y, 0, 1), b.transpose(x, 1, 2), ends);
  return b.transpose(rows, 0, 1);
}

/// A product of x [m, k] and y [k, n] for each group of what is summed.
static Value multiplyParts(TensorBuilder &b, Value x, Value y, Value ends) {
  Positions p(b);
  Num group = groupsOf(b, ends, getSizes(y)[0]).unsqueeze(0).unsqueeze(0);
  Num number = p.iota(getSizes(ends)[0]).unsqueeze(1).unsqueeze(2);
  Num part(b, b.unsqueeze(x, 0));
  part = select(group == number, part, part.number(0));
  Sizes sizes = getSizes(y);
  sizes.insert(sizes.begin(), getSizes(ends)[0]);
  return b.matmul(part, b.broadcast(b.unsqueeze(y, 0), sizes));
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
  Type type = getAccumulationType(c.resultElementType());
  return multiply(c, c.operand("self", type), c.operand("mat2", type),
                  c.tensor("offs"));
}

/// What the library transformers calls where PyTorch's own operator is not for
/// the element type or the device.
static LogicalResult legalizeTransformersGroupedMm(AtenCall &c) {
  Type type = getAccumulationType(c.resultElementType());
  return multiply(c, c.operand("input", type), c.operand("weight", type),
                  c.tensor("offs"));
}

void graph::populateGroupedMatmulLegalizations(AtenLegalizations &t) {
  t.add("_grouped_mm", legalizeGroupedMm);
  t.add("transformers::grouped_mm_fallback", legalizeTransformersGroupedMm);
}
