//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What happens to a block of f32 results after the multiplication: bias and
// elementwise function, while the block is still in cache.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_EPILOGUE_H
#define COIL_LIB_RUNTIME_EPILOGUE_H

#include <cstdint>

namespace coil::rt {

/// Computes c[i, j] = post(c[i, j] + rowBias[i * rowBiasStride] +
/// columnBias[j]) for an m x n row-major block; either bias may be null.
void applyEpilogue(float *c, int64_t m, int64_t n, int64_t rowStride,
                   const float *rowBias, int64_t rowBiasStride,
                   const float *columnBias, int32_t postOp);

} // namespace coil::rt

#endif // COIL_LIB_RUNTIME_EPILOGUE_H
