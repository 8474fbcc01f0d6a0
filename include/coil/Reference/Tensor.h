//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensors and scalars as the reference interpreter holds them.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_REFERENCE_TENSOR_H
#define COIL_REFERENCE_TENSOR_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace mlir {
class ElementsAttr;
class MLIRContext;
class RankedTensorType;
class Type;
} // namespace mlir

namespace coil::reference {

/// Element types, numbered as `coil_dtype` of the runtime.
enum class DType : uint8_t {
  Bool = 0,
  I8,
  U8,
  I16,
  U16,
  I32,
  U32,
  I64,
  U64,
  F16,
  BF16,
  F32,
  F64,
  F8E4M3FN,
  F8E5M2
};

/// The element type of an MLIR scalar type; signless integers are signed.
std::optional<DType> getDType(mlir::Type type);
/// The MLIR type of graph-level tensors of this element type.
mlir::Type getType(DType dtype, mlir::MLIRContext *context);
unsigned getByteSize(DType dtype);
unsigned getBitWidth(DType dtype);
llvm::StringRef getName(DType dtype);
inline bool isFloat(DType dtype) { return dtype >= DType::F16; }
inline bool isUnsigned(DType dtype) {
  return dtype == DType::U8 || dtype == DType::U16 || dtype == DType::U32 ||
         dtype == DType::U64;
}

/// A value of any element type. Integers are sign- or zero-extended as their
/// type says, a bool is 0 or 1, and every float is exact in a double.
union Scalar {
  int64_t i;
  double f;
};
inline Scalar makeInt(int64_t i) {
  Scalar s;
  s.i = i;
  return s;
}
inline Scalar makeFloat(double f) {
  Scalar s;
  s.f = f;
  return s;
}

/// \name Rounding
/// Round to nearest, ties to even, once. Integers wrap.
/// @{
uint16_t encodeF16(double value);
uint16_t encodeBF16(double value);
double decodeF16(uint16_t bits);
double decodeBF16(uint16_t bits);
/// Of `F8E4M3FN` or `F8E5M2`.
uint8_t encodeF8(DType dtype, double value);
double decodeF8(DType dtype, uint8_t bits);
double roundTo(DType dtype, double value);
/// The value of the low bits of `value` as an integer of `dtype`.
int64_t wrapTo(DType dtype, int64_t value);
/// A double that rounds to every narrower float as `value` itself does.
double toStickyDouble(int64_t value);
double toStickyDouble(uint64_t value);
/// @}

/// The bits of `value` as stored, and back.
uint64_t toBits(DType dtype, Scalar value);
Scalar fromBits(DType dtype, uint64_t bits);

/// Bytes that live tensors may take together.
struct MemoryBudget {
  int64_t limit = INT64_MAX;
  int64_t used = 0;
  int64_t peak = 0;
};

/// A contiguous row-major tensor. Copies share their elements.
class Tensor {
public:
  Tensor() = default;
  /// A tensor of zeros. The sizes must have a number of elements (below).
  Tensor(DType dtype, llvm::ArrayRef<int64_t> sizes);

  /// Number of elements, or nothing when a size is negative or the bytes do
  /// not fit 62 bits.
  static std::optional<int64_t> countElements(llvm::ArrayRef<int64_t> sizes);
  /// A tensor of zeros within `budget`, or nothing when that is exhausted.
  static std::optional<Tensor> allocate(DType dtype,
                                        llvm::ArrayRef<int64_t> sizes,
                                        std::shared_ptr<MemoryBudget> budget);
  /// Copies elements from memory; strides count elements.
  static Tensor fromStrided(DType dtype, llvm::ArrayRef<int64_t> sizes,
                            llvm::ArrayRef<int64_t> strides, const void *data);
  /// The elements of an integer or float literal with a supported type.
  static std::optional<Tensor> fromAttribute(mlir::ElementsAttr attribute);
  /// A tensor of rank zero.
  static Tensor scalar(DType dtype, Scalar value);

  /// Copies the elements to memory; strides count elements.
  void toStrided(llvm::ArrayRef<int64_t> strides, void *data) const;
  /// The same elements under other sizes with the same number of elements.
  Tensor reshape(llvm::ArrayRef<int64_t> sizes) const;
  /// The same bits under another element type of the same width.
  Tensor bitcast(DType dtype) const;

  explicit operator bool() const { return storage != nullptr; }
  DType getDType() const { return dtype; }
  llvm::ArrayRef<int64_t> getSizes() const { return sizes; }
  int64_t getRank() const { return sizes.size(); }
  int64_t getNumElements() const { return numElements; }
  char *getData() const { return data; }

  /// The element at a row-major position.
  Scalar get(int64_t position) const { return load(dtype, data, position); }
  /// Rounds a float and wraps an integer to the element type.
  void set(int64_t position, Scalar value) const {
    store(dtype, data, position, value);
  }
  static Scalar load(DType dtype, const void *data, int64_t position);
  static void store(DType dtype, void *data, int64_t position, Scalar value);

  /// Prints elements as nested lists, floats with the digits that tell them
  /// apart from their neighbours, and the type.
  void print(llvm::raw_ostream &os) const;

private:
  struct Storage;

  DType dtype = DType::F32;
  llvm::SmallVector<int64_t, 4> sizes;
  int64_t numElements = 0;
  char *data = nullptr;
  std::shared_ptr<Storage> storage;
};

/// Row-major strides of a contiguous tensor.
llvm::SmallVector<int64_t> getContiguousStrides(llvm::ArrayRef<int64_t> sizes);

/// How far apart results may be: |actual - expected| <= absolute + relative *
/// |expected|; NaN equals NaN, and infinities are equal or not.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
};
/// What fits results of this element type after a few operations.
Tolerance getDefaultTolerance(DType dtype);
/// Compares two tensors; returns a description of the worst difference, or
/// nothing when all elements are close.
std::optional<std::string> compare(const Tensor &actual, const Tensor &expected,
                                   Tolerance tolerance);

} // namespace coil::reference

#endif // COIL_REFERENCE_TENSOR_H
