//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state behind the functions of the simulated driver.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_TEST_LIB_CUDASIM_DRIVERSTATE_H
#define COIL_TEST_LIB_CUDASIM_DRIVERSTATE_H

#include "DeviceMemory.h"
#include "Lower.h"
#include "Options.h"
// Declares the functions that the runtime uses, so that the definitions here
// cannot differ from what it calls.
#include "../../../lib/Runtime/CUDA/Driver.h"

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <thread>

namespace coil::cudasim {

using namespace coil::rt::cuda;

enum : CUresult {
  CUDA_ERROR_INVALID_HANDLE = 400,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_NOT_SUPPORTED = 801,
  CUDA_ERROR_STREAM_CAPTURE_UNMATCHED = 903,
  CUDA_ERROR_STREAM_CAPTURE_UNJOINED = 904,
  CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED = 712,
  CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED = 713
};

struct Function;

/// What a graph holds, and what a stream executes at once.
struct Operation {
  enum Type { Kernel = 0, Copy = 1, Set = 2, Host = 3, Empty = 5 };
  Type type = Empty;
  // Kernel
  Function *function = nullptr;
  uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  uint32_t shared = 0;
  bool isCooperative = false; ///< all blocks run at once
  std::vector<uint8_t> params;
  std::vector<void *> pointers; ///< to the parameters, for cuGraph...GetParams
  // Copy and Set
  uint64_t to = 0, from = 0;
  size_t bytes = 0;
  uint32_t value = 0;
  unsigned width = 1;
  bool toHost = false, fromHost = false;
  // Host
  void (*callback)(void *) = nullptr;
  /// In place of a callback: asked again and again until it says that it is
  /// done; `state` is zero at first, and its own in each execution.
  int (*poll)(void *data, uint64_t *state) = nullptr;
  void *data = nullptr;
};

/// What a stream has not come to, because a poll before it is not done.
struct Pending {
  Operation operation;
  uint64_t state = 0;            ///< of a poll
  std::shared_ptr<bool> waits;   ///< an event that has to come first
  std::shared_ptr<bool> records; ///< an event that this is
  /// What an asynchronous copy takes from the host before it returns.
  std::vector<uint8_t> staged;
};

} // namespace coil::cudasim

// The handles of the interface.
namespace coil::rt::cuda {
struct CUgraphNode_st {
  coil::cudasim::Operation operation;
  /// The nodes of its graph that are done before, by number; what these are
  /// behind is done before, too.
  std::set<size_t> behind;
};
struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
  uint64_t number = 0; ///< of the capture that made it
};
struct CUgraphExec_st {
  std::vector<coil::cudasim::Operation> operations;
  std::vector<const CUgraphNode_st *> origins;
};
struct CUctx_st {
  int device = 0;
  unsigned retained = 0;
};
struct CUstream_st {
  int device = 0;
  unsigned flags = 0;
  std::deque<coil::cudasim::Pending> queue;
  CUgraph_st *capture = nullptr;
  std::vector<CUgraphNode> lastCaptured; ///< what GetCaptureInfo points to
  std::set<size_t> behind; ///< nodes that the next one of a capture is behind
  bool isOrigin = false, invalidated = false;
  int mode = 0;
  std::thread::id capturer; ///< who has begun the capture
};
struct CUevent_st {
  int device = 0;
  unsigned flags = 0;
  bool recorded = false;
  /// Whether the stream has come to it; null where it had at once.
  std::shared_ptr<bool> reached;
  CUgraph_st *capture = nullptr;
  std::set<size_t> behind; ///< nodes of the capture that it is behind
  bool isReached() const { return !reached || *reached; }
  std::chrono::steady_clock::time_point time;
};
struct CUfunc_st {
  coil::cudasim::Function *self = nullptr;
};
struct CUmod_st {
  int device = 0;
  std::unique_ptr<coil::cudasim::ptx::Module> ptx;
  std::unordered_map<std::string, std::unique_ptr<coil::cudasim::Function>>
      functions;
  coil::cudasim::ModuleLayout layout;
  std::unordered_map<std::string, coil::cudasim::Allocation *> variables;
};
} // namespace coil::rt::cuda

namespace coil::cudasim {

struct Function : CUfunc_st {
  int device = 0;
  std::unique_ptr<Code> code;
  uint32_t maxDynamicShared = 0;
};

/// The devices, their primary contexts and all that lives there.
struct State {
  std::recursive_mutex lock;
  bool initialized = false;
  CUctx_st contexts[maxDevices];
  CUresult sticky = CUDA_SUCCESS; ///< a fault: the context is unusable
  std::string report;
  uint64_t launches = 0, captures = 0;
  std::unique_ptr<DeviceMemory> memory;
  std::set<CUstream_st *> streams;
  std::set<CUevent_st *> events;
  std::set<CUmod_st *> modules;
  std::set<CUgraph_st *> graphs;
  std::set<CUgraphExec_st *> execs;
  CUstream_st legacy[maxDevices];
  std::map<std::string, uint64_t> calls;

  static State &get();
  /// The device of the calling thread's context, which there is.
  static int device();
  /// Whether a context is one, and in use.
  bool isContext(CUcontext context) const;
  bool hasContext() const;
  /// The stream behind a handle; null for an invalid one.
  CUstream_st *stream(CUstream handle);
  /// Frees everything that a device has.
  void reset(int device);
};

/// The beginning of every driver function: takes the lock, injects failures,
/// and checks what the function needs.
class Entry {
public:
  enum Needs { Nothing, Initialized, Context };
  Entry(const char *name, Needs needs);
  CUresult result = CUDA_SUCCESS;
  State &state;

  /// Lets other threads go on until `isDone`, which is asked with the lock.
  void waitUntil(const std::function<bool()> &isDone);

private:
  std::unique_lock<std::recursive_mutex> guard;
};

#define COIL_ENTER(NEEDS)                                                      \
  Entry entry(__func__, Entry::NEEDS);                                         \
  if (entry.result != CUDA_SUCCESS)                                            \
    return entry.result;                                                       \
  [[maybe_unused]] State &state = entry.state

/// Executes an operation, or records it if the stream is being captured.
CUresult submit(State &state, CUstream stream, Operation operation);
CUresult perform(State &state, const Operation &operation);
/// Lets all streams go on as far as they can.
void advance(State &state);
CUresult launch(State &state, const Operation &operation);
/// Fails if a capture forbids this thread a call that may be unsafe, or one
/// that waits for the whole device.
CUresult forbiddenInCapture(State &state, bool waits = false);
/// Checks a launch and fills in its parameters.
CUresult makeLaunch(State &state, CUfunction function,
                    const unsigned (&grid)[3], const unsigned (&block)[3],
                    unsigned shared, void **params, void **extra,
                    Operation &operation);
/// Prints a message about a misuse of the interface.
CUresult misuse(const char *function, const std::string &message,
                CUresult result);

} // namespace coil::cudasim

#define COIL_DECLARE(member, name, params)                                     \
  extern "C" coil::rt::cuda::CUresult name params;
namespace coil::rt::cuda {
COIL_CUDA_DRIVER_FUNCTIONS(COIL_DECLARE)
COIL_CUDA_OPTIONAL_FUNCTIONS(COIL_DECLARE)
} // namespace coil::rt::cuda
#undef COIL_DECLARE

#endif // COIL_TEST_LIB_CUDASIM_DRIVERSTATE_H
