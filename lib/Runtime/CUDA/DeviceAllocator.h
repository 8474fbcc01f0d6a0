//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The caching allocator of one device. Memory comes from the driver in
// segments; each belongs to a pool, and each pool to a stream (or to a recorded
// graph): the work that used a freed block and the work that uses it next are
// ordered by that stream, so that nothing needs to wait.
//
// Where another allocator is installed, pools of streams cache nothing: each
// block is one of its. Pools of graphs get segments of it, which they keep.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_CUDA_DEVICEALLOCATOR_H
#define COIL_LIB_RUNTIME_CUDA_DEVICEALLOCATOR_H

#include "Driver.h"
#include "MemorySource.h"

#include "coil/Runtime/CUDA.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace coil::rt::cuda {

class Device;
struct MemoryPool;

/// A piece of a segment. Neighbours in the segment are linked, so that free
/// ones join again.
struct DeviceBlock {
  CUdeviceptr address = 0;
  int64_t size = 0;
  MemoryPool *pool = nullptr;
  DeviceBlock *prev = nullptr;
  DeviceBlock *next = nullptr;
  bool free = false;
  /// Whether it is among the `recent` ones of its pool, and the next of them.
  bool isRecent = false;
  DeviceBlock *nextRecent = nullptr;

  /// Of the run that owns the block.
  coil_run *run = nullptr;
  DeviceBlock *runPrev = nullptr;
  DeviceBlock *runNext = nullptr;
  int64_t requested = 0;
  /// Number of the allocation in its run or recording.
  int64_t ordinal = -1;
  /// Whether the runs of its program learn from what becomes of it.
  bool isPredicted = false;
};

struct LessBlock {
  bool operator()(const DeviceBlock *a, const DeviceBlock *b) const {
    return a->size != b->size ? a->size < b->size : a->address < b->address;
  }
};

struct MemoryPool {
  /// Small blocks have segments of their own: they would split large ones.
  std::set<DeviceBlock *, LessBlock> free[2];
  /// Blocks that nobody owns and that were not joined with their neighbours
  /// yet, by size, the last released first: calls ask for the same sizes again,
  /// and would only cut them off anew. Whatever finds none here joins them all.
  /// Only of streams.
  static constexpr size_t numRecent = 64;
  DeviceBlock *recent[numRecent] = {};
  bool hasRecent = false;
  /// Whether it is that of a stream, and of which.
  bool isOfStream = false;
  CUstream stream = nullptr;
  /// What the memory comes from; null is the driver.
  const MemorySource *source = nullptr;
  /// Nothing is cached: each block is an allocation of the driver, as large as
  /// what was asked for, so that checkers of memory see the bounds.
  bool direct = false;
  /// Graphs use the memory, whether a block is free or not: only whoever made
  /// the pool returns segments to the driver.
  bool keep = false;
  int64_t reserved = 0; ///< Bytes of its segments.

  /// Each block is one of an installed allocator.
  bool isForeign() const { return source && isOfStream; }
};

class DeviceAllocator {
public:
  explicit DeviceAllocator(Device &device) : device(device) {}

  /// The pool of a stream.
  MemoryPool *getPool(CUstream stream, const MemorySource *source);
  MemoryPool *createPool(const MemorySource *source);
  /// Frees a pool of createPool; no block of it is owned, and no work uses it.
  void destroyPool(MemoryPool *pool);
  /// Returns the pool's segments that are wholly free to the driver.
  void trimPool(MemoryPool *pool);

  /// Returns null, with the error recorded, when there is no memory. New memory
  /// is poisoned on `stream` if that is on. `use` is for installed allocators.
  DeviceBlock *allocate(MemoryPool *pool, CUstream stream, int64_t bytes,
                        int32_t use = COIL_MEMORY_TEMPORARY);
  /// Takes memory at an address that an earlier block of a pool of createPool
  /// had; null, without an error, where not all of it is free.
  DeviceBlock *claim(MemoryPool *pool, CUdeviceptr address, int64_t bytes);
  void release(DeviceBlock *block);
  /// The same for all blocks of a run, from the first of its list on.
  void releaseAll(DeviceBlock *first);
  /// Forgets a block that no run has, without freeing it; false for any but one
  /// of an installed allocator.
  bool disown(CUdeviceptr address);

  /// The block that starts at an address, or null if nobody owns it.
  DeviceBlock *find(CUdeviceptr address);

  void getStats(coil_cuda_allocator_stats &stats);
  void resetPeaks();
  int64_t trim(int64_t keep);

private:
  DeviceBlock *allocateForeign(MemoryPool *pool, int64_t bytes, int32_t use);
  /// Takes a block out of what is owned. The device is locked.
  void forget(DeviceBlock *block);
  /// Ends a block that was forgotten. The device is not locked.
  void giveBack(DeviceBlock *block);
  void giveBackSegments();
  DeviceBlock *allocateSegment(MemoryPool *pool, int64_t bytes, bool small);
  DeviceBlock *addSegment(MemoryPool *pool, CUdeviceptr address, int64_t size);
  void returnSegment(DeviceBlock *block, bool small);
  int64_t trimLocked(int64_t keep, MemoryPool *only);
  DeviceBlock *split(DeviceBlock *block, int64_t bytes, bool small);
  DeviceBlock *own(DeviceBlock *block, int64_t bytes);
  DeviceBlock *takeRecent(MemoryPool *pool, int64_t size);
  void releaseLocked(DeviceBlock *block);
  /// Makes a block a free one that is joined with its neighbours.
  void join(DeviceBlock *block);
  void joinRecent(MemoryPool *pool);

  Device &device;
  std::mutex mutex;
  std::map<std::pair<CUstream, const MemorySource *>, MemoryPool *> pools;
  /// The pool of the stream that was asked for last; those of streams stay.
  std::atomic<MemoryPool *> lastPool{nullptr};
  std::set<std::unique_ptr<MemoryPool>> allPools;
  /// Blocks that somebody owns, and recent ones.
  std::unordered_map<CUdeviceptr, DeviceBlock *> owned;
  coil_cuda_allocator_stats stats = {};
  /// Segments that go back to an installed allocator, without the lock.
  struct Segment {
    const MemorySource *source;
    CUdeviceptr address;
    int64_t size;
  };
  std::vector<Segment> returned;
};

} // namespace coil::rt::cuda

#endif // COIL_LIB_RUNTIME_CUDA_DEVICEALLOCATOR_H
