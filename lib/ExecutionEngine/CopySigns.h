//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies of signs of converted numbers.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_EXECUTIONENGINE_COPYSIGNS_H
#define COIL_LIB_EXECUTIONENGINE_COPYSIGNS_H

namespace llvm {
class Module;
} // namespace llvm

namespace coil {

/// Makes the sign operands of `copysign` integers on the way where they are
/// results of conversions. The code generator of LLVM 22 takes the sign of what
/// is converted, and when the result becomes an f16 converts that: an f64 to an
/// f16, for which processors without AVX512-FP16 have no instruction.
void keepSignOperands(llvm::Module &module);

} // namespace coil

#endif // COIL_LIB_EXECUTIONENGINE_COPYSIGNS_H
