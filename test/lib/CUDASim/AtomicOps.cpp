//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// atom and red.
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "FloatFormat.h"

using namespace coil::cudasim;
using ptx::Operand;
using ptx::Space;

namespace {

enum class AtomicOp : uint8_t {
  Add,
  Inc,
  Dec,
  Min,
  Max,
  And,
  Or,
  Xor,
  Exch,
  Cas
};

constexpr unsigned Locks = 256;
std::atomic_flag locks[Locks];

struct Lock {
  std::atomic_flag &flag;
  explicit Lock(const uint8_t *p)
      : flag(locks[(reinterpret_cast<uintptr_t>(p) >> 3) % Locks]) {
    while (flag.test_and_set(std::memory_order_acquire)) {
    }
  }
  ~Lock() { flag.clear(std::memory_order_release); }
};

template <class T>
T integerOp(AtomicOp op, T old, T b, T c) {
  using U = std::make_unsigned_t<T>;
  switch (op) {
  case AtomicOp::Add:
    return T(U(old) + U(b));
  case AtomicOp::Inc:
    return old >= b ? T(0) : T(old + 1);
  case AtomicOp::Dec:
    return old == 0 || old > b ? b : T(old - 1);
  case AtomicOp::Min:
    return old < b ? old : b;
  case AtomicOp::Max:
    return old > b ? old : b;
  case AtomicOp::And:
    return old & b;
  case AtomicOp::Or:
    return old | b;
  case AtomicOp::Xor:
    return old ^ b;
  case AtomicOp::Exch:
    return b;
  case AtomicOp::Cas:
    return old == b ? c : old;
  }
  return old;
}

uint16_t halfOp(AtomicOp op, uint16_t old, uint16_t b, bool bf16) {
  const FloatFormat &f = bf16 ? BF16Format : F16Format;
  auto decode = [&](uint16_t v) { return bf16 ? decodeBF16(v) : decodeF16(v); };
  double x = decode(old), y = decode(b);
  if (op == AtomicOp::Add)
    return static_cast<uint16_t>(encode(x + y, f));
  // The number wins over NaN; -0 is less than +0.
  if (x != x)
    return y != y ? 0x7FFF : b;
  if (y != y)
    return old;
  bool first = x == y ? bool(old & 0x8000) == (op == AtomicOp::Min)
                      : (x < y) == (op == AtomicOp::Min);
  return first ? old : b;
}

uint64_t apply(Ty type, AtomicOp op, uint64_t old, uint64_t b, uint64_t c,
               bool isGlobal) {
  switch (type) {
  case Ty::U32:
  case Ty::B32:
    return integerOp<uint32_t>(op, uint32_t(old), uint32_t(b), uint32_t(c));
  case Ty::S32:
    return uint32_t(
        integerOp<int32_t>(op, int32_t(old), int32_t(b), int32_t(c)));
  case Ty::U64:
  case Ty::B64:
    return integerOp<uint64_t>(op, old, b, c);
  case Ty::S64:
    return uint64_t(
        integerOp<int64_t>(op, int64_t(old), int64_t(b), int64_t(c)));
  case Ty::B16:
    return integerOp<uint16_t>(op, uint16_t(old), uint16_t(b), uint16_t(c));
  case Ty::F32: {
    float x = bitCast<float>(uint32_t(old)), y = bitCast<float>(uint32_t(b));
    // Global memory's adder flushes subnormals, shared memory's does not.
    float r = isGlobal ? flush(flush(x) + flush(y)) : x + y;
    return bitCast<uint32_t>(canonical(r));
  }
  case Ty::F64:
    return bitCast<uint64_t>(bitCast<double>(old) + bitCast<double>(b));
  case Ty::F16:
  case Ty::BF16:
    return halfOp(op, uint16_t(old), uint16_t(b), type == Ty::BF16);
  default: {
    bool bf16 = type == Ty::BF16x2;
    return halfOp(op, uint16_t(old), uint16_t(b), bf16) |
           uint32_t(halfOp(op, uint16_t(old >> 16), uint16_t(b >> 16), bf16))
               << 16;
  }
  }
}

uint64_t readReg(const Warp &w, uint32_t reg, unsigned width, unsigned i) {
  return width == 2   ? w.reg<const uint16_t>(reg)[i]
         : width == 4 ? w.reg<const uint32_t>(reg)[i]
                      : w.reg<const uint64_t>(reg)[i];
}

/// v: destinations (if mode & 1), then sources, then for cas the new value.
/// target: type, operation and space. mode: 2 narrow address, 4 release.
void atomic(Warp &w, const Inst &inst, uint32_t mask) {
  Ty type = static_cast<Ty>(inst.target & 255);
  AtomicOp op = static_cast<AtomicOp>(inst.target >> 8 & 255);
  Space space = static_cast<Space>(inst.target >> 16 & 7);
  bool returns = inst.mode & 1, narrow = inst.mode & 2;
  unsigned width = inst.width, cas = op == AtomicOp::Cas;
  unsigned n = (inst.n - cas) / (returns ? 2 : 1);
  const uint32_t *sources = inst.v + (returns ? n : 0);
  if (inst.mode & 4)
    publish(w, mask);
  acquire(w);
  Target t;
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned i = __builtin_ctz(rest);
    if (!resolve(w, inst, i, space, laneAddress(w, inst, i, narrow), width * n,
                 Use::Atomic, t))
      return;
    Lock lock(t.host);
    if (!record(w, inst, i, t, width * n, Use::Atomic, nullptr))
      return;
    for (unsigned j = 0; j < n; ++j) {
      uint64_t old = 0;
      memcpy(&old, t.host + j * width, width);
      uint64_t b = readReg(w, sources[j], width, i);
      uint64_t c = cas ? readReg(w, sources[n], width, i) : 0;
      uint64_t r = apply(type, op, old, b, c, t.allocation != nullptr);
      memcpy(t.host + j * width, &r, width);
      if (returns) {
        if (width == 2)
          w.reg<uint16_t>(inst.v[j])[i] = static_cast<uint16_t>(old);
        else if (width == 4)
          w.reg<uint32_t>(inst.v[j])[i] = static_cast<uint32_t>(old);
        else
          w.reg<uint64_t>(inst.v[j])[i] = old;
      }
    }
  }
}

