//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Process groups, and the host functions by which programs use them:
//
//   coil::all_reduce(source, group, reduce) -> target
//   coil::all_gather(source, group) -> target
//   coil::reduce_scatter(source, group, reduce) -> target
//   coil::all_to_all(source, group, source_splits?, target_splits?) -> target
//   coil::broadcast(source, group, root) -> target
//   coil::wait(source) -> target
//
// Work that was started is found again by the addresses of its two tensors: a
// token has no value at run time. Where two works have the same, both of their
// targets are empty, or the program would have been refused; then it does not
// matter which is waited for first.
//
//===----------------------------------------------------------------------===//

#include "Collectives.h"

#include "Call.h"
#include "RecordedCollectives.h"
#include "coil/Runtime/CUDA.h"
#include "coil/Runtime/HostABI.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>

using namespace coil::rt;

//===----------------------------------------------------------------------===//
// Registry
//===----------------------------------------------------------------------===//

namespace {

using GroupKey = std::pair<std::string, int32_t>;

struct Registry {
  std::mutex mutex;
  std::map<GroupKey, GroupPointer> groups;
  /// In the order in which they were started.
  std::vector<StartedWork> started;
};

} // namespace

/// Lives as long as the process: threads may work while it ends.
static Registry &getRegistry() {
  static Registry *registry = new Registry;
  return *registry;
}

/// What a thread has entered, the last in front.
static std::map<GroupKey, GroupPointer> &getThreadGroups() {
  thread_local std::map<GroupKey, GroupPointer> groups;
  return groups;
}

static const char *deviceName(int32_t device) {
  return device == COIL_CPU ? "cpu" : device == COIL_CUDA ? "cuda" : "unknown";
}

const char *coil::rt::getCollectiveName(int32_t kind) {
  static const char *const names[] = {
      "all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast"};
  return kind >= 0 && kind <= COIL_BROADCAST ? names[kind] : "unknown";
}

int64_t coil::rt::getTensorBytes(const coil_tensor &tensor) {
  int64_t bytes = coil_dtype_size(tensor.dtype);
  for (int32_t d = 0; d < tensor.rank; ++d)
    bytes *= tensor.sizes[d];
  return bytes;
}

std::string StartedWork::describe() const {
  return std::string(getCollectiveName(kind)) + " of group '" + group->name +
         "'" + (where.empty() ? "" : " (" + where + ")");
}

bool StartedWork::uses(const void *pointer, int64_t bytes) const {
  auto begin = reinterpret_cast<uintptr_t>(pointer);
  auto overlaps = [&](const void *other, int64_t length) {
    auto at = reinterpret_cast<uintptr_t>(other);
    return length > 0 && at < begin + uintptr_t(bytes) &&
           begin < at + uintptr_t(length);
  };
  return overlaps(source, sourceBytes) || overlaps(target, targetBytes);
}

int32_t StartedWork::failFree() const {
  return fail(COIL_ASSERTION_FAILED,
              "memory is freed that %s still uses, which nothing has "
              "waited for",
              describe().c_str());
}

static int32_t check(const coil_process_group *group) {
  if (!group || group->struct_size < COIL_PROCESS_GROUP_BASE_SIZE ||
      !group->name || !*group->name || !group->start || !group->wait ||
      !group->abort || !group->alloc != !group->free)
    return fail(COIL_INVALID_ARGUMENT,
                "a process group needs its size, a name and its functions");
  if (group->size < 1 || group->rank < 0 || group->rank >= group->size)
    return fail(COIL_INVALID_ARGUMENT,
                "rank %d of %d of the process group '%s' cannot be",
                group->rank, group->size, group->name);
  if (group->device_type != COIL_CPU && group->device_type != COIL_CUDA)
    return fail(COIL_INVALID_ARGUMENT,
                "the process group '%s' is for the unknown type of device %d",
                group->name, group->device_type);
  if (group->struct_size < sizeof(coil_process_group) ||
      !(group->flags & COIL_GROUP_RECORDABLE))
    return COIL_OK;
  if (group->device_type != COIL_CUDA || !group->begin_recording ||
      !group->begin_replay || !group->end_replay || !group->end_recording)
    return fail(COIL_INVALID_ARGUMENT,
                "the process group '%s' can be recorded only for CUDA devices, "
                "and needs the functions for that",
                group->name);
  return COIL_OK;
}

