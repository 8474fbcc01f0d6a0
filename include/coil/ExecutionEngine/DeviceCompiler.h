//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowered GPU kernels to PTX and machine code for NVIDIA chips. Needs neither a
// device nor a CUDA toolkit as long as only PTX is asked for.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_EXECUTIONENGINE_DEVICECOMPILER_H
#define COIL_EXECUTIONENGINE_DEVICECOMPILER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace mlir::gpu {
class GPUModuleOp;
} // namespace mlir::gpu

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace coil {

/// What is made of a kernel.
enum class DeviceFormat {
  /// Text that a driver compiles.
  PTX,
  /// Machine code for one chip, and the PTX.
  Cubin
};

/// What turns PTX into machine code.
enum class DeviceAssembler {
  /// nvJitLink, or `ptxas` where that compiles the kernel worse or is the only
  /// one there is.
  Auto,
  NvJitLink,
  Ptxas
};

/// How kernels are compiled.
struct DeviceOptions {
  /// The chip, as `sm_90a`; empty takes the first target of each module.
  std::string chip;
  DeviceFormat format = DeviceFormat::PTX;
  DeviceAssembler assembler = DeviceAssembler::Auto;
  /// Whether code refers to the locations in the model that it was made from.
  bool lineInfo = false;
  /// Threads that compile; 0 takes all of the machine. One is used when the
  /// MLIR context has threading off.
  unsigned threads = 0;
  /// Directory that keeps images by the hash of what they were made from;
  /// empty keeps none. It must be as trusted as the program itself.
  std::string cache;
  /// Directory that receives the optimised LLVM IR, the PTX and the machine
  /// code; empty dumps nothing.
  std::string dumpDirectory;
  /// Directories that receive the PTX of every kernel, and its machine code as
  /// text, which takes an assembler and a disassembler; empty for none.
  /// @{
  std::string ptxDirectory;
  std::string sassDirectory;
  /// @}
};

/// What a function of an image takes of an SM; known for machine
/// code only.
struct DeviceFunction {
  std::string name;
  unsigned registers = 0;
  unsigned barriers = 0;
  /// Static shared memory of a block, in bytes.
  unsigned sharedBytes = 0;
  /// Stack of a thread, in bytes.
  unsigned stackBytes = 0;
  /// Registers that went to memory and back, in bytes.
  unsigned spillStoreBytes = 0;
  unsigned spillLoadBytes = 0;
  unsigned constantBytes = 0;
};

/// Seconds that each step took.
struct DeviceTimes {
  double translate = 0;
  double optimize = 0;
  double emit = 0;
  double assemble = 0;
};

/// The code of one module of kernels.
struct DeviceImage {
  /// Symbol of the module.
  std::string name;
  /// Entry points by the names in the code.
  std::vector<DeviceFunction> functions;
  std::string chip;
  std::string ptx;
  /// Empty if only PTX was asked for.
  std::string cubin;
  /// What the assembler said beyond the resources.
  std::string log;
  /// Whether the image came from the cache.
  bool cached = false;
  DeviceTimes times;
};

/// Gives a context what translation of kernels needs. Compilation does, too;
/// whoever has another thread work in the context meanwhile does it first.
void registerDeviceTranslations(mlir::MLIRContext &context);

/// Compiles modules that `convert-gpu-kernel-to-nvvm` lowered, in parallel and
/// in this order. Modules that are equal are compiled once. The first error
/// names its kernel. Diagnostics of the translation go to the modules' context.
llvm::Expected<std::vector<DeviceImage>>
compileDeviceKernels(llvm::ArrayRef<mlir::gpu::GPUModuleOp> modules,
                     const DeviceOptions &options = {});

/// Assembles PTX. `name` appears in messages.
llvm::Error assembleDeviceImage(DeviceImage &image,
                                const DeviceOptions &options);

/// Prints the machine code of an image as text with a disassembler of the CUDA
/// toolkit, which must be installed.
llvm::Expected<std::string> disassembleCubin(llvm::StringRef cubin);

} // namespace coil

#endif // COIL_EXECUTIONENGINE_DEVICECOMPILER_H
