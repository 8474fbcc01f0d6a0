//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fourier transforms: calls of the functions `coil::fft_c2c`, `coil::fft_r2c`
// and `coil::fft_c2r`, which take and give complex numbers by their parts.
//
//===----------------------------------------------------------------------===//

#include "ComplexCall.h"
#include "TensorMath.h"

#include <cmath>

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

namespace {

/// The dimensions of a transform, and their sizes where the call gives them.
struct Dimensions {
  SmallVector<int64_t> dims;
  SmallVector<ExprAttr> sizes; ///< Null: as they are.
};

/// What sums are divided by.
enum class Divisor { None, Root, Count };

} // namespace

/// An integer list argument, which may hold symbolic sizes.
static std::optional<Sizes> getList(ComplexCall &c, StringRef name) {
  Attribute attr = c.op.getArgument(name);
  Sizes result;
  if (auto shape = dyn_cast_or_null<sym::ShapeAttr>(attr))
    return Sizes(shape.getDims());
  if (auto array = dyn_cast_or_null<DenseI64ArrayAttr>(attr)) {
    for (int64_t i : array.asArrayRef())
      result.push_back(c.b.size(i));
    return result;
  }
  if (auto integer = dyn_cast_or_null<IntegerAttr>(attr))
    return Sizes{c.b.size(integer.getInt())};
  if (auto expr = dyn_cast_or_null<ExprAttr>(attr))
    return Sizes{expr};
  return std::nullopt;
}

/// Reads `n` and `dim`, or `s` and `dim`.
static LogicalResult getDimensions(ComplexCall &c, int64_t rank,
                                   Dimensions &out) {
  std::optional<Sizes> dims = getList(c, "dim");
  std::optional<Sizes> sizes = getList(c, "n");
  if (!sizes)
    sizes = getList(c, "s");
  if (!dims) {
    int64_t count = sizes ? sizes->size() : rank;
    dims.emplace();
    for (int64_t d = rank - count; d < rank; ++d)
      dims->push_back(c.b.size(d));
  }
  for (ExprAttr dim : *dims) {
    if (!dim.isConstant())
      return c.fail("a dimension is not constant");
    int64_t value = dim.getValue() < 0 ? dim.getValue() + rank : dim.getValue();
    if (value < 0 || value >= rank)
      return c.fail("a dimension does not exist");
    if (llvm::is_contained(out.dims, value))
      return c.fail("a dimension is there twice");
    out.dims.push_back(value);
  }
  if (sizes && sizes->size() != out.dims.size())
    return c.fail("there are other numbers of sizes and dimensions");
  for (size_t i = 0; i < out.dims.size(); ++i) {
    ExprAttr size = sizes ? (*sizes)[i] : ExprAttr();
    out.sizes.push_back(size && size.isConstant(-1) ? ExprAttr() : size);
  }
  return success();
}

/// The first `size` elements along a dimension, with zeros behind them.
static Value resize(TensorBuilder &b, Value x, int64_t dim, ExprAttr size) {
  Sizes sizes = getSizes(x);
  ExprAttr have = sizes[dim];
  if (!size || size == have)
    return x;
  ExprAttr missing = sym::sub(size, have);
  std::optional<int64_t> difference = missing.getConstant();
  if (!difference || *difference > 0) {
    // Where only the run knows whether it is cut or padded, it is both.
    sizes[dim] = sym::max(missing, b.size(0));
    Value zeros = b.full(b.getBuilder().getZeroAttr(getElementType(x)), sizes);
    x = b.cat({x, zeros}, dim);
  }
  return difference && *difference > 0 ? x : b.slice(x, dim, b.size(0), size);
}

static ComplexParts resize(TensorBuilder &b, ComplexParts x, int64_t dim,
                           ExprAttr size) {
  return {resize(b, x.re, dim, size),
          x.im ? resize(b, x.im, dim, size) : Value()};
}

/// The divisor of a transform by the argument `norm`.
static FailureOr<Divisor> getDivisor(ComplexCall &c, bool inverse) {
  auto attr = dyn_cast_or_null<StringAttr>(c.op.getArgument("norm"));
  StringRef norm = attr ? attr.getValue() : "backward";
  if (norm == "ortho")
    return Divisor::Root;
  if (norm != "backward" && norm != "forward") {
    (void)c.fail("the norm '" + norm + "' is unknown");
    return failure();
  }
  return (norm == "backward") == inverse ? Divisor::Count : Divisor::None;
}

