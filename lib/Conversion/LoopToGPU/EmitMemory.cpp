//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads and stores of a GPU kernel.
//
//===----------------------------------------------------------------------===//

#include "GPUKernelEmitter.h"

#include "coil/Conversion/LoopToGPU/LoopToGPU.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;
using sym::ExprKind;

Value GPUKernelEmitter::zero(Type type) {
  return arith::ConstantOp::create(b, b.getZeroAttr(type));
}

/// Floats of 8 bits are bits until they are converted.
static bool isFloat8(Type scalar) {
  return isa<FloatType>(scalar) && scalar.getIntOrFloatBitWidth() == 8;
}

static Type withElement(Type type, Type element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return VectorType::get(vector.getShape(), element);
  return element;
}

Type GPUKernelEmitter::getMemoryType(Type scalar) {
  return scalar.isInteger(1) || isFloat8(scalar)
             ? IntegerType::get(scalar.getContext(), 8)
             : scalar;
}

Value GPUKernelEmitter::fromMemory(Value v, Type scalar) {
  if (isFloat8(scalar))
    return arith::BitcastOp::create(b, withElement(v.getType(), scalar), v);
  if (!scalar.isInteger(1))
    return v;
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, v,
                               zero(v.getType()));
}

Value GPUKernelEmitter::toMemory(Value v) {
  Type scalar = getElementTypeOrSelf(v.getType());
  Type byte = withElement(v.getType(), b.getI8Type());
  if (isFloat8(scalar))
    return arith::BitcastOp::create(b, byte, v);
  if (!scalar.isInteger(1))
    return v;
  return arith::ExtUIOp::create(b, byte, v);
}

Value GPUKernelEmitter::elementPointer(unsigned buffer, Type element,
                                       ExprAttr address, unsigned ip,
                                       unsigned ir, ArrayRef<Value> args,
                                       int64_t lane, bool inside) {
  if (args.empty() && lane == 0)
    if (std::optional<Value> pointer =
            getBoxPointer(buffer, element, address, ip, inside))
      return *pointer;
  return computeElementPointer(buffer, element, address, ip, ir, args, lane,
                               inside);
}

Value GPUKernelEmitter::computeElementPointer(unsigned buffer, Type element,
                                              ExprAttr address, unsigned ip,
                                              unsigned ir, ArrayRef<Value> args,
                                              int64_t lane, bool inside) {
  Value offset = scalarExpr(address, ip, ir, indexBits, args, lane);
  // Offsets of indirect accesses were checked, others are positions inside. A
  // buffer with a negative stride begins before its first element.
  inside &= llvm::all_of(layout.strides[buffer], [&](ExprAttr stride) {
    return form.getContext().bounds(stride).lo >= 0;
  });
  auto flags = inside
                   ? LLVM::GEPNoWrapFlags::inbounds | LLVM::GEPNoWrapFlags::nuw
                   : LLVM::GEPNoWrapFlags::none;
  return LLVM::GEPOp::create(b, buffers[buffer].getType(), element,
                             buffers[buffer], ArrayRef<LLVM::GEPArg>{offset},
                             flags);
}

/// What a masked load gives elsewhere. ptxas (seen in 12.8 and 13.0, for sm_80
/// and sm_90a) loses the sign of an infinity of 16 bits that it knows to be an
/// operand of a maximum or minimum of pairs, as those that windows reach beyond
/// the edge are: it must not know. No buffer is at address zero, which it does
/// not know.
Value GPUKernelEmitter::lookupOther(LoadOp load, unsigned ip, unsigned ir) {
  Value other = lookup(load.getOther(), ip, ir);
  APFloat value(APFloat::IEEEhalf());
  Type type = getElementTypeOrSelf(other);
  if (!isa<FloatType>(type) || type.getIntOrFloatBitWidth() != 16 ||
      !matchPattern(load.getOther(), m_ConstantFloat(&value)) ||
      !value.isInfinity())
    return other;
  Value address = LLVM::PtrToIntOp::create(b, b.getI64Type(), buffers.front());
  Value isZero =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, address,
                            arith::ConstantIntOp::create(b, b.getI64Type(), 0));
  auto bits = [&](uint64_t pattern) -> Value {
    return arith::ConstantOp::create(
        b, b.getIntegerAttr(b.getI16Type(), APInt(16, pattern)));
  };
  Value chosen = arith::SelectOp::create(
      b, isZero, bits(0), bits(value.bitcastToAPInt().getZExtValue()));
  Value hidden = arith::BitcastOp::create(b, type, chosen);
  return isa<VectorType>(other.getType()) ? broadcast(hidden) : hidden;
}

