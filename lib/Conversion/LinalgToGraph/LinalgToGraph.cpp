//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `raise-linalg-to-graph`, and what its patterns share.
//
//===----------------------------------------------------------------------===//

#include "coil/Conversion/LinalgToGraph/LinalgToGraph.h"

#include "Raise.h"
#include "coil/Conversion/LinalgToLoop/Combiner.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace coil {
#define GEN_PASS_DEF_RAISELINALGTOGRAPHPASS
#include "coil/Conversion/BridgePasses.h.inc"
} // namespace coil

using namespace mlir;
using namespace coil;
using namespace coil::bridge;

/// The block argument that `v` is, perhaps extended.
static BlockArgument getElement(Value v, bool &isUnsigned) {
  if (Operation *op = v.getDefiningOp();
      isa_and_present<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(op)) {
    isUnsigned |= isa<arith::ExtUIOp>(op);
    v = op->getOperand(0);
  }
  return dyn_cast<BlockArgument>(v);
}

std::optional<ProductSum> bridge::matchProductSum(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInputs() != 2 ||
      op.getNumDpsInits() != 1)
    return std::nullopt;
  for (Value v : op->getOperands()) {
    auto type = dyn_cast<RankedTensorType>(v.getType());
    if (!type || llvm::is_contained(sym::getSizes(type), sym::ExprAttr()))
      return std::nullopt;
  }
  std::optional<Combiner> combiner =
      matchCombiner(op.getBlock()->getTerminator()->getOperand(0),
                    op.getRegionOutputArgs().front());
  if (!combiner || combiner->kind != loop::ReduceKind::Sum || combiner->negated)
    return std::nullopt;
  Value x = combiner->value, y = combiner->factor;
  if (!y) {
    auto product = x.getDefiningOp<arith::MulIOp>();
    if (!product)
      return std::nullopt;
    x = product.getLhs();
    y = product.getRhs();
  }
  ProductSum result;
  BlockArgument lhs = getElement(x, result.isUnsigned),
                rhs = getElement(y, result.isUnsigned);
  auto inputs = op.getRegionInputArgs();
  if (lhs == inputs[1] && rhs == inputs[0])
    std::swap(lhs, rhs);
  if (lhs != inputs[0] || rhs != inputs[1])
    return std::nullopt;
  result.lhs = op.getDpsInputOperand(0);
  result.rhs = op.getDpsInputOperand(1);
  result.init = op.getDpsInitOperand(0);
  return result;
}

static Type getElementType(OpOperand *operand) {
  return getElementTypeOrSelf(operand->get().getType());
}

std::optional<ProductTypes> bridge::getProductTypes(const ProductSum &sum) {
  Type x = getElementType(sum.lhs), y = getElementType(sum.rhs),
       result = getElementType(sum.init);
  auto isNarrow = [](Type type) { return type.isF16() || type.isBF16(); };
  if (result.isF32() || result.isF64() || isNarrow(result)) {
    if (!isa<FloatType>(x) || !isa<FloatType>(y))
      return std::nullopt;
    // Sums of products are made in f32, and with an initial value rounded once.
    if (x == y && isNarrow(x) && (result.isF32() || result == x))
      return ProductTypes{x, isNeutral({loop::ReduceKind::Sum, {}, {}},
                                       getSplat(sum.init->get()))
                                 ? result
                                 : Float32Type::get(x.getContext())};
    if (isNarrow(result))
      return std::nullopt;
    return ProductTypes{result, result};
  }
  auto integer = dyn_cast<IntegerType>(result);
  if (!integer ||
      !llvm::is_contained({8u, 16u, 32u, 64u}, integer.getWidth()) ||
      sum.isUnsigned || x.isInteger(1) || y.isInteger(1))
    return std::nullopt;
  return ProductTypes{result, result};
}

Value bridge::addInit(graph::TensorBuilder &b, const ProductSum &sum,
                      Value value) {
  Value init = sum.init->get();
  Type type = graph::getElementType(init);
  if (isNeutral({loop::ReduceKind::Sum, {}, {}}, getSplat(init)))
    return b.convert(value, type);
  return b.convert(b.add(b.convert(init, graph::getElementType(value)), value),
                   type);
}

std::optional<SmallVector<unsigned>> bridge::getLoops(AffineMap map) {
  SmallVector<unsigned> loops;
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || llvm::is_contained(loops, dim.getPosition()))
      return std::nullopt;
    loops.push_back(dim.getPosition());
  }
  return loops;
}

Value bridge::permuteTo(graph::TensorBuilder &b, Value x,
                        ArrayRef<unsigned> from, ArrayRef<unsigned> to) {
  SmallVector<int64_t> permutation;
  for (unsigned loop : to)
    permutation.push_back(llvm::find(from, loop) - from.begin());
  return b.permute(x, permutation);
}

namespace {
struct RaiseLinalgToGraph
    : coil::impl::RaiseLinalgToGraphPassBase<RaiseLinalgToGraph> {
  void runOnOperation() override {
    if (!getContext().getLoadedDialect<linalg::LinalgDialect>())
      return;
    RewritePatternSet patterns(&getContext());
    populateRaiseContractionPatterns(patterns);
    populateRaiseConvolutionPatterns(patterns);
    populateRaiseSoftmaxPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace
