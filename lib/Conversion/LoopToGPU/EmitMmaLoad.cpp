//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How tiles of the factors of a contraction come to shared memory: by copies
// that need no registers where a factor is what a load reads, else through
// registers, after what is in front of the product.
//
// Points outside of the space along rows and columns are those of the last one
// again: what they give is not stored. Summed points outside are zero.
//
//===----------------------------------------------------------------------===//

#include "MmaEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

static int64_t log2(int64_t x) {
  return llvm::Log2_64(static_cast<uint64_t>(x));
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// Chunks in all banks.
static constexpr int64_t kBankChunks = 8;

int64_t TilePlaces::getShift() const {
  return std::max<int64_t>(3, log2(getPanel() / getChunk()));
}

int64_t TilePlaces::get(int64_t row, int64_t element) const {
  int64_t inPanel = element % getPanel();
  int64_t n = row * (getPanel() / getChunk()) + inPanel / getChunk();
  n ^= ((n >> getShift()) << flipFrom) & (kBankChunks - 1);
  return element / getPanel() * getPanelBytes() + n * kChunkBytes +
         element % getChunk() * bytes;
}

Value TilePlaces::emit(Bits bits, Value row, Value element) const {
  Value inPanel = bits.low(element, getPanel());
  Value n = bits.join(bits.shl(row, log2(getPanel() / getChunk())),
                      bits.shr(inPanel, log2(getChunk())));
  n = bits.flip(
      n, bits.low(bits.shl(bits.shr(n, getShift()), flipFrom), kBankChunks));
  Value in = bits.shl(bits.low(element, getChunk()), log2(bytes));
  Value place = bits.join(bits.shl(n, log2(kChunkBytes)), in);
  if (getPanel() == rowElements)
    return place;
  return bits.join(place, bits.shl(bits.shr(element, log2(getPanel())),
                                   log2(getPanelBytes())));
}

//===----------------------------------------------------------------------===//
// What does not change from tile to tile
//===----------------------------------------------------------------------===//

void MmaEmitter::prepareFactor(Factor &f) {
  f.tile = f.isA ? mma.getM() : mma.getN();
  f.tileK = mma.getK();
  f.warpTile = f.tile / (f.isA ? mma.getWarpsM() : mma.getWarpsN());
  bool alongK = f.form->alongK;
  int64_t width = f.form->width;
  f.places.rows = alongK ? f.tile : f.tileK;
  f.places.rowElements = alongK ? f.tileK : f.tile;
  f.places.bytes = f.form->getBytes();
  // Panels of rows of 128 bytes are what descriptors can say.
  if (isWgmma())
    f.places.panel = kBankChunks * f.form->getChunk();
  if (mma.getInstruction() == MmaInstruction::M16N8K8 && !alongK)
    f.places.flipFrom = 1;
  f.offset = stageBytes;
  stageBytes += f.places.getNumBytes();

  int64_t perRow = f.places.rowElements / width;
  f.threadsFast = std::min(perRow, numThreads);
  f.itemsFast = perRow / f.threadsFast;
  f.threadsSlow = numThreads / f.threadsFast;
  f.itemsSlow = std::max<int64_t>(1, f.places.rows / f.threadsSlow);

  f.total = sym::constant(kernel.getContext(), 1);
  for (unsigned d : f.form->dims)
    f.total = sym::mul(f.total, f.vectors.getContext().getDimExtents()[d]);

  // Operations that the value, or the mask of its load, needs.
  DenseSet<Operation *> needed;
  SmallVector<Value> stack;
  if (!f.form->async)
    stack.push_back(f.form->value);
  else if (Value mask = LoadOp(f.form->load).getMask())
    stack.push_back(mask);
  while (!stack.empty())
    if (Operation *def = stack.pop_back_val().getDefiningOp();
        def && needed.insert(def).second)
      llvm::append_range(stack, def->getOperands());
  for (Operation &op : *kernel.getBlock())
    if (needed.contains(&op))
      f.slice.push_back(&op);
}

LogicalResult MmaEmitter::inFactor(Factor &f, ArrayRef<Item> kItems,
                                   GPUKernelEmitter::Body body) {
  int64_t width = e.width, vectorDim = e.vectorDim;
  bool vectorIsReduced = e.vectorIsReduced;
  SmallVector<Item> pItems = std::move(e.pItems), rItems = std::move(e.rItems);
  DenseMap<Value, Copies> values = std::move(e.values);
  e.values.clear();
  std::swap(e.form, f.vectors);
  e.width = f.form->width;
  e.vectorDim = f.form->vectorDim;
  e.vectorIsReduced = f.form->alongK;
  e.pItems = f.own;
  e.rItems.assign(kItems.begin(), kItems.end());
  LogicalResult result = body();
  std::swap(e.form, f.vectors);
  e.width = width;
  e.vectorDim = vectorDim;
  e.vectorIsReduced = vectorIsReduced;
  e.pItems = std::move(pItems);
  e.rItems = std::move(rItems);
  e.values = std::move(values);
  return result;
}

void MmaEmitter::prepareItems(Factor &f) {
  int64_t width = f.form->width;
  f.threadFast = bits.low(threadId, f.threadsFast);
  f.threadSlow = bits.shr(threadId, log2(f.threadsFast));
  if (f.places.rows < f.threadsSlow) {
    f.active = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, f.threadSlow,
                                     bits.constant(f.places.rows));
    // The others compute the same addresses again.
    f.threadSlow = bits.low(f.threadSlow, f.places.rows);
  }
  f.place.first =
      f.places.emit(bits, f.threadSlow, bits.shl(f.threadFast, log2(width)));
  int64_t rows = std::min(f.places.rows, f.threadsSlow);
  for (int64_t bit = 1; bit < f.threadsFast * rows; bit *= 2)
    f.place.used |=
        f.places.get(bit / f.threadsFast, bit % f.threadsFast * width);

  bool vectors = !f.form->alongK && width > 1;
  int64_t tile = vectors ? f.tile / width : f.tile;
  Value thread = f.form->alongK ? f.threadSlow : f.threadFast;
  int64_t threads = f.form->alongK ? f.threadsSlow : f.threadsFast;
  bool whole = isDivisible(getNumPoints(kernel, f.form->dims), f.tile);
  Value first =
      addIndex(mulIndex(f.isA ? tileM : tileN, tile), e.toIndex(thread));
  (void)inFactor(f, {}, [&]() {
    bool partial = vectors && !e.form.isExact();
    for (int64_t i = 0; i < f.getItemsOwn(); ++i) {
      Value point = i == 0 ? first : addIndex(first, e.constant(i * threads));
      if (!whole)
        point = minIndex(point, e.symbolExpr(sym::add(f.total, -1)));
      Item item = e.getItem(point, f.form->dims, f.total,
                            /*mayBeOutside=*/false, partial);
      for (unsigned d = 0; d < kernel.getNumDims(); ++d)
        if (!item.positions[d])
          item.positions[d] =
              blockPositions[d] ? blockPositions[d] : e.constant(0);
      f.own.push_back(std::move(item));
    }
    return success();
  });
  if (f.form->async)
    preparePointers(f);
}

