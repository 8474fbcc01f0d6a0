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

#include "coil/Support/HostVector.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"

int64_t coil::getHostVectorBits() {
  static const int64_t bits = [] {
    llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
    if (features.lookup("avx512f") && features.lookup("avx512bw") &&
        features.lookup("avx512dq") && features.lookup("avx512vl"))
      return 512;
    return features.lookup("avx2") ? 256 : 128;
  }();
  return bits;
}
