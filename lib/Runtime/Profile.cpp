//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Profiles of runs, from their traces.
//
//===----------------------------------------------------------------------===//

#include "coil/Runtime/Profile.h"

#include "Error.h"
#include "Pickle.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <map>
#include <unistd.h>
#include <vector>

using namespace coil::rt;

namespace {

/// What all calls of a kernel or library function took.
struct Entry {
  int64_t calls = 0, nanoseconds = 0;
  /// -1 as soon as one call does not say.
  int64_t bytes = 0;
};

/// Where the host program was; empty if nobody said.
struct Frame {
  std::string file, function;
  int64_t line = 0;
};

/// Memory that was given or taken back.
struct MemoryEvent {
  bool isAlloc;
  int64_t address, bytes, microseconds;
  Frame frame;
};

/// Memory that is in use.
struct LiveBlock {
  int64_t bytes;
  Frame frame;
};

} // namespace

struct coil_profile {
  std::map<const void *, std::string> names;
  std::map<std::string, Entry> entries;
  std::vector<MemoryEvent> memory;
  std::map<int64_t, LiveBlock> live;
  std::string text;

  void addEvent(const coil_trace_event &event);
  void addStep(const std::string &name, int64_t nanoseconds, int64_t bytes);
  void addMemory(int64_t address, int64_t bytes, Frame frame);
};

void coil_profile::addEvent(const coil_trace_event &event) {
  if (event.status != COIL_OK)
    return;
  if (event.kind == COIL_TRACE_ALLOC || event.kind == COIL_TRACE_FREE)
    return addMemory(
        reinterpret_cast<int64_t>(event.address),
        event.kind == COIL_TRACE_ALLOC ? event.amount : -event.amount, {});
  if (event.kind != COIL_TRACE_LAUNCH && event.kind != COIL_TRACE_LIBRARY)
    return;
  std::string name = event.name ? event.name : "";
  if (!event.name) {
    auto found = names.find(event.address);
    char address[32];
    std::snprintf(address, sizeof(address), "kernel at %p", event.address);
    name = found == names.end() ? address : found->second;
  }
  addStep(name, event.end_ns - event.begin_ns, event.cost.bytes);
}

void coil_profile::addStep(const std::string &name, int64_t nanoseconds,
                           int64_t bytes) {
  Entry &entry = entries[name];
  ++entry.calls;
  entry.nanoseconds += nanoseconds;
  entry.bytes = bytes < 0 || entry.bytes < 0 ? -1 : entry.bytes + bytes;
}

void coil_profile::addMemory(int64_t address, int64_t bytes, Frame frame) {
  int64_t microseconds =
      std::chrono::duration_cast<std::chrono::microseconds>(
          std::chrono::system_clock::now().time_since_epoch())
          .count();
  if (bytes > 0) {
    live[address] = {bytes, frame};
    memory.push_back({true, address, bytes, microseconds, std::move(frame)});
    return;
  }
  auto found = live.find(address);
  if (found == live.end())
    return; // It was there before the record began, or is empty.
  memory.push_back(
      {false, address, found->second.bytes, microseconds, std::move(frame)});
  live.erase(found);
}

//===----------------------------------------------------------------------===//
// Snapshots
//===----------------------------------------------------------------------===//

static void addFrames(Pickle &pickle, const Frame &frame) {
  pickle.add("frames");
  pickle.beginList();
  if (!frame.file.empty() || !frame.function.empty()) {
    pickle.beginDict();
    pickle.add("filename", frame.file.c_str());
    pickle.add("line", frame.line);
    pickle.add("name", frame.function.c_str());
    pickle.endDict();
  }
  pickle.endList();
}

/// A segment for each block that is in use: the allocators of hosts do not say
/// what theirs are.
static void addSegment(Pickle &pickle, int64_t address,
                       const LiveBlock &block) {
  pickle.beginDict();
  pickle.add("device", int64_t(0));
  pickle.add("address", address);
  for (const char *size :
       {"total_size", "allocated_size", "active_size", "requested_size"})
    pickle.add(size, block.bytes);
  pickle.add("stream", int64_t(0));
  // What torch calls small is at most 1 MiB.
  pickle.add("segment_type",
             std::string_view(block.bytes > (1 << 20) ? "large" : "small"));
  pickle.add("segment_pool_id");
  pickle.beginTuple();
  pickle.add(int64_t(0));
  pickle.add(int64_t(0));
  pickle.endTuple();
  pickle.add("is_expandable", false);
  addFrames(pickle, {});
  pickle.add("blocks");
  pickle.beginList();
  pickle.beginDict();
  pickle.add("address", address);
  pickle.add("size", block.bytes);
  pickle.add("requested_size", block.bytes);
  pickle.add("state", std::string_view("active_allocated"));
  addFrames(pickle, block.frame);
  pickle.endDict();
  pickle.endList();
  pickle.endDict();
}

