//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Syntax and verifiers of `wrapper` functions, symbols, checks and memory ops.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Wrapper/IR/Wrapper.h"

#include "coil/Dialect/Sym/IR/Expr.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

#define GET_OP_CLASSES
#include "coil/Dialect/Wrapper/IR/WrapperOps.cpp.inc"

static bool hasOnlySymbols(ExprAttr e) {
  bool ok = true;
  sym::walkLeaves(e, [&](ExprAttr leaf) { ok &= leaf.isSymbol(); });
  return ok;
}

static LogicalResult verifyOnlySymbols(Operation *op, ExprAttr e) {
  if (hasOnlySymbols(e))
    return success();
  return op->emitOpError() << "expression '" << e.str()
                           << "' mentions a dimension or an indirect index";
}

static LogicalResult verifyIsArgument(Operation *op, Value v) {
  auto arg = dyn_cast<BlockArgument>(v);
  if (arg && isa<FuncOp>(arg.getOwner()->getParentOp()))
    return success();
  return op->emitOpError("expected an argument of the function");
}

static LogicalResult verifyIsNotArgument(Operation *op, Value v) {
  if (!isa<BlockArgument>(v))
    return success();
  return op->emitOpError("operand is an argument of the function, whose "
                         "storage belongs to the caller");
}

//===----------------------------------------------------------------------===//
// FuncOp
//===----------------------------------------------------------------------===//

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildFuncType =
      [](Builder &builder, ArrayRef<Type> args, ArrayRef<Type> results,
         function_interface_impl::VariadicFlag,
         std::string &) { return builder.getFunctionType(args, results); };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false,
      getFunctionTypeAttrName(result.name), buildFuncType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void FuncOp::print(OpAsmPrinter &p) {
  function_interface_impl::printFunctionOp(
      p, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

LogicalResult FuncOp::verify() {
  for (TypeRange types :
       {TypeRange(getArgumentTypes()), TypeRange(getResultTypes())})
    for (Type type : types)
      if (!isa<BufferType>(type)) // (C1)
        return emitOpError()
               << "expected buffers in the signature but got " << type;
  return success();
}

LogicalResult FuncOp::verifyRegions() {
  // (C2) One pass in order: the set of bound symbols only grows, so that an
  // attribute or type that was checked once stays good.
  llvm::StringSet<> bound;
  Operation *current = nullptr;
  std::string missing;
  AttrTypeWalker walker;
  walker.addWalk([&](ExprAttr e) {
    if (e.isSymbol() && missing.empty() && !bound.contains(e.getName()))
      missing = e.getName().str();
  });
  auto bind = [&](StringRef name) -> LogicalResult {
    if (bound.insert(name).second)
      return success();
    return current->emitOpError() << "binds symbol '" << name << "' again";
  };
  for (Operation &op : getBody().front()) {
    current = &op;
    if (auto input = dyn_cast<InputSymbolOp>(op)) {
      sym::walkLeaves(input.getExpr(), [&](ExprAttr leaf) {
        if (leaf.getName() != input.getSymbol() &&
            !bound.contains(leaf.getName()))
          missing = leaf.getName().str();
      });
      if (missing.empty() && failed(bind(input.getSymbol())))
        return failure();
    } else if (auto expr = dyn_cast<SymExprOp>(op)) {
      walker.walk(expr.getExpr());
      if (missing.empty() && failed(bind(expr.getSymbol())))
        return failure();
    } else {
      walker.walk(op.getAttrDictionary());
      for (Type type : op.getResultTypes())
        walker.walk(type);
      if (isa<ReturnOp, AssertLayoutOp>(op))
        for (Type type : op.getOperandTypes())
          walker.walk(type);
    }
    if (!missing.empty())
      return op.emitOpError() << "mentions symbol '" << missing
                              << "', which nothing has bound before";
  }
  return success();
}

LogicalResult ReturnOp::verify() {
  auto fn = cast<FuncOp>((*this)->getParentOp());
  if (TypeRange(fn.getResultTypes()) != TypeRange(getOperandTypes())) // (C1)
    return emitOpError("operand types differ from the function's results")
               .attachNote(fn.getLoc())
           << "the function has type " << fn.getFunctionType();
  return success();
}

//===----------------------------------------------------------------------===//
// Symbols and checks
//===----------------------------------------------------------------------===//

ExprAttr InputSymbolOp::getExpr() {
  auto type = cast<BufferType>(getSource().getType());
  return getProperty() == Property::Size ? type.getSizes()[getDim()]
                                         : type.getStrides()[getDim()];
}

LogicalResult InputSymbolOp::verify() {
  auto type = cast<BufferType>(getSource().getType());
  if (failed(verifyIsArgument(*this, getSource()))) // (C1)
    return failure();
  if (getDim() >= type.getRank()) // (C1)
    return emitOpError() << "dimension " << getDim()
                         << " does not exist in a buffer of rank "
                         << type.getRank();
  ExprAttr symbol = sym::symbol(getContext(), getSymbol());
  if (!sym::solve(getExpr(), sym::constant(getContext(), 0), symbol)) // (C2)
    return emitOpError() << "expression '" << getExpr().str()
                         << "' is not linear in '" << getSymbol() << "'";
  return success();
}

LogicalResult SymExprOp::verify() {
  return verifyOnlySymbols(*this, getExpr()); // (C1)
}

LogicalResult wrapper::AssertOp::verify() {
  return failure(failed(verifyOnlySymbols(*this, getLhs())) || // (C1)
                 failed(verifyOnlySymbols(*this, getRhs())));
}

LogicalResult AssertLayoutOp::verify() {
  return verifyIsArgument(*this, getSource()); // (C1)
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

using Effects =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

void AllocOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Allocate::get(),
                       cast<OpResult>(getResult()));
}

LogicalResult AllocOp::verify() {
  auto type = cast<BufferType>(getType());
  for (ExprAttr stride : type.getStrides().getDims())
    if (stride.isConstant() && stride.getValue() < 0) // (C1)
      return emitOpError() << "cannot allocate a buffer with the negative "
                              "stride "
                           << stride.getValue();
  return success();
}

LogicalResult ConstantOp::verify() {
  auto type = cast<BufferType>(getType());
  auto value = cast<ShapedType>(getValue().getType());
  auto tensor = dyn_cast<RankedTensorType>(value);
  if (!tensor || !type.isContiguous() || type.getTensorType() != tensor) // (C1)
    return emitOpError() << "value of type " << value
                         << " does not fill a buffer of type " << type;
  return success();
}

void FreeOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Free::get(), &getSourceMutable());
}

