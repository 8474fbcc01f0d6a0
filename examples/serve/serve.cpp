//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Serves the digits model from several threads while another one exchanges its
// weights, and checks that each answer is one of the first weights or of the
// second ones, never of a mixture. Needs libcoil_loader.so and the standard library: no compiler.
//
//   coil-serve <model.coilpkg> <images.npy> [threads] [seconds]
//
// The second weights are the first ones with the rows of the last layer moved
// on by one: what was a 3 is a 4.
//
//===----------------------------------------------------------------------===//

#include "coil-c/Program.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int64_t kPixels = 64, kDigits = 10;

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Ends the program if a call of the C API failed.
void check(const char *what, int32_t status, char *error) {
  if (status == COIL_API_OK)
    return;
  std::fprintf(stderr, "error: %s: %s\n", what, error ? error : "(none)");
  coil_string_free(error);
  std::exit(1);
}

/// The elements of a .npy file of 32-bit floats.
std::vector<float> readFloats(const char *path) {
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

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

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

Program load(const char *path) {
  coil_program *program = nullptr;
  char *error = nullptr;
  check("load", coil_program_load(path, nullptr, &program, &error), error);
  return Program(program);
}

/// Runs a batch of images.
Result classify(const coil_program *program, const float *images,
                int64_t count) {
  int64_t sizes[] = {count, 1, 8, 8}, strides[] = {kPixels, kPixels, 8, 1};
  coil_tensor input = {
      const_cast<float *>(images), sizes, strides, 4, COIL_F32, COIL_CPU, 0};
  coil_result *result = nullptr;
  char *error = nullptr;
  check("run", coil_program_run(program, &input, 1, &result, &error), error);
  return Result(result);
}

const float *getLogits(const Result &result) {
  return static_cast<const float *>(coil_result_output(result.get(), 0)->data);
}

bool areClose(const float *a, const float *b, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    if (!(std::fabs(a[i] - b[i]) <= 1e-3f))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

/// A weight in memory of ours. Sizes and strides are the program's.
struct Weight {
  std::string name;
  coil_tensor tensor;
  std::vector<float> elements;
};

/// The last layer's weights, with rows moved on by `by`.
std::vector<Weight> getLastLayer(const coil_program *program, int64_t by) {
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

void update(coil_program *program, std::vector<Weight> &weights) {
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

void swap(coil_program *program) {
  char *error = nullptr;
  check("swap", coil_program_swap_weights(program, &error), error);
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 3 || argc > 5) {
    std::fprintf(stderr, "usage: coil-serve <model.coilpkg> "
                         "<images.npy> [threads] [seconds]\n");
    return 2;
  }
  int numThreads = argc > 3 ? std::max(std::atoi(argv[3]), 1) : 4;
  double seconds = argc > 4 ? std::atof(argv[4]) : 2;
  // Each request has one thread; requests share the processors.
  coil_set_num_threads(1);
  Program program = load(argv[1]);
  std::vector<float> images = readFloats(argv[2]);
  int64_t numImages = int64_t(images.size()) / kPixels;

  // What each set of weights answers. Sets have even and odd numbers in turn.
  std::vector<Weight> weights[2] = {getLastLayer(program.get(), 0),
                                    getLastLayer(program.get(), 1)};
  std::vector<float> expected[2];
  for (int which : {0, 1}) {
    if (which == 1) {
      update(program.get(), weights[1]);
      swap(program.get());
    }
    Result result = classify(program.get(), images.data(), numImages);
    expected[which].assign(getLogits(result),
                           getLogits(result) + numImages * kDigits);
  }

  std::atomic<bool> stop{false};
  std::atomic<int64_t> answers[2] = {{0}, {0}}, wrong{0}, calls{0};
  std::vector<std::thread> servers;
  Clock::time_point begin = Clock::now();
  for (int t = 0; t < numThreads; ++t)
    servers.emplace_back([&, t] {
      std::mt19937 random{unsigned(t)};
      while (!stop) {
        int64_t count = std::min<int64_t>(1 + random() % 32, numImages);
        int64_t first = int64_t(random()) % (numImages - count + 1);
        Result result =
            classify(program.get(), &images[size_t(first * kPixels)], count);
        uint64_t which = coil_result_weights(result.get()) % 2;
        if (areClose(getLogits(result),
                     &expected[which][size_t(first * kDigits)],
                     count * kDigits))
          answers[which] += count;
        else
          wrong += count;
        ++calls;
      }
    });

  std::vector<double> swaps;
  uint64_t next = 2;
  while (secondsSince(begin) < seconds || !answers[0] || !answers[1]) {
    update(program.get(), weights[next++ % 2]);
    Clock::time_point swapBegin = Clock::now();
    swap(program.get());
    swaps.push_back(secondsSince(swapBegin) * 1e6);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (wrong)
      break;
  }
  stop = true;
  for (std::thread &server : servers)
    server.join();
  double elapsed = secondsSince(begin);

  std::sort(swaps.begin(), swaps.end());
  std::printf("%d threads, %.2f s: %.0f calls/s, %.0f images/s\n", numThreads,
              elapsed, double(calls) / elapsed,
              double(answers[0] + answers[1]) / elapsed);
  std::printf("%zu swaps, median %.1f us\n", swaps.size(),
              swaps[swaps.size() / 2]);
  std::printf("answers of the first weights: %lld, of the second: %lld, of "
              "neither: %lld\n",
              (long long)answers[0], (long long)answers[1], (long long)wrong);
  coil_program_drop_weights(program.get());
  coil_weights_info info;
  coil_program_get_weights_info(program.get(), &info);
  std::printf("sets of weights in memory: %lld\n", (long long)info.num_sets);
  return wrong || info.num_sets != 1;
}
