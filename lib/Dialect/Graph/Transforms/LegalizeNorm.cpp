//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalisation of the norms of matrices: by sums and extrema, or by singular
// values.
//
//===----------------------------------------------------------------------===//

#include "LinalgCall.h"
#include "TensorMath.h"

#include <cmath>

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

//===----------------------------------------------------------------------===//
// Singular values
//===----------------------------------------------------------------------===//

namespace {

/// A norm by the singular values of matrices in two dimensions: the largest
/// (order 2), the least (-2), or their sum (0).
struct SingularNorm {
  SmallVector<int64_t> dims;
  int64_t order;
};

} // namespace

/// Whether the call is of such a norm.
static std::optional<SingularNorm> getSingularNorm(AtenOp op, int64_t rank) {
  Attribute order = op.getArgument("ord");
  SingularNorm result = {{}, 0};
  if (op.getName().starts_with("aten.nuclear_norm.")) {
  } else if (auto name = dyn_cast_or_null<StringAttr>(order)) {
    if (name.getValue() != "nuc")
      return std::nullopt;
  } else if (auto number = dyn_cast_or_null<FloatAttr>(order)) {
    result.order = static_cast<int64_t>(number.getValueAsDouble());
    if (std::abs(number.getValueAsDouble()) != 2)
      return std::nullopt;
  } else if (auto number = dyn_cast_or_null<IntegerAttr>(order)) {
    result.order = number.getInt();
    if (std::abs(number.getInt()) != 2)
      return std::nullopt;
  } else {
    return std::nullopt;
  }
  auto dims = dyn_cast_or_null<DenseI64ArrayAttr>(op.getArgument("dim"));
  if (dims && !dims.empty())
    result.dims.assign(dims.asArrayRef().begin(), dims.asArrayRef().end());
  else if (rank == 2 || op.getName().contains("matrix_norm") ||
           op.getName().contains("nuclear_norm"))
    result.dims = {-2, -1};
  if (result.dims.size() != 2)
    return std::nullopt;
  for (int64_t &d : result.dims) {
    d = d < 0 ? d + rank : d;
    if (d < 0 || d >= rank)
      return std::nullopt;
  }
  return result;
}

/// The norm; null where there is no least of no singular values.
static Value computeNorm(LinalgCall &c, ComplexParts x,
                         const SingularNorm &norm) {
  TensorBuilder &b = c.b;
  auto result = cast<RankedTensorType>(c.op.getOutputs()[0].getType());
  Sizes sizes = getSizes(x.re);
  if (llvm::any_of(norm.dims,
                   [&](int64_t d) { return sizes[d].isConstant(0); }))
    return norm.order < 0 ? Value()
                          : b.full(b.getBuilder().getFloatAttr(c.type, 0),
                                   sym::getSizes(result));
  SmallVector<int64_t> order;
  for (int64_t d = 0, e = static_cast<int64_t>(sizes.size()); d < e; ++d)
    if (!llvm::is_contained(norm.dims, d))
      order.push_back(d);
  order.append(norm.dims);
  Value s = c.singularValues(c.map(x, [&](Value part) {
               return b.permute(part, order);
             })).re;
  ReduceKind kind = norm.order == 0  ? ReduceKind::Sum
                    : norm.order > 0 ? ReduceKind::Max
                                     : ReduceKind::Min;
  int64_t last = getRank(s) - 1;
  return b.reshape(b.reduce(kind, s, {last}, /*keepdims=*/false),
                   sym::getSizes(result));
}

static LogicalResult expandMatrixNorm(ComplexCall &c) {
  Value self = c.op.getTensor("self");
  if (!self)
    return c.fail("its operand is missing");
  auto norm = getSingularNorm(c.op, getRank(self));
  if (!norm)
    return expandOfMagnitude(c);
  LinalgCall call(c.op, c.b, c.getComputeType(), /*isComplex=*/true, nullptr);
  Value result = computeNorm(call, c.get("self"), *norm);
  return result ? c.replaceReal(result) : c.fail("a dimension has size zero");
}

void graph::populateComplexNorms(ComplexExpansions &t) {
  t.add("linalg_norm linalg_matrix_norm nuclear_norm", expandMatrixNorm);
}

//===----------------------------------------------------------------------===//
// Sums and extrema
//===----------------------------------------------------------------------===//

/// The norm of order `order` of the matrices in two dimensions: of one, the
/// largest (or least, for minus one) sum of a column; of infinity, that of a
/// row.
static LogicalResult matrixNorm(AtenCall &c, Num x, ArrayRef<int64_t> dims,
                                double order) {
  bool keepdims = c.boolOr("keepdim", false);
  bool isOfRows = std::isinf(order);
  if (!isOfRows && std::abs(order) != 1)
    return c.fail("its order is not one that matrices have");
  int64_t summed = isOfRows ? dims[1] : dims[0],
          other = isOfRows ? dims[0] : dims[1];
  Num sums = abs(x).reduce(ReduceKind::Sum, summed, /*keepdims=*/true);
  ReduceKind kind = order > 0 ? ReduceKind::Max : ReduceKind::Min;
  if (getSizes(sums)[other].isConstant(0)) {
    // The largest of no sums, which are not negative, is zero.
    if (order < 0)
      return c.fail("a dimension has size zero");
    return c.replace(filled(c.b, 0, x.type(), c.resultSizes()));
  }
  Num result = sums.reduce(kind, other, /*keepdims=*/true);
  if (keepdims)
    return c.replace(result);
  return c.replace(c.b.reshape(result, c.resultSizes()));
}

