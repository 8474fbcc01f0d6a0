//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests of whole programs in memory: failures half-way, callers at once, sizes
// of one compilation.
//
//===----------------------------------------------------------------------===//

#include "coil/Driver/CompiledProgram.h"

#include "coil/Package/Package.h"
#include "coil/Support/Npy.h"
#include "gtest/gtest.h"

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

class CompiledProgramTest : public testing::Test {
protected:
  void SetUp() override {
    if (getModel("").empty())
      GTEST_SKIP() << "COIL_MODELS is not set";
  }

  std::unique_ptr<CompiledProgram>
  compile(llvm::StringRef name, llvm::StringRef pipelineOptions = "") {
    JITOptions options;
    options.pipelineOptions = pipelineOptions.str();
    // What LLVM's threads do is not what is tested.
    options.engine.threads = 1;
    llvm::Expected<std::unique_ptr<CompiledProgram>> program =
        CompiledProgram::compile(getModel(name), options);
    if (program)
      return std::move(*program);
    ADD_FAILURE() << toString(program.takeError());
    return nullptr;
  }
};

std::vector<float> valuesOf(const RunResult &result) {
  const coil_tensor &tensor = result.getOutputs()[0];
  int64_t count = 1;
  for (int32_t d = 0; d < tensor.rank; ++d)
    count *= tensor.sizes[d];
  auto *data = static_cast<float *>(tensor.data);
  return std::vector<float>(data, data + count);
}

// Each allocation of a run fails once: an error each time, and nothing stays
// allocated. That holds in every part of a host program.
TEST_F(CompiledProgramTest, SurvivesEveryAllocationFailure) {
  for (auto [model, pipelineOptions] :
       {std::pair<llvm::StringRef, llvm::StringRef>{"digits_cnn", ""},
        {"char_gpt", ""},
        {"char_gpt", "host-steps=10"}}) {
    std::unique_ptr<CompiledProgram> program =
        compile((model + ".pt2").str(), pipelineOptions);
    ASSERT_TRUE(program);
    bool digits = model == "digits_cnn";
    HostTensor input = llvm::cantFail(readNpy(
        getModel(digits ? "digits_images.npy" : "char_gpt_prompt.npy")));
    std::vector<float> expected =
        valuesOf(llvm::cantFail(program->run({input.getView()})));
    coil_allocator_stats before, after;
    coil_allocator_get_stats(&before);
    int64_t failures = 0;
    for (int64_t n = 0;; ++n) {
      coil_debug_fail_alloc_after(n);
      llvm::Expected<RunResult> result = program->run({input.getView()});
      bool fired = coil_debug_fail_alloc_after(-1) < 0;
      if (!fired) {
        ASSERT_TRUE(bool(result)) << toString(result.takeError());
        EXPECT_EQ(valuesOf(*result), expected);
        break;
      }
      ASSERT_FALSE(bool(result));
      std::string message = toString(result.takeError());
      EXPECT_EQ(message.find("out of memory"), 0u) << message;
      ++failures;
    }
    EXPECT_GT(failures, 5);
    coil_allocator_get_stats(&after);
    EXPECT_EQ(after.in_use_bytes, before.in_use_bytes);
  }
}

// What one compilation leaves for the next does not change the next: the code
// is the same whatever was compiled before, failed, or is compiled beside.
TEST_F(CompiledProgramTest, CompilationsLeaveNothingBehind) {
  auto codeOf = [](const CompiledProgram &program) {
    std::string code;
    for (const HostObject &object : program.getEngine().getImage()->objects)
      code += object.code->getBuffer().str();
    return code;
  };
  std::unique_ptr<CompiledProgram> first = compile("digits_cnn.pt2");
  ASSERT_TRUE(first);
  std::string expected = codeOf(*first);
  int64_t kernels = first->getStats().kernelsBefore;
  EXPECT_GT(kernels, 0);
  ASSERT_TRUE(compile("char_gpt.pt2"));
  // Other options, and back.
  std::unique_ptr<CompiledProgram> other =
      compile("digits_cnn.pt2", "fuse=false");
  ASSERT_TRUE(other);
  EXPECT_NE(codeOf(*other), expected);
  JITOptions bad;
  bad.engine.threads = 1;
  bad.pipelineOptions = "float32-matmul-precision=some";
  for (int i = 0; i < 2; ++i) {
    llvm::Expected<std::unique_ptr<CompiledProgram>> failed =
        CompiledProgram::compile(getModel("digits_cnn.pt2"), bad);
    ASSERT_FALSE(bool(failed));
    std::string message = toString(failed.takeError());
    EXPECT_NE(message.find("unknown value 'some' of the option"), message.npos)
        << message;
  }
  std::vector<std::thread> threads;
  std::vector<std::string> codes(4);
  for (std::string &code : codes)
    threads.emplace_back([&] {
      for (int i = 0; i < 2; ++i)
        if (std::unique_ptr<CompiledProgram> program =
                compile("digits_cnn.pt2")) {
          code = codeOf(*program);
          EXPECT_EQ(program->getStats().kernelsBefore, kernels);
        }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &code : codes)
    EXPECT_EQ(code, expected);
}

TEST_F(CompiledProgramTest, ManyCallersAtOnce) {
  std::unique_ptr<CompiledProgram> program = compile("char_gpt.pt2");
  ASSERT_TRUE(program);
  HostTensor input = llvm::cantFail(readNpy(getModel("char_gpt_prompt.npy")));
  std::vector<float> expected =
      valuesOf(llvm::cantFail(program->run({input.getView()})));
  std::vector<std::thread> callers;
  for (int t = 0; t < 4; ++t)
    callers.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        std::vector<float> values =
            valuesOf(llvm::cantFail(program->run({input.getView()})));
        ASSERT_EQ(values.size(), expected.size());
        for (size_t j = 0; j < values.size(); ++j)
          ASSERT_NEAR(values[j], expected[j], 1e-4);
      }
    });
  for (std::thread &caller : callers)
    caller.join();
}

