//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalisation of operators about diagonals, triangles and blocks of matrices.
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

/// The last dimension of `x` as a diagonal of matrices, which are the last two
/// dimensions of the result; zeros elsewhere.
static Value embedDiagonal(TensorBuilder &b, Value x, int64_t offset) {
  int64_t rank = getRank(x);
  SmallVector<int64_t> low(rank, 0), high(rank, 0);
  low.back() = std::max<int64_t>(-offset, 0);
  high.back() = std::max<int64_t>(offset, 0);
  TypedAttr zero =
      convertScalar(b.getBuilder().getF64FloatAttr(0), getElementType(x));
  // Row i holds element i of the padded vector, if any.
  Num rows(b, b.unsqueeze(b.pad(x, low, high, zero), rank));
  ExprAttr size = getSizes(rows)[rank - 1];
  Positions p(b);
  Num isDiagonal = p.iota(size) == (p.iota(size) + offset).unsqueeze(1);
  return select(isDiagonal, rows, 0);
}

static LogicalResult legalizeDiagonal(AtenCall &c) {
  Value x = c.tensor(c.tensor("self") ? "self" : "A");
  if (!x || getRank(x) < 2 || c.resultType().getRank() != getRank(x) - 1)
    return c.fail("its operand has no diagonal");
  int64_t rank = getRank(x), offset = c.intOr("offset", 0);
  auto rows =
      c.has("dim1") ? c.getDim("dim1", rank) : std::optional<int64_t>(0);
  auto columns =
      c.has("dim2") ? c.getDim("dim2", rank) : std::optional<int64_t>(1);
  if (!rows || !columns || *rows == *columns)
    return c.fail("its dimensions are not constant");
  SmallVector<int64_t> permutation;
  for (int64_t d = 0; d < rank; ++d)
    if (d != *rows && d != *columns)
      permutation.push_back(d);
  permutation.append({*rows, *columns});
  ExprAttr length = c.resultSizes().back();
  Value row = c.b.iota(std::max<int64_t>(-offset, 0), 1, length);
  Value column = c.b.iota(std::max<int64_t>(offset, 0), 1, length);
  return c.replace(c.b.index(c.b.permute(x, permutation), {row, column},
                             {rank - 2, rank - 1}));
}

static LogicalResult legalizeDiagEmbed(AtenCall &c) {
  Value x = c.tensor("self");
  if (!x || getRank(x) < 1)
    return c.fail("its operand is missing");
  int64_t rank = getRank(x) + 1;
  auto rows = c.has("dim1") ? c.getDim("dim1", rank) : rank - 2,
       columns = c.has("dim2") ? c.getDim("dim2", rank) : rank - 1;
  if (!rows || !columns || *rows == *columns)
    return c.fail("its dimensions are not constant");
  Value result = embedDiagonal(c.b, x, c.intOr("offset", 0));
  // A diagonal below is one above of the transposed matrix, so the order of the
  // two dimensions matters.
  SmallVector<int64_t> permutation(rank, -1);
  permutation[*rows] = rank - 2;
  permutation[*columns] = rank - 1;
  int64_t next = 0;
  for (int64_t &d : permutation)
    if (d < 0)
      d = next++;
  return c.replace(c.b.permute(result, permutation));
}

/// The diagonal of a matrix, from which it begins at `offset`.
static Value takeDiagonal(TensorBuilder &b, Value x, int64_t offset,
                          ExprAttr length) {
  Positions p(b);
  Num row = p.iota(length) + std::max<int64_t>(-offset, 0);
  Num column = p.iota(length) + std::max<int64_t>(offset, 0);
  return b.index(x, {row, column}, {0, 1});
}

/// diag: the diagonal of a matrix, or a matrix of a diagonal.
static LogicalResult legalizeDiag(AtenCall &c) {
  Value x = c.tensor("self");
  int64_t offset = c.intOr("diagonal", 0);
  if (x && getRank(x) == 1)
    return c.replace(embedDiagonal(c.b, x, offset));
  if (!x || getRank(x) != 2 || c.resultType().getRank() != 1)
    return c.fail("its operand is neither a vector nor a matrix");
  return c.replace(takeDiagonal(c.b, x, offset, c.resultSizes()[0]));
}

