//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What Python says to devices, in the words that each brings, and launches of
// user-defined kernels.
//
//===----------------------------------------------------------------------===//

#include "PythonEmitter.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

std::string PythonEmitter::fillWords(StringRef words, DeviceAttr device) {
  std::string text;
  while (true) {
    auto [before, behind] = words.split("{}");
    text += before.str();
    if (before.size() == words.size())
      return text;
    text += std::to_string(device.getIndex());
    words = behind;
  }
}

const DeviceInfo *PythonEmitter::lookupInfo(DeviceAttr device) {
  return device.getContext()->getLoadedDialect<WrapperDialect>()->lookupDevice(
      device.getKind());
}

/// Whether runs that work on a device have to know.
static bool hasRecord(const DeviceInfo &info) {
  return !info.hostAccessible || !info.guardFunction.empty() ||
         !info.kernelOptions.empty();
}

void PythonEmitter::collectDevices(llvm::SetVector<DeviceAttr> &used) {
  llvm::SetVector<DeviceAttr> *here = nullptr;
  // Finds each attribute and type once, which is enough for the module.
  AttrTypeWalker walker;
  walker.addWalk([&](DeviceAttr device) { used.insert(device); });
  auto note = [&](Value v) {
    if (here && isa<BufferType, PoolType>(v.getType()))
      here->insert(wrapper::getDevice(v.getType()));
  };
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto fn = dyn_cast<FuncOp>(op)) {
      here = &functionDevices[fn];
      llvm::for_each(fn.getBody().getArguments(), note);
    } else if (op->getParentOp() == module) {
      here = nullptr;
    }
    walker.walk(op->getAttrDictionary());
    for (Value v : op->getResults()) {
      walker.walk(v.getType());
      note(v);
    }
  });
}

void PythonEmitter::emitDevices() {
  llvm::SetVector<DeviceAttr> used;
  collectDevices(used);
  llvm::StringSet<> imported;
  // Ops say of devices that are not registered that they are not.
  used.remove_if([](DeviceAttr device) { return !lookupInfo(device); });
  for (DeviceAttr device : used) {
    const PythonWords &words = lookupInfo(device)->python;
    numGuards += !words.guard.empty();
    if (!words.import.empty() && imported.insert(words.import).second)
      out.line(words.import);
  }
  for (DeviceAttr device : used) {
    const DeviceInfo *info = lookupInfo(device);
    if (!hasRecord(*info))
      continue;
    const PythonWords &words = info->python;
    std::string name = defineGlobal(info->kind + "_device");
    devices[device] = name;
    out.blank();
    out.line(name + " = host.Device(");
    out.indent();
    out.line(std::to_string(device.getIndex()) + ",");
    if (!info->kernelOptions.empty())
      out.line("options=" + quote(info->kernelOptions) + ",");
    if (!info->guardFunction.empty())
      out.line("bind=" + quote(info->guardFunction) + ",");
    if (!info->streamFunction.empty() && !words.stream.empty())
      out.line("stream=(" + quote(info->streamFunction) + ", " +
               quote(fillWords(words.stream, device)) + "),");
    if (!info->synchronizeFunction.empty())
      out.line("wait=" + quote(info->synchronizeFunction) + ",");
    if (!words.synchronize.empty())
      out.line("synchronize=" + quote(fillWords(words.synchronize, device)) +
               ",");
    if (!words.import.empty() && words.import != "import torch")
      out.line("imports=" + quote(words.import) + ",");
    out.outdent();
    out.line(")");
  }
}

std::string PythonEmitter::deviceArgument(DeviceAttr device) const {
  auto found = devices.find(device);
  return found == devices.end() ? "" : ", device=" + found->second;
}

std::string PythonEmitter::guardText(DeviceAttr device) const {
  return fillWords(lookupInfo(device)->python.guard, device);
}

bool PythonEmitter::openGuard(FuncOp fn) {
  // Where there is one device, whoever calls the function has selected it.
  if (fn.isPrivate() && numGuards == 1)
    return false;
  std::string guard;
  for (DeviceAttr device : functionDevices[fn]) {
    const DeviceInfo *info = lookupInfo(device);
    if (!info || info->python.guard.empty())
      continue;
    // With two there is no current one.
    if (!guard.empty())
      return false;
    guard = guardText(device);
  }
  if (guard.empty())
    return false;
  out.line("with " + guard + ":");
  out.indent();
  return true;
}

void PythonEmitter::emitSynchronize() {
  if (devices.empty())
    return;
  out.blank();
  out.blank();
  out.line("def synchronize():");
  out.indent();
  // In the order in which they were defined.
  SmallVector<std::string> names;
  for (const auto &each : devices)
    names.push_back(each.second);
  llvm::sort(names);
  for (const std::string &name : names)
    out.line(name + ".synchronize()");
  out.outdent();
}

std::string PythonEmitter::allocator(const DeviceInfo &info) {
  return info.python.allocate.empty() ? "empty_strided" : info.python.allocate;
}

