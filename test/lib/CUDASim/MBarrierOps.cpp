//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mbarrier: barriers in shared memory that count arrivals and bytes.
//
//===----------------------------------------------------------------------===//

#include "Bulk.h"
#include "Lanes.h"

#include <algorithm>

using namespace coil::cudasim;
using ptx::Space;

constexpr int64_t MaxCount = (1 << 20) - 1;

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

static std::string nameOf(uint64_t address) {
  return "the mbarrier at " + describeShared(address);
}

/// Finds 8 bytes of shared memory.
static bool resolveBarrier(Warp &w, const Inst &inst, unsigned lane,
                           Space space, uint64_t address, Use use, Target &t) {
  if (!resolve(w, inst, lane, space, address, 8, use, t))
    return false;
  if (!t.isShared) {
    fault(w, inst, lane, LaunchFailed, "an mbarrier outside of shared memory");
    return false;
  }
  return true;
}

MBarrier *coil::cudasim::findMBarrier(Warp &w, const Inst &inst, unsigned lane,
                                      Space space, uint64_t address,
                                      bool forCopy, Target &t) {
  if (!resolveBarrier(w, inst, lane, space, address, Use::StrongLoad, t))
    return nullptr;
  MBarrier *m = t.owner->findMBarrier(static_cast<uint32_t>(t.offset));
  if (!m) {
    fault(w, inst, lane, LaunchFailed,
          nameOf(t.offset) + " was not initialised");
    return nullptr;
  }
  // Whoever initialised it did so before.
  if (t.owner == w.block &&
      !record(w, inst, lane, t, 8, Use::StrongLoad, nullptr))
    return nullptr;
  if (forCopy && !m->isFenced) {
    fault(w, inst, lane, LaunchFailed,
          nameOf(t.offset) + " is not visible to copies: no fence.proxy.async "
                             "or fence.mbarrier_init followed its "
                             "initialisation");
    return nullptr;
  }
  return m;
}

std::string coil::cudasim::describeWait(const Block &b, uint32_t address) {
  std::string text = nameOf(address);
  for (const MBarrier &m : b.mbarriers) {
    if (m.address != address)
      continue;
    text += " is in phase " + std::to_string(m.phase) + ", lacks " +
            std::to_string(m.pending) + " of " + std::to_string(m.count) +
            " arrivals";
    if (m.transactions > 0)
      text += " and " + std::to_string(m.transactions) + " bytes";
    if (m.transactions < 0)
      text += " and has " + std::to_string(-m.transactions) +
              " bytes more than it expects";
  }
  return text;
}

void coil::cudasim::progress(Block &b, MBarrier &m) {
  ++b.progress;
  if (m.pending != 0 || m.transactions != 0)
    return;
  ++m.phase;
  m.pending = m.count;
  // Orders what was before it for everybody who waits.
  b.beginEpoch();
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

namespace {

constexpr uint8_t Narrow = 1, Parity = 2, Expect = 4, Drop = 8;

/// The space of the address is in `width`.
Space spaceOf(const Inst &inst) { return static_cast<Space>(inst.width); }

MBarrier *barrierOf(Warp &w, const Inst &inst, unsigned lane, Target &t) {
  return findMBarrier(w, inst, lane, spaceOf(inst),
                      laneAddress(w, inst, lane, inst.mode & Narrow),
                      /*forCopy=*/false, t);
}

void init(Warp &w, const Inst &inst, uint32_t mask) {
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = __builtin_ctz(rest);
    Target t;
    if (!resolveBarrier(w, inst, lane, spaceOf(inst),
                        laneAddress(w, inst, lane, inst.mode & Narrow),
                        Use::Store, t))
      return;
    if (t.owner->findMBarrier(static_cast<uint32_t>(t.offset)))
      return fault(w, inst, lane, LaunchFailed,
                   nameOf(t.offset) + " was initialised before, and not "
                                      "invalidated");
    uint32_t count = w.reg<const uint32_t>(inst.b)[lane];
    if (count < 1 || count > MaxCount)
      return fault(w, inst, lane, LaunchFailed,
                   "an mbarrier for " + std::to_string(count) + " arrivals");
    uint8_t other[8];
    for (unsigned i = 0; i < 8; ++i)
      other[i] = static_cast<uint8_t>(~t.host[i]);
    if (!record(w, inst, lane, t, 8, Use::Store, other))
      return;
    memset(t.host, 0xB5, 8);
    MBarrier m;
    m.address = static_cast<uint32_t>(t.offset);
    m.count = m.pending = count;
    t.owner->mbarriers.push_back(m);
    ++t.owner->progress;
  }
}

void invalidate(Warp &w, const Inst &inst, uint32_t mask) {
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = __builtin_ctz(rest);
    Target t;
    if (!barrierOf(w, inst, lane, t))
      return;
    auto address = static_cast<uint32_t>(t.offset);
    for (const BulkLoad &load : t.owner->bulkLoads)
      if (load.barrier == address)
        return fault(w, inst, lane, LaunchFailed,
                     nameOf(address) + " is invalidated while a bulk copy is "
                                       "under way");
    std::vector<MBarrier> &all = t.owner->mbarriers;
    all.erase(std::find_if(all.begin(), all.end(), [&](const MBarrier &m) {
      return m.address == address;
    }));
    ++t.owner->progress;
  }
}

