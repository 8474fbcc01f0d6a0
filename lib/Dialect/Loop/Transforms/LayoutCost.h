//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What threads move to access tensors, by the steps between elements: the model
// that `loop-assign-layouts` decides by. `docs/concepts/Layouts.md` states it.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DIALECT_LOOP_TRANSFORMS_LAYOUTCOST_H
#define COIL_LIB_DIALECT_LOOP_TRANSFORMS_LAYOUTCOST_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace coil::loop {

/// Elements between neighbours along each dimension of the space, for one load
/// or store.
struct AccessSteps {
  llvm::SmallVector<double> steps;
  double elementBytes = 0;
  bool isStore = false;
};

/// How threads go through a space: the dimension that neighbouring lanes are
/// neighbours along, and, where a tile passes through shared memory, the other
/// one of the tile, or -1.
struct Walk {
  unsigned laneDim;
  int64_t tileDim = -1;
};

/// The threads that walk.
struct WalkingThreads {
  /// Lanes of a warp.
  double warp = 32;
  /// Multiprocessors that results have to keep busy by themselves; 0 where
  /// nothing is reduced, or a reduction is cut into chunks later.
  double processors = 0;
  /// All multiprocessors; 0 where they are not known.
  double multiprocessors = 0;
};

/// The points of a kernel and what they access.
class WalkedSpace {
public:
  WalkedSpace(llvm::ArrayRef<double> extents, llvm::SmallBitVector reduced,
              llvm::ArrayRef<AccessSteps> accesses, WalkingThreads threads);

  /// The way that `loop-select-gpu-schedule` chooses: the dimension along
  /// which most bytes are contiguous, strided ones counting against it, and,
  /// where nothing is reduced, that along which most of the others are.
  Walk getUsualWalk() const;
  /// The dimension, of those given, that is innermost in one of this space.
  unsigned getInnermost(unsigned dim) const { return innermost[dim]; }
  /// The part of the processors that the usual walk keeps busy.
  double getUsedPart() const;
  /// Whether tiles of several dimensions are taken where operands want them,
  /// the strategy `box` of `loop-select-gpu-schedule`.
  bool hasBoxes() const;
  /// Bytes of all sectors that accesses ask memory for on the usual walk.
  /// Where that keeps only a part of the processors busy, bytes count for the
  /// others, too.
  double getBytes() const;
  /// The same if each element were asked for by itself.
  double getLeastBytes() const;

private:
  /// Joins dimensions that every access walks as one.
  void join();
  double getNumPoints() const;
  double getElements(const AccessSteps &access) const;
  bool isLarge(const AccessSteps &access) const {
    return 2 * getElements(access) >= getNumPoints();
  }
  double getBytes(const AccessSteps &access, Walk walk) const;
  /// Whether the elements of a block's points are one run of memory.
  bool isDenseInBlock(const AccessSteps &access,
                      llvm::ArrayRef<unsigned> order) const;
  /// Bytes of each element of an operand that passes through shared memory
  /// where threads have columns of it and its elements lie along these; none
  /// for others.
  std::optional<double> getStagedBytes(const AccessSteps &access,
                                       unsigned lane) const;
  /// Points along each dimension that are accessed together: `points` of them,
  /// first along the innermost dimensions of `order`.
  llvm::SmallVector<double> fill(llvm::ArrayRef<unsigned> order,
                                 double points) const;

  llvm::SmallVector<double> extents;
  llvm::SmallBitVector reduced;
  llvm::SmallVector<AccessSteps> accesses;
  llvm::SmallVector<unsigned> innermost;
  WalkingThreads threads;
  /// Bytes of the widest element of which there are many.
  double widest = 1;
};

} // namespace coil::loop

#endif // COIL_LIB_DIALECT_LOOP_TRANSFORMS_LAYOUTCOST_H
