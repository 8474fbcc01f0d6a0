//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The main function of an emitted C++ program that measures itself
// (`--benchmark-main`). Header only.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_RUNTIME_BENCHMARK_H
#define COIL_RUNTIME_BENCHMARK_H

#include "coil/Runtime/Profile.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace coil {

/// An input at the sizes that symbols have as hints.
struct BenchmarkInput {
  int32_t dtype;
  std::vector<int64_t> sizes, strides;
};

/// A kernel of the program, by the address that launches have.
struct BenchmarkKernel {
  const void *address;
  const char *name;
};

using BenchmarkFunction = int32_t (*)(coil_run *, const coil_tensor *, size_t,
                                      coil_tensor *, size_t);

/// What the command line says.
struct BenchmarkOptions {
  long times = 10, repeat = 10;
  bool profile = false;
  const char *snapshot = nullptr;

  /// Whether it could be read; else, or for `--help`, says how to use it.
  bool parse(int argc, char **argv) {
    auto number = [](const char *text, long &to) {
      char *end = nullptr;
      to = std::strtol(text, &end, 10);
      return *text && !*end && to >= 1;
    };
    for (int i = 1; i < argc; ++i) {
      bool hasValue = i + 1 < argc;
      if (std::strcmp(argv[i], "--profile") == 0)
        profile = true;
      else if (std::strcmp(argv[i], "--memory-snapshot") == 0 && hasValue)
        snapshot = argv[++i];
      else if (!(std::strcmp(argv[i], "--times") == 0 && hasValue &&
                 number(argv[++i], times)) &&
               !(std::strcmp(argv[i], "--repeat") == 0 && hasValue &&
                 number(argv[++i], repeat))) {
        std::fprintf(
            stderr,
            "usage: %s [--times N] [--repeat N] [--profile] "
            "[--memory-snapshot FILE]\n"
            "  --times            calls between two looks at the clock (10)\n"
            "  --repeat           how often that is done; the median counts "
            "(10)\n"
            "  --profile          print what each kernel and library call "
            "takes\n"
            "  --memory-snapshot  write the memory of one call for "
            "pytorch.org/memory_viz\n",
            argv[0]);
        return false;
      }
    }
    return true;
  }
};

/// Calls a program on random inputs and measures it.
class Benchmark {
public:
  Benchmark(BenchmarkFunction function, std::vector<BenchmarkInput> inputs,
            size_t numOutputs, std::vector<BenchmarkKernel> kernels)
      : function(function), specs(std::move(inputs)), numOutputs(numOutputs),
        kernels(std::move(kernels)) {}

  int main(int argc, char **argv) {
    BenchmarkOptions options;
    if (!options.parse(argc, argv))
      return 2;
    makeInputs();
    if (!call())
      return 1;
    std::vector<double> seconds;
    for (long i = 0; i < options.repeat; ++i) {
      auto start = std::chrono::steady_clock::now();
      for (long j = 0; j < options.times; ++j)
        if (!call())
          return 1;
      std::chrono::duration<double> taken =
          std::chrono::steady_clock::now() - start;
      seconds.push_back(taken.count() / double(options.times));
    }
    std::sort(seconds.begin(), seconds.end());
    std::printf("%.3f us for a call, median of %ld x %ld\n",
                seconds[seconds.size() / 2] * 1e6, options.repeat,
                options.times);
    if (options.profile && !withProfile([&](coil_profile *profile) {
          for (long i = 0; i < options.times; ++i)
            if (!call(profile))
              return false;
          std::fputs(coil_profile_text(profile), stdout);
          return true;
        }))
      return 1;
    if (options.snapshot && !withProfile([&](coil_profile *profile) {
          // Written while the results are there.
          return call(profile, [&] {
            if (coil_profile_write_snapshot(profile, options.snapshot))
              std::fprintf(stderr, "warning: %s\n", coil_last_error());
            else
              std::printf("memory snapshot: %s\n", options.snapshot);
          });
        }))
      return 1;
    return 0;
  }

private:
  void makeInputs() {
    std::mt19937 random;
    std::normal_distribution<float> normal;
    for (const BenchmarkInput &spec : specs) {
      size_t last = 0;
      bool isEmpty = false;
      for (size_t d = 0; d < spec.sizes.size(); ++d) {
        isEmpty |= spec.sizes[d] == 0;
        last += size_t((spec.sizes[d] - 1) * spec.strides[d]);
      }
      size_t count = isEmpty ? 0 : last + 1;
      // Zeros are valid indices, and elements of each type.
      memory.emplace_back(count * size_t(coil_dtype_size(spec.dtype)) + 1);
      if (spec.dtype == COIL_F32)
        for (size_t i = 0; i < count; ++i) {
          float value = normal(random);
          std::memcpy(&memory.back()[i * sizeof(value)], &value, sizeof(value));
        }
      tensors.push_back({memory.back().data(), spec.sizes.data(),
                         spec.strides.data(), int32_t(spec.sizes.size()),
                         spec.dtype, COIL_CPU, 0});
    }
  }

  bool call(
      coil_profile *profile = nullptr,
      const std::function<void()> &look = [] {}) {
    coil_run *run = nullptr;
    std::vector<coil_tensor> outputs(numOutputs);
    int32_t status = coil_run_create(&run);
    if (status == COIL_OK && profile)
      coil_profile_attach(profile, run);
    if (status == COIL_OK)
      status = function(run, tensors.data(), tensors.size(), outputs.data(),
                        numOutputs);
    if (status != COIL_OK)
      std::fprintf(stderr, "error: %s\n", coil_last_error());
    else
      look();
    if (run)
      coil_profile_attach(nullptr, run);
    coil_run_destroy(run);
    return status == COIL_OK;
  }

  bool withProfile(const std::function<bool(coil_profile *)> &body) {
    coil_profile *profile = nullptr;
    if (coil_profile_create(&profile) != COIL_OK) {
      std::fprintf(stderr, "error: %s\n", coil_last_error());
      return false;
    }
    for (const BenchmarkKernel &kernel : kernels)
      coil_profile_name_kernel(profile, kernel.address, kernel.name);
    bool isDone = body(profile);
    coil_profile_destroy(profile);
    return isDone;
  }

  BenchmarkFunction function;
  std::vector<BenchmarkInput> specs;
  size_t numOutputs;
  std::vector<BenchmarkKernel> kernels;
  std::vector<std::vector<char>> memory;
  std::vector<coil_tensor> tensors;
};

} // namespace coil

#endif // COIL_RUNTIME_BENCHMARK_H
