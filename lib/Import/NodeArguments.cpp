//===----------------------------------------------------------------------===//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The arguments of a node: tensors become operands, everything else becomes
// attributes, and defaults come from the operator's schema.
//
//===----------------------------------------------------------------------===//

#include "ModuleBuilder.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace mlir;
using namespace coil;
using namespace coil::import;
using Kind = Argument::Kind;
using Base = SchemaType::Base;

static StringRef describe(const Argument &arg) {
  switch (arg.kind) {
  case Kind::None:
    return "None";
  case Kind::Tensor:
    return "a tensor";
  case Kind::Tensors:
    return "a list of tensors";
  case Kind::Int:
    return "an integer";
  case Kind::Ints:
    return "a list of integers";
  case Kind::Float:
    return "a float";
  case Kind::Floats:
    return "a list of floats";
  case Kind::Bool:
    return "a bool";
  case Kind::Bools:
    return "a list of bools";
  case Kind::String:
    return "a string";
  case Kind::Strings:
    return "a list of strings";
  case Kind::Complex:
    return "a complex number";
  case Kind::SymInt:
    return "a symbolic integer";
  case Kind::SymInts:
    return "a list of symbolic integers";
  case Kind::SymFloat:
    return "a symbolic float";
  case Kind::SymFloats:
    return "a list of symbolic floats";
  case Kind::SymBool:
    return "a symbolic bool";
  case Kind::SymBools:
    return "a list of symbolic bools";
  case Kind::ScalarType:
    return "an element type";
  case Kind::MemoryFormat:
    return "a memory format";
  case Kind::Layout:
    return "a layout";
  case Kind::Device:
    return "a device";
  case Kind::Graph:
    return "a subgraph";
  case Kind::Operator:
    return "an operator";
  case Kind::Other:
    return "of an unsupported kind";
  }
  llvm_unreachable("unknown kind");
}

