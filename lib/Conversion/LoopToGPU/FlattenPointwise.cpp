//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `loop-flatten-pointwise`.
//
//===----------------------------------------------------------------------===//

#include "GPUScheduleSelector.h"

#include "coil/Conversion/LoopToGPU/LoopToGPU.h"
#include "coil/Conversion/Utils/CodeTarget.h"
#include "coil/Dialect/Loop/Analysis/Layout.h"
#include "coil/Dialect/Loop/IR/RowOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"

#define DEBUG_TYPE "loop-flatten-pointwise"

namespace coil {
#define GEN_PASS_DEF_LOOPFLATTENPOINTWISEPASS
#include "coil/Conversion/Passes.h.inc"
} // namespace coil

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

/// What a vector out of two aligned ones costs, in accesses: the two, and about
/// as many instructions as a third one for the shift.
static constexpr double kShiftedCost = 3;

/// The part of the accesses that has to be saved: quotients and remainders, and
/// values for two rows, take instructions, too (an H100: a stencil with as many
/// accesses less 3 % took 1.4 times as long).
static constexpr double kMostAccesses = 0.8;

/// Whether every point of a kernel is computed by itself, from what ops at
/// positions give.
static bool isPointwise(KernelOp kernel) {
  return kernel.getReducedDims().empty() &&
         llvm::all_of(*kernel.getBlock(), [](Operation &op) {
           return isa<LoadOp, StoreOp, IndexOp, SpecialOp, PhiloxOp>(op) ||
                  isa<arith::ArithDialect, math::MathDialect>(op.getDialect());
         });
}

/// Dimensions of more than one point from the outermost to the innermost in the
/// order in which the elements of a store lie next to each other; nothing if
/// they do not.
static std::optional<SmallVector<unsigned>>
getStoreOrder(KernelOp kernel, StoreOp store, ArrayRef<ExprAttr> strides) {
  MLIRContext *ctx = kernel.getContext();
  sym::Context context = sym::Context::forOp(kernel);
  context.setDimExtents(kernel.getDims().getDims());
  std::optional<StridedView> address =
      getLinearAddress(context.simplify(sym::getAddress(
                           ctx, store.getIndices().getDims(), strides)),
                       kernel.getNumDims());
  if (!address)
    return std::nullopt;
  SmallVector<std::pair<unsigned, ExprAttr>> steps;
  for (unsigned d = 0; d < kernel.getNumDims(); ++d)
    if (!kernel.getExtent(d).isConstant(1))
      steps.push_back({d, address->strides[d]});
  // From the innermost on, each step is what all before it take together.
  SmallVector<unsigned> order;
  ExprAttr next = sym::constant(ctx, 1);
  while (!steps.empty()) {
    auto *found =
        llvm::find_if(steps, [&](auto &step) { return step.second == next; });
    if (found == steps.end())
      return std::nullopt;
    order.push_back(found->first);
    next = sym::mul(next, kernel.getExtent(found->first));
    steps.erase(found);
  }
  std::reverse(order.begin(), order.end());
  return order;
}

/// The kernel with one dimension for those of `order`, in front of it.
static KernelOp flatten(KernelOp kernel, ArrayRef<unsigned> order) {
  MLIRContext *ctx = kernel.getContext();
  OpBuilder b(kernel);
  ExprAttr total = sym::constant(ctx, 1), point = sym::dim(ctx, 0);
  SmallVector<ExprAttr> positions(kernel.getNumDims(), sym::constant(ctx, 0));
  for (unsigned d : llvm::reverse(order)) {
    ExprAttr position = sym::floorDiv(point, total),
             extent = kernel.getExtent(d);
    positions[d] = d == order.front() ? position : sym::mod(position, extent);
    total = sym::mul(total, extent);
  }
  auto flat = KernelOp::create(b, kernel.getLoc(), kernel.getName(), {total},
                               kernel.getInputs(), kernel->getResultTypes());
  sym::Context context = sym::Context::forOp(kernel);
  context.setDimExtents({total});
  b.setInsertionPointToStart(flat.getBlock());
  IRMapping mapping;
  mapping.map(kernel.getBody().getArguments(), flat.getBody().getArguments());
  for (Operation &op : *kernel.getBlock()) {
    Operation *clone = b.clone(op, mapping);
    auto rewrite = [&](sym::ShapeAttr exprs) {
      SmallVector<ExprAttr> simple;
      for (ExprAttr e : sym::substituteDims(exprs, positions).getDims())
        simple.push_back(context.simplify(e));
      return sym::ShapeAttr::get(ctx, simple);
    };
    if (auto load = dyn_cast<LoadOp>(clone))
      load.setIndicesAttr(rewrite(load.getIndices()));
    else if (auto store = dyn_cast<StoreOp>(clone))
      store.setIndicesAttr(rewrite(store.getIndices()));
    else if (auto index = dyn_cast<IndexOp>(clone))
      index.setExprAttr(
          context.simplify(sym::substituteDims(index.getExpr(), positions)));
  }
  return flat;
}

