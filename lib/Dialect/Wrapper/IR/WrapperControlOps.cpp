//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Control flow of host programs: branches, loops, calls of functions.
//
//===----------------------------------------------------------------------===//

#include "VerifyUtils.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

using Effects =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

//===----------------------------------------------------------------------===//
// Shared
//===----------------------------------------------------------------------===//

bool wrapper::hasOneElement(BufferType type) {
  return llvm::all_of(type.getSizes().getDims(),
                      [](ExprAttr size) { return size.isConstant(1); });
}

LogicalResult wrapper::verifyPredicate(Operation *op, Value predicate) {
  auto type = dyn_cast<BufferType>(predicate.getType());
  if (!type || (type.getElementType().isInteger(1) && hasOneElement(type)))
    return success();
  return op->emitOpError() << "expected a predicate of one element of type "
                              "'i1' but got "
                           << type;
}

Type wrapper::substituteSymbols(Type type,
                                const llvm::StringMap<ExprAttr> &values) {
  auto buffer = dyn_cast<BufferType>(type);
  if (!buffer || values.empty())
    return type;
  auto translate = [&](sym::ShapeAttr list) {
    SmallVector<ExprAttr> exprs;
    for (ExprAttr e : list.getDims())
      exprs.push_back(sym::substitute(e, [&](ExprAttr leaf) -> ExprAttr {
        return leaf.isSymbol() ? values.lookup(leaf.getName()) : ExprAttr();
      }));
    return sym::ShapeAttr::get(type.getContext(), exprs);
  };
  return BufferType::get(type.getContext(), translate(buffer.getSizes()),
                         translate(buffer.getStrides()),
                         buffer.getElementType(), buffer.getDevice());
}

/// Types on both sides of an edge: sizes may differ where symbols do, which the
/// ops check themselves.
static bool areEdgeTypesCompatible(Type lhs, Type rhs) {
  auto a = dyn_cast<BufferType>(lhs), b = dyn_cast<BufferType>(rhs);
  if (!a || !b)
    return lhs == rhs;
  return a.getRank() == b.getRank() &&
         a.getElementType() == b.getElementType() &&
         a.getDevice() == b.getDevice();
}

/// Fails unless `given` are `expected`, with expressions for the symbols.
static LogicalResult verifyTypes(Operation *op, TypeRange given,
                                 TypeRange expected, ArrayAttr symbols,
                                 ArrayRef<ExprAttr> exprs) {
  llvm::StringMap<ExprAttr> values;
  if (symbols)
    for (auto [name, e] : llvm::zip(symbols, exprs))
      values[cast<StringAttr>(name).getValue()] = e;
  for (auto [i, type] : llvm::enumerate(given)) {
    Type wanted = substituteSymbols(expected[i], values);
    if (type != wanted)
      return op->emitOpError() << "value " << i << " has type " << type
                               << ", expected " << wanted;
  }
  return success();
}

