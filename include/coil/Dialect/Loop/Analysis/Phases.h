//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a kernel runs on one point of its parallel dimensions: phases, what each
// computes, and what may be kept from one to the next. The scheduler decides
// with it and conversions check with it.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_LOOP_ANALYSIS_PHASES_H
#define COIL_DIALECT_LOOP_ANALYSIS_PHASES_H

#include "coil/Dialect/Loop/IR/Loop.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace coil::loop {

/// Phase 0 is one loop over the reduced dimensions that computes the
/// reductions that need no other, phase 1 those that need phase 0, and so on.
class Phases {
public:
  explicit Phases(KernelOp kernel);

  const DimDependence &getDimDependence() const { return dependence; }
  unsigned size() const { return count; }
  /// The phase that `op` belongs to: the earliest that can compute it.
  unsigned operator[](mlir::Operation *op) const { return phaseOf.lookup(op); }
  /// Whether what `op` computes or stores varies over a reduced dimension.
  bool isInner(mlir::Operation *op) const;
  /// What the loop of `phase` computes at each of its points, in order.
  /// Operands of the ops in `kept` are not asked for: those are read back.
  llvm::SmallVector<mlir::Operation *>
  getSlice(unsigned phase,
           const llvm::DenseSet<mlir::Operation *> &kept = {}) const;

private:
  KernelOp kernel;
  DimDependence dependence;
  llvm::SmallBitVector reduced;
  unsigned count = 1;
  llvm::DenseMap<mlir::Operation *, unsigned> phaseOf;
};

/// Returns the first phase that computes `op` when result `output` of the
/// kernel may hold its value from then until the result itself is stored.
/// Otherwise returns nothing and says why in `why`.
///
/// The result then has one element for each point of the space, the value fits
/// it and varies over all dimensions that it has, and a later phase needs it.
/// No operand is overwritten: a kernel that reduces never shares storage
/// between an operand and a result (`getInPlacePairs`).
std::optional<unsigned> getKeepPhase(const Phases &phases, KernelOp kernel,
                                     unsigned output, mlir::Operation *op,
                                     std::string &why);

/// Whether a CPU may measure values of `op` in `f32`, from the first of a few:
/// they are floats of 16 bits. Values of `f32` would lose digits where that one
/// is far from the others.
bool hasNarrowSamples(WelfordOp op);

/// Vectors of such values from which on that is done: some 40 instructions for
/// eight vectors, the extension of two sums included. As two vectors of `f64`
/// each would take eight.
constexpr int64_t kMomentGroup = 8;

/// Most bytes of values that a task keeps in memory of its own: on the stack of
/// whatever thread runs it.
constexpr int64_t kMaxScratchBytes = 131072;

/// Bytes that a point's values of `type` along the reduced dimensions take
/// where a task keeps them itself, the result being streamed; nothing when they
/// may be more than `kMaxScratchBytes`.
std::optional<int64_t> getScratchBytes(KernelOp kernel, mlir::Type type);

/// Returns whether the reductions of `kernel` can go over whole rows along the
/// parallel dimension `vectorDim`, with an accumulator for each element of the
/// row: all reductions are in one phase, vary over `vectorDim`, and only what
/// they result in is stored, or what is reduced by a kernel of its own, with
/// `storesApart`. Otherwise says why in `why`.
bool canReduceRows(const Phases &phases, KernelOp kernel, unsigned vectorDim,
                   std::string &why, bool storesApart = false);

/// Bytes of the accumulators of one element of such a row.
int64_t getAccumulatorBytes(KernelOp kernel);

/// What one step along dimension `d` adds to the position that `load` reads;
/// nothing where that is not linear in `d`.
std::optional<sym::ExprAttr>
getStep(KernelOp kernel, const sym::Context &context, LoadOp load, unsigned d);

/// The dimension other than `vectorDim` along which an operand of a pointwise
/// kernel lies in rows that are long enough for tiles which are transposed;
/// none for a load under a mask or at an indirect index.
std::optional<unsigned> findRows(KernelOp kernel, const sym::Context &context,
                                 LoadOp load, unsigned vectorDim);

/// Whether such a step goes to a neighbour, forwards or backwards: vectors of
/// these are loaded and stored as a whole, backwards ones with their lanes
/// reversed.
inline bool isNeighbour(std::optional<sym::ExprAttr> step) {
  return step && (step->isConstant(1) || step->isConstant(-1));
}

/// How many elements of so many bytes lanes with such a step are apart, where
/// that is few enough to access all between the first and the last in a row:
/// the lanes are picked from at most four registers of 32-bit lanes, by three
/// permutations of two of them, where a gather takes a load and an insertion
/// for each lane.
inline std::optional<int64_t> getSmallStep(std::optional<sym::ExprAttr> step,
                                           unsigned bytes) {
  constexpr int64_t kMaxBytesBetween = 16;
  if (!step || !step->isConstant() || step->getValue() < 2 ||
      step->getValue() > kMaxBytesBetween / bytes)
    return std::nullopt;
  return step->getValue();
}

/// Whether vectors may lie along dimension `d` as far as scans and scatters of
/// `kernel`, which take its points in order, are concerned: no scatter is over
/// it, and scans combine the lanes of a vector where it is the last dimension
/// that they are over. Otherwise says why in `why`.
bool canVectorizeInOrder(KernelOp kernel, unsigned d, std::string &why);

/// The dimension to vectorise: the one along which most accesses have stride
/// one, the inner of equals; -1 when all are too short. Never one along which
/// points have to be taken one by one (`canVectorizeInOrder`), nor, in a kernel
/// that scans or scatters, one without an advantage.
int64_t selectVectorDim(KernelOp kernel, const DimDependence &dependence,
                        const sym::Context &context);

/// Whether vectors of results of a kernel that reduces walk rows of operands:
/// then results that lie next to one another are reduced together, where no
/// elements are stored, too.
bool sharesRows(KernelOp kernel);

} // namespace coil::loop

#endif // COIL_DIALECT_LOOP_ANALYSIS_PHASES_H
