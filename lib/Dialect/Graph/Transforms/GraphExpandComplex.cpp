//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replaces tensors of complex numbers by tensors of their parts. Within a block
// a complex value is two tensors; where it crosses a boundary (functions,
// branches, loops) it is one, with the parts as its last dimension.
//
//===----------------------------------------------------------------------===//

#include "ComplexCall.h"
#include "coil/Dialect/Graph/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace coil::graph {
#define GEN_PASS_DEF_GRAPHEXPANDCOMPLEXPASS
#include "coil/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace coil::graph

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

Type graph::getPartType(Type elementType) {
  auto complex = dyn_cast<ComplexType>(elementType);
  return complex ? complex.getElementType() : Type();
}

Value graph::pack(TensorBuilder &b, ComplexParts parts) {
  int64_t rank = getSizes(parts.re).size();
  return b.cat({b.unsqueeze(parts.re, rank), b.unsqueeze(parts.im, rank)},
               rank);
}

ComplexParts graph::unpack(TensorBuilder &b, Value packed) {
  int64_t last = getSizes(packed).size() - 1;
  return {b.at(packed, last, b.size(0)), b.at(packed, last, b.size(1))};
}

std::optional<std::pair<Attribute, Attribute>>
graph::getNumber(Attribute attribute) {
  if (!attribute)
    return std::nullopt;
  Attribute zero = FloatAttr::get(Float64Type::get(attribute.getContext()), 0);
  if (isa<IntegerAttr, FloatAttr, ExprAttr>(attribute))
    return std::pair(attribute, zero);
  auto dictionary = dyn_cast<DictionaryAttr>(attribute);
  if (!dictionary || dictionary.size() != 2)
    return std::nullopt;
  auto re = dictionary.getAs<FloatAttr>("real");
  auto im = dictionary.getAs<FloatAttr>("imag");
  if (!re || !im)
    return std::nullopt;
  return std::pair<Attribute, Attribute>(re, im);
}

//===----------------------------------------------------------------------===//
// ComplexCall
//===----------------------------------------------------------------------===//

bool ComplexCall::isComplex(Value value) {
  return isa<ComplexType>(getElementType(value));
}

ComplexParts ComplexCall::partsOf(Value value, Type type) {
  if (!isComplex(value))
    return {b.convert(value, type),
            b.full(b.getBuilder().getFloatAttr(type, 0), getSizes(value))};
  ComplexParts found = parts.lookup(value);
  return {b.convert(found.re, type), b.convert(found.im, type)};
}

Type ComplexCall::getComputeType() {
  if (computeType)
    return computeType;
  for (Value result : op.getOutputs())
    if (Type part = getPartType(getElementType(result)))
      return computeType = getAccumulationType(part);
  for (Value operand : op.getInputs()) {
    Type type = getElementType(operand), part = getPartType(type);
    if (!part)
      part = type;
    if (isa<FloatType>(part) &&
        (!computeType ||
         part.getIntOrFloatBitWidth() > computeType.getIntOrFloatBitWidth()))
      computeType = part;
  }
  // Integers alone give what the result says.
  for (Value result : op.getOutputs())
    if (!computeType && isa<FloatType>(getElementType(result)))
      computeType = getElementType(result);
  return computeType = getAccumulationType(computeType);
}

ComplexParts ComplexCall::get(StringRef name) {
  Type type = getComputeType();
  if (Value value = op.getTensor(name))
    return partsOf(value, type);
  auto number = getNumber(op.getArgument(name));
  if (!number)
    return {};
  auto make = [&](Attribute part) -> Value {
    if (auto expr = dyn_cast<ExprAttr>(part))
      return b.expr(expr, type);
    return b.scalar(convertScalar(part, type));
  };
  return {make(number->first), make(number->second)};
}

SmallVector<Value> ComplexCall::clone(ValueRange operands,
                                      DictionaryAttr arguments,
                                      StringRef name) {
  SmallVector<Type> types;
  for (Value result : op.getOutputs()) {
    auto type = cast<RankedTensorType>(result.getType());
    Type part = getPartType(type.getElementType());
    types.push_back(part ? type.clone(part) : type);
  }
  OpBuilder &builder = b.getBuilder();
  auto made = AtenOp::create(
      builder, op.getLoc(), types,
      name.empty() ? op.getNameAttr() : builder.getStringAttr(name), operands,
      op.getOperandNamesAttr(), arguments,
      /*defines=*/std::exchange(defines, ArrayAttr()), op.getNumbersAttr());
  return llvm::to_vector_of<Value>(made.getOutputs());
}

