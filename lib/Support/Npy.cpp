//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reader and writer of .npy files. A header is a Python dictionary literal with
// three known keys; anything else in it is an error.
//
//===----------------------------------------------------------------------===//

#include "coil/Support/Npy.h"
#include "coil/Support/OutputFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace coil;
using namespace llvm;

namespace {

constexpr StringLiteral magic("\x93NUMPY");
constexpr size_t maxHeaderBytes = 1 << 16;
constexpr size_t maxRank = 64;

/// What a header says.
struct Header {
  int32_t dtype = 0;
  bool swapBytes = false;
  bool fortranOrder = false;
  bool isComplex = false; ///< `dtype` is that of the parts.
  SmallVector<int64_t> sizes;
};

/// Scans the dictionary of a header.
class HeaderParser {
public:
  explicit HeaderParser(StringRef text) : text(text) {}

  Expected<Header> parse();

private:
  void skipSpace() { text = text.ltrim(" \t\r\n"); }
  bool consume(StringRef token) {
    skipSpace();
    return text.consume_front(token);
  }
  bool parseString(StringRef &value);
  bool parseBool(bool &value);
  bool parseShape(SmallVectorImpl<int64_t> &sizes);

  StringRef text;
};

} // namespace

static Error error(const Twine &message) {
  return createStringError(inconvertibleErrorCode(),
                           "invalid .npy data: " + message);
}

//===----------------------------------------------------------------------===//
// Header
//===----------------------------------------------------------------------===//

bool HeaderParser::parseString(StringRef &value) {
  skipSpace();
  char quote = text.empty() ? 0 : text.front();
  if (quote != '\'' && quote != '"')
    return false;
  size_t end = text.find(quote, 1);
  if (end == StringRef::npos)
    return false;
  value = text.slice(1, end);
  text = text.drop_front(end + 1);
  return true;
}

bool HeaderParser::parseBool(bool &value) {
  value = consume("True");
  return value || consume("False");
}

bool HeaderParser::parseShape(SmallVectorImpl<int64_t> &sizes) {
  if (!consume("("))
    return false;
  while (!consume(")")) {
    skipSpace();
    uint64_t size = 0;
    if (sizes.size() == maxRank || text.consumeInteger(10, size) ||
        size > uint64_t(1) << 47)
      return false;
    text.consume_front("L"); // Python 2 wrote long integers so.
    sizes.push_back(int64_t(size));
    if (!consume(",")) {
      // A parenthesised number alone is not a tuple.
      return sizes.size() > 1 && consume(")");
    }
  }
  return true;
}

/// The runtime's number of an element type such as "f4", or -1.
static int32_t parseElementType(StringRef name) {
  return StringSwitch<int32_t>(name)
      .Cases({"b1", "?"}, COIL_BOOL)
      .Case("i1", COIL_I8)
      .Case("u1", COIL_U8)
      .Case("i2", COIL_I16)
      .Case("u2", COIL_U16)
      .Case("i4", COIL_I32)
      .Case("u4", COIL_U32)
      .Case("i8", COIL_I64)
      .Case("u8", COIL_U64)
      .Case("f2", COIL_F16)
      .Case("V2", COIL_BF16)
      .Cases({"f4", "c8"}, COIL_F32)
      .Cases({"f8", "c16"}, COIL_F64)
      .Default(-1);
}

static StringRef elementTypeName(int32_t dtype) {
  static constexpr StringLiteral names[] = {"|b1", "|i1", "|u1", "<i2", "<u2",
                                            "<i4", "<u4", "<i8", "<u8", "<f2",
                                            "<V2", "<f4", "<f8", "|V1", "|V1"};
  return dtype >= 0 && dtype <= COIL_F8E5M2 ? StringRef(names[dtype])
                                            : StringRef();
}

