//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalisation of operators that join, index and mask tensors.
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using Pred = ComparePredicate;
using sym::ExprAttr;

/// The tensors of a list in the result's element type.
static SmallVector<Value> readList(AtenCall &c) {
  SmallVector<Value> inputs;
  for (Value v : c.tensors("tensors"))
    inputs.push_back(c.b.convert(v, c.resultElementType()));
  return inputs;
}

/// Sizes that have to be equal for `cat` along `dim`, made so.
static LogicalResult unify(AtenCall &c, MutableArrayRef<Value> inputs,
                           int64_t dim) {
  Sizes first = getSizes(inputs.front());
  for (Value &v : inputs) {
    Sizes sizes = getSizes(v);
    if (sizes.size() != first.size())
      return c.fail("its operands have different ranks");
    for (auto [i, size] : llvm::enumerate(sizes)) {
      if (static_cast<int64_t>(i) == dim)
        continue;
      if (provablyDiffer(size, first[i]))
        return c.fail("its operands have different sizes");
      size = first[i];
    }
    v = c.b.castSizes(v, sizes);
  }
  return success();
}

static LogicalResult legalizeCat(AtenCall &c) {
  SmallVector<Value> inputs = readList(c);
  // The framework skips empty tensors of rank one.
  if (c.resultType().getRank() != 1)
    llvm::erase_if(inputs, [](Value v) {
      return getRank(v) == 1 && getSizes(v)[0].isConstant(0);
    });
  int64_t rank = c.resultType().getRank();
  auto dim = c.has("dim") ? c.getDim("dim", rank) : std::optional<int64_t>(0);
  if (!dim || inputs.empty() || rank == 0)
    return c.fail("its dimension is not constant");
  if (failed(unify(c, inputs, *dim)))
    return failure();
  return c.replace(c.b.cat(inputs, *dim));
}

static LogicalResult legalizeStack(AtenCall &c) {
  SmallVector<Value> inputs = readList(c);
  auto dim = c.has("dim") ? c.getDim("dim", c.resultType().getRank())
                          : std::optional<int64_t>(0);
  if (!dim || inputs.empty())
    return c.fail("its dimension is not constant");
  for (Value &v : inputs)
    v = c.b.unsqueeze(v, *dim);
  if (failed(unify(c, inputs, *dim)))
    return failure();
  return c.replace(c.b.cat(inputs, *dim));
}

//===----------------------------------------------------------------------===//
// Indexing
//===----------------------------------------------------------------------===//

static bool isIndex(Value v) {
  Type type = getElementType(v);
  return type.isInteger(64) || type.isInteger(32);
}

Value graph::toIndex(TensorBuilder &b, Value v) {
  return isIndex(v) ? v : b.convert(v, b.getBuilder().getI64Type());
}

static LogicalResult legalizeIndex(AtenCall &c) {
  Value x = c.tensor("self");
  if (!x)
    return c.fail("its operand is missing");
  FailureOr<IndexList> list = readIndices(c, x);
  if (failed(list))
    return failure();
  if (list->indices.empty())
    return c.replace(x);
  return c.replace(c.b.index(x, list->indices, list->dims));
}

static LogicalResult legalizeIndexSelect(AtenCall &c) {
  Value x = c.tensor("self"), index = c.tensor("index");
  auto dim = x ? c.getDim("dim", getRank(x)) : std::nullopt;
  if (!dim || !index)
    return c.fail("its dimension is not constant");
  if (getRank(x) == 0)
    return c.replace(x);
  if (getRank(index) == 0)
    index = c.b.unsqueeze(index, 0);
  return c.replace(c.b.index(x, toIndex(c.b, index), *dim));
}

static LogicalResult legalizeEmbedding(AtenCall &c) {
  Value weight = c.tensor("weight"), indices = c.tensor("indices");
  if (!weight || !indices)
    return c.fail("an operand is missing");
  return c.replace(c.b.index(weight, toIndex(c.b, indices), 0));
}

