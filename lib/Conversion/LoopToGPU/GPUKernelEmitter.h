//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits the GPU code of one loop kernel.
//
// The kernel's dimensions are flattened to two directions: *parallel* points
// `p` and *reduced* points `r`; along the vector dimension, which comes last in
// its direction, points are whole vectors. A block computes a tile of both, a
// thread the items of the tile that have its numbers in both directions.
//
// A value that varies over a direction has a copy for each of the thread's
// items of that direction. The body runs in phases: phase 0 computes the
// reductions that need no other, phase 1 those that need phase 0, and so on.
// In a persistent kernel a thread keeps the copies of all its reduced items, so
// nothing is computed twice; where these are many, it keeps only what it
// loaded, see EmitKept.cpp. Otherwise each phase loops over the reduced points
// and recomputes what it needs.
//
// A kernel that accumulates columns takes these as `r`: its blocks walk rows
// and keep a part of every column in registers, see EmitColumns.cpp.
//
// Tiles of a scan can be blocks of their own, see EmitLookBack.cpp, or come one
// after the other to blocks that stay, see EmitScanRing.cpp.
//
// The strategy `transpose` reads inputs that are contiguous along another
// dimension in vectors of that one, by other threads than those that need them,
// see EmitTranspose.cpp; the strategy `box` does that for tiles of any number
// of dimensions, see BoxForm.h. The strategy `mma` is MmaEmitter.h.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_CONVERSION_LOOPTOGPU_GPUKERNELEMITTER_H
#define COIL_LIB_CONVERSION_LOOPTOGPU_GPUKERNELEMITTER_H

#include "BoxForm.h"
#include "GPUFacts.h"
#include "ScanRing.h"
#include "VectorForm.h"
#include "coil/Conversion/Utils/Combine.h"
#include "coil/Conversion/Utils/Compensated.h"
#include "coil/Dialect/Loop/Analysis/Precision.h"
#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <map>
#include <optional>
#include <vector>

namespace mlir::LLVM {
class LoadOp;
} // namespace mlir::LLVM

namespace coil::loop {

class MmaEmitter;

/// Combines a list pairwise, so that the tree stays shallow.
template <typename T, typename Combine>
T combinePairs(llvm::SmallVector<T> list, Combine combine) {
  while (list.size() > 1) {
    llvm::SmallVector<T> next;
    for (size_t i = 0; i + 1 < list.size(); i += 2)
      next.push_back(combine(list[i], list[i + 1]));
    if (list.size() % 2)
      next.push_back(list.back());
    list = std::move(next);
  }
  return list.front();
}

/// What a target has whose kernels may hold PTX, and operations of the NVVM
/// dialect.
inline constexpr llvm::StringLiteral kPTX = "ptx";
/// What a target has that brings a word from any lane of a warp.
inline constexpr llvm::StringLiteral kLanePermutes = "lane_permutes";

class GPUKernelEmitter {
  friend class MmaEmitter;

public:
  GPUKernelEmitter(KernelOp kernel, GPUScheduleAttr schedule,
                   const GPUKernelLayout &layout, bool approximate,
                   const GPUFacts &facts);

  /// Emits a `gpu.module` with the kernel; returns null after an error.
  mlir::Operation *emit(mlir::OpBuilder &builder, llvm::StringRef name);
  /// How the kernel is launched. Valid after `emit`.
  wrapper::GeometryAttr getGeometry() const;

private:
  /// The copies of one value: for each item of the directions it varies over.
  struct Copies {
    llvm::SmallVector<mlir::Value, 8> values;
    bool overP = false, overR = false;
    unsigned numR = 1;

    mlir::Value &at(unsigned ip, unsigned ir) {
      return values[(overP ? ip * (overR ? numR : 1) : 0) + (overR ? ir : 0)];
    }
  };
  /// One item of a direction: a vector of the vector dimension, or a point.
  struct Item {
    /// Whether the item is in the space; null where it must be.
    mlir::Value active;
    /// Which lanes are, with `active`; null where all are.
    mlir::Value lanes;
    /// Whether all lanes are; set with `lanes`.
    mlir::Value full;
    /// Position in every dimension of the direction.
    llvm::SmallVector<mlir::Value> positions;
    /// Which owner of elements this is; null where all are one.
    mlir::Value owner;
  };
  /// Under what an access happens. Null values hold.
  struct Condition {
    mlir::Value active, lanes, full;
  };
  using Body = llvm::function_ref<mlir::LogicalResult()>;
  using Values = llvm::SmallVector<mlir::Value>;
  /// How a loop over `r` cuts a row, in vectors.
  struct RowTiles {
    /// Vectors in front of the first tile, of which lanes are outside: 0 or 1.
    int64_t first;
    /// Where whole tiles end, and whole vectors.
    sym::ExprAttr tiled, whole;
    bool hasTiles;
  };

  //===--- Structure (GPUKernelEmitter.cpp) -------------------------------===//

  void analyze();
  mlir::LogicalResult emitBody();
  /// The scope of what blocks of a launch tell each other, as the back end
  /// names it.
  llvm::StringRef getDeviceScope() const {
    return facts.has(kPTX) ? "device" : "agent";
  }
  /// Fails for more shared memory than a block has.
  mlir::LogicalResult checkSharedBytes(int64_t bytes, int64_t most);
  /// For the strategy `mma`; null for others.
  mlir::FailureOr<std::unique_ptr<MmaEmitter>> getMmaEmitter();
  /// The point a constant distance behind another one.
  mlir::Value getPointBehind(mlir::Value point, int64_t distance);

  //===--- Phases (EmitPhases.cpp) ----------------------------------------===//

  mlir::LogicalResult emitPhases();
  /// The items of a row that is the block's tile.
  void makePersistentItems();
  mlir::LogicalResult emitPhase(unsigned phase);
  mlir::LogicalResult emitLoops(llvm::ArrayRef<mlir::Operation *> slice,
                                llvm::ArrayRef<mlir::Operation *> reductions);

  //===--- Columns through shared memory (EmitStaged.cpp) -----------------===//

  /// Finds the loads that pass through it.
  void findStaged();
  /// Brings the block's columns there; a thread has its part of them then.
  void stageColumns();

  //===--- Reductions that end before (EmitBounded.cpp) -------------------===//

