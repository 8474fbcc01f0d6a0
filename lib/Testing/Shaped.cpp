//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random reductions, views, copies, indexing and contractions.
//
//===----------------------------------------------------------------------===//

#include "Generator.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using namespace coil::testing;
using reference::DType;
using reference::Tensor;
using sym::ExprAttr;

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

bool Generator::emitReduce() {
  const Item *found = find([](const Item &i) { return i.rank() > 0; });
  if (!found)
    return false;
  Item x = *found;
  SmallVector<int64_t> dims;
  int64_t count = 1;
  for (int64_t d = 0; d < x.rank(); ++d)
    if (chance(50)) {
      dims.push_back(d);
      count *= x.shape[d];
    }
  if (dims.empty()) {
    dims.push_back(below(x.rank()));
    count = x.shape[dims[0]];
  }
  bool keep = chance(40);
  auto reduce = [&](graph::ReduceKind kind, double lo, double hi) {
    return add(t.reduce(kind, x.value, dims, keep), lo, hi);
  };
  if (x.isBool() && chance(70))
    return reduce(chance(50) ? graph::ReduceKind::Any : graph::ReduceKind::All,
                  0, 1);
  double size = std::max(std::fabs(x.lo), std::fabs(x.hi));
  switch (below(6)) {
  case 5: {
    Type type = getElementType(x.value);
    if ((!type.isF32() && !type.isF64()) || count == 0)
      return false;
    auto [mean, m2] = t.moments(x.value, dims, keep);
    return add(mean, x.lo, x.hi) && add(m2, 0, 4 * size * size * count);
  }
  case 0:
    if (x.isBool() || (x.isFloat() && size * count > limit(x.dtype)))
      return false;
    return reduce(graph::ReduceKind::Sum, -size * count, size * count);
  case 1:
    if (x.isBool() || (x.isFloat() && (count > 9 || size > 2)))
      return false;
    return reduce(graph::ReduceKind::Prod, -HUGE_VAL, HUGE_VAL);
  case 2:
    if (x.isFloat())
      return false;
    return reduce(graph::ReduceKind::Xor, -HUGE_VAL, HUGE_VAL);
  default:
    // Of nothing a float extremum is infinite.
    if (x.isFloat() && count == 0)
      return false;
    return reduce(chance(50) ? graph::ReduceKind::Max : graph::ReduceKind::Min,
                  count ? x.lo : -HUGE_VAL, count ? x.hi : HUGE_VAL);
  }
}

bool Generator::emitArgReduce() {
  const Item *found = find([](const Item &i) { return i.rank() > 0; });
  if (!found)
    return false;
  Item x = *found;
  int64_t dim = below(x.rank());
  if (x.shape[dim] == 0)
    return false;
  auto op = ArgReduceOp::create(builder, loc,
                                chance(50) ? graph::ReduceKind::Max
                                           : graph::ReduceKind::Min,
                                x.value, dim, chance(40));
  return add(op.getValues(), x.lo, x.hi) &&
         add(op.getPositions(), 0, static_cast<double>(x.shape[dim]));
}

bool Generator::emitSort() {
  // Floats that two computations round differently have two orders.
  const Item *found = find([](const Item &i) {
    return i.rank() > 0 && (!i.isFloat() || isa<BlockArgument>(i.value));
  });
  if (!found)
    return false;
  Item x = *found;
  int64_t dim = below(x.rank());
  double size = static_cast<double>(x.shape[dim]);
  Operation *op;
  if (std::optional<int64_t> constant = x.sizes[dim].getConstant();
      constant && chance(50)) {
    int64_t count = below(*constant + 1);
    bool sorted = count == 0 || chance(50);
    op = TopKOp::create(builder, loc, x.value, t.size(count), dim, chance(50),
                        sorted);
    // Of those in any order the last one is known.
    if (!sorted) {
      auto last = [&](unsigned i) {
        return t.slice(op->getResult(i), dim, t.size(count - 1), t.size(1));
      };
      return add(last(0), x.lo, x.hi) && add(last(1), 0, std::max(size, 1.0));
    }
  } else {
    op = graph::SortOp::create(builder, loc, x.value, dim, chance(50),
                               chance(50));
  }
  return add(op->getResult(0), x.lo, x.hi) &&
         add(op->getResult(1), 0, std::max(size, 1.0));
}

