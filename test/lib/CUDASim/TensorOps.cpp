//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cp.async.bulk.tensor: copies of tiles, by tensor maps. Elements outside of
// the tensor are filled when they are read, and left out when they are written.
//
//===----------------------------------------------------------------------===//

#include "Bulk.h"
#include "Lanes.h"
#include "TensorMap.h"

#include <algorithm>

using namespace coil::cudasim;
using ptx::Space;

namespace {

constexpr unsigned Chunk = 16, SharedAlign = 128;

/// One row of a box: where it is on both sides.
struct Row {
  uint64_t shared; ///< before swizzling
  uint64_t global; ///< of the element at the first coordinate
  /// The bytes that are in the tensor; none of them for a row that is not.
  unsigned begin, end;
};

class Tile {
public:
  Tile(Warp &w, const Inst &inst, unsigned lane, unsigned firstCoordinate)
      : w(w), inst(inst), lane(lane), first(firstCoordinate) {}

  /// Reads the map and the coordinates. False after a fault.
  bool read(uint64_t mapAddress, uint64_t shared);
  /// Bytes of shared memory.
  uint32_t bytes() const { return numRows * map.rowBytes(); }
  Row row(uint32_t number) const;
  /// Where a chunk lies.
  uint64_t swizzled(uint64_t address) const {
    unsigned mask = (1u << map.swizzle) - 1;
    return map.swizzle ? address ^ ((address >> 7 & mask) << 4) : address;
  }
  /// What is read outside of the tensor.
  void fill(uint8_t *data) const;
  /// Reads the part of a row that is in the tensor. False after a fault.
  bool load(const Row &row, uint8_t *data) const;

  TensorMap map;
  uint32_t numRows = 1;

private:
  Warp &w;
  const Inst &inst;
  unsigned lane, first;
  uint64_t shared = 0;
  int64_t coordinates[MaxMapRank] = {};
};

bool Tile::read(uint64_t at, uint64_t to) {
  shared = to;
  auto fail = [&](Result result, const std::string &message) {
    fault(w, inst, lane, result, message);
    return false;
  };
  if (at % 64)
    return fail(MisalignedAddress,
                "the address of a tensor map is no multiple of 64");
  uint64_t window = at & (7ull << 60);
  if (window == LocalWindow || window == SharedWindow)
    return fail(IllegalAddress,
                "a tensor map has to be a parameter or in global memory");
  for (unsigned i = 0; i < sizeof(map); i += Chunk) {
    Target t;
    if (!resolve(w, inst, lane, Space::Generic, at + i, Chunk, Use::Load, t) ||
        !record(w, inst, lane, t, Chunk, Use::Load, nullptr))
      return false;
    memcpy(reinterpret_cast<uint8_t *>(&map) + i, t.host, Chunk);
  }
  if (!map.isSealed())
    return fail(LaunchFailed, "what the copy is given is no tensor map");
  if (map.rank != inst.width)
    return fail(LaunchFailed, "a tensor map of " + std::to_string(map.rank) +
                                  " dimensions for a copy of " +
                                  std::to_string(inst.width));
  if (shared % SharedAlign)
    return fail(MisalignedAddress,
                "misaligned address of a tile in shared memory, which must be "
                "a multiple of 128");
  for (unsigned i = 0; i < map.rank; ++i) {
    coordinates[i] = w.reg<const int32_t>(inst.v[first + i])[lane];
    if (i)
      numRows *= map.count(i);
  }
  return true;
}

Row Tile::row(uint32_t number) const {
  Row r;
  r.shared = shared + uint64_t(number) * map.rowBytes();
  unsigned width = map.elementBytes();
  r.global =
      map.address + static_cast<uint64_t>(coordinates[0] * int64_t(width));
  bool isInside = true;
  for (unsigned i = 1; i < map.rank; ++i) {
    int64_t at =
        coordinates[i] + int64_t(number % map.count(i)) * map.elementStrides[i];
    number /= map.count(i);
    isInside &= at >= 0 && at <= int64_t(map.lastIndices[i]);
    r.global += static_cast<uint64_t>(at) * map.strides[i - 1];
  }
  int64_t size = int64_t(map.lastIndices[0]) + 1, box = map.box[0];
  int64_t begin = std::clamp<int64_t>(-coordinates[0], 0, box),
          end = std::clamp<int64_t>(size - coordinates[0], 0, box);
  r.begin = static_cast<unsigned>(begin) * width;
  r.end =
      isInside && end > begin ? static_cast<unsigned>(end) * width : r.begin;
  return r;
}

void Tile::fill(uint8_t *data) const {
  memset(data, 0, map.rowBytes());
  if (!map.fill)
    return;
  unsigned width = map.elementBytes();
  for (unsigned i = 0; i < map.box[0]; ++i) {
    memset(data + i * width, 0xFF, width);
    data[i * width + width - 1] = 0x7F;
  }
}

bool Tile::load(const Row &r, uint8_t *data) const {
  return readGlobal(w, inst, lane, r.global + r.begin, r.end - r.begin,
                    data + r.begin);
}

/// v: shared, map, mbarrier, as pairs, coordinates, mask.
void loadTile(Warp &w, const Inst &inst, uint32_t mask) {
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = __builtin_ctz(rest);
    uint64_t to = listAddress(w, inst, lane, 0, NarrowShared);
    Tile tile(w, inst, lane, 6);
    if (!tile.read(listAddress(w, inst, lane, 2, NarrowGlobal), to))
      return;
    Target barrier;
    if (!findMBarrier(w, inst, lane, Space::Shared,
                      listAddress(w, inst, lane, 4, NarrowBarrier),
                      /*forCopy=*/true, barrier))
      return;
    unsigned rowBytes = tile.map.rowBytes();
    std::vector<uint8_t> data(tile.bytes());
    for (uint32_t i = 0; i < tile.numRows; ++i) {
      uint8_t *at = data.data() + size_t(i) * rowBytes;
      tile.fill(at);
      if (!tile.load(tile.row(i), at))
        return;
    }
    for (Block *owner : targets(w, inst, lane, inst.v[inst.n - 1])) {
      BulkLoad copy;
      for (uint32_t i = 0; i < tile.bytes(); i += Chunk)
        if (!beginWrite(w, inst, lane, *owner, tile.swizzled(to + i),
                        data.data() + i, copy))
          return;
      issue(w, inst, lane, *owner, barrier, tile.bytes(), std::move(copy));
    }
  }
}

