//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalisation of operators that write at positions.
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"

#include <limits>

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using Pred = ComparePredicate;
using sym::ExprAttr;
/// Replacement is the combination of no kind.
using WriteKind = std::optional<ReduceKind>;

/// The kind for elements of type `type`: bools are added and multiplied as
/// truth values.
static WriteKind kindFor(WriteKind kind, Type type) {
  if (!kind || !type.isInteger(1))
    return kind;
  return *kind == ReduceKind::Sum    ? ReduceKind::Any
         : *kind == ReduceKind::Prod ? ReduceKind::All
                                     : *kind;
}

static ReduceKindAttr getAttr(TensorBuilder &b, WriteKind kind) {
  return kind ? ReduceKindAttr::get(b.getContext(), *kind) : ReduceKindAttr();
}

/// Runs `write` on `x` and `values` in the type in which elements are
/// combined. 16-bit floats are rounded once, as by the framework.
static Value inWideType(TensorBuilder &b, WriteKind kind, Value x, Value values,
                        llvm::function_ref<Value(Value, Value)> write) {
  Type type = getElementType(x);
  Type wide = kind ? getAccumulationType(type) : type;
  return b.convert(write(b.convert(x, wide), b.convert(values, wide)), type);
}

static Value scatter(TensorBuilder &b, WriteKind kind, Value x, Value index,
                     Value source, int64_t dim) {
  kind = kindFor(kind, getElementType(x));
  return inWideType(b, kind, x, source, [&](Value x, Value source) -> Value {
    return ScatterOp::create(b.getBuilder(), b.getLoc(), x.getType(),
                             getAttr(b, kind), x, index, source,
                             b.getBuilder().getI64IntegerAttr(dim));
  });
}

static Value indexPut(TensorBuilder &b, WriteKind kind, Value x,
                      ValueRange indices, Value values,
                      ArrayRef<int64_t> dims) {
  kind = kindFor(kind, getElementType(x));
  return inWideType(b, kind, x, values, [&](Value x, Value values) -> Value {
    return IndexPutOp::create(b.getBuilder(), b.getLoc(), x.getType(),
                              getAttr(b, kind), x, indices, values,
                              b.getBuilder().getDenseI64ArrayAttr(dims));
  });
}

/// A tensor of rank zero as one of rank one.
static Value atLeast1D(TensorBuilder &b, Value x) {
  return getRank(x) == 0 ? b.unsqueeze(x, 0) : x;
}

/// `x` in the shape of the result, which has the rank of zero that `x` lost.
static LogicalResult replaceReshaped(AtenCall &c, Value x) {
  Sizes sizes = c.resultSizes();
  return c.replace(static_cast<size_t>(getRank(x)) == sizes.size()
                       ? x
                       : c.b.reshape(x, sizes));
}

static Value ones(TensorBuilder &b, Type type, SizesRef sizes) {
  return b.broadcast(b.scalar(1, type), sizes);
}

static Value zeros(TensorBuilder &b, Type type, SizesRef sizes) {
  return b.broadcast(b.scalar(0, type), sizes);
}

/// What changes nothing under `kind`.
static Value neutral(TensorBuilder &b, ReduceKind kind, Type type,
                     SizesRef sizes) {
  OpBuilder &builder = b.getBuilder();
  if (kind == ReduceKind::Sum || kind == ReduceKind::Prod)
    return b.broadcast(b.scalar(kind == ReduceKind::Prod, type), sizes);
  bool isMax = kind == ReduceKind::Max;
  TypedAttr value;
  if (auto real = dyn_cast<FloatType>(type)) {
    value = builder.getFloatAttr(
        real, APFloat::getInf(real.getFloatSemantics(), /*Negative=*/isMax));
  } else {
    unsigned width = type.getIntOrFloatBitWidth();
    bool isUnsigned = width == 1 || type.isUnsignedInteger();
    value = builder.getIntegerAttr(
        type, isMax ? (isUnsigned ? APInt::getZero(width)
                                  : APInt::getSignedMinValue(width))
                    : (isUnsigned ? APInt::getMaxValue(width)
                                  : APInt::getSignedMaxValue(width)));
  }
  return b.broadcast(b.scalar(value), sizes);
}