/// The factor by a number of elements as a constant, or 1, with what the result
/// is multiplied with instead in `factor`.
static double getScale(TensorBuilder &b, Divisor divisor, ExprAttr count,
                       Type type, Value &factor) {
  if (divisor == Divisor::None)
    return 1;
  if (std::optional<int64_t> number = count.getConstant()) {
    double n = static_cast<double>(std::max<int64_t>(*number, 1));
    return divisor == Divisor::Count ? 1 / n : 1 / std::sqrt(n);
  }
  Value n = b.expr(count, type);
  factor = divisor == Divisor::Count ? b.unary<ReciprocalOp>(n)
                                     : b.unary<RsqrtOp>(n);
  return 1;
}

/// A call of a function of the runtime with one result.
static Value callFft(TensorBuilder &b, StringRef name, Value x,
                     ArrayRef<int64_t> dims, Attribute third, double scale,
                     SizesRef sizes) {
  OpBuilder &builder = b.getBuilder();
  SmallVector<Attribute> list;
  for (int64_t dim : dims)
    list.push_back(b.size(dim));
  Attribute arguments[] = {builder.getUnitAttr(), builder.getArrayAttr(list),
                           third, builder.getF64FloatAttr(scale)};
  auto call = CustomCallOp::create(
      builder, b.getLoc(),
      TypeRange(sym::getTensorType(sizes, getElementType(x))),
      builder.getStringAttr(name), builder.getArrayAttr(arguments), x,
      ArrayAttr(), DenseI64ArrayAttr(), ArrayAttr());
  return call.getResult(0);
}

static ComplexParts scaleParts(TensorBuilder &b, ComplexParts x, Value factor) {
  if (!factor)
    return x;
  return {b.mul(x.re, factor), b.mul(x.im, factor)};
}

/// The type to transform in.
static Type getTransformType(ComplexCall &c) {
  Type type = c.getComputeType();
  return type.isF64() ? type : Float32Type::get(c.op.getContext());
}

/// The product of the sizes of dimensions.
static ExprAttr countAlong(TensorBuilder &b, SizesRef sizes,
                           ArrayRef<int64_t> dims) {
  Sizes along;
  for (int64_t dim : dims)
    along.push_back(sizes[dim]);
  return sym::product(b.getContext(), along);
}

/// Whether no dimension is transformed that has no elements, which is an error
/// of the framework.
static LogicalResult checkNotEmpty(ComplexCall &c, SizesRef sizes,
                                   ArrayRef<int64_t> dims) {
  for (int64_t dim : dims)
    if (sizes[dim].isConstant(0))
      return c.fail("a dimension to transform is empty");
  return success();
}

static FailureOr<ComplexParts> transformComplex(ComplexCall &c, ComplexParts x,
                                                ArrayRef<int64_t> dims,
                                                bool inverse, Divisor divisor) {
  TensorBuilder &b = c.b;
  Sizes sizes = getSizes(x.re);
  if (dims.empty())
    return x;
  if (failed(checkNotEmpty(c, sizes, dims)))
    return failure();
  Value factor;
  double scale = getScale(b, divisor, countAlong(b, sizes, dims),
                          getElementType(x.re), factor);
  sizes.push_back(b.size(2));
  Value result = callFft(b, "coil::fft_c2c", pack(b, x), dims,
                         b.getBuilder().getBoolAttr(inverse), scale, sizes);
  return scaleParts(b, unpack(b, result), factor);
}

static FailureOr<ComplexParts> transformReal(ComplexCall &c, Value x,
                                             ArrayRef<int64_t> dims,
                                             bool onesided, Divisor divisor) {
  TensorBuilder &b = c.b;
  Sizes sizes = getSizes(x);
  if (failed(checkNotEmpty(c, sizes, dims)))
    return failure();
  Value factor;
  double scale = getScale(b, divisor, countAlong(b, sizes, dims),
                          getElementType(x), factor);
  if (onesided)
    sizes[dims.back()] =
        sym::add(sym::floorDiv(sizes[dims.back()], b.size(2)), 1);
  sizes.push_back(b.size(2));
  Value result = callFft(b, "coil::fft_r2c", x, dims,
                         b.getBuilder().getBoolAttr(onesided), scale, sizes);
  return scaleParts(b, unpack(b, result), factor);
}

