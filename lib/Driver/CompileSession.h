//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What one compilation leaves for the next.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DRIVER_COMPILESESSION_H
#define COIL_LIB_DRIVER_COMPILESESSION_H

#include "PipelineCache.h"
#include "coil/Support/ThreadPool.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

#include <atomic>
#include <memory>

namespace coil {

/// A context with its dialects loaded and its pipelines built, which is a third
/// of what there is to do for a small program.
class CompileSession {
public:
  CompileSession();

  /// A session for one program at a time: one that another program has left,
  /// or a new one.
  static std::unique_ptr<CompileSession> take();

  /// Leaves a session, in which no IR is left, for another program. `numOps` is
  /// the size of the last one: what IR is made of stays in a context, so that a
  /// session ends when it has seen enough.
  static void leave(std::unique_ptr<CompileSession> session, size_t numOps);

  mlir::MLIRContext &getContext() { return context; }
  PipelineCache &getPipelines() { return pipelines; }

  /// Adds what counts kernels to passes that are not of the cache.
  void configure(mlir::PassManager &pm);

  /// Whether passes run in parallel.
  void setParallel(bool parallel);

  /// The loop kernels that there have been before anything merged them.
  int64_t getNumKernels() const { return numKernels; }

private:
  std::atomic<int64_t> numKernels{0};
  /// Of a size that stays: pipelines keep a copy for each thread.
  std::unique_ptr<ThreadPool> threads;
  mlir::MLIRContext context;
  PipelineCache pipelines;
  /// What was registered when the registry was made.
  uint64_t generation;
  size_t seen = 0;
};

} // namespace coil

#endif // COIL_LIB_DRIVER_COMPILESESSION_H
