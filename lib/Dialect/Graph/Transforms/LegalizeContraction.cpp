//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalisation of matrix products and convolution.
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

/// Makes sizes that are equal at run time recognisably equal.
static void unifySize(TensorBuilder &b, Value lhs, int64_t i, Value &rhs,
                      int64_t j) {
  Sizes sizes = getSizes(rhs);
  ExprAttr wanted = getSizes(lhs)[i];
  if (sizes[j] == wanted || provablyDiffer(sizes[j], wanted))
    return;
  sizes[j] = wanted;
  rhs = b.castSizes(rhs, sizes);
}

/// `torch.matmul`: vectors get a dimension, a matrix on the right multiplies
/// all rows of the left at once, other batch dimensions broadcast. A bias has
/// the size of the right's columns.
static FailureOr<Value> product(TensorBuilder &b, Value lhs, Value rhs,
                                Value bias = {}) {
  int64_t lhsRank = getRank(lhs), rhsRank = getRank(rhs);
  if (lhsRank == 0 || rhsRank == 0)
    return failure();
  bool dropRow = lhsRank == 1, dropColumn = rhsRank == 1;
  if (dropRow)
    lhs = b.unsqueeze(lhs, 0);
  if (dropColumn)
    rhs = b.unsqueeze(rhs, 1);
  lhsRank = getRank(lhs);
  rhsRank = getRank(rhs);
  unifySize(b, lhs, lhsRank - 1, rhs, rhsRank - 2);

  Sizes sizes = getSizes(lhs);
  bool flatten = rhsRank == 2 && lhsRank > 2;
  Value result;
  if (flatten) {
    ExprAttr rows = sym::product(b.getContext(), SizesRef(sizes).drop_back());
    lhs = b.reshape(lhs, {rows, sizes.back()});
  } else {
    while (getRank(lhs) < rhsRank)
      lhs = b.unsqueeze(lhs, 0);
    while (getRank(rhs) < lhsRank)
      rhs = b.unsqueeze(rhs, 0);
    for (int64_t i = 0, e = getRank(lhs) - 2; i < e; ++i)
      if (!getSizes(lhs)[i].isConstant(1) && !getSizes(rhs)[i].isConstant(1))
        unifySize(b, lhs, i, rhs, i);
  }
  FailureOr<Sizes> inferred = inferMatmul(getSizes(lhs), getSizes(rhs));
  if (failed(inferred))
    return failure();
  result = b.matmul(lhs, rhs, bias);
  if (flatten) {
    sizes.back() = getSizes(rhs)[1];
    result = b.reshape(result, sizes);
  }
  if (dropRow || dropColumn) {
    Sizes dropped = getSizes(result);
    if (dropColumn)
      dropped.pop_back();
    if (dropRow)
      dropped.erase(dropped.end() - (dropColumn ? 1 : 2));
    result = b.reshape(result, dropped);
  }
  return result;
}

static AtenHandler matmul(StringRef lhsName, StringRef rhsName) {
  return [=](AtenCall &c) -> LogicalResult {
    Type type = c.resultElementType();
    Value lhs = c.operand(lhsName, type), rhs = c.operand(rhsName, type);
    if (!lhs || !rhs)
      return c.fail("an operand is missing");
    FailureOr<Value> result = product(c.b, lhs, rhs);
    return succeeded(result) ? c.replace(*result)
                             : c.fail("its operands do not fit");
  };
}

/// Whether `bias` has one element for each column of the matrix `rhs`.
static bool isRow(Value bias, Value rhs) {
  return getRank(bias) == 1 && getRank(rhs) >= 2 &&
         getSizes(bias)[0] == getSizes(rhs).back();
}

