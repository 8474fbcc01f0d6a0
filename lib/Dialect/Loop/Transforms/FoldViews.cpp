//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `loop-fold-views`.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Loop/Transforms/Passes.h"

#include "coil/Dialect/Loop/Analysis/Contraction.h"
#include "coil/Dialect/Loop/Analysis/Layout.h"
#include "coil/Dialect/Loop/IR/Loop.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace coil::loop {
#define GEN_PASS_DEF_LOOPFOLDVIEWSPASS
#include "coil/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace coil::loop

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

/// The indices of a load through `view`, or nothing when an indirect index
/// would not stay one, or would be checked against another size.
static std::optional<SmallVector<ExprAttr>>
composeIndices(LoadOp load, ViewOp view, const sym::Context &context) {
  SmallVector<ExprAttr> indices;
  bool checked = load.getBounds() != BoundsPolicy::Trusted;
  SmallVector<ExprAttr> viewSizes =
      sym::getSizes(cast<RankedTensorType>(view.getType()));
  SmallVector<ExprAttr> inputSizes =
      sym::getSizes(cast<RankedTensorType>(view.getInput().getType()));
  for (auto [e, inputSize] :
       llvm::zip_equal(view.getIndices().getDims(), inputSizes)) {
    ExprAttr composed =
        context.simplify(sym::substituteDims(e, load.getIndices().getDims()));
    if (checked && sym::isIndirect(composed)) {
      if (composed.getKind() != sym::ExprKind::Arg)
        return std::nullopt;
      for (auto [index, size] :
           llvm::zip_equal(load.getIndices().getDims(), viewSizes))
        if (index == composed && size != inputSize)
          return std::nullopt;
    }
    indices.push_back(composed);
  }
  // Nor may an index that is checked disappear.
  if (checked)
    for (ExprAttr index : load.getIndices().getDims())
      if (index.getKind() == sym::ExprKind::Arg &&
          !llvm::is_contained(indices, index))
        return std::nullopt;
  return indices;
}