Value ComplexCall::call(StringRef name,
                        ArrayRef<std::pair<StringRef, Value>> operands,
                        ArrayRef<NamedAttribute> arguments, SizesRef sizes,
                        Type elementType) {
  OpBuilder &builder = b.getBuilder();
  SmallVector<Value> values;
  SmallVector<Attribute> names;
  for (auto [operandName, value] : operands) {
    names.push_back(builder.getStringAttr(operandName));
    values.push_back(value);
  }
  auto made = AtenOp::create(
      builder, op.getLoc(), TypeRange(sym::getTensorType(sizes, elementType)),
      builder.getStringAttr(name), values, builder.getArrayAttr(names),
      builder.getDictionaryAttr(arguments));
  return made.getOutputs().front();
}

LogicalResult ComplexCall::replace(ArrayRef<ComplexParts> values) {
  if (values.size() != op.getOutputs().size())
    return fail("it has " + Twine(op.getOutputs().size()) +
                " results instead of " + Twine(values.size()));
  for (auto [i, value] : llvm::enumerate(values)) {
    Type element = resultType(i).getElementType(), part = getPartType(element);
    Sizes sizes = resultSizes(i);
    auto finish = [&](Value x) -> Value {
      if (!x)
        return nullptr;
      Sizes computed = getSizes(x);
      // Results of numbers alone have no dimensions yet.
      if (computed.size() < sizes.size())
        x = b.broadcast(x, sizes);
      return b.castSizes(b.convert(x, part ? part : element), sizes);
    };
    if (!part && value.im)
      return fail("its result " + Twine(i) +
                  " is real where complex numbers are computed");
    ComplexParts result = {finish(value.re), finish(value.im)};
    // Real numbers are written to complex results, too (`out=`).
    if (part && result.re && !result.im)
      result.im = b.full(b.getBuilder().getFloatAttr(part, 0), sizes);
    results.push_back(result);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// ComplexExpansions
//===----------------------------------------------------------------------===//

void ComplexExpansions::add(StringRef names, ComplexHandler handler) {
  SmallVector<StringRef> list;
  names.split(list, ' ', -1, /*KeepEmpty=*/false);
  for (StringRef name : list)
    entries[name] = handler;
}

const ComplexHandler *ComplexExpansions::find(AtenOp op) const {
  StringRef name = op.getName();
  if (!name.consume_front("aten."))
    return nullptr;
  auto it = entries.find(name.split('.').first);
  return it == entries.end() ? nullptr : &it->second;
}

static const ComplexExpansions &getExpansions() {
  static const ComplexExpansions table = [] {
    ComplexExpansions t;
    populateComplexStructure(t);
    populateComplexScatter(t);
    populateComplexReductions(t);
    populateComplexProducts(t);
    populateComplexFunctions(t);
    populateComplexFft(t);
    populateComplexLinalg(t);
    populateComplexNorms(t);
    return t;
  }();
  return table;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static bool isComplexType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa<ComplexType>(tensor.getElementType());
}

/// The type of a complex tensor where it is one tensor of parts.
static Type getPackedType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  Sizes sizes = sym::getSizes(tensor);
  sizes.push_back(sym::constant(type.getContext(), 2));
  return sym::getTensorType(sizes, getPartType(tensor.getElementType()));
}

namespace {

struct GraphExpandComplex
    : graph::impl::GraphExpandComplexPassBase<GraphExpandComplex> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    parts.clear();
    erased.clear();
    if (func.isExternal())
      return;
    // Most programs have none, and stay as they are.
    bool any = llvm::any_of(func.getArgumentTypes(), isComplexType);
    func.walk([&](Operation *op) {
      any |= llvm::any_of(op->getOperandTypes(), isComplexType) ||
             llvm::any_of(op->getResultTypes(), isComplexType);
    });
    if (!any)
      return;
    if (failed(checkTypes(func)))
      return signalPassFailure();
    convertSignature(func);
    // Operators are taken in their order; those of regions behind the op that
    // has them.
    SmallVector<Operation *> ops;
    func.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op != func)
        ops.push_back(op);
    });
    convertArguments(func.getBody());
    for (Operation *op : ops)
      if (failed(convert(op)))
        return signalPassFailure();
    for (Operation *op : llvm::reverse(erased))
      op->erase();
  }

