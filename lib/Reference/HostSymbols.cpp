//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Host programs in the interpreter: symbols, checks, values that are read.
//
//===----------------------------------------------------------------------===//

#include "HostActivation.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "coil/Runtime/HostABI.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace coil;
using namespace coil::reference;
using namespace coil::wrapper;
using sym::ExprAttr;

LogicalResult HostActivation::bind(Operation *op, StringRef name, int64_t value,
                                   const llvm::Twine &origin) {
  sym::Bounds bounds =
      sym::Context::forOp(fn).bounds(sym::symbol(op->getContext(), name));
  if (value < bounds.lo || value > bounds.hi) {
    bool below = value < bounds.lo;
    return op->emitError() << "symbol '" << name << "'" << origin << " is "
                           << (below ? "below its lower" : "above its upper")
                           << " bound (got " << value << " and "
                           << (below ? bounds.lo : bounds.hi) << ")";
  }
  frame.setSymbol(name, value);
  return success();
}

LogicalResult HostActivation::divide(Operation *op, int64_t &value,
                                     int64_t divisor, const llvm::Twine &what) {
  if (value % divisor != 0)
    return op->emitError() << what << " is not a multiple of its divisor (got "
                           << value << " and " << divisor << ")";
  value /= divisor;
  return success();
}

LogicalResult HostActivation::run(InputSymbolOp op) {
  const HostShape &shape = shapes[op.getSource()];
  bool isSize = op.getProperty() == Property::Size;
  auto dim = static_cast<size_t>(op.getDim());
  MLIRContext *context = op.getContext();
  ExprAttr solution = sym::solve(
      op.getExpr(),
      sym::constant(context, isSize ? shape.sizes[dim] : shape.strides[dim]),
      sym::symbol(context, op.getSymbol()));
  FailureOr<int64_t> value = frame.evaluate(op, solution);
  if (failed(value))
    return failure();
  return bind(op, op.getSymbol(), *value,
              " (" + stringifyProperty(op.getProperty()) + " " +
                  llvm::Twine(dim) + " of an input)");
}

LogicalResult HostActivation::run(SymExprOp op) {
  FailureOr<int64_t> value = frame.evaluate(op, op.getExpr());
  if (failed(value))
    return failure();
  frame.setSymbol(op.getSymbol(), *value);
  return success();
}

static bool holds(sym::Predicate predicate, int64_t lhs, int64_t rhs) {
  switch (predicate) {
  case sym::Predicate::Eq:
    return lhs == rhs;
  case sym::Predicate::Ne:
    return lhs != rhs;
  case sym::Predicate::Le:
    return lhs <= rhs;
  case sym::Predicate::Lt:
    return lhs < rhs;
  }
  llvm_unreachable("unknown predicate");
}

LogicalResult HostActivation::run(wrapper::AssertOp op) {
  auto sides = evaluate(op, {op.getLhs(), op.getRhs()});
  if (failed(sides))
    return failure();
  if (holds(op.getPredicate(), (*sides)[0], (*sides)[1]))
    return success();
  return op.emitError() << op.getMessage() << " (got " << (*sides)[0] << " and "
                        << (*sides)[1] << ")";
}

HostValue reference::layOut(const Tensor &tensor, ArrayRef<int64_t> strides) {
  HostShape shape{llvm::to_vector(tensor.getSizes()), llvm::to_vector(strides)};
  int64_t bytes = 0, first = 0, element = getByteSize(tensor.getDType());
  if (auto extent = getExtent(shape)) {
    first = -extent->first * element;
    bytes = (extent->second + 1) * element + first;
  }
  auto storage = HostMemory::create(Tensor(DType::U8, bytes));
  if (tensor.getNumElements() != 0)
    tensor.toStrided(strides, storage->bytes.getData() + first);
  return {std::move(storage), first};
}

