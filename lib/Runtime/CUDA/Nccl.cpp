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
// What a CUDA graph has of a group lies on a stream of the recording: that of
// the group may be given other work meanwhile. Nobody may ask events of a
// capture, so the thread looks after replays instead. NCCL ends a communicator
// only when no graph has it any more, so graphs and the group own it together.
//
//===----------------------------------------------------------------------===//

#include "Nccl.h"

#include "../Collectives.h"
#include "RunState.h"
#include "VendorLibrary.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

using namespace coil::rt;
using namespace coil::rt::cuda;
using Clock = std::chrono::steady_clock;

const Nccl *Nccl::get() {
  // While it is captured, NCCL may register buffers, for which it needs all
  // ranks at once; but these record when it suits each. Read at first use.
  static const bool isSet = setenv("NCCL_GRAPH_REGISTER", "0", 0) == 0;
  (void)isSet;
  static VendorLibrary *library =
      new VendorLibrary("nccl", "COIL_NCCL_LIBRARY", {"libnccl.so.2"},
                        {
#define COIL_NAME(name, params) #name,
                            COIL_NCCL_FUNCTIONS(COIL_NAME)
#undef COIL_NAME
                                "ncclGetLastError"});
  // The structure is nothing but the functions in the order of their names.
  return reinterpret_cast<const Nccl *>(library->get());
}

namespace {

/// Work on a stream of the group, or a replay of a graph.
struct NcclWork {
  const Driver *driver = nullptr;
  CUevent done = nullptr;
  /// It has no event of its own then.
  bool isRecorded = false;
  std::string what;
  Clock::time_point deadline;

  explicit NcclWork(const Driver &driver) : driver(&driver) {}
  NcclWork(const NcclWork &) = delete;
  NcclWork &operator=(const NcclWork &) = delete;
  ~NcclWork() {
    if (done && !isRecorded)
      driver->eventDestroy(done);
  }
};

/// What a graph has of a group.
struct NcclRecording {
  std::shared_ptr<coil_nccl_group> group;
  /// Where its collectives are recorded; null once that has ended.
  CUstream stream = nullptr;
  std::vector<CUevent> events;
  /// The first of its collectives, and how many there are.
  std::string what;
  size_t count = 0;

  void endCapture();
};

} // namespace

struct coil_nccl_group : std::enable_shared_from_this<coil_nccl_group> {
  std::string name;
  int32_t rank, size;
  std::chrono::milliseconds limit;
  const Nccl &nccl;
  Device &device;
  ncclComm_t comm = nullptr;
  CUstream stream = nullptr;
  coil_process_group description = {};
  /// What coil_nccl_group_create gave; graphs have the others.
  std::shared_ptr<coil_nccl_group> self;

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::shared_ptr<NcclWork>> works;
  /// Why nothing can be started any more.
  std::string failure;
  bool ends = false;
  /// The watcher is to abort the communicator.
  bool isAborting = false;
  std::thread watcher;
  /// Registrations of memory.
  std::map<void *, void *> handles;

  coil_nccl_group(const Nccl &nccl, Device &device)
      : nccl(nccl), device(device) {}
  ~coil_nccl_group();
  int32_t check(ncclResult_t result, const char *what);
  int32_t checkUsable() const {
    return failure.empty() ? COIL_OK
                           : fail(COIL_UNAVAILABLE, "%s", failure.c_str());
  }
  void abort(std::unique_lock<std::mutex> &lock, std::string why);
  void watch();
};

/// No graph has anything of the group any more.
coil_nccl_group::~coil_nccl_group() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    ends = true;
    changed.notify_all();
  }
  if (watcher.joinable())
    watcher.join();
  ContextGuard guard(device);
  if (comm)
    (void)nccl.ncclCommDestroy(comm);
  if (stream)
    device.returnStream(stream);
}

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
  if (result == ncclSuccess)
    return COIL_OK;
  const char *reason = nccl.ncclGetLastError(comm);
  return fail(COIL_INTERNAL, "library 'nccl' failed with status %d (%s)%s%s",
              result, what, reason && *reason ? ": " : "",
              reason ? reason : "");
}

/// Nothing is started any more, and what NCCL does for the group ends, that on
/// the host too: it may not give a thread other work before.
void coil_nccl_group::abort(std::unique_lock<std::mutex> &lock,
                            std::string why) {
  failure = std::move(why);
  isAborting = true;
  changed.notify_all();
  // It does not return while graphs have the communicator, though they end.
  changed.wait_for(lock, limit, [&] { return !isAborting; });
}

