//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What copies between devices share.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_TRANSFER_H
#define COIL_LIB_RUNTIME_TRANSFER_H

#include "coil/Runtime/Transfer.h"

namespace coil::rt {

/// Whether the elements of a tensor lie row by row without gaps.
bool isContiguous(const coil_tensor &tensor);
/// Bytes of all elements.
int64_t countBytes(const coil_tensor &tensor);

/// The coil_transfer_function of GPUs, in CUDA/.
int32_t transferCuda(coil_run *run, const coil_tensor *to,
                     const coil_tensor *from, int32_t nonBlocking);
/// Copies between two GPUs, in CUDA/.
int32_t transferPeers(coil_run *run, const coil_tensor *to,
                      const coil_tensor *from);
/// Copies a tensor on a GPU to other strides there, on the stream of the run,
/// in CUDA/.
int32_t copyStridedCuda(coil_run *run, const coil_tensor *from, void *to,
                        const int64_t *strides);
/// coil_rt_select_device for GPUs, in CUDA/.
int32_t selectCudaDevice(coil_run *run, int32_t index);

} // namespace coil::rt

#endif // COIL_LIB_RUNTIME_TRANSFER_H
