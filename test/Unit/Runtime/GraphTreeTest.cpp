//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Partitions of calls that are kept as graphs, on both drivers.
//
//===----------------------------------------------------------------------===//

#include "PartitionTest.h"

#include "coil/Runtime/Functions.h"
#include "coil/Runtime/Transfer.h"

#include <functional>
#include <map>
#include <thread>

namespace {

/// y = x + 2, through memory of its own.
int32_t plusTwo(coil_run *run, const coil_tensor *inputs,
                coil_tensor *outputs) {
  int64_t n = getNumber(inputs, 1);
  void *t = nullptr, *y = nullptr;
  int32_t status = coil_rt_alloc_cuda(run, n * 4, &t);
  if (!status)
    status = add(run, inputs[0].data, t, n);
  if (!status)
    status = coil_rt_alloc_cuda(run, n * 4, &y);
  if (!status)
    status = add(run, t, y, n);
  if (!status)
    status = coil_rt_free_cuda(run, t);
  outputs[0].data = y;
  const_cast<int64_t *>(outputs[0].sizes)[0] = n;
  const_cast<int64_t *>(outputs[0].strides)[0] = 1;
  return status;
}

/// x = x + 1, in place, which it takes over and gives back.
int32_t plusOne(coil_run *run, const coil_tensor *inputs,
                coil_tensor *outputs) {
  int64_t n = getNumber(inputs, 1);
  outputs[0].data = inputs[0].data;
  const_cast<int64_t *>(outputs[0].sizes)[0] = n;
  const_cast<int64_t *>(outputs[0].strides)[0] = 1;
  return add(run, inputs[0].data, inputs[0].data, n);
}

/// y = x + 1, where x ends.
int32_t moveOne(coil_run *run, const coil_tensor *inputs,
                coil_tensor *outputs) {
  int64_t n = getNumber(inputs, 1);
  void *y = nullptr;
  int32_t status = coil_rt_alloc_cuda(run, n * 4, &y);
  if (!status)
    status = add(run, inputs[0].data, y, n);
  if (!status)
    status = coil_rt_free_cuda(run, inputs[0].data);
  outputs[0].data = y;
  const_cast<int64_t *>(outputs[0].sizes)[0] = n;
  const_cast<int64_t *>(outputs[0].strides)[0] = 1;
  return status;
}

/// y = x + 1, through a copy, whose address nothing can change.
int32_t copyOne(coil_run *run, const coil_tensor *inputs,
                coil_tensor *outputs) {
  int64_t n = getNumber(inputs, 1);
  void *y = nullptr;
  int32_t status = coil_rt_alloc_cuda(run, n * 4, &y);
  if (!status)
    status = coil_rt_copy_cuda(run, y, inputs[0].data, n * 4);
  if (!status)
    status = add(run, y, y, n);
  outputs[0].data = y;
  const_cast<int64_t *>(outputs[0].sizes)[0] = n;
  const_cast<int64_t *>(outputs[0].strides)[0] = 1;
  return status;
}

coil_cuda_kernel *userKernel = nullptr;

/// y = x + 1 by a kernel of a user's.
int32_t plusOneByUser(coil_run *run, const coil_tensor *inputs,
                      coil_tensor *outputs) {
  int64_t n = getNumber(inputs, 1);
  void *x = inputs[0].data, *y = nullptr;
  int32_t status = coil_rt_alloc_cuda(run, n * 4, &y);
  void *arguments[] = {&x, &y, &n};
  if (!status)
    status = coil_rt_launch_user_cuda(run, userKernel, arguments, (n + 31) / 32,
                                      1, 1);
  outputs[0].data = y;
  const_cast<int64_t *>(outputs[0].sizes)[0] = n;
  const_cast<int64_t *>(outputs[0].strides)[0] = 1;
  return status;
}

/// Reads an element, which no graph can.
int32_t readOne(coil_run *run, const coil_tensor *inputs,
                coil_tensor *outputs) {
  double element = 0;
  if (int32_t status =
          coil_rt_item_cuda(run, inputs[0].data, COIL_F32, &element))
    return status;
  return copyOne(run, inputs, outputs);
}

/// The program of a test, and how it differs from call to call.
std::function<int32_t(coil_run *, const coil_tensor *, coil_tensor *)> program;

int32_t runProgram(coil_run *run, const coil_tensor *inputs,
                   coil_tensor *outputs) {
  return program(run, inputs, outputs);
}

class GraphTreeTest : public CUDATest {
protected:
  void SetUp() override {
    CUDATest::SetUp();
    kernel = &addOne;
    ASSERT_EQ(coil_cuda_program_create(&handle), COIL_OK);
    coil_cuda_program_set_graph_limit(handle, 4);
    coil_cuda_program_set_whole_calls(handle, 0);
    for (void *&memory : memories)
      memory = alloc(4096);
    fake->graphCalls = fake->failGraphCall = 0;
  }
  void TearDown() override {
    program = nullptr;
    coil_cuda_program_destroy(handle);
    EXPECT_COUNT(fake->instances, 0);
    fake->failGraphCall = 0;
    CUDATest::TearDown();
  }

