//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The strategy `mma`: a block computes a tile of results of a contraction.
//
// Tiles of both factors go to shared memory, some steps ahead of their use
// (EmitMmaLoad.cpp); warps read fragments of them and multiply
// (EmitMmaFragments.cpp). In the end the sums pass through shared memory, so
// that what follows them runs with threads and vectors side by side in memory,
// by the code that all kernels share (EmitMma.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_CONVERSION_LOOPTOGPU_MMAEMITTER_H
#define COIL_LIB_CONVERSION_LOOPTOGPU_MMAEMITTER_H

#include "ContractionForm.h"
#include "GPUKernelEmitter.h"
#include "ThreadBits.h"

namespace coil::loop {

/// Where the elements of a factor's tile lie: rows of chunks of 16 bytes, which
/// are permuted so that eight chunks one below the other, and eight side by
/// side, are in different banks. All sizes are powers of two, so what a place
/// adds to an address is the exclusive or of what its bits add.
struct TilePlaces {
  int64_t rows = 1, rowElements = 1, bytes = 1;
  /// Rows are cut into panels of so many elements, one tile each; a whole row
  /// is one if this is larger.
  int64_t panel = INT64_MAX;
  /// Neighbouring rows flip the chunk's number from this bit on. 1 where eight
  /// elements of four bytes, two chunks, of four rows are read together.
  int64_t flipFrom = 0;

  int64_t getChunk() const { return kChunkBytes / bytes; }
  int64_t getNumBytes() const { return rows * rowElements * bytes; }
  int64_t getPanel() const { return std::min(panel, rowElements); }
  int64_t getPanelBytes() const { return rows * getPanel() * bytes; }
  /// Bits of the chunk's number from the one that picks its permutation.
  int64_t getShift() const;
  /// Byte of an element.
  int64_t get(int64_t row, int64_t element) const;
  mlir::Value emit(Bits bits, mlir::Value row, mlir::Value element) const;
};

/// A byte in a tile that depends on the thread, and what is at constant
/// distances from it.
struct ThreadPlace {
  mlir::Value first;
  /// Bits of `first` that depend on the thread or on a step of a loop.
  int64_t used = 0;
};

class MmaEmitter {
public:
  MmaEmitter(GPUKernelEmitter &emitter, ContractionForm form);

  mlir::LogicalResult emit();
  /// Dynamic shared memory of a block.
  int64_t getSharedBytes() const { return sharedBytes; }
  /// Blocks of the grid.
  sym::ExprAttr getNumBlocks() const;

private:
  using Item = GPUKernelEmitter::Item;
  using Copies = GPUKernelEmitter::Copies;
  using Values = GPUKernelEmitter::Values;

  /// One copy of a thread: a pointer of the factor, and elements from there.
  struct Copy {
    unsigned pointer = 0;
    int64_t distance = 0;
  };

  struct Factor {
    Factor(const FactorForm &form, bool isA, const VectorForm &vectors)
        : form(&form), isA(isA), vectors(vectors) {}
    const FactorForm *form;
    bool isA;
    VectorForm vectors;
    /// Points of the tile along the factor's own dimensions and summed ones,
    /// and those of a warp.
    int64_t tile = 1, tileK = 1, warpTile = 1;
    /// Own points of the whole space, in vectors where these go along them.
    sym::ExprAttr total;
    TilePlaces places;
    /// Where the tile is in a stage.
    int64_t offset = 0;
    /// What computes the value, in order; without the load of a copy.
    llvm::SmallVector<mlir::Operation *> slice;
    /// Threads and items along rows of the tile (`fast`) and over rows.
    int64_t threadsFast = 1, threadsSlow = 1, itemsFast = 1, itemsSlow = 1;
    mlir::Value threadFast, threadSlow;
    /// Whether the thread has a part at all; null if all have.
    mlir::Value active;
    /// Own items of this thread.
    llvm::SmallVector<Item> own;
    ThreadPlace place;
    /// Where the copies of the first tile read, if every tile adds the same
    /// number of elements; and that number.
    llvm::SmallVector<mlir::Value> pointers;
    llvm::SmallVector<Copy> copies;
    sym::ExprAttr kStride;

    bool isVectorAlongK() const { return form->alongK && form->width > 1; }
    int64_t getItemsOwn() const { return form->alongK ? itemsSlow : itemsFast; }
    int64_t getItemsK() const { return form->alongK ? itemsFast : itemsSlow; }
  };
  /// The summed points that one thread loads of a tile.
  struct KItems {
    llvm::SmallVector<Item> items;
    /// Whether each is inside; null where it must be.
    llvm::SmallVector<mlir::Value> inside;
  };
  /// What a warp multiplies in one step.
  struct Fragments {
    Values a, b;
  };

  //===--- Structure (EmitMma.cpp) ----------------------------------------===//

