//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses the layout of images between convolutions.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Graph/IR/TensorBuilder.h"
#include "coil/Dialect/Graph/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/Support/MathExtras.h"

namespace coil::graph {
#define GEN_PASS_DEF_GRAPHCHANNELSLASTPASS
#include "coil/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace coil::graph

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

/// Dimension i of an image with its channels first is dimension kFirst[i] of
/// one that has them last, and the other way.
static constexpr int64_t kFirst[] = {0, 3, 1, 2};
static constexpr int64_t kLast[] = {0, 2, 3, 1};

/// Up to this many products our own kernels compute a convolution.
static constexpr int64_t kMaxSmallConvolution = int64_t(1) << 22;

/// The image with its channels last behind a permutation, or null.
static Value getChannelsLast(Value v) {
  auto permute = v.getDefiningOp<PermuteOp>();
  return permute && permute.getPermutation() == ArrayRef<int64_t>(kFirst)
             ? permute.getInput()
             : Value();
}

/// An operand that broadcasts to an image, with its channels last.
static Value toLast(TensorBuilder &b, Value v) {
  if (Value inner = getChannelsLast(v))
    return inner;
  Sizes sizes = getSizes(v);
  if (sizes.empty())
    return v;
  while (sizes.size() < 4)
    sizes.insert(sizes.begin(), b.size(1));
  return b.permute(b.reshape(v, sizes), kLast);
}

static bool isLarge(ConvOp op) {
  int64_t products = 1;
  Sizes sizes = getSizes(op.getResult());
  Sizes weight = getSizes(op.getWeight());
  sizes.append(weight.begin() + 1, weight.end());
  for (ExprAttr size : sizes) {
    std::optional<int64_t> constant = size.getConstant();
    if (!constant || llvm::MulOverflow(products, *constant, products))
      return true;
  }
  return products > kMaxSmallConvolution;
}

static bool isCandidate(ConvOp op) {
  Type type = getElementType(op.getResult());
  return op.getType().getRank() == 4 &&
         (type.isF16() || type.isBF16() || (type.isF32() && op.getTf32())) &&
         !op.getChannelsLast() && isLarge(op);
}

/// Whether every element of an image is used for itself: a product of matrices,
/// for which a change of layout does not pay.
static bool isProduct(ConvOp op) {
  auto isOne = [](int64_t stride) { return stride == 1; };
  return llvm::all_of(op.getStride(), isOne) &&
         llvm::all_of(ArrayRef(getSizes(op.getWeight())).drop_front(2),
                      [](ExprAttr size) { return size.isConstant(1); });
}

/// Whether each group has one or two output channels. cuDNN's kernel for these
/// adds no bias; its others take fifteen times as long (convnext_tiny in
/// benchmarks/results/torch_compile.md).
static bool isThin(ConvOp op) {
  constexpr int64_t kThin = 2;
  std::optional<int64_t> out = getSizes(op.getWeight())[0].getConstant();
  auto groups = static_cast<int64_t>(op.getGroups());
  return groups > 1 && out && *out <= kThin * groups;
}

static void convert(ConvOp op) {
  OpBuilder builder(op);
  TensorBuilder b(builder, op.getLoc());
  Value bias = op.getBias(), later = isThin(op) ? bias : Value();
  Value result =
      ConvOp::create(builder, op.getLoc(), toLast(b, op.getInput()),
                     toLast(b, op.getWeight()), op.getStride(), op.getPadding(),
                     op.getDilation(), static_cast<int64_t>(op.getGroups()),
                     /*channelsLast=*/true, later ? Value() : bias);
  result.getDefiningOp<ConvOp>().setTf32(op.getTf32());
  if (later)
    result = b.add(result, b.convert(later, getElementType(result)));
  op.replaceAllUsesWith(b.permute(result, kFirst));
  op.erase();
}

namespace {

/// f(permute(x), y) -> permute(f(x, permuted y))
struct SinkThroughElementwise
    : OpInterfaceRewritePattern<ElementwiseOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(ElementwiseOpInterface op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!type || type.getRank() != 4 ||
        !llvm::any_of(op->getOperands(), getChannelsLast))
      return rewriter.notifyMatchFailure(op, "no operand is permuted");
    TensorBuilder b(rewriter, op.getLoc());
    SmallVector<Value> operands;
    for (Value v : op->getOperands())
      operands.push_back(toLast(b, v));
    Operation *moved = rewriter.clone(*op.getOperation());
    moved->setOperands(operands);
    moved->getResult(0).setType(sym::getTensorType(
        toChannelsLast<ExprAttr>(sym::getSizes(type)), type.getElementType()));
    rewriter.replaceOp(op, b.permute(moved->getResult(0), kFirst));
    return success();
  }
};

