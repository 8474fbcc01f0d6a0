//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions of a GPU kernel over groups of threads, through shared memory. A
// group is what shuffles do not reach: a warp of a row, or the threads of a
// warp that share columns.
//
//===----------------------------------------------------------------------===//

#include "GPUKernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;

/// How many elements a thread reads and combines by itself before threads share
/// them. Each is about two instructions, for which assemblers take 30 us each.
static constexpr int64_t kMaxReads = 32;

int64_t GPUKernelEmitter::getGroupPitch(const GroupSlots &at) const {
  return reducedIsFast ? groupsR : threadsP * at.items * at.lanes;
}

Value GPUKernelEmitter::getGroupSlot(const GroupSlots &at, unsigned ip,
                                     Value group) {
  Value p = threadP;
  if (ip > 0)
    p = arith::AddIOp::create(b, p, constantI32(ip * threadsP));
  if (at.lanes > 1)
    p = arith::MulIOp::create(b, p, constantI32(at.lanes));
  Value row = reducedIsFast ? p : group, column = reducedIsFast ? group : p;
  return arith::AddIOp::create(
      b, arith::MulIOp::create(b, row, constantI32(getGroupPitch(at))), column);
}

SmallVector<GPUKernelEmitter::GroupSlots, 2>
GPUKernelEmitter::allocateGroupSlots(const Partial &partial) {
  SmallVector<GroupSlots, 2> list;
  // A result that does not vary along `p` has one.
  auto items = static_cast<int64_t>(partial.items.size());
  for (unsigned part = 0; part < partial.items[0].size(); ++part) {
    Type type = partial.items[0][part].getType();
    auto vector = dyn_cast<VectorType>(type);
    int64_t lanes = vector ? vector.getNumElements() : 1;
    Type element = getMemoryType(getElementTypeOrSelf(type));
    int64_t bytes = element.getIntOrFloatBitWidth() / 8;
    list.push_back({std::nullopt, element, items, lanes, bytes});
    bool isMoments = !partial.isSum && isa<WelfordOp>(partial.op);
    if (isMoments && llvm::all_of(partial.items, [&](const Values &item) {
          return isConstant(item[part]);
        }))
      continue;
    list.back().offset = sharedBytes;
    sharedBytes += llvm::alignTo(
        static_cast<uint64_t>(groupsR * threadsP * items * lanes * bytes), 16);
  }
  return list;
}

int64_t GPUKernelEmitter::getNumMergers(const Partial &partial,
                                        ArrayRef<GroupSlots> slots) const {
  int64_t lanes = 1;
  for (const GroupSlots &at : slots)
    lanes = std::max(lanes, at.lanes);
  int64_t threads = threadsP * threadsR;
  int64_t points =
      threadsP * static_cast<int64_t>(partial.items.size()) * lanes;
  int64_t reads = groupsR * points / threadsP;
  if (reducedIsFast || reads <= kMaxReads || threads % points != 0 ||
      // Lanes are points of their own here, so all parts have as many.
      llvm::any_of(slots, [&](const GroupSlots &at) {
        return !at.offset || at.lanes != lanes;
      }))
    return 1;
  // What a thread reads in both steps, the least of it.
  auto numReads = [&](int64_t mergers) {
    return groupsR / mergers + mergers * points / threadsP;
  };
  int64_t best = 1;
  for (int64_t n = 2; n <= groupsR / 2 && n <= threads / points; n *= 2)
    if (groupsR % n == 0 && (best == 1 || numReads(n) < numReads(best)))
      best = n;
  return best;
}

