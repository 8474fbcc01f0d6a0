//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalisation of pooling. Windows of one size are `graph.pool`; where
// positions are wanted or windows differ, the elements of each window are
// gathered and reduced, which fusion makes one kernel of.
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

//===----------------------------------------------------------------------===//
// Gathered windows
//===----------------------------------------------------------------------===//

namespace {

/// Windows along one dimension. Element k of window i is at
/// `start[i] + k * dilation` for k in `first[i]..last[i]`; all other k stand
/// for padding, or for what only longer windows have.
struct WindowDim {
  ExprAttr count, kernel;
  Num start, first, last;
  int64_t dilation;
  /// The last element of the dimension, if a window may be in a gap of its
  /// dilation: `last` is in front of `first` there.
  std::optional<Num> end = std::nullopt;
};

/// Pooled values, and positions in the flattened spatial dimensions.
struct Pooled {
  Value values, positions;
};

} // namespace

/// A vector along dimension `at` of `rank` dimensions.
static Num along(Num v, int64_t at, int64_t rank) {
  for (int64_t d = at + 1; d < rank; ++d)
    v = v.unsqueeze(getRank(v));
  return v;
}

/// Elements of windows over the last dimensions of `x`: `[..., windows...,
/// elements...]`. An element that a window does not have repeats one that it
/// has, which changes no extremum and not where it first is.
static Value gatherWindows(TensorBuilder &b, Value x,
                           ArrayRef<WindowDim> windows) {
  Positions p(b);
  int64_t spatial = windows.size(), before = getRank(x) - spatial;
  SmallVector<int64_t> permutation = allDims(x);
  permutation.resize(before);
  for (auto [i, w] : llvm::enumerate(windows)) {
    Num k =
        max(min(p.iota(w.kernel), w.last.unsqueeze(1)), w.first.unsqueeze(1));
    Num position = w.start.unsqueeze(1) + k * w.dilation;
    if (w.end)
      position = min(position, *w.end);
    x = b.index(x, Value(position), before + 2 * static_cast<int64_t>(i));
    permutation.push_back(before + 2 * i);
  }
  for (int64_t i = 0; i < spatial; ++i)
    permutation.push_back(before + 2 * i + 1);
  return b.permute(x, permutation);
}

/// The sizes of `x`, of which the last `count` dimensions become one.
static Sizes mergeLast(Value x, int64_t count) {
  Sizes sizes = getSizes(x);
  ExprAttr merged =
      sym::product(x.getContext(), SizesRef(sizes).take_back(count));
  sizes.pop_back_n(count);
  sizes.push_back(merged);
  return sizes;
}

/// The largest element along the last dimension, and where it first is; where a
/// NaN last is if there is one.
static std::pair<Value, Value> argMaxOfLast(TensorBuilder &b, Value elements) {
  auto [values, found] = argReduceLast(b, ReduceKind::Max, elements);
  if (!isa<FloatType>(getElementType(elements)))
    return {values, found};
  Num number = Positions(b).iota(getSizes(elements).back());
  Num last = select(isNan(Num(b, elements)), number, -1)
                 .reduce(ReduceKind::Max, lastDims(getRank(elements), 1));
  return {values, select(last >= 0, last, Num(b, found))};
}

