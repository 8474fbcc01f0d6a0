//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pool of sessions.
//
//===----------------------------------------------------------------------===//

#include "CompileSession.h"

#include "coil/Dialect/Loop/IR/Loop.h"
#include "coil/Import/Import.h"
#include "coil/InitAllDialects.h"
#include "coil/Support/Registration.h"
#include "mlir/Pass/PassInstrumentation.h"

#include <mutex>

using namespace coil;
using namespace mlir;

/// Operations that a session sees: locations, constants and types of theirs
/// stay in it.
static constexpr size_t kMaxOps = 100000;
/// What a program counts besides.
static constexpr size_t kOpsOfAny = 100;

/// Sessions that wait: threads that compile at the same time.
static constexpr size_t kMaxWaiting = 4;

namespace {

/// Counts the loop kernels that there are before anything merges them.
class KernelCounter : public PassInstrumentation {
public:
  explicit KernelCounter(std::atomic<int64_t> &count) : count(count) {}
  void runAfterPass(Pass *pass, Operation *op) override {
    if (pass->getArgument() == "convert-graph-to-loop")
      op->walk([&](loop::KernelOp) { ++count; });
  }

private:
  std::atomic<int64_t> &count;
};

struct SessionPool {
  std::mutex mutex;
  std::vector<std::unique_ptr<CompileSession>> waiting;
};

} // namespace

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registerAllDialects(registry);
  import::registerImportDialects(registry);
  return registry;
}

/// Never destroyed: contexts refer to what may end before them.
static SessionPool &getPool() {
  static auto *pool = new SessionPool;
  return *pool;
}

CompileSession::CompileSession()
    : context(makeRegistry(), MLIRContext::Threading::DISABLED),
      pipelines(context, [this](PassManager &pm) { configure(pm); }),
      generation(getRegistrationGeneration()) {
  context.printOpOnDiagnostic(false);
}

std::unique_ptr<CompileSession> CompileSession::take() {
  std::unique_ptr<CompileSession> session;
  SessionPool &pool = getPool();
  // In the child of a fork, the mutex may belong to a thread that is no more.
  if (std::unique_lock<std::mutex> lock(pool.mutex, std::try_to_lock); lock) {
    if (!pool.waiting.empty()) {
      session = std::move(pool.waiting.back());
      pool.waiting.pop_back();
    }
  }
  if (!session || session->generation != getRegistrationGeneration())
    session = std::make_unique<CompileSession>();
  session->numKernels = 0;
  session->pipelines.startProgram();
  return session;
}

void CompileSession::leave(std::unique_ptr<CompileSession> session,
                           size_t numOps) {
  session->seen += kOpsOfAny + numOps;
  if (session->seen > kMaxOps)
    return;
  // Threads are not for keeping: a process that forks would lose them.
  session->setParallel(false);
  session->threads.reset();
  SessionPool &pool = getPool();
  std::unique_lock<std::mutex> lock(pool.mutex, std::try_to_lock);
  if (lock && pool.waiting.size() < kMaxWaiting)
    pool.waiting.push_back(std::move(session));
}

void CompileSession::configure(PassManager &pm) {
  pm.addInstrumentation(std::make_unique<KernelCounter>(numKernels));
}

void CompileSession::setParallel(bool parallel) {
  if (parallel == context.isMultithreadingEnabled())
    return;
  if (!parallel)
    return context.disableMultithreading();
  if (!threads)
    threads = std::make_unique<ThreadPool>();
  context.setThreadPool(*threads);
}
