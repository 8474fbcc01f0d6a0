//===----------------------------------------------------------------------===//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Numbers that data gives. An integer is a symbol, which an op binds
// (`graph.item`, `graph.aten` with `defines`). A float never leaves the
// tensors: it is one of rank zero, and so is what the program computes of it,
// since no size is a float. An integer that is made of floats becomes a symbol
// again.
//
//===----------------------------------------------------------------------===//

#include "ModuleBuilder.h"
#include "coil/Dialect/Graph/IR/Graph.h"
#include "coil/Dialect/Graph/IR/TensorBuilder.h"
#include "coil/Dialect/Graph/Transforms/LegalizeAten.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace mlir;
using namespace coil;
using namespace coil::import;
using Kind = Argument::Kind;
using sym::ExprAttr;

//===----------------------------------------------------------------------===//
// Expressions as tensors
//===----------------------------------------------------------------------===//

Expected<Value> ModuleBuilder::computeFloat(const SymExprNode &node) {
  graph::TensorBuilder b(builder, location);
  Type f64 = builder.getF64Type();
  switch (node.kind) {
  case SymExprNode::Kind::Integer:
    return b.scalar(builder.getFloatAttr(f64, double(node.integer)));
  case SymExprNode::Kind::Float:
    return b.scalar(builder.getFloatAttr(f64, node.number));
  case SymExprNode::Kind::Boolean:
    return makeError("it is a bool where a number is expected");
  case SymExprNode::Kind::Symbol:
    if (!SymConverter::isFloat(node.name))
      break;
    if (auto it = floats.find(node.name); it != floats.end())
      return it->second;
    return makeError("the float " + quoted(node.name) +
                     " is used before it is defined");
  case SymExprNode::Kind::Call:
    break;
  }
  // Integers of symbols have exact arithmetic of their own.
  if (!SymConverter::hasFloats(node)) {
    Expected<ExprAttr> expr = converter.convert(node);
    if (expr)
      return b.expr(*expr, f64);
    consumeError(expr.takeError());
  }
  if (node.kind == SymExprNode::Kind::Symbol)
    return makeError("the symbol " + quoted(node.name) + " is not usable");

  StringRef name = node.name;
  ArrayRef<const SymExprNode *> values = node.operands;
  Value condition;
  if (name == "Where" && values.size() == 3) {
    Expected<Value> holds = computeBool(*values[0]);
    if (!holds)
      return holds.takeError();
    condition = *holds;
    values = values.drop_front();
  }
  SmallVector<Value> operands;
  for (const SymExprNode *operand : values) {
    Expected<Value> value = computeFloat(*operand);
    if (!value)
      return value.takeError();
    operands.push_back(*value);
  }
  if (condition)
    return b.select(condition, operands[0], operands[1]);
  auto fold = [&](auto combine) -> Value {
    Value result = operands.front();
    for (Value next : drop_begin(operands))
      result = combine(result, next);
    return result;
  };
  // Bits are those of integers.
  auto combineBits = [&](auto combine) {
    for (Value &operand : operands)
      operand = b.convert(operand, builder.getI64Type());
    return b.convert(fold(combine), f64);
  };
  if (!operands.empty()) {
    if (name == "BitwiseFn_bitwise_and")
      return combineBits([&](Value x, Value y) {
        return b.binary<graph::BitwiseAndOp>(x, y);
      });
    if (name == "BitwiseFn_bitwise_or")
      return combineBits(
          [&](Value x, Value y) { return b.binary<graph::BitwiseOrOp>(x, y); });
    if (name == "BitwiseFn_bitwise_xor")
      return combineBits([&](Value x, Value y) {
        return b.binary<graph::BitwiseXorOp>(x, y);
      });
    if (name == "Add")
      return fold([&](Value x, Value y) { return b.add(x, y); });
    if (name == "Mul")
      return fold([&](Value x, Value y) { return b.mul(x, y); });
    if (name == "Min" || name == "min")
      return fold(
          [&](Value x, Value y) { return b.binary<graph::MinimumOp>(x, y); });
    if (name == "Max" || name == "max")
      return fold(
          [&](Value x, Value y) { return b.binary<graph::MaximumOp>(x, y); });
  }
  if (operands.size() == 2) {
    Value x = operands[0], y = operands[1];
    // As Python rounds: one division, not the product with an inverse.
    if (is_contained({"Rational", "IntTrueDiv", "FloatTrueDiv"}, name))
      return b.div(x, y);
    if (is_contained({"Pow", "FloatPow", "PowByNatural"}, name))
      return b.binary<graph::PowOp>(x, y);
    if (is_contained({"FloorDiv", "CleanDiv"}, name))
      return b.unary<graph::FloorOp>(b.div(x, y));
    if (is_contained({"Mod", "PythonMod"}, name))
      return b.binary<graph::RemainderOp>(x, y);
  }
  if (operands.size() == 1) {
    Value x = operands[0];
    name.consume_front("OpaqueUnaryFn_");
    if (is_contained({"ToFloat", "Identity"}, name))
      return x;
    if (is_contained({"floor", "FloorToInt"}, name))
      return b.unary<graph::FloorOp>(x);
    if (is_contained({"ceiling", "ceil", "CeilToInt"}, name))
      return b.unary<graph::CeilOp>(x);
    if (is_contained({"TruncToInt", "TruncToFloat"}, name))
      return b.unary<graph::TruncOp>(x);
    if (name == "RoundToInt" || name == "round")
      return b.unary<graph::RoundOp>(x);
    if (name == "Abs" || name == "abs")
      return b.unary<graph::AbsOp>(x);
    if (name == "sqrt")
      return b.unary<graph::SqrtOp>(x);
    if (name == "exp")
      return b.unary<graph::ExpOp>(x);
    if (name == "log")
      return b.unary<graph::LogOp>(x);
    if (name == "log2")
      return b.unary<graph::Log2Op>(x);
    if (name == "sin")
      return b.unary<graph::SinOp>(x);
    if (name == "cos")
      return b.unary<graph::CosOp>(x);
    if (name == "tan")
      return b.unary<graph::TanOp>(x);
    if (name == "sinh")
      return b.unary<graph::SinhOp>(x);
    if (name == "cosh")
      return b.unary<graph::CoshOp>(x);
    if (name == "tanh")
      return b.unary<graph::TanhOp>(x);
    if (name == "asin")
      return b.unary<graph::AsinOp>(x);
    if (name == "acos")
      return b.unary<graph::AcosOp>(x);
    if (name == "atan")
      return b.unary<graph::AtanOp>(x);
  }
  return makeError("the function " + quoted(node.name) +
                   " of floats that data gives is not supported");
}

