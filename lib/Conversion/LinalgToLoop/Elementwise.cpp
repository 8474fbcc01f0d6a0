//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scalar operations of `arith` and `math` on tensors, and literals.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace coil;
using namespace coil::bridge;
using sym::ExprAttr;

namespace {

/// arith.addf on tensors → loop.kernel { load, load, arith.addf, store }
struct Elementwise : RewritePattern {
  Elementwise(MLIRContext *context, Failures &failures)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context),
        failures(failures) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isa_and_present<arith::ArithDialect, math::MathDialect>(
            op->getDialect()) ||
        op->getNumResults() != 1 ||
        !isa<RankedTensorType>(op->getResult(0).getType()) ||
        !OpTrait::hasElementwiseMappableTraits(op))
      return failure();
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    SmallVector<ExprAttr> dims = sym::getSizes(type), at;
    if (llvm::is_contained(dims, ExprAttr()))
      return failures.report(op, "a tensor has a size without an expression; "
                                 "run 'sym-name-dynamic-sizes' before");
    // The same operation on scalars is what a body holds; the writer clones it.
    OperationState state(op->getLoc(), op->getName());
    Block scalars;
    for (Value v : op->getOperands()) {
      Type element = getElementTypeOrSelf(v.getType());
      if (!isElementType(element)) {
        std::string text;
        llvm::raw_string_ostream(text) << element;
        return failures.report(op,
                               "it has elements of the type '" + text + "'");
      }
      state.addOperands(scalars.addArgument(element, op->getLoc()));
    }
    state.addTypes(type.getElementType());
    state.addAttributes(op->getDiscardableAttrDictionary().getValue());
    state.propertiesAttr = op->getPropertiesAsAttribute();
    OpBuilder builder(getContext());
    builder.setInsertionPointToStart(&scalars);
    Operation *scalar = builder.create(state);
    for (Value v : op->getOperands()) {
      auto operand = dyn_cast<RankedTensorType>(v.getType());
      if (!operand)
        continue;
      for (auto [size, other] : llvm::zip_equal(dims, sym::getSizes(operand)))
        if (other && size != other)
          sym::AssertOp::create(
              rewriter, op->getLoc(), size, sym::Predicate::Eq, other,
              rewriter.getStringAttr("sizes of the operands of '" +
                                     op->getName().getStringRef() +
                                     "' are equal"));
    }
    for (unsigned d = 0; d < dims.size(); ++d)
      at.push_back(sym::dim(getContext(), d));
    KernelWriter k(rewriter, op, getPlainName(op), dims, type, failures);
    for (auto [v, argument] :
         llvm::zip_equal(op->getOperands(), scalars.getArguments())) {
      Value element =
          isa<RankedTensorType>(v.getType()) ? k.load(v, at) : k.get(v);
      if (!element)
        return failure();
      k.map(argument, element);
    }
    Value result = k.get(scalar->getResult(0));
    if (!result)
      return failure();
    k.store(result, 0, at);
    rewriter.replaceOp(op, k.kernel);
    return success();
  }

  Failures &failures;
};

/// A splat is a kernel without loads; any other literal stays a constant.
struct Literal : Lowering<arith::ConstantOp> {
  using Lowering::Lowering;

  LogicalResult matchAndRewrite(arith::ConstantOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!type)
      return failure();
    if (!isElementType(type.getElementType())) {
      std::string text;
      llvm::raw_string_ostream(text) << type.getElementType();
      return failures.report(op, "it has elements of the type '" + text + "'");
    }
    auto splat = dyn_cast<SplatElementsAttr>(op.getValue());
    if (!splat)
      return failure();
    SmallVector<ExprAttr> dims = sym::getSizes(type), at;
    for (unsigned d = 0; d < dims.size(); ++d)
      at.push_back(sym::dim(getContext(), d));
    KernelWriter k(rewriter, op, "constant", dims, type, failures);
    k.store(k.constant(splat.getSplatValue<TypedAttr>()), 0, at);
    rewriter.replaceOp(op, k.kernel);
    return success();
  }
};

} // namespace

void bridge::populateElementwiseToLoopPatterns(RewritePatternSet &patterns,
                                               Failures &failures) {
  patterns.add<Elementwise, Literal>(patterns.getContext(), failures);
}
