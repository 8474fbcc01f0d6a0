//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators of dense linear algebra as calls of the library's functions and
// operators on what these give.
//
//===----------------------------------------------------------------------===//

#include "LinalgCall.h"

#include <cmath>

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;
using Pred = ComparePredicate;

static int64_t rankOf(ComplexParts x) { return getSizes(x.re).size(); }
static Sizes batchOf(ComplexParts x) {
  return Sizes(SizesRef(getSizes(x.re)).drop_back(2));
}
static ExprAttr rowsOf(ComplexParts x) {
  Sizes sizes = getSizes(x.re);
  return sizes[sizes.size() - 2];
}
static ExprAttr columnsOf(ComplexParts x) { return getSizes(x.re).back(); }
static Sizes join(SizesRef batch, ArrayRef<ExprAttr> sizes) {
  Sizes result(batch);
  result.append(sizes.begin(), sizes.end());
  return result;
}

/// A matrix operand; the call fails when it is missing or has less than two
/// dimensions.
static FailureOr<ComplexParts> getMatrix(LinalgCall &c, StringRef name) {
  ComplexParts x = c.get(name);
  if (x.re && rankOf(x) >= 2)
    return x;
  (void)c.fail("its operand '" + name + "' is no matrix");
  return failure();
}

/// The first of two names that is an operand.
static StringRef pick(LinalgCall &c, StringRef first, StringRef second) {
  return c.op.getTensor(first) ? first : second;
}

static Value divide(LinalgCall &c, Value x, Value y) { return c.b.div(x, y); }

/// First rows (dimension 2 from behind) or columns (1) of a matrix.
static ComplexParts take(LinalgCall &c, ComplexParts x, int64_t fromBehind,
                         ExprAttr count) {
  int64_t dim = rankOf(x) - fromBehind;
  return c.map(x, [&](Value part) {
    return c.b.slice(part, dim, c.b.size(0), count);
  });
}

//===----------------------------------------------------------------------===//
// LU and systems of equations
//===----------------------------------------------------------------------===//

static LogicalResult luFactor(LinalgCall &c) {
  FailureOr<ComplexParts> a = getMatrix(c, pick(c, "A", "self"));
  if (failed(a))
    return failure();
  if (!c.flag("pivot", true))
    return c.fail("a factorization without pivots is for CUDA alone");
  bool hasInfo = c.op.getOutputs().size() == 3;
  LinalgCall::Factors factors =
      c.factorize(*a, c.flag("check_errors", !hasInfo));
  SmallVector<ComplexParts> results = {factors.matrix,
                                       {factors.pivots, nullptr}};
  if (hasInfo)
    results.push_back({factors.info, nullptr});
  return c.replace(results);
}

/// P, L and U of factors.
static SmallVector<ComplexParts> unpackFactors(LinalgCall &c,
                                               ComplexParts factors,
                                               Value pivots) {
  ExprAttr rows = rowsOf(factors), columns = columnsOf(factors);
  Sizes batch = batchOf(factors);
  ExprAttr least = sym::min(rows, columns);
  // Row i of the permuted matrix is row `order[i]` of the matrix: P[order[i],
  // i] is 1.
  OpBuilder &builder = c.b.getBuilder();
  auto call = CustomCallOp::create(
      builder, c.b.getLoc(),
      TypeRange(sym::getTensorType(join(batch, rows), builder.getI64Type())),
      builder.getStringAttr("coil::linalg_permutation"),
      builder.getArrayAttr({builder.getUnitAttr(), rows}), pivots, ArrayAttr(),
      DenseI64ArrayAttr(), ArrayAttr());
  Value order = c.b.unsqueeze(call.getResult(0), batch.size());
  Value row = c.b.unsqueeze(c.b.iota(0, 1, rows), 1);
  Value isOne = c.b.compare(Pred::Eq, order, row);
  ComplexParts p = {c.b.convert(isOne, c.type), nullptr};
  if (c.isComplex)
    p.im = c.zeros(getSizes(p.re)).im;
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
  if (!c.flag("pivot", true))
    return c.fail("a factorization without pivots is for CUDA alone");
  LinalgCall::Factors factors = c.factorize(*a, /*check=*/false);
  return c.replace(unpackFactors(c, factors.matrix, factors.pivots));
}

