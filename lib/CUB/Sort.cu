//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libcoil-cub.so: sorts lines on GPUs. Every element becomes an unsigned key
// whose order is the wanted one, so there is one way to sort for all types, in
// either direction; radix sorts are stable. Lines that a block's registers hold
// are sorted there, in one kernel without workspace; a single line that the
// blocks of one launch hold together in one kernel, too; others in memory.
// Values are taken from the operand by position: keys know neither the sign of
// zeros nor NaNs apart.
//
//===----------------------------------------------------------------------===//

#include "../Runtime/CUDA/Cub.h"

#include <cub/block/block_radix_rank.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>

#define EXPORT extern "C" __attribute__((visibility("default")))

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

namespace {

/// How elements are read; a coil_dtype by its bits.
struct Type {
  int bytes;
  bool isSigned;
  bool isFloat;
  /// The bits of infinity.
  unsigned long long infinity;
};

} // namespace

static bool getType(int32_t dtype, Type &type) {
  switch (dtype) {
  case COIL_BOOL:
  case COIL_U8:
    type = {1, false, false, 0};
    return true;
  case COIL_I8:
    type = {1, true, false, 0};
    return true;
  case COIL_U16:
    type = {2, false, false, 0};
    return true;
  case COIL_I16:
    type = {2, true, false, 0};
    return true;
  case COIL_U32:
    type = {4, false, false, 0};
    return true;
  case COIL_I32:
    type = {4, true, false, 0};
    return true;
  case COIL_U64:
    type = {8, false, false, 0};
    return true;
  case COIL_I64:
    type = {8, true, false, 0};
    return true;
  case COIL_F16:
    type = {2, true, true, 0x7C00};
    return true;
  case COIL_BF16:
    type = {2, true, true, 0x7F80};
    return true;
  case COIL_F32:
    type = {4, true, true, 0x7F800000};
    return true;
  case COIL_F64:
    type = {8, true, true, 0x7FF0000000000000};
    return true;
  default:
    return false;
  }
}

namespace {

/// What kernels know of a sort.
struct Problem {
  Type type;
  bool descending;
  const void *x;
  void *values;
  int64_t *indices;
  int64_t lines;
  int64_t size;
  int64_t inner;
  int64_t count;

  /// Where a line begins in a tensor of `length` elements along the dimension.
  __device__ int64_t getStart(int64_t line, int64_t length) const {
    return line / inner * length * inner + line % inner;
  }

  __device__ unsigned long long load(int64_t i) const {
    switch (type.bytes) {
    case 1:
      return static_cast<const unsigned char *>(x)[i];
    case 2:
      return static_cast<const unsigned short *>(x)[i];
    case 4:
      return static_cast<const unsigned *>(x)[i];
    default:
      return static_cast<const unsigned long long *>(x)[i];
    }
  }

  /// A number that is larger for what comes later.
  template <typename Key>
  __device__ Key getKey(int64_t i) const {
    Key bits = static_cast<Key>(load(i));
    Key sign = Key(1) << (8 * type.bytes - 1), all = sign | (sign - 1), key;
    if (!type.isSigned)
      key = bits;
    else if (!type.isFloat)
      key = bits ^ sign;
    else if ((bits & ~sign) > static_cast<Key>(type.infinity))
      key = all; // All NaNs are one, above all numbers,
    else if (bits == sign)
      key = sign; // and 0.0 and -0.0 are one.
    else
      key = bits & sign ? bits ^ all : bits | sign;
    return descending ? key ^ all : key;
  }

