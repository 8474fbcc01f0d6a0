//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions and matrix products.
//
//===----------------------------------------------------------------------===//

#include "PopulatePatterns.h"

#include "coil/Dialect/Graph/IR/Graph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace coil;
using loop::ReduceKind;
using sym::ExprAttr;

ReduceKind coil::getLoopKind(graph::ReduceKind kind, Type type) {
  bool isBool = type.isInteger(1);
  bool isUnsigned = type.isUnsignedInteger();
  switch (kind) {
  case graph::ReduceKind::Sum:
    return ReduceKind::Sum;
  case graph::ReduceKind::Prod:
    return ReduceKind::Prod;
  case graph::ReduceKind::Max:
    return isBool ? ReduceKind::Or
                  : (isUnsigned ? ReduceKind::UMax : ReduceKind::Max);
  case graph::ReduceKind::Min:
    return isBool ? ReduceKind::And
                  : (isUnsigned ? ReduceKind::UMin : ReduceKind::Min);
  case graph::ReduceKind::Any:
    return ReduceKind::Or;
  case graph::ReduceKind::All:
    return ReduceKind::And;
  case graph::ReduceKind::Xor:
    return ReduceKind::Xor;
  }
  llvm_unreachable("all kinds are handled");
}

/// The index of the reduced result: the kept dimensions, zero where a reduced
/// one is kept with size one.
static SmallVector<ExprAttr> keptIndex(MLIRContext *ctx, unsigned rank,
                                       ArrayRef<int64_t> reduced,
                                       bool keepdims) {
  SmallVector<ExprAttr> index;
  for (unsigned d = 0; d < rank; ++d) {
    if (!llvm::is_contained(reduced, static_cast<int64_t>(d)))
      index.push_back(sym::dim(ctx, d));
    else if (keepdims)
      index.push_back(sym::constant(ctx, 0));
  }
  return index;
}

namespace {

/// graph.reduce  →  loop.kernel { load, loop.reduce, store }
struct Reduce : OpRewritePattern<graph::ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(graph::ReduceOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<ExprAttr> sizes = getSizes(op.getInput());
    unsigned rank = static_cast<unsigned>(sizes.size());
    std::string name =
        ("reduce_" + graph::stringifyReduceKind(op.getKind())).str();
    KernelBuilder k(rewriter, op.getLoc(), name, sizes, op.getInput(),
                    op.getType());
    Type element = op.getInput().getType().getElementType();
    Value v = k.toCompute(k.load(0, k.dims(rank)));
    // Reducing over nothing keeps every element.
    if (!op.getDims().empty())
      v = loop::ReduceOp::create(k.b, getLoopKind(op.getKind(), element), v,
                                 op.getDims(), op.getTf32());
    k.store(k.fromCompute(v, getScalarType(op.getResult())), 0,
            keptIndex(getContext(), rank, op.getDims(), op.getKeepdims()));
    rewriter.replaceOp(op, k.kernel);
    return success();
  }
};

/// graph.welford  →  loop.kernel { load, loop.welford, store, store }
struct Moments : OpRewritePattern<graph::WelfordOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(graph::WelfordOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<ExprAttr> sizes = getSizes(op.getInput());
    unsigned rank = static_cast<unsigned>(sizes.size());
    sym::Context context = sym::Context::forOp(op);
    bool mayBeEmpty = llvm::any_of(op.getDims(), [&](int64_t d) {
      return context.bounds(sizes[static_cast<size_t>(d)]).lo < 1;
    });
    KernelBuilder k(rewriter, op.getLoc(), "welford", sizes, op.getInput(),
                    op->getResultTypes());
    Value v = k.load(0, k.dims(rank)), mean, m2;
    Type type = v.getType();
    if (op.getDims().empty()) {
      // Every element is its own mean; m2 is NaN where it is not finite.
      m2 = arith::SubFOp::create(k.b, v, v);
      mean = arith::AddFOp::create(k.b, v, m2);
    } else {
      auto moments = loop::WelfordOp::create(k.b, TypeRange{type, type, type},
                                             v, k.constant(type, 0),
                                             k.constant(type, 1), op.getDims());
      mean = moments.getTotalMean();
      m2 = moments.getTotalM2();
      if (mayBeEmpty) {
        Value none =
            arith::CmpFOp::create(k.b, arith::CmpFPredicate::OEQ,
                                  moments.getTotalCount(), k.constant(type, 0));
        Value nan = k.constant(k.b.getFloatAttr(
            type, APFloat::getNaN(cast<FloatType>(type).getFloatSemantics())));
        mean = arith::SelectOp::create(k.b, none, nan, mean);
      }
    }
    SmallVector<ExprAttr> index =
        keptIndex(getContext(), rank, op.getDims(), op.getKeepdims());
    k.store(mean, 0, index);
    k.store(m2, 1, index);
    rewriter.replaceOp(op, k.kernel);
    return success();
  }
};