private:
  /// Sizes have to be expressions.
  LogicalResult checkTypes(func::FuncOp func) {
    auto check = [](Location loc, Type type) -> LogicalResult {
      if (!isComplexType(type) || hasSizes(type))
        return success();
      return emitError(loc) << "a dynamic size of a complex tensor has no "
                               "expression";
    };
    for (BlockArgument argument : func.getArguments())
      if (failed(check(func.getLoc(), argument.getType())))
        return failure();
    WalkResult result = func.walk([&](Operation *op) {
      for (Type type : op->getResultTypes())
        if (failed(check(op->getLoc(), type)))
          return WalkResult::interrupt();
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  /// Arguments and results become tensors of parts, marked as complex; strides
  /// count parts.
  void convertSignature(func::FuncOp func) {
    Builder builder(func.getContext());
    SmallVector<Type> inputs(func.getArgumentTypes()),
        outputs(func.getResultTypes());
    auto strides = [&](Attribute attr) -> Attribute {
      auto shape = dyn_cast_or_null<sym::ShapeAttr>(attr);
      if (!shape)
        return attr;
      SmallVector<ExprAttr> result;
      for (ExprAttr stride : shape.getDims())
        result.push_back(sym::mul(stride, 2));
      result.push_back(sym::constant(func.getContext(), 1));
      return sym::ShapeAttr::get(func.getContext(), result);
    };
    for (auto [i, type] : llvm::enumerate(inputs)) {
      if (!isComplexType(type))
        continue;
      type = getPackedType(type);
      func.setArgAttr(i, kComplexAttrName, builder.getUnitAttr());
      if (Attribute layout = func.getArgAttr(i, "coil.strides"))
        func.setArgAttr(i, "coil.strides", strides(layout));
    }
    for (auto [i, type] : llvm::enumerate(outputs)) {
      if (!isComplexType(type))
        continue;
      type = getPackedType(type);
      func.setResultAttr(i, kComplexAttrName, builder.getUnitAttr());
      if (Attribute layout = func.getResultAttr(i, "coil.strides"))
        func.setResultAttr(i, "coil.strides", strides(layout));
    }
    func.setFunctionType(builder.getFunctionType(inputs, outputs));
  }

  void convertArguments(Region &region) {
    for (Block &block : region) {
      OpBuilder builder = OpBuilder::atBlockBegin(&block);
      for (BlockArgument argument : block.getArguments()) {
        if (!isComplexType(argument.getType()))
          continue;
        TensorBuilder b(builder, argument.getLoc());
        splitPacked(b, argument);
      }
    }
  }

  /// Makes a value one tensor of its parts. Until all operators are rewritten,
  /// uses are those of a cast to the complex type.
  void splitPacked(TensorBuilder &b, Value value) {
    Type type = value.getType();
    value.setType(getPackedType(type));
    auto cast = UnrealizedConversionCastOp::create(b.getBuilder(), b.getLoc(),
                                                   type, value);
    value.replaceAllUsesExcept(cast.getResult(0), cast);
    parts[cast.getResult(0)] = unpack(b, value);
    erased.push_back(cast);
  }

  LogicalResult convert(Operation *op) {
    bool takes = llvm::any_of(op->getOperandTypes(), isComplexType);
    bool gives = llvm::any_of(op->getResultTypes(), isComplexType);
    for (Region &region : op->getRegions())
      convertArguments(region);
    if (!takes && !gives)
      return success();
    if (auto aten = dyn_cast<AtenOp>(op))
      return expand(aten);
    OpBuilder builder(op);
    TensorBuilder before(builder, op->getLoc());
    for (OpOperand &operand : op->getOpOperands())
      if (isComplexType(operand.get().getType()))
        operand.set(pack(before, parts.lookup(operand.get())));
    builder.setInsertionPointAfter(op);
    TensorBuilder after(builder, op->getLoc());
    for (Value result : op->getResults())
      if (isComplexType(result.getType()))
        splitPacked(after, result);
    return success();
  }

  static bool isEmpty(AtenOp op) {
    return !op.getDefinesAttr() && !op.getOutputs().empty() &&
           llvm::all_of(op.getOutputs(), hasNoElements);
  }

  static LogicalResult replaceEmpty(ComplexCall &c) {
    SmallVector<ComplexParts> results;
    for (auto [i, output] : llvm::enumerate(c.op.getOutputs())) {
      Type element = getElementType(output), part = getPartType(element);
      Attribute zero = c.b.getBuilder().getZeroAttr(part ? part : element);
      results.push_back(
          {c.b.full(cast<TypedAttr>(zero), c.resultSizes(i)), nullptr});
    }
    return c.replace(results);
  }

  LogicalResult expand(AtenOp op) {
    OpBuilder builder(op);
    ComplexCall call(op, builder, parts);
    const ComplexHandler *handler = getExpansions().find(op);
    // Results without elements are the same, whatever the operator computes.
    static const ComplexHandler empty = replaceEmpty;
    if (isEmpty(op))
      handler = &empty;
    if (!handler)
      return op.emitError()
             << "'" << op.getName() << "' is not computed for complex numbers";
    if (failed((*handler)(call)))
      return op.emitError()
             << "'" << op.getName()
             << "' of complex numbers is not computed: " << call.reason;
    for (auto [result, value] : llvm::zip(op.getOutputs(), call.results)) {
      if (value.im)
        parts[result] = value;
      else
        result.replaceAllUsesWith(value.re);
    }
    erased.push_back(op);
    return success();
  }

  ComplexCall::PartsMap parts;
  /// What is left of the complex types, each behind what it depends on.
  SmallVector<Operation *> erased;
};

} // namespace
