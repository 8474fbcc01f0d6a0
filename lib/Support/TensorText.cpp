//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parsing and printing of tensors.
//
//===----------------------------------------------------------------------===//

#include "coil/Support/TensorText.h"

#include "coil/Support/Npy.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>

using namespace coil;
using namespace llvm;

static Error error(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

static bool isFloat(int32_t dtype) {
  return dtype >= COIL_F16 && dtype <= COIL_F8E5M2;
}

static bool isUnsigned(int32_t dtype) {
  return dtype == COIL_U8 || dtype == COIL_U16 || dtype == COIL_U32 ||
         dtype == COIL_U64;
}

static const fltSemantics &getSemantics(int32_t dtype) {
  switch (dtype) {
  case COIL_F16:
    return APFloat::IEEEhalf();
  case COIL_BF16:
    return APFloat::BFloat();
  case COIL_F32:
    return APFloat::IEEEsingle();
  case COIL_F8E4M3FN:
    return APFloat::Float8E4M3FN();
  case COIL_F8E5M2:
    return APFloat::Float8E5M2();
  default:
    return APFloat::IEEEdouble();
  }
}

std::optional<int32_t> coil::parseDType(StringRef name) {
  // The names of element types in IR.
  if (name == "i1")
    return COIL_BOOL;
  if (name == "ui8")
    return COIL_U8;
  for (int32_t dtype = COIL_BOOL; dtype <= COIL_F8E5M2; ++dtype)
    if (name == coil_dtype_name(dtype))
      return dtype;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

/// Stores the low bytes of `bits`.
static void storeBits(int32_t dtype, uint64_t bits, char *target) {
  // The host is little-endian, as are the files.
  memcpy(target, &bits, size_t(coil_dtype_size(dtype)));
}

static Error parseElement(StringRef text, int32_t dtype, char *target) {
  auto bad = [&] {
    return error("'" + text + "' is not a value of type " +
                 coil_dtype_name(dtype));
  };
  if (isFloat(dtype)) {
    // One rounding, from the decimal digits to the element type.
    APFloat value(getSemantics(dtype));
    StringRef digits = text;
    bool negative = digits.consume_front("-");
    if (digits.equals_insensitive("nan")) {
      value = APFloat::getNaN(getSemantics(dtype), negative);
    } else if (digits.equals_insensitive("inf") ||
               digits.equals_insensitive("infinity")) {
      value = APFloat::getInf(getSemantics(dtype), negative);
    } else {
      Expected<APFloat::opStatus> status =
          value.convertFromString(text, APFloat::rmNearestTiesToEven);
      if (!status) {
        consumeError(status.takeError());
        return bad();
      }
    }
    storeBits(dtype, value.bitcastToAPInt().getZExtValue(), target);
    return Error::success();
  }
  if (dtype == COIL_BOOL) {
    if (text == "true" || text == "1")
      storeBits(dtype, 1, target);
    else if (text == "false" || text == "0")
      storeBits(dtype, 0, target);
    else
      return bad();
    return Error::success();
  }
  unsigned width = unsigned(8 * coil_dtype_size(dtype));
  if (isUnsigned(dtype)) {
    uint64_t value;
    if (text.getAsInteger(0, value) || (width < 64 && value >> width))
      return bad();
    storeBits(dtype, value, target);
    return Error::success();
  }
  int64_t value;
  if (text.getAsInteger(0, value) || !isIntN(width, value))
    return bad();
  storeBits(dtype, uint64_t(value), target);
  return Error::success();
}

/// Reads "2x3xi32" or "i32".
static Error parseType(StringRef text, int32_t &dtype,
                       SmallVectorImpl<int64_t> &sizes) {
  StringRef rest = text;
  while (!rest.empty() && isDigit(rest.front())) {
    int64_t size;
    if (rest.consumeInteger(10, size) || !rest.consume_front("x"))
      return error("'" + text + "' is not a type such as 2x3xf32");
    sizes.push_back(size);
  }
  std::optional<int32_t> parsed = parseDType(rest);
  if (!parsed)
    return error("'" + text + "' is not a type such as 2x3xf32");
  dtype = *parsed;
  return Error::success();
}

static Expected<HostTensor> createTensor(int32_t dtype,
                                         ArrayRef<int64_t> sizes) {
  if (!getTensorBytes(dtype, sizes))
    return error("the tensor has too many elements");
  std::optional<HostTensor> tensor = HostTensor::create(dtype, sizes);
  if (!tensor)
    return error("out of memory: cannot allocate " +
                 Twine(*getTensorBytes(dtype, sizes)) + " bytes");
  return std::move(*tensor);
}

static Error readBytes(StringRef path, HostTensor &tensor) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> file =
      MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/false,
                                   /*RequiresNullTerminator=*/false);
  if (!file)
    return createStringError(file.getError(), "cannot read '" + path + "': " +
                                                  file.getError().message());
  StringRef bytes = (*file)->getBuffer();
  if (bytes.size() != size_t(tensor.getNumBytes()))
    return error("'" + path + "': expected " + Twine(tensor.getNumBytes()) +
                 " bytes but got " + Twine(bytes.size()));
  memcpy(tensor.getData(), bytes.data(), bytes.size());
  if (tensor.getDType() == COIL_BOOL)
    for (char &value : MutableArrayRef(tensor.getData(), bytes.size()))
      value = value != 0;
  return Error::success();
}