/// beta * self + alpha * (lhs @ rhs)
static AtenHandler addMatmul(StringRef lhsName, StringRef rhsName) {
  return [=](AtenCall &c) -> LogicalResult {
    Type type = c.resultElementType(), wide = getAccumulationType(type);
    Value lhs = c.operand(lhsName, type), rhs = c.operand(rhsName, type);
    if (Value bias = c.operand("self", type);
        lhs && rhs && bias && c.floatOr("alpha", 1) == 1 &&
        c.floatOr("beta", 1) == 1 && isRow(bias, rhs)) {
      FailureOr<Value> result = product(c.b, lhs, rhs, bias);
      return succeeded(result) ? c.replace(*result)
                               : c.fail("its operands do not fit");
    }
    Value bias = c.operand("self", wide);
    if (!lhs || !rhs || !bias)
      return c.fail("an operand is missing");
    FailureOr<Value> result = product(c.b, lhs, rhs);
    if (failed(result))
      return c.fail("its operands do not fit");
    Value v = c.b.convert(*result, wide);
    if (c.floatOr("alpha", 1) != 1)
      v = c.b.mul(v, c.operand("alpha", wide));
    double beta = c.floatOr("beta", 1);
    if (beta != 1 && beta != 0)
      bias = c.b.mul(bias, c.operand("beta", wide));
    // With beta zero, even a NaN in self does not matter.
    return c.replace(beta == 0 ? v : c.b.add(v, bias));
  };
}

static LogicalResult legalizeLinear(AtenCall &c) {
  Type type = c.resultElementType();
  Value input = c.operand("input", type), weight = c.operand("weight", type);
  if (!input || !weight)
    return c.fail("an operand is missing");
  if (getRank(weight) == 2)
    weight = c.b.transpose(weight, 0, 1);
  // A bias of rows goes with the product, and is rounded with it. Any other is
  // added to the matrix, before the batch dimensions come back.
  Sizes sizes = getSizes(input);
  bool flatten = sizes.size() > 2 && getRank(weight) == 2;
  if (flatten)
    input = c.b.reshape(
        input, {sym::product(weight.getContext(), SizesRef(sizes).drop_back()),
                sizes.back()});
  Value bias = c.operand("bias", type);
  bool joins = bias && getRank(input) >= 2 && isRow(bias, weight);
  FailureOr<Value> result = product(c.b, input, weight, joins ? bias : Value());
  if (failed(result))
    return c.fail("its operands do not fit");
  if (bias && !joins)
    result = c.b.add(*result, bias);
  if (flatten) {
    sizes.back() = getSizes(weight).back();
    result = c.b.reshape(*result, sizes);
  }
  return c.replace(*result);
}

static LogicalResult legalizeOuter(AtenCall &c) {
  Type type = c.resultElementType();
  Value x = c.operand("self", type), y = c.operand("vec2", type);
  if (!x || !y || getRank(x) != 1)
    return c.fail("its operands are not vectors");
  x = c.b.unsqueeze(x, 1);
  return c.replace(type.isInteger(1) ? c.b.binary<BitwiseAndOp>(x, y)
                                     : c.b.mul(x, y));
}

/// beta * self + alpha * update, where self does not matter with beta zero.
static LogicalResult addScaled(AtenCall &c, Num update) {
  Type type = update.type();
  Value self = c.operand("self", type);
  if (!self)
    return c.fail("an operand is missing");
  if (type.isInteger(1)) {
    if (c.intOr("alpha", 1) == 0)
      update = update.number(0);
    return c.replace(c.intOr("beta", 1) == 0 ? update
                                             : Num(c.b, self) | update);
  }
  if (c.floatOr("alpha", 1) != 1)
    update = update * Num(c.b, c.operand("alpha", type));
  double beta = c.floatOr("beta", 1);
  if (beta == 0)
    return c.replace(c.broadcastTo(update, c.resultSizes()));
  Num x(c.b, self);
  return c.replace((beta == 1 ? x : x * Num(c.b, c.operand("beta", type))) +
                   update);
}

