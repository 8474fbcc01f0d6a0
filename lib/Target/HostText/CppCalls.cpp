//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls of host functions as statements of C++.
//
//===----------------------------------------------------------------------===//

#include "CppEmitter.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

/// What is declared in front of a call.
struct CppEmitter::CallParts {
  CallParts(HostCallOpInterface call, std::string base)
      : call(call), base(std::move(base)), operands(call.getCallOperands()) {}

  HostCallOpInterface call;
  std::string base;
  OperandRange operands;
  unsigned nextOperand = 0, numLists = 0;
  /// Tensors of arguments, and the numbers of their shapes.
  SmallVector<std::string> tensors, numbers;
  /// Lists that arguments refer to, in order.
  SmallVector<std::string> lists;
};

/// What stands for the shapes of tensors that are all of rank zero.
static const std::string kNoNumbers[] = {"0"};

FailureOr<std::string> CppEmitter::callArgument(Attribute argument,
                                                CallParts &parts) {
  Operation *op = parts.call;
  if (isa<UnitAttr>(argument)) {
    OpOperand &operand = op->getOpOperand(
        parts.operands.getBeginOperandIndex() + parts.nextOperand++);
    Value v = operand.get();
    if (v.getType().isF64())
      return "coil::floatArgument(" + name(v) + ")";
    if (isa<ObjectType>(v.getType()))
      return "coil::objectArgument(" + name(v) + ")";
    if (!isa<BufferType>(v.getType()))
      return "coil::boolArgument(" + name(v) + ")";
    std::string number = std::to_string(parts.tensors.size());
    auto text = callTensor(op, v, parts.base, parts.numbers);
    if (failed(text))
      return failure();
    parts.tensors.push_back(*text);
    return "coil::tensorArgument(" + parts.base + "_tensors[" + number + "], " +
           (parts.call.mayWrite(operand) ? "true" : "false") + ")";
  }
  if (auto number = dyn_cast<ExprAttr>(argument))
    return "coil::intArgument(" + print(number) + ")";
  if (auto number = dyn_cast<FloatAttr>(argument))
    return "coil::floatArgument(" +
           printFloatLiteral(number.getValueAsDouble()) + ")";
  if (auto flag = dyn_cast<BoolAttr>(argument))
    return std::string("coil::boolArgument(") +
           (flag.getValue() ? "true" : "false") + ")";
  if (auto text = dyn_cast<StringAttr>(argument))
    return "coil::stringArgument(" + quote(text.getValue()) + ")";
  if (auto list = dyn_cast<ArrayAttr>(argument)) {
    if (list.empty())
      return std::string("coil::listArgument(nullptr, 0)");
    SmallVector<std::string> elements;
    for (Attribute element : list) {
      auto text = callArgument(element, parts);
      if (failed(text))
        return failure();
      elements.push_back(*text);
    }
    std::string name = parts.base + "_list" + std::to_string(parts.numLists++);
    parts.lists.push_back("const coil_argument " + name + "[] = {" +
                          llvm::join(elements, ", ") + "};");
    return "coil::listArgument(" + name + ", " + std::to_string(list.size()) +
           ")";
  }
  if (isNoneArgument(argument))
    return std::string("coil::noArgument()");
  auto dtype = dtypeName(op, cast<TypeAttr>(argument).getValue());
  if (!dtype)
    return failure();
  return "coil::dtypeArgument(" + *dtype + ")";
}

FailureOr<std::string>
CppEmitter::callTensor(Operation *op, Value v, const std::string &base,
                       SmallVectorImpl<std::string> &numbers,
                       std::optional<int32_t> deviceType) {
  BufferType t = type(v);
  auto dtype = dtypeName(op, t.getElementType());
  const DeviceInfo *device = getDevice(op, t.getDevice());
  if (!dtype || !device)
    return failure();
  std::string rank = std::to_string(t.getRank()),
              shape = base + "_shapes + " + std::to_string(numbers.size());
  for (sym::ShapeAttr exprs : {t.getSizes(), t.getStrides()})
    for (ExprAttr e : exprs.getDims())
      numbers.push_back(print(e));
  return "{" + address(v) + ", " + shape + ", " + shape + " + " + rank + ", " +
         rank + ", " + *dtype + ", " +
         std::to_string(deviceType.value_or(device->runtimeType)) + ", " +
         std::to_string(t.getDevice().getIndex()) + "}";
}

