//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Eigenvalues and singular values of matrices, and ranks, inverses, solutions
// and condition numbers by them.
//
//===----------------------------------------------------------------------===//

#include "LinalgCall.h"
#include "TensorMath.h"

#include <cmath>

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;
using Pred = ComparePredicate;

//===----------------------------------------------------------------------===//
// Eigenvalues and singular values
//===----------------------------------------------------------------------===//

static bool isUpper(LinalgCall &c) {
  return c.text("UPLO", "L").starts_with_insensitive("u");
}

static LogicalResult eigh(LinalgCall &c) {
  FailureOr<ComplexParts> a = getMatrix(c, pick(c, "A", "self"));
  if (failed(a))
    return failure();
  bool vectors = c.op.getOutputs().size() == 2 && c.flag("compute_v", true);
  auto [values, matrix] = c.eigenvalues(*a, isUpper(c), vectors);
  if (c.op.getOutputs().size() == 1)
    return c.replaceReal(values);
  if (!vectors)
    matrix = c.zeros({c.b.size(0)});
  return c.replace({{values, nullptr}, matrix});
}

/// Results are complex for real matrices, too.
static LogicalResult eig(LinalgCall &c) {
  FailureOr<ComplexParts> a = getMatrix(c, "self");
  if (failed(a))
    return failure();
  bool vectors = c.op.getOutputs().size() == 2;
  ExprAttr size = vectors ? rowsOf(*a) : c.b.size(0);
  SmallVector<ComplexParts> made =
      c.call("linalg_eig", *a, c.attr(vectors),
             {{join(batchOf(*a), rowsOf(*a)), c.type, /*isComplex=*/true},
              {join(batchOf(*a), {size, size}), c.type, /*isComplex=*/true}});
  if (!vectors)
    made.pop_back();
  return c.replace(made);
}

static LogicalResult svd(LinalgCall &c) {
  FailureOr<ComplexParts> a = getMatrix(c, pick(c, "A", "self"));
  if (failed(a))
    return failure();
  StringRef name = c.op.getName();
  if (name.contains("svdvals"))
    return c.replace(c.singularValues(*a));
  bool isOld = name.starts_with("aten.svd.");
  bool full = isOld ? !c.flag("some", true)
                    : c.flag("full_matrices", name.contains(".linalg_svd"));
  if (!c.flag("compute_uv", true)) {
    ComplexParts s = c.singularValues(*a), none = c.zeros({c.b.size(0)});
    ComplexParts u = none, v = none;
    if (isOld) { // Zeros instead of nothing.
      u = c.zeros(join(batchOf(*a), {rowsOf(*a), rowsOf(*a)}));
      v = c.zeros(join(batchOf(*a), {columnsOf(*a), columnsOf(*a)}));
    }
    return c.replace({u, s, v});
  }
  LinalgCall::Decomposition d = c.decompose(*a, full);
  return c.replace({d.u, {d.s, nullptr}, isOld ? c.adjoint(d.vh) : d.vh});
}

/// The limit below which singular values count as zero: max(atol, rtol * the
/// largest). `given` is a number or a tensor among the arguments.
static Value getTolerance(LinalgCall &c, ComplexParts a, Value largest) {
  TensorBuilder &b = c.b;
  auto given = [&](StringRef name) -> Value {
    if (ComplexParts tensor = c.get(name); tensor.re) {
      Value value = b.convert(tensor.re, c.type);
      return b.unsqueeze(value, getSizes(value).size());
    }
    if (std::optional<double> number = c.number(name))
      return b.scalar(*number, c.type);
    return nullptr;
  };
  Value rtol = given("rtol"), atol = given("atol");
  if (Value tol = given("tol")) {
    // An absolute tolerance alone.
    atol = tol;
    rtol = b.scalar(0, c.type);
  }
  if (Value rcond = given("rcond"))
    rtol = rcond;
  if (!rtol) {
    double epsilon = c.type.isF64() ? 0x1p-52 : 0x1p-23;
    ExprAttr most = sym::max(rowsOf(a), columnsOf(a));
    rtol = b.mul(b.scalar(epsilon, c.type), b.expr(most, c.type));
    // With an absolute tolerance the relative one is zero by default.
    if (atol)
      rtol = b.select(b.compare(Pred::Gt, atol, b.scalar(0, c.type)),
                      b.scalar(0, c.type), rtol);
  }
  Value limit = b.mul(rtol, largest);
  return atol ? b.binary<MaximumOp>(atol, limit) : limit;
}