/// v: shared, map, as pairs, coordinates.
void storeTile(Warp &w, const Inst &inst, uint32_t mask) {
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = __builtin_ctz(rest);
    Tile tile(w, inst, lane, 4);
    if (!tile.read(listAddress(w, inst, lane, 2, NarrowGlobal),
                   listAddress(w, inst, lane, 0, NarrowShared)))
      return;
    BulkStore copy;
    std::vector<uint8_t> data(tile.map.rowBytes());
    for (uint32_t i = 0; i < tile.numRows; ++i) {
      Row row = tile.row(i);
      for (unsigned at = 0; at < data.size(); at += Chunk)
        if (!beginRead(w, inst, lane, tile.swizzled(row.shared + at),
                       data.data() + at, copy))
          return;
      if (!beginStore(w, inst, lane, row.global + row.begin,
                      row.end - row.begin, data.data() + row.begin, copy))
        return;
    }
    issue(w, inst, lane, std::move(copy));
  }
}

} // namespace

bool coil::cudasim::lowerTensorCopy(Lowering &l) {
  Inst &inst = l.inst;
  std::string_view dims = l.takeOneOf({"1d", "2d", "3d", "4d", "5d"});
  bool isStore = l.take("bulk_group");
  bool isLoad = l.take("mbarrier::complete_tx::bytes");
  bool isShared = l.take("shared::cta"), isCluster = l.take("shared::cluster");
  l.take("tile"); // The default.
  if (dims.empty() || isStore == isLoad || !l.take("global") ||
      isShared == isCluster || (isStore && isCluster))
    return l.fail("only copies of tiles between global and shared memory are "
                  "supported");
  bool isMulticast = l.take("multicast::cluster");
  bool hasPolicy = l.take("L2::cache_hint");
  if (!l.operands((isStore ? 2 : 3) + isMulticast + hasPolicy))
    return false;
  const ptx::Operand &map = l.op(isStore ? 0 : 1);
  inst.width = static_cast<uint8_t>(dims[0] - '0');
  if (map.kind != ptx::Operand::Kind::Address || map.elements.size() != 2 ||
      map.elements[1].kind != ptx::Operand::Kind::Vector ||
      map.elements[1].elements.size() != inst.width)
    return l.fail("the copy lacks a tensor map with coordinates");
  std::vector<uint32_t> list;
  if (!takeAddress(l, l.op(isStore ? 1 : 0), NarrowShared, list) ||
      !takeAddress(l, map, NarrowGlobal, list) ||
      (isLoad && !takeAddress(l, l.op(2), NarrowBarrier, list)))
    return false;
  for (const ptx::Operand &coordinate : map.elements[1].elements)
    list.push_back(l.src(coordinate, Ty::B32));
  if (isMulticast) {
    inst.mode |= Multicast;
    list.push_back(l.src(3, Ty::B16));
  }
  l.setList(std::move(list));
  noteWidth(l, Space::Shared, Chunk);
  noteWidth(l, Space::Global, 1); // A row ends at any element.
  if (isStore)
    l.getCode().storesInBulk = true;
  inst.fn = isStore ? storeTile : loadTile;
  return true;
}
