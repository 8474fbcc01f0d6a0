//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalisation of sorting and selecting.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Graph/Transforms/LegalizeAten.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

namespace {
/// What a call sorts: values and positions, of which it may want one alone.
enum class Wanted { Both, Indices, Values };
} // namespace

static LogicalResult refuseElements(AtenCall &c, Value x) {
  Type type = getElementType(x);
  if (isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8)
    return c.fail("floats of 8 bits have no order");
  return success();
}

static LogicalResult replace(AtenCall &c, Value values, Value indices,
                             Wanted wanted) {
  switch (wanted) {
  case Wanted::Both:
    return c.replace({values, indices});
  case Wanted::Indices:
    return c.replace(indices);
  case Wanted::Values:
    return c.replace(values);
  }
  llvm_unreachable("all are handled");
}

/// `sort`, `argsort` and `msort`.
static AtenHandler sort(Wanted wanted) {
  return [=](AtenCall &c) -> LogicalResult {
    Value x = c.tensor("self");
    if (!x)
      return c.fail("its operand is missing");
    if (failed(refuseElements(c, x)))
      return failure();
    std::optional<int64_t> dim = wanted == Wanted::Values
                                     ? std::optional<int64_t>(0)
                                     : c.getDim("dim", getRank(x));
    if (!dim && c.has("dim"))
      return c.fail("its dimension is not constant");
    int64_t along = dim.value_or(getRank(x) - 1);
    if (getRank(x) == 0 || getSizes(x)[along].isConstant(1)) {
      Value first = c.b.scalar(0, c.b.getBuilder().getI64Type());
      return replace(c, x, c.b.broadcast(first, getSizes(x)), wanted);
    }
    auto op = SortOp::create(c.b.getBuilder(), c.b.getLoc(), x, along,
                             c.boolOr("descending", false),
                             c.boolOr("stable", false));
    return replace(c, op.getValues(), op.getIndices(), wanted);
  };
}

static LogicalResult topk(AtenCall &c) {
  Value x = c.tensor("self");
  ExprAttr k = c.getExpr("k");
  if (!x || !k)
    return c.fail("it has no operand or number of elements");
  if (failed(refuseElements(c, x)))
    return failure();
  std::optional<int64_t> dim = c.getDim("dim", getRank(x));
  if (!dim && c.has("dim"))
    return c.fail("its dimension is not constant");
  bool isScalar = getRank(x) == 0;
  if (isScalar) {
    // The framework gives the element, also if none is asked for.
    x = c.b.unsqueeze(x, 0);
    k = k.isConstant(0) ? c.b.size(1) : k;
  }
  int64_t along = isScalar ? 0 : dim.value_or(getRank(x) - 1);
  ExprAttr size = getSizes(x)[static_cast<size_t>(along)];
  if ((k.isConstant() && k.getValue() < 0) ||
      failed(c.stateAtMost(
          k, size, "a selection takes no more elements than there are")))
    return c.fail("it takes more elements than there are");
  auto op = TopKOp::create(c.b.getBuilder(), c.b.getLoc(), x, k, along,
                           c.boolOr("largest", true), c.boolOr("sorted", true));
  Value values = op.getValues(), indices = op.getIndices();
  if (isScalar && !k.isConstant(1))
    return c.fail("it takes other than one element of a scalar");
  if (isScalar) {
    values = c.b.reshape(values, {});
    indices = c.b.reshape(indices, {});
  }
  return c.replace({values, indices});
}

void graph::populateSortLegalizations(AtenLegalizations &table) {
  table.add("sort sort.stable", sort(Wanted::Both));
  table.add("argsort argsort.stable", sort(Wanted::Indices));
  table.add("msort", sort(Wanted::Values));
  table.add("topk", topk);
}
