//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads and stores of a CPU kernel.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "coil/Conversion/Utils/Combine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

/// What a prefetch brings, in all processors of interest.
static constexpr int64_t kCacheLineBytes = 64;
/// Most bytes of a point that still is in the second-level cache when its
/// second loop begins, with as many of the next; and in the first level.
static constexpr int64_t kMaxPrefetchBytes = 256 << 10;
static constexpr int64_t kFirstLevelBytes = 8 << 10;
using sym::ExprKind;

/// LLVM has no floats of 8 bits.
static bool isFloat8(Type scalar) {
  return isa<FloatType>(scalar) && scalar.getIntOrFloatBitWidth() == 8;
}

/// Whether floats of this type are loaded and stored as their bits.
static bool isBits(Type scalar) { return isFloat8(scalar) || scalar.isBF16(); }

Type KernelEmitter::memoryType(Type scalar) {
  if (scalar.isInteger(1) || isBits(scalar))
    return IntegerType::get(scalar.getContext(), elementBytes(scalar) * 8);
  return scalar;
}

unsigned KernelEmitter::elementBytes(Type scalar) {
  return std::max(1u, scalar.getIntOrFloatBitWidth() / 8);
}

ExprAttr KernelEmitter::linearAddress(ArrayRef<ExprAttr> indices,
                                      ArrayRef<ExprAttr> strides) {
  return context.simplify(
      sym::getAddress(kernel.getContext(), indices, strides));
}

Value KernelEmitter::elementPointer(Value base, Type element, Value offset) {
  Type ptr = LLVM::LLVMPointerType::get(b.getContext());
  if (isVector(offset))
    ptr = VectorType::get(width, ptr);
  return LLVM::GEPOp::create(b, ptr, element, base,
                             ArrayRef<LLVM::GEPArg>{offset});
}

Value KernelEmitter::fromMemory(Value v, Type scalar) {
  if (isBits(scalar))
    return arith::BitcastOp::create(
        b, isVector(v) ? Type(VectorType::get(width, scalar)) : scalar, v);
  if (!scalar.isInteger(1))
    return v;
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(v.getType()));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, v, zero);
}

Value KernelEmitter::toMemory(Value v) {
  Type scalar = getElementTypeOrSelf(v.getType());
  if (!scalar.isInteger(1) && !isBits(scalar))
    return v;
  Type memory = memoryType(scalar);
  if (isVector(v))
    memory = VectorType::get(width, memory);
  if (isBits(scalar))
    return arith::BitcastOp::create(b, memory, v);
  return arith::ExtUIOp::create(b, memory, v);
}

std::pair<Value, Value> KernelEmitter::emitBounds(Value index, ExprAttr size,
                                                  BoundsPolicy policy,
                                                  Value active) {
  if (policy == BoundsPolicy::Trusted)
    return {index, active};
  bool vectorIndex = isVector(index);
  auto splat = [&](Value v) { return vectorIndex ? broadcast(v) : v; };
  Value n = splat(scalarExpr(size));
  Value zero = splat(constantIndex(0));
  if (policy == BoundsPolicy::Clamp) {
    Value last = arith::SubIOp::create(b, n, splat(constantIndex(1)));
    index = arith::MinSIOp::create(b, index, last);
    return {arith::MaxSIOp::create(b, index, zero), active};
  }
  if (policy == BoundsPolicy::WrapCheck) {
    Value negative =
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, index, zero);
    Value wrapped = arith::AddIOp::create(b, index, n);
    index = arith::SelectOp::create(b, negative, wrapped, index);
  }
  Value valid = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, index, n);
  Value one = arith::ConstantOp::create(b, b.getIntegerAttr(b.getI1Type(), 1));
  if (vectorIndex)
    one = broadcast(one);
  Value bad = arith::XOrIOp::create(b, valid, one);
  if (active)
    bad = arith::AndIOp::create(b, bad,
                                isVector(bad) ? broadcast(active) : active);
  if (isVector(bad))
    bad = vector::ReductionOp::create(b, vector::CombiningKind::OR, bad);
  auto report = scf::IfOp::create(b, bad, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(report.thenBlock());
    LLVM::StoreOp::create(
        b,
        arith::ConstantIntOp::create(b, b.getI32Type(), kKernelIndexOutOfRange),
        errorFlag);
  }
  Value access =
      active ? arith::AndIOp::create(b, valid,
                                     vectorIndex ? broadcast(active) : active)
                   .getResult()
             : valid;
  return {index, access};
}

