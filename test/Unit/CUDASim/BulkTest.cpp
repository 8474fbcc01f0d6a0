//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mbarriers and bulk copies, and the checks of both.
//
//===----------------------------------------------------------------------===//

#include "SimTest.h"

#include <numeric>

using namespace coil::cudasim::test;

namespace {

/// The steps of a kernel that copies a tile, adds one to it, and copies it
/// back. Tests replace some of them by mistakes.
struct Steps {
  std::string init = "@first mbarrier.init.shared::cta.b64 [bar], 1;\n"
                     "@first fence.mbarrier_init.release.cluster;\n"
                     "bar.sync 0;";
  std::string expect =
      "@first mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 state, "
      "[bar], 256;";
  std::string load = "@first cp.async.bulk.shared::cluster.global.mbarrier::"
                     "complete_tx::bytes [tile], [from], 256, [bar];";
  std::string wait = "wait:\nmbarrier.try_wait.parity.shared::cta.b64 done, "
                     "[bar], 0;\n@!done bra wait;";
  std::string compute = "ld.shared.u32 r, [s];\nadd.u32 r, r, 1;\n"
                        "st.shared.u32 [s], r;";
  std::string fence = "fence.proxy.async.shared::cta;\nbar.sync 0;";
  std::string store = "@first cp.async.bulk.global.shared::cta.bulk_group "
                      "[to], [tile], 256;\n"
                      "@first cp.async.bulk.commit_group;";
  std::string end = "@first cp.async.bulk.wait_group 0;";

  std::string text() const {
    return R"(
.visible .entry k(.param .u64 pfrom, .param .u64 pto) {
  .reg .b64 from, to, state, a; .reg .b32 t, s, r, n; .reg .pred first, done;
  .shared .align 128 .b8 tile[512];
  .shared .align 8 .b8 bar[16];
  ld.param.u64 from, [pfrom];
  ld.param.u64 to, [pto];
  mov.u32 t, %tid.x;
  setp.eq.u32 first, t, 0;
  mov.u32 s, tile;
  mad.lo.u32 s, t, 4, s;
)" + init + "\n" +
           expect + "\n" + load + "\n" + wait + "\n" + compute + "\n" + fence +
           "\n" + store + "\n" + end + "\nret;\n}";
  }
};

class BulkTest : public SimTest {
protected:
  std::vector<uint32_t> values = [] {
    std::vector<uint32_t> v(128);
    std::iota(v.begin(), v.end(), 1000);
    return v;
  }();
  void good(const Steps &steps) {
    CUdeviceptr to = allocate(256);
    ASSERT_EQ(launch(steps.text(), 64, {upload(values), to}), 0) << cu.report();
    auto result = download<uint32_t>(to, 64);
    for (uint32_t i = 0; i < 64; ++i)
      ASSERT_EQ(result[i], 1001 + i);
  }
  void bad(const Steps &steps, const std::string &text,
           CUresult result = CUDA_ERROR_LAUNCH_FAILED) {
    CUdeviceptr to = allocate(512);
    expectFault(steps.text(), 64, {upload(values), to}, result, text);
    cu.ctxReset(0);
  }
};

TEST_F(BulkTest, copiesToSharedMemoryAndBack) {
  good(Steps());
  Steps s;
  s.wait = "wait:\nmbarrier.test_wait.parity.acquire.cta.shared::cta.b64 done, "
           "[bar], 0;\n@!done bra wait;";
  good(s);
  // The state of an arrival says which phase to wait for.
  s.init = "@first mbarrier.init.shared::cta.b64 [bar], 64;\n"
           "@first fence.proxy.async;\nbar.sync 0;";
  s.expect =
      "@first mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 256;\n"
      "mbarrier.arrive.shared::cta.b64 state, [bar];";
  s.wait = "wait:\nmbarrier.try_wait.shared::cta.b64 done, [bar], state, 20;\n"
           "@!done bra wait;";
  good(s);
  // Bytes may come before they are expected, within a phase.
  Steps late;
  std::swap(late.expect, late.load);
  good(late);
  // Two copies of one phase, and two groups.
  Steps two;
  two.load = "@first cp.async.bulk.shared::cta.global.mbarrier::complete_tx::"
             "bytes [tile], [from], 128, [bar];\n"
             "@first cp.async.bulk.shared::cta.global.mbarrier::complete_tx::"
             "bytes [tile+128], [from+128], 128, [bar];";
  two.store =
      "@first cp.async.bulk.global.shared::cta.bulk_group [to], [tile], "
      "128;\n@first cp.async.bulk.commit_group;\n"
      "@first cp.async.bulk.global.shared::cta.bulk_group [to+128], "
      "[tile+128], 128;\n@first cp.async.bulk.commit_group;\n"
      "@first cp.async.bulk.wait_group.read 1;";
  two.end = "@first cp.async.bulk.wait_group.read 0;";
  good(two);
}

TEST_F(BulkTest, waitsInOneWarp) {
  // The lane that issues the copy comes behind those that wait for it.
  Steps s;
  s.expect = "@first bra issue;";
  s.load = "";
  s.wait = R"(wait:
mbarrier.try_wait.parity.shared::cta.b64 done, [bar], 0;
@!done bra wait;
bra go;
issue:
mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 256;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [from], 256, [bar];
bra wait;
go:)";
  good(s);
}

