//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The device library: functions without an instruction, compiled to bitcode
// when Coil is built and linked into the kernels that call them.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_EXECUTIONENGINE_DEVICEMATH_H
#define COIL_LIB_EXECUTIONENGINE_DEVICEMATH_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace llvm {
class Module;
} // namespace llvm

namespace coil {

/// Links those functions of the library that a module calls into it, as
/// internal ones. Fails if a function is left without a body.
llvm::Error linkDeviceMath(llvm::Module &module);

/// The library as bitcode.
llvm::StringRef getDeviceMathBitcode();

} // namespace coil

#endif // COIL_LIB_EXECUTIONENGINE_DEVICEMATH_H