/// States that `a` is no larger than `b` where only the run time knows.
static LogicalResult assertInside(AtenCall &c, ExprAttr a, ExprAttr b) {
  return c.stateAtMost(a, b, "the index of a scatter is inside its operands");
}

//===----------------------------------------------------------------------===//
// Along one dimension
//===----------------------------------------------------------------------===//

namespace {

/// The arguments of the `scatter` family.
struct Scatter {
  Value x, index, source;
  int64_t dim;
};

/// How a reduction is spelled.
struct Reducer {
  WriteKind kind;
  bool isMean = false;
};

} // namespace

static std::optional<Reducer> getReducer(StringRef name) {
  return llvm::StringSwitch<std::optional<Reducer>>(name)
      .Cases({"sum", "add"}, Reducer{ReduceKind::Sum})
      .Cases({"prod", "multiply"}, Reducer{ReduceKind::Prod})
      .Case("amax", Reducer{ReduceKind::Max})
      .Case("amin", Reducer{ReduceKind::Min})
      .Case("mean", Reducer{ReduceKind::Sum, /*isMean=*/true})
      .Default(std::nullopt);
}

/// Reads `self`, `dim`, `index` and `src` or `value`. Fails with a reason.
static FailureOr<Scatter> readScatter(AtenCall &c) {
  auto no = [&](StringRef why) -> FailureOr<Scatter> {
    (void)c.fail(why);
    return failure();
  };
  Type type = c.resultElementType();
  Value x = c.operand("self", type), index = c.tensor("index");
  if (!x || !index)
    return no("an operand is missing");
  auto dim = c.getDim("dim", getRank(x));
  if (!dim)
    return no("its dimension is not constant");
  x = atLeast1D(c.b, x);
  index = atLeast1D(c.b, toIndex(c.b, index));
  Value source;
  if (c.has("value") || c.tensor("value")) {
    source = c.operand("value", type);
    if (source)
      source = c.b.broadcast(c.b.reshape(source, {}), getSizes(index));
  } else if (Value given = c.operand("src", type)) {
    source = atLeast1D(c.b, given);
  }
  if (!source)
    return no("an operand is missing");
  // An index without elements may have any rank and sizes.
  if (llvm::any_of(getSizes(index), [](ExprAttr e) { return e.isConstant(0); }))
    return Scatter{x, nullptr, source, *dim};
  if (getRank(x) != getRank(index) || getRank(x) != getRank(source))
    return no("operand, index and source have different ranks");
  for (auto [d, to, at, from] :
       llvm::enumerate(getSizes(x), getSizes(index), getSizes(source)))
    if (failed(assertInside(c, at, from)) ||
        (static_cast<int64_t>(d) != *dim && failed(assertInside(c, at, to))))
      return no("its index is larger than an operand");
  return Scatter{x, index, source, *dim};
}

/// scatter, scatter_add; with a `reduce` argument when there is one.
static AtenHandler scatterBy(WriteKind kind) {
  return [=](AtenCall &c) -> LogicalResult {
    FailureOr<Scatter> s = readScatter(c);
    if (failed(s))
      return failure();
    std::optional<Reducer> reducer = Reducer{kind};
    if (c.has("reduce"))
      reducer = getReducer(c.stringOr("reduce", ""));
    if (!reducer || reducer->isMean)
      return c.fail("its reduction '" + c.stringOr("reduce", "") +
                    "' is not known");
    if (!s->index)
      return replaceReshaped(c, s->x);
    return replaceReshaped(
        c, scatter(c.b, reducer->kind, s->x, s->index, s->source, s->dim));
  };
}

