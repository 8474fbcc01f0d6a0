//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What vectors the host has.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_SUPPORT_HOSTVECTOR_H
#define COIL_SUPPORT_HOSTVECTOR_H

#include <cstdint>

namespace coil {

/// Bits of the host's widest vector registers: 512, 256 or 128.
int64_t getHostVectorBits();

} // namespace coil

#endif // COIL_SUPPORT_HOSTVECTOR_H
