//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensor maps: the rules of the driver, and what it makes.
//
//===----------------------------------------------------------------------===//

#include "DriverState.h"
#include "TensorMap.h"

#include <cstring>

using namespace coil::cudasim;

static constexpr char Magic[9] = "CoilTMAP";

static uint64_t sumOf(const TensorMap &map) {
  const auto *bytes = reinterpret_cast<const uint8_t *>(&map);
  uint64_t sum = 14695981039346656037ull;
  for (size_t i = 0; i < offsetof(TensorMap, sum); ++i)
    sum = (sum ^ bytes[i]) * 1099511628211ull;
  return sum;
}

void TensorMap::seal() {
  memcpy(magic, Magic, sizeof(magic));
  sum = sumOf(*this);
}

bool TensorMap::isSealed() const {
  return !memcmp(magic, Magic, sizeof(magic)) && sum == sumOf(*this);
}

unsigned coil::cudasim::tensorMapTypeBytes(int type) {
  static const unsigned bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
  return type < 0 || type >= 13 ? 0 : bytes[type];
}

unsigned TensorMap::elementBytes() const { return tensorMapTypeBytes(type); }

namespace {

/// What a map is made of.
struct Request {
  const void *map;
  int type;
  uint32_t rank;
  uint64_t address;
  const uint64_t *sizes, *strides;
  const uint32_t *box, *elementStrides;
  int interleave, swizzle, promotion, fill;
};

/// The rule that a request breaks, or nothing.
std::string brokenRule(const Request &r) {
  unsigned bytes = tensorMapTypeBytes(r.type);
  uint64_t unit = r.interleave == 2 ? 32 : 16;
  if (reinterpret_cast<uintptr_t>(r.map) % 64)
    return "the place of the map is no multiple of 64";
  if (!bytes)
    return "unknown type of elements " + std::to_string(r.type);
  if (r.interleave < 0 || r.interleave > 2 || r.swizzle < 0 || r.swizzle > 3 ||
      r.promotion < 0 || r.promotion > 3 || r.fill < 0 || r.fill > 1)
    return "unknown kind of interleaving, swizzling, promotion or fill";
  if (r.rank < (r.interleave ? 3u : 1u) || r.rank > MaxMapRank)
    return "rank " + std::to_string(r.rank);
  if (!r.address || r.address % unit)
    return "the address is no multiple of " + std::to_string(unit);
  for (uint32_t i = 0; i < r.rank; ++i) {
    std::string dim = "dimension " + std::to_string(i);
    if (!r.sizes[i] || r.sizes[i] > 1ull << 32)
      return dim + " has the size " + std::to_string(r.sizes[i]);
    if (!r.box[i] || r.box[i] > 256)
      return dim + " of the box has the size " + std::to_string(r.box[i]);
    if (!r.elementStrides[i] || r.elementStrides[i] > 8)
      return dim + " has the element stride " +
             std::to_string(r.elementStrides[i]);
    if (i && (r.strides[i - 1] % unit || r.strides[i - 1] >= 1ull << 40))
      return dim + " has a stride of " + std::to_string(r.strides[i - 1]) +
             " bytes";
  }
  uint64_t row = uint64_t(r.box[0]) * bytes;
  if (!r.interleave && row % 16)
    return "a row of the box has " + std::to_string(row) + " bytes";
  if (!r.interleave && r.swizzle && row > 16u << r.swizzle)
    return "a row of the box has " + std::to_string(row) +
           " bytes, which are too many to be swizzled";
  if (r.interleave == 2 && r.swizzle != 1)
    return "channels of 32 bytes need rows of 32 bytes that are swizzled";
  bool isFloat = r.type >= 6;
  if (r.fill == 1 && !isFloat)
    return "integers cannot be NaNs";
  return "";
}

} // namespace

extern "C" CUresult
cuTensorMapEncodeTiled(void *out, int type, uint32_t rank, void *address,
                       const uint64_t *sizes, const uint64_t *strides,
                       const uint32_t *box, const uint32_t *elementStrides,
                       int interleave, int swizzle, int promotion, int fill) {
  COIL_ENTER(Initialized);
  Request r = {
      out,        type,    rank,      reinterpret_cast<uint64_t>(address),
      sizes,      strides, box,       elementStrides,
      interleave, swizzle, promotion, fill};
  if (std::string rule = brokenRule(r); !rule.empty())
    return misuse(__func__, rule, CUDA_ERROR_INVALID_VALUE);
  uint64_t row = uint64_t(box[0]) * tensorMapTypeBytes(type);
  if (interleave || (swizzle && row != 16u << swizzle))
    return misuse(__func__,
                  "the simulator executes neither interleaved channels nor "
                  "rows that are shorter than what is swizzled",
                  CUDA_ERROR_NOT_SUPPORTED);
  TensorMap map = {};
  map.address = r.address;
  for (uint32_t i = 0; i < rank; ++i) {
    map.lastIndices[i] = static_cast<uint32_t>(sizes[i] - 1);
    map.box[i] = static_cast<uint16_t>(box[i]);
    map.elementStrides[i] = static_cast<uint8_t>(elementStrides[i]);
    if (i)
      map.strides[i - 1] = strides[i - 1];
  }
  map.type = static_cast<uint8_t>(type);
  map.rank = static_cast<uint8_t>(rank);
  map.interleave = static_cast<uint8_t>(interleave);
  map.swizzle = static_cast<uint8_t>(swizzle);
  map.promotion = static_cast<uint8_t>(promotion);
  map.fill = static_cast<uint8_t>(fill);
  map.seal();
  memcpy(out, &map, sizeof(map));
  return CUDA_SUCCESS;
}
