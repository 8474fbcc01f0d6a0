//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cooperative launches: blocks that wait for each other, and the order that
// their meetings give to what they read and write.
//
//===----------------------------------------------------------------------===//

#include "SimTest.h"

using namespace coil::cudasim::test;

namespace {

constexpr unsigned kThreads = 64, kBlocks = 4;
/// CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE
constexpr auto kTooLarge = static_cast<CUresult>(720);

class CooperativeTest : public SimTest {
protected:
  /// A kernel with its thread's word of the buffer at `mine`, the next block's
  /// at `other`, the number of the block in b and a value in v.
  static std::string kernel(const std::string &statements) {
    return R"(
.visible .entry k(.param .u64 buffer, .param .u64 counter) {
  .reg .b64 p, c, mine, other, o; .reg .b32 t, b, n, v, w, r<4>; .reg .pred q;
  ld.param.u64 p, [buffer];
  ld.param.u64 c, [counter];
  mov.u32 t, %tid.x;
  mov.u32 b, %ctaid.x;
  mad.lo.u32 v, b, 64, t;
  mul.wide.u32 o, v, 4;
  add.s64 mine, p, o;
  add.u32 n, b, 1;
  and.b32 n, n, 3;
  mad.lo.u32 w, n, 64, t;
  mul.wide.u32 o, w, 4;
  add.s64 other, p, o;
)" + statements +
           "\nret;\n}";
  }
  /// All blocks are here for the `n`-th time.
  static std::string meet(unsigned n) {
    std::string label = std::to_string(n);
    return "bar.sync 0; setp.ne.u32 q, t, 0; @q bra BEHIND" + label +
           "; membar.gl; red.global.add.u32 [c], 1;\nAGAIN" + label +
           ": ld.volatile.global.u32 r0, [c]; setp.lt.u32 q, r0, " +
           std::to_string(n * kBlocks) + "; @q bra AGAIN" + label +
           "; membar.gl;\nBEHIND" + label + ": bar.sync 0;\n";
  }
  static Shape shape(unsigned blocks = kBlocks) {
    Shape s(kThreads, blocks);
    s.isCooperative = true;
    return s;
  }
  void SetUp() override {
    SimTest::SetUp();
    buffer = upload(std::vector<uint32_t>(kThreads * kBlocks, 0));
    counter = upload(std::vector<uint32_t>(1, 0));
  }
  CUdeviceptr buffer = 0, counter = 0;
};

TEST_F(CooperativeTest, letsBlocksWaitForEachOther) {
  ASSERT_EQ(launch(kernel("st.global.u32 [mine], v;" + meet(1) +
                          "ld.global.u32 r1, [other];" + meet(2) +
                          "add.u32 r1, r1, 1000; st.global.u32 [mine], r1;"),
                   shape(), {buffer, counter}),
            0)
      << cu.report();
  std::vector<uint32_t> words = download<uint32_t>(buffer, kThreads * kBlocks);
  for (uint32_t i = 0; i < kThreads * kBlocks; ++i)
    EXPECT_EQ(words[i], (i + kThreads) % (kThreads * kBlocks) + 1000);
}

TEST_F(CooperativeTest, findsReadsThatNothingOrders) {
  expectFault(kernel("st.global.u32 [mine], v;" + meet(1) +
                     "st.global.u32 [mine], b; ld.global.u32 r1, [other];"),
              shape(), {buffer, counter}, CUDA_ERROR_LAUNCH_FAILED,
              "without order in between");
}

TEST_F(CooperativeTest, findsWritesBehindOthersReads) {
  expectFault(kernel("st.global.u32 [mine], v;" + meet(1) +
                     "ld.global.u32 r1, [other];"
                     "add.u32 r1, r1, 1000; st.global.u32 [mine], r1;"),
              shape(), {buffer, counter}, CUDA_ERROR_LAUNCH_FAILED,
              "without order in between");
}

// All blocks read the first block's words.
static const char *const kReadFirst = "mul.wide.u32 o, t, 4; add.s64 o, p, o;"
                                      "ld.global.u32 r1, [o];";

TEST_F(CooperativeTest, ordersWhatSeveralBlocksRead) {
  EXPECT_EQ(launch(kernel("st.global.u32 [mine], v;" + meet(1) + kReadFirst +
                          meet(2) + "st.global.u32 [mine], b;"),
                   shape(), {buffer, counter}),
            0)
      << cu.report();
}

TEST_F(CooperativeTest, findsWritesBehindWhatSeveralBlocksRead) {
  expectFault(kernel("st.global.u32 [mine], v;" + meet(1) + kReadFirst +
                     "bar.sync 0; setp.ne.u32 q, b, 0; @q bra DONE;"
                     "st.global.u32 [mine], r0; DONE:"),
              shape(), {buffer, counter}, CUDA_ERROR_LAUNCH_FAILED,
              "without order in between");
}

TEST_F(CooperativeTest, endsAWaitInVain) {
  expectFault(kernel("setp.eq.u32 q, b, 2; @q bra DONE;" + meet(1) + "DONE:"),
              shape(), {buffer, counter}, CUDA_ERROR_LAUNCH_TIMEOUT,
              "a block executed more than 4000000 instructions");
}

TEST_F(CooperativeTest, refusesMoreBlocksThanFit) {
  EXPECT_EQ(launch(kernel("st.global.u32 [p], v;"), shape(132 * 32 + 1),
                   {buffer, counter}),
            kTooLarge);
}

} // namespace
