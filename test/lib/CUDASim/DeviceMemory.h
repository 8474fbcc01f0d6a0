//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The memory of the simulated device. Addresses are not those of the host: a
// host program that dereferences one faults. Every allocation has a red zone
// behind it, and addresses are reused as late as possible.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_TEST_LIB_CUDASIM_DEVICEMEMORY_H
#define COIL_TEST_LIB_CUDASIM_DEVICEMEMORY_H

#include "Sim.h"

#include <map>

namespace coil::cudasim {

struct Allocation {
  uint64_t base = 0, size = 0;
  uint8_t *host = nullptr;
  bool isHost = false; ///< page-locked host memory
  int device = 0;      ///< whose it is
  bool freed = false;
  bool constant = false; ///< not to be written by kernels
  std::string name;      ///< of a module's variable
  /// One byte for each byte: not 0 if it was written. Null: all were.
  uint8_t *written = nullptr;
  uint32_t number = 0;
  uint64_t room = 0; ///< bytes until the next allocation
  std::atomic<Shadow *> shadow{nullptr};
  std::mutex shadowLock;

  /// The shadow memory, made at the first use.
  Shadow *getShadow() {
    Shadow *s = shadow.load(std::memory_order_acquire);
    return s ? s : makeShadow();
  }
  Shadow *makeShadow();
};

class DeviceMemory {
public:
  explicit DeviceMemory(uint64_t capacity);
  ~DeviceMemory();

  /// Null if the device's memory is exhausted.
  Allocation *allocate(uint64_t size);
  /// Page-locked host memory.
  Allocation *allocateHost(uint64_t size);
  /// Makes memory that somebody else owns accessible.
  Allocation *registerHost(void *pointer, uint64_t size);
  /// False if `address` is not the beginning of a live allocation.
  bool release(uint64_t address, bool isHost);

  /// The allocation that holds `address` or whose red zone does; it may be
  /// freed. Null if there is none.
  Allocation *find(uint64_t address) {
    uint64_t offset = address - arena;
    if (offset < arenaSize) {
      uint32_t owner = owners[offset >> ChunkShift];
      return owner ? table[owner] : nullptr;
    }
    return hostAllocations.empty() ? nullptr : findHost(address);
  }

  /// The live allocation that holds all of [address, address + size).
  Allocation *findRange(uint64_t address, uint64_t size) {
    Allocation *a = find(address);
    return a && !a->freed && address >= a->base && size <= a->size &&
                   address - a->base <= a->size - size
               ? a
               : nullptr;
  }

  /// "offset 512 of the 256-byte allocation #3, ..." for reports.
  std::string describe(uint64_t address);

  uint64_t capacity() const { return limit; }
  uint64_t used() const { return inUse; }
  /// Forgets every access; launch numbers start again.
  void clearShadows();

private:
  static constexpr unsigned ChunkShift = 9;
  Allocation *findHost(uint64_t address);
  Allocation *reuse(uint64_t size);

  uint64_t limit, inUse = 0;
  uint64_t arena = 0, arenaSize = 0, next = 0;
  uint8_t *backing = nullptr;
  uint32_t *owners = nullptr;      ///< allocation of each chunk
  uint8_t *writtenBytes = nullptr; ///< beside `backing`
  std::vector<Allocation *> table; ///< [0] is nobody
  std::vector<uint32_t> freed;     ///< oldest first
  std::map<uint64_t, Allocation *> hostAllocations; ///< by their end
};

} // namespace coil::cudasim

#endif // COIL_TEST_LIB_CUDASIM_DEVICEMEMORY_H
