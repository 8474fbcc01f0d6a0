//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Structured operations: everything that implements `LinalgOp`, and softmax.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "coil/Dialect/Sym/Transforms/IndexValues.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace coil;
using namespace coil::bridge;
using sym::ExprAttr;

/// Operations that a generic one's name mentions.
static constexpr size_t kMaxNamedOps = 4;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

StringRef bridge::getPlainName(Operation *op) {
  StringRef name = op->getName().stripDialect();
  if (isa<arith::ArithDialect>(op->getDialect()))
    for (StringRef suffix : {"si", "ui", "f", "i"})
      if (name.consume_back(suffix))
        break;
  return name;
}

/// A kernel's name: that of a named operation, else what its body computes.
static std::string getName(linalg::LinalgOp op, bool reduces) {
  if (!isa<linalg::GenericOp, linalg::MapOp, linalg::ReduceOp>(
          op.getOperation()))
    return op->getName().stripDialect().str();
  SmallVector<std::string> names;
  Operation *yield = op.getBlock()->getTerminator();
  for (Operation &each : *op.getBlock()) {
    if (&each == yield ||
        !isa_and_present<arith::ArithDialect, math::MathDialect>(
            each.getDialect()) ||
        isa<arith::ConstantOp, arith::IndexCastOp>(each))
      continue;
    std::string name = getPlainName(&each).str();
    if (reduces &&
        llvm::is_contained(yield->getOperands(), each.getResult(0))) {
      std::optional<Combiner> how;
      for (BlockArgument arg : op.getRegionOutputArgs())
        if (auto match = matchCombiner(each.getResult(0), arg))
          how = match;
      if (how)
        name = ("reduce_" + loop::stringifyReduceKind(how->kind)).str();
    }
    names.push_back(std::move(name));
  }
  if (names.empty())
    return "copy";
  if (names.size() > kMaxNamedOps)
    names.erase(names.begin(), names.end() - kMaxNamedOps);
  return llvm::join(names, "+");
}

//===----------------------------------------------------------------------===//
// Spaces
//===----------------------------------------------------------------------===//

LogicalResult bridge::checkOperands(linalg::LinalgOp op, Failures &failures) {
  if (!op.hasPureTensorSemantics())
    return failures.report(op, "it works on buffers, not on tensors");
  if (failed(checkTensors(op, failures)))
    return failure();
  for (AffineMap map : op.getIndexingMapsArray())
    if (map.getNumSymbols() != 0)
      return failures.report(op, "an indexing map has symbols");
  return success();
}

FailureOr<Space> bridge::getSpace(linalg::LinalgOp op, OpBuilder &b,
                                  Failures &failures) {
  MLIRContext *ctx = op.getContext();
  Space space;
  space.extents.resize(op.getNumLoops());
  SmallVector<ExprAttr> dims;
  for (unsigned d = 0; d < op.getNumLoops(); ++d)
    dims.push_back(sym::dim(ctx, d));
  SmallVector<OpOperand *> order;
  for (OpOperand &init : op.getDpsInitsMutable())
    order.push_back(&init);
  for (OpOperand *input : op.getDpsInputOperands())
    order.push_back(input);
  for (OpOperand *operand : order) {
    auto type = dyn_cast<RankedTensorType>(operand->get().getType());
    if (!type)
      continue;
    AffineMap map = op.getMatchingIndexingMap(operand);
    for (auto [expr, size] :
         llvm::zip_equal(map.getResults(), sym::getSizes(type))) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim)
        continue;
      ExprAttr &extent = space.extents[dim.getPosition()];
      if (!extent)
        extent = size;
      else if (extent != size)
        sym::AssertOp::create(b, op.getLoc(), extent, sym::Predicate::Eq, size,
                              b.getStringAttr("sizes of the operands of '" +
                                              op->getName().getStringRef() +
                                              "' are equal"));
    }
  }
  if (llvm::is_contained(space.extents, ExprAttr()))
    return failures.report(op, "a loop has the size of no operand");
  sym::Context context = sym::Context::forOp(op);
  context.setDimExtents(space.extents);
  for (OpOperand &operand : op->getOpOperands()) {
    SmallVector<ExprAttr> &index = space.indices.emplace_back();
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type)
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [expr, size] :
         llvm::zip_equal(map.getResults(), sym::getSizes(type))) {
      ExprAttr at = sym::fromAffine(expr, map.getNumDims(), dims);
      if (!at)
        return failures.report(op, "an index is no affine expression");
      index.push_back(at);
      if (at.isDim() || context.isLess(at, size))
        continue;
      // Windows end inside of what they slide over.
      ExprAttr last = sym::substitute(at, [&](ExprAttr leaf) {
        return leaf.isDim()
                   ? sym::add(
                         space.extents[static_cast<size_t>(leaf.getValue())],
                         -1)
                   : ExprAttr();
      });
      if (context.isLess(last, size))
        continue;
      if (last.isConstant() && size.isConstant())
        return failures.report(op, "an index is out of range");
      sym::AssertOp::create(b, op.getLoc(), last, sym::Predicate::Lt, size,
                            b.getStringAttr("'" + op->getName().getStringRef() +
                                            "' reads inside of its operand"));
    }
  }
  return space;
}

