//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls recorded as CUDA graphs. A recording notes, for every kernel, which of
// its pointers lead into inputs and outputs of the call: these are patched when
// a replay comes with other addresses. Memory whose address something else
// knows (a library's kernels, copies) is pinned: it is copied in and out
// instead.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_CUDA_GRAPH_H
#define COIL_LIB_RUNTIME_CUDA_GRAPH_H

#include "../RecordedCollectives.h"
#include "RunState.h"

#include <functional>
#include <map>
#include <set>
#include <vector>

namespace coil::rt::cuda {

/// Where a pointer leads: into input or allocation `number`, or elsewhere.
struct Target {
  enum Kind { Elsewhere, Input, Allocation } kind = Elsewhere;
  int64_t number = 0;
  int64_t offset = 0;
};

/// A kernel of a recording.
struct RecordedLaunch {
  CUgraphNode node = nullptr;
  CUkernelNodeParams params = {};
  const coil_cuda_kernel *kernel = nullptr;
  /// The values of all arguments, where in them each one begins, and those that
  /// are pointers to follow.
  std::vector<uint64_t> arguments;
  std::vector<size_t> places;
  std::vector<std::pair<size_t, Target>> pointers;
};

/// Error words that a recording's kernels write, alive while a run may look.
struct WordsOwner {
  WordsOwner(Device &device, ErrorWords *words)
      : device(device), words(words) {}
  WordsOwner(const WordsOwner &) = delete;
  WordsOwner &operator=(const WordsOwner &) = delete;
  /// Whoever drops a recording waits for its work.
  ~WordsOwner() {
    int32_t status = 0;
    words->takeError(status);
    words->kernels.clear();
    device.returnErrorWords(words, nullptr);
  }
  Device &device;
  ErrorWords *words;
};

/// A graph for one set of addresses.
struct Variant {
  CUgraphExec exec = nullptr;
  std::vector<CUdeviceptr> addresses;
  uint64_t lastUse = 0;
};

/// How many sets of addresses a recording serves without patching: callers
/// that feed outputs back alternate between two.
inline constexpr size_t maxVariants = 4;

/// Gives the kernels of a variant other addresses; `getSlot` says which of
/// `addresses` a target begins at, or SIZE_MAX for one that stays.
int32_t patchLaunches(Device &device, std::vector<RecordedLaunch> &launches,
                      Variant &variant,
                      const std::vector<CUdeviceptr> &addresses,
                      const std::function<size_t(const Target &)> &getSlot);

/// The one node that what comes next on the run's stream depends on, where that
/// is recorded; null if there is none, or more.
CUgraphNode getLastNode(RunState &state);

/// What a call does while it is recorded.
class Recording {
public:
  /// `expected` are the allocations that will be outputs, as far as known.
  Recording(MemoryPool *pool, MemoryPool *outputPool,
            const std::set<int64_t> &expected, const coil_tensor *inputs,
            int32_t numInputs);

  /// Keeps all memory until the recording ends: replays use what the program
  /// freed. Outputs have a pool of their own, since replays bring memory for
  /// them.
  MemoryPool *const pool;
  MemoryPool *const outputPool;
  const std::set<int64_t> &expected;
  ErrorWords *words = nullptr;
  /// Whether who records holds the lock of the program.
  bool holdsProgram = true;
  /// Not null where a call is recorded with all that it does on other devices,
  /// and with its partitions: what memory there comes from, kept by who
  /// records.
  std::vector<std::pair<Device *, MemoryPool *>> *peerPools = nullptr;
  /// Storage of another run that what is recorded may end; true once it has.
  std::map<CUdeviceptr, bool> foreign;
  std::vector<RecordedLaunch> launches;
  /// That of the last of them.
  CUstream lastStream = nullptr;
  std::set<int64_t> pinnedInputs;
  std::set<int64_t> pinnedAllocations;
  std::vector<std::shared_ptr<void>> kept;
  RecordedCollectives collectives;

  MemoryPool *getPool() const {
    return expected.count(nextAllocation) ? outputPool : pool;
  }
  void addAllocation(DeviceBlock &block);
  void removeAllocation(DeviceBlock &block);
  /// The call cannot be recorded.
  void refuse() { refused = true; }
  /// Ends storage of another run, which that run frees later.
  bool endForeign(CUdeviceptr address);
  bool isRefused() const { return refused; }
  /// Something keeps this address.
  void pin(CUdeviceptr address);
  /// What the graph uses has to live as long.
  void keep(std::shared_ptr<void> object) { kept.push_back(std::move(object)); }
  /// Whether what comes next follows a recorded launch and nothing else.
  bool endsWithLaunch(RunState &state) const;
  /// Of a user's kernel `parameters` says what there is.
  int32_t addLaunch(RunState &state, const coil_cuda_kernel &kernel,
                    CUfunction function, const int64_t *grid,
                    void *const *params, size_t count);
  Target find(CUdeviceptr address) const;

private:
  struct Extent {
    int64_t bytes;
    Target target;
  };
  Target findIn(const std::map<CUdeviceptr, Extent> &extents,
                CUdeviceptr address) const;

  std::map<CUdeviceptr, Extent> inputs;
  std::map<CUdeviceptr, Extent> allocations;
  int64_t nextAllocation = 0;
  bool refused = false;
};

/// Records a call in the stream of its run, which nothing else uses. Returns
/// whether there is a graph to keep; `status` is what the call said.
bool capture(RunState &state, Recording &recording, coil_entry_point entry,
             const coil_tensor *inputs, coil_tensor *outputs, CUgraph &graph,
             int32_t &status);

/// Leaves behind in `state` what the plain call would have: the last kernels,
/// the words of their errors, and counts.
void noteReplay(RunState &state, const std::vector<RecordedLaunch> &launches,
                const std::shared_ptr<WordsOwner> &words,
                const coil_run_stats &recorded);

/// The program's copy of `data` on the run's device; uploads it at first.
int32_t getConstant(RunState &state, const void *data, int64_t bytes,
                    void *&out);

/// Bytes from the first to the last element.
int64_t getExtent(const coil_tensor &tensor);

} // namespace coil::rt::cuda

#endif // COIL_LIB_RUNTIME_CUDA_GRAPH_H
