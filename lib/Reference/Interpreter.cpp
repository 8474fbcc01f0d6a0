//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interpreter: symbols, memory, calls and the walk over a function.
//
//===----------------------------------------------------------------------===//

#include "coil/Reference/Interpreter.h"

#include "coil/Dialect/Graph/IR/ScalarBuilder.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace coil;
using namespace coil::reference;

/// Prints `2x?xf32`-like types in diagnostics.
static std::string describe(const Tensor &tensor) {
  std::string text;
  for (int64_t size : tensor.getSizes())
    text += std::to_string(size) + "x";
  return text + getName(tensor.getDType()).str();
}

//===----------------------------------------------------------------------===//
// Frame
//===----------------------------------------------------------------------===//

std::optional<int64_t> Frame::getSymbol(StringRef name) const {
  auto it = symbols.find(name);
  return it == symbols.end() ? std::nullopt : std::optional(it->second);
}

std::optional<int64_t> Frame::evaluate(sym::ExprAttr expr) const {
  return sym::evaluate(expr, [&](sym::ExprAttr leaf) -> std::optional<int64_t> {
    if (!leaf.isSymbol())
      return std::nullopt;
    return getSymbol(leaf.getName());
  });
}

FailureOr<int64_t> Frame::evaluate(Operation *op, sym::ExprAttr expr) const {
  if (!expr)
    return op->emitError("has a dynamic size without an expression");
  if (std::optional<int64_t> value = evaluate(expr))
    return *value;
  return op->emitError() << "cannot evaluate '" << expr.str() << "'";
}

FailureOr<SmallVector<int64_t>> Frame::getSizes(Operation *op,
                                                RankedTensorType type) const {
  SmallVector<int64_t> sizes;
  for (sym::ExprAttr expr : sym::getSizes(type)) {
    FailureOr<int64_t> size = evaluate(op, expr);
    if (failed(size))
      return failure();
    sizes.push_back(*size);
  }
  return sizes;
}

FailureOr<Tensor> Frame::allocate(Operation *op, DType dtype,
                                  ArrayRef<int64_t> sizes) const {
  if (!Tensor::countElements(sizes))
    return op->emitError("has a negative or unrepresentable size");
  if (std::optional<Tensor> tensor =
          Tensor::allocate(dtype, sizes, interpreter.budget))
    return std::move(*tensor);
  return op->emitError() << "exceeds the memory limit of "
                         << interpreter.options.maxBytes << " bytes";
}

FailureOr<Tensor> Frame::allocate(Operation *op, Type type) const {
  auto tensorType = dyn_cast<RankedTensorType>(type);
  std::optional<DType> dtype;
  if (tensorType)
    dtype = reference::getDType(tensorType.getElementType());
  if (!dtype)
    return op->emitError() << "cannot hold a value of type " << type;
  FailureOr<SmallVector<int64_t>> sizes = getSizes(op, tensorType);
  if (failed(sizes))
    return failure();
  return allocate(op, *dtype, *sizes);
}

LogicalResult Frame::spend(Operation *op, int64_t steps) const {
  if (steps < 0 || steps > interpreter.options.maxSteps - interpreter.steps)
    return op->emitError() << "exceeds the limit of "
                           << interpreter.options.maxSteps << " steps";
  interpreter.steps += steps;
  return success();
}

LogicalResult Frame::call(Operation *op, func::FuncOp callee,
                          ArrayRef<Tensor> arguments,
                          SmallVectorImpl<Tensor> &results) const {
  if (interpreter.depth >= interpreter.options.maxCallDepth)
    return op->emitError() << "exceeds the limit of "
                           << interpreter.options.maxCallDepth
                           << " nested calls";
  return interpreter.runFunction(callee, arguments, results);
}

/// Says how a tensor differs from a type with these sizes; true when it fits.
static bool matches(const Tensor &tensor, Type type,
                    const FailureOr<SmallVector<int64_t>> &sizes) {
  auto tensorType = dyn_cast<RankedTensorType>(type);
  return tensorType && succeeded(sizes) &&
         reference::getDType(tensorType.getElementType()) ==
             tensor.getDType() &&
         tensor.getSizes() == ArrayRef<int64_t>(*sizes);
}

