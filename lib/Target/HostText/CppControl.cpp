//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Branches, loops and calls of host programs as statements of C++.
//
//===----------------------------------------------------------------------===//

#include "CppEmitter.h"

#include "coil/Runtime/Runtime.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

/// Parameters of the function that runs a partition.
static constexpr StringLiteral kPartition =
    "coil_run *, const char *, coil_entry_point, "
    "const coil_tensor *, const char *, int32_t, "
    "coil_tensor *, const char *";

void CppEmitter::addTransfers(ValueRange targets, ValueRange sources,
                              SmallVectorImpl<Transfer> &transfers) {
  for (auto [target, source] : llvm::zip(targets, sources)) {
    bool isBuffer = isa<BufferType>(target.getType());
    transfers.push_back({name(target), isBuffer ? handle(source) : name(source),
                         "auto", isBuffer});
  }
}

void CppEmitter::emitTransfers(ArrayRef<Transfer> transfers, bool mayOverlap) {
  SmallVector<Transfer> changed;
  for (const Transfer &each : transfers)
    if (each.to != each.from)
      changed.push_back(each);
  auto value = [](const Transfer &each) {
    return each.isHandle ? "std::move(" + each.from + ")" : each.from;
  };
  if (!mayOverlap || changed.size() == 1) {
    for (const Transfer &each : changed)
      out.line(each.to + " = " + value(each) + ";");
    return;
  }
  SmallVector<std::string> next;
  for (const Transfer &each : changed) {
    next.push_back(getLocals().numbered("next"));
    out.line(each.type + " " + next.back() + " = " + value(each) + ";");
  }
  for (auto [each, from] : llvm::zip(changed, next))
    out.line(each.to + " = " +
             (each.isHandle ? "std::move(" + from + ")" : from) + ";");
}

LogicalResult CppEmitter::emitYield(Region &region, ValueRange results,
                                    std::optional<ArrayAttr> symbols,
                                    ArrayRef<std::string> symbolNames,
                                    bool mayOverlap) {
  auto yield = cast<YieldOp>(region.front().getTerminator());
  SmallVector<Transfer> transfers;
  addTransfers(results, yield.getValues(), transfers);
  if (yield.getSymbols())
    for (auto [to, e] : llvm::zip(symbolNames, yield.getSymbols()->getDims()))
      transfers.push_back({to, print(e), "const int64_t", false});
  emitTransfers(transfers, mayOverlap);
  if (symbols)
    for (auto [name, to] :
         llvm::zip(symbols->getAsRange<StringAttr>(), symbolNames))
      emitRange(name.getValue(), to, "");
  return success();
}

LogicalResult CppEmitter::emit(IfOp op) {
  std::string predicate;
  if (isa<BufferType>(op.getPredicate().getType())) {
    predicate = getLocals().numbered("element");
    out.line("int64_t " + predicate + ";");
    if (failed(emitRead(op, op.getPredicate(), predicate)))
      return failure();
    predicate += " != 0";
  } else {
    predicate = name(op.getPredicate());
  }
  for (Value result : op.getResults()) {
    if (auto buffer = dyn_cast<BufferType>(result.getType())) {
      const DeviceInfo *device = getDevice(op, buffer.getDevice());
      if (!device)
        return failure();
      defineHandle(result, *device);
    } else if (std::string variable = defineScalar(result); !isInFrame()) {
      out.line(variable + ";");
    }
  }
  // What the op binds is visible behind it only: regions may bind the same
  // names to something else.
  SmallVector<std::string> symbolNames;
  if (op.getDefines())
    for (auto name : op.getDefines()->getAsRange<StringAttr>()) {
      std::string variable = defineSymbol(name.getValue());
      if (!isInFrame())
        out.line(variable + ";");
      symbolNames.push_back(symbol(name.getValue()));
    }
  bool isFirst = true;
  for (Region *region : {&op.getThenRegion(), &op.getElseRegion()}) {
    out.line(isFirst ? "if (" + predicate + ") {" : "} else {");
    isFirst = false;
    out.indent();
    ++depth;
    if (failed(emitBody(*region)) ||
        failed(emitYield(*region, op.getResults(), op.getDefines(), symbolNames,
                         /*mayOverlap=*/false)))
      return failure();
    --depth;
    out.outdent();
  }
  out.line("}");
  if (op.getDefines())
    for (auto [name, text] :
         llvm::zip(op.getDefines()->getAsRange<StringAttr>(), symbolNames))
      setSymbol(name.getValue(), text);
  return success();
}

