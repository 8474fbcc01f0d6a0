//===----------------------------------------------------------------------===//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Nodes with subgraphs.
//
// Export lifts what a branch refers to into operands, so a subgraph is a
// function of them. Here its region uses the values outside as they are; only
// what a loop carries becomes an argument.
//
//===----------------------------------------------------------------------===//

#include "ModuleBuilder.h"
#include "coil/Dialect/Graph/IR/Graph.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;
using namespace mlir;
using namespace coil;
using namespace coil::import;
using Kind = Argument::Kind;
using sym::ExprAttr;

Error coil::import::getTensorNames(ArrayRef<Argument> args,
                                   SmallVectorImpl<StringRef> &names) {
  for (const Argument &arg : args) {
    if (arg.kind != Kind::Tensor && arg.kind != Kind::Tensors)
      return makeError("result " + Twine(names.size()) +
                       " is not a tensor, which is not supported");
    append_range(names, arg.strings);
  }
  return Error::success();
}

Expected<const import::Graph *> coil::import::getSubgraph(const Node &node,
                                                          unsigned position) {
  if (position >= node.inputs.size() ||
      node.inputs[position].value.kind != Kind::Graph)
    return makeError("argument " + Twine(position) + " is not a subgraph");
  return node.inputs[position].value.graph.get();
}

Error ModuleBuilder::collectOperands(const Node &node, unsigned from,
                                     const import::Graph &sub,
                                     SmallVectorImpl<unsigned> &operands) {
  size_t position = 0;
  auto fail = [&](const Twine &what) {
    return makeError("operand " + Twine(position) + " " + what);
  };
  for (const NamedArgument &input : ArrayRef(node.inputs).drop_front(from)) {
    const Argument &arg = input.value;
    bool isTensor = arg.kind == Kind::Tensor || arg.kind == Kind::Tensors;
    bool isNumber = arg.kind == Kind::SymInt || arg.kind == Kind::SymInts;
    // Of an empty list the file does not say of what.
    if (arg.kind == Kind::Ints && arg.ints.empty())
      continue;
    if (!isTensor && !isNumber)
      return fail("is neither a tensor nor a symbolic size, which is not "
                  "supported");
    for (size_t i = 0, e = isTensor ? arg.strings.size() : arg.symInts.size();
         i < e; ++i, ++position) {
      if (position >= sub.inputs.size())
        return makeError("the subgraph has " + Twine(sub.inputs.size()) +
                         " inputs but is given more");
      const Argument &inner = sub.inputs[position];
      // A list of tensors and sizes is written as one of tensors.
      bool isSize = isTensor && inner.kind == Kind::SymInt &&
                    graph->symInts.contains(arg.strings[i]);
      if ((inner.kind == Kind::Tensor) != (isTensor && !isSize))
        return fail("is of another kind than the subgraph's input");
      if (isTensor && !isSize) {
        Expected<unsigned> variable = lookup(arg.strings[i]);
        if (!variable)
          return variable.takeError();
        operands.push_back(*variable);
        continue;
      }
      // A size has one expression, inside and outside.
      Expected<ExprAttr> outside =
          isSize ? getExpr(graph->symInts.find(arg.strings[i])->second)
                 : getExpr(arg.symInts[i]);
      if (!outside)
        return outside.takeError();
      SaveAndRestore<const import::Graph *> enter(graph, &sub);
      if (inner.kind != Kind::SymInt)
        return fail("is of another kind than the subgraph's input");
      Expected<ExprAttr> inside = getExpr(inner.symInts[0]);
      if (!inside)
        return inside.takeError();
      if (*inside != *outside)
        return fail("is '" + outside->str() + "' outside and '" +
                    inside->str() +
                    "' in the subgraph, which is not supported");
    }
  }
  if (position != sub.inputs.size())
    return makeError("the subgraph has " + Twine(sub.inputs.size()) +
                     " inputs but is given " + Twine(position));
  return Error::success();
}

Error ModuleBuilder::yieldFromLoop(Location loc, ValueRange values,
                                   TypeRange types) {
  if (TypeRange(values) != types)
    return makeError("what the loop carries changes its type, which is not "
                     "supported");
  graph::YieldOp::create(builder, loc, values);
  return Error::success();
}

