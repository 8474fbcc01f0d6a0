//===----------------------------------------------------------------------===//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Operators that are in no table of ours: functions of the model's owner, which
// the program calls where it runs.
//
// An operator that changes its operands says so only in a program after
// run_decompositions(): there its call is `auto_functionalized_v2`, which names
// the tensors that are changed and gives what they become.
//
//===----------------------------------------------------------------------===//

#include "ModuleBuilder.h"
#include "coil/Dialect/Graph/IR/Graph.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace mlir;
using namespace coil;
using namespace coil::import;
using Kind = Argument::Kind;
using sym::ExprAttr;

/// The arguments of a call, in order.
struct ModuleBuilder::CustomCall {
  std::string callee;
  SmallVector<Attribute> arguments, names;
  SmallVector<Value> operands;
  SmallVector<int64_t> mutates;
};

bool ModuleBuilder::isCustom(StringRef name) {
  // Of these namespaces are PyTorch's own operators, which passes know, as they
  // do two of the library transformers.
  return !name.starts_with("aten.") && !name.starts_with("prim") &&
         !name.starts_with("quantized_decomposed.") &&
         name != "transformers.grouped_mm_fallback.default" &&
         name != "transformers.grouped_mm_fallback_backward.default" &&
         !name.starts_with("higher_order.");
}

