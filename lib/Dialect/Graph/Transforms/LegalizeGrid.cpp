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

#include "OutputMask.h"
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
  Num reflect(Num v, int64_t i) const;
  Num keepInside(Num v, int64_t i) const;
  struct Found {
    SmallVector<Value> indices;
    SmallVector<int64_t> dims;
    Num isInside;
  };
  Found find(ArrayRef<Num> places) const;
  Num at(ArrayRef<Num> places) const;
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

/// Mirrors a place until it is inside. Mirrors stand on the first and last
/// elements, or half an element before and behind them.
Num Sampler::reflect(Num v, int64_t i) const {
  double low = alignCorners ? 0 : -0.5;
  Num span = alignCorners ? sizeOf(i, -1) : sizeOf(i);
  Num distance = abs(v - low);
  Num turns = floor(distance / span);
  Num extra = distance.binary<FmodOp>(span);
  Num isEven = mod(turns, turns.number(2)) == 0;
  Num reflected = select(isEven, extra, span - extra) + low;
  // Of one element, all places are the same.
  return select(span == 0, v.number(0), reflected);
}

/// Applies the border to a place along dimension `i`.
Num Sampler::keepInside(Num v, int64_t i) const {
  if (border == Border::Zeros)
    return v;
  if (border == Border::Reflect)
    v = reflect(v, i);
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

/// The weights of the four elements around a place that is `t` behind the
/// second of them, and the derivatives of the weights by `t`.
struct CubicWeights {
  SmallVector<Num> values, slopes;
};

static CubicWeights getCubicWeights(Num t) {
  const double A = -0.75;
  auto near = [&](Num t) { return (t * (A + 2) - (A + 3)) * t * t + 1; };
  auto far = [&](Num t) { return ((t * A - 5 * A) * t + 8 * A) * t - 4 * A; };
  auto nearSlope = [&](Num t) { return (t * (3 * (A + 2)) - 2 * (A + 3)) * t; };
  auto farSlope = [&](Num t) { return (t * (3 * A) - 10 * A) * t + 8 * A; };
  return {{far(t + 1), near(t), near(1 - t), far(2 - t)},
          {farSlope(t + 1), nearSlope(t), -nearSlope(1 - t), -farSlope(2 - t)}};
}

Num Sampler::cubic(ArrayRef<Num> places) const {
  SmallVector<Num> low;
  SmallVector<SmallVector<Num>> weights;
  for (Num place : places) {
    low.push_back(floor(place));
    weights.push_back(getCubicWeights(place - low.back()).values);
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

namespace {

/// What a call samples, and how.
struct SamplerCall {
  Sampler sampler;
  Interpolation interpolation;
  /// Places before the border is applied.
  SmallVector<Num> places;
};

} // namespace

static FailureOr<SamplerCall> readSampler(AtenCall &c) {
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
    places.push_back(s.unnormalize(v.to(type), i));
  }
  return SamplerCall{s, interpolation, places};
}

static LogicalResult legalizeGridSampler(AtenCall &c) {
  FailureOr<SamplerCall> call = readSampler(c);
  if (failed(call))
    return failure();
  const Sampler &s = call->sampler;
  SmallVector<Num> places = call->places;
  // Cubic interpolation applies the border to each neighbour.
  if (call->interpolation != Interpolation::Cubic)
    for (auto [i, place] : llvm::enumerate(places))
      place = s.keepInside(place, i);
  std::optional<Num> result;
  switch (call->interpolation) {
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
  return c.replace(c.b.permute(*result, permutation));
}

//===----------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------===//

namespace {

/// The gradients of sampling, of which `g` is that of what was sampled, with
/// the channels last. A gradient that nobody wants is dropped with its ops.
struct SamplerGradients {
  const Sampler &s;
  Num g;
  /// That of `x`, with all channels in front as `graph.index_put` has them.
  Value input;
  /// Those of places.
  SmallVector<Num> places;

  SamplerGradients(const Sampler &s, Num g, ArrayRef<Num> at)
      : s(s), g(g), input(filled(s.b, 0, s.type, getSizes(s.x))) {
    for (Num place : at)
      places.push_back(place * 0.0);
  }

  void add(ArrayRef<Num> neighbours, Num weight);
  Num dot(ArrayRef<Num> neighbours) const;
  void linear(ArrayRef<Num> at);
  void cubic(ArrayRef<Num> at);
};

} // namespace

/// Adds the share of the elements at whole-numbered places.
void SamplerGradients::add(ArrayRef<Num> neighbours, Num weight) {
  Sampler::Found found = s.find(neighbours);
  int64_t rank = getRank(neighbours.front());
  Num values =
      select(found.isInside.unsqueeze(rank), g * weight.unsqueeze(rank), 0);
  input = putAt(s.b, ReduceKind::Sum, input, found.indices, values, found.dims);
}

/// What a place gains by more of the elements at whole-numbered places.
Num SamplerGradients::dot(ArrayRef<Num> neighbours) const {
  int64_t rank = getRank(neighbours.front());
  return (s.at(neighbours) * g).reduce(ReduceKind::Sum, rank);
}

void SamplerGradients::linear(ArrayRef<Num> at) {
  SmallVector<Num> low, part;
  for (Num place : at) {
    low.push_back(floor(place));
    part.push_back(place - low.back());
  }
  int64_t spatial = s.spatial();
  for (unsigned corner = 0; corner < 1u << spatial; ++corner) {
    SmallVector<Num> neighbours, weights;
    auto isNext = [&](int64_t i) { return corner >> (spatial - 1 - i) & 1; };
    for (int64_t i = 0; i < spatial; ++i) {
      neighbours.push_back(isNext(i) ? low[i] + 1 : low[i]);
      weights.push_back(isNext(i) ? part[i] : 1 - part[i]);
    }
    Num weight = weights.front(), gain = dot(neighbours);
    for (int64_t i = 1; i < spatial; ++i)
      weight = weight * weights[i];
    add(neighbours, weight);
    for (int64_t i = 0; i < spatial; ++i) {
      Num slope = isNext(i) ? gain : -gain;
      for (int64_t other = 0; other < spatial; ++other)
        if (other != i)
          slope = slope * weights[other];
      places[i] = places[i] + slope;
    }
  }
}

void SamplerGradients::cubic(ArrayRef<Num> at) {
  SmallVector<Num> low;
  SmallVector<CubicWeights> weights;
  for (Num place : at) {
    low.push_back(floor(place));
    weights.push_back(getCubicWeights(place - low.back()));
  }
  for (int row = 0; row < 4; ++row)
    for (int column = 0; column < 4; ++column) {
      Num neighbours[] = {s.keepInside(low[0] + (row - 1), 0),
                          s.keepInside(low[1] + (column - 1), 1)};
      Num gain = dot(neighbours);
      add(neighbours, weights[0].values[row] * weights[1].values[column]);
      places[0] =
          places[0] + gain * weights[0].slopes[row] * weights[1].values[column];
      places[1] =
          places[1] + gain * weights[0].values[row] * weights[1].slopes[column];
    }
}

/// The derivative of a place to which the border is applied by the place.
static Num getBorderSlope(const Sampler &s, Num v, int64_t i) {
  if (s.border == Border::Zeros)
    return v.number(1);
  Num slope = v.number(1), last = s.sizeOf(i, -1);
  if (s.border == Border::Reflect) {
    double low = s.alignCorners ? 0 : -0.5;
    Num span = s.alignCorners ? last : s.sizeOf(i);
    Num turns = floor(abs(v - low) / span);
    Num isEven = mod(turns, turns.number(2)) == 0;
    slope = select(isEven, 1.0, v.number(-1));
    slope = select(v < low, -slope, slope);
    v = s.reflect(v, i);
  }
  // A place that is moved to the border stays there.
  return select((v > 0) & (v < last), slope, 0);
}

static LogicalResult legalizeGridSamplerBackward(AtenCall &c) {
  FailureOr<SamplerCall> call = readSampler(c);
  Value grad = c.tensor("grad_output");
  if (failed(call) || !grad)
    return failure();
  TensorBuilder &b = c.b;
  const Sampler &s = call->sampler;
  int64_t spatial = s.spatial();
  if (getRank(grad) != spatial + 2)
    return c.fail("its operands have other ranks");
  // The channels are last.
  SmallVector<int64_t> permutation = allDims(grad);
  permutation.erase(permutation.begin() + 1);
  permutation.push_back(1);
  Num g(b, b.permute(b.convert(grad, s.type), permutation));
  SmallVector<Num> at = call->places;
  bool isCubic = call->interpolation == Interpolation::Cubic;
  if (!isCubic)
    for (auto [i, place] : llvm::enumerate(at))
      place = s.keepInside(place, i);
  SamplerGradients gradients(s, g, at);
  if (isCubic) {
    gradients.cubic(at);
  } else if (call->interpolation == Interpolation::Linear) {
    gradients.linear(at);
  } else {
    for (Num &place : at)
      place = place.unary<RoundOp>();
    Num whole(b, filled(b, 1, s.type, getSizes(at.front())));
    gradients.add(at, whole);
  }
  return replaceMasked(c, 2, [&](unsigned number) -> Value {
    if (number == 0)
      return gradients.input;
    SmallVector<Value> parts;
    for (int64_t i = spatial; i-- > 0;) {
      Num part = gradients.places[i];
      if (!isCubic)
        part = part * getBorderSlope(s, call->places[i], i);
      part = part * (s.alignCorners ? s.sizeOf(i, -1) : s.sizeOf(i)) / 2;
      parts.push_back(b.unsqueeze(part, spatial + 1));
    }
    return b.cat(parts, spatial + 1);
  });
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
  t.add("grid_sampler_2d_backward grid_sampler_3d_backward "
        "_grid_sampler_2d_cpu_fallback_backward",
        legalizeGridSamplerBackward);
  t.add("affine_grid_generator", legalizeAffineGrid);
}
