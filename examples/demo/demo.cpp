//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles both example models, runs them on all their data, compares with what
// PyTorch computed, and lets the language model go on from a prompt.
//
//   coil-demo <directory of the models> [prompt]
//
//===----------------------------------------------------------------------===//

#include "coil/Driver/CompiledProgram.h"
#include "coil/Support/Npy.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <chrono>
#include <cmath>

using namespace coil;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
namespace cl = llvm::cl;

static cl::opt<std::string> directory(cl::Positional, cl::Required,
                                      cl::desc("<directory of the models>"));
static cl::opt<std::string> prompt(cl::Positional, cl::init("def read"),
                                   cl::desc("[text to continue]"));
static cl::opt<unsigned> length("length", cl::init(200),
                                cl::desc("Characters to generate"));

/// The longest text that the language model sees.
static constexpr size_t kContext = 256;

static double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

static Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static void heading(StringRef text) {
  llvm::outs() << "\n";
  llvm::WithColor(llvm::outs(), llvm::raw_ostream::CYAN, /*Bold=*/true) << text;
  llvm::outs() << "\n";
}

static llvm::raw_ostream &row(StringRef label) {
  return llvm::outs() << "  " << llvm::left_justify(label, 26);
}

/// Compiles a model and reports how long each stage took and what it became.
static Expected<std::unique_ptr<CompiledProgram>> compile(StringRef path) {
  double begin = now();
  Expected<std::unique_ptr<CompiledProgram>> program =
      CompiledProgram::compile(path);
  if (!program)
    return program.takeError();
  double seconds = now() - begin;
  const JITStats &stats = (*program)->getStats();
  const EngineStats &engine = (*program)->getEngine().getStats();
  row("compiled in") << llvm::format("%.1f ms", seconds * 1e3) << "  (import "
                     << llvm::format("%.1f", stats.importSeconds * 1e3);
  for (const StageTime &stage : stats.stages)
    llvm::outs() << ", " << stringifyStage(stage.stage) << " "
                 << llvm::format("%.1f", stage.seconds * 1e3);
  llvm::outs() << ", machine code "
               << llvm::format("%.1f", engine.totalSeconds * 1e3) << ")\n";
  row("kernels") << stats.kernelsBefore << " before fusion, "
                 << stats.launches + stats.libraryCalls << " after ("
                 << stats.libraryCalls << " by oneDNN, " << stats.launches
                 << " ours)\n";
  return program;
}

/// The largest live set: the peak when every buffer is freed behind its last
/// use and nothing is reused.
static Expected<int64_t> largestLiveSet(StringRef path,
                                        llvm::ArrayRef<coil_tensor> inputs) {
  JITOptions options;
  options.pipelineOptions = "plan=none";
  auto program = CompiledProgram::compile(path, options);
  if (!program)
    return program.takeError();
  Expected<RunResult> result = (*program)->run(inputs);
  if (!result)
    return result.takeError();
  return result->getStats().peak_bytes;
}

static Error reportMemory(StringRef path, llvm::ArrayRef<coil_tensor> inputs,
                          const RunResult &result) {
  Expected<int64_t> live = largestLiveSet(path, inputs);
  if (!live)
    return live.takeError();
  int64_t peak = result.getStats().peak_bytes;
  row("peak memory") << llvm::format("%.2f MB, %.3fx the largest live set",
                                     double(peak) / 1e6,
                                     double(peak) / double(*live))
                     << "\n";
  return Error::success();
}

/// Largest difference of `actual` (contiguous f32) from `expected`.
static Expected<double> compare(const coil_tensor &actual,
                                const HostTensor &expected) {
  if (actual.dtype != COIL_F32 || expected.getDType() != COIL_F32 ||
      llvm::ArrayRef<int64_t>(actual.sizes, size_t(actual.rank)) !=
          expected.getSizes())
    return makeError("the output has not the expected type and shape");
  const float *a = static_cast<const float *>(actual.data);
  const float *e = reinterpret_cast<const float *>(expected.getData());
  double difference = 0;
  for (int64_t i = 0, n = expected.getNumElements(); i < n; ++i) {
    double d = std::abs(double(a[i]) - double(e[i]));
    if (!(d <= difference)) // Also when `d` is NaN.
      difference = d;
  }
  return difference;
}

static int64_t argMax(const float *values, int64_t n) {
  return std::max_element(values, values + n) - values;
}

