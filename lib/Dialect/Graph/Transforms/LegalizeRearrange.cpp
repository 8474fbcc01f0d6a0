//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalisation of operators that put elements elsewhere, by views and copies of
// which other operators are made: stacks, splits, turns, shuffles.
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

//===----------------------------------------------------------------------===//
// Stacks
//===----------------------------------------------------------------------===//

/// A tensor of at least `rank` dimensions: rows of one element, then columns.
static Value atLeast(TensorBuilder &b, Value x, int64_t rank) {
  if (getRank(x) == 0)
    x = b.unsqueeze(x, 0);
  if (rank >= 2 && getRank(x) == 1)
    x = b.unsqueeze(x, 0);
  if (rank >= 3 && getRank(x) == 2)
    x = b.unsqueeze(x, 2);
  return x;
}

/// hstack, vstack, dstack, column_stack: tensors of at least some rank, side by
/// side along a dimension, by the rank of the first.
static AtenHandler stack(int64_t rank, int64_t (*getDim)(int64_t rank),
                         bool asColumns = false) {
  return [=](AtenCall &c) -> LogicalResult {
    SmallVector<Value> inputs;
    for (Value x : c.tensors("tensors")) {
      x = c.b.convert(x, c.resultElementType());
      if (asColumns && getRank(x) < 2)
        x = c.b.unsqueeze(flatten(c.b, x), 1);
      inputs.push_back(atLeast(c.b, x, rank));
    }
    if (inputs.empty())
      return c.fail("it has no operands");
    int64_t dim = getDim(getRank(inputs.front()));
    // Sizes that are equal at run time, made recognisably so.
    Sizes first = getSizes(inputs.front());
    for (Value &x : inputs) {
      Sizes sizes = getSizes(x);
      if (sizes.size() != first.size())
        return c.fail("its operands have different ranks");
      for (auto [d, size] : llvm::enumerate(sizes)) {
        if (static_cast<int64_t>(d) == dim)
          continue;
        if (provablyDiffer(size, first[d]))
          return c.fail("its operands have different sizes");
        size = first[d];
      }
      x = c.b.castSizes(x, sizes);
    }
    return c.replace(c.b.cat(inputs, dim));
  };
}

/// atleast_1d, 2d, 3d of one tensor or of several.
static AtenHandler atLeast(int64_t rank) {
  return [=](AtenCall &c) -> LogicalResult {
    SmallVector<Value> results;
    if (Value x = c.tensor("self"))
      results.push_back(atLeast(c.b, x, rank));
    for (Value x : c.tensors("tensors"))
      results.push_back(atLeast(c.b, x, rank));
    return c.replace(results);
  };
}

/// meshgrid: each tensor along its dimension; "xy" has the first two exchanged.
static LogicalResult legalizeMeshgrid(AtenCall &c) {
  SmallVector<Value> results;
  SmallVector<Value> tensors = c.tensors("tensors");
  size_t count = tensors.size();
  if (c.op.getOutputs().size() != count)
    return c.fail("it has as many results as operands");
  bool isSwapped = c.stringOr("indexing", "ij") == "xy" && count >= 2;
  for (auto [i, x] : llvm::enumerate(tensors)) {
    size_t dim = isSwapped && i < 2 ? 1 - i : i;
    Sizes sizes(count, c.b.size(1));
    if (getRank(x) == 1)
      sizes[dim] = getSizes(x)[0];
    results.push_back(c.broadcastTo(c.b.reshape(x, sizes), c.resultSizes(i)));
  }
  return c.replace(results);
}

/// cartesian_prod: a row for each combination.
static LogicalResult legalizeCartesianProduct(AtenCall &c) {
  SmallVector<Value> tensors = c.tensors("tensors"), columns;
  if (tensors.size() == 1)
    return c.replace(tensors.front());
  Sizes sizes;
  for (Value x : tensors) {
    if (getRank(x) != 1)
      return c.fail("its operands are not vectors");
    sizes.push_back(getSizes(x)[0]);
  }
  for (auto [i, x] : llvm::enumerate(tensors)) {
    Sizes own(sizes.size(), c.b.size(1));
    own[i] = sizes[i];
    Value all = c.b.broadcast(
        c.b.reshape(c.b.convert(x, c.resultElementType()), own), sizes);
    columns.push_back(c.b.unsqueeze(flatten(c.b, all), 1));
  }
  if (columns.empty())
    return c.fail("it has no operands");
  return c.replace(c.b.cat(columns, 1));
}

