//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PipelineFlags.h"

#include "coil/Driver/Driver.h"
#include "coil/Plugins/Plugins.h"
#include "llvm/ADT/StringExtras.h"

using namespace coil;
namespace cl = llvm::cl;

PipelineFlags::PipelineFlags(cl::OptionCategory &category,
                             cl::OptionCategory &debugCategory,
                             llvm::StringRef targetDescription)
    : target("target", cl::init("cpu"), cl::value_desc("device"),
             cl::desc(targetDescription), cl::cat(category)),
      fastMath(
          "fast-math", cl::init("default"), cl::value_desc("mode"),
          cl::desc("Exactness of mathematics on GPUs: off, default or fast"),
          cl::cat(category)),
      matmulPrecision(
          "float32-matmul-precision", cl::init("highest"),
          cl::value_desc("precision"),
          cl::desc("Exactness of products of matrices of f32 on GPUs, by the "
                   "names of torch.set_float32_matmul_precision: highest "
                   "(f32; default), high or medium (factors rounded to TF32)"),
          cl::cat(category)),
      convPrecision(
          "float32-conv-precision", cl::init("highest"),
          cl::value_desc("precision"),
          cl::desc("The same for convolutions: highest (default), high or "
                   "medium"),
          cl::cat(category)),
      raiseAttention(
          "raise-attention", cl::init("auto"), cl::value_desc("mode"),
          cl::desc("Make one operator of attention that the program spells: "
                   "auto (where a library computes it; default), always or "
                   "off"),
          cl::cat(category)),
      deterministic(
          "deterministic",
          cl::desc("Give the same result on every run, even where GPUs "
                   "are faster without an order"),
          cl::cat(category)),
      hostFallbacks(
          "host-fallbacks", cl::value_desc("names"),
          cl::desc("Host functions, separated by commas, that a program for a "
                   "GPU calls on copies in the memory of the host; 'all': "
                   "those that are not registered for GPUs. Each has a warning "
                   "with its bytes"),
          cl::cat(category)),
      userKernels("user-kernels", cl::value_desc("file"),
                  cl::desc("Kernels for operators of a framework, in place of "
                           "functions that are registered: a file of MLIR, see "
                           "docs/UserKernels.md"),
                  cl::cat(category)),
      graphCollectives(
          "graph-collectives",
          cl::desc("Let CUDA graphs hold collectives, which their process "
                   "groups have to allow"),
          cl::cat(category)),
      library(
          "library", cl::init("auto"), cl::value_desc("names"),
          cl::desc("Libraries for contractions, convolutions, attention and "
                   "sorts, separated by commas: onednn (CPU), cublaslt, cudnn, "
                   "cub (GPUs); or none, or auto (those of the target that can "
                   "be loaded; default)"),
          cl::cat(category)),
      vectorBits("vector-bits", cl::init(0), cl::value_desc("n"),
                 cl::desc("Width of vectors of the CPU in bits, a power of two "
                          "(default: the target's widest)"),
                 cl::cat(category)),
      fuse("fuse", cl::init(true), cl::desc("Merge kernels (default: true)"),
           cl::cat(category)),
      plan("plan", cl::init("reuse"), cl::value_desc("mode"),
           cl::desc("Memory planning: none, reuse (default) or pool"),
           cl::cat(category)),
      memoryBudget(
          "memory-budget", cl::value_desc("bytes"),
          cl::desc("Plan within so much memory, such as 64M, or fail: pools "
                   "and other orders of steps are tried"),
          cl::cat(category)),
      scatterBytes(
          "scatter-bytes", cl::value_desc("bytes"),
          cl::desc("Memory that a sum of rows at positions may need on GPUs to "
                   "be faster than atomic additions, even where the program's "
                   "peak is, such as 16M (default: 0)"),
          cl::cat(category)),
      stackLimit(
          "stack-limit", cl::value_desc("bytes"),
          cl::desc("How much of a function's storage may be on the stack of "
                   "the host program (default: 0)"),
          cl::cat(category)),
      debugValues(
          "debug-values", cl::init("off"), cl::value_desc("what"),
          cl::desc("Show values while the program runs: off (default), names "
                   "(of steps), print (statistics), save (NumPy files), hook "
                   "(what the caller sets); or stop where a step makes one "
                   "that is nan, or that is not finite"),
          cl::cat(debugCategory)),
      debugFilter(
          "debug-filter", cl::value_desc("patterns"),
          cl::desc("Kernels and handles to show with --debug-values, such as "
                   "'softmax*+relu_0:3' (default: all)"),
          cl::cat(debugCategory)),
      debugEnds(
          "debug-ends",
          cl::desc(
              "With --debug-values: only what the program takes and gives"),
          cl::cat(debugCategory)),
      releaseInputs(
          "release-inputs",
          cl::desc("Let go of inputs behind their last use, where the caller "
                   "has handed them over; on with --emit=python"),
          cl::cat(category)),
      profileMarks(
          "profile-marks", cl::init("off"), cl::value_desc("where"),
          cl::desc("Ranges for profilers: off (default), call (one around each "
                   "call of the program) or calls (around those of libraries "
                   "and host functions, too)"),
          cl::cat(debugCategory)),
      assertAlignment(
          "assert-alignment", cl::init(0), cl::value_desc("bytes"),
          cl::desc("Fail unless inputs and results of host functions begin at "
                   "a multiple of so many bytes"),
          cl::cat(debugCategory)),
      random("random", cl::init("state"), cl::value_desc("source"),
             cl::desc("Where random numbers come from: state (default), that "
                      "of the program, or generator, that of the run, which it "
                      "moves"),
             cl::cat(category)),
      insertPasses("insert-passes", cl::value_desc("point:pipeline"),
                   cl::desc("Add passes at an extension point, such as "
                            "after-fusion:func.func(cse); repeatable. coil-opt "
                            "--list-stages prints the extension points"),
                   cl::cat(category)),
      loadPlugins("load-plugin", cl::value_desc("file"),
                  cl::desc("Load a plugin with all that it offers, as "
                           "COIL_PLUGINS does; repeatable"),
                  cl::cat(category)) {}

