//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensor maps: what the hardware can take of a buffer.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Wrapper/IR/TensorMap.h"

#include "coil/Dialect/Sym/IR/Expr.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

#define GET_OP_CLASSES
#include "coil/Dialect/Wrapper/IR/WrapperTensorMapOps.cpp.inc"

static constexpr int64_t kMaxBox = 256, kMaxElementStride = 8,
                         kMaxSize = int64_t(1) << 32,
                         kMaxStride = int64_t(1) << 40;

SmallVector<int64_t> TMADescriptorOp::getElementStrides() {
  if (std::optional<ArrayRef<int64_t>> strides = getStrides())
    return SmallVector<int64_t>(*strides);
  return SmallVector<int64_t>(getBox().size(), 1);
}

static bool hasFloats(BufferType buffer) {
  return isa<FloatType>(buffer.getElementType()) &&
         buffer.getElementBytes() > 1;
}

/// Whether the hardware has the type; floats of 8 bits are bytes to it.
static bool isElement(Type type) {
  unsigned bits = type.getIntOrFloatBitWidth();
  if (isa<FloatType>(type))
    return bits == 8 || type.isF16() || type.isBF16() || type.isF32() ||
           type.isF64();
  return bits == 1 || bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

static LogicalResult verifyLayout(TMADescriptorOp op) {
  BufferType buffer = op.getBufferType();
  unsigned rank = buffer.getRank();
  ArrayRef<ExprAttr> sizes = buffer.getSizes().getDims(),
                     strides = buffer.getStrides().getDims();
  if (!strides.back().isConstant(1) && !sizes.back().isConstant(1)) // (C4)
    return op.emitOpError() << "the innermost stride is '"
                            << strides.back().str() << "' but must be 1";
  int64_t unit = op.getInterleave() == TensorMapInterleave::B32 ? 32 : 16;
  for (unsigned i = 0; i + 1 < rank; ++i) {
    std::optional<int64_t> stride = strides[i].getConstant();
    // What only a run knows is checked when the map is made. Nobody steps along
    // a dimension of size 1.
    if (!stride || sizes[i].isConstant(1))
      continue;
    if (*stride <= 0 || *stride >= kMaxStride ||
        *stride * buffer.getElementBytes() % unit != 0 ||
        *stride * buffer.getElementBytes() >= kMaxStride) // (C5)
      return op.emitOpError()
             << "dimension " << i << " has a stride of " << *stride
             << " elements of " << buffer.getElementBytes()
             << " bytes, which must be a positive multiple of " << unit
             << " bytes, less than 2^40";
  }
  for (auto [i, size] : llvm::enumerate(sizes))
    if (std::optional<int64_t> n = size.getConstant();
        n && (*n < 1 || *n > kMaxSize)) // (C6)
      return op.emitOpError() << "dimension " << i << " has the size " << *n
                              << ", which must be from 1 to 2^32";
  return success();
}

static LogicalResult verifyBox(TMADescriptorOp op) {
  BufferType buffer = op.getBufferType();
  unsigned rank = buffer.getRank();
  ArrayRef<int64_t> box = op.getBox();
  if (box.size() != rank ||
      llvm::any_of(box, [](int64_t n) { return n < 1 || n > kMaxBox; })) // (C7)
    return op.emitOpError() << "expected a box of " << rank
                            << " sizes from 1 to 256 but got [" << box << "]";
  if (std::optional<ArrayRef<int64_t>> strides = op.getStrides();
      strides &&
      (strides->size() != rank || llvm::any_of(*strides, [](int64_t n) {
         return n < 1 || n > kMaxElementStride;
       }))) // (C8)
    return op.emitOpError()
           << "expected " << rank
           << " strides of elements from 1 to 8 but got [" << *strides << "]";
  if (op.getInterleave() != TensorMapInterleave::None)
    return success();
  int64_t row = box.back() * buffer.getElementBytes();
  int64_t span = op.getSwizzle() == TensorMapSwizzle::None
                     ? INT64_MAX
                     : int64_t(16) << static_cast<int>(op.getSwizzle());
  if (row % 16 != 0) // (C9)
    return op.emitOpError() << "the innermost size of the box has " << row
                            << " bytes, which is no multiple of 16";
  if (row > span) // (C9)
    return op.emitOpError()
           << "the innermost size of the box has " << row
           << " bytes, but rows of " << span << " are swizzled";
  return success();
}

LogicalResult TMADescriptorOp::verify() {
  BufferType buffer = getBufferType();
  auto *dialect = getContext()->getLoadedDialect<WrapperDialect>();
  const DeviceInfo *device =
      dialect->lookupDevice(buffer.getDevice().getKind());
  if (device && device->tensorMapFunction.empty()) // (C1)
    return emitOpError() << "device '" << device->kind
                         << "' has no tensor maps";
  unsigned rank = buffer.getRank();
  if (rank < 1 || rank > 5) // (C2)
    return emitOpError() << "has a buffer of " << rank
                         << " dimensions, but tensor maps have one to five";
  if (!isElement(buffer.getElementType())) // (C3)
    return emitOpError() << "tensor maps have no elements of type "
                         << buffer.getElementType();
  if (failed(verifyLayout(*this)) || failed(verifyBox(*this)))
    return failure();
  if (getInterleave() != TensorMapInterleave::None && rank < 3) // (C10)
    return emitOpError() << "interleaves channels of a buffer of " << rank
                         << " dimensions, which needs three or more";
  if (getInterleave() == TensorMapInterleave::B32 &&
      getSwizzle() != TensorMapSwizzle::B32) // (C10)
    return emitOpError("interleaves pieces of 32 bytes, which needs 'swizzle "
                       "b32'");
  if (getFill() == TensorMapFill::NaN && !hasFloats(buffer)) // (C11)
    return emitOpError() << "cannot fill elements of type "
                         << buffer.getElementType() << " with NaNs";
  return success();
}
