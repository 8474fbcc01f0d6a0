//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches, library calls and control flow of host programs in Python.
//
//===----------------------------------------------------------------------===//

#include "PythonEmitter.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

//===----------------------------------------------------------------------===//
// Computation
//===----------------------------------------------------------------------===//

SmallVector<LaunchOp> PythonEmitter::getLaunches(LaunchOp op) {
  if (combined.empty() || combined.back() == op) {
    SmallVector<LaunchOp> done(combined);
    combined.clear();
    if (!done.empty())
      return done;
    combined = getCombinedLaunches(op);
    if (combined.empty())
      return {op};
  }
  return {};
}

StringRef PythonEmitter::getCalled(ArrayRef<LaunchOp> launches) {
  LaunchOp first = launches.front();
  if (launches.size() == 1)
    return global(first.getCallee());
  return global(
      first->getAttrOfType<FlatSymbolRefAttr>(kCombinationAttrName).getValue());
}

SmallVector<Value> PythonEmitter::getBuffers(ArrayRef<LaunchOp> launches) {
  SmallVector<Value> buffers;
  for (LaunchOp launch : launches)
    llvm::append_range(buffers, launch.getInputs());
  for (LaunchOp launch : launches)
    llvm::append_range(buffers, launch.getOutputs());
  return buffers;
}

SmallVector<ExprAttr> PythonEmitter::getNumbers(ArrayRef<LaunchOp> launches) {
  if (launches.size() == 1) {
    LaunchOp only = launches.front();
    return llvm::to_vector(only.getSymbols().getDims());
  }
  llvm::SetVector<ExprAttr> numbers;
  for (LaunchOp launch : launches)
    for (ExprAttr e : launch.getSymbols().getDims())
      numbers.insert(e);
  return numbers.takeVector();
}

LogicalResult PythonEmitter::emit(LaunchOp op) {
  if (failed(checkPlace(op, table.lookup<KernelOp>(op.getCallee()))))
    return failure();
  SmallVector<LaunchOp> launches = getLaunches(op);
  if (launches.empty())
    return success();
  SmallVector<std::string> arguments;
  for (Value v : getBuffers(launches))
    arguments.push_back(name(v));
  for (ExprAttr e : getNumbers(launches))
    arguments.push_back(print(e));
  out.line(getCalled(launches) + "(" + llvm::join(arguments, ", ") + ")");
  return success();
}

/// The function of a device for a library call, or nothing behind a
/// diagnostic.
static std::optional<std::string> getLibrary(Operation *op,
                                             const DeviceInfo *device,
                                             const std::string &function,
                                             StringRef what) {
  if (!device)
    return std::nullopt;
  if (function.empty()) {
    op->emitOpError() << "device '" << device->kind << "' has no library for "
                      << what;
    return std::nullopt;
  }
  return quote(function);
}

/// What a library names as the place of a failure, as the last argument.
static std::string whereArgument(Operation *op) {
  std::string place = findPlace(op->getLoc());
  return place.empty() ? "" : ", where=" + quote(place);
}

LogicalResult PythonEmitter::emit(ContractionOp op) {
  const DeviceInfo *device = getDevice(op, type(op.getC()).getDevice());
  auto function = getLibrary(
      op, device, device ? device->contractionFunction : "", "contractions");
  if (!function)
    return failure();
  std::string text = *function + ", dims=" + tuple(op.getDims().getDims());
  auto add = [&](StringRef key, Value v, sym::ShapeAttr strides,
                 ExprAttr offset) {
    text += (", " + key + "=" + name(v) + ", " + key +
             "_strides=" + tuple(strides.getDims()))
                .str();
    if (offset)
      text += (", " + key + "_offset=" + print(offset)).str();
  };
  add("a", op.getA(), op.getAStrides(), op.getAOffsetAttr());
  add("b", op.getB(), op.getBStrides(), op.getBOffsetAttr());
  if (op.getBias())
    add("bias", op.getBias(), *op.getBiasStrides(), op.getBiasOffsetAttr());
  add("c", op.getC(), op.getCStrides(), op.getCOffsetAttr());
  if (op.getPost() != PostOp::None)
    text += ", post=" + quote(stringifyPostOp(op.getPost()));
  if (op.getTf32())
    text += ", tf32=True";
  emitCall("host.contraction", text + whereArgument(op) +
                                   deviceArgument(type(op.getC()).getDevice()));
  return success();
}

