//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values that a program shows while it runs: a line of statistics on the
// standard error, or a NumPy file.
//
//===----------------------------------------------------------------------===//

#include "Run.h"

#include "coil/Runtime/HostABI.h"

#include <atomic>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

using namespace coil::rt;

namespace {

/// A buffer that the host can read.
struct View {
  const char *data;
  int32_t dtype;
  int32_t rank;
  const int64_t *sizes, *strides;

  int64_t getNumElements() const {
    int64_t count = 1;
    for (int32_t d = 0; d < rank; ++d)
      count *= sizes[d];
    return count;
  }

  /// Calls `fn` with the address of each element, row by row, until it returns
  /// false.
  template <typename Fn>
  void forEach(Fn fn) const {
    int64_t bytes = coil_dtype_size(dtype);
    std::vector<int64_t> index(size_t(rank), 0);
    const char *at = data;
    for (int64_t left = getNumElements(); left > 0; --left) {
      if (!fn(at))
        return;
      for (int32_t d = rank; d-- > 0;) {
        at += strides[d] * bytes;
        if (++index[size_t(d)] < sizes[d])
          break;
        at -= index[size_t(d)] * strides[d] * bytes;
        index[size_t(d)] = 0;
      }
    }
  }
};

/// An element as what `coil_rt_item` makes of it.
union Element {
  int64_t i;
  double f;
};

} // namespace

/// The most elements that are printed one by one.
static constexpr int64_t kMaxElements = 64;

static bool isFloat(int32_t dtype) {
  switch (dtype) {
  case COIL_F16:
  case COIL_BF16:
  case COIL_F32:
  case COIL_F64:
  case COIL_F8E4M3FN:
  case COIL_F8E5M2:
    return true;
  default:
    return false;
  }
}

static Element readElement(const void *at, int32_t dtype) {
  Element element;
  (void)coil_rt_item(nullptr, at, dtype, &element); // The type was checked.
  return element;
}

static std::string toText(Element element, int32_t dtype) {
  char text[40];
  if (isFloat(dtype))
    std::snprintf(text, sizeof(text), "%.6g", element.f);
  else if (dtype == COIL_U64)
    std::snprintf(text, sizeof(text), "%" PRIu64, uint64_t(element.i));
  else
    std::snprintf(text, sizeof(text), "%" PRId64, element.i);
  return text;
}

static std::string toText(double number) {
  return toText(Element{.f = number}, COIL_F64);
}

//===----------------------------------------------------------------------===//
// Print
//===----------------------------------------------------------------------===//

/// Statistics of the elements that are numbers.
static std::string describe(const View &view) {
  bool floats = isFloat(view.dtype), wide = view.dtype == COIL_U64;
  auto toNumber = [&](Element e) {
    return floats ? e.f : wide ? double(uint64_t(e.i)) : double(e.i);
  };
  auto isLess = [&](Element a, Element b) {
    return floats ? a.f < b.f
           : wide ? uint64_t(a.i) < uint64_t(b.i)
                  : a.i < b.i;
  };
  Element least = {}, greatest = {};
  double mean = 0, squares = 0;
  int64_t numbers = 0, nans = 0, infinities = 0;
  view.forEach([&](const char *at) {
    Element e = readElement(at, view.dtype);
    double x = toNumber(e);
    if (std::isnan(x)) {
      ++nans;
      return true;
    }
    if (numbers + infinities == 0 || isLess(e, least))
      least = e;
    if (numbers + infinities == 0 || isLess(greatest, e))
      greatest = e;
    if (std::isinf(x)) {
      ++infinities;
      return true;
    }
    // As Welford, so that large means do not drown small deviations.
    ++numbers;
    double difference = x - mean;
    mean += difference / double(numbers);
    squares += difference * (x - mean);
    return true;
  });
  std::string text;
  if (numbers + infinities > 0)
    text += ", min " + toText(least, view.dtype) + ", max " +
            toText(greatest, view.dtype);
  if (numbers > 0)
    text += ", mean " + toText(mean) + ", std " +
            toText(std::sqrt(squares / double(numbers)));
  if (nans > 0)
    text += ", " + std::to_string(nans) + " nan";
  if (infinities > 0)
    text += ", " + std::to_string(infinities) + " inf";
  return text;
}

