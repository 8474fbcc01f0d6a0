//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalisation of resampling along the spatial dimensions: nearest, linear and
// cubic interpolation, one dimension after the other, and antialiasing, which
// is a mean of a window of elements under a filter. Positions are computed in
// the types that the framework computes them in, since they are rounded down.
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"

#include "coil/Dialect/Graph/IR/InRange.h"

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

/// The weight of an element by its distance; it is zero from `reach` on.
struct Filter {
  Num (*weight)(Num);
  int64_t reach;
};

/// A method, of floats and of bytes.
struct Method {
  Step step;
  Step stepBytes;
};

} // namespace

static Num sizeAs(TensorBuilder &b, ExprAttr size, Type type) {
  if (auto constant = size.getConstant())
    return {b, b.scalar(static_cast<double>(*constant), type)};
  return {b, b.expr(size, type)};
}

/// Elements of the input for one of the output.
static Num getRatio(TensorBuilder &b, const Axis &a, Type type) {
  if (a.alignCorners) { // A single element lies above the first one.
    if (a.out == b.size(1))
      return {b, b.scalar(0, type)};
    Num ratio = sizeAs(b, sym::add(a.in, -1), type) /
                max(sizeAs(b, sym::add(a.out, -1), type), 1);
    return a.out.getConstant() ? ratio
                               : select(sizeAs(b, a.out, type) == 1, 0, ratio);
  }
  if (a.factor && *a.factor > 0)
    return {b, b.scalar(1 / *a.factor, type)};
  return sizeAs(b, a.in, type) / sizeAs(b, a.out, type);
}

/// A vector along the axis, or what takes the places of its elements.
static Num along(Num v, const Axis &a, Value x) {
  for (int64_t d = a.dim + 1; d < getRank(x); ++d)
    v = v.unsqueeze(getRank(v));
  return v;
}

static Num take(TensorBuilder &b, Value x, Num position, const Axis &a) {
  return {b, b.index(x, Value(position), a.dim)};
}

/// Says of positions that are between zero and the last of `size` elements that
/// they are inside, if there are elements.
static void needsNoCheck(TensorBuilder &b, Value v, ExprAttr size) {
  if (size.isConstant() && size.getValue() > 0)
    v.getDefiningOp()->setDiscardableAttr(kInRangeAttrName,
                                          b.getBuilder().getUnitAttr());
}

//===----------------------------------------------------------------------===//
// Nearest
//===----------------------------------------------------------------------===//

/// The element at `floor(i * ratio)`; the framework takes half of `i` where the
/// size doubles. It computes in `f32`.
static Num findNearest(TensorBuilder &b, const Axis &a) {
  Positions p(b);
  Num i = p.iota(a.out);
  if (a.out == sym::mul(a.in, 2))
    return floorDiv(i, 2);
  Type f32 = b.getBuilder().getF32Type();
  Num position = floor(i.to(f32) * getRatio(b, a, f32)).to(p.type());
  return p.clamp(position, a.in);
}

/// The element at `floor((i + 0.5) * ratio)`.
static Num findNearestExact(TensorBuilder &b, const Axis &a) {
  Positions p(b);
  Type f32 = b.getBuilder().getF32Type(), f64 = b.getBuilder().getF64Type();
  Num position = (p.iota(a.out).to(f64) + 0.5) * getRatio(b, a, f32).to(f64);
  return p.clamp(floor(position.to(f32)).to(p.type()), a.in);
}

template <Num (*find)(TensorBuilder &, const Axis &)>
static Value stepNearest(TensorBuilder &b, Value x, const Axis &a) {
  return take(b, x, find(b, a), a);
}

/// The gradient of a step: elements of the result are added where they were
/// taken from.
template <Num (*find)(TensorBuilder &, const Axis &)>
static Value addNearest(TensorBuilder &b, Value grad, const Axis &a) {
  Sizes sizes = getSizes(grad);
  sizes[a.dim] = a.in;
  return putAt(b, ReduceKind::Sum, filled(b, 0, getElementType(grad), sizes),
               Value(find(b, a)), grad, a.dim);
}

//===----------------------------------------------------------------------===//
// Linear and cubic
//===----------------------------------------------------------------------===//

namespace {
/// An element of the input, and how far behind it something is: in 0..1.
struct Place {
  Num element, offset;
};

/// An element of the input for each of the output, and its weight.
struct Tap {
  Num element, weight;
};
} // namespace

