//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks of memory accesses: bounds, alignment, initialisation and races.
//
//===----------------------------------------------------------------------===//

#include "Access.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>

using namespace coil::cudasim;
using ptx::Space;

//===----------------------------------------------------------------------===//
// Bounds and alignment
//===----------------------------------------------------------------------===//

static const char *spaceName(Space space) {
  switch (space) {
  case Space::Generic:
    return "generic ";
  case Space::Global:
    return "global ";
  case Space::Shared:
    return "shared ";
  case Space::Local:
    return "local ";
  case Space::Const:
    return "const ";
  case Space::Param:
    return "param ";
  }
  return "";
}

static std::string describeAccess(Space space, unsigned bytes, Use use) {
  const char *what = use == Use::Atomic ? "atomic access to "
                     : writes(use)      ? "store to "
                                        : "load from ";
  return std::to_string(bytes) + "-byte " + what + spaceName(space) + "memory";
}

static std::string hex(uint64_t value) {
  char text[24];
  snprintf(text, sizeof(text), "0x%llx",
           static_cast<unsigned long long>(value));
  return text;
}

bool coil::cudasim::resolve(Warp &w, const Inst &inst, unsigned lane,
                            Space space, uint64_t address, unsigned bytes,
                            Use use, Target &t) {
  Block &b = *w.block;
  auto fail = [&](Result result, const std::string &message) {
    fault(w, inst, lane, result, message);
    return false;
  };
  Space given = space;
  uint64_t offset = address;
  if (space == Space::Generic) {
    uint64_t window = address & (7ull << 60);
    offset = address & ~(7ull << 60);
    space = window == SharedWindow  ? Space::Shared
            : window == LocalWindow ? Space::Local
            : window == ParamWindow ? Space::Param
                                    : Space::Global;
  }
  if (address & (bytes - 1))
    return fail(MisalignedAddress, "misaligned " +
                                       describeAccess(given, bytes, use) +
                                       ": address " + hex(address));
  switch (space) {
  case Space::Shared: {
    t.owner = &b;
    if (offset >> ClusterShift && offset >> ClusterShift <= b.cluster->size()) {
      t.owner = (*b.cluster)[(offset >> ClusterShift) - 1];
      offset &= (1u << ClusterShift) - 1;
    }
    if (offset < SharedBase || offset + bytes > b.sharedSize)
      return fail(
          IllegalAddress,
          describeAccess(given, bytes, use) + " out of bounds: offset " +
              std::to_string(static_cast<int64_t>(offset) - SharedBase) +
              " of " + std::to_string(b.sharedSize - SharedBase) + " bytes");
    t.host = t.owner->shared + offset;
    t.offset = offset;
    t.isShared = true;
    t.allocation = nullptr;
    return true;
  }
  case Space::Local: {
    uint32_t size = b.code->localSize;
    if (offset >= size || size - offset < bytes)
      return fail(IllegalAddress, describeAccess(given, bytes, use) +
                                      " out of bounds: offset " +
                                      std::to_string(offset) + " of " +
                                      std::to_string(size) + " bytes");
    t.host = w.local + size_t(lane) * size + offset;
    t.allocation = nullptr;
    t.isShared = false;
    return true;
  }
  case Space::Param: {
    const std::vector<uint8_t> &params = b.launch->params;
    if (offset >= params.size() || params.size() - offset < bytes)
      return fail(IllegalAddress, describeAccess(given, bytes, use) +
                                      " out of bounds: offset " +
                                      std::to_string(offset) + " of " +
                                      std::to_string(params.size()) + " bytes");
    if (writes(use))
      return fail(IllegalAddress, "the kernel writes its parameters");
    t.host = const_cast<uint8_t *>(params.data()) + offset;
    t.allocation = nullptr;
    t.isShared = false;
    return true;
  }
  default:
    break;
  }
  Allocation *a = t.allocation;
  // The lane before mostly went to the same allocation.
  if (!a || address < a->base || address - a->base >= a->size ||
      a->size - (address - a->base) < bytes)
    a = b.launch->memory->findRange(address, bytes);
  if (!a) {
    std::string what = b.launch->memory->describe(address);
    if (address >> 60 && given == Space::Global)
      what = "generic address " + hex(address) + " of another space";
    return fail(IllegalAddress, describeAccess(given, bytes, use) +
                                    " outside every allocation: " + what);
  }
  if (a->device != b.launch->device && !a->isHost)
    return fail(IllegalAddress, describeAccess(given, bytes, use) +
                                    " to memory of device " +
                                    std::to_string(a->device) + " on device " +
                                    std::to_string(b.launch->device) + ": " +
                                    b.launch->memory->describe(address));
  if (a->constant && writes(use))
    return fail(IllegalAddress,
                "the kernel writes the constant '" + a->name + "'");
  t.allocation = a;
  t.offset = address - a->base;
  t.host = a->host + t.offset;
  t.isShared = false;
  return true;
}

