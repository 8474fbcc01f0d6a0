//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mov, cvta, isspacep, mapa, ld, st and prefetches.
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "Lanes.h"

using namespace coil::cudasim;
using ptx::Operand;
using ptx::Space;

//===----------------------------------------------------------------------===//
// mov, cvta, isspacep
//===----------------------------------------------------------------------===//

template <class T>
static void copy(Warp &w, const Inst &inst, uint32_t mask) {
  const T *a = w.reg<const T>(inst.a);
  mapLanes<T>(w, inst.d, mask, [=](unsigned i) { return a[i]; });
}

static void movePred(Warp &w, const Inst &inst, uint32_t mask) {
  setPred(w, inst.d, mask, w.pred(inst.a));
}

/// d = {v...}
template <class D, class S>
static void pack(Warp &w, const Inst &inst, uint32_t mask) {
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned i = __builtin_ctz(rest);
    D bits = 0;
    for (unsigned j = 0; j < inst.n; ++j)
      bits |= D(w.reg<const S>(inst.v[j])[i]) << (8 * sizeof(S) * j);
    w.reg<D>(inst.d)[i] = bits;
  }
}

/// {v...} = a
template <class D, class S>
static void unpack(Warp &w, const Inst &inst, uint32_t mask) {
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned i = __builtin_ctz(rest);
    S bits = w.reg<const S>(inst.a)[i];
    for (unsigned j = 0; j < inst.n; ++j)
      w.reg<D>(inst.v[j])[i] = static_cast<D>(bits >> (8 * sizeof(D) * j));
  }
}

static Handler copyOf(unsigned width) {
  return width == 2   ? copy<uint16_t>
         : width == 4 ? copy<uint32_t>
                      : copy<uint64_t>;
}

static bool lowerMov(Lowering &l) {
  Ty type = l.takeType();
  if (type == Ty::None || !l.operands(2))
    return false;
  if (type == Ty::Pred) {
    l.inst.fn = movePred;
    l.inst.d = l.predDst(l.op(0).name);
    l.inst.a = l.predSrc(l.op(1));
    return true;
  }
  unsigned width = widthOf(type);
  auto list = [&](const Operand &o, bool write) {
    std::vector<uint32_t> regs;
    unsigned part = o.elements.empty() ? 0 : width / o.elements.size();
    for (const Operand &e : o.elements)
      regs.push_back(write ? l.dst(e, part) : l.src(e, part));
    l.setList(std::move(regs));
    return part;
  };
  if (l.op(0).kind == Operand::Kind::Vector) {
    l.inst.a = l.src(1, type);
    unsigned part = list(l.op(0), true);
    for (unsigned j = 0; j < l.inst.n; ++j)
      l.readPart(l.inst.a, ((1u << part) - 1) << (j * part), l.inst.v[j]);
    if (width == 8)
      l.inst.fn =
          part == 4 ? unpack<uint32_t, uint64_t> : unpack<uint16_t, uint64_t>;
    else
      l.inst.fn = unpack<uint16_t, uint32_t>;
    return (part == 2 || part == 4) && width <= 8;
  }
  if (l.op(1).kind == Operand::Kind::Vector) {
    unsigned part = list(l.op(1), false);
    l.inst.d = l.dst(0, type);
    if (width == 8)
      l.inst.fn =
          part == 4 ? pack<uint64_t, uint32_t> : pack<uint64_t, uint16_t>;
    else
      l.inst.fn = pack<uint32_t, uint16_t>;
    return (part == 2 || part == 4) && width <= 8;
  }
  l.inst.a = l.src(1, type);
  l.inst.d = l.dst(0, type);
  l.inst.fn = copyOf(width);
  return width >= 2 && width <= 8;
}

static uint64_t windowOf(Space space) {
  return space == Space::Shared  ? SharedWindow
         : space == Space::Local ? LocalWindow
         : space == Space::Param ? ParamWindow
                                 : 0;
}

static void toGeneric(Warp &w, const Inst &inst, uint32_t mask) {
  const uint64_t *a = w.reg<const uint64_t>(inst.a);
  uint64_t window = static_cast<uint64_t>(inst.imm);
  mapLanes<uint64_t>(w, inst.d, mask,
                     [=](unsigned i) { return a[i] | window; });
}

