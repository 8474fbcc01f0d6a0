//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalisation of operators that take elements by their rank in an order:
// median, kthvalue, mode. All of them sort.
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

namespace {

/// The operand, sorted along a dimension, which is kept with one element in
/// what is taken of it.
struct Sorted {
  Num values, positions;
  int64_t dim;
  bool isScalar, keepdims;
};

} // namespace

/// Sorts `self` along `dim`, or as a vector where there is no dimension.
static FailureOr<Sorted> sortOperand(AtenCall &c, bool flat) {
  TensorBuilder &b = c.b;
  Value x = c.tensor("self");
  if (!x) {
    (void)c.fail("its operand is missing");
    return failure();
  }
  bool isScalar = getRank(x) == 0;
  if (isScalar)
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
  auto op = SortOp::create(b.getBuilder(), b.getLoc(), x, *dim,
                           /*descending=*/false, /*stable=*/true);
  return Sorted{{b, op.getValues()},
                {b, op.getIndices()},
                *dim,
                isScalar,
                c.boolOr("keepdim", false)};
}

/// Replaces the operator by the elements at places of the sorted dimension.
static LogicalResult takeAt(AtenCall &c, const Sorted &s, Num place) {
  TensorBuilder &b = c.b;
  Sizes sizes = getSizes(s.values);
  sizes[s.dim] = b.size(1);
  Value at = b.broadcast(place, sizes);
  SmallVector<Value> results;
  for (Value v : {Value(s.values), Value(s.positions)}) {
    Value taken = gatherAlong(b, v, at, s.dim);
    if (results.size() < c.op.getOutputs().size())
      results.push_back(b.reshape(taken, c.resultSizes(results.size())));
  }
  return c.replace(results);
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
    FailureOr<Sorted> s = sortOperand(c, flat);
    if (failed(s))
      return failure();
    TensorBuilder &b = c.b;
    ExprAttr size = getSizes(s->values)[s->dim];
    if (size.isConstant(0)) {
      // Of nothing it is NaN, for the whole tensor.
      if (flat && isa<FloatType>(s->values.type()))
        return c.replace(b.scalar(std::numeric_limits<double>::quiet_NaN(),
                                  c.resultElementType()));
      return c.fail("the dimension has size zero");
    }
    Positions p(b);
    Num count = p.size(size), numNan = countNan(*s), numbers = count - numNan;
    Num place = floorDiv(max((ignoresNan ? numbers : count) - 1, 0), 2);
    if (!ignoresNan)
      place = select(numNan > 0, numbers, place);
    return takeAt(c, *s, place);
  };
}

static LogicalResult legalizeKthValue(AtenCall &c) {
  ExprAttr k = c.getExpr("k");
  FailureOr<Sorted> s = sortOperand(c, /*flat=*/false);
  if (failed(s))
    return failure();
  ExprAttr size = getSizes(s->values)[s->dim];
  if (!k || size.isConstant(0))
    return c.fail("its number is not known");
  if ((k.isConstant() && k.getValue() < 1) ||
      failed(c.stateAtMost(k, size,
                           "the number of an element is inside its dimension")))
    return c.fail("its number is outside the dimension");
  return takeAt(c, *s, Positions(c.b).size(sym::add(k, -1)));
}

/// mode: the most frequent element, the least of them, and where it is last.
static LogicalResult legalizeMode(AtenCall &c) {
  FailureOr<Sorted> s = sortOperand(c, /*flat=*/false);
  if (failed(s))
    return failure();
  TensorBuilder &b = c.b;
  ExprAttr size = getSizes(s->values)[s->dim];
  if (size.isConstant(0))
    return c.fail("the dimension has size zero");
  Positions p(b);
  int64_t rank = getRank(s->values);
  Num at = p.iota(size);
  for (int64_t d = s->dim + 1; d < rank; ++d)
    at = at.unsqueeze(getRank(at));
  // How many elements up to each are equal to it: since the last that began a
  // run of equal ones.
  Value before =
      b.index(s->values, Value(p.clamp(p.iota(size) - 1, size)), s->dim);
  Num begins = (s->values != Num(b, before)) | (at == 0);
  Num start = select(begins, at, 0);
  Num last(b, ScanOp::create(b.getBuilder(), b.getLoc(), ScanKind::Max, start,
                             static_cast<uint64_t>(s->dim))
                  .getResult());
  Num length = at - last;
  auto longest =
      ArgReduceOp::create(b.getBuilder(), b.getLoc(), ReduceKind::Max, length,
                          s->dim, /*keepdims=*/true);
  return takeAt(c, *s, {b, longest.getPositions()});
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
    FailureOr<Sorted> s = sortOperand(c, /*flat=*/!c.has("dim"));
    if (failed(s))
      return failure();
    if (!fractions || getRank(fractions) > 1 || !isa<FloatType>(type))
      return c.fail("its fractions are neither a number nor a vector");
    ExprAttr size = getSizes(s->values)[s->dim];
    if (size.isConstant(0))
      return c.fail("the dimension has size zero");
    Positions p(b);
    // The sorted dimension comes first, then that of the fractions does.
    int64_t rank = getRank(s->values);
    SmallVector<int64_t> order = {s->dim};
    for (int64_t d = 0; d < rank; ++d)
      if (d != s->dim)
        order.push_back(d);
    Num values(b, b.permute(s->values, order)), numNan = countNan(*s);
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