Value KernelEmitter::emitBounds(ArrayRef<ExprAttr> indices,
                                ArrayRef<ExprAttr> sizes, BoundsPolicy policy,
                                MutableArrayRef<Value> args, Value active) {
  if (policy == BoundsPolicy::Trusted)
    return active;
  for (auto [index, size] : llvm::zip_equal(indices, sizes)) {
    if (index.getKind() != ExprKind::Arg)
      continue;
    Value &arg = args[static_cast<size_t>(index.getValue())];
    // A scalar condition on a vector index, or the reverse, is broadcast.
    if (active && isVector(active) && !isVector(arg))
      arg = broadcast(arg);
    std::tie(arg, active) = emitBounds(arg, size, policy, active);
  }
  return active;
}

/// The lanes of a vector from the last to the first; null for none.
static Value reverseLanes(ImplicitLocOpBuilder &b, Value vector) {
  if (!vector)
    return {};
  SmallVector<int64_t> lanes;
  for (int64_t i = cast<VectorType>(vector.getType()).getNumElements();
       i-- > 0;)
    lanes.push_back(i);
  return vector::ShuffleOp::create(b, vector, vector, lanes);
}

/// A vector in which each lane is `times` times.
static Value repeatLanes(ImplicitLocOpBuilder &b, Value vector, int64_t times) {
  SmallVector<int64_t> lanes;
  for (int64_t i = 0; i < cast<VectorType>(vector.getType()).getNumElements();
       ++i)
    lanes.append(static_cast<size_t>(times), i);
  return vector::ShuffleOp::create(b, vector, vector, lanes);
}

/// Which of the lanes are elements `step` apart: the first of each group, if
/// its lane is active. Others touch no memory.
static Value getSpacedLanes(ImplicitLocOpBuilder &b, int64_t width,
                            int64_t step, Value active) {
  SmallVector<bool> first;
  for (int64_t i = 0; i < width * step; ++i)
    first.push_back(i % step == 0);
  auto type = VectorType::get(step * width, b.getI1Type());
  Value mask =
      arith::ConstantOp::create(b, DenseElementsAttr::get(type, first));
  return active ? arith::AndIOp::create(b, mask, repeatLanes(b, active, step))
                      .getResult()
                : mask;
}