/// linalg_norm, linalg_matrix_norm, nuclear_norm: of vectors in one dimension,
/// of matrices in two.
static AtenHandler norm(bool ofMatrices) {
  return [=](AtenCall &c) -> LogicalResult {
    StringRef name = c.stringOr("ord", "");
    Value given = c.operand("self", getAccumulationType(c.resultElementType()));
    if (!given || !isa<FloatType>(getElementType(given)))
      return c.fail("its operand is no float");
    int64_t rank = getRank(given);
    if (auto singular = getSingularNorm(c.op, rank)) {
      Type type = getElementType(given);
      if (!type.isF32() && !type.isF64())
        return c.fail("there is no library for elements of its type");
      LinalgCall call(c.op, c.b, type, /*isComplex=*/false, nullptr);
      Value result = computeNorm(call, {given, nullptr}, *singular);
      return result ? c.replace(result) : c.fail("a dimension has size zero");
    }
    if (name == "nuc" || c.op.getName().contains("nuclear"))
      return c.fail("its dimensions are invalid");
    SmallVector<int64_t> dims = allDims(given);
    bool hasDims = c.has("dim") || ofMatrices;
    if (ofMatrices)
      dims = {-2, -1};
    if (c.has("dim")) {
      auto listed = c.getInts("dim");
      if (!listed)
        return c.fail("its dimensions are not constant");
      if (!listed->empty())
        dims = *listed;
    }
    for (int64_t &d : dims) {
      d = d < 0 ? d + std::max<int64_t>(rank, 1) : d;
      if (d < 0 || d >= std::max<int64_t>(rank, 1))
        return c.fail("its dimensions are invalid");
    }
    if (rank == 0)
      dims.clear();
    std::optional<double> order = c.getFloat("ord");
    if (name == "inf" || name == "-inf")
      order = name == "inf" ? INFINITY : -INFINITY;
    bool isFrobenius = name == "fro";
    if (order && !isFrobenius && dims.size() == 2 && (hasDims || rank == 2))
      return matrixNorm(c, {c.b, given}, dims, *order);
    llvm::sort(dims);
    return c.replace(vectorNorm(c, given, dims, c.boolOr("keepdim", false),
                                order.value_or(2)));
  };
}

/// The norm of all but one dimension, which stays; of all where `dim` is -1.
static Value normExcept(AtenCall &c, Value v, double order) {
  int64_t dim = c.intOr("dim", 0);
  SmallVector<int64_t> others = allDims(v);
  if (dim == -1)
    return vectorNorm(c, v, others, /*keepdims=*/false, order);
  dim = dim < 0 ? dim + getRank(v) : dim;
  if (dim < 0 || dim >= getRank(v))
    return {};
  others.erase(others.begin() + dim);
  return vectorNorm(c, v, others, /*keepdims=*/true, order);
}

static LogicalResult legalizeNormExceptDim(AtenCall &c) {
  Value v = c.operand("v", getAccumulationType(c.resultElementType()));
  auto order = c.getFloat("pow");
  if (!order && c.has("pow"))
    return c.fail("its order is not constant");
  Value norm = v ? normExcept(c, v, order.value_or(2)) : Value();
  return norm ? c.replace(norm) : c.fail("its dimension is not one of these");
}

/// _weight_norm: directions `v`, each with the length that `g` says.
static LogicalResult legalizeWeightNorm(AtenCall &c) {
  Type type = getAccumulationType(c.resultElementType());
  Value v = c.operand("v", type), g = c.operand("g", type);
  Value norm = v && g ? normExcept(c, v, 2) : Value();
  if (!norm)
    return c.fail("its dimension is not one of these");
  Num result = Num(c.b, v) * (Num(c.b, g) / Num(c.b, norm));
  return c.op.getOutputs().size() == 1 ? c.replace(result)
                                       : c.replace({result, norm});
}

/// linalg__powsum: a norm before its root is taken.
static LogicalResult legalizePowsum(AtenCall &c) {
  Value x = c.operand("self", getAccumulationType(c.resultElementType()));
  auto order = c.getFloat("ord");
  if (!x || (!order && c.has("ord")))
    return c.fail("its order is not constant");
  auto dims = c.has("dim") ? c.getDims("dim", getRank(x)) : allDims(x);
  if (!dims)
    return c.fail("its dimensions are not constant");
  Num size = abs(Num(c.b, x));
  return c.replace(
      pow(size, order.value_or(2))
          .reduce(ReduceKind::Sum, *dims, c.boolOr("keepdim", false)));
}

void graph::populateNormLegalizations(AtenLegalizations &t) {
  t.add("norm_except_dim", legalizeNormExceptDim);
  t.add("_weight_norm _weight_norm_interface", legalizeWeightNorm);
  t.add("linalg__powsum", legalizePowsum);
  t.add("linalg_norm linalg_norm.ord_str", norm(/*ofMatrices=*/false));
  t.add("linalg_matrix_norm linalg_matrix_norm.str_ord nuclear_norm "
        "nuclear_norm.dim",
        norm(/*ofMatrices=*/true));
}
