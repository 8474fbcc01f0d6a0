//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the runtime knows of groups and of work that runs have started.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_COLLECTIVES_H
#define COIL_LIB_RUNTIME_COLLECTIVES_H

#include "Run.h"

#include "coil/Runtime/Collectives.h"

#include <memory>
#include <string>
#include <vector>

namespace coil::rt {

/// A process group that somebody has registered.
struct Group {
  std::string name;
  /// `struct_size` bytes of it are there; functions behind them are null.
  coil_process_group description = {};
  /// Works that nothing has waited for; guarded by the registry.
  int64_t started = 0;

  bool isRecordable() const {
    return description.flags & COIL_GROUP_RECORDABLE;
  }
};

using GroupPointer = std::shared_ptr<Group>;

/// A collective that nothing has waited for.
struct StartedWork {
  coil_run *run;
  GroupPointer group;
  void *work;
  int32_t kind;
  std::string where;
  const void *source, *target;
  int64_t sourceBytes, targetBytes;

  /// "all_reduce of group '0' (model.py:17)"
  std::string describe() const;
  /// Whether its buffers are in memory of so many bytes.
  bool uses(const void *pointer, int64_t bytes) const;
  int32_t failFree() const;
};

/// The group that the calling thread sees under a name, or null.
GroupPointer lookupGroup(const char *name, int32_t device);

/// "all_reduce".
const char *getCollectiveName(int32_t kind);

/// Registers `coil::all_reduce` and the others.
void registerCollectives();

/// Fails if something that the run has started uses memory of these bytes.
int32_t checkNotInUse(coil_run *run, const void *pointer, int64_t bytes);

/// Gives up what a run has started, and frees memory of groups that it has.
void abandonGroups(coil_run *run);

/// Bytes of a tensor's elements.
int64_t getTensorBytes(const coil_tensor &tensor);

/// Copies bytes on a stream of the current CUDA context (CUDA/Stream.cpp).
int32_t copyOnCudaStream(void *to, const void *from, int64_t bytes,
                         void *stream);

} // namespace coil::rt

#endif // COIL_LIB_RUNTIME_COLLECTIVES_H
