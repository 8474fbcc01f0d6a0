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

#include "VerifyUtils.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "coil/Dialect/Wrapper/IR/Updated.h"
#include "coil/Dialect/Wrapper/IR/WrapperRuntime.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

#define GET_OP_CLASSES
#include "coil/Dialect/Wrapper/IR/WrapperOps.cpp.inc"

#define GET_OP_CLASSES
#include "coil/Dialect/Wrapper/IR/WrapperRuntimeOps.cpp.inc"

static bool hasOnlySymbols(ExprAttr e) {
  bool ok = true;
  sym::walkLeaves(e, [&](ExprAttr leaf) { ok &= leaf.isSymbol(); });
  return ok;
}

LogicalResult wrapper::verifyOnlySymbols(Operation *op, ExprAttr e) {
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

/// Whose storage the caller owns.
static LogicalResult verifyIsNotArgument(Operation *op, Value v) {
  auto arg = dyn_cast<BlockArgument>(v);
  auto fn = arg ? dyn_cast<FuncOp>(arg.getOwner()->getParentOp()) : FuncOp();
  if (!fn || fn.isConsumed(arg.getArgNumber()))
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
  for (unsigned i = 0; i < getNumArguments(); ++i) {
    if (isConsumed(i) && !isPrivate()) // (C3)
      return emitOpError() << "consumes argument " << i
                           << ", but it is not private";
    if (isDestination(i) && isPrivate()) // (C4)
      return emitOpError() << "argument " << i
                           << " is a destination, but it is not public";
    if (isUpdated(*this, i) && (isConsumed(i) || isDestination(i))) // (C6)
      return emitOpError() << "updates argument " << i << ", which is "
                           << (isConsumed(i) ? "consumed, too"
                                             : "a destination, too");
    Attribute alignment = getArgAttr(i, loop::kAlignmentAttrName);
    if (!alignment)
      continue;
    auto number = dyn_cast<IntegerAttr>(alignment);
    if (!number || !number.getType().isSignlessInteger(64) ||
        number.getInt() < 1 || number.getInt() > loop::kStorageAlignment ||
        !llvm::isPowerOf2_64(static_cast<uint64_t>(number.getInt()))) // (C5)
      return emitOpError() << "argument " << i << " has the alignment "
                           << alignment
                           << ", which is not a power of two from 1 to "
                           << loop::kStorageAlignment;
    if (isConsumed(i) || isDestination(i) || isUpdated(*this, i)) // (C5)
      return emitOpError() << "argument " << i
                           << " is written, but has an alignment of its own";
  }
  return success();
}

bool FuncOp::isConsumed(unsigned i) {
  return static_cast<bool>(getArgAttr(i, kConsumedAttrName));
}

bool FuncOp::isDestination(unsigned i) {
  return static_cast<bool>(getArgAttr(i, kDestinationAttrName));
}

int64_t FuncOp::getAlignment(unsigned i) {
  auto alignment = getArgAttrOfType<IntegerAttr>(i, loop::kAlignmentAttrName);
  return alignment ? alignment.getInt() : loop::kStorageAlignment;
}

SmallVector<StringRef> wrapper::getBoundSymbols(Operation *op) {
  SmallVector<StringRef> names;
  auto addAll = [&](std::optional<ArrayAttr> list) {
    if (list)
      for (StringAttr name : list->getAsRange<StringAttr>())
        names.push_back(name.getValue());
  };
  if (auto input = dyn_cast<InputSymbolOp>(op))
    names.push_back(input.getSymbol());
  else if (auto expr = dyn_cast<SymExprOp>(op))
    names.push_back(expr.getSymbol());
  else if (auto bind = dyn_cast<BindSymbolOp>(op))
    names.push_back(bind.getSymbol());
  else if (auto item = dyn_cast<ItemOp>(op); item && item.getSymbol())
    names.push_back(*item.getSymbol());
  else if (auto branch = dyn_cast<IfOp>(op))
    addAll(branch.getDefines());
  else if (auto loop = dyn_cast<WhileOp>(op))
    addAll(loop.getSymbols());
  else if (auto params = dyn_cast<ParamSymbolsOp>(op))
    addAll(params.getSymbols());
  else if (isa<DeviceScopeOp, ProfileRangeOp>(op))
    for (Operation &inner : op->getRegion(0).front())
      llvm::append_range(names, getBoundSymbols(&inner));
  return names;
}

namespace {

/// Goes over a function once and knows which symbols are visible.
class SymbolChecker {
public:
  LogicalResult run(Block &block);

private:
  LogicalResult visit(Operation &op);
  LogicalResult bind(Operation &op, StringRef name);
  /// Checks a region, in which `names` are bound, too.
  LogicalResult enter(Region &region, ArrayRef<StringRef> names);
  void check(Attribute attr) { walker->walk(attr); }
  void check(Type type) { walker->walk(type); }
  void resetWalker();

  llvm::StringSet<> bound;
  /// What is bound, in order, to leave regions.
  SmallVector<StringRef> order;
  std::string missing;
  /// Looks at each attribute and type once: while the set of bound symbols only
  /// grows, one that was good stays good.
  std::optional<AttrTypeWalker> walker;
};

} // namespace

void SymbolChecker::resetWalker() {
  walker.emplace();
  walker->addWalk([this](ExprAttr e) {
    if (e.isSymbol() && missing.empty() && !bound.contains(e.getName()))
      missing = e.getName().str();
  });
}

LogicalResult SymbolChecker::bind(Operation &op, StringRef name) {
  if (!bound.insert(name).second)
    return op.emitOpError() << "binds symbol '" << name << "' again";
  order.push_back(name);
  return success();
}

LogicalResult SymbolChecker::enter(Region &region, ArrayRef<StringRef> names) {
  size_t before = order.size();
  for (StringRef name : names)
    if (failed(bind(*region.getParentOp(), name)))
      return failure();
  for (Block &block : region)
    for (Type type : block.getArgumentTypes())
      check(type);
  for (Block &block : region)
    if (missing.empty() && failed(run(block)))
      return failure();
  if (order.size() == before)
    return success();
  for (StringRef name : ArrayRef(order).drop_front(before))
    bound.erase(name);
  order.truncate(before);
  resetWalker();
  return success();
}

LogicalResult SymbolChecker::visit(Operation &op) {
  SmallVector<StringRef> names = getBoundSymbols(&op);
  if (auto input = dyn_cast<InputSymbolOp>(op)) {
    sym::walkLeaves(input.getExpr(), [&](ExprAttr leaf) {
      if (leaf.getName() != input.getSymbol() &&
          !bound.contains(leaf.getName()))
        missing = leaf.getName().str();
    });
  } else {
    check(op.getAttrDictionary());
    // Operands were results; those of calls and arguments, whose layouts bind
    // symbols, are checked at their first use.
    bool all = isa<ReturnOp, AssertLayoutOp>(op);
    if (!isa<BindSymbolOp>(op))
      for (Value v : op.getOperands())
        if (all || hasRunLayout(v) || isa<BlockArgument>(v))
          check(v.getType());
  }
  for (Region &region : op.getRegions())
    if (missing.empty() &&
        failed(enter(region, isa<WhileOp>(op) ? ArrayRef<StringRef>(names)
                                              : ArrayRef<StringRef>())))
      return failure();
  if (missing.empty())
    for (StringRef name : names)
      if (failed(bind(op, name)))
        return failure();
  if (!op.hasTrait<GivesLayouts>())
    for (Type type : op.getResultTypes())
      check(type);
  if (!missing.empty())
    return op.emitOpError() << "mentions symbol '" << missing
                            << "', which nothing has bound before";
  return success();
}

LogicalResult SymbolChecker::run(Block &block) {
  if (!walker)
    resetWalker();
  for (Operation &op : block)
    if (failed(visit(op)))
      return failure();
  return success();
}

LogicalResult FuncOp::verifyRegions() { // (C2)
  return SymbolChecker().run(getBody().front());
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
  if (hasRunLayout(getSource()))
    return success();
  return verifyIsArgument(*this, getSource()); // (C1)
}

bool AssertLayoutOp::copiesOtherLayouts() {
  auto arg = dyn_cast<BlockArgument>(getSource());
  auto fn = arg ? dyn_cast<FuncOp>(arg.getOwner()->getParentOp()) : FuncOp();
  // What the caller sees afterwards, or hands over, is the tensor itself.
  return fn && fn.isPublic() && !fn.isDestination(arg.getArgNumber()) &&
         !fn.isConsumed(arg.getArgNumber()) &&
         llvm::none_of(arg.getUsers(),
                       llvm::IsaPred<ResizeStorageOp, SetStorageOp>);
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

static LogicalResult verifyCanAllocate(Operation *op, BufferType type) {
  for (ExprAttr stride : type.getStrides().getDims())
    if (stride.isConstant() && stride.getValue() < 0)
      return op->emitOpError() << "cannot allocate a buffer with the negative "
                                  "stride "
                               << stride.getValue();
  return success();
}

LogicalResult AllocOp::verify() { // (C1)
  return verifyCanAllocate(*this, cast<BufferType>(getType()));
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
  if (getCarving(getSource())) // (C2)
    return emitOpError("operand is carved from a pool; 'wrapper.pool_release' "
                       "ends its life");
  if (getCommAlloc(getSource())) // (C3)
    return emitOpError("operand is a communication buffer; "
                       "'wrapper.comm_free' ends its life");
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
  if (getCommAlloc(getSource())) // (C4)
    return emitOpError("transfers the ownership of a communication buffer");
  return verifyIsNotArgument(*this, getSource()); // (C3)
}

Value ReinterpretOp::getViewSource() { return getSource(); }

/// Elements from the first to the last of a buffer, whose sizes and strides are
/// constants that are not negative; nothing where they are not.
static std::optional<int64_t> getNumPlaces(BufferType type) {
  int64_t last = 0;
  for (auto [size, stride] : llvm::zip_equal(type.getSizes().getDims(),
                                             type.getStrides().getDims())) {
    if (!size.isConstant() || !stride.isConstant() || stride.getValue() < 0)
      return std::nullopt;
    if (size.getValue() == 0)
      return 0;
    int64_t extent;
    if (llvm::MulOverflow(size.getValue() - 1, stride.getValue(), extent) ||
        llvm::AddOverflow(last, extent, last))
      return std::nullopt;
  }
  return last + 1;
}

LogicalResult ReinterpretOp::verify() {
  auto source = cast<BufferType>(getSource().getType());
  auto result = cast<BufferType>(getType());
  if (source.getElementType() != result.getElementType() ||
      source.getDevice() != result.getDevice()) // (C1)
    return emitOpError("changes the element type or the device");
  if (failed(verifyOnlySymbols(*this, getOffset()))) // (C2)
    return failure();
  // (C3)
  auto allocation = getSource().getDefiningOp<AllocOp>();
  std::optional<int64_t> room = getNumPlaces(source),
                         needed = getNumPlaces(result);
  if (!allocation || !getOffset().isConstant() || !room || !needed)
    return success();
  int64_t offset = getOffset().getValue(), end;
  if (*needed == 0)
    return success();
  if (offset < 0 || llvm::AddOverflow(offset, *needed, end) || end > *room)
    return emitOpError("has elements up to position ")
           << getOffset().str() << " + " << *needed << " of an allocation of "
           << *room;
  return success();
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

LogicalResult FillOp::verify() {
  if (!cast<BufferType>(getTarget().getType()).isContiguous()) // (C1)
    return emitOpError("expected a contiguous buffer");
  auto value = static_cast<int64_t>(getValue());
  if (value < 0 || value > 255) // (C2)
    return emitOpError() << "a byte cannot be " << value;
  return success();
}

void WorkspaceOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Allocate::get(),
                       cast<OpResult>(getResult()));
}

LogicalResult WorkspaceOp::verify() {
  if (!cast<BufferType>(getType()).isContiguous()) // (C1)
    return emitOpError("expected a contiguous buffer");
  if ((getZero() == ZeroMode::PerGraph) != getName().has_value()) // (C2)
    return emitOpError() << (getName() ? "has a name, but is not shared"
                                       : "is shared, but has no name");
  return success();
}

void PoolOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Allocate::get(),
                       cast<OpResult>(getResult()));
}

