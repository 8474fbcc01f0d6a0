//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts coil-http-server under load and checks every answer.
//
//   coil-http-load <model.coilpkg> <images.npy> <port> <requests> <swaps>
//       [sessions]
//
// Each session sends one image at a time. The weights are exchanged `swaps`
// times, evenly over the requests; before each swap, one that fails is tried: a
// weight that is too short, an unknown one, and a file that is no package. An
// answer is right if it is that of the set of weights that it says it is of,
// which the model here computed. Exit status 1 if any answer was wrong or none.
//
//===----------------------------------------------------------------------===//

#include "digits.h"

#include <httplib.h>

#include <atomic>
#include <mutex>
#include <random>
#include <thread>

using namespace digits;

namespace {

/// What was seen. Times are in microseconds.
struct Counts {
  std::atomic<int64_t> sent{0}, failed{0}, wrong{0};
  std::atomic<int64_t> answers[2] = {{0}, {0}};
  std::mutex mutex;
  std::vector<double> times;
};

double getQuantile(const std::vector<double> &sorted, double fraction) {
  return sorted[std::min(sorted.size() - 1,
                         size_t(fraction * double(sorted.size())))];
}

bool isStatus(const httplib::Result &result, int status) {
  return result && result->status == status;
}

/// Sends one image after another until `requests` of all sessions are sent.
void runSession(unsigned number, int port, int64_t requests,
                const std::vector<float> &images,
                const std::vector<float> *expected, Counts &counts) {
  httplib::Client client("127.0.0.1", port);
  client.set_keep_alive(true);
  client.set_tcp_nodelay(true);
  std::mt19937 random{number};
  std::vector<double> times;
  int64_t numImages = int64_t(images.size()) / kPixels;
  while (counts.sent++ < requests) {
    int64_t image = int64_t(random()) % numImages;
    Clock::time_point begin = Clock::now();
    httplib::Result result = client.Post(
        "/classify",
        reinterpret_cast<const char *>(&images[size_t(image * kPixels)]),
        kPixels * sizeof(float), "application/octet-stream");
    times.push_back(secondsSince(begin) * 1e6);
    float logits[kDigits];
    if (!isStatus(result, 200) || result->body.size() != sizeof(logits)) {
      ++counts.failed;
      continue;
    }
    std::memcpy(logits, result->body.data(), sizeof(logits));
    size_t which = std::stoull(result->get_header_value("X-Weights")) % 2;
    if (areClose(logits, &expected[which][size_t(image * kDigits)], kDigits))
      ++counts.answers[which];
    else
      ++counts.wrong;
  }
  std::lock_guard<std::mutex> lock(counts.mutex);
  counts.times.insert(counts.times.end(), times.begin(), times.end());
}

/// Sends the weights of a set and swaps them in.
bool exchange(httplib::Client &client, const std::vector<Weight> &weights) {
  for (const Weight &weight : weights)
    if (!isStatus(
            client.Put("/weights/" + weight.name,
                       reinterpret_cast<const char *>(weight.elements.data()),
                       weight.elements.size() * sizeof(float),
                       "application/octet-stream"),
            200))
      return false;
  return isStatus(client.Post("/weights/swap"), 200);
}

/// Tries what has to fail; whether all of it did.
bool failToExchange(httplib::Client &client, const Weight &weight,
                    const char *noPackage) {
  return isStatus(client.Put("/weights/" + weight.name, "short",
                             "application/octet-stream"),
                  409) &&
         isStatus(client.Put("/weights/no.such.weight", "",
                             "application/octet-stream"),
                  409) &&
         isStatus(client.Post("/weights/file", noPackage, "text/plain"), 409) &&
         // Nothing is staged that could be swapped in.
         isStatus(client.Post("/weights/swap"), 409);
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 6 || argc > 7) {
    std::fprintf(stderr, "usage: coil-http-load <model.coilpkg> <images.npy> "
                         "<port> <requests> <swaps> [sessions]\n");
    return 2;
  }
  int port = std::atoi(argv[3]);
  int64_t requests = std::atoll(argv[4]), swaps = std::atoll(argv[5]);
  unsigned sessions = argc > 6 ? unsigned(std::max(std::atoi(argv[6]), 1)) : 2;
  coil_set_num_threads(1);
  Program program = load(argv[1]);
  std::vector<float> images = readFloats(argv[2]);
  int64_t numImages = int64_t(images.size()) / kPixels;
  Answers known = getAnswers(program.get(), images, numImages);
  std::vector<Weight>(&weights)[2] = known.weights;
  std::vector<float>(&expected)[2] = known.expected;

  Counts counts;
  std::vector<std::thread> threads;
  Clock::time_point begin = Clock::now();
  for (unsigned i = 0; i < sessions; ++i)
    threads.emplace_back(
        [&, i] { runSession(i, port, requests, images, expected, counts); });
  httplib::Client control("127.0.0.1", port);
  int64_t done = 0, refused = 0;
  std::vector<double> swapTimes;
  while (done < swaps) {
    // After an equal part of the requests each.
    while (counts.sent < requests * (done + 1) / (swaps + 1))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    refused += failToExchange(control, weights[0].front(), argv[2]);
    Clock::time_point swapBegin = Clock::now();
    if (!exchange(control, weights[(done + 1) % 2]))
      break;
    swapTimes.push_back(secondsSince(swapBegin) * 1e6);
    ++done;
  }
  for (std::thread &thread : threads)
    thread.join();
  double elapsed = secondsSince(begin);

  std::sort(counts.times.begin(), counts.times.end());
  std::sort(swapTimes.begin(), swapTimes.end());
  std::printf("%u sessions, %zu requests in %.2f s: %.0f requests/s\n",
              sessions, counts.times.size(), elapsed,
              double(counts.times.size()) / elapsed);
  std::printf("latency: p50 %.1f us, p99 %.1f us, p99.9 %.1f us, max %.1f us\n",
              getQuantile(counts.times, 0.5), getQuantile(counts.times, 0.99),
              getQuantile(counts.times, 0.999), counts.times.back());
  std::printf("answers of the first weights: %lld, of the second: %lld, wrong: "
              "%lld, failed: %lld\n",
              (long long)counts.answers[0], (long long)counts.answers[1],
              (long long)counts.wrong, (long long)counts.failed);
  std::printf("%lld swaps of %lld, %lld attempts that had to fail did\n",
              (long long)done, (long long)swaps, (long long)refused);
  if (!swapTimes.empty())
    std::printf("an exchange with its update: median %.1f us\n",
                getQuantile(swapTimes, 0.5));
  control.Post("/stop");
  return counts.wrong || counts.failed || done != swaps || refused != done;
}
