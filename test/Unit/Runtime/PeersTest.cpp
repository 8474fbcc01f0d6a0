//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs on two GPUs. In the driver for tests a stream does nothing before
// somebody waits for it or for an event of it, so a copy that nothing orders
// behind what made its source, or in front of what reads its target, would be
// seen.
//
//===----------------------------------------------------------------------===//

#include "CUDATest.h"

#include "coil/Runtime/Functions.h"
#include "coil/Runtime/Transfer.h"

#include <numeric>
#include <string>
#include <vector>

namespace {

class PeersTest : public CUDATest {
protected:
  static constexpr int64_t count = 8;

  coil_tensor tensor(void *data, int32_t device) {
    return {data, sizes, strides, 1, COIL_F32, COIL_CUDA, device};
  }
  coil_tensor onHost(std::vector<float> &x) {
    return {x.data(), sizes, strides, 1, COIL_F32, COIL_CPU, 0};
  }
  void select(int32_t index) {
    ASSERT_EQ(coil_rt_select_device(run, COIL_CUDA, index), COIL_OK)
        << coil_last_error();
  }
  void *allocOn(int32_t index) {
    select(index);
    void *result = alloc(4 * count);
    select(0);
    return result;
  }
  void add(int32_t index, void *x, void *y) {
    select(index);
    EXPECT_EQ(launchAddOne(x, y, count), COIL_OK) << coil_last_error();
    select(0);
  }
  void move(const coil_tensor &to, const coil_tensor &from) {
    EXPECT_EQ(coil_rt_transfer(run, &to, &from, 0), COIL_OK)
        << coil_last_error();
  }
  /// What a device has, once its own stream is there.
  std::vector<float> read(void *data, int32_t index) {
    std::vector<float> x(count);
    move(onHost(x), tensor(data, index));
    return x;
  }
  static std::vector<float> numbers(float first) {
    std::vector<float> x(count);
    std::iota(x.begin(), x.end(), first);
    return x;
  }

