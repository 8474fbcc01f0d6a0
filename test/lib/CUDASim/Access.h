//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Access to the memory spaces, with every check that an access must pass.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_TEST_LIB_CUDASIM_ACCESS_H
#define COIL_TEST_LIB_CUDASIM_ACCESS_H

#include "DeviceMemory.h"
#include "Lower.h"

namespace coil::cudasim {

/// What an access is, for the checks.
enum class Use : uint8_t {
  Load,
  ReadOnly, ///< ld.nc: nobody may write the memory during the launch
  StrongLoad,
  Store,
  StrongStore,
  Atomic
};
inline bool writes(Use use) { return use >= Use::Store; }

/// Where an access goes.
struct Target {
  uint8_t *host = nullptr;
  Allocation *allocation = nullptr; ///< null: shared, or memory without checks
  uint64_t offset = 0;              ///< in the allocation or shared memory
  bool isShared = false;
  Block *owner = nullptr; ///< of shared memory
};

/// Finds what `address` of `space` is, and checks bounds and alignment. False
/// after a fault.
bool resolve(Warp &w, const Inst &inst, unsigned lane, ptx::Space space,
             uint64_t address, unsigned bytes, Use use, Target &target);

/// Checks races and initialisation of an access, and records it. `data` is what
/// a store will write.
bool record(Warp &w, const Inst &inst, unsigned lane, const Target &target,
            unsigned bytes, Use use, const uint8_t *data);

/// Reads global memory for a copy, at the access widths that its address has.
/// False after a fault.
bool readGlobal(Warp &w, const Inst &inst, unsigned lane, uint64_t from,
                unsigned bytes, uint8_t *data);

/// Notes that a copy of `thread` has written shared memory now.
void markWritten(Block &owner, uint32_t thread, uint32_t offset,
                 unsigned bytes);

/// "offset 16 of shared memory".
std::string describeShared(uint64_t offset);

/// Finishes the asynchronous copies of threads but for the last `groups`
/// groups, or all when that is negative.
void finishCopies(Warp &w, uint32_t mask, int64_t groups);

/// The space that the name of an instruction gives.
ptx::Space takeSpace(Lowering &l);
/// Notes that the kernel accesses `space` in units of `bytes`.
void noteWidth(Lowering &l, ptx::Space space, unsigned bytes);

/// Takes .relaxed, .acquire ..., .cta, .gpu, .sys and cache hints. Returns
/// whether the access is strong, that is, meant for other threads.
struct Ordering {
  bool strong = false, acquire = false, release = false;
  bool device = true; ///< scope wider than a block
};
Ordering takeOrdering(Lowering &l);

/// Makes the writes of a block known to others (release), or what others
/// published known to the block (acquire).
void publish(Warp &w, uint32_t mask);
void acquire(Warp &w);

/// Lane addresses: register plus offset.
inline uint64_t laneAddress(const Warp &w, const Inst &inst, unsigned lane,
                            bool narrow) {
  return (narrow ? w.reg<const uint32_t>(inst.a)[lane]
                 : w.reg<const uint64_t>(inst.a)[lane]) +
         static_cast<uint64_t>(inst.imm);
}

} // namespace coil::cudasim

#endif // COIL_TEST_LIB_CUDASIM_ACCESS_H
