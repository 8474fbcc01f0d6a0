//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The process that compiles and times the candidates of one kernel. It may
// crash, hang or exhaust memory: who started it goes on.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_TOOLS_COIL_TUNE_WORKER_H
#define COIL_TOOLS_COIL_TUNE_WORKER_H

#include "llvm/Support/JSON.h"

#include <cstdint>
#include <string>
#include <vector>

namespace coil {

/// A buffer of the kernel.
struct WorkerBuffer {
  int64_t dtype = 0;
  std::vector<int64_t> sizes, strides;
  /// Bytes between an aligned address and the buffer.
  int64_t offset = 0;
  /// Integers are from 0 to this, exclusive.
  int64_t limit = 8;
};

/// What to measure. Candidate 0 is the selected schedule.
struct WorkerRequest {
  std::string options;
  /// The module of each candidate, whose kernel is called `c<number>`; empty
  /// for those that are left out.
  std::vector<std::string> kernels;
  std::vector<WorkerBuffer> inputs, outputs;
  std::vector<int64_t> symbols;
  bool onDevice = false;
  int64_t device = 0, threads = 0;
  /// Bytes to write between two launches on a device, so that its cache is
  /// cold.
  int64_t flushBytes = 0;
  /// Compile each candidate by itself.
  bool separately = false;
  /// Seconds that the rounds of all candidates may take.
  double seconds = 1;
  /// "crash", "hang", "wrong" or "memory" and the candidate that is to do so,
  /// for tests.
  std::string inject;
  int64_t injected = -1;
};

llvm::json::Value toJSON(const WorkerRequest &request);
bool fromJSON(const llvm::json::Value &value, WorkerRequest &request,
              llvm::json::Path path);

/// Measures what the file asks for and writes a line of JSON for each event to
/// standard output: {"event": "compile" | "run" | "refused" | "failed" |
/// "wrong" | "times" | "done", "candidate": ..., ...}. Returns the exit status.
int runWorker(llvm::StringRef file);

} // namespace coil

#endif // COIL_TOOLS_COIL_TUNE_WORKER_H
