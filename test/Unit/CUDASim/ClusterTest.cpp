//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clusters: blocks that write into each other's shared memory.
//
//===----------------------------------------------------------------------===//

#include "SimTest.h"

using namespace coil::cudasim::test;

namespace {

constexpr unsigned kThreads = 64, kBlocks = 8, kCluster = 4;

class ClusterTest : public SimTest {
protected:
  /// Every thread writes its number among all to its place in the next block of
  /// its cluster, and what has come to it from the one before to the result.
  /// Tests replace some of the steps by mistakes.
  std::string next = "add.u32 n, n, 1;\nand.b32 n, n, 3;";
  std::string meet = "barrier.cluster.arrive;\nbarrier.cluster.wait;";
  std::string getText() const {
    return R"(
.visible .entry k(.param .u64 to) .reqnctapercluster 4 {
  .reg .b64 p, o, s, there; .reg .b32 t, b, n, v, w;
  .shared .align 4 .b8 places[256];
  ld.param.u64 p, [to];
  mov.u32 t, %tid.x;
  mov.u32 b, %ctaid.x;
  mad.lo.u32 v, b, 64, t;
  mul.wide.u32 o, t, 4;
  mov.u64 s, places;
  add.s64 s, s, o;
  barrier.cluster.arrive.relaxed;
  barrier.cluster.wait;
  mov.u32 n, %cluster_ctarank;
)" + next + R"(
  mapa.shared::cluster.u64 there, s, n;
  st.shared::cluster.b32 [there], v;
)" + meet + R"(
  ld.shared.b32 w, [s];
  mul.wide.u32 o, v, 4;
  add.s64 p, p, o;
  st.global.b32 [p], w;
  ret;
})";
  }
};

TEST_F(ClusterTest, writesToOtherBlocks) {
  CUdeviceptr to = allocate(kThreads * kBlocks * 4);
  ASSERT_EQ(launch(getText(), Shape(kThreads, kBlocks), {to}), 0)
      << cu.report();
  std::vector<uint32_t> words = download<uint32_t>(to, kThreads * kBlocks);
  for (uint32_t block = 0; block < kBlocks; ++block) {
    uint32_t before = block / kCluster * kCluster + (block + 3) % kCluster;
    for (uint32_t t = 0; t < kThreads; ++t)
      EXPECT_EQ(words[block * kThreads + t], before * kThreads + t);
  }
}

TEST_F(ClusterTest, findsBlocksThatAreNotThere) {
  next = "add.u32 n, n, 1;";
  CUdeviceptr to = allocate(kThreads * kBlocks * 4);
  EXPECT_NE(launch(getText(), Shape(kThreads, kBlocks), {to}), 0);
  EXPECT_THAT(cu.report(), ::testing::HasSubstr("block 4 of a cluster of 4"));
}

TEST_F(ClusterTest, findsReadsThatNothingOrders) {
  meet = "";
  CUdeviceptr to = allocate(kThreads * kBlocks * 4);
  EXPECT_NE(launch(getText(), Shape(kThreads, kBlocks), {to}), 0);
}

TEST_F(ClusterTest, refusesGridsThatAreNoMultiple) {
  CUdeviceptr to = allocate(kThreads * kBlocks * 4);
  EXPECT_NE(launch(getText(), Shape(kThreads, kBlocks - 2), {to}), 0);
}

} // namespace
