//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread pool that works with as many threads as the system gives.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_SUPPORT_THREADPOOL_H
#define COIL_SUPPORT_THREADPOOL_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/FunctionExtras.h"
#include "llvm/Support/ThreadPool.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <pthread.h>
#include <vector>

namespace coil {

/// A thread pool for MLIR contexts. LLVM's own ends the process where a limit
/// of threads or of memory keeps it from starting a thread. This one goes on
/// with those that it has: who waits executes tasks of the group, so that it
/// needs no thread at all.
class ThreadPool final : public llvm::ThreadPoolInterface {
public:
  /// At most `concurrency` tasks at a time, the waiting thread's included; 0
  /// means one for each processor.
  explicit ThreadPool(unsigned concurrency = 0);
  ~ThreadPool() override;

  void wait() override;
  void wait(llvm::ThreadPoolTaskGroup &group) override;
  unsigned getMaxConcurrency() const override { return concurrency; }

  /// The threads that could be started so far.
  unsigned getNumThreads() const;

private:
  using Task = llvm::unique_function<void()>;
  struct Entry {
    Task task;
    llvm::ThreadPoolTaskGroup *group;
  };

  void asyncEnqueue(Task task, llvm::ThreadPoolTaskGroup *group) override;
  /// Runs tasks, of `group` alone if there is one, until none is queued.
  void help(std::unique_lock<std::mutex> &lock,
            llvm::ThreadPoolTaskGroup *group);
  void execute(std::unique_lock<std::mutex> &lock,
               std::deque<Entry>::iterator entry);
  void serve();

  const unsigned concurrency;
  mutable std::mutex mutex;
  std::condition_variable queued, finished;
  std::deque<Entry> queue;
  /// Tasks that are queued or run.
  llvm::DenseMap<llvm::ThreadPoolTaskGroup *, unsigned> pendingOf;
  unsigned pending = 0;
  std::vector<pthread_t> threads;
  bool cannotGrow = false, ends = false;
};

/// Whether `count` more threads can exist at the same time now.
bool canStartThreads(unsigned count);

/// Calls `body` with 0 to `count` - 1, on up to so many threads, of which the
/// caller's is one.
void runOnThreads(unsigned count, llvm::function_ref<void(unsigned)> body);

} // namespace coil

#endif // COIL_SUPPORT_THREADPOOL_H
