//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts the nodes of regions that run once, as they are, where they stand:
// `with torch.no_grad()`, `with torch.autocast()`, subgraphs that were marked
// for somebody else. What such nodes change in place is a value of the nodes
// around them. Whether gradients are recorded means nothing to an exported
// program. Export records the operators of `torch.autocast` before they are
// intercepted: the conversions become nodes here (Autocast.h).
//
// `out_dtype`, which computes an operator in another element type, is spelled
// out, too.
//
//===----------------------------------------------------------------------===//

#include "Autocast.h"
#include "coil/Import/AtenSchema.h"
#include "coil/Import/ExportedProgram.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/SaveAndRestore.h"
#include "llvm/Support/StringSaver.h"

using namespace llvm;
using namespace coil::import;
using Kind = Argument::Kind;

namespace {

/// The names of a subgraph in the graph around it.
class Names {
public:
  Names(StringRef prefix, BumpPtrAllocator &storage)
      : prefix(prefix), saver(storage) {}

  /// Whether the names are one to one.
  bool bind(StringRef inner, StringRef outer) {
    return known.try_emplace(inner, outer).second;
  }
  bool contains(StringRef inner) const { return known.contains(inner); }
  StringRef get(StringRef inner) {
    if (inner.empty()) // An absent tensor, or a constant.
      return inner;
    auto [it, isNew] = known.try_emplace(inner);
    if (isNew)
      it->second = saver.save(prefix + "." + inner);
    return it->second;
  }
  Argument rename(Argument arg) {
    if (arg.kind == Kind::Tensor || arg.kind == Kind::Tensors)
      for (StringRef &name : arg.strings)
        name = get(name);
    for (SymRef<int64_t> &ref : arg.symInts)
      ref.name = get(ref.name);
    for (SymRef<double> &ref : arg.symFloats)
      ref.name = get(ref.name);
    return arg;
  }

private:
  StringRef prefix;
  StringSaver saver;
  StringMap<StringRef> known;
};

/// Where an operator has its subgraph, and the operands of that.
struct RegionForm {
  unsigned graph, operands;
};

/// Nothing for an operator that is no region which runs once, as it is.
std::optional<RegionForm> getRegionForm(StringRef target) {
  if (!target.consume_front("torch.ops.higher_order."))
    return std::nullopt;
  return StringSwitch<std::optional<RegionForm>>(target)
      .Case("wrap_with_set_grad_enabled", RegionForm{1, 2})
      .Case("wrap_with_autocast", RegionForm{4, 5})
      .Case("invoke_subgraph", RegionForm{0, 2})
      .Cases({"hints_wrapper", "strict_mode", "foreach_map", "wrap",
              "tag_activation_checkpoint"},
             RegionForm{0, 1})
      .Default(std::nullopt);
}

Argument getTensor(StringRef name) {
  Argument arg;
  arg.kind = Kind::Tensor;
  arg.strings.push_back(name);
  return arg;
}

Argument getScalarType(DType dtype) {
  Argument arg;
  arg.kind = Kind::ScalarType;
  arg.ints.push_back(static_cast<int64_t>(dtype));
  return arg;
}

class Inliner {
public:
  explicit Inliner(BumpPtrAllocator &storage)
      : storage(storage), saver(storage) {}

  void run(Graph &graph) {
    SaveAndRestore<Graph *> enter(current, &graph);
    std::vector<Node> given = std::move(graph.nodes);
    graph.nodes.clear();
    for (Node &node : given)
      add(std::move(node));
  }

private:
  void add(Node node) {
    if (auto form = getRegionForm(node.target))
      if (addRegion(node, *form))
        return;
    if (node.target == "torch.ops.higher_order.out_dtype" && addOutDType(node))
      return;
    for (NamedArgument &input : node.inputs)
      if (input.value.kind == Kind::Graph) {
        auto copy = std::make_shared<Graph>(*input.value.graph);
        run(*copy);
        input.value.graph = std::move(copy);
      }
    for (const AutocastConversion &conversion :
         autocast.findConversions(node, *current))
      convert(node.inputs[conversion.input].value, conversion.element,
              conversion.dtype, node);
    current->nodes.push_back(std::move(node));
  }