/// The predicate of a relation by its name in an expression.
static std::optional<graph::ComparePredicate> getRelation(StringRef name) {
  using graph::ComparePredicate;
  return llvm::StringSwitch<std::optional<ComparePredicate>>(name)
      .Cases({"Eq", "Equality"}, ComparePredicate::Eq)
      .Cases({"Ne", "Unequality"}, ComparePredicate::Ne)
      .Cases({"Le", "LessThan"}, ComparePredicate::Le)
      .Cases({"Lt", "StrictLessThan"}, ComparePredicate::Lt)
      .Cases({"Ge", "GreaterThan"}, ComparePredicate::Ge)
      .Cases({"Gt", "StrictGreaterThan"}, ComparePredicate::Gt)
      .Default(std::nullopt);
}

Expected<Value> ModuleBuilder::computeBool(const SymExprNode &node) {
  graph::TensorBuilder b(builder, location);
  if (node.kind == SymExprNode::Kind::Boolean)
    return b.scalar(cast<TypedAttr>(builder.getBoolAttr(node.integer != 0)));
  if (node.kind != SymExprNode::Kind::Call)
    return makeError("it is not a relation");
  bool isAnd = node.name == "And", isOr = node.name == "Or";
  if ((isAnd || isOr) && !node.operands.empty()) {
    Value result;
    for (const SymExprNode *operand : node.operands) {
      Expected<Value> value = computeBool(*operand);
      if (!value)
        return value.takeError();
      result = !result ? *value
               : isAnd ? b.binary<graph::BitwiseAndOp>(result, *value)
                       : b.binary<graph::BitwiseOrOp>(result, *value);
    }
    return result;
  }
  if (node.name == "Not" && node.operands.size() == 1) {
    Expected<Value> value = computeBool(*node.operands[0]);
    if (!value)
      return value.takeError();
    return b.logicalNot(*value);
  }
  std::optional<graph::ComparePredicate> relation = getRelation(node.name);
  if (!relation || node.operands.size() != 2)
    return makeError(quoted(node.name) + " is not a supported relation");
  // Integers are compared as such, where both are.
  SmallVector<Value, 2> sides;
  if (none_of(node.operands, [](const SymExprNode *operand) {
        return SymConverter::hasFloats(*operand);
      }))
    for (const SymExprNode *operand : node.operands) {
      Expected<ExprAttr> expr = converter.convert(*operand);
      if (expr)
        sides.push_back(b.expr(*expr, builder.getI64Type()));
      else
        consumeError(expr.takeError());
    }
  if (sides.size() != 2) {
    sides.clear();
    for (const SymExprNode *operand : node.operands) {
      Expected<Value> value = computeFloat(*operand);
      if (!value)
        return value.takeError();
      sides.push_back(*value);
    }
  }
  return b.compare(*relation, sides[0], sides[1]);
}

