//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cvt: conversions between all integer and floating-point types.
//
//===----------------------------------------------------------------------===//

#include "FloatFormat.h"

using namespace coil::cudasim;

namespace {

// Conversions read all lanes of a register of any width as int64 or double,
// convert, and write them back.
using ReadInt = void (*)(const uint8_t *reg, int64_t *to);
using WriteInt = void (*)(uint8_t *reg, uint32_t mask, const int64_t *from);

template <class T, class Reg>
void readInt(const uint8_t *reg, int64_t *to) {
  const Reg *r = reinterpret_cast<const Reg *>(reg);
  COIL_LANES
  for (unsigned i = 0; i < Lanes; ++i)
    to[i] = static_cast<int64_t>(static_cast<T>(r[i]));
}
template <class T, class Reg>
void writeInt(uint8_t *reg, uint32_t mask, const int64_t *from) {
  Reg *r = reinterpret_cast<Reg *>(reg);
  COIL_LANES
  for (unsigned i = 0; i < Lanes; ++i)
    r[i] = (mask >> i) & 1 ? static_cast<Reg>(static_cast<T>(from[i])) : r[i];
}

constexpr ReadInt readers[8][3] = {
    {readInt<uint8_t, uint16_t>, readInt<uint8_t, uint32_t>,
     readInt<uint8_t, uint64_t>},
    {readInt<int8_t, uint16_t>, readInt<int8_t, uint32_t>,
     readInt<int8_t, uint64_t>},
    {readInt<uint16_t, uint16_t>, readInt<uint16_t, uint32_t>,
     readInt<uint16_t, uint64_t>},
    {readInt<int16_t, uint16_t>, readInt<int16_t, uint32_t>,
     readInt<int16_t, uint64_t>},
    {nullptr, readInt<uint32_t, uint32_t>, readInt<uint32_t, uint64_t>},
    {nullptr, readInt<int32_t, uint32_t>, readInt<int32_t, uint64_t>},
    {nullptr, nullptr, readInt<uint64_t, uint64_t>},
    {nullptr, nullptr, readInt<int64_t, uint64_t>}};
constexpr WriteInt writers[8][3] = {
    {writeInt<uint8_t, uint16_t>, writeInt<uint8_t, uint32_t>,
     writeInt<uint8_t, uint64_t>},
    {writeInt<int8_t, uint16_t>, writeInt<int8_t, uint32_t>,
     writeInt<int8_t, uint64_t>},
    {writeInt<uint16_t, uint16_t>, writeInt<uint16_t, uint32_t>,
     writeInt<uint16_t, uint64_t>},
    {writeInt<int16_t, uint16_t>, writeInt<int16_t, uint32_t>,
     writeInt<int16_t, uint64_t>},
    {nullptr, writeInt<uint32_t, uint32_t>, writeInt<uint32_t, uint64_t>},
    {nullptr, writeInt<int32_t, uint32_t>, writeInt<int32_t, uint64_t>},
    {nullptr, nullptr, writeInt<uint64_t, uint64_t>},
    {nullptr, nullptr, writeInt<int64_t, uint64_t>}};

/// Row of the tables: two for each width, signed ones odd.
unsigned rowOf(Ty type) {
  unsigned width = widthOf(type);
  unsigned row = width == 1 ? 0 : width == 2 ? 2 : width == 4 ? 4 : 6;
  return row + isSigned(type);
}
unsigned columnOf(unsigned width) {
  return width == 2 ? 0 : width == 4 ? 1 : 2;
}

// Inst::mode is the Round, plus flags.
enum : uint8_t {
  RoundMask = 7,
  Integral = 8,
  Ftz = 16,
  Sat = 32,
  SatFinite = 64,
  Relu = 128
};

/// What the generic conversion needs beside the registers.
struct Plan {
  Ty from, to;
  uint8_t fromWidth, toWidth; ///< of the registers
};
int64_t packPlan(Plan p) {
  return static_cast<int64_t>(p.from) | static_cast<int64_t>(p.to) << 8 |
         static_cast<int64_t>(p.fromWidth) << 16 |
         static_cast<int64_t>(p.toWidth) << 24;
}
Plan unpackPlan(int64_t v) {
  return {static_cast<Ty>(v & 255), static_cast<Ty>(v >> 8 & 255),
          static_cast<uint8_t>(v >> 16), static_cast<uint8_t>(v >> 24)};
}

uint64_t readBits(const Warp &w, uint32_t reg, unsigned width, unsigned i) {
  return width == 2   ? w.reg<const uint16_t>(reg)[i]
         : width == 4 ? w.reg<const uint32_t>(reg)[i]
                      : w.reg<const uint64_t>(reg)[i];
}
void writeBits(const Warp &w, uint32_t reg, unsigned width, unsigned i,
               uint64_t bits) {
  if (width == 2)
    w.reg<uint16_t>(reg)[i] = static_cast<uint16_t>(bits);
  else if (width == 4)
    w.reg<uint32_t>(reg)[i] = static_cast<uint32_t>(bits);
  else
    w.reg<uint64_t>(reg)[i] = bits;
}

void clampTo(Ty to, bool fromSigned, int64_t &v) {
  unsigned bits = 8 * widthOf(to);
  if (isSigned(to)) {
    int64_t most = bits == 64 ? INT64_MAX : (1ll << (bits - 1)) - 1;
    if (!fromSigned && v < 0)
      v = most;
    else
      v = v > most ? most : v < -most - 1 ? -most - 1 : v;
  } else {
    if (fromSigned && v < 0)
      v = 0;
    else if (bits < 64 && static_cast<uint64_t>(v) > (1ull << bits) - 1)
      v = static_cast<int64_t>((1ull << bits) - 1);
  }
}

void intToInt(Warp &w, const Inst &inst, uint32_t mask) {
  Plan p = unpackPlan(inst.imm);
  int64_t values[Lanes];
  readers[rowOf(p.from)][columnOf(p.fromWidth)](w.file + inst.a, values);
  if (inst.mode & Sat)
    for (int64_t &v : values)
      clampTo(p.to, isSigned(p.from), v);
  writers[rowOf(p.to)][columnOf(p.toWidth)](w.file + inst.d, mask, values);
}

double readFloat(Ty type, uint64_t bits) {
  switch (type) {
  case Ty::F16:
    return decodeF16(static_cast<uint16_t>(bits));
  case Ty::BF16:
    return decodeBF16(static_cast<uint16_t>(bits));
  case Ty::F32:
    return bitCast<float>(static_cast<uint32_t>(bits));
  default:
    return bitCast<double>(bits);
  }
}

uint64_t writeFloat(Ty type, double v, uint8_t mode) {
  Round round = static_cast<Round>(mode & RoundMask);
  if (mode & Sat)
    v = saturate(v);
  if ((mode & Relu) && v < 0)
    v = 0;
  bool finite = mode & SatFinite;
  if ((mode & Relu) && v == 0)
    v = 0;
  switch (type) {
  case Ty::F64:
    return bitCast<uint64_t>(v);
  case Ty::F32: {
    uint32_t bits = encode(v, F32Format, round);
    if (mode & Ftz)
      bits = bitCast<uint32_t>(flush(bitCast<float>(bits)));
    return bits;
  }
  case Ty::TF32:
    return uint64_t(encode(v, TF32Format, round, finite)) << 13;
  case Ty::F16:
    return encode(v, F16Format, round, finite);
  case Ty::BF16:
    return encode(v, BF16Format, round, finite);
  case Ty::E4M3:
    return encode(v, E4M3Format, round, true);
  default:
    return encode(v, E5M2Format, round, true);
  }
}

double roundIntegral(double v, Round round) {
  switch (round) {
  case Round::Zero:
    return std::trunc(v);
  case Round::Down:
    return std::floor(v);
  case Round::Up:
    return std::ceil(v);
  default:
    return std::nearbyint(v);
  }
}

void floatToFloat(Warp &w, const Inst &inst, uint32_t mask) {
  Plan p = unpackPlan(inst.imm);
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned i = __builtin_ctz(rest);
    uint64_t bits = readBits(w, inst.a, p.fromWidth, i);
    double v = readFloat(p.from, bits);
    if ((inst.mode & Ftz) && p.from == Ty::F32)
      v = flush(static_cast<float>(v));
    uint8_t mode = inst.mode;
    if (mode & Integral) {
      v = roundIntegral(v, static_cast<Round>(mode & RoundMask));
      mode &= ~RoundMask;
    }
    writeBits(w, inst.d, p.toWidth, i, writeFloat(p.to, v, mode));
  }
}

