//===----------------------------------------------------------------------===//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Operators that update their operands in place. The schemas' alias annotations
// say what an operator writes to; the schema of the operator that returns the
// result instead is found by its name and arguments. What it returns, converted
// to the element type of the tensor that is updated, is written to its view.
//
//===----------------------------------------------------------------------===//

#include "ModuleBuilder.h"
#include "coil/Dialect/Graph/IR/Device.h"
#include "coil/Dialect/Graph/Transforms/LegalizeAten.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace mlir;
using namespace coil;
using namespace coil::import;
using Kind = Argument::Kind;
using sym::ExprAttr;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value ModuleBuilder::convert(Value value, Type elementType) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getElementType() == elementType)
    return value;
  return storages.createAten(
      "aten._to_copy.default",
      sym::getTensorType(sym::getSizes(type), elementType), value,
      StringRef("self"),
      {builder.getNamedAttr("dtype", TypeAttr::get(elementType)),
       builder.getNamedAttr("non_blocking", builder.getBoolAttr(false))},
      location);
}

Value ModuleBuilder::expand(Value value, RankedTensorType type) {
  auto from = cast<RankedTensorType>(value.getType());
  auto to = sym::getTensorType(sym::getSizes(type), from.getElementType());
  if (from == to)
    return value;
  return storages.createAten(
      "aten.expand.default", to, value, StringRef("self"),
      {builder.getNamedAttr("implicit", builder.getBoolAttr(false)),
       builder.getNamedAttr("size", getSizesAttr(builder, type))},
      location);
}

