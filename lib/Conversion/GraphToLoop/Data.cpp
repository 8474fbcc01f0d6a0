//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Concatenation, padding, indexing and creation.
//
//===----------------------------------------------------------------------===//

#include "PopulatePatterns.h"

#include "coil/Dialect/Graph/IR/Graph.h"
#include "coil/Dialect/Graph/IR/InRange.h"
#include "coil/Dialect/Graph/IR/Uninitialized.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace coil;
using loop::BoundsPolicy;
using sym::ExprAttr;

namespace {

/// graph.cat  →  one masked load for each operand, the masks disjoint. Of many
/// operands it is a concatenation of concatenations: each element finds its
/// operand among few, in a time that grows with the root of their number.
struct Cat : OpRewritePattern<graph::CatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(graph::CatOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, lower(op.getInputs(), op.getResult(),
                                 getSizes(op.getResult()), rewriter, op));
    return success();
  }

private:
  /// Their loads and masks are about half of the ops that a kernel may have, so
  /// that neighbours fuse with it.
  static constexpr size_t kMostOperands = 32;

  static Value lower(ValueRange inputs, Value result, ArrayRef<ExprAttr> dims,
                     PatternRewriter &rewriter, graph::CatOp op) {
    MLIRContext *ctx = rewriter.getContext();
    unsigned rank = static_cast<unsigned>(dims.size());
    unsigned dim = static_cast<unsigned>(op.getDim());
    SmallVector<Value> parts;
    if (size_t count = inputs.size(); count > kMostOperands) {
      size_t groups = llvm::divideCeil(count, kMostOperands);
      for (size_t i = 0; i < groups; ++i) {
        size_t begin = i * count / groups;
        ValueRange some = inputs.slice(begin, (i + 1) * count / groups - begin);
        SmallVector<ExprAttr> sizes(dims);
        sizes[dim] = sym::constant(ctx, 0);
        for (Value v : some)
          sizes[dim] = sym::add(sizes[dim], getSizes(v)[dim]);
        parts.push_back(lower(some, result, sizes, rewriter, op));
      }
      return lower(parts, result, dims, rewriter, op);
    }
    Type scalar = getScalarType(result);
    KernelBuilder k(
        rewriter, op.getLoc(), "cat", dims, inputs,
        sym::getTensorType(
            dims, cast<RankedTensorType>(result.getType()).getElementType()));
    ExprAttr position = sym::dim(ctx, dim);
    Value at = loop::IndexOp::create(k.b, k.b.getI64Type(), position);
    // From the last operand to the first: each load falls back on the value
    // of the operands after it.
    SmallVector<ExprAttr> starts{sym::constant(ctx, 0)};
    for (Value v : inputs)
      starts.push_back(sym::add(starts.back(), getSizes(v)[dim]));
    Value value = k.constant(scalar, 0);
    for (size_t i = inputs.size(); i-- > 0;) {
      Value start = loop::IndexOp::create(k.b, k.b.getI64Type(), starts[i]);
      Value end = loop::IndexOp::create(k.b, k.b.getI64Type(), starts[i + 1]);
      Value mask = arith::AndIOp::create(
          k.b, arith::CmpIOp::create(k.b, arith::CmpIPredicate::sge, at, start),
          arith::CmpIOp::create(k.b, arith::CmpIPredicate::slt, at, end));
      SmallVector<ExprAttr> index = k.dims(rank);
      index[dim] = sym::sub(position, starts[i]);
      value = k.load(static_cast<unsigned>(i), index, mask, value);
    }
    k.store(value, 0, k.dims(rank));
    return k.kernel->getResult(0);
  }
};

