//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalisation of distances between vectors, and of what is computed of their
// lengths.
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"

#include <cmath>

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

/// The norm of differences along a dimension. How many differ is NaN if one of
/// them is, unlike in a norm.
static Value distance(AtenCall &c, Value difference, int64_t dim) {
  double p = c.floatOr("p", 2);
  if (p != 0)
    return vectorNorm(c, difference, dim, false, p);
  Num d(c.b, difference);
  return select(isNan(d), d, (d != 0).to(d.type()))
      .reduce(ReduceKind::Sum, {dim});
}

/// cdist: the norm of the difference of each row of the one and each of the
/// other.
static LogicalResult legalizeCdist(AtenCall &c) {
  TensorBuilder &b = c.b;
  Type type = getAccumulationType(c.resultElementType());
  Value x = c.operand("x1", type), y = c.operand("x2", type);
  if (!x || !y || getRank(x) < 2 || getRank(y) < 2)
    return c.fail("its operands are not matrices");
  if (getSizes(x).back().isConstant(0))
    return c.replace(filled(b, 0, type, c.resultSizes()));
  Num difference(
      b, b.sub(b.unsqueeze(x, getRank(x) - 1), b.unsqueeze(y, getRank(y) - 2)));
  // The largest of what is a number, unlike in a norm.
  if (std::isinf(c.floatOr("p", 2)))
    difference = select(isNan(difference), 0, difference);
  return c.replace(distance(c, difference, getRank(difference) - 1));
}

/// The first and second members of all `count` pairs of `rows` things, in
/// order: pairs are numbered by their first members, whose numbers begin at `i
/// (2 rows - i - 1) / 2`.
static std::pair<Value, Value> findPairs(AtenCall &c, ExprAttr rows,
                                         ExprAttr count) {
  Positions p(c.b);
  Num pair = p.iota(count), all = p.size(rows);
  auto begin = [&](Num i) { return floorDiv(i * (2 * all - i - 1), 2); };
  Num first = bisect(c, rows, [&](Num i) { return begin(i) <= pair; }) - 1;
  return {first, pair - begin(first) + first + 1};
}

/// _cdist_backward: how the distances from each row of `x1` to all of `x2`
/// change with that row. Where a distance is zero it does not.
/// How much a distance of order `p`, which is not zero, changes with each
/// element of the difference, times its gradient. As the framework computes it,
/// which decides about what is not finite.
static Num distanceGradient(Num grad, Num difference, Num distance, double p) {
  Num size = abs(difference), sign = difference.unary<SignOp>();
  Num isZero = distance == 0;
  if (p > 0 && p < 1)
    isZero = isZero | (difference == 0);
  if (p == 1)
    return grad * sign;
  if (std::isinf(p))
    return grad * sign * (1 - min(abs(size - distance).unary<CeilOp>(), 1));
  if (p == 2)
    return select(isZero, 0, grad * difference / distance);
  if (p < 2)
    return select(isZero, 0,
                  sign * pow(size, p - 1) * grad / pow(distance, p - 1));
  return select(isZero, 0,
                difference * pow(size, p - 2) * grad / pow(distance, p - 1));
}

static LogicalResult legalizeCdistBackward(AtenCall &c) {
  TensorBuilder &b = c.b;
  Type type = c.resultElementType();
  double p = c.floatOr("p", 2);
  Value given[4];
  StringRef names[] = {"grad", "x1", "x2", "cdist"};
  for (auto [value, name] : llvm::zip(given, names)) {
    value = c.operand(name, type);
    if (!value || getRank(value) < 2)
      return c.fail("its operands are not matrices");
  }
  if (p == 0 || getSizes(given[2])[getRank(given[2]) - 2].isConstant(0))
    return c.replace(filled(b, 0, type, c.resultSizes()));
  Num grad(b, b.unsqueeze(given[0], getRank(given[0])));
  Num distance(b, b.unsqueeze(given[3], getRank(given[3])));
  Num x(b, b.unsqueeze(given[1], getRank(given[1]) - 1));
  Num difference = x - Num(b, b.unsqueeze(given[2], getRank(given[2]) - 2));
  Num change = distanceGradient(grad, difference, distance, p);
  Value sum = change.reduce(ReduceKind::Sum, getRank(change) - 2);
  return c.replace(c.broadcastTo(sum, c.resultSizes()));
}

/// pdist: the distances of all pairs of rows.
static LogicalResult legalizePdist(AtenCall &c) {
  TensorBuilder &b = c.b;
  Value x = c.operand("self", getAccumulationType(c.resultElementType()));
  if (!x || getRank(x) != 2)
    return c.fail("its operand is not a matrix");
  ExprAttr rows = getSizes(x)[0];
  auto number = rows.getConstant();
  if ((number && *number < 2) || getSizes(x)[1].isConstant(0))
    return c.replace(filled(b, 0, c.resultElementType(), c.resultSizes()));
  auto [first, second] =
      number ? getPairs(b, *number) : findPairs(c, rows, c.resultSizes()[0]);
  Value difference = b.sub(b.index(x, first, 0), b.index(x, second, 0));
  return c.replace(distance(c, difference, 1));
}

