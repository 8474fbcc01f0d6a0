//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests of the registry of host functions, and of calls.
//
//===----------------------------------------------------------------------===//

#include "RuntimeTest.h"

#include "coil/Runtime/Functions.h"

#include <atomic>
#include <stdexcept>
#include <thread>

namespace {

/// Gives `n` floats, where `n` is its first argument; fails for 13, and throws
/// for 14.
int32_t makeFloats(coil_call *call, void *user) {
  ++*static_cast<std::atomic<int64_t> *>(user);
  const int64_t *n = coil_call_int(call, 0);
  if (!n)
    return coil_call_fail(call, "expected a number");
  void *scratch = nullptr;
  const coil_tensor *tensor = nullptr;
  if (coil_call_scratch(call, 100, &scratch) ||
      coil_call_result(call, 0, COIL_F32, 1, n, &tensor))
    return COIL_INVALID_ARGUMENT;
  for (int64_t i = 0; i < *n; ++i)
    static_cast<float *>(tensor->data)[i] = float(i);
  if (*n == 13)
    return coil_call_fail(call, "13 is no good number");
  if (*n == 14)
    throw std::runtime_error("14 is worse");
  return COIL_OK;
}

std::atomic<int64_t> numCalls;

class FunctionsTest : public RuntimeTest {
protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    if (coil_find_function("unit::floats", COIL_CPU, nullptr))
      ASSERT_EQ(add("unit::floats", makeFloats, &numCalls), COIL_OK);
  }

  static int32_t add(const char *name, coil_function_pointer call,
                     void *user = nullptr, int32_t device = COIL_CPU) {
    coil_function function = {
        sizeof(coil_function), 0, name, device, 0, call, user};
    return coil_register_function(&function);
  }

  /// Calls `unit::floats`; the result is in `result`.
  int32_t callFloats(coil_call_site &site, int64_t n) {
    coil_argument argument = {};
    argument.kind = COIL_ARGUMENT_INT;
    argument.value.integer = n;
    result = {nullptr, &size, &stride, 1, COIL_F32, COIL_CPU, 0};
    return coil_rt_call(run, &site, 1, &argument, 0, nullptr, 1, &result);
  }

  int64_t size = -1, stride = -1;
  coil_tensor result = {};
};

coil_call_site siteOf(const char *name, const char *where = nullptr) {
  return {sizeof(coil_call_site), COIL_CPU, name, where, nullptr, nullptr};
}

// What a function allocates is the caller's, and of a call that fails nothing
// is left: 100,000 of each.
TEST_F(FunctionsTest, LeavesNothingBehind) {
  coil_call_site site = siteOf("unit::floats", "model.py:3");
  coil_allocator_stats before, after;
  coil_run_stats stats;
  for (int64_t i = 0; i < 100000; ++i) {
    if (i == 1000)
      coil_allocator_get_stats(&before);
    ASSERT_EQ(callFloats(site, i % 10), COIL_OK);
    EXPECT_EQ(size, i % 10);
    EXPECT_EQ(stride, 1);
    coil_run_get_stats(run, &stats);
    ASSERT_EQ(stats.live_allocations, 1);
    ASSERT_EQ(coil_rt_free(run, result.data), COIL_OK);
    ASSERT_EQ(callFloats(site, 13 + i % 2) == COIL_OK, false);
    EXPECT_EQ(result.data, nullptr);
  }
  coil_run_get_stats(run, &stats);
  EXPECT_EQ(stats.live_allocations, 0);
  EXPECT_EQ(stats.live_bytes, 0);
  EXPECT_EQ(stats.library_calls, 200000);
  coil_allocator_get_stats(&after);
  EXPECT_EQ(after.in_use_bytes, before.in_use_bytes);
  EXPECT_EQ(after.cached_bytes, before.cached_bytes);
}

TEST_F(FunctionsTest, ErrorsNameFunctionAndPlace) {
  coil_call_site site = siteOf("unit::floats", "model.py:3");
  EXPECT_EQ(callFloats(site, 13), COIL_ASSERTION_FAILED);
  EXPECT_STREQ(coil_last_error(), "the function 'unit::floats' (model.py:3) "
                                  "failed: 13 is no good number");
  EXPECT_EQ(callFloats(site, 14), COIL_INTERNAL);
  EXPECT_STREQ(coil_last_error(),
               "the function 'unit::floats' (model.py:3) failed: internal "
               "error: 14 is worse");
  coil_call_site plain = siteOf("unit::floats");
  EXPECT_EQ(callFloats(plain, -1), COIL_INVALID_ARGUMENT);
  EXPECT_STREQ(coil_last_error(),
               "the function 'unit::floats' failed: result 0 "
               "has the sizes [-1], which no tensor has");
  coil_call_site missing = siteOf("unit::nothing", "model.py:4");
  EXPECT_EQ(callFloats(missing, 1), COIL_UNAVAILABLE);
  EXPECT_STREQ(coil_last_error(),
               "the function 'unit::nothing' is not registered for cpu, in "
               "call (model.py:4)");
}

// There is no memory for the result: the call fails, the run goes on.
TEST_F(FunctionsTest, SurvivesFailedAllocations) {
  coil_call_site site = siteOf("unit::floats");
  for (int64_t n : {0, 1}) {
    coil_debug_fail_alloc_after(n);
    EXPECT_EQ(callFloats(site, 4) == COIL_OK, false);
    coil_debug_fail_alloc_after(-1);
    coil_run_stats stats;
    coil_run_get_stats(run, &stats);
    EXPECT_EQ(stats.live_allocations, 0);
  }
  EXPECT_EQ(callFloats(site, 4), COIL_OK);
}