static Error runDigits(const std::string &models) {
  heading("digits_cnn: handwritten digits, 500 held-out images");
  std::string path = models + "/digits_cnn.pt2";
  auto program = compile(path);
  if (!program)
    return program.takeError();
  auto images = readNpy(models + "/digits_images.npy"),
       labels = readNpy(models + "/digits_labels.npy"),
       logits = readNpy(models + "/digits_logits.npy");
  for (auto *tensor : {&images, &labels, &logits})
    if (!*tensor)
      return tensor->takeError();
  coil_tensor input = images->getView();
  Expected<RunResult> first = (*program)->run(input);
  if (!first)
    return first.takeError();
  double begin = now();
  Expected<RunResult> result = (*program)->run(input);
  if (!result)
    return result.takeError();
  double seconds = now() - begin;
  const coil_tensor &output = result->getOutputs()[0];
  Expected<double> difference = compare(output, *logits);
  if (!difference)
    return difference.takeError();
  int64_t n = images->getSizes()[0], classes = output.sizes[1];
  const float *ours = static_cast<const float *>(output.data);
  const float *theirs = reinterpret_cast<const float *>(logits->getData());
  const int64_t *truth = reinterpret_cast<const int64_t *>(labels->getData());
  int64_t right = 0, same = 0;
  for (int64_t i = 0; i < n; ++i) {
    int64_t digit = argMax(ours + i * classes, classes);
    right += digit == truth[i];
    same += digit == argMax(theirs + i * classes, classes);
  }
  row("predictions") << same << "/" << n << " equal PyTorch's, accuracy "
                     << llvm::format("%.3f", double(right) / double(n)) << "\n";
  row("largest difference")
      << llvm::format("%.2e", *difference) << " from PyTorch's logits\n";
  row("run") << llvm::format("%.2f ms for %d images", seconds * 1e3, int(n))
             << "\n";
  if (Error error = reportMemory(path, input, *result))
    return error;
  if (same != n || *difference > 1e-4)
    return makeError("digits_cnn differs from PyTorch");
  return Error::success();
}

namespace {
/// Text that grows by the most likely next character.
struct Generator {
  const CompiledProgram &program;
  std::string text;
  unsigned lengths = 0;

  Error step() {
    size_t n = std::min(text.size(), kContext);
    std::vector<int64_t> codes;
    for (char c : StringRef(text).take_back(n))
      codes.push_back(static_cast<unsigned char>(c));
    int64_t sizes[] = {1, int64_t(n)}, strides[] = {int64_t(n), 1};
    coil_tensor input = {codes.data(), sizes,    strides, 2,
                         COIL_I64,     COIL_CPU, 0};
    Expected<RunResult> result = program.run(input);
    if (!result)
      return result.takeError();
    const coil_tensor &logits = result->getOutputs()[0];
    const float *last = static_cast<const float *>(logits.data) +
                        (logits.sizes[1] - 1) * logits.sizes[2];
    text.push_back(static_cast<char>(argMax(last, logits.sizes[2])));
    return Error::success();
  }
};
} // namespace

static Error runGPT(const std::string &models) {
  heading("char_gpt: a character model of Python code, 1.3 M parameters");
  std::string path = models + "/char_gpt.pt2";
  auto program = compile(path);
  if (!program)
    return program.takeError();
  auto codes = readNpy(models + "/char_gpt_prompt.npy"),
       logits = readNpy(models + "/char_gpt_logits.npy");
  for (auto *tensor : {&codes, &logits})
    if (!*tensor)
      return tensor->takeError();
  auto expected = llvm::MemoryBuffer::getFile(models + "/char_gpt_greedy.txt");
  if (!expected)
    return makeError("char_gpt_greedy.txt: " + expected.getError().message());
  Expected<RunResult> result = (*program)->run(codes->getView());
  if (!result)
    return result.takeError();
  Expected<double> difference = compare(result->getOutputs()[0], *logits);
  if (!difference)
    return difference.takeError();
  row("largest difference")
      << llvm::format("%.2e", *difference) << " from PyTorch's logits\n";

  Generator check{**program, {}};
  const int64_t *code = reinterpret_cast<const int64_t *>(codes->getData());
  for (int64_t i = 0; i < codes->getNumElements(); ++i)
    check.text.push_back(static_cast<char>(code[i]));
  StringRef reference = (*expected)->getBuffer();
  while (check.text.size() < reference.size())
    if (Error error = check.step())
      return error;
  bool identical = check.text == reference;
  row("greedy text") << (identical ? "identical to" : "DIFFERS from")
                     << " PyTorch's, " << reference.size() << " characters\n";
  if (Error error = reportMemory(path, codes->getView(), *result))
    return error;

  std::string start = prompt;
  for (char &c : start)
    if (static_cast<unsigned char>(c) >= 128)
      return makeError("the model knows ASCII characters only");
  if (start.size() < 2)
    return makeError("the prompt needs at least two characters");
  Generator generator{**program, start};
  double begin = now();
  for (unsigned i = 0; i < length; ++i)
    if (Error error = generator.step())
      return error;
  double seconds = now() - begin;
  row("generated") << length << " characters in "
                   << llvm::format("%.0f ms, %.0f tokens/s", seconds * 1e3,
                                   length / seconds)
                   << "; each step a new length, nothing compiled again\n\n";
  llvm::WithColor(llvm::outs(), llvm::raw_ostream::SAVEDCOLOR, /*Bold=*/true)
      << start;
  llvm::outs() << StringRef(generator.text).drop_front(start.size()) << "\n";
  if (!identical || *difference > 1e-3)
    return makeError("char_gpt differs from PyTorch");
  return Error::success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv,
                              "Compile and run the example models.\n", nullptr);
  for (auto *run : {runDigits, runGPT}) {
    if (Error error = run(directory)) {
      llvm::outs().flush();
      llvm::WithColor::error(llvm::errs(), "coil-demo")
          << toString(std::move(error)) << "\n";
      return 1;
    }
  }
  return 0;
}