/// The largest element of each window, and where it is.
static Pooled maxOfWindows(TensorBuilder &b, Value x,
                           ArrayRef<WindowDim> windows) {
  int64_t spatial = windows.size();
  Sizes sizes = getSizes(x);
  Value elements = gatherWindows(b, x, windows);
  elements = b.reshape(elements, mergeLast(elements, spatial));
  auto [values, found] = argMaxOfLast(b, elements);
  Positions p(b);
  // A window without elements has the least value, at its first position.
  for (auto [i, w] : llvm::enumerate(windows))
    if (w.end) {
      Num isEmpty = along(w.last < w.first, i, spatial);
      found = select(isEmpty, 0, Num(b, found));
      values =
          select(isEmpty, Num(b, lowest(b, getElementType(x))), Num(b, values));
    }
  // The element's number in the window, dimension by dimension from the last.
  Num rest(b, found);
  SmallVector<Num> numbers;
  for (const WindowDim &w : llvm::reverse(windows)) {
    Num kernel = p.size(w.kernel);
    numbers.push_back(mod(rest, kernel));
    rest = floorDiv(rest, kernel);
  }
  Num position = p.number(0);
  for (auto [i, w] : llvm::enumerate(windows)) {
    auto at = [&, i = i](Num v) { return along(v, i, spatial); };
    Num k = max(min(numbers[spatial - 1 - i], at(w.last)), at(w.first));
    Num here = at(w.start) + k * w.dilation;
    position = position * p.size(sizes[sizes.size() - spatial + i]) + here;
  }
  return {values, position};
}

/// Windows of one size. Fails where one would have no element.
static FailureOr<WindowDim> slidingWindow(TensorBuilder &b, ExprAttr size,
                                          ExprAttr count, int64_t kernel,
                                          int64_t stride, int64_t padding,
                                          int64_t dilation) {
  if (dilation * (kernel - 1) + 1 <= padding || size.isConstant(0))
    return failure();
  Positions p(b);
  Num start = p.iota(count) * stride - padding;
  // Multiples of the dilation that lead to the first and to the last element.
  Num first = max(floorDiv(-start + (dilation - 1), dilation), 0);
  Num last =
      min(floorDiv(p.size(sym::add(size, -1)) - start, dilation), kernel - 1);
  WindowDim window{count, b.size(kernel), start, first, last, dilation};
  if (dilation > 1 && padding > 0)
    window.end = p.size(sym::add(size, -1));
  return window;
}

/// Windows that divide a dimension into `count` parts as equal as possible:
/// `floor(i * size / count)` up to `ceil((i + 1) * size / count)`.
static WindowDim adaptiveWindow(AtenCall &c, ExprAttr size, ExprAttr count) {
  Positions p(c.b);
  Num i = p.iota(count), n = p.size(size), parts = p.size(count);
  Num start = floorDiv(i * n, parts);
  Num end = floorDiv((i + 1) * n + (parts - 1), parts);
  // No window is longer than this; where sizes divide, all are as long.
  bool divides = c.getContext().simplify(sym::mod(size, count)).isConstant(0);
  ExprAttr longest =
      divides ? sym::floorDiv(size, count)
              : sym::min(size, sym::add(sym::ceilDiv(size, count), 1));
  return {count,           c.getContext().simplify(longest),
          start,           p.number(0).unsqueeze(0),
          end - start - 1, 1};
}

/// The largest element, or the mean, of each window over the last dimensions,
/// one dimension after the other: so an element is read as often as one
/// dimension has it in windows, not as often as all have. All windows are read
/// as long as the longest one, the last ones from further in front, and what a
/// window does not have is replaced: so its elements follow each other in
/// memory, and its reduction is one over vectors.
static Value reduceAdaptive(TensorBuilder &b, PoolKind kind, Value x,
                            ArrayRef<WindowDim> windows) {
  Positions p(b);
  int64_t spatial = windows.size(), rank = getRank(x);
  Type type = getElementType(x);
  bool isMax = kind == PoolKind::Max;
  Value neutral = isMax ? lowest(b, type) : b.scalar(0, type);
  Num count(b, b.scalar(1, type));
  for (int64_t i = spatial - 1; i >= 0; --i) {
    const WindowDim &w = windows[i];
    int64_t at = rank - spatial + i;
    // Not from behind where the longest window fits for the last time.
    Num start = min(w.start, p.size(sym::sub(getSizes(x)[at], w.kernel)));
    Num k = p.iota(w.kernel), skipped = (w.start - start).unsqueeze(1);
    Num isMember = (skipped <= k) & (k <= skipped + w.last.unsqueeze(1));
    // [windows, elements] among the dimensions, of which one is more.
    x = b.index(x, Value(start.unsqueeze(1) + k), at);
    x = select(along(isMember, at, rank), Num(b, x), Num(b, neutral))
            .reduce(isMax ? ReduceKind::Max : ReduceKind::Sum, {at + 1});
    if (!isMax)
      count = count * along((w.last + 1).to(type), i, spatial);
  }
  return isMax ? x : Value(Num(b, x) / count);
}

