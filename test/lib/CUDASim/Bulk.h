//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bulk copies and the mbarriers that count them. Nothing of a copy arrives
// before a warp has asked its mbarrier twice, so that a kernel which does not
// wait, or does not look at the answer, meets bytes that are under way.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_TEST_LIB_CUDASIM_BULK_H
#define COIL_TEST_LIB_CUDASIM_BULK_H

#include "Access.h"

namespace coil::cudasim {

/// The mbarrier at `address`, or null after a fault. `forCopy`: copies will use
/// it.
MBarrier *findMBarrier(Warp &w, const Inst &inst, unsigned lane,
                       ptx::Space space, uint64_t address, bool forCopy,
                       Target &t);

/// What a phase of an mbarrier lacks, for reports.
std::string describeWait(const Block &b, uint32_t address);

/// Begins to write 16 bytes of shared memory of `owner` (of the own block, or
/// of another of the cluster). False after a fault.
bool beginWrite(Warp &w, const Inst &inst, unsigned lane, Block &owner,
                uint64_t offset, const uint8_t *data, BulkLoad &load);
/// Hands a load to the mbarrier at `barrier` of `owner`.
void issue(Warp &w, const Inst &inst, unsigned lane, Block &owner,
           const Target &barrier, uint32_t bytes, BulkLoad load);

/// Begins to read 16 bytes of shared memory. False after a fault.
bool beginRead(Warp &w, const Inst &inst, unsigned lane, uint64_t address,
               uint8_t *data, BulkStore &store);
/// Begins to write `bytes` bytes of global memory. False after a fault.
bool beginStore(Warp &w, const Inst &inst, unsigned lane, uint64_t address,
                unsigned bytes, const uint8_t *data, BulkStore &store);
void issue(Warp &w, const Inst &inst, unsigned lane, BulkStore store);

/// Lets what arrives at an mbarrier arrive, if `w` asked for it before.
void deliver(const Warp &w, Block &b, MBarrier &m);
/// Counts an arrival, or bytes, and ends the phase if nothing is missing.
void progress(Block &b, MBarrier &m);

/// fence.proxy.async (mode 1) and fence.mbarrier_init (mode 0).
void fenceForCopies(Warp &w, const Inst &inst, uint32_t mask);

/// Does what copies of a block that has ended still have to do.
void endBulkCopies(Block &b);

/// \name Operands of bulk copies
/// Addresses are pairs of Inst::v, register and offset; a bit of Inst::mode
/// says that the register has 32 bits.
/// @{
bool takeAddress(Lowering &l, const ptx::Operand &o, uint8_t narrowFlag,
                 std::vector<uint32_t> &list);
inline uint64_t listAddress(const Warp &w, const Inst &inst, unsigned lane,
                            unsigned first, uint8_t narrowFlag) {
  uint32_t reg = inst.v[first];
  return (inst.mode & narrowFlag ? w.reg<const uint32_t>(reg)[lane]
                                 : w.reg<const uint64_t>(reg)[lane]) +
         w.reg<const uint64_t>(inst.v[first + 1])[lane];
}
constexpr uint8_t NarrowShared = 1, NarrowGlobal = 2, NarrowBarrier = 4,
                  Multicast = 8;
/// The blocks of the cluster that get what is copied: those of the mask in
/// register `reg`, or the own one.
std::vector<Block *> targets(Warp &w, const Inst &inst, unsigned lane,
                             uint32_t reg);
/// @}

/// cp.async.bulk, behind the first three parts of the name.
bool lowerBulkCopy(Lowering &l);
/// cp.async.bulk.tensor.
bool lowerTensorCopy(Lowering &l);

} // namespace coil::cudasim

#endif // COIL_TEST_LIB_CUDASIM_BULK_H
