//===----------------------------------------------------------------------===//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// `map`, `scan` and `associative_scan`: loops over the first dimension of
// tensors, whose results are put together along it.
//
//   c, ys = scan(f, [init], [xs])
//
// becomes a loop that carries the number of the iteration, what the subgraph
// carries, and the results so far:
//
//   %r:3 = graph.while %zero, %init, %nothing {
//   ^bb0(%i, %c, %ys):
//     %p = %i < n
//   } do {
//   ^bb0(%i, %c, %ys):
//     %x = aten.index(%xs, [%i])
//     %d, %y = f(%c, %x)
//     %zs = aten.index_put(%ys, [%i], %y)
//     graph.yield %i + 1, %d, %zs
//   }
//
//===----------------------------------------------------------------------===//

#include "ModuleBuilder.h"
#include "coil/Dialect/Graph/IR/Graph.h"
#include "coil/Dialect/Graph/IR/TensorBuilder.h"

using namespace llvm;
using namespace mlir;
using namespace coil;
using namespace coil::import;
using Kind = Argument::Kind;
using sym::ExprAttr;

struct ModuleBuilder::ScanForm {
  /// Operands of the subgraph, in order: carried, those whose parts it gets,
  /// those that it gets as they are.
  unsigned numCarried = 0, numSliced = 0;
  /// The carried ones are the first parts of the sliced ones, and the results
  /// are what is carried: a scan of an operator with two operands.
  bool isAssociative = false;
};

/// The type of a part of a tensor along its first dimension.
static RankedTensorType getPartType(Value whole) {
  auto type = cast<RankedTensorType>(whole.getType());
  return sym::getTensorType(ArrayRef(sym::getSizes(type)).drop_front(),
                            type.getElementType());
}

/// The number of tensors in a list among a node's inputs.
static Expected<unsigned> getCount(const Node &node, unsigned position) {
  if (position >= node.inputs.size() ||
      node.inputs[position].value.kind != Kind::Tensors)
    return makeError("argument " + Twine(position) +
                     " is not a list of tensors");
  return node.inputs[position].value.strings.size();
}

Error ModuleBuilder::addMap(const Node &node) {
  ScanForm form;
  Expected<unsigned> sliced = getCount(node, 1);
  if (!sliced)
    return sliced.takeError();
  form.numSliced = *sliced;
  return addLoop(node, form);
}

Error ModuleBuilder::addScan(const Node &node) {
  ScanForm form;
  bool isEmpty = node.inputs.size() > 1 &&
                 node.inputs[1].value.kind == Kind::Ints &&
                 node.inputs[1].value.ints.empty();
  Expected<unsigned> carried = isEmpty ? 0u : getCount(node, 1);
  if (!carried)
    return carried.takeError();
  Expected<unsigned> sliced = getCount(node, 2);
  if (!sliced)
    return sliced.takeError();
  form.numCarried = *carried;
  form.numSliced = *sliced;
  return addLoop(node, form);
}

Error ModuleBuilder::addAssociativeScan(const Node &node) {
  ScanForm form;
  Expected<unsigned> sliced = getCount(node, 1);
  if (!sliced)
    return sliced.takeError();
  form.numCarried = form.numSliced = *sliced;
  form.isAssociative = true;
  // The subgraph has two operands for each tensor.
  Node twice = node;
  twice.inputs.insert(twice.inputs.begin() + 1, node.inputs[1]);
  return addLoop(twice, form);
}