using Taps = SmallVector<Tap> (*)(TensorBuilder &, const Axis &, Type);

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

static SmallVector<Tap> getLinearTaps(TensorBuilder &b, const Axis &a,
                                      Type type) {
  Positions p(b);
  Place place = getPlace(b, a, type, /*isCubic=*/false);
  Num next = min(place.element + 1, p.size(sym::add(a.in, -1)));
  return {{place.element, 1 - place.offset}, {next, place.offset}};
}

/// Weights of the four elements around a place: cubic convolution.
static SmallVector<Num> getCubicWeights(Num t, double A) {
  auto near = [&](Num x) { return (x * (A + 2) - (A + 3)) * x * x + 1; };
  auto far = [&](Num x) { return ((x * A - 5 * A) * x + 8 * A) * x - 4 * A; };
  return {far(t + 1), near(t), near(1 - t), far(2 - t)};
}

static SmallVector<Tap> getCubicTaps(TensorBuilder &b, const Axis &a,
                                     Type type) {
  Positions p(b);
  Place place = getPlace(b, a, type, /*isCubic=*/true);
  SmallVector<Tap> taps;
  for (auto [i, weight] : llvm::enumerate(getCubicWeights(place.offset, -0.75)))
    taps.push_back(
        {p.clamp(place.element + (static_cast<double>(i) - 1), a.in), weight});
  return taps;
}

template <Taps getTaps>
static Value stepTaps(TensorBuilder &b, Value x, const Axis &a) {
  std::optional<Num> sum;
  for (const Tap &tap : getTaps(b, a, getElementType(x))) {
    Num term = take(b, x, tap.element, a) * along(tap.weight, a, x);
    sum = sum ? *sum + term : term;
  }
  return *sum;
}

/// The gradient of a step.
template <Taps getTaps>
static Value addTaps(TensorBuilder &b, Value grad, const Axis &a) {
  Type type = getElementType(grad);
  Sizes sizes = getSizes(grad);
  sizes[a.dim] = a.in;
  Value sum = filled(b, 0, type, sizes);
  for (const Tap &tap : getTaps(b, a, type)) {
    sum = putAt(b, ReduceKind::Sum, sum, Value(tap.element),
                Num(b, grad) * along(tap.weight, a, grad), a.dim);
    // With a factor the ratio may be infinite, and a place no number.
    if (!a.factor)
      needsNoCheck(b, sum, a.in);
  }
  return sum;
}

//===----------------------------------------------------------------------===//
// Antialiasing
//===----------------------------------------------------------------------===//

static Num triangle(Num x) { return max(1 - abs(x), 0); }

/// Cubic convolution with the parameter A in hundredths.
template <int hundredths>
static Num cubic(Num x) {
  const double A = hundredths / 100.0;
  x = abs(x);
  Num near = (x * (A + 2) - (A + 3)) * x * x + 1;
  Num far = ((x * A - 5 * A) * x + 8 * A) * x - 4 * A;
  return select(x < 1, near, select(x < 2, far, 0));
}

static const Filter kTriangle = {triangle, 1}, kCubic = {cubic<-75>, 2},
                    kSmoothCubic = {cubic<-50>, 2};

namespace {
/// What a mean under a filter reads for each element of the output: a window of
/// elements of the input, as wide as the ratio, and at least as wide as the
/// filter itself. Elements outside of it are not read: a product with a weight
/// of zero would make NaN of an infinity.
class Windows {
public:
  Windows(TensorBuilder &b, const Axis &a, Type type, const Filter &filter)
      : b(b), p(b), a(a), filter(filter), ratio(getRatio(b, a, type)),
        width(max(ratio, 1)),
        support(width * static_cast<double>(filter.reach)) {}

  /// An element of the output at positions `i`.
  Num center(Num i) { return (i.to(ratio.type()) + 0.5) * ratio; }
  Num first(Num i) { return max((center(i) - support + 0.5).to(p.type()), 0); }
  Num end(Num i) {
    return min((center(i) + support + 0.5).to(p.type()), p.size(a.in));
  }

