//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Serves the digits model from several threads while another one exchanges its
// weights, and checks that each answer is one of the first weights or of the
// second ones, never of a mixture. Needs
// libcoil_loader.so and the standard library: no compiler.
//
//   coil-serve <model.coilpkg> <images.npy> [threads] [seconds]
//
// The second weights are the first ones with the rows of the last layer moved
// on by one: what was a 3 is a 4.
//
//===----------------------------------------------------------------------===//

#include "digits.h"

#include <atomic>
#include <random>
#include <thread>

using namespace digits;

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

  Answers known = getAnswers(program.get(), images, numImages);
  std::vector<Weight>(&weights)[2] = known.weights;
  std::vector<float>(&expected)[2] = known.expected;

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
