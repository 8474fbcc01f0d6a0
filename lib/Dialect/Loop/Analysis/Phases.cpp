//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Phases of a kernel, and what schedules may ask of them.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Loop/Analysis/Phases.h"

#include "coil/Dialect/Loop/Analysis/Layout.h"
#include "coil/Dialect/Loop/IR/RowOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

Phases::Phases(KernelOp kernel)
    : kernel(kernel), dependence(kernel), reduced(kernel.getNumDims()) {
  for (unsigned d : kernel.getReducedDims())
    reduced.set(d);
  for (Operation &op : *kernel.getBlock()) {
    unsigned phase = 0;
    for (Value v : op.getOperands())
      if (Operation *def = v.getDefiningOp())
        phase = std::max(phase, phaseOf[def] + (isReduction(def) ? 1 : 0));
    phaseOf[&op] = phase;
    count = std::max(count, phase + 1);
  }
}

bool Phases::isInner(Operation *op) const {
  if (auto store = dyn_cast<StoreOp>(op))
    return dependence.of(store.getIndices().getDims()).anyCommon(reduced);
  if (isa<ScatterOp>(op))
    return reduced.any();
  return op->getNumResults() > 0 &&
         dependence[op->getResult(0)].anyCommon(reduced);
}

SmallVector<Operation *>
Phases::getSlice(unsigned phase, const DenseSet<Operation *> &kept) const {
  Block *block = KernelOp(kernel).getBlock();
  SmallVector<Operation *> stack;
  for (Operation &op : *block)
    if ((*this)[&op] == phase &&
        (isReduction(&op) || (isa<StoreOp, ScatterOp>(op) && isInner(&op))))
      stack.push_back(&op);
  DenseSet<Operation *> needed(stack.begin(), stack.end());
  while (!stack.empty()) {
    Operation *op = stack.pop_back_val();
    if (kept.contains(op))
      continue;
    for (Value v : op->getOperands())
      if (Operation *def = v.getDefiningOp())
        if (!isReduction(def) && isInner(def) && needed.insert(def).second)
          stack.push_back(def);
  }
  SmallVector<Operation *> slice;
  for (Operation &op : *block)
    if (needed.contains(&op))
      slice.push_back(&op);
  return slice;
}

std::optional<unsigned> coil::loop::getKeepPhase(const Phases &phases,
                                                 KernelOp kernel,
                                                 unsigned output, Operation *op,
                                                 std::string &why) {
  auto no = [&](StringRef reason) {
    why = reason.str();
    return std::nullopt;
  };
  StoreOp store = kernel.getStore(output);
  if (!store)
    return no("the result is no value of the points");
  if (op->getNumResults() != 1 || isReduction(op) || !phases.isInner(op))
    return no("it is no value along the reduced dimensions");
  Type type = op->getResult(0).getType();
  if (type != store.getValue().getType() || type.isInteger(1) ||
      isa<Float8E4M3FNType, Float8E5M2Type>(type))
    return no("the result does not hold values of its type");
  const DimDependence &dependence = phases.getDimDependence();
  if (dependence[op->getResult(0)] !=
      dependence.of(store.getIndices().getDims()))
    return no("it does not vary over the dimensions of the result");
  sym::Context facts = sym::Context::forOp(kernel);
  facts.setDimExtents(kernel.getDims().getDims());
  ExprAttr points =
      sym::product(kernel.getContext(), kernel.getDims().getDims());
  auto tensor = cast<RankedTensorType>(kernel.getResult(output).getType());
  if (!facts.simplify(sym::sub(points, sym::getNumElements(tensor)))
           .isConstant(0))
    return no("the result does not have an element for each point");
  std::optional<unsigned> first, last;
  for (unsigned phase = 0; phase < phases.size(); ++phase)
    if (llvm::is_contained(phases.getSlice(phase), op))
      (first ? last : first) = phase;
  if (!last)
    return no("only one phase needs it");
  if (*first >= phases[store] || *last > phases[store] ||
      !op->isBeforeInBlock(store))
    return no("it is needed after the result is stored");
  return first;
}

std::optional<int64_t> coil::loop::getScratchBytes(KernelOp kernel, Type type) {
  sym::Context facts = sym::Context::forOp(kernel);
  int64_t bytes = std::max<int64_t>(1, type.getIntOrFloatBitWidth() / 8);
  for (unsigned d : kernel.getReducedDims()) {
    int64_t extent = std::max<int64_t>(facts.bounds(kernel.getExtent(d)).hi, 1);
    if (extent > kMaxScratchBytes / bytes)
      return std::nullopt;
    bytes *= extent;
  }
  return bytes;
}

