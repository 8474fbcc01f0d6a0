//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes one operator of attention that a program spells.
//
//===----------------------------------------------------------------------===//

#include "AttentionLibrary.h"
#include "AttentionMatch.h"

#include "coil/Dialect/Graph/Transforms/Passes.h"
#include "coil/Support/Libraries.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

#define DEBUG_TYPE "graph-raise-attention"

namespace coil::graph {
#define GEN_PASS_DEF_GRAPHRAISEATTENTIONPASS
#include "coil/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace coil::graph

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

/// A number as the printed operator has it.
static std::string toText(double number) {
  std::string text;
  llvm::raw_string_ostream(text) << number;
  return text;
}

static constexpr double kMinusInfinity =
    -std::numeric_limits<double>::infinity();

namespace {

/// The one mask that all masks of a program are.
struct MaskPlan {
  /// Null without a mask, `i1` where scores are replaced, else what is added.
  Type type;
  double fill = kMinusInfinity;
  bool nanRows = false;
};

} // namespace

/// The type in which masks are added: the operands' own where the program
/// rounds to that, or where it loses nothing.
static Type getAddedType(const AttentionMatch &match) {
  Type wide = getAccumulationType(match.type);
  unsigned additions = llvm::count_if(match.masks, [](const MaskStep &mask) {
    return mask.kind == MaskStep::Add;
  });
  for (const MaskStep &mask : match.masks) {
    if (mask.kind == MaskStep::Hide) {
      if (match.type.isF16() && std::isfinite(mask.fill))
        return wide;
      continue;
    }
    Value v = mask.operand.value;
    if (auto convert = v.getDefiningOp<ConvertOp>();
        convert && additions == 1 && mask.factor == 1)
      v = convert.getInput();
    if (graph::getElementType(v) != match.type)
      return wide;
  }
  return match.type;
}

/// Fails with a reason where no mask of the operator says the same.
static FailureOr<MaskPlan> planMask(const AttentionMatch &match,
                                    std::string &why) {
  MaskPlan plan;
  if (match.masks.empty())
    return plan;
  auto isHide = [](const MaskStep &mask) {
    return mask.kind == MaskStep::Hide;
  };
  double fill = match.masks.front().fill;
  if (llvm::all_of(match.masks, [&](const MaskStep &mask) {
        return isHide(mask) && mask.fill == fill;
      })) {
    plan.type = IntegerType::get(match.type.getContext(), 1);
    plan.fill = fill;
    plan.nanRows = match.nanRows && fill == kMinusInfinity;
    return plan;
  }
  for (const MaskStep &mask : match.masks) {
    if (isHide(mask) && !(mask.fill <= kHidden)) {
      why =
          llvm::formatv("its scores are masked twice, and the number {0} that "
                        "replaces some of them takes part in the softmax",
                        toText(mask.fill));
      return failure();
    }
    if (!isHide(mask) &&
        mask.type.getIntOrFloatBitWidth() >
            getAccumulationType(match.type).getIntOrFloatBitWidth()) {
      why = "what is added to its scores is of a wider type";
      return failure();
    }
  }
  plan.type = getAddedType(match);
  plan.nanRows = match.nanRows;
  return plan;
}

namespace {

/// The dimensions of the operator: two of batches, rows, columns and the
/// widths.
struct Roles {
  SmallVector<unsigned, 2> outer, heads, rows, columns, width, valueWidth;

  explicit Roles(const AttentionMatch &match);

