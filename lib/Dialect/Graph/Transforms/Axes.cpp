//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dimensions of tensors as lists of axes, which views regroup and reorder.
//
//===----------------------------------------------------------------------===//

#include "Axes.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

/// `a / b` where that is recognisably a whole number, else null.
static ExprAttr divideExactly(ExprAttr a, ExprAttr b) {
  std::optional<int64_t> x = a.getConstant(), y = b.getConstant();
  if (y && *y == 0)
    return {};
  if (x && y)
    return *x % *y == 0 ? sym::constant(a.getContext(), *x / *y) : ExprAttr();
  ExprAttr quotient = sym::floorDiv(a, b);
  return sym::mul(quotient, b) == a ? quotient : ExprAttr();
}

unsigned Axes::add(ExprAttr size) {
  nodes.push_back({size});
  return nodes.size() - 1;
}

AxisLayout Axes::addDims(SizesRef sizes) {
  AxisLayout layout;
  for (ExprAttr size : sizes) {
    layout.emplace_back();
    if (!size.isConstant(1))
      layout.back().push_back(add(size));
  }
  return layout;
}

void Axes::expandInto(unsigned axis, SmallVectorImpl<unsigned> &out) const {
  const Node &node = nodes[axis];
  if (node.outer == node.inner) {
    out.push_back(axis);
    return;
  }
  expandInto(node.outer, out);
  expandInto(node.inner, out);
}

SmallVector<unsigned> Axes::expand(ArrayRef<unsigned> axes) const {
  SmallVector<unsigned> result;
  for (unsigned axis : axes)
    expandInto(axis, result);
  return result;
}

AxisLayout Axes::expand(const AxisLayout &layout) const {
  AxisLayout result;
  for (const auto &dim : layout) {
    result.emplace_back();
    llvm::append_range(result.back(), expand(dim));
  }
  return result;
}

SmallVector<unsigned> Axes::flatten(const AxisLayout &layout) const {
  SmallVector<unsigned> result;
  for (const auto &dim : layout)
    llvm::append_range(result, expand(dim));
  return result;
}

ExprAttr Axes::getSize(ArrayRef<unsigned> axes) const {
  SmallVector<ExprAttr> sizes;
  for (unsigned axis : axes)
    sizes.push_back(nodes[axis].size);
  return sym::product(context, sizes);
}

bool Axes::fits(const AxisLayout &layout, SizesRef sizes) const {
  if (layout.size() != sizes.size())
    return false;
  for (auto [dim, size] : llvm::zip(layout, sizes))
    if (getSize(dim) != size)
      return false;
  return true;
}

std::optional<AxisLayout> Axes::regroup(const AxisLayout &layout,
                                        SizesRef sizes) {
  SmallVector<unsigned> queue = flatten(layout);
  std::reverse(queue.begin(), queue.end());
  AxisLayout result;
  for (ExprAttr rest : sizes) {
    result.emplace_back();
    while (!rest.isConstant(1)) {
      if (queue.empty())
        return std::nullopt;
      unsigned axis = queue.pop_back_val();
      ExprAttr size = nodes[axis].size;
      if (ExprAttr quotient = divideExactly(rest, size)) {
        result.back().push_back(axis);
        rest = quotient;
        continue;
      }
      ExprAttr quotient = divideExactly(size, rest);
      if (!quotient)
        return std::nullopt;
      unsigned outer = add(rest), inner = add(quotient);
      nodes[axis].outer = outer;
      nodes[axis].inner = inner;
      result.back().push_back(outer);
      queue.push_back(inner);
      break;
    }
  }
  return queue.empty() ? std::optional(result) : std::nullopt;
}

AxisLayout Axes::narrow(const AxisLayout &layout, SizesRef operand) {
  AxisLayout result;
  for (auto [i, size] : llvm::enumerate(operand)) {
    result.emplace_back();
    if (!size.isConstant(1))
      result.back() = layout[layout.size() - operand.size() + i];
  }
  return result;
}

std::optional<AxisLayout> Axes::toOperand(const AxisLayout &result,
                                          OpOperand &operand) {
  Operation *op = operand.getOwner();
  Sizes sizes = getSizes(operand.get());
  AxisLayout layout;
  if (isa<ReshapeOp>(op)) {
    std::optional<AxisLayout> regrouped = regroup(result, sizes);
    if (!regrouped)
      return std::nullopt;
    layout = *regrouped;
  } else if (auto permute = dyn_cast<PermuteOp>(op)) {
    layout.resize(sizes.size());
    for (auto [to, from] : llvm::enumerate(permute.getPermutation()))
      layout[static_cast<size_t>(from)] = result[to];
  } else if (isa<BroadcastOp, ElementwiseOpInterface>(op)) {
    layout = narrow(result, sizes);
  } else {
    return std::nullopt;
  }
  return fits(layout, sizes) ? std::optional(layout) : std::nullopt;
}

std::optional<AxisLayout> Axes::toResult(const AxisLayout &operand,
                                         Operation *op) {
  Sizes sizes = getSizes(op->getResult(0));
  AxisLayout layout;
  if (isa<ReshapeOp>(op)) {
    std::optional<AxisLayout> regrouped = regroup(operand, sizes);
    if (!regrouped)
      return std::nullopt;
    layout = *regrouped;
  } else if (auto permute = dyn_cast<PermuteOp>(op)) {
    for (int64_t from : permute.getPermutation())
      layout.push_back(operand[static_cast<size_t>(from)]);
  } else if (isa<BroadcastOp, ConvertOp>(op)) {
    layout.resize(sizes.size() - operand.size());
    llvm::append_range(layout, operand);
  } else {
    return std::nullopt;
  }
  // Elements that a broadcast repeats have no axis.
  return fits(layout, sizes) ? std::optional(layout) : std::nullopt;
}

Value Axes::relayout(TensorBuilder &b, Value value, const AxisLayout &from,
                     const AxisLayout &to, bool isFull) const {
  SmallVector<unsigned> have = flatten(from);
  Sizes split;
  for (unsigned axis : have)
    split.push_back(nodes[axis].size);
  value = b.reshape(value, split);
  // In the order of the result, with single elements for what is missing.
  SmallVector<int64_t> order;
  Sizes ones, full, joined;
  bool isRepeated = false;
  for (const auto &dim : to) {
    SmallVector<unsigned> axes = expand(dim);
    bool hasAny = llvm::any_of(
        axes, [&](unsigned axis) { return llvm::is_contained(have, axis); });
    for (unsigned axis : axes) {
      auto *found = llvm::find(have, axis);
      ExprAttr size = nodes[axis].size;
      if (found != have.end()) {
        order.push_back(found - have.begin());
        ones.push_back(size);
        full.push_back(size);
        continue;
      }
      ones.push_back(b.size(1));
      full.push_back(isFull || hasAny ? size : b.size(1));
      isRepeated |= isFull || hasAny;
    }
    joined.push_back(isFull || hasAny ? getSize(axes) : b.size(1));
  }
  value = b.reshape(b.permute(value, order), ones);
  if (isRepeated)
    value = b.broadcast(value, full);
  return b.reshape(value, joined);
}
