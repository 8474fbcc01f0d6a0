//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles a program that was lowered to the LLVM dialect for the processor of
// this process, links it in memory and runs it.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_EXECUTIONENGINE_ENGINE_H
#define COIL_EXECUTIONENGINE_ENGINE_H

#include "coil/ExecutionEngine/ProgramImage.h"
#include "coil/Runtime/CUDA.h"
#include "coil/Runtime/RunContext.h"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace llvm {
class MemoryBuffer;
} // namespace llvm

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace coil {

/// How a program is compiled.
struct EngineOptions {
  /// Threads that compile; 0 takes all of the machine. One is used when the
  /// MLIR context has threading off.
  unsigned threads = 0;
  /// 0: no optimisation; 1 and 2: cleanup of code that the schedules shaped; 3:
  /// LLVM's full pipeline.
  unsigned optLevel = 2;
  /// The processor that code is generated for, see `resolveCPU`; empty takes
  /// the one of this process.
  std::string cpu;
  /// Directory that keeps objects by the hash of what they were made from;
  /// empty keeps none. It must be as trusted as the program itself.
  std::string objectCache;
  /// Directory that receives the optimised LLVM IR and the objects; empty dumps
  /// nothing.
  std::string dumpDirectory;
  /// The same for the PTX of GPU kernels, and for their machine code as text:
  /// an error where there is no assembler or no disassembler.
  /// @{
  std::string ptxDirectory;
  std::string sassDirectory;
  /// @}
  /// The function to run; empty for kernels alone, which `lookup` finds.
  std::string entryPoint = "coil_main";
  /// The GPU whose driver compiles kernels now; others do it at their first
  /// run. Does not matter to programs without GPU kernels.
  int32_t device = 0;
  /// Whether GPU code refers to the locations in the model that it was made
  /// from.
  bool deviceLineInfo = true;
  /// Compile GPU kernels without loading them: no GPU is needed.
  bool loadKernels = true;
  /// Make machine code of GPU kernels now (ptxas or nvJitLink), not where they
  /// are loaded.
  bool assembleKernels = false;
  /// How many calls of a program for a GPU are captured in CUDA graphs.
  int32_t graphs = 0;
  /// Whether the host functions that the program calls have to be registered
  /// now, not only when they are called.
  bool requireFunctions = true;
  /// `ProgramImage::provenance` of the program.
  std::string provenance;
};

/// Graphs of a program for a GPU.
struct GraphReport {
  coil_cuda_graph_stats calls = {};
  coil_cuda_partition_stats partitions = {};
  /// Why partitions ran without a graph, and how often.
  struct Failure {
    std::string partition, reason;
    int64_t count;
  };
  std::vector<Failure> failures;
};

/// Inputs that do not fit the signature.
class InputError : public llvm::ErrorInfo<InputError> {
public:
  static char ID;
  explicit InputError(std::string text) : text(std::move(text)) {}
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  std::string text;
};

/// A program that stopped with a status.
class RunError : public llvm::ErrorInfo<RunError> {
public:
  static char ID;
  RunError(int32_t status, std::string text)
      : status(status), text(std::move(text)) {}
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }
  int32_t getStatus() const { return status; }

private:
  int32_t status;
  std::string text;
};

/// State of the random generator, in the framework's terms: a seed, and how
/// many words of each stream were drawn, a multiple of four.
struct RandomState {
  uint64_t seed = 0;
  uint64_t offset = 0;
};

/// How a program is run.
struct RunOptions {
  coil_trace_fn trace = nullptr;
  void *traceUser = nullptr;
  /// Where random numbers begin, for `CompiledProgram::run`; without it the
  /// program goes on from where its last run ended.
  std::optional<RandomState> random;
  /// Instead of both: a generator that the run draws from and moves.
  const coil_generator *generator = nullptr;
  /// Gives the run what it has around the program (coil/Runtime/RunContext.h),
  /// before anything else. `numbers` are the inputs of the engine that the
  /// caller's are. What was donated is released when the run returns.
  std::function<int32_t(coil_run *run, llvm::ArrayRef<unsigned> numbers)>
      prepare;
  /// The inputs of the engine that `prepare` is told of; all by default.
  llvm::ArrayRef<unsigned> numbers;