/// Whether an exported program may pass \p arg where the schema says \p type.
/// Python numbers stand in for tensors, and a number for a list of equal ones.
static bool isCompatible(const Argument &arg, const SchemaType &type) {
  bool isEmptyList = type.isList &&
                     (arg.kind == Kind::Ints || arg.kind == Kind::Tensors) &&
                     arg.ints.empty() && arg.strings.empty();
  if (isEmptyList)
    return true;
  switch (arg.kind) {
  case Kind::None:
    return type.isOptional;
  case Kind::Tensor:
    return type.base == Base::Tensor && !type.isList;
  case Kind::Tensors:
    return type.base == Base::Tensor && type.isList;
  case Kind::Int:
  case Kind::SymInt:
    if (type.base == Base::Int || type.base == Base::SymInt)
      return true;
    if (type.base == Base::Float)
      return !type.isList && arg.kind == Kind::Int;
    return !type.isList &&
           (type.base == Base::Scalar || type.base == Base::Tensor);
  case Kind::Ints:
    return type.isList &&
           (type.base == Base::Int || type.base == Base::SymInt ||
            type.base == Base::Scalar);
  case Kind::SymInts:
    return type.isList && type.base == Base::SymInt;
  case Kind::Float:
  case Kind::SymFloat:
    return !type.isList &&
           (type.base == Base::Float || type.base == Base::Scalar ||
            type.base == Base::Tensor);
  case Kind::Floats:
  case Kind::SymFloats:
    return type.isList &&
           (type.base == Base::Float || type.base == Base::Scalar);
  case Kind::Bool:
  case Kind::SymBool:
    return !type.isList &&
           (type.base == Base::Bool || type.base == Base::Scalar ||
            type.base == Base::Tensor);
  case Kind::Bools:
  case Kind::SymBools:
    return type.isList &&
           (type.base == Base::Bool || type.base == Base::Scalar);
  case Kind::String:
    return !type.isList && type.base == Base::String;
  case Kind::Strings:
    return type.isList && type.base == Base::String;
  case Kind::Complex:
    return !type.isList &&
           (type.base == Base::Scalar || type.base == Base::Complex ||
            type.base == Base::Tensor);
  case Kind::ScalarType:
    return !type.isList && type.base == Base::ScalarType;
  case Kind::MemoryFormat:
    return !type.isList && type.base == Base::MemoryFormat;
  case Kind::Layout:
    return !type.isList && type.base == Base::Layout;
  case Kind::Device:
    return !type.isList && type.base == Base::Device;
  case Kind::Graph:
  case Kind::Operator:
    return false;
  case Kind::Other:
    return true; // Refused with a better message below.
  }
  llvm_unreachable("unknown kind");
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

static StringRef getMemoryFormatName(MemoryFormat format) {
  switch (format) {
  case MemoryFormat::Contiguous:
    return "contiguous_format";
  case MemoryFormat::ChannelsLast:
    return "channels_last";
  case MemoryFormat::ChannelsLast3D:
    return "channels_last_3d";
  case MemoryFormat::Preserve:
    return "preserve_format";
  }
  llvm_unreachable("checked by the reader");
}

/// A list of integers, repeated when the schema wants more of the same.
Attribute ModuleBuilder::getIntList(ArrayRef<int64_t> values,
                                    const SchemaType *type) {
  if (type && type->listSize > 1 && values.size() == 1)
    return builder.getDenseI64ArrayAttr(
        SmallVector<int64_t>(type->listSize, values.front()));
  return builder.getDenseI64ArrayAttr(values);
}

Expected<Attribute> ModuleBuilder::getAttribute(const Argument &arg,
                                                const SchemaType *type) {
  auto unsupported = [&]() {
    return makeError("it is " + ::describe(arg) +
                     ", which is not supported here");
  };
  bool isList = type && type->isList;
  switch (arg.kind) {
  case Kind::None:
    return Attribute();
  case Kind::Int:
    if (type && type->base == Base::Float)
      return builder.getF64FloatAttr(static_cast<double>(arg.ints[0]));
    if (isList)
      return getIntList(arg.ints, type);
    return builder.getI64IntegerAttr(arg.ints[0]);
  case Kind::Ints:
    if (type && type->base == Base::Float)
      return builder.getDenseF64ArrayAttr(
          SmallVector<double>(arg.ints.begin(), arg.ints.end()));
    return getIntList(arg.ints, type);
  case Kind::Float:
    return builder.getF64FloatAttr(arg.floats[0]);
  case Kind::Floats:
    return builder.getDenseF64ArrayAttr(arg.floats);
  case Kind::Bool:
    return builder.getBoolAttr(arg.ints[0]);
  case Kind::Bools:
    return builder.getDenseBoolArrayAttr(
        SmallVector<bool>(arg.ints.begin(), arg.ints.end()));
  case Kind::String:
    return builder.getStringAttr(arg.strings[0]);
  case Kind::Strings:
    return builder.getStrArrayAttr(arg.strings);
  case Kind::SymInt:
  case Kind::SymInts: {
    SmallVector<sym::ExprAttr> exprs;
    SmallVector<int64_t> numbers;
    for (const SymRef<int64_t> &ref : arg.symInts) {
      Expected<sym::ExprAttr> expr = getExpr(ref);
      if (!expr)
        return expr.takeError();
      exprs.push_back(*expr);
      if (std::optional<int64_t> number = expr->getConstant())
        numbers.push_back(*number);
    }
    if (arg.kind == Kind::SymInts || isList) {
      if (numbers.size() == exprs.size())
        return getIntList(numbers, type);
      if (type && type->listSize > 1 && exprs.size() == 1)
        exprs.assign(type->listSize, sym::ExprAttr(exprs.front()));
      return sym::ShapeAttr::get(context, exprs);
    }
    if (!numbers.empty())
      return builder.getI64IntegerAttr(numbers.front());
    return exprs.front();
  }
  case Kind::SymFloat:
    if (!arg.symFloats[0].name.empty())
      return unsupported();
    return builder.getF64FloatAttr(arg.symFloats[0].value);
  case Kind::SymBool:
    if (!arg.symInts[0].name.empty())
      return unsupported();
    return builder.getBoolAttr(arg.symInts[0].value);
  case Kind::ScalarType:
    return TypeAttr::get(getElementType(*getDType(arg.ints[0])));
  case Kind::MemoryFormat:
    return builder.getStringAttr(
        getMemoryFormatName(static_cast<MemoryFormat>(arg.ints[0])));
  case Kind::Layout:
    if (arg.ints[0] != stridedLayout)
      return makeError("layout " + Twine(arg.ints[0]) +
                       " is not supported, only strided tensors are");
    return builder.getStringAttr("strided");
  case Kind::Device: {
    std::string device = arg.strings[0].str();
    if (!arg.ints.empty())
      device += ":" + std::to_string(arg.ints[0]);
    return builder.getStringAttr(device);
  }
  case Kind::Other:
    return makeError("arguments of kind " + quoted(arg.strings[0]) +
                     " are not supported");
  case Kind::Complex:
    // The parts, under their names.
    return builder.getDictionaryAttr(
        {builder.getNamedAttr("imag", builder.getF64FloatAttr(arg.floats[1])),
         builder.getNamedAttr("real", builder.getF64FloatAttr(arg.floats[0]))});
  case Kind::Tensor:
  case Kind::Tensors:
  case Kind::Graph:
  case Kind::Operator:
  case Kind::SymFloats:
  case Kind::SymBools:
    return unsupported();
  }
  llvm_unreachable("unknown kind");
}

/// The default of \p arg, or null for None.
Attribute ModuleBuilder::getDefault(const SchemaArgument &arg) {
  const SchemaType &type = arg.type;
  if (const bool *flag = std::get_if<bool>(&*arg.defaultValue))
    return builder.getBoolAttr(*flag);
  if (const int64_t *number = std::get_if<int64_t>(&*arg.defaultValue)) {
    if (type.base == Base::MemoryFormat) {
      // Defaults in schemas use the numbers of c10::MemoryFormat.
      static constexpr MemoryFormat formats[] = {
          MemoryFormat::Contiguous, MemoryFormat::Preserve,
          MemoryFormat::ChannelsLast, MemoryFormat::ChannelsLast3D};
      if (*number >= 0 && *number < 4)
        return builder.getStringAttr(getMemoryFormatName(formats[*number]));
      return Attribute();
    }
    if (type.base == Base::ScalarType) {
      assert(*number == 4 && "the table has no other default element type");
      return TypeAttr::get(builder.getI64Type()); // c10::ScalarType::Long
    }
    if (type.isList)
      return getIntList(*number, &type);
    return builder.getI64IntegerAttr(*number);
  }
  if (const double *number = std::get_if<double>(&*arg.defaultValue))
    return builder.getF64FloatAttr(*number);
  if (const std::string *text = std::get_if<std::string>(&*arg.defaultValue))
    return builder.getStringAttr(*text);
  if (const auto *list =
          std::get_if<SmallVector<int64_t, 4>>(&*arg.defaultValue))
    return getIntList(*list, &type);
  return Attribute();
}

//===----------------------------------------------------------------------===//
// Collecting
//===----------------------------------------------------------------------===//

Error ModuleBuilder::addTensors(StringRef name, const Argument &arg,
                                const SchemaArgument *schema, Call &call) {
  bool hasPositions = schema && schema->type.hasOptionalElements;
  for (auto [position, tensor] : enumerate(arg.strings)) {
    if (tensor.empty()) {
      if (!hasPositions)
        return makeError("an element of the list is absent");
      continue;
    }
    Expected<unsigned> variable = lookup(tensor);
    if (!variable)
      return variable.takeError();
    if (schema && schema->isMutated) {
      if (arg.kind == Kind::Tensors)
        return makeError("the operator updates a list of tensors, which is not "
                         "supported");
      call.targets.push_back({schema, *variable});
    }
    if (schema && !schema->aliasSet.empty()) {
      auto [it, isNew] =
          call.aliasSets.try_emplace(schema->aliasSet, *variable);
      if (!isNew)
        storages.join(getStorage(it->second), getStorage(*variable));
    }
    // An argument `out=` is written to and not read.
    if (schema && schema->isMutated && schema->isKeywordOnly)
      continue;
    call.operands.push_back(getValue(*variable));
    call.operandNames.push_back(builder.getStringAttr(
        hasPositions ? name + "." + Twine(position) : Twine(name)));
    call.variables.push_back(*variable);
  }
  return Error::success();
}

Error ModuleBuilder::addArgument(StringRef name, const Argument &arg,
                                 const SchemaArgument *schema, Call &call) {
  auto fail = [&](Error error) {
    return makeError("argument " + quoted(name) + ": " +
                     toString(std::move(error)));
  };
  // Autograd passes tensors that are not defined to operators of gradients,
  // whatever their schemas say: attention without a mask.
  bool isUndefined =
      arg.kind == Kind::None && schema && schema->type.base == Base::Tensor &&
      !schema->type.isList && StringRef(call.name).contains("_backward");
  if (schema && !isUndefined && !isCompatible(arg, schema->type))
    return fail(
        makeError("the schema does not allow that it is " + ::describe(arg)));
  if (arg.kind == Kind::Tensor || arg.kind == Kind::Tensors) {
    if (Error error = addTensors(name, arg, schema, call))
      return fail(std::move(error));
    return Error::success();
  }
  bool isNumber =
      (arg.kind == Kind::SymFloat && !arg.symFloats[0].name.empty()) ||
      (arg.kind == Kind::SymBool && !arg.symInts[0].name.empty());
  if (isNumber) {
    // A tensor of rank zero stands for it.
    Expected<Value> value = computeNumber(arg);
    if (!value)
      return fail(value.takeError());
    variables.push_back(
        {storages.create(*value, Storage::Owner::Program, name), nullptr, {}});
    call.operands.push_back(*value);
    call.operandNames.push_back(builder.getStringAttr(name));
    call.variables.push_back(variables.size() - 1);
    call.numbers.push_back(builder.getStringAttr(name));
    return Error::success();
  }
  Expected<Attribute> attribute =
      getAttribute(arg, schema ? &schema->type : nullptr);
  if (!attribute)
    return fail(attribute.takeError());
  if (*attribute)
    call.arguments.push_back(builder.getNamedAttr(name, *attribute));
  return Error::success();
}

Error ModuleBuilder::collectArguments(const Node &node, const OpSchema *schema,
                                      Call &call) {
  StringMap<const Argument *> given;
  for (const NamedArgument &input : node.inputs) {
    bool isPlain = !input.name.empty() && all_of(input.name, [](char c) {
      return isAlnum(c) || c == '_';
    });
    if (!isPlain)
      return makeError("an argument has the name " + quoted(input.name));
    if (!given.try_emplace(input.name, &input.value).second)
      return makeError("argument " + quoted(input.name) +
                       " is given more than once");
    if (!schema) {
      if (Error error = addArgument(input.name, input.value, nullptr, call))
        return error;
    } else if (!schema->find(input.name)) {
      return makeError("the operator has no argument " + quoted(input.name));
    }
  }
  if (!schema)
    return Error::success();
  for (const SchemaArgument &arg : schema->arguments) {
    auto it = given.find(arg.name);
    if (it != given.end()) {
      if (Error error = addArgument(arg.name, *it->second, &arg, call))
        return error;
      continue;
    }
    if (!arg.defaultValue)
      return makeError("argument " + quoted(arg.name) + " is missing");
    if (Attribute value = getDefault(arg))
      call.arguments.push_back(builder.getNamedAttr(arg.name, value));
  }
  return Error::success();
}
