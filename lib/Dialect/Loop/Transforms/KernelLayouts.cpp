//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layouts of a kernel's tensors, and kernels with other ones.
//
//===----------------------------------------------------------------------===//

#include "KernelLayouts.h"

#include "FusionCost.h"
#include "coil/Dialect/Loop/Analysis/Layout.h"
#include "coil/Dialect/Loop/Analysis/OnlineSum.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

/// A tensor may be in another order where it has elements for so much of the
/// space: what a warp reads again and again of one sector is in caches. Where a
/// kernel reduces, which has no tiles in shared memory, lanes apart read as
/// many sectors of caches.
static constexpr double kMinPart = 1.0 / 32;
/// Plans that are no further apart are equal.
static constexpr double kBetter = 0.99;

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

double TensorUse::getBytes() const {
  return std::accumulate(sizes.begin(), sizes.end(), elementBytes,
                         std::multiplies<>());
}

SmallVector<AccessSteps>
TensorUse::getSteps(ArrayRef<double> otherStrides) const {
  SmallVector<AccessSteps> result = steps;
  for (auto [access, index] : llvm::zip_equal(result, indices)) {
    std::fill(access.steps.begin(), access.steps.end(), 0);
    for (auto [stride, part] : llvm::zip_equal(otherStrides, index))
      for (auto [step, one] : llvm::zip_equal(access.steps, part))
        step += stride * one;
  }
  return result;
}

/// Row-major strides of sizes in an order.
static SmallVector<double> getStrides(ArrayRef<double> sizes,
                                      ArrayRef<unsigned> order) {
  SmallVector<double> strides(sizes.size());
  double next = 1;
  for (unsigned d : llvm::reverse(order)) {
    strides[d] = next;
    next *= sizes[d];
  }
  return strides;
}

KernelLayouts::KernelLayouts(KernelOp kernel, int64_t lanes, int64_t processors)
    : kernel(kernel), hints(kernel) {
  threads.warp = static_cast<double>(lanes);
  threads.multiprocessors = static_cast<double>(processors);
  // What needs no reduction before it is cut into chunks later, and so is a sum
  // below a maximum.
  if (getReductionDepth(kernel) > 1 && !findChunkObstacle(kernel).empty())
    threads.processors = static_cast<double>(processors);
  double points = 1;
  for (unsigned d = 0; d < kernel.getNumDims(); ++d) {
    extents.push_back(hints(kernel.getExtent(d)));
    points *= extents.back();
  }
  reduced.resize(kernel.getNumDims());
  for (unsigned d : kernel.getReducedDims())
    reduced.set(d);
  llvm::DenseMap<Value, size_t> useOf;
  for (auto [i, input] : llvm::enumerate(kernel.getInputs()))
    if (useOf.try_emplace(input, uses.size()).second)
      addUse(input, /*isResult=*/false, static_cast<unsigned>(i));
  size_t firstResult = uses.size();
  for (OpResult result : kernel->getResults())
    addUse(result, /*isResult=*/true, result.getResultNumber());
  for (Operation &op : *kernel.getBlock()) {
    if (auto load = dyn_cast<LoadOp>(op)) {
      unsigned argument = cast<BlockArgument>(load.getSource()).getArgNumber();
      addAccess(uses[useOf.lookup(kernel.getInputs()[argument])], load);
    } else if (auto store = dyn_cast<StoreOp>(op)) {
      addAccess(uses[firstResult + store.getOutput()], store);
    }
  }
  for (TensorUse &use : uses)
    use.canMove &= !use.steps.empty() &&
                   ((!use.isResult && reduced.any()) ||
                    use.getBytes() >= kMinPart * points * use.elementBytes);
}

void KernelLayouts::addUse(Value tensor, bool isResult, unsigned number) {
  TensorUse use;
  use.tensor = tensor;
  use.isResult = isResult;
  use.number = number;
  auto type = cast<RankedTensorType>(tensor.getType());
  use.elementBytes =
      std::max(1u, type.getElementType().getIntOrFloatBitWidth() / 8);
  Layout layout = getLayout(tensor);
  for (auto [size, stride] : llvm::zip_equal(layout.sizes, layout.strides)) {
    use.sizes.push_back(hints(size));
    use.strides.push_back(hints(stride));
  }
  use.canMove = true;
  uses.push_back(std::move(use));
}

/// Whether an expression mentions more than symbols.
static bool mentionsDims(ExprAttr e) {
  bool found = false;
  sym::walkLeaves(e, [&](ExprAttr leaf) { found |= !leaf.isSymbol(); });
  return found;
}