Expected<HostTensor> coil::parseTensor(StringRef text, int32_t scalarType) {
  if (text.consume_front("@"))
    return readNpy(text);
  auto [left, right] = text.split('=');
  if (left.size() == text.size()) {
    Expected<HostTensor> tensor = createTensor(scalarType, {});
    if (!tensor)
      return tensor;
    if (Error e = parseElement(text.trim(), scalarType, tensor->getData()))
      return std::move(e);
    return tensor;
  }
  int32_t dtype;
  SmallVector<int64_t> sizes;
  if (Error e = parseType(left.trim(), dtype, sizes))
    return std::move(e);
  Expected<HostTensor> tensor = createTensor(dtype, sizes);
  if (!tensor)
    return tensor;
  if (right.consume_front("@")) {
    if (Error e = readBytes(right, *tensor))
      return std::move(e);
    return tensor;
  }
  int64_t count = tensor->getNumElements(), position = 0;
  int64_t bytes = coil_dtype_size(dtype);
  static constexpr StringLiteral separators(" \t\r\n,[]");
  for (StringRef rest = right.ltrim(separators); !rest.empty();
       rest = rest.ltrim(separators)) {
    StringRef element =
        rest.take_until([](char c) { return separators.contains(c); });
    rest = rest.drop_front(element.size());
    if (position == count)
      return error("more than " + Twine(count) + " elements for '" + left +
                   "'");
    if (Error e =
            parseElement(element, dtype, tensor->getData() + position * bytes))
      return std::move(e);
    ++position;
  }
  if (position == 1)
    for (; position < count; ++position)
      memcpy(tensor->getData() + position * bytes, tensor->getData(),
             size_t(bytes));
  if (position != count)
    return error("expected " + Twine(count) + " elements for '" + left +
                 "' but got " + Twine(position));
  return tensor;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

/// Prints the fewest digits that read back as the same value.
static void printFloat(raw_ostream &os, const APFloat &value) {
  if (!value.isFinite()) {
    os << (value.isNaN() ? "nan" : value.isNegative() ? "-inf" : "inf");
    return;
  }
  char text[40];
  if (&value.getSemantics() == &APFloat::IEEEdouble()) {
    auto end =
        std::to_chars(text, text + sizeof(text), value.convertToDouble());
    os << StringRef(text, size_t(end.ptr - text));
    return;
  }
  if (&value.getSemantics() == &APFloat::IEEEsingle()) {
    auto end = std::to_chars(text, text + sizeof(text), value.convertToFloat());
    os << StringRef(text, size_t(end.ptr - text));
    return;
  }
  // Narrower floats are exact in a double; six digits tell any two apart.
  APFloat wide = value;
  bool losesInfo;
  wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  double asDouble = wide.convertToDouble();
  bool shortInteger = value.isInteger() && std::abs(asDouble) < 1e6;
  for (int digits = shortInteger ? 6 : 1; digits <= 6; ++digits) {
    snprintf(text, sizeof(text), "%.*g", digits, asDouble);
    APFloat copy(value.getSemantics());
    consumeError(
        copy.convertFromString(text, APFloat::rmNearestTiesToEven).takeError());
    if (copy.bitwiseIsEqual(value))
      break;
  }
  os << text;
}

static void printElement(raw_ostream &os, int32_t dtype, const char *data) {
  uint64_t bits = 0;
  unsigned width = unsigned(8 * coil_dtype_size(dtype));
  memcpy(&bits, data, width / 8);
  if (isFloat(dtype))
    printFloat(os, APFloat(getSemantics(dtype), APInt(width, bits)));
  else if (dtype == COIL_BOOL || isUnsigned(dtype))
    os << bits;
  else
    os << SignExtend64(bits, width);
}

namespace {

struct Printer {
  raw_ostream &os;
  const coil_tensor &tensor;
  int64_t left;

  void print(int32_t dim, const char *data) {
    if (dim == tensor.rank) {
      printElement(os, tensor.dtype, data);
      --left;
      return;
    }
    bool innermost = dim + 1 == tensor.rank;
    os << '[';
    for (int64_t i = 0; i < tensor.sizes[dim]; ++i) {
      if (innermost && i > 0)
        os << ' ';
      if (left <= 0) {
        os << "...";
        break;
      }
      print(dim + 1,
            data + i * tensor.strides[dim] * coil_dtype_size(tensor.dtype));
    }
    os << ']';
  }
};

} // namespace

void coil::printTensor(raw_ostream &os, const coil_tensor &tensor,
                       int64_t maxElements) {
  for (int32_t d = 0; d < tensor.rank; ++d)
    os << tensor.sizes[d] << 'x';
  os << coil_dtype_name(tensor.dtype) << '=';
  Printer{os, tensor, maxElements}.print(
      0, static_cast<const char *>(tensor.data));
}
