//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalisation of operators that take elements by their rank in an order:
// median, kthvalue, mode. Where the position is known, a selection in linear
// time finds the element; where the data says it, all of them are sorted.
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

namespace {

/// A tensor, of which the lines along one dimension are ordered.
struct Line {
  Value x;
  int64_t dim;
};

/// The elements of lines in order, or some of them, and their positions.
struct Sorted {
  Num values, positions;
  int64_t dim;
};

} // namespace

/// `self` and its dimension `dim`, or as a vector where there is no dimension.
static FailureOr<Line> readLine(AtenCall &c, bool flat) {
  TensorBuilder &b = c.b;
  Value x = c.tensor("self");
  if (!x) {
    (void)c.fail("its operand is missing");
    return failure();
  }
  if (getRank(x) == 0)
    x = b.unsqueeze(x, 0);
  if (flat)
    x = flatten(b, x);
  std::optional<int64_t> dim = flat           ? 0
                               : c.has("dim") ? c.getDim("dim", getRank(x))
                                              : getRank(x) - 1;
  if (!dim) {
    (void)c.fail("its dimension is not constant");
    return failure();
  }
  return Line{x, *dim};
}

static Sorted sortLine(AtenCall &c, Line line) {
  TensorBuilder &b = c.b;
  auto op = SortOp::create(b.getBuilder(), b.getLoc(), line.x, line.dim,
                           /*descending=*/false, /*stable=*/true);
  return Sorted{{b, op.getValues()}, {b, op.getIndices()}, line.dim};
}

/// The element at `place` of the order of a dimension, which is kept: the last
/// of so many smallest ones, or of the largest ones where these are fewer.
static Sorted selectAt(AtenCall &c, Line line, ExprAttr place) {
  TensorBuilder &b = c.b;
  ExprAttr size = getSizes(line.x)[line.dim];
  bool isInUpperHalf = size.isConstant() && place.isConstant() &&
                       place.getValue() >= size.getValue() / 2;
  ExprAttr count = isInUpperHalf ? sym::sub(size, place) : sym::add(place, 1);
  auto op = TopKOp::create(b.getBuilder(), b.getLoc(), line.x, count, line.dim,
                           /*largest=*/isInUpperHalf, /*sorted=*/false);
  auto last = [&](Value v) {
    return Num(b, b.slice(v, line.dim, sym::add(count, -1), b.size(1)));
  };
  return Sorted{last(op.getValues()), last(op.getIndices()), line.dim};
}

/// Replaces the operator by one element of each line, which keep the dimension.
static LogicalResult replaceByElements(AtenCall &c, Value values,
                                       Value positions) {
  SmallVector<Value> results;
  for (Value v : {values, positions})
    if (results.size() < c.op.getOutputs().size())
      results.push_back(c.b.reshape(v, c.resultSizes(results.size())));
  return c.replace(results);
}

/// Replaces the operator by the elements at places of the sorted dimension.
static LogicalResult takeAt(AtenCall &c, const Sorted &s, Num place) {
  TensorBuilder &b = c.b;
  Sizes sizes = getSizes(s.values);
  sizes[s.dim] = b.size(1);
  Value at = b.broadcast(place, sizes);
  return replaceByElements(c, gatherAlong(b, s.values, at, s.dim),
                           gatherAlong(b, s.positions, at, s.dim));
}

/// The number of elements along the dimension that are NaN, which are the last.
static Num countNan(const Sorted &s) {
  Positions p(*s.values.b);
  if (!isa<FloatType>(s.values.type()))
    return p.number(0);
  return isNan(s.values).to(p.type()).reduce(ReduceKind::Sum, s.dim,
                                             /*keepdims=*/true);
}

/// median, nanmedian: the lower of the two in the middle. One of them is NaN
/// where an element is, the other is of the elements that are not.
static AtenHandler median(bool flat, bool ignoresNan) {
  return [=](AtenCall &c) -> LogicalResult {
    FailureOr<Line> line = readLine(c, flat);
    if (failed(line))
      return failure();
    TensorBuilder &b = c.b;
    ExprAttr size = getSizes(line->x)[line->dim];
    bool isFloat = isa<FloatType>(getElementType(line->x));
    if (size.isConstant(0)) {
      // Of nothing it is NaN, for the whole tensor.
      if (flat && isFloat)
        return c.replace(b.scalar(std::numeric_limits<double>::quiet_NaN(),
                                  c.resultElementType()));
      return c.fail("the dimension has size zero");
    }
    Positions p(b);
    // A dimension of symbolic size may have no element to select.
    if (c.getContext().bounds(size).lo < 1 || (isFloat && ignoresNan)) {
      Sorted s = sortLine(c, *line);
      Num count = p.size(size), numNan = countNan(s), numbers = count - numNan;
      Num place = floorDiv(max((ignoresNan ? numbers : count) - 1, 0), 2);
      if (!ignoresNan)
        place = select(numNan > 0, numbers, place);
      return takeAt(c, s, place);
    }
    Sorted s = selectAt(c, *line, sym::floorDiv(sym::add(size, -1), b.size(2)));
    if (!isFloat)
      return replaceByElements(c, s.values, s.positions);
    // The first NaN is the maximum.
    auto largest = ArgReduceOp::create(b.getBuilder(), b.getLoc(),
                                       ReduceKind::Max, line->x, line->dim,
                                       /*keepdims=*/true);
    Num value(b, largest.getValues());
    return replaceByElements(
        c, select(isNan(value), value, s.values),
        select(isNan(value), Num(b, largest.getPositions()), s.positions));
  };
}

