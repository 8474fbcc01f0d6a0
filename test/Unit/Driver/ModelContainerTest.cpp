//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests of weights that change while a program runs (F37, B19): updates, swaps,
// failures in the middle of them, and callers at the same time.
//
//===----------------------------------------------------------------------===//

#include "coil/Driver/CompiledProgram.h"
#include "coil/Driver/WeightFile.h"

#include "coil/Support/HostTensor.h"
#include "coil/Support/Npy.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <array>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <thread>

using namespace coil;

namespace {

std::string getModel(llvm::StringRef name) {
  const char *directory = getenv("COIL_MODELS");
  return directory ? (directory + ("/" + name)).str() : "";
}

std::vector<float> valuesOf(const RunResult &result) {
  const coil_tensor &tensor = result.getOutputs()[0];
  int64_t count = 1;
  for (int32_t d = 0; d < tensor.rank; ++d)
    count *= tensor.sizes[d];
  auto *data = static_cast<float *>(tensor.data);
  return std::vector<float>(data, data + count);
}

bool areClose(const std::vector<float> &a, const std::vector<float> &b) {
  for (size_t i = 0; i < a.size(); ++i)
    if (!(std::abs(a[i] - b[i]) <= 1e-3))
      return false;
  return a.size() == b.size();
}

std::string toText(llvm::Error error) { return toString(std::move(error)); }

/// A program with a product of a weight, which is computed once.
constexpr const char *preparedText = R"(
!w = tensor<64x512xf32>
!x = tensor<?x64xf32, #sym.shape<[s0, 64]>>
func.func @main(%x: !x, %w: !w {graph.weight = "f1.weight"}) -> !x
    attributes {sym.symbols = {s0 = #sym.range<1, 64>}} {
  %t = graph.permute %w [1, 0] : (!w) -> tensor<512x64xf32>
  %g = graph.matmul %w, %t : (!w, tensor<512x64xf32>) -> tensor<64x64xf32>
  %y = graph.matmul %x, %g : (!x, tensor<64x64xf32>) -> !x
  return %y : !x
}
)";

/// A program of which an output is a weight.
constexpr const char *aliasText = R"(
!x = !wrapper.buffer<[3, 64], f32, #wrapper.device<"cpu">>
!w = !wrapper.buffer<[64, 512], f32, #wrapper.device<"cpu">>
wrapper.func @main(%x: !x, %w: !w {graph.weight = "f1.weight"}) -> !w {
  wrapper.return %w : !w
}
)";

class ModelContainerTest : public testing::Test {
protected:
  void SetUp() override {
    if (getModel("").empty())
      GTEST_SKIP() << "COIL_MODELS is not set";
  }

  std::unique_ptr<CompiledProgram> compile(llvm::StringRef path,
                                           JITOptions options = {}) {
    // What LLVM's threads do is not what is tested.
    options.engine.threads = 1;
    llvm::Expected<std::unique_ptr<CompiledProgram>> program =
        CompiledProgram::compile(path, options);
    if (program)
      return std::move(*program);
    ADD_FAILURE() << toString(program.takeError());
    return nullptr;
  }
  std::unique_ptr<CompiledProgram> compileDigits() {
    images = llvm::cantFail(readNpy(getModel("digits_images.npy")));
    return compile(getModel("digits_cnn.pt2"));
  }
  std::unique_ptr<CompiledProgram> compileText(llvm::StringRef text) {
    llvm::SmallString<128> path;
    int file;
    if (llvm::sys::fs::createTemporaryFile("prepared", "mlir", file, path)) {
      ADD_FAILURE() << "no temporary file";
      return nullptr;
    }
    llvm::raw_fd_ostream(file, /*shouldClose=*/true) << text;
    JITOptions options;
    options.weights = getModel("digits_cnn.pt2");
    options.pipelineOptions = "library=none";
    std::unique_ptr<CompiledProgram> program = compile(path, options);
    llvm::sys::fs::remove(path);
    images = *HostTensor::create(COIL_F32, {3, 64});
    auto *data = reinterpret_cast<float *>(images.getData());
    for (int i = 0; i < 3 * 64; ++i)
      data[i] = float(i % 7) - 3;
    return program;
  }

  std::vector<float> run(const CompiledProgram &program) {
    return valuesOf(llvm::cantFail(program.run({images.getView()})));
  }

