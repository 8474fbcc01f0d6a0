//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Measures the device library, compiled for the host, against long double and
// mpmath, and compares with the table in docs/reference/GPUMath.md: an error
// that grew beyond the documented one fails, and so does a figure that is out
// of date.
//
//===----------------------------------------------------------------------===//

#include "Library.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

double coil::device::errorScale = 0;

namespace {

using Long = long double;

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

constexpr double wrong = 1e30;

/// Distance from an exact value in units of the last place of `T` there.
template <typename T>
double ulps(T got, Long want) {
  using Limits = std::numeric_limits<T>;
  if (std::isnan(want) || std::isnan(got))
    return std::isnan(want) && std::isnan(got) ? 0 : wrong;
  // From half an ulp above the largest number on, infinity is the result.
  Long top = std::ldexp(Long(1), Limits::max_exponent);
  Long limit =
      top - std::ldexp(Long(1), Limits::max_exponent - Limits::digits - 1);
  Long rounded = got;
  if (std::isinf(got))
    rounded = std::copysign(top, Long(got));
  if (std::fabs(want) >= limit)
    want = std::copysign(top, want);
  int exponent;
  std::frexp(std::fabs(want) >= top ? limit : want, &exponent);
  exponent = std::max(exponent, Limits::min_exponent);
  return static_cast<double>(std::fabs(rounded - want) /
                             std::ldexp(Long(1), exponent - Limits::digits));
}

/// The error in the unit of the table.
template <typename T>
double measureError(const std::string &unit, T got, Long want) {
  if (unit == "ulp")
    return ulps(got, want);
  if (std::isnan(want) || std::isnan(got))
    return std::isnan(want) && std::isnan(got) ? 0 : wrong;
  if (std::isinf(got))
    return got == static_cast<T>(want) ? 0 : wrong;
  double difference = static_cast<double>(std::fabs(got - want));
  if (unit == "absolute")
    return difference;
  double size = static_cast<double>(std::fabs(want));
  // Mixed: absolute below 1, relative above.
  return difference / (unit == "mixed" ? std::max(1.0, size) : size);
}

//===----------------------------------------------------------------------===//
// Measurements
//===----------------------------------------------------------------------===//

/// One row of the table.
struct Measurement {
  std::string function, type, arguments, unit;
  std::function<double(const std::string &unit)> measure;

