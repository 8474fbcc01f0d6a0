//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalisation of resampling along the spatial dimensions: nearest, linear and
// cubic interpolation, one dimension after the other, and antialiasing, which
// is a product with a matrix of weights. Positions are computed in the types
// that the framework computes them in, since they are rounded down.
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

namespace {

/// A dimension that is resampled.
struct Axis {
  int64_t dim;
  ExprAttr in, out;
  /// The factor that the caller gave, which counts more than the sizes.
  std::optional<double> factor;
  bool alignCorners;
};

/// Resamples one dimension of a tensor.
using Step = Value (*)(TensorBuilder &, Value x, const Axis &);

} // namespace

static Num sizeAs(TensorBuilder &b, ExprAttr size, Type type) {
  if (auto constant = size.getConstant())
    return {b, b.scalar(static_cast<double>(*constant), type)};
  return {b, b.expr(size, type)};
}

/// Elements of the input for one of the output.
static Num getRatio(TensorBuilder &b, const Axis &a, Type type) {
  if (a.alignCorners) // Of one element the position is zero in any case.
    return sizeAs(b, sym::add(a.in, -1), type) /
           max(sizeAs(b, sym::add(a.out, -1), type), 1);
  if (a.factor && *a.factor > 0)
    return {b, b.scalar(1 / *a.factor, type)};
  return sizeAs(b, a.in, type) / sizeAs(b, a.out, type);
}

/// A vector along the axis.
static Num along(Num v, const Axis &a, Value x) {
  for (int64_t d = a.dim + 1; d < getRank(x); ++d)
    v = v.unsqueeze(getRank(v));
  return v;
}

static Num take(TensorBuilder &b, Value x, Num position, const Axis &a) {
  return {b, b.index(x, Value(position), a.dim)};
}

//===----------------------------------------------------------------------===//
// Nearest
//===----------------------------------------------------------------------===//

/// The element at `floor(i * ratio)`; the framework takes half of `i` where the
/// size doubles. It computes in `f32`.
static Value stepNearest(TensorBuilder &b, Value x, const Axis &a) {
  Positions p(b);
  Num i = p.iota(a.out);
  if (a.out == sym::mul(a.in, 2))
    return take(b, x, floorDiv(i, 2), a);
  Type f32 = b.getBuilder().getF32Type();
  Num position = floor(i.to(f32) * getRatio(b, a, f32)).to(p.type());
  return take(b, x, p.clamp(position, a.in), a);
}

/// The element at `floor((i + 0.5) * ratio)`.
static Value stepNearestExact(TensorBuilder &b, Value x, const Axis &a) {
  Positions p(b);
  Type f32 = b.getBuilder().getF32Type(), f64 = b.getBuilder().getF64Type();
  Num position = (p.iota(a.out).to(f64) + 0.5) * getRatio(b, a, f32).to(f64);
  return take(b, x, p.clamp(floor(position.to(f32)).to(p.type()), a.in), a);
}

//===----------------------------------------------------------------------===//
// Linear and cubic
//===----------------------------------------------------------------------===//

namespace {
/// An element of the input, and how far behind it something is: in 0..1.
struct Place {
  Num element, offset;
};
} // namespace

static Place getPlace(TensorBuilder &b, const Axis &a, Type type,
                      bool isCubic) {
  Positions p(b);
  Num i = p.iota(a.out).to(type), ratio = getRatio(b, a, type);
  Num position = a.alignCorners ? i * ratio : (i + 0.5) * ratio - 0.5;
  if (!a.alignCorners && !isCubic)
    position = max(position, 0);
  Num element = min(floor(position).to(p.type()), p.size(sym::add(a.in, -1)));
  return {element, min(max(position - element.to(type), 0), 1)};
}

static Value stepLinear(TensorBuilder &b, Value x, const Axis &a) {
  Positions p(b);
  Place place = getPlace(b, a, getElementType(x), /*isCubic=*/false);
  Num next = min(place.element + 1, p.size(sym::add(a.in, -1)));
  Num t = along(place.offset, a, x);
  return (1 - t) * take(b, x, place.element, a) + t * take(b, x, next, a);
}

/// Weights of the four elements around a place: cubic convolution.
static SmallVector<Num> getCubicWeights(Num t, double A) {
  auto near = [&](Num x) { return (x * (A + 2) - (A + 3)) * x * x + 1; };
  auto far = [&](Num x) { return ((x * A - 5 * A) * x + 8 * A) * x - 4 * A; };
  return {far(t + 1), near(t), near(1 - t), far(2 - t)};
}

static Value stepCubic(TensorBuilder &b, Value x, const Axis &a) {
  Positions p(b);
  Place place = getPlace(b, a, getElementType(x), /*isCubic=*/true);
  SmallVector<Num> weights = getCubicWeights(along(place.offset, a, x), -0.75);
  std::optional<Num> sum;
  for (auto [i, weight] : llvm::enumerate(weights)) {
    Num element = p.clamp(place.element + (static_cast<double>(i) - 1), a.in);
    Num term = take(b, x, element, a) * weight;
    sum = sum ? *sum + term : term;
  }
  return *sum;
}

//===----------------------------------------------------------------------===//
// Antialiasing
//===----------------------------------------------------------------------===//

static Num triangleFilter(Num x) { return max(1 - abs(x), 0); }

static Num cubicFilter(Num x) {
  const double A = -0.5;
  x = abs(x);
  Num near = (x * (A + 2) - (A + 3)) * x * x + 1;
  Num far = (((x - 5) * x + 8) * x - 4) * A;
  return select(x < 1, near, select(x < 2, far, 0));
}