  /// Each weight of the program times `factor`, in memory of the test's. Counts
  /// of batches stay as they are.
  std::vector<NamedWeight> scale(const CompiledProgram &program, float factor) {
    const ModelContainer &container = program.getContainer();
    std::vector<NamedWeight> result;
    for (size_t i = 0; i < container.getNumWeights(); ++i) {
      NamedWeight weight = llvm::cantFail(container.getWeight(i));
      tensors.push_back(std::make_shared<HostTensor>(*HostTensor::create(
          weight.tensor.dtype,
          {weight.tensor.sizes, size_t(weight.tensor.rank)})));
      HostTensor &copy = *tensors.back();
      auto *from = static_cast<const float *>(weight.tensor.data);
      auto *to = reinterpret_cast<float *>(copy.getData());
      for (int64_t j = 0; j < copy.getNumElements(); ++j)
        to[j] = from[j] * factor;
      result.push_back({weight.name, copy.getView(), nullptr, std::nullopt});
    }
    return result;
  }

  HostTensor images;
  std::vector<std::shared_ptr<HostTensor>> tensors;
};

TEST_F(ModelContainerTest, UpdatesTakeEffectAtTheSwap) {
  std::unique_ptr<CompiledProgram> program = compileDigits();
  ASSERT_TRUE(program);
  ModelContainer &container = program->getContainer();
  std::vector<float> before = run(*program);
  EXPECT_EQ(container.getInactive(), InactiveWeights::None);

  std::vector<NamedWeight> doubled = scale(*program, 2);
  EXPECT_FALSE(bool(container.update(doubled)));
  EXPECT_EQ(container.getInactive(), InactiveWeights::Updated);
  EXPECT_EQ(run(*program), before);
  EXPECT_FALSE(bool(container.prepare()));
  EXPECT_EQ(container.getInactive(), InactiveWeights::Prepared);
  EXPECT_EQ(run(*program), before);
  EXPECT_FALSE(bool(container.swap()));
  EXPECT_EQ(container.getInactive(), InactiveWeights::Previous);
  EXPECT_EQ(container.getActiveNumber(), 1u);
  std::vector<float> after = run(*program);
  EXPECT_FALSE(areClose(after, before));

  // Back, and away with the others.
  EXPECT_FALSE(bool(container.swap()));
  EXPECT_EQ(container.getActiveNumber(), 0u);
  EXPECT_EQ(run(*program), before);
  EXPECT_EQ(container.getNumSets(), 2);
  container.drop();
  EXPECT_EQ(container.getNumSets(), 1);
  EXPECT_EQ(toText(container.swap()), "there are no weights to swap to");
  EXPECT_EQ(toText(container.prepare()), "there are no weights to prepare");
}

// What an update leaves out is what earlier ones since the swap made it, and
// else what is in use; never what was in use before.
TEST_F(ModelContainerTest, UpdatesAddUpUntilTheSwap) {
  std::unique_ptr<CompiledProgram> program = compileDigits();
  ASSERT_TRUE(program);
  ModelContainer &container = program->getContainer();
  std::vector<NamedWeight> doubled = scale(*program, 2);
  ASSERT_FALSE(bool(container.update(doubled)));
  ASSERT_FALSE(bool(container.swap()));
  std::vector<float> all = run(*program);
  ASSERT_FALSE(bool(container.swap()));
  container.drop();

  for (const NamedWeight &weight : doubled)
    ASSERT_FALSE(bool(container.update({weight})));
  EXPECT_EQ(container.getNumSets(), 2);
  ASSERT_FALSE(bool(container.swap()));
  EXPECT_EQ(container.getActiveNumber(), 2u);
  EXPECT_EQ(run(*program), all);
  // Nothing changes when nothing is given: the set in use is the base.
  ASSERT_FALSE(bool(container.update({})));
  ASSERT_FALSE(bool(container.swap()));
  EXPECT_EQ(run(*program), all);
}

