//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls of host functions in Python: `host.call` of what is registered, or
// torch's own operators.
//
//===----------------------------------------------------------------------===//

#include "PythonEmitter.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

std::optional<std::string> PythonEmitter::callArgument(HostCallOpInterface call,
                                                       Attribute argument,
                                                       unsigned &nextOperand,
                                                       std::string &kinds) {
  if (isa<UnitAttr>(argument)) {
    OpOperand &operand = call->getOpOperand(
        call.getCallOperands().getBeginOperandIndex() + nextOperand++);
    Value v = operand.get();
    kinds += v.getType().isF64()             ? 'f'
             : isa<ObjectType>(v.getType())  ? 'o'
             : !isa<BufferType>(v.getType()) ? 'b'
             : call.mayWrite(operand)        ? 'm'
                                             : 't';
    return name(v);
  }
  if (auto number = dyn_cast<ExprAttr>(argument)) {
    kinds += 'i';
    return print(number);
  }
  if (auto number = dyn_cast<FloatAttr>(argument)) {
    kinds += 'f';
    return printFloatLiteral(number.getValueAsDouble());
  }
  if (auto flag = dyn_cast<BoolAttr>(argument)) {
    kinds += 'b';
    return std::string(flag.getValue() ? "True" : "False");
  }
  if (auto text = dyn_cast<StringAttr>(argument)) {
    kinds += 's';
    return quote(text.getValue());
  }
  if (auto list = dyn_cast<ArrayAttr>(argument)) {
    SmallVector<std::string> elements;
    kinds += '[';
    for (Attribute element : list) {
      auto text = callArgument(call, element, nextOperand, kinds);
      if (!text)
        return std::nullopt;
      elements.push_back(*text);
    }
    kinds += ']';
    return "[" + llvm::join(elements, ", ") + "]";
  }
  if (isNoneArgument(argument)) {
    kinds += 'n';
    return std::string("None");
  }
  kinds += 'd';
  return torchType(call, cast<TypeAttr>(argument).getValue());
}

std::optional<std::string>
PythonEmitter::callArguments(HostCallOpInterface call) {
  SmallVector<std::string> arguments;
  std::string kinds;
  unsigned nextOperand = 0;
  for (Attribute argument : call.getCallArguments()) {
    auto text = callArgument(call, argument, nextOperand, kinds);
    if (!text)
      return std::nullopt;
    arguments.push_back(*text);
  }
  std::string text = quote(call.getFunctionName()) + ", " + quote(kinds) +
                     ", " + tuple(arguments);
  if (ArrayAttr names = call.getArgumentNames(); names && !names.empty()) {
    SmallVector<std::string> list;
    for (auto name : names.getAsValueRange<StringAttr>())
      list.push_back(quote(name));
    text += ", names=" + tuple(list);
  }
  std::string place = findOrigin(call->getLoc());
  return place.empty() ? text : text + ", where=" + quote(place);
}

std::optional<std::string>
PythonEmitter::callResults(HostCallOpInterface call) {
  SmallVector<std::string> list;
  for (Value v : call.getCallResults()) {
    auto dtype = torchType(call, type(v).getElementType());
    if (!dtype)
      return std::nullopt;
    list.push_back("(" + *dtype + ", " + std::to_string(type(v).getRank()) +
                   ")");
  }
  return tuple(list);
}

//===----------------------------------------------------------------------===//
// torch
//===----------------------------------------------------------------------===//

std::optional<std::string>
PythonEmitter::torchFunction(HostCallOpInterface call) {
  // Groups are found by name, by whoever registered them with Coil.
  if (!options.torchCalls || isa<CollectiveOp, WaitOp>(call.getOperation()))
    return std::nullopt;
  if (auto scatter = dyn_cast<ScatterFallbackOp>(call.getOperation())) {
    if (scatter.getReduce() == ScatterReduce::None)
      return std::string("torch.ops.aten.scatter_.") +
             (scatter.getSource() ? "src" : "value");
    if (!scatter.getSource()) // torch reduces tensors only.
      return std::nullopt;
    return std::string("torch.ops.aten.scatter_reduce_.two");
  }
  if (isa<IndexPutFallbackOp>(call.getOperation()))
    return std::string("torch.ops.aten.index_put_.default");
  std::string function = call.getFunctionName();
  auto [space, op] = StringRef(function).split("::");
  auto [base, overload] = op.split('.');
  return ("torch.ops." + space + "." + base + "." +
          (overload.empty() ? "default" : overload))
      .str();
}

