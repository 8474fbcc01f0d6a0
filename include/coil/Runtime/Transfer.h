//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs on several devices. A transfer has two, so no device's registration
// in the compiler names a function for it: programs call one function, and here
// is who moves elements between the host and which device. So it is with the
// device that a run works on.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_RUNTIME_TRANSFER_H
#define COIL_RUNTIME_TRANSFER_H

#include "coil/Runtime/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Copies the elements of `from` to `to`, a row-major tensor of the same sizes
/// and type on another device; one of the two is on the host, or both are on
/// GPUs. Devices are counted from the one that the run is bound to: index 1 is
/// the next. After the call `from` may change and end, in the order of the
/// program, and a `to` on the host has its elements: the function waits for the
/// device, and reports what failed there before. A copy between GPUs is put
/// after what made both tensors' memory, and nobody waits for it but what the
/// target's device is given next; GPUs need no access to each other's memory.
/// With `non_blocking` elements may be taken from host memory that the driver
/// knows (pinned) until the run is synchronised.
COIL_RT_API int32_t coil_rt_transfer(coil_run *run, const coil_tensor *to,
                                     const coil_tensor *from,
                                     int32_t non_blocking);

/// Lets a run work on the device `index` positions after the one of this type
/// that it is bound to, until another is selected; 0 is its own. Allocations,
/// launches and calls of libraries go there, and results say so. Memory is
/// freed wherever it is.
COIL_RT_API int32_t coil_rt_select_device(coil_run *run, int32_t device_type,
                                          int32_t index);

/// coil_rt_transfer for one type of device. Both tensors have elements.
typedef int32_t (*coil_transfer_function)(coil_run *run, const coil_tensor *to,
                                          const coil_tensor *from,
                                          int32_t non_blocking);

/// Says who moves elements between the host and devices of a type, which is not
/// one of coil_device_type and has nobody yet.
COIL_RT_API int32_t coil_register_transfer(int32_t device_type,
                                           coil_transfer_function function);

#ifdef __cplusplus
}
#endif

#endif // COIL_RUNTIME_TRANSFER_H