TEST_F(ModelContainerTest, WrongUpdatesChangeNothing) {
  std::unique_ptr<CompiledProgram> program = compileDigits();
  ASSERT_TRUE(program);
  ModelContainer &container = program->getContainer();
  std::vector<float> before = run(*program);
  std::vector<NamedWeight> good = scale(*program, 2);
  size_t bias = *container.findWeight("f2.bias");
  int64_t wrongSize = 11, one = 1, two = 2, minus = -1;
  int64_t wrongRank[] = {10, 1};
  auto with = [&](auto change) {
    std::vector<NamedWeight> weights = good;
    change(weights[bias]);
    return weights;
  };
  UpdateOptions inPlace;
  inPlace.inPlace = true;
  auto owner = std::make_shared<int>(0);
  struct Case {
    std::vector<NamedWeight> weights;
    UpdateOptions options;
    const char *message;
  };
  UpdateOptions complete;
  complete.complete = true;
  std::vector<NamedWeight> twice = good;
  twice.push_back(good[bias]);
  std::vector<NamedWeight> fewer = good;
  fewer.erase(fewer.begin() + int64_t(bias));
  Case cases[] = {
      {with([](NamedWeight &w) { w.name = "f2.bios"; }),
       {},
       "there is no weight 'f2.bios'"},
      {twice, {}, "weight 'f2.bias' is given twice"},
      {fewer, complete, "weight 'f2.bias' is missing"},
      {with([](NamedWeight &w) { w.tensor.dtype = COIL_F64; }),
       {},
       "weight 'f2.bias': expected 10xf32 but got 10xf64"},
      {with([](NamedWeight &w) { w.tensor.dtype = 99; }),
       {},
       "weight 'f2.bias': expected 10xf32 but got 10xunknown"},
      {with([&](NamedWeight &w) { w.tensor.sizes = &wrongSize; }),
       {},
       "weight 'f2.bias': expected 10xf32 but got 11xf32"},
      {with([&](NamedWeight &w) {
         w.tensor.sizes = wrongRank;
         w.tensor.rank = 2;
       }),
       {},
       "weight 'f2.bias': expected 10xf32 but got 10x1xf32"},
      {with([](NamedWeight &w) { w.tensor.rank = -1; }),
       {},
       "weight 'f2.bias': the tensor has no sizes"},
      {with([](NamedWeight &w) { w.tensor.strides = nullptr; }),
       {},
       "weight 'f2.bias': the tensor has no strides"},
      {with([](NamedWeight &w) { w.tensor.data = nullptr; }),
       {},
       "weight 'f2.bias': the tensor has no memory"},
      {with([](NamedWeight &w) { w.tensor.device_type = 7; }),
       {},
       "weight 'f2.bias': the tensor is on an unknown device"},
      {with([](NamedWeight &w) { w.bytes = 39; }),
       {},
       "weight 'f2.bias': expected 40 bytes but got 39"},
      {with([&](NamedWeight &w) {
         w.bytes = 40;
         w.tensor.strides = &two;
       }),
       {},
       "weight 'f2.bias': expected 76 bytes but got 40"},
      {with([&](NamedWeight &w) {
         w.bytes = 40;
         w.tensor.strides = &minus;
       }),
       {},
       "weight 'f2.bias': expected memory from its first element on"},
      {with([&](NamedWeight &w) {
         w.owner = owner;
         w.tensor.strides = &two;
       }),
       inPlace,
       "weight 'f2.bias' cannot be used where it is: its elements are not in "
       "host memory, do not lie row by row, or not at a multiple of their "
       "size"},
      {with([&](NamedWeight &w) {
         w.owner = owner;
         w.tensor.data = static_cast<char *>(w.tensor.data) + 2;
         w.tensor.strides = &one;
       }),
       inPlace,
       "weight 'f2.bias' cannot be used where it is: its elements are not in "
       "host memory, do not lie row by row, or not at a multiple of their "
       "size"},
  };
  for (bool staged : {false, true}) {
    if (staged)
      ASSERT_FALSE(bool(container.update(good)));
    coil_allocator_stats stats, now;
    coil_allocator_get_stats(&stats);
    InactiveWeights inactive = container.getInactive();
    for (const Case &each : cases) {
      EXPECT_EQ(toText(container.update(each.weights, each.options)),
                each.message);
      EXPECT_EQ(container.getInactive(), inactive);
      EXPECT_EQ(container.getNumSets(), staged ? 2 : 1);
    }
    coil_allocator_get_stats(&now);
    EXPECT_EQ(now.in_use_bytes, stats.in_use_bytes);
    EXPECT_EQ(owner.use_count(), 1 + 2); // Those of the cases.
    EXPECT_EQ(run(*program), before);
  }
}