// A sequence is the beginning of a longer one: a causal model gives the same
// logits for it, whatever the batch.
TEST_F(CompiledProgramTest, EverySequenceLengthFromOneCompilation) {
  std::unique_ptr<CompiledProgram> program = compile("char_gpt.pt2");
  ASSERT_TRUE(program);
  auto makeTokens = [](int64_t batch, int64_t length) {
    HostTensor tokens = *HostTensor::create(COIL_I64, {batch, length});
    auto *data = reinterpret_cast<int64_t *>(tokens.getData());
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t i = 0; i < length; ++i)
        data[b * length + i] = 32 + (i * i * 7 + i * 13) % 95;
    return tokens;
  };
  HostTensor longest = makeTokens(1, 256);
  RunResult reference = llvm::cantFail(program->run({longest.getView()}));
  std::vector<float> expected = valuesOf(reference);
  int64_t vocabulary = reference.getOutputs()[0].sizes[2];
  for (int64_t length = 2; length <= 256; ++length) {
    int64_t batch = length % 29 == 0 ? 3 : 1;
    HostTensor tokens = makeTokens(batch, length);
    llvm::Expected<RunResult> result = program->run({tokens.getView()});
    ASSERT_TRUE(bool(result)) << toString(result.takeError());
    std::vector<float> values = valuesOf(*result);
    ASSERT_EQ(values.size(), size_t(batch * length * vocabulary));
    for (size_t i = 0; i < values.size(); ++i)
      ASSERT_NEAR(values[i], expected[i % size_t(length * vocabulary)], 2e-3)
          << "length " << length;
  }
}

TEST_F(CompiledProgramTest, WrongInputsAreErrors) {
  std::unique_ptr<CompiledProgram> program = compile("digits_cnn.pt2");
  ASSERT_TRUE(program);
  EXPECT_EQ(toString(program->run({}).takeError()),
            "expected 1 input but got 0");
  llvm::Expected<RunResult> result =
      program->run({HostTensor::create(COIL_F32, {4097, 1, 8, 8})->getView()});
  ASSERT_FALSE(bool(result));
  EXPECT_TRUE(result.errorIsA<InputError>());
  llvm::consumeError(result.takeError());
}

// Of the variants that a processor can run, that which uses most of it; the
// first of equal ones.
TEST_F(CompiledProgramTest, PackagesTakeTheBestVariant) {
  std::unique_ptr<CompiledProgram> program = compile("digits_cnn.pt2");
  ASSERT_TRUE(program);
  auto select = [&](std::vector<const char *> features) -> int64_t {
    ProgramPackage package;
    for (const char *each : features) {
      ProgramImage image = *program->getEngine().getImage();
      image.features = each;
      package.variants.emplace_back().main =
          std::make_shared<const ProgramImage>(std::move(image));
    }
    llvm::Expected<const ProgramVariant *> selected = selectVariant(package);
    if (selected)
      return *selected - package.variants.data();
    llvm::consumeError(selected.takeError());
    return -1;
  };
  EXPECT_EQ(select({"+sse2", "+sse,+sse2", "+sse,+sse2,+not-there"}), 1);
  EXPECT_EQ(select({"+sse,+sse2,-sse4a", "+sse2"}), 0);
  EXPECT_EQ(select({"+sse2", "+sse"}), 0);
  EXPECT_EQ(select({"+not-there", "", "+nor-this"}), 1);
  EXPECT_EQ(select({"+not-there"}), -1);
}

} // namespace
