//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits the steps of a host program: inputs, symbols, memory, results.
//
//===----------------------------------------------------------------------===//

#include "HostLowering.h"

#include "coil/Conversion/Utils/ExprLowering.h"
#include "coil/ExecutionEngine/Signature.h"
#include "coil/Runtime/Runtime.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cstddef>

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

HostLowering::HostLowering(FuncOp fn, SymbolTable &module, unsigned maxSteps)
    : fn(fn), selection(fn), module(module), maxSteps(maxSteps),
      b(fn.getLoc(), fn.getContext()),
      ptrType(LLVM::LLVMPointerType::get(fn.getContext())),
      i64Type(b.getI64Type()), i32Type(b.getI32Type()),
      facts(sym::Context::forOp(fn)) {}

//===----------------------------------------------------------------------===//
// Tools
//===----------------------------------------------------------------------===//

Value HostLowering::i64(int64_t value) {
  return this->value(sym::constant(b.getContext(), value));
}

Value HostLowering::i32(int32_t value) {
  return LLVM::ConstantOp::create(b, i32Type, b.getI32IntegerAttr(value));
}

Value HostLowering::null() { return LLVM::ZeroOp::create(b, ptrType); }

Value HostLowering::value(ExprAttr expr) {
  if (Value known = now.values.lookup(expr))
    return known;
  Value computed;
  if (std::optional<int64_t> c = expr.getConstant()) {
    // Constants live in the entry block, for all.
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(now.entry);
    computed = LLVM::ConstantOp::create(b, i64Type, b.getI64IntegerAttr(*c));
  } else {
    computed = lowerExpr(
        b, b.getLoc(), expr,
        [&](ExprAttr leaf) { return symbol(leaf.getName()); }, &facts);
    if (now.depth)
      now.exprLog.push_back(expr);
  }
  return now.values[expr] = computed;
}

std::pair<Value, Value> HostLowering::checkedValue(ExprAttr expr) {
  if (expr.getOperands().empty())
    return {value(expr), {}};
  Value overflow;
  auto note = [&](Value flag) {
    if (flag)
      overflow =
          overflow ? LLVM::OrOp::create(b, overflow, flag).getResult() : flag;
  };
  auto pairType = LLVM::LLVMStructType::getLiteral(b.getContext(),
                                                   {i64Type, b.getI1Type()});
  auto combine = [&](Value x, Value y, bool isAdd) -> Value {
    Value r =
        isAdd ? LLVM::SAddWithOverflowOp::create(b, pairType, x, y).getResult()
              : LLVM::SMulWithOverflowOp::create(b, pairType, x, y).getResult();
    note(LLVM::ExtractValueOp::create(b, r, 1));
    return LLVM::ExtractValueOp::create(b, r, 0);
  };
  SmallVector<Value> operands;
  for (ExprAttr o : expr.getOperands()) {
    auto [v, flag] = checkedValue(o);
    note(flag);
    operands.push_back(v);
  }
  bool isAdd = expr.getKind() == sym::ExprKind::Add;
  if (!isAdd && expr.getKind() != sym::ExprKind::Mul)
    return {value(expr), overflow};
  Value result = i64(expr.getValue());
  for (Value v : operands)
    result = combine(result, v, isAdd);
  return {result, overflow};
}

/// Adds an internal constant to the module.
static LLVM::GlobalOp addGlobal(SymbolTable &table, Location loc, Type type,
                                StringRef name, Attribute value) {
  auto module = cast<ModuleOp>(table.getOp());
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  auto global = LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                                       LLVM::Linkage::Internal, name, value);
  table.insert(global, module.getBody()->begin());
  return global;
}

Value HostLowering::string(StringRef text) {
  LLVM::GlobalOp &global = now.strings[text];
  if (!global) {
    std::string data = text.str() + '\0';
    global = addGlobal(*now.table, fn.getLoc(),
                       LLVM::LLVMArrayType::get(b.getI8Type(), data.size()),
                       "text", b.getStringAttr(data));
  }
  return LLVM::AddressOfOp::create(b, ptrType, global.getSymName());
}

