//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests of process groups: ranks that are threads, errors, memory.
//
//===----------------------------------------------------------------------===//

#include "CallTest.h"
#include "RuntimeTest.h"

#include "coil/Runtime/Collectives.h"

#include <functional>
#include <thread>

namespace {

/// Calls of the runtime's functions, as compiled programs make them.
class Caller {
public:
  Caller() { EXPECT_EQ(coil_run_create(&run), COIL_OK); }
  ~Caller() { coil_run_destroy(run); }
  Caller(const Caller &) = delete;
  Caller &operator=(const Caller &) = delete;

  template <typename T>
  static coil_tensor tensor(std::vector<T> &data, const int64_t *size,
                            int32_t dtype) {
    static const int64_t one = 1;
    return {data.data(), size, &one, 1, dtype, COIL_CPU, 0};
  }

  static coil_argument list(std::vector<coil_argument> &values) {
    coil_argument argument = {};
    argument.kind = COIL_ARGUMENT_LIST;
    argument.count = int64_t(values.size());
    argument.value.elements = values.data();
    return argument;
  }

  /// Starts a collective, or waits for it with no arguments.
  template <typename T>
  int32_t call(const char *name, std::vector<T> &x, std::vector<T> &y,
               std::vector<coil_argument> more = {}, int32_t dtype = COIL_F32) {
    auto xs = int64_t(x.size()), ys = int64_t(y.size());
    coil_tensor source = tensor(x, &xs, dtype), target = tensor(y, &ys, dtype);
    int32_t status =
        callWith(run, COIL_CPU, name, source, target, std::move(more));
    if (status)
      message = coil_last_error();
    return status;
  }
  template <typename T>
  int32_t wait(std::vector<T> &x, std::vector<T> &y, int32_t dtype = COIL_F32) {
    return call("coil::wait", x, y, {}, dtype);
  }

  coil_run *run = nullptr;
  std::string message;
};

/// Runs `body` on a thread for each rank.
void onRanks(coil_local_groups *groups, int32_t size,
             const std::function<void(int32_t, Caller &)> &body) {
  std::vector<std::thread> threads;
  for (int32_t rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank] {
      coil_process_group group;
      ASSERT_EQ(coil_local_groups_get(groups, rank, COIL_CPU, &group), COIL_OK);
      ASSERT_EQ(coil_enter_process_group(&group), COIL_OK);
      {
        Caller caller;
        body(rank, caller);
      }
      ASSERT_EQ(coil_leave_process_group(group.name, COIL_CPU), COIL_OK);
    });
  for (std::thread &each : threads)
    each.join();
}

struct Groups {
  explicit Groups(int32_t size, int64_t limit = 20000) {
    EXPECT_EQ(coil_local_groups_create(size, "unit", limit, &handle), COIL_OK);
  }
  ~Groups() { coil_local_groups_destroy(handle); }
  Groups(const Groups &) = delete;
  Groups &operator=(const Groups &) = delete;
  coil_local_groups *handle = nullptr;
};

using Floats = std::vector<float>;

const coil_argument group = text("unit");

} // namespace

TEST(CollectivesTest, ranksComputeWhatTheyShould) {
  for (int32_t size : {1, 2, 3}) {
    Groups groups(size);
    onRanks(groups.handle, size, [&](int32_t rank, Caller &c) {
      auto n = size_t(size);
      Floats x(2 * n), sum(2 * n), all(2 * n * n), part(2), mixed(2 * n);
      for (size_t i = 0; i < x.size(); ++i)
        x[i] = float(rank * 100) + float(i);
      ASSERT_EQ(c.call("coil::all_reduce", x, sum, {group, text("sum")}),
                COIL_OK);
      ASSERT_EQ(c.call("coil::all_gather", x, all, {group}), COIL_OK);
      ASSERT_EQ(c.call("coil::reduce_scatter", x, part, {group, text("max")}),
                COIL_OK);
      ASSERT_EQ(c.call("coil::all_to_all", x, mixed, {group, {}, {}}), COIL_OK);
      // In place, and not in the order of the starts.
      Floats sent = x;
      ASSERT_EQ(c.call("coil::broadcast", sent, sent, {group, number(n - 1)}),
                COIL_OK);
      ASSERT_EQ(c.wait(sent, sent), COIL_OK);
      ASSERT_EQ(c.wait(x, mixed), COIL_OK);
      ASSERT_EQ(c.wait(x, part), COIL_OK);
      ASSERT_EQ(c.wait(x, all), COIL_OK);
      ASSERT_EQ(c.wait(x, sum), COIL_OK);
      for (size_t i = 0; i < x.size(); ++i) {
        EXPECT_EQ(sum[i], float(100 * size * (size - 1) / 2) + float(n * i));
        EXPECT_EQ(sent[i], float(100 * (size - 1)) + float(i));
        EXPECT_EQ(mixed[i],
                  float(100 * (i / 2)) + float(2 * rank) + float(i % 2));
      }
      for (size_t i = 0; i < all.size(); ++i)
        EXPECT_EQ(all[i], float(100 * (i / (2 * n))) + float(i % (2 * n)));
      EXPECT_EQ(part[1], float(100 * (size - 1) + 2 * rank + 1));
    });
  }
}

