//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators that write complex numbers at positions. Sums and means are those
// of the parts; products are not.
//
//===----------------------------------------------------------------------===//

#include "ComplexCall.h"
#include "TensorMath.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;

/// `x` multiplied with elements of `source` at positions `index` of one
/// dimension, where positions may occur several times.
///
/// An atomic product of two parts does not exist. But what stands at one place
/// of `dim` in the index names different elements, so a loop over these places
/// multiplies each slice at once, and in the framework's order:
///
///     for i in 0 .. size(index, dim):
///       at = index[.., i, ..]
///       x = scatter(x, at, gather(x, at) * source[.., i, ..])
static ComplexParts multiplyAt(TensorBuilder &b, ComplexParts x, Value index,
                               ComplexParts source, int64_t dim) {
  OpBuilder &builder = b.getBuilder();
  Location loc = b.getLoc();
  Positions p(b);
  Num count = p.size(getSizes(index)[dim]);
  Value inits[] = {p.number(0), x.re, x.im};
  TypeRange types = ValueRange(inits).getTypes();
  auto loop = WhileOp::create(builder, loc, types, inits);
  SmallVector<Location> locs(3, loc);
  OpBuilder::InsertionGuard guard(builder);
  Block *condition = builder.createBlock(&loop.getCondition(), {}, types, locs);
  ConditionOp::create(builder, loc, Num(b, condition->getArgument(0)) < count);
  Block *body = builder.createBlock(&loop.getBody(), {}, types, locs);
  Num place(b, body->getArgument(0));
  ComplexParts all = {body->getArgument(1), body->getArgument(2)};
  auto take = [&](Value v) { return b.index(v, b.unsqueeze(place, 0), dim); };
  Value at = take(index);
  // The source may be larger than the index.
  auto factor = [&](Value part) {
    Value taken = take(part);
    for (auto [d, size] : llvm::enumerate(getSizes(at)))
      taken = b.slice(taken, d, b.size(0), size);
    return taken;
  };
  ComplexParts product = ComplexMath(b).mul(
      {gatherAlong(b, all.re, at, dim), gatherAlong(b, all.im, at, dim)},
      {factor(source.re), factor(source.im)});
  YieldOp::create(builder, loc,
                  {place + 1,
                   scatterAlong(b, std::nullopt, all.re, at, product.re, dim),
                   scatterAlong(b, std::nullopt, all.im, at, product.im, dim)});
  builder.setInsertionPointAfter(loop);
  return {loop.getResult(1), loop.getResult(2)};
}

/// The product of what is written to each element and, unless `include_self`
/// says otherwise, of the element itself. `index` has the rank of `x`.
static LogicalResult replaceByProduct(ComplexCall &c, ComplexParts x,
                                      Value index, ComplexParts source,
                                      int64_t dim) {
  TensorBuilder &b = c.b;
  auto include = dyn_cast_or_null<BoolAttr>(c.op.getArgument("include_self"));
  if (include && !include.getValue()) {
    ComplexParts one = c.math.number(1, 0, c.getComputeType());
    Sizes sizes = getSizes(index);
    x = {scatterAlong(b, std::nullopt, x.re, index, b.broadcast(one.re, sizes),
                      dim),
         scatterAlong(b, std::nullopt, x.im, index, b.broadcast(one.im, sizes),
                      dim)};
  }
  ComplexParts product = multiplyAt(b, x, index, source, dim);
  return c.replace(ComplexParts{b.reshape(product.re, c.resultSizes()),
                                b.reshape(product.im, c.resultSizes())});
}

/// The argument `dim` of a tensor of `rank`.
static std::optional<int64_t> getDim(ComplexCall &c, int64_t rank) {
  auto attr = dyn_cast_or_null<IntegerAttr>(c.op.getArgument("dim"));
  if (!attr)
    return std::nullopt;
  int64_t dim = attr.getInt() < 0 ? attr.getInt() + rank : attr.getInt();
  return dim >= 0 && dim < rank ? std::optional(dim) : std::nullopt;
}

static Value atLeast1D(TensorBuilder &b, Value x) {
  return getRank(x) == 0 ? b.unsqueeze(x, 0) : x;
}

static ComplexParts atLeast1D(TensorBuilder &b, ComplexParts x) {
  return {atLeast1D(b, x.re), atLeast1D(b, x.im)};
}