bool Generator::emitScan() {
  const Item *found = find([](const Item &i) { return i.rank() > 0; });
  if (!found)
    return false;
  Item x = *found;
  int64_t dim = below(x.rank());
  double size = std::max(std::fabs(x.lo), std::fabs(x.hi));
  double count = static_cast<double>(x.shape[dim]);
  auto scan = [&](ScanKind kind, double lo, double hi) {
    return add(
        ScanOp::create(builder, loc, kind, x.value, static_cast<uint64_t>(dim)),
        lo, hi);
  };
  switch (below(4)) {
  case 0:
    if (x.isBool() || (x.isFloat() && (count > 9 || size > 2)))
      return false;
    return scan(ScanKind::Prod, -HUGE_VAL, HUGE_VAL);
  case 1:
    return scan(chance(50) ? ScanKind::Max : ScanKind::Min, x.lo, x.hi);
  case 2:
    if (x.isFloat() && size < 50)
      return scan(ScanKind::LogAddExp, x.lo, x.hi + std::log(count + 1));
    [[fallthrough]];
  default:
    if (x.isBool() || (x.isFloat() && size * count > limit(x.dtype)))
      return false;
    return scan(ScanKind::Sum, -size * count, size * count);
  }
}

bool Generator::emitArgScan() {
  const Item *found = find([](const Item &i) { return i.rank() > 0; });
  if (!found)
    return false;
  Item x = *found;
  int64_t dim = below(x.rank());
  auto op = ArgScanOp::create(builder, loc,
                              chance(50) ? graph::ReduceKind::Max
                                         : graph::ReduceKind::Min,
                              x.value, dim);
  return add(op.getValues(), x.lo, x.hi) &&
         add(op.getPositions(), 0, static_cast<double>(x.shape[dim]));
}

bool Generator::emitSoftmax() {
  const Item *found =
      find([](const Item &i) { return i.isFloat() && i.rank() > 0; });
  if (!found)
    return false;
  int64_t dim = chance(70) ? found->rank() - 1 : below(found->rank());
  if (found->shape[dim] == 0)
    return false;
  Item x = *found;
  return add(t.softmax(x.value, dim), 0, 1);
}

bool Generator::emitLayerNorm() {
  const Item *found = find([](const Item &i) {
    return i.isFloat() && i.rank() > 0 && i.shape.back() > 0;
  });
  if (!found)
    return false;
  Item x = clamp(*found, -16, 16);
  int64_t dim = x.rank() - 1;
  Value mean = t.mean(x.value, dim, /*keepdims=*/true);
  Value centred = t.sub(x.value, mean);
  Value variance = t.mean(t.mul(centred, centred), dim, /*keepdims=*/true);
  Value scale = t.unary<RsqrtOp>(t.add(variance, constant(0.25, x.dtype)));
  return add(t.mul(centred, scale), -64, 64);
}

//===----------------------------------------------------------------------===//
// Views and copies
//===----------------------------------------------------------------------===//