static Value gather(TensorBuilder &b, Value x, Value index, int64_t dim) {
  index = toIndex(b, index);
  return GatherOp::create(
      b.getBuilder(), b.getLoc(),
      sym::getTensorType(getSizes(index), getElementType(x)), x, index, dim);
}

static LogicalResult legalizeGather(AtenCall &c) {
  Value x = c.tensor("self"), index = c.tensor("index");
  auto dim = x ? c.getDim("dim", getRank(x)) : std::nullopt;
  if (!dim || !index)
    return c.fail("its dimension is not constant");
  if (getRank(x) == 0 && getRank(index) == 0)
    return c.replace(x);
  // A scalar is a vector of one element, whichever of the two it is.
  if (getRank(x) + getRank(index) == 1) {
    Value elements = gather(c.b, flatten(c.b, x), flatten(c.b, index), 0);
    return c.replace(c.b.reshape(elements, c.resultSizes()));
  }
  // An index without elements may have any rank.
  if (hasNoElements(index))
    return c.replace(filled(c.b, 0, c.resultElementType(), c.resultSizes()));
  if (getRank(index) != getRank(x))
    return c.fail("operand and index have different ranks");
  // The index may stop earlier than the operand, but not reach beyond it.
  for (auto [d, from, to] : llvm::enumerate(getSizes(x), getSizes(index)))
    if (static_cast<int64_t>(d) != *dim &&
        !(from.isConstant() && to.isConstant()) &&
        !c.getContext().isLessOrEqual(to, from))
      sym::AssertOp::create(c.b.getBuilder(), c.b.getLoc(), to,
                            sym::Predicate::Le, from,
                            c.b.getBuilder().getStringAttr(
                                "the index of a gather is inside the operand"));
  return c.replace(gather(c.b, x, index, *dim));
}

static LogicalResult legalizeTakeAlongDim(AtenCall &c) {
  Value x = c.tensor("self"), index = c.tensor("indices");
  if (!x || !index)
    return c.fail("an operand is missing");
  if (!c.has("dim")) {
    auto flat = [&](Value v) {
      return c.b.reshape(
          v, sym::getNumElements(cast<RankedTensorType>(v.getType())));
    };
    return c.replace(gather(c.b, flat(x), flat(index), 0));
  }
  auto dim = c.getDim("dim", getRank(x));
  if (!dim || getRank(x) != getRank(index) || getRank(x) == 0)
    return c.fail("its dimension is not constant");
  // All other dimensions broadcast.
  Sizes xs = getSizes(x), is = getSizes(index);
  ExprAttr xSize = xs[*dim], iSize = is[*dim];
  xs[*dim] = is[*dim] = c.b.size(1);
  FailureOr<Sizes> both = broadcastSizes({xs, is});
  if (failed(both))
    return c.fail("operand and index do not broadcast");
  xs = is = *both;
  xs[*dim] = xSize;
  is[*dim] = iSize;
  // Along a dimension the framework takes the remainders of indices.
  index = toIndex(c.b, index);
  Value size = c.b.expr(xSize, getElementType(index));
  return c.replace(
      gather(c.b, c.broadcastTo(x, xs),
             c.broadcastTo(c.b.binary<RemainderOp>(index, size), is), *dim));
}

static LogicalResult legalizeOneHot(AtenCall &c) {
  Value x = c.tensor("self");
  if (!x || c.resultType().getRank() != getRank(x) + 1)
    return c.fail("its operand is missing");
  Sizes sizes = c.resultSizes();
  Value classes = c.b.iota(0, 1, sizes.back());
  Value index =
      c.b.convert(c.b.unsqueeze(x, getRank(x)), c.b.getBuilder().getI64Type());
  return c.replace(c.b.compare(Pred::Eq, index, classes));
}

