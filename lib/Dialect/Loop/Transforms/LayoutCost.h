//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What threads move to access tensors, by the steps between elements: the model
// that `loop-assign-layouts` decides by. `docs/Layouts.md` states it.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DIALECT_LOOP_TRANSFORMS_LAYOUTCOST_H
#define COIL_LIB_DIALECT_LOOP_TRANSFORMS_LAYOUTCOST_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace coil::loop {

/// Elements between neighbours along each dimension of the space, for one load
/// or store.
struct AccessSteps {
  llvm::SmallVector<double> steps;
  double elementBytes = 0;
};

/// How threads go through a space: the dimension that neighbouring lanes are
/// neighbours along, and, where a tile passes through shared memory, the other
/// one of the tile, or -1.
struct Walk {
  unsigned laneDim;
  int64_t tileDim = -1;
};

/// The points that a kernel computes.
struct WalkedSpace {
  llvm::SmallVector<double> extents;
  llvm::SmallBitVector reduced;
  /// Lanes of a warp times the elements of a vector.
  double lanes = 32;
  /// Multiprocessors that the results have to keep busy by themselves; 0 where
  /// nothing is reduced, or a reduction can be cut into chunks.
  double processors = 0;

  double getNumPoints() const;
  /// The way that `loop-select-gpu-schedule` chooses: the dimension along
  /// which most bytes are contiguous, strided ones counting against it, and,
  /// where nothing is reduced, that along which most of the others are.
  Walk getUsualWalk(llvm::ArrayRef<AccessSteps> accesses) const;
  /// The part of the processors that has something to do.
  double getUsedPart(Walk walk, double widestBytes) const;
  /// Bytes of all sectors that the access asks memory for.
  double getBytes(const AccessSteps &access, Walk walk) const;

private:
  double getElements(const AccessSteps &access) const;
  /// The extent of a dimension together with those that all accesses walk as
  /// one with it.
  double getJoinedExtent(unsigned dim,
                         llvm::ArrayRef<AccessSteps> accesses) const;
  /// Points along each dimension that are accessed together: `points` of them,
  /// first along the innermost dimensions of `order`.
  llvm::SmallVector<double> fill(llvm::ArrayRef<unsigned> order,
                                 double points) const;
};

/// Bytes of the copy of a tensor from one layout to another.
double getCopyBytes(llvm::ArrayRef<double> sizes, llvm::ArrayRef<double> from,
                    llvm::ArrayRef<double> to, double elementBytes,
                    double lanes);

} // namespace coil::loop

#endif // COIL_LIB_DIALECT_LOOP_TRANSFORMS_LAYOUTCOST_H
