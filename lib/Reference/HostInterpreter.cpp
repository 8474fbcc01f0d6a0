//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Host programs in the interpreter: memory, symbols, launches, control flow.
//
//===----------------------------------------------------------------------===//

#include "coil/Reference/HostInterpreter.h"

#include "HostActivation.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "coil/Runtime/HostABI.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cstring>

using namespace mlir;
using namespace coil;
using namespace coil::reference;
using namespace coil::wrapper;
using sym::ExprAttr;

/// What storage holds before it is written.
static constexpr char kUnwritten = char(0xa5);

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

std::optional<std::pair<int64_t, int64_t>>
reference::getExtent(const HostShape &shape) {
  int64_t first = 0, last = 0;
  for (auto [size, stride] : llvm::zip(shape.sizes, shape.strides)) {
    if (size <= 0)
      return std::nullopt;
    (stride < 0 ? first : last) += (size - 1) * stride;
  }
  return std::pair(first, last);
}

FailureOr<SmallVector<int64_t>>
HostActivation::evaluate(Operation *op, ArrayRef<ExprAttr> exprs) {
  SmallVector<int64_t> numbers;
  for (ExprAttr e : exprs) {
    FailureOr<int64_t> value = frame.evaluate(op, e);
    if (failed(value))
      return failure();
    numbers.push_back(*value);
  }
  return numbers;
}

FailureOr<HostShape> HostActivation::getShape(Operation *op, BufferType type) {
  auto sizes = evaluate(op, type.getSizes().getDims());
  auto strides = evaluate(op, type.getStrides().getDims());
  if (failed(sizes) || failed(strides))
    return failure();
  if (!Tensor::countElements(*sizes))
    return op->emitError("has a negative or unrepresentable size");
  return HostShape{std::move(*sizes), std::move(*strides)};
}

LogicalResult HostActivation::checkAlive(Operation *op,
                                         const HostValue &value) {
  if (!value.memory->ended)
    return success();
  InFlightDiagnostic diag = op->emitError("uses storage whose life has ended");
  diag.attachNote(value.memory->ended->getLoc()) << "it ended here";
  return diag;
}

FailureOr<HostView> HostActivation::view(Operation *op, Value buffer) {
  auto type = cast<BufferType>(buffer.getType());
  std::optional<DType> dtype = reference::getDType(type.getElementType());
  FailureOr<HostShape> shape = getShape(op, type);
  if (failed(shape))
    return failure();
  if (!dtype)
    return op->emitError() << "cannot hold a value of type " << type;
  const HostValue &value = values[buffer];
  if (failed(checkAlive(op, value)))
    return failure();
  if (auto extent = getExtent(*shape)) {
    int64_t bytes = getByteSize(*dtype);
    int64_t begin = value.offset + extent->first * bytes,
            end = value.offset + (extent->second + 1) * bytes;
    if (begin < 0 || end > value.memory->length)
      return op->emitError() << "touches the bytes [" << begin << ", " << end
                             << ") of storage with " << value.memory->length;
  }
  return HostView{*dtype, std::move(*shape),
                  value.memory->bytes.getData() + value.memory->begin +
                      value.offset};
}

FailureOr<Tensor> HostActivation::read(Operation *op, Value buffer) {
  FailureOr<HostView> v = view(op, buffer);
  if (failed(v))
    return failure();
  return Tensor::fromStrided(v->dtype, v->shape.sizes, v->shape.strides,
                             v->data);
}

LogicalResult HostActivation::write(Operation *op, Value buffer,
                                    const Tensor &tensor) {
  FailureOr<HostView> v = view(op, buffer);
  if (failed(v))
    return failure();
  if (values[buffer].memory->isConstant)
    return op->emitError("writes to a literal");
  assert(v->dtype == tensor.getDType() &&
         ArrayRef<int64_t>(v->shape.sizes) == tensor.getSizes() &&
         "the verifiers compare what ops give with the buffers");
  tensor.toStrided(v->shape.strides, v->data);
  return success();
}

std::shared_ptr<HostMemory> HostMemory::create(Tensor bytes) {
  auto memory = std::make_shared<HostMemory>();
  memory->length = bytes.getNumElements();
  memory->bytes = std::move(bytes);
  return memory;
}

FailureOr<std::shared_ptr<HostMemory>> HostActivation::allocate(Operation *op,
                                                                ExprAttr size) {
  FailureOr<int64_t> bytes = frame.evaluate(op, size);
  if (failed(bytes))
    return failure();
  FailureOr<Tensor> memory = frame.allocate(op, DType::U8, *bytes);
  if (failed(memory))
    return failure();
  std::memset(memory->getData(), kUnwritten,
              static_cast<size_t>(memory->getNumElements()));
  interpreter.countStorage(*bytes);
  return HostMemory::create(*memory);
}