static int32_t add(std::map<GroupKey, GroupPointer> &groups,
                   const coil_process_group &group) {
  auto entry = std::make_shared<Group>();
  entry->name = group.name;
  std::memcpy(&entry->description, &group,
              std::min<size_t>(group.struct_size, sizeof(coil_process_group)));
  entry->description.name = entry->name.c_str();
  if (!groups.emplace(GroupKey(group.name, group.device_type), entry).second)
    return fail(COIL_INVALID_ARGUMENT,
                "the process group '%s' is registered for %s already",
                group.name, deviceName(group.device_type));
  return COIL_OK;
}

static int32_t remove(std::map<GroupKey, GroupPointer> &groups,
                      const char *name, int32_t device) {
  auto found = groups.find({name ? name : "", device});
  if (found == groups.end())
    return fail(COIL_INVALID_ARGUMENT,
                "the process group '%s' is not registered for %s",
                name ? name : "", deviceName(device));
  if (found->second->started != 0)
    return fail(COIL_INVALID_ARGUMENT,
                "nothing has waited for work of the process group '%s'", name);
  groups.erase(found);
  return COIL_OK;
}

GroupPointer coil::rt::lookupGroup(const char *name, int32_t device) {
  GroupKey key(name, device);
  auto &own = getThreadGroups();
  if (auto found = own.find(key); found != own.end())
    return found->second;
  Registry &registry = getRegistry();
  std::lock_guard<std::mutex> lock(registry.mutex);
  auto found = registry.groups.find(key);
  return found == registry.groups.end() ? nullptr : found->second;
}