/// A reduction of what is written to each element. `write` writes its second
/// argument (in the shape of the source) into its first.
static Value
reduceInto(TensorBuilder &b, const Reducer &reducer, bool includeSelf, Value x,
           Value source, SizesRef written,
           llvm::function_ref<Value(WriteKind, Value x, Value source)> write) {
  Type type = getElementType(x), wide = getAccumulationType(type);
  x = b.convert(x, wide);
  source = b.convert(source, wide);
  Value start = x;
  if (!includeSelf)
    start = write(std::nullopt, x, neutral(b, *reducer.kind, wide, written));
  Value result = write(reducer.kind, start, source);
  if (reducer.isMean) {
    Sizes sizes = getSizes(x);
    Value count =
        write(ReduceKind::Sum,
              includeSelf ? ones(b, wide, sizes) : zeros(b, wide, sizes),
              ones(b, wide, written));
    count = b.binary<MaximumOp>(count, b.scalar(1, wide));
    result = isa<FloatType>(wide) ? b.div(result, count)
                                  : b.binary<FloorDivOp>(result, count);
  }
  return b.convert(result, type);
}

static LogicalResult legalizeScatterReduce(AtenCall &c) {
  FailureOr<Scatter> s = readScatter(c);
  if (failed(s))
    return failure();
  auto reducer = getReducer(c.stringOr("reduce", ""));
  if (!reducer)
    return c.fail("its reduction '" + c.stringOr("reduce", "") +
                  "' is not known");
  if (!s->index)
    return replaceReshaped(c, s->x);
  return replaceReshaped(
      c, reduceInto(c.b, *reducer, c.boolOr("include_self", true), s->x,
                    s->source, getSizes(s->index),
                    [&](WriteKind kind, Value x, Value source) {
                      return scatter(c.b, kind, x, s->index, source, s->dim);
                    }));
}

namespace {

/// The arguments of the `index_add` family: what the index selects is replaced
/// by or combined with `source`, which has its shape.
struct IndexInto {
  Value x, index, source;
  int64_t dim;
};

} // namespace

static FailureOr<IndexInto> readIndexInto(AtenCall &c, StringRef sourceName) {
  auto no = [&](StringRef why) -> FailureOr<IndexInto> {
    (void)c.fail(why);
    return failure();
  };
  Type type = c.resultElementType();
  Value x = c.operand("self", type), index = c.tensor("index"),
        source = c.operand(sourceName, type);
  auto dim = x ? c.getDim("dim", getRank(x)) : std::nullopt;
  if (!dim || !index || !source)
    return no("its dimension is not constant");
  x = atLeast1D(c.b, x);
  index = atLeast1D(c.b, toIndex(c.b, index));
  if (getRank(index) != 1)
    return no("its index is not one-dimensional");
  Sizes sizes = getSizes(x);
  sizes[*dim] = getSizes(index)[0];
  if (getRank(source) == 0) {
    source = c.b.broadcast(source, sizes);
  } else {
    Sizes given = getSizes(source);
    if (given.size() != sizes.size())
      return no("operand and source have different ranks");
    for (auto [a, b] : llvm::zip(given, sizes))
      if (provablyDiffer(a, b))
        return no("its source does not have the shape that the index selects");
    source = c.b.castSizes(source, sizes);
  }
  return IndexInto{x, index, source, *dim};
}

/// index_copy, index_fill, index_add
static AtenHandler indexInto(WriteKind kind, StringRef source) {
  return [=](AtenCall &c) -> LogicalResult {
    FailureOr<IndexInto> i = readIndexInto(c, source);
    if (failed(i))
      return failure();
    Value values = i->source;
    if (c.has("alpha"))
      if (Value alpha = c.operand("alpha", getElementType(values)); alpha)
        values = getElementType(values).isInteger(1)
                     ? c.b.binary<BitwiseAndOp>(values, alpha)
                     : c.b.mul(values, alpha);
    return replaceReshaped(c,
                           indexPut(c.b, kind, i->x, i->index, values, i->dim));
  };
}