Value HostLowering::array(ArrayRef<ExprAttr> exprs, unsigned number) {
  if (exprs.empty())
    return null();
  if (llvm::all_of(exprs, [](ExprAttr e) { return e.isConstant(); })) {
    SmallVector<int64_t> data;
    for (ExprAttr e : exprs)
      data.push_back(e.getValue());
    auto attr = DenseElementsAttr::get(
        RankedTensorType::get({static_cast<int64_t>(data.size())}, i64Type),
        ArrayRef<int64_t>(data));
    LLVM::GlobalOp &global = now.arrays[attr];
    if (!global)
      global = addGlobal(*now.table, fn.getLoc(),
                         LLVM::LLVMArrayType::get(i64Type, data.size()),
                         "numbers", attr);
    return LLVM::AddressOfOp::create(b, ptrType, global.getSymName());
  }
  Value base = scratch(number, static_cast<unsigned>(exprs.size()));
  for (auto [i, e] : llvm::enumerate(exprs))
    store(value(e), base, static_cast<unsigned>(i), i64Type);
  return base;
}

Value HostLowering::scratch(unsigned number, unsigned count) {
  if (now.stack.size() <= number)
    now.stack.resize(number + 1);
  auto &[memory, size] = now.stack[number];
  if (!memory) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(now.entry);
    Value one = LLVM::ConstantOp::create(b, i64Type, b.getI64IntegerAttr(1));
    memory = LLVM::AllocaOp::create(b, ptrType, i64Type, one, 8);
  }
  if (count > size) {
    size = count;
    memory.getArraySize().getDefiningOp<LLVM::ConstantOp>().setValueAttr(
        b.getI64IntegerAttr(count));
  }
  return memory;
}

