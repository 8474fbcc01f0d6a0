//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collectives in CUDA graphs: two ranks with a simulated GPU each, threads of
// this process, on a library that looks like NCCL.
//
//===----------------------------------------------------------------------===//

#include "CallTest.h"
#include "PartitionTest.h"

#include "coil/Runtime/Collectives.h"

#include <atomic>
#include <thread>

namespace {

constexpr int numRanks = 2;

int32_t callOn(coil_run *run, const char *name, void *x, int64_t numX, void *y,
               int64_t numY, std::vector<coil_argument> more) {
  static const int64_t one = 1;
  coil_tensor source = {x, &numX, &one, 1, COIL_F32, COIL_CUDA, 0};
  coil_tensor target = {y, &numY, &one, 1, COIL_F32, COIL_CUDA, 0};
  return callWith(run, COIL_CUDA, name, source, target, std::move(more));
}

/// Steps, as long as they succeed.
struct Steps {
  int32_t status = COIL_OK;
  template <typename Body>
  void operator()(Body &&body) {
    if (!status)
      status = body();
  }
};

/// y = the sum of all ranks' x + 1, plus 1; beside it, a kernel of its own.
int32_t sumOfAll(coil_run *run, const coil_tensor *inputs,
                 coil_tensor *outputs) {
  int64_t n = getNumber(inputs, 1);
  void *t = nullptr, *s = nullptr, *y = nullptr, *other = nullptr;
  Steps step;
  step([&] { return coil_rt_alloc_cuda(run, n * 4, &t); });
  step([&] { return coil_rt_alloc_cuda(run, n * 4, &s); });
  step([&] { return add(run, inputs[0].data, t, n); });
  step([&] {
    return callOn(run, "coil::all_reduce", t, n, s, n,
                  {text("nccl"), text("sum")});
  });
  step([&] { return coil_rt_alloc_cuda(run, n * 4, &other); });
  step([&] { return add(run, t, other, n); });
  step([&] { return coil_rt_free_cuda(run, other); });
  step([&] { return callOn(run, "coil::wait", t, n, s, n, {}); });
  step([&] { return coil_rt_free_cuda(run, t); });
  step([&] { return coil_rt_alloc_cuda(run, n * 4, &y); });
  step([&] { return add(run, s, y, n); });
  step([&] { return coil_rt_free_cuda(run, s); });
  outputs[0].data = y;
  const_cast<int64_t *>(outputs[0].sizes)[0] = n;
  const_cast<int64_t *>(outputs[0].strides)[0] = 1;
  return step.status;
}

/// One of each kind, one after another, each of which starts before the last is
/// waited for where it can.
int32_t eachKind(coil_run *run, const coil_tensor *inputs,
                 coil_tensor *outputs) {
  int64_t n = getNumber(inputs, 1), all = numRanks * n;
  void *x = inputs[0].data;
  void *gathered = nullptr, *mean = nullptr, *sent = nullptr, *most = nullptr,
       *y = nullptr;
  Steps step;
  step([&] { return coil_rt_alloc_cuda(run, all * 4, &gathered); });
  step([&] { return coil_rt_alloc_cuda(run, n * 4, &mean); });
  step([&] { return coil_rt_alloc_cuda(run, n * 4, &sent); });
  step([&] { return coil_rt_alloc_cuda(run, n * 4, &most); });
  step([&] { return coil_rt_alloc_cuda(run, n * 4, &y); });
  step([&] {
    return callOn(run, "coil::all_gather", x, n, gathered, all, {text("nccl")});
  });
  step([&] {
    return callOn(run, "coil::all_reduce", x, n, most, n,
                  {text("nccl"), text("max")});
  });
  step([&] { return callOn(run, "coil::wait", x, n, gathered, all, {}); });
  step([&] {
    return callOn(run, "coil::reduce_scatter", gathered, all, mean, n,
                  {text("nccl"), text("avg")});
  });
  step([&] { return callOn(run, "coil::wait", x, n, most, n, {}); });
  step([&] { return callOn(run, "coil::wait", gathered, all, mean, n, {}); });
  step([&] { return add(run, mean, mean, n); });
  step([&] {
    return callOn(run, "coil::all_to_all", mean, n, sent, n,
                  {text("nccl"), {}, {}});
  });
  step([&] { return callOn(run, "coil::wait", mean, n, sent, n, {}); });
  step([&] { return add(run, sent, sent, n); });
  // In place.
  step([&] {
    return callOn(run, "coil::broadcast", sent, n, sent, n,
                  {text("nccl"), number(1)});
  });
  step([&] { return callOn(run, "coil::wait", sent, n, sent, n, {}); });
  step([&] { return coil_rt_copy_cuda(run, y, sent, n * 4); });
  step([&] { return coil_rt_copy_cuda(run, y, most, 4); });
  for (void *each : {gathered, mean, sent, most})
    step([&] { return coil_rt_free_cuda(run, each); });
  outputs[0].data = y;
  const_cast<int64_t *>(outputs[0].sizes)[0] = n;
  const_cast<int64_t *>(outputs[0].strides)[0] = 1;
  return step.status;
}

coil_entry_point partition = nullptr;

int32_t runPartition(coil_run *run, const coil_tensor *inputs,
                     coil_tensor *outputs) {
  Buffer out;
  int32_t status = call(run, "together", partition, inputs[0].data,
                        inputs[0].sizes[0], "k", "g", out);
  return status ? status : give(run, outputs, out);
}

/// The same without a partition: a call that is kept as a whole.
int32_t runWhole(coil_run *run, const coil_tensor *inputs,
                 coil_tensor *outputs) {
  int64_t n = inputs[0].sizes[0];
  Buffer out;
  coil_tensor passed[2] = {inputs[0],
                           {&n, nullptr, nullptr, 0, COIL_I64, COIL_CPU, 0}};
  coil_tensor result = {nullptr,   out.sizes, out.strides, 1, COIL_F32,
                        COIL_CUDA, 0};
  int32_t status = partition(run, passed, &result);
  out.data = result.data;
  return status ? status : give(run, outputs, out);
}

class NcclGraphTest : public CUDATest {
protected:
  static void SetUpTestSuite() {
    CUDATest::SetUpTestSuite();
    setenv("COIL_NCCL_LIBRARY", COIL_FAKE_NCCL, 1);
  }
  void SetUp() override {
    CUDATest::SetUp();
    kernel = &addOne;
    partition = sumOfAll;
    ASSERT_EQ(coil_cuda_program_create(&handle), COIL_OK);
    coil_cuda_program_set_graph_limit(handle, 4);
    coil_cuda_program_set_whole_calls(handle, 0);
    for (int rank = 0; rank < numRanks; ++rank) {
      ASSERT_EQ(coil_run_create(&runs[rank]), COIL_OK);
      ASSERT_EQ(coil_run_set_cuda_device(runs[rank], rank), COIL_OK);
      for (void *&memory : memories[rank])
        ASSERT_EQ(coil_rt_alloc_cuda(runs[rank], 1024, &memory), COIL_OK);
    }
  }
  void TearDown() override {
    coil_cuda_program_destroy(handle);
    destroyGroups();
    for (coil_run *each : runs)
      coil_run_destroy(each);
    CUDATest::TearDown();
  }