/// Accesses to memory that a thread makes for each point.
static double countAccesses(KernelOp kernel, const GPUKernelLayout &layout,
                            GPUScheduleAttr schedule) {
  int64_t width = schedule.getVectorWidth();
  VectorForm form(kernel, layout, schedule.getVectorDim(), width);
  auto lanes = static_cast<double>(width);
  double count = 0;
  for (Operation &op : *kernel.getBlock()) {
    auto load = dyn_cast<LoadOp>(op);
    if (!load && !isa<StoreOp>(op))
      continue;
    LaneAddress address = form.getAddress(&op);
    // Each lane by itself.
    bool isAlone =
        load && (llvm::any_of(load.getArgs(),
                              [&](Value v) { return form.isVector(v); }) ||
                 (load.getMask() && form.isVector(load.getMask())));
    if (isAlone) {
      count += lanes;
    } else if (address.isUniform()) {
      count += 1;
    } else if (address.isContiguous()) {
      double pieces = lanes / static_cast<double>(address.alignment);
      int64_t bytes =
          load ? std::max(1u, load.getType().getIntOrFloatBitWidth() / 8) : 0;
      bool shifts = load && isShifted(width, bytes, address.alignment);
      count += shifts ? std::min(pieces, kShiftedCost) : pieces;
    } else {
      count += address.pieces && address.pieces->step == 0 && load ? 2 : lanes;
    }
  }
  return count / lanes;
}

namespace {

struct LoopFlattenPointwisePass
    : coil::impl::LoopFlattenPointwisePassBase<LoopFlattenPointwisePass> {
  using LoopFlattenPointwisePassBase::LoopFlattenPointwisePassBase;

  void runOnOperation() override {
    wrapper::KernelOp kernel = getOperation();
    if (!hasKernelForm(kernel, target::KernelForm::Threads) ||
        kernel.isUserKernel())
      return;
    KernelOp body = kernel.getLoopKernel();
    if (!body || body.getScheduleAttr() || !isPointwise(body))
      return;
    FailureOr<GPUFacts> facts = GPUFacts::get(kernel);
    if (failed(facts))
      return signalPassFailure();
    GPUKernelLayout layout = getGPUKernelLayout(kernel);
    std::optional<SmallVector<unsigned>> order = getOrder(body, layout);
    if (!order)
      return;
    GPUScheduleAttr before =
        Selector(body, layout, *facts, /*deterministic=*/false).select();
    if (before.getStrategy() != GPUStrategy::Tile)
      return;
    KernelOp flat = flatten(body, *order);
    GPUScheduleAttr after =
        Selector(flat, layout, *facts, /*deterministic=*/false).select();
    double now = countAccesses(body, layout, before);
    double then = countAccesses(flat, layout, after);
    if (then > kMostAccesses * now) {
      flat.erase();
      return;
    }
    remark::passed(body.getLoc(), remark::RemarkOpts::name("Flattened")
                                      .category(DEBUG_TYPE)
                                      .function(kernel.getName()))
        << remark::add("flattened: '{0}' makes {1:f2} accesses for a point, as "
                       "rows {2:f2}",
                       body.getName(), then, now);
    body->replaceAllUsesWith(flat);
    body.erase();
  }

private:
  /// The order of the first store whose elements lie next to each other, in
  /// which all sizes but the outermost are known.
  static std::optional<SmallVector<unsigned>>
  getOrder(KernelOp kernel, const GPUKernelLayout &layout) {
    for (auto store : kernel.getBlock()->getOps<StoreOp>()) {
      size_t number =
          kernel.getInputs().size() + static_cast<size_t>(store.getOutput());
      std::optional<SmallVector<unsigned>> order =
          getStoreOrder(kernel, store, layout.strides[number]);
      if (order && order->size() > 1 &&
          llvm::all_of(
              ArrayRef<unsigned>(*order).drop_front(),
              [&](unsigned d) { return kernel.getExtent(d).isConstant(); }))
        return order;
    }
    return std::nullopt;
  }
};

} // namespace
