//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parallel loops run on libgomp's threads, which oneDNN uses too, so that the
// process has one set of workers. Each thread owns a contiguous range and takes
// it in a few pieces; a thread that is done helps the others, which absorbs
// processors that are busy with something else. The child of a fork has one
// thread, since libgomp has none to start there.
//
//===----------------------------------------------------------------------===//

#include "Threads.h"
#include "Error.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <pthread.h>
#include <type_traits>

using namespace coil::rt;

// libgomp is not instrumented: ThreadSanitizer has to be told that a team
// starts after its loop is set up and has joined before the results are read.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define COIL_TSAN
#endif
#endif
#ifdef COIL_TSAN
extern "C" {
void __tsan_acquire(void *address);
void __tsan_release(void *address);
}
static void happensBefore(void *address) { __tsan_release(address); }
static void happensAfter(void *address) { __tsan_acquire(address); }
#else
static void happensBefore(void *) {}
static void happensAfter(void *) {}
#endif

namespace {

/// libgomp's interface, bound at the first use: pragmas would bind to the
/// compiler's own runtime, and a link would load libgomp before it could be
/// told how long idle threads may spin.
struct OpenMP {
  void (*parallel)(void (*fn)(void *), void *data, unsigned threads,
                   unsigned flags);
  int (*getThreadNum)();
  int (*getMaxThreads)();
  void (*setNumThreads)(int count);
  int (*inParallel)();
};

/// About 20 us of spinning. libgomp's default is several ms, which a thread
/// that shares its processor with another process spends on nothing.
constexpr const char *spinCount = "2000";

} // namespace

static int oneThread() { return 1; }

static int zeroth() { return 0; }

static void ignoreCount(int) {}

static void runInline(void (*fn)(void *), void *data, unsigned, unsigned) {
  fn(data);
}