Value KernelEmitter::emitVectorLoad(LoadOp load, ExprAttr address,
                                    unsigned copy, ArrayRef<Value> args,
                                    Value active, Placement placement) {
  Type scalar = load.getType();
  Type memory = memoryType(scalar);
  unsigned alignment = elementBytes(scalar);
  Value base = buffers[cast<BlockArgument>(load.getSource()).getArgNumber()];
  bool vectorArgs = llvm::any_of(args, [&](Value v) { return isVector(v); });
  auto vectorType = VectorType::get(width, memory);
  ExprAttr v = sym::dim(b.getContext(), static_cast<unsigned>(vectorDim));
  auto split = sym::splitLinear(address, v);
  bool contiguous = placement == Placement::Row ||
                    (!vectorArgs && split && split->first.isConstant(1));
  if (active)
    active = broadcast(active);
  Value other;
  if (active) {
    other = load.getOther()
                ? toMemory(broadcast(lookup(load.getOther(), copy)))
                : arith::ConstantOp::create(b, b.getZeroAttr(vectorType))
                      .getResult();
  }
  Value result;
  if (contiguous) {
    Value pointer =
        elementPointer(base, memory, scalarExpr(address, copy, args));
    result = loadVector(pointer, vectorType, active, other, alignment);
  } else if (!vectorArgs && split && split->first.isConstant(-1)) {
    // Its last lane is the first in memory.
    ExprAttr last = sym::add(address, 1 - width);
    Value pointer = elementPointer(base, memory, scalarExpr(last, copy, args));
    result =
        reverseLanes(b, loadVector(pointer, vectorType, reverseLanes(b, active),
                                   reverseLanes(b, other), alignment));
  } else if (std::optional<int64_t> step =
                 !vectorArgs && split ? getSmallStep(split->first, alignment)
                                      : std::nullopt) {
    // Parts of complex numbers or colours, for one. A gather would read them
    // one by one.
    auto row = VectorType::get(*step * width, memory);
    Value pointer =
        elementPointer(base, memory, scalarExpr(address, copy, args));
    Value elements = loadVector(
        pointer, row, getSpacedLanes(b, width, *step, active),
        other ? repeatLanes(b, other, *step)
              : arith::ConstantOp::create(b, b.getZeroAttr(row)).getResult(),
        alignment);
    SmallVector<int64_t> lanes;
    for (int64_t i = 0; i < width; ++i)
      lanes.push_back(*step * i);
    result = vector::ShuffleOp::create(b, elements, elements, lanes);
  } else {
    if (!active)
      active = broadcast(
          arith::ConstantOp::create(b, b.getIntegerAttr(b.getI1Type(), 1))
              .getResult());
    if (!other)
      other = arith::ConstantOp::create(b, b.getZeroAttr(vectorType));
    Value pointers =
        elementPointer(base, memory, vectorExpr(address, copy, args));
    result = LLVM::masked_gather::create(b, vectorType, pointers, active, other,
                                         b.getI32IntegerAttr(alignment));
  }
  return fromMemory(result, scalar);
}