bool coil::loop::canReduceRows(const Phases &phases, KernelOp kernel,
                               unsigned vectorDim, std::string &why,
                               bool storesApart) {
  auto no = [&](StringRef reason) {
    why = reason.str();
    return false;
  };
  if (kernel.isSequential())
    return no("it scans or scatters");
  bool any = false;
  for (Operation &op : *kernel.getBlock()) {
    if (isReduction(&op)) {
      any = true;
      if (phases[&op] != 0)
        return no("a reduction needs the result of another");
      for (Value v : op.getResults())
        if (!phases.getDimDependence()[v][vectorDim])
          return no("a reduction does not vary over the vector dimension");
    } else if (phases.isInner(&op) &&
               (phases[&op] != 0 || (isa<StoreOp>(op) && !storesApart))) {
      return no("it stores or computes values along the reduced dimensions "
                "after a reduction");
    }
  }
  return any || no("it has no reductions");
}

int64_t coil::loop::getAccumulatorBytes(KernelOp kernel) {
  int64_t bytes = 0;
  for (Operation &op : *kernel.getBlock())
    if (isReduction(&op))
      for (Value v : op.getResults()) {
        auto reduce = dyn_cast<ReduceOp>(op);
        // A product has what rounding took from it beside it.
        int64_t parts = reduce && reduce.getKind() == ReduceKind::Prod &&
                                isa<FloatType>(v.getType())
                            ? 2
                            : 1;
        // Moments are accumulated in f64.
        bytes += isa<WelfordOp>(op)
                     ? 8
                     : parts * std::max<int64_t>(
                                   1, v.getType().getIntOrFloatBitWidth() / 8);
      }
  return bytes;
}

/// A gather or scatter costs about this many contiguous accesses.
static constexpr double kGatherPenalty = 4;
/// Lanes of `f32` in the longest vectors, those of AVX-512.
static constexpr int64_t kLanes = 16;

/// A tile that is transposed costs a few shuffles for each vector.
static constexpr double kTransposePenalty = 0.5;

/// Where an access is, as far as facts simplify it.
static ExprAttr getSimpleAddress(KernelOp kernel, const sym::Context &context,
                                 Value tensor, ArrayRef<ExprAttr> indices) {
  return context.simplify(sym::getAddress(kernel.getContext(), indices,
                                          getOperandStrides(kernel, tensor)));
}

std::optional<ExprAttr> coil::loop::getStep(KernelOp kernel,
                                            const sym::Context &context,
                                            LoadOp load, unsigned d) {
  auto split =
      sym::splitLinear(getSimpleAddress(kernel, context, load.getSource(),
                                        load.getIndices().getDims()),
                       sym::dim(kernel.getContext(), d));
  return split ? std::optional(split->first) : std::nullopt;
}

std::optional<unsigned> coil::loop::findRows(KernelOp kernel,
                                             const sym::Context &context,
                                             LoadOp load, unsigned vectorDim) {
  if (kernel.isSequential() || !kernel.getReducedDims().empty() ||
      load.getMask() || !load.getArgs().empty())
    return std::nullopt;
  MLIRContext *ctx = kernel.getContext();
  ExprAttr address = getSimpleAddress(kernel, context, load.getSource(),
                                      load.getIndices().getDims());
  for (unsigned d = 0; d < kernel.getNumDims(); ++d) {
    // Short rows fill no tile.
    std::optional<int64_t> extent = kernel.getExtent(d).getConstant();
    if (d == vectorDim || (extent && *extent < kLanes))
      continue;
    auto split = sym::splitLinear(address, sym::dim(ctx, d));
    if (split && split->first.isConstant(1))
      return d;
  }
  return std::nullopt;
}

/// How often a result is stored for each point of the kernel: once for all
/// points that are reduced to an element of it.
static double getStoreRate(KernelOp kernel, const DimDependence &dependence,
                           StoreOp store) {
  double points = 1;
  llvm::SmallBitVector varies = dependence.of(store.getIndices().getDims());
  for (unsigned d : kernel.getReducedDims())
    if (!varies[d])
      points *= static_cast<double>(std::max<int64_t>(
          1, kernel.getExtent(d).getConstant().value_or(kLanes)));
  return 1 / points;
}