//===----------------------------------------------------------------------===//
// Windows of one size
//===----------------------------------------------------------------------===//
/// Replaces an operator that may give positions, too.
static LogicalResult replacePooled(AtenCall &c, const Pooled &pooled) {
  if (c.op.getOutputs().size() == 1)
    return c.replace(pooled.values);
  return c.replace({pooled.values, pooled.positions});
}

/// Pools over the last `spatial` dimensions; missing batch dimensions are
/// added for the op and dropped again.
static Value pool(AtenCall &c, PoolKind kind, Value x, size_t spatial,
                  SizesRef resultSizes, ArrayRef<int64_t> kernel,
                  ArrayRef<int64_t> stride, ArrayRef<int64_t> padding,
                  ArrayRef<int64_t> dilation, bool countPadding,
                  std::optional<int64_t> divisor) {
  TensorBuilder &b = c.b;
  Sizes sizes(resultSizes);
  bool batched = getRank(x) == static_cast<int64_t>(spatial) + 2;
  if (!batched) {
    x = b.unsqueeze(x, 0);
    sizes.insert(sizes.begin(), b.size(1));
  }
  OpBuilder &builder = b.getBuilder();
  Value result = PoolOp::create(
      builder, b.getLoc(), sym::getTensorType(sizes, getElementType(x)), kind,
      x, kernel, stride, padding, dilation, countPadding,
      divisor ? builder.getI64IntegerAttr(*divisor) : IntegerAttr());
  return batched ? result : b.reshape(result, resultSizes);
}

static AtenHandler windowPool(PoolKind kind, size_t spatial) {
  return [=](AtenCall &c) -> LogicalResult {
    Value x = c.tensor("self");
    if (!x || (getRank(x) != static_cast<int64_t>(spatial) + 2 &&
               getRank(x) != static_cast<int64_t>(spatial) + 1))
      return c.fail("its operand has another rank");
    auto kernel = readSpatial(c, "kernel_size", spatial, 0);
    if (!kernel)
      return c.fail("its geometry is not constant");
    // Without strides, the windows touch.
    bool touch = !c.has("stride") ||
                 (c.getInts("stride") && c.getInts("stride")->empty());
    auto stride = touch ? kernel : readSpatial(c, "stride", spatial, 1);
    auto padding = readSpatial(c, "padding", spatial, 0),
         dilation = readSpatial(c, "dilation", spatial, 1);
    if (!stride || !padding || !dilation)
      return c.fail("its geometry is not constant");
    // Padding is less than a window, so that each window has an element; the op
    // has it at most half the kernel.
    bool isWide = false;
    Sizes in = getSizes(x), sizes = in;
    for (size_t i = 0; i < spatial; ++i) {
      ExprAttr &size = sizes[sizes.size() - spatial + i];
      if ((*kernel)[i] < 1 || (*stride)[i] < 1 || (*dilation)[i] < 1 ||
          (*padding)[i] < 0 ||
          (*padding)[i] > ((*kernel)[i] - 1) * (*dilation)[i])
        return c.fail("its geometry is invalid");
      isWide |= (*padding)[i] > (*kernel)[i] / 2;
      size = c.getContext().simplify(
          inferWindowCount(size, (*kernel)[i], (*stride)[i], (*padding)[i],
                           (*dilation)[i], c.boolOr("ceil_mode", false)));
    }
    bool hasPositions =
        c.op.getOutputs().size() > 1 && !c.op.getOutputs()[1].use_empty();
    if (kind == PoolKind::Max && (isWide || hasPositions)) {
      SmallVector<WindowDim> windows;
      for (size_t i = 0; i < spatial; ++i) {
        size_t at = sizes.size() - spatial + i;
        FailureOr<WindowDim> w =
            slidingWindow(c.b, in[at], sizes[at], (*kernel)[i], (*stride)[i],
                          (*padding)[i], (*dilation)[i]);
        if (failed(w))
          return c.fail("its geometry is invalid");
        windows.push_back(*w);
      }
      return replacePooled(c, maxOfWindows(c.b, x, windows));
    }
    if (isWide)
      return c.fail("its geometry is invalid");
    std::optional<int64_t> divisor = c.getInt("divisor_override");
    if (divisor && *divisor == 0)
      return c.fail("its divisor is zero");
    Value result =
        pool(c, kind, x, spatial, sizes, *kernel, *stride, *padding, *dilation,
             kind == PoolKind::Avg && c.boolOr("count_include_pad", true),
             kind == PoolKind::Avg ? divisor : std::nullopt);
    return replacePooled(c, {result, Value()});
  };
}

