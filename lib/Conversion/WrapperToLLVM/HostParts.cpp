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
#include <numeric>

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

/// A larger frame is memory of the run: stacks of threads can be small.
static constexpr unsigned kMaxFrameOnStack = 64 * 1024;

//===----------------------------------------------------------------------===//
// Buffers and symbols
//===----------------------------------------------------------------------===//

Value HostLowering::buffer(Value v) {
  Value address = now.buffers.lookup(v);
  if (address)
    return address;
  // An earlier part made it, or checked the input.
  if (auto slot = bufferSlots.find(v); slot != bufferSlots.end())
    address = load(now.frame, slot->second * 8, getHostType(v.getType()));
  else
    address = load(inputTensor(v), offsetof(coil_tensor, data), ptrType);
  now.buffers[v] = address;
  if (now.depth)
    now.valueLog.push_back(v);
  return address;
}

void HostLowering::setBuffer(Value v, Value address) {
  now.buffers[v] = address;
  if (now.depth)
    now.valueLog.push_back(v);
  auto slot = bufferSlots.find(v);
  if (slot != bufferSlots.end())
    store(address, now.frame, slot->second, i64Type);
}

Value HostLowering::symbol(StringRef name) {
  Value v = now.symbols.lookup(name);
  if (v)
    return v;
  v = load(now.frame, symbolSlots.at(name) * 8, i64Type);
  now.symbols[name] = v;
  if (now.depth)
    now.symbolLog.push_back(symbolSlots.find(name)->getKey());
  return v;
}

void HostLowering::setSymbol(StringRef name, Value v) {
  ExprAttr symbol = sym::symbol(b.getContext(), name);
  now.symbols[name] = v;
  now.values[symbol] = v;
  if (now.depth) {
    now.symbolLog.push_back(symbol.getName());
    now.exprLog.push_back(symbol);
  }
  auto slot = symbolSlots.find(name);
  if (slot != symbolSlots.end())
    store(v, now.frame, slot->second, i64Type);
}

unsigned HostLowering::planParts() {
  Block &body = fn.getBody().front();
  SmallVector<unsigned> weights(body.getNumArguments(), 1);
  for (Operation &op : body.without_terminator()) {
    unsigned weight = 0;
    op.walk([&](Operation *) { ++weight; });
    weights.push_back(weight);
  }
  weights.append(body.getTerminator()->getNumOperands(), 1);
  size_t steps = std::accumulate(weights.begin(), weights.end(), size_t(0));
  // Parts of about equal length.
  unsigned count = llvm::divideCeil(std::max<size_t>(steps, 1), maxSteps);
  size_t most = llvm::divideCeil(steps, count), filled = 0;
  unsigned part = 0;
  for (unsigned weight : weights) {
    if (filled != 0 && filled + weight > most) {
      ++part;
      filled = 0;
    }
    filled += weight;
    stepParts.push_back(part);
  }
  return part + 1;
}

void HostLowering::planFrame() {
  Block &body = fn.getBody().front();
  // Steps are the inputs, the operations, and the results.
  unsigned firstOp = body.getNumArguments(), firstResult = firstOp;
  DenseMap<Operation *, unsigned> part;
  for (Operation &op : body.without_terminator())
    part[&op] = stepParts[firstResult++];

  // Slots are free again in the part after the last that needs the buffer.
  SmallVector<unsigned> freeSlots;
  DenseMap<unsigned, SmallVector<unsigned>> expiring;
  unsigned current = 0;
  for (Operation &op : body.without_terminator()) {
    for (unsigned p = part.lookup(&op); current < p;)
      llvm::append_range(freeSlots, expiring.lookup(++current));
    for (StringRef name : getBoundSymbols(&op))
      symbolSlots[name] = frameSlots++;
    for (Value v : op.getResults()) {
      unsigned last = current;
      bool needsShape = false;
      for (OpOperand &use : v.getUses()) {
        Operation *user = body.findAncestorOpInBlock(*use.getOwner());
        last =
            std::max(last, user == body.getTerminator()
                               ? stepParts[firstResult + use.getOperandNumber()]
                               : part.lookup(user));
        needsShape |= hasRunLayout(v) &&
                      isa<BindSymbolOp, AssertLayoutOp>(use.getOwner());
      }
      if (last == current)
        continue;
      if (auto pool = dyn_cast<PoolOp>(op); pool && pool.getOnStack()) {
        // Room to begin at a multiple of the alignment.
        int64_t room = pool.getBytes().getValue() +
                       getAlignment(wrapper::getDevice(v.getType()));
        poolSlots[v] = frameSlots;
        frameSlots += static_cast<unsigned>(llvm::divideCeil(room, 8));
      }
      if (needsShape) {
        shapeSlots[v] = frameSlots;
        frameSlots += 2 * cast<BufferType>(v.getType()).getRank();
      }
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
  if (!now.leave.empty())
    (void)callStatus(now.leave, now.run);
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

LogicalResult HostLowering::lowerSteps(bool intoParts) {
  size_t step = 0;
  auto next = [&] {
    size_t i = step++;
    if (!intoParts || (i != 0 && stepParts[i] == stepParts[i - 1]))
      return;
    if (i != 0)
      end();
    beginPart(stepParts[i]);
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

void HostLowering::declareEntry() {
  createFunction();
  module.insert(entryFunction);
}

LogicalResult HostLowering::run() {
  if (failed(selection.verify()))
    return failure();
  if (planParts() == 1) {
    begin(entryFunction, module);
    if (failed(lowerSteps(/*intoParts=*/false)))
      return failure();
  } else {
    planFrame();
    if (failed(lowerSteps(/*intoParts=*/true)))
      return failure();
    emitEntry(entryFunction);
  }
  if (!hostFunctions.empty())
    entryFunction->setAttr(kHostFunctionsAttrName,
                           b.getArrayAttr(hostFunctions.getArrayRef()));
  return success();
}