/// The largest of the last dimension, with that dimension.
static Value largestOfLast(LinalgCall &c, Value x) {
  return c.b.reduce(ReduceKind::Max, x,
                    {static_cast<int64_t>(getSizes(x).size()) - 1},
                    /*keepdims=*/true);
}

static bool isEmpty(ComplexParts a) {
  return rowsOf(a).isConstant(0) || columnsOf(a).isConstant(0);
}

static LogicalResult matrixRank(LinalgCall &c) {
  TensorBuilder &b = c.b;
  FailureOr<ComplexParts> a = getMatrix(c, pick(c, "self", "input"));
  if (failed(a))
    return failure();
  Type i64 = b.getBuilder().getI64Type();
  if (isEmpty(*a))
    return c.replaceReal(
        b.full(b.getBuilder().getI64IntegerAttr(0), batchOf(*a)));
  Value s = c.flag("hermitian")
                ? Value(b.unary<AbsOp>(
                      c.eigenvalues(*a, /*upper=*/false, false).first))
                : c.singularValues(*a).re;
  Value limit = getTolerance(c, *a, largestOfLast(c, s));
  Value counts = b.convert(b.compare(Pred::Gt, s, limit), i64);
  // Tolerances may have more dimensions than the singular values.
  return c.replaceReal(
      b.reduce(ReduceKind::Sum, counts,
               {static_cast<int64_t>(getSizes(counts).size()) - 1},
               /*keepdims=*/false));
}

/// `x` for each matrix of `like`, which has more of them where tolerances do.
static ComplexParts inBatchOf(LinalgCall &c, ComplexParts like,
                              ComplexParts x) {
  return c.map(x, [&](Value part) {
    return c.b.broadcast(part, join(batchOf(like), {rowsOf(x), columnsOf(x)}));
  });
}

/// The pseudo-inverse: V times the inverse of singular values beyond a limit
/// times U^H.
static LogicalResult pseudoInverse(LinalgCall &c) {
  TensorBuilder &b = c.b;
  FailureOr<ComplexParts> a = getMatrix(c, "self");
  if (failed(a))
    return failure();
  if (isEmpty(*a))
    return c.replace(c.zeros(join(batchOf(*a), {columnsOf(*a), rowsOf(*a)})));
  Value zero = b.scalar(0, c.type);
  auto invert = [&](Value s, Value magnitude) -> Value {
    Value limit = getTolerance(c, *a, largestOfLast(c, magnitude));
    Value inverse = b.select(b.compare(Pred::Gt, magnitude, limit),
                             b.unary<ReciprocalOp>(s), zero);
    // Of columns.
    return b.unsqueeze(inverse,
                       static_cast<int64_t>(getSizes(inverse).size()) - 1);
  };
  if (c.flag("hermitian")) {
    auto [values, vectors] = c.eigenvalues(*a, /*upper=*/false, true);
    Value inverse = invert(values, b.unary<AbsOp>(values));
    ComplexParts scaled = c.scale(vectors, inverse);
    return c.replace(
        c.matmul(scaled, inBatchOf(c, scaled, c.adjoint(vectors))));
  }
  LinalgCall::Decomposition d = c.decompose(*a, /*full=*/false);
  ComplexParts v = c.scale(c.adjoint(d.vh), invert(d.s, d.s));
  return c.replace(c.matmul(v, inBatchOf(c, v, c.adjoint(d.u))));
}

//===----------------------------------------------------------------------===//
// Least squares
//===----------------------------------------------------------------------===//

