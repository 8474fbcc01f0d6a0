//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What C++ says to devices, in the words that each brings: launches by a grid,
// user-defined kernels, runs.
//
//===----------------------------------------------------------------------===//

#include "CppEmitter.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

/// Parameters of functions of devices.
static constexpr StringLiteral
    kLaunch = "coil_run *, coil_cpu_kernel, void **, const int64_t *, int64_t, "
              "int64_t",
    kLaunchGrid = "coil_run *, void *, void *const *, const int64_t *, "
                  "int64_t, int64_t, int64_t",
    kLaunchUser = "coil_run *, void *, void *const *, int64_t, int64_t, "
                  "int64_t",
    kTensorMap = "coil_run *, const coil_tensor_map *, const void *, const "
                 "void **",
    kGuard = "coil_run *, int32_t", kStream = "coil_run *, void *",
    kSynchronize = "coil_run *";

void CppEmitter::select(DeviceAttr device, bool isBegin) {
  if (!device)
    return;
  auto *dialect = module.getContext()->getLoadedDialect<WrapperDialect>();
  if (const DeviceInfo *info = dialect->lookupDevice(device.getKind()))
    out.line(printCall("coil_rt_select_device",
                       {std::to_string(info->runtimeType),
                        std::to_string(isBegin ? device.getIndex() : 0)}));
}

void CppEmitter::beginOp(Operation &op) { select(selection->get(&op)); }

void CppEmitter::endOp(Operation &op) {
  select(selection->get(&op), /*isBegin=*/false);
}

const DeviceInfo *CppEmitter::getKernelDevice(Operation *op, KernelOp kernel) {
  DeviceAttr attr = kernel.getDeviceAttr();
  if (!attr)
    attr = DeviceAttr::get(op->getContext(), "cpu", 0);
  const DeviceInfo *device = getDevice(op, attr);
  if (device && device->launchFunction.empty()) {
    op->emitOpError() << "device '" << device->kind << "' cannot run kernels";
    return nullptr;
  }
  return device;
}

void CppEmitter::emitGridLaunch(LaunchOp op, KernelOp kernel,
                                const DeviceInfo &device) {
  llvm::StringMap<ExprAttr> values;
  for (auto [name, e] :
       llvm::zip(kernel.getSymbols(), op.getSymbols().getDims()))
    values[cast<StringAttr>(name).getValue()] = e;
  SmallVector<std::string> arguments = {"&" + global(kernel.getName()).str(),
                                        addressList(op.getOperands()),
                                        list(op.getSymbols().getDims())};
  for (ExprAttr e : kernel.getGeometry()->getGrid().getDims())
    arguments.push_back(print(sym::substitute(
        e, [&](ExprAttr leaf) { return values.lookup(leaf.getName()); })));
  out.line(
      printCall(deviceFunction(device.launchFunction, kLaunchGrid), arguments));
}

LogicalResult CppEmitter::emit(LaunchUserOp op) {
  auto kernel = table.lookup<KernelOp>(op.getCallee());
  auto grid = table.lookup<GridOp>(op.getGrid());
  const DeviceInfo *device = getKernelDevice(op, kernel);
  if (!device)
    return failure();
  if (device->launchByGeometry && device->launchUserFunction.empty())
    return op.emitOpError()
           << "device '" << device->kind << "' cannot run user-defined kernels";
  noteCost(*op);
  now.kernels.insert(kernel);
  // What is passed has addresses.
  SmallVector<std::string> places;
  for (const LaunchUserOp::Passed &each : op.getPassed(kernel)) {
    if (each.map) { // Its bytes are passed, not their address.
      places.push_back("const_cast<void *>(" + name(each.map) + ")");
      continue;
    }
    Type type = each.parameter.getType();
    StringRef text = each.parameter.isBuffer() ? "void *"
                     : type.isInteger(32)      ? "int32_t "
                     : type.isInteger(64)      ? "int64_t "
                     : type.isF32()            ? "float "
                                               : "double ";
    std::string value;
    if (each.isNull())
      value = "nullptr";
    else if (each.operand)
      value = each.parameter.isBuffer() ? address(each.operand)
                                        : name(each.operand);
    else if (auto number = dyn_cast<FloatAttr>(each.argument))
      value = printFloatLiteral(number.getValueAsDouble());
    else
      value = print(cast<ExprAttr>(each.argument));
    if (!each.parameter.isBuffer())
      value = ("static_cast<" + text.rtrim() + ">(" + value + ")").str();
    std::string variable = getLocals().numbered("passed");
    out.line(text + variable + " = " + value + ";");
    places.push_back("&" + variable);
  }
  std::string passed = "coil::List<void *, " + std::to_string(places.size()) +
                       ">{{" + llvm::join(places, ", ") + "}}.values";
  sym::ShapeAttr sizes = op.resolveGrid(grid);
  std::string function = global(kernel.getName()).str();
  if (device->launchByGeometry)
    out.line(printCall(deviceFunction(device->launchUserFunction, kLaunchUser),
                       {"&" + function, passed, print(sizes[0]),
                        print(sizes[1]), print(sizes[2])}));
  else
    out.line(printCall(deviceFunction(device->launchFunction, kLaunch),
                       {function, passed, list(sizes.getDims()),
                        print(sym::product(op.getContext(), sizes.getDims())),
                        "1"}));
  return success();
}

