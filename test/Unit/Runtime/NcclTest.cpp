//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests of groups of NCCL, on a library that looks like it, and of side
// streams.
//
//===----------------------------------------------------------------------===//

#include "CUDATest.h"
#include "CallTest.h"

#include "coil/Runtime/Collectives.h"

namespace {

class NcclTest : public CUDATest {
protected:
  static void SetUpTestSuite() {
    CUDATest::SetUpTestSuite();
    setenv("COIL_NCCL_LIBRARY", COIL_FAKE_NCCL, 1);
  }

  int32_t call(const char *name, void *x, void *y, int64_t n,
               std::vector<coil_argument> more, int32_t dtype = COIL_F32) {
    static const int64_t one = 1;
    coil_tensor source = {x, &n, &one, 1, dtype, COIL_CUDA, 0};
    coil_tensor target = {y, &n, &one, 1, dtype, COIL_CUDA, 0};
    return callWith(run, COIL_CUDA, name, source, target, std::move(more));
  }
};

TEST_F(NcclTest, oneRankRuns) {
  char id[128];
  ASSERT_EQ(coil_nccl_get_unique_id(id), COIL_OK) << coil_last_error();
  coil_nccl_group *nccl = nullptr;
  ASSERT_EQ(coil_nccl_group_create("nccl", id, 0, 1, 0, 10000, &nccl), COIL_OK)
      << coil_last_error();
  ASSERT_EQ(coil_register_process_group(coil_nccl_group_get(nccl)), COIL_OK);
  std::vector<float> values = {1, 2, 3, 4}, back(4);
  void *x = alloc(16), *y = alloc(16), *z = alloc(16);
  ASSERT_EQ(coil_rt_upload_cuda(run, x, values.data(), 16), COIL_OK);
  const std::pair<const char *, std::vector<coil_argument>> calls[] = {
      {"coil::all_reduce", {text("nccl"), text("avg")}},
      {"coil::reduce_scatter", {text("nccl"), text("sum")}},
      {"coil::all_gather", {text("nccl")}},
      {"coil::all_to_all", {text("nccl"), {}, {}}},
      {"coil::broadcast", {text("nccl"), number(0)}}};
  for (const auto &[name, arguments] : calls) {
    ASSERT_EQ(coil_rt_fill_cuda(run, y, 0, 16), COIL_OK);
    ASSERT_EQ(call(name, x, y, 4, arguments), COIL_OK) << coil_last_error();
    // A kernel beside it.
    ASSERT_EQ(launchAddOne(x, z, 4), COIL_OK);
    EXPECT_EQ(coil_rt_free_cuda(run, y), COIL_ASSERTION_FAILED);
    ASSERT_EQ(call("coil::wait", x, y, 4, {}), COIL_OK) << coil_last_error();
    ASSERT_EQ(coil_rt_download_cuda(run, back.data(), y, 16), COIL_OK);
    ASSERT_EQ(coil_run_synchronize(run), COIL_OK);
    EXPECT_EQ(back, values) << name;
  }
  EXPECT_EQ(
      call("coil::all_reduce", x, y, 4, {text("nccl"), text("sum")}, COIL_I16),
      COIL_UNSUPPORTED);
  EXPECT_NE(std::string(coil_last_error()).find("elements of type i16"),
            std::string::npos)
      << coil_last_error();
  // What a run has started ends with it.
  ASSERT_EQ(call("coil::all_gather", x, y, 4, {text("nccl")}), COIL_OK);
  EXPECT_EQ(coil_run_abandon(run), COIL_OK);
  // Memory that the group has not is ordinary.
  void *memory = nullptr;
  ASSERT_EQ(
      coil_rt_comm_alloc_cuda(run, "nccl", COIL_COMM_SYMMETRIC, 64, &memory),
      COIL_OK);
  EXPECT_EQ(coil_rt_comm_free_cuda(run, memory), COIL_OK);
  ASSERT_EQ(coil_unregister_process_group("nccl", COIL_CUDA), COIL_OK);
  coil_nccl_group_destroy(nccl);
}

TEST_F(NcclTest, ranksThatNeverComeAreAnError) {
  char id[128];
  ASSERT_EQ(coil_nccl_get_unique_id(id), COIL_OK);
  coil_nccl_group *nccl = nullptr;
  EXPECT_EQ(coil_nccl_group_create("nccl", id, 1, 2, 0, 50, &nccl),
            COIL_UNAVAILABLE);
  EXPECT_STREQ(coil_last_error(), "the beginning of group 'nccl': a rank did "
                                  "not come within 50 ms");
  EXPECT_EQ(coil_nccl_group_create("nccl", id, 2, 2, 0, 50, &nccl),
            COIL_INVALID_ARGUMENT);
}

TEST_F(NcclTest, streamsAreOrderedByEvents) {
  std::vector<float> values = {1, 2, 3, 4}, back(4);
  void *x = alloc(16), *y = alloc(16), *first = nullptr, *second = nullptr;
  ASSERT_EQ(coil_rt_upload_cuda(run, x, values.data(), 16), COIL_OK);
  ASSERT_EQ(coil_rt_record_event_cuda(run, &first), COIL_OK);
  ASSERT_EQ(coil_rt_enter_stream_cuda(run, 3), COIL_OK);
  EXPECT_EQ(coil_rt_enter_stream_cuda(run, 3), COIL_INVALID_ARGUMENT);
  ASSERT_EQ(coil_rt_wait_event_cuda(run, first), COIL_OK);
  // An event is used up.
  EXPECT_EQ(coil_rt_wait_event_cuda(run, first), COIL_INVALID_ARGUMENT);
  ASSERT_EQ(launchAddOne(x, y, 4), COIL_OK);
  ASSERT_EQ(coil_rt_record_event_cuda(run, &second), COIL_OK);
  ASSERT_EQ(coil_rt_leave_stream_cuda(run), COIL_OK);
  ASSERT_EQ(coil_rt_wait_event_cuda(run, second), COIL_OK);
  ASSERT_EQ(coil_rt_download_cuda(run, back.data(), y, 16), COIL_OK);
  ASSERT_EQ(coil_run_synchronize(run), COIL_OK);
  EXPECT_EQ(back, (std::vector<float>{2, 3, 4, 5}));
  EXPECT_EQ(coil_rt_enter_stream_cuda(run, 32), COIL_INVALID_ARGUMENT);
  // A run that ends on a side stream gives all back.
  ASSERT_EQ(coil_rt_enter_stream_cuda(run, 1), COIL_OK);
  ASSERT_EQ(coil_rt_record_event_cuda(run, &first), COIL_OK);
}

} // namespace