/// Adaptive pooling: the sizes of the result are given.
static AtenHandler adaptivePool(PoolKind kind, size_t spatial) {
  return [=](AtenCall &c) -> LogicalResult {
    Value x = c.tensor("self");
    // A mean of all has no need of channels.
    if (!x || (getRank(x) != static_cast<int64_t>(spatial) + 2 &&
               getRank(x) != static_cast<int64_t>(spatial) + 1 &&
               (kind == PoolKind::Max ||
                getRank(x) != static_cast<int64_t>(spatial))))
      return c.fail("its operand has another rank");
    Sizes in = getSizes(x), out = c.resultSizes();
    if (out.size() != in.size())
      return c.fail("its result has another rank");
    int64_t rank = in.size();
    auto last = lastDims(rank, spatial);
    bool isMax = kind == PoolKind::Max;
    bool hasPositions =
        c.op.getOutputs().size() > 1 && !c.op.getOutputs()[1].use_empty();
    Type wide = getAccumulationType(getElementType(x));
    if (!hasPositions &&
        llvm::all_of(last, [&](int64_t d) { return out[d].isConstant(1); }))
      return replacePooled(c,
                           {isMax ? c.b.reduce(ReduceKind::Max, x, last, true)
                                  : c.b.mean(c.b.convert(x, wide), last, true),
                            Value()});
    if (rank == static_cast<int64_t>(spatial))
      return c.fail("its operand has another rank");
    SmallVector<int64_t> kernel;
    for (int64_t d : last) {
      auto from = in[d].getConstant(), to = out[d].getConstant();
      if (from && to && *to >= 1 && *from >= *to && *from % *to == 0)
        kernel.push_back(*from / *to);
    }
    if (!hasPositions && kernel.size() == spatial) {
      SmallVector<int64_t> zeros(spatial, 0), ones(spatial, 1);
      return replacePooled(c, {pool(c, kind, x, spatial, out, kernel, kernel,
                                    zeros, ones, false, std::nullopt),
                               Value()});
    }
    SmallVector<WindowDim> windows;
    for (int64_t d : last) {
      if (in[d].isConstant(0))
        return c.fail("a dimension that it pools is empty");
      windows.push_back(adaptiveWindow(c, in[d], out[d]));
    }
    if (hasPositions)
      return replacePooled(c, maxOfWindows(c.b, x, windows));
    return replacePooled(
        c,
        {reduceAdaptive(c.b, kind, isMax ? x : c.b.convert(x, wide), windows),
         Value()});
  };
}

//===----------------------------------------------------------------------===//
// Fractional pooling
//===----------------------------------------------------------------------===//

