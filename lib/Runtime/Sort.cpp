//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sorting and selecting on the CPU. Every element becomes an unsigned key whose
// order is the wanted one, followed by its position: such pairs are all
// different, so whatever sorts them is stable. Long lines are sorted by digits,
// short ones by comparison.
//
//===----------------------------------------------------------------------===//

#include "Sort.h"
#include "Run.h"
#include "Threads.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>

using namespace coil::rt;

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

namespace {

/// How the bits of an element are ordered.
enum class Order { Unsigned, Signed, Float };

/// Elements of the unsigned type `Bits`; `infinity` is that of a float.
template <typename BitsT, Order order, BitsT infinity = 0>
struct Element {
  using Bits = BitsT;

  /// A number that is larger for larger elements.
  static BitsT getKey(BitsT bits) {
    constexpr BitsT sign = BitsT(BitsT(1) << (8 * sizeof(BitsT) - 1));
    switch (order) {
    case Order::Unsigned:
      return bits;
    case Order::Signed:
      return bits ^ sign;
    case Order::Float:
      // All NaNs are one, above all numbers; 0.0 and -0.0 are one.
      if (BitsT(bits & ~sign) > infinity)
        return BitsT(~BitsT(0));
      if (bits == sign)
        return sign;
      return bits & sign ? BitsT(~bits) : BitsT(bits | sign);
    }
    return bits;
  }
};

/// A key of at most 32 bits above a position.
struct NarrowPair {
  uint64_t bits;

  static NarrowPair make(uint64_t key, uint64_t position) {
    return {key << 32 | position};
  }
  uint64_t getKey() const { return bits >> 32; }
  uint64_t getPosition() const { return bits & UINT32_MAX; }
  bool operator<(NarrowPair other) const { return bits < other.bits; }
};

struct WidePair {
  uint64_t key;
  uint64_t position;