/// graph.pad  →  a load masked to the operand, else the value.
struct Pad : OpRewritePattern<graph::PadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(graph::PadOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<ExprAttr> dims = getSizes(op.getResult()),
                          input = getSizes(op.getInput());
    unsigned rank = static_cast<unsigned>(dims.size());
    sym::Context context = ::coil::getContext(op, dims);
    KernelBuilder k(rewriter, op.getLoc(), "pad", dims, op.getInput(),
                    op.getType());
    Value other = k.constant(cast<TypedAttr>(op.getValue()));
    SmallVector<ExprAttr> index;
    Value mask;
    for (unsigned d = 0; d < rank; ++d) {
      index.push_back(sym::add(sym::dim(getContext(), d), -op.getLow()[d]));
      mask = k.conjunction(mask, k.inRange(index[d], input[d], context));
    }
    k.store(k.load(0, index, mask, other), 0, k.dims(rank));
    rewriter.replaceOp(op, k.kernel);
    return success();
  }
};

} // namespace

/// The element of an index tensor as i64.
static Value loadIndex(KernelBuilder &k, unsigned input, ArrayRef<ExprAttr> at,
                       Value tensor) {
  Value v = k.load(input, at);
  Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
  if (element.isInteger(64))
    return v;
  if (element.isUnsignedInteger())
    return arith::ExtUIOp::create(k.b, k.b.getI64Type(), v);
  return arith::ExtSIOp::create(k.b, k.b.getI64Type(), v);
}

/// How the positions of an op are checked.
static BoundsPolicy getPolicy(Operation *op) {
  return op->hasAttr(kInRangeAttrName) ? BoundsPolicy::Trusted
                                       : BoundsPolicy::WrapCheck;
}

namespace {

/// graph.gather  →  an indirect load.
struct Gather : OpRewritePattern<graph::GatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(graph::GatherOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<ExprAttr> dims = getSizes(op.getResult());
    unsigned rank = static_cast<unsigned>(dims.size());
    KernelBuilder k(rewriter, op.getLoc(), "gather", dims,
                    {op.getInput(), op.getIndex()}, op.getType());
    Value i = loadIndex(k, 1, k.dims(rank), op.getIndex());
    SmallVector<ExprAttr> index = k.dims(rank);
    index[op.getDim()] = sym::arg(getContext(), 0);
    Value v =
        loop::LoadOp::create(k.b, k.kernel.getBody().getArgument(0), index, i,
                             Value(), Value(), BoundsPolicy::WrapCheck);
    k.store(v, 0, k.dims(rank));
    rewriter.replaceOp(op, k.kernel);
    return success();
  }
};

/// How `graph.index` and `graph.index_put` walk a tensor: over the result of
/// indexing it, with one argument for each index tensor.
struct Indexing {
  /// What the space is in the indexed tensor.
  SmallVector<ExprAttr> index;
  /// Where each index tensor is read.
  SmallVector<SmallVector<ExprAttr>> at;
  /// The dimensions that the index tensors span.
  SmallVector<int64_t> dims;
};

} // namespace

static Indexing getIndexing(Value input, ValueRange indices,
                            ArrayRef<int64_t> indexed, unsigned rank) {
  MLIRContext *ctx = input.getContext();
  unsigned inputRank = static_cast<unsigned>(getSizes(input).size());
  unsigned indexRank =
      rank - (inputRank - static_cast<unsigned>(indexed.size()));
  bool adjacent = true;
  for (size_t i = 1; i < indexed.size(); ++i)
    adjacent &= indexed[i] == indexed[i - 1] + 1;
  // Where the index tensors' dimensions stand in the result.
  unsigned place = adjacent ? static_cast<unsigned>(indexed.front()) : 0;

  Indexing result;
  result.index.resize(inputRank);
  for (auto [i, tensor] : llvm::enumerate(indices)) {
    SmallVector<ExprAttr> sizes = getSizes(tensor);
    SmallVector<ExprAttr> &at = result.at.emplace_back();
    for (auto [d, size] : llvm::enumerate(sizes)) {
      unsigned position = place + indexRank -
                          static_cast<unsigned>(sizes.size()) +
                          static_cast<unsigned>(d);
      at.push_back(size.isConstant(1) ? sym::constant(ctx, 0)
                                      : sym::dim(ctx, position));
    }
    result.index[indexed[i]] = sym::arg(ctx, static_cast<unsigned>(i));
  }
  unsigned next = 0;
  for (ExprAttr &e : result.index) {
    if (e)
      continue;
    if (next == place)
      next += indexRank;
    e = sym::dim(ctx, next++);
  }
  for (unsigned d = 0; d < indexRank; ++d)
    result.dims.push_back(place + d);
  return result;
}