/// addr: with the outer product of two vectors.
static LogicalResult legalizeAddr(AtenCall &c) {
  Type type = getAccumulationType(c.resultElementType());
  Value x = c.operand("vec1", type), y = c.operand("vec2", type);
  if (!x || !y || getRank(x) != 1 || getRank(y) != 1)
    return c.fail("its operands are not vectors");
  Num column(c.b, c.b.unsqueeze(x, 1)), row(c.b, y);
  return addScaled(c, type.isInteger(1) ? column & row : column * row);
}

/// addbmm: with the sum of the products of a batch, which is one product.
static LogicalResult legalizeAddBmm(AtenCall &c) {
  TensorBuilder &b = c.b;
  Type type = c.resultElementType();
  Value x = c.operand("batch1", type), y = c.operand("batch2", type);
  if (!x || !y || getRank(x) != 3 || getRank(y) != 3)
    return c.fail("its operands are not batches of matrices");
  unifySize(b, x, 0, y, 0);
  unifySize(b, x, 2, y, 1);
  Sizes from = getSizes(x), to = getSizes(y);
  if (provablyDiffer(from[0], to[0]) || provablyDiffer(from[2], to[1]))
    return c.fail("its operands do not fit");
  ExprAttr summed = sym::mul(from[0], from[2]);
  Value result = b.matmul(b.reshape(b.permute(x, {1, 0, 2}), {from[1], summed}),
                          b.reshape(y, {summed, to[2]}));
  return addScaled(c, Num(b, result).to(getAccumulationType(type)));
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

/// A convolution of integers, which no library has: a product of the elements
/// of all windows with the weight, for each group.
static Value convolveIntegers(TensorBuilder &b, Value input, Value weight,
                              const Window &window, int64_t groups) {
  FailureOr<Sizes> out =
      inferConv(getSizes(input), getSizes(weight), window, groups);
  int64_t rank = getRank(input), spatial = rank - 2;
  Sizes kernel = getSizes(weight);
  SmallVector<int64_t> padding(rank, 0);
  llvm::copy(window.padding, padding.begin() + 2);
  Value elements = b.pad(input, padding, padding,
                         convertScalar(b.getBuilder().getI64IntegerAttr(0),
                                       getElementType(input)));
  Positions p(b);
  for (int64_t i = 0; i < spatial; ++i) {
    Num place = (p.iota((*out)[2 + i]) * window.stride[i]).unsqueeze(1) +
                p.iota(kernel[2 + i]) * window.dilation[i];
    elements = b.index(elements, Value(place), 2 + 2 * i);
  }
  Sizes sizes = getSizes(input);
  ExprAttr count = b.size(groups), each = kernel[1],
           outEach = sym::floorDiv(kernel[0], count);
  ExprAttr windows = sym::product(b.getContext(), SizesRef(*out).drop_front(2));
  ExprAttr summed = sym::product(b.getContext(), SizesRef(kernel).drop_front());
  // [n, groups, windows, channels and elements]
  SmallVector<int64_t> grouped = {0, 1};
  Sizes split = getSizes(elements);
  split[1] = each;
  split.insert(split.begin() + 1, count);
  for (int64_t i = 0; i < spatial; ++i)
    grouped.push_back(3 + 2 * i);
  grouped.push_back(2);
  for (int64_t i = 0; i < spatial; ++i)
    grouped.push_back(4 + 2 * i);
  Value left = b.reshape(b.permute(b.reshape(elements, split), grouped),
                         {sizes[0], count, windows, summed});
  Value right =
      b.transpose(b.reshape(weight, {b.size(1), count, outEach, summed}), 2, 3);
  return b.reshape(b.transpose(b.matmul(left, right), 2, 3), *out);
}

static Value convolve(TensorBuilder &b, Value input, Value weight,
                      const Window &window, int64_t groups) {
  if (!isa<FloatType>(getElementType(input)))
    return convolveIntegers(b, input, weight, window, groups);
  return ConvOp::create(b.getBuilder(), b.getLoc(), input, weight,
                        window.stride, window.padding, window.dilation, groups);
}

/// Adds the bias to a convolution, and drops the batch that it lacks.
static LogicalResult replaceConv(AtenCall &c, Value result, bool batched) {
  if (Value bias = c.operand("bias", c.resultElementType())) {
    if (getRank(bias) != 1)
      return c.fail("its bias is not a vector");
    Sizes sizes(getRank(result) - 1, c.b.size(1));
    sizes[0] = getSizes(bias)[0];
    result = c.b.add(result, c.b.reshape(bias, sizes));
  }
  if (!batched)
    result = c.b.reshape(result, SizesRef(getSizes(result)).drop_front());
  return c.replace(result);
}

static LogicalResult legalizeConvTranspose(AtenCall &c);

static LogicalResult legalizeConv(AtenCall &c) {
  Type type = c.resultElementType();
  Value input = c.operand("input", type), weight = c.operand("weight", type);
  if (!input || !weight || getRank(weight) < 3)
    return c.fail("an operand is missing");
  if (c.boolOr("transposed", false))
    return legalizeConvTranspose(c);
  size_t spatial = getRank(weight) - 2;
  if (spatial > 3 || (getRank(input) != getRank(weight) &&
                      getRank(input) + 1 != getRank(weight)))
    return c.fail("its operands have ranks that do not fit");
  bool batched = getRank(input) == getRank(weight);
  if (!batched)
    input = c.b.unsqueeze(input, 0);
  auto stride = readSpatial(c, "stride", spatial, 1),
       dilation = readSpatial(c, "dilation", spatial, 1);
  if (!stride || !dilation)
    return c.fail("its geometry is not constant");
  std::optional<SmallVector<int64_t>> padding;
  StringRef mode = c.stringOr("padding", "");
  if (mode == "valid") {
    padding = SmallVector<int64_t>(spatial, 0);
  } else if (mode == "same") {
    SmallVector<int64_t> low(spatial + 2, 0), high(spatial + 2, 0);
    padding = SmallVector<int64_t>();
    bool uneven = false;
    for (size_t i = 0; i < spatial; ++i) {
      auto kernel = getSizes(weight)[i + 2].getConstant();
      if (!kernel)
        return c.fail("its kernel size is not constant");
      int64_t total = (*dilation)[i] * (*kernel - 1);
      padding->push_back(total / 2);
      high[i + 2] = total % 2;
      uneven |= total % 2 != 0;
    }
    if (uneven)
      input = c.b.pad(input, low, high,
                      convertScalar(c.b.getBuilder().getF64FloatAttr(0), type));
  } else {
    padding = readSpatial(c, "padding", spatial, 0);
  }
  if (!padding)
    return c.fail("its padding is not constant");
  int64_t groups = c.intOr("groups", 1);
  if (type.isInteger(1))
    return c.fail("its elements are bools");
  if (failed(inferConv(getSizes(input), getSizes(weight),
                       {*stride, *padding, *dilation}, groups)))
    return c.fail("its geometry is invalid");
  Value result =
      convolve(c.b, input, weight, {*stride, *padding, *dilation}, groups);
  return replaceConv(c, result, batched);
}

/// `x` with `stride - 1` zeros behind each element of dimension `dim`.
static Value insertZeros(TensorBuilder &b, Value x, int64_t dim, int64_t stride,
                         TypedAttr zero) {
  Sizes sizes = getSizes(x);
  x = b.unsqueeze(x, dim + 1);
  SmallVector<int64_t> low(getRank(x), 0), high = low;
  high[dim + 1] = stride - 1;
  sizes[dim] = sym::mul(sizes[dim], stride);
  return b.reshape(b.pad(x, low, high, zero), sizes);
}

/// The weight of the convolution that a transposed one is: input and output
/// channels change places within each group, and the kernel is turned around.
static Value turnWeight(TensorBuilder &b, Value weight, int64_t groups) {
  Sizes sizes = getSizes(weight);
  int64_t rank = sizes.size();
  ExprAttr each = sym::floorDiv(sizes[0], b.size(groups));
  Sizes grouped = sizes;
  grouped[0] = each;
  grouped.insert(grouped.begin(), b.size(groups));
  Value turned = b.transpose(b.reshape(weight, grouped), 1, 2);
  Sizes merged = sizes;
  merged[0] = sym::mul(sizes[1], groups);
  merged[1] = each;
  return flipDims(b, b.reshape(turned, merged), lastDims(rank, rank - 2));
}

/// Transposed convolution: a convolution of the input with zeros between its
/// elements.
static LogicalResult legalizeConvTranspose(AtenCall &c) {
  Type type = c.resultElementType();
  Value input = c.operand("input", type), weight = c.operand("weight", type);
  if (!input || !weight || getRank(weight) < 3)
    return c.fail("an operand is missing");
  size_t spatial = getRank(weight) - 2;
  if (spatial > 3 || (getRank(input) != getRank(weight) &&
                      getRank(input) + 1 != getRank(weight)))
    return c.fail("its operands have ranks that do not fit");
  bool batched = getRank(input) == getRank(weight);
  if (!batched)
    input = c.b.unsqueeze(input, 0);
  auto stride = readSpatial(c, "stride", spatial, 1),
       padding = readSpatial(c, "padding", spatial, 0),
       dilation = readSpatial(c, "dilation", spatial, 1),
       more = readSpatial(c, "output_padding", spatial, 0);
  if (!stride || !padding || !dilation || !more)
    return c.fail("its geometry is not constant");
  int64_t groups = c.intOr("groups", 1);
  auto channels = getSizes(weight)[0].getConstant();
  if (groups < 1 || !channels || *channels % groups)
    return c.fail("its groups do not divide its channels");
  TypedAttr zero = convertScalar(c.b.getBuilder().getF64FloatAttr(0), type);
  SmallVector<int64_t> low(spatial + 2, 0), high = low;
  for (size_t i = 0; i < spatial; ++i) {
    auto kernel = getSizes(weight)[i + 2].getConstant();
    if (!kernel || (*stride)[i] < 1 || (*dilation)[i] < 1)
      return c.fail("its geometry is not constant");
    if ((*stride)[i] > 1)
      input = insertZeros(c.b, input, i + 2, (*stride)[i], zero);
    low[i + 2] = (*dilation)[i] * (*kernel - 1) - (*padding)[i];
    // The last element has no zeros behind it.
    high[i + 2] = low[i + 2] + (*more)[i] - ((*stride)[i] - 1);
  }
  Value padded = c.b.pad(input, low, high, zero);
  weight = turnWeight(c.b, weight, groups);
  SmallVector<int64_t> ones(spatial, 1), zeros(spatial, 0);
  if (failed(inferConv(getSizes(padded), getSizes(weight),
                       {ones, zeros, *dilation}, groups)))
    return c.fail("its geometry is invalid");
  Value result =
      convolve(c.b, padded, weight, {ones, zeros, *dilation}, groups);
  return replaceConv(c, result, batched);
}

void graph::populateContractionLegalizations(AtenLegalizations &t) {
  t.add("mm bmm", matmul("self", "mat2"));
  t.add("matmul", matmul("self", "other"));
  t.add("dot", matmul("self", "tensor"));
  t.add("vdot", matmul("self", "other"));
  t.add("mv", matmul("self", "vec"));
  t.add("addmm", addMatmul("mat1", "mat2"));
  t.add("baddbmm", addMatmul("batch1", "batch2"));
  t.add("addmv", addMatmul("mat", "vec"));
  t.add("addr", legalizeAddr);
  t.add("addbmm", legalizeAddBmm);
  t.add("linear", legalizeLinear);
  t.add("outer ger", legalizeOuter);
  t.add("convolution conv1d conv2d conv3d conv1d.padding conv2d.padding "
        "conv3d.padding",
        legalizeConv);
  t.add("conv_transpose1d conv_transpose2d.input conv_transpose3d.input",
        legalizeConvTranspose);
}
