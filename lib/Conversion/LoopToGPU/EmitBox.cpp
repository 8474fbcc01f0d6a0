//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The strategy `box`, see BoxForm.h: staged loads in their own orders, a
// barrier, the body in the box's order, and where stores are staged, another
// barrier and those in their own orders.
//
//===----------------------------------------------------------------------===//

#include "GPUKernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

/// Items of a thread that the body is emitted for at a time: the loads of that
/// many are under way together, and as many values are in registers.
static constexpr size_t kItemsTogether = 4;

/// One staged access.
struct GPUKernelEmitter::BoxStage {
  BoxAccess access;
  BoxOrder order;
  BoxPlaces places;
  Type memory;
  /// Where it begins in shared memory.
  int64_t offset = 0;

  bool isLoad() const { return isa<LoadOp>(access.op); }
};

SmallVector<BoxSide> GPUKernelEmitter::getBoxSides() const {
  SmallVector<BoxSide> sides;
  for (auto [d, size] : llvm::zip_equal(schedule.getBoxDims().asArrayRef(),
                                        schedule.getBox().asArrayRef()))
    sides.push_back({static_cast<unsigned>(d), size});
  return sides;
}

std::vector<GPUKernelEmitter::BoxStage> GPUKernelEmitter::getBoxStages() {
  SmallVector<BoxSide> sides = getBoxSides();
  SmallVector<double> extents = getBoxExtents(kernel);
  std::vector<BoxStage> stages;
  for (BoxAccess &access : getBoxAccesses(kernel, layout)) {
    if (!access.isStaged(sides, extents))
      continue;
    BoxStage s;
    s.order = getBoxOrder(access.getOwnOrder(sides), threadsP);
    s.places = getBoxPlaces(access, sides);
    s.memory = getMemoryType(access.scalar);
    s.offset = sharedBytes;
    sharedBytes += static_cast<int64_t>(
        llvm::alignTo(static_cast<uint64_t>(s.places.elements * access.bytes),
                      static_cast<uint64_t>(kAccessBytes)));
    s.access = std::move(access);
    stages.push_back(std::move(s));
  }
  return stages;
}

//===----------------------------------------------------------------------===//
// Points
//===----------------------------------------------------------------------===//

SmallVector<GPUKernelEmitter::BoxItem, 0>
GPUKernelEmitter::getBoxItems(const BoxOrder &order) {
  Type i32 = b.getI32Type();
  auto flags =
      arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw;
  // Cuts a number into coordinates, the first side first.
  auto decode = [&](Value number, ArrayRef<BoxSide> sides,
                    SmallVectorImpl<Value> &coordinates) {
    for (auto [i, side] : llvm::enumerate(sides)) {
      if (i + 1 == sides.size()) {
        coordinates[side.dim] = number;
        break;
      }
      Value size = constantI32(side.size);
      coordinates[side.dim] = arith::RemUIOp::create(b, number, size);
      number = arith::DivUIOp::create(b, number, size);
    }
  };
  // What has no point takes that of another thread, and stores nothing.
  Value thread = threadId, isThread;
  if (order.inner * order.groups < threadsP) {
    isThread = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, thread,
                                     constantI32(order.inner * order.groups));
    thread = arith::SelectOp::create(b, isThread, thread, constantI32(0));
  }
  Value group = constantI32(0), inner = thread;
  if (order.groups > 1) {
    group = arith::DivUIOp::create(b, thread, constantI32(order.inner));
    inner = arith::RemUIOp::create(b, thread, constantI32(order.inner));
  }
  ArrayRef<BoxSide> sides(order.sides);
  SmallVector<Value> first(kernel.getNumDims());
  decode(inner, sides.take_front(order.numInner), first);
  SmallVector<BoxItem, 0> items;
  for (int64_t k = 0, n = order.getNumItems(); k < n; ++k) {
    BoxItem item;
    item.coordinates = first;
    item.inBox = isThread;
    Value outer = constantI32(k * order.groups);
    if (order.groups > 1)
      outer = arith::AddIOp::create(b, group, outer, flags);
    if ((k + 1) * order.groups > order.outer) {
      Value isItem = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, outer,
                                           constantI32(order.outer));
      outer = arith::SelectOp::create(b, isItem, outer,
                                      constantI32(order.outer - 1));
      item.inBox = both(item.inBox, isItem);
    }
    decode(outer, sides.drop_front(order.numInner), item.coordinates);
    // Where in the kernel's space.
    item.item.positions = blockPositions;
    item.item.active = item.inBox;
    for (BoxSide side : sides) {
      Value in = item.coordinates[side.dim];
      Value at = arith::AddIOp::create(b, blockPositions[side.dim], toIndex(in),
                                       flags);
      item.item.positions[side.dim] = at;
      if (isDivisible(kernel.getExtent(side.dim), side.size))
        continue;
      Value inside =
          arith::CmpIOp::create(b, arith::CmpIPredicate::ult, at,
                                symbolExpr(kernel.getExtent(side.dim)));
      item.item.active = both(item.item.active, inside);
    }
    for (Value &coordinate : item.coordinates)
      if (!coordinate)
        coordinate = arith::ConstantIntOp::create(b, i32, 0);
    items.push_back(std::move(item));
  }
  return items;
}

