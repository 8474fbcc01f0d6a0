//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalisation of unique and its relatives: equal elements come next to each
// other by sorting, and the elements that begin a run of them are selected.
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

static constexpr llvm::StringLiteral kOtherRank =
    "its result is declared with another rank than its operand has";

namespace {

/// Runs of equal things in a sequence.
struct Runs {
  /// Where each begins: `[count]`.
  Value starts;
  /// The number of the run that each thing of the sequence is part of.
  Num number;
  /// How many are in each run: `[count]`.
  Num lengths;
};

} // namespace

/// The runs of a sequence, of which bools say where one begins.
static Runs findRuns(AtenCall &c, Num begins, ExprAttr declared) {
  TensorBuilder &b = c.b;
  Positions p(b);
  ExprAttr size = getSizes(begins)[0];
  SelectedElements found = selectNonzero(c, begins, declared);
  Num number = Num(b, found.sums).to(p.type()) - 1;
  Value end = b.reshape(p.size(size), b.size(1));
  Num ends(
      b, b.slice(b.cat({found.positions, end}, 0), 0, b.size(1), found.count));
  return {found.positions, number, ends - Num(b, found.positions)};
}

/// Whether each row of `[n, m]` differs from the one before it. The first does.
static Num differsFromPrevious(AtenCall &c, Value rows) {
  TensorBuilder &b = c.b;
  Positions p(b);
  ExprAttr size = getSizes(rows)[0];
  Num at = p.iota(size);
  Num before(b, b.index(rows, Value(max(at - 1, 0)), 0));
  Num differs = Num(b, rows) != before;
  if (getRank(rows) == 2)
    differs = differs.reduce(ReduceKind::Any, 1);
  return differs | (at == 0);
}

/// What results 1 and 2 are: runs of elements, and lengths of runs, as far as
/// they are asked for.
static LogicalResult replaceByRuns(AtenCall &c, Value values, Value inverse,
                                   Value lengths) {
  SmallVector<Value> results = {values};
  Value others[] = {inverse, lengths};
  for (auto [i, value] : llvm::enumerate(others)) {
    unsigned result = static_cast<unsigned>(i) + 1;
    if (result >= c.op.getOutputs().size())
      break;
    // What is not asked for is an empty vector.
    bool isWanted =
        c.boolOr(i == 0 ? "return_inverse" : "return_counts", false);
    Sizes declared = c.resultSizes(result);
    bool isEmpty = declared.size() == 1 && declared[0].isConstant(0);
    results.push_back(
        !isWanted && isEmpty
            ? filled(c.b, 0, c.resultElementType(result), declared)
            : value);
  }
  return c.replace(results);
}

/// Positions that put rows of `[n, m]` in order, by the first column that
/// differs: stable sorts by each column, the last one first.
static Value sortRows(AtenCall &c, Value rows) {
  TensorBuilder &b = c.b;
  OpBuilder &builder = b.getBuilder();
  Positions p(b);
  Sizes sizes = getSizes(rows);
  auto sortBy = [&](Value order, Value column) -> Value {
    Value key = b.index(rows, {order, column}, {0, 1});
    auto sorted = SortOp::create(builder, b.getLoc(), key, 0,
                                 /*descending=*/false, /*stable=*/true);
    return b.index(order, sorted.getIndices(), 0);
  };
  Value order = p.iota(sizes[0]);
  // A loop of the host waits for its condition in each iteration; code of a few
  // sorts does not.
  constexpr int64_t maxUnrolled = 8;
  if (auto columns = sizes[1].getConstant();
      columns && *columns <= maxUnrolled) {
    for (int64_t column = *columns; column-- > 0;)
      order = sortBy(order, p.number(column));
    return order;
  }
  Value inits[] = {p.size(sizes[1]), order};
  SmallVector<Type> types(ValueRange(inits).getTypes());
  SmallVector<Location> locs(types.size(), b.getLoc());
  auto loop = WhileOp::create(builder, b.getLoc(), types, ValueRange(inits));
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *condition =
        builder.createBlock(&loop.getCondition(), {}, types, locs);
    ConditionOp::create(builder, b.getLoc(),
                        Num(b, condition->getArgument(0)) > 0);
    Block *body = builder.createBlock(&loop.getBody(), {}, types, locs);
    Num column = Num(b, body->getArgument(0)) - 1;
    Value next[] = {column, sortBy(body->getArgument(1), column)};
    YieldOp::create(builder, b.getLoc(), ValueRange(next));
  }
  return loop.getResult(1);
}