bool Generator::emitReshape() {
  const Item *found = findAny();
  if (!found)
    return false;
  Item x = *found;
  Sizes sizes = x.sizes;
  switch (below(4)) {
  case 0: // Join two neighbours.
    if (x.rank() < 2)
      return false;
    {
      int64_t d = below(x.rank() - 1);
      sizes[d] = sym::mul(sizes[d], sizes[d + 1]);
      sizes.erase(sizes.begin() + d + 1);
    }
    break;
  case 1: // Split a constant size.
    if (x.rank() == 0 || x.rank() > 4)
      return false;
    {
      int64_t d = below(x.rank()), factor = any<int64_t>({2, 3, 4});
      std::optional<int64_t> size = sizes[d].getConstant();
      if (!size || *size == 0 || *size % factor)
        return false;
      sizes[d] = t.size(factor);
      sizes.insert(sizes.begin() + d + below(2), t.size(*size / factor));
      if (sizes[d] != t.size(factor) && sizes[d + 1] != t.size(factor))
        return false;
    }
    break;
  case 2: // A new size of one.
    if (x.rank() > 4)
      return false;
    sizes.insert(sizes.begin() + below(x.rank() + 1), t.size(1));
    break;
  default: // Flatten.
    sizes.assign(
        1, sym::getNumElements(cast<RankedTensorType>(x.value.getType())));
    break;
  }
  Value v = t.reshape(x.value, sizes);
  return v != x.value && add(v, x.lo, x.hi);
}

bool Generator::emitPermute() {
  const Item *found = find([](const Item &i) { return i.rank() > 1; });
  if (!found)
    return false;
  Item x = *found;
  SmallVector<int64_t> permutation(
      llvm::to_vector(llvm::seq<int64_t>(0, x.rank())));
  for (int64_t i = x.rank(); i > 1; --i)
    std::swap(permutation[i - 1], permutation[below(i)]);
  Value v = t.permute(x.value, permutation);
  return v != x.value && add(v, x.lo, x.hi);
}

bool Generator::emitBroadcast() {
  const Item *found = findAny();
  if (!found)
    return false;
  Item x = *found;
  Sizes sizes = x.sizes;
  for (ExprAttr &size : sizes)
    if (size.isConstant(1))
      size = randomSize();
  if (chance(40) && x.rank() < 4)
    sizes.insert(sizes.begin(), randomSize());
  if (*Tensor::countElements(*evaluate(sizes)) > options.maxElements)
    return false;
  Value v = t.broadcast(x.value, sizes);
  return v != x.value && add(v, x.lo, x.hi);
}

bool Generator::emitSlice() {
  const Item *found = find([](const Item &i) { return i.rank() > 0; });
  if (!found)
    return false;
  Item x = *found;
  int64_t d = below(x.rank());
  int64_t size = x.shape[d];
  if (size == 0)
    return false;
  Value v;
  if (!x.sizes[d].isConstant()) {
    // Of a symbolic size: all but the first, or backward.
    v = chance(50)
            ? t.slice(x.value, d, t.size(1), sym::add(x.sizes[d], -1))
            : t.slice(x.value, d, sym::add(x.sizes[d], -1), x.sizes[d], -1);
  } else {
    int64_t step = any<int64_t>({1, 1, 2, 3, -1, -2});
    int64_t start = below(size);
    int64_t room = step > 0 ? (size - 1 - start) / step + 1 : start / -step + 1;
    v = t.slice(x.value, d, t.size(start), t.size(below(room + 1)), step);
  }
  return v != x.value && add(v, x.lo, x.hi);
}

bool Generator::emitCat() {
  const Item *found = find([](const Item &i) { return i.rank() > 0; });
  if (!found)
    return false;
  Item x = *found;
  int64_t dim = below(x.rank());
  SmallVector<Value> parts = {x.value};
  double lo = x.lo, hi = x.hi;
  int64_t total = x.count();
  for (int64_t i = 1 + below(3); i > 0; --i) {
    Sizes sizes = x.sizes;
    if (chance(50))
      sizes[dim] = randomSize();
    if (chance(30))
      sizes = x.sizes;
    std::optional<SmallVector<int64_t>> shape = evaluate(sizes);
    total += *Tensor::countElements(*shape);
    if (total > options.maxElements)
      break;
    Item y = chance(30) ? x : argument(x.dtype, sizes);
    parts.push_back(y.value);
    lo = std::min(lo, y.lo);
    hi = std::max(hi, y.hi);
  }
  if (parts.size() == 1 || chance(20))
    return false;
  if (chance(50))
    std::reverse(parts.begin(), parts.end());
  return add(t.cat(parts, dim), lo, hi);
}

