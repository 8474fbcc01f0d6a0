//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalisation of the gradients of views and selections: a tensor of zeros
// with the elements of a gradient where the view read them. Each element
// computes whether it is one of these, so that nothing is written twice and the
// result is fused with what reads it.
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"

#include <limits>

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

/// A vector along dimension `dim` of a tensor of the given rank.
static Num along(Num v, int64_t dim, int64_t rank) {
  for (int64_t d = dim + 1; d < rank; ++d)
    v = v.unsqueeze(getRank(v));
  return v;
}

/// `grad` with zeros before and after it along a dimension, so that it has
/// `size` elements, of which its first one is at `start`.
static Value padTo(TensorBuilder &b, Value grad, int64_t dim, ExprAttr start,
                   ExprAttr size) {
  Sizes sizes = getSizes(grad);
  auto zeros = [&](ExprAttr count) {
    sizes[dim] = count;
    return filled(b, 0, getElementType(grad), sizes);
  };
  ExprAttr end = sym::add(start, getSizes(grad)[dim]);
  return b.cat({zeros(start), grad, zeros(sym::sub(size, end))}, dim);
}

static LogicalResult legalizeSelect(AtenCall &c) {
  Value grad = c.operand("grad_output", c.resultElementType());
  Sizes sizes = c.resultSizes();
  auto rank = static_cast<int64_t>(sizes.size());
  auto dim = c.getDim("dim", rank);
  ExprAttr index = c.getExpr("index");
  if (!grad || !dim || !index || rank == 0 || getRank(grad) != rank - 1)
    return c.fail("its index is not a known number");
  if (!c.getContext().isNonNegative(index)) {
    if (c.getContext().bounds(index).hi >= 0)
      return c.fail("the sign of its index is not known");
    index = sym::add(index, sizes[*dim]);
  }
  return c.replace(
      padTo(c.b, c.b.unsqueeze(grad, *dim), *dim, index, sizes[*dim]));
}

static LogicalResult legalizeSlice(AtenCall &c) {
  TensorBuilder &b = c.b;
  Value grad = c.operand("grad_output", c.resultElementType());
  Sizes sizes = c.resultSizes();
  auto rank = static_cast<int64_t>(sizes.size());
  auto dim = c.getDim("dim", rank);
  ExprAttr start = c.getExpr("start");
  int64_t step = c.intOr("step", 1);
  if (!grad || !dim || !start || rank == 0 || getRank(grad) != rank || step < 1)
    return c.fail("its start is not a known number");
  ExprAttr size = sizes[*dim], count = getSizes(grad)[*dim];
  if (count.isConstant(0))
    return c.replace(filled(b, 0, c.resultElementType(), sizes));
  start = normalizePosition(c, start, size);
  if (step == 1)
    return c.replace(padTo(b, grad, *dim, start, size));
  // Every `step`th element from the start on.
  Positions p(b);
  Num position = p.iota(size) - p.size(start);
  Num number = floorDiv(position, static_cast<double>(step));
  Num isMember = (number * static_cast<double>(step) == position) &
                 (position >= 0) & (number < p.size(count));
  Num values(b, b.index(grad, Value(p.clamp(number, count)), *dim));
  return c.replace(select(along(isMember, *dim, rank), values, 0));
}

static LogicalResult legalizeDiagonal(AtenCall &c) {
  TensorBuilder &b = c.b;
  Value grad = c.operand("grad_output", c.resultElementType());
  Sizes sizes = c.resultSizes();
  auto rank = static_cast<int64_t>(sizes.size());
  auto rows = c.getDim("dim1", rank), columns = c.getDim("dim2", rank);
  auto offset = c.getInt("offset");
  if (!grad || !rows || !columns || !offset || rank < 2 || *rows == *columns ||
      getRank(grad) != rank - 1)
    return c.fail("its dimensions are not constant");
  LastPair last(rank, *rows, *columns);
  // The element of the diagonal that is in each row; in rows without one, what
  // is read is not used.
  Positions p(b);
  Num row = p.iota(sizes[*rows]);
  Num number = row + static_cast<double>(std::min<int64_t>(*offset, 0));
  Num position = min(max(number, 0), p.size(getSizes(grad).back()));
  Value values =
      b.index(appendZeros(b, grad, rank - 2), Value(position), rank - 2);
  Num isMember = p.iota(sizes[*columns]) ==
                 (row + static_cast<double>(*offset)).unsqueeze(1);
  Num result = select(isMember, Num(b, values).unsqueeze(rank - 1), 0);
  return c.replace(b.permute(result, last.inverse));
}

/// trace_backward: every element whose position in memory is a multiple of the
/// distance between two on the diagonal. So the framework has it; in a matrix
/// with more rows than columns these are more than the diagonal.
static LogicalResult legalizeTrace(AtenCall &c) {
  Value grad = c.operand("grad", c.resultElementType());
  Sizes sizes = c.resultSizes();
  if (!grad || sizes.size() != 2)
    return c.fail("its operand is no matrix");
  Positions p(c.b);
  Num position =
      p.iota(sizes[0]).unsqueeze(1) * p.size(sizes[1]) + p.iota(sizes[1]);
  Num isOnIt = mod(position, p.size(sym::add(sizes[1], 1))) == 0;
  return c.replace(select(isOnIt, Num(c.b, grad), 0));
}