Value GPUKernelEmitter::getBoxPlace(const BoxStage &s, const BoxItem &item) {
  auto flags =
      arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw;
  Value place = constantI32(0);
  for (auto [coordinate, step] :
       llvm::zip_equal(item.coordinates, s.places.steps)) {
    if (step == 0)
      continue;
    Value by = coordinate;
    if (step != 1)
      by = arith::MulIOp::create(b, by, constantI32(step), flags);
    place = arith::AddIOp::create(b, place, by, flags);
  }
  return sharedPointer(s.offset, s.memory, place);
}

//===----------------------------------------------------------------------===//
// Through shared memory
//===----------------------------------------------------------------------===//

void GPUKernelEmitter::putBoxItem(const BoxStage &s, const BoxItem &item,
                                  Value value) {
  b.setLoc(s.access.op->getLoc());
  (void)emitIf(item.inBox, [&]() {
    LLVM::StoreOp::create(b, toMemory(value), getBoxPlace(s, item),
                          static_cast<unsigned>(s.access.bytes));
    return success();
  });
}

Value GPUKernelEmitter::takeBoxItem(const BoxStage &s, const BoxItem &item) {
  b.setLoc(s.access.op->getLoc());
  Value value = LLVM::LoadOp::create(b, s.memory, getBoxPlace(s, item),
                                     static_cast<unsigned>(s.access.bytes));
  return fromMemory(value, s.access.scalar);
}

LogicalResult GPUKernelEmitter::loadBox(const BoxStage &s,
                                        ArrayRef<BoxItem> items,
                                        Copies &copies) {
  // Masks of the load are computed where it happens.
  DenseSet<Operation *> needed;
  SmallVector<Operation *> stack{s.access.op};
  while (!stack.empty())
    for (Value v : stack.pop_back_val()->getOperands())
      if (Operation *def = v.getDefiningOp(); def && needed.insert(def).second)
        stack.push_back(def);
  values.clear();
  pItems.clear();
  for (const BoxItem &item : items)
    pItems.push_back(item.item);
  for (Operation &op : *kernel.getBlock())
    if ((needed.contains(&op) || &op == s.access.op) && failed(emitOp(&op)))
      return failure();
  copies = values[s.access.op->getResult(0)];
  return success();
}

LogicalResult GPUKernelEmitter::emitBoxItems(ArrayRef<BoxItem> items,
                                             ArrayRef<BoxStage> stages,
                                             ArrayRef<Operation *> body) {
  values.clear();
  pItems.clear();
  for (const BoxItem &item : items)
    pItems.push_back(item.item);
  for (const BoxStage &s : stages) {
    if (!s.isLoad())
      continue;
    Copies copies;
    copies.overP = true;
    for (const BoxItem &item : items)
      copies.values.push_back(takeBoxItem(s, item));
    values[s.access.op->getResult(0)] = std::move(copies);
  }
  for (Operation *op : body)
    if (failed(emitOp(op)))
      return failure();
  for (const BoxStage &s : stages)
    if (auto store = dyn_cast<StoreOp>(s.access.op))
      for (auto [ip, item] : llvm::enumerate(items))
        putBoxItem(s, item,
                   lookup(store.getValue(), static_cast<unsigned>(ip), 0));
  return success();
}