  /// Writes result `i` of a line: the element at `position` of it.
  __device__ void store(int64_t line, int64_t i, int64_t position) const {
    int64_t to = getStart(line, count) + i * inner;
    if (indices)
      indices[to] = position;
    if (!values)
      return;
    int64_t from = getStart(line, size) + position * inner;
    switch (type.bytes) {
    case 1:
      static_cast<unsigned char *>(values)[to] =
          static_cast<unsigned char>(load(from));
      return;
    case 2:
      static_cast<unsigned short *>(values)[to] =
          static_cast<unsigned short>(load(from));
      return;
    case 4:
      static_cast<unsigned *>(values)[to] = static_cast<unsigned>(load(from));
      return;
    default:
      static_cast<unsigned long long *>(values)[to] = load(from);
      return;
    }
  }
};

//===----------------------------------------------------------------------===//
// Lines that a block holds
//===----------------------------------------------------------------------===//

template <typename Key, int threads, int items>
__global__ void __launch_bounds__(threads) sortInBlock(Problem p) {
  using Sort = cub::BlockRadixSort<Key, threads, items, unsigned>;
  __shared__ typename Sort::TempStorage storage;
  Key keys[items];
  unsigned positions[items];
  int64_t line = blockIdx.x, start = p.getStart(line, p.size);
  // What is behind the line comes last: it is behind all equal keys.
  for (int i = 0; i < items; ++i) {
    unsigned k = threadIdx.x * items + i;
    keys[i] = k < p.size ? p.getKey<Key>(start + k * p.inner) : ~Key(0);
    positions[i] = k;
  }
  Sort(storage).SortBlockedToStriped(keys, positions, 0, 8 * p.type.bytes);
  for (int i = 0; i < items; ++i) {
    int64_t k = threadIdx.x + i * threads;
    if (k < p.count)
      p.store(line, k, positions[i]);
  }
}

/// The longest line that a block holds.
constexpr int64_t kLongestInBlock = 4096;

} // namespace

template <typename Key>
static cudaError_t launchInBlock(const Problem &p, cudaStream_t stream) {
  unsigned blocks = static_cast<unsigned>(p.lines);
  if (p.size <= 32)
    sortInBlock<Key, 32, 1><<<blocks, 32, 0, stream>>>(p);
  else if (p.size <= 128)
    sortInBlock<Key, 32, 4><<<blocks, 32, 0, stream>>>(p);
  else if (p.size <= 512)
    sortInBlock<Key, 128, 4><<<blocks, 128, 0, stream>>>(p);
  else if (p.size <= 1024)
    sortInBlock<Key, 128, 8><<<blocks, 128, 0, stream>>>(p);
  else if (p.size <= 2048)
    sortInBlock<Key, 256, 8><<<blocks, 256, 0, stream>>>(p);
  else
    sortInBlock<Key, 256, 16><<<blocks, 256, 0, stream>>>(p);
  return cudaGetLastError();
}

//===----------------------------------------------------------------------===//
// Longer lines
//===----------------------------------------------------------------------===//

namespace {

/// Keys and positions of all lines, one line after the other.
template <typename Key>
__global__ void makeKeys(Problem p, Key *keys, unsigned *positions) {
  int64_t step = int64_t(gridDim.x) * blockDim.x;
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
       i < p.lines * p.size; i += step) {
    int64_t line = i / p.size, k = i % p.size;
    keys[i] = p.getKey<Key>(p.getStart(line, p.size) + k * p.inner);
    positions[i] = static_cast<unsigned>(k);
  }
}

__global__ void storeResults(Problem p, const unsigned *positions) {
  int64_t step = int64_t(gridDim.x) * blockDim.x;
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
       i < p.lines * p.count; i += step) {
    int64_t line = i / p.count, k = i % p.count;
    p.store(line, k, positions[line * p.size + k]);
  }
}

/// Where lines begin.
struct LineStarts {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = int;
  using difference_type = int64_t;
  using pointer = const int *;
  using reference = int;

  int size;
  int64_t first;

  __host__ __device__ int operator[](int64_t i) const {
    return static_cast<int>((first + i) * size);
  }
  __host__ __device__ LineStarts operator+(int64_t n) const {
    return {size, first + n};
  }
};