void HostLowering::store(Value v, Value base, unsigned index, Type type) {
  Value address = base;
  if (index != 0)
    address = LLVM::GEPOp::create(
        b, ptrType, type, base,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
  LLVM::StoreOp::create(b, v, address);
}

Value HostLowering::load(Value base, unsigned offset, Type type) {
  Value address = base;
  if (offset != 0)
    address = LLVM::GEPOp::create(
        b, ptrType, b.getI8Type(), base,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
  return LLVM::LoadOp::create(b, type, address);
}

Value HostLowering::element(Value base, ExprAttr offset, BufferType type) {
  if (!offset || offset.isConstant(0))
    return base;
  Value bytes = value(sym::mul(offset, type.getElementBytes()));
  return LLVM::GEPOp::create(b, ptrType, b.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{bytes});
}

/// Declares a function.
static LLVM::LLVMFuncOp declare(SymbolTable &table, Location loc,
                                StringRef name, LLVM::LLVMFunctionType type) {
  Block *body = cast<ModuleOp>(table.getOp()).getBody();
  OpBuilder builder = OpBuilder::atBlockBegin(body);
  auto function = LLVM::LLVMFuncOp::create(builder, loc, name, type);
  table.insert(function, body->begin());
  return function;
}

void coil::wrapper::declareKernelObject(SymbolTable &table, KernelOp kernel,
                                        StringRef name) {
  OpBuilder builder =
      OpBuilder::atBlockBegin(&table.getOp()->getRegion(0).front());
  table.insert(LLVM::GlobalOp::create(
      builder, kernel.getLoc(), builder.getI8Type(), /*isConstant=*/false,
      LLVM::Linkage::External, name, Attribute()));
}

Value HostLowering::kernelAddress(KernelOp kernel) {
  StringRef name = kernel.getSymName();
  if (now.table == &module) // Its name is still that of the kernel.
    kernels.insert(kernel);
  else if (!now.table->lookup(name)) {
    if (kernel.getGeometry())
      declareKernelObject(*now.table, kernel, name);
    else if (auto defined = kernel.lookupSymbol<LLVM::LLVMFuncOp>(name))
      declare(*now.table, kernel.getLoc(), name, defined.getFunctionType());
  }
  return LLVM::AddressOfOp::create(b, ptrType, name);
}

void HostLowering::declareFunction(StringRef name, ArrayRef<Type> parameters) {
  declare(*now.table, fn.getLoc(), name,
          LLVM::LLVMFunctionType::get(i32Type, parameters));
}

Value HostLowering::callStatus(StringRef callee, ValueRange args) {
  auto function = now.table->lookup<LLVM::LLVMFuncOp>(callee);
  if (!function)
    function = declare(
        *now.table, fn.getLoc(), callee,
        LLVM::LLVMFunctionType::get(i32Type, llvm::to_vector(args.getTypes())));
  return LLVM::CallOp::create(b, function, args).getResult();
}

void HostLowering::call(StringRef callee, ValueRange args) {
  Value status = callStatus(callee, args);
  Value ok =
      LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, status, i32(COIL_OK));
  Block *next = new Block;
  next->insertBefore(now.exit);
  LLVM::CondBrOp::create(b, ok, next, ValueRange(), now.exit, status);
  b.setInsertionPointToEnd(next);
}

void HostLowering::require(Value condition, llvm::function_ref<Value()> fail) {
  Block *failed = new Block, *next = new Block;
  failed->insertBefore(now.exit);
  next->insertBefore(now.exit);
  LLVM::CondBrOp::create(b, condition, next, failed);
  b.setInsertionPointToEnd(failed);
  LLVM::BrOp::create(b, ValueRange(fail()), now.exit);
  b.setInsertionPointToEnd(next);
}

const DeviceInfo *HostLowering::getDevice(Operation *op, DeviceAttr device) {
  auto *dialect = b.getContext()->getLoadedDialect<WrapperDialect>();
  const DeviceInfo *info = dialect->lookupDevice(device.getKind());
  if (!info) // (C2)
    op->emitOpError() << "device '" << device.getKind()
                      << "' is not registered";
  return info;
}

std::optional<int32_t> HostLowering::getDType(Operation *op, Type type) {
  std::optional<int32_t> dtype = getRuntimeDType(type);
  if (!dtype)
    op->emitOpError() << "the runtime has no number for the element type "
                      << type;
  return dtype;
}

Value HostLowering::inputTensor(Value arg) {
  unsigned i = cast<BlockArgument>(arg).getArgNumber();
  if (i == 0)
    return now.inputs;
  return LLVM::GEPOp::create(
      b, ptrType, b.getI8Type(), now.inputs,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i * sizeof(coil_tensor))});
}

std::string HostLowering::inputName(Value arg) {
  unsigned i = cast<BlockArgument>(arg).getArgNumber();
  if (auto name = fn.getArgAttrOfType<StringAttr>(i, "coil.name"))
    return name.str();
  return "arg" + std::to_string(i);
}

//===----------------------------------------------------------------------===//
// Inputs and symbols
//===----------------------------------------------------------------------===//

