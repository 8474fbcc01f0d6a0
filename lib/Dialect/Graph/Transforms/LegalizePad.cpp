//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalisation of padding: with a constant, or with elements of the tensor.
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

/// Where an element of a padded dimension is in the dimension of `size`
/// elements, from where it would be without its ends.
using Wrap = Num (*)(const Positions &p, Num position, ExprAttr size);

static Num wrapReplicate(const Positions &p, Num position, ExprAttr size) {
  return p.clamp(position, size);
}

/// A mirror stands on the first and the last element.
static Num wrapReflect(const Positions &p, Num position, ExprAttr size) {
  Num last = p.size(sym::add(size, -1));
  return last - abs(last - abs(position));
}

static Num wrapCircular(const Positions &p, Num position, ExprAttr size) {
  return mod(position, p.size(size));
}

/// Padding from the last dimension on: [low, high, low, high, ...].
static LogicalResult padWith(AtenCall &c, StringRef name, Wrap wrap) {
  Value x = c.tensor("self");
  auto amounts = c.getExprs(name);
  int64_t rank = x ? getRank(x) : 0;
  if (!x || !amounts || amounts->size() % 2 ||
      static_cast<int64_t>(amounts->size()) > 2 * rank)
    return c.fail("its amounts do not fit the rank");
  Positions p(c.b);
  for (size_t i = 0; i < amounts->size() / 2; ++i) {
    int64_t dim = rank - 1 - static_cast<int64_t>(i);
    ExprAttr low = (*amounts)[2 * i], high = (*amounts)[2 * i + 1];
    if (low.isConstant(0) && high.isConstant(0))
      continue;
    ExprAttr size = getSizes(x)[dim];
    // What is cut off does not come back at the other end.
    if (wrap == wrapCircular) {
      ExprAttr zero = c.b.size(0);
      ExprAttr from = sym::max(sym::neg(low), zero);
      size = c.getContext().simplify(
          sym::sub(size, sym::add(from, sym::max(sym::neg(high), zero))));
      x = c.b.slice(x, dim, c.getContext().simplify(from), size);
      low = c.getContext().simplify(sym::max(low, zero));
      high = c.getContext().simplify(sym::max(high, zero));
    }
    if (size.isConstant(0))
      return c.fail("a dimension that it pads is empty");
    if (wrap == wrapReflect)
      for (ExprAttr amount : {low, high})
        if (failed(c.stateAtMost(
                sym::add(amount, 1), size,
                "a dimension is larger than what it is padded by")))
          return c.fail("it pads a dimension by more elements than it has");
    ExprAttr count =
        c.getContext().simplify(sym::add(size, sym::add(low, high)));
    Value position = wrap(p, p.iota(count) - p.size(low), size);
    x = c.b.index(x, position, dim);
  }
  return c.replace(x);
}

static AtenHandler pad(StringRef name, Wrap wrap) {
  return [=](AtenCall &c) { return padWith(c, name, wrap); };
}

/// The gradient of padding: elements that an element was repeated as are added
/// to its own.
static AtenHandler padBackward(Wrap wrap) {
  return [=](AtenCall &c) -> LogicalResult {
    TensorBuilder &b = c.b;
    Type type = getAccumulationType(c.resultElementType());
    Value grad = c.operand("grad_output", type);
    auto amounts = c.getExprs("padding");
    Sizes in = c.resultSizes();
    int64_t rank = in.size();
    if (!grad || !amounts || getRank(grad) != rank || amounts->size() % 2 ||
        static_cast<int64_t>(amounts->size()) > 2 * rank)
      return c.fail("its amounts do not fit the rank");
    Positions p(b);
    for (size_t i = 0; i < amounts->size() / 2; ++i) {
      int64_t dim = rank - 1 - static_cast<int64_t>(i);
      ExprAttr low = (*amounts)[2 * i], high = (*amounts)[2 * i + 1];
      if (low.isConstant(0) && high.isConstant(0))
        continue;
      Sizes sizes = getSizes(grad);
      Num position = wrap(p, p.iota(sizes[dim]) - p.size(low), in[dim]);
      sizes[dim] = in[dim];
      grad = putAt(b, ReduceKind::Sum, filled(b, 0, type, sizes),
                   Value(position), grad, {dim});
    }
    return c.replace(grad);
  };
}

/// `x` with `low` elements in front of each dimension and `high` behind it, all
/// of one number; negative amounts cut off. A symbolic amount may be either:
/// along its dimension elements are taken by their positions, and what lies
/// outside is a further element behind the last, so that there is one even
/// where the dimension is empty.
static Value padBy(AtenCall &c, Value x, ArrayRef<ExprAttr> low,
                   ArrayRef<ExprAttr> high, TypedAttr value) {
  int64_t rank = getRank(x);
  SmallVector<int64_t> front(rank, 0), back(rank, 0);
  SmallVector<int64_t> symbolic;
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (low[dim].isConstant() && high[dim].isConstant()) {
      front[dim] = low[dim].getValue();
      back[dim] = high[dim].getValue();
      continue;
    }
    symbolic.push_back(dim);
    back[dim] = 1;
  }
  Sizes sizes = getSizes(x);
  x = c.b.pad(x, front, back, value);
  Positions p(c.b);
  for (int64_t dim : symbolic) {
    Num position = p.iota(c.getContext().simplify(
                       sym::add(sizes[dim], sym::add(low[dim], high[dim])))) -
                   p.size(low[dim]);
    Num outside = p.size(sizes[dim]);
    position = select(position < 0, outside, min(position, outside));
    x = c.b.index(x, position, dim);
  }
  return x;
}