static FailureOr<Value> transformToReal(ComplexCall &c, ComplexParts x,
                                        ArrayRef<int64_t> dims, ExprAttr size,
                                        Divisor divisor) {
  TensorBuilder &b = c.b;
  Sizes sizes = getSizes(x.re);
  sizes[dims.back()] = size;
  if (size.isConstant() && size.getValue() < 1) {
    (void)c.fail("the size of its result is not positive");
    return failure();
  }
  if (failed(checkNotEmpty(c, sizes, dims)))
    return failure();
  Value factor;
  double scale = getScale(b, divisor, countAlong(b, sizes, dims),
                          getElementType(x.re), factor);
  Value result =
      callFft(b, "coil::fft_c2r", pack(b, x), dims, size, scale, sizes);
  return factor ? b.mul(result, factor) : result;
}

/// fft, ifft and those of several dimensions.
static ComplexHandler complexTransform(bool inverse) {
  return [=](ComplexCall &c) -> LogicalResult {
    Value self = c.op.getTensor("self");
    if (!self)
      return c.fail("its operand is missing");
    Type type = getTransformType(c);
    ComplexParts x = c.partsOf(self, type);
    Dimensions d;
    FailureOr<Divisor> divisor = getDivisor(c, inverse);
    if (failed(divisor) || failed(getDimensions(c, getSizes(x.re).size(), d)))
      return failure();
    for (auto [dim, size] : llvm::zip(d.dims, d.sizes))
      x = resize(c.b, x, dim, size);
    if (ComplexCall::isComplex(self) || d.dims.empty()) {
      FailureOr<ComplexParts> result =
          transformComplex(c, x, d.dims, inverse, *divisor);
      return failed(result) ? failure() : c.replace(*result);
    }
    // Of real numbers; the inverse is the conjugate.
    FailureOr<ComplexParts> result =
        transformReal(c, x.re, d.dims, /*onesided=*/false, *divisor);
    if (failed(result))
      return failure();
    if (inverse)
      result->im = c.b.unary<NegOp>(result->im);
    return c.replace(*result);
  };
}

/// rfft and, as its conjugate, ihfft.
static ComplexHandler realTransform(bool conjugate) {
  return [=](ComplexCall &c) -> LogicalResult {
    Value self = c.op.getTensor("self");
    if (!self || ComplexCall::isComplex(self))
      return c.fail("its operand is not real");
    Value x = c.b.convert(self, getTransformType(c));
    Dimensions d;
    FailureOr<Divisor> divisor = getDivisor(c, /*inverse=*/conjugate);
    if (failed(divisor) || failed(getDimensions(c, getSizes(x).size(), d)))
      return failure();
    if (d.dims.empty())
      return c.fail("no dimension is transformed");
    for (auto [dim, size] : llvm::zip(d.dims, d.sizes))
      x = resize(c.b, x, dim, size);
    FailureOr<ComplexParts> result =
        transformReal(c, x, d.dims, /*onesided=*/true, *divisor);
    if (failed(result))
      return failure();
    return c.replace(conjugate ? c.math.conj(*result) : *result);
  };
}

/// irfft and, of the conjugate, hfft.
static ComplexHandler toRealTransform(bool conjugate) {
  return [=](ComplexCall &c) -> LogicalResult {
    Value self = c.op.getTensor("self");
    if (!self)
      return c.fail("its operand is missing");
    ComplexParts x = c.partsOf(self, getTransformType(c));
    if (conjugate)
      x = c.math.conj(x);
    Dimensions d;
    FailureOr<Divisor> divisor = getDivisor(c, /*inverse=*/!conjugate);
    if (failed(divisor) || failed(getDimensions(c, getSizes(x.re).size(), d)))
      return failure();
    if (d.dims.empty())
      return c.fail("no dimension is transformed");
    ExprAttr last = d.sizes.back();
    if (!last)
      last = sym::mul(sym::add(getSizes(x.re)[d.dims.back()], -1), 2);
    d.sizes.back() = sym::add(sym::floorDiv(last, c.b.size(2)), 1);
    for (auto [dim, size] : llvm::zip(d.dims, d.sizes))
      x = resize(c.b, x, dim, size);
    FailureOr<Value> result = transformToReal(c, x, d.dims, last, *divisor);
    return failed(result) ? failure() : c.replaceReal(*result);
  };
}

