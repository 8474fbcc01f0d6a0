//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Canonicalisation: normal forms that hold whatever the target.
//
//===----------------------------------------------------------------------===//

#include "Canonicalize.h"
#include "coil/Dialect/Graph/IR/TensorBuilder.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;

//===----------------------------------------------------------------------===//
// Chains of one view
//===----------------------------------------------------------------------===//

namespace {

/// reshape(reshape(x)) -> reshape(x), and the same for broadcast.
template <typename OpTy>
struct MergeChain : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    auto producer = op.getInput().template getDefiningOp<OpTy>();
    if (!producer)
      return rewriter.notifyMatchFailure(op, "operand is not such a view");
    rewriter.replaceOpWithNewOp<OpTy>(op, op.getType(), producer.getInput());
    return success();
  }
};

/// permute(permute(x) p) q -> permute(x) p∘q
struct MergePermutes : OpRewritePattern<PermuteOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PermuteOp op,
                                PatternRewriter &rewriter) const override {
    auto producer = op.getInput().getDefiningOp<PermuteOp>();
    if (!producer)
      return rewriter.notifyMatchFailure(op, "operand is not a permutation");
    SmallVector<int64_t> permutation;
    for (int64_t p : op.getPermutation())
      permutation.push_back(producer.getPermutation()[p]);
    rewriter.replaceOpWithNewOp<PermuteOp>(op, producer.getInput(),
                                           permutation);
    return success();
  }
};

/// permute(x) -> reshape(x) when only dimensions of size one change places.
struct PermuteOfUnitDims : OpRewritePattern<PermuteOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PermuteOp op,
                                PatternRewriter &rewriter) const override {
    Sizes sizes = getSizes(op.getInput());
    int64_t previous = -1;
    for (int64_t p : op.getPermutation()) {
      if (sizes[p].isConstant(1))
        continue;
      if (p < previous)
        return rewriter.notifyMatchFailure(op, "moves elements");
      previous = p;
    }
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getInput());
    return success();
  }
};

/// slice(slice(x)) -> slice(x)
struct MergeSlices : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SliceOp op,
                                PatternRewriter &rewriter) const override {
    auto producer = op.getInput().getDefiningOp<SliceOp>();
    if (!producer)
      return rewriter.notifyMatchFailure(op, "operand is not a slice");
    Sizes starts;
    SmallVector<int64_t> steps;
    for (auto [s0, d0, s1, d1] :
         llvm::zip(producer.getStarts().getDims(), producer.getSteps(),
                   op.getStarts().getDims(), op.getSteps())) {
      int64_t step;
      if (llvm::MulOverflow(d0, d1, step))
        return rewriter.notifyMatchFailure(op, "step overflows");
      starts.push_back(sym::add(s0, sym::mul(s1, d0)));
      steps.push_back(step);
    }
    rewriter.replaceOpWithNewOp<SliceOp>(
        op, op.getType(), producer.getInput(),
        sym::ShapeAttr::get(op.getContext(), starts), steps);
    return success();
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Uniform tensors
//===----------------------------------------------------------------------===//

namespace {

/// view(full) -> full. Sizes are all that a view changes.
template <typename OpTy>
struct ViewOfFull : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    auto full = op.getInput().template getDefiningOp<FullOp>();
    if (!full)
      return rewriter.notifyMatchFailure(op, "operand is not uniform");
    rewriter.replaceOpWithNewOp<FullOp>(op, op.getType(), full.getValue());
    return success();
  }
};

/// convert(full v) -> full v'
struct ConvertOfFull : OpRewritePattern<ConvertOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConvertOp op,
                                PatternRewriter &rewriter) const override {
    auto full = op.getInput().getDefiningOp<FullOp>();
    if (!full)
      return rewriter.notifyMatchFailure(op, "operand is not uniform");
    Type to = op.getType().getElementType();
    auto from = dyn_cast<FloatAttr>(full.getValue());
    if (from && isa<IntegerType>(to) && !to.isInteger(1)) {
      // What a value out of range becomes is not decided here.
      APSInt i(to.getIntOrFloatBitWidth(), to.isUnsignedInteger());
      bool exact;
      if (from.getValue().convertToInteger(i, APFloat::rmTowardZero, &exact) &
          APFloat::opInvalidOp)
        return rewriter.notifyMatchFailure(op, "value is out of range");
    }
    rewriter.replaceOpWithNewOp<FullOp>(op, op.getType(),
                                        convertScalar(full.getValue(), to));
    return success();
  }
};