static LogicalResult legalizeIndexReduce(AtenCall &c) {
  FailureOr<IndexInto> i = readIndexInto(c, "source");
  if (failed(i))
    return failure();
  auto reducer = getReducer(c.stringOr("reduce", ""));
  if (!reducer)
    return c.fail("its reduction '" + c.stringOr("reduce", "") +
                  "' is not known");
  return replaceReshaped(
      c, reduceInto(c.b, *reducer, c.boolOr("include_self", true), i->x,
                    i->source, getSizes(i->source),
                    [&](WriteKind kind, Value x, Value source) {
                      return indexPut(c.b, kind, x, i->index, source, i->dim);
                    }));
}

//===----------------------------------------------------------------------===//
// Index tensors
//===----------------------------------------------------------------------===//

/// Which row of the values each element that a mask selects is given: `values`
/// has one for each along `dim`, or the run fails.
static Value getValueRows(AtenCall &c, Value &values, int64_t dim, Value mask) {
  TensorBuilder &b = c.b;
  Positions p(b);
  ExprAttr given = getSizes(values)[dim];
  Num flags(b, flatten(b, mask));
  Num sums = prefixSums(b, flags.to(p.type()));
  // What is not selected reads a row of its own, since there may be no other.
  values = appendZeros(b, values, dim);
  Num row = select(flags, sums - 1, p.size(given));
  auto known = c.selections ? c.selections->find(mask, c.op) : std::nullopt;
  // Another number of rows is found out by a position that does not exist, with
  // no need for the host.
  if (!known || known->count != given)
    row = select(lastSum(c, sums) == p.size(given), row,
                 p.size(sym::add(given, 1)));
  return b.reshape(row, getSizes(mask));
}

/// `x[..., mask, ...] = values`. Elements are written where they are, so nobody
/// has to know how many the mask selects.
static LogicalResult putMasked(AtenCall &c, Value x, Value mask, int64_t at,
                               Value values, WriteKind kind) {
  TensorBuilder &b = c.b;
  int64_t rank = getRank(x), maskRank = getRank(mask),
          behind = rank - at - maskRank;
  if (behind < 0 || maskRank == 0)
    return c.fail("its mask has more dimensions than its operand");
  for (auto [given, wanted] :
       llvm::zip(getSizes(mask), SizesRef(getSizes(x)).slice(at, maskRank)))
    if (provablyDiffer(given, wanted))
      return c.fail("its mask does not have the sizes of its operand");
  // The values broadcast to the dimensions in front of the mask, one for the
  // selected elements, and the dimensions behind.
  while (getRank(values) > at + 1 + behind) {
    Sizes sizes = getSizes(values);
    if (!sizes.front().isConstant(1))
      return c.fail("its values do not broadcast to what the mask selects");
    values = b.reshape(values, SizesRef(sizes).drop_front());
  }
  if (int64_t dim = getRank(values) - behind - 1; dim >= 0) {
    Sizes sizes = getSizes(values);
    if (sizes[dim].isConstant(1)) {
      sizes.insert(sizes.begin() + dim, maskRank - 1, b.size(1));
      values = b.reshape(values, sizes);
    } else {
      Value rows = getValueRows(c, values, dim, mask);
      values = b.index(values, rows, dim);
    }
  }
  mask = toBool(b, mask);
  for (int64_t d = 0; d < behind; ++d)
    mask = b.unsqueeze(mask, getRank(mask));
  Value written = values;
  if (kind)
    written = getElementType(x).isInteger(1) ? b.binary<BitwiseOrOp>(x, values)
                                             : b.add(x, values);
  return c.replace(b.select(mask, written, x));
}

