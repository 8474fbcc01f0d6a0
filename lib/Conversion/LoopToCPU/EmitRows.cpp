//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions by rows: the reduced dimensions outside, the block of the
// vectorised dimension inside, one accumulator in memory for each of its
// points.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;

void KernelEmitter::allocateRows() {
  Type ptr = LLVM::LLVMPointerType::get(b.getContext());
  for (Operation &op : *kernel.getBlock()) {
    if (!isReduction(&op))
      continue;
    rowReductions.push_back(&op);
    for (Type type : getAccumulatorTypes(&op))
      rowAccumulators.push_back(LLVM::AllocaOp::create(b, ptr, memoryType(type),
                                                       constantIndex(block),
                                                       /*alignment=*/64));
  }
  allocateRowTotals();
}

Value KernelEmitter::rowPointer(Value memory, Type scalar, Value begin,
                                unsigned copy) {
  Value offset = arith::SubIOp::create(b, dimValues[vectorDim], begin);
  if (copy > 0)
    offset = arith::AddIOp::create(b, offset, constantIndex(copy * width));
  return elementPointer(memory, memoryType(scalar), offset);
}

SmallVector<Value> KernelEmitter::loadRows(Operation *op, unsigned first,
                                           Value begin) {
  // A remainder loads whole vectors, too: the block has room for them.
  SmallVector<Value> result;
  for (unsigned copy = 0; copy < copies; ++copy) {
    for (auto [i, type] : llvm::enumerate(getAccumulatorTypes(op))) {
      Type memory = memoryType(type);
      Value pointer = rowPointer(rowAccumulators[first + i], type, begin, copy);
      Value loaded = LLVM::LoadOp::create(b, VectorType::get(width, memory),
                                          pointer, elementBytes(memory));
      result.push_back(fromMemory(loaded, type));
    }
  }
  return result;
}

void KernelEmitter::storeRows(Operation *op, unsigned first, Value begin,
                              ArrayRef<Value> accumulators) {
  SmallVector<Type> types = getAccumulatorTypes(op);
  auto per = static_cast<unsigned>(types.size());
  for (auto [n, value] : llvm::enumerate(accumulators)) {
    unsigned i = static_cast<unsigned>(n) % per;
    unsigned copy = static_cast<unsigned>(n) / per;
    LLVM::StoreOp::create(
        b, toMemory(value),
        rowPointer(rowAccumulators[first + i], types[i], begin, copy),
        elementBytes(memoryType(types[i])));
  }
}

LogicalResult KernelEmitter::emitRows(Value begin, Value end) {
  // Neutral starts.
  auto start = [&]() -> LogicalResult {
    unsigned first = 0;
    for (Operation *op : rowReductions) {
      SmallVector<Value> accumulators;
      for (unsigned copy = 0; copy < copies; ++copy)
        for (Value v : startAccumulators(op))
          accumulators.push_back(broadcast(v));
      storeRows(op, first, begin, accumulators);
      first += accumulatorsPerCopy(op);
    }
    startRowTotals(begin);
    return success();
  };
  if (rowCounter)
    LLVM::StoreOp::create(b, constantIndex(0), rowCounter);
  if (failed(emitColumns(begin, end, start)) ||
      failed(emitRowLoops(0, begin, end)))
    return failure();
  // What is made of the results.
  return emitColumns(begin, end, [&]() -> LogicalResult {
    unsigned first = 0;
    for (Operation *op : rowReductions) {
      SmallVector<Value> accumulators = loadRows(op, first, begin);
      addRowTotals(first, begin, accumulators);
      finishReduction(op, accumulators);
      first += accumulatorsPerCopy(op);
    }
    for (Operation &op : *kernel.getBlock())
      if (!isReduction(&op) && !phases.isInner(&op) &&
          !onceATask.contains(&op) && failed(emitOp(&op)))
        return failure();
    return success();
  });
}