/// Aborts all if the first does not end in time.
void coil_nccl_group::watch() {
  ContextGuard guard(device);
  // Whoever else captures with the driver's default mode would lose the capture
  // when this thread asks an event.
  int mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  if (device.driver.threadExchangeStreamCaptureMode)
    (void)device.driver.threadExchangeStreamCaptureMode(&mode);
  std::unique_lock<std::mutex> lock(mutex);
  while (!ends || !works.empty() || isAborting) {
    if (isAborting) {
      // Ends what is on its way, and then waits until no graph has the
      // communicator, which may need whoever waits for the lock.
      if (ncclComm_t aborted = std::exchange(comm, nullptr)) {
        lock.unlock();
        nccl.ncclCommAbort(aborted);
        lock.lock();
      }
      isAborting = false;
      changed.notify_all();
      continue;
    }
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
      isAborting = true;
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

/// Puts the work on a stream.
static ncclResult_t enqueue(coil_nccl_group &g, const coil_collective &c,
                            int type, int64_t count, CUstream stream) {
  const void *from = c.source->data;
  void *to = c.target->data;
  switch (c.kind) {
  case COIL_ALL_REDUCE:
    return g.nccl.ncclAllReduce(from, to, size_t(count), type,
                                reduces[c.reduce], g.comm, stream);
  case COIL_REDUCE_SCATTER:
    return g.nccl.ncclReduceScatter(from, to, size_t(count / g.size), type,
                                    reduces[c.reduce], g.comm, stream);
  case COIL_ALL_GATHER:
    return g.nccl.ncclAllGather(from, to, size_t(getTensorBytes(*c.source)),
                                bytesType, g.comm, stream);
  case COIL_BROADCAST:
    return g.nccl.ncclBroadcast(from, to, size_t(getTensorBytes(*c.source)),
                                bytesType, c.root, g.comm, stream);
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
                               size_t(send), bytesType, r, g.comm, stream);
      if (isFine())
        result = g.nccl.ncclRecv(static_cast<char *>(to) + received,
                                 size_t(take), bytesType, r, g.comm, stream);
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
    const Driver &driver = g.device.driver;
    auto *recording = static_cast<NcclRecording *>(c->recording);
    auto work = std::make_unique<std::shared_ptr<NcclWork>>(
        std::make_shared<NcclWork>(driver));
    NcclWork &w = **work;
    w.what = std::string(getCollectiveName(c->kind)) + " of group '" + g.name +
             "'" + (c->where ? std::string(" (") + c->where + ")" : "");
    auto *from = static_cast<CUstream>(c->stream);
    ContextGuard guard(g.device);
    int capturing = 0;
    if (!recording && !driver.streamIsCapturing(from, &capturing) &&
        capturing == 1) // CU_STREAM_CAPTURE_STATUS_ACTIVE
      return fail(COIL_UNSUPPORTED,
                  "a graph that the caller records cannot hold it: the group "
                  "would not hear of replays");
    std::unique_lock<std::mutex> lock(g.mutex);
    if (int32_t status = g.checkUsable())
      return status;
    CUstream stream = recording ? recording->stream : g.stream;
    // Behind what makes the source, and what used the target.
    if (recording)
      recording->events.reserve(recording->events.size() + 1);
    CUresult result = driver.eventCreate(&w.done, CU_EVENT_DISABLE_TIMING);
    if (!result && recording) {
      w.isRecorded = true;
      recording->events.push_back(w.done);
    }
    if (!result)
      result = driver.eventRecord(w.done, from);
    if (!result)
      result = driver.streamWaitEvent(stream, w.done, 0);
    if (result)
      return g.device.check(result, "cannot order the stream of group '%s'",
                            g.name.c_str());
    if (int32_t status = g.check(enqueue(g, *c, type, count, stream),
                                 getCollectiveName(c->kind))) {
      if (status == COIL_UNAVAILABLE)
        g.abort(lock, coil_last_error());
      return status;
    }
    if (CUresult recorded = driver.eventRecord(w.done, stream))
      return g.device.check(recorded, "cannot order the stream of group '%s'",
                            g.name.c_str());
    if (recording) {
      if (recording->count++ == 0)
        recording->what = w.what;
    } else {
      w.deadline = Clock::now() + g.limit;
      g.works.push_back(*work);
      g.changed.notify_all();
    }
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
    if (int32_t status = g.checkUsable())
      return status;
    return g.device.check(g.device.driver.streamWaitEvent(
                              static_cast<CUstream>(stream), (*work)->done, 0),
                          "cannot wait for the group '%s'", g.name.c_str());
  });
}

static void giveUp(void *user, void *pointer) {
  std::unique_ptr<std::shared_ptr<NcclWork>> work(
      static_cast<std::shared_ptr<NcclWork> *>(pointer));
  if ((*work)->isRecorded)
    return; // There will be no graph of it.
  auto &g = *static_cast<coil_nccl_group *>(user);
  ContextGuard guard(g.device);
  // It ends, or the watcher ends it.
  g.device.driver.eventSynchronize((*work)->done);
}