/// Where windows of one size begin, in a sequence that a random number between
/// 0 and 1 shifts: `trunc((i + sample) * alpha) - trunc(sample * alpha)`, the
/// last one at the end. `samples` is `[batch, channels]`; so are the results,
/// with the windows behind. Each operation rounds to the type of the samples.
static Num fractionalStarts(TensorBuilder &b, Num samples, ExprAttr size,
                            ExprAttr count, int64_t kernel) {
  Positions p(b);
  Type type = samples.type(), wide = getAccumulationType(type);
  auto round = [&](Num v) { return v.to(type).to(wide); };
  Num room = p.size(sym::add(size, -kernel));
  Num i = p.iota(count), last = p.size(sym::add(count, -1));
  // With one window there is only the last.
  Num alpha = round(round(room) / round(max(last, 1)));
  samples = samples.unsqueeze(2).to(wide);
  auto trunc = [&](Num v) { return v.to(p.type()); };
  Num start = trunc(round(round(round(i) + samples) * alpha)) -
              trunc(round(samples * alpha));
  return select(i == last, room, start);
}

/// fractional_max_pool2d, 3d: the samples are in the order of width, height in
/// two dimensions, and of depth, height, width in three.
static AtenHandler fractionalPool(int64_t spatial) {
  return [=](AtenCall &c) -> LogicalResult {
    Value x = c.tensor("self"), samples = c.tensor("random_samples");
    auto kernel = readSpatial(c, "kernel_size", spatial, 1);
    if (!x || !samples || !kernel || getRank(samples) != 3 ||
        (getRank(x) != spatial + 2 && getRank(x) != spatial + 1))
      return c.fail("its operands have other ranks");
    TensorBuilder &b = c.b;
    bool batched = getRank(x) == spatial + 2;
    Sizes out = c.resultSizes();
    if (!batched) {
      x = b.unsqueeze(x, 0);
      out.insert(out.begin(), b.size(1));
    }
    if (out.size() != static_cast<size_t>(getRank(x)))
      return c.fail("its result has another rank");
    Sizes in = getSizes(x);
    int64_t rank = in.size();
    Positions p(b);
    // [batch, channels, windows..., elements...] for each dimension.
    SmallVector<Value> indices;
    for (int64_t d = 0; d < 2; ++d)
      indices.push_back(along(p.iota(in[d]), d, 2 + 2 * spatial));
    SmallVector<Num> positions;
    for (int64_t i = 0; i < spatial; ++i) {
      Num sample(b, b.at(samples, 2, b.size(spatial == 2 ? 1 - i : i)));
      Num start =
          fractionalStarts(b, sample, in[2 + i], out[2 + i], (*kernel)[i]);
      Sizes sizes(2 + 2 * spatial, b.size(1)), elements = sizes;
      std::copy_n(getSizes(start).begin(), 2, sizes.begin());
      sizes[2 + i] = out[2 + i];
      elements[2 + spatial + i] = b.size((*kernel)[i]);
      positions.push_back(
          Num(b, b.reshape(start, sizes)) +
          Num(b, b.reshape(p.iota(elements[2 + spatial + i]), elements)));
      indices.push_back(positions.back());
    }
    Value elements = b.index(x, indices, allDims(x));
    elements = b.reshape(elements, mergeLast(elements, spatial));
    auto [values, found] = argMaxOfLast(b, elements);
    // The same element of the positions in the flattened spatial dimensions.
    Num flat = positions.front();
    for (int64_t i = 1; i < spatial; ++i)
      flat = flat * p.size(in[2 + i]) + positions[i];
    Sizes all = getSizes(elements);
    Sizes unmerged = out;
    for (int64_t k : *kernel)
      unmerged.push_back(b.size(k));
    Value position = b.reshape(b.broadcast(flat, unmerged), all);
    position = b.reshape(
        gatherAlong(b, position, b.unsqueeze(found, rank), rank), out);
    if (!batched) {
      values = b.reshape(values, c.resultSizes());
      position = b.reshape(position, c.resultSizes());
    }
    return replacePooled(c, {values, position});
  };
}

//===----------------------------------------------------------------------===//
// Elements back to where windows had them
//===----------------------------------------------------------------------===//

/// The flattened spatial dimensions of `x`, and those before them.
static Value flattenSpatial(TensorBuilder &b, Value x, int64_t spatial) {
  return b.reshape(x, mergeLast(x, spatial));
}

