//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cuts a host program into parts, and carries buffers and symbols between them.
//
//===----------------------------------------------------------------------===//

#include "HostLowering.h"

#include "coil/ExecutionEngine/Signature.h"
#include "coil/Runtime/Runtime.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/MathExtras.h"

#include <cstddef>

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

/// A larger frame is memory of the run: stacks of threads can be small.
static constexpr unsigned kMaxFrameOnStack = 64 * 1024;

//===----------------------------------------------------------------------===//
// Buffers and symbols
//===----------------------------------------------------------------------===//

Value HostLowering::buffer(Value v) {
  Value &address = now.buffers[v];
  // An earlier part made it, or checked the input.
  if (!address && isa<BlockArgument>(v))
    address = load(inputTensor(v), offsetof(coil_tensor, data), ptrType);
  else if (!address)
    address = load(now.frame, bufferSlots.at(v) * 8, ptrType);
  return address;
}

void HostLowering::setBuffer(Value v, Value address) {
  now.buffers[v] = address;
  auto slot = bufferSlots.find(v);
  if (slot != bufferSlots.end())
    store(address, now.frame, slot->second, ptrType);
}

Value HostLowering::symbol(StringRef name) {
  Value &v = now.symbols[name];
  if (v)
    return v;
  auto slot = symbolSlots.find(name);
  if (slot != symbolSlots.end())
    v = load(now.frame, slot->second * 8, i64Type);
  return v;
}

void HostLowering::setSymbol(StringRef name, Value v) {
  now.symbols[name] = v;
  now.values[sym::symbol(b.getContext(), name)] = v;
  auto slot = symbolSlots.find(name);
  if (slot != symbolSlots.end())
    store(v, now.frame, slot->second, i64Type);
}

