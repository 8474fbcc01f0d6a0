//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replaces what a function returns by its lowered attribute 'expr'.
//
//===----------------------------------------------------------------------===//

#include "coil/Conversion/Utils/ExprLowering.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace coil;

namespace {
/// `d0`, `d1`, ... are the arguments; a symbol is the constant that the
/// function attribute of its name gives.
struct TestExprLowering
    : PassWrapper<TestExprLowering, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestExprLowering)
  StringRef getArgument() const final { return "test-coil-expr-lowering"; }
  StringRef getDescription() const final {
    return "return the function's attribute 'expr', lowered";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, vector::VectorDialect>();
  }
  void runOnOperation() override {
    func::FuncOp fn = getOperation();
    auto expr = fn->getAttrOfType<sym::ExprAttr>("expr");
    if (!expr)
      return;
    if (fn.isExternal())
      return;
    for (Type type : fn.getArgumentTypes())
      if (!getElementTypeOrSelf(type).isSignlessInteger() &&
          !isa<IndexType>(type)) {
        fn.emitError("expected signless integers but got ") << type;
        return signalPassFailure();
      }
    Block &block = fn.getBody().front();
    OpBuilder b(block.getTerminator());
    sym::Context facts = sym::Context::forOp(fn);
    Value v = lowerExpr(
        b, fn.getLoc(), expr,
        [&](sym::ExprAttr leaf) -> Value {
          if (leaf.isDim() &&
              leaf.getValue() >= int64_t(block.getNumArguments()))
            return {};
          if (leaf.isDim())
            return block.getArgument(static_cast<unsigned>(leaf.getValue()));
          if (auto value = fn->getAttrOfType<IntegerAttr>(leaf.getName()))
            return arith::ConstantOp::create(b, fn.getLoc(), value);
          return {};
        },
        fn->hasAttr("facts") ? &facts : nullptr);
    if (!v) {
      fn.emitError("a leaf has no value");
      return signalPassFailure();
    }
    block.getTerminator()->setOperands(v);
    fn.setType(b.getFunctionType(fn.getArgumentTypes(), v.getType()));
  }
};
} // namespace

namespace coil::test {
void registerTestExprLowering() { PassRegistration<TestExprLowering>(); }
} // namespace coil::test