LogicalResult PythonEmitter::emit(ConvolutionOp op) {
  const DeviceInfo *device = getDevice(op, type(op.getY()).getDevice());
  auto function = getLibrary(
      op, device, device ? device->convolutionFunction : "", "convolutions");
  if (!function)
    return failure();
  auto numbers = [](ArrayRef<int64_t> values) {
    SmallVector<std::string> parts;
    for (int64_t v : values)
      parts.push_back(std::to_string(v));
    return tuple(parts);
  };
  std::string text = *function + ", " + name(op.getX()) + ", " +
                     name(op.getW()) + ", " +
                     (op.getBias() ? name(op.getBias()) : "None") + ", " +
                     name(op.getY()) + ", stride=" + numbers(op.getStride()) +
                     ", padding=" + numbers(op.getPadding()) +
                     ", dilation=" + numbers(op.getDilation()) +
                     ", groups=" + std::to_string(op.getGroups());
  if (op.getPost() != PostOp::None)
    text += ", post=" + quote(stringifyPostOp(op.getPost()));
  if (op.getTf32())
    text += ", tf32=True";
  emitCall("host.convolution", text + whereArgument(op) +
                                   deviceArgument(type(op.getY()).getDevice()));
  return success();
}

LogicalResult PythonEmitter::emit(AttentionOp op) {
  DeviceAttr attr = type(op.getO()).getDevice();
  const DeviceInfo *device = getDevice(op, attr);
  auto function = getLibrary(
      op, device, device ? device->attentionFunction : "", "attention");
  if (!function)
    return failure();
  emitCall("host.attention",
           *function + ", " + name(op.getQ()) + ", " + name(op.getK()) + ", " +
               name(op.getV()) + ", " +
               (op.getMask() ? name(op.getMask()) : "None") + ", " +
               name(op.getO()) +
               ", causal=" + (op.getCausal() ? "True" : "False") +
               ", scale=" + printFloatLiteral(op.getScale().convertToDouble()) +
               whereArgument(op) + deviceArgument(attr));
  return success();
}

LogicalResult PythonEmitter::emit(SortOp op) {
  const DeviceInfo *device = getDevice(op, type(op.getX()).getDevice());
  auto function =
      getLibrary(op, device, device ? device->sortFunction : "", "sorting");
  if (!function)
    return failure();
  auto optional = [&](Value v) { return v ? name(v) : std::string("None"); };
  emitCall("host.sort",
           *function + ", " + name(op.getX()) + ", " + Twine(op.getDim()) +
               ", " + (op.getDescending() ? "True" : "False") + ", " +
               optional(op.getValues()) + ", " + optional(op.getIndices()) +
               whereArgument(op) + deviceArgument(type(op.getX()).getDevice()));
  return success();
}

//===----------------------------------------------------------------------===//
// Debugging
//===----------------------------------------------------------------------===//

LogicalResult PythonEmitter::emit(CheckLifetimeOp op) {
  // What a name refers to is asked for there, so that a name that is gone has a
  // message of its own.
  std::string text =
      "host.check_lifetime(" + quote(stringifyCheckMode(op.getMode())) + ", " +
      quote(currentFunction.getName()) + ", " + quote(op.getStep()) + ", {";
  bool isFirst = true;
  for (auto [v, each] : llvm::zip(
           op.getStorage(), op.getNames().getAsValueRange<StringAttr>())) {
    text += (isFirst ? "" : ", ") + quote(each) + ": lambda: " + name(v);
    isFirst = false;
  }
  out.line(text + "})");
  return success();
}

LogicalResult PythonEmitter::emit(DebugMarkOp op) {
  emitCall("host.debug_mark", quote(op.getLabel()));
  return success();
}