/// Whether no two elements of a tensor are in the same place, as
/// coil_rt_match_layout asks.
static bool areDistinct(const HostShape &shape) {
  SmallVector<std::pair<int64_t, int64_t>> dims;
  for (auto [stride, size] : llvm::zip_equal(shape.strides, shape.sizes))
    if (size > 1)
      dims.emplace_back(std::abs(stride), size);
  llvm::sort(dims);
  int64_t reach = 0;
  for (auto [stride, size] : dims) {
    if (stride <= reach)
      return false;
    reach += (size - 1) * stride;
  }
  return true;
}

LogicalResult HostActivation::run(AssertLayoutOp op) {
  FailureOr<HostShape> wanted =
      getShape(op, cast<BufferType>(op.getSource().getType()));
  if (failed(wanted))
    return failure();
  const HostShape &shape = shapes[op.getSource()];
  auto check = [&](ArrayRef<int64_t> given, ArrayRef<int64_t> expected,
                   StringRef what, bool isStride) -> LogicalResult {
    for (auto [d, value] : llvm::enumerate(given))
      if (value != expected[d] && !(isStride && wanted->sizes[d] <= 1))
        return op.emitError()
               << "input '" << op.getName() << "' has " << what << " " << value
               << " in dimension " << d << ", expected " << expected[d];
    return success();
  };
  if (failed(check(shape.sizes, wanted->sizes, "size", false)))
    return failure();
  if (llvm::is_contained(wanted->sizes, 0))
    return success();
  if (op.copiesOtherLayouts() && areDistinct(*wanted)) {
    HostValue &value = values[op.getSource()];
    DType dtype = *reference::getDType(
        cast<BufferType>(op.getSource().getType()).getElementType());
    Tensor tensor = Tensor::fromStrided(dtype, shape.sizes, shape.strides,
                                        value.memory->bytes.getData() +
                                            value.memory->begin + value.offset);
    value = layOut(tensor, wanted->strides);
    shapes[op.getSource()] = std::move(*wanted);
    return success();
  }
  return check(shape.strides, wanted->strides, "stride", true);
}

FailureOr<Scalar> HostActivation::readItem(Operation *op, Value buffer) {
  FailureOr<HostView> v = view(op, buffer);
  if (failed(v))
    return failure();
  return Tensor::load(v->dtype, v->data, 0);
}

FailureOr<bool> HostActivation::getPredicate(Operation *op, Value v) {
  if (!isa<BufferType>(v.getType()))
    return values[v].scalar.i != 0;
  FailureOr<Scalar> item = readItem(op, v);
  if (failed(item))
    return failure();
  return item->i != 0;
}

LogicalResult HostActivation::run(ItemOp op) {
  FailureOr<Scalar> item = readItem(op, op.getSource());
  if (failed(item))
    return failure();
  if (op.getResult()) {
    values[op.getResult()].scalar = *item;
    return success();
  }
  StringRef name = *op.getSymbol();
  int64_t value = item->i;
  Type element = cast<BufferType>(op.getSource().getType()).getElementType();
  if (element.isUnsignedInteger(64) && value < 0)
    return op.emitError() << "the element that symbol '" << name
                          << "' is read from does not fit (got " << value
                          << " and 0)";
  if (std::optional<uint64_t> divisor = op.getDivideBy())
    if (failed(divide(op, value, static_cast<int64_t>(*divisor),
                      "the element that symbol '" + name + "' is read from")))
      return failure();
  return bind(op, name, value, " (an element)");
}

LogicalResult HostActivation::run(BindSymbolOp op) {
  const HostShape &shape = shapes[op.getSource()];
  auto keys = op.getPath().getAsRange<KeyAttr>();
  KeyAttr first = *keys.begin();
  auto dim = static_cast<size_t>(first.getValue());
  int64_t value =
      first.getKind() == KeyKind::Size ? shape.sizes[dim] : shape.strides[dim];
  std::string origin = (stringifyKeyKind(first.getKind()) + " " +
                        llvm::Twine(dim) + " of a result")
                           .str();
  for (KeyAttr key : llvm::drop_begin(keys))
    if (failed(divide(op, value, key.getValue(), origin)))
      return failure();
  return bind(op, op.getSymbol(), value, " (" + origin + ")");
}

