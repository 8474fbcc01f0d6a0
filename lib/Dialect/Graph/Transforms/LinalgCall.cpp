//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrices for the rewriting of operators of linear algebra, and the two tables
// that it is entered in: of real operators and of complex ones.
//
//===----------------------------------------------------------------------===//

#include "LinalgCall.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

bool LinalgCall::flag(StringRef name, bool otherwise) {
  auto attr = dyn_cast_or_null<BoolAttr>(op.getArgument(name));
  return attr ? attr.getValue() : otherwise;
}

std::optional<double> LinalgCall::number(StringRef name) {
  Attribute attr = op.getArgument(name);
  if (auto real = dyn_cast_or_null<FloatAttr>(attr))
    return real.getValueAsDouble();
  if (auto integer = dyn_cast_or_null<IntegerAttr>(attr))
    return static_cast<double>(integer.getInt());
  return std::nullopt;
}

StringRef LinalgCall::text(StringRef name, StringRef otherwise) {
  auto attr = dyn_cast_or_null<StringAttr>(op.getArgument(name));
  return attr ? attr.getValue() : otherwise;
}

//===----------------------------------------------------------------------===//
// Algebra
//===----------------------------------------------------------------------===//

ComplexParts LinalgCall::map(ComplexParts x,
                             llvm::function_ref<Value(Value)> fn) {
  return {fn(x.re), x.im ? fn(x.im) : Value()};
}

ComplexParts LinalgCall::zeros(SizesRef sizes) {
  Value zero = b.full(cast<TypedAttr>(b.getBuilder().getZeroAttr(type)), sizes);
  return {zero, isComplex ? zero : Value()};
}

Value LinalgCall::compareDiagonal(ExprAttr rows, ExprAttr columns,
                                  ComparePredicate predicate) {
  Value row = b.unsqueeze(b.iota(0, 1, rows), 1);
  return b.compare(predicate, b.iota(0, 1, columns), row);
}

ComplexParts LinalgCall::eye(SizesRef batch, ExprAttr rows, ExprAttr columns) {
  Sizes sizes(batch);
  sizes.append({rows, columns});
  Value ones =
      b.convert(compareDiagonal(rows, columns, ComparePredicate::Eq), type);
  ones = b.broadcast(ones, sizes);
  return {ones, isComplex ? zeros(sizes).im : Value()};
}

ComplexParts LinalgCall::add(ComplexParts x, ComplexParts y) {
  return {b.add(x.re, y.re), x.im && y.im ? Value(b.add(x.im, y.im))
                             : x.im       ? x.im
                                          : y.im};
}

ComplexParts LinalgCall::sub(ComplexParts x, ComplexParts y) {
  return {b.sub(x.re, y.re), x.im && y.im ? Value(b.sub(x.im, y.im))
                             : x.im       ? x.im
                             : y.im       ? Value(b.unary<NegOp>(y.im))
                                          : Value()};
}

ComplexParts LinalgCall::mul(ComplexParts x, ComplexParts y) {
  if (x.im && y.im)
    return math.mul(x, y);
  if (!x.im)
    std::swap(x, y);
  return map(x, [&](Value part) { return b.mul(part, y.re); });
}

ComplexParts LinalgCall::scale(ComplexParts x, Value factor) {
  return map(x, [&](Value part) { return b.mul(part, factor); });
}

ComplexParts LinalgCall::matmul(ComplexParts x, ComplexParts y) {
  auto product = [&](Value lhs, Value rhs) { return b.matmul(lhs, rhs); };
  if (!x.im && !y.im)
    return {product(x.re, y.re), nullptr};
  if (!x.im)
    return {product(x.re, y.re), product(x.re, y.im)};
  if (!y.im)
    return {product(x.re, y.re), product(x.im, y.re)};
  return {b.sub(product(x.re, y.re), product(x.im, y.im)),
          b.add(product(x.re, y.im), product(x.im, y.re))};
}

