//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cuFFT, loaded at first need, by its binary interface: the few types,
// functions and numbers below are all that is used of it.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_CUDA_CUFFT_H
#define COIL_LIB_RUNTIME_CUDA_CUFFT_H

#include "Driver.h"

namespace coil::rt::cuda {

/// Registers `coil::fft_c2c` and the others for GPUs.
void registerFft();

using cufftHandle = int;
using cufftResult = int;

/// cufftResult
enum : int {
  CUFFT_SUCCESS = 0,
  CUFFT_ALLOC_FAILED = 2,
  CUFFT_NOT_SUPPORTED = 16
};
/// cufftType
enum : int {
  CUFFT_R2C = 0x2a,
  CUFFT_C2R = 0x2c,
  CUFFT_C2C = 0x29,
  CUFFT_D2Z = 0x6a,
  CUFFT_Z2D = 0x6c,
  CUFFT_Z2Z = 0x69
};
enum : int { CUFFT_FORWARD = -1, CUFFT_INVERSE = 1 };

/// X(exported name, parameters). Each function returns a cufftResult.
#define COIL_CUFFT_FUNCTIONS(X)                                                \
  X(cufftCreate, (cufftHandle * plan))                                         \
  X(cufftDestroy, (cufftHandle plan))                                          \
  X(cufftSetAutoAllocation, (cufftHandle plan, int automatic))                 \
  X(cufftMakePlanMany64,                                                       \
    (cufftHandle plan, int rank, long long *sizes, long long *inEmbed,         \
     long long inStride, long long inDistance, long long *outEmbed,            \
     long long outStride, long long outDistance, int type, long long batch,    \
     size_t *workBytes))                                                       \
  X(cufftSetStream, (cufftHandle plan, CUstream stream))                       \
  X(cufftSetWorkArea, (cufftHandle plan, void *work))                          \
  X(cufftExecC2C, (cufftHandle plan, void *in, void *out, int direction))      \
  X(cufftExecZ2Z, (cufftHandle plan, void *in, void *out, int direction))      \
  X(cufftExecR2C, (cufftHandle plan, void *in, void *out))                     \
  X(cufftExecD2Z, (cufftHandle plan, void *in, void *out))                     \
  X(cufftExecC2R, (cufftHandle plan, void *in, void *out))                     \
  X(cufftExecZ2D, (cufftHandle plan, void *in, void *out))

/// The library's functions.
struct CuFft {
#define COIL_MEMBER(name, params) cufftResult(*name) params = nullptr;
  COIL_CUFFT_FUNCTIONS(COIL_MEMBER)
#undef COIL_MEMBER

  /// Loads the library at the first call: what coil_library_set_file or the
  /// environment variable COIL_CUFFT_LIBRARY names, else that of CUDA 13 or 12.
  /// Null, with the error recorded, when that fails.
  static const CuFft *get();
  static bool isPresent();
  static void setFile(const char *file);
};

/// Records what a result of the library means.
int32_t checkCuFft(cufftResult result, const char *what);

} // namespace coil::rt::cuda

#endif // COIL_LIB_RUNTIME_CUDA_CUFFT_H