bool lowerAtomic(Lowering &l) {
  Inst &inst = l.inst;
  bool returns = l.root() == "atom";
  Ordering order = takeOrdering(l);
  Space space = takeSpace(l);
  static const std::pair<const char *, AtomicOp> names[] = {
      {"add", AtomicOp::Add}, {"inc", AtomicOp::Inc}, {"dec", AtomicOp::Dec},
      {"min", AtomicOp::Min}, {"max", AtomicOp::Max}, {"and", AtomicOp::And},
      {"or", AtomicOp::Or},   {"xor", AtomicOp::Xor}, {"exch", AtomicOp::Exch},
      {"cas", AtomicOp::Cas}};
  bool found = false;
  AtomicOp op = AtomicOp::Add;
  for (const auto &[name, value] : names)
    if (!found && l.take(name)) {
      op = value;
      found = true;
    }
  bool policy = l.take("L2::cache_hint");
  l.take("noftz");
  unsigned n = l.take("v2") ? 2 : l.take("v4") ? 4 : l.take("v8") ? 8 : 1;
  Ty type = l.takeType();
  unsigned width = widthOf(type);
  bool floats = isFloat(type) || type == Ty::F16x2 || type == Ty::BF16x2;
  bool half = floats && type != Ty::F32 && type != Ty::F64;
  if (!found || width < 2 || width > 8 || n * width > 16 ||
      (floats && op != AtomicOp::Add && op != AtomicOp::Exch &&
       !(half && (op == AtomicOp::Min || op == AtomicOp::Max))) ||
      ((op == AtomicOp::Inc || op == AtomicOp::Dec) && type != Ty::U32) ||
      (n > 1 && space != Space::Global))
    return false;
  if (floats && op == AtomicOp::Exch)
    type = width == 4 ? Ty::B32 : Ty::B64;
  size_t first = returns ? 1 : 0;
  size_t count = first + 2 + (op == AtomicOp::Cas ? 1 : 0);
  if (!l.operands(count, count + policy))
    return false;
  bool narrow;
  if (!l.address(l.op(first), inst.a, inst.imm, narrow))
    return false;
  auto list = [&](const Operand &o) {
    return o.kind == Operand::Kind::Vector ? o.elements
                                           : std::vector<Operand>{o};
  };
  std::vector<uint32_t> regs;
  std::vector<Operand> sources = list(l.op(first + 1));
  if (sources.size() != n)
    return l.fail("the vector has the wrong length");
  std::vector<uint32_t> values;
  for (const Operand &o : sources)
    values.push_back(l.src(o, width));
  if (op == AtomicOp::Cas)
    values.push_back(l.src(l.op(first + 2), width));
  if (returns) {
    std::vector<Operand> results = list(l.op(0));
    if (results.size() != n)
      return l.fail("the vector has the wrong length");
    for (const Operand &o : results)
      regs.push_back(l.dst(o, width));
  }
  regs.insert(regs.end(), values.begin(), values.end());
  l.setList(std::move(regs));
  inst.width = static_cast<uint8_t>(width);
  inst.target = static_cast<uint32_t>(type) | static_cast<uint32_t>(op) << 8 |
                static_cast<uint32_t>(space) << 16;
  inst.mode = (returns ? 1 : 0) | (narrow ? 2 : 0) |
              (order.release && order.device ? 4 : 0);
  inst.fn = atomic;
  noteWidth(l, space, width);
  // Integer reductions give the same result in every order.
  if (space != Space::Shared && (returns || floats))
    l.getCode().ordered = true;
  if (order.acquire || order.release)
    l.getCode().publishes = true;
  return true;
}

} // namespace

void coil::cudasim::registerAtomicOps(Registry &r) {
  r["atom"] = r["red"] = lowerAtomic;
}
