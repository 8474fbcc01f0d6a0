//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory spaces, vector accesses, caches, variables and atomics.
//
//===----------------------------------------------------------------------===//

#include "SimTest.h"

#include <algorithm>
#include <numeric>

using namespace coil::cudasim::test;

namespace {

class MemoryTest : public SimTest {
protected:
  std::vector<uint32_t> iota(size_t n, uint32_t first = 0) {
    std::vector<uint32_t> v(n);
    std::iota(v.begin(), v.end(), first);
    return v;
  }
};

TEST_F(MemoryTest, movesVectorsOfEverySpace) {
  // Four words through global, shared and local memory.
  CUdeviceptr from = upload(iota(128, 5)), to = allocate(512);
  EXPECT_EQ(launch(R"(
.visible .entry k(.param .u64 from, .param .u64 to) {
  .reg .b64 a, b, off; .reg .b32 t, s, r<9>; .reg .f32 f<4>;
  .shared .align 16 .b8 tile[512];
  .local .align 16 .b8 stack[32];
  mov.u32 t, %tid.x;
  mul.wide.u32 off, t, 16;
  ld.param.u64 a, [from];
  ld.param.u64 b, [to];
  add.s64 a, a, off;
  add.s64 b, b, off;
  ld.global.nc.L1::no_allocate.L2::128B.v4.u32 {r1, r2, r3, r4}, [a];
  mov.u32 s, tile;
  mad.lo.u32 s, t, 16, s;
  st.shared.v4.b32 [s], {r4, r3, r2, r1};
  ld.shared.v2.b32 {r5, r6}, [s];
  ld.shared.v2.b32 {r7, r8}, [s+8];
  st.local.v2.u32 [stack+16], {r5, r6};
  st.local.v2.u32 [stack+24], {r7, r8};
  ld.local.v4.f32 {f0, f1, f2, f3}, [stack+16];
  st.global.cs.v4.f32 [b], {f0, f1, f2, f3};
  ret;
})",
                   32, {from, to}),
            0)
      << cu.report();
  std::vector<uint32_t> want;
  for (uint32_t i = 0; i < 32; ++i)
    for (uint32_t j = 0; j < 4; ++j)
      want.push_back(5 + 4 * i + 3 - j);
  EXPECT_EQ(download<uint32_t>(to, 128), want);
}

TEST_F(MemoryTest, accessesEveryWidth) {
  std::vector<uint8_t> bytes = {0x80, 0x7F, 0xFF, 0x01, 0xAA, 0x55, 0x00, 0xFE};
  CUdeviceptr from = upload(bytes), to = allocate(64);
  EXPECT_EQ(launch(R"(
.visible .entry k(.param .u64 from, .param .u64 to) {
  .reg .b64 a, b, l; .reg .b32 r; .reg .b16 h, x, y, z, w;
  ld.param.u64 a, [from];
  ld.param.u64 b, [to];
  ld.global.s8 r, [a];
  st.global.u32 [b], r;
  ld.global.u8 h, [a];
  st.global.u16 [b+4], h;
  ld.global.s16 r, [a+2];
  st.global.b16 [b+6], h;
  st.global.u32 [b+8], r;
  ld.global.s8 l, [a+2];
  st.global.u64 [b+16], l;
  ld.global.v4.u8 {x, y, z, w}, [a+4];
  st.global.v4.u8 [b+24], {w, z, y, x};
  ld.global.lu.b64 l, [a];
  st.global.wt.b64 [b+32], l;
  ld.global.v4.b16 {x, y, z, w}, [a];
  st.global.v4.b16 [b+40], {w, z, y, x};
  ret;
})",
                   1, {from, to}),
            0)
      << cu.report();
  auto r = download<uint8_t>(to, 48);
  auto at = [&](size_t i, auto zero) {
    memcpy(&zero, r.data() + i, sizeof(zero));
    return zero;
  };
  EXPECT_EQ(at(0, int32_t()), -128);
  EXPECT_EQ(at(4, uint16_t()), 0x80);
  EXPECT_EQ(at(6, uint16_t()), 0x80);
  EXPECT_EQ(at(8, int32_t()), 0x01FF);
  EXPECT_EQ(at(16, int64_t()), -1);
  EXPECT_EQ(at(24, uint32_t()), 0xAA5500FEu);
  EXPECT_EQ(at(32, uint64_t()), 0xFE0055AA01FF7F80u);
  EXPECT_EQ(at(40, uint64_t()), 0x7F8001FF55AAFE00u);
}

