//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Storage, rounding and printing of reference tensors.
//
//===----------------------------------------------------------------------===//

#include "coil/Reference/Tensor.h"

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <cstdlib>
#include <cstring>

using namespace mlir;
using namespace coil::reference;

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

std::optional<DType> coil::reference::getDType(Type type) {
  if (type.isF16())
    return DType::F16;
  if (type.isBF16())
    return DType::BF16;
  if (type.isF32())
    return DType::F32;
  if (type.isF64())
    return DType::F64;
  if (isa<Float8E4M3FNType>(type))
    return DType::F8E4M3FN;
  if (isa<Float8E5M2Type>(type))
    return DType::F8E5M2;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return std::nullopt;
  bool isUnsigned = integer.isUnsigned();
  switch (integer.getWidth()) {
  case 1:
    return DType::Bool;
  case 8:
    return isUnsigned ? DType::U8 : DType::I8;
  case 16:
    return isUnsigned ? DType::U16 : DType::I16;
  case 32:
    return isUnsigned ? DType::U32 : DType::I32;
  case 64:
    return isUnsigned ? DType::U64 : DType::I64;
  default:
    return std::nullopt;
  }
}

Type coil::reference::getType(DType dtype, MLIRContext *context) {
  switch (dtype) {
  case DType::F16:
    return Float16Type::get(context);
  case DType::BF16:
    return BFloat16Type::get(context);
  case DType::F32:
    return Float32Type::get(context);
  case DType::F64:
    return Float64Type::get(context);
  case DType::F8E4M3FN:
    return Float8E4M3FNType::get(context);
  case DType::F8E5M2:
    return Float8E5M2Type::get(context);
  default:
    return IntegerType::get(context, getBitWidth(dtype),
                            isUnsigned(dtype) ? IntegerType::Unsigned
                                              : IntegerType::Signless);
  }
}

unsigned coil::reference::getByteSize(DType dtype) {
  static constexpr uint8_t sizes[] = {1, 1, 1, 2, 2, 4, 4, 8,
                                      8, 2, 2, 4, 8, 1, 1};
  return sizes[static_cast<unsigned>(dtype)];
}

unsigned coil::reference::getBitWidth(DType dtype) {
  return dtype == DType::Bool ? 1 : 8 * getByteSize(dtype);
}

llvm::StringRef coil::reference::getName(DType dtype) {
  static constexpr llvm::StringLiteral names[] = {
      "i1",   "i8",  "ui8",  "i16", "ui16", "i32",      "ui32",  "i64",
      "ui64", "f16", "bf16", "f32", "f64",  "f8E4M3FN", "f8E5M2"};
  return names[static_cast<unsigned>(dtype)];
}

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

/// Encodes a double in a 16-bit format of `mantissa` and `exponent` bits.
static uint16_t encodeSmall(double value, unsigned mantissa,
                            unsigned exponent) {
  uint64_t bits = llvm::bit_cast<uint64_t>(value);
  uint16_t sign = static_cast<uint16_t>(bits >> 63 << 15);
  int bias = (1 << (exponent - 1)) - 1;
  uint16_t infinity = static_cast<uint16_t>(((1 << exponent) - 1) << mantissa);
  uint64_t fraction = bits & ((uint64_t(1) << 52) - 1);
  int e = static_cast<int>(bits >> 52 & 0x7ff);
  if (e == 0x7ff)
    return sign | infinity | (fraction ? uint16_t(1) << (mantissa - 1) : 0);
  if (e == 0)
    return sign; // Zero, or a subnormal double, far below half a step.
  // The value is significand * 2^(e - 1075). One step of the result is
  // 2^(scale - mantissa), where subnormals share the least scale.
  uint64_t significand = fraction | uint64_t(1) << 52;
  int scale = std::max(e - 1023, 1 - bias);
  int shift = scale - static_cast<int>(mantissa) - (e - 1075);
  if (shift > 54)
    return sign;
  uint64_t quotient = significand >> shift;
  uint64_t rest = significand & ((uint64_t(1) << shift) - 1);
  uint64_t half = uint64_t(1) << (shift - 1);
  if (rest > half || (rest == half && (quotient & 1)))
    ++quotient;
  // A carry out of the mantissa moves to the next exponent by itself.
  uint64_t result =
      (static_cast<uint64_t>(scale + bias - 1) << mantissa) + quotient;
  return sign | static_cast<uint16_t>(std::min<uint64_t>(result, infinity));
}

