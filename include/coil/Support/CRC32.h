//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checksum of archives.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_SUPPORT_CRC32_H
#define COIL_SUPPORT_CRC32_H

#include "llvm/ADT/StringRef.h"

namespace coil {

/// The CRC-32 of ZIP (polynomial 0x04C11DB7, reflected) of \p bytes.
uint32_t crc32(llvm::StringRef bytes);

} // namespace coil

#endif // COIL_SUPPORT_CRC32_H