std::optional<std::string>
PythonEmitter::torchArguments(HostCallOpInterface call) {
  SmallVector<std::string> list;
  std::string kinds;
  unsigned nextOperand = 0;
  for (Attribute argument : call.getCallArguments()) {
    auto text = callArgument(call, argument, nextOperand, kinds);
    if (!text)
      return std::nullopt;
    list.push_back(*text);
  }
  if (auto scatter = dyn_cast<ScatterFallbackOp>(call.getOperation())) {
    if (scatter.getReduce() == ScatterReduce::None)
      list.resize(4);
    else
      list[5] = "include_self=" + list[5];
  }
  if (ArrayAttr names = call.getArgumentNames())
    for (auto [text, name] :
         llvm::zip(list, names.getAsValueRange<StringAttr>()))
      text = (name + "=" + text).str();
  return llvm::join(list, ", ");
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

void PythonEmitter::emitRequiredFunctions() {
  llvm::StringSet<> known;
  llvm::MapVector<int32_t, SmallVector<std::string>> lists;
  module.walk([&](HostCallOpInterface call) {
    std::string function = call.getFunctionName();
    const DeviceInfo *device = getDevice(call, call.getCallDevice());
    int32_t kind = device ? device->runtimeType : 0;
    if (!torchFunction(call) &&
        known.insert(function + ":" + std::to_string(kind)).second)
      lists[kind].push_back(quote(function) + ": " +
                            quote(findOrigin(call->getLoc())));
  });
  if (lists.empty())
    return;
  out.blank();
  out.line("# What the program calls that is not in it, and where: see "
           "coil.register_function.");
  for (auto &[kind, list] : lists)
    out.line("host.require_functions({" + llvm::join(list, ", ") + "}" +
             (kind == 0 ? "" : ", " + std::to_string(kind)) + ")");
}

/// What a call says of a device that is not the host.
std::optional<std::string> PythonEmitter::callPlace(HostCallOpInterface call) {
  DeviceAttr attr = call.getCallDevice();
  const DeviceInfo *device = getDevice(call, attr);
  auto torchName = torchDevice(call, attr);
  if (!device || !torchName)
    return std::nullopt;
  std::string text = deviceArgument(attr);
  if (device->runtimeType == 0)
    return text;
  text += ", kind=" + std::to_string(device->runtimeType);
  if (call.getCallResults().size() != 0)
    text += ", place=(" + *torchName + ", " +
            (device->hostAccessible ? "None" : quote(device->copyFunction)) +
            ", " + quote(device->freeFunction) + ")";
  return text;
}

LogicalResult PythonEmitter::emitHostCall(HostCallOpInterface call) {
  SmallVector<std::string> outputs;
  for (Value v : call.getCallOutputs())
    outputs.push_back(name(v));
  auto function = torchFunction(call);
  auto arguments = function ? torchArguments(call) : callArguments(call);
  if (!arguments)
    return failure();
  std::string text;
  if (function) {
    text = *function + "(" + *arguments + ")";
    if (!outputs.empty())
      text = "host.copy_results(" + tuple(outputs) + ", " + text + ")";
    else if (call.getCallResults().size() != 0)
      text = "host.flatten(" + text + ")";
  } else {
    text = "host.call(" + *arguments;
    if (!outputs.empty())
      text += ", outs=" + tuple(outputs);
    if (call.getCallResults().size()) {
      auto results = callResults(call);
      if (!results)
        return failure();
      text += ", results=" + *results;
    }
    auto place = callPlace(call);
    if (!place)
      return failure();
    text += *place + ")";
  }
  SmallVector<std::string> results;
  for (Value v : call.getCallResults())
    results.push_back(defineBuffer(v));
  if (results.empty())
    out.line(text);
  else
    out.line(llvm::join(results, ", ") +
             (results.size() == 1 ? ", = " : " = ") + text);
  return success();
}
