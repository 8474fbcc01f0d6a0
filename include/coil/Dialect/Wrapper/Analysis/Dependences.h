//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which ops of a block have to stay in order.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_WRAPPER_ANALYSIS_DEPENDENCES_H
#define COIL_DIALECT_WRAPPER_ANALYSIS_DEPENDENCES_H

#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

namespace coil::wrapper {

/// Ops of a block that do something, and the order that data, symbols, checks
/// and effects require. Allocations, views and literals are no steps: they
/// belong to the first step that needs them.
class Dependences {
public:
  explicit Dependences(mlir::Block &block);

  struct Step {
    mlir::Operation *op;
    /// Positions of steps that have to come before and after it.
    llvm::SetVector<unsigned> before, behind;
  };
  llvm::ArrayRef<Step> getSteps() const { return steps; }
  /// All ops of the block but its terminator, for an order of the steps.
  llvm::SmallVector<mlir::Operation *>
  getOrder(llvm::ArrayRef<unsigned> schedule) const;

private:
  void connect(unsigned from, unsigned to);
  void add(unsigned index);

  mlir::Block &block;
  std::vector<Step> steps;
  llvm::DenseMap<mlir::Operation *, unsigned> numbers;
  llvm::DenseSet<mlir::Operation *> helpers;
  /// Who last wrote storage, and has read it since.
  struct Accesses {
    std::optional<unsigned> writer;
    llvm::SmallVector<unsigned> readers;
  };
  llvm::DenseMap<mlir::Value, Accesses> accesses;
  /// Who binds a symbol, and who has checked it.
  llvm::StringMap<llvm::SmallVector<unsigned>> symbols;
  /// The last step with an effect that is not on a buffer.
  std::optional<unsigned> last;
  /// The last step that nothing passes.
  std::optional<unsigned> fence;
};

/// Whether an op only makes a value that others need, wherever that is.
bool isHelper(mlir::Operation *op);

/// The symbols that an op mentions in attributes and types, in regions, too.
llvm::SetVector<mlir::StringAttr> getMentionedSymbols(mlir::Operation *op);

} // namespace coil::wrapper

#endif // COIL_DIALECT_WRAPPER_ANALYSIS_DEPENDENCES_H
