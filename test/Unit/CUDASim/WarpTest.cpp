//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shuffles, votes and barriers.
//
//===----------------------------------------------------------------------===//

#include "SimTest.h"

#include <functional>
#include <numeric>

using namespace coil::cudasim::test;

namespace {

class WarpTest : public SimTest {
protected:
  std::vector<uint32_t> lanes = [] {
    std::vector<uint32_t> v(32);
    std::iota(v.begin(), v.end(), 100);
    return v;
  }();
  std::vector<uint32_t> each(const std::function<uint32_t(uint32_t)> &f) {
    std::vector<uint32_t> v;
    for (uint32_t i = 0; i < 32; ++i)
      v.push_back(f(i));
    return v;
  }
};

TEST_F(WarpTest, shuffles) {
  EXPECT_EQ(map<uint32_t>("shfl.sync.bfly.b32 d, a, 5, 31, -1;", lanes),
            each([](uint32_t i) { return 100 + (i ^ 5); }));
  EXPECT_EQ(map<uint32_t>("shfl.sync.down.b32 d, a, 3, 31, 0xFFFFFFFF;", lanes),
            each([](uint32_t i) { return i + 3 < 32 ? 103 + i : 100 + i; }));
  EXPECT_EQ(map<uint32_t>("shfl.sync.up.b32 d|p, a, 3, 0, -1;"
                          "@!p mov.u32 d, 0;",
                          lanes),
            each([](uint32_t i) { return i >= 3 ? 97 + i : 0; }));
  EXPECT_EQ(map<uint32_t>("shfl.sync.idx.b32 d, a, 7, 31, -1;", lanes),
            each([](uint32_t) { return 107; }));
  // Groups of 8 lanes: the mask of the segment is in bits 8 to 12.
  EXPECT_EQ(map<uint32_t>("shfl.sync.idx.b32 d, a, 2, 0x181F, -1;", lanes),
            each([](uint32_t i) { return 100 + (i & ~7u) + 2; }));
  EXPECT_EQ(map<uint32_t>("shfl.sync.bfly.b32 d|p, a, 4, 0x1C1F, -1;"
                          "@!p mov.u32 d, 1;",
                          lanes),
            each([](uint32_t i) { return i & 4 ? 96 + i : 1; }));
}

TEST_F(WarpTest, votes) {
  std::string isOdd = "and.b32 r0, a, 1; setp.ne.u32 p, r0, 0;";
  EXPECT_EQ(map<uint32_t>(isOdd + "vote.sync.ballot.b32 d, p, -1;", lanes)[5],
            0xAAAAAAAAu);
  EXPECT_EQ(map<uint32_t>(isOdd + "vote.sync.any.pred q, p, -1;"
                                  "selp.u32 d, 1, 0, q;",
                          lanes)[0],
            1u);
  EXPECT_EQ(map<uint32_t>(isOdd + "vote.sync.all.pred q, !p, -1;"
                                  "selp.u32 d, 1, 0, q;",
                          lanes)[0],
            0u);
  EXPECT_EQ(map<uint32_t>(isOdd + "mov.u32 d, 0; @p activemask.b32 d;", lanes),
            each([](uint32_t i) { return i % 2 ? 0xAAAAAAAA : 0; }));
  EXPECT_EQ(
      map<uint32_t>("and.b32 r0, a, 3; match.any.sync.b32 d, r0, -1;", lanes),
      each([](uint32_t i) { return 0x11111111u << (i % 4); }));
  EXPECT_EQ(map<uint32_t>("redux.sync.add.u32 d, a, -1;", lanes)[9],
            3200u + 31 * 16);
  EXPECT_EQ(map<uint32_t>("redux.sync.max.s32 d, a, -1;", lanes)[9], 131u);
}

TEST_F(WarpTest, joinsLanesThatTookDifferentWays) {
  // Half of the lanes come to the shuffle later.
  EXPECT_EQ(map<uint32_t>(R"(
  setp.lt.u32 p, a, 116;
  mov.u32 r0, a;
  @p bra join;
  add.u32 r0, r0, 1000;
  add.u32 r0, r0, 1000;
join:
  bar.warp.sync -1;
  shfl.sync.bfly.b32 d, r0, 16, 31, -1;)",
                          lanes),
            each([](uint32_t i) { return i < 16 ? 2116 + i : 84 + i; }));
  // A shuffle of half of the warp.
  EXPECT_EQ(map<uint32_t>(R"(
  setp.lt.u32 p, a, 116;
  mov.u32 d, 0;
  @p shfl.sync.bfly.b32 d, a, 1, 31, 0xFFFF;)",
                          lanes),
            each([](uint32_t i) { return i < 16 ? 100 + (i ^ 1) : 0; }));
}

const char *reverse = R"(
.visible .entry k(.param .u64 to) {
  .reg .b64 p, o; .reg .b32 t, s, r, n; .reg .pred q;
  .shared .align 4 .b8 words[4096];
  mov.u32 t, %tid.x;
  mov.u32 n, %ntid.x;
  mov.u32 s, words;
  mad.lo.u32 s, t, 4, s;
  st.shared.u32 [s], t;
  BARRIER
  sub.u32 r, n, t;
  sub.u32 r, r, 1;
  mov.u32 s, words;
  mad.lo.u32 s, r, 4, s;
  ld.shared.u32 r, [s];
  ld.param.u64 p, [to];
  mul.wide.u32 o, t, 4;
  add.s64 p, p, o;
  st.global.u32 [p], r;
  ret;
})";

TEST_F(WarpTest, waitsAtBarriers) {
  for (std::string barrier :
       {"bar.sync 0;", "barrier.sync 0;", "barrier.cta.sync.aligned 3;",
        "bar.sync 1, 1000;"}) {
    // 1000 threads: the last warp is no whole one. A count is of whole warps.
    if (barrier == "bar.sync 1, 1000;")
      barrier = "bar.sync 1, 1024;";
    std::string text = reverse;
    text.replace(text.find("BARRIER"), 7, barrier);
    CUdeviceptr to = allocate(4000);
    ASSERT_EQ(launch(text, 1000, {to}), 0) << barrier << cu.report();
    auto r = download<uint32_t>(to, 1000);
    for (uint32_t i = 0; i < 1000; ++i)
      ASSERT_EQ(r[i], 999 - i) << barrier;
  }
}

TEST_F(WarpTest, reducesAtBarriers) {
  auto run = [&](const std::string &statement) {
    std::vector<uint32_t> a(96);
    std::iota(a.begin(), a.end(), 0);
    return map<uint32_t>("setp.lt.u32 p, a, 70;" + statement, a)[80];
  };
  EXPECT_EQ(run("bar.red.popc.u32 d, 0, p;"), 70u);
  EXPECT_EQ(run("bar.red.and.pred q, 0, p; selp.u32 d, 1, 0, q;"), 0u);
  EXPECT_EQ(run("bar.red.or.pred q, 0, p; selp.u32 d, 1, 0, q;"), 1u);
}

} // namespace
