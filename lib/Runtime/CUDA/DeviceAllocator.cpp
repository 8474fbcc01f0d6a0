//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Segments, splitting and joining of device memory.
//
//===----------------------------------------------------------------------===//

#include "DeviceAllocator.h"

#include "../Allocator.h"
#include "Device.h"

#include <algorithm>
#include <cinttypes>
#include <cstdlib>
#include <cstring>
#include <utility>

using namespace coil::rt;
using namespace coil::rt::cuda;

/// What cuMemAlloc aligns to, and kernels and libraries may rely on.
static constexpr int64_t granule = 512;
static constexpr int64_t smallLimit = int64_t(1) << 20;
static constexpr int64_t smallSegment = int64_t(2) << 20;
static constexpr int64_t mediumLimit = int64_t(10) << 20;
static constexpr int64_t mediumSegment = int64_t(20) << 20;
static constexpr int64_t largeGranule = int64_t(2) << 20;
/// Kernels may load whole vectors.
static constexpr int64_t directGranule = 16;
/// Segments of an installed allocator have at least so much.
static constexpr int64_t foreignSegment = int64_t(64) << 10;
static constexpr int64_t maxBlock = int64_t(1) << 47;

static int64_t roundUp(int64_t value, int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

/// Whether a block belongs to the small ones: its segment decides, which is
/// known by the size of what is asked for.
static bool isSmall(int64_t bytes) { return bytes <= smallLimit; }

/// COIL_CUDA_CACHING=0 turns caching off, but for the memory of graphs, which
/// keeps its addresses.
static bool caches() {
  static const bool value = [] {
    const char *text = getenv("COIL_CUDA_CACHING");
    return !text || strcmp(text, "0") != 0;
  }();
  return value;
}

MemoryPool *DeviceAllocator::createPool(const MemorySource *source) {
  std::lock_guard<std::mutex> lock(mutex);
  MemoryPool *pool =
      allPools.insert(std::make_unique<MemoryPool>()).first->get();
  pool->keep = true;
  pool->source = source;
  return pool;
}

MemoryPool *DeviceAllocator::getPool(CUstream stream,
                                     const MemorySource *source) {
  MemoryPool *last = lastPool.load(std::memory_order_acquire);
  if (last && last->stream == stream && last->source == source)
    return last;
  std::lock_guard<std::mutex> lock(mutex);
  MemoryPool *&pool = pools[{stream, source}];
  if (!pool) {
    pool = allPools.insert(std::make_unique<MemoryPool>()).first->get();
    pool->direct = !source && !caches();
    pool->source = source;
    pool->isOfStream = true;
    pool->stream = stream;
  }
  lastPool.store(pool, std::memory_order_release);
  return pool;
}

void DeviceAllocator::trimPool(MemoryPool *pool) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    trimLocked(0, pool);
  }
  giveBackSegments();
}

void DeviceAllocator::destroyPool(MemoryPool *pool) {
  trimPool(pool);
  std::lock_guard<std::mutex> lock(mutex);
  auto found = std::find_if(
      allPools.begin(), allPools.end(),
      [&](const std::unique_ptr<MemoryPool> &p) { return p.get() == pool; });
  if (found != allPools.end() && pool->free[0].empty() && pool->free[1].empty())
    allPools.erase(found);
}

/// Asks the driver for a segment; null when it has none.
DeviceBlock *DeviceAllocator::allocateSegment(MemoryPool *pool, int64_t bytes,
                                              bool small) {
  int64_t size = small                  ? smallSegment
                 : bytes <= mediumLimit ? mediumSegment
                                        : roundUp(bytes, largeGranule);
  ContextGuard guard(device);
  if (pool->direct)
    size = bytes;
  CUdeviceptr address = 0;
  if (device.driver.memAlloc(&address, size_t(size)) != CUDA_SUCCESS) {
    // Close to the end, a segment of exactly this size may still fit.
    if (!pool->direct)
      size = roundUp(bytes, small ? granule : largeGranule);
    if (device.driver.memAlloc(&address, size_t(size)) != CUDA_SUCCESS)
      return nullptr;
  }
  return addSegment(pool, address, size);
}