/// constant splat -> full
struct SplatToFull : OpRewritePattern<ConstantOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConstantOp op,
                                PatternRewriter &rewriter) const override {
    auto splat = dyn_cast<SplatElementsAttr>(op.getValue());
    if (!splat || op.getType().getNumElements() == 0)
      return rewriter.notifyMatchFailure(op, "elements differ");
    rewriter.replaceOpWithNewOp<FullOp>(
        op, op.getType(), cast<TypedAttr>(splat.getSplatValue<Attribute>()));
    return success();
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// True when every value of `from` is a value of `to`.
static bool isLossless(Type from, Type to) {
  if (from == to)
    return true;
  auto fromFloat = dyn_cast<FloatType>(from), toFloat = dyn_cast<FloatType>(to);
  if (fromFloat && toFloat)
    return APFloat::isRepresentableBy(fromFloat.getFloatSemantics(),
                                      toFloat.getFloatSemantics());
  if (fromFloat)
    return false;
  bool fromSigned = !from.isInteger(1) && !from.isUnsignedInteger();
  unsigned bits = from.getIntOrFloatBitWidth() - fromSigned;
  if (toFloat)
    // Below the largest finite f16 there are only 16 bits to test for.
    return bits <= toFloat.getFPMantissaWidth() && bits <= 15;
  if (to.isInteger(1))
    return false;
  bool toSigned = !to.isUnsignedInteger();
  if (fromSigned && !toSigned)
    return false;
  return bits <= to.getIntOrFloatBitWidth() - toSigned;
}

namespace {

/// convert(convert(x)) -> convert(x) when the first conversion loses nothing.
struct MergeConverts : OpRewritePattern<ConvertOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConvertOp op,
                                PatternRewriter &rewriter) const override {
    auto producer = op.getInput().getDefiningOp<ConvertOp>();
    if (!producer)
      return rewriter.notifyMatchFailure(op, "operand is not a conversion");
    Type from = graph::getElementType(producer.getInput());
    Type middle = graph::getElementType(producer.getResult());
    Type to = graph::getElementType(op.getResult());
    // A float that holds all integers of `from` still rounds out-of-range
    // results differently than an integer wraps.
    if (!isLossless(from, middle) ||
        (isa<IntegerType>(from) && isa<FloatType>(middle) &&
         !isLossless(from, to)))
      return rewriter.notifyMatchFailure(op, "first conversion loses values");
    rewriter.replaceOpWithNewOp<ConvertOp>(op, op.getType(),
                                           producer.getInput());
    return success();
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

namespace {

/// cat(cat(a, b), c) -> cat(a, b, c) when nothing else uses the inner one;
/// operands without elements go.
struct MergeCats : OpRewritePattern<CatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(CatOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> inputs;
    bool changed = false;
    for (Value input : op.getInputs()) {
      if (getSizes(input)[op.getDim()].isConstant(0) &&
          op.getInputs().size() > 1) {
        changed = true; // Nothing of it is in the result.
        continue;
      }
      auto producer = input.getDefiningOp<CatOp>();
      if (producer && producer->hasOneUse() &&
          producer.getDim() == op.getDim()) {
        llvm::append_range(inputs, producer.getInputs());
        changed = true;
      } else {
        inputs.push_back(input);
      }
    }
    if (!changed)
      return rewriter.notifyMatchFailure(op, "no operand to merge");
    if (inputs.empty()) // All are empty, and so is the result.
      inputs.push_back(op.getInputs().front());
    rewriter.replaceOpWithNewOp<CatOp>(op, op.getType(), inputs, op.getDim());
    return success();
  }
};

/// cat(slice(x), slice(x)) -> slice(x) when the second begins where the first
/// ends: the parts of a complex number that nothing has changed, for one.
struct MergeCatSlices : OpRewritePattern<CatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(CatOp op,
                                PatternRewriter &rewriter) const override {
    auto dim = static_cast<unsigned>(op.getDim());
    auto continues = [&](SliceOp first, SliceOp second) {
      if (!first || !second || first.getInput() != second.getInput() ||
          first.getSteps() != second.getSteps())
        return false;
      for (auto [d, from, to] : llvm::enumerate(first.getStarts().getDims(),
                                                second.getStarts().getDims())) {
        sym::ExprAttr next = from;
        if (d == dim)
          next = sym::add(from, sym::mul(getSizes(first.getResult())[d],
                                         first.getSteps()[d]));
        if (next != to)
          return false;
      }
      return true;
    };
    SmallVector<Value> inputs;
    bool changed = false;
    for (Value input : op.getInputs()) {
      auto previous =
          inputs.empty() ? SliceOp() : inputs.back().getDefiningOp<SliceOp>();
      if (!continues(previous, input.getDefiningOp<SliceOp>())) {
        inputs.push_back(input);
        continue;
      }
      Sizes sizes = getSizes(inputs.back());
      sizes[dim] = sym::add(sizes[dim], getSizes(input)[dim]);
      inputs.back() = SliceOp::create(
          rewriter, op.getLoc(),
          sym::getTensorType(sizes, op.getType().getElementType()),
          previous.getInput(), previous.getStarts(), previous.getSteps());
      changed = true;
    }
    if (!changed)
      return rewriter.notifyMatchFailure(op, "no slices that follow another");
    rewriter.replaceOpWithNewOp<CatOp>(op, op.getType(), inputs, op.getDim());
    return success();
  }
};

/// add(broadcast(x), y) -> add(x, y): elementwise operators broadcast.
struct AbsorbBroadcast : OpInterfaceRewritePattern<ElementwiseOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(ElementwiseOpInterface op,
                                PatternRewriter &rewriter) const override {
    bool changed = false;
    for (OpOperand &operand : op->getOpOperands())
      if (auto producer = operand.get().getDefiningOp<BroadcastOp>()) {
        rewriter.modifyOpInPlace(op, [&] { operand.set(producer.getInput()); });
        changed = true;
      }
    return success(changed);
  }
};