void HostLowering::createFunction() {
  b.setInsertionPointAfter(fn);
  LLVM::LLVMFuncOp function = entryFunction = LLVM::LLVMFuncOp::create(
      b, ("coil_" + fn.getName()).str(),
      LLVM::LLVMFunctionType::get(i32Type, {ptrType, ptrType, ptrType}));
  for (NamedAttribute attr : fn->getDiscardableAttrs())
    if (attr.getName() != SymbolTable::getVisibilityAttrName())
      function->setAttr(attr.getName(), attr.getValue());
  SmallVector<Type> inputs, outputs;
  SmallVector<Attribute> inputAttrs;
  for (auto [i, type] : llvm::enumerate(fn.getArgumentTypes())) {
    auto buffer = cast<BufferType>(type);
    inputs.push_back(buffer.getTensorType());
    NamedAttrList attrs(
        function_interface_impl::getArgAttrs(fn, static_cast<unsigned>(i)));
    if (!buffer.isContiguous())
      attrs.set("coil.strides", buffer.getStrides());
    auto *dialect = b.getContext()->getLoadedDialect<WrapperDialect>();
    if (auto *device = dialect->lookupDevice(buffer.getDevice().getKind());
        device && device->runtimeType != COIL_CPU) {
      attrs.set("coil.device_type", b.getI32IntegerAttr(device->runtimeType));
      if (int64_t index = buffer.getDevice().getIndex())
        attrs.set("coil.device_index",
                  b.getI32IntegerAttr(static_cast<int32_t>(index)));
    }
    inputAttrs.push_back(attrs.getDictionary(b.getContext()));
  }
  SmallVector<Attribute> outputAttrs;
  bool hasOutputAttrs = false;
  for (auto [i, type] : llvm::enumerate(fn.getResultTypes())) {
    outputs.push_back(cast<BufferType>(type).getTensorType());
    NamedAttrList attrs;
    for (StringRef name :
         {"coil.name", "coil.user_input_mutation", "coil.buffer_mutation",
          "coil.parameter_mutation", "coil.gradient_to_parameter",
          "coil.gradient_to_user_input"})
      if (Attribute attr = fn.getResultAttr(static_cast<unsigned>(i), name))
        attrs.set(name, attr);
    hasOutputAttrs |= !attrs.empty();
    outputAttrs.push_back(attrs.getDictionary(b.getContext()));
  }
  if (hasOutputAttrs)
    function->setAttr(kOutputAttrsName, b.getArrayAttr(outputAttrs));
  function->setAttr(kSignatureAttrName,
                    TypeAttr::get(b.getFunctionType(inputs, outputs)));
  function->setAttr(kInputAttrsName, b.getArrayAttr(inputAttrs));
  // A part of another program may call it from a module of its own, which is
  // linked as that of another part is.
  if (fn.isPrivate() && SymbolTable::symbolKnownUseEmpty(fn, module.getOp()))
    function.setLinkage(LLVM::Linkage::Internal);
}

LogicalResult HostLowering::checkInput(BlockArgument arg) {
  auto type = cast<BufferType>(arg.getType());
  const DeviceInfo *device = getDevice(fn, type.getDevice());
  std::optional<int32_t> dtype = getDType(fn, type.getElementType());
  if (!device || !dtype)
    return failure();
  Value tensor = inputTensor(arg);
  if (fn.isPrivate()) { // The verifier of calls has checked it.
    setBuffer(arg, load(tensor, offsetof(coil_tensor, data), ptrType));
    return success();
  }
  call("coil_rt_check_input",
       {now.run, tensor, string(inputName(arg)), i32(*dtype),
        i32(static_cast<int32_t>(type.getRank())), i32(device->runtimeType)});
  if (device->inputFunction.empty()) {
    setBuffer(arg, load(tensor, offsetof(coil_tensor, data), ptrType));
    return success();
  }
  Value slot = scratch(0, 1);
  DeviceAttr other = selection.get(type);
  select(other);
  call(device->inputFunction, {now.run, tensor, string(inputName(arg)),
                               i64(fn.getAlignment(arg.getArgNumber())), slot});
  select(other, /*isBegin=*/false);
  setBuffer(arg, LLVM::LoadOp::create(b, ptrType, slot));
  return success();
}

LogicalResult HostLowering::lower(InputSymbolOp op) {
  bool isSize = op.getProperty() == Property::Size;
  Value list = load(inputTensor(op.getSource()),
                    isSize ? offsetof(coil_tensor, sizes)
                           : offsetof(coil_tensor, strides),
                    ptrType);
  unsigned dim = static_cast<unsigned>(op.getDim());
  Value given = load(list, dim * 8, i64Type);
  ExprAttr unknown = sym::symbol(b.getContext(), op.getSymbol());
  ExprAttr solution =
      sym::solve(op.getExpr(), sym::dim(b.getContext(), 0), unknown);
  Value v = lowerExpr(b, op.getLoc(), solution, [&](ExprAttr leaf) {
    return leaf.isDim() ? given : symbol(leaf.getName());
  });
  setSymbol(op.getSymbol(), v);

  checkRange(op.getSymbol(), v,
             " (" + stringifyProperty(op.getProperty()) + " " +
                 llvm::Twine(dim) + " of input '" + inputName(op.getSource()) +
                 "')");
  return success();
}

