//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Factorizations of matrices, and systems of equations, inverses and
// determinants by them: calls of the library's functions, and operators on what
// these give.
//
//===----------------------------------------------------------------------===//

#include "LinalgCall.h"

#include <cmath>

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;
using Pred = ComparePredicate;

//===----------------------------------------------------------------------===//
// LU and systems of equations
//===----------------------------------------------------------------------===//

static LogicalResult luFactor(LinalgCall &c) {
  FailureOr<ComplexParts> a = getMatrix(c, pick(c, "A", "self"));
  if (failed(a))
    return failure();
  bool hasInfo = c.op.getOutputs().size() == 3;
  // The framework does not look at that argument of _lu_with_info.
  bool checks = c.op.getName() != "aten._lu_with_info.default" &&
                c.flag("check_errors", !hasInfo);
  LinalgCall::Factors factors = c.factorize(*a, checks, c.flag("pivot", true));
  SmallVector<ComplexParts> results = {factors.matrix,
                                       {factors.pivots, nullptr}};
  if (hasInfo)
    results.push_back({factors.info, nullptr});
  return c.replace(results);
}

/// P, L and U of factors; no P without pivots.
static SmallVector<ComplexParts>
unpackFactors(LinalgCall &c, ComplexParts factors, Value pivots) {
  ExprAttr rows = rowsOf(factors), columns = columnsOf(factors);
  Sizes batch = batchOf(factors);
  ExprAttr least = sym::min(rows, columns);
  // Row i of the permuted matrix is row `order[i]` of the matrix: P[order[i],
  // i] is 1.
  OpBuilder &builder = c.b.getBuilder();
  ComplexParts p = {};
  if (pivots) {
    auto call = CustomCallOp::create(
        builder, c.b.getLoc(),
        TypeRange(sym::getTensorType(join(batch, rows), builder.getI64Type())),
        builder.getStringAttr("coil::linalg_permutation"),
        builder.getArrayAttr({builder.getUnitAttr(), rows}), pivots,
        ArrayAttr(), DenseI64ArrayAttr(), ArrayAttr());
    Value order = c.b.unsqueeze(call.getResult(0), batch.size());
    Value row = c.b.unsqueeze(c.b.iota(0, 1, rows), 1);
    Value isOne = c.b.compare(Pred::Eq, order, row);
    p.re = c.b.convert(isOne, c.type);
    if (c.isComplex)
      p.im = c.zeros(getSizes(p.re)).im;
  }
  ComplexParts l = c.triangle(take(c, factors, 1, least), /*upper=*/false);
  Value on = c.compareDiagonal(rows, least, Pred::Eq);
  l.re = c.b.select(on, c.b.scalar(1, c.type), l.re);
  if (l.im)
    l.im = c.b.select(on, c.b.scalar(0, c.type), l.im);
  ComplexParts u = c.triangle(take(c, factors, 2, least), /*upper=*/true);
  return {p, l, u};
}

static LogicalResult lu(LinalgCall &c) {
  FailureOr<ComplexParts> a = getMatrix(c, "A");
  if (failed(a))
    return failure();
  bool isPivoted = c.flag("pivot", true);
  LinalgCall::Factors factors = c.factorize(*a, /*check=*/false, isPivoted);
  SmallVector<ComplexParts> results =
      unpackFactors(c, factors.matrix, factors.pivots);
  if (!isPivoted)
    results[0] = c.zeros({c.b.size(0)});
  return c.replace(results);
}

static LogicalResult luUnpack(LinalgCall &c) {
  FailureOr<ComplexParts> factors = getMatrix(c, "LU_data");
  ComplexParts pivots = c.get("LU_pivots");
  if (failed(factors) || !pivots.re)
    return c.fail("an operand is missing");
  // What is not asked for is empty, and its pivots may be anything.
  ComplexParts none = c.zeros({c.b.size(0)});
  bool hasPivots = c.flag("unpack_pivots", true);
  SmallVector<ComplexParts> results =
      unpackFactors(c, *factors, hasPivots ? pivots.re : Value());
  if (!hasPivots)
    results[0] = none;
  if (!c.flag("unpack_data", true))
    results[1] = results[2] = none;
  return c.replace(results);
}