  void decodeBlock();
  mlir::LogicalResult emitMainLoop(Values &sums);
  mlir::LogicalResult emitStages(Values &sums);
  mlir::LogicalResult emitEpilogue(llvm::ArrayRef<mlir::Value> sums);
  Item getResultItem(mlir::Value row, mlir::Value column);
  mlir::Value minIndex(mlir::Value a, mlir::Value b);
  mlir::Value addIndex(mlir::Value a, mlir::Value b);
  mlir::Value mulIndex(mlir::Value a, int64_t b);
  /// Pointer into shared memory: constant and variable bytes.
  mlir::Value sharedAt(mlir::Value bytes, int64_t constant = 0);
  mlir::Value nextSlot(mlir::Value slot);

  //===--- Loads (EmitMmaLoad.cpp) ----------------------------------------===//

  void prepareFactor(Factor &factor);
  void prepareItems(Factor &factor);
  void preparePointers(Factor &factor);
  /// Runs `body` with the forms and items of the factor.
  mlir::LogicalResult inFactor(Factor &factor, llvm::ArrayRef<Item> kItems,
                               GPUKernelEmitter::Body body);
  KItems getKItems(Factor &factor, mlir::Value tile, bool clamp);
  /// Starts the copies of a tile to a slot, or one of equal parts of them;
  /// zeros where the tile does not exist (null: it must).
  mlir::LogicalResult copyTile(Factor &factor, mlir::Value tile,
                               mlir::Value slot, mlir::Value exists,
                               int64_t part = 0, int64_t parts = 1);
  /// Loads a tile, and computes the factor's values, in registers.
  mlir::LogicalResult loadTile(Factor &factor, mlir::Value tile,
                               Copies &copies);
  void storeTile(Factor &factor, Copies &copies, mlir::Value slot);
  /// Calls `fn` with the number of every own and summed item and its distance
  /// in the tile.
  void
  forEachItem(const Factor &factor,
              llvm::function_ref<void(unsigned, unsigned, int64_t)> fn) const;
  mlir::LogicalResult emitIfActive(Factor &factor, GPUKernelEmitter::Body body);

  //===--- Fragments (EmitMmaFragments.cpp) -------------------------------===//

  void prepareFragments();
  /// Steps that a warp takes through a tile.
  int64_t getNumSteps() const;
  Values loadMatrices(Factor &factor, int64_t step, mlir::Value slot);
  Values loadWords(Factor &factor, int64_t step, mlir::Value slot);
  Values loadDoubles(Factor &factor, int64_t step, mlir::Value slot);
  Values loadVectors(Factor &factor, mlir::Value step, mlir::Value slot);
  Fragments loadFragments(int64_t step, mlir::Value slot);
  Fragments loadFragments(mlir::Value step, mlir::Value slot);
  void multiply(const Fragments &fragments, Values &sums);
  void multiplyHalves(const Fragments &fragments, Values &sums);
  void multiplyTF32(const Fragments &fragments, Values &sums);
  void multiplyDoubles(const Fragments &fragments, Values &sums);
  void multiplyVectors(const Fragments &fragments, Values &sums);
  void multiplyTile(mlir::Value slot, Values &sums);
  mlir::Value getDescriptor(Factor &factor, mlir::Value slot);
  bool isWgmma() const { return mma.getInstruction() == MmaInstruction::Wgmma; }
  /// Sums of a thread, those of `wgmma` in one structure.
  Values getZeroSums();
  void splitSums(Values &sums);
  /// Writes the sums to shared memory, as rows of `getPitch` elements.
  void storeSums(llvm::ArrayRef<mlir::Value> sums);
  int64_t getPitch() const;
  /// Own points of a thread in a fragment for `fma`: runs of neighbours.
  int64_t getRun(const Factor &factor) const;
  int64_t getThreadItems(const Factor &factor) const;

  GPUKernelEmitter &e;
  mlir::ImplicitLocOpBuilder &b;
  Bits bits;
  ContractionForm form;
  MmaAttr mma;
  KernelOp kernel;
  Factor a, bFactor;
  int64_t numThreads, stageBytes = 0, sharedBytes = 0;
  sym::ExprAttr totalK, tilesM, tilesN;
  mlir::Type sumType;
  int64_t sumBytes = 4;

  mlir::Value threadId, lane, warpM, warpN, warpK;
  /// The block's tile, in tiles.
  mlir::Value tileM, tileN;
  llvm::SmallVector<mlir::Value> blockPositions;
  mlir::Value numTilesK;
  /// Places of fragments, by factor; what is a warp group's for `wgmma`.
  ThreadPlace fragmentA, fragmentB;
};

} // namespace coil::loop

#endif // COIL_LIB_CONVERSION_LOOPTOGPU_MMAEMITTER_H
