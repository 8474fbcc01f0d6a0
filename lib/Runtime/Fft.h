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

#include "coil/Runtime/Functions.h"

#include <vector>

namespace coil::rt {

/// What all three functions take.
struct FftArguments {
  const coil_tensor *self = nullptr;
  std::vector<int64_t> dims; ///< Without the dimension of parts.
  double scale = 1;
};

/// Reads and checks them; fails the call of others.
int32_t readFftArguments(coil_call *call, bool isComplex, FftArguments &out);

/// Registers `coil::fft_c2c` and the others.
void registerFft();

} // namespace coil::rt

#endif // COIL_LIB_RUNTIME_FFT_H