//===----------------------------------------------------------------------===//
// Races
//===----------------------------------------------------------------------===//

namespace {

constexpr unsigned LaunchShift = 54, BlockShift = 36, EpochShift = 24,
                   SyncShift = 13, SeveralShift = 11;
constexpr Access AtomicFlag = 1ull << 10;
/// Who read, or was atomic, beside the thread that the access names.
constexpr Access SeveralLanes = 1ull << SeveralShift,
                 SeveralWarps = 2ull << SeveralShift,
                 SeveralBlocks = 3ull << SeveralShift;

Access globalKey(const Warp &w, unsigned lane) {
  const Block &b = *w.block;
  return (Access(b.launch->number & 0x3FF) << LaunchShift) |
         (Access(b.linear & 0x3FFFF) << BlockShift) |
         (Access(b.epoch & 0xFFF) << EpochShift) |
         (Access(w.syncs & 0x7FF) << SyncShift) | threadOf(w, lane);
}

/// In shared memory the number of the block takes the place of the launch.
Access sharedKey(const Warp &w, const Block &owner, unsigned lane) {
  return (owner.sequence << BlockShift) |
         (Access(w.block->epoch & 0xFFF) << EpochShift) |
         (Access(w.syncs & 0x7FF) << SyncShift) | threadOf(w, lane);
}

bool isStale(Access old, Access me, bool isShared) {
  return (old ^ me) >> (isShared ? BlockShift : LaunchShift) || !old;
}

bool sameBlock(Access old, Access me) {
  return ((old ^ me) >> BlockShift & 0x3FFFF) == 0;
}

/// Whether an access of another block of a cooperative launch, in `epoch` of
/// it, happened before what `b` does now. `thread`: that alone did it.
bool isPublished(const Block &b, uint32_t block, uint32_t epoch,
                 std::optional<uint32_t> thread) {
  const std::vector<BlockRelease::Step> &steps =
      b.launch->releases[block].steps;
  return std::any_of(steps.begin(), steps.end(), [&](const auto &step) {
    uint32_t published = step.epoch & 0xFFF;
    return step.time <= b.acquired &&
           (epoch < published || (epoch == published && thread &&
                                  (step.several || *thread == step.thread)));
  });
}

/// Whether all that several blocks of a cooperative launch did with a granule
/// happened before what `b` does now.
bool areAllPublished(const Block &b, const Shadow &s) {
  auto it = b.launch->accesses.find(&s);
  if (it == b.launch->accesses.end())
    return false;
  for (uint32_t block = 0; block < it->second.size(); ++block) {
    uint32_t epoch = it->second[block];
    if (epoch == Launch::noEpoch)
      continue;
    if (block == b.linear ? epoch == (b.epoch & 0xFFF)
                          : !isPublished(b, block, epoch, std::nullopt))
      return false;
  }
  return true;
}

/// Notes that a block of a cooperative launch accessed a granule.
void noteBlock(Launch &l, const Shadow &s, Access access) {
  std::vector<uint16_t> &epochs = l.accesses[&s];
  if (epochs.empty())
    epochs.assign(size_t(l.grid[0]) * l.grid[1] * l.grid[2], Launch::noEpoch);
  epochs[access >> BlockShift & 0x3FFFF] =
      static_cast<uint16_t>(access >> EpochShift & 0xFFF);
}

/// Whether `old`, of the same launch, happened before `me` does.
bool isOrdered(const Block &b, const Shadow &s, Access old, Access me,
               bool isShared) {
  Access several = old & SeveralBlocks;
  Access x = old ^ me;
  if (!isShared && b.launch->isCooperative && b.launch->releases) {
    if (several == SeveralBlocks)
      return areAllPublished(b, s);
    if (!sameBlock(old, me))
      return isPublished(
          b, old >> BlockShift & 0x3FFFF, old >> EpochShift & 0xFFF,
          several ? std::nullopt : std::optional<uint32_t>(old & 0x3FF));
  }
  if (several == SeveralBlocks)
    return false;
  if (!sameBlock(old, me)) {
    if (!b.launch->releases || several)
      return false;
    const BlockRelease &r = b.launch->releases[old >> BlockShift & 0x3FFFF];
    uint64_t time = r.time.load(std::memory_order_acquire);
    uint64_t epoch = old >> EpochShift & 0xFFF;
    return time && time <= b.acquired &&
           (epoch < (r.epoch & 0xFFF) || r.several ||
            (old & 0x3FF) == r.thread);
  }
  if (x >> EpochShift & 0xFFF)
    return true;
  if (!several && !(x & 0x3FF))
    return true;
  return several <= SeveralLanes && !(x & 0x3E0) && (x >> SyncShift & 0x7FF);
}

/// What remains known of `old` and `me` together.
Access merge(const Block &b, const Shadow &s, Access old, Access me,
             bool isShared) {
  if (isStale(old, me, isShared))
    return me;
  Access several = old & SeveralBlocks, x = old ^ me;
  if (several == SeveralBlocks || !sameBlock(old, me)) {
    if (!isShared && b.launch->isCooperative) {
      if (several != SeveralBlocks)
        noteBlock(*b.launch, s, old);
      noteBlock(*b.launch, s, me);
    }
    return me | SeveralBlocks;
  }
  if (x >> EpochShift & 0xFFF)
    return me;
  if (!several && !(x & 0x3FF))
    return me;
  if (several <= SeveralLanes && !(x & 0x3E0))
    return me | SeveralLanes;
  return me | SeveralWarps;
}

std::string who(const Block &b, Access old, Access me) {
  Access several = old & SeveralBlocks;
  std::string text =
      several ? "several threads, among them thread " : "thread ";
  text += std::to_string(old & 0x3FF);
  if (several == SeveralBlocks && b.launch->isCooperative)
    text += " of several blocks";
  else if (!sameBlock(old, me))
    text += " of block " + std::to_string(old >> BlockShift & 0x3FFFF);
  else
    text += " of the same block";
  return text;
}

std::string whereIs(Warp &w, const Target &t) {
  if (t.isShared)
    return describeShared(t.offset);
  return w.block->launch->memory->describe(t.allocation->base + t.offset);
}

bool race(Warp &w, const Inst &inst, unsigned lane, const Target &t,
          const char *mine, const char *other, Access old, Access me) {
  fault(w, inst, lane, LaunchFailed,
        std::string("race: ") + mine + " of " + whereIs(w, t) + ", which " +
            who(*w.block, old, me) + " " + other + " without order in between");
  return false;
}

/// Checks an access of one granule and records it.
bool recordGranule(Warp &w, const Inst &inst, unsigned lane, const Target &t,
                   Shadow &s, Access me, Use use, bool differs) {
  const Block &b = *w.block;
  bool isShared = t.isShared;
  Access write = s.write;
  bool writeLives = !isStale(write, me, isShared);
  bool isAtomic =
      use == Use::Atomic || use == Use::StrongLoad || use == Use::StrongStore;
  Access read = s.read;
  bool readLives = !isStale(read, me, isShared);
  if (!writes(use)) {
    if (writeLives) {
      if (use == Use::ReadOnly)
        return race(w, inst, lane, t, "a non-coherent load", "writes", write,
                    me);
      if (!(isAtomic && (write & AtomicFlag)) &&
          !isOrdered(b, s, write, me, isShared))
        return race(w, inst, lane, t, "a load",
                    write & AtomicFlag ? "changes atomically" : "writes", write,
                    me);
    }
    bool strongOnly = isAtomic && (!readLives || (read & AtomicFlag));
    s.read =
        use == Use::ReadOnly
            ? (me | SeveralBlocks)
            : (merge(b, s, read, me, isShared) | (strongOnly ? AtomicFlag : 0));
    return true;
  }
  const char *mine = use == Use::Atomic ? "an atomic access" : "a store";
  if (writeLives && !(isAtomic && (write & AtomicFlag)) &&
      !isOrdered(b, s, write, me, isShared) && (isAtomic || differs))
    return race(w, inst, lane, t, mine,
                write & AtomicFlag ? "changes atomically" : "writes", write,
                me);
  if (readLives && !(isAtomic && (read & AtomicFlag)) &&
      !isOrdered(b, s, read, me, isShared))
    return race(w, inst, lane, t, mine, "reads", read, me);
  if (isAtomic)
    s.write =
        (writeLives && (write & AtomicFlag) ? merge(b, s, write, me, isShared)
                                            : me) |
        AtomicFlag;
  else
    s.write = me;
  return true;
}

/// Whether a load reads something. A compiler may widen loads inside aligned
/// vectors, so bytes that nobody wrote beside others are no error.
bool anyWritten(const uint8_t *flags, unsigned bytes) {
  return *flags || memchr(flags, 1, bytes);
}

} // namespace