/// A line this many times longer than there are lines is sorted by all of the
/// device, one after the other; otherwise each has a block.
constexpr int64_t kLongLine = 16384;

constexpr int64_t kAlignment = 256;

/// The workspace of a sort in memory: two keys and two positions of each
/// element, and what CUB asks for.
template <typename Key>
struct Workspace {
  explicit Workspace(int64_t elements)
      : keyBytes(align(elements * int64_t(sizeof(Key)))),
        positionBytes(align(elements * int64_t(sizeof(unsigned)))) {}

  static int64_t align(int64_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
  int64_t getOwnBytes() const { return 2 * (keyBytes + positionBytes); }
  Key *getKeys(void *memory, int i) const {
    return reinterpret_cast<Key *>(static_cast<char *>(memory) + i * keyBytes);
  }
  unsigned *getPositions(void *memory, int i) const {
    return reinterpret_cast<unsigned *>(static_cast<char *>(memory) +
                                        2 * keyBytes + i * positionBytes);
  }
  void *getRest(void *memory) const {
    return static_cast<char *>(memory) + getOwnBytes();
  }

  int64_t keyBytes;
  int64_t positionBytes;
};

bool isLineByLine(const Problem &p) { return p.lines * kLongLine <= p.size; }

} // namespace

/// Sorts the keys of all lines; a null `temporary` asks for its bytes. `which`
/// is the half of each pair of buffers that has the results.
template <typename Key>
static cudaError_t sortKeys(const Problem &p, const Workspace<Key> &w,
                            void *memory, void *temporary, size_t &bytes,
                            int &which, cudaStream_t stream) {
  int end = 8 * p.type.bytes;
  int64_t lines = isLineByLine(p) ? p.lines : 1;
  for (int64_t line = 0; line < lines; ++line) {
    int64_t offset = line * p.size;
    cub::DoubleBuffer<Key> keys(w.getKeys(memory, 0) + offset,
                                w.getKeys(memory, 1) + offset);
    cub::DoubleBuffer<unsigned> positions(w.getPositions(memory, 0) + offset,
                                          w.getPositions(memory, 1) + offset);
    LineStarts starts = {static_cast<int>(p.size), 0};
    cudaError_t error =
        isLineByLine(p)
            ? cub::DeviceRadixSort::SortPairs(temporary, bytes, keys, positions,
                                              static_cast<int>(p.size), 0, end,
                                              stream)
            : cub::DeviceSegmentedRadixSort::SortPairs(
                  temporary, bytes, keys, positions,
                  static_cast<int>(p.lines * p.size), static_cast<int>(p.lines),
                  starts, starts + 1, 0, end, stream);
    which = positions.selector;
    if (error != cudaSuccess || !temporary)
      return error;
  }
  return cudaSuccess;
}

template <typename Key>
static cudaError_t getWorkspace(const Problem &p, int64_t &bytes) {
  Workspace<Key> w(p.lines * p.size);
  size_t temporary = 0;
  int which = 0;
  cudaError_t error =
      sortKeys<Key>(p, w, nullptr, nullptr, temporary, which, nullptr);
  bytes = w.getOwnBytes() + int64_t(temporary);
  return error;
}

template <typename Key>
static cudaError_t sortInMemory(const Problem &p, void *memory, int64_t bytes,
                                cudaStream_t stream) {
  constexpr unsigned threads = 256, most = 8192;
  auto getBlocks = [](int64_t n) {
    int64_t blocks = (n + threads - 1) / threads;
    return static_cast<unsigned>(blocks < most ? blocks : most);
  };
  Workspace<Key> w(p.lines * p.size);
  makeKeys<Key><<<getBlocks(p.lines * p.size), threads, 0, stream>>>(
      p, w.getKeys(memory, 0), w.getPositions(memory, 0));
  if (cudaError_t error = cudaGetLastError())
    return error;
  size_t temporary = size_t(bytes - w.getOwnBytes());
  int which = 0;
  if (cudaError_t error = sortKeys<Key>(p, w, memory, w.getRest(memory),
                                        temporary, which, stream))
    return error;
  storeResults<<<getBlocks(p.lines * p.count), threads, 0, stream>>>(
      p, w.getPositions(memory, which));
  return cudaGetLastError();
}