/// gelu(reshape(x)) -> reshape(gelu(x)), when every other operand is a scalar
/// or a reshape of the same shape. What computes x and what reads it
/// elementwise then have one space, and the view moves on to where the shape
/// matters.
struct SinkReshape : OpInterfaceRewritePattern<ElementwiseOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(ElementwiseOpInterface op,
                                PatternRewriter &rewriter) const override {
    auto resultType = cast<RankedTensorType>(op->getResult(0).getType());
    Sizes sizes = sym::getSizes(resultType), source;
    SmallVector<Value> operands;
    for (Value v : op->getOperands()) {
      auto reshape = v.getDefiningOp<ReshapeOp>();
      if (reshape && getSizes(v) == sizes) {
        Sizes from = getSizes(reshape.getInput());
        if (!source.empty() && source != from)
          return rewriter.notifyMatchFailure(op, "reshapes of two shapes");
        source = from;
        operands.push_back(reshape.getInput());
        continue;
      }
      if (cast<RankedTensorType>(v.getType()).getRank() != 0)
        return rewriter.notifyMatchFailure(op, "an operand is no reshape");
      operands.push_back(v);
    }
    if (source.empty())
      return rewriter.notifyMatchFailure(op, "no operand is a reshape");
    Operation *sunk = rewriter.clone(*op);
    sunk->setOperands(operands);
    sunk->getResult(0).setType(
        sym::getTensorType(source, resultType.getElementType()));
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, resultType, sunk->getResult(0));
    return success();
  }
};