TEST_F(BulkTest, waitsForSeveralMBarriersAtOnce) {
  // Each half of the threads waits for a barrier of its own.
  Steps s;
  s.init = "@first mbarrier.init.shared::cta.b64 [bar], 1;\n"
           "@first mbarrier.init.shared::cta.b64 [bar+8], 1;\n"
           "@first fence.mbarrier_init.release.cluster;\nbar.sync 0;";
  s.expect = "@first mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 128;\n"
             "@first mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar+8], "
             "128;";
  s.load = "@first cp.async.bulk.shared::cta.global.mbarrier::complete_tx::"
           "bytes [tile], [from], 128, [bar];\n"
           "@first cp.async.bulk.shared::cta.global.mbarrier::complete_tx::"
           "bytes [tile+128], [from+128], 128, [bar+8];";
  s.wait = "and.b32 n, t, 1;\nmov.u32 r, bar;\nmad.lo.u32 r, n, 8, r;\n"
           "xor.b32 n, n, 1;\nwait:\n"
           "mbarrier.try_wait.parity.shared::cta.b64 done, [r], 0;\n"
           "@!done bra wait;\nmov.u32 r, bar;\nmad.lo.u32 r, n, 8, r;\n"
           "other:\nmbarrier.try_wait.parity.shared::cta.b64 done, [r], 0;\n"
           "@!done bra other;";
  good(s);
}

TEST_F(BulkTest, goesThroughPhases) {
  // Two tiles of shared memory, four times; consumers give tiles back.
  CUdeviceptr from = upload(values), to = allocate(512);
  ASSERT_EQ(launch(R"(
.visible .entry k(.param .u64 pfrom, .param .u64 pto) {
  .reg .b64 from, to, a; .reg .b32 t, i, r, s, f, e, p, o; .reg .pred first, done, more;
  .shared .align 128 .b8 tile[256];
  .shared .align 8 .b8 bars[32];
  ld.param.u64 from, [pfrom];
  ld.param.u64 to, [pto];
  mov.u32 t, %tid.x;
  setp.eq.u32 first, t, 32;
  @!first bra synced;
  mbarrier.init.shared.b64 [bars], 1;
  mbarrier.init.shared.b64 [bars+8], 1;
  mbarrier.init.shared.b64 [bars+16], 32;
  mbarrier.init.shared.b64 [bars+24], 32;
  fence.proxy.async;
synced:
  bar.sync 0;
  mov.u32 i, 0;
  setp.lt.u32 more, t, 32;
  @more bra consume;
  @!first bra end;
produce:
  and.b32 o, i, 1;
  shr.u32 p, i, 1;
  and.b32 p, p, 1;
  xor.b32 p, p, 1;
  mov.u32 f, bars;
  mad.lo.u32 f, o, 8, f;
free:
  mbarrier.try_wait.parity.shared.b64 done, [f+16], p;
  @!done bra free;
  mbarrier.arrive.expect_tx.shared.b64 _, [f], 128;
  mov.u32 s, tile;
  mad.lo.u32 s, o, 128, s;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [from], 128, [f];
  add.s64 from, from, 128;
  add.u32 i, i, 1;
  setp.lt.u32 more, i, 4;
  @more bra produce;
  bra end;
consume:
  and.b32 o, i, 1;
  shr.u32 p, i, 1;
  and.b32 p, p, 1;
  mov.u32 f, bars;
  mad.lo.u32 f, o, 8, f;
full:
  mbarrier.try_wait.parity.shared.b64 done, [f], p;
  @!done bra full;
  mov.u32 s, tile;
  mad.lo.u32 s, o, 128, s;
  mad.lo.u32 s, t, 4, s;
  ld.shared.u32 r, [s];
  mbarrier.arrive.shared.b64 a, [f+16];
  mad.lo.u32 e, i, 32, t;
  mul.wide.u32 a, e, 4;
  add.s64 a, a, to;
  st.global.u32 [a], r;
  add.u32 i, i, 1;
  setp.lt.u32 more, i, 4;
  @more bra consume;
end:
  ret;
})",
                   64, {from, to}),
            0)
      << cu.report();
  EXPECT_EQ(download<uint32_t>(to, 128), values);
}

