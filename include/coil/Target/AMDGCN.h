//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The translation of lowered kernels to AMD's instructions.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_TARGET_AMDGCN_H
#define COIL_TARGET_AMDGCN_H

namespace coil {

void registerAMDGCNTranslations();

} // namespace coil

#endif // COIL_TARGET_AMDGCN_H
