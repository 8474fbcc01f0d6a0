//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where ops come from: the locations in the source that a location mentions,
// and a handle for each step that computes, by which it is found again.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_WRAPPER_ANALYSIS_PROVENANCE_H
#define COIL_DIALECT_WRAPPER_ANALYSIS_PROVENANCE_H

#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/DenseMap.h"

#include <string>

namespace coil::wrapper {

/// A location in the source of a program.
struct Source {
  /// The node of the model's graph, such as "linear_6"; may be empty.
  std::string node;
  /// File and line, "model.py:17"; may be empty.
  std::string line;

  bool operator==(const Source &other) const {
    return node == other.node && line == other.line;
  }
  /// "linear_6 (model.py:17)", or what there is of it.
  std::string str() const;
};

/// The source positions that a location mentions, each once, in order.
llvm::SmallVector<Source> getSources(mlir::Location location);

/// The first position in a file, "model.py:17", or nothing.
std::string findPlace(mlir::Location location);

/// The same; where no file is known, the node of the model, "node 'relu'".
std::string findOrigin(mlir::Location location);

/// Names the steps that compute: each launch and library call has a number, in
/// the order of the program, which stands after what it computes:
/// "softmax_0:3". So two launches of one kernel differ. The numbers follow from
/// the program alone; nothing has to be kept up to date.
class CallHandles {
public:
  /// Numbers the steps in `root`, a module or a function.
  explicit CallHandles(mlir::Operation *root);

  /// The handle of a step; it was in the program when that was numbered.
  std::string get(ComputeOpInterface op) const;

private:
  llvm::DenseMap<mlir::Operation *, unsigned> numbers;
};

} // namespace coil::wrapper

#endif // COIL_DIALECT_WRAPPER_ANALYSIS_PROVENANCE_H
