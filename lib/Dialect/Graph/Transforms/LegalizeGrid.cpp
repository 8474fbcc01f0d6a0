//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalisation of sampling at the places of a grid, and of the grid of an
// affine map.
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

namespace {

/// The framework's numbers.
enum class Interpolation { Linear = 0, Nearest = 1, Cubic = 2 };
enum class Border { Zeros = 0, Clamp = 1, Reflect = 2 };

/// Sampling of `x`, `[n, c, spatial...]`, at places `[n, out...]`.
struct Sampler {
  TensorBuilder &b;
  Value x;
  Border border;
  bool alignCorners;
  Type type;

  int64_t spatial() const { return getRank(x) - 2; }
  ExprAttr size(int64_t i) const { return getSizes(x)[2 + i]; }
  Num sizeOf(int64_t i, int64_t more = 0) const {
    return {b, b.expr(sym::add(size(i), more), type)};
  }

  Num unnormalize(Num v, int64_t i) const;
  Num keepInside(Num v, int64_t i) const;
  struct Found {
    SmallVector<Value> indices;
    SmallVector<int64_t> dims;
    Num isInside;
  };
  Found find(ArrayRef<Num> places) const;
  Num at(ArrayRef<Num> places) const;
  void addAt(Value &sums, ArrayRef<Num> places, Num values) const;
  Num linear(ArrayRef<Num> places) const;
  Num cubic(ArrayRef<Num> places) const;
};

} // namespace

/// From -1..1 to elements of dimension `i`.
Num Sampler::unnormalize(Num v, int64_t i) const {
  if (alignCorners)
    return (v + 1) / 2 * sizeOf(i, -1);
  return ((v + 1) * sizeOf(i) - 1) / 2;
}

/// Applies the border to a place along dimension `i`.
Num Sampler::keepInside(Num v, int64_t i) const {
  if (border == Border::Zeros)
    return v;
  if (border == Border::Reflect) {
    // Mirrors stand on the first and last elements, or half an element before
    // and behind them.
    double low = alignCorners ? 0 : -0.5;
    Num span = alignCorners ? sizeOf(i, -1) : sizeOf(i);
    Num distance = abs(v - low);
    Num turns = floor(distance / span);
    Num extra = distance.binary<FmodOp>(span);
    Num isEven = mod(turns, turns.number(2)) == 0;
    Num reflected = select(isEven, extra, span - extra) + low;
    // Of one element, all places are the same.
    v = select(span == 0, v.number(0), reflected);
  }
  return min(max(v, 0), sizeOf(i, -1));
}

/// Where whole-numbered places are in `x`; those outside are at its border.
Sampler::Found Sampler::find(ArrayRef<Num> places) const {
  Positions p(b);
  int64_t rank = getRank(places.front());
  Num batch = p.iota(getSizes(x)[0]);
  for (int64_t d = 1; d < rank; ++d)
    batch = batch.unsqueeze(getRank(batch));
  SmallVector<Value> indices = {batch};
  SmallVector<int64_t> dims = {0};
  std::optional<Num> isInside;
  for (auto [i, place] : llvm::enumerate(places)) {
    Num inside = (place >= 0) & (place <= sizeOf(i, -1));
    isInside = isInside ? *isInside & inside : inside;
    // Numbers far outside have no integer.
    Num near = min(max(place, 0), sizeOf(i, -1));
    indices.push_back(p.clamp(near.to(p.type()), size(i)));
    dims.push_back(2 + static_cast<int64_t>(i));
  }
  return {indices, dims, *isInside};
}

/// The elements at whole-numbered places, with the channels last; zeros
/// outside.
Num Sampler::at(ArrayRef<Num> places) const {
  Found found = find(places);
  Num values(b, b.index(x, found.indices, found.dims));
  return select(found.isInside.unsqueeze(getRank(places.front())),
                values.to(type), 0);
}

Num Sampler::linear(ArrayRef<Num> places) const {
  SmallVector<Num> low, part;
  for (Num place : places) {
    low.push_back(floor(place));
    part.push_back(place - low.back());
  }
  int64_t rank = getRank(places.front());
  std::optional<Num> sum;
  for (unsigned corner = 0; corner < 1u << spatial(); ++corner) {
    SmallVector<Num> neighbours;
    std::optional<Num> weight;
    for (int64_t i = 0; i < spatial(); ++i) {
      bool isNext = corner >> (spatial() - 1 - i) & 1;
      neighbours.push_back(isNext ? low[i] + 1 : low[i]);
      Num w = isNext ? part[i] : 1 - part[i];
      weight = weight ? *weight * w : w;
    }
    Num term = at(neighbours) * weight->unsqueeze(rank);
    sum = sum ? *sum + term : term;
  }
  return *sum;
}

