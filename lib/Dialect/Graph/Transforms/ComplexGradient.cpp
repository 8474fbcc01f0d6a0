//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gradients along places that are complex numbers.
//
//===----------------------------------------------------------------------===//

#include "ComplexCall.h"
#include "TensorMath.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

namespace {

/// A complex tensor in a formula.
struct Term {
  ComplexMath *math;
  ComplexParts parts;

  Term operator+(Term y) const { return {math, math->add(parts, y.parts)}; }
  Term operator-(Term y) const { return {math, math->sub(parts, y.parts)}; }
  Term operator*(Term y) const { return {math, math->mul(parts, y.parts)}; }
  Term operator/(Term y) const { return {math, math->div(parts, y.parts)}; }
  Term operator-() const { return {math, math->neg(parts)}; }

  /// `count` elements along a dimension from `start` on.
  Term slice(int64_t dim, ExprAttr start, ExprAttr count) const {
    TensorBuilder &b = math->b;
    return {math,
            {b.slice(parts.re, dim, start, count),
             b.slice(parts.im, dim, start, count)}};
  }
  /// All elements but the first `low` and the last `high`.
  Term inner(int64_t dim, int64_t low, int64_t high) const {
    ExprAttr count = sym::add(getSizes(parts.re)[dim], -low - high);
    return slice(dim, math->b.size(low), count);
  }
  /// One element, counted from the end if negative.
  Term at(int64_t dim, int64_t i) const {
    ExprAttr size = getSizes(parts.re)[dim];
    return slice(dim, i < 0 ? sym::add(size, i) : math->b.size(i),
                 math->b.size(1));
  }
  Term reshape(SizesRef sizes) const {
    TensorBuilder &b = math->b;
    return {math, {b.reshape(parts.re, sizes), b.reshape(parts.im, sizes)}};
  }
};

} // namespace

/// The derivative along a dimension whose elements are at `places`, a vector:
/// of the second order inside, of order `edgeOrder` at both ends.
static ComplexParts differentiate(Term x, Term places, int64_t dim,
                                  int64_t edgeOrder) {
  TensorBuilder &b = x.math->b;
  // Distances from each element to the next, along the dimension.
  Term gaps = places.inner(0, 1, 0) - places.inner(0, 0, 1);
  Sizes sizes(getRank(x.parts.re) - dim, b.size(1));
  sizes[0] = getSizes(gaps.parts.re)[0];
  gaps = gaps.reshape(sizes);
  Term before = gaps.inner(0, 0, 1), behind = gaps.inner(0, 1, 0),
       sum = before + behind;
  Term inside = x.inner(dim, 0, 2) * (-behind / (before * sum)) +
                x.inner(dim, 1, 1) * ((behind - before) / (before * behind)) +
                x.inner(dim, 2, 0) * (before / (behind * sum));
  auto end = [&](int64_t i, int64_t next, int64_t third, int64_t gap,
                 int64_t far) {
    Term near = gaps.at(0, gap);
    if (edgeOrder == 1)
      return (x.at(dim, next) - x.at(dim, i)) / near;
    Term beyond = gaps.at(0, far), both = near + beyond;
    return -(near + both) / (near * both) * x.at(dim, i) +
           both / (near * beyond) * x.at(dim, next) -
           near / (beyond * both) * x.at(dim, third);
  };
  Term first = end(0, 1, 2, 0, 1), last = -end(-1, -2, -3, -1, -2);
  auto cat = [&](Value a, Value middle, Value z) {
    return b.cat({a, middle, z}, dim);
  };
  return {cat(first.parts.re, inside.parts.re, last.parts.re),
          cat(first.parts.im, inside.parts.im, last.parts.im)};
}

LogicalResult graph::expandGradientAtPlaces(ComplexCall &c) {
  Value self = c.op.getTensor("self");
  SmallVector<Value> spacing = c.op.getTensors("spacing");
  if (!self || getRank(self) == 0)
    return c.fail("its operand has no dimension");
  int64_t rank = getRank(self);
  SmallVector<int64_t> dims = allDims(self);
  Attribute given = c.op.getArgument("dim");
  if (auto list = dyn_cast_or_null<DenseI64ArrayAttr>(given))
    dims.assign(list.asArrayRef().begin(), list.asArrayRef().end());
  else if (auto one = dyn_cast_or_null<IntegerAttr>(given))
    dims.assign(1, one.getInt());
  else if (given)
    return c.fail("its dimensions are not constant");
  auto order = dyn_cast_or_null<IntegerAttr>(c.op.getArgument("edge_order"));
  int64_t edgeOrder = order ? order.getInt() : 1;
  if (edgeOrder < 1 || edgeOrder > 2)
    return c.fail("the order at its ends is neither 1 nor 2");
  if (dims.size() != spacing.size() || dims.size() != c.op.getOutputs().size())
    return c.fail("its numbers of indices and results differ");
  Type type = c.getComputeType();
  SmallVector<ComplexParts> results;
  for (auto [dim, places] : llvm::zip(dims, spacing)) {
    int64_t d = dim < 0 ? dim + rank : dim;
    if (d < 0 || d >= rank || getRank(places) != 1)
      return c.fail("its dimensions are invalid");
    results.push_back(differentiate({&c.math, c.partsOf(self, type)},
                                    {&c.math, c.partsOf(places, type)}, d,
                                    edgeOrder));
  }
  return c.replace(results);
}
