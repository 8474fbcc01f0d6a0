//===----------------------------------------------------------------------===//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Normalisations that update their running statistics. The schemas of these
// composite operators do not say so. There is an operator that returns the new
// statistics; instance norm is written in terms of it, as PyTorch does: every
// sample has channels of its own, and their statistics are averaged.
//
//===----------------------------------------------------------------------===//

#include "ModuleBuilder.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace mlir;
using namespace coil;
using namespace coil::import;
using Kind = Argument::Kind;
using sym::ExprAttr;

bool ModuleBuilder::updatesStatistics(const Call &call) {
  StringRef flag =
      llvm::StringSwitch<StringRef>(call.name)
          .Cases({"aten.batch_norm.default", "aten.native_batch_norm.default",
                  "aten.cudnn_batch_norm.default",
                  "aten.miopen_batch_norm.default"},
                 "training")
          .Case("aten.instance_norm.default", "use_input_stats")
          .Default("");
  if (flag.empty() || !call.getVariable("running_mean") ||
      !call.getVariable("running_var"))
    return false;
  auto training = dyn_cast_or_null<BoolAttr>(call.getArgument(flag));
  return training && training.getValue();
}

Error ModuleBuilder::addStatisticsUpdate(const Node &node, const Call &call,
                                         size_t position) {
  SmallVector<StringRef> names;
  SmallVector<RankedTensorType> types;
  for (const Argument &output : node.outputs) {
    if (output.kind != Kind::Tensor)
      return makeError("expected tensors as results");
    names.push_back(output.strings[0]);
    Expected<const TensorMeta *> meta = getMeta(names.back());
    if (!meta)
      return meta.takeError();
    Expected<RankedTensorType> type = getType(**meta);
    if (!type)
      return type.takeError();
    types.push_back(*type);
  }
  auto operand = [&](StringRef name) -> Value {
    for (auto [key, value] : zip_equal(call.operandNames, call.operands))
      if (cast<StringAttr>(key).getValue() == name)
        return value;
    return {};
  };
  Value input = operand("input");
  if (types.empty() || !input)
    return makeError("its input or result is missing");
  auto inputType = cast<RankedTensorType>(input.getType());
  SmallVector<ExprAttr> sizes = sym::getSizes(inputType);
  // Without elements there is nothing to normalize, whatever the channels are.
  if (sizes.size() == 1 && sizes[0].isConstant(0) && names.size() == 1 &&
      types[0] == inputType)
    return define(names[0], input);
  if (sizes.size() < 2)
    return makeError("its input has no channels");
  unsigned mean = *call.getVariable("running_mean"),
           variance = *call.getVariable("running_var");

  bool isInstance = call.name == "aten.instance_norm.default";
  ExprAttr samples = sizes[0], channels = sizes[1];
  auto view = [&](Value value, ArrayRef<ExprAttr> sizes) {
    auto type = sym::getTensorType(
        sizes, cast<RankedTensorType>(value.getType()).getElementType());
    return storages.createAten(
        "aten.view.default", type, value, StringRef("self"),
        builder.getNamedAttr("size", getSizesAttr(builder, type)), location);
  };
  // Vectors once for each sample.
  auto repeat = [&](Value value) {
    if (!value || !isInstance)
      return value;
    auto type = sym::getTensorType(
        sym::mul(samples, channels),
        cast<RankedTensorType>(value.getType()).getElementType());
    auto counts = sym::getTensorType(samples, type.getElementType());
    return storages.createAten(
        "aten.repeat.default", type, value, StringRef("self"),
        builder.getNamedAttr("repeats", getSizesAttr(builder, counts)),
        location);
  };
  if (isInstance) {
    SmallVector<ExprAttr> merged = {sym::constant(context, 1),
                                    sym::mul(samples, channels)};
    append_range(merged, ArrayRef(sizes).drop_front(2));
    input = view(input, merged);
  }

  SmallVector<Value> operands = {input};
  SmallVector<StringRef> operandNames = {"input"};
  for (StringRef name : {"weight", "bias", "running_mean", "running_var"})
    if (Value value = repeat(operand(name))) {
      operands.push_back(value);
      operandNames.push_back(name);
    }
  SmallVector<NamedAttribute> arguments = {
      builder.getNamedAttr("training", builder.getBoolAttr(true))};
  // cuDNN's operator calls them differently.
  for (auto [name, other] :
       {std::pair("momentum", "exponential_average_factor"),
        std::pair("eps", "epsilon")}) {
    Attribute value = call.getArgument(name);
    if (!value)
      value = call.getArgument(other);
    if (!value)
      return makeError("its argument " + quoted(name) + " is missing");
    arguments.push_back(builder.getNamedAttr(name, value));
  }
  RankedTensorType meanType = variables[mean].view->type;
  auto statistics =
      sym::getTensorType(isInstance ? sym::mul(samples, channels) : channels,
                         meanType.getElementType());
  SmallVector<Type> resultTypes = {
      sym::getTensorType(sym::getSizes(cast<RankedTensorType>(input.getType())),
                         types[0].getElementType())};
  for (unsigned i : {1u, 2u})
    resultTypes.push_back(!isInstance && i < types.size() ? types[i]
                                                          : statistics);
  resultTypes.append({statistics, statistics});
  auto op = graph::AtenOp::create(
      builder, location, resultTypes,
      builder.getStringAttr("aten._native_batch_norm_legit_functional.default"),
      operands, builder.getStrArrayAttr(operandNames),
      builder.getDictionaryAttr(arguments));
  if (names.size() > 4)
    return makeError("it has more results than batch norm");
  for (auto [i, name] : enumerate(names)) {
    // cuDNN's operators keep what only their gradients need.
    Value value =
        i < 3
            ? op->getResult(i)
            : storages.createAten(
                  "aten.zeros.default", types[i], {}, {},
                  builder.getNamedAttr("size", getSizesAttr(builder, types[i])),
                  location);
    if (isInstance)
      value = view(value, sizes);
    if (Error error = define(name, value))
      return error;
  }
  for (auto [variable, value] :
       {std::pair<unsigned, Value>(mean, op->getResult(3)),
        std::pair<unsigned, Value>(variance, op->getResult(4))}) {
    Value now = value;
    if (isInstance)
      now = storages.createAten(
          "aten.mean.dim",
          sym::getTensorType(channels, meanType.getElementType()),
          view(value, {samples, channels}), StringRef("self"),
          {builder.getNamedAttr("dim", builder.getDenseI64ArrayAttr(0)),
           builder.getNamedAttr("keepdim", builder.getBoolAttr(false))},
          location);
    if (Error error = assign(variable, now, position))
      return error;
  }
  return Error::success();
}