DeviceBlock *DeviceAllocator::addSegment(MemoryPool *pool, CUdeviceptr address,
                                         int64_t size) {
  auto *block = new DeviceBlock;
  block->address = address;
  block->size = size;
  block->pool = pool;
  block->free = true;
  pool->reserved += size;
  stats.cached_bytes += size;
  stats.peak_reserved_bytes = std::max(stats.peak_reserved_bytes,
                                       stats.in_use_bytes + stats.cached_bytes);
  return block;
}

void DeviceAllocator::returnSegment(DeviceBlock *block, bool small) {
  block->pool->free[small].erase(block);
  stats.cached_bytes -= block->size;
  block->pool->reserved -= block->size;
  if (const MemorySource *source = block->pool->source)
    returned.push_back({source, block->address, block->size});
  else // The driver waits for work that still uses the memory.
    device.driver.memFree(block->address);
  delete block;
}

int64_t DeviceAllocator::trimLocked(int64_t keep, MemoryPool *only) {
  ContextGuard guard(device);
  int64_t released = 0;
  for (const std::unique_ptr<MemoryPool> &pool : allPools) {
    if (only ? pool.get() != only : pool->keep)
      continue;
    joinRecent(pool.get());
    for (bool small : {false, true}) {
      auto &list = pool->free[small];
      // Largest first.
      for (auto it = list.end(); it != list.begin();) {
        if (stats.cached_bytes <= keep)
          return released;
        DeviceBlock *block = *--it;
        if (block->prev || block->next)
          continue;
        auto after = std::next(it);
        released += block->size;
        returnSegment(block, small);
        it = after;
      }
    }
  }
  return released;
}

int64_t DeviceAllocator::trim(int64_t keep) {
  std::lock_guard<std::mutex> lock(mutex);
  return trimLocked(std::max<int64_t>(keep, 0), nullptr);
}

/// Cuts a free block down to `bytes` if the rest is worth keeping.
DeviceBlock *DeviceAllocator::split(DeviceBlock *block, int64_t bytes,
                                    bool small) {
  int64_t rest = block->size - bytes;
  if (rest < (small ? granule : smallLimit))
    return block;
  auto *tail = new DeviceBlock;
  tail->address = block->address + CUdeviceptr(bytes);
  tail->size = rest;
  tail->pool = block->pool;
  tail->prev = block;
  tail->next = block->next;
  if (tail->next)
    tail->next->prev = tail;
  block->next = tail;
  block->size = bytes;
  tail->free = true;
  block->pool->free[small].insert(tail);
  return block;
}

DeviceBlock *DeviceAllocator::own(DeviceBlock *block, int64_t bytes) {
  block->requested = bytes;
  if (block->free)
    owned[block->address] = block;
  block->free = false;
  stats.cached_bytes -= block->size;
  stats.in_use_bytes += block->size;
  stats.peak_in_use_bytes =
      std::max(stats.peak_in_use_bytes, stats.in_use_bytes);
  return block;
}

/// The size that a block serves: that of what was asked for, without a rest
/// that was not worth cutting off.
static int64_t getServed(const DeviceBlock &block) {
  return roundUp(std::max<int64_t>(block.requested, 1), granule);
}

/// The list of recent blocks that one of a size is in.
static DeviceBlock *&getRecent(MemoryPool &pool, int64_t size) {
  return pool.recent[size_t(size / granule) % MemoryPool::numRecent];
}

DeviceBlock *DeviceAllocator::takeRecent(MemoryPool *pool, int64_t size) {
  for (DeviceBlock **place = &getRecent(*pool, size); *place;
       place = &(*place)->nextRecent)
    if (DeviceBlock *block = *place; getServed(*block) == size) {
      *place = block->nextRecent;
      block->isRecent = false;
      block->nextRecent = nullptr;
      return block;
    }
  joinRecent(pool);
  return nullptr;
}

void DeviceAllocator::joinRecent(MemoryPool *pool) {
  if (!std::exchange(pool->hasRecent, false))
    return;
  for (DeviceBlock *&list : pool->recent)
    while (DeviceBlock *block = list) {
      list = block->nextRecent;
      block->isRecent = false;
      block->nextRecent = nullptr;
      join(block);
    }
}