LogicalResult HostActivation::run(CheckLifetimeOp op) {
  auto report = [&](StringRef name, StringRef what) {
    return op.emitError() << "after '" << op.getStep() << "' in '"
                          << fn.getName() << "': buffer '" << name << "' "
                          << what;
  };
  if (op.getMode() == CheckMode::Begin)
    seen.clear();
  SmallVector<std::pair<std::string, std::weak_ptr<HostMemory>>> alive;
  for (auto [v, name] : llvm::zip(
           op.getStorage(), op.getNames().getAsValueRange<StringAttr>())) {
    const std::shared_ptr<HostMemory> &memory = values[v].memory;
    if (memory->ended)
      return report(name, "is not allocated any more");
    alive.emplace_back(name.str(), memory);
  }
  if (op.getMode() == CheckMode::Exact) {
    for (auto &[name, reference] : seen) {
      std::shared_ptr<HostMemory> memory = reference.lock();
      if (memory && !memory->ended &&
          llvm::none_of(alive, [&](const auto &entry) {
            return entry.second.lock() == memory;
          }))
        return report(name, "is still allocated");
    }
    seen.clear();
  }
  llvm::append_range(seen, alive);
  return success();
}

/// Values are shown by what compiled programs call.
LogicalResult HostActivation::run(DebugMarkOp op) {
  if (coil_rt_debug_mark(nullptr, op.getLabel().c_str()) != COIL_OK)
    return op.emitError(coil_last_error());
  return success();
}

LogicalResult HostActivation::run(DebugValueOp op) {
  FailureOr<HostView> v = view(op, op.getBuffer());
  if (failed(v))
    return failure();
  if (coil_rt_debug_value(
          nullptr, static_cast<int32_t>(op.getAction()), op.getLabel().c_str(),
          v->data, static_cast<int32_t>(v->dtype),
          static_cast<int32_t>(v->shape.sizes.size()), v->shape.sizes.data(),
          v->shape.strides.data()) != COIL_OK)
    return op.emitError(coil_last_error());
  return success();
}

LogicalResult HostActivation::run(CompareOp op) {
  auto sides = evaluate(op, {op.getLhs(), op.getRhs()});
  if (failed(sides))
    return failure();
  values[op].scalar =
      makeInt(holds(op.getPredicate(), (*sides)[0], (*sides)[1]));
  return success();
}

LogicalResult HostActivation::runScalar(Operation *op) {
  Attribute literal;
  if (matchPattern(op, m_Constant(&literal))) {
    if (auto number = dyn_cast<FloatAttr>(literal);
        number && number.getType().isF64()) {
      values[op->getResult(0)].scalar = makeFloat(number.getValueAsDouble());
      return success();
    }
    if (auto number = dyn_cast<IntegerAttr>(literal);
        number && number.getType().isInteger(1)) {
      values[op->getResult(0)].scalar =
          makeInt(number.getValue().getZExtValue());
      return success();
    }
    return op->emitError("has an unsupported literal");
  }
  auto model = dyn_cast<ReferenceScalarOpInterface>(op);
  ScalarFunction function = model ? model.getScalarFunction() : nullptr;
  if (!function || op->getNumOperands() > 3 || op->getNumResults() != 1)
    return op->emitError() << "'" << op->getName()
                           << "' has no reference semantics";
  Scalar operands[3] = {makeInt(0), makeInt(0), makeInt(0)};
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    operands[i] = values[operand].scalar;
  bool undefined = false;
  values[op->getResult(0)].scalar =
      function(operands[0], operands[1], operands[2], undefined);
  if (undefined)
    return op->emitError("has undefined behaviour for these operands");
  return success();
}