  /// Elements, which of them are in a window, and their weights.
  struct Elements {
    Num position, isInside, weight;
  };
  /// `[out, elements of a window]`.
  Elements elements();
  /// The elements of the output whose windows an element of the input is in:
  /// `[in, windows of an element]`.
  Elements transposedElements();

private:
  /// How many elements a distance of `2 * support` has in a grid of `size`,
  /// whose elements are `den / num` apart.
  ExprAttr countAtMost(ExprAttr num, ExprAttr den, double factor,
                       ExprAttr size);
  /// The filter at element `j` for the window of `i`.
  Num weigh(Num i, Num j, Num isInside) {
    Num distance = j.to(ratio.type()) - center(i) + 0.5;
    return select(isInside, filter.weight(distance * (1 / width)), 0);
  }
  /// The sum of a window's weights that they are divided by.
  static Num total(Num weight) {
    Num total = weight.reduce(ReduceKind::Sum, 1);
    return select(total == 0, 1, total);
  }
  /// The weights of each window, before they are divided.
  Elements weighed();

  TensorBuilder &b;
  Positions p;
  const Axis &a;
  const Filter &filter;
  Num ratio, width, support;
};
} // namespace

ExprAttr Windows::countAtMost(ExprAttr num, ExprAttr den, double factor,
                              ExprAttr size) {
  // One more than fit into the distance, and one for rounding errors.
  int64_t reach = 2 * filter.reach;
  if (a.factor && *a.factor > 0 && !a.alignCorners)
    return sym::min(size, b.size(static_cast<int64_t>(
                                     std::ceil(reach * std::max(factor, 1.0))) +
                                 2));
  if (a.alignCorners) {
    num = sym::max(sym::add(num, -1), b.size(1));
    den = sym::max(sym::add(den, -1), b.size(1));
  }
  ExprAttr distance = sym::ceilDiv(sym::mul(sym::max(num, den), reach), den);
  return sym::min(size, sym::add(distance, 2));
}

Windows::Elements Windows::weighed() {
  ExprAttr count = countAtMost(a.in, a.out, a.factor ? 1 / *a.factor : 0, a.in);
  Num i = p.iota(a.out).unsqueeze(1);
  Num j = first(i) + p.iota(count);
  Num isInside = j < end(i);
  return {p.clamp(j, a.in), isInside, weigh(i, j, isInside)};
}

Windows::Elements Windows::elements() {
  Elements e = weighed();
  e.weight = e.weight / total(e.weight).unsqueeze(1);
  return e;
}

Windows::Elements Windows::transposedElements() {
  ExprAttr count = countAtMost(a.out, a.in, a.factor ? *a.factor : 0, a.out);
  count = sym::min(a.out, sym::add(count, 2));
  // The window of `i` ends behind `j` from this `i` on; windows are tested
  // below, so that one too few does no harm.
  Num j = p.iota(a.in).unsqueeze(1);
  Num from = floor((j.to(ratio.type()) + 0.5 - support) / ratio - 0.5) - 1;
  from = max(min(from, sizeAs(b, a.out, ratio.type())), 0);
  Num last = p.size(sym::sub(a.out, count));
  Num i = max(min(from.to(p.type()), last), 0) + p.iota(count);
  Num isInside = (j >= first(i)) & (j < end(i));
  Num totals = total(weighed().weight);
  Num weight = weigh(i, j, isInside) / Num(b, b.index(totals, Value(i), 0));
  return {i, isInside, weight};
}

/// Sums of products of a tensor's elements along the axis and their weights.
static Value sumWindows(TensorBuilder &b, Value x, const Windows::Elements &e,
                        const Axis &a) {
  Num taken = take(b, x, e.position, a);
  needsNoCheck(b, taken, getSizes(x)[a.dim]);
  Num product = taken * along(e.weight, a, x);
  return select(along(e.isInside, a, x), product, 0)
      .reduce(ReduceKind::Sum, a.dim + 1);
}

template <const Filter &filter>
static Value stepFiltered(TensorBuilder &b, Value x, const Axis &a) {
  return sumWindows(b, x, Windows(b, a, getElementType(x), filter).elements(),
                    a);
}

