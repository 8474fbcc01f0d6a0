//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels without their host program: compiled together from text, launched one
// by one. What programs in Python build on.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DRIVER_COMPILEDKERNELS_H
#define COIL_DRIVER_COMPILEDKERNELS_H

#include "coil/ExecutionEngine/Engine.h"
#include "coil/Runtime/HostABI.h"

#include <memory>
#include <string>

namespace coil {

struct KernelOptions {
  /// Pipeline options as text: `vector-bits=256`.
  std::string pipelineOptions;
  EngineOptions engine;
};

/// Compiled kernels. Any number of threads may launch them.
class CompiledKernels {
public:
  /// Compiles the kernels of `text`, a module of `wrapper.kernel` as value
  /// functions, or of users. The pipeline options say for which GPU. Errors
  /// have one line for each diagnostic.
  static llvm::Expected<std::unique_ptr<CompiledKernels>>
  compile(llvm::StringRef text, const KernelOptions &options = {});
  ~CompiledKernels();

  class Kernel;
  /// A kernel by name, or null.
  const Kernel *lookup(llvm::StringRef name) const;

  const Engine &getEngine() const;

private:
  struct Impl;
  explicit CompiledKernels(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl;
};

/// One of them. Lives as long as the others.
class CompiledKernels::Kernel {
public:
  ~Kernel();

  llvm::StringRef getName() const;
  unsigned getNumInputs() const;
  unsigned getNumOutputs() const;
  unsigned getNumSymbols() const;

  /// Runs the kernel over all its points: reads the inputs and writes the
  /// outputs, whose addresses lie after one another in `buffers`, for the
  /// values of its symbols. Returns a coil_status; coil_last_error says more.
  int32_t launch(coil_run *run, void **buffers, const int64_t *symbols) const;
  /// The same for a kernel of a user's: the addresses of what is passed, in the
  /// order of the parameters, and the blocks along x, y and z.
  int32_t launchUser(coil_run *run, void *const *arguments,
                     const int64_t *grid) const;

private:
  friend CompiledKernels;
  struct Impl;
  explicit Kernel(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl;
};

} // namespace coil

#endif // COIL_DRIVER_COMPILEDKERNELS_H
