//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stages of the compiler and the pipelines between them: the one place that
// knows the whole order.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_PIPELINES_PIPELINES_H
#define COIL_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <vector>

namespace coil {

/// What a module holds, from the model to machine code.
enum class Stage {
  Input,   ///< framework operators (`graph.aten`) as imported
  Graph,   ///< `graph` operators, legalised, decomposed, simplified
  Loop,    ///< fused and scheduled `loop` kernels in functions over tensors
  Wrapper, ///< host programs and outlined kernels, memory planned and verified
  Native,  ///< LLVM dialect: the host program and each kernel
};

/// The stages in order, by the names that tools use.
llvm::ArrayRef<llvm::StringLiteral> getStageNames();
llvm::StringRef stringifyStage(Stage stage);
std::optional<Stage> symbolizeStage(llvm::StringRef name);
/// One line on what a stage holds.
llvm::StringRef describeStage(Stage stage);

/// Options of all pipelines.
struct CompilePipelineOptions
    : mlir::PassPipelineOptions<CompilePipelineOptions> {
  /// The names of all of them.
  std::vector<llvm::StringRef> getNames() const {
    std::vector<llvm::StringRef> names;
    for (const auto &option : OptionsMap)
      names.push_back(option.first);
    llvm::sort(names);
    return names;
  }

  Option<std::string> target{
      *this, "target",
      llvm::cl::desc("Where the program runs: cpu (the processor of this "
                     "process), cpu:<processor> such as cpu:x86-64-v3, cuda "
                     "(the chip of the first device), or cuda:<chip> such as "
                     "cuda:sm_90a"),
      llvm::cl::init("cpu")};
  Option<std::string> fastMath{
      *this, "fast-math",
      llvm::cl::desc("Exactness of mathematics: off, default or fast (on CPUs "
                     "only whether it may be less where results are rounded "
                     "to 16 bits)"),
      llvm::cl::init("default")};
  Option<std::string> matmulPrecision{
      *this, "float32-matmul-precision",
      llvm::cl::desc("Exactness of products of matrices of f32 on GPUs, by the "
                     "names of torch.set_float32_matmul_precision: highest "
                     "(f32), high or medium (TF32)"),
      llvm::cl::init("highest")};
  Option<std::string> convPrecision{
      *this, "float32-conv-precision",
      llvm::cl::desc("The same for convolutions, as torch.backends.cudnn."
                     "allow_tf32 decides: highest, high or medium"),
      llvm::cl::init("highest")};
  Option<bool> deterministic{
      *this, "deterministic",
      llvm::cl::desc("Give the same result on every run, even where GPUs are "
                     "faster without an order"),
      llvm::cl::init(false)};
  Option<std::string> library{
      *this, "library",
      llvm::cl::desc(
          "Libraries for contractions, convolutions, attention and sorts, "
          "separated by commas: onednn (CPU), cublaslt, cudnn, cub "
          "(GPUs); or none, or auto (those of the target that can "
          "be loaded)"),
      llvm::cl::init("auto")};
  Option<int64_t> vectorBits{
      *this, "vector-bits",
      llvm::cl::desc("Width of vector registers of the CPU in bits, a power of "
                     "two such as 256; 0: the target's widest"),
      llvm::cl::init(0)};
  Option<int64_t> streamBytes{
      *this, "stream-bytes",
      llvm::cl::desc("Size from which on the CPU stores a result past the "
                     "caches"),
      llvm::cl::init(int64_t(32) << 20)};
  Option<int64_t> launchBytes{
      *this, "launch-bytes",
      llvm::cl::desc("Bytes that a GPU's memory moves in the time of a launch, "
                     "which copies of operands to another order are weighed "
                     "with; -1: by the target's bandwidth"),
      llvm::cl::init(-1)};
  Option<std::string> raiseAttention{
      *this, "raise-attention",
      llvm::cl::desc("Make one operator of attention that the program spells: "
                     "auto (where a library computes it), always or off"),
      llvm::cl::init("auto")};
  Option<bool> fuse{*this, "fuse", llvm::cl::desc("Merge kernels"),
                    llvm::cl::init(true)};
  Option<std::string> plan{
      *this, "plan",
      llvm::cl::desc(
          "Memory planning: none (free after the last use), reuse or pool"),
      llvm::cl::init("reuse")};
  Option<int64_t> memoryBudget{
      *this, "memory-budget",
      llvm::cl::desc("Bytes that a public function may have allocated at once; "
                     "0: any number"),
      llvm::cl::init(0)};
  Option<int64_t> scatterBytes{
      *this, "scatter-bytes",
      llvm::cl::desc("Bytes of memory that a sum of rows at positions may need "
                     "on GPUs to be faster than atomic additions, even where "
                     "the program's peak is; 'deterministic' allows any "
                     "number"),
      llvm::cl::init(0)};
  Option<int64_t> stackLimit{
      *this, "stack-limit",
      llvm::cl::desc("Bytes of a function's storage that may be on the stack "
                     "of the host program"),
      llvm::cl::init(0)};
  Option<bool> arrayEntry{
      *this, "array-entry",
      llvm::cl::desc("Add a function that writes the results of 'main' into "
                     "arrays, for C++"),
      llvm::cl::init(false)};
  Option<std::string> partitions{
      *this, "partitions",
      llvm::cl::desc("Make functions of what a GPU can keep as graphs: auto "
                     "(where a call cannot be kept as a whole), always or off"),
      llvm::cl::init("auto")};
  Option<unsigned> partitionSteps{
      *this, "partition-steps",
      llvm::cl::desc("Most steps of one graph; 0: any number"),
      llvm::cl::init(0)};
  Option<bool> graphCollectives{
      *this, "graph-collectives",
      llvm::cl::desc("Let graphs hold collectives, which their process groups "
                     "have to allow"),
      llvm::cl::init(false)};
  Option<std::string> userKernels{
      *this, "user-kernels",
      llvm::cl::desc("File of kernels for operators of a framework"),
      llvm::cl::init("")};
  Option<std::string> hostFallbacks{
      *this, "host-fallbacks",
      llvm::cl::desc("Host functions that a program for a GPU calls on copies "
                     "in the memory of the host: names with '+' between, or "
                     "all (those that are not registered for GPUs)"),
      llvm::cl::init("")};
  Option<bool> hoistWeights{
      *this, "hoist-weights",
      llvm::cl::desc("Compute what depends on weights alone in a function "
                     "that runs once"),
      llvm::cl::init(false)};
  Option<bool> costs{
      *this, "costs",
      llvm::cl::desc("State what each step has to move and compute, for "
                     "reports"),
      llvm::cl::init(false)};
  Option<bool> trackLifetimes{
      *this, "track-lifetimes",
      llvm::cl::desc("Check the memory plan while the program runs"),
      llvm::cl::init(false)};
  Option<std::string> debugValues{
      *this, "debug-values",
      llvm::cl::desc("Show values while the program runs: off, names (of "
                     "steps), print, save, nan, finite, or hook (what "
                     "watches the run)"),
      llvm::cl::init("off")};
  Option<std::string> debugFilter{
      *this, "debug-filter",
      llvm::cl::desc("Patterns of the kernels and handles to show, separated "
                     "by '+'"),
      llvm::cl::init("")};
  Option<bool> debugEnds{
      *this, "debug-ends",
      llvm::cl::desc("Show only what the program takes and gives"),
      llvm::cl::init(false)};
  Option<bool> releaseInputs{
      *this, "release-inputs",
      llvm::cl::desc("Let go of inputs behind their last use, where the caller "
                     "has handed them over"),
      llvm::cl::init(false)};
  Option<std::string> profileMarks{
      *this, "profile-marks",
      llvm::cl::desc("Ranges for profilers: off, call (one around each call of "
                     "the program) or calls (around those of libraries and "
                     "host functions, too)"),
      llvm::cl::init("off")};
  Option<int64_t> assertAlignment{
      *this, "assert-alignment",
      llvm::cl::desc("Fail unless inputs and results of host functions begin "
                     "at a multiple of so many bytes; 0: anywhere"),
      llvm::cl::init(0)};
  Option<std::string> random{
      *this, "random",
      llvm::cl::desc("Where random numbers come from: state (that of the "
                     "program, which is passed) or generator (that of the "
                     "run)"),
      llvm::cl::init("state")};
  Option<unsigned> hostSteps{
      *this, "host-steps",
      llvm::cl::desc("Most steps in one function of the host program"),
      llvm::cl::init(256)};
  Option<std::string> insertPasses{
      *this, "insert-passes",
      llvm::cl::desc("Passes to add at extension points, in braces and "
                     "separated by semicolons: {after-fusion:func.func(cse)}; "
                     "coil-opt --list-stages prints the extension points"),
      llvm::cl::init("")};
};

/// Appends the passes that lead from the stage before to the named one.
/// @{
void buildGraphPipeline(mlir::OpPassManager &pm,
                        const CompilePipelineOptions &options);
void buildLoopPipeline(mlir::OpPassManager &pm,
                       const CompilePipelineOptions &options);
void buildWrapperPipeline(mlir::OpPassManager &pm,
                          const CompilePipelineOptions &options);
/// Takes operations of TOSA to operators of `graph`, and what has none of these
/// through upstream's conversions to `linalg`; what compiles programs runs it
/// before all others where a module has such operations.
void buildTosaPipeline(mlir::OpPassManager &pm);
void buildNativePipeline(mlir::OpPassManager &pm,
                         const CompilePipelineOptions &options);
/// The part of the native pipeline that lowers kernels; the host program stays.
void buildKernelPipeline(mlir::OpPassManager &pm,
                         const CompilePipelineOptions &options);
/// @}

/// Appends the passes that lead to `stage` from the one before it.
void buildStagePipeline(mlir::OpPassManager &pm, Stage stage,
                        const CompilePipelineOptions &options);

/// The target with its chip in place of the device's: "cuda" becomes
/// "cuda:sm_90a". Fails for a target, a processor or a chip that there is no
/// code for, or when there is no device to ask.
llvm::Expected<std::string> resolveTarget(llvm::StringRef target);

/// Parses options from text; the error says what is wrong with them, with the
/// nearest name for an option that there is not.
llvm::Error parseOptions(CompilePipelineOptions &options, llvm::StringRef text);

/// Fails for a value of an option that there is not, with the nearest one.
llvm::Error checkOptionValues(const CompilePipelineOptions &options);

/// Checks all values, and resolves the target and what depends on it: the width
/// of vectors. Fails as `resolveTarget` does, and for vectors that the
/// processor does not have.
llvm::Error resolveOptions(CompilePipelineOptions &options);

/// The processor of a resolved target, for `EngineOptions::cpu`: that of
/// "cpu:<processor>", else empty for the one of this process.
std::string getCPU(const CompilePipelineOptions &options);
/// The same for options as text, which have been parsed before.
std::string getCPU(llvm::StringRef pipelineOptions);

/// The option `library`; "auto" becomes the libraries of the target that this
/// process can load.
std::string resolveLibrary(const CompilePipelineOptions &options);

/// Registers `coil-{graph,loop,wrapper,native,kernel}-pipeline` and
/// `coil-cpu-pipeline`, which is all of them.
void registerPipelines();

} // namespace coil

#endif // COIL_PIPELINES_PIPELINES_H