LogicalResult KernelEmitter::emitLoad(LoadOp load, Placement placement) {
  unsigned number = cast<BlockArgument>(load.getSource()).getArgNumber();
  auto type = cast<RankedTensorType>(load.getSource().getType());
  SmallVector<ExprAttr> sizes = sym::getSizes(type);
  Type scalar = load.getType();
  Type memory = memoryType(scalar);
  unsigned alignment = elementBytes(scalar);
  ExprAttr address =
      linearAddress(load.getIndices().getDims(), layout.strides[number]);
  Value base = buffers[number];
  bool isVectorLoad = variesOverVector(load.getResult());

  Copies out;
  if (Value vector = loadFromTile(load)) {
    out.push_back(fromMemory(vector, scalar));
    values[load.getResult()] = out;
    return success();
  }
  if (isVectorLoad && placement == Placement::Unknown &&
      load.getArgs().empty()) {
    FailureOr<bool> isDone = emitPieces(load, address);
    if (failed(isDone) || *isDone)
      return failure(failed(isDone));
  }
  for (unsigned copy = 0, n = isVectorLoad ? copies : 1; copy < n; ++copy) {
    // A load that does not vary over the vector dimension happens for the
    // first lane, which is always a point of the space.
    Value active = load.getMask() ? lookup(load.getMask(), copy) : Value();
    // A branch is around it where the mask is the same for all lanes.
    if (active && !isVector(active) && isOfPositions(load.getMask()))
      active = {};
    if (isVectorLoad) {
      if (Value tail = tailMask(copy)) {
        active =
            active
                ? arith::AndIOp::create(b, broadcast(active), tail).getResult()
                : tail;
      }
    }
    // Indirect indices, checked once for each argument that needs it.
    SmallVector<Value> args;
    for (Value v : load.getArgs())
      args.push_back(lookup(v, copy));
    active = emitBounds(load.getIndices().getDims(), sizes, load.getBounds(),
                        args, active);
    if (!isVectorLoad) {
      auto read = [&]() -> Value {
        Value pointer =
            elementPointer(base, memory, scalarExpr(address, 0, args));
        Value v = LLVM::LoadOp::create(b, memory, pointer, alignment);
        return fromMemory(v, scalar);
      };
      if (!active) {
        out.push_back(read());
        continue;
      }
      Value other =
          load.getOther()
              ? lookup(load.getOther(), copy)
              : arith::ConstantOp::create(b, b.getZeroAttr(scalar)).getResult();
      auto choice = scf::IfOp::create(b, TypeRange{scalar}, active,
                                      /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(choice.thenBlock());
      Value v = read();
      scf::YieldOp::create(b, v);
      b.setInsertionPointToStart(choice.elseBlock());
      scf::YieldOp::create(b, other);
      out.push_back(choice.getResult(0));
      continue;
    }

    out.push_back(emitVectorLoad(load, address, copy, args, active, placement));
  }
  values[load.getResult()] = out;
  return success();
}

void KernelEmitter::emitPrefetches() {
  if (!vectorIsReduced || tailMask(0))
    return;
  unsigned lastLoop = phases.size() - 1;
  while (lastLoop > 0 && getSlice(lastLoop).empty())
    --lastLoop;
  for (LoadOp load : kernel.getBlock()->getOps<LoadOp>()) {
    ArrayRef<unsigned> phasesOfLoad = reads[load];
    if (phasesOfLoad.size() < 2 || load.getMask() || !load.getArgs().empty())
      continue;
    int64_t bytes = elementBytes(load.getType()), total = bytes;
    for (unsigned d : reducedDims) {
      int64_t extent = context.bounds(kernel.getExtent(d)).hi;
      total = extent > kMaxPrefetchBytes / total ? kMaxPrefetchBytes + 1
                                                 : total * extent;
    }
    if (total > kMaxPrefetchBytes)
      continue;
    // The last loop writes. Short rows are better brought before it does, long
    // ones while it does.
    bool isShort = total <= kFirstLevelBytes;
    if (currentPhase == (isShort ? phasesOfLoad[1] : lastLoop))
      emitPrefetch(load);
  }
}

void KernelEmitter::emitPrefetch(LoadOp load) {
  unsigned number = cast<BlockArgument>(load.getSource()).getArgNumber();
  Type memory = memoryType(load.getType());
  ExprAttr address =
      linearAddress(load.getIndices().getDims(), layout.strides[number]);
  // Along the vector, and from task to task: these go along the last parallel
  // dimension first.
  auto along = sym::splitLinear(
      address, sym::dim(b.getContext(), static_cast<unsigned>(vectorDim)));
  auto isLong = [&](unsigned d) { return !kernel.getExtent(d).isConstant(1); };
  auto dim = llvm::find_if(llvm::reverse(parallelDims), isLong);
  if (!along || !along->first.isConstant(1) || dim == parallelDims.rend())
    return;
  auto next = sym::splitLinear(address, sym::dim(b.getContext(), *dim));
  if (!next || next->first.isConstant(0))
    return;
  for (unsigned copy = 0; copy < copies; ++copy) {
    if (copy * width * elementBytes(load.getType()) % kCacheLineBytes != 0)
      continue;
    // A pointer to no element does no harm here.
    Value offset = arith::AddIOp::create(b, scalarExpr(address, copy),
                                         scalarExpr(next->first));
    constexpr int32_t forReading = 0, firstLevel = 3, data = 1;
    LLVM::Prefetch::create(b, elementPointer(buffers[number], memory, offset),
                           forReading, firstLevel, data);
  }
}

Value KernelEmitter::loadVector(Value pointer, VectorType type, Value active,
                                Value other, unsigned alignment) {
  if (!active)
    return LLVM::LoadOp::create(b, type, pointer, alignment);
  return LLVM::MaskedLoadOp::create(b, type, pointer, active, other,
                                    b.getI32IntegerAttr(alignment));
}

void KernelEmitter::allocateScratch() {
  for (auto &[op, where] : kept) {
    unsigned output = where.store.getOutput();
    if (!streamed.contains(output))
      continue;
    Type type = op->getResult(0).getType();
    std::optional<int64_t> bytes = getScratchBytes(kernel, type);
    assert(bytes && "schedule was not checked");
    scratch[output] = LLVM::AllocaOp::create(
        b, LLVM::LLVMPointerType::get(b.getContext()), b.getI8Type(),
        constantIndex(*bytes), /*alignment=*/64);
  }
}

Value KernelEmitter::scratchPointer(unsigned output, Type type, unsigned copy) {
  SmallVector<ExprAttr> indices, strides;
  ExprAttr stride = sym::constant(b.getContext(), 1);
  for (unsigned d : llvm::reverse(reducedDims)) {
    indices.push_back(sym::dim(b.getContext(), d));
    strides.push_back(stride);
    stride = sym::mul(stride, kernel.getExtent(d));
  }
  return elementPointer(scratch.at(output), type,
                        scalarExpr(linearAddress(indices, strides), copy));
}

LogicalResult KernelEmitter::emitKeptStore(StoreOp store, Value value) {
  if (!scratch.contains(store.getOutput()))
    return emitStore(store, value);
  Type type = value.getType();
  unsigned alignment = elementBytes(type);
  for (unsigned copy = 0; copy < copies; ++copy) {
    Value v = broadcast(lookup(value, copy));
    Value pointer = scratchPointer(store.getOutput(), type, copy);
    if (Value active = tailMask(copy))
      LLVM::MaskedStoreOp::create(b, v, pointer, active,
                                  b.getI32IntegerAttr(alignment));
    else
      LLVM::StoreOp::create(b, v, pointer, alignment);
  }
  return success();
}

LogicalResult KernelEmitter::emitKeptLoad(StoreOp store, Value value) {
  if (scratch.contains(store.getOutput())) {
    Type type = value.getType();
    auto vectorType = VectorType::get(width, type);
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(vectorType));
    Copies out;
    for (unsigned copy = 0; copy < copies; ++copy)
      out.push_back(loadVector(scratchPointer(store.getOutput(), type, copy),
                               vectorType, tailMask(copy), zero,
                               elementBytes(type)));
    values[value] = out;
    return success();
  }
  unsigned number =
      static_cast<unsigned>(kernel.getInputs().size() + store.getOutput());
  Type type = value.getType();
  unsigned alignment = elementBytes(type);
  ExprAttr address =
      linearAddress(store.getIndices().getDims(), layout.strides[number]);
  Value base = buffers[number];
  Copies out;
  if (!variesOverVector(value)) {
    Value pointer = elementPointer(base, type, scalarExpr(address));
    out.push_back(LLVM::LoadOp::create(b, type, pointer, alignment));
    values[value] = out;
    return success();
  }
  auto vectorType = VectorType::get(width, type);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(vectorType));
  ExprAttr v = sym::dim(b.getContext(), static_cast<unsigned>(vectorDim));
  auto split = sym::splitLinear(address, v);
  for (unsigned copy = 0; copy < copies; ++copy) {
    Value active = tailMask(copy);
    if (split && split->first.isConstant(1)) {
      Value pointer = elementPointer(base, type, scalarExpr(address, copy));
      out.push_back(loadVector(pointer, vectorType, active, zero, alignment));
      continue;
    }
    if (!active)
      active = broadcast(
          arith::ConstantOp::create(b, b.getIntegerAttr(b.getI1Type(), 1))
              .getResult());
    Value pointers = elementPointer(base, type, vectorExpr(address, copy));
    out.push_back(LLVM::masked_gather::create(
        b, vectorType, pointers, active, zero, b.getI32IntegerAttr(alignment)));
  }
  values[value] = out;
  return success();
}