/// Adds what a step along each dimension adds to `e` in the mean, `factor`
/// times: a quotient grows by a part of one. Returns false for what is no sum
/// of multiples of dimensions and of quotients of such sums.
static bool addMeanSteps(ExprAttr e, double factor, const Hints &hints,
                         MutableArrayRef<double> steps) {
  if (!mentionsDims(e))
    return true;
  ArrayRef<ExprAttr> operands = e.getOperands();
  switch (e.getKind()) {
  case sym::ExprKind::Dim:
    steps[static_cast<size_t>(e.getValue())] += factor;
    return true;
  case sym::ExprKind::Add:
    return llvm::all_of(operands, [&](ExprAttr operand) {
      return addMeanSteps(operand, factor, hints, steps);
    });
  case sym::ExprKind::Mul: {
    if (llvm::count_if(operands, mentionsDims) != 1)
      return false;
    factor *= static_cast<double>(e.getValue());
    for (ExprAttr operand : operands)
      if (!mentionsDims(operand))
        factor *= hints(operand);
    return addMeanSteps(*llvm::find_if(operands, mentionsDims), factor, hints,
                        steps);
  }
  case sym::ExprKind::FloorDiv:
    return !mentionsDims(operands[1]) &&
           addMeanSteps(operands[0], factor / hints(operands[1]), hints, steps);
  default:
    return false;
  }
}

void KernelLayouts::addAccess(TensorUse &use, Operation *op) {
  sym::ShapeAttr indices;
  if (auto load = dyn_cast<LoadOp>(op)) {
    indices = load.getIndices();
    if (!load.getArgs().empty()) {
      use.canMove = false; // (C3)
      return;
    }
  } else {
    indices = cast<StoreOp>(op).getIndices();
  }
  unsigned rank = kernel.getNumDims();
  sym::Context context = sym::Context::forOp(kernel);
  context.setDimExtents(kernel.getDims().getDims());
  SmallVector<SmallVector<double>> parts;
  SmallVector<int64_t> owner(rank, -1);
  bool areSums = true;
  for (auto [i, index] : llvm::enumerate(indices.getDims())) {
    SmallVector<double> part(rank, 0);
    bool isSum = addMeanSteps(context.simplify(index), 1, hints, part);
    for (unsigned d = 0; isSum && d < rank; ++d) {
      if (part[d] == 0)
        continue;
      use.canMove &= owner[d] < 0; // (C3)
      owner[d] = static_cast<int64_t>(i);
    }
    use.canMove &= isSum; // (C3)
    areSums &= isSum;
    parts.push_back(std::move(part));
  }
  AccessSteps access;
  access.elementBytes = use.elementBytes;
  access.isStore = use.isResult;
  access.steps.assign(rank, 0);
  std::optional<StridedView> address = getLinearAddress(
      context.simplify(sym::getAddress(kernel.getContext(), indices.getDims(),
                                       getLayout(use.tensor).strides)),
      rank);
  if (address)
    for (unsigned d = 0; d < rank; ++d)
      access.steps[d] = hints(address->strides[d]);
  else if (areSums)
    for (auto [stride, part] : llvm::zip_equal(use.strides, parts))
      for (auto [step, one] : llvm::zip_equal(access.steps, part))
        step += stride * one;
  else
    return; // Nothing is known, and nothing changes it.
  for (unsigned d = 0; d < rank; ++d)
    if (extents[d] <= 1)
      access.steps[d] = 0;
  // The same element, loaded twice.
  for (auto [other, index] : llvm::zip(use.steps, use.indices))
    if (other.steps == access.steps && index == parts)
      return;
  use.steps.push_back(std::move(access));
  use.indices.push_back(std::move(parts));
}

bool KernelLayouts::canMove(Value tensor) const {
  return llvm::any_of(uses, [&](const TensorUse &use) {
    return use.tensor == tensor && use.canMove;
  });
}

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

SmallVector<unsigned> KernelLayouts::getLaneOrder(unsigned dim) const {
  SmallVector<SmallVector<unsigned>> orders;
  SmallVector<double> weights;
  for (const TensorUse &use : uses)
    for (const AccessSteps &access : use.steps) {
      if (std::abs(access.steps[dim]) != 1)
        continue;
      SmallVector<unsigned> order;
      for (unsigned d = 0; d < extents.size(); ++d)
        order.push_back(d);
      auto key = [&](unsigned d) {
        // What it does not vary over is outermost.
        double step = std::abs(access.steps[d]);
        return std::pair(
            step == 0 ? -std::numeric_limits<double>::infinity() : -step, d);
      };
      llvm::sort(order,
                 [&](unsigned a, unsigned b) { return key(a) < key(b); });
      auto *it = llvm::find(orders, order);
      if (it == orders.end()) {
        orders.push_back(order);
        weights.push_back(0);
        it = std::prev(orders.end());
      }
      weights[static_cast<size_t>(it - orders.begin())] += use.getBytes();
    }
  if (!orders.empty())
    return orders[static_cast<size_t>(
        std::max_element(weights.begin(), weights.end()) - weights.begin())];
  SmallVector<unsigned> order;
  for (unsigned d = 0; d < extents.size(); ++d)
    if (d != dim)
      order.push_back(d);
  order.push_back(dim);
  return order;
}

