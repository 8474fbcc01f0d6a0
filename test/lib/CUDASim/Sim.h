//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the executor of PTX is made of: instructions ready to run, warps, blocks
// and launches. Registers lie as 32 lanes side by side in the register file of
// a warp; an instruction names them by their byte offsets.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_TEST_LIB_CUDASIM_SIM_H
#define COIL_TEST_LIB_CUDASIM_SIM_H

#include "Options.h"
#include "PTX.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace coil::cudasim {

class DeviceMemory;
struct Allocation;
struct Block;
struct Code;
struct Inst;
struct Launch;
struct Warp;

constexpr unsigned Lanes = 32;
constexpr uint32_t None = UINT32_MAX;

/// Generic addresses of the spaces that are no global memory: window + offset.
constexpr uint64_t SharedWindow = 1ull << 60;
constexpr uint64_t LocalWindow = 2ull << 60;
constexpr uint64_t ParamWindow = 3ull << 60;
/// Offset in shared memory at which the first variable lies. The hardware keeps
/// the first KiB for itself, too, so that a null pointer is no variable.
constexpr uint32_t SharedBase = 1024;
/// Shared memory of another block of the cluster: (rank + 1) << 24 | offset.
constexpr unsigned ClusterShift = 24;

/// Results of the driver that execution can have.
enum Result : int {
  Success = 0,
  IllegalAddress = 700,
  Timeout = 702,
  AssertFailed = 710,
  MisalignedAddress = 716,
  LaunchFailed = 719
};

using Handler = void (*)(Warp &, const Inst &, uint32_t mask);

/// How the scheduler treats an instruction.
enum class Kind : uint8_t {
  Plain,
  Branch,
  BranchIndex,
  Call,
  Return,
  Exit,
  Converge, ///< waits for the lanes of its member mask, operand `e`
  Barrier,  ///< waits for other warps
  Wait      ///< plain, but lets other warps run when it did not succeed
};

struct Inst {
  Handler fn = nullptr;
  Kind kind = Kind::Plain;
  bool guardNot = false;
  uint8_t mode = 0;
  uint8_t width = 0; ///< bytes of one element of an access
  uint16_t n = 0;    ///< number of `v`
  /// Bytes of a load that nobody reads, a bit for each of the first 32.
  uint32_t unread = 0;
  uint32_t guard = None;
  uint32_t d = None, a = None, b = None, c = None, e = None;
  uint32_t target = None;
  uint32_t line = 0;
  int64_t imm = 0;
  const uint32_t *v = nullptr; ///< further operands
  ptx::Place place;
  uint32_t function = 0; ///< index in Code::functions
};

/// A call frame's return place is kept for each lane.
constexpr unsigned MaxCallDepth = 16;

/// An asynchronous copy to shared memory that its thread has not waited for.
struct AsyncCopy {
  uint8_t lane, bytes;
  uint32_t offset; ///< in shared memory
  uint32_t group;  ///< number of its group among those of the thread
  uint8_t data[16];
};

/// Bytes that a bulk copy moves at once in shared memory.
struct BulkChunk {
  uint32_t offset; ///< in shared memory
  uint8_t data[16];
};

/// A bulk copy to shared memory that its mbarrier has not counted yet.
struct BulkLoad {
  uint32_t barrier = 0; ///< offset in shared memory
  uint32_t bytes = 0;   ///< that the mbarrier counts
  uint32_t thread = 0;  ///< that issued it, of the block of `inst`
  uint32_t askedBy = 0; ///< warps that have asked for it once
  const Inst *inst = nullptr;
  std::vector<BulkChunk> chunks;
};

/// A bulk copy from shared memory that its thread has not waited for.
struct BulkStore {
  uint8_t lane = 0;
  uint32_t group = 0; ///< number of its group among those of the thread
  bool isRead = false;
  const Inst *inst = nullptr;
  std::vector<uint32_t> sources; ///< chunks of 16 bytes of shared memory
  struct Piece {
    uint8_t *to;
    std::vector<uint8_t> data;
  };
  std::vector<Piece> pieces;
};

