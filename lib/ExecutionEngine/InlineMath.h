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

/// Gives the scalar and vector versions of elementary functions that the module
/// declares bodies to be inlined. A call saves all vector registers and hides
/// what follows from the scheduler, and the libraries' errors are up to 4 ulp.
/// Zeros, infinities, subnormal numbers and NaN are treated as by the C
/// functions; InlineMathTest states and checks the errors. The target must have
/// fused multiply-add; `hasAVX512` says that there is AVX-512, too. With
/// `onlyMissing`, only what no library has gets a body: special functions of
/// vectors.
void addInlineMath(llvm::Module &module, bool hasAVX512,
                   bool onlyMissing = false);

} // namespace coil

#endif // COIL_LIB_EXECUTIONENGINE_INLINEMATH_H