  /// Where a mask of a loop over `r` ends it: the vectors that are wholly
  /// inside, and those of which a lane is.
  struct Bound {
    mlir::arith::CmpIOp mask;
    mlir::Value whole, end;
  };
  /// Of a mask outside of which all reductions of the slice get neutral values.
  std::optional<Bound> getBound(llvm::ArrayRef<mlir::Operation *> slice,
                                llvm::ArrayRef<mlir::Operation *> reductions);
  std::optional<Bound> getBound(mlir::arith::CmpIOp mask);
  mlir::LogicalResult
  emitBoundedLoops(llvm::ArrayRef<mlir::Operation *> slice,
                   llvm::ArrayRef<mlir::Operation *> reductions,
                   const RowTiles &row, const Bound &bound);
  /// Whether a comparison is known to hold where code is being made.
  bool isKnown(mlir::Value v) const {
    return v && v.getDefiningOp() && known.contains(v.getDefiningOp());
  }
  /// The mask of a load, unless it is known to hold or whoever reads what is
  /// staged goes by it.
  mlir::Value getMask(LoadOp load) const {
    mlir::Value mask = load.getMask();
    return isKnown(mask) || load == unmasked ? mlir::Value() : mask;
  }
  /// What a load has where its mask does not hold; null if that is zero.
  mlir::Value getOther(LoadOp load) const {
    return load == unmasked ? mlir::Value() : load.getOther();
  }

  /// Items of a thread from `point` on; `partial`: lanes may be outside.
  void makeReducedItems(mlir::Value point, unsigned items, bool partial);
  /// Makes results of the accumulators that a thread has behind its loops.
  void finishLoops(llvm::ArrayRef<mlir::Operation *> reductions,
                   llvm::ArrayRef<mlir::Value> accumulators);
  /// Combines the accumulators of `items` reduced items, those of one item in
  /// front of them unless `before` is empty.
  Values mergeItems(llvm::ArrayRef<mlir::Operation *> reductions,
                    llvm::ArrayRef<mlir::Value> before,
                    llvm::ArrayRef<mlir::Value> results, unsigned items);
  mlir::LogicalResult
  emitSlice(llvm::ArrayRef<mlir::Operation *> slice,
            llvm::MutableArrayRef<mlir::Value> accumulators);
  mlir::FailureOr<Values> emitLoop(mlir::Value begin, mlir::Value end,
                                   int64_t step, unsigned items, bool partial,
                                   llvm::ArrayRef<mlir::Value> accumulators,
                                   llvm::ArrayRef<mlir::Operation *> slice);
  mlir::LogicalResult emitOp(mlir::Operation *op);

  //===--- One item after the other (EmitItems.cpp) -----------------------===//

  /// Whether there are registers for what `ops` compute of all items of a
  /// direction at a time.
  bool haveRoom(llvm::ArrayRef<mlir::Operation *> ops, bool alongR);
  /// Emits `ops`, of the direction `p` or `r`, for all items at a time where
  /// there is room for that; else loads for all, and the others for one item
  /// after the other. `reduce` adds the items that there are at the time to
  /// what a reduction has, of which `first` is the first one's number.
  mlir::LogicalResult
  emitOps(llvm::ArrayRef<mlir::Operation *> ops, bool alongR,
          llvm::function_ref<void(mlir::Operation *op, unsigned first)> reduce =
              nullptr);
  /// The copies of one item of a direction.
  Copies getCopies(Copies all, bool alongR, unsigned item) const;
  /// All copies of a value, from those of each item of a direction.
  Copies joinCopies(llvm::ArrayRef<Copies> items, bool alongR) const;
  /// This thread's number in its block, as i32.
  mlir::Value emitThreadId();
  /// The item at point number `point` of a direction.
  Item getItem(mlir::Value point, llvm::ArrayRef<unsigned> dims,
               sym::ExprAttr total, bool mayBeOutside, bool partial);
  /// Adds to `item` which lanes are inside.
  void cutLanes(Item &item);
  bool variesOverReduced(mlir::Operation *op) const;
  /// Whether `dim` is reduced and no other dimension of more than one point is.
  bool isOnlyReduced(int64_t dim) const;

  //===--- Scalars and vectors (EmitValues.cpp) ---------------------------===//

  mlir::Value constant(int64_t value);
  mlir::Value constantI32(int64_t value);
  /// A number of `type`, or of all its lanes.
  mlir::Value constantFloat(mlir::Type type, double value);
  mlir::Value trueValue();
  mlir::Value toIndex(mlir::Value i32);
  /// Value of an expression at items `ip` and `ir` and lane `lane`, in `bits`.
  mlir::Value scalarExpr(sym::ExprAttr expr, unsigned ip, unsigned ir,
                         unsigned bits, llvm::ArrayRef<mlir::Value> args = {},
                         int64_t lane = 0);
  /// Value of an expression over symbols, as an index.
  mlir::Value symbolExpr(sym::ExprAttr expr);
  mlir::Value broadcast(mlir::Value value);
  mlir::Value extract(mlir::Value value, int64_t lane);
  mlir::Value fromLanes(llvm::ArrayRef<mlir::Value> lanes);
  mlir::Value both(mlir::Value a, mlir::Value b);
  mlir::Value lookup(mlir::Value v, unsigned ip, unsigned ir);
  void forEachCopy(bool overP, bool overR,
                   llvm::function_ref<void(unsigned, unsigned)> fn);
  /// Empty copies for a value; in a loop they replace those of the last one.
  Copies makeCopies(mlir::Value v) const;
  bool isOver(mlir::Value v, const llvm::SmallBitVector &dims) const {
    return dependence[v].anyCommon(dims);
  }
  mlir::LogicalResult emitArith(mlir::Operation *op);
  /// What one is divided by the square root of, where `op` does that and need
  /// not be exact; else null.
  mlir::Value getRooted(mlir::Operation *op) const;
  /// The result of `op`, which has one operand, for another one, with `flags`
  /// where precision allows flags at all.
  mlir::Value emitLike(mlir::Operation *op, mlir::Value operand,
                       mlir::arith::FastMathFlags flags);
  mlir::LogicalResult emitSpecial(SpecialOp op);
  void emitRandom(PhiloxOp op);
  void emitIndex(IndexOp op);
  mlir::Value emitUniformCompare(mlir::Operation *op, unsigned ip, unsigned ir);
  /// Runs `then` under `condition`, or always when it is null.
  mlir::LogicalResult emitIf(mlir::Value condition, Body then);
  mlir::Value choose(mlir::Value condition, mlir::Type type,
                     llvm::function_ref<mlir::Value()> then,
                     llvm::function_ref<mlir::Value()> otherwise);
  /// The value of `then` where `condition` holds and `other` elsewhere.
  mlir::Value select(mlir::Value condition, mlir::Value other,
                     llvm::function_ref<mlir::Value()> then);

  //===--- Vectors across the ends of rows (EmitPieces.cpp) ---------------===//