  /// Has a node take a tensor of \p dtype.
  void convert(Argument &arg, unsigned element, DType dtype, const Node &user) {
    StringRef name = arg.strings[element];
    StringRef result =
        saver.save(user.name + "." + name + "." + getName(dtype) + "." +
                   Twine(numConversions++));
    addConversion(name, result, dtype, user);
    TensorMeta meta = current->tensors.lookup(name);
    meta.dtype = dtype;
    meta.storageOffset = SymInt();
    current->tensors[result] = std::move(meta);
    arg.strings[element] = result;
  }

  /// `result = from.to(dtype)`, for \p user.
  void addConversion(StringRef from, StringRef result, DType dtype,
                     const Node &user) {
    Node &node = current->nodes.emplace_back();
    node.target = "torch.ops.aten._to_copy.default";
    node.name = result;
    node.inputs.push_back({"self", getTensor(from), false});
    node.inputs.push_back({"dtype", getScalarType(dtype), true});
    node.outputs.push_back(getTensor(result));
    node.source = user.source;
  }

  bool addRegion(const Node &node, RegionForm form);
  bool addOutDType(const Node &node);

  BumpPtrAllocator &storage;
  StringSaver saver;
  /// What is being written.
  Graph *current = nullptr;
  AutocastState autocast;
  unsigned numConversions = 0;
};

} // namespace

/// Operands of a subgraph one by one.
static SmallVector<Argument> flatten(ArrayRef<NamedArgument> operands) {
  SmallVector<Argument> flat;
  for (const NamedArgument &operand : operands) {
    if (operand.isKeyword)
      continue;
    if (operand.value.kind != Kind::Tensors) {
      flat.push_back(operand.value);
      continue;
    }
    for (StringRef name : operand.value.strings)
      flat.push_back(getTensor(name));
  }
  return flat;
}

/// Gives inputs of the subgraph the names of what they stand for.
static bool bindInputs(const Graph &sub, ArrayRef<Argument> operands,
                       Names &names) {
  // `hints_wrapper` has a dictionary of further operands, which is empty.
  if (operands.size() < sub.inputs.size() ||
      any_of(operands.drop_front(sub.inputs.size()),
             [](const Argument &arg) { return arg.kind != Kind::Other; }))
    return false;
  for (auto [input, operand] : zip(sub.inputs, operands)) {
    if (input.kind != operand.kind)
      return false;
    if (input.kind == Kind::Tensor) {
      if (!names.bind(input.strings[0], operand.strings[0]))
        return false;
      continue;
    }
    bool isNumber =
        input.kind == Kind::SymInt && !input.symInts[0].name.empty();
    if (!isNumber || operand.symInts[0].name.empty() ||
        !names.bind(input.symInts[0].name, operand.symInts[0].name))
      return false;
  }
  return true;
}