static ArrayRef<ExprAttr> getExprs(std::optional<sym::ShapeAttr> list) {
  return list ? list->getDims() : ArrayRef<ExprAttr>();
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

static LogicalResult verifyCount(YieldOp yield, ArrayAttr symbols) {
  size_t given = getExprs(yield.getSymbols()).size(),
         expected = symbols ? symbols.size() : 0;
  if (given == expected)
    return success();
  return yield.emitOpError()
         << "gives " << given << " symbols but the op binds " << expected;
}

//===----------------------------------------------------------------------===//
// IfOp
//===----------------------------------------------------------------------===//

void IfOp::getSuccessorRegions(RegionBranchPoint point,
                               SmallVectorImpl<RegionSuccessor> &regions) {
  if (!point.isParent()) {
    regions.push_back(RegionSuccessor(getOperation(), getResults()));
    return;
  }
  regions.push_back(RegionSuccessor(&getThenRegion()));
  regions.push_back(RegionSuccessor(&getElseRegion()));
}

bool IfOp::areTypesCompatible(Type lhs, Type rhs) {
  return areEdgeTypesCompatible(lhs, rhs);
}

/// Reading of a predicate, storage that results own, and symbols, which nobody
/// uses but types.
static void addRegionOpEffects(OpOperand *predicate, ResultRange results,
                               std::optional<ArrayAttr> symbols,
                               Effects &effects) {
  if (symbols && !symbols->empty())
    effects.emplace_back(MemoryEffects::Write::get(), SymbolResource::get());
  if (predicate && isa<BufferType>(predicate->get().getType()))
    effects.emplace_back(MemoryEffects::Read::get(), predicate);
  for (OpResult result : results)
    if (isa<BufferType>(result.getType()))
      effects.emplace_back(MemoryEffects::Allocate::get(), result);
}

void IfOp::getEffects(Effects &effects) {
  addRegionOpEffects(&getPredicateMutable(), getOperation()->getResults(),
                     getDefines(), effects);
}

LogicalResult IfOp::verifyRegions() {
  if (failed(verifyPredicate(*this, getPredicate()))) // (C1)
    return failure();
  for (Region *region : {&getThenRegion(), &getElseRegion()}) {
    auto yield = getTerminator<YieldOp>(*this, *region); // (C4)
    if (!yield)
      return failure();
    if (region->getNumArguments() != 0) // (C4)
      return emitOpError() << "expected region " << region->getRegionNumber()
                           << " without arguments";
    if (failed(verifyCount(yield, getDefinesAttr())) || // (C2)
        failed(verifyTypes(yield, yield.getValues().getTypes(),
                           getResultTypes(), getDefinesAttr(),
                           getExprs(yield.getSymbols())))) // (C3)
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// WhileOp
//===----------------------------------------------------------------------===//

OperandRange WhileOp::getEntrySuccessorOperands(RegionSuccessor) {
  return getInits();
}

void WhileOp::getSuccessorRegions(RegionBranchPoint point,
                                  SmallVectorImpl<RegionSuccessor> &regions) {
  Operation *from = point.getTerminatorPredecessorOrNull();
  if (!from || from->getParentRegion() == &getBody()) {
    regions.push_back(
        RegionSuccessor(&getCondition(), getCondition().getArguments()));
    return;
  }
  regions.push_back(RegionSuccessor(&getBody(), getBody().getArguments()));
  regions.push_back(RegionSuccessor(getOperation(), getResults()));
}

bool WhileOp::areTypesCompatible(Type lhs, Type rhs) {
  return areEdgeTypesCompatible(lhs, rhs);
}

void WhileOp::getEffects(Effects &effects) {
  for (OpOperand &init : (*this)->getOpOperands())
    if (isa<BufferType>(init.get().getType()))
      effects.emplace_back(MemoryEffects::Free::get(), &init);
  addRegionOpEffects(nullptr, getOperation()->getResults(), getSymbols(),
                     effects);
}

LogicalResult WhileOp::verify() {
  size_t symbols = getSymbols() ? getSymbols()->size() : 0;
  if (symbols != getExprs(getFrom()).size()) // (C1)
    return emitOpError() << "has " << symbols << " symbols but "
                         << getExprs(getFrom()).size() << " first values";
  for (ExprAttr e : getExprs(getFrom()))
    if (failed(verifyOnlySymbols(*this, e))) // (C1)
      return failure();
  return success();
}

LogicalResult WhileOp::verifyRegions() {
  auto condition = getTerminator<ConditionOp>(*this, getCondition());
  auto yield = getTerminator<YieldOp>(*this, getBody());
  if (!condition || !yield || failed(verifyCount(yield, getSymbolsAttr())))
    return failure();                                  // (C4)
  for (Region *region : {&getCondition(), &getBody()}) // (C2)
    if (region->getArgumentTypes() != getResultTypes())
      return emitOpError() << "expected region " << region->getRegionNumber()
                           << " with arguments of the results' types";
  return failure(
      failed(verifyTypes(*this, getInits().getTypes(), getResultTypes(),
                         getSymbolsAttr(), getExprs(getFrom()))) || // (C3)
      failed(verifyTypes(condition, condition.getValues().getTypes(),
                         getResultTypes(), {}, {})) ||
      failed(verifyTypes(yield, yield.getValues().getTypes(), getResultTypes(),
                         getSymbolsAttr(), getExprs(yield.getSymbols()))));
}

//===----------------------------------------------------------------------===//
// Terminators
//===----------------------------------------------------------------------===//

MutableOperandRange YieldOp::getMutableSuccessorOperands(RegionSuccessor) {
  return getValuesMutable();
}

LogicalResult YieldOp::verify() {
  bool inKernel = isa<KernelOp>((*this)->getParentOp());
  for (Type type : getValues().getTypes())
    if (isa<RankedTensorType>(type) != inKernel) // (C1)
      return emitOpError() << (inKernel ? "expected tensors but got "
                                        : "cannot yield a value of type ")
                           << type;
  if (inKernel && getSymbols()) // (C1)
    return emitOpError("a kernel binds no symbols");
  for (ExprAttr e : getExprs(getSymbols()))
    if (failed(verifyOnlySymbols(*this, e))) // (C2)
      return failure();
  return success();
}

MutableOperandRange ConditionOp::getMutableSuccessorOperands(RegionSuccessor) {
  return getValuesMutable();
}

//===----------------------------------------------------------------------===//
// InvokeOp
//===----------------------------------------------------------------------===//

CallInterfaceCallable InvokeOp::getCallableForCallee() {
  return getCalleeAttr();
}

void InvokeOp::setCalleeFromCallable(CallInterfaceCallable callee) {
  setCalleeAttr(cast<FlatSymbolRefAttr>(cast<SymbolRefAttr>(callee)));
}

Operation::operand_range InvokeOp::getArgOperands() { return getOperands(); }

MutableOperandRange InvokeOp::getArgOperandsMutable() {
  return getOperandsMutable();
}

bool InvokeOp::isConsumed(unsigned i) {
  return getConsumes() &&
         llvm::is_contained(*getConsumes(), static_cast<int64_t>(i));
}

void InvokeOp::getEffects(Effects &effects) {
  for (OpOperand &operand : (*this)->getOpOperands()) {
    effects.emplace_back(MemoryEffects::Read::get(), &operand);
    if (isConsumed(operand.getOperandNumber()))
      effects.emplace_back(MemoryEffects::Free::get(), &operand);
  }
  for (OpResult result : getOperation()->getResults())
    effects.emplace_back(MemoryEffects::Allocate::get(), result);
  // Its checks, calls, prints and random numbers.
  effects.emplace_back(MemoryEffects::Write::get(), HostResource::get());
}

LogicalResult InvokeOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto callee = tables.lookupNearestSymbolFrom<FuncOp>(*this, getCalleeAttr());
  auto note = [&](InFlightDiagnostic diag) -> LogicalResult {
    if (callee)
      diag.attachNote(callee.getLoc()) << "function defined here";
    return diag;
  };
  if (!callee || !callee.isPrivate()) // (C1)
    return note(emitOpError()
                << "'" << getCallee() << "' is not a private function");
  if (getParamSymbols(callee)) // (C1)
    return note(
        emitOpError()
        << "'" << getCallee()
        << "' takes symbols, which only 'wrapper.partition_call' passes");
  auto check = [&](TypeRange given, TypeRange expected,
                   StringRef what) -> LogicalResult {
    if (given.size() != expected.size()) // (C2)
      return note(emitOpError()
                  << "has " << given.size() << ' ' << what
                  << "s but the function has " << expected.size());
    for (auto [i, type] : llvm::enumerate(given))
      if (!areEdgeTypesCompatible(type, expected[i])) // (C3)
        return note(emitOpError() << what << ' ' << i << " has type " << type
                                  << ", but the function has " << expected[i]);
    return success();
  };
  if (failed(check(getOperands().getTypes(), callee.getArgumentTypes(),
                   "operand")) ||
      failed(check(getResultTypes(), callee.getResultTypes(), "result")))
    return failure();
  return verifyConsumes(*this, callee, getConsumes()); // (C4)
}

LogicalResult
wrapper::verifyConsumes(Operation *call, FuncOp callee,
                        std::optional<ArrayRef<int64_t>> consumes) {
  ArrayRef<int64_t> list = consumes.value_or(ArrayRef<int64_t>());
  for (int64_t i : list)
    if (i < 0 || i >= static_cast<int64_t>(call->getNumOperands()))
      return call->emitOpError()
             << "consumes operand " << i << ", which does not exist";
  for (unsigned i = 0; i < call->getNumOperands(); ++i) {
    bool consumed = callee.isConsumed(i);
    if (llvm::is_contained(list, static_cast<int64_t>(i)) == consumed)
      continue;
    InFlightDiagnostic diag = call->emitOpError()
                              << (consumed ? "keeps" : "consumes")
                              << " operand " << i << ", which the function "
                              << (consumed ? "consumes" : "does not consume");
    diag.attachNote(callee.getLoc()) << "function defined here";
    return diag;
  }
  return success();
}
