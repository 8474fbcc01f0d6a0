//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `loop-assign-layouts`.
//
//===----------------------------------------------------------------------===//

#include "KernelLayouts.h"
#include "ReduceApart.h"
#include "TargetCounts.h"
#include "coil/Dialect/Loop/Analysis/Contraction.h"
#include "coil/Dialect/Loop/Analysis/Layout.h"
#include "coil/Dialect/Loop/IR/RowOps.h"
#include "coil/Dialect/Loop/Transforms/Passes.h"
#include "coil/Dialect/Target/IR/TargetKind.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/STLExtras.h"

#include <limits>
#include <vector>

#define DEBUG_TYPE "loop-assign-layouts"

namespace coil::loop {
#define GEN_PASS_DEF_LOOPASSIGNLAYOUTSPASS
#include "coil/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace coil::loop

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

/// What is left of a kernel's bytes when a change is worth it: estimates are no
/// closer to measured times than that (docs/concepts/Layouts.md). Another order
/// of a result alone adds no kernel.
static constexpr double kWorth = 0.75, kWorthOrder = 0.9;

namespace {

struct LoopAssignLayoutsPass
    : coil::loop::impl::LoopAssignLayoutsPassBase<LoopAssignLayoutsPass> {
  using LoopAssignLayoutsPassBase::LoopAssignLayoutsPassBase;

  void runOnOperation() override {
    auto target = target::getProgramTarget(getOperation());
    const target::TargetKind *kind =
        target ? target::lookupTargetKind(target.getKind()) : nullptr;
    if (!kind)
      return;
    if (kind->form == target::KernelForm::Vectors)
      return runOnVectors(target);
    std::optional<int64_t> warp = target.getFact("warp_size"),
                           count = target.getFact("multiprocessors"),
                           bandwidth = target.getFact("bandwidth");
    if (!warp || !count || !bandwidth) {
      remark::missed(getOperation().getLoc(),
                     remark::RemarkOpts::name("NoLayouts")
                         .category(DEBUG_TYPE)
                         .function(getOperation().getName()))
          << remark::add("layouts stay: the target states no '{0}'",
                         !warp    ? "warp_size"
                         : !count ? "multiprocessors"
                                  : "bandwidth");
      return;
    }
    lanes = *warp;
    processors = *count;
    assign(target);
  }

private:
  /// A vector of a core takes a cache line for each element that it gathers, as
  /// a warp takes a sector.
  void runOnVectors(target::TargetAttrInterface target) {
    std::optional<int64_t> bits = target.getFact("vector_bits");
    if (!bits)
      return;
    lanes = *bits / 32;
    processors = 0;
    assign(target);
  }

  void assign(target::TargetAttrInterface target) {
    launch = launchBytes >= 0 ? static_cast<double>(launchBytes)
                              : getLaunchBytes(target);
    SmallVector<KernelOp> kernels;
    getOperation()->walk([&](KernelOp kernel) {
      if (canChange(kernel))
        kernels.push_back(kernel);
    });
    copies.clear();
    for (KernelOp kernel : kernels)
      for (OpResult result : kernel->getResults())
        if (!reorderForViews(result))
          reorder(result);
    for (KernelOp kernel : kernels)
      if (!computeApart(kernel))
        copyAround(kernel);
  }

  /// (C1)
  bool canChange(KernelOp kernel) {
    return !kernel.getSchedule() && !kernel.getConv() &&
           !isLibraryKernel(kernel, library) &&
           llvm::none_of(*kernel.getBlock(), [](Operation &op) {
             return isa<ScatterOp, SegmentSumOp, ScanOp, ArgScanOp,
                        AccumulateOp>(op);
           });
  }

  /// The order of dimensions in which the function has to return what `use`
  /// is; nothing where that has gaps or `use` is no return.
  std::optional<DimOrder> getReturnedOrder(OpOperand &use) {
    auto fn = getOperation();
    if (!isa<func::ReturnOp>(use.getOwner()))
      return std::nullopt;
    auto type = cast<RankedTensorType>(use.get().getType());
    auto order =
        llvm::to_vector(llvm::seq(static_cast<unsigned>(type.getRank())));
    auto attr = fn.getResultAttrOfType<sym::ShapeAttr>(use.getOperandNumber(),
                                                       "coil.strides");
    if (!attr)
      return order;
    if (!isDense(sym::getSizes(type), attr.getDims()))
      return std::nullopt;
    return getOrder(attr.getDims());
  }

  /// Dimensions from the largest of their strides on, by the hints of symbols.
  DimOrder getOrder(ArrayRef<ExprAttr> strides) {
    Hints hints(getOperation());
    auto order =
        llvm::to_vector(llvm::seq(static_cast<unsigned>(strides.size())));
    SmallVector<double> numbers;
    for (ExprAttr stride : strides)
      numbers.push_back(hints(stride));
    llvm::sort(order, [&](unsigned a, unsigned b) {
      return std::pair(-numbers[a], a) < std::pair(-numbers[b], b);
    });
    return order;
  }

  /// The dimension of the input that each of a view that permutes them is;
  /// nothing for other views.
  std::optional<DimOrder> getPermutation(ViewOp view) {
    ArrayRef<ExprAttr> indices = view.getIndices().getDims();
    auto type = cast<RankedTensorType>(view.getType());
    if (static_cast<int64_t>(indices.size()) != type.getRank())
      return std::nullopt;
    DimOrder inputs;
    for (unsigned d = 0; d < indices.size(); ++d) {
      const auto *it = llvm::find(indices, sym::dim(&getContext(), d));
      if (it == indices.end())
        return std::nullopt;
      inputs.push_back(static_cast<unsigned>(it - indices.begin()));
    }
    return inputs;
  }

  /// Adds the orders in which the function returns `view`, as orders of its
  /// input; returns false where somebody else reads it.
  bool addReturnedOrders(ViewOp view, SmallVector<DimOrder> &orders) {
    std::optional<DimOrder> inputs = getPermutation(view);
    if (!inputs || view->use_empty())
      return false;
    for (OpOperand &use : view->getUses()) {
      std::optional<DimOrder> order = getReturnedOrder(use);
      if (!order)
        return false;
      for (unsigned &d : *order)
        d = (*inputs)[d];
      orders.push_back(std::move(*order));
    }
    return true;
  }

  /// Has `view` read a result whose dimensions are in another order.
  void rebase(ViewOp view, Value result, const DimOrder &order) {
    OpBuilder b(view);
    SmallVector<ExprAttr> indices;
    for (unsigned d : order)
      indices.push_back(view.getIndices().getDims()[d]);
    bool isIdentity = view.getType() == result.getType();
    for (auto [d, index] : llvm::enumerate(indices))
      isIdentity &= index == sym::dim(&getContext(), static_cast<unsigned>(d));
    Value seen = result;
    if (!isIdentity)
      seen = ViewOp::create(b, view.getLoc(), view.getType(), result,
                            sym::ShapeAttr::get(&getContext(), indices));
    view.getResult().replaceAllUsesWith(seen);
    view.erase();
  }

  /// Gives a result that kernels read, or that is returned as a view, the order
  /// of dimensions in which writing, reading and returning it takes least.
  void reorder(OpResult result) {
    auto producer = cast<KernelOp>(result.getOwner());
    SmallVector<KernelOp> kernels{producer};
    SmallVector<DimOrder> orders;
    SmallVector<OpOperand *> returns;
    SmallVector<ViewOp> views;
    for (OpOperand &use : result.getUses()) {
      auto kernel = dyn_cast<KernelOp>(use.getOwner());
      if (kernel && canChange(kernel)) {
        if (!llvm::is_contained(kernels, kernel))
          kernels.push_back(kernel);
        continue;
      }
      if (auto view = dyn_cast<ViewOp>(use.getOwner())) {
        if (!addReturnedOrders(view, orders))
          return; // (C2)
        views.push_back(view);
        continue;
      }
      std::optional<DimOrder> order = getReturnedOrder(use);
      if (!order)
        return; // (C2)
      orders.push_back(std::move(*order));
      returns.push_back(&use);
    }
    if (kernels.size() == 1 && views.empty())
      return;
    SmallVector<DimOrder> returned = orders;
    std::vector<KernelLayouts> layouts;
    for (KernelOp kernel : kernels) {
      layouts.emplace_back(kernel, lanes, processors);
      if (!layouts.back().canMove(result))
        return;
    }
    auto getBytes = [&](const DimOrder *order) {
      double bytes = 0;
      for (const DimOrder &wanted : returned)
        bytes += layouts.front().getCopyBytes(result, order, wanted, launch);
      for (KernelLayouts &each : layouts) {
        each.assume(result, order);
        bytes += each.plan(launch).bytes;
      }
      return bytes;
    };
    double before = getBytes(nullptr), least = before * kWorthOrder,
           possible = 0;
    for (const KernelLayouts &each : layouts)
      possible += each.getLeastBytes();
    if (!always && possible >= least)
      return;
    for (const KernelLayouts &each : layouts)
      for (DimOrder &order : each.getWantedOrders(result))
        if (!llvm::is_contained(orders, order))
          orders.push_back(std::move(order));
    const DimOrder *best = nullptr;
    if (always)
      least = std::numeric_limits<double>::infinity();
    for (const DimOrder &order : orders) {
      double bytes = getBytes(&order);
      if (bytes < least && !llvm::is_sorted(order)) {
        least = bytes;
        best = &order;
      }
    }
    if (!best)
      return;
    Type type = result.getType();
    permuteResult(producer, result.getResultNumber(), *best);
    for (KernelOp kernel : ArrayRef(kernels).drop_front())
      for (auto [i, input] : llvm::enumerate(kernel.getInputs()))
        if (input == result)
          permuteInput(kernel, static_cast<unsigned>(i), result, *best);
    for (ViewOp view : views)
      rebase(view, result, *best);
    for (OpOperand *use : returns) {
      OpBuilder b(use->getOwner());
      SmallVector<ExprAttr> dims;
      for (unsigned d : *best)
        dims.push_back(sym::dim(&getContext(), d));
      use->set(ViewOp::create(b, producer.getLoc(), type, result,
                              sym::ShapeAttr::get(&getContext(), dims)));
    }
    report(producer.getLoc(), "Reordered",
           "result " + Twine(result.getResultNumber()) + " of '" +
               producer.getName() + "' has its dimensions in the order " +
               describe(*best),
           before, least);
  }

  /// The order of dimensions in which a pointwise kernel reads an operand as
  /// its result is indexed, where that is an order of the result without gaps.
  std::optional<DimOrder> getReadOrder(KernelOp kernel, LoadOp load,
                                       ArrayRef<ExprAttr> sizes) {
    if (load.getMask() || !load.getArgs().empty())
      return std::nullopt;
    std::optional<StridedView> address = getLinearAddress(
        sym::getAddress(&getContext(), load.getIndices().getDims(),
                        getOperandStrides(kernel, load.getSource())),
        kernel.getNumDims());
    if (!address || !address->offset.isConstant(0) ||
        address->strides.size() != sizes.size() ||
        !isDense(sizes, address->strides))
      return std::nullopt;
    return getOrder(address->strides);
  }

  /// Gives the result of a pointwise kernel that only views read the order of
  /// one of its operands, where each view is evenly spaced then, and some are
  /// not otherwise and would be copies. Returns whether it did.
  bool reorderForViews(OpResult result) {
    auto kernel = cast<KernelOp>(result.getOwner());
    // Each point of a pointwise kernel is one element. (C5)
    StoreOp store = kernel.getStore(result.getResultNumber());
    if (!store || kernel.isSequential() || !kernel.getReducedDims().empty() ||
        result.use_empty())
      return false;
    for (auto [d, index] : llvm::enumerate(store.getIndices().getDims()))
      if (index != sym::dim(&getContext(), static_cast<unsigned>(d)))
        return false;
    SmallVector<ViewOp> views;
    for (Operation *user : result.getUsers()) {
      auto view = dyn_cast<ViewOp>(user);
      if (!view)
        return false;
      views.push_back(view);
    }
    SmallVector<ExprAttr> sizes =
        sym::getSizes(cast<RankedTensorType>(result.getType()));
    auto countCopies = [&](const DimOrder &order) {
      SmallVector<ExprAttr> permuted, strides(sizes.size());
      for (unsigned d : order)
        permuted.push_back(sizes[d]);
      SmallVector<ExprAttr> contiguous =
          sym::getContiguousStrides(&getContext(), permuted);
      for (auto [d, stride] : llvm::zip_equal(order, contiguous))
        strides[d] = stride;
      return llvm::count_if(
          views, [&](ViewOp view) { return !getStridedView(view, strides); });
    };
    auto before =
        countCopies(llvm::to_vector(llvm::seq<unsigned>(0, sizes.size())));
    if (before == 0)
      return false;
    for (auto load : kernel.getBlock()->getOps<LoadOp>()) {
      std::optional<DimOrder> order = getReadOrder(kernel, load, sizes);
      if (!order || countCopies(*order) != 0)
        continue;
      permuteResult(kernel, result.getResultNumber(), *order);
      for (ViewOp view : views)
        rebase(view, result, *order);
      remark::passed(kernel.getLoc(), remark::RemarkOpts::name("Reordered")
                                          .category(DEBUG_TYPE)
                                          .function(kernel.getName()))
          << remark::add("result {0} of '{1}' has its dimensions in the order "
                         "{2}, in which {3} views of it are no copies",
                         result.getResultNumber(), kernel.getName(),
                         describe(*order), before);
      return true;
    }
    return false;
  }

  /// Bytes that `kernel` asks for, the copies that are best for it included.
  double getPlannedBytes(KernelOp kernel) {
    KernelLayouts layouts(kernel, lanes, processors);
    layouts.setCopied([&](Value tensor, const DimOrder &order) {
      return bool(findCopy(kernel, tensor, order));
    });
    double least = layouts.getBytesWithoutCopies();
    KernelPlan plan = layouts.plan(launch);
    return plan.moves.empty() || plan.bytes >= least * kWorth ? least
                                                              : plan.bytes;
  }

  /// Has a kernel of its own compute what `kernel` reduces, where tiles of
  /// several dimensions read operands in different orders with less than the
  /// threads of a reduction do. Replaces the kernel then.
  bool computeApart(KernelOp kernel) {
    if (processors == 0 || !takesApart || always ||
        kernel.getReducedDims().empty() || matchContraction(kernel) ||
        matchConvolution(kernel))
      return false;
    KernelLayouts layouts(kernel, lanes, processors);
    // What is computed apart is written and read once more.
    if (layouts.getLeastBytes() >= layouts.getBytesWithoutCopies() * kWorth)
      return false;
    double now = getPlannedBytes(kernel), least = now * kWorth;
    std::optional<ReducedApart> best;
    auto discard = [&](ReducedApart &apart) {
      apart.rest->replaceAllUsesWith(kernel);
      apart.rest.erase();
      apart.elements.erase();
    };
    for (Value elements : getReducedElements(kernel)) {
      ReducedApart apart = reduceApart(kernel, elements);
      kernel->replaceAllUsesWith(apart.rest);
      double bytes = getPlannedBytes(apart.elements) +
                     getPlannedBytes(apart.rest) + launch;
      if (bytes >= least) {
        discard(apart);
        continue;
      }
      least = bytes;
      if (best)
        discard(*best);
      best = apart;
      apart.rest->replaceAllUsesWith(kernel);
    }
    if (!best)
      return false;
    report(kernel.getLoc(), "Apart",
           "'" + kernel.getName() +
               "' reduces what a kernel of its own computes",
           now, least);
    kernel->replaceAllUsesWith(best->rest);
    kernel.erase();
    copyAround(best->elements);
    copyAround(best->rest);
    return true;
  }

  /// Copies operands that the kernel had better read, and results that it had
  /// better write, in another order.
  void copyAround(KernelOp kernel) {
    KernelLayouts layouts(kernel, lanes, processors);
    layouts.setCopied([&](Value tensor, const DimOrder &order) {
      return bool(findCopy(kernel, tensor, order));
    });
    double before = layouts.getBytesWithoutCopies();
    if (!always && layouts.getLeastBytes() >= before * kWorth)
      return;
    KernelPlan plan = layouts.plan(launch, always);
    if (plan.moves.empty() || (!always && plan.bytes >= before * kWorth))
      return;
    for (const Move &move : plan.moves) {
      const TensorUse &use = layouts.getUses()[move.use];
      if (use.isResult) {
        OpResult result = kernel->getResult(use.number);
        auto type = cast<RankedTensorType>(result.getType());
        permuteResult(kernel, use.number, move.order);
        OpBuilder b(&getContext());
        b.setInsertionPointAfter(kernel);
        Value copy = createCopy(b, kernel.getLoc(), result, type, move.order,
                                /*back=*/true);
        result.replaceAllUsesExcept(copy, copy.getDefiningOp());
      } else {
        Value copy = findCopy(kernel, use.tensor, move.order);
        if (!copy) {
          OpBuilder b(kernel);
          auto type = cast<RankedTensorType>(use.tensor.getType());
          copy = createCopy(b, kernel.getLoc(), use.tensor,
                            getPermutedType(type, move.order), move.order,
                            /*back=*/false);
          copies.push_back({use.tensor, move.order, copy});
        }
        for (auto [i, input] : llvm::enumerate(kernel.getInputs()))
          if (input == use.tensor)
            permuteInput(kernel, static_cast<unsigned>(i), copy, move.order);
      }
      report(kernel.getLoc(), "Copied",
             (use.isResult ? "result " : "operand ") + Twine(use.number) +
                 " of '" + kernel.getName() +
                 "' is copied: the kernel has its dimensions in the order " +
                 describe(move.order),
             before, plan.bytes);
    }
  }

  /// A copy that is there where `kernel` is.
  Value findCopy(KernelOp kernel, Value tensor, const DimOrder &order) {
    for (const Copy &copy : copies)
      if (copy.tensor == tensor && copy.order == order) {
        Operation *op = copy.result.getDefiningOp();
        if (op->getBlock() == kernel->getBlock() && op->isBeforeInBlock(kernel))
          return copy.result;
      }
    return {};
  }

  void report(Location loc, StringRef name, const Twine &what, double before,
              double after) {
    auto megabytes = [](double bytes) {
      return std::to_string(static_cast<int64_t>(bytes / 1e6)) + " MB";
    };
    remark::passed(loc, remark::RemarkOpts::name(name)
                            .category(DEBUG_TYPE)
                            .function(getOperation().getName()))
        << remark::add("{0}; estimated to ask memory for {1} instead of {2}",
                       what.str(), megabytes(after), megabytes(before));
  }

  struct Copy {
    Value tensor;
    DimOrder order;
    Value result;
  };
  SmallVector<Copy> copies;
  int64_t lanes = 0, processors = 0;
  /// Bytes that move in the time of a launch.
  double launch = 0;
};

} // namespace