/// A matrix multiplication that sums one product for each element is a
/// multiplication: it fuses with its neighbours, and is no call of a library.
struct OuterProduct : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MatmulOp op,
                                PatternRewriter &rewriter) const override {
    if (!getSizes(op.getLhs()).back().isConstant(1) ||
        !getSizes(op.getRhs()).end()[-2].isConstant(1))
      return rewriter.notifyMatchFailure(op, "products are summed");
    TensorBuilder b(rewriter, op.getLoc());
    Type type = getAccumulationType(graph::getElementType(op.getLhs()));
    Value result =
        b.mul(b.convert(op.getLhs(), type), b.convert(op.getRhs(), type));
    if (op.getBias())
      result = b.add(result, b.convert(op.getBias(), type));
    result = b.convert(result, graph::getElementType(op.getResult()));
    rewriter.replaceOp(op, b.castSizes(result, getSizes(op.getResult())));
    return success();
  }
};

/// A reduction over dimensions of size one drops them.
struct ReduceOfUnits : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceOp op,
                                PatternRewriter &rewriter) const override {
    Sizes sizes = getSizes(op.getInput());
    for (int64_t d : op.getDims())
      if (!sizes[static_cast<size_t>(d)].isConstant(1))
        return rewriter.notifyMatchFailure(op, "something is reduced");
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getInput());
    return success();
  }
};

/// A reduction of everything is the same in any order: it reads what a view of
/// all elements is of.
struct ReduceOfView : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getInput().getType());
    if (static_cast<int64_t>(op.getDims().size()) != type.getRank())
      return rewriter.notifyMatchFailure(op, "something stays apart");
    Value input = op.getInput();
    auto convert = input.getDefiningOp<ConvertOp>();
    if (convert)
      input = convert.getInput();
    if (getSizes(input) != getSizes(op.getInput()))
      return rewriter.notifyMatchFailure(op, "the conversion broadcasts");
    Value whole = getWhole(input);
    if (!whole)
      return rewriter.notifyMatchFailure(op,
                                         "operand is no view of everything");
    Sizes sizes = getSizes(whole);
    if (convert)
      whole = ConvertOp::create(
          rewriter, convert.getLoc(),
          sym::getTensorType(sizes, type.getElementType()), whole);
    SmallVector<int64_t> dims;
    for (size_t d = 0; d < sizes.size(); ++d)
      dims.push_back(static_cast<int64_t>(d));
    auto reduce =
        ReduceOp::create(rewriter, op.getLoc(), op.getKind(), whole, dims);
    reduce.setTf32(op.getTf32());
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), reduce);
    return success();
  }

  /// What `v` has every element of, once, in another order; null if nothing.
  static Value getWhole(Value v) {
    if (auto reshape = v.getDefiningOp<ReshapeOp>())
      return reshape.getInput();
    if (auto permute = v.getDefiningOp<PermuteOp>())
      return permute.getInput();
    auto slice = v.getDefiningOp<SliceOp>();
    if (slice && getSizes(slice.getInput()) == getSizes(slice) &&
        llvm::all_of(slice.getSteps(),
                     [](int64_t step) { return step == 1 || step == -1; }))
      return slice.getInput();
    return {};
  }
};

} // namespace

void GraphDialect::getCanonicalizationPatterns(
    RewritePatternSet &patterns) const {
  patterns.add<MergeChain<ReshapeOp>, MergeChain<BroadcastOp>, MergePermutes,
               PermuteOfUnitDims, MergeSlices, ViewOfFull<ReshapeOp>,
               ViewOfFull<PermuteOp>, ViewOfFull<BroadcastOp>,
               ViewOfFull<SliceOp>, ConvertOfFull, SplatToFull, MergeConverts,
               MergeCats, MergeCatSlices, AbsorbBroadcast, SinkReshape,
               OuterProduct, ReduceOfUnits, ReduceOfView>(
      patterns.getContext());
  addMaskPatterns(patterns);
}
