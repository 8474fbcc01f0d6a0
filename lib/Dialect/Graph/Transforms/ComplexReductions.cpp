//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators of complex numbers along dimensions: norms and distances, which are
// those of magnitudes, and products and logarithms of sums.
//
//===----------------------------------------------------------------------===//

#include "ComplexCall.h"
#include "TensorMath.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

static std::optional<int64_t> getDim(ComplexCall &c, int64_t rank) {
  auto attr = dyn_cast_or_null<IntegerAttr>(c.op.getArgument("dim"));
  if (!attr)
    return std::nullopt;
  int64_t dim = attr.getInt() < 0 ? attr.getInt() + std::max<int64_t>(rank, 1)
                                  : attr.getInt();
  return dim >= 0 && dim < std::max<int64_t>(rank, 1) ? std::optional(dim)
                                                      : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Norms and distances
//===----------------------------------------------------------------------===//

LogicalResult graph::expandOfMagnitude(ComplexCall &c) {
  SmallVector<Value> operands;
  for (Value operand : c.op.getInputs()) {
    if (!ComplexCall::isComplex(operand))
      return c.fail("an operand is not complex");
    operands.push_back(c.math.abs(c.partsOf(operand, c.getComputeType())));
  }
  SmallVector<NamedAttribute> arguments;
  for (NamedAttribute argument : c.op.getArguments()) {
    if (auto type = dyn_cast<TypeAttr>(argument.getValue()))
      if (Type part = getPartType(type.getValue()))
        argument.setValue(TypeAttr::get(part));
    arguments.push_back(argument);
  }
  SmallVector<Value> made =
      c.clone(operands, DictionaryAttr::get(c.op.getContext(), arguments));
  return c.replaceReal(made.front());
}

/// The norm of a difference.
static LogicalResult expandDist(ComplexCall &c) {
  ComplexParts x = c.get("self"), y = c.get("other");
  if (!x.re || !y.re)
    return c.fail("an operand is missing");
  Value distance = c.math.abs(c.math.sub(x, y));
  Value zero = c.b.scalar(0, c.getComputeType());
  SmallVector<NamedAttribute> arguments(c.op.getArguments().getValue());
  return c.replaceReal(c.call(c.op.getName(),
                              {{"self", distance}, {"other", zero}}, arguments,
                              {}, c.getComputeType()));
}

/// The norm along the last dimension of the difference of two operands and
/// `eps`; null where one is missing.
static Value getPairwiseDistance(ComplexCall &c, StringRef x, StringRef y,
                                 Attribute p, bool keepdim) {
  ComplexParts left = c.get(x), right = c.get(y), eps = c.get("eps");
  if (!left.re || !right.re)
    return {};
  ComplexParts difference = c.math.sub(left, right);
  if (eps.re)
    difference.re = c.b.add(difference.re, eps.re);
  Value magnitude = c.math.abs(difference);
  if (getRank(magnitude) == 0) {
    // A scalar is a vector of one element.
    magnitude = c.b.unsqueeze(magnitude, 0);
    keepdim = false;
  }
  Sizes sizes = getSizes(magnitude);
  sizes.pop_back();
  if (keepdim)
    sizes.push_back(c.b.size(1));
  Builder &builder = c.b.getBuilder();
  if (!p)
    p = builder.getF64FloatAttr(2);
  return c.call("aten.linalg_vector_norm.default", {{"self", magnitude}},
                {builder.getNamedAttr("ord", p),
                 builder.getNamedAttr("dim", builder.getDenseI64ArrayAttr(-1)),
                 builder.getNamedAttr("keepdim", builder.getBoolAttr(keepdim))},
                sizes, c.getComputeType());
}

static LogicalResult expandPairwiseDistance(ComplexCall &c) {
  auto keepdim = dyn_cast_or_null<BoolAttr>(c.op.getArgument("keepdim"));
  Value distance = getPairwiseDistance(c, "x1", "x2", c.op.getArgument("p"),
                                       keepdim && keepdim.getValue());
  return distance ? c.replaceReal(distance) : c.fail("an operand is missing");
}

/// How much nearer than another one a point has to be.
static LogicalResult expandTripletMargin(ComplexCall &c) {
  auto distance = [&](StringRef x, StringRef y) {
    return getPairwiseDistance(c, x, y, c.op.getArgument("p"), false);
  };
  Value near = distance("anchor", "positive"),
        far = distance("anchor", "negative");
  if (!near || !far)
    return c.fail("an operand is missing");
  auto swap = dyn_cast_or_null<BoolAttr>(c.op.getArgument("swap"));
  if (swap && swap.getValue())
    far = c.b.binary<MinimumOp>(far, distance("positive", "negative"));
  Builder &builder = c.b.getBuilder();
  SmallVector<NamedAttribute> arguments;
  for (StringRef name : {"margin", "reduction"})
    if (Attribute value = c.op.getArgument(name))
      arguments.push_back(builder.getNamedAttr(name, value));
  if (!c.op.getArgument("margin"))
    arguments.push_back(
        builder.getNamedAttr("margin", builder.getF64FloatAttr(1)));
  Type type = c.getComputeType();
  return c.replaceReal(c.call(
      "aten.margin_ranking_loss.default",
      {{"input1", far}, {"input2", near}, {"target", c.b.scalar(1, type)}},
      arguments, c.resultSizes(), type));
}

/// Parts along a dimension that are longer than a number are shortened to it.
static LogicalResult expandRenorm(ComplexCall &c) {
  TensorBuilder &b = c.b;
  ComplexParts x = c.get("self"), limit = c.get("maxnorm");
  Attribute p = c.op.getArgument("p");
  int64_t rank = x.re ? getSizes(x.re).size() : 0;
  std::optional<int64_t> dim = getDim(c, rank);
  if (!x.re || !limit.re || !p || !dim || rank < 2)
    return c.fail("an operand is missing");
  SmallVector<int64_t> others;
  Sizes sizes(rank, b.size(1));
  for (int64_t d = 0; d < rank; ++d)
    if (d != *dim)
      others.push_back(d);
  sizes[*dim] = getSizes(x.re)[*dim];
  Builder &builder = b.getBuilder();
  Type type = c.getComputeType();
  Value norm =
      c.call("aten.linalg_vector_norm.default", {{"self", c.math.abs(x)}},
             {builder.getNamedAttr("ord", p),
              builder.getNamedAttr("dim", builder.getDenseI64ArrayAttr(others)),
              builder.getNamedAttr("keepdim", builder.getBoolAttr(true))},
             sizes, type);
  return c.replace(c.math.scale(x, renormFactor(b, norm, limit.re)));
}

/// The rows that are named, and are longer than a number, are shortened to it.
static LogicalResult expandEmbeddingRenorm(ComplexCall &c) {
  TensorBuilder &b = c.b;
  ComplexParts x = c.get("self"), limit = c.get("max_norm");
  Value indices = c.op.getTensor("indices");
  Attribute p = c.op.getArgument("norm_type");
  if (!x.re || !indices || !limit.re || !p || getRank(x.re) != 2)
    return c.fail("an operand is missing");
  if (hasNoElements(indices))
    return c.replace(x);
  Builder &builder = b.getBuilder();
  Value norm =
      c.call("aten.linalg_vector_norm.default", {{"self", c.math.abs(x)}},
             {builder.getNamedAttr("ord", p),
              builder.getNamedAttr("dim", builder.getDenseI64ArrayAttr(1)),
              builder.getNamedAttr("keepdim", builder.getBoolAttr(true))},
             {getSizes(x.re)[0], b.size(1)}, c.getComputeType());
  return c.replace(c.math.scale(x, renormFactor(b, norm, limit.re, indices)));
}

/// _weight_norm: directions `v`, each with the length that `g` says.
static LogicalResult expandWeightNorm(ComplexCall &c) {
  TensorBuilder &b = c.b;
  ComplexParts v = c.get("v"), g = c.get("g");
  if (!v.re || !g.re)
    return c.fail("an operand is missing");
  auto given = dyn_cast_or_null<IntegerAttr>(c.op.getArgument("dim"));
  int64_t dim = given ? given.getInt() : 0, rank = getRank(v.re);
  Sizes sizes;
  if (dim != -1) {
    dim = dim < 0 ? dim + rank : dim;
    if (dim < 0 || dim >= rank)
      return c.fail("'dim' is not a dimension");
    sizes.assign(rank, b.size(1));
    sizes[dim] = getSizes(v.re)[dim];
  }
  Builder &builder = b.getBuilder();
  Value norm =
      c.call("aten.norm_except_dim.default", {{"v", c.math.abs(v)}},
             {builder.getNamedAttr("pow", builder.getI64IntegerAttr(2)),
              builder.getNamedAttr("dim", builder.getI64IntegerAttr(dim))},
             sizes, c.getComputeType());
  Value zero = filled(b, 0, c.getComputeType(), sizes);
  return c.replace(c.math.mul(v, c.math.div(g, {norm, zero})));
}

/// The mean distance, or the sum.
static LogicalResult expandL1Loss(ComplexCall &c) {
  ComplexParts x = c.get("self"), y = c.get("target");
  if (!x.re || !y.re)
    return c.fail("an operand is missing");
  Type type = c.getComputeType();
  Value distance = c.math.abs(c.math.sub(x, y));
  Value zeros =
      c.b.full(c.b.getBuilder().getFloatAttr(type, 0), getSizes(distance));
  SmallVector<NamedAttribute> arguments(c.op.getArguments().getValue());
  return c.replaceReal(c.call(c.op.getName(),
                              {{"self", distance}, {"target", zeros}},
                              arguments, c.resultSizes(), type));
}

//===----------------------------------------------------------------------===//
// Products and logarithms of sums
//===----------------------------------------------------------------------===//

static ComplexParts slice(TensorBuilder &b, ComplexParts x, int64_t dim,
                          int64_t start, int64_t count) {
  auto part = [&](Value v) {
    return b.slice(v, dim, b.size(start), b.size(count));
  };
  return {part(x.re), part(x.im)};
}

static ComplexParts cat(TensorBuilder &b, ComplexParts x, ComplexParts y,
                        int64_t dim) {
  return {b.cat({x.re, y.re}, dim), b.cat({x.im, y.im}, dim)};
}

using Combine = ComplexParts (ComplexMath::*)(ComplexParts, ComplexParts);

/// What is combined of each element and all before it, by doubling, for any
/// size: in a loop, whose distances are 1, 2, 4, ...
static ComplexParts scanInLoop(TensorBuilder &b, ComplexParts x, int64_t dim,
                               Combine combine) {
  ComplexMath math(b);
  OpBuilder &builder = b.getBuilder();
  Location loc = b.getLoc();
  ExprAttr size = getSizes(x.re)[dim];
  int64_t rank = getRank(x.re);
  Value one = b.scalar(builder.getI64IntegerAttr(1));
  Value inits[] = {one, x.re, x.im};
  TypeRange types = ValueRange(inits).getTypes();
  auto loop = WhileOp::create(builder, loc, types, inits);
  SmallVector<Location> locs(3, loc);
  OpBuilder::InsertionGuard guard(builder);
  Block *condition = builder.createBlock(&loop.getCondition(), {}, types, locs);
  Positions p(b);
  ConditionOp::create(builder, loc,
                      Num(b, condition->getArgument(0)) < p.size(size));
  Block *body = builder.createBlock(&loop.getBody(), {}, types, locs);
  Num distance(b, body->getArgument(0));
  ComplexParts all = {body->getArgument(1), body->getArgument(2)};
  Num before = p.iota(size) - distance;
  Num exists = before >= 0;
  for (int64_t d = dim + 1; d < rank; ++d)
    exists = exists.unsqueeze(getRank(exists));
  auto take = [&](Value part) {
    return b.index(part, Value(max(before, 0)), dim);
  };
  ComplexParts combined = (math.*combine)(all, {take(all.re), take(all.im)});
  YieldOp::create(builder, loc,
                  {distance + distance, b.select(exists, combined.re, all.re),
                   b.select(exists, combined.im, all.im)});
  builder.setInsertionPointAfter(loop);
  return {loop.getResult(1), loop.getResult(2)};
}

ComplexParts graph::multiplyAlong(TensorBuilder &b, ComplexParts x,
                                  int64_t dim) {
  ComplexMath math(b);
  std::optional<int64_t> size = getSizes(x.re)[dim].getConstant();
  Sizes sizes = getSizes(x.re);
  sizes[dim] = b.size(1);
  ComplexParts one = math.number(1, 0, getElementType(x.re));
  one = {b.broadcast(one.re, sizes), b.broadcast(one.im, sizes)};
  if (!size) {
    // The last of all products, of which the first is that of nothing.
    x = scanInLoop(b, cat(b, one, x, dim), dim, &ComplexMath::mul);
    ExprAttr last = sym::add(getSizes(x.re)[dim], -1);
    return {b.slice(x.re, dim, last, b.size(1)),
            b.slice(x.im, dim, last, b.size(1))};
  }
  if (*size == 0)
    return one;
  // Halves are multiplied until one is left.
  for (int64_t n = *size; n > 1;) {
    int64_t half = n / 2;
    ComplexParts product =
        math.mul(slice(b, x, dim, 0, half), slice(b, x, dim, half, half));
    x = n % 2 ? cat(b, product, slice(b, x, dim, n - 1, 1), dim) : product;
    n = half + n % 2;
  }
  return x;
}

/// Calls of which `dtype` is real: what is combined are real parts.
static LogicalResult expandOfRealParts(ComplexCall &c) {
  ComplexParts x = c.get("self");
  if (!x.re || c.op.getInputs().size() != 1)
    return c.fail("an operand is missing");
  return c.replaceReal(c.clone(x.re, c.op.getArguments()).front());
}

static LogicalResult expandProd(ComplexCall &c) {
  if (!ComplexCall::isComplex(c.op.getOutputs()[0]))
    return expandOfRealParts(c);
  TensorBuilder &b = c.b;
  ComplexParts x = c.get("self");
  int64_t rank = getSizes(x.re).size();
  if (!c.op.getArgument("dim")) {
    sym::ExprAttr count = sym::product(b.getContext(), getSizes(x.re));
    x = {b.reshape(x.re, {count}), b.reshape(x.im, {count})};
  }
  std::optional<int64_t> dim =
      c.op.getArgument("dim") ? getDim(c, rank) : std::optional<int64_t>(0);
  if (!dim)
    return c.fail("'dim' is not a dimension");
  if (getSizes(x.re).empty())
    return c.replace(x);
  ComplexParts product = multiplyAlong(b, x, *dim);
  return c.replace(ComplexParts{b.reshape(product.re, c.resultSizes()),
                                b.reshape(product.im, c.resultSizes())});
}

/// What is combined of all that is before, by doubling.
static LogicalResult expandScan(ComplexCall &c, Combine combine) {
  if (!ComplexCall::isComplex(c.op.getOutputs()[0]))
    return expandOfRealParts(c);
  TensorBuilder &b = c.b;
  ComplexParts x = c.get("self");
  int64_t rank = getSizes(x.re).size();
  if (rank == 0)
    return c.replace(x);
  std::optional<int64_t> dim = getDim(c, rank);
  if (!dim)
    return c.fail("'dim' is not a dimension");
  std::optional<int64_t> size = getSizes(x.re)[*dim].getConstant();
  if (!size)
    return c.replace(scanInLoop(b, x, *dim, combine));
  for (int64_t distance = 1; distance < *size; distance *= 2)
    x = cat(b, slice(b, x, *dim, 0, distance),
            (c.math.*combine)(slice(b, x, *dim, distance, *size - distance),
                              slice(b, x, *dim, 0, *size - distance)),
            *dim);
  return c.replace(x);
}

/// Powers of a vector's elements, from the zeroth on, as the last dimension.
static LogicalResult expandVander(ComplexCall &c) {
  TensorBuilder &b = c.b;
  ComplexParts x = c.get("x");
  if (!x.re)
    return c.fail("its operand is missing");
  int64_t last = getSizes(x.re).size();
  x = {b.unsqueeze(x.re, last), b.unsqueeze(x.im, last)};
  ComplexParts one = c.math.number(1, 0, c.getComputeType());
  ComplexParts power = {b.broadcast(one.re, getSizes(x.re)),
                        b.broadcast(one.im, getSizes(x.re))};
  std::optional<int64_t> count = c.resultSizes().back().getConstant();
  if (!count) {
    // Products of 1, x, x, ...
    Sizes sizes = c.resultSizes();
    sizes.back() = sym::add(sizes.back(), -1);
    ComplexParts repeated = {b.broadcast(x.re, sizes),
                             b.broadcast(x.im, sizes)};
    return c.replace(
        scanInLoop(b, cat(b, power, repeated, last), last, &ComplexMath::mul));
  }
  if (*count < 1)
    return c.fail("it has no powers");
  SmallVector<Value> re = {power.re}, im = {power.im};
  for (int64_t i = 1; i < *count; ++i) {
    power = i == 1 ? x : c.math.mul(power, x);
    re.push_back(power.re);
    im.push_back(power.im);
  }
  return c.replace(ComplexParts{b.cat(re, last), b.cat(im, last)});
}

/// vander: the powers from the highest down, unless they are to increase.
static LogicalResult expandVanderDown(ComplexCall &c) {
  if (failed(expandVander(c)))
    return failure();
  auto increasing = dyn_cast_or_null<BoolAttr>(c.op.getArgument("increasing"));
  if (increasing && increasing.getValue())
    return success();
  ComplexParts &powers = c.results.front();
  int64_t last = getRank(powers.re) - 1;
  powers = {flipDims(c.b, powers.re, last), flipDims(c.b, powers.im, last)};
  return success();
}

/// log(sum(e^x)), by the largest real part.
static LogicalResult expandLogSumExp(ComplexCall &c) {
  TensorBuilder &b = c.b;
  ComplexParts x = c.get("self");
  auto listed = dyn_cast_or_null<DenseI64ArrayAttr>(c.op.getArgument("dim"));
  if (!x.re)
    return c.fail("its operand is missing");
  int64_t rank = getSizes(x.re).size();
  SmallVector<int64_t> dims;
  for (int64_t d : listed ? listed.asArrayRef() : ArrayRef<int64_t>()) {
    if (rank != 0)
      dims.push_back(d < 0 ? d + rank : d);
    if (rank != 0 && (dims.back() < 0 || dims.back() >= rank))
      return c.fail("'dim' is not a dimension");
  }
  if (listed && listed.empty())
    dims = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (!listed)
    return c.fail("its dimensions are not constant");
  llvm::sort(dims);
  for (int64_t d : dims)
    if (getSizes(x.re)[d].isConstant(0)) {
      // The logarithm of no sum.
      Type part = c.getComputeType();
      Builder &builder = b.getBuilder();
      return c.replace(ComplexParts{
          b.full(builder.getFloatAttr(part,
                                      -std::numeric_limits<double>::infinity()),
                 c.resultSizes()),
          b.full(builder.getFloatAttr(part, 0), c.resultSizes())});
    }
  Type type = c.getComputeType();
  Value most = b.reduce(ReduceKind::Max, x.re, dims, /*keepdims=*/true);
  Value infinity = b.scalar(std::numeric_limits<double>::infinity(), type);
  Value isFinite =
      b.compare(ComparePredicate::Lt, b.unary<AbsOp>(most), infinity);
  most = b.select(isFinite, most, b.scalar(0, type));
  ComplexParts powers = c.math.exp({b.sub(x.re, most), x.im});
  ComplexParts sum = {b.reduce(ReduceKind::Sum, powers.re, dims, true),
                      b.reduce(ReduceKind::Sum, powers.im, dims, true)};
  ComplexParts result = c.math.log(sum);
  return c.replace(
      ComplexParts{b.reshape(b.add(result.re, most), c.resultSizes()),
                   b.reshape(result.im, c.resultSizes())});
}

void graph::populateComplexReductions(ComplexExpansions &t) {
  t.add("linalg_vector_norm norm norm_except_dim linalg__powsum "
        "frobenius_norm",
        expandOfMagnitude);
  t.add("dist", expandDist);
  t.add("pairwise_distance", expandPairwiseDistance);
  t.add("triplet_margin_loss", expandTripletMargin);
  t.add("l1_loss", expandL1Loss);
  t.add("renorm", expandRenorm);
  t.add("embedding_renorm", expandEmbeddingRenorm);
  t.add("_weight_norm", expandWeightNorm);
  t.add("prod", expandProd);
  t.add("cumprod",
        [](ComplexCall &c) { return expandScan(c, &ComplexMath::mul); });
  t.add("linalg_vander", expandVander);
  t.add("vander", expandVanderDown);
  t.add("logsumexp special_logsumexp", expandLogSumExp);
  t.add("logcumsumexp _logcumsumexp",
        [](ComplexCall &c) { return expandScan(c, &ComplexMath::logAddExp); });
}