/// reduce(permute(x)) -> reduce(x), permuted if dimensions stay
struct SinkThroughReduce : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceOp op,
                                PatternRewriter &rewriter) const override {
    Value x = getChannelsLast(op.getInput());
    if (!x)
      return rewriter.notifyMatchFailure(op, "its operand is not permuted");
    SmallVector<int64_t> dims;
    for (int64_t d : op.getDims())
      dims.push_back(kFirst[d]);
    llvm::sort(dims);
    TensorBuilder b(rewriter, op.getLoc());
    if (op.getKeepdims()) {
      Value moved =
          b.reduce(op.getKind(), x, dims, /*keepdims=*/true, op.getTf32());
      rewriter.replaceOp(op, b.permute(moved, kFirst));
      return success();
    }
    // What stays has to stay in its order.
    int64_t previous = -1;
    for (int64_t d = 0; d < 4; ++d) {
      if (llvm::is_contained(op.getDims(), d))
        continue;
      if (kFirst[d] < previous)
        return rewriter.notifyMatchFailure(op, "dimensions change places");
      previous = kFirst[d];
    }
    rewriter.replaceOp(
        op, b.reduce(op.getKind(), x, dims, /*keepdims=*/false, op.getTf32()));
    return success();
  }
};

struct SinkThroughPool : OpRewritePattern<PoolOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PoolOp op,
                                PatternRewriter &rewriter) const override {
    Value x = getChannelsLast(op.getInput());
    if (!x || op.getChannelsLast())
      return rewriter.notifyMatchFailure(op, "its operand is not permuted");
    TensorBuilder b(rewriter, op.getLoc());
    auto moved = cast<PoolOp>(rewriter.clone(*op));
    moved.getInputMutable().assign(x);
    moved.setChannelsLast(true);
    moved.getResult().setType(
        sym::getTensorType(toChannelsLast<ExprAttr>(getSizes(op.getResult())),
                           op.getType().getElementType()));
    rewriter.replaceOp(op, b.permute(moved, kFirst));
    return success();
  }
};

/// cat(permute(x), permute(y)) -> permute(cat(x, y))
struct SinkThroughCat : OpRewritePattern<CatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(CatOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> inputs;
    for (Value v : op.getInputs()) {
      inputs.push_back(getChannelsLast(v));
      if (!inputs.back())
        return rewriter.notifyMatchFailure(op, "an operand is not permuted");
    }
    TensorBuilder b(rewriter, op.getLoc());
    Value moved = b.cat(inputs, kFirst[op.getDim()]);
    rewriter.replaceOp(op, b.permute(moved, kFirst));
    return success();
  }
};

struct GraphChannelsLast
    : graph::impl::GraphChannelsLastPassBase<GraphChannelsLast> {
  void runOnOperation() override {
    SmallVector<ConvOp> ops;
    getOperation()->walk([&](ConvOp op) {
      if (isCandidate(op))
        ops.push_back(op);
    });
    if (ops.empty() || (ops.size() == 1 && isProduct(ops.front())))
      return;
    for (ConvOp op : ops)
      convert(op);
    RewritePatternSet patterns(&getContext());
    patterns.add<SinkThroughElementwise, SinkThroughReduce, SinkThroughPool,
                 SinkThroughCat>(&getContext());
    getContext().getLoadedDialect<GraphDialect>()->getCanonicalizationPatterns(
        patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