/// "mylib.foo.default" as the name of a function, "mylib::foo".
static Expected<std::string> getFunctionName(StringRef target) {
  SmallVector<StringRef> parts;
  target.split(parts, '.');
  bool isPlain = parts.size() == 3 && all_of(parts, [](StringRef part) {
                   return !part.empty() && all_of(part, [](char c) {
                     return isAlnum(c) || c == '_';
                   });
                 });
  if (!isPlain)
    return makeError("unknown kind of operator");
  std::string name = (parts[0] + "::" + parts[1]).str();
  if (parts[2] != "default")
    name += ("." + parts[2]).str();
  return name;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

Expected<Attribute> ModuleBuilder::getCallArgument(const Argument &arg,
                                                   CustomCall &call) {
  auto addTensor = [&](StringRef name) -> Expected<Attribute> {
    if (name.empty())
      return getNoneArgument(context);
    Expected<unsigned> variable = lookup(name);
    if (!variable)
      return variable.takeError();
    call.operands.push_back(getValue(*variable));
    return Attribute(builder.getUnitAttr());
  };
  auto listOf = [&](auto &&values, auto make) -> Attribute {
    SmallVector<Attribute> list;
    for (const auto &value : values)
      list.push_back(make(value));
    return builder.getArrayAttr(list);
  };
  auto integer = [&](int64_t value) -> Attribute {
    return sym::constant(context, value);
  };
  switch (arg.kind) {
  case Kind::None:
    return getNoneArgument(context);
  case Kind::Tensor:
    return addTensor(arg.strings[0]);
  case Kind::Tensors: {
    SmallVector<Attribute> list;
    for (StringRef name : arg.strings) {
      Expected<Attribute> element = addTensor(name);
      if (!element)
        return element.takeError();
      list.push_back(*element);
    }
    return builder.getArrayAttr(list);
  }
  case Kind::Int:
    return integer(arg.ints[0]);
  case Kind::Ints:
    return listOf(arg.ints, integer);
  case Kind::Floats:
    return listOf(arg.floats, [&](double value) -> Attribute {
      return builder.getF64FloatAttr(value);
    });
  case Kind::Bools:
    return listOf(arg.ints, [&](int64_t value) -> Attribute {
      return builder.getBoolAttr(value != 0);
    });
  case Kind::Strings:
    return listOf(arg.strings, [&](StringRef value) -> Attribute {
      return builder.getStringAttr(value);
    });
  case Kind::SymInt:
  case Kind::SymInts: {
    SmallVector<Attribute> list;
    for (const SymRef<int64_t> &ref : arg.symInts) {
      Expected<ExprAttr> expr = getExpr(ref);
      if (!expr)
        return expr.takeError();
      list.push_back(*expr);
    }
    if (arg.kind == Kind::SymInt)
      return list.front();
    return builder.getArrayAttr(list);
  }
  default:
    return getAttribute(arg, nullptr); // As for operators that we know.
  }
}

Error ModuleBuilder::addCallArgument(StringRef name, const Argument &arg,
                                     CustomCall &call) {
  bool isPlain = !name.empty() &&
                 all_of(name, [](char c) { return isAlnum(c) || c == '_'; });
  if (!isPlain)
    return makeError("an argument has the name " + quoted(name));
  Expected<Attribute> attribute = getCallArgument(arg, call);
  if (!attribute)
    return makeError("argument " + quoted(name) + ": " +
                     toString(attribute.takeError()));
  call.arguments.push_back(*attribute);
  call.names.push_back(builder.getStringAttr(name));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

Error ModuleBuilder::createCustomCall(const Node &node, const CustomCall &call,
                                      ArrayRef<Argument> outputs,
                                      ArrayRef<StringRef> changed) {
  SmallVector<Type> types;
  SmallVector<StringRef> names;
  for (auto [index, output] : enumerate(outputs)) {
    if (output.kind == Kind::None)
      continue;
    if (output.kind != Kind::Tensor && output.kind != Kind::Tensors)
      return makeError("result " + Twine(index) +
                       " is not a tensor, which is not supported");
    for (StringRef name : output.strings) {
      if (name.empty())
        return makeError("result " + Twine(index) +
                         " is absent, which is not supported");
      Expected<const TensorMeta *> meta = getMeta(name);
      if (!meta)
        return meta.takeError();
      Expected<RankedTensorType> type = getType(**meta);
      if (!type)
        return makeError("tensor " + quoted(name) + ": " +
                         toString(type.takeError()));
      types.push_back(*type);
      names.push_back(name);
    }
  }
  // Sizes that nothing before says are the function's to say.
  SmallVector<Attribute> defines;
  for (Type type : types)
    for (ExprAttr size : sym::getSizes(cast<RankedTensorType>(type)))
      sym::walkLeaves(size, [&](ExprAttr leaf) {
        if (leaf.isSymbol() && bound.insert(leaf.getName()).second)
          defines.push_back(builder.getStringAttr(leaf.getName()));
      });
  for (int64_t i : call.mutates)
    types.push_back(call.operands[static_cast<size_t>(i)].getType());
  append_range(names, changed);
  for (Type type : types)
    if (isa<ComplexType>(cast<RankedTensorType>(type).getElementType()))
      return makeError("complex results are not supported");
  auto op = graph::CustomCallOp::create(
      builder, getLocation(node), types, builder.getStringAttr(call.callee),
      builder.getArrayAttr(call.arguments), call.operands,
      builder.getArrayAttr(call.names),
      call.mutates.empty() ? DenseI64ArrayAttr()
                           : builder.getDenseI64ArrayAttr(call.mutates),
      defines.empty() ? ArrayAttr() : builder.getArrayAttr(defines));
  for (StringRef symbol : op.getBoundSymbols())
    if (!op.findSymbol(symbol))
      return makeError("the symbol " + quoted(symbol) +
                       " cannot be found out from the sizes of the results");
  for (auto [name, value] : zip_equal(names, op->getResults()))
    if (!name.empty())
      if (Error error = define(name, value))
        return error;
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

static constexpr StringLiteral kCollectives = "_c10d_functional::";

Error ModuleBuilder::addCollective(const Node &node, CustomCall call) {
  static constexpr StringLiteral known[] = {"all_reduce",
                                            "all_gather_into_tensor",
                                            "reduce_scatter_tensor",
                                            "all_to_all_single",
                                            "broadcast",
                                            "wait_tensor"};
  StringRef callee = call.callee, name = callee.drop_front(kCollectives.size());
  bool isList = name.consume_back("_coalesced");
  if (name.ends_with("_") && is_contained(known, name.drop_back()))
    return makeError("it changes its operand, which is not supported; the "
                     "functions of torch.distributed._functional_collectives "
                     "give a result");
  if (!is_contained(known, name))
    return makeError("the collective " + quoted(name) +
                     " is not supported; there are " +
                     join(ArrayRef<StringLiteral>(known), ", "));
  for (auto [key, argument] : zip(call.names, call.arguments))
    if (cast<StringAttr>(key).getValue() == "reduce_op") {
      StringRef how = isa<StringAttr>(argument)
                          ? cast<StringAttr>(argument).getValue()
                          : StringRef("");
      if (!is_contained({"sum", "avg", "min", "max", "product"}, how))
        return makeError("the collective " + quoted(name) +
                         " combines elements by " + quoted(how) +
                         ", which is not supported");
    }
  if (!isList)
    return createCustomCall(node, call, node.outputs, {});
  // One of each tensor in the list.
  auto list = call.arguments.empty() ? ArrayAttr()
                                     : dyn_cast<ArrayAttr>(call.arguments[0]);
  if (!list || list.size() != call.operands.size() ||
      node.outputs.size() != 1 || node.outputs[0].kind != Kind::Tensors ||
      node.outputs[0].strings.size() != list.size())
    return makeError("expected a list of tensors that gives another one");
  for (auto [operand, result] : zip(call.operands, node.outputs[0].strings)) {
    CustomCall each = call;
    each.callee = (kCollectives + name).str();
    each.arguments[0] = builder.getUnitAttr();
    each.operands = {operand};
    Argument output;
    output.kind = Kind::Tensor;
    output.strings.push_back(result);
    if (Error error = createCustomCall(node, each, output, {}))
      return error;
  }
  return Error::success();
}

Error ModuleBuilder::addCustomCall(const Node &node) {
  CustomCall call;
  Expected<std::string> name =
      getFunctionName(node.target.drop_front(strlen("torch.ops.")));
  if (!name)
    return name.takeError();
  call.callee = *name;
  // What such a program writes to is known to PyTorch alone.
  if (node.outputs.empty() && program.isTraining)
    return makeError("it has no results, so it changes its operands, and only "
                     "run_decompositions() on the exported program makes that "
                     "explicit");
  for (const NamedArgument &input : node.inputs)
    if (Error error = addCallArgument(input.name, input.value, call))
      return error;
  if (StringRef(call.callee).starts_with(kCollectives))
    return addCollective(node, std::move(call));
  return createCustomCall(node, call, node.outputs, {});
}

//===----------------------------------------------------------------------===//
// Calls that change operands
//===----------------------------------------------------------------------===//

Error ModuleBuilder::addFunctionalized(const Node &node) {
  if (node.inputs.empty() || node.inputs[0].value.kind != Kind::Operator)
    return makeError("expected an operator as its first argument");
  StringRef target = node.inputs[0].value.strings[0];
  if (!target.consume_front("torch.ops.") || !isCustom(target))
    return makeError("it changes its operands by the operator " +
                     quoted(target) + ", which is not supported");
  CustomCall call;
  Expected<std::string> function = getFunctionName(target);
  if (!function)
    return function.takeError();
  call.callee = *function;
  StringMap<const Argument *> hidden;
  SmallVector<StringRef> changing;
  const Argument *allBases = nullptr;
  for (const NamedArgument &input : ArrayRef(node.inputs).drop_front()) {
    StringRef name = input.name;
    if (name == "_all_bases") {
      allBases = &input.value;
      continue;
    }
    // What describes a changed argument has names of this form.
    if (name.starts_with("_")) {
      hidden[name] = &input.value;
      if (name.consume_back("_base_index"))
        changing.push_back(name.drop_front());
      continue;
    }
    if (Error error = addCallArgument(name, input.value, call))
      return error;
  }
  if (!allBases || allBases->kind != Kind::Tensors)
    return makeError("the tensors that it changes are missing");
  ArrayRef<StringRef> bases = allBases->strings;
  SmallVector<StringRef> changed;
  llvm::SmallDenseSet<int64_t> seen;
  if (node.outputs.size() < bases.size())
    return makeError("expected a result for each tensor that it changes");
  ArrayRef<Argument> outputs = node.outputs;
  ArrayRef<Argument> made = outputs.take_back(bases.size());
  for (StringRef name : changing) {
    auto fail = [&](const Twine &what) {
      return makeError("argument " + quoted(name) + " " + what);
    };
    for (StringRef view : {"_slice_dim", "_size", "_length"})
      if (hidden.contains(("_" + name + view).str()))
        return fail("is a view of what it changes, or a list, which is not "
                    "supported");
    const Argument &index = *hidden.lookup(("_" + name + "_base_index").str());
    if (index.kind == Kind::None) {
      if (Error error = addCallArgument(name, index, call))
        return error;
      continue;
    }
    if (index.kind != Kind::Int || index.ints[0] < 0 ||
        index.ints[0] >= static_cast<int64_t>(bases.size()))
      return fail("names no tensor that it changes");
    if (!seen.insert(index.ints[0]).second)
      return fail("is changed with another one that has the same memory, which "
                  "is not supported");
    auto number = static_cast<size_t>(index.ints[0]);
    Argument tensor;
    tensor.kind = Kind::Tensor;
    tensor.strings.push_back(bases[number]);
    call.mutates.push_back(static_cast<int64_t>(call.operands.size()));
    if (Error error = addCallArgument(name, tensor, call))
      return error;
    if (made[number].kind != Kind::Tensor)
      return makeError("expected a result for each tensor that it changes");
    changed.push_back(made[number].strings[0]);
  }
  return createCustomCall(node, call, outputs.drop_back(bases.size()), changed);
}
