//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalisation of searches in sorted sequences, by bisection, and of
// histograms.
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

Num graph::bisect(AtenCall &c, ExprAttr size,
                  function_ref<Num(Num position)> isBefore) {
  Positions p(c.b);
  int64_t most = c.getContext().bounds(size).hi, step = 1;
  while (step <= most / 2 && step < (int64_t(1) << 40))
    step *= 2;
  Num count = p.number(0), total = p.size(size);
  if (most <= 0)
    return count;
  for (; step >= 1; step /= 2) {
    Num next = count + static_cast<double>(step);
    Num holds = (next <= total) & isBefore(min(next, total) - 1);
    count = select(holds, next, count);
  }
  return count;
}

/// How many elements of a sorted sequence are before each of `values`; those
/// equal to it, too, if it is to go to their right. A NaN goes behind all. The
/// elements that are compared are those that the framework compares, so that
/// sequences that are not sorted, as those with NaN, give its results.
static Num searchSorted(AtenCall &c, Num sequence, Num values, bool right) {
  TensorBuilder &b = c.b;
  Positions p(b);
  int64_t last = getRank(sequence) - 1;
  ExprAttr size = getSizes(sequence).back();
  int64_t most = c.getContext().bounds(size).hi;
  Num start = p.number(0), end = p.size(size);
  for (int64_t rest = most; rest > 0; rest /= 2) {
    Num isOpen = start < end;
    Num middle = floorDiv(start + end, 2);
    // Of each value, in the sequence of its row.
    Value at = b.broadcast(p.clamp(middle, size), getSizes(values));
    Num element(b, last == 0 ? b.index(sequence, at, 0)
                             : gatherAlong(b, sequence, at, last));
    Num isBefore = right ? !(element > values) : !(element >= values);
    start = select(isOpen & isBefore, middle + 1, start);
    end = select(isOpen & !isBefore, middle, end);
  }
  return {b, b.broadcast(start, getSizes(values))};
}

static AtenHandler searchSorted(StringRef sequenceName) {
  return [=](AtenCall &c) -> LogicalResult {
    TensorBuilder &b = c.b;
    Type type = getPromotedType(c, {sequenceName, "self"});
    Value sequence = type ? c.operand(sequenceName, type) : Value();
    Value values = type ? c.operand("self", type) : Value();
    if (!sequence || !values || getRank(sequence) < 1)
      return c.fail("an operand is missing");
    if (getRank(sequence) > 1 && getRank(sequence) != getRank(values))
      return c.fail("its operands have different ranks");
    if (Value sorter = c.tensor("sorter"))
      sequence = gatherAlong(b, sequence, sorter, getRank(sequence) - 1);
    if (getSizes(sequence).back().isConstant(0))
      return c.replace(filled(b, 0, c.resultElementType(), c.resultSizes()));
    bool right = c.boolOr("right", false) || c.stringOr("side", "") == "right";
    return c.replace(searchSorted(c, {b, sequence}, {b, values}, right));
  };
}

/// isin: whether each element equals one of others; by comparison with each, or
/// by a search in the sorted ones where there are many.
static LogicalResult legalizeIsIn(AtenCall &c) {
  TensorBuilder &b = c.b;
  bool isNumber = c.has("test_element") || c.tensor("test_element");
  StringRef elementsName =
      c.tensor("elements") || c.has("elements") ? "elements" : "element";
  StringRef testName = isNumber ? "test_element" : "test_elements";
  Type type = getPromotedType(c, {elementsName, testName});
  Value elements = type ? c.operand(elementsName, type) : Value();
  Value test = type ? c.operand(testName, type) : Value();
  if (!elements || !test)
    return c.fail("an operand is missing");
  Num tests(b, flatten(b, test));
  ExprAttr size = getSizes(tests)[0];
  std::optional<Num> found;
  if (size.getConstant().value_or(1000) <= 64) {
    Num equal = Num(b, b.unsqueeze(elements, getRank(elements))) == tests;
    found = equal.reduce(ReduceKind::Any, getRank(elements));
  } else {
    auto sorted =
        SortOp::create(b.getBuilder(), b.getLoc(), tests, 0, false, false);
    Num values(b, elements), sequence(b, sorted.getValues());
    Num before = searchSorted(c, sequence, values, false);
    Positions p(b);
    Value at = b.broadcast(p.clamp(before, size), getSizes(values));
    found = Num(b, b.index(sequence, at, 0)) == values;
  }
  return c.replace(c.boolOr("invert", false) ? !*found : *found);
}