LogicalResult FreeOp::verify() {
  return verifyIsNotArgument(*this, getSource()); // (C1)
}

void ReuseOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Free::get(), &getSourceMutable());
  effects.emplace_back(MemoryEffects::Allocate::get(),
                       cast<OpResult>(getResult()));
}

LogicalResult ReuseOp::verify() {
  auto source = cast<BufferType>(getSource().getType());
  auto result = cast<BufferType>(getType());
  if (source.getDevice() != result.getDevice()) // (C1)
    return emitOpError() << "moves storage from " << source.getDevice()
                         << " to " << result.getDevice();
  if (source.getStorageBytes() != result.getStorageBytes()) // (C2)
    return emitOpError() << "source takes '" << source.getStorageBytes().str()
                         << "' bytes but the result takes '"
                         << result.getStorageBytes().str() << "'";
  return verifyIsNotArgument(*this, getSource()); // (C3)
}

Value ReinterpretOp::getViewSource() { return getSource(); }

LogicalResult ReinterpretOp::verify() {
  auto source = cast<BufferType>(getSource().getType());
  auto result = cast<BufferType>(getType());
  if (source.getElementType() != result.getElementType() ||
      source.getDevice() != result.getDevice()) // (C1)
    return emitOpError("changes the element type or the device");
  return verifyOnlySymbols(*this, getOffset()); // (C2)
}

OpFoldResult ReinterpretOp::fold(FoldAdaptor) {
  if (getSource().getType() == getType() && getOffset().isConstant(0))
    return getSource();
  return {};
}

bool CopyOp::mayShareStorage(OpOperand &, OpOperand &,
                             SymbolTableCollection &) {
  return true;
}

LogicalResult CopyOp::verify() {
  if (!cast<BufferType>(getSource().getType()).isContiguous()) // (C1)
    return emitOpError("expected contiguous buffers");
  return success();
}