LLVM::ICmpPredicate HostLowering::getPredicate(sym::Predicate predicate) {
  switch (predicate) {
  case sym::Predicate::Eq:
    return LLVM::ICmpPredicate::eq;
  case sym::Predicate::Ne:
    return LLVM::ICmpPredicate::ne;
  case sym::Predicate::Le:
    return LLVM::ICmpPredicate::sle;
  case sym::Predicate::Lt:
    return LLVM::ICmpPredicate::slt;
  }
  llvm_unreachable("unknown predicate");
}

LogicalResult HostLowering::lower(wrapper::AssertOp op) {
  Value lhs = value(op.getLhs()), rhs = value(op.getRhs());
  require(LLVM::ICmpOp::create(b, getPredicate(op.getPredicate()), lhs, rhs),
          [&] {
            return callStatus("coil_rt_assert_fail",
                              {now.run, string(op.getMessage()), lhs, rhs});
          });
  return success();
}

LogicalResult HostLowering::lower(AssertLayoutOp op) {
  auto type = cast<BufferType>(op.getSource().getType());
  if (type.getRank() == 0)
    return success();
  Value sizes = array(type.getSizes().getDims(), 0);
  Value strides = array(type.getStrides().getDims(), 1);
  if (op.copiesOtherLayouts()) {
    Value slot = scratch(2, 1);
    LLVM::StoreOp::create(b, buffer(op.getSource()), slot);
    call("coil_rt_match_layout", {now.run, inputTensor(op.getSource()),
                                  string(op.getName()), sizes, strides, slot});
    setBuffer(op.getSource(), LLVM::LoadOp::create(b, ptrType, slot));
    return success();
  }
  Value tensor = op.getSource().getDefiningOp() ? resultTensor(op.getSource())
                                                : inputTensor(op.getSource());
  call("coil_rt_check_layout",
       {now.run, tensor, string(op.getName()), sizes, strides});
  return success();
}

//===----------------------------------------------------------------------===//
// Memory and results
//===----------------------------------------------------------------------===//

LogicalResult HostLowering::lower(ConstantOp op) {
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  const DeviceInfo *device =
      getDevice(op, cast<BufferType>(op.getType()).getDevice());
  if (!device)
    return failure();
  if (!elements ||
      (!device->hostAccessible && device->constantFunction.empty()))
    return op.emitOpError("has elements that cannot be put into the program");
  Type type = elements.getElementType();
  int64_t count = elements.getNumElements();
  if (type.isInteger(1)) {
    SmallVector<int8_t> bytes;
    for (bool v : elements.getValues<bool>())
      bytes.push_back(v);
    type = b.getI8Type();
    elements = DenseElementsAttr::get(RankedTensorType::get({count}, type),
                                      ArrayRef<int8_t>(bytes));
  } else {
    // LLVM has neither signs nor floats of 8 bits.
    auto integer = dyn_cast<IntegerType>(type);
    unsigned bits = type.getIntOrFloatBitWidth();
    if (integer ? !integer.isSignless() : bits == 8) {
      type = b.getIntegerType(bits);
      elements = elements.bitcast(type);
    }
    elements = elements.reshape(RankedTensorType::get({count}, type));
  }
  LLVM::GlobalOp global =
      addGlobal(*now.table, op.getLoc(), LLVM::LLVMArrayType::get(type, count),
                "constant", elements);
  global.setAlignment(64);
  Value data = LLVM::AddressOfOp::create(b, ptrType, global.getSymName());
  if (!device->hostAccessible) {
    Value slot = scratch(0, 1);
    call(device->constantFunction,
         {now.run, data,
          value(cast<BufferType>(op.getType()).getStorageBytes()), slot});
    data = LLVM::LoadOp::create(b, ptrType, slot);
  }
  setBuffer(op, data);
  return success();
}