  /// Calls the program on memory number `i`, filled with `value`, in a run of
  /// its own. Returns its status, and the element that all results have.
  std::pair<int32_t, float> callProgram(int i, int64_t n, float value,
                                        void *stream = nullptr) {
    std::vector<float> x(size_t(n), value), y(size_t(n), -1);
    coil_run *one = nullptr;
    EXPECT_EQ(coil_run_create(&one), COIL_OK);
    EXPECT_EQ(coil_run_set_cuda_device(one, 0), COIL_OK);
    if (stream)
      EXPECT_EQ(coil_run_set_stream(one, stream), COIL_OK);
    EXPECT_EQ(coil_rt_upload_cuda(one, memories[i], x.data(), n * 4), COIL_OK);
    int64_t stride = 1;
    coil_tensor input = {memories[i], &n, &stride, 1, COIL_F32, COIL_CUDA, 0};
    coil_tensor output = {};
    int32_t status =
        coil_cuda_program_call(handle, one, runProgram, &input, 1, &output, 1);
    float element = 0;
    if (status == COIL_OK) {
      EXPECT_EQ(coil_rt_download_cuda(one, y.data(), output.data, n * 4),
                COIL_OK)
          << coil_last_error();
      EXPECT_EQ(coil_run_synchronize(one), COIL_OK) << coil_last_error();
      element = y[0];
      for (float other : y)
        EXPECT_EQ(other, element);
    }
    coil_run_destroy(one);
    return {status, element};
  }
  void expect(int i, int64_t n, float value, float more) {
    auto [status, element] = callProgram(i, n, value);
    ASSERT_EQ(status, COIL_OK) << coil_last_error();
    EXPECT_EQ(element, value + more);
  }
  coil_cuda_partition_stats stats() {
    coil_cuda_partition_stats result;
    coil_cuda_program_get_partition_stats(handle, &result);
    return result;
  }
  std::map<std::string, int64_t> failures() {
    std::map<std::string, int64_t> result;
    coil_cuda_program_get_partition_failures(
        handle,
        [](void *user, const char *, const char *reason, int64_t count) {
          (*static_cast<std::map<std::string, int64_t> *>(user))[reason] +=
              count;
        },
        &result);
    return result;
  }

