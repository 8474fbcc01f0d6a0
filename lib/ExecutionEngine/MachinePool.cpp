//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Waiting code generators. A code generator serves one thread at a time and
// any number of LLVM contexts.
//
//===----------------------------------------------------------------------===//

#include "MachinePool.h"

#include <mutex>
#include <utility>
#include <vector>

using namespace coil;

/// As many as threads compile at a time on most machines; each takes some
/// hundreds of KiB.
static constexpr size_t kMaxWaiting = 32;

namespace {
struct Pool {
  std::mutex mutex;
  std::vector<std::pair<std::string, std::unique_ptr<llvm::TargetMachine>>>
      waiting;
};
} // namespace

/// Never destroyed: targets may end before.
static Pool &getPool() {
  static auto *pool = new Pool;
  return *pool;
}

LentMachine LentMachine::take(std::string key, Make make) {
  LentMachine result;
  Pool &pool = getPool();
  // In the child of a fork, the mutex may belong to a thread that is no more.
  if (std::unique_lock<std::mutex> lock(pool.mutex, std::try_to_lock); lock)
    for (auto &waiting : pool.waiting)
      if (waiting.first == key) {
        result.machine = std::move(waiting.second);
        std::swap(waiting, pool.waiting.back());
        pool.waiting.pop_back();
        break;
      }
  if (!result.machine)
    result.machine = make();
  result.key = std::move(key);
  return result;
}

LentMachine::~LentMachine() {
  if (!machine)
    return;
  Pool &pool = getPool();
  std::unique_lock<std::mutex> lock(pool.mutex, std::try_to_lock);
  if (!lock)
    return;
  // The one that has waited longest is the least likely to be wanted.
  if (pool.waiting.size() >= kMaxWaiting)
    pool.waiting.erase(pool.waiting.begin());
  pool.waiting.emplace_back(std::move(key), std::move(machine));
}