Value GPUKernelEmitter::advance(Value pointer, Type element, int64_t by,
                                bool inside) {
  if (by == 0)
    return pointer;
  auto flags =
      inside ? LLVM::GEPNoWrapFlags::inbounds : LLVM::GEPNoWrapFlags::none;
  if (inside && by > 0)
    flags = flags | LLVM::GEPNoWrapFlags::nuw;
  // A constant index of the op has 29 bits.
  LLVM::GEPArg index =
      llvm::isInt<29>(by)
          ? LLVM::GEPArg(static_cast<int32_t>(by))
          : LLVM::GEPArg(arith::ConstantIntOp::create(b, b.getI64Type(), by));
  return LLVM::GEPOp::create(b, pointer.getType(), element, pointer,
                             ArrayRef<LLVM::GEPArg>{index}, flags);
}

Value GPUKernelEmitter::loadElements(Value pointer, Type type,
                                     unsigned alignment, unsigned buffer) {
  return LLVM::LoadOp::create(b, type, pointer, alignment,
                              /*isVolatile=*/false, /*isNonTemporal=*/false,
                              /*isInvariant=*/!overlaps &&
                                  !layout.mayAlias[buffer]);
}

GPUKernelEmitter::Condition
GPUKernelEmitter::getCondition(bool overP, bool overR, unsigned ip, unsigned ir,
                               bool hasLanes) {
  Item none;
  const Item &p = overP ? pItems[ip] : none;
  const Item &r = overR ? rItems[ir] : none;
  Condition c;
  const Item &cut = vectorIsReduced ? r : p;
  const Item &other = vectorIsReduced ? p : r;
  if (!hasLanes || !cut.lanes) {
    c.active = both(p.active, r.active);
    return c;
  }
  c.lanes = both(cut.lanes, other.active);
  if (cut.full)
    c.full = both(cut.full, other.active);
  return c;
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

void GPUKernelEmitter::emitBounds(ArrayRef<ExprAttr> indices, Value tensor,
                                  BoundsPolicy policy,
                                  MutableArrayRef<Value> args, Value &active) {
  if (policy == BoundsPolicy::Trusted)
    return;
  SmallVector<ExprAttr> sizes =
      sym::getSizes(cast<RankedTensorType>(tensor.getType()));
  auto i64 = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, b.getI64Type(), value);
  };
  for (auto [index, size] : llvm::zip_equal(indices, sizes)) {
    if (index.getKind() != ExprKind::Arg)
      continue;
    Value &arg = args[static_cast<size_t>(index.getValue())];
    Value n = scalarExpr(size, 0, 0, 64);
    if (policy == BoundsPolicy::Clamp) {
      Value last = arith::SubIOp::create(b, n, i64(1));
      arg = arith::MinSIOp::create(b, arg, last);
      arg = arith::MaxSIOp::create(b, arg, i64(0));
      continue;
    }
    if (policy == BoundsPolicy::WrapCheck) {
      Value negative =
          arith::CmpIOp::create(b, arith::CmpIPredicate::slt, arg, i64(0));
      Value wrapped = arith::AddIOp::create(b, arg, n);
      arg = arith::SelectOp::create(b, negative, wrapped, arg);
    }
    Value valid = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, arg, n);
    Value bad = arith::XOrIOp::create(b, valid, trueValue());
    bad = both(bad, active);
    (void)emitIf(bad, [&]() {
      LLVM::StoreOp::create(b, constantI32(kGPUIndexOutOfRange), errorWord);
      return success();
    });
    active = both(valid, active);
  }
}