/// Each element is a mean of the elements under a filter as wide as the ratio,
/// and at least as wide as the filter itself, which reaches `reach` elements.
static Value stepFiltered(TensorBuilder &b, Value x, const Axis &a,
                          Num (*filter)(Num), double reach) {
  Positions p(b);
  Type type = getElementType(x);
  Num ratio = getRatio(b, a, type);
  Num width = max(ratio, 1), support = width * reach;
  Num center = (p.iota(a.out).to(type) + 0.5) * ratio;
  auto trunc = [&](Num v) { return v.to(p.type()); };
  Num first = max(trunc(center - support + 0.5), 0);
  Num end = min(trunc(center + support + 0.5), p.size(a.in));
  Num j = p.iota(a.in);
  Num isInside = (j >= first.unsqueeze(1)) & (j < end.unsqueeze(1));
  Num weight = filter((j.to(type) - center.unsqueeze(1) + 0.5) / width);
  weight = select(isInside, weight, 0);
  Num total = weight.reduce(ReduceKind::Sum, 1, /*keepdims=*/true);
  weight = weight / select(total == 0, 1, total);
  // [..., in, rest] times [out, in] along the axis.
  Sizes sizes = getSizes(x);
  auto product = [&](SizesRef part) {
    return sym::product(b.getContext(), part);
  };
  ExprAttr before = product(SizesRef(sizes).take_front(a.dim)),
           behind = product(SizesRef(sizes).drop_front(a.dim + 1));
  Value result =
      b.matmul(b.unsqueeze(weight, 0), b.reshape(x, {before, a.in, behind}));
  sizes[a.dim] = a.out;
  return b.reshape(result, sizes);
}

static Value stepLinearFiltered(TensorBuilder &b, Value x, const Axis &a) {
  return stepFiltered(b, x, a, triangleFilter, 1);
}

static Value stepCubicFiltered(TensorBuilder &b, Value x, const Axis &a) {
  return stepFiltered(b, x, a, cubicFilter, 2);
}

//===----------------------------------------------------------------------===//
// The operators
//===----------------------------------------------------------------------===//

/// The axes of an operator over the last `spatial` dimensions. Factors are a
/// list, or an argument for each dimension.
static std::optional<SmallVector<Axis>> readAxes(AtenCall &c, Value x,
                                                 int64_t spatial) {
  Sizes in = getSizes(x), out = c.resultSizes();
  if (static_cast<int64_t>(in.size()) != spatial + 2 || out.size() != in.size())
    return std::nullopt;
  std::optional<SmallVector<double>> factors = c.getFloats("scale_factors");
  const StringRef names[] = {"scales_d", "scales_h", "scales_w"};
  SmallVector<Axis> axes;
  for (int64_t i = 0; i < spatial; ++i) {
    std::optional<double> factor;
    if (factors && static_cast<int64_t>(factors->size()) == spatial)
      factor = (*factors)[i];
    else if (!factors)
      factor = c.getFloat(spatial == 1 ? "scales" : names[3 - spatial + i]);
    axes.push_back({2 + i, in[2 + i], out[2 + i], factor,
                    c.boolOr("align_corners", false)});
  }
  return axes;
}

static AtenHandler resample(int64_t spatial, Step step, bool isExact = false) {
  return [=](AtenCall &c) -> LogicalResult {
    StringRef name = c.tensor("self") ? "self" : "input";
    Type type = c.resultElementType();
    Value x = c.tensor(name);
    if (!x)
      return c.fail("its operand is missing");
    auto axes = readAxes(c, x, spatial);
    if (!axes)
      return c.fail("its operand has another rank");
    // Numbers between elements are rounded once.
    if (!isExact)
      x = c.b.convert(x, isa<FloatType>(type) ? getAccumulationType(type)
                                              : c.b.getBuilder().getF32Type());
    // Bytes are rounded, halves up, after each dimension, of which the last is
    // the first; and they do not wrap.
    bool areBytes = !isExact && !isa<FloatType>(type);
    if (areBytes)
      std::reverse(axes->begin(), axes->end());
    for (const Axis &axis : *axes) {
      if (axis.in == axis.out && step != stepCubicFiltered &&
          step != stepLinearFiltered)
        continue;
      x = step(c.b, x, axis);
      if (areBytes)
        x = max(min(floor(Num(c.b, x) + 0.5), 255), 0);
    }
    return c.replace(x);
  };
}

void graph::populateResampleLegalizations(AtenLegalizations &t) {
  auto add = [&](StringRef name, StringRef dims, int64_t spatial, Step step,
                 bool isExact = false) {
    std::string base = (name + dims).str();
    t.add(base + " " + base + ".vec", resample(spatial, step, isExact));
  };
  const StringRef kDims[] = {"1d", "2d", "3d"};
  for (auto [i, dims] : llvm::enumerate(kDims)) {
    add("upsample_nearest", dims, i + 1, stepNearest, /*isExact=*/true);
    add("_upsample_nearest_exact", dims, i + 1, stepNearestExact,
        /*isExact=*/true);
  }
  add("upsample_linear", "1d", 1, stepLinear);
  add("upsample_bilinear", "2d", 2, stepLinear);
  add("upsample_trilinear", "3d", 3, stepLinear);
  add("upsample_bicubic", "2d", 2, stepCubic);
  t.add("_upsample_bilinear2d_aa _upsample_bilinear2d_aa.vec",
        resample(2, stepLinearFiltered));
  t.add("_upsample_bicubic2d_aa _upsample_bicubic2d_aa.vec",
        resample(2, stepCubicFiltered));
}
