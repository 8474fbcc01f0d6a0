//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The search for the fastest schedule of one kernel.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_TOOLS_COIL_TUNE_SEARCH_H
#define COIL_TOOLS_COIL_TUNE_SEARCH_H

#include "Worker.h"
#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace coil {

struct SearchOptions {
  /// The tool, which is its own worker.
  std::string program;
  std::string pipelineOptions;
  unsigned candidates = 24;
  /// Seconds that one step of a worker may take, and that the rounds of all
  /// candidates of a kernel may.
  unsigned timeLimit = 60;
  double seconds = 1;
  bool onDevice = false;
  int64_t device = 0, threads = 0, flushBytes = 0;
  std::string inject;
  int64_t injected = -1;
};

/// What became of one kernel.
struct SearchResult {
  loop::ScheduleAttrInterface best;
  double seconds = 0, defaultSeconds = 0;
  unsigned measured = 0, refused = 0, wrong = 0, crashed = 0, hung = 0;
  /// One line for each candidate that went wrong.
  std::vector<std::string> problems;
};

/// The hash of what `search` tries.
std::string getSpaceHash(wrapper::KernelOp kernel, unsigned candidates);

/// Fails when the selected schedule itself cannot be measured.
llvm::Expected<SearchResult> search(wrapper::KernelOp kernel,
                                    const SearchOptions &options);

} // namespace coil

#endif // COIL_TOOLS_COIL_TUNE_SEARCH_H