LogicalResult KernelEmitter::emitRowLoops(unsigned depth, Value begin,
                                          Value end) {
  unsigned d = reducedDims[depth];
  Value extent = scalarExpr(kernel.getExtent(d));
  auto loop = [&](Value from, Value to, int64_t step,
                  llvm::function_ref<LogicalResult()> body) {
    auto forOp = scf::ForOp::create(b, from, to, constantIndex(step));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    dimValues[d] = forOp.getInductionVar();
    return body();
  };
  if (depth + 1 < reducedDims.size())
    return loop(constantIndex(0), extent, 1,
                [&] { return emitRowLoops(depth + 1, begin, end); });
  Value rest = arith::RemUIOp::create(b, extent, constantIndex(rows));
  Value middle = arith::SubIOp::create(b, extent, rest);
  if (failed(loop(constantIndex(0), middle, rows,
                  [&] { return emitRowStep(rows, begin, end); })))
    return failure();
  return loop(middle, extent, 1, [&] { return emitRowStep(1, begin, end); });
}

LogicalResult KernelEmitter::emitRowStep(int64_t count, Value begin,
                                         Value end) {
  // What the reductions need and was not computed once a task.
  DenseSet<Operation *> needed;
  SmallVector<Operation *> stack(rowReductions);
  while (!stack.empty())
    for (Value v : stack.pop_back_val()->getOperands())
      if (Operation *def = v.getDefiningOp();
          def && !onceATask.contains(def) && needed.insert(def).second)
        stack.push_back(def);
  // Values of a row as a whole, in front of its elements.
  unsigned d = reducedDims.back();
  Value row = dimValues[d];
  SmallVector<SmallVector<std::pair<Value, Copies>>> wholeRows;
  SmallVector<Value> positions;
  for (int64_t i = 0; i < count; ++i) {
    dimValues[d] =
        i == 0 ? row
               : arith::AddIOp::create(b, row, constantIndex(i)).getResult();
    positions.push_back(dimValues[d]);
    auto &whole = wholeRows.emplace_back();
    for (Operation &op : *kernel.getBlock()) {
      if (!needed.contains(&op) || variesOverVector(op.getResult(0)))
        continue;
      if (failed(emitOp(&op)))
        return failure();
      for (Value v : op.getResults())
        whole.push_back({v, lookup(v)});
    }
  }
  auto emitStep = [&]() -> LogicalResult {
    SmallVector<SmallVector<Value>> accumulators;
    SmallVector<SmallVector<SmallVector<Sample>>> samples(rowReductions.size());
    unsigned first = 0;
    for (Operation *op : rowReductions) {
      accumulators.push_back(loadRows(op, first, begin));
      first += accumulatorsPerCopy(op);
    }
    for (int64_t i = 0; i < count; ++i) {
      dimValues[d] = positions[static_cast<size_t>(i)];
      for (auto &[v, c] : wholeRows[static_cast<size_t>(i)])
        values[v] = c;
      for (Operation &op : *kernel.getBlock())
        if (needed.contains(&op) && variesOverVector(op.getResult(0)) &&
            failed(emitOp(&op)))
          return failure();
      for (auto [n, op] : llvm::enumerate(rowReductions)) {
        auto moments = dyn_cast<WelfordOp>(op);
        if (!moments) {
          accumulate(op, accumulators[n]);
          continue;
        }
        // The rows of a step are one sample of each column.
        b.setLoc(op->getLoc());
        samples[n].resize(copies);
        for (unsigned copy = 0; copy < copies; ++copy)
          samples[n][copy].push_back(getSample(moments, copy));
      }
    }
    for (auto [op, acc, list] :
         llvm::zip_equal(rowReductions, accumulators, samples))
      for (auto [copy, rows] : llvm::enumerate(list)) {
        unsigned per = accumulatorsPerCopy(op);
        addSamples(cast<WelfordOp>(op),
                   MutableArrayRef<Value>(acc).slice(per * copy, per), rows);
      }
    first = 0;
    for (auto [op, acc] : llvm::zip_equal(rowReductions, accumulators)) {
      storeRows(op, first, begin, acc);
      first += accumulatorsPerCopy(op);
    }
    return success();
  };
  if (failed(emitColumns(begin, end, emitStep)))
    return failure();
  return emitRowTotals(count, begin, end);
}
