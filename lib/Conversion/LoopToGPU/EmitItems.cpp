//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order in which a thread computes its items. All of them at a time, one op
// after the other, leaves it to the assembler which instructions come first.
// But functions with branches keep it from that, and what there is of all items
// at a time may be more than registers hold. Then loads are of all items still,
// which have their latencies together, and what is computed of one item comes
// before the next.
//
//===----------------------------------------------------------------------===//

#include "GPUKernelEmitter.h"
#include "RegisterUse.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;

bool GPUKernelEmitter::haveRoom(ArrayRef<Operation *> ops, bool alongR) {
  size_t items = alongR ? rItems.size() : pItems.size();
  if (items < 2)
    return true;
  // What may have branches: values are computed before them and after them.
  bool hasFunctions = llvm::any_of(ops, [](Operation *op) {
    return isa<SpecialOp>(op) || (isa<math::MathDialect>(op->getDialect()) &&
                                  !isa<math::AbsFOp, math::FmaOp>(op));
  });
  bool isPlain = llvm::all_of(ops, [](Operation *op) {
    return isa<LoadOp, StoreOp, IndexOp, SpecialOp>(op) || isReduction(op) ||
           isa<arith::ArithDialect, math::MathDialect>(op->getDialect());
  });
  if (!hasFunctions || !isPlain)
    return true;
  const llvm::SmallBitVector &over = alongR ? reducedSet : parallelSet;
  double words = countLiveWords(kernel, width > 1, over).most;
  int64_t registers = getThreadRegisters(facts.registers, threadsP * threadsR,
                                         schedule.getMinBlocks());
  return static_cast<double>(kBaseRegisters) +
             words * static_cast<double>(static_cast<int64_t>(items) * width) <=
         static_cast<double>(registers);
}

GPUKernelEmitter::Copies GPUKernelEmitter::getCopies(Copies all, bool alongR,
                                                     unsigned item) const {
  if (!(alongR ? all.overR : all.overP))
    return all;
  Copies own = all;
  own.values.clear();
  if (alongR) {
    for (unsigned ip = 0, n = all.overP ? pItems.size() : 1; ip < n; ++ip)
      own.values.push_back(all.at(ip, item));
    own.numR = 1;
    return own;
  }
  for (unsigned ir = 0, n = all.overR ? all.numR : 1; ir < n; ++ir)
    own.values.push_back(all.at(item, ir));
  return own;
}

GPUKernelEmitter::Copies GPUKernelEmitter::joinCopies(ArrayRef<Copies> items,
                                                      bool alongR) const {
  Copies all = items.front();
  if (!(alongR ? all.overR : all.overP))
    return all;
  all.values.clear();
  if (!alongR) {
    for (const Copies &own : items)
      llvm::append_range(all.values, own.values);
    return all;
  }
  for (size_t ip = 0, n = items.front().values.size(); ip < n; ++ip)
    for (const Copies &own : items)
      all.values.push_back(own.values[ip]);
  all.numR = static_cast<unsigned>(items.size());
  return all;
}

LogicalResult GPUKernelEmitter::emitOps(
    ArrayRef<Operation *> ops, bool alongR,
    llvm::function_ref<void(Operation *op, unsigned first)> reduce) {
  auto emitAll = [&](ArrayRef<Operation *> list,
                     unsigned item = 0) -> LogicalResult {
    for (Operation *op : list) {
      if (reduce && isReduction(op))
        reduce(op, item);
      else if (failed(emitOp(op)))
        return failure();
    }
    return success();
  };
  if (haveRoom(ops, alongR))
    return emitAll(ops);
  const llvm::SmallBitVector &over = alongR ? reducedSet : parallelSet;
  // Loads, what they need, and what is the same for all items.
  DenseSet<Operation *> needed;
  for (Operation *op : llvm::reverse(ops)) {
    bool isNeeded = llvm::any_of(
        op->getUsers(), [&](Operation *user) { return needed.contains(user); });
    bool isSame = !isReduction(op) && op->getNumResults() > 0 &&
                  llvm::none_of(op->getResults(),
                                [&](Value v) { return isOver(v, over); });
    if (isNeeded || isSame || isa<LoadOp>(op))
      needed.insert(op);
  }
  SmallVector<Operation *> first, apart, last;
  for (Operation *op : ops)
    (needed.contains(op)                    ? first
     : isReduction(op) && takesAllItems(op) ? last
                                            : apart)
        .push_back(op);
  if (failed(emitAll(first)))
    return failure();
  SmallVector<std::pair<Value, Copies>> whole;
  // Not what is computed here, of which there may be copies of another loop.
  DenseSet<Value> seen;
  for (Operation *op : apart)
    seen.insert(op->result_begin(), op->result_end());
  for (Operation *op : apart)
    for (Value v : op->getOperands()) {
      auto it = values.find(v);
      if (it == values.end() || !seen.insert(v).second)
        continue;
      // The two values of a vector's lanes are known for all items.
      if (twoValues.contains(v))
        return failed(emitAll(apart)) ? failure() : emitAll(last);
      whole.push_back({v, it->second});
    }
  SmallVector<Item> &items = alongR ? rItems : pItems;
  SmallVector<Item> all = items;
  DenseMap<Value, SmallVector<Copies, 0>> found;
  for (auto [i, item] : llvm::enumerate(all)) {
    auto number = static_cast<unsigned>(i);
    items.assign(1, item);
    for (auto &[v, copies] : whole)
      values[v] = getCopies(copies, alongR, number);
    if (failed(emitAll(apart, number)))
      return failure();
    for (Operation *op : apart)
      for (Value v : op->getResults())
        if (!isReduction(op))
          found[v].push_back(values.lookup(v));
  }
  items = std::move(all);
  for (auto &[v, copies] : whole)
    values[v] = std::move(copies);
  for (auto &[v, copies] : found)
    values[v] = joinCopies(copies, alongR);
  return emitAll(last);
}
