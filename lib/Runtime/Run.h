//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state of one execution.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_RUN_H
#define COIL_LIB_RUNTIME_RUN_H

#include "Allocator.h"
#include "Error.h"
#include "coil/Runtime/Objects.h"
#include "coil/Runtime/RunContext.h"

#include <array>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace coil::rt::cuda {
struct RunState;
} // namespace coil::rt::cuda

namespace coil::rt {
inline constexpr coil_cost kUnknownCost = {-1, -1, -1};
} // namespace coil::rt

struct coil_run {
  coil::rt::Block *blocks = nullptr;
  coil_run_stats stats = {};
  coil_trace_fn trace = nullptr;
  void *traceUser = nullptr;
  const void *failedKernel = nullptr;
  /// Of the next launch or library call.
  coil_cost nextCost = coil::rt::kUnknownCost;
  /// Of values that are saved: the number of this run among those that save
  /// any, and how many it has saved.
  int64_t debugRun = -1, debugValues = 0;
  /// What checks of lifetimes have seen: function, name and address.
  struct Seen {
    std::string function, name;
    void *address;
  };
  std::vector<Seen> seen;
  /// Sizes and strides of outputs: of the first ones here, of others in pieces
  /// of the heap; and what is left of the last.
  static constexpr size_t numFirstWords = 32, numMoreWords = 1024;
  int64_t firstShapes[numFirstWords];
  std::vector<std::unique_ptr<int64_t[]>> moreShapes;
  int64_t *nextShape = firstShapes;
  size_t shapeRoom = numFirstWords;
  /// What the caller hands over, by the number of the input.
  struct Handed {
    void (*release)(void *user);
    void *user;
  };
  std::map<int32_t, Handed> handed;
  coil_input_storage storage = {};
  coil_hook_fn hook = nullptr;
  void *hookUser = nullptr;
  /// Null functions: that of the process.
  coil_generator generator = {};
  /// States that were read for a GPU, which copies them later.
  std::list<std::array<int64_t, 2>> states;
  /// Ranges that are open: name and begin.
  std::vector<std::pair<std::string, int64_t>> ranges;
  /// Objects by name, and those that programs of the run hold.
  std::map<std::string, coil_object *> objects;
  std::vector<coil_object *> held;
  /// Bytes that a step of a library may allocate (`coil::limit_workspace`; any
  /// number if negative), and what the one that runs has.
  int64_t workspaceLimit = -1, workspace = 0;
  /// Collectives that it has started, and nothing has waited for.
  int64_t started = 0;
  /// Memory that process groups gave it.
  struct GroupMemory {
    void *address;
    int64_t bytes;
    std::shared_ptr<void> group;
  };
  std::vector<GroupMemory> groupMemory;
  /// What a run on a GPU has besides; null for others.
  coil::rt::cuda::RunState *cuda = nullptr;
};

namespace coil::rt {

/// Ends what a run still holds of RunContext.h and Objects.h.
/// @{
void endContext(coil_run *run);
void endObjects(coil_run *run);
/// @}
/// Registers the functions that ops on the context call.
void registerContextFunctions();

/// Monotonic clock in nanoseconds.
int64_t nowNs();

/// The part of each function on runs and memory that concerns GPUs, in CUDA/.
/// @{
void destroyCudaRun(coil_run *run);
int32_t getCudaDevice(coil_run *run);
/// NVTX, where it is on.
void pushCudaRange(const char *name);
void popCudaRange();
/// Fails while the run is recorded as a graph, in which a call of the host
/// would be missing, and makes the recording fail.
int32_t refuseInGraph(coil_run *run, const char *name);
/// Device memory by its address, or COIL_UNAVAILABLE for other memory.
int32_t takeCudaMemory(coil_run *run, void *pointer);
int32_t freeCudaMemory(void *pointer);
/// Code of others has run, which may have made another context current.
void forgetCudaContext(coil_run *run);
/// Whether an address is device memory that a run owns.
bool ownsCudaMemory(coil_run *run, void *pointer);
/// @}

/// Reports one step to the trace hook when it leaves scope with a status. Costs
/// one load when tracing is off.
class TraceStep {
public:
  TraceStep(coil_run *run, coil_trace_kind kind, const char *name)
      : run(run), kind(kind), name(name), begin(run->trace ? nowNs() : 0) {}
  int32_t finish(int32_t status, const void *address, int64_t amount) {
    if (run->trace) {
      int64_t end = nowNs();
      bool computes = kind == COIL_TRACE_LAUNCH || kind == COIL_TRACE_LIBRARY;
      coil_trace_event event = {
          kind,    status, name,
          address, amount, run->stats.live_bytes,
          begin,   end,    computes ? run->nextCost : kUnknownCost};
      if (computes)
        run->nextCost = kUnknownCost;
      run->trace(run->traceUser, &event);
    }
    return status;
  }

private:
  coil_run *run;
  coil_trace_kind kind;
  const char *name;
  int64_t begin;
};

/// Whether a step may have `bytes` more of workspace.
inline bool hasWorkspace(const coil_run *run, int64_t bytes) {
  return run->workspaceLimit < 0 ||
         bytes <= run->workspaceLimit - run->workspace;
}

/// An error if it may not.
int32_t checkWorkspace(const coil_run *run, int64_t bytes);

/// Workspace of a library's step that goes away with the scope.
class Scratch {
public:
  explicit Scratch(coil_run *run) : run(run) {}
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;
  ~Scratch() { reset(); }

  /// Returns null, with the error recorded, when there is no memory.
  void *allocate(int64_t bytes);
  void reset();

private:
  coil_run *run;
  std::vector<void *> pointers;
  int64_t bytes = 0;
};

} // namespace coil::rt

#endif // COIL_LIB_RUNTIME_RUN_H
