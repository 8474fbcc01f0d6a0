//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rewrites compound operators to simple ones.
//
//===----------------------------------------------------------------------===//

#include "AttentionLibrary.h"
#include "AttentionMask.h"
#include "coil/Dialect/Graph/IR/TensorBuilder.h"
#include "coil/Dialect/Graph/Transforms/Passes.h"

#include "coil/Support/Libraries.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cmath>

namespace coil::graph {
#define GEN_PASS_DEF_GRAPHDECOMPOSEPASS
#include "coil/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace coil::graph

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using Pred = ComparePredicate;
using sym::ExprAttr;

/// Scores that are less than the largest of a row by more have no weight beside
/// it in any type, however long the row is.
static constexpr double kNegligible = -70;

/// Softmax along a dimension. Rows of minus infinity have no weights where
/// `mayBeMasked`; without `subnormals`, negligible weights are zero: a
/// processor takes a hundred times as long for exponentials and products with
/// subnormal numbers.
static Value getWeights(TensorBuilder &b, Value scores, int64_t dim,
                        bool mayBeMasked, bool subnormals) {
  if (!mayBeMasked && subnormals)
    return b.softmax(scores, dim);
  Type type = getElementType(scores);
  Value largest = b.reduce(ReduceKind::Max, scores, dim, /*keepdims=*/true);
  Value isMasked;
  if (mayBeMasked)
    isMasked =
        b.compare(Pred::Eq, largest,
                  b.scalar(-std::numeric_limits<double>::infinity(), type));
  Value shifted = b.sub(scores, largest), e;
  if (subnormals) {
    e = b.unary<ExpOp>(shifted);
  } else {
    Value least = b.scalar(kNegligible, type);
    e = b.select(b.compare(Pred::Lt, shifted, least), b.scalar(0, type),
                 b.unary<ExpOp>(b.binary<MaximumOp>(shifted, least)));
  }
  Value weights =
      b.div(e, b.reduce(ReduceKind::Sum, e, dim, /*keepdims=*/true));
  if (!mayBeMasked)
    return weights;
  return b.select(isMasked, b.scalar(0, type), weights);
}

/// weights [..., h, l, s] times value [..., h, s, f], as [..., h, l, f].
/// `wideProducts`: a library multiplies matrices of f32 only.
static Value applyWeights(TensorBuilder &b, Value weights, Value value,
                          bool tf32, bool wideProducts) {
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  if (rank < 4)
    return b.matmul(weights, value, {}, tf32);
  if (Type type = getElementType(value), wide = getAccumulationType(type);
      wideProducts && type != wide) {
    // Operands as the library takes them, and the heads side by side all the
    // same.
    Value product =
        b.matmul(b.convert(weights, wide), b.convert(value, wide), {}, tf32);
    product = b.convert(b.transpose(product, rank - 3, rank - 2), type);
    return b.transpose(product, rank - 3, rank - 2);
  }
  // The next operator reads the result with the heads side by side, so the
  // product is stored as [..., l, h, f]. As a sum of products over s, it has
  // its dimensions in that order.
  Type type = getElementType(value), wide = getAccumulationType(type);
  weights = b.unsqueeze(b.transpose(weights, rank - 3, rank - 2), rank);
  value = b.unsqueeze(value, rank - 3);
  Value products = b.mul(b.convert(weights, wide), b.convert(value, wide));
  Value sum =
      b.reduce(ReduceKind::Sum, products, rank - 1, /*keepdims=*/false, tf32);
  return b.transpose(b.convert(sum, type), rank - 3, rank - 2);
}

static void decompose(AttentionOp op, bool wideProducts) {
  OpBuilder builder(op);
  TensorBuilder b(builder, op.getLoc());
  Type type = getElementType(op.getResult());
  Type wide = getAccumulationType(type);
  int64_t rank = op.getType().getRank();

  Value query = b.convert(op.getQuery(), wide);
  Value key = b.transpose(b.convert(op.getKey(), wide), rank - 2, rank - 1);
  Value scores = b.mul(b.matmul(query, key, {}, op.getTf32()),
                       b.scalar(op.getScale().convertToDouble(), wide));
  if (std::optional<APFloat> softcap = op.getSoftcap()) {
    Value cap = b.scalar(softcap->convertToDouble(), wide);
    scores = b.mul(b.unary<TanhOp>(b.div(scores, cap)), cap);
  }
  double fill = op.getFill() ? op.getFill()->convertToDouble()
                             : -std::numeric_limits<double>::infinity();
  Value hidden = b.scalar(fill, wide);

  Value weights;
  if (Value mask = op.getMask()) {
    scores = getElementType(mask).isInteger(1)
                 ? b.select(mask, scores, hidden)
                 : b.add(scores, b.convert(mask, wide));
    weights = getWeights(b, scores, rank - 1,
                         /*mayBeMasked=*/fill ==
                                 -std::numeric_limits<double>::infinity() &&
                             !op.getNanRows(),
                         /*subnormals=*/!wideProducts);
  } else {
    if (op.getCausal()) {
      // Every row sees at least the first column.
      Sizes sizes = getSizes(scores);
      Value row = b.unsqueeze(b.iota(0, 1, sizes[rank - 2]), 1);
      Value column = b.iota(0, 1, sizes[rank - 1]);
      scores = b.select(b.compare(Pred::Le, column, row), scores, hidden);
    }
    weights = getWeights(b, scores, rank - 1, /*mayBeMasked=*/false,
                         /*subnormals=*/!wideProducts);
  }
  op.replaceAllUsesWith(applyWeights(b, b.convert(weights, type), op.getValue(),
                                     op.getTf32(), wideProducts));
  op.erase();
}

/// Whether the windows of a convolution are tiles of its input, of more than
/// one element.
static bool isTiled(ConvOp op) {
  Sizes in = getSizes(op.getInput()), weight = getSizes(op.getWeight());
  bool several = false;
  for (auto [i, stride] : llvm::enumerate(op.getStride())) {
    std::optional<int64_t> size = in[i + 2].getConstant(),
                           kernel = weight[i + 2].getConstant();
    if (!size || !kernel || *kernel != stride || *size % stride != 0 ||
        op.getPadding()[i] != 0 || (stride != 1 && op.getDilation()[i] != 1))
      return false;
    several |= stride > 1;
  }
  return several && op.getGroups() == 1 && !op.getChannelsLast();
}

/// A convolution with such windows is one matrix product: the input's tiles,
/// as rows, times the weights.
static void decompose(ConvOp op) {
  OpBuilder builder(op);
  TensorBuilder b(builder, op.getLoc());
  Sizes in = getSizes(op.getInput()), weight = getSizes(op.getWeight()),
        out = getSizes(op.getResult());
  size_t spatial = op.getStride().size();
  // [n, c, o0, k0, o1, k1, ...] to [n, o..., c, k...]
  Sizes split{in[0], in[1]}, rows{in[0]}, columns{in[1]};
  SmallVector<int64_t> order{0}, inner{1};
  for (size_t i = 0; i < spatial; ++i) {
    order.push_back(static_cast<int64_t>(split.size()));
    split.push_back(out[i + 2]);
    inner.push_back(static_cast<int64_t>(split.size()));
    split.push_back(weight[i + 2]);
    rows.push_back(out[i + 2]);
    columns.push_back(weight[i + 2]);
  }
  order.append(inner);
  MLIRContext *context = op.getContext();
  ExprAttr depth = sym::product(context, columns);
  Value tiles = b.reshape(b.permute(b.reshape(op.getInput(), split), order),
                          {sym::product(context, rows), depth});
  Value filters =
      b.transpose(b.reshape(op.getWeight(), {weight[0], depth}), 0, 1);
  Sizes last = rows;
  last.push_back(weight[0]);
  Value product =
      b.reshape(b.matmul(tiles, filters, op.getBias(), op.getTf32()), last);
  SmallVector<int64_t> first{0, static_cast<int64_t>(spatial) + 1};
  for (size_t i = 0; i < spatial; ++i)
    first.push_back(static_cast<int64_t>(i) + 1);
  op.replaceAllUsesWith(b.permute(product, first));
  op.erase();
}

//===----------------------------------------------------------------------===//
// Libraries
//===----------------------------------------------------------------------===//

/// What hides a score where a library adds masks and the program replaces
/// scores: any score is below its last digit, and it times log2(e), by which
/// kernels multiply, is finite.
static constexpr double kAddedToHide = -1e30;

/// Leaves attention to a library, which adds masks and needs rows that see
/// something.
static void useLibrary(AttentionOp op, StringRef library) {
  op.setLibraryAttr(StringAttr::get(op.getContext(), library));
  Value mask = op.getMask();
  if (!mask)
    return;
  OpBuilder builder(op);
  TensorBuilder b(builder, op.getLoc());
  Type type = getElementType(op.getResult());
  int64_t last = cast<RankedTensorType>(mask.getType()).getRank() - 1;
  Value minusInfinity =
      b.scalar(-std::numeric_limits<double>::infinity(), type);
  Value seesNothing;
  bool isFinite = op.getFill() && op.getFill()->isFinite();
  double empty = op.getNanRows() ? std::nan("") : 0;
  if (getElementType(mask).isInteger(1)) {
    if (!isFinite)
      seesNothing = b.logicalNot(
          b.reduce(ReduceKind::Any, mask, last, /*keepdims=*/true));
    mask = b.select(mask, b.scalar(0, type),
                    isFinite ? b.scalar(kAddedToHide, type) : minusInfinity);
  } else {
    seesNothing = b.compare(
        Pred::Eq, b.reduce(ReduceKind::Max, mask, last, /*keepdims=*/true),
        minusInfinity);
    // Of the program's own softmax a row of the lowest finite numbers has a
    // mean; they may overflow in the library's.
    if (op.getNanRows() && !type.isF16())
      mask = b.select(b.compare(Pred::Eq, mask, minusInfinity), mask,
                      b.binary<MaximumOp>(mask, b.scalar(kAddedToHide, type)));
  }
  op.getMaskMutable().assign(mask);
  op.removeFillAttr();
  op.setNanRows(false);
  if (!seesNothing)
    return;
  builder.setInsertionPointAfter(op);
  Value result = b.select(seesNothing, b.scalar(empty, type), op.getResult());
  op.getResult().replaceUsesWithIf(result, [&](OpOperand &use) {
    return use.getOwner() != result.getDefiningOp();
  });
}

/// Names the library that sorts. There is no way around it: without one it is
/// an error.
static LogicalResult chooseSort(Operation *op, StringRef library) {
  StringAttr name = StringAttr::get(op->getContext(), library);
  if (library.empty())
    return op->emitOpError("needs the library 'cub' on GPUs, which cannot be "
                           "loaded or is not among those of the compilation");
  if (auto sort = dyn_cast<SortOp>(op))
    sort.setLibraryAttr(sort.getLibraryAttr() ? sort.getLibraryAttr() : name);
  else if (auto topk = dyn_cast<TopKOp>(op))
    topk.setLibraryAttr(topk.getLibraryAttr() ? topk.getLibraryAttr() : name);
  return success();
}

namespace {

struct GraphDecompose : graph::impl::GraphDecomposePassBase<GraphDecompose> {
  using GraphDecomposePassBase::GraphDecomposePassBase;

  void runOnOperation() override {
    SmallVector<ConvOp> convolutions;
    getOperation()->walk([&](ConvOp op) { convolutions.push_back(op); });
    for (ConvOp op : convolutions)
      if (tiles && isTiled(op))
        decompose(op);
    SmallVector<AttentionOp> ops;
    getOperation()->walk([&](AttentionOp op) { ops.push_back(op); });
    WalkResult sorts = getOperation()->walk([&](Operation *op) {
      return isa<SortOp, TopKOp>(op) && failed(chooseSort(op, sort))
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (sorts.wasInterrupted())
      return signalPassFailure();
    bool hasCudnn = hasLibrary(library, "cudnn");
    for (AttentionOp op : ops) {
      if (op.getLibrary())
        continue;
      if (MaskKind kind = op.getMask() ? classifyMask(op) : MaskKind::General;
          kind != MaskKind::General) {
        op.getMaskMutable().clear();
        op.setCausal(kind == MaskKind::Causal);
        op.removeFillAttr();
        op.setNanRows(false);
      }
      if (hasCudnn && explainNotCudnn(AttentionShape::of(op)).empty())
        useLibrary(op, "cudnn");
      else
        decompose(op, hasLibrary(library, "onednn"));
    }
  }
};

} // namespace