static LogicalResult lstsq(LinalgCall &c) {
  TensorBuilder &b = c.b;
  FailureOr<ComplexParts> a = getMatrix(c, "self");
  ComplexParts sides = c.get("b");
  if (failed(a) || !sides.re)
    return c.fail("an operand is missing");
  bool isVector = rankOf(sides) == rankOf(*a) - 1;
  if (isVector)
    sides = c.map(sides, [&](Value part) {
      return b.unsqueeze(part, getSizes(part).size());
    });
  FailureOr<Sizes> batch = broadcastSizes({batchOf(*a), batchOf(sides)});
  if (failed(batch))
    return c.fail("the stacks of matrices do not broadcast");
  ExprAttr rows = rowsOf(*a), columns = columnsOf(*a), count = columnsOf(sides);
  ComplexParts matrix = c.map(*a, [&](Value part) {
    return b.broadcast(part, join(*batch, {rows, columns}));
  });
  sides = c.map(sides, [&](Value part) {
    return b.broadcast(part, join(*batch, {rows, count}));
  });
  std::optional<double> rcond = c.number("rcond");
  std::optional<int64_t> most = sym::max(rows, columns).getConstant();
  if (!rcond && !most)
    return c.fail("'rcond' is needed where sizes are not constant");
  double limit =
      rcond ? *rcond
            : static_cast<double>(*most) * (c.type.isF64() ? 0x1p-52 : 0x1p-23);
  SmallVector<ComplexParts> made = c.call(
      "linalg_lstsq", {matrix, sides}, {b.getBuilder().getF64FloatAttr(limit)},
      {c.matrixResult(join(*batch, {sym::max(rows, columns), count})),
       c.intResult(*batch, 64),
       c.realResult(join(*batch, sym::min(rows, columns)))});
  ComplexParts x = take(c, made[0], 2, columns);
  // Residuals are there for more equations than unknowns, and of full rank
  // only, which the program cannot know before it runs.
  Sizes residualSizes =
      sym::getSizes(cast<RankedTensorType>(c.op.getOutputs()[1].getType()));
  ComplexParts residuals = {
      b.full(b.getBuilder().getFloatAttr(c.type, 0), residualSizes), nullptr};
  bool hasResiduals = !residualSizes.empty() && !residualSizes[0].isConstant(0);
  if (hasResiduals) {
    ComplexParts rest = c.sub(c.matmul(matrix, x), sides);
    Value squares = b.mul(rest.re, rest.re);
    if (rest.im)
      squares = b.add(squares, b.mul(rest.im, rest.im));
    residuals.re = b.reduce(ReduceKind::Sum, squares,
                            {static_cast<int64_t>(batch->size())},
                            /*keepdims=*/false);
  }
  if (isVector)
    x = c.map(x, [&](Value part) {
      return b.reshape(part, SizesRef(getSizes(part)).drop_back());
    });
  // Some drivers give no rank and no singular values.
  auto orNone = [&](unsigned result, Value value) -> ComplexParts {
    auto type = cast<RankedTensorType>(c.op.getOutputs()[result].getType());
    Sizes sizes = sym::getSizes(type);
    bool none = sizes.size() == 1 && sizes[0].isConstant(0) &&
                getSizes(value).size() != 1;
    if (none || (sizes.size() == 1 && sizes[0].isConstant(0)))
      return {b.full(cast<TypedAttr>(
                         b.getBuilder().getZeroAttr(type.getElementType())),
                     sizes),
              nullptr};
    return {value, nullptr};
  };
  return c.replace(
      {x, residuals, orNone(2, made[1].re), orNone(3, made[2].re)});
}

//===----------------------------------------------------------------------===//
// Powers and norms
//===----------------------------------------------------------------------===//

static LogicalResult matrixPower(LinalgCall &c) {
  FailureOr<ComplexParts> a = getMatrix(c, "self");
  std::optional<double> exponent = c.number("n");
  if (failed(a) || !exponent)
    return c.fail("an operand is missing");
  auto n = static_cast<int64_t>(*exponent);
  ComplexParts base = *a;
  if (n < 0) {
    Value info;
    base = c.inverse(base, /*check=*/true, info);
    n = -n;
  }
  if (n == 0)
    return c.replace(c.eye(batchOf(*a), rowsOf(*a), columnsOf(*a)));
  ComplexParts result = {};
  for (; n; n >>= 1) {
    if (n & 1)
      result = result.re ? c.matmul(result, base) : base;
    if (n > 1)
      base = c.matmul(base, base);
  }
  return c.replace(result);
}