//===----------------------------------------------------------------------===//
// Histograms
//===----------------------------------------------------------------------===//

namespace {
/// Where the bins of a dimension begin and end.
struct Interval {
  Num low, high;
};
} // namespace

/// The given range, or that of the elements where there is none; where that is
/// empty, `margin` more on both sides.
static Interval getRange(TensorBuilder &b, Num x, std::optional<double> low,
                         std::optional<double> high, double margin) {
  Type type = x.type();
  Num from(b, b.scalar(low.value_or(0), type)),
      to(b, b.scalar(high.value_or(0), type));
  bool isOfElements = !low || !high;
  ExprAttr count = getSizes(x)[0];
  // A histogram of nothing has bins from 0 to 1.
  if (!low && !high && count.isConstant(0))
    to = to + 1;
  if (isOfElements && !count.isConstant(0)) {
    from = x.reduce(ReduceKind::Min, 0);
    to = x.reduce(ReduceKind::Max, 0);
  }
  if (!isOfElements && *low != *high)
    return {from, to};
  Num isEmpty = from == to;
  return {select(isEmpty, from - margin, from),
          select(isEmpty, to + margin, to)};
}

/// histc: bins of one width, numbered by arithmetic. The last one has its end.
static LogicalResult legalizeHistc(AtenCall &c) {
  TensorBuilder &b = c.b;
  Positions p(b);
  bool isFloat = isa<FloatType>(c.resultElementType());
  Type type = isFloat ? getAccumulationType(c.resultElementType()) : p.type();
  Value given = c.operand("self", type);
  auto bins = c.getInt("bins");
  auto low = c.getFloat("min"), high = c.getFloat("max");
  if (!given || !bins || *bins < 1 || !low || !high)
    return c.fail("its bins are not constant");
  Num x(b, flatten(b, given));
  // An empty range is none.
  if (*low == *high)
    low = high = std::nullopt;
  Interval range = getRange(b, x, low, high, 1);
  Num isInside = (x >= range.low) & (x <= range.high);
  Num distance = (x - range.low) * static_cast<double>(*bins),
      width = range.high - range.low;
  Num bin = isFloat ? (distance / width).to(p.type())
                    : floorDiv(select(isInside, distance, 0), width);
  bin = p.clamp(select(isInside, bin, 0), b.size(*bins));
  Value counts =
      putAt(b, ReduceKind::Sum, filled(b, 0, p.type(), b.size(*bins)),
            Value(bin), isInside.to(p.type()), 0);
  return c.replace(counts);
}

/// Up to as many edges are compared with each element, which is fewer
/// operations than a search that reads them.
static constexpr int64_t kComparedEdges = 16;

/// The bin, between edges that are sorted, of elements that are inside.
static Num findBin(AtenCall &c, Num edge, Num x) {
  TensorBuilder &b = c.b;
  Positions p(b);
  ExprAttr count = getSizes(edge)[0];
  if (count.getConstant().value_or(kComparedEdges + 1) > kComparedEdges)
    return p.clamp(searchSorted(c, edge, x, /*right=*/true) - 1,
                   sym::add(count, -1));
  // The last bin has its end, so only inner edges count.
  Num bin(b, filled(b, 0, p.type(), getSizes(x)));
  for (int64_t i = 1; i + 1 < *count.getConstant(); ++i)
    bin = bin + (Num(b, b.at(edge, 0, b.size(i))) <= x).to(p.type());
  return bin;
}