LogicalResult HostLowering::lowerAllocation(Operation *op, ExprAttr size) {
  Value result = op->getResult(0);
  const DeviceInfo *device =
      getDevice(op, wrapper::getDevice(result.getType()));
  if (!device)
    return failure();
  if (device->allocFunction.empty())
    return op->emitOpError()
           << "device '" << device->kind << "' cannot allocate";
  Value bytes;
  if (facts.bounds(size).hi != INT64_MAX) {
    bytes = value(size);
  } else {
    auto [v, overflow] = checkedValue(size);
    bytes = v;
    if (overflow) {
      Value yes =
          LLVM::ConstantOp::create(b, b.getI1Type(), b.getBoolAttr(true));
      require(LLVM::XOrOp::create(b, overflow, yes), [&] {
        return callStatus("coil_rt_fail",
                          {now.run, i32(COIL_OUT_OF_MEMORY),
                           string("the size of a buffer overflows")});
      });
    }
  }
  Value slot = scratch(0, 1);
  Value status = callStatus(device->allocFunction, {now.run, bytes, slot});
  Value ok =
      LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, status, i32(COIL_OK));
  require(ok, [&] {
    return callStatus("coil_rt_allocation_failed",
                      {now.run, status, place(op)});
  });
  setBuffer(result, LLVM::LoadOp::create(b, ptrType, slot));
  return success();
}

LogicalResult HostLowering::lowerDeallocation(Operation *op, Value memory) {
  const DeviceInfo *device =
      getDevice(op, wrapper::getDevice(memory.getType()));
  if (!device)
    return failure();
  if (device->freeFunction.empty())
    return op->emitOpError() << "device '" << device->kind << "' cannot free";
  call(device->freeFunction, {now.run, buffer(memory)});
  return success();
}

LogicalResult HostLowering::lower(AllocOp op) {
  return lowerAllocation(op, cast<BufferType>(op.getType()).getStorageBytes());
}

LogicalResult HostLowering::lower(FreeOp op) {
  return lowerDeallocation(op, op.getSource());
}

/// Memory of the frame of a program of several parts, or of the function's own.
LogicalResult HostLowering::lowerStackPool(PoolOp op) {
  const DeviceInfo *device = getDevice(op, wrapper::getDevice(op.getType()));
  if (!device)
    return failure();
  if (!device->usesHostStack)
    return op.emitOpError() << "memory of device '" << device->kind
                            << "' cannot be on the stack of the host";
  int64_t alignment = device->alignment;
  if (auto slot = poolSlots.find(op); slot != poolSlots.end()) {
    Value begin =
        LLVM::GEPOp::create(b, ptrType, b.getI8Type(), now.frame,
                            ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(
                                slot->second * 8 + alignment - 8)});
    setBuffer(op, LLVM::PtrMaskOp::create(b, ptrType, begin, i64(-alignment)));
    return success();
  }
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(now.entry);
  Value count = LLVM::ConstantOp::create(
      b, i64Type, b.getI64IntegerAttr(op.getBytes().getValue()));
  Value memory = LLVM::AllocaOp::create(b, ptrType, b.getI8Type(), count,
                                        static_cast<unsigned>(alignment));
  setBuffer(op, memory);
  return success();
}

LogicalResult HostLowering::lower(PoolOp op) {
  return op.getOnStack() ? lowerStackPool(op)
                         : lowerAllocation(op, op.getBytes());
}

LogicalResult HostLowering::lower(PoolAllocOp op) {
  Value address = buffer(op.getPool());
  // The pool's size did not overflow, and the offset is not above it.
  if (!op.getOffset().isConstant(0))
    address =
        LLVM::GEPOp::create(b, ptrType, b.getI8Type(), address,
                            ArrayRef<LLVM::GEPArg>{value(op.getOffset())});
  setBuffer(op, address);
  return success();
}

LogicalResult HostLowering::lower(PoolFreeOp op) {
  if (op.getPool().getDefiningOp<PoolOp>().getOnStack())
    return success();
  return lowerDeallocation(op, op.getPool());
}