static LogicalResult legalizeKthValue(AtenCall &c) {
  ExprAttr k = c.getExpr("k");
  FailureOr<Line> line = readLine(c, /*flat=*/false);
  if (failed(line))
    return failure();
  ExprAttr size = getSizes(line->x)[line->dim];
  if (!k || size.isConstant(0))
    return c.fail("its number is not known");
  if ((k.isConstant() && k.getValue() < 1) ||
      failed(c.stateAtMost(k, size,
                           "the number of an element is inside its dimension")))
    return c.fail("its number is outside the dimension");
  Sorted s = selectAt(c, *line, sym::add(k, -1));
  return replaceByElements(c, s.values, s.positions);
}

/// mode: the most frequent element, the least of them, and where it is last.
static LogicalResult legalizeMode(AtenCall &c) {
  FailureOr<Line> line = readLine(c, /*flat=*/false);
  if (failed(line))
    return failure();
  Sorted s = sortLine(c, *line);
  TensorBuilder &b = c.b;
  ExprAttr size = getSizes(s.values)[s.dim];
  if (size.isConstant(0))
    return c.fail("the dimension has size zero");
  Positions p(b);
  int64_t rank = getRank(s.values);
  Num at = p.iota(size);
  for (int64_t d = s.dim + 1; d < rank; ++d)
    at = at.unsqueeze(getRank(at));
  // How many elements up to each are equal to it: since the last that began a
  // run of equal ones.
  Value before =
      b.index(s.values, Value(p.clamp(p.iota(size) - 1, size)), s.dim);
  Num begins = (s.values != Num(b, before)) | (at == 0);
  Num start = select(begins, at, 0);
  Num last(b, ScanOp::create(b.getBuilder(), b.getLoc(), ScanKind::Max, start,
                             static_cast<uint64_t>(s.dim))
                  .getResult());
  Num length = at - last;
  auto longest =
      ArgReduceOp::create(b.getBuilder(), b.getLoc(), ReduceKind::Max, length,
                          s.dim, /*keepdims=*/true);
  return takeAt(c, s, {b, longest.getPositions()});
}

/// quantile, nanquantile: the element at a fraction of the way through the
/// sorted ones, between two of them by `interpolation`. Several fractions are
/// a first dimension of the result.
static AtenHandler quantile(bool ignoresNan) {
  return [=](AtenCall &c) -> LogicalResult {
    TensorBuilder &b = c.b;
    StringRef kind = c.stringOr("interpolation", "linear");
    Type type = c.resultElementType();
    Value fractions = c.operand("q", type);
    FailureOr<Line> line = readLine(c, /*flat=*/!c.has("dim"));
    if (failed(line))
      return failure();
    Sorted s = sortLine(c, *line);
    if (!fractions || getRank(fractions) > 1 || !isa<FloatType>(type))
      return c.fail("its fractions are neither a number nor a vector");
    ExprAttr size = getSizes(s.values)[s.dim];
    if (size.isConstant(0))
      return c.fail("the dimension has size zero");
    Positions p(b);
    // The sorted dimension comes first, then that of the fractions does.
    int64_t rank = getRank(s.values);
    SmallVector<int64_t> order = {s.dim};
    for (int64_t d = 0; d < rank; ++d)
      if (d != s.dim)
        order.push_back(d);
    Num values(b, b.permute(s.values, order)), numNan = countNan(s);
    if (getRank(numNan) == rank)
      numNan = {b, b.permute(numNan, order)};
    Num q(b, fractions);
    if (getRank(q) == 0)
      q = q.unsqueeze(0);
    for (int64_t d = 1; d < rank; ++d)
      q = q.unsqueeze(d);
    Num numbers = p.size(size) - numNan;
    Num last = max((ignoresNan ? numbers : p.size(size)) - 1, 0);
    Num place = q * last.to(type);
    Sizes sizes = getSizes(values);
    sizes[0] = getSizes(q)[0];
    auto take = [&](Num at) -> Num {
      Value position = b.broadcast(p.clamp(at.to(p.type()), size), sizes);
      return {b, gatherAlong(b, values, position, 0)};
    };
    Num below = floor(place);
    Num result = take(below);
    if (kind == "higher") {
      result = take(place.unary<CeilOp>());
    } else if (kind == "nearest") {
      result = take(place.unary<RoundOp>());
    } else if (kind == "linear" || kind == "midpoint") {
      Num above = take(place.unary<CeilOp>());
      Num weight = kind == "linear" ? place - below : place.number(0.5);
      // From the nearer of both, as the framework interpolates.
      result = select(weight < 0.5, result + weight * (above - result),
                      above - (above - result) * (1 - weight));
    } else if (kind != "lower") {
      return c.fail("its interpolation '" + kind + "' is not known");
    }
    // Without numbers it is NaN, and where one is NaN unless those are ignored.
    Num isMissing = ignoresNan ? numbers == 0 : numNan > 0;
    result =
        select(isMissing, std::numeric_limits<double>::quiet_NaN(), result);
    return c.replace(b.reshape(result, c.resultSizes()));
  };
}

void graph::populateSelectionLegalizations(AtenLegalizations &t) {
  t.add("median", median(/*flat=*/true, /*ignoresNan=*/false));
  t.add("median.dim", median(/*flat=*/false, /*ignoresNan=*/false));
  t.add("nanmedian", median(/*flat=*/true, /*ignoresNan=*/true));
  t.add("nanmedian.dim", median(/*flat=*/false, /*ignoresNan=*/true));
  t.add("kthvalue", legalizeKthValue);
  t.add("mode", legalizeMode);
  t.add("quantile quantile.scalar", quantile(/*ignoresNan=*/false));
  t.add("nanquantile nanquantile.scalar", quantile(/*ignoresNan=*/true));
}
