//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits control flow of host programs, and numbers that only a run can know.
//
//===----------------------------------------------------------------------===//

#include "HostLowering.h"

#include "coil/Runtime/HostABI.h"
#include "mlir/IR/IRMapping.h"

#include <cstddef>

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

/// Numbers of scratch memory (see LowerCompute.cpp): tensors that go to and
/// come from calls, and their sizes and strides.
static constexpr unsigned kTensors = 4, kShapes = 5;

static_assert(sizeof(coil_tensor) % 8 == 0, "tensors are arrays of words");

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

Block *HostLowering::newBlock(TypeRange arguments) {
  Block *block = new Block;
  for (Type type : arguments)
    block->addArgument(type, b.getLoc());
  block->insertBefore(now.exit);
  return block;
}

HostLowering::Scope HostLowering::openScope() {
  ++now.depth;
  return {now.valueLog.size(), now.symbolLog.size(), now.exprLog.size()};
}

void HostLowering::closeScope(Scope scope) {
  --now.depth;
  for (Value v : ArrayRef(now.valueLog).drop_front(scope.values))
    now.buffers.erase(v);
  now.valueLog.truncate(scope.values);
  for (StringRef name : ArrayRef(now.symbolLog).drop_front(scope.symbols))
    now.symbols.erase(name);
  now.symbolLog.truncate(scope.symbols);
  for (ExprAttr e : ArrayRef(now.exprLog).drop_front(scope.exprs))
    now.values.erase(e);
  now.exprLog.truncate(scope.exprs);
}

LogicalResult HostLowering::lowerBody(Region &region) {
  for (Operation &op : region.front().without_terminator())
    if (failed(lower(op)))
      return failure();
  b.setLoc(region.front().getTerminator()->getLoc());
  return success();
}

SmallVector<Value> HostLowering::gather(ValueRange values,
                                        std::optional<sym::ShapeAttr> exprs) {
  SmallVector<Value> gathered;
  for (Value v : values)
    gathered.push_back(buffer(v));
  if (exprs)
    for (ExprAttr e : exprs->getDims())
      gathered.push_back(value(e));
  return gathered;
}

void HostLowering::receive(ValueRange targets, std::optional<ArrayAttr> symbols,
                           ValueRange values) {
  for (auto [target, v] : llvm::zip(targets, values))
    setBuffer(target, v);
  if (symbols)
    for (auto [name, v] : llvm::zip(symbols->getAsRange<StringAttr>(),
                                    values.drop_front(targets.size())))
      setSymbol(name.getValue(), v);
}

void HostLowering::checkRanges(std::optional<ArrayAttr> symbols,
                               ValueRange values) {
  if (!symbols)
    return;
  for (auto [name, v] : llvm::zip(symbols->getAsRange<StringAttr>(),
                                  values.take_back(symbols->size())))
    checkRange(name.getValue(), v, "");
}

void HostLowering::checkRange(StringRef name, Value v, const Twine &origin) {
  std::string what = ("symbol '" + name + "'" + origin + " is ").str();
  sym::Bounds bounds = facts.bounds(sym::symbol(b.getContext(), name));
  auto check = [&](LLVM::ICmpPredicate predicate, int64_t bound,
                   StringRef text) {
    Value ok = LLVM::ICmpOp::create(b, predicate, v, i64(bound));
    require(ok, [&] {
      return callStatus("coil_rt_assert_fail",
                        {now.run, string(what + text.str()), v, i64(bound)});
    });
  };
  if (bounds.lo != INT64_MIN)
    check(LLVM::ICmpPredicate::sge, bounds.lo, "below its lower bound");
  if (bounds.hi != INT64_MAX)
    check(LLVM::ICmpPredicate::sle, bounds.hi, "above its upper bound");
}

void HostLowering::requireMultiple(Value v, int64_t divisor,
                                   const Twine &what) {
  Value rest = LLVM::SRemOp::create(b, v, i64(divisor));
  require(LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, rest, i64(0)), [&] {
    return callStatus(
        "coil_rt_assert_fail",
        {now.run, string((what + " is not a multiple of its divisor").str()), v,
         i64(divisor)});
  });
}

//===----------------------------------------------------------------------===//
// Branches and loops
//===----------------------------------------------------------------------===//