void intToFloat(Warp &w, const Inst &inst, uint32_t mask) {
  Plan p = unpackPlan(inst.imm);
  int64_t values[Lanes];
  readers[rowOf(p.from)][columnOf(p.fromWidth)](w.file + inst.a, values);
  Round round = static_cast<Round>(inst.mode & RoundMask);
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned i = __builtin_ctz(rest);
    bool negative = isSigned(p.from) && values[i] < 0;
    uint64_t magnitude = static_cast<uint64_t>(values[i]);
    if (negative)
      magnitude = 0 - magnitude;
    double v = toOdd(magnitude, negative);
    if (p.to == Ty::F64 && magnitude >> 53) {
      // One rounding, to 53 bits.
      unsigned drop =
          64 - static_cast<unsigned>(__builtin_clzll(magnitude)) - 53;
      uint64_t kept = magnitude >> drop, rem = magnitude & ((1ull << drop) - 1);
      uint64_t half = 1ull << (drop - 1);
      bool up = round == Round::Nearest
                    ? rem > half || (rem == half && (kept & 1))
                : round == Round::Down ? negative && rem
                : round == Round::Up   ? !negative && rem
                                       : false;
      v = std::ldexp(static_cast<double>(kept + up), static_cast<int>(drop));
      v = negative ? -v : v;
    }
    writeBits(w, inst.d, p.toWidth, i, writeFloat(p.to, v, inst.mode));
  }
}