DeviceBlock *DeviceAllocator::claim(MemoryPool *pool, CUdeviceptr address,
                                    int64_t bytes) {
  int64_t size = roundUp(std::max<int64_t>(bytes, 1), granule);
  bool small = isSmall(size);
  std::lock_guard<std::mutex> lock(mutex);
  auto &list = pool->free[small];
  auto found = std::find_if(list.begin(), list.end(), [&](DeviceBlock *b) {
    return b->address <= address &&
           address + CUdeviceptr(size) <= b->address + CUdeviceptr(b->size);
  });
  if (found == list.end())
    return nullptr;
  DeviceBlock *block = *found;
  list.erase(found);
  if (auto before = int64_t(address - block->address); before != 0) {
    // What lies in front stays free.
    auto *rest = new DeviceBlock;
    rest->address = address;
    rest->size = block->size - before;
    rest->pool = pool;
    rest->prev = block;
    rest->next = block->next;
    if (rest->next)
      rest->next->prev = rest;
    block->next = rest;
    block->size = before;
    list.insert(block);
    rest->free = true;
    block = rest;
  }
  return own(split(block, size, small), bytes);
}

/// A block of an installed allocator, which is not called under a lock.
DeviceBlock *DeviceAllocator::allocateForeign(MemoryPool *pool, int64_t bytes,
                                              int32_t use) {
  int64_t size = roundUp(std::max<int64_t>(bytes, 1), directGranule);
  CUdeviceptr address = pool->source->allocate(device, size, pool->stream, use);
  if (!address)
    return nullptr;
  auto *block = new DeviceBlock;
  block->address = address;
  block->size = size;
  block->pool = pool;
  block->requested = bytes;
  std::lock_guard<std::mutex> lock(mutex);
  owned[address] = block;
  ++stats.misses;
  stats.in_use_bytes += size;
  stats.peak_in_use_bytes =
      std::max(stats.peak_in_use_bytes, stats.in_use_bytes);
  stats.peak_reserved_bytes = std::max(stats.peak_reserved_bytes,
                                       stats.in_use_bytes + stats.cached_bytes);
  return block;
}

void DeviceAllocator::forget(DeviceBlock *block) {
  owned.erase(block->address);
  stats.in_use_bytes -= block->size;
}

void DeviceAllocator::giveBack(DeviceBlock *block) {
  const MemoryPool &pool = *block->pool;
  pool.source->free(device, block->address, block->size, pool.stream);
  delete block;
}

void DeviceAllocator::giveBackSegments() {
  std::vector<Segment> segments;
  {
    std::lock_guard<std::mutex> lock(mutex);
    segments.swap(returned);
  }
  for (const Segment &segment : segments)
    segment.source->free(device, segment.address, segment.size,
                         device.getKeptStream());
}

bool DeviceAllocator::disown(CUdeviceptr address) {
  DeviceBlock *block = nullptr;
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = owned.find(address);
    if (found == owned.end() || !found->second->pool->isForeign() ||
        found->second->run)
      return false;
    block = found->second;
    forget(block);
  }
  delete block;
  return true;
}

