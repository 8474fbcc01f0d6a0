//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random chains of operators as models have them: reductions, contractions of
// what was reduced, and broadcasts back to what was read first. Single
// operators that are drawn one after the other rarely meet so, and their
// contractions rarely have dimensions of size one next to long ones.
//
//===----------------------------------------------------------------------===//

#include "Generator.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using namespace coil::testing;
using reference::DType;
using reference::Tensor;
using sym::ExprAttr;

/// Weights may be larger than other tensors, by this factor.
static constexpr int64_t kWeightFactor = 8;

std::optional<Item> Generator::channelTensor() {
  const Item *found = find([](const Item &i) {
    return i.isFloat() && i.rank() >= 3 && i.rank() <= 5 && i.count() > 0 &&
           i.sizes[1].isConstant();
  });
  if (found && chance(50))
    return clamp(*found, -4, 4);
  int64_t channels = any<int64_t>({1, 3, 8, 16, 24, 33, 64, 96});
  Sizes sizes = {chance(30) && !symbols.empty() ? sym::symbol(context, "s0")
                                                : t.size(1 + below(3)),
                 t.size(channels)};
  for (int64_t d = 1 + below(2); d > 0; --d)
    sizes.push_back(t.size(any<int64_t>({1, 2, 4, 5, 7})));
  if (*Tensor::countElements(*evaluate(sizes)) > 4 * options.maxElements)
    return std::nullopt;
  llvm::SaveAndRestore keep(special, false);
  return argument(randomFloat(), sizes);
}

Item Generator::activation(const Item &item) {
  Item x = item;
  Value v = x.value;
  double size = std::max(std::fabs(x.lo), std::fabs(x.hi));
  switch (below(7)) {
  case 0:
    add(t.binary<MaximumOp>(v, constant(0, x.dtype)), 0, size);
    break;
  case 1:
    add(t.unary<SigmoidOp>(clamp(x, -80, 80).value), 0, 1);
    break;
  case 2: {
    // Hard sigmoid, as it is decomposed.
    Value three = t.add(v, constant(3, x.dtype));
    Value cut = t.binary<MinimumOp>(
        t.binary<MaximumOp>(three, constant(0, x.dtype)), constant(6, x.dtype));
    add(t.div(cut, constant(6, x.dtype)), 0, 1);
    break;
  }
  case 3:
    add(t.unary<TanhOp>(v), -1, 1);
    break;
  case 4:
    add(t.unary<ErfOp>(v), -1, 1);
    break;
  case 5:
    add(t.mul(v, t.unary<SigmoidOp>(clamp(x, -80, 80).value)), -size, size);
    break;
  default:
    return x;
  }
  return items.back();
}

std::optional<Item> Generator::project(const Item &item, int64_t channels) {
  Item x = clamp(item, -4, 4);
  int64_t depth = x.shape[1];
  if (depth * channels > kWeightFactor * options.maxElements)
    return std::nullopt;
  llvm::SaveAndRestore keep(special, false);
  Sizes sizes = {t.size(channels), t.size(depth)};
  double bound = 4.0 * static_cast<double>(depth) + 1;
  if (bound > limit(x.dtype))
    return std::nullopt;
  unsigned spatial = static_cast<unsigned>(x.rank() - 2);
  Value result;
  if (spatial <= 3 && chance(60)) {
    sizes.append(spatial, t.size(1));
    Item weight = argument(x.dtype, sizes, -1, 1);
    SmallVector<int64_t> ones(spatial, 1), zeros(spatial, 0);
    result = ConvOp::create(builder, loc, x.value, weight.value, ones, zeros,
                            ones, /*groups=*/1, /*channelsLast=*/false);
    if (chance(60)) {
      Sizes biasSizes = {t.size(channels)};
      biasSizes.append(spatial, t.size(1));
      result = t.add(result, argument(x.dtype, biasSizes, -1, 1).value);
    }
  } else {
    // Over the flat positions: x^T w^T, and back.
    Sizes flat = {x.sizes[0], x.sizes[1], t.size(1)};
    for (ExprAttr size : ArrayRef(x.sizes).drop_front(2))
      flat[2] = sym::mul(flat[2], size);
    Value columns = t.transpose(t.reshape(x.value, flat), 1, 2);
    Item weight = argument(x.dtype, {sizes[1], sizes[0]}, -1, 1);
    Value bias;
    if (chance(60))
      bias = argument(x.dtype, {t.size(channels)}, -1, 1).value;
    Value rows = t.matmul(
        columns, t.broadcast(weight.value, {x.sizes[0], sizes[1], sizes[0]}),
        bias);
    Sizes back = x.sizes;
    back[1] = t.size(channels);
    result = t.reshape(t.transpose(rows, 1, 2), back);
  }
  add(result, -bound, bound);
  return items.back();
}

bool Generator::emitChannelGate() {
  std::optional<Item> x = channelTensor();
  if (!x)
    return false;
  Item value = activation(*x);
  int64_t channels = value.shape[1], rank = value.rank();
  SmallVector<int64_t> dims;
  for (int64_t d = 2; d < rank; ++d)
    dims.push_back(d);
  Value pooled = t.mean(value.value, dims, /*keepdims=*/true);
  if (chance(20))
    pooled = t.reduce(graph::ReduceKind::Max, value.value, dims,
                      /*keepdims=*/true);
  add(pooled, value.lo, value.hi);
  Item gate = items.back();
  for (int64_t i = 1 + below(2); i > 0; --i) {
    std::optional<Item> next =
        project(gate, i == 1 ? channels : any<int64_t>({1, 4, 24, 31}));
    if (!next)
      return false;
    gate = activation(*next);
  }
  Item scale = clamp(gate, -4, 4), back = clamp(value, -16, 16);
  return chance(70) ? add(t.mul(scale.value, back.value), -64, 64)
                    : add(t.add(scale.value, back.value), -20, 20);
}

bool Generator::emitProjections() {
  std::optional<Item> x = channelTensor();
  if (!x)
    return false;
  Item value = *x;
  for (int64_t i = 1 + below(3); i > 0; --i) {
    std::optional<Item> next =
        project(value, chance(50) ? x->shape[1] : 1 + below(17));
    if (!next)
      return false;
    value = activation(*next);
  }
  if (value.sizes != x->sizes)
    return true;
  Item left = clamp(value, -100, 100), right = clamp(*x, -100, 100);
  return add(t.add(left.value, right.value), -200, 200);
}

bool Generator::emitNormalized() {
  const Item *found = find([](const Item &i) {
    return i.isFloat() && i.rank() > 0 && i.count() > 0;
  });
  if (!found)
    return false;
  Item x = clamp(*found, -16, 16);
  SmallVector<int64_t> dims;
  int64_t count = 1;
  for (int64_t d = 0; d < x.rank(); ++d)
    if (chance(50) || (dims.empty() && d == x.rank() - 1)) {
      dims.push_back(d);
      count *= x.shape[d];
    }
  // An empty dimension has no mean.
  if (count == 0 ||
      llvm::any_of(dims, [&](int64_t d) { return !x.sizes[d].isConstant(); }))
    return false;
  Value mean = t.mean(x.value, dims, /*keepdims=*/true);
  Value centred = t.sub(x.value, mean);
  Value power =
      t.mean(chance(50) ? t.mul(centred, centred) : t.mul(x.value, x.value),
             dims, /*keepdims=*/true);
  Value moved = t.add(power, constant(0.25, x.dtype));
  Value result = chance(50) ? t.mul(centred, t.unary<RsqrtOp>(moved))
                            : t.div(centred, t.unary<SqrtOp>(moved));
  return add(result, -64, 64);
}