/// _chunk_cat: each tensor padded to whole chunks, and the chunks side by side.
static LogicalResult legalizeChunkCat(AtenCall &c) {
  TensorBuilder &b = c.b;
  auto dim = c.getInt("dim"), chunks = c.getInt("num_chunks");
  Type type = c.resultElementType();
  if (!dim || !chunks || *chunks < 1)
    return c.fail("its chunks are not constant");
  SmallVector<Value> parts;
  for (Value x : c.tensors("tensors")) {
    int64_t d = *dim < 0 ? *dim + getRank(x) : *dim;
    if (d < 0 || d >= getRank(x))
      return c.fail("its dimension is invalid");
    ExprAttr size = getSizes(x)[d];
    ExprAttr each = sym::floorDiv(sym::add(size, *chunks - 1), b.size(*chunks));
    // What a last chunk lacks is zero.
    Positions p(b);
    Num at = min(p.iota(sym::mul(each, *chunks)), p.size(size));
    x = b.index(appendZeros(b, b.convert(x, type), d), Value(at), d);
    Sizes sizes(SizesRef(getSizes(x)).take_front(d));
    sizes.push_back(b.size(*chunks));
    ExprAttr rest =
        sym::product(b.getContext(), SizesRef(getSizes(x)).drop_front(d + 1));
    sizes.push_back(sym::mul(rest, each));
    parts.push_back(b.reshape(x, sizes));
  }
  if (parts.empty())
    return c.fail("it has no operands");
  return c.replace(b.cat(parts, getRank(parts.front()) - 1));
}

//===----------------------------------------------------------------------===//
// Turns and shuffles
//===----------------------------------------------------------------------===//

/// rot90: quarter turns from the first dimension towards the second.
static LogicalResult legalizeRot90(AtenCall &c) {
  Value x = c.tensor("self");
  auto dims = c.getInts("dims");
  if (!x || !dims || dims->size() != 2)
    return c.fail("its dimensions are not constant");
  for (int64_t &d : *dims)
    d = d < 0 ? d + getRank(x) : d;
  int64_t first = (*dims)[0], second = (*dims)[1];
  if (first == second || std::min(first, second) < 0 ||
      std::max(first, second) >= getRank(x))
    return c.fail("its dimensions are invalid");
  int64_t turns = ((c.intOr("k", 1) % 4) + 4) % 4;
  if (turns == 2)
    return c.replace(flipDims(c.b, x, {first, second}));
  if (turns == 0)
    return c.replace(x);
  Value flipped = flipDims(c.b, x, turns == 1 ? second : first);
  return c.replace(c.b.transpose(flipped, first, second));
}

/// fliplr, flipud
static AtenHandler flipDim(int64_t dim) {
  return [=](AtenCall &c) -> LogicalResult {
    Value x = c.tensor("self");
    if (!x || getRank(x) <= dim)
      return c.fail("its operand has too few dimensions");
    return c.replace(flipDims(c.b, x, dim));
  };
}

/// `x` with sizes in between, permuted and with the sizes of the result.
static LogicalResult shuffle(AtenCall &c, Value x, SizesRef split,
                             ArrayRef<int64_t> lastPermutation) {
  auto permutation = llvm::to_vector(
      llvm::seq<int64_t>(0, split.size() - lastPermutation.size()));
  int64_t before = permutation.size();
  for (int64_t d : lastPermutation)
    permutation.push_back(before + d);
  return c.replace(c.b.reshape(c.b.permute(c.b.reshape(x, split), permutation),
                               c.resultSizes()));
}

/// pixel_shuffle: channels become pixels of larger images.
static LogicalResult legalizePixelShuffle(AtenCall &c) {
  Value x = c.tensor("self");
  auto factor = c.getInt("upscale_factor");
  if (!x || getRank(x) < 3 || !factor || *factor < 1)
    return c.fail("its operand is not an image");
  Sizes sizes = getSizes(x);
  ExprAttr r = c.b.size(*factor);
  Sizes split(SizesRef(sizes).drop_back(3));
  ExprAttr channels =
      sym::floorDiv(sizes[sizes.size() - 3], c.b.size(*factor * *factor));
  split.append({channels, r, r, sizes[sizes.size() - 2], sizes.back()});
  return shuffle(c, x, split, {0, 3, 1, 4, 2});
}

