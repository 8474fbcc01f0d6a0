//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalisation of views and of operators that only copy.
//
//===----------------------------------------------------------------------===//

#include "ComplexCall.h"
#include "TensorMath.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

/// The operand under its new sizes, which the framework recorded.
static LogicalResult legalizeReshape(AtenCall &c) {
  Value x = c.tensor("self");
  if (!x)
    return c.fail("its operand is missing");
  ExprAttr from = sym::getNumElements(cast<RankedTensorType>(x.getType()));
  ExprAttr to = sym::getNumElements(c.resultType());
  if (provablyDiffer(from, to))
    return c.fail("it reads '" + from.str() + "' elements as '" + to.str() +
                  "'");
  return c.replace(c.b.reshape(x, c.resultSizes()));
}

/// squeeze: a dimension that stays has to have another size than one, which
/// would change the rank of the result.
static LogicalResult legalizeSqueeze(AtenCall &c) {
  Value x = c.tensor("self");
  auto dims = x ? c.getDims("dim", getRank(x)) : std::nullopt;
  if (!dims)
    return c.fail("its dimensions are not constant");
  // Of lists of dimensions, an empty one names none here.
  if (auto listed = c.getInts("dim"); listed && listed->empty())
    return legalizeReshape(c);
  OpBuilder &builder = c.b.getBuilder();
  ExprAttr one = c.b.size(1);
  for (int64_t dim : *dims) {
    ExprAttr size = getSizes(x)[dim];
    if (!size.isConstant() && !c.getContext().isLess(one, size))
      sym::AssertOp::create(
          builder, c.b.getLoc(), size, sym::Predicate::Ne, one,
          builder.getStringAttr("a dimension that 'squeeze' kept when the "
                                "program was exported is kept"));
  }
  return legalizeReshape(c);
}

/// The operand itself, converted when the result has another element type.
static LogicalResult legalizeIdentity(AtenCall &c) {
  for (StringRef name : {"self", "input", "tensor"})
    if (Value x = c.tensor(name))
      return c.replace(x);
  return c.fail("its operand is missing");
}

static LogicalResult legalizeViewDtype(AtenCall &c) {
  Value x = c.tensor("self");
  Type to = c.resultElementType();
  if (!x)
    return c.fail("its operand is missing");
  Type from = getElementType(x);
  if (from == to)
    return c.replace(x);
  // The framework keeps a bool in a byte.
  OpBuilder &builder = c.b.getBuilder();
  Type byte = builder.getIntegerType(8, /*isSigned=*/false);
  bool toBools = to.isInteger(1);
  if (toBools)
    to = byte;
  if (from.isInteger(1)) {
    from = byte;
    x = c.b.convert(x, from);
  }
  auto bitcast = [&](Value v, Type type) -> Value {
    if (getElementType(v) == type)
      return v;
    return BitcastOp::create(builder, c.b.getLoc(),
                             sym::getTensorType(getSizes(v), type), v);
  };
  unsigned fromWidth = from.getIntOrFloatBitWidth(),
           toWidth = to.getIntOrFloatBitWidth();
  auto replace = [&](Value result) {
    return c.replace(toBools ? toBool(c.b, result) : result);
  };
  if (fromWidth == toWidth)
    return replace(bitcast(x, to));
  Sizes sizes = c.resultSizes();
  int64_t rank = getRank(x);
  if (rank == 0 || static_cast<int64_t>(sizes.size()) != rank)
    return c.fail("it has no dimension whose size changes");
  // The last dimension is the parts of elements, the lowest bits first.
  unsigned width = std::min(fromWidth, toWidth);
  int64_t ratio = std::max(fromWidth, toWidth) / width;
  Type word = builder.getIntegerType(std::max(fromWidth, toWidth));
  Type part = builder.getIntegerType(width);
  Num shift = (Positions(c.b).iota(c.b.size(ratio)) * width).to(word);
  if (fromWidth > toWidth) {
    Num words(c.b, c.b.unsqueeze(bitcast(x, word), rank));
    Num parts = words.binary<ShiftRightOp>(shift).to(part);
    return replace(bitcast(c.b.reshape(parts, sizes), to));
  }
  Sizes split = sizes;
  split.push_back(c.b.size(ratio));
  Type bits = builder.getIntegerType(width, /*isSigned=*/false);
  Num parts(c.b, bitcast(c.b.reshape(x, split), bits));
  Num words =
      parts.to(word).binary<ShiftLeftOp>(shift).reduce(ReduceKind::Sum, rank);
  return c.replace(bitcast(words, to));
}