/// The operators that the framework decomposes the others into.
static FailureOr<Divisor> getDivisorNumber(ComplexCall &c) {
  auto number =
      dyn_cast_or_null<IntegerAttr>(c.op.getArgument("normalization"));
  if (!number || number.getInt() < 0 || number.getInt() > 2) {
    (void)c.fail("its normalization is unknown");
    return failure();
  }
  return static_cast<Divisor>(number.getInt());
}

static bool getFlag(ComplexCall &c, StringRef name, bool otherwise) {
  auto flag = dyn_cast_or_null<BoolAttr>(c.op.getArgument(name));
  return flag ? flag.getValue() : otherwise;
}

static LogicalResult expandC2C(ComplexCall &c) {
  ComplexParts x = c.partsOf(c.op.getTensor("self"), getTransformType(c));
  Dimensions d;
  FailureOr<Divisor> divisor = getDivisorNumber(c);
  if (failed(divisor) || failed(getDimensions(c, getSizes(x.re).size(), d)))
    return failure();
  FailureOr<ComplexParts> result =
      transformComplex(c, x, d.dims, !getFlag(c, "forward", true), *divisor);
  return failed(result) ? failure() : c.replace(*result);
}

static LogicalResult expandR2C(ComplexCall &c) {
  Value x = c.b.convert(c.op.getTensor("self"), getTransformType(c));
  Dimensions d;
  FailureOr<Divisor> divisor = getDivisorNumber(c);
  if (failed(divisor) || failed(getDimensions(c, getSizes(x).size(), d)))
    return failure();
  if (d.dims.empty())
    return c.replace(c.partsOf(c.op.getTensor("self"), getTransformType(c)));
  FailureOr<ComplexParts> result =
      transformReal(c, x, d.dims, getFlag(c, "onesided", true), *divisor);
  return failed(result) ? failure() : c.replace(*result);
}

static LogicalResult expandC2R(ComplexCall &c) {
  ComplexParts x = c.partsOf(c.op.getTensor("self"), getTransformType(c));
  Dimensions d;
  FailureOr<Divisor> divisor = getDivisorNumber(c);
  if (failed(divisor) || failed(getDimensions(c, getSizes(x.re).size(), d)))
    return failure();
  std::optional<Sizes> size = getList(c, "last_dim_size");
  if (d.dims.empty() || !size || size->size() != 1)
    return c.fail("its size or dimension is missing");
  x = resize(c.b, x, d.dims.back(),
             sym::add(sym::floorDiv(size->front(), c.b.size(2)), 1));
  FailureOr<Value> result =
      transformToReal(c, x, d.dims, size->front(), *divisor);
  return failed(result) ? failure() : c.replaceReal(*result);
}

//===----------------------------------------------------------------------===//
// Short-time transforms
//===----------------------------------------------------------------------===//

static std::optional<int64_t> getInt(ComplexCall &c, StringRef name) {
  auto integer = dyn_cast_or_null<IntegerAttr>(c.op.getArgument(name));
  return integer ? std::optional(integer.getInt()) : std::nullopt;
}

/// The window, or ones, with zeros on both sides, `size` elements in all; null
/// where it would be ones alone.
static FailureOr<ComplexParts> getWindow(ComplexCall &c, int64_t size,
                                         int64_t length, Type type) {
  TensorBuilder &b = c.b;
  Value given = c.op.getTensor("window");
  ComplexParts window = {};
  if (given) {
    if (getSizes(given).size() != 1 || !getSizes(given)[0].isConstant(length)) {
      (void)c.fail("its window does not have the length that it says");
      return failure();
    }
    if (ComplexCall::isComplex(given))
      window = c.partsOf(given, type);
    else
      window.re = b.convert(given, type);
  } else if (length < size) {
    window.re = b.full(b.getBuilder().getFloatAttr(type, 1), b.size(length));
  }
  int64_t left = (size - length) / 2;
  auto pad = [&](Value part) -> Value {
    return part ? b.pad(part, left, size - length - left,
                        b.getBuilder().getFloatAttr(type, 0))
                : Value();
  };
  return ComplexParts{pad(window.re), pad(window.im)};
}