void KernelEmitter::emitStreamedStores(ArrayRef<Value> vectors,
                                       ArrayRef<Value> pointers,
                                       unsigned alignment) {
  // The copies follow each other, so that one address speaks for all.
  auto bytes = static_cast<unsigned>(width) * alignment;
  Value address = LLVM::PtrToIntOp::create(b, b.getI64Type(), pointers.front());
  Value offset =
      arith::AndIOp::create(b, address, constantIndex(int64_t(bytes) - 1));
  Value isAligned = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, offset,
                                          constantIndex(0));
  auto choice = scf::IfOp::create(b, isAligned, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  for (auto [vector, pointer] : llvm::zip(vectors, pointers)) {
    // X86 has no such store for halves.
    Value v = vector;
    if (auto type = cast<VectorType>(v.getType());
        type.getElementType().isF16() || type.getElementType().isBF16())
      v = LLVM::BitcastOp::create(b, type.clone(b.getI16Type()), v);
    LLVM::StoreOp::create(b, v, pointer, bytes, /*isVolatile=*/false,
                          /*isNonTemporal=*/true);
  }
  b.setInsertionPointToStart(choice.elseBlock());
  for (auto [vector, pointer] : llvm::zip(vectors, pointers))
    LLVM::StoreOp::create(b, vector, pointer, alignment);
}

