//===----------------------------------------------------------------------===//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Operators on lists of tensors. `_foreach_add_` becomes one `add` for each
// tensor, as PyTorch does where it has no fused kernel: the tensors of a list
// may share memory, so each call sees what the ones before wrote.
//
//===----------------------------------------------------------------------===//

#include "ModuleBuilder.h"

using namespace llvm;
using namespace mlir;
using namespace coil;
using namespace coil::import;
using Kind = Argument::Kind;
using Base = SchemaType::Base;

namespace {
/// An argument of the call for one tensor: an element of the list, or what is
/// the same for all.
struct Element {
  const SchemaArgument *argument;
  /// Its kind, without that it is a list.
  Base base;
  NamedArgument value;
  bool isGiven = false;
};
} // namespace

/// Element \p i of a list, or the argument itself.
static Expected<Argument> getElement(const Argument &list, bool isList,
                                     size_t i, size_t count) {
  if (!isList)
    return list;
  Argument element;
  auto take = [&](const auto &from, auto &to, Kind kind) -> Error {
    if (from.size() != count)
      return makeError("its lists have different lengths");
    element.kind = kind;
    to.push_back(from[i]);
    return Error::success();
  };
  Error error = Error::success();
  switch (list.kind) {
  case Kind::Tensors:
    error = take(list.strings, element.strings, Kind::Tensor);
    break;
  case Kind::Ints:
    error = take(list.ints, element.ints, Kind::Int);
    break;
  case Kind::Floats:
    error = take(list.floats, element.floats, Kind::Float);
    break;
  case Kind::Bools:
    error = take(list.ints, element.ints, Kind::Bool);
    break;
  case Kind::SymInts:
    error = take(list.symInts, element.symInts, Kind::SymInt);
    break;
  default:
    return makeError("expected a list");
  }
  if (error)
    return std::move(error);
  return element;
}

/// Gives the arguments the names that they have in \p schema: those of the same
/// name, then the others in order. False when they do not fit.
static bool bindArguments(const OpSchema &schema,
                          MutableArrayRef<Element> elements) {
  SmallVector<const SchemaArgument *> free;
  SmallVector<Element *> unnamed;
  for (const SchemaArgument &argument : schema.arguments)
    free.push_back(&argument);
  auto bind = [&](Element &element, const SchemaArgument *argument) {
    if (argument->type.base != element.base || argument->type.isList)
      return false;
    element.value.name = argument->name;
    llvm::erase(free, argument);
    return true;
  };
  for (Element &element : elements) {
    const SchemaArgument *same = schema.find(element.argument->name);
    if (!same)
      unnamed.push_back(&element);
    else if (!bind(element, same))
      return false;
  }
  for (Element *element : unnamed)
    if (free.empty() || !bind(*element, free.front()))
      return false;
  return all_of(free, [](const SchemaArgument *argument) {
    return argument->defaultValue.has_value();
  });
}

Error ModuleBuilder::addForeach(const Node &node, const OpSchema &schema,
                                size_t position) {
  StringRef name = StringRef(node.target)
                       .drop_front(strlen("torch.ops.aten._foreach_"))
                       .split('.')
                       .first;
  bool isInPlace = name.ends_with("_");
  if (schema.arguments.empty())
    return makeError("it has no operands");
  // The list that says how many calls there are.
  size_t count = 0;
  for (const NamedArgument &input : node.inputs)
    if (input.value.kind == Kind::Tensors)
      count = input.value.strings.size();
  std::string base = name == "norm" ? "linalg_vector_norm" : name.str();
  for (size_t i = 0; i < count; ++i) {
    SmallVector<Element> elements;
    for (const SchemaArgument &argument : schema.arguments) {
      auto given = llvm::find_if(node.inputs, [&](const NamedArgument &input) {
        return input.name == argument.name;
      });
      if (given == node.inputs.end()) {
        if (!argument.defaultValue)
          return makeError("argument " + quoted(argument.name) + " is missing");
        continue; // The operator on one tensor has the same default.
      }
      Expected<Argument> value =
          getElement(given->value, argument.type.isList, i, count);
      if (!value)
        return value.takeError();
      Element &element = elements.emplace_back();
      element.argument = &argument;
      element.base = argument.type.base;
      element.value.value = std::move(*value);
    }
    // The overload that takes these arguments.
    Node single;
    const AtenSchemaEntry *found = nullptr;
    SmallVector<std::string> bases = {base};
    // Bounds of a number have operators of their own.
    if (StringRef(base).starts_with("maximum"))
      bases.push_back(isInPlace ? "clamp_min_" : "clamp_min");
    if (StringRef(base).starts_with("minimum"))
      bases.push_back(isInPlace ? "clamp_max_" : "clamp_max");
    if (base == "powsum")
      bases.push_back("linalg__powsum");
    // Some operators are there in the form that returns a value only.
    if (isInPlace)
      bases.push_back(StringRef(base).drop_back().str());
    for (const std::string &candidate : bases) {
      std::string prefix = candidate + ".";
      const AtenSchemaEntry *entry = llvm::lower_bound(
          getAtenSchemas(), prefix,
          [](const AtenSchemaEntry &entry, const std::string &name) {
            return StringRef(entry.name) < name;
          });
      for (; !found && entry != getAtenSchemas().end() &&
             StringRef(entry->name).starts_with(prefix);
           ++entry) {
        Expected<const OpSchema *> other =
            getSchema("aten." + std::string(entry->name));
        if (!other)
          return other.takeError();
        bool updates = *other && (*other)->isMutating();
        if (*other && (*other)->returns.size() == 1 &&
            updates == StringRef(candidate).ends_with("_") &&
            bindArguments(**other, elements))
          found = entry;
      }
    }
    if (!found)
      return makeError("there is no operator on one tensor for it");
    std::string target = "torch.ops.aten." + std::string(found->name);
    single.target = target;
    single.name = node.name;
    single.source = node.source;
    for (Element &element : elements)
      single.inputs.push_back(std::move(element.value));
    bool updates = StringRef(found->name).split('.').first.ends_with("_");
    if (updates) {
      if (Error error = addCall(single, position))
        return error;
      continue;
    }
    if (isInPlace) {
      // x = op(x), as an update of x.
      Call call;
      call.name = "aten." + std::string(found->name);
      Expected<const OpSchema *> functional = getSchema(call.name);
      if (!functional)
        return functional.takeError();
      if (Error error = collectArguments(single, *functional, call))
        return error;
      if (call.variables.empty())
        return makeError("it has no operands");
      Type type = variables[call.variables[0]].view->type;
      graph::AtenOp op = createFunctional(call.name, call, type);
      if (Error error = assign(call.variables[0], op.getResult(0), position))
        return error;
      continue;
    }
    if (node.outputs.size() != 1 || node.outputs[0].strings.size() != count)
      return makeError("expected a result for each tensor of the list");
    Argument output;
    output.kind = Kind::Tensor;
    output.strings.push_back(node.outputs[0].strings[i]);
    single.outputs.push_back(std::move(output));
    if (Error error = addCall(single, position))
      return error;
  }
  return Error::success();
}
