//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX to machine code, by a library in this process or a program beside it.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_EXECUTIONENGINE_DEVICEASSEMBLER_H
#define COIL_LIB_EXECUTIONENGINE_DEVICEASSEMBLER_H

#include "coil/ExecutionEngine/DeviceCompiler.h"

namespace coil {

/// Which assembler compiles some PTX, and its version for keys of caches.
struct ChosenAssembler {
  /// Auto: none is needed.
  DeviceAssembler kind = DeviceAssembler::Auto;
  /// Program of Ptxas.
  std::string path;
  std::string version;
};

/// Chooses the assembler for some PTX by the options and what is installed.
llvm::Expected<ChosenAssembler> chooseAssembler(llvm::StringRef ptx,
                                                const DeviceOptions &options);

/// Whether nvJitLink can be loaded.
bool isNvJitLinkAvailable();

/// Assembles the PTX of an image into its machine code, and fills the log.
llvm::Error assemble(DeviceImage &image, const ChosenAssembler &assembler,
                     bool lineInfo);

/// Reads the resources of functions from the log of an assembler and takes
/// those lines out of it.
void readResources(DeviceImage &image);

} // namespace coil

#endif // COIL_LIB_EXECUTIONENGINE_DEVICEASSEMBLER_H