static LogicalResult luUnpack(LinalgCall &c) {
  FailureOr<ComplexParts> factors = getMatrix(c, "LU_data");
  ComplexParts pivots = c.get("LU_pivots");
  if (failed(factors) || !pivots.re)
    return c.fail("an operand is missing");
  SmallVector<ComplexParts> results = unpackFactors(c, *factors, pivots.re);
  // What is not asked for is empty.
  ComplexParts none = c.zeros({c.b.size(0)});
  if (!c.flag("unpack_pivots", true))
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

/// The sign of the permutation, as a number: each row that is exchanged with
/// another changes it.
static Value getSign(LinalgCall &c, Value pivots) {
  TensorBuilder &b = c.b;
  Sizes sizes = getSizes(pivots);
  Type i64 = b.getBuilder().getI64Type();
  Value moved = b.convert(
      b.compare(Pred::Ne, b.convert(pivots, i64), b.iota(1, 1, sizes.back())),
      i64);
  Value count = b.reduce(ReduceKind::Sum, moved,
                         {static_cast<int64_t>(sizes.size()) - 1},
                         /*keepdims=*/false);
  Value odd = b.binary<BitwiseAndOp>(
      count, b.scalar(b.getBuilder().getI64IntegerAttr(1)));
  return b.sub(b.scalar(1, c.type),
               b.mul(b.scalar(2, c.type), b.convert(odd, c.type)));
}

/// The product of the last dimension. Complex ones are multiplied by halves.
static FailureOr<ComplexParts> productOfLast(LinalgCall &c, ComplexParts x) {
  TensorBuilder &b = c.b;
  int64_t last = rankOf(x) - 1;
  if (!x.im)
    return ComplexParts{
        b.reduce(ReduceKind::Prod, x.re, {last}, /*keepdims=*/false), nullptr};
  std::optional<int64_t> size = getSizes(x.re)[last].getConstant();
  if (!size) {
    (void)c.fail("determinants of complex matrices need a constant size");
    return failure();
  }
  Sizes batch(SizesRef(getSizes(x.re)).drop_back());
  if (*size == 0) {
    ComplexParts one = c.zeros(batch);
    one.re = b.full(b.getBuilder().getFloatAttr(c.type, 1), batch);
    return one;
  }
  auto slice = [&](int64_t start, int64_t count) {
    return c.map(x, [&](Value part) {
      return b.slice(part, last, b.size(start), b.size(count));
    });
  };
  for (int64_t n = *size; n > 1;) {
    int64_t half = n / 2;
    ComplexParts product = c.mul(slice(0, half), slice(half, half));
    if (n % 2) {
      ComplexParts rest = slice(n - 1, 1);
      product = {b.cat({product.re, rest.re}, last),
                 b.cat({product.im, rest.im}, last)};
    }
    x = product;
    n = half + n % 2;
  }
  return c.map(x, [&](Value part) { return b.reshape(part, batch); });
}

static LogicalResult determinant(LinalgCall &c) {
  FailureOr<ComplexParts> a = getMatrix(c, pick(c, "A", "self"));
  if (failed(a))
    return failure();
  LinalgCall::Factors factors = c.factorize(*a, /*check=*/false);
  FailureOr<ComplexParts> product =
      productOfLast(c, c.diagonal(factors.matrix));
  if (failed(product))
    return failure();
  ComplexParts result = c.scale(*product, getSign(c, factors.pivots));
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
  LinalgCall::Factors factors = c.factorize(*a, /*check=*/false);
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
  FailureOr<ComplexParts> product = productOfLast(c, signs);
  if (failed(product))
    return failure();
  ComplexParts sign = c.scale(*product, getSign(c, factors.pivots));
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
  SmallVector<ComplexParts> made =
      c.call("linalg_cholesky", *a,
             {c.attr(c.flag("upper")),
              c.attr(isEx ? c.flag("check_errors") : true)},
             {c.matrixResult(getSizes(a->re)), c.intResult(batchOf(*a))});
  if (!isEx)
    made.pop_back();
  return c.replace(made);
}

static ComplexParts solveCholesky(LinalgCall &c, ComplexParts factor,
                                  ComplexParts sides) {
  FailureOr<Sizes> batch = broadcastSizes({batchOf(factor), batchOf(sides)});
  Sizes sizes = join(failed(batch) ? batchOf(sides) : *batch,
                     {rowsOf(sides), columnsOf(sides)});
  return c.call("linalg_cholesky_solve", {factor, sides},
                {c.attr(c.flag("upper"))}, c.matrixResult(sizes))[0];
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
  return c.replace(
      solveCholesky(c, *factor, c.eye(batchOf(*factor), size, size)));
}

static LogicalResult ldlFactor(LinalgCall &c) {
  FailureOr<ComplexParts> a = getMatrix(c, "self");
  if (failed(a))
    return failure();
  bool hermitian = c.flag("hermitian");
  SmallVector<ComplexParts> made =
      c.call("linalg_ldl", *a, c.attr(hermitian),
             {c.matrixResult(getSizes(a->re)),
              c.intResult(join(batchOf(*a), rowsOf(*a))),
              c.intResult(batchOf(*a))});
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
                          c.attr(c.flag("hermitian")),
                          c.matrixResult(sizes)));
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
  Sizes sizes = join(SizesRef(getSizes(x.re)).drop_back(2),
                     {rowsOf(*a), columnsOf(*a)});
  return c.replace({x, c.map(*a, [&](Value part) {
                      return c.b.broadcast(part, sizes);
                    })});
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
  return c.replace(c.call("linalg_ormqr", {*factor, tau, *other},
                          {c.attr(c.flag("left", true)),
                           c.attr(c.flag("transpose"))},
                          c.matrixResult(getSizes(other->re))));
}

