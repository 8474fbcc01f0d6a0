//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library that looks like NCCL, whose ranks are in one process, on the
// simulated device: a collective holds its stream up until all ranks have come
// to it, and becomes a node of a graph where the stream is captured. Ranks that
// disagree wait for ever.
//
// As in NCCL, a communicator ends only when no graph has it any more.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Runtime/CUDA/Nccl.h"
#include "FakeDevice.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

using namespace coil::rt::cuda;
using coil::fake::SimDevice;
using coil::fake::Type;

#define FAKE_API extern "C" __attribute__((visibility("default")))

namespace {

constexpr ncclResult_t ncclInvalidArgument = 4;

/// By NCCL's number of a type.
constexpr int widths[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
constexpr int numTypes = 12;

struct Part {
  uint64_t address;
  size_t bytes;
  int peer;
};

/// What a rank brings to a collective.
struct Work {
  enum Kind { AllReduce, ReduceScatter, AllGather, Broadcast, Exchange } kind;
  ncclComm_t comm;
  uint64_t from = 0, to = 0;
  size_t count = 0;
  int type = 1, reduce = 0, root = 0;
  std::vector<Part> sends, receives;

  bool agrees(const Work &other) const {
    return kind == other.kind && count == other.count && type == other.type &&
           reduce == other.reduce && root == other.root;
  }
};

/// One collective of all ranks.
struct Meeting {
  std::vector<const Work *> works;
  int come = 0, gone = 0;
  bool isDone = false;
};

/// The ranks of an id.
struct Clique {
  int size = 0;
  int come = 0;
  std::map<uint64_t, Meeting> meetings;
};

/// Of this library alone; the simulated device's lock is taken before it.
std::mutex mutex;
std::map<std::string, Clique> &getCliques() {
  static auto *cliques = new std::map<std::string, Clique>;
  return *cliques;
}
/// Graphs keep works by their address, so they stay.
std::deque<Work> &getWorks() {
  static auto *works = new std::deque<Work>;
  return *works;
}

} // namespace

namespace coil::rt::cuda {
/// Is never freed, so that its use behind its end is seen.
struct ncclComm {
  Clique *clique;
  int rank;
  uint64_t next = 0; ///< number of its next collective, as they are executed
  bool isAborted = false, isDestroyed = false;
};
} // namespace coil::rt::cuda

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

static bool isFloat(int type) { return type >= 6 && type <= 9; }

static Type getFloatType(int type) {
  static const Type types[] = {Type::F16, Type::F32, Type::F64, Type::BF16};
  return types[type - 6];
}

template <typename T>
static T combine(int reduce, T a, T b) {
  switch (reduce) {
  case 1:
    return a * b;
  case 2:
    return std::max(a, b);
  case 3:
    return std::min(a, b);
  default: // The sum, and the average.
    return a + b;
  }
}

/// Combines element `index` of all sources.
static void reduceElement(const std::vector<const uint8_t *> &sources,
                          size_t index, int type, int reduce, uint8_t *to) {
  size_t width = size_t(widths[type]);
  auto each = [&](auto load) {
    auto value = load(sources[0] + index * width);
    for (size_t r = 1; r < sources.size(); ++r)
      value = combine(reduce, value, load(sources[r] + index * width));
    return reduce == 4 ? value / decltype(value)(sources.size()) : value;
  };
  if (isFloat(type)) {
    Type element = getFloatType(type);
    double value =
        each([&](const uint8_t *p) { return coil::fake::load(element, p); });
    coil::fake::store(element, to, value);
    return;
  }
  int64_t value = each([&](const uint8_t *p) {
    int64_t bits = 0;
    std::memcpy(&bits, p, width);
    bool isSigned = type == 0 || type == 2 || type == 4;
    unsigned shift = unsigned(64 - 8 * width);
    return isSigned ? int64_t(uint64_t(bits) << shift) >> shift : bits;
  });
  std::memcpy(to, &value, width);
}

//===----------------------------------------------------------------------===//
// Meetings
//===----------------------------------------------------------------------===//

static uint8_t *access(uint64_t address, size_t bytes, bool write) {
  void *result = SimDevice::get().access(address, bytes, write);
  if (!result && bytes != 0) {
    fprintf(stderr, "fake nccl: %zu bytes at 0x%llx are not allocated\n", bytes,
            static_cast<unsigned long long>(address));
    abort();
  }
  return static_cast<uint8_t *>(result);
}

/// Does what all ranks have come for.
static void finish(const std::vector<const Work *> &works) {
  const Work &first = *works[0];
  size_t size = works.size();
  if (first.kind == Work::Exchange) {
    std::vector<std::vector<std::vector<uint8_t>>> sent(size);
    for (size_t r = 0; r < size; ++r) {
      sent[r].resize(size);
      for (const Part &part : works[r]->sends) {
        const uint8_t *from = access(part.address, part.bytes, false);
        if (part.bytes)
          sent[r][size_t(part.peer)].assign(from, from + part.bytes);
      }
    }
    for (size_t r = 0; r < size; ++r)
      for (const Part &part : works[r]->receives)
        if (part.bytes)
          std::memcpy(access(part.address, part.bytes, true),
                      sent[size_t(part.peer)][r].data(), part.bytes);
    return;
  }
  // Counts are of what a rank gives, but here of what it gets.
  size_t width = size_t(widths[first.type]);
  size_t given =
      first.count * width * (first.kind == Work::ReduceScatter ? size : 1);
  std::vector<std::vector<uint8_t>> sources(size);
  std::vector<const uint8_t *> pointers;
  for (size_t r = 0; r < size; ++r) {
    if (first.kind != Work::Broadcast || int(r) == first.root)
      if (const uint8_t *from = access(works[r]->from, given, false))
        sources[r].assign(from, from + given);
    pointers.push_back(sources[r].data());
  }
  for (size_t r = 0; r < size; ++r) {
    size_t taken =
        first.count * width * (first.kind == Work::AllGather ? size : 1);
    uint8_t *to = access(works[r]->to, taken, true);
    if (!taken)
      continue;
    if (first.kind == Work::Broadcast)
      std::memcpy(to, pointers[size_t(first.root)], taken);
    else if (first.kind == Work::AllGather)
      for (size_t each = 0; each < size; ++each)
        std::memcpy(to + each * given, pointers[each], given);
    else
      for (size_t i = 0; i < first.count; ++i)
        reduceElement(
            pointers,
            i + (first.kind == Work::ReduceScatter ? r * first.count : 0),
            first.type, first.reduce, to + i * width);
  }
}

/// Asked by the device in the order of a stream, each time that the work is
/// executed; `state` is the number of the meeting, plus one.
static int poll(void *data, uint64_t *state) {
  const Work &work = *static_cast<Work *>(data);
  ncclComm &comm = *work.comm;
  std::lock_guard<std::mutex> lock(mutex);
  if (comm.isAborted)
    return 1;
  if (comm.isDestroyed) {
    fprintf(stderr, "fake nccl: a graph is launched whose communicator has "
                    "been destroyed\n");
    abort();
  }
  Clique &clique = *comm.clique;
  if (*state == 0) {
    *state = ++comm.next;
    Meeting &meeting = clique.meetings[*state];
    meeting.works.resize(size_t(clique.size));
    meeting.works[size_t(comm.rank)] = &work;
    ++meeting.come;
  }
  Meeting &meeting = clique.meetings[*state];
  if (!meeting.isDone) {
    if (meeting.come != clique.size ||
        !std::all_of(meeting.works.begin(), meeting.works.end(),
                     [&](const Work *each) { return each->agrees(work); }))
      return 0;
    finish(meeting.works);
    meeting.isDone = true;
  }
  if (++meeting.gone == clique.size)
    clique.meetings.erase(*state);
  return 1;
}

static ncclResult_t enqueue(Work work, CUstream stream) {
  const SimDevice &device = SimDevice::get();
  if (work.type < 0 || work.type >= numTypes || work.reduce < 0 ||
      work.reduce > 4 || !work.comm || work.comm->isDestroyed ||
      work.comm->isAborted || work.root < 0 ||
      work.root >= work.comm->clique->size || !device || !device.poll)
    return ncclInvalidArgument;
  Work *kept = nullptr;
  {
    std::lock_guard<std::mutex> lock(mutex);
    kept = &getWorks().emplace_back(std::move(work));
  }
  return device.poll(stream, poll, kept) == 0 ? ncclSuccess
                                              : ncclInvalidArgument;
}

static Work makeWork(Work::Kind kind, const void *from, void *to, size_t count,
                     int type, ncclComm_t comm) {
  Work work = {};
  work.kind = kind;
  work.comm = comm;
  work.from = reinterpret_cast<uint64_t>(from);
  work.to = reinterpret_cast<uint64_t>(to);
  work.count = count;
  work.type = type;
  return work;
}

//===----------------------------------------------------------------------===//
// Communicators
//===----------------------------------------------------------------------===//

FAKE_API ncclResult_t ncclGetUniqueId(ncclUniqueId *id) {
  static std::atomic<int> number{0};
  std::memset(id, 7, sizeof(*id));
  int next = number++;
  std::memcpy(id->internal, &next, sizeof(next));
  return ncclSuccess;
}

FAKE_API ncclResult_t ncclCommInitRankConfig(ncclComm_t *comm, int size,
                                             ncclUniqueId id, int rank,
                                             ncclConfig *config) {
  if (id.internal[127] != 7 || rank < 0 || rank >= size ||
      config->size != sizeof(ncclConfig) || config->magic != 0xcafebeef ||
      config->blocking != 0)
    return ncclInvalidArgument;
  std::lock_guard<std::mutex> lock(mutex);
  Clique &clique = getCliques()[std::string(id.internal, sizeof(id.internal))];
  clique.size = size;
  ++clique.come;
  // Reachable as long as the process, so that no tool calls it a leak.
  static auto *comms = new std::deque<ncclComm>;
  *comm = &comms->emplace_back(ncclComm{&clique, rank});
  return ncclInProgress;
}

/// Whether a graph, or a stream, has work of a communicator.
static bool isHeld(ncclComm_t comm) {
  std::vector<const Work *> works;
  {
    std::lock_guard<std::mutex> lock(mutex);
    for (const Work &work : getWorks())
      if (work.comm == comm)
        works.push_back(&work);
  }
  return std::any_of(works.begin(), works.end(), [](const Work *work) {
    return SimDevice::get().holds(work);
  });
}

FAKE_API ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  // NCCL would wait for ever, if it is the one who could end the graph.
  if (isHeld(comm)) {
    fprintf(stderr, "fake nccl: a communicator is destroyed that a graph "
                    "has\n");
    abort();
  }
  std::lock_guard<std::mutex> lock(mutex);
  if (comm->isDestroyed)
    return ncclInvalidArgument;
  comm->isDestroyed = true;
  return ncclSuccess;
}