LogicalResult HostActivation::run(AllocOp op) {
  auto type = cast<BufferType>(op.getType());
  if (failed(getShape(op, type)))
    return failure();
  auto memory = allocate(op, type.getStorageBytes());
  if (failed(memory))
    return failure();
  values[op] = {std::move(*memory)};
  return success();
}

LogicalResult HostActivation::run(PoolOp op) {
  auto memory = allocate(op, op.getBytes());
  if (failed(memory))
    return failure();
  values[op] = {std::move(*memory)};
  return success();
}

LogicalResult HostActivation::run(PoolAllocOp op) {
  auto type = cast<BufferType>(op.getType());
  HostValue value = values[op.getPool()];
  FailureOr<int64_t> offset = frame.evaluate(op, op.getOffset());
  FailureOr<int64_t> bytes = frame.evaluate(op, type.getStorageBytes());
  if (failed(offset) || failed(bytes) || failed(getShape(op, type)) ||
      failed(checkAlive(op, value)))
    return failure();
  HostMemory &pool = *value.memory;
  int64_t begin = *offset, length = std::max<int64_t>(*bytes, 0);
  if (begin < 0 || length > pool.length || begin > pool.length - length)
    return op.emitError() << "carves the bytes [" << begin << ", "
                          << begin + length << ") of a pool with "
                          << pool.length;
  llvm::erase_if(pool.carved, [](const auto &m) { return m->ended; });
  for (const auto &other : pool.carved)
    if (begin < other->begin + other->length && other->begin < begin + length)
      return op.emitError()
             << "carves the bytes [" << begin << ", " << begin + length
             << ") of a pool whose bytes [" << other->begin << ", "
             << other->begin + other->length << ") are in use";
  auto memory = std::make_shared<HostMemory>();
  memory->bytes = pool.bytes;
  memory->begin = begin;
  memory->length = length;
  memory->pool = value.memory;
  std::memset(memory->bytes.getData() + begin, kUnwritten,
              static_cast<size_t>(length));
  pool.carved.push_back(memory);
  values[op] = {std::move(memory)};
  return success();
}

LogicalResult HostActivation::run(PoolReleaseOp op) {
  return endStorage(op, op.getSource());
}

LogicalResult HostActivation::run(PoolFreeOp op) {
  HostValue &value = values[op.getPool()];
  if (failed(checkAlive(op, value)))
    return failure();
  for (const auto &memory : value.memory->carved)
    if (!memory->ended)
      return op.emitError()
             << "frees a pool whose bytes [" << memory->begin << ", "
             << memory->begin + memory->length << ") are in use";
  value.memory->ended = op;
  value.memory->carved.clear();
  interpreter.countStorage(-value.memory->length);
  value.memory->bytes = Tensor();
  return success();
}

LogicalResult HostActivation::checkOwnsMemory(Operation *op,
                                              const HostValue &value) {
  if (!value.memory || value.memory->pool.expired())
    return success();
  return op->emitError("passes on storage that is part of a pool");
}

LogicalResult HostActivation::run(ConstantOp op) {
  std::optional<Tensor> tensor = Tensor::fromAttribute(op.getValue());
  if (!tensor)
    return op.emitError("has an unsupported literal");
  int64_t bytes = tensor->getNumElements() * getByteSize(tensor->getDType());
  auto storage = HostMemory::create(Tensor(DType::U8, bytes));
  std::memcpy(storage->bytes.getData(), tensor->getData(),
              static_cast<size_t>(bytes));
  storage->isConstant = true;
  values[op] = {std::move(storage)};
  return success();
}

LogicalResult HostActivation::endStorage(Operation *op, Value buffer) {
  HostValue &value = values[buffer];
  if (failed(checkAlive(op, value)) ||
      failed(checkNotInFlight(op, *value.memory)))
    return failure();
  value.memory->ended = op;
  if (value.memory->pool.expired())
    interpreter.countStorage(-value.memory->length);
  value.memory->bytes = Tensor();
  return success();
}

LogicalResult HostActivation::run(FreeOp op) {
  return endStorage(op, op.getSource());
}

LogicalResult HostActivation::run(ReuseOp op) {
  HostValue value = values[op.getSource()];
  if (failed(checkAlive(op, value)) ||
      failed(checkNotInFlight(op, *value.memory)))
    return failure();
  // The old name is dead, the bytes are not.
  auto storage = std::make_shared<HostMemory>(*value.memory);
  value.memory->ended = op;
  if (auto pool = storage->pool.lock())
    pool->carved.push_back(storage);
  values[op] = {std::move(storage), value.offset};
  return success();
}

