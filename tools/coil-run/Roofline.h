//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of --per-kernel: what each step of a program takes, beside what the
// machine would need for its bytes and operations.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_TOOLS_COIL_RUN_ROOFLINE_H
#define COIL_TOOLS_COIL_RUN_ROOFLINE_H

#include "coil/Report/Measurements.h"
#include "coil/Runtime/Runtime.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace coil {

/// What a machine does at most, for each second; 0 where that is unknown.
struct MachineRates {
  struct Rate {
    double value = 0;
    /// Where the number is from.
    std::string origin;
  };
  Rate bytes, flops;
  /// Products of matrices of 16-bit floats; unknown, they count as others.
  Rate matrixFlops;
};

/// Measures how fast this machine copies memory with all threads.
MachineRates measureHost();
/// Asks a GPU.
MachineRates getDeviceRates(int32_t device);

/// Times of the steps of some runs of one program.
class StepTable {
public:
  /// Begins the next run.
  void beginRun() { next = 0; }
  /// Adds the next step of a run. Each run has the same steps.
  void add(llvm::StringRef name, double microseconds, const coil_cost &cost);
  /// The steps with the median of their times, in the order of a run.
  std::vector<StepTime> getTimes(const MachineRates &rates) const;
  /// Prints the fastest time of each step.
  void print(llvm::raw_ostream &os, llvm::StringRef where, unsigned runs,
             const MachineRates &rates) const;

private:
  struct Step {
    std::string name;
    double microseconds; ///< The fastest.
    coil_cost cost;
    std::vector<double> all;
  };
  std::vector<Step> steps;
  size_t next = 0;
};

} // namespace coil

#endif // COIL_TOOLS_COIL_RUN_ROOFLINE_H