/// stft: transforms of frames of the last dimension, `hop_length` apart, times
/// a window. (What centers frames pads the operand before.)
static LogicalResult expandStft(ComplexCall &c) {
  TensorBuilder &b = c.b;
  Value self = c.op.getTensor("self");
  std::optional<int64_t> size = getInt(c, "n_fft");
  if (!self || !size || *size < 1)
    return c.fail("an operand is missing");
  int64_t hop = getInt(c, "hop_length").value_or(*size / 4),
          length = getInt(c, "win_length").value_or(*size);
  if (hop < 1 || length < 1 || length > *size || getSizes(self).empty())
    return c.fail("its frames are not known");
  if (getFlag(c, "center", false))
    return c.fail("it is to pad its operand");
  Type type = getTransformType(c);
  FailureOr<ComplexParts> weights = getWindow(c, *size, length, type);
  if (failed(weights))
    return failure();
  int64_t last = static_cast<int64_t>(getSizes(self).size()) - 1;
  // Frames begin where the window does, not where its zeros do.
  SmallVector<int64_t> padding(last + 1, 0);
  bool isAligned = getFlag(c, "align_to_window", false);
  if (isAligned)
    padding[last] = (*size - length) / 2;
  Positions p(b);
  ExprAttr count =
      sym::add(sym::floorDiv(
                   sym::add(getSizes(self)[last], isAligned ? -length : -*size),
                   b.size(hop)),
               1);
  Value positions = (p.iota(count) * static_cast<double>(hop)).unsqueeze(1) +
                    p.iota(b.size(*size));
  auto takeFrames = [&](Value part) {
    part = b.pad(part, padding, padding, b.getBuilder().getFloatAttr(type, 0));
    return b.index(part, positions, last);
  };
  bool isReal = !ComplexCall::isComplex(self) && !weights->im;
  ComplexParts frames = c.partsOf(self, type);
  frames.re = takeFrames(frames.re);
  if (isReal && weights->re) {
    frames.re = b.mul(frames.re, weights->re);
  } else if (!isReal) {
    frames.im = takeFrames(frames.im);
    if (weights->im)
      frames = c.math.mul(frames, *weights);
    else if (weights->re)
      frames = c.math.scale(frames, weights->re);
  }
  Divisor divisor =
      getFlag(c, "normalized", false) ? Divisor::Root : Divisor::None;
  bool onesided = getFlag(c, "onesided", isReal);
  FailureOr<ComplexParts> result =
      isReal
          ? transformReal(c, frames.re, last + 1, onesided, divisor)
          : transformComplex(c, frames, last + 1, /*inverse=*/false, divisor);
  if (failed(result))
    return failure();
  ComplexParts turned = {b.transpose(result->re, last, last + 1),
                         b.transpose(result->im, last, last + 1)};
  if (!isa<ComplexType>(c.resultType().getElementType()))
    return c.replaceReal(pack(b, turned));
  return c.replace(turned);
}

