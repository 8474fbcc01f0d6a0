//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Freed blocks stay in per-class lists, so that a program that runs again finds
// its memory mapped and warm: a fresh 64 MB output costs 16,384 page faults.
// Eight classes per power of two keep rounding under 12.5 %. Blocks of 2 MiB
// and more are mapped on huge-page boundaries and ask for transparent huge
// pages.
//
//===----------------------------------------------------------------------===//

#include "Allocator.h"
#include "Error.h"

#include <atomic>
#include <cinttypes>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

using namespace coil::rt;

namespace {

constexpr int64_t minBlock = 64;
constexpr int64_t maxBlock = int64_t(1) << 47;
constexpr int64_t mapThreshold = int64_t(1) << 20;
constexpr int64_t hugePage = int64_t(2) << 20;
/// What is written behind poisoned memory, and how much of it there is at
/// least.
constexpr unsigned char guardByte = 0xFD;
constexpr int64_t guardBytes = 64;
constexpr unsigned stepBits = 3;
constexpr unsigned numClasses = (47 - 6) * (1u << stepBits) + 1;
/// How many larger classes may serve a request (at most a quarter is wasted).
constexpr unsigned searchDistance = 2;

/// Counters live beside the list that they describe and share its lock.
struct alignas(64) SizeClass {
  std::mutex mutex;
  Block *free = nullptr;
  int64_t freeCount = 0;
  int64_t usedCount = 0;
  int64_t hits = 0;
  int64_t misses = 0;
};

struct Allocator {
  SizeClass classes[numClasses];
  std::atomic<int64_t> cachedBytes{0};
  std::atomic<int64_t> cacheLimit;
  std::atomic<unsigned> colour{0};
  std::atomic<int64_t> failAfter{-1};
  std::atomic<bool> poison{false};
  std::atomic<int64_t> overruns{0};

  Allocator() {
    int64_t memory =
        int64_t(sysconf(_SC_PHYS_PAGES)) * int64_t(sysconf(_SC_PAGESIZE));
    cacheLimit = memory > 0 ? memory / 4 : int64_t(1) << 30;
  }
};

} // namespace

/// Never destroyed: blocks may be given back by static destructors.
static Allocator &allocator() {
  static Allocator *instance = new Allocator;
  return *instance;
}

/// Class 0 holds 64 bytes; class c >= 1 holds (8 + step) / 8 of a power of two.
static int64_t classCapacity(unsigned sizeClass) {
  if (sizeClass == 0)
    return minBlock;
  unsigned power = 6 + (sizeClass - 1) / 8, step = (sizeClass - 1) % 8 + 1;
  return (int64_t(8 + step) << power) >> stepBits;
}

static unsigned classOf(int64_t bytes) {
  if (bytes <= minBlock)
    return 0;
  unsigned power = 63 - __builtin_clzll(uint64_t(bytes - 1));
  // bytes - 1 lies in [2^power, 2^(power + 1)).
  unsigned step = unsigned((bytes - 1) >> (power - stepBits)) & 7;
  return (power - 6) * 8 + step + 1;
}

/// Bytes asked of the system for a mapped block. Streams that start at the same
/// offset of a page alias in the caches, so blocks start at varying offsets
/// below one page.
static int64_t mappedBytes(unsigned sizeClass) {
  int64_t bytes = classCapacity(sizeClass) + 4096 + int64_t(sizeof(Block));
  return (bytes + 4095) & ~int64_t(4095);
}

static Block *mapBlock(unsigned sizeClass) {
  int64_t capacity = classCapacity(sizeClass);
  if (capacity < mapThreshold) {
    void *base = nullptr;
    if (posix_memalign(&base, 64, size_t(capacity) + sizeof(Block)))
      return nullptr;
    Block *block = new (base) Block();
    block->base = base;
    return block;
  }
  int64_t bytes = mappedBytes(sizeClass);
  int64_t slack = capacity >= hugePage ? hugePage : 0;
  void *mapping = mmap(nullptr, size_t(bytes + slack), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED)
    return nullptr;
  char *base = static_cast<char *>(mapping);
  if (slack) {
    char *aligned = reinterpret_cast<char *>(
        (reinterpret_cast<uintptr_t>(base) + hugePage - 1) &
        ~uintptr_t(hugePage - 1));
    if (aligned != base)
      munmap(base, size_t(aligned - base));
    if (int64_t tail = slack - (aligned - base))
      munmap(aligned + bytes, size_t(tail));
    base = aligned;
    madvise(base, size_t(bytes), MADV_HUGEPAGE);
  }
  unsigned colour =
      allocator().colour.fetch_add(1, std::memory_order_relaxed) % 15;
  Block *block = new (base + colour * 256) Block();
  block->base = base;
  return block;
}

static void unmapBlock(Block *block) {
  unsigned sizeClass = block->sizeClass;
  if (classCapacity(sizeClass) < mapThreshold)
    free(block->base);
  else
    munmap(block->base, size_t(mappedBytes(sizeClass)));
}

/// Fills what is behind the requested bytes.
static void guard(Block *block) {
  block->isGuarded = true;
  memset(static_cast<char *>(block->data()) + block->requested, guardByte,
         size_t(classCapacity(block->sizeClass) - block->requested));
}

/// Counts the block if something was written behind the requested bytes.
static void checkGuard(Block *block) {
  block->isGuarded = false;
  const auto *data = static_cast<const unsigned char *>(block->data());
  for (int64_t i = block->requested; i != classCapacity(block->sizeClass); ++i)
    if (data[i] != guardByte) {
      allocator().overruns.fetch_add(1);
      return;
    }
}

