//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a run on a GPU has besides the run itself.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_CUDA_RUNSTATE_H
#define COIL_LIB_RUNTIME_CUDA_RUNSTATE_H

#include "../Run.h"
#include "Device.h"
#include <algorithm>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace coil::rt::cuda {

class Readers;
class Recording;
struct GraphPath;

/// A step between two events.
struct TimedStep {
  const coil_cuda_kernel *kernel;
  const char *name;
  coil_cost cost;
  CUevent begin;
  CUevent end;
};

class BoundCall;

/// The 128 bytes that a kernel takes of a tensor map.
struct alignas(64) EncodedTensorMap {
  uint8_t bytes[128];
};

struct RunState {
  RunState(coil_run *run, Device &device) : run(run), device(device) {}

  coil_run *run;
  Device &device;
  /// \name Programs on several GPUs (Peers.cpp)
  /// The run's `cuda` is the state that works; `main` the one of the device
  /// that the run was bound to. That one has the others, and the streams that
  /// the caller gave for their devices.
  /// @{
  RunState *main = this;
  /// Of a run's own device: which GPU its program calls the first. That one,
  /// but where a partition of another is recorded.
  int base = device.index;
  std::vector<std::unique_ptr<RunState>> peers;
  std::vector<std::pair<int, CUstream>> peerStreams;
  /// @}
  CUstream stream = nullptr;
  MemoryPool *pool = nullptr; ///< Null until the stream is known.
  /// What all memory of the run on this device comes from.
  const MemorySource *source = MemorySource::get();
  /// Of the program that runs, where memory has a source.
  std::shared_ptr<AllocationUses> uses;
  /// Not null for a run whose memory is kept for calls of a program.
  std::shared_ptr<Readers> readers;
  bool ownsStream = false;
  /// \name Side streams (Stream.cpp)
  /// By their number; while the program works on one, `stream` and `pool` are
  /// those of that one.
  /// @{
  std::vector<CUstream> sideStreams;
  bool isOnSide = false;
  CUstream mainStream = nullptr;
  MemoryPool *mainPool = nullptr;
  /// Events that were recorded and not waited for, and others.
  std::vector<CUevent> usedEvents, freeEvents;
  /// @}
  /// What a library may allocate for a step that has `most` where there is
  /// enough memory.
  int64_t limitWorkspace(int64_t most) const {
    return run->workspaceLimit < 0 ? most : std::min(most, run->workspaceLimit);
  }
  bool timing = false;
  coil_cuda_program *program = nullptr;
  /// Where a call is among its partitions; null outside of calls that keep
  /// graphs.
  GraphPath *path = nullptr;
  /// Whether `enterDevice` has pushed the context.
  bool pushedContext = false;
  /// \name What a call of a program has asked the driver (CallScope)
  /// @{
  /// Whether the context is current on the run's thread, and stays so until
  /// code of others runs.
  bool inContext = false;
  /// While that is so: whether the caller records `askedStream`.
  bool hasAsked = false, isCaptured = false;
  CUstream askedStream = nullptr;
  /// @}
  /// Not null while a call is recorded as a graph instead of run.
  Recording *recording = nullptr;
  DeviceBlock *blocks = nullptr;
  int64_t nextAllocation = 0;
  ErrorWords *words = nullptr;
  /// Words of a recording that this run replayed.
  ErrorWords *replayedWords = nullptr;
  std::shared_ptr<void> keepAlive;
  /// What the run launches again and again; null for most.
  std::shared_ptr<BoundCall> bound;
  /// The last kernels since the run was synchronised, and how many there were.
  static constexpr unsigned numRecent = 4;
  const coil_cuda_kernel *recent[numRecent] = {};
  uint64_t launched = 0;
  std::vector<TimedStep> steps;
  /// Tensor maps by what they were made of (TensorMap.cpp).
  std::map<std::string, EncodedTensorMap> tensorMaps;

  /// Finds the stream and the memory pool.
  int32_t prepare() {
    if (int32_t status = device.checkUsable())
      return status;
    return pool ? COIL_OK : acquireStream();
  }
  int32_t acquireStream();
  MemoryPool *getPool(CUstream ofStream) {
    return device.allocator.getPool(ofStream, source);
  }

  /// That of memory that is kept between runs. An installed allocator orders
  /// memory by streams: nothing runs on that one, so that any may use it.
  MemoryPool *getKeptPool() {
    return getPool(source ? device.getKeptStream() : nullptr);
  }