LogicalResult HostLowering::lower(IfOp op) {
  FailureOr<Value> predicate = getPredicate(op, op.getPredicate());
  if (failed(predicate))
    return failure();
  SmallVector<Type> types = getHostTypes(op.getResultTypes());
  if (op.getDefines())
    types.append(op.getDefines()->size(), i64Type);
  Block *first = newBlock({}), *second = newBlock({}), *join = newBlock(types);
  LLVM::CondBrOp::create(b, *predicate, first, second);
  for (auto [block, region] : {std::pair(first, &op.getThenRegion()),
                               std::pair(second, &op.getElseRegion())}) {
    b.setInsertionPointToEnd(block);
    Scope scope = openScope();
    if (failed(lowerBody(*region)))
      return failure();
    auto yield = cast<YieldOp>(region->front().getTerminator());
    SmallVector<Value> given = gather(yield.getValues(), yield.getSymbols());
    checkRanges(op.getDefines(), given);
    LLVM::BrOp::create(b, given, join);
    closeScope(scope);
  }
  b.setLoc(op.getLoc());
  b.setInsertionPointToEnd(join);
  receive(op.getResults(), op.getDefines(), join->getArguments());
  return success();
}

LogicalResult HostLowering::lower(WhileOp op) {
  SmallVector<Type> types = getHostTypes(op.getResultTypes());
  size_t numValues = types.size();
  if (op.getSymbols())
    types.append(op.getSymbols()->size(), i64Type);
  Block *header = newBlock(types), *body = newBlock(types),
        *done = newBlock(types);
  SmallVector<Value> inits = gather(op.getInits(), op.getFrom());
  checkRanges(op.getSymbols(), inits);
  LLVM::BrOp::create(b, inits, header);

  b.setInsertionPointToEnd(header);
  Scope scope = openScope();
  receive(op.getCondition().getArguments(), op.getSymbols(),
          header->getArguments());
  if (failed(lowerBody(op.getCondition())))
    return failure();
  auto condition = cast<ConditionOp>(op.getCondition().front().getTerminator());
  Value predicate = buffer(condition.getPredicate());
  SmallVector<Value> passed = gather(condition.getValues(), std::nullopt);
  llvm::append_range(passed, header->getArguments().drop_front(numValues));
  LLVM::CondBrOp::create(b, predicate, body, passed, done, passed);
  closeScope(scope);

  b.setInsertionPointToEnd(body);
  scope = openScope();
  receive(op.getBody().getArguments(), op.getSymbols(), body->getArguments());
  if (failed(lowerBody(op.getBody())))
    return failure();
  auto yield = cast<YieldOp>(op.getBody().front().getTerminator());
  SmallVector<Value> next = gather(yield.getValues(), yield.getSymbols());
  checkRanges(op.getSymbols(), next);
  LLVM::BrOp::create(b, next, header);
  closeScope(scope);

  b.setLoc(op.getLoc());
  b.setInsertionPointToEnd(done);
  receive(op.getResults(), op.getSymbols(), done->getArguments());
  return success();
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

FailureOr<Value> HostLowering::readItem(Operation *op, Value source) {
  auto type = cast<BufferType>(source.getType());
  const DeviceInfo *device = getDevice(op, type.getDevice());
  std::optional<int32_t> dtype = getDType(op, type.getElementType());
  if (!device || !dtype)
    return failure();
  if (device->itemFunction.empty())
    return op->emitOpError() << "the host cannot read elements of device '"
                             << device->kind << "'";
  Value slot = scratch(0, 1);
  call(device->itemFunction, {now.run, buffer(source), i32(*dtype), slot});
  bool isFloat = isa<FloatType>(type.getElementType());
  return LLVM::LoadOp::create(b, isFloat ? Type(b.getF64Type()) : i64Type, slot)
      .getResult();
}

FailureOr<Value> HostLowering::getPredicate(Operation *op, Value predicate) {
  if (!isa<BufferType>(predicate.getType()))
    return buffer(predicate);
  FailureOr<Value> item = readItem(op, predicate);
  if (failed(item))
    return failure();
  return LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, *item, i64(0))
      .getResult();
}

