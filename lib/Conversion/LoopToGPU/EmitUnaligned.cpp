//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vectors that begin anywhere between two aligned addresses: a storage offset,
// rows of an odd length. Read element by element, a warp would touch as many
// lines of memory for each of them as for whole vectors. Instead a thread loads
// the two aligned vectors that hold the elements, and shifts: its neighbour
// reads one of them, too, from the cache. At the ends of a buffer it cannot, so
// that there is a branch, and one for each vector would have each wait for the
// one before: all loads of a step are in one.
//
//===----------------------------------------------------------------------===//

#include "GPUKernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

/// Bytes of the shortest vector that is worth it: of one word there is nothing
/// to choose, and its pieces are as few as the two vectors.
static constexpr int64_t kMinBytes = 2 * kWordBytes;
/// Pieces that the elements would be loaded in otherwise: twice the two
/// vectors, as there is a shift to pay for, too.
static constexpr int64_t kMinPieces = 4;
/// And where a vector has a branch for itself, which the next one waits for (an
/// H100: four pieces are 1.4 times as fast).
static constexpr int64_t kMinPiecesAlone = 8;
/// Shifted vectors of a thread that are under way together, at most; the
/// registers of one, two vectors of words; and those that a thread needs beside
/// them: from fewer on kernels spill that did not (ptxas 13.0 for sm_90a, those
/// of random_kernels.py --seed=827364, numbers 7, 11 and 16).
static constexpr int64_t kMaxTogether = 4, kShiftedRegisters = 8,
                         kOtherRegisters = 40;

bool loop::isShifted(int64_t width, int64_t elementBytes, int64_t alignment) {
  int64_t bytes = width * elementBytes;
  return bytes >= kMinBytes && bytes <= kAccessBytes &&
         elementBytes <= bytes / 2 && width >= kMinPieces * alignment;
}

bool loop::isShiftedAlone(int64_t width, int64_t elementBytes,
                          int64_t alignment) {
  return isShifted(width, elementBytes, alignment) &&
         width >= kMinPiecesAlone * alignment;
}

Value GPUKernelEmitter::getShiftedCondition(unsigned buffer, Type tensor,
                                            Value offset) {
  // The elements of the buffer, from which no address is outside.
  ExprAttr last = sym::constant(b.getContext(), 0);
  for (auto [size, stride] :
       llvm::zip_equal(sym::getSizes(cast<RankedTensorType>(tensor)),
                       layout.strides[buffer])) {
    if (form.getContext().bounds(stride).lo < 0)
      return {};
    last = sym::add(last, sym::mul(sym::add(size, -1), stride));
  }
  Value end = symbolExpr(sym::add(last, -2 * (width - 1)));
  Value behind = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, offset,
                                       constant(width - 1));
  Value before =
      arith::CmpIOp::create(b, arith::CmpIPredicate::sle, offset, end);
  return both(behind, before);
}

GPUKernelEmitter::ShiftedWords
GPUKernelEmitter::loadAround(Value pointer, Type scalar, unsigned buffer) {
  int64_t bytes = width * byteWidth(scalar), numWords = bytes / kWordBytes;
  auto i64 = b.getI64Type();
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, i64, value);
  };
  // How far behind an aligned address the vector begins.
  Value address = LLVM::PtrToIntOp::create(b, i64, pointer);
  Value distance = arith::AndIOp::create(b, address, number(bytes - 1));
  auto at = [&](Value from, Value by) -> Value {
    return LLVM::GEPOp::create(b, pointer.getType(), b.getI8Type(), from,
                               ArrayRef<LLVM::GEPArg>{by});
  };
  Value low = at(pointer, arith::SubIOp::create(b, number(0), distance));
  // Its last byte's vector: the same one where it is aligned.
  Value step = arith::AndIOp::create(
      b, arith::AddIOp::create(b, distance, number(bytes - 1)), number(-bytes));
  auto type = VectorType::get(numWords, b.getI32Type());
  auto alignment = static_cast<unsigned>(bytes);
  return {loadElements(low, type, alignment, buffer),
          loadElements(at(low, step), type, alignment, buffer),
          arith::TruncIOp::create(b, b.getI32Type(), distance)};
}

Value GPUKernelEmitter::shift(const ShiftedWords &loaded, Type scalar) {
  Type memory = getMemoryType(scalar);
  int64_t elementBytes = byteWidth(scalar);
  int64_t numWords = width * elementBytes / kWordBytes;
  SmallVector<Value> words;
  for (Value vector : {loaded.low, loaded.high})
    for (int64_t i = 0; i < numWords; ++i)
      words.push_back(extract(vector, i));
  // Whole words first, by halves of the distance, then bits.
  for (int64_t n = numWords / 2; n > 0; n /= 2) {
    if (n * kWordBytes < elementBytes)
      break;
    Value bit =
        arith::AndIOp::create(b, loaded.distance, constantI32(n * kWordBytes));
    Value isFar =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ne, bit, constantI32(0));
    for (size_t i = 0; i + static_cast<size_t>(n) < words.size(); ++i)
      words[i] = arith::SelectOp::create(
          b, isFar, words[i + static_cast<size_t>(n)], words[i]);
    words.resize(words.size() - static_cast<size_t>(n));
  }
  if (elementBytes < kWordBytes) {
    Value bits = arith::ShLIOp::create(
        b,
        arith::AndIOp::create(b, loaded.distance, constantI32(kWordBytes - 1)),
        constantI32(3));
    for (int64_t i = 0; i < numWords; ++i)
      words[static_cast<size_t>(i)] = LLVM::FshrOp::create(
          b, b.getI32Type(), words[static_cast<size_t>(i) + 1],
          words[static_cast<size_t>(i)], bits);
  }
  words.resize(static_cast<size_t>(numWords));
  Value vector = fromLanes(words);
  return fromMemory(
      vector::BitCastOp::create(b, VectorType::get(width, memory), vector),
      scalar);
}