LogicalResult PythonEmitter::emit(DebugValueOp op) {
  const DeviceInfo *device = getDevice(op, type(op.getBuffer()).getDevice());
  if (!device)
    return failure();
  if (device->debugFunction.empty())
    return op->emitOpError()
           << "values on device '" << device->kind << "' cannot be shown";
  emitCall("host.debug_value",
           quote(device->debugFunction) + ", " +
               quote(stringifyDebugAction(op.getAction())) + ", " +
               quote(op.getLabel()) + ", " + name(op.getBuffer()) +
               deviceArgument(type(op.getBuffer()).getDevice()));
  return success();
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

LogicalResult PythonEmitter::emitRegion(Region &region,
                                        ArrayRef<std::string> targets,
                                        ArrayRef<std::string> symbolNames) {
  out.indent();
  size_t before = getNumStatements();
  openScope();
  if (failed(emitBody(region)))
    return failure();
  auto yield = cast<YieldOp>(region.front().getTerminator());
  closeScope(targets, yield.getValues(), symbolNames, yield.getSymbols());
  if (auto branch = dyn_cast<IfOp>(region.getParentOp());
      branch && branch.getDefines())
    for (auto name : branch.getDefines()->getAsRange<StringAttr>())
      emitRange(name.getValue(), "");
  if (auto loop = dyn_cast<WhileOp>(region.getParentOp());
      loop && loop.getSymbols())
    for (auto name : loop.getSymbols()->getAsRange<StringAttr>())
      emitRange(name.getValue(), "");
  if (getNumStatements() == before)
    out.line("pass");
  out.outdent();
  return success();
}

LogicalResult PythonEmitter::emit(IfOp op) {
  std::string predicate = name(op.getPredicate());
  if (isa<BufferType>(op.getPredicate().getType())) {
    std::optional<std::string> item = printItem(op, op.getPredicate());
    if (!item)
      return failure();
    predicate = *item;
  }
  SmallVector<std::string> targets, symbolNames;
  for (Value result : op.getResults())
    targets.push_back(isa<BufferType>(result.getType()) ? defineBuffer(result)
                                                        : define(result));
  if (op.getDefines())
    for (auto name : op.getDefines()->getAsRange<StringAttr>())
      symbolNames.push_back(symbol(name.getValue()));

  out.line("if " + predicate + ":");
  size_t before = deaths.size();
  if (failed(emitRegion(op.getThenRegion(), targets, symbolNames)))
    return failure();
  // What ended there lives where the other region begins.
  SmallVector<Value> ended(ArrayRef(deaths).drop_front(before));
  for (Value v : ended)
    dead.erase(v);
  deaths.truncate(before);
  out.line("else:");
  if (failed(emitRegion(op.getElseRegion(), targets, symbolNames)))
    return failure();
  for (Value v : ended)
    markDead(v);
  return success();
}

LogicalResult PythonEmitter::emit(WhileOp op) {
  SmallVector<std::string> carried, symbolNames, inits;
  // What the loop takes over ends under its old names.
  SmallVector<std::string> gone;
  for (auto [init, result] : llvm::zip(op.getInits(), op.getResults())) {
    inits.push_back(name(init));
    bool isBuffer = isa<BufferType>(result.getType());
    carried.push_back(isBuffer ? defineBuffer(result) : define(result));
  }
  for (Region *region : {&op.getCondition(), &op.getBody()})
    for (auto [arg, text] : llvm::zip(region->getArguments(), carried))
      setName(arg, text);
  if (op.getSymbols())
    for (auto [name, from] :
         llvm::zip(op.getSymbols()->getAsRange<StringAttr>(),
                   op.getFrom()->getDims())) {
      inits.push_back(print(from));
      symbolNames.push_back(symbol(name.getValue()));
    }
  SmallVector<std::string> targets(carried);
  llvm::append_range(targets, symbolNames);
  assign(targets, inits);
  for (Value init : op.getInits())
    if (isa<BufferType>(init.getType()))
      collectEnding(init, gone);
  emitDelete(gone);
  if (op.getSymbols())
    for (auto name : op.getSymbols()->getAsRange<StringAttr>())
      emitRange(name.getValue(), "");

  out.line("while True:");
  out.indent();
  openScope();
  if (failed(emitBody(op.getCondition())))
    return failure();
  auto condition = cast<ConditionOp>(op.getCondition().front().getTerminator());
  closeScope(carried, condition.getValues(), {}, std::nullopt);
  out.line("if not " + name(condition.getPredicate()) + ":");
  out.indent();
  out.line("break");
  out.outdent();
  out.outdent();
  return emitRegion(op.getBody(), carried, symbolNames);
}

LogicalResult PythonEmitter::emit(InvokeOp op) {
  SmallVector<std::string> arguments, gone, results;
  for (Value v : op.getOperands())
    arguments.push_back(name(v));
  for (OpOperand &operand : op->getOpOperands())
    if (op.isConsumed(operand.getOperandNumber()))
      collectEnding(operand.get(), gone);
  std::string callee = global(op.getCallee()).str();
  // A list, so that the callee can let go of what it consumes.
  std::string list = "[" + llvm::join(arguments, ", ") + "]";
  if (!gone.empty()) {
    out.line("args = " + list);
    emitDelete(gone);
    list = "args";
  }
  for (Value v : op.getResults())
    results.push_back(defineBuffer(v));
  std::string call = callee + "(" + list + ")";
  if (results.empty())
    out.line(call);
  else
    out.line(llvm::join(results, ", ") +
             (results.size() == 1 ? ", = " : " = ") + call);
  return success();
}

LogicalResult PythonEmitter::emit(ReturnOp op) {
  SmallVector<std::string> names;
  for (Value v : op.getOperands())
    names.push_back(name(v));
  out.line("return " + tuple(names));
  return success();
}