LogicalResult Frame::bindArguments(func::FuncOp function,
                                   ArrayRef<Tensor> arguments) {
  FunctionType type = function.getFunctionType();
  if (arguments.size() != type.getNumInputs())
    return function.emitError()
           << "'" << function.getName() << "' takes " << type.getNumInputs()
           << " arguments but got " << arguments.size();

  // Collect one equation for each symbolic size, and solve those with one
  // unknown until nothing changes.
  struct Equation {
    sym::ExprAttr expr;
    int64_t value;
  };
  SmallVector<Equation> equations;
  for (auto [i, inputType] : llvm::enumerate(type.getInputs())) {
    auto tensorType = dyn_cast<RankedTensorType>(inputType);
    if (!tensorType || tensorType.getRank() != arguments[i].getRank() ||
        reference::getDType(tensorType.getElementType()) !=
            arguments[i].getDType())
      return function.emitError()
             << "argument " << i << " of '" << function.getName()
             << "' has type " << describe(arguments[i]) << ", expected "
             << inputType;
    for (auto [expr, size] :
         llvm::zip(sym::getSizes(tensorType), arguments[i].getSizes())) {
      if (!expr)
        return function.emitError() << "argument " << i
                                    << " has a dynamic size without an "
                                       "expression";
      if (!expr.isConstant())
        equations.push_back({expr, size});
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const Equation &equation : equations) {
      sym::ExprAttr unknown;
      bool several = false;
      sym::walkLeaves(equation.expr, [&](sym::ExprAttr leaf) {
        if (!leaf.isSymbol() || symbols.contains(leaf.getName()))
          return;
        several |= unknown && unknown != leaf;
        unknown = leaf;
      });
      if (!unknown || several)
        continue;
      sym::ExprAttr rhs = sym::constant(function.getContext(), equation.value);
      sym::ExprAttr solution = sym::solve(equation.expr, rhs, unknown);
      if (!solution)
        continue;
      if (std::optional<int64_t> value = evaluate(solution)) {
        symbols[unknown.getName()] = *value;
        changed = true;
      }
    }
  }

  for (auto [i, inputType] : llvm::enumerate(type.getInputs())) {
    FailureOr<SmallVector<int64_t>> sizes =
        getSizes(function, cast<RankedTensorType>(inputType));
    if (failed(sizes))
      return failure();
    if (!matches(arguments[i], inputType, sizes))
      return function.emitError()
             << "argument " << i << " of '" << function.getName()
             << "' has type " << describe(arguments[i]) << ", expected "
             << inputType;
  }
  if (auto ranges =
          function->getAttrOfType<DictionaryAttr>(sym::kSymbolsAttrName))
    for (NamedAttribute entry : ranges) {
      auto range = dyn_cast<sym::RangeAttr>(entry.getValue());
      std::optional<int64_t> value = getSymbol(entry.getName());
      if (range && value &&
          (*value < range.getMin() || *value > range.getMax()))
        return function.emitError()
               << "symbol '" << entry.getName().getValue() << "' is " << *value
               << ", outside " << range;
    }
  return success();
}

//===----------------------------------------------------------------------===//
// Interpreter
//===----------------------------------------------------------------------===//

Interpreter::Interpreter(InterpreterOptions options)

    : options(std::move(options)), budget(std::make_shared<MemoryBudget>()) {
  budget->limit = this->options.maxBytes;
}

FailureOr<SmallVector<Tensor>> Interpreter::run(func::FuncOp function,
                                                ArrayRef<Tensor> arguments) {
  // Sizes are expressions even where the program mentions none.
  function.getContext()->getOrLoadDialect<sym::SymDialect>();
  SmallVector<Tensor> results;
  if (failed(runFunction(function, arguments, results)))
    return failure();
  return results;
}