//===----------------------------------------------------------------------===//
// Recordings
//===----------------------------------------------------------------------===//

/// Gives back what only the capture needed.
void NcclRecording::endCapture() {
  Device &device = group->device;
  if (!stream)
    return;
  ContextGuard guard(device);
  for (CUevent event : events)
    device.driver.eventDestroy(event);
  events.clear();
  device.returnStream(std::exchange(stream, nullptr));
}

static int32_t beginRecording(void *user, void **out) {
  return guarded([&]() -> int32_t {
    auto &g = *static_cast<coil_nccl_group *>(user);
    auto recording = std::make_unique<NcclRecording>();
    recording->group = g.shared_from_this();
    {
      std::lock_guard<std::mutex> lock(g.mutex);
      if (int32_t status = g.checkUsable())
        return status;
    }
    if (!g.device.takeStream(recording->stream))
      return COIL_INTERNAL;
    *out = recording.release();
    return COIL_OK;
  });
}

static int32_t beginReplay(void *pointer) {
  return guarded([&]() -> int32_t {
    auto &recording = *static_cast<NcclRecording *>(pointer);
    coil_nccl_group &g = *recording.group;
    std::lock_guard<std::mutex> lock(g.mutex);
    recording.endCapture();
    return g.checkUsable();
  });
}

static int32_t endReplay(void *pointer, void *stream) {
  return guarded([&]() -> int32_t {
    auto &recording = *static_cast<NcclRecording *>(pointer);
    coil_nccl_group &g = *recording.group;
    const Driver &driver = g.device.driver;
    auto work = std::make_shared<NcclWork>(driver);
    work->what = "a graph with " + recording.what;
    if (recording.count > 1)
      work->what += " and " + std::to_string(recording.count - 1) + " more";
    ContextGuard guard(g.device);
    CUresult result = driver.eventCreate(&work->done, CU_EVENT_DISABLE_TIMING);
    if (!result)
      result = driver.eventRecord(work->done, static_cast<CUstream>(stream));
    if (result)
      return g.device.check(result, "cannot look after a graph of group '%s'",
                            g.name.c_str());
    std::lock_guard<std::mutex> lock(g.mutex);
    // Aborted while it was launched: it ends, but nobody knows with what.
    if (int32_t status = g.checkUsable())
      return status;
    work->deadline = Clock::now() + g.limit;
    g.works.push_back(std::move(work));
    g.changed.notify_all();
    return COIL_OK;
  });
}

static void endRecording(void *pointer) {
  std::unique_ptr<NcclRecording> recording(
      static_cast<NcclRecording *>(pointer));
  recording->endCapture();
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
                               int64_t limit, coil_nccl_group **out) {
  return guarded([&]() -> int32_t {
    *out = nullptr;
    if (!name || !*name || !id || size < 1 || rank < 0 || rank >= size ||
        limit <= 0)
      return fail(COIL_INVALID_ARGUMENT,
                  "a group needs a name, an id, a rank and a time limit");
    const Nccl *nccl = Nccl::get();
    if (!nccl)
      return COIL_UNAVAILABLE;
    Device *device = Device::get(device_index);
    if (!device)
      return COIL_UNAVAILABLE;
    auto group = std::make_shared<coil_nccl_group>(*nccl, *device);
    group->name = name;
    group->rank = rank;
    group->size = size;
    group->limit = std::chrono::milliseconds(limit);
    ContextGuard guard(*device);
    if (!device->takeStream(group->stream))
      return COIL_INTERNAL;
    ncclUniqueId unique;
    std::memcpy(unique.internal, id, sizeof(unique.internal));
    ncclConfig config;
    ncclResult_t result =
        nccl->ncclCommInitRankConfig(&group->comm, size, unique, rank, &config);
    if (int32_t status = group->check(result, "the beginning")) {
      if (ncclComm_t comm = std::exchange(group->comm, nullptr))
        nccl->ncclCommAbort(comm);
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
                          group.get(),
                          COIL_GROUP_RECORDABLE,
                          beginRecording,
                          beginReplay,
                          endReplay,
                          endRecording};
    group->watcher = std::thread([self = group.get()] { self->watch(); });
    *out = group.get();
    group->self = group;
    return COIL_OK;
  });
}

const coil_process_group *coil_nccl_group_get(const coil_nccl_group *group) {
  return &group->description;
}

void coil_nccl_group_destroy(coil_nccl_group *group) {
  // The last graph that has anything of it ends it.
  if (group)
    std::shared_ptr<coil_nccl_group>(std::move(group->self)).reset();
}

} // extern "C"
