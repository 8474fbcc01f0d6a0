//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranks that are threads of this process. A rank leaves a copy of its source
// where the others find it, so that nobody reads memory of a program that may
// have failed. When it waits it computes its own target, from the copies in the
// order of the ranks.
//
//===----------------------------------------------------------------------===//

#include "Collectives.h"
#include "Scalar.h"

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>

using namespace coil::rt;

namespace {

/// One collective of a group: the n-th that each rank starts.
struct Meeting {
  coil_collective about = {};
  std::string where;
  int32_t dtype = 0;
  /// Elements of a row, and of all rows but for the first dimension.
  int64_t rowBytes = 0;
  struct Part {
    bool hasCome = false;
    std::vector<char> data;
    /// Rows for each rank.
    std::vector<int64_t> splits;
  };
  std::vector<Part> parts;
  int32_t come = 0;
  /// Why nobody can end it, if so.
  std::string failure;
};

struct LocalRank;

} // namespace

struct coil_local_groups {
  std::string name;
  std::chrono::milliseconds limit;
  std::vector<std::unique_ptr<LocalRank>> ranks;
  std::mutex mutex;
  std::condition_variable changed;
  /// By their number; one that all have come to is the waiting ranks' alone.
  std::map<int64_t, std::shared_ptr<Meeting>> meetings;
};

namespace {

struct LocalRank {
  coil_local_groups *groups;
  int32_t rank;
  int64_t numStarted = 0;
};

/// What a rank has started.
struct LocalWork {
  std::shared_ptr<Meeting> meeting;
  LocalRank *rank;
  void *target;
  int64_t targetBytes;
  std::vector<int64_t> targetSplits;
};

} // namespace

static int64_t getRowBytes(const coil_tensor &tensor) {
  int64_t bytes = coil_dtype_size(tensor.dtype);
  for (int32_t d = 1; d < tensor.rank; ++d)
    bytes *= tensor.sizes[d];
  return bytes;
}

//===----------------------------------------------------------------------===//
// Start
//===----------------------------------------------------------------------===//

/// "all_reduce (model.py:17)"
static std::string describe(const coil_collective &c,
                            const std::string &where) {
  return std::string("'") + getCollectiveName(c.kind) + "'" +
         (where.empty() ? "" : " (" + where + ")");
}

/// Says what two ranks do not agree on.
static std::string compare(const Meeting &meeting, const coil_collective &c,
                           int32_t rank, size_t bytes) {
  const coil_collective &other = meeting.about;
  int32_t first = 0;
  while (!meeting.parts[size_t(first)].hasCome)
    ++first;
  std::string who = "rank " + std::to_string(rank) + " starts ",
              there = " where rank " + std::to_string(first) + " started ";
  if (c.kind != other.kind)
    return who + describe(c, c.where ? c.where : "") + there +
           describe(other, meeting.where);
  bool combines = c.kind == COIL_ALL_REDUCE || c.kind == COIL_REDUCE_SCATTER;
  if (combines && c.reduce != other.reduce)
    return who + "it with another way to combine elements than rank " +
           std::to_string(first);
  if (c.kind == COIL_BROADCAST && c.root != other.root)
    return who + "it from root " + std::to_string(c.root) + there +
           "it from root " + std::to_string(other.root);
  if (c.source->dtype != meeting.dtype ||
      getRowBytes(*c.source) != meeting.rowBytes ||
      (c.kind != COIL_ALL_TO_ALL &&
       bytes != meeting.parts[size_t(first)].data.size()))
    return who + "it with elements of another type or number than rank " +
           std::to_string(first);
  return {};
}

