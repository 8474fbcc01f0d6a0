//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalisation of reductions.
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"

#include <cmath>

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using Pred = ComparePredicate;
using sym::ExprAttr;

namespace {

/// The operand of a reduction and what is reduced.
struct Reduction {
  Value x;
  SmallVector<int64_t> dims;
  bool keepdims;
};

} // namespace

/// Reads `self`, `dim` and `keepdim`. Fails with a reason.
static FailureOr<Reduction> read(AtenCall &c, Type elementType) {
  Value x = c.operand("self", elementType);
  if (!x) {
    (void)c.fail("its operand is missing");
    return failure();
  }
  auto dims = c.getDims("dim", getRank(x));
  if (!dims) {
    (void)c.fail("its dimensions are not constant");
    return failure();
  }
  return Reduction{x, *dims, c.boolOr("keepdim", false)};
}

/// States that there are elements to choose from.
static LogicalResult stateElements(AtenCall &c, const Reduction &r) {
  for (int64_t dim : r.dims)
    if (failed(c.stateNotEmpty(getSizes(r.x)[dim])))
      return failure();
  return success();
}

/// A reduction in the element type of the result. A sum of bools is whether one
/// is true, a product whether all are.
static AtenHandler reduce(ReduceKind kind) {
  return [=](AtenCall &c) -> LogicalResult {
    FailureOr<Reduction> r = read(c, c.resultElementType());
    if (failed(r))
      return failure();
    if ((kind == ReduceKind::Max || kind == ReduceKind::Min) &&
        failed(stateElements(c, *r)))
      return failure();
    bool isBool = c.resultElementType().isInteger(1);
    ReduceKind used = !isBool                    ? kind
                      : kind == ReduceKind::Sum  ? ReduceKind::Any
                      : kind == ReduceKind::Prod ? ReduceKind::All
                                                 : kind;
    return c.replace(c.b.reduce(used, r->x, r->dims, r->keepdims));
  };
}

/// `any` and `all`: a reduction of truth values.
static AtenHandler reduceBool(ReduceKind kind) {
  return [=](AtenCall &c) -> LogicalResult {
    FailureOr<Reduction> r = read(c, c.b.getBuilder().getI1Type());
    if (failed(r))
      return failure();
    // Of lists of dimensions, an empty one names none here.
    if (auto dims = c.getInts("dim");
        c.op.getName().ends_with(".dims") && dims && dims->empty())
      return c.replace(r->x);
    return c.replace(c.b.reduce(kind, r->x, r->dims, r->keepdims));
  };
}

/// A reduction of floats of several ops, in a wide type.
using FloatFn = Value (*)(AtenCall &, const Reduction &);
static AtenHandler floats(FloatFn fn) {
  return [=](AtenCall &c) -> LogicalResult {
    FailureOr<Reduction> r =
        read(c, getAccumulationType(c.resultElementType()));
    if (failed(r))
      return failure();
    if (!isa<FloatType>(getElementType(r->x)))
      return c.fail("its result is not a float");
    return c.replace(fn(c, *r));
  };
}

//===----------------------------------------------------------------------===//
// Extrema and their positions
//===----------------------------------------------------------------------===//

/// max.dim, min.dim: values and positions.
static AtenHandler extremumWithPosition(ReduceKind kind) {
  return [=](AtenCall &c) -> LogicalResult {
    Value x = c.tensor("self");
    std::optional<int64_t> dim = x ? c.getDim("dim", getRank(x)) : std::nullopt;
    if (!dim)
      return c.fail("its dimension is not constant");
    if (c.op.getOutputs().size() != 2)
      return c.fail("it has no positions");
    if (getRank(x) == 0)
      return c.replace({x, c.b.scalar(0, c.resultElementType(1))});
    if (failed(c.stateNotEmpty(getSizes(x)[*dim])))
      return failure();
    auto op = ArgReduceOp::create(c.b.getBuilder(), c.b.getLoc(), kind, x, *dim,
                                  c.boolOr("keepdim", false));
    return c.replace(op.getResults());
  };
}

