//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Binary searches over passes, over applications of patterns, and the
// comparison of the steps of a compiled program.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_TOOLS_COIL_BISECT_SEARCH_H
#define COIL_TOOLS_COIL_BISECT_SEARCH_H

#include "Trial.h"
#include "coil/Reference/Tensor.h"
#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>
#include <vector>

namespace coil {

struct SearchOptions {
  std::string function = "main";
  /// Of one attempt.
  unsigned seconds = 0;
  std::optional<double> relative, absolute;
};

class Search {
public:
  Search(mlir::ModuleOp module, const std::vector<std::string> &steps,
         mlir::ArrayRef<reference::Tensor> arguments,
         const SearchOptions &options)
      : module(module), steps(steps), arguments(arguments), options(options) {}

  /// Computes the reference; a reason where there is none, else empty.
  std::string prepare();

  struct Found {
    size_t step;
    TrialResult result;
  };
  /// The first pass after which the result is not right.
  std::optional<Found> findPass() const;

  struct Application {
    uint64_t number, count;
    std::string description;
    TrialResult result;
  };
  /// The first application of a pattern in that pass, if without patterns it
  /// is right.
  std::optional<Application> findPattern(const Found &found) const;

  /// Compiles and runs what all passes make. Nothing if it is right, else what
  /// is wrong with its first step that is.
  std::optional<TrialResult> findStep(llvm::StringRef pipelineOptions) const;

  /// The module after a number of passes, as text; empty where they fail.
  std::string print(size_t count) const;

private:
  /// Runs the first passes and the interpreter in another process. The last of
  /// them stops applying patterns after `limit`.
  TrialResult attempt(size_t count,
                      std::optional<uint64_t> limit = std::nullopt) const;
  Outcome run(size_t count, std::optional<uint64_t> limit,
              llvm::raw_ostream &os) const;

  mlir::ModuleOp module;
  const std::vector<std::string> &steps;
  mlir::ArrayRef<reference::Tensor> arguments;
  const SearchOptions &options;
  std::vector<reference::Tensor> expected;
};

} // namespace coil

#endif // COIL_TOOLS_COIL_BISECT_SEARCH_H
