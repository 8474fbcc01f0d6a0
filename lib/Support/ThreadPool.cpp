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

#include "coil/Support/ThreadPool.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Threading.h"

#include <algorithm>

using namespace coil;
using llvm::ThreadPoolTaskGroup;

ThreadPool::ThreadPool(unsigned concurrency)
    : concurrency(
          concurrency
              ? concurrency
              : std::max(1u,
                         llvm::hardware_concurrency().compute_thread_count())) {
}

ThreadPool::~ThreadPool() {
  {
    std::unique_lock<std::mutex> lock(mutex);
    help(lock, nullptr);
    ends = true;
  }
  queued.notify_all();
  for (pthread_t thread : threads)
    pthread_join(thread, nullptr);
}

unsigned ThreadPool::getNumThreads() const {
  std::lock_guard<std::mutex> lock(mutex);
  return unsigned(threads.size());
}

void ThreadPool::asyncEnqueue(Task task, ThreadPoolTaskGroup *group) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    queue.push_back({std::move(task), group});
    ++pending;
    ++pendingOf[group];
    // The thread that waits is one of those that work.
    if (!cannotGrow && threads.size() + 1 < concurrency &&
        threads.size() < pending) {
      pthread_t thread;
      auto body = [](void *pool) -> void * {
        static_cast<ThreadPool *>(pool)->serve();
        return nullptr;
      };
      if (pthread_create(&thread, nullptr, body, this) == 0)
        threads.push_back(thread);
      else
        cannotGrow = true;
    }
  }
  queued.notify_one();
  finished.notify_all(); // A thread that waits for the group can help.
}

void ThreadPool::execute(std::unique_lock<std::mutex> &lock,
                         std::deque<Entry>::iterator entry) {
  Entry taken = std::move(*entry);
  queue.erase(entry);
  lock.unlock();
  taken.task();
  taken.task = Task(); // What it holds ends before the task counts as done.
  lock.lock();
  --pending;
  if (auto found = pendingOf.find(taken.group); --found->second == 0)
    pendingOf.erase(found);
  finished.notify_all();
}

void ThreadPool::help(std::unique_lock<std::mutex> &lock,
                      ThreadPoolTaskGroup *group) {
  auto isDone = [&] { return group ? !pendingOf.count(group) : pending == 0; };
  auto find = [&] {
    return std::find_if(queue.begin(), queue.end(), [&](const Entry &entry) {
      return !group || entry.group == group;
    });
  };
  while (!isDone()) {
    if (auto entry = find(); entry != queue.end())
      execute(lock, entry);
    else
      finished.wait(lock);
  }
}

void ThreadPool::serve() {
  llvm::set_thread_name("coil-pool");
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    queued.wait(lock, [&] { return ends || !queue.empty(); });
    if (queue.empty())
      return;
    execute(lock, queue.begin());
  }
}

void ThreadPool::wait() {
  std::unique_lock<std::mutex> lock(mutex);
  help(lock, nullptr);
}

void ThreadPool::wait(ThreadPoolTaskGroup &group) {
  std::unique_lock<std::mutex> lock(mutex);
  help(lock, &group);
}

bool coil::canStartThreads(unsigned count) {
  // The threads wait for each other's start, so that all exist at once.
  std::mutex gate;
  std::vector<pthread_t> threads;
  {
    std::lock_guard<std::mutex> closed(gate);
    auto body = [](void *gate) -> void * {
      std::lock_guard<std::mutex> passed(*static_cast<std::mutex *>(gate));
      return nullptr;
    };
    pthread_t thread;
    while (threads.size() < count &&
           pthread_create(&thread, nullptr, body, &gate) == 0)
      threads.push_back(thread);
  }
  for (pthread_t thread : threads)
    pthread_join(thread, nullptr);
  return threads.size() == count;
}

void coil::runOnThreads(unsigned count,
                        llvm::function_ref<void(unsigned)> body) {
  ThreadPool pool(
      std::min(count, llvm::hardware_concurrency().compute_thread_count()));
  ThreadPoolTaskGroup group(pool);
  for (unsigned i = 0; i < count; ++i)
    group.async([&body, i] { body(i); });
  group.wait();
}