/// d = state of the barrier at a + imm, after b arrivals, or one, of threads
/// that expect c bytes.
void arrive(Warp &w, const Inst &inst, uint32_t mask) {
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = __builtin_ctz(rest);
    Target t;
    MBarrier *m = barrierOf(w, inst, lane, t);
    if (!m)
      return;
    int64_t count = inst.b == None ? 1 : w.reg<const uint32_t>(inst.b)[lane];
    if (inst.c != None)
      m->transactions += w.reg<const uint32_t>(inst.c)[lane];
    if (inst.d != None)
      w.reg<uint64_t>(inst.d)[lane] = m->phase;
    if (count > m->pending)
      return fault(w, inst, lane, LaunchFailed,
                   "more than " + std::to_string(m->count) + " arrivals at " +
                       nameOf(t.offset) + " in phase " +
                       std::to_string(m->phase));
    if (m->transactions > MaxCount)
      return fault(w, inst, lane, LaunchFailed,
                   nameOf(t.offset) + " expects " +
                       std::to_string(m->transactions) + " bytes");
    m->pending -= count;
    if (inst.mode & Drop)
      m->count -= count;
    progress(*t.owner, *m);
  }
}

/// More or fewer bytes to wait for, without an arrival.
void transact(Warp &w, const Inst &inst, uint32_t mask) {
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = __builtin_ctz(rest);
    Target t;
    MBarrier *m = barrierOf(w, inst, lane, t);
    if (!m)
      return;
    int64_t bytes = w.reg<const uint32_t>(inst.c)[lane];
    m->transactions += inst.mode & Expect ? bytes : -bytes;
    progress(*t.owner, *m);
  }
}

/// d = whether the phase of state or parity b is over.
void wait(Warp &w, const Inst &inst, uint32_t mask) {
  uint32_t done = 0;
  std::vector<uint8_t *> asked;
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = __builtin_ctz(rest);
    Target t;
    MBarrier *m = barrierOf(w, inst, lane, t);
    if (!m)
      return;
    // Lanes of one instruction ask together.
    if (std::find(asked.begin(), asked.end(), t.host) == asked.end()) {
      deliver(w, *t.owner, *m);
      asked.push_back(t.host);
    }
    uint64_t phase = m->phase;
    bool isOver = inst.mode & Parity
                      ? (phase & 1) != (w.reg<const uint32_t>(inst.b)[lane] & 1)
                      : phase != w.reg<const uint64_t>(inst.b)[lane];
    if (isOver) {
      done |= 1u << lane;
      continue;
    }
    w.waitsAt = &inst;
    w.waitsFor = static_cast<uint32_t>(t.offset);
    w.yield = true;
  }
  if (done == mask)
    w.waitsAt = nullptr;
  setPred(w, inst.d, mask, done);
}

bool lowerMBarrier(Lowering &l) {
  Inst &inst = l.inst;
  std::string_view what =
      l.takeOneOf({"init", "inval", "arrive", "arrive_drop", "expect_tx",
                   "complete_tx", "test_wait", "try_wait"});
  bool isWait = what == "test_wait" || what == "try_wait";
  bool isArrival = what == "arrive" || what == "arrive_drop";
  bool expects = isArrival && l.take("expect_tx");
  if (isWait && l.take("parity"))
    inst.mode |= Parity;
  l.takeOneOf({"release", "relaxed", "acquire"});
  l.takeOneOf({"cta", "cluster"});
  Space space = takeSpace(l);
  if (what.empty() || (space != Space::Shared && space != Space::Generic) ||
      l.takeType() != Ty::B64)
    return false;
  inst.width = static_cast<uint8_t>(space);
  size_t place = isArrival || isWait ? 1 : 0;
  bool narrow;
  if (!l.operands(place + 1, isWait ? 4 : place + 2) ||
      !l.address(l.op(place), inst.a, inst.imm, narrow))
    return false;
  if (narrow)
    inst.mode |= Narrow;
  bool hasMore = l.s->operands.size() > place + 1;
  noteWidth(l, Space::Shared, 8);
  if (what == "inval") {
    inst.fn = invalidate;
    return !hasMore;
  }
  if (isArrival) {
    if (l.op(0).name != "_")
      inst.d = l.dst(0, Ty::B64);
    if (expects && !hasMore)
      return false;
    if (hasMore)
      (expects ? inst.c : inst.b) = l.src(place + 1, Ty::B32);
    if (what == "arrive_drop")
      inst.mode |= Drop;
    inst.fn = arrive;
    return true;
  }
  if (!hasMore)
    return false;
  if (isWait) {
    inst.d = l.predDst(l.op(0).name);
    inst.b = l.src(2, inst.mode & Parity ? Ty::B32 : Ty::B64);
    inst.kind = Kind::Wait;
    inst.fn = wait;
    return true;
  }
  (what == "init" ? inst.b : inst.c) = l.src(1, Ty::B32);
  if (what == "expect_tx")
    inst.mode |= Expect;
  inst.fn = what == "init" ? init : transact;
  return true;
}

} // namespace

void coil::cudasim::registerMBarrierOps(Registry &r) {
  r["mbarrier"] = lowerMBarrier;
}