static LogicalResult qr(LinalgCall &c) {
  FailureOr<ComplexParts> a = getMatrix(c, pick(c, "A", "self"));
  if (failed(a))
    return failure();
  StringRef mode = c.op.getName().contains("linalg")
                       ? c.text("mode", "reduced")
                       : StringRef(c.flag("some", true) ? "reduced"
                                                        : "complete");
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
  return c.replaceReal(
      b.reduce(ReduceKind::Sum, counts,
               {static_cast<int64_t>(getSizes(s).size()) - 1},
               /*keepdims=*/false));
}

/// The pseudo-inverse: V times the inverse of singular values beyond a limit
/// times U^H.
static LogicalResult pseudoInverse(LinalgCall &c) {
  TensorBuilder &b = c.b;
  FailureOr<ComplexParts> a = getMatrix(c, "self");
  if (failed(a))
    return failure();
  if (isEmpty(*a))
    return c.replace(
        c.zeros(join(batchOf(*a), {columnsOf(*a), rowsOf(*a)})));
  Value zero = b.scalar(0, c.type);
  auto invert = [&](Value s, Value magnitude) -> Value {
    Value limit = getTolerance(c, *a, largestOfLast(c, magnitude));
    Value inverse = b.select(b.compare(Pred::Gt, magnitude, limit),
                             b.unary<ReciprocalOp>(s), zero);
    // Of columns.
    return b.unsqueeze(inverse, static_cast<int64_t>(getSizes(s).size()) - 1);
  };
  if (c.flag("hermitian")) {
    auto [values, vectors] = c.eigenvalues(*a, /*upper=*/false, true);
    Value inverse = invert(values, b.unary<AbsOp>(values));
    return c.replace(
        c.matmul(c.scale(vectors, inverse), c.adjoint(vectors)));
  }
  LinalgCall::Decomposition d = c.decompose(*a, /*full=*/false);
  ComplexParts v = c.scale(c.adjoint(d.vh), invert(d.s, d.s));
  return c.replace(c.matmul(v, c.adjoint(d.u)));
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
  ExprAttr rows = rowsOf(*a), columns = columnsOf(*a),
           count = columnsOf(sides);
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
  double limit = rcond ? *rcond
                       : static_cast<double>(*most) *
                             (c.type.isF64() ? 0x1p-52 : 0x1p-23);
  SmallVector<ComplexParts> made = c.call(
      "linalg_lstsq", {matrix, sides}, {b.getBuilder().getF64FloatAttr(limit)},
      {c.matrixResult(join(*batch, {sym::max(rows, columns), count})),
       c.intResult(*batch, 64), c.realResult(join(*batch, sym::min(rows, columns)))});
  ComplexParts x = take(c, made[0], 2, columns);
  // Residuals are there for more equations than unknowns, and of full rank
  // only, which the program cannot know before it runs.
  Sizes residualSizes = sym::getSizes(
      cast<RankedTensorType>(c.op.getOutputs()[1].getType()));
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

static LogicalResult condition(LinalgCall &c) {
  TensorBuilder &b = c.b;
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
    return c.replaceReal(p && *p == -2 ? divide(c, least, largest)
                                       : divide(c, largest, least));
  }
  StringRef text = c.text("p", "");
  auto norm = [&](ComplexParts x) -> Value {
    int64_t rank = rankOf(x);
    if (text == "nuc")
      return b.reduce(ReduceKind::Sum, c.singularValues(x).re, {rank - 2},
                      /*keepdims=*/false);
    Value magnitude = c.abs(x);
    if (text == "fro")
      return b.unary<SqrtOp>(b.reduce(ReduceKind::Sum,
                                      b.mul(magnitude, magnitude),
                                      {rank - 2, rank - 1},
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
  Value isSingular = b.compare(
      Pred::Ne, info, b.scalar(b.getBuilder().getI32IntegerAttr(0)));
  return c.replaceReal(b.select(
      isSingular,
      b.scalar(std::numeric_limits<double>::infinity(), c.type), product));
}

void graph::forEachLinalgOperator(
    llvm::function_ref<void(StringRef, LinalgHandler)> add) {
  add("linalg_lu_factor linalg_lu_factor_ex _lu_with_info", luFactor);
  add("linalg_lu", lu);
  add("lu_unpack", luUnpack);
  add("linalg_lu_solve", linalgLuSolve);
  add("lu_solve", luSolve);
  add("linalg_solve linalg_solve_ex _linalg_solve_ex", solve);
  add("linalg_inv linalg_inv_ex inverse", inverse);
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
  add("linalg_cond linalg_cond.p_str", condition);
}