bool Generator::emitPad() {
  const Item *found = find([](const Item &i) { return i.rank() > 0; });
  if (!found)
    return false;
  Item x = *found;
  SmallVector<int64_t> low, high;
  SmallVector<int64_t> shape = x.shape;
  for (int64_t d = 0; d < x.rank(); ++d) {
    bool crop = x.sizes[d].isConstant() && x.shape[d] > 4;
    low.push_back(below(3) - (crop ? 1 : 0));
    high.push_back(below(3) - (crop ? 1 : 0));
    shape[d] += low[d] + high[d];
  }
  if (*Tensor::countElements(shape) > options.maxElements)
    return false;
  int64_t value = x.isBool() ? below(2) : below(4);
  Value v =
      t.pad(x.value, low, high,
            convertScalar(builder.getI64IntegerAttr(value), type(x.dtype)));
  return add(v, std::min(x.lo, double(value)), std::max(x.hi, double(value)));
}

bool Generator::emitGather() {
  const Item *found = find([](const Item &i) { return i.rank() > 0; });
  if (!found)
    return false;
  Item x = *found;
  int64_t dim = below(x.rank());
  if (x.shape[dim] == 0)
    return false;
  // The bound has to hold whatever a symbol is.
  Sizes sizes = x.sizes;
  sizes[dim] = randomSize();
  if (*Tensor::countElements(*evaluate(sizes)) > options.maxElements)
    return false;
  double size = static_cast<double>(x.shape[dim]);
  Item index = argument(any({DType::I64, DType::I64, DType::I32}), sizes, -size,
                        size - 1);
  auto op =
      GatherOp::create(builder, loc, sym::getTensorType(sizes, type(x.dtype)),
                       x.value, index.value, dim);
  return add(op, x.lo, x.hi);
}

std::optional<Generator::Indexed> Generator::chooseIndexed(bool broadcasts) {
  const Item *found = find([](const Item &i) { return i.rank() > 0; });
  if (!found)
    return std::nullopt;
  Indexed result;
  Item x = result.into = *found;
  for (int64_t d = 0; d < x.rank(); ++d)
    if (x.shape[d] > 0 && chance(45))
      result.dims.push_back(d);
  if (result.dims.empty())
    return std::nullopt;
  Sizes shape = randomSizes(below(3));
  SmallVector<Sizes> indexSizes;
  for (int64_t d : result.dims) {
    Sizes sizes = shape;
    for (ExprAttr &size : sizes)
      if (broadcasts && !result.indices.empty() && chance(20))
        size = t.size(1);
    double size = static_cast<double>(x.shape[d]);
    result.indices.push_back(
        argument(DType::I64, sizes, -size, size - 1).value);
    indexSizes.push_back(sizes);
  }
  FailureOr<Sizes> sizes = inferIndex(x.sizes, indexSizes, result.dims);
  if (failed(sizes) ||
      *Tensor::countElements(*evaluate(*sizes)) > options.maxElements)
    return std::nullopt;
  result.sizes = *sizes;
  return result;
}

bool Generator::emitIndex() {
  std::optional<Indexed> at = chooseIndexed(/*broadcasts=*/true);
  return at && add(t.index(at->into.value, at->indices, at->dims), at->into.lo,
                   at->into.hi);
}

/// How to combine elements of an item's type; nothing replaces.
std::optional<graph::ReduceKind> Generator::randomWriteKind(const Item &item) {
  using graph::ReduceKind;
  if (chance(30))
    return std::nullopt;
  ReduceKind kind =
      any({ReduceKind::Sum, ReduceKind::Sum, ReduceKind::Max, ReduceKind::Min,
           ReduceKind::Any, ReduceKind::All, ReduceKind::Xor});
  return isReducible(kind, type(item.dtype)) ? kind : ReduceKind::Max;
}

