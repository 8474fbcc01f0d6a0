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
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/SaveAndRestore.h"

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
GPUKernelEmitter::getBoxItems(const BoxOrder &order, bool masked) {
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
    ArrayRef<BoxSide> outerSides = sides.drop_front(order.numInner);
    int64_t begin = k * order.groups;
    bool isCut = begin + order.groups > order.outer;
    if (order.isPeriodic() && !isCut) {
      item.apart.emplace(kernel.getNumDims(), 0);
      int64_t rest = begin;
      for (BoxSide side : outerSides) {
        (*item.apart)[side.dim] = rest % side.size;
        rest /= side.size;
      }
    }
    if (order.isPeriodic() && outerSides.size() > 1 && !isCut) {
      // Constants but for the first side, which groups do not cross.
      BoxSide side = outerSides.front();
      item.coordinates[side.dim] = arith::AddIOp::create(
          b, group, constantI32(begin % side.size), flags);
      decode(constantI32(begin / side.size), outerSides.drop_front(),
             item.coordinates);
    } else {
      Value outer = constantI32(begin);
      if (order.groups > 1)
        outer = arith::AddIOp::create(b, group, outer, flags);
      if (isCut) {
        Value isItem = arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                             outer, constantI32(order.outer));
        outer = arith::SelectOp::create(b, isItem, outer,
                                        constantI32(order.outer - 1));
        item.inBox = both(item.inBox, isItem);
      }
      decode(outer, outerSides, item.coordinates);
    }
    // Where in the kernel's space.
    item.item.positions = blockPositions;
    item.item.active = item.inBox;
    for (BoxSide side : sides) {
      Value in = item.coordinates[side.dim];
      Value at = arith::AddIOp::create(b, blockPositions[side.dim], toIndex(in),
                                       flags);
      item.item.positions[side.dim] = at;
      if (!masked || isDivisible(kernel.getExtent(side.dim), side.size))
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

/// What a point that is `apart` from another one adds to its place.
static int64_t getDistance(ArrayRef<int64_t> apart, ArrayRef<int64_t> steps) {
  int64_t distance = 0;
  for (auto [by, step] : llvm::zip_equal(apart, steps))
    distance += by * step;
  return distance;
}

SmallVector<Value> GPUKernelEmitter::getBoxPointers(const BoxStage &s,
                                                    ArrayRef<BoxItem> items) {
  auto flags =
      arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw;
  b.setLoc(s.access.op->getLoc());
  auto getPlace = [&](const BoxItem &item) {
    Value place = constantI32(0);
    for (auto [coordinate, step] :
         llvm::zip_equal(item.coordinates, s.places.steps))
      if (step != 0)
        place = arith::AddIOp::create(
            b, place,
            arith::MulIOp::create(b, coordinate, constantI32(step), flags),
            flags);
    return place;
  };
  SmallVector<Value> pointers;
  Value first = getPlace(items.front());
  const auto &origin = items.front().apart;
  for (const BoxItem &item : items) {
    if (!item.apart || !origin) {
      pointers.push_back(sharedPointer(s.offset, s.memory, getPlace(item)));
      continue;
    }
    int64_t by = getDistance(*item.apart, s.places.steps) -
                 getDistance(*origin, s.places.steps);
    pointers.push_back(
        sharedPointer(s.offset + by * s.access.bytes, s.memory, first));
  }
  return pointers;
}

//===----------------------------------------------------------------------===//
// Through shared memory
//===----------------------------------------------------------------------===//

void GPUKernelEmitter::putBoxItems(
    const BoxStage &s, ArrayRef<BoxItem> items,
    llvm::function_ref<Value(unsigned)> getValue) {
  SmallVector<Value> pointers = getBoxPointers(s, items);
  for (auto [ip, item] : llvm::enumerate(items)) {
    Value value = toMemory(getValue(static_cast<unsigned>(ip)));
    (void)emitIf(item.inBox, [&, ip = ip]() {
      LLVM::StoreOp::create(b, value, pointers[ip],
                            static_cast<unsigned>(s.access.bytes));
      return success();
    });
  }
}

GPUKernelEmitter::Copies
GPUKernelEmitter::takeBoxItems(const BoxStage &s, ArrayRef<BoxItem> items) {
  Copies copies;
  copies.overP = true;
  for (Value pointer : getBoxPointers(s, items))
    copies.values.push_back(
        fromMemory(LLVM::LoadOp::create(b, s.memory, pointer,
                                        static_cast<unsigned>(s.access.bytes)),
                   s.access.scalar));
  return copies;
}

void GPUKernelEmitter::setBoxItems(ArrayRef<BoxItem> items, bool masked) {
  pItems.clear();
  boxApart.clear();
  boxPointers.clear();
  for (const BoxItem &item : items) {
    pItems.push_back(item.item);
    boxApart.push_back(item.apart);
    if (!masked)
      pItems.back().active = {};
  }
  boxBlock = b.getInsertionBlock();
}

std::optional<Value> GPUKernelEmitter::getBoxPointer(unsigned buffer,
                                                     Type element,
                                                     ExprAttr address,
                                                     unsigned ip, bool inside) {
  if (ip >= boxApart.size() || !boxApart[ip] || !boxApart.front())
    return std::nullopt;
  // What the point is away from the thread's first.
  int64_t distance = 0;
  for (unsigned d = 0; d < kernel.getNumDims(); ++d) {
    int64_t by = (*boxApart[ip])[d] - (*boxApart.front())[d];
    auto split = sym::splitLinear(address, sym::dim(b.getContext(), d));
    if (!split || (by != 0 && !split->first.isConstant()))
      return std::nullopt;
    if (by != 0)
      distance += by * split->first.getValue();
  }
  Value &first = boxPointers[{buffer, address}];
  if (!first) {
    // Where all points find it.
    OpBuilder::InsertionGuard guard(b);
    if (b.getInsertionBlock() != boxBlock)
      b.setInsertionPoint(boxBlock->findAncestorOpInBlock(
          *b.getInsertionBlock()->getParentOp()));
    first =
        computeElementPointer(buffer, element, address, 0, 0, {}, 0, inside);
  }
  return advance(first, element, distance, inside);
}

LogicalResult GPUKernelEmitter::loadBox(const BoxStage &s,
                                        ArrayRef<BoxItem> items, bool masked,
                                        Copies &copies) {
  // Masks of the load are computed where it happens, unless points choose.
  DenseSet<Operation *> needed;
  if (s.access.choosesAtPoints)
    needed.insert(s.access.op);
  else
    needed = getNeeded(s.access.op, [](Operation *) { return false; });
  llvm::SaveAndRestore saved(unmasked, s.access.choosesAtPoints
                                           ? cast<LoadOp>(s.access.op)
                                           : LoadOp());
  values.clear();
  setBoxItems(items, masked);
  for (Operation &op : *kernel.getBlock())
    if (needed.contains(&op) && failed(emitOp(&op)))
      return failure();
  copies = values[s.access.op->getResult(0)];
  return success();
}

void GPUKernelEmitter::chooseBoxItems(LoadOp load, Copies staged) {
  b.setLoc(load.getLoc());
  for (auto [ip, value] : llvm::enumerate(staged.values)) {
    auto item = static_cast<unsigned>(ip);
    Value other =
        load.getOther() ? lookupOther(load, item, 0) : zero(value.getType());
    value = arith::SelectOp::create(b, lookup(load.getMask(), item, 0), value,
                                    other);
  }
  values[load.getResult()] = std::move(staged);
}

LogicalResult GPUKernelEmitter::emitBoxItems(ArrayRef<BoxItem> items,
                                             bool masked,
                                             ArrayRef<BoxStage> stages,
                                             ArrayRef<Operation *> body) {
  values.clear();
  setBoxItems(items, masked);
  DenseMap<Operation *, Copies> chosen;
  for (const BoxStage &s : stages) {
    if (!s.isLoad())
      continue;
    Copies copies = takeBoxItems(s, items);
    if (s.access.choosesAtPoints)
      chosen[s.access.op] = copies;
    else
      values[s.access.op->getResult(0)] = copies;
  }
  // Writes come last.
  for (Operation *op : body) {
    if (isa<StoreOp>(op))
      setBoxItems(items, /*masked=*/true);
    auto it = chosen.find(op);
    if (it != chosen.end()) {
      chooseBoxItems(cast<LoadOp>(op), it->second);
      continue;
    }
    if (failed(emitOp(op)))
      return failure();
  }
  for (const BoxStage &s : stages)
    if (auto store = dyn_cast<StoreOp>(s.access.op))
      putBoxItems(s, items,
                  [&](unsigned ip) { return lookup(store.getValue(), ip, 0); });
  return success();
}

LogicalResult GPUKernelEmitter::emitBoxTile(bool masked,
                                            ArrayRef<BoxStage> stages) {
  DenseSet<Operation *> staged;
  std::vector<std::pair<SmallVector<BoxItem, 0>, Copies>> loaded;
  for (const BoxStage &s : stages) {
    if (!s.access.choosesAtPoints)
      staged.insert(s.access.op);
    if (!s.isLoad())
      continue;
    auto &[items, copies] = loaded.emplace_back();
    items = getBoxItems(s.order, masked);
    if (failed(loadBox(s, items, masked, copies)))
      return failure();
  }
  size_t next = 0;
  for (const BoxStage &s : stages) {
    if (!s.isLoad())
      continue;
    auto &[items, copies] = loaded[next++];
    putBoxItems(s, items, [&, &copies = copies](unsigned ip) {
      return copies.at(ip, 0);
    });
  }
  if (!loaded.empty())
    barrier();

  // What only staged loads need was computed with them.
  DenseSet<Operation *> needed = getNeeded(getStores(), [&](Operation *op) {
    return isa<LoadOp>(op) && staged.contains(op);
  });
  SmallVector<Operation *> body;
  for (Operation *op : order)
    if (needed.contains(op) && !staged.contains(op))
      body.push_back(op);
  SmallVector<BoxItem, 0> points =
      getBoxItems(getBoxOrder(getBoxSides(), threadsP), masked);
  ArrayRef<BoxItem> rest(points);
  while (!rest.empty()) {
    size_t count = std::min(rest.size(), kItemsTogether);
    if (failed(emitBoxItems(rest.take_front(count), masked, stages, body)))
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
    SmallVector<BoxItem, 0> items = getBoxItems(s.order, masked);
    values.clear();
    setBoxItems(items, /*masked=*/true);
    values[store.getValue()] = takeBoxItems(s, items);
    if (failed(emitStore(store)))
      return failure();
  }
  return success();
}

LogicalResult GPUKernelEmitter::emitBox() {
  threadId = emitThreadId();
  std::vector<BoxStage> stages = getBoxStages();
  SmallVector<BoxSide> sides = getBoxSides();
  SmallVector<int64_t> sizes(kernel.getNumDims(), 1);
  for (BoxSide side : sides)
    sizes[side.dim] = side.size;
  SmallVector<unsigned> dims = getBoxBlockOrder(
      getBoxAccesses(kernel, layout), sides, getBoxExtents(kernel),
      facts.multiprocessors * facts.countBlocks(threadsP, sharedBytes));
  decodeBlock(dims, sizes);
  // Almost all boxes are whole: they compare nothing.
  Value whole;
  bool neverWhole = false;
  for (BoxSide side : sides) {
    Value &position = blockPositions[side.dim];
    ExprAttr extent = kernel.getExtent(side.dim);
    if (!isDivisible(extent, side.size)) {
      ExprAttr wholeBoxes =
          sym::floorDiv(extent, sym::constant(kernel.getContext(), side.size));
      neverWhole |= form.getContext().bounds(extent).hi < side.size;
      Value inside = arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                           position, symbolExpr(wholeBoxes));
      whole = both(whole, inside);
    }
    if (side.size > 1)
      position = arith::MulIOp::create(b, position, constant(side.size),
                                       arith::IntegerOverflowFlags::nsw |
                                           arith::IntegerOverflowFlags::nuw);
  }
  // An element that another block writes is not read for nothing.
  bool isShared = llvm::is_contained(layout.mayAlias, true);
  if (!whole || neverWhole || isShared)
    return emitBoxTile(/*masked=*/whole || isShared, stages);
  auto choice = scf::IfOp::create(b, whole, /*withElseRegion=*/true);
  for (bool masked : {false, true}) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(masked ? choice.elseBlock()
                                      : choice.thenBlock());
    if (failed(emitBoxTile(masked, stages)))
      return failure();
  }
  return success();
}
