//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a file to a program that runs in this process: import, all stages, code.
// What coil-run, the C API and bindings build on.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DRIVER_COMPILEDPROGRAM_H
#define COIL_DRIVER_COMPILEDPROGRAM_H

#include "coil/Driver/Driver.h"
#include "coil/ExecutionEngine/ModelContainer.h"

#include <memory>
#include <string>
#include <vector>

namespace coil {

class CacheKey;
struct ProgramPackage;

namespace import {
class WeightStore;
} // namespace import

namespace reference {
class Tensor;
} // namespace reference

/// How a file becomes a program in memory.
struct JITOptions {
  /// Function of a module to run; a .pt2 file has `main`.
  std::string function = "main";
  /// The .pt2 file with the weights of a module.
  std::string weights;
  /// Whether to compare the weights' bytes with their CRC-32, and the records
  /// of a package with their hashes, which reads them.
  bool checkWeights = true;
  /// Pipeline options as text: `library=none vector-bits=256`.
  std::string pipelineOptions;
  /// Directory that receives everything that is made on the way, with a page
  /// that leads through it; empty for none.
  std::string debugDirectory;
  /// Keeps the program before lowering, for `interpret`.
  bool keepReference = false;
  /// Whether the program is looked for in the cache on disk first, and kept
  /// there. Programs of the last two options, with passes that are inserted or
  /// kernels of a file, and those of `.mlir` files, are not.
  bool cache = false;
  EngineOptions engine;
};

/// What the cache on disk had to do with a program.
enum class CacheUse { Off, Miss, Hit };

/// What compilation did.
struct JITStats {
  CacheUse cache = CacheUse::Off;
  /// Why programs cannot be found or kept, for the first program of a process
  /// that this happens to.
  std::string cacheWarning;
  double importSeconds = 0;
  std::vector<StageTime> stages;
  /// What it took to collect the provenance of all steps.
  double provenanceSeconds = 0;
  double totalSeconds = 0;
  /// Loop kernels before anything is merged, and steps of the host program
  /// that are left: launches and library calls.
  int64_t kernelsBefore = 0;
  int64_t launches = 0;
  int64_t libraryCalls = 0;
  /// Buffers that are made once, of weights alone, and how long that took on
  /// the CPU.
  int64_t preparedWeights = 0;
  double prepareSeconds = 0;
};

/// A compiled program with its weights and a state of the random generator.
/// Any number of threads may run it.
class CompiledProgram {
public:
  /// Compiles a .pt2 file or a module of any stage, or loads a package
  /// (`.coilpkg`), for which the options of pipelines have no meaning. Errors
  /// have one line for each diagnostic, with its location in the file or the
  /// model.
  static llvm::Expected<std::unique_ptr<CompiledProgram>>
  compile(llvm::StringRef path, const JITOptions &options = {});
  /// Compiles the text that a .pt2 file has of an exported program, which has
  /// no weights: all that it takes are inputs. A line of an error begins with
  /// the nodes that it is about, where it is about any: "node 'add', 'mul'
  /// (...): ".
  static llvm::Expected<std::unique_ptr<CompiledProgram>>
  compileText(llvm::StringRef text, const JITOptions &options = {});
  ~CompiledProgram();

  /// The program with its weights as a package, which refers to this.
  llvm::Expected<ProgramPackage> makePackage(bool withWeights = true) const;
  /// Writes the program with its weights as a package.
  llvm::Error save(llvm::StringRef path) const;

  const Engine &getEngine() const;
  const JITStats &getStats() const;

  /// The program's weights, which can be updated while it runs.
  ModelContainer &getContainer();
  const ModelContainer &getContainer() const;

  /// The inputs that a caller passes: those of the engine that are neither
  /// weights nor the state of the random generator.
  llvm::ArrayRef<TensorSpec> getInputs() const;
  llvm::ArrayRef<TensorSpec> getOutputs() const;

  /// Runs the program on its inputs; weights are added. A program for a GPU
  /// runs on that of its first input that is on one, or on `options.device`.
  llvm::Expected<RunResult> run(llvm::ArrayRef<coil_tensor> inputs,
                                const RunOptions &options = {}) const;

  /// Copies inputs to a GPU, for runs that shall not copy them.
  llvm::Expected<DeviceTensors> upload(llvm::ArrayRef<coil_tensor> inputs,
                                       int32_t device) const;

  /// Computes the outputs with the reference interpreter, operator by
  /// operator. Needs `keepReference`. Not for several threads at once.
  llvm::Expected<std::vector<reference::Tensor>>
  interpret(llvm::ArrayRef<coil_tensor> inputs, RandomState random = {}) const;

  /// Where the random numbers of the next run begin. Every run moves the offset
  /// by what it draws. For several threads at once.
  RandomState getRandomState() const;
  void setRandomState(RandomState state);

private:
  struct Impl;
  explicit CompiledProgram(std::unique_ptr<Impl> impl);
  static llvm::Expected<std::unique_ptr<CompiledProgram>>
  load(llvm::StringRef path, const JITOptions &options);
  /// What `compile` makes, or what an earlier process made of the same.
  /// `addSource` adds to the key what is compiled, and fails for what the
  /// cache does not keep; `openWeights` opens its weights.
  static llvm::Expected<std::unique_ptr<CompiledProgram>> compileCached(
      llvm::function_ref<llvm::Error(CacheKey &)> addSource,
      llvm::function_ref<llvm::Expected<std::unique_ptr<import::WeightStore>>()>
          openWeights,
      llvm::function_ref<llvm::Expected<std::unique_ptr<CompiledProgram>>()>
          compile,
      const JITOptions &options);
  /// Compiles what `read` makes. `name` is what the debug directory calls it;
  /// `isExported`: it comes from the importer alone.
  static llvm::Expected<std::unique_ptr<CompiledProgram>> compileRead(
      llvm::function_ref<llvm::Expected<Program>(mlir::MLIRContext &)> read,
      llvm::StringRef name, bool isExported, bool nameNodes,
      const JITOptions &options);

  std::unique_ptr<Impl> impl;
};

} // namespace coil

#endif // COIL_DRIVER_COMPILEDPROGRAM_H
