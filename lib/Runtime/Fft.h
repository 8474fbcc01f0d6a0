//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fourier transforms as host functions of the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_FFT_H
#define COIL_LIB_RUNTIME_FFT_H

namespace coil::rt {

/// Registers `coil::fft_c2c` and the others.
void registerFft();

} // namespace coil::rt

#endif // COIL_LIB_RUNTIME_FFT_H