Num Sampler::cubic(ArrayRef<Num> places) const {
  const double A = -0.75;
  auto near = [&](Num t) { return (t * (A + 2) - (A + 3)) * t * t + 1; };
  auto far = [&](Num t) { return ((t * A - 5 * A) * t + 8 * A) * t - 4 * A; };
  SmallVector<Num> low;
  SmallVector<SmallVector<Num>> weights;
  for (Num place : places) {
    low.push_back(floor(place));
    Num t = place - low.back();
    weights.push_back({far(t + 1), near(t), near(1 - t), far(2 - t)});
  }
  int64_t rank = getRank(places.front());
  std::optional<Num> sum;
  for (int row = 0; row < 4; ++row) {
    std::optional<Num> line;
    for (int column = 0; column < 4; ++column) {
      Num value = at({keepInside(low[0] + (row - 1), 0),
                      keepInside(low[1] + (column - 1), 1)});
      Num term = value * weights[1][column].unsqueeze(rank);
      line = line ? *line + term : term;
    }
    Num term = *line * weights[0][row].unsqueeze(rank);
    sum = sum ? *sum + term : term;
  }
  return *sum;
}

static LogicalResult legalizeGridSampler(AtenCall &c) {
  Value x = c.tensor("input"), grid = c.tensor("grid");
  if (!x || !grid || getRank(x) != getRank(grid) || getRank(x) < 4 ||
      getRank(x) > 5)
    return c.fail("its operands have other ranks");
  int64_t spatial = getRank(x) - 2, mode = c.intOr("interpolation_mode", 0),
          border = c.intOr("padding_mode", 0);
  if (mode < 0 || mode > 2 || border < 0 || border > 2)
    return c.fail("its mode is not known");
  TensorBuilder &b = c.b;
  Type type = getAccumulationType(c.resultElementType());
  Sampler s{b, x, static_cast<Border>(border), c.boolOr("align_corners", false),
            type};
  auto interpolation = static_cast<Interpolation>(mode);
  if (interpolation == Interpolation::Cubic && spatial != 2)
    return c.fail("cubic interpolation has two dimensions");
  // The grid names the last dimension first.
  SmallVector<Num> places;
  for (int64_t i = 0; i < spatial; ++i) {
    Num v(b, b.at(grid, spatial + 1, b.size(spatial - 1 - i)));
    Num place = s.unnormalize(v.to(type), i);
    // Cubic interpolation applies the border to each neighbour.
    places.push_back(
        interpolation == Interpolation::Cubic ? place : s.keepInside(place, i));
  }
  std::optional<Num> result;
  switch (interpolation) {
  case Interpolation::Linear:
    result = s.linear(places);
    break;
  case Interpolation::Nearest:
    for (Num &place : places)
      place = place.unary<RoundOp>();
    result = s.at(places);
    break;
  case Interpolation::Cubic:
    result = s.cubic(places);
    break;
  }
  // The channels are last.
  SmallVector<int64_t> permutation = allDims(*result);
  permutation.insert(permutation.begin() + 1, permutation.pop_back_val());
  return c.replace(b.permute(*result, permutation));
}

/// affine_grid_generator: the map of each sample applied to places between -1
/// and 1, whose last coordinate is the first of a place.
static LogicalResult legalizeAffineGrid(AtenCall &c) {
  Value theta = c.operand("theta", getAccumulationType(c.resultElementType()));
  auto sizes = c.getExprs("size");
  if (!theta || getRank(theta) != 3 || !sizes ||
      (sizes->size() != 4 && sizes->size() != 5))
    return c.fail("its operand has another rank");
  TensorBuilder &b = c.b;
  Type type = getElementType(theta);
  int64_t spatial = sizes->size() - 2;
  bool alignCorners = c.boolOr("align_corners", false);
  Positions p(b);
  // theta is [n, spatial, spatial + 1]; the result is [n, places..., spatial].
  auto column = [&](int64_t j) -> Num {
    Value v = b.at(theta, 2, b.size(j));
    Sizes wide(spatial + 2, b.size(1));
    wide.front() = getSizes(v)[0];
    wide.back() = getSizes(v)[1];
    return {b, b.reshape(v, wide)};
  };
  Num result = column(spatial);
  for (int64_t i = 0; i < spatial; ++i) {
    ExprAttr n = (*sizes)[2 + i];
    Num count(b, b.expr(n, type)), at = p.iota(n).to(type);
    // Of one element, the place is in the middle.
    Num last = count - 1;
    Num place = (at * 2 - last) / (alignCorners ? max(last, 1) : count);
    for (int64_t d = i; d < spatial; ++d)
      place = place.unsqueeze(getRank(place));
    result = result + place * column(spatial - 1 - i);
  }
  return c.replace(c.broadcastTo(result, c.resultSizes()));
}

void graph::populateGridLegalizations(AtenLegalizations &t) {
  t.add("grid_sampler grid_sampler_2d grid_sampler_3d "
        "_grid_sampler_2d_cpu_fallback",
        legalizeGridSampler);
  t.add("affine_grid_generator", legalizeAffineGrid);
}