/// Adds the nodes of a subgraph. False, with nothing done, where it is not of
/// the form that is known.
bool Inliner::addRegion(const Node &node, RegionForm form) {
  if (node.inputs.size() < form.operands ||
      node.inputs[form.graph].value.kind != Kind::Graph)
    return false;
  SaveAndRestore<AutocastState> restore(autocast);
  if (node.target == "torch.ops.higher_order.wrap_with_autocast" &&
      !autocast.enter(node))
    return false;
  const Graph &sub = *node.inputs[form.graph].value.graph;
  if (!autocast.agreesWith(sub))
    return false;
  Names names(node.name, storage);
  if (node.outputs.size() != sub.outputs.size() ||
      !bindInputs(sub, flatten(ArrayRef(node.inputs).drop_front(form.operands)),
                  names))
    return false;
  // A result takes the name that it has outside; one that has another name
  // there already is the same tensor by two names.
  std::vector<Node> aliases;
  for (auto [inner, outer] : zip_equal(sub.outputs, node.outputs)) {
    if (inner.kind != Kind::Tensor || outer.kind != Kind::Tensor)
      return false;
    if (names.bind(inner.strings[0], outer.strings[0]))
      continue;
    Node alias;
    alias.target = "torch.ops.aten.alias.default";
    alias.name = outer.strings[0];
    alias.inputs.push_back({"self", names.rename(inner), false});
    alias.outputs.push_back(outer);
    alias.source = node.source;
    aliases.push_back(std::move(alias));
  }
  for (const auto &entry : sub.tensors)
    current->tensors.try_emplace(names.get(entry.first()), entry.second);
  for (const auto &entry : sub.symInts)
    current->symInts.try_emplace(names.get(entry.first()), entry.second);
  for (const auto &entry : sub.symFloats)
    current->symFloats.try_emplace(names.get(entry.first()), entry.second);
  for (const auto &entry : sub.symBools)
    current->symBools.try_emplace(names.get(entry.first()), entry.second);
  for (const Node &inner : sub.nodes) {
    Node copy = inner;
    copy.name = names.get(inner.name);
    for (NamedArgument &input : copy.inputs)
      input.value = names.rename(std::move(input.value));
    for (Argument &output : copy.outputs)
      output = names.rename(std::move(output));
    add(std::move(copy));
  }
  append_range(current->nodes, aliases);
  return true;
}

/// `out_dtype(op, dtype, ...)`: operands are converted to the common type of
/// all and `dtype`, the result to `dtype`.
bool Inliner::addOutDType(const Node &node) {
  if (node.inputs.size() < 3 || node.outputs.size() != 1 ||
      node.inputs[0].value.kind != Kind::Operator ||
      node.inputs[1].value.kind != Kind::ScalarType ||
      node.outputs[0].kind != Kind::Tensor)
    return false;
  StringRef target = node.inputs[0].value.strings[0], name = target;
  const AtenSchemaEntry *entry =
      name.consume_front("torch.ops.aten.") ? findAtenSchema(name) : nullptr;
  if (!entry)
    return false;
  Expected<OpSchema> schema = parseSchema(entry->signature);
  if (!schema) {
    consumeError(schema.takeError());
    return false;
  }
  ArrayRef<NamedArgument> operands = ArrayRef(node.inputs).drop_front(2);
  if (operands.size() > schema->arguments.size())
    return false;
  std::optional<DType> result = getDType(node.inputs[1].value.ints[0]);
  if (!result)
    return false;
  DType common = *result;
  for (const NamedArgument &operand : operands)
    if (operand.value.kind == Kind::Tensor) {
      auto it = current->tensors.find(operand.value.strings[0]);
      if (it == current->tensors.end())
        return false;
      common = promote(common, it->second.dtype);
    }
  StringRef output = node.outputs[0].strings[0];
  Node call;
  call.target = target;
  call.name = node.name;
  call.source = node.source;
  for (auto [argument, operand] : zip(schema->arguments, operands)) {
    NamedArgument &input = call.inputs.emplace_back(operand);
    input.name = argument.name;
    if (input.value.kind == Kind::Tensor &&
        current->tensors.lookup(input.value.strings[0]).dtype != common)
      convert(input.value, 0, common, node);
  }
  call.outputs.push_back(node.outputs[0]);
  if (common == *result) {
    current->nodes.push_back(std::move(call));
    return true;
  }
  StringRef wide = saver.save(node.name + ".wide");
  TensorMeta meta = current->tensors.lookup(output);
  meta.dtype = common;
  current->tensors[wide] = std::move(meta);
  call.outputs[0].strings[0] = wide;
  current->nodes.push_back(std::move(call));
  addConversion(wide, output, *result, node);
  return true;
}

void coil::import::inlineRegions(Graph &graph, BumpPtrAllocator &storage) {
  Inliner(storage).run(graph);
}
