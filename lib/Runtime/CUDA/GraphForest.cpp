//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The trees of a program, and what is counted of its partitions.
//
//===----------------------------------------------------------------------===//

#include "GraphTree.h"

#include <algorithm>

using namespace coil::rt;
using namespace coil::rt::cuda;

GraphForest::~GraphForest() = default;

void GraphForest::setLimit(int32_t value) {
  std::lock_guard<std::mutex> lock(mutex);
  limit = value;
}

void GraphForest::setRecordLimit(int32_t value) {
  std::lock_guard<std::mutex> lock(mutex);
  recordLimit = std::max(value, 0);
}

int64_t GraphForest::getLimit() {
  std::lock_guard<std::mutex> lock(mutex);
  return limit;
}

int64_t GraphForest::getRecordLimit() {
  std::lock_guard<std::mutex> lock(mutex);
  return recordLimit;
}

void GraphForest::clear() {
  std::lock_guard<std::mutex> lock(mutex);
  trees.clear();
  stats.nodes = 0;
  stats.bytes = 0;
}

GraphTree *GraphForest::take(Device &device, const MemorySource *source) {
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<GraphTree> &tree = trees[{device.index, source}];
  if (!tree)
    tree = std::make_unique<GraphTree>(*this, device, source);
  if (tree->isBusy)
    return nullptr;
  tree->isBusy = true;
  return tree.get();
}

void GraphForest::giveBack(GraphTree &tree) {
  std::lock_guard<std::mutex> lock(mutex);
  tree.isBusy = false;
}

void GraphForest::count(int64_t coil_cuda_partition_stats::*number,
                        int64_t by) {
  std::lock_guard<std::mutex> lock(mutex);
  stats.*number += by;
}

void GraphForest::countFailure(const char *partition,
                               const std::string &reason) {
  std::lock_guard<std::mutex> lock(mutex);
  ++failures[{partition, reason}];
}

coil_cuda_partition_stats GraphForest::getStats() {
  std::lock_guard<std::mutex> lock(mutex);
  return stats;
}

void GraphForest::forEachFailure(void (*fn)(void *user, const char *partition,
                                            const char *reason, int64_t count),
                                 void *user) {
  std::map<std::pair<std::string, std::string>, int64_t> copy;
  {
    std::lock_guard<std::mutex> lock(mutex);
    copy = failures;
  }
  for (auto &[key, number] : copy)
    fn(user, key.first.c_str(), key.second.c_str(), number);
}
