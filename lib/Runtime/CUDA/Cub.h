//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What libcoil-cub.so offers: sorting on GPUs by NVIDIA's CUB, in a library of
// its own because nvcc compiles it. Plain C; included by both sides.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_CUDA_CUB_H
#define COIL_LIB_RUNTIME_CUDA_CUB_H

#include "coil/Runtime/Library.h"

/// Changes with the functions below.
#define COIL_CUB_VERSION 1

/// X(exported name, result, parameters)
#define COIL_CUB_FUNCTIONS(X)                                                  \
  /* COIL_CUB_VERSION of the library. */                                       \
  X(coil_cub_version, int32_t, (void))                                         \
  /* Device memory that a sort needs; returns a cudaError_t. */                \
  X(coil_cub_sort_workspace, int32_t, (const coil_sort *desc, int64_t *bytes)) \
  /* Puts the sort into the stream (a cudaStream_t) of the current context and \
     waits for nothing; returns a cudaError_t. */                              \
  X(coil_cub_sort, int32_t,                                                    \
    (const coil_sort *desc, const void *x, void *values, int64_t *indices,     \
     void *workspace, int64_t bytes, void *stream))                            \
  /* What a cudaError_t says. */                                               \
  X(coil_cub_describe, const char *, (int32_t error))

#endif // COIL_LIB_RUNTIME_CUDA_CUB_H
