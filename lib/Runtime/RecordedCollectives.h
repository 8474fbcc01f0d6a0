//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collectives that are part of CUDA graphs: which groups a graph has work of,
// and what they hear of its replays.
//
// Such work is seen by waits of the same recording alone: the run has not
// started it, and other runs may have the same addresses.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_RECORDEDCOLLECTIVES_H
#define COIL_LIB_RUNTIME_RECORDEDCOLLECTIVES_H

#include "Collectives.h"

#include <algorithm>

namespace coil::rt {

/// The process groups that a graph has collectives of, or that the calls were
/// refused for. Moved, not copied; ends behind the graph.
class GraphGroups {
public:
  GraphGroups() = default;
  GraphGroups(GraphGroups &&) = default;
  GraphGroups &operator=(GraphGroups &&other) {
    if (this != &other) {
      endRecordings();
      groups = std::move(other.groups);
      other.groups.clear();
    }
    return *this;
  }
  GraphGroups(const GraphGroups &) = delete;
  ~GraphGroups() { endRecordings(); }

  bool empty() const { return groups.empty(); }
  /// The name of the first group in whose place the calling thread sees another
  /// one, or none; null if all are as they were.
  const char *findReplaced() const;
  /// In front of a launch of the graph, and behind it. No launch follows a
  /// failure of the first.
  int32_t beginReplay() const;
  int32_t endReplay(void *stream) const;
  /// There is no graph any more, though who the groups were is still asked.
  void endRecordings();

private:
  friend class RecordedCollectives;
  struct Entry {
    std::string name;
    int32_t device;
    GroupPointer group;
    void *recording; ///< What the graph has of it; null if it refused.
  };
  std::vector<Entry> groups;
};

/// The collectives of a call while it is recorded.
class RecordedCollectives {
public:
  RecordedCollectives() = default;
  RecordedCollectives(const RecordedCollectives &) = delete;
  RecordedCollectives &operator=(const RecordedCollectives &) = delete;
  ~RecordedCollectives() { (void)takeGroups(); }

  /// Gives up what nothing has waited for, and what the graph has of groups.
  /// The recording has ended.
  GraphGroups takeGroups();

  /// Records a collective of a group; fails by the group's name if that does
  /// not allow it.
  int32_t start(StartedWork work, coil_collective &collective);
  /// The call asked for a group that is not there.
  void noteMissing(const char *name, int32_t device);
  /// The first that nothing has waited for; empty if there is none.
  std::string describeStarted() const;
  /// Takes the first work that `isWanted` out of the list.
  template <typename Predicate>
  bool take(Predicate isWanted, StartedWork &out) {
    auto found = std::find_if(started.begin(), started.end(), isWanted);
    if (found == started.end())
      return false;
    out = std::move(*found);
    started.erase(found);
    return true;
  }
  /// Fails if something that was started uses memory of these bytes.
  int32_t checkNotInUse(const void *pointer, int64_t bytes) const;

private:
  int32_t enter(const StartedWork &work, void *&recording);

  GraphGroups groups;
  std::vector<StartedWork> started;
};

} // namespace coil::rt

#endif // COIL_LIB_RUNTIME_RECORDEDCOLLECTIVES_H
