//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which launches of a host program may run together with an earlier one.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_CONVERSION_LOOPTOGPU_LAUNCHMOTION_H
#define COIL_LIB_CONVERSION_LOOPTOGPU_LAUNCHMOTION_H

#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <functional>

namespace coil::wrapper {

/// Launches of a program by their numbers in the order of its text, as
/// `numberLaunches` sets them: an array, since launches are joined.
inline constexpr llvm::StringLiteral kNumbersAttrName = "wrapper.numbers";

/// Legality of moving launches up in a block of a function: the function's own,
/// or that of a branch or a loop. Storage has one owner, so arguments of a
/// block and storage from outside are different memory. Ops are visited in
/// order: each is entered, and then recorded at its own position or at the
/// position of the launch that it joins.
class LaunchMotion {
public:
  /// \p isSmall says whether so many bytes of the program's own may live
  /// longer than planned.
  LaunchMotion(mlir::Block &block, std::function<bool(sym::ExprAttr)> isSmall);

  /// Numbers \p op, which is the next of the block.
  int64_t enter(mlir::Operation &op);
  /// Notes what \p op does with storage, as if its number were \p at.
  void record(mlir::Operation &op, int64_t at);
  /// Whether \p launch may run where op number \p to is. Otherwise `why` is the
  /// reason.
  bool canMove(LaunchOp launch, int64_t to);

  std::string why;

private:
  /// When storage was last written, and last used at all: numbers of ops.
  struct Uses {
    int64_t written = -1;
    int64_t used = -1;
  };

  bool canMoveDefinition(mlir::Value value, int64_t to);

  mlir::Block &block;
  std::function<bool(sym::ExprAttr)> isSmall;
  int64_t next = 0;
  llvm::DenseMap<mlir::Operation *, int64_t> numbers;
  llvm::DenseMap<mlir::Value, Uses> uses;
  llvm::DenseSet<mlir::Value> results;
};

/// The blocks of a function in which launches are, from the outside inwards.
llvm::SmallVector<mlir::Block *> getLaunchBlocks(FuncOp fn);

/// Moves launches behind the first of them, which stays where it is, and what
/// defines their buffers before it.
void gatherLaunches(llvm::ArrayRef<LaunchOp> launches);

/// Makes one launch of \p kernel of launches, in place of the first of them.
LaunchOp joinLaunches(llvm::ArrayRef<LaunchOp> launches, KernelOp kernel,
                      sym::ShapeAttr symbols);

} // namespace coil::wrapper

#endif // COIL_LIB_CONVERSION_LOOPTOGPU_LAUNCHMOTION_H