/// Padding with a number.
static LogicalResult padConstant(AtenCall &c) {
  Value x = c.tensor("self");
  auto amounts = c.getExprs("pad");
  if (!x || !amounts)
    return c.fail("its amounts are not numbers");
  int64_t rank = getRank(x);
  if (amounts->size() % 2 || static_cast<int64_t>(amounts->size()) > 2 * rank)
    return c.fail("its amounts do not fit the rank");
  SmallVector<ExprAttr> low(rank, c.b.size(0)), high(rank, c.b.size(0));
  for (size_t i = 0; i < amounts->size() / 2; ++i) {
    low[rank - 1 - i] = (*amounts)[2 * i];
    high[rank - 1 - i] = (*amounts)[2 * i + 1];
  }
  Attribute value = c.b.getBuilder().getF64FloatAttr(0);
  if (c.has("value"))
    value = c.op.getArgument("value");
  TypedAttr number = convertScalar(value, getElementType(x));
  if (!number)
    return c.fail("its value is not a number");
  return c.replace(padBy(c, x, low, high, number));
}

/// pad: the mode is a name, or in `_pad_enum` a number.
static LogicalResult legalizePad(AtenCall &c) {
  StringRef mode = c.stringOr("mode", "constant");
  if (std::optional<int64_t> number = c.getInt("mode")) {
    if (*number < 0 || *number > 3)
      return c.fail("its padding mode is not known");
    mode = ArrayRef<StringRef>{"constant", "reflect", "replicate",
                               "circular"}[*number];
  }
  if (mode == "constant")
    return padConstant(c);
  Wrap wrap = mode == "reflect"     ? wrapReflect
              : mode == "replicate" ? wrapReplicate
              : mode == "circular"  ? wrapCircular
                                    : nullptr;
  return wrap ? padWith(c, "pad", wrap)
              : c.fail("padding mode '" + mode + "' is not known");
}

/// Sequences of different lengths, padded to the longest and stacked.
static LogicalResult legalizePadSequence(AtenCall &c) {
  TensorBuilder &b = c.b;
  Type type = c.resultElementType();
  bool batchFirst = c.boolOr("batch_first", false);
  bool left = c.stringOr("padding_side", "right") == "left";
  TypedAttr value = convertScalar(
      b.getBuilder().getF64FloatAttr(c.floatOr("padding_value", 0)), type);
  Sizes out = c.resultSizes();
  if (out.size() < 2)
    return c.fail("its result has another rank");
  ExprAttr longest = out[batchFirst ? 1 : 0];
  SmallVector<Value> rows;
  for (Value x : c.tensors("sequences")) {
    if (getRank(x) + 1 != static_cast<int64_t>(out.size()))
      return c.fail("its sequences have another rank than its result");
    SmallVector<ExprAttr> low(getRank(x), b.size(0)), high(low);
    (left ? low : high)[0] =
        c.getContext().simplify(sym::sub(longest, getSizes(x)[0]));
    // PyTorch copies each sequence to its place, which repeats sizes of one; of
    // the others export knows that they are equal.
    Sizes repeated = getSizes(x);
    for (int64_t d = 1, rank = repeated.size(); d < rank; ++d)
      if (repeated[d].isConstant(1))
        repeated[d] = out[d + 1];
    x = b.broadcast(x, repeated);
    Sizes sizes{longest};
    llvm::append_range(sizes, SizesRef(out).drop_front(2));
    Value row = padBy(c, b.convert(x, type), low, high, value);
    rows.push_back(b.unsqueeze(b.castSizes(row, sizes), batchFirst ? 0 : 1));
  }
  if (rows.empty())
    return c.fail("it has no sequence");
  return c.replace(b.cat(rows, batchFirst ? 0 : 1));
}

void graph::populatePadLegalizations(AtenLegalizations &t) {
  t.add("constant_pad_nd", padConstant);
  t.add("pad _pad_enum", legalizePad);
  t.add("reflection_pad1d reflection_pad2d reflection_pad3d",
        pad("padding", wrapReflect));
  t.add("replication_pad1d replication_pad2d replication_pad3d",
        pad("padding", wrapReplicate));
  t.add("reflection_pad1d_backward reflection_pad2d_backward "
        "reflection_pad3d_backward",
        padBackward(wrapReflect));
  t.add("replication_pad1d_backward replication_pad2d_backward "
        "replication_pad3d_backward",
        padBackward(wrapReplicate));
  t.add("_pad_circular", pad("pad", wrapCircular));
  t.add("pad_sequence", legalizePadSequence);
}