static LogicalResult legalizeIndexPut(AtenCall &c) {
  Value x = c.tensor("self");
  Value values = c.operand("values", c.resultElementType());
  if (!x || !values)
    return c.fail("an operand is missing");
  WriteKind kind;
  if (c.boolOr("accumulate", false))
    kind = ReduceKind::Sum;
  SmallVector<Value> given = c.optionalTensors("indices");
  llvm::erase(given, Value());
  auto isMask = [](Value index) {
    Type type = getElementType(index);
    return type.isInteger(1) || type.isUnsignedInteger(8);
  };
  if (given.size() == 1 && isMask(given[0])) {
    SmallVector<Value> all = c.optionalTensors("indices");
    return putMasked(c, x, given[0], llvm::find(all, given[0]) - all.begin(),
                     values, kind);
  }
  FailureOr<IndexList> list = readIndices(c, x);
  if (failed(list))
    return failure();
  const auto &[indices, dims, hasMasks] = *list;
  if (indices.empty())
    return c.fail("it has no index");
  SmallVector<Sizes> shapes;
  for (Value index : indices)
    shapes.push_back(getSizes(index));
  FailureOr<Sizes> sizes = inferIndex(getSizes(x), shapes, dims);
  if (failed(sizes))
    return c.fail("its indices do not broadcast");
  FailureOr<Sizes> joined = broadcastSizes({getSizes(values), *sizes});
  if (failed(joined) || joined->size() != sizes->size())
    return c.fail("its values do not broadcast to what the indices select");
  return c.replace(
      indexPut(c.b, kind, x, indices, c.broadcastTo(values, *sizes), dims));
}

/// _unsafe_masked_index_put_accumulate: where the mask is false, nothing is
/// added, and indices need not be inside.
static LogicalResult legalizeMaskedIndexPut(AtenCall &c) {
  TensorBuilder &b = c.b;
  Type type = c.resultElementType();
  Value x = c.tensor("self"), mask = c.tensor("mask"),
        values = c.operand("values", type);
  if (!x || !mask || !values)
    return c.fail("an operand is missing");
  mask = toBool(b, mask);
  SmallVector<Value> indices;
  SmallVector<int64_t> dims;
  SmallVector<Sizes> shapes;
  for (auto [d, index] : llvm::enumerate(c.optionalTensors("indices"))) {
    if (!index)
      continue;
    index = toIndex(b, index);
    indices.push_back(
        b.select(mask, index, b.scalar(0, getElementType(index))));
    dims.push_back(static_cast<int64_t>(d));
    shapes.push_back(getSizes(indices.back()));
  }
  if (indices.empty() || dims.back() >= getRank(x))
    return c.fail("it has no index");
  FailureOr<Sizes> sizes = inferIndex(getSizes(x), shapes, dims);
  if (failed(sizes))
    return c.fail("its indices do not broadcast");
  for (int64_t d = dims.back() + 1; d < getRank(x); ++d)
    mask = b.unsqueeze(mask, getRank(mask));
  values = b.select(mask, c.broadcastTo(values, *sizes), b.scalar(0, type));
  return c.replace(indexPut(b, ReduceKind::Sum, x, indices,
                            c.broadcastTo(values, *sizes), dims));
}

/// put: positions in the flattened tensor.
static LogicalResult legalizePut(AtenCall &c) {
  Value x = c.tensor("self"), index = c.tensor("index"),
        source = c.operand("source", c.resultElementType());
  if (!x || !index || !source)
    return c.fail("an operand is missing");
  auto flat = [&](Value v) {
    return c.b.reshape(
        v, sym::getNumElements(cast<RankedTensorType>(v.getType())));
  };
  index = flat(toIndex(c.b, index));
  Value values = c.b.castSizes(flat(source), getSizes(index));
  WriteKind kind;
  if (c.boolOr("accumulate", false))
    kind = ReduceKind::Sum;
  return c.replace(
      c.b.reshape(indexPut(c.b, kind, flat(x), index, values, 0), getSizes(x)));
}

