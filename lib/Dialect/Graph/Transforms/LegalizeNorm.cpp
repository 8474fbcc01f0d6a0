//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalisation of the norms of matrices that sums and extrema give.
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"

#include <cmath>

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

/// The norm of order `order` of the matrices in two dimensions: of one, the
/// largest (or least, for minus one) sum of a column; of infinity, that of a
/// row.
static LogicalResult matrixNorm(AtenCall &c, Num x, ArrayRef<int64_t> dims,
                                double order) {
  bool keepdims = c.boolOr("keepdim", false);
  bool isOfRows = std::isinf(order);
  if (!isOfRows && std::abs(order) != 1)
    return c.fail("its order needs singular values");
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

/// linalg_norm, linalg_matrix_norm: of vectors in one dimension, of matrices in
/// two.
static AtenHandler norm(bool ofMatrices) {
  return [=](AtenCall &c) -> LogicalResult {
    StringRef name = c.stringOr("ord", "");
    if (name == "nuc")
      return c.fail("its order needs singular values");
    Value given = c.operand("self", getAccumulationType(c.resultElementType()));
    if (!given || !isa<FloatType>(getElementType(given)))
      return c.fail("its operand is no float");
    int64_t rank = getRank(given);
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

void graph::populateNormLegalizations(AtenLegalizations &t) {
  t.add("linalg_norm linalg_norm.ord_str", norm(/*ofMatrices=*/false));
  t.add("linalg_matrix_norm linalg_matrix_norm.str_ord",
        norm(/*ofMatrices=*/true));
}