TEST_F(MemoryTest, readsParameters) {
  // Parameters of all sizes have their natural places.
  CUmodule m = load(R"(
.visible .entry k(.param .u8 a, .param .f64 b, .param .b16 c,
                  .param .align 8 .b8 s[12], .param .u64 to) {
  .reg .b64 p; .reg .b32 r, x; .reg .f64 d; .reg .b16 h;
  ld.param.u64 p, [to];
  ld.param.u8 r, [a];
  st.global.u32 [p], r;
  ld.param.f64 d, [b];
  st.global.f64 [p+8], d;
  ld.param.b16 h, [c];
  st.global.b16 [p+4], h;
  ld.param.v2.b32 {r, x}, [s];
  st.global.b32 [p+16], x;
  ld.param.b32 r, [s+8];
  st.global.b32 [p+20], r;
  ret;
})");
  ASSERT_TRUE(m) << log;
  CUfunction f;
  ASSERT_EQ(cu.moduleGetFunction(&f, m, "k"), 0);
  uint8_t a = 200;
  double b = 2.5;
  uint16_t c = 0x1234;
  uint32_t s[3] = {1, 2, 3};
  CUdeviceptr to = allocate(24);
  void *params[] = {&a, &b, &c, s, &to};
  ASSERT_EQ(cu.launchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, params, nullptr),
            0);
  auto r = download<uint32_t>(to, 6);
  EXPECT_EQ(r[0], 200u);
  EXPECT_EQ(r[1] & 0xFFFF, 0x1234u);
  EXPECT_EQ(r[4], 2u);
  EXPECT_EQ(r[5], 3u);
  EXPECT_EQ(download<double>(to + 8, 1)[0], 2.5);
  // The same arguments as one buffer.
  struct {
    uint8_t a = 201;
    double b = 4.5;
    uint16_t c = 7;
    alignas(8) uint32_t s[3] = {4, 5, 6};
    CUdeviceptr to;
  } all;
  all.to = to;
  size_t size = sizeof(all);
  void *extra[] = {reinterpret_cast<void *>(1), &all,
                   reinterpret_cast<void *>(2), &size, nullptr};
  ASSERT_EQ(cu.launchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra),
            0);
  EXPECT_EQ(download<uint32_t>(to, 6)[5], 6u);
}

TEST_F(MemoryTest, initialisesVariables) {
  CUdeviceptr to = allocate(64);
  const char *text = R"(
.const .align 4 .b8 table[8] = {1, 0, 0, 0, 254, 255, 255, 255};
.global .align 8 .u64 pointer = generic(words);
.global .align 4 .u32 words[4] = {10, 20, 30};
.global .f32 number = 0f40200000;
.visible .global .align 4 .u32 counter;
.visible .entry k(.param .u64 to) {
  .reg .b64 p, q; .reg .b32 r;
  ld.param.u64 p, [to];
  ld.const.u32 r, [table+4];
  st.global.u32 [p], r;
  ld.global.u64 q, [pointer];
  ld.u32 r, [q+4];
  st.global.u32 [p+4], r;
  ld.global.u32 r, [words+12];
  st.global.u32 [p+8], r;
  ld.global.u32 r, [number];
  st.global.u32 [p+12], r;
  ld.global.u32 r, [counter];
  add.u32 r, r, 1;
  st.global.u32 [counter], r;
  mov.u64 q, table;
  cvta.const.u64 q, q;
  ld.u32 r, [q];
  st.global.u32 [p+16], r;
  ret;
})";
  ASSERT_EQ(launch(text, 1, {to}), 0) << cu.report();
  EXPECT_EQ(download<uint32_t>(to, 5),
            (std::vector<uint32_t>{0xFFFFFFFE, 20, 0, 0x40200000, 1}));
  CUmodule m = load(text);
  CUdeviceptr counter;
  size_t bytes;
  ASSERT_EQ(cu.getGlobal(&counter, &bytes, m, "counter"), 0);
  EXPECT_EQ(bytes, 4u);
  EXPECT_EQ(download<uint32_t>(counter, 1)[0], 0u);
}