  const int64_t sizes[1] = {count}, strides[1] = {1};
  std::vector<float> x = numbers(0), other = numbers(100);
};

TEST_F(PeersTest, ordersReadersBehindTheCopy) {
  void *a = alloc(4 * count), *b = alloc(4 * count), *c = allocOn(1),
       *d = allocOn(1), *e = alloc(4 * count);
  move(tensor(a, 0), onHost(x));
  add(0, a, b);
  int before = fake->synchronisations;
  move(tensor(c, 1), tensor(b, 0));
  add(1, c, d);
  EXPECT_COUNT(fake->synchronisations, before);
  // The stream that reads comes first.
  EXPECT_EQ(read(d, 1), numbers(2));
  move(tensor(e, 0), tensor(d, 1));
  add(0, e, a);
  EXPECT_EQ(read(a, 0), numbers(3));
}

TEST_F(PeersTest, ordersTheCopyBehindReadersOfItsTarget) {
  void *a = alloc(4 * count), *b = allocOn(1), *c = allocOn(1);
  move(tensor(a, 0), onHost(x));
  move(tensor(b, 1), onHost(other));
  add(1, b, c);
  // Memory that is free in the order of its stream.
  ASSERT_EQ(coil_rt_free_cuda(run, b), COIL_OK) << coil_last_error();
  void *again = allocOn(1);
  EXPECT_EQ(again, b);
  move(tensor(again, 1), tensor(a, 0));
  // The stream that copies comes first.
  EXPECT_EQ(read(a, 0), numbers(0));
  EXPECT_EQ(read(c, 1), numbers(101));
  EXPECT_EQ(read(again, 1), numbers(0));
}

TEST_F(PeersTest, letsTheSourceEndAtOnce) {
  void *a = alloc(4 * count), *b = allocOn(1);
  move(tensor(a, 0), onHost(x));
  move(tensor(b, 1), tensor(a, 0));
  ASSERT_EQ(coil_rt_free_cuda(run, a), COIL_OK) << coil_last_error();
  void *again = alloc(4 * count);
  EXPECT_EQ(again, a);
  ASSERT_EQ(coil_rt_fill_cuda(run, again, 0, 4 * count), COIL_OK);
  EXPECT_EQ(read(again, 0), std::vector<float>(count));
  EXPECT_EQ(read(b, 1), numbers(0));
}

TEST_F(PeersTest, packsWhatHasGaps) {
  if (!simulated) // It has no such kernel.
    return;
  void *a = alloc(4 * count), *b = allocOn(1);
  move(tensor(a, 0), onHost(x));
  const int64_t two[2] = {2, 3}, gaps[2] = {1, 2}, rows[2] = {3, 1};
  coil_tensor from = {a, two, gaps, 2, COIL_F32, COIL_CUDA, 0},
              to = {b, two, rows, 2, COIL_F32, COIL_CUDA, 1};
  move(to, from);
  std::vector<float> y(6);
  coil_tensor back = {y.data(), two, rows, 2, COIL_F32, COIL_CPU, 0};
  move(back, to);
  EXPECT_EQ(y, (std::vector<float>{0, 2, 4, 1, 3, 5}));
}

TEST_F(PeersTest, saysWhereResultsAre) {
  void *a = alloc(4 * count), *b = allocOn(1);
  coil_tensor outputs[2] = {};
  ASSERT_EQ(coil_rt_set_output(run, outputs, a, COIL_F32, 1, sizes, strides),
            COIL_OK);
  select(1);
  ASSERT_EQ(
      coil_rt_set_output(run, outputs + 1, b, COIL_F32, 1, sizes, strides),
      COIL_OK);
  select(0);
  EXPECT_EQ(outputs[0].device_index, 0);
  EXPECT_EQ(outputs[1].device_index, 1);
  // Both can be taken out, and given back.
  for (void *each : {a, b}) {
    EXPECT_EQ(coil_run_take(run, each), COIL_OK) << coil_last_error();
    EXPECT_EQ(coil_free(each), COIL_OK) << coil_last_error();
  }
}

TEST_F(PeersTest, timesStepsOfBoth) {
  ASSERT_EQ(coil_run_set_timing(run, 1), COIL_OK);
  void *a = alloc(4 * count), *b = allocOn(1);
  move(tensor(a, 0), onHost(x));
  add(0, a, a);
  move(tensor(b, 1), tensor(a, 0));
  add(1, b, b);
  std::vector<std::string> names;
  ASSERT_EQ(coil_run_get_timing(
                run,
                [](void *user, const coil_cuda_step *step) {
                  static_cast<std::vector<std::string> *>(user)->push_back(
                      step->name);
                },
                &names),
            COIL_OK)
      << coil_last_error();
  EXPECT_EQ(names, (std::vector<std::string>{"transfer", "add_one", "transfer",
                                             "add_one"}));
}

TEST_F(PeersTest, givesFunctionsTheNumbersOfTheDriver) {
  static int32_t seen[3];
  coil_function function = {};
  function.struct_size = sizeof(function);
  function.name = "unit::where";
  function.device_type = COIL_CUDA;
  function.call = [](coil_call *call, void *) -> int32_t {
    const coil_tensor *x = coil_call_tensor(call, 0), *y = nullptr;
    if (int32_t status =
            coil_call_result(call, 0, x->dtype, x->rank, x->sizes, &y))
      return status;
    seen[0] = coil_call_device_index(call);
    seen[1] = x->device_index;
    seen[2] = y->device_index;
    return COIL_OK;
  };
  ASSERT_EQ(coil_register_function(&function), COIL_OK) << coil_last_error();
  coil_run *second = nullptr;
  ASSERT_EQ(coil_run_create(&second), COIL_OK);
  ASSERT_EQ(coil_run_set_cuda_device(second, 1), COIL_OK);
  void *data = nullptr;
  ASSERT_EQ(coil_rt_alloc_cuda(second, 4 * count, &data), COIL_OK);
  coil_tensor x = tensor(data, 0), y = x;
  coil_argument argument = {};
  argument.kind = COIL_ARGUMENT_TENSOR;
  argument.value.tensor = &x;
  coil_call_site site = {sizeof(coil_call_site),
                         COIL_CUDA,
                         "unit::where",
                         nullptr,
                         nullptr,
                         nullptr};
  EXPECT_EQ(coil_rt_call(second, &site, 1, &argument, 1, &y, 0, nullptr),
            COIL_OK)
      << coil_last_error();
  for (int32_t each : seen)
    EXPECT_EQ(each, 1);
  // What the program filled in is as it was.
  EXPECT_EQ(x.device_index, 0);
  EXPECT_EQ(y.device_index, 0);
  coil_run_destroy(second);
}

TEST_F(PeersTest, refusesDevicesThatAreNotThere) {
  EXPECT_EQ(coil_rt_select_device(run, COIL_CUDA, 2), COIL_INVALID_ARGUMENT);
  EXPECT_STREQ(coil_last_error(), "there is no CUDA device 2 (2 found)");
  select(1);
  EXPECT_EQ(coil_run_set_device_stream(run, 1, nullptr), COIL_INVALID_ARGUMENT);
  EXPECT_STREQ(coil_last_error(),
               "the run already works on another stream of CUDA device 1");
}

} // namespace