  /// Which lanes are in the first piece that a vector meets.
  Values getFirstLanes(const Pieces &pieces, unsigned ip, unsigned ir);
  /// The value of an expression in pieces for each lane, of which only the
  /// first and the last one are computed.
  Values laneValues(sym::ExprAttr e, const Pieces &pieces, unsigned ip,
                    unsigned ir, unsigned bits);
  /// Values that are the same for all lanes of a piece: those of the piece of
  /// the first lane, and those of the last one's.
  struct TwoCopies {
    Pieces pieces;
    Copies first, last;
  };
  /// Defines a result of which both values are known, and its lanes.
  void defineTwo(mlir::Value v, TwoCopies copies);
  /// Loads an element for each piece, where that is enough; returns false,
  /// without code, elsewhere.
  bool emitLoadTwo(LoadOp load, const LaneAddress &address);
  /// Computes an op for each piece instead of for each lane, where all operands
  /// with lanes are such; returns false, without code, elsewhere.
  bool emitArithTwo(mlir::Operation *op);

  //===--- Memory (EmitMemory.cpp) ----------------------------------------===//

  /// Whether another thread may write to the buffer that `load` reads.
  bool mayAlias(LoadOp load) const {
    auto buffer = llvm::cast<mlir::BlockArgument>(load.getSource());
    return layout.mayAlias[buffer.getArgNumber()];
  }
  Condition getCondition(bool overP, bool overR, unsigned ip, unsigned ir,
                         bool hasLanes);
  mlir::LogicalResult emitLoad(LoadOp load);
  mlir::Value emitLoadLane(LoadOp load, const LaneAddress &address,
                           const Condition &condition, unsigned ip, unsigned ir,
                           int64_t lane);
  /// `shifts`: whether a vector anywhere may be taken out of aligned ones.
  mlir::Value emitLoadVector(LoadOp load, const LaneAddress &address,
                             const Condition &condition, unsigned ip,
                             unsigned ir, bool shifts = true);
  /// Lanes of a load whose address goes on elsewhere in some vectors.
  mlir::Value emitLoadPieces(LoadOp load, const LaneAddress &address,
                             const Condition &condition, unsigned ip,
                             unsigned ir);
  /// What `whole` loads where all lanes of a vector are inside and `active`
  /// holds; else each lane by itself, or what the load gives elsewhere.
  mlir::Value loadUnder(LoadOp load, const LaneAddress &address,
                        const Condition &condition, mlir::Value active,
                        unsigned ip, unsigned ir,
                        llvm::function_ref<mlir::Value()> whole);
  /// All lanes of a vector from `pointer` on, aligned to `piece` elements.
  mlir::Value loadWhole(mlir::Value pointer, mlir::Type scalar, int64_t piece,
                        unsigned buffer);
  mlir::LogicalResult emitStore(StoreOp store);
  /// Stores what an item has of result number `output`.
  void emitStoreCopy(unsigned output, mlir::Value v, const LaneAddress &address,
                     bool overR, unsigned ip, unsigned ir);
  /// Applies the bounds policy to indirect indices of one lane: replaces them
  /// and narrows `active`.
  void emitBounds(llvm::ArrayRef<sym::ExprAttr> indices, mlir::Value tensor,
                  BoundsPolicy policy, llvm::MutableArrayRef<mlir::Value> args,
                  mlir::Value &active);
  mlir::Value elementPointer(unsigned buffer, mlir::Type element,
                             sym::ExprAttr address, unsigned ip, unsigned ir,
                             llvm::ArrayRef<mlir::Value> args, int64_t lane,
                             bool inside = true);
  /// The same where no other pointer is known to be near.
  mlir::Value computeElementPointer(unsigned buffer, mlir::Type element,
                                    sym::ExprAttr address, unsigned ip,
                                    unsigned ir,
                                    llvm::ArrayRef<mlir::Value> args,
                                    int64_t lane, bool inside);
  /// `inside`: both pointers lie in the buffer.
  mlir::Value lookupOther(LoadOp load, unsigned ip, unsigned ir);
  mlir::Value advance(mlir::Value pointer, mlir::Type element, int64_t by,
                      bool inside = true);
  mlir::Value loadElements(mlir::Value pointer, mlir::Type type,
                           unsigned alignment, unsigned buffer);
  /// Bytes of an element in memory.
  static unsigned byteWidth(mlir::Type scalar) {
    return std::max(1u, scalar.getIntOrFloatBitWidth() / 8);
  }
  /// The type that elements have in memory: a bool takes a byte.
  static mlir::Type getMemoryType(mlir::Type scalar);
  mlir::Value fromMemory(mlir::Value v, mlir::Type scalar);
  mlir::Value toMemory(mlir::Value v);
  mlir::Value zero(mlir::Type type);

  //===--- Vectors at any address (EmitUnaligned.cpp) ---------------------===//

  /// Whether the vectors around one at `offset` elements lie in the buffer;
  /// null where that cannot be told.
  mlir::Value getShiftedCondition(unsigned buffer, mlir::Type tensor,
                                  mlir::Value offset);
  /// The aligned vectors that hold a vector, as words, and how many bytes
  /// behind the beginning of the first one that begins.
  struct ShiftedWords {
    mlir::Value low, high, distance;
  };
  ShiftedWords loadAround(mlir::Value pointer, mlir::Type scalar,
                          unsigned buffer);
  mlir::Value shift(const ShiftedWords &loaded, mlir::Type scalar);
  /// A shifted vector of a load, and whether nothing around it is outside.
  struct ShiftedAccess {
    LoadOp load;
    LaneAddress address;
    Condition condition;
    unsigned ip, ir;
    mlir::Value isWhole;
  };
  /// Those of a load; none if it is another kind, or if it is not known where
  /// its vectors are whole.
  llvm::SmallVector<ShiftedAccess> getShiftedAccesses(LoadOp load);
  Values loadAccesses(llvm::MutableArrayRef<ShiftedAccess> accesses);
  /// Emits the shifted loads among `ops`, which come next, some in one branch.
  void loadTogether(llvm::ArrayRef<mlir::Operation *> ops);

  //===--- Columns (EmitColumns.cpp) --------------------------------------===//

  /// The rows of a chunk one after the other, or so many at a time as a block
  /// has threads along `p`.
  mlir::LogicalResult emitChunk();
  void emitAccumulate(AccumulateOp op);
  /// Combines what threads along `p` have accumulated; the first ones have it
  /// then.
  void combineRows();
  void storeAccumulated(mlir::Value first);

  //===--- Long rows (EmitKept.cpp) ---------------------------------------===//