  int32_t allocate(int64_t bytes, DeviceBlock *&block);
  /// For outputs of graphs, whose numbers are not those of plain runs.
  int32_t allocateResult(int64_t bytes, DeviceBlock *&block);
  /// Makes a block of the allocator the run's.
  void adopt(DeviceBlock *block);
  void free(DeviceBlock *block);
  int32_t copy(CUdeviceptr to, CUdeviceptr from, int64_t bytes);
  int32_t synchronize();
  /// Whether the caller records what is put on the stream as a graph of its
  /// own, whose replays use the same memory again.
  bool isRecordedElsewhere() {
    return !recording && !ownsStream && asksIfCaptured();
  }
  /// Code of others has run.
  void forgetContext() { inContext = hasAsked = false; }
  /// The context broke: says which kernels may have done it.
  std::string describeRecent() const;

private:
  int32_t allocateFor(int32_t use, bool isPredicted, int64_t bytes,
                      DeviceBlock *&block);
  int32_t readErrors();
  bool asksIfCaptured();
};

/// Makes the device's context current for a call of a program, and lets the run
/// rely on that, and on what the driver says about its stream, until code of
/// others runs or the call ends.
class CallScope {
public:
  explicit CallScope(RunState &state);
  ~CallScope();
  CallScope(const CallScope &) = delete;
  CallScope &operator=(const CallScope &) = delete;

private:
  RunState &state;
  ContextGuard guard;
  /// That of the thread before, where the caller records the run's stream.
  int captureMode = -1;
};

inline CUdeviceptr toDevice(const void *pointer) {
  return CUdeviceptr(reinterpret_cast<uintptr_t>(pointer));
}
inline void *toPointer(CUdeviceptr address) {
  return reinterpret_cast<void *>(uintptr_t(address));
}

/// An event of a run's device, which goes back to `freeEvents`. The device's
/// context is current.
int32_t takeEvent(RunState &state, CUevent &event);

/// Lets what `later` is given next wait for what `first` was given, on the
/// streams that they work on; both are of one run.
int32_t orderPeers(RunState &first, RunState &later);
/// Lets the stream of a run's own device wait for what the others were given;
/// where that fails, waits for them.
int32_t joinPeers(RunState &state);
/// The state of a run on the device `index` places behind the one that it was
/// bound to; null with the error recorded.
RunState *getPeer(coil_run *run, int32_t index);
/// Calls a function with each state of a run, that of its own device first.
template <typename Body>
void forEachState(const RunState &state, Body &&body) {
  body(*state.main);
  for (const std::unique_ptr<RunState> &peer : state.main->peers)
    body(*peer);
}

/// Gives side streams and events back, behind what they were given.
void endStreams(RunState &state);

/// The state of a run that was bound to a device, or null with the error
/// recorded.
RunState *getState(coil_run *run);

/// What functions of the runtime do on a run's device: `body` gets the state of
/// the run, whose stream and memory are known; nothing is thrown.
template <typename Body>
int32_t prepared(coil_run *run, Body body) {
  return guarded([&]() -> int32_t {
    RunState *state = getState(run);
    if (!state)
      return COIL_INVALID_ARGUMENT;
    if (int32_t status = state->prepare())
      return status;
    return body(state);
  });
}

/// \name NVTX (Profile.cpp)
/// @{
void pushRange(const char *name);
void popRange();
bool hasRanges();
class Range {
public:
  explicit Range(const char *name) : active(hasRanges()) {
    if (active)
      pushRange(name);
  }
  ~Range() {
    if (active)
      popRange();
  }
  Range(const Range &) = delete;
  Range &operator=(const Range &) = delete;

private:
  bool active;
};
/// @}

/// Times one step, if the run is timed, and names it.
class StepTimer {
public:
  StepTimer(RunState &state, const coil_cuda_kernel *kernel, const char *name);
  /// The same for a step whose cost the runtime knows by itself.
  StepTimer(RunState &state, const char *name, coil_cost cost);
  ~StepTimer();

private:
  void begin(const coil_cuda_kernel *kernel, const char *name, coil_cost cost);

  RunState &state;
  Range range;
  size_t index = SIZE_MAX;
};

/// Whether each launch is waited for.
bool isBlocking();
/// Whether kernels may be launched while those before them still run.
bool mayOverlap();

} // namespace coil::rt::cuda

#endif // COIL_LIB_RUNTIME_CUDA_RUNSTATE_H
