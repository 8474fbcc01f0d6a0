//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bodies for functions of the vector mathematics library that kernels call in
// their inner loops.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_EXECUTIONENGINE_INLINEMATH_H
#define COIL_LIB_EXECUTIONENGINE_INLINEMATH_H

namespace llvm {
class Module;
} // namespace llvm

namespace coil {

/// Gives the vector versions of expf that the module declares a body to be
/// inlined. A call saves all vector registers and hides what follows from the
/// scheduler; the body is a dozen instructions. Its error is under 1 ulp;
/// zeros, infinities, subnormal results and NaN are those of expf. The target
/// must have fused multiply-add; with `hasScalef` also AVX-512.
void addInlineMath(llvm::Module &module, bool hasScalef);

} // namespace coil

#endif // COIL_LIB_EXECUTIONENGINE_INLINEMATH_H