/// Writes the elements of `source` to positions in a tensor of zeros of the
/// result's sizes.
static LogicalResult putBack(AtenCall &c, StringRef sourceName, int64_t spatial,
                             std::optional<ReduceKind> kind) {
  Value source = c.tensor(sourceName), indices = c.tensor("indices");
  Sizes out = c.resultSizes();
  if (!source || !indices || getRank(source) != getRank(indices) ||
      getRank(source) != static_cast<int64_t>(out.size()) ||
      getRank(source) < spatial)
    return c.fail("its operands have other ranks");
  TensorBuilder &b = c.b;
  Type type = getElementType(source);
  Type wide = kind ? getAccumulationType(type) : type;
  Value target = filled(b, 0, wide, out);
  Value result =
      scatterAlong(b, kind, flattenSpatial(b, target, spatial),
                   flattenSpatial(b, toIndex(b, indices), spatial),
                   b.convert(flattenSpatial(b, source, spatial), wide),
                   out.size() - spatial);
  return c.replace(b.reshape(result, out));
}

static AtenHandler unpool(int64_t spatial) {
  return [=](AtenCall &c) { return putBack(c, "self", spatial, std::nullopt); };
}

static AtenHandler maxPoolBackward(int64_t spatial) {
  return [=](AtenCall &c) {
    return putBack(c, "grad_output", spatial, ReduceKind::Sum);
  };
}

/// The gradient of the results of a pooling, in the type that sums have; null
/// after a failure.
static Value getGradient(AtenCall &c, int64_t spatial) {
  Value grad =
      c.operand("grad_output", getAccumulationType(c.resultElementType()));
  int64_t rank = c.resultSizes().size();
  if (grad && getRank(grad) == rank && rank > spatial)
    return grad;
  (void)c.fail("its operands have other ranks");
  return {};
}

/// _adaptive_avg_pool2d_backward, ..3d: each element of the operand gets its
/// share of the means of the windows that it is in, dimension by dimension.
static AtenHandler adaptiveAvgBackward(int64_t spatial) {
  return [=](AtenCall &c) -> LogicalResult {
    TensorBuilder &b = c.b;
    Type wide = getAccumulationType(c.resultElementType());
    Sizes in = c.resultSizes();
    int64_t rank = in.size();
    Value grad = getGradient(c, spatial);
    if (!grad)
      return failure();
    Positions p(b);
    Num x(b, grad);
    for (int64_t d : lastDims(rank, spatial)) {
      WindowDim w = adaptiveWindow(c, in[d], getSizes(x)[d]);
      Num share = x / along((w.last + 1).to(wide), d, rank);
      // [windows, elements] among the dimensions, of which one is more.
      Num number = p.iota(in[d]) - w.start.unsqueeze(1);
      Num isMember = (number >= 0) & (number <= w.last.unsqueeze(1));
      for (int64_t behind = d + 1; behind < rank; ++behind)
        isMember = isMember.unsqueeze(getRank(isMember));
      x = select(isMember, share.unsqueeze(d + 1), 0)
              .reduce(ReduceKind::Sum, d);
    }
    return c.replace(x);
  };
}