/// argmax, argmin: positions, of the flattened operand without a dimension.
static AtenHandler position(ReduceKind kind) {
  return [=](AtenCall &c) -> LogicalResult {
    Value x = c.tensor("self");
    if (!x)
      return c.fail("its operand is missing");
    bool keepdims = c.boolOr("keepdim", false);
    std::optional<int64_t> dim = 0;
    if (c.has("dim")) {
      dim = c.getDim("dim", getRank(x));
      if (getRank(x) == 0)
        x = c.b.unsqueeze(x, 0);
    } else {
      x = c.b.reshape(x,
                      sym::getNumElements(cast<RankedTensorType>(x.getType())));
      keepdims = false;
    }
    if (!dim)
      return c.fail("its dimension is not constant");
    if (failed(c.stateNotEmpty(getSizes(x)[*dim])))
      return failure();
    Value result = ArgReduceOp::create(c.b.getBuilder(), c.b.getLoc(), kind, x,
                                       *dim, keepdims)
                       .getPositions();
    Sizes sizes = c.resultSizes();
    return c.replace(static_cast<size_t>(getRank(result)) == sizes.size()
                         ? result
                         : c.b.reshape(result, sizes));
  };
}

static LogicalResult legalizeAMinMax(AtenCall &c) {
  FailureOr<Reduction> r = read(c, c.resultElementType());
  if (failed(r) || failed(stateElements(c, *r)))
    return failure();
  return c.replace({c.b.reduce(ReduceKind::Min, r->x, r->dims, r->keepdims),
                    c.b.reduce(ReduceKind::Max, r->x, r->dims, r->keepdims)});
}

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

/// cumsum, cumprod, logcumsumexp: in a wide type, rounded once.
static AtenHandler scan(ScanKind kind) {
  return [=](AtenCall &c) -> LogicalResult {
    Type type = c.resultElementType();
    Value x = c.operand("self", type);
    auto dim = x ? c.getDim("dim", getRank(x)) : std::nullopt;
    if (!dim)
      return c.fail("its dimension is not constant");
    if (getRank(x) == 0)
      return c.replace(x);
    // Bools are counted, and what is not zero is true.
    x = c.b.convert(x, type.isInteger(1) ? c.b.getBuilder().getI64Type()
                                         : getAccumulationType(type));
    return c.replace(ScanOp::create(c.b.getBuilder(), c.b.getLoc(), kind, x,
                                    static_cast<uint64_t>(*dim))
                         .getResult());
  };
}

/// cummax, cummin: values and positions.
static AtenHandler argScan(ReduceKind kind) {
  return [=](AtenCall &c) -> LogicalResult {
    Value x = c.tensor("self");
    auto dim = x ? c.getDim("dim", getRank(x)) : std::nullopt;
    if (!dim || c.op.getOutputs().size() != 2)
      return c.fail("its dimension is not constant");
    if (getRank(x) == 0)
      return c.replace({x, c.b.scalar(0, c.resultElementType(1))});
    return c.replace(
        ArgScanOp::create(c.b.getBuilder(), c.b.getLoc(), kind, x, *dim)
            .getResults());
  };
}

//===----------------------------------------------------------------------===//
// Variance
//===----------------------------------------------------------------------===//

/// Variance and mean.
static std::pair<Value, Value> variance(AtenCall &c, const Reduction &r) {
  TensorBuilder &b = c.b;
  Type type = getElementType(r.x);
  ExprAttr count = b.count(r.x, r.dims);
  double correction = c.has("correction") ? c.floatOr("correction", 1)
                                          : c.boolOr("unbiased", true);
  Value divisor;
  if (correction == std::floor(correction))
    divisor = b.expr(
        c.getContext().simplify(sym::max(
            sym::add(count, -static_cast<int64_t>(correction)), b.size(0))),
        type);
  else
    divisor = b.binary<MaximumOp>(
        b.sub(b.expr(count, type), b.scalar(correction, type)),
        b.scalar(0, type));
  auto [mean, m2] = b.moments(r.x, r.dims, r.keepdims);
  return std::pair(b.div(m2, divisor), mean);
}