static LogicalResult legalizePermute(AtenCall &c) {
  Value x = c.tensor("self");
  auto dims = c.getInts("dims");
  if (!x || !dims || dims->size() != static_cast<size_t>(getRank(x)))
    return c.fail("its dimensions are not constant");
  for (int64_t &d : *dims)
    d = d < 0 ? d + getRank(x) : d;
  if (failed(inferPermute(getSizes(x), *dims)))
    return c.fail("its dimensions are no permutation");
  return c.replace(c.b.permute(x, *dims));
}

static AtenHandler transpose(StringRef first, StringRef second) {
  return [=](AtenCall &c) -> LogicalResult {
    Value x = c.tensor("self");
    if (!x)
      return c.fail("its operand is missing");
    auto a = c.getDim(first, getRank(x)), b = c.getDim(second, getRank(x));
    if (!a || !b)
      return c.fail("its dimensions are not constant");
    return c.replace(getRank(x) == 0 ? x : c.b.transpose(x, *a, *b));
  };
}

/// t, numpy_T, mT: a reversal of the last `count` dimensions.
static AtenHandler reverseDims(int64_t count) {
  return [=](AtenCall &c) -> LogicalResult {
    Value x = c.tensor("self");
    if (!x)
      return c.fail("its operand is missing");
    int64_t rank = getRank(x);
    auto dims = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    std::reverse(dims.end() - std::min(rank, count), dims.end());
    return c.replace(c.b.permute(x, dims));
  };
}

static LogicalResult legalizeMovedim(AtenCall &c) {
  Value x = c.tensor("self");
  auto from = c.getInts("source"), to = c.getInts("destination");
  if (!x || !from || !to || from->size() != to->size())
    return c.fail("its dimensions are not constant");
  int64_t rank = getRank(x);
  if (rank == 0)
    return c.replace(x);
  SmallVector<int64_t> permutation(rank, -1);
  SmallVector<bool> used(rank, false);
  for (auto [s, d] : llvm::zip(*from, *to)) {
    int64_t source = s < 0 ? s + rank : s, target = d < 0 ? d + rank : d;
    if (source < 0 || source >= rank || target < 0 || target >= rank ||
        used[source] || permutation[target] != -1)
      return c.fail("its dimensions are invalid");
    permutation[target] = source;
    used[source] = true;
  }
  int64_t next = 0;
  for (int64_t &p : permutation) {
    if (p != -1)
      continue;
    while (used[next])
      ++next;
    p = next++;
  }
  return c.replace(c.b.permute(x, permutation));
}