LogicalResult KernelEmitter::emitStore(StoreOp store, Value value) {
  unsigned number =
      static_cast<unsigned>(kernel.getInputs().size() + store.getOutput());
  Type scalar = value.getType();
  Type memory = memoryType(scalar);
  unsigned alignment = elementBytes(scalar);
  ExprAttr address =
      linearAddress(store.getIndices().getDims(), layout.strides[number]);
  Value base = buffers[number];
  bool isVectorStore =
      vectorDim >= 0 &&
      dependence.of(
          store.getIndices().getDims())[static_cast<unsigned>(vectorDim)];
  if (!isVectorStore) {
    Value v = toMemory(lookup(value, 0));
    LLVM::StoreOp::create(
        b, v, elementPointer(base, memory, scalarExpr(address)), alignment);
    return success();
  }
  ExprAttr v = sym::dim(b.getContext(), static_cast<unsigned>(vectorDim));
  auto split = sym::splitLinear(address, v);
  if (split && split->first.isConstant(1) && !tailMask(0) &&
      streamed.contains(store.getOutput()) && llvm::isPowerOf2_64(width)) {
    SmallVector<Value> vectors, pointers;
    for (unsigned copy = 0; copy < copies; ++copy) {
      vectors.push_back(toMemory(broadcast(lookup(value, copy))));
      pointers.push_back(
          elementPointer(base, memory, scalarExpr(address, copy)));
    }
    emitStreamedStores(vectors, pointers, alignment);
    return success();
  }
  for (unsigned copy = 0; copy < copies; ++copy) {
    Value vec = toMemory(broadcast(lookup(value, copy)));
    Value active = tailMask(copy);
    if (split && isNeighbour(split->first)) {
      ExprAttr first = address;
      if (split->first.isConstant(-1)) {
        first = sym::add(address, 1 - width);
        vec = reverseLanes(b, vec);
        active = reverseLanes(b, active);
      }
      Value pointer = elementPointer(base, memory, scalarExpr(first, copy));
      if (active)
        LLVM::MaskedStoreOp::create(b, vec, pointer, active,
                                    b.getI32IntegerAttr(alignment));
      else
        LLVM::StoreOp::create(b, vec, pointer, alignment);
      continue;
    }
    // AVX-512, which has 16 lanes, stores under masks by one instruction; that
    // of AVX2 takes longer than a store for each lane.
    constexpr int64_t kLanesOfMasks = 16;
    std::optional<int64_t> step =
        split ? getSmallStep(split->first, alignment) : std::nullopt;
    if (step && (*step == 2 || width >= kLanesOfMasks)) {
      Value pointer = elementPointer(base, memory, scalarExpr(address, copy));
      LLVM::MaskedStoreOp::create(b, repeatLanes(b, vec, *step), pointer,
                                  getSpacedLanes(b, width, *step, active),
                                  b.getI32IntegerAttr(alignment));
      continue;
    }
    if (!active)
      active = broadcast(
          arith::ConstantOp::create(b, b.getIntegerAttr(b.getI1Type(), 1))
              .getResult());
    Value pointers = elementPointer(base, memory, vectorExpr(address, copy));
    LLVM::masked_scatter::create(b, vec, pointers, active,
                                 b.getI32IntegerAttr(alignment));
  }
  return success();
}

