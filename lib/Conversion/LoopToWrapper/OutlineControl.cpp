//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Branches and loops become those of host programs, where storage is handed
// over instead of values.
//
//===----------------------------------------------------------------------===//

#include "LoopCount.h"
#include "Outliner.h"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

LogicalResult Outliner::convertIf(graph::IfOp op) {
  SmallVector<Type> types;
  for (Type type : op.getResultTypes())
    types.push_back(BufferType::get(cast<RankedTensorType>(type), {}, device));
  auto branch =
      IfOp::create(b, op.getLoc(), types, getForHost(op.getPredicate()),
                   op.getDefinesAttr());
  for (auto [from, to] : llvm::zip(op->getRegions(), branch->getRegions())) {
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&to);
    if (failed(convertOps(from.front())) ||
        failed(convertYield(cast<graph::YieldOp>(from.front().getTerminator()),
                            types, {})))
      return failure();
  }
  for (auto [from, to] : llvm::zip(op.getResults(), branch.getResults()))
    buffers[from] = to;
  return success();
}

LogicalResult Outliner::convertWhile(graph::WhileOp op) {
  // The loop takes over what it is given. A copy of what nobody needs any more
  // is left out by planning.
  SmallVector<Value> inits;
  for (Value value : op.getInits())
    inits.push_back(clone(op.getLoc(), value));
  SmallVector<Type> types(ValueRange(inits).getTypes());
  // Where the host knows how often the body runs it counts by itself, and reads
  // nothing that a device has to compute first.
  ExprAttr count = countIterations(op), iteration;
  ArrayAttr symbols;
  sym::ShapeAttr from;
  if (count) {
    std::string name;
    do
      name = "iteration" + std::to_string(numLoops++);
    while (ranges && ranges.contains(name));
    iteration = sym::symbol(b.getContext(), name);
    symbols = b.getStrArrayAttr({name});
    from =
        sym::ShapeAttr::get(b.getContext(), {sym::constant(b.getContext(), 0)});
  }
  auto loop = WhileOp::create(b, op.getLoc(), types, inits, symbols, from);
  for (auto [from, to] : llvm::zip(op->getRegions(), loop->getRegions())) {
    OpBuilder::InsertionGuard guard(b);
    SmallVector<Location> locs(types.size(), op.getLoc());
    Block *block = b.createBlock(&to, to.end(), types, locs);
    for (auto [value, buffer] :
         llvm::zip(from.getArguments(), block->getArguments()))
      buffers[value] = buffer;
    Operation *end = from.front().getTerminator();
    if (count && isa<graph::ConditionOp>(end)) {
      Value predicate = CompareOp::create(b, end->getLoc(), b.getI1Type(),
                                          iteration, sym::Predicate::Lt, count);
      ConditionOp::create(b, end->getLoc(), predicate, block->getArguments());
      continue;
    }
    if (failed(convertOps(from.front())))
      return failure();
    if (auto condition = dyn_cast<graph::ConditionOp>(end)) {
      Value predicate =
          ItemOp::create(b, end->getLoc(), b.getI1Type(), StringAttr(),
                         buffers[condition.getPredicate()], IntegerAttr())
              .getResult();
      ConditionOp::create(b, end->getLoc(), predicate, block->getArguments());
    } else if (failed(
                   convertYield(cast<graph::YieldOp>(end), types, iteration))) {
      return failure();
    }
  }
  for (auto [from, to] : llvm::zip(op.getResults(), loop.getResults()))
    buffers[from] = to;
  return success();
}

/// What a region gives becomes somebody else's: storage of this region, once.
LogicalResult Outliner::convertYield(graph::YieldOp op, TypeRange types,
                                     ExprAttr iteration) {
  Block *block = b.getInsertionBlock();
  SmallVector<Value> values;
  llvm::SmallDenseSet<Value> given;
  for (auto [value, type] : llvm::zip(op.getValues(), types)) {
    DeviceAttr place = cast<BufferType>(type).getDevice();
    AtDevice scope(*this, place);
    if (getType(buffers[value]).getDevice() != place)
      buffers[value] = moveTo(op.getLoc(), value, place);
    Value buffer = buffers[value], storage = getStorage(buffer);
    bool isOurs = storage.getParentBlock() == block &&
                  (isOwned(buffer) || isa<BlockArgument>(storage));
    bool isWhole = storage == buffer && getType(buffer).isContiguous();
    if (!isOurs || !isWhole || !given.insert(storage).second)
      buffer = clone(op.getLoc(), value);
    values.push_back(buffer);
  }
  sym::ShapeAttr symbols = op.getSymbolsAttr();
  if (iteration)
    symbols = sym::ShapeAttr::get(b.getContext(), {sym::add(iteration, 1)});
  YieldOp::create(b, op.getLoc(), values, symbols);
  return success();
}