/// Adds the result of writing `written` into `into`.
bool Generator::addWritten(Value value, std::optional<graph::ReduceKind> kind,
                           const Item &into, const Item &written) {
  double lo = std::min(into.lo, written.lo), hi = std::max(into.hi, written.hi);
  if (kind == graph::ReduceKind::Sum) {
    double count = static_cast<double>(written.count());
    lo = into.lo + std::min(0.0, written.lo) * count;
    hi = into.hi + std::max(0.0, written.hi) * count;
  }
  if (kind == graph::ReduceKind::Xor)
    lo = -HUGE_VAL, hi = HUGE_VAL;
  return add(value, lo, hi);
}

bool Generator::emitScatter() {
  const Item *found = find([](const Item &i) { return i.rank() > 0; });
  if (!found)
    return false;
  Item source = *found;
  int64_t dim = below(source.rank());
  Sizes sizes = source.sizes;
  sizes[dim] = randomSize();
  std::optional<SmallVector<int64_t>> shape = evaluate(sizes);
  if ((*shape)[dim] == 0 ||
      *Tensor::countElements(*shape) > options.maxElements)
    return false;
  std::optional<graph::ReduceKind> kind = randomWriteKind(source);
  double bound = std::max(std::fabs(source.lo), std::fabs(source.hi)) *
                 static_cast<double>(source.count());
  if (kind == graph::ReduceKind::Sum && source.isFloat() &&
      bound > limit(source.dtype))
    kind = std::nullopt;
  Item x = argument(source.dtype, sizes);
  // A value of the program rather than an argument can be written over.
  if (chance(60)) {
    Item y = argument(x.dtype, sizes);
    x.value = x.isBool() ? t.binary<BitwiseOrOp>(x.value, y.value)
                         : t.binary<MaximumOp>(x.value, y.value);
    x.hi = std::max(x.hi, y.hi);
  }
  double size = static_cast<double>((*shape)[dim]);
  Item index = argument(any({DType::I64, DType::I64, DType::I32}), source.sizes,
                        -size, size - 1);
  auto op = ScatterOp::create(builder, loc, x.value.getType(),
                              kind ? graph::ReduceKindAttr::get(context, *kind)
                                   : graph::ReduceKindAttr(),
                              x.value, index.value, source.value,
                              builder.getI64IntegerAttr(dim));
  return addWritten(op, kind, x, source);
}

bool Generator::emitIndexPut() {
  std::optional<Indexed> at = chooseIndexed(/*broadcasts=*/false);
  if (!at)
    return false;
  Item x = at->into;
  Item values = argument(x.dtype, at->sizes);
  std::optional<graph::ReduceKind> kind = randomWriteKind(x);
  double bound = std::max(std::fabs(x.lo), std::fabs(x.hi)) +
                 std::max(std::fabs(values.lo), std::fabs(values.hi)) *
                     static_cast<double>(values.count());
  if (kind == graph::ReduceKind::Sum && x.isFloat() && bound > limit(x.dtype))
    kind = std::nullopt;
  auto op = IndexPutOp::create(builder, loc, x.value.getType(),
                               kind ? graph::ReduceKindAttr::get(context, *kind)
                                    : graph::ReduceKindAttr(),
                               x.value, at->indices, values.value,
                               builder.getDenseI64ArrayAttr(at->dims));
  return addWritten(op, kind, x, values);
}