llvm::Error PipelineFlags::loadPluginFiles() const {
  for (const std::string &file : loadPlugins)
    if (llvm::Error error = loadPlugin(file))
      return error;
  return llvm::Error::success();
}

static std::string toText(const cl::opt<bool> &flag) {
  return flag ? "true" : "false";
}

llvm::Expected<std::string> PipelineFlags::getPipelineOptions() const {
  std::string text =
      "target=" + target + " fast-math=" + fastMath + " library=" + library +
      " float32-matmul-precision=" + matmulPrecision +
      " float32-conv-precision=" + convPrecision +
      " raise-attention=" + raiseAttention +
      " deterministic=" + toText(deterministic) +
      " vector-bits=" + std::to_string(vectorBits) + " fuse=" + toText(fuse) +
      " plan=" + plan + " debug-values=" + debugValues +
      " debug-filter=" + debugFilter + " debug-ends=" + toText(debugEnds) +
      " profile-marks=" + profileMarks + " random=" + random +
      " assert-alignment=" + std::to_string(assertAlignment) +
      " release-inputs=" + toText(releaseInputs) +
      " graph-collectives=" + toText(graphCollectives);
  for (const cl::opt<std::string> *flag :
       {&memoryBudget, &scatterBytes, &stackLimit}) {
    if (flag->empty())
      continue;
    std::optional<int64_t> bytes = parseBytes(*flag);
    if (!bytes)
      return llvm::createStringError(
          "expected a number of bytes such as 4096, 64K, 512M or 2G in --" +
          flag->ArgStr + ", not '" + *flag + "'");
    text += (" " + flag->ArgStr + "=" + llvm::Twine(*bytes)).str();
  }
  if (!userKernels.empty())
    text += " user-kernels={" + userKernels + "}";
  if (!insertPasses.empty())
    text += " insert-passes={" + llvm::join(insertPasses, ";") + "}";
  if (!hostFallbacks.empty())
    text += " host-fallbacks=" +
            llvm::join(llvm::split(hostFallbacks.getValue(), ','), "+");
  return text;
}

std::vector<const cl::Option *> PipelineFlags::getAll() const {
  return {&target,
          &fastMath,
          &matmulPrecision,
          &convPrecision,
          &raiseAttention,
          &deterministic,
          &hostFallbacks,
          &userKernels,
          &graphCollectives,
          &library,
          &vectorBits,
          &fuse,
          &plan,
          &memoryBudget,
          &scatterBytes,
          &stackLimit,
          &debugValues,
          &debugFilter,
          &debugEnds,
          &releaseInputs,
          &profileMarks,
          &assertAlignment,
          &random,
          std::addressof(insertPasses)};
}
