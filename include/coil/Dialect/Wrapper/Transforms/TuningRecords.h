//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Records of tuning: which schedule of a kernel is the fastest that was
// measured on a chip. See docs/concepts/Tuning.md.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_WRAPPER_TRANSFORMS_TUNINGRECORDS_H
#define COIL_DIALECT_WRAPPER_TRANSFORMS_TUNINGRECORDS_H

#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace coil::wrapper {

/// What measuring one kernel found.
struct TuningRecord {
  std::string version;
  std::string target;
  /// Hashes of the kernel and of the candidates that were measured.
  std::string kernel, space;
  std::string name;
  /// The fastest schedule, and the one that was selected without measuring.
  std::string schedule, defaultSchedule;
  double nanoseconds = 0, defaultNanoseconds = 0;
  /// Of the file; 0 for a record that comes from no file.
  unsigned line = 0;
};

/// Reads a file of records. A line that is no record is an error that names it.
/// A file that does not exist is an error unless `mayBeMissing`.
llvm::Expected<std::vector<TuningRecord>>
readTuningRecords(llvm::StringRef path, bool mayBeMissing = false);

/// Adds records to the end of a file, which is made if it does not exist, under
/// a lock that other processes respect.
llvm::Error appendTuningRecords(llvm::StringRef path,
                                llvm::ArrayRef<TuningRecord> records);

/// The hash of a kernel with a `loop.kernel`, without its schedule and names.
std::string getTuningHash(KernelOp kernel);

/// What the records of a program have as their target: that of the module, and
/// the options that change the code of kernels.
llvm::Expected<std::string> getTuningTarget(mlir::ModuleOp module,
                                            llvm::StringRef codeOptions);

/// Whether measuring says anything about a kernel; else why not.
mlir::LogicalResult canTune(KernelOp kernel, std::string &why);

} // namespace coil::wrapper

#endif // COIL_DIALECT_WRAPPER_TRANSFORMS_TUNINGRECORDS_H
