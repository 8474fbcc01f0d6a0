//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The strategy `box`: a block computes a tile of several dimensions, in one
// order of its points; accesses that have another order in memory are *staged*:
// they happen in their own order, and the elements pass through shared memory.
// The scheduler compares boxes with this, the emitter applies the one that was
// chosen.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_CONVERSION_LOOPTOGPU_BOXFORM_H
#define COIL_LIB_CONVERSION_LOOPTOGPU_BOXFORM_H

#include "VectorForm.h"

namespace coil::loop {

/// One dimension of a box and how many points it has there.
struct BoxSide {
  unsigned dim;
  int64_t size;
};

/// How threads go over the points of a box in an order: neighbouring threads
/// have neighbouring points of the first sides, the *inner* ones, and groups of
/// such threads have points of the others, the *outer* ones. A thread takes
/// several outer points, as many apart as there are groups.
struct BoxOrder {
  /// The innermost one first.
  llvm::SmallVector<BoxSide> sides;
  unsigned numInner = 0;
  /// Points of the inner sides, and of the outer ones.
  int64_t inner = 1, outer = 1;
  int64_t groups = 1;

  int64_t getNumItems() const { return llvm::divideCeil(outer, groups); }
  int64_t getNumPoints() const { return inner * outer; }
  /// Whether the outer points of a thread lie constant distances apart.
  bool isPeriodic() const;
  /// Instructions that find the points of a thread, roughly.
  double getCost() const;
};

/// The order in which `threads` need the fewest instructions.
BoxOrder getBoxOrder(llvm::ArrayRef<BoxSide> sides, int64_t threads);

/// What an access of a kernel steps along each dimension, in elements.
struct BoxAccess {
  mlir::Operation *op;
  mlir::Type scalar;
  int64_t bytes;
  /// For each dimension of the kernel; 0 where it does not vary.
  llvm::SmallVector<double> steps;
  /// Whether the access is a load or a store with a constant step along each
  /// dimension.
  bool isLinear = true;
  /// Whether the access is a load whose mask, or what it has where that does
  /// not hold, varies along a dimension that its address does not: what is
  /// staged are the elements of memory, and points choose.
  bool choosesAtPoints = false;

  /// How many points lie next to each other in memory if the innermost ones of
  /// `sides` come first; dimensions along which the access does not vary count
  /// as nothing.
  int64_t getRun(llvm::ArrayRef<BoxSide> sides,
                 llvm::ArrayRef<double> extents) const;
  /// The sides along which the access varies, the smallest step first.
  llvm::SmallVector<BoxSide> getOwnOrder(llvm::ArrayRef<BoxSide> sides) const;
  /// Whether the access is staged in a box.
  bool isStaged(llvm::ArrayRef<BoxSide> sides,
                llvm::ArrayRef<double> extents) const;
};

/// All loads and stores of a kernel.
llvm::SmallVector<BoxAccess> getBoxAccesses(KernelOp kernel,
                                            const GPUKernelLayout &layout);
/// Expected extents of the kernel's dimensions; negative where they are not
/// constants, so that no size of a box is known to be all of them.
llvm::SmallVector<double> getBoxExtents(KernelOp kernel);

/// The dimensions in the order in which blocks go through them, the outermost
/// first: that in which what `blocks` successive ones access together is in the
/// fewest pieces of memory. They are under way together, and what one of them
/// leaves of a line of memory another one takes from the cache.
llvm::SmallVector<unsigned> getBoxBlockOrder(llvm::ArrayRef<BoxAccess> accesses,
                                             llvm::ArrayRef<BoxSide> sides,
                                             llvm::ArrayRef<double> extents,
                                             int64_t blocks);

/// Where the elements of a staged access lie in shared memory.
struct BoxPlaces {
  /// Elements from one point to the next, for each dimension of the kernel.
  llvm::SmallVector<int64_t> steps;
  int64_t elements = 1;
};
/// Places of few bank conflicts between the access's order and the box's.
BoxPlaces getBoxPlaces(const BoxAccess &access, llvm::ArrayRef<BoxSide> sides);

} // namespace coil::loop

#endif // COIL_LIB_CONVERSION_LOOPTOGPU_BOXFORM_H
