//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits the CPU code of one loop kernel.
//
// The kernel's dimensions are cut into *parallel* ones (nothing reduces over
// them) and *reduced* ones. One task is a point of the parallel dimensions, or,
// when a parallel dimension is vectorised, a block of it. For each point the
// body runs in phases: phase 0 loops over the reduced dimensions and computes
// the reductions that need no other, phase 1 those that need phase 0, and so
// on; values that vary over reduced dimensions are recomputed in every phase
// that needs them (their operands are in cache by then), unless the schedule
// keeps them in the elements of a result that is stored later. Values that do
// not vary over reduced dimensions are computed once, between the loops.
//
// Long sums are cascaded: chains of a bounded number of additions start from
// zero, and their results are added to a compensated total, so that the error
// does not grow with the length of the sum. Moments are accumulated in `f64`.
//
// With `rows` in the schedule a task is a block of the vectorised dimension as
// a whole: the reduced dimensions are walked outside, the block inside, with
// accumulators in memory.
//
// Values that vary over the vector dimension are vectors, in `unroll` copies;
// all others are scalars. The remainder of a vectorised loop runs one masked
// vector at a time.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_CONVERSION_LOOPTOCPU_KERNELEMITTER_H
#define COIL_LIB_CONVERSION_LOOPTOCPU_KERNELEMITTER_H

#include "coil/Conversion/LoopToCPU/LoopToCPU.h"
#include "coil/Conversion/Utils/Combine.h"
#include "coil/Conversion/Utils/Compensated.h"
#include "coil/Dialect/Loop/Analysis/Phases.h"
#include "coil/Dialect/Loop/Analysis/Precision.h"
#include "coil/Dialect/Loop/Analysis/SelectArms.h"
#include "coil/Dialect/Loop/IR/Loop.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/MapVector.h"

namespace coil::loop {

class SegmentSumOp;

/// The copies of one body value: one scalar, or `unroll` vectors.
using Copies = llvm::SmallVector<mlir::Value, 4>;

class KernelEmitter {
public:
  /// `approximate`: less exact arithmetic where results are rounded more
  /// coarsely.
  KernelEmitter(KernelOp kernel, const CPUKernelLayout &layout,
                bool approximate);

  /// Emits the function; returns null after an error.
  mlir::Operation *emit(mlir::OpBuilder &builder, llvm::StringRef name);
  /// Number of tasks, an expression over symbols. Valid after `emit`.
  sym::ExprAttr getTotal() const { return total; }

private:
  //===--- Structure (KernelEmitter.cpp) ----------------------------------===//