/// var, std, and their pairs with the mean.
static AtenHandler spread(bool root, bool withMean) {
  return [=](AtenCall &c) -> LogicalResult {
    FailureOr<Reduction> r =
        read(c, getAccumulationType(c.resultElementType()));
    if (failed(r))
      return failure();
    if (!isa<FloatType>(getElementType(r->x)))
      return c.fail("its result is not a float");
    auto [result, mean] = variance(c, *r);
    if (root)
      result = c.b.unary<SqrtOp>(result);
    if (withMean)
      return c.replace({result, mean});
    return c.replace(result);
  };
}

//===----------------------------------------------------------------------===//
// Norms and others
//===----------------------------------------------------------------------===//

static Value norm(AtenCall &c, const Reduction &r, double p) {
  TensorBuilder &b = c.b;
  Type type = getElementType(r.x);
  auto sum = [&](Value v) {
    return b.reduce(ReduceKind::Sum, v, r.dims, r.keepdims);
  };
  if (p == 0)
    return sum(b.convert(b.compare(Pred::Ne, r.x, b.scalar(0, type)), type));
  if (p == 2)
    return b.unary<SqrtOp>(sum(b.mul(r.x, r.x)));
  Value magnitude = b.unary<AbsOp>(r.x);
  if (p == 1)
    return sum(magnitude);
  if (std::isinf(p))
    return b.reduce(p > 0 ? ReduceKind::Max : ReduceKind::Min, magnitude,
                    r.dims, r.keepdims);
  Value power = b.binary<PowOp>(magnitude, b.scalar(p, type));
  return b.binary<PowOp>(sum(power), b.scalar(1 / p, type));
}

Value graph::vectorNorm(AtenCall &c, Value x, ArrayRef<int64_t> dims,
                        bool keepdims, double p) {
  return norm(c, {x, SmallVector<int64_t>(dims), keepdims}, p);
}

static Value logSumExp(AtenCall &c, const Reduction &r) {
  TensorBuilder &b = c.b;
  Type type = getElementType(r.x);
  Value largest = b.reduce(ReduceKind::Max, r.x, r.dims, /*keepdims=*/true);
  // An infinite maximum would give inf - inf.
  largest =
      b.select(b.unary<IsInfOp>(largest, true), b.scalar(0, type), largest);
  Value e = b.unary<ExpOp>(b.sub(r.x, largest));
  Value sum = b.reduce(ReduceKind::Sum, e, r.dims, r.keepdims);
  if (!r.keepdims)
    largest = b.reshape(largest, getSizes(sum));
  return b.add(b.unary<LogOp>(sum), largest);
}

static LogicalResult legalizeCountNonzero(AtenCall &c) {
  FailureOr<Reduction> r = read(c, c.b.getBuilder().getI1Type());
  if (failed(r))
    return failure();
  return c.replace(c.b.reduce(ReduceKind::Sum,
                              c.b.convert(r->x, c.resultElementType()), r->dims,
                              r->keepdims));
}

/// hash_tensor: exclusive disjunction of the elements' bits, as `f64` or `i64`.
static LogicalResult legalizeHashTensor(AtenCall &c) {
  TensorBuilder &b = c.b;
  Value x = c.tensor("self");
  auto dims = x ? c.getDims("dim", getRank(x)) : std::nullopt;
  if (!dims || c.intOr("mode", 0) != 0)
    return c.fail("its dimensions are not constant");
  OpBuilder &builder = b.getBuilder();
  bool isFloat = isa<FloatType>(getElementType(x));
  x = b.convert(x, isFloat ? Type(builder.getF64Type())
                           : Type(builder.getI64Type()));
  if (isFloat)
    x = BitcastOp::create(builder, b.getLoc(),
                          sym::getTensorType(getSizes(x), builder.getI64Type()),
                          x);
  return c.replace(
      b.reduce(ReduceKind::Xor, x, *dims, c.boolOr("keepdim", false)));
}

