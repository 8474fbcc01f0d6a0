//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts the nodes of `with torch.no_grad()` where they stand. Whether gradients
// are recorded means nothing to an exported program; but what such nodes change
// in place is a value of the nodes around them.
//
//===----------------------------------------------------------------------===//

#include "coil/Import/ExportedProgram.h"
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

} // namespace

/// Gives inputs of the subgraph the names of what they stand for.
static bool bindInputs(const Graph &sub, ArrayRef<NamedArgument> operands,
                       Names &names) {
  if (operands.size() != sub.inputs.size())
    return false;
  for (auto [input, operand] : zip_equal(sub.inputs, operands)) {
    if (input.kind != operand.value.kind)
      return false;
    if (input.kind == Kind::Tensor) {
      if (!names.bind(input.strings[0], operand.value.strings[0]))
        return false;
      continue;
    }
    bool isNumber =
        input.kind == Kind::SymInt && !input.symInts[0].name.empty();
    if (!isNumber || operand.value.symInts[0].name.empty() ||
        !names.bind(input.symInts[0].name, operand.value.symInts[0].name))
      return false;
  }
  return true;
}

/// Appends the nodes of a subgraph. False, with nothing done, where it is not
/// of the form that is known.
static bool inlineNode(const Node &node, Graph &graph,
                       BumpPtrAllocator &storage, std::vector<Node> &nodes) {
  if (node.inputs.size() < 2 || node.inputs[0].value.kind != Kind::Bool ||
      node.inputs[1].value.kind != Kind::Graph)
    return false;
  const Graph &sub = *node.inputs[1].value.graph;
  Names names(node.name, storage);
  if (node.outputs.size() != sub.outputs.size() ||
      !bindInputs(sub, ArrayRef(node.inputs).drop_front(2), names))
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
  for (const Node &inner : sub.nodes) {
    Node &copy = nodes.emplace_back(inner);
    for (NamedArgument &input : copy.inputs)
      input.value = names.rename(std::move(input.value));
    for (Argument &output : copy.outputs)
      output = names.rename(std::move(output));
  }
  append_range(nodes, aliases);
  for (const auto &entry : sub.tensors)
    graph.tensors.try_emplace(names.get(entry.first()), entry.second);
  for (const auto &entry : sub.symInts)
    graph.symInts.try_emplace(names.get(entry.first()), entry.second);
  for (const auto &entry : sub.symFloats)
    graph.symFloats.try_emplace(names.get(entry.first()), entry.second);
  for (const auto &entry : sub.symBools)
    graph.symBools.try_emplace(names.get(entry.first()), entry.second);
  return true;
}

void coil::import::inlineGradModes(Graph &graph, BumpPtrAllocator &storage) {
  constexpr StringLiteral target =
      "torch.ops.higher_order.wrap_with_set_grad_enabled";
  if (none_of(graph.nodes, [&](const Node &n) { return n.target == target; }))
    return;
  std::vector<Node> nodes;
  for (Node &node : graph.nodes)
    if (node.target != target || !inlineNode(node, graph, storage, nodes))
      nodes.push_back(std::move(node));
  graph.nodes = std::move(nodes);
}