/// A generic address that is not of the space becomes one that faults.
static void fromGeneric(Warp &w, const Inst &inst, uint32_t mask) {
  const uint64_t *a = w.reg<const uint64_t>(inst.a);
  uint64_t window = static_cast<uint64_t>(inst.imm);
  mapLanes<uint64_t>(w, inst.d, mask,
                     [=](unsigned i) { return a[i] ^ window; });
}

static bool lowerCvta(Lowering &l) {
  bool to = l.take("to");
  Space space = takeSpace(l);
  Ty type = l.takeType();
  if (space == Space::Generic || type != Ty::U64 || !l.operands(2))
    return false;
  if (space == Space::Const)
    space = Space::Global;
  l.inst.a = l.src(1, type);
  l.inst.d = l.dst(0, type);
  l.inst.imm = static_cast<int64_t>(windowOf(space));
  l.inst.fn = to ? fromGeneric : toGeneric;
  return true;
}

static void isSpace(Warp &w, const Inst &inst, uint32_t mask) {
  const uint64_t *a = w.reg<const uint64_t>(inst.a);
  uint32_t bits = lanesWhere([=](unsigned i) {
    return (a[i] & (7ull << 60)) == static_cast<uint64_t>(inst.imm);
  });
  setPred(w, inst.d, mask, bits);
}

static bool lowerIsSpace(Lowering &l) {
  Space space = takeSpace(l);
  if (!l.operands(2) || space == Space::Const)
    return false;
  l.inst.a = l.src(1, Ty::U64);
  l.inst.d = l.predDst(l.op(0).name);
  l.inst.imm = static_cast<int64_t>(windowOf(space));
  l.inst.fn = isSpace;
  return true;
}

//===----------------------------------------------------------------------===//
// ld and st
//===----------------------------------------------------------------------===//

// Inst::mode of loads and stores.
static constexpr uint8_t SpaceMask = 7, Strong = 8, ReadOnly = 16, Sign = 32,
                         Narrow = 64, Acquires = 128;

template <class D, class S>
static void put(Warp &w, uint32_t to, uint32_t mask, const uint8_t *data,
                unsigned stride) {
  mapActive<D>(w, to, mask, [=](unsigned i) {
    S value;
    memcpy(&value, data + i * stride, sizeof(S));
    return static_cast<D>(value);
  });
}

/// Gives registers of `to` bytes the values of `from` bytes in `data`.
static void putElement(Warp &w, uint32_t reg, uint32_t mask, unsigned to,
                       unsigned from, bool sign, const uint8_t *data,
                       unsigned stride) {
  switch (from * 16 + to + (sign ? 256 : 0)) {
  case 0x12:
    return put<uint16_t, uint8_t>(w, reg, mask, data, stride);
  case 0x14:
    return put<uint32_t, uint8_t>(w, reg, mask, data, stride);
  case 0x18:
    return put<uint64_t, uint8_t>(w, reg, mask, data, stride);
  case 0x22:
  case 0x122:
    return put<uint16_t, uint16_t>(w, reg, mask, data, stride);
  case 0x24:
    return put<uint32_t, uint16_t>(w, reg, mask, data, stride);
  case 0x28:
    return put<uint64_t, uint16_t>(w, reg, mask, data, stride);
  case 0x44:
  case 0x144:
    return put<uint32_t, uint32_t>(w, reg, mask, data, stride);
  case 0x48:
    return put<uint64_t, uint32_t>(w, reg, mask, data, stride);
  case 0x112:
    return put<uint16_t, int8_t>(w, reg, mask, data, stride);
  case 0x114:
    return put<uint32_t, int8_t>(w, reg, mask, data, stride);
  case 0x118:
    return put<uint64_t, int8_t>(w, reg, mask, data, stride);
  case 0x124:
    return put<uint32_t, int16_t>(w, reg, mask, data, stride);
  case 0x128:
    return put<uint64_t, int16_t>(w, reg, mask, data, stride);
  case 0x148:
    return put<uint64_t, int32_t>(w, reg, mask, data, stride);
  default:
    return put<uint64_t, uint64_t>(w, reg, mask, data, stride);
  }
}

