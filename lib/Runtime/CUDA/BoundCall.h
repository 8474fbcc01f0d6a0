//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call that is bound to the memory of its inputs and outputs.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_CUDA_BOUNDCALL_H
#define COIL_LIB_RUNTIME_CUDA_BOUNDCALL_H

#include "Graph.h"

namespace coil::rt::cuda {

class BoundCall {
public:
  explicit BoundCall(Device &device) : device(device) {}
  BoundCall(const BoundCall &) = delete;
  BoundCall &operator=(const BoundCall &) = delete;
  /// Waits for what it launched.
  ~BoundCall();

  /// Records the call, without running it. `outputs` are then where each launch
  /// writes, as long as this object lives.
  int32_t bind(RunState &state, coil_cuda_program &program,
               coil_entry_point function, const coil_tensor *inputs,
               int32_t numInputs, coil_tensor *outputs, int32_t numOutputs);
  /// Puts the call into the run's stream.
  int32_t launch(RunState &state);

private:
  /// Ends the run of a recording, and its memory.
  void dropRun();
  int32_t record(coil_cuda_program &program, coil_entry_point function,
                 const coil_tensor *inputs, int32_t numInputs,
                 coil_tensor *outputs);

  Device &device;
  coil_run *run = nullptr; ///< Owns the memory of the call.
  MemoryPool *pool = nullptr;
  const MemorySource *source = nullptr;
  /// Of the other devices that the call works on.
  std::vector<std::pair<Device *, MemoryPool *>> peerPools;
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  CUevent done = nullptr;
  bool ran = false;
  std::shared_ptr<WordsOwner> words;
  std::vector<RecordedLaunch> launches;
  std::vector<std::shared_ptr<void>> kept; ///< What the graph's kernels need.
  GraphGroups groups;
};

} // namespace coil::rt::cuda

#endif // COIL_LIB_RUNTIME_CUDA_BOUNDCALL_H