  AxisLayout with(ArrayRef<unsigned> third, ArrayRef<unsigned> fourth) const {
    AxisLayout layout{outer, heads};
    for (ArrayRef<unsigned> dim : {third, fourth})
      layout.emplace_back(dim.begin(), dim.end());
    return layout;
  }
};

} // namespace

/// Heads are the last axis of the batches with those before it that share keys:
/// whose keys are repeated, which a library need not store.
Roles::Roles(const AttentionMatch &match) {
  auto assign = [](auto &to, ArrayRef<unsigned> from) {
    to.assign(from.begin(), from.end());
  };
  ArrayRef<unsigned> batch = match.batch;
  SmallVector<unsigned> keys = match.axes.flatten(match.key.layout);
  size_t split = batch.size() < 2 ? batch.size() : batch.size() - 1;
  while (split > 1 && split < batch.size() &&
         !llvm::is_contained(keys, batch[split]))
    --split;
  assign(outer, batch.take_front(split));
  assign(heads, batch.drop_front(split));
  assign(rows, match.rows);
  assign(columns, match.columns);
  assign(width, match.axes.expand(match.width));
  assign(valueWidth, match.axes.expand(match.valueWidth));
}

/// What the choice of a library looks at, of the operator that `build` makes.
static AttentionShape describe(const AttentionMatch &match, const Roles &roles,
                               const MaskPlan &mask) {
  const Axes &axes = match.axes;
  auto sizesOf = [&](const AxisLayout &layout) {
    Sizes sizes;
    for (const auto &dim : layout)
      sizes.push_back(axes.getSize(dim));
    return sizes;
  };
  AttentionShape shape;
  shape.type = match.type;
  shape.query = sizesOf(roles.with(roles.rows, roles.width));
  shape.key = sizesOf(roles.with(roles.columns, roles.width));
  shape.value = sizesOf(roles.with(roles.columns, roles.valueWidth));
  shape.hasSoftcap = match.softcap.has_value();
  shape.maskType = mask.type;
  if (!mask.type)
    return shape;
  if (mask.type.isInteger(1))
    shape.fill = mask.fill;
  // A mask has one element along columns where no step varies over them.
  bool varies = llvm::any_of(match.masks, [&](const MaskStep &step) {
    return llvm::any_of(axes.flatten(step.operand.layout), [&](unsigned axis) {
      return llvm::is_contained(roles.columns, axis);
    });
  });
  shape.mask = sizesOf(roles.with(roles.rows, roles.columns));
  if (!varies)
    shape.mask.back() = sym::constant(match.type.getContext(), 1);
  return shape;
}

/// A row or column of query or key times the factors of the program.
static Value scaleRows(TensorBuilder &b, const AttentionMatch &match,
                       Value rows, ArrayRef<RowFactor> factors,
                       const AxisLayout &layout) {
  if (factors.empty())
    return rows;
  Type wide = getAccumulationType(match.type);
  rows = b.convert(rows, wide);
  for (const RowFactor &factor : factors) {
    Value number = b.convert(match.axes.relayout(b, factor.operand.value,
                                                 factor.operand.layout, layout,
                                                 /*isFull=*/false),
                             wide);
    rows = factor.divides ? b.div(rows, number) : b.mul(rows, number);
  }
  return b.convert(rows, match.type);
}

static Value buildMask(TensorBuilder &b, const AttentionMatch &match,
                       const Roles &roles, const MaskPlan &plan) {
  AxisLayout scores = roles.with(roles.rows, roles.columns);
  Value result;
  for (const MaskStep &step : match.masks) {
    Value v = match.axes.relayout(b, step.operand.value, step.operand.layout,
                                  scores, /*isFull=*/false);
    if (plan.type.isInteger(1)) {
      v = step.keepsTrue ? v : b.logicalNot(v);
      result = result ? b.binary<BitwiseAndOp>(result, v) : v;
    } else if (step.kind == MaskStep::Hide) {
      APFloat lowest = APFloat::getLargest(
          cast<FloatType>(plan.type).getFloatSemantics(), /*Negative=*/true);
      Value hidden =
          b.scalar(std::isfinite(step.fill)
                       ? std::max(step.fill, lowest.convertToDouble())
                       : step.fill,
                   plan.type);
      Value kept = result ? result : b.scalar(0, plan.type);
      result = step.keepsTrue ? b.select(v, kept, hidden)
                              : b.select(v, hidden, kept);
    } else {
      v = b.convert(v, plan.type);
      if (step.factor != 1)
        v = b.mul(v, b.scalar(step.factor, plan.type));
      result = result ? b.add(result, v) : v;
    }
  }
  return result;
}

static AttentionOp build(AttentionMatch &match, const Roles &roles,
                         const MaskPlan &plan) {
  Operation *root = match.result.value.getDefiningOp();
  OpBuilder builder(root);
  TensorBuilder b(builder, root->getLoc());
  auto place = [&](const PlacedValue &operand, const AxisLayout &layout) {
    return b.convert(match.axes.relayout(b, operand.value, operand.layout,
                                         layout,
                                         /*isFull=*/true),
                     match.type);
  };
  Value query = scaleRows(
      b, match, place(match.query, roles.with(roles.rows, roles.width)),
      match.queryFactors, roles.with(roles.rows, {}));
  Value key = scaleRows(
      b, match, place(match.key, roles.with(roles.columns, roles.width)),
      match.keyFactors, roles.with(roles.columns, {}));
  Value value = place(match.value, roles.with(roles.columns, roles.valueWidth));
  Value mask = plan.type ? buildMask(b, match, roles, plan) : Value();
  AxisLayout layout = roles.with(roles.rows, roles.valueWidth);
  Sizes sizes;
  for (const auto &dim : layout)
    sizes.push_back(match.axes.getSize(dim));
  auto op = AttentionOp::create(
      builder, root->getLoc(), sym::getTensorType(sizes, match.type), query,
      key, value, mask, /*causal=*/false, match.scale);
  op.setTf32(match.tf32);
  op.setNanRows(plan.nanRows);
  if (plan.type && plan.type.isInteger(1) && plan.fill != kMinusInfinity)
    op.setFillAttr(builder.getF64FloatAttr(plan.fill));
  if (match.softcap)
    op.setSoftcapAttr(builder.getF64FloatAttr(*match.softcap));
  Value result = match.axes.relayout(b, op.getResult(), layout,
                                     match.result.layout, /*isFull=*/true);
  Type type = graph::getElementType(match.result.value);
  match.result.value.replaceAllUsesWith(b.convert(result, type));
  return op;
}

/// Erases what nothing uses any more, and notes what was erased.
static void eraseDead(Operation *root,
                      llvm::SmallPtrSetImpl<Operation *> &erased) {
  llvm::SetVector<Operation *> worklist;
  worklist.insert(root);
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    if (!isOpTriviallyDead(op))
      continue;
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        worklist.insert(producer);
    erased.insert(op);
    op->erase();
  }
}