ComplexParts LinalgCall::transpose(ComplexParts x) {
  int64_t rank = getSizes(x.re).size();
  return map(x,
             [&](Value part) { return b.transpose(part, rank - 2, rank - 1); });
}

ComplexParts LinalgCall::adjoint(ComplexParts x) {
  ComplexParts result = transpose(x);
  if (result.im)
    result.im = b.unary<NegOp>(result.im);
  return result;
}

ComplexParts LinalgCall::diagonal(ComplexParts x) {
  // The sum of each row's element on the diagonal and zeros.
  Sizes sizes = getSizes(x.re);
  int64_t rank = sizes.size();
  ExprAttr rows = sizes[rank - 2], columns = sizes[rank - 1];
  ExprAttr least = sym::min(rows, columns);
  Value on = compareDiagonal(rows, columns, ComparePredicate::Eq);
  return map(x, [&](Value part) {
    Value zero = b.full(b.getBuilder().getFloatAttr(type, 0), sizes);
    Value kept = b.reduce(ReduceKind::Sum, b.select(on, part, zero), {rank - 1},
                          /*keepdims=*/false);
    return least == rows ? kept : b.slice(kept, rank - 2, b.size(0), least);
  });
}

ComplexParts LinalgCall::triangle(ComplexParts x, bool upper) {
  Sizes sizes = getSizes(x.re);
  int64_t rank = sizes.size();
  Value inside =
      compareDiagonal(sizes[rank - 2], sizes[rank - 1],
                      upper ? ComparePredicate::Ge : ComparePredicate::Le);
  return map(x, [&](Value part) {
    return b.select(inside, part, b.scalar(0, getElementType(part)));
  });
}

//===----------------------------------------------------------------------===//
// Functions of the library
//===----------------------------------------------------------------------===//

SmallVector<ComplexParts> LinalgCall::call(StringRef name,
                                           ArrayRef<ComplexParts> operands,
                                           ArrayRef<Attribute> arguments,
                                           ArrayRef<Result> results) {
  OpBuilder &builder = b.getBuilder();
  SmallVector<Attribute> all(operands.size(), builder.getUnitAttr());
  all.append(arguments.begin(), arguments.end());
  bool complexOperand = operands.front().im != nullptr;
  all.push_back(builder.getBoolAttr(complexOperand));
  SmallVector<Value> values;
  for (ComplexParts operand : operands)
    values.push_back(operand.im ? pack(b, operand) : operand.re);
  SmallVector<Type> types;
  for (const Result &result : results) {
    Sizes sizes = result.sizes;
    if (result.isComplex)
      sizes.push_back(b.size(2));
    types.push_back(sym::getTensorType(sizes, result.type));
  }
  auto made = CustomCallOp::create(
      builder, b.getLoc(), types,
      builder.getStringAttr(("coil::" + name).str()), builder.getArrayAttr(all),
      values, ArrayAttr(), DenseI64ArrayAttr(), ArrayAttr());
  SmallVector<ComplexParts> parts;
  for (auto [i, result] : llvm::enumerate(results)) {
    Value value = made.getResult(static_cast<unsigned>(i));
    parts.push_back(result.isComplex ? unpack(b, value)
                                     : ComplexParts{value, nullptr});
  }
  return parts;
}

LinalgCall::Factors LinalgCall::factorize(ComplexParts a, bool check,
                                          bool isPivoted) {
  Sizes sizes = getSizes(a.re);
  SizesRef batch = SizesRef(sizes).drop_back(2);
  ExprAttr least = sym::min(sizes[batch.size()], sizes.back());
  if (!isPivoted) {
    SmallVector<ComplexParts> made =
        call("linalg_lu_unpivoted", a, attr(check),
             {matrixResult(sizes), intResult(Sizes(batch))});
    Value pivots =
        b.broadcast(b.convert(b.iota(1, 1, least), b.getBuilder().getI32Type()),
                    join(batch, least));
    return {made[0], pivots, made[1].re};
  }
  SmallVector<ComplexParts> made =
      call("linalg_lu", a, attr(check),
           {matrixResult(sizes), intResult(join(batch, least)),
            intResult(Sizes(batch))});
  return {made[0], made[1].re, made[2].re};
}