SmallVector<GPUKernelEmitter::ShiftedAccess>
GPUKernelEmitter::getShiftedAccesses(LoadOp load) {
  if (!form.isVector(load.getResult()) || getMask(load) ||
      !load.getArgs().empty() || mayAlias(load) || isWindowLoad(load) ||
      keptLoads.contains(load) || ring)
    return {};
  LaneAddress address = form.getAddress(load);
  if (!address.isContiguous() ||
      !isShifted(width, byteWidth(load.getType()), address.alignment))
    return {};
  b.setLoc(load.getLoc());
  unsigned number = cast<BlockArgument>(load.getSource()).getArgNumber();
  SmallVector<ShiftedAccess> accesses;
  bool isKnown = true;
  Copies copies = makeCopies(load.getResult());
  forEachCopy(copies.overP, copies.overR, [&](unsigned ip, unsigned ir) {
    Condition c = getCondition(copies.overP, copies.overR, ip, ir,
                               /*hasLanes=*/true);
    isKnown &= !c.lanes || c.full;
    if (!isKnown)
      return;
    Value inside =
        getShiftedCondition(number, load.getSource().getType(),
                            scalarExpr(address.base, ip, ir, indexBits, {}));
    isKnown = static_cast<bool>(inside);
    accesses.push_back(
        {load, address, c, ip, ir, both(c.lanes ? c.full : c.active, inside)});
  });
  return isKnown ? accesses : SmallVector<ShiftedAccess>();
}

GPUKernelEmitter::Values
GPUKernelEmitter::loadAccesses(MutableArrayRef<ShiftedAccess> accesses) {
  Value isFast;
  SmallVector<Type> types;
  for (ShiftedAccess &a : accesses) {
    isFast = both(isFast, a.isWhole);
    types.push_back(VectorType::get(width, a.load.getType()));
  }
  auto choice = scf::IfOp::create(b, types, isFast, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  // All of them are under way before the first one is shifted.
  SmallVector<ShiftedWords> words;
  for (ShiftedAccess &a : accesses) {
    b.setLoc(a.load.getLoc());
    Type scalar = a.load.getType();
    unsigned number = cast<BlockArgument>(a.load.getSource()).getArgNumber();
    Value pointer = elementPointer(number, getMemoryType(scalar),
                                   a.address.base, a.ip, a.ir, {}, 0);
    words.push_back(loadAround(pointer, scalar, number));
  }
  Values loaded;
  for (auto [a, from] : llvm::zip_equal(accesses, words))
    loaded.push_back(shift(from, a.load.getType()));
  scf::YieldOp::create(b, loaded);
  b.setInsertionPointToStart(choice.elseBlock());
  Values alone;
  for (ShiftedAccess &a : accesses) {
    b.setLoc(a.load.getLoc());
    alone.push_back(emitLoadVector(a.load, a.address, a.condition, a.ip, a.ir,
                                   /*shifts=*/false));
  }
  scf::YieldOp::create(b, alone);
  return Values(choice.getResults().begin(), choice.getResults().end());
}

void GPUKernelEmitter::loadTogether(ArrayRef<Operation *> ops) {
  // What a reduction combines, or keeps, has an element for each of its items.
  int64_t registers =
      facts.registers / (threadsP * threadsR *
                         std::max<int64_t>(1, schedule.getMinBlocks())) -
      kOtherRegisters - (hasReductions ? itemsP * itemsR * width : 0);
  int64_t together = std::min(kMaxTogether, registers / kShiftedRegisters);
  if (together < 2)
    return;
  SmallVector<ShiftedAccess> accesses;
  SmallVector<LoadOp> loads;
  for (Operation *op : ops)
    if (auto load = dyn_cast<LoadOp>(op)) {
      SmallVector<ShiftedAccess> own = getShiftedAccesses(load);
      if (own.empty())
        continue;
      llvm::append_range(accesses, own);
      loads.push_back(load);
    }
  if (accesses.size() < 2)
    return;
  for (LoadOp load : loads) {
    values[load.getResult()] = makeCopies(load.getResult());
    loadedTogether.insert(load);
  }
  for (MutableArrayRef<ShiftedAccess> rest = accesses; !rest.empty();) {
    auto group = rest.take_front(static_cast<size_t>(together));
    rest = rest.drop_front(group.size());
    for (auto [a, v] : llvm::zip_equal(group, loadAccesses(group)))
      values[a.load.getResult()].values.push_back(v);
  }
  if (keepsLoads)
    for (LoadOp load : loads)
      keepLoad(load);
}
