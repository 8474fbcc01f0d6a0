//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits calls of host functions: a description of the place, which the runtime
// remembers the function in, and arguments in memory of the stack.
//
//===----------------------------------------------------------------------===//

#include "HostLowering.h"

#include "coil/Dialect/Wrapper/Analysis/Provenance.h"
#include "coil/ExecutionEngine/Signature.h"
#include "coil/Runtime/Functions.h"
#include "mlir/IR/BuiltinOps.h"

#include <cstddef>

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

/// Numbers of scratch memory (see LowerControl.cpp, too).
static constexpr unsigned kTensors = 4, kShapes = 5, kArguments = 6;

static constexpr unsigned kTensorWords = sizeof(coil_tensor) / 8,
                          kArgumentWords = sizeof(coil_argument) / 8;
static_assert(sizeof(coil_argument) % 8 == 0, "arguments are arrays of words");

struct HostLowering::CallLayout {
  Value arguments, tensors, shapes;
  /// The next element of a list, tensor and number of a shape.
  unsigned nextElement = 0, nextTensor = 0, nextShape = 0;
  HostCallOpInterface call;
  OperandRange operands;
  /// The next operand that a placeholder stands for.
  unsigned nextOperand = 0;
};

/// How many arguments there are, elements of lists included.
static unsigned countArguments(ArrayAttr list) {
  unsigned count = static_cast<unsigned>(list.size());
  for (Attribute argument : list)
    if (auto inner = dyn_cast<ArrayAttr>(argument))
      count += countArguments(inner);
  return count;
}

//===----------------------------------------------------------------------===//
// Sites
//===----------------------------------------------------------------------===//

Value HostLowering::callSite(HostCallOpInterface op, int32_t deviceType) {
  MLIRContext *context = b.getContext();
  auto addData = [&](StringRef name, Type type, bool isConstant,
                     llvm::function_ref<void(Value &)> fill) {
    Block *body = cast<ModuleOp>(now.table->getOp()).getBody();
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(body);
    auto global = LLVM::GlobalOp::create(b, op.getLoc(), type, isConstant,
                                         LLVM::Linkage::Internal, name,
                                         Attribute(), /*alignment=*/8);
    now.table->insert(global, body->begin());
    b.createBlock(&global.getInitializerRegion());
    Value value = LLVM::UndefOp::create(b, type);
    fill(value);
    LLVM::ReturnOp::create(b, value);
    return global;
  };
  auto insert = [&](Value &value, Value part, int64_t index) {
    value = LLVM::InsertValueOp::create(b, value, part, index);
  };
  LLVM::GlobalOp names;
  if (ArrayAttr list = op.getArgumentNames(); list && !list.empty())
    names = addData("argument_names",
                    LLVM::LLVMArrayType::get(ptrType, list.size()),
                    /*isConstant=*/true, [&](Value &value) {
                      for (auto [i, name] :
                           llvm::enumerate(list.getAsValueRange<StringAttr>()))
                        insert(value, string(name), static_cast<int64_t>(i));
                    });
  auto type = LLVM::LLVMStructType::getLiteral(
      context, {i32Type, i32Type, ptrType, ptrType, ptrType, ptrType});
  LLVM::GlobalOp site =
      addData("call_site", type, /*isConstant=*/false, [&](Value &value) {
        insert(value, i32(sizeof(coil_call_site)), 0);
        insert(value, i32(deviceType), 1);
        insert(value, string(op.getFunctionName()), 2);
        std::string origin = findOrigin(op->getLoc());
        insert(value, origin.empty() ? null() : string(origin), 3);
        insert(value,
               names ? LLVM::AddressOfOp::create(b, ptrType, names.getSymName())
                           .getResult()
                     : null(),
               4);
        insert(value, null(), 5);
      });
  return LLVM::AddressOfOp::create(b, ptrType, site.getSymName());
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

LogicalResult HostLowering::fillTensor(Operation *op, Value tensors,
                                       unsigned index, Value shapes,
                                       unsigned shape, Value data,
                                       BufferType type, bool hasLayout) {
  const DeviceInfo *device = getDevice(op, type.getDevice());
  std::optional<int32_t> dtype = getDType(op, type.getElementType());
  if (!device || !dtype)
    return failure();
  unsigned rank = type.getRank(), first = index * kTensorWords;
  auto set = [&](size_t offset, Value v, Type t, size_t bytes) {
    store(v, tensors, static_cast<unsigned>((first * 8 + offset) / bytes), t);
  };
  auto at = [&](unsigned number) -> Value {
    return LLVM::GEPOp::create(
        b, ptrType, i64Type, shapes,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(number)});
  };
  if (hasLayout)
    for (unsigned d = 0; d < rank; ++d) {
      store(value(type.getSizes()[d]), shapes, shape + d, i64Type);
      store(value(type.getStrides()[d]), shapes, shape + rank + d, i64Type);
    }
  set(offsetof(coil_tensor, data), data, ptrType, 8);
  set(offsetof(coil_tensor, sizes), rank ? at(shape) : null(), ptrType, 8);
  set(offsetof(coil_tensor, strides), rank ? at(shape + rank) : null(), ptrType,
      8);
  set(offsetof(coil_tensor, rank), i32(static_cast<int32_t>(rank)), i32Type, 4);
  set(offsetof(coil_tensor, dtype), i32(*dtype), i32Type, 4);
  set(offsetof(coil_tensor, device_type), i32(device->runtimeType), i32Type, 4);
  set(offsetof(coil_tensor, device_index),
      i32(static_cast<int32_t>(type.getDevice().getIndex())), i32Type, 4);
  return success();
}