FAKE_API ncclResult_t ncclCommAbort(ncclComm_t comm) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (comm->isDestroyed)
      return ncclInvalidArgument;
    comm->isAborted = true;
  }
  while (isHeld(comm))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::lock_guard<std::mutex> lock(mutex);
  comm->isDestroyed = true;
  return ncclSuccess;
}

FAKE_API ncclResult_t ncclCommGetAsyncError(ncclComm_t comm,
                                            ncclResult_t *result) {
  std::lock_guard<std::mutex> lock(mutex);
  *result =
      comm->clique->come == comm->clique->size ? ncclSuccess : ncclInProgress;
  return ncclSuccess;
}

FAKE_API const char *ncclGetLastError(ncclComm_t) { return "a fake reason"; }

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

FAKE_API ncclResult_t ncclAllReduce(const void *from, void *to, size_t count,
                                    int type, int reduce, ncclComm_t comm,
                                    CUstream stream) {
  Work work = makeWork(Work::AllReduce, from, to, count, type, comm);
  work.reduce = reduce;
  return enqueue(std::move(work), stream);
}

FAKE_API ncclResult_t ncclReduceScatter(const void *from, void *to,
                                        size_t count, int type, int reduce,
                                        ncclComm_t comm, CUstream stream) {
  Work work = makeWork(Work::ReduceScatter, from, to, count, type, comm);
  work.reduce = reduce;
  return enqueue(std::move(work), stream);
}

