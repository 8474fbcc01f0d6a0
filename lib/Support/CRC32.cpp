//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The weights of a model are gigabytes, each of which is summed when the model
// is read. libdeflate multiplies polynomials with vector instructions, three
// times as fast as zlib, which was half of the time to compile a Llama.
//
//===----------------------------------------------------------------------===//

#include "coil/Support/CRC32.h"

#include <libdeflate.h>

uint32_t coil::crc32(llvm::StringRef bytes) {
  return libdeflate_crc32(/*crc=*/0, bytes.data(), bytes.size());
}