/// graph.arg_reduce  →  loop.kernel { load, loop.index, loop.arg_reduce, store
/// }
struct ArgReduce : OpRewritePattern<graph::ArgReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(graph::ArgReduceOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<ExprAttr> sizes = getSizes(op.getInput());
    unsigned rank = static_cast<unsigned>(sizes.size());
    int64_t dim = static_cast<int64_t>(op.getDim());
    std::string name = ("arg" + graph::stringifyReduceKind(op.getKind())).str();
    KernelBuilder k(rewriter, op.getLoc(), name, sizes, op.getInput(),
                    op->getResultTypes());
    Type element = op.getInput().getType().getElementType();
    Value v = k.load(0, k.dims(rank));
    Value compute = k.toCompute(v);
    // Bools order as 0 and 1.
    ReduceKind kind = getLoopKind(op.getKind(), element);
    if (element.isInteger(1)) {
      compute = arith::ExtUIOp::create(k.b, k.b.getI8Type(), v);
      kind = op.getKind() == graph::ReduceKind::Max ? ReduceKind::Max
                                                    : ReduceKind::Min;
    }
    Value position = loop::IndexOp::create(
        k.b, k.b.getI64Type(),
        sym::dim(getContext(), static_cast<unsigned>(dim)));
    auto reduce = loop::ArgReduceOp::create(
        k.b, TypeRange{compute.getType(), k.b.getI64Type()}, kind, compute,
        position, ArrayRef<int64_t>{dim});
    Value extremum = reduce.getMinMax();
    if (element.isInteger(1))
      extremum = arith::TruncIOp::create(k.b, k.b.getI1Type(), extremum);
    SmallVector<ExprAttr> index =
        keptIndex(getContext(), rank, {dim}, op.getKeepdims());
    k.store(k.fromCompute(extremum, getScalarType(op.getValues())), 0, index);
    k.store(reduce.getMinMaxIndex(), 1, index);
    rewriter.replaceOp(op, k.kernel);
    return success();
  }
};

} // namespace

static loop::ScanKind getLoopKind(graph::ScanKind kind, Type type) {
  bool isUnsigned = type.isInteger(1) || type.isUnsignedInteger();
  switch (kind) {
  case graph::ScanKind::Sum:
    return loop::ScanKind::Sum;
  case graph::ScanKind::Prod:
    return loop::ScanKind::Prod;
  case graph::ScanKind::Max:
    return isUnsigned ? loop::ScanKind::UMax : loop::ScanKind::Max;
  case graph::ScanKind::Min:
    return isUnsigned ? loop::ScanKind::UMin : loop::ScanKind::Min;
  case graph::ScanKind::LogAddExp:
    return loop::ScanKind::LogAddExp;
  }
  llvm_unreachable("all kinds are handled");
}

namespace {

/// graph.scan  →  loop.kernel { load, loop.scan, store }
struct Scan : OpRewritePattern<graph::ScanOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(graph::ScanOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<ExprAttr> sizes = getSizes(op.getInput());
    unsigned rank = static_cast<unsigned>(sizes.size());
    std::string name = ("scan_" + graph::stringifyScanKind(op.getKind())).str();
    KernelBuilder k(rewriter, op.getLoc(), name, sizes, op.getInput(),
                    op.getType());
    Type element = op.getInput().getType().getElementType();
    Value v = k.toCompute(k.load(0, k.dims(rank)));
    v = loop::ScanOp::create(
        k.b, getLoopKind(op.getKind(), element), v,
        ArrayRef<int64_t>{static_cast<int64_t>(op.getDim())});
    k.store(k.fromCompute(v, getScalarType(op.getResult())), 0, k.dims(rank));
    rewriter.replaceOp(op, k.kernel);
    return success();
  }
};