struct Warp {
  uint8_t *file = nullptr;
  Block *block = nullptr;
  uint8_t *local = nullptr; ///< each lane's local memory, one after the other
  uint32_t index = 0;
  uint32_t present = 0;         ///< lanes that exist
  uint32_t alive = 0;           ///< lanes that have not exited
  uint32_t blocked = 0;         ///< lanes that wait for others at a Converge
  uint32_t barrier = 0;         ///< lanes that reached a Barrier
  uint32_t arrived = 0;         ///< those that the barrier has counted
  bool stop = false;            ///< a fault: leave the interpreter
  bool yield = false;           ///< let other warps run after this instruction
  bool retry = false;           ///< and execute it again
  uint32_t turn = 0;            ///< odd: groups of lanes further on run first
  uint32_t syncs = 0;           ///< bar.warp.sync so far
  uint32_t clusterArrivals = 0; ///< of barrier.cluster, threads
  uint64_t steps = 0;           ///< instructions times lanes
  uint32_t pc[Lanes];
  uint32_t exitLine[Lanes];
  std::vector<AsyncCopy> copies;
  uint32_t copyGroups[Lanes]; ///< that each thread committed
  std::vector<BulkStore> bulkStores;
  uint32_t bulkGroups[Lanes];    ///< that each thread committed
  const Inst *waitsAt = nullptr; ///< for an mbarrier, in vain so far
  uint32_t waitsFor = 0;         ///< the mbarrier's offset
  uint32_t depth[Lanes];
  uint32_t returns[MaxCallDepth][Lanes];

  template <class T>
  T *reg(uint32_t offset) const {
    return reinterpret_cast<T *>(file + offset);
  }
  uint32_t &pred(uint32_t offset) const {
    return *reinterpret_cast<uint32_t *>(file + offset);
  }
};

/// One thread's latest access to a granule of memory, packed.
/// launch 10 | block 18 | epoch 12 | syncs 11 | flags 3 | thread 10
using Access = uint64_t;
struct Shadow {
  Access write, read;
};

/// A barrier of a block, by its number.
struct BarrierState {
  uint32_t arrived = 0;              ///< threads
  uint32_t expected = 0;             ///< threads
  uint32_t trueCount = 0, total = 0; ///< predicates of bar.red
  const Inst *inst = nullptr;
};

/// Inst::mode of a Barrier.
enum BarrierMode : uint8_t {
  BarrierSync = 0,
  BarrierArrive = 1,
  BarrierPopc = 2,
  BarrierAnd = 3,
  BarrierOr = 4,
  BarrierUnaligned = 8 ///< flag: lanes arrive one by one
};

/// An mbarrier object, by its shared memory offset.
struct MBarrier {
  uint32_t address = 0;
  int64_t count = 0, pending = 0, transactions = 0;
  uint64_t phase = 0;
  /// Whether copies may know of it: a fence followed its initialisation.
  bool isFenced = false;
};

struct Block {
  Launch *launch = nullptr;
  const Code *code = nullptr;
  uint32_t id[3] = {0, 0, 0};
  uint64_t linear = 0;
  uint32_t threads = 0;
  uint32_t epoch = 0; ///< barriers so far
  uint64_t sequence = 0;
  std::vector<Warp> warps;
  uint8_t *shared = nullptr;
  uint32_t sharedSize = 0; ///< including SharedBase
  std::vector<Shadow> sharedShadow;
  std::vector<uint8_t> copying; ///< whether a copy into each word is under way
  BarrierState barriers[16];
  std::vector<MBarrier> mbarriers;
  uint64_t progress = 0; ///< what has happened to mbarriers
  std::vector<BulkLoad> bulkLoads;
  std::vector<uint16_t> reading; ///< bulk copies that read each word
  /// Who wrote each word without a fence that copies need: epoch 12 | thread
  /// + 1. Empty for kernels without bulk copies from shared memory.
  std::vector<uint32_t> unfenced;
  uint64_t acquired = 0; ///< what other blocks released until now is visible
  uint64_t stepsLeft = 0;
  uint32_t rank = 0; ///< in the cluster
  std::vector<Block *> *cluster = nullptr;
  uint32_t clusterArrivals = 0; ///< of barrier.cluster, threads
  std::vector<uint8_t> storage, localStorage, sharedStorage;

