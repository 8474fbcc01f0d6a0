//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifiers of control flow.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Graph/IR/Graph.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

ParseResult graph::parseSameTypes(OpAsmParser &, ArrayRef<Type> operands,
                                  SmallVectorImpl<Type> &results) {
  results.assign(operands.begin(), operands.end());
  return success();
}

static LogicalResult verifyOneElement(Operation *op, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  for (ExprAttr size : sym::getSizes(type))
    if (!size.isConstant(1))
      return op->emitOpError()
             << "expected a tensor of one element but got " << type;
  return success();
}

/// The terminator of a region's block if it is of a kind, with a diagnostic.
template <typename OpT>
static OpT getTerminator(Operation *op, Region &region) {
  if (auto terminator = dyn_cast<OpT>(region.front().getTerminator()))
    return terminator;
  op->emitOpError() << "expected region " << region.getRegionNumber()
                    << " to end in '" << OpT::getOperationName() << "'";
  return {};
}

static ArrayRef<ExprAttr> getExprs(std::optional<sym::ShapeAttr> list) {
  return list ? list->getDims() : ArrayRef<ExprAttr>();
}

/// Fails unless `yield` gives `expected`, with its expressions for `symbols`.
static LogicalResult verifyYield(YieldOp yield, TypeRange expected,
                                 ArrayAttr symbols) {
  ArrayRef<ExprAttr> exprs = getExprs(yield.getSymbols());
  size_t count = symbols ? symbols.size() : 0;
  if (exprs.size() != count)
    return yield.emitOpError()
           << "gives " << exprs.size() << " symbols but the op binds " << count;
  if (yield.getValues().size() != expected.size())
    return yield.emitOpError() << "gives " << yield.getValues().size()
                               << " values but the op has " << expected.size();
  llvm::StringMap<ExprAttr> values;
  for (size_t i = 0; i < count; ++i)
    values[cast<StringAttr>(symbols[i]).getValue()] = exprs[i];
  for (auto [i, type] : llvm::enumerate(yield.getValues().getTypes())) {
    auto wanted = cast<RankedTensorType>(expected[i]);
    SmallVector<ExprAttr> sizes;
    for (ExprAttr size : sym::getSizes(wanted))
      sizes.push_back(sym::substitute(size, [&](ExprAttr leaf) -> ExprAttr {
        return leaf.isSymbol() ? values.lookup(leaf.getName()) : ExprAttr();
      }));
    RankedTensorType substituted =
        sym::getTensorType(sizes, wanted.getElementType());
    if (type != substituted)
      return yield.emitOpError() << "value " << i << " has type " << type
                                 << ", expected " << substituted;
  }
  return success();
}

LogicalResult IfOp::verifyRegions() {
  if (failed(verifyOneElement(*this, getPredicate()))) // (C1)
    return failure();
  for (Region *region : {&getThenRegion(), &getElseRegion()}) {
    if (region->getNumArguments() != 0) // (C2)
      return emitOpError() << "expected region " << region->getRegionNumber()
                           << " without arguments";
    auto yield = getTerminator<YieldOp>(*this, *region); // (C2)
    if (!yield ||
        failed(verifyYield(yield, getResultTypes(), getDefinesAttr()))) // (C3)
      return failure();
  }
  return success();
}

SmallVector<StringRef> IfOp::getBoundSymbols() {
  SmallVector<StringRef> names;
  if (getDefines())
    for (auto name : getDefines()->getAsValueRange<StringAttr>())
      names.push_back(name);
  return names;
}

LogicalResult WhileOp::verifyRegions() {
  if (getResultTypes() != getInits().getTypes()) // (C1)
    return emitOpError("expected results of the operands' types");
  for (Region *region : {&getCondition(), &getBody()})
    if (region->getArgumentTypes() != getResultTypes()) // (C1)
      return emitOpError() << "expected region " << region->getRegionNumber()
                           << " with arguments of the operands' types";
  auto yield = getTerminator<YieldOp>(*this, getBody()); // (C2)
  return success(getTerminator<ConditionOp>(*this, getCondition()) && yield &&
                 succeeded(verifyYield(yield, getResultTypes(), {}))); // (C2)
}

LogicalResult YieldOp::verify() {
  bool onlySymbols = true;
  for (ExprAttr e : getExprs(getSymbols()))
    sym::walkLeaves(e, [&](ExprAttr leaf) { onlySymbols &= leaf.isSymbol(); });
  if (!onlySymbols) // (C1)
    return emitOpError("expected expressions over symbols only");
  return success();
}

LogicalResult ConditionOp::verify() { // (C1)
  return verifyOneElement(*this, getPredicate());
}

SmallVector<StringRef> ItemOp::getBoundSymbols() { return {getSymbol()}; }

LogicalResult ItemOp::verify() { // (C1)
  return verifyOneElement(*this, getSource());
}