// Weights of another layout are copied row by row.
TEST_F(ModelContainerTest, UpdateFromStrides) {
  std::unique_ptr<CompiledProgram> program = compileDigits();
  ASSERT_TRUE(program);
  ModelContainer &container = program->getContainer();
  NamedWeight bias =
      llvm::cantFail(container.getWeight(*container.findWeight("f2.bias")));
  std::vector<float> spread(20, NAN);
  for (int i = 0; i < 10; ++i)
    spread[size_t(18 - 2 * i)] =
        static_cast<const float *>(bias.tensor.data)[i];
  int64_t stride = -2;
  coil_tensor tensor = bias.tensor;
  tensor.data = &spread[18];
  tensor.strides = &stride;
  std::vector<float> before = run(*program);
  ASSERT_FALSE(
      bool(container.update({{"f2.bias", tensor, nullptr, std::nullopt}})));
  ASSERT_FALSE(bool(container.swap()));
  EXPECT_EQ(run(*program), before);
}

TEST_F(ModelContainerTest, MemoryOfTheCallerIsUsedWhereItIs) {
  std::unique_ptr<CompiledProgram> program = compileDigits();
  ASSERT_TRUE(program);
  ModelContainer &container = program->getContainer();
  std::vector<NamedWeight> weights = scale(*program, 2);
  auto owner = std::make_shared<int>(0);
  for (NamedWeight &weight : weights)
    weight.owner = owner;
  coil_allocator_stats before, after;
  coil_allocator_get_stats(&before);
  ASSERT_FALSE(bool(container.update(weights)));
  coil_allocator_get_stats(&after);
  EXPECT_EQ(after.in_use_bytes, before.in_use_bytes);
  ASSERT_FALSE(bool(container.swap()));
  EXPECT_EQ(llvm::cantFail(container.getWeight(0)).tensor.data,
            weights[0].tensor.data);
  size_t count = weights.size();
  weights.clear();
  EXPECT_EQ(owner.use_count(), long(1 + count));
  ASSERT_FALSE(bool(container.swap()));
  EXPECT_EQ(owner.use_count(), long(1 + count));
  container.drop();
  EXPECT_EQ(owner.use_count(), 1);
}

TEST_F(ModelContainerTest, WhatDependsOnWeightsIsComputedForEachSet) {
  std::unique_ptr<CompiledProgram> program = compileText(preparedText);
  ASSERT_TRUE(program);
  ModelContainer &container = program->getContainer();
  EXPECT_EQ(container.getNumPrepared(), 1u);
  std::vector<float> before = run(*program);
  ASSERT_FALSE(bool(container.update(scale(*program, 2))));
  ASSERT_FALSE(bool(container.swap()));
  // The product has the weight twice.
  std::vector<float> after = run(*program);
  for (size_t i = 0; i < before.size(); ++i)
    EXPECT_EQ(after[i], 4 * before[i]);
}

// An output that is a weight keeps its set.
TEST_F(ModelContainerTest, OutputsKeepTheWeightsThatTheyAre) {
  std::unique_ptr<CompiledProgram> program = compileText(aliasText);
  ASSERT_TRUE(program);
  ModelContainer &container = program->getContainer();
  ASSERT_FALSE(bool(container.update(scale(*program, 2))));
  ASSERT_FALSE(bool(container.swap()));
  std::optional<RunResult> result =
      llvm::cantFail(program->run({images.getView()}));
  EXPECT_EQ(result->getWeightsNumber(), 1u);
  std::vector<float> weight = valuesOf(*result);
  ASSERT_FALSE(bool(container.swap()));
  container.drop();
  EXPECT_EQ(container.getNumSets(), 2);
  // Memory that was given back would be somebody else's by now.
  ASSERT_FALSE(bool(container.update(scale(*program, 3))));
  EXPECT_EQ(valuesOf(*result), weight);
  container.drop();
  result.reset();
  EXPECT_EQ(container.getNumSets(), 1);
}

struct Interruption {
  ModelContainer *container;
  bool done = false;
  int64_t numSets = 0;
};