  /// Where threads keep what they loaded: a vector for each copy and thread.
  struct Kept {
    int64_t offset;
    mlir::VectorType type;
    unsigned alignment;
  };
  bool isUsedLater(LoadOp load) const;
  mlir::Value getKeptSlot(const Kept &kept, size_t number);
  /// Puts what was loaded into shared memory, if a later phase wants it and
  /// there is room.
  void keepLoad(LoadOp load);
  /// Takes what was kept; returns false, without code, if nothing was.
  bool takeKept(LoadOp load);
  /// Forgets all values that vary along `r`.
  void dropReduced();

  //===--- Loads ahead (EmitPrefetch.cpp) ---------------------------------===//

  /// The loads of a row of a chunk that can be made while the row before it is
  /// computed.
  llvm::SmallVector<LoadOp> getRowLoads() const;
  /// Loads of the items that there are, as a loop carries them.
  mlir::FailureOr<Values> loadItems(llvm::ArrayRef<LoadOp> loads);
  /// As `emitLoops`, in a schedule with `prefetch`: gives what each thread
  /// combined.
  mlir::FailureOr<Values>
  emitLoopsAhead(llvm::ArrayRef<mlir::Operation *> slice,
                 llvm::ArrayRef<mlir::Operation *> reductions,
                 const RowTiles &row);
  /// The loads of `slice` that need nothing else of their step.
  llvm::SmallVector<LoadOp>
  getLoadsAhead(llvm::ArrayRef<mlir::Operation *> slice) const;
  /// What `loads` read at the step at `point`, in types for a loop to carry.
  mlir::FailureOr<Values> loadAhead(llvm::ArrayRef<LoadOp> loads,
                                    mlir::Value point);
  mlir::FailureOr<Values> loadAheadIf(mlir::Value condition,
                                      llvm::ArrayRef<LoadOp> loads,
                                      mlir::Value point);
  void defineLoaded(llvm::ArrayRef<LoadOp> loads,
                    llvm::ArrayRef<mlir::Value> carried);
  mlir::FailureOr<Values>
  emitLoopAhead(llvm::ArrayRef<LoadOp> loads, llvm::ArrayRef<mlir::Value> ahead,
                mlir::Value begin, mlir::Value end,
                llvm::ArrayRef<mlir::Value> accumulators,
                llvm::ArrayRef<mlir::Operation *> slice);
  /// The items in front of and behind the whole tiles of a row.
  void makeEdgeItems(const RowTiles &row);

  //===--- Scans (EmitScan.cpp) -------------------------------------------===//

  mlir::LogicalResult emitScan(mlir::Operation *op);
  mlir::LogicalResult
  emitScanLoops(llvm::ArrayRef<mlir::Operation *> slice,
                llvm::ArrayRef<mlir::Operation *> reductions);
  /// Point of the thread's item in its tile.
  mlir::Value getScanPoint(unsigned item);
  void makeScanItems(mlir::Value base, bool mayBeOutside, bool partial);
  void makePersistentScanItems();
  /// What a scan combines in.
  mlir::Type getScanType(mlir::Operation *op);
  Values startScan(mlir::Operation *op);
  /// The same for what threads of a block combine: of products, what these have
  /// lost, too.
  Values startParts(mlir::Operation *op);
  /// As many parts of it as `parts` are.
  Values startLike(mlir::Operation *op, llvm::ArrayRef<mlir::Value> parts);
  /// What comes first with what comes later; empty values are neutral.
  Values combineScans(mlir::Operation *op, llvm::ArrayRef<mlir::Value> x,
                      llvm::ArrayRef<mlir::Value> y);
  Values selectAll(mlir::Value condition, llvm::ArrayRef<mlir::Value> then,
                   llvm::ArrayRef<mlir::Value> otherwise);
  /// The operands for one item, neutral where it is outside.
  Values getScanned(mlir::Operation *op, unsigned ir);
  /// Number of the thread along `r` in its warp, and of that group of threads.
  mlir::Value getLaneR();
  mlir::Value getGroupR();
  /// What comes before a thread in its warp, or a warp in its block, and the
  /// combination of all.
  std::pair<Values, Values> scanWarp(mlir::Operation *op, Values parts);
  std::pair<Values, Values> scanGroups(mlir::Operation *op, Values parts);
  /// The lanes of a thread's item, each with all before it, the first with
  /// `last`.
  llvm::SmallVector<Values> scanLanes(mlir::Operation *op, unsigned ir,
                                      Values last);
  /// Makes the results: `running` has the lanes of each item, which `before`
  /// comes before, and `start` before all.
  void finishScan(mlir::Operation *op, llvm::ArrayRef<mlir::Value> start,
                  llvm::ArrayRef<Values> before,
                  llvm::ArrayRef<llvm::SmallVector<Values>> running);
  /// The type that a value, or a vector, has in memory, and its bytes.
  static mlir::Type getStoredType(mlir::Type type);
  static int64_t getStoredBytes(mlir::Type type);
  mlir::Value widenToI64(mlir::Value v);

  //===--- Tiles that look back (EmitLookBack.cpp) ------------------------===//

  /// Where tiles publish something, as offsets for each tile of the scratch
  /// memory: the word that says that it is there, then what it is in parts.
  struct TileRecord {
    int64_t flag;
    llvm::SmallVector<int64_t, 2> parts;
  };
  struct TileRecords {
    /// What each tile combined, and what comes before each group's end.
    TileRecord sums, prefixes;
    /// Bytes of each part.
    llvm::SmallVector<int64_t, 2> sizes;
    /// Whether the value is in the word that says that it is there.
    bool isPacked;
    /// How many tiles there are, an i64, and where the first array begins.
    mlir::Value count;
    int64_t begin;
  };
  TileRecords reserveRecords(llvm::ArrayRef<mlir::Value> total,
                             mlir::Value count, int64_t begin = 0);
  mlir::Value getRecord(const TileRecords &records, int64_t offset,
                        int64_t bytes, mlir::Value tile);
  void publish(const TileRecords &records, const TileRecord &record,
               llvm::ArrayRef<mlir::Value> values, mlir::Value tile);
  /// Whether the thread is the first along `r`.
  mlir::Value isFirstOfRow();
  /// Lets other tiles know what this one combined.
  void publishSum(const TileRecords &records, llvm::ArrayRef<mlir::Value> total,
                  mlir::Value tile);
  /// What comes before a tile, by what others publish. `tile` is its number,
  /// `tileOfRow` that in its row.
  Values lookBack(mlir::Operation *op, const TileRecords &records,
                  llvm::ArrayRef<mlir::Value> total, mlir::Value tile,
                  mlir::Value tileOfRow);
  /// A word that other blocks write.
  mlir::LLVM::LoadOp loadShared(mlir::Value pointer, mlir::IntegerType type,
                                bool acquires);
  /// Loads again until a word that was loaded is not zero, and returns it.
  mlir::Value waitFor(mlir::Value pointer, mlir::Value word, bool acquires);
  /// A value with the mark that it is there, in a word of 64 bits.
  mlir::Value packRecord(mlir::Value v);
  mlir::Value unpackRecord(mlir::Value word, mlir::Type element);