  coil_cuda_program *handle = nullptr;
  void *memories[6];
};

/// A partition whose result stays, one that ends it, one that changes it in
/// place, and the program frees the last. (x + 2 + 1) + 1 -> copied out by a
/// last one.
int32_t runChain(coil_run *run, const coil_tensor *inputs,
                 coil_tensor *outputs) {
  int64_t n = inputs[0].sizes[0];
  Buffer a, b, c, d;
  int32_t status = call(run, "first", plusTwo, inputs[0].data, n, "k", "s", a);
  if (!status)
    status = call(run, "second", moveOne, a.data, n, "c", "s", b);
  if (!status)
    status = call(run, "third", plusOne, b.data, n, "c", "s", c);
  if (!status)
    status = call(run, "last", plusTwo, c.data, n, "k", "g", d);
  if (!status)
    status = coil_rt_free_cuda(run, c.data);
  return status ? status : give(run, outputs, d);
}

TEST_F(GraphTreeTest, warmsUpRecordsAndReplays) {
  program = runChain;
  expect(0, 100, 1, 6);
  EXPECT_EQ(stats().warmups, 4);
  EXPECT_EQ(stats().recorded, 0);
  expect(0, 100, 2, 6);
  EXPECT_EQ(stats().recorded, 4);
  EXPECT_EQ(stats().replayed, 4);
  int launches = fake->launches, graphs = fake->graphLaunches,
      patches = fake->patches, copies = fake->copies;
  expect(0, 100, 3, 6);
  EXPECT_EQ(stats().recorded, 4);
  EXPECT_EQ(stats().replayed, 8);
  EXPECT_EQ(stats().plain, 0);
  EXPECT_EQ(stats().nodes, 4);
  EXPECT_COUNT(fake->graphLaunches, graphs + 4);
  EXPECT_COUNT(fake->launches, launches);
  // Nothing between partitions is told new addresses, but for what is given.
  EXPECT_COUNT(fake->patches, patches);
  // Those of the test itself.
  EXPECT_COUNT(fake->copies, copies + 2);
}

TEST_F(GraphTreeTest, patchesInputsThatMove) {
  program = runChain;
  for (int i = 0; i < 6; ++i)
    expect(i, 100, float(i), 6);
  EXPECT_EQ(stats().recorded, 4);
  EXPECT_EQ(stats().replayed, 20);
  EXPECT_GE(stats().patched, 1);
}

TEST_F(GraphTreeTest, copiesInputsWhoseAddressesAreKept) {
  program = [](coil_run *run, const coil_tensor *inputs, coil_tensor *outputs) {
    Buffer out;
    int32_t status = call(run, "copy", copyOne, inputs[0].data,
                          inputs[0].sizes[0], "k", "g", out);
    return status ? status : give(run, outputs, out);
  };
  for (int i = 0; i < 6; ++i)
    expect(i, 64, float(i), 1);
  EXPECT_EQ(stats().recorded, 1);
  EXPECT_EQ(stats().replayed, 5);
}

/// x + 1 + 2, the first by a kernel of a user's.
int32_t runUser(coil_run *run, const coil_tensor *inputs,
                coil_tensor *outputs) {
  int64_t n = inputs[0].sizes[0];
  Buffer a, b;
  int32_t status =
      call(run, "user", plusOneByUser, inputs[0].data, n, "k", "s", a);
  if (!status)
    status = call(run, "last", plusTwo, a.data, n, "k", "g", b);
  if (!status)
    status = coil_rt_free_cuda(run, a.data);
  return status ? status : give(run, outputs, b);
}

TEST_F(GraphTreeTest, tellsKernelsOfUsersWhereInputsAre) {
  coil_cuda_kernel user = makeKernel("add_one", 0, 0);
  user.parameters = "aa8";
  userKernel = &user;
  program = runUser;
  for (int i = 0; i < 2; ++i)
    expect(i, 100, float(i), 3);
  int copies = fake->copies;
  for (int i = 2; i < 6; ++i)
    expect(i, 100, float(i), 3);
  EXPECT_EQ(stats().recorded, 2);
  EXPECT_EQ(stats().replayed, 10);
  EXPECT_EQ(stats().plain, 0);
  EXPECT_GE(stats().patched, 1);
  // Those of the test itself.
  EXPECT_COUNT(fake->copies, copies + 8);
  coil_cuda_program_set_graph_limit(handle, 0);
  coil_cuda_kernel_unload(&user);
}

TEST_F(GraphTreeTest, runsKernelsPlainlyThatDoNotSayWhatTheyTake) {
  coil_cuda_kernel user = makeKernel("add_one", 0, 0);
  userKernel = &user;
  program = runUser;
  for (int i = 0; i < 5; ++i)
    expect(i, 100, float(i), 3);
  EXPECT_EQ(stats().plain, 4);
  EXPECT_EQ(failures()["kernel 'add_one' (model.py:3) does not say what it "
                       "takes, so no graph can hold it"],
            4);
  coil_cuda_program_set_graph_limit(handle, 0);
  coil_cuda_kernel_unload(&user);
}

TEST_F(GraphTreeTest, keepsResultsOfEarlierCalls) {
  program = runChain;
  for (int i = 0; i < 3; ++i)
    expect(0, 64, float(i), 6);
  int64_t n = 64, stride = 1;
  std::vector<float> x(64, 10), y(64);
  coil_tensor input = {memories[0], &n, &stride, 1, COIL_F32, COIL_CUDA, 0};
  coil_tensor first = {}, second = {};
  ASSERT_EQ(coil_rt_upload_cuda(run, memories[0], x.data(), 256), COIL_OK);
  ASSERT_EQ(
      coil_cuda_program_call(handle, run, runProgram, &input, 1, &first, 1),
      COIL_OK);
  ASSERT_EQ(coil_run_synchronize(run), COIL_OK);
  x.assign(64, 20);
  ASSERT_EQ(coil_rt_upload_cuda(run, memories[0], x.data(), 256), COIL_OK);
  ASSERT_EQ(
      coil_cuda_program_call(handle, run, runProgram, &input, 1, &second, 1),
      COIL_OK);
  ASSERT_EQ(coil_rt_download_cuda(run, y.data(), first.data, 256), COIL_OK);
  ASSERT_EQ(coil_run_synchronize(run), COIL_OK);
  EXPECT_EQ(y[0], 16);
}

TEST_F(GraphTreeTest, numbersThatChangeAreOtherNodesAndBounded) {
  program = runChain;
  for (int64_t n : {10, 20, 30, 40, 50, 60})
    for (int i = 0; i < 3; ++i)
      expect(0, n, float(n), 6);
  EXPECT_EQ(stats().recorded, 24);
  EXPECT_LE(stats().nodes, 12);
  EXPECT_GE(stats().dropped, 1);
  // A size that has no node any more is recorded anew.
  expect(0, 10, 1, 6);
  EXPECT_EQ(stats().plain, 0);
}

TEST_F(GraphTreeTest, recordsABoundedNumberOfTimes) {
  coil_cuda_program_set_record_limit(handle, 2);
  program = runChain;
  for (int64_t n : {10, 20, 30, 40})
    for (int i = 0; i < 3; ++i)
      expect(0, n, float(n), 6);
  // The first and the last are one function.
  EXPECT_EQ(stats().recorded, 6);
  EXPECT_GE(failures()["it was recorded too often"], 1);
  expect(0, 10, 1, 6);
}

TEST_F(GraphTreeTest, branchesAreTwoChildren) {
  // Behind the first, one of two runs.
  static bool other;
  program = [](coil_run *run, const coil_tensor *inputs, coil_tensor *outputs) {
    int64_t n = inputs[0].sizes[0];
    Buffer a, b, c;
    int32_t status =
        call(run, "first", plusTwo, inputs[0].data, n, "k", "s", a);
    if (!status)
      status = other ? call(run, "second", moveOne, a.data, n, "c", "s", b)
                     : call(run, "third", plusOne, a.data, n, "c", "s", b);
    // The last sees memory that differs by branch.
    if (!status)
      status = call(run, "last", plusTwo, b.data, n, "k", "g", c);
    if (!status)
      status = coil_rt_free_cuda(run, b.data);
    return status ? status : give(run, outputs, c);
  };
  for (int i = 0; i < 12; ++i) {
    other = i % 3 == 1;
    expect(0, 100, float(i), 5);
  }
  EXPECT_EQ(stats().plain, 0);
  // One first, two in the middle, and the last behind each.
  EXPECT_EQ(stats().nodes, 5);
}

TEST_F(GraphTreeTest, iterationsOfALoopAreOneNode) {
  program = [](coil_run *run, const coil_tensor *inputs, coil_tensor *outputs) {
    int64_t n = inputs[0].sizes[0];
    Buffer kept, a;
    int32_t status =
        call(run, "kept", plusTwo, inputs[0].data, n, "k", "s", kept);
    a.data = inputs[0].data;
    for (int i = 0; i < 5 && !status; ++i) {
      Buffer next;
      status = call(run, "body", plusTwo, a.data, n, "k", "g", next);
      if (!status && i != 0)
        status = coil_rt_free_cuda(run, a.data);
      a = next;
    }
    if (!status)
      status = coil_rt_free_cuda(run, kept.data);
    return status ? status : give(run, outputs, a);
  };
  for (int i = 0; i < 4; ++i)
    expect(0, 100, float(i), 10);
  EXPECT_EQ(stats().nodes, 2);
  // Those of the first call, but for the first, which had no graph yet.
  EXPECT_EQ(stats().plain, 0);
}

TEST_F(GraphTreeTest, runsPlainlyWhatCannotBeRecorded) {
  program = [](coil_run *run, const coil_tensor *inputs, coil_tensor *outputs) {
    int64_t n = inputs[0].sizes[0];
    Buffer a, b, c;
    int32_t status =
        call(run, "first", plusTwo, inputs[0].data, n, "k", "s", a);
    if (!status)
      status = call(run, "read", readOne, a.data, n, "k", "g", b);
    if (!status)
      status = coil_rt_free_cuda(run, a.data);
    if (!status)
      status = call(run, "last", moveOne, b.data, n, "c", "g", c);
    return status ? status : give(run, outputs, c);
  };
  if (!simulated)
    GTEST_SKIP() << "this driver lets a capture be waited for";
  for (int i = 0; i < 5; ++i)
    expect(0, 100, float(i), 4);
  EXPECT_EQ(stats().plain, 4);
  EXPECT_EQ(stats().replayed, 8);
  EXPECT_EQ(failures().size(), 1u);
}

TEST_F(GraphTreeTest, takesMemoryOfTheProgramOver) {
  // What the second ends is the program's, which frees it behind the graph.
  program = [](coil_run *run, const coil_tensor *inputs, coil_tensor *outputs) {
    int64_t n = inputs[0].sizes[0];
    Buffer own, b;
    int32_t status = coil_rt_alloc_cuda(run, n * 4, &own.data);
    if (!status)
      status = add(run, inputs[0].data, own.data, n);
    if (!status)
      status = call(run, "move", moveOne, own.data, n, "c", "g", b);
    return status ? status : give(run, outputs, b);
  };
  for (int i = 0; i < 5; ++i)
    expect(0, 100, float(i), 2);
  EXPECT_EQ(stats().replayed, 4);
}

TEST_F(GraphTreeTest, givesBackWhatItTookOver) {
  program = [](coil_run *run, const coil_tensor *inputs, coil_tensor *outputs) {
    int64_t n = inputs[0].sizes[0];
    Buffer own, b;
    int32_t status = coil_rt_alloc_cuda(run, n * 4, &own.data);
    if (!status)
      status = add(run, inputs[0].data, own.data, n);
    if (!status)
      status = call(run, "in place", plusOne, own.data, n, "c", "g", b);
    return status ? status : give(run, outputs, b);
  };
  for (int i = 0; i < 5; ++i)
    expect(0, 100, float(i), 2);
  EXPECT_EQ(stats().replayed, 4);
}

TEST_F(GraphTreeTest, givesNothingThatStays) {
  // The first stays, the second takes it over and returns it to the caller.
  program = [](coil_run *run, const coil_tensor *inputs, coil_tensor *outputs) {
    int64_t n = inputs[0].sizes[0];
    Buffer a, b;
    int32_t status =
        call(run, "first", plusTwo, inputs[0].data, n, "k", "s", a);
    if (!status)
      status = call(run, "in place", plusOne, a.data, n, "c", "g", b);
    return status ? status : give(run, outputs, b);
  };
  for (int i = 0; i < 5; ++i)
    expect(0, 100, float(i), 3);
  EXPECT_EQ(stats().replayed, 8);
  EXPECT_EQ(stats().nodes, 2);
}

/// What a function was told of its devices: the call's, and its tensor's.
int32_t toldDevices[2];

/// x = x + 1 and a function that looks, in place.
int32_t lookAtDevice(coil_run *run, const coil_tensor *inputs,
                     coil_tensor *outputs) {
  coil_tensor x = inputs[0];
  // As the program counts.
  x.device_index = 1;
  coil_argument argument = {};
  argument.kind = COIL_ARGUMENT_TENSOR;
  argument.value.tensor = &x;
  coil_call_site site = {sizeof(coil_call_site),
                         COIL_CUDA,
                         "unit::look",
                         nullptr,
                         nullptr,
                         nullptr};
  if (int32_t status =
          coil_rt_call(run, &site, 1, &argument, 0, nullptr, 0, nullptr))
    return status;
  return plusOne(run, inputs, outputs);
}

/// A copy from one GPU to another.
int32_t move(coil_run *run, void *to, int32_t toDevice, void *from,
             int32_t fromDevice, int64_t n) {
  int64_t stride = 1;
  coil_tensor target = {to, &n, &stride, 1, COIL_F32, COIL_CUDA, toDevice};
  coil_tensor source = {from, &n, &stride, 1, COIL_F32, COIL_CUDA, fromDevice};
  return coil_rt_transfer(run, &target, &source, 0);
}

TEST_F(GraphTreeTest, keepsGraphsOnEachDevice) {
  coil_function look = {};
  look.struct_size = sizeof(look);
  look.flags = COIL_FUNCTION_CAPTURABLE;
  look.name = "unit::look";
  look.device_type = COIL_CUDA;
  look.call = [](coil_call *call, void *) -> int32_t {
    toldDevices[0] = coil_call_device_index(call);
    toldDevices[1] = coil_call_tensor(call, 0)->device_index;
    return COIL_OK;
  };
  ASSERT_EQ(coil_register_function(&look), COIL_OK) << coil_last_error();
  // On the first: + 2. On the second: + 2, which stays there, + 1 in place, and
  // back. On the first again: + 2.
  program = [](coil_run *run, const coil_tensor *inputs, coil_tensor *outputs) {
    int64_t n = inputs[0].sizes[0];
    Buffer a, b, c, d;
    void *there = nullptr, *back = nullptr;
    int32_t status =
        call(run, "first", plusTwo, inputs[0].data, n, "k", "s", a);
    auto step = [&](auto &&body) { status = status ? status : body(); };
    auto select = [&](int32_t index) {
      step([&] { return coil_rt_select_device(run, COIL_CUDA, index); });
    };
    select(1);
    step([&] { return coil_rt_alloc_cuda(run, n * 4, &there); });
    select(0);
    step([&] { return move(run, there, 1, a.data, 0, n); });
    step([&] { return coil_rt_free_cuda(run, a.data); });
    select(1);
    step([&] { return call(run, "second", plusTwo, there, n, "k", "s", b); });
    step([&] { return coil_rt_free_cuda(run, there); });
    step([&] {
      return call(run, "third", lookAtDevice, b.data, n, "c", "s", c);
    });
    select(0);
    step([&] { return coil_rt_alloc_cuda(run, n * 4, &back); });
    step([&] { return move(run, back, 0, c.data, 1, n); });
    // It is of the path of the second device, whatever works.
    step([&] { return coil_rt_free_cuda(run, c.data); });
    step([&] { return call(run, "last", plusTwo, back, n, "k", "g", d); });
    step([&] { return coil_rt_free_cuda(run, back); });
    return status ? status : give(run, outputs, d);
  };
  for (int i = 0; i < 5; ++i) {
    toldDevices[0] = toldDevices[1] = i < 2 ? -1 : 1;
    expect(i % 2, 100, float(i), 7);
    EXPECT_EQ(toldDevices[0], 1);
    EXPECT_EQ(toldDevices[1], 1);
  }
  EXPECT_EQ(stats().warmups, 4);
  EXPECT_EQ(stats().recorded, 4);
  EXPECT_EQ(stats().replayed, 16);
  EXPECT_EQ(stats().plain, 0);
  EXPECT_EQ(stats().nodes, 4);
}

coil_cuda_kernel *checked = nullptr;

/// Fails a check, always.
int32_t failCheck(coil_run *run, const coil_tensor *inputs,
                  coil_tensor *outputs) {
  void *x = inputs[0].data;
  if (int32_t status = coil_rt_launch_cuda(run, checked, &x, nullptr, 1, 1, 1))
    return status;
  return plusTwo(run, inputs, outputs);
}

TEST_F(GraphTreeTest, reportsFailedChecksOfReplays) {
  checked = &check;
  program = [](coil_run *run, const coil_tensor *inputs, coil_tensor *outputs) {
    Buffer out;
    int32_t status = call(run, "checks", failCheck, inputs[0].data,
                          inputs[0].sizes[0], "k", "g", out);
    return status ? status : give(run, outputs, out);
  };
  for (int i = 0; i < 4; ++i) {
    int64_t n = 64, stride = 1;
    coil_run *one = nullptr;
    ASSERT_EQ(coil_run_create(&one), COIL_OK);
    ASSERT_EQ(coil_run_set_cuda_device(one, 0), COIL_OK);
    coil_tensor input = {memories[0], &n, &stride, 1, COIL_F32, COIL_CUDA, 0};
    coil_tensor output = {};
    ASSERT_EQ(
        coil_cuda_program_call(handle, one, runProgram, &input, 1, &output, 1),
        COIL_OK)
        << coil_last_error();
    EXPECT_EQ(coil_run_synchronize(one), COIL_ASSERTION_FAILED) << i;
    EXPECT_STREQ(coil_last_error(),
                 "index out of range in kernel 'check' (model.py:3)");
    EXPECT_EQ(coil_run_synchronize(one), COIL_OK);
    coil_run_destroy(one);
  }
  EXPECT_EQ(stats().replayed, 3);
}

TEST_F(GraphTreeTest, servesManyThreads) {
  if (!simulated)
    GTEST_SKIP() << "this driver is for one thread";
  program = runChain;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i)
        expect(t, 50 + 10 * (i % 2), float(i), 6);
    });
  for (std::thread &thread : threads)
    thread.join();
  // Each partition ran in one of the ways.
  coil_cuda_partition_stats all = stats();
  EXPECT_EQ(all.warmups + all.replayed + all.plain, 4 * 20 * 4);
}