/// avg_pool2d_backward, ..3d: each element of the operand gets its share of the
/// means of the windows that it is in, dimension by dimension. Element y is, of
/// windows `i * stride - padding`, in the last that begins in front of it and
/// in as many before that as begin within a kernel.
static AtenHandler avgBackward(int64_t spatial) {
  return [=](AtenCall &c) -> LogicalResult {
    TensorBuilder &b = c.b;
    Type wide = getAccumulationType(c.resultElementType());
    Sizes in = c.resultSizes();
    int64_t rank = in.size();
    Value grad = getGradient(c, spatial);
    if (!grad)
      return failure();
    auto kernel = readSpatial(c, "kernel_size", spatial, 0);
    // Without strides, the windows touch.
    bool touch = !c.has("stride") ||
                 (c.getInts("stride") && c.getInts("stride")->empty());
    auto stride = touch ? kernel : readSpatial(c, "stride", spatial, 1);
    auto padding = readSpatial(c, "padding", spatial, 0);
    if (!kernel || !stride || !padding)
      return c.fail("its geometry is not constant");
    std::optional<int64_t> divisor = c.getInt("divisor_override");
    if (divisor && *divisor == 0)
      return c.fail("its divisor is zero");
    bool countsPadding = c.boolOr("count_include_pad", true);
    Positions p(b);
    Num x(b, grad);
    if (divisor)
      x = x / static_cast<double>(*divisor);
    for (int64_t i = 0; i < spatial; ++i) {
      int64_t d = rank - spatial + i, k = (*kernel)[i], s = (*stride)[i],
              pad = (*padding)[i];
      if (k < 1 || s < 1 || pad < 0)
        return c.fail("its geometry is invalid");
      Num size = p.size(in[d]);
      ExprAttr count = getSizes(x)[d];
      if (!divisor) {
        // The first and last elements of windows, of which those in the
        // padding behind the operand's, and of more none, count.
        Num start = p.iota(count) * s - pad;
        Num end = min(start + k, size + pad);
        if (!countsPadding) {
          start = max(start, 0);
          end = min(end, size);
        }
        x = x / along((end - start).to(wide), d, rank);
      }
      int64_t most = llvm::divideCeil(k, s);
      Num at = p.iota(in[d]) + pad;
      Num window = floorDiv(at, s).unsqueeze(1) - p.iota(b.size(most));
      Num isMember = (window >= 0) & (window < p.size(count)) &
                     (at.unsqueeze(1) - window * s < k);
      Num shares(b, b.index(x, Value(p.clamp(window, count)), d));
      x = select(along(isMember, d + 1, rank + 1), shares, 0)
              .reduce(ReduceKind::Sum, d + 1);
    }
    return c.replace(x);
  };
}

void graph::populatePoolingLegalizations(AtenLegalizations &t) {
  t.add("max_pool1d max_pool1d_with_indices", windowPool(PoolKind::Max, 1));
  t.add("max_pool2d max_pool2d_with_indices", windowPool(PoolKind::Max, 2));
  t.add("max_pool3d max_pool3d_with_indices", windowPool(PoolKind::Max, 3));
  t.add("avg_pool1d", windowPool(PoolKind::Avg, 1));
  t.add("avg_pool2d", windowPool(PoolKind::Avg, 2));
  t.add("avg_pool3d", windowPool(PoolKind::Avg, 3));
  t.add("adaptive_avg_pool1d", adaptivePool(PoolKind::Avg, 1));
  t.add("adaptive_avg_pool2d _adaptive_avg_pool2d",
        adaptivePool(PoolKind::Avg, 2));
  t.add("adaptive_avg_pool3d _adaptive_avg_pool3d",
        adaptivePool(PoolKind::Avg, 3));
  t.add("_adaptive_avg_pool2d_backward", adaptiveAvgBackward(2));
  t.add("_adaptive_avg_pool3d_backward", adaptiveAvgBackward(3));
  t.add("avg_pool2d_backward", avgBackward(2));
  t.add("avg_pool3d_backward", avgBackward(3));
  t.add("adaptive_max_pool1d", adaptivePool(PoolKind::Max, 1));
  t.add("adaptive_max_pool2d", adaptivePool(PoolKind::Max, 2));
  t.add("adaptive_max_pool3d", adaptivePool(PoolKind::Max, 3));
  t.add("fractional_max_pool2d", fractionalPool(2));
  t.add("fractional_max_pool3d", fractionalPool(3));
  t.add("max_unpool2d", unpool(2));
  t.add("max_unpool3d", unpool(3));
  t.add("max_pool2d_with_indices_backward adaptive_max_pool2d_backward "
        "fractional_max_pool2d_backward",
        maxPoolBackward(2));
  t.add("max_pool3d_with_indices_backward adaptive_max_pool3d_backward "
        "fractional_max_pool3d_backward",
        maxPoolBackward(3));
}