LogicalResult HostLowering::lower(CopyOp op) {
  if (getStorage(op.getSource()) == getStorage(op.getTarget()))
    return success();
  auto type = cast<BufferType>(op.getSource().getType());
  const DeviceInfo *device = getDevice(op, type.getDevice());
  if (!device)
    return failure();
  if (!device->hostAccessible) {
    if (device->copyFunction.empty())
      return op.emitOpError()
             << "the host cannot access device '" << device->kind << "'";
    call(device->copyFunction,
         {now.run, buffer(op.getTarget()), buffer(op.getSource()),
          value(type.getStorageBytes())});
    return success();
  }
  LLVM::MemcpyOp::create(b, buffer(op.getTarget()), buffer(op.getSource()),
                         value(type.getStorageBytes()), /*isVolatile=*/false);
  return success();
}

LogicalResult HostLowering::lower(FillOp op) {
  auto type = cast<BufferType>(op.getTarget().getType());
  const DeviceInfo *device = getDevice(op, type.getDevice());
  if (!device)
    return failure();
  Value bytes = value(type.getStorageBytes());
  if (!device->hostAccessible) {
    if (device->fillFunction.empty())
      return op.emitOpError()
             << "memory of device '" << device->kind << "' cannot be filled";
    call(device->fillFunction,
         {now.run, buffer(op.getTarget()),
          i32(static_cast<int32_t>(op.getValue())), bytes});
    return success();
  }
  Value byte = LLVM::ConstantOp::create(
      b, b.getI8Type(),
      b.getIntegerAttr(b.getI8Type(), static_cast<int64_t>(op.getValue())));
  LLVM::MemsetOp::create(b, buffer(op.getTarget()), byte, bytes,
                         /*isVolatile=*/false);
  return success();
}

LogicalResult HostLowering::setOutput(OpOperand &result) {
  Operation *op = result.getOwner();
  unsigned i = result.getOperandNumber();
  auto type = cast<BufferType>(result.get().getType());
  std::optional<int32_t> dtype = getDType(op, type.getElementType());
  const DeviceInfo *device = getDevice(op, type.getDevice());
  if (!dtype || !device)
    return failure();
  Value output = now.outputs;
  if (i != 0)
    output = LLVM::GEPOp::create(
        b, ptrType, b.getI8Type(), output,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i * sizeof(coil_tensor))});
  if (fn.isPrivate()) {
    if (failed(checkHandedOver(result)))
      return failure();
    // The caller has filled in the rest, and knows where sizes go.
    store(buffer(result.get()), output, 0, ptrType);
    for (bool isSize : {true, false}) {
      Value list = load(output,
                        isSize ? offsetof(coil_tensor, sizes)
                               : offsetof(coil_tensor, strides),
                        ptrType);
      sym::ShapeAttr exprs = isSize ? type.getSizes() : type.getStrides();
      for (auto [d, e] : llvm::enumerate(exprs.getDims()))
        store(value(e), list, static_cast<unsigned>(d), i64Type);
    }
    return success();
  }
  Value sizes = array(type.getSizes().getDims(), 0);
  Value strides = array(type.getStrides().getDims(), 1);
  DeviceAttr other = selection.get(type);
  select(other);
  call("coil_rt_set_output",
       {now.run, output, buffer(result.get()), i32(*dtype),
        i32(static_cast<int32_t>(type.getRank())), sizes, strides});
  select(other, /*isBegin=*/false);
  if (device->runtimeType != COIL_CPU)
    store(i32(device->runtimeType), output,
          offsetof(coil_tensor, device_type) / 4, i32Type);
  return success();
}

LogicalResult HostLowering::lower(DebugMarkOp op) {
  call("coil_rt_debug_mark", {now.run, string(op.getLabel())});
  return success();
}

LogicalResult HostLowering::lower(DebugValueOp op) {
  auto type = cast<BufferType>(op.getBuffer().getType());
  const DeviceInfo *device = getDevice(op, type.getDevice());
  std::optional<int32_t> dtype = getDType(op, type.getElementType());
  if (!device || !dtype)
    return failure();
  if (device->debugFunction.empty())
    return op->emitOpError()
           << "values on device '" << device->kind << "' cannot be shown";
  Value sizes = array(type.getSizes().getDims(), 0);
  Value strides = array(type.getStrides().getDims(), 1);
  call(device->debugFunction,
       {now.run, i32(static_cast<int32_t>(op.getAction())),
        string(op.getLabel()), buffer(op.getBuffer()), i32(*dtype),
        i32(static_cast<int32_t>(type.getRank())), sizes, strides});
  return success();
}

