//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The library that sorts on GPUs, loaded at first need.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_CUDA_SORT_H
#define COIL_LIB_RUNTIME_CUDA_SORT_H

#include "Cub.h"

namespace coil::rt::cuda {

/// The library's functions.
struct Cub {
#define COIL_MEMBER(name, result, params) result(*name) params = nullptr;
  COIL_CUB_FUNCTIONS(COIL_MEMBER)
#undef COIL_MEMBER

  /// Loads the library at the first call: what coil_library_set_file or the
  /// environment variable COIL_CUB_LIBRARY names, else libcoil-cub.so beside
  /// the runtime or where the loader looks. Null, with the error recorded, when
  /// that fails.
  static const Cub *get();
  /// Whether get() will find the library.
  static bool isPresent();
  static void setFile(const char *file);
};

} // namespace coil::rt::cuda

#endif // COIL_LIB_RUNTIME_CUDA_SORT_H
