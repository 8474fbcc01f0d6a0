//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Partitions and guards of devices, in each language. A region that runs in
// place is written as its ops; a partition that is a function stands alone, and
// takes its symbols behind its buffers.
//
//===----------------------------------------------------------------------===//

#include "CppEmitter.h"
#include "FXEmitter.h"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

/// What a region in place yields, by the result that it becomes.
static auto getYielded(Operation *op) {
  return llvm::zip(op->getResults(),
                   op->getRegion(0).front().getTerminator()->getOperands());
}

//===----------------------------------------------------------------------===//
// Python
//===----------------------------------------------------------------------===//

LogicalResult PythonEmitter::emitInPlace(Operation *op) {
  if (failed(emitBody(op->getRegion(0))))
    return failure();
  for (auto [result, v] : getYielded(op)) {
    setName(result, name(v));
    if (!isa<BufferType>(v.getType()))
      continue;
    // The name goes on, and has a new value to end with.
    if (auto found = views.find(v); found != views.end()) {
      SmallVector<Value> moved = std::move(found->second);
      views.erase(v);
      views[result] = std::move(moved);
    }
    markDead(v);
    // Where a view goes on, all other names of its storage end here.
    if (getStorage(v) != v) {
      SmallVector<std::string> gone;
      collectEnding(v, gone);
      emitDelete(gone);
    }
    if (!scopes.empty())
      scopes.back().push_back(result);
  }
  return success();
}

LogicalResult PythonEmitter::emitInside(const Twine &context, Operation *op) {
  out.line("with " + context + ":");
  out.indent();
  size_t before = getNumStatements();
  if (failed(emitInPlace(op)))
    return failure();
  if (getNumStatements() == before)
    out.line("pass");
  out.outdent();
  return success();
}

LogicalResult PythonEmitter::emit(PartitionOp op) { return emitInPlace(op); }

LogicalResult PythonEmitter::emit(DeviceScopeOp op) {
  const DeviceInfo *device = getDevice(op, op.getDevice());
  if (!device)
    return failure();
  // The function has selected it, unless it works on several.
  if (isGuarded || device->python.guard.empty())
    return emitInPlace(op);
  return emitInside(guardText(op.getDevice()), op);
}

/// The function binds them with its arguments.
LogicalResult PythonEmitter::emit(ParamSymbolsOp) { return success(); }

void PythonEmitter::collectPartitions() {
  for (FuncOp fn : module.getOps<FuncOp>())
    fn.walk([&](PartitionCallOp call) {
      partitions.insert({call.getCallee(), partitions.size()});
    });
}

void PythonEmitter::emitRunner() {
  if (partitions.empty())
    return;
  SmallVector<std::string> functions;
  for (auto &[callee, number] : partitions)
    functions.push_back(global(callee).str());
  out.blank();
  out.blank();
  out.line("# Who keeps graphs wraps these: see recursively_apply_fns.");
  out.line("runner = host.Runner([" + llvm::join(functions, ", ") + "])");
}

LogicalResult PythonEmitter::emit(PartitionCallOp op) {
  SmallVector<std::string> arguments, gone, results;
  for (Value v : op.getOperands())
    arguments.push_back(name(v));
  for (ExprAttr e : op.getSymbolExprs())
    arguments.push_back(print(e));
  for (OpOperand &operand : op->getOpOperands())
    if (op.isConsumed(operand.getOperandNumber()))
      collectEnding(operand.get(), gone);
  std::string number = std::to_string(partitions.lookup(op.getCallee()));
  std::string list = "partition" + number + "_args";
  out.line(list + " = [" + llvm::join(arguments, ", ") + "]");
  emitDelete(gone);
  for (Value v : op.getResults())
    results.push_back(defineBuffer(v));
  std::string call = "runner.partitions[" + number + "](" + list + ")";
  if (results.empty())
    out.line(call);
  else
    out.line(llvm::join(results, ", ") +
             (results.size() == 1 ? ", = " : " = ") + call);
  emitDelete({list});
  return success();
}