/// graph.arg_scan  →  loop.kernel { load, loop.index, loop.arg_scan, store }
struct ArgScan : OpRewritePattern<graph::ArgScanOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(graph::ArgScanOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<ExprAttr> sizes = getSizes(op.getInput());
    unsigned rank = static_cast<unsigned>(sizes.size());
    bool isMax = op.getKind() == graph::ReduceKind::Max;
    KernelBuilder k(rewriter, op.getLoc(), isMax ? "cummax" : "cummin", sizes,
                    op.getInput(), op->getResultTypes());
    Type element = op.getInput().getType().getElementType();
    Value v = k.toCompute(k.load(0, k.dims(rank)));
    // Bools order as unsigned numbers.
    ReduceKind kind = element.isInteger(1) || element.isUnsignedInteger()
                          ? (isMax ? ReduceKind::UMax : ReduceKind::UMin)
                          : (isMax ? ReduceKind::Max : ReduceKind::Min);
    Value position = loop::IndexOp::create(
        k.b, k.b.getI64Type(),
        sym::dim(getContext(), static_cast<unsigned>(op.getDim())));
    auto scan = loop::ArgScanOp::create(
        k.b, TypeRange{v.getType(), k.b.getI64Type()}, kind, v, position,
        ArrayRef<int64_t>{static_cast<int64_t>(op.getDim())});
    k.store(k.fromCompute(scan.getMinMax(), getScalarType(op.getValues())), 0,
            k.dims(rank));
    k.store(scan.getMinMaxIndex(), 1, k.dims(rank));
    rewriter.replaceOp(op, k.kernel);
    return success();
  }
};

/// graph.matmul  →  loop.kernel { load, load, mul, loop.reduce sum, store }
struct Matmul : OpRewritePattern<graph::MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(graph::MatmulOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<ExprAttr> lhs = getSizes(op.getLhs()),
                          rhs = getSizes(op.getRhs()),
                          dims = getSizes(op.getResult());
    unsigned rank = static_cast<unsigned>(dims.size());
    dims.push_back(lhs.back());
    SmallVector<Value> inputs{op.getLhs()};
    if (op.getRhs() != op.getLhs())
      inputs.push_back(op.getRhs());
    unsigned right = static_cast<unsigned>(inputs.size()) - 1;
    if (op.getBias())
      inputs.push_back(op.getBias());
    KernelBuilder k(rewriter, op.getLoc(),
                    op.getBias() ? "matmul+bias" : "matmul", dims, inputs,
                    op.getType());
    auto index = [&](ArrayRef<ExprAttr> sizes, unsigned row, unsigned column) {
      SmallVector<ExprAttr> result;
      for (unsigned d = 0; d + 2 < rank; ++d)
        result.push_back(sizes[d].isConstant(1) ? sym::constant(getContext(), 0)
                                                : sym::dim(getContext(), d));
      result.push_back(sym::dim(getContext(), row));
      result.push_back(sym::dim(getContext(), column));
      return result;
    };
    Value x = k.toCompute(k.load(0, index(lhs, rank - 2, rank)));
    Value y = k.toCompute(k.load(right, index(rhs, rank, rank - 1)));
    Value product = isa<FloatType>(x.getType())
                        ? k.productToSum(x, y)
                        : arith::MulIOp::create(k.b, x, y).getResult();
    Value sum = loop::ReduceOp::create(
        k.b, ReduceKind::Sum, product,
        ArrayRef<int64_t>{static_cast<int64_t>(rank)}, op.getTf32());
    if (op.getBias()) {
      Value bias =
          k.toCompute(k.load(right + 1, sym::dim(getContext(), rank - 1)));
      sum = isa<FloatType>(sum.getType())
                ? arith::AddFOp::create(k.b, sum, bias).getResult()
                : arith::AddIOp::create(k.b, sum, bias).getResult();
    }
    k.store(k.fromCompute(sum, getScalarType(op.getResult())), 0, k.dims(rank));
    rewriter.replaceOp(op, k.kernel);
    return success();
  }
};

} // namespace

void coil::populateReductionToLoopPatterns(RewritePatternSet &patterns) {
  patterns.add<ArgReduce, ArgScan, Matmul, Moments, Reduce, Scan>(
      patterns.getContext());
}
