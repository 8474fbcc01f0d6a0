//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What planned host programs allocate, and for how long: as data, as JSON and
// as a picture.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_REPORT_MEMORYREPORT_H
#define COIL_REPORT_MEMORYREPORT_H

#include "llvm/Support/JSON.h"

#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace coil {

/// A buffer of a planned program. Steps and bytes as in `MemoryUse`.
struct MemoryBuffer {
  /// "b3", by the order of definition.
  std::string name;
  /// Sizes, strides and element type as in the IR.
  std::string type;
  /// The handle of the step that writes it first, and where that comes from;
  /// empty if nothing does.
  std::string writer, source;
  /// The allocation that it is in, and where.
  size_t allocation = 0;
  int64_t offset = 0;
  int64_t bytes = 0;
  size_t begin = 0, end = 0;
};

/// Memory that is allocated once: for a buffer and those that take its storage
/// over, or for a pool.
struct MemoryAllocation {
  std::string device;
  bool isPool = false;
  int64_t bytes = 0;
  size_t begin = 0, end = 0;
  /// Where the picture shows it: apart from all that is alive with it.
  int64_t shownAt = 0;
};

/// The memory of one function. Bytes are those at the hints of the symbols,
/// each allocation rounded up to the alignment of its device; steps number the
/// ops in the order of the text, and one alive in [begin, end) is alive at the
/// step `begin` first. Inputs, weights and literals are not counted.
struct MemoryUse {
  std::string function;
  /// What each step is: its handle, or the name of its op.
  std::vector<std::string> steps;
  std::vector<MemoryAllocation> allocations;
  std::vector<MemoryBuffer> buffers;
  /// Bytes in use at each step, in all and without what callees need.
  std::vector<int64_t> inUse;
  /// The most of them, and the first step where that is.
  int64_t peak = 0;
  size_t peakStep = 0;
  /// The handle of the first step that computes with that much in use; empty if
  /// there is none.
  std::string peakName;
  /// What the planner states: its peak, and the largest sum of buffers that are
  /// alive at a time.
  int64_t plannedPeak = 0, lowerBound = 0;
  /// Bytes of the inputs that are not weights, and of weights.
  int64_t inputBytes = 0, weightBytes = 0;
};

/// The memory of all functions that were planned.
std::vector<MemoryUse> collectMemory(mlir::ModuleOp module);

/// {"functions": [{"name", "peak", "lower_bound", "steps", "allocations",
/// "buffers", ...}]}
llvm::json::Value toJSON(const std::vector<MemoryUse> &uses);

/// A picture of one function as an `svg` element: steps from left to right,
/// bytes upwards, a rectangle for each buffer with its name and source as its
/// title.
void printMemorySVG(const MemoryUse &use, llvm::raw_ostream &os);

/// The same and a table of buffers for each function, as part of a page.
void printMemoryHTML(const std::vector<MemoryUse> &uses, llvm::raw_ostream &os);

/// A page of its own.
void printMemoryPage(const std::vector<MemoryUse> &uses, llvm::StringRef model,
                     llvm::raw_ostream &os);

} // namespace coil

#endif // COIL_REPORT_MEMORYREPORT_H