//===----------------------------------------------------------------------===//
// A line that blocks hold together
//===----------------------------------------------------------------------===//
//
// CUB's passes over so few elements take the time of their launches and of one
// tile after the other. Here all blocks run at once and wait for each other
// between the two halves of a pass: the ranks of their own keys and how many
// of each digit they have, then where these go. Bits that all keys have in
// common need no pass, and only the keys themselves say which these are.

namespace {

constexpr int kTogetherThreads = 512, kDigitBits = 9, kDigits = 1 << kDigitBits;
static_assert(kDigits == kTogetherThreads, "each thread counts one digit");
/// The most blocks that a line takes, and the longest line, by the bytes of its
/// keys: with eight, twice as many passes may be needed.
constexpr int kTogetherBlocks = 64;
constexpr int64_t kLongestTogether = 262144, kLongestWideTogether = 131072;

/// What the blocks share, zero when they start.
struct Meeting {
  unsigned long long differing;
  unsigned arrived;
};

/// The workspace: two keys and two positions of each element, how many of each
/// digit each block has, and the meeting.
template <typename Key>
struct TogetherWorkspace {
  Key *keys[2];
  unsigned *positions[2];
  unsigned *counts;
  Meeting *meeting;

  /// Places everything in `memory`; returns the bytes.
  int64_t place(char *memory, int64_t size) {
    char *end = memory;
    auto take = [&](int64_t bytes) {
      char *at = end;
      end += (bytes + kAlignment - 1) / kAlignment * kAlignment;
      return at;
    };
    for (int i = 0; i < 2; ++i) {
      keys[i] = reinterpret_cast<Key *>(take(size * int64_t(sizeof(Key))));
      positions[i] =
          reinterpret_cast<unsigned *>(take(size * int64_t(sizeof(unsigned))));
    }
    counts = reinterpret_cast<unsigned *>(
        take(int64_t(kTogetherBlocks) * kDigits * sizeof(unsigned)));
    meeting = reinterpret_cast<Meeting *>(take(sizeof(Meeting)));
    return end - memory;
  }
};

/// Waits until all blocks have come here `times` times.
__device__ void meet(Meeting *meeting, unsigned times) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(&meeting->arrived, 1u);
    while (*const_cast<volatile unsigned *>(&meeting->arrived) <
           times * gridDim.x)
      ;
    __threadfence();
  }
  __syncthreads();
}

