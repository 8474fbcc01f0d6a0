//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What libCoilC.so has in the wheel alone.
//
//===----------------------------------------------------------------------===//

#include "coil/Plugins/Plugins.h"

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <sys/random.h>

bool coil::hidesLLVM() { return true; }

/// glibc has this function from 2.36 on, and LLVM calls it for names of
/// temporary files. Nothing else of the wheel is newer than glibc 2.35.
extern "C" uint32_t arc4random() {
  uint32_t value;
  while (getrandom(&value, sizeof(value), /*flags=*/0) != sizeof(value))
    if (errno != EINTR)
      abort();
  return value;
}