  /// What was before is ordered for what comes.
  void beginEpoch();

  MBarrier *findMBarrier(uint32_t address) {
    for (MBarrier &b : mbarriers)
      if (b.address == address)
        return &b;
    return nullptr;
  }
};

/// What another block must have done before its writes count as published.
struct BlockRelease {
  std::atomic<uint64_t> time{0};
  uint32_t epoch = 0;
  uint32_t thread = 0;
  bool several = false;
  /// All of them, in a cooperative launch, where blocks go on behind what
  /// others wait for; it runs in one thread.
  struct Step {
    uint64_t time;
    uint32_t epoch;
    uint32_t thread;
    bool several;
  };
  std::vector<Step> steps;
};

struct Launch {
  const Code *code = nullptr;
  DeviceMemory *memory = nullptr;
  int device = 0;
  const Options *options = nullptr;
  uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  uint32_t dynamicShared = 0;
  bool isCooperative = false; ///< blocks may wait for each other
  std::vector<uint8_t> params;
  uint32_t number = 0; ///< of the launch, for the shadow memory
  unsigned globalGranule = 1, sharedGranule = 1;
  std::unique_ptr<BlockRelease[]> releases; ///< of kernels that publish
  std::atomic<uint64_t> releaseClock{0};
  /// Of a cooperative launch: the latest epoch in which each block accessed a
  /// granule that several have.
  std::unordered_map<const Shadow *, std::vector<uint16_t>> accesses;
  static constexpr uint16_t noEpoch = 0xFFFF;
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> steps{0};
  std::mutex lock;
  Result result = Success;
  std::string report;
};

/// A kernel and the functions that it calls, ready to run.
struct Code {
  std::string name;
  std::vector<Inst> insts;
  std::vector<std::vector<uint32_t>> pool; ///< what Inst::v points into
  struct Constant {
    uint32_t offset;
    uint8_t width;
    uint64_t bits;
  };
  std::vector<Constant> constants;
  /// Special registers that the kernel reads, by name.
  struct Special {
    uint32_t offset;
    uint8_t width;
    std::string name;
  };
  std::vector<Special> specials;
  uint32_t fileSize = 0;
  uint32_t resetBegin = 0, resetEnd = 0; ///< registers that may be read unset
  uint32_t sharedSize = 0;               ///< static, without SharedBase
  uint32_t sharedAlign = 16;
  uint32_t localSize = 0;
  struct Param {
    uint32_t offset, size;
    std::string name;
  };
  std::vector<Param> params;
  uint32_t paramSize = 0;
  uint32_t maxThreads = 1024;
  uint32_t reqntid[3] = {0, 0, 0};
  uint32_t cluster = 1;
  uint32_t registers = 0; ///< 32-bit registers of a thread, estimated
  unsigned sharedGranule = 16, globalGranule = 16; ///< narrowest access
  bool ordered = false;      ///< the order of its atomics shows in the results
  bool publishes = false;    ///< has fences that make writes visible to blocks
  bool storesInBulk = false; ///< has bulk copies from shared memory
  const ptx::Module *module = nullptr;
  std::vector<std::string> functions;
};

/// Runs a launch to its end; its result and report say how it went.
void execute(Launch &launch);

/// Ends the launch with an error that `lane` of `warp` made at `inst`.
void fault(Warp &warp, const Inst &inst, unsigned lane, Result result,
           const std::string &message);

/// The thread of a lane, in its block.
inline uint32_t threadOf(const Warp &warp, unsigned lane) {
  return warp.index * Lanes + lane;
}

} // namespace coil::cudasim

#endif // COIL_TEST_LIB_CUDASIM_SIM_H