/// inst: v destinations of `target` bytes, elements of `width` bytes.
static void load(Warp &w, const Inst &inst, uint32_t mask) {
  constexpr unsigned stride = 32;
  alignas(16) uint8_t data[Lanes * stride];
  Space space = static_cast<Space>(inst.mode & SpaceMask);
  bool narrow = inst.mode & Narrow;
  unsigned bytes = inst.width * inst.n;
  Use use = inst.mode & Strong     ? Use::StrongLoad
            : inst.mode & ReadOnly ? Use::ReadOnly
                                   : Use::Load;
  if (inst.mode & Acquires)
    acquire(w);
  Target t;
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned i = __builtin_ctz(rest);
    if (!resolve(w, inst, i, space, laneAddress(w, inst, i, narrow), bytes, use,
                 t) ||
        !record(w, inst, i, t, bytes, use, nullptr))
      return;
    memcpy(data + i * stride, t.host, bytes);
  }
  for (unsigned j = 0; j < inst.n; ++j)
    putElement(w, inst.v[j], mask, inst.target, inst.width, inst.mode & Sign,
               data + j * inst.width, stride);
}

/// Kernel parameters are the same for every lane.
static void loadParam(Warp &w, const Inst &inst, uint32_t mask) {
  const std::vector<uint8_t> &params = w.block->launch->params;
  for (unsigned j = 0; j < inst.n; ++j)
    putElement(w, inst.v[j], mask, inst.target, inst.width, inst.mode & Sign,
               params.data() + inst.imm + j * inst.width, 0);
}

/// inst: v sources of `target` bytes, elements of `width` bytes.
static void store(Warp &w, const Inst &inst, uint32_t mask) {
  Space space = static_cast<Space>(inst.mode & SpaceMask);
  bool narrow = inst.mode & Narrow;
  unsigned bytes = inst.width * inst.n;
  bool strong = inst.mode & Strong;
  Target t;
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned i = __builtin_ctz(rest);
    alignas(16) uint8_t data[32];
    for (unsigned j = 0; j < inst.n; ++j)
      memcpy(data + j * inst.width,
             w.file + inst.v[j] + size_t(i) * inst.target, inst.width);
    if (!resolve(w, inst, i, space, laneAddress(w, inst, i, narrow), bytes,
                 Use::Store, t) ||
        !record(w, inst, i, t, bytes, strong ? Use::StrongStore : Use::Store,
                data))
      return;
    memcpy(t.host, data, bytes);
  }
  if (inst.mode & Acquires)
    publish(w, mask);
}

/// Cache operators and hints, which change no result.
static bool takeCacheHints(Lowering &l) {
  bool policy = false;
  while (true) {
    if (l.take("L2::cache_hint")) {
      policy = true;
      continue;
    }
    if (l.takeOneOf({"ca", "cg", "cs", "lu", "cv", "wb", "wt",
                     "L1::evict_normal", "L1::evict_unchanged",
                     "L1::evict_first", "L1::evict_last", "L1::no_allocate",
                     "L2::evict_normal", "L2::evict_first", "L2::evict_last",
                     "L2::64B", "L2::128B", "L2::256B"})
            .empty())
      return policy;
  }
}

