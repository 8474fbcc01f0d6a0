//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The strategy `transpose`: a block computes a tile of two dimensions. A thread
// computes *items*, vectors along the vector dimension `v`. Accesses that are
// contiguous along the other dimension `t` are *staged*: they happen in
// *units*, a few vectors along `t` next to each other along `v`, and the
// elements pass between units and items through shared memory.
//
//===----------------------------------------------------------------------===//

#include "GPUKernelEmitter.h"
#include "ThreadBits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

/// Bytes of all banks of shared memory: 32 of 4 on all GPUs that there is a
/// table of (CUDA C++ Programming Guide, "Shared Memory" of each capability).
static constexpr int64_t kBanksBytes = 128;

static int64_t log2(int64_t x) {
  return llvm::Log2_64(static_cast<uint64_t>(x));
}

/// One staged access and its part of shared memory, where the tile lies row by
/// row along `v`. The rows are cut into chunks, which are permuted so that both
/// sides use all banks: units next to each other along `t` write to the same
/// place of different rows, so the number of the unit picks the chunk.
///
/// All sizes are powers of two, and what a place adds to an address is the
/// exclusive or of what its bits add.
struct GPUKernelEmitter::Staging {
  Operation *op;
  VectorForm form;
  /// Of an element in memory.
  Type memory = Type();
  int64_t bytes = 1;
  /// Elements of a unit along `t`, which are its lanes, and along `v`.
  int64_t wide = 1, high = 1;
  /// Units of a tile, and those of one warp.
  int64_t unitsT = 1, unitsV = 1, lanesT = 1, lanesV = 1;
  /// Elements of a chunk.
  int64_t chunk = 1;
  int64_t tileV = 1;
  /// Where the tile begins.
  int64_t offset = 0;

  bool isLoad() const { return isa<LoadOp>(op); }
  /// The element type that the body has.
  Type scalar() const {
    if (auto load = dyn_cast<LoadOp>(op))
      return load.getType();
    return cast<StoreOp>(op).getValue().getType();
  }
  int64_t rowChunks() const { return tileV / chunk; }
  int64_t swizzleMask() const {
    return std::max<int64_t>(1, kBanksBytes / (chunk * bytes)) - 1;
  }
  int64_t swizzleShift() const {
    return std::max(log2(swizzleMask() + 1), log2(rowChunks() * wide));
  }
  /// Byte of an element of the tile.
  int64_t place(int64_t t, int64_t v) const {
    int64_t n = t * rowChunks() + v / chunk;
    n ^= (n >> swizzleShift()) & swizzleMask();
    return (n * chunk + v % chunk) * bytes;
  }
  /// First element of a unit: units go over the lanes of a warp, then along `t`
  /// and then `v`.
  std::pair<int64_t, int64_t> unit(int64_t n) const {
    int64_t inT = n % lanesT, inV = n / lanesT % lanesV;
    int64_t warp = n / (lanesT * lanesV), across = unitsT / lanesT;
    return {(warp % across * lanesT + inT) * wide,
            (warp / across * lanesV + inV) * high};
  }
};