  /// \name Only for programs that run on a GPU
  /// @{
  /// The caller's stream (a CUstream). Results are then ready in the order of
  /// the stream; otherwise the run has a stream of its own and is waited for.
  std::optional<void *> stream;
  /// Wait for the run although the stream is the caller's.
  bool wait = false;
  /// The device, when no input says which.
  int32_t device = 0;
  /// Measure the device time of each step (see coil_run_get_timing).
  bool timing = false;
  /// Copy the outputs to host memory, and wait for that.
  bool hostOutputs = false;
  /// Bind the call to its memory instead of running it: `RunResult::launch`
  /// runs it, as often as it is called. Inputs are read where they are, on the
  /// GPU, and every launch writes the same outputs. Fails where the call is not
  /// one CUDA graph.
  bool bind = false;
  /// Keep the memory of the run for calls of this program, as weights are.
  coil_cuda_program *keepFor = nullptr;
  /// @}
};

/// Destroys a run and the memory that it owns.
struct RunDeleter {
  void operator()(coil_run *run) const;
};

/// Tensors in the memory of a GPU, and that memory. Move-only.
class DeviceTensors {
public:
  llvm::ArrayRef<coil_tensor> getTensors() const { return tensors; }
  /// Waits for the last call of the program on each stream.
  void waitForReaders() const;

private:
  friend class Engine;
  std::unique_ptr<coil_run, RunDeleter> run;
  std::vector<coil_tensor> tensors;
  /// Strides that the tensors point to.
  std::vector<llvm::SmallVector<int64_t>> strides;
  std::vector<llvm::SmallVector<int64_t>> sizes;
};

/// The outputs of one run and the memory after them. An output may also point
/// into an input. Move-only.
class RunResult {
public:
  llvm::ArrayRef<coil_tensor> getOutputs() const { return outputs; }
  coil_run_stats getStats() const;
  /// Launches a call that was bound to its memory (RunOptions::bind), in the
  /// stream that it was bound in; waits for it if told to.
  llvm::Error launch(bool wait) const;
  /// The run after the outputs, for functions of the runtime.
  coil_run *getRun() const { return run.get(); }
  /// The set of weights of a ModelContainer that the run worked with.
  uint64_t getWeightsNumber() const { return weightsNumber; }

private:
  friend class Engine;
  friend class ModelContainer;
  /// Weights that the outputs, or work that goes on, may refer to.
  std::shared_ptr<const void> weights;
  uint64_t weightsNumber = 0;
  std::unique_ptr<coil_run, RunDeleter> run;
  /// In `memory`, with sizes and strides after them.
  llvm::MutableArrayRef<coil_tensor> outputs;
  std::unique_ptr<int64_t[]> memory;
};

/// A compiled program. Immutable; any number of threads may run it.
class Engine {
public:
  /// Machine code of a module, as `create` makes it.
  /// @{
  static llvm::Expected<ProgramImage>
  compile(mlir::ModuleOp module, Signature signature,
          const EngineOptions &options = {});
  static llvm::Expected<ProgramImage>
  compile(mlir::ModuleOp module, const EngineOptions &options = {});
  /// @}
  /// Fails when this processor lacks what code was made for.
  static llvm::Error checkProcessor(const ProgramImage &image);
  /// Fails when a GPU cannot run a kernel; a GPU that cannot be asked is left
  /// to who loads kernels.
  static llvm::Error checkDevice(const ProgramImage &image, int32_t device);
  /// Links machine code into this process. Fails when the processor lacks what
  /// the code was made for. Of the options those for kernels and graphs matter.
  static llvm::Expected<std::unique_ptr<Engine>>
  load(std::shared_ptr<const ProgramImage> image,
       const EngineOptions &options = {});