  void analyze();
  void keep(unsigned output, int64_t number);
  void findOnceATask();
  mlir::LogicalResult emitTask(mlir::Value task);
  /// Emits `body` for the steps of vectors from `begin` to `end`.
  mlir::LogicalResult
  emitColumns(mlir::Value begin, mlir::Value end,
              llvm::function_ref<mlir::LogicalResult()> body);
  mlir::LogicalResult emitPoint();
  mlir::LogicalResult emitPhase(unsigned phase);
  /// What the loop of a phase has to compute.
  llvm::SmallVector<mlir::Operation *> getSlice(unsigned phase) const;
  /// Emits a loop over reduced dimension number `depth`; `accumulators` are
  /// carried through.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  emitReducedLoop(unsigned depth, llvm::ArrayRef<mlir::Value> accumulators,
                  llvm::ArrayRef<mlir::Operation *> slice);
  /// Emits a loop over positions of dimension `dim`; `accumulators` are carried
  /// through.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> emitLoopOver(
      unsigned dim, mlir::Value begin, mlir::Value end, int64_t step,
      llvm::ArrayRef<mlir::Value> accumulators,
      llvm::function_ref<mlir::FailureOr<llvm::SmallVector<mlir::Value>>(
          llvm::ArrayRef<mlir::Value>)>
          body);
  mlir::LogicalResult emitOp(mlir::Operation *op);

  //===--- Choices by position (EmitSelect.cpp) ---------------------------===//

  /// Finds the ops in branches. Those that are computed once a task have no
  /// branch in the loop.
  void findArms();
  /// Emits an op of a loop, unless a select takes it into a branch of its own.
  mlir::LogicalResult emitStep(mlir::Operation *op);
  /// Emits an op, and what only it needs in branches before it.
  mlir::LogicalResult emitWithArms(mlir::Operation *op);
  mlir::LogicalResult emitArm(const SelectArm &arm);
  /// Emits a branch of which both sides, emitted where the condition holds and
  /// where not, give `result` its copies.
  mlir::LogicalResult
  emitBranch(mlir::Value condition, mlir::Value result,
             llvm::function_ref<mlir::LogicalResult(bool)> emitSide);
  /// Whether a condition is `isTrue` in any lane of any copy.
  mlir::Value emitAny(mlir::Value condition, bool isTrue);
  /// A load whose mask depends on positions alone.
  mlir::LogicalResult emitMaskedLoad(LoadOp load);

  //===--- Reductions by rows (EmitRows.cpp) ------------------------------===//

  /// Allocates the accumulators before all loops.
  void allocateRows();
  mlir::LogicalResult emitRows(mlir::Value begin, mlir::Value end);
  /// Emits the loops over reduced dimensions from number `depth` on.
  mlir::LogicalResult emitRowLoops(unsigned depth, mlir::Value begin,
                                   mlir::Value end);
  /// Emits the accumulation of `count` rows, of which the first is current.
  mlir::LogicalResult emitRowStep(int64_t count, mlir::Value begin,
                                  mlir::Value end);
  /// Address in the memory of an accumulator at the current step.
  mlir::Value rowPointer(mlir::Value memory, mlir::Type scalar,
                         mlir::Value begin, unsigned copy);
  /// Loads and stores the accumulators of `op`, the first being number `first`,
  /// in the order of `accumulate`.
  llvm::SmallVector<mlir::Value> loadRows(mlir::Operation *op, unsigned first,
                                          mlir::Value begin);
  void storeRows(mlir::Operation *op, unsigned first, mlir::Value begin,
                 llvm::ArrayRef<mlir::Value> accumulators);
  /// Allocates the compensated totals of long sums and the counter of rows
  /// since they were last updated, and sets totals to zero at the current step.
  /// @{
  void allocateRowTotals();
  void startRowTotals(mlir::Value begin);
  /// @}
  /// Counts `count` more rows, and adds the accumulators of sums to their
  /// totals once a chain is as long as it may get.
  mlir::LogicalResult emitRowTotals(int64_t count, mlir::Value begin,
                                    mlir::Value end);
  /// Adds the totals of sum number `first` to its accumulators.
  void addRowTotals(unsigned first, mlir::Value begin,
                    llvm::MutableArrayRef<mlir::Value> accumulators);

  //===--- Scalars and vectors (EmitValues.cpp) ---------------------------===//

  mlir::Value constantIndex(int64_t value);
  /// Value of an expression over symbols and dimensions at the current point;
  /// the vector dimension counts as its first lane of copy `copy`.
  mlir::Value scalarExpr(sym::ExprAttr expr, unsigned copy = 0,
                         llvm::ArrayRef<mlir::Value> args = {});
  /// The same for every lane, a vector of i64.
  mlir::Value vectorExpr(sym::ExprAttr expr, unsigned copy,
                         llvm::ArrayRef<mlir::Value> args = {});
  mlir::Value laneNumbers();
  mlir::Value broadcast(mlir::Value value);
  bool isVector(mlir::Value v) const {
    return llvm::isa<mlir::VectorType>(v.getType());
  }
  unsigned numCopies() const { return copies; }
  Copies &lookup(mlir::Value v);
  mlir::Value lookup(mlir::Value v, unsigned copy);
  mlir::LogicalResult emitArith(mlir::Operation *op);
  /// The flags that vectors of `op` get where results are rounded to 16 bits.
  mlir::arith::FastMathFlags getFlags(mlir::Operation *op);
  mlir::LogicalResult emitSpecial(SpecialOp op);
  void emitRandom(PhiloxOp op);
  mlir::Value tailMask(unsigned copy) const {
    return masks.empty() ? mlir::Value() : masks[copy];
  }
  bool variesOverVector(mlir::Value v) const;

  //===--- Memory (EmitMemory.cpp) ----------------------------------------===//

  /// Where the elements of vectors are known to lie: one after the other, or
  /// anywhere.
  enum class Placement : uint8_t { Unknown, Row, Gather };
  mlir::LogicalResult emitLoad(LoadOp load,
                               Placement placement = Placement::Unknown);
  /// One copy of a load along the vector dimension.
  mlir::Value emitVectorLoad(LoadOp load, sym::ExprAttr address, unsigned copy,
                             llvm::ArrayRef<mlir::Value> args,
                             mlir::Value active, Placement placement);
  mlir::LogicalResult emitStore(StoreOp store, mlir::Value value);
  mlir::LogicalResult emitScatter(ScatterOp scatter);
  /// Applies the bounds policy to the arguments that are indices by themselves;
  /// returns the condition under which to access, null for always.
  mlir::Value emitBounds(llvm::ArrayRef<sym::ExprAttr> indices,
                         llvm::ArrayRef<sym::ExprAttr> sizes,
                         BoundsPolicy policy,
                         llvm::MutableArrayRef<mlir::Value> args,
                         mlir::Value active);
  /// Stores neighbouring vectors past the caches where they are aligned.
  void emitStreamedStores(llvm::ArrayRef<mlir::Value> vectors,
                          llvm::ArrayRef<mlir::Value> pointers,
                          unsigned alignment);
  /// Stores a kept value, and loads it: in the elements of the result of
  /// `store`, or in the task's own memory where the result is streamed.
  /// @{
  mlir::LogicalResult emitKeptStore(StoreOp store, mlir::Value value);
  mlir::LogicalResult emitKeptLoad(StoreOp store, mlir::Value value);
  /// @}
  /// Makes the memory of values that streamed results cannot keep, in front of
  /// all loops.
  void allocateScratch();
  /// Address of the current point's value in the memory for result `output`.
  mlir::Value scratchPointer(unsigned output, mlir::Type type, unsigned copy);
  /// A load of a whole vector, masked when `active` is not null.
  mlir::Value loadVector(mlir::Value pointer, mlir::VectorType type,
                         mlir::Value active, mlir::Value other,
                         unsigned alignment);
  /// Brings what the first loop of the next point would wait for: in the second
  /// loop that reads it, which finds its own in the first cache, or, where rows
  /// are longer than that, in the last.
  void emitPrefetches();
  void emitPrefetch(LoadOp load);
  sym::ExprAttr linearAddress(llvm::ArrayRef<sym::ExprAttr> indices,
                              llvm::ArrayRef<sym::ExprAttr> strides);
  /// Applies the bounds policy to an indirect index: returns the index to use
  /// and, when lanes may be invalid, a condition under which to access.
  std::pair<mlir::Value, mlir::Value> emitBounds(mlir::Value index,
                                                 sym::ExprAttr size,
                                                 BoundsPolicy policy,
                                                 mlir::Value active);
  mlir::Value elementPointer(mlir::Value base, mlir::Type element,
                             mlir::Value offset);
  /// The type that elements have in memory: a bool takes a byte, a float of 8
  /// bits is one.
  static mlir::Type memoryType(mlir::Type scalar);
  static unsigned elementBytes(mlir::Type scalar);
  mlir::Value fromMemory(mlir::Value v, mlir::Type scalar);
  mlir::Value toMemory(mlir::Value v);

  //===--- Operands in pieces (EmitPieces.cpp) ----------------------------===//

  /// Emits a load whose address may step by one along the vector dimension, but
  /// for the ends of pieces: of rows, or of lanes one by one where the vectors
  /// of a step do not lie within a piece. Returns whether the address is of
  /// this form; nothing is emitted if not.
  mlir::FailureOr<bool> emitPieces(LoadOp load, sym::ExprAttr address);

  //===--- Transposed operands (EmitTranspose.cpp) ------------------------===//

  /// Finds the operands that lie in rows along the transposed dimension, and
  /// allocates their tiles before all loops.
  void allocateTiles();
  /// Emits the steps of a task from `begin` to `end` along the vector
  /// dimension, for `transpose_block` points along the transposed one.
  mlir::LogicalResult emitTransposed(mlir::Value begin, mlir::Value end);
  /// Emits one tile: transposes operands, and the body for each of `count`
  /// points from `first` on. `active`: which of them there are, null for all.
  mlir::LogicalResult emitTile(mlir::Value first, mlir::Value count,
                               mlir::Value active);
  /// Brings the tile of one operand into its memory.
  void loadTile(LoadOp load, mlir::Value first, mlir::Value active);
  /// That of each vector of a tile.
  unsigned getTileAlignment(mlir::Type scalar) const;
  /// Loads a vector of the current tile; null for a load without one.
  mlir::Value loadFromTile(LoadOp load);

  //===--- Sums of rows (EmitRowSum.cpp) ----------------------------------===//

  mlir::LogicalResult emitGatherSum(SegmentSumOp op);
  /// The sum of one copy, of whole vectors or of the element of lane `lane`.
  mlir::Value sumRange(SegmentSumOp op, sym::ExprAttr address, unsigned copy,
                       int64_t lane, bool isWhole);

  //===--- Reductions (EmitReduce.cpp) ------------------------------------===//

  /// Whether the accumulators of `op` are pairs: a product and what rounding
  /// took from it.
  static bool isCompensatedProduct(mlir::Operation *op);
  /// Multiplies the pair by the copies of the current step.
  void accumulateProduct(mlir::Operation *op,
                         llvm::MutableArrayRef<mlir::Value> pair,
                         llvm::ArrayRef<mlir::Value> factors);
  /// The product of all lanes of a pair.
  Compensated multiplyLanes(Compensated lanes);
  /// A neutral value for each operand of `op`, as scalars.
  llvm::SmallVector<mlir::Value> neutral(mlir::Operation *op);
  /// What the accumulators of one copy of `op` start from, as scalars.
  llvm::SmallVector<mlir::Value> startAccumulators(mlir::Operation *op);
  /// Merges copies and lanes of accumulators to the reduction's results.
  void finishReduction(mlir::Operation *op,
                       llvm::ArrayRef<mlir::Value> accumulators);
  /// One step: accumulators after the values of the current point(s).
  void accumulate(mlir::Operation *op,
                  llvm::MutableArrayRef<mlir::Value> accumulators);
  /// Positions of an arg-reduction: in half the bits where these are enough,
  /// and as a result.
  /// @{
  bool hasNarrowPositions(ArgReduceOp op) const;
  mlir::Value toNarrowPosition(ArgReduceOp op, mlir::Value position);
  mlir::Value finishPosition(ArgReduceOp op, mlir::Value position);
  /// @}

  //===--- Moments (EmitWelford.cpp) --------------------------------------===//

  /// One copy of a sample op's operands at the current point.
  Sample getSample(WelfordOp op, unsigned copy);
  /// Adds samples of one copy to its accumulators.
  void addSamples(WelfordOp op, llvm::MutableArrayRef<mlir::Value> accumulators,
                  llvm::ArrayRef<Sample> samples);
  /// Whether `op` takes moments of `f64`: the pivot follows the mean, and what
  /// the sum of squares loses is an accumulator of its own.
  static bool isExact(mlir::Operation *op);
  /// Moves the pivot to about the mean; `squares` are not yet in the sum of
  /// squares.
  void followMean(llvm::MutableArrayRef<mlir::Value> accumulators,
                  mlir::Value squares);
  /// What a chain of steps begins with, and where the pivot follows after it;
  /// `before` is what there was before the chain.
  /// @{
  void startChain(llvm::MutableArrayRef<mlir::Value> accumulators);
  void finishChain(llvm::MutableArrayRef<mlir::Value> accumulators,
                   llvm::ArrayRef<mlir::Value> before);
  /// @}
  /// Whether the number of values is an accumulator, too.
  bool countsSamples(WelfordOp op) const;
  /// Accumulators of one copy.
  unsigned getNumMomentAccumulators(WelfordOp op) const;
  /// Mean, sum of squared deviations and number of what one copy of the
  /// accumulators of values has seen, in `f64`.
  Sample getTotal(WelfordOp op, llvm::ArrayRef<mlir::Value> accumulators);
  void finishMoments(WelfordOp op, llvm::ArrayRef<mlir::Value> accumulators);

  //===--- Long sums (EmitCascade.cpp) ------------------------------------===//

  /// Whether `op` is a sum of floats, whose error grows with the length of the
  /// chain of additions.
  static bool isFloatSum(mlir::Operation *op);
  /// How many additions one chain may have.
  int64_t getMaxChain() const;
  /// Upper bound of the additions that one accumulator takes in the loops from
  /// reduced dimension number `depth` on.
  int64_t getChain(unsigned depth);
  /// How many steps of the loop over reduced dimension number `depth` make one
  /// chain of additions; nothing if all of them may.
  std::optional<int64_t> getChainSteps(unsigned depth);
  /// Emits a loop from zero to `end` in chains of `steps` steps of `step`.
  /// `emitLoop` emits the loop of one chain. Sums start from zero in each chain
  /// and are added to compensated totals after it; the pivots of moments of
  /// `f64` follow the mean after it, and after each step of the first one.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> emitCascade(
      mlir::Value end, int64_t step, int64_t steps,
      llvm::ArrayRef<mlir::Value> accumulators,
      llvm::ArrayRef<mlir::Operation *> slice,
      llvm::function_ref<mlir::FailureOr<llvm::SmallVector<mlir::Value>>(
          mlir::Value begin, mlir::Value end,
          llvm::ArrayRef<mlir::Value> accumulators)>
          emitLoop);

  //===--- Scans (EmitScan.cpp) -------------------------------------------===//

  /// Starts of what a scan carries from point to point, as scalars.
  llvm::SmallVector<mlir::Value> startScan(mlir::Operation *op);
  /// One step: what is carried on, and the values of the scan.
  void stepScan(mlir::Operation *op,
                llvm::MutableArrayRef<mlir::Value> carried);
  /// Whether the loop of the current phase computes `op`, rather than reads
  /// back what an earlier one kept.
  bool isComputed(mlir::Operation *op) const;

  unsigned accumulatorCopies(mlir::Operation *op) const;
  /// Types of the accumulators of one copy, as scalars.
  llvm::SmallVector<mlir::Type> getAccumulatorTypes(mlir::Operation *op) const;
  unsigned accumulatorsPerCopy(mlir::Operation *op) const;
  unsigned numAccumulators(mlir::Operation *op) const;
  /// Whether `op` is an extremum of floats over lanes: its accumulators are of
  /// numbers, and one more says in which lanes there was a NaN. Passing NaNs on
  /// would take six instructions a step, in a chain.
  bool tracksNaN(mlir::Operation *op) const;
  /// Operand `i` of a reduction in one copy; outside of the row it is neutral.
  mlir::Value getReduced(mlir::Operation *op, unsigned i, unsigned copy);
  void accumulateNumbers(ReduceOp op,
                         llvm::MutableArrayRef<mlir::Value> accumulators);

  KernelOp kernel;
  const CPUKernelLayout &layout;
  DimDependence dependence;
  sym::Context context;
  mlir::ImplicitLocOpBuilder b;

  llvm::SmallVector<unsigned> parallelDims, reducedDims;
  llvm::SmallBitVector reducedSet;
  int64_t vectorDim = -1;
  bool vectorIsReduced = false;
  int64_t width = 1, unroll = 1, block = 1, rows = 0;
  /// The dimension along which tiles are transposed, -1 for none, its points in
  /// a task, and where these begin.
  int64_t transposeDim = -1, transposeBlock = 1;
  mlir::Value transposeBegin;
  /// Tiles of transposed operands, by load, and the current row of them.
  llvm::MapVector<mlir::Operation *, mlir::Value> tiles;
  mlir::Value tileRow;
  sym::ExprAttr total;

  std::optional<Precision> precision;
  Phases phases;
  std::optional<SelectArms> arms;
  unsigned currentPhase = 0;
  /// Whether the current steps are a chain of `emitCascade`.
  bool inChain = false;
  /// Ops whose values are kept: in which result, and from which phase on.
  struct Kept {
    StoreOp store;
    unsigned phase;
  };
  llvm::MapVector<mlir::Operation *, Kept> kept;
  /// Results that are stored past the caches.
  llvm::SmallDenseSet<unsigned> streamed;
  /// Memory of what these would keep, by result.
  llvm::SmallDenseMap<unsigned, mlir::Value> scratch;
  /// The phases in whose loops each load is done.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<unsigned, 3>> reads;
  /// Memory of the accumulators when reducing by rows, one for each value.
  llvm::SmallVector<mlir::Value> rowAccumulators;
  llvm::SmallVector<mlir::Operation *> rowReductions;
  /// Compensated totals of accumulators of long sums, by accumulator number,
  /// and how many rows these have taken since.
  struct RowTotal {
    mlir::Type scalar;
    mlir::Value sum, correction;
  };
  llvm::MapVector<unsigned, RowTotal> rowTotals;
  mlir::Value rowCounter;
  /// Ops that do not vary over the vectorised dimension, emitted in front of
  /// the loop over it.
  llvm::DenseSet<mlir::Operation *> onceATask;

  llvm::StringMap<mlir::Value> symbolValues;
  llvm::SmallVector<mlir::Value> dimValues;
  llvm::SmallVector<mlir::Value> buffers;
  mlir::Value errorFlag;
  /// Number of copies of vectors at the current place, and their masks.
  unsigned copies = 1;
  llvm::SmallVector<mlir::Value> masks;
  llvm::DenseMap<mlir::Value, Copies> values;
};

} // namespace coil::loop

#endif // COIL_LIB_CONVERSION_LOOPTOCPU_KERNELEMITTER_H