/// Counts, or sums of weights, of rows `[n, d]` in bins that d vectors of edges
/// divide.
static Value countInBins(AtenCall &c, Value x, ArrayRef<Num> edges,
                         Value weight, bool isDensity) {
  TensorBuilder &b = c.b;
  Type type = getElementType(x);
  SmallVector<Value> indices;
  SmallVector<int64_t> dims;
  Sizes bins;
  std::optional<Num> isInside;
  for (auto [d, edge] : llvm::enumerate(edges)) {
    Num column(b, b.at(x, 1, b.size(d)));
    ExprAttr last = sym::add(getSizes(edge)[0], -1);
    Num low(b, b.at(edge, 0, b.size(0))), high(b, b.at(edge, 0, last));
    Num inside = (column >= low) & (column <= high);
    isInside = isInside ? *isInside & inside : inside;
    indices.push_back(findBin(c, edge, column));
    dims.push_back(d);
    bins.push_back(last);
  }
  Num counted = weight ? Num(b, weight) : Num(b, b.scalar(1, type));
  counted = select(*isInside, counted, 0);
  Num result(b, putAt(b, ReduceKind::Sum, filled(b, 0, type, bins), indices,
                      b.broadcast(counted, getSizes(x)[0]), dims));
  if (!isDensity)
    return result;
  result = result / result.reduce(ReduceKind::Sum, allDims(result));
  for (auto [d, edge] : llvm::enumerate(edges)) {
    ExprAttr one = b.size(1), zero = b.size(0);
    Num width = Num(b, b.slice(edge, 0, one, bins[d])) -
                Num(b, b.slice(edge, 0, zero, bins[d]));
    Sizes sizes(bins.size(), one);
    sizes[d] = bins[d];
    result = result / Num(b, b.reshape(width, sizes));
  }
  return result;
}

/// Edges of bins of one width.
static Num getEdges(TensorBuilder &b, const Interval &range, int64_t bins) {
  return {b, spaced(b, range.low, range.high, b.size(bins + 1))};
}

/// histogram, histogramdd: rows of the operand, of which histogram has one
/// column.
static AtenHandler histogram(bool hasRows) {
  return [=](AtenCall &c) -> LogicalResult {
    TensorBuilder &b = c.b;
    Type type = c.resultElementType();
    Value x = c.operand("self", type);
    if (!x || !isa<FloatType>(type) || (hasRows && getRank(x) < 2))
      return c.fail("its operand is missing");
    ExprAttr columns = hasRows ? getSizes(x).back() : b.size(1);
    auto width = columns.getConstant();
    if (!width || *width < 1)
      return c.fail("the number of its dimensions is not constant");
    ExprAttr rows = sym::getNumElements(cast<RankedTensorType>(x.getType()));
    rows = c.getContext().simplify(sym::floorDiv(rows, columns));
    x = b.reshape(x, {rows, columns});
    SmallVector<Value> given = c.tensors("bins");
    SmallVector<Num> edges;
    if (given.empty()) {
      auto bins = readSpatial(c, "bins", *width, 100);
      auto range = c.getFloats("range");
      if (!bins || (range && static_cast<int64_t>(range->size()) != 2 * *width))
        return c.fail("its bins are not constant");
      for (int64_t d = 0; d < *width; ++d) {
        Num column(b, b.at(x, 1, b.size(d)));
        std::optional<double> low, high;
        if (range) {
          low = (*range)[2 * d];
          high = (*range)[2 * d + 1];
        }
        edges.push_back(
            getEdges(b, getRange(b, column, low, high, 0.5), (*bins)[d]));
      }
    }
    for (Value v : given)
      edges.push_back({b, b.convert(v, type)});
    if (static_cast<int64_t>(edges.size()) != *width ||
        llvm::any_of(edges, [](Num v) { return getRank(v) != 1; }))
      return c.fail("it does not have a vector of edges for each dimension");
    Value weight = c.operand("weight", type);
    if (weight)
      weight = b.reshape(weight, rows);
    SmallVector<Value> results;
    bool onlyEdges = c.op.getName().starts_with("aten._histogramdd_bin_edges.");
    if (!onlyEdges)
      results.push_back(
          countInBins(c, x, edges, weight, c.boolOr("density", false)));
    results.append(edges.begin(), edges.end());
    // Parts of the operator give counts alone.
    if (c.op.getOutputs().size() < results.size())
      results.truncate(c.op.getOutputs().size());
    return c.replace(results);
  };
}

void graph::populateSearchLegalizations(AtenLegalizations &t) {
  t.add("searchsorted.Tensor searchsorted.Scalar",
        searchSorted("sorted_sequence"));
  t.add("bucketize.Tensor bucketize.Scalar", searchSorted("boundaries"));
  t.add("isin.Tensor_Tensor isin.Tensor_Scalar isin.Scalar_Tensor",
        legalizeIsIn);
  t.add("histc", legalizeHistc);
  t.add("histogram.bin_ct histogram.bins_tensor", histogram(false));
  t.add("histogramdd histogramdd.TensorList_bins histogramdd.int_bins "
        "_histogramdd_bin_edges _histogramdd_from_bin_cts "
        "_histogramdd_from_bin_tensors",
        histogram(true));
}