  //===--- Blocks that stay (EmitScanRing.cpp) ----------------------------===//

  struct Ring {
    ScanRing form;
    int64_t stages;
    /// Elements of a tile, and bytes of each.
    int64_t elements, bytes;
    /// Whether all tiles are whole.
    bool exact;
    /// Ops that the scan needs, itself not.
    llvm::DenseSet<mlir::Operation *> needed;
    /// Where stages, their barriers and the numbers of their tiles lie.
    int64_t data, barriers, tickets;
    TileRecords records;
    mlir::Value numTiles; // i32

    // Of the tile that code is for.
    mlir::Value stage; // i32
    /// How many elements it has, an i32; null if exact.
    mlir::Value size;
    /// What comes before each item of the thread in its block, and before that.
    llvm::ArrayRef<mlir::Value> before;
    mlir::Value start;
  };
  /// What a thread has of a tile before what comes before that is known: what
  /// comes before each of its items in its warp, before its warp in the block,
  /// and what all combined.
  struct RingTile {
    mlir::Value number;
    Values before;
    mlir::Value inBlock, total;
  };
  /// Checks that the kernel has the form for a schedule with `stages`.
  mlir::LogicalResult prepareRing();
  mlir::LogicalResult emitRing();
  /// From here on code is for a tile in the stage of step `step`.
  void enterTile(mlir::Value number, mlir::Value step);
  mlir::FailureOr<RingTile> sumTile(mlir::Value number, mlir::Value step);
  mlir::LogicalResult finishTile(const RingTile &tile, mlir::Value start);
  mlir::LogicalResult emitRingLoop();
  /// Finishes a tile whose sum is known, and gives its stage to another one.
  mlir::LogicalResult emitRingStep(const RingTile &tile, mlir::Value step);
  /// The items of the tile, `masked` where it may not be whole.
  void makeTileItems(bool masked);
  /// What an item of the thread combines to, without what is outside the row.
  mlir::Value sumItem(unsigned ir);
  void finishRingScan();
  /// Puts what no copy brings into the stage of a tile that is not whole: the
  /// last elements of the row, and zeros.
  void bringRest();
  /// Where the tile begins in memory, and an element of it in its stage.
  mlir::Value getTilePointer();
  mlir::Value getStagePointer(mlir::Value element);
  /// The thread's first element of a tile, an i32.
  mlir::Value getFirstOfTile();
  /// Takes what a copy brought; returns false, without code, for other loads.
  bool takeFromRing(LoadOp load);
  mlir::Value takeTicket();
  void startCopy(mlir::Value step, mlir::Value number);
  /// Waits for the tile of a step, and returns its number.
  mlir::Value awaitTile(mlir::Value step);
  mlir::Value getStage(mlir::Value step);

  //===--- Sums of rows (EmitRowSum.cpp) ----------------------------------===//

  mlir::LogicalResult emitGatherSum(SegmentSumOp op);
  /// A sum that a thread makes: of whole vectors, or of the element of one
  /// lane; the places that are left, and what it is so far.
  struct RowSum {
    unsigned ip, ir;
    int64_t lane;
    bool isWhole;
    mlir::Value lo, hi, total;
    /// Whether no place can be left.
    bool isDone = false;
  };
  RowSum beginRowSum(SegmentSumOp op, const LaneAddress &address,
                     mlir::Value active, RowSum at);
  mlir::Value finishRowSum(SegmentSumOp op, const LaneAddress &address,
                           RowSum at);
  /// Which row a place has, and the elements of a row.
  mlir::Value getRow(SegmentSumOp op, const RowSum &at, mlir::Value place);
  mlir::Value loadRow(SegmentSumOp op, const LaneAddress &address,
                      const RowSum &at, mlir::Value row);
  mlir::Value addPlace(const RowSum &at, mlir::Value v);
  mlir::Value clampIndex(mlir::Value v, mlir::Value last);

  //===--- Scatters (EmitScatter.cpp) -------------------------------------===//

  mlir::LogicalResult emitScatter(ScatterOp scatter);
  void emitScatterCopy(ScatterOp scatter, const LaneAddress &address,
                       unsigned ip, unsigned ir);
  /// Consecutive lanes of a vector that is wholly inside.
  void scatterVector(ScatterOp scatter, mlir::Value value, mlir::Value pointer,
                     int64_t alignment);
  void scatterElement(ScatterOp scatter, mlir::Value value,
                      mlir::Value pointer);
  /// Whether the element at `pointer` is this thread's; null if all are.
  mlir::Value isOwner(ScatterOp scatter, mlir::Value pointer, unsigned ip);
  void compareAndSwap(ReduceKind kind, mlir::Value value, mlir::Value pointer);
  void storeStrong(mlir::Value bits, mlir::Value pointer);
  /// Keeps LLVM from computing a value behind a branch that comes later.
  void keepAhead(mlir::Value value);
  void inlinePTX(llvm::StringRef text, llvm::StringRef constraints,
                 mlir::ValueRange operands);
  /// The lanes `begin` to `begin + count` as words of `bits`.
  llvm::SmallVector<mlir::Value> toWords(mlir::Value vector, int64_t begin,
                                         int64_t count, unsigned bits);

  //===--- Windows (EmitWindow.cpp) ---------------------------------------===//

  /// What is known of a mask in one lane: its value when code is made, or code.
  struct Decision {
    std::optional<bool> known;
    mlir::Value value;
  };
  /// Whether a thread loads all reduced items of `load` at constant positions.
  bool isWindowLoad(LoadOp load) const;
  /// Returns false, without code, if elements in the padding have no border.
  bool emitWindowLoad(LoadOp load);
  Decision decideMask(mlir::Value mask, unsigned ir, int64_t lane);
  /// `e` at a reduced item, all of whose positions are constants, and a lane.
  sym::ExprAttr atReducedItem(sym::ExprAttr e, unsigned ir, int64_t lane) const;
  /// Null if a position may be outside and there is no border to read instead.
  sym::ExprAttr getWindowAddress(LoadOp load, unsigned ir, int64_t lane,
                                 bool mayBeOutside);
  /// Loads the elements at constant distances from `base`.
  void loadRuns(LoadOp load, sym::ExprAttr base,
                std::map<int64_t, mlir::Value> &elements);