LogicalResult CppEmitter::emit(WhileOp op) {
  SmallVector<Transfer> inits;
  SmallVector<std::string> symbolNames;
  for (auto [init, result] : llvm::zip(op.getInits(), op.getResults())) {
    bool isBuffer = isa<BufferType>(result.getType());
    std::string from = isBuffer ? handle(init) : name(init);
    if (isBuffer) {
      const DeviceInfo *device = getDevice(op, type(result).getDevice());
      if (!device)
        return failure();
      out.line(defineHandle(result, *device) + " = std::move(" + from + ");");
    } else {
      out.line(defineScalar(result) + " = " + from + ";");
    }
    for (Region *region : {&op.getCondition(), &op.getBody()}) {
      Value arg = region->getArgument(result.getResultNumber());
      setName(arg, name(result));
      if (isBuffer)
        handles.insert(arg);
    }
  }
  if (op.getSymbols()) {
    SmallVector<std::string> values;
    for (ExprAttr e : op.getFrom()->getDims())
      values.push_back(print(e));
    for (auto [name, value] :
         llvm::zip(op.getSymbols()->getAsRange<StringAttr>(), values)) {
      out.line(defineSymbol(name.getValue()) + " = " + value + ";");
      symbolNames.push_back(symbol(name.getValue()));
      emitRange(name.getValue(), symbolNames.back(), "");
    }
  }
  out.line("while (true) {");
  out.indent();
  ++depth;
  if (failed(emitBody(op.getCondition())))
    return failure();
  auto condition = cast<ConditionOp>(op.getCondition().front().getTerminator());
  SmallVector<Transfer> passed;
  addTransfers(op.getResults(), condition.getValues(), passed);
  emitTransfers(passed, /*mayOverlap=*/true);
  out.line("if (!" + name(condition.getPredicate()) + ")");
  out.indent();
  out.line("break;");
  out.outdent();
  if (failed(emitBody(op.getBody())) ||
      failed(emitYield(op.getBody(), op.getResults(), op.getSymbols(),
                       symbolNames, /*mayOverlap=*/true)))
    return failure();
  --depth;
  out.outdent();
  out.line("}");
  return success();
}

LogicalResult CppEmitter::emit(InvokeOp op) {
  SmallVector<unsigned> consumed;
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    if (op.isConsumed(i))
      consumed.push_back(i);
  return emitCall(op, table.lookup<FuncOp>(op.getCallee()), consumed, {});
}