/// The Taylor polynomial of degree 18 of the exponential, by powers up to the
/// sixth: seven products.
static ComplexParts exponentialSeries(LinalgCall &c, ComplexParts a) {
  constexpr unsigned kPowers = 6, kDegree = 18;
  SmallVector<ComplexParts> powers = {
      c.eye(batchOf(a), rowsOf(a), columnsOf(a)), a};
  while (powers.size() <= kPowers)
    powers.push_back(c.matmul(powers[powers.size() / 2],
                              powers[powers.size() - powers.size() / 2]));
  double factorials[kDegree + 1] = {1};
  for (unsigned k = 1; k <= kDegree; ++k)
    factorials[k] = factorials[k - 1] * k;
  auto term = [&](unsigned power, unsigned k) {
    return c.scale(powers[power], c.b.scalar(1 / factorials[k], c.type));
  };
  ComplexParts sum = term(kPowers, kDegree);
  for (unsigned first = kDegree - kPowers;; first -= kPowers) {
    for (unsigned k = kPowers; k-- > 0;)
      sum = c.add(sum, term(k, first + k));
    if (first == 0)
      return sum;
    sum = c.matmul(powers[kPowers], sum);
  }
}

/// exp(A) = exp(A / 2^n)^(2^n), where n makes the norm small enough for the
/// series.
static LogicalResult matrixExponential(LinalgCall &c) {
  TensorBuilder &b = c.b;
  OpBuilder &builder = b.getBuilder();
  FailureOr<ComplexParts> a = getMatrix(c, "self");
  if (failed(a))
    return failure();
  if (hasNoElements(a->re))
    return c.replace(*a);
  // Up to this norm the rest of the series is below the rounding error of
  // `f64`: Bader, Blanes, Casas: Computing the matrix exponential with an
  // optimized Taylor polynomial approximation (2019), table 1.
  constexpr double kMostNorm = 1.090863719290036;
  int64_t rank = rankOf(*a);
  Value norm = b.reduce(ReduceKind::Max,
                        b.reduce(ReduceKind::Sum, c.abs(*a), {rank - 2}, false),
                        {rank - 2}, false);
  Value halvings = b.unary<CeilOp>(
      b.unary<Log2Op>(b.div(norm, b.scalar(kMostNorm, c.type))));
  // Of NaN and infinite matrices there is no exponential to compute.
  Value zero = b.scalar(0, c.type);
  Value isFinite =
      b.compare(Pred::Lt, norm,
                b.scalar(std::numeric_limits<double>::infinity(), c.type));
  halvings = b.select(isFinite, b.binary<MaximumOp>(halvings, zero), zero);
  auto ofMatrices = [&](Value v) {
    return b.unsqueeze(b.unsqueeze(v, rank - 2), rank - 1);
  };
  Value factor = b.unary<Exp2Op>(b.unary<NegOp>(halvings));
  ComplexParts x = exponentialSeries(c, c.scale(*a, ofMatrices(factor)));

  // Squared as often; matrices that need it less often stay.
  Type i64 = builder.getI64Type();
  Value counts = b.convert(halvings, i64), most = counts;
  if (rank > 2)
    most = b.reduce(ReduceKind::Max, counts,
                    llvm::to_vector(llvm::seq<int64_t>(0, rank - 2)), false);
  SmallVector<Value> inits = {b.scalar(builder.getI64IntegerAttr(0)), x.re};
  if (x.im)
    inits.push_back(x.im);
  TypeRange types = ValueRange(inits).getTypes();
  auto loop = WhileOp::create(builder, b.getLoc(), types, inits);
  SmallVector<Location> locs(inits.size(), b.getLoc());
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *condition =
        builder.createBlock(&loop.getCondition(), {}, types, locs);
    ConditionOp::create(builder, b.getLoc(),
                        b.compare(Pred::Lt, condition->getArgument(0), most));
    Block *body = builder.createBlock(&loop.getBody(), {}, types, locs);
    Value done = body->getArgument(0);
    ComplexParts before = {body->getArgument(1),
                           x.im ? body->getArgument(2) : Value()};
    ComplexParts squared = c.matmul(before, before);
    Value isOpen = ofMatrices(b.compare(Pred::Lt, done, counts));
    SmallVector<Value> yielded = {
        b.add(done, b.scalar(builder.getI64IntegerAttr(1))),
        b.select(isOpen, squared.re, before.re)};
    if (x.im)
      yielded.push_back(b.select(isOpen, squared.im, before.im));
    YieldOp::create(builder, b.getLoc(), yielded);
  }
  return c.replace(
      ComplexParts{loop.getResult(1), x.im ? loop.getResult(2) : Value()});
}

