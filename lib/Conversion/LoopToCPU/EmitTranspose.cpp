//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands of a CPU kernel that lie in rows along another dimension than the
// vector's.
//
// A tile of `width` by `width` points is loaded row by row, each a vector along
// the transposed dimension, transposed in registers, and stored to a tile in
// the task's memory, which the first cache holds. The body then runs for one
// point of the transposed dimension after the other, and loads vectors along
// the vector dimension from there.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

/// Tiles begin where cache lines do.
static constexpr unsigned kTileAlignment = 64;

void KernelEmitter::allocateTiles() {
  MLIRContext *ctx = b.getContext();
  ExprAttr along = sym::dim(ctx, static_cast<unsigned>(transposeDim)),
           across = sym::dim(ctx, static_cast<unsigned>(vectorDim));
  for (LoadOp load : kernel.getBlock()->getOps<LoadOp>()) {
    if (load.getMask() || !load.getArgs().empty() ||
        !variesOverVector(load.getResult()))
      continue;
    unsigned number = cast<BlockArgument>(load.getSource()).getArgNumber();
    ExprAttr address =
        linearAddress(load.getIndices().getDims(), layout.strides[number]);
    auto rows = sym::splitLinear(address, along);
    auto columns = sym::splitLinear(address, across);
    if (!rows || !rows->first.isConstant(1) ||
        (columns && columns->first.isConstant(1)))
      continue;
    tiles[load] = LLVM::AllocaOp::create(
        b, LLVM::LLVMPointerType::get(ctx), memoryType(load.getType()),
        constantIndex(width * width), kTileAlignment);
  }
}

unsigned KernelEmitter::getTileAlignment(Type scalar) const {
  return std::min(kTileAlignment,
                  static_cast<unsigned>(width) * elementBytes(scalar));
}

Value KernelEmitter::loadFromTile(LoadOp load) {
  auto *tile = tiles.find(load);
  if (tile == tiles.end())
    return {};
  Type memory = memoryType(load.getType());
  Value offset = arith::MulIOp::create(b, tileRow, constantIndex(width));
  return LLVM::LoadOp::create(b, VectorType::get(width, memory),
                              elementPointer(tile->second, memory, offset),
                              getTileAlignment(load.getType()));
}

/// The transpose of a square of vectors. Each round interleaves the first half
/// of the vectors with the second: lane j of vector i moves to where the number
/// (i, j), rotated by a bit, points.
static SmallVector<Value> transpose(ImplicitLocOpBuilder &b,
                                    SmallVector<Value> vectors) {
  auto n = static_cast<int64_t>(vectors.size());
  SmallVector<int64_t> low, high;
  for (int64_t lane = 0; lane < n / 2; ++lane) {
    low.append({lane, n + lane});
    high.append({n / 2 + lane, n + n / 2 + lane});
  }
  for (int64_t round = 1; round < n; round *= 2) {
    SmallVector<Value> next;
    for (int64_t i = 0; i < n / 2; ++i) {
      Value first = vectors[static_cast<size_t>(i)],
            second = vectors[static_cast<size_t>(i + n / 2)];
      next.push_back(vector::ShuffleOp::create(b, first, second, low));
      next.push_back(vector::ShuffleOp::create(b, first, second, high));
    }
    vectors = std::move(next);
  }
  return vectors;
}

void KernelEmitter::loadTile(LoadOp load, Value first, Value active) {
  unsigned number = cast<BlockArgument>(load.getSource()).getArgNumber();
  Type memory = memoryType(load.getType());
  auto type = VectorType::get(width, memory);
  unsigned alignment = elementBytes(load.getType());
  ExprAttr address =
      linearAddress(load.getIndices().getDims(), layout.strides[number]);
  auto dim = static_cast<unsigned>(vectorDim);
  Value begin = dimValues[dim];
  Value last = arith::SubIOp::create(b, scalarExpr(kernel.getExtent(dim)),
                                     constantIndex(1));
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  dimValues[static_cast<size_t>(transposeDim)] = first;
  SmallVector<Value> rows;
  for (int64_t i = 0; i < width; ++i) {
    // Lanes behind the end read the last row again; nobody stores them.
    Value at = arith::AddIOp::create(b, begin, constantIndex(i));
    dimValues[dim] =
        tailMask(0) ? arith::MinSIOp::create(b, at, last).getResult() : at;
    rows.push_back(
        loadVector(elementPointer(buffers[number], memory, scalarExpr(address)),
                   type, active, zero, alignment));
  }
  dimValues[dim] = begin;
  Value tile = tiles[load];
  for (auto [i, vector] : llvm::enumerate(transpose(b, std::move(rows))))
    LLVM::StoreOp::create(
        b, vector,
        elementPointer(tile, memory,
                       constantIndex(static_cast<int64_t>(i) * width)),
        getTileAlignment(load.getType()));
}

LogicalResult KernelEmitter::emitTile(Value first, Value count, Value active) {
  for (auto &[load, tile] : tiles)
    loadTile(cast<LoadOp>(load), first, active);
  auto loop = scf::ForOp::create(b, constantIndex(0), count, constantIndex(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  tileRow = loop.getInductionVar();
  dimValues[static_cast<size_t>(transposeDim)] =
      arith::AddIOp::create(b, first, tileRow);
  return emitPoint();
}

LogicalResult KernelEmitter::emitTransposed(Value begin, Value end) {
  auto dim = static_cast<unsigned>(transposeDim);
  Value rowBegin = transposeBegin;
  Value rowEnd = arith::MinSIOp::create(
      b, arith::AddIOp::create(b, rowBegin, constantIndex(transposeBlock)),
      scalarExpr(kernel.getExtent(dim)));
  Value rest = arith::RemUIOp::create(
      b, arith::SubIOp::create(b, rowEnd, rowBegin), constantIndex(width));
  Value middle = arith::SubIOp::create(b, rowEnd, rest);
  return emitColumns(begin, end, [&]() -> LogicalResult {
    auto whole = scf::ForOp::create(b, rowBegin, middle, constantIndex(width));
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(whole.getBody());
      if (failed(emitTile(whole.getInductionVar(), constantIndex(width),
                          /*active=*/nullptr)))
        return failure();
    }
    // At most one tile is cut off.
    auto part = scf::ForOp::create(b, middle, rowEnd, constantIndex(width));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(part.getBody());
    Value active = arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                         laneNumbers(), broadcast(rest));
    return emitTile(part.getInductionVar(), rest, active);
  });
}
