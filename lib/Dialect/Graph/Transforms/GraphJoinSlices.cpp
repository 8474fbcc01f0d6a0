//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums of tensors each of which is zero but for some slices: the gradients of
// the slices of one tensor. Slices that do not overlap are put side by side.
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"
#include "coil/Dialect/Graph/Transforms/Passes.h"

#include "coil/Dialect/Loop/Analysis/Precision.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>

namespace coil::graph {
#define GEN_PASS_DEF_GRAPHJOINSLICESPASS
#include "coil/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace coil::graph

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

/// Slices at symbolic positions are compared pair by pair, up to so many of one
/// sum. Their number is that of the statements of a program, as loops over a
/// symbolic number of slices are not unrolled.
static constexpr size_t kMostSymbolic = 64;

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

namespace {
/// Two tensors of one type that are added, and nothing is broadcast.
struct Sum {
  Value lhs, rhs;
};
} // namespace

static bool isStrict(Operation *op) {
  return op->hasAttr(loop::kStrictAttrName);
}

/// The operands if `v` is a sum in its own type. One of 16-bit floats is
/// computed in f32, and rounded.
static std::optional<Sum> matchSum(Value v) {
  auto add = v.getDefiningOp<AddOp>();
  Value lhs, rhs;
  if (add) {
    lhs = add.getLhs(), rhs = add.getRhs();
  } else if (auto rounding = v.getDefiningOp<ConvertOp>()) {
    add = rounding.getInput().getDefiningOp<AddOp>();
    if (!add || !add->hasOneUse() || isStrict(rounding) ||
        !isa<FloatType>(getElementType(v)) || !getElementType(add).isF32())
      return std::nullopt;
    auto extended = [](Value operand) {
      auto convert = operand.getDefiningOp<ConvertOp>();
      return convert ? Value(convert.getInput()) : Value();
    };
    lhs = extended(add.getLhs()), rhs = extended(add.getRhs());
  }
  if (!add || isStrict(add) || !lhs || !rhs || lhs.getType() != v.getType() ||
      rhs.getType() != v.getType())
    return std::nullopt;
  return Sum{lhs, rhs};
}

/// The sum in its own type that is all that reads `v`, if there is one.
static Value getOnlySum(Value v) {
  auto getOnlyResult = [](Value v) {
    return v.hasOneUse() && isa<AddOp, ConvertOp>(*v.user_begin())
               ? v.user_begin()->getResult(0)
               : Value();
  };
  Value reader = getOnlyResult(v);
  // Extended, added, rounded.
  if (reader && isa<ConvertOp>(reader.getDefiningOp())) {
    reader = getOnlyResult(reader);
    reader = reader ? getOnlyResult(reader) : Value();
  }
  if (!reader || reader.getType() != v.getType())
    return {};
  std::optional<Sum> sum = matchSum(reader);
  return sum && (sum->lhs == v || sum->rhs == v) ? reader : Value();
}

/// The operands of a sum of sums, from the left to the right.
static SmallVector<Value> getOperands(Value root) {
  SmallVector<Value> operands, stack{root};
  while (!stack.empty()) {
    Value v = stack.pop_back_val();
    std::optional<Sum> sum;
    if (v == root || getOnlySum(v))
      sum = matchSum(v);
    if (sum)
      stack.append({sum->rhs, sum->lhs});
    else
      operands.push_back(v);
  }
  return operands;
}

static Value addRounded(TensorBuilder &b, Value x, Value y) {
  Type type = getElementType(x), wide = getAccumulationType(type);
  return b.convert(b.add(b.convert(x, wide), b.convert(y, wide)), type);
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

namespace {
/// A slice of an operand that is zero outside of its slices. What several
/// operands have in one place is one slice, and a sum.
struct Slice {
  ExprAttr start, end;
  SmallVector<Value, 1> values;

  bool isConstant() const { return start.isConstant() && end.isConstant(); }
};

/// Operands that are zero but for slices along `dim`.
struct Group {
  int64_t dim;
  SmallVector<unsigned> operands;
  SmallVector<Slice> slices;
};

/// Slices that do not overlap, in their order.
using Layer = SmallVector<Slice>;
} // namespace

static bool isZeroNumber(TypedAttr number) {
  if (auto real = dyn_cast<FloatAttr>(number))
    return real.getValue().isPosZero();
  auto integer = dyn_cast<IntegerAttr>(number);
  return integer && integer.getValue().isZero();
}

/// Whether all elements are zero, and none is minus zero.
static bool isZero(Value v) {
  auto full = v.getDefiningOp<FullOp>();
  return full && isZeroNumber(full.getValue());
}

/// Appends the slices outside of which a tensor is zero. Returns the dimension
/// that they are along.
static std::optional<int64_t> getSlices(Value v, SmallVectorImpl<Slice> &out) {
  if (auto pad = v.getDefiningOp<PadOp>()) {
    std::optional<int64_t> dim;
    for (auto [d, low, high] : llvm::enumerate(pad.getLow(), pad.getHigh())) {
      if (low == 0 && high == 0)
        continue;
      if (dim || low < 0 || high < 0)
        return std::nullopt;
      dim = static_cast<int64_t>(d);
    }
    if (!dim || !isZeroNumber(pad.getValue()))
      return std::nullopt;
    ExprAttr start = sym::constant(v.getContext(), pad.getLow()[*dim]);
    ExprAttr size = getSizes(pad.getInput())[*dim];
    out.push_back({start, sym::add(start, size), {pad.getInput()}});
    return dim;
  }
  auto cat = v.getDefiningOp<CatOp>();
  if (!cat || llvm::none_of(cat.getInputs(), isZero))
    return std::nullopt;
  ExprAttr start = sym::constant(v.getContext(), 0);
  for (Value input : cat.getInputs()) {
    ExprAttr end = sym::add(start, getSizes(input)[cat.getDim()]);
    if (!isZero(input))
      out.push_back({start, end, {input}});
    start = end;
  }
  return cat.getDim();
}

/// Slices of the same place become one.
static void mergeEqual(SmallVectorImpl<Slice> &slices) {
  llvm::MapVector<std::pair<ExprAttr, ExprAttr>, Slice> merged;
  for (Slice &slice : slices) {
    auto [it, isNew] = merged.try_emplace({slice.start, slice.end}, slice);
    if (!isNew)
      llvm::append_range(it->second.values, slice.values);
  }
  slices.clear();
  for (auto &[place, slice] : merged)
    slices.push_back(std::move(slice));
}

/// Distributes slices over as few layers as hold them without an overlap: in
/// the order of their starts, each goes to the layer whose last end is closest
/// before it.
static SmallVector<Layer> makeLayers(SmallVectorImpl<Slice> &slices) {
  llvm::sort(slices, [](const Slice &a, const Slice &b) {
    return std::pair(a.start.getValue(), a.end.getValue()) <
           std::pair(b.start.getValue(), b.end.getValue());
  });
  SmallVector<Layer> layers;
  std::multimap<int64_t, size_t> ends;
  for (Slice &slice : slices) {
    auto it = ends.upper_bound(slice.start.getValue());
    size_t number = layers.size();
    if (it != ends.begin()) {
      number = (--it)->second;
      ends.erase(it);
    } else {
      layers.emplace_back();
    }
    ends.insert({slice.end.getValue(), number});
    layers[number].push_back(std::move(slice));
  }
  return layers;
}

/// The same for slices at symbolic positions, as far as is known how they lie.
static SmallVector<Layer> makeSymbolicLayers(SmallVectorImpl<Slice> &slices,
                                             const sym::Context &context) {
  SmallVector<Layer> layers;
  for (Slice &slice : slices) {
    auto fits = [&](Layer &layer) {
      auto *it = layer.begin();
      while (it != layer.end() && context.isLessOrEqual(it->end, slice.start))
        ++it;
      if (it != layer.end() && !context.isLessOrEqual(slice.end, it->start))
        return false;
      layer.insert(it, slice);
      return true;
    };
    if (llvm::none_of(layers, fits))
      layers.push_back({slice});
  }
  return layers;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

/// Joins the slices of one sum.
struct SumOfSlices {
  SumOfSlices(TensorBuilder &b, const sym::Context &context)
      : b(b), context(context) {}

  /// The sum of values of one type with as few operands as are left when slices
  /// are joined; null if that is no fewer.
  Value join(ArrayRef<Value> operands);

private:
  /// What the operands of a group become, if these are fewer.
  std::optional<SmallVector<Value>> join(Group &group, ExprAttr size);
  Value makeCat(const Layer &layer, int64_t dim, ExprAttr size);
  Value sum(ArrayRef<Value> operands);

  TensorBuilder &b;
  const sym::Context &context;
};

} // namespace

Value SumOfSlices::sum(ArrayRef<Value> operands) {
  Value result = operands.front();
  for (Value operand : operands.drop_front())
    result = addRounded(b, result, operand);
  return result;
}

Value SumOfSlices::makeCat(const Layer &layer, int64_t dim, ExprAttr size) {
  SmallVector<Value> parts;
  ExprAttr at = b.size(0);
  Value any = layer.front().values.front();
  Sizes sizes = getSizes(any);
  auto fillTo = [&](ExprAttr start) {
    sizes[dim] = sym::sub(start, at);
    if (!sizes[dim].isConstant(0))
      parts.push_back(filled(b, 0, getElementType(any), sizes));
  };
  for (const Slice &slice : layer) {
    fillTo(slice.start);
    // Along another dimension the values may be slices, too.
    Value joined = slice.values.size() > 1 ? join(slice.values) : Value();
    parts.push_back(joined ? joined : sum(slice.values));
    at = slice.end;
  }
  fillTo(size);
  return b.cat(parts, dim);
}

std::optional<SmallVector<Value>> SumOfSlices::join(Group &group,
                                                    ExprAttr size) {
  mergeEqual(group.slices);
  bool isConstant = size.isConstant() &&
                    llvm::all_of(group.slices, std::mem_fn(&Slice::isConstant));
  if (group.slices.empty() ||
      (!isConstant && group.slices.size() > kMostSymbolic)) // (C4)
    return std::nullopt;
  SmallVector<Layer> layers = isConstant
                                  ? makeLayers(group.slices)
                                  : makeSymbolicLayers(group.slices, context);
  if (layers.size() >= group.operands.size()) // (C2)
    return std::nullopt;
  // So many operands may have an element that is not zero by itself. If they
  // are all, a sum may be minus zero, elsewhere it is not.
  size_t most = 0;
  for (const Layer &layer : layers) {
    size_t here = 0;
    for (const Slice &slice : layer)
      here = std::max(here, slice.values.size());
    most += here;
  }
  bool isOnePlace = layers.size() == 1 && layers.front().size() == 1;
  if (most >= group.operands.size() && !isOnePlace) // (C3)
    return std::nullopt;
  SmallVector<Value> results;
  for (const Layer &layer : layers)
    results.push_back(makeCat(layer, group.dim, size));
  Type type = getElementType(results.front());
  if (most < group.operands.size() && isa<FloatType>(type))
    results.front() = addRounded(b, results.front(), b.scalar(0, type));
  return results;
}

Value SumOfSlices::join(ArrayRef<Value> operands) {
  llvm::MapVector<int64_t, Group> groups;
  SmallVector<SmallVector<Value>> results(operands.size());
  for (auto [i, operand] : llvm::enumerate(operands)) {
    SmallVector<Slice> slices;
    std::optional<int64_t> dim = getSlices(operand, slices);
    if (!dim) {
      results[i] = {operand};
      continue;
    }
    Group &group = groups[*dim];
    group.dim = *dim;
    group.operands.push_back(static_cast<unsigned>(i));
    llvm::append_range(group.slices, slices);
  }
  bool changed = false;
  Sizes sizes = getSizes(operands.front());
  for (auto &[dim, group] : groups) {
    auto joined = join(group, sizes[static_cast<size_t>(dim)]);
    if (joined) {
      results[group.operands.front()] = std::move(*joined);
      changed = true;
      continue;
    }
    for (unsigned i : group.operands)
      results[i] = {operands[i]};
  }
  if (!changed)
    return {};
  SmallVector<Value> left;
  for (ArrayRef<Value> some : results)
    llvm::append_range(left, some);
  return sum(left);
}

namespace {

struct GraphJoinSlicesPass
    : graph::impl::GraphJoinSlicesPassBase<GraphJoinSlicesPass> {
  void runOnOperation() override {
    // What a sum has become is an operand of sums behind it.
    SmallVector<Value> roots;
    getOperation()->walk([&](Operation *op) {
      if (isa<AddOp, ConvertOp>(op) && matchSum(op->getResult(0)) &&
          !getOnlySum(op->getResult(0)))
        roots.push_back(op->getResult(0));
    });
    sym::Context context = sym::Context::forOp(getOperation());
    for (Value root : roots) {
      OpBuilder builder(root.getDefiningOp());
      TensorBuilder b(builder, root.getLoc());
      if (Value joined = SumOfSlices(b, context).join(getOperands(root)))
        root.replaceAllUsesWith(joined);
    }
  }
};

} // namespace