TEST_F(MemoryTest, tellsSpacesApart) {
  CUdeviceptr to = allocate(32);
  ASSERT_EQ(launch(R"(
.visible .entry k(.param .u64 to) {
  .reg .b64 p, g, s, l; .reg .b32 r<4>; .reg .pred q;
  .shared .align 4 .b32 word; .local .align 4 .b32 mine;
  ld.param.u64 p, [to];
  mov.u64 s, word;
  cvta.shared.u64 s, s;
  mov.u64 l, mine;
  cvta.local.u64 l, l;
  st.u32 [s], 5;
  st.u32 [l], 6;
  ld.shared.u32 r0, [word];
  ld.local.u32 r1, [mine];
  st.u32 [p], r0;
  st.u32 [p+4], r1;
  isspacep.shared q, s;
  selp.u32 r2, 1, 0, q;
  isspacep.global q, s;
  selp.u32 r3, 2, 0, q;
  or.b32 r2, r2, r3;
  isspacep.global q, p;
  selp.u32 r3, 4, 0, q;
  or.b32 r2, r2, r3;
  st.global.u32 [p+8], r2;
  cvta.to.shared.u64 s, s;
  ld.shared.u32 r0, [s];
  st.global.u32 [p+12], r0;
  ret;
})",
                   1, {to}),
            0)
      << cu.report();
  EXPECT_EQ(download<uint32_t>(to, 4), (std::vector<uint32_t>{5, 6, 5, 5}));
}

TEST_F(MemoryTest, hasDynamicSharedMemory) {
  CUdeviceptr to = allocate(256);
  Shape shape(64);
  shape.shared = 256;
  ASSERT_EQ(launch(R"(
.extern .shared .align 16 .b8 dynamic[];
.visible .entry k(.param .u64 to) {
  .reg .b64 p, o; .reg .b32 t, s, r;
  mov.u32 t, %tid.x;
  mov.u32 s, dynamic;
  mad.lo.u32 s, t, 4, s;
  st.shared.u32 [s], t;
  bar.sync 0;
  mov.u32 s, dynamic;
  sub.u32 r, 63, t;
  mad.lo.u32 s, r, 4, s;
  ld.shared.u32 r, [s];
  ld.param.u64 p, [to];
  mul.wide.u32 o, t, 4;
  add.s64 p, p, o;
  st.global.u32 [p], r;
  ret;
})",
                   shape, {to}),
            0)
      << cu.report();
  auto want = iota(64);
  std::reverse(want.begin(), want.end());
  EXPECT_EQ(download<uint32_t>(to, 64), want);
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

