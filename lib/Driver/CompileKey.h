//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What compiled code depends on, for the names of programs in the cache.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DRIVER_COMPILEKEY_H
#define COIL_LIB_DRIVER_COMPILEKEY_H

#include "coil/Driver/CompiledProgram.h"
#include "coil/Driver/ProgramCache.h"

namespace coil {

/// Adds all that code depends on beside the program: this build of Coil, the
/// options, the processor, the GPU, plugins and host functions. Returns false
/// for options whose programs are not kept, and for wrong ones.
bool addOptions(CacheKey &key, const JITOptions &options);

/// Adds a program of a .pt2 file: all but the elements of its weights, which
/// no code depends on.
llvm::Error addExportedProgram(CacheKey &key, llvm::StringRef path);

} // namespace coil

#endif // COIL_LIB_DRIVER_COMPILEKEY_H