Value GPUKernelEmitter::emitLoadLane(LoadOp load, const LaneAddress &address,
                                     const Condition &condition, unsigned ip,
                                     unsigned ir, int64_t lane) {
  unsigned number = cast<BlockArgument>(load.getSource()).getArgNumber();
  Type scalar = load.getType();
  Type memory = getMemoryType(scalar);
  Value active = condition.active;
  if (condition.lanes)
    active = extract(condition.lanes, lane);
  if (getMask(load))
    active = both(active, extract(lookup(getMask(load), ip, ir), lane));
  SmallVector<Value> args;
  for (Value v : load.getArgs())
    args.push_back(extract(lookup(v, ip, ir), lane));
  emitBounds(load.getIndices().getDims(), load.getSource(), load.getBounds(),
             args, active);
  Value other;
  if (active)
    other = getOther(load) ? extract(lookupOther(load, ip, ir), lane)
                           : zero(scalar);
  return select(active, other, [&]() -> Value {
    // Lanes at a constant distance share the address of the first one.
    Value pointer;
    bool shared = address.step && address.step.isConstant();
    if (shared) {
      // Under a mask, and in a vector that begins before its row, the first
      // lane may be outside when this one is not.
      bool inside = lane == 0 || (!getMask(load) && !form.getShift());
      pointer =
          elementPointer(number, memory, address.base, ip, ir, args, 0, inside);
      pointer =
          advance(pointer, memory, address.step.getValue() * lane, inside);
    } else {
      pointer =
          elementPointer(number, memory, address.full, ip, ir, args, lane);
    }
    Value v = loadElements(pointer, memory, byteWidth(scalar), number);
    return fromMemory(v, scalar);
  });
}

Value GPUKernelEmitter::loadWhole(Value pointer, Type scalar, int64_t piece,
                                  unsigned number) {
  Type memory = getMemoryType(scalar);
  auto alignment =
      static_cast<unsigned>(std::min(kAccessBytes, piece * byteWidth(scalar)));
  if (piece == width)
    return fromMemory(loadElements(pointer, VectorType::get(width, memory),
                                   alignment, number),
                      scalar);
  SmallVector<Value> lanes;
  for (int64_t begin = 0; begin < width; begin += piece) {
    Value from = advance(pointer, memory, begin);
    if (piece == 1) {
      lanes.push_back(loadElements(from, memory, alignment, number));
      continue;
    }
    Value v =
        loadElements(from, VectorType::get(piece, memory), alignment, number);
    for (int64_t i = 0; i < piece; ++i)
      lanes.push_back(extract(v, i));
  }
  return fromMemory(fromLanes(lanes), scalar);
}

Value GPUKernelEmitter::loadUnder(LoadOp load, const LaneAddress &address,
                                  const Condition &condition, Value active,
                                  unsigned ip, unsigned ir,
                                  llvm::function_ref<Value()> whole) {
  auto type = VectorType::get(width, load.getType());
  Value other;
  if (active || condition.lanes)
    other = getOther(load) ? broadcast(lookupOther(load, ip, ir)) : zero(type);
  if (!condition.lanes)
    return select(active, other, whole);
  // A masked load would be one access that reaches over the end.
  auto cut = [&]() -> Value {
    Condition one = condition;
    if (active)
      one.lanes = both(condition.lanes, active);
    SmallVector<Value> lanes;
    for (int64_t lane = 0; lane < width; ++lane)
      lanes.push_back(emitLoadLane(load, address, one, ip, ir, lane));
    return fromLanes(lanes);
  };
  if (!condition.full)
    return cut();
  // Almost all vectors are whole.
  return choose(both(condition.full, active), type, whole, cut);
}