Expected<Header> HeaderParser::parse() {
  Header header;
  bool hasType = false, hasOrder = false, hasShape = false;
  if (!consume("{"))
    return error("expected a dictionary in the header");
  while (!consume("}")) {
    StringRef key;
    if (!parseString(key) || !consume(":"))
      return error("malformed header");
    if (key == "descr" && !hasType) {
      StringRef descr;
      if (!parseString(descr))
        return error("expected a simple element type");
      StringRef name = descr;
      char order = name.empty() ? 0 : name.front();
      if (StringRef("<>|=").contains(order))
        name = name.drop_front();
      header.dtype = parseElementType(name);
      if (header.dtype < 0 || order == 0)
        return error("element type '" + toHex(descr.take_front(16)) +
                     "' (in hexadecimal) is not supported");
      header.isComplex = name.starts_with("c");
      header.swapBytes = order == '>' && coil_dtype_size(header.dtype) > 1;
      hasType = true;
    } else if (key == "fortran_order" && !hasOrder) {
      if (!parseBool(header.fortranOrder))
        return error("expected True or False for 'fortran_order'");
      hasOrder = true;
    } else if (key == "shape" && !hasShape) {
      if (!parseShape(header.sizes))
        return error("expected a tuple of at most 64 sizes below 2^47 for "
                     "'shape'");
      hasShape = true;
    } else {
      return error("unexpected or repeated key in the header");
    }
    if (!consume(",")) {
      if (!consume("}"))
        return error("malformed header");
      break;
    }
  }
  skipSpace();
  if (!text.empty())
    return error("text after the header's dictionary");
  if (!hasType || !hasOrder || !hasShape)
    return error("expected 'descr', 'fortran_order' and 'shape' in the header");
  return header;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

static void swapElements(char *data, int64_t count, int64_t bytes) {
  for (int64_t i = 0; i < count; ++i, data += bytes)
    std::reverse(data, data + bytes);
}

/// Copies elements between layouts in row-major order of the indices; strides
/// count bytes.
static void copyElements(ArrayRef<int64_t> sizes, int64_t bytes,
                         const char *source, ArrayRef<int64_t> sourceStrides,
                         char *target) {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  SmallVector<int64_t> index(sizes.size(), 0);
  for (int64_t i = 0; i < count; ++i, target += bytes) {
    memcpy(target, source, size_t(bytes));
    for (size_t d = sizes.size(); d-- > 0;) {
      source += sourceStrides[d];
      if (++index[d] < sizes[d])
        break;
      source -= sourceStrides[d] * sizes[d];
      index[d] = 0;
    }
  }
}

Expected<HostTensor> coil::parseNpy(StringRef bytes) {
  if (!bytes.consume_front(magic))
    return error("not a .npy file");
  if (bytes.size() < 2)
    return error("truncated");
  unsigned major = uint8_t(bytes[0]);
  bytes = bytes.drop_front(2);
  if (major < 1 || major > 3)
    return error("format version " + Twine(major) + " is not supported");
  size_t lengthBytes = major == 1 ? 2 : 4;
  if (bytes.size() < lengthBytes)
    return error("truncated");
  size_t length = major == 1 ? support::endian::read16le(bytes.data())
                             : support::endian::read32le(bytes.data());
  bytes = bytes.drop_front(lengthBytes);
  if (length > maxHeaderBytes)
    return error("header of " + Twine(length) + " bytes is over the limit of " +
                 Twine(maxHeaderBytes));
  if (bytes.size() < length)
    return error("truncated");
  Expected<Header> header = HeaderParser(bytes.take_front(length)).parse();
  if (!header)
    return header.takeError();
  bytes = bytes.drop_front(length);

  // The parts of complex numbers are the last dimension.
  if (header->isComplex)
    header->sizes.push_back(2);
  std::optional<int64_t> expected =
      getTensorBytes(header->dtype, header->sizes);
  if (!expected)
    return error("the shape has too many elements");
  // Before any memory is taken for the elements.
  if (uint64_t(*expected) != bytes.size())
    return error("expected " + Twine(*expected) +
                 " bytes of elements but got " + Twine(bytes.size()));
  std::optional<HostTensor> tensor =
      HostTensor::create(header->dtype, header->sizes);
  if (!tensor)
    return createStringError(std::errc::not_enough_memory,
                             "out of memory: cannot allocate %lld bytes",
                             static_cast<long long>(*expected));
  int64_t element = coil_dtype_size(header->dtype);
  if (header->fortranOrder && *expected != 0) {
    SmallVector<int64_t> strides;
    ArrayRef<int64_t> sizes = header->sizes;
    int64_t stride = header->isComplex ? 2 * element : element;
    for (int64_t size : header->isComplex ? sizes.drop_back() : sizes) {
      strides.push_back(stride);
      stride *= size;
    }
    if (header->isComplex)
      strides.push_back(element);
    copyElements(header->sizes, element, bytes.data(), strides,
                 tensor->getData());
  } else {
    memcpy(tensor->getData(), bytes.data(), bytes.size());
  }
  if (header->swapBytes)
    swapElements(tensor->getData(), tensor->getNumElements(), element);
  if (header->dtype == COIL_BOOL)
    for (char &value : MutableArrayRef(tensor->getData(), bytes.size()))
      value = value != 0;
  return std::move(*tensor);
}

Expected<HostTensor> coil::readNpy(StringRef path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
      MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/false,
                                   /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError(buffer.getError(),
                             "cannot read '" + path +
                                 "': " + buffer.getError().message());
  Expected<HostTensor> tensor = parseNpy((*buffer)->getBuffer());
  if (!tensor)
    return createStringError(inconvertibleErrorCode(),
                             "'" + path + "': " + toString(tensor.takeError()));
  return tensor;
}

Error coil::writeNpy(raw_ostream &os, const coil_tensor &tensor,
                     bool isComplex) {
  StringRef type = elementTypeName(tensor.dtype);
  // Halves stay two numbers, as NumPy has no complex ones of them.
  isComplex &= (tensor.dtype == COIL_F32 || tensor.dtype == COIL_F64) &&
               tensor.rank > 0 && tensor.sizes[tensor.rank - 1] == 2;
  if (isComplex)
    type = tensor.dtype == COIL_F32 ? "<c8" : "<c16";
  if (type.empty())
    return createStringError(inconvertibleErrorCode(),
                             "element type %d has no .npy form", tensor.dtype);
  ArrayRef<int64_t> sizes(tensor.sizes, size_t(tensor.rank));
  std::string header;
  raw_string_ostream text(header);
  text << "{'descr': '" << type << "', 'fortran_order': False, 'shape': (";
  ArrayRef<int64_t> shape = isComplex ? sizes.drop_back() : sizes;
  interleave(shape, text, ", ");
  text << (shape.size() == 1 ? ",), }" : "), }");
  // The elements start at a multiple of 64; the header ends with a newline.
  size_t prefix = magic.size() + 4;
  header.append(63 - (prefix + header.size()) % 64, ' ');
  header += '\n';
  os << magic << '\1' << '\0' << char(header.size() & 0xFF)
     << char(header.size() >> 8) << header;

  int64_t bytes = coil_dtype_size(tensor.dtype), count = 1;
  SmallVector<int64_t> strides;
  for (int32_t d = 0; d < tensor.rank; ++d)
    strides.push_back(tensor.strides[d] * bytes);
  for (int64_t size : sizes)
    count *= size;
  // The innermost run of dense dimensions goes out in one piece.
  int64_t dense = bytes;
  while (!sizes.empty() && (sizes.back() == 1 || strides.back() == dense)) {
    dense *= sizes.back();
    sizes = sizes.drop_back();
    strides.pop_back();
  }
  if (count == 0)
    return Error::success();
  SmallVector<int64_t> index(sizes.size(), 0);
  const char *data = static_cast<const char *>(tensor.data);
  for (int64_t left = count * bytes; left > 0; left -= dense) {
    os.write(data, size_t(dense));
    for (size_t d = sizes.size(); d-- > 0;) {
      data += strides[d];
      if (++index[d] < sizes[d])
        break;
      data -= strides[d] * sizes[d];
      index[d] = 0;
    }
  }
  return Error::success();
}

Error coil::writeNpy(StringRef path, const coil_tensor &tensor,
                     bool isComplex) {
  Expected<std::unique_ptr<OutputFile>> file = OutputFile::open(path);
  if (!file)
    return file.takeError();
  if (Error error = writeNpy((*file)->os(), tensor, isComplex))
    return error;
  return (*file)->commit();
}