  //===--- Transposition (EmitTranspose.cpp) ------------------------------===//

  /// `roots` and all that they need, where nothing needs what `isLeaf` is.
  llvm::DenseSet<mlir::Operation *>
  getNeeded(llvm::ArrayRef<mlir::Operation *> roots,
            llvm::function_ref<bool(mlir::Operation *)> isLeaf) const;
  llvm::SmallVector<mlir::Operation *> getStores() const;
  struct Staging;

  mlir::LogicalResult emitTransposed();
  mlir::LogicalResult emitTile(bool masked,
                               llvm::MutableArrayRef<Staging> stages);
  std::vector<Staging> getStages();
  /// Finds the positions of the block's tile, in tiles of `sizes` points; the
  /// last dimension of `order` is that of neighbouring blocks.
  void decodeBlock(llvm::ArrayRef<unsigned> order,
                   llvm::ArrayRef<int64_t> sizes);
  /// Item of the tile at a position in vectors of the current form.
  Item getTileItem(mlir::Value t, mlir::Value v, bool masked);
  llvm::SmallVector<Item> getTileItems(bool masked);
  llvm::SmallVector<Item> getUnits(const Staging &stage, bool masked);
  /// Runs `body` with the units of `stage` as items, whose lanes go along the
  /// other dimension, and without any values.
  mlir::LogicalResult inUnits(Staging &stage, bool masked, Body body);
  mlir::LogicalResult loadUnits(Staging &stage, bool masked, Copies &copies);
  void putUnits(Staging &stage, Copies &copies);
  Copies takeUnits(Staging &stage);
  void putItems(Staging &stage);
  Copies takeItems(Staging &stage);

  //===--- Boxes (EmitBox.cpp) --------------------------------------------===//

  struct BoxStage;
  /// A point of a box that a thread takes.
  struct BoxItem {
    Item item;
    /// Where in the box, for each dimension of the kernel, as i32.
    llvm::SmallVector<mlir::Value> coordinates;
    /// Whether the thread has such a point; null where all threads have one.
    mlir::Value inBox;
    /// How far it is from the first point of the order's first item, for each
    /// dimension, where that is the same in all threads.
    std::optional<llvm::SmallVector<int64_t>> apart;
  };
  llvm::SmallVector<BoxSide> getBoxSides() const;
  std::vector<BoxStage> getBoxStages();
  mlir::LogicalResult emitBox();
  /// `masked`: the box reaches over the end of a dimension, or an operand may
  /// be written by other blocks.
  mlir::LogicalResult emitBoxTile(bool masked, llvm::ArrayRef<BoxStage> stages);
  /// The body for some points of a thread.
  mlir::LogicalResult emitBoxItems(llvm::ArrayRef<BoxItem> items, bool masked,
                                   llvm::ArrayRef<BoxStage> stages,
                                   llvm::ArrayRef<mlir::Operation *> body);
  llvm::SmallVector<BoxItem, 0> getBoxItems(const BoxOrder &order, bool masked);
  /// Takes points as those of the direction `p`. Unless `masked`, threads
  /// without a point take another one's, which they may load but not store.
  void setBoxItems(llvm::ArrayRef<BoxItem> items, bool masked);
  /// Where the points of a staged access are in shared memory.
  llvm::SmallVector<mlir::Value> getBoxPointers(const BoxStage &stage,
                                                llvm::ArrayRef<BoxItem> items);
  /// An element of a buffer at a point that is a constant distance from the
  /// thread's first one; nothing for other points and addresses.
  std::optional<mlir::Value> getBoxPointer(unsigned buffer, mlir::Type element,
                                           sym::ExprAttr address, unsigned ip,
                                           bool inside);
  mlir::LogicalResult loadBox(const BoxStage &stage,
                              llvm::ArrayRef<BoxItem> items, bool masked,
                              Copies &copies);
  void putBoxItems(const BoxStage &stage, llvm::ArrayRef<BoxItem> items,
                   llvm::function_ref<mlir::Value(unsigned ip)> getValue);
  Copies takeBoxItems(const BoxStage &stage, llvm::ArrayRef<BoxItem> items);
  /// Has `staged` be what `load` reads, where its mask holds.
  void chooseBoxItems(LoadOp load, Copies staged);

  //===--- Reductions (EmitReduce.cpp) ------------------------------------===//

  /// What a reduction between threads combines: the operands of `op`, or sums.
  struct Partial {
    mlir::Operation *op;
    bool isSum;
    /// Whether the last of several sums is what the first has lost.
    bool hasRest = false;
    /// For each parallel item.
    llvm::SmallVector<Values> items;
  };

  /// Where groups of threads leave a part of what they have for all items, if
  /// it is not the same in all of them: [point of the tile][group] when a group
  /// is a warp of a row, so that a row's slots are read as vectors; else
  /// [group][point], so that threads next to each other use words next to each
  /// other.
  struct GroupSlots {
    std::optional<int64_t> offset;
    mlir::Type type;
    /// Of a thread along `p`, the elements of each, and bytes of an element.
    int64_t items, lanes, bytes;

    unsigned getAlignment(int64_t count) const {
      return static_cast<unsigned>(std::min<int64_t>(16, count * bytes));
    }
  };