/// Reductions that take a NaN for zero.
static Value withoutNan(TensorBuilder &b, Value x) {
  return b.select(b.unary<IsNanOp>(x, true), b.scalar(0, getElementType(x)), x);
}

void graph::populateReductionLegalizations(AtenLegalizations &t) {
  t.add("sum sum.dim_IntList", reduce(ReduceKind::Sum));
  t.add("prod prod.dim_int",
        [all = reduceBool(ReduceKind::All),
         product = reduce(ReduceKind::Prod)](AtenCall &c) -> LogicalResult {
          // A product of bools as a bool.
          return c.resultElementType().isInteger(1) ? all(c) : product(c);
        });
  t.add("hash_tensor", legalizeHashTensor);
  t.add("amax max", reduce(ReduceKind::Max));
  t.add("amin min", reduce(ReduceKind::Min));
  t.add("aminmax _aminmax _aminmax.dim", legalizeAMinMax);
  t.add("any any.dim any.dims _is_any_true", reduceBool(ReduceKind::Any));
  t.add("all all.dim all.dims _is_all_true", reduceBool(ReduceKind::All));
  t.add("max.dim", extremumWithPosition(ReduceKind::Max));
  t.add("min.dim", extremumWithPosition(ReduceKind::Min));
  t.add("argmax", position(ReduceKind::Max));
  t.add("argmin", position(ReduceKind::Min));
  t.add("cumsum", scan(ScanKind::Sum));
  t.add("cumprod", scan(ScanKind::Prod));
  t.add("logcumsumexp _logcumsumexp", scan(ScanKind::LogAddExp));
  t.add("cummax", argScan(ReduceKind::Max));
  t.add("cummin", argScan(ReduceKind::Min));
  t.add("mean mean.dim", floats([](AtenCall &c, const Reduction &r) {
          return c.b.mean(r.x, r.dims, r.keepdims);
        }));
  t.add("nansum", [](AtenCall &c) -> LogicalResult {
    FailureOr<Reduction> r =
        read(c, getAccumulationType(c.resultElementType()));
    if (failed(r))
      return failure();
    // Integers have no NaN.
    Value x =
        isa<FloatType>(getElementType(r->x)) ? withoutNan(c.b, r->x) : r->x;
    return c.replace(c.b.reduce(ReduceKind::Sum, x, r->dims, r->keepdims));
  });
  t.add("nanmean", floats([](AtenCall &c, const Reduction &r) {
          TensorBuilder &b = c.b;
          Type type = getElementType(r.x);
          Value isNumber = b.logicalNot(b.unary<IsNanOp>(r.x, true));
          Value count = b.reduce(ReduceKind::Sum, b.convert(isNumber, type),
                                 r.dims, r.keepdims);
          return b.div(
              b.reduce(ReduceKind::Sum, withoutNan(b, r.x), r.dims, r.keepdims),
              count);
        }));
  t.add("var var.dim var.correction", spread(false, false));
  t.add("std std.dim std.correction", spread(true, false));
  t.add("var_mean var_mean.dim var_mean.correction", spread(false, true));
  t.add("std_mean std_mean.dim std_mean.correction", spread(true, true));
  t.add("norm.Scalar norm.ScalarOpt_dim norm.ScalarOpt_dtype "
        "norm.ScalarOpt_dim_dtype",
        floats([](AtenCall &c, const Reduction &r) {
          return norm(c, r, c.floatOr("p", 2));
        }));
  t.add("linalg_vector_norm", floats([](AtenCall &c, const Reduction &r) {
          return norm(c, r, c.floatOr("ord", 2));
        }));
  t.add("frobenius_norm.dim",
        floats([](AtenCall &c, const Reduction &r) { return norm(c, r, 2); }));
  t.add("logsumexp special_logsumexp", floats(logSumExp));
  t.add("count_nonzero count_nonzero.dim_IntList", legalizeCountNonzero);
}