// A call goes on with the set that it began with, although that set is swapped
// out and dropped while the call runs; then it goes.
TEST_F(ModelContainerTest, OldWeightsGoWithTheirLastRun) {
  std::unique_ptr<CompiledProgram> program = compileDigits();
  ASSERT_TRUE(program);
  ModelContainer &container = program->getContainer();
  std::vector<float> before = run(*program);
  ASSERT_FALSE(bool(container.update(scale(*program, 2))));
  Interruption interruption{&container};
  RunOptions options;
  options.traceUser = &interruption;
  options.trace = [](void *user, const coil_trace_event *) {
    auto *interruption = static_cast<Interruption *>(user);
    if (interruption->done)
      return;
    interruption->done = true;
    ModelContainer &container = *interruption->container;
    EXPECT_FALSE(bool(container.swap()));
    container.drop();
    interruption->numSets = container.getNumSets();
  };
  RunResult result = llvm::cantFail(program->run({images.getView()}, options));
  EXPECT_TRUE(interruption.done);
  EXPECT_EQ(interruption.numSets, 2);
  EXPECT_EQ(container.getNumSets(), 1);
  EXPECT_EQ(result.getWeightsNumber(), 0u);
  EXPECT_EQ(valuesOf(result), before);
  EXPECT_FALSE(areClose(run(*program), before));
}

// Each allocation of an update, a swap and a run fails once: an error each
// time, the same weights as before, and nothing stays allocated.
TEST_F(ModelContainerTest, SurvivesEveryAllocationFailure) {
  for (bool isPrepared : {false, true}) {
    std::unique_ptr<CompiledProgram> program =
        isPrepared ? compileText(preparedText) : compileDigits();
    ASSERT_TRUE(program);
    ModelContainer &container = program->getContainer();
    std::vector<NamedWeight> weights = scale(*program, 2);
    std::vector<float> expected[2] = {run(*program), {}};
    ASSERT_FALSE(bool(container.update(weights)));
    ASSERT_FALSE(bool(container.swap()));
    expected[1] = run(*program);
    ASSERT_FALSE(bool(container.swap()));
    container.drop();

    enum Step { Update, Swap, Run };
    std::array<int64_t, 3> failures = {};
    for (Step step : {Update, Swap, Run})
      for (int64_t n = 0;; ++n) {
        coil_allocator_stats before, after;
        coil_allocator_get_stats(&before);
        InactiveWeights inactive = container.getInactive();
        uint64_t active = container.getActiveNumber();
        std::string message;
        coil_debug_fail_alloc_after(n);
        if (step == Run) {
          llvm::Expected<RunResult> result = program->run({images.getView()});
          if (!result)
            message = toString(result.takeError());
        } else {
          message = toText(step == Update ? container.update(weights)
                                          : container.swap());
        }
        bool fired = coil_debug_fail_alloc_after(-1) < 0;
        EXPECT_EQ(fired, !message.empty());
        if (!fired)
          break;
        EXPECT_NE(message.find("out of memory"), std::string::npos) << message;
        if (step == Update)
          EXPECT_EQ(message.find("weight '"), 0u) << message;
        coil_allocator_get_stats(&after);
        EXPECT_EQ(after.in_use_bytes, before.in_use_bytes);
        EXPECT_EQ(container.getInactive(), inactive);
        EXPECT_EQ(container.getActiveNumber(), active);
        EXPECT_EQ(run(*program), expected[step == Run]);
        ++failures[step];
      }
    EXPECT_EQ(failures[Update], int64_t(weights.size()));
    EXPECT_EQ(failures[Swap] > 0, isPrepared);
    EXPECT_GT(failures[Run], 0);
    EXPECT_EQ(run(*program), expected[1]);
  }
}

