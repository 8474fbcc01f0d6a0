//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Columns through shared memory. Threads of a reduction down columns are
// neighbours across the columns. An operand whose elements lie along them would
// be read in as many sectors as there are threads; so the threads of a block
// read its columns as these lie in memory, leave them in shared memory, and
// take from there what each of them needs.
//
//===----------------------------------------------------------------------===//

#include "GPUKernelEmitter.h"
#include "StagedColumns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;

SmallVector<LoadOp> loop::findColumnLoads(KernelOp kernel,
                                          const GPUKernelLayout &layout,
                                          int64_t vectorDim,
                                          const llvm::SmallBitVector &reduced) {
  int64_t along = -1;
  for (unsigned d : reduced.set_bits()) {
    if (kernel.getExtent(d).isConstant(1))
      continue;
    if (along >= 0)
      return {};
    along = d;
  }
  if (along < 0 || vectorDim < 0 || reduced[static_cast<size_t>(vectorDim)])
    return {};
  VectorForm across(kernel, layout, vectorDim, 2),
      down(kernel, layout, along, 2);
  DimDependence dependence(kernel);
  // Columns of a window overlap.
  auto isApart = [&](LoadOp load) {
    sym::ExprAttr step = across.getAddress(load).step;
    return step && across.getContext().isLessOrEqual(
                       kernel.getExtent(static_cast<unsigned>(along)), step);
  };
  SmallVector<LoadOp> loads;
  for (auto load : kernel.getBlock()->getOps<LoadOp>())
    if (load.getArgs().empty() && !load.getMask() &&
        dependence[load.getResult()][static_cast<size_t>(vectorDim)] &&
        across.isStrided(load) && down.isContiguous(load) && isApart(load))
      loads.push_back(load);
  return loads;
}

void GPUKernelEmitter::findStaged() {
  if (schedule.getStrategy() != GPUStrategy::Tile || !persistent ||
      vectorIsReduced || width != 1 || cluster > 1 || owners > 0 ||
      !accumulations.empty() || threadsR * itemsR == 1)
    return;
  int64_t rows = threadsR * itemsR, columns = threadsP * itemsP;
  int64_t left = kStagedBytes;
  for (LoadOp load : findColumnLoads(kernel, layout, vectorDim, reducedSet)) {
    int64_t bytes = getStagedBytes(rows, columns, byteWidth(load.getType()));
    // What finds no room is read where it is.
    if (bytes > left)
      continue;
    left -= bytes;
    stagedLoads.push_back(load);
  }
}

void GPUKernelEmitter::stageColumns() {
  if (stagedLoads.empty())
    return;
  int64_t rows = threadsR * itemsR, columns = threadsP * itemsP;
  int64_t threads = threadsP * threadsR, pitch = columns + 1;
  SmallVector<Item> ownP = pItems, ownR = rItems;
  Value thread = emitThreadId();
  // One element after the other down the block's columns.
  SmallVector<Value> places;
  std::vector<Values> loaded(stagedLoads.size());
  for (int64_t i = 0, n = rows * columns / threads; i < n; ++i) {
    Value number = thread;
    if (i > 0)
      number = arith::AddIOp::create(b, thread, constantI32(i * threads));
    Value row = arith::RemUIOp::create(b, number, constantI32(rows));
    Value column = arith::DivUIOp::create(b, number, constantI32(rows));
    Value point = toIndex(column);
    if (blockPoint)
      point = arith::AddIOp::create(b, blockPoint, point,
                                    arith::IntegerOverflowFlags::nsw |
                                        arith::IntegerOverflowFlags::nuw);
    pItems = {getItem(point, parallelDims, totalP,
                      !isDivisible(totalP, columns), /*partial=*/false)};
    rItems = {getItem(toIndex(row), reducedDims, totalR,
                      !totalR.isConstant(rows), /*partial=*/false)};
    places.push_back(arith::AddIOp::create(
        b, arith::MulIOp::create(b, row, constantI32(pitch)), column));
    for (auto [load, list] : llvm::zip_equal(stagedLoads, loaded)) {
      b.setLoc(load.getLoc());
      Condition condition = getCondition(/*overP=*/true, /*overR=*/true, 0, 0,
                                         /*hasLanes=*/false);
      list.push_back(emitLoadLane(load, form.getAddress(load), condition, 0, 0,
                                  /*lane=*/0));
    }
  }
  SmallVector<int64_t> offsets;
  for (auto [load, list] : llvm::zip_equal(stagedLoads, loaded)) {
    b.setLoc(load.getLoc());
    unsigned bytes = byteWidth(load.getType());
    Type memory = getMemoryType(load.getType());
    offsets.push_back(sharedBytes);
    sharedBytes += static_cast<int64_t>(llvm::alignTo(
        static_cast<uint64_t>(getStagedBytes(rows, columns, bytes)), 16));
    for (auto [place, value] : llvm::zip_equal(places, list))
      LLVM::StoreOp::create(b, toMemory(value),
                            sharedPointer(offsets.back(), memory, place),
                            bytes);
  }
  barrier();
  pItems = std::move(ownP);
  rItems = std::move(ownR);
  Value first = arith::AddIOp::create(
      b, arith::MulIOp::create(b, threadR, constantI32(pitch)), threadP);
  for (auto [load, offset] : llvm::zip_equal(stagedLoads, offsets)) {
    b.setLoc(load.getLoc());
    unsigned bytes = byteWidth(load.getType());
    Type memory = getMemoryType(load.getType());
    Copies copies = makeCopies(load.getResult());
    forEachCopy(copies.overP, copies.overR, [&](unsigned ip, unsigned ir) {
      int64_t behind = ir * threadsR * pitch + ip * threadsP;
      Value pointer = sharedPointer(offset + behind * bytes, memory, first);
      copies.values.push_back(fromMemory(
          LLVM::LoadOp::create(b, memory, pointer, bytes), load.getType()));
    });
    values[load.getResult()] = std::move(copies);
  }
}