LogicalResult Interpreter::runFunction(func::FuncOp function,
                                       ArrayRef<Tensor> arguments,
                                       SmallVectorImpl<Tensor> &results) {
  if (function.isExternal())
    return function.emitError()
           << "'" << function.getName() << "' has no body to interpret";
  if (!function.getBody().hasOneBlock())
    return function.emitError()
           << "'" << function.getName()
           << "' has control flow between blocks, which has no reference "
              "semantics";
  Frame frame(*this);
  if (failed(frame.bindArguments(function, arguments)))
    return failure();
  ++depth;
  llvm::scope_exit leave([&] { --depth; });
  return frame.runRegion(function.getBody(), arguments, results);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// Values die after their last use, so that memory follows the program's. One
/// that a region uses lives to the end of its block, as regions may run again.
struct Frame::Scope {
  Block &block;
  Scope *parent;
  DenseMap<Value, Tensor> values;
  DenseMap<Value, int64_t> uses;

  Scope(Block &block, Scope *parent) : block(block), parent(parent) {}

  void define(Value value, const Tensor &tensor) {
    if (value.use_empty())
      return;
    values[value] = tensor;
    int64_t count = 0;
    for (Operation *user : value.getUsers())
      count = user->getBlock() == &block && count >= 0 ? count + 1 : -1;
    uses[value] = count;
  }
  const Tensor *find(Value value) const {
    for (const Scope *s = this; s; s = s->parent)
      if (auto it = s->values.find(value); it != s->values.end())
        return &it->second;
    return nullptr;
  }
  void countUse(Value value) {
    auto it = uses.find(value);
    if (it != uses.end() && it->second > 0 && --it->second == 0)
      values.erase(value);
  }
};

LogicalResult Frame::bindSymbol(Operation *op, StringRef name, int64_t value) {
  int64_t min = 0, max = INT64_MAX;
  for (Operation *parent = op; parent; parent = parent->getParentOp())
    if (auto ranges =
            parent->getAttrOfType<DictionaryAttr>(sym::kSymbolsAttrName))
      if (auto range = ranges.getAs<sym::RangeAttr>(name)) {
        min = range.getMin();
        max = range.getMax();
        break;
      }
  if (value < min || value > max)
    return op->emitError() << "symbol '" << name << "' is " << value
                           << ", outside its range";
  setSymbol(name, value);
  return success();
}

LogicalResult Frame::runRegion(Region &region, ArrayRef<Tensor> arguments,
                               SmallVectorImpl<Tensor> &results) {
  Block &block = region.front();
  Scope current(block, scope);
  llvm::SaveAndRestore<Scope *> enter(scope, &current);
  for (auto [argument, tensor] : llvm::zip(block.getArguments(), arguments))
    current.define(argument, tensor);

  for (Operation &op : block) {
    SmallVector<Tensor> operands, opResults;
    for (Value operand : op.getOperands()) {
      const Tensor *tensor = current.find(operand);
      assert(tensor && "all arguments and results are tensors");
      operands.push_back(*tensor);
    }
    for (Value operand : op.getOperands())
      current.countUse(operand);
    if (isa<func::ReturnOp>(op)) {
      results.assign(operands.begin(), operands.end());
      return success();
    }
    ElementsAttr literal;
    if (matchPattern(&op, m_Constant(&literal))) {
      std::optional<Tensor> tensor = Tensor::fromAttribute(literal);
      if (!tensor)
        return op.emitError("has an unsupported literal");
      current.define(op.getResult(0), *tensor);
      continue;
    }
    // An elementwise operator that has no semantics of its own computes what
    // its scalar body does.
    OwningOpRef<loop::KernelOp> kernel;
    auto model = dyn_cast<ReferenceOpInterface>(op);
    if (auto elementwise = dyn_cast<graph::ElementwiseOpInterface>(op);
        !model && elementwise) {
      // What bodies are made of, with its semantics.
      op.getContext()
          ->loadDialect<loop::LoopDialect, arith::ArithDialect,
                        math::MathDialect>();
      OpBuilder builder(op.getContext());
      kernel = graph::buildElementwiseKernel(elementwise, builder);
      model = cast<ReferenceOpInterface>(kernel->getOperation());
      // Its operands, each of them once. What was used for the last time is
      // not in the scope any more.
      SmallVector<Tensor> inputs;
      for (Value input : kernel->getInputs())
        inputs.push_back(operands[static_cast<size_t>(std::distance(
            op.operand_begin(), llvm::find(op.getOperands(), input)))]);
      operands = std::move(inputs);
    }
    if (!model)
      return op.emitError()
             << "'" << op.getName() << "' has no reference semantics";
    auto &observer = interpreter.options.observer;
    if (observer)
      observer(&op, /*isBefore=*/true, operands);
    if (failed(model.evaluate(*this, operands, opResults)))
      return failure();
    if (op.hasTrait<OpTrait::IsTerminator>()) {
      results.assign(opResults.begin(), opResults.end());
      return success();
    }
    if (observer)
      observer(&op, /*isBefore=*/false, opResults);
    if (opResults.size() != op.getNumResults())
      return op.emitError("has reference semantics with another number of "
                          "results");
    for (auto [value, tensor] : llvm::zip(op.getResults(), opResults)) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      if (!type)
        return op.emitError("gives a value that is not a tensor");
      FailureOr<SmallVector<int64_t>> sizes = getSizes(&op, type);
      if (failed(sizes))
        return failure();
      if (!matches(tensor, type, sizes))
        return op.emitError() << "gives a value of type " << describe(tensor)
                              << ", but its type is " << type;
      current.define(value, tensor);
    }
  }
  llvm_unreachable("blocks end with a terminator");
}