static OpenMP bindOpenMP() {
  bool chosen = getenv("GOMP_SPINCOUNT") || getenv("OMP_WAIT_POLICY");
  if (!chosen)
    setenv("GOMP_SPINCOUNT", spinCount, 0);
  void *library = dlopen("libgomp.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (!chosen)
    unsetenv("GOMP_SPINCOUNT");
  OpenMP omp = {runInline, zeroth, oneThread, ignoreCount, zeroth};
  if (!library)
    return omp; // Everything runs on the caller's thread.
  auto bind = [&](auto &slot, const char *name) {
    if (void *address = dlsym(library, name))
      slot = reinterpret_cast<std::remove_reference_t<decltype(slot)>>(address);
  };
  bind(omp.parallel, "GOMP_parallel");
  bind(omp.getThreadNum, "omp_get_thread_num");
  bind(omp.getMaxThreads, "omp_get_max_threads");
  bind(omp.setNumThreads, "omp_set_num_threads");
  bind(omp.inParallel, "omp_in_parallel");
  return omp;
}

static const OpenMP &openMP() {
  static const OpenMP omp = bindOpenMP();
  return omp;
}

namespace {

constexpr int maxThreads = 256;
/// Pieces that a thread's own range is cut into.
constexpr int64_t piecesPerThread = 6;

struct alignas(64) Range {
  std::atomic<int64_t> next;
  int64_t end;
};

struct Loop {
  RangeFn body;
  void *context;
  int64_t total;
  int64_t grain;
  int64_t piece; ///< In units of grain.
  int owners;
  std::atomic<int32_t> status{COIL_OK};
  char message[512];
  Range ranges[maxThreads];
};

/// What failBody needs to find; a loop that runs inline has only these two.
struct Failure {
  std::atomic<int32_t> *status;
  char *message;
  size_t size;
};

} // namespace

static thread_local Failure *currentFailure = nullptr;
static std::atomic<int> requestedThreads{0};

/// Whether libgomp has threads, and whether this process is the child of a fork
/// that came afterwards: then it believes to have them, but they are the
/// parent's, and a loop would wait for them forever.
static std::atomic<bool> hasTeam{false}, isChild{false};

static void startTeam() {
  if (hasTeam.exchange(true))
    return;
  // Only if there is no memory does this fail; then a fork is what it was.
  (void)pthread_atfork(nullptr, nullptr, []() { isChild = true; });
}

/// How many threads a team of up to \p count can have: libgomp ends the process
/// where it cannot start one. They wait for each other, so that all exist at
/// once; what is started later than this may still find none.
static int startableThreads(int count) {
  pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
  auto body = [](void *gate) -> void * {
    auto *mutex = static_cast<pthread_mutex_t *>(gate);
    pthread_mutex_lock(mutex);
    pthread_mutex_unlock(mutex);
    return nullptr;
  };
  pthread_t threads[maxThreads];
  int started = 0;
  pthread_mutex_lock(&gate);
  while (started + 1 < count &&
         pthread_create(&threads[started], nullptr, body, &gate) == 0)
    ++started;
  pthread_mutex_unlock(&gate);
  for (int i = 0; i < started; ++i)
    pthread_join(threads[i], nullptr);
  return started + 1;
}

static int threadCount() {
  if (isChild.load(std::memory_order_relaxed))
    return 1;
  int count = requestedThreads.load(std::memory_order_relaxed);
  if (count == 0)
    count = openMP().getMaxThreads();
  count = std::clamp(count, 1, maxThreads);
  // Asked once for each larger team.
  static std::atomic<int> asked{1}, available{1};
  if (count > asked.load(std::memory_order_acquire)) {
    available = startableThreads(count);
    asked.store(count, std::memory_order_release);
  }
  return count <= available ? count : available.load();
}

void coil::rt::failBody(int32_t status) {
  Failure *failure = currentFailure;
  if (!failure)
    return;
  int32_t expected = COIL_OK;
  // The message is read only after all threads have joined.
  if (failure->status->compare_exchange_strong(expected, status))
    snprintf(failure->message, failure->size, "%s", coil_last_error());
}

static void work(void *data) {
  happensAfter(data);
  Loop &loop = *static_cast<Loop *>(data);
  Failure failure = {&loop.status, loop.message, sizeof(loop.message)};
  Failure *outer = currentFailure;
  currentFailure = &failure;
  int self = openMP().getThreadNum();
  for (int i = 0; i < loop.owners; ++i) {
    Range &range = loop.ranges[(self + i) % loop.owners];
    while (range.next.load(std::memory_order_relaxed) < range.end) {
      int64_t first =
          range.next.fetch_add(loop.piece, std::memory_order_relaxed);
      if (first >= range.end)
        break;
      if (loop.status.load(std::memory_order_relaxed) != COIL_OK)
        break;
      int64_t last = std::min(first + loop.piece, range.end);
      int64_t end = last >= (loop.total - 1) / loop.grain + 1
                        ? loop.total
                        : last * loop.grain;
      loop.body(loop.context, first * loop.grain, end);
    }
  }
  currentFailure = outer;
  happensBefore(data);
}

int32_t coil::rt::parallelForImpl(int64_t total, int64_t grain, RangeFn body,
                                  void *context) {
  if (total <= 0)
    return COIL_OK;
  grain = std::max<int64_t>(grain, 1);
  int threads = total <= grain || openMP().inParallel() ? 1 : threadCount();
  if (threads == 1) {
    std::atomic<int32_t> status{COIL_OK};
    char message[512];
    Failure failure = {&status, message, sizeof(message)};
    Failure *outer = currentFailure;
    currentFailure = &failure;
    body(context, 0, total);
    currentFailure = outer;
    return status == COIL_OK ? COIL_OK : failWith(status, message);
  }

  Loop loop;
  loop.body = body;
  loop.context = context;
  loop.total = total;
  loop.grain = grain;
  int64_t units = (total - 1) / grain + 1;
  loop.owners = int(std::min<int64_t>(threads, units));
  int64_t share = units / loop.owners, rest = units % loop.owners;
  loop.piece = std::max<int64_t>(1, share / piecesPerThread);
  int64_t begin = 0;
  for (int t = 0; t < loop.owners; ++t) {
    int64_t end = begin + share + (t < rest);
    loop.ranges[t].next.store(begin, std::memory_order_relaxed);
    loop.ranges[t].end = end;
    begin = end;
  }
  // Always the whole team: libgomp ends threads that a smaller team leaves out.
  startTeam();
  happensBefore(&loop);
  openMP().parallel(work, &loop, unsigned(threads), 0);
  happensAfter(&loop);
  int32_t status = loop.status;
  return status == COIL_OK ? COIL_OK : failWith(status, loop.message);
}

ThreadCountScope::ThreadCountScope() : previous(0) {
  if (openMP().inParallel())
    return;
  int count = threadCount();
  if (count != 1)
    startTeam(); // What is in the scope makes one.
  int current = openMP().getMaxThreads();
  if (current == count)
    return;
  previous = current;
  openMP().setNumThreads(count);
}

ThreadCountScope::~ThreadCountScope() {
  if (previous)
    openMP().setNumThreads(previous);
}

extern "C" {

int32_t coil_set_num_threads(int32_t count) {
  if (count < 0 || count > maxThreads)
    return fail(COIL_INVALID_ARGUMENT,
                "expected a thread count in [0, %d] but got %d", maxThreads,
                count);
  requestedThreads = count;
  return COIL_OK;
}

int32_t coil_get_num_threads(void) { return threadCount(); }

int32_t coil_parallel_for(int64_t total, int64_t grain,
                          int32_t (*body)(void *, int64_t, int64_t),
                          void *context) {
  return parallelFor(total, grain, [=](int64_t begin, int64_t end) {
    return guarded([&] { return body(context, begin, end); });
  });
}

} // extern "C"
