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

#include "coil/Dialect/Graph/Transforms/LegalizeAten.h"

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
  if (from.getIntOrFloatBitWidth() != to.getIntOrFloatBitWidth() ||
      from.isInteger(1) || to.isInteger(1))
    return c.fail("the element types differ in size");
  Value result = BitcastOp::create(c.b.getBuilder(), c.b.getLoc(),
                                   sym::getTensorType(getSizes(x), to), x);
  return c.replace(result);
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

ExprAttr graph::normalizePosition(AtenCall &c, ExprAttr position,
                                  ExprAttr size) {
  const sym::Context &context = c.getContext();
  ExprAttr zero = c.b.size(0);
  if (!context.isNonNegative(position))
    position = sym::max(sym::add(position, size), zero);
  return context.simplify(sym::min(position, size));
}

static LogicalResult legalizeSelect(AtenCall &c) {
  Value x = c.tensor("self");
  auto dim = x ? c.getDim("dim", getRank(x)) : std::nullopt;
  ExprAttr index = c.getExpr("index");
  if (!dim || !index || getRank(x) == 0)
    return c.fail("its index is not a known number");
  if (!c.getContext().isNonNegative(index)) {
    if (!index.isConstant())
      return c.fail("the sign of its index is not known");
    index = sym::add(index, getSizes(x)[*dim]);
  }
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
  return c.replace(c.b.slice(x, *dim, start, count, step));
}

static LogicalResult legalizeNarrow(AtenCall &c) {
  Value x = c.tensor("self");
  auto dim = x ? c.getDim("dim", getRank(x)) : std::nullopt;
  ExprAttr start = c.getExpr("start");
  if (!dim || !start || getRank(x) == 0 ||
      c.resultType().getRank() != getRank(x))
    return c.fail("its start is not a known number");
  return c.replace(c.b.slice(x, *dim,
                             normalizePosition(c, start, getSizes(x)[*dim]),
                             c.resultSizes()[*dim]));
}

/// split, chunk: adjacent pieces, whose sizes the results tell.
static LogicalResult legalizeSplit(AtenCall &c) {
  Value x = c.tensor("self");
  std::optional<int64_t> dim = !x             ? std::nullopt
                               : c.has("dim") ? c.getDim("dim", getRank(x))
                                              : std::optional<int64_t>(0);
  if (!dim || getRank(x) == 0)
    return c.fail("its dimension is not constant");
  SmallVector<Value> pieces;
  ExprAttr start = c.b.size(0);
  for (unsigned i = 0, e = c.op.getOutputs().size(); i < e; ++i) {
    if (c.resultType(i).getRank() != getRank(x))
      return c.fail("its pieces have another rank");
    ExprAttr count = c.resultSizes(i)[*dim];
    bool empty = count.isConstant(0);
    pieces.push_back(c.b.slice(x, *dim, empty ? c.b.size(0) : start, count));
    start = sym::add(start, count);
  }
  return c.replace(pieces);
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

static Value flip(TensorBuilder &b, Value x, ArrayRef<int64_t> dims) {
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
  return c.replace(listed->empty() ? x : flip(c.b, x, *dims));
}

static LogicalResult legalizeDiagonal(AtenCall &c) {
  Value x = c.tensor("self");
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

/// Elements at given positions of the memory of a tensor, which lies row by
/// row: position `offset + sum(i * stride)` of the flattened operand.
static LogicalResult legalizeAsStrided(AtenCall &c) {
  Value x = c.tensor("self");
  auto sizes = c.getExprs("size"), strides = c.getExprs("stride");
  ExprAttr offset = c.getExpr("storage_offset");
  if (!x || !sizes || !strides || sizes->size() != strides->size() ||
      (c.has("storage_offset") && !offset))
    return c.fail("its sizes or strides are not known numbers");
  TensorBuilder &b = c.b;
  offset = offset ? offset : b.size(0);
  ExprAttr count = sym::getNumElements(cast<RankedTensorType>(x.getType()));
  if (offset.isConstant(0) &&
      *strides == sym::getContiguousStrides(b.getContext(), *sizes) &&
      count == sym::product(b.getContext(), *sizes))
    return c.replace(b.reshape(x, *sizes));
  ExprAttr last = offset;
  for (auto [size, stride] : llvm::zip(*sizes, *strides)) {
    if (!c.getContext().isNonNegative(stride))
      return c.fail("a stride may be negative");
    last = sym::add(last, sym::mul(sym::add(size, -1), stride));
  }
  bool isEmpty =
      llvm::any_of(*sizes, [](ExprAttr size) { return size.isConstant(0); });
  if (!isEmpty && !c.getContext().isLess(last, count)) {
    if (last.isConstant() && count.isConstant())
      return c.fail("it reads past the end of its operand");
    sym::AssertOp::create(
        b.getBuilder(), b.getLoc(), last, sym::Predicate::Lt, count,
        b.getBuilder().getStringAttr("as_strided stays inside its operand"));
  }
  Type i64 = b.getBuilder().getI64Type();
  Value index = b.expr(offset, i64);
  for (auto [size, stride] : llvm::zip(*sizes, *strides)) {
    Value step = b.mul(b.iota(0, 1, size), b.expr(stride, i64));
    index = b.add(b.unsqueeze(index, getRank(index)), step);
  }
  if (sizes->empty())
    return c.replace(b.at(b.reshape(x, count), 0, offset));
  return c.replace(b.index(b.reshape(x, count), index, 0));
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

static LogicalResult legalizeRoll(AtenCall &c) {
  Value x = c.tensor("self");
  auto shifts = c.getInts("shifts");
  if (!x || !shifts)
    return c.fail("its shifts are not constant");
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
    ExprAttr count = c.getContext().simplify(sym::mod(c.b.size(shift), size));
    ExprAttr rest = sym::sub(size, count);
    if (count.isConstant(0))
      continue;
    x = c.b.cat(
        {c.b.slice(x, dim, rest, count), c.b.slice(x, dim, c.b.size(0), rest)},
        dim);
  }
  return c.replace(c.b.reshape(x, sizes));
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
  t.add("view view_copy reshape _unsafe_view _reshape_alias reshape_as "
        "view_as squeeze squeeze.dim squeeze.dims squeeze_copy "
        "squeeze_copy.dim squeeze_copy.dims unsqueeze unsqueeze_copy "
        "flatten.using_ints unflatten.int ravel atleast_1d",
        legalizeReshape);
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
  t.add("unbind.int unbind_copy.int", legalizeUnbind);
  t.add("flip", legalizeFlip);
  t.add("diagonal diagonal_copy", legalizeDiagonal);
  t.add("as_strided as_strided_copy", legalizeAsStrided);
  t.add("repeat", repeat("repeats"));
  t.add("tile", repeat("dims"));
  t.add("repeat_interleave.self_int", legalizeRepeatInterleave);
  t.add("roll", legalizeRoll);
  t.add("diff", legalizeDiff);
  t.add("alias alias_copy detach detach_copy contiguous clone lift lift_fresh "
        "lift_fresh_copy _to_copy to.dtype to.device "
        "to.other to.dtype_layout to.prim_Device to.prim_dtype to.prim_other "
        "type_as _autocast_to_full_precision _autocast_to_reduced_precision "
        "_conj resolve_conj resolve_neg",
        legalizeIdentity);
}
