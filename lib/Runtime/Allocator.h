//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The caching host allocator behind every run.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_ALLOCATOR_H
#define COIL_LIB_RUNTIME_ALLOCATOR_H

#include "coil/Runtime/Runtime.h"

#include <cstddef>

namespace coil::rt {

/// Stands in the 64 bytes in front of the memory that a caller sees. `prev` and
/// `next` link the blocks of a run while it owns the block, and the free blocks
/// of a size class while the block is cached.
struct alignas(64) Block {
  enum State : uint32_t { Owned = 0xC011A110, Cached = 0xC011F4EE };

  State state;
  uint32_t sizeClass;
  Block *prev;
  Block *next;
  coil_run *run;
  int64_t requested;
  void *base;
  /// Whether the bytes behind `requested` were filled, see overruns().
  bool isGuarded;

  void *data() { return this + 1; }
  static Block *of(void *pointer) { return static_cast<Block *>(pointer) - 1; }
};
static_assert(sizeof(Block) == 64);

/// Returns a block for at least `bytes` bytes, or null when there is no memory
/// (the error is recorded).
Block *allocateBlock(int64_t bytes);

/// Gives a block back to the cache.
void releaseBlock(Block *block);

/// \name What the test hooks ask of every allocator
/// @{
/// Whether this allocation has to fail; counts it.
bool injectAllocationFailure();
/// Whether new memory is filled with 0xFF, and what is behind it watched.
bool poisonsAllocations();
/// @}

} // namespace coil::rt

#endif // COIL_LIB_RUNTIME_ALLOCATOR_H
