//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The page of a debug directory.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_REPORT_DEBUGPAGE_H
#define COIL_LIB_REPORT_DEBUGPAGE_H

#include "coil/Report/MemoryReport.h"
#include "coil/Report/Provenance.h"

#include <string>
#include <vector>

namespace coil {

/// A stage that a compilation went through.
struct StageRecord {
  Stage stage;
  std::string file;
  /// Operations in the module behind it.
  int64_t ops = 0;
  double seconds = 0;
};

/// What a pass decided.
struct RemarkRecord {
  /// "Passed", "Missed", "Analysis", "Failure".
  std::string kind;
  /// The pass.
  std::string category;
  std::string text;
  /// "model.py:17", or empty.
  std::string place;
};

/// All that the page shows.
struct DebugRecord {
  std::string model;
  /// Names and values of options.
  std::vector<std::pair<std::string, std::string>> options;
  std::vector<StageRecord> stages;
  /// Names of other files with what they hold.
  std::vector<std::pair<std::string, std::string>> files;
  /// Files of a kernel, by its name.
  llvm::StringMap<std::vector<std::string>> kernelFiles;
  std::vector<RemarkRecord> remarks;
  std::vector<std::string> errors;
  Provenance provenance;
  std::vector<MemoryUse> memory;
};

/// What is between a mark and the next end is for `addMeasurements` to replace.
inline constexpr llvm::StringLiteral kMarkEnd = "<!--end-->";
inline constexpr llvm::StringLiteral kTimesMark = "<!--times-->";
std::string getTimeMark(llvm::StringRef handle);

void printDebugPage(const DebugRecord &record, llvm::raw_ostream &os);

} // namespace coil

#endif // COIL_LIB_REPORT_DEBUGPAGE_H