//===----------------------------------------------------------------------===//
// FX
//===----------------------------------------------------------------------===//

LogicalResult FXEmitter::emitInPlace(Operation *op) {
  if (failed(emitBody(op->getRegion(0))))
    return failure();
  for (auto [result, v] : getYielded(op)) {
    setName(result, name(v));
    if (auto found = offsets.find(v); found != offsets.end()) {
      ExprAttr offset = found->second;
      offsets[result] = offset;
    }
  }
  return success();
}

LogicalResult FXEmitter::emit(PartitionOp op) { return emitInPlace(op); }

/// Who runs the graph selects devices.
LogicalResult FXEmitter::emit(DeviceScopeOp op) { return emitInPlace(op); }

LogicalResult FXEmitter::emit(ParamSymbolsOp op) {
  for (auto each : op.getSymbols().getAsRange<StringAttr>()) {
    std::string value = fakeExpr(sym::symbol(op.getContext(), each.getValue()));
    std::string variable = bindSymbol(each.getValue());
    out.line(variable + " = " + graph + ".placeholder(" + quote(variable) +
             ", " + value + ")");
    bind(each.getValue());
  }
  return success();
}

LogicalResult FXEmitter::emit(PartitionCallOp op) {
  auto values = fakeResults(op, op.getResults(), std::nullopt);
  if (!values)
    return failure();
  SmallVector<std::string> arguments;
  for (Value v : op.getOperands())
    arguments.push_back(name(v));
  for (ExprAttr e : op.getSymbolExprs())
    arguments.push_back(print(e));
  StringRef callee = global(op.getCallee());
  std::string node = getLocals().numbered("result");
  out.line(node + " = " + graph + ".invoke(" + quote(callee) + ", build_" +
           callee + ", " + tuple(arguments) + ", " + *values + ")");
  return emitResults(node, op.getResults(), std::nullopt);
}

//===----------------------------------------------------------------------===//
// C++
//===----------------------------------------------------------------------===//

LogicalResult CppEmitter::emitInPlace(Operation *op) {
  if (failed(emitBody(op->getRegion(0))))
    return failure();
  for (auto [result, v] : getYielded(op)) {
    // A view that goes on begins where its storage does, and owns it now.
    Value storage = isa<BufferType>(v.getType()) ? getStorage(v) : v;
    setName(result, name(storage));
    if (handles.contains(storage))
      handles.insert(result);
  }
  return success();
}

LogicalResult CppEmitter::emit(PartitionOp op) { return emitInPlace(op); }

LogicalResult CppEmitter::emit(DeviceScopeOp op) {
  const DeviceInfo *device = getDevice(op, op.getDevice());
  if (!device)
    return failure();
  if (device->enterFunction.empty())
    return emitInPlace(op);
  std::string enter = deviceFunction(device->enterFunction, "coil_run *"),
              leave = deviceFunction(device->leaveFunction, "coil_run *");
  out.line("COIL_TRY(" + enter + "(run));");
  // All ways out of the function leave it, too.
  out.line("const coil::Leave<" + leave + "> " + getLocals().numbered("scope") +
           "{run};");
  return emitInPlace(op);
}

LogicalResult CppEmitter::emit(ParamSymbolsOp op) {
  std::string list = "static_cast<const int64_t *>(inputs[" +
                     std::to_string(currentFunction.getNumArguments()) +
                     "].data)[";
  for (auto [i, name] :
       llvm::enumerate(op.getSymbols().getAsRange<StringAttr>()))
    out.line(defineSymbol(name.getValue()) + " = " + list + Twine(i) + "];");
  return success();
}

LogicalResult CppEmitter::emit(PartitionCallOp op) {
  SmallVector<unsigned> consumed;
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    if (op.isConsumed(i))
      consumed.push_back(i);
  return emitCall(op, table.lookup<FuncOp>(op.getCallee()), consumed,
                  op.getSymbolExprs());
}