LogicalResult HostLowering::lower(ItemOp op) {
  if (op.getResult() && op.getResult().getType().isInteger(1)) {
    FailureOr<Value> predicate = getPredicate(op, op.getSource());
    if (failed(predicate))
      return failure();
    setBuffer(op.getResult(), *predicate);
    return success();
  }
  FailureOr<Value> item = readItem(op, op.getSource());
  if (failed(item))
    return failure();
  if (op.getResult()) {
    setBuffer(op.getResult(), *item);
    return success();
  }
  Value v = *item;
  StringRef name = *op.getSymbol();
  auto type = cast<BufferType>(op.getSource().getType()).getElementType();
  if (type.isUnsignedInteger(64))
    require(LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::sge, v, i64(0)), [&] {
      return callStatus("coil_rt_assert_fail",
                        {now.run,
                         string(("the element that symbol '" + name +
                                 "' is read from does "
                                 "not fit")
                                    .str()),
                         v, i64(0)});
    });
  if (std::optional<uint64_t> divisor = op.getDivideBy()) {
    auto d = static_cast<int64_t>(*divisor);
    requireMultiple(v, d,
                    "the element that symbol '" + name + "' is read from");
    v = LLVM::SDivOp::create(b, v, i64(d));
  }
  checkRange(name, v, " (an element)");
  setSymbol(name, v);
  return success();
}

LogicalResult HostLowering::lower(CompareOp op) {
  setBuffer(op, LLVM::ICmpOp::create(b, getPredicate(op.getPredicate()),
                                     value(op.getLhs()), value(op.getRhs())));
  return success();
}

/// `arith` on the program's bools and floats is lowered with that of sizes.
LogicalResult HostLowering::lowerScalar(Operation *op) {
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, buffer(operand));
  Operation *copy = b.clone(*op, mapping);
  for (auto [from, to] : llvm::zip(op->getResults(), copy->getResults()))
    setBuffer(from, to);
  return success();
}

