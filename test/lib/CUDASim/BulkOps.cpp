//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cp.async.bulk: copies of many bytes that one thread starts. Those to shared
// memory are counted by an mbarrier, those from there by groups of the thread.
//
//===----------------------------------------------------------------------===//

#include "Bulk.h"
#include "Lanes.h"

#include <algorithm>

using namespace coil::cudasim;
using ptx::Space;

constexpr unsigned Chunk = 16;

//===----------------------------------------------------------------------===//
// To shared memory
//===----------------------------------------------------------------------===//

bool coil::cudasim::beginWrite(Warp &w, const Inst &inst, unsigned lane,
                               Block &owner, uint64_t offset,
                               const uint8_t *data, BulkLoad &load) {
  uint64_t address = offset;
  if (&owner != w.block)
    address |= uint64_t(owner.rank + 1) << ClusterShift;
  Target t;
  if (!resolve(w, inst, lane, Space::Shared, address, Chunk, Use::Store, t))
    return false;
  // Who used the bytes before must be done with them.
  uint8_t other[Chunk];
  for (unsigned i = 0; i < Chunk; ++i)
    other[i] = static_cast<uint8_t>(~t.host[i]);
  if (!record(w, inst, lane, t, Chunk, Use::Store, other))
    return false;
  if (owner.copying.empty())
    owner.copying.resize(owner.sharedSize / 4 + 1);
  std::fill_n(owner.copying.begin() + t.offset / 4, Chunk / 4, 1);
  if (!owner.unfenced.empty())
    std::fill_n(owner.unfenced.begin() + t.offset / 4, Chunk / 4, 0);
  memset(t.host, 0xA5, Chunk);
  BulkChunk chunk;
  chunk.offset = static_cast<uint32_t>(t.offset);
  memcpy(chunk.data, data, Chunk);
  load.chunks.push_back(chunk);
  return true;
}

void coil::cudasim::issue(Warp &w, const Inst &inst, unsigned lane,
                          Block &owner, const Target &barrier, uint32_t bytes,
                          BulkLoad load) {
  load.barrier = static_cast<uint32_t>(barrier.offset);
  load.bytes = bytes;
  load.thread = threadOf(w, lane);
  load.inst = &inst;
  owner.bulkLoads.push_back(std::move(load));
  ++owner.progress;
}

void coil::cudasim::deliver(const Warp &w, Block &b, MBarrier &m) {
  // Warps of other blocks of a cluster are others.
  uint32_t asks = 1u << (w.index + w.block->rank) % 32;
  std::vector<BulkLoad> arriving;
  size_t kept = 0;
  for (BulkLoad &load : b.bulkLoads) {
    if (load.barrier == m.address && (load.askedBy & asks)) {
      arriving.push_back(std::move(load));
      continue;
    }
    if (load.barrier == m.address) {
      load.askedBy |= asks;
      ++b.progress;
    }
    if (&load != &b.bulkLoads[kept])
      b.bulkLoads[kept] = std::move(load);
    ++kept;
  }
  b.bulkLoads.resize(kept);
  for (const BulkLoad &load : arriving) {
    for (const BulkChunk &chunk : load.chunks) {
      memcpy(b.shared + chunk.offset, chunk.data, Chunk);
      std::fill_n(b.copying.begin() + chunk.offset / 4, Chunk / 4, 0);
      markWritten(b, load.thread, chunk.offset, Chunk);
    }
    m.transactions -= load.bytes;
    progress(b, m);
  }
}

std::vector<Block *> coil::cudasim::targets(Warp &w, const Inst &inst,
                                            unsigned lane, uint32_t reg) {
  std::vector<Block *> blocks = {w.block};
  if (!(inst.mode & Multicast))
    return blocks;
  blocks.clear();
  uint32_t mask = w.reg<const uint16_t>(reg)[lane];
  for (Block *other : *w.block->cluster)
    if (mask >> other->rank & 1)
      blocks.push_back(other);
  return blocks;
}