/// How well vectorising dimension `d` serves the accesses; higher is better.
static double score(KernelOp kernel, const DimDependence &dependence,
                    const sym::Context &context, unsigned d) {
  MLIRContext *ctx = kernel.getContext();
  ExprAttr dim = sym::dim(ctx, d);
  double total = 0;
  auto access = [&](Value tensor, ArrayRef<ExprAttr> indices, bool indirect,
                    LoadOp load = nullptr) {
    if (indirect) {
      total -= kGatherPenalty;
      return;
    }
    auto split = sym::splitLinear(
        getSimpleAddress(kernel, context, tensor, indices), dim);
    unsigned bytes = llvm::divideCeil(
        getElementTypeOrSelf(tensor.getType()).getIntOrFloatBitWidth(), 8u);
    if (split && isNeighbour(split->first))
      total += 1;
    else if (std::optional<int64_t> step =
                 split ? getSmallStep(split->first, bytes) : std::nullopt)
      // The loads of as many vectors, and one permutation fewer. Stores under
      // as many masks are about as slow as the scatter of a vector that is
      // mostly empty.
      total += load ? 2.0 / static_cast<double>(*step + 1) : 0;
    else if (!split || !split->first.isConstant(0))
      total -= load && findRows(kernel, context, load, d) ? kTransposePenalty
                                                          : kGatherPenalty;
  };
  for (Operation &op : *kernel.getBlock()) {
    if (auto load = dyn_cast<LoadOp>(op)) {
      bool indirect = llvm::any_of(load.getArgs(),
                                   [&](Value v) { return dependence[v][d]; });
      access(load.getSource(), load.getIndices().getDims(), indirect, load);
    } else if (auto store = dyn_cast<StoreOp>(op)) {
      double others = total;
      total = 0;
      access(kernel.getResult(static_cast<unsigned>(store.getOutput())),
             store.getIndices().getDims(), false);
      total = others + total * getStoreRate(kernel, dependence, store);
    } else if (auto scatter = dyn_cast<ScatterOp>(op)) {
      bool indirect = llvm::any_of(scatter.getArgs(),
                                   [&](Value v) { return dependence[v][d]; });
      access(kernel.getResult(static_cast<unsigned>(scatter.getOutput())),
             scatter.getIndices().getDims(), indirect);
    } else if (auto sum = dyn_cast<SegmentSumOp>(op)) {
      // Lanes with ranges of their own go one after the other.
      bool indirect = dependence[sum.getLo()][d] || dependence[sum.getHi()][d];
      access(sum.getSource(), sum.getIndices().getDims(), indirect);
    }
  }
  // The lanes beyond a short dimension do nothing.
  std::optional<int64_t> extent = kernel.getExtent(d).getConstant();
  if (total > 0 && extent && *extent < kLanes)
    total *= static_cast<double>(*extent) / kLanes;
  return total;
}

/// Whether an operand is read along `d` with stride one.
static bool readsRows(KernelOp kernel, unsigned d) {
  sym::Context context = sym::Context::forOp(kernel);
  context.setDimExtents(kernel.getDims().getDims());
  return llvm::any_of(kernel.getBlock()->getOps<LoadOp>(), [&](LoadOp load) {
    std::optional<ExprAttr> step = getStep(kernel, context, load, d);
    return load.getArgs().empty() && step && step->isConstant(1);
  });
}

bool coil::loop::canVectorizeInOrder(KernelOp kernel, unsigned d,
                                     std::string &why) {
  SmallVector<unsigned> reduced = kernel.getReducedDims();
  if (!kernel.isSequential() || !llvm::is_contained(reduced, d))
    return true;
  for (Operation &op : *kernel.getBlock()) {
    if (isa<ScatterOp>(op)) {
      why = "whose points a scatter takes in order";
      return false;
    }
    if (isa<ScanOp, ArgScanOp>(op) && reduced.back() != d) {
      why = "of which a scan takes all points along a later dimension in order";
      return false;
    }
    // The lanes beyond a row would count as positions of the next one.
    if (isa<ArgScanOp>(op) && reduced.size() > 1) {
      why = "along which rows of a scan for positions follow each other";
      return false;
    }
  }
  return true;
}

int64_t coil::loop::selectVectorDim(KernelOp kernel,
                                    const DimDependence &dependence,
                                    const sym::Context &context) {
  int64_t vectorDim = -1;
  double best = 0;
  bool isSequential = kernel.isSequential();
  bool onlyScatters =
      isSequential && llvm::none_of(*kernel.getBlock(), [](Operation &op) {
        return isa<ScanOp, ArgScanOp>(op);
      });
  for (unsigned d = 0; d < kernel.getNumDims(); ++d) {
    std::string why;
    if (!canVectorizeInOrder(kernel, d, why))
      continue;
    // Not worth a vector.
    std::optional<int64_t> extent = kernel.getExtent(d).getConstant();
    if (extent && *extent < 4)
      continue;
    double s = score(kernel, dependence, context, d);
    // Gathers do not pay for what a running value computes. What scatters
    // otherwise goes through its operands column by column.
    if (isSequential && s <= 0 && !(onlyScatters && readsRows(kernel, d)))
      continue;
    // Between equals the inner one.
    if (vectorDim < 0 || s >= best) {
      best = s;
      vectorDim = d;
    }
  }
  return vectorDim;
}

bool coil::loop::hasNarrowSamples(WelfordOp op) {
  auto widened = op.getMean().getDefiningOp<arith::ExtFOp>();
  return op.isFlat() && widened && op.getMean().getType().isF32() &&
         widened.getIn().getType().getIntOrFloatBitWidth() <= 16;
}

bool coil::loop::sharesRows(KernelOp kernel) {
  Phases phases(kernel);
  sym::Context context = sym::Context::forOp(kernel);
  context.setDimExtents(kernel.getDims().getDims());
  int64_t dim = selectVectorDim(kernel, phases.getDimDependence(), context);
  std::string why;
  return dim >= 0 &&
         !llvm::is_contained(kernel.getReducedDims(),
                             static_cast<unsigned>(dim)) &&
         canReduceRows(phases, kernel, static_cast<unsigned>(dim), why,
                       /*storesApart=*/true);
}