ComplexParts LinalgCall::solve(ComplexParts factors, Value pivots,
                               ComplexParts sides, StringRef transposition) {
  Sizes left = getSizes(factors.re), right = getSizes(sides.re);
  FailureOr<Sizes> batch =
      broadcastSizes({Sizes(SizesRef(left).drop_back(2)),
                      Sizes(SizesRef(right).drop_back(2))});
  Sizes sizes =
      join(failed(batch) ? SizesRef(right).drop_back(2) : SizesRef(*batch),
           {right[right.size() - 2], right.back()});
  return call("linalg_lu_solve", {factors, {pivots, nullptr}, sides},
              {b.getBuilder().getStringAttr(transposition)},
              matrixResult(sizes))[0];
}

ComplexParts LinalgCall::inverse(ComplexParts a, bool check, Value &info) {
  Factors factors = factorize(a, check);
  info = factors.info;
  Sizes sizes = getSizes(a.re);
  ExprAttr size = sizes.back();
  return solve(factors.matrix, factors.pivots,
               eye(SizesRef(sizes).drop_back(2), size, size), "N");
}

ComplexParts LinalgCall::singularValues(ComplexParts a) {
  Sizes sizes = getSizes(a.re);
  SizesRef batch = SizesRef(sizes).drop_back(2);
  Sizes none = join(batch, {b.size(0), b.size(0)});
  ExprAttr least = sym::min(sizes[batch.size()], sizes.back());
  return call("linalg_svd", a, {attr(false), attr(false)},
              {matrixResult(none), realResult(join(batch, least)),
               matrixResult(none)})[1];
}

LinalgCall::Decomposition LinalgCall::decompose(ComplexParts a, bool full) {
  Sizes sizes = getSizes(a.re);
  SizesRef batch = SizesRef(sizes).drop_back(2);
  ExprAttr rows = sizes[batch.size()], columns = sizes.back();
  ExprAttr least = sym::min(rows, columns);
  SmallVector<ComplexParts> made =
      call("linalg_svd", a, {attr(full), attr(true)},
           {matrixResult(join(batch, {rows, full ? rows : least})),
            realResult(join(batch, least)),
            matrixResult(join(batch, {full ? columns : least, columns}))});
  return {made[0], made[1].re, made[2]};
}

std::pair<Value, ComplexParts>
LinalgCall::eigenvalues(ComplexParts a, bool upper, bool vectors) {
  Sizes sizes = getSizes(a.re);
  SizesRef batch = SizesRef(sizes).drop_back(2);
  ExprAttr size = vectors ? sizes.back() : b.size(0);
  SmallVector<ComplexParts> made =
      call("linalg_eigh", a, {attr(upper), attr(vectors)},
           {realResult(join(batch, sizes.back())),
            matrixResult(join(batch, {size, size}))});
  return {made[0].re, made[1]};
}

FailureOr<ComplexParts> graph::getMatrix(LinalgCall &c, StringRef name) {
  ComplexParts x = c.get(name);
  if (x.re && rankOf(x) >= 2)
    return x;
  (void)c.fail("its operand '" + name + "' is no matrix");
  return failure();
}

StringRef graph::pick(LinalgCall &c, StringRef first, StringRef second) {
  return c.op.getTensor(first) ? first : second;
}

ComplexParts graph::take(LinalgCall &c, ComplexParts x, int64_t fromBehind,
                         ExprAttr count) {
  int64_t dim = rankOf(x) - fromBehind;
  // An empty dimension has no first element to begin at.
  ExprAttr size = getSizes(x.re)[dim];
  if (size == count || size.isConstant(0))
    return x;
  return c.map(
      x, [&](Value part) { return c.b.slice(part, dim, c.b.size(0), count); });
}

