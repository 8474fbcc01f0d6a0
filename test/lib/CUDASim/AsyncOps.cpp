//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cp.async: copies from global to shared memory that are done when a thread
// has waited for them, and not before. Until then nobody may touch the bytes.
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "Bulk.h"
#include "Lanes.h"

#include <algorithm>

using namespace coil::cudasim;
using ptx::Space;

namespace {

constexpr uint8_t NarrowTo = 1, NarrowFrom = 2;

/// inst: width bytes to a + imm in shared memory, from b + e, of which c, if it
/// is there, says how many are read.
void copyAsync(Warp &w, const Inst &inst, uint32_t mask) {
  Block &b = *w.block;
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
    uint64_t from =
        (inst.mode & NarrowFrom ? w.reg<const uint32_t>(inst.b)[lane]
                                : w.reg<const uint64_t>(inst.b)[lane]) +
        w.reg<const uint64_t>(inst.e)[lane];
    unsigned bytes = inst.width;
    if (inst.c != None)
      bytes = w.reg<const uint32_t>(inst.c)[lane];
    if (bytes > inst.width)
      return fault(w, inst, lane, LaunchFailed,
                   "an asynchronous copy of " + std::to_string(bytes) +
                       " bytes to " + std::to_string(inst.width));
    if (bytes && from % inst.width)
      return fault(w, inst, lane, MisalignedAddress,
                   "misaligned source of an asynchronous copy of " +
                       std::to_string(inst.width) + " bytes");
    Target to;
    if (!resolve(w, inst, lane, Space::Shared,
                 laneAddress(w, inst, lane, inst.mode & NarrowTo), inst.width,
                 Use::Store, to))
      return;
    AsyncCopy copy;
    copy.lane = static_cast<uint8_t>(lane);
    copy.bytes = inst.width;
    copy.offset = static_cast<uint32_t>(to.offset);
    copy.group = w.copyGroups[lane];
    memset(copy.data, 0, sizeof(copy.data));
    if (!readGlobal(w, inst, lane, from, bytes, copy.data))
      return;
    // Who used the bytes before must be done with them. Bytes that seem to
    // change are never harmless.
    uint8_t other[16];
    for (unsigned i = 0; i < inst.width; ++i)
      other[i] = static_cast<uint8_t>(~to.host[i]);
    if (!record(w, inst, lane, to, inst.width, Use::Store, other))
      return;
    if (b.copying.empty())
      b.copying.resize(b.sharedSize / 4 + 1);
    std::fill_n(b.copying.begin() + copy.offset / 4, inst.width / 4, 1);
    memset(to.host, 0xA5, inst.width);
    w.copies.push_back(copy);
  }
}

bool lowerCpAsync(Lowering &l) {
  Inst &inst = l.inst;
  if (!l.take("async"))
    return false;
  if (l.take("bulk"))
    return lowerBulkCopy(l);
  if (l.take("commit_group")) {
    inst.fn = [](Warp &w, const Inst &, uint32_t mask) {
      for (uint32_t rest = mask; rest; rest &= rest - 1)
        ++w.copyGroups[__builtin_ctz(rest)];
    };
    return l.operands(0);
  }
  bool all = l.take("wait_all");
  if (all || l.take("wait_group")) {
    if (!l.operands(all ? 0 : 1))
      return false;
    inst.imm = all ? -1 : l.op(0).value;
    inst.fn = [](Warp &w, const Inst &inst, uint32_t mask) {
      finishCopies(w, mask, inst.imm);
    };
    return true;
  }
  bool wide = l.takeOneOf({"ca", "cg"}) == "cg";
  bool toShared = l.take("shared") || l.take("shared::cta");
  if (!toShared || !l.take("global"))
    return l.fail("only copies from global to shared memory are supported");
  l.takeOneOf({"L2::64B", "L2::128B", "L2::256B"});
  if (!l.operands(3, 4))
    return false;
  int64_t bytes = l.op(2).value;
  if (bytes != 16 && (wide || (bytes != 4 && bytes != 8)))
    return l.fail("there are no copies of this size");
  bool narrowTo, narrowFrom;
  int64_t offset;
  if (!l.address(l.op(0), inst.a, inst.imm, narrowTo) ||
      !l.address(l.op(1), inst.b, offset, narrowFrom))
    return false;
  inst.width = static_cast<uint8_t>(bytes);
  inst.mode = static_cast<uint8_t>((narrowTo ? NarrowTo : 0) |
                                   (narrowFrom ? NarrowFrom : 0));
  inst.e = l.constant(8, static_cast<uint64_t>(offset));
  if (l.s->operands.size() == 4)
    inst.c = l.src(3, Ty::B32);
  noteWidth(l, Space::Shared, static_cast<unsigned>(bytes));
  // A part of the source may be read.
  noteWidth(l, Space::Global,
            inst.c == None ? static_cast<unsigned>(bytes) : 1);
  inst.fn = copyAsync;
  return true;
}

} // namespace

void coil::cudasim::registerAsyncOps(Registry &r) { r["cp"] = lowerCpAsync; }