/// NaN becomes 0, except that conversions from or to 64 bits give the smallest
/// number, or the bit pattern of it if the result is unsigned.
int64_t nanResult(const Plan &p) {
  if (p.from != Ty::F64 && widthOf(p.to) != 8)
    return 0;
  unsigned bits = 8 * widthOf(p.to);
  return static_cast<int64_t>(1ull << (bits - 1));
}

int64_t doubleToInt(double v, Ty to) {
  unsigned bits = 8 * widthOf(to);
  if (isSigned(to)) {
    double limit = std::ldexp(1.0, static_cast<int>(bits) - 1);
    if (v >= limit)
      return bits == 64 ? INT64_MAX : (1ll << (bits - 1)) - 1;
    if (v <= -limit)
      return bits == 64 ? INT64_MIN : -(1ll << (bits - 1));
    return static_cast<int64_t>(v);
  }
  if (v <= 0)
    return 0;
  if (v >= std::ldexp(1.0, static_cast<int>(bits)))
    return bits == 64 ? -1 : static_cast<int64_t>((1ull << bits) - 1);
  return static_cast<int64_t>(static_cast<uint64_t>(v));
}

void floatToInt(Warp &w, const Inst &inst, uint32_t mask) {
  Plan p = unpackPlan(inst.imm);
  int64_t values[Lanes] = {};
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned i = __builtin_ctz(rest);
    double v = readFloat(p.from, readBits(w, inst.a, p.fromWidth, i));
    if ((inst.mode & Ftz) && p.from == Ty::F32)
      v = flush(static_cast<float>(v));
    v = roundIntegral(v, static_cast<Round>(inst.mode & RoundMask));
    values[i] = v != v ? nanResult(p) : doubleToInt(v, p.to);
  }
  writers[rowOf(p.to)][columnOf(p.toWidth)](w.file + inst.d, mask, values);
}