  /// A neutral value for each operand of `op`, as accumulators or as operands.
  /// @{
  Values neutral(mlir::Operation *op, bool asVectors);
  Values neutral(mlir::Operation *op) {
    return neutral(op, hasVectorAccumulator(op));
  }
  /// @}
  /// Combines accumulators of one reduction: one value, or value and position.
  Values combineAll(mlir::Operation *op, llvm::ArrayRef<mlir::Value> a,
                    llvm::ArrayRef<mlir::Value> b);
  /// Combines what a thread has with its next value.
  Values accumulate(mlir::Operation *op, llvm::ArrayRef<mlir::Value> old,
                    llvm::ArrayRef<mlir::Value> next);
  /// The first position of an arg-reduction whose positions a thread meets in
  /// their order, as an expression over parallel dimensions; else nothing.
  std::optional<sym::ExprAttr> getFirstPosition(mlir::Operation *op) const;
  /// What accumulators of positions are: 32 bits where these are enough.
  mlir::Type getPositionType(mlir::Operation *op);
  mlir::Value finishPosition(mlir::Operation *op, mlir::Value position,
                             unsigned ip);
  /// Whether only where an extremum is matters. Then one of equal extrema,
  /// which may be zeros of two signs, stands for the others.
  static bool isPositionOnly(const Partial &partial);
  /// Whether the value is known when code is made: the number of values of a
  /// sample whose threads all have as many.
  static bool isConstant(mlir::Value v);
  /// The best of a list, and the smallest position that it is at.
  Values combinePositions(const Partial &partial, llvm::ArrayRef<Values> list);
  /// Pairwise, so that the tree stays shallow.
  Values combineTree(const Partial &partial, llvm::SmallVector<Values> list);
  Values combineTree(mlir::Operation *op, llvm::SmallVector<Values> list) {
    return combineTree({op, /*isSum=*/false, /*hasRest=*/false, {}},
                       std::move(list));
  }
  /// The operands of a reduction for one item, neutral where it is outside.
  Values getOperands(mlir::Operation *op, unsigned ip, unsigned ir);
  /// The starts of the accumulators of `op`, `items` for each parallel item.
  Values getStart(mlir::Operation *op, unsigned items);
  Values getStarts(llvm::ArrayRef<mlir::Operation *> reductions,
                   unsigned items);
  bool hasVectorAccumulator(mlir::Operation *op) const;
  bool hasVectorOperands(mlir::Operation *op) const;
  /// The samples of a parallel item: all reduced items and lanes of a thread.
  llvm::SmallVector<Sample> getSamples(WelfordOp op, unsigned ip);
  /// One step of a thread: all its reduced items and lanes.
  Values accumulateMoments(WelfordOp op, llvm::ArrayRef<mlir::Value> old,
                           unsigned ip);
  /// Whether what rounding takes from distances is computed, too: where a
  /// thread has all its values, and where there are instructions to spare.
  bool hasExactSteps(WelfordOp op) const;
  /// The sum of the squared distances of samples from a value.
  Compensated sumSquares(WelfordOp op, llvm::ArrayRef<Sample> samples,
                         mlir::Value from);
  Values mergeMoments(llvm::ArrayRef<mlir::Value> x,
                      llvm::ArrayRef<mlir::Value> y);
  /// Combines what threads have, for moments about the means first, and makes
  /// results: `getDeviations` gives the sums of squared distances from a mean
  /// and of distances that a thread has for an item of the index-th partial.
  void finishMoments(
      llvm::MutableArrayRef<Partial> partials,
      llvm::function_ref<Values(unsigned index, unsigned ip, mlir::Value mean)>
          getDeviations);
  Values combineParts(const Partial &partial, llvm::ArrayRef<mlir::Value> x,
                      llvm::ArrayRef<mlir::Value> y);
  /// Numbers of values of a reduction, where every point is one.
  mlir::Value getNumReduced(mlir::Type like);
  /// Accumulators of a thread for one item.
  unsigned getNumParts(mlir::Operation *op) const {
    if (llvm::isa<WelfordOp>(op))
      return compensated.contains(op) ? 5 : 4;
    return onlineMax.contains(op) || compensated.contains(op)
               ? 2
               : op->getNumResults();
  }
  unsigned getNumResultItems(mlir::Operation *op) const;
  /// Accumulators of a loop over `items` reduced items at once: as many as
  /// combine without waiting for one another.
  unsigned getNumCopies(mlir::Operation *op, unsigned items) const;
  /// Whether a step of a thread takes all its reduced items and their lanes.
  bool takesAllItems(mlir::Operation *op) const {
    return llvm::isa<WelfordOp>(op) || onlineMax.contains(op) ||
           compensated.contains(op);
  }
  //===--- Compensated sums and products (EmitCompensated.cpp) ------------===//

  void findCompensated();
  Values combineCompensated(mlir::Operation *op, llvm::ArrayRef<mlir::Value> x,
                            llvm::ArrayRef<mlir::Value> y);
  /// A product that a sum adds up, and what rounding took from it.
  Compensated getExactProduct(mlir::Operation *op, unsigned ip, unsigned ir);
  /// What all reduced items of a thread and their lanes combine to.
  Compensated combineStep(mlir::Operation *op, unsigned ip);
  /// One step of a thread: all its reduced items and lanes.
  Values accumulateCompensated(mlir::Operation *op,
                               llvm::ArrayRef<mlir::Value> old, unsigned ip);
  /// A value of several parts as one, if it is compensated.
  Values finishCompensated(mlir::Operation *op,
                           llvm::ArrayRef<mlir::Value> parts);
  /// What threads combine of what each of them has.
  Values startPartial(mlir::Operation *op,
                      llvm::ArrayRef<mlir::Value> accumulators);

  //===--- Sums below a maximum (EmitOnlineSum.cpp) -----------------------===//

  void findOnlineSums();
  /// One step of a thread: all its reduced items.
  Values accumulateOnline(mlir::Operation *sum, llvm::ArrayRef<mlir::Value> old,
                          unsigned ip);
  Values mergeOnline(mlir::Operation *sum, llvm::ArrayRef<mlir::Value> x,
                     llvm::ArrayRef<mlir::Value> y);
  mlir::Value finishOnline(mlir::Value max, mlir::Value total);
  mlir::Value isMinusInfinity(mlir::Value v);
  /// What is subtracted from values up to `max`: zero for minus infinity.
  mlir::Value getExpBase(mlir::Value max);
  /// The base of exponents, which `getExpBase` has made of the maximum, where
  /// the kernel says that an infinite maximum counts as zero.
  mlir::Value withInfiniteMax(mlir::Operation *sum, mlir::Value base);
  /// `exp(x - base)`, with the exponential that `sum` is of.
  mlir::Value expBelow(mlir::Operation *sum, mlir::Value x, mlir::Value base);