/// take: elements of the tensor as a vector.
static LogicalResult legalizeTake(AtenCall &c) {
  Value x = c.tensor("self"), index = c.tensor("index");
  if (!x || !index)
    return c.fail("an operand is missing");
  return c.replace(c.b.index(flatten(c.b, x), toIndex(c.b, index), 0));
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// _unsafe_masked_index: indices need not be inside where the mask is false,
/// where the result is a number.
static LogicalResult legalizeMaskedIndex(AtenCall &c) {
  TensorBuilder &b = c.b;
  Value x = c.tensor("self"), mask = c.tensor("mask");
  Value number = c.operand("fill", c.resultElementType());
  if (!x || !mask || !number)
    return c.fail("an operand is missing");
  Num isInside(b, toBool(b, mask));
  SmallVector<Value> indices;
  SmallVector<int64_t> dims;
  for (auto [d, index] : llvm::enumerate(c.optionalTensors("indices"))) {
    if (!index)
      continue;
    indices.push_back(select(isInside, Num(b, toIndex(b, index)), 0));
    dims.push_back(d);
  }
  if (indices.empty() || dims.back() >= getRank(x))
    return c.fail("it has no index");
  Value taken = b.index(x, indices, dims);
  Value kept = isInside;
  for (int64_t d = dims.back() + 1; d < getRank(x); ++d)
    kept = b.unsqueeze(kept, getRank(kept));
  return c.replace(b.select(kept, taken, number));
}

/// nonzero_static: places of the first `size` elements that are not zero, one
/// in a row; rows that are left are filled.
static LogicalResult legalizeNonzeroStatic(AtenCall &c) {
  TensorBuilder &b = c.b;
  Value x = c.tensor("self");
  Sizes out = c.resultSizes();
  if (!x || out.size() != 2)
    return c.fail("its operand is missing");
  Positions p(b);
  Sizes sizes = getSizes(x);
  ExprAttr rows = out[0], count = sym::product(b.getContext(), sizes);
  Num fill = p.number(c.intOr("fill_value", -1));
  if (rows.isConstant(0) || sizes.empty() || count.isConstant(0))
    return c.replace(b.broadcast(fill, out));
  Num isFound(b, flatten(b, toBool(b, x)));
  Num number(b, ScanOp::create(b.getBuilder(), b.getLoc(), ScanKind::Sum,
                               isFound.to(p.type()), uint64_t(0))
                    .getResult());
  // One row more takes what is not asked for.
  Num row = select(isFound, min(number - 1, p.size(rows)), p.size(rows));
  Value none = b.broadcast(p.number(-1), sym::add(rows, 1));
  Value places = putAt(b, std::nullopt, none, Value(row), p.iota(count), 0);
  Num place(b, b.slice(places, 0, b.size(0), rows));
  Num isFilled = place < 0, rest = place;
  SmallVector<Value> columns;
  for (ExprAttr size : llvm::reverse(sizes)) {
    Num extent = p.size(size);
    Num column = select(isFilled, fill, mod(rest, extent));
    columns.insert(columns.begin(), column.unsqueeze(1));
    rest = floorDiv(rest, extent);
  }
  return c.replace(b.cat(columns, 1));
}

/// masked_scatter: elements of `source`, one after the other, where the mask is
/// true.
static LogicalResult legalizeMaskedScatter(AtenCall &c) {
  TensorBuilder &b = c.b;
  Type type = c.resultElementType();
  Value x = c.operand("self", type), mask = c.tensor("mask"),
        source = c.operand("source", type);
  if (!x || !mask || !source)
    return c.fail("an operand is missing");
  Sizes sizes = c.resultSizes();
  x = c.broadcastTo(x, sizes);
  ExprAttr count = sym::product(b.getContext(), sizes);
  if (count.isConstant(0) ||
      sym::getNumElements(cast<RankedTensorType>(source.getType()))
          .isConstant(0))
    return c.replace(x);
  Positions p(b);
  Num isTaken(b, b.reshape(c.broadcastTo(toBool(b, mask), sizes), count));
  Num number = prefixSums(b, isTaken.to(p.type()));
  // Where nothing is taken, there may be nothing to take.
  source = flatten(b, source);
  Num none = p.size(getSizes(source)[0]);
  Value taken = b.index(appendZeros(b, source, 0),
                        Value(select(isTaken, number - 1, none)), 0);
  return c.replace(
      b.reshape(b.select(isTaken, taken, b.reshape(x, count)), sizes));
}

static LogicalResult legalizeMaskedFill(AtenCall &c) {
  Type type = c.resultElementType();
  Value x = c.operand("self", type), mask = c.tensor("mask"),
        value = c.operand("value", type);
  if (!x || !mask || !value)
    return c.fail("an operand is missing");
  return c.replace(c.b.select(toBool(c.b, mask), value, x));
}

/// tril, triu: zeros above or below a diagonal.
static AtenHandler triangle(bool lower) {
  return [=](AtenCall &c) -> LogicalResult {
    Value x = c.tensor("self");
    if (!x || getRank(x) < 2)
      return c.fail("its operand has no diagonal");
    Sizes sizes = getSizes(x);
    ExprAttr rows = sizes[sizes.size() - 2], columns = sizes.back();
    // Element (i, j) is on diagonal j - i.
    Value row;
    if (ExprAttr diagonal = c.getExpr("diagonal");
        diagonal && !diagonal.isConstant()) {
      Positions p(c.b);
      row = p.iota(rows) + p.size(diagonal);
    } else {
      row = c.b.iota(c.intOr("diagonal", 0), 1, rows);
    }
    row = c.b.unsqueeze(row, 1);
    Value column = c.b.iota(0, 1, columns);
    Value keep = c.b.compare(lower ? Pred::Le : Pred::Ge, column, row);
    return c.replace(c.b.select(keep, x, c.b.scalar(0, getElementType(x))));
  };
}

void graph::populateDataLegalizations(AtenLegalizations &t) {
  t.add("cat concat concatenate", legalizeCat);
  t.add("flatten_dense_tensors", [](AtenCall &c) -> LogicalResult {
    SmallVector<Value> parts;
    for (Value tensor : c.tensors("tensors"))
      parts.push_back(c.b.convert(flatten(c.b, tensor), c.resultElementType()));
    return parts.empty() ? c.fail("it has no operands")
                         : c.replace(c.b.cat(parts, 0));
  });
  t.add("unflatten_dense_tensors", [](AtenCall &c) -> LogicalResult {
    Value flat = c.tensor("flat");
    if (!flat || getRank(flat) == 0)
      return c.fail("its operand is not a vector");
    // Dimensions behind the first have one element each.
    Sizes sizes = getSizes(flat);
    if (!llvm::all_of(ArrayRef(sizes).drop_front(),
                      [](ExprAttr size) { return size.isConstant(1); }))
      return c.fail("its operand is not a vector");
    flat = c.b.reshape(flat, {sizes[0]});
    SmallVector<Value> results;
    ExprAttr begin = c.b.size(0);
    for (unsigned i = 0, e = c.op.getOutputs().size(); i < e; ++i) {
      ExprAttr count = sym::getNumElements(c.resultType(i));
      results.push_back(
          c.b.reshape(c.b.slice(flat, 0, begin, count), c.resultSizes(i)));
      begin = sym::add(begin, count);
    }
    return c.replace(results);
  });
  t.add("to_dense", [](AtenCall &c) -> LogicalResult {
    Value x = c.operand("self", c.resultElementType());
    return x ? c.replace(x) : c.fail("its operand is missing");
  });
  t.add("stack _stack", legalizeStack);
  t.add("index.Tensor _unsafe_index.Tensor", legalizeIndex);
  t.add("index_select", legalizeIndexSelect);
  t.add("embedding", legalizeEmbedding);
  t.add("gather", legalizeGather);
  t.add("take_along_dim", legalizeTakeAlongDim);
  t.add("one_hot", legalizeOneHot);
  t.add("take", legalizeTake);
  t.add("_unsafe_masked_index", legalizeMaskedIndex);
  t.add("nonzero_static", legalizeNonzeroStatic);
  t.add("masked_scatter", legalizeMaskedScatter);
  t.add("masked_fill.Scalar masked_fill.Tensor", legalizeMaskedFill);
  t.add("tril", triangle(true));
  t.add("triu", triangle(false));
}