static bool lowerAccess(Lowering &l, bool isLoad) {
  Inst &inst = l.inst;
  Ordering order = takeOrdering(l);
  Space space = takeSpace(l);
  bool nc = l.take("nc");
  bool policy = takeCacheHints(l);
  l.take("unified");
  unsigned n = l.take("v2") ? 2 : l.take("v4") ? 4 : l.take("v8") ? 8 : 1;
  Ty type = l.takeType();
  unsigned width = widthOf(type);
  if (!width || width > 8 || !l.operands(2, policy ? 3 : 2))
    return false;
  const Operand &value = l.op(isLoad ? 0 : 1);
  const Operand &where = l.op(isLoad ? 1 : 0);
  if (n * width > 32 || (space != Space::Global && n * width > 16))
    return l.fail("the access is too wide");
  std::vector<Operand> one = {value};
  const std::vector<Operand> &values =
      value.kind == Operand::Kind::Vector ? value.elements : one;
  if (values.size() != n)
    return l.fail("the vector has the wrong length");
  bool narrow;
  if (!l.address(where, inst.a, inst.imm, narrow))
    return false;
  // [param + constant]: a parameter of the kernel is checked here, once; those
  // of calls are local memory.
  const Operand &base = where.elements[0];
  uint64_t paramAt = 0;
  bool isParam =
      space == Space::Param && !narrow && l.registerType(base.name) == Ty::None;
  if (isParam) {
    Space found;
    if (!l.findVariable(base.name, paramAt, found) ||
        (found != Space::Param && found != Space::Local))
      return l.fail("the address is no parameter");
    isParam = found == Space::Param;
    space = found;
    paramAt += static_cast<uint64_t>(base.value);
    if (isParam && !isLoad)
      return l.fail("the kernel writes its parameters");
    if (isParam &&
        (paramAt + n * width > l.getCode().paramSize || paramAt % (n * width)))
      return l.fail("the address is outside the parameters or misaligned");
  }
  unsigned regWidth = 0;
  std::vector<uint32_t> regs;
  for (const Operand &o : values) {
    unsigned actual;
    if (isLoad && o.name == "_") {
      regs.push_back(None);
      continue;
    }
    regs.push_back(isLoad ? l.wideDst(o, width, actual)
                          : l.wideSrc(o, width, actual));
    if (!isLoad)
      l.readPart(regs.back(), (1u << width) - 1);
    if (regWidth && actual != regWidth)
      return l.fail("registers of different sizes");
    regWidth = actual;
  }
  if (!regWidth)
    regWidth = std::max(width, 2u);
  for (uint32_t &r : regs)
    if (r == None)
      r = l.temporary(regWidth);
  l.setList(std::move(regs));
  inst.width = static_cast<uint8_t>(width);
  inst.target = regWidth;
  inst.mode = static_cast<uint8_t>(space);
  if (isSigned(type))
    inst.mode |= Sign;
  if (narrow)
    inst.mode |= Narrow;
  if (order.strong)
    inst.mode |= Strong;
  if (nc)
    inst.mode |= ReadOnly;
  if ((isLoad && order.strong) || order.release)
    inst.mode |= Acquires;
  if (order.acquire || order.release)
    l.getCode().publishes = true;
  if (order.strong && space != Space::Shared)
    l.getCode().ordered = true;
  noteWidth(l, space, width);
  inst.fn = isLoad ? load : store;
  if (isParam) {
    inst.imm = static_cast<int64_t>(paramAt);
    inst.a = None;
    inst.fn = loadParam;
  }
  return true;
}

static bool lowerLd(Lowering &l) { return lowerAccess(l, true); }
static bool lowerSt(Lowering &l) {
  l.take("async");
  return lowerAccess(l, false);
}

static void nothing(Warp &, const Inst &, uint32_t) {}

/// Hints that change no result.
static bool lowerHint(Lowering &l) {
  l.used = ~0ull;
  l.inst.fn = nothing;
  return true;
}

/// The address of the same place in the shared memory of another block of the
/// cluster.
template <class T>
static void mapAddress(Warp &w, const Inst &inst, uint32_t mask) {
  const T *a = w.reg<const T>(inst.a);
  const uint32_t *rank = w.reg<const uint32_t>(inst.b);
  size_t blocks = w.block->cluster->size();
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned i = __builtin_ctz(rest);
    if (rank[i] >= blocks)
      return fault(w, inst, i, IllegalAddress,
                   "block " + std::to_string(rank[i]) + " of a cluster of " +
                       std::to_string(blocks));
  }
  mapLanes<T>(w, inst.d, mask, [=](unsigned i) {
    return (a[i] & ((T(1) << ClusterShift) - 1)) |
           (T(rank[i] + 1) << ClusterShift);
  });
}

static bool lowerMapa(Lowering &l) {
  if (!l.take("shared::cluster"))
    return false;
  Ty type = l.takeType();
  unsigned width = widthOf(type);
  if ((width != 4 && width != 8) || !l.operands(3))
    return false;
  l.inst.a = l.src(1, type);
  l.inst.b = l.src(2, Ty::U32);
  l.inst.d = l.dst(0, type);
  l.inst.fn = width == 4 ? mapAddress<uint32_t> : mapAddress<uint64_t>;
  return true;
}

void coil::cudasim::registerMoveOps(Registry &r) {
  r["mov"] = lowerMov;
  r["cvta"] = lowerCvta;
  r["isspacep"] = lowerIsSpace;
  r["mapa"] = lowerMapa;
}

void coil::cudasim::registerMemoryOps(Registry &r) {
  r["ld"] = lowerLd;
  r["ldu"] = lowerLd;
  r["st"] = lowerSt;
  for (const char *name :
       {"prefetch", "prefetchu", "applypriority", "discard", "createpolicy",
        "nanosleep", "setmaxnreg", "griddepcontrol", "pmevent"})
    r[name] = lowerHint;
}