/// The gradient of a step: what windows have added to an element.
template <const Filter &filter>
static Value addFiltered(TensorBuilder &b, Value grad, const Axis &a) {
  Windows windows(b, a, getElementType(grad), filter);
  return sumWindows(b, grad, windows.transposedElements(), a);
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

// The framework computes weights of bytes in `f64` and rounds them to integers
// of 16 bits, times the largest power of two for which they fit. Sums are
// integers, and rounded to bytes after each dimension.

namespace {
/// The power of two that weights are multiplied by, and its logarithm.
struct ByteScale {
  Num factor, bits;
};
} // namespace

static ByteScale getByteScale(TensorBuilder &b, Num largest) {
  // 2^n for the first n in 0..22 for which 2^(n + 1) would be too much.
  SmallVector<int64_t> powers;
  for (int64_t n = 1; n <= 22; ++n)
    powers.push_back(int64_t(1) << n);
  Num next = Positions(b).table(powers).to(largest.type());
  Num fits = floor(next * largest + 0.5) < 32768;
  return {
      select(fits, next.number(2), next.number(1)).reduce(ReduceKind::Prod, 0),
      fits.to(b.getBuilder().getI32Type()).reduce(ReduceKind::Sum, 0)};
}

static Num roundWeight(TensorBuilder &b, Num weight, const ByteScale &scale) {
  Num v = weight * scale.factor;
  return select(v < 0, v - 0.5, v + 0.5).to(b.getBuilder().getI32Type());
}

/// There are no vectors of quotients of integers.
static Value roundSum(TensorBuilder &b, Num sum, const ByteScale &scale) {
  Num bits = scale.bits.to(sum.type()), one = sum.number(1);
  Num half(b, b.binary<ShiftRightOp>(b.binary<ShiftLeftOp>(one, bits), one));
  Num quotient(b, b.binary<ShiftRightOp>(sum + half, bits));
  return max(min(quotient, 255), 0);
}

/// The elements around a place. What is outside of the input counts as the
/// element at its end, whose weights are added up before they are rounded.
template <const Filter &filter>
static Value stepBytes(TensorBuilder &b, Value x, const Axis &a) {
  Positions p(b);
  Place place =
      getPlace(b, a, b.getBuilder().getF64Type(), /*isCubic=*/filter.reach > 1);
  SmallVector<Num> elements, sums;
  Num largest = place.offset.number(0);
  for (int64_t j = 0; j < 2 * filter.reach; ++j) {
    auto distance = static_cast<double>(j + 1 - filter.reach);
    Num weight = filter.weight(distance - place.offset);
    elements.push_back(p.clamp(place.element + distance, a.in));
    if (j > 0)
      weight =
          select(elements[j] == elements[j - 1], sums[j - 1] + weight, weight);
    sums.push_back(weight);
    largest = max(weight, largest);
  }
  ByteScale scale = getByteScale(b, largest.reduce(ReduceKind::Max, 0));
  std::optional<Num> total;
  for (size_t j = 0; j < sums.size(); ++j) {
    Num weight = sums[j];
    if (j + 1 < sums.size())
      weight = select(elements[j] == elements[j + 1], 0, weight);
    Num term =
        take(b, x, elements[j], a) * along(roundWeight(b, weight, scale), a, x);
    total = total ? *total + term : term;
  }
  return roundSum(b, *total, scale);
}

template <const Filter &filter>
static Value stepBytesFiltered(TensorBuilder &b, Value x, const Axis &a) {
  auto e = Windows(b, a, b.getBuilder().getF64Type(), filter).elements();
  ByteScale scale = getByteScale(b, e.weight.reduce(ReduceKind::Max, {0, 1}));
  e.weight = roundWeight(b, e.weight, scale);
  return roundSum(b, Num(b, sumWindows(b, x, e, a)), scale);
}

//===----------------------------------------------------------------------===//
// The operators
//===----------------------------------------------------------------------===//

/// The axes of an operator over the last `spatial` dimensions. Factors are a
/// list, or an argument for each dimension.
static std::optional<SmallVector<Axis>>
readAxes(AtenCall &c, const Sizes &in, const Sizes &out, int64_t spatial) {
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

/// The operand `x`, and the axes along which it is resampled.
static FailureOr<SmallVector<Axis>> readOperand(AtenCall &c, Value &x,
                                                int64_t spatial) {
  x = c.tensor(c.tensor("self") ? "self" : "input");
  if (!x)
    return c.fail("its operand is missing");
  auto axes = readAxes(c, getSizes(x), c.resultSizes(), spatial);
  if (!axes)
    return c.fail("its operand has another rank");
  return *axes;
}

/// Elements as they are.
static AtenHandler resampleNearest(int64_t spatial, Step step) {
  return [=](AtenCall &c) -> LogicalResult {
    Value x;
    auto axes = readOperand(c, x, spatial);
    if (failed(axes))
      return failure();
    for (const Axis &axis : *axes)
      if (axis.in != axis.out)
        x = step(c.b, x, axis);
    return c.replace(x);
  };
}

/// Numbers between elements.
static AtenHandler resample(int64_t spatial, Method method) {
  return [=](AtenCall &c) -> LogicalResult {
    Value x;
    auto axes = readOperand(c, x, spatial);
    if (failed(axes))
      return failure();
    Type type = c.resultElementType();
    if (isa<FloatType>(type)) {
      // Rounded once.
      x = c.b.convert(x, getAccumulationType(type));
      for (const Axis &axis : *axes)
        if (axis.in != axis.out)
          x = method.step(c.b, x, axis);
      return c.replace(x);
    }
    if (!type.isUnsignedInteger(8))
      return c.fail("its elements are neither floats nor bytes");
    x = c.b.convert(x, c.b.getBuilder().getI32Type());
    for (const Axis &axis : llvm::reverse(*axes))
      if (axis.in != axis.out)
        x = method.stepBytes(c.b, x, axis);
    return c.replace(x);
  };
}

/// The gradients of all elements of the operand.
static AtenHandler resampleBackward(int64_t spatial, Step step,
                                    bool isFiltered = false) {
  return [=](AtenCall &c) -> LogicalResult {
    Type type = getAccumulationType(c.resultElementType());
    Value grad = c.operand("grad_output", type);
    if (!grad)
      return c.fail("its operand is missing");
    auto axes = readAxes(c, c.resultSizes(), getSizes(grad), spatial);
    if (!axes)
      return c.fail("its operand has another rank");
    for (const Axis &axis : llvm::reverse(*axes))
      if (axis.in != axis.out || isFiltered)
        grad = step(c.b, grad, axis);
    return c.replace(grad);
  };
}

void graph::populateResampleLegalizations(AtenLegalizations &t) {
  auto add = [&](StringRef name, StringRef dims, AtenHandler handler) {
    std::string base = (name + dims).str();
    t.add(base + " " + base + ".vec", handler);
  };
  const StringRef kDims[] = {"1d", "2d", "3d"};
  for (auto [i, dims] : llvm::enumerate(kDims)) {
    int64_t spatial = static_cast<int64_t>(i) + 1;
    add("upsample_nearest", dims,
        resampleNearest(spatial, stepNearest<findNearest>));
    add("_upsample_nearest_exact", dims,
        resampleNearest(spatial, stepNearest<findNearestExact>));
    t.add(("upsample_nearest" + dims + "_backward").str(),
          resampleBackward(spatial, addNearest<findNearest>));
    t.add(("_upsample_nearest_exact" + dims + "_backward").str(),
          resampleBackward(spatial, addNearest<findNearestExact>));
  }
  const Method linear = {stepTaps<getLinearTaps>, stepBytes<kTriangle>};
  add("upsample_linear", "1d", resample(1, linear));
  add("upsample_bilinear", "2d", resample(2, linear));
  add("upsample_trilinear", "3d", resample(3, linear));
  add("upsample_bicubic", "2d",
      resample(2, {stepTaps<getCubicTaps>, stepBytes<kCubic>}));
  add("_upsample_bilinear2d_aa", "",
      resample(2, {stepFiltered<kTriangle>, stepBytesFiltered<kTriangle>}));
  add("_upsample_bicubic2d_aa", "",
      resample(2,
               {stepFiltered<kSmoothCubic>, stepBytesFiltered<kSmoothCubic>}));
  t.add("upsample_linear1d_backward",
        resampleBackward(1, addTaps<getLinearTaps>));
  t.add("upsample_bilinear2d_backward",
        resampleBackward(2, addTaps<getLinearTaps>));
  t.add("upsample_trilinear3d_backward",
        resampleBackward(3, addTaps<getLinearTaps>));
  t.add("upsample_bicubic2d_backward",
        resampleBackward(2, addTaps<getCubicTaps>));
  t.add("_upsample_bilinear2d_aa_backward",
        resampleBackward(2, addFiltered<kTriangle>, /*isFiltered=*/true));
  t.add("_upsample_bicubic2d_aa_backward",
        resampleBackward(2, addFiltered<kSmoothCubic>, /*isFiltered=*/true));
}
