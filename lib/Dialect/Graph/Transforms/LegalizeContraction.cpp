//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalisation of matrix products, convolution and pooling.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Graph/Transforms/LegalizeAten.h"

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
  return c.replace(c.b.mul(c.b.unsqueeze(x, 1), y));
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

/// A list argument with one entry for each spatial dimension; a single entry
/// holds for all.
static std::optional<SmallVector<int64_t>>
readSpatial(AtenCall &c, StringRef name, size_t spatial, int64_t otherwise) {
  SmallVector<int64_t> list;
  if (c.has(name)) {
    auto read = c.getInts(name);
    if (!read)
      return std::nullopt;
    list = *read;
  }
  if (list.empty())
    list.push_back(otherwise);
  if (list.size() == 1)
    list.resize(spatial, list.front());
  if (list.size() != spatial)
    return std::nullopt;
  return list;
}

static LogicalResult legalizeConv(AtenCall &c) {
  Type type = c.resultElementType();
  Value input = c.operand("input", type), weight = c.operand("weight", type);
  if (!input || !weight || getRank(weight) < 3)
    return c.fail("an operand is missing");
  if (c.boolOr("transposed", false))
    return c.fail("transposed convolution is not implemented");
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
  if (failed(inferConv(getSizes(input), getSizes(weight),
                       {*stride, *padding, *dilation}, groups)))
    return c.fail("its geometry is invalid");
  Value result = ConvOp::create(c.b.getBuilder(), c.b.getLoc(), input, weight,
                                *stride, *padding, *dilation, groups);
  if (Value bias = c.operand("bias", type)) {
    if (getRank(bias) != 1)
      return c.fail("its bias is not a vector");
    Sizes sizes(spatial + 1, c.b.size(1));
    sizes[0] = getSizes(bias)[0];
    result = c.b.add(result, c.b.reshape(bias, sizes));
  }
  if (!batched)
    result = c.b.reshape(result, SizesRef(getSizes(result)).drop_front());
  return c.replace(result);
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

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
    for (unsigned i = 1; i < c.op.getOutputs().size(); ++i)
      if (!c.op.getOutputs()[i].use_empty())
        return c.fail("the positions of the maxima are not computed");
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
    Sizes sizes = getSizes(x);
    for (size_t i = 0; i < spatial; ++i) {
      ExprAttr &size = sizes[sizes.size() - spatial + i];
      if ((*kernel)[i] < 1 || (*stride)[i] < 1 || (*dilation)[i] < 1 ||
          (*padding)[i] < 0 || (*padding)[i] > (*kernel)[i] / 2)
        return c.fail("its geometry is invalid");
      size = c.getContext().simplify(
          inferWindowCount(size, (*kernel)[i], (*stride)[i], (*padding)[i],
                           (*dilation)[i], c.boolOr("ceil_mode", false)));
    }
    std::optional<int64_t> divisor = c.getInt("divisor_override");
    if (divisor && *divisor == 0)
      return c.fail("its divisor is zero");
    Value result =
        pool(c, kind, x, spatial, sizes, *kernel, *stride, *padding, *dilation,
             kind == PoolKind::Avg && c.boolOr("count_include_pad", true),
             kind == PoolKind::Avg ? divisor : std::nullopt);
    SmallVector<Value> results(c.op.getOutputs().size());
    results[0] = result;
    return c.replace(results);
  };
}

/// Adaptive pooling with windows of one size: each is `in / out` long.
static AtenHandler adaptivePool(PoolKind kind, size_t spatial) {
  return [=](AtenCall &c) -> LogicalResult {
    Value x = c.tensor("self");
    if (!x || (getRank(x) != static_cast<int64_t>(spatial) + 2 &&
               getRank(x) != static_cast<int64_t>(spatial) + 1))
      return c.fail("its operand has another rank");
    for (unsigned i = 1; i < c.op.getOutputs().size(); ++i)
      if (!c.op.getOutputs()[i].use_empty())
        return c.fail("the positions of the maxima are not computed");
    Sizes in = getSizes(x), out = c.resultSizes();
    if (out.size() != in.size())
      return c.fail("its result has another rank");
    SmallVector<Value> results(c.op.getOutputs().size());
    int64_t rank = in.size();
    auto last = llvm::to_vector(llvm::seq<int64_t>(rank - spatial, rank));
    if (llvm::all_of(last, [&](int64_t d) { return out[d].isConstant(1); })) {
      if (kind == PoolKind::Max)
        results[0] = c.b.reduce(ReduceKind::Max, x, last, true);
      else
        results[0] = c.b.mean(
            c.b.convert(x, getAccumulationType(getElementType(x))), last, true);
      return c.replace(results);
    }
    SmallVector<int64_t> kernel;
    for (int64_t d : last) {
      auto from = in[d].getConstant(), to = out[d].getConstant();
      if (!from || !to || *to < 1 || *from % *to)
        return c.fail("its windows have different sizes");
      kernel.push_back(*from / *to);
    }
    SmallVector<int64_t> zeros(spatial, 0), ones(spatial, 1);
    results[0] = pool(c, kind, x, spatial, out, kernel, kernel, zeros, ones,
                      false, std::nullopt);
    return c.replace(results);
  };
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
  t.add("linear", legalizeLinear);
  t.add("outer ger", legalizeOuter);
  t.add("convolution conv1d conv2d conv3d conv1d.padding conv2d.padding "
        "conv3d.padding",
        legalizeConv);
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
  t.add("adaptive_max_pool1d", adaptivePool(PoolKind::Max, 1));
  t.add("adaptive_max_pool2d", adaptivePool(PoolKind::Max, 2));
  t.add("adaptive_max_pool3d", adaptivePool(PoolKind::Max, 3));
}