  /// Makes results of what each thread has: `parts[i][ip]` are the accumulators
  /// of the i-th reduction for an item.
  void finishReductions(llvm::ArrayRef<mlir::Operation *> reductions,
                        llvm::MutableArrayRef<llvm::SmallVector<Values>> parts);
  /// Reductions whose threads have all their values: means are sums, and so
  /// are the deviations from them, which wait for the means.
  void reduceValues(llvm::ArrayRef<mlir::Operation *> reductions);
  /// Combines what threads have; each has the result then.
  void reduceThreads(llvm::MutableArrayRef<Partial> partials);
  void reduceGroups(llvm::MutableArrayRef<Partial> partials);
  llvm::SmallVector<GroupSlots, 2> allocateGroupSlots(const Partial &partial);
  int64_t getGroupPitch(const GroupSlots &at) const;
  mlir::Value getGroupSlot(const GroupSlots &at, unsigned ip,
                           mlir::Value group);
  /// How many threads merge the groups of a point in a first step, where one
  /// would read many of them; 1 for no such step.
  int64_t getNumMergers(const Partial &partial,
                        llvm::ArrayRef<GroupSlots> slots) const;
  /// That step: as many groups remain as there are mergers.
  void mergeNearGroups(const Partial &partial, llvm::ArrayRef<GroupSlots> slots,
                       int64_t mergers);
  /// Every thread merges the groups of its own points, each `apart` behind the
  /// one before.
  void mergeGroups(Partial &partial, llvm::ArrayRef<GroupSlots> slots,
                   int64_t apart);
  /// Finds where this block is in its cluster.
  void enterCluster();
  /// Combines what the blocks of a cluster have; all of their threads have the
  /// result then.
  void reduceCluster(llvm::MutableArrayRef<Partial> partials);
  void reduceLanes(Partial &partial);
  void reduceWarp(Partial &partial);
  /// Defines the results of a reduction.
  void defineResults(mlir::Operation *op, llvm::MutableArrayRef<Values> items);
  /// Where a thread's value comes from: the lane whose number differs in the
  /// bits of an operand, the one that many lanes before, or the one of that
  /// number. Threads along `r` that are next to each other are apart from
  /// others.
  enum class Shuffle { Butterfly, Up, Index };
  mlir::Value shuffle(mlir::Value v, mlir::Value lane, Shuffle kind);
  mlir::Value shuffleWord(mlir::Value v, mlir::Value lane, Shuffle kind);
  /// The same where a lane asks for the word of any other.
  mlir::Value permuteWord(mlir::Value v, mlir::Value lane, Shuffle kind);
  mlir::Value sharedPointer(int64_t offset, mlir::Type element,
                            mlir::Value index);
  void barrier();

  KernelOp kernel;
  GPUScheduleAttr schedule;
  const GPUKernelLayout &layout;
  DimDependence dependence;
  /// A load that is being staged without its mask.
  LoadOp unmasked;
  std::optional<Precision> precision;
  const GPUFacts &facts;
  mlir::ImplicitLocOpBuilder b;

  llvm::SmallVector<unsigned> parallelDims, reducedDims;
  llvm::SmallBitVector parallelSet, reducedSet;
  int64_t vectorDim = -1, width = 1;
  bool vectorIsReduced = false;
  VectorForm form;
  unsigned indexBits;
  mlir::IntegerType indexType;
  /// Points of each direction, over symbols.
  sym::ExprAttr totalP, totalR;
  sym::ExprAttr numBlocks;
  int64_t threadsP, threadsR, itemsP, itemsR;
  /// Threads that share a parallel point, each the owner of some elements; 0
  /// where elements change atomically.
  int64_t owners;
  bool persistent;
  /// Blocks that share a row, and the number of this one among them.
  int64_t cluster;
  mlir::Value clusterRank; // i32
  /// Whether no block has written to another one yet.
  bool awaitsCluster = false;
  /// Whether every tile of a scan is a block.
  bool splitR;
  /// Whether loops load a step ahead, and whether blocks begin at the end.
  bool prefetch, descending;
  /// Whether the kernel may start while the one before it still runs.
  bool overlaps;
  /// Whether neighbours in a warp are neighbours along `r`.
  bool reducedIsFast;
  /// Threads of one warp along `r`, and groups of them in a block.
  int64_t lanesR, groupsR;

  /// The ops of the body in the order in which code is made.
  llvm::SmallVector<mlir::Operation *> order;
  llvm::DenseMap<mlir::Operation *, unsigned> phaseOf;
  /// The maximum that is found together with a sum, and all such.
  llvm::DenseMap<mlir::Operation *, ReduceOp> onlineMax;
  llvm::DenseSet<mlir::Operation *> joined;
  /// Sums, products and scans that are pairs of a number and what it has lost.
  llvm::DenseSet<mlir::Operation *> compensated;
  unsigned numPhases = 1;
  bool hasReductions = false, hasChecks = false;
  int64_t sharedBytes = 0, scratchBytes = 0;
  /// Bytes of shared memory that the launch asks for; then nothing is static.
  int64_t dynamicBytes = 0;
  /// For the strategy `mma`.
  MmaEmitter *contraction = nullptr;

  /// For the strategy `transpose`: threads, items and points of a tile along
  /// the vector dimension and along the other one.
  int64_t transposeDim = -1;
  int64_t threadsV = 1, threadsT = 1, itemsV = 1, itemsT = 1;
  int64_t tileV = 1, tileT = 1;
  /// Where the block's tile is: numbers of tiles, positions elsewhere.
  mlir::Value blockV, blockT, threadId;
  llvm::SmallVector<mlir::Value> blockPositions;

  /// For the strategy `box`: how far the items are from the thread's first one,
  /// its pointers, and the block that these are in.
  llvm::SmallVector<std::optional<llvm::SmallVector<int64_t>>, 0> boxApart;
  llvm::DenseMap<std::pair<unsigned, sym::ExprAttr>, mlir::Value> boxPointers;
  mlir::Block *boxBlock = nullptr;

  mlir::Value threadP, threadR; // i32
  /// The first parallel point of the block; null where that is zero.
  mlir::Value blockPoint;
  llvm::SmallVector<LoadOp> stagedLoads;
  /// The thread's number along `r` in all blocks that share the row.
  mlir::Value rowThread; // i32
  mlir::Value sharedBase, scratch, errorWord;
  /// Number of the block's tile of a scan along `r`.
  mlir::Value tileNumber;
  /// What the scans of a loop combined before the current tile.
  llvm::DenseMap<mlir::Operation *, Values> carries;
  llvm::StringMap<mlir::Value> symbolValues;
  llvm::SmallVector<mlir::Value> buffers;
  llvm::SmallVector<Item> pItems, rItems;
  llvm::DenseMap<mlir::Value, Copies> values;
  /// Values that are the same for all lanes of a piece.
  llvm::DenseMap<mlir::Value, TwoCopies> twoValues;
  /// Masks that hold in the loop that is being emitted.
  llvm::DenseSet<mlir::Operation *> known;
  /// Loads that have code before it is their turn.
  llvm::DenseSet<mlir::Operation *> loadedTogether;
  /// Whether threads keep what they loaded in shared memory, and only that.
  bool keepsLoads = false;
  llvm::DenseMap<mlir::Operation *, Kept> keptLoads;
  /// In a schedule with `stages`.
  std::optional<Ring> ring;
  /// Accumulations of columns, and what a thread has for each of its items
  /// along `r`: all of the first one, then of the next.
  llvm::SmallVector<AccumulateOp> accumulations;
  Values accumulated;
};

} // namespace coil::loop

#endif // COIL_LIB_CONVERSION_LOOPTOGPU_GPUKERNELEMITTER_H
