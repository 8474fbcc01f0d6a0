//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Process groups of NCCL. Collectives are put on a stream of the group, which
// events order with those of programs. A thread looks after them: what does not
// end in time is aborted, and the device says so where it is waited for next.
//
//===----------------------------------------------------------------------===//

#include "Nccl.h"

#include "../Collectives.h"
#include "RunState.h"
#include "VendorLibrary.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

using namespace coil::rt;
using namespace coil::rt::cuda;
using Clock = std::chrono::steady_clock;

const Nccl *Nccl::get() {
  static VendorLibrary *library =
      new VendorLibrary("nccl", "COIL_NCCL_LIBRARY", {"libnccl.so.2"},
                        {
#define COIL_NAME(name, params) #name,
                            COIL_NCCL_FUNCTIONS(COIL_NAME)
#undef COIL_NAME
                        });
  // The structure is nothing but the functions in the order of their names.
  return reinterpret_cast<const Nccl *>(library->get());
}

namespace {

struct NcclWork {
  CUevent done = nullptr;
  std::string what;
  Clock::time_point deadline;
};

} // namespace

struct coil_nccl_group {
  std::string name;
  int32_t rank, size;
  std::chrono::milliseconds limit;
  const Nccl &nccl;
  Device &device;
  ncclComm_t comm = nullptr;
  CUstream stream = nullptr;
  coil_process_group description = {};

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::shared_ptr<NcclWork>> works;
  /// Why nothing can be started any more.
  std::string failure;
  bool ends = false;
  std::thread watcher;
  /// Registrations of memory.
  std::map<void *, void *> handles;

  coil_nccl_group(const Nccl &nccl, Device &device)
      : nccl(nccl), device(device) {}
  int32_t check(ncclResult_t result, const char *what);
  void watch();
};

/// Waits for what NCCL does on the host, as long as it may take.
int32_t coil_nccl_group::check(ncclResult_t result, const char *what) {
  Clock::time_point deadline = Clock::now() + limit;
  while (result == ncclInProgress) {
    if (Clock::now() > deadline)
      return fail(COIL_UNAVAILABLE,
                  "%s of group '%s': a rank did not come within %lld ms", what,
                  name.c_str(), static_cast<long long>(limit.count()));
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    ncclResult_t asked = nccl.ncclCommGetAsyncError(comm, &result);
    if (asked)
      result = asked;
  }
  return result == ncclSuccess
             ? COIL_OK
             : fail(COIL_INTERNAL, "library 'nccl' failed with status %d (%s)",
                    result, what);
}