/// Solves from the right by solving for the transpose.
static ComplexParts solveSides(LinalgCall &c, ComplexParts factors,
                               Value pivots, ComplexParts sides, bool left,
                               bool adjoint) {
  StringRef adjointName = c.isComplex ? "C" : "T";
  if (left)
    return c.solve(factors, pivots, sides, adjoint ? adjointName : "N");
  // X A = B: A^H X^H = B^H. With the adjoint of A: A X^H = B^H.
  return c.adjoint(c.solve(factors, pivots, c.adjoint(sides),
                           adjoint ? StringRef("N") : adjointName));
}

static LogicalResult linalgLuSolve(LinalgCall &c) {
  FailureOr<ComplexParts> factors = getMatrix(c, "LU"),
                          sides = getMatrix(c, "B");
  ComplexParts pivots = c.get("pivots");
  if (failed(factors) || failed(sides) || !pivots.re)
    return c.fail("an operand is missing");
  return c.replace(solveSides(c, *factors, pivots.re, *sides,
                              c.flag("left", true), c.flag("adjoint")));
}

static LogicalResult luSolve(LinalgCall &c) {
  FailureOr<ComplexParts> factors = getMatrix(c, "LU_data"),
                          sides = getMatrix(c, "self");
  ComplexParts pivots = c.get("LU_pivots");
  if (failed(factors) || failed(sides) || !pivots.re)
    return c.fail("an operand is missing");
  return c.replace(c.solve(*factors, pivots.re, *sides, "N"));
}

/// Solves A X = B; B may be a stack of vectors.
static LogicalResult solve(LinalgCall &c) {
  FailureOr<ComplexParts> a = getMatrix(c, "A");
  ComplexParts sides = c.get("B");
  if (failed(a) || !sides.re)
    return c.fail("an operand is missing");
  // As the framework decides it: by the dimensions before the last.
  int64_t rank = rankOf(*a);
  bool isVector = rankOf(sides) == 1;
  if (!isVector && rankOf(sides) == rank - 1) {
    isVector = true;
    Sizes expected = getSizes(a->re), given = getSizes(sides.re);
    for (int64_t d = 0; d < rank - 1; ++d)
      isVector &= !provablyDiffer(expected[d], given[d]);
  }
  if (isVector)
    sides = c.map(sides, [&](Value part) {
      return c.b.unsqueeze(part, getSizes(part).size());
    });
  StringRef name = c.op.getName();
  bool isEx = name.contains("_ex");
  LinalgCall::Factors factors =
      c.factorize(*a, isEx ? c.flag("check_errors") : true);
  ComplexParts x = solveSides(c, factors.matrix, factors.pivots, sides,
                              c.flag("left", true), /*adjoint=*/false);
  if (isVector)
    x = c.map(x, [&](Value part) {
      return c.b.reshape(part, SizesRef(getSizes(part)).drop_back());
    });
  SmallVector<ComplexParts> results = {x};
  if (c.op.getOutputs().size() == 4)
    results.append({factors.matrix, {factors.pivots, nullptr}});
  if (isEx)
    results.push_back({factors.info, nullptr});
  return c.replace(results);
}

static LogicalResult inverse(LinalgCall &c) {
  FailureOr<ComplexParts> a = getMatrix(c, pick(c, "A", "self"));
  if (failed(a))
    return failure();
  bool isEx = c.op.getName().contains("_ex");
  Value info;
  ComplexParts result =
      c.inverse(*a, isEx ? c.flag("check_errors") : true, info);
  if (!isEx)
    return c.replace(result);
  return c.replace({result, {info, nullptr}});
}

/// The sizes of the call's result.
static Sizes resultSizes(LinalgCall &c) {
  return sym::getSizes(
      cast<RankedTensorType>(c.op.getOutputs().front().getType()));
}

static ComplexParts reshape(LinalgCall &c, ComplexParts x, SizesRef sizes) {
  return c.map(x, [&](Value part) { return c.b.reshape(part, sizes); });
}

/// The tensor as a matrix with as many columns as rows, which only a run may
/// know.
static FailureOr<ComplexParts> getSquare(LinalgCall &c, ComplexParts x,
                                         ExprAttr rows, ExprAttr columns) {
  if (provablyDiffer(rows, columns)) {
    (void)c.fail("its dimensions are not those of a square matrix");
    return failure();
  }
  return c.map(reshape(c, x, {rows, columns}),
               [&](Value part) { return c.b.castSizes(part, {rows, rows}); });
}