static double decodeSmall(uint16_t bits, unsigned mantissa, unsigned exponent) {
  int bias = (1 << (exponent - 1)) - 1;
  int e = bits >> mantissa & ((1 << exponent) - 1);
  int fraction = bits & ((1 << mantissa) - 1);
  double magnitude;
  if (e == (1 << exponent) - 1)
    magnitude = fraction ? std::nan("") : HUGE_VAL;
  else if (e == 0)
    magnitude = std::ldexp(fraction, 1 - bias - static_cast<int>(mantissa));
  else
    magnitude = std::ldexp(fraction | (1 << mantissa),
                           e - bias - static_cast<int>(mantissa));
  return std::copysign(magnitude, bits >> 15 ? -1.0 : 1.0);
}

uint16_t coil::reference::encodeF16(double value) {
  return encodeSmall(value, 10, 5);
}
uint16_t coil::reference::encodeBF16(double value) {
  return encodeSmall(value, 7, 8);
}
double coil::reference::decodeF16(uint16_t bits) {
  return decodeSmall(bits, 10, 5);
}
double coil::reference::decodeBF16(uint16_t bits) {
  float value = llvm::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  return value;
}

static const llvm::fltSemantics &getSemantics(DType dtype) {
  return dtype == DType::F8E4M3FN ? APFloat::Float8E4M3FN()
                                  : APFloat::Float8E5M2();
}

