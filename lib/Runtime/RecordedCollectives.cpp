//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collectives that are part of CUDA graphs.
//
//===----------------------------------------------------------------------===//

#include "RecordedCollectives.h"

#include "Error.h"

#include <utility>

using namespace coil::rt;

//===----------------------------------------------------------------------===//
// Groups of a graph
//===----------------------------------------------------------------------===//

/// Whether two registrations are of one group, such as those of a rank that
/// enters it for each call. What a graph has of a group keeps its `user` taken.
static bool isSame(const GroupPointer &a, const GroupPointer &b) {
  if (a == b || !a || !b)
    return a == b;
  const coil_process_group &x = a->description, &y = b->description;
  return x.user == y.user && x.start == y.start &&
         x.begin_recording == y.begin_recording && x.flags == y.flags &&
         x.rank == y.rank && x.size == y.size;
}

const char *GraphGroups::findReplaced() const {
  for (const Entry &each : groups)
    if (!isSame(lookupGroup(each.name.c_str(), each.device), each.group))
      return each.name.c_str();
  return nullptr;
}

int32_t GraphGroups::beginReplay() const {
  for (const Entry &each : groups)
    if (int32_t status = each.group->description.begin_replay(each.recording)) {
      std::string why = coil_last_error();
      return fail(static_cast<coil_status>(status),
                  "a graph with collectives of group '%s' cannot be launched: "
                  "%s",
                  each.name.c_str(), why.c_str());
    }
  return COIL_OK;
}

int32_t GraphGroups::endReplay(void *stream) const {
  // All of them hear of it.
  int32_t first = COIL_OK;
  std::string why;
  for (const Entry &each : groups) {
    int32_t status = each.group->description.end_replay(each.recording, stream);
    if (!status || first)
      continue;
    first = status;
    why = coil_last_error();
  }
  return first ? fail(static_cast<coil_status>(first), "%s", why.c_str())
               : first;
}

void GraphGroups::endRecordings() {
  for (Entry &each : groups)
    if (void *recording = std::exchange(each.recording, nullptr))
      each.group->description.end_recording(recording);
}

//===----------------------------------------------------------------------===//
// Recording
//===----------------------------------------------------------------------===//

GraphGroups RecordedCollectives::takeGroups() {
  for (const StartedWork &each : started) {
    const coil_process_group &group = each.group->description;
    group.abort(group.user, each.work);
  }
  started.clear();
  return std::move(groups);
}

/// Finds what the recording has of a group, or lets it have that.
int32_t RecordedCollectives::enter(const StartedWork &work, void *&recording) {
  const GroupPointer &group = work.group;
  for (const GraphGroups::Entry &each : groups.groups)
    if (isSame(each.group, group)) {
      recording = each.recording;
      return COIL_OK;
    }
  groups.groups.push_back(
      {group->name, group->description.device_type, group, nullptr});
  if (!group->isRecordable())
    return fail(COIL_UNSUPPORTED,
                "the process group '%s' does not allow that CUDA graphs hold "
                "its collectives",
                group->name.c_str());
  const coil_process_group &about = group->description;
  void *made = nullptr;
  if (int32_t status = about.begin_recording(about.user, &made))
    return status;
  groups.groups.back().recording = recording = made;
  return COIL_OK;
}

int32_t RecordedCollectives::start(StartedWork work,
                                   coil_collective &collective) {
  if (int32_t status = enter(work, collective.recording))
    return status;
  const coil_process_group &about = work.group->description;
  started.reserve(started.size() + 1);
  if (int32_t status = about.start(about.user, &collective, &work.work))
    return status;
  started.push_back(std::move(work));
  return COIL_OK;
}

std::string RecordedCollectives::describeStarted() const {
  return started.empty() ? "" : started.front().describe();
}

void RecordedCollectives::noteMissing(const char *name, int32_t device) {
  groups.groups.push_back({name, device, nullptr, nullptr});
}

int32_t RecordedCollectives::checkNotInUse(const void *pointer,
                                           int64_t bytes) const {
  for (const StartedWork &each : started)
    if (each.uses(pointer, bytes))
      return each.failFree();
  return COIL_OK;
}
