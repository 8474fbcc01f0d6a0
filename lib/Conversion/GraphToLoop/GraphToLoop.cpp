//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `convert-graph-to-loop`.
//
//===----------------------------------------------------------------------===//

#include "coil/Conversion/GraphToLoop/GraphToLoop.h"

#include "PopulatePatterns.h"
#include "coil/Conversion/Utils/Contract.h"
#include "coil/Dialect/Graph/IR/Device.h"
#include "coil/Dialect/Sym/IR/Sym.h"
#include "coil/Support/Registration.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace coil {
#define GEN_PASS_DEF_CONVERTGRAPHTOLOOPPASS
#include "coil/Conversion/Passes.h.inc"
} // namespace coil

using namespace mlir;
using namespace coil;

Value KernelBuilder::constant(Type type, double value) {
  if (isa<FloatType>(type))
    return constant(cast<TypedAttr>(b.getFloatAttr(type, value)));
  return constant(
      cast<TypedAttr>(b.getIntegerAttr(type, static_cast<int64_t>(value))));
}

Value KernelBuilder::constant(TypedAttr value) {
  Type scalar = loop::getScalarType(value.getType());
  if (auto i = dyn_cast<IntegerAttr>(value))
    value = b.getIntegerAttr(scalar, i.getValue());
  return arith::ConstantOp::create(b, value);
}

Value KernelBuilder::conjunction(Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  return arith::AndIOp::create(b, x, y);
}

Value KernelBuilder::inRange(sym::ExprAttr index, sym::ExprAttr size,
                             const sym::Context &context) {
  Value result;
  Value position;
  auto at = [&] {
    if (!position)
      position = loop::IndexOp::create(b, b.getI64Type(), index);
    return position;
  };
  if (!context.isNonNegative(index)) {
    Value zero = constant(b.getI64Type(), 0);
    result = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, at(), zero);
  }
  if (!context.isLess(index, size)) {
    Value n = loop::IndexOp::create(b, b.getI64Type(), size);
    result = conjunction(
        result, arith::CmpIOp::create(b, arith::CmpIPredicate::slt, at(), n));
  }
  return result;
}

Value KernelBuilder::toCompute(Value v) {
  if (isa<FloatType>(v.getType()) && v.getType().getIntOrFloatBitWidth() < 32)
    return arith::ExtFOp::create(b, b.getF32Type(), v);
  return v;
}

Value KernelBuilder::fromCompute(Value v, Type scalar) {
  if (v.getType() == scalar)
    return v;
  // As the framework does; no target has the direct conversion to bf16.
  if (v.getType().isF64() && scalar.getIntOrFloatBitWidth() <= 16)
    v = arith::TruncFOp::create(b, b.getF32Type(), v);
  return arith::TruncFOp::create(b, scalar, v);
}

sym::Context coil::getContext(Operation *op, ArrayRef<sym::ExprAttr> extents) {
  sym::Context context = sym::Context::forOp(op);
  context.setDimExtents(extents);
  return context;
}

/// Never destroyed: plugins register at any time.
static NamedRegistry<std::function<void(RewritePatternSet &)>> &
getRegisteredPatterns() {
  static auto *registry =
      new NamedRegistry<std::function<void(RewritePatternSet &)>>(
          "graph-to-loop lowering");
  return *registry;
}

void coil::registerGraphToLoopPatterns(
    StringRef name, std::function<void(RewritePatternSet &)> populate) {
  getRegisteredPatterns().add(name, std::move(populate),
                              __builtin_return_address(0));
}

Type coil::getScalarType(Value tensor) {
  return loop::getScalarType(
      cast<RankedTensorType>(tensor.getType()).getElementType());
}

void coil::populateGraphToLoopPatterns(RewritePatternSet &patterns) {
  populatePointwiseToLoopPatterns(patterns);
  populateReductionToLoopPatterns(patterns);
  populateWindowToLoopPatterns(patterns);
  populateViewToLoopPatterns(patterns);
  populateDataToLoopPatterns(patterns);
  populateRandomToLoopPatterns(patterns);
  populateAttentionToLoopPatterns(patterns);
  populateSortToLoopPatterns(patterns);
  populateSegmentToLoopPatterns(patterns);
  for (const auto &entry : getRegisteredPatterns().getEntries())
    entry.value(patterns);
}

namespace {
struct ConvertGraphToLoopPass
    : coil::impl::ConvertGraphToLoopPassBase<ConvertGraphToLoopPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateGraphToLoopPatterns(patterns);
    // Types do not change, so one walk converts each op where it stands.
    walkAndApplyPatterns(getOperation(), std::move(patterns));

    // The boundary's contract: nothing of the level above is left but control
    // flow, which has no kernels of its own.
    WalkResult result = getOperation()->walk([&](Operation *op) {
      if (!isa_and_present<graph::GraphDialect>(op->getDialect()) ||
          isa<graph::IfOp, graph::WhileOp, graph::YieldOp, graph::ConditionOp,
              graph::ItemOp, graph::CustomCallOp, graph::ToDeviceOp>(op))
        return WalkResult::advance();
      if (auto aten = dyn_cast<graph::AtenOp>(op))
        op->emitError() << "operator '" << aten.getName()
                        << "' is not supported: no legalisation or "
                           "decomposition is registered for it";
      else
        op->emitOpError("has no lowering to loop kernels; run "
                        "'graph-decompose' first if it is a compound "
                        "operator");
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    ConversionTarget target(getContext());
    target.addLegalDialect<func::FuncDialect, graph::GraphDialect,
                           loop::LoopDialect, sym::SymDialect>();
    target.addLegalOp<arith::ConstantOp, loop::KernelOp>();
    target.markOpRecursivelyLegal<loop::KernelOp>();
    if (failed(verifyStage(getOperation(), target, "loop",
                           "no lowering to loop kernels is registered for "
                           "it")))
      signalPassFailure();
  }
};
} // namespace
