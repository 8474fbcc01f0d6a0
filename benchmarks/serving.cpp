//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What serving costs on the CPU: a call of n tiny kernels against the same
// functions called in a loop, and swaps of weights while threads call.
//
//   ninja -C build coil-serving-benchmark
//   build/bin/coil-serving-benchmark examples/models
//
//===----------------------------------------------------------------------===//

#include "coil-c/Coil.h"
#include "coil/Driver/CompiledProgram.h"
#include "coil/Runtime/HostABI.h"
#include "coil/Support/HostTensor.h"
#include "coil/Support/Npy.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

using namespace coil;

namespace {

using Clock = std::chrono::steady_clock;

int64_t nsSince(Clock::time_point begin) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() -
                                                              begin)
      .count();
}

//===----------------------------------------------------------------------===//
// Tiny kernels
//===----------------------------------------------------------------------===//

/// n kernels of 16 elements.
std::string makeChain(int n) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "func.func @main(%x0: tensor<16xf32>) -> tensor<16xf32> {\n";
  for (int i = 0; i < n; ++i)
    os << "  %x" << i + 1 << " = graph.add %x" << i
       << ", %x0 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>\n";
  os << "  return %x" << n << " : tensor<16xf32>\n}\n";
  return text;
}

struct Launches {
  std::vector<std::pair<coil_cpu_kernel, int64_t>> kernels;
};

/// The least nanoseconds of a call, of many samples of several calls each.
template <typename F>
double measure(F call) {
  constexpr int samples = 2000, calls = 20;
  int64_t best = INT64_MAX;
  for (int i = 0; i < samples; ++i) {
    Clock::time_point begin = Clock::now();
    for (int j = 0; j < calls; ++j)
      call();
    best = std::min(best, nsSince(begin));
  }
  return double(best) / calls;
}

void measureCalls(llvm::StringRef folder) {
  std::printf("| kernels | loop ns | call ns | above the loop, ns a kernel | "
              "of it a run and its output ns |\n|---|---|---|---|---|\n");
  float in[16] = {}, out[16];
  int64_t size = 16, stride = 1;
  coil_tensor input = {in, &size, &stride, 1, COIL_F32, COIL_CPU, 0};
  double empty = measure([&] {
    coil_run *run = nullptr;
    void *memory = nullptr;
    coil_run_create(&run);
    coil_rt_alloc(run, sizeof(out), &memory);
    coil_run_destroy(run);
  });
  for (int n : {1, 2, 10, 100}) {
    std::string path = (folder + "/chain.mlir").str();
    std::error_code failure;
    llvm::raw_fd_ostream(path, failure) << makeChain(n);
    coil_compile_options options;
    coil_compile_options_init(&options);
    options.pipeline_options = "fuse=false";
    coil_program *program = nullptr;
    char *error = nullptr;
    JITOptions jit;
    jit.pipelineOptions = "fuse=false";
    llvm::Expected<std::unique_ptr<CompiledProgram>> traced =
        CompiledProgram::compile(path, jit);
    if (coil_program_compile(path.c_str(), &options, &program, &error) ||
        !traced) {
      std::fprintf(stderr, "error: %s\n", error ? error : "compile");
      exit(1);
    }
    // The same functions.
    Launches launches;
    RunOptions runOptions;
    runOptions.traceUser = &launches;
    runOptions.trace = [](void *user, const coil_trace_event *event) {
      if (event->kind == COIL_TRACE_LAUNCH)
        static_cast<Launches *>(user)->kernels.push_back(
            {reinterpret_cast<coil_cpu_kernel>(
                 const_cast<void *>(event->address)),
             event->amount});
    };
    llvm::cantFail((*traced)->run({input}, runOptions));
    if (launches.kernels.size() != size_t(n))
      std::printf("%zu launches\n", launches.kernels.size());
    double loop = measure([&] {
      void *buffers[] = {in, in, out};
      for (auto [kernel, total] : launches.kernels)
        kernel(buffers, nullptr, 0, total);
    });
    double call = measure([&] {
      coil_result *result = nullptr;
      coil_program_run(program, &input, 1, &result, nullptr);
      coil_result_destroy(result);
    });
    std::printf("| %d | %.0f | %.0f | %.0f | %.0f |\n", n, loop, call,
                (call - loop) / n, empty);
    coil_program_destroy(program);
    llvm::sys::fs::remove(path);
  }
}