LogicalResult HostLowering::fillArgument(Operation *op, CallLayout &layout,
                                         Value base, unsigned index,
                                         Attribute argument) {
  int32_t kind = COIL_ARGUMENT_NONE;
  bool isMutable = false;
  int64_t count = 0;
  Value v;
  Type type = i64Type;
  if (isa<UnitAttr>(argument)) {
    OpOperand &operand = op->getOpOperand(
        layout.operands.getBeginOperandIndex() + layout.nextOperand++);
    Value given = operand.get();
    if (auto buffer = dyn_cast<BufferType>(given.getType())) {
      kind = COIL_ARGUMENT_TENSOR;
      isMutable = layout.call.mayWrite(operand);
      unsigned number = layout.nextTensor++;
      if (failed(fillTensor(op, layout.tensors, number, layout.shapes,
                            layout.nextShape, this->buffer(given), buffer,
                            /*hasLayout=*/true)))
        return failure();
      layout.nextShape += 2 * buffer.getRank();
      v = LLVM::GEPOp::create(
          b, ptrType, i64Type, layout.tensors,
          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(number * kTensorWords)});
      type = ptrType;
    } else if (given.getType().isF64()) {
      kind = COIL_ARGUMENT_FLOAT;
      v = this->buffer(given);
      type = b.getF64Type();
    } else {
      kind = COIL_ARGUMENT_BOOL;
      v = LLVM::ZExtOp::create(b, i64Type, this->buffer(given));
    }
  } else if (auto number = dyn_cast<ExprAttr>(argument)) {
    kind = COIL_ARGUMENT_INT;
    v = value(number);
  } else if (auto number = dyn_cast<FloatAttr>(argument)) {
    kind = COIL_ARGUMENT_FLOAT;
    type = b.getF64Type();
    v = LLVM::ConstantOp::create(b, type, number);
  } else if (auto flag = dyn_cast<BoolAttr>(argument)) {
    kind = COIL_ARGUMENT_BOOL;
    v = i64(flag.getValue());
  } else if (auto text = dyn_cast<StringAttr>(argument)) {
    kind = COIL_ARGUMENT_STRING;
    v = string(text.getValue());
    type = ptrType;
  } else if (auto list = dyn_cast<ArrayAttr>(argument)) {
    kind = COIL_ARGUMENT_LIST;
    count = static_cast<int64_t>(list.size());
    unsigned first = layout.nextElement;
    layout.nextElement += static_cast<unsigned>(list.size());
    for (auto [i, element] : llvm::enumerate(list))
      if (failed(fillArgument(op, layout, base,
                              first + static_cast<unsigned>(i), element)))
        return failure();
    v = LLVM::GEPOp::create(
        b, ptrType, i64Type, base,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(first * kArgumentWords)});
    type = ptrType;
  } else if (!isNoneArgument(argument)) {
    kind = COIL_ARGUMENT_DTYPE;
    std::optional<int32_t> dtype =
        getDType(op, cast<TypeAttr>(argument).getValue());
    if (!dtype)
      return failure();
    v = i64(*dtype);
  }
  auto set32 = [&](size_t offset, int32_t number) {
    store(i32(number), base,
          static_cast<unsigned>(index * kArgumentWords * 2 + offset / 4),
          i32Type);
  };
  set32(offsetof(coil_argument, kind), kind);
  set32(offsetof(coil_argument, is_mutable), isMutable);
  unsigned word = index * kArgumentWords;
  store(i64(count), base, word + offsetof(coil_argument, count) / 8, i64Type);
  store(v ? v : i64(0), base, word + offsetof(coil_argument, value) / 8, type);
  return success();
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