// The conversions that kernels are full of.
void s32ToF32(Warp &w, const Inst &inst, uint32_t mask) {
  const int32_t *a = w.reg<const int32_t>(inst.a);
  mapLanes<float>(w, inst.d, mask,
                  [=](unsigned i) { return static_cast<float>(a[i]); });
}
void u32ToF32(Warp &w, const Inst &inst, uint32_t mask) {
  const uint32_t *a = w.reg<const uint32_t>(inst.a);
  mapLanes<float>(w, inst.d, mask,
                  [=](unsigned i) { return static_cast<float>(a[i]); });
}
void f16ToF32(Warp &w, const Inst &inst, uint32_t mask) {
  const uint16_t *a = w.reg<const uint16_t>(inst.a);
  mapLanes<float>(w, inst.d, mask,
                  [=](unsigned i) { return canonical(decodeF16(a[i])); });
}
void bf16ToF32(Warp &w, const Inst &inst, uint32_t mask) {
  const uint16_t *a = w.reg<const uint16_t>(inst.a);
  mapLanes<float>(w, inst.d, mask,
                  [=](unsigned i) { return canonical(decodeBF16(a[i])); });
}
void f32ToBF16(Warp &w, const Inst &inst, uint32_t mask) {
  const float *a = w.reg<const float>(inst.a);
  mapLanes<uint16_t>(w, inst.d, mask,
                     [=](unsigned i) { return encodeBF16(a[i]); });
}
void f32ToF64(Warp &w, const Inst &inst, uint32_t mask) {
  const float *a = w.reg<const float>(inst.a);
  mapLanes<double>(w, inst.d, mask,
                   [=](unsigned i) { return static_cast<double>(a[i]); });
}
void f64ToF32(Warp &w, const Inst &inst, uint32_t mask) {
  const double *a = w.reg<const double>(inst.a);
  mapLanes<float>(w, inst.d, mask, [=](unsigned i) {
    return canonical(static_cast<float>(a[i]));
  });
}

bool isFloatTy(Ty t) {
  return isFloat(t) || t == Ty::TF32 || t == Ty::E4M3 || t == Ty::E5M2;
}

bool lowerPair(Lowering &l, Ty to, Ty from, uint8_t mode);

bool lowerCvt(Lowering &l) {
  Inst &inst = l.inst;
  uint8_t mode = 0;
  std::string_view integral = l.takeOneOf({"rni", "rzi", "rmi", "rpi"});
  if (!integral.empty())
    mode =
        Integral | static_cast<uint8_t>(integral == "rzi"   ? Round::Zero
                                        : integral == "rmi" ? Round::Down
                                        : integral == "rpi" ? Round::Up
                                                            : Round::Nearest);
  bool rounds;
  Round round = takeRounding(l, rounds);
  if (rounds)
    mode |= static_cast<uint8_t>(round);
  if (l.take("ftz"))
    mode |= Ftz;
  if (l.take("sat"))
    mode |= Sat;
  if (l.take("satfinite"))
    mode |= SatFinite;
  if (l.take("relu"))
    mode |= Relu;
  Ty to = l.takeType(), from = l.takeType();
  if (to == Ty::F16x2 || to == Ty::BF16x2 || to == Ty::E4M3x2 ||
      to == Ty::E5M2x2)
    return lowerPair(l, to, from, mode);
  if (!l.operands(2))
    return false;
  unsigned fromWidth, toWidth;
  inst.a = l.wideSrc(l.op(1), widthOf(from), fromWidth);
  inst.d = l.wideDst(l.op(0), widthOf(to), toWidth);
  inst.mode = mode;
  inst.imm = packPlan({from, to, static_cast<uint8_t>(fromWidth),
                       static_cast<uint8_t>(toWidth)});
  bool exact = fromWidth == std::max(widthOf(from), 2u) &&
               toWidth == std::max(widthOf(to), 2u);
  bool fromFloat = isFloatTy(from), toFloat = isFloatTy(to);
  if (!fromFloat && !toFloat) {
    inst.fn = intToInt;
    unsigned bytes = std::min(widthOf(from), widthOf(to));
    if (!(mode & Sat))
      l.readPart(inst.a, (1u << bytes) - 1, inst.d);
    return !(mode & ~Sat) && isInt(from) && isInt(to);
  }
  if (!fromFloat) {
    inst.fn = intToFloat;
    if (exact && mode == 0 && to == Ty::F32 && from == Ty::S32)
      inst.fn = s32ToF32;
    if (exact && mode == 0 && to == Ty::F32 && from == Ty::U32)
      inst.fn = u32ToF32;
    return rounds;
  }
  if (!toFloat) {
    inst.fn = floatToInt;
    return mode & Integral;
  }
  inst.fn = floatToFloat;
  if (exact && mode == 0) {
    if (to == Ty::F32 && from == Ty::F16)
      inst.fn = f16ToF32;
    if (to == Ty::F32 && from == Ty::BF16)
      inst.fn = bf16ToF32;
    if (to == Ty::BF16 && from == Ty::F32)
      inst.fn = f32ToBF16;
    if (to == Ty::F64 && from == Ty::F32)
      inst.fn = f32ToF64;
    if (to == Ty::F32 && from == Ty::F64)
      inst.fn = f64ToF32;
  }
  // Narrowing needs a rounding, and nothing else has one.
  bool narrows = widthOf(to) < widthOf(from) || to == Ty::TF32 ||
                 (to != from && widthOf(to) == widthOf(from));
  return narrows ? rounds : true;
}

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