LogicalResult CppEmitter::emitCall(Operation *op, FuncOp callee,
                                   ArrayRef<unsigned> consumed,
                                   ArrayRef<ExprAttr> symbols) {
  now.callees.insert(callee);
  std::string base = getLocals().numbered("call");
  // Shapes of what is passed, then of what comes back, which may be asked for
  // later.
  SmallVector<std::string> given, inputs, outputs;
  size_t results = 0;
  for (OpOperand &operand : op->getOpOperands()) {
    BufferType t = type(operand.get());
    auto dtype = dtypeName(op, t.getElementType());
    const DeviceInfo *device = getDevice(op, t.getDevice());
    if (!dtype || !device)
      return failure();
    if (!device->inputFunction.empty() && !isAtStorage(operand.get()))
      return op->emitOpError()
             << "operand " << operand.getOperandNumber()
             << " may begin in the middle of its storage, which device '"
             << device->kind << "' cannot pass to a function";
    std::string shape = base + "_shapes + " + std::to_string(given.size());
    for (sym::ShapeAttr exprs : {t.getSizes(), t.getStrides()})
      for (ExprAttr e : exprs.getDims())
        given.push_back(print(e));
    inputs.push_back("{" +
                     (llvm::is_contained(consumed, operand.getOperandNumber())
                          ? handle(operand.get()) + ".release()"
                          : address(operand.get())) +
                     ", " + shape + ", " + shape + " + " +
                     std::to_string(t.getRank()) + ", " +
                     std::to_string(t.getRank()) + ", " + *dtype + ", " +
                     std::to_string(device->runtimeType) + ", 0}");
  }
  for (Value v : op->getResults())
    results += 2 * type(v).getRank();
  if (!symbols.empty()) {
    inputs.push_back("{const_cast<int64_t *>(" + base + "_shapes + " +
                     std::to_string(given.size()) +
                     "), nullptr, nullptr, 0, COIL_I64, COIL_CPU, 0}");
    for (ExprAttr e : symbols)
      given.push_back(print(e));
  }
  std::string place = base + "_results";
  if (isInFrame()) {
    place = "f.shapes + " + std::to_string(frame.shapes);
    frame.shapes += static_cast<unsigned>(results);
  } else {
    out.line("int64_t " + place + "[" + Twine(std::max<size_t>(results, 1)) +
             "];");
  }
  results = 0;
  for (Value v : op->getResults()) {
    BufferType t = type(v);
    auto dtype = dtypeName(op, t.getElementType());
    const DeviceInfo *device = getDevice(op, t.getDevice());
    if (!dtype || !device)
      return failure();
    std::string shape = place + " + " + std::to_string(results);
    shapes[v] = shape;
    results += 2 * t.getRank();
    outputs.push_back("{nullptr, " + shape + ", " + shape + " + " +
                      std::to_string(t.getRank()) + ", " +
                      std::to_string(t.getRank()) + ", " + *dtype + ", " +
                      std::to_string(device->runtimeType) + ", 0}");
  }
  if (given.empty())
    given.push_back("0");
  out.line("const int64_t " + base + "_shapes[] = {" + llvm::join(given, ", ") +
           "};");
  std::string in = "nullptr", to = "nullptr";
  if (!inputs.empty()) {
    in = base + "_inputs";
    out.line("const coil_tensor " + in + "[] = {" + llvm::join(inputs, ", ") +
             "};");
  }
  if (!outputs.empty()) {
    to = base + "_outputs";
    out.line("coil_tensor " + to + "[] = {" + llvm::join(outputs, ", ") + "};");
  }
  auto partition = dyn_cast<PartitionCallOp>(op);
  const DeviceInfo *device = nullptr;
  SmallVector<Value> used(op->getOperands());
  llvm::append_range(used, op->getResults());
  if (partition && !used.empty())
    device = getDevice(op, type(used.front()).getDevice());
  if (device && !device->partitionFunction.empty()) {
    // A letter for each operand and result: what becomes of its storage.
    std::string takes, gives;
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      takes += partition.isConsumed(i) ? 'c' : 'k';
    for (unsigned i = 0; i < op->getNumResults(); ++i)
      gives += partition.staysInPlace(i) ? 's' : 'g';
    out.line(
        printCall(deviceFunction(device->partitionFunction, kPartition),
                  {quote(callee.getName()), entryName(callee), in, quote(takes),
                   std::to_string(symbols.size()), to, quote(gives)}));
  } else {
    out.line(printCall(entryName(callee), {in, to}));
  }
  for (OpResult v : op->getResults()) {
    const DeviceInfo *device = getDevice(op, type(v).getDevice());
    std::string name = defineHandle(v, *device);
    out.line(name + " = " + handleType(*device) + "(run, " + to + "[" +
             Twine(v.getResultNumber()) + "].data);");
  }
  return success();
}

LogicalResult CppEmitter::emit(ReturnOp op) {
  bool isPublic = currentFunction.isPublic();
  for (OpOperand &operand : op->getOpOperands()) {
    BufferType t = type(operand.get());
    auto dtype = dtypeName(op, t.getElementType());
    const DeviceInfo *device = getDevice(op, t.getDevice());
    if (!dtype || !device)
      return failure();
    std::string output =
        "outputs[" + std::to_string(operand.getOperandNumber()) + "]";
    std::string layout =
        list(t.getSizes().getDims()) + ", " + list(t.getStrides().getDims());
    if (!isPublic) {
      if (failed(checkHandedOver(operand)))
        return failure();
      out.line("coil::setResult(" + output + ", " + address(operand.get()) +
               ", " + layout + ");");
      continue;
    }
    DeviceAttr other = selection->get(t);
    select(other);
    out.line(printCall("coil_rt_set_output",
                       {"&" + output, address(operand.get()), *dtype,
                        std::to_string(t.getRank()), layout}));
    select(other, /*isBegin=*/false);
    if (device->runtimeType != COIL_CPU)
      out.line(output + ".device_type = " + Twine(device->runtimeType) + ";");
  }
  // The storage is the caller's from here on.
  llvm::SmallSetVector<Value, 4> owned;
  for (Value v : op.getOperands())
    if (Value storage = getStorage(v); handles.contains(storage))
      owned.insert(storage);
  for (Value storage : owned)
    out.line("(void)" + name(storage) + ".release();");
  return success();
}