/// The group that the calling thread sees, or null with an error.
static GroupPointer find(const char *name, int32_t device) {
  if (GroupPointer group = lookupGroup(name, device))
    return group;
  auto &own = getThreadGroups();
  Registry &registry = getRegistry();
  std::lock_guard<std::mutex> lock(registry.mutex);
  std::string known;
  for (const auto *groups : {&own, &registry.groups})
    for (const auto &[other, group] : *groups)
      known += (known.empty() ? "; there is '" : ", '") + other.first +
               "' for " + deviceName(other.second);
  fail(COIL_UNAVAILABLE, "the process group '%s' is not registered for %s%s",
       name, deviceName(device), known.c_str());
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Works
//===----------------------------------------------------------------------===//

/// Takes the first work that `isWanted` out of the list.
template <typename Predicate>
static bool take(Predicate isWanted, StartedWork &out) {
  Registry &registry = getRegistry();
  std::lock_guard<std::mutex> lock(registry.mutex);
  auto found =
      std::find_if(registry.started.begin(), registry.started.end(), isWanted);
  if (found == registry.started.end())
    return false;
  out = std::move(*found);
  registry.started.erase(found);
  --out.group->started;
  if (out.run)
    --out.run->started;
  return true;
}

static void abandon(coil_run *run) {
  StartedWork work;
  while (run->started != 0 &&
         take([&](const StartedWork &each) { return each.run == run; }, work)) {
    const coil_process_group &group = work.group->description;
    group.abort(group.user, work.work);
  }
}

int32_t coil::rt::checkNotInUse(coil_run *run, const void *pointer,
                                int64_t bytes) {
  if (run->started == 0)
    return COIL_OK;
  Registry &registry = getRegistry();
  std::lock_guard<std::mutex> lock(registry.mutex);
  for (const StartedWork &each : registry.started)
    if (each.run == run && each.uses(pointer, bytes))
      return each.failFree();
  return COIL_OK;
}

//===----------------------------------------------------------------------===//
// Host functions
//===----------------------------------------------------------------------===//

/// What the call's message says of a failure of the group.
static int32_t failCall(coil_call &call, int32_t status,
                        const std::string &what) {
  call.fail(what + ": " + coil_last_error());
  return status;
}

static int64_t getRows(const coil_tensor &tensor) {
  return tensor.rank ? tensor.sizes[0] : 1;
}

/// Rows for each rank, all equal unless a list says them.
static bool getSplits(coil_call &call, int32_t index, int32_t size,
                      int64_t rows, std::vector<int64_t> &splits) {
  int64_t count = coil_call_ints(&call, index, nullptr, 0);
  splits.resize(size_t(size));
  // PyTorch's functions take an empty list for none.
  if (count < 0 || (count == 0 && size != 0)) {
    if (rows % size != 0) {
      call.fail("cannot cut " + std::to_string(rows) + " rows into " +
                std::to_string(size) + " pieces of one size");
      return false;
    }
    std::fill(splits.begin(), splits.end(), rows / size);
    return true;
  }
  if (count != size) {
    call.fail("has " + std::to_string(count) + " splits for " +
              std::to_string(size) + " ranks");
    return false;
  }
  coil_call_ints(&call, index, splits.data(), count);
  int64_t sum = 0;
  bool isNegative = false;
  for (int64_t each : splits) {
    sum += each;
    isNegative |= each < 0;
  }
  if (sum != rows || isNegative) {
    call.fail("the splits do not add up to " + std::to_string(rows) + " rows");
    return false;
  }
  return true;
}

/// Checks sizes that no program can know: those that depend on the group's.
static int32_t checkSizes(coil_call &call, const coil_collective &c,
                          int32_t size) {
  int64_t source = getRows(*c.source), target = getRows(*c.target);
  bool fits = c.kind == COIL_ALL_GATHER       ? target == source * size
              : c.kind == COIL_REDUCE_SCATTER ? source == target * size
                                              : true;
  if (!fits)
    return call.fail("has " + std::to_string(source) + " rows and gives " +
                     std::to_string(target) + ", but there are " +
                     std::to_string(size) + " ranks");
  if (c.kind == COIL_BROADCAST && (c.root < 0 || c.root >= size))
    return call.fail("has the root " + std::to_string(c.root) +
                     ", but there are " + std::to_string(size) + " ranks");
  return COIL_OK;
}

/// What a call asks for; splits are the numbers of two arguments.
namespace {
struct Request {
  int32_t kind;
  const char *group;
  const char *reduce = nullptr;
  const int64_t *root = nullptr;
  int32_t sourceSplits = -1, targetSplits = -1;
};
} // namespace

static int32_t parseReduce(const char *text) {
  static const std::pair<const char *, int32_t> names[] = {
      {"sum", COIL_REDUCE_SUM},   {"avg", COIL_REDUCE_AVG},
      {"min", COIL_REDUCE_MIN},   {"max", COIL_REDUCE_MAX},
      {"prod", COIL_REDUCE_PROD}, {"product", COIL_REDUCE_PROD}};
  for (const auto &[name, value] : names)
    if (text && !strcmp(name, text))
      return value;
  return -1;
}

static int32_t begin(coil_call *call, const Request &request) {
  const coil_tensor *source = coil_call_tensor(call, 0);
  int32_t kind = request.kind;
  if (!source || !request.group || call->numOutputs != 1)
    return call->fail("expected a source, the name of a group and a target");
  int32_t device = coil_call_device_type(call);
  GroupPointer group = find(request.group, device);
  RecordedCollectives *recorded = call->recorded;
  if (!group) {
    call->fail(coil_last_error());
    if (recorded)
      recorded->noteMissing(request.group, device);
    return COIL_UNAVAILABLE;
  }
  const coil_process_group &about = group->description;
  coil_collective c = {};
  c.struct_size = sizeof(c);
  c.kind = kind;
  c.source = source;
  c.target = &call->outputs[0];
  c.stream = coil_call_stream(call);
  c.where = call->site->where;
  call->isTaken[0] = true;
  std::vector<int64_t> splits[2];
  if (kind == COIL_ALL_REDUCE || kind == COIL_REDUCE_SCATTER) {
    c.reduce = parseReduce(request.reduce);
    if (c.reduce < 0)
      return call->fail("expected a way to combine elements");
  } else if (kind == COIL_BROADCAST) {
    if (!request.root)
      return call->fail("expected a root");
    c.root = int32_t(std::clamp<int64_t>(*request.root, -1, INT32_MAX));
  } else if (kind == COIL_ALL_TO_ALL) {
    if (!getSplits(*call, request.sourceSplits, about.size, getRows(*source),
                   splits[0]) ||
        !getSplits(*call, request.targetSplits, about.size, getRows(*c.target),
                   splits[1]))
      return COIL_ASSERTION_FAILED;
    c.source_splits = splits[0].data();
    c.target_splits = splits[1].data();
  }
  if (int32_t status = checkSizes(*call, c, about.size))
    return status;
  StartedWork work = {call->run,
                      group,
                      nullptr,
                      kind,
                      c.where ? c.where : "",
                      source->data,
                      c.target->data,
                      getTensorBytes(*source),
                      getTensorBytes(*c.target)};
  if (recorded) {
    std::string why = work.describe();
    int32_t status = recorded->start(std::move(work), c);
    return status ? failCall(*call, status, why) : status;
  }
  Registry &registry = getRegistry();
  {
    // So that nothing can fail once the work is on its way.
    std::lock_guard<std::mutex> lock(registry.mutex);
    registry.started.reserve(registry.started.size() + 1);
    ++group->started;
  }
  if (int32_t status = about.start(about.user, &c, &work.work)) {
    std::string why = work.describe();
    std::lock_guard<std::mutex> lock(registry.mutex);
    --group->started;
    return failCall(*call, status, why);
  }
  std::lock_guard<std::mutex> lock(registry.mutex);
  registry.started.push_back(std::move(work));
  ++call->run->started;
  return COIL_OK;
}

static int32_t start(coil_call *call, void *user) {
  Request request;
  request.kind = int32_t(reinterpret_cast<intptr_t>(user));
  request.group = coil_call_string(call, 1);
  if (request.kind == COIL_ALL_REDUCE || request.kind == COIL_REDUCE_SCATTER) {
    request.reduce = coil_call_string(call, 2);
  } else if (request.kind == COIL_BROADCAST) {
    request.root = coil_call_int(call, 2);
  } else if (request.kind == COIL_ALL_TO_ALL) {
    request.sourceSplits = 2;
    request.targetSplits = 3;
  }
  return begin(call, request);
}

static int32_t wait(coil_call *call, void *) {
  const coil_tensor *source = coil_call_tensor(call, 0);
  if (!source || call->numOutputs != 1)
    return call->fail("expected a source and a target");
  const void *target = call->outputs[0].data;
  call->isTaken[0] = true;
  StartedWork work;
  auto isIt = [&](const StartedWork &each) {
    return each.source == source->data && each.target == target;
  };
  if (!(call->recorded ? call->recorded->take(isIt, work) : take(isIt, work)))
    return call->fail("nothing that was started has these tensors");
  const coil_process_group &group = work.group->description;
  if (int32_t status =
          group.wait(group.user, work.work, coil_call_stream(call)))
    return failCall(*call, status, work.describe());
  return COIL_OK;
}

/// PyTorch's functions, which give a result that is ready: interpreters of
/// graphs call them.
static int32_t runNow(coil_call *call, void *user) {
  Request request;
  request.kind = int32_t(reinterpret_cast<intptr_t>(user));
  int32_t group = 2;
  if (request.kind == COIL_ALL_REDUCE || request.kind == COIL_REDUCE_SCATTER) {
    request.reduce = coil_call_string(call, 1);
    group = request.kind == COIL_ALL_REDUCE ? 2 : 3;
  } else if (request.kind == COIL_BROADCAST) {
    request.root = coil_call_int(call, 1);
  } else if (request.kind == COIL_ALL_TO_ALL) {
    request.targetSplits = 1;
    request.sourceSplits = 2;
    group = 3;
  }
  request.group = coil_call_string(call, group);
  if (int32_t status = begin(call, request))
    return status;
  return wait(call, nullptr);
}

/// Of a result that is ready there is nothing to wait for.
static int32_t copyNow(coil_call *call, void *) {
  const coil_tensor *source = coil_call_tensor(call, 0);
  if (!source || call->numOutputs != 1)
    return call->fail("expected a source and a target");
  int64_t bytes = getTensorBytes(*source);
  if (coil_call_device_type(call) == COIL_CUDA)
    return copyOnCudaStream(call->outputs[0].data, source->data, bytes,
                            coil_call_stream(call));
  if (bytes > 0)
    std::memcpy(call->outputs[0].data, source->data, size_t(bytes));
  return COIL_OK;
}

void coil::rt::registerCollectives() {
  auto add = [](const char *name, coil_function_pointer function, int kind) {
    // What is recorded of our own is the group's to allow.
    bool isOurs = !strncmp(name, "coil::", 6);
    for (int32_t device : {COIL_CPU, COIL_CUDA}) {
      coil_function each = {sizeof(coil_function),
                            isOurs && device == COIL_CUDA
                                ? uint32_t(COIL_FUNCTION_CAPTURABLE)
                                : 0,
                            name,
                            device,
                            0,
                            function,
                            reinterpret_cast<void *>(intptr_t(kind))};
      (void)coil_register_function(&each);
    }
  };
  add("coil::all_reduce", start, COIL_ALL_REDUCE);
  add("coil::all_gather", start, COIL_ALL_GATHER);
  add("coil::reduce_scatter", start, COIL_REDUCE_SCATTER);
  add("coil::all_to_all", start, COIL_ALL_TO_ALL);
  add("coil::broadcast", start, COIL_BROADCAST);
  add("coil::wait", wait, 0);
  add("_c10d_functional::all_reduce", runNow, COIL_ALL_REDUCE);
  add("_c10d_functional::all_gather_into_tensor", runNow, COIL_ALL_GATHER);
  add("_c10d_functional::reduce_scatter_tensor", runNow, COIL_REDUCE_SCATTER);
  add("_c10d_functional::all_to_all_single", runNow, COIL_ALL_TO_ALL);
  add("_c10d_functional::broadcast", runNow, COIL_BROADCAST);
  add("_c10d_functional::wait_tensor", copyNow, 0);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

using Ordinary = int32_t (*)(coil_run *run, int64_t bytes, void **out);

static int32_t allocate(coil_run *run, const char *name, int32_t kind,
                        int64_t bytes, void **out, int32_t device,
                        Ordinary ordinary) {
  *out = nullptr;
  GroupPointer group = find(name, device);
  if (!group)
    return COIL_UNAVAILABLE;
  const coil_process_group &about = group->description;
  int32_t status = COIL_UNAVAILABLE;
  if (about.alloc && bytes > 0) {
    run->groupMemory.reserve(run->groupMemory.size() + 1);
    TraceStep step(run, COIL_TRACE_ALLOC, about.name);
    status = about.alloc(about.user, kind, bytes, out);
    forgetCudaContext(run);
    if (status == COIL_OK)
      run->groupMemory.push_back({*out, bytes, group});
    step.finish(status, *out, bytes);
  }
  if (status != COIL_UNAVAILABLE)
    return status;
  return ordinary(run, bytes, out);
}

static void freeGroupMemory(const coil_run::GroupMemory &memory) {
  const auto &group =
      std::static_pointer_cast<Group>(memory.group)->description;
  group.free(group.user, memory.address);
}

/// Whether the memory was a group's, which has it back or refused.
static bool freeOfGroup(coil_run *run, void *pointer, int32_t &status) {
  auto found =
      std::find_if(run->groupMemory.begin(), run->groupMemory.end(),
                   [&](const auto &each) { return each.address == pointer; });
  if (found == run->groupMemory.end())
    return false;
  TraceStep step(run, COIL_TRACE_FREE, nullptr);
  status = checkNotInUse(run, pointer, found->bytes);
  if (!status) {
    coil_run::GroupMemory memory = *found;
    run->groupMemory.erase(found);
    freeGroupMemory(memory);
    forgetCudaContext(run);
    step.finish(status, pointer, memory.bytes);
  }
  return true;
}

void coil::rt::abandonGroups(coil_run *run) {
  abandon(run);
  for (const coil_run::GroupMemory &memory : run->groupMemory)
    freeGroupMemory(memory);
  run->groupMemory.clear();
}

extern "C" {

int32_t coil_register_process_group(const coil_process_group *group) {
  return guarded([&]() -> int32_t {
    if (int32_t status = check(group))
      return status;
    Registry &registry = getRegistry();
    std::lock_guard<std::mutex> lock(registry.mutex);
    return add(registry.groups, *group);
  });
}

int32_t coil_unregister_process_group(const char *name, int32_t device) {
  return guarded([&]() -> int32_t {
    Registry &registry = getRegistry();
    std::lock_guard<std::mutex> lock(registry.mutex);
    return remove(registry.groups, name, device);
  });
}

int32_t coil_enter_process_group(const coil_process_group *group) {
  return guarded([&]() -> int32_t {
    if (int32_t status = check(group))
      return status;
    return add(getThreadGroups(), *group);
  });
}

int32_t coil_leave_process_group(const char *name, int32_t device) {
  return guarded([&]() -> int32_t {
    std::lock_guard<std::mutex> lock(getRegistry().mutex);
    return remove(getThreadGroups(), name, device);
  });
}

int32_t coil_find_process_group(const char *name, int32_t device,
                                coil_process_group *found) {
  return guarded([&]() -> int32_t {
    GroupPointer group = find(name, device);
    if (group && found) {
      std::memcpy(found, &group->description, COIL_PROCESS_GROUP_BASE_SIZE);
      found->struct_size = COIL_PROCESS_GROUP_BASE_SIZE;
    }
    return group ? COIL_OK : COIL_UNAVAILABLE;
  });
}

int32_t coil_run_abandon(coil_run *run) {
  return guarded([&]() -> int32_t {
    abandon(run);
    return COIL_OK;
  });
}

int32_t coil_rt_comm_alloc(coil_run *run, const char *group, int32_t kind,
                           int64_t bytes, void **out) {
  return guarded([&] {
    return allocate(run, group, kind, bytes, out, COIL_CPU, coil_rt_alloc);
  });
}

int32_t coil_rt_comm_free(coil_run *run, void *pointer) {
  return guarded([&]() -> int32_t {
    int32_t status = COIL_OK;
    return freeOfGroup(run, pointer, status) ? status
                                             : coil_rt_free(run, pointer);
  });
}

int32_t coil_rt_comm_alloc_cuda(coil_run *run, const char *group, int32_t kind,
                                int64_t bytes, void **out) {
  return guarded([&] {
    return allocate(run, group, kind, bytes, out, COIL_CUDA,
                    coil_rt_alloc_cuda);
  });
}

int32_t coil_rt_comm_free_cuda(coil_run *run, void *pointer) {
  return guarded([&]() -> int32_t {
    int32_t status = COIL_OK;
    return freeOfGroup(run, pointer, status) ? status
                                             : coil_rt_free_cuda(run, pointer);
  });
}

} // extern "C"