// Callers see one set or the other, never parts of both, and sets that are
// swapped out go.
TEST_F(ModelContainerTest, ManyCallersWhileWeightsAreSwapped) {
  std::unique_ptr<CompiledProgram> program = compileDigits();
  ASSERT_TRUE(program);
  ModelContainer &container = program->getContainer();
  std::vector<NamedWeight> weights[2] = {scale(*program, 1),
                                         scale(*program, 1.25f)};
  std::vector<float> expected[2];
  expected[0] = run(*program);
  ASSERT_FALSE(bool(container.update(weights[1])));
  ASSERT_FALSE(bool(container.swap()));
  expected[1] = run(*program);
  ASSERT_FALSE(areClose(expected[0], expected[1]));

  std::atomic<bool> stop{false};
  std::atomic<int64_t> calls[2] = {{0}, {0}};
  std::vector<std::thread> callers;
  for (int t = 0; t < 4; ++t)
    callers.emplace_back([&] {
      while (!stop) {
        llvm::Expected<RunResult> result = program->run({images.getView()});
        ASSERT_TRUE(bool(result)) << toString(result.takeError());
        size_t which = result->getWeightsNumber() % 2;
        ASSERT_TRUE(areClose(valuesOf(*result), expected[which]));
        ++calls[which];
      }
    });
  // Sets of odd numbers have the second weights.
  for (uint64_t number = 2; number < 60 || calls[0] < 20 || calls[1] < 20;
       ++number) {
    ASSERT_FALSE(bool(container.update(weights[number % 2])));
    if (number % 3 == 0)
      ASSERT_FALSE(bool(container.prepare()));
    ASSERT_FALSE(bool(container.swap()));
    if (number % 5 == 0) {
      ASSERT_FALSE(bool(container.swap()));
      ASSERT_FALSE(bool(container.swap()));
    }
    EXPECT_EQ(container.getActiveNumber(), number);
    if (number % 4 == 0)
      container.drop();
    EXPECT_LE(container.getNumSets(), 2 + 4);
  }
  stop = true;
  for (std::thread &caller : callers)
    caller.join();
  container.drop();
  EXPECT_EQ(container.getNumSets(), 1);
}

TEST_F(ModelContainerTest, UpdatesFromFiles) {
  std::unique_ptr<CompiledProgram> program = compileDigits();
  ASSERT_TRUE(program);
  ModelContainer &container = program->getContainer();
  std::vector<float> before = run(*program);
  ASSERT_FALSE(bool(container.update(scale(*program, 2))));
  ASSERT_FALSE(bool(container.swap()));
  std::vector<float> doubled = run(*program);

  // Weights of the set in use are what is saved.
  llvm::SmallString<128> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("weights", "coilpkg", path));
  ASSERT_FALSE(bool(program->save(path)));
  ASSERT_FALSE(bool(updateWeights(container, getModel("digits_cnn.pt2"))));
  ASSERT_FALSE(bool(container.swap()));
  EXPECT_EQ(run(*program), before);
  ASSERT_FALSE(bool(updateWeights(container, path)));
  llvm::sys::fs::remove(path); // It is mapped.
  ASSERT_FALSE(bool(container.swap()));
  EXPECT_EQ(run(*program), doubled);

  std::string message =
      toText(updateWeights(container, getModel("char_gpt.pt2")));
  EXPECT_NE(message.find("char_gpt.pt2': weight '"), std::string::npos);
  EXPECT_NE(message.find("' is missing"), std::string::npos) << message;
  message = toText(updateWeights(container, "no-such-file.coilpkg"));
  EXPECT_NE(message.find("no-such-file.coilpkg"), std::string::npos);

  // Files that were cut, and one with a byte that is another.
  auto file = llvm::MemoryBuffer::getFile(getModel("digits_cnn.pt2"));
  ASSERT_TRUE(bool(file));
  std::string text = (*file)->getBuffer().str();
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("weights", "pt2", path));
  auto refuse = [&](llvm::StringRef bytes) {
    std::error_code failure;
    llvm::raw_fd_ostream(path, failure) << bytes;
    message = toText(updateWeights(container, path));
    EXPECT_EQ(message.find("'" + path.str().str() + "': "), 0u) << message;
  };
  for (size_t length : {size_t(0), size_t(1000), text.size() - 1})
    refuse(llvm::StringRef(text).take_front(length));
  WeightFile original =
      llvm::cantFail(WeightFile::open(getModel("digits_cnn.pt2")));
  size_t place = text.find(llvm::StringRef(
      static_cast<const char *>(original.lookup("c2.weight")->tensor.data),
      64));
  ASSERT_NE(place, std::string::npos);
  text[place] ^= 1;
  refuse(text);
  EXPECT_NE(message.find("CRC-32"), std::string::npos) << message;
  llvm::sys::fs::remove(path);
  EXPECT_EQ(container.getInactive(), InactiveWeights::Previous);
  EXPECT_EQ(run(*program), doubled);
}

} // namespace
