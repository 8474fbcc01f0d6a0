//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies of signs beside conversions.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_EXECUTIONENGINE_COPYSIGNS_H
#define COIL_LIB_EXECUTIONENGINE_COPYSIGNS_H

namespace llvm {
class Module;
} // namespace llvm

namespace coil {

/// Makes `copysign` operations on bits where the sign is that of a converted
/// number, or the result is converted. The code generator of LLVM 22 moves
/// conversions past `copysign`, and leaves one with an f16 and the sign of an
/// f64, which it converts: processors without AVX512-FP16 have no instruction
/// for that.
void expandCopySigns(llvm::Module &module);

} // namespace coil

#endif // COIL_LIB_EXECUTIONENGINE_COPYSIGNS_H