/// The inverse of the matrix that the first `ind` dimensions, as rows, and the
/// others make.
static LogicalResult tensorInverse(LinalgCall &c) {
  ComplexParts a = c.get("self");
  auto ind = static_cast<int64_t>(c.number("ind").value_or(2));
  if (!a.re)
    return c.fail("its operand is missing");
  if (ind < 1 || ind > rankOf(a))
    return c.fail("'ind' is no number of its dimensions");
  MLIRContext *context = c.op.getContext();
  Sizes sizes = getSizes(a.re);
  ExprAttr rows = sym::product(context, SizesRef(sizes).take_front(ind)),
           columns = sym::product(context, SizesRef(sizes).drop_front(ind));
  FailureOr<ComplexParts> matrix = getSquare(c, a, rows, columns);
  if (failed(matrix))
    return failure();
  Value info;
  Sizes inverseSizes(SizesRef(sizes).drop_front(ind));
  inverseSizes.append(sizes.begin(), sizes.begin() + ind);
  ComplexParts inverse =
      c.map(c.inverse(*matrix, /*check=*/true, info),
            [&](Value part) { return c.b.castSizes(part, {columns, rows}); });
  return c.replace(reshape(c, inverse, inverseSizes));
}

/// The X of A X = B, where the first dimensions of A are those of B, behind
/// which `dims` are moved before.
static LogicalResult tensorSolve(LinalgCall &c) {
  ComplexParts a = c.get("self"), other = c.get("other");
  if (!a.re || !other.re)
    return c.fail("an operand is missing");
  SmallVector<int64_t> order, moved;
  int64_t rank = rankOf(a);
  if (auto dims = dyn_cast_or_null<DenseI64ArrayAttr>(c.op.getArgument("dims")))
    for (int64_t d : dims.asArrayRef())
      moved.push_back(d < 0 ? d + rank : d);
  for (int64_t d = 0; d < rank; ++d)
    if (!llvm::is_contained(moved, d))
      order.push_back(d);
  order.append(moved);
  if (static_cast<int64_t>(order.size()) != rank)
    return c.fail("'dims' are not its dimensions");
  ComplexParts turned =
      c.map(a, [&](Value part) { return c.b.permute(part, order); });
  MLIRContext *context = c.op.getContext();
  ExprAttr rows = sym::product(context, getSizes(other.re)),
           columns = sym::product(context, resultSizes(c));
  FailureOr<ComplexParts> matrix = getSquare(c, turned, rows, columns);
  if (failed(matrix))
    return failure();
  LinalgCall::Factors factors = c.factorize(*matrix, /*check=*/true);
  ComplexParts x = c.solve(factors.matrix, factors.pivots,
                           reshape(c, other, {rows, c.b.size(1)}), "N");
  x = c.map(x, [&](Value part) {
    return c.b.castSizes(part, {columns, c.b.size(1)});
  });
  return c.replace(reshape(c, x, resultSizes(c)));
}

/// The sign of the permutation, as a number: each row that is exchanged with
/// another changes it.
static Value getSign(LinalgCall &c, Value pivots) {
  TensorBuilder &b = c.b;
  Sizes sizes = getSizes(pivots);
  Type i64 = b.getBuilder().getI64Type();
  Value moved = b.convert(
      b.compare(Pred::Ne, b.convert(pivots, i64), b.iota(1, 1, sizes.back())),
      i64);
  Value count =
      b.reduce(ReduceKind::Sum, moved, {static_cast<int64_t>(sizes.size()) - 1},
               /*keepdims=*/false);
  Value odd = b.binary<BitwiseAndOp>(
      count, b.scalar(b.getBuilder().getI64IntegerAttr(1)));
  return b.sub(b.scalar(1, c.type),
               b.mul(b.scalar(2, c.type), b.convert(odd, c.type)));
}

static ComplexParts productOfLast(LinalgCall &c, ComplexParts x) {
  int64_t last = rankOf(x) - 1;
  if (!x.im)
    return {c.b.reduce(ReduceKind::Prod, x.re, {last}, /*keepdims=*/false),
            nullptr};
  Sizes batch(SizesRef(getSizes(x.re)).drop_back());
  return reshape(c, multiplyAlong(c.b, x, last), batch);
}

