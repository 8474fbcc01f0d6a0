//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalisation of operators that take the elements which data selects: nonzero,
// masked_select, indices that are masks. Prefix sums number the elements, the
// host reads how many there are, and a write of positions makes a list of them.
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"

#include "coil/Dialect/Graph/IR/InRange.h"
#include "coil/Dialect/Graph/IR/Uninitialized.h"
#include "coil/Dialect/Target/IR/Target.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

Value graph::appendZeros(TensorBuilder &b, Value x, int64_t dim) {
  Sizes sizes = getSizes(x);
  sizes[dim] = b.size(1);
  return b.cat({x, filled(b, 0, getElementType(x), sizes)}, dim);
}

Num graph::prefixSums(TensorBuilder &b, Num counts) {
  return {b, ScanOp::create(b.getBuilder(), b.getLoc(), ScanKind::Sum, counts,
                            uint64_t(0))
                 .getResult()};
}

Num graph::lastSum(AtenCall &c, Num sums) {
  TensorBuilder &b = c.b;
  ExprAttr size = getSizes(sums)[0];
  if (c.getContext().bounds(size).lo > 0)
    return {b, b.at(sums, 0, sym::add(size, -1))};
  Value zero = filled(b, 0, sums.type(), b.size(1));
  return {b, b.at(b.cat({zero, sums}, 0), 0, size)};
}

/// Numbers the elements of a vector of bools that are true; in `i32` where that
/// suffices.
static Num numberElements(AtenCall &c, Num flags) {
  OpBuilder &builder = c.b.getBuilder();
  int64_t most = c.getContext().bounds(getSizes(flags)[0]).hi;
  Type type = most <= std::numeric_limits<int32_t>::max()
                  ? builder.getI32Type()
                  : builder.getI64Type();
  return prefixSums(c.b, flags.to(type));
}

/// A tensor of positions 0, 1, ... of a type.
static Num positionsOf(TensorBuilder &b, Type type, ExprAttr count) {
  OpBuilder &builder = b.getBuilder();
  return {b, IotaOp::create(
                 builder, b.getLoc(), sym::getTensorType(count, type),
                 builder.getI64IntegerAttr(0), builder.getI64IntegerAttr(1),
                 builder.getI64IntegerAttr(0))};
}

/// Whether kernels with prefix sums are loops of one core.
static bool runsInOrder(AtenCall &c) {
  target::TargetAttrInterface target = target::getProgramTarget(c.op);
  return target && target.getFact("vector_bits");
}

SelectedElements graph::selectNonzero(AtenCall &c, Value mask,
                                      ExprAttr declared) {
  TensorBuilder &b = c.b;
  Type i64 = b.getBuilder().getI64Type();
  ExprAttr size = sym::getNumElements(cast<RankedTensorType>(mask.getType()));
  if (size.isConstant(0)) {
    // Some operators have a symbol even then.
    ExprAttr count = size;
    if (declared && declared == c.getUnboundSymbol())
      count = c.bindSize(b.scalar(0, i64), declared, size);
    Value none = filled(b, 0, i64, size);
    return {b.castSizes(none, count), count, none};
  }
  std::optional<Selections::Selection> known;
  if (c.selections)
    known = c.selections->find(mask, c.op);
  ExprAttr unbound = c.getUnboundSymbol();
  bool isNew = !known || (declared && declared == unbound);
  Selections::Selection s = known.value_or(Selections::Selection());
  if (!known) {
    Num flags(b, flatten(b, toBool(b, mask)));
    Num number = numberElements(c, flags);
    Num position = positionsOf(b, number.type(), size);
    // A core writes one after the other. Each element goes behind those that
    // are true, and one that is not makes room for the next: the last one wins.
    // Elsewhere those that are true go to the front, in order, all others to
    // the back: each place is written once, so no order of the writes matters
    // and none waits for another.
    bool inOrder = runsInOrder(c);
    Num last(b, b.expr(sym::add(size, -1), number.type()));
    Num place = inOrder ? number - flags.to(number.type())
                        : select(flags, number - 1, last - (position - number));
    Value order = filled(b, 0, number.type(), size);
    order.getDefiningOp()->setDiscardableAttr(kUninitializedAttrName,
                                              b.getBuilder().getUnitAttr());
    s.order = putAt(b, std::nullopt, order, Value(place), position, 0);
    s.order.getDefiningOp()->setDiscardableAttr(kInRangeAttrName,
                                                b.getBuilder().getUnitAttr());
    s.sums = number;
    // Vectors count faster than a prefix sum does.
    s.total = inOrder ? flags.to(number.type()).reduce(ReduceKind::Sum, 0)
                      : lastSum(c, number);
  }
  if (isNew)
    s.count = c.bindSize(s.total, declared, size);
  if (!known && c.selections)
    c.selections->note(mask, s);
  Value positions = b.slice(s.order, 0, b.size(0), s.count);
  return {b.convert(positions, i64), s.count, s.sums};
}