void GPUKernelEmitter::mergeNearGroups(const Partial &partial,
                                       ArrayRef<GroupSlots> slots,
                                       int64_t mergers) {
  // A thread for each point and some groups, wherever it is along `p` and `r`.
  // It writes where only itself has read.
  int64_t near = groupsR / mergers;
  int64_t points = threadsP * static_cast<int64_t>(partial.items.size()) *
                   slots.front().lanes;
  Value thread = emitThreadId();
  Value point = arith::RemUIOp::create(b, thread, constantI32(points));
  Value first = arith::MulIOp::create(
      b, arith::DivUIOp::create(b, thread, constantI32(points)),
      constantI32(near));
  auto pointer = [&](const GroupSlots &at, int64_t group) {
    // What is constant stands in the instruction.
    int64_t pitch = getGroupPitch(at);
    Value index = arith::AddIOp::create(
        b, arith::MulIOp::create(b, first, constantI32(pitch)), point);
    return sharedPointer(*at.offset + group * pitch * at.bytes, at.type, index);
  };
  Value active;
  if (mergers * points < threadsP * threadsR)
    active = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, thread,
                                   constantI32(mergers * points));
  (void)emitIf(active, [&]() {
    SmallVector<Values> groups(static_cast<size_t>(near));
    for (auto [part, at] : llvm::enumerate(slots)) {
      Type type = getElementTypeOrSelf(partial.items[0][part].getType());
      for (auto [group, values] : llvm::enumerate(groups)) {
        Value v = LLVM::LoadOp::create(b, at.type,
                                       pointer(at, static_cast<int64_t>(group)),
                                       at.getAlignment(1));
        values.push_back(fromMemory(v, type));
      }
    }
    Values merged = combineTree(partial, std::move(groups));
    for (auto [at, v] : llvm::zip_equal(slots, merged))
      LLVM::StoreOp::create(b, toMemory(v), pointer(at, 0), at.getAlignment(1));
    return success();
  });
}

void GPUKernelEmitter::mergeGroups(Partial &partial, ArrayRef<GroupSlots> slots,
                                   int64_t apart) {
  int64_t numGroups = groupsR / apart;
  for (auto [ip, item] : llvm::enumerate(partial.items)) {
    SmallVector<Values> groups(static_cast<size_t>(numGroups));
    for (auto [part, at] : llvm::enumerate(slots)) {
      if (!at.offset) {
        for (Values &each : groups)
          each.push_back(item[part]);
        continue;
      }
      Type type = item[part].getType();
      int64_t step =
          reducedIsFast ? std::min<int64_t>(groupsR, 16 / at.bytes) : 1;
      for (int64_t g = 0; g < numGroups; g += step) {
        Value pointer =
            sharedPointer(*at.offset, at.type,
                          getGroupSlot(at, static_cast<unsigned>(ip),
                                       constantI32(g * apart)));
        int64_t count = reducedIsFast ? step : at.lanes;
        Type read = count == 1 && !isa<VectorType>(type)
                        ? at.type
                        : VectorType::get(count, at.type);
        Value v =
            LLVM::LoadOp::create(b, read, pointer, at.getAlignment(count));
        v = fromMemory(v, getElementTypeOrSelf(type));
        for (int64_t i = 0; i < step; ++i)
          groups[static_cast<size_t>(g + i)].push_back(
              reducedIsFast ? extract(v, i) : v);
      }
    }
    item = combineTree(partial, std::move(groups));
  }
}

void GPUKernelEmitter::reduceGroups(MutableArrayRef<Partial> partials) {
  Value group = threadR;
  if (lanesR > 1)
    group = arith::ShRUIOp::create(
        b, threadR, constantI32(llvm::Log2_64(static_cast<uint64_t>(lanesR))));
  Value writes;
  if (lanesR > 1) {
    Value lane = arith::AndIOp::create(b, threadR, constantI32(lanesR - 1));
    writes = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lane,
                                   constantI32(0));
  }
  SmallVector<SmallVector<GroupSlots, 2>> slots;
  SmallVector<int64_t> mergers;
  for (const Partial &partial : partials) {
    slots.push_back(allocateGroupSlots(partial));
    mergers.push_back(getNumMergers(partial, slots.back()));
  }
  // The base must not be created inside of the branch.
  (void)emitIf(writes, [&]() {
    for (auto [partial, list] : llvm::zip_equal(partials, slots)) {
      b.setLoc(partial.op->getLoc());
      for (auto [part, at] : llvm::enumerate(list)) {
        if (!at.offset)
          continue;
        for (auto [ip, item] : llvm::enumerate(partial.items)) {
          Value pointer =
              sharedPointer(*at.offset, at.type,
                            getGroupSlot(at, static_cast<unsigned>(ip), group));
          LLVM::StoreOp::create(b, toMemory(item[part]), pointer,
                                at.getAlignment(at.lanes));
        }
      }
    }
    return success();
  });
  barrier();
  for (auto [partial, list, n] : llvm::zip_equal(partials, slots, mergers)) {
    b.setLoc(partial.op->getLoc());
    if (n > 1)
      mergeNearGroups(partial, list, n);
  }
  if (llvm::any_of(mergers, [](int64_t n) { return n > 1; }))
    barrier();
  for (auto [partial, list, n] : llvm::zip_equal(partials, slots, mergers)) {
    b.setLoc(partial.op->getLoc());
    mergeGroups(partial, list, n > 1 ? groupsR / n : 1);
  }
}