/// The factors of a matrix whose determinant is wanted. The framework
/// factorizes the transposed one where a real matrix lies row by row, and the
/// gradient takes that for granted.
static LinalgCall::Factors factorizeForDeterminant(LinalgCall &c,
                                                   ComplexParts a) {
  bool isTransposed =
      c.op.getOutputs().size() > 1 && !a.im && c.op->hasAttr(kRowByRowAttrName);
  if (isTransposed)
    a.re = c.b.transpose(a.re, getRank(a.re) - 2, getRank(a.re) - 1);
  return c.factorize(a, /*check=*/false);
}

static LogicalResult determinant(LinalgCall &c) {
  FailureOr<ComplexParts> a = getMatrix(c, pick(c, "A", "self"));
  if (failed(a))
    return failure();
  LinalgCall::Factors factors = factorizeForDeterminant(c, *a);
  ComplexParts result = c.scale(productOfLast(c, c.diagonal(factors.matrix)),
                                getSign(c, factors.pivots));
  if (c.op.getOutputs().size() == 1)
    return c.replace(result);
  return c.replace({result, factors.matrix, {factors.pivots, nullptr}});
}

/// Sign and logarithm of the magnitude of the determinant.
static LogicalResult logDeterminant(LinalgCall &c) {
  TensorBuilder &b = c.b;
  FailureOr<ComplexParts> a = getMatrix(c, pick(c, "A", "self"));
  if (failed(a))
    return failure();
  LinalgCall::Factors factors = factorizeForDeterminant(c, *a);
  ComplexParts diagonal = c.diagonal(factors.matrix);
  int64_t last = rankOf(diagonal) - 1;
  Value magnitude = c.abs(diagonal);
  Value logarithm = b.reduce(ReduceKind::Sum, b.unary<LogOp>(magnitude), {last},
                             /*keepdims=*/false);
  ComplexParts signs;
  if (diagonal.im) {
    // 0 for 0.
    Value zero = b.scalar(0, c.type);
    Value isZero = b.compare(Pred::Eq, magnitude, zero);
    signs = c.map(diagonal, [&](Value part) {
      return b.select(isZero, zero, b.div(part, magnitude));
    });
  } else {
    signs = {b.unary<SignOp>(diagonal.re), nullptr};
  }
  ComplexParts sign =
      c.scale(productOfLast(c, signs), getSign(c, factors.pivots));
  if (c.op.getName().contains("logdet") &&
      !c.op.getName().contains("slogdet")) {
    // NaN where it is negative.
    Value isNegative = b.compare(Pred::Lt, sign.re, b.scalar(0, c.type));
    Value nan = b.scalar(std::nan(""), c.type);
    if (!sign.im)
      return c.replaceReal(b.select(isNegative, nan, logarithm));
    return c.replace(
        ComplexParts{logarithm, b.binary<Atan2Op>(sign.im, sign.re)});
  }
  SmallVector<ComplexParts> results = {sign, {logarithm, nullptr}};
  if (c.op.getOutputs().size() == 4)
    results.append({factors.matrix, {factors.pivots, nullptr}});
  return c.replace(results);
}

//===----------------------------------------------------------------------===//
// Symmetric and triangular matrices
//===----------------------------------------------------------------------===//

static LogicalResult cholesky(LinalgCall &c) {
  FailureOr<ComplexParts> a = getMatrix(c, "self");
  if (failed(a))
    return failure();
  bool isEx = c.op.getOutputs().size() == 2;
  SmallVector<ComplexParts> made = c.call(
      "linalg_cholesky", *a,
      {c.attr(c.flag("upper")), c.attr(isEx ? c.flag("check_errors") : true)},
      {c.matrixResult(getSizes(a->re)), c.intResult(batchOf(*a))});
  if (!isEx)
    made.pop_back();
  return c.replace(made);
}

static ComplexParts
solveCholesky(LinalgCall &c, ComplexParts factor, ComplexParts sides,
              StringRef function = "linalg_cholesky_solve") {
  FailureOr<Sizes> batch = broadcastSizes({batchOf(factor), batchOf(sides)});
  Sizes sizes = join(failed(batch) ? batchOf(sides) : *batch,
                     {rowsOf(sides), columnsOf(sides)});
  return c.call(function, {factor, sides}, {c.attr(c.flag("upper"))},
                c.matrixResult(sizes))[0];
}

