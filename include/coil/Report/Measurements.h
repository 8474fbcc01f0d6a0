//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times of steps for the directory of a compilation, which was written before
// anything ran.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_REPORT_MEASUREMENTS_H
#define COIL_REPORT_MEASUREMENTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>

namespace coil {

/// A step of a run, as often as it was measured.
struct StepTime {
  /// The kernel, or the library with its operation.
  std::string name;
  double medianSeconds = 0, fastestSeconds = 0;
  /// The part of the machine's roofline that it reaches in the median time, and
  /// whether operations bound it rather than memory.
  std::optional<double> roofline;
  bool isComputeBound = false;
};

/// Puts times next to bytes and operations in `kernels.json` and `index.html`
/// of a directory. Steps are in the order of a run. Launches of one kernel in
/// one function that ran once each have a time each; else all have the same,
/// that of one of them in the median.
llvm::Error addMeasurements(llvm::StringRef directory,
                            llvm::ArrayRef<StepTime> steps,
                            llvm::StringRef where, unsigned runs);

} // namespace coil

#endif // COIL_REPORT_MEASUREMENTS_H