  std::string getKey() const {
    return function + " | " + type + " | " + arguments;
  }
  friend void PrintTo(const Measurement &measurement, std::ostream *os) {
    *os << measurement.getKey();
  }
};

template <typename T>
T fromBits(uint64_t bits) {
  T x;
  if constexpr (sizeof(T) == 4) {
    uint32_t narrow = static_cast<uint32_t>(bits);
    std::memcpy(&x, &narrow, 4);
  } else {
    std::memcpy(&x, &bits, 8);
  }
  return x;
}

/// Uniform in [0, 1), the same on every platform.
double uniform(std::mt19937_64 &random) {
  return static_cast<double>(random() >> 11) * 0x1p-53;
}

/// Arguments between two limits: all magnitudes, the middle, and near 1.
template <typename T>
std::vector<T> makeArguments(T low, T high) {
  std::vector<T> result = {T(0),
                           T(-0.0),
                           T(1),
                           T(-1),
                           T(0.5),
                           T(1.5),
                           T(2),
                           T(2.5),
                           T(1e22),
                           T(-0.5),
                           T(-20),
                           std::numeric_limits<T>::min(),
                           std::numeric_limits<T>::max(),
                           std::numeric_limits<T>::denorm_min()};
  std::mt19937_64 random(1);
  for (int i = 0; i < 40000; ++i)
    result.push_back(fromBits<T>(random()));
  for (int i = 0; i < 40000; ++i) {
    double x = std::ldexp(uniform(random), static_cast<int>(random() % 12) - 3);
    result.push_back(static_cast<T>(random() & 1 ? x : -x));
  }
  for (int i = 0; i < 20000; ++i)
    result.push_back(
        static_cast<T>(1 + std::ldexp(uniform(random) - 0.5,
                                      -static_cast<int>(random() % 30))));
  result.erase(std::remove_if(result.begin(), result.end(),
                              [&](T x) { return !(x >= low && x <= high); }),
               result.end());
  return result;
}

template <typename T>
double measureUnary(T (*function)(T), Long (*oracle)(Long),
                    const std::string &unit, T low, T high, bool approximate) {
  double worst = 0;
  std::vector<T> arguments = makeArguments(low, high);
  for (int scale = approximate ? -1 : 1; scale <= 1; ++scale) {
    coil::device::errorScale = scale;
    for (T x : arguments)
      worst = std::max(worst, measureError(unit, function(x), oracle(x)));
  }
  return worst;
}

template <typename T>
double measureBinary(T (*function)(T, T), Long (*oracle)(Long, Long)) {
  double worst = 0;
  auto measure = [&](double x, double y) {
    T a = static_cast<T>(x), b = static_cast<T>(y);
    worst = std::max(worst, ulps(function(a, b), oracle(a, b)));
  };
  std::mt19937_64 random(2);
  auto signedUniform = [&](int exponent) {
    return std::ldexp(2 * uniform(random) - 1, exponent);
  };
  for (int i = 0; i < 40000; ++i) {
    measure(fromBits<T>(random()), fromBits<T>(random()));
    int first = static_cast<int>(random() % 12),
        second = static_cast<int>(random() % 12);
    double x = signedUniform(first), y = signedUniform(second);
    measure(x, y);
    measure(std::fabs(std::ldexp(x, static_cast<int>(random() % 40) - 20)), y);
    // Powers of negative numbers.
    measure(x, std::rint(y));
  }
  return worst;
}

/// The same for a version that begins with an approximate instruction.
double measurePowDefault(const std::string &) {
  double worst = 0;
  for (int scale = -1; scale <= 1; ++scale) {
    coil::device::errorScale = scale;
    worst = std::max(worst, measureBinary<float>(coil_pow_default_f32, powl));
  }
  return worst;
}

double measurePowFast(const std::string &unit) {
  double worst = 0;
  std::mt19937_64 random(3);
  for (int scale = -1; scale <= 1; ++scale) {
    coil::device::errorScale = scale;
    for (int i = 0; i < 40000; ++i) {
      float x = static_cast<float>(std::exp2(20 * uniform(random) - 10)),
            y = static_cast<float>(16 * uniform(random) - 8);
      worst = std::max(worst, measureError(unit, coil_pow_fast_f32(x, y),
                                           std::pow(Long(x), Long(y))));
    }
  }
  return worst;
}

template <typename T>
double measurePowi(T (*function)(T, long long)) {
  double worst = 0;
  std::mt19937_64 random(4);
  for (int i = 0; i < 100000; ++i) {
    int exponent = static_cast<int>(random() % 10);
    T x = static_cast<T>(2 + std::ldexp(2 * uniform(random) - 1, exponent));
    long long n = static_cast<long long>(random() % 200) - 100;
    worst = std::max(worst, ulps(function(x, n), std::pow(Long(x), Long(n))));
  }
  return worst;
}

//===----------------------------------------------------------------------===//
// Special functions
//===----------------------------------------------------------------------===//

struct Reference {
  const char *function, *arguments;
  double x, y;
  Long value;
};

const Reference references[] = {
#include "SpecialReference.inc"
};

template <typename T>
double measureSpecial(const std::string &name, const std::string &arguments,
                      const std::string &unit,
                      const std::function<T(T, T)> &function) {
  double worst = 0;
  for (const Reference &reference : references)
    if (name == reference.function && arguments == reference.arguments)
      worst =
          std::max(worst, measureError(unit,
                                       function(static_cast<T>(reference.x),
                                                static_cast<T>(reference.y)),
                                       reference.value));
  return worst;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// What a version for another mode is measured on and in.
struct Domain {
  float low, high;
  const char *arguments, *unit;
};

std::vector<Domain> getDomains(const std::string &version) {
  const float pi = 3.1415925f, max = std::numeric_limits<float>::max();
  if (version == "sin_fast" || version == "cos_fast")
    return {{-pi, pi, "-pi to pi", "absolute"}};
  // What is larger takes the exact version.
  const float large = 65535.996f;
  if (version == "sin_inside" || version == "cos_inside")
    return {{-large, large, "below 2^16", "ulp"}};
  if (version == "sin_narrow" || version == "cos_narrow")
    return {{-large, large, "below 2^16", "relative"}};
  if (version == "exp_default" || version == "exp_fast")
    return {{-87.0f, 88.5f, "-87 to 88.5", "ulp"}};
  if (version == "exp2_default")
    return {{-126.0f, 127.5f, "-126 to 127.5", "ulp"}};
  if (version == "log_fast" || version == "log2_fast" ||
      version == "log10_fast")
    return {{0.5f, 2.0f, "0.5 to 2", "absolute"},
            {2.0f, max, "above 2", "ulp"}};
  if (version == "erf_fast")
    return {{-max, max, "all", "absolute"}};
  if (version == "tanh_fast" || version == "tanh_narrow")
    return {{-max, max, "all", "relative"}};
  return {{-max, max, "all", "ulp"}};
}

std::vector<Measurement> makeMeasurements() {
  std::vector<Measurement> result;
  auto addUnary = [&](auto function, Long (*oracle)(Long),
                      const std::string &name, const std::string &type,
                      auto low, auto high, const std::string &arguments,
                      const std::string &unit, bool approximate) {
    result.push_back({name, type, arguments, unit, [=](const std::string &u) {
                        return measureUnary(function, oracle, u, low, high,
                                            approximate);
                      }});
  };
  const float maxF = std::numeric_limits<float>::max();
  const double maxD = std::numeric_limits<double>::max();
  // The inverse square root begins with an approximation in every version.
#define ADD(name, oracle)                                                      \
  addUnary(coil_##name##_f32, oracle, #name, "f32", -maxF, maxF, "all", "ulp", \
           !std::strcmp(#name, "rsqrt"));                                      \
  addUnary(coil_##name##_f64, oracle, #name, "f64", -maxD, maxD, "all", "ulp", \
           false);
  COIL_ELEMENTARY_FUNCTIONS(ADD)
#undef ADD
#define ADD(name, mode, oracle)                                                \
  for (const Domain &d : getDomains(#name "_" #mode))                          \
    addUnary(coil_##name##_##mode##_f32, oracle, #name "_" #mode, "f32",       \
             d.low, d.high, d.arguments, d.unit, true);
  COIL_ELEMENTARY_VERSIONS(ADD)
#undef ADD
#define ADD(name, oracle)                                                      \
  result.push_back({#name, "f32", "all", "ulp", [](const std::string &) {      \
                      return measureBinary<float>(coil_##name##_f32, oracle);  \
                    }});                                                       \
  result.push_back({#name, "f64", "all", "ulp", [](const std::string &) {      \
                      return measureBinary<double>(coil_##name##_f64, oracle); \
                    }});
  ADD(atan2, atan2l)
  ADD(fmod, fmodl)
  ADD(pow, powl)
#undef ADD
  result.push_back({"pow_default", "f32", "all", "ulp", measurePowDefault});
  result.push_back(
      {"pow_fast", "f32", "1e-3 to 1e3, -8 to 8", "relative", measurePowFast});
  result.push_back(
      {"powi", "f32", "-100 to 100", "ulp",
       [](const std::string &) { return measurePowi<float>(coil_powi_f32); }});
  result.push_back(
      {"powi", "f64", "-100 to 100", "ulp",
       [](const std::string &) { return measurePowi<double>(coil_powi_f64); }});
  // Special functions, for which the references say on what.
  std::string previous;
  for (const Reference &reference : references) {
    std::string name = reference.function, arguments = reference.arguments;
    if (name + arguments == previous)
      continue;
    previous = name + arguments;
    // Those with zeros at places that are no floats.
    const char *unit =
        name == "digamma" || arguments == "negative" ? "mixed" : "ulp";
    auto add = [&](const char *type, auto function) {
      using T = decltype(function(0, 0));
      result.push_back({name, type, arguments, unit, [=](const std::string &u) {
                          return measureSpecial<T>(name, arguments, u,
                                                   function);
                        }});
    };
#define ADD(function)                                                          \
  if (name == #function) {                                                     \
    add("f32", [](float x, float) { return coil_##function##_f32(x); });       \
    add("f64", [](double x, double) { return coil_##function##_f64(x); });     \
  }
    COIL_SPECIAL_UNARY(ADD)
#undef ADD
#define ADD(function)                                                          \
  if (name == #function) {                                                     \
    add("f32", [](float x, float y) { return coil_##function##_f32(x, y); });  \
    add("f64",                                                                 \
        [](double x, double y) { return coil_##function##_f64(x, y); });       \
  }
    COIL_SPECIAL_BINARY(ADD)
#undef ADD
  }
  return result;
}

std::string trim(const std::string &text) {
  size_t begin = text.find_first_not_of(" `"),
         end = text.find_last_not_of(" `");
  return begin == std::string::npos ? "" : text.substr(begin, end + 1 - begin);
}

/// The documented errors by function, type and arguments: rows of five columns.
std::map<std::string, std::pair<double, std::string>> readTable() {
  std::map<std::string, std::pair<double, std::string>> result;
  std::ifstream file(COIL_GPU_MATH_TABLE);
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> cells;
    std::stringstream stream(line);
    for (std::string cell; std::getline(stream, cell, '|');)
      cells.push_back(trim(cell));
    if (cells.size() != 6 || (cells[2] != "f32" && cells[2] != "f64"))
      continue;
    result[cells[1] + " | " + cells[2] + " | " + cells[3]] = {
        std::atof(cells[4].c_str()), cells[5]};
  }
  return result;
}

class DeviceMath : public testing::TestWithParam<Measurement> {};

TEST_P(DeviceMath, ErrorIsTheDocumentedOne) {
  const Measurement &measurement = GetParam();
  double error = measurement.measure(measurement.unit);
  char row[200];
  std::snprintf(row, sizeof(row), "| %s | %.3g | %s |",
                measurement.getKey().c_str(), error, measurement.unit.c_str());
  auto table = readTable();
  auto found = table.find(measurement.getKey());
  ASSERT_NE(found, table.end()) << "not in the table: " << row;
  EXPECT_EQ(found->second.second, measurement.unit) << row;
  // A figure is rounded; far below it, it is out of date.
  EXPECT_LE(error, found->second.first * 1.01) << "has grown: " << row;
  EXPECT_GE(error, found->second.first * 0.8) << "is smaller now: " << row;
}

std::string getTestName(const testing::TestParamInfo<Measurement> &info) {
  std::string name = info.param.function + "_" + info.param.type + "_" +
                     std::to_string(info.index);
  return name;
}

INSTANTIATE_TEST_SUITE_P(, DeviceMath, testing::ValuesIn(makeMeasurements()),
                         getTestName);

TEST(DeviceMathTable, EveryRowIsMeasured) {
  auto table = readTable();
  for (const Measurement &measurement : makeMeasurements())
    table.erase(measurement.getKey());
  for (const auto &row : table)
    ADD_FAILURE() << "nothing measures " << row.first;
}

} // namespace