static LogicalResult choleskySolve(LinalgCall &c) {
  FailureOr<ComplexParts> sides = getMatrix(c, "self"),
                          factor = getMatrix(c, "input2");
  if (failed(sides) || failed(factor))
    return failure();
  return c.replace(solveCholesky(c, *factor, *sides));
}

static LogicalResult choleskyInverse(LinalgCall &c) {
  FailureOr<ComplexParts> factor = getMatrix(c, "self");
  if (failed(factor))
    return failure();
  ExprAttr size = columnsOf(*factor);
  return c.replace(solveCholesky(c, *factor, c.eye({}, size, size),
                                 "linalg_cholesky_inverse"));
}

static LogicalResult ldlFactor(LinalgCall &c) {
  FailureOr<ComplexParts> a = getMatrix(c, "self");
  if (failed(a))
    return failure();
  bool hermitian = c.flag("hermitian");
  SmallVector<ComplexParts> made = c.call(
      "linalg_ldl", *a, c.attr(hermitian),
      {c.matrixResult(getSizes(a->re)),
       c.intResult(join(batchOf(*a), rowsOf(*a))), c.intResult(batchOf(*a))});
  if (c.op.getOutputs().size() == 2)
    made.pop_back();
  return c.replace(made);
}

static LogicalResult ldlSolve(LinalgCall &c) {
  FailureOr<ComplexParts> factor = getMatrix(c, "LD"),
                          sides = getMatrix(c, "B");
  ComplexParts pivots = c.get("pivots");
  if (failed(factor) || failed(sides) || !pivots.re)
    return c.fail("an operand is missing");
  FailureOr<Sizes> batch = broadcastSizes({batchOf(*factor), batchOf(*sides)});
  Sizes sizes = join(failed(batch) ? batchOf(*sides) : *batch,
                     {rowsOf(*sides), columnsOf(*sides)});
  return c.replace(c.call("linalg_ldl_solve", {*factor, pivots, *sides},
                          c.attr(c.flag("hermitian")), c.matrixResult(sizes)));
}

static ComplexParts solveTriangular(LinalgCall &c, ComplexParts a,
                                    ComplexParts sides, bool upper, bool unit) {
  FailureOr<Sizes> batch = broadcastSizes({batchOf(a), batchOf(sides)});
  Sizes sizes = join(failed(batch) ? batchOf(sides) : *batch,
                     {rowsOf(sides), columnsOf(sides)});
  return c.call("linalg_solve_triangular", {a, sides},
                {c.attr(upper), c.attr(unit)}, c.matrixResult(sizes))[0];
}

static LogicalResult linalgSolveTriangular(LinalgCall &c) {
  FailureOr<ComplexParts> a = getMatrix(c, "self"), sides = getMatrix(c, "B");
  if (failed(a) || failed(sides))
    return failure();
  bool upper = c.flag("upper"), unit = c.flag("unitriangular");
  if (c.flag("left", true))
    return c.replace(solveTriangular(c, *a, *sides, upper, unit));
  // X A = B: A' X' = B'.
  return c.replace(c.transpose(
      solveTriangular(c, c.transpose(*a), c.transpose(*sides), !upper, unit)));
}

static LogicalResult triangularSolve(LinalgCall &c) {
  FailureOr<ComplexParts> a = getMatrix(c, "A"), sides = getMatrix(c, "self");
  if (failed(a) || failed(sides))
    return failure();
  bool transposed = c.flag("transpose");
  ComplexParts x = solveTriangular(c, transposed ? c.transpose(*a) : *a, *sides,
                                   c.flag("upper", true) != transposed,
                                   c.flag("unitriangular"));
  Sizes sizes =
      join(SizesRef(getSizes(x.re)).drop_back(2), {rowsOf(*a), columnsOf(*a)});
  return c.replace(
      {x, c.map(*a, [&](Value part) { return c.b.broadcast(part, sizes); })});
}

//===----------------------------------------------------------------------===//
// QR
//===----------------------------------------------------------------------===//

static SmallVector<ComplexParts> factorizeQR(LinalgCall &c, ComplexParts a) {
  ExprAttr least = sym::min(rowsOf(a), columnsOf(a));
  return c.call("linalg_geqrf", a, {},
                {c.matrixResult(getSizes(a.re)),
                 c.matrixResult(join(batchOf(a), least))});
}