void Block::beginEpoch() {
  constexpr Access mask = 0xFFF;
  if (++epoch & mask)
    return;
  // Numbers come again: those of accesses to shared memory become that of the
  // epoch before, so that no old one passes for one of now.
  for (Shadow &s : sharedShadow)
    for (Access *access : {&s.write, &s.read})
      if (*access)
        *access |= mask << EpochShift;
}

std::string coil::cudasim::describeShared(uint64_t offset) {
  return "offset " + std::to_string(offset - SharedBase) + " of shared memory";
}

void coil::cudasim::markWritten(Block &owner, uint32_t thread, uint32_t offset,
                                unsigned bytes) {
  if (owner.sharedShadow.empty())
    return;
  unsigned granule = owner.launch->sharedGranule;
  Access me = (owner.sequence << BlockShift) |
              (Access(owner.epoch & 0xFFF) << EpochShift) | thread;
  for (unsigned i = 0; i < bytes; i += granule)
    owner.sharedShadow[(offset + i) / granule].write = me;
}

/// Whether nobody reads `granule` bytes of an access from byte `i` on: another
/// thread may write them meanwhile.
static bool isUnread(const Inst &inst, unsigned i, unsigned granule,
                     unsigned bytes, Use use) {
  uint64_t all = (uint64_t(1) << granule) - 1;
  return use == Use::Load && inst.unread &&
         bytes == unsigned(inst.width) * inst.n &&
         (uint64_t(inst.unread) >> i & all) == all;
}