Error ModuleBuilder::addSubgraph(
    const import::Graph &sub, ArrayRef<unsigned> operands, ValueRange values,
    llvm::function_ref<Error(ArrayRef<unsigned>)> finish) {
  // Names are the subgraph's own.
  SaveAndRestore<const import::Graph *> enter(graph, &sub);
  SaveAndRestore<StringMap<unsigned>> names(variableOf, StringMap<unsigned>());
  SaveAndRestore<StringMap<size_t>> uses(lastUses, StringMap<size_t>());
  SaveAndRestore<bool> hasUses(hasLastUses, false);
  SaveAndRestore<llvm::StringSet<>> symbols(bound, bound);
  SaveAndRestore<StringMap<Value>> numbers(floats, floats);

  SmallVector<unsigned> inputs;
  size_t next = 0;
  for (const Argument &input : sub.inputs) {
    if (input.kind != Kind::Tensor)
      continue;
    StringRef name = input.strings[0];
    Expected<RankedTensorType> type = getType(name);
    if (!type)
      return type.takeError();
    if (*type != values[next].getType())
      return makeError("the subgraph's input " + quoted(name) +
                       " has another type than what it is given");
    inputs.push_back(variables.size());
    // Whoever changes it in place would change what is outside.
    if (Error error = define(name, values[next], Storage::Owner::Outside))
      return error;
    if (unsigned operand = operands[next++]; operand != noVariable)
      storages.join(getStorage(inputs.back()), getStorage(operand));
  }
  for (auto [position, node] : enumerate(sub.nodes))
    if (Error error = addNode(node, position))
      return describe(node, std::move(error));

  // The condition of a loop may be a number, which has no variable.
  SmallVector<StringRef> outputs;
  bool isNumber =
      sub.outputs.size() == 1 && (sub.outputs[0].kind == Kind::SymBool ||
                                  sub.outputs[0].kind == Kind::Bool);
  if (!isNumber)
    if (Error error = getTensorNames(sub.outputs, outputs))
      return error;
  SmallVector<unsigned> results;
  for (StringRef name : outputs) {
    Expected<unsigned> variable = lookup(name);
    if (!variable)
      return variable.takeError();
    results.push_back(*variable);
  }
  if (Error error = finish(results))
    return error;
  // Their names mean something else from here on.
  for (auto &entry : variableOf) {
    getStorage(entry.second)->owner = Storage::Owner::Program;
    variables[entry.second].names.clear();
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

static graph::ComparePredicate getPredicate(sym::Predicate predicate) {
  switch (predicate) {
  case sym::Predicate::Eq:
    return graph::ComparePredicate::Eq;
  case sym::Predicate::Ne:
    return graph::ComparePredicate::Ne;
  case sym::Predicate::Le:
    return graph::ComparePredicate::Le;
  case sym::Predicate::Lt:
    return graph::ComparePredicate::Lt;
  }
  llvm_unreachable("unknown predicate");
}

Expected<Value> ModuleBuilder::getCondition(const Argument &arg, Location loc) {
  auto type = RankedTensorType::get({}, builder.getI1Type());
  if (arg.kind == Kind::Tensor) {
    Expected<unsigned> variable = lookup(arg.strings[0]);
    if (!variable)
      return variable.takeError();
    Value value = getValue(*variable);
    auto given = cast<RankedTensorType>(value.getType());
    if (!given.getElementType().isInteger(1) || !given.hasStaticShape() ||
        given.getNumElements() != 1)
      return makeError("the condition is not a tensor of one bool");
    return value;
  }
  bool isConstant = arg.kind == Kind::Bool ||
                    (arg.kind == Kind::SymBool && arg.symInts[0].name.empty());
  if (isConstant) {
    bool flag =
        arg.kind == Kind::Bool ? arg.ints[0] != 0 : arg.symInts[0].value != 0;
    return graph::ConstantOp::create(builder, loc,
                                     DenseElementsAttr::get(type, flag))
        .getResult();
  }
  if (arg.kind != Kind::SymBool)
    return makeError("the condition is neither a tensor nor a bool");
  auto it = graph->symBools.find(arg.symInts[0].name);
  if (it == graph->symBools.end() || !it->second.isSymbolic())
    return makeError("the condition has no expression");
  SmallVector<SymRelation> relations;
  if (Error error = converter.convertRelations(it->second.expr, relations)) {
    consumeError(std::move(error));
    relations.clear();
  }
  // What is no conjunction of relations between integers is computed.
  if (relations.empty())
    return computeNumber(arg);
  auto number = RankedTensorType::get({}, builder.getI64Type());
  Value result;
  for (const SymRelation &relation : relations) {
    Value lhs = graph::ExprOp::create(builder, loc, number, relation.lhs);
    Value rhs = graph::ExprOp::create(builder, loc, number, relation.rhs);
    Value holds = graph::CompareOp::create(
        builder, loc, type, getPredicate(relation.predicate), lhs, rhs);
    result =
        result ? graph::BitwiseAndOp::create(builder, loc, type, result, holds)
                     .getResult()
               : holds;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

Error ModuleBuilder::addCond(const Node &node) {
  if (node.inputs.size() < 3)
    return makeError("expected a condition and two subgraphs");
  SmallVector<StringRef> names;
  if (Error error = getTensorNames(node.outputs, names))
    return error;
  Location loc = getLocation(node);
  Expected<Value> predicate = getCondition(node.inputs[0].value, loc);
  if (!predicate)
    return predicate.takeError();

  // Sizes that no input gives are the branch's to say.
  SmallVector<Type> types;
  SmallSetVector<ExprAttr, 4> unknown;
  for (StringRef name : names) {
    Expected<RankedTensorType> type = getType(name);
    if (!type)
      return type.takeError();
    types.push_back(*type);
    for (ExprAttr size : sym::getSizes(*type))
      sym::walkLeaves(size, [&](ExprAttr leaf) {
        if (!bound.contains(leaf.getName()))
          unknown.insert(leaf);
      });
  }
  SmallVector<Attribute> defines;
  for (ExprAttr symbol : unknown)
    defines.push_back(builder.getStringAttr(symbol.getName()));
  // Views that are stale become ops in front of the branches.
  SmallVector<const import::Graph *, 2> subs;
  SmallVector<unsigned> operands;
  for (unsigned side : {0u, 1u}) {
    Expected<const import::Graph *> sub = getSubgraph(node, side + 1);
    if (!sub)
      return sub.takeError();
    subs.push_back(*sub);
    operands.clear();
    if (Error error = collectOperands(node, 3, **sub, operands))
      return error;
  }
  SmallVector<Value> values;
  for (unsigned operand : operands)
    values.push_back(getValue(operand));
  auto op = graph::IfOp::create(
      builder, loc, types, *predicate,
      defines.empty() ? ArrayAttr() : builder.getArrayAttr(defines));

  SmallVector<SmallVector<unsigned>, 2> branches;
  for (auto [region, sub] : zip_equal(op->getRegions(), subs)) {
    OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&region);
    Error error = addSubgraph(
        *sub, operands, values, [&](ArrayRef<unsigned> results) -> Error {
          if (results.size() != types.size())
            return makeError("a branch has " + Twine(results.size()) +
                             " results but " + Twine(types.size()) +
                             " are expected");
          SmallVector<Value> yielded;
          for (unsigned result : results)
            yielded.push_back(getValue(result));
          SmallVector<ExprAttr> sizes;
          for (ExprAttr symbol : unknown) {
            ExprAttr found;
            for (auto [type, value] : zip_equal(types, yielded))
              for (auto [outside, inside] :
                   zip(sym::getSizes(cast<RankedTensorType>(type)),
                       sym::getSizes(cast<RankedTensorType>(value.getType()))))
                if (!found)
                  found = sym::solve(outside, inside, symbol);
            if (!found)
              return makeError("the size " + quoted(symbol.getName()) +
                               " does not follow from what a branch gives");
            sizes.push_back(found);
          }
          for (auto [type, value] : zip_equal(types, yielded)) {
            SmallVector<ExprAttr> expected;
            auto tensor = cast<RankedTensorType>(type);
            for (ExprAttr size : sym::getSizes(tensor))
              expected.push_back(
                  sym::substitute(size, [&](ExprAttr leaf) -> ExprAttr {
                    auto it = llvm::find(unknown, leaf);
                    return it == unknown.end() ? ExprAttr()
                                               : sizes[it - unknown.begin()];
                  }));
            if (sym::getTensorType(expected, tensor.getElementType()) !=
                value.getType())
              return makeError("a branch gives a result of another type than "
                               "the node has");
          }
          graph::YieldOp::create(builder, loc, yielded,
                                 sizes.empty()
                                     ? sym::ShapeAttr()
                                     : sym::ShapeAttr::get(context, sizes));
          branches.emplace_back(results);
          return Error::success();
        });
    if (error)
      return error;
  }
  for (ExprAttr symbol : unknown)
    bound.insert(symbol.getName());
  for (auto [i, name] : enumerate(names)) {
    if (Error error = define(name, op.getResult(i)))
      return error;
    for (ArrayRef<unsigned> results : branches)
      storages.join(getStorage(variables.size() - 1), getStorage(results[i]));
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

Error ModuleBuilder::addWhile(const Node &node) {
  Expected<const import::Graph *> condition = getSubgraph(node, 0);
  if (!condition)
    return condition.takeError();
  Expected<const import::Graph *> body = getSubgraph(node, 1);
  if (!body)
    return body.takeError();
  SmallVector<StringRef> names;
  if (Error error = getTensorNames(node.outputs, names))
    return error;
  Location loc = getLocation(node);

  // Carried values come first, then what the regions refer to.
  SmallVector<unsigned> operands, again;
  if (Error error = collectOperands(node, 2, **body, operands))
    return error;
  if (Error error = collectOperands(node, 2, **condition, again))
    return error;
  if (operands.size() < names.size())
    return makeError("expected as many carried tensors as results");
  SmallVector<Value> values;
  for (unsigned operand : operands)
    values.push_back(getValue(operand));
  ArrayRef<Value> inits = ArrayRef(values).take_front(names.size());
  SmallVector<Type> types(ValueRange(inits).getTypes());
  auto op = graph::WhileOp::create(builder, loc, types, inits);
  SmallVector<Location> locs(types.size(), loc);

  SmallVector<unsigned> carried;
  const import::Graph *subs[] = {*condition, *body};
  for (auto [region, sub] : zip(op->getRegions(), subs)) {
    OpBuilder::InsertionGuard guard(builder);
    Block *block = builder.createBlock(&region, region.end(), types, locs);
    SmallVector<Value> inside(block->getArguments());
    append_range(inside, ArrayRef(values).drop_front(names.size()));
    bool isBody = &region == &op.getBody();
    Error error = addSubgraph(
        *sub, operands, inside, [&](ArrayRef<unsigned> results) -> Error {
          SmallVector<Value> yielded;
          for (unsigned result : results)
            yielded.push_back(getValue(result));
          if (!isBody) {
            if (sub->outputs.size() != 1)
              return makeError("the condition has " +
                               Twine(sub->outputs.size()) + " results");
            Expected<Value> predicate = getCondition(sub->outputs[0], loc);
            if (!predicate)
              return predicate.takeError();
            graph::ConditionOp::create(builder, loc, *predicate);
            return Error::success();
          }
          if (Error error = yieldFromLoop(loc, yielded, types))
            return error;
          carried.assign(results.begin(), results.end());
          return Error::success();
        });
    if (error)
      return error;
  }
  for (auto [i, name] : enumerate(names)) {
    Expected<RankedTensorType> type = getType(name);
    if (!type)
      return type.takeError();
    if (*type != types[i])
      return makeError("what the loop carries changes its type, which is not "
                       "supported");
    if (Error error = define(name, op.getResult(i)))
      return error;
    Storage *made = getStorage(variables.size() - 1);
    storages.join(made, getStorage(carried[i]));
    storages.join(made, getStorage(operands[i]));
  }
  return Error::success();
}