/// _pdist_backward: what a distance changes by with the first row of a pair,
/// and its negative with the second.
static LogicalResult legalizePdistBackward(AtenCall &c) {
  TensorBuilder &b = c.b;
  Type type = getAccumulationType(c.resultElementType());
  Value grad = c.operand("grad", type), x = c.operand("self", type),
        distance = c.operand("pdist", type);
  double p = c.floatOr("p", 2);
  if (!grad || !x || !distance || getRank(x) != 2 || getRank(grad) != 1)
    return c.fail("its operand is not a matrix");
  Sizes sizes = getSizes(x);
  Value zeros = filled(b, 0, type, sizes);
  auto number = sizes[0].getConstant();
  if (p == 0 || (number && *number < 2))
    return c.replace(zeros);
  auto [first, second] = number ? getPairs(b, *number)
                                : findPairs(c, sizes[0], getSizes(distance)[0]);
  Num difference(b, b.sub(b.index(x, first, 0), b.index(x, second, 0)));
  ExprAttr pairs = getSizes(difference)[0];
  auto alongPairs = [&](Value v) {
    return Num(b, b.castSizes(v, pairs)).unsqueeze(1);
  };
  Num change =
      distanceGradient(alongPairs(grad), difference, alongPairs(distance), p);
  Value sum = putAt(b, ReduceKind::Sum, zeros, first, change, 0);
  return c.replace(putAt(b, ReduceKind::Sum, sum, second, -change, 0));
}

/// dist: the norm of the difference of two tensors as vectors.
static LogicalResult legalizeDist(AtenCall &c) {
  Type type = getAccumulationType(c.resultElementType());
  Value x = c.operand("self", type), y = c.operand("other", type);
  if (!x || !y)
    return c.fail("an operand is missing");
  Value difference = c.b.sub(x, y);
  return c.replace(
      vectorNorm(c, difference, allDims(difference), false, c.floatOr("p", 2)));
}

Value graph::pairwiseDistance(AtenCall &c, StringRef x, StringRef y, double p,
                              double eps, bool keepdims) {
  // Integers are subtracted as such, and wrap.
  Type type = getPromotedType(c, {x, y});
  if (!type || !c.tensor(x) || !c.tensor(y))
    return nullptr;
  Type wide = getAccumulationType(c.resultElementType());
  if (isa<FloatType>(type) || type.isInteger(1))
    type = wide;
  Num difference(c.b, c.b.sub(c.operand(x, type), c.operand(y, type)));
  if (getRank(difference) < 1)
    return vectorNorm(c, difference.to(wide) + eps, {}, keepdims, p);
  return vectorNorm(c, difference.to(wide) + eps, getRank(difference) - 1,
                    keepdims, p);
}

static LogicalResult legalizePairwiseDistance(AtenCall &c) {
  Value distance =
      pairwiseDistance(c, "x1", "x2", c.floatOr("p", 2), c.floatOr("eps", 1e-6),
                       c.boolOr("keepdim", false));
  return distance ? c.replace(distance)
                  : c.fail("its operands are not vectors");
}

/// cosine_similarity: vectors are divided by their lengths first, but not by
/// less than eps.
static LogicalResult legalizeCosineSimilarity(AtenCall &c) {
  TensorBuilder &b = c.b;
  Type type = getAccumulationType(c.resultElementType());
  Value x = c.operand("x1", type), y = c.operand("x2", type);
  if (!x || !y)
    return c.fail("an operand is missing");
  FailureOr<Sizes> sizes = broadcastSizes({getSizes(x), getSizes(y)});
  if (failed(sizes))
    return c.fail("its operands do not broadcast");
  x = c.broadcastTo(x, *sizes);
  y = c.broadcastTo(y, *sizes);
  auto dim = c.getDim("dim", getRank(x));
  if (!dim)
    return c.fail("its dimension is not constant");
  if (getRank(x) == 0) {
    x = b.unsqueeze(x, 0);
    y = b.unsqueeze(y, 0);
  }
  double eps = c.floatOr("eps", 1e-8);
  auto unit = [&](Value v) {
    Num length(b, vectorNorm(c, v, *dim, /*keepdims=*/true, 2));
    return Num(b, v) / max(length, eps);
  };
  return c.replace((unit(x) * unit(y)).reduce(ReduceKind::Sum, *dim));
}