static void addTrace(Pickle &pickle, const MemoryEvent &event) {
  auto add = [&](const char *action) {
    pickle.beginDict();
    pickle.add("action", std::string_view(action));
    pickle.add("addr", event.address);
    pickle.add("size", event.bytes);
    pickle.add("stream", int64_t(0));
    pickle.add("time_us", event.microseconds);
    addFrames(pickle, event.frame);
    pickle.endDict();
  };
  if (event.isAlloc)
    return add("alloc");
  add("free_requested");
  add("free_completed");
}

static std::string makeSnapshot(const coil_profile &profile) {
  Pickle pickle;
  pickle.beginDict();
  pickle.add("segments");
  pickle.beginList();
  for (const auto &[address, block] : profile.live)
    addSegment(pickle, address, block);
  pickle.endList();
  pickle.add("device_traces");
  pickle.beginList();
  pickle.beginList();
  for (const MemoryEvent &event : profile.memory)
    addTrace(pickle, event);
  pickle.endList();
  pickle.endList();
  pickle.add("allocator_settings");
  pickle.beginDict();
  pickle.endDict();
  pickle.add("external_annotations");
  pickle.beginList();
  pickle.endList();
  pickle.endDict();
  return pickle.finish();
}

/// Writes a file whole, or leaves what was there.
static int32_t writeWhole(const char *path, const std::string &bytes) {
  std::string temporary = std::string(path) + ".tmp" + std::to_string(getpid());
  std::FILE *file = std::fopen(temporary.c_str(), "wb");
  bool isWritten =
      file && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  int reason = errno;
  if (file && std::fclose(file) != 0 && isWritten) {
    isWritten = false;
    reason = errno;
  }
  if (isWritten && std::rename(temporary.c_str(), path) != 0) {
    isWritten = false;
    reason = errno;
  }
  if (isWritten)
    return COIL_OK;
  if (file)
    std::remove(temporary.c_str());
  return fail(COIL_UNAVAILABLE, "cannot write '%s': %s", path,
              std::strerror(reason));
}

//===----------------------------------------------------------------------===//
// Interface
//===----------------------------------------------------------------------===//

extern "C" {

int32_t coil_profile_create(coil_profile **out) {
  return guarded([&]() -> int32_t {
    *out = nullptr;
    *out = new coil_profile;
    return COIL_OK;
  });
}

void coil_profile_destroy(coil_profile *profile) { delete profile; }

int32_t coil_profile_attach(coil_profile *profile, coil_run *run) {
  coil_run_set_trace(
      run,
      profile ? [](void *user, const coil_trace_event *event) {
        // A step that there is no memory to note is not noted.
        (void)guarded([&]() -> int32_t {
          static_cast<coil_profile *>(user)->addEvent(*event);
          return COIL_OK;
        });
      } : coil_trace_fn(nullptr),
      profile);
  return COIL_OK;
}

int32_t coil_profile_name_kernel(coil_profile *profile, const void *address,
                                 const char *name) {
  return guarded([&]() -> int32_t {
    profile->names[address] = name;
    return COIL_OK;
  });
}

int32_t coil_profile_note_step(coil_profile *profile, const char *name,
                               int64_t nanoseconds, int64_t bytes) {
  return guarded([&]() -> int32_t {
    profile->addStep(name, nanoseconds, bytes);
    return COIL_OK;
  });
}

int32_t coil_profile_note_memory(coil_profile *profile, const void *address,
                                 int64_t bytes, const char *file, int64_t line,
                                 const char *function) {
  return guarded([&]() -> int32_t {
    profile->addMemory(reinterpret_cast<int64_t>(address), bytes,
                       {file ? file : "", function ? function : "", line});
    return COIL_OK;
  });
}

const char *coil_profile_text(coil_profile *profile) {
  (void)guarded([&]() -> int32_t {
    std::vector<std::pair<std::string, Entry>> sorted(profile->entries.begin(),
                                                      profile->entries.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto &a, const auto &b) {
                       return a.second.nanoseconds > b.second.nanoseconds;
                     });
    int64_t sum = 0;
    for (const auto &[name, entry] : sorted)
      sum += entry.nanoseconds;
    char line[160];
    std::snprintf(line, sizeof(line), "%8s %12s %12s %14s %7s  %s\n", "calls",
                  "total us", "mean us", "bytes", "share", "name");
    profile->text = line;
    for (const auto &[name, entry] : sorted) {
      std::string bytes = entry.bytes < 0 ? "-" : std::to_string(entry.bytes);
      double total = double(entry.nanoseconds) * 1e-3;
      std::snprintf(line, sizeof(line),
                    "%8" PRId64 " %12.3f %12.3f %14s %6.1f%%  ", entry.calls,
                    total, total / double(entry.calls), bytes.c_str(),
                    sum ? 100.0 * double(entry.nanoseconds) / double(sum) : 0);
      profile->text += line + name + '\n';
    }
    return COIL_OK;
  });
  return profile->text.c_str();
}

int32_t coil_profile_write_snapshot(coil_profile *profile, const char *path) {
  return guarded([&] { return writeWhole(path, makeSnapshot(*profile)); });
}

} // extern "C"
