//===----------------------------------------------------------------------===//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The arguments and results of the imported function: weights, what the user
// passes, what the program wrote to either, and what it returns.
//
//===----------------------------------------------------------------------===//

#include "ModuleBuilder.h"
#include "coil/Dialect/Graph/IR/Device.h"
#include "coil/Dialect/Graph/IR/Graph.h"
#include "coil/Dialect/Loop/IR/Loop.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <numeric>

using namespace llvm;
using namespace mlir;
using namespace coil;
using namespace coil::import;
using Kind = Argument::Kind;
using sym::ExprAttr;

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

Expected<const Weight *> ModuleBuilder::findWeight(const InputSpec &spec,
                                                   const TensorMeta &meta) {
  if (!weights)
    return nullptr;
  const Weight *weight = weights->lookup(spec.fqn);
  if (!weight)
    return makeError("the file holds no weight " + quoted(spec.fqn));
  if (weight->dtype != meta.dtype)
    return makeError("the program expects " + getName(meta.dtype) +
                     " elements but the weight " + quoted(spec.fqn) + " has " +
                     getName(weight->dtype));
  bool sameSizes = weight->sizes.size() == meta.sizes.size();
  for (size_t i = 0; sameSizes && i < meta.sizes.size(); ++i)
    sameSizes =
        !meta.sizes[i].isSymbolic() && meta.sizes[i].value == weight->sizes[i];
  if (!sameSizes)
    return makeError("the program expects other sizes than the weight " +
                     quoted(spec.fqn) + " has");
  return weight;
}

/// Bytes that an example input's address was a multiple of, if its storage
/// begins at a multiple of `kStorageAlignment`.
static int64_t getAlignment(const TensorMeta &meta) {
  uint64_t bytes = getByteSize(meta.dtype);
  if (!meta.storageOffset.isSymbolic())
    bytes *= static_cast<uint64_t>(meta.storageOffset.value);
  return static_cast<int64_t>(
      std::gcd(uint64_t(loop::kStorageAlignment), bytes));
}

