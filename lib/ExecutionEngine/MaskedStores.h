//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Masked stores of one lane.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_EXECUTIONENGINE_MASKEDSTORES_H
#define COIL_LIB_EXECUTIONENGINE_MASKEDSTORES_H

namespace llvm {
class Module;
} // namespace llvm

namespace coil {

/// Makes masked stores whose constant mask has one lane stores of that element.
/// With AVX-512 the x86 code generator of LLVM 22 stores such a lane of a
/// truncated vector with the width it had before: four bytes of an i16 that was
/// an i32, two of them behind the end (llvm/llvm-project#179489).
void storeSingleLanes(llvm::Module &module);

} // namespace coil

#endif // COIL_LIB_EXECUTIONENGINE_MASKEDSTORES_H