TEST_F(BulkTest, multicastsInClusters) {
  CUdeviceptr from = upload(values), to = allocate(512);
  ASSERT_EQ(launch(R"(
.visible .entry k(.param .u64 pfrom, .param .u64 pto)
.reqnctapercluster 2, 1, 1 {
  .reg .b64 from, to, a; .reg .b32 t, r, s, c; .reg .pred first, done, both;
  .reg .b16 m;
  .shared .align 128 .b8 tile[128];
  .shared .align 8 .b8 bar[8];
  ld.param.u64 from, [pfrom];
  ld.param.u64 to, [pto];
  mov.u32 t, %tid.x;
  mov.u32 c, %cluster_ctarank;
  setp.eq.u32 first, t, 0;
  @first mbarrier.init.shared.b64 [bar], 1;
  @first mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;
  @first fence.mbarrier_init.release.cluster;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  add.u32 s, t, c;
  setp.eq.u32 both, s, 0;
  mov.u16 m, 3;
  @both cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [tile], [from], 128, [bar], m;
wait:
  mbarrier.try_wait.parity.shared.b64 done, [bar], 0;
  @!done bra wait;
  mov.u32 s, tile;
  mad.lo.u32 s, t, 4, s;
  ld.shared.u32 r, [s];
  mad.lo.u32 c, c, 32, t;
  mul.wide.u32 a, c, 4;
  add.s64 to, to, a;
  st.global.u32 [to], r;
  ret;
})",
                   Shape(32, 2), {from, to}),
            0)
      << cu.report();
  auto result = download<uint32_t>(to, 64);
  for (uint32_t i = 0; i < 64; ++i)
    ASSERT_EQ(result[i], 1000 + i % 32);
}

TEST_F(BulkTest, findsMistakesWithMBarriers) {
  Steps s;
  s.init = "@first st.shared.u64 [bar], 1;\nbar.sync 0;";
  bad(s, "the mbarrier at offset 512 of shared memory was not initialised");
  s = Steps();
  s.init = "mbarrier.init.shared.b64 [bar], 1;\nbar.sync 0;";
  bad(s, "was initialised before, and not invalidated");
  s = Steps();
  s.init = "@first mbarrier.init.shared.b64 [bar], 0;\nbar.sync 0;";
  bad(s, "an mbarrier for 0 arrivals");
  s = Steps();
  s.init = "@first mbarrier.init.shared.b64 [bar], 1;\nbar.sync 0;";
  bad(s, "is not visible to copies");
  s = Steps();
  s.init = "@first mbarrier.init.shared.b64 [bar+4], 1;\nbar.sync 0;";
  bad(s, "misaligned 8-byte store to shared memory",
      CUDA_ERROR_MISALIGNED_ADDRESS);
  s = Steps();
  s.expect = "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 256;";
  bad(s, "more than 1 arrivals at the mbarrier");
  s = Steps();
  s.end += "\n@first mbarrier.inval.shared.b64 [bar];\n"
           "@first mbarrier.arrive.shared.b64 state, [bar];";
  bad(s, "was not initialised");
  s = Steps();
  s.wait = "@first mbarrier.inval.shared.b64 [bar];";
  bad(s, "is invalidated while a bulk copy is under way");
  // Threads that did not see the initialisation.
  s = Steps();
  s.init = "@first mbarrier.init.shared.b64 [bar], 1;\n"
           "@first fence.mbarrier_init.release.cluster;";
  bad(s, "race: a load of offset 512 of shared memory");
}