static LogicalResult condition(LinalgCall &c) {
  TensorBuilder &b = c.b;
  // The framework has zeros for matrices without elements.
  if (Value self = c.op.getTensor("self"); self && hasNoElements(self))
    return c.replaceReal(filled(
        b, 0, c.type,
        sym::getSizes(cast<RankedTensorType>(c.op.getOutputs()[0].getType()))));
  FailureOr<ComplexParts> a = getMatrix(c, "self");
  if (failed(a))
    return failure();
  Attribute attr = c.op.getArgument("p");
  std::optional<double> p = c.number("p");
  bool isTwo = !attr || (p && std::abs(*p) == 2);
  if (isTwo) {
    Value s = c.singularValues(*a).re;
    int64_t last = getSizes(s).size() - 1;
    ExprAttr count = getSizes(s).back();
    Value largest = b.at(s, last, b.size(0));
    Value least = b.at(s, last, sym::add(count, -1));
    return c.replaceReal(p && *p == -2 ? b.div(least, largest)
                                       : b.div(largest, least));
  }
  StringRef text = c.text("p", "");
  auto norm = [&](ComplexParts x) -> Value {
    int64_t rank = rankOf(x);
    if (text == "nuc")
      return b.reduce(ReduceKind::Sum, c.singularValues(x).re, {rank - 2},
                      /*keepdims=*/false);
    Value magnitude = c.abs(x);
    if (text == "fro")
      return b.unary<SqrtOp>(b.reduce(
          ReduceKind::Sum, b.mul(magnitude, magnitude), {rank - 2, rank - 1},
          /*keepdims=*/false));
    if (!p)
      return nullptr;
    // Sums of columns (1), of rows (infinity), the largest or the least.
    int64_t summed = std::isinf(*p) ? rank - 1 : rank - 2;
    if (std::abs(*p) != 1 && !std::isinf(*p))
      return nullptr;
    Value sums =
        b.reduce(ReduceKind::Sum, magnitude, {summed}, /*keepdims=*/false);
    return b.reduce(*p > 0 ? ReduceKind::Max : ReduceKind::Min, sums,
                    {rank - 2}, /*keepdims=*/false);
  };
  Value info;
  Value first = norm(*a);
  if (!first)
    return c.fail("its norm is not known");
  Value second = norm(c.inverse(*a, /*check=*/false, info));
  // Infinite for a singular matrix.
  Value product = b.mul(first, second);
  Value isSingular =
      b.compare(Pred::Ne, info, b.scalar(b.getBuilder().getI32IntegerAttr(0)));
  return c.replaceReal(b.select(
      isSingular, b.scalar(std::numeric_limits<double>::infinity(), c.type),
      product));
}

void graph::addMatrixValues(AddLinalg add) {
  add("linalg_eigh linalg_eigvalsh _linalg_eigh", eigh);
  add("linalg_eig linalg_eigvals _linalg_eigvals", eig);
  add("linalg_svd linalg_svdvals _linalg_svd svd", svd);
  add("linalg_matrix_rank linalg_matrix_rank.atol_rtol_float "
      "linalg_matrix_rank.atol_rtol_tensor linalg_matrix_rank.tol_tensor",
      matrixRank);
  add("linalg_pinv linalg_pinv.atol_rtol_float linalg_pinv.atol_rtol_tensor "
      "linalg_pinv.rcond_tensor pinverse",
      pseudoInverse);
  add("linalg_lstsq", lstsq);
  add("linalg_matrix_power matrix_power", matrixPower);
  add("matrix_exp linalg_matrix_exp", matrixExponential);
  add("linalg_cond linalg_cond.p_str", condition);
}