LogicalResult CppEmitter::emit(TMADescriptorOp op) {
  BufferType buffer = op.getBufferType();
  const DeviceInfo *device = getDevice(op, buffer.getDevice());
  if (!device)
    return failure();
  auto dtype = dtypeName(op, buffer.getElementType());
  if (!dtype)
    return failure();
  auto numbers = [](ArrayRef<int64_t> values) {
    return "{" +
           llvm::join(llvm::map_range(
                          values, [](int64_t n) { return std::to_string(n); }),
                      ", ") +
           "}";
  };
  auto number = [](auto value) {
    return std::to_string(static_cast<int>(value));
  };
  std::string d = getLocals().numbered("tensor_map"), map = define(op);
  out.line("const coil_tensor_map " + d + " = {");
  out.indent();
  out.line("sizeof(coil_tensor_map), " + *dtype + ", /*rank=*/" +
           Twine(buffer.getRank()) + ", /*interleave=*/" +
           number(op.getInterleave()) + ", /*swizzle=*/" +
           number(op.getSwizzle()) + ", /*promotion=*/" +
           number(op.getPromotion()) + ", /*fill=*/" + number(op.getFill()) +
           ", /*reserved=*/0,");
  out.line("/*sizes, strides=*/{" + printList(buffer.getSizes().getDims()) +
           "}, {" + printList(buffer.getStrides().getDims()) + "}, /*box=*/" +
           numbers(op.getBox()) + ", " + numbers(op.getElementStrides()) +
           ", " + where(op) + "};");
  out.outdent();
  out.line("const void *" + map + " = nullptr;");
  out.line(printCall(deviceFunction(device->tensorMapFunction, kTensorMap),
                     {"&" + d, address(op.getSource()), "&" + map}));
  return success();
}

std::string CppEmitter::declareKernel(KernelOp kernel) {
  std::string name = global(kernel.getName()).str();
  DeviceAttr attr = kernel.getDeviceAttr();
  const DeviceInfo *device = attr ? getDevice(kernel, attr) : nullptr;
  std::string text =
      device && device->launchByGeometry
          ? "extern \"C\" coil_cuda_kernel " + name
          : "extern \"C\" int32_t " + name +
                "(void **buffers, const int64_t *symbols, int64_t begin, "
                "int64_t end)";
  if (name != kernel.getName())
    text += " __asm__(" + quote(kernel.getName()) + ")";
  return text + ";\n";
}

ArrayRef<const DeviceInfo *> CppEmitter::getUsedDevices() {
  if (usedDevices)
    return *usedDevices;
  usedDevices.emplace();
  llvm::SetVector<StringAttr> kinds;
  AttrTypeWalker walker;
  walker.addWalk([&](DeviceAttr device) {
    kinds.insert(StringAttr::get(device.getContext(), device.getKind()));
  });
  module.walk([&](Operation *op) {
    walker.walk(op->getAttrDictionary());
    for (Type type : op->getResultTypes())
      walker.walk(type);
  });
  auto *dialect = module.getContext()->getLoadedDialect<WrapperDialect>();
  for (StringAttr kind : kinds)
    if (const DeviceInfo *info = dialect->lookupDevice(kind))
      usedDevices->push_back(info);
  return *usedDevices;
}

void CppEmitter::emitFunctionChecks() {
  SmallVector<std::string> sites;
  llvm::StringSet<> known;
  module.walk([&](HostCallOpInterface op) {
    const DeviceInfo *device = getDevice(op, op.getCallDevice());
    if (!device)
      return;
    std::string start = "{sizeof(coil_call_site), " +
                        std::to_string(device->runtimeType) + ", " +
                        quote(op.getFunctionName());
    if (known.insert(start).second)
      sites.push_back(start + ", " + where(op) + ", nullptr, nullptr},");
  });
  out.line("int32_t " + options.name + "_check(void) {");
  out.indent();
  if (sites.empty()) {
    out.line("return COIL_OK;");
  } else {
    out.line("static const coil_call_site sites[] = {");
    out.indent();
    for (const std::string &site : sites)
      out.line(site);
    out.outdent();
    out.line("};");
    out.line("return coil_require_functions(sites, " + Twine(sites.size()) +
             ");");
  }
  out.outdent();
  out.line("}");
  takeChunk();
}

void CppEmitter::emitRunFunctions() {
  emitFunctionChecks();
  // The devices that runs have to know of.
  ArrayRef<const DeviceInfo *> used = getUsedDevices();
  auto call = [&](const std::string &function, StringRef parameters,
                  const std::string &arguments) {
    if (!function.empty())
      out.line("COIL_TRY(" + deviceFunction(function, parameters) + "(" +
               arguments + "));");
  };
  out.line("int32_t " + options.name +
           "_bind(coil_run *run, int32_t device, void *stream) {");
  out.indent();
  out.line("(void)run, (void)device, (void)stream;");
  out.line("COIL_TRY(" + options.name + "_check());");
  for (const DeviceInfo *info : used) {
    call(info->guardFunction, kGuard, "run, device");
    if (info->streamFunction.empty())
      continue;
    out.line("if (stream)");
    out.indent();
    call(info->streamFunction, kStream, "run, stream");
    out.outdent();
  }
  out.line("return COIL_OK;");
  out.outdent();
  out.line("}");
  takeChunk();
  out.line("int32_t " + options.name + "_synchronize(coil_run *run) {");
  out.indent();
  out.line("(void)run;");
  for (const DeviceInfo *info : used)
    call(info->synchronizeFunction, kSynchronize, "run");
  out.line("return COIL_OK;");
  out.outdent();
  out.line("}");
  takeChunk();
  out.line("int32_t " + options.name + "_set_graphs(int32_t limit) {");
  out.indent();
  out.line("(void)limit;");
  for (FuncOp fn : module.getOps<FuncOp>())
    if (isKept(fn))
      out.line("COIL_TRY(coil::setGraphs(" + entryName(fn) +
               "_program(), limit));");
  out.line("return COIL_OK;");
  out.outdent();
  out.line("}");
  takeChunk();
}
