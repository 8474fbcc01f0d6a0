//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `convert-graph-to-linalg`.
//
//===----------------------------------------------------------------------===//

#include "coil/Conversion/GraphToLinalg/GraphToLinalg.h"

#include "LinalgBuilder.h"
#include "coil/Dialect/Graph/IR/ScalarBuilder.h"
#include "coil/Dialect/Loop/IR/Loop.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace coil {
#define GEN_PASS_DEF_CONVERTGRAPHTOLINALGPASS
#include "coil/Conversion/BridgePasses.h.inc"
} // namespace coil

using namespace mlir;
using namespace coil;
using namespace coil::bridge;
using sym::ExprAttr;

/// An elementwise operator as a generic operation of its scalar body.
static Value lowerElementwise(graph::ElementwiseOpInterface op,
                              ValueRange operands, LinalgBuilder &b) {
  SmallVector<Sizes> sizes;
  for (Value v : op->getOperands())
    sizes.push_back(graph::getSizes(v));
  Value init = b.empty(graph::getSizes(op->getResult(0)),
                       graph::getElementType(op->getResult(0)));
  return b.elementwise(operands, sizes, init,
                       [&](OpBuilder &builder, Location loc, ValueRange args) {
                         return graph::buildElementwiseScalar(
                             op, builder, loc,
                             args.take_front(operands.size()));
                       });
}

/// Whether what was made has functions that only the runtime computes.
static bool needsRuntime(Operation *from, Block &block) {
  for (Operation *op = from ? from->getNextNode()
                            : (block.empty() ? nullptr : &block.front());
       op; op = op->getNextNode())
    if (op->walk([](loop::SpecialOp) {
            return WalkResult::interrupt();
          }).wasInterrupted())
      return true;
  return false;
}

namespace {
struct ConvertGraphToLinalg
    : coil::impl::ConvertGraphToLinalgPassBase<ConvertGraphToLinalg> {
  void runOnOperation() override;
};
} // namespace

/// Converts the body of `fn` into that of `to`; fails with a diagnostic.
static LogicalResult convert(func::FuncOp fn, func::FuncOp to) {
  Block *body = to.addEntryBlock();
  OpBuilder builder = OpBuilder::atBlockBegin(body);
  LinalgBuilder b(builder, fn.getLoc());
  IRMapping map;
  map.map(fn.getArguments(), body->getArguments());
  // Symbols are sizes of arguments.
  b.b.setInsertionPointToEnd(body);
  for (auto [from, arg] : llvm::zip_equal(fn.getArguments(), to.getArguments()))
    for (auto [d, size] :
         llvm::enumerate(sym::getSizes(cast<RankedTensorType>(from.getType()))))
      if (size.isSymbol() && !b.symbols.contains(size.getName()))
        b.symbols[size.getName()] =
            tensor::DimOp::create(b.b, arg, static_cast<int64_t>(d));
  auto areBound = [&](ArrayRef<ExprAttr> exprs) {
    bool bound = true;
    for (ExprAttr e : exprs)
      sym::walkLeaves(e, [&](ExprAttr leaf) {
        bound &= leaf.isSymbol() && b.symbols.contains(leaf.getName());
      });
    return bound;
  };
  for (Operation &op : fn.getBody().front()) {
    b.b.setLoc(op.getLoc());
    SmallVector<Value> operands;
    for (Value v : op.getOperands())
      operands.push_back(map.lookup(v));
    if (isa<func::ReturnOp>(op)) {
      func::ReturnOp::create(b.b, operands);
      continue;
    }
    if (!isa_and_present<graph::GraphDialect>(op.getDialect()))
      return op.emitOpError("has no form in linalg: it is no operator of "
                            "'graph'"); // (C1)
    for (Value v : op.getResults()) {
      auto type = dyn_cast<RankedTensorType>(v.getType());
      if (!type || !areBound(sym::getSizes(type))) // (C2)
        return op.emitOpError("has no form in linalg: a size of its result is "
                              "no expression over sizes of arguments");
    }
    Operation *last = body->empty() ? nullptr : &body->back();
    Value v;
    if (auto elementwise = dyn_cast<graph::ElementwiseOpInterface>(op))
      v = lowerElementwise(elementwise, operands, b);
    else if (Value contraction = lowerContraction(&op, operands, b))
      v = contraction;
    else
      v = lowerData(&op, operands, b);
    // (C3)
    if (!v)
      return op.emitOpError("has no form in linalg: no conversion of it is "
                            "known");
    if (needsRuntime(last, *body))
      return op.emitOpError("has no form in linalg: a function of it has no "
                            "operation in 'math'");
    RankedTensorType type = LinalgBuilder::plain(op.getResult(0).getType());
    if (v.getType() != type)
      v = tensor::CastOp::create(b.b, type, v);
    map.map(op.getResult(0), v);
  }
  return success();
}

void ConvertGraphToLinalg::runOnOperation() {
  func::FuncOp fn = getOperation();
  if (fn.isExternal())
    return;
  if (!fn.getBody().hasOneBlock()) {
    fn.emitOpError("has branches between blocks; operators are converted in "
                   "functions of one block");
    return signalPassFailure();
  }
  auto plain = [&](TypeRange types) -> FailureOr<SmallVector<Type>> {
    SmallVector<Type> result;
    for (Type type : types) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor || llvm::is_contained(sym::getSizes(tensor), ExprAttr()))
        return failure();
      result.push_back(LinalgBuilder::plain(tensor));
    }
    return result;
  };
  FailureOr<SmallVector<Type>> args = plain(fn.getArgumentTypes()),
                               results = plain(fn.getResultTypes());
  if (failed(args) || failed(results)) {
    fn.emitOpError("has an argument or a result that is no tensor of 'graph'");
    return signalPassFailure();
  }
  // Nothing is half converted: another function, or none.
  OwningOpRef<func::FuncOp> to =
      func::FuncOp::create(fn.getLoc(), fn.getSymName(),
                           FunctionType::get(&getContext(), *args, *results));
  if (failed(convert(fn, *to)))
    return signalPassFailure();
  fn.setFunctionType(to->getFunctionType());
  fn.getBody().takeBody(to->getBody());
  fn->removeAttr(sym::kSymbolsAttrName);
}