Type ModuleBuilder::inferElementType(graph::AtenOp op, Type elementType) {
  graph::RandomStates states;
  graph::AtenCall call(op, builder, states);
  if (Type type = graph::getResultElementType(call))
    return type;
  // Elementwise operators compute in the common type of their operands. Masks
  // and indices take no part in it.
  StringRef name = op.getName();
  const AtenSchemaEntry *entry =
      name.consume_front("aten.") ? findAtenSchema(name) : nullptr;
  if (!entry || !entry->isPointwise() || name.starts_with("masked_fill") ||
      name.starts_with("fill") || name.starts_with("copy") ||
      name.starts_with("where"))
    return elementType;
  SmallVector<StringRef> names;
  bool isMixed = false;
  for (auto [nameAttr, operand] :
       zip_equal(op.getOperandNames(), op.getInputs())) {
    names.push_back(cast<StringAttr>(nameAttr).getValue());
    isMixed |= graph::getElementType(operand) != elementType;
  }
  if (!isMixed)
    return elementType;
  for (NamedAttribute argument : op.getArguments())
    if (isa<IntegerAttr, FloatAttr, ExprAttr, DictionaryAttr>(
            argument.getValue()) &&
        argument.getName() != "alpha" && argument.getName() != "value")
      names.push_back(argument.getName());
  Type type = graph::getPromotedType(call, names);
  // Most elementwise operators that give floats for integers do so for `out=`;
  // those of bits give none.
  bool isOfBits = name.starts_with("bitwise_") || name.starts_with("__");
  if (type && !isOfBits && !isa<FloatType, ComplexType>(type) &&
      isa<FloatType, ComplexType>(elementType))
    return builder.getF32Type();
  return type ? type : elementType;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

bool import::mayOverlap(const TensorMeta &meta) {
  SmallVector<std::pair<int64_t, int64_t>> dims;
  for (auto [size, stride] : zip_equal(meta.sizes, meta.strides)) {
    std::optional<int64_t> count =
        size.isSymbolic() ? size.hint : std::optional(size.value);
    std::optional<int64_t> step =
        stride.isSymbolic() ? stride.hint : std::optional(stride.value);
    if (count == 0)
      return false;
    // Sizes that data gives have no example; such tensors lie row by row.
    if (count && *count != 1 && step)
      dims.emplace_back(*step, *count);
  }
  llvm::sort(dims);
  int64_t span = 0;
  for (auto [step, count] : dims) {
    if (step <= span)
      return true;
    span += step * (count - 1);
  }
  return false;
}

bool import::hasOwnPositions(const View *view) {
  if (view->storage->owner != Storage::Owner::Program)
    return false;
  for (; view->parent; view = view->parent)
    if (view->op.kind == ViewKind::Expand || view->op.kind == ViewKind::Gather)
      return false;
  return true;
}

Error ModuleBuilder::checkWritable(unsigned id, size_t position) {
  const Variable &variable = variables[id];
  Storage *storage = variable.view->storage;
  auto fail = [&](const Twine &why) {
    return makeError("it updates the tensor " +
                     quoted(variable.names.empty() ? StringRef(storage->name)
                                                   : variable.names.front()) +
                     " in place, " + why);
  };
  if (storage->owner == Storage::Owner::Outside)
    return fail("which is outside of the branch or loop that the operator is "
                "in, which is not supported");
  if (variable.meta && !hasOwnPositions(variable.view) &&
      mayOverlap(*variable.meta))
    return fail("of which several elements are at one position in memory; "
                "PyTorch does not allow that either");
  SmallVector<Storage *> others = storages.getOthers(storage);
  if (others.empty())
    return Error::success();
  computeLastUses();
  for (Storage *other : others) {
    if (other->owner != Storage::Owner::Program)
      return fail("which may share memory with the input " +
                  quoted(other->name));
    for (unsigned member : other->variables)
      for (StringRef name : variables[member].names) {
        auto it = lastUses.find(name);
        if (it != lastUses.end() && it->second > position)
          return fail("which may share memory with " + quoted(name) +
                      " that is used later");
      }
  }
  // The others are dead.
  storages.separate(storage);
  return Error::success();
}

Error ModuleBuilder::assign(unsigned id, Value value, size_t position) {
  Variable &variable = variables[id];
  value = convert(value, variable.view->type.getElementType());
  if (isOnSeveral && variable.meta)
    if (std::optional<int64_t> place = getPlace(*variable.meta)) {
      if (auto it = places.find(value);
          it != places.end() && it->second != *place)
        value =
            graph::ToDeviceOp::create(builder, location, value.getType(), value,
                                      builder.getI64IntegerAttr(*place));
      places[value] = *place;
    }
  if (value.getType() != variable.view->type)
    return makeError("its result has other sizes than the tensor that it "
                     "updates");
  if (Error error = checkWritable(id, position))
    return error;
  return storages.write(variable.view, value, location);
}

Error ModuleBuilder::replace(unsigned id, Value value) {
  Variable &variable = variables[id];
  Storage *old = variable.view->storage;
  if (old->owner != Storage::Owner::Program)
    return makeError("it changes the size of a tensor whose memory is not the "
                     "program's");
  View *root = storages.create(value, Storage::Owner::Program, old->name);
  root->storage->variables.push_back(id);
  // Others that see the old memory may see the new one, too.
  storages.join(old, root->storage);
  llvm::erase(old->variables, id);
  variable.view = root;
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

/// Whether arguments of the one stand for those of the other.
static bool isSameType(const SchemaType &a, const SchemaType &b) {
  return a.base == b.base && a.isList == b.isList;
}

static bool isOut(const SchemaArgument &argument) {
  return argument.isMutated && argument.isKeywordOnly;
}

/// Whether \p functional takes what \p schema takes and returns what that
/// writes to. It may have more arguments of its own that only say what to
/// create, and after the results that \p schema has, \p numUnnamed more.
static bool isMatch(const OpSchema &schema, const OpSchema &functional,
                    size_t numUnnamed) {
  size_t numMutated = 0, numOwn = 0;
  SmallVector<const SchemaArgument *> extra;
  for (const SchemaArgument &argument : functional.arguments)
    extra.push_back(&argument);
  for (auto [i, argument] : enumerate(schema.arguments)) {
    numMutated += argument.isMutated;
    if (isOut(argument))
      continue;
    const SchemaArgument *other = functional.find(argument.name);
    // `dropout_` calls what `dropout` calls `input` by the name `self`.
    if (!other && argument.isMutated && i < functional.arguments.size() &&
        !schema.find(functional.arguments[i].name))
      other = &functional.arguments[i];
    if (!other || !isSameType(argument.type, other->type))
      return false;
    llvm::erase(extra, other);
  }
  for (const SchemaReturn &result : schema.returns)
    numOwn += result.aliasSet.empty();
  return functional.returns.size() == numOwn + numUnnamed + numMutated &&
         all_of(extra, [](const SchemaArgument *argument) {
           return argument->defaultValue &&
                  is_contained({"dtype", "layout", "device", "pin_memory",
                                "memory_format", "generator"},
                               argument->name);
         });
}

Expected<std::optional<ModuleBuilder::Functional>>
ModuleBuilder::findFunctional(StringRef name, const OpSchema &schema) {
  auto [base, overload] = name.drop_front(strlen("aten.")).split('.');
  SmallVector<std::string> bases;
  if (base.starts_with("_cum") && base.ends_with("_helper"))
    bases.push_back(base.drop_front().drop_back(strlen("_helper")).str());
  else if (base.starts_with("__i") && base.ends_with("__"))
    bases.push_back(("__" + base.drop_front(3)).str());  // __iand__: __and__
  else if (base.ends_with("_") && !base.ends_with("__")) // Not __and__.
    bases.push_back(base.drop_back().str());             // add_: add
  else
    bases.push_back(base.str()); // add.out: add.Tensor
  bases.push_back(bases.front() + "_functional");
  // The operator that PyTorch defines it by also returns a mask of its operand.
  size_t numMasks = base == "fused_moving_avg_obs_fake_quant";
  if (numMasks)
    bases.push_back("_fused_moving_avg_obs_fq_helper_functional");
  std::optional<Functional> found;
  for (const std::string &candidate : bases) {
    std::string prefix = candidate + ".";
    const AtenSchemaEntry *entry = llvm::lower_bound(
        getAtenSchemas(), prefix,
        [](const AtenSchemaEntry &entry, const std::string &name) {
          return StringRef(entry.name) < name;
        });
    for (; entry != getAtenSchemas().end() &&
           StringRef(entry->name).starts_with(prefix);
         ++entry) {
      std::string full = "aten." + std::string(entry->name);
      Expected<const OpSchema *> other = getSchema(full);
      if (!other)
        return other.takeError();
      if (!*other || (*other)->isMutating() ||
          !isMatch(schema, **other, numMasks))
        continue;
      bool isNamesake =
          StringRef(entry->name).drop_front(prefix.size()) == overload;
      if (!found || isNamesake)
        found = {full, *other, numMasks};
      if (isNamesake)
        return found;
    }
    if (found)
      return found;
  }
  return found;
}

Error ModuleBuilder::addMutation(const Node &node, const OpSchema &schema,
                                 Call call, size_t position) {
  StringRef name = call.name;
  if (name.starts_with("aten.set_."))
    return makeError("it makes a tensor refer to the memory of another one, "
                     "which is not supported");
  if (call.targets.empty())
    return makeError("what it updates is not a tensor of the program");
  if (name == "aten.resize_.default" || name == "aten.resize_as_.default")
    return addResize(node, call);
  if (name == "aten.copy_.default") {
    if (Error error = addCopy(call, position))
      return error;
    return node.outputs.empty()
               ? Error::success()
               : addName(call.targets[0].variable, node.outputs[0].strings[0]);
  }
  if (name == "aten.fill_diagonal_.default") {
    if (Error error = addFillDiagonal(call, position))
      return error;
    return node.outputs.empty()
               ? Error::success()
               : addName(call.targets[0].variable, node.outputs[0].strings[0]);
  }
  Expected<std::optional<Functional>> functional = findFunctional(name, schema);
  if (!functional)
    return functional.takeError();
  if (!*functional)
    return makeError("it updates its operands in place, and there is no "
                     "operator that returns the result instead");
  const OpSchema &other = *(*functional)->schema;
  for (Attribute &operandName : call.operandNames)
    if (StringRef given = cast<StringAttr>(operandName).getValue();
        !given.contains('.') && !other.find(given))
      operandName = builder.getStringAttr(other.arguments[0].name);
  for (const SchemaArgument &argument : other.arguments)
    if (argument.defaultValue && !schema.find(argument.name))
      if (Attribute value = getDefault(argument))
        call.arguments.push_back(builder.getNamedAttr(argument.name, value));
  if (!other.returns[0].aliasSet.empty())
    return addMetadataUpdate(node, call, **functional);
  return addFunctionalCall(node, schema, call, **functional, position);
}

graph::AtenOp ModuleBuilder::createFunctional(StringRef name, const Call &call,
                                              TypeRange types) {
  SmallVector<RankedTensorType> tensors;
  for (Type type : types)
    tensors.push_back(cast<RankedTensorType>(type));
  auto op = graph::AtenOp::create(builder, location, types,
                                  builder.getStringAttr(name), call.operands,
                                  builder.getArrayAttr(call.operandNames),
                                  builder.getDictionaryAttr(call.arguments),
                                  bindSizes(tensors), getNumbers(call));
  if (types.size() != 1)
    return op;
  auto type = cast<RankedTensorType>(types[0]);
  Type computed = inferElementType(op, type.getElementType());
  op.getResult(0).setType(sym::getTensorType(sym::getSizes(type), computed));
  return op;
}

Error ModuleBuilder::addFunctionalCall(const Node &node, const OpSchema &schema,
                                       const Call &call,
                                       const Functional &functional,
                                       size_t position) {
  if (!node.outputs.empty() && node.outputs.size() != schema.returns.size())
    return makeError("expected " + Twine(schema.returns.size()) +
                     " results but got " + Twine(node.outputs.size()));
  // Results of its own come first, then what becomes of operands.
  // Among those, `out` arguments are results of the operator.
  SmallVector<StringRef> own;
  auto targets = call.targets;
  llvm::stable_sort(targets, [](const auto &a, const auto &b) {
    return isOut(*a.argument) && !isOut(*b.argument);
  });
  SmallVector<StringRef> targetNames(targets.size());
  for (auto [result, output] : zip(schema.returns, node.outputs)) {
    if (output.kind != Kind::Tensor)
      return makeError("expected tensors as results");
    StringRef name = output.strings[0];
    StringRef aliasSet = result.aliasSet;
    if (aliasSet.empty()) {
      own.push_back(name);
      continue;
    }
    for (auto [target, bound] : zip_equal(targets, targetNames))
      if (target.argument->aliasSet == aliasSet)
        bound = name;
  }
  if (functional.schema->returns.size() !=
      own.size() + functional.numMasks + targets.size())
    return makeError("a tensor that it updates is missing");
  SmallVector<Type> types;
  auto addType = [&](StringRef name) -> Error {
    Expected<RankedTensorType> type = getType(name);
    if (!type)
      return type.takeError();
    types.push_back(*type);
    return Error::success();
  };
  for (StringRef name : own)
    if (Error error = addType(name))
      return error;
  for (size_t i = 0; i < functional.numMasks; ++i)
    types.push_back(sym::getTensorType(
        sym::getSizes(cast<RankedTensorType>(types[0])), builder.getI1Type()));
  for (auto [target, name] : zip_equal(targets, targetNames)) {
    if (name.empty())
      types.push_back(variables[target.variable].view->type);
    else if (Error error = addType(name))
      return error;
  }
  SmallVector<Value> results;
  // A copy of elements in memory, as in `addNode`.
  if (functional.name == "aten.as_strided_copy.default" && types.size() == 1) {
    Expected<View *> view =
        getAsStrided(call, cast<RankedTensorType>(types[0]));
    if (view)
      results.push_back(storages.read(*view, location));
    else
      consumeError(view.takeError());
  }
  if (results.empty()) {
    graph::AtenOp op = createFunctional(functional.name, call, types);
    if (Error error = notePositions(call, op))
      return error;
    append_range(results, op.getResults());
  }
  for (auto [name, value] : zip(own, results))
    if (Error error = define(name, value))
      return error;
  for (auto [target, name, value] : zip_equal(
           targets, targetNames,
           ArrayRef(results).drop_front(own.size() + functional.numMasks))) {
    RankedTensorType type = variables[target.variable].view->type;
    if (!name.empty())
      notePlace(name, value);
    bool isResized = isOut(*target.argument) &&
                     sym::getSizes(cast<RankedTensorType>(value.getType())) !=
                         sym::getSizes(type);
    if (isResized) {
      if (Error error =
              replace(target.variable, convert(value, type.getElementType())))
        return error;
    } else if (Error error = assign(target.variable, value, position)) {
      return error;
    }
    if (!name.empty())
      if (Error error = addName(target.variable, name))
        return error;
  }
  return Error::success();
}

Error ModuleBuilder::addMetadataUpdate(const Node &node, const Call &call,
                                       const Functional &functional) {
  unsigned id = call.targets[0].variable;
  if (node.outputs.size() != 1 || node.outputs[0].kind != Kind::Tensor)
    return makeError("expected one tensor as result");
  StringRef name = node.outputs[0].strings[0];
  Expected<const TensorMeta *> meta = getMeta(name);
  if (!meta)
    return meta.takeError();
  Expected<RankedTensorType> type = getType(**meta);
  if (!type)
    return type.takeError();
  View *before = variables[id].view;
  // The caller's tensor would have to get other sizes or strides.
  if (before->storage->owner != Storage::Owner::Program && !before->parent &&
      (*type != before->type || !hasSameStrides(*variables[id].meta, **meta)))
    return makeError("it changes the sizes or strides of " +
                     quoted(before->storage->name) +
                     ", whose memory is not the program's");
  Call view = call;
  view.name = functional.name;
  Expected<View *> after = nullptr;
  if (view.name == "aten.as_strided.default") {
    after = getAsStrided(view, *type);
  } else {
    Alias alias = getViewOps(view, id, 0, *type, **meta);
    if (alias.kind != Alias::Kind::View)
      return makeError("what it makes of its operand is not known");
    auto op = graph::AtenOp::create(
        builder, location, TypeRange(*type), builder.getStringAttr(view.name),
        view.operands, builder.getArrayAttr(view.operandNames),
        builder.getDictionaryAttr(view.arguments));
    storages.noteDroppable(op);
    notePlace(name, op.getResult(0));
    after = getView(alias, *type, op.getResult(0));
  }
  if (!after)
    return after.takeError();
  variables[id].view = *after;
  return addName(id, name);
}

//===----------------------------------------------------------------------===//
// Copies and sizes
//===----------------------------------------------------------------------===//

Error ModuleBuilder::addCopy(const Call &call, size_t position) {
  unsigned id = call.targets[0].variable;
  RankedTensorType type = variables[id].view->type;
  Value source;
  for (auto [name, operand] : zip_equal(call.operandNames, call.operands))
    if (cast<StringAttr>(name).getValue() == "src")
      source = operand;
  if (Attribute number = call.getArgument("src"); !source && number)
    source = storages.createAten(
        "aten.full.default", RankedTensorType::get({}, type.getElementType()),
        {}, {},
        {builder.getNamedAttr("dtype", TypeAttr::get(type.getElementType())),
         builder.getNamedAttr("fill_value", number),
         builder.getNamedAttr("size", builder.getDenseI64ArrayAttr({}))},
        location);
  if (!source)
    return makeError("what it copies is missing");
  return assign(id, expand(convert(source, type.getElementType()), type),
                position);
}

/// Elements whose indices are all equal; of a tall matrix, with `wrap`, also
/// those of the diagonals that begin again below the first one.
Error ModuleBuilder::addFillDiagonal(const Call &call, size_t position) {
  unsigned id = call.targets[0].variable;
  RankedTensorType type = variables[id].view->type;
  SmallVector<ExprAttr> sizes = sym::getSizes(type);
  Attribute value = call.getArgument("fill_value");
  auto wrap = dyn_cast_or_null<BoolAttr>(call.getArgument("wrap"));
  if (sizes.size() < 2 || !value)
    return makeError("its operand has no diagonal");
  ExprAttr step = sym::constant(context, 0), count = sizes[0];
  for (ExprAttr stride : sym::getContiguousStrides(context, sizes))
    step = sym::add(step, stride);
  for (ExprAttr size : sizes)
    count = ranges.simplify(sym::min(count, size));
  if (wrap && wrap.getValue() && sizes.size() == 2)
    count = ranges.isLess(sym::add(sizes[1], 1), sizes[0])
                ? sym::ceilDiv(sym::getNumElements(type), step)
                : count;
  Type i64 = builder.getI64Type();
  RankedTensorType line = sym::getTensorType(count, i64);
  Value number = storages.createAten(
      "aten.arange.default", line, {}, {},
      {builder.getNamedAttr("dtype", TypeAttr::get(i64)),
       builder.getNamedAttr("end", getSizeAttr(builder, count))},
      location);
  Value index = storages.createAten(
      "aten.mul.Scalar", line, number, StringRef("self"),
      builder.getNamedAttr("other", getSizeAttr(builder, step)), location);
  Value filling = storages.createAten(
      "aten.full.default", sym::getTensorType(count, type.getElementType()), {},
      {},
      {builder.getNamedAttr("dtype", TypeAttr::get(type.getElementType())),
       builder.getNamedAttr("fill_value", value),
       builder.getNamedAttr("size", getSizesAttr(builder, line))},
      location);
  Value self = call.operands[0];
  return assign(
      id,
      storages.createAten(
          "aten.put.default", type, {self, index, filling},
          {"self", "index", "source"},
          builder.getNamedAttr("accumulate", builder.getBoolAttr(false)),
          location),
      position);
}

Error ModuleBuilder::addResize(const Node &node, const Call &call) {
  unsigned id = call.targets[0].variable;
  if (node.outputs.size() != 1 || node.outputs[0].kind != Kind::Tensor)
    return makeError("expected one tensor as result");
  StringRef name = node.outputs[0].strings[0];
  Expected<const TensorMeta *> meta = getMeta(name);
  if (!meta)
    return meta.takeError();
  Expected<RankedTensorType> type = getType(**meta);
  if (!type)
    return type.takeError();
  const Variable &variable = variables[id];
  View *view = variable.view;
  if (*type == view->type && hasSameStrides(*variable.meta, **meta))
    return addName(id, name);
  if (view->storage->owner != Storage::Owner::Program)
    return makeError("it changes the sizes of " + quoted(view->storage->name) +
                     ", whose memory is not the program's");
  Expected<Attribute> gaps = getStrides((*meta)->sizes, (*meta)->strides);
  if (!gaps)
    return gaps.takeError();
  while (view->op.kind == ViewKind::Identity && view->parent)
    view = view->parent;
  if (view->parent || *gaps)
    return makeError("it changes the sizes of a view, or to a memory format, "
                     "which is not supported");
  if (type->getElementType() != view->type.getElementType())
    return makeError("it changes the element type");
  // Memory stays as it is, and what is added to it holds anything.
  Expected<View *> flat = getFlatView(view->storage);
  if (!flat)
    return flat.takeError();
  Value value = storages.read(*flat, location);
  ExprAttr before = sym::getNumElements(view->type),
           after = sym::getNumElements(*type);
  auto line = sym::getTensorType(after, type->getElementType());
  ExprAttr added = sym::sub(after, before);
  if (ranges.isLessOrEqual(after, before)) {
    if (before != after)
      value = storages.createAten(
          "aten.slice.Tensor", line, value, StringRef("self"),
          {builder.getNamedAttr("dim", builder.getI64IntegerAttr(0)),
           builder.getNamedAttr("end", getSizeAttr(builder, after)),
           builder.getNamedAttr("start", builder.getI64IntegerAttr(0)),
           builder.getNamedAttr("step", builder.getI64IntegerAttr(1))},
          location);
  } else if (ranges.isLessOrEqual(before, after)) {
    ExprAttr pads[] = {sym::constant(context, 0), added};
    Attribute pad =
        added.getConstant()
            ? Attribute(builder.getDenseI64ArrayAttr({0, *added.getConstant()}))
            : Attribute(sym::ShapeAttr::get(context, pads));
    value = storages.createAten(
        "aten.constant_pad_nd.default", line, value, StringRef("self"),
        {builder.getNamedAttr("pad", pad),
         builder.getNamedAttr("value", builder.getI64IntegerAttr(0))},
        location);
  } else {
    return makeError(
        "whether it makes a tensor larger or smaller is not known");
  }
  value = storages.createAten(
      "aten.view.default", *type, value, StringRef("self"),
      builder.getNamedAttr("size", getSizesAttr(builder, *type)), location);
  if (Error error = replace(id, value))
    return error;
  notePlace(name, value);
  return addName(id, name);
}