bool Generator::emitCreation() {
  DType dtype = randomDType();
  Sizes sizes = randomSizes(below(4));
  if (chance(40) || sizes.empty() || dtype == DType::Bool) {
    int64_t value = dtype == DType::Bool ? below(2) : below(5);
    return add(
        t.full(convertScalar(builder.getI64IntegerAttr(value), type(dtype)),
               sizes),
        double(value), double(value));
  }
  if (chance(20) && options.symbols && !symbols.empty()) {
    ExprAttr expr = sym::symbol(context, "s0");
    double value = static_cast<double>(*evaluate(expr));
    return add(t.expr(expr, type(randomFloat())), value, value);
  }
  int64_t dim = below(sizes.size()), start = below(3), step = 1 + below(2);
  double last = start + 2.0 * (*evaluate(sizes))[dim];
  RankedTensorType tensorType = sym::getTensorType(sizes, type(dtype));
  Value v;
  if (reference::isFloat(dtype))
    v = IotaOp::create(
        builder, loc, tensorType, builder.getF64FloatAttr(start * 0.5),
        builder.getF64FloatAttr(step * 0.25), builder.getI64IntegerAttr(dim));
  else
    v = IotaOp::create(
        builder, loc, tensorType, builder.getI64IntegerAttr(start),
        builder.getI64IntegerAttr(step), builder.getI64IntegerAttr(dim));
  return add(v, 0, last);
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

bool Generator::emitMatmul() {
  const Item *found = find([](const Item &i) {
    return !i.isBool() && i.rank() >= 2 && i.rank() <= 4;
  });
  if (!found)
    return false;
  Item a = *found;
  if (a.isFloat())
    a = clamp(a, -4, 4);
  Sizes sizes = a.sizes;
  int64_t rank = a.rank();
  sizes[rank - 2] = a.sizes[rank - 1];
  sizes[rank - 1] = randomSize();
  for (int64_t d = 0; d < rank - 2; ++d)
    if (chance(30))
      sizes[d] = t.size(1);
  Sizes result = a.sizes;
  result[rank - 1] = sizes[rank - 1];
  if (*Tensor::countElements(*evaluate(sizes)) > options.maxElements ||
      *Tensor::countElements(*evaluate(result)) > options.maxElements)
    return false;
  Item b = argument(a.dtype, sizes);
  // And a bias of at most two.
  double bound = 8.0 * static_cast<double>(a.shape[rank - 1]) + 2;
  if (a.isFloat() && bound > limit(a.dtype))
    return false;
  Value bias;
  if (chance(40))
    bias = argument(a.dtype, {sizes[rank - 1]}).value;
  return add(t.matmul(a.value, b.value, bias), a.isFloat() ? -bound : -HUGE_VAL,
             a.isFloat() ? bound : HUGE_VAL);
}

bool Generator::emitConv() {
  int64_t spatial = 1 + below(2), groups = any<int64_t>({1, 1, 2});
  int64_t channels = groups * (1 + below(2)), outputs = groups * (1 + below(3));
  Sizes input = {chance(50) && !symbols.empty() ? sym::symbol(context, "s0")
                                                : t.size(1 + below(2)),
                 t.size(channels)};
  Sizes weight = {t.size(outputs), t.size(channels / groups)};
  SmallVector<int64_t> stride, padding, dilation;
  for (int64_t d = 0; d < spatial; ++d) {
    int64_t kernel = 1 + below(3);
    weight.push_back(t.size(kernel));
    dilation.push_back(1 + below(2));
    stride.push_back(1 + below(2));
    padding.push_back(below(2));
    input.push_back(t.size((kernel - 1) * dilation.back() + 1 + below(6)));
  }
  if (*Tensor::countElements(*evaluate(input)) > options.maxElements)
    return false;
  DType dtype = randomFloat();
  // An infinite weight times padding is NaN or nothing, as libraries differ.
  llvm::SaveAndRestore keep(special, false);
  bool channelsLast = chance(30);
  if (channelsLast) {
    input = toChannelsLast<ExprAttr>(input);
    weight = toChannelsLast<ExprAttr>(weight);
  }
  Item x = argument(dtype, input), w = argument(dtype, weight);
  Value bias;
  if (chance(30))
    bias = argument(dtype, {t.size(outputs)}, -1, 1).value;
  auto op = ConvOp::create(builder, loc, x.value, w.value, stride, padding,
                           dilation, groups, channelsLast, bias);
  return add(op, -4.0 * 9 * 4 - 1, 4.0 * 9 * 4 + 1);
}

bool Generator::emitPool() {
  const Item *found = find([](const Item &i) {
    return !i.isBool() && i.rank() >= 3 && i.rank() <= 5;
  });
  if (!found)
    return false;
  Item x = *found;
  SmallVector<int64_t> kernel, stride, padding, dilation;
  Sizes sizes(x.sizes.begin(), x.sizes.begin() + 2);
  for (int64_t d = 2; d < x.rank(); ++d) {
    std::optional<int64_t> size = x.sizes[d].getConstant();
    if (!size || *size == 0)
      return false;
    kernel.push_back(1 + below(std::min<int64_t>(*size, 3)));
    stride.push_back(1 + below(3));
    padding.push_back(below(kernel.back() / 2 + 1));
    dilation.push_back(1);
    ExprAttr count = inferWindowCount(x.sizes[d], kernel.back(), stride.back(),
                                      padding.back(), dilation.back(),
                                      /*ceilMode=*/chance(30));
    sizes.push_back(count);
  }
  bool isMax = chance(50);
  // An average over a window that lies in no element is a division by zero.
  auto op = PoolOp::create(
      builder, loc, sym::getTensorType(sizes, type(x.dtype)),
      PoolKindAttr::get(context, isMax ? PoolKind::Max : PoolKind::Avg),
      x.value, builder.getDenseI64ArrayAttr(kernel),
      builder.getDenseI64ArrayAttr(stride),
      builder.getDenseI64ArrayAttr(padding),
      builder.getDenseI64ArrayAttr(dilation),
      !isMax && chance(40) ? builder.getUnitAttr() : UnitAttr(),
      !isMax && chance(40)
          ? builder.getI64IntegerAttr(reference::isUnsigned(x.dtype)
                                          ? any<int64_t>({3, 1, 7})
                                          : any<int64_t>({3, 1, -1, -2, 7}))
          : IntegerAttr(),
      /*channels_last=*/UnitAttr());
  double size = std::max(std::fabs(x.lo), std::fabs(x.hi));
  if (x.isFloat() && size * 27 > limit(x.dtype))
    return false;
  return add(op, isMax || !x.isFloat() ? x.lo : -27 * size,
             isMax || !x.isFloat() ? x.hi : 27 * size);
}

bool Generator::emitAttention() {
  int64_t depth = 1 + below(5), width = 1 + below(5);
  Sizes batch = {t.size(1 + below(2)), t.size(1 + below(3))};
  ExprAttr rows = randomSize();
  ExprAttr columns = chance(50) ? rows : randomSize();
  auto with = [&](ExprAttr a, ExprAttr b) {
    Sizes sizes = batch;
    sizes.push_back(a);
    sizes.push_back(b);
    return sizes;
  };
  Sizes scores = with(rows, columns);
  Sizes result = with(rows, t.size(width));
  if (*Tensor::countElements(*evaluate(scores)) > options.maxElements ||
      *Tensor::countElements(*evaluate(result)) > options.maxElements)
    return false;
  DType dtype = randomFloat();
  // So is an infinite value with probability zero.
  llvm::SaveAndRestore keep(special, false);
  Item q = argument(dtype, with(rows, t.size(depth)));
  Item k = argument(dtype, with(columns, t.size(depth)));
  Item v = argument(dtype, with(columns, t.size(width)));
  Value mask;
  bool causal = chance(40);
  if (!causal && chance(60)) {
    if (chance(50))
      scores[1] = t.size(1);
    mask = argument(chance(50) ? DType::Bool : dtype, scores).value;
  }
  auto op = AttentionOp::create(
      builder, loc, sym::getTensorType(result, type(dtype)), q.value, k.value,
      v.value, mask, causal, /*scale=*/0.5);
  if (mask && getElementType(mask).isInteger(1) && chance(40))
    op.setFillAttr(builder.getF64FloatAttr(chance(50) ? -4 : -1e30));
  if (chance(20))
    op.setSoftcapAttr(builder.getF64FloatAttr(2));
  return add(op, -2, 2);
}