void HostLowering::receiveResults(Operation *op, Value tensors, Value shapes,
                                  unsigned first) {
  for (OpResult result : op->getResults()) {
    setBuffer(result, load(tensors,
                           static_cast<unsigned>(result.getResultNumber() *
                                                     sizeof(coil_tensor) +
                                                 offsetof(coil_tensor, data)),
                           ptrType));
    // What others ask for, before another call uses the memory.
    unsigned count = 2 * cast<BufferType>(result.getType()).getRank();
    if (llvm::any_of(result.getUsers(), [](Operation *user) {
          return isa<BindSymbolOp, AssertLayoutOp>(user);
        })) {
      SmallVector<Value> &shape = now.shapes[result];
      auto slot = shapeSlots.find(result);
      for (unsigned i = 0; i < count; ++i) {
        shape.push_back(load(shapes, (first + i) * 8, i64Type));
        if (slot != shapeSlots.end())
          store(shape.back(), now.frame, slot->second + i, i64Type);
      }
    }
    first += count;
  }
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

LogicalResult HostLowering::lower(InvokeOp op) { return lowerCall(op, {}); }

LogicalResult HostLowering::lowerCall(CallOpInterface op,
                                      ArrayRef<ExprAttr> symbols) {
  unsigned numInputs = op->getNumOperands(), numOutputs = op->getNumResults();
  // A tensor behind the inputs shows the symbols.
  unsigned firstOutput = numInputs + (symbols.empty() ? 0 : 1);
  unsigned tensorWords = sizeof(coil_tensor) / 8, shapeWords = 0;
  auto type = [](Value v) { return cast<BufferType>(v.getType()); };
  for (Value v : op->getOperands())
    shapeWords += 2 * type(v).getRank();
  for (Value v : op->getResults())
    shapeWords += 2 * type(v).getRank();
  unsigned firstSymbol = shapeWords;
  shapeWords += static_cast<unsigned>(symbols.size());
  Value tensors = null(), outputs = null();
  if (firstOutput + numOutputs != 0) {
    tensors = scratch(kTensors, (firstOutput + numOutputs) * tensorWords);
    outputs = LLVM::GEPOp::create(b, ptrType, i64Type, tensors,
                                  ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(
                                      firstOutput * tensorWords)});
  }
  Value shapes = shapeWords == 0 ? null() : scratch(kShapes, shapeWords);
  unsigned nextShape = 0;
  auto shapeAt = [&](unsigned index) -> Value {
    return LLVM::GEPOp::create(
        b, ptrType, i64Type, shapes,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
  };
  auto fill = [&](unsigned i, Value data, BufferType buffer,
                  bool isInput) -> LogicalResult {
    const DeviceInfo *device = getDevice(op, buffer.getDevice());
    std::optional<int32_t> dtype = getDType(op, buffer.getElementType());
    if (!device || !dtype)
      return failure();
    unsigned rank = buffer.getRank(), first = i * tensorWords;
    auto set = [&](size_t offset, Value v, Type t, size_t bytes) {
      store(v, tensors, static_cast<unsigned>((first * 8 + offset) / bytes), t);
    };
    set(offsetof(coil_tensor, data), data, ptrType, 8);
    set(offsetof(coil_tensor, sizes), shapeAt(nextShape), ptrType, 8);
    set(offsetof(coil_tensor, strides), shapeAt(nextShape + rank), ptrType, 8);
    set(offsetof(coil_tensor, rank), i32(static_cast<int32_t>(rank)), i32Type,
        4);
    set(offsetof(coil_tensor, dtype), i32(*dtype), i32Type, 4);
    set(offsetof(coil_tensor, device_type), i32(device->runtimeType), i32Type,
        4);
    set(offsetof(coil_tensor, device_index), i32(0), i32Type, 4);
    if (isInput)
      for (unsigned d = 0; d < rank; ++d) {
        store(value(buffer.getSizes()[d]), shapes, nextShape + d, i64Type);
        store(value(buffer.getStrides()[d]), shapes, nextShape + rank + d,
              i64Type);
      }
    nextShape += 2 * rank;
    return success();
  };
  for (OpOperand &operand : op->getOpOperands()) {
    const DeviceInfo *device = getDevice(op, type(operand.get()).getDevice());
    if (device && !device->inputFunction.empty() &&
        !isAtStorage(operand.get())) // (C4)
      return op->emitOpError()
             << "operand " << operand.getOperandNumber()
             << " may begin in the middle of its storage, which device '"
             << device->kind << "' cannot pass to a function";
    if (failed(fill(operand.getOperandNumber(), buffer(operand.get()),
                    type(operand.get()), /*isInput=*/true)))
      return failure();
  }
  unsigned firstResult = nextShape;
  for (OpResult result : op->getResults())
    if (failed(fill(firstOutput + result.getResultNumber(), null(),
                    type(result), /*isInput=*/false)))
      return failure();
  if (!symbols.empty()) {
    for (auto [i, e] : llvm::enumerate(symbols))
      store(value(e), shapes, firstSymbol + static_cast<unsigned>(i), i64Type);
    store(shapeAt(firstSymbol), tensors,
          static_cast<unsigned>(numInputs * tensorWords +
                                offsetof(coil_tensor, data) / 8),
          ptrType);
  }

  auto partition = dyn_cast<PartitionCallOp>(op.getOperation());
  const DeviceInfo *device =
      partition ? getPartitionDevice(partition) : nullptr;
  if (device && !device->partitionFunction.empty())
    callPartition(partition, *device, tensors, outputs);
  else
    call(getEntryName(op), {now.run, tensors, outputs});

  receiveResults(op, outputs, shapes, firstResult);
  return success();
}

Value HostLowering::shapeEntry(Value result, unsigned index) {
  auto known = now.shapes.find(result);
  if (known != now.shapes.end())
    return known->second[index];
  return load(now.frame, (shapeSlots.at(result) + index) * 8, i64Type);
}

LogicalResult HostLowering::lower(BindSymbolOp op) {
  auto keys = op.getPath().getAsRange<KeyAttr>();
  KeyAttr first = *keys.begin();
  auto type = cast<BufferType>(op.getSource().getType());
  unsigned index = static_cast<unsigned>(first.getValue());
  bool isSize = first.getKind() == KeyKind::Size;
  Value v = shapeEntry(op.getSource(), isSize ? index : type.getRank() + index);
  std::string origin = (stringifyKeyKind(first.getKind()) + " " +
                        Twine(first.getValue()) + " of a result")
                           .str();
  for (KeyAttr key : llvm::drop_begin(keys)) {
    requireMultiple(v, key.getValue(), origin);
    v = LLVM::SDivOp::create(b, v, i64(key.getValue()));
  }
  checkRange(op.getSymbol(), v, " (" + origin + ")");
  setSymbol(op.getSymbol(), v);
  return success();
}

Value HostLowering::resultTensor(Value result) {
  auto type = cast<BufferType>(result.getType());
  unsigned rank = type.getRank();
  Value tensor = scratch(kTensors, sizeof(coil_tensor) / 8);
  Value shapes = scratch(kShapes, std::max(1u, 2 * rank));
  for (unsigned i = 0; i < 2 * rank; ++i)
    store(shapeEntry(result, i), shapes, i, i64Type);
  Value strides =
      LLVM::GEPOp::create(b, ptrType, i64Type, shapes,
                          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(rank)});
  store(shapes, tensor, offsetof(coil_tensor, sizes) / 8, ptrType);
  store(strides, tensor, offsetof(coil_tensor, strides) / 8, ptrType);
  store(i32(static_cast<int32_t>(rank)), tensor,
        offsetof(coil_tensor, rank) / 4, i32Type);
  return tensor;
}
