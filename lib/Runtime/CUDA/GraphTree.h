//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Partitions of calls, kept as graphs in a tree. A node is a partition with the
// numbers that it was passed, at a place of a path: what earlier partitions of
// the call have left alive, and where. The nodes of a tree share memory: a
// node's may be anywhere but in what its path keeps alive, and results that
// only partitions read stay where their node has them.
//
// A call walks a path. One call at a time uses a tree: another that comes
// meanwhile runs plainly.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_CUDA_GRAPHTREE_H
#define COIL_LIB_RUNTIME_CUDA_GRAPHTREE_H

#include "Graph.h"

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace coil::rt::cuda {

class GraphForest;
struct GraphNode;

/// Memory that a path has left alive in the tree.
struct LiveMemory {
  CUdeviceptr address;
  int64_t bytes;
  bool operator==(const LiveMemory &other) const {
    return address == other.address && bytes == other.bytes;
  }
};

/// The graphs of one device.
struct GraphTree {
  GraphTree(GraphForest &forest, Device &device, const MemorySource *source);
  ~GraphTree();

  GraphForest &forest;
  Device &device;
  /// What the memory of its nodes comes from.
  const MemorySource *source;
  MemoryPool *pool = nullptr;
  bool isBusy = false;
  /// Of the last path, for one on another stream.
  CUevent done = nullptr;
  bool ran = false;
  CUstream stream = nullptr;
  std::shared_ptr<WordsOwner> words;
  std::unordered_map<std::string, std::unique_ptr<GraphNode>> nodes;
  /// Functions with numbers that have run once.
  std::unordered_set<std::string> seen;
  /// How often each function was recorded.
  std::unordered_map<coil_entry_point, int64_t> recordings;
  uint64_t uses = 0;
};

/// A call among its partitions.
struct GraphPath {
  GraphForest *forest = nullptr;
  /// Null before the first partition, or for one that runs plainly.
  GraphTree *tree = nullptr;
  bool isPlain = false;
  /// A partition has run plainly to be recorded the next time: what follows
  /// sees addresses that it will not see again.
  bool isWarming = false;
  GraphNode *position = nullptr;
  /// In the order of addresses.
  std::vector<LiveMemory> live;
  /// Of the path of a run's own device: those of the others.
  std::vector<std::unique_ptr<GraphPath>> others;
};

/// The trees of a program, and what is counted.
class GraphForest {
public:
  ~GraphForest();

  /// At most so many nodes for each partition; 0 keeps none.
  void setLimit(int32_t limit);
  void setRecordLimit(int32_t limit);
  int64_t getLimit();
  int64_t getRecordLimit();
  /// Drops all nodes; no call uses them.
  void clear();

  /// The tree of a device for one path, or null while another has it.
  GraphTree *take(Device &device, const MemorySource *source);
  void giveBack(GraphTree &tree);

  void count(int64_t coil_cuda_partition_stats::*number, int64_t by = 1);
  /// A partition ran plainly, or was not recorded.
  void countFailure(const char *partition, const std::string &reason);
  coil_cuda_partition_stats getStats();
  void forEachFailure(void (*fn)(void *user, const char *partition,
                                 const char *reason, int64_t count),
                      void *user);

private:
  std::mutex mutex;
  int64_t limit = 0, recordLimit = 128;
  std::map<std::pair<int, const MemorySource *>, std::unique_ptr<GraphTree>>
      trees;
  coil_cuda_partition_stats stats = {};
  std::map<std::pair<std::string, std::string>, int64_t> failures;
};

/// The trees of a program, which has partitions from now on.
GraphForest &getForest(coil_cuda_program &program);

/// Makes a path of a call while it lives, and one on each other device of the
/// run that it comes to.
class PathScope {
public:
  explicit PathScope(RunState &state);
  PathScope(const PathScope &) = delete;
  PathScope &operator=(const PathScope &) = delete;
  ~PathScope();

private:
  RunState &state;
  GraphPath path;
};

/// Ends memory that a path of a run has left alive; false for other memory.
bool endInPath(RunState &state, CUdeviceptr address);

} // namespace coil::rt::cuda

#endif // COIL_LIB_RUNTIME_CUDA_GRAPHTREE_H