LogicalResult KernelEmitter::emitScatter(ScatterOp scatter) {
  unsigned number =
      static_cast<unsigned>(kernel.getInputs().size() + scatter.getOutput());
  Type scalar = scatter.getValue().getType();
  Type memory = memoryType(scalar);
  unsigned alignment = elementBytes(scalar);
  ArrayRef<ExprAttr> indices = scatter.getIndices().getDims();
  SmallVector<ExprAttr> sizes =
      sym::getSizes(cast<RankedTensorType>(scatter.getTarget().getType()));
  ExprAttr address = linearAddress(indices, layout.strides[number]);
  Value base = buffers[number];
  // A vector's lanes write different elements: `convert-loop-to-cpu` has seen
  // to it that they do not run along a dimension that the scatter is over.
  bool vectors = vectorDim >= 0;
  auto update = [&](Value old, Value value) {
    std::optional<ReduceKind> kind = scatter.getKind();
    return toMemory(kind ? combine(b, *kind, fromMemory(old, scalar), value)
                         : value);
  };
  for (unsigned copy = 0, n = vectors ? copies : 1; copy < n; ++copy) {
    SmallVector<Value> args;
    for (Value v : scatter.getArgs())
      args.push_back(lookup(v, copy));
    Value active = emitBounds(indices, sizes, scatter.getBounds(), args,
                              vectors ? tailMask(copy) : Value());
    Value value = lookup(scatter.getValue(), copy);
    if (!vectors) {
      auto write = [&] {
        Value pointer =
            elementPointer(base, memory, scalarExpr(address, 0, args));
        Value old;
        if (scatter.getKind())
          old = LLVM::LoadOp::create(b, memory, pointer, alignment);
        LLVM::StoreOp::create(b, update(old, value), pointer, alignment);
      };
      if (!active) {
        write();
        continue;
      }
      auto choice = scf::IfOp::create(b, active, /*withElseRegion=*/false);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(choice.thenBlock());
      write();
      continue;
    }
    value = broadcast(value);
    if (active)
      active = broadcast(active);
    auto vectorType = VectorType::get(width, memory);
    bool vectorArgs = llvm::any_of(args, [&](Value v) { return isVector(v); });
    ExprAttr v = sym::dim(b.getContext(), static_cast<unsigned>(vectorDim));
    auto split = sym::splitLinear(address, v);
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(vectorType));
    if (!vectorArgs && split && split->first.isConstant(1)) {
      Value pointer =
          elementPointer(base, memory, scalarExpr(address, copy, args));
      Value old;
      if (scatter.getKind())
        old = loadVector(pointer, vectorType, active, zero, alignment);
      Value updated = update(old, value);
      if (active)
        LLVM::MaskedStoreOp::create(b, updated, pointer, active,
                                    b.getI32IntegerAttr(alignment));
      else
        LLVM::StoreOp::create(b, updated, pointer, alignment);
      continue;
    }
    if (!active)
      active = broadcast(
          arith::ConstantOp::create(b, b.getIntegerAttr(b.getI1Type(), 1))
              .getResult());
    Value pointers =
        elementPointer(base, memory, vectorExpr(address, copy, args));
    Value old;
    if (scatter.getKind())
      old = LLVM::masked_gather::create(b, vectorType, pointers, active, zero,
                                        b.getI32IntegerAttr(alignment));
    LLVM::masked_scatter::create(b, update(old, value), pointers, active,
                                 b.getI32IntegerAttr(alignment));
  }
  return success();
}