static LogicalResult legalizeEmbeddingBackward(AtenCall &c) {
  TensorBuilder &b = c.b;
  Value grad = c.tensor("grad_output"), indices = c.tensor("indices");
  if (!grad || !indices || getRank(grad) != getRank(indices) + 1)
    return c.fail("an operand is missing");
  Type type = getElementType(grad), wide = getAccumulationType(type);
  Sizes sizes = c.resultSizes();
  ExprAttr count =
      sym::getNumElements(cast<RankedTensorType>(indices.getType()));
  Value index = b.reshape(toIndex(b, indices), count);
  Value rows = b.convert(b.reshape(grad, {count, getSizes(grad).back()}), wide);
  if (c.boolOr("scale_grad_by_freq", false)) {
    Value counts = indexPut(b, ReduceKind::Sum, zeros(b, wide, sizes[0]), index,
                            ones(b, wide, count), 0);
    rows = b.div(rows, b.unsqueeze(b.index(counts, index, 0), 1));
  }
  // The row of the padding receives nothing.
  int64_t padding = c.intOr("padding_idx", -1);
  if (padding >= 0) {
    Value isPadding = b.compare(
        Pred::Eq, index,
        b.scalar(static_cast<double>(padding), getElementType(index)));
    rows = b.select(b.unsqueeze(isPadding, 1), b.scalar(0, wide), rows);
  }
  return c.replace(b.convert(
      indexPut(b, ReduceKind::Sum, zeros(b, wide, sizes), index, rows, 0),
      type));
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// Whether a tensor is an argument that the program changes, or what has become
/// of one by writes to parts of it.
static bool isUpdatedArgument(Value x) {
  while (Operation *def = x.getDefiningOp()) {
    auto put = dyn_cast<IndexPutOp>(def);
    auto call = dyn_cast<AtenOp>(def);
    if (!put && !(call && call.getName().contains("_scatter.")))
      return false;
    x = put ? put.getInput() : call.getInputs().front();
  }
  auto arg = cast<BlockArgument>(x);
  auto fn = dyn_cast<func::FuncOp>(arg.getOwner()->getParentOp());
  if (!fn)
    return false;
  auto name = [&](StringRef attribute) {
    return fn.getArgAttr(arg.getArgNumber(), attribute);
  };
  auto states = [&](unsigned result, StringRef kind, Attribute target) {
    return target && fn.getResultAttr(result, kind) == target;
  };
  for (unsigned i = 0; i < fn.getNumResults(); ++i)
    if (states(i, "coil.user_input_mutation", name("coil.name")) ||
        states(i, "coil.buffer_mutation", name("graph.weight")) ||
        states(i, "coil.parameter_mutation", name("graph.weight")))
      return true;
  return false;
}

/// `x` with `source` from position `start` of a dimension on. A concatenation
/// fuses with what reads it. What the program leaves in an argument is written
/// where the argument lies (`wrapper-update-inputs`), and then only the part.
static Value writePart(AtenCall &c, Value x, Value source, int64_t dim,
                       ExprAttr start) {
  ExprAttr size = getSizes(x)[dim], count = getSizes(source)[dim];
  ExprAttr end = sym::add(start, count);
  if (isUpdatedArgument(x)) {
    Value index =
        c.b.add(c.b.iota(0, 1, count),
                c.b.expr(start, IntegerType::get(c.b.getContext(), 64)));
    return indexPut(c.b, std::nullopt, x, index, source, dim);
  }
  return c.b.cat({c.b.slice(x, dim, c.b.size(0), start), source,
                  c.b.slice(x, dim, end, sym::sub(size, end))},
                 dim);
}

static LogicalResult legalizeSliceScatter(AtenCall &c) {
  Value x = c.tensor("self"), source = c.operand("src", c.resultElementType());
  auto dim = !x             ? std::nullopt
             : c.has("dim") ? c.getDim("dim", getRank(x))
                            : std::optional<int64_t>(0);
  int64_t step = c.intOr("step", 1);
  if (!dim || !source || getRank(x) == 0 || step < 1)
    return c.fail("its dimension is not constant");
  if (getRank(source) != getRank(x))
    return c.fail("operand and source have different ranks");
  ExprAttr start = c.getExpr("start"), size = getSizes(x)[*dim];
  if (c.has("start") && !start)
    return c.fail("its start is not a known number");
  start = start ? normalizePosition(c, start, size) : c.b.size(0);
  // The source says how many elements there are; all else is as in the operand.
  Sizes sizes = getSizes(x);
  ExprAttr count = sizes[*dim] = getSizes(source)[*dim];
  for (auto [a, b] : llvm::zip(getSizes(source), sizes))
    if (provablyDiffer(a, b))
      return c.fail("its source does not have the shape of the slice");
  source = c.b.castSizes(source, sizes);
  if (step != 1) {
    Value index =
        c.b.add(c.b.iota(0, step, count),
                c.b.expr(start, IntegerType::get(c.b.getContext(), 64)));
    return c.replace(indexPut(c.b, std::nullopt, x, index, source, *dim));
  }
  if (count.isConstant(0))
    return c.replace(x);
  return c.replace(writePart(c, x, source, *dim, start));
}

static LogicalResult legalizeSelectScatter(AtenCall &c) {
  Value x = c.tensor("self"), source = c.operand("src", c.resultElementType());
  auto dim = x ? c.getDim("dim", getRank(x)) : std::nullopt;
  ExprAttr index = c.getExpr("index");
  if (!dim || !source || !index || getRank(x) == 0 ||
      getRank(source) != getRank(x) - 1)
    return c.fail("its index is not a known number");
  ExprAttr size = getSizes(x)[*dim];
  if (!c.getContext().isNonNegative(index)) {
    if (!index.isConstant())
      return c.fail("the sign of its index is not known");
    index = sym::add(index, size);
  }
  source = c.b.unsqueeze(source, *dim);
  Sizes sizes = getSizes(x);
  sizes[*dim] = c.b.size(1);
  return c.replace(writePart(c, x, c.b.castSizes(source, sizes), *dim, index));
}

static LogicalResult legalizeDiagonalScatter(AtenCall &c) {
  Value x = c.tensor("self"), source = c.operand("src", c.resultElementType());
  if (!x || !source || getRank(x) < 2 || getRank(source) != getRank(x) - 1)
    return c.fail("its operand has no diagonal");
  int64_t rank = getRank(x), offset = c.intOr("offset", 0);
  auto rows =
      c.has("dim1") ? c.getDim("dim1", rank) : std::optional<int64_t>(0);
  auto columns =
      c.has("dim2") ? c.getDim("dim2", rank) : std::optional<int64_t>(1);
  if (!rows || !columns || *rows == *columns)
    return c.fail("its dimensions are not constant");
  LastPair last(rank, *rows, *columns);
  Value permuted = c.b.permute(x, last.permutation);
  Sizes sizes = getSizes(permuted);
  sizes.pop_back();
  ExprAttr length = sizes.back() = getSizes(source).back();
  Value row = c.b.iota(std::max<int64_t>(-offset, 0), 1, length);
  Value column = c.b.iota(std::max<int64_t>(offset, 0), 1, length);
  return c.replace(
      c.b.permute(indexPut(c.b, std::nullopt, permuted, {row, column},
                           c.b.castSizes(source, sizes), {rank - 2, rank - 1}),
                  last.inverse));
}

void graph::populateScatterLegalizations(AtenLegalizations &t) {
  t.add("scatter.src scatter.value scatter.reduce scatter.value_reduce",
        scatterBy(std::nullopt));
  t.add("scatter_add", scatterBy(ReduceKind::Sum));
  t.add("scatter_reduce.two", legalizeScatterReduce);
  t.add("index_copy", indexInto(std::nullopt, "source"));
  t.add("index_fill.int_Scalar index_fill.int_Tensor",
        indexInto(std::nullopt, "value"));
  t.add("index_add", indexInto(ReduceKind::Sum, "source"));
  t.add("index_reduce", legalizeIndexReduce);
  t.add("index_put _unsafe_index_put", legalizeIndexPut);
  t.add("_unsafe_masked_index_put_accumulate", legalizeMaskedIndexPut);
  t.add("put", legalizePut);
  t.add("embedding_dense_backward", legalizeEmbeddingBackward);
  t.add("slice_scatter", legalizeSliceScatter);
  t.add("select_scatter", legalizeSelectScatter);
  t.add("diagonal_scatter", legalizeDiagonalScatter);
}