DeviceBlock *DeviceAllocator::allocate(MemoryPool *pool, CUstream stream,
                                       int64_t bytes, int32_t use) {
  if (bytes < 0) {
    fail(COIL_INVALID_ARGUMENT, "allocation of %" PRId64 " bytes", bytes);
    return nullptr;
  }
  auto outOfMemory = [&]() -> DeviceBlock * {
    size_t available = 0, total = 0;
    ContextGuard guard(device);
    device.driver.memGetInfo(&available, &total);
    fail(COIL_OUT_OF_MEMORY,
         "out of memory: cannot allocate %" PRId64
         " bytes on CUDA device %d (%zu of %zu bytes free, %" PRId64
         " in use by Coil)",
         bytes, device.index, available, total, int64_t(stats.in_use_bytes));
    return nullptr;
  };
  if (bytes > maxBlock || injectAllocationFailure())
    return outOfMemory();
  auto poison = [&](DeviceBlock *block) {
    if (block && bytes && poisonsAllocations()) {
      ContextGuard guard(device);
      device.driver.memsetD8Async(block->address, 0xFF, size_t(bytes), stream);
    }
    return block;
  };
  if (pool->isForeign())
    return poison(allocateForeign(pool, bytes, use));
  int64_t size = roundUp(std::max<int64_t>(bytes, 1),
                         pool->direct ? directGranule : granule);
  bool small = isSmall(size);

  std::unique_lock<std::mutex> lock(mutex);
  DeviceBlock *block = takeRecent(pool, size);
  if (block) {
    ++stats.hits;
    own(block, bytes);
  } else {
    auto &list = pool->free[small];
    DeviceBlock key;
    key.size = size;
    auto found = list.lower_bound(&key);
    if (found != list.end()) {
      block = *found;
      list.erase(found);
      ++stats.hits;
    } else {
      ++stats.misses;
      if (pool->source) {
        // Another allocator has a cache of its own: nothing is rounded up much.
        int64_t bytes = std::max(size, foreignSegment);
        lock.unlock();
        CUdeviceptr address = pool->source->allocate(
            device, bytes, device.getKeptStream(), COIL_MEMORY_KEPT);
        if (!address)
          return nullptr;
        lock.lock();
        block = addSegment(pool, address, bytes);
      } else {
        block = allocateSegment(pool, size, small);
      }
      if (!block) {
        ++stats.retries;
        if (trimLocked(0, nullptr))
          block = allocateSegment(pool, size, small);
      }
      if (!block) {
        lock.unlock();
        return outOfMemory();
      }
    }
    own(split(block, size, small), bytes);
  }
  lock.unlock();
  return poison(block);
}

void DeviceAllocator::release(DeviceBlock *block) {
  bool isForeign = block->pool->isForeign();
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (isForeign)
      forget(block);
    else
      releaseLocked(block);
  }
  if (isForeign)
    giveBack(block);
}

void DeviceAllocator::releaseAll(DeviceBlock *first) {
  if (!first)
    return;
  DeviceBlock *foreign = nullptr;
  {
    std::lock_guard<std::mutex> lock(mutex);
    while (DeviceBlock *block = first) {
      first = block->runNext;
      if (!block->pool->isForeign()) {
        releaseLocked(block);
        continue;
      }
      forget(block);
      block->runNext = foreign;
      foreign = block;
    }
  }
  while (DeviceBlock *block = foreign) {
    foreign = block->runNext;
    giveBack(block);
  }
}

void DeviceAllocator::releaseLocked(DeviceBlock *block) {
  stats.in_use_bytes -= block->size;
  stats.cached_bytes += block->size;
  block->run = nullptr;
  block->runPrev = block->runNext = nullptr;
  block->ordinal = -1;
  MemoryPool &pool = *block->pool;
  if (pool.direct || !pool.isOfStream) {
    join(block);
    return;
  }
  DeviceBlock *&list = getRecent(pool, getServed(*block));
  block->isRecent = pool.hasRecent = true;
  block->nextRecent = list;
  list = block;
}

void DeviceAllocator::join(DeviceBlock *block) {
  owned.erase(block->address);
  bool small = isSmall(getServed(*block));
  auto &list = block->pool->free[small];
  if (DeviceBlock *next = block->next; next && next->free) {
    list.erase(next);
    block->size += next->size;
    block->next = next->next;
    if (block->next)
      block->next->prev = block;
    delete next;
  }
  if (DeviceBlock *prev = block->prev; prev && prev->free) {
    list.erase(prev);
    prev->size += block->size;
    prev->next = block->next;
    if (prev->next)
      prev->next->prev = prev;
    delete block;
    block = prev;
  }
  block->free = true;
  list.insert(block);
  if (block->pool->direct) {
    ContextGuard guard(device);
    returnSegment(block, small);
  }
}

DeviceBlock *DeviceAllocator::find(CUdeviceptr address) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = owned.find(address);
  return found == owned.end() || found->second->isRecent ? nullptr
                                                         : found->second;
}

void DeviceAllocator::getStats(coil_cuda_allocator_stats &out) {
  std::lock_guard<std::mutex> lock(mutex);
  out = stats;
}

void DeviceAllocator::resetPeaks() {
  std::lock_guard<std::mutex> lock(mutex);
  stats.peak_in_use_bytes = stats.in_use_bytes;
  stats.peak_reserved_bytes = stats.in_use_bytes + stats.cached_bytes;
}
