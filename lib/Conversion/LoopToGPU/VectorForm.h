//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a kernel looks like when consecutive points of one dimension are the
// lanes of a vector: which values have lanes, which accesses are contiguous and
// how well they are aligned. The scheduler compares candidates with it, the
// emitter applies the one that was chosen.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_CONVERSION_LOOPTOGPU_VECTORFORM_H
#define COIL_LIB_CONVERSION_LOOPTOGPU_VECTORFORM_H

#include "coil/Dialect/Loop/IR/Loop.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <optional>

namespace coil::loop {

class SegmentSumOp;

/// Bytes of the widest access of one thread, and of a word.
inline constexpr int64_t kAccessBytes = 16, kWordBytes = 4;
/// Bytes of a line of the L1 cache, and of a sector, which memory reads and
/// writes at a time (CUDA C++ Programming Guide, "Global Memory" of each
/// capability, and "Device Memory Accesses").
inline constexpr int64_t kLineBytes = 128, kSectorBytes = 32;

/// Strides and symbols of a kernel's buffers.
struct GPUKernelLayout {
  /// Element strides of every input, then of every output.
  llvm::SmallVector<llvm::SmallVector<sym::ExprAttr>> strides;
  /// Symbols in the order of the kernel's arguments.
  llvm::SmallVector<mlir::StringAttr> symbols;
  /// Whether a buffer may be both read and written.
  llvm::SmallVector<bool> mayAlias;
  /// Bytes that the address of each buffer is a multiple of.
  llvm::SmallVector<int64_t> alignment;
};

GPUKernelLayout getGPUKernelLayout(wrapper::KernelOp kernel);

/// The dimensions whose points a GPU takes together: those that the body
/// reduces or scans over, and columns that it accumulates. A scatter alone
/// combines elements atomically, so its points are parallel unless it is
/// `ordered`.
llvm::SmallVector<unsigned> getGPUReducedDims(KernelOp kernel, bool ordered);

/// An expression that is linear in the lane up to the point, one in each
/// `length`, from which it goes on elsewhere: a row that ends in the middle of
/// a vector. A vector meets at most one such point.
struct Pieces {
  /// Constant, and at least as many as there are lanes.
  int64_t length;
  /// Where lane zero is in its piece, up to a multiple of `length`.
  sym::ExprAttr position;
  /// What one lane adds within a piece.
  int64_t step;
};

/// Where an access is, in elements.
struct LaneAddress {
  /// The address of lane zero, over points of which the vector dimension counts
  /// vectors.
  sym::ExprAttr base;
  /// The address of any lane; mentions the lane.
  sym::ExprAttr full;
  /// What one lane adds, if that is the same for all; else null.
  sym::ExprAttr step;
  /// Without `step`: what is known of it all the same.
  std::optional<Pieces> pieces;
  /// Where both pieces that a vector may meet have one address each: that of
  /// the first lane and that of the last one, or of the last point where a lane
  /// is behind it. Both are in the buffer whatever the vector.
  sym::ExprAttr first, last;
  /// Largest power of two up to the width that divides `base`.
  int64_t alignment = 1;

  bool isContiguous() const { return step && step.isConstant(1); }
  bool isUniform() const { return step && step.isConstant(0); }
};

class VectorForm {
public:
  /// `alignTo`: the buffer at whose aligned addresses vectors begin, or -1.
  VectorForm(KernelOp kernel, const GPUKernelLayout &layout, int64_t vectorDim,
             int64_t width, int64_t alignTo = -1);

  /// `e` with `width * q + lane` for the vector dimension, where `q` goes by
  /// its name from now on.
  sym::ExprAttr atPoint(sym::ExprAttr e) const;
  /// `e` at one lane of a vector, or at the last point where that is before.
  sym::ExprAttr atPointInside(sym::ExprAttr e, int64_t number) const;
  sym::ExprAttr getLane() const { return lane; }
  /// The pieces of an expression at points, if it has any.
  std::optional<Pieces> getPieces(sym::ExprAttr e) const;
  /// `e` at one lane.
  sym::ExprAttr atLane(sym::ExprAttr e, int64_t number) const;
  /// Ranges of the points: vectors along the vector dimension, then the lane.
  const sym::Context &getContext() const { return context; }

  /// Whether a value of the body has lanes.
  bool isVector(mlir::Value v) const { return vectors.contains(v); }
  /// Whether `op` compares so that all lanes agree with lane zero, although its
  /// operands have lanes.
  bool isUniformCompare(mlir::Operation *op) const {
    return uniform.contains(op);
  }
  LaneAddress getAddress(LoadOp load) const;
  LaneAddress getAddress(StoreOp store) const;
  LaneAddress getAddress(ScatterOp scatter) const;
  LaneAddress getAddress(AccumulateOp accumulate) const;
  LaneAddress getAddress(SegmentSumOp sum) const;
  /// Of a load, a store, a scatter or a sum of rows.
  LaneAddress getAddress(mlir::Operation *access) const;
  /// Whether the lanes of an access use consecutive elements.
  bool isContiguous(mlir::Operation *access) const;
  /// Whether they use elements apart from each other.
  bool isStrided(mlir::Operation *access) const;
  /// Whether all vectors are whole.
  bool isExact() const { return exact; }
  /// How many lanes of vector zero lie before the first point, an expression
  /// over the other dimensions; null if vectors begin at the first point.
  sym::ExprAttr getShift() const { return shift; }

private:
  LaneAddress getAddress(llvm::ArrayRef<sym::ExprAttr> indices, size_t buffer,
                         mlir::Type element) const;
  int64_t getAlignment(sym::ExprAttr e) const;
  /// `e` as it is within a piece; null if that is not linear. Adds the divided
  /// expressions at lane zero, and their divisors.
  sym::ExprAttr withinPiece(
      sym::ExprAttr e,
      llvm::SmallVectorImpl<std::pair<sym::ExprAttr, int64_t>> &divided) const;
  /// `e` with the only position, zero, of each dimension of extent one other
  /// than the vector dimension. Such a dimension would hide what an address is
  /// a multiple of, and make the start of a row depend on a reduced dimension.
  sym::ExprAttr dropUnitDims(sym::ExprAttr e) const;
  bool compareIsUniform(mlir::Operation *op) const;
  sym::ExprAttr computeShift(int64_t buffer) const;

  mutable KernelOp kernel;
  const GPUKernelLayout *layout;
  int64_t vectorDim, width;
  bool exact = true;
  sym::ExprAttr lane, shift;
  sym::Context context;
  llvm::DenseSet<mlir::Value> vectors;
  llvm::DenseSet<mlir::Operation *> uniform;
};

/// Whether a load of `width` contiguous elements, which begin at a multiple of
/// `alignment` of them, loads the aligned vectors around them and shifts.
/// Several such loads of a thread happen together; `isShiftedAlone`: one by
/// itself does, too.
/// @{
bool isShifted(int64_t width, int64_t elementBytes, int64_t alignment);
bool isShiftedAlone(int64_t width, int64_t elementBytes, int64_t alignment);
/// @}

/// The expression of a position or of a constant number of a body; null for
/// other values.
sym::ExprAttr getPosition(mlir::Value v);

/// Whether every value of `e` is provably a multiple of `by`.
bool isDivisible(sym::ExprAttr e, int64_t by);

/// Whether `e` and all its parts stay inside 32-bit integers.
bool fits32(const sym::Context &context, sym::ExprAttr e);

} // namespace coil::loop

#endif // COIL_LIB_CONVERSION_LOOPTOGPU_VECTORFORM_H