static LogicalResult legalizeDiagFlat(AtenCall &c) {
  Value x = c.tensor("self");
  if (!x)
    return c.fail("its operand is missing");
  return c.replace(embedDiagonal(c.b, flatten(c.b, x), c.intOr("offset", 0)));
}

static LogicalResult legalizeTrace(AtenCall &c) {
  Value x = c.tensor("self");
  if (!x || getRank(x) != 2)
    return c.fail("its operand is not a matrix");
  Sizes sizes = getSizes(x);
  ExprAttr length = c.getContext().simplify(sym::min(sizes[0], sizes[1]));
  Type wide = getAccumulationType(c.resultElementType());
  Value diagonal = c.b.convert(takeDiagonal(c.b, x, 0, length), wide);
  return c.replace(c.b.reduce(ReduceKind::Sum, diagonal, 0, false));
}

//===----------------------------------------------------------------------===//
// Triangles
//===----------------------------------------------------------------------===//

/// The number of elements in the first `row` rows of the lower triangle of a
/// matrix with `columns` columns: rows grow by one element up to whole ones.
static Num countLower(const Positions &p, Num row, int64_t columns,
                      int64_t offset) {
  int64_t firstRow = std::max<int64_t>(-offset, 0);
  int64_t width = std::min(std::max<int64_t>(offset + 1, 1), columns);
  Num rows = max(row - firstRow, 0);
  Num growing = min(rows, p.number(columns - width));
  Num inGrowing = growing * width + floorDiv(growing * (growing - 1), 2);
  return inGrowing + (rows - growing) * columns;
}

/// Rows and columns of the elements of a lower triangle, row by row, at the
/// places that `element` counts.
static std::pair<Num, Num> locateLower(const Positions &p, Num element,
                                       int64_t rows, int64_t columns,
                                       int64_t offset) {
  int64_t firstRow = std::max<int64_t>(-offset, 0);
  int64_t width = std::min(std::max<int64_t>(offset + 1, 1), columns);
  int64_t mostGrowing = columns - width;
  // In front of the n-th growing row are n (n - 1) / 2 + n width elements: the
  // root of that, which rounding may have moved by one.
  double b = 2 * static_cast<double>(width) - 1;
  Num wide = element.to(element.b->getBuilder().getF64Type());
  Num root = floor((sqrt(wide * 8 + b * b) - b) * 0.5);
  Num growing = root.to(element.type());
  auto begins = [&](Num n) {
    return n * width + floorDiv(n * (n - 1), 2) <= element;
  };
  growing = select(begins(growing), growing, growing - 1);
  growing = select(begins(growing + 1), growing + 1, growing);
  if (rows - firstRow <= mostGrowing + 1) {
    // There is no row behind the first whole one.
    Num before = growing * width + floorDiv(growing * (growing - 1), 2);
    return {growing + firstRow, element - before};
  }
  growing = min(growing, p.number(mostGrowing));
  int64_t before = mostGrowing * width + mostGrowing * (mostGrowing - 1) / 2;
  Num whole = floorDiv(max(element - p.number(before), 0),
                       p.number(std::max<int64_t>(columns, 1)));
  Num row = growing + whole + firstRow;
  return {row, element - countLower(p, row, columns, offset)};
}

/// tril_indices, triu_indices. The upper triangle is the lower one from the
/// other end.
static AtenHandler triangleIndices(bool upper) {
  return [=](AtenCall &c) -> LogicalResult {
    auto rows = c.getInt("row"), columns = c.getInt("col");
    if (!rows || !columns || c.resultType().getRank() != 2)
      return c.fail("its sizes are not constant");
    TensorBuilder &b = c.b;
    Positions p(b);
    ExprAttr count = c.resultSizes()[1];
    int64_t offset = c.intOr("offset", 0);
    Num element = p.iota(count);
    if (upper) {
      element = p.size(sym::add(count, -1)) - element;
      offset = *columns - *rows - offset;
    }
    auto [row, column] = locateLower(p, element, *rows, *columns, offset);
    if (upper) {
      row = p.number(*rows - 1) - row;
      column = p.number(*columns - 1) - column;
    }
    Value parts[] = {row.unsqueeze(0), column.unsqueeze(0)};
    for (Value &part : parts)
      part = b.broadcast(part, {b.size(1), count});
    return c.replace(b.cat(parts, 0));
  };
}