namespace {

struct GraphRaiseAttention
    : graph::impl::GraphRaiseAttentionPassBase<GraphRaiseAttention> {
  using GraphRaiseAttentionPassBase::GraphRaiseAttentionPassBase;

  void runOnOperation() override {
    bool hasCudnn = hasLibrary(library, "cudnn");
    if (!always && !hasCudnn)
      return;
    SmallVector<Operation *> exponentials;
    getOperation()->walk([&](Operation *op) {
      if (isa<ExpOp, Exp2Op>(op))
        exponentials.push_back(op);
    });
    // The second exponential of exp(log_softmax(x)) goes with the first.
    llvm::SmallPtrSet<Operation *, 32> erased;
    for (Operation *op : exponentials)
      if (!erased.contains(op))
        raise(op, erased);
  }

private:
  void raise(Operation *op, llvm::SmallPtrSetImpl<Operation *> &erased);
};

} // namespace

void GraphRaiseAttention::raise(Operation *op,
                                llvm::SmallPtrSetImpl<Operation *> &erased) {
  AttentionMiss miss;
  std::optional<AttentionMatch> match = matchAttention(op, miss);
  auto options = [&](StringRef name) {
    return remark::RemarkOpts::name(name)
        .category(DEBUG_TYPE)
        .function(getOperation().getName());
  };
  auto reject = [&](StringRef why) {
    remark::missed(op->getLoc(), options("NotAttention"))
        << remark::add("not attention: {0}", why);
  };
  if (!match) {
    if (miss.isNear)
      reject(miss.why);
    return;
  }
  std::string why;
  FailureOr<MaskPlan> mask = planMask(*match, why);
  if (failed(mask))
    return reject(why);
  Roles roles(*match);
  if (!always) {
    why = explainNotCudnn(describe(*match, roles, *mask));
    if (!why.empty()) {
      remark::missed(op->getLoc(), options("NotRaised"))
          << remark::add("attention that stays as it is written: {0}", why);
      return;
    }
  }
  Operation *root = match->result.value.getDefiningOp();
  AttentionOp attention = build(*match, roles, *mask);
  remark::passed(root->getLoc(), options("Attention"))
      << remark::add("attention of {0} by {1}, scale {2}{3}",
                     toString(getSizes(attention.getQuery())),
                     toString(getSizes(attention.getKey())),
                     toText(attention.getScale().convertToDouble()),
                     !mask->type               ? ""
                     : mask->type.isInteger(1) ? ", scores are hidden"
                                               : ", a mask is added");
  eraseDead(root, erased);
}