/// The values at sorted positions, without those that are equal to the one
/// before them; and which of them each element was.
static LogicalResult replaceSorted(AtenCall &c, Value x, Value sorted,
                                   Value order, int64_t dim,
                                   SizesRef inverseSizes) {
  TensorBuilder &b = c.b;
  Positions p(b);
  Runs runs = findRuns(c, differsFromPrevious(c, sorted), c.resultSizes()[dim]);
  Value values = b.index(x, b.index(order, runs.starts, 0), dim);
  // Positions of an order are distinct.
  Value inverse =
      putAt(b, std::nullopt, filled(b, 0, p.type(), getSizes(order)), order,
            runs.number, 0);
  return replaceByRuns(c, values, b.reshape(inverse, inverseSizes),
                       runs.lengths);
}

/// unique of a tensor as a vector. The framework sorts, whether that is asked
/// for or not.
static LogicalResult legalizeUnique(AtenCall &c) {
  TensorBuilder &b = c.b;
  Value x = c.tensor("self");
  if (!x || c.resultType().getRank() != 1)
    return c.fail("its operand is missing");
  Sizes sizes = getSizes(x);
  x = flatten(b, x);
  auto sorted = SortOp::create(b.getBuilder(), b.getLoc(), x, 0,
                               /*descending=*/false, /*stable=*/true);
  return replaceSorted(c, x, sorted.getValues(), sorted.getIndices(), 0, sizes);
}

/// The operand as rows along a dimension.
static Value getRows(TensorBuilder &b, Value x, int64_t dim) {
  SmallVector<int64_t> permutation = {dim};
  for (int64_t d : allDims(x))
    if (d != dim)
      permutation.push_back(d);
  Sizes others = getSizes(x);
  ExprAttr count = others[dim];
  others.erase(others.begin() + dim);
  return b.reshape(b.permute(x, permutation),
                   {count, sym::product(b.getContext(), others)});
}

static LogicalResult legalizeUniqueDim(AtenCall &c) {
  Value x = c.tensor("self");
  auto dim = x ? c.getDim("dim", getRank(x)) : std::nullopt;
  if (!dim || getRank(x) == 0)
    return c.fail("its dimension is not constant");
  if (c.resultType().getRank() != getRank(x))
    return c.fail(kOtherRank);
  Value rows = getRows(c.b, x, *dim), order = sortRows(c, rows);
  return replaceSorted(c, x, c.b.index(rows, order, 0), order, *dim,
                       getSizes(order));
}

/// unique_consecutive: nothing is sorted.
static LogicalResult legalizeUniqueConsecutive(AtenCall &c) {
  TensorBuilder &b = c.b;
  Value x = c.tensor("self");
  if (!x)
    return c.fail("its operand is missing");
  Sizes sizes = getSizes(x);
  std::optional<int64_t> dim = 0;
  if (c.has("dim"))
    dim = c.getDim("dim", getRank(x));
  bool isFlat = !c.has("dim") || getRank(x) == 0;
  if (isFlat)
    x = flatten(b, x);
  if (!dim)
    return c.fail("its dimension is not constant");
  if (c.resultType().getRank() != getRank(x))
    return c.fail(kOtherRank);
  Num begins = differsFromPrevious(c, isFlat ? x : getRows(b, x, *dim));
  Runs runs = findRuns(c, begins, c.resultSizes()[*dim]);
  return replaceByRuns(c, b.index(x, runs.starts, *dim),
                       isFlat ? b.reshape(runs.number, sizes)
                              : Value(runs.number),
                       runs.lengths);
}

void graph::populateUniqueLegalizations(AtenLegalizations &t) {
  t.add("_unique2 _unique", legalizeUnique);
  t.add("unique_dim", legalizeUniqueDim);
  t.add("unique_consecutive unique_dim_consecutive", legalizeUniqueConsecutive);
}