namespace {

/// graph.index  →  an indirect load, one argument for each index tensor.
struct Index : OpRewritePattern<graph::IndexOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(graph::IndexOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<ExprAttr> dims = getSizes(op.getResult());
    unsigned rank = static_cast<unsigned>(dims.size());
    Indexing how =
        getIndexing(op.getInput(), op.getIndices(), op.getDims(), rank);
    SmallVector<Value> inputs{op.getInput()};
    llvm::append_range(inputs, op.getIndices());
    KernelBuilder k(rewriter, op.getLoc(), "index", dims, inputs, op.getType());
    SmallVector<Value> args;
    for (auto [i, tensor] : llvm::enumerate(op.getIndices()))
      args.push_back(
          loadIndex(k, static_cast<unsigned>(i) + 1, how.at[i], tensor));
    Value v =
        loop::LoadOp::create(k.b, k.kernel.getBody().getArgument(0), how.index,
                             args, Value(), Value(), getPolicy(op));
    k.store(v, 0, k.dims(rank));
    rewriter.replaceOp(op, k.kernel);
    return success();
  }
};

} // namespace

/// Ends a kernel that writes into its first operand.
template <typename Op>
static void scatter(KernelBuilder &k, Op op, Value v, ArrayRef<ExprAttr> index,
                    ValueRange args, ArrayRef<int64_t> dims) {
  MLIRContext *ctx = k.b.getContext();
  loop::ReduceKindAttr kind;
  if (std::optional<graph::ReduceKind> given = op.getKind())
    kind = loop::ReduceKindAttr::get(
        ctx, getLoopKind(*given, op.getInput().getType().getElementType()));
  loop::ScatterOp::create(k.b, kind, v, k.kernel.getBody().getArgument(0),
                          sym::ShapeAttr::get(ctx, index), args, 0, dims,
                          getPolicy(op));
}

namespace {

/// graph.scatter  →  an indirect loop.scatter over the indexed dimension
struct Scatter : OpRewritePattern<graph::ScatterOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(graph::ScatterOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<ExprAttr> dims = getSizes(op.getIndex());
    unsigned rank = static_cast<unsigned>(dims.size());
    KernelBuilder k(rewriter, op.getLoc(), "scatter", dims,
                    {op.getInput(), op.getIndex(), op.getSource()},
                    op.getType());
    Value i = loadIndex(k, 1, k.dims(rank), op.getIndex());
    SmallVector<ExprAttr> index = k.dims(rank);
    index[op.getDim()] = sym::arg(getContext(), 0);
    scatter(k, op, k.load(2, k.dims(rank)), index, i,
            {static_cast<int64_t>(op.getDim())});
    rewriter.replaceOp(op, k.kernel);
    return success();
  }
};

/// graph.index_put  →  an indirect loop.scatter over the dimensions of the
/// index tensors
struct IndexPut : OpRewritePattern<graph::IndexPutOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(graph::IndexPutOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<ExprAttr> dims = getSizes(op.getValues());
    unsigned rank = static_cast<unsigned>(dims.size());
    Indexing how =
        getIndexing(op.getInput(), op.getIndices(), op.getDims(), rank);
    SmallVector<Value> inputs{op.getInput(), op.getValues()};
    llvm::append_range(inputs, op.getIndices());
    KernelBuilder k(rewriter, op.getLoc(), "index_put", dims, inputs,
                    op.getType());
    SmallVector<Value> args;
    for (auto [i, tensor] : llvm::enumerate(op.getIndices()))
      args.push_back(
          loadIndex(k, static_cast<unsigned>(i) + 2, how.at[i], tensor));
    scatter(k, op, k.load(1, k.dims(rank)), how.index, args, how.dims);
    rewriter.replaceOp(op, k.kernel);
    return success();
  }
};

