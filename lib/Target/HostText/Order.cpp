//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Streams, events and memory of process groups in all languages, in the words
// of the devices' registrations. Collectives are calls of host functions.
//
//===----------------------------------------------------------------------===//

#include "CppEmitter.h"
#include "FXEmitter.h"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

/// Parameters of functions of devices.
static constexpr StringLiteral
    kCommAlloc = "coil_run *, const char *, int32_t, int64_t, void **",
    kCommFree = "coil_run *, void *", kEnter = "coil_run *, int32_t",
    kLeave = "coil_run *", kRecord = "coil_run *, void **",
    kWait = "coil_run *, void *";

//===----------------------------------------------------------------------===//
// Python
//===----------------------------------------------------------------------===//

void PythonEmitter::emitStreams() {
  auto add = [&](DeviceAttr device, uint64_t number) {
    const DeviceInfo *info = lookupInfo(device);
    if (!info || info->python.makeStream.empty())
      return;
    std::string &name = sideStreams[{device, static_cast<int64_t>(number)}];
    if (!name.empty())
      return;
    if (sideStreams.size() == 1)
      out.blank();
    name = defineGlobal(info->kind + "_stream");
    out.line(name + " = " + fillWords(info->python.makeStream, device));
  };
  module.walk([&](Operation *op) {
    if (auto stream = dyn_cast<StreamOp>(op))
      add(stream.getDevice(), stream.getNumber());
    if (auto event = dyn_cast<RecordEventOp>(op); event && event.getStream())
      add(event.getDevice(), *event.getStream());
  });
}

std::string PythonEmitter::streamContext(DeviceAttr device,
                                         std::optional<uint64_t> number) {
  auto found =
      sideStreams.find({device, static_cast<int64_t>(number.value_or(0))});
  if (found == sideStreams.end())
    return "";
  auto [before, behind] =
      StringRef(lookupInfo(device)->python.onStream).split("{}");
  return (before + found->second + behind).str();
}

std::optional<std::string> PythonEmitter::commAllocation(CommAllocOp op) {
  auto t = cast<BufferType>(op.getType());
  const DeviceInfo *device = getDevice(op, t.getDevice());
  auto arguments = layoutArguments(op, t);
  if (!device || !arguments)
    return std::nullopt;
  std::string text = quote(op.getGroup()) + ", " +
                     quote(stringifyCommKind(op.getKind())) + ", " + *arguments;
  if (!device->python.allocate.empty())
    text += ", allocate=" + device->python.allocate;
  return text;
}

LogicalResult PythonEmitter::emit(CommAllocOp op) {
  auto arguments = commAllocation(op);
  if (!arguments)
    return failure();
  out.line(defineBuffer(op) + " = host.comm_empty_strided(" + *arguments + ")");
  return success();
}

LogicalResult PythonEmitter::emit(CommFreeOp op) {
  endStorage(op.getSource());
  return success();
}

LogicalResult PythonEmitter::emit(StreamOp op) {
  const DeviceInfo *info = getDevice(op, op.getDevice());
  if (!info)
    return failure();
  std::string context = streamContext(op.getDevice(), op.getNumber());
  if (context.empty()) // One stream is all there is.
    return emitInPlace(op);
  return emitInside(context, op);
}

LogicalResult PythonEmitter::emit(RecordEventOp op) {
  const DeviceInfo *info = getDevice(op, op.getDevice());
  if (!info)
    return failure();
  if (info->python.recordEvent.empty())
    return success();
  std::string context = streamContext(op.getDevice(), op.getStream());
  if (!context.empty()) {
    out.line("with " + context + ":");
    out.indent();
  }
  out.line(define(op.getToken()) + " = " +
           fillWords(info->python.recordEvent, op.getDevice()));
  if (!context.empty())
    out.outdent();
  return success();
}

LogicalResult PythonEmitter::emit(WaitEventOp op) {
  DeviceAttr device = op.getEvent().getDevice();
  const DeviceInfo *info = getDevice(op, device);
  if (!info)
    return failure();
  if (info->python.recordEvent.empty())
    return success();
  out.line(fillWords(info->python.waitEvent, device) + "(" +
           name(op.getToken()) + ")");
  return success();
}

//===----------------------------------------------------------------------===//
// FX
//===----------------------------------------------------------------------===//

LogicalResult FXEmitter::emit(CommAllocOp op) {
  auto arguments = commAllocation(op);
  auto value = fake(op, op.getType());
  if (!arguments || !value)
    return failure();
  out.line(define(op) + " = " +
           call("host.comm_empty_strided", *arguments + ", val=" + *value));
  offsets[op] = sym::constant(op.getContext(), 0);
  return success();
}

/// A context manager or an event is no value that a node can name: nodes have
/// the number of what makes it (`fx.Graph.act`).
LogicalResult FXEmitter::emit(StreamOp op) {
  const DeviceInfo *info = getDevice(op, op.getDevice());
  if (!info)
    return failure();
  std::string context = streamContext(op.getDevice(), op.getNumber());
  if (context.empty())
    return emitInPlace(op);
  out.line(graph + ".act(fx.enter, lambda: " + context + ")");
  if (failed(emitInPlace(op)))
    return failure();
  out.line(graph + ".check(fx.leave)");
  return success();
}

