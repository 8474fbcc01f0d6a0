//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// wgmma: products of matrices in shared memory, by four warps together. Each
// warp computes its 16 of 64 rows. Products are done when they are issued.
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "Lanes.h"

#include <charconv>

using namespace coil::cudasim;
using ptx::Space;

namespace {

constexpr uint8_t Brain = 1, TransposeA = 2, TransposeB = 4;
constexpr unsigned Depth = 16, RowBytes = 128, ChunkElements = 8;

float fromHalf(uint16_t bits, bool isBrain) {
  if (isBrain)
    return bitCast<float>(uint32_t(bits) << 16);
  return static_cast<float>(bitCast<_Float16>(bits));
}

/// What a descriptor says of a matrix in shared memory.
struct Matrix {
  uint64_t address, panels, groups;
  unsigned swizzle;

  explicit Matrix(uint64_t bits)
      : address((bits & 0x3FFF) << 4), panels((bits >> 16 & 0x3FFF) << 4),
        groups((bits >> 32 & 0x3FFF) << 4),
        swizzle(static_cast<unsigned>(bits >> 62)) {}
  /// The chunk of 16 bytes with an element: rows of 128 bytes in groups of
  /// eight, panels of such rows beside each other if rows go along `own`.
  uint64_t chunk(unsigned own, unsigned k, bool alongK) const {
    unsigned row = alongK ? own : k, column = alongK ? k : own;
    uint64_t at = address + row / 8 * groups + row % 8 * RowBytes;
    at += column / 64 * panels + column % 64 / ChunkElements * 16;
    return at ^ ((at >> 7 & 7) << 4);
  }
};

/// Reads elements [begin, begin + count) x Depth into `into`, row by row.
bool readMatrix(Warp &w, const Inst &inst, const Matrix &m, unsigned begin,
                unsigned count, bool alongK, std::vector<float> &into) {
  into.resize(size_t(count) * Depth);
  bool isBrain = inst.mode & Brain;
  unsigned rows = alongK ? count : Depth, columns = alongK ? Depth : count;
  for (unsigned row = 0; row < rows; ++row)
    for (unsigned column = 0; column < columns; column += ChunkElements) {
      unsigned own = begin + (alongK ? row : column), k = alongK ? column : row;
      Target t;
      if (!resolve(w, inst, 0, Space::Shared, m.chunk(own, k, alongK), 16,
                   Use::Load, t) ||
          !record(w, inst, 0, t, 16, Use::Load, nullptr))
        return false;
      for (unsigned i = 0; i < ChunkElements; ++i) {
        uint16_t bits;
        memcpy(&bits, t.host + 2 * i, 2);
        unsigned atOwn = own - begin + (alongK ? 0 : i);
        into[size_t(atOwn) * Depth + k + (alongK ? i : 0)] =
            fromHalf(bits, isBrain);
      }
    }
  return true;
}

/// d += a * b. inst: v the sums, a and b descriptors, c whether the sums count.
void multiply(Warp &w, const Inst &inst, uint32_t) {
  Matrix a(w.reg<const uint64_t>(inst.a)[0]);
  Matrix b(w.reg<const uint64_t>(inst.b)[0]);
  if (a.swizzle != 1 || b.swizzle != 1)
    return fault(w, inst, 0, LaunchFailed,
                 "only matrices with rows of 128 bytes are supported");
  unsigned columns = inst.n * 2u, first = w.index % 4 * 16;
  std::vector<float> rowsA, rowsB;
  if (!readMatrix(w, inst, a, first, 16, !(inst.mode & TransposeA), rowsA) ||
      !readMatrix(w, inst, b, 0, columns, !(inst.mode & TransposeB), rowsB))
    return;
  bool keeps = w.pred(inst.c) & 1;
  for (unsigned i = 0; i < inst.n; ++i) {
    float *d = w.reg<float>(inst.v[i]);
    for (unsigned lane = 0; lane < Lanes; ++lane) {
      unsigned row = lane / 4 + i / 2 % 2 * 8;
      unsigned column = i / 4 * 8 + lane % 4 * 2 + i % 2;
      double sum = keeps ? d[lane] : 0;
      for (unsigned k = 0; k < Depth; ++k)
        sum += static_cast<double>(rowsA[row * Depth + k]) *
               static_cast<double>(rowsB[column * Depth + k]);
      d[lane] = static_cast<float>(sum);
    }
  }
}

void nothing(Warp &, const Inst &, uint32_t) {}

bool lowerWgmma(Lowering &l) {
  Inst &inst = l.inst;
  inst.kind = Kind::Converge;
  inst.e = l.constant(4, UINT32_MAX);
  std::string_view what =
      l.takeOneOf({"fence", "commit_group", "wait_group", "mma_async"});
  if (!l.take("sync") || !l.take("aligned") || what.empty())
    return false;
  if (what != "mma_async") {
    inst.fn = nothing;
    return l.operands(what == "wait_group" ? 1 : 0);
  }
  // m64n<columns>k16
  std::string_view shape;
  unsigned columns = 0;
  for (size_t i = 1; i < l.s->parts.size(); ++i)
    if (l.s->parts[i].substr(0, 4) == "m64n")
      shape = l.s->parts[i];
  if (!shape.empty())
    std::from_chars(shape.data() + 4, shape.data() + shape.size(), columns);
  if (shape.empty() || !l.take(shape) || columns % 8 || columns < 8 ||
      columns > 256 || l.takeType() != Ty::F32)
    return l.fail("no such product of matrices is supported");
  Ty type = l.takeType();
  if ((type != Ty::BF16 && type != Ty::F16) || l.takeType() != type ||
      !l.operands(8))
    return l.fail("no such product of matrices is supported");
  if (l.op(4).value != 1 || l.op(5).value != 1)
    return l.fail("only factors as they are are supported");
  inst.mode = static_cast<uint8_t>((type == Ty::BF16 ? Brain : 0) |
                                   (l.op(6).value ? TransposeA : 0) |
                                   (l.op(7).value ? TransposeB : 0));
  const ptx::Operand &sums = l.op(0);
  if (sums.elements.size() != columns / 2)
    return l.fail("the fragment has the wrong length");
  inst.a = l.src(1, Ty::B64);
  inst.b = l.src(2, Ty::B64);
  inst.c = l.predSrc(l.op(3));
  std::vector<uint32_t> regs;
  for (const ptx::Operand &e : sums.elements) {
    (void)l.src(e, Ty::F32);
    regs.push_back(l.dst(e, 4u));
  }
  l.setList(std::move(regs));
  noteWidth(l, Space::Shared, 16);
  inst.fn = multiply;
  return true;
}

} // namespace

void coil::cudasim::registerWarpGroupOps(Registry &r) {
  r["wgmma"] = lowerWgmma;
}
