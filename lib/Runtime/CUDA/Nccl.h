//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of NCCL that the runtime uses, loaded at first need. The types
// and prototypes below are the library's binary interface since 2.19.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_CUDA_NCCL_H
#define COIL_LIB_RUNTIME_CUDA_NCCL_H

#include "Driver.h"

#include <climits>
#include <cstddef>

namespace coil::rt::cuda {

using ncclComm_t = struct ncclComm *;
using ncclResult_t = int;

struct ncclUniqueId {
  char internal[128];
};

/// As of 2.18; later versions have more fields behind, and take this size.
struct ncclConfig {
  size_t size = sizeof(ncclConfig);
  unsigned magic = 0xcafebeef;
  unsigned version = 21805;
  int blocking = 0;
  int cgaClusterSize = INT_MIN;
  int minCTAs = INT_MIN;
  int maxCTAs = INT_MIN;
  const char *netName = nullptr;
  int splitShare = INT_MIN;
};

enum : ncclResult_t { ncclSuccess = 0, ncclInProgress = 7 };

/// X(exported name, parameters). Each function returns an ncclResult_t.
#define COIL_NCCL_FUNCTIONS(X)                                                 \
  X(ncclGetUniqueId, (ncclUniqueId * id))                                      \
  X(ncclCommInitRankConfig, (ncclComm_t * comm, int size, ncclUniqueId id,     \
                             int rank, ncclConfig *config))                    \
  X(ncclCommDestroy, (ncclComm_t comm))                                        \
  X(ncclCommAbort, (ncclComm_t comm))                                          \
  X(ncclCommGetAsyncError, (ncclComm_t comm, ncclResult_t * result))           \
  X(ncclAllReduce, (const void *from, void *to, size_t count, int type,        \
                    int reduce, ncclComm_t comm, CUstream stream))             \
  X(ncclReduceScatter, (const void *from, void *to, size_t count, int type,    \
                        int reduce, ncclComm_t comm, CUstream stream))         \
  X(ncclAllGather, (const void *from, void *to, size_t count, int type,        \
                    ncclComm_t comm, CUstream stream))                         \
  X(ncclBroadcast, (const void *from, void *to, size_t count, int type,        \
                    int root, ncclComm_t comm, CUstream stream))               \
  X(ncclSend, (const void *from, size_t count, int type, int peer,             \
               ncclComm_t comm, CUstream stream))                              \
  X(ncclRecv, (void *to, size_t count, int type, int peer, ncclComm_t comm,    \
               CUstream stream))                                               \
  X(ncclGroupStart, ())                                                        \
  X(ncclGroupEnd, ())                                                          \
  X(ncclMemAlloc, (void **pointer, size_t bytes))                              \
  X(ncclMemFree, (void *pointer))                                              \
  X(ncclCommRegister,                                                          \
    (ncclComm_t comm, void *pointer, size_t bytes, void **handle))             \
  X(ncclCommDeregister, (ncclComm_t comm, void *handle))

/// The library's functions.
struct Nccl {
#define COIL_MEMBER(name, params) ncclResult_t(*name) params = nullptr;
  COIL_NCCL_FUNCTIONS(COIL_MEMBER)
#undef COIL_MEMBER
  /// What failed last, in words.
  const char *(*ncclGetLastError)(ncclComm_t comm) = nullptr;

  /// Loads the library at the first call: what COIL_NCCL_LIBRARY names, else
  /// libnccl.so.2. Null, with the error recorded, when that fails.
  static const Nccl *get();
};

} // namespace coil::rt::cuda

#endif // COIL_LIB_RUNTIME_CUDA_NCCL_H