LogicalResult FXEmitter::emit(RecordEventOp op) {
  const DeviceInfo *info = getDevice(op, op.getDevice());
  if (!info)
    return failure();
  if (info->python.recordEvent.empty())
    return success();
  std::string context = streamContext(op.getDevice(), op.getStream());
  if (!context.empty())
    out.line(graph + ".act(fx.enter, lambda: " + context + ")");
  out.line(define(op.getToken()) + " = " + graph + ".act(fx.make, lambda: " +
           fillWords(info->python.recordEvent, op.getDevice()) + ")");
  if (!context.empty())
    out.line(graph + ".check(fx.leave)");
  return success();
}

LogicalResult FXEmitter::emit(WaitEventOp op) {
  DeviceAttr device = op.getEvent().getDevice();
  const DeviceInfo *info = getDevice(op, device);
  if (!info)
    return failure();
  for (Operation *p = op->getParentOp(); p != op.getEvent()->getParentOp();
       p = p->getParentOp())
    if (isa<IfOp, WhileOp>(p) && !info->python.recordEvent.empty() &&
        !p->isAncestor(op.getEvent()))
      return op.emitOpError("waits in a branch or a loop for an event of "
                            "another graph, which the emitter 'fx' cannot "
                            "express");
  if (!info->python.recordEvent.empty())
    out.line(graph + ".act(fx.apply, lambda event: " +
             fillWords(info->python.waitEvent, device) + "(event), " +
             name(op.getToken()) + ")");
  return success();
}

//===----------------------------------------------------------------------===//
// C++
//===----------------------------------------------------------------------===//

LogicalResult CppEmitter::emit(CommAllocOp op) {
  auto t = cast<BufferType>(op.getType());
  const DeviceInfo *device = getDevice(op, t.getDevice());
  if (!device)
    return failure();
  sym::ExprAttr bytes = t.getStorageBytes();
  if (device->commAllocFunction.empty()) {
    if (device->allocFunction.empty() || device->freeFunction.empty())
      return op.emitOpError()
             << "device '" << device->kind << "' cannot allocate";
    std::string name = defineHandle(op, *device);
    out.line(
        "COIL_TRY(" + name + ".allocate(" +
        deviceFunction(device->allocFunction, "coil_run *, int64_t, void **") +
        ", run, " + print(bytes) + "));");
    return success();
  }
  std::string type = "coil::Buffer<" +
                     deviceFunction(device->commFreeFunction, kCommFree) + ">";
  std::string memory = getLocals().numbered("memory");
  out.line("void *" + memory + " = nullptr;");
  out.line(printCall(deviceFunction(device->commAllocFunction, kCommAlloc),
                     {quote(op.getGroup()),
                      std::to_string(static_cast<int>(op.getKind())),
                      print(bytes), "&" + memory}));
  std::string name = defineHandle(op, type);
  out.line(name + " = " + type + "(run, " + memory + ");");
  return success();
}

LogicalResult CppEmitter::emit(CommFreeOp op) {
  out.line("COIL_TRY(" + handle(op.getSource()) + ".free());");
  return success();
}

LogicalResult CppEmitter::emit(StreamOp op) {
  const DeviceInfo *device = getDevice(op, op.getDevice());
  if (!device)
    return failure();
  if (device->enterStreamFunction.empty())
    return emitInPlace(op);
  std::string enter = deviceFunction(device->enterStreamFunction, kEnter),
              leave = deviceFunction(device->leaveStreamFunction, kLeave);
  // A program that fails inside is at its end: whoever ends the run takes it
  // back.
  DeviceAttr other = selection->get(op.getDevice());
  select(other);
  out.line(printCall(enter, {std::to_string(op.getNumber())}));
  select(other, /*isBegin=*/false);
  if (failed(emitInPlace(op)))
    return failure();
  select(other);
  out.line("COIL_TRY(" + leave + "(run));");
  select(other, /*isBegin=*/false);
  return success();
}

LogicalResult CppEmitter::emit(RecordEventOp op) {
  const DeviceInfo *device = getDevice(op, op.getDevice());
  if (!device)
    return failure();
  if (device->recordEventFunction.empty())
    return success();
  out.line(defineAddress(op.getToken()) + " = nullptr;");
  bool isOther = op.getStream() && !device->enterStreamFunction.empty();
  if (isOther)
    out.line(printCall(deviceFunction(device->enterStreamFunction, kEnter),
                       {std::to_string(*op.getStream())}));
  out.line(printCall(deviceFunction(device->recordEventFunction, kRecord),
                     {"&" + name(op.getToken())}));
  if (isOther)
    out.line("COIL_TRY(" + deviceFunction(device->leaveStreamFunction, kLeave) +
             "(run));");
  return success();
}

LogicalResult CppEmitter::emit(WaitEventOp op) {
  const DeviceInfo *device = getDevice(op, op.getEvent().getDevice());
  if (!device)
    return failure();
  if (!device->waitEventFunction.empty() &&
      !device->recordEventFunction.empty())
    out.line(printCall(deviceFunction(device->waitEventFunction, kWait),
                       {name(op.getToken())}));
  return success();
}