/// unfold_backward: the sum over the windows that an element is in, of which
/// there are at most as many as begin within the length of one.
static LogicalResult legalizeUnfold(AtenCall &c) {
  TensorBuilder &b = c.b;
  Type type = getAccumulationType(c.resultElementType());
  Value grad = c.operand("grad_in", type);
  Sizes sizes = c.resultSizes();
  auto length = c.getInt("size"), step = c.getInt("step");
  auto rank = static_cast<int64_t>(sizes.size());
  auto dim = c.getDim("dim", rank);
  if (!grad || !dim || !length || !step || *length < 0 || *step < 1 ||
      getRank(grad) != rank + 1)
    return c.fail("its geometry is not constant");
  if (*length == 0)
    return c.replace(filled(b, 0, type, sizes));
  if (rank == 0) // One window, of one element.
    return c.replace(b.reshape(grad, {}));
  Positions p(b);
  ExprAttr count = getSizes(grad)[*dim];
  Num at = p.iota(sizes[*dim]);
  Num window = floorDiv(at, static_cast<double>(*step)).unsqueeze(1) -
               p.iota(b.size(llvm::divideCeil(*length, *step)));
  Num offset = at.unsqueeze(1) - window * static_cast<double>(*step);
  Num isMember = (window >= 0) & (window < p.size(count)) &
                 (offset < static_cast<double>(*length));
  // [..., windows, elements, ...]
  SmallVector<int64_t> permutation = allDims(grad);
  permutation.pop_back();
  permutation.insert(permutation.begin() + *dim + 1, rank);
  // There may be no window.
  Value windows = appendZeros(b, b.permute(grad, permutation), *dim);
  Num values(b, b.index(windows,
                        {min(max(window, 0), p.size(count)),
                         p.clamp(offset, b.size(*length))},
                        {*dim, *dim + 1}));
  return c.replace(select(along(isMember, *dim + 1, rank + 1), values, 0)
                       .reduce(ReduceKind::Sum, *dim + 1));
}

/// masked_scatter_backward: the elements of the gradient that the mask selects,
/// one after the other, followed by zeros.
static LogicalResult legalizeMaskedScatter(AtenCall &c) {
  TensorBuilder &b = c.b;
  Value grad = c.operand("grad_output", c.resultElementType()),
        mask = c.tensor("mask");
  if (!grad || !mask)
    return c.fail("an operand is missing");
  FailureOr<Sizes> sizes = broadcastSizes({getSizes(grad), getSizes(mask)});
  if (failed(sizes))
    return c.fail("its mask does not broadcast to its gradient");
  ExprAttr total = sym::product(b.getContext(), c.resultSizes());
  Positions p(b);
  Num isTaken(b, flatten(b, c.broadcastTo(toBool(b, mask), *sizes)));
  Num number = prefixSums(b, isTaken.to(p.type())) - 1;
  // What is not taken has a position of its own, which is dropped.
  Num position = select(isTaken, min(number, p.size(total)), p.size(total));
  Value taken =
      putAt(b, std::nullopt,
            filled(b, 0, c.resultElementType(), {sym::add(total, 1)}),
            Value(position), flatten(b, c.broadcastTo(grad, *sizes)), {0});
  return c.replace(
      b.reshape(b.slice(taken, 0, b.size(0), total), c.resultSizes()));
}

/// _pack_padded_sequence_backward: elements that lie by steps, in a tensor
/// `[steps, samples, ...]` with zeros where a sample has no more steps.
static LogicalResult legalizePackPadded(AtenCall &c) {
  TensorBuilder &b = c.b;
  Value grad = c.operand("grad", c.resultElementType()),
        batches = c.tensor("batch_sizes");
  Sizes sizes = c.resultSizes();
  auto rank = static_cast<int64_t>(sizes.size());
  bool isBatchFirst = c.boolOr("batch_first", false);
  if (!grad || !batches || rank < 2 || getRank(batches) != 1 ||
      getRank(grad) != rank - 1)
    return c.fail("its operands have other ranks");
  Positions p(b);
  Num count(b, b.convert(batches, p.type()));
  if (isBatchFirst)
    std::swap(sizes[0], sizes[1]);
  count = {b, b.castSizes(count, sizes[0])};
  Num start = prefixSums(b, count) - count;
  Num sample = p.iota(sizes[1]);
  Num isMember = sample < count.unsqueeze(1);
  Num position = select(isMember, start.unsqueeze(1) + sample, 0);
  Num result = select(along(isMember, 1, rank),
                      Num(b, b.index(grad, Value(position), 0)), 0);
  return c.replace(isBatchFirst ? b.transpose(result, 0, 1) : Value(result));
}

void graph::populateViewBackwardLegalizations(AtenLegalizations &t) {
  t.add("select_backward", legalizeSelect);
  t.add("slice_backward", legalizeSlice);
  t.add("diagonal_backward", legalizeDiagonal);
  t.add("trace_backward", legalizeTrace);
  t.add("unfold_backward", legalizeUnfold);
  t.add("masked_scatter_backward", legalizeMaskedScatter);
  t.add("_pack_padded_sequence_backward", legalizePackPadded);
}