LogicalResult HostLowering::lower(HostCallOpInterface op) {
  DeviceAttr deviceAttr = op.getCallDevice();
  const DeviceInfo *device = getDevice(op, deviceAttr);
  if (!device)
    return failure();
  auto type = [](Value v) { return dyn_cast<BufferType>(v.getType()); };
  ArrayAttr arguments = op.getCallArguments();
  OperandRange outputs = op.getCallOutputs();
  ResultRange made = op.getCallResults();
  CallLayout layout{{}, {}, {}, static_cast<unsigned>(arguments.size()),
                    0,  0,  op, op.getCallOperands()};
  unsigned numTensors = static_cast<unsigned>(made.size()), shapeWords = 0;
  for (Value v : op->getOperands())
    if (auto buffer = type(v)) {
      ++numTensors;
      shapeWords += 2 * buffer.getRank();
    }
  for (Value v : made)
    shapeWords += 2 * type(v).getRank();
  unsigned numArguments = countArguments(arguments);
  layout.arguments = numArguments
                         ? scratch(kArguments, numArguments * kArgumentWords)
                         : null();
  layout.tensors =
      numTensors ? scratch(kTensors, numTensors * kTensorWords) : null();
  layout.shapes = shapeWords ? scratch(kShapes, shapeWords) : null();

  for (auto [i, argument] : llvm::enumerate(arguments))
    if (failed(fillArgument(op, layout, layout.arguments,
                            static_cast<unsigned>(i), argument)))
      return failure();
  auto tensorAt = [&](unsigned number) -> Value {
    return LLVM::GEPOp::create(
        b, ptrType, i64Type, layout.tensors,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(number * kTensorWords)});
  };
  unsigned firstOutput = layout.nextTensor;
  for (Value v : outputs) {
    if (failed(fillTensor(op, layout.tensors, layout.nextTensor++,
                          layout.shapes, layout.nextShape, buffer(v), type(v),
                          /*hasLayout=*/true)))
      return failure();
    layout.nextShape += 2 * type(v).getRank();
  }
  unsigned firstResult = layout.nextTensor, firstShape = layout.nextShape;
  for (Value v : made) {
    if (failed(fillTensor(op, layout.tensors, layout.nextTensor++,
                          layout.shapes, layout.nextShape, null(), type(v),
                          /*hasLayout=*/false)))
      return failure();
    layout.nextShape += 2 * type(v).getRank();
  }
  Value results = !made.empty() ? tensorAt(firstResult) : null();
  auto number = [&](size_t count) { return i64(static_cast<int64_t>(count)); };
  call("coil_rt_call",
       {now.run, callSite(op, device->runtimeType), number(arguments.size()),
        layout.arguments, number(outputs.size()),
        outputs.empty() ? null() : tensorAt(firstOutput), number(made.size()),
        results});
  std::string place = findOrigin(op->getLoc());
  hostFunctions.insert(b.getArrayAttr({b.getStringAttr(op.getFunctionName()),
                                       b.getI32IntegerAttr(device->runtimeType),
                                       b.getStringAttr(place)}));

  if (!made.empty())
    receiveResults(op, results, layout.shapes, firstShape);
  // A token has no value: what was started is found by its buffers.
  for (Value v : op->getResults())
    if (isa<TokenType>(v.getType()))
      setBuffer(v, null());
  return success();
}