TEST_F(GraphTreeTest, keepsNothingWithoutALimit) {
  coil_cuda_program_set_graph_limit(handle, 0);
  program = runChain;
  for (int i = 0; i < 3; ++i)
    expect(0, 100, float(i), 6);
  EXPECT_EQ(stats().recorded, 0);
  EXPECT_EQ(stats().nodes, 0);
}

TEST_F(GraphTreeTest, runsPlainlyWhileAnotherCallUsesTheGraphs) {
  // A call inside of a call.
  static std::function<void()> inner;
  static bool nested;
  inner = [this] { expect(1, 100, 50, 4); };
  nested = false;
  program = [](coil_run *run, const coil_tensor *inputs, coil_tensor *outputs) {
    int64_t n = inputs[0].sizes[0];
    Buffer a, b;
    int32_t status =
        call(run, "first", plusTwo, inputs[0].data, n, "k", "s", a);
    if (!nested && !status) {
      nested = true;
      inner();
      nested = false;
    }
    if (!status)
      status = call(run, "second", plusTwo, a.data, n, "k", "g", b);
    if (!status)
      status = coil_rt_free_cuda(run, a.data);
    return status ? status : give(run, outputs, b);
  };
  for (int i = 0; i < 4; ++i)
    expect(0, 100, float(i), 4);
  EXPECT_EQ(failures()["another call uses the graphs"], 8);
  EXPECT_EQ(stats().replayed, 6);
}

