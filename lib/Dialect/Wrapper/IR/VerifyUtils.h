//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the verifiers of several files of the dialect share.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DIALECT_WRAPPER_IR_VERIFYUTILS_H
#define COIL_LIB_DIALECT_WRAPPER_IR_VERIFYUTILS_H

#include "coil/Dialect/Wrapper/IR/Wrapper.h"

namespace coil::wrapper {

/// The last of `v`, `step(v)` and so on, before `step` gives nothing. Verifiers
/// ask before it is known that values are defined before they are used: of
/// values that are made of each other it is any.
template <typename Step>
mlir::Value followDefinitions(mlir::Value v, Step step) {
  mlir::Value seen = v;
  for (unsigned steps = 1, power = 1;; ++steps) {
    mlir::Value next = step(v);
    if (!next)
      return v;
    v = next;
    if (v == seen)
      return v;
    if (steps == power) { // Brent's algorithm.
      seen = v;
      power *= 2;
      steps = 0;
    }
  }
}

mlir::LogicalResult verifyOnlySymbols(mlir::Operation *op, sym::ExprAttr e);

/// A predicate is an `i1`, or a buffer with one.
mlir::LogicalResult verifyPredicate(mlir::Operation *op, mlir::Value predicate);

/// Whether all sizes are 1.
bool hasOneElement(BufferType type);

/// A buffer type with other expressions for some symbols; any other type as it
/// is.
mlir::Type substituteSymbols(mlir::Type type,
                             const llvm::StringMap<sym::ExprAttr> &values);

/// Fails unless `consumes` lists exactly the operands whose arguments the
/// callee consumes.
mlir::LogicalResult
verifyConsumes(mlir::Operation *call, FuncOp callee,
               std::optional<llvm::ArrayRef<int64_t>> consumes);

/// Whether a name has the form `namespace::name`.
bool isFunctionName(llvm::StringRef name);

/// Fails for a name that is empty or has a line feed; `what` has it.
mlir::LogicalResult verifyLine(mlir::Operation *op, llvm::StringRef what,
                               llvm::StringRef text);

/// \name Calls of host functions
/// @{
mlir::LogicalResult verifyOneDevice(mlir::Operation *op);
mlir::LogicalResult
verifyMutates(mlir::Operation *op,
              std::optional<llvm::ArrayRef<int64_t>> mutates,
              mlir::ValueRange operands);
using EffectList = llvm::SmallVectorImpl<
    mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>>;
/// Reads and writes of a call, and what it allocates.
void addCallEffects(HostCallOpInterface call, EffectList &effects);
/// What only the function knows of.
void addHostEffect(EffectList &effects);
/// @}

/// \name Regions that run in place: `wrapper.partition` and its like
/// @{
void getInPlaceSuccessors(
    mlir::Operation *op, mlir::RegionBranchPoint point,
    llvm::SmallVectorImpl<mlir::RegionSuccessor> &regions);
/// The storage that the region hands over.
void addResultEffects(mlir::Operation *op, EffectList &effects);
mlir::LogicalResult verifyInPlace(mlir::Operation *op);
/// @}

} // namespace coil::wrapper

#endif // COIL_LIB_DIALECT_WRAPPER_IR_VERIFYUTILS_H
