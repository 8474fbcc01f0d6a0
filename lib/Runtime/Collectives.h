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

#include <string>

namespace coil::rt {

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
