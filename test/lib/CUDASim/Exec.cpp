//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Executes launches: blocks over host threads, warps of a block in turn, and
// the lanes of a warp together, those with the lowest instruction first.
//
//===----------------------------------------------------------------------===//

#include "Bulk.h"
#include "DeviceMemory.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <thread>

using namespace coil::cudasim;

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

static std::string triple(const uint32_t (&v)[3]) {
  return "(" + std::to_string(v[0]) + ", " + std::to_string(v[1]) + ", " +
         std::to_string(v[2]) + ")";
}

static std::string place(const Code &code, const Inst &inst) {
  std::string text = "PTX line " + std::to_string(inst.line) + ": " +
                     std::string(code.module->lineText(inst.line));
  if (inst.place.file) {
    auto it = code.module->files.find(inst.place.file);
    text += "\n  from " +
            (it == code.module->files.end() ? std::string("?")
                                            : std::string(it->second)) +
            ":" + std::to_string(inst.place.line) + ":" +
            std::to_string(inst.place.column);
  }
  return text;
}

void coil::cudasim::fault(Warp &w, const Inst &inst, unsigned lane,
                          Result result, const std::string &message) {
  w.stop = true;
  Block &b = *w.block;
  Launch &l = *b.launch;
  std::lock_guard<std::mutex> guard(l.lock);
  if (l.result != Success)
    return;
  l.result = result;
  l.stop = true;
  uint32_t thread = threadOf(w, lane);
  uint32_t id[3] = {thread % l.block[0], thread / l.block[0] % l.block[1],
                    thread / l.block[0] / l.block[1]};
  l.report = message + "\n  in kernel '" + b.code->name + "'";
  if (inst.function)
    l.report += ", function '" + b.code->functions[inst.function] + "'";
  l.report += ", block " + triple(b.id) + " of " + triple(l.grid) +
              ", thread " + triple(id) + " of " + triple(l.block) + "\n  at " +
              place(*b.code, inst);
}

//===----------------------------------------------------------------------===//
// Warps
//===----------------------------------------------------------------------===//

static uint32_t lanesAt(const Warp &w, uint32_t among, uint32_t pc) {
  uint32_t mask = 0;
  for (uint32_t rest = among; rest; rest &= rest - 1) {
    unsigned i = __builtin_ctz(rest);
    mask |= uint32_t(w.pc[i] == pc) << i;
  }
  return mask;
}

static void setPc(Warp &w, uint32_t mask, uint32_t pc) {
  for (uint32_t rest = mask; rest; rest &= rest - 1)
    w.pc[__builtin_ctz(rest)] = pc;
}

/// Executes a Converge for those of `mask` whose partners are all there; the
/// others block. Returns the lanes that went on.
static uint32_t converge(Warp &w, const Inst &inst, uint32_t mask) {
  const uint32_t *members = w.reg<const uint32_t>(inst.e);
  uint32_t done = 0;
  for (uint32_t rest = mask; rest && !w.stop;) {
    unsigned first = __builtin_ctz(rest);
    uint32_t want = members[first], same = 0;
    for (uint32_t r = rest; r; r &= r - 1)
      if (members[__builtin_ctz(r)] == want)
        same |= r & -r;
    rest &= ~same;
    if (same & ~want) {
      fault(w, inst, __builtin_ctz(same & ~want), LaunchFailed,
            "a lane is not in its own member mask");
      return done;
    }
    // Lanes that have exited, or never were, are not waited for.
    if (want & w.alive & ~same) {
      w.blocked |= same;
      continue;
    }
    inst.fn(w, inst, same);
    done |= same;
  }
  return done;
}

static void exitLanes(Warp &w, const Inst &inst, uint32_t mask) {
  w.alive &= ~mask;
  // Those that wait for others see whom they still wait for.
  w.blocked = 0;
  for (uint32_t rest = mask; rest; rest &= rest - 1)
    w.exitLine[__builtin_ctz(rest)] = inst.line;
}

