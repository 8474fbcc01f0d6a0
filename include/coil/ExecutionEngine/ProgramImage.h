//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compiled program before it is linked: machine code and what the code takes.
// Holds no IR, so that it can be written to a file and read back.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_EXECUTIONENGINE_PROGRAMIMAGE_H
#define COIL_EXECUTIONENGINE_PROGRAMIMAGE_H

#include "coil/ExecutionEngine/Signature.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>
#include <vector>

namespace coil {

/// What compilation did. Translation, optimisation and emission of code for the
/// host are summed over threads; others are elapsed time. Code for GPUs is made
/// and loaded in addition to that for the host.
struct EngineStats {
  double translateSeconds = 0;
  double optimizeSeconds = 0;
  double emitSeconds = 0;
  double hostSeconds = 0;
  double linkSeconds = 0;
  double totalSeconds = 0;
  unsigned kernels = 0;
  unsigned objects = 0;
  unsigned cachedObjects = 0;
  int64_t objectBytes = 0;
  /// \name GPU kernels
  /// @{
  unsigned deviceKernels = 0;
  unsigned cachedImages = 0;
  int64_t imageBytes = 0;
  double deviceSeconds = 0;
  double loadSeconds = 0;
  /// @}
};

/// Machine code for the host, in the form that its linker reads.
struct HostObject {
  /// Whether it is a part of the host program; others hold kernels.
  bool isHost = false;
  /// The functions that others may refer to.
  std::vector<std::string> functions;
  std::shared_ptr<llvm::MemoryBuffer> code;
};

/// A kernel for a GPU.
struct DeviceObject {
  /// The name by which the host program refers to it.
  std::string symbol;
  /// The function in the code.
  std::string function;
  /// Its location in the model, or "".
  std::string location;
  /// The chip that the code is for, as `sm_90a`.
  std::string chip;
  /// PTX, or machine code.
  std::string code;
  bool isText = true;
  /// \name As in coil_cuda_kernel
  /// @{
  uint32_t flags = 0;
  int32_t numBuffers = 0;
  int32_t numSymbols = 0;
  int32_t block[3] = {1, 1, 1};
  int32_t dynamicShared = 0;
  int32_t blockScratch = 0;
  /// Empty for kernels that are not a user's.
  std::string parameters;
  /// @}
};

/// A host function that a program calls, which has to be registered before the
/// program is loaded (`coil/Runtime/Functions.h`).
struct RequiredFunction {
  std::string name;
  int32_t deviceType = 0;
  /// The first location in the model that calls it, or "".
  std::string location;
};

struct ProgramImage {
  std::string entryPoint;
  Signature signature;
  /// The processor that the host code is for, in LLVM's notation.
  /// @{
  std::string triple;
  std::string cpu;
  std::string features;
  /// @}
  std::vector<HostObject> objects;
  std::vector<DeviceObject> kernels;
  std::vector<RequiredFunction> functions;
  /// Whether steps depend on elements, so that no graph can replay a run.
  bool readsElements = false;
  /// Whether the host code calls functions that need a run on a GPU, perhaps
  /// without an input or a kernel that is there.
  bool usesDevice = false;
  /// What each step computes and where that is in the model: a line for each,
  /// its handle and its sources after tabs.
  std::string provenance;
  EngineStats stats;
  /// What the code lies in, where that is a mapped file.
  std::shared_ptr<const void> file;
};

/// The newest chip that kernels of a program are for, or "" without kernels.
std::string getChip(const ProgramImage &image);

/// `provenance` as {"relu_0:0": ["relu (model.py:3)"]}.
llvm::json::Object provenanceToJSON(llvm::StringRef provenance);

/// A measure of how much of a device code for a chip uses: code for newer chips
/// has more, and that for one chip alone ("sm_90a") more than that.
unsigned getChipRank(llvm::StringRef chip);

/// Whether a device of a compute capability runs a kernel: PTX runs on newer
/// chips, too, machine code on those of the same major number, and what is for
/// one chip alone only there.
bool canRun(const DeviceObject &kernel, int major, int minor);

/// The chip that a text of PTX says that it is for, or "".
llvm::StringRef getTargetOfPTX(llvm::StringRef ptx);

} // namespace coil

#endif // COIL_EXECUTIONENGINE_PROGRAMIMAGE_H