  /// Compiles a module of LLVM-dialect functions and globals (the host
  /// program) and of symbol tables that hold such functions (the kernels).
  /// Diagnostics go to the module's context.
  static llvm::Expected<std::unique_ptr<Engine>>
  create(mlir::ModuleOp module, Signature signature,
         const EngineOptions &options = {});
  /// The same with the signature that the entry point carries.
  static llvm::Expected<std::unique_ptr<Engine>>
  create(mlir::ModuleOp module, const EngineOptions &options = {});
  ~Engine();

  const Signature &getSignature() const;
  /// What was linked.
  const std::shared_ptr<const ProgramImage> &getImage() const;
  const EngineStats &getStats() const;

  /// What has become of calls and partitions that were to be captured in CUDA
  /// graphs.
  GraphReport getGraphReport() const;

  /// Name of a kernel by its address (as in trace events), or "".
  llvm::StringRef getKernelName(const void *address) const;

  /// Whether the program runs on a GPU.
  bool isDeviceProgram() const;

  /// Address of a function of the program, or of the object that describes a
  /// kernel for a GPU, or null.
  void *lookup(llvm::StringRef name) const;

  /// What calls on GPUs share; null for other programs.
  coil_cuda_program *getDeviceProgram() const;

  /// Copies host tensors to a GPU, once for many runs: `tensors[i]` as input
  /// `numbers[i]`, in the layout that the program expects of it. `symbols` are
  /// the signature's, as far as they are known.
  llvm::Expected<DeviceTensors>
  upload(llvm::ArrayRef<unsigned> numbers, llvm::ArrayRef<coil_tensor> tensors,
         llvm::ArrayRef<std::optional<int64_t>> symbols, int32_t device) const;

  /// Says which inputs are the same tensors at every run on a device, such as
  /// weights: their sizes are constants. They have been checked and have the
  /// layout that the program expects, so that runs do not look at them. Before
  /// the first run.
  void setConstantInputs(llvm::ArrayRef<unsigned> numbers);

  /// Checks the inputs and runs the program. Fails with InputError or RunError.
  /// A program for a GPU also takes inputs in host memory, and copies them.
  llvm::Expected<RunResult> run(llvm::ArrayRef<coil_tensor> inputs,
                                const RunOptions &options = {}) const;

private:
  struct Impl;
  /// The strides that an input is copied to, if it is.
  using InputLayout = std::optional<llvm::SmallVector<int64_t>>;
  static int32_t runOnDevice(const Impl &impl, coil_run *run,
                             llvm::ArrayRef<coil_tensor> inputs,
                             llvm::MutableArrayRef<coil_tensor> movable,
                             llvm::ArrayRef<InputLayout> layouts,
                             llvm::MutableArrayRef<coil_tensor> outputs,
                             const RunOptions &options);
  /// The strides that each input has to be copied to; none if nothing has to be
  /// done before the program runs.
  llvm::Error findLayouts(llvm::ArrayRef<coil_tensor> inputs,
                          const SymbolValues &symbols,
                          const RunOptions &options,
                          std::vector<InputLayout> &layouts) const;
  explicit Engine(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

/// Compiles the kernels of a module, lowered for their devices, to objects that
/// a linker takes: position-independent code that refers to the runtime, libm
/// and libmvec; for those of GPUs a `coil_cuda_kernel` with its image under the
/// kernel's name. Diagnostics go to the module's context.
llvm::Expected<std::vector<std::unique_ptr<llvm::MemoryBuffer>>>
compileKernelObjects(mlir::ModuleOp module, const EngineOptions &options = {});

} // namespace coil

#endif // COIL_EXECUTIONENGINE_ENGINE_H