  /// Calls a function on the thread of each rank of some.
  template <typename Body>
  void onRanks(Body body, int count = numRanks) {
    std::vector<std::thread> threads;
    for (int rank = 0; rank < count; ++rank)
      threads.emplace_back([&, rank] { body(rank); });
    for (std::thread &thread : threads)
      thread.join();
  }
  void makeGroups(int64_t limit = 20000) {
    char id[128];
    ASSERT_EQ(coil_nccl_get_unique_id(id), COIL_OK) << coil_last_error();
    onRanks([&](int rank) {
      ASSERT_EQ(coil_nccl_group_create("nccl", id, rank, numRanks, rank, limit,
                                       &groups[rank]),
                COIL_OK)
          << coil_last_error();
    });
  }
  void destroyGroups() {
    for (coil_nccl_group *&group : groups)
      coil_nccl_group_destroy(std::exchange(group, nullptr));
  }
  void enter(int rank) {
    ASSERT_EQ(coil_enter_process_group(coil_nccl_group_get(groups[rank])),
              COIL_OK)
        << coil_last_error();
  }
  void leave() {
    ASSERT_EQ(coil_leave_process_group("nccl", COIL_CUDA), COIL_OK)
        << coil_last_error();
  }

  /// Calls the program on a rank, in a run of its own, with `value` everywhere
  /// but in element 1, which has one more.
  int32_t callProgram(int rank, int i, float value, std::vector<float> &y,
                      int64_t n = 64) {
    std::vector<float> x(size_t(n), value);
    x[1] = value + 1;
    y.assign(size_t(n), -1);
    coil_run *one = nullptr;
    EXPECT_EQ(coil_run_create(&one), COIL_OK);
    EXPECT_EQ(coil_run_set_cuda_device(one, rank), COIL_OK);
    void *memory = memories[rank][i];
    Steps step;
    int64_t stride = 1;
    coil_tensor input = {memory, &n, &stride, 1, COIL_F32, COIL_CUDA, 0};
    coil_tensor output = {};
    step([&] { return coil_rt_upload_cuda(one, memory, x.data(), n * 4); });
    step([&] {
      return coil_cuda_program_call(handle, one, function, &input, 1, &output,
                                    1);
    });
    step([&] {
      return coil_rt_download_cuda(one, y.data(), output.data, n * 4);
    });
    step([&] { return coil_run_synchronize(one); });
    coil_run_destroy(one);
    return step.status;
  }
  /// A call on all ranks, whose sums are checked.
  void expectSums(int i, float value) {
    onRanks([&](int rank) {
      enter(rank);
      std::vector<float> y;
      ASSERT_EQ(callProgram(rank, i, value + float(10 * rank), y), COIL_OK)
          << coil_last_error();
      float sum = 2 * value + 10 + 3;
      for (size_t k = 0; k < y.size(); ++k)
        EXPECT_EQ(y[k], k == 1 ? sum + 2 : sum) << rank;
      leave();
    });
  }