/// Aborts all if the first does not end in time.
void coil_nccl_group::watch() {
  ContextGuard guard(device);
  std::unique_lock<std::mutex> lock(mutex);
  while (!ends || !works.empty()) {
    if (works.empty()) {
      changed.wait(lock);
      continue;
    }
    std::shared_ptr<NcclWork> work = works.front();
    CUresult result = device.driver.eventQuery(work->done);
    if (result != CUDA_ERROR_NOT_READY || !failure.empty()) {
      works.pop_front();
      continue;
    }
    if (Clock::now() > work->deadline) {
      failure = work->what + ": a rank did not come within " +
                std::to_string(limit.count()) + " ms";
      device.defer(failure);
      nccl.ncclCommAbort(comm);
      comm = nullptr;
      changed.notify_all();
      continue;
    }
    changed.wait_for(lock, std::chrono::milliseconds(2));
  }
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

/// NCCL's numbers of types, or -1.
static int getType(int32_t dtype) {
  switch (dtype) {
  case COIL_I8:
    return 0;
  case COIL_BOOL:
  case COIL_U8:
    return 1;
  case COIL_I32:
    return 2;
  case COIL_U32:
    return 3;
  case COIL_I64:
    return 4;
  case COIL_U64:
    return 5;
  case COIL_F16:
    return 6;
  case COIL_F32:
    return 7;
  case COIL_F64:
    return 8;
  case COIL_BF16:
    return 9;
  case COIL_F8E4M3FN:
    return 10;
  case COIL_F8E5M2:
    return 11;
  default:
    return -1;
  }
}

/// Those of ways to combine, by coil_collective_reduce.
static const int reduces[] = {0, 4, 3, 2, 1};

static constexpr int bytesType = 1;

/// Puts the work on the group's stream.
static ncclResult_t enqueue(coil_nccl_group &g, const coil_collective &c,
                            int type, int64_t count) {
  const void *from = c.source->data;
  void *to = c.target->data;
  switch (c.kind) {
  case COIL_ALL_REDUCE:
    return g.nccl.ncclAllReduce(from, to, size_t(count), type,
                                reduces[c.reduce], g.comm, g.stream);
  case COIL_REDUCE_SCATTER:
    return g.nccl.ncclReduceScatter(from, to, size_t(count / g.size), type,
                                    reduces[c.reduce], g.comm, g.stream);
  case COIL_ALL_GATHER:
    return g.nccl.ncclAllGather(from, to, size_t(getTensorBytes(*c.source)),
                                bytesType, g.comm, g.stream);
  case COIL_BROADCAST:
    return g.nccl.ncclBroadcast(from, to, size_t(getTensorBytes(*c.source)),
                                bytesType, c.root, g.comm, g.stream);
  default: {
    int64_t row = coil_dtype_size(c.source->dtype), sent = 0, received = 0;
    for (int32_t d = 1; d < c.source->rank; ++d)
      row *= c.source->sizes[d];
    ncclResult_t result = g.nccl.ncclGroupStart();
    auto isFine = [&] {
      return result == ncclSuccess || result == ncclInProgress;
    };
    for (int32_t r = 0; r < g.size && isFine(); ++r) {
      int64_t send = c.source_splits[r] * row, take = c.target_splits[r] * row;
      result = g.nccl.ncclSend(static_cast<const char *>(from) + sent,
                               size_t(send), bytesType, r, g.comm, g.stream);
      if (isFine())
        result = g.nccl.ncclRecv(static_cast<char *>(to) + received,
                                 size_t(take), bytesType, r, g.comm, g.stream);
      sent += send;
      received += take;
    }
    ncclResult_t end = g.nccl.ncclGroupEnd();
    return isFine() ? end : result;
  }
  }
}

static int32_t start(void *user, const coil_collective *c, void **out) {
  return guarded([&]() -> int32_t {
    auto &g = *static_cast<coil_nccl_group *>(user);
    bool combines =
        c->kind == COIL_ALL_REDUCE || c->kind == COIL_REDUCE_SCATTER;
    int type = getType(c->source->dtype);
    if (combines && type < 0)
      return fail(COIL_UNSUPPORTED, "NCCL does not combine elements of type %s",
                  coil_dtype_name(c->source->dtype));
    int64_t width = coil_dtype_size(c->source->dtype);
    int64_t count = getTensorBytes(*c->source) / width;
    auto work = std::make_unique<std::shared_ptr<NcclWork>>(
        std::shared_ptr<NcclWork>(new NcclWork, [&g](NcclWork *each) {
          if (each->done)
            g.device.driver.eventDestroy(each->done);
          delete each;
        }));
    NcclWork &w = **work;
    w.what = std::string(getCollectiveName(c->kind)) + " of group '" + g.name +
             "'" + (c->where ? std::string(" (") + c->where + ")" : "");
    const Driver &driver = g.device.driver;
    ContextGuard guard(g.device);
    std::lock_guard<std::mutex> lock(g.mutex);
    if (!g.failure.empty())
      return fail(COIL_UNAVAILABLE, "%s", g.failure.c_str());
    // Behind what makes the source, and what used the target.
    CUresult result = driver.eventCreate(&w.done, CU_EVENT_DISABLE_TIMING);
    if (!result)
      result = driver.eventRecord(w.done, static_cast<CUstream>(c->stream));
    if (!result)
      result = driver.streamWaitEvent(g.stream, w.done, 0);
    if (result)
      return g.device.check(result, "cannot order the stream of group '%s'",
                            g.name.c_str());
    if (int32_t status =
            g.check(enqueue(g, *c, type, count), getCollectiveName(c->kind)))
      return status;
    if (CUresult recorded = driver.eventRecord(w.done, g.stream))
      return g.device.check(recorded, "cannot order the stream of group '%s'",
                            g.name.c_str());
    w.deadline = Clock::now() + g.limit;
    g.works.push_back(*work);
    g.changed.notify_all();
    *out = work.release();
    return COIL_OK;
  });
}

static int32_t wait(void *user, void *pointer, void *stream) {
  std::unique_ptr<std::shared_ptr<NcclWork>> work(
      static_cast<std::shared_ptr<NcclWork> *>(pointer));
  return guarded([&]() -> int32_t {
    auto &g = *static_cast<coil_nccl_group *>(user);
    ContextGuard guard(g.device);
    std::lock_guard<std::mutex> lock(g.mutex);
    if (!g.failure.empty())
      return fail(COIL_UNAVAILABLE, "%s", g.failure.c_str());
    return g.device.check(g.device.driver.streamWaitEvent(
                              static_cast<CUstream>(stream), (*work)->done, 0),
                          "cannot wait for the group '%s'", g.name.c_str());
  });
}

static void giveUp(void *user, void *pointer) {
  std::unique_ptr<std::shared_ptr<NcclWork>> work(
      static_cast<std::shared_ptr<NcclWork> *>(pointer));
  auto &g = *static_cast<coil_nccl_group *>(user);
  ContextGuard guard(g.device);
  // It ends, or the watcher ends it.
  g.device.driver.eventSynchronize((*work)->done);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static int32_t allocate(void *user, int32_t, int64_t bytes, void **out) {
  return guarded([&]() -> int32_t {
    auto &g = *static_cast<coil_nccl_group *>(user);
    ContextGuard guard(g.device);
    std::lock_guard<std::mutex> lock(g.mutex);
    void *handle = nullptr;
    if (!g.comm || g.nccl.ncclMemAlloc(out, size_t(bytes)))
      return COIL_UNAVAILABLE; // Ordinary memory does as well.
    ncclResult_t result =
        g.nccl.ncclCommRegister(g.comm, *out, size_t(bytes), &handle);
    if (result != ncclSuccess && result != ncclInProgress)
      handle = nullptr;
    g.handles[*out] = handle;
    return COIL_OK;
  });
}

static void release(void *user, void *pointer) {
  auto &g = *static_cast<coil_nccl_group *>(user);
  ContextGuard guard(g.device);
  // Programs use it on streams that this does not know.
  g.device.driver.ctxSynchronize();
  std::lock_guard<std::mutex> lock(g.mutex);
  auto found = g.handles.find(pointer);
  if (found != g.handles.end()) {
    if (found->second && g.comm)
      (void)g.nccl.ncclCommDeregister(g.comm, found->second);
    g.handles.erase(found);
  }
  (void)g.nccl.ncclMemFree(pointer);
}

//===----------------------------------------------------------------------===//
// C functions
//===----------------------------------------------------------------------===//

extern "C" {

int32_t coil_nccl_get_unique_id(char *id) {
  return guarded([&]() -> int32_t {
    const Nccl *nccl = Nccl::get();
    if (!nccl)
      return COIL_UNAVAILABLE;
    ncclUniqueId unique;
    if (ncclResult_t result = nccl->ncclGetUniqueId(&unique))
      return fail(COIL_INTERNAL,
                  "library 'nccl' failed with status %d (unique id)", result);
    std::memcpy(id, unique.internal, sizeof(unique.internal));
    return COIL_OK;
  });
}

int32_t coil_nccl_group_create(const char *name, const char *id, int32_t rank,
                               int32_t size, int32_t device_index,
                               int64_t time_limit_ms, coil_nccl_group **out) {
  return guarded([&]() -> int32_t {
    *out = nullptr;
    if (!name || !*name || !id || size < 1 || rank < 0 || rank >= size ||
        time_limit_ms <= 0)
      return fail(COIL_INVALID_ARGUMENT,
                  "a group needs a name, an id, a rank and a time limit");
    const Nccl *nccl = Nccl::get();
    if (!nccl)
      return COIL_UNAVAILABLE;
    Device *device = Device::get(device_index);
    if (!device)
      return COIL_UNAVAILABLE;
    auto group = std::make_unique<coil_nccl_group>(*nccl, *device);
    group->name = name;
    group->rank = rank;
    group->size = size;
    group->limit = std::chrono::milliseconds(time_limit_ms);
    ContextGuard guard(*device);
    if (!device->takeStream(group->stream))
      return COIL_INTERNAL;
    ncclUniqueId unique;
    std::memcpy(unique.internal, id, sizeof(unique.internal));
    ncclConfig config;
    ncclResult_t result =
        nccl->ncclCommInitRankConfig(&group->comm, size, unique, rank, &config);
    if (int32_t status = group->check(result, "the beginning")) {
      if (group->comm)
        nccl->ncclCommAbort(group->comm);
      device->returnStream(group->stream);
      return status;
    }
    group->description = {sizeof(coil_process_group),
                          COIL_CUDA,
                          group->name.c_str(),
                          rank,
                          size,
                          start,
                          wait,
                          giveUp,
                          allocate,
                          release,
                          group.get()};
    group->watcher = std::thread([self = group.get()] { self->watch(); });
    *out = group.release();
    return COIL_OK;
  });
}

const coil_process_group *coil_nccl_group_get(const coil_nccl_group *group) {
  return &group->description;
}

void coil_nccl_group_destroy(coil_nccl_group *group) {
  if (!group)
    return;
  {
    std::lock_guard<std::mutex> lock(group->mutex);
    group->ends = true;
    group->changed.notify_all();
  }
  group->watcher.join();
  ContextGuard guard(group->device);
  if (group->comm)
    (void)group->nccl.ncclCommDestroy(group->comm);
  group->device.returnStream(group->stream);
  delete group;
}

} // extern "C"
