//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs functions of `graph` and `loop` operations on tensors, operation by
// operation, through the reference interfaces.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_REFERENCE_INTERPRETER_H
#define COIL_REFERENCE_INTERPRETER_H

#include "coil/Interfaces/ReferenceInterface.h"
#include "llvm/ADT/StringMap.h"

#include <functional>

namespace mlir {
class RankedTensorType;
namespace func {
class FuncOp;
} // namespace func
} // namespace mlir

namespace coil::sym {
class ExprAttr;
} // namespace coil::sym

namespace coil::reference {

struct InterpreterOptions {
  /// Scalar operations that a run may execute.
  int64_t maxSteps = INT64_MAX;
  /// Bytes that the tensors of a run may take at a time, arguments apart.
  int64_t maxBytes = INT64_MAX;
  /// Calls that may be active at a time.
  unsigned maxCallDepth = 64;
  /// Called before an operation with its operands and after it with its
  /// results; may replace the tensors (not write into them: copies share
  /// their elements).
  std::function<void(mlir::Operation *op, bool isBefore,
                     llvm::MutableArrayRef<Tensor> tensors)>
      observer;
};

/// Runs functions. Every failure is a diagnostic at the operation at fault.
class Interpreter {
public:
  explicit Interpreter(InterpreterOptions options = {});

  /// Runs `function` on `arguments` and returns its results. The values of the
  /// function's symbols follow from the arguments' sizes, and all sizes are
  /// checked against the types.
  mlir::FailureOr<llvm::SmallVector<Tensor>>
  run(mlir::func::FuncOp function, llvm::ArrayRef<Tensor> arguments);

  const InterpreterOptions &getOptions() const { return options; }
  /// Scalar operations executed so far.
  int64_t getSteps() const { return steps; }
  /// The most bytes that tensors took at a time.
  int64_t getPeakBytes() const { return budget->peak; }

  /// Counts bytes that a host program allocates, or, negative, frees.
  void countStorage(int64_t bytes) {
    storageBytes += bytes;
    storagePeak = std::max(storagePeak, storageBytes);
  }
  /// The most bytes that a host program had allocated at once.
  int64_t getPeakStorageBytes() const { return storagePeak; }

private:
  friend class Frame;
  mlir::LogicalResult runFunction(mlir::func::FuncOp function,
                                  llvm::ArrayRef<Tensor> arguments,
                                  llvm::SmallVectorImpl<Tensor> &results);

  InterpreterOptions options;
  std::shared_ptr<MemoryBudget> budget;
  int64_t steps = 0;
  int64_t storageBytes = 0, storagePeak = 0;
  unsigned depth = 0;
};

/// One activation of a function: what operations see of the interpreter.
class Frame {
public:
  explicit Frame(Interpreter &interpreter) : interpreter(interpreter) {}

  /// Solves the symbols of `function` from the arguments' sizes and checks
  /// types, sizes and the declared ranges.
  mlir::LogicalResult bindArguments(mlir::func::FuncOp function,
                                    llvm::ArrayRef<Tensor> arguments);

  /// Gives a symbol a value, or another one.
  void setSymbol(llvm::StringRef name, int64_t value) { symbols[name] = value; }
  /// The value of an expression over symbols, or nothing when it mentions
  /// something else, overflows or divides by a number that is not positive.
  std::optional<int64_t> evaluate(sym::ExprAttr expr) const;
  /// The value of a symbol, if it has one.
  std::optional<int64_t> getSymbol(llvm::StringRef name) const;
  /// As `evaluate`, with a diagnostic at `op`.
  mlir::FailureOr<int64_t> evaluate(mlir::Operation *op,
                                    sym::ExprAttr expr) const;
  /// The sizes of a tensor type.
  mlir::FailureOr<llvm::SmallVector<int64_t>>
  getSizes(mlir::Operation *op, mlir::RankedTensorType type) const;

  /// A tensor of zeros of a ranked tensor type, within the memory limit.
  mlir::FailureOr<Tensor> allocate(mlir::Operation *op, mlir::Type type) const;
  mlir::FailureOr<Tensor> allocate(mlir::Operation *op, DType dtype,
                                   llvm::ArrayRef<int64_t> sizes) const;
  /// Counts `steps` scalar operations; fails above the limit.
  mlir::LogicalResult spend(mlir::Operation *op, int64_t steps) const;
  /// Calls a function.
  mlir::LogicalResult call(mlir::Operation *op, mlir::func::FuncOp callee,
                           llvm::ArrayRef<Tensor> arguments,
                           llvm::SmallVectorImpl<Tensor> &results) const;
  /// Runs the block of a region of the operation that is being evaluated, which
  /// may use values from outside, and gives the operands of its terminator.
  mlir::LogicalResult runRegion(mlir::Region &region,
                                llvm::ArrayRef<Tensor> arguments,
                                llvm::SmallVectorImpl<Tensor> &results);
  /// Binds a symbol that the program computes; a diagnostic at `op` if the
  /// value is outside the range that the function declares.
  mlir::LogicalResult bindSymbol(mlir::Operation *op, llvm::StringRef name,
                                 int64_t value);

private:
  friend class Interpreter;
  /// Values of a block that is active, and of those around it.
  struct Scope;

  Interpreter &interpreter;
  Scope *scope = nullptr;
  llvm::StringMap<int64_t> symbols;
};

} // namespace coil::reference

#endif // COIL_REFERENCE_INTERPRETER_H