Error ModuleBuilder::addInput(const InputSpec &spec,
                              SmallVectorImpl<Type> &types,
                              SmallVectorImpl<DictionaryAttr> &attrs) {
  // A constant is part of the program already; of an object the node that takes
  // it says what cannot be done.
  if (spec.kind == InputSpec::Kind::ConstantInput ||
      (spec.kind == InputSpec::Kind::Other && spec.tag == "custom_obj"))
    return Error::success();
  if (spec.kind == InputSpec::Kind::Other)
    return makeError("inputs of kind " + quoted(spec.tag) +
                     " are not supported");
  if (spec.arg.kind == Kind::SymInt && !spec.arg.symInts[0].name.empty()) {
    // A number is a tensor of rank zero, whose value a symbol stands for. It is
    // on the host: reading it must not wait for a device.
    StringRef name = spec.arg.symInts[0].name;
    Expected<ExprAttr> expr = getExpr(spec.arg.symInts[0]);
    if (!expr)
      return expr.takeError();
    if (!expr->isSymbol())
      return makeError("input " + quoted(name) +
                       ": only a number that is a symbol can be an input");
    types.push_back(RankedTensorType::get({}, builder.getI64Type()));
    attrs.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("coil.name", builder.getStringAttr(name)),
         builder.getNamedAttr("coil.device", builder.getStringAttr("cpu"))}));
    numbers.push_back({name, expr->getName(), attrs.size() - 1});
    return Error::success();
  }
  if (spec.arg.kind == Kind::SymInt || spec.arg.kind == Kind::SymFloat ||
      spec.arg.kind == Kind::SymBool || spec.arg.kind == Kind::Other)
    return makeError("only tensors, integers and constants can be inputs");
  if (spec.arg.kind != Kind::Tensor)
    return Error::success();

  StringRef name = spec.arg.strings[0];
  auto fail = [&](Error error) {
    return makeError("input " + quoted(name) + ": " +
                     toString(std::move(error)));
  };
  Expected<const TensorMeta *> meta = getMeta(name);
  if (!meta)
    return meta.takeError();
  Expected<RankedTensorType> type = getType(**meta);
  if (!type)
    return fail(type.takeError());

  NamedAttrList attributes;
  attributes.set("coil.name", builder.getStringAttr(name));
  SmallVector<SymInt, 4> strides = (*meta)->strides;
  const char *shared = nullptr;
  if (spec.kind != InputSpec::Kind::UserInput) {
    attributes.set("graph.weight", builder.getStringAttr(spec.fqn));
    Expected<const Weight *> weight = findWeight(spec, **meta);
    if (!weight)
      return fail(weight.takeError());
    // Storages without bytes are nowhere.
    if (*weight && !(*weight)->storage.empty())
      shared = (*weight)->storage.data();
    if (*weight) // What is in the file counts.
      for (auto [stride, value] : zip_equal(strides, (*weight)->strides))
        stride = {value, {}, {}};
  }
  Expected<Attribute> stridesAttr = getStrides((*meta)->sizes, strides);
  if (!stridesAttr)
    return fail(stridesAttr.takeError());
  // An input that is broadcast in memory is taken row by row, others are copied
  // to that when the program runs: nothing could be copied to a layout where
  // elements share memory.
  auto shape = dyn_cast_or_null<sym::ShapeAttr>(*stridesAttr);
  bool isBroadcast =
      shape && llvm::any_of(shape.getDims(), [](ExprAttr stride) {
        return stride.isConstant(0);
      });
  if (shape && !(isBroadcast && spec.kind == InputSpec::Kind::UserInput))
    attributes.set("coil.strides", *stridesAttr);
  // A strided view of it could read what is not in the tensor.
  if (isBroadcast || (*meta)->storageOffset.isSymbolic() ||
      (*meta)->storageOffset.value != 0)
    attributes.set("coil.is_view", builder.getUnitAttr());
  // Where the example began is where kernels are made for; one that begins
  // elsewhere is copied.
  if (spec.kind == InputSpec::Kind::UserInput)
    if (int64_t alignment = getAlignment(**meta);
        alignment < loop::kStorageAlignment)
      attributes.set(loop::kAlignmentAttrName,
                     builder.getI64IntegerAttr(alignment));
  // Weights go to the device once, wherever they come from.
  addPlace(**meta, attributes, spec.kind == InputSpec::Kind::UserInput);
  types.push_back(*type);
  attrs.push_back(attributes.getDictionary(context));
  if (Error error = define(name, Value(), Storage::Owner::Input))
    return error;
  // Tied weights are one memory.
  if (shared) {
    unsigned id = variables.size() - 1;
    auto [it, isNew] = weightStorages.try_emplace(shared, id);
    if (!isNew)
      storages.join(getStorage(id), getStorage(it->second));
  }
  return Error::success();
}

void ModuleBuilder::addPlace(const TensorMeta &meta, NamedAttrList &attrs,
                             bool mayBeOnHost) {
  if (int64_t place = getPlace(meta).value_or(0))
    attrs.set(graph::kDeviceIndexAttrName, builder.getI64IntegerAttr(place));
  if (mayBeOnHost && meta.device.type == "cpu" &&
      llvm::any_of(graph->tensors, [](const auto &entry) {
        return entry.second.device.type != "cpu" &&
               entry.second.device.type != "meta";
      }))
    attrs.set("coil.device", builder.getStringAttr("cpu"));
}

