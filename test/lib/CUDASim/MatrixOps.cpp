//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products of matrices that the lanes of a warp hold together: ldmatrix and
// mma.sync.
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "Lanes.h"

using namespace coil::cudasim;
using ptx::Space;

namespace {

/// All lanes of the warp take part.
void converge(Lowering &l) {
  l.inst.kind = Kind::Converge;
  l.inst.e = l.constant(4, UINT32_MAX);
}

/// Appends the registers of a vector operand.
bool list(Lowering &l, size_t operand, unsigned n, unsigned width, bool write,
          std::vector<uint32_t> &regs) {
  const ptx::Operand &o = l.op(operand);
  std::vector<ptx::Operand> one = {o};
  const std::vector<ptx::Operand> &elements =
      o.kind == ptx::Operand::Kind::Vector ? o.elements : one;
  if (elements.size() != n)
    return l.fail("the fragment has the wrong length");
  for (const ptx::Operand &e : elements)
    regs.push_back(write ? l.dst(e, width) : l.src(e, width));
  return true;
}

//===----------------------------------------------------------------------===//
// ldmatrix
//===----------------------------------------------------------------------===//

constexpr uint8_t Transposed = 1, Narrow = 2;

/// Lane 8 * i + r has the address of row r of matrix i.
void loadMatrix(Warp &w, const Inst &inst, uint32_t) {
  uint16_t data[4][8][8];
  Target t;
  for (unsigned i = 0; i < inst.n * 8u; ++i) {
    if (!resolve(w, inst, i, Space::Shared,
                 laneAddress(w, inst, i, inst.mode & Narrow), 16, Use::Load,
                 t) ||
        !record(w, inst, i, t, 16, Use::Load, nullptr))
      return;
    memcpy(data[i / 8][i % 8], t.host, 16);
  }
  for (unsigned i = 0; i < inst.n; ++i) {
    uint32_t *d = w.reg<uint32_t>(inst.v[i]);
    for (unsigned lane = 0; lane < Lanes; ++lane) {
      unsigned row = lane / 4, column = lane % 4 * 2;
      uint32_t low =
          inst.mode & Transposed ? data[i][column][row] : data[i][row][column];
      uint32_t high = inst.mode & Transposed ? data[i][column + 1][row]
                                             : data[i][row][column + 1];
      d[lane] = low | high << 16;
    }
  }
}

bool lowerLdMatrix(Lowering &l) {
  if (!l.take("sync") || !l.take("aligned") || !l.take("m8n8"))
    return l.fail("only matrices of 8 by 8 are supported");
  std::string_view count = l.takeOneOf({"x1", "x2", "x4"});
  l.inst.mode = l.take("trans") ? Transposed : 0;
  Space space = takeSpace(l);
  if (l.takeType() != Ty::B16 || count.empty() || space != Space::Shared ||
      !l.operands(2))
    return false;
  l.inst.n = static_cast<uint16_t>(count[1] - '0');
  bool narrow;
  if (!l.address(l.op(1), l.inst.a, l.inst.imm, narrow))
    return false;
  if (narrow)
    l.inst.mode |= Narrow;
  std::vector<uint32_t> regs;
  if (!list(l, 0, l.inst.n, 4, true, regs))
    return false;
  l.setList(std::move(regs));
  converge(l);
  noteWidth(l, Space::Shared, 16);
  l.inst.fn = loadMatrix;
  return true;
}

//===----------------------------------------------------------------------===//
// mma.sync
//===----------------------------------------------------------------------===//

float fromHalf(uint16_t bits, bool isBrain) {
  if (isBrain)
    return bitCast<float>(uint32_t(bits) << 16);
  return static_cast<float>(bitCast<_Float16>(bits));
}

/// d = a * b + c of 16 x 8 x 16. Registers in inst.v: 4 of d, 4 of a, 2 of b, 4
/// of c. Sums are exact before they are rounded once; hardware's error is that
/// of single precision at most.
template <bool IsBrain>
void multiplyHalves(Warp &w, const Inst &inst, uint32_t) {
  float a[16][16], b[16][8];
  for (unsigned lane = 0; lane < Lanes; ++lane) {
    unsigned group = lane / 4, in = lane % 4;
    for (unsigned i = 0; i < 4; ++i) {
      uint32_t word = w.reg<const uint32_t>(inst.v[4 + i])[lane];
      unsigned row = group + (i & 1) * 8, column = in * 2 + (i >> 1) * 8;
      a[row][column] = fromHalf(static_cast<uint16_t>(word), IsBrain);
      a[row][column + 1] = fromHalf(static_cast<uint16_t>(word >> 16), IsBrain);
    }
    for (unsigned i = 0; i < 2; ++i) {
      uint32_t word = w.reg<const uint32_t>(inst.v[8 + i])[lane];
      unsigned row = in * 2 + i * 8;
      b[row][group] = fromHalf(static_cast<uint16_t>(word), IsBrain);
      b[row + 1][group] = fromHalf(static_cast<uint16_t>(word >> 16), IsBrain);
    }
  }
  for (unsigned lane = 0; lane < Lanes; ++lane) {
    unsigned group = lane / 4, in = lane % 4;
    float result[4];
    for (unsigned i = 0; i < 4; ++i) {
      unsigned row = group + (i >> 1) * 8, column = in * 2 + (i & 1);
      double sum = w.reg<const float>(inst.v[10 + i])[lane];
      for (unsigned k = 0; k < 16; ++k)
        sum +=
            static_cast<double>(a[row][k]) * static_cast<double>(b[k][column]);
      result[i] = static_cast<float>(sum);
    }
    for (unsigned i = 0; i < 4; ++i)
      w.reg<float>(inst.v[i])[lane] = result[i];
  }
}

/// d = a * b + c of 16 x 8 x K, of floats without the 13 bits that TF32 does
/// not have, as hardware ignores them. Registers in inst.v: 4 of d, K / 2 of a,
/// K / 4 of b, 4 of c.
template <unsigned K>
void multiplyTF32(Warp &w, const Inst &inst, uint32_t) {
  float a[16][K], b[K][8];
  auto read = [&](unsigned reg, unsigned lane) {
    return bitCast<float>(w.reg<const uint32_t>(inst.v[reg])[lane] &
                          ~uint32_t(0x1FFF));
  };
  for (unsigned lane = 0; lane < Lanes; ++lane) {
    unsigned group = lane / 4, in = lane % 4;
    for (unsigned i = 0; i < K / 2; ++i)
      a[group + (i & 1) * 8][in + (i >> 1) * 4] = read(4 + i, lane);
    for (unsigned i = 0; i < K / 4; ++i)
      b[in + i * 4][group] = read(4 + K / 2 + i, lane);
  }
  for (unsigned lane = 0; lane < Lanes; ++lane) {
    unsigned group = lane / 4, in = lane % 4;
    float result[4];
    for (unsigned i = 0; i < 4; ++i) {
      unsigned row = group + (i >> 1) * 8, column = in * 2 + (i & 1);
      double sum = w.reg<const float>(inst.v[4 + K / 2 + K / 4 + i])[lane];
      for (unsigned k = 0; k < K; ++k)
        sum +=
            static_cast<double>(a[row][k]) * static_cast<double>(b[k][column]);
      result[i] = static_cast<float>(sum);
    }
    for (unsigned i = 0; i < 4; ++i)
      w.reg<float>(inst.v[i])[lane] = result[i];
  }
}

/// d = a * b + c of 8 x 8 x 4, each step a fused one. Registers in inst.v: 2 of
/// d, 1 of a, 1 of b, 2 of c.
void multiplyDoubles(Warp &w, const Inst &inst, uint32_t) {
  const double *a = w.reg<const double>(inst.v[2]),
               *b = w.reg<const double>(inst.v[3]);
  double result[2][Lanes];
  for (unsigned lane = 0; lane < Lanes; ++lane) {
    unsigned row = lane / 4;
    for (unsigned i = 0; i < 2; ++i) {
      unsigned column = lane % 4 * 2 + i;
      double sum = w.reg<const double>(inst.v[4 + i])[lane];
      for (unsigned k = 0; k < 4; ++k)
        sum = __builtin_fma(a[row * 4 + k], b[column * 4 + k], sum);
      result[i][lane] = sum;
    }
  }
  for (unsigned i = 0; i < 2; ++i)
    memcpy(w.reg<double>(inst.v[i]), result[i], sizeof(result[i]));
}

bool lowerMma(Lowering &l) {
  if (!l.take("sync") || !l.take("aligned"))
    return false;
  std::string_view shape =
      l.takeOneOf({"m16n8k16", "m16n8k8", "m16n8k4", "m8n8k4"});
  if (!l.take("row") || !l.take("col") || !l.operands(4))
    return l.fail("only the layouts .row.col are supported");
  Ty types[4];
  for (Ty &type : types)
    type = l.takeType();
  bool isDouble = shape == "m8n8k4";
  bool isTF32 = shape == "m16n8k8" || shape == "m16n8k4";
  Ty factor = isDouble               ? Ty::F64
              : isTF32               ? Ty::TF32
              : types[1] == Ty::BF16 ? Ty::BF16
                                     : Ty::F16;
  Ty sum = isDouble ? Ty::F64 : Ty::F32;
  if (shape.empty() || types[0] != sum || types[1] != factor ||
      types[2] != factor || types[3] != sum)
    return l.fail("no such product of matrices is supported");
  std::vector<uint32_t> regs;
  unsigned counts[4] = {4, 4, 2, 4};
  if (isDouble) {
    counts[0] = counts[3] = 2;
    counts[1] = counts[2] = 1;
  } else if (shape == "m16n8k4") {
    counts[1] = 2;
    counts[2] = 1;
  }
  // Sources first: a destination may be one of them.
  for (unsigned i : {1, 2, 3})
    if (!list(l, i, counts[i], isDouble ? 8 : 4, false, regs))
      return false;
  std::vector<uint32_t> all;
  if (!list(l, 0, counts[0], isDouble ? 8 : 4, true, all))
    return false;
  all.insert(all.end(), regs.begin(), regs.end());
  l.setList(std::move(all));
  converge(l);
  l.inst.fn = isDouble             ? multiplyDoubles
              : shape == "m16n8k8" ? multiplyTF32<8>
              : shape == "m16n8k4" ? multiplyTF32<4>
              : factor == Ty::BF16 ? multiplyHalves<true>
                                   : multiplyHalves<false>;
  return true;
}

} // namespace

void coil::cudasim::registerMatrixOps(Registry &r) {
  r["ldmatrix"] = lowerLdMatrix;
  r["mma"] = lowerMma;
}
