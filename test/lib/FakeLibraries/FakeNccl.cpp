//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library that looks like NCCL, for one rank on the simulated device. Of more
// ranks, the others never come.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Runtime/CUDA/Nccl.h"
#include "FakeDevice.h"

#include <cstring>

using namespace coil::rt::cuda;
using coil::fake::SimDevice;

#define FAKE_API extern "C" __attribute__((visibility("default")))

namespace coil::rt::cuda {
struct ncclComm {
  int size;
};
} // namespace coil::rt::cuda

static const int widths[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
static constexpr ncclResult_t ncclInvalidArgument = 4;

static const void *sent = nullptr;
static size_t sentBytes = 0;

/// Copies in the order of a stream.
static ncclResult_t copy(const void *from, void *to, size_t count, int type,
                         ncclComm_t comm, CUstream stream) {
  if (type < 0 || type > 11 || !comm || comm->size != 1)
    return ncclInvalidArgument;
  size_t bytes = count * static_cast<size_t>(widths[type]);
  const SimDevice &device = SimDevice::get();
  if (!device)
    return ncclInvalidArgument;
  if (bytes == 0 || from == to)
    return ncclSuccess;
  auto source = reinterpret_cast<uint64_t>(from),
       target = reinterpret_cast<uint64_t>(to);
  bool done = device.enqueue(stream, [=] {
    void *read = SimDevice::get().access(source, bytes, 0),
         *write = SimDevice::get().access(target, bytes, 1);
    if (read && write)
      std::memmove(write, read, bytes);
  });
  return done ? ncclSuccess : ncclInvalidArgument;
}

FAKE_API ncclResult_t ncclGetUniqueId(ncclUniqueId *id) {
  std::memset(id, 7, sizeof(*id));
  return ncclSuccess;
}

FAKE_API ncclResult_t ncclCommInitRankConfig(ncclComm_t *comm, int size,
                                             ncclUniqueId id, int rank,
                                             ncclConfig *config) {
  if (id.internal[127] != 7 || rank < 0 || rank >= size ||
      config->size != sizeof(ncclConfig) || config->magic != 0xcafebeef ||
      config->blocking != 0)
    return ncclInvalidArgument;
  *comm = new ncclComm{size};
  return ncclInProgress;
}

FAKE_API ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  delete comm;
  return ncclSuccess;
}

FAKE_API ncclResult_t ncclCommAbort(ncclComm_t comm) {
  return ncclCommDestroy(comm);
}

FAKE_API ncclResult_t ncclCommGetAsyncError(ncclComm_t comm,
                                            ncclResult_t *result) {
  *result = comm->size == 1 ? ncclSuccess : ncclInProgress;
  return ncclSuccess;
}

FAKE_API ncclResult_t ncclAllReduce(const void *from, void *to, size_t count,
                                    int type, int reduce, ncclComm_t comm,
                                    CUstream stream) {
  if (reduce < 0 || reduce > 4)
    return ncclInvalidArgument;
  return copy(from, to, count, type, comm, stream);
}

FAKE_API ncclResult_t ncclReduceScatter(const void *from, void *to,
                                        size_t count, int type, int reduce,
                                        ncclComm_t comm, CUstream stream) {
  return ncclAllReduce(from, to, count, type, reduce, comm, stream);
}

FAKE_API ncclResult_t ncclAllGather(const void *from, void *to, size_t count,
                                    int type, ncclComm_t comm,
                                    CUstream stream) {
  return copy(from, to, count, type, comm, stream);
}

FAKE_API ncclResult_t ncclBroadcast(const void *from, void *to, size_t count,
                                    int type, int root, ncclComm_t comm,
                                    CUstream stream) {
  return root == 0 ? copy(from, to, count, type, comm, stream)
                   : ncclInvalidArgument;
}

FAKE_API ncclResult_t ncclSend(const void *from, size_t count, int type,
                               int peer, ncclComm_t, CUstream) {
  sent = from;
  sentBytes = count * static_cast<size_t>(widths[type]);
  return peer == 0 ? ncclSuccess : ncclInvalidArgument;
}

FAKE_API ncclResult_t ncclRecv(void *to, size_t count, int type, int peer,
                               ncclComm_t comm, CUstream stream) {
  return peer == 0 && count * static_cast<size_t>(widths[type]) == sentBytes
             ? copy(sent, to, count, type, comm, stream)
             : ncclInvalidArgument;
}

FAKE_API ncclResult_t ncclGroupStart() { return ncclSuccess; }
FAKE_API ncclResult_t ncclGroupEnd() { return ncclSuccess; }

FAKE_API ncclResult_t ncclMemAlloc(void **, size_t) {
  return ncclInvalidArgument;
}
FAKE_API ncclResult_t ncclMemFree(void *) { return ncclSuccess; }
FAKE_API ncclResult_t ncclCommRegister(ncclComm_t, void *, size_t, void **) {
  return ncclSuccess;
}
FAKE_API ncclResult_t ncclCommDeregister(ncclComm_t, void *) {
  return ncclSuccess;
}