/// Takes a cached block of exactly this class, or returns null.
static Block *takeCached(unsigned sizeClass) {
  SizeClass &list = allocator().classes[sizeClass];
  std::lock_guard<std::mutex> lock(list.mutex);
  Block *block = list.free;
  if (!block)
    return nullptr;
  list.free = block->next;
  --list.freeCount;
  ++list.usedCount;
  ++list.hits;
  allocator().cachedBytes.fetch_sub(classCapacity(sizeClass),
                                    std::memory_order_relaxed);
  return block;
}

/// Releases cached blocks, largest first and sparing `spared` until nothing
/// else is left, until at most `keep` bytes are cached.
static int64_t trim(int64_t keep, unsigned spared) {
  Allocator &state = allocator();
  int64_t released = 0;
  for (int pass = 0; pass < 2; ++pass) {
    for (unsigned c = numClasses; c-- > 0;) {
      if ((c == spared) != (pass == 1))
        continue;
      while (state.cachedBytes.load(std::memory_order_relaxed) > keep) {
        SizeClass &list = state.classes[c];
        std::unique_lock<std::mutex> lock(list.mutex);
        Block *block = list.free;
        if (!block)
          break;
        list.free = block->next;
        --list.freeCount;
        state.cachedBytes.fetch_sub(classCapacity(c),
                                    std::memory_order_relaxed);
        lock.unlock();
        released += classCapacity(c);
        unmapBlock(block);
      }
    }
  }
  return released;
}

bool coil::rt::injectAllocationFailure() {
  std::atomic<int64_t> &left = allocator().failAfter;
  if (left.load(std::memory_order_relaxed) < 0)
    return false;
  return left.fetch_sub(1, std::memory_order_relaxed) == 0;
}

bool coil::rt::poisonsAllocations() {
  return allocator().poison.load(std::memory_order_relaxed);
}

Block *coil::rt::allocateBlock(int64_t bytes) {
  if (bytes < 0) {
    fail(COIL_INVALID_ARGUMENT, "allocation of %" PRId64 " bytes", bytes);
    return nullptr;
  }
  if (bytes > maxBlock || injectAllocationFailure()) {
    fail(COIL_OUT_OF_MEMORY, "out of memory: cannot allocate %" PRId64 " bytes",
         bytes);
    return nullptr;
  }
  bool poisons = poisonsAllocations();
  unsigned sizeClass = classOf(bytes + (poisons ? guardBytes : 0));
  Block *block = nullptr;
  for (unsigned c = sizeClass, e = sizeClass + searchDistance;
       c <= e && c < numClasses && !block; ++c)
    block = takeCached(c);
  if (!block) {
    block = mapBlock(sizeClass);
    if (!block && trim(0, numClasses))
      block = mapBlock(sizeClass);
    if (!block) {
      fail(COIL_OUT_OF_MEMORY,
           "out of memory: cannot allocate %" PRId64 " bytes", bytes);
      return nullptr;
    }
    block->sizeClass = sizeClass;
    SizeClass &list = allocator().classes[sizeClass];
    std::lock_guard<std::mutex> lock(list.mutex);
    ++list.usedCount;
    ++list.misses;
  }
  block->state = Block::Owned;
  block->run = nullptr;
  block->requested = bytes;
  block->isGuarded = false;
  if (poisons) {
    memset(block->data(), 0xFF, size_t(bytes));
    guard(block);
  }
  return block;
}

void coil::rt::releaseBlock(Block *block) {
  Allocator &state = allocator();
  if (block->isGuarded)
    checkGuard(block);
  block->state = Block::Cached;
  block->run = nullptr;
  unsigned sizeClass = block->sizeClass;
  int64_t capacity = classCapacity(sizeClass);
  {
    SizeClass &list = state.classes[sizeClass];
    std::lock_guard<std::mutex> lock(list.mutex);
    block->next = list.free;
    list.free = block;
    ++list.freeCount;
    --list.usedCount;
  }
  int64_t limit = state.cacheLimit.load(std::memory_order_relaxed);
  int64_t cached =
      state.cachedBytes.fetch_add(capacity, std::memory_order_relaxed) +
      capacity;
  if (cached > limit)
    trim(limit, sizeClass);
}

extern "C" {

void coil_allocator_get_stats(coil_allocator_stats *stats) {
  *stats = {};
  for (unsigned c = 0; c < numClasses; ++c) {
    SizeClass &list = allocator().classes[c];
    std::lock_guard<std::mutex> lock(list.mutex);
    stats->in_use_bytes += list.usedCount * classCapacity(c);
    stats->cached_bytes += list.freeCount * classCapacity(c);
    stats->hits += list.hits;
    stats->misses += list.misses;
  }
}

int64_t coil_allocator_trim(int64_t keep_bytes) {
  return trim(keep_bytes < 0 ? 0 : keep_bytes, numClasses);
}

int64_t coil_allocator_set_cache_limit(int64_t bytes) {
  int64_t limit = bytes < 0 ? 0 : bytes;
  int64_t previous = allocator().cacheLimit.exchange(limit);
  trim(limit, numClasses);
  return previous;
}

int64_t coil_debug_fail_alloc_after(int64_t n) {
  return allocator().failAfter.exchange(n < 0 ? -1 : n);
}

void coil_debug_set_poison(int32_t enable) { allocator().poison = enable != 0; }

int64_t coil_debug_overruns(void) { return allocator().overruns.exchange(0); }

} // extern "C"
