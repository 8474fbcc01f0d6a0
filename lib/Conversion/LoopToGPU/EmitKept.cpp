//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Long rows of short elements. Once they are widened to compute with, a
// thread's part of a row takes twice the registers that it was read into, and
// fewer threads fit on a multiprocessor. So a thread puts what it read into
// shared memory, in slots that no other thread looks at, and later phases take
// it from there and compute again what earlier ones did with it.
//
//===----------------------------------------------------------------------===//

#include "GPUKernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;

/// Whether a phase behind that of `load` computes with what was loaded.
bool GPUKernelEmitter::isUsedLater(LoadOp load) const {
  unsigned phase = phaseOf.lookup(load);
  SmallVector<Operation *> stack(load->user_begin(), load->user_end());
  DenseSet<Operation *> seen(stack.begin(), stack.end());
  while (!stack.empty()) {
    Operation *op = stack.pop_back_val();
    if (phaseOf.lookup(op) > phase)
      return true;
    if (isReduction(op))
      continue; // Its result does not vary along the row.
    for (Operation *user : op->getUsers())
      if (seen.insert(user).second)
        stack.push_back(user);
  }
  return false;
}

Value GPUKernelEmitter::getKeptSlot(const Kept &kept, size_t number) {
  Value thread = emitThreadId();
  int64_t threads = threadsP * threadsR;
  Value slot = arith::AddIOp::create(
      b, thread, constantI32(static_cast<int64_t>(number) * threads));
  return sharedPointer(
      kept.offset, getMemoryType(getElementTypeOrSelf(kept.type)),
      arith::MulIOp::create(b, slot, constantI32(kept.type.getNumElements())));
}

void GPUKernelEmitter::keepLoad(LoadOp load) {
  const Copies &copies = values[load.getResult()];
  auto type = dyn_cast<VectorType>(copies.values.front().getType());
  if (!copies.overR || !type || !isUsedLater(load))
    return;
  Type memory = getMemoryType(type.getElementType());
  int64_t bytes = type.getNumElements() * (memory.getIntOrFloatBitWidth() / 8);
  int64_t total =
      static_cast<int64_t>(copies.values.size()) * threadsP * threadsR * bytes;
  int64_t begin = static_cast<int64_t>(
      llvm::alignTo(static_cast<uint64_t>(sharedBytes), 16));
  // What finds no room is read from memory again.
  // A block of a cluster may have all of a multiprocessor: rows that are shared
  // are too long for one.
  int64_t most = cluster > 1 ? facts.blockSharedBytes
                             : std::min(kMaxKeptBytes, facts.blockSharedBytes);
  if (begin + total > most)
    return;
  Kept &kept = keptLoads[load];
  kept.offset = begin;
  kept.type = type;
  kept.alignment = static_cast<unsigned>(std::min<int64_t>(16, bytes));
  sharedBytes = begin + total;
  for (auto [number, v] : llvm::enumerate(copies.values))
    LLVM::StoreOp::create(b, toMemory(v), getKeptSlot(kept, number),
                          kept.alignment);
}

bool GPUKernelEmitter::takeKept(LoadOp load) {
  auto found = keptLoads.find(load);
  if (found == keptLoads.end())
    return false;
  const Kept &kept = found->second;
  Copies copies = makeCopies(load.getResult());
  Type element = kept.type.getElementType();
  auto memory = VectorType::get(kept.type.getShape(), getMemoryType(element));
  forEachCopy(copies.overP, copies.overR, [&](unsigned, unsigned) {
    Value v = LLVM::LoadOp::create(
        b, memory, getKeptSlot(kept, copies.values.size()), kept.alignment);
    copies.values.push_back(fromMemory(v, element));
  });
  values[load.getResult()] = std::move(copies);
  return true;
}

void GPUKernelEmitter::dropReduced() {
  SmallVector<Value> dropped;
  for (auto &[v, copies] : values)
    if (copies.overR)
      dropped.push_back(v);
  for (Value v : dropped)
    values.erase(v);
}