bool coil::cudasim::record(Warp &w, const Inst &inst, unsigned lane,
                           const Target &t, unsigned bytes, Use use,
                           const uint8_t *data) {
  const Launch &l = *w.block->launch;
  bool reads = use != Use::Store && use != Use::StrongStore;
  if (t.isShared) {
    if (!t.owner->copying.empty() &&
        anyWritten(&t.owner->copying[t.offset / 4], (bytes + 3) / 4)) {
      fault(w, inst, lane, LaunchFailed,
            "an asynchronous copy of " + whereIs(w, t) +
                " is under way: its thread has not waited for it");
      return false;
    }
    if (writes(use)) {
      size_t first = t.offset / 4, last = (t.offset + bytes - 1) / 4;
      for (size_t i = first; !t.owner->reading.empty() && i <= last; ++i)
        if (t.owner->reading[i]) {
          fault(
              w, inst, lane, LaunchFailed,
              "a bulk copy of " + whereIs(w, t) +
                  " is under way: its thread has not waited until it is read");
          return false;
        }
      if (!t.owner->unfenced.empty())
        std::fill(t.owner->unfenced.begin() + first,
                  t.owner->unfenced.begin() + last + 1,
                  (w.block->epoch & 0xFFF) << 11 | (threadOf(w, lane) + 1));
    }
    if (t.owner->sharedShadow.empty())
      return true;
    unsigned granule = l.sharedGranule;
    Access me = sharedKey(w, *t.owner, lane);
    Shadow *s = &t.owner->sharedShadow[t.offset / granule];
    for (unsigned i = 0; i < bytes; i += granule, ++s) {
      if (isUnread(inst, i, granule, bytes, use))
        continue;
      if (reads && l.options->uninitializedShared &&
          isStale(s->write, me, true)) {
        fault(w, inst, lane, LaunchFailed,
              "read of shared memory that nobody wrote: offset " +
                  std::to_string(t.offset + i - SharedBase));
        return false;
      }
      if (l.options->raceShared) {
        bool differs = data && memcmp(data + i, t.host + i, granule) != 0;
        if (!recordGranule(w, inst, lane, t, *s, me, use, differs))
          return false;
      } else if (writes(use)) {
        s->write = me;
      }
    }
    return true;
  }
  Allocation *a = t.allocation;
  if (!a)
    return true;
  if (a->written) {
    if (reads && l.options->uninitializedGlobal &&
        !anyWritten(a->written + t.offset, bytes)) {
      fault(w, inst, lane, LaunchFailed,
            "read of global memory that nobody wrote: " + whereIs(w, t));
      return false;
    }
    if (writes(use))
      memset(a->written + t.offset, 1, bytes);
  }
  if (!l.options->raceGlobal)
    return true;
  unsigned granule = l.globalGranule;
  Access me = globalKey(w, lane);
  Shadow *s = a->getShadow() + t.offset / granule;
  for (unsigned i = 0; i < bytes; i += granule, ++s) {
    if (isUnread(inst, i, granule, bytes, use))
      continue;
    bool differs = data && memcmp(data + i, t.host + i, granule) != 0;
    if (!recordGranule(w, inst, lane, t, *s, me, use, differs))
      return false;
  }
  return true;
}