TEST_F(BulkTest, findsWaitsInVain) {
  Steps s;
  s.expect = "@first mbarrier.arrive.expect_tx.shared.b64 _, [bar], 272;";
  bad(s,
      "every thread waits for another: the mbarrier at offset 512 of shared "
      "memory is in phase 0, lacks 0 of 1 arrivals and 16 bytes",
      CUDA_ERROR_LAUNCH_TIMEOUT);
  EXPECT_THAT(cu.report(), ::testing::HasSubstr("mbarrier.try_wait"));
  s = Steps();
  s.expect = "@first mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;";
  bad(s, "has 240 bytes more than it expects", CUDA_ERROR_LAUNCH_TIMEOUT);
  s = Steps();
  s.expect =
      "@first mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 256;";
  bad(s, "lacks 1 of 1 arrivals", CUDA_ERROR_LAUNCH_TIMEOUT);
}

TEST_F(BulkTest, findsCopiesThatNobodyWaitedFor) {
  Steps s;
  s.wait = "";
  bad(s, "an asynchronous copy of offset 0 of shared memory is under way");
  // One look at the barrier is no wait.
  s.wait = "mbarrier.try_wait.parity.shared.b64 done, [bar], 0;";
  bad(s, "an asynchronous copy of offset 0 of shared memory is under way");
  s = Steps();
  s.wait = s.compute = s.store = s.end = "";
  bad(s, "the block ends while a bulk copy to its shared memory is under way");
  s = Steps();
  s.end = "";
  bad(s, "the block ends while a bulk copy from its shared memory");
  s = Steps();
  s.store = "@first cp.async.bulk.global.shared::cta.bulk_group [to], [tile], "
            "256;";
  bad(s, "the block ends while a bulk copy from its shared memory");
  s = Steps();
  s.store += "\nbar.sync 0;\nst.shared.u32 [s], t;";
  bad(s, "its thread has not waited until it is read");
}

TEST_F(BulkTest, findsMissingFences) {
  Steps s;
  s.fence = "bar.sync 0;";
  bad(s, "which thread 0 wrote without fence.proxy.async in between");
  // A fence of one thread says nothing of what others write at the same time.
  s.fence = "@first fence.proxy.async;\nbar.sync 0;";
  bad(s, "which thread 32 wrote without fence.proxy.async in between");
  // Behind a barrier it does.
  s.fence = "bar.sync 0;\n@first fence.proxy.async;";
  good(s);
}

TEST_F(BulkTest, findsImpossibleCopies) {
  Steps s;
  s.load = "@first cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
           "bytes [tile+4], [from], 256, [bar];";
  bad(s, "misaligned address of a bulk copy", CUDA_ERROR_MISALIGNED_ADDRESS);
  s.load = "@first cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
           "bytes [tile], [from], 24, [bar];";
  bad(s, "a bulk copy of 24 bytes", CUDA_ERROR_MISALIGNED_ADDRESS);
  s.load = "@first cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
           "bytes [tile], [from+496], 256, [bar];";
  bad(s, "outside every allocation", CUDA_ERROR_ILLEGAL_ADDRESS);
  s.load = "@first cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
           "bytes [tile+384], [from], 256, [bar];";
  bad(s, "out of bounds", CUDA_ERROR_ILLEGAL_ADDRESS);
  s = Steps();
  s.store =
      "@first cp.async.bulk.global.shared::cta.bulk_group [to+8], [tile], "
      "256;";
  bad(s, "misaligned address of a bulk copy", CUDA_ERROR_MISALIGNED_ADDRESS);
  s = Steps();
  s.store = "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::"
            "bytes [tile], [tile], 16, [bar];";
  EXPECT_FALSE(load(s.text()));
  EXPECT_THAT(log, ::testing::HasSubstr("only bulk copies between global and "
                                        "shared memory are supported"));
}

} // namespace