  static WidePair make(uint64_t key, uint64_t position) {
    return {key, position};
  }
  uint64_t getKey() const { return key; }
  uint64_t getPosition() const { return position; }
  bool operator<(const WidePair &other) const {
    return key != other.key ? key < other.key : position < other.position;
  }
};

template <typename BitsT>
using PairOf = std::conditional_t<sizeof(BitsT) <= 4, NarrowPair, WidePair>;

/// Digits of a key.
template <typename BitsT>
struct Digits {
  static constexpr unsigned keyBits = 8 * sizeof(BitsT);
  static constexpr unsigned width = keyBits <= 16 ? 8 : 11;
  static constexpr unsigned count = (keyBits + width - 1) / width;
  static constexpr uint32_t values = 1u << width;
  static uint32_t get(uint64_t key, unsigned digit) {
    return uint32_t(key >> (digit * width)) & (values - 1);
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

/// From this length on sorting by digits is faster.
static constexpr int64_t kLongLine = 1024;
/// A selection of one in so many keeps few candidates.
static constexpr int64_t kFewSelected = 64;
/// Fewer elements are not worth a second thread.
static constexpr int64_t kSmallWork = 4096;
/// From this length on all threads sort one line, where there are fewer lines
/// than threads: merging costs one more pass over memory for each doubling.
static constexpr int64_t kSharedLine = 1 << 16;

/// Sorts `n` pairs by digits, and returns where they are then: `from`, or
/// `to`, which has as much room.
template <typename BitsT>
static PairOf<BitsT> *sortByDigits(PairOf<BitsT> *from, PairOf<BitsT> *to,
                                   int64_t n, uint32_t *counts) {
  using D = Digits<BitsT>;
  std::fill_n(counts, D::count * D::values, 0u);
  for (int64_t i = 0; i < n; ++i)
    for (unsigned d = 0; d < D::count; ++d)
      ++counts[d * D::values + D::get(from[i].getKey(), d)];
  for (unsigned d = 0; d < D::count; ++d) {
    uint32_t *places = counts + d * D::values;
    // One value for all changes nothing.
    if (places[D::get(from[0].getKey(), d)] == uint32_t(n))
      continue;
    uint32_t sum = 0;
    for (uint32_t v = 0; v < D::values; ++v) {
      uint32_t count = places[v];
      places[v] = sum;
      sum += count;
    }
    for (int64_t i = 0; i < n; ++i)
      to[places[D::get(from[i].getKey(), d)]++] = from[i];
    std::swap(from, to);
  }
  return from;
}

/// Puts the least `d.count` pairs of a line, of which they are few, in order in
/// front of `pairs`. Only what is less than the last of `d.count` candidates
/// can be one of them; of what comes later and is equal, none.
template <typename BitsT, typename GetKeyT>
static void selectFew(const coil_sort &d, PairOf<BitsT> *pairs,
                      GetKeyT getKey) {
  using Pair = PairOf<BitsT>;
  constexpr int64_t block = 16;
  int64_t used = 0, room = 2 * d.count;
  BitsT bound = 0;
  auto add = [&](int64_t i, BitsT key) {
    pairs[used++] = Pair::make(key, uint64_t(i));
    if (used < room)
      return;
    std::nth_element(pairs, pairs + d.count - 1, pairs + used);
    used = d.count;
    bound = BitsT(pairs[used - 1].getKey());
  };
  int64_t i = 0;
  for (; i < room; ++i)
    add(i, getKey(i));
  auto visit = [&](int64_t end) {
    for (; i < end; ++i)
      if (BitsT key = getKey(i); key < bound)
        add(i, key);
  };
  while (i + block <= d.size) {
    bool found = false;
    for (int64_t j = 0; j < block; ++j)
      found |= getKey(i + j) < bound;
    if (found)
      visit(i + block);
    else
      i += block;
  }
  visit(d.size);
  std::sort(pairs, pairs + used);
}

/// Memory for one line.
template <typename BitsT>
static int64_t getLineBytes(const coil_sort &d) {
  int64_t bytes = d.size * int64_t(sizeof(PairOf<BitsT>));
  if (d.count == d.size && d.size >= kLongLine)
    bytes = 2 * bytes + int64_t(Digits<BitsT>::count) * Digits<BitsT>::values *
                            int64_t(sizeof(uint32_t));
  return bytes;
}

/// Writes what pairs `begin` to `end` of a sorted line stand for.
template <typename PairT, typename BitsT>
static void writeSorted(const coil_sort &d, const PairT *pairs, int64_t begin,
                        int64_t end, const BitsT *x, BitsT *values,
                        int64_t *indices) {
  for (int64_t i = begin; i < end; ++i) {
    int64_t position = int64_t(pairs[i].getPosition());
    if (values)
      values[i * d.inner] = x[position * d.inner];
    if (indices)
      indices[i * d.inner] = position;
  }
}

/// Sorts the line that begins at `x`. `memory` has getLineBytes.
template <typename ElementT>
static void sortLine(const coil_sort &d, const typename ElementT::Bits *x,
                     typename ElementT::Bits *values, int64_t *indices,
                     void *memory) {
  using Bits = typename ElementT::Bits;
  using Pair = PairOf<Bits>;
  auto *pairs = static_cast<Pair *>(memory);
  Bits flip = d.descending ? Bits(~Bits(0)) : Bits(0);
  auto getKey = [&](int64_t i) {
    return Bits(ElementT::getKey(x[i * d.inner]) ^ flip);
  };
  bool few = d.count * kFewSelected <= d.size;
  for (int64_t i = 0; i < d.size && !few; ++i)
    pairs[i] = Pair::make(getKey(i), uint64_t(i));
  Pair *end = pairs + d.size, *wanted = pairs + d.count;
  if (few) {
    selectFew<Bits>(d, pairs, getKey);
  } else if (d.unordered) {
    std::nth_element(pairs, wanted - 1, end);
  } else if (d.count < d.size) {
    std::nth_element(pairs, wanted, end);
    std::sort(pairs, wanted);
  } else if (d.size < kLongLine) {
    std::sort(pairs, end);
  } else {
    auto *counts = reinterpret_cast<uint32_t *>(end + d.size);
    pairs = sortByDigits<Bits>(pairs, end, d.size, counts);
  }
  writeSorted(d, pairs, 0, d.count, x, values, indices);
}

/// How many of the first `count` pairs of two sorted sequences, merged, are of
/// the first one.
template <typename PairT>
static int64_t countOfFirst(const PairT *a, int64_t sizeOfA, const PairT *b,
                            int64_t sizeOfB, int64_t count) {
  int64_t low = std::max<int64_t>(0, count - sizeOfB),
          high = std::min(count, sizeOfA);
  while (low < high) {
    int64_t middle = (low + high) / 2;
    if (a[middle] < b[count - middle - 1])
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// Merges neighbours among sorted runs, which end where `ends` says, from
/// `from` to `to`: pairs `begin` to `end` of the result.
template <typename PairT>
static void mergeRuns(const PairT *from, PairT *to, const int64_t *ends,
                      int64_t numRuns, int64_t begin, int64_t end) {
  for (int64_t r = 0; r < numRuns; r += 2) {
    int64_t first = r ? ends[r - 1] : 0, second = ends[r],
            last = r + 1 < numRuns ? ends[r + 1] : second;
    int64_t low = std::max(first, begin), high = std::min(last, end);
    if (low >= high)
      continue;
    const PairT *a = from + first, *b = from + second;
    int64_t sizeOfA = second - first, sizeOfB = last - second;
    int64_t aLow = countOfFirst(a, sizeOfA, b, sizeOfB, low - first),
            aHigh = countOfFirst(a, sizeOfA, b, sizeOfB, high - first);
    std::merge(a + aLow, a + aHigh, b + (low - first - aLow),
               b + (high - first - aHigh), to + low);
  }
}

/// Memory for a line that `parts` threads sort together.
template <typename BitsT>
static int64_t getSharedBytes(const coil_sort &d, int64_t parts) {
  return 2 * d.size * int64_t(sizeof(PairOf<BitsT>)) +
         parts * int64_t(Digits<BitsT>::count) * Digits<BitsT>::values *
             int64_t(sizeof(uint32_t)) +
         parts * int64_t(sizeof(int64_t));
}

/// Sorts a long line with `parts` threads: each a part, which are merged.
/// `memory` has getSharedBytes.
template <typename ElementT>
static int32_t sortTogether(const coil_sort &d,
                            const typename ElementT::Bits *x,
                            typename ElementT::Bits *values, int64_t *indices,
                            void *memory, int64_t parts) {
  using Bits = typename ElementT::Bits;
  using Pair = PairOf<Bits>;
  using D = Digits<Bits>;
  auto *pairs = static_cast<Pair *>(memory), *others = pairs + d.size;
  auto *ends = reinterpret_cast<int64_t *>(others + d.size);
  auto *counts = reinterpret_cast<uint32_t *>(ends + parts);
  Bits flip = d.descending ? Bits(~Bits(0)) : Bits(0);
  auto eachPart = [&](auto &&work) {
    return parallelFor(parts, 1, [&](int64_t first, int64_t last) {
      for (int64_t part = first; part < last; ++part)
        work(part, d.size * part / parts, d.size * (part + 1) / parts);
    });
  };
  int32_t status = eachPart([&](int64_t part, int64_t begin, int64_t end) {
    ends[part] = end;
    for (int64_t i = begin; i < end; ++i)
      pairs[i] = Pair::make(Bits(ElementT::getKey(x[i * d.inner]) ^ flip),
                            uint64_t(i));
    Pair *sorted =
        sortByDigits<Bits>(pairs + begin, others + begin, end - begin,
                           counts + part * D::count * D::values);
    if (sorted != pairs + begin)
      std::copy_n(sorted, end - begin, pairs + begin);
  });
  for (int64_t runs = parts; runs > 1 && status == COIL_OK;) {
    status = eachPart([&](int64_t, int64_t begin, int64_t end) {
      mergeRuns(pairs, others, ends, runs, begin, end);
    });
    std::swap(pairs, others);
    for (int64_t r = 0; r < runs; r += 2)
      ends[r / 2] = ends[std::min(r + 1, runs - 1)];
    runs = (runs + 1) / 2;
  }
  if (status != COIL_OK)
    return status;
  return eachPart([&](int64_t, int64_t begin, int64_t end) {
    writeSorted(d, pairs, begin, end, x, values, indices);
  });
}

template <typename ElementT>
static int32_t sortLines(coil_run *run, const coil_sort &d, const void *x,
                         void *values, int64_t *indices) {
  using Bits = typename ElementT::Bits;
  int64_t lines = d.outer * d.inner;
  int64_t parts = lines * d.size <= kSmallWork
                      ? 1
                      : std::min<int64_t>(lines, coil_get_num_threads());
  Scratch scratch(run);
  int64_t threads = coil_get_num_threads();
  if (lines < threads && d.count == d.size && d.size >= kSharedLine) {
    void *memory = scratch.allocate(getSharedBytes<Bits>(d, threads));
    if (!memory)
      return COIL_OUT_OF_MEMORY;
    int32_t status = COIL_OK;
    for (int64_t line = 0; line < lines && status == COIL_OK; ++line) {
      int64_t at = line / d.inner * d.size * d.inner + line % d.inner;
      status = sortTogether<ElementT>(
          d, static_cast<const Bits *>(x) + at,
          values ? static_cast<Bits *>(values) + at : nullptr,
          indices ? indices + at : nullptr, memory, threads);
    }
    return status;
  }
  // Parts do not share lines of the cache.
  int64_t bytes = (getLineBytes<Bits>(d) + 63) / 64 * 64;
  auto *memory = static_cast<char *>(scratch.allocate(parts * bytes));
  if (!memory)
    return COIL_OUT_OF_MEMORY;
  auto *from = static_cast<const Bits *>(x);
  auto *to = static_cast<Bits *>(values);
  return parallelFor(parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; ++part)
      for (int64_t line = lines * part / parts,
                   last = lines * (part + 1) / parts;
           line < last; ++line) {
        int64_t outer = line / d.inner, inner = line % d.inner;
        int64_t out = outer * d.count * d.inner + inner;
        sortLine<ElementT>(
            d, from + outer * d.size * d.inner + inner, to ? to + out : nullptr,
            indices ? indices + out : nullptr, memory + part * bytes);
      }
  });
}

//===----------------------------------------------------------------------===//
// Interface
//===----------------------------------------------------------------------===//

int32_t coil::rt::verifySort(const coil_sort *desc, int64_t limit) {
  const coil_sort &d = *desc;
  if (d.struct_size != sizeof(coil_sort))
    return fail(COIL_INVALID_ARGUMENT,
                "a sort was compiled for another version of the runtime");
  if (d.outer < 0 || d.size < 0 || d.inner < 0 || d.count < 0)
    return fail(COIL_INVALID_ARGUMENT, "negative size");
  if (d.count > d.size)
    return fail(COIL_INVALID_ARGUMENT,
                "cannot take %" PRId64 " of %" PRId64 " elements", d.count,
                d.size);
  if (d.size >= limit)
    return fail(COIL_UNSUPPORTED, "cannot sort %" PRId64 " elements", d.size);
  if (coil_dtype_size(d.dtype) == 0 || d.dtype == COIL_F8E4M3FN ||
      d.dtype == COIL_F8E5M2)
    return fail(COIL_UNSUPPORTED, "elements of type %s have no order",
                coil_dtype_name(d.dtype) ? coil_dtype_name(d.dtype) : "?");
  return COIL_OK;
}

static int32_t sort(coil_run *run, const coil_sort *desc, const void *x,
                    void *values, int64_t *indices) {
  if (int32_t status = verifySort(desc, int64_t(1) << 32))
    return status;
  const coil_sort &d = *desc;
  if (d.outer == 0 || d.inner == 0 || d.count == 0)
    return COIL_OK;
  auto sortAs = [&](auto element) {
    return sortLines<decltype(element)>(run, d, x, values, indices);
  };
  switch (d.dtype) {
  case COIL_BOOL:
  case COIL_U8:
    return sortAs(Element<uint8_t, Order::Unsigned>());
  case COIL_I8:
    return sortAs(Element<uint8_t, Order::Signed>());
  case COIL_U16:
    return sortAs(Element<uint16_t, Order::Unsigned>());
  case COIL_I16:
    return sortAs(Element<uint16_t, Order::Signed>());
  case COIL_U32:
    return sortAs(Element<uint32_t, Order::Unsigned>());
  case COIL_I32:
    return sortAs(Element<uint32_t, Order::Signed>());
  case COIL_U64:
    return sortAs(Element<uint64_t, Order::Unsigned>());
  case COIL_I64:
    return sortAs(Element<uint64_t, Order::Signed>());
  case COIL_F16:
    return sortAs(Element<uint16_t, Order::Float, 0x7C00>());
  case COIL_BF16:
    return sortAs(Element<uint16_t, Order::Float, 0x7F80>());
  case COIL_F32:
    return sortAs(Element<uint32_t, Order::Float, 0x7F800000>());
  case COIL_F64:
    return sortAs(Element<uint64_t, Order::Float, 0x7FF0000000000000>());
  default:
    return fail(COIL_INTERNAL, "unknown element type %d", d.dtype);
  }
}

extern "C" int32_t coil_rt_sort(coil_run *run, const coil_sort *desc,
                                const void *x, void *values, int64_t *indices) {
  TraceStep step(run, COIL_TRACE_LIBRARY, "sort");
  ++run->stats.library_calls;
  int32_t status = guarded([&] { return sort(run, desc, x, values, indices); });
  return step.finish(nameFailure(status, "sort", desc->where),
                     values ? values : indices, 0);
}