static LogicalResult legalizeExpand(AtenCall &c) {
  Value x = c.tensor("self");
  Sizes sizes = c.resultSizes();
  if (!x || getRank(x) > static_cast<int64_t>(sizes.size()))
    return c.fail("its sizes are not those of an expansion");
  for (auto [from, to] :
       llvm::zip(getSizes(x), SizesRef(sizes).take_back(getRank(x))))
    if (!from.isConstant(1) && provablyDiffer(from, to))
      return c.fail("its sizes are not those of an expansion");
  return c.replace(c.broadcastTo(x, sizes));
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// 1 where a position counts from the end, else 0.
static ExprAttr isNegative(AtenCall &c, ExprAttr position) {
  ExprAttr zero = c.b.size(0), one = c.b.size(1);
  if (c.getContext().bounds(position).hi < 0)
    return one;
  return sym::min(sym::max(sym::neg(position), zero), one);
}

ExprAttr graph::normalizePosition(AtenCall &c, ExprAttr position,
                                  ExprAttr size) {
  const sym::Context &context = c.getContext();
  ExprAttr zero = c.b.size(0);
  if (!context.isNonNegative(position))
    position = sym::max(
        sym::add(position, sym::mul(size, isNegative(c, position))), zero);
  return context.simplify(sym::min(position, size));
}

/// States that a position is inside of a dimension, where only the run knows.
static void stateInside(AtenCall &c, ExprAttr position, ExprAttr size) {
  OpBuilder &builder = c.b.getBuilder();
  StringAttr text = builder.getStringAttr("an index is inside its dimension");
  if (!c.getContext().isNonNegative(position))
    sym::AssertOp::create(builder, c.b.getLoc(), c.b.size(0),
                          sym::Predicate::Le, position, text);
  if (!c.getContext().isLess(position, size))
    sym::AssertOp::create(builder, c.b.getLoc(), position, sym::Predicate::Lt,
                          size, text);
}

static LogicalResult legalizeSelect(AtenCall &c) {
  Value x = c.tensor("self");
  auto dim = x ? c.getDim("dim", getRank(x)) : std::nullopt;
  ExprAttr index = c.getExpr("index");
  if (!dim || !index || getRank(x) == 0)
    return c.fail("its index is not a known number");
  ExprAttr size = getSizes(x)[*dim];
  if (!c.getContext().isNonNegative(index))
    index = sym::add(index, sym::mul(size, isNegative(c, index)));
  if (!index.isConstant() || !size.isConstant())
    stateInside(c, index, size);
  return c.replace(c.b.at(x, *dim, index));
}

static LogicalResult legalizeSlice(AtenCall &c) {
  Value x = c.tensor("self");
  auto dim = x ? c.getDim("dim", getRank(x)) : std::nullopt;
  if (!dim || getRank(x) == 0 || c.resultType().getRank() != getRank(x))
    return c.fail("its dimension is not constant");
  ExprAttr start = c.getExpr("start");
  if (c.has("start") && !start)
    return c.fail("its start is not a known number");
  int64_t step = c.intOr("step", 1);
  if (step < 1)
    return c.fail("its step is not positive");
  ExprAttr size = getSizes(x)[*dim], count = c.resultSizes()[*dim];
  start = start ? normalizePosition(c, start, size) : c.b.size(0);
  if (count.isConstant(0))
    start = c.b.size(0);
  if (failed(c.stateSlice(start, count, step, size)))
    return failure();
  return c.replace(c.b.slice(x, *dim, start, count, step));
}

static LogicalResult legalizeNarrow(AtenCall &c) {
  Value x = c.tensor("self");
  auto dim = x ? c.getDim("dim", getRank(x)) : std::nullopt;
  ExprAttr start = c.getExpr("start");
  if (!dim || !start || getRank(x) == 0 ||
      c.resultType().getRank() != getRank(x))
    return c.fail("its start is not a known number");
  ExprAttr size = getSizes(x)[*dim], count = c.resultSizes()[*dim];
  start = normalizePosition(c, start, size);
  if (failed(c.stateSlice(start, count, 1, size)))
    return failure();
  return c.replace(c.b.slice(x, *dim, start, count));
}

/// Pieces along a dimension, whose sizes the results tell: adjacent ones, or
/// from `indices` on. These need not be sorted, or inside of the dimension.
static LogicalResult splitDim(AtenCall &c, Value x, int64_t dim) {
  SmallVector<Value> pieces;
  auto indices = c.has("indices") ? c.getExprs("indices") : std::nullopt;
  if (c.has("indices") &&
      (!indices || indices->size() + 1 != c.op.getOutputs().size()))
    return c.fail("its indices are not known");
  ExprAttr start = c.b.size(0);
  for (unsigned i = 0, e = c.op.getOutputs().size(); i < e; ++i) {
    if (c.resultType(i).getRank() != getRank(x))
      return c.fail("its pieces have another rank");
    ExprAttr count = c.resultSizes(i)[dim];
    if (indices && i > 0)
      start = normalizePosition(c, (*indices)[i - 1], getSizes(x)[dim]);
    bool empty = count.isConstant(0);
    if (failed(c.stateSlice(start, count, 1, getSizes(x)[dim])))
      return failure();
    pieces.push_back(c.b.slice(x, dim, empty ? c.b.size(0) : start, count));
    start = sym::add(start, count);
  }
  return c.replace(pieces);
}

/// split, chunk
static LogicalResult legalizeSplit(AtenCall &c) {
  Value x = c.tensor("self");
  std::optional<int64_t> dim = !x             ? std::nullopt
                               : c.has("dim") ? c.getDim("dim", getRank(x))
                                              : std::optional<int64_t>(0);
  if (!dim || getRank(x) == 0)
    return c.fail("its dimension is not constant");
  return splitDim(c, x, *dim);
}

/// hsplit, vsplit, dsplit; a vector has only columns.
static AtenHandler splitAlong(int64_t dim) {
  return [=](AtenCall &c) -> LogicalResult {
    Value x = c.tensor("self");
    int64_t along = x && getRank(x) == 1 && dim == 1 ? 0 : dim;
    if (!x || getRank(x) <= along)
      return c.fail("its operand has too few dimensions");
    return splitDim(c, x, along);
  };
}

static LogicalResult legalizeUnbind(AtenCall &c) {
  Value x = c.tensor("self");
  auto dim = x ? c.getDim("dim", getRank(x)) : std::nullopt;
  if (!dim || getRank(x) == 0)
    return c.fail("its dimension is not constant");
  SmallVector<Value> pieces;
  for (unsigned i = 0, e = c.op.getOutputs().size(); i < e; ++i)
    pieces.push_back(c.b.at(x, *dim, c.b.size(i)));
  return c.replace(pieces);
}

Value graph::flipDims(TensorBuilder &b, Value x, ArrayRef<int64_t> dims) {
  Sizes sizes = getSizes(x), starts(sizes.size(), b.size(0));
  SmallVector<int64_t> steps(sizes.size(), 1);
  for (int64_t d : dims) {
    // An empty dimension has no last element.
    if (sizes[d].isConstant(0))
      continue;
    starts[d] = sym::add(sizes[d], -1);
    steps[d] = -1;
  }
  return SliceOp::create(b.getBuilder(), b.getLoc(), x.getType(), x,
                         sym::ShapeAttr::get(b.getContext(), starts), steps);
}

static LogicalResult legalizeFlip(AtenCall &c) {
  Value x = c.tensor("self");
  if (!x)
    return c.fail("its operand is missing");
  auto listed = c.getInts("dims");
  auto dims = c.getDims("dims", getRank(x));
  if (!listed || !dims)
    return c.fail("its dimensions are not constant");
  // Here an empty list means no dimension.
  return c.replace(listed->empty() ? x : flipDims(c.b, x, *dims));
}

bool graph::isContiguous(Value x) {
  if (auto argument = dyn_cast<BlockArgument>(x)) {
    auto func =
        dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
    unsigned number = argument.getArgNumber();
    return func && !func.getArgAttr(number, "coil.strides") &&
           !func.getArgAttr(number, "coil.is_view");
  }
  Operation *op = x.getDefiningOp();
  if (isa<ConstantOp, FullOp, IotaOp>(op))
    return true;
  // Operators of complex numbers, while these are taken apart.
  if (auto view = dyn_cast<AtenOp>(op))
    return (view.getName() == "aten.view.default" ||
            view.getName() == "aten.reshape.default") &&
           view.getInputs().size() == 1 && isContiguous(view.getInputs()[0]);
  return isa<ReshapeOp, ConvertOp, UnrealizedConversionCastOp>(op) &&
         isContiguous(op->getOperand(0));
}

/// Places of the elements of a strided view in the tensor as a vector.
static FailureOr<Value> getStridedPlaces(AtenCall &c, Value x) {
  auto sizes = c.getExprs("size"), strides = c.getExprs("stride");
  ExprAttr offset = c.getExpr("storage_offset");
  if (!sizes || !strides || sizes->size() != strides->size() ||
      (c.has("storage_offset") && !offset)) {
    (void)c.fail("its strides are not known");
    return failure();
  }
  if (!isContiguous(x) && !c.op->hasAttr(kRowByRowAttrName)) {
    (void)c.fail("it depends on how its operand lies in memory");
    return failure();
  }
  ExprAttr last = offset ? offset : c.b.size(0);
  ExprAttr count = sym::getNumElements(cast<RankedTensorType>(x.getType()));
  for (auto [size, stride] : llvm::zip(*sizes, *strides)) {
    if (!c.getContext().isNonNegative(stride)) {
      (void)c.fail("a stride may be negative");
      return failure();
    }
    last = sym::add(last, sym::mul(sym::add(size, -1), stride));
  }
  bool isEmpty =
      llvm::any_of(*sizes, [](ExprAttr size) { return size.isConstant(0); });
  if (!isEmpty && offset && !c.getContext().isNonNegative(offset)) {
    if (offset.isConstant()) {
      (void)c.fail("it reads before the start of its operand");
      return failure();
    }
    sym::AssertOp::create(
        c.b.getBuilder(), c.b.getLoc(), c.b.size(0), sym::Predicate::Le, offset,
        c.b.getBuilder().getStringAttr("as_strided stays inside its operand"));
  }
  if (!isEmpty && !c.getContext().isLess(last, count)) {
    if (last.isConstant() && count.isConstant()) {
      (void)c.fail("it reads past the end of its operand");
      return failure();
    }
    sym::AssertOp::create(
        c.b.getBuilder(), c.b.getLoc(), last, sym::Predicate::Lt, count,
        c.b.getBuilder().getStringAttr("as_strided stays inside its operand"));
  }
  Positions p(c.b);
  Num place = offset ? p.size(offset) : p.number(0);
  for (auto [size, stride] : llvm::zip(*sizes, *strides))
    place = place.unsqueeze(getRank(place)) + p.iota(size) * p.size(stride);
  return c.b.broadcast(place, *sizes);
}

/// Elements at given positions of the memory of a tensor, which lies row by
/// row: position `offset + sum(i * stride)` of the flattened operand.
static LogicalResult legalizeAsStrided(AtenCall &c) {
  Value x = c.tensor("self");
  auto sizes = c.getExprs("size"), strides = c.getExprs("stride");
  ExprAttr offset = c.getExpr("storage_offset");
  if (!x)
    return c.fail("its operand is missing");
  // All elements, in their order.
  auto type = cast<RankedTensorType>(x.getType());
  if (sizes && strides && (!offset || offset.isConstant(0)) &&
      *strides == sym::getContiguousStrides(c.b.getContext(), *sizes) &&
      sym::getNumElements(type) == sym::product(c.b.getContext(), *sizes))
    return c.replace(c.b.reshape(x, *sizes));
  FailureOr<Value> places = getStridedPlaces(c, x);
  if (failed(places))
    return failure();
  return c.replace(c.b.index(flatten(c.b, x), *places, 0));
}

/// resize: the first elements in memory in other sizes; what is added to them
/// may be anything, here zeros.
static LogicalResult legalizeResize(AtenCall &c) {
  Value x = c.tensor("self");
  auto sizes = c.getExprs("size");
  if (!x || !sizes)
    return c.fail("its sizes are not known");
  if (!isContiguous(x) && !c.op->hasAttr(kRowByRowAttrName))
    return c.fail("it depends on how its operand lies in memory");
  x = flatten(c.b, x);
  ExprAttr before = getSizes(x)[0],
           after = sym::product(c.b.getContext(), *sizes);
  if (c.getContext().isLessOrEqual(after, before))
    x = c.b.slice(x, 0, c.b.size(0), after);
  else if (c.getContext().isLessOrEqual(before, after))
    x = c.b.cat(
        {x, filled(c.b, 0, getElementType(x), {sym::sub(after, before)})}, 0);
  else
    return c.fail("whether it makes a tensor larger or smaller is not known");
  return c.replace(c.b.reshape(x, *sizes));
}

static LogicalResult legalizeAsStridedScatter(AtenCall &c) {
  Value x = c.tensor("self"), source = c.operand("src", c.resultElementType());
  if (!x || !source)
    return c.fail("an operand is missing");
  FailureOr<Value> places = getStridedPlaces(c, x);
  if (failed(places))
    return failure();
  Value written = putAt(c.b, std::nullopt, flatten(c.b, x), *places,
                        c.broadcastTo(source, getSizes(*places)), 0);
  return c.replace(c.b.reshape(written, getSizes(x)));
}

/// copy: the elements of the source, in the sizes and the type of the operand.
static LogicalResult legalizeCopy(AtenCall &c) {
  Value source = c.operand("src", c.resultElementType());
  return source ? c.replace(c.broadcastTo(source, c.resultSizes()))
                : c.fail("an operand is missing");
}

//===----------------------------------------------------------------------===//
// Repetition
//===----------------------------------------------------------------------===//

/// repeat, tile: [d] -> [1, d] -> [r, d] -> [r * d] for every dimension.
static AtenHandler repeat(StringRef name) {
  return [=](AtenCall &c) -> LogicalResult {
    Value x = c.tensor("self");
    auto repeats = c.getExprs(name);
    if (!x || !repeats)
      return c.fail("its counts are not known");
    Sizes sizes = getSizes(x);
    while (sizes.size() < repeats->size())
      sizes.insert(sizes.begin(), c.b.size(1));
    while (repeats->size() < sizes.size())
      repeats->insert(repeats->begin(), c.b.size(1));
    Sizes split, wide, merged;
    for (auto [size, count] : llvm::zip(sizes, *repeats)) {
      split.append({c.b.size(1), size});
      wide.append({count, size});
      merged.push_back(sym::mul(count, size));
    }
    return c.replace(
        c.b.reshape(c.b.broadcast(c.b.reshape(x, split), wide), merged));
  };
}

static LogicalResult legalizeRepeatInterleave(AtenCall &c) {
  Value x = c.tensor("self");
  ExprAttr count = c.getExpr("repeats");
  if (!x || !count)
    return c.fail("its count is not known");
  std::optional<int64_t> dim = 0;
  if (c.has("dim"))
    dim = c.getDim("dim", getRank(x));
  if (!c.has("dim") || getRank(x) == 0)
    x = c.b.reshape(x,
                    sym::getNumElements(cast<RankedTensorType>(x.getType())));
  if (!dim)
    return c.fail("its dimension is not constant");
  Sizes wide = getSizes(x), merged = wide;
  wide.insert(wide.begin() + *dim + 1, count);
  merged[*dim] = sym::mul(merged[*dim], count);
  return c.replace(
      c.b.reshape(c.b.broadcast(c.b.unsqueeze(x, *dim + 1), wide), merged));
}

/// repeat_interleave with a count for each element: the element of each place
/// is found by a search in the sums of the counts.
static LogicalResult legalizeRepeatEach(AtenCall &c) {
  TensorBuilder &b = c.b;
  Value x = c.tensor("self"), repeats = c.tensor("repeats");
  if (!repeats || getRank(repeats) > 1)
    return c.fail("its counts are not a vector");
  std::optional<int64_t> dim = 0;
  if (x && c.has("dim"))
    dim = c.getDim("dim", getRank(x));
  if (x && (!c.has("dim") || getRank(x) == 0))
    x = flatten(b, x);
  if (!dim || (x && c.resultType().getRank() != getRank(x)))
    return c.fail("its dimension is not constant");
  Positions p(b);
  ExprAttr size = x ? getSizes(x)[*dim] : getSizes(repeats)[0];
  Num counts(b, b.broadcast(b.convert(flatten(b, repeats), p.type()), size));
  Num ends = prefixSums(b, counts);
  ExprAttr total = c.resultSizes()[*dim];
  if (total == c.getUnboundSymbol()) {
    Num isNegative = (counts < 0).reduce(ReduceKind::Any, 0);
    total =
        c.bindSize(select(isNegative, -1, lastSum(c, ends)), total, nullptr);
  }
  Num place = p.iota(total);
  Num element = bisect(c, size, [&](Num position) -> Num {
    Value at = b.broadcast(position, total);
    return Num(b, b.index(ends, at, 0)) <= place;
  });
  Value at = b.broadcast(element, total);
  return c.replace(x ? b.index(x, at, *dim) : at);
}

static LogicalResult legalizeRoll(AtenCall &c) {
  Value x = c.tensor("self");
  auto shifts = c.getExprs("shifts");
  if (!x || !shifts)
    return c.fail("its shifts are not numbers");
  auto dims = c.has("dims") ? c.getInts("dims") : SmallVector<int64_t>();
  if (!dims)
    return c.fail("its dimensions are not constant");
  Sizes sizes = getSizes(x);
  int64_t rank = sizes.size();
  if (dims->empty()) {
    x = c.b.reshape(x,
                    sym::getNumElements(cast<RankedTensorType>(x.getType())));
    dims->push_back(0);
    rank = 1;
  }
  if (dims->size() != shifts->size())
    return c.fail("it has as many shifts as dimensions");
  for (auto [d, shift] : llvm::zip(*dims, *shifts)) {
    int64_t dim = d < 0 ? d + rank : d;
    if (dim < 0 || dim >= rank)
      return c.fail("its dimensions are invalid");
    ExprAttr size = getSizes(x)[dim];
    if (size.isConstant(0))
      continue;
    // The last `shift mod size` elements come first.
    ExprAttr count = c.getContext().simplify(sym::mod(shift, size));
    ExprAttr rest = sym::sub(size, count);
    if (count.isConstant(0))
      continue;
    x = c.b.cat(
        {c.b.slice(x, dim, rest, count), c.b.slice(x, dim, c.b.size(0), rest)},
        dim);
  }
  return c.replace(c.b.reshape(x, sizes));
}

/// fft_fftshift, fft_ifftshift: dimensions rolled by half of their sizes.
static AtenHandler shiftByHalf(bool back) {
  return [=](AtenCall &c) -> LogicalResult {
    Value x = c.tensor("self");
    auto dims = x ? c.getDims("dim", getRank(x)) : std::nullopt;
    if (!dims)
      return c.fail("its dimensions are not constant");
    for (int64_t dim : *dims) {
      ExprAttr size = getSizes(x)[dim], half = sym::floorDiv(size, c.b.size(2));
      ExprAttr front = back ? half : sym::sub(size, half);
      x = c.b.cat({c.b.slice(x, dim, front, sym::sub(size, front)),
                   c.b.slice(x, dim, c.b.size(0), front)},
                  dim);
    }
    return c.replace(x);
  };
}

/// Differences of neighbours, n times; bools differ or do not.
static LogicalResult legalizeDiff(AtenCall &c) {
  Type type = c.resultElementType();
  Value x = c.operand("self", type);
  if (!x)
    return c.fail("its operand is missing");
  int64_t rank = getRank(x), n = c.intOr("n", 1);
  std::optional<int64_t> dim = c.has("dim") ? c.getDim("dim", rank) : rank - 1;
  if (!dim || rank == 0)
    return c.fail("its dimension is invalid");
  if (n < 0)
    return c.fail("its order is negative");
  if (n == 0) // Nor is anything put before or behind.
    return c.replace(x);
  SmallVector<Value> parts{x};
  if (Value first = c.operand("prepend", type))
    parts.insert(parts.begin(), first);
  if (Value last = c.operand("append", type))
    parts.push_back(last);
  for (Value part : parts)
    if (getRank(part) != rank)
      return c.fail("what it prepends or appends has another rank");
  if (parts.size() > 1)
    x = c.b.cat(parts, *dim);
  // Whoever asks for more differences than there are elements gets none.
  if (auto size = getSizes(x)[*dim].getConstant())
    n = std::min(n, *size);
  ExprAttr one = c.b.size(1), zero = c.b.size(0);
  for (int64_t i = 0; i < n; ++i) {
    ExprAttr count = sym::add(getSizes(x)[*dim], -1);
    Value next = c.b.slice(x, *dim, one, count),
          last = c.b.slice(x, *dim, zero, count);
    x = type.isInteger(1) ? c.b.binary<BitwiseXorOp>(next, last)
                          : c.b.sub(next, last);
  }
  return c.replace(x);
}

void graph::populateViewLegalizations(AtenLegalizations &t) {
  t.add(
      "view view_copy reshape _reshape_copy _unsafe_view _reshape_alias "
      "reshape_as "
      "view_as unsqueeze unsqueeze_copy flatten.using_ints unflatten.int ravel",
      legalizeReshape);
  t.add("squeeze squeeze.dim squeeze.dims squeeze_copy squeeze_copy.dim "
        "squeeze_copy.dims",
        legalizeSqueeze);
  t.add("view.dtype view_copy.dtype", legalizeViewDtype);
  t.add("broadcast_tensors", [](AtenCall &c) -> LogicalResult {
    SmallVector<Value> results;
    for (auto [i, x] : llvm::enumerate(c.tensors("tensors")))
      if (i < c.op.getOutputs().size())
        results.push_back(c.broadcastTo(x, c.resultSizes(i)));
    return c.replace(results);
  });
  t.add("permute permute_copy", legalizePermute);
  t.add("transpose.int transpose_copy.int swapdims", transpose("dim0", "dim1"));
  t.add("swapaxes", transpose("axis0", "axis1"));
  t.add("t t_copy mT adjoint matrix_H mH", reverseDims(2));
  t.add("numpy_T", reverseDims(64));
  t.add("movedim.intlist movedim.int moveaxis.intlist moveaxis.int",
        legalizeMovedim);
  t.add("expand expand_copy expand_as broadcast_to", legalizeExpand);
  t.add("select.int select_copy.int", legalizeSelect);
  t.add("slice.Tensor slice_copy.Tensor", legalizeSlice);
  t.add("narrow narrow_copy", legalizeNarrow);
  t.add("split.Tensor split.sizes split_with_sizes split_copy.Tensor "
        "split_with_sizes_copy chunk unsafe_split.Tensor "
        "unsafe_split_with_sizes unsafe_chunk tensor_split.sections "
        "tensor_split.indices",
        legalizeSplit);
  t.add("hsplit.int hsplit.array", splitAlong(1));
  t.add("vsplit.int vsplit.array", splitAlong(0));
  t.add("dsplit.int dsplit.array", splitAlong(2));
  t.add("unbind.int unbind_copy.int", legalizeUnbind);
  t.add("flip", legalizeFlip);
  t.add("as_strided as_strided_copy", legalizeAsStrided);
  t.add("resize", legalizeResize);
  t.add("as_strided_scatter", legalizeAsStridedScatter);
  t.add("copy", legalizeCopy);
  t.add("repeat", repeat("repeats"));
  t.add("tile", repeat("dims"));
  t.add("repeat_interleave.self_int", legalizeRepeatInterleave);
  t.add("repeat_interleave.self_Tensor repeat_interleave.Tensor",
        legalizeRepeatEach);
  t.add("roll", legalizeRoll);
  t.add("fft_fftshift", shiftByHalf(/*back=*/false));
  t.add("fft_ifftshift", shiftByHalf(/*back=*/true));
  t.add("diff", legalizeDiff);
  t.add("alias alias_copy detach detach_copy contiguous clone lift lift_fresh "
        "lift_fresh_copy _to_copy to.dtype to.device "
        "to.other to.dtype_layout to.prim_Device to.prim_dtype to.prim_other "
        "type_as _autocast_to_full_precision _autocast_to_reduced_precision",
        legalizeIdentity);
}
