//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls of host functions in the interpreter: by the runtime, as compiled
// programs make them, on the interpreter's storage.
//
//===----------------------------------------------------------------------===//

#include "HostCall.h"

#include "GraphModels.h"
#include "HostActivation.h"
#include "coil/Dialect/Sym/IR/CallArguments.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "coil/Runtime/HostABI.h"

#include <cstring>

using namespace mlir;
using namespace coil;
using namespace coil::reference;
using namespace coil::wrapper;
using sym::ExprAttr;

//===----------------------------------------------------------------------===//
// HostCall
//===----------------------------------------------------------------------===//

coil_argument HostCall::makeArgument(Operation *op, Attribute argument,
                                     bool &isWrong) {
  coil_argument result = {};
  if (isa<UnitAttr>(argument))
    return nextOperand(isWrong);
  if (auto number = dyn_cast<ExprAttr>(argument)) {
    result.kind = COIL_ARGUMENT_INT;
    FailureOr<int64_t> value = evaluate(number);
    isWrong |= failed(value);
    result.value.integer = failed(value) ? 0 : *value;
  } else if (auto number = dyn_cast<FloatAttr>(argument)) {
    result.kind = COIL_ARGUMENT_FLOAT;
    result.value.number = number.getValueAsDouble();
  } else if (auto flag = dyn_cast<BoolAttr>(argument)) {
    result.kind = COIL_ARGUMENT_BOOL;
    result.value.integer = flag.getValue();
  } else if (auto text = dyn_cast<StringAttr>(argument)) {
    result.kind = COIL_ARGUMENT_STRING;
    result.value.string = strings.emplace_back(text.str()).c_str();
  } else if (auto list = dyn_cast<ArrayAttr>(argument)) {
    std::vector<coil_argument> elements;
    for (Attribute element : list)
      elements.push_back(makeArgument(op, element, isWrong));
    result.kind = COIL_ARGUMENT_LIST;
    result.count = static_cast<int64_t>(elements.size());
    result.value.elements = lists.emplace_back(std::move(elements)).data();
  } else if (!isNoneArgument(argument)) {
    Type type = cast<TypeAttr>(argument).getValue();
    std::optional<DType> dtype = reference::getDType(type);
    if (!dtype) {
      op->emitError() << "cannot pass the element type " << type;
      isWrong = true;
    }
    result.kind = COIL_ARGUMENT_DTYPE;
    result.value.integer = dtype ? static_cast<int64_t>(*dtype) : 0;
  }
  return result;
}

coil_tensor HostCall::makeTensor(DType dtype, ArrayRef<int64_t> sizes,
                                 ArrayRef<int64_t> strides, void *data) {
  auto &shape = shapes.emplace_back(sizes.begin(), sizes.end());
  shape.insert(shape.end(), strides.begin(), strides.end());
  shape.resize(std::max<size_t>(shape.size(), 1));
  return {data,
          shape.data(),
          shape.data() + sizes.size(),
          static_cast<int32_t>(sizes.size()),
          static_cast<int32_t>(dtype),
          COIL_CPU,
          0};
}

coil_argument HostCall::makeTensorArgument(coil_tensor tensor, bool isMutable) {
  coil_argument result = {};
  result.kind = COIL_ARGUMENT_TENSOR;
  result.is_mutable = isMutable;
  result.value.tensor = &tensors.emplace_back(tensor);
  return result;
}

HostCall::~HostCall() { coil_run_destroy(handle); }

LogicalResult HostCall::run(Operation *op, StringRef function,
                            ArrayAttr arguments, ArrayAttr names,
                            ArrayRef<coil_tensor> outputs,
                            MutableArrayRef<coil_tensor> results) {
  std::vector<coil_argument> list;
  bool isWrong = false;
  for (Attribute argument : arguments)
    list.push_back(makeArgument(op, argument, isWrong));
  if (isWrong)
    return failure();
  std::vector<const char *> nameList;
  if (names)
    for (auto name : names.getAsValueRange<StringAttr>())
      nameList.push_back(strings.emplace_back(name.str()).c_str());
  std::string name = function.str();
  // A library function may have another one as its meaning.
  if (std::string reference = name + ".reference";
      coil_find_function(reference.c_str(), COIL_CPU, nullptr) == COIL_OK)
    name = std::move(reference);
  coil_call_site site = {sizeof(coil_call_site),
                         COIL_CPU,
                         name.c_str(),
                         nullptr,
                         names ? nameList.data() : nullptr,
                         nullptr};
  if ((!*shared && coil_run_create(shared) != COIL_OK) ||
      coil_rt_call(*shared, &site, static_cast<int64_t>(list.size()),
                   list.data(), static_cast<int64_t>(outputs.size()),
                   outputs.data(), static_cast<int64_t>(results.size()),
                   results.data()) != COIL_OK)
    return op->emitError(coil_last_error());
  return success();
}