LogicalResult CppEmitter::emitHostCall(HostCallOpInterface op) {
  const DeviceInfo *device = getDevice(op, op.getCallDevice());
  if (!device)
    return failure();
  std::string base = getLocals().numbered("call");
  CallParts parts(op, base);
  SmallVector<std::string> arguments, outputs, results;
  for (Attribute argument : op.getCallArguments()) {
    auto text = callArgument(argument, parts);
    if (failed(text))
      return failure();
    arguments.push_back(*text);
  }
  for (Value v : op.getCallOutputs()) {
    auto text = callTensor(op, v, base, parts.numbers);
    if (failed(text))
      return failure();
    outputs.push_back(*text);
  }
  // The shapes of results may be asked for later.
  size_t numbers = 0;
  for (Value v : op.getCallResults())
    numbers += 2 * type(v).getRank();
  std::string place = base + "_results_shapes";
  if (isInFrame()) {
    place = "f.shapes + " + std::to_string(frame.shapes);
    frame.shapes += static_cast<unsigned>(numbers);
  } else if (!op.getCallResults().empty()) {
    out.line("int64_t " + place + "[" + Twine(std::max<size_t>(numbers, 1)) +
             "];");
  }
  numbers = 0;
  for (Value v : op.getCallResults()) {
    BufferType t = type(v);
    auto dtype = dtypeName(op, t.getElementType());
    if (!dtype)
      return failure();
    std::string rank = std::to_string(t.getRank()),
                shape = place + " + " + std::to_string(numbers);
    shapes[v] = shape;
    numbers += 2 * t.getRank();
    results.push_back("{nullptr, " + shape + ", " + shape + " + " + rank +
                      ", " + rank + ", " + *dtype + ", " +
                      std::to_string(device->runtimeType) + ", 0}");
  }
  noteCost(*op);
  std::string names = "nullptr";
  if (ArrayAttr list = op.getArgumentNames(); list && !list.empty()) {
    SmallVector<std::string> texts;
    for (auto name : list.getAsValueRange<StringAttr>())
      texts.push_back(quote(name));
    names = base + "_names";
    out.line("static const char *const " + names + "[] = {" +
             llvm::join(texts, ", ") + "};");
  }
  std::string origin = findOrigin(op->getLoc());
  // The runtime remembers the function there.
  out.line("static coil_call_site " + base + " = {sizeof(coil_call_site), " +
           Twine(device->runtimeType) + ", " + quote(op.getFunctionName()) +
           ", " + where(op) + ", " + names + ", nullptr};");
  auto array = [&](StringRef kind, StringRef suffix,
                   ArrayRef<std::string> values) -> std::string {
    if (values.empty())
      return "nullptr";
    std::string name = base + suffix.str();
    out.line(kind + " " + name + "[] = {" + llvm::join(values, ", ") + "};");
    return name;
  };
  array("const int64_t", "_shapes",
        parts.numbers.empty() && !(parts.tensors.empty() && outputs.empty())
            ? ArrayRef<std::string>(kNoNumbers)
            : ArrayRef<std::string>(parts.numbers));
  array("const coil_tensor", "_tensors", parts.tensors);
  for (const std::string &line : parts.lists)
    out.line(line);
  std::string in = array("const coil_argument", "_arguments", arguments),
              to = array("const coil_tensor", "_outputs", outputs),
              made = array("coil_tensor", "_results", results);
  out.line(
      printCall("coil_rt_call", {"&" + base, std::to_string(arguments.size()),
                                 in, std::to_string(outputs.size()), to,
                                 std::to_string(results.size()), made}));
  for (OpResult v : op.getCallResults()) {
    std::string name = defineHandle(v, *device);
    out.line(name + " = " + handleType(*device) + "(run, " + made + "[" +
             Twine(v.getResultNumber()) + "].data);");
  }
  return success();
}

LogicalResult CppEmitter::emit(TransferOp op) {
  std::string base = getLocals().numbered("transfer");
  SmallVector<std::string> numbers, ends;
  for (Value v : op->getOperands()) {
    const DeviceInfo *device = getDevice(op, type(v).getDevice());
    if (!device)
      return failure();
    auto text = callTensor(op, v, base, numbers, getTransferType(*device));
    if (failed(text))
      return failure();
    ends.push_back(*text);
  }
  if (numbers.empty())
    numbers.append(std::begin(kNoNumbers), std::end(kNoNumbers));
  out.line("const int64_t " + base + "_shapes[] = {" +
           llvm::join(numbers, ", ") + "};");
  out.line("const coil_tensor " + base + "_from = " + ends[0] + ", " + base +
           "_to = " + ends[1] + ";");
  out.line(
      printCall("coil_rt_transfer", {"&" + base + "_to", "&" + base + "_from",
                                     op.getNonBlocking() ? "1" : "0"}));
  return success();
}