/// pixel_unshuffle: pixels become channels of smaller images.
static LogicalResult legalizePixelUnshuffle(AtenCall &c) {
  Value x = c.tensor("self");
  auto factor = c.getInt("downscale_factor");
  if (!x || getRank(x) < 3 || !factor || *factor < 1)
    return c.fail("its operand is not an image");
  Sizes sizes = getSizes(x);
  ExprAttr r = c.b.size(*factor);
  Sizes split(SizesRef(sizes).drop_back(2));
  split.append({sym::floorDiv(sizes[sizes.size() - 2], r), r,
                sym::floorDiv(sizes.back(), r), r});
  return shuffle(c, x, split, {1, 3, 0, 2});
}

/// channel_shuffle: channels take turns among the groups.
static LogicalResult legalizeChannelShuffle(AtenCall &c) {
  Value x = c.tensor("self");
  ExprAttr groups = c.getExpr("groups");
  if (!x || getRank(x) < 3 || !groups)
    return c.fail("its operand is not an image");
  Sizes sizes = getSizes(x);
  ExprAttr rest = sym::product(c.b.getContext(), SizesRef(sizes).drop_front(2));
  return shuffle(c, x,
                 {sizes[0], groups, sym::floorDiv(sizes[1], groups), rest},
                 {0, 2, 1, 3});
}

//===----------------------------------------------------------------------===//
// Differences and areas
//===----------------------------------------------------------------------===//

/// Elements of dimension `dim` from `from` on, without the last `less`.
static Num part(Num x, int64_t dim, int64_t from, int64_t less) {
  ExprAttr count = sym::add(getSizes(x)[dim], -(from + less));
  return {*x.b, x.b->slice(x, dim, x.b->size(from), count)};
}

/// trapezoid, cumulative_trapezoid: sums of the areas under a line through the
/// elements. Areas of integers are integers and wrap; their sums do not.
static AtenHandler trapezoid(bool cumulative) {
  return [=](AtenCall &c) -> LogicalResult {
    TensorBuilder &b = c.b;
    Type wide = getAccumulationType(c.resultElementType()),
         type = getPromotedType(c, {"y", "x"});
    bool areIntegers = type && isa<IntegerType>(type) && !type.isInteger(1);
    if (!areIntegers)
      type = wide;
    Value given = c.operand("y", type);
    auto dim = given ? c.getDim("dim", getRank(given)) : std::nullopt;
    if (!dim || getRank(given) == 0)
      return c.fail("its dimension is not constant");
    Num y(b, given);
    if (getSizes(y)[*dim].isConstant(0))
      return c.replace(filled(b, 0, c.resultElementType(), c.resultSizes()));
    Num height = part(y, *dim, 1, 0) + part(y, *dim, 0, 1);
    Value area;
    if (Value at = c.operand("x", type)) {
      // Places of a vector are those of the dimension.
      int64_t along = *dim;
      if (getRank(at) == 1) {
        Sizes sizes(getRank(y) - *dim, b.size(1));
        sizes[0] = getSizes(at)[0];
        at = b.reshape(at, sizes);
        along = 0;
      } else if (getRank(at) <= getRank(y)) {
        // Dimensions that are missing have one place.
        while (getRank(at) < getRank(y))
          at = b.unsqueeze(at, 0);
      }
      // With more dimensions than the elements, these broadcast.
      Num x(b, at);
      Num twice = height * (part(x, along, 1, 0) - part(x, along, 0, 1));
      area = areIntegers ? twice.to(b.getBuilder().getI64Type()) : twice / 2;
    } else if (!cumulative &&
               (areIntegers ||
                c.getContext().isLess(b.size(0), getSizes(y)[*dim]))) {
      // The sum of all, but of half of both ends: NaN where one is infinite.
      Type sum = areIntegers ? Type(b.getBuilder().getI64Type()) : wide;
      Num all = y.to(sum).reduce(ReduceKind::Sum, *dim).to(wide);
      ExprAttr last = sym::add(getSizes(y)[*dim], -1);
      Num ends = Num(b, b.at(y, *dim, b.size(0))) + Num(b, b.at(y, *dim, last));
      return c.replace((all - ends.to(wide) * 0.5) * c.floatOr("dx", 1));
    } else {
      area = height.to(wide) * (c.floatOr("dx", 1) / 2);
    }
    Value sum = cumulative
                    ? ScanOp::create(b.getBuilder(), b.getLoc(), ScanKind::Sum,
                                     area, static_cast<uint64_t>(*dim))
                          .getResult()
                    : b.reduce(ReduceKind::Sum, area, *dim, false);
    if (getElementType(sum) != wide)
      sum = Num(b, sum).to(wide) / 2;
    return c.replace(sum);
  };
}