namespace {

bool isAligned(Warp &w, const Inst &inst, unsigned lane, uint64_t shared,
               uint64_t global, uint32_t bytes) {
  std::string what;
  if (shared % Chunk || global % Chunk)
    what = "misaligned address of a bulk copy, which must be a multiple of 16";
  else if (bytes % Chunk)
    what = "a bulk copy of " + std::to_string(bytes) +
           " bytes, which is no multiple of 16";
  if (what.empty())
    return true;
  fault(w, inst, lane, MisalignedAddress, what);
  return false;
}

/// v: shared, global, mbarrier, as pairs, size, mask.
void load(Warp &w, const Inst &inst, uint32_t mask) {
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = __builtin_ctz(rest);
    uint64_t to = listAddress(w, inst, lane, 0, NarrowShared);
    uint64_t from = listAddress(w, inst, lane, 2, NarrowGlobal);
    uint64_t at = listAddress(w, inst, lane, 4, NarrowBarrier);
    uint32_t bytes = w.reg<const uint32_t>(inst.v[6])[lane];
    if (!isAligned(w, inst, lane, to, from, bytes))
      return;
    Target barrier, first;
    if (!findMBarrier(w, inst, lane, Space::Shared, at, /*forCopy=*/true,
                      barrier))
      return;
    std::vector<uint8_t> data(bytes);
    if (!readGlobal(w, inst, lane, from, bytes, data.data()))
      return;
    std::vector<Block *> blocks =
        targets(w, inst, lane, inst.mode & Multicast ? inst.v[7] : None);
    if (!(inst.mode & Multicast)) {
      // Both may lie in another block of the cluster.
      if (!resolve(w, inst, lane, Space::Shared, to, Chunk, Use::Store, first))
        return;
      if (first.owner != barrier.owner)
        return fault(w, inst, lane, LaunchFailed,
                     "a bulk copy to one block, counted by the mbarrier of "
                     "another");
      blocks = {first.owner};
    }
    for (Block *owner : blocks) {
      BulkLoad copy;
      for (uint32_t i = 0; i < bytes; i += Chunk)
        if (!beginWrite(w, inst, lane, *owner,
                        (to & ((1u << ClusterShift) - 1)) + i, data.data() + i,
                        copy))
          return;
      issue(w, inst, lane, *owner, barrier, bytes, std::move(copy));
    }
  }
}

} // namespace

//===----------------------------------------------------------------------===//
// From shared memory
//===----------------------------------------------------------------------===//

bool coil::cudasim::beginRead(Warp &w, const Inst &inst, unsigned lane,
                              uint64_t address, uint8_t *data,
                              BulkStore &store) {
  Target t;
  if (!resolve(w, inst, lane, Space::Shared, address, Chunk, Use::Load, t) ||
      !record(w, inst, lane, t, Chunk, Use::Load, nullptr))
    return false;
  Block &b = *t.owner;
  for (unsigned i = 0; i < Chunk / 4; ++i)
    if (uint32_t who = b.unfenced[t.offset / 4 + i]) {
      fault(w, inst, lane, LaunchFailed,
            "a bulk copy reads " + describeShared(t.offset + 4 * i) +
                ", which thread " + std::to_string((who & 0x7FF) - 1) +
                " wrote without fence.proxy.async in between");
      return false;
    }
  if (b.reading.empty())
    b.reading.resize(b.sharedSize / 4 + 1);
  for (unsigned i = 0; i < Chunk / 4; ++i)
    ++b.reading[t.offset / 4 + i];
  store.sources.push_back(static_cast<uint32_t>(t.offset));
  memcpy(data, t.host, Chunk);
  return true;
}

bool coil::cudasim::beginStore(Warp &w, const Inst &inst, unsigned lane,
                               uint64_t address, unsigned bytes,
                               const uint8_t *data, BulkStore &store) {
  for (unsigned at = 0; at < bytes;) {
    unsigned piece = Chunk;
    while (piece > bytes - at || (address + at) % piece)
      piece /= 2;
    Target t;
    if (!resolve(w, inst, lane, Space::Global, address + at, piece, Use::Store,
                 t) ||
        !record(w, inst, lane, t, piece, Use::Store, data + at))
      return false;
    store.pieces.push_back({t.host, {data + at, data + at + piece}});
    at += piece;
  }
  return true;
}

void coil::cudasim::issue(Warp &w, const Inst &inst, unsigned lane,
                          BulkStore store) {
  store.lane = static_cast<uint8_t>(lane);
  store.group = w.bulkGroups[lane];
  store.inst = &inst;
  w.bulkStores.push_back(std::move(store));
}

static void endRead(Block &b, BulkStore &store) {
  if (store.isRead)
    return;
  store.isRead = true;
  for (uint32_t offset : store.sources)
    for (unsigned i = 0; i < Chunk / 4; ++i)
      --b.reading[offset / 4 + i];
}

static void write(const BulkStore &store) {
  for (const BulkStore::Piece &piece : store.pieces)
    memcpy(piece.to, piece.data.data(), piece.data.size());
}

void coil::cudasim::endBulkCopies(Block &b) {
  for (const BulkLoad &load : b.bulkLoads) {
    Warp &w = b.warps[load.thread / Lanes % b.warps.size()];
    return fault(w, *load.inst, load.thread % Lanes, LaunchFailed,
                 "the block ends while a bulk copy to its shared memory is "
                 "under way: nobody has waited for it");
  }
  for (Warp &w : b.warps)
    for (const BulkStore &store : w.bulkStores) {
      if (!store.isRead)
        return fault(w, *store.inst, store.lane, LaunchFailed,
                     "the block ends while a bulk copy from its shared memory "
                     "is under way: its thread has not waited for it");
      write(store);
    }
}