namespace {

struct LoopFoldViewsPass
    : coil::loop::impl::LoopFoldViewsPassBase<LoopFoldViewsPass> {
  void runOnOperation() override {
    getOperation()->walk([&](ViewOp view) { composeViews(view); });
    getOperation()->walk([&](AttentionOp op) { shareHeads(op); });
    getOperation()->walk([&](KernelOp kernel) { fold(kernel); });
    // Users come after their operands: backward, a chain dies in one sweep.
    SmallVector<ViewOp> views;
    getOperation()->walk<WalkOrder::PreOrder>(
        [&](ViewOp view) { views.push_back(view); });
    for (ViewOp view : llvm::reverse(views))
      if (view->use_empty())
        view.erase();
    getOperation()->walk([&](func::ReturnOp op) {
      for (OpOperand &operand : op->getOpOperands())
        writeResult(operand);
    });
  }

  /// Whether the elements of a view are all of a part of memory, in an order of
  /// its dimensions: a result can be that view of a buffer.
  static bool isDense(ViewOp view) {
    auto type = cast<RankedTensorType>(view.getInput().getType());
    std::optional<StridedView> strided =
        getStridedView(view, sym::getContiguousStrides(view.getContext(),
                                                       sym::getSizes(type)));
    if (!strided)
      return false;
    SmallVector<std::pair<int64_t, int64_t>> dims;
    for (auto [stride, size] : llvm::zip_equal(
             strided->strides,
             sym::getSizes(cast<RankedTensorType>(view.getType())))) {
      if (size.isConstant(1))
        continue;
      // Without numbers for sizes it stays what it is.
      if (!stride.isConstant() || !size.isConstant())
        return true;
      dims.emplace_back(stride.getValue(), size.getValue());
    }
    llvm::sort(dims);
    int64_t next = 1;
    for (auto [stride, size] : dims) {
      if (stride != next)
        return false;
      next *= size;
    }
    return true;
  }

  /// A returned view of what a kernel computes, of which memory would be a
  /// copy, is a kernel, which can compute it.
  static void writeResult(OpOperand &operand) {
    auto view = operand.get().getDefiningOp<ViewOp>();
    if (!view || !view.getInput().getDefiningOp<KernelOp>() || isDense(view) ||
        llvm::any_of(view.getIndices().getDims(), sym::isIndirect))
      return;
    Location loc = view.getLoc();
    auto type = cast<RankedTensorType>(view.getType());
    OpBuilder b(view);
    auto kernel = KernelOp::create(b, loc, "copy", sym::getSizes(type),
                                   view.getInput(), TypeRange(type));
    OpBuilder body = OpBuilder::atBlockEnd(kernel.getBlock());
    auto load = LoadOp::create(body, loc, kernel.getBlock()->getArgument(0),
                               view.getIndices().getDims());
    SmallVector<ExprAttr> at;
    for (int64_t d = 0; d < type.getRank(); ++d)
      at.push_back(sym::dim(b.getContext(), static_cast<unsigned>(d)));
    StoreOp::create(body, loc, load, 0,
                    sym::ShapeAttr::get(b.getContext(), at));
    view.replaceAllUsesWith(kernel.getResult(0));
    view.erase();
  }

  /// A view of a view reads the innermost operand.
  void composeViews(ViewOp view) {
    auto inner = view.getInput().getDefiningOp<ViewOp>();
    if (!inner)
      return;
    sym::Context context = sym::Context::forOp(view);
    context.setDimExtents(
        sym::getSizes(cast<RankedTensorType>(view.getType())));
    SmallVector<ExprAttr> indices;
    for (ExprAttr e : inner.getIndices().getDims())
      indices.push_back(context.simplify(
          sym::substituteDims(e, view.getIndices().getDims())));
    view.setIndicesAttr(sym::ShapeAttr::get(&getContext(), indices));
    view.getInputMutable().assign(inner.getInput());
  }

  /// The same view of every `group`th head, if neighbouring heads are the same;
  /// null otherwise.
  Value takeHeads(Value operand, int64_t group) {
    auto view = operand.getDefiningOp<ViewOp>();
    if (!view)
      return {};
    auto type = cast<RankedTensorType>(view.getType());
    SmallVector<ExprAttr> sizes = sym::getSizes(type), at;
    sizes[1] = sym::constant(&getContext(), *sizes[1].getConstant() / group);
    for (unsigned d = 0; d < 4; ++d)
      at.push_back(sym::dim(&getContext(), d));
    // Head `d1 * group + d4`, which must not depend on d4.
    ExprAttr which = sym::dim(&getContext(), 4);
    at[1] = sym::add(sym::mul(at[1], group), which);
    sym::Context context = sym::Context::forOp(view);
    SmallVector<ExprAttr> extents = sizes, indices;
    extents.push_back(sym::constant(&getContext(), group));
    context.setDimExtents(extents);
    for (ExprAttr e : view.getIndices().getDims()) {
      indices.push_back(context.simplify(sym::substituteDims(e, at)));
      if (sym::mentions(indices.back(), which))
        return {};
    }
    OpBuilder builder(view);
    return ViewOp::create(builder, view.getLoc(),
                          sym::getTensorType(sizes, type.getElementType()),
                          view.getInput(),
                          sym::ShapeAttr::get(&getContext(), indices));
  }

  /// Keys and values that were repeated for several heads are read from where
  /// they were.
  void shareHeads(AttentionOp op) {
    auto sizes = [](Value v) {
      return sym::getSizes(cast<RankedTensorType>(v.getType()));
    };
    std::optional<int64_t> heads = sizes(op.getKey())[1].getConstant();
    if (!heads || sizes(op.getQuery())[1] != sizes(op.getKey())[1])
      return;
    for (int64_t group = *heads; group > 1; --group) {
      if (*heads % group != 0)
        continue;
      Value key = takeHeads(op.getKey(), group);
      Value value = key ? takeHeads(op.getValue(), group) : Value();
      if (!value)
        continue;
      op.getKeyMutable().assign(key);
      op.getValueMutable().assign(value);
      return;
    }
  }

  /// A load from an empty tensor never happens. Its indices can lose the empty
  /// dimension when they simplify, since the strides outside of it are zero;
  /// the load then looks as if it may be done outside of the empty loop.
  void replaceEmptyLoads(KernelOp kernel) {
    for (LoadOp load :
         llvm::make_early_inc_range(kernel.getBlock()->getOps<LoadOp>())) {
      auto type = cast<RankedTensorType>(load.getSource().getType());
      if (!llvm::is_contained(type.getShape(), 0))
        continue;
      Value value = load.getOther(); // The mask never holds.
      if (!value) {
        OpBuilder builder(load);
        value = arith::ConstantOp::create(builder, load.getLoc(),
                                          builder.getZeroAttr(load.getType()));
      }
      load.replaceAllUsesWith(value);
      load.erase();
    }
  }

  /// What a library may see in a kernel. A convolution that skips elements must
  /// stay one: as a contraction it is many small ones.
  enum class Form { Any, Contraction, StridedConvolution };
  static Form getForm(KernelOp kernel) {
    if (matchConvolution(kernel))
      return llvm::all_of(kernel.getConvAttr().getStride(),
                          [](int64_t stride) { return stride == 1; })
                 ? Form::Contraction
                 : Form::StridedConvolution;
    return matchContraction(kernel) ? Form::Contraction : Form::Any;
  }

  void fold(KernelOp kernel) {
    replaceEmptyLoads(kernel);
    Form form = getForm(kernel);
    for (unsigned i = 0; i < kernel.getInputs().size(); ++i) {
      auto view = kernel.getInputs()[i].getDefiningOp<ViewOp>();
      if (view)
        foldOperand(kernel, i, view, form);
    }
  }

  void foldOperand(KernelOp kernel, unsigned i, ViewOp view, Form form) {
    sym::Context context = sym::Context::forOp(kernel);
    context.setDimExtents(kernel.getDims().getDims());
    BlockArgument arg = kernel.getBody().getArgument(i);
    SmallVector<std::pair<LoadOp, SmallVector<ExprAttr>>> rewrites;
    for (Operation *user : arg.getUsers()) {
      auto load = dyn_cast<LoadOp>(user);
      if (!load) // The result of a scatter has the layout of its target.
        return;
      std::optional<SmallVector<ExprAttr>> indices =
          composeIndices(load, view, context);
      if (!indices)
        return;
      rewrites.emplace_back(load, std::move(*indices));
    }
    SmallVector<sym::ShapeAttr> before;
    for (auto &[load, indices] : rewrites) {
      before.push_back(load.getIndices());
      load.setIndicesAttr(sym::ShapeAttr::get(&getContext(), indices));
    }
    kernel->setOperand(i, view.getInput());
    arg.setType(view.getInput().getType());
    if (form == Form::Any || getForm(kernel) >= form)
      return;
    // Not even any more: the library gets a copy of the view.
    for (auto [rewrite, indices] : llvm::zip_equal(rewrites, before))
      rewrite.first.setIndicesAttr(indices);
    kernel->setOperand(i, view);
    arg.setType(view.getType());
  }
};

} // namespace
