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
// reads one of them, too, from the cache.
//
//===----------------------------------------------------------------------===//

#include "GPUKernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
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

bool loop::isShifted(int64_t width, int64_t elementBytes, int64_t alignment) {
  int64_t bytes = width * elementBytes;
  return bytes >= kMinBytes && bytes <= kAccessBytes &&
         elementBytes <= bytes / 2 && width >= kMinPieces * alignment;
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

Value GPUKernelEmitter::loadShifted(Value pointer, Type scalar,
                                    unsigned buffer) {
  Type memory = getMemoryType(scalar);
  int64_t elementBytes = std::max(1u, memory.getIntOrFloatBitWidth() / 8);
  int64_t bytes = width * elementBytes, numWords = bytes / kWordBytes;
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
  SmallVector<Value> words;
  for (Value from : {low, at(low, step)}) {
    Value vector =
        loadElements(from, type, static_cast<unsigned>(bytes), buffer);
    for (int64_t i = 0; i < numWords; ++i)
      words.push_back(extract(vector, i));
  }
  // Whole words first, by halves of the distance, then bits.
  Value by = arith::TruncIOp::create(b, b.getI32Type(), distance);
  for (int64_t n = numWords / 2; n > 0; n /= 2) {
    if (n * kWordBytes < elementBytes)
      break;
    Value bit = arith::AndIOp::create(b, by, constantI32(n * kWordBytes));
    Value isFar =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ne, bit, constantI32(0));
    for (size_t i = 0; i + static_cast<size_t>(n) < words.size(); ++i)
      words[i] = arith::SelectOp::create(
          b, isFar, words[i + static_cast<size_t>(n)], words[i]);
    words.resize(words.size() - static_cast<size_t>(n));
  }
  if (elementBytes < kWordBytes) {
    Value bits = arith::ShLIOp::create(
        b, arith::AndIOp::create(b, by, constantI32(kWordBytes - 1)),
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