LogicalResult HostActivation::run(ReinterpretOp op) {
  HostValue value = values[op.getSource()];
  FailureOr<int64_t> offset = frame.evaluate(op, op.getOffset());
  if (failed(offset) || failed(checkAlive(op, value)))
    return failure();
  value.offset += *offset * cast<BufferType>(op.getType()).getElementBytes();
  values[op] = value;
  return success();
}

LogicalResult HostActivation::run(CopyOp op) {
  FailureOr<Tensor> tensor = read(op, op.getSource());
  return failed(tensor) ? failure() : write(op, op.getTarget(), *tensor);
}

/// All memory is the host's here.
LogicalResult HostActivation::run(TransferOp op) {
  FailureOr<Tensor> tensor = read(op, op.getSource());
  return failed(tensor) ? failure() : write(op, op.getTarget(), *tensor);
}

LogicalResult HostActivation::run(FillOp op) {
  FailureOr<HostView> v = view(op, op.getTarget());
  if (failed(v))
    return failure();
  if (values[op.getTarget()].memory->isConstant)
    return op.emitError("writes to a literal");
  int64_t bytes = getByteSize(v->dtype);
  for (int64_t size : v->shape.sizes)
    bytes *= size;
  std::memset(v->data, static_cast<int>(op.getValue()),
              static_cast<size_t>(bytes));
  return success();
}

LogicalResult HostActivation::run(WorkspaceOp op) {
  HostValue *shared = nullptr;
  if (op.getName()) {
    shared = &workspaces[*op.getName()];
    if (shared->memory) {
      values[op] = *shared;
      return success();
    }
  }
  auto type = cast<BufferType>(op.getType());
  if (failed(getShape(op, type)))
    return failure();
  auto memory = allocate(op, type.getStorageBytes());
  if (failed(memory))
    return failure();
  if (op.getZero() != ZeroMode::Uninitialized)
    std::memset((*memory)->bytes.getData(), 0,
                static_cast<size_t>((*memory)->length));
  values[op] = {std::move(*memory)};
  if (shared)
    *shared = values[op];
  return success();
}

//===----------------------------------------------------------------------===//
// Launches and calls
//===----------------------------------------------------------------------===//

LogicalResult HostActivation::run(LaunchOp op) {
  auto kernel =
      SymbolTable::lookupNearestSymbolFrom<KernelOp>(op, op.getCalleeAttr());
  loop::KernelOp body = kernel ? kernel.getLoopKernel() : loop::KernelOp();
  auto model = body ? dyn_cast<ReferenceOpInterface>(body.getOperation())
                    : ReferenceOpInterface();
  if (!model)
    return op.emitError() << "kernel '" << op.getCallee()
                          << "' is no value function any more";
  Frame inner(interpreter);
  auto numbers = evaluate(op, op.getSymbols().getDims());
  if (failed(numbers))
    return failure();
  for (auto [name, value] : llvm::zip(kernel.getSymbols(), *numbers))
    inner.setSymbol(cast<StringAttr>(name).getValue(), value);
  SmallVector<Tensor> inputs, outputs;
  for (Value v : op.getInputs()) {
    FailureOr<Tensor> tensor = read(op, v);
    if (failed(tensor))
      return failure();
    inputs.push_back(*tensor);
  }
  if (failed(model.evaluate(inner, inputs, outputs)))
    return failure();
  for (auto [v, tensor] : llvm::zip(op.getOutputs(), outputs))
    if (failed(write(op, v, tensor)))
      return failure();
  return success();
}

template <typename OpT>
LogicalResult HostActivation::runCall(OpT op, ArrayRef<int64_t> symbols) {
  auto callee =
      SymbolTable::lookupNearestSymbolFrom<FuncOp>(op, op.getCalleeAttr());
  if (!callee || callee.isExternal())
    return op.emitError() << "no function '" << op.getCallee() << "'";
  if (depth >= interpreter.getOptions().maxCallDepth)
    return op.emitError() << "exceeds the limit of "
                          << interpreter.getOptions().maxCallDepth
                          << " nested calls";
  HostActivation call(callee, interpreter, depth + 1);
  call.parameters.assign(symbols.begin(), symbols.end());
  SmallVector<std::shared_ptr<HostMemory>> consumed;
  for (OpOperand &operand : op->getOpOperands()) {
    HostValue value = values[operand.get()];
    FailureOr<HostShape> shape =
        getShape(op, cast<BufferType>(operand.get().getType()));
    if (failed(shape) || failed(checkAlive(op, value)))
      return failure();
    if (op.isConsumed(operand.getOperandNumber())) {
      // The callee's from here on.
      if (failed(checkOwnsMemory(op, value)))
        return failure();
      consumed.push_back(value.memory);
    }
    // The callee lets go of its own name.
    auto storage = std::make_shared<HostMemory>(*value.memory);
    value.memory = std::move(storage);
    call.setArgument(operand.getOperandNumber(), std::move(value),
                     std::move(*shape));
  }
  for (auto &memory : consumed)
    memory->ended = op;
  if (failed(call.run()))
    return failure();
  for (OpResult result : op->getResults()) {
    values[result] = call.results[result.getResultNumber()];
    shapes[result] = call.resultShapes[result.getResultNumber()];
  }
  return success();
}