TEST(CollectivesTest, sumsAreThoseOfTheRanksInOrder) {
  Groups groups(3);
  const float parts[] = {1e8F, 1, -1e8F};
  std::vector<float> results(3);
  onRanks(groups.handle, 3, [&](int32_t rank, Caller &c) {
    Floats x = {parts[rank]}, y(1);
    ASSERT_EQ(c.call("coil::all_reduce", x, y, {group, text("sum")}), COIL_OK);
    ASSERT_EQ(c.wait(x, y), COIL_OK);
    results[size_t(rank)] = y[0];
    // Floats of 16 bits round once.
    std::vector<uint16_t> h = {floatToBF16(rank == 0 ? 256 : 1)}, k(1);
    ASSERT_EQ(c.call("coil::all_reduce", h, k, {group, text("sum")}, COIL_BF16),
              COIL_OK);
    ASSERT_EQ(c.wait(h, k, COIL_BF16), COIL_OK);
    EXPECT_EQ(bf16ToFloat(k[0]), 258);
    std::vector<int8_t> i = {100}, j(1);
    ASSERT_EQ(c.call("coil::all_reduce", i, j, {group, text("sum")}, COIL_I8),
              COIL_OK);
    ASSERT_EQ(c.wait(i, j, COIL_I8), COIL_OK);
    EXPECT_EQ(j[0], int8_t(300 - 256));
  });
  for (float each : results)
    EXPECT_EQ(each, (1e8F + 1) + -1e8F);
}

TEST(CollectivesTest, rowsOfAnyNumberAreExchanged) {
  Groups groups(2);
  onRanks(groups.handle, 2, [&](int32_t rank, Caller &c) {
    // Rank 0 sends 1 and 2 rows, rank 1 sends 3 and none.
    Floats x = rank ? Floats{10, 11, 12} : Floats{0, 1, 2};
    Floats y(rank ? 2 : 4);
    std::vector<coil_argument> from = {number(rank ? 3 : 1),
                                       number(rank ? 0 : 2)};
    std::vector<coil_argument> to = {number(rank ? 2 : 1),
                                     number(rank ? 0 : 3)};
    ASSERT_EQ(c.call("coil::all_to_all", x, y,
                     {group, Caller::list(from), Caller::list(to)}),
              COIL_OK);
    ASSERT_EQ(c.wait(x, y), COIL_OK);
    EXPECT_EQ(y, rank ? (Floats{1, 2}) : (Floats{0, 10, 11, 12}));
  });
}

TEST(CollectivesTest, ranksThatDisagreeAreTold) {
  Groups groups(2);
  onRanks(groups.handle, 2, [&](int32_t rank, Caller &c) {
    Floats x(4), y(4), z(8);
    ASSERT_EQ(rank ? c.call("coil::all_gather", x, z, {group})
                   : c.call("coil::all_reduce", x, y, {group, text("sum")}),
              COIL_OK);
    EXPECT_EQ(rank ? c.wait(x, z) : c.wait(x, y), COIL_UNAVAILABLE);
    EXPECT_NE(c.message.find("'all_reduce' (model.py:7)"), std::string::npos)
        << c.message;
    EXPECT_NE(c.message.find("'all_gather' (model.py:7)"), std::string::npos);
  });
}

