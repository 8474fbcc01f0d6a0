//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalisation of operators that make the elements of windows a dimension
// (unfold, im2col), and of the one that adds them up again (col2im).
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

/// unfold: windows of one dimension, their elements as the last one.
static LogicalResult legalizeUnfold(AtenCall &c) {
  Value x = c.tensor("self");
  if (!x)
    return c.fail("its operand is missing");
  TensorBuilder &b = c.b;
  bool isScalar = getRank(x) == 0;
  if (isScalar)
    x = b.unsqueeze(x, 0);
  auto dim = c.getDim("dimension", getRank(x));
  auto size = c.getInt("size"), step = c.getInt("step");
  if (!dim || !size || !step || *size < 0 || *step < 1 ||
      c.resultType().getRank() != getRank(x) + (isScalar ? 0 : 1))
    return c.fail("its geometry is not constant");
  Sizes wanted = c.resultSizes();
  ExprAttr count = isScalar ? b.size(1) : wanted[*dim];
  Positions p(b);
  Num position = (p.iota(count) * *step).unsqueeze(1) + p.iota(b.size(*size));
  Value result = b.index(x, Value(position), *dim);
  SmallVector<int64_t> permutation = allDims(result);
  permutation.erase(permutation.begin() + *dim + 1);
  permutation.push_back(*dim + 1);
  return c.replace(b.reshape(b.permute(result, permutation), wanted));
}

namespace {

/// The windows of im2col and col2im, over the last two dimensions.
struct Columns {
  SmallVector<int64_t> kernel, dilation, padding, stride;
  /// Windows along each dimension.
  Sizes count;
};

} // namespace

static std::optional<Columns> readColumns(AtenCall &c, SizesRef image) {
  auto kernel = readSpatial(c, "kernel_size", 2, 1),
       dilation = readSpatial(c, "dilation", 2, 1),
       padding = readSpatial(c, "padding", 2, 0),
       stride = readSpatial(c, "stride", 2, 1);
  if (!kernel || !dilation || !padding || !stride)
    return std::nullopt;
  Columns result{*kernel, *dilation, *padding, *stride, {}};
  for (int64_t i = 0; i < 2; ++i) {
    if ((*kernel)[i] < 1 || (*dilation)[i] < 1 || (*stride)[i] < 1 ||
        (*padding)[i] < 0)
      return std::nullopt;
    result.count.push_back(c.getContext().simplify(
        inferWindowCount(image[i], (*kernel)[i], (*stride)[i], (*padding)[i],
                         (*dilation)[i], /*ceilMode=*/false)));
  }
  return result;
}

/// Positions in the padded image, `[kernel, windows]`, for dimension `i`.
static Num getColumnPositions(TensorBuilder &b, const Columns &w, int64_t i) {
  Positions p(b);
  return (p.iota(b.size(w.kernel[i])) * w.dilation[i]).unsqueeze(1) +
         p.iota(w.count[i]) * w.stride[i];
}

static SmallVector<int64_t> getPadding(const Columns &w, int64_t sign) {
  return {0, 0, sign * w.padding[0], sign * w.padding[1]};
}

static TypedAttr getZero(AtenCall &c) {
  return convertScalar(c.b.getBuilder().getF64FloatAttr(0),
                       c.resultElementType());
}

/// im2col: `[n, c, h, w]` becomes `[n, c * elements, windows]`.
static LogicalResult legalizeIm2Col(AtenCall &c) {
  Value x = c.tensor("self");
  if (!x || (getRank(x) != 3 && getRank(x) != 4))
    return c.fail("its operand has another rank");
  TensorBuilder &b = c.b;
  if (getRank(x) == 3)
    x = b.unsqueeze(x, 0);
  auto w = readColumns(c, SizesRef(getSizes(x)).drop_front(2));
  if (!w)
    return c.fail("its geometry is not constant");
  SmallVector<int64_t> padding = getPadding(*w, 1);
  x = b.pad(x, padding, padding, getZero(c));
  x = b.index(x, Value(getColumnPositions(b, *w, 0)), 2);
  x = b.index(x, Value(getColumnPositions(b, *w, 1)), 4);
  // [n, c, kernel, windows, kernel, windows]
  return c.replace(
      b.reshape(b.permute(x, {0, 1, 2, 4, 3, 5}), c.resultSizes()));
}

/// col2im: sums of the elements of all windows at each position.
static LogicalResult legalizeCol2Im(AtenCall &c) {
  Value x = c.tensor("self");
  if (!x || (getRank(x) != 2 && getRank(x) != 3) ||
      c.resultType().getRank() != getRank(x) + 1)
    return c.fail("its operand has another rank");
  TensorBuilder &b = c.b;
  if (getRank(x) == 2)
    x = b.unsqueeze(x, 0);
  Sizes sizes = c.resultSizes(), image(SizesRef(sizes).take_back(3));
  auto w = readColumns(c, SizesRef(image).drop_front());
  if (!w)
    return c.fail("its geometry is not constant");
  ExprAttr n = getSizes(x)[0];
  x = b.reshape(x, {n, image[0], b.size(w->kernel[0]), b.size(w->kernel[1]),
                    w->count[0], w->count[1]});
  x = b.permute(x, {0, 1, 2, 4, 3, 5});
  Type wide = getAccumulationType(getElementType(x));
  Sizes padded = {n, image[0], sym::add(image[1], 2 * w->padding[0]),
                  sym::add(image[2], 2 * w->padding[1])};
  Num rows = getColumnPositions(b, *w, 0).unsqueeze(2).unsqueeze(3);
  Value sums =
      putAt(b, ReduceKind::Sum, filled(b, 0, wide, padded),
            {rows, getColumnPositions(b, *w, 1)}, b.convert(x, wide), {2, 3});
  SmallVector<int64_t> crop = getPadding(*w, -1);
  TypedAttr zero = convertScalar(b.getBuilder().getF64FloatAttr(0), wide);
  return c.replace(b.reshape(b.pad(sums, crop, crop, zero), c.resultSizes()));
}

void graph::populateWindowLegalizations(AtenLegalizations &t) {
  t.add("unfold unfold_copy", legalizeUnfold);
  t.add("im2col", legalizeIm2Col);
  t.add("col2im", legalizeCol2Im);
}