/// A splat is a kernel without loads; any other literal stays a constant.
struct Constant : OpRewritePattern<graph::ConstantOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(graph::ConstantOp op,
                                PatternRewriter &rewriter) const override {
    auto splat = dyn_cast<SplatElementsAttr>(op.getValue());
    if (!splat) {
      rewriter.replaceOpWithNewOp<arith::ConstantOp>(
          op, cast<TypedAttr>(op.getValue()));
      return success();
    }
    SmallVector<ExprAttr> dims = getSizes(op.getResult());
    KernelBuilder k(rewriter, op.getLoc(), "constant", dims, {}, op.getType());
    k.store(k.constant(splat.getSplatValue<TypedAttr>()), 0,
            k.dims(static_cast<unsigned>(dims.size())));
    rewriter.replaceOp(op, k.kernel);
    return success();
  }
};

struct Full : OpRewritePattern<graph::FullOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(graph::FullOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<ExprAttr> dims = getSizes(op.getResult());
    KernelBuilder k(rewriter, op.getLoc(), "full", dims, {}, op.getType());
    k.store(k.constant(cast<TypedAttr>(op.getValue())), 0,
            k.dims(static_cast<unsigned>(dims.size())));
    if (op->hasAttr(kUninitializedAttrName))
      k.kernel->setDiscardableAttr(kUninitializedAttrName,
                                   rewriter.getUnitAttr());
    rewriter.replaceOp(op, k.kernel);
    return success();
  }
};

} // namespace

/// Converts an i64 to a scalar of type `type`, rounding once.
static Value convertFromI64(KernelBuilder &k, Value v, Type type) {
  if (v.getType() == type)
    return v;
  if (isa<IntegerType>(type))
    return arith::TruncIOp::create(k.b, type, v);
  if (type.isF64() || type.isF32())
    return arith::SIToFPOp::create(k.b, type, v);
  Value wide = arith::SIToFPOp::create(k.b, k.b.getF32Type(), v);
  return arith::TruncFOp::create(k.b, type, wide);
}

namespace {

struct Iota : OpRewritePattern<graph::IotaOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(graph::IotaOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<ExprAttr> dims = getSizes(op.getResult());
    KernelBuilder k(rewriter, op.getLoc(), "iota", dims, {}, op.getType());
    Type scalar = getScalarType(op.getResult());
    ExprAttr position =
        sym::dim(getContext(), static_cast<unsigned>(op.getDim()));
    Value v;
    if (auto start = dyn_cast<IntegerAttr>(op.getStart())) {
      int64_t step = cast<IntegerAttr>(op.getStep()).getInt();
      v = loop::IndexOp::create(
          k.b, k.b.getI64Type(),
          sym::add(sym::mul(position, step), start.getInt()));
      v = convertFromI64(k, v, scalar);
    } else {
      Type f64 = k.b.getF64Type();
      Value i = loop::IndexOp::create(k.b, k.b.getI64Type(), position);
      v = arith::SIToFPOp::create(k.b, f64, i);
      v = arith::MulFOp::create(k.b, v,
                                k.constant(cast<TypedAttr>(op.getStep())));
      v = arith::AddFOp::create(k.b, v,
                                k.constant(cast<TypedAttr>(op.getStart())));
      if (isa<IntegerType>(scalar))
        v = arith::FPToSIOp::create(k.b, scalar, v);
      else
        v = k.fromCompute(v, scalar);
    }
    k.store(v, 0, k.dims(static_cast<unsigned>(dims.size())));
    rewriter.replaceOp(op, k.kernel);
    return success();
  }
};

struct Expr : OpRewritePattern<graph::ExprOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(graph::ExprOp op,
                                PatternRewriter &rewriter) const override {
    KernelBuilder k(rewriter, op.getLoc(), "expr", {}, {}, op.getType());
    Value v = loop::IndexOp::create(k.b, k.b.getI64Type(), op.getExpr());
    k.store(convertFromI64(k, v, getScalarType(op.getResult())), 0, {});
    rewriter.replaceOp(op, k.kernel);
    return success();
  }
};

} // namespace

void coil::populateDataToLoopPatterns(RewritePatternSet &patterns) {
  patterns.add<Cat, Constant, Expr, Full, Gather, Index, IndexPut, Iota, Pad,
               Scatter>(patterns.getContext());
}
