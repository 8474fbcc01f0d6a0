//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies from one device to another. A transfer has two devices, so no device's
// registration in the compiler names a function for it: programs call one
// function, and here is who moves elements between the host and which device.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_RUNTIME_TRANSFER_H
#define COIL_RUNTIME_TRANSFER_H

#include "coil/Runtime/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Copies the elements of `from` to `to`, a row-major tensor of the same sizes
/// and type on another device; one of the two is on the host. The run is bound
/// to the other. Behind the call `from` may change and end, and a `to` on the
/// host has its elements: the function waits for the device, and reports what
/// failed there before. With `non_blocking` elements may be taken from host
/// memory that the driver knows (pinned) until the run is synchronised.
COIL_RT_API int32_t coil_rt_transfer(coil_run *run, const coil_tensor *to,
                                     const coil_tensor *from,
                                     int32_t non_blocking);

/// The same for one type of device. Both tensors have elements.
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