/// scatter, scatter_reduce: sums and means by parts.
static LogicalResult expandScatter(ComplexCall &c) {
  auto reduce = dyn_cast_or_null<StringAttr>(c.op.getArgument("reduce"));
  StringRef kind = reduce ? reduce.getValue() : "";
  if (kind == "" || kind == "add" || kind == "sum" || kind == "mean")
    return expandByParts(c);
  if (kind != "multiply" && kind != "prod")
    return c.fail("complex numbers have no order");
  TensorBuilder &b = c.b;
  ComplexParts x = c.get("self"), source = c.get("src"), value = c.get("value");
  Value index = c.op.getTensor("index");
  if (!x.re || !index || (!source.re && !value.re))
    return c.fail("an operand is missing");
  x = atLeast1D(b, x);
  index = atLeast1D(b, toIndex(b, index));
  if (hasNoElements(index))
    return c.replace(ComplexParts{b.reshape(x.re, c.resultSizes()),
                                  b.reshape(x.im, c.resultSizes())});
  if (source.re)
    source = atLeast1D(b, source);
  else
    source = {b.broadcast(b.reshape(value.re, {}), getSizes(index)),
              b.broadcast(b.reshape(value.im, {}), getSizes(index))};
  auto dim = getDim(c, getRank(x.re));
  if (!dim || getRank(index) != getRank(x.re) ||
      getRank(source.re) != getRank(x.re))
    return c.fail("operand, index and source have different ranks");
  return replaceByProduct(c, x, index, source, *dim);
}

/// index_reduce: means by parts.
static LogicalResult expandIndexReduce(ComplexCall &c) {
  auto reduce = dyn_cast_or_null<StringAttr>(c.op.getArgument("reduce"));
  if (reduce && reduce.getValue() == "mean")
    return expandByParts(c);
  if (!reduce || reduce.getValue() != "prod")
    return c.fail("complex numbers have no order");
  TensorBuilder &b = c.b;
  ComplexParts x = c.get("self"), source = c.get("source");
  Value index = c.op.getTensor("index");
  if (!x.re || !source.re || !index)
    return c.fail("an operand is missing");
  x = atLeast1D(b, x);
  source = atLeast1D(b, source);
  index = atLeast1D(b, toIndex(b, index));
  auto dim = getDim(c, getRank(x.re));
  if (!dim || getRank(index) != 1 || getRank(source.re) != getRank(x.re))
    return c.fail("operand and source have different ranks");
  // The same position for everything that stands at one place.
  for (int64_t d = 0, rank = getRank(x.re); d < rank; ++d)
    if (d != *dim)
      index = b.unsqueeze(index, d);
  // Sizes that are equal at run time, made recognisably so.
  Sizes sizes = getSizes(x.re);
  sizes[*dim] = getSizes(index)[*dim];
  source = {b.castSizes(source.re, sizes), b.castSizes(source.im, sizes)};
  return replaceByProduct(c, x, b.broadcast(index, sizes), source, *dim);
}

/// index_add: `alpha` may be complex, then the source is multiplied with it.
static LogicalResult expandIndexAdd(ComplexCall &c) {
  if (!isa_and_nonnull<DictionaryAttr>(c.op.getArgument("alpha")))
    return expandByParts(c);
  ComplexParts x = c.get("self"), source = c.get("source"),
               alpha = c.get("alpha");
  Value index = c.op.getTensor("index");
  if (!x.re || !source.re || !index)
    return c.fail("an operand is missing");
  source = c.math.mul(source, alpha);
  SmallVector<NamedAttribute> arguments;
  for (NamedAttribute argument : c.op.getArguments())
    if (argument.getName() != "alpha")
      arguments.push_back(argument);
  auto call = [&](Value self, Value added) {
    return c.call(c.op.getName(),
                  {{"self", self}, {"index", index}, {"source", added}},
                  arguments, c.resultSizes(), c.getComputeType());
  };
  return c.replace(ComplexParts{call(x.re, source.re), call(x.im, source.im)});
}

void graph::populateComplexScatter(ComplexExpansions &t) {
  t.add("scatter scatter_reduce", expandScatter);
  t.add("index_reduce", expandIndexReduce);
  t.add("index_add", expandIndexAdd);
}