/// Whether only symbols are in `expr`.
static bool isUniform(ExprAttr expr) {
  bool result = true;
  sym::walkLeaves(expr, [&](ExprAttr leaf) { result &= leaf.isSymbol(); });
  return result;
}

void MmaEmitter::preparePointers(Factor &f) {
  LoadOp load = f.form->load;
  if (load.getMask() || form.k.size() != 1)
    return;
  LaneAddress address = f.vectors.getAddress(load);
  auto split =
      sym::splitLinear(address.base, sym::dim(kernel.getContext(), form.k[0]));
  if (!split || !isUniform(split->first))
    return;
  int64_t units = f.isVectorAlongK() ? f.tileK / f.form->width : f.tileK;
  f.kStride = sym::mul(split->first, units);
  KItems k = getKItems(f, e.constant(0), /*clamp=*/false);
  unsigned number = cast<BlockArgument>(load.getSource()).getArgNumber();
  bool inside = llvm::none_of(k.inside, [](Value v) { return bool(v); });
  // Items at a constant distance from the first one share its pointer.
  int64_t threadsK = f.form->alongK ? f.threadsFast : f.threadsSlow;
  int64_t threadsOwn = f.form->alongK ? f.threadsSlow : f.threadsFast;
  std::optional<int64_t> stepK = split->first.getConstant(), stepOwn;
  if (f.form->dims.size() == 1 &&
      isDivisible(getNumPoints(kernel, f.form->dims), f.tile))
    if (auto own = sym::splitLinear(
            address.base, sym::dim(kernel.getContext(), f.form->dims[0])))
      stepOwn = own->first.getConstant();
  constexpr int64_t kMaxDistance = 1 << 20;
  (void)inFactor(f, k.items, [&]() {
    for (unsigned ip = 0; ip < f.own.size(); ++ip)
      for (unsigned ir = 0; ir < k.items.size(); ++ir) {
        Copy &copy = f.copies.emplace_back();
        unsigned baseP = ip, baseR = ir;
        int64_t distance = 0;
        if (ir > 0 && stepK && *stepK * threadsK * ir < kMaxDistance) {
          distance += *stepK * threadsK * ir;
          baseR = 0;
        }
        if (ip > 0 && stepOwn && *stepOwn * threadsOwn * ip < kMaxDistance) {
          distance += *stepOwn * threadsOwn * ip;
          baseP = 0;
        }
        if (baseP != ip || baseR != ir) {
          const Copy &base = f.copies[baseP * k.items.size() + baseR];
          copy.pointer = base.pointer;
          copy.distance = base.distance + distance;
          continue;
        }
        copy.pointer = static_cast<unsigned>(f.pointers.size());
        f.pointers.push_back(e.elementPointer(
            number, f.form->element, address.base, ip, ir, {}, 0, inside));
      }
    return success();
  });
}