bool PythonEmitter::wantsAligned(DeviceAttr device) {
  const DeviceInfo *info = lookupInfo(device);
  return info && !info->inputFunction.empty();
}

std::optional<std::string> PythonEmitter::printItem(Operation *op, Value v) {
  DeviceAttr device = type(v).getDevice();
  const DeviceInfo *info = getDevice(op, device);
  if (!info)
    return std::nullopt;
  if (info->hostAccessible)
    return name(v) + ".item()";
  if (info->itemFunction.empty()) {
    op->emitOpError() << "the host cannot read elements of device '"
                      << device.getKind() << "'";
    return std::nullopt;
  }
  return "host.item(" + quote(info->itemFunction) + ", " + name(v) +
         deviceArgument(device) + ")";
}

//===----------------------------------------------------------------------===//
// Kernels of users
//===----------------------------------------------------------------------===//

/// What a kernel takes, as `kernels.add_user` wants it: "buffer" or a type.
static std::string describeParameters(KernelOp kernel) {
  std::string text;
  for (auto each : kernel.getParameters()->getAsRange<ParamAttr>()) {
    if (!each.isPassed())
      continue;
    std::string kind = each.isTensorMap() ? "tensor_map" : "buffer";
    if (!each.isBuffer()) {
      kind.clear();
      llvm::raw_string_ostream(kind) << each.getType();
    }
    text += (text.empty() ? "" : " ") + kind;
  }
  return text;
}

LogicalResult PythonEmitter::checkPlace(Operation *op, KernelOp kernel) {
  DeviceAttr place = kernel.getDeviceAttr();
  for (Value v : op->getOperands()) {
    auto buffer = dyn_cast<BufferType>(v.getType());
    if (place && buffer && buffer.getDevice() != place &&
        buffer.getDevice().getKind() == place.getKind())
      return op->emitOpError()
             << "runs a kernel for " << place << " on buffers on "
             << buffer.getDevice()
             << ", but programs in Python launch each kernel on its own device";
  }
  return success();
}

std::string PythonEmitter::kernelDefinition(KernelOp kernel) {
  return kernel.isUserKernel()
             ? "kernels.add_user(" + quote(kernel.getName()) + ", " +
                   quote(describeParameters(kernel)) + ", "
             : "kernels.add(" + quote(kernel.getName()) + ", ";
}

LogicalResult PythonEmitter::emit(LaunchUserOp op) {
  auto kernel = table.lookup<KernelOp>(op.getCallee());
  auto grid = table.lookup<GridOp>(op.getGrid());
  if (failed(checkPlace(op, kernel)))
    return failure();
  SmallVector<std::string> arguments = {tuple(op.resolveGrid(grid).getDims())};
  for (const LaunchUserOp::Passed &each : op.getPassed(kernel)) {
    if (each.isNull())
      arguments.push_back("None");
    else if (each.operand)
      arguments.push_back(name(each.map ? each.map : each.operand));
    else if (auto number = dyn_cast<FloatAttr>(each.argument))
      arguments.push_back(printFloatLiteral(number.getValueAsDouble()));
    else
      arguments.push_back(print(cast<ExprAttr>(each.argument)));
  }
  out.line(global(op.getCallee()) + "(" + llvm::join(arguments, ", ") + ")");
  return success();
}

FailureOr<std::string> PythonEmitter::describeMap(TMADescriptorOp op) {
  BufferType buffer = op.getBufferType();
  const DeviceInfo *device = getDevice(op, buffer.getDevice());
  if (!device)
    return failure();
  auto numbers = [](ArrayRef<int64_t> values) {
    SmallVector<std::string> parts;
    for (int64_t n : values)
      parts.push_back(std::to_string(n));
    return tuple(parts);
  };
  std::string text =
      quote(device->tensorMapFunction) + ", box=" + numbers(op.getBox());
  if (op.getStrides())
    text += ", strides=" + numbers(*op.getStrides());
  auto add = [&](StringRef key, auto value, StringRef keyword) {
    if (static_cast<int>(value) != 0)
      text += (", " + key + "=" + quote(keyword)).str();
  };
  add("interleave", op.getInterleave(),
      stringifyTensorMapInterleave(op.getInterleave()));
  add("swizzle", op.getSwizzle(), stringifyTensorMapSwizzle(op.getSwizzle()));
  add("promotion", op.getPromotion(),
      stringifyTensorMapPromotion(op.getPromotion()));
  add("fill", op.getFill(), stringifyTensorMapFill(op.getFill()));
  std::string place = findPlace(op->getLoc());
  if (!place.empty())
    text += ", where=" + quote(place);
  return text + deviceArgument(buffer.getDevice());
}

LogicalResult PythonEmitter::emit(TMADescriptorOp op) {
  FailureOr<std::string> how = describeMap(op);
  if (failed(how))
    return failure();
  out.line(define(op) + " = host.TensorMap(" + name(op.getSource()) + ", " +
           *how + ")");
  return success();
}