//===----------------------------------------------------------------------===//
// Swaps
//===----------------------------------------------------------------------===//

void printRow(const char *what, std::vector<int64_t> &ns) {
  std::sort(ns.begin(), ns.end());
  auto at = [&](double q) {
    return double(ns[std::min(ns.size() - 1, size_t(q * double(ns.size())))]) /
           1e3;
  };
  std::printf("| %s | %zu | %.2f | %.2f | %.2f | %.1f |\n", what, ns.size(),
              at(0.5), at(0.99), at(0.999), double(ns.back()) / 1e3);
}

/// Calls from `numThreads` threads for `seconds`, with swaps or without; the
/// latencies of calls and of swaps.
void serve(CompiledProgram &program, const HostTensor &images, int numThreads,
           double seconds, bool swaps) {
  std::atomic<bool> stop{false};
  std::vector<std::vector<int64_t>> calls;
  calls.resize(size_t(numThreads));
  std::vector<std::thread> threads;
  int64_t sizes[] = {1, 1, 8, 8}, strides[] = {64, 64, 8, 1};
  coil_tensor input = {images.getData(), sizes,    strides, 4,
                       COIL_F32,         COIL_CPU, 0};
  for (std::vector<int64_t> &times : calls)
    threads.emplace_back([&] {
      times.reserve(1 << 20);
      while (!stop) {
        Clock::time_point begin = Clock::now();
        llvm::cantFail(program.run({input}));
        times.push_back(nsSince(begin));
      }
    });
  std::vector<int64_t> swapTimes;
  Clock::time_point begin = Clock::now();
  while (nsSince(begin) < int64_t(seconds * 1e9)) {
    std::this_thread::sleep_for(std::chrono::microseconds(20));
    if (!swaps)
      continue;
    Clock::time_point swapBegin = Clock::now();
    llvm::cantFail(program.getContainer().swap());
    swapTimes.push_back(nsSince(swapBegin));
  }
  stop = true;
  for (std::thread &thread : threads)
    thread.join();
  std::vector<int64_t> all;
  for (const std::vector<int64_t> &times : calls)
    all.insert(all.end(), times.begin(), times.end());
  std::string what = std::to_string(numThreads) +
                     (swaps ? " threads: call during swaps" : " threads: call");
  printRow(what.c_str(), all);
  if (swaps) {
    what = std::to_string(numThreads) + " threads: swap";
    printRow(what.c_str(), swapTimes);
  }
}

void measureSwaps(llvm::StringRef models) {
  coil_set_num_threads(1);
  std::unique_ptr<CompiledProgram> program = llvm::cantFail(
      CompiledProgram::compile((models + "/digits_cnn.pt2").str()));
  HostTensor images =
      llvm::cantFail(readNpy((models + "/digits_images.npy").str()));
  llvm::cantFail(program->getContainer().update({}));
  std::printf("\n| | samples | p50 us | p99 us | p99.9 us | max us "
              "|\n|---|---|---|---|---|---|\n");
  for (int numThreads : {1, 8}) {
    serve(*program, images, numThreads, 2, false);
    serve(*program, images, numThreads, 4, true);
  }
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  if (argc != 2) {
    std::fprintf(stderr, "usage: coil-serving-benchmark <models>\n");
    return 2;
  }
  llvm::SmallString<128> folder;
  if (llvm::sys::fs::createUniqueDirectory("serving", folder))
    return 1;
  measureCalls(folder);
  llvm::sys::fs::remove(folder);
  measureSwaps(argv[1]);
}