//===----------------------------------------------------------------------===//
// Host programs
//===----------------------------------------------------------------------===//

HostActivation::~HostActivation() { coil_run_destroy(hostRun); }

LogicalResult HostActivation::run(HostCallOpInterface op) {
  // Buffers of all devices are the interpreter's own, which a function for the
  // CPU takes.
  OperandRange operands = op.getCallOperands();
  unsigned next = operands.empty() ? 0 : operands.getBeginOperandIndex();
  bool failedView = false;
  auto tensorOf = [&](HostCall &call, Value v) -> coil_tensor {
    FailureOr<HostView> seen = view(op, v);
    failedView |= failed(seen);
    if (failed(seen))
      return {};
    return call.makeTensor(seen->dtype, seen->shape.sizes, seen->shape.strides,
                           seen->data);
  };
  HostCall call([&](ExprAttr e) { return frame.evaluate(op, e); },
                [&](HostCall &self, bool &isWrong) -> coil_argument {
                  OpOperand &operand = op->getOpOperand(next++);
                  Value v = operand.get();
                  coil_argument argument = {};
                  if (isa<BufferType>(v.getType())) {
                    bool isMutable = op.mayWrite(operand);
                    if (isMutable && values[v].memory->isConstant) {
                      op->emitError("writes to a literal");
                      isWrong = true;
                    }
                    argument =
                        self.makeTensorArgument(tensorOf(self, v), isMutable);
                    isWrong |= failedView;
                  } else if (isa<ObjectType>(v.getType())) {
                    argument.kind = COIL_ARGUMENT_OBJECT;
                    argument.value.object = values[v].object;
                  } else if (v.getType().isF64()) {
                    argument.kind = COIL_ARGUMENT_FLOAT;
                    argument.value.number = values[v].scalar.f;
                  } else {
                    argument.kind = COIL_ARGUMENT_BOOL;
                    argument.value.integer = values[v].scalar.i != 0;
                  }
                  return argument;
                },
                &hostRun);
  SmallVector<coil_tensor> outputs, results;
  for (Value v : op.getCallOutputs()) {
    outputs.push_back(tensorOf(call, v));
    if (!failedView && values[v].memory->isConstant)
      return op->emitError("writes to a literal");
  }
  if (failedView)
    return failure();
  for (Value v : op.getCallResults()) {
    auto type = cast<BufferType>(v.getType());
    std::optional<DType> dtype = reference::getDType(type.getElementType());
    if (!dtype)
      return op->emitError() << "cannot hold a value of type " << type;
    SmallVector<int64_t> none(type.getRank());
    results.push_back(call.makeTensor(*dtype, none, none, nullptr));
  }
  if (failed(frame.spend(op, 1)) ||
      failed(call.run(op, op.getFunctionName(), op.getCallArguments(),
                      op.getArgumentNames(), outputs, results)))
    return failure();
  for (auto [v, tensor] : llvm::zip(op.getCallResults(), results)) {
    HostShape shape;
    auto rank = static_cast<size_t>(tensor.rank);
    shape.sizes.assign(tensor.sizes, tensor.sizes + rank);
    shape.strides.assign(tensor.strides, tensor.strides + rank);
    int64_t bytes = coil_dtype_size(tensor.dtype);
    for (int64_t size : shape.sizes)
      bytes *= size;
    FailureOr<Tensor> memory = frame.allocate(op, DType::U8, bytes);
    if (failed(memory))
      return failure();
    std::memcpy(memory->getData(), tensor.data, static_cast<size_t>(bytes));
    (void)coil_rt_free(hostRun, tensor.data);
    interpreter.countStorage(bytes);
    values[v] = {HostMemory::create(*memory)};
    shapes[v] = std::move(shape);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// What is around a program
//===----------------------------------------------------------------------===//

LogicalResult HostActivation::run(DropOp op) {
  HostValue &value = values[op.getSource()];
  if (value.object) {
    if (coil_rt_drop_object(hostRun, value.object) != COIL_OK)
      return op.emitError(coil_last_error());
    value.object = nullptr;
    return success();
  }
  if (!value.memory)
    return op.emitError("releases an object twice");
  if (failed(checkAlive(op, value)))
    return failure();
  value.memory->ended = op;
  return success();
}

LogicalResult HostActivation::run(CommentOp) { return success(); }

LogicalResult HostActivation::run(BoundObjectOp op) {
  auto type = cast<ObjectType>(op.getType());
  HostValue &value = values[op];
  if ((!hostRun && coil_run_create(&hostRun) != COIL_OK) ||
      coil_rt_bound_object(hostRun, op.getName().str().c_str(),
                           type.getClassName().str().c_str(),
                           &value.object) != COIL_OK)
    return op.emitError(coil_last_error());
  return success();
}

/// The caller's tensors are copies here.
LogicalResult HostActivation::run(ResizeStorageOp op) {
  HostValue value = values[op.getSource()];
  if (failed(checkAlive(op, value)))
    return failure();
  auto memory = allocate(op, cast<BufferType>(op.getType()).getStorageBytes());
  if (failed(memory))
    return failure();
  int64_t kept =
      std::min(value.memory->length - value.offset, (*memory)->length);
  std::memcpy((*memory)->bytes.getData(),
              value.memory->bytes.getData() + value.memory->begin +
                  value.offset,
              static_cast<size_t>(std::max<int64_t>(kept, 0)));
  value.memory->ended = op;
  values[op] = {std::move(*memory)};
  return success();
}

LogicalResult HostActivation::run(SetStorageOp op) {
  if (failed(checkAlive(op, values[op.getTarget()])) ||
      failed(checkAlive(op, values[op.getSource()])))
    return failure();
  values[op.getTarget()].memory->ended = op;
  return success();
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

namespace {

struct CustomCallModel
    : ReferenceOpInterface::ExternalModel<CustomCallModel,
                                          graph::CustomCallOp> {
  LogicalResult evaluate(Operation *op, Frame &frame, ArrayRef<Tensor> operands,
                         SmallVectorImpl<Tensor> &results) const {
    auto custom = cast<graph::CustomCallOp>(op);
    ArrayRef<int64_t> mutates =
        custom.getMutates().value_or(ArrayRef<int64_t>());
    // What the function writes is a copy.
    SmallVector<Tensor> given(operands);
    for (int64_t i : mutates) {
      Tensor &tensor = given[static_cast<size_t>(i)];
      FailureOr<Tensor> copy =
          frame.allocate(op, tensor.getDType(), tensor.getSizes());
      if (failed(copy))
        return failure();
      std::memcpy(copy->getData(), tensor.getData(),
                  static_cast<size_t>(tensor.getNumElements() *
                                      getByteSize(tensor.getDType())));
      tensor = *copy;
    }
    auto tensorOf = [](HostCall &call, const Tensor &tensor) {
      return call.makeTensor(tensor.getDType(), tensor.getSizes(),
                             getContiguousStrides(tensor.getSizes()),
                             tensor.getData());
    };
    size_t next = 0;
    HostCall call([&](ExprAttr e) { return frame.evaluate(op, e); },
                  [&](HostCall &self, bool &) {
                    size_t i = next++;
                    return self.makeTensorArgument(
                        tensorOf(self, given[i]),
                        llvm::is_contained(mutates, static_cast<int64_t>(i)));
                  });
    // Sizes that only the function knows are its to say.
    bool allocates = custom.getDefines() && !custom.getDefines()->empty();
    SmallVector<coil_tensor> outputs, made;
    for (OpResult result :
         custom->getResults().take_front(custom.getNumGiven())) {
      auto type = cast<RankedTensorType>(result.getType());
      if (allocates) {
        // The graph has no tensors of other types.
        DType dtype = *reference::getDType(type.getElementType());
        SmallVector<int64_t> none(static_cast<size_t>(type.getRank()));
        made.push_back(call.makeTensor(dtype, none, none, nullptr));
        continue;
      }
      FailureOr<Tensor> tensor = frame.allocate(op, type);
      if (failed(tensor))
        return failure();
      results.push_back(*tensor);
      outputs.push_back(tensorOf(call, *tensor));
    }
    if (failed(call.run(op, custom.getCallee(), custom.getArguments(),
                        custom.getNamesAttr(), outputs, made)))
      return failure();
    for (const coil_tensor &tensor : made) {
      auto rank = static_cast<size_t>(tensor.rank);
      results.push_back(Tensor::fromStrided(
          static_cast<DType>(tensor.dtype), {tensor.sizes, rank},
          {tensor.strides, rank}, tensor.data));
    }
    for (StringRef name : custom.getBoundSymbols()) {
      auto source = custom.findSymbol(name);
      int64_t size = results[source->result].getSizes()[source->dim];
      if (size % source->divisor != 0)
        return op->emitError()
               << "size " << source->dim
               << " of a result is not a multiple of its divisor (got " << size
               << " and " << source->divisor << ")";
      if (failed(frame.bindSymbol(op, name, size / source->divisor)))
        return failure();
    }
    for (int64_t i : mutates)
      results.push_back(given[static_cast<size_t>(i)]);
    return success();
  }
};

} // namespace

void reference::registerGraphCallModels(MLIRContext *context) {
  graph::CustomCallOp::attachInterface<CustomCallModel>(*context);
}