DimOrder KernelLayouts::getOrder(const TensorUse &use,
                                 ArrayRef<unsigned> laneOrder) const {
  SmallVector<size_t> position(laneOrder.size());
  for (auto [i, d] : llvm::enumerate(laneOrder))
    position[d] = i;
  // Dimensions that the kernel does not walk stay outside.
  SmallVector<std::pair<size_t, unsigned>> keys;
  DimOrder order;
  for (unsigned j = 0; j < use.sizes.size(); ++j) {
    size_t key = 0;
    for (unsigned d = 0; d < laneOrder.size(); ++d)
      if (use.indices.front()[j][d] != 0 && extents[d] > 1)
        key = std::max(key, position[d] + 1);
    keys.push_back({key, j});
  }
  llvm::sort(keys);
  for (auto [key, j] : keys)
    order.push_back(j);
  return order;
}

SmallVector<DimOrder> KernelLayouts::getWantedOrders(Value tensor) const {
  SmallVector<DimOrder> orders;
  for (const TensorUse &use : uses)
    for (unsigned d = 0; d < extents.size(); ++d)
      if (use.tensor == tensor && use.canMove && extents[d] > 1)
        orders.push_back(getOrder(use, getLaneOrder(d)));
  return orders;
}

void KernelLayouts::assume(Value tensor, const DimOrder *order) {
  if (assumed >= 0) {
    TensorUse &use = uses[static_cast<size_t>(assumed)];
    use.strides = assumedStrides;
    use.steps = use.getSteps(use.strides);
    assumed = -1;
  }
  for (auto [i, use] : llvm::enumerate(uses)) {
    if (!order || use.tensor != tensor)
      continue;
    assumed = static_cast<int64_t>(i);
    assumedStrides = use.strides;
    use.strides = getStrides(use.sizes, *order);
    use.steps = use.getSteps(use.strides);
  }
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

double KernelLayouts::getCopyBytes(const TensorUse &use,
                                   ArrayRef<double> to) const {
  auto rank = static_cast<unsigned>(use.sizes.size());
  WalkingThreads copying = threads;
  copying.processors = 0;
  AccessSteps here{use.strides, use.elementBytes, use.isResult},
      there{{to.begin(), to.end()}, use.elementBytes, !use.isResult};
  return WalkedSpace(use.sizes, llvm::SmallBitVector(rank), {here, there},
                     copying)
      .getBytes();
}

double KernelLayouts::getCopyBytes(Value tensor, const DimOrder *from,
                                   ArrayRef<unsigned> to,
                                   double launchBytes) const {
  for (const TensorUse &use : uses) {
    if (use.tensor != tensor)
      continue;
    TensorUse moved = use;
    if (from)
      moved.strides = getStrides(use.sizes, *from);
    SmallVector<double> strides = getStrides(use.sizes, to);
    return moved.strides == strides
               ? 0
               : launchBytes + getCopyBytes(moved, strides);
  }
  return 0;
}

SmallVector<AccessSteps> KernelLayouts::getAccesses() const {
  SmallVector<AccessSteps> accesses;
  for (const TensorUse &use : uses)
    llvm::append_range(accesses, use.steps);
  return accesses;
}

std::optional<KernelPlan> KernelLayouts::plan(Walk wanted, double launchBytes,
                                              bool isBusy) const {
  auto isAlong = [](const TensorUse &use, int64_t dim) {
    return dim >= 0 && llvm::all_of(use.steps, [&](const AccessSteps &access) {
             return std::abs(access.steps[static_cast<size_t>(dim)]) <= 1;
           });
  };
  SmallVector<unsigned> laneOrder = getLaneOrder(wanted.laneDim);
  SmallVector<AccessSteps> accesses;
  KernelPlan plan{0, {}};
  double staying = 0, moving = 0;
  for (auto [i, use] : llvm::enumerate(uses)) {
    if (!use.canMove || isAlong(use, wanted.laneDim) ||
        isAlong(use, wanted.tileDim)) {
      llvm::append_range(accesses, use.steps);
      staying += use.getBytes();
      continue;
    }
    moving += use.getBytes();
    DimOrder order = getOrder(use, laneOrder);
    SmallVector<double> strides = getStrides(use.sizes, order);
    llvm::append_range(accesses, use.getSteps(strides));
    if (!isCopied || !isCopied(use.tensor, order))
      plan.bytes += launchBytes + getCopyBytes(use, strides);
    plan.moves.push_back({static_cast<unsigned>(i), std::move(order)});
  }
  if (plan.moves.empty() || (moving > staying && isBusy)) // (C4)
    return std::nullopt;
  WalkedSpace space = walk(accesses);
  // The schedule would have its lanes elsewhere.
  if (space.getInnermost(space.getUsualWalk().laneDim) != wanted.laneDim)
    return std::nullopt;
  plan.bytes += space.getBytes();
  return plan;
}

KernelPlan KernelLayouts::plan(double launchBytes, bool always) const {
  WalkedSpace asItIs = walk(getAccesses());
  KernelPlan best{asItIs.getBytes(), {}};
  if (!always && asItIs.getLeastBytes() >= best.bytes * kBetter)
    return best;
  bool isBusy = !always && asItIs.getUsedPart() == 1;
  auto consider = [&](Walk wanted) {
    if (std::optional<KernelPlan> other = plan(wanted, launchBytes, isBusy);
        other &&
        (other->bytes < best.bytes * kBetter || (always && best.moves.empty())))
      best = std::move(*other);
  };
  // Between equals the inner one, and tiles, which leave more where it is.
  for (unsigned d : llvm::reverse(llvm::seq(kernel.getNumDims()))) {
    if (extents[d] <= 1)
      continue;
    for (unsigned t = 0; reduced.none() && t < extents.size(); ++t)
      if (t != d && extents[t] > 1)
        consider({d, t});
    consider({d});
  }
  return best;
}

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

static sym::ShapeAttr permute(sym::ShapeAttr exprs, ArrayRef<unsigned> order) {
  SmallVector<ExprAttr> result;
  for (unsigned d : order)
    result.push_back(exprs.getDims()[d]);
  return sym::ShapeAttr::get(exprs.getContext(), result);
}

RankedTensorType coil::loop::getPermutedType(RankedTensorType type,
                                             ArrayRef<unsigned> order) {
  SmallVector<ExprAttr> sizes = sym::getSizes(type), permuted;
  for (unsigned d : order)
    permuted.push_back(sizes[d]);
  return sym::getTensorType(permuted, type.getElementType());
}

void coil::loop::permuteInput(KernelOp kernel, unsigned input, Value tensor,
                              ArrayRef<unsigned> order) {
  BlockArgument argument = kernel.getBlock()->getArgument(input);
  kernel.getInputsMutable()[input].set(tensor);
  argument.setType(tensor.getType());
  for (Operation *user : argument.getUsers()) {
    auto load = cast<LoadOp>(user);
    load.setIndicesAttr(permute(load.getIndices(), order));
  }
}

void coil::loop::permuteResult(KernelOp kernel, unsigned result,
                               ArrayRef<unsigned> order) {
  StoreOp store = kernel.getStore(result);
  store.setIndicesAttr(permute(store.getIndices(), order));
  OpResult value = kernel->getResult(result);
  value.setType(
      getPermutedType(cast<RankedTensorType>(value.getType()), order));
}

Value coil::loop::createCopy(OpBuilder &b, Location loc, Value tensor,
                             RankedTensorType type, ArrayRef<unsigned> order,
                             bool back) {
  MLIRContext *ctx = b.getContext();
  // Dimension i of one of the two is dimension `order[i]` of the other.
  SmallVector<ExprAttr> dims, from(order.size());
  for (unsigned i = 0; i < order.size(); ++i) {
    dims.push_back(sym::dim(ctx, i));
    from[back ? i : order[i]] = sym::dim(ctx, back ? order[i] : i);
  }
  auto kernel = KernelOp::create(b, loc, "copy", sym::getSizes(type), tensor,
                                 TypeRange(type));
  OpBuilder body = OpBuilder::atBlockEnd(kernel.getBlock());
  auto load =
      LoadOp::create(body, loc, kernel.getBlock()->getArgument(0), from);
  StoreOp::create(body, loc, load, 0, sym::ShapeAttr::get(ctx, dims));
  return kernel.getResult(0);
}

std::string coil::loop::describe(ArrayRef<unsigned> order) {
  std::string text;
  for (unsigned d : order)
    text += (text.empty() ? "d" : ", d") + std::to_string(d);
  return text;
}