/// The byte of the element at `t`, `v`.
template <typename Staging>
static Value emitPlace(Bits bits, const Staging &s, Value t, Value v) {
  Value n =
      bits.join(bits.shl(t, log2(s.rowChunks())), bits.shr(v, log2(s.chunk)));
  if (int64_t mask = s.swizzleMask())
    n = bits.flip(n, bits.low(bits.shr(n, s.swizzleShift()), mask + 1));
  Value in = bits.low(v, s.chunk);
  return bits.shl(bits.join(bits.shl(n, log2(s.chunk)), in), log2(s.bytes));
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

std::vector<GPUKernelEmitter::Staging> GPUKernelEmitter::getStages() {
  std::vector<Staging> stages;
  VectorForm across(kernel, layout, transposeDim, 2);
  VectorForm along(kernel, layout, vectorDim, 2);
  for (Operation &op : *kernel.getBlock()) {
    if (!isa<LoadOp, StoreOp>(op) || !along.isStrided(&op) ||
        !across.isContiguous(&op))
      continue;
    Staging s{&op, across};
    Type scalar = s.scalar();
    s.memory = getMemoryType(scalar);
    s.bytes = s.memory.getIntOrFloatBitWidth() / 8;
    s.tileV = tileV;
    // As wide as provably aligned, words in shared memory where possible.
    s.wide = std::min(tileT, std::max<int64_t>(1, kAccessBytes / s.bytes));
    s.high = std::min(tileV, std::max<int64_t>(1, kWordBytes / s.bytes));
    auto fits = [&]() {
      s.unitsT = tileT / s.wide;
      s.unitsV = tileV / s.high;
      return s.unitsT * s.unitsV >= threadsP;
    };
    for (; s.wide > 1; s.wide /= 2) {
      s.form = VectorForm(kernel, layout, transposeDim, s.wide);
      auto load = dyn_cast<LoadOp>(op);
      bool maskHasLanes =
          load && load.getMask() && s.form.isVector(load.getMask());
      if (fits() && s.form.isExact() && !maskHasLanes &&
          s.form.getAddress(&op).alignment == s.wide)
        break;
    }
    if (s.wide == 1)
      s.form = VectorForm(kernel, layout, transposeDim, 1);
    while (!fits())
      s.high /= 2;
    int64_t warp = std::min(facts.warpSize, threadsP);
    s.lanesT =
        std::min({warp, s.unitsT,
                  std::max<int64_t>(1, kBanksBytes / (s.wide * s.bytes))});
    s.lanesV = std::min(warp / s.lanesT, s.unitsV);
    s.lanesT = warp / s.lanesV;
    s.chunk = std::max({width, s.high, std::min(s.lanesV * s.high, tileV)});
    s.offset = sharedBytes;
    sharedBytes += static_cast<int64_t>(
        llvm::alignTo(static_cast<uint64_t>(tileT * tileV * s.bytes),
                      static_cast<uint64_t>(kAccessBytes)));
    stages.push_back(std::move(s));
  }
  return stages;
}

void GPUKernelEmitter::decodeBlock(ArrayRef<unsigned> order,
                                   ArrayRef<int64_t> sizes) {
  unsigned numDims = kernel.getNumDims();
  blockPositions.resize(numDims);
  SmallVector<ExprAttr> counts(kernel.getDims().getDims().begin(),
                               kernel.getDims().getDims().end());
  for (auto [count, size] : llvm::zip_equal(counts, sizes))
    count = sym::ceilDiv(count, sym::constant(kernel.getContext(), size));
  auto isOne = [&](unsigned d) { return counts[d].isConstant(1); };
  int64_t left = llvm::count_if(order, [&](unsigned d) { return !isOne(d); });
  Value number = arith::IndexCastUIOp::create(
      b, indexType, gpu::BlockIdOp::create(b, gpu::Dimension::x));
  for (unsigned d : llvm::reverse(order)) {
    Value &position = blockPositions[d];
    if (isOne(d)) {
      position = constant(0);
      continue;
    }
    if (--left == 0) {
      position = number;
      continue;
    }
    Value n = symbolExpr(counts[d]);
    // Nothing may trap where a dimension is empty.
    if (form.getContext().bounds(counts[d]).lo < 1)
      n = arith::MaxSIOp::create(b, n, constant(1));
    position = arith::RemUIOp::create(b, number, n);
    number = arith::DivUIOp::create(b, number, n);
  }
}

//===----------------------------------------------------------------------===//
// Items and units
//===----------------------------------------------------------------------===//

GPUKernelEmitter::Item GPUKernelEmitter::getTileItem(Value t, Value v,
                                                     bool masked) {
  Item item;
  item.positions = blockPositions;
  auto flags =
      arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw;
  for (auto [number, block, in, size] :
       {std::tuple(schedule.getVectorDim(), blockV, v, tileV),
        std::tuple(transposeDim, blockT, t, tileT)}) {
    auto dim = static_cast<unsigned>(number);
    ExprAttr extent = kernel.getExtent(dim);
    int64_t step = number == vectorDim ? size / width : size;
    Value first = arith::MulIOp::create(b, block, constant(step), flags);
    Value at = arith::AddIOp::create(b, first, toIndex(in), flags);
    item.positions[dim] = at;
    if (!masked || isDivisible(extent, size))
      continue;
    Value inside = arith::CmpIOp::create(
        b, arith::CmpIPredicate::ult, at,
        symbolExpr(form.getContext().getDimExtents()[dim]));
    item.active = both(item.active, inside);
  }
  if (masked && !form.isExact())
    cutLanes(item);
  return item;
}

SmallVector<GPUKernelEmitter::Item>
GPUKernelEmitter::getTileItems(bool masked) {
  Bits bits(b);
  Value v = bits.low(threadId, threadsV);
  Value t = bits.shr(threadId, log2(threadsV));
  SmallVector<Item> items;
  for (int64_t i = 0; i < itemsT; ++i)
    for (int64_t j = 0; j < itemsV; ++j)
      items.push_back(getTileItem(bits.join(t, bits.constant(i * threadsT)),
                                  bits.join(v, bits.constant(j * threadsV)),
                                  masked));
  return items;
}

/// First element of the first unit of a thread.
template <typename Staging>
static std::pair<Value, Value> emitUnit(Bits bits, const Staging &s,
                                        Value thread) {
  Value inT = bits.low(thread, s.lanesT);
  Value inV = bits.low(bits.shr(thread, log2(s.lanesT)), s.lanesV);
  Value warp = bits.shr(thread, log2(s.lanesT * s.lanesV));
  int64_t across = s.unitsT / s.lanesT;
  Value t = bits.join(bits.shl(bits.low(warp, across), log2(s.lanesT)), inT);
  Value v =
      bits.join(bits.shl(bits.shr(warp, log2(across)), log2(s.lanesV)), inV);
  return {bits.shl(t, log2(s.wide)), bits.shl(v, log2(s.high))};
}

SmallVector<GPUKernelEmitter::Item> GPUKernelEmitter::getUnits(const Staging &s,
                                                               bool masked) {
  Bits bits(b);
  auto [t0, v0] = emitUnit(bits, s, threadId);
  SmallVector<Item> items;
  for (int64_t n = 0; n < s.unitsT * s.unitsV; n += threadsP) {
    auto [t, v] = s.unit(n);
    for (int64_t k = 0; k < s.high; ++k)
      items.push_back(
          getTileItem(bits.shr(bits.join(t0, bits.constant(t)), log2(s.wide)),
                      bits.join(v0, bits.constant(v + k)), masked));
  }
  return items;
}

LogicalResult GPUKernelEmitter::inUnits(Staging &s, bool masked, Body body) {
  int64_t outerWidth = width;
  SmallVector<Item> outerItems = std::move(pItems);
  DenseMap<Value, Copies> outerValues = std::move(values);
  values.clear();
  std::swap(form, s.form);
  width = s.wide;
  vectorDim = transposeDim;
  pItems = getUnits(s, masked);
  LogicalResult result = body();
  vectorDim = schedule.getVectorDim();
  width = outerWidth;
  std::swap(form, s.form);
  values = std::move(outerValues);
  pItems = std::move(outerItems);
  return result;
}

DenseSet<Operation *> GPUKernelEmitter::getNeeded(
    ArrayRef<Operation *> roots,
    llvm::function_ref<bool(Operation *)> isLeaf) const {
  DenseSet<Operation *> needed(roots.begin(), roots.end());
  SmallVector<Operation *> stack(roots);
  while (!stack.empty()) {
    Operation *op = stack.pop_back_val();
    if (isLeaf(op))
      continue;
    for (Value v : op->getOperands())
      if (Operation *def = v.getDefiningOp(); def && needed.insert(def).second)
        stack.push_back(def);
  }
  return needed;
}

SmallVector<Operation *> GPUKernelEmitter::getStores() const {
  SmallVector<Operation *> stores;
  for (Operation &op : *KernelOp(kernel).getBlock())
    if (isa<StoreOp>(op))
      stores.push_back(&op);
  return stores;
}

LogicalResult GPUKernelEmitter::loadUnits(Staging &s, bool masked,
                                          Copies &copies) {
  // Masks and indices of the load are computed where it happens.
  DenseSet<Operation *> needed =
      getNeeded(s.op, [](Operation *) { return false; });
  return inUnits(s, masked, [&]() -> LogicalResult {
    for (Operation &op : *kernel.getBlock())
      if (needed.contains(&op) && failed(emitOp(&op)))
        return failure();
    copies = values[s.op->getResult(0)];
    return success();
  });
}

//===----------------------------------------------------------------------===//
// Through shared memory
//===----------------------------------------------------------------------===//

/// Calls `fn` with every row of every unit of a thread: the number of its first
/// item, the lane, and the distance to the thread's first element.
template <typename Staging, typename Fn>
static void forEachUnitRow(const Staging &s, int64_t numThreads, Fn fn) {
  size_t item = 0;
  for (int64_t n = 0; n < s.unitsT * s.unitsV;
       n += numThreads, item += static_cast<size_t>(s.high)) {
    auto [t, v] = s.unit(n);
    for (int64_t lane = 0; lane < s.wide; ++lane)
      fn(item, lane, s.place(t + lane, v));
  }
}

void GPUKernelEmitter::putUnits(Staging &s, Copies &copies) {
  b.setLoc(s.op->getLoc());
  Bits bits(b);
  Places places(threadsP, [&](int64_t thread) {
    auto [t, v] = s.unit(thread);
    return s.place(t, v);
  });
  auto [t, v] = emitUnit(bits, s, threadId);
  places.first = emitPlace(bits, s, t, v);
  SmallVector<Value> inMemory;
  for (Value value : copies.values)
    inMemory.push_back(toMemory(value));
  auto alignment = static_cast<unsigned>(s.high * s.bytes);
  forEachUnitRow(s, threadsP, [&](size_t item, int64_t lane, int64_t by) {
    SmallVector<Value> column;
    for (size_t k = 0; k < static_cast<size_t>(s.high); ++k)
      column.push_back(extract(inMemory[item + k], lane));
    auto [flip, add] = places.split(by);
    Value pointer = sharedPointer(s.offset + add, b.getI8Type(),
                                  bits.flip(places.first, flip));
    LLVM::StoreOp::create(b, s.high == 1 ? column[0] : fromLanes(column),
                          pointer, alignment);
  });
}

GPUKernelEmitter::Copies GPUKernelEmitter::takeUnits(Staging &s) {
  b.setLoc(s.op->getLoc());
  Bits bits(b);
  Places places(threadsP, [&](int64_t thread) {
    auto [t, v] = s.unit(thread);
    return s.place(t, v);
  });
  auto [t, v] = emitUnit(bits, s, threadId);
  places.first = emitPlace(bits, s, t, v);
  auto alignment = static_cast<unsigned>(s.high * s.bytes);
  Type type = s.memory;
  if (s.high > 1)
    type = VectorType::get(s.high, s.memory);
  SmallVector<SmallVector<Value>> lanes;
  forEachUnitRow(s, threadsP, [&](size_t item, int64_t, int64_t by) {
    auto [flip, add] = places.split(by);
    Value pointer = sharedPointer(s.offset + add, b.getI8Type(),
                                  bits.flip(places.first, flip));
    Value column = LLVM::LoadOp::create(b, type, pointer, alignment);
    lanes.resize(std::max(lanes.size(), item + static_cast<size_t>(s.high)));
    for (int64_t k = 0; k < s.high; ++k)
      lanes[item + static_cast<size_t>(k)].push_back(extract(column, k));
  });
  Copies copies;
  copies.overP = true;
  for (SmallVector<Value> &item : lanes) {
    Value value = s.wide == 1 ? item[0] : fromLanes(item);
    copies.values.push_back(fromMemory(value, s.scalar()));
  }
  return copies;
}

/// Calls `fn` with the distance of every item of a thread to its first.
template <typename Staging, typename Fn>
static void forEachItem(Bits bits, const Staging &s, Value thread,
                        int64_t width, int64_t threadsV, int64_t threadsT,
                        int64_t itemsV, int64_t itemsT, Fn fn) {
  Places places(threadsV * threadsT, [&](int64_t n) {
    return s.place(n / threadsV, n % threadsV * width);
  });
  Value v = bits.shl(bits.low(thread, threadsV), log2(width));
  Value t = bits.shr(thread, log2(threadsV));
  places.first = emitPlace(bits, s, t, v);
  for (int64_t i = 0; i < itemsT; ++i)
    for (int64_t j = 0; j < itemsV; ++j) {
      auto [flip, add] =
          places.split(s.place(i * threadsT, j * threadsV * width));
      fn(static_cast<unsigned>(i * itemsV + j), add,
         bits.flip(places.first, flip));
    }
}

void GPUKernelEmitter::putItems(Staging &s) {
  b.setLoc(s.op->getLoc());
  Value stored = cast<StoreOp>(s.op).getValue();
  auto alignment =
      static_cast<unsigned>(std::min(kAccessBytes, width * s.bytes));
  forEachItem(Bits(b), s, threadId, width, threadsV, threadsT, itemsV, itemsT,
              [&](unsigned item, int64_t add, Value index) {
                Value value = toMemory(lookup(stored, item, 0));
                if (width > 1)
                  value = broadcast(value);
                LLVM::StoreOp::create(
                    b, value,
                    sharedPointer(s.offset + add, b.getI8Type(), index),
                    alignment);
              });
}

GPUKernelEmitter::Copies GPUKernelEmitter::takeItems(Staging &s) {
  b.setLoc(s.op->getLoc());
  auto alignment =
      static_cast<unsigned>(std::min(kAccessBytes, width * s.bytes));
  Type type = s.memory;
  if (width > 1)
    type = VectorType::get(width, s.memory);
  Copies copies;
  copies.overP = true;
  forEachItem(Bits(b), s, threadId, width, threadsV, threadsT, itemsV, itemsT,
              [&](unsigned, int64_t add, Value index) {
                Value value = LLVM::LoadOp::create(
                    b, type,
                    sharedPointer(s.offset + add, b.getI8Type(), index),
                    alignment);
                copies.values.push_back(fromMemory(value, s.scalar()));
              });
  return copies;
}

//===----------------------------------------------------------------------===//
// The tile
//===----------------------------------------------------------------------===//

LogicalResult GPUKernelEmitter::emitTile(bool masked,
                                         MutableArrayRef<Staging> stages) {
  values.clear();
  DenseMap<Operation *, Staging *> stageOf;
  SmallVector<Copies> loaded(stages.size());
  bool waits = false;
  // All of them first: they are in flight while the others are issued.
  for (auto [s, copies] : llvm::zip_equal(stages, loaded)) {
    stageOf[s.op] = &s;
    waits |= s.isLoad();
    if (s.isLoad() && failed(loadUnits(s, masked, copies)))
      return failure();
  }
  pItems = getTileItems(masked);
  auto exchange = [&]() {
    waits = false;
    for (auto [s, copies] : llvm::zip_equal(stages, loaded))
      if (s.isLoad())
        putUnits(s, copies);
    barrier();
    for (Staging &s : stages)
      if (s.isLoad())
        values[s.op->getResult(0)] = takeItems(s);
  };
  // What only staged loads need was computed with them.
  DenseSet<Operation *> needed = getNeeded(getStores(), [&](Operation *op) {
    return isa<LoadOp>(op) && stageOf.contains(op);
  });
  for (Operation &op : *kernel.getBlock()) {
    if (!needed.contains(&op))
      continue;
    bool usesStaged = llvm::any_of(op.getOperands(), [&](Value v) {
      return stageOf.contains(v.getDefiningOp());
    });
    if (usesStaged && waits)
      exchange();
    if (!stageOf.contains(&op) && failed(emitOp(&op)))
      return failure();
  }
  bool stores = false;
  for (Staging &s : stages) {
    if (s.isLoad())
      continue;
    putItems(s);
    stores = true;
  }
  if (!stores)
    return success();
  barrier();
  for (Staging &s : stages) {
    if (s.isLoad())
      continue;
    auto store = cast<StoreOp>(s.op);
    Copies copies = takeUnits(s);
    if (failed(inUnits(s, masked, [&]() {
          values[store.getValue()] = copies;
          return emitStore(store);
        })))
      return failure();
  }
  return success();
}

LogicalResult GPUKernelEmitter::emitTransposed() {
  threadId = emitThreadId();
  std::vector<Staging> stages = getStages();
  // Neighbours along `v` first: results, and most operands, are contiguous
  // there, and blocks that run together should share pages of memory.
  SmallVector<unsigned> order;
  SmallVector<int64_t> sizes(kernel.getNumDims(), 1);
  for (unsigned d = 0; d < kernel.getNumDims(); ++d)
    if (d != vectorDim && d != transposeDim)
      order.push_back(d);
  for (auto [d, size] : {std::pair(transposeDim, tileT), {vectorDim, tileV}}) {
    order.push_back(static_cast<unsigned>(d));
    sizes[static_cast<size_t>(d)] = size;
  }
  decodeBlock(order, sizes);
  blockV = blockPositions[static_cast<size_t>(vectorDim)];
  blockT = blockPositions[static_cast<size_t>(transposeDim)];
  // Almost all tiles are whole: they compare nothing.
  Value whole;
  bool neverWhole = false;
  for (auto [dim, block, size] : {std::tuple(vectorDim, blockV, tileV),
                                  std::tuple(transposeDim, blockT, tileT)}) {
    ExprAttr extent = kernel.getExtent(static_cast<unsigned>(dim));
    if (isDivisible(extent, size))
      continue;
    ExprAttr wholeTiles =
        sym::floorDiv(extent, sym::constant(kernel.getContext(), size));
    neverWhole |= form.getContext().bounds(extent).hi < size;
    Value inside = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, block,
                                         symbolExpr(wholeTiles));
    whole = both(whole, inside);
  }
  if (!whole || neverWhole)
    return emitTile(/*masked=*/neverWhole, stages);
  auto choice = scf::IfOp::create(b, whole, /*withElseRegion=*/true);
  for (bool masked : {false, true}) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(masked ? choice.elseBlock()
                                      : choice.thenBlock());
    if (failed(emitTile(masked, stages)))
      return failure();
  }
  return success();
}