bool coil::cudasim::readGlobal(Warp &w, const Inst &inst, unsigned lane,
                               uint64_t from, unsigned bytes, uint8_t *data) {
  for (unsigned at = 0; at < bytes;) {
    unsigned piece = 16;
    while (piece > bytes - at || (from + at) % piece)
      piece /= 2;
    Target t;
    if (!resolve(w, inst, lane, Space::Global, from + at, piece, Use::Load,
                 t) ||
        !record(w, inst, lane, t, piece, Use::Load, nullptr))
      return false;
    memcpy(data + at, t.host, piece);
    at += piece;
  }
  return true;
}

void coil::cudasim::finishCopies(Warp &w, uint32_t mask, int64_t groups) {
  Block &b = *w.block;
  size_t kept = 0;
  for (AsyncCopy &copy : w.copies) {
    bool done =
        mask >> copy.lane & 1 &&
        (groups < 0 || static_cast<int64_t>(copy.group) + groups <
                           static_cast<int64_t>(w.copyGroups[copy.lane]));
    if (!done) {
      w.copies[kept++] = copy;
      continue;
    }
    memcpy(b.shared + copy.offset, copy.data, copy.bytes);
    std::fill_n(b.copying.begin() + copy.offset / 4, copy.bytes / 4, 0);
    if (b.sharedShadow.empty())
      continue;
    // Written now, by the thread that waited.
    unsigned granule = b.launch->sharedGranule;
    Access me = sharedKey(w, b, copy.lane);
    for (unsigned i = 0; i < copy.bytes; i += granule)
      b.sharedShadow[(copy.offset + i) / granule].write = me;
  }
  w.copies.resize(kept);
}

//===----------------------------------------------------------------------===//
// Order between blocks
//===----------------------------------------------------------------------===//

void coil::cudasim::publish(Warp &w, uint32_t mask) {
  Block &b = *w.block;
  Launch &l = *b.launch;
  if (!l.releases)
    return;
  BlockRelease &r = l.releases[b.linear];
  uint32_t thread = threadOf(w, __builtin_ctz(mask));
  bool again = r.time && r.epoch == b.epoch;
  r.several =
      (again && (r.several || r.thread != thread)) || (mask & (mask - 1)) != 0;
  r.thread = thread;
  r.epoch = b.epoch;
  r.time.store(++l.releaseClock, std::memory_order_release);
  if (l.isCooperative)
    r.steps.push_back({r.time, r.epoch, r.thread, r.several});
}

void coil::cudasim::acquire(Warp &w) {
  Block &b = *w.block;
  b.acquired = b.launch->releaseClock.load(std::memory_order_acquire);
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

Space coil::cudasim::takeSpace(Lowering &l) {
  if (l.take("global"))
    return Space::Global;
  if (l.take("shared") || l.take("shared::cta") || l.take("shared::cluster"))
    return Space::Shared;
  if (l.take("local"))
    return Space::Local;
  if (l.take("const"))
    return Space::Const;
  if (l.take("param") || l.take("param::entry"))
    return l.inEntry() ? Space::Param : Space::Local;
  if (l.take("param::func"))
    return Space::Local;
  return Space::Generic;
}

void coil::cudasim::noteWidth(Lowering &l, Space space, unsigned bytes) {
  Code &code = l.getCode();
  if (space == Space::Shared || space == Space::Generic)
    code.sharedGranule = std::min(code.sharedGranule, bytes);
  if (space == Space::Global || space == Space::Generic ||
      space == Space::Const)
    code.globalGranule = std::min(code.globalGranule, bytes);
}

Ordering coil::cudasim::takeOrdering(Lowering &l) {
  Ordering o;
  if (l.take("weak"))
    return o;
  if (l.take("volatile") || l.take("mmio"))
    o.strong = true;
  if (l.take("relaxed"))
    o.strong = true;
  if (l.take("acquire"))
    o.strong = o.acquire = true;
  if (l.take("release"))
    o.strong = o.release = true;
  if (l.take("acq_rel"))
    o.strong = o.acquire = o.release = true;
  if (l.take("cta"))
    o.device = false;
  l.takeOneOf({"gpu", "sys", "cluster"});
  return o;
}