template <typename Key, int items>
__global__ void __launch_bounds__(kTogetherThreads)
    sortTogether(Problem p, TogetherWorkspace<Key> w) {
  using Rank = cub::BlockRadixRankMatch<kTogetherThreads, kDigitBits, false>;
  using Scan = cub::BlockScan<unsigned, kTogetherThreads>;
  __shared__ union {
    typename Rank::TempStorage rank;
    typename Scan::TempStorage scan;
  } storage;
  __shared__ unsigned begins[kDigits + 1];
  __shared__ unsigned long long differingHere;
  constexpr int tile = kTogetherThreads * items;
  constexpr int keyBits = 8 * sizeof(Key);
  unsigned digit = threadIdx.x, meetings = 0;
  // A warp has consecutive keys, a lane every 32nd of them.
  unsigned first = blockIdx.x * tile + threadIdx.x / 32 * 32 * items +
                   threadIdx.x % 32,
           size = static_cast<unsigned>(p.size);

  // What is behind the line comes last: it is behind all equal keys.
  Key keys[items], differing = 0, some = p.getKey<Key>(0);
  unsigned positions[items];
  for (int i = 0; i < items; ++i) {
    unsigned k = first + i * 32;
    keys[i] = k < size ? p.getKey<Key>(k * p.inner) : ~Key(0);
    positions[i] = k;
    differing |= k < size ? keys[i] ^ some : 0;
  }
  // One atomic operation a block: thousands at one address would wait for one
  // another.
  if (threadIdx.x == 0)
    differingHere = 0;
  __syncthreads();
  for (int lanes = 16; lanes > 0; lanes /= 2)
    differing |= __shfl_xor_sync(~0u, differing, lanes);
  if (threadIdx.x % 32 == 0 && differing)
    atomicOr(&differingHere, static_cast<unsigned long long>(differing));
  __syncthreads();
  if (threadIdx.x == 0 && differingHere)
    atomicOr(&w.meeting->differing, differingHere);

  int from = -1; // The half that has the keys, or none yet.
  for (int bit = 0; bit < keyBits; bit += kDigitBits) {
    cub::BFEDigitExtractor<Key> extractor(
        bit, keyBits - bit < kDigitBits ? keyBits - bit : kDigitBits);
    if (from >= 0) {
      if ((differing >> bit & (kDigits - 1)) == 0)
        continue;
      for (int i = 0; i < items; ++i) {
        unsigned k = first + i * 32;
        keys[i] = k < size ? __ldcg(w.keys[from] + k) : ~Key(0);
        positions[i] = k < size ? __ldcg(w.positions[from] + k) : 0;
      }
    }
    int ranks[items], begin[1];
    Rank(storage.rank).RankKeys(keys, ranks, extractor, begin);
    begins[digit] = static_cast<unsigned>(begin[0]);
    if (digit == 0)
      begins[kDigits] = tile;
    __syncthreads();
    w.counts[blockIdx.x * kDigits + digit] =
        begins[digit + 1] - static_cast<unsigned>(begin[0]);
    meet(w.meeting, ++meetings);

    if (from < 0)
      differing = static_cast<Key>(
          *const_cast<volatile unsigned long long *>(&w.meeting->differing));
    // Shifts by all bits of a key are none.
    bool isLast = bit + kDigitBits >= keyBits ||
                  (differing >> (bit + kDigitBits - 1) >> 1) == 0;
    unsigned all = 0, before = 0;
#pragma unroll 8
    for (unsigned block = 0; block < gridDim.x; ++block) {
      unsigned count = __ldcg(w.counts + block * kDigits + digit);
      all += count;
      before += block < blockIdx.x ? count : 0;
    }
    unsigned start;
    Scan(storage.scan).ExclusiveSum(all, start);
    begins[digit] = start + before - static_cast<unsigned>(begin[0]);
    __syncthreads();
    int to = from < 0 ? 0 : 1 - from;
    for (int i = 0; i < items; ++i) {
      unsigned k = begins[extractor.Digit(keys[i])] + ranks[i];
      if (k >= size)
        continue;
      if (!isLast) {
        w.keys[to][k] = keys[i];
        w.positions[to][k] = positions[i];
      } else if (k < p.count) {
        p.store(0, k, positions[i]);
      }
    }
    if (isLast)
      return;
    meet(w.meeting, ++meetings);
    from = to;
  }
}

} // namespace

static_assert(kLongestTogether <=
                  int64_t(kTogetherBlocks) * kTogetherThreads * 8,
              "the longest line needs more keys in a thread");

template <typename Key>
static const void *getTogetherKernel(int items) {
  if (items == 2)
    return reinterpret_cast<const void *>(&sortTogether<Key, 2>);
  if (items == 4)
    return reinterpret_cast<const void *>(&sortTogether<Key, 4>);
  return reinterpret_cast<const void *>(&sortTogether<Key, 8>);
}