//===----------------------------------------------------------------------===//
// One tile
//===----------------------------------------------------------------------===//

MmaEmitter::KItems MmaEmitter::getKItems(Factor &f, Value tile, bool clamp) {
  KItems result;
  bool alongK = f.form->alongK, vectors = f.isVectorAlongK();
  int64_t units = vectors ? f.tileK / f.form->width : f.tileK;
  ExprAttr total = sym::constant(kernel.getContext(), 1);
  for (unsigned d : form.k)
    total = sym::mul(total, f.vectors.getContext().getDimExtents()[d]);
  Value thread = alongK ? f.threadFast : f.threadSlow;
  int64_t threads = alongK ? f.threadsFast : f.threadsSlow;
  bool whole = isDivisible(totalK, f.tileK);
  Value first = addIndex(mulIndex(tile, units), e.toIndex(thread));
  (void)inFactor(f, {}, [&]() {
    bool partial = vectors && !e.form.isExact();
    for (int64_t i = 0; i < f.getItemsK(); ++i) {
      Value point = i == 0 ? first : addIndex(first, e.constant(i * threads));
      Value inside;
      if (!whole) {
        inside = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, point,
                                       e.symbolExpr(total));
        if (clamp)
          point = minIndex(point, e.symbolExpr(sym::add(total, -1)));
      }
      Item item =
          e.getItem(point, form.k, total, /*mayBeOutside=*/false, partial);
      for (Value &position : item.positions)
        if (!position)
          position = e.constant(0);
      result.items.push_back(std::move(item));
      result.inside.push_back(inside);
    }
    return success();
  });
  return result;
}

void MmaEmitter::forEachItem(
    const Factor &f,
    llvm::function_ref<void(unsigned, unsigned, int64_t)> fn) const {
  for (unsigned ip = 0; ip < f.getItemsOwn(); ++ip)
    for (unsigned ir = 0; ir < f.getItemsK(); ++ir) {
      unsigned fast = f.form->alongK ? ir : ip, slow = f.form->alongK ? ip : ir;
      fn(ip, ir,
         f.places.get(slow * f.threadsSlow,
                      fast * f.threadsFast * f.form->width));
    }
}

LogicalResult MmaEmitter::emitIfActive(Factor &f, GPUKernelEmitter::Body body) {
  return e.emitIf(f.active, body);
}