//===----------------------------------------------------------------------===//
// Structured operations
//===----------------------------------------------------------------------===//

namespace {

/// linalg.generic, linalg.matmul, ... → loop.kernel { load..., body, store }
struct Structured : OpInterfaceRewritePattern<linalg::LinalgOp> {
  Structured(MLIRContext *context, Failures &failures)
      : OpInterfaceRewritePattern(context), failures(failures) {}

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override;

private:
  /// The loops that output `i` does not walk; fails where it is indexed by more
  /// than loops.
  FailureOr<SmallVector<int64_t>> getReducedLoops(linalg::LinalgOp op,
                                                  unsigned i) const;

  Failures &failures;
};

} // namespace

FailureOr<SmallVector<int64_t>> Structured::getReducedLoops(linalg::LinalgOp op,
                                                            unsigned i) const {
  OpOperand *init = op.getDpsInitOperand(i);
  AffineMap map = op.getMatchingIndexingMap(init);
  llvm::SmallBitVector walked(op.getNumLoops());
  for (auto [expr, size] :
       llvm::zip_equal(map.getResults(), getSizes(init->get()))) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (dim && !walked.test(dim.getPosition())) {
      walked.set(dim.getPosition());
      continue;
    }
    auto zero = dyn_cast<AffineConstantExpr>(expr);
    if (!zero || zero.getValue() != 0 || !size.isConstant(1))
      return failures.report(op, "result " + Twine(i) +
                                     " is indexed by more than loops");
  }
  SmallVector<int64_t> reduced;
  for (auto [d, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (walked.test(static_cast<unsigned>(d)))
      continue;
    if (kind != utils::IteratorType::reduction)
      return failures.report(op, "result " + Twine(i) +
                                     " does not walk the parallel loop " +
                                     Twine(d));
    reduced.push_back(static_cast<int64_t>(d));
  }
  return reduced;
}

/// Transposes, broadcasts and copies say only where elements come from.
static bool replaceByView(linalg::LinalgOp op, PatternRewriter &rewriter) {
  if (op.getNumDpsInits() != 1 || op.getNumParallelLoops() != op.getNumLoops())
    return false;
  auto arg =
      dyn_cast<BlockArgument>(op.getBlock()->getTerminator()->getOperand(0));
  if (!arg || arg.getOwner() != op.getBlock())
    return false;
  OpOperand *source = op.getMatchingOpOperand(arg);
  AffineMap to = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  auto type = dyn_cast<RankedTensorType>(source->get().getType());
  if (op.isDpsInit(source) || !type || !to.isPermutation())
    return false;
  AffineMap map =
      op.getMatchingIndexingMap(source).compose(inversePermutation(to));
  MLIRContext *ctx = op.getContext();
  SmallVector<ExprAttr> dims, indices,
      extents = getSizes(op.getDpsInits().front());
  for (unsigned d = 0; d < extents.size(); ++d)
    dims.push_back(sym::dim(ctx, d));
  for (auto [expr, size] :
       llvm::zip_equal(map.getResults(), sym::getSizes(type))) {
    ExprAttr at = sym::fromAffine(expr, map.getNumDims(), dims);
    // Sizes that are only equal at run time are checked where all loops are.
    if (!at ||
        (at.isDim() && extents[static_cast<size_t>(at.getValue())] != size) ||
        !(at.isDim() || at.isConstant()))
      return false;
    indices.push_back(at);
  }
  rewriter.replaceOpWithNewOp<loop::ViewOp>(op, op->getResult(0).getType(),
                                            source->get(),
                                            sym::ShapeAttr::get(ctx, indices));
  return true;
}

/// A constant that each point of the reduced loops gives: what was there at
/// first where they have no points.
static Value selectWhereNotEmpty(KernelWriter &k, ArrayRef<int64_t> loops,
                                 Value constant, Value init,
                                 ArrayRef<ExprAttr> at) {
  ExprAttr zero = sym::constant(init.getContext(), 0);
  Value mask;
  for (int64_t d : loops)
    mask = k.conjunction(
        mask, k.inRange(zero, k.kernel.getExtent(static_cast<unsigned>(d))));
  return mask ? arith::SelectOp::create(k.b, mask, constant, k.load(init, at))
                    .getResult()
              : constant;
}