Expected<Value> ModuleBuilder::computeNumber(const Argument &arg) {
  bool isFloat = arg.kind == Kind::SymFloat;
  StringRef name = isFloat ? arg.symFloats[0].name : arg.symInts[0].name;
  const StringMap<SymInt> &values =
      isFloat ? graph->symFloats : graph->symBools;
  auto it = values.find(name);
  if (it == values.end() || !it->second.isSymbolic())
    return makeError("the symbolic number " + quoted(name) +
                     " has no expression");
  Expected<const SymExprNode *> node = converter.parse(it->second.expr);
  if (!node)
    return node.takeError();
  Expected<Value> value = isFloat ? computeFloat(**node) : computeBool(**node);
  if (!value)
    return makeError("the expression " + quoted(it->second.expr) +
                     " cannot be represented: " + toString(value.takeError()));
  return value;
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

std::string ModuleBuilder::getFreshSymbol() {
  std::string name;
  do {
    name = "i" + std::to_string(numFresh++);
  } while (bounds.contains(name) || bound.contains(name));
  return name;
}

SymRelation ModuleBuilder::requireOnHost(Value holds) {
  std::string name = getFreshSymbol();
  bounds[name] = {0, 1};
  bound.insert(name);
  graph::ItemOp::create(builder, location, builder.getStringAttr(name), holds);
  return {sym::symbol(context, name), sym::constant(context, 1),
          sym::Predicate::Eq};
}

Expected<ExprAttr> ModuleBuilder::bindInteger(const SymExprNode &node) {
  std::string text;
  raw_string_ostream os(text);
  node.print(os);
  auto it = integers.find(text);
  // What a region has bound is not visible outside of it.
  if (it != integers.end() && bound.contains(it->second))
    return sym::symbol(context, it->second);
  Expected<Value> value = computeFloat(node);
  if (!value)
    return value.takeError();
  graph::TensorBuilder b(builder, location);
  std::string name = getFreshSymbol();
  bounds[name] = {-sym::RangeAttr::kInf, sym::RangeAttr::kInf};
  ranges.setSymbol(name, bounds[name]);
  graph::ItemOp::create(builder, location, builder.getStringAttr(name),
                        b.convert(*value, builder.getI64Type()));
  bound.insert(name);
  integers[text] = name;
  return sym::symbol(context, name);
}

Error ModuleBuilder::addItem(const Node &node) {
  if (node.inputs.size() != 1 || node.inputs[0].value.kind != Kind::Tensor ||
      node.outputs.size() != 1)
    return makeError("expected one tensor and one result");
  Expected<unsigned> variable = lookup(node.inputs[0].value.strings[0]);
  if (!variable)
    return variable.takeError();
  Value source = getValue(*variable);
  const Argument &output = node.outputs[0];
  ExprAttr expr;
  if (output.kind == Kind::SymInt) {
    Expected<ExprAttr> given = getExpr(output.symInts[0]);
    if (!given)
      return given.takeError();
    expr = *given;
  } else if (output.kind == Kind::SymBool) {
    // A bool is a symbol that is compared with one.
    auto it = graph->symBools.find(output.symInts[0].name);
    SmallVector<SymRelation> relations;
    if (it != graph->symBools.end() && it->second.isSymbolic())
      if (Error error = converter.convertRelations(it->second.expr, relations))
        return error;
    if (relations.size() == 1 && relations[0].predicate == sym::Predicate::Eq) {
      bool swapped = relations[0].lhs.isConstant(1);
      if (swapped || relations[0].rhs.isConstant(1))
        expr = swapped ? relations[0].rhs : relations[0].lhs;
    }
  } else if (output.kind == Kind::SymFloat) {
    auto it = graph->symFloats.find(output.symFloats[0].name);
    if (it == graph->symFloats.end() || !it->second.isSymbolic())
      return makeError("the float has no expression");
    Expected<const SymExprNode *> node = converter.parse(it->second.expr);
    if (!node)
      return node.takeError();
    auto type = cast<RankedTensorType>(source.getType());
    if ((*node)->kind != SymExprNode::Kind::Symbol || !type.hasStaticShape() ||
        type.getNumElements() != 1 || isa<ComplexType>(type.getElementType()))
      return makeError("only one float that becomes a symbol is supported");
    graph::TensorBuilder b(builder, location);
    floats[(*node)->name] =
        b.convert(b.reshape(source, {}), builder.getF64Type());
    return Error::success();
  } else {
    return makeError("only integers, bools and floats are supported as numbers "
                     "that data gives");
  }
  auto type = cast<RankedTensorType>(source.getType());
  if (!expr || !expr.isSymbol() || !isa<IntegerType>(type.getElementType()) ||
      !type.hasStaticShape() || type.getNumElements() != 1)
    return makeError("only one integer or bool that becomes a symbol is "
                     "supported");
  if (!bound.insert(expr.getName()).second)
    return makeError("the symbol " + quoted(expr.getName()) +
                     " is defined already");
  graph::ItemOp::create(builder, getLocation(node),
                        builder.getStringAttr(expr.getName()), source);
  return Error::success();
}

Type ModuleBuilder::getComputedType(const Call &call, size_t result) {
  StringRef name = call.name;
  // Export gives what these operators count the element type of what they count
  // in (torch/_subclasses/fake_impls.py of PyTorch 2.11).
  bool isUnique = name.starts_with("aten._unique2.") ||
                  name.starts_with("aten.unique_dim.") ||
                  name.starts_with("aten.unique_consecutive.") ||
                  name.starts_with("aten.unique_dim_consecutive.");
  if (isUnique && result > 0)
    return builder.getI64Type();
  // Its kernel does not return what its description says, f64 and i64.
  if (name == "quantized_decomposed.choose_qparams_per_token.default" &&
      call.operands.size() == 1) {
    Type element = graph::getElementType(call.operands[0]);
    return element.isF16() ? Type(builder.getF32Type()) : element;
  }
  if (name != "aten.bincount.default")
    return Type();
  for (auto [key, operand] : zip_equal(call.operandNames, call.operands))
    if (cast<StringAttr>(key).getValue() == "weights")
      return graph::getElementType(operand).isF32() ? builder.getF32Type()
                                                    : builder.getF64Type();
  return builder.getI64Type();
}

void ModuleBuilder::retype(graph::AtenOp op,
                           MutableArrayRef<RankedTensorType> types) {
  Call call;
  call.name = op.getName().str();
  llvm::append_range(call.operands, op.getInputs());
  llvm::append_range(call.operandNames, op.getOperandNames());
  bool isSource = false;
  for (size_t i = 0; i < types.size(); ++i)
    if (getComputedType(call, i)) {
      retyped.insert(op->getResult(i));
      isSource = true;
    }
  bool takesAny =
      any_of(op.getInputs(), [&](Value v) { return retyped.contains(v); });
  // Complex numbers promote in a pass of their own.
  bool isComplex = any_of(op->getOperandTypes(), [](Type type) {
    return isa<ComplexType>(cast<RankedTensorType>(type).getElementType());
  });
  if (isSource || !takesAny || isComplex || types.size() != 1)
    return;
  graph::RandomStates states;
  graph::AtenCall aten(op, builder, states);
  Type element = graph::getResultElementType(aten);
  if (!element || element == types[0].getElementType())
    return;
  types[0] = sym::getTensorType(sym::getSizes(types[0]), element);
  op.getResult(0).setType(types[0]);
  retyped.insert(op.getResult(0));
}

ArrayAttr ModuleBuilder::bindSizes(ArrayRef<RankedTensorType> types) {
  SmallVector<Attribute> names;
  for (RankedTensorType type : types)
    for (ExprAttr size : sym::getSizes(type))
      sym::walkLeaves(size, [&](ExprAttr leaf) {
        if (bound.insert(leaf.getName()).second)
          names.push_back(builder.getStringAttr(leaf.getName()));
      });
  return names.empty() ? ArrayAttr() : builder.getArrayAttr(names);
}

//===----------------------------------------------------------------------===//
// Views whose ends data decides
//===----------------------------------------------------------------------===//

/// Where an end of a slice is, counted from the front and kept inside of the
/// dimension, whatever its sign.
static ExprAttr normalizeEnd(const sym::Context &ranges, ExprAttr position,
                             ExprAttr size) {
  ExprAttr zero = sym::constant(position.getContext(), 0);
  if (!ranges.isNonNegative(position)) {
    ExprAttr one = sym::constant(position.getContext(), 1);
    ExprAttr isNegative =
        ranges.bounds(position).hi < 0
            ? one
            : sym::min(sym::max(sym::neg(position), zero), one);
    position = sym::max(sym::add(position, sym::mul(size, isNegative)), zero);
  }
  return ranges.simplify(sym::min(position, size));
}

/// The symbol that an expression is, if none of the inputs or ops gives it.
static std::optional<std::string> getUnknown(SymConverter &converter,
                                             const SymInt &size,
                                             const llvm::StringSet<> &bound) {
  if (!size.isSymbolic())
    return std::nullopt;
  Expected<const SymExprNode *> node = converter.parse(size.expr);
  if (!node) {
    consumeError(node.takeError());
    return std::nullopt;
  }
  if ((*node)->kind != SymExprNode::Kind::Symbol ||
      bound.contains((*node)->name) || converter.isDefined((*node)->name))
    return std::nullopt;
  return (*node)->name.str();
}

Error ModuleBuilder::deriveView(const Node &node) {
  StringRef name = node.target;
  if (!name.consume_front("torch.ops.aten."))
    return Error::success();
  bool isSlice = name == "slice.Tensor" || name == "slice_copy.Tensor",
       isSelect = name == "select.int" || name == "select_copy.int",
       isNarrow = name == "narrow.default" || name == "narrow_copy.default";
  if ((!isSlice && !isSelect && !isNarrow) || node.outputs.size() != 1 ||
      node.outputs[0].kind != Kind::Tensor)
    return Error::success();
  Expected<const TensorMeta *> result = getMeta(node.outputs[0].strings[0]);
  if (!result)
    return result.takeError();
  bool isUnknown = bool(getUnknown(converter, (*result)->storageOffset, bound));
  for (const SymInt &size : (*result)->sizes)
    isUnknown |= bool(getUnknown(converter, size, bound));
  if (!isUnknown)
    return Error::success();

  const TensorMeta *source = nullptr;
  StringMap<ExprAttr> numbers;
  for (const NamedArgument &input : node.inputs) {
    const Argument &arg = input.value;
    if (arg.kind == Kind::Tensor && input.name == "self") {
      Expected<const TensorMeta *> meta = getMeta(arg.strings[0]);
      if (!meta)
        return meta.takeError();
      source = *meta;
    } else if (arg.kind == Kind::Int) {
      numbers[input.name] = sym::constant(context, arg.ints[0]);
    } else if (arg.kind == Kind::SymInt) {
      Expected<ExprAttr> number = getExpr(arg.symInts[0]);
      if (!number)
        return number.takeError();
      numbers[input.name] = *number;
    }
  }
  auto get = [&](StringRef key, int64_t otherwise) {
    ExprAttr given = numbers.lookup(key);
    return given ? given : sym::constant(context, otherwise);
  };
  std::optional<int64_t> dim = get("dim", 0).getConstant(),
                         step = get("step", 1).getConstant();
  int64_t rank = source ? static_cast<int64_t>(source->sizes.size()) : 0;
  if (!dim || !step || *step < 1 || *dim < -rank || *dim >= rank)
    return Error::success(); // What is wrong with it is said elsewhere.
  auto at = static_cast<size_t>(*dim < 0 ? *dim + rank : *dim);
  Expected<ExprAttr> size = getExpr(source->sizes[at]);
  if (!size)
    return size.takeError();
  Expected<ExprAttr> stride = getExpr(source->strides[at]);
  if (!stride)
    return stride.takeError();
  Expected<ExprAttr> offset = getExpr(source->storageOffset);
  if (!offset)
    return offset.takeError();

  ExprAttr start, count;
  if (isSelect) {
    start = normalizeEnd(ranges, get("index", 0), *size);
  } else {
    start = normalizeEnd(ranges, get("start", 0), *size);
    count = isNarrow ? get("length", 0)
                     : normalizeEnd(ranges, get("end", INT64_MAX), *size);
    if (isSlice)
      count = sym::ceilDiv(
          sym::max(sym::sub(count, start), sym::constant(context, 0)),
          sym::constant(context, *step));
    count = ranges.simplify(count);
  }
  if (!isSelect && at < (*result)->sizes.size())
    if (auto symbol = getUnknown(converter, (*result)->sizes[at], bound))
      converter.define(*symbol, count);
  if (auto symbol = getUnknown(converter, (*result)->storageOffset, bound))
    converter.define(*symbol, sym::add(*offset, sym::mul(start, *stride)));
  return Error::success();
}

Error ModuleBuilder::addTensorSplit(const Node &node) {
  Expected<const OpSchema *> schema =
      getSchema("aten.tensor_split.tensor_indices_or_sections");
  if (!schema)
    return schema.takeError();
  Expected<const OpSchema *> sliceSchema = getSchema("aten.slice.Tensor");
  if (!sliceSchema)
    return sliceSchema.takeError();
  Call call;
  if (Error error = collectArguments(node, *schema, call))
    return error;
  std::optional<unsigned> self = call.getVariable("self");
  Value source, positions;
  for (auto [key, operand] : zip_equal(call.operandNames, call.operands))
    (cast<StringAttr>(key).getValue() == "self" ? source : positions) = operand;
  auto dim = dyn_cast_or_null<IntegerAttr>(call.getArgument("dim"));
  if (!*schema || !*sliceSchema || !self || !source || !positions || !dim ||
      node.outputs.size() != 1 || node.outputs[0].kind != Kind::Tensors)
    return makeError("expected a tensor, positions and a list of results");
  auto type = cast<RankedTensorType>(positions.getType());
  ArrayRef<StringRef> names = node.outputs[0].strings;
  if (type.getRank() != 1 || !type.hasStaticShape() ||
      type.getDimSize(0) + 1 != static_cast<int64_t>(names.size()))
    return makeError("a number of sections that data decides is not supported");
  const TensorMeta &meta = *variables[*self].meta;
  auto rank = static_cast<int64_t>(meta.sizes.size());
  int64_t at = dim.getInt() < 0 ? dim.getInt() + rank : dim.getInt();
  if (at < 0 || at >= rank)
    return makeError("its dimension is outside of its operand");
  Expected<SmallVector<ExprAttr>> outer =
      getExprs({meta.sizes[at], meta.strides[at], meta.storageOffset});
  if (!outer)
    return outer.takeError();

  // Each position is read once; a part begins where the one before it ends.
  graph::TensorBuilder b(builder, location);
  ExprAttr size = (*outer)[0];
  SmallVector<ExprAttr> bounds = {sym::constant(context, 0)};
  for (int64_t i = 0; i < type.getDimSize(0); ++i) {
    std::string name = getFreshSymbol();
    this->bounds[name] = {-sym::RangeAttr::kInf, sym::RangeAttr::kInf};
    ranges.setSymbol(name, this->bounds[name]);
    bound.insert(name);
    graph::ItemOp::create(
        builder, location, builder.getStringAttr(name),
        b.convert(b.at(positions, 0, sym::constant(context, i)),
                  builder.getI64Type()));
    bounds.push_back(sym::symbol(context, name));
  }
  bounds.push_back(sym::constant(context, INT64_MAX));
  for (auto [i, name] : enumerate(names)) {
    Expected<const TensorMeta *> part = getMeta(name);
    if (!part)
      return part.takeError();
    ExprAttr start = normalizeEnd(ranges, bounds[i], size);
    ExprAttr end = normalizeEnd(ranges, bounds[i + 1], size);
    if (at < static_cast<int64_t>((*part)->sizes.size()))
      if (auto symbol = getUnknown(converter, (*part)->sizes[at], bound))
        converter.define(*symbol,
                         ranges.simplify(sym::max(sym::sub(end, start),
                                                  sym::constant(context, 0))));
    if (auto symbol = getUnknown(converter, (*part)->storageOffset, bound))
      converter.define(*symbol,
                       sym::add((*outer)[2], sym::mul(start, (*outer)[1])));
    Call slice;
    slice.name = "aten.slice.Tensor";
    slice.operands = {source};
    slice.operandNames = {builder.getStringAttr("self")};
    slice.variables = {*self};
    slice.aliasSets["a"] = *self;
    slice.arguments = {
        builder.getNamedAttr("dim", builder.getI64IntegerAttr(at)),
        builder.getNamedAttr("end", bounds[i + 1]),
        builder.getNamedAttr("start", bounds[i]),
        builder.getNamedAttr("step", builder.getI64IntegerAttr(1))};
    Node piece;
    piece.target = "torch.ops.aten.slice.Tensor";
    piece.name = name;
    Argument output;
    output.kind = Kind::Tensor;
    output.strings.push_back(name);
    piece.outputs.push_back(std::move(output));
    if (Error error = addResults(piece, *sliceSchema, slice))
      return error;
  }
  return Error::success();
}