LogicalResult HostActivation::run(InvokeOp op) { return runCall(op, {}); }

LogicalResult HostActivation::run(PartitionCallOp op) {
  auto numbers = evaluate(op, op.getSymbolExprs());
  return failed(numbers) ? failure() : runCall(op, *numbers);
}

LogicalResult HostActivation::run(ParamSymbolsOp op) {
  // Calls are verified; a function may also be run by itself.
  if (parameters.size() != op.getSymbols().size())
    return op.emitOpError("binds ")
           << op.getSymbols().size()
           << " symbols, but its function is run with " << parameters.size();
  for (auto [name, value] :
       llvm::zip(op.getSymbols().getAsRange<StringAttr>(), parameters))
    if (failed(bind(op, name.getValue(), value)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

SmallVector<HostValue> HostActivation::gather(ValueRange list) {
  return llvm::map_to_vector(list, [&](Value v) { return values[v]; });
}

LogicalResult HostActivation::follow(Operation *op,
                                     SmallVector<HostValue> given,
                                     ValueRange targets,
                                     std::optional<ArrayAttr> symbols,
                                     ArrayRef<int64_t> numbers) {
  for (auto [target, value] : llvm::zip(targets, given)) {
    if (value.memory) {
      if (failed(checkAlive(op, value)) || failed(checkOwnsMemory(op, value)))
        return failure();
      // Storage has a new owner; the old name is dead.
      auto storage = std::make_shared<HostMemory>(*value.memory);
      value.memory->ended = op;
      value.memory = std::move(storage);
    }
    values[target] = std::move(value);
  }
  if (symbols)
    for (auto [name, value] :
         llvm::zip(symbols->getAsRange<StringAttr>(), numbers))
      if (failed(bind(op, name.getValue(), value)))
        return failure();
  return success();
}

/// The expressions of a list that may be absent.
static ArrayRef<ExprAttr> getExprs(std::optional<sym::ShapeAttr> list) {
  return list ? list->getDims() : ArrayRef<ExprAttr>();
}

LogicalResult HostActivation::run(IfOp op) {
  FailureOr<bool> predicate = getPredicate(op, op.getPredicate());
  if (failed(predicate))
    return failure();
  Block &block = (*predicate ? op.getThenRegion() : op.getElseRegion()).front();
  if (failed(runBlock(block)))
    return failure();
  auto yield = cast<YieldOp>(block.getTerminator());
  auto numbers = evaluate(yield, getExprs(yield.getSymbols()));
  return failed(numbers) ? failure()
                         : follow(yield, gather(yield.getValues()),
                                  op.getResults(), op.getDefines(), *numbers);
}

template <typename OpT>
LogicalResult HostActivation::runInPlace(OpT op) {
  Block &block = op.getBody().front();
  if (failed(runBlock(block)))
    return failure();
  auto yield = cast<YieldOp>(block.getTerminator());
  return follow(yield, gather(yield.getValues()), op.getResults(), std::nullopt,
                {});
}

LogicalResult HostActivation::run(PartitionOp op) { return runInPlace(op); }
LogicalResult HostActivation::run(DeviceScopeOp op) { return runInPlace(op); }
LogicalResult HostActivation::run(ProfileRangeOp op) { return runInPlace(op); }

LogicalResult HostActivation::run(WhileOp op) {
  Block &condition = op.getCondition().front(), &body = op.getBody().front();
  auto pass = cast<ConditionOp>(condition.getTerminator());
  auto yield = cast<YieldOp>(body.getTerminator());
  auto numbers = evaluate(op, getExprs(op.getFrom()));
  if (failed(numbers) ||
      failed(follow(op, gather(op.getInits()), condition.getArguments(),
                    op.getSymbols(), *numbers)))
    return failure();
  while (true) {
    if (failed(frame.spend(op, 1)) || failed(runBlock(condition)))
      return failure();
    bool again = values[pass.getPredicate()].scalar.i != 0;
    ValueRange targets =
        again ? ValueRange(body.getArguments()) : ValueRange(op.getResults());
    if (failed(
            follow(pass, gather(pass.getValues()), targets, std::nullopt, {})))
      return failure();
    if (!again)
      return success();
    if (failed(runBlock(body)))
      return failure();
    numbers = evaluate(yield, getExprs(yield.getSymbols()));
    if (failed(numbers) ||
        failed(follow(yield, gather(yield.getValues()),
                      condition.getArguments(), op.getSymbols(), *numbers)))
      return failure();
  }
}

LogicalResult HostActivation::runBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(frame.spend(&op, 1)) || failed(run(&op)))
      return failure();
  return success();
}

LogicalResult HostActivation::run(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<InputSymbolOp, SymExprOp, wrapper::AssertOp, AssertLayoutOp,
            AllocOp, ConstantOp, FreeOp, ReuseOp, ReinterpretOp, CopyOp, FillOp,
            TransferOp, WorkspaceOp, PoolOp, PoolAllocOp, PoolReleaseOp,
            PoolFreeOp, LaunchOp, LaunchUserOp, TMADescriptorOp, IfOp, WhileOp,
            InvokeOp, PartitionOp, DeviceScopeOp, PartitionCallOp,
            ParamSymbolsOp, ItemOp, BindSymbolOp, CompareOp, ContractionOp,
            ConvolutionOp, AttentionOp, SortOp, CheckLifetimeOp, DebugMarkOp,
            DebugValueOp, DropOp, CommentOp, ProfileRangeOp, BoundObjectOp,
            ResizeStorageOp, SetStorageOp, CommAllocOp, CommFreeOp, StreamOp,
            RecordEventOp, WaitEventOp>([&](auto o) { return run(o); })
      .Case([&](HostCallOpInterface o) {
        LogicalResult result = run(o);
        if (succeeded(result))
          noteCollective(o);
        return result;
      })
      .Default([&](Operation *o) { return runScalar(o); });
}

void HostActivation::setArgument(unsigned i, HostValue value, HostShape shape) {
  BlockArgument arg = fn.getArgument(i);
  values[arg] = std::move(value);
  shapes[arg] = std::move(shape);
}

LogicalResult HostActivation::run() {
  Block &block = fn.getBody().front();
  if (failed(runBlock(block)))
    return failure();
  Operation *end = block.getTerminator();
  for (const auto &[token, memories] : inFlight)
    return emitError(token.getLoc(), "nothing has waited for the collective");
  for (Value v : end->getOperands()) {
    FailureOr<HostShape> shape = getShape(end, cast<BufferType>(v.getType()));
    FailureOr<Tensor> tensor = read(end, v);
    if (failed(shape) || failed(tensor) ||
        failed(checkOwnsMemory(end, values[v])))
      return failure();
    results.push_back(values[v]);
    resultShapes.push_back(std::move(*shape));
    resultTensors.push_back(*tensor);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// HostInterpreter
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<Tensor>>
HostInterpreter::run(FuncOp fn, ArrayRef<HostArgument> arguments) {
  if (fn.isExternal())
    return fn.emitError() << "'" << fn.getName()
                          << "' has no body to interpret";
  if (arguments.size() != fn.getNumArguments())
    return fn.emitError() << "'" << fn.getName() << "' takes "
                          << fn.getNumArguments() << " arguments but got "
                          << arguments.size();
  HostActivation call(fn, interpreter, /*depth=*/1);
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    auto type = cast<BufferType>(fn.getArgumentTypes()[i]);
    const Tensor &tensor = argument.tensor;
    if (tensor.getRank() != static_cast<int64_t>(type.getRank()) ||
        reference::getDType(type.getElementType()) != tensor.getDType())
      return fn.emitError() << "argument " << i << " of '" << fn.getName()
                            << "' is not a " << type;
    HostShape shape;
    shape.sizes = llvm::to_vector(tensor.getSizes());
    shape.strides = argument.strides;
    if (shape.strides.empty())
      shape.strides = reference::getContiguousStrides(tensor.getSizes());
    if (argument.strides.empty())
      for (auto [d, e] : llvm::enumerate(type.getStrides().getDims()))
        if (e.isConstant())
          shape.strides[d] = e.getValue();
    HostValue value = layOut(tensor, shape.strides);
    call.setArgument(static_cast<unsigned>(i), std::move(value),
                     std::move(shape));
  }
  if (failed(call.run()))
    return failure();
  return std::move(call.resultTensors);
}