/// Runs a warp until it waits, ends or `quantum` instructions are over.
static void runWarp(Warp &w, uint64_t quantum) {
  const Inst *insts = w.block->code->insts.data();
  uint64_t steps = 0;
  while (!w.stop) {
    uint32_t ready = w.alive & ~w.blocked & ~w.barrier;
    if (!ready)
      break;
    // Choose a group of lanes, and where the next one waits for it.
    uint32_t pc = w.pc[__builtin_ctz(ready)];
    for (uint32_t rest = ready; rest; rest &= rest - 1) {
      uint32_t at = w.pc[__builtin_ctz(rest)];
      pc = w.turn & 1 ? std::max(pc, at) : std::min(pc, at);
    }
    uint32_t mask = lanesAt(w, ready, pc);
    bool diverged = mask != ready;
    uint32_t next = UINT32_MAX;
    if (diverged)
      for (uint32_t rest = ready & ~mask; rest; rest &= rest - 1) {
        uint32_t at = w.pc[__builtin_ctz(rest)];
        if (at > pc)
          next = std::min(next, at);
      }
    unsigned width = __builtin_popcount(mask);
    bool leave = false;
    while (!leave) {
      const Inst &inst = insts[pc];
      uint32_t m = mask;
      if (inst.guard != None) {
        uint32_t p = w.pred(inst.guard);
        m &= inst.guardNot ? ~p : p;
      }
      steps += width;
      switch (inst.kind) {
      case Kind::Plain:
        if (m)
          inst.fn(w, inst, m);
        ++pc;
        leave = w.stop;
        break;
      case Kind::Branch:
        if (m == mask) {
          leave = inst.target <= pc && diverged;
          pc = inst.target;
        } else if (!m) {
          ++pc;
        } else {
          setPc(w, m, inst.target);
          mask &= ~m;
          ++pc;
          leave = true;
        }
        break;
      case Kind::BranchIndex: {
        const uint32_t *index = w.reg<const uint32_t>(inst.a);
        setPc(w, mask, pc + 1);
        for (uint32_t rest = m; rest; rest &= rest - 1) {
          unsigned i = __builtin_ctz(rest);
          if (index[i] >= inst.n) {
            fault(w, inst, i, LaunchFailed,
                  "branch index " + std::to_string(index[i]) + " of " +
                      std::to_string(inst.n));
            break;
          }
          w.pc[i] = inst.v[index[i]];
        }
        mask = 0;
        leave = true;
        break;
      }
      case Kind::Call:
        for (uint32_t rest = m; rest; rest &= rest - 1) {
          unsigned i = __builtin_ctz(rest);
          w.returns[w.depth[i]++][i] = pc + 1;
        }
        setPc(w, m, inst.target);
        setPc(w, mask & ~m, pc + 1);
        mask = 0;
        leave = true;
        break;
      case Kind::Return:
        setPc(w, mask & ~m, pc + 1);
        for (uint32_t rest = m; rest; rest &= rest - 1) {
          unsigned i = __builtin_ctz(rest);
          w.pc[i] = w.returns[--w.depth[i]][i];
        }
        mask = 0;
        leave = true;
        break;
      case Kind::Exit:
        exitLanes(w, inst, m);
        mask &= ~m;
        ++pc;
        leave = true;
        break;
      case Kind::Converge: {
        if (m != mask) {
          setPc(w, mask & ~m, pc + 1);
          mask = m;
          leave = true;
          if (!m)
            break;
        }
        uint32_t joined = lanesAt(w, w.blocked, pc);
        w.blocked &= ~joined;
        setPc(w, mask | joined, pc);
        uint32_t done = converge(w, inst, mask | joined);
        leave |= joined != 0 || done != mask;
        setPc(w, done, pc + 1);
        ++pc;
        if (leave)
          mask = 0;
        leave |= w.stop;
        break;
      }
      case Kind::Barrier:
        setPc(w, m, pc);
        setPc(w, mask & ~m, pc + 1);
        w.barrier |= m;
        mask = 0;
        leave = true;
        break;
      case Kind::Wait:
        if (m)
          inst.fn(w, inst, m);
        leave = w.stop || w.yield;
        if (!w.retry)
          ++pc;
        break;
      }
      if (pc >= next || steps >= quantum)
        leave = true;
    }
    setPc(w, mask, pc);
    if (steps >= quantum) {
      if (diverged)
        ++w.turn;
      break;
    }
    if (w.yield) {
      // Lanes that wait must not keep those away that they wait for.
      if (diverged)
        ++w.turn;
      break;
    }
  }
  w.steps += steps;
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

static void releaseBarrier(Block &b, unsigned number) {
  BarrierState &state = b.barriers[number];
  for (Warp &w : b.warps) {
    uint32_t released = 0;
    for (uint32_t rest = w.arrived; rest; rest &= rest - 1) {
      unsigned i = __builtin_ctz(rest);
      const Inst &inst = b.code->insts[w.pc[i]];
      if (w.reg<const uint32_t>(inst.a)[i] != number)
        continue;
      released |= 1u << i;
      switch (inst.mode & 7) {
      case BarrierPopc:
        w.reg<uint32_t>(inst.d)[i] = state.trueCount;
        break;
      case BarrierAnd:
      case BarrierOr: {
        bool value = inst.mode == BarrierAnd ? state.trueCount == state.total
                                             : state.trueCount != 0;
        uint32_t &p = w.pred(inst.d);
        p = (p & ~(1u << i)) | (uint32_t(value) << i);
        break;
      }
      default:
        break;
      }
      ++w.pc[i];
    }
    w.arrived &= ~released;
    w.barrier &= ~released;
  }
  state = BarrierState();
  b.beginEpoch();
}

/// Counts the lanes of a warp that are at barriers and that nobody counted yet.
/// Returns whether anything changed.
static bool arrive(Block &b, Warp &w) {
  uint32_t waiting = w.barrier & ~w.arrived;
  if (!waiting)
    return false;
  unsigned first = __builtin_ctz(waiting);
  const Inst &inst = b.code->insts[w.pc[first]];
  uint32_t lanes = lanesAt(w, waiting, w.pc[first]);
  bool aligned = !(inst.mode & BarrierUnaligned);
  uint32_t missing = w.present & ~lanes;
  if (aligned && (w.alive & ~lanes)) {
    unsigned other = __builtin_ctz(w.alive & ~lanes);
    fault(w, inst, first, LaunchFailed,
          "divergent barrier: lane " + std::to_string(other) +
              " of the same warp is at PTX line " +
              std::to_string(b.code->insts[w.pc[other]].line));
    return true;
  }
  if (aligned && missing) {
    unsigned other = __builtin_ctz(missing);
    fault(w, inst, first, LaunchFailed,
          "divergent barrier: lane " + std::to_string(other) +
              " of the same warp has exited at PTX line " +
              std::to_string(w.exitLine[other]));
    return true;
  }
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    unsigned i = __builtin_ctz(rest);
    uint32_t number = w.reg<const uint32_t>(inst.a)[i];
    if (number >= 16) {
      fault(w, inst, i, LaunchFailed,
            "barrier " + std::to_string(number) + " of 16");
      return true;
    }
    uint32_t count = inst.b == None ? 0 : w.reg<const uint32_t>(inst.b)[i];
    if (count % Lanes) {
      fault(w, inst, i, LaunchFailed,
            "a barrier for " + std::to_string(count) +
                " threads, which are no whole warps");
      return true;
    }
    BarrierState &state = b.barriers[number];
    uint32_t expected = count ? count : b.threads;
    if (state.inst && state.expected != expected) {
      fault(w, inst, i, LaunchFailed,
            "barrier " + std::to_string(number) + " for " +
                std::to_string(expected) + " threads, but for " +
                std::to_string(state.expected) + " at PTX line " +
                std::to_string(state.inst->line));
      return true;
    }
    state.expected = expected;
    state.inst = &inst;
    ++state.arrived;
    // Barriers count warps: the last one counts as a whole one.
    if (count && (rest & (rest - 1)) == 0 && aligned)
      state.arrived += Lanes - __builtin_popcount(lanes);
    ++state.total;
    if (inst.c != None && (inst.mode & 7) >= BarrierPopc) {
      bool p = w.pred(inst.c) >> i & 1;
      state.trueCount += p != (inst.imm & 1);
    }
  }
  if ((inst.mode & 7) == BarrierArrive) {
    setPc(w, lanes, w.pc[first] + 1);
    w.barrier &= ~lanes;
  } else {
    w.arrived |= lanes;
  }
  for (unsigned i = 0; i < 16; ++i)
    if (b.barriers[i].inst && b.barriers[i].arrived >= b.barriers[i].expected)
      releaseBarrier(b, i);
  return true;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

static void fillConstants(const Code &code, Warp &w) {
  for (const Code::Constant &c : code.constants) {
    switch (c.width) {
    case 0:
      w.pred(c.offset) = static_cast<uint32_t>(c.bits);
      break;
    case 2:
      std::fill_n(w.reg<uint16_t>(c.offset), Lanes,
                  static_cast<uint16_t>(c.bits));
      break;
    case 4:
      std::fill_n(w.reg<uint32_t>(c.offset), Lanes,
                  static_cast<uint32_t>(c.bits));
      break;
    default:
      std::fill_n(w.reg<uint64_t>(c.offset), Lanes, c.bits);
    }
  }
}

static uint64_t specialValue(const std::string &name, const Block &b,
                             const Warp &w, unsigned lane) {
  const Launch &l = *b.launch;
  uint32_t thread = w.index * Lanes + lane;
  uint32_t clusters = b.code->cluster;
  unsigned axis = name.back() - 'x';
  uint64_t result = 0;
  if (name == "%tid.x")
    result = thread % l.block[0];
  else if (name == "%tid.y")
    result = thread / l.block[0] % l.block[1];
  else if (name == "%tid.z")
    result = thread / l.block[0] / l.block[1];
  else if (name.compare(0, 6, "%ntid.") == 0)
    result = l.block[axis];
  else if (name.compare(0, 7, "%ctaid.") == 0)
    result = b.id[axis];
  else if (name.compare(0, 8, "%nctaid.") == 0)
    result = l.grid[axis];
  else if (name == "%laneid")
    result = lane;
  else if (name == "%warpid")
    result = w.index;
  else if (name == "%nwarpid")
    result = b.warps.size();
  else if (name == "%smid")
    result = b.linear % 132;
  else if (name == "%nsmid")
    result = 132;
  else if (name == "%gridid")
    result = l.number;
  else if (name == "%lanemask_eq")
    result = 1u << lane;
  else if (name == "%lanemask_lt")
    result = (1u << lane) - 1;
  else if (name == "%lanemask_le")
    result = (2ull << lane) - 1;
  else if (name == "%lanemask_gt")
    result = ~static_cast<uint32_t>((2ull << lane) - 1);
  else if (name == "%lanemask_ge")
    result = ~((1u << lane) - 1);
  else if (name == "%dynamic_smem_size")
    result = l.dynamicShared;
  else if (name == "%total_smem_size")
    result = b.code->sharedSize + l.dynamicShared;
  else if (name == "%cluster_ctarank" || name == "%cluster_ctaid.x")
    result = b.rank;
  else if (name == "%cluster_nctarank" || name == "%cluster_nctaid.x")
    result = clusters;
  else if (name == "%cluster_nctaid.y" || name == "%cluster_nctaid.z")
    result = 1;
  else if (name == "%clusterid.x")
    result = b.id[0] / clusters;
  else if (name == "%clusterid.y" || name == "%clusterid.z")
    result = b.id[axis];
  else if (name == "%nclusterid.x")
    result = l.grid[0] / clusters;
  else if (name == "%nclusterid.y" || name == "%nclusterid.z")
    result = l.grid[axis];
  else if (name == "%is_explicit_cluster")
    result = clusters > 1;
  else if (name == "%clock" || name == "%clock64" || name == "%globaltimer")
    result = w.steps;
  return result;
}

static void fillSpecials(const Block &b, Warp &w, bool onlyBlock) {
  for (const Code::Special &s : b.code->specials) {
    if (onlyBlock && s.name.compare(0, 5, "%tid.") == 0)
      continue;
    for (unsigned i = 0; i < Lanes; ++i) {
      uint64_t value = specialValue(s.name, b, w, i);
      if (s.width == 8)
        w.reg<uint64_t>(s.offset)[i] = value;
      else if (s.width == 4)
        w.reg<uint32_t>(s.offset)[i] = static_cast<uint32_t>(value);
      else if (i == 0)
        w.pred(s.offset) = value ? UINT32_MAX : 0;
    }
  }
}

/// Makes the parts of a block that do not depend on which one it is.
static void prepareBlock(Launch &l, Block &b) {
  const Code &code = *l.code;
  b.launch = &l;
  b.code = &code;
  b.threads = l.block[0] * l.block[1] * l.block[2];
  unsigned warps = (b.threads + Lanes - 1) / Lanes;
  b.warps.resize(warps);
  b.storage.resize(size_t(code.fileSize) * warps + 64);
  size_t shift = 64 - reinterpret_cast<uintptr_t>(b.storage.data()) % 64;
  b.localStorage.resize(size_t(code.localSize) * Lanes * warps + 16);
  b.sharedSize = SharedBase + code.sharedSize + l.dynamicShared;
  b.sharedStorage.resize(b.sharedSize + 1024);
  b.shared = b.sharedStorage.data() + 1024 -
             reinterpret_cast<uintptr_t>(b.sharedStorage.data()) % 1024;
  if (code.sharedSize + l.dynamicShared &&
      (l.options->raceShared || l.options->uninitializedShared))
    b.sharedShadow.assign(b.sharedSize / l.sharedGranule + 1, Shadow());
  for (unsigned i = 0; i < warps; ++i) {
    Warp &w = b.warps[i];
    w.block = &b;
    w.index = i;
    w.file = b.storage.data() + shift + size_t(code.fileSize) * i;
    w.local = b.localStorage.data() + size_t(code.localSize) * Lanes * i;
    uint32_t left = b.threads - i * Lanes;
    w.present = left >= Lanes ? UINT32_MAX : (1u << left) - 1;
    fillConstants(code, w);
    fillSpecials(b, w, false);
  }
}

static void startBlock(Block &b, uint64_t linear, uint32_t rank) {
  Launch &l = *b.launch;
  const Code &code = *b.code;
  b.linear = linear;
  b.id[0] = static_cast<uint32_t>(linear % l.grid[0]);
  b.id[1] = static_cast<uint32_t>(linear / l.grid[0] % l.grid[1]);
  b.id[2] = static_cast<uint32_t>(linear / l.grid[0] / l.grid[1]);
  b.rank = rank;
  b.epoch = 0;
  b.acquired = 0;
  b.clusterArrivals = 0;
  b.mbarriers.clear();
  b.bulkLoads.clear();
  b.reading.clear();
  b.unfenced.assign(code.storesInBulk ? b.sharedSize / 4 + 1 : 0, 0);
  b.stepsLeft = l.options->stepLimit;
  // Shared memory of the block before must not look initialised.
  if (++b.sequence >> 28) {
    b.sequence = 1;
    std::fill(b.sharedShadow.begin(), b.sharedShadow.end(), Shadow());
  }
  memset(b.shared, 0xCD, b.sharedSize);
  b.copying.clear();
  for (BarrierState &state : b.barriers)
    state = BarrierState();
  for (Warp &w : b.warps) {
    w.alive = w.present;
    w.blocked = w.barrier = w.arrived = 0;
    w.stop = w.yield = w.retry = false;
    w.turn = 0;
    w.syncs = w.clusterArrivals = 0;
    w.copies.clear();
    memset(w.copyGroups, 0, sizeof(w.copyGroups));
    w.bulkStores.clear();
    memset(w.bulkGroups, 0, sizeof(w.bulkGroups));
    w.waitsAt = nullptr;
    memset(w.pc, 0, sizeof(w.pc));
    memset(w.depth, 0, sizeof(w.depth));
    fillSpecials(b, w, true);
    memset(w.file + code.resetBegin, 0xC5, code.resetEnd - code.resetBegin);
    memset(w.local, 0xC5, size_t(code.localSize) * Lanes);
  }
}

/// Explains why no thread of a block can go on.
static void deadlock(Block &b) {
  for (Warp &w : b.warps) {
    if (!w.blocked)
      continue;
    unsigned lane = __builtin_ctz(w.blocked);
    const Inst &inst = b.code->insts[w.pc[lane]];
    uint32_t want = w.reg<const uint32_t>(inst.e)[lane];
    uint32_t missing = want & w.alive & ~lanesAt(w, w.blocked, w.pc[lane]);
    unsigned other = missing ? __builtin_ctz(missing) : 0;
    return fault(w, inst, lane, LaunchFailed,
                 "an instruction of a warp lacks lanes of its member mask: "
                 "lane " +
                     std::to_string(other) + " is at PTX line " +
                     std::to_string(b.code->insts[w.pc[other]].line));
  }
  for (Warp &w : b.warps) {
    if (!w.barrier)
      continue;
    unsigned lane = __builtin_ctz(w.barrier);
    const Inst &inst = b.code->insts[w.pc[lane]];
    uint32_t number = w.reg<const uint32_t>(inst.a)[lane];
    const BarrierState &state = b.barriers[number & 15];
    std::string text = "divergent barrier: " + std::to_string(state.arrived) +
                       " of " + std::to_string(state.expected) +
                       " threads reach it";
    for (Warp &other : b.warps) {
      if (uint32_t gone = other.present & ~other.alive)
        return fault(w, inst, lane, LaunchFailed,
                     text + "; thread " +
                         std::to_string(threadOf(other, __builtin_ctz(gone))) +
                         " has exited at PTX line " +
                         std::to_string(other.exitLine[__builtin_ctz(gone)]));
      if (other.alive && w.pc[lane] != other.pc[__builtin_ctz(other.alive)])
        text += "; thread " +
                std::to_string(threadOf(other, __builtin_ctz(other.alive))) +
                " is at PTX line " +
                std::to_string(
                    b.code->insts[other.pc[__builtin_ctz(other.alive)]].line);
    }
    return fault(w, inst, lane, LaunchFailed, text);
  }
}

/// Lets every warp of a block run for a while. `idle` says that all they did
/// was to wait. Returns whether any thread is left.
static bool runBlock(Block &b, bool &idle) {
  constexpr uint64_t quantum = 1 << 19;
  bool alive = false, changed = false;
  uint64_t progress = b.progress;
  for (Warp &w : b.warps) {
    if (w.alive & ~w.blocked & ~w.barrier) {
      uint64_t before = w.steps;
      w.yield = w.retry = false;
      runWarp(w, quantum);
      uint64_t steps = w.steps - before;
      if (w.stop)
        return false;
      idle &= w.yield && steps < 64 * Lanes;
      changed = true;
      if (steps > b.stepsLeft) {
        unsigned lane = w.alive ? __builtin_ctz(w.alive) : 0;
        fault(w, b.code->insts[w.pc[lane]], lane, Timeout,
              "a block executed more than " +
                  std::to_string(b.launch->options->stepLimit) +
                  " instructions");
        return false;
      }
      b.stepsLeft -= steps;
    }
    if (!(w.alive & ~w.blocked & ~w.barrier) && !w.blocked && arrive(b, w)) {
      if (w.stop)
        return false;
      changed = true;
      idle = false;
    }
    alive |= w.alive != 0;
  }
  idle &= b.progress == progress;
  if (alive && !changed && !b.launch->stop) {
    deadlock(b);
    return false;
  }
  return alive;
}

/// Explains why the threads of a cluster only wait.
static void standstill(std::vector<std::unique_ptr<Block>> &blocks) {
  for (auto &b : blocks)
    for (Warp &w : b->warps)
      if (w.alive && w.waitsAt)
        return fault(w, *w.waitsAt, __builtin_ctz(w.alive), Timeout,
                     "every thread waits for another: " +
                         describeWait(*b, w.waitsFor));
  for (auto &b : blocks)
    for (Warp &w : b->warps)
      if (w.alive) {
        unsigned lane = __builtin_ctz(w.alive);
        return fault(w, b->code->insts[w.pc[lane]], lane, Timeout,
                     "every thread waits for another");
      }
}

/// How many blocks run in turns: those of a cluster, or all of a cooperative
/// launch.
static uint32_t getGroupSize(const Launch &l) {
  return l.isCooperative ? l.grid[0] * l.grid[1] * l.grid[2] : l.code->cluster;
}

static void runGroups(Launch &l, std::atomic<uint64_t> &nextGroup,
                      uint64_t groups) {
  uint32_t size = getGroupSize(l), cluster = l.code->cluster;
  std::vector<std::unique_ptr<Block>> blocks;
  std::vector<std::vector<Block *>> clusters(size / cluster);
  for (uint32_t i = 0; i < size; ++i) {
    blocks.push_back(std::make_unique<Block>());
    clusters[i / cluster].push_back(blocks.back().get());
    blocks.back()->cluster = &clusters[i / cluster];
    prepareBlock(l, *blocks.back());
  }
  uint64_t steps = 0;
  while (!l.stop) {
    uint64_t group = nextGroup++;
    if (group >= groups)
      break;
    for (uint32_t i = 0; i < size; ++i)
      startBlock(*blocks[i], group * size + i, i % cluster);
    bool alive = true;
    for (unsigned idleRounds = 0; alive && !l.stop;) {
      alive = false;
      bool idle = true;
      for (uint32_t i = 0; i < size; ++i)
        alive |= runBlock(*blocks[i], idle);
      idleRounds = idle ? idleRounds + 1 : 0;
      if (alive && idleRounds > 1000 && !l.stop)
        standstill(blocks);
    }
    for (uint32_t i = 0; i < size && !l.stop; ++i)
      endBulkCopies(*blocks[i]);
  }
  for (auto &b : blocks)
    for (Warp &w : b->warps)
      steps += w.steps;
  l.steps += steps;
}

void coil::cudasim::execute(Launch &l) {
  uint64_t blocks = uint64_t(l.grid[0]) * l.grid[1] * l.grid[2];
  uint64_t groups = blocks / getGroupSize(l);
  if (l.code->publishes)
    l.releases.reset(new BlockRelease[blocks]);
  l.globalGranule = l.code->globalGranule;
  l.sharedGranule = l.code->sharedGranule;
  std::atomic<uint64_t> next{0};
  unsigned threads = l.options->threads
                         ? l.options->threads
                         : std::max(1u, std::thread::hardware_concurrency());
  uint64_t work = blocks * l.block[0] * l.block[1] * l.block[2];
  if (l.options->deterministic || l.code->ordered || work < 8192)
    threads = 1;
  threads = static_cast<unsigned>(std::min<uint64_t>(threads, groups));
  std::vector<std::thread> helpers;
  for (unsigned i = 1; i < threads; ++i)
    helpers.emplace_back([&] { runGroups(l, next, groups); });
  runGroups(l, next, groups);
  for (std::thread &t : helpers)
    t.join();
}