Ty elementOf(Ty type) {
  switch (type) {
  case Ty::F16x2:
    return Ty::F16;
  case Ty::BF16x2:
    return Ty::BF16;
  case Ty::E4M3x2:
    return Ty::E4M3;
  default:
    return Ty::E5M2;
  }
}

/// From two f32: the first gives the upper half.
void f32ToPair(Warp &w, const Inst &inst, uint32_t mask) {
  Plan p = unpackPlan(inst.imm);
  Ty element = elementOf(p.to);
  unsigned bits = 8 * widthOf(element);
  const float *a = w.reg<const float>(inst.a), *b = w.reg<const float>(inst.b);
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned i = __builtin_ctz(rest);
    writeBits(w, inst.d, p.toWidth, i,
              writeFloat(element, a[i], inst.mode) << bits |
                  writeFloat(element, b[i], inst.mode));
  }
}

void f32ToBF16x2(Warp &w, const Inst &inst, uint32_t mask) {
  const float *a = w.reg<const float>(inst.a), *b = w.reg<const float>(inst.b);
  mapLanes<uint32_t>(w, inst.d, mask, [=](unsigned i) {
    return uint32_t(encodeBF16(a[i])) << 16 | encodeBF16(b[i]);
  });
}

/// Between pairs of f16 or bf16 and pairs of 8 bits.
void pairToPair(Warp &w, const Inst &inst, uint32_t mask) {
  Plan p = unpackPlan(inst.imm);
  Ty from = elementOf(p.from), to = elementOf(p.to);
  unsigned fromBits = 8 * widthOf(from), toBits = 8 * widthOf(to);
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned i = __builtin_ctz(rest);
    uint64_t in = readBits(w, inst.a, p.fromWidth, i), out = 0;
    for (unsigned half = 0; half < 2; ++half) {
      uint64_t bits = in >> (half * fromBits) & ((1ull << fromBits) - 1);
      double v = from == Ty::E4M3   ? decodeE4M3(static_cast<uint8_t>(bits))
                 : from == Ty::E5M2 ? decodeE5M2(static_cast<uint8_t>(bits))
                                    : readFloat(from, bits);
      out |= writeFloat(to, v, inst.mode) << (half * toBits);
    }
    writeBits(w, inst.d, p.toWidth, i, out);
  }
}

bool lowerPair(Lowering &l, Ty to, Ty from, uint8_t mode) {
  Inst &inst = l.inst;
  inst.mode = mode;
  unsigned width = widthOf(to);
  if (from == Ty::F32) {
    if (!l.operands(3))
      return false;
    inst.a = l.src(1, Ty::F32);
    inst.b = l.src(2, Ty::F32);
    inst.fn = to == Ty::BF16x2 && mode == 0 ? f32ToBF16x2 : f32ToPair;
  } else {
    if (!l.operands(2) || (from != Ty::F16x2 && from != Ty::BF16x2 &&
                           from != Ty::E4M3x2 && from != Ty::E5M2x2))
      return false;
    inst.a = l.src(1, from);
    inst.fn = pairToPair;
  }
  inst.d = l.dst(0, to);
  inst.imm = packPlan({from, to, static_cast<uint8_t>(widthOf(from)),
                       static_cast<uint8_t>(width)});
  return true;
}

} // namespace

void coil::cudasim::registerConvertOps(Registry &r) { r["cvt"] = lowerCvt; }