  coil_cuda_partition_stats stats() {
    coil_cuda_partition_stats result;
    coil_cuda_program_get_partition_stats(handle, &result);
    return result;
  }
  coil_cuda_graph_stats wholeStats() {
    coil_cuda_graph_stats result;
    coil_cuda_program_get_graph_stats(handle, &result);
    return result;
  }
  std::string failures() {
    std::string result;
    coil_cuda_program_get_partition_failures(
        handle,
        [](void *user, const char *name, const char *reason, int64_t) {
          *static_cast<std::string *>(user) +=
              std::string(name) + ": " + reason + "\n";
        },
        &result);
    return result;
  }

  coil_cuda_program *handle = nullptr;
  coil_entry_point function = runPartition;
  coil_nccl_group *groups[numRanks] = {};
  coil_run *runs[numRanks] = {};
  void *memories[numRanks][4] = {};
};

TEST_F(NcclGraphTest, replaysPartitions) {
  makeGroups();
  for (int i = 0; i < 8; ++i)
    expectSums(i % 3, float(i));
  EXPECT_EQ(stats().warmups, 2);
  EXPECT_EQ(stats().recorded, 2);
  EXPECT_EQ(stats().replayed, 14);
  EXPECT_EQ(stats().plain, 0) << failures();
}

TEST_F(NcclGraphTest, oneRankReplaysWhileAnotherCalls) {
  makeGroups();
  coil_cuda_program *second = nullptr;
  for (int i = 0; i < 6; ++i) {
    // The second rank's graphs go away after each second call, so it calls
    // plainly or records where the first replays.
    if (i % 2 == 0) {
      coil_cuda_program_destroy(second);
      ASSERT_EQ(coil_cuda_program_create(&second), COIL_OK);
      coil_cuda_program_set_graph_limit(second, 4);
      coil_cuda_program_set_whole_calls(second, 0);
    }
    onRanks([&](int rank) {
      enter(rank);
      coil_run *one = nullptr;
      ASSERT_EQ(coil_run_create(&one), COIL_OK);
      ASSERT_EQ(coil_run_set_cuda_device(one, rank), COIL_OK);
      int64_t n = 4, stride = 1;
      float x[4] = {1, 2, 3, float(i)}, y[4];
      coil_tensor input = {memories[rank][0], &n,        &stride, 1,
                           COIL_F32,          COIL_CUDA, 0};
      coil_tensor output = {};
      ASSERT_EQ(coil_rt_upload_cuda(one, memories[rank][0], x, 16), COIL_OK);
      ASSERT_EQ(coil_cuda_program_call(rank ? second : handle, one, function,
                                       &input, 1, &output, 1),
                COIL_OK)
          << coil_last_error();
      ASSERT_EQ(coil_rt_download_cuda(one, y, output.data, 16), COIL_OK);
      ASSERT_EQ(coil_run_synchronize(one), COIL_OK) << coil_last_error();
      EXPECT_EQ(y[2], 9);
      EXPECT_EQ(y[3], 2 * i + 3);
      coil_run_destroy(one);
      leave();
    });
  }
  coil_cuda_program_destroy(second);
  EXPECT_EQ(stats().replayed, 5);
}

TEST_F(NcclGraphTest, holdsEachKind) {
  makeGroups();
  partition = eachKind;
  for (int i = 0; i < 5; ++i)
    onRanks([&](int rank) {
      enter(rank);
      std::vector<float> y;
      ASSERT_EQ(callProgram(rank, i % 2, float(i + 10 * rank), y), COIL_OK)
          << coil_last_error();
      // Rank 1 has the second half of what was gathered: its own values.
      // What it sends out got one twice.
      EXPECT_EQ(y[0], float(i + 10)) << "the largest first element";
      EXPECT_EQ(y[1], float(i) + 2) << "from rank 0";
      EXPECT_EQ(y[40], float(i) + 12) << "from rank 1";
      leave();
    });
  EXPECT_EQ(stats().recorded, 2) << failures();
  EXPECT_EQ(stats().replayed, 8);
  EXPECT_EQ(stats().plain, 0) << failures();
}

TEST_F(NcclGraphTest, recordsAnewForAnotherGroup) {
  makeGroups();
  for (int i = 0; i < 4; ++i)
    expectSums(0, float(i));
  EXPECT_EQ(stats().recorded, 2);
  // Graphs outlive the group that they have; the library sees to that.
  destroyGroups();
  makeGroups();
  for (int i = 0; i < 4; ++i)
    expectSums(0, float(i));
  EXPECT_EQ(stats().dropped, 2);
  EXPECT_EQ(stats().recorded, 4);
  EXPECT_EQ(stats().warmups, 4);
  EXPECT_EQ(stats().plain, 0) << failures();
  // The same group, registered again, is the same.
  for (int i = 0; i < 3; ++i)
    expectSums(0, float(i));
  EXPECT_EQ(stats().dropped, 2);
}

TEST_F(NcclGraphTest, aRankThatDoesNotComeToAReplayIsAnError) {
  makeGroups(200);
  for (int i = 0; i < 3; ++i)
    expectSums(0, float(i));
  onRanks(
      [&](int rank) {
        enter(rank);
        std::vector<float> y;
        ASSERT_EQ(callProgram(rank, 0, 1, y), COIL_ASSERTION_FAILED)
            << coil_last_error();
        EXPECT_NE(std::string(coil_last_error())
                      .find("a graph with all_reduce of group 'nccl' "
                            "(model.py:7): a rank did not come within 200 ms"),
                  std::string::npos)
            << coil_last_error();
        // The group has aborted, so no graph of it is launched any more.
        int64_t replayed = stats().replayed;
        ASSERT_EQ(callProgram(rank, 0, 1, y), COIL_UNAVAILABLE);
        EXPECT_NE(std::string(coil_last_error())
                      .find("a graph with collectives of group 'nccl' cannot "
                            "be launched: a graph with all_reduce of group "
                            "'nccl' (model.py:7): a rank did not come within "
                            "200 ms"),
                  std::string::npos)
            << coil_last_error();
        EXPECT_EQ(stats().replayed, replayed);
        leave();
      },
      1);
  // A new group is all that it takes.
  destroyGroups();
  makeGroups();
  for (int i = 0; i < 4; ++i)
    expectSums(0, float(i));
}

TEST_F(NcclGraphTest, refusesGroupsThatCannotBeRecorded) {
  coil_local_groups *local = nullptr;
  ASSERT_EQ(coil_local_groups_create(1, "nccl", 1000, &local), COIL_OK);
  coil_process_group alone;
  ASSERT_EQ(coil_local_groups_get(local, 0, COIL_CUDA, &alone), COIL_OK);
  ASSERT_EQ(coil_enter_process_group(&alone), COIL_OK);
  std::vector<float> y;
  for (coil_entry_point each : {runPartition, runWhole}) {
    function = each;
    coil_cuda_program_set_whole_calls(handle, each == runWhole);
    for (int i = 0; i < 4; ++i) {
      ASSERT_EQ(callProgram(0, 0, float(i), y), COIL_OK) << coil_last_error();
      EXPECT_EQ(y[0], float(i) + 2);
    }
  }
  const char *reason =
      ": the function 'coil::all_reduce' (model.py:7) failed: all_reduce of "
      "group 'nccl' (model.py:7): the process group 'nccl' does not allow that "
      "CUDA graphs hold its collectives\n";
  EXPECT_EQ(failures(),
            std::string("the whole call") + reason + "together" + reason);
  EXPECT_EQ(stats().recorded, 0);
  EXPECT_EQ(stats().plain, 3);
  EXPECT_EQ(wholeStats().recorded, 0);
  ASSERT_EQ(coil_leave_process_group("nccl", COIL_CUDA), COIL_OK);
  coil_local_groups_destroy(local);
  // Another group under the name may allow it.
  makeGroups();
  for (coil_entry_point each : {runPartition, runWhole}) {
    function = each;
    coil_cuda_program_set_whole_calls(handle, each == runWhole);
    for (int i = 0; i < 4; ++i)
      expectSums(0, float(i));
  }
  EXPECT_EQ(stats().recorded, 2) << failures();
  EXPECT_EQ(wholeStats().recorded, 2) << failures();
}

TEST_F(NcclGraphTest, keepsWholeCalls) {
  makeGroups();
  function = runWhole;
  coil_cuda_program_set_whole_calls(handle, 1);
  for (int i = 0; i < 6; ++i)
    expectSums(i % 3, float(i));
  EXPECT_EQ(wholeStats().recorded, 2) << failures();
  EXPECT_EQ(wholeStats().replayed, 10);
  EXPECT_EQ(wholeStats().refused, 0);
  destroyGroups();
  makeGroups();
  for (int i = 0; i < 6; ++i)
    expectSums(i % 3, float(i));
  EXPECT_EQ(wholeStats().recorded, 4);
  EXPECT_EQ(wholeStats().plain, 4);
  EXPECT_EQ(wholeStats().replayed, 20);
}

TEST_F(NcclGraphTest, bindsCalls) {
  makeGroups();
  const int64_t n = 64, stride = 1;
  coil_run *bound[numRanks] = {};
  coil_tensor outputs[numRanks] = {};
  onRanks([&](int rank) {
    enter(rank);
    ASSERT_EQ(coil_run_create(&bound[rank]), COIL_OK);
    ASSERT_EQ(coil_run_set_cuda_device(bound[rank], rank), COIL_OK);
    coil_tensor input = {memories[rank][0], &n,        &stride, 1,
                         COIL_F32,          COIL_CUDA, 0};
    // Once with its partition, which is part of the graph.
    ASSERT_EQ(coil_cuda_program_bind(handle, bound[rank], function, &input, 1,
                                     &outputs[rank], 1),
              COIL_OK)
        << coil_last_error();
    leave();
  });
  auto launch = [&](int rank, float value) {
    std::vector<float> x(64, value + float(10 * rank)), y(64);
    Steps step;
    step([&] {
      return coil_rt_upload_cuda(bound[rank], memories[rank][0], x.data(), 256);
    });
    step([&] { return coil_run_launch_bound(bound[rank]); });
    step([&] {
      return coil_rt_download_cuda(bound[rank], y.data(), outputs[rank].data,
                                   256);
    });
    step([&] { return coil_run_synchronize(bound[rank]); });
    if (!step.status)
      for (float each : y)
        EXPECT_EQ(each, 2 * value + 13);
    return step.status;
  };
  for (int i = 0; i < 10; ++i)
    onRanks([&](int rank) {
      enter(rank);
      EXPECT_EQ(launch(rank, float(i)), COIL_OK) << coil_last_error();
      leave();
    });
  destroyGroups();
  makeGroups();
  onRanks([&](int rank) {
    enter(rank);
    EXPECT_EQ(launch(rank, 1), COIL_UNAVAILABLE);
    EXPECT_STREQ(coil_last_error(),
                 "the call was bound with another process group 'nccl' than is "
                 "registered for cuda now, if there is one: bind it again");
    leave();
    EXPECT_EQ(launch(rank, 1), COIL_UNAVAILABLE);
    coil_run_destroy(bound[rank]);
  });
}

TEST_F(NcclGraphTest, bindingNamesTheGroupThatRefuses) {
  coil_local_groups *local = nullptr;
  ASSERT_EQ(coil_local_groups_create(1, "nccl", 1000, &local), COIL_OK);
  coil_process_group alone;
  ASSERT_EQ(coil_local_groups_get(local, 0, COIL_CUDA, &alone), COIL_OK);
  ASSERT_EQ(coil_enter_process_group(&alone), COIL_OK);
  const int64_t n = 64, stride = 1;
  coil_tensor input = {memories[0][0], &n, &stride, 1, COIL_F32, COIL_CUDA, 0};
  coil_tensor output = {};
  EXPECT_EQ(
      coil_cuda_program_bind(handle, run, function, &input, 1, &output, 1),
      COIL_UNSUPPORTED);
  EXPECT_NE(std::string(coil_last_error())
                .find("the process group 'nccl' does not allow"),
            std::string::npos)
      << coil_last_error();
  ASSERT_EQ(coil_leave_process_group("nccl", COIL_CUDA), COIL_OK);
  coil_local_groups_destroy(local);
}

/// Starts what the program waits for, behind the partition.
int32_t startOnly(coil_run *run, const coil_tensor *inputs,
                  coil_tensor *outputs) {
  int64_t n = getNumber(inputs, 1);
  void *y = nullptr;
  Steps step;
  step([&] { return coil_rt_alloc_cuda(run, n * 4, &y); });
  step([&] { return coil_rt_fill_cuda(run, y, 0, n * 4); });
  step([&] {
    return callOn(run, "coil::all_reduce", inputs[0].data, n, y, n,
                  {text("nccl"), text("sum")});
  });
  outputs[0].data = y;
  const_cast<int64_t *>(outputs[0].sizes)[0] = n;
  const_cast<int64_t *>(outputs[0].strides)[0] = 1;
  return step.status;
}

TEST_F(NcclGraphTest, whatIsNotWaitedForIsNoGraph) {
  makeGroups();
  partition = startOnly;
  function = [](coil_run *run, const coil_tensor *inputs,
                coil_tensor *outputs) -> int32_t {
    int64_t n = inputs[0].sizes[0];
    Buffer out;
    Steps step;
    step([&] {
      return call(run, "half", startOnly, inputs[0].data, n, "k", "g", out);
    });
    step([&] {
      return callOn(run, "coil::wait", inputs[0].data, n, out.data, n, {});
    });
    return step.status ? step.status : give(run, outputs, out);
  };
  for (int i = 0; i < 4; ++i)
    onRanks([&](int rank) {
      enter(rank);
      std::vector<float> y;
      ASSERT_EQ(callProgram(rank, 0, float(i), y), COIL_OK)
          << coil_last_error();
      EXPECT_EQ(y[0], float(2 * i));
      leave();
    });
  EXPECT_EQ(stats().recorded, 0);
  EXPECT_EQ(failures(), "half: nothing in it waits for all_reduce of group "
                        "'nccl' (model.py:7)\n");
}

TEST_F(NcclGraphTest, memoryInUseIsNotFreedInARecording) {
  makeGroups();
  partition = [](coil_run *run, const coil_tensor *inputs,
                 coil_tensor *outputs) -> int32_t {
    int32_t status = startOnly(run, inputs, outputs);
    return status ? status : coil_rt_free_cuda(run, outputs[0].data);
  };
  onRanks([&](int rank) {
    enter(rank);
    const int64_t n = 64, stride = 1;
    coil_run *one = nullptr;
    ASSERT_EQ(coil_run_create(&one), COIL_OK);
    ASSERT_EQ(coil_run_set_cuda_device(one, rank), COIL_OK);
    coil_tensor input = {memories[rank][0], &n,        &stride, 1,
                         COIL_F32,          COIL_CUDA, 0};
    coil_tensor output = {};
    EXPECT_EQ(
        coil_cuda_program_bind(handle, one, runWhole, &input, 1, &output, 1),
        COIL_ASSERTION_FAILED);
    EXPECT_STREQ(coil_last_error(),
                 "memory is freed that all_reduce of group 'nccl' (model.py:7) "
                 "still uses, which nothing has waited for");
    coil_run_destroy(one);
    leave();
  });
}

TEST_F(NcclGraphTest, graphsOfTheCallerAreRefused) {
  makeGroups();
  auto *library = dlopen(driver, RTLD_NOW);
  auto *begin = reinterpret_cast<int (*)(void *, int)>(
      dlsym(library, "cuStreamBeginCapture_v2"));
  auto *end = reinterpret_cast<int (*)(void *, void **)>(
      dlsym(library, "cuStreamEndCapture"));
  auto *destroy =
      reinterpret_cast<int (*)(void *)>(dlsym(library, "cuGraphDestroy"));
  auto *create = reinterpret_cast<int (*)(void **, unsigned)>(
      dlsym(library, "cuStreamCreate"));
  auto *retain = reinterpret_cast<int (*)(void **, int)>(
      dlsym(library, "cuDevicePrimaryCtxRetain"));
  auto *set =
      reinterpret_cast<int (*)(void *)>(dlsym(library, "cuCtxSetCurrent"));
  enter(0);
  void *context = nullptr, *stream = nullptr, *graph = nullptr;
  ASSERT_EQ(retain(&context, 0), 0);
  ASSERT_EQ(set(context), 0);
  ASSERT_EQ(create(&stream, 1), 0);
  coil_run *one = nullptr;
  ASSERT_EQ(coil_run_create(&one), COIL_OK);
  ASSERT_EQ(coil_run_set_cuda_device(one, 0), COIL_OK);
  ASSERT_EQ(coil_run_set_stream(one, stream), COIL_OK);
  ASSERT_EQ(begin(stream, 2), 0);
  void *x = memories[0][0], *y = memories[0][1];
  EXPECT_EQ(
      callOn(one, "coil::all_reduce", x, 4, y, 4, {text("nccl"), text("sum")}),
      COIL_UNSUPPORTED);
  EXPECT_STREQ(coil_last_error(),
               "the function 'coil::all_reduce' (model.py:7) failed: "
               "all_reduce of group 'nccl' (model.py:7): a graph that the "
               "caller records cannot hold it: the group would not hear of "
               "replays");
  ASSERT_EQ(end(stream, &graph), 0);
  ASSERT_EQ(destroy(graph), 0);
  coil_run_destroy(one);
  leave();
}

TEST_F(NcclGraphTest, othersMayCaptureWhileWorkIsUnderWay) {
  makeGroups();
  // Rank 1 comes late, so the group looks after the work of rank 0 meanwhile.
  enter(0);
  coil_run *one = nullptr;
  ASSERT_EQ(coil_run_create(&one), COIL_OK);
  ASSERT_EQ(coil_run_set_cuda_device(one, 0), COIL_OK);
  void *x = memories[0][0], *y = memories[0][1];
  ASSERT_EQ(coil_rt_fill_cuda(one, x, 0, 16), COIL_OK);
  ASSERT_EQ(
      callOn(one, "coil::all_reduce", x, 4, y, 4, {text("nccl"), text("sum")}),
      COIL_OK)
      << coil_last_error();
  auto *library = dlopen(driver, RTLD_NOW);
  auto find = [&](const char *name) { return dlsym(library, name); };
  void *context = nullptr, *stream = nullptr, *graph = nullptr;
  ASSERT_EQ(reinterpret_cast<int (*)(void **, int)>(
                find("cuDevicePrimaryCtxRetain"))(&context, 0),
            0);
  ASSERT_EQ(reinterpret_cast<int (*)(void *)>(find("cuCtxSetCurrent"))(context),
            0);
  ASSERT_EQ(reinterpret_cast<int (*)(void **, unsigned)>(
                find("cuStreamCreate"))(&stream, 1),
            0);
  // Globally, as the driver does by default.
  ASSERT_EQ(reinterpret_cast<int (*)(void *, int)>(
                find("cuStreamBeginCapture_v2"))(stream, 0),
            0);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(reinterpret_cast<int (*)(void *, void **)>(
                find("cuStreamEndCapture"))(stream, &graph),
            0);
  EXPECT_EQ(reinterpret_cast<int (*)(void *)>(find("cuGraphDestroy"))(graph),
            0);
  std::thread([&] {
    enter(1);
    void *from = memories[1][0], *to = memories[1][1];
    EXPECT_EQ(coil_rt_fill_cuda(runs[1], from, 0, 16), COIL_OK);
    EXPECT_EQ(callOn(runs[1], "coil::all_reduce", from, 4, to, 4,
                     {text("nccl"), text("sum")}),
              COIL_OK);
    EXPECT_EQ(callOn(runs[1], "coil::wait", from, 4, to, 4, {}), COIL_OK);
    EXPECT_EQ(coil_run_synchronize(runs[1]), COIL_OK) << coil_last_error();
    leave();
  }).join();
  EXPECT_EQ(callOn(one, "coil::wait", x, 4, y, 4, {}), COIL_OK);
  EXPECT_EQ(coil_run_synchronize(one), COIL_OK) << coil_last_error();
  coil_run_destroy(one);
  leave();
}

TEST_F(NcclGraphTest, flagsNeedFunctions) {
  makeGroups();
  coil_process_group bad = *coil_nccl_group_get(groups[0]);
  ASSERT_EQ(bad.flags, uint32_t(COIL_GROUP_RECORDABLE));
  bad.end_replay = nullptr;
  EXPECT_EQ(coil_enter_process_group(&bad), COIL_INVALID_ARGUMENT);
  EXPECT_STREQ(coil_last_error(),
               "the process group 'nccl' can be recorded only for CUDA "
               "devices, and needs the functions for that");
  // Of a description of the old size nothing behind is looked at.
  bad.struct_size = COIL_PROCESS_GROUP_BASE_SIZE;
  ASSERT_EQ(coil_enter_process_group(&bad), COIL_OK) << coil_last_error();
  leave();
}

} // namespace