Error ModuleBuilder::addNumbers(Block &body, TypeRange inputs) {
  // Sizes of tensors say what most symbols are; others are read. A number is
  // read, too, where sizes only follow from it: they may not be solvable for
  // it, as a quotient is not.
  llvm::StringSet<> known;
  for (Type type : inputs)
    for (ExprAttr size : sym::getSizes(cast<RankedTensorType>(type))) {
      if (size.isSymbol())
        known.insert(size.getName());
      sym::walkLeaves(size,
                      [&](ExprAttr leaf) { bound.insert(leaf.getName()); });
    }
  for (const Number &number : numbers) {
    BlockArgument argument = body.getArgument(number.argument);
    auto loc = NameLoc::get(builder.getStringAttr(number.name));
    argument.setLoc(loc);
    // Where export found that a number is a size, it has to be.
    std::string symbol = number.symbol.str();
    while (!known.insert(symbol).second)
      symbol += "_input";
    graph::ItemOp::create(builder, loc, builder.getStringAttr(symbol),
                          argument);
    bound.insert(symbol);
    if (symbol == number.symbol)
      continue;
    sym::Bounds range = bounds.lookup(number.symbol);
    bounds[symbol] = range;
    ranges.setSymbol(symbol, range);
    sym::AssertOp::create(
        builder, loc, sym::symbol(context, symbol), sym::Predicate::Eq,
        sym::symbol(context, number.symbol),
        builder.getStringAttr("the input '" + number.name +
                              "' is what the program was exported for"));
  }
  return Error::success();
}