LogicalResult Structured::matchAndRewrite(linalg::LinalgOp op,
                                          PatternRewriter &rewriter) const {
  if (failed(checkOperands(op, failures)))
    return failure();
  Operation *yield = op.getBlock()->getTerminator();
  if (llvm::equal(yield->getOperands(), op.getRegionOutputArgs())) {
    rewriter.replaceOp(op, op.getDpsInits());
    return success();
  }
  if (replaceByView(op, rewriter))
    return success();
  // What each result reduces over; all that reduce do so over the same loops.
  SmallVector<int64_t> reduced;
  SmallVector<std::optional<Combiner>> combiners;
  for (auto [i, carried] : llvm::enumerate(op.getRegionOutputArgs())) {
    FailureOr<SmallVector<int64_t>> loops =
        getReducedLoops(op, static_cast<unsigned>(i));
    if (failed(loops))
      return failure();
    combiners.emplace_back();
    // What is passed on is what it was at first.
    if (loops->empty() ||
        yield->getOperand(static_cast<unsigned>(i)) == carried)
      continue;
    if (!reduced.empty() && reduced != *loops)
      return failures.report(op, "its results reduce over different loops");
    reduced = *loops;
    combiners.back() = matchCombiner(yield->getOperand(i), carried);
    if (!combiners.back() && !matchPattern(yield->getOperand(i), m_Constant()))
      return failures.report(
          op,
          "result " + Twine(i) +
              " is combined by none of sum, product, maximum, minimum, and, "
              "or, xor");
  }
  FailureOr<Space> space = getSpace(op, rewriter, failures);
  if (failed(space))
    return failure();

  KernelWriter k(rewriter, op, getName(op, !reduced.empty()), space->extents,
                 op->getResultTypes(), failures);
  // Elements that the body uses; a carried value only where nothing reduces.
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument arg = op.getMatchingBlockArgument(&operand);
    if (arg.use_empty())
      continue;
    if (op.isDpsInit(&operand) &&
        combiners[op.getTiedOpResult(&operand).getResultNumber()])
      continue;
    Value v =
        isa<RankedTensorType>(operand.get().getType())
            ? k.load(operand.get(), space->indices[operand.getOperandNumber()])
            : k.get(operand.get());
    if (!v)
      return failure();
    k.map(arg, v);
  }
  for (auto [i, combiner] : llvm::enumerate(combiners)) {
    OpOperand *init = op.getDpsInitOperand(static_cast<int64_t>(i));
    ArrayRef<ExprAttr> at = space->indices[init->getOperandNumber()];
    Value v;
    if (combiner) {
      TypedAttr splat = getSplat(init->get());
      Value before;
      if (!isNeutral(*combiner, splat))
        before = splat ? k.constant(splat) : k.load(init->get(), at);
      auto number = dyn_cast_if_present<FloatAttr>(splat);
      v = buildReduction(
          k, *combiner, reduced, before, !number || number.getValue().isNaN(),
          cast<RankedTensorType>(init->get().getType()).getElementType());
    } else {
      v = k.get(yield->getOperand(static_cast<unsigned>(i)));
      if (v && matchPattern(v, m_Constant()) && !reduced.empty())
        v = selectWhereNotEmpty(k, reduced, v, init->get(), at);
    }
    if (!v)
      return failure();
    k.store(v, static_cast<unsigned>(i), at);
  }
  rewriter.replaceOp(op, k.kernel);
  return success();
}

namespace {

/// linalg.softmax → loop.kernel { load, reduce max, sub, exp, reduce sum, div }
struct Softmax : Lowering<linalg::SoftmaxOp> {
  using Lowering::Lowering;

  LogicalResult matchAndRewrite(linalg::SoftmaxOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op.getInput().getType());
    if (!type || op->getNumResults() != 1)
      return failures.report(op, "it works on buffers, not on tensors");
    SmallVector<ExprAttr> dims = sym::getSizes(type);
    if (llvm::is_contained(dims, ExprAttr()))
      return failures.report(op, "an operand has a size without an expression; "
                                 "run 'sym-name-dynamic-sizes' before");
    KernelWriter k(rewriter, op, "softmax", dims, op->getResultTypes(),
                   failures);
    SmallVector<ExprAttr> at;
    for (unsigned d = 0; d < dims.size(); ++d)
      at.push_back(sym::dim(op.getContext(), d));
    int64_t over[] = {static_cast<int64_t>(op.getDimension())};
    Location loc = op.getLoc();
    Value v = extend(k.b, loc, k.load(op.getInput(), at));
    Value most = loop::ReduceOp::create(k.b, loop::ReduceKind::Max, v, over);
    Value e = math::ExpOp::create(k.b, arith::SubFOp::create(k.b, v, most));
    Value sum = loop::ReduceOp::create(k.b, loop::ReduceKind::Sum, e, over);
    Value result = arith::DivFOp::create(k.b, e, sum);
    k.store(round(k.b, loc, result,
                  cast<RankedTensorType>(op->getResult(0).getType())
                      .getElementType()),
            0, at);
    rewriter.replaceOp(op, k.kernel);
    return success();
  }
};

} // namespace

void bridge::populateStructuredToLoopPatterns(RewritePatternSet &patterns,
                                              Failures &failures) {
  patterns.add<Softmax, Structured>(patterns.getContext(), failures);
}