uint8_t coil::reference::encodeF8(DType dtype, double value) {
  // All ones is the framework's NaN.
  if (std::isnan(value))
    return std::signbit(value) ? 0xff : 0x7f;
  APFloat encoded(value);
  bool losesInfo;
  encoded.convert(getSemantics(dtype), APFloat::rmNearestTiesToEven,
                  &losesInfo);
  return static_cast<uint8_t>(encoded.bitcastToAPInt().getZExtValue());
}
double coil::reference::decodeF8(DType dtype, uint8_t bits) {
  APFloat value(getSemantics(dtype), APInt(8, bits));
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

double coil::reference::roundTo(DType dtype, double value) {
  switch (dtype) {
  case DType::F16:
    return decodeF16(encodeF16(value));
  case DType::BF16:
    return decodeBF16(encodeBF16(value));
  case DType::F32:
    return static_cast<float>(value);
  case DType::F8E4M3FN:
  case DType::F8E5M2:
    return decodeF8(dtype, encodeF8(dtype, value));
  default:
    return value;
  }
}

int64_t coil::reference::wrapTo(DType dtype, int64_t value) {
  switch (dtype) {
  case DType::Bool:
    return value & 1;
  case DType::I8:
    return static_cast<int8_t>(value);
  case DType::U8:
    return static_cast<uint8_t>(value);
  case DType::I16:
    return static_cast<int16_t>(value);
  case DType::U16:
    return static_cast<uint16_t>(value);
  case DType::I32:
    return static_cast<int32_t>(value);
  case DType::U32:
    return static_cast<uint32_t>(value);
  default:
    return value;
  }
}

// The low bits that a double has no room for become one sticky bit. It is far
// below the last place of any narrower float, and tells a tie from its
// neighbours.
double coil::reference::toStickyDouble(uint64_t value) {
  if (value >> 53) {
    bool sticky = value & 0x7ff;
    value = (value & ~uint64_t(0x7ff)) | (sticky ? 0x800 : 0);
  }
  return static_cast<double>(value);
}
double coil::reference::toStickyDouble(int64_t value) {
  if (value >= 0)
    return toStickyDouble(static_cast<uint64_t>(value));
  return -toStickyDouble(-static_cast<uint64_t>(value));
}

uint64_t coil::reference::toBits(DType dtype, Scalar value) {
  switch (dtype) {
  case DType::F16:
    return encodeF16(value.f);
  case DType::BF16:
    return encodeBF16(value.f);
  case DType::F32:
    return llvm::bit_cast<uint32_t>(static_cast<float>(value.f));
  case DType::F64:
    return llvm::bit_cast<uint64_t>(value.f);
  case DType::F8E4M3FN:
  case DType::F8E5M2:
    return encodeF8(dtype, value.f);
  default:
    return static_cast<uint64_t>(value.i) &
           llvm::maskTrailingOnes<uint64_t>(getBitWidth(dtype));
  }
}

Scalar coil::reference::fromBits(DType dtype, uint64_t bits) {
  switch (dtype) {
  case DType::F16:
    return makeFloat(decodeF16(static_cast<uint16_t>(bits)));
  case DType::BF16:
    return makeFloat(decodeBF16(static_cast<uint16_t>(bits)));
  case DType::F32:
    return makeFloat(llvm::bit_cast<float>(static_cast<uint32_t>(bits)));
  case DType::F64:
    return makeFloat(llvm::bit_cast<double>(bits));
  case DType::F8E4M3FN:
  case DType::F8E5M2:
    return makeFloat(decodeF8(dtype, static_cast<uint8_t>(bits)));
  default:
    return makeInt(wrapTo(dtype, static_cast<int64_t>(bits)));
  }
}

//===----------------------------------------------------------------------===//
// Tensor
//===----------------------------------------------------------------------===//

struct Tensor::Storage {
  Storage(int64_t bytes, std::shared_ptr<MemoryBudget> budget)
      : memory(
            static_cast<char *>(std::calloc(std::max<int64_t>(bytes, 1), 1))),
        bytes(bytes), budget(std::move(budget)) {}
  ~Storage() {
    std::free(memory);
    if (budget)
      budget->used -= bytes;
  }
  char *memory;
  int64_t bytes;
  std::shared_ptr<MemoryBudget> budget;
};

std::optional<int64_t> Tensor::countElements(ArrayRef<int64_t> sizes) {
  int64_t count = 1;
  for (int64_t size : sizes)
    if (size < 0)
      return std::nullopt;
  if (llvm::is_contained(sizes, 0))
    return 0;
  for (int64_t size : sizes)
    if (llvm::MulOverflow(count, size, count) || count >> 59)
      return std::nullopt;
  return count;
}

std::optional<Tensor> Tensor::allocate(DType dtype, ArrayRef<int64_t> sizes,
                                       std::shared_ptr<MemoryBudget> budget) {
  std::optional<int64_t> count = countElements(sizes);
  if (!count)
    return std::nullopt;
  int64_t bytes = *count * getByteSize(dtype);
  if (budget) {
    if (bytes > budget->limit - budget->used)
      return std::nullopt;
    budget->used += bytes;
    budget->peak = std::max(budget->peak, budget->used);
  }
  Tensor tensor;
  tensor.dtype = dtype;
  tensor.sizes.assign(sizes.begin(), sizes.end());
  tensor.numElements = *count;
  tensor.storage = std::make_shared<Storage>(bytes, std::move(budget));
  tensor.data = tensor.storage->memory;
  if (!tensor.data)
    return std::nullopt;
  return tensor;
}

Tensor::Tensor(DType dtype, ArrayRef<int64_t> sizes) {
  if (std::optional<Tensor> tensor = allocate(dtype, sizes, nullptr))
    *this = std::move(*tensor);
}

llvm::SmallVector<int64_t>
coil::reference::getContiguousStrides(ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> strides(sizes.size(), 1);
  for (size_t i = sizes.size(); i-- > 1;)
    strides[i - 1] = strides[i] * std::max<int64_t>(sizes[i], 1);
  return strides;
}

/// Calls `fn(position, offset)` for every element in row-major order.
template <typename FnT>
static void forEachOffset(ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides,
                          FnT fn) {
  int64_t count = *Tensor::countElements(sizes);
  SmallVector<int64_t> index(sizes.size());
  int64_t offset = 0;
  for (int64_t position = 0; position < count; ++position) {
    fn(position, offset);
    for (size_t d = sizes.size(); d-- > 0;) {
      offset += strides[d];
      if (++index[d] < sizes[d])
        break;
      offset -= index[d] * strides[d];
      index[d] = 0;
    }
  }
}

Tensor Tensor::fromStrided(DType dtype, ArrayRef<int64_t> sizes,
                           ArrayRef<int64_t> strides, const void *data) {
  Tensor tensor(dtype, sizes);
  unsigned bytes = getByteSize(dtype);
  const char *source = static_cast<const char *>(data);
  if (strides == ArrayRef<int64_t>(reference::getContiguousStrides(sizes))) {
    if (tensor.numElements)
      std::memcpy(tensor.data, source, tensor.numElements * bytes);
    return tensor;
  }
  forEachOffset(sizes, strides, [&](int64_t position, int64_t offset) {
    std::memcpy(tensor.data + position * bytes, source + offset * bytes, bytes);
  });
  return tensor;
}

void Tensor::toStrided(ArrayRef<int64_t> strides, void *target) const {
  unsigned bytes = getByteSize(dtype);
  forEachOffset(sizes, strides, [&](int64_t position, int64_t offset) {
    std::memcpy(static_cast<char *>(target) + offset * bytes,
                data + position * bytes, bytes);
  });
}

std::optional<Tensor> Tensor::fromAttribute(ElementsAttr attribute) {
  std::optional<DType> dtype = reference::getDType(attribute.getElementType());
  ArrayRef<int64_t> sizes = attribute.getShapedType().getShape();
  if (!dtype || !countElements(sizes))
    return std::nullopt;
  Tensor tensor(*dtype, sizes);
  int64_t position = 0;
  if (isFloat(*dtype)) {
    auto values = attribute.tryGetValues<APFloat>();
    if (!values)
      return std::nullopt;
    for (APFloat value : *values) {
      uint64_t bits = value.bitcastToAPInt().getZExtValue();
      tensor.set(position++, fromBits(*dtype, bits));
    }
    return tensor;
  }
  auto values = attribute.tryGetValues<APInt>();
  if (!values)
    return std::nullopt;
  for (const APInt &value : *values)
    tensor.set(position++, fromBits(*dtype, value.getZExtValue()));
  return tensor;
}

Tensor Tensor::scalar(DType dtype, Scalar value) {
  Tensor tensor(dtype, {});
  tensor.set(0, value);
  return tensor;
}

Tensor Tensor::reshape(ArrayRef<int64_t> newSizes) const {
  assert(countElements(newSizes) == numElements);
  Tensor result = *this;
  result.sizes.assign(newSizes.begin(), newSizes.end());
  return result;
}

Tensor Tensor::bitcast(DType newType) const {
  assert(getByteSize(newType) == getByteSize(dtype));
  Tensor result = *this;
  result.dtype = newType;
  return result;
}

template <typename T>
static T read(const void *data, int64_t position) {
  return static_cast<const T *>(data)[position];
}
template <typename T>
static void write(void *data, int64_t position, T value) {
  static_cast<T *>(data)[position] = value;
}

Scalar Tensor::load(DType dtype, const void *data, int64_t position) {
  switch (dtype) {
  case DType::Bool:
    return makeInt(read<uint8_t>(data, position) != 0);
  case DType::I8:
    return makeInt(read<int8_t>(data, position));
  case DType::U8:
    return makeInt(read<uint8_t>(data, position));
  case DType::I16:
    return makeInt(read<int16_t>(data, position));
  case DType::U16:
    return makeInt(read<uint16_t>(data, position));
  case DType::I32:
    return makeInt(read<int32_t>(data, position));
  case DType::U32:
    return makeInt(read<uint32_t>(data, position));
  case DType::I64:
  case DType::U64:
    return makeInt(read<int64_t>(data, position));
  case DType::F16:
    return makeFloat(decodeF16(read<uint16_t>(data, position)));
  case DType::BF16:
    return makeFloat(decodeBF16(read<uint16_t>(data, position)));
  case DType::F32:
    return makeFloat(read<float>(data, position));
  case DType::F64:
    return makeFloat(read<double>(data, position));
  case DType::F8E4M3FN:
  case DType::F8E5M2:
    return makeFloat(decodeF8(dtype, read<uint8_t>(data, position)));
  }
  llvm_unreachable("unknown element type");
}

void Tensor::store(DType dtype, void *data, int64_t position, Scalar value) {
  switch (dtype) {
  case DType::Bool:
    return write<uint8_t>(data, position, value.i & 1);
  case DType::I8:
  case DType::U8:
    return write(data, position, static_cast<uint8_t>(value.i));
  case DType::I16:
  case DType::U16:
    return write(data, position, static_cast<uint16_t>(value.i));
  case DType::I32:
  case DType::U32:
    return write(data, position, static_cast<uint32_t>(value.i));
  case DType::I64:
  case DType::U64:
    return write(data, position, value.i);
  case DType::F16:
    return write(data, position, encodeF16(value.f));
  case DType::BF16:
    return write(data, position, encodeBF16(value.f));
  case DType::F32:
    return write(data, position, static_cast<float>(value.f));
  case DType::F64:
    return write(data, position, value.f);
  case DType::F8E4M3FN:
  case DType::F8E5M2:
    return write(data, position, encodeF8(dtype, value.f));
  }
  llvm_unreachable("unknown element type");
}

//===----------------------------------------------------------------------===//
// Printing and comparing
//===----------------------------------------------------------------------===//

/// Prints integers as such and other floats with the fewest digits that read
/// back as the same element.
static void printScalar(raw_ostream &os, DType dtype, Scalar value) {
  if (dtype == DType::Bool) {
    os << (value.i ? "true" : "false");
  } else if (dtype == DType::U64) {
    os << static_cast<uint64_t>(value.i);
  } else if (!isFloat(dtype)) {
    os << value.i;
  } else if (std::isnan(value.f)) {
    os << "nan";
  } else if (value.f == std::trunc(value.f) && std::fabs(value.f) < 1e9) {
    os << llvm::format("%.0f", value.f); // Keeps the sign of zero.
  } else {
    for (int digits = 1; digits <= 17; ++digits) {
      char text[40];
      std::snprintf(text, sizeof(text), "%.*g", digits, value.f);
      if (digits < 17 && roundTo(dtype, std::strtod(text, nullptr)) != value.f)
        continue;
      os << text;
      return;
    }
  }
}

void Tensor::print(raw_ostream &os) const {
  int64_t position = 0;
  auto printFrom = [&](auto &&self, size_t dim) -> void {
    if (dim == sizes.size()) {
      printScalar(os, dtype, get(position++));
      return;
    }
    os << '[';
    for (int64_t i = 0; i < sizes[dim]; ++i) {
      if (i)
        os << ", ";
      self(self, dim + 1);
    }
    os << ']';
  };
  if (numElements || llvm::count(sizes, 0) == 0)
    printFrom(printFrom, 0);
  else
    os << "[]";
  os << " : ";
  for (int64_t size : sizes)
    os << size << 'x';
  os << getName(dtype);
}

Tolerance coil::reference::getDefaultTolerance(DType dtype) {
  switch (dtype) {
  case DType::F16:
    return {2e-3, 1e-3};
  case DType::BF16:
    return {1.6e-2, 1e-2};
  case DType::F32:
    return {2e-5, 1e-5};
  case DType::F64:
    return {1e-9, 1e-11};
  case DType::F8E4M3FN:
    return {0.125, 0x1p-9};
  case DType::F8E5M2:
    return {0.25, 0x1p-16};
  default:
    return {};
  }
}

std::optional<std::string> coil::reference::compare(const Tensor &actual,
                                                    const Tensor &expected,
                                                    Tolerance tolerance) {
  std::string message;
  llvm::raw_string_ostream os(message);
  if (actual.getDType() != expected.getDType() ||
      actual.getSizes() != expected.getSizes()) {
    auto printType = [&](const Tensor &t) {
      for (int64_t size : t.getSizes())
        os << size << 'x';
      os << getName(t.getDType());
    };
    os << "has type ";
    printType(actual);
    os << ", expected ";
    printType(expected);
    return message;
  }
  DType dtype = actual.getDType();
  int64_t worst = -1, bad = 0;
  double worstExcess = 0;
  for (int64_t i = 0; i < actual.getNumElements(); ++i) {
    Scalar a = actual.get(i), e = expected.get(i);
    double excess = 0;
    if (!isFloat(dtype)) {
      if (a.i == e.i)
        continue;
      excess = std::fabs(double(a.i) - double(e.i));
    } else if (a.f == e.f || (std::isnan(a.f) && std::isnan(e.f))) {
      continue;
    } else if (!std::isfinite(a.f) || !std::isfinite(e.f)) {
      excess = HUGE_VAL;
    } else {
      double allowed = tolerance.absolute + tolerance.relative * std::fabs(e.f);
      double difference = std::fabs(a.f - e.f);
      if (difference <= allowed)
        continue;
      excess = difference / std::max(allowed, 1e-300);
    }
    ++bad;
    if (worst < 0 || excess > worstExcess) {
      worst = i;
      worstExcess = excess;
    }
  }
  if (worst < 0)
    return std::nullopt;
  os << bad << " of " << actual.getNumElements()
     << " elements differ, most at [";
  int64_t rest = worst;
  SmallVector<int64_t> index(actual.getRank());
  for (size_t d = index.size(); d-- > 0;) {
    index[d] = rest % actual.getSizes()[d];
    rest /= actual.getSizes()[d];
  }
  llvm::interleaveComma(index, os);
  os << "]: ";
  printScalar(os, dtype, actual.get(worst));
  os << ", expected ";
  printScalar(os, dtype, expected.get(worst));
  return message;
}