FAKE_API ncclResult_t ncclAllGather(const void *from, void *to, size_t count,
                                    int type, ncclComm_t comm,
                                    CUstream stream) {
  return enqueue(makeWork(Work::AllGather, from, to, count, type, comm),
                 stream);
}

FAKE_API ncclResult_t ncclBroadcast(const void *from, void *to, size_t count,
                                    int type, int root, ncclComm_t comm,
                                    CUstream stream) {
  Work work = makeWork(Work::Broadcast, from, to, count, type, comm);
  work.root = root;
  return enqueue(std::move(work), stream);
}

/// What a thread sends and receives in a group.
static thread_local Work exchange = {};
static thread_local CUstream exchangeStream = nullptr;
static thread_local bool isInGroup = false;

static ncclResult_t addPart(std::vector<Part> &parts, const void *address,
                            size_t count, int type, int peer, ncclComm_t comm,
                            CUstream stream) {
  if (!isInGroup || !comm || type < 0 || type >= numTypes || peer < 0 ||
      peer >= comm->clique->size)
    return ncclInvalidArgument;
  exchange.comm = comm;
  exchangeStream = stream;
  parts.push_back({reinterpret_cast<uint64_t>(address),
                   count * size_t(widths[type]), peer});
  return ncclSuccess;
}

FAKE_API ncclResult_t ncclSend(const void *from, size_t count, int type,
                               int peer, ncclComm_t comm, CUstream stream) {
  return addPart(exchange.sends, from, count, type, peer, comm, stream);
}

FAKE_API ncclResult_t ncclRecv(void *to, size_t count, int type, int peer,
                               ncclComm_t comm, CUstream stream) {
  return addPart(exchange.receives, to, count, type, peer, comm, stream);
}

FAKE_API ncclResult_t ncclGroupStart() {
  isInGroup = true;
  exchange = {};
  exchange.kind = Work::Exchange;
  exchange.type = 1;
  return ncclSuccess;
}
FAKE_API ncclResult_t ncclGroupEnd() {
  isInGroup = false;
  return exchange.comm ? enqueue(exchange, exchangeStream) : ncclSuccess;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

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