TEST_F(GraphTreeTest, lastsLongerThanWhoMadeIt) {
  // The replay needs neither the run nor the memory of the recording call.
  program = runChain;
  for (int i = 0; i < 2; ++i)
    expect(i, 100, float(i), 6);
  ASSERT_EQ(coil_rt_free_cuda(run, memories[1]), COIL_OK);
  memories[1] = alloc(1 << 20);
  expect(0, 100, 7, 6);
  EXPECT_EQ(stats().recorded, 4);
}

TEST_F(GraphTreeTest, ordersCallsOnDifferentStreams) {
  program = runChain;
  for (int i = 0; i < 3; ++i)
    expect(0, 100, float(i), 6);
  int waits = fake->waits;
  alloc(4); // Gives this run a stream, so that the call gets another.
  coil_run *other = nullptr;
  ASSERT_EQ(coil_run_create(&other), COIL_OK);
  ASSERT_EQ(coil_run_set_cuda_device(other, 0), COIL_OK);
  void *unused = nullptr;
  ASSERT_EQ(coil_rt_alloc_cuda(other, 4, &unused), COIL_OK);
  expect(0, 100, 5, 6);
  EXPECT_COUNT(fake->waits, waits + 1);
  coil_run_destroy(other);
}

/// Every call of the driver for graphs fails once; results are right, or the
/// call says that it failed, and the next one is right.
TEST_F(GraphTreeTest, survivesFailuresOfTheDriver) {
  if (simulated)
    GTEST_SKIP() << "see partitions.test for the simulator";
  program = runChain;
  for (int failing = 1; failing < 60; ++failing) {
    coil_cuda_program_destroy(handle);
    ASSERT_EQ(coil_cuda_program_create(&handle), COIL_OK);
    coil_cuda_program_set_graph_limit(handle, 4);
    coil_cuda_program_set_whole_calls(handle, 0);
    fake->graphCalls = 0;
    fake->failGraphCall = failing;
    int failed = 0;
    for (int i = 0; i < 4; ++i) {
      auto [status, element] = callProgram(i, 100, float(i));
      failed += status != COIL_OK;
      if (status == COIL_OK)
        EXPECT_EQ(element, float(i) + 6) << failing;
    }
    // Only a graph that does not start stops a call.
    EXPECT_LE(failed, 1) << failing;
    fake->failGraphCall = 0;
    expect(0, 100, 1, 6);
  }
}

/// The same for memory.
TEST_F(GraphTreeTest, survivesLackOfMemory) {
  program = runChain;
  for (int failing = 0; failing < 40; ++failing) {
    coil_cuda_program_destroy(handle);
    ASSERT_EQ(coil_cuda_program_create(&handle), COIL_OK);
    coil_cuda_program_set_graph_limit(handle, 4);
    coil_cuda_program_set_whole_calls(handle, 0);
    coil_debug_fail_alloc_after(failing);
    for (int i = 0; i < 3; ++i) {
      auto [status, element] = callProgram(i, 100, float(i));
      if (status == COIL_OK)
        EXPECT_EQ(element, float(i) + 6) << failing;
      else
        EXPECT_EQ(status, COIL_OUT_OF_MEMORY);
    }
    coil_debug_fail_alloc_after(-1);
    for (int i = 0; i < 3; ++i)
      expect(i, 100, float(i), 6);
  }
}

} // namespace