void HostLowering::planFrame(unsigned stepsPerPart) {
  Block &body = fn.getBody().front();
  // Steps are the inputs, the operations, and the results.
  unsigned firstOp = body.getNumArguments(), firstResult = firstOp;
  DenseMap<Operation *, unsigned> part;
  for (Operation &op : body.without_terminator())
    part[&op] = firstResult++ / stepsPerPart;

  // Slots are free again in the part after the last that needs the buffer.
  SmallVector<unsigned> freeSlots;
  DenseMap<unsigned, SmallVector<unsigned>> expiring;
  unsigned current = 0;
  for (Operation &op : body.without_terminator()) {
    for (unsigned p = part.lookup(&op); current < p;)
      llvm::append_range(freeSlots, expiring.lookup(++current));
    if (isa<InputSymbolOp>(op) || isa<SymExprOp>(op)) {
      StringRef name = isa<InputSymbolOp>(op)
                           ? cast<InputSymbolOp>(op).getSymbol()
                           : cast<SymExprOp>(op).getSymbol();
      symbolSlots[name] = frameSlots++;
    }
    for (Value v : op.getResults()) {
      unsigned last = current;
      for (OpOperand &use : v.getUses())
        last = std::max(last, use.getOwner() == body.getTerminator()
                                  ? (firstResult + use.getOperandNumber()) /
                                        stepsPerPart
                                  : part.lookup(use.getOwner()));
      if (last == current)
        continue;
      if (freeSlots.empty())
        freeSlots.push_back(frameSlots++);
      unsigned slot = freeSlots.pop_back_val();
      bufferSlots[v] = slot;
      expiring[last + 1].push_back(slot);
    }
  }
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

void HostLowering::begin(LLVM::LLVMFuncOp function, SymbolTable &table) {
  now = State();
  now.function = function;
  now.table = &table;
  now.entry = function.addEntryBlock(b);
  now.exit = new Block;
  now.exit->addArgument(i32Type, fn.getLoc());
  function.getBody().push_back(now.exit);
  now.run = function.getArgument(0);
  now.inputs = function.getArgument(1);
  now.outputs = function.getArgument(2);
  if (function.getNumArguments() > 3)
    now.frame = function.getArgument(3);
  functions.push_back(function);
  b.setLoc(fn.getLoc());
  // All allocations of stack memory and constants come before this jump.
  Block *body = new Block;
  body->insertBefore(now.exit);
  b.setInsertionPointToEnd(now.entry);
  LLVM::BrOp::create(b, ValueRange(), body);
  b.setInsertionPointToEnd(body);
}

void HostLowering::end() {
  b.setLoc(fn.getLoc());
  LLVM::BrOp::create(b, ValueRange(i32(COIL_OK)), now.exit);
  b.setInsertionPointToEnd(now.exit);
  LLVM::ReturnOp::create(b, now.exit->getArgument(0));
}

void HostLowering::beginPart(unsigned index) {
  // The entry function's module declares the part, which fixes its name.
  auto host = cast<ModuleOp>(module.getOp());
  std::string name =
      ("coil_" + fn.getName() + ".part" + llvm::Twine(index)).str();
  auto type = LLVM::LLVMFunctionType::get(i32Type,
                                          {ptrType, ptrType, ptrType, ptrType});
  b.setInsertionPointToStart(host.getBody());
  auto declared = LLVM::LLVMFuncOp::create(b, fn.getLoc(), name, type);
  name = module.insert(declared, host.getBody()->begin()).getValue().str();
  parts.push_back(name);

  auto part = ModuleOp::create(fn.getLoc(), name + ".module");
  part->setAttr(kHostPartAttrName, b.getUnitAttr());
  module.insert(part);
  partTable.emplace(part);
  b.setInsertionPointToEnd(part.getBody());
  auto function = LLVM::LLVMFuncOp::create(b, fn.getLoc(), name, type);
  partTable->insert(function);
  begin(function, *partTable);
}

void HostLowering::emitEntry(LLVM::LLVMFuncOp entry) {
  begin(entry, module);
  unsigned bytes = std::max(frameSlots, 1u) * 8;
  bool onStack = bytes <= kMaxFrameOnStack;
  Value frame = scratch(0, onStack ? bytes / 8 : 1);
  if (!onStack) {
    call("coil_rt_alloc", {now.run, i64(bytes), frame});
    frame = LLVM::LoadOp::create(b, ptrType, frame);
  }
  for (StringRef part : parts)
    call(part, {now.run, now.inputs, now.outputs, frame});
  if (!onStack)
    call("coil_rt_free", {now.run, frame});
  end();
}

//===----------------------------------------------------------------------===//
// Driver
//===----------------------------------------------------------------------===//

LogicalResult HostLowering::lowerSteps(unsigned stepsPerPart) {
  unsigned step = 0;
  auto next = [&] {
    if (stepsPerPart == 0 || step++ % stepsPerPart != 0)
      return;
    if (step > 1)
      end();
    beginPart(step / stepsPerPart);
  };
  Block &body = fn.getBody().front();
  for (BlockArgument arg : body.getArguments()) {
    next();
    if (failed(checkInput(arg)))
      return failure();
  }
  for (Operation &op : body.without_terminator()) {
    next();
    if (failed(lower(op)))
      return failure();
  }
  b.setLoc(body.getTerminator()->getLoc());
  for (OpOperand &result : body.getTerminator()->getOpOperands()) {
    next();
    if (failed(setOutput(result)))
      return failure();
  }
  end();
  return success();
}

LogicalResult HostLowering::run() {
  Block &body = fn.getBody().front();
  size_t steps =
      body.getNumArguments() + body.getTerminator()->getNumOperands();
  for (Operation &op : body.without_terminator()) {
    (void)op;
    ++steps;
  }
  LLVM::LLVMFuncOp entry = createFunction();
  if (steps <= maxSteps) {
    begin(entry, module);
    if (failed(lowerSteps(/*stepsPerPart=*/0)))
      return failure();
  } else {
    // Parts of equal length.
    unsigned count = llvm::divideCeil(steps, maxSteps);
    unsigned stepsPerPart = llvm::divideCeil(steps, count);
    planFrame(stepsPerPart);
    if (failed(lowerSteps(stepsPerPart)))
      return failure();
    emitEntry(entry);
  }
  module.insert(entry);
  return success();
}