Error ModuleBuilder::addInputs(func::FuncOp func) {
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> attrs;
  for (const InputSpec &spec : program.inputs)
    if (Error error = addInput(spec, types, attrs))
      return error;
  func.setFunctionType(builder.getFunctionType(types, {}));
  func.setAllArgAttrs(attrs);
  Block *body = func.addEntryBlock();
  SmallVector<BlockArgument> tensors;
  for (BlockArgument argument : body->getArguments())
    if (none_of(numbers, [&](const Number &number) {
          return number.argument == argument.getArgNumber();
        }))
      tensors.push_back(argument);
  for (auto [variable, value] : zip_equal(variables, tensors)) {
    variable.view->value = value;
    variable.view->type = cast<RankedTensorType>(value.getType());
    notePlace(variable.names.front(), value);
    StringAttr name = builder.getStringAttr(variable.names.front());
    value.setLoc(NameLoc::get(name));
  }
  builder.setInsertionPointToStart(body);
  if (Error error = addNumbers(*body, types))
    return error;
  if (Error error = addGuards())
    return error;
  return addSizeGuards();
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

/// The strides of a result that has memory of its own: those of the program,
/// without what lies between the elements of a view.
static sym::ShapeAttr closeGaps(const sym::Context &ranges,
                                ArrayRef<ExprAttr> sizes,
                                sym::ShapeAttr strides) {
  MLIRContext *context = strides.getContext();
  SmallVector<ExprAttr> closed(strides.getDims());
  llvm::SmallBitVector left(static_cast<unsigned>(closed.size()), true);
  // Repeated elements, and dimensions whose stride says nothing.
  for (unsigned d = 0; d < closed.size(); ++d)
    if (closed[d].isConstant(0) || sizes[d].isConstant(1))
      left.reset(d);
  ExprAttr next = sym::constant(context, 1);
  while (left.any()) {
    // The dimension with the least stride.
    auto dims = left.set_bits();
    auto least = llvm::find_if(dims, [&](unsigned d) {
      return llvm::all_of(left.set_bits(), [&](unsigned other) {
        return ranges.isLessOrEqual(closed[d], closed[other]);
      });
    });
    // Elements that share memory stay as they are.
    if (least == dims.end() || !ranges.isLessOrEqual(next, closed[*least]))
      return strides;
    closed[*least] = next;
    next = sym::mul(next, sizes[*least]);
    left.reset(*least);
  }
  return sym::ShapeAttr::get(context, closed);
}

Error ModuleBuilder::addOutput(const OutputSpec &spec,
                               SmallVectorImpl<Value> &values,
                               SmallVectorImpl<DictionaryAttr> &attrs) {
  NamedAttrList attributes;
  switch (spec.kind) {
  case OutputSpec::Kind::UserOutput:
    break;
  case OutputSpec::Kind::BufferMutation:
  case OutputSpec::Kind::ParameterMutation:
  case OutputSpec::Kind::UserInputMutation:
  case OutputSpec::Kind::GradientToParameter:
  case OutputSpec::Kind::GradientToUserInput:
    // "buffer_mutation" and so on, with what receives the value.
    attributes.set(("coil." + spec.tag).str(),
                   builder.getStringAttr(spec.target));
    break;
  case OutputSpec::Kind::Other:
    return makeError("outputs of kind " + quoted(spec.tag) +
                     " are not supported");
  }

  if (spec.arg.kind == Kind::None)
    return Error::success(); // The caller's structure knows about it.
  if (spec.arg.kind == Kind::SymInt || spec.arg.kind == Kind::Int) {
    Expected<ExprAttr> expr =
        spec.arg.kind == Kind::Int
            ? Expected<ExprAttr>(sym::constant(context, spec.arg.ints[0]))
            : getExpr(spec.arg.symInts[0]);
    if (!expr)
      return expr.takeError();
    values.push_back(graph::ExprOp::create(
        builder, builder.getUnknownLoc(),
        RankedTensorType::get({}, builder.getI64Type()), *expr));
    if (spec.arg.kind == Kind::SymInt && !spec.arg.symInts[0].name.empty())
      attributes.set("coil.name",
                     builder.getStringAttr(spec.arg.symInts[0].name));
    attrs.push_back(attributes.getDictionary(context));
    return Error::success();
  }
  bool isSymbolic =
      (spec.arg.kind == Kind::SymFloat &&
       !spec.arg.symFloats[0].name.empty()) ||
      (spec.arg.kind == Kind::SymBool && !spec.arg.symInts[0].name.empty());
  if (isSymbolic) {
    StringRef name = spec.arg.kind == Kind::SymFloat
                         ? spec.arg.symFloats[0].name
                         : spec.arg.symInts[0].name;
    Expected<Value> value = computeNumber(spec.arg);
    if (!value)
      return makeError("output " + quoted(name) + ": " +
                       toString(value.takeError()));
    attributes.set("coil.name", builder.getStringAttr(name));
    values.push_back(*value);
    attrs.push_back(attributes.getDictionary(context));
    return Error::success();
  }
  if (spec.arg.kind == Kind::Float || spec.arg.kind == Kind::Bool) {
    // Numbers that export made constant.
    Type element = spec.arg.kind == Kind::Float ? Type(builder.getF64Type())
                                                : Type(builder.getI1Type());
    TypedAttr number =
        spec.arg.kind == Kind::Float
            ? TypedAttr(builder.getF64FloatAttr(spec.arg.floats[0]))
            : TypedAttr(builder.getBoolAttr(spec.arg.ints[0]));
    auto type = RankedTensorType::get({}, element);
    values.push_back(
        graph::ConstantOp::create(builder, builder.getUnknownLoc(),
                                  DenseElementsAttr::get(type, number)));
    attrs.push_back(attributes.getDictionary(context));
    return Error::success();
  }
  if (spec.arg.kind == Kind::String)
    return Error::success(); // As for None.
  if (spec.arg.kind != Kind::Tensor)
    return makeError("only tensors, numbers, strings and None can be outputs");

  StringRef name = spec.arg.strings[0];
  Expected<unsigned> variable = lookup(name);
  if (!variable)
    return variable.takeError();
  Value value = getValue(*variable);
  StringRef laidOut = name;
  if (spec.isMutation()) {
    // As copy_ does; decompositions leave that to whoever writes the value.
    bool isUser = spec.kind == OutputSpec::Kind::UserInputMutation;
    auto receiver = receivers[isUser].find(spec.target);
    if (receiver == receivers[isUser].end())
      return makeError("output " + quoted(name) + " is written to " +
                       quoted(spec.target) + ", which is no input");
    Expected<unsigned> input = lookup(receiver->second);
    if (!input)
      return input.takeError();
    auto type = cast<RankedTensorType>(getValue(*input).getType());
    if (value.getType() != type) {
      laidOut = receiver->second;
      value = expand(convert(value, type.getElementType()), type);
    }
  }
  Expected<const TensorMeta *> meta = getMeta(laidOut);
  if (!meta)
    return meta.takeError();
  Expected<Attribute> strides = getStrides((*meta)->sizes, (*meta)->strides);
  if (!strides)
    return makeError("output " + quoted(name) + ": " +
                     toString(strides.takeError()));
  attributes.set("coil.name", builder.getStringAttr(name));
  if (hasOwnPositions(variables[*variable].view) && mayOverlap(**meta))
    *strides = Attribute();
  if (auto shape = dyn_cast_or_null<sym::ShapeAttr>(*strides)) {
    // The end of what has no elements would be in front of its beginning, where
    // strides are more than one: such a result lies row by row.
    Expected<SmallVector<ExprAttr>> sizes = getExprs((*meta)->sizes);
    if (!sizes)
      return sizes.takeError();
    shape = closeGaps(ranges, *sizes, shape);
    ExprAttr end = sym::constant(context, 1);
    for (auto [size, stride] : zip_equal(*sizes, shape.getDims()))
      end = sym::add(end, sym::mul(sym::add(size, -1), stride));
    if (ranges.isNonNegative(end) &&
        shape.getDims() != ArrayRef(sym::getContiguousStrides(context, *sizes)))
      attributes.set("coil.strides", shape);
  }
  addPlace(**meta, attributes, !spec.isMutation());
  values.push_back(value);
  attrs.push_back(attributes.getDictionary(context));
  return Error::success();
}

Error ModuleBuilder::addMutations(SmallVectorImpl<Value> &values,
                                  SmallVectorImpl<DictionaryAttr> &attrs) {
  llvm::StringSet<> stated[2]; // As in `receivers`.
  for (const OutputSpec &spec : program.outputs)
    if (spec.isMutation())
      stated[spec.kind == OutputSpec::Kind::UserInputMutation].insert(
          spec.target);
  for (const InputSpec &spec : program.inputs) {
    if (spec.kind == InputSpec::Kind::ConstantInput ||
        spec.kind == InputSpec::Kind::Other || spec.arg.kind != Kind::Tensor)
      continue;
    StringRef name = spec.arg.strings[0];
    Expected<unsigned> variable = lookup(name);
    if (!variable)
      return variable.takeError();
    // The caller's tensor is what the variable was at first.
    Storage *storage = getStorage(*variable);
    bool isUser = spec.kind == InputSpec::Kind::UserInput;
    StringRef target = isUser ? name : spec.fqn;
    if (!storage->generation || stated[isUser].contains(target))
      continue;
    StringRef kind = isUser ? "coil.user_input_mutation"
                     : spec.kind == InputSpec::Kind::Parameter
                         ? "coil.parameter_mutation"
                         : "coil.buffer_mutation";
    const TensorMeta &meta = program.tensors.find(name)->second;
    Expected<Attribute> strides = getStrides(meta.sizes, meta.strides);
    if (!strides)
      return makeError("input " + quoted(name) + ": " +
                       toString(strides.takeError()));
    NamedAttrList attributes;
    attributes.set("coil.name", builder.getStringAttr(name));
    if (*strides)
      attributes.set("coil.strides", *strides);
    attributes.set(kind, builder.getStringAttr(target));
    addPlace(meta, attributes, /*mayBeOnHost=*/isUser);
    values.push_back(storages.read(storage->root, builder.getUnknownLoc()));
    attrs.push_back(attributes.getDictionary(context));
  }
  return Error::success();
}

Error ModuleBuilder::addOutputs(func::FuncOp func) {
  SmallVector<Value> values;
  SmallVector<DictionaryAttr> attrs;
  for (const InputSpec &spec : program.inputs) {
    bool isUser = spec.kind == InputSpec::Kind::UserInput;
    if (spec.arg.kind == Kind::Tensor)
      receivers[isUser][isUser ? spec.arg.strings[0] : spec.fqn] =
          spec.arg.strings[0];
  }
  // As in programs that state what they write to: in front of what they return.
  if (Error error = addMutations(values, attrs))
    return error;
  for (const OutputSpec &spec : program.outputs)
    if (Error error = addOutput(spec, values, attrs))
      return error;
  func::ReturnOp::create(builder, func.getLoc(), values);
  func.setFunctionType(builder.getFunctionType(func.getArgumentTypes(),
                                               TypeRange(ValueRange(values))));
  func.setAllResultAttrs(attrs);
  return Error::success();
}