LogicalResult GPUKernelEmitter::emitBox() {
  threadId = emitThreadId();
  std::vector<BoxStage> stages = getBoxStages();
  SmallVector<BoxSide> sides = getBoxSides();
  // Neighbouring blocks are neighbours along the innermost side.
  SmallVector<unsigned> order;
  SmallVector<int64_t> sizes(kernel.getNumDims(), 1);
  for (BoxSide side : sides)
    sizes[side.dim] = side.size;
  for (unsigned d = 0; d < kernel.getNumDims(); ++d)
    if (!llvm::is_contained(schedule.getBoxDims().asArrayRef(),
                            static_cast<int64_t>(d)))
      order.push_back(d);
  for (BoxSide side : llvm::reverse(sides))
    order.push_back(side.dim);
  decodeBlock(order, sizes);
  for (BoxSide side : sides)
    if (side.size > 1)
      blockPositions[side.dim] = arith::MulIOp::create(
          b, blockPositions[side.dim], constant(side.size),
          arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw);

  DenseSet<Operation *> staged;
  std::vector<std::pair<SmallVector<BoxItem, 0>, Copies>> loaded;
  for (const BoxStage &s : stages) {
    staged.insert(s.access.op);
    if (!s.isLoad())
      continue;
    auto &[items, copies] = loaded.emplace_back();
    items = getBoxItems(s.order);
    if (failed(loadBox(s, items, copies)))
      return failure();
  }
  size_t next = 0;
  for (const BoxStage &s : stages) {
    if (!s.isLoad())
      continue;
    auto &[items, copies] = loaded[next++];
    for (auto [ip, item] : llvm::enumerate(items))
      putBoxItem(s, item, copies.at(static_cast<unsigned>(ip), 0));
  }
  if (!loaded.empty())
    barrier();

  // What only staged loads need was computed with them.
  DenseSet<Operation *> needed;
  SmallVector<Operation *> stack;
  for (Operation &op : *kernel.getBlock())
    if (isa<StoreOp>(op) && needed.insert(&op).second)
      stack.push_back(&op);
  while (!stack.empty()) {
    Operation *op = stack.pop_back_val();
    if (isa<LoadOp>(op) && staged.contains(op))
      continue;
    for (Value v : op->getOperands())
      if (Operation *def = v.getDefiningOp(); def && needed.insert(def).second)
        stack.push_back(def);
  }
  SmallVector<Operation *> body;
  for (Operation *op : this->order)
    if (needed.contains(op) && !staged.contains(op))
      body.push_back(op);
  SmallVector<BoxItem, 0> points = getBoxItems(getBoxOrder(sides, threadsP));
  ArrayRef<BoxItem> rest(points);
  while (!rest.empty()) {
    size_t count = std::min(rest.size(), kItemsTogether);
    if (failed(emitBoxItems(rest.take_front(count), stages, body)))
      return failure();
    rest = rest.drop_front(count);
  }
  if (llvm::all_of(stages, [](const BoxStage &s) { return s.isLoad(); }))
    return success();
  barrier();
  for (const BoxStage &s : stages) {
    auto store = dyn_cast<StoreOp>(s.access.op);
    if (!store)
      continue;
    SmallVector<BoxItem, 0> items = getBoxItems(s.order);
    values.clear();
    pItems.clear();
    Copies copies;
    copies.overP = true;
    for (const BoxItem &item : items) {
      pItems.push_back(item.item);
      copies.values.push_back(takeBoxItem(s, item));
    }
    values[store.getValue()] = std::move(copies);
    if (failed(emitStore(store)))
      return failure();
  }
  return success();
}