static ComplexParts makeHouseholder(LinalgCall &c, ComplexParts factor,
                                    ComplexParts tau) {
  return c.call("linalg_householder", {factor, tau}, {},
                c.matrixResult(getSizes(factor.re)))[0];
}

static LogicalResult geqrf(LinalgCall &c) {
  FailureOr<ComplexParts> a = getMatrix(c, "self");
  return failed(a) ? failure() : c.replace(factorizeQR(c, *a));
}

static LogicalResult householderProduct(LinalgCall &c) {
  bool isOld = c.op.getName().contains("orgqr");
  FailureOr<ComplexParts> factor = getMatrix(c, isOld ? "self" : "input");
  ComplexParts tau = c.get(isOld ? "input2" : "tau");
  if (failed(factor) || !tau.re)
    return c.fail("an operand is missing");
  return c.replace(makeHouseholder(c, *factor, tau));
}

static LogicalResult ormqr(LinalgCall &c) {
  FailureOr<ComplexParts> factor = getMatrix(c, "self"),
                          other = getMatrix(c, "input3");
  ComplexParts tau = c.get("input2");
  if (failed(factor) || failed(other) || !tau.re)
    return c.fail("an operand is missing");
  return c.replace(
      c.call("linalg_ormqr", {*factor, tau, *other},
             {c.attr(c.flag("left", true)), c.attr(c.flag("transpose"))},
             c.matrixResult(getSizes(other->re))));
}

static LogicalResult qr(LinalgCall &c) {
  FailureOr<ComplexParts> a = getMatrix(c, pick(c, "A", "self"));
  if (failed(a))
    return failure();
  StringRef mode =
      c.op.getName().contains("linalg")
          ? c.text("mode", "reduced")
          : StringRef(c.flag("some", true) ? "reduced" : "complete");
  ExprAttr rows = rowsOf(*a), columns = columnsOf(*a);
  ExprAttr least = sym::min(rows, columns);
  SmallVector<ComplexParts> factors = factorizeQR(c, *a);
  bool complete = mode == "complete";
  ComplexParts r = c.triangle(
      complete ? factors[0] : take(c, factors[0], 2, least), /*upper=*/true);
  if (mode == "r")
    return c.replace({c.zeros({c.b.size(0)}), r});
  if (mode != "reduced" && !complete)
    return c.fail("the mode '" + mode + "' is unknown");
  ComplexParts columnsOfQ = take(c, factors[0], 1, least);
  if (complete && least != rows) {
    // Further columns, whose elements do not matter.
    Sizes more = getSizes(columnsOfQ.re);
    more.back() = sym::sub(rows, least);
    ComplexParts zeros = c.zeros(more);
    int64_t last = more.size() - 1;
    columnsOfQ.re = c.b.cat({columnsOfQ.re, zeros.re}, last);
    if (columnsOfQ.im)
      columnsOfQ.im = c.b.cat({columnsOfQ.im, zeros.im}, last);
  }
  return c.replace({makeHouseholder(c, columnsOfQ, factors[1]), r});
}

void graph::addFactorizations(AddLinalg add) {
  add("linalg_lu_factor linalg_lu_factor_ex _lu_with_info", luFactor);
  add("linalg_lu", lu);
  add("lu_unpack", luUnpack);
  add("linalg_lu_solve", linalgLuSolve);
  add("lu_solve", luSolve);
  add("linalg_solve linalg_solve_ex _linalg_solve_ex", solve);
  add("linalg_inv linalg_inv_ex inverse", inverse);
  add("linalg_tensorinv", tensorInverse);
  add("linalg_tensorsolve", tensorSolve);
  add("det linalg_det _linalg_det", determinant);
  add("slogdet linalg_slogdet _linalg_slogdet logdet", logDeterminant);
  add("cholesky linalg_cholesky linalg_cholesky_ex", cholesky);
  add("cholesky_solve", choleskySolve);
  add("cholesky_inverse", choleskyInverse);
  add("linalg_ldl_factor linalg_ldl_factor_ex", ldlFactor);
  add("linalg_ldl_solve", ldlSolve);
  add("linalg_solve_triangular", linalgSolveTriangular);
  add("triangular_solve", triangularSolve);
  add("geqrf", geqrf);
  add("linalg_householder_product orgqr", householderProduct);
  add("ormqr", ormqr);
  add("linalg_qr qr", qr);
}