SmallVector<Value> graph::unravel(TensorBuilder &b, Value positions,
                                  SizesRef sizes) {
  SmallVector<Value> result(sizes.size());
  // Vectors divide numbers of 32 bits.
  if (auto wide = positions.getDefiningOp<ConvertOp>();
      wide && getElementType(wide.getInput()).isSignlessInteger(32))
    positions = wide.getInput();
  Num rest(b, positions);
  auto size = [&](size_t d) { return Num(b, b.expr(sizes[d], rest.type())); };
  for (size_t d = sizes.size(); d-- > 0;) {
    // What is left of a position in front of all other dimensions is inside.
    result[d] = d == 0 ? rest : mod(rest, size(d));
    rest = d == 0 ? rest : floorDiv(rest, size(d));
  }
  for (Value &column : result)
    column = b.convert(column, b.getBuilder().getI64Type());
  return result;
}

//===----------------------------------------------------------------------===//
// Index tensors
//===----------------------------------------------------------------------===//

static bool isMask(Value index) {
  Type type = getElementType(index);
  return type.isInteger(1) || type.isUnsignedInteger(8);
}

FailureOr<IndexList> graph::readIndices(AtenCall &c, Value x) {
  TensorBuilder &b = c.b;
  auto no = [&](StringRef why) -> FailureOr<IndexList> {
    (void)c.fail(why);
    return failure();
  };
  IndexList list;
  Sizes sizes = getSizes(x);
  size_t dim = 0;
  for (Value index : c.optionalTensors("indices")) {
    if (!index) {
      ++dim;
      continue;
    }
    size_t rank = isMask(index) ? getRank(index) : 1;
    if (dim + rank > sizes.size())
      return no("it has more indices than dimensions");
    if (!isMask(index)) {
      list.indices.push_back(toIndex(b, index));
      list.dims.push_back(dim++);
      continue;
    }
    SizesRef selected = SizesRef(sizes).slice(dim, rank);
    if (rank == 0)
      return no("a mask has no dimension");
    for (auto [given, wanted] : llvm::zip(getSizes(index), selected))
      if (provablyDiffer(given, wanted))
        return no("a mask does not have the sizes of what it selects from");
    list.hasMasks = true;
    index = b.castSizes(index, selected);
    SelectedElements found = selectNonzero(c, index, c.getUnboundSymbol());
    for (Value column : unravel(b, found.positions, selected)) {
      list.indices.push_back(column);
      list.dims.push_back(dim++);
    }
  }
  // Make the indices agree where only the run time knows that they do.
  SmallVector<Sizes> shapes;
  for (Value index : list.indices)
    shapes.push_back(getSizes(index));
  FailureOr<Sizes> joined = broadcastSizes(shapes);
  if (!shapes.empty() && failed(joined))
    return no("its indices do not broadcast");
  if (list.hasMasks)
    for (Value &index : list.indices) {
      Sizes wanted = getSizes(index);
      for (auto [have, want] :
           llvm::zip(wanted, SizesRef(*joined).take_back(wanted.size())))
        if (!have.isConstant(1))
          have = want;
      index = b.castSizes(index, wanted);
    }
  return list;
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

/// What `unravel` gives, as one tensor `[rank, count]`: (position / stride) mod
/// size, all rows at once. Quotients are products with inverses in `f64`, which
/// vectors have; half a unit keeps what is cut off from rounding. Null where
/// inner sizes are not constant, or a position has more than 32 bits.
static Value unravelRows(TensorBuilder &b, Value positions, SizesRef sizes) {
  OpBuilder &builder = b.getBuilder();
  auto wide = positions.getDefiningOp<ConvertOp>();
  if (!wide || !getElementType(wide.getInput()).isSignlessInteger(32))
    return {};
  SmallVector<double> extents(sizes.size()), inverses(sizes.size()),
      strides(sizes.size());
  double stride = 1;
  for (size_t d = sizes.size(); d-- > 0;) {
    strides[d] = 1 / stride;
    // What is left of a position in front of all other dimensions is inside.
    if (d == 0)
      break;
    if (!sizes[d].isConstant() || sizes[d].getValue() < 1)
      return {};
    extents[d] = static_cast<double>(sizes[d].getValue());
    inverses[d] = 1 / extents[d];
    stride *= extents[d];
  }
  auto table = [&](ArrayRef<double> values) {
    auto type = RankedTensorType::get({static_cast<int64_t>(sizes.size()), 1},
                                      builder.getF64Type());
    return Num(b, ConstantOp::create(builder, b.getLoc(),
                                     DenseElementsAttr::get(type, values)));
  };
  Num position(
      b, b.unsqueeze(b.convert(wide.getInput(), builder.getF64Type()), 0));
  Num quotient = floor((position + 0.5) * table(strides));
  Num whole = floor((quotient + 0.5) * table(inverses));
  return (quotient - whole * table(extents)).to(builder.getI64Type());
}

/// nonzero, argwhere: a row for each element; nonzero_numpy, where: a vector
/// for each dimension.
static LogicalResult legalizeNonzero(AtenCall &c) {
  TensorBuilder &b = c.b;
  Value x = c.tensor("self");
  if (!x)
    x = c.tensor("condition");
  if (!x || c.op.getOutputs().empty())
    return c.fail("its operand is missing");
  bool isList = c.resultType().getRank() == 1;
  // As vectors, a scalar has one dimension.
  if (isList && getRank(x) == 0)
    x = b.unsqueeze(x, 0);
  SelectedElements found = selectNonzero(c, x, c.resultSizes()[0]);
  Sizes sizes = getSizes(x);
  if (!isList && sizes.empty())
    return c.replace(
        filled(b, 0, b.getBuilder().getI64Type(), {found.count, b.size(0)}));
  // Columns lie one behind the other in memory, as the framework has them.
  if (!isList && sizes.size() > 1)
    if (Value rows = unravelRows(b, found.positions, sizes))
      return c.replace(b.permute(rows, {1, 0}));
  SmallVector<Value> columns = unravel(b, found.positions, sizes);
  if (isList)
    return c.replace(columns);
  for (Value &column : columns)
    column = b.unsqueeze(column, 0);
  return c.replace(b.permute(b.cat(columns, 0), {1, 0}));
}

static LogicalResult legalizeMaskedSelect(AtenCall &c) {
  TensorBuilder &b = c.b;
  Value x = c.tensor("self"), mask = c.tensor("mask");
  if (!x || !mask || c.resultType().getRank() != 1)
    return c.fail("an operand is missing");
  FailureOr<Sizes> sizes = broadcastSizes({getSizes(x), getSizes(mask)});
  if (failed(sizes))
    return c.fail("operand and mask do not broadcast");
  SelectedElements found =
      selectNonzero(c, c.broadcastTo(mask, *sizes), c.resultSizes()[0]);
  return c.replace(
      b.index(flatten(b, c.broadcastTo(x, *sizes)), found.positions, 0));
}

/// combinations: all elements of a power of the operand whose positions ascend.
static LogicalResult legalizeCombinations(AtenCall &c) {
  TensorBuilder &b = c.b;
  Value x = c.tensor("self");
  auto length = c.has("r") ? c.getInt("r") : std::optional<int64_t>(2);
  if (!x || getRank(x) != 1 || !length || *length < 0 ||
      c.resultType().getRank() > 2)
    return c.fail("its operand is not a vector, or its length not constant");
  if (*length == 0)
    return c.replace(b.full(convertScalar(b.getBuilder().getI64IntegerAttr(0),
                                          c.resultElementType()),
                            c.resultSizes()));
  Sizes sizes(*length, getSizes(x)[0]);
  Positions p(b);
  ExprAttr count = sym::product(b.getContext(), sizes);
  SmallVector<Value> all = unravel(b, p.iota(count), sizes);
  Num ascends(b, filled(b, 1, b.getBuilder().getI1Type(), count));
  for (size_t i = 1; i < all.size(); ++i) {
    Num before(b, all[i - 1]), next(b, all[i]);
    ascends = ascends & (c.boolOr("with_replacement", false) ? before <= next
                                                             : before < next);
  }
  SelectedElements found = selectNonzero(c, ascends, c.resultSizes()[0]);
  SmallVector<Value> columns;
  for (Value column : unravel(b, found.positions, sizes))
    columns.push_back(b.unsqueeze(b.index(x, column, 0), 1));
  return c.replace(b.cat(columns, 1));
}

/// bincount: as many counts as the largest element says, or sums of weights.
static LogicalResult legalizeBincount(AtenCall &c) {
  TensorBuilder &b = c.b;
  Value given = c.tensor("self"), weights = c.tensor("weights");
  ExprAttr least = c.has("minlength") ? c.getExpr("minlength") : b.size(0);
  if (!given || getRank(given) != 1 || !least || c.resultType().getRank() != 1)
    return c.fail("its operand is not a vector");
  Positions p(b);
  Num x(b, b.convert(given, p.type()));
  Num bounded(b, b.cat({filled(b, -1, p.type(), b.size(1)), x}, 0));
  Num total = max(bounded.reduce(ReduceKind::Max, 0) + 1, p.size(least));
  Num isNegative = (x < 0).reduce(ReduceKind::Any, 0);
  // Numbers of few bits are a limit to how many bins there are.
  ExprAttr most;
  if (auto type = dyn_cast<IntegerType>(getElementType(given));
      type && type.getWidth() <= 16)
    most = sym::max(b.size(int64_t(1) << type.getWidth()), least);
  ExprAttr count =
      c.bindSize(select(isNegative, -1, total), c.resultSizes()[0], most);
  Type type = c.resultElementType();
  Value added =
      weights ? b.convert(weights, type) : filled(b, 1, type, getSizes(x)[0]);
  added = b.castSizes(added, getSizes(x));
  return c.replace(
      putAt(b, ReduceKind::Sum, filled(b, 0, type, count), Value(x), added, 0));
}

void graph::populateNonzeroLegalizations(AtenLegalizations &t) {
  t.add("nonzero argwhere nonzero_numpy where", legalizeNonzero);
  t.add("masked_select", legalizeMaskedSelect);
  t.add("combinations", legalizeCombinations);
  t.add("bincount", legalizeBincount);
}