LogicalResult HostLowering::lower(CheckLifetimeOp op) {
  size_t count = op.getStorage().size();
  Value addresses = null();
  if (count != 0) {
    addresses = scratch(0, static_cast<unsigned>(count));
    for (auto [i, v] : llvm::enumerate(op.getStorage()))
      store(buffer(v), addresses, static_cast<unsigned>(i), ptrType);
  }
  call("coil_rt_check_lifetime",
       {now.run, i32(static_cast<int32_t>(op.getMode())),
        string(op->getParentOfType<FuncOp>().getName()), string(op.getStep()),
        i64(static_cast<int64_t>(count)), string(op.getNameList()), addresses});
  return success();
}

void HostLowering::noteCost(Operation &op) {
  auto cost = op.getAttrOfType<CostAttr>(kCostAttrName);
  if (!cost)
    return;
  call("coil_rt_note_cost",
       {now.run, value(cost.getBytes()), value(cost.getFlops()),
        cost.getMatrix() ? value(cost.getMatrix()) : i64(0)});
}

void HostLowering::select(DeviceAttr device, bool isBegin) {
  if (!device)
    return;
  auto *dialect = b.getContext()->getLoadedDialect<WrapperDialect>();
  const DeviceInfo *info = dialect->lookupDevice(device.getKind());
  if (!info) // Whoever works on it says so.
    return;
  call("coil_rt_select_device",
       {now.run, i32(info->runtimeType),
        i32(isBegin ? static_cast<int32_t>(device.getIndex()) : 0)});
}

LogicalResult HostLowering::lower(Operation &op) {
  b.setLoc(op.getLoc());
  // Where a step fails the run is at its end, whatever is selected.
  DeviceAttr other = selection.get(&op);
  select(other);
  if (failed(lowerHere(op)))
    return failure();
  select(other, /*isBegin=*/false);
  return success();
}

LogicalResult HostLowering::lowerHere(Operation &op) {
  noteCost(op);
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case<InputSymbolOp, wrapper::AssertOp, AssertLayoutOp, ConstantOp,
            AllocOp, FreeOp, CopyOp, FillOp, PoolOp, PoolAllocOp, PoolFreeOp,
            LaunchOp, LaunchUserOp, TMADescriptorOp, ContractionOp,
            ConvolutionOp, AttentionOp, SortOp, IfOp, WhileOp, InvokeOp,
            PartitionOp, DeviceScopeOp, PartitionCallOp, ParamSymbolsOp, ItemOp,
            BindSymbolOp, CompareOp, CheckLifetimeOp, DebugMarkOp, DebugValueOp,
            DropOp, ProfileRangeOp, BoundObjectOp, ResizeStorageOp,
            SetStorageOp, TransferOp, CommAllocOp, CommFreeOp, StreamOp,
            RecordEventOp, WaitEventOp>([&](auto o) { return lower(o); })
      .Case([&](SymExprOp o) {
        setSymbol(o.getSymbol(), value(o.getExpr()));
        return success();
      })
      .Case([&](HostCallOpInterface o) { return lower(o); })
      .Case<PoolReleaseOp, CommentOp>([](auto) { return success(); })
      .Case([&](ReuseOp o) {
        setBuffer(o, buffer(o.getSource()));
        return success();
      })
      .Case([&](ReinterpretOp o) {
        setBuffer(o, element(buffer(o.getSource()), o.getOffset(),
                             cast<BufferType>(o.getType())));
        return success();
      })
      .Default([&](Operation *o) -> LogicalResult {
        auto isScalar = [](Type t) { return t.isIntOrFloat(); };
        if (isa_and_present<arith::ArithDialect>(o->getDialect()) &&
            llvm::all_of(o->getOperandTypes(), isScalar) &&
            llvm::all_of(o->getResultTypes(), isScalar))
          return lowerScalar(o);
        return o->emitOpError("has no lowering to LLVM");
      });
}