std::pair<Value, Value> graph::getPairs(TensorBuilder &b, int64_t count) {
  Positions p(b);
  ExprAttr pairs = b.size(count * (count - 1) / 2);
  Num element = p.size(sym::add(pairs, -1)) - p.iota(pairs);
  auto [row, column] = locateLower(p, element, count, count, -1);
  return {p.number(count - 1) - row, p.number(count - 1) - column};
}

//===----------------------------------------------------------------------===//
// Blocks and products of them
//===----------------------------------------------------------------------===//

static LogicalResult legalizeBlockDiag(AtenCall &c) {
  TensorBuilder &b = c.b;
  Type type = c.resultElementType();
  SmallVector<Value> blocks;
  ExprAttr width = b.size(0);
  for (Value x : c.tensors("tensors")) {
    if (getRank(x) > 2)
      return c.fail("a block has more than two dimensions");
    while (getRank(x) < 2)
      x = b.unsqueeze(x, 0);
    blocks.push_back(b.convert(x, type));
    width = sym::add(width, getSizes(x)[1]);
  }
  if (blocks.empty())
    return c.fail("it has no block");
  ExprAttr before = b.size(0);
  for (Value &x : blocks) {
    ExprAttr rows = getSizes(x)[0], columns = getSizes(x)[1];
    ExprAttr behind = sym::sub(width, sym::add(before, columns));
    SmallVector<Value> row = {filled(b, 0, type, {rows, before}), x,
                              filled(b, 0, type, {rows, behind})};
    x = b.cat(row, 1);
    before = sym::add(before, columns);
  }
  return c.replace(b.cat(blocks, 0));
}

/// kron: every element of the one times the other.
static LogicalResult legalizeKron(AtenCall &c) {
  Type type = c.resultElementType();
  Value x = c.operand("self", type), y = c.operand("other", type);
  if (!x || !y)
    return c.fail("an operand is missing");
  int64_t rank = std::max(getRank(x), getRank(y));
  auto spread = [&](Value v, bool isOuter) {
    Sizes sizes = getSizes(v), wide;
    sizes.insert(sizes.begin(), rank - getRank(v), c.b.size(1));
    for (ExprAttr size : sizes) {
      wide.push_back(isOuter ? size : c.b.size(1));
      wide.push_back(isOuter ? c.b.size(1) : size);
    }
    return Num(c.b, c.b.reshape(v, wide));
  };
  Num outer = spread(x, true), inner = spread(y, false);
  Value product =
      type.isInteger(1) ? Value(outer & inner) : Value(outer * inner);
  return c.replace(c.b.reshape(product, c.resultSizes()));
}

/// linalg_vander: the powers of each element, from the zeroth on.
static LogicalResult legalizeVander(AtenCall &c) {
  TensorBuilder &b = c.b;
  Type type = getAccumulationType(c.resultElementType());
  Value x = c.operand("x", type);
  Sizes sizes = c.resultSizes();
  if (x && getRank(x) == 0)
    x = b.unsqueeze(x, 0);
  if (!x || static_cast<int64_t>(sizes.size()) != getRank(x) + 1)
    return c.fail("its operand has another rank");
  int64_t rank = getRank(x);
  Num factor(b, b.broadcast(b.unsqueeze(x, rank), sizes));
  factor = select(Positions(b).iota(sizes.back()) == 0, 1, factor);
  Value powers = ScanOp::create(b.getBuilder(), b.getLoc(), ScanKind::Prod,
                                factor, static_cast<uint64_t>(rank))
                     .getResult();
  // vander: the highest power first, unless it is told otherwise.
  if (c.op.getName() == "aten.vander.default" && !c.boolOr("increasing", false))
    powers = flipDims(b, powers, rank);
  return c.replace(powers);
}

void graph::populateDiagonalLegalizations(AtenLegalizations &t) {
  t.add("diagonal diagonal_copy linalg_diagonal", legalizeDiagonal);
  t.add("diag", legalizeDiag);
  t.add("diag_embed", legalizeDiagEmbed);
  t.add("diagflat", legalizeDiagFlat);
  t.add("trace", legalizeTrace);
  t.add("tril_indices", triangleIndices(/*upper=*/false));
  t.add("triu_indices", triangleIndices(/*upper=*/true));
  t.add("block_diag", legalizeBlockDiag);
  t.add("kron", legalizeKron);
  t.add("linalg_vander vander", legalizeVander);
}