/// Differences along a dimension, of the second order inside: of three
/// neighbours, with their distances before and behind. `coordinates` is null
/// where elements are at the same `distance`.
/// Differences of integers wrap: `given` are the elements, `x` those as floats.
static Value differentiate(TensorBuilder &b, Num given, Num x, int64_t dim,
                           double distance, Value coordinates,
                           int64_t edgeOrder) {
  Sizes wide(getRank(x) - dim, b.size(1));
  auto gap = [&](int64_t from, int64_t less) -> Num {
    if (!coordinates)
      return {b, b.scalar(distance, x.type())};
    Num at(b, coordinates);
    Num v = part(at, 0, from + 1, less) - part(at, 0, from, less + 1);
    wide[0] = getSizes(v)[0];
    return {b, b.reshape(v, wide)};
  };
  // One element of the gaps, from the front or from the end.
  auto gapAt = [&](int64_t i) -> Num {
    if (!coordinates)
      return gap(0, 0);
    Num all = gap(0, 0);
    ExprAttr at = i >= 0 ? b.size(i) : sym::add(getSizes(all)[0], i);
    return {b, b.slice(all, 0, at, b.size(1))};
  };
  auto elementOf = [&](Num v, int64_t i) -> Num {
    ExprAttr at = i >= 0 ? b.size(i) : sym::add(getSizes(v)[dim], i);
    return {b, b.slice(v, dim, at, b.size(1))};
  };
  auto elementAt = [&](int64_t i) { return elementOf(x, i); };
  auto difference = [&](int64_t i, int64_t j) {
    return (elementOf(given, i) - elementOf(given, j)).to(x.type());
  };
  Num inside = [&]() -> Num {
    if (!coordinates)
      return (part(given, dim, 2, 0) - part(given, dim, 0, 2)).to(x.type()) /
             (2 * distance);
    Num next = part(x, dim, 2, 0), last = part(x, dim, 0, 2);
    Num here = part(x, dim, 1, 1), before = gap(0, 1), behind = gap(1, 0);
    Num sum = before + behind;
    return last * (-behind / (before * sum)) +
           here * ((behind - before) / (before * behind)) +
           next * (before / (behind * sum));
  }();
  Num first = difference(1, 0) / gapAt(0);
  Num last = difference(-1, -2) / gapAt(-1);
  if (edgeOrder == 2) {
    auto edge = [&](Num near, Num far, Num e0, Num e1, Num e2) {
      Num sum = near + far;
      return -(near * 2 + far) / (near * sum) * e0 + sum / (near * far) * e1 -
             near / (far * sum) * e2;
    };
    // Twice a number wraps, too.
    auto middle = [&](int64_t i) {
      return coordinates ? elementAt(i)
                         : (elementOf(given, i) * 2).to(x.type()) * 0.5;
    };
    first = edge(gapAt(0), coordinates ? gapAt(1) : gapAt(0), elementAt(0),
                 middle(1), elementAt(2));
    last = -edge(gapAt(-1), coordinates ? gapAt(-2) : gapAt(-1), elementAt(-1),
                 middle(-2), elementAt(-3));
  }
  return b.cat({first, inside, last}, dim);
}

