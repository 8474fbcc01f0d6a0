//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parts of a kernel that only one side of a choice by position needs.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_LOOP_ANALYSIS_SELECTARMS_H
#define COIL_DIALECT_LOOP_ANALYSIS_SELECTARMS_H

#include "coil/Dialect/Loop/IR/Loop.h"
#include "llvm/ADT/DenseMap.h"

namespace coil::loop {

/// Whether a condition depends on nothing but where a point is: that of a
/// concatenation, a padding or a triangle. Nearly all vectors of points then go
/// one way as a whole.
bool isOfPositions(mlir::Value condition);

/// One operand of a choice by position, an `arith.select` or a load under a
/// mask, with the ops that nothing else needs: they need not be computed for
/// vectors of points that go the other way.
struct SelectArm {
  mlir::Value condition, value;
  /// Whether it is taken where the condition holds.
  bool isTrue;
  /// In the order of the kernel, without those of arms within this one.
  llvm::SmallVector<mlir::Operation *> ops;
};

/// The arms of a kernel that cost enough for a branch.
class SelectArms {
public:
  /// `isTogether` says whether an op is computed in the loops of a choice.
  SelectArms(KernelOp kernel,
             llvm::function_ref<bool(mlir::Operation *, mlir::Operation *)>
                 isTogether);

  /// Whether `op` belongs to an arm.
  bool contains(mlir::Operation *op) const { return armOf.contains(op); }
  /// The arms of `op`, at most two.
  llvm::ArrayRef<SelectArm> get(mlir::Operation *op) const {
    auto found = arms.find(op);
    return found == arms.end() ? llvm::ArrayRef<SelectArm>()
                               : llvm::ArrayRef<SelectArm>(found->second);
  }

private:
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<SelectArm, 2>> arms;
  /// The choice and its operand that an op belongs to, innermost.
  llvm::DenseMap<mlir::Operation *, std::pair<mlir::Operation *, unsigned>>
      armOf;
};

} // namespace coil::loop

#endif // COIL_DIALECT_LOOP_ANALYSIS_SELECTARMS_H
