//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs hand-written PTX on the simulator of the CUDA driver. Tests compare the
// results with what they compute themselves.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_TEST_UNIT_CUDASIM_SIMTEST_H
#define COIL_TEST_UNIT_CUDASIM_SIMTEST_H

#include "../../../lib/Runtime/CUDA/Driver.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cstring>
#include <string>
#include <vector>

namespace coil::cudasim::test {

using namespace coil::rt::cuda;

/// The functions of the simulator, those that the runtime does not use too.
struct Library : Driver {
  CUresult (*ctxReset)(CUdevice) = nullptr;
  CUresult (*memHostRegister)(void *, size_t, unsigned) = nullptr;
  CUresult (*getGlobal)(CUdeviceptr *, size_t *, CUmodule,
                        const char *) = nullptr;
  CUresult (*graphGetNodes)(CUgraph, CUgraphNode *, size_t *) = nullptr;
  CUresult (*launchCooperative)(CUfunction, unsigned, unsigned, unsigned,
                                unsigned, unsigned, unsigned, unsigned,
                                CUstream, void **) = nullptr;
  const char *(*report)() = nullptr;
  static const Library &get();
};

/// A grid and a block.
struct Shape {
  unsigned grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  unsigned shared = 0;
  bool isCooperative = false;
  Shape(unsigned threads = 32, unsigned blocks = 1) {
    block[0] = threads;
    grid[0] = blocks;
  }
};

/// Each test has a context of its own.
class SimTest : public ::testing::Test {
protected:
  void SetUp() override;
  void TearDown() override;

  const Library &cu = Library::get();
  CUcontext context = nullptr;

  /// Memory with the values; freed with the context.
  template <class T>
  CUdeviceptr upload(const std::vector<T> &values) {
    CUdeviceptr p = allocate(values.size() * sizeof(T));
    EXPECT_EQ(cu.memcpyHtoD(p, values.data(), values.size() * sizeof(T)), 0);
    return p;
  }
  template <class T>
  std::vector<T> download(CUdeviceptr p, size_t n) {
    std::vector<T> values(n);
    EXPECT_EQ(cu.memcpyDtoH(values.data(), p, n * sizeof(T)), 0) << cu.report();
    return values;
  }
  CUdeviceptr allocate(size_t bytes);

  /// Loads PTX without its header; null after a failure, with `log` set.
  CUmodule load(const std::string &body);
  std::string log;

  /// Launches the kernel `k` of a module whose parameters have 8 bytes each.
  /// Returns what the next synchronisation does.
  CUresult launch(const std::string &body, const Shape &shape,
                  const std::vector<uint64_t> &arguments);

  /// Expects that the launch ends with `result` and a report with `text`.
  void expectFault(const std::string &body, const Shape &shape,
                   const std::vector<uint64_t> &arguments, CUresult result,
                   const std::string &text);

  /// Executes statements with the registers a, b, c for elements of the inputs,
  /// d for the result and e, f, g of the result's type, p, q predicates, and
  /// r0..r3, rd0..rd3, h0..h3 of 32, 64 and 16 bits. One thread for each
  /// element.
  template <class D, class... A>
  std::vector<D> map(const std::string &statements,
                     const std::vector<A> &...inputs) {
    size_t n = 0;
    ((n = inputs.size()), ...);
    CUdeviceptr to = allocate(n * sizeof(D));
    run(mapKernel(statements, sizeof(D), {unsigned(sizeof(A))...}),
        static_cast<unsigned>(n), {to, upload(inputs)...});
    return download<D>(to, n);
  }

private:
  static std::string mapKernel(const std::string &statements, unsigned width,
                               const std::vector<unsigned> &widths);
  void run(const std::string &body, unsigned threads,
           std::vector<uint64_t> arguments);
};

template <class To, class From>
To bitCast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof(To));
  return to;
}

/// Every pair of two lists, as two lists of the same length.
template <class T>
struct Pairs {
  std::vector<T> a, b;
  Pairs(const std::vector<T> &x, const std::vector<T> &y) {
    for (T i : x)
      for (T j : y) {
        a.push_back(i);
        b.push_back(j);
      }
  }
  explicit Pairs(const std::vector<T> &x) : Pairs(x, x) {}
  size_t size() const { return a.size(); }
};

} // namespace coil::cudasim::test

#endif // COIL_TEST_UNIT_CUDASIM_SIMTEST_H