/// gradient: differences along each of some dimensions.
static LogicalResult legalizeGradient(AtenCall &c) {
  TensorBuilder &b = c.b;
  Type type = getAccumulationType(c.resultElementType());
  Value given = c.tensor("self"), x = c.operand("self", type);
  if (given && isa<FloatType>(getElementType(given)))
    given = x;
  int64_t edgeOrder = c.intOr("edge_order", 1);
  if (!x || getRank(x) == 0 || edgeOrder < 1 || edgeOrder > 2)
    return c.fail("its operand has no dimension");
  SmallVector<int64_t> dims = allDims(x);
  if (c.has("dim")) {
    auto listed = c.getInts("dim");
    if (!listed)
      return c.fail("its dimensions are not constant");
    dims = *listed;
  }
  SmallVector<Value> coordinates = c.tensors("spacing");
  SmallVector<double> distances;
  if (auto given = c.getFloats("spacing"))
    distances = *given;
  if (coordinates.empty() && distances.empty())
    distances.push_back(1);
  if (coordinates.empty() && distances.size() == 1)
    distances.resize(dims.size(), distances.front());
  if (dims.size() != c.op.getOutputs().size() ||
      (coordinates.empty() ? distances.size() : coordinates.size()) !=
          dims.size())
    return c.fail("it has as many distances as results");
  SmallVector<Value> results;
  for (auto [i, d] : llvm::enumerate(dims)) {
    int64_t dim = d < 0 ? d + getRank(x) : d;
    if (dim < 0 || dim >= getRank(x))
      return c.fail("its dimensions are invalid");
    Value at;
    if (!coordinates.empty())
      at = b.convert(coordinates[i], type);
    if (at && getRank(at) != 1)
      return c.fail("its coordinates are not vectors");
    results.push_back(differentiate(b, {b, given}, {b, x}, dim,
                                    at ? 1 : distances[i], at, edgeOrder));
  }
  return c.replace(results);
}

/// sum_to_size: sums over the dimensions that a broadcast made.
static LogicalResult legalizeSumToSize(AtenCall &c) {
  Type type = getAccumulationType(c.resultElementType());
  Value x = c.operand("self", type);
  Sizes to = c.resultSizes();
  if (!x || static_cast<int64_t>(to.size()) > getRank(x))
    return c.fail("its result has more dimensions than its operand");
  Sizes from = getSizes(x);
  int64_t more = from.size() - to.size();
  SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(0, more));
  for (size_t d = 0; d < to.size(); ++d)
    if (to[d].isConstant(1) && !from[more + d].isConstant(1))
      dims.push_back(more + static_cast<int64_t>(d));
  return c.replace(
      c.b.reshape(c.b.reduce(ReduceKind::Sum, x, dims, /*keepdims=*/true), to));
}

void graph::populateRearrangeLegalizations(AtenLegalizations &t) {
  t.add("hstack",
        stack(1, [](int64_t rank) -> int64_t { return rank == 1 ? 0 : 1; }));
  t.add("vstack row_stack", stack(2, [](int64_t) -> int64_t { return 0; }));
  t.add("dstack", stack(3, [](int64_t) -> int64_t { return 2; }));
  t.add("column_stack", stack(
                            1, [](int64_t) -> int64_t { return 1; },
                            /*asColumns=*/true));
  t.add("atleast_1d atleast_1d.Sequence", atLeast(1));
  t.add("atleast_2d atleast_2d.Sequence", atLeast(2));
  t.add("atleast_3d atleast_3d.Sequence", atLeast(3));
  t.add("meshgrid meshgrid.indexing", legalizeMeshgrid);
  t.add("cartesian_prod", legalizeCartesianProduct);
  t.add("_chunk_cat", legalizeChunkCat);
  t.add("rot90", legalizeRot90);
  t.add("fliplr", flipDim(1));
  t.add("flipud", flipDim(0));
  t.add("pixel_shuffle", legalizePixelShuffle);
  t.add("pixel_unshuffle", legalizePixelUnshuffle);
  t.add("channel_shuffle native_channel_shuffle", legalizeChannelShuffle);
  t.add("trapezoid.x trapezoid.dx trapz.x trapz.dx", trapezoid(false));
  t.add("cumulative_trapezoid.x cumulative_trapezoid.dx", trapezoid(true));
  t.add("gradient.scalarint gradient.scalararray gradient.array "
        "gradient.scalarrayint gradient.scalarrayarray gradient.tensorarrayint "
        "gradient.tensorarray",
        legalizeGradient);
  t.add("sum_to_size", legalizeSumToSize);
}