LogicalResult PoolOp::verify() {
  if (getBytes().isConstant() && getBytes().getValue() < 0) // (C2)
    return emitOpError() << "cannot have " << getBytes().getValue() << " bytes";
  if (getOnStack() && !getBytes().isConstant()) // (C3)
    return emitOpError() << "has '" << getBytes().str()
                         << "' bytes, which is not constant, on the stack";
  return verifyOnlySymbols(*this, getBytes()); // (C1)
}

void PoolAllocOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getPoolMutable());
  effects.emplace_back(MemoryEffects::Allocate::get(),
                       cast<OpResult>(getResult()));
}

LogicalResult PoolAllocOp::verify() {
  auto pool = cast<PoolType>(getPool().getType());
  auto result = cast<BufferType>(getType());
  if (pool.getDevice() != result.getDevice()) // (C2)
    return emitOpError() << "carves a buffer on " << result.getDevice()
                         << " from a pool on " << pool.getDevice();
  if (failed(verifyOnlySymbols(*this, getOffset()))) // (C1)
    return failure();
  return verifyCanAllocate(*this, result); // (C3)
}

void PoolReleaseOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Free::get(), &getSourceMutable());
}

LogicalResult PoolReleaseOp::verify() {
  if (getStorage(getSource()) == getSource() && getCarving(getSource())) // (C1)
    return success();
  return emitOpError("operand is not carved from a pool");
}

void PoolFreeOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Free::get(), &getPoolMutable());
}