namespace {

/// v: shared, global, as pairs, size.
void store(Warp &w, const Inst &inst, uint32_t mask) {
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = __builtin_ctz(rest);
    uint64_t from = listAddress(w, inst, lane, 0, NarrowShared);
    uint64_t to = listAddress(w, inst, lane, 2, NarrowGlobal);
    uint32_t bytes = w.reg<const uint32_t>(inst.v[4])[lane];
    if (!isAligned(w, inst, lane, from, to, bytes))
      return;
    BulkStore copy;
    for (uint32_t i = 0; i < bytes; i += Chunk) {
      uint8_t data[Chunk];
      if (!beginRead(w, inst, lane, from + i, data, copy) ||
          !beginStore(w, inst, lane, to + i, Chunk, data, copy))
        return;
    }
    issue(w, inst, lane, std::move(copy));
  }
}

void commit(Warp &w, const Inst &, uint32_t mask) {
  for (uint32_t rest = mask; rest; rest &= rest - 1)
    ++w.bulkGroups[__builtin_ctz(rest)];
}

/// Waits for all but the last `imm` groups; mode 1: until they are read.
void waitForGroups(Warp &w, const Inst &inst, uint32_t mask) {
  size_t kept = 0;
  for (BulkStore &copy : w.bulkStores) {
    bool isDone =
        mask >> copy.lane & 1 &&
        copy.group + inst.imm < static_cast<int64_t>(w.bulkGroups[copy.lane]);
    if (isDone) {
      endRead(*w.block, copy);
      if (!inst.mode) {
        write(copy);
        continue;
      }
    }
    if (&copy != &w.bulkStores[kept])
      w.bulkStores[kept] = std::move(copy);
    ++kept;
  }
  w.bulkStores.resize(kept);
}

void nothing(Warp &, const Inst &, uint32_t) {}

} // namespace

//===----------------------------------------------------------------------===//
// Fences
//===----------------------------------------------------------------------===//

void coil::cudasim::fenceForCopies(Warp &w, const Inst &inst, uint32_t) {
  Block &b = *w.block;
  for (MBarrier &m : b.mbarriers)
    m.isFenced = true;
  if (!inst.mode)
    return;
  // What this warp wrote, and what a barrier has ordered before the fence.
  for (uint32_t &who : b.unfenced)
    if (who && (((who & 0x7FF) - 1) / Lanes == w.index ||
                who >> 11 != (b.epoch & 0xFFF)))
      who = 0;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

bool coil::cudasim::takeAddress(Lowering &l, const ptx::Operand &o,
                                uint8_t narrowFlag,
                                std::vector<uint32_t> &list) {
  uint32_t reg;
  int64_t offset;
  bool narrow;
  if (!l.address(o, reg, offset, narrow))
    return false;
  if (narrow)
    l.inst.mode |= narrowFlag;
  list.push_back(reg);
  list.push_back(l.constant(8, static_cast<uint64_t>(offset)));
  return true;
}

bool coil::cudasim::lowerBulkCopy(Lowering &l) {
  Inst &inst = l.inst;
  if (l.take("commit_group")) {
    inst.fn = commit;
    return l.operands(0);
  }
  if (l.take("wait_group")) {
    inst.mode = l.take("read");
    inst.fn = waitForGroups;
    if (!l.operands(1))
      return false;
    inst.imm = l.op(0).value;
    return true;
  }
  if (l.take("prefetch")) { // A hint.
    l.used = ~0ull;
    inst.fn = nothing;
    return true;
  }
  if (l.take("tensor"))
    return lowerTensorCopy(l);
  bool isStore = l.take("bulk_group");
  bool isLoad = l.take("mbarrier::complete_tx::bytes");
  bool isShared = l.take("shared::cta"), isCluster = l.take("shared::cluster");
  if (isStore == isLoad || !l.take("global") || isShared == isCluster ||
      (isStore && isCluster))
    return l.fail("only bulk copies between global and shared memory are "
                  "supported");
  bool isMulticast = l.take("multicast::cluster");
  bool hasPolicy = l.take("L2::cache_hint");
  if (!l.operands((isStore ? 3 : 4) + isMulticast + hasPolicy))
    return false;
  std::vector<uint32_t> list;
  if (!takeAddress(l, l.op(isStore ? 1 : 0), NarrowShared, list) ||
      !takeAddress(l, l.op(isStore ? 0 : 1), NarrowGlobal, list) ||
      (isLoad && !takeAddress(l, l.op(3), NarrowBarrier, list)))
    return false;
  list.push_back(l.src(2, Ty::B32));
  if (isMulticast) {
    inst.mode |= Multicast;
    list.push_back(l.src(4, Ty::B16));
  }
  l.setList(std::move(list));
  noteWidth(l, Space::Shared, Chunk);
  noteWidth(l, Space::Global, Chunk);
  if (isStore)
    l.getCode().storesInBulk = true;
  inst.fn = isStore ? store : load;
  return true;
}