static int32_t print(const View &view, const char *label) {
  int64_t count = view.getNumElements(),
          bytes = count * coil_dtype_size(view.dtype);
  std::string text = "coil: ";
  text += label;
  text += ": ";
  text += coil_dtype_name(view.dtype);
  text += '[';
  for (int32_t d = 0; d < view.rank; ++d)
    text += (d ? ", " : "") + std::to_string(view.sizes[d]);
  text += "], " + std::to_string(count) +
          (count == 1 ? " element, " : " elements, ") + std::to_string(bytes) +
          (bytes == 1 ? " byte" : " bytes") + describe(view) + "\n";
  if (count > 0 && count <= kMaxElements) {
    text += "coil:   [";
    bool isFirst = true;
    view.forEach([&](const char *at) {
      text += (isFirst ? "" : ", ") +
              toText(readElement(at, view.dtype), view.dtype);
      isFirst = false;
      return true;
    });
    text += "]\n";
  }
  // At once, so that lines of several threads do not mix.
  std::fwrite(text.data(), 1, text.size(), stderr);
  return COIL_OK;
}

//===----------------------------------------------------------------------===//
// Save
//===----------------------------------------------------------------------===//

/// The element type as NumPy writes it; types that it does not have are bytes.
static const char *getNumPyType(int32_t dtype) {
  switch (dtype) {
  case COIL_BOOL:
    return "|b1";
  case COIL_I8:
    return "|i1";
  case COIL_U8:
    return "|u1";
  case COIL_I16:
    return "<i2";
  case COIL_U16:
    return "<u2";
  case COIL_I32:
    return "<i4";
  case COIL_U32:
    return "<u4";
  case COIL_I64:
    return "<i8";
  case COIL_U64:
    return "<u8";
  case COIL_F16:
    return "<f2";
  case COIL_BF16:
    return "<V2";
  case COIL_F32:
    return "<f4";
  case COIL_F64:
    return "<f8";
  default:
    return "|V1";
  }
}

/// The header of version 1 of the format.
static std::string getNumPyHeader(const View &view) {
  std::string shape = "(";
  for (int32_t d = 0; d < view.rank; ++d)
    shape += std::to_string(view.sizes[d]) + (view.rank == 1 ? "," : "") +
             (d + 1 < view.rank ? ", " : "");
  std::string text = std::string("{'descr': '") + getNumPyType(view.dtype) +
                     "', 'fortran_order': False, 'shape': " + shape + "), }";
  constexpr size_t prefix = 10, unit = 64;
  text.resize((prefix + text.size() + 1 + unit - 1) / unit * unit - prefix - 1,
              ' ');
  text += '\n';
  std::string header = "\x93NUMPY";
  header += {'\x01', '\0', char(text.size() & 0xff), char(text.size() >> 8)};
  return header + text;
}

/// A name of a file: letters, digits, "_", "." and "-".
static std::string toFileName(const char *label) {
  std::string name;
  for (const char *c = label; *c; ++c) {
    bool isPlain = std::isalnum(static_cast<unsigned char>(*c)) || *c == '_';
    if (isPlain)
      name += *c;
    else if (*c == ':')
      name += '.';
    else if (name.empty() || name.back() != '-')
      name += '-';
  }
  return name.substr(0, 200); // Names of files are bounded.
}