//===----------------------------------------------------------------------===//
// The tables
//===----------------------------------------------------------------------===//

static void forEachLinalgOperator(AddLinalg add) {
  addFactorizations(add);
  addMatrixValues(add);
}

/// Matrices of half precision have no library, as in the framework.
static bool isLibraryType(Type type) {
  return type && (type.isF32() || type.isF64());
}

void graph::populateLinalgLegalizations(AtenLegalizations &t) {
  forEachLinalgOperator([&](StringRef names, LinalgHandler handler) {
    t.add(names, [handler](AtenCall &c) -> LogicalResult {
      Type type;
      for (Value operand : c.op.getInputs())
        if (isa<FloatType>(getElementType(operand)) && !type)
          type = getElementType(operand);
      // Products alone need no library, nor do triangles.
      StringRef name = c.op.getName();
      bool isAlone = name.contains("lu_unpack") ||
                     (name.contains("matrix_power") && c.intOr("n", -1) >= 0);
      if (type && name.contains("matrix_exp"))
        type = getAccumulationType(type);
      else if (isAlone && !c.op.getInputs().empty())
        type = getElementType(c.op.getInputs()[0]);
      // The framework takes matrices of any type where it has nothing to do.
      bool isEmpty = llvm::any_of(c.op.getInputs(), hasNoElements);
      if (!isLibraryType(type) && !isAlone && isEmpty)
        type = c.b.getBuilder().getF32Type();
      if (!isLibraryType(type) && !isAlone)
        return c.fail("there is no library for elements of its type");
      LinalgCall call(c.op, c.b, type, /*isComplex=*/false,
                      [&](StringRef name) -> ComplexParts {
                        Value value = c.tensor(name);
                        if (value && (isa<FloatType>(getElementType(value)) ||
                                      hasNoElements(value)))
                          value = c.b.convert(value, type);
                        return {value, nullptr};
                      });
      if (failed(handler(call)))
        return c.fail(call.reason);
      SmallVector<Value> values;
      for (ComplexParts result : call.results)
        values.push_back(result.re);
      return c.replace(values);
    });
  });
}

void graph::populateComplexLinalg(ComplexExpansions &t) {
  forEachLinalgOperator([&](StringRef names, LinalgHandler handler) {
    SmallVector<StringRef> list;
    names.split(list, ' ', -1, /*KeepEmpty=*/false);
    for (StringRef name : list)
      t.add(name.split('.').first, [handler](ComplexCall &c) -> LogicalResult {
        Type type = c.getComputeType();
        if (!isLibraryType(type))
          return c.fail("there is no library for elements of its type");
        // Eigenvalues of real matrices are complex; the library takes these as
        // they are.
        bool isComplex = llvm::any_of(c.op.getInputs(), ComplexCall::isComplex);
        LinalgCall call(
            c.op, c.b, type, isComplex, [&](StringRef name) -> ComplexParts {
              Value value = c.op.getTensor(name);
              if (!value)
                return {};
              if (!isComplex || (!ComplexCall::isComplex(value) &&
                                 !isa<FloatType>(getElementType(value))))
                return {value, nullptr};
              return c.partsOf(value, type);
            });
        if (failed(handler(call)))
          return c.fail(call.reason);
        // Results that are complex for the framework have an imaginary part.
        for (auto [result, output] :
             llvm::zip(call.results, c.op.getOutputs())) {
          bool wantsParts = ComplexCall::isComplex(output);
          if (wantsParts && result.re && !result.im)
            result.im = c.b.full(c.b.getBuilder().getFloatAttr(type, 0),
                                 getSizes(result.re));
          if (!wantsParts)
            result.im = nullptr;
        }
        return c.replace(call.results);
      });
  });
}
