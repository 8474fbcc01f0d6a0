//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `convert-tosa-to-graph`, and what its patterns share.
//
//===----------------------------------------------------------------------===//

#include "coil/Conversion/TosaToGraph/TosaToGraph.h"

#include "PopulatePatterns.h"
#include "coil/Dialect/Graph/IR/Graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tosa/Utils/ConversionUtils.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace coil {
#define GEN_PASS_DEF_CONVERTTOSATOGRAPHPASS
#include "coil/Conversion/BridgePasses.h.inc"
} // namespace coil

using namespace mlir;
using namespace coil;
using namespace coil::tosa_bridge;

static bool isGraphElement(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
  return type.isF16() || type.isBF16() || type.isF32() || type.isF64();
}

bool tosa_bridge::hasGraphTypes(Operation *op) {
  return llvm::all_of(
      llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()),
      [](Type type) {
        auto tensor = dyn_cast<RankedTensorType>(type);
        if (!tensor)
          return isa<tosa::shapeType>(type);
        return isGraphElement(tensor.getElementType()) &&
               !llvm::is_contained(sym::getSizes(tensor), sym::ExprAttr());
      });
}

TypedAttr tosa_bridge::getScalar(Value v) {
  ElementsAttr literal;
  if (!matchPattern(v, m_Constant(&literal)) || !literal.isSplat())
    return {};
  return literal.getSplatValue<TypedAttr>();
}

bool tosa_bridge::isZero(Value v) {
  TypedAttr value = getScalar(v);
  if (auto f = dyn_cast_if_present<FloatAttr>(value))
    return f.getValue().isZero();
  auto i = dyn_cast_if_present<IntegerAttr>(value);
  return i && i.getValue().isZero();
}

std::optional<SmallVector<int64_t>> tosa_bridge::getShape(Value v) {
  SmallVector<int64_t> shape;
  if (!tosa::getConstShapeValues(v.getDefiningOp(), shape))
    return std::nullopt;
  return shape;
}

namespace {
struct ConvertTosaToGraph
    : coil::impl::ConvertTosaToGraphPassBase<ConvertTosaToGraph> {
  void runOnOperation() override {
    if (!getContext().getLoadedDialect<tosa::TosaDialect>())
      return;
    RewritePatternSet patterns(&getContext());
    populateElementwisePatterns(patterns);
    populateReductionPatterns(patterns);
    populateWindowPatterns(patterns);
    populateDataPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    // Literals are looked at by those that use them, so they come last.
    IRRewriter rewriter(&getContext());
    getOperation()->walk<WalkOrder::PostOrder, mlir::ReverseIterator>(
        [&](Operation *op) {
          if (!isa_and_present<tosa::TosaDialect>(op->getDialect()))
            return;
          if (isOpTriviallyDead(op))
            return rewriter.eraseOp(op);
          auto literal = dyn_cast<tosa::ConstOp>(op);
          if (!literal || !hasGraphTypes(op) ||
              llvm::any_of(op->getUsers(), [](Operation *user) {
                return isa_and_present<tosa::TosaDialect>(user->getDialect());
              }))
            return;
          rewriter.setInsertionPoint(op);
          rewriter.replaceOpWithNewOp<graph::ConstantOp>(op,
                                                         literal.getValues());
        });
  }
};
} // namespace
