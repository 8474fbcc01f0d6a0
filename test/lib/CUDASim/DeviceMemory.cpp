//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The memory of the simulated device.
//
//===----------------------------------------------------------------------===//

#include "DeviceMemory.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

using namespace coil::cudasim;

/// Address space that costs memory only where it is touched.
static void *reserve(uint64_t size, int protection, void *hint = nullptr) {
  void *p = mmap(hint, size, protection,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) {
    perror("coil-cuda-sim: cannot reserve address space");
    abort();
  }
  return p;
}

static constexpr int ReadWrite = PROT_READ | PROT_WRITE;

Shadow *Allocation::makeShadow() {
  std::lock_guard<std::mutex> guard(shadowLock);
  if (!shadow)
    shadow =
        static_cast<Shadow *>(reserve((size + 1) * sizeof(Shadow), ReadWrite));
  return shadow;
}

DeviceMemory::DeviceMemory(uint64_t capacity) : limit(capacity) {
  arenaSize = std::max<uint64_t>(4 * capacity, 64ull << 30);
  // A fixed place makes addresses the same in every run if it is free.
  arena = reinterpret_cast<uint64_t>(
      reserve(arenaSize, PROT_NONE, reinterpret_cast<void *>(0x300000000000)));
  backing = static_cast<uint8_t *>(reserve(arenaSize, ReadWrite));
  writtenBytes = static_cast<uint8_t *>(reserve(arenaSize, ReadWrite));
  owners = static_cast<uint32_t *>(
      reserve((arenaSize >> ChunkShift) * sizeof(uint32_t), ReadWrite));
  next = 1 << 20;
  table.push_back(nullptr);
}

DeviceMemory::~DeviceMemory() {
  for (Allocation *a : table)
    delete a;
  for (auto &[end, a] : hostAllocations)
    delete a;
  munmap(reinterpret_cast<void *>(arena), arenaSize);
  munmap(backing, arenaSize);
  munmap(writtenBytes, arenaSize);
  munmap(owners, (arenaSize >> ChunkShift) * sizeof(uint32_t));
}

/// The oldest freed allocation that can hold `size` bytes, emptied.
Allocation *DeviceMemory::reuse(uint64_t size) {
  for (size_t i = 0; i < freed.size(); ++i) {
    Allocation *old = table[freed[i]];
    if (old->room < size + 512)
      continue;
    auto *a = new Allocation;
    a->base = old->base;
    a->room = old->room;
    a->number = freed[i];
    if (Shadow *s = old->shadow)
      munmap(s, (old->size + 1) * sizeof(Shadow));
    delete old;
    freed.erase(freed.begin() + static_cast<ptrdiff_t>(i));
    return a;
  }
  return nullptr;
}

Allocation *DeviceMemory::allocate(uint64_t size) {
  if (size > limit || inUse > limit - size)
    return nullptr;
  // The red zone is at least as large as the widest access of a warp.
  uint64_t room = ((size + 511) & ~511ull) + 1024;
  Allocation *a = nullptr;
  if (room <= arenaSize - next) {
    a = new Allocation;
    a->base = arena + next;
    a->room = room;
    a->number = static_cast<uint32_t>(table.size());
    table.push_back(a);
    std::fill_n(owners + (next >> ChunkShift), room >> ChunkShift, a->number);
    next += room;
  } else if ((a = reuse(size))) {
    table[a->number] = a;
  } else {
    return nullptr;
  }
  a->size = size;
  a->host = backing + (a->base - arena);
  if (options().uninitializedGlobal || options().uninitializedCopy) {
    a->written = writtenBytes + (a->base - arena);
    memset(a->written, 0, size);
  }
  // What nobody wrote reads as NaN, or as an index that is out of bounds.
  if (size <= 64 << 20)
    memset(a->host, 0xFF, size);
  inUse += size;
  return a;
}

Allocation *DeviceMemory::registerHost(void *pointer, uint64_t size) {
  auto *a = new Allocation;
  a->base = reinterpret_cast<uint64_t>(pointer);
  a->host = static_cast<uint8_t *>(pointer);
  a->size = size;
  a->isHost = true;
  hostAllocations[a->base + size] = a;
  return a;
}

Allocation *DeviceMemory::allocateHost(uint64_t size) {
  void *p = mmap(nullptr, std::max<uint64_t>(size, 1), ReadWrite,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return p == MAP_FAILED ? nullptr : registerHost(p, size);
}

bool DeviceMemory::release(uint64_t address, bool isHost) {
  Allocation *a = find(address);
  if (!a || a->base != address || a->freed || a->isHost != isHost)
    return false;
  if (isHost) {
    hostAllocations.erase(a->base + a->size);
    if (Shadow *s = a->shadow)
      munmap(s, (a->size + 1) * sizeof(Shadow));
    delete a;
    return true;
  }
  a->freed = true;
  inUse -= a->size;
  freed.push_back(a->number);
  // Whole pages go back to the host.
  auto drop = [](uint8_t *p, uint64_t size) {
    uint64_t begin = (reinterpret_cast<uint64_t>(p) + 4095) & ~4095ull;
    uint64_t end = (reinterpret_cast<uint64_t>(p) + size) & ~4095ull;
    if (begin < end)
      madvise(reinterpret_cast<void *>(begin), end - begin, MADV_DONTNEED);
  };
  drop(a->host, a->size);
  if (a->written)
    drop(a->written, a->size);
  if (Shadow *s = a->shadow) {
    munmap(s, (a->size + 1) * sizeof(Shadow));
    a->shadow = nullptr;
  }
  return true;
}

Allocation *DeviceMemory::findHost(uint64_t address) {
  auto it = hostAllocations.upper_bound(address);
  if (it == hostAllocations.end() || address < it->second->base)
    return nullptr;
  return it->second;
}

std::string DeviceMemory::describe(uint64_t address) {
  char text[256];
  Allocation *a = find(address);
  if (!a) {
    snprintf(text, sizeof(text), "address 0x%llx, near no allocation",
             static_cast<unsigned long long>(address));
    return text;
  }
  const char *state = a->freed ? "freed " : "";
  std::string what = a->isHost ? "page-locked host memory"
                     : !a->name.empty()
                         ? "variable '" + a->name + "'"
                         : "allocation #" + std::to_string(a->number);
  snprintf(text, sizeof(text),
           "address 0x%llx, offset %lld of the %s%s of %llu bytes",
           static_cast<unsigned long long>(address),
           static_cast<long long>(address - a->base), state, what.c_str(),
           static_cast<unsigned long long>(a->size));
  return text;
}

void DeviceMemory::clearShadows() {
  auto clear = [](Allocation *a) {
    if (!a)
      return;
    if (Shadow *s = a->shadow)
      madvise(s, (a->size + 1) * sizeof(Shadow), MADV_DONTNEED);
  };
  for (Allocation *a : table)
    clear(a);
  for (auto &[end, a] : hostAllocations)
    clear(a);
}