Value GPUKernelEmitter::emitLoadVector(LoadOp load, const LaneAddress &address,
                                       const Condition &condition, unsigned ip,
                                       unsigned ir, bool shifts) {
  unsigned number = cast<BlockArgument>(load.getSource()).getArgNumber();
  Type scalar = load.getType();
  Type memory = getMemoryType(scalar);
  Value active = condition.active;
  if (getMask(load))
    active = both(active, lookup(getMask(load), ip, ir));
  SmallVector<Value> args;
  for (Value v : load.getArgs())
    args.push_back(lookup(v, ip, ir));
  emitBounds(load.getIndices().getDims(), load.getSource(), load.getBounds(),
             args, active);
  auto whole = [&]() -> Value {
    auto pointer = [&]() {
      return elementPointer(number, memory, address.base, ip, ir, args, 0);
    };
    auto inPieces = [&]() {
      return loadWhole(pointer(), scalar, address.alignment, number);
    };
    Value isInside;
    // Another thread may be writing to what lies beside an alias's elements.
    if (shifts && !mayAlias(load) &&
        isShiftedAlone(width, byteWidth(scalar), address.alignment))
      isInside = getShiftedCondition(
          number, load.getSource().getType(),
          scalarExpr(address.base, ip, ir, indexBits, args));
    if (!isInside)
      return inPieces();
    return choose(
        isInside, VectorType::get(width, scalar),
        [&]() { return shift(loadAround(pointer(), scalar, number), scalar); },
        inPieces);
  };
  return loadUnder(load, address, condition, active, ip, ir, whole);
}