LogicalResult MmaEmitter::copyTile(Factor &f, Value tile, Value slot,
                                   Value exists, int64_t part, int64_t parts) {
  LoadOp load = f.form->load;
  int64_t items = f.getItemsOwn() * f.getItemsK();
  // Addresses that are computed from scratch are so once.
  if (f.pointers.empty())
    parts = 1;
  if (part >= parts)
    return success();
  int64_t begin = part * items / parts, end = (part + 1) * items / parts;
  if (begin == end)
    return success();
  b.setLoc(load.getLoc());
  int64_t bytes = f.form->width * f.form->getBytes();
  auto copy = [&](int64_t distance, Value from, Value condition) {
    condition = e.both(exists, condition);
    Value place = bits.flip(f.place.first, distance & f.place.used);
    Value to = sharedAt(arith::AddIOp::create(b, place, slot),
                        f.offset + (distance & ~f.place.used));
    Value size;
    if (condition)
      size = arith::SelectOp::create(b, condition, bits.constant(bytes),
                                     bits.constant(0));
    NVVM::CpAsyncOp::create(b, to, from, static_cast<uint32_t>(bytes),
                            bytes == kChunkBytes
                                ? NVVM::LoadCacheModifierKind::CG
                                : NVVM::LoadCacheModifierKind::CA,
                            size);
  };
  return emitIfActive(f, [&]() -> LogicalResult {
    KItems k = getKItems(f, tile, /*clamp=*/f.pointers.empty());
    if (!f.pointers.empty()) {
      Value stride = e.scalarExpr(f.kStride, 0, 0, 64);
      Value wide = tile;
      if (tile.getType() != b.getI64Type())
        wide = arith::ExtUIOp::create(b, b.getI64Type(), tile);
      Value offset = arith::MulIOp::create(b, wide, stride);
      SmallVector<Value> pointers;
      for (Value p : f.pointers)
        pointers.push_back(LLVM::GEPOp::create(b, p.getType(), f.form->element,
                                               p,
                                               ArrayRef<LLVM::GEPArg>{offset}));
      forEachItem(f, [&](unsigned ip, unsigned ir, int64_t distance) {
        size_t item = ip * k.items.size() + ir;
        if (static_cast<int64_t>(item) < begin ||
            static_cast<int64_t>(item) >= end)
          return;
        const Copy &c = f.copies[item];
        copy(distance,
             e.advance(pointers[c.pointer], f.form->element, c.distance,
                       /*inside=*/false),
             k.inside[ir]);
      });
      return success();
    }
    LaneAddress address = f.vectors.getAddress(load);
    unsigned number = cast<BlockArgument>(load.getSource()).getArgNumber();
    return inFactor(f, k.items, [&]() -> LogicalResult {
      for (Operation *op : f.slice)
        if (failed(e.emitOp(op)))
          return failure();
      b.setLoc(load.getLoc());
      forEachItem(f, [&](unsigned ip, unsigned ir, int64_t distance) {
        Value condition = k.inside[ir];
        if (load.getMask())
          condition = e.both(condition, e.lookup(load.getMask(), ip, ir));
        copy(distance,
             e.elementPointer(number, f.form->element, address.base, ip, ir, {},
                              0, /*inside=*/!load.getMask()),
             condition);
      });
      return success();
    });
  });
}

LogicalResult MmaEmitter::loadTile(Factor &f, Value tile, Copies &copies) {
  KItems k = getKItems(f, tile, /*clamp=*/true);
  return inFactor(f, k.items, [&]() -> LogicalResult {
    for (Operation *op : f.slice)
      if (failed(e.emitOp(op)))
        return failure();
    b.setLoc(form.reduce.getLoc());
    copies.overP = copies.overR = true;
    copies.numR = static_cast<unsigned>(k.items.size());
    for (unsigned ip = 0; ip < f.own.size(); ++ip)
      for (unsigned ir = 0; ir < k.items.size(); ++ir) {
        Value v = e.lookup(f.form->value, ip, ir);
        if (f.form->width > 1)
          v = e.broadcast(v);
        Value inside = e.both(k.items[ir].lanes, k.inside[ir]);
        if (inside)
          v = arith::SelectOp::create(b, inside, v, e.zero(v.getType()));
        copies.values.push_back(v);
      }
    return success();
  });
}

void MmaEmitter::storeTile(Factor &f, Copies &copies, Value slot) {
  b.setLoc(form.reduce.getLoc());
  int64_t bytes = f.form->width * f.form->getBytes();
  (void)emitIfActive(f, [&]() {
    forEachItem(f, [&](unsigned ip, unsigned ir, int64_t distance) {
      Value place = bits.flip(f.place.first, distance & f.place.used);
      Value to = sharedAt(arith::AddIOp::create(b, place, slot),
                          f.offset + (distance & ~f.place.used));
      LLVM::StoreOp::create(
          b, copies.at(ip, ir), to,
          static_cast<unsigned>(std::min(bytes, kChunkBytes)));
    });
    return success();
  });
}
