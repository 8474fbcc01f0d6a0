//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The digits model over the C API of programs: what the examples have in
// common.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_EXAMPLES_SERVE_DIGITS_H
#define COIL_EXAMPLES_SERVE_DIGITS_H

#include "coil-c/Program.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace digits {

constexpr int64_t kPixels = 64, kDigits = 10;

using Clock = std::chrono::steady_clock;

inline double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Ends the program if a call of the C API failed.
inline void check(const char *what, int32_t status, char *error) {
  if (status == COIL_API_OK)
    return;
  std::fprintf(stderr, "error: %s: %s\n", what, error ? error : "(none)");
  coil_string_free(error);
  std::exit(1);
}

/// The elements of a .npy file of 32-bit floats.
inline std::vector<float> readFloats(const char *path) {
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)),
                   std::istreambuf_iterator<char>());
  size_t header = 10;
  if (text.size() >= header)
    header += uint8_t(text[8]) | size_t(uint8_t(text[9])) << 8;
  if (text.compare(0, 7, "\x93NUMPY\x01") != 0 || text.size() < header ||
      text.substr(0, header).find("'<f4'") == std::string::npos) {
    std::fprintf(stderr, "error: '%s' is no .npy file of 32-bit floats\n",
                 path);
    std::exit(1);
  }
  std::vector<float> values((text.size() - header) / sizeof(float));
  std::memcpy(values.data(), text.data() + header,
              values.size() * sizeof(float));
  return values;
}

struct ProgramDeleter {
  void operator()(coil_program *program) const {
    coil_program_destroy(program);
  }
};
struct ResultDeleter {
  void operator()(coil_result *result) const { coil_result_destroy(result); }
};
using Program = std::unique_ptr<coil_program, ProgramDeleter>;
using Result = std::unique_ptr<coil_result, ResultDeleter>;

inline Program load(const char *path) {
  coil_program *program = nullptr;
  char *error = nullptr;
  check("load", coil_program_load(path, nullptr, &program, &error), error);
  return Program(program);
}

/// Runs a batch of images; null and a message if that fails.
inline Result run(const coil_program *program, const float *images,
                  int64_t count, char **error) {
  int64_t sizes[] = {count, 1, 8, 8}, strides[] = {kPixels, kPixels, 8, 1};
  coil_tensor input = {
      const_cast<float *>(images), sizes, strides, 4, COIL_F32, COIL_CPU, 0};
  coil_result *result = nullptr;
  coil_program_run(program, &input, 1, &result, error);
  return Result(result);
}

/// The same, which ends the program if it fails.
inline Result classify(const coil_program *program, const float *images,
                       int64_t count) {
  char *error = nullptr;
  Result result = run(program, images, count, &error);
  check("run", result ? COIL_API_OK : COIL_API_RUN, error);
  return result;
}

inline const float *getLogits(const Result &result) {
  return static_cast<const float *>(coil_result_output(result.get(), 0)->data);
}

inline bool areClose(const float *a, const float *b, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    if (!(std::fabs(a[i] - b[i]) <= 1e-3f))
      return false;
  return true;
}

/// A weight in memory of ours. Sizes and strides are the program's.
struct Weight {
  std::string name;
  coil_tensor tensor;
  std::vector<float> elements;
};

/// The last layer's weights, with rows moved on by `by`: what was a 3 is a 4.
inline std::vector<Weight> getLastLayer(const coil_program *program,
                                        int64_t by) {
  std::vector<Weight> weights;
  for (size_t i = 0; i < coil_program_num_weights(program); ++i) {
    coil_weight weight;
    char *error = nullptr;
    check("weight", coil_program_get_weight(program, i, &weight, &error),
          error);
    std::string name = weight.name;
    if (name != "f2.weight" && name != "f2.bias")
      continue;
    auto *from = static_cast<const float *>(weight.tensor.data);
    int64_t row = int64_t(weight.num_bytes / sizeof(float)) / kDigits;
    std::vector<float> elements(size_t(row * kDigits));
    for (int64_t digit = 0; digit < kDigits; ++digit)
      std::copy_n(from + digit * row, row,
                  elements.data() + (digit + by) % kDigits * row);
    weights.push_back({name, weight.tensor, std::move(elements)});
  }
  return weights;
}

inline void update(coil_program *program, std::vector<Weight> &weights) {
  std::vector<coil_weight> list;
  for (Weight &weight : weights) {
    coil_tensor tensor = weight.tensor;
    tensor.data = weight.elements.data();
    list.push_back(
        {weight.name.c_str(), tensor, weight.elements.size() * sizeof(float)});
  }
  char *error = nullptr;
  check("update",
        coil_program_update_weights(program, list.data(), list.size(), nullptr,
                                    &error),
        error);
  check("prepare", coil_program_prepare_weights(program, &error), error);
}

inline void swap(coil_program *program) {
  char *error = nullptr;
  check("swap", coil_program_swap_weights(program, &error), error);
}

/// Two sets of weights, and what each of them answers; the program then has the
/// second. Sets have even and odd numbers in turn.
struct Answers {
  std::vector<Weight> weights[2];
  std::vector<float> expected[2];
};

inline Answers getAnswers(coil_program *program,
                          const std::vector<float> &images, int64_t numImages) {
  Answers answers{{getLastLayer(program, 0), getLastLayer(program, 1)}, {}};
  for (int which : {0, 1}) {
    if (which == 1) {
      update(program, answers.weights[1]);
      swap(program);
    }
    Result result = classify(program, images.data(), numImages);
    answers.expected[which].assign(getLogits(result),
                                   getLogits(result) + numImages * kDigits);
  }
  return answers;
}

} // namespace digits

#endif // COIL_EXAMPLES_SERVE_DIGITS_H