/// Whether all blocks that a line takes run at once on the current device.
static bool canSortTogether(const Problem &p) {
  if (p.lines != 1 ||
      p.size > (p.type.bytes == 8 ? kLongestWideTogether : kLongestTogether))
    return false;
  int device = 0, processors = 0, isCooperative = 0;
  if (cudaGetDevice(&device) ||
      cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount,
                             device) ||
      cudaDeviceGetAttribute(&isCooperative, cudaDevAttrCooperativeLaunch,
                             device)) {
    cudaGetLastError();
    return false;
  }
  // One block finds room on every processor.
  return isCooperative && processors >= kTogetherBlocks;
}

template <typename Key>
static cudaError_t launchTogether(const Problem &p, void *memory,
                                  cudaStream_t stream) {
  TogetherWorkspace<Key> w;
  w.place(static_cast<char *>(memory), p.size);
  if (cudaError_t error =
          cudaMemsetAsync(w.meeting, 0, sizeof(Meeting), stream))
    return error;
  int items = 2;
  while (p.size > int64_t(kTogetherBlocks) * kTogetherThreads * items)
    items *= 2;
  int64_t tile = int64_t(kTogetherThreads) * items;
  Problem problem = p;
  void *args[] = {&problem, &w};
  return cudaLaunchCooperativeKernel(
      getTogetherKernel<Key>(items),
      dim3(static_cast<unsigned>((p.size + tile - 1) / tile)),
      dim3(kTogetherThreads), args, 0, stream);
}

//===----------------------------------------------------------------------===//
// Interface
//===----------------------------------------------------------------------===//

static bool getProblem(const coil_sort *desc, Problem &p) {
  if (desc->struct_size != sizeof(coil_sort) || !getType(desc->dtype, p.type))
    return false;
  p.descending = desc->descending != 0;
  p.x = nullptr;
  p.values = nullptr;
  p.indices = nullptr;
  p.lines = desc->outer * desc->inner;
  p.size = desc->size;
  p.inner = desc->inner;
  p.count = desc->count;
  return true;
}

EXPORT int32_t coil_cub_version(void) { return COIL_CUB_VERSION; }

EXPORT const char *coil_cub_describe(int32_t error) {
  return cudaGetErrorString(static_cast<cudaError_t>(error));
}

EXPORT int32_t coil_cub_sort_workspace(const coil_sort *desc, int64_t *bytes) {
  Problem p;
  *bytes = 0;
  if (!getProblem(desc, p))
    return cudaErrorInvalidValue;
  if (p.size <= kLongestInBlock)
    return cudaSuccess;
  if (canSortTogether(p)) {
    bytes[0] =
        p.type.bytes == 8
            ? TogetherWorkspace<unsigned long long>().place(nullptr, p.size)
            : TogetherWorkspace<unsigned>().place(nullptr, p.size);
    return cudaSuccess;
  }
  return p.type.bytes == 8 ? getWorkspace<unsigned long long>(p, *bytes)
                           : getWorkspace<unsigned>(p, *bytes);
}

EXPORT int32_t coil_cub_sort(const coil_sort *desc, const void *x, void *values,
                             int64_t *indices, void *workspace, int64_t bytes,
                             void *stream) {
  Problem p;
  if (!getProblem(desc, p))
    return cudaErrorInvalidValue;
  p.x = x;
  p.values = values;
  p.indices = indices;
  auto queue = static_cast<cudaStream_t>(stream);
  bool isWide = p.type.bytes == 8;
  if (p.size <= kLongestInBlock)
    return isWide ? launchInBlock<unsigned long long>(p, queue)
                  : launchInBlock<unsigned>(p, queue);
  if (canSortTogether(p))
    return isWide ? launchTogether<unsigned long long>(p, workspace, queue)
                  : launchTogether<unsigned>(p, workspace, queue);
  return isWide ? sortInMemory<unsigned long long>(p, workspace, bytes, queue)
                : sortInMemory<unsigned>(p, workspace, bytes, queue);
}