static int32_t save(coil_run *run, const View &view, const char *label) {
  static std::atomic<int64_t> runs{0};
  // All that is saved without a run counts as one run's.
  struct Shared {
    int64_t run = runs++;
    std::atomic<int64_t> values{0};
  };
  int64_t number, value;
  if (run) {
    if (run->debugRun < 0)
      run->debugRun = runs++;
    number = run->debugRun;
    value = run->debugValues++;
  } else {
    static Shared shared;
    number = shared.run;
    value = shared.values++;
  }
  const char *named = std::getenv("COIL_DEBUG_VALUES_DIR");
  char order[24];
  std::snprintf(order, sizeof(order), "%06" PRId64 "-", value);
  std::filesystem::path folder = named && *named ? named : "coil-debug-values";
  folder /= "run" + std::to_string(number);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return fail(COIL_INTERNAL, "cannot create the directory '%s' for '%s': %s",
                folder.c_str(), label, error.message().c_str());
  std::filesystem::path path = folder / (order + toFileName(label) + ".npy");
  std::FILE *file = std::fopen(path.c_str(), "wb");
  bool ok = file;
  if (file) {
    std::string header = getNumPyHeader(view);
    auto bytes = size_t(coil_dtype_size(view.dtype));
    ok = std::fwrite(header.data(), 1, header.size(), file) == header.size();
    view.forEach([&](const char *at) {
      ok = ok && std::fwrite(at, 1, bytes, file) == bytes;
      return ok;
    });
    ok = std::fclose(file) == 0 && ok;
  }
  if (!ok)
    return fail(COIL_INTERNAL, "cannot write '%s': %s", path.c_str(),
                std::strerror(errno));
  return COIL_OK;
}

//===----------------------------------------------------------------------===//
// Check
//===----------------------------------------------------------------------===//

/// "[1, 5]": where element `number` in the order of rows is.
static std::string describeIndex(const View &view, int64_t number) {
  std::string text;
  for (int32_t d = view.rank; d-- > 0;) {
    text.insert(0, (d ? ", " : "") + std::to_string(number % view.sizes[d]));
    number /= view.sizes[d];
  }
  return "[" + text + "]";
}

/// Fails if an element is NaN, or infinite where that is asked for, too.
static int32_t check(const View &view, const char *label, bool allowInfinite) {
  if (!isFloat(view.dtype))
    return COIL_OK;
  int64_t number = 0, first = -1, nans = 0, infinities = 0;
  double value = 0;
  view.forEach([&](const char *at) {
    double x = readElement(at, view.dtype).f;
    bool isBad = std::isnan(x) || (!allowInfinite && std::isinf(x));
    nans += std::isnan(x);
    infinities += std::isinf(x);
    if (isBad && first < 0) {
      first = number;
      value = x;
    }
    ++number;
    return true;
  });
  if (first < 0)
    return COIL_OK;
  return fail(COIL_ASSERTION_FAILED,
              "value '%s' has %s at %s (%" PRId64 " nan and %" PRId64
              " inf of %" PRId64 " elements)",
              label,
              std::isnan(value) ? "nan"
              : value < 0       ? "-inf"
                                : "inf",
              describeIndex(view, first).c_str(), nans, infinities, number);
}

extern "C" {

int32_t coil_rt_debug_mark(coil_run *, const char *label) {
  return guarded([&]() -> int32_t {
    std::string text = std::string("coil: [ ") + label + " ]\n";
    std::fwrite(text.data(), 1, text.size(), stderr);
    return COIL_OK;
  });
}

int32_t coil_rt_debug_value(coil_run *run, int32_t action, const char *label,
                            const void *data, int32_t dtype, int32_t rank,
                            const int64_t *sizes, const int64_t *strides) {
  return guarded([&]() -> int32_t {
    if (!coil_dtype_name(dtype))
      return fail(COIL_INVALID_ARGUMENT, "cannot show elements of type %d",
                  dtype);
    View view = {static_cast<const char *>(data), dtype, rank, sizes, strides};
    if (action == COIL_DEBUG_PRINT)
      return print(view, label);
    if (action == COIL_DEBUG_SAVE)
      return save(run, view, label);
    if (action == COIL_DEBUG_NAN || action == COIL_DEBUG_FINITE)
      return check(view, label, /*allowInfinite=*/action == COIL_DEBUG_NAN);
    return fail(COIL_INVALID_ARGUMENT, "unknown action %d on value '%s'",
                action, label);
  });
}

} // extern "C"