class AtomicTest : public SimTest {
protected:
  /// Applies `statement` in 4 blocks of 64 threads to one word at address p,
  /// with the number of the thread in i and its float in f.
  template <class T>
  T apply(const std::string &statement, T start) {
    CUdeviceptr word = upload(std::vector<T>{start});
    EXPECT_EQ(launch(R"(
.visible .entry k(.param .u64 word) {
  .reg .b64 p, l; .reg .b32 i, n, c, old; .reg .f32 f, fold; .reg .f64 g;
  .reg .b16 h;
  ld.param.u64 p, [word];
  mov.u32 i, %tid.x; mov.u32 n, %ntid.x; mov.u32 c, %ctaid.x;
  mad.lo.u32 i, c, n, i;
  cvt.rn.f32.u32 f, i;
  cvt.u64.u32 l, i;
  cvt.f64.f32 g, f;
  )" + statement + "\nret;\n}",
                     Shape(64, 4), {word}),
              0)
        << cu.report();
    return download<T>(word, 1)[0];
  }
};

TEST_F(AtomicTest, combinesValues) {
  EXPECT_EQ(apply<uint32_t>("atom.global.add.u32 old, [p], i;", 7),
            7u + 255 * 128);
  EXPECT_EQ(apply<uint32_t>("red.global.add.u32 [p], i;", 7), 7u + 255 * 128);
  EXPECT_EQ(apply<uint32_t>("red.global.max.u32 [p], i;", 7), 255u);
  EXPECT_EQ(apply<int32_t>("neg.s32 i, i; red.global.min.s32 [p], i;", 7),
            -255);
  EXPECT_EQ(apply<uint32_t>("red.global.and.b32 [p], 0xF0;", 0x3C), 0x30u);
  EXPECT_EQ(apply<uint32_t>("red.global.or.b32 [p], i;", 0), 255u);
  EXPECT_EQ(apply<uint32_t>("red.global.xor.b32 [p], 1;", 5), 5u);
  EXPECT_EQ(apply<uint32_t>("atom.global.inc.u32 old, [p], 9;", 0), 6u);
  EXPECT_EQ(apply<uint64_t>("red.global.add.u64 [p], l;", 1ull << 40),
            (1ull << 40) + 255 * 128);
  EXPECT_EQ(apply<float>("red.global.add.f32 [p], f;", 0.5f), 0.5f + 255 * 128);
  EXPECT_EQ(apply<double>("atom.global.add.f64 g, [p], g;", 0.5),
            0.5 + 255 * 128);
  EXPECT_EQ(apply<uint32_t>("atom.relaxed.gpu.global.add.u32 old, [p], 1;", 0),
            256u);
}

TEST_F(AtomicTest, swapsAndCompares) {
  // Only the thread that finds 0 stores its number plus one.
  uint32_t r = apply<uint32_t>(
      "add.u32 i, i, 1; atom.global.cas.b32 old, [p], 0, i;", 0);
  EXPECT_TRUE(r >= 1 && r <= 256) << r;
  EXPECT_LT(apply<uint32_t>("atom.global.exch.b32 old, [p], i;", 999), 256u);
  // A sum by compare and swap, as f16 sums are made.
  EXPECT_EQ(apply<uint32_t>(R"(
  .reg .b32 new; .reg .pred q;
  ld.relaxed.gpu.global.u32 old, [p];
$again:
  add.u32 new, old, 3;
  atom.global.cas.b32 c, [p], old, new;
  setp.ne.u32 q, c, old;
  mov.u32 old, c;
  @q bra $again;)",
                            0),
            768u);
  EXPECT_EQ(apply<uint16_t>("mov.b16 h, 0x3C00; "
                            "atom.global.add.noftz.f16 h, [p], h;",
                            0),
            0x5C00); // 256
}

TEST_F(AtomicTest, combinesSharedMemory) {
  EXPECT_EQ(apply<uint32_t>(R"(
  .shared .align 4 .u32 sum; .reg .pred q; .reg .b32 t;
  mov.u32 t, %tid.x;
  setp.ne.u32 q, t, 0;
  @!q st.shared.u32 [sum], 0;
  bar.sync 0;
  red.shared.add.u32 [sum], 1;
  bar.sync 0;
  @q ret;
  ld.shared.u32 old, [sum];
  red.global.add.u32 [p], old;)",
                            0),
            256u);
}

} // namespace