TEST(CollectivesTest, aRankThatNeverComesIsAnError) {
  Groups groups(2, 50);
  coil_process_group one;
  ASSERT_EQ(coil_local_groups_get(groups.handle, 1, COIL_CPU, &one), COIL_OK);
  ASSERT_EQ(coil_enter_process_group(&one), COIL_OK);
  {
    Caller c;
    Floats x(4), y(4);
    ASSERT_EQ(c.call("coil::all_reduce", x, y, {group, text("sum")}), COIL_OK);
    // While it is on its way, the group stays.
    EXPECT_EQ(coil_leave_process_group("unit", COIL_CPU),
              COIL_INVALID_ARGUMENT);
    EXPECT_EQ(c.wait(x, y), COIL_UNAVAILABLE);
    EXPECT_EQ(c.message,
              "the function 'coil::wait' (model.py:7) failed: all_reduce of "
              "group 'unit' (model.py:7): rank 0 did not come within 50 ms");
    EXPECT_NE(c.wait(x, y), COIL_OK);
    EXPECT_NE(c.message.find("nothing that was started has these tensors"),
              std::string::npos);
  }
  EXPECT_EQ(coil_leave_process_group("unit", COIL_CPU), COIL_OK);
}

TEST(CollectivesTest, memoryInUseIsNotFreed) {
  Groups groups(1);
  coil_process_group one;
  ASSERT_EQ(coil_local_groups_get(groups.handle, 0, COIL_CPU, &one), COIL_OK);
  ASSERT_EQ(coil_register_process_group(&one), COIL_OK);
  EXPECT_EQ(coil_register_process_group(&one), COIL_INVALID_ARGUMENT);
  {
    Caller c;
    void *memory = nullptr;
    ASSERT_EQ(coil_rt_alloc(c.run, 64, &memory), COIL_OK);
    int64_t size = 4, stride = 1;
    coil_tensor x = {static_cast<char *>(memory) + 16,
                     &size,
                     &stride,
                     1,
                     COIL_F32,
                     COIL_CPU,
                     0};
    std::memset(memory, 0, 64);
    coil_call_site site = {sizeof(site), COIL_CPU, "coil::all_reduce",
                           "model.py:7", nullptr,  nullptr};
    coil_argument arguments[3] = {{}, group, text("sum")};
    arguments[0].kind = COIL_ARGUMENT_TENSOR;
    arguments[0].value.tensor = &x;
    ASSERT_EQ(coil_rt_call(c.run, &site, 3, arguments, 1, &x, 0, nullptr),
              COIL_OK);
    EXPECT_EQ(coil_rt_free(c.run, memory), COIL_ASSERTION_FAILED);
    EXPECT_STREQ(coil_last_error(),
                 "memory is freed that all_reduce of group 'unit' (model.py:7) "
                 "still uses, which nothing has waited for");
    EXPECT_EQ(coil_unregister_process_group("unit", COIL_CPU),
              COIL_INVALID_ARGUMENT);
    // What a run has started ends with it, or before.
    EXPECT_EQ(coil_run_abandon(c.run), COIL_OK);
    EXPECT_EQ(coil_rt_free(c.run, memory), COIL_OK);
    ASSERT_EQ(coil_rt_alloc(c.run, 64, &memory), COIL_OK);
    x.data = memory;
    ASSERT_EQ(coil_rt_call(c.run, &site, 3, arguments, 1, &x, 0, nullptr),
              COIL_OK);
  }
  EXPECT_EQ(coil_unregister_process_group("unit", COIL_CPU), COIL_OK);
  EXPECT_EQ(coil_unregister_process_group("unit", COIL_CPU),
            COIL_INVALID_ARGUMENT);
}

TEST(CollectivesTest, argumentsAreChecked) {
  Groups groups(2);
  onRanks(groups.handle, 2, [&](int32_t, Caller &c) {
    Floats x(4), y(4), z(3);
    EXPECT_NE(c.call("coil::all_gather", x, y, {group}), COIL_OK);
    EXPECT_NE(c.message.find("has 4 rows and gives 4, but there are 2 ranks"),
              std::string::npos);
    EXPECT_NE(c.call("coil::broadcast", x, y, {group, number(2)}), COIL_OK);
    EXPECT_NE(c.message.find("has the root 2"), std::string::npos);
    EXPECT_NE(c.call("coil::all_to_all", z, z, {group, {}, {}}), COIL_OK);
    EXPECT_NE(c.message.find("cannot cut 3 rows into 2 pieces"),
              std::string::npos);
    std::vector<coil_argument> three = {number(1), number(1), number(2)};
    EXPECT_NE(c.call("coil::all_to_all", x, y,
                     {group, Caller::list(three), Caller::list(three)}),
              COIL_OK);
    EXPECT_NE(c.message.find("has 3 splits for 2 ranks"), std::string::npos);
    EXPECT_NE(c.call("coil::all_reduce", x, y, {group, text("xor")}), COIL_OK);
    EXPECT_EQ(c.call("coil::all_reduce", x, y, {text("none"), text("sum")}),
              COIL_UNAVAILABLE);
    EXPECT_NE(c.message.find("the process group 'none' is not registered for "
                             "cpu; there is 'unit' for cpu"),
              std::string::npos)
        << c.message;
  });
  coil_local_groups *none = nullptr;
  EXPECT_EQ(coil_local_groups_create(0, "x", 10, &none), COIL_INVALID_ARGUMENT);
  coil_process_group bad;
  EXPECT_EQ(coil_local_groups_get(groups.handle, 2, COIL_CPU, &bad),
            COIL_INVALID_ARGUMENT);
  EXPECT_EQ(coil_local_groups_get(groups.handle, 0, COIL_CUDA, &bad),
            COIL_INVALID_ARGUMENT);
  bad = {};
  EXPECT_EQ(coil_register_process_group(&bad), COIL_INVALID_ARGUMENT);
}