/// cross: the first dimension of three elements, if none is given.
static LogicalResult legalizeCross(AtenCall &c) {
  TensorBuilder &b = c.b;
  Type type = c.resultElementType();
  Value x = c.operand("self", type), y = c.operand("other", type);
  if (!x || !y)
    return c.fail("an operand is missing");
  Sizes sizes = c.resultSizes();
  std::optional<int64_t> dim;
  if (c.has("dim")) {
    dim = c.getDim("dim", sizes.size());
  } else {
    for (int64_t d = sizes.size() - 1; d >= 0; --d)
      if (sizes[d].isConstant(3))
        dim = d;
  }
  if (!dim || sizes.empty())
    return c.fail("it has no dimension of three elements");
  x = c.broadcastTo(x, sizes);
  y = c.broadcastTo(y, sizes);
  Positions p(b);
  Value next = p.table({1, 2, 0}), last = p.table({2, 0, 1});
  auto take = [&](Value v, Value positions) {
    return Num(b, b.index(v, positions, *dim));
  };
  return c.replace(take(x, next) * take(y, last) -
                   take(x, last) * take(y, next));
}

/// linalg_vecdot: sums of products along a dimension.
static LogicalResult legalizeVecdot(AtenCall &c) {
  Type type = getAccumulationType(c.resultElementType());
  Value x = c.operand("x", type), y = c.operand("y", type);
  if (!x || !y)
    return c.fail("an operand is missing");
  Value product = c.b.mul(x, y);
  auto dim = c.getDim("dim", getRank(product));
  if (!dim)
    return c.fail("its dimension is not constant");
  if (getRank(product) == 0)
    return c.replace(product);
  return c.replace(c.b.reduce(ReduceKind::Sum, product, *dim, false));
}

Value graph::renormFactor(TensorBuilder &b, Value norm, Value limit,
                          Value named) {
  Num isLong(b, b.compare(ComparePredicate::Gt, norm, limit));
  if (named) {
    Type boolean = b.getBuilder().getI1Type();
    named = toIndex(b, flatten(b, named));
    Value isNamed =
        putAt(b, std::nullopt, filled(b, 0, boolean, {getSizes(norm)[0]}),
              named, filled(b, 1, boolean, getSizes(named)), {0});
    isLong = isLong & Num(b, b.unsqueeze(isNamed, 1));
  }
  return select(isLong, Num(b, limit) / (Num(b, norm) + 1e-7), 1);
}

/// renorm: parts along a dimension that are longer than `maxnorm` are
/// shortened.
static LogicalResult legalizeRenorm(AtenCall &c) {
  TensorBuilder &b = c.b;
  Value x = c.operand("self", getAccumulationType(c.resultElementType()));
  auto dim = x ? c.getDim("dim", getRank(x)) : std::nullopt;
  auto limit = c.getFloat("maxnorm");
  if (!dim || !limit || getRank(x) < 2)
    return c.fail("its dimension is not constant");
  SmallVector<int64_t> others = allDims(x);
  others.erase(others.begin() + *dim);
  Value norm = vectorNorm(c, x, others, /*keepdims=*/true, c.floatOr("p", 2));
  Value most = b.scalar(*limit, getElementType(norm));
  return c.replace(b.mul(x, renormFactor(b, norm, most)));
}

/// embedding_renorm: the rows that are named, and are longer than a number, are
/// shortened to it.
static LogicalResult legalizeEmbeddingRenorm(AtenCall &c) {
  TensorBuilder &b = c.b;
  Value given = c.operand("self", getAccumulationType(c.resultElementType())),
        indices = c.tensor("indices");
  auto limit = c.getFloat("max_norm");
  if (!given || !indices || !limit || getRank(given) != 2)
    return c.fail("an operand is missing");
  if (c.getContext()
          .simplify(
              sym::getNumElements(cast<RankedTensorType>(indices.getType())))
          .isConstant(0))
    return c.replace(given);
  if (!isa<FloatType>(getElementType(given)))
    return c.fail("its elements are not floats");
  Value norm =
      vectorNorm(c, given, 1, /*keepdims=*/true, c.floatOr("norm_type", 2));
  Value most = b.scalar(*limit, getElementType(norm));
  return c.replace(b.mul(given, renormFactor(b, norm, most, indices)));
}

void graph::populateDistanceLegalizations(AtenLegalizations &t) {
  t.add("_cdist_backward", legalizeCdistBackward);
  t.add("cdist _cdist_forward _euclidean_dist", legalizeCdist);
  t.add("pdist _pdist_forward", legalizePdist);
  t.add("_pdist_backward", legalizePdistBackward);
  t.add("dist", legalizeDist);
  t.add("pairwise_distance", legalizePairwiseDistance);
  t.add("cosine_similarity", legalizeCosineSimilarity);
  t.add("cross linalg_cross", legalizeCross);
  t.add("linalg_vecdot", legalizeVecdot);
  t.add("renorm", legalizeRenorm);
  t.add("embedding_renorm", legalizeEmbeddingRenorm);
}