Error ModuleBuilder::addLoop(const Node &node, const ScanForm &form) {
  Expected<const import::Graph *> graph = getSubgraph(node, 0);
  if (!graph)
    return graph.takeError();
  const import::Graph &sub = **graph;
  SmallVector<StringRef> names;
  if (Error error = getTensorNames(node.outputs, names))
    return error;
  SmallVector<unsigned> operands;
  if (Error error = collectOperands(node, 1, sub, operands))
    return error;
  unsigned numStacked =
      form.isAssociative ? form.numSliced : names.size() - form.numCarried;
  if (form.numSliced == 0 || names.size() < numStacked ||
      operands.size() < form.numCarried + form.numSliced ||
      (form.isAssociative ? names.size() != form.numSliced
                          : names.size() < form.numCarried))
    return makeError("expected a tensor to go through, and a result for each "
                     "tensor that is carried");
  Location loc = getLocation(node);
  graph::TensorBuilder b(builder, loc);
  SmallVector<Value> values;
  for (unsigned operand : operands)
    values.push_back(getValue(operand));
  ArrayRef<Value> sliced =
      ArrayRef(values).slice(form.numCarried, form.numSliced);
  for (Value value : sliced)
    if (cast<RankedTensorType>(value.getType()).getRank() == 0)
      return makeError("it goes through a tensor of rank zero");
  ExprAttr count =
      sym::getSizes(cast<RankedTensorType>(sliced[0].getType())).front();
  auto number = RankedTensorType::get({}, builder.getI64Type());
  auto getConstant = [&](int64_t value) {
    return b.scalar(builder.getI64IntegerAttr(value));
  };
  auto getPart = [&](Value from, Value position) -> Value {
    return storages.createAten("aten.index.Tensor", getPartType(from),
                               {from, position}, {"self", "indices.0"}, {},
                               loc);
  };

  // Results are put together in a tensor that has all of them from the start.
  SmallVector<Value> inits = {getConstant(form.isAssociative ? 1 : 0)};
  for (unsigned i = 0; i < form.numCarried; ++i)
    inits.push_back(form.isAssociative ? getPart(sliced[i], getConstant(0))
                                       : values[i]);
  for (unsigned i = 0; i < numStacked; ++i) {
    Expected<RankedTensorType> type =
        getType(names[names.size() - numStacked + i]);
    if (!type)
      return type.takeError();
    if (form.isAssociative) {
      if (*type != sliced[i].getType())
        return makeError("a result has another type than the operand");
      inits.push_back(sliced[i]);
      continue;
    }
    inits.push_back(storages.createAten(
        "aten.zeros.default", *type, {}, {},
        {builder.getNamedAttr("size", getSizesAttr(builder, *type)),
         builder.getNamedAttr("dtype", TypeAttr::get(type->getElementType()))},
        loc));
  }
  SmallVector<Type> types(ValueRange(inits).getTypes());
  auto op = graph::WhileOp::create(builder, loc, types, inits);
  SmallVector<Location> locs(types.size(), loc);
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *block = builder.createBlock(&op.getCondition(), {}, types, locs);
    Value more = graph::CompareOp::create(
        builder, loc, RankedTensorType::get({}, builder.getI1Type()),
        graph::ComparePredicate::Lt, block->getArgument(0),
        graph::ExprOp::create(builder, loc, number, count));
    graph::ConditionOp::create(builder, loc, more);
  }
  SmallVector<unsigned> results;
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *block = builder.createBlock(&op.getBody(), {}, types, locs);
    Value position = block->getArgument(0);
    ArrayRef<BlockArgument> arguments = block->getArguments();
    ArrayRef<BlockArgument> carried = arguments.slice(1, form.numCarried);
    SmallVector<Value> inside(carried.begin(), carried.end());
    for (Value from : sliced)
      inside.push_back(getPart(from, position));
    append_range(inside,
                 ArrayRef(values).drop_front(form.numCarried + form.numSliced));
    // Parts are copies, and so is what an associative operator begins with.
    auto outside = operands;
    unsigned first = form.isAssociative ? 0 : form.numCarried;
    for (unsigned i = first; i < form.numCarried + form.numSliced; ++i)
      outside[i] = noVariable;
    Error error = addSubgraph(
        sub, outside, inside, [&](ArrayRef<unsigned> given) -> Error {
          size_t expected = form.isAssociative ? numStacked : names.size();
          if (given.size() != expected)
            return makeError("the subgraph has " + Twine(given.size()) +
                             " results but " + Twine(expected) +
                             " are expected");
          SmallVector<Value> yielded = {b.add(position, getConstant(1))};
          for (unsigned result : given.take_front(form.numCarried))
            yielded.push_back(getValue(result));
          ArrayRef<unsigned> parts =
              form.isAssociative ? given : given.drop_front(form.numCarried);
          for (auto [result, soFar] :
               zip_equal(parts, arguments.take_back(numStacked))) {
            Value part = getValue(result);
            if (part.getType() != getPartType(soFar))
              return makeError("the subgraph gives a result of another type "
                               "than a part of the node's");
            yielded.push_back(storages.createAten(
                "aten.index_put.default",
                cast<RankedTensorType>(soFar.getType()),
                {soFar, position, part}, {"self", "indices.0", "values"},
                builder.getNamedAttr("accumulate", builder.getBoolAttr(false)),
                loc));
          }
          if (Error error = yieldFromLoop(loc, yielded, types))
            return error;
          results.assign(given.begin(), given.end());
          return Error::success();
        });
    if (error)
      return error;
  }
  // An associative scan gives only what it has put together.
  unsigned first = 1 + (form.isAssociative ? form.numCarried : 0);
  for (auto [i, name] : enumerate(names)) {
    Expected<RankedTensorType> type = getType(name);
    if (!type)
      return type.takeError();
    Value value = op.getResult(first + i);
    if (*type != value.getType())
      return makeError("result " + Twine(i) +
                       " has another type than the loop gives");
    if (Error error = define(name, value))
      return error;
    if (form.isAssociative || i >= form.numCarried)
      continue;
    Storage *made = getStorage(variables.size() - 1);
    storages.join(made, getStorage(results[i]));
    storages.join(made, getStorage(operands[i]));
  }
  return Error::success();
}