LogicalResult GPUKernelEmitter::emitLoad(LoadOp load) {
  if (loadedTogether.erase(load))
    return success();
  if (takeKept(load))
    return success();
  if (load != unmasked && isWindowLoad(load) && emitWindowLoad(load))
    return success();
  if (takeFromRing(load))
    return success();
  LaneAddress address = form.getAddress(load);
  if (emitLoadTwo(load, address))
    return success();
  Copies copies = makeCopies(load.getResult());
  bool isVectorLoad = form.isVector(load.getResult());
  auto hasLanes = [&](Value v) { return v && form.isVector(v); };
  bool hasOwnLanes =
      hasLanes(getMask(load)) || llvm::any_of(load.getArgs(), hasLanes);
  bool contiguous = isVectorLoad && address.isContiguous() && !hasOwnLanes;
  bool inPieces =
      isVectorLoad && address.pieces && !hasOwnLanes && load.getArgs().empty();
  // Where another thread writes to it, a thread without a point must not read.
  bool everyP = copies.overP || mayAlias(load);
  forEachCopy(copies.overP, copies.overR, [&](unsigned ip, unsigned ir) {
    // A load without lanes happens for the first one, which is always a point.
    Condition c = getCondition(everyP, copies.overR, ip, ir, isVectorLoad);
    if (contiguous) {
      copies.values.push_back(emitLoadVector(load, address, c, ip, ir));
    } else if (inPieces) {
      copies.values.push_back(emitLoadPieces(load, address, c, ip, ir));
    } else if (!isVectorLoad) {
      copies.values.push_back(emitLoadLane(load, address, c, ip, ir, 0));
    } else {
      SmallVector<Value> lanes;
      for (int64_t lane = 0; lane < width; ++lane)
        lanes.push_back(emitLoadLane(load, address, c, ip, ir, lane));
      copies.values.push_back(fromLanes(lanes));
    }
  });
  values[load.getResult()] = std::move(copies);
  if (keepsLoads)
    keepLoad(load);
  return success();
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

void GPUKernelEmitter::emitStoreCopy(unsigned output, Value v,
                                     const LaneAddress &address, bool overR,
                                     unsigned ip, unsigned ir) {
  unsigned number = static_cast<unsigned>(kernel.getInputs().size()) + output;
  Type scalar = getElementTypeOrSelf(v.getType());
  Type memory = getMemoryType(scalar);
  unsigned bytes = byteWidth(scalar);
  bool isVectorStore = !address.isUniform() || isa<VectorType>(v.getType());
  // Threads outside have no value, even one that is the same everywhere.
  Condition c = getCondition(/*overP=*/true, overR, ip, ir, isVectorStore);
  Value active = c.active;
  v = toMemory(v);
  auto put = [&](Value value, Value pointer, unsigned alignment) {
    LLVM::StoreOp::create(b, value, pointer, alignment);
    return success();
  };
  if (!isVectorStore) {
    (void)emitIf(active, [&]() {
      return put(v, elementPointer(number, memory, address.base, ip, ir, {}, 0),
                 bytes);
    });
    return;
  }
  v = broadcast(v);
  bool contiguous = address.isContiguous();
  auto lanes = [&](Value mask) {
    for (int64_t lane = 0; lane < width; ++lane) {
      Value on = active;
      if (mask)
        on = extract(mask, lane);
      (void)emitIf(on, [&]() {
        return put(
            extract(v, lane),
            elementPointer(number, memory, address.full, ip, ir, {}, lane),
            bytes);
      });
    }
    return success();
  };
  if (!contiguous) {
    (void)lanes(c.lanes);
    return;
  }
  auto whole = [&]() {
    Value pointer = elementPointer(number, memory, address.base, ip, ir, {}, 0);
    int64_t piece = address.alignment;
    unsigned alignment =
        std::min<unsigned>(kAccessBytes, static_cast<unsigned>(piece) * bytes);
    if (piece == width)
      return put(v, pointer, alignment);
    for (int64_t begin = 0; begin < width; begin += piece) {
      SmallVector<Value> part;
      for (int64_t i = 0; i < piece; ++i)
        part.push_back(extract(v, begin + i));
      (void)put(piece == 1 ? part[0] : fromLanes(part),
                advance(pointer, memory, begin), alignment);
    }
    return success();
  };
  if (!c.lanes) {
    (void)emitIf(active, whole);
    return;
  }
  if (!c.full) {
    (void)lanes(c.lanes);
    return;
  }
  (void)emitIf(c.full, whole);
  Value notFull = arith::XOrIOp::create(b, c.full, trueValue());
  (void)emitIf(notFull, [&]() { return lanes(c.lanes); });
}

LogicalResult GPUKernelEmitter::emitStore(StoreOp store) {
  LaneAddress address = form.getAddress(store);
  llvm::SmallBitVector over = dependence.of(store.getIndices().getDims());
  bool overP = over.anyCommon(parallelSet), overR = over.anyCommon(reducedSet);
  forEachCopy(overP, overR, [&](unsigned ip, unsigned ir) {
    // One point writes what several have.
    Value first;
    if (ip < pItems.size() && pItems[ip].owner)
      first = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                    pItems[ip].owner, constant(0));
    if (!overR && threadsR > 1)
      first = both(first, arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                                rowThread, constantI32(0)));
    for (unsigned d = 0; d < kernel.getNumDims(); ++d) {
      if (over[d] || (reducedSet[d] && !overR) ||
          form.getContext().getDimExtents()[d].isConstant(1))
        continue;
      const Item &item = reducedSet[d] ? rItems[ir] : pItems[ip];
      Value at = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                       item.positions[d], constant(0));
      first = both(first, at);
    }
    (void)emitIf(first, [&]() {
      emitStoreCopy(static_cast<unsigned>(store.getOutput()),
                    lookup(store.getValue(), ip, ir), address, overR, ip, ir);
      return success();
    });
  });
  return success();
}