namespace {

/// A group with memory of its own, of which there is one piece.
struct MemoryGroup {
  alignas(64) char memory[256];
  int taken = 0, given = 0;

  coil_process_group describe() {
    auto none = [](void *, const coil_collective *, void **) -> int32_t {
      return coil_rt_fail(nullptr, COIL_UNSUPPORTED, "only memory");
    };
    auto wait = [](void *, void *, void *) -> int32_t { return COIL_OK; };
    auto abort = [](void *, void *) {};
    auto alloc = [](void *user, int32_t kind, int64_t bytes,
                    void **out) -> int32_t {
      auto *self = static_cast<MemoryGroup *>(user);
      if (kind != COIL_COMM_SYMMETRIC || bytes > 256)
        return COIL_UNAVAILABLE;
      ++self->taken;
      *out = self->memory;
      return COIL_OK;
    };
    auto free = [](void *user, void *) {
      ++static_cast<MemoryGroup *>(user)->given;
    };
    // Nothing behind `user`, as of who was compiled when that was all.
    coil_process_group group = {};
    group.struct_size = COIL_PROCESS_GROUP_BASE_SIZE;
    group.device_type = COIL_CPU;
    group.name = "memory";
    group.size = 1;
    group.start = none;
    group.wait = wait;
    group.abort = abort;
    group.alloc = alloc;
    group.free = free;
    group.user = this;
    return group;
  }
};

} // namespace

// B25
TEST(CollectivesTest, groupsGiveMemory) {
  MemoryGroup memory;
  coil_process_group description = memory.describe();
  ASSERT_EQ(coil_register_process_group(&description), COIL_OK);
  {
    Caller c;
    void *a = nullptr, *b = nullptr;
    ASSERT_EQ(coil_rt_comm_alloc(c.run, "memory", COIL_COMM_SYMMETRIC, 64, &a),
              COIL_OK);
    EXPECT_EQ(a, memory.memory);
    // What the group has not is ordinary memory.
    ASSERT_EQ(coil_rt_comm_alloc(c.run, "memory", COIL_COMM_REGISTERED, 64, &b),
              COIL_OK);
    EXPECT_NE(b, memory.memory);
    void *all[] = {a, b};
    EXPECT_EQ(coil_rt_check_lifetime(c.run, COIL_LIFETIME_ALIVE, "f", "s", 2,
                                     "a\nb", all),
              COIL_OK);
    EXPECT_EQ(coil_rt_comm_free(c.run, a), COIL_OK);
    EXPECT_EQ(coil_rt_comm_free(c.run, b), COIL_OK);
    EXPECT_EQ(memory.given, 1);
    // A run that fails gives it back.
    ASSERT_EQ(coil_rt_comm_alloc(c.run, "memory", COIL_COMM_SYMMETRIC, 64, &a),
              COIL_OK);
    EXPECT_EQ(coil_rt_comm_alloc(c.run, "nothing", COIL_COMM_SYMMETRIC, 64, &b),
              COIL_UNAVAILABLE);
    Floats x(1);
    EXPECT_EQ(c.call("coil::all_gather", x, x, {text("memory")}),
              COIL_UNSUPPORTED);
    EXPECT_NE(c.message.find("all_gather of group 'memory' (model.py:7): only "
                             "memory"),
              std::string::npos);
  }
  EXPECT_EQ(memory.given, 2);
  EXPECT_EQ(coil_unregister_process_group("memory", COIL_CPU), COIL_OK);
}
