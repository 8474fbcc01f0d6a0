//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every check of the simulator fires on a small bad kernel, and on no good one
// beside it.
//
//===----------------------------------------------------------------------===//

#include "SimTest.h"

using namespace coil::cudasim::test;

namespace {

class CheckTest : public SimTest {
protected:
  /// A kernel with the address of a buffer in p, the number of the thread in t
  /// and the address of its word in a.
  static std::string kernel(const std::string &statements) {
    return R"(
.visible .entry k(.param .u64 buffer) {
  .reg .b64 p, a, o; .reg .b32 t, s, r<8>; .reg .pred q; .reg .b16 h;
  .shared .align 16 .b8 tile[512];
  ld.param.u64 p, [buffer];
  mov.u32 t, %tid.x;
  mul.wide.u32 o, t, 4;
  add.s64 a, p, o;
  mov.u32 s, tile;
  mad.lo.u32 s, t, 4, s;
)" + statements +
           "\nret;\n}";
  }
  void bad(const std::string &statements, unsigned threads, CUresult result,
           const std::string &text, unsigned blocks = 1) {
    CUdeviceptr p = allocate(128);
    EXPECT_EQ(cu.memsetD8Async(p, 0, 128, nullptr), 0);
    expectFault(kernel(statements), Shape(threads, blocks), {p}, result, text);
    cu.ctxReset(0);
  }
  void good(const std::string &statements, unsigned threads,
            unsigned blocks = 1) {
    CUdeviceptr p = allocate(128);
    EXPECT_EQ(cu.memsetD8Async(p, 0, 128, nullptr), 0);
    EXPECT_EQ(launch(kernel(statements), Shape(threads, blocks), {p}), 0)
        << cu.report();
  }
};

TEST_F(CheckTest, findsAccessesOutOfBounds) {
  bad("st.global.u32 [a], t;", 33, CUDA_ERROR_ILLEGAL_ADDRESS,
      "4-byte store to global memory outside every allocation");
  EXPECT_THAT(cu.report(),
              ::testing::HasSubstr("offset 128 of the allocation"));
  EXPECT_THAT(cu.report(), ::testing::HasSubstr("thread (32, 0, 0)"));
  bad("ld.global.u32 r0, [p+-4];", 1, CUDA_ERROR_ILLEGAL_ADDRESS,
      "4-byte load from global memory outside every allocation");
  bad("ld.global.u32 r0, [0];", 1, CUDA_ERROR_ILLEGAL_ADDRESS, "address 0x0");
  bad("ld.shared.u32 r0, [tile+512];", 1, CUDA_ERROR_ILLEGAL_ADDRESS,
      "out of bounds: offset 512 of 512 bytes");
  bad(".local .b32 x; .reg .b64 l; mov.u64 l, x; ld.local.u32 r0, [l+64];", 1,
      CUDA_ERROR_ILLEGAL_ADDRESS, "local memory out of bounds");
  EXPECT_FALSE(load(kernel("ld.param.u32 r0, [buffer+8];")));
  EXPECT_THAT(log, ::testing::HasSubstr("outside the parameters"));
  // The end of a vector counts.
  bad("ld.global.v4.u32 {r0, r1, r2, r3}, [p+128];", 1,
      CUDA_ERROR_ILLEGAL_ADDRESS, "16-byte load");
  bad("atom.global.add.u32 r0, [p+128], 1;", 1, CUDA_ERROR_ILLEGAL_ADDRESS,
      "atomic access");
  good("st.global.u32 [a], t;", 32);
}

TEST_F(CheckTest, findsUseAfterFree) {
  CUdeviceptr p = allocate(128);
  ASSERT_EQ(cu.memsetD8Async(p, 0, 128, nullptr), 0);
  ASSERT_EQ(cu.memFree(p), 0);
  expectFault(kernel("ld.global.u32 r0, [p];"), 1, {p},
              CUDA_ERROR_ILLEGAL_ADDRESS, "freed allocation");
}

TEST_F(CheckTest, findsMisalignedAccesses) {
  bad("ld.global.u32 r0, [p+2];", 1, CUDA_ERROR_MISALIGNED_ADDRESS,
      "misaligned 4-byte load from global memory");
  bad("ld.global.v4.u32 {r0, r1, r2, r3}, [p+8];", 1,
      CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned 16-byte load");
  bad("st.shared.v2.u32 [tile+4], {t, t};", 1, CUDA_ERROR_MISALIGNED_ADDRESS,
      "misaligned 8-byte store to shared memory");
  good("ld.global.v2.u32 {r0, r1}, [p+8];", 1);
}

TEST_F(CheckTest, findsUninitialisedReads) {
  bad("ld.shared.u32 r0, [s];", 1, CUDA_ERROR_LAUNCH_FAILED,
      "read of shared memory that nobody wrote: offset 0");
  good("st.shared.u32 [s], t; ld.shared.u32 r0, [s];", 1);
  CUdeviceptr p = allocate(128);
  ASSERT_EQ(cu.memsetD8Async(p, 0, 20, nullptr), 0);
  // A part of an aligned vector may be missing.
  EXPECT_EQ(
      launch(kernel("ld.global.v4.u32 {r0, r1, r2, r3}, [p+16];"), 1, {p}), 0);
  expectFault(kernel("ld.global.u32 r0, [p+20];"), 1, {p},
              CUDA_ERROR_LAUNCH_FAILED,
              "read of global memory that nobody wrote");
}

TEST_F(CheckTest, forgetsSharedMemoryOfOtherBlocks) {
  // The second block must not see what the first one wrote.
  bad("mov.u32 r1, %ctaid.x; setp.eq.u32 q, r1, 0;"
      "@q st.shared.u32 [s], t; ld.shared.u32 r0, [s];",
      1, CUDA_ERROR_LAUNCH_FAILED, "shared memory that nobody wrote", 2);
}

TEST_F(CheckTest, findsRacesInSharedMemory) {
  std::string exchange = "st.shared.u32 [s], t; %s xor.b32 r0, t, 32;"
                         "mov.u32 r1, tile; mad.lo.u32 r1, r0, 4, r1;"
                         "ld.shared.u32 r0, [r1];";
  auto with = [&](const std::string &between) {
    std::string text = exchange;
    return text.replace(text.find("%s"), 2, between);
  };
  // All store first, so that the other's word is written when it is read.
  bad("st.shared.u32 [s], t; bar.sync 0; add.u32 r2, t, 1;" + with(""), 64,
      CUDA_ERROR_LAUNCH_FAILED, "race:");
  good(with("bar.sync 0;"), 64);
  // Within a warp, a warp-wide barrier is enough.
  bad("st.shared.u32 [tile], t;", 32, CUDA_ERROR_LAUNCH_FAILED,
      "race: a store");
  // The same value from everybody is no race.
  good("st.shared.u32 [tile], 7;", 64);
  bad("st.shared.u32 [s], t; bar.sync 0; ld.shared.u32 r0, [tile];"
      "st.shared.u32 [s], 1;",
      64, CUDA_ERROR_LAUNCH_FAILED, "race: a store of offset 0");
  good("st.shared.u32 [s], t; bar.warp.sync -1; xor.b32 r0, t, 1;"
       "mov.u32 r1, tile; mad.lo.u32 r1, r0, 4, r1; ld.shared.u32 r0, [r1];",
       32);
  bad("st.shared.u32 [s], t; xor.b32 r0, t, 1;"
      "mov.u32 r1, tile; mad.lo.u32 r1, r0, 4, r1; ld.shared.u32 r0, [r1];",
      32, CUDA_ERROR_LAUNCH_FAILED, "race: a load");
}

TEST_F(CheckTest, readsNothingIntoUnreadRegisters) {
  // Compilers widen loads inside aligned vectors.
  std::string text = "setp.eq.u32 q, t, 1; @q st.global.u32 [a], t;"
                     "setp.eq.u32 q, t, 0; mov.u32 r0, 0; mov.u32 r1, 0;"
                     "@q ld.global.v2.u32 {r0, r1}, [p]; ";
  good(text + "st.shared.u32 [s], r0;", 2);
  bad(text + "st.shared.u32 [s], r1;", 2, CUDA_ERROR_LAUNCH_FAILED,
      "race: a load");
}

TEST_F(CheckTest, readsNothingIntoUnreadHalves) {
  // Two halves of a word, of which another thread writes one.
  std::string text =
      ".reg .b16 h<9>; setp.eq.u32 q, t, 1; @q st.global.b16 [p+2], 5;"
      "setp.eq.u32 q, t, 0; mov.u32 r0, 0;";
  std::string load = "@q ld.global.b32 r0, [p];";
  good(text + load + "mov.b32 {h0, _}, r0; st.shared.b16 [s], h0;", 2);
  good(text + load + "mov.b32 {h0, h1}, r0; st.shared.b16 [s], h0;", 2);
  good(text + load + "cvt.u16.u32 h0, r0; st.shared.b16 [s], h0;", 2);
  good(text + load + "st.shared.b16 [s], r0;", 2);
  bad(text + load + "mov.b32 {_, h0}, r0; st.shared.b16 [s], h0;", 2,
      CUDA_ERROR_LAUNCH_FAILED, "race: a load");
  bad(text + load + "mov.b32 {h0, h1}, r0; st.shared.b16 [s], h1;", 2,
      CUDA_ERROR_LAUNCH_FAILED, "race: a load");
  bad(text + load +
          "shr.u32 r0, r0, 1; cvt.u16.u32 h0, r0;"
          "st.shared.b16 [s], h0;",
      2, CUDA_ERROR_LAUNCH_FAILED, "race: a load");
  // What is not read is not the first of a list with a name for nothing.
  std::string pair = "@q ld.global.v2.b16 ";
  good(text + pair + "{h0, _}, [p]; st.shared.b16 [s], h0;", 2);
  bad(text + pair + "{_, h0}, [p]; st.shared.b16 [s], h0;", 2,
      CUDA_ERROR_LAUNCH_FAILED, "race: a load");
}

TEST_F(CheckTest, findsRacesInGlobalMemory) {
  bad("st.global.u32 [p], t;", 32, CUDA_ERROR_LAUNCH_FAILED, "race: a store");
  bad("mov.u32 r0, %ctaid.x; st.global.u32 [p], r0;", 1,
      CUDA_ERROR_LAUNCH_FAILED, "race: a store", 2);
  bad("st.global.u32 [a], t; bar.sync 0; mov.u32 r0, %ctaid.x;"
      "add.u32 r0, r0, t; ld.global.u32 r1, [p];",
      2, CUDA_ERROR_LAUNCH_FAILED, "race:", 2);
  good("red.global.add.u32 [p], t;", 32, 4);
  bad("red.global.add.u32 [p], t; ld.global.u32 r0, [p];", 32,
      CUDA_ERROR_LAUNCH_FAILED, "race:");
}

TEST_F(CheckTest, findsWritesUnderNonCoherentLoads) {
  bad("st.global.u32 [a], t; ld.global.nc.u32 r0, [a];", 1,
      CUDA_ERROR_LAUNCH_FAILED, "a non-coherent load");
  bad("ld.global.nc.u32 r0, [a]; st.global.u32 [a], t;", 1,
      CUDA_ERROR_LAUNCH_FAILED, "race: a store");
}

TEST_F(CheckTest, findsDivergentBarriers) {
  // Part of a warp, and part of a block.
  bad("setp.lt.u32 q, t, 16; @q bar.sync 0;", 32, CUDA_ERROR_LAUNCH_FAILED,
      "divergent barrier: lane 16");
  bad("setp.lt.u32 q, t, 32; @q bar.sync 0;", 64, CUDA_ERROR_LAUNCH_FAILED,
      "divergent barrier: 32 of 64 threads reach it");
  bad("setp.ge.u32 q, t, 32; @q ret; bar.sync 0;", 64, CUDA_ERROR_LAUNCH_FAILED,
      "divergent barrier");
  bad("setp.lt.u32 q, t, 32; @q bra there; bar.sync 0; ret;"
      "there: bar.sync 1;",
      64, CUDA_ERROR_LAUNCH_FAILED, "divergent barrier");
}

TEST_F(CheckTest, findsAbsentLanes) {
  bad("setp.lt.u32 q, t, 16; @q bra there;"
      "shfl.sync.bfly.b32 r0, t, 1, 31, -1; there: bar.sync 0;",
      32, CUDA_ERROR_LAUNCH_FAILED,
      "lacks lanes of its member mask: lane 0 is at PTX line");
  // The last warp of 48 threads has 16, and nobody waits for the others, but
  // their values are not to be had.
  bad("shfl.sync.bfly.b32 r0, t, 16, 31, -1;", 48, CUDA_ERROR_LAUNCH_FAILED,
      "a shuffle reads lane 16");
  good("shfl.sync.bfly.b32 r0, t, 8, 31, -1;", 48);
  good("setp.lt.u32 q, t, 16; @!q ret; shfl.sync.bfly.b32 r0, t, 8, 31, -1;",
       32);
  good("setp.lt.u32 q, t, 16; @q bra there; add.u32 t, t, 1; ret; there:"
       "shfl.sync.bfly.b32 r0, t, 8, 31, -1;",
       32);
  bad("shfl.sync.bfly.b32 r0, t, 1, 31, 1;", 32, CUDA_ERROR_LAUNCH_FAILED,
      "not in its own member mask");
  // The source must take part.
  bad("setp.lt.u32 q, t, 16; @q shfl.sync.idx.b32 r0, t, 20, 31, 0xFFFF;", 32,
      CUDA_ERROR_LAUNCH_FAILED, "a shuffle reads lane 20");
  bad("setp.lt.u32 q, t, 16; @q vote.sync.ballot.b32 r0, q, -1; bar.sync 0;",
      32, CUDA_ERROR_LAUNCH_FAILED, "lacks lanes");
}

TEST_F(CheckTest, stopsEndlessLoops) {
  bad("again: add.u32 t, t, 1; bra again;", 32, CUDA_ERROR_LAUNCH_TIMEOUT,
      "a block executed more than 4000000 instructions");
}

TEST_F(CheckTest, stopsAtTraps) {
  bad("setp.eq.u32 q, t, 5; @q trap;", 32, CUDA_ERROR_LAUNCH_FAILED, "trap");
  EXPECT_THAT(cu.report(), ::testing::HasSubstr("thread (5, 0, 0)"));
}

TEST_F(CheckTest, refusesToWriteConstants) {
  expectFault(".const .u32 c = 5;\n" +
                  kernel("mov.u64 a, c; cvta.const.u64 a, a; st.u32 [a], t;"),
              1, {allocate(4)}, CUDA_ERROR_ILLEGAL_ADDRESS,
              "writes the constant 'c'");
}

TEST_F(CheckTest, namesThePlaceInTheSource) {
  expectFault(".visible .entry k() {\n.reg .b32 r;\n.loc 1 42 7\n"
              "ld.global.u32 r, [4096];\nret;\n}\n.file 1 \"model.py\"\n",
              1, {}, CUDA_ERROR_ILLEGAL_ADDRESS, "from model.py:42:7");
  EXPECT_THAT(cu.report(), ::testing::HasSubstr(
                               "in kernel 'k', block (0, 0, 0) of (1, 1, 1), "
                               "thread (0, 0, 0) of (1, 1, 1)"));
  // The context stays unusable.
  CUdeviceptr p;
  EXPECT_EQ(cu.memAlloc(&p, 4), CUDA_ERROR_ILLEGAL_ADDRESS);
}

} // namespace