/// istft: frames, transformed back and times the window, are added up where
/// they were, and divided by the sums of the window's squares.
static LogicalResult expandIstft(ComplexCall &c) {
  TensorBuilder &b = c.b;
  Value self = c.op.getTensor("self");
  std::optional<int64_t> size = getInt(c, "n_fft");
  if (!self || !size || *size < 1 || getSizes(self).size() < 2)
    return c.fail("an operand is missing");
  int64_t hop = getInt(c, "hop_length").value_or(*size / 4),
          length = getInt(c, "win_length").value_or(*size);
  if (hop < 1 || length < 1 || length > *size)
    return c.fail("its frames are not known");
  Type type = getTransformType(c);
  FailureOr<ComplexParts> weights = getWindow(c, *size, length, type);
  if (failed(weights))
    return failure();
  if (!weights->re)
    weights->re = b.full(b.getBuilder().getFloatAttr(type, 1), b.size(*size));

  // [..., frames, coefficients]
  int64_t rank = getSizes(self).size();
  ComplexParts x = c.partsOf(self, type);
  x = {b.transpose(x.re, rank - 2, rank - 1),
       b.transpose(x.im, rank - 2, rank - 1)};
  bool isReal = !ComplexCall::isComplex(c.op.getOutputs().front());
  Divisor divisor =
      getFlag(c, "normalized", false) ? Divisor::Root : Divisor::Count;
  if (isReal) {
    ComplexParts half = resize(b, x, rank - 1, b.size(*size / 2 + 1));
    if (weights->im)
      return c.fail("a complex window gives no real signal");
    FailureOr<Value> real =
        transformToReal(c, half, rank - 1, b.size(*size), divisor);
    if (failed(real))
      return failure();
    x = {b.mul(*real, weights->re), nullptr};
  } else {
    FailureOr<ComplexParts> made =
        transformComplex(c, x, rank - 1, /*inverse=*/true, divisor);
    if (failed(made))
      return failure();
    x = weights->im ? c.math.mul(*made, *weights)
                    : c.math.scale(*made, weights->re);
  }

  Positions p(b);
  ExprAttr count = getSizes(x.re)[rank - 2],
           all = sym::add(sym::mul(sym::add(count, -1), hop), *size);
  Value positions = (p.iota(count) * static_cast<double>(hop)).unsqueeze(1) +
                    p.iota(b.size(*size));
  auto addUp = [&](Value frames) -> Value {
    if (!frames)
      return {};
    Sizes sizes(SizesRef(getSizes(frames)).drop_back(2));
    int64_t dim = sizes.size();
    sizes.push_back(all);
    return putAt(b, ReduceKind::Sum, filled(b, 0, type, sizes), positions,
                 frames, dim);
  };
  ComplexParts squares =
      weights->im ? c.math.mul(*weights, *weights)
                  : ComplexParts{b.mul(weights->re, weights->re), nullptr};
  auto ofFrames = [&](Value part) -> Value {
    return part ? b.broadcast(part, {count, b.size(*size)}) : Value();
  };
  ComplexParts sum = {addUp(x.re), addUp(x.im)},
               envelope = {addUp(ofFrames(squares.re)),
                           addUp(ofFrames(squares.im))};
  ComplexParts result;
  if (isReal)
    result = {b.div(sum.re, envelope.re), nullptr};
  else if (envelope.im)
    result = c.math.div(sum, envelope);
  else
    result = {b.div(sum.re, envelope.re), b.div(sum.im, envelope.re)};
  // What was in front of the signal, to center frames, goes.
  int64_t start = getFlag(c, "center", true) ? *size / 2 : 0;
  std::optional<int64_t> wanted = getInt(c, "length");
  auto cut = [&](Value part) {
    return part ? b.slice(part, rank - 2, b.size(start), sym::add(all, -start))
                : Value();
  };
  return c.replace(
      resize(b, {cut(result.re), cut(result.im)}, rank - 2,
             wanted ? b.size(*wanted) : sym::add(all, -2 * start)));
}

void graph::populateComplexFft(ComplexExpansions &t) {
  t.add("fft_fft fft_fft2 fft_fftn", complexTransform(/*inverse=*/false));
  t.add("fft_ifft fft_ifft2 fft_ifftn", complexTransform(/*inverse=*/true));
  t.add("fft_rfft fft_rfft2 fft_rfftn", realTransform(/*conjugate=*/false));
  t.add("fft_ihfft fft_ihfft2 fft_ihfftn", realTransform(/*conjugate=*/true));
  t.add("fft_irfft fft_irfft2 fft_irfftn",
        toRealTransform(/*conjugate=*/false));
  t.add("fft_hfft fft_hfft2 fft_hfftn", toRealTransform(/*conjugate=*/true));
  t.add("stft", expandStft);
  t.add("istft", expandIstft);
  t.add("_fft_c2c", expandC2C);
  t.add("_fft_r2c", expandR2C);
  t.add("_fft_c2r", expandC2R);
}

/// A handler of complex calls for one that has neither complex operands nor
/// results.
static AtenHandler ofReal(ComplexHandler handler) {
  return [handler](AtenCall &c) -> LogicalResult {
    ComplexCall::PartsMap none;
    ComplexCall call(c.op, c.b.getBuilder(), none);
    if (failed(handler(call)))
      return c.fail(call.reason);
    SmallVector<Value> values;
    for (ComplexParts result : call.results)
      values.push_back(result.re);
    return c.replace(values);
  };
}

void graph::populateRealTransforms(AtenLegalizations &t) {
  t.add("fft_irfft fft_irfft2 fft_irfftn",
        ofReal(toRealTransform(/*conjugate=*/false)));
  t.add("fft_hfft fft_hfft2 fft_hfftn",
        ofReal(toRealTransform(/*conjugate=*/true)));
  t.add("stft", ofReal(expandStft));
}