TEST_F(FunctionsTest, NamesAreTakenOnce) {
  EXPECT_EQ(add("unit::floats", makeFloats, &numCalls), COIL_INVALID_ARGUMENT);
  EXPECT_STREQ(coil_last_error(),
               "the function 'unit::floats' is registered for cpu already; "
               "another version of it needs a name of its own, such as "
               "'unit::floats_v2'");
  // Another device has a function of its own.
  EXPECT_EQ(add("unit::floats", makeFloats, &numCalls, COIL_CUDA), COIL_OK);
  for (const char *name : {"floats", "::floats", "unit::", "unit::a b", ""}) {
    EXPECT_EQ(add(name, makeFloats), COIL_INVALID_ARGUMENT) << name;
    EXPECT_NE(strstr(coil_last_error(), "is no name of a function"), nullptr);
  }
  EXPECT_EQ(add("unit::device", makeFloats, nullptr, 7), COIL_INVALID_ARGUMENT);
  EXPECT_EQ(coil_register_function(nullptr), COIL_INVALID_ARGUMENT);
}

// What there is instead of a function that is missing.
TEST_F(FunctionsTest, MissingFunctionsHaveHints) {
  ASSERT_EQ(add("unit::hint_v2", makeFloats, &numCalls), COIL_OK);
  ASSERT_EQ(add("unit::other", makeFloats, &numCalls, COIL_CUDA), COIL_OK);
  EXPECT_EQ(coil_find_function("unit::hint", COIL_CPU, nullptr),
            COIL_UNAVAILABLE);
  EXPECT_STREQ(coil_last_error(), "the function 'unit::hint' is not registered "
                                  "for cpu; there is 'unit::hint_v2'");
  EXPECT_EQ(coil_find_function("unit::hint_v3", COIL_CPU, nullptr),
            COIL_UNAVAILABLE);
  EXPECT_NE(strstr(coil_last_error(), "there is 'unit::hint_v2'"), nullptr);
  EXPECT_EQ(coil_find_function("unit::other", COIL_CPU, nullptr),
            COIL_UNAVAILABLE);
  EXPECT_STREQ(coil_last_error(), "the function 'unit::other' is not "
                                  "registered for cpu; it is for cuda");
  EXPECT_EQ(coil_find_function("coil::scatter", COIL_CPU, nullptr), COIL_OK);
  EXPECT_EQ(coil_find_function("coil::index_put", COIL_CPU, nullptr), COIL_OK);
}

// What emitted programs ask when a run is bound.
TEST_F(FunctionsTest, NamesAllThatAreMissing) {
  auto site = [](const char *name, int32_t device, const char *where) {
    return coil_call_site{
        sizeof(coil_call_site), device, name, where, nullptr, nullptr};
  };
  coil_call_site sites[] = {site("unit::floats", COIL_CPU, "model.py:1"),
                            site("unit::none", COIL_CPU, "model.py:2"),
                            site("coil::scatter", COIL_CUDA, nullptr)};
  EXPECT_EQ(coil_require_functions(sites, 1), COIL_OK);
  EXPECT_EQ(coil_require_functions(nullptr, 0), COIL_OK);
  EXPECT_EQ(coil_require_functions(sites, 3), COIL_UNAVAILABLE);
  EXPECT_STREQ(coil_last_error(),
               "the function 'unit::none' is not registered for cpu (called at "
               "model.py:2); the function 'coil::scatter' is not registered "
               "for cuda; it is for cpu, where --host-fallbacks lets it run");
}

TEST_F(FunctionsTest, LibrariesThatCannotBeLoaded) {
  EXPECT_EQ(coil_load_functions("/nowhere.so"), COIL_UNAVAILABLE);
  EXPECT_NE(strstr(coil_last_error(), "cannot load the functions of "
                                      "'/nowhere.so'"),
            nullptr);
  // The runtime itself registers nothing.
  EXPECT_EQ(coil_load_functions("libdl.so.2"), COIL_INVALID_ARGUMENT);
  EXPECT_NE(
      strstr(coil_last_error(), "has no function 'coil_register_functions'"),
      nullptr);
}

// Threads register and call at once; sites are shared.
TEST_F(FunctionsTest, ThreadsMayRegisterAndCall) {
  coil_call_site site = siteOf("unit::floats");
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      coil_run *own = nullptr;
      coil_run_create(&own);
      for (int i = 0; i < 500; ++i) {
        std::string name =
            "unit::t" + std::to_string(t) + "_" + std::to_string(i);
        wrong += add(name.c_str(), makeFloats, &numCalls) != COIL_OK;
        wrong += coil_find_function(name.c_str(), COIL_CPU, nullptr) != COIL_OK;
        int64_t sizes[1], strides[1];
        coil_argument argument = {};
        argument.kind = COIL_ARGUMENT_INT;
        argument.value.integer = i % 10;
        coil_tensor made = {nullptr, sizes, strides, 1, COIL_F32, COIL_CPU, 0};
        wrong += coil_rt_call(own, &site, 1, &argument, 0, nullptr, 1, &made) !=
                 COIL_OK;
        wrong += coil_rt_free(own, made.data) != COIL_OK;
      }
      coil_run_destroy(own);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

} // namespace
