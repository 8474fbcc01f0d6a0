//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Barriers, fences and traps.
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "Bulk.h"
#include "Lanes.h"

using namespace coil::cudasim;

namespace {

/// Orders the accesses of the lanes of one warp.
void warpSync(Warp &w, const Inst &, uint32_t) { ++w.syncs; }

void clusterArrive(Warp &w, const Inst &, uint32_t mask) {
  auto threads = static_cast<uint32_t>(__builtin_popcount(mask));
  w.clusterArrivals += threads;
  w.block->clusterArrivals += threads;
  w.block->beginEpoch();
}

/// Waits until every thread of the cluster has arrived as often as this warp's,
/// of which others of its block may be further on.
void clusterWait(Warp &w, const Inst &, uint32_t) {
  Block &b = *w.block;
  auto threads = static_cast<uint32_t>(__builtin_popcount(w.present));
  uint32_t n = (w.clusterArrivals + threads - 1) / threads;
  bool all = true;
  for (Block *other : *b.cluster)
    all &= other->clusterArrivals >= n * other->threads;
  w.retry = w.yield = !all;
  if (all)
    b.beginEpoch();
}

bool lowerClusterBarrier(Lowering &l) {
  std::string_view what = l.takeOneOf({"arrive", "wait"});
  l.takeOneOf({"release", "relaxed", "acquire"});
  l.take("aligned");
  l.inst.kind = what == "wait" ? Kind::Wait : Kind::Plain;
  l.inst.fn = what == "wait" ? clusterWait : clusterArrive;
  return !what.empty() && l.operands(0);
}

bool lowerBarrier(Lowering &l) {
  Inst &inst = l.inst;
  bool isBar = l.root() == "bar";
  if (l.take("warp")) {
    if (!l.take("sync") || !l.operands(1))
      return false;
    inst.kind = Kind::Converge;
    inst.e = l.src(0, Ty::B32);
    inst.fn = warpSync;
    return true;
  }
  if (l.take("cluster"))
    return lowerClusterBarrier(l);
  l.take("cta");
  std::string_view what = l.takeOneOf({"sync", "arrive", "red"});
  bool aligned = l.take("aligned") || isBar;
  inst.kind = Kind::Barrier;
  if (what == "red") {
    std::string_view op = l.takeOneOf({"popc", "and", "or"});
    Ty type = l.takeType();
    if (op.empty() || !l.operands(3, 4))
      return false;
    inst.mode = op == "popc"  ? BarrierPopc
                : op == "and" ? BarrierAnd
                              : BarrierOr;
    const ptx::Operand &p = l.op(l.s->operands.size() - 1);
    inst.c = l.predSrc(p);
    inst.imm = p.negated;
    inst.d = type == Ty::Pred ? l.predDst(l.op(0).name) : l.dst(0, Ty::U32);
    inst.a = l.src(1, Ty::U32);
    if (l.s->operands.size() == 4)
      inst.b = l.src(2, Ty::U32);
  } else {
    if (what.empty() || !l.operands(what == "arrive" ? 2 : 1, 2))
      return false;
    inst.mode = what == "arrive" ? BarrierArrive : BarrierSync;
    inst.a = l.src(0, Ty::U32);
    if (l.s->operands.size() == 2)
      inst.b = l.src(1, Ty::U32);
  }
  if (!aligned)
    inst.mode |= BarrierUnaligned;
  return true;
}

void fence(Warp &w, const Inst &inst, uint32_t mask) {
  if (inst.mode & 1)
    publish(w, mask);
  if (inst.mode & 2)
    acquire(w);
}

void nothing(Warp &, const Inst &, uint32_t) {}

bool lowerFence(Lowering &l) {
  Inst &inst = l.inst;
  bool device = true;
  if (l.take("mbarrier_init") || l.take("proxy")) {
    // The other proxies have nothing that could be late here.
    bool isAsync =
        (l.take("async") || l.take("async::generic")) && !l.take("global");
    inst.mode = isAsync ? 1 : 0;
    inst.fn =
        isAsync || l.s->parts[1] == "mbarrier_init" ? fenceForCopies : nothing;
    l.used = ~0ull;
    return l.operands(0, 2);
  } else if (l.root() == "membar") {
    device = l.takeOneOf({"gl", "sys", "cta"}) != "cta";
  } else {
    l.takeOneOf({"sc", "acq_rel", "acquire", "release"});
    device = l.takeOneOf({"gpu", "sys", "cluster", "cta"}) != "cta";
  }
  inst.mode = device ? 3 : 0;
  if (device)
    l.getCode().publishes = true;
  inst.fn = fence;
  return true;
}

void trap(Warp &w, const Inst &inst, uint32_t mask) {
  fault(w, inst, __builtin_ctz(mask), LaunchFailed, "trap");
}

bool lowerTrap(Lowering &l) {
  l.inst.fn = trap;
  return l.operands(0);
}

} // namespace

void coil::cudasim::registerSyncOps(Registry &r) {
  r["bar"] = r["barrier"] = lowerBarrier;
  r["fence"] = r["membar"] = lowerFence;
  r["trap"] = r["brkpt"] = lowerTrap;
}