static int32_t start(void *user, const coil_collective *c, void **out) {
  return guarded([&]() -> int32_t {
    auto &rank = *static_cast<LocalRank *>(user);
    coil_local_groups &groups = *rank.groups;
    size_t size = groups.ranks.size();
    const coil_tensor &source = *c->source;
    const auto *bytes = static_cast<const char *>(source.data);
    Meeting::Part part;
    part.hasCome = true;
    int64_t count = getTensorBytes(source);
    if (count > 0)
      part.data.assign(bytes, bytes + count);
    auto work = std::make_unique<LocalWork>();
    work->rank = &rank;
    work->target = c->target->data;
    work->targetBytes = getTensorBytes(*c->target);
    if (c->kind == COIL_ALL_TO_ALL) {
      part.splits.assign(c->source_splits, c->source_splits + size);
      work->targetSplits.assign(c->target_splits, c->target_splits + size);
    }

    std::lock_guard<std::mutex> lock(groups.mutex);
    int64_t number = rank.numStarted++;
    std::shared_ptr<Meeting> &meeting = groups.meetings[number];
    if (!meeting) {
      meeting = std::make_shared<Meeting>();
      meeting->about = *c;
      meeting->where = c->where ? c->where : "";
      meeting->about.source = meeting->about.target = nullptr;
      meeting->about.where = nullptr;
      meeting->dtype = source.dtype;
      meeting->rowBytes = getRowBytes(source);
      meeting->parts.resize(size);
    } else if (meeting->failure.empty()) {
      meeting->failure = compare(*meeting, *c, rank.rank, part.data.size());
    }
    work->meeting = meeting;
    meeting->parts[size_t(rank.rank)] = std::move(part);
    if (++meeting->come == int32_t(size))
      groups.meetings.erase(number);
    groups.changed.notify_all();
    *out = work.release();
    return COIL_OK;
  });
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

static Scalar combine(int32_t reduce, int32_t dtype, Scalar a, Scalar b) {
  Scalar result;
  if (isFloat(dtype)) {
    switch (reduce) {
    case COIL_REDUCE_SUM:
    case COIL_REDUCE_AVG:
      result.f = a.f + b.f;
      break;
    case COIL_REDUCE_PROD:
      result.f = a.f * b.f;
      break;
    case COIL_REDUCE_MIN:
      result = std::isnan(a.f) || a.f < b.f ? a : b;
      break;
    default:
      result = std::isnan(a.f) || a.f > b.f ? a : b;
      break;
    }
    // A double holds the exact sum or product of two floats' roundings.
    if (dtype != COIL_F64)
      result.f = double(float(result.f));
    return result;
  }
  auto isLess = [&](Scalar x, Scalar y) {
    return dtype == COIL_U64 ? uint64_t(x.i) < uint64_t(y.i) : x.i < y.i;
  };
  switch (reduce) {
  case COIL_REDUCE_SUM:
    result.i = int64_t(uint64_t(a.i) + uint64_t(b.i));
    return result;
  case COIL_REDUCE_PROD:
    result.i = int64_t(uint64_t(a.i) * uint64_t(b.i));
    return result;
  case COIL_REDUCE_MIN:
    return isLess(a, b) ? a : b;
  default:
    return isLess(a, b) ? b : a;
  }
}

/// Combines the bytes [begin, begin + length) of all ranks.
static void reduce(const Meeting &meeting, int64_t begin, int64_t length,
                   char *target) {
  int32_t dtype = meeting.dtype, how = meeting.about.reduce;
  int64_t width = coil_dtype_size(dtype);
  auto count = double(meeting.parts.size());
  for (int64_t at = 0; at < length; at += width) {
    Scalar value = load(meeting.parts[0].data.data() + begin + at, dtype);
    for (size_t r = 1; r < meeting.parts.size(); ++r)
      value = combine(how, dtype, value,
                      load(meeting.parts[r].data.data() + begin + at, dtype));
    if (how == COIL_REDUCE_AVG) // Of floats only.
      value.f =
          dtype == COIL_F64 ? value.f / count : double(float(value.f / count));
    store(target + at, dtype, value);
  }
}

/// Writes a rank's target; says what pieces do not fit.
static std::string finish(const LocalWork &work) {
  const Meeting &meeting = *work.meeting;
  auto rank = size_t(work.rank->rank);
  char *target = static_cast<char *>(work.target);
  auto put = [&](const std::vector<char> &data, int64_t begin, int64_t length) {
    if (length > 0)
      std::memcpy(target, data.data() + begin, size_t(length));
    target += length;
  };
  switch (meeting.about.kind) {
  case COIL_ALL_REDUCE:
    reduce(meeting, 0, work.targetBytes, target);
    break;
  case COIL_REDUCE_SCATTER:
    reduce(meeting, int64_t(rank) * work.targetBytes, work.targetBytes, target);
    break;
  case COIL_ALL_GATHER:
    for (const Meeting::Part &part : meeting.parts)
      put(part.data, 0, int64_t(part.data.size()));
    break;
  case COIL_BROADCAST:
    put(meeting.parts[size_t(meeting.about.root)].data, 0, work.targetBytes);
    break;
  default:
    for (size_t r = 0; r < meeting.parts.size(); ++r) {
      const Meeting::Part &part = meeting.parts[r];
      int64_t rows = part.splits[rank], begin = 0;
      if (rows != work.targetSplits[r])
        return "rank " + std::to_string(r) + " sends " + std::to_string(rows) +
               " rows to rank " + std::to_string(rank) + ", which expects " +
               std::to_string(work.targetSplits[r]);
      for (size_t before = 0; before < rank; ++before)
        begin += part.splits[before];
      put(part.data, begin * meeting.rowBytes, rows * meeting.rowBytes);
    }
  }
  return {};
}

static int32_t wait(void *, void *pointer, void *) {
  std::unique_ptr<LocalWork> work(static_cast<LocalWork *>(pointer));
  return guarded([&]() -> int32_t {
    Meeting &meeting = *work->meeting;
    coil_local_groups &groups = *work->rank->groups;
    auto size = int32_t(groups.ranks.size());
    {
      std::unique_lock<std::mutex> lock(groups.mutex);
      bool isInTime = groups.changed.wait_for(lock, groups.limit, [&] {
        return !meeting.failure.empty() || meeting.come == size;
      });
      if (!isInTime) {
        std::string missing;
        for (int32_t r = 0; r < size; ++r)
          if (!meeting.parts[size_t(r)].hasCome)
            missing += (missing.empty() ? "rank " : ", ") + std::to_string(r);
        meeting.failure = missing + " did not come within " +
                          std::to_string(groups.limit.count()) + " ms";
        groups.changed.notify_all();
      }
      if (!meeting.failure.empty())
        return fail(COIL_UNAVAILABLE, "%s", meeting.failure.c_str());
    }
    // Whoever has come does not change what it left.
    if (std::string why = finish(*work); !why.empty())
      return fail(COIL_INVALID_ARGUMENT, "%s", why.c_str());
    return COIL_OK;
  });
}

static void giveUp(void *, void *pointer) {
  std::unique_ptr<LocalWork> work(static_cast<LocalWork *>(pointer));
  (void)guarded([&]() -> int32_t {
    coil_local_groups &groups = *work->rank->groups;
    std::lock_guard<std::mutex> lock(groups.mutex);
    // What it left is there, so the others go on; the next meeting is where
    // this rank may be missed.
    groups.changed.notify_all();
    return COIL_OK;
  });
}

//===----------------------------------------------------------------------===//
// One rank on a GPU
//===----------------------------------------------------------------------===//

/// Alone, every collective is a copy.
static int32_t startAlone(void *, const coil_collective *c, void **work) {
  *work = nullptr;
  if (c->source->data == c->target->data)
    return COIL_OK;
  return copyOnCudaStream(c->target->data, c->source->data,
                          getTensorBytes(*c->target), c->stream);
}
/// The copy was put on a stream that the wait's is ordered behind.
static int32_t waitAlone(void *, void *, void *) { return COIL_OK; }
static void giveUpAlone(void *, void *) {}

//===----------------------------------------------------------------------===//
// C functions
//===----------------------------------------------------------------------===//

extern "C" {

int32_t coil_local_groups_create(int32_t size, const char *name, int64_t limit,
                                 coil_local_groups **out) {
  return guarded([&]() -> int32_t {
    *out = nullptr;
    if (size < 1 || !name || !*name || limit <= 0)
      return fail(COIL_INVALID_ARGUMENT,
                  "a group needs a rank, a name and a time limit");
    auto groups = std::make_unique<coil_local_groups>();
    groups->name = name;
    groups->limit = std::chrono::milliseconds(limit);
    for (int32_t rank = 0; rank < size; ++rank)
      groups->ranks.push_back(
          std::make_unique<LocalRank>(LocalRank{groups.get(), rank}));
    *out = groups.release();
    return COIL_OK;
  });
}

int32_t coil_local_groups_get(coil_local_groups *groups, int32_t rank,
                              int32_t device_type, coil_process_group *group) {
  auto size = int32_t(groups->ranks.size());
  if (rank < 0 || rank >= size)
    return fail(COIL_INVALID_ARGUMENT, "there is no rank %d of %d", rank, size);
  bool isAlone = device_type == COIL_CUDA;
  if (isAlone && size != 1)
    return fail(COIL_INVALID_ARGUMENT,
                "ranks of one process are for tensors of the CPU");
  // Callers may have been compiled when there was no more of it.
  coil_process_group made = {};
  made.struct_size = COIL_PROCESS_GROUP_BASE_SIZE;
  made.device_type = device_type;
  made.name = groups->name.c_str();
  made.rank = rank;
  made.size = size;
  made.start = isAlone ? startAlone : start;
  made.wait = isAlone ? waitAlone : wait;
  made.abort = isAlone ? giveUpAlone : giveUp;
  made.user = groups->ranks[size_t(rank)].get();
  std::memcpy(group, &made, COIL_PROCESS_GROUP_BASE_SIZE);
  return COIL_OK;
}

void coil_local_groups_destroy(coil_local_groups *groups) { delete groups; }

} // extern "C"
